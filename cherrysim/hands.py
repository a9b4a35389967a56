"""The universe of collections: which have failed and why, which are safe, what a failure keeps, which
cards match.

Rulebook: "Successful or Failed Collection", "The Black Flowers", "Display Flowers", "Mastery Cards".
With c the counts of the five colours, d the colours present and b the blacks, a collection has failed iff
max(c) + b >= alike or d + b >= different (ruling R1: the blacks take whatever colours make it fail).
Failing is monotone: a collection that has failed stays failed whatever is added.
"""

from __future__ import annotations

import dataclasses
from functools import cache, cached_property, lru_cache
from itertools import combinations
from math import comb, prod

from cherrysim.flowers import BLACK, COLOURS, Flowers
from cherrysim.rules import CARDS, FOUR_COLOURS, SIX_FLOWERS, TWO_PAIRS, Rules

Hand = tuple[int, ...]
"""Six counts, P Y L D W B: a collection inside the solvers."""

SETS = 32
"""Sets of the five colours, as bits (pink 1, yellow 2, ...): the failure classes."""


def conditions(hand: Hand, rules: Rules) -> tuple[str, ...]:
    """Which of the two failures a collection meets: `three` (too many alike), `five` (too many different).

    >>> conditions((2, 0, 0, 1, 0, 1), Rules()), conditions((0, 1, 1, 0, 1, 2), Rules())
    (('three',), ('three', 'five'))
    """
    colours, blacks = hand[:BLACK], hand[BLACK]
    different = min(sum(1 for n in colours if n) + blacks, BLACK)
    met = (("three", max(colours) + blacks >= rules.alike), ("five", different >= rules.different))
    return tuple(name for name, holds in met if holds)


def why_failed(hand: Hand, rules: Rules) -> str:
    """The failures a collection meets, in words; empty for a safe one.

    >>> why_failed((2, 0, 1, 1, 0, 1), Rules()), why_failed((0, 1, 1, 1, 0, 2), Rules())
    ('3 alike', '3 alike and 5 different')
    """
    words = {"three": f"{rules.alike} alike", "five": f"{rules.different} different"}
    return " and ".join(words[name] for name in conditions(hand, rules))


def colours_in(hand: Hand) -> int:
    """The failure class of a collection: the set of its colours, as bits; blacks go back and do not count."""
    return sum(1 << i for i in range(BLACK) if hand[i])


def keeps(colours: int) -> list[Hand]:
    """What a failed collection with this set of colours may keep (ruling R10), in the order P Y L D W."""
    present = [i for i in range(BLACK) if colours >> i & 1]
    chosen = list(combinations(present, 2)) if len(present) > 1 else [tuple(present)]
    return [tuple(1 if i in pair else 0 for i in range(len(COLOURS))) for pair in chosen]


def matches(hand: Hand, pattern: str) -> bool:
    """Whether a safe collection holds a card's combination, blacks taking any colours (ruling R13)."""
    colours, blacks = sorted(hand[:BLACK], reverse=True), hand[BLACK]
    if pattern == TWO_PAIRS:
        return max(0, 2 - colours[0]) + max(0, 2 - colours[1]) <= blacks
    if pattern == FOUR_COLOURS:
        return sum(1 for n in colours if n) + blacks >= 4
    return sum(hand) >= 6


def cards_of(hand: Flowers, rules: Rules) -> tuple[str, ...]:
    """The cards of this game that a safe collection may use; none for a failed one."""
    if conditions(hand.counts, rules):
        return ()
    return tuple(name for name in rules.cards if matches(hand.counts, CARDS[name].pattern))


PATTERNS = (TWO_PAIRS, FOUR_COLOURS, SIX_FLOWERS)


@dataclasses.dataclass(frozen=True)
class Universe:
    """Every safe collection under one set of limits, by size and then P Y L D W B; `universe(rules)` gives
    it.

    >>> official = universe(Rules())
    >>> len(official.hands), [len(size) for size in official.by_size]
    (238, [1, 6, 21, 40, 55, 50, 40, 20, 5])
    """

    rules: Rules

    @cached_property
    def hands(self) -> tuple[Hand, ...]:
        return tuple(hand for size in self.by_size for hand in size)

    @cached_property
    def by_size(self) -> tuple[tuple[Hand, ...], ...]:
        """Safe collections of 0, 1, ... flowers; each grows from a smaller one, as failing is monotone."""
        sizes: list[tuple[Hand, ...]] = [((0,) * len(COLOURS),)]
        for _ in range(self.rules.flowers):
            grown = {
                (*hand[:i], hand[i] + 1, *hand[i + 1 :]) for hand in sizes[-1] for i in range(len(COLOURS))
            }
            sizes.append(tuple(sorted((h for h in grown if not conditions(h, self.rules)), reverse=True)))
        return tuple(sizes)

    @cached_property
    def index(self) -> dict[Hand, int]:
        """The place of each safe collection in `hands`."""
        return {hand: i for i, hand in enumerate(self.hands)}

    @cached_property
    def colours(self) -> tuple[int, ...]:
        """The set of colours of each safe collection."""
        return tuple(colours_in(hand) for hand in self.hands)

    @cache  # noqa: B019 - a universe is one of a few and lives as long as the process
    def larger(self, i: int) -> tuple[tuple[tuple[int, int], ...], ...]:
        """The safe collections that contain hand `i` with 1, 2, ... flowers more, each with the number of
        ways to choose hand `i` from it (the constant of a pair in the turn solver)."""
        hand = self.hands[i]
        found: list[tuple[tuple[int, int], ...]] = []
        layer = {hand}
        for _ in range(self.rules.flowers - sum(hand)):
            layer = {(*h[:c], h[c] + 1, *h[c + 1 :]) for h in layer for c in range(len(COLOURS))}
            layer = {h for h in layer if h in self.index}
            found.append(
                tuple(
                    (self.index[h], prod(map(comb, h, hand)))
                    for h in sorted(layer, key=self.index.__getitem__)
                )
            )
        return tuple(found)


@lru_cache(maxsize=8)
def _universe(limits: tuple[int, int, int]) -> Universe:
    alike, different, flowers = limits
    return Universe(Rules(alike=alike, different=different, flowers=flowers))


def universe(rules: Rules) -> Universe:
    """The safe collections under these rules; the same object for equal limits."""
    return _universe((rules.alike, rules.different, rules.flowers))
