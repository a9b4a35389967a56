"""The guard at the door: who may ask, with what, and what a browser may do with the answer.

A page of another site can make a browser send requests here, so the host asked for must be this machine's
(which stops names that are made to point here), and an origin, where one is told, that of the page itself.
Under `--lan` the first part of every path is a token: relative links carry it along, no cookie is needed, and
it works again after a restart.
"""

from __future__ import annotations

import re
from hmac import compare_digest

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 64 * 1024
"""Largest body that is read."""

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""What every answer carries: nothing from elsewhere is loaded, nobody frames or embeds the page."""

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^:\[\]]*)(:[0-9]{1,5})?")


class Guard:
    """Wraps an application; `token` is None where only this machine is listened to."""

    def __init__(self, app: ASGIApp, token: str | None = None) -> None:
        self.app = app
        self.token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = message.get("headers", [])
                named = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
                own = {name for name, _ in given}
                message["headers"] = [*given, *(pair for pair in named if pair[0] not in own)]
            await send(message)

        refusal = self._refusal(Request(scope))
        if refusal is None and self.token is not None:
            refusal = _without_token(scope, self.token)
        await (refusal or self.app)(scope, receive, send_guarded)

    def _refusal(self, request: Request) -> Response | None:
        host = request.headers.get("host", "")
        local = (request.scope.get("server") or ("",))[0] if self.token is not None else ""
        if not _is_here(host, local):
            return PlainTextResponse("This machine has another name.", 403)
        if request.headers.get("origin", f"http://{host}") != f"http://{host}":
            return PlainTextResponse("This page does not answer other sites.", 403)
        if int(request.headers.get("content-length", 0)) > MOST_BYTES:
            return too_long()
        if request.method == "POST" and request.headers.get("content-type", "").split(";")[0].strip() != (
            "application/json"
        ):
            return PlainTextResponse("A question is application/json.", 415)
        return None


def too_long() -> Response:
    """The answer to a body that is not read to its end."""
    return PlainTextResponse(f"At most {MOST_BYTES} bytes are read.", 413)


def _is_here(host: str, local: str) -> bool:
    """Whether a `Host` names this machine: as loopback, or by the address the request came in at."""
    found = _HOST.fullmatch(host.lower())
    return found is not None and found[1] in (*LOOPBACK, *filter(None, [local]))


def _without_token(scope: Scope, token: str) -> Response | None:
    """A refusal unless the path begins with the token, which is then taken off."""
    given, slash, rest = scope["path"].removeprefix("/").partition("/")
    if not compare_digest(given.encode("utf-8", "surrogateescape"), token.encode()):
        return PlainTextResponse("The link is not complete; scan the code or copy it once more.", 403)
    if not slash:
        return RedirectResponse(f"/{token}/", 308)
    scope["path"] = f"/{rest}"
    scope["raw_path"] = scope["path"].encode()
    return None
