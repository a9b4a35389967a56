"""The turn in numpy: the pairs and the formula of the kernel, all pairs of a number of draws at once."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cherrysim import arrays
from cherrysim.flowers import BLACK
from cherrysim.hands import SETS, universe
from cherrysim.rules import Rules
from cherrysim.turn import TIED, Valuation

Floats = NDArray[np.float64]


class NumpyTurn:
    """One turn from the empty hand and a known bag; what the bag does not decide is prepared here."""

    def __init__(self, rules: Rules, valuation: Valuation) -> None:
        hands = arrays.hands(rules)
        self._rules = rules
        self._counts = np.array(universe(rules).hands)
        self._size, self._colours = hands.size, hands.colours
        self._keep, bust = np.array(valuation.keep, float), np.array(valuation.bust, float)
        self._bust = bust[self._colours]
        self._pairs = hands.larger.astype(np.int64)
        self._weight = hands.weight
        draws = np.diff(hands.first, axis=1)  # column k: pairs of k more
        self._rows = rules.flowers + 1
        self._into = np.repeat(np.arange(draws.size), draws.ravel())
        sets = np.arange(SETS)
        self._has = (sets[:, None] >> np.arange(BLACK) & 1).astype(float)
        self._within = ((sets[:, None] & sets) == sets[:, None]).astype(float)  # [set, larger set]
        sign = 1.0 - 2 * (self._has.sum(axis=1) % 2)
        self._sums = (self._within * sign[:, None] * sign) @ bust
        self._more = np.arange(self._rows)

    def solve(self, pool: Any) -> tuple[Floats, NDArray[np.int64]]:
        """Values and choices [hand, draws left] of best play, ties to stop and the smaller draw."""
        rules, tokens = self._rules, int(pool.sum())
        mass = self._mass(pool, tokens)
        base = self._failing(pool, tokens)
        possible = self._size[:, None] + self._more <= min(rules.flowers, tokens)
        possible[:, 0] = False
        reachable = mass > 0
        per = np.where(reachable, 1 / np.where(reachable, mass, 1), np.nan)
        values, choices = [np.where(reachable, self._keep, np.nan)], [np.zeros(len(mass), np.int64)]
        stop = self._keep.copy()
        stop[0] = -np.inf if tokens else stop[0]
        for _ in range(rules.draws):
            excess = np.where(reachable, (values[-1] - self._bust) * mass, 0.0)
            gained = np.bincount(self._into, self._weight * excess[self._pairs], base.size).reshape(
                base.shape
            )
            options = np.where(possible, gained * per[:, None] + base, -np.inf)
            options[:, 0] = stop
            best = options.max(axis=1)
            enough = best - float(TIED) * np.maximum(1, np.abs(best))
            choice = (options >= enough[:, None]).argmax(axis=1)
            values.append(np.where(reachable, options[np.arange(len(mass)), choice], np.nan))
            choices.append(choice)
        return np.array(values).T, np.array(choices).T

    def _mass(self, pool: Any, tokens: int) -> Floats:
        """The chance that as many flowers are exactly the hand's."""
        steps = np.maximum(pool[:, None] - self._more[:-1], 0) / (self._more[:-1] + 1)
        ways = np.concatenate([np.ones((len(pool), 1)), np.cumprod(steps, axis=1)], axis=1)
        alls = np.array([float(comb(tokens, n)) or np.inf for n in range(self._rows)])
        found: Floats = ways[np.arange(BLACK + 1), self._counts].prod(axis=1) / alls[self._size]
        return found

    def _failing(self, pool: Any, tokens: int) -> Floats:
        """What drawing k more onto each hand is worth if everything were to fail."""
        own = self._has @ pool[:BLACK] + pool[BLACK]
        held = np.arange(2 * self._rows)
        one = np.maximum(own[:, None] - held, 0) / np.maximum(tokens - held, 1)
        windows = np.lib.stride_tricks.sliding_window_view(one, self._rows - 1, axis=1)[:, : self._rows]
        inside = np.concatenate([np.ones((SETS, self._rows, 1)), np.cumprod(windows, axis=2)], axis=2)
        expected = (self._within @ (self._sums[:, None] * inside.reshape(SETS, -1))).reshape(inside.shape)
        found: Floats = expected[self._colours, self._size]
        return found
