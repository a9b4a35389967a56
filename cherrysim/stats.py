"""Numbers that carry their error: estimates and intervals.

An exact number has standard error 0 and n 0. Intervals of a proportion are Wilson's (E. B. Wilson, 1927),
which keep their meaning at 0 and at n successes; others are value +- quantile x standard error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Any

from cherrysim.flowers import Refused

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its standard error, the number n of observations behind it and its unit; exact if n is 0.

    >>> str(Estimate(3.71, unit="flowers")), str(Estimate(0.2185, 0.0004, 1_000_000))
    ('3.71 flowers (exact)', '0.2185 +- 0.0008')
    """

    value: float
    standard_error: float = 0.0
    n: int = 0
    unit: str = ""

    @property
    def exact(self) -> bool:
        """Whether the number has no error."""
        return self.n == 0

    def interval(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """The normal interval; the number itself twice where it is exact."""
        reach = quantile(confidence) * self.standard_error
        return (self.value - reach, self.value + reach)

    def to_json(self) -> dict[str, float]:
        """The value and its standard error."""
        return {"mean": self.value, "standard_error": self.standard_error}

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        if self.exact:
            return f"{self.value:.7g}{unit} (exact)"
        low, high = self.interval()
        return f"{self.value:.4f} +- {(high - low) / 2:.4f}{unit}"


@dataclass(frozen=True, slots=True)
class Stated:
    """A number as it is told: with all of its error and its 95 % interval, None where they are not known;
    `kind` is `exact`, `fixed`, `always_valid` or `unknown`."""

    mean: float
    standard_error: float | None = None
    interval: tuple[float, float] | None = None
    kind: str = "unknown"

    @classmethod
    def exact(cls, number: float) -> Stated:
        """A number without error.

        >>> Stated.exact(0.5).reach
        0.0
        """
        return cls(number, 0.0, (number, number), "exact")

    @property
    def reach(self) -> float | None:
        """Half of the interval."""
        return None if self.interval is None else (self.interval[1] - self.interval[0]) / 2

    @property
    def below_zero(self) -> bool:
        """Whether the whole interval is below 0."""
        return self.interval is not None and self.interval[1] < 0

    def to_json(self) -> dict[str, Any]:
        """As answers about a table hold it."""
        return {
            "mean": self.mean,
            "standard_error": self.standard_error,
            "interval": self.interval and list(self.interval),
            "interval_kind": self.kind,
        }


def quantile(confidence: float) -> float:
    """How many standard errors a two-sided normal interval of this confidence reaches: 1.96 for 0.95."""
    from statistics import NormalDist

    return NormalDist().inv_cdf((1 + confidence) / 2)


def student(estimate: Estimate, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Student's interval of a mean of n observations, whose spread they told themselves.

    The quantile is expanded in 1 / (n - 1) (Fisher and Cornish, 1960): right within 2e-3 from 6 observations
    on, and a hundredth short at 4.

    >>> low, high = student(Estimate(0.0, 1.0, 16))
    >>> round(high, 4)
    2.1314
    """
    z, degrees = quantile(confidence), max(1, estimate.n - 1)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    wide = z + sum(term / degrees**power for power, term in enumerate(terms, 1))
    reach = estimate.standard_error * wide
    return (estimate.value - reach, estimate.value + reach)


def wilson(successes: float, n: float, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Wilson's interval of a proportion from `successes` out of `n` > 0; inside 0..1, never empty.

    >>> [round(end, 4) for end in wilson(0, 100)], [round(end, 4) for end in wilson(21852, 100_000)]
    ([0.0, 0.037], [0.216, 0.2211])
    """
    z = quantile(confidence)
    share, spread = successes / n, z * z / n
    middle = (share + spread / 2) / (1 + spread)
    reach = z / (1 + spread) * sqrt(share * (1 - share) / n + spread / (4 * n))
    low = 0.0 if successes == 0 else middle - reach
    high = 1.0 if successes == n else middle + reach
    return (max(0.0, low), min(1.0, high))


def mean(values: Sequence[float]) -> Estimate:
    """The mean of some numbers with its standard error; 0 of none."""
    n = len(values)
    if not n:
        return Estimate(0.0)
    middle = sum(values) / n
    spread = sum((value - middle) ** 2 for value in values)
    return Estimate(middle, sqrt(spread / (n - 1) / n) if n > 1 else 0.0, n)


def of_shares(mean: Estimate, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The interval of a mean of shares from 0 to 1: Wilson's, of as many yes-or-no games as its error is
    worth, so that it has a width where all shares are 0.

    >>> [round(end, 4) for end in of_shares(Estimate(0.0, 0.0, 800), 0.99)]
    [0.0, 0.0082]
    """
    spread = mean.value * (1 - mean.value)
    n = spread / mean.standard_error**2 if mean.standard_error else mean.n
    return wilson(n * mean.value, n, confidence)


def proportion(successes: int, n: int, unit: str = "") -> Estimate:
    """The share of successes with its standard error; at 0 and n that of (successes + 1) / (n + 2)."""
    share = successes / n
    guarded = share if 0 < successes < n else (successes + 1) / (n + 2)
    return Estimate(share, sqrt(guarded * (1 - guarded) / n), n, unit)


def rate(counts: Sequence[int], per: Sequence[int], n: int, unit: str = "") -> Estimate:
    """The ratio of two sums of whole numbers over n observations, its error by the delta method.

    `counts` are the sums of x, x^2 and x y, `per` begins with those of y and y^2; 0 where y is never above 0.

    >>> rate((6, 14, 28), (12, 56), 3)  # x = 1, 2, 3 of y = 2, 4, 6
    Estimate(value=0.5, standard_error=0.0, n=3, unit='')
    """
    total, squares, crossed = counts
    if not per[0]:
        return Estimate(0.0, 0.0, n, unit)
    found = total / per[0]
    spread = squares - 2 * found * crossed + found * found * per[1]
    error = sqrt(max(spread, 0.0) * n / (n - 1)) / per[0] if n > 1 else 0.0
    return Estimate(found, error, n, unit)


def always_valid(estimate: Estimate, tuned: float, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """An interval that stays right however often, and whenever, one looks at a growing sample.

    The asymptotic confidence sequence with Robbins' normal mixture (Waudby-Smith, Arbour, Sinha, Kennedy,
    Ramdas: "Time-uniform central limit theory and asymptotic confidence sequences", Annals of Statistics,
    2024): with a = 1 - confidence, n observations and a mixture width r,

        mean +- sd sqrt(2 (n r^2 + 1) / (n^2 r^2) log(sqrt(n r^2 + 1) / a)).

    `tuned` is the number of observations at which it is narrowest; it must not depend on the data.

    >>> low, high = always_valid(Estimate(0.0, 1 / 100, 10_000), tuned=10_000)
    >>> round(high * 100, 2)
    3.04
    """
    miss, n = 1 - confidence, estimate.n
    grown = n * (-2 * log(miss) + log(-2 * log(miss) + 1)) / tuned
    reach = estimate.standard_error * sqrt(2 * (grown + 1) / grown * log(sqrt(grown + 1) / miss))
    return (estimate.value - reach, estimate.value + reach)


@dataclass(frozen=True, slots=True)
class Sums:
    """Count, sum and sum of squares of whole-number observations: blocks add up the same in any order."""

    n: int = 0
    total: int = 0
    squares: int = 0

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.n + other.n, self.total + other.total, self.squares + other.squares)

    def estimate(self, scale: int = 1, unit: str = "") -> Estimate:
        """The mean of the observations divided by `scale`, with its standard error; `Refused` without any.

        Where all n are equal, the error is what one more observation, a whole unit away, would show: never 0.
        """
        if not self.n:
            raise Refused("no observation yet; a mean needs one; let it run longer")
        mean = self.total / self.n
        spread = self.n * self.squares - self.total**2
        if not spread:
            return Estimate(mean / scale, 1 / (self.n + 1), self.n, unit)
        return Estimate(
            mean / scale, sqrt(spread / self.n / max(1, self.n - 1) / self.n) / scale, self.n, unit
        )
