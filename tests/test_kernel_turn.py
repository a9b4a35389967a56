"""The compiled turn against the truth floor: values, choices and outcomes on all hands of several bags and
limits."""

import os
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import brute
import numpy as np
import pytest

from cherrysim import arrays
from cherrysim.belief import Belief
from cherrysim.chances import Position
from cherrysim.flowers import Flowers
from cherrysim.hands import SETS, colours_in, universe
from cherrysim.kernels import turn as kernel
from cherrysim.rules import Rules
from cherrysim.turn import Valuation, solve

WITHIN = 1e-12
TWO = Rules.official(2)
LATE_POOL = Belief.of(Flowers.parse("P4 Y2 L2 D1 W1 B1"), 3)


def returned(drawn, back):
    """The belief of the late two-player pool after a failure that gave some flowers back."""
    return LATE_POOL.draw(Flowers.parse(drawn)).put_back(Flowers.parse(back))


def limits(alike, different, flowers, draws):
    return Rules(alike=alike, different=different, flowers=flowers, draws=draws)


CASES = {
    "full": (Rules(), Belief.of(Rules().counts)),
    "mid": (Rules(), Belief.of(Flowers(9, 4, 11, 7, 12, 3))),
    "late": (Rules(), Belief.of(Flowers(3, 2, 0, 1, 4, 1))),
    "tiny": (Rules(), Belief.of(Flowers(1, 0, 2, 0, 0, 1))),
    "empty": (Rules(), Belief.of(Flowers())),
    "no blacks": (Rules(), Belief.of(Flowers(8, 7, 9, 5, 8, 0))),
    "blacks alone": (Rules(), Belief.of(Flowers(black=9))),
    "huge": (Rules(), Belief.of(Flowers(10**12, 3, 10**9, 1, 7 * 10**11, 10**12))),
    "two players": (TWO, Belief.of(TWO.counts, TWO.set_aside)),
    "hidden, late": (TWO, LATE_POOL),
    "returned PP": (TWO, returned("PPP", "PP")),
    "returned PB": (TWO, returned("PPB", "PB")),
    "2, 3, 5 in 5 draws": (limits(2, 3, 5, 5), Belief.of(Flowers(9, 4, 11, 7, 12, 3))),
    "3, 6, 9 in 2 draws": (limits(3, 6, 9, 2), Belief.of(Flowers(3, 2, 2, 1, 4, 1))),
    "4, 4, 6 in 4 draws": (limits(4, 4, 6, 4), Belief.of(Flowers(9, 4, 1, 7, 2, 3))),
    "3, 5, 12 in 1 draw": (limits(3, 5, 12, 1), Belief.of(Flowers(3, 2, 0, 1, 4, 1))),
}


def random_worths(rules, seed, least, most):
    """Worths in 64ths, which doubles hold exactly."""
    rng = random.Random(seed)
    hands = len(universe(rules).hands)
    keep, bust = ([Fraction(rng.randint(64 * least, 64 * most), 64) for _ in range(n)] for n in (hands, SETS))
    return Valuation(tuple(keep), tuple(bust), "points")


def valuations(rules):
    hands = universe(rules).hands
    yield Valuation.kept(rules)
    yield Valuation.failure(rules)
    yield Valuation(tuple(int(sum(hand) == 3) for hand in hands), (0,) * SETS, "chance")
    yield Valuation((7,) * len(hands), (7,) * SETS, "points")  # all options tied
    yield random_worths(rules, 1, -30, 30)
    yield random_worths(rules, 2, -5000, -4000)


class Compiled:
    """A turn solved by the kernel from `hand`, drawn from `belief`."""

    def __init__(self, rules, belief, valuation, hand=(0,) * 6, used=0):
        self.hands, self.rules = arrays.hands(rules), rules
        pools, weights = arrays.pools(belief, hand)
        self.space = arrays.space(rules, len(pools))
        kernel.tables(self.hands, pools, weights, belief.hidden, self.space)
        self.keep = np.array([float(worth) for worth in valuation.keep])
        self.bust = np.array([float(worth) for worth in valuation.bust])
        self.value, self.choice = arrays.plan_arrays(rules)
        self.start, self.left = universe(rules).index[hand], rules.draws - used
        kernel.solve(
            self.hands, self.space, self.keep, self.bust, self.start, self.left, self.value, self.choice
        )

    def outcomes(self, i, left, draw=-1):
        stops, failures = np.zeros(len(self.keep)), np.zeros(SETS)
        kernel.outcomes(self.hands, self.space, self.choice, i, left, draw, stops, failures)
        return stops, failures


def exact(rules, belief, valuation, hand=(0,) * 6, used=0):
    at = Position(belief, rules.counts, Flowers(*hand), used, rules)
    return solve(at, valuation)


def check(rules, belief, valuation, hand=(0,) * 6, used=0):
    """Values and choices of every collection within reach, and those out of reach."""
    turn, fast = exact(rules, belief, valuation, hand, used), Compiled(rules, belief, valuation, hand, used)
    scale = max(1, *(abs(worth) for worth in (*valuation.keep, *valuation.bust)))
    for i, held in enumerate(universe(rules).hands):
        if i in turn._hands:
            for left in range(fast.left + 1):
                best = turn.best(held, left)
                assert fast.choice[i, left] == best.draw, (held, left)
                assert abs(float(best.value) - fast.value[i, left]) <= WITHIN * scale, (held, left)
        elif all(n >= before for n, before in zip(held, hand, strict=True)):
            assert np.isnan(fast.value[i, : fast.left + 1]).all()
            assert (fast.choice[i, : fast.left + 1] == kernel.IMPOSSIBLE).all()
    return turn, fast


@pytest.mark.parametrize(("rules", "belief"), CASES.values(), ids=CASES)
def test_values_and_choices_of_all_hands(rules, belief):
    chosen = [Valuation.kept(rules)] if belief.size == 96 else valuations(rules)  # large fractions are slow
    for valuation in chosen:
        check(rules, belief, valuation)


@pytest.mark.parametrize("name", ["mid", "late", "two players", "returned PP", "2, 3, 5 in 5 draws"])
def test_solving_from_a_hand_reads_only_what_it_can_reach(name):
    rules, belief = CASES[name]
    for hand in ((1, 0, 0, 0, 0, 0), (1, 1, 0, 0, 0, 0), (0, 0, 0, 0, 0, 1)):
        check(rules, belief.draw(Flowers(*hand)), random_worths(rules, 3, -9, 9), hand, used=1)


@pytest.mark.parametrize("name", ["full", "late", "hidden, late", "returned PB", "4, 4, 6 in 4 draws"])
def test_outcomes_are_a_distribution_and_worth_the_value(name):
    rules, belief = CASES[name]
    other = random_worths(rules, 4, -9, 9)
    for valuation in (Valuation.kept(rules), random_worths(rules, 5, -9, 9)):
        turn, fast = exact(rules, belief, valuation), Compiled(rules, belief, valuation)
        for draw in (-1, *range(1, min(rules.flowers, belief.size) + 1)):
            stops, failures = fast.outcomes(0, fast.left, draw)
            wanted = turn.outcomes(first=None if draw < 0 else draw)
            assert stops.sum() + failures.sum() == pytest.approx(1, abs=WITHIN)
            assert failures == pytest.approx([float(p) for p in wanted.failures], abs=WITHIN)
            for i, hand in enumerate(universe(rules).hands):
                assert stops[i] == pytest.approx(float(wanted.stops.get(hand, 0)), abs=WITHIN)
            worth = stops @ fast.keep + failures @ fast.bust
            lane = (fast.left - 1) % kernel.LANES
            value = fast.value[0, fast.left] if draw < 0 else fast.space.options[draw, lane]
            assert worth == pytest.approx(value, abs=9 * WITHIN)
            elsewhere = stops @ np.array(other.keep, float) + failures @ np.array(other.bust, float)
            assert elsewhere == pytest.approx(float(wanted.expect(other)), abs=9 * WITHIN)


def test_outcomes_from_every_hand_with_every_number_of_draws():
    rules, belief = CASES["late"]
    fast = Compiled(rules, belief, random_worths(rules, 6, -9, 9))
    for i in range(len(fast.keep)):
        if fast.choice[i, 0] != kernel.IMPOSSIBLE:
            for left in range(rules.draws + 1):
                stops, failures = fast.outcomes(i, left)
                worth = stops @ fast.keep + failures @ fast.bust
                assert worth == pytest.approx(fast.value[i, left], abs=9 * WITHIN)
    stops, failures = fast.outcomes(7, 2, 0)
    assert stops[7] == 1
    assert not failures.any()


@pytest.mark.parametrize(
    ("rules", "belief"),
    [
        (Rules(), Belief.of(Flowers(2, 1, 0, 2, 1, 1))),
        (TWO, Belief.of(Flowers(2, 1, 1, 1, 0, 1), 2)),
        (limits(2, 4, 5, 2), Belief.of(Flowers(2, 1, 1, 2, 1, 1))),
    ],
    ids=["official", "hidden", "other limits"],
)
def test_small_turns_flower_by_flower(rules, belief):
    """The kernel against the recursion over single flowers, failure worth by its set of colours."""
    valuation = random_worths(rules, 7, -9, 9)
    known = universe(rules)
    bags = {bag: Fraction(weight) for bag, weight in belief.bags()}
    total = sum(bags.values())
    oracle = brute.Turn(
        {bag: weight / total for bag, weight in bags.items()},
        (0,) * 6,
        lambda hand: valuation.keep[known.index[hand]],
        lambda hand: valuation.bust[colours_in(hand)],
        (rules.alike, rules.different, rules.flowers),
    )
    fast = Compiled(rules, belief, valuation)
    best = oracle.value((0,) * 6, rules.draws)
    assert fast.value[0, rules.draws] == pytest.approx(float(best), abs=9 * WITHIN)
    for n in range(1, oracle.most((0,) * 6, rules.draws) + 1):
        option = fast.space.options[n, (rules.draws - 1) % kernel.LANES]
        assert option == pytest.approx(float(oracle.option((0,) * 6, rules.draws, n)), abs=9 * WITHIN)
    for i, hand in enumerate(known.hands):
        if fast.choice[i, 0] != kernel.IMPOSSIBLE and any(hand):
            for left in range(rules.draws):
                assert fast.value[i, left] == pytest.approx(float(oracle.value(hand, left)), abs=9 * WITHIN)


@pytest.mark.parametrize(
    "switch", ["NUMBA_DISABLE_JIT", pytest.param("NUMBA_BOUNDSCHECK", marks=pytest.mark.slow)]
)
def test_the_small_tests_hold_uncompiled_and_with_index_checks(switch):
    tests = [str(Path(__file__).with_name(name)) for name in ("test_kernel_odds.py", "test_kernel_turn.py")]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "test_small", *tests],
        env={**os.environ, switch: "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "4 passed" in run.stdout


def test_the_value_of_the_first_draw_of_a_game():
    fast = Compiled(Rules(), Belief.of(Rules().counts), Valuation.kept(Rules()))
    assert fast.choice[0, 3] == 2
    assert fast.value[0, 3] == pytest.approx(37795307 / 10187344, abs=WITHIN)
    assert fast.space.options[8, 2] == pytest.approx(6258617639 / 2946689252, abs=WITHIN)


def test_spoiled_tables_are_seen():
    """The comparison fails when the bag is off by one flower: a negative control."""
    rules, belief = CASES["mid"]
    fast = Compiled(rules, belief, Valuation.kept(rules))
    other = Compiled(rules, Belief.of(Flowers(9, 4, 11, 7, 12, 4)), Valuation.kept(rules))
    assert abs(fast.value[0, 3] - other.value[0, 3]) > 1e-3
