"""Arrays: what the compiled kernels read, built from rules, beliefs and valuations.

The universe of collections and its pairs become arrays once for each set of limits; a belief becomes pools
and weights. Only code that runs kernels imports this module: it needs numpy and numba.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb, lcm, prod

import numpy as np
from numpy.typing import NDArray

from cherrysim.belief import Belief, Counts
from cherrysim.hands import SETS, Universe, universe
from cherrysim.kernels.odds import MOST, ROWS
from cherrysim.kernels.quads import WIDTH
from cherrysim.kernels.turn import Hands, Space
from cherrysim.rules import Rules

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def limits(rules: Rules) -> Integers:
    """The limits of a collection as the odds kernel reads them: alike, different, flowers."""
    return np.array([rules.alike, rules.different, rules.flowers])


def odds_arrays() -> tuple[Floats, Floats]:
    """Scratch and answer of the odds kernel."""
    return np.zeros((ROWS, MOST + 1)), np.zeros(MOST + 1)


def hands(rules: Rules) -> Hands:
    """The safe collections and their pairs; the same arrays for equal limits, not to be written to.

    >>> official = hands(Rules())
    >>> len(official.size), len(official.larger)
    (238, 4678)
    """
    return _hands(universe(rules))


@lru_cache(maxsize=8)
def _hands(known: Universe) -> Hands:
    flowers = known.rules.flowers
    parents = [_parent(known, i) for i in range(len(known.hands))]
    first = np.zeros((len(known.hands), flowers + 2), np.int64)
    larger: list[int] = []
    weight: list[float] = []
    for i, hand in enumerate(known.hands):
        first[i] = len(larger)
        for k, layer in enumerate(known.larger(i), 1):
            larger += [j for j, _ in layer]
            weight += [ways / comb(sum(hand) + k, k) for _, ways in layer]
            first[i, k + 1 :] = len(larger)
    return Hands(
        size=np.array([sum(hand) for hand in known.hands]),
        colours=np.array(known.colours),
        parent=np.array([parent for parent, _, _ in parents]),
        colour=np.array([colour for _, colour, _ in parents]),
        count=np.array([count for _, _, count in parents]),
        first=first,
        larger=np.array(larger, np.uint16),
        weight=np.array(weight),
        window=np.array([held * (flowers + 1) - held * (held - 1) // 2 for held in range(flowers + 1)]),
    )


def _parent(known: Universe, i: int) -> tuple[int, int, int]:
    """A collection less one flower: its place, that flower's colour, how many of the colour are left."""
    hand = known.hands[i]
    if not i:
        return 0, 0, 0
    colour = next(c for c, n in enumerate(hand) if n)
    smaller = (*hand[:colour], hand[colour] - 1, *hand[colour + 1 :])
    return known.index[smaller], colour, smaller[colour]


def space(rules: Rules, pools: int = 1) -> Space:
    """Room for the tables of one turn under these limits, from a belief of so many pools."""
    count, flowers = len(universe(rules).hands), rules.flowers
    windows = _whole_quads((flowers + 1) * (flowers + 2) // 2)
    return Space(
        drawable=np.zeros(1, np.int64),
        mass=np.zeros(count),
        shares=np.zeros((pools, count)),
        inside=np.zeros((pools * SETS, windows)),
        expected=np.zeros((SETS, windows)),
        base=np.zeros((count, flowers + 1)),
        excess=np.zeros((count, WIDTH)),
        options=np.zeros((flowers + 1, WIDTH)),
        reach=np.zeros((count, rules.draws + 1)),
        sums=np.zeros(SETS),
    )


def plan_arrays(rules: Rules) -> tuple[Floats, Integers]:
    """The turn kernel's answers: values and choices by collection and draws left."""
    shape = (len(universe(rules).hands), 1 + _whole_quads(rules.draws))
    return np.zeros(shape), np.zeros(shape, np.int64)


def _whole_quads(n: int) -> int:
    return -(-n // WIDTH) * WIDTH


def pools(belief: Belief, hand: Counts = (0,) * 6) -> tuple[Integers, Floats]:
    """A belief's pools and weights adding up to 1, with `hand`, the last flowers drawn, put back in.

    >>> pools(Belief((((1, 1, 0, 0, 0, 0), 1), ((0, 2, 0, 0, 0, 0), 1))))[1]
    array([0.5, 0.5])
    """
    before = [tuple(n + k for n, k in zip(pool, hand, strict=True)) for pool, _ in belief.pools]
    ways = [prod(map(comb, pool, hand)) for pool in before]
    common = lcm(*ways)
    weights = [weight * (common // n) for (_, weight), n in zip(belief.pools, ways, strict=True)]
    total = sum(weights)
    return np.array(before), np.array([weight / total for weight in weights])
