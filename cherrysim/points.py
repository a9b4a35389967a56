"""The model of policy `points`: the points every seat can expect at the end, from what lies where.

Rulebook: "Final Scoring". The twin of `kernels.points`, which says what the model is; here are its
constants and its tables of expectations over Poisson numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from math import exp, isfinite
from typing import Any

from cherrysim.behind import place_and_points
from cherrysim.coming import kinds_of
from cherrysim.flowers import BLACK, Refused
from cherrysim.front import colour_points
from cherrysim.rules import Rules
from cherrysim.valuing import Tables, View, added_up

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
}
"""What each of the weights may be."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The constants of the model, each optional in a TOML file.

    `risk`: how much a sure point is worth more than an unsure one, r in (1 - exp(-r points)) / r; `fronts`:
    of the flowers still to come the part that goes in front; `black`: points of a black in front; `order`:
    half of what each of the seats that move before one's next turn takes out of the bag. Raises `Refused`
    beyond `BOUNDS`.

    The defaults were found by play, four players, blue cards: of one `points` with another constant among
    three of these the share of victory is .225 with black 1.5, .244 with 4.5, .245 with order 0.8, .252
    with 2.4, .248 with fronts 0.68, .244 with 0.8, .250 with risk -0.02, .242 with 0.02, each +- .0035 or
    less (one standard error; 1,500 bags in all four seats); `cherrysim compare points:FILE.toml points`
    repeats it.

    >>> Weights.of({"risk": 0.1}).risk
    0.1
    """

    risk: float = 0.0
    fronts: float = 0.75
    black: float = 3.0
    order: float = 1.7

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
    fronts = [_expected(points, n, STEP * i) for i in range(MEANS) for n in counts]
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


@dataclass(frozen=True)
class PointsModel:
    """The model, readable; `tables` is the twin of `kernels.points.fill_points`."""

    weights: Weights

    def tables(self, view: View, sizes: int, mixed: bool) -> Tables:
        """The tables of `valuing`; of other seats they are 0."""
        return _Filling(view, self.weights, mixed).tables(sizes)


class _Filling:
    """Fills tables for one view; of `numbers` those in front and those to be ahead apart."""

    def __init__(self, view: View, weights: Weights, mixed: bool) -> None:
        self.view, self.weights, self.mixed = view, weights, mixed
        self.rules = view.rules
        self.length = max(
            max(self.rules.counts.counts[:BLACK]) + self.rules.counts.black + 1, len(self.rules.front_table)
        )
        table = numbers(weights, self.rules)[4:]
        cut = MEANS * self.length
        self.in_front, self.chances = table[:cut], table[cut:]
        self.most = self.rules.alike + mixed
        self.now = kinds_of(view.behinds[view.seat])
        self.others = self._others()

    def tables(self, sizes: int) -> Tables:
        players, weights = self.rules.players, self.weights
        found = Tables([], [], [])
        tokens = sum(self.view.pool)
        for size in range(sizes):
            left = float(max(self.view.bag - size, 0))
            own = left * left / (left + weights.order * (players - 1)) / players if left > 0 else 0.0
            rate = 1.0 / tokens if tokens else 0.0
            other = (left - own) / (players - 1)
            base, front = self._front(own * rate)
            here, behind = self._behind(own * rate, other * rate)
            empty = [[0.0] * (self.rules.alike + 3)] * 6
            found.base.append(self._own(base + here))
            found.front.append([front if s == self.view.seat else empty for s in range(players)])
            found.behind.append({key: self._own(value) for key, value in behind.items()})
            if not self.mixed:
                added_up(found.behind[-1], self.most)
        return found

    def _own(self, value: float) -> list[float]:
        return [value if s == self.view.seat else 0.0 for s in range(self.rules.players)]

    def _front(self, rate: float) -> tuple[float, list[list[float]]]:
        base, found = 0.0, []
        own = self.view.fronts[self.view.seat]
        for c in range(BLACK):
            mean = rate * self.weights.fronts * self.view.pool[c]
            now = _between(self.in_front, min(own[c], self.length - 1), self.length, mean)
            base += now
            steps = [0.0]
            for k in range(-1, self.rules.alike + 2):
                at = min(max(own[c] + k, 0), self.length - 1)
                steps.append(_between(self.in_front, at, self.length, mean) - now)
            found.append(steps[1:])
        found.append([self.weights.black * k for k in range(-1, self.rules.alike + 2)])
        return base + self.weights.black * own[BLACK], found

    def _others(self) -> list[list[float]]:
        """What the others have behind, warm and cool, secrets by what they may be and wilds half and half."""
        view, found = self.view, []
        tokens = float(sum(view.pool))
        for s in range(self.rules.players):
            if s == view.seat:
                continue
            rate = view.secrets[s] / tokens if tokens > 0 else 0.0
            known = [view.behinds[s][c] + rate * view.pool[c] for c in range(6)]
            wilds = 0.5 * known[4] + 0.5 * known[5]
            found.append([known[0] + known[1] + wilds, known[2] + known[3] + wilds])
        return found

    def _behind(self, own: float, other: float) -> tuple[float, dict[tuple[int, int, int], float]]:
        pool, wilds, most = self.view.pool, self.now[2], self.most
        hidden = 1.0 - self.weights.fronts
        points = []
        for group in range(2):
            colours = pool[2 * group] + pool[2 * group + 1] + 0.5 * (pool[4] + pool[5])
            means = own * hidden * colours, other * hidden * colours
            counts = range(self.now[group], self.now[group] + most + wilds + 1)
            points.append([self._group(group, n, means) for n in counts])
        here = _split(points, 0, 0, wilds)
        found = {}
        for w in range(most + 1):
            for c in range(most + 1 - w):
                for x in range(most + 1 - w - c):
                    if self.mixed or (w > 0) + (c > 0) + (x > 0) <= 1:
                        found[w, c, x] = _split(points, w, c, wilds + x) - here
        return here, found

    def _group(self, group: int, n: int, means: tuple[float, float]) -> float:
        """Expected points of a group with n flowers there."""
        spread, drift = 0.5 * (means[0] + means[1]), means[0] - means[1]
        chances = {(0, 0): 1.0}
        for other in self.others:
            more, equal = self._ahead(n + drift - other[group], spread)
            new: dict[tuple[int, int], float] = {}
            for (above, level), chance in chances.items():
                for key, p in (
                    ((above, level), more),
                    ((above + 1, level), 1.0 - more - equal),
                    ((above, level + 1), equal),
                ):
                    new[key] = new.get(key, 0.0) + chance * p
            chances = new
        value = sum(p * place_points(self.rules, group, *key) for key, p in chances.items())
        if n == 0 and self.rules.empty_group == "nothing":
            value *= 1.0 - exp(-means[0])
        return value

    def _ahead(self, apart: float, mean: float) -> tuple[float, float]:
        level = min(max(apart, -float(APART)), APART - 0.001) + APART
        i = int(level)
        part, width = level - i, 2 * (2 * APART + 1)
        found = []
        for entry in (2 * i, 2 * i + 1):
            here = _between(self.chances, entry, width, mean)
            there = _between(self.chances, entry + 2, width, mean)
            found.append(here + part * (there - here))
        return found[0], found[1]


def place_points(rules: Rules, group: int, above: int, equal: int) -> int:
    """Points of the warm (0) or cool (1) group for a seat with flowers there below `above` and level with
    `equal` others."""
    higher = range(2, 2 + above) if rules.ties == "dense" else [2] * above
    return place_and_points(1, [*higher, *[1] * equal], (rules.warm, rules.cool)[group], rules)[1]


def _split(points: list[list[float]], warm: int, cool: int, wilds: int) -> float:
    """The most expected points of both groups over the ways to split the wilds."""
    return max(points[0][warm + i] + points[1][cool + wilds - i] for i in range(wilds + 1))


def _between(table: Sequence[float], entry: int, width: int, mean: float) -> float:
    """An entry by the mean, on a straight line between the two nearest."""
    at = min(mean * 4.0, MEANS - 1.001)
    i = int(at)
    here, there = table[entry + i * width], table[entry + (i + 1) * width]
    return here + (at - i) * (there - here)
