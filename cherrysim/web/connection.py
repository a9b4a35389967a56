"""Connections that do not last: a request has ten seconds to arrive, an answer ten seconds to be taken.

uvicorn by itself waits for ever for a request that was begun and never ended, and for a reader who takes
nothing; so a few hundred idle connections would shut everybody else out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 10.0
"""Seconds for a whole request to arrive, and for a whole answer to be taken."""

MOST_CONNECTIONS = 256


class _Alarm:
    """A timer that is started once and can be stopped."""

    def __init__(self) -> None:
        self._timer: asyncio.TimerHandle | None = None

    def start(self, loop: asyncio.AbstractEventLoop, seconds: float, ring: Callable[[], object]) -> None:
        if self._timer is None:
            self._timer = loop.call_later(seconds, ring)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class Connection(H11Protocol):
    """uvicorn's connection with an end to its patience."""

    patience = PATIENCE

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._arriving, self._leaving = _Alarm(), _Alarm()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
        else:
            self._arriving.start(self.loop, self.patience, transport.abort)

    def data_received(self, data: bytes) -> None:
        self._arriving.start(self.loop, self.patience, self.transport.abort)
        super().data_received(data)
        self._stop_if_arrived()

    def on_response_complete(self) -> None:
        self._leaving.stop()
        self._leaving.start(self.loop, self.patience, self._drop_if_not_taken)
        self._stop_if_arrived()
        super().on_response_complete()
        begun = self.conn.their_state is h11.IDLE and self.conn.trailing_data[0]
        if begun or self.conn.their_state is h11.SEND_BODY:  # a part of the next request came along with this
            self._arriving.start(self.loop, self.patience, self.transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        self._arriving.stop()
        self._leaving.stop()
        super().connection_lost(exc)

    def _stop_if_arrived(self) -> None:
        if self.conn.their_state in (h11.DONE, h11.MUST_CLOSE):
            self._arriving.stop()

    def _drop_if_not_taken(self) -> None:
        if self.transport.get_write_buffer_size():
            self.transport.abort()
