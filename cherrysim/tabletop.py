"""Games on the readable engine, by anybody who can choose a move: a Python function, a policy, a person.

Rulebook: "Gameplay". Slow (about a second a game) and open: a player is a function that is given the table as
its seat sees it and answers with a move. The reference policies are written here once more, to be read.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations

from cherrysim.belief import Belief
from cherrysim.chances import Position
from cherrysim.engine import after, draw_size, legal_moves
from cherrysim.flowers import BLACK, COLOURS, LETTERS, Flowers, Refused
from cherrysim.front import front_points
from cherrysim.hands import conditions
from cherrysim.moves import Draw, Hide, Keep, Move, Returned, Stop, UseCard
from cherrysim.policy import Learned, Points, Policy, Reference, parse
from cherrysim.rules import Rules
from cherrysim.table import COLLECT, DISPLAY, HIDE, KEEP, Table
from cherrysim.turn import Valuation, solve

Player = Callable[[Table], Move]
"""Chooses a move at the table as the player to move sees it."""

MOST_MOVES = 4000


def play_at_table(rules: Rules, players: Sequence[Player], seed: int = 0) -> Iterator[tuple[Table, Move]]:
    """Every moment of one game and the move made there, then the final table with a Stop that nobody made.

    A player's illegal move raises `Refused` with the reason.

    >>> always = lambda table: Stop() if table.hand.total else Draw(2)
    >>> def simple(table):
    ...     return always(table) if table.phase == "collect" else legal_moves(table)[-1]
    >>> *_, (last, _) = play_at_table(Rules.official(2, "none"), [simple, simple])
    >>> last.over
    True
    """
    if len(players) != rules.players:
        raise Refused(f"{len(players)} players; the rules are for {rules.players}; name one for each seat")
    rng = random.Random(seed)
    bag = [c for c, n in enumerate(rules.counts.counts) for _ in range(n)]
    rng.shuffle(bag)
    del bag[: rules.set_aside]
    table = Table.start(rules)
    for _ in range(MOST_MOVES):
        if table.over:
            break
        move = players[table.to_move](table.seen_by(table.to_move))
        rng.shuffle(bag)
        n = draw_size(table, move)
        drawn = _counted(bag[len(bag) - n :]) if n else None
        new = after(table, move, drawn)
        del bag[len(bag) - n :]
        assert table.history is not None
        assert new.history is not None
        for event in new.history[len(table.history) :]:
            if isinstance(event, Returned):
                bag += [c for c, k in enumerate(event.flowers.counts) for _ in range(k)]
        yield table, move
        table = new
    yield table, Stop()


def player(policy: str | Policy, seed: int = 0) -> Player:
    """A named policy as a player of one seat of one game; raises `Refused` for one that only plays compiled.

    >>> player("points")(Table.start(Rules()))
    Draw(n=4)
    """
    named = parse(policy) if isinstance(policy, str) else policy
    if isinstance(named, Learned) or (isinstance(named, Points) and not named.slip):
        return named.valued().choose
    if isinstance(named, Reference):
        return _Reference(named, random.Random(seed))
    raise Refused(f"policy {named} plays compiled games only; use `play`, or another policy")


class _Reference:
    """A reference policy as `cherrysim.policy` defines it; it counts its own turns."""

    def __init__(self, policy: Reference, rng: random.Random) -> None:
        self.policy, self.rng, self.turns = policy, rng, 0

    def __call__(self, table: Table) -> Move:
        if table.phase == COLLECT and not table.hand.total:
            self.turns += 1
        if (
            table.phase == COLLECT
            and not (table.unseen + table.hand).total - (table.unseen + table.hand).black
        ):
            return Stop() if table.hand.total else Draw(1)  # ruling R22
        if self.policy.kind == "random":
            return self._any(table)
        if table.phase == KEEP:
            return _best_kept(table)
        if table.phase in (DISPLAY, HIDE):
            most = max(range(len(COLOURS)), key=lambda c: table.hand.counts[c])
            return Hide(LETTERS[most] if self.turns % 2 else None)
        n = self._size(table, min(table.rules.flowers - table.hand.total, table.bag_size))
        return Draw(n) if n else Stop()

    def _any(self, table: Table) -> Move:
        """Any card or none first, then any way."""
        moves = list(legal_moves(table))
        if table.phase == DISPLAY:
            cards = sorted({move.card for move in moves if isinstance(move, UseCard)})
            card = self.rng.choice([None, *cards])
            moves = [move for move in moves if (move.card if isinstance(move, UseCard) else None) == card]
        return self.rng.choice(moves)

    def _size(self, table: Table, most: int) -> int:
        """How many flowers to draw, 0 to stop."""
        if table.draws_used == table.rules.draws or not most:
            return 0
        parameters = self.policy.parameters
        if self.policy.kind == "plan":
            return min(parameters[table.draws_used], most) if table.draws_used < len(parameters) else 0
        if self.policy.kind == "cautious":
            return int(not table.hand.total or _risk(table) <= Fraction(*parameters))
        belief = Belief.of(table.unseen, table.unseen.total - table.bag_size)
        at = Position(belief, table.unseen, table.hand, table.draws_used, table.rules)
        return solve(at, Valuation.kept(table.rules)).best().draw


def _risk(table: Table) -> Fraction:
    """The chance that one more flower makes the collection fail."""
    failing = 0
    for c, n in enumerate(table.unseen.counts):
        hand = tuple(k + (i == c) for i, k in enumerate(table.hand.counts))
        failing += n if conditions(hand, table.rules) else 0
    return Fraction(failing, table.unseen.total)


def _best_kept(table: Table) -> Keep:
    """The colours that add most points in front, of equals the first."""
    colours = [c for c in range(BLACK) if table.hand.counts[c]]
    pairs: list[tuple[int, ...]] = [*combinations(colours, 2)] or [tuple(colours)]
    kept = [_counted(list(pair)) for pair in pairs]
    return Keep(max(kept, key=lambda flowers: front_points(table.mover.front + flowers, table.rules)))


def _counted(colours: list[int]) -> Flowers:
    return Flowers(*(colours.count(c) for c in range(len(COLOURS))))
