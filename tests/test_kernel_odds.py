"""The compiled exact odds against the truth floor, on all hands of several bags and limits."""

from fractions import Fraction

import brute
import numpy as np
import pytest

from cherrysim import arrays
from cherrysim.belief import Belief
from cherrysim.chances import failure_chances
from cherrysim.flowers import Flowers
from cherrysim.hands import universe
from cherrysim.kernels import odds
from cherrysim.rules import Rules

WITHIN = 1e-15
BAGS = {
    "full": (18, 18, 18, 18, 18, 6),
    "three players": (15, 15, 15, 15, 15, 5),
    "mid": (9, 4, 11, 7, 12, 3),
    "late": (3, 2, 0, 1, 4, 1),
    "tiny": (1, 0, 2, 0, 0, 1),
    "empty": (0, 0, 0, 0, 0, 0),
    "no blacks": (8, 7, 9, 5, 8, 0),
    "blacks alone": (0, 0, 0, 0, 0, 9),
    "one of each": (1, 1, 1, 1, 1, 1),
    "large": (999_999_999_989, 3, 10**9, 1, 77_777_777_777, 10**12),
    "huge": (10**12,) * 6,
}
LIMITS = [(2, 3, 5), (3, 3, 8), (3, 4, 8), (3, 5, 4), (3, 5, 12), (3, 6, 9), (4, 5, 6), (5, 4, 5), (2, 6, 12)]


def compiled(belief, hand, rules):
    """The kernel's chances as a list, after the checks that hold for every answer."""
    rows, out = arrays.odds_arrays()
    pools, weights = arrays.pools(belief)
    held, limits = np.array(hand), arrays.limits(rules)
    if belief.known:
        most = odds.failure_chances(pools[0], held, limits, rows, out)
    else:
        most = odds.belief_failure_chances(pools, weights, belief.hidden, held, limits, rows, out)
    assert np.isnan(out[most + 1 :]).all()
    return [float(chance) for chance in out[: most + 1]]


def check(belief, hand, rules):
    found = compiled(belief, hand, rules)
    assert len(found) == 1 + min(rules.flowers - sum(hand), belief.size)
    wanted = failure_chances(belief, hand, rules, len(found) - 1)
    for k, (chance, exact) in enumerate(zip(found, wanted, strict=True)):
        assert abs(Fraction(chance) - exact) <= WITHIN, (hand, k, chance, exact)


def check_all(bag, rules):
    """Every safe collection the bag can give, each with the rest of the bag."""
    for hand in universe(rules).hands:
        if all(n <= most for n, most in zip(hand, bag, strict=True)):
            check(Belief.of(Flowers(*bag) - Flowers(*hand)), hand, rules)


@pytest.mark.parametrize("bag", BAGS.values(), ids=BAGS)
def test_all_hands_under_the_official_limits(bag):
    check_all(bag, Rules())


@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_all_hands_under_other_limits(limits):
    alike, different, flowers = limits
    rules = Rules(alike=alike, different=different, flowers=flowers)
    for bag in ("mid", "late", "large") if len(universe(rules).hands) < 500 else ("late",):
        check_all(BAGS[bag], rules)


def test_the_general_way_counts_the_official_ways():
    rows, general = arrays.odds_arrays()
    _, written_out = arrays.odds_arrays()
    limits = arrays.limits(Rules())
    for hand in universe(Rules()).hands:
        pool = np.array(BAGS["full"]) - hand
        odds._official_ways(pool, np.array(hand), written_out)
        odds._ways(pool, np.array(hand), limits, 8, rows, general)
        assert general[: 9 - sum(hand)].tolist() == written_out[: 9 - sum(hand)].tolist(), hand


def test_beliefs():
    two = Rules.official(2)
    pool = Belief.of(two.counts, two.set_aside)
    late = Belief.of(Flowers.parse("P4 Y2 L2 D1 W1 B1"), 3)
    after = late.draw(Flowers.parse("PPB")).put_back(Flowers.parse("PB"))
    few = Belief.of(Flowers.parse("P2 Y1 L1 W1 B1"), 2)
    for belief in (pool, late, after, few):
        for hand in universe(two).hands:
            drawn = Flowers(*hand)
            if drawn.total <= belief.size and any(drawn in Flowers(*held) for held, _ in belief.pools):
                check(belief.draw(drawn), hand, two)


def test_small_bags_against_flower_by_flower():
    for bag, hand in (((2, 1, 1, 0, 3, 1), (1, 1, 0, 0, 0, 0)), ((1, 1, 1, 1, 1, 2), (0,) * 6)):
        found = compiled(Belief.of(Flowers(*bag)), hand, Rules())
        for k in range(1, min(len(found), 5)):
            start = brute.Turn({bag: Fraction(1)}, hand, lambda _: Fraction(0), lambda _: Fraction(1))
            fail = sum(p for grown, p in grow(start, hand, k).items() if brute.failed(grown))
            assert abs(Fraction(found[k]) - fail) <= WITHIN


def grow(turn, hand, k):
    """Every collection after `k` more flowers with its probability, one flower at a time."""
    reached = {hand: Fraction(1)}
    for _ in range(k):
        onward = {}
        for held, chance in reached.items():
            for colour, p in turn._next(held):
                larger = tuple(n + (c == colour) for c, n in enumerate(held))
                onward[larger] = onward.get(larger, 0) + chance * p
        reached = onward
    return reached


def test_failed_collections_have_failed():
    for letters in ("PPP", "PPB", "PYLDW", "PYLDB", "BBB"):
        hand = Flowers.parse(letters).counts
        for rules in (Rules(), Rules(alike=3, different=4)):
            assert set(compiled(Belief.of(Flowers(5, 5, 5, 5, 5, 2)), hand, rules)) == {1.0}


def test_published_figures():
    full = compiled(Belief.of(Rules().counts), (0,) * 6, Rules())
    assert full[4] == pytest.approx(24197 / 110732, abs=WITHIN)
    three = Rules.official(3)
    assert compiled(Belief.of(three.counts), (0,) * 6, three)[4] == pytest.approx(68141 / 316316, abs=WITHIN)
