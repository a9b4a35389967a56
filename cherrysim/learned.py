"""The model of policy `learned`, readable: what it sees at a table, and every seat's share and final score.

The twin of `kernels.learned`, which says what the model is. After a display, with z[s] the sum of the weights
of what is seen of seat s, its share of the victory is exp(z[s]) / sum of exp(z) over all seats; the second
table's weights of the same features add up to its expected final score, in points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp

from cherrysim import weights
from cherrysim.coming import kinds_of
from cherrysim.flowers import BLACK, COLOURS
from cherrysim.rules import Rules
from cherrysim.valuing import Counts, Tables, View, added_up

LEVELS = 11
RICH = 9
BLACKS, WILDS, COUNTS, APART = 7, 8, 16, 16
MOST_PLAYERS = 4
FRONT_AT = 0
SUPPLY_AT = FRONT_AT + 3 * LEVELS
BLACK_AT = SUPPLY_AT + LEVELS * RICH
WILD_AT = BLACK_AT + BLACKS
COUNT_AT = WILD_AT + 4 * WILDS
APART_AT = COUNT_AT + 2 * COUNTS
PLACE_AT = APART_AT + 2 * (MOST_PLAYERS - 1) * (2 * APART + 1)
ORDER_AT = PLACE_AT + 2 * MOST_PLAYERS * MOST_PLAYERS
NOTHING = ORDER_AT + MOST_PLAYERS
FEATURES = NOTHING + 1
"""The numbers of the features, as in `kernels.learned`."""

Screens = Sequence[tuple[int, int, int]]
"""Warm, cool and wild flowers behind every screen, as one seat sees them."""


def seen(view: View, seat: int) -> list[int]:
    """The features of a seat after a display of the viewer.

    >>> from cherrysim.table import Table
    >>> view = View.of(Table.start(Rules()))
    >>> len(seen(view, 0)), seen(view, 0)[-1] - seen(view, 1)[-1]
    (23, 3)
    """
    found = []
    for colour, n in enumerate(view.fronts[seat]):
        found += _in_front(view.pool, colour, n)
    return [*found, *_behind(screens_of(view), seat), _order(view, seat)]


def screens_of(view: View) -> Screens:
    """What is behind every screen; flowers nobody else has seen count as wild."""
    found = []
    for flowers, hidden in zip(view.behinds, view.secrets, strict=True):
        warm, cool, wild = kinds_of(flowers)
        found.append((warm, cool, wild + hidden))
    return found


def shares(z: Sequence[float]) -> list[float]:
    """Every seat's share of the victory.

    >>> shares([0.0, 0.0])
    [0.5, 0.5]
    """
    return [share(z, seat) for seat in range(len(z))]


def share(z: Sequence[float], seat: int) -> float:
    """A seat's share of the victory."""
    return 1.0 / (1.0 + sum(exp(other - z[seat]) for s, other in enumerate(z) if s != seat))


STAGE, STAGES = 16, 6
GRID = (0.0, 0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95, 1.0)


def calibrated(predicted: Sequence[float], left: int, rules: Rules) -> list[float]:
    """What predicted shares of all seats have come to in games, with so many flowers left.

    >>> equal = calibrated([0.25] * 4, 40, Rules())
    >>> [round(value, 12) for value in equal]
    [0.25, 0.25, 0.25, 0.25]
    """
    fit = weights.shipped(rules).fit
    place = min(max((left - 0.5 * (STAGE - 1)) / STAGE, 0.0), STAGES - 1.0)
    low = min(int(place), STAGES - 2)
    found = []
    for value in predicted:
        at = max(i for i, point in enumerate(GRID[:-1]) if point <= value or not i)
        part = (value - GRID[at]) / (GRID[at + 1] - GRID[at])
        ends = [float(fit[row, at] + part * (fit[row, at + 1] - fit[row, at])) for row in (low, low + 1)]
        found.append(ends[0] + (place - low) * (ends[1] - ends[0]))
    return [value / sum(found) for value in found]


@lru_cache(maxsize=16)
def rows(rules: Rules, of: str) -> list[list[float]]:
    """The weights of `shares` or `scores` for 0, 1, ... flowers left, a row each; of fuller bags the last."""
    table = getattr(weights.shipped(rules), of)
    knot, part = weights.places()
    found: list[list[float]] = (table[knot] + part[:, None] * (table[knot + 1] - table[knot])).tolist()
    return found


@dataclass(frozen=True)
class LearnedModel:
    """The model with the weights of the package; `tables` is the twin of `kernels.learned.fill_learned`.

    With `scores` the rows after those of the seats' z are their expected final scores.
    """

    scores: bool = False

    def tables(self, view: View, sizes: int, mixed: bool) -> Tables:
        """The tables of `valuing`."""
        filling = _Filling(view, mixed)
        found = filling.tables(rows(view.rules, "shares"), sizes)
        if self.scores:
            found = _beside(found, filling.tables(rows(view.rules, "scores"), sizes))
        return found


class _Filling:
    """Fills tables for one view: what is seen is listed once, then weighed for every size."""

    def __init__(self, view: View, mixed: bool) -> None:
        self.view, self.mixed = view, mixed
        self.most = view.rules.alike + mixed
        seats = range(view.rules.players)
        self.base = [seen(view, s) for s in seats]
        self.fronts = [[self._front(s, c) for c in range(len(COLOURS))] for s in seats]
        self.behind = self._behind()

    def tables(self, weights: list[list[float]], sizes: int) -> Tables:
        found = Tables([], [], [])
        for size in range(sizes):
            row = weights[min(max(self.view.bag - size, 0), len(weights) - 1)]
            found.base.append([_sum(row, features) for features in self.base])
            found.front.append([[_changes(row, *steps) for steps in fronts] for fronts in self.fronts])
            now = [_sum(row, features) for features in self.behind[0, 0, 0]]
            found.behind.append(
                {
                    key: [_sum(row, features) - z for features, z in zip(screens, now, strict=True)]
                    for key, screens in self.behind.items()
                }
            )
            if not self.mixed:
                added_up(found.behind[-1], self.most)
        return found

    def _front(self, seat: int, colour: int) -> tuple[int, list[list[int]]]:
        """The features of -1, 0, 1, ... flowers more of a colour in front, and where those of 0 stand."""
        n = self.view.fronts[seat][colour]
        now = min(n, 1)
        steps = range(-now, self.view.rules.alike + 2)
        return now, [_in_front(self.view.pool, colour, n + k) for k in steps]

    def _behind(self) -> dict[tuple[int, int, int], list[list[int]]]:
        """Every seat's features of all screens for flowers more behind the viewer's."""
        screens, own = list(screens_of(self.view)), self.view.seat
        warm, cool, wild = screens[own]
        found = {}
        for w in range(self.most + 1):
            for c in range(self.most + 1 - w):
                for x in range(self.most + 1 - w - c):
                    if self.mixed or (w > 0) + (c > 0) + (x > 0) <= 1:
                        screens[own] = (warm + w, cool + c, wild + x)
                        found[w, c, x] = [_behind(screens, s) for s in range(len(screens))]
        return found


def _changes(row: list[float], now: int, steps: list[list[int]]) -> list[float]:
    """The change of z for -1, 0, 1, ... flowers more of a colour in front; 0 where none can be less."""
    values = [_sum(row, features) for features in steps]
    return [0.0] * (1 - now) + [value - values[now] for value in values]


def _sum(row: Sequence[float], features: Sequence[int]) -> float:
    return sum([row[f] for f in features])


def _beside(one: Tables, other: Tables) -> Tables:
    """Two tables as one, the rows of the second after those of the first."""
    return Tables(
        [a + b for a, b in zip(one.base, other.base, strict=True)],
        [a + b for a, b in zip(one.front, other.front, strict=True)],
        [{key: a[key] + b[key] for key in a} for a, b in zip(one.behind, other.behind, strict=True)],
    )


def _in_front(pool: Counts, colour: int, n: int) -> list[int]:
    """The features of n flowers of a colour in front."""
    if colour == BLACK:
        return [BLACK_AT + min(n, BLACKS - 1)]
    level = min(n, LEVELS - 1)
    return [FRONT_AT + colour // 2 * LEVELS + level, SUPPLY_AT + level * RICH + _richness(pool, colour)]


def _richness(pool: Counts, colour: int) -> int:
    """How rich the pool is in a colour, in quarters of what a full bag has."""
    tokens = sum(pool)
    return min(64 * pool[colour] // (3 * tokens), RICH - 1) if tokens else 0


def _behind(screens: Screens, seat: int) -> list[int]:
    """The features of what a seat has behind: on its own, then each group against the others."""
    warm, cool, wild = screens[seat]
    groups = 2 * (warm > 0) + (cool > 0)
    own = [
        WILD_AT + groups * WILDS + min(wild, WILDS - 1),
        COUNT_AT + min(warm, COUNTS - 1),
        COUNT_AT + COUNTS + min(cool, COUNTS - 1),
    ]
    return [*own, *_against(screens, seat, 0), *_against(screens, seat, 1)]


def _against(screens: Screens, seat: int, group: int) -> list[int]:
    """The features of a group: the place held, then how far ahead of the strongest, ... rival; a wild counts
    half."""
    counts = [2 * screen[group] + screen[2] for screen in screens]
    leads = sorted(counts[seat] - n for s, n in enumerate(counts) if s != seat)
    above, equal = sum(lead < 0 for lead in leads), leads.count(0)
    found = [PLACE_AT + (group * MOST_PLAYERS + above) * MOST_PLAYERS + equal]
    for rank, lead in enumerate(leads):
        middle = APART_AT + (group * (MOST_PLAYERS - 1) + rank) * (2 * APART + 1) + APART
        found.append(middle + min(max(lead, -APART), APART))
    return found


def _order(view: View, seat: int) -> int:
    """The feature of how many seats move before this one's next turn."""
    return ORDER_AT + (seat - view.seat - 1) % view.rules.players
