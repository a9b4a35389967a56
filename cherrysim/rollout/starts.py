"""The choices at a table as lists of games to play on: with which chance each leads where.

A *start* is a table just after a decision and what the player to move believes of the rest. Stopping, hiding,
keeping and cards that draw nothing lead to one start. A draw is followed to the end of the turn under the
plan of the player's policy, exactly: a start for every collection it may stop with and every set of colours
it may fail with. The one formula: a choice is worth

    sum over starts of chance[choice, start] x worth[start],

so games from a start count for every choice that may lead there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cherrysim import arrays as turn_arrays
from cherrysim.belief import Belief
from cherrysim.engine import after
from cherrysim.flowers import BLACK, COLOURS, Flowers
from cherrysim.hands import PATTERNS, SETS, universe
from cherrysim.knowledge import belief, worthwhile
from cherrysim.moves import Draw, Move, UseCard
from cherrysim.policy import Policy
from cherrysim.rules import CARDS
from cherrysim.simulate import arrays
from cherrysim.table import BONUS_DRAWS, COLLECT, HIDE, Table, moved

if TYPE_CHECKING:
    from numpy.typing import NDArray


ROUNDED = 1e-12
"""Chances up to here are what rounding leaves of none; a failure that cannot be would be drawn for long."""


@dataclass(frozen=True)
class Start:
    """Where games are taken up: the table as the `seat` that decides knows it, what it believes of the bag,
    and how the turn goes on (`kernels.rolling`)."""

    table: Table
    seat: int
    bag: Belief
    kind: int
    used: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Question:
    """The choices at a table: `chances` is [choice, start], `shares` [start, seat] what the model says of
    each (all 0 where it was not asked)."""

    table: Table
    seat: int
    moves: tuple[Move, ...]
    starts: tuple[Start, ...]
    chances: NDArray[Any]
    shares: NDArray[Any]


def question(table: Table, policy: Policy) -> Question:
    """The choices of the player to move, who goes on by this policy.

    >>> from cherrysim.policy import parse
    >>> from cherrysim.rules import Rules
    >>> asked = question(Table.start(Rules()), parse("learned"))
    >>> len(asked.moves), [round(float(p.sum()), 9) for p in asked.chances][:3]
    (8, [1.0, 1.0, 1.0])
    """
    import numpy as np

    table = table.seen_by(table.to_move)
    moves = worthwhile(table)
    if table.phase == COLLECT:
        return _collecting(table, moves, policy)
    starts = tuple(_start(table, move) for move in moves)
    players = table.rules.players
    return Question(table, table.to_move, moves, starts, np.eye(len(moves)), np.zeros((len(moves), players)))


def _start(table: Table, move: Move) -> Start:
    """The start that a move leads to, all that it draws left to the game."""
    from cherrysim.kernels.rolling import CARDS as CARD_DRAWS
    from cherrysim.kernels.rolling import HIDING, NEXT

    seat = table.to_move
    if isinstance(move, UseCard) and move.card in BONUS_DRAWS:
        pattern = PATTERNS.index(CARDS[move.card].pattern)
        return Start(table, seat, belief(table, seat), CARD_DRAWS, (pattern, 0))
    done = after(table, move)
    return Start(done, seat, belief(done, seat), HIDING if done.phase == HIDE else NEXT)


def _collecting(table: Table, moves: Sequence[Move], policy: Policy) -> Question:
    from cherrysim.kernels.layout import KEPT, LEARNED, POINTS

    bag, seat = belief(table), table.to_move
    if policy.numbers[0] in (KEPT, POINTS, LEARNED):
        ends = _Ends(table, bag, policy)
        for move in moves:
            ends.add(move)
        return ends.question(moves)
    import numpy as np

    from cherrysim.kernels.rolling import DRAWING, SHOWING

    starts = tuple(
        Start(table, seat, bag, DRAWING, (table.draws_used, move.n))
        if isinstance(move, Draw)
        else Start(table, seat, bag, SHOWING)
        for move in moves
    )
    return Question(
        table, seat, tuple(moves), starts, np.eye(len(moves)), np.zeros((len(moves), table.rules.players))
    )


class _Ends:
    """The ends of a turn under a policy's plan, with their chances by first draw."""

    def __init__(self, table: Table, bag: Belief, policy: Policy) -> None:
        import numpy as np

        from cherrysim.kernels.turn import tables

        self.table, self.bag, self.rules = table, bag, table.rules
        self.hands = universe(table.rules).hands
        self.held = universe(table.rules).index[table.hand.counts]
        self.left = table.rules.draws - table.draws_used
        self._solve(policy)
        pools, weights = turn_arrays.pools(bag, table.hand.counts)
        self.space = turn_arrays.space(table.rules, len(pools))
        tables(self.solver.hands, pools, weights, bag.hidden, self.space)
        self.stops = np.zeros((0, len(self.hands)))
        self.failures = np.zeros((0, SETS))
        self.draws: list[int] = []

    def _solve(self, policy: Policy) -> None:
        """The plan of the policy for this turn, and the learned model's tables for its ends."""
        from cherrysim.kernels.layout import LEARNED
        from cherrysim.kernels.prospects import value_turn
        from cherrysim.kernels.worth import SHARE
        from cherrysim.policy import parse

        table, players = self.table, self.rules.players
        start = moved(table, hand=Flowers(), draws_used=0)
        array, rules = arrays.table_array(start), arrays.rules_array(self.rules)
        numbers = arrays.policies_array([policy] * players)
        self.solver = arrays.solver(self.rules, [policy] * players)
        solve(array, table.to_move, rules, numbers, self.solver)
        self.judge = self.solver
        if policy.numbers[0] != LEARNED:
            learned = [parse("learned")] * players
            self.judge = arrays.solver(self.rules, learned)
            judge = self.judge
            numbers = arrays.policies_array(learned)
            value_turn(
                array, table.to_move, rules, numbers, judge.weights, (SHARE, 0.0), judge.worth, judge.ends
            )

    def add(self, move: Move) -> None:
        """A choice: a draw, or the stop."""
        import numpy as np

        from cherrysim.kernels.turn import outcomes

        stops, failures = np.zeros(len(self.hands)), np.zeros(SETS)
        if isinstance(move, Draw):
            plan = self.solver.hands, self.space, self._choice()
            outcomes(*plan, self.held, self.left, move.n, stops, failures)
        else:
            stops[self.held] = 1.0
        self.stops = np.vstack([self.stops, stops])
        self.failures = np.vstack([self.failures, failures])
        self.draws.append(move.n if isinstance(move, Draw) else 0)

    def _choice(self) -> Any:
        """The plan; nothing but blacks about means one flower and a stop (ruling R22)."""
        pool = self.table.unseen + self.table.hand
        choice = self.solver.choice
        if pool.total == pool.black:
            choice = choice.copy()
            choice[1:] = 0
        return choice

    def question(self, moves: Sequence[Move]) -> Question:
        """Every end that some choice may come to."""
        import numpy as np

        starts, columns, shares = [], [], []
        for i in np.flatnonzero(self.stops.any(axis=0)):
            starts.append(self._stop(int(i)))
            columns.append(self.stops[:, i])
            shares.append(self._shares_of_hand(int(i)))
        for start, column, share in self._failed():
            starts.append(start)
            columns.append(column)
            shares.append(share)
        chances = np.array(columns).T
        return Question(
            self.table,
            self.table.to_move,
            tuple(moves),
            tuple(starts),
            chances / chances.sum(axis=1, keepdims=True),
            np.array(shares),
        )

    def _failed(self) -> Any:
        """Starts of failures: by colours where the bag is known, else by draw, to be drawn until it fails."""
        import numpy as np

        from cherrysim.kernels.rolling import FAILING, KEEPING

        if self.bag.known:
            for colours in range(SETS):
                if (self.failures[:, colours] > ROUNDED).any():
                    hand = Flowers(*(int(colours >> c & 1) for c in range(BLACK)))
                    start = self._with_hand(hand, KEEPING)
                    yield start, self.failures[:, colours], self._shares_of_failure(colours)
            return
        for row, draw in enumerate(self.draws):
            chance = self.failures[row].sum()
            if chance > ROUNDED:
                column = np.zeros(len(self.draws))
                column[row] = chance
                share = sum(
                    self.failures[row, colours] / chance * self._shares_of_failure(colours)
                    for colours in range(SETS)
                    if self.failures[row, colours] > 0
                )
                start = Start(
                    self.table, self.table.to_move, self.bag, FAILING, (self.table.draws_used, draw)
                )
                yield start, column, share

    def _stop(self, i: int) -> Start:
        from cherrysim.kernels.rolling import SHOWING

        return self._with_hand(Flowers(*self.hands[i]), SHOWING)

    def _with_hand(self, hand: Flowers, kind: int) -> Start:
        """The turn's flowers being these."""
        table = moved(self.table, hand=hand)
        held = self.table.hand
        if held in hand:
            return Start(table, table.to_move, self.bag.draw(hand - held), kind)
        return Start(table, table.to_move, self.bag.put_back(held).draw(hand), kind)  # a known bag

    def _shares_of_hand(self, i: int) -> Any:
        import numpy as np

        from cherrysim.kernels.luck import shares_of_hand

        out = np.zeros(self.rules.players)
        judge = self.judge
        shares_of_hand(i, judge.ends.keep[i], self.table.to_move, judge.worth, judge.ends, out)
        return out

    def _shares_of_failure(self, colours: int) -> Any:
        import numpy as np

        from cherrysim.kernels.luck import shares_of_failure

        out = np.zeros(self.rules.players)
        shares_of_failure(colours, self.table.to_move, self.judge.worth, out)
        return out


def solve(table: Any, seat: int, rules: Any, policies: Any, solver: Any) -> None:
    """Solve the coming turn for a policy that solves turns, as `rolling.solve_ahead` does; that knows all
    policies and takes 20 s to compile."""
    from cherrysim.kernels.acting import solve_valued
    from cherrysim.kernels.layout import KEPT
    from cherrysim.kernels.reference import solve_turn

    if policies[seat, 0] == KEPT:
        solve_turn(table, seat, rules, solver)
    else:
        solve_valued(table, seat, rules, policies, solver)


def start_arrays(starts: Sequence[Start]) -> Any:
    """Starts as the kernels read them."""
    import numpy as np

    from cherrysim.kernels.layout import BEHIND, DRAWN, FRONT, HAND, ROWS, SECRET
    from cherrysim.kernels.rolling import Starts

    tables = np.zeros((len(starts), ROWS, len(COLOURS)), np.int64)
    hidden = np.zeros((len(starts), 4), np.int64)
    pools, up_to, first = [], [], [0]
    for i, start in enumerate(starts):
        table = start.table
        for s, seat in enumerate(table.seats):
            tables[i, FRONT + s] = seat.front.counts
            tables[i, BEHIND + s] = seat.all_behind.counts
            tables[i, SECRET + s] = seat.own_secret.counts
            hidden[i, s] = seat.unknown
        tables[i, HAND] = table.hand.counts
        tables[i, DRAWN] = table.bonus.drawn.counts if table.bonus else 0
        reached = 0
        for pool, weight in start.bag.pools:
            reached += weight
            pools.append(pool)
            up_to.append(reached / start.bag.total_weight)
        first.append(len(pools))
    return Starts(
        tables=tables,
        kinds=np.array([start.kind for start in starts]),
        movers=np.array([start.seat for start in starts]),
        used=np.array([start.used for start in starts], np.int64),
        hidden=hidden,
        unseen=np.array([start.table.pool.counts for start in starts], np.int64),
        pools=np.array(pools, np.int64),
        up_to=np.array(up_to),
        first_pool=np.array(first, np.int64),
        missing=np.array([start.bag.hidden for start in starts], np.int64),
    )
