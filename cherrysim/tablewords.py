"""Words for whole tables: a moment of a record, and advice for a table, for a terminal of 80 columns.

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
    from cherrysim.records import Record
    from cherrysim.tableadvice import Choice, TableAdvice

_MOST_NAMED = 4
"""So many equal moves are named; of more only how many there are."""
_MOST_ROWS = 12
"""So many moves are shown, the best first."""
_DIGITS = 13
"""Beyond these the sums of shares are rounding."""


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
    *moment, _, header, rows = str(advice.table).split("\n", 4)
    return page(
        _verdict(advice),
        " ".join(_reasons(advice)),
        "\n".join(line for text in moment for line in wrapped(text, WIDTH)),
        "\n".join((header, rows)),
        _choices(advice),
        " ".join((advice.found, *advice.assumptions)),
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
    best, name = advice.best, advice.table.mover.name
    said = [
        f"{name} then has {_percent(best.share)} of the victory on average, "
        f"{best.score:.2f} points in the end, {_lead(best)}."
    ]
    if isinstance(best.move, Draw):
        said.append(f"The draw {fails(best.fail)}.")
    others = [choice for choice in advice.options if choice is not best and choice not in advice.tied]
    if others:
        nearest = max(others, key=lambda choice: choice.wish(advice.value))
        other = move_text(advice.table, nearest.move)
        if advice.worth(nearest) == advice.worth(best):
            lead = small(Fraction(best.margin - nearest.margin))
            said.append(f"To {other} wins as often, with a lead smaller by {lead} points.")
        else:
            said.append(f"To {other} gives up {_gives_up(advice, nearest)}.")
    return said


def _lead(choice: Choice) -> str:
    than = "more" if choice.margin >= 0 else "fewer"
    return f"{abs(choice.margin):.2f} {than} than the best rival"


def _choices(advice: TableAdvice) -> str:
    """The moves, the best first, and how many are not shown."""
    rows: list[tuple[str, ...]] = [("share", "gives up", "score", "lead", "fails", "choice")]
    ranked = sorted(advice.options, key=lambda choice: choice.wish(advice.value), reverse=True)
    for choice in ranked[:_MOST_ROWS]:
        rows.append(
            (
                _percent(choice.share),
                "best" if choice is advice.best else _gives_up(advice, choice),
                f"{choice.score:.2f}",
                f"{choice.margin:.2f}",
                percent(choice.fail) if isinstance(choice.move, Draw) else "-",
                move_text(advice.table, choice.move),
            )
        )
    shown = in_columns(rows, ">>>>><")
    more = len(ranked) - _MOST_ROWS
    return f"{shown}\nand {number_of(more, 'choice')} more that give up no less" if more > 0 else shown


def _gives_up(advice: TableAdvice, choice: Choice) -> str:
    if choice in advice.tied:
        return "equal"
    lost = advice.worth(advice.best) - advice.worth(choice)
    return f"{small(Fraction(lost))} points" if advice.value == "score" else _percent(lost)


def _percent(share: float) -> str:
    """A share in percent; what rounding left of sums is no share."""
    return percent(Fraction(round(share, _DIGITS)))
