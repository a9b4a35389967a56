"""Every move at a table with what it is worth, at once: by the learned value, this turn's draws exactly.

Rulebook: "Turn Overview"; rulings R8, R22. Policy `learned` values the table after every end of the turn;
with p(end) the chance of each end once the player to move has drawn n flowers and goes on as is best for the
own value,

    a draw of n is worth the sum over all ends of p(end) x value(end),

to every seat, as share of the victory and as final score. A display is worth what the table is after it, in
expectation over the flowers that a card draws, what is left of the display being done as is best for the
player to move. Collections still to come count each card by the way that is best on its own (`prospects`), a
success at hand by each of its displays. Nothing is simulated, and nothing proved: the value is learned.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from cherrysim import learned
from cherrysim.engine import legal_moves
from cherrysim.flowers import NOTHING, Refused
from cherrysim.hands import Hand, universe
from cherrysim.knowledge import belief, failing, worthwhile
from cherrysim.moves import Draw, Move
from cherrysim.prospects import Valued
from cherrysim.table import COLLECT, Table, moved

if TYPE_CHECKING:
    from numpy.typing import NDArray

VALUED = Valued(learned.LearnedModel(scores=True), learned.share, "of victory", shares=True)
"""Policy `learned`, every seat's expected score beside its share."""
ALL = 1.0 - 1e-9
"""Chances from here on are 1 but for rounding."""


@dataclass(frozen=True, slots=True)
class MoveValue:
    """A move with every seat's share of the victory and expected final score after it, and the chance that it
    fails at once."""

    move: Move
    shares: tuple[float, ...]
    scores: tuple[float, ...]
    fail: float = 0.0

    @property
    def margins(self) -> tuple[float, ...]:
        """Every seat's expected score less the best expected score among its rivals."""
        seats = range(len(self.scores))
        return tuple(self.scores[s] - max(self.scores[r] for r in seats if r != s) for s in seats)


Ends = tuple[dict[Hand, list[float]], list[list[float]]]
"""What `VALUED.outlooks` says of the ends of a turn."""


def instant(table: Table, ends: Ends | None = None) -> list[MoveValue]:
    """Every move of the player to move in any phase, in the order of `engine.legal_moves`.

    Draws that are certain to change nothing are left out (ruling R22); others' secret flowers are not looked
    at. `ends` are those of this turn from its start on, where they are known already. Raises `Refused` once
    the game is over. Source: the formula of this module.

    >>> from cherrysim.rules import Rules
    >>> options = instant(Table.start(Rules()))
    >>> len(options), options[0].move, round(sum(options[0].shares), 12)
    (8, Draw(n=1), 1.0)
    """
    if table.over:
        raise Refused("the game is over; nothing is left to decide; score the table")
    table = table.seen_by(table.to_move)
    if table.phase == COLLECT:
        return list(_draws(table, ends or VALUED.outlooks(table)))
    table = moved(table, history=None)
    judge = VALUED.judge(table)
    return [_value(table, move, judge.outlook(table, move)) for move in legal_moves(table)]


def ends_of_turn(table: Table) -> Ends | None:
    """The ends of the turn under way, kept because all its draws share them; None once it is being displayed.

    >>> from cherrysim.rules import Rules
    >>> start = Table.start(Rules())
    >>> instant(start, ends_of_turn(start)) == instant(start)
    True
    """
    if table.phase != COLLECT:
        return None
    return _ends(moved(table.seen_by(table.to_move), hand=NOTHING, draws_used=0, history=None))


@lru_cache(maxsize=64)
def _ends(start: Table) -> Ends:
    return VALUED.outlooks(start)


def _draws(table: Table, outlooks: Ends) -> Iterator[MoveValue]:
    """Stopping and every draw."""
    import numpy as np

    kept, failed = outlooks
    nothing = [0.0] * len(failed[0])
    ends = np.array([*[kept.get(hand, nothing) for hand in universe(table.rules).hands], *failed])
    plan = _Plan(table, ends[:, table.to_move])
    fails = failing(table)
    for move in worthwhile(table):
        n = move.n if isinstance(move, Draw) else 0
        yield _value(table, move, (plan.chances(n) @ ends).tolist(), float(fails[n]))


def _value(table: Table, move: Move, expected: list[float], fail: float = 0.0) -> MoveValue:
    seats = len(table.seats)
    return MoveValue(move, fitted(expected, table), tuple(expected[seats : 2 * seats]), fail)


def fitted(expected: Sequence[float], table: Table) -> tuple[float, ...]:
    """Every seat's share by an outlook at this table: what learned shares come to, and those worked out as
    they are."""
    seats = len(table.seats)
    *known, chance = expected[2 * seats :]
    if chance > ALL:
        return tuple(known)
    rest = [(own - part) / (1.0 - chance) for own, part in zip(expected[:seats], known, strict=True)]
    shares = learned.calibrated([min(max(own, 0.0), 1.0) for own in rest], table.bag_size, table.rules)
    return tuple(part + (1.0 - chance) * own for part, own in zip(known, shares, strict=True))


class _Plan:
    """The rest of a turn's draws, each best for the own worth of the ends: safe collections, failures."""

    def __init__(self, table: Table, worth: NDArray[Any]) -> None:
        import numpy as np

        from cherrysim import arrays
        from cherrysim.kernels.turn import solve, tables

        rules, bag = table.rules, belief(table)
        self._hands = arrays.hands(rules)
        self._space = arrays.space(rules, len(bag.pools))
        self._at = universe(rules).index[table.hand.counts], rules.draws - table.draws_used
        self._safe = len(universe(rules).hands)
        self._ends = np.zeros(len(worth))
        value, self._choice = arrays.plan_arrays(rules)
        keep, bust = worth[: self._safe].copy(), worth[self._safe :].copy()
        tables(self._hands, *arrays.pools(bag, table.hand.counts), bag.hidden, self._space)
        solve(self._hands, self._space, keep, bust, *self._at, value, self._choice)

    def chances(self, n: int) -> NDArray[Any]:
        """The chance of every end after a draw of n (0: stop)."""
        from cherrysim.kernels.turn import outcomes

        self._ends[:] = 0.0
        stops, failures = self._ends[: self._safe], self._ends[self._safe :]
        outcomes(self._hands, self._space, self._choice, *self._at, n, stops, failures)
        return self._ends
