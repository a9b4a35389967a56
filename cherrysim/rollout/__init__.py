"""Win chances by playing on: every choice at a table, with errors that stay right however long one watches.

Games are played on from each choice by policies (`games`, `starts`), all choices by the same batches, and go
to those still in contention. The one formula: with x[batch] what a batch says of a choice, or of the best
choice less another, the mean of n batches has the standard error

    sqrt((sum x^2 / n - mean^2) / (n - 1)),

with Student's interval where the number of batches was fixed, and `stats.always_valid` where it depended on
what they said. `truncated` games stop after some turns at what the learned model says of the table: quick and
slightly biased; `rollout` games go to the end.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

from cherrysim.blocks import cores, in_order
from cherrysim.flowers import Refused
from cherrysim.moves import Move
from cherrysim.policy import Policy, parse
from cherrysim.rollout.games import Plan, Table
from cherrysim.rollout.starts import question
from cherrysim.simulate import arrays, check_whole
from cherrysim.simulate.blocks import interruptible
from cherrysim.stats import Estimate, always_valid, student
from cherrysim.table import Table as Moment

if TYPE_CHECKING:
    from numpy.typing import NDArray

METHODS = ("truncated", "rollout")
GAMES = 64
"""Games of a batch: more where there are many choices, fewer where `LEAST` batches would be too many."""
ROUND = 8
"""Batches between two looks."""
LEAST = 16
"""Batches before a choice is given up or anything is called separate."""
TUNED = 64
"""Batches at which always-valid intervals are narrowest."""
MOST_GAMES = {"truncated": 20_000, "rollout": 200_000}
TURNS = 6
"""Turns of a truncated game after the one at hand."""


@dataclass(frozen=True)
class Rolled:
    """A choice: `share` and `score` of the player to move, `margin` of that score over a rival's best,
    `difference` of share to the best choice (0 or less), `shares` and `scores` of all seats, the games behind
    it, and whether it was `contending` to the end."""

    move: Move
    share: Estimate
    score: Estimate
    margin: Estimate
    difference: Estimate
    shares: tuple[float, ...]
    scores: tuple[float, ...]
    games: int
    contending: bool


@dataclass(frozen=True)
class Rollout:
    """Every choice at a table, played on; intervals are `always_valid` where `stopped` is not `games`."""

    table: Moment
    method: str
    options: tuple[Rolled, ...]
    policies: tuple[str, ...]
    stopped: str
    games: int
    seed: int

    @property
    def best(self) -> Rolled:
        """The choice with the largest share, of equals the first."""
        return max(self.options, key=lambda option: (option.contending, option.share.value))

    @property
    def tied(self) -> tuple[Rolled, ...]:
        """The choices that cannot be told from the best, itself included; none if it stands alone."""
        found = tuple(
            option
            for option in self.options
            if option is self.best or (option.contending and self.interval(option.difference)[1] >= 0)
        )
        return found if len(found) > 1 else ()

    @property
    def interval_kind(self) -> str:
        """What kind of intervals these are."""
        return "fixed" if self.stopped == "games" else "always_valid"

    def interval(self, estimate: Estimate) -> tuple[float, float]:
        """The 95 % interval of an estimate of this answer; its `n` counts batches."""
        reached = reach(estimate, watched=self.interval_kind != "fixed")
        return (estimate.value - reached, estimate.value + reached)


def rollout(
    table: Moment,
    method: str = "truncated",
    *,
    policies: tuple[Policy, ...] | None = None,
    games: int | None = None,
    precision: float | None = None,
    budget: float | None = None,
    seed: int = 0,
    threads: int | None = None,
    turns: int = TURNS,
    progress: Callable[[int, float], None] | None = None,
) -> Rollout:
    """Play on from every choice of the player to move; `policies` are those of all seats (default `learned`).

    Ends after so many `games`, or when the best choice stands apart or all differences are known within
    `precision` (share, half the 95 % interval), or after `budget` seconds; at Ctrl-C with what is known. Same
    seed and question, same answer, on any number of threads, unless seconds end it. Raises `Refused` for
    tables, seeds and numbers out of bounds.

    >>> from cherrysim.rules import Rules
    >>> found = rollout(Moment.start(Rules()), games=512)
    >>> 0.30 < found.best.share.value < 0.40
    True
    """
    if method not in METHODS:
        raise Refused(f"unknown method {method[:40]!a}; there are {', '.join(METHODS)}; choose one")
    check_whole("seed", seed, 0, 2**64 - 1)
    arrays.check(table.rules)
    names = policies or (parse("learned"),) * table.rules.players
    asked = question(table, names[table.to_move])
    plan = Plan(names, turns if method == "truncated" else None)
    run = Run(Table(asked, plan, seed), games, precision, budget, MOST_GAMES[method])
    stopped = run.play(threads or cores(), progress)
    return Rollout(table, method, run.options(), tuple(map(str, names)), stopped, run.games, seed)


def reach(estimate: Estimate, watched: bool) -> float:
    """Half the 95 % interval of a mean of batches, `watched` if their number depended on what they said."""
    if watched:
        return always_valid(estimate, TUNED)[1] - estimate.value
    return student(estimate)[1] - estimate.value


class Run:
    """Batches so far, of `size` games, and which choices are still in contention."""

    def __init__(
        self,
        play: Table,
        games: int | None,
        precision: float | None,
        budget: float | None,
        most: int,
        size: int | None = None,
    ) -> None:
        import numpy as np

        self.play_batch, self.asked = play.batch, play.question
        self.fixed, self.precision, self.budget = games, precision, budget
        self.most = games or most
        count = len(self.asked.moves)
        usual = max(GAMES, 4 * count)
        self.size = size or (usual if games is None else min(usual, -(-games // LEAST)))
        self.live: NDArray[Any] = np.ones(count, bool)
        self.batches: list[NDArray[Any]] = []
        self.seen: NDArray[Any] = np.zeros(count, np.int64)  # batches of each choice

    @property
    def games(self) -> int:
        """Games played."""
        return len(self.batches) * self.size

    def play(self, threads: int, progress: Callable[[int, float], None] | None) -> str:
        """Play rounds until it is enough; says why it ended."""
        begun = time.monotonic()
        with interruptible() as stop:
            while not stop.is_set():
                left = -(-(self.most - self.games) // self.size)
                if left <= 0:
                    return "games" if self.fixed else "budget"
                self._round(min(ROUND, left), threads)
                if progress:
                    progress(self.games, self.games / self.most)
                if self.budget is not None and time.monotonic() - begun > self.budget:
                    return "budget"
                if self.fixed is None and len(self.batches) >= LEAST and self._enough():
                    return "precision"
        return "interrupt"

    def _round(self, batches: int, threads: int) -> None:
        chances = self.asked.chances[self.live].mean(axis=0)
        first = len(self.batches)
        work = partial(self._batch, first, chances)
        for found in in_order(work, batches, threads=threads):
            found[~self.live] = float("nan")
            self.batches.append(found)
        self.seen += batches * self.live

    def _batch(self, first: int, chances: NDArray[Any], number: int) -> NDArray[Any]:
        import numpy as np

        with np.errstate(divide="ignore", invalid="ignore"):
            return self.play_batch(first + number, self.size, chances)

    def _enough(self) -> bool:
        """Give up choices that are clearly worse; whether the rest is known well enough."""
        import numpy as np

        best = self._best()
        reaches = []
        for choice in map(int, np.flatnonzero(self.live)):
            if choice != best:
                low, high = always_valid(self._difference(choice, best), TUNED)
                if high < 0:
                    self.live[choice] = False
                else:
                    reaches.append((high - low) / 2)
        return not reaches or (self.precision is not None and max(reaches) <= self.precision)

    def _best(self) -> int:
        import numpy as np

        shares = np.array(self.batches)[:, :, 0, self.asked.seat]
        return int(np.argmax(np.where(self.live, shares.mean(axis=0), -np.inf)))

    def _of(self, choice: int, kind: int, seat: int) -> NDArray[Any]:
        """What each batch says of a seat after a choice, as long as that was in contention: share (0), score
        (1)."""
        import numpy as np

        found: NDArray[Any] = np.array(
            [batch[choice, kind, seat] for batch in self.batches[: self.seen[choice]]]
        )
        return found

    def _difference(self, choice: int, best: int) -> Estimate:
        own = self._of(choice, 0, self.asked.seat)
        return _mean(own - self._of(best, 0, self.asked.seat)[: len(own)], len(own) * self.size)

    def contending(self) -> tuple[int, ...]:
        """The choices that have not been given up."""
        return tuple(map(int, self.live.nonzero()[0]))

    def share(self, choice: int, batches: int | None = None) -> Estimate:
        """The mover's share after a choice, of all batches or of the first ones."""
        values = self._of(choice, 0, self.asked.seat)[:batches]
        return _mean(values, len(values) * self.size)

    def options(self) -> tuple[Rolled, ...]:
        """All choices with what is known of them."""
        best, seat = self._best(), self.asked.seat
        others = [s for s in range(self.asked.table.rules.players) if s != seat]
        found = []
        for i, move in enumerate(self.asked.moves):
            games = int(self.seen[i]) * self.size
            shares, scores = (
                [self._of(i, kind, s) for s in range(self.asked.table.rules.players)] for kind in range(2)
            )
            rival = max(others, key=lambda s: float(scores[s].mean()))
            found.append(
                Rolled(
                    move,
                    share=_mean(shares[seat], games),
                    score=_mean(scores[seat], games),
                    margin=_mean(scores[seat] - scores[rival], games),
                    difference=Estimate(0.0) if i == best else self._difference(i, best),
                    shares=tuple(float(values.mean()) for values in shares),
                    scores=tuple(float(values.mean()) for values in scores),
                    games=games,
                    contending=bool(self.live[i]),
                )
            )
        return tuple(found)


def _mean(values: NDArray[Any], games: int) -> Estimate:
    """The mean of batches; where all are equal its error is what one more game, a whole unit away, would
    show."""
    n = len(values)
    spread = float(values.std(ddof=1)) / sqrt(n) if n > 1 else 0.0
    return Estimate(float(values.mean()), spread if spread > 1e-12 else 1 / (games + 1), n)
