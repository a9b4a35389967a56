"""What a player may do: every move a table allows, and why it does not allow the others.

Rulebook: "Collect Flowers", "Display Flowers", "Description of Mastery Cards"; rulings R3, R5, R10 to R20.
A turn runs collect -> display -> (bonus ->) hide, or collect -> keep after a failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, product
from typing import Any

from cherrysim.flowers import BLACK, COLOURS, LETTERS, NOTHING, Flowers, shown
from cherrysim.hands import cards_of, colours_in, conditions, keeps
from cherrysim.moves import (
    BEHIND,
    FRONT,
    HAND,
    Draw,
    Hide,
    Keep,
    Move,
    Overdraw,
    Pick,
    Place,
    Stop,
    Take,
    Unwatched,
    UseCard,
)
from cherrysim.rules import Rules
from cherrysim.table import (
    BONUS,
    BONUS_DRAWS,
    COLLECT,
    DISPLAY,
    HIDE,
    KEEP,
    KENROKUEN,
    KOMATSU,
    Table,
)

SHIN, SAKUYA, SOMEI, KOKONOE = "shin_sumizome", "sakuya_hime", "somei_yoshino", "kokonoe"

ONE = {letter: Flowers(*(int(i == c) for i in range(len(COLOURS)))) for c, letter in enumerate(LETTERS)}
"""One flower of each colour."""


def why_not(table: Table, move: Move) -> str:
    """Why the player to move may not do this: fact; limit; remedy; empty where it is allowed.

    >>> from cherrysim.rules import Rules
    >>> start = Table.start(Rules())
    >>> why_not(start, Draw(3)), why_not(start, Draw(9))
    ('', 'draw 9 is 9 flowers; a turn allows 8; draw at most 8')
    """
    if table.over:
        return "the bag is empty and the game over; no move follows; score the table"
    phases, check = _MOVES[type(move)]
    if table.phase not in phases:
        return (
            f"{called(move)} in phase {table.phase}; it belongs to {' or '.join(phases)}; make another move"
        )
    return check(table, move)


def draw_size(table: Table, move: Move) -> int:
    """How many flowers come out of the bag with this move; fewer than a card asks for from a short bag."""
    if isinstance(move, Draw | Overdraw):
        return move.n
    if isinstance(move, UseCard):
        return min(BONUS_DRAWS.get(move.card, 0), table.bag_size)
    return 0


def legal_moves(table: Table) -> tuple[Move, ...]:
    """Every move that is allowed to choose, so no mistakes and no turns that nobody watched: stop, draws by
    size; cards, hiding; places; keeping.

    >>> from cherrysim.rules import Rules
    >>> legal_moves(Table.start(Rules()))[:2]
    (Draw(n=1), Draw(n=2))
    """
    if table.over:
        return ()
    return tuple(_choices(table))


def _check_draw(table: Table, move: Draw) -> str:
    reason = _check_bag(table, move.n)
    most = table.rules.flowers - table.hand.total
    if not reason and move.n > most:
        hand = f"hand {table.hand.letters} + " if table.hand.total else ""
        remedy = f"draw at most {most}" if most else "stop"
        return (
            f"{hand}draw {move.n} is {table.hand.total + move.n} flowers; "
            f"a turn allows {table.rules.flowers}; {remedy}"
        )
    return reason


def _check_overdraw(table: Table, move: Overdraw) -> str:
    reason = _check_bag(table, move.n)
    n = table.hand.total + move.n
    if not reason and n <= table.rules.flowers:
        return f"{n} flowers are no mistake; a turn allows {table.rules.flowers}; draw them"
    return reason


def _check_bag(table: Table, n: int) -> str:
    if type(n) is not int or n < 1:
        return f"draw {shown(n)}; a draw takes one flower or more; draw 1"
    if table.draws_used >= table.rules.draws:
        return f"{table.draws_used} draws used; a turn allows {table.rules.draws}; stop"
    if n > table.bag_size:
        remedy = f"draw at most {table.bag_size}" if table.bag_size else "stop"
        return f"draw {n}; the bag holds {table.bag_size}; {remedy}"
    return ""


def _check_unwatched(table: Table, move: Unwatched) -> str:
    """One colour goes behind, and what a card puts there."""
    rules, n = table.rules, move.behind
    by_card = max((_BEHIND_BY.get(card, 0) for card in rules.cards), default=0)
    most = rules.alike - 1 + by_card
    if table.hand.total:
        return f"{table.hand.letters} are drawn; a turn is not watched from its first draw; tell the draws"
    if type(n) is not int or not 1 <= n <= most:
        return f"{shown(n)} not watched behind; a turn puts 1 to {most} there; correct the number"
    if move.front not in table.pool:
        return f"{move.front} in front; the bag holds at most {table.pool}; check the flowers seen so far"
    total, limit = move.front.total + n, min(rules.flowers, table.bag_size)
    if total > limit:
        return f"{total} flowers of a turn; at most {limit} can be drawn; leave some out"
    if not _can_be_safe(move.front, max(0, n - by_card), rules):
        collection = f"{move.front.letters.replace('-', '')}{'?' * n}"
        return f"{collection} has failed; of a failure nothing is hidden; write what was kept"
    return ""


def _can_be_safe(front: Flowers, hidden: int, rules: Rules) -> bool:
    """Whether a collection can be, of which so many flowers of a colour of their own were hidden."""
    more = [flower for flower in ONE.values() if flower not in front] if hidden else [NOTHING]
    return any(not conditions(sum([flower] * hidden, front).counts, rules) for flower in more)


def _check_stop(table: Table, move: Stop) -> str:
    return "" if table.hand.total else "stop with no flower drawn; a turn draws one or more; draw 1"


def _check_card(table: Table, move: UseCard) -> str:
    if move.card not in table.rules.cards:
        names = ", ".join(table.rules.cards) or "none"
        return f"card {shown(move.card)}; this game has {names}; use one of its own"
    if move.card not in cards_of(table.hand, table.rules):
        return f"hand {table.hand.letters} does not match {move.card}; a card needs its combination; use none"
    picks, takes = _TARGETS.get(move.card, (0, 0))
    if (int(move.pick is not None), len(move.takes)) != (picks, takes):
        return f"{move.card} moves {picks} own and takes {takes} other flowers; name just these"
    return _check_pick(table, move) or _check_takes(table, move)


def _check_pick(table: Table, move: UseCard) -> str:
    pick = move.pick
    if pick is None:
        return ""
    if pick.source not in (HAND, FRONT):
        return f"a flower from {shown(pick.source)}; it comes from {HAND} or {FRONT}; name one of them"
    own = table.hand if pick.source == HAND else table.mover.front
    if pick.colour not in ONE or ONE[pick.colour] not in own:
        return f"{pick.colour} from {pick.source}; there lie {own}; choose one of these"
    return ""


def _check_takes(table: Table, move: UseCard) -> str:
    for take in move.takes:
        if type(take.seat) is not int or not 0 <= take.seat < len(table.seats) or take.seat == table.to_move:
            return f"a flower of seat {shown(take.seat)}; it comes from another player; name one"
        front = table.seats[take.seat].front
        if take.colour not in ONE or ONE[take.colour] not in front or take.colour == LETTERS[BLACK]:
            name = table.seats[take.seat].name
            return f"{take.colour} from {name}; any but black of {front} can be taken; choose one of these"
    if len(move.takes) == 2:
        one, other = move.takes
        if one.colour == other.colour:
            return f"two of {one.colour}; the two flowers are of different colours; choose another"
        if one.seat == other.seat and len(table.seats) > 2:
            return f"two flowers of {table.seats[one.seat].name}; each is of another player; choose again"
    return ""


def _check_place(table: Table, move: Place) -> str:
    bonus = table.bonus
    if bonus is None or bonus.card != KENROKUEN:
        return "flowers to place; only those of Kenrokuen Kumagai are placed; keep one instead"
    if sorted(colour for colour, _ in move.places) != sorted(bonus.drawn.letters):
        return f"{len(move.places)} flowers to place; drawn are {bonus.drawn.letters}; place just these"
    for colour, to in move.places:
        other = type(to) is int and 0 <= to < len(table.seats) and to != table.to_move
        if not other and to not in (FRONT, BEHIND):
            return f"{colour} to {shown(to)}; it goes in front, behind, or to another player; choose one"
    return ""


def _check_hide(table: Table, move: Hide) -> str:
    if move.colour is None or (move.colour in ONE and ONE[move.colour] in table.hand):
        return ""
    return f"hide {move.colour}; the collection is {table.hand.letters}; choose a colour of it or none"


def _check_keep(table: Table, move: Keep) -> str:
    if table.bonus and table.bonus.card != KOMATSU:
        return "flowers to keep; those of Kenrokuen Kumagai are placed; say where each goes"
    choices = _keepable(table)
    if move.flowers in choices:
        return ""
    kept, names = move.flowers.letters, " or ".join(flowers.letters for flowers in choices)
    if table.bonus:
        return f"keep {kept} of the card's draw; one that is not black is kept; keep {names}"
    return f"keep {kept} of {table.hand.letters}; two different colours are kept; keep {names}"


def _keepable(table: Table) -> tuple[Flowers, ...]:
    """What may be kept of a failed collection, or of the flowers drawn for Komatsu Otome."""
    if table.bonus is None:
        return tuple(Flowers(*pair) for pair in keeps(colours_in(table.hand.counts)))
    coloured = [ONE[LETTERS[c]] for c, n in enumerate(table.bonus.drawn.counts[:BLACK]) if n]
    return tuple(coloured) or (NOTHING,)


def _choices(table: Table) -> Iterator[Move]:
    if table.phase == COLLECT:
        if table.hand.total:
            yield Stop()
        if table.draws_used < table.rules.draws:
            for n in range(1, min(table.rules.flowers - table.hand.total, table.bag_size) + 1):
                yield Draw(n)
    elif table.phase == KEEP or (table.bonus and table.bonus.card == KOMATSU):
        yield from map(Keep, _keepable(table))
    elif table.bonus:
        yield from _placings(table, table.bonus.drawn.letters)
    else:
        if table.phase == DISPLAY:
            for card in cards_of(table.hand, table.rules):
                yield from _uses(table, card)
        yield from map(Hide, (None, *_colours(table.hand)))


def _colours(flowers: Flowers) -> list[str]:
    return [letter for letter, n in zip(LETTERS, flowers.counts, strict=True) if n]


def _placings(table: Table, drawn: str) -> Iterator[Place]:
    places: list[str | int] = [FRONT, BEHIND]
    places += [seat for seat in range(len(table.seats)) if seat != table.to_move]
    ways = (Place(tuple(zip(drawn, to, strict=True))) for to in product(places, repeat=len(drawn)))
    yield from dict.fromkeys(ways)  # two alike may go to two places in two orders


def _uses(table: Table, card: str) -> Iterator[UseCard]:
    """Every way to carry out a card that the hand matches."""
    picks, takes = _TARGETS.get(card, (0, 0))
    own = [Pick(c, HAND) for c in _colours(table.hand)] + [
        Pick(c, FRONT) for c in _colours(table.mover.front)
    ]
    theirs = [
        Take(colour, seat)
        for seat, other in enumerate(table.seats)
        if seat != table.to_move
        for colour in _colours(other.front)
        if colour != LETTERS[BLACK]
    ]
    for pick in own if picks else [None]:
        for taken in combinations(theirs, takes):
            apart = len(table.seats) == 2 or len({take.seat for take in taken}) == takes
            if apart and len({take.colour for take in taken}) == takes:
                yield UseCard(card, pick, taken)


def called(move: Move) -> str:
    """A move's name for a message."""
    match move:
        case Draw(n) | Overdraw(n):
            return f"draw {n}"
        case UseCard(card):
            return f"card {card}"
        case Hide(colour):
            return f"hide {colour or 'none'}"
        case Keep(flowers):
            return f"keep {flowers.letters}"
        case Place():
            return "placing flowers"
        case Unwatched():
            return "a turn not watched"
        case _:
            return "stop"


_TARGETS = {SOMEI: (1, 0), SAKUYA: (1, 1), KOKONOE: (0, 2)}
"""How many own and how many others' flowers a card moves."""

_BEHIND_BY = {SHIN: 1, SOMEI: 1, KENROKUEN: 2}
"""How many flowers a card puts behind the screen at most."""

_MOVES: dict[type[Any], tuple[tuple[str, ...], Callable[[Table, Any], str]]] = {
    Draw: ((COLLECT,), _check_draw),
    Overdraw: ((COLLECT,), _check_overdraw),
    Unwatched: ((COLLECT,), _check_unwatched),
    Stop: ((COLLECT,), _check_stop),
    UseCard: ((DISPLAY,), _check_card),
    Place: ((BONUS,), _check_place),
    Hide: ((DISPLAY, HIDE), _check_hide),
    Keep: ((KEEP, BONUS), _check_keep),
}
"""For each kind of move the phases it belongs to, and what else it asks for."""
