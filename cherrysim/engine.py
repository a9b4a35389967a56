"""The rules of a turn: the table that each move leads to.

Rulebook: "Collect Flowers", "Display Flowers", "Description of Mastery Cards"; rulings R5, R10 to R23.
Chance is an argument: `after(table, move, drawn)` is told which flowers came out of the bag, so that a
simulator, a record and a search use the same function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from cherrysim.allowed import ONE, SHIN, SOMEI, called, draw_size, legal_moves, why_not
from cherrysim.flowers import LETTERS, NOTHING, Flowers, Refused
from cherrysim.hands import conditions
from cherrysim.moves import (
    BEHIND,
    FRONT,
    HAND,
    Draw,
    Drawn,
    Event,
    Hide,
    Keep,
    Move,
    Overdraw,
    Place,
    Returned,
    Secret,
    Stop,
    Unwatched,
    UseCard,
)
from cherrysim.table import (
    BONUS,
    COLLECT,
    DISPLAY,
    HIDE,
    KEEP,
    KENROKUEN,
    KOMATSU,
    Bonus,
    Seat,
    Table,
    moved,
    replaced,
)

__all__ = ["after", "draw_size", "legal_moves", "why_not"]


def after(table: Table, move: Move, drawn: Flowers | None = None) -> Table:
    """The table after a move; `drawn` are the flowers that come out of the bag with it.

    A flower drawn for Shin Sumizome may be None: nobody here knows it. Raises `Refused` for a move that is
    not allowed, with the reason of `why_not`, and for flowers that the bag cannot have given.

    >>> from cherrysim.rules import Rules
    >>> drawn = after(Table.start(Rules()), Draw(3), Flowers.parse("PYY"))
    >>> after(after(drawn, Stop()), Hide("Y")).seats[0].behind == Flowers.parse("YY")
    True
    """
    reason = why_not(table, move)
    if reason:
        raise Refused(reason)
    n = draw_size(table, move)
    if drawn is None:
        unknown = isinstance(move, UseCard) and move.card == SHIN
        if n and not unknown:
            raise Refused(f"{called(move)} draws {n}; the flowers drawn decide what follows; give them")
    elif drawn.total != n:
        raise Refused(f"{drawn} drawn is {drawn.total}; {called(move)} draws {n}; give as many")
    elif drawn not in table.pool:
        raise Refused(f"{drawn} drawn; the bag holds at most {table.pool}; check the flowers seen so far")
    return _CHANGES[type(move)](table, move, drawn)


def _next_turn(table: Table, seats: tuple[Seat, ...], history: tuple[Event, ...] | None) -> Table:
    return moved(
        table,
        seats=seats,
        to_move=(table.to_move + 1) % len(seats),
        hand=NOTHING,
        draws_used=0,
        phase=COLLECT,
        history=history,
        splits=None,
    )


def _noted(table: Table, *events: Event) -> tuple[Event, ...] | None:
    """The history with these events added; None stays unknown."""
    return None if table.history is None else (*table.history, *events)


def _draw(table: Table, move: Draw, drawn: Flowers) -> Table:
    hand = table.hand + drawn
    return moved(
        table,
        hand=hand,
        draws_used=table.draws_used + 1,
        phase=KEEP if conditions(hand.counts, table.rules) else COLLECT,
        history=_noted(table, Drawn(drawn)),
    )


def _overdraw(table: Table, move: Overdraw, drawn: Flowers) -> Table:
    return _next_turn(table, table.seats, _noted(table, Drawn(drawn), Returned(table.hand + drawn)))


def _unwatched(table: Table, move: Unwatched, drawn: None) -> Table:
    own = table.mover
    own = replace(own, front=own.front + move.front, unseen_behind=own.unseen_behind + move.behind)
    events = [Drawn(move.front)] if move.front.total else []
    unknown = [Secret(table.to_move)] * move.behind
    return _next_turn(table, replaced(table.seats, table.to_move, own), _noted(table, *events, *unknown))


def _stop(table: Table, move: Stop, drawn: None) -> Table:
    return moved(table, phase=DISPLAY)


def _use_card(table: Table, move: UseCard, drawn: Flowers | None) -> Table:
    if move.card == SHIN:
        return _draw_secret(table, drawn)
    if move.card in (KOMATSU, KENROKUEN):
        if drawn is None or not drawn.total:
            return moved(table, phase=HIDE)
        return moved(table, phase=BONUS, bonus=Bonus(move.card, drawn), history=_noted(table, Drawn(drawn)))
    return _move_flowers(table, move)


def _draw_secret(table: Table, drawn: Flowers | None) -> Table:
    own = table.mover
    if not table.bag_size:
        return moved(table, phase=HIDE)
    if drawn is None:
        own = replace(own, secret=own.secret + 1)
    else:
        own = replace(own, own_secret=own.own_secret + drawn)
    seats = replaced(table.seats, table.to_move, own)
    return moved(table, seats=seats, phase=HIDE, history=_noted(table, Secret(table.to_move, drawn)))


def _move_flowers(table: Table, move: UseCard) -> Table:
    """Somei Yoshino, Sakuya Hime, Kokonoe: flowers change places, none comes out of the bag."""
    seats, hand, own = list(table.seats), table.hand, table.mover
    for take in move.takes:
        seats[take.seat] = replace(seats[take.seat], front=seats[take.seat].front - ONE[take.colour])
        own = replace(own, front=own.front + ONE[take.colour])
    if move.pick is not None:
        flower = ONE[move.pick.colour]
        if move.pick.source == HAND:
            hand = hand - flower
        else:
            own = replace(own, front=own.front - flower)
        if move.card == SOMEI:
            own = replace(own, behind=own.behind + flower)
        else:
            other = move.takes[0].seat
            seats[other] = replace(seats[other], front=seats[other].front + flower)
    seats[table.to_move] = own
    return moved(table, seats=tuple(seats), hand=hand, phase=HIDE)


def _place(table: Table, move: Place, drawn: None) -> Table:
    seats = list(table.seats)
    for colour, to in move.places:
        seat = table.to_move if isinstance(to, str) else to
        side = BEHIND if to == BEHIND else FRONT
        seats[seat] = replace(seats[seat], **{side: getattr(seats[seat], side) + ONE[colour]})
    return moved(table, seats=tuple(seats), phase=HIDE, bonus=None)


def _keep(table: Table, move: Keep, drawn: None) -> Table:
    seats = replaced(table.seats, table.to_move, replace(table.mover, front=table.mover.front + move.flowers))
    back = (table.bonus.drawn if table.bonus else table.hand) - move.flowers
    history = _noted(table, Returned(back)) if back.total else table.history
    if table.bonus:
        return moved(table, seats=seats, phase=HIDE, bonus=None, history=history)
    return _next_turn(table, seats, history)


def _hide(table: Table, move: Hide, drawn: None) -> Table:
    own, hidden = table.mover, NOTHING
    if move.colour is not None:
        c = LETTERS.index(move.colour)
        hidden = Flowers(*(n if i == c else 0 for i, n in enumerate(table.hand.counts)))
    own = replace(own, front=own.front + (table.hand - hidden), behind=own.behind + hidden)
    return _next_turn(table, replaced(table.seats, table.to_move, own), table.history)


_CHANGES: dict[type[Any], Callable[[Table, Any, Any], Table]] = {
    Draw: _draw,
    Overdraw: _overdraw,
    Unwatched: _unwatched,
    Stop: _stop,
    UseCard: _use_card,
    Place: _place,
    Hide: _hide,
    Keep: _keep,
}
