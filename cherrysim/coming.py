"""How a game ends, and what a table is worth with one or two flowers left, worked out to the end.

The readable twin of `kernels.coming` and `kernels.ending`. Rulebook: "Turn Overview", "Final Scoring";
rulings R22, R23, R26. Whoever is next must draw one flower, which never fails and matches no card; it is laid
in front or hidden, whichever is better for its player, and the game ends. With two left, drawing one and then
perhaps the other leaves every choice that drawing both has. Better is the larger share, of equal ones the
larger margin: the own expected score less the best rival's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from cherrysim.allowed import ONE
from cherrysim.behind import Groups, Mixture, last_replies, mixtures
from cherrysim.flowers import COLOURS, LETTERS, Flowers
from cherrysim.rules import Rules
from cherrysim.scoring import front_points, group_points

CLEAR = 1e-9
"""Of choices no further apart than this the first is taken."""
FEW = 2
"""With so few flowers left a table is worked out."""

Hopes = list[float]
"""The share of the victory of every seat, then its expected final score."""


def worked_out(left: int, rules: Rules) -> bool:
    """Whether so few flowers are left; sets of rules in which two flowers fail, or only one draw is allowed,
    are left to the model."""
    return 0 < left <= FEW and rules.alike > 2 and rules.draws > 1 and rules.flowers > 1


def scored(
    fronts: Sequence[Flowers], behinds: Sequence[Flowers], rules: Rules, settled: bool = False
) -> Hopes:
    """What the seats get of a game that ends so; `settled`: wilds are split as the last replies do."""
    points = [front_points(front, rules) for front in fronts]
    shares, totals = [0.0] * len(fronts), [0.0] * len(fronts)
    for more, p in _group_points(tuple(map(Groups.of, behinds)), rules, settled):
        scores = [own + group for own, group in zip(points, more, strict=True)]
        best = max(scores)
        for seat, total in enumerate(scores):
            totals[seat] += p * total
            if total == best:
                shares[seat] += p / scores.count(best)
    return [*shares, *totals]


@lru_cache(maxsize=1 << 14)
def _group_points(
    groups: tuple[Groups, ...], rules: Rules, settled: bool
) -> tuple[tuple[tuple[int, ...], float], ...]:
    """What the seats' group points may come to together, with the chances."""
    if settled:
        played: tuple[Mixture, ...] = tuple(((split, Fraction(1)),) for split in last_replies(groups, rules))
    else:
        played = mixtures(groups, (None,) * len(groups), rules)
    return tuple((points, float(p)) for points, p in group_points(groups, played, rules))


@dataclass
class Coming:
    """A table with one or two flowers of a pool in the bag, between two turns."""

    rules: Rules
    fronts: list[Flowers]
    behinds: list[Flowers]

    def come(self, pool: Sequence[int], left: int, mover: int) -> Hopes:
        """What the seats can expect when the mover's turn begins."""
        found = [0.0] * (2 * len(self.fronts))
        for one, n in enumerate(pool):
            if n:
                rest = [k - (c == one) for c, k in enumerate(pool)]
                hopes = self.ended(mover, one) if left == 1 else self.stopped_or_on(rest, mover, one)
                _add(n / sum(pool), hopes, found)
        return found

    def stopped_or_on(self, pool: Sequence[int], mover: int, one: int) -> Hopes:
        """The mover has drawn the first of two flowers: it stops, or draws the other."""
        stopped: Hopes = []
        for row in (self.fronts, self.behinds):
            before = row[mover]
            row[mover] = before + ONE[LETTERS[one]]
            hopes = self.come(pool, 1, (mover + 1) % len(self.fronts))
            row[mover] = before
            stopped = _better(hopes, stopped, mover)
        on = [0.0] * (2 * len(self.fronts))
        for other, n in enumerate(pool):
            if n:
                _add(n / sum(pool), self.ended(mover, one, other), on)
        return _better(on, stopped, mover)

    def ended(self, mover: int, *drawn: int) -> Hopes:
        """The game ends with these flowers of the mover, the best colour or none hidden."""
        best: Hopes = []
        for hidden in (-1, *dict.fromkeys(drawn)):
            front, behind = self.fronts[mover], self.behinds[mover]
            for c in drawn:
                (self.behinds if c == hidden else self.fronts)[mover] += ONE[LETTERS[c]]
            best = _better(scored(self.fronts, self.behinds, self.rules), best, mover)
            self.fronts[mover], self.behinds[mover] = front, behind
        return best


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
    return scores[mover] - max(score for seat, score in enumerate(scores) if seat != mover)


def colours_left(rules: Rules, fronts: Sequence[Flowers], behinds: Sequence[Flowers]) -> list[int]:
    """What lies nowhere, one of every colour that is left, then a second, ..."""
    left = (rules.counts - sum([*fronts, *behinds], Flowers())).counts
    return [c for n in range(1, max(left) + 1) for c in range(len(COLOURS)) if left[c] >= n]
