"""A game so small that all its orders can be played by hand: what two plans win from it, exactly."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations

from cherrysim.flowers import Flowers
from cherrysim.rules import Rules
from cherrysim.scoring import score

RULES = Rules(
    players=2, cards=(), set_aside=0, alike=5, different=6, flowers=4, counts=Flowers.parse("P2 Y2 L2 D1"),
    front_table=(0, -1, 1, 4), warm=(9, 4, 0), cool=(8, 5, 0),
)  # fmt: skip
"""Nothing fails, so that a plan is carried out; seven flowers, 630 different orders."""


def orders() -> Iterator[tuple[int, ...]]:
    tokens = [c for c, n in enumerate(RULES.counts.counts) for _ in range(n)]
    yield from set(permutations(tokens))


def played(order: tuple[int, ...], sizes: tuple[int, int]) -> list[Fraction]:
    """The shares of seats that draw so many flowers a turn and hide their commonest on odd turns."""
    fronts, behinds = [[0] * 6, [0] * 6], [[0] * 6, [0] * 6]
    left, turn = list(order), 0
    while left:
        seat, size = turn % 2, sizes[turn % 2]
        hand = [left[:size].count(c) for c in range(6)]
        del left[:size]
        if turn // 2 % 2 == 0:
            commonest = max(range(6), key=lambda c: (hand[c], -c))
            behinds[seat][commonest] += hand[commonest]
            hand[commonest] = 0
        fronts[seat] = [a + b for a, b in zip(fronts[seat], hand, strict=True)]
        turn += 1
    ended = score([Flowers(*own) for own in fronts], [Flowers(*own) for own in behinds], RULES)
    totals = [player.total for player in ended.players]
    return [Fraction(total == max(totals), totals.count(max(totals))) for total in totals]


def shares(one: int, other: int) -> tuple[Fraction, Fraction]:
    """The share of the first of two plans at seat 0 and at seat 1."""
    all_orders = list(orders())
    first = sum((played(order, (one, other))[0] for order in all_orders), Fraction(0))
    second = sum((played(order, (other, one))[1] for order in all_orders), Fraction(0))
    return first / len(all_orders), second / len(all_orders)
