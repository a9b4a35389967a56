"""Intervals that are right at 0, at n and in between."""

from math import comb

import pytest

from cherrysim.stats import Estimate, proportion, quantile, wilson


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
