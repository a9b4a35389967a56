"""Progress on a terminal: how much is done, how fast and how long it will take; nothing where stderr is
none."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(what: str, of: str = "games") -> Iterator[Callable[[int, float], None] | None]:
    """A function that is told how many are done and which part of the work that is; None without a terminal.
    How many is not shown where `of` is empty."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    many = f"{{task.fields[done]:,}} {of}, {{task.fields[rate]:,.0f}}/s, " if of else ""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn(f"{{task.percentage:>3.0f}} %  {many}left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
        task = bar.add_task(what, total=1.0, done=0, rate=0.0)

        def told(done: int, part: float) -> None:
            seconds = bar.tasks[0].elapsed or 1e-9
            bar.update(task, completed=part, done=done, rate=done / seconds)

        yield told
