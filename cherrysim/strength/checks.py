"""The value of `learned` held against games, its choices against exact ends and long rollouts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from math import sqrt
from typing import TYPE_CHECKING, Any

from cherrysim import learn, weights
from cherrysim.blocks import in_order
from cherrysim.endgame import solve_end
from cherrysim.flowers import Refused
from cherrysim.policy import parse
from cherrysim.rollout.games import Plan, Table
from cherrysim.rollout.starts import question
from cherrysim.rules import Rules
from cherrysim.simulate.moments import drawn_moments
from cherrysim.table import Table as Moment

if TYPE_CHECKING:
    from numpy.typing import NDArray

Told = Callable[[str], None]
PARTS = 40
"""Parts of the games whose spread is the error: seats of one game are not independent."""
MOST_END = 5
"""Flowers in the bag of the ends that are solved."""
APART = 0.02
"""Ends count whose best and worst choices differ by so much share."""
MOST_TABLES = 60_000
BATCHES, GAMES = 4, 64
"""Batches, and games of one, on either half of the referee's rollouts."""


@dataclass(frozen=True)
class Cell:
    """Predicted and realised share of a decile at a stage, and the standard error of their difference."""

    stage: int
    decile: int
    seats: int
    predicted: float
    realised: float
    error: float

    @property
    def fits(self) -> bool:
        """Whether they differ by no more than two points of share or three standard errors."""
        return abs(self.realised - self.predicted) <= max(0.02, 3 * self.error)


def calibration(rules: Rules, games: int, seed: int, threads: int | None, told: Told) -> list[Cell]:
    """Shares predicted in games of the shipped weights among themselves against those realised."""
    import numpy as np

    told(f"calibration, {rules.players} players, {', '.join(rules.cards)}")
    _watched(rules, 1, seed, 0)  # compiled here, where it can be interrupted
    parts = in_order(partial(_watched, rules, games // PARTS, seed), PARTS, threads=threads)
    found: NDArray[Any] = np.array(list(parts))  # [part, stage, decile, (n, predicted, realised, misses)]
    cells = []
    for stage, decile in np.ndindex(*found.shape[1:3]):
        n, predicted, realised = found[:, stage, decile, :3].T
        if n.sum() >= 200:
            gap = (realised.sum() - predicted.sum()) / n.sum()
            error = sqrt(((realised - predicted - gap * n) ** 2).sum() * PARTS / (PARTS - 1)) / n.sum()
            means = float(predicted.sum() / n.sum()), float(realised.sum() / n.sum())
            cells.append(Cell(stage, decile, int(n.sum()), means[0], means[1], float(error)))
    return cells


def _watched(rules: Rules, games: int, seed: int, part: int) -> NDArray[Any]:
    return learn.watched(rules, weights.shipped(rules).fit, games, seed + part)


def ends(rules: Rules, count: int, seed: int, told: Told) -> list[tuple[float, float]]:
    """For so many ends in games of `learned` that can be solved and in which the choice matters: what its
    choice loses, and what the worst choice loses."""
    policy = parse("learned")
    play = policy.valued()  # type: ignore[attr-defined]
    found: list[tuple[float, float]] = []
    for table in drawn_moments(rules, [policy] * rules.players, seed, _late):
        try:
            end = solve_end(table.seen_by(table.to_move), MOST_TABLES)
        except Refused:
            continue
        shares = {option.move: float(option.shares[table.to_move]) for option in end.options}
        chosen = play.choose(table)
        best = max(shares.values())
        if best - min(shares.values()) >= APART and chosen in shares:
            found.append((best - shares[chosen], best - min(shares.values())))
            if len(found) % 10 == 0:
                told(f"ends solved: {len(found)} of {count}")
            if len(found) == count:
                return found
    raise AssertionError("games go on for ever")


def _late(table: Moment) -> bool:
    return 0 < table.bag_size + table.hand.total <= MOST_END and not any(
        seat.secret + seat.unseen_behind + seat.own_secret.total for seat in table.seats
    )


def referee(rules: Rules, count: int, seed: int, threads: int | None, told: Told) -> list[float]:
    """What `learned` loses by so many of its choices as full rollouts see it: they pick on one half of them,
    and the pick's lead is measured on the other."""
    policies = (parse("learned"),) * rules.players
    tables = list(islice(drawn_moments(rules, policies, seed), count))
    leads = []
    for lead in in_order(partial(_lead, tables, policies, seed), count, threads=threads):
        leads.append(lead)
        if len(leads) % 20 == 0:
            told(f"referee, {rules.players} players: {len(leads)} of {count}")
    return leads


def _lead(tables: Sequence[Moment], policies: Sequence[Any], seed: int, number: int) -> float:
    """The lead of the referee's pick over the choice made."""
    import numpy as np

    asked = question(tables[number], policies[0])
    own = asked.moves.index(policies[0].valued().choose(tables[number]))
    first_seed = 2 * (seed + number)
    halves = [Table(asked, Plan(tuple(policies)), first_seed + half) for half in range(2)]
    first = _means(halves[0], np.ones(len(asked.moves), bool))
    pick = int(np.argmax(first))
    if pick == own:
        return 0.0
    both = np.isin(np.arange(len(asked.moves)), (own, pick))
    second = _means(halves[1], both)
    return float(second[pick] - second[own])


def _means(table: Table, live: NDArray[Any]) -> NDArray[Any]:
    import numpy as np

    asked = table.question
    chances = asked.chances[live].mean(axis=0)
    size = max(GAMES, 4 * int(live.sum()))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = [table.batch(number, size, chances)[:, 0, asked.seat] for number in range(BATCHES)]
    means: NDArray[Any] = np.where(live, np.mean(found, axis=0), -np.inf)
    return means


def cell_lines(cells: Sequence[Cell]) -> Iterator[str]:
    """A row a stage, realised less predicted by decile, those that do not fit marked."""
    yield "| flowers left | " + " | ".join(f"{10 * d}-{10 * d + 10} %" for d in range(10)) + " |"
    yield "|---|" + "---|" * 10
    for stage in sorted({cell.stage for cell in cells}):
        row = {cell.decile: cell for cell in cells if cell.stage == stage}
        texts = [_cell(row[d]) if d in row else "" for d in range(10)]
        yield f"| {16 * stage}-{16 * stage + 15} | {' | '.join(texts)} |"


def _cell(cell: Cell) -> str:
    gap = 100 * (cell.realised - cell.predicted)
    return f"{gap:+.1f}" + ("" if cell.fits else " !")
