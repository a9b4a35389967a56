"""The model of policy `points`: the points every seat can expect at the end, from what lies where.

Rulebook: "Final Scoring". The twin of `kernels.points`, which says what the model is; here are its constants and its
tables of expectations over Poisson numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import exp

from cherrysim.flowers import BLACK
from cherrysim.front import colour_points
from cherrysim.rules import Rules

MEANS = 41
STEP = 0.25
"""Poisson means of the tables: 0, 1/4, ... 10."""
APART = 16
"""Differences of two counts are kept within -16 .. 16."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The constants of the model.

    `fronts`: of the flowers still to come the part that goes in front; `black`: points of a black in front; `order`:
    flowers the seats that move before one's next turn take each, times one half; `steer`: of a colour not in front
    the part of those to come that are put there after all.
    """

    fronts: float = 0.75
    black: float = 3.0
    order: float = 1.7
    steer: float = 0.7


@lru_cache(maxsize=32)
def numbers(weights: Weights, rules: Rules, risk: float = 0.0) -> tuple[float, ...]:
    """What the kernel reads: taste for risk, constants, expected points in front, chances to be ahead."""
    most = max(rules.counts.counts[:BLACK]) + rules.counts.black
    counts = range(max(most, len(rules.front_table) - 1) + 1)
    points = [float(colour_points(n, rules)) for n in counts]
    fronts = [
        _expected(points, n, STEP * i * (weights.steer if n == 0 else 1.0))
        for i in range(MEANS)
        for n in counts
    ]
    chances = [p for i in range(MEANS) for p in _ahead(STEP * i)]
    return (risk, weights.fronts, weights.black, weights.order, 0.0, *fronts, *chances)


def _poisson(mean: float) -> list[float]:
    """The chances of 0, 1, ... as far as they matter."""
    chances = [exp(-mean)]
    while len(chances) <= mean or chances[-1] > 1e-15:
        chances.append(chances[-1] * mean / len(chances))
    return chances


def _expected(points: list[float], n: int, mean: float) -> float:
    """Points of n and a Poisson number more, flat beyond the table."""
    return sum(p * points[min(n + k, len(points) - 1)] for k, p in enumerate(_poisson(mean)))


def _ahead(mean: float) -> list[float]:
    """For d = -16 .. 16 the chances that d + X - Y is above 0 and is 0, X and Y Poisson with this mean."""
    coming = _poisson(mean)
    apart: dict[int, float] = {}
    for i, p in enumerate(coming):
        for j, q in enumerate(coming):
            apart[i - j] = apart.get(i - j, 0.0) + p * q
    found = []
    for d in range(-APART, APART + 1):
        found += [sum(p for k, p in apart.items() if d + k > 0), apart.get(-d, 0.0)]
    return found
