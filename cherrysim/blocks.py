"""Blocks: work cut into numbered pieces, done by any Executor, handed back in their order.

The one place where threads, processes or a cluster come in. A block depends on its number alone, so what
comes out does not depend on who did it, and the first blocks of a long run are those of a short one.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from threading import Thread
from typing import TypeVar

Result = TypeVar("Result")


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_order(
    work: Callable[[int], Result],
    blocks: int,
    *,
    threads: int | None = None,
    executor: Executor | None = None,
    ahead: int | None = None,
) -> Iterator[Result]:
    """`work(0)`, `work(1)`, ... `work(blocks - 1)`, each as soon as it and all before it are done.

    The blocks run in `threads` (default: one a core), or in an `executor` of the caller's, which stays open;
    `ahead` blocks (default: two a core) are begun before the first is taken. Ctrl-C reaches the caller
    at once; blocks that have not begun are then dropped and those that have end by themselves, so blocks of
    at most 0.2 s leave nobody waiting.

    >>> list(in_order(lambda block: block * block, 5, threads=2))
    [0, 1, 4, 9, 16]
    """
    threads = threads or cores()
    own = ThreadPoolExecutor(min(threads, max(blocks, 1))) if executor is None else None
    begun: deque[Future[Result]] = deque()
    following = 0
    try:
        while begun or following < blocks:
            while following < blocks and len(begun) < (ahead or 2 * threads):
                begun.append((own or executor).submit(work, following))  # type: ignore[union-attr]
                following += 1
            yield begun.popleft().result()
    finally:
        for block in begun:
            block.cancel()
        if own:
            own.shutdown(wait=False)


def aside(work: Callable[[], Result]) -> Result:
    """`work()`, in a thread of its own: Ctrl-C reaches the caller at once, even while a kernel is compiled,
    which cannot be interrupted; nobody waits for it then.

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
    return result.result()
