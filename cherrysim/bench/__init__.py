"""How fast cherrysim is on this machine, and how many times as fast as what people would use instead.

Costs are nanoseconds of processor time an item, medians of interleaved rounds with their quartiles; a ratio
compares two costs of the same round. Ratios still hold on a busy machine, times less so.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, TypeVar

from cherrysim.bench.machine import machine
from cherrysim.bench.timing import BUSY, Contestant, Rounds, Spread, interleaved, wall
from cherrysim.blocks import cores, in_order
from cherrysim.flowers import Refused

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cherrysim.bench.cases import Case

Part = TypeVar("Part")

ROUNDS, QUICK_ROUNDS = 25, 9
LEAST, QUICK_LEAST = 0.02, 0.004  # seconds a contestant runs in one round
SECTIONS = ("draws", "odds", "turn", "games", "sizes", "starts")
FORMS = (".md", ".json", ".svg", ".png")


@dataclass(frozen=True, slots=True)
class Peer:
    """What somebody else's way costs in nanoseconds, and how many times as much as ours."""

    name: str
    cost: Spread
    ratio: Spread


@dataclass(frozen=True, slots=True)
class Kernel:
    """What one kernel costs an item; `limit` is what its random numbers alone cost, 0 where it needs none."""

    name: str
    item: str
    cost: Spread
    peers: tuple[Peer, ...]
    limit: float = 0.0
    absent: tuple[str, ...] = ()

    @property
    def per_second(self) -> float:
        """Items a second on one core."""
        return 1e9 / self.cost.median

    @property
    def reached(self) -> float:
        """The share of the limit that is reached."""
        return self.limit / self.cost.median


@dataclass(frozen=True, slots=True)
class Size:
    """What an item costs, in nanoseconds, at several sizes; `clock` is processor or wall."""

    name: str
    item: str
    axis: str
    costs: tuple[tuple[float, float], ...]
    clock: str = "processor"


@dataclass(frozen=True, slots=True)
class Start:
    """Seconds of one fresh process: processor time and by the wall clock."""

    name: str
    cpu: float
    wall: float


@dataclass(frozen=True)
class Report:
    """Everything measured in one run; `str()` is the table, `to_json()` the document, `plot()` the chart."""

    quick: bool
    day: str
    machine: dict[str, str]
    kernels: tuple[Kernel, ...] = ()
    sizes: tuple[Size, ...] = ()
    starts: tuple[Start, ...] = ()
    busy: tuple[float, ...] = ()
    seconds: float = 0.0
    stopped: str = ""

    @property
    def rounds(self) -> int:
        """How often everything was measured."""
        return QUICK_ROUNDS if self.quick else ROUNDS

    @property
    def warnings(self) -> list[str]:
        """What to keep in mind when reading the figures."""
        said = []
        if self.busy and max(self.busy) > BUSY:
            waited = f"{100 - 100 / max(self.busy):.0f} %"
            said.append(
                f"the machine is busy (up to {waited} of the time waited); ratios hold, times less so"
            )
        for kernel in self.kernels:
            if kernel.cost.high > 1.1 * kernel.cost.low:
                said.append(f"{kernel.name} is noisy: half of the rounds are further apart than 10 %")
        absent = sorted({name for kernel in self.kernels for name in kernel.absent})
        if absent:
            said.append(f"not installed and so not compared: {', '.join(absent)}")
        return said

    def to_json(self) -> dict[str, Any]:
        """The document of `cherrysim bench --json`."""
        from cherrysim.bench.text import document

        return document(self)

    def markdown(self) -> str:
        """The tables in Markdown."""
        from cherrysim.bench.text import markdown

        return markdown(self)

    def plot(self, axes: Axes | None = None) -> Axes:
        """Costs of all contestants on a logarithmic scale."""
        from cherrysim.plots import speed

        return speed(self, axes)

    def __str__(self) -> str:
        from cherrysim.bench.text import table

        return table(self)


def bench(
    quick: bool = False, only: str | None = None, progress: Callable[[str], None] = lambda name: None
) -> Report:
    """Measure everything, or one of `SECTIONS`; `progress` hears what comes next.

    Ctrl-C ends it with what is known, or with `KeyboardInterrupt` where nothing is. Raises `Refused` for an
    unknown section.
    """
    if only is not None and only not in SECTIONS:
        raise Refused(
            f"nothing to measure is called {only[:40]!a}; there are {', '.join(SECTIONS)}; choose one"
        )
    found: list[Any] = []
    enough = threading.Event()
    began = time.perf_counter()

    def measure(_: int) -> None:
        for section in SECTIONS if only is None else (only,):
            progress(section)
            for part in _section(section, quick):
                found.append(part)
                if enough.is_set():
                    return

    stopped = ""
    try:
        next(in_order(measure, 1))
    except KeyboardInterrupt:
        enough.set()
        if not found:
            raise
        stopped = "interrupt"
    parts = [part for several in tuple(found) for part in several]
    return Report(
        quick,
        date.today().isoformat(),
        machine(),
        _only(Kernel, parts),
        _only(Size, parts),
        _only(Start, parts),
        _only(float, parts),
        time.perf_counter() - began,
        stopped,
    )


def _only(kind: type[Part], parts: list[Any]) -> tuple[Part, ...]:
    return tuple(part for part in parts if isinstance(part, kind))


def _section(name: str, quick: bool) -> Iterator[tuple[Any, ...]]:
    """The parts of one section as they become known."""
    if name == "starts":
        from cherrysim.bench.starts import starts

        yield from ((start,) for start in starts(quick))
    elif name == "sizes":
        yield from _sizes(quick)
    else:
        from cherrysim.bench.cases import KINDS

        for case in KINDS[name]():
            rounds = _measure(case.contestants, quick)
            yield _kernel(case, rounds), rounds.busy


def _measure(
    contestants: Iterable[Contestant], quick: bool, clock: Callable[[], float] = time.thread_time
) -> Rounds:
    settings = (QUICK_ROUNDS, QUICK_LEAST) if quick else (ROUNDS, LEAST)
    return interleaved(tuple(contestants), *settings, clock)


def _kernel(case: Case, rounds: Rounds) -> Kernel:
    from cherrysim.bench.cases import FLOOR, OURS

    others = [each.name for each in case.contestants if each.name not in (OURS, FLOOR)]
    peers = [Peer(name, rounds.cost(name), rounds.ratio(name, OURS)) for name in others]
    peers.sort(key=lambda peer: peer.ratio.median)
    limit = case.numbers * rounds.cost(FLOOR).median if case.numbers else 0.0
    return Kernel(case.name, case.item, rounds.cost(OURS), tuple(peers), limit, case.absent)


def _sizes(quick: bool) -> Iterator[tuple[Any, ...]]:
    from cherrysim.bench import cases

    most = 10**7 if quick else 10**8
    for name, item, axis, several in (
        ("draws 3,2 by bag", "plan", "flowers in the bag", cases.bag_sizes()),
        ("draws 3,2 by samples", "plan, from Python", "samples", cases.sample_sizes(most)),
        ("draws 3,2 by belief", "plan, from Python", "possible bags", cases.belief_sizes()),
        ("turn by hand", "rest of a turn, 2 draws left", "flowers in hand", cases.hand_sizes()),
    ):
        rounds = _measure([each for _, each in several], quick, time.process_time)  # some use threads
        costs = tuple((size, rounds.cost(contestant.name).median) for size, contestant in several)
        yield Size(name, item, axis, costs), rounds.busy
    yield (_threads(10**8 if quick else 4 * 10**8),)


def _threads(samples: int) -> Size:
    """Wall time of a simulation by threads: 1, 2, 4, ... as many as there are cores."""
    from cherrysim.sampled import odds

    threads = [1]
    while threads[-1] < min(cores(), os.cpu_count() or 1):
        threads.append(min(2 * threads[-1], cores()))
    runs = [lambda n=n: odds(plan=[3, 2], method="mc", samples=samples, threads=n) for n in threads]
    took = wall(runs, QUICK_ROUNDS)
    costs = tuple((float(n), 1e9 * seconds / samples) for n, seconds in zip(threads, took, strict=True))
    return Size("draws 3,2 by threads", "plan, from Python", "threads", costs, "wall")
