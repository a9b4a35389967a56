"""Decisions played on: what was given up, measured by games where the learned value says there was something.

The best choice is picked by one half of the games and its lead measured by the other, which are independent:
the largest of several noisy numbers is too large, a fresh measure of it is not. With x[batch] what a batch of
games says of the shares after the choice played, less those after the one picked, the change is

    mean of x, with standard error sd(x) / sqrt(batches),

the same games counting for both choices where they can (`rollout`). Games are played on by `learned` for some
turns and then valued.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import sqrt
from typing import TYPE_CHECKING, Any

from cherrysim.blocks import cores, in_order
from cherrysim.moves import Move, Overdraw
from cherrysim.policy import parse
from cherrysim.review.decisions import Decision, Splitting
from cherrysim.rollout import TURNS
from cherrysim.rollout.games import Plan, Table
from cherrysim.rollout.starts import Question, question

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHOICES = 4
"""So many choices, the best ones and the one played, are played on to pick from."""
PICKING, MEASURING = 1024, 4096
"""Games to pick by, and to measure by."""
BATCH = 64
_SEEDS = 1 << 20
"""Decisions have seeds of their own: this is more than there are decisions in a game."""


def played_on(
    decision: Decision, seed: int, threads: int | None, stopped: Callable[[], bool]
) -> Decision | None:
    """The decision with its best choice and its change from games played on; None if stopped meanwhile."""
    played = decision.played
    if isinstance(played, Overdraw | Splitting):
        return decision
    asked = question(decision.table, parse("learned"))
    moves = [*decision.choices[:CHOICES]]
    if played not in moves:
        moves[-1] = played
    seat = decision.seat
    first = _batches(_among(asked, moves), 2 * seed, PICKING, threads, stopped)
    if first is None:
        return None
    best = moves[int(first.mean(axis=0)[:, seat].argmax())]
    if best == played:
        nothing = (0.0,) * len(decision.change)
        return replace(decision, best=played, change=nothing, error=0.0, games=PICKING)
    second = _batches(_among(asked, [played, best]), 2 * seed + 1, MEASURING, threads, stopped)
    if second is None:
        return None
    return _measured(decision, best, second)


def seed_of(seed: int, number: int) -> int:
    """The seed of a decision by its number in the game."""
    return (seed * _SEEDS + number) % (1 << 62)


def _measured(decision: Decision, best: Move, batches: NDArray[Any]) -> Decision:
    """The decision by [batch, played | best, seat]; a choice that turns out no worse gave up nothing."""
    difference = batches[:, 0] - batches[:, 1]
    difference -= difference.mean(axis=1, keepdims=True)
    change = tuple(difference.mean(axis=0).tolist())
    error = float(difference[:, decision.seat].std(ddof=1)) / sqrt(len(difference))
    games = PICKING + MEASURING
    if change[decision.seat] >= 0:
        nothing = (0.0,) * len(change)
        return replace(decision, best=decision.played, change=nothing, error=error, games=games)
    return replace(decision, best=best, change=change, error=error, games=games)


def _among(asked: Question, moves: list[Move]) -> Question:
    """The question with these choices alone, and the starts they may come to."""
    import numpy as np

    rows = [asked.moves.index(move) for move in moves]
    used = np.flatnonzero(asked.chances[rows].any(axis=0))
    return replace(
        asked,
        moves=tuple(moves),
        starts=tuple(asked.starts[i] for i in used),
        chances=asked.chances[rows][:, used],
        shares=asked.shares[used],
    )


def _batches(
    asked: Question, seed: int, games: int, threads: int | None, stopped: Callable[[], bool]
) -> NDArray[Any] | None:
    """What batches of games say of all seats' shares: [batch, choice, seat]."""
    import numpy as np

    players = asked.table.rules.players
    table = Table(asked, Plan((parse("learned"),) * players, TURNS), seed)
    chances = asked.chances.mean(axis=0)
    found = []
    with np.errstate(divide="ignore", invalid="ignore"):
        for batch in in_order(
            lambda number: table.batch(number, BATCH, chances)[:, 0],
            games // BATCH,
            threads=threads or cores(),
        ):
            if stopped():
                return None
            found.append(batch)
    return np.array(found)
