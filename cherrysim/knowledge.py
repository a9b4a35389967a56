"""Who knows what: the bag as a player at the table can believe it to be.

Rulebook: "2-Player Variant", "Shin Sumizome"; rulings R8, R9. What is hidden from a player was, when it
left the bag, a random sample of the bag at that moment: with the history of the game the belief is exact,
without it the hidden flowers are taken as a sample of everything unseen.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache

from cherrysim.allowed import legal_moves
from cherrysim.belief import Belief
from cherrysim.chances import failure_chances
from cherrysim.flowers import Flowers, Refused, number_of
from cherrysim.hands import conditions
from cherrysim.moves import Draw, Drawn, Event, Move, Returned, Secret, followed_out
from cherrysim.table import COLLECT, Table


def belief(table: Table, seat: int | None = None) -> Belief:
    """What the bag may hold as far as `seat` (the player to move) can know; never reads another's secret.

    >>> from cherrysim.rules import Rules
    >>> belief(Table.start(Rules.official(2))).size
    66
    """
    return _belief(table, table.to_move if seat is None else seat)


@lru_cache(maxsize=64)
def _belief(table: Table, viewer: int) -> Belief:
    """Kept, since an answer asks for it many times and a long history takes 20 ms to follow."""
    others = [own for i, own in enumerate(table.seats) if i != viewer]
    unseen = sum((own.own_secret for own in others), table.pool)
    hidden = unseen.total - table.bag_size
    if table.history is None or not hidden:
        return Belief(((unseen.counts, 1),), hidden)
    found = at_start(table)
    for event in table.history:
        if isinstance(event, Secret) and event.seat != viewer:
            event = Secret(event.seat)
        found = followed(found, event)
    return found


def failing(table: Table) -> list[Fraction]:
    """The chance that a draw of 0, 1, ... flowers fails at once, as far as the player to move can know.

    >>> from cherrysim.rules import Rules
    >>> [str(chance) for chance in failing(Table.start(Rules()))[2:4]]
    ['0', '251/3572']
    """
    most = 0
    if table.phase == COLLECT and table.draws_used < table.rules.draws:
        most = min(table.rules.flowers - table.hand.total, table.bag_size)
    return failure_chances(belief(table), table.hand.counts, table.rules, most)


def worthwhile(table: Table) -> tuple[Move, ...]:
    """Every legal move but draws that can only fail and give everything back (ruling R22).

    >>> from cherrysim.rules import Rules
    >>> len(worthwhile(Table.start(Rules())))
    8
    """
    held, moves = table.hand + table.unseen, legal_moves(table)
    if held.total != held.black:
        return moves
    black = table.hand.black
    return tuple(
        move
        for move in moves
        if not (isinstance(move, Draw) and conditions(Flowers(black=black + move.n).counts, table.rules))
    )


def at_start(table: Table) -> Belief:
    """What everybody knows of the bag when the game starts."""
    return Belief(((table.rules.counts.counts, 1),), table.rules.set_aside)


def followed(bag: Belief, event: Event) -> Belief:
    """The belief after an event; raises `Refused` if it cannot have happened."""
    match event:
        case Drawn(flowers) | Secret(_, Flowers() as flowers):
            return bag.draw(flowers)
        case Returned(flowers):
            return bag.put_back(flowers)
        case _:
            return bag.draw_unseen()


def told(start: Belief, history: Iterable[Event]) -> Belief:
    """The belief of somebody who saw all of a history, from the start of the game on.

    Raises `Refused`, with the number of the entry, where it cannot have happened.

    >>> history = Drawn(Flowers.parse("PPP")), Returned(Flowers.parse("PP"))
    >>> told(Belief.of(Flowers.parse("P9 W9")), history).pools
    (((8, 0, 0, 0, 9, 0), 1),)
    """
    bag = start
    for number, (event, _) in enumerate(followed_out(history), 1):
        try:
            bag = followed(bag, event)
        except Refused as refused:
            raise Refused(f"history entry {number}: {refused}") from None
    return bag


def assumptions(table: Table, seat: int | None = None) -> tuple[str, ...]:
    """What `belief` takes for granted about flowers this seat cannot see, in plain sentences."""
    viewer = table.to_move if seat is None else seat
    found = []
    if table.rules.set_aside:
        found.append(f"{_flowers(table.rules.set_aside)} set aside unseen before the game.")
    for i, own in enumerate(table.seats):
        secret = own.secret + (own.own_secret.total if i != viewer else 0)
        if secret:
            found.append(f"{_flowers(secret)} drawn in secret, now behind {own.name}'s screen.")
        if own.unseen_behind:
            found.append(f"{_flowers(own.unseen_behind)} not watched, now behind {own.name}'s screen.")
    if found and table.history is None:
        found.append(
            "No history is given: each of these may be any flower not on the table, put back or never seen."
        )
    elif found and (bag := belief(table, viewer)).known and bag.size:
        found.append(f"By the history the bag holds {bag.most}, for certain.")
    return tuple(found)


def _flowers(n: int) -> str:
    return f"{number_of(n, 'flower')} {'was' if n == 1 else 'were'}"
