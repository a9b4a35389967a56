"""Where the draws of one turn can lead, flower by flower, whatever the ends are worth: for small bags only.

Rulebook: "Collect Flowers"; rulings R1 to R8, R10, R22. With N tokens in a pool at the moment that h0 is in
hand and M(g) = sum over pools of weight x prod C(pool_c, g_c),

    P(h0 + g after drawing k more onto h0 + h) = M(g) prod C(g_c, h_c) / (M(h) C(N - |h|, k)).

Unlike in `turn`, failed collections stay apart where they leave different beliefs: what goes back is seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import comb, lcm, prod

from cherrysim.belief import Belief
from cherrysim.flowers import BLACK, COLOURS, Flowers, Refused
from cherrysim.hands import Hand, colours_in, conditions, keeps
from cherrysim.rules import Rules

Failure = tuple[tuple[Hand, Belief], ...]
"""What a failed collection may keep, each with the belief that what goes back leaves."""
Step = tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]
"""One draw: safe collections and failures it may lead to, each with its chance times `Drawing.scale`."""

NO_FLOWERS: Hand = (0,) * len(COLOURS)


class Drawing:
    """Every draw from a belief onto a collection: `steps[i][n - 1]` is that of n flowers onto `safe[i]`.

    `safe[0]` is the collection in hand, `rests[i]` the belief left after `safe[i]`. `circle` is the failure
    that changes nothing (only blacks were drawn), -1 where there is none.
    """

    def __init__(self, bag: Belief, hand: Hand, rules: Rules) -> None:
        self.bag, self.hand = bag, hand
        most = min(rules.flowers - sum(hand), bag.size)
        self._tokens = bag.size + bag.hidden
        self._mass = dict(masses(bag, most))
        whole = {drawn: _sum(hand, drawn) for drawn in self._mass}
        drawn_safe = [drawn for drawn, held in whole.items() if not conditions(held, rules)]
        self.safe = [whole[drawn] for drawn in drawn_safe]
        self.rests = [bag.draw(Flowers(*drawn)) for drawn in drawn_safe]
        self.failures: list[Failure] = []
        failed = self._sort_failures([(d, g) for d, g in whole.items() if conditions(g, rules)])
        self.draws, most = self._allowed(rules.draws, most)
        index = {drawn: i for i, drawn in enumerate(drawn_safe)}
        chances = [
            [self._chances(drawn, n, index, failed) for n in range(1, most - sum(drawn) + 1)]
            for drawn in drawn_safe
        ]
        self.scale = lcm(*(p.denominator for by_size in chances for step in by_size for _, _, p in step))
        self.steps: list[list[Step]] = [
            [self._step(step, len(self.safe)) for step in by_size] for by_size in chances
        ]
        self.circle = next(
            (i for i, ways in enumerate(self.failures) if ways == ((NO_FLOWERS, bag),) and not sum(hand)), -1
        )

    def _allowed(self, draws: int, most: int) -> tuple[int, int]:
        """At most so many draws and flowers: what is certain to change nothing is left out (ruling R22)."""
        only_blacks = not any(any(pool[:BLACK]) for pool, _ in self.bag.pools) and not any(self.hand[:BLACK])
        if only_blacks:
            return (0, 0) if sum(self.hand) else (1, 1)
        return draws, most

    def _sort_failures(self, failed: Iterable[tuple[Hand, Hand]]) -> dict[Hand, int]:
        """The place in `failures` of each failed draw; those that leave the same choices share one."""
        places: dict[Failure, int] = {}
        found = {}
        for drawn, collection in failed:
            after = self.bag.draw(Flowers(*drawn))
            ways = tuple(
                (kept, after.put_back(Flowers(*collection) - Flowers(*kept)))
                for kept in keeps(colours_in(collection))
            )
            if not sum(collection[:BLACK]) and len({pool[BLACK] for pool, _ in ways[0][1].pools}) > 1:
                raise Refused(
                    f"a failure with {collection[BLACK]} blacks alone tells more about the bag each time, "
                    "without end; the exact endgame then needs a known number of blacks; ask later on"
                )
            found[drawn] = places.setdefault(ways, len(places))
        self.failures = list(places)
        return found

    def _chances(
        self, drawn: Hand, n: int, index: dict[Hand, int], failed: dict[Hand, int]
    ) -> list[tuple[bool, int, Fraction]]:
        """One draw of n: (safe?, place, chance) of everything it may lead to."""
        total = self._mass[drawn] * comb(self._tokens - sum(drawn), n)
        safe: dict[int, int] = {}
        lost: dict[int, int] = {}
        for larger, mass in self._mass.items():
            if sum(larger) == sum(drawn) + n and all(map(int.__le__, drawn, larger)):
                found, place = (safe, index[larger]) if larger in index else (lost, failed[larger])
                found[place] = found.get(place, 0) + mass * prod(map(comb, larger, drawn))
        return [(True, place, Fraction(ways, total)) for place, ways in safe.items()] + [
            (False, place, Fraction(ways, total)) for place, ways in lost.items()
        ]

    def _step(self, chances: Sequence[tuple[bool, int, Fraction]], n_safe: int) -> Step:
        scaled = [(safe, place, int(p * self.scale)) for safe, place, p in chances]
        return (
            tuple((place, ways) for safe, place, ways in scaled if safe),
            tuple((place, ways) for safe, place, ways in scaled if not safe),
        )


def masses(bag: Belief, most: int) -> Iterator[tuple[Hand, int]]:
    """Every collection of up to `most` flowers that the bag may give, with M of the module's formula."""
    largest = [min(most, max(pool[c] for pool, _ in bag.pools)) for c in range(len(COLOURS))]
    for drawn in sorted(product(*(range(n + 1) for n in largest)), key=sum):
        if sum(drawn) <= most:
            ways = sum(weight * prod(map(comb, pool, drawn)) for pool, weight in bag.pools)
            if ways:
                yield drawn, ways


def _sum(a: Hand, b: Hand) -> Hand:
    return tuple(x + y for x, y in zip(a, b, strict=True))
