"""Behind the screens: the two groups, who has the most, and where the wilds go.

Rulebook: "Scoring Victory Points Behind Your Screen", "2-Player Variant"; rulings R26 to R30. A seat's place
in a group is 1 + the number of seats with more. Wilds (white and black) are placed by all seats at once: a
simultaneous game, whose model here is the one of ruling R26, in whole numbers throughout.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from operator import mul

from cherrysim.flowers import Flowers, Refused
from cherrysim.rules import Rules

Split = tuple[int, int]
"""How many of a seat's wilds go to its warm and to its cool group."""
Mixture = tuple[tuple[Split, Fraction], ...]
"""Splits with their probabilities, from most to warm to least."""

SWEEPS = 8
"""So many times the seats may answer each other in turn before no pure equilibrium is expected."""
ROUNDS = 64
"""So many rounds of fictitious play follow the even split, which everybody plays first."""
MOST_WILDS = 200
"""More wilds than this behind one screen need a given split."""


@dataclass(frozen=True, slots=True)
class Groups:
    """What one screen hides, as far as it counts: coloured flowers of the two groups, and wilds.

    >>> Groups.of(Flowers.parse("Y3 P2 L5 W2 B1"))
    Groups(warm=5, cool=5, wilds=3)
    """

    warm: int
    cool: int
    wilds: int

    @classmethod
    def of(cls, behind: Flowers) -> Groups:
        return cls(
            behind.pink + behind.yellow, behind.light_blue + behind.dark_blue, behind.white + behind.black
        )

    def splits(self, rules: Rules) -> tuple[Split, ...]:
        """The ways to place all wilds, each in an open group (ruling R26), from most to warm to least."""
        if not self.warm and not self.cool and rules.orphan_wilds == "void":
            return ((0, 0),)
        closed_warm, closed_cool = self.cool and not self.warm, self.warm and not self.cool
        least, most = (self.wilds if closed_cool else 0), (0 if closed_warm else self.wilds)
        return tuple((warm, self.wilds - warm) for warm in range(most, least - 1, -1))

    def even(self, rules: Rules) -> Split:
        """The split nearest to half and half, an odd wild to warm."""
        return min(self.splits(rules), key=lambda split: abs(split[0] - (self.wilds + 1) // 2))


def impossible_split(name: str, groups: Groups, split: Split, rules: Rules) -> str:
    """Why a player may not place the wilds so; empty where it is allowed."""
    ways = groups.splits(rules)
    if split in ways:
        return ""
    return (
        f"{name} splits the wilds {split[0]} warm {split[1]} cool; all {groups.wilds} are placed, each in a "
        f"group with a coloured flower; {ways[0][0]} warm {ways[0][1]} cool is possible"
    )


def allocations(behind: Flowers, rules: Rules) -> tuple[tuple[int, int], ...]:
    """The (warm, cool) numbers of flowers that a seat may show with these flowers behind its screen.

    >>> allocations(Flowers.parse("P4 Y3 B2"), Rules())
    ((9, 0),)
    """
    groups = Groups.of(behind)
    return tuple((groups.warm + warm, groups.cool + cool) for warm, cool in reversed(groups.splits(rules)))


def place_and_points(own: int, others: Sequence[int], points: Sequence[int], rules: Rules) -> tuple[int, int]:
    """Place and points of a group for a seat with `own` flowers in it; `points` are those of the places.

    >>> place_and_points(4, (6, 4, 4), (16, 12, 8), Rules())
    (2, 6)
    """
    more = [n for n in others if n > own]
    place = 1 + (len(set(more)) if rules.ties == "dense" else len(more))
    tied = 1 + sum(n == own for n in others)
    if rules.empty_group == "nothing" and not own:
        return place, 0
    if rules.players == 2 and not (tied == 2 and rules.two_player_tie == "normal"):
        shared = {"split": points[1] // 2, "both": points[1], "none": 0}
        return place, shared[rules.two_player_tie] if tied == 2 else points[1] if place == 1 else 0
    filled = tied if rules.ties == "pooled" else min(tied, 2)
    return place, sum(points[place - 1 : place - 1 + filled]) // tied


@lru_cache(maxsize=1 << 14)
def mixtures(seats: tuple[Groups, ...], given: tuple[Split | None, ...], rules: Rules) -> tuple[Mixture, ...]:
    """How every seat splits its wilds: as given, else by the model of ruling R26.

    From the even split the seats answer each other in turn, each with the split of most own group points; if
    they come to rest, that is how they split. Otherwise `ROUNDS` rounds of fictitious play follow from the
    same start: all at once answer everything each other seat has played so far, and mix as they have played.

    >>> both = mixtures((Groups(1, 1, 1), Groups(2, 1, 0)), (None, None), Rules.official(2))
    >>> [[(split, str(p)) for split, p in seat] for seat in both]
    [[((0, 1), '1')], [((0, 0), '1')]]
    """
    splits = [
        groups.splits(rules) if fixed is None else (fixed,)
        for groups, fixed in zip(seats, given, strict=True)
    ]
    for seat, ways in enumerate(splits):
        if len(ways) > MOST_WILDS + 1:
            raise Refused(
                f"{len(ways) - 1} wilds behind seat {seat}; the split model takes {MOST_WILDS}; give splits"
            )
    start = [
        groups.even(rules) if len(ways) > 1 else ways[0] for groups, ways in zip(seats, splits, strict=True)
    ]
    game = _Splitting(seats, splits, rules)
    settled = game.settle(list(start))
    if settled is not None:
        return tuple(((split, Fraction(1)),) for split in settled)
    return tuple(
        tuple((split, Fraction(plays[split], plays.total())) for split in ways if plays[split])
        for ways, plays in zip(splits, game.mix(start), strict=True)
    )


class _Splitting:
    """The simultaneous game of one ending: own group points for every split against every other."""

    def __init__(self, seats: Sequence[Groups], splits: Sequence[Sequence[Split]], rules: Rules) -> None:
        self.seats, self.splits, self.rules = seats, splits, rules
        self.choosing = [seat for seat, ways in enumerate(splits) if len(ways) > 1]
        self.known: dict[tuple[int, tuple[Split, ...]], list[int]] = {}
        self.against: dict[tuple[object, ...], list[tuple[int, ...]]] = {}

    def points(self, seat: int, others: tuple[Split, ...]) -> list[int]:
        """Points of both groups for each split of a seat against the splits of the others, in their order."""
        key = (seat, others)
        if key not in self.known:
            rest = [groups for other, groups in enumerate(self.seats) if other != seat]
            warm = [groups.warm + split[0] for groups, split in zip(rest, others, strict=True)]
            cool = [groups.cool + split[1] for groups, split in zip(rest, others, strict=True)]
            own = self.seats[seat]
            self.known[key] = [
                place_and_points(own.warm + to_warm, warm, self.rules.warm, self.rules)[1]
                + place_and_points(own.cool + to_cool, cool, self.rules.cool, self.rules)[1]
                for to_warm, to_cool in self.splits[seat]
            ]
        return self.known[key]

    def settle(self, now: list[Split]) -> list[Split] | None:
        """Where answering in turn comes to rest; None if it does not within `SWEEPS` sweeps."""
        for _ in range(SWEEPS):
            before = list(now)
            for seat in self.choosing:
                points, ways = self.points(seat, tuple(now[:seat] + now[seat + 1 :])), self.splits[seat]
                if points[ways.index(now[seat])] < max(points):
                    now[seat] = ways[points.index(max(points))]
            if now == before:
                return now
        return None

    def mix(self, start: Sequence[Split]) -> list[Counter[Split]]:
        """How often every seat plays each split in fictitious play, the start counted."""
        plays = [Counter([split]) for split in start]
        for _ in range(ROUNDS):
            answers = [(seat, self.answer(seat, plays)) for seat in self.choosing]
            for seat, split in answers:
                plays[seat][split] += 1
        return plays

    def answer(self, seat: int, plays: Sequence[Counter[Split]]) -> Split:
        """The split with most points on average over what the others have played, of equals most to warm."""
        rest = [counter for other, counter in enumerate(plays) if other != seat]
        key = (seat, *map(tuple, rest))
        if key not in self.against:
            rows = [self.points(seat, others) for others in product(*rest)]
            self.against[key] = list(zip(*rows, strict=True))
        times = [1]
        for counter in rest:
            times = [n * more for n in times for more in counter.values()]
        points = [sum(map(mul, times, column)) for column in self.against[key]]
        return self.splits[seat][points.index(max(points))]


@lru_cache(maxsize=1 << 14)
def last_replies(seats: tuple[Groups, ...], rules: Rules) -> tuple[Split, ...]:
    """The splits at which answering in turn from the even split comes to rest, or is after `SWEEPS` sweeps.

    >>> last_replies((Groups(1, 1, 1), Groups(2, 1, 0)), Rules.official(2))
    ((0, 1), (0, 0))
    """
    splits = [groups.splits(rules) for groups in seats]
    now = [groups.even(rules) for groups in seats]
    _Splitting(seats, splits, rules).settle(now)
    return tuple(now)
