"""Work: what is computed at once is bounded, and what nobody waits for any more is not begun."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import TypeVar

T = TypeVar("T")


class Busy(Exception):
    """More questions are waiting than will be answered in good time."""


class Gone(Exception):
    """The one who asked has gone away, or asks something else by now."""


LOOK = 0.1
"""Seconds between two looks at whether somebody still waits for an answer that is being computed."""


class Work:
    """At most `running` computations side by side and `waiting` behind them.

    They run in threads, so that the page itself is served meanwhile. Two keep a long question (a quarter of a
    second, with many possible bags) from holding up all the short ones.
    """

    def __init__(self, running: int = 2, waiting: int = 64) -> None:
        self.waiting = 0
        self._most_waiting = waiting
        self._slots = asyncio.Semaphore(running)
        self._threads = ThreadPoolExecutor(running, thread_name_prefix="cherrysim-web")

    async def done(self, compute: Callable[[], T], gone: Callable[[], Awaitable[bool]]) -> T:
        """What `compute` returns; raises `Busy`, or `Gone` if `gone` says so when its turn comes."""
        if self._slots.locked() and self.waiting >= self._most_waiting:
            raise Busy
        self.waiting += 1
        try:
            await self._slots.acquire()
        finally:
            self.waiting -= 1
        try:
            if await gone():
                raise Gone
            return await asyncio.get_running_loop().run_in_executor(self._threads, compute)
        finally:
            self._slots.release()

    async def watched(
        self, compute: Callable[[Callable[[], None]], T], gone: Callable[[], Awaitable[bool]]
    ) -> T:
        """The same for a long computation: it is given a function to call now and then, which raises `Gone`
        once nobody waits any more."""
        left = Event()

        def stopped() -> None:
            if left.is_set():
                raise Gone

        async def look() -> None:
            while not await gone():
                await asyncio.sleep(LOOK)
            left.set()

        looking = asyncio.create_task(look())
        try:
            return await self.done(lambda: compute(stopped), gone)
        finally:
            left.set()
            looking.cancel()
