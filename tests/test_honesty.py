"""Intervals hold the truth as often as they say: plans from the bag and whole games, fixed and always valid.

A repetition is a run of its own. Of 10,000, fixed 95 % intervals hold the truth in 94.0 to 96.0 % (four and a
half standard errors), and always-valid ones at all looks together in at least 95 % less three standard
errors; the quick versions allow what their fewer repetitions do. Each bound is shown to notice intervals that
are too narrow.
"""

from collections.abc import Iterator
from math import sqrt

import pytest
import tiny

from cherrysim import sampled
from cherrysim.chances import plan_odds, position
from cherrysim.contest import _Tally, bags
from cherrysim.contest.bags import Contest, play_bags
from cherrysim.contest.lineups import line_ups
from cherrysim.flowers import Flowers
from cherrysim.rules import OFFICIAL, Rules
from cherrysim.sampled import sample_odds
from cherrysim.stats import Estimate, always_valid, proportion, wilson

LOOKS = 12
Interval = tuple[float, float]


def holds(interval: Interval, truth: float) -> bool:
    return interval[0] <= truth <= interval[1]


def honest(held: int, runs: int) -> bool:
    """Whether fixed intervals that held the truth in so many runs are 95 % ones."""
    print(f"{held / runs:.2%} of {runs} fixed intervals hold the truth")
    return abs(held / runs - 0.95) <= max(0.01, 4.5 * sqrt(0.95 * 0.05 / runs))


def valid(held: int, runs: int) -> bool:
    """Whether intervals that held it at all looks in so many runs are at least 95 % ones."""
    print(f"{held / runs:.2%} of {runs} runs hold the truth at every look")
    return held / runs >= 0.95 - 3 * sqrt(0.95 * 0.05 / runs)


def narrower(interval: Interval, factor: float) -> Interval:
    middle, reach = sum(interval) / 2, (interval[1] - interval[0]) / 2
    return middle - factor * reach, middle + factor * reach


# Plans from the bag

PLANS = [("P18 Y18 L18 D18 W18 B6", [2, 2, 1]), ("P9 Y8 L7 D10 W6 B2", [3]), ("P6 Y6 L6 D6 W6", [1, 1, 1])]


@pytest.mark.parametrize(("bag", "plan"), PLANS)
@pytest.mark.parametrize("runs", [600, pytest.param(10_000, marks=pytest.mark.slow)])
def test_fixed_intervals_of_plans(bag: str, plan: list[int], runs: int) -> None:
    at = position(OFFICIAL, Flowers(), bag=Flowers.parse(bag))
    truth = float(plan_odds(at, plan).fail)
    found = [sample_odds(at, plan, 1500, seed, threads=1).interval for seed in range(runs)]
    assert honest(sum(holds(interval, truth) for interval in found), runs)
    assert not honest(sum(holds(narrower(interval, 0.75), truth) for interval in found), runs)


@pytest.mark.parametrize("runs", [300, pytest.param(10_000, marks=pytest.mark.slow)])
def test_always_valid_intervals_of_plans(runs: int) -> None:
    at = position(OFFICIAL, Flowers())
    plan = (2, 2, 1)
    truth = float(plan_odds(at, plan).fail)
    ends = [256 * 2**k // 2 for k in range(LOOKS - 3)]
    held = fixed = 0
    for seed in range(runs):
        pools = sampled._Pools(at, plan, seed)
        failed, before, looks = 0, 0, []
        for end in ends:
            failed += sum(pools.failures(before, end - before)[1])
            before = end
            looks.append(proportion(failed, end))
        held += all(holds(always_valid(look, 4000), truth) for look in looks)
        fixed += all(holds(wilson(round(look.value * look.n), look.n), truth) for look in looks)
    assert valid(held, runs)
    assert not valid(fixed, runs)


# Whole games


def repetitions(contest: Contest, runs: int, looks: int) -> Iterator[list[Estimate]]:
    """What was known of the difference of share at each look, a chunk a look, of runs with their own bags."""
    at_once = 50
    for start in range(0, runs, at_once):
        size = contest.chunk * looks
        chunks = play_bags(contest, start * size, min(at_once, runs - start) * size)
        for first in range(0, len(chunks), looks):
            tally, known = _Tally(contest, 10**9, None), []
            for chunk in chunks[first : first + looks]:
                tally.bags += chunk.bags
                tally.apart = tally.apart + chunk.apart.astype(object)
                known.append(tally.apart_by(0, 0))
            yield known


TINY = Contest(tiny.RULES, line_ups(["plan:1", "plan:2"], tiny.RULES), 11)


def tiny_truth() -> float:
    return float(sum(tiny.shares(1, 2)) - 1)


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bags, "CHUNK", 256)  # 128 bags of two seatings


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("runs", [1500, pytest.param(10_000, marks=pytest.mark.slow)])
def test_fixed_intervals_of_whole_games_with_exact_truth(runs: int) -> None:
    truth = tiny_truth()
    found = [known[0].interval() for known in repetitions(TINY, runs, 1)]
    assert honest(sum(holds(interval, truth) for interval in found), runs)
    assert not honest(sum(holds(narrower(interval, 0.85), truth) for interval in found), runs)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("runs", [300, pytest.param(10_000, marks=pytest.mark.slow)])
def test_always_valid_intervals_of_whole_games_with_exact_truth(runs: int) -> None:
    truth = tiny_truth()
    held = fixed = 0
    for known in repetitions(TINY, runs, LOOKS):
        held += all(holds(always_valid(estimate, 600), truth) for estimate in known)
        fixed += all(holds(estimate.interval(), truth) for estimate in known)
    assert valid(held, runs)
    assert not valid(fixed, runs)


@pytest.mark.slow
@pytest.mark.usefixtures("small_chunks")
def test_intervals_of_official_games() -> None:
    """The truth is that of a run a thousand times as long, from other bags: its error does not matter."""
    rules = Rules.official(2)
    policies = line_ups(["plan:3+2", "cautious:0.3"], rules)
    runs, looks = 10_000, 4
    long = [known[-1] for known in repetitions(Contest(rules, policies, 21), 1, 4000)]
    truth = long[0].value
    first = held = fixed = 0
    for known in repetitions(Contest(rules, policies, 22), runs, looks):
        first += holds(known[0].interval(), truth)
        held += all(holds(always_valid(estimate, 300), truth) for estimate in known)
        fixed += all(holds(estimate.interval(), truth) for estimate in known)
    assert honest(first, runs)
    assert valid(held, runs)
    assert not valid(fixed, runs)
