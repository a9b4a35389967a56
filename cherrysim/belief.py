"""Beliefs: what the bag may hold, as far as somebody at the table can know.

Rulebook: "2-Player Variant" (three tokens leave unseen), "Shin Sumizome" (one drawn in secret); R8, R9.
The one formula: a token that left the bag unseen is as good as one still in it until something is put
back, since both are random among the tokens never seen. So a belief is a *pool* of tokens of which
`hidden` are not in the bag, drawn from as if it were the bag; putting flowers back (they are known to be
in) splits it into one pool for every possible set of hidden tokens, weighted by prod C(pool_c, hidden_c);
a draw multiplies a pool's weight by prod C(pool_c, drawn_c).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb, gcd, prod

from cherrysim.flowers import COLOURS, Flowers, Refused, number_of, shown

Counts = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Belief:
    """Possible pools with whole-number weights, all of one size; `hidden` tokens of each are not in the bag.

    Raises `Refused` where a draw is impossible under every pool. Source: Bayes' rule, rulings R8 and R9.

    >>> belief = Belief.of(Flowers.parse("P7 Y2 L2 D1 W1 B1"), hidden=3)
    >>> failed = belief.draw(Flowers.parse("PPP")).put_back(Flowers.parse("PP"))
    >>> failed.size, len(failed.pools)
    (10, 36)
    """

    pools: tuple[tuple[Counts, int], ...]
    hidden: int = 0

    @classmethod
    def of(cls, bag: Flowers | str, hidden: int = 0) -> Belief:
        """A bag known but for `hidden` tokens, which are among `bag` and not in it."""
        bag = Flowers.of(bag)
        _check_number(hidden, "hidden tokens")
        if bag.total < hidden:
            raise Refused(
                f"{number_of(bag.total, 'flower')} of which {hidden} are not in the bag; "
                "no more can be missing than there are; "
                "name every flower never seen, or set --set-aside 0 if you know the bag"
            )
        return cls(((bag.counts, 1),), hidden)

    @property
    def size(self) -> int:
        """How many flowers are really in the bag."""
        return sum(self.pools[0][0]) - self.hidden

    @property
    def known(self) -> bool:
        """Whether the bag is known flower by flower."""
        return len(self.pools) == 1 and not self.hidden

    @property
    def possible(self) -> int:
        """How many different bags are possible."""
        return sum(1 for _ in self.bags())

    @property
    def most(self) -> Flowers:
        """The most of each colour that any pool holds."""
        return Flowers(*map(max, zip(*(pool for pool, _ in self.pools), strict=True)))

    @property
    def total_weight(self) -> int:
        """The weights' sum; a pool's probability is its weight over this."""
        return sum(weight for _, weight in self.pools)

    def draw(self, flowers: Flowers) -> Belief:
        """The belief after exactly these flowers came out of the bag, seen by all."""
        drawn = flowers.counts
        if flowers.total > self.size:
            raise Refused(
                f"{number_of(flowers.total, 'flower')} drawn from {self.size}; "
                "the bag has no more; check the draws"
            )
        found: dict[Counts, int] = {}
        for pool, weight in self.pools:
            likelihood = prod(map(comb, pool, drawn))
            if likelihood:
                found[tuple(n - k for n, k in zip(pool, drawn, strict=True))] = weight * likelihood
        if not found:
            raise Refused(
                f"{flowers} cannot be drawn: the bag cannot hold them; check the flowers seen so far"
            )
        return Belief(_reduced(found), self.hidden)

    def put_back(self, flowers: Flowers) -> Belief:
        """The belief after these flowers, seen by all, went back into the bag."""
        if not flowers.total:
            return self
        back = flowers.counts
        return Belief(_reduced({tuple(map(sum, zip(bag, back, strict=True))): n for bag, n in self.bags()}))

    def draw_unseen(self, n: int = 1) -> Belief:
        """The belief of everybody else after `n` tokens were drawn in secret."""
        _check_number(n, "tokens drawn in secret")
        if n > self.size:
            raise Refused(
                f"{number_of(n, 'flower')} drawn in secret from {self.size}; "
                "the bag has no more; check the count"
            )
        return Belief(self.pools, self.hidden + n)

    def bags(self) -> Iterator[tuple[Counts, int]]:
        """Every possible bag with its weight, the hidden tokens taken out."""
        found: dict[Counts, int] = {}
        for pool, weight in self.pools:
            for taken in _choices(pool, self.hidden):
                bag = tuple(n - k for n, k in zip(pool, taken, strict=True))
                found[bag] = found.get(bag, 0) + weight * prod(map(comb, pool, taken))
        yield from found.items()

    def expected(self) -> tuple[Fraction, ...]:
        """The expected count of each colour in the bag."""
        share = Fraction(self.size, (self.size + self.hidden) * self.total_weight)
        return tuple(
            share * sum(pool[c] * weight for pool, weight in self.pools) for c in range(len(COLOURS))
        )


def _check_number(n: int, what: str) -> None:
    if type(n) is not int or n < 0:
        raise Refused(f"{shown(n)} {what}; they are counted from 0 up; write a whole number")


def _choices(pool: Counts, n: int) -> Iterator[Counts]:
    """Every way, by colour, to take `n` tokens out of a pool."""
    if not n:
        yield (0,) * len(pool)
        return
    for first in product(*(range(min(count, n) + 1) for count in pool[:-1])):
        last = n - sum(first)
        if 0 <= last <= pool[-1]:
            yield (*first, last)


def _reduced(weights: dict[Counts, int]) -> tuple[tuple[Counts, int], ...]:
    """Pools in a fixed order with their weights' common factor taken out, so that equal beliefs are equal."""
    factor = gcd(*weights.values())
    return tuple((pool, weight // factor) for pool, weight in sorted(weights.items()))
