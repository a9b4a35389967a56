"""Win chances by playing on: every choice at a table, with errors that stay right however long one watches.

Games are played on from each choice by policies (`games`, `starts`), all choices by the same batches, and go
to those still in contention. The one formula: with x[batch] what a batch says of a choice, or of the best
choice less another, the mean of n batches has the standard error

    sqrt((sum x^2 / n - mean^2) / (n - 1)),

with Student's interval where the number of batches was fixed, and `stats.always_valid` where it depended on
what they said. Of shares of games that end the square of 1 / (games + 1) comes to its square: what one more
game, won or lost as none before, would show. `truncated` games stop after some turns at what the learned
model says of the table: quick and slightly biased; `rollout` games go to the end.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from math import hypot, sqrt
from typing import TYPE_CHECKING, Any

from cherrysim.blocks import aside, cores, in_order
from cherrysim.flowers import Refused, shown
from cherrysim.moves import Move
from cherrysim.policy import Policy, parse
from cherrysim.rollout.games import Ended, Plan, Table
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
TURNS = 4
"""Turns of a truncated game after the one at hand."""
FLOWERS = 4
"""About so many leave the bag in a turn."""
KINDS = ("win", "score")
"""What choices are compared by: share of the victory, final score."""
LITTLE = 0.0005
"""Of choices whose shares are no further apart than this, the one with the largest margin is the best."""
MOST_PRECISION = {"win": 1.0, "score": 100.0}
MOST_SECONDS = 86_400.0


@dataclass(frozen=True)
class Rolled:
    """A choice: `share` and `score` of the player to move, `margin` of that score over a rival's best,
    `difference` of what choices are compared by to the best choice, `shares` and `scores` of all seats, the
    games behind it, and whether it was `contending` to the end."""

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
    """Every choice at a table, played on, and the `best` of them.

    `stopped` says why no more games were played: `games` (as many as asked for), `precision` (enough is
    known), `limit` (so many are the most), `budget`, `interrupt`.
    """

    table: Moment
    method: str
    options: tuple[Rolled, ...]
    best: Rolled
    policies: tuple[str, ...]
    stopped: str
    games: int
    seed: int

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
    value: str = "win",
    policies: tuple[Policy, ...] | None = None,
    games: int | None = None,
    precision: float | None = None,
    budget: float | None = None,
    most: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    turns: int = TURNS,
    progress: Callable[[int, float], None] | None = None,
) -> Rollout:
    """Play on from every choice of the player to move; `policies` are those of all seats (default `learned`).

    Choices are compared by `value`: share (`win`) or final score (`score`). Ends after so many `games`, or
    when the best choice stands apart or all differences are known within `precision` (share or points, half
    the 95 % interval), or after `budget` seconds and a first round of games, or after `most` games and
    `LEAST` batches; at Ctrl-C with what is known, `KeyboardInterrupt` if that is less than a round. Same seed
    and question, same answer, on any number of threads, unless seconds or Ctrl-C end it. Raises `Refused` for
    tables and numbers out of bounds.

    >>> from cherrysim.rules import Rules
    >>> found = rollout(Moment.start(Rules()), games=512)
    >>> 0.30 < found.best.share.value < 0.40
    True
    """
    check(method, value, precision, budget)
    check_whole("seed", seed, 0, 2**64 - 1)
    if games is not None:
        check_whole("games", games, ROUND, 10**9)
    if threads is not None:
        check_whole("threads", threads, 1, 256)
    arrays.check(table.rules)
    if table.rules.flowers < 2:
        raise Refused("turns of 1 flower; games are played on where turns have 2; ask for the instant answer")
    names = policies or (parse("learned"),) * table.rules.players
    plan = Plan(names, turns if method == "truncated" else None)
    games_of = aside(lambda: Table(question(table, names[table.to_move]), plan, seed))
    run = Run(games_of, games, precision, budget, most or MOST_GAMES[method], kind=KINDS.index(value))
    stopped = run.play(threads or cores(), progress)
    options, best = run.options()
    return Rollout(table, method, options, best, tuple(map(str, names)), stopped, run.games, seed)


def check(method: str, value: str, precision: float | None, budget: float | None) -> None:
    """Raise `Refused` for what cannot be asked of games."""
    if method not in METHODS:
        raise Refused(f"unknown method {shown(method)}; games are {' or '.join(METHODS)}; choose one")
    if value not in KINDS:
        raise Refused(f"unknown value {shown(value)}; games are for {' or '.join(KINDS)}; choose one")
    most = MOST_PRECISION[value]
    if precision is not None and not 0 < _number(precision) <= most:
        raise Refused(
            f"precision {shown(precision)}; it is above 0, at most {most:g}; write for example 0.01"
        )
    if budget is not None and not 0 < _number(budget) <= MOST_SECONDS:
        raise Refused(
            f"budget {shown(budget)}; it is seconds above 0, at most {MOST_SECONDS:g}; write for example 5"
        )


def _number(given: Any) -> float:
    return float(given) if isinstance(given, int | float) else 0.0


def reach(estimate: Estimate, watched: bool) -> float:
    """Half the 95 % interval of a mean of batches, `watched` if their number depended on what they said."""
    if watched:
        return always_valid(estimate, TUNED)[1] - estimate.value
    return student(estimate)[1] - estimate.value


class Run:
    """Batches so far, of `size` games, and which choices are still in contention; they are compared by the
    `kind` of value."""

    def __init__(
        self,
        table: Table,
        games: int | None,
        precision: float | None,
        budget: float | None,
        most: int,
        size: int | None = None,
        kind: int = 0,
    ) -> None:
        import numpy as np

        self.table, self.asked, self.kind = table, table.question, kind
        self.fixed, self.precision, self.budget = games, precision, budget
        count = len(self.asked.moves)
        usual = max(GAMES, 4 * count)
        self.size = size or (usual if games is None else min(usual, -(-games // LEAST)))
        self.most = games or max(most, LEAST * self.size)
        self.live: NDArray[Any] = np.ones(count, bool)
        self.batches: list[NDArray[Any]] = []
        self.seen: NDArray[Any] = np.zeros(count, np.int64)  # batches of each choice

    @property
    def games(self) -> int:
        """Games played."""
        return len(self.batches) * self.size

    @property
    def ending(self) -> bool:
        """Whether most games end, and not at what the model says of a table."""
        table, plan = self.asked.table, self.table.plan
        left = table.bag_size + table.hand.total
        return plan.turns is None or left < plan.least + FLOWERS * plan.turns

    def play(self, threads: int, progress: Callable[[int, float], None] | None) -> str:
        """Play rounds until it is enough; says why it ended."""
        begun = time.monotonic()

        def late() -> bool:
            spent = self.budget is not None and time.monotonic() - begun > self.budget
            return spent and len(self.batches) >= ROUND

        with interruptible() as stop:
            self.table.ended = lambda: stop.is_set() or late()
            ended = ""
            while not ended:
                left = -(-(self.most - self.games) // self.size)
                self._round(min(ROUND, left), threads)
                if progress:
                    progress(self.games, min(1.0, self.games / self.most))
                ended = "interrupt" if stop.is_set() else "budget" if late() else self._over()
        if len(self.batches) < ROUND:
            raise KeyboardInterrupt
        return ended

    def _over(self) -> str:
        """Why no more games are needed; empty where they are."""
        if self.games >= self.most:
            return "games" if self.fixed else "limit"
        if self.fixed is None and len(self.batches) >= LEAST and self._enough():
            return "precision"
        return ""

    def _round(self, batches: int, threads: int) -> None:
        """Some batches more, up to the first that is not played to its end."""
        chances = self.asked.chances[self.live].mean(axis=0)
        work = partial(self._batch, len(self.batches), chances)
        with suppress(Ended):
            for found in in_order(work, batches, threads=threads):
                found[~self.live] = float("nan")
                self.batches.append(found)
                self.seen += self.live

    def _batch(self, first: int, chances: NDArray[Any], number: int) -> NDArray[Any]:
        import numpy as np

        with np.errstate(divide="ignore", invalid="ignore"):
            return self.table.batch(first + number, self.size, chances)

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
        """The choice in contention with the largest value; of nearly equal shares that with the largest
        margin."""
        live = [i for i, alive in enumerate(self.live) if alive]
        values = {i: float(self._of(i, self.kind, self.asked.seat).mean()) for i in live}
        top = max(values.values())
        near = [i for i in live if values[i] >= top - (0.0 if self.kind else LITTLE)]
        return max(near, key=lambda i: float(self._margin(i).mean())) if len(near) > 1 else near[0]

    def _of(self, choice: int, kind: int, seat: int) -> NDArray[Any]:
        """What each batch says of a seat after a choice, as long as that was in contention: share (0), score
        (1)."""
        import numpy as np

        found: NDArray[Any] = np.array(
            [batch[choice, kind, seat] for batch in self.batches[: self.seen[choice]]]
        )
        return found

    def _margin(self, choice: int) -> NDArray[Any]:
        """What each batch says of the own score less the best of a rival's, best on average."""
        seat = self.asked.seat
        others = [self._of(choice, 1, s) for s in range(self.asked.table.rules.players) if s != seat]
        found: NDArray[Any] = self._of(choice, 1, seat) - max(others, key=lambda own: float(own.mean()))
        return found

    def _difference(self, choice: int, best: int) -> Estimate:
        own = self._of(choice, self.kind, self.asked.seat)
        less = self._of(best, self.kind, self.asked.seat)[: len(own)]
        return _mean(own - less, len(own) * self.size, self.kind == 0 and self.ending)

    def contending(self) -> tuple[int, ...]:
        """The choices that have not been given up."""
        return tuple(map(int, self.live.nonzero()[0]))

    def share(self, choice: int, batches: int | None = None) -> Estimate:
        """The mover's share after a choice, of all batches or of the first ones."""
        values = self._of(choice, 0, self.asked.seat)[:batches]
        return _mean(values, len(values) * self.size, self.ending)

    def options(self) -> tuple[tuple[Rolled, ...], Rolled]:
        """All choices with what is known of them, and the best."""
        best, seat = self._best(), self.asked.seat
        found = tuple(self._option(i, best, seat) for i in range(len(self.asked.moves)))
        return found, found[best]

    def _option(self, i: int, best: int, seat: int) -> Rolled:
        games = int(self.seen[i]) * self.size
        shares, scores = (
            [self._of(i, kind, s) for s in range(self.asked.table.rules.players)] for kind in range(2)
        )
        return Rolled(
            self.asked.moves[i],
            share=_mean(shares[seat], games, self.ending),
            score=_mean(scores[seat], games),
            margin=_mean(self._margin(i), games),
            difference=Estimate(0.0) if i == best else self._difference(i, best),
            shares=tuple(float(values.mean()) for values in shares),
            scores=tuple(float(values.mean()) for values in scores),
            games=games,
            contending=bool(self.live[i]),
        )


def _mean(values: NDArray[Any], games: int, ending: bool = False) -> Estimate:
    """The mean of batches. What one more game, a whole unit away, would show is its error where all are
    equal, and a part of it for shares of games that end: few games do not have what is rare."""
    n = len(values)
    spread = float(values.std(ddof=1)) / sqrt(n) if n > 1 else 0.0
    unseen = 1 / (games + 1)
    if ending or spread <= 1e-12:
        spread = hypot(spread, unseen)
    return Estimate(float(values.mean()), spread, n)
