"""What something costs: processor time of this thread, rivals in turns, medians with their spread."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median, quantiles

BUSY = 1.15
"""Seconds by the wall clock a second of processor time may take before the machine counts as busy."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """Something to be measured: a call of `run` does `items` items."""

    name: str
    run: Callable[[], object]
    items: int


@dataclass(frozen=True, slots=True)
class Spread:
    """A median of several rounds with its quartiles."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """The median and the quartiles of at least one value."""
        low, middle, high = quantiles(values, method="inclusive") if len(values) > 1 else [*values] * 3
        return cls(middle, low, high)


@dataclass(frozen=True, slots=True)
class Rounds:
    """Nanoseconds an item of every contestant, round by round, and how busy the machine was meanwhile."""

    costs: dict[str, tuple[float, ...]]
    busy: float

    def cost(self, name: str) -> Spread:
        """Nanoseconds an item."""
        return Spread.of(self.costs[name])

    def ratio(self, name: str, to: str) -> Spread:
        """How many times as much one costs as another, compared within each round."""
        return Spread.of([a / b for a, b in zip(self.costs[name], self.costs[to], strict=True)])


def interleaved(
    contestants: Sequence[Contestant],
    rounds: int,
    least: float,
    clock: Callable[[], float] = time.thread_time,
) -> Rounds:
    """Every contestant once a round, for at least `least` seconds, the order turning from round to round."""
    repeats = {each.name: _repeats(each, least, clock) for each in contestants}
    costs: dict[str, list[float]] = {each.name: [] for each in contestants}
    began, used = time.perf_counter(), clock()
    for turn in range(rounds):
        for place in range(len(contestants)):
            each = contestants[(turn + place) % len(contestants)]
            repeated = repeats[each.name]
            costs[each.name].append(1e9 * _seconds(each, repeated, clock) / repeated / each.items)
    busy = (time.perf_counter() - began) / max(clock() - used, 1e-9)
    return Rounds({name: tuple(found) for name, found in costs.items()}, busy)


def _repeats(each: Contestant, least: float, clock: Callable[[], float]) -> int:
    """Calls that take at least `least` seconds; the calls made to find out warm everything up."""
    each.run()
    repeats = 1
    while (took := _seconds(each, repeats, clock)) < least:
        repeats = max(2 * repeats, int(repeats * least / max(took, 1e-6)))
    return repeats


def _seconds(each: Contestant, repeats: int, clock: Callable[[], float]) -> float:
    run = each.run
    began = clock()
    for _ in range(repeats):
        run()
    return clock() - began


def wall(runs: Sequence[Callable[[], object]], rounds: int) -> list[float]:
    """Median seconds by the wall clock of each of several calls, in turns."""
    took: list[list[float]] = [[] for _ in runs]
    for _ in range(rounds):
        for run, found in zip(runs, took, strict=True):
            began = time.perf_counter()
            run()
            found.append(time.perf_counter() - began)
    return [median(found) for found in took]
