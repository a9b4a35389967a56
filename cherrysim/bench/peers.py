"""What people would use instead: the same questions by numpy, scipy, icepool, numba and plain Python.

Every peer is written as well as its library allows; what does not depend on the bag is prepared beforehand.
A simulating peer returns how many collections failed, an exact one the chances after 1, 2, ... 8 flowers.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cherrysim.belief import Belief
from cherrysim.chances import failure_chances
from cherrysim.flowers import BLACK, Flowers
from cherrysim.hands import conditions
from cherrysim.rules import OFFICIAL

if TYPE_CHECKING:
    from fractions import Fraction

Counts = tuple[int, ...]
MOST = 8


def installed(name: str) -> bool:
    """Whether a library can be imported."""
    return find_spec(name) is not None


def fails(collections: NDArray[Any]) -> NDArray[np.bool_]:
    """Which collections (rows of six counts) have failed, by the official rules; ruling R1."""
    black = collections[:, BLACK]
    alike = collections[:, :BLACK].max(axis=1) + black >= OFFICIAL.alike
    different = (collections[:, :BLACK] > 0).sum(axis=1) + black >= OFFICIAL.different
    failed: NDArray[np.bool_] = alike | different
    return failed


def numpy_draws(bag: Counts, drawn: int, count: int, method: Any) -> Callable[[], int]:
    """numpy's multivariate hypergeometric, by `count` or by `marginals`, and a predicate on whole columns."""
    rng = np.random.default_rng(1)
    return lambda: int(fails(rng.multivariate_hypergeometric(bag, drawn, count, method=method)).sum())


def scipy_draws(bag: Counts, drawn: int, count: int) -> Callable[[], int]:
    """scipy's random variates and the same predicate."""
    from scipy.stats import multivariate_hypergeom

    rng = np.random.default_rng(1)
    return lambda: int(fails(multivariate_hypergeom.rvs(bag, drawn, size=count, random_state=rng)).sum())


def sampled_draws(bag: Counts, drawn: int, count: int) -> Callable[[], int]:
    """Plain Python: `random.sample` of the tokens, then the rule of the truth floor."""
    tokens = [colour for colour, n in enumerate(bag) for _ in range(n)]
    rng = random.Random(1)

    def run() -> int:
        failed = 0
        for _ in range(count):
            sample = rng.sample(tokens, drawn)
            failed += bool(conditions(tuple(map(sample.count, range(BLACK + 1))), OFFICIAL))
        return failed

    return run


def numba_draws(bag: Counts, drawn: int, count: int) -> Callable[[], int]:
    """A Fisher-Yates shuffle as anybody would write it with numba."""
    from cherrysim.kernels.repeat import shuffled_failures

    tokens, limits = np.array(bag), np.array([OFFICIAL.alike, OFFICIAL.different])
    return lambda: int(shuffled_failures(tokens, drawn, limits, count))


def scipy_odds(bag: Counts) -> Callable[[], NDArray[np.float64]]:
    """scipy's probability of every composition of 1 to 8 flowers in one call, the failed ones added up."""
    from scipy.stats import multivariate_hypergeom

    rows = np.array(
        sorted((x for x in product(range(MOST + 1), repeat=BLACK + 1) if 0 < sum(x) <= MOST), key=sum)
    )
    sizes, failed = rows.sum(axis=1), fails(rows)
    starts = np.searchsorted(sizes, range(1, MOST + 1))

    def run() -> NDArray[np.float64]:
        chances: NDArray[np.float64] = np.add.reduceat(
            multivariate_hypergeom.pmf(rows, bag, sizes) * failed, starts
        )
        return chances

    return run


def icepool_odds(bag: Counts) -> Callable[[], Sequence[Fraction]]:
    """icepool's evaluation of a deck, for each number of flowers."""
    import icepool

    class Failed(icepool.MultisetEvaluator):  # type: ignore[misc]
        def next_state(self, state: Any, order: Any, outcome: Any, count: int) -> Any:
            most, different, blacks = state or (0, 0, 0)
            if outcome == BLACK:
                return most, different, count
            return max(most, count), different + (count > 0), blacks

        def final_outcome(self, state: Any, *_: Any) -> bool:
            most, different, blacks = state or (0, 0, 0)
            return bool(most + blacks >= OFFICIAL.alike or different + blacks >= OFFICIAL.different)

    def run() -> Sequence[Fraction]:
        deck = icepool.Deck({colour: n for colour, n in enumerate(bag) if n})
        return [Failed().evaluate(deck.deal(n)).probability(True) for n in range(1, MOST + 1)]

    return run


def plain_odds(bag: Counts) -> Callable[[], Sequence[Fraction]]:
    """The truth floor: exact fractions in plain Python."""
    belief = Belief.of(Flowers(*bag))
    return lambda: failure_chances(belief, (0,) * (BLACK + 1), OFFICIAL, MOST)[1:]
