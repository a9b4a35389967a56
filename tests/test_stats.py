"""Intervals that are right at 0, at n and in between."""

import random
from math import comb, sqrt

import pytest

from cherrysim.flowers import Refused
from cherrysim.stats import Estimate, Sums, always_valid, proportion, quantile, wilson


@pytest.mark.parametrize("n", [1, 5, 100, 10**9])
def test_wilson_at_the_ends_is_never_empty_and_never_outside(n):
    assert wilson(0, n)[0] == 0
    assert 0 < wilson(0, n)[1] < 1
    assert wilson(n, n)[1] == 1
    assert 0 < wilson(n, n)[0] < 1
    assert proportion(0, n).standard_error > 0


def coverage(interval, n, p):
    """The exact chance that the interval holds p."""
    inside = (k for k in range(n + 1) if interval(k, n)[0] <= p <= interval(k, n)[1])
    return sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in inside)


def wald(k, n):
    return Estimate(k / n, (k / n * (1 - k / n) / n) ** 0.5, n).interval()


def test_wilson_covers_on_average_and_the_naive_interval_does_not():
    places = [(i + 0.5) / 100 for i in range(100)]
    mean = sum(coverage(wilson, 40, p) for p in places) / 100
    assert 0.945 <= mean <= 0.96
    assert min(coverage(wilson, 40, p) for p in places) > 0.83
    assert coverage(wald, 40, 0.005) < 0.3


def test_exact_numbers_say_so():
    exact = Estimate(0.25, unit="chance")
    assert exact.exact
    assert str(exact) == "0.25 chance (exact)"
    assert exact.interval() == (0.25, 0.25)
    assert exact.to_json() == {"mean": 0.25, "standard_error": 0.0}
    assert not proportion(1, 4).exact


def test_the_quantile_of_ninety_five_percent():
    assert quantile(0.95) == pytest.approx(1.959963985, abs=1e-9)


def looked_away(interval, rng, looks):
    """Whether an interval misses the true mean 0 at any of many looks at one growing sample of coin flips."""
    sums = Sums()
    for n in looks:
        steps = [rng.choice((-1, 1)) for _ in range(n - sums.n)]
        sums += Sums(len(steps), sum(steps), len(steps))
        low, high = interval(sums.estimate())
        if not low <= 0 <= high:
            return True
    return False


def test_always_valid_intervals_survive_looking_and_fixed_ones_do_not():
    rng, looks, runs = random.Random(11), [64 * 2**k // 2 for k in range(2, 8)], 1000
    allowed = 0.05 + 3 * sqrt(0.05 * 0.95 / runs)
    missed = sum(looked_away(lambda e: always_valid(e, tuned=2000), rng, looks) for _ in range(runs)) / runs
    fixed = sum(looked_away(Estimate.interval, rng, looks) for _ in range(runs)) / runs
    assert missed <= allowed
    assert fixed > allowed


def test_always_valid_intervals_are_at_most_1_7_times_as_wide_near_their_best():
    for n in (4_000, 10_000, 100_000):
        reach = always_valid(Estimate(0.0, 1.0, n), tuned=10_000)[1]
        assert reach <= 1.7 * quantile(0.95)


def test_sums_add_up_in_any_order_and_equal_the_plain_formulas():
    values = [3, -1, 4, 1, -5, 9, 2, 6]
    parts = [Sums(1, v, v * v) for v in values]
    together = sum(parts, Sums())
    assert together == sum(reversed(parts), Sums())
    mean = sum(values) / 8
    variance = sum((v - mean) ** 2 for v in values) / 7
    assert together.estimate().value == mean
    assert together.estimate().standard_error == pytest.approx(sqrt(variance / 8))
    assert together.estimate(scale=10).standard_error == pytest.approx(sqrt(variance / 8) / 10)


def test_equal_outcomes_keep_an_error_and_none_are_refused():
    assert Sums(100, 100, 100).estimate().standard_error > 0
    with pytest.raises(Refused, match="no observation"):
        Sums().estimate()
