"""What every seat has, in nine counts, every way a display can change it, and what it is worth in the end.

Rulebook: "Display Flowers", "Description of Mastery Cards", "Final Scoring"; rulings R11 to R20, R26, R31.
Behind a screen only the two groups and the wilds count, so a standing is the front (P Y L D W B), then warm,
cool and wilds behind. Options come in the order of `engine.legal_moves`. What a front can still become
depends on less than the front: with b blacks in it or to come, points so far are apart, and the rest is the
gain

    of each colour that may come by flowers and blacks, of all others together by j blacks, j = 1..b.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product
from math import lcm, prod
from operator import add

from cherrysim.allowed import KOKONOE, SAKUYA
from cherrysim.behind import Groups, mixtures, place_and_points
from cherrysim.flowers import BLACK, COLOURS, Flowers
from cherrysim.front import colour_points, front_points
from cherrysim.hands import Hand
from cherrysim.rules import Rules
from cherrysim.table import Seat
from cherrysim.worth import Worth, reduced

Standing = tuple[int, ...]
"""In front P Y L D W B, behind warm, cool, wilds."""
Standings = tuple[Standing, ...]
Future = tuple[tuple[int, ...], ...]
"""All that decides what a standing can still become, its points so far apart."""

_BEHIND = (6, 6, 7, 7, 8, 8)
"""Where a hidden flower of each colour counts."""


def standing(seat: Seat) -> Standing:
    """A seat's flowers in nine counts.

    >>> from cherrysim.flowers import Flowers
    >>> standing(Seat("Ann", Flowers.parse("P3 B1"), Flowers.parse("Y1 L2 W1")))
    (3, 0, 0, 0, 0, 1, 1, 2, 1)
    """
    groups = Groups.of(seat.all_behind)
    return (*seat.front.counts, groups.warm, groups.cool, groups.wilds)


def gained(old: Standing, change: Standing) -> Standing:
    """A standing with these flowers more in front (six counts) or anywhere (nine)."""
    return (*map(add, old, change), *old[len(change) :])


def with_seat(seats: Standings, seat: int, new: Standing) -> Standings:
    """The standings with one of them replaced."""
    return (*seats[:seat], new, *seats[seat + 1 :])


@lru_cache(maxsize=1 << 12)
def hides(hand: Hand) -> tuple[Standing, ...]:
    """What the ways to end a success add to a standing: hiding nothing, then each colour of the collection.

    >>> hides((2, 0, 0, 0, 1, 0))
    ((2, 0, 0, 0, 1, 0, 0, 0, 0), (0, 0, 0, 0, 1, 0, 2, 0, 0), (2, 0, 0, 0, 0, 0, 0, 0, 1))
    """
    found = [(*hand, 0, 0, 0)]
    for c, n in enumerate(hand):
        if n:
            found.append(_shifted((*hand, 0, 0, 0), (c, -n), (_BEHIND[c], n)))
    return tuple(found)


def placings(seats: Standings, seat: int, drawn: Hand) -> Iterator[Standings]:
    """Every way to place what was drawn for Kenrokuen Kumagai (ruling R17)."""
    colours = [c for c, n in enumerate(drawn) for _ in range(n)]
    places = [(seat, False), (seat, True), *((other, False) for other in range(len(seats)) if other != seat)]
    found: dict[Standings, None] = {}
    for chosen in product(places, repeat=len(colours)):
        new = seats
        for c, (to, behind) in zip(colours, chosen, strict=True):
            new = with_seat(new, to, _shifted(new[to], (_BEHIND[c] if behind else c, 1)))
        found[new] = None
    yield from found


def one_kept(seats: Standings, seat: int, drawn: Hand) -> Iterator[tuple[Standings, Flowers]]:
    """What may be kept of a draw for Komatsu Otome (ruling R19): the standings, and what goes back."""
    colours = [c for c in range(BLACK) if drawn[c]]
    for kept in [tuple(int(i == c) for i in range(len(COLOURS))) for c in colours] or [(0,) * len(COLOURS)]:
        yield with_seat(seats, seat, gained(seats[seat], kept)), Flowers(*drawn) - Flowers(*kept)


def exchanges(card: str, seats: Standings, seat: int, hand: Hand) -> Iterator[tuple[Standings, Hand]]:
    """Every way to carry out Somei Yoshino, Sakuya Hime or Kokonoe (R16, R18, R20): the standings and what
    the collection still holds."""
    if card == KOKONOE:
        yield from ((new, hand) for new in _two_taken(seats, seat))
        return
    for c in (c for c, n in enumerate(hand) if n):
        left = _shifted(hand, (c, -1))
        yield from ((new, left) for new in _given(card, seats, seat, c))
    for c in (c for c, n in enumerate(seats[seat][: len(COLOURS)]) if n):
        without = with_seat(seats, seat, _shifted(seats[seat], (c, -1)))
        yield from ((new, hand) for new in _given(card, without, seat, c))


def _given(card: str, seats: Standings, seat: int, c: int) -> Iterator[Standings]:
    """Where a flower of one's own can go: behind, or to a rival for one of theirs."""
    if card != SAKUYA:
        yield with_seat(seats, seat, _shifted(seats[seat], (_BEHIND[c], 1)))
        return
    for other, taken in _takes(seats, seat):
        new = with_seat(seats, other, _shifted(seats[other], (taken, -1), (c, 1)))
        yield with_seat(new, seat, _shifted(seats[seat], (taken, 1)))


def _two_taken(seats: Standings, seat: int) -> Iterator[Standings]:
    for (one, first), (two, second) in combinations(_takes(seats, seat), 2):
        if first != second and (one != two or len(seats) == 2):
            new = with_seat(seats, one, _shifted(seats[one], (first, -1)))
            new = with_seat(new, two, _shifted(new[two], (second, -1)))
            yield with_seat(new, seat, _shifted(seats[seat], (first, 1), (second, 1)))


def _takes(seats: Standings, seat: int) -> list[tuple[int, int]]:
    """The coloured flowers in front of the others: (seat, colour)."""
    return [
        (other, c) for other, own in enumerate(seats) if other != seat for c, n in enumerate(own[:BLACK]) if n
    ]


def _shifted(counts: tuple[int, ...], *changes: tuple[int, int]) -> tuple[int, ...]:
    new = list(counts)
    for place, n in changes:
        new[place] += n
    return tuple(new)


def future(own: Standing, bag: Hand, rules: Rules) -> tuple[int, Future]:
    """Points of the front without its blacks, and what decides the rest, where it can only gain flowers of
    `bag` (the most of each colour that may come).

    Two standings with one future differ, after equal gains, by these points alone.

    >>> future((3, 1, 0, 0, 0, 0, 2, 0, 1), (0, 1, 0, 0, 0, 0), Rules())
    (-2, ((), (2,), (0, 2, 0, 1)))
    """
    blacks = own[BLACK] + bag[BLACK]
    closed = tuple(sorted(n for c, n in enumerate(own[:BLACK]) if not bag[c])) if blacks else ()
    gains = tuple([_gains(n, bag[c] + blacks, rules) for c, n in enumerate(own[:BLACK]) if bag[c]])
    points = sum([colour_points(n, rules) for n in own[:BLACK]])
    return points, (_most_gained(closed, blacks, rules), *gains, own[BLACK:])


@lru_cache(maxsize=1 << 14)
def _gains(n: int, more: int, rules: Rules) -> tuple[int, ...]:
    """Points gained by 1, 2, ... `more` flowers of a colour that has n."""
    return tuple(colour_points(n + k, rules) - colour_points(n, rules) for k in range(1, more + 1))


@lru_cache(maxsize=1 << 14)
def _most_gained(closed: tuple[int, ...], blacks: int, rules: Rules) -> tuple[int, ...]:
    """Most points gained in these colours by 1, 2, ... `blacks` blacks; empty where there are no colours."""
    if not closed:
        return ()
    best = [0, *_gains(closed[0], blacks, rules)]
    for n in closed[1:]:
        own = [0, *_gains(n, blacks, rules)]
        best = [max(own[k] + best[j - k] for k in range(j + 1)) for j in range(blacks + 1)]
    return tuple(best[1:])


class Ending:
    """What standings are worth when the game is over; remembers points in front and behind."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._front: dict[Hand, int] = {}
        self._behind: dict[Standings, tuple[int, list[tuple[int, tuple[int, ...]]]]] = {}

    def worth(self, seats: Standings) -> Worth:
        """Every seat's share and score, by expectation over the splits of the wilds (rulings R26, R31)."""
        n = len(seats)
        behind = tuple([own[len(COLOURS) :] for own in seats])
        if behind not in self._behind:
            self._behind[behind] = _placed(behind, self.rules)
        total, outcomes = self._behind[behind]
        front = [self._front_points(own[: len(COLOURS)]) for own in seats]
        whole = lcm(*range(1, n + 1))
        shares, scores = [0] * n, [0] * n
        for weight, points in outcomes:
            totals = list(map(add, front, points))
            best = max(totals)
            for seat, points_of in enumerate(totals):
                scores[seat] += weight * whole * points_of
                if points_of == best:
                    shares[seat] += weight * whole // totals.count(best)
        return reduced((total * whole, *shares, *scores))

    def _front_points(self, front: Hand) -> int:
        if front not in self._front:
            self._front[front] = front_points(Flowers(*front), self.rules)
        return self._front[front]


def _placed(behind: Sequence[tuple[int, ...]], rules: Rules) -> tuple[int, list[tuple[int, tuple[int, ...]]]]:
    """The points of all seats for their places in both groups: each outcome with its weight, after the sum of
    the weights."""
    groups = [Groups(*counts) for counts in behind]
    found: dict[tuple[int, ...], Fraction] = {}
    for joint in product(*mixtures(tuple(groups), (None,) * len(groups), rules)):
        warm = [group.warm + split[0] for group, (split, _) in zip(groups, joint, strict=True)]
        cool = [group.cool + split[1] for group, (split, _) in zip(groups, joint, strict=True)]
        points = tuple(
            place_and_points(warm[i], warm[:i] + warm[i + 1 :], rules.warm, rules)[1]
            + place_and_points(cool[i], cool[:i] + cool[i + 1 :], rules.cool, rules)[1]
            for i in range(len(groups))
        )
        found[points] = found.get(points, Fraction(0)) + prod((p for _, p in joint), start=Fraction(1))
    total = lcm(*(p.denominator for p in found.values()))
    return total, [(int(p * total), points) for points, p in found.items()]
