"""The decisions of a recorded game, each with what every choice was worth to every seat.

Rulebook: "Turn Overview"; rulings R5, R8, R22, R26. A decision is a moment with at least two moves to choose
from, seen as its player could see it. With Q(move) the shares of all seats after a move (`instant`), p the
move played and b the best one,

    value = Q(b),   change = Q(p) - Q(b),

the change being a vector that sums to 0 and whose entry for the player who decides is at most 0. How wilds
are split at the end is a decision of the kind `split`: the value of the game takes it that all split as
ruling R26 models them, so that what the model may play changes nothing and anything else counts for what it
gives up against it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from cherrysim.allowed import ONE
from cherrysim.behind import Groups, Split, mixtures
from cherrysim.engine import legal_moves
from cherrysim.flowers import Flowers
from cherrysim.front import front_points
from cherrysim.instant import Ends, MoveValue, ends_of_turn, fitted, instant
from cherrysim.moves import Draw, Keep, Move, Overdraw, Place, Stop, Unwatched, UseCard
from cherrysim.records import Position, Record, Step, replay
from cherrysim.scoring import group_points
from cherrysim.table import Table

KINDS = ("draw", "stop", "card", "hide", "keep", "split")
EQUAL = 1e-9
"""Shares no further apart than this are equal, and the move played then counts as the best."""

Shares = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Splitting:
    """How a seat's wilds behind went to the two groups."""

    warm: int
    cool: int

    def to_json(self) -> dict[str, Any]:
        return {"action": "split", "warm": self.warm, "cool": self.cool}


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision: `value` is what every seat's share was worth, `change` what the choice made of it.

    `error` is the standard error of the own entry of `change` where games were played on, None where it is
    the learned value's, whose error is not known; `choices` are all of them, the best
    first; `drawn` came out of the bag with the one played.
    """

    turn: int
    line: int
    seat: int
    kind: str
    played: Move | Splitting
    best: Move | Splitting
    value: Shares
    change: Shares
    table: Table
    choices: tuple[Move, ...] = ()
    drawn: Flowers | None = None
    error: float | None = None
    games: int = 0

    @property
    def lost(self) -> float:
        """The share of victory given up, at least 0."""
        return max(0.0, -self.change[self.seat])

    @property
    def certain(self) -> bool:
        """Whether what was given up can be told from nothing: 1.96 standard errors, where they are known."""
        return self.lost > 1.96 * (self.error or 0.0)


def decided(position: Position) -> Decision | None:
    """The decision at a moment of a record; None where there was nothing to choose.

    >>> from cherrysim.rules import Rules
    >>> start = Table.start(Rules.official(2))
    >>> one = decided(Position(1, 5, start, Draw(1), None))
    >>> one.kind, one.lost > 0, abs(sum(one.change)) < 1e-12
    ('draw', True, True)
    """
    table, played = position.table, position.move
    mistake = isinstance(played, Overdraw)
    if len(legal_moves(table)) < 2 and not mistake:
        return None
    ends = ends_of_turn(table)
    found = {option.move: option.shares for option in instant(table, ends)}
    if played not in found and ends:
        found[played] = _for_nothing(table, ends)
    if len(found) < 2:
        return None
    seat = table.to_move
    ranked = sorted(found, key=lambda move: -found[move][seat])
    best = played if found[played][seat] >= found[ranked[0]][seat] - EQUAL else ranked[0]
    return Decision(
        position.turn,
        position.line,
        seat,
        _kind(played, best),
        played,
        best,
        found[best],
        tuple(a - b for a, b in zip(found[played], found[best], strict=True)),
        table,
        tuple(move for move in ranked if not isinstance(move, Overdraw)),
        position.drawn,
    )


def worth(table: Table) -> Shares:
    """Every seat's share where the game stands, the player to move doing what is best for it."""
    options = instant(table, ends_of_turn(table))
    best: MoveValue = max(options, key=lambda option: option.shares[table.to_move])
    return best.shares


def _for_nothing(table: Table, ends: Ends) -> Shares:
    """The shares after a turn that gave everything back (rulings R5, R22)."""
    return fitted(ends[1][0], table)


def _kind(played: Move, best: Move) -> str:
    if isinstance(played, Draw | Overdraw):
        return "draw"
    if isinstance(played, Stop):
        return "stop"
    if isinstance(played, Keep):
        return "keep"
    return "card" if any(isinstance(move, UseCard | Place) for move in (played, best)) else "hide"


def known(record: Record) -> Record:
    """The record with secret flowers told when they were drawn, where what was shown at the end says so: all
    that a seat drew unknown to the writer, and all of one colour."""
    steps = {seat: _secret_of(record, seat, flowers.total) for seat, flowers in record.reveals}
    told = {
        seat: flowers.letters[0]
        for seat, flowers in record.reveals
        if steps[seat] and len(set(flowers.letters)) == 1
    }
    if not told:
        return record

    def filled(seat: int, step: Step) -> Step:
        secret = isinstance(step.move, UseCard) and step.move.card == "shin_sumizome" and step.drawn is None
        return replace(step, drawn=ONE[told[seat]]) if secret and seat in told else step

    turns = tuple(
        replace(turn, steps=tuple(filled(turn.seat, step) for step in turn.steps)) for turn in record.turns
    )
    reveals = tuple((seat, flowers) for seat, flowers in record.reveals if seat not in told)
    return replace(record, turns=turns, reveals=reveals)


def _secret_of(record: Record, seat: int, n: int) -> bool:
    """Whether a seat drew just so many secret flowers that the record does not tell, from a bag with some."""
    drawn = [
        position
        for position in record.positions()
        if isinstance(position.move, UseCard)
        and (position.move.card, position.table.to_move) == ("shin_sumizome", seat)
        and position.drawn is None
    ]
    return len(drawn) == n and all(position.table.bag_size for position in drawn)


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a game: the shares it came to, and the splits somebody chose."""

    result: Shares
    splits: tuple[Decision, ...]


def ending(record: Record) -> Ending:
    """What an ended game came to, every secret flower known; a split that is not told is the model's."""
    table = replay(record)
    game = Splits(table)
    given = [
        split if split is not None and len(game.groups[seat].splits(table.rules)) > 1 else None
        for seat, split in enumerate(record.splits or [None] * len(table.seats))
    ]
    decisions = tuple(
        game.decision(seat, split, len(record.turns)) for seat, split in enumerate(given) if split is not None
    )
    return Ending(game.shares(given), decisions)


class Splits:
    """The last choice of all: where the wilds go."""

    def __init__(self, table: Table) -> None:
        self.table, self.rules = table, table.rules
        self.groups = tuple(Groups.of(seat.all_behind) for seat in table.seats)
        self.fronts = [front_points(seat.front, table.rules) for seat in table.seats]
        self.model = mixtures(self.groups, (None,) * len(self.groups), table.rules)

    def shares(self, given: Sequence[Split | None]) -> Shares:
        """All seats' shares, those without a split playing the model's."""
        played = tuple(
            mixed if split is None else ((split, Fraction(1)),)
            for split, mixed in zip(given, self.model, strict=True)
        )
        shares = [Fraction(0)] * len(given)
        for points, p in group_points(self.groups, played, self.rules):
            totals = [own + more for own, more in zip(self.fronts, points, strict=True)]
            for seat, total in enumerate(totals):
                if total == max(totals):
                    shares[seat] += p / totals.count(total)
        return tuple(map(float, shares))

    def alone(self, seat: int, split: Split) -> Shares:
        """All seats' shares when one seat splits so and the others as the model does."""
        given: list[Split | None] = [None] * len(self.groups)
        given[seat] = split
        return self.shares(given)

    def decision(self, seat: int, split: Split, turn: int) -> Decision:
        """How a seat split, rated."""
        value = self.shares([None] * len(self.groups))
        found = self.alone(seat, split)
        likely = max(self.model[seat], key=lambda way: way[1])[0]
        modelled = split in [way for way, _ in self.model[seat]]
        good = modelled or found[seat] >= value[seat] - EQUAL
        change = tuple(0.0 if good else a - b for a, b in zip(found, value, strict=True))
        played = Splitting(*split)
        best = played if good else Splitting(*likely)
        return Decision(turn, 0, seat, "split", played, best, value, change, self.table, error=0.0)


def moments(record: Record) -> Iterator[Position]:
    """Every moment at which somebody chose and was watched, or drew too many by mistake."""
    for position in record.positions():
        if isinstance(position.move, Unwatched):
            continue
        if len(legal_moves(position.table)) > 1 or isinstance(position.move, Overdraw):
            yield position
