"""The model of policy `points`: the points every seat can expect at the end, from what lies where.

Rulebook: "Final Scoring". The twin of `kernels.points`, which says what the model is; here are its
constants and its tables of expectations over Poisson numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from math import exp, isfinite
from typing import Any

from cherrysim.flowers import BLACK, Refused
from cherrysim.front import colour_points
from cherrysim.rules import Rules

MEANS = 41
STEP = 0.25
"""Poisson means of the tables: 0, 1/4, ... 10."""
APART = 16
"""Differences of two counts are kept within -16 .. 16."""

BOUNDS = {
    "risk": (-1.0, 1.0),
    "fronts": (0.0, 1.0),
    "black": (-20.0, 20.0),
    "order": (0.0, 20.0),
    "steer": (0.0, 1.0),
}
"""What each of the weights may be."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The constants of the model, each optional in a TOML file.

    `risk`: how much a sure point is worth more than an unsure one, r in (1 - exp(-r points)) / r; `fronts`:
    of the flowers still to come the part that goes in front; `black`: points of a black in front; `order`:
    half of what each of the seats that move before one's next turn takes out of the bag; `steer`: of a
    colour not yet in front the part of those to come that are put there after all. Raises `Refused` beyond
    `BOUNDS`.

    >>> Weights.of({"risk": 0.1}).risk
    0.1
    """

    risk: float = 0.0
    fronts: float = 0.75
    black: float = 3.0
    order: float = 1.7
    steer: float = 0.7

    def __post_init__(self) -> None:
        for name, (least, most) in BOUNDS.items():
            value = getattr(self, name)
            if type(value) not in (int, float) or not isfinite(value) or not least <= value <= most:
                raise Refused(
                    f"{name} is {value!r}; it is a number from {least:g} to {most:g}; choose one in between"
                )

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Weights:
        """Weights from the keys of a file."""
        known = [field.name for field in fields(cls)]
        for key in values:
            if key not in known:
                raise Refused(
                    f"unknown weight {key[:40]!a}; the weights are {', '.join(known)}; correct the name"
                )
        return cls(**values)


@lru_cache(maxsize=32)
def numbers(weights: Weights, rules: Rules) -> tuple[float, ...]:
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
    return (*(weights.risk, weights.fronts, weights.black, weights.order), *fronts, *chances)


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
