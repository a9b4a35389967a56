"""What is answered at which address: the page's files, what it has to know of the rules, its questions."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from cherrysim.flowers import Flowers, Refused
from cherrysim.web import answers
from cherrysim.web.gameapp import game_routes
from cherrysim.web.guard import Guard, too_long
from cherrysim.web.reading import TooLong, read
from cherrysim.web.work import Busy, Gone, Work

PAGE = Path(__file__).parent / "page"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}


def app(token: str | None = None, phones: str | None = None, code: bytes = b"") -> Guard:
    """The whole application behind its guard; `phones` is the link for phones and `code` its picture, where
    there is one."""
    work = Work()
    files = {path.name: _file(path) for path in sorted(PAGE.iterdir()) if path.suffix in TYPES}
    routes = [
        Route("/setup", partial(_setup, phones)),
        Route("/ask", partial(_ask, work), methods=["POST"]),
        Route("/flowers", _flowers, methods=["POST"]),
        *game_routes(work, phones, files.pop("game.html").endpoint),
        *files.values(),
    ]
    if code:
        routes.append(Route("/code.svg", partial(_content, code, TYPES[".svg"])))
    handlers: Any = {Refused: _refused, TooLong: _too_long, Busy: _busy, Gone: _gone, Exception: _failed}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), token)


def _file(path: Path) -> Route:
    """A file of the page, read once: what is served cannot be chosen by a request."""
    address = "/" if path.name == "index.html" else f"/{path.name}"
    return Route(address, partial(_content, path.read_bytes(), TYPES[path.suffix]))


async def _content(content: bytes, kind: str, request: Request) -> Response:
    return Response(content, headers={"Content-Type": kind, "Cache-Control": "no-cache"})


async def _setup(phones: str | None, request: Request) -> Response:
    return JSONResponse(answers.setup() | {"phones": phones}, headers={"Cache-Control": "no-store"})


async def _ask(work: Work, request: Request) -> Response:
    asked = answers.question(await read(request))
    found = await work.done(lambda: answers.answer(asked), request.is_disconnected)
    return JSONResponse(found, headers={"Cache-Control": "no-store"})


async def _flowers(request: Request) -> Response:
    """Flowers in any notation people write, as six counts."""
    document = await read(request)
    text = document.get("text") if isinstance(document, dict) else None
    if not isinstance(text, str):
        raise Refused('flowers are asked for as {"text": "P3 Y2"}; this is something else; send that')
    return JSONResponse(Flowers.parse(text).counts)


def _refused(request: Request, refused: Exception) -> Response:
    return JSONResponse({"refused": str(refused)}, 422)


def _too_long(request: Request, _: Exception) -> Response:
    return too_long()


def _busy(request: Request, _: Exception) -> Response:
    return PlainTextResponse("Too many questions at once; ask again.", 503, {"Retry-After": "1"})


def _gone(request: Request, _: Exception) -> Response:
    return Response(status_code=499)  # nobody is there to read it


def _failed(request: Request, error: Exception) -> Response:
    from cherrysim.cli import tell

    tell(f"cherrysim: internal error, {type(error).__name__}: {error}; the page got no answer")
    return PlainTextResponse("Internal error; cherrysim says more where it runs.", 500)
