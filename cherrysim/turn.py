"""The turn: stop, or draw again, and how many, for whatever the player wants.

Rulebook: "Collect Flowers". A turn is decided by the bag, by what each safe collection is worth to a player
who stops with it (`keep`) and by what a failed one is worth (`bust`, by the set of its colours). The one
formula: with M(g) = sum over pools of weight x prod C(pool_c, g_c), all at the start of the turn, and N
tokens in a pool,

    P(g after drawing k more onto h) = M(g) prod C(g_c, h_c) / (M(h) C(N - |h|, k)),

so the weights of the pairs of safe hands are constants and the bag enters only through M. What fails is
everything else: its mass by set of colours is a Moebius sum over the numbers of tokens in the sets. All
answers are exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, lcm, prod
from typing import NamedTuple

from cherrysim.chances import Position
from cherrysim.flowers import BLACK, Flowers, Refused, number_of, shown
from cherrysim.front import front_points
from cherrysim.hands import SETS, Hand, cards_of, colours_in, keeps, universe
from cherrysim.rules import Rules

Number = int | float | Fraction
TIED = Fraction(1, 10**12)
"""Options closer than this, times max(1, |value|), are tied; ties go to stop, then to the smaller draw."""


@dataclass(frozen=True, slots=True)
class Valuation:
    """What a turn's end is worth: `keep[i]` stopping with the i-th safe collection of `universe(rules)`,
    `bust[s]` failing with the colours of set s (bits, pink 1 ... white 16), both in `unit`.

    `solve` refuses one that was built from other rules. Source: rulebook, "Display Flowers"; ruling R10.

    >>> kept = Valuation.kept(Rules())
    >>> len(kept.keep), len(kept.bust), kept.unit
    (238, 32, 'flowers')
    """

    keep: tuple[Number, ...]
    bust: tuple[Number, ...]
    unit: str

    @classmethod
    def kept(cls, rules: Rules) -> Valuation:
        """Flowers kept this turn: all of a safe collection, two, one or none of a failed one (ruling R10)."""
        return cls(
            tuple(map(sum, universe(rules).hands)),
            tuple(max(map(sum, keeps(colours))) for colours in range(SETS)),
            "flowers",
        )

    @classmethod
    def failure(cls, rules: Rules) -> Valuation:
        """The chance to fail."""
        return cls((0,) * len(universe(rules).hands), (1,) * SETS, "chance")

    @classmethod
    def card(cls, rules: Rules, name: str) -> Valuation:
        """The chance to end with a collection that matches a card of this game."""
        hands = universe(rules).hands
        return cls(
            tuple(int(name in cards_of(Flowers(*hand), rules)) for hand in hands), (0,) * SETS, "chance"
        )

    @classmethod
    def front(cls, rules: Rules, front: Flowers) -> Valuation:
        """Points gained in front when everything kept is laid in front, nothing hidden, no card used."""
        now = front_points(front, rules)
        return cls(
            tuple(front_points(front + Flowers(*hand), rules) - now for hand in universe(rules).hands),
            tuple(
                max(front_points(front + Flowers(*pair), rules) for pair in keeps(colours)) - now
                for colours in range(SETS)
            ),
            "points",
        )


@dataclass(frozen=True, slots=True)
class Option:
    """One choice: draw `draw` flowers (0: stop), what it is worth and how likely it fails at once."""

    draw: int
    value: Fraction
    fail: Fraction


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Where a plan ends: the probability of each safe collection stopped with, and of each failure class."""

    stops: dict[Hand, Fraction]
    failures: tuple[Fraction, ...]
    rules: Rules

    @property
    def fail(self) -> Fraction:
        """The chance that the plan fails."""
        return sum(self.failures, Fraction(0))

    def expect(self, valuation: Valuation) -> Fraction:
        """The expected value of any valuation under the plan: a dot product."""
        index = universe(self.rules).index
        kept = sum((p * Fraction(valuation.keep[index[hand]]) for hand, p in self.stops.items()), Fraction(0))
        return kept + sum((p * Fraction(valuation.bust[s]) for s, p in enumerate(self.failures)), Fraction(0))


class Turn:
    """A solved turn: the best choice and its value for every collection it can reach and every number of
    draws.

    `solve` makes it; it never changes.
    """

    def __init__(self, at: Position, valuation: Valuation) -> None:
        self.at = at
        self.valuation = valuation
        self._universe = universe(at.rules)
        self._bag = _StartBag(at)
        self._hands = self._reachable()
        values = [_exact(value) for value in (*valuation.keep, *valuation.bust)]
        self._scale = lcm(*(value.denominator for value in values))
        whole = [int(value * self._scale) for value in values]
        self._keep, bust = whole[:-SETS], whole[-SETS:]
        self._bust_of = [bust[colours] for colours in self._universe.colours]
        self._bust_sums = _superset_moebius(bust)
        self._solved: dict[tuple[int, int], tuple[Option, ...]] = {}
        self._levels = [_Level({i: self._keep[i] for i in self._hands}, 1)]
        for left in range(1, at.draws_left):
            best = {i: _first_best(self._options(i, left)).value * self._scale for i in self._hands}
            denominator = lcm(*(value.denominator for value in best.values()))
            self._levels.append(
                _Level({i: int(value * denominator) for i, value in best.items()}, denominator)
            )

    def options(self, hand: Hand | None = None, draws_left: int | None = None) -> tuple[Option, ...]:
        """Every choice in the order stop, draw 1, 2, ..., each followed by best play.

        An empty collection may not stop unless the bag is empty. Raises `Refused` for a hand out of reach.
        """
        hand = self.at.hand.counts if hand is None else tuple(hand)
        left = self.at.draws_left if draws_left is None else draws_left
        i = self._universe.index.get(hand, -1)
        if not 0 <= left <= self.at.draws_left or i not in self._hands:
            raise Refused(
                f"collection {Flowers(*hand)} with {number_of(left, 'draw')} left cannot come of this turn; "
                f"it starts from {self.at.hand} with {self.at.draws_left}; ask for a larger safe collection"
            )
        return self._options(i, left)

    def best(self, hand: Hand | None = None, draws_left: int | None = None) -> Option:
        """The best choice; ties go to stop, then to the smaller draw."""
        return _first_best(self.options(hand, draws_left))

    def outcomes(
        self, hand: Hand | None = None, draws_left: int | None = None, first: int | None = None
    ) -> Outcomes:
        """Where the best plan ends, its first draw replaced by `first` flowers (0: stop) if given.

        Raises `Refused` for a hand out of reach and a first draw that is no option.
        """
        left = self.at.draws_left if draws_left is None else draws_left
        allowed = [option.draw for option in self.options(hand, left)]
        if first is not None and first not in allowed:
            raise Refused(
                f"a first draw of {shown(first)}; allowed are {allowed} (0: stop); choose one of them"
            )
        stops: dict[Hand, Fraction] = {}
        failures = [Fraction(0)] * SETS
        reached = {self.at.hand.counts if hand is None else tuple(hand): Fraction(1)}
        for draws in range(left, -1, -1):
            onward: dict[Hand, Fraction] = {}
            for held, chance in reached.items():
                n = first if first is not None and draws == left else self.best(held, draws).draw
                if not n:
                    stops[held] = stops.get(held, Fraction(0)) + chance
                    continue
                safe, failed = self.after_draw(held, n)
                for larger, p in safe.items():
                    onward[larger] = onward.get(larger, Fraction(0)) + chance * p
                for colours, p in enumerate(failed):
                    failures[colours] += chance * p
            reached = onward
        return Outcomes(stops, tuple(failures), self.at.rules)

    def after_draw(self, hand: Hand, n: int) -> tuple[dict[Hand, Fraction], tuple[Fraction, ...]]:
        """The distribution after one draw of `n`: of each safe collection, and of the failed ones by set
        of colours. Raises `Refused` for a hand out of reach and a number that cannot be drawn onto it."""
        hands = self._universe.hands
        most = self._bag.most(hand, self.at.rules)
        if self._universe.index.get(hand) not in self._hands or not 1 <= n <= most:
            raise Refused(
                f"a draw of {n} onto {Flowers(*hand)} cannot come of this turn; "
                f"it starts from {self.at.hand} and takes 1 to {most}; ask for another draw"
            )
        ways = {
            hands[j]: c * self._bag.mass(hands[j]) for j, c in self._larger(self._universe.index[hand], n)
        }
        failed = self._bag.by_colours(hand, n)
        for larger, n_ways in ways.items():
            failed[colours_in(larger)] -= n_ways
        total = self._bag.mass(hand) * comb(self._bag.tokens - sum(hand), n)
        return (
            {larger: Fraction(n_ways, total) for larger, n_ways in ways.items() if n_ways},
            tuple(Fraction(n_ways, total) for n_ways in failed),
        )

    def _reachable(self) -> frozenset[int]:
        """The safe collections this turn can hold: those that contain its hand and that the bag can give."""
        start = self._universe.index[self.at.hand.counts]
        larger = (j for size in self._universe.larger(start)[: self.at.belief.size] for j, _ in size)
        return frozenset((start, *(j for j in larger if self._bag.mass(self._universe.hands[j]))))

    def _larger(self, i: int, n: int) -> list[tuple[int, int]]:
        return [(j, c) for j, c in self._universe.larger(i)[n - 1] if j in self._hands]

    def _options(self, i: int, left: int) -> tuple[Option, ...]:
        if (i, left) not in self._solved:
            hand = self._universe.hands[i]
            most = self._bag.most(hand, self.at.rules) if left else 0
            found = [self._draw_option(i, left, n) for n in range(1, most + 1)]
            if sum(hand) or not found:
                found.insert(0, Option(0, Fraction(self._keep[i], self._scale), Fraction(0)))
            self._solved[i, left] = tuple(found)
        return self._solved[i, left]

    def _draw_option(self, i: int, left: int, n: int) -> Option:
        """The value of drawing `n`: bust for every collection, corrected for the safe ones."""
        hand = self._universe.hands[i]
        values, denominator = self._levels[left - 1]
        total = self._bag.mass(hand) * comb(self._bag.tokens - sum(hand), n)
        worth = denominator * self._bag.weighted_sets(hand, n, self._bust_sums)
        safe = 0
        for j, c in self._larger(i, n):
            ways = c * self._bag.mass(self._universe.hands[j])
            safe += ways
            worth += ways * (values[j] - denominator * self._bust_of[j])
        return Option(n, Fraction(worth, total * denominator * self._scale), 1 - Fraction(safe, total))


class _Level(NamedTuple):
    """The best values with so many draws left, as whole numbers over one denominator."""

    values: dict[int, int]
    denominator: int


class _StartBag:
    """The bag as it was at the start of the turn: this turn's hand put back, each pool at its weight
    before it."""

    def __init__(self, at: Position) -> None:
        hand = at.hand.counts
        pools = [tuple(map(sum, zip(pool, hand, strict=True))) for pool, _ in at.belief.pools]
        ways = [prod(map(comb, pool, hand)) for pool in pools]
        common = lcm(*ways)
        self._pools = [
            (pool, weight * (common // n))
            for pool, n, (_, weight) in zip(pools, ways, at.belief.pools, strict=True)
        ]
        self._size = at.belief.size + sum(hand)
        self.tokens = self._size + at.belief.hidden
        self._in_set = [
            [pool[BLACK] + sum(pool[c] for c in range(BLACK) if colours >> c & 1) for colours in range(SETS)]
            for pool in pools
        ]
        self._mass: dict[Hand, int] = {}

    def most(self, hand: Hand, rules: Rules) -> int:
        """The most flowers the next draw may take from here."""
        return min(rules.flowers, self._size) - sum(hand)

    def mass(self, hand: Hand) -> int:
        """M(hand) of the module's formula."""
        if hand not in self._mass:
            self._mass[hand] = sum(self._weights(hand))
        return self._mass[hand]

    def _weights(self, hand: Hand) -> list[int]:
        return [weight * prod(map(comb, pool, hand)) for pool, weight in self._pools]

    def weighted_sets(self, hand: Hand, n: int, sums: Sequence[int]) -> int:
        """The mass, over all draws of `n`, of the value by set of colours whose superset sums are `sums`."""
        has, held = colours_in(hand), sum(hand)
        wanted = [colours for colours in range(SETS) if colours & has == has and sums[colours]]
        return sum(
            weight * sum(sums[colours] * comb(in_set[colours] - held, n) for colours in wanted)
            for weight, in_set in zip(self._weights(hand), self._in_set, strict=True)
            if weight
        )

    def by_colours(self, hand: Hand, n: int) -> list[int]:
        """The mass of the draws of `n` after which exactly the colours of each set are in the collection."""
        has, held = colours_in(hand), sum(hand)
        found = [0] * SETS
        for weight, in_set in zip(self._weights(hand), self._in_set, strict=True):
            if weight:
                for colours in range(SETS):
                    if colours & has == has:
                        found[colours] += weight * comb(in_set[colours] - held, n)
        for c in range(BLACK):
            for colours in range(SETS):
                if colours >> c & 1 and not has >> c & 1:
                    found[colours] -= found[colours ^ 1 << c]
        return found


def _exact(value: Number) -> Fraction:
    try:
        return Fraction(value)
    except (TypeError, ValueError, OverflowError):
        raise Refused(
            f"a valuation holds {shown(value)}; its values are finite numbers; correct it"
        ) from None


def _superset_moebius(values: Iterable[int]) -> list[int]:
    """sums[T] = sum over sets S containing T of (-1)^|S - T| values[S]."""
    sums = list(values)
    for c in range(BLACK):
        for colours in range(SETS):
            if not colours >> c & 1:
                sums[colours] -= sums[colours | 1 << c]
    return sums


def tied(a: Fraction, b: Fraction) -> bool:
    """Whether two exact values count as equal."""
    return abs(a - b) <= TIED * max(Fraction(1), abs(a), abs(b))


def _first_best(options: Sequence[Option]) -> Option:
    top = max(options, key=lambda option: option.value)
    return next(option for option in options if tied(option.value, top.value))


def solve(at: Position, valuation: Valuation) -> Turn:
    """A turn solved for a valuation, exactly; `Refused` where the valuation was built from other limits or
    holds what is no finite number.

    Source: rulebook, "Collect Flowers"; backward induction over safe collections.

    >>> from cherrysim.chances import position
    >>> best = solve(position(Rules(), Flowers()), Valuation.kept(Rules())).best()
    >>> best.draw, str(best.value)
    (2, '37795307/10187344')
    """
    hands = len(universe(at.rules).hands)
    if len(valuation.keep) != hands or len(valuation.bust) != SETS:
        raise Refused(
            f"a valuation of {len(valuation.keep)} collections and {len(valuation.bust)} failure classes; "
            f"these rules have {hands} and {SETS}; build it from the same rules"
        )
    return Turn(at, valuation)
