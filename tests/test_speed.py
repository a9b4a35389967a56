"""What handing out games costs: processor time over the bare kernel, growth with games, a second thread."""

import hashlib
import os
import statistics
import time
from collections.abc import Callable
from io import StringIO

import numpy as np
import pytest
from rich.console import Console
from rich.progress import Progress

from cherrysim.contest import compare
from cherrysim.policy import parse
from cherrysim.rules import Rules
from cherrysim.simulate import arrays, play

pytestmark = pytest.mark.slow
POLICY = "plan:3+2"  # the quickest of all: the worst case for what stands around the kernel


def seconds(work: Callable[[], object]) -> float:
    """Processor time of all threads."""
    before = time.process_time()
    work()
    return time.process_time() - before


def bare(games: int, results: bool) -> Callable[[], object]:
    """The kernel alone, in calls of 4,096 games; with `results` their sums and their digest too."""
    from cherrysim.kernels.game import play_games
    from cherrysim.kernels.totals import add_totals

    rules, players = Rules(), [parse(POLICY)] * 4
    solver = arrays.solver(rules, players)
    arguments = (arrays.rules_array(rules), arrays.policies_array(players), solver, arrays.no_log())
    rows, totals = arrays.room(rules, 4096), arrays.totals(rules)

    def work() -> None:
        for first in range(0, games, 4096):
            play_games(first, 4096, np.uint64(0), *arguments, rows)
            if results:
                add_totals(rows, 0, 4096, 4, totals)
                hashlib.sha256(rows.data).digest()

    return work


def ratio(one: Callable[[], object], other: Callable[[], object]) -> float:
    """How many times as long one takes as the other, the median of interleaved rounds."""
    one(), other()
    return statistics.median(seconds(one) / seconds(other) for _ in range(5))


def test_blocks_and_progress_cost_at_most_five_percent() -> None:
    """Blocks and progress, that is: over the kernel with the sums and the digest of its rows."""
    games = 25 * 4096
    bar = Progress(console=Console(file=StringIO(), force_terminal=True))
    task = bar.add_task("games", total=1.0)

    def playing() -> object:
        return play(POLICY, games, threads=1, progress=lambda n: bar.update(task, completed=n / games))

    def comparing() -> object:
        pair = [POLICY, "plan:3+2+1"]
        told = lambda _, part: bar.update(task, completed=part)  # noqa: E731
        return compare(pair, games // 2, threads=1, progress=told)

    with bar:
        kernel, results = ratio(playing, bare(games, False)), ratio(playing, bare(games, True))
        contest = ratio(comparing, lambda: play([POLICY, "plan:3+2+1"] * 2, games, threads=1))
    print(f"play over the kernel {kernel:.3f}, over kernel, sums and digest {results:.3f}; ", end="")
    print(f"compare over play {contest:.3f}")
    assert results <= 1.05
    assert contest <= 1.05
    assert kernel <= 1.1


def test_time_grows_with_the_games_from_1e5_to_1e7() -> None:
    play(POLICY, 1)
    took = [seconds(lambda n=n: play(POLICY, n)) / n for n in (10**5, 10**6, 10**7)]
    print("microseconds a game:", *(f"{1e6 * each:.2f}" for each in took))
    assert max(took) / min(took) <= 1.1


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one processor")
@pytest.mark.skipif(os.getloadavg()[0] > 0.5, reason="the machine is busy")
def test_two_threads_are_at_least_1_8_times_one() -> None:
    def wall(threads: int) -> float:
        before = time.perf_counter()
        play(POLICY, 10**6, threads=threads)
        return time.perf_counter() - before

    wall(2)
    gain = statistics.median(wall(1) / wall(2) for _ in range(5))
    print(f"two threads: {gain:.2f} times one")
    assert gain >= 1.8
