"""Two games by other rules, from the same bags with the same randomness: what changed, and how sure that is.

The one formula: with x[game] what a game came to, a difference of means has the error sd(x' - x) / sqrt(n),
and one of two rates x / y per turn that of the residuals (x' - r' y') / mean y' - (x - r y) / mean y.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

from cherrysim.blocks import cores
from cherrysim.policy import parse
from cherrysim.report.frame import APART, CHANCE, CHANCES_APART, SHARE, Budget, Number
from cherrysim.rules import Rules
from cherrysim.simulate import CHUNK, COLUMNS, arrays
from cherrysim.simulate.blocks import Block, Work, play_blocks
from cherrysim.stats import Estimate

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Measure:
    """What a game came to: a name, a unit, its value in every game and, for a rate, what it is a rate of."""

    name: str
    unit: str
    values: NDArray[Any]
    per: NDArray[Any] | None = None

    def number(self) -> Number:
        """The mean, or the rate, over all games."""
        sign = "+" if self.unit == APART else ""
        return Number.of(_estimate(self._mean, self._residuals), self.unit, sign)

    def less(self, other: Measure) -> Number:
        """This less another of the same games; shares and chances in hundredths."""
        apart = {CHANCE: CHANCES_APART, SHARE: APART}
        found = _estimate(self._mean - other._mean, self._residuals - other._residuals)
        return Number.of(found, apart.get(self.unit, self.unit), "+")

    @property
    def _mean(self) -> float:
        return float(self.values.mean() if self.per is None else self.values.sum() / self.per.sum())

    @property
    def _residuals(self) -> NDArray[Any]:
        if self.per is None:
            return self.values - self._mean
        found: NDArray[Any] = (self.values - self._mean * self.per) / self.per.mean()
        return found


def _estimate(mean: float, residuals: NDArray[Any]) -> Estimate:
    n = len(residuals)
    spread = float(residuals.std(ddof=1)) / sqrt(n)
    return Estimate(mean, spread or 1 / (n + 1), n)  # all equal: what one more game, a unit away, would show


def measures(rules: Rules, policy: str, games: int, seed: int, budget: Budget) -> Mapping[str, Measure]:
    """What games of a policy at every seat came to, by name; `KeyboardInterrupt` where Ctrl-C ended them."""
    import numpy as np

    rows = _rows(rules, policy, games, seed, budget)
    column = {name: rows[:, :, i].astype(float) for i, name in enumerate(COLUMNS)}
    sharing = column["sharing"]
    shares = np.divide(1.0, sharing, out=np.zeros_like(sharing), where=sharing > 0)
    score = column["score"]
    turns, failures = column["turns"].sum(axis=1), column["failures"].sum(axis=1)
    found = [
        Measure("turns a game", "turns", turns),
        Measure("turns that fail", CHANCE, failures, turns),
        Measure("score of a seat", "points", score.mean(axis=1)),
        Measure("score of the winner", "points", score.max(axis=1)),
        Measure("winner less last", "points", score.max(axis=1) - score.min(axis=1)),
        Measure("points in front", "points", column["front"].mean(axis=1)),
        Measure("points behind", "points", (column["warm"] + column["cool"]).mean(axis=1)),
        *(Measure(f"share of seat {seat}", SHARE, shares[:, seat]) for seat in range(rules.players)),
        Measure("first seat less last", APART, shares[:, 0] - shares[:, -1]),
        Measure("cards a game", "cards", column["cards"].sum(axis=1)),
        Measure("games ended after 400 turns", CHANCE, column["capped"].max(axis=1)),
    ]
    return {measure.name: measure for measure in found}


def _rows(rules: Rules, policy: str, games: int, seed: int, budget: Budget) -> NDArray[Any]:
    """The result rows: game, seat, column."""
    import numpy as np

    arrays.check(rules)
    work = Work(rules, (parse(policy),) * rules.players, seed, rows=True)
    kept: list[NDArray[Any]] = []
    done = 0

    def take(block: Block) -> None:
        nonlocal done
        assert block.rows is not None
        kept.append(block.rows)
        done += block.games
        budget.done(done / games)

    question = json.dumps([policy, rules.to_json(), games, seed]).encode()
    name = f"{policy} {hashlib.sha256(question).hexdigest()[:8]}"
    part = budget.run.part(name, CHUNK) if budget.run else None
    play_blocks(work, games, CHUNK, budget.threads or cores(), None, take, part)
    if done < games:
        raise KeyboardInterrupt
    if part:
        part.end(f"{games} games")
    return np.concatenate(kept).reshape(games, rules.players, -1)
