"""Blocks: work cut into numbered pieces, done by any Executor, handed back in their order.

The one place where threads, processes or a cluster come in. A block depends on its number alone, so what
comes out does not depend on who did it, and the first blocks of a long run are those of a short one.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, ThreadPoolExecutor, wait
from functools import partial
from threading import Thread
from typing import Generic, TypeVar

Result = TypeVar("Result")

MOST_COPIES = 20
"""How often a block is begun, where it is lost again and again."""
PATIENCE = 300.0
"""Seconds after which an executor's block is taken for lost."""


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_order(
    work: Callable[[int], Result],
    blocks: int,
    *,
    first: int = 0,
    threads: int | None = None,
    executor: Executor | None = None,
    ahead: int | None = None,
    patience: float = PATIENCE,
) -> Iterator[Result]:
    """`work(first)`, ... `work(blocks - 2)`, `work(blocks - 1)`, each as soon as it and all before it are
    done.

    The blocks run in `threads` (default: one a core), or in an `executor` of the caller's, which stays open;
    `ahead` blocks (default: two a core) are begun before the first is taken. A block that the executor
    cancelled is begun again, one that was waited for during `patience` seconds once more, then twice
    as late each time; whichever copy ends first counts. Ctrl-C reaches the caller at once; blocks that have
    not begun are then dropped and those that have end by themselves, so blocks of at most 0.2 s leave nobody
    waiting.

    >>> list(in_order(lambda block: block * block, 5, threads=2))
    [0, 1, 4, 9, 16]
    """
    threads = threads or cores()
    own = ThreadPoolExecutor(min(threads, max(blocks, 1))) if executor is None else None
    begun: deque[_Block[Result]] = deque()
    following = first
    try:
        while begun or following < blocks:
            while following < blocks and len(begun) < (ahead or 2 * threads):
                submit = (own or executor).submit  # type: ignore[union-attr]
                begun.append(_Block(partial(submit, work, following)))
                following += 1
            result = begun[0].result(None if executor is None else patience)
            begun.popleft().drop()
            yield result
    finally:
        for block in begun:
            block.drop()
        if own:
            own.shutdown(wait=False)


class _Block(Generic[Result]):
    """A block that was begun, once or several times."""

    def __init__(self, begin: Callable[[], Future[Result]]) -> None:
        self.begin, self.copies, self.begun = begin, [begin()], 1

    def result(self, patience: float | None) -> Result:
        """What the first copy to end gives or raises."""
        while True:
            ended, _ = wait(self.copies, patience, FIRST_COMPLETED)
            for copy in ended:
                if not copy.cancelled() and not isinstance(copy.exception(), CancelledError):
                    return copy.result()
                self.copies.remove(copy)
            if self.begun == MOST_COPIES and not self.copies:
                raise RuntimeError(f"a block was begun {MOST_COPIES} times and lost each time")
            if self.begun < MOST_COPIES:
                self.copies.append(self.begin())
                self.begun += 1
            patience = patience and 2 * patience

    def drop(self) -> None:
        """Let go of copies that nobody waits for."""
        for copy in self.copies:
            copy.cancel()


def aside(work: Callable[[], Result], patience: float | None = None) -> Result:
    """`work()`, in a thread of its own: Ctrl-C reaches the caller at once, even while a kernel is compiled,
    which cannot be interrupted; nobody waits for it then. `TimeoutError` after `patience` seconds.

    >>> aside(lambda: 7)
    7
    """
    result: Future[Result] = Future()

    def done() -> None:
        try:
            result.set_result(work())
        except BaseException as error:
            result.set_exception(error)

    Thread(target=done, daemon=True).start()
    return result.result(patience)
