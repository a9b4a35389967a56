"""Documents that come in with a request: JSON, no longer than is allowed, whatever its headers say."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request

from cherrysim.flowers import Refused, read_json
from cherrysim.web.guard import MOST_BYTES


class TooLong(Exception):
    """A body that is not read to its end."""


async def read(request: Request) -> Any:
    """The document of a request; raises `Refused` for what is no JSON, `TooLong` for too much."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            raise TooLong
    try:
        return read_json(body.decode())
    except UnicodeDecodeError:
        raise Refused("the question is not UTF-8; JSON is; send it as that") from None
