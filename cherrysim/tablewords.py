"""Words for whole tables: a moment of a record, and advice for a late table, for a terminal of 80 columns.

The verdict comes first; a share of the victory is always said with the final score.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from cherrysim.flowers import COLOURS, LETTERS, listed, number_of
from cherrysim.moves import BEHIND, FRONT, Draw, Hide, Keep, Move, Overdraw, Place, Stop, Take, UseCard
from cherrysim.rules import CARDS
from cherrysim.table import COLLECT, Table
from cherrysim.words import WIDTH, capital, fails, in_columns, page, percent, small, wrapped

if TYPE_CHECKING:
    from cherrysim.endgame import EndOption
    from cherrysim.records import Record
    from cherrysim.tableadvice import TableAdvice

_MOST_NAMED = 4
"""So many equal moves are named; of more only how many there are."""


def moment(record: Record, at: int, table: Table) -> str:
    """The text of `cherrysim replay`: which turn of the record, then the table."""
    last = len(record.turns)
    if not at:
        where = "Before the first turn"
    elif at == last and (table.phase != COLLECT or table.hand.total):
        where = f"In turn {at}, which goes on"
    else:
        where = f"After turn {at} of {last}"
    lines = [line for text in str(table).split("\n") for line in wrapped(text, WIDTH) or [""]]
    return "\n".join((where, "", *lines))


def table_advice(advice: TableAdvice) -> str:
    """The text of `cherrysim ask --table` for `win` and `score`."""
    exact = f"Exact, not simulated: {number_of(advice.end.visited, 'table')} that can follow were solved."
    *moment, _, header, rows = str(advice.table).split("\n", 4)
    return page(
        _verdict(advice),
        " ".join(_reasons(advice)),
        "\n".join(line for text in moment for line in wrapped(text, WIDTH)),
        "\n".join((header, rows)),
        _choices(advice),
        " ".join((exact, *advice.assumptions)),
    )


def move_text(table: Table, move: Move) -> str:
    """A move as one says it, players by name.

    >>> from cherrysim.rules import OFFICIAL
    >>> [move_text(Table.start(OFFICIAL), move) for move in (Draw(2), Hide("L"))]
    ['draw 2', 'hide light blue']
    """
    match move:
        case Draw(n):
            return f"draw {n} more" if table.hand.total else f"draw {n}"
        case Overdraw(n):
            return f"draw {n}, too many"
        case Stop():
            return "stop"
        case Hide(colour):
            return f"hide {_colour(colour)}" if colour else "hide nothing"
        case Keep(flowers):
            return f"keep {listed(flowers.letters, 'and')}" if flowers.total else "keep nothing"
        case Place(places):
            return f"lay {listed([f'{colour} {_place(table, to)}' for colour, to in places], 'and')}"
        case UseCard():
            return ", ".join([f"use {CARDS[move.card].title}", *_targets(table, move)])


def _targets(table: Table, move: UseCard) -> list[str]:
    """What a card is used on."""
    taken = [f"take {_from(table, take)}" for take in move.takes]
    if move.pick is None:
        return taken
    source = "the hand" if move.pick.source == "hand" else "the front"
    verb = f"give {table.seats[move.takes[0].seat].name}" if move.takes else "hide"
    return [f"{verb} {move.pick.colour} from {source}", *taken]


def _from(table: Table, take: Take) -> str:
    return f"{take.colour} from {table.seats[take.seat].name}"


def _place(table: Table, to: str | int) -> str:
    if isinstance(to, int):
        return f"in front of {table.seats[to].name}"
    return {FRONT: "in front", BEHIND: "behind"}[to]


def _colour(letter: str) -> str:
    return COLOURS[LETTERS.index(letter)].replace("_", " ")


def _verdict(advice: TableAdvice) -> str:
    equal = advice.tied
    said = [move_text(advice.table, option.move) for option in equal[:_MOST_NAMED]]
    if not equal:
        return capital(move_text(advice.table, advice.best.move))
    if len(equal) == len(advice.options):
        return "Every choice is equal, take the one you like"
    if len(equal) > _MOST_NAMED:
        said = [*said[:1], f"{len(equal) - 1} others"]
        return f"{capital(listed(said, 'and'))}: equal, take the one you like"
    return f"{capital(listed(said, 'or'))}: equal, take the one you like"


def _reasons(advice: TableAdvice) -> list[str]:
    """What the advised move comes to, and how far the next one is behind."""
    best, seat, name = advice.best, advice.end.seat, advice.table.mover.name
    said = [
        f"{name} then has {percent(best.shares[seat])} of the victory on average, "
        f"{_points(best.scores[seat])} points in the end, {_lead(best, seat)}."
    ]
    if isinstance(best.move, Draw):
        said.append(f"The draw {fails(advice.fail(best))}.")
    others = [option for option in advice.options if option is not best and option not in advice.tied]
    if others:
        nearest = max(others, key=advice.wish)
        other = move_text(advice.table, nearest.move)
        if advice.worth(nearest) == advice.worth(best):
            lead = small(best.margins[seat] - nearest.margins[seat])
            said.append(f"To {other} wins as often, with a lead smaller by {lead} points.")
        else:
            said.append(f"To {other} gives up {_gives_up(advice, nearest)}.")
    return said


def _lead(option: EndOption, seat: int) -> str:
    margin = option.margins[seat]
    than = "more" if margin >= 0 else "fewer"
    return f"{_points(abs(margin))} {than} than the best rival"


def _choices(advice: TableAdvice) -> str:
    """Every move, the best first."""
    seat = advice.end.seat
    rows: list[tuple[str, ...]] = [("share", "gives up", "score", "lead", "fails", "choice")]
    for option in sorted(advice.options, key=advice.wish, reverse=True):
        rows.append(
            (
                percent(option.shares[seat]),
                "best" if option is advice.best else _gives_up(advice, option),
                _points(option.scores[seat]),
                _points(option.margins[seat]),
                percent(advice.fail(option)) if isinstance(option.move, Draw) else "-",
                move_text(advice.table, option.move),
            )
        )
    return in_columns(rows, ">>>>><")


def _gives_up(advice: TableAdvice, option: EndOption) -> str:
    if option in advice.tied:
        return "equal"
    lost = advice.worth(advice.best) - advice.worth(option)
    return f"{small(lost)} points" if advice.value == "score" else percent(lost)


def _points(value: Fraction) -> str:
    return f"{float(value):.2f}"
