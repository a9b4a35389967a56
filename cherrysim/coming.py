"""How a game ends, and what a table is worth with one or two flowers left, worked out to the end.

The readable twin of `kernels.coming` and `kernels.ending`. Rulebook: "Turn Overview", "Final Scoring";
rulings R22, R23, R26. Whoever is next must draw one flower, which never fails and matches no card; it is laid
in front or hidden, whichever is better for its player, and the game ends. With two left, drawing one and then
perhaps the other leaves every choice that drawing both has. Better is the larger share, of equal ones the
larger margin: the own expected score less the best rival's.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from cherrysim.behind import Groups, Mixture, last_replies, mixtures
from cherrysim.flowers import COLOURS, Flowers
from cherrysim.rules import Rules
from cherrysim.scoring import front_points, group_points

CLEAR = 1e-9
"""Of choices no further apart than this the first is taken."""
FEW = 2
"""With so few flowers left a table is worked out."""

Hopes = list[float]
"""The share of the victory of every seat, then its expected final score."""
Outcomes = tuple[tuple[tuple[int, ...], float], ...]
"""What all seats' group points may come to, with the chances."""


def worked_out(left: int, rules: Rules) -> bool:
    """Whether so few flowers are left; sets of rules in which two flowers fail, or only one draw is allowed,
    are left to the model."""
    return 0 < left <= FEW and rules.alike > 2 and rules.draws > 1 and rules.flowers > 1


Counted = tuple[int, ...]
"""Flowers as counts, of six colours or of warm, cool and wild ones."""


def scored(
    fronts: Sequence[Counted], behinds: Sequence[Sequence[int]], rules: Rules, settled: bool = False
) -> Hopes:
    """What the seats get of a game that ends so; `settled`: wilds are split as the last replies do."""
    points = [_in_front(front, rules) for front in fronts]
    return _hopes(points, _group_points(tuple(map(kinds_of, behinds)), rules, settled))


def kinds_of(counts: Sequence[int]) -> tuple[int, int, int]:
    """How many of these flowers are warm, cool and wild."""
    return counts[0] + counts[1], counts[2] + counts[3], counts[4] + counts[5]


def _hopes(fronts: Sequence[int], outcomes: Outcomes) -> Hopes:
    """What the seats get with these points in front, and those of the groups with their chances."""
    shares, means = [0.0] * len(fronts), [0.0] * len(fronts)
    for more, p in outcomes:
        scores = list(map(int.__add__, fronts, more))
        best = max(scores)
        winners = scores.count(best)
        for seat, total in enumerate(scores):
            means[seat] += p * total
            if total == best:
                shares[seat] += p / winners
    return shares + means


@lru_cache(maxsize=1 << 14)
def _in_front(front: Counted, rules: Rules) -> int:
    return front_points(Flowers(*front), rules)


@lru_cache(maxsize=1 << 14)
def _group_points(behinds: tuple[Counted, ...], rules: Rules, settled: bool) -> Outcomes:
    """What the seats' group points may come to together, with the chances."""
    groups = tuple(Groups(*behind) for behind in behinds)
    if settled:
        played: tuple[Mixture, ...] = tuple(((split, Fraction(1)),) for split in last_replies(groups, rules))
    else:
        played = mixtures(groups, (None,) * len(groups), rules)
    return tuple((points, float(p)) for points, p in group_points(groups, played, rules))


class Endings:
    """What endings come to, remembered: points in front, of the groups, and what the seats get; tables on the
    way there."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._in_front: dict[Counted, int] = {}
        self._hopes: dict[tuple[tuple[int, ...], tuple[Counted, ...]], Hopes] = {}
        self.coming: dict[tuple[tuple[Counted, ...], ...], Hopes] = {}

    def in_front(self, front: Counted) -> int:
        """Points of a front."""
        if front not in self._in_front:
            self._in_front[front] = _in_front(front, self.rules)
        return self._in_front[front]

    def hopes(self, points: Sequence[int], behinds: Sequence[Counted]) -> Hopes:
        """What the seats get with these points in front and these flowers behind."""
        key = tuple(points), tuple(behinds)
        if key not in self._hopes:
            self._hopes[key] = _hopes(points, _group_points(key[1], self.rules, False))
        return self._hopes[key]


class Coming:
    """A table with one or two flowers of a pool in the bag, between two turns."""

    def __init__(self, endings: Endings, fronts: Sequence[Counted], behinds: Sequence[Sequence[int]]) -> None:
        self.endings = endings
        self.fronts = list(fronts)
        self.behinds: list[Counted] = list(map(kinds_of, behinds))
        self.points = list(map(endings.in_front, self.fronts))

    def come(self, pool: Sequence[int], left: int, mover: int) -> Hopes:
        """What the seats can expect when the mover's turn begins."""
        key = tuple(self.fronts), tuple(self.behinds), (tuple(pool), (left, mover))
        known = self.endings.coming.get(key)
        if known is None:
            known = self.endings.coming[key] = self._come(pool, left, mover)
        return known

    def _come(self, pool: Sequence[int], left: int, mover: int) -> Hopes:
        found = [0.0] * (2 * len(self.fronts))
        tokens = sum(pool)
        for one, n in enumerate(pool):
            if n:
                rest = [k - (c == one) for c, k in enumerate(pool)]
                hopes = self.ended(mover, one) if left == 1 else self.stopped_or_on(rest, mover, one)
                _add(n / tokens, hopes, found)
        return found

    def stopped_or_on(self, pool: Sequence[int], mover: int, one: int) -> Hopes:
        """The mover has drawn the first of two flowers: it stops, or draws the other."""
        stopped: Hopes = []
        for hidden in (-1, one):
            before = self.laid(mover, (one,), hidden)
            hopes = self.come(pool, 1, (mover + 1) % len(self.fronts))
            self.back(mover, before)
            stopped = _better(hopes, stopped, mover)
        on = [0.0] * (2 * len(self.fronts))
        tokens = sum(pool)
        for other, n in enumerate(pool):
            if n:
                _add(n / tokens, self.ended(mover, one, other), on)
        return _better(on, stopped, mover)

    def ended(self, mover: int, *drawn: int) -> Hopes:
        """The game ends with these flowers of the mover, the best colour or none hidden."""
        best: Hopes = []
        for hidden in (-1, *dict.fromkeys(drawn)):
            before = self.laid(mover, drawn, hidden)
            best = _better(self.endings.hopes(self.points, self.behinds), best, mover)
            self.back(mover, before)
        return best

    def laid(self, seat: int, drawn: Sequence[int], hidden: int) -> tuple[Counted, Counted, int]:
        """Lay flowers in front of a seat, those of one colour behind; gives what was there before."""
        before = self.fronts[seat], self.behinds[seat], self.points[seat]
        front, behind = list(before[0]), list(before[1])
        for c in drawn:
            if c == hidden:
                behind[c // 2] += 1
            else:
                front[c] += 1
        self.fronts[seat], self.behinds[seat] = now, _ = tuple(front), tuple(behind)
        self.points[seat] = self.endings.in_front(now)
        return before

    def back(self, seat: int, before: tuple[Counted, Counted, int]) -> None:
        """Take it back."""
        self.fronts[seat], self.behinds[seat], self.points[seat] = before


def _add(chance: float, hopes: Hopes, found: Hopes) -> None:
    for i, hope in enumerate(hopes):
        found[i] += chance * hope


def _better(new: Hopes, old: Hopes, mover: int) -> Hopes:
    """The better of two for the mover, of equal ones the old."""
    if not old:
        return new
    if abs(new[mover] - old[mover]) > CLEAR:
        return new if new[mover] > old[mover] else old
    return new if _margin(new, mover) > _margin(old, mover) + CLEAR else old


def _margin(hopes: Hopes, mover: int) -> float:
    scores = hopes[len(hopes) // 2 :]
    own = scores.pop(mover)
    return own - max(scores)


def not_lying(rules: Rules, rows: Sequence[Sequence[int]]) -> Counted:
    """How many of every colour lie in none of these rows."""
    return tuple([n - sum(lie) for n, *lie in zip(rules.counts.counts, *rows, strict=True)])


def colours_left(left: Counted) -> list[int]:
    """One of every colour that is left, then a second, ..."""
    return [c for n in range(1, max(left) + 1) for c in range(len(COLOURS)) if left[c] >= n]
