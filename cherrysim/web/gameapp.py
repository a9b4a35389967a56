"""What is answered at which address about whole games: the moment, advice, chances, reviews, other phones."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from cherrysim.flowers import Refused
from cherrysim.recordfile import read_record
from cherrysim.web import game
from cherrysim.web.reading import read
from cherrysim.web.relay import Relay
from cherrysim.web.work import Work

MOST_REVIEWS = 16
PAPER = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""What a review may load: its own style, nothing else."""

_FRESH = {"Cache-Control": "no-store"}


Page = Callable[[Request], Awaitable[Response]]


def game_routes(work: Work, phones: str | None, page: Page) -> list[Route]:
    """The addresses of game mode, its `page` among them; long answers are computed one at a time, apart from
    all others."""
    games = _Games(work, phones, page)
    asked = {
        "begin": games.begin,
        "game": games.moment,
        "advice": games.advice,
        "chances": games.chances,
        "review": games.review,
        "follow": games.follow,
    }
    return [
        *(Route(f"/{name}", answer, methods=["POST"]) for name, answer in asked.items()),
        Route("/game.html", games.opened),
        Route("/review/{name}", games.reviewed),
        Route("/join.svg", games.code),
    ]


class _Games:
    def __init__(self, work: Work, phones: str | None, page: Page) -> None:
        self.work, self.phones, self.page = work, phones, page
        self.instant = Work(1, 64)  # apart: the first one loads the kernels, and nobody waits for that to tap
        self.long = Work(1, 128)  # a table of phones, each with its advice and its curve
        self.loading: asyncio.Task[None] | None = None
        self.relay = Relay()
        self.reviews: OrderedDict[str, str] = OrderedDict()

    async def opened(self, request: Request) -> Response:
        """The page; what its advice needs is loaded while players are named, so that no tap waits for it."""
        self.loading = self.loading or asyncio.create_task(self._load())
        return await self.page(request)

    async def _load(self) -> None:
        for layer, work in (("instant", self.instant), ("deep", self.long)):
            await work.done(partial(game.loaded, layer), _never)

    async def begin(self, request: Request) -> Response:
        return JSONResponse(game.start(await read(request)), headers=_FRESH)

    async def moment(self, request: Request) -> Response:
        text = _text(await read(request))
        found = await self.work.done(lambda: game.moment(text), request.is_disconnected)
        return JSONResponse(found, headers=_FRESH)

    async def advice(self, request: Request) -> Response:
        asked = await read(request)
        text, layer, value = _text(asked), asked.get("layer", "instant"), asked.get("value", "win")
        where = self.instant if layer == "instant" else self.long
        found = await where.watched(
            lambda stopped: game.advised(text, layer, value, stopped), request.is_disconnected
        )
        return JSONResponse(found, headers=_FRESH)

    async def chances(self, request: Request) -> Response:
        text = _text(await read(request))
        found = await self.long.watched(lambda stopped: game.chances(text, stopped), request.is_disconnected)
        return JSONResponse(found, headers=_FRESH)

    async def review(self, request: Request) -> Response:
        """A record's review under an address of its own."""
        text = _text(await read(request))

        def reviewed(stopped: game.Stopped) -> str:
            from cherrysim.review import review
            from cherrysim.sheets.page import html

            return html(review(read_record(text), quick=True, progress=lambda done, part: stopped()))

        page = await self.long.watched(reviewed, request.is_disconnected)
        name = secrets.token_urlsafe(12)
        self.reviews[name] = page
        while len(self.reviews) > MOST_REVIEWS:
            self.reviews.popitem(last=False)
        return JSONResponse({"link": f"review/{name}"}, headers=_FRESH)

    async def reviewed(self, request: Request) -> Response:
        page = self.reviews.get(request.path_params["name"])
        if page is None:
            return PlainTextResponse("This review is no longer kept; ask for it once more.", 404)
        return HTMLResponse(page, headers=_FRESH | {"Content-Security-Policy": PAPER})

    async def follow(self, request: Request) -> Response:
        return JSONResponse(await self.relay.follow(await read(request)), headers=_FRESH)

    async def code(self, request: Request) -> Response:
        """The link by which a phone joins a game, as a QR code."""
        from cherrysim.web.server import code_picture

        name = request.query_params.get("game", "")
        if self.phones is None or not re.fullmatch("[A-Za-z0-9_-]{8,32}", name):
            return PlainTextResponse("There is no such game, or no phone can reach it.", 404)
        picture = code_picture(f"{self.phones}game.html#join={name}")
        return Response(picture, headers=_FRESH | {"Content-Type": "image/svg+xml"})


async def _never() -> bool:
    return False


def _text(document: Any) -> str:
    if not isinstance(document, dict) or not isinstance(document.get("record"), str):
        raise Refused("a game is asked about by its record, a text; something else came; send that")
    return str(document["record"])
