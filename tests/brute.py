"""A second, independent model of one turn: flower by flower, over lists of possible bags, without any
formula.

It judges explicit collections after whole draws, keeps explicit failed collections and updates explicit
bags by Bayes' rule. It shares with the code under test only the reading of the rulebook. `model` breaks it
on purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import product

Hand = tuple[int, ...]
Bags = dict[Hand, Fraction]


def failed(hand: Hand, alike: int = 3, different: int = 5) -> bool:
    """Try every colour for every black."""
    *colours, blacks = hand
    if not blacks:
        return max(colours) >= alike or sum(n > 0 for n in colours) >= different
    return any(
        failed((*colours[:c], colours[c] + 1, *colours[c + 1 :], blacks - 1), alike, different)
        for c in range(5)
    )


def failed_ignoring_black(hand: Hand) -> bool:
    return failed((*hand[:5], 0))


def failed_black_is_sixth(hand: Hand) -> bool:
    return max(hand) >= 3 or sum(n > 0 for n in hand) >= 5


def boxes(pool: Hand, hidden: int) -> Bags:
    """Every bag that `hidden` tokens taken blindly out of a pool may leave, one token at a time."""
    found: Bags = {pool: Fraction(1)}
    for _ in range(hidden):
        found = _blind_draw(found)
    return found


def _blind_draw(bags: Bags) -> Bags:
    found: Bags = {}
    for bag, p in bags.items():
        for c in range(6):
            if bag[c]:
                left = _with(bag, c, -1)
                found[left] = found.get(left, Fraction(0)) + p * Fraction(bag[c], sum(bag))
    return found


def seen_draw(bags: Bags, colour: int) -> Bags:
    """The bags after one flower of this colour came out (not normalised)."""
    return {
        _with(bag, colour, -1): p * Fraction(bag[colour], sum(bag)) for bag, p in bags.items() if bag[colour]
    }


def history(bags: Bags, events: Sequence[tuple[str, Hand]]) -> Bags:
    for kind, flowers in events:
        for c, n in enumerate(flowers):
            for _ in range(n):
                bags = seen_draw(bags, c) if kind == "draw" else {_with(b, c, 1): p for b, p in bags.items()}
    total = sum(bags.values())
    return {bag: p / total for bag, p in bags.items()}


def _with(hand: Hand, c: int, n: int) -> Hand:
    return (*hand[:c], hand[c] + n, *hand[c + 1 :])


class Turn:
    """Values by plain recursion: `value(hand, left)` and `option(hand, left, n)`.

    `bags` are those at the moment `start` is in hand; `keep` and `bust` value explicit collections.
    """

    def __init__(
        self,
        bags: Bags,
        start: Hand,
        keep: Callable[[Hand], Fraction],
        bust: Callable[[Hand], Fraction],
        limits: tuple[int, int, int] = (3, 5, 8),
        number: Callable[[Fraction], Fraction | float] = Fraction,
    ) -> None:
        self.bags, self.start, self.keep, self.bust = bags, start, keep, bust
        self.alike, self.different, self.flowers = limits
        self.number = number
        self.value = cache(self.value)  # type: ignore[method-assign]
        self._drawn = cache(self._drawn)  # type: ignore[method-assign]
        self._next = cache(self._next)  # type: ignore[method-assign]
        self._failed = cache(lambda hand: failed(hand, self.alike, self.different))

    def value(self, hand: Hand, left: int):
        if self._failed(hand):
            return self.number(self.bust(hand))
        found = [self.option(hand, left, n) for n in range(1, self.most(hand, left) + 1)]
        if sum(hand) or not found:
            found.append(self.number(self.keep(hand)))
        return max(found)

    def option(self, hand: Hand, left: int, n: int):
        return self._drawn(hand, n, left - 1)

    def most(self, hand: Hand, left: int) -> int:
        bag = next(iter(self.bags))
        return min(self.flowers - sum(hand), sum(bag) + sum(self.start) - sum(hand)) if left else 0

    def _drawn(self, hand: Hand, n: int, left: int):
        if not n:
            return self.value(hand, left)
        return sum(p * self._drawn(_with(hand, c, 1), n - 1, left) for c, p in self._next(hand) if p)

    def _next(self, hand: Hand):
        """The chance that the next flower is of each colour, given the flowers drawn since the start."""
        bags = self.bags
        for c in range(6):
            for _ in range(hand[c] - self.start[c]):
                bags = seen_draw(bags, c)
        total = sum(bags.values())
        if not total:
            return ()
        return tuple(
            (c, self.number(sum(p * Fraction(bag[c], sum(bag)) for bag, p in bags.items()) / total))
            for c in range(6)
        )


def fail_chance(
    bag: Hand,
    plan: Sequence[int],
    fails: Callable[[Hand], bool] = failed,
    *,
    replace: bool = False,
    refill: bool = False,
) -> Fraction:
    """The chance that a plan fails, over every sequence of flowers; the flags break the rule on purpose."""

    @cache
    def go(hand: Hand, inside: Hand, stage: int, n: int) -> Fraction:
        if not n:
            if fails(hand):
                return Fraction(1)
            if stage + 1 == len(plan):
                return Fraction(0)
            return go(hand, bag if refill else inside, stage + 1, plan[stage + 1])
        total = sum(inside)
        return sum(
            (
                Fraction(inside[c], total)
                * go(_with(hand, c, 1), inside if replace else _with(inside, c, -1), stage, n - 1)
                for c in range(6)
                if inside[c]
            ),
            Fraction(0),
        )

    return go((0,) * 6, bag, 0, plan[0])


def all_hands(most: int) -> list[Hand]:
    """Every collection of up to `most` flowers."""
    return [hand for hand in product(range(most + 1), repeat=6) if sum(hand) <= most]
