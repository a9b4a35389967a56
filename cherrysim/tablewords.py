"""Words for whole tables: a moment of a record, and advice for a table, for a terminal of 80 columns.

The verdict comes first; a share of the victory is always said with the final score.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from cherrysim.doubts import OPPONENTS
from cherrysim.flowers import COLOURS, LETTERS, listed, number_of
from cherrysim.moves import (
    BEHIND,
    FRONT,
    Draw,
    Hide,
    Keep,
    Move,
    Overdraw,
    Place,
    Stop,
    Take,
    Unwatched,
    UseCard,
)
from cherrysim.rules import CARDS
from cherrysim.table import COLLECT, Table
from cherrysim.words import WIDTH, capital, fails, in_columns, page, percent, small, wrapped

if TYPE_CHECKING:
    from cherrysim.doubts import Miscounts
    from cherrysim.records import Record
    from cherrysim.stats import Stated
    from cherrysim.tableadvice import Choice, TableAdvice

_MOST_NAMED = 4
"""So many equal moves are named; of more only how many there are."""
_MOST_ROWS = 12
"""So many moves are shown, the best first."""
_DOING = {
    "stop": "stopping",
    "draw": "drawing",
    "hide": "hiding",
    "keep": "keeping",
    "lay": "laying",
    "use": "using",
}
_MOST_TURNING = 2
"""So many miscounts are told; of more only how many there are."""
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
        doubts_told(advice),
        how_sure(advice),
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
        case Unwatched(front, behind):
            return f"a turn not watched: {front} in front, {behind} behind"
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
    if not equal:
        return capital(_said(advice, advice.best))
    word = "too close to call" if advice.games else "equal"
    if len(equal) == len(advice.options):
        return f"Every choice is {word}, take the one you like"
    said = [_said(advice, choice) for choice in equal[:_MOST_NAMED]]
    if len(equal) > _MOST_NAMED:
        said = [_said(advice, advice.best), f"{len(equal) - 1} others"]
        return f"{capital(listed(said, 'and'))}: {word}, take the one you like"
    return f"{capital(listed(said, 'or'))}: {word}, take the one you like"


def _said(advice: TableAdvice, choice: Choice) -> str:
    return move_text(advice.table, choice.move)


def _doing(advice: TableAdvice, choice: Choice) -> str:
    """A move as something done: `stopping`, `drawing 2 more`."""
    verb, gap, rest = _said(advice, choice).partition(" ")
    return f"{_DOING[verb]}{gap}{rest}"


def _reasons(advice: TableAdvice) -> list[str]:
    """How far the next move is behind, and what the advised one comes to."""
    best, name = advice.best, advice.table.mover.name
    said = [_apart(advice)] if advice.games and len(advice.options) > 1 else []
    then = f"{capital(_doing(advice, best))} gives {name}" if advice.tied else f"{name} then has"
    said.append(
        f"{then} {_share(best.share)} % of the victory on average, {_number(best.score)} points in the end, "
        f"{_lead(best)}."
    )
    if isinstance(best.move, Draw):
        said.append(f"The draw {fails(best.fail)}.")
    return said if advice.games else said + _behind(advice)


def _behind(advice: TableAdvice) -> list[str]:
    """What the nearest move gives up that is not equal."""
    others = [choice for choice in advice.ranked[1:] if choice not in advice.tied]
    if not others:
        return []
    other = capital(_doing(advice, others[0]))
    if advice.worth(others[0]) == advice.worth(advice.best):
        lead = small(Fraction(advice.best.margin.mean - others[0].margin.mean))
        return [f"{other} wins as often, with a lead smaller by {lead} points."]
    unit = "" if advice.value == "score" else " points of share"
    return [f"{other} gives up {_gives_up(advice, others[0])}{unit}."]


def _apart(advice: TableAdvice) -> str:
    """How sure it is that the next move is worse, or that nobody can tell."""
    next_best = next(choice for choice in advice.ranked[1:] if choice in (advice.tied or advice.ranked))
    gap, unit = next_best.difference, "points" if advice.value == "score" else "points of share"
    said = f"{_gap(advice, next_best)} {unit}"
    other = _doing(advice, next_best)
    if next_best in advice.tied:
        return f"So many games cannot tell them apart: {other} is {said} behind."
    if advice.value == "score":
        return f"It makes {said} more than {other}, the next best (about 95 % sure)."
    often = f"1 game in {max(1, round(1 / abs(gap.mean))):,}"
    return f"It wins {said} more often than {other}, the next best (about 95 % sure): {often}."


def _lead(choice: Choice) -> str:
    margin = choice.margin
    than = "more" if margin.mean >= 0 else "fewer"
    return f"{_number(margin).removeprefix('-')} {than} than the best rival"


def _choices(advice: TableAdvice) -> str:
    """The moves, the best first, and how many are not shown."""
    rows: list[tuple[str, ...]] = [("share %", "gives up", "score", "lead", "fails", "choice")]
    for choice in advice.ranked[:_MOST_ROWS]:
        rows.append(
            (
                _share(choice.share),
                "best" if choice is advice.best else _gives_up(advice, choice),
                _number(choice.score),
                _number(choice.margin),
                percent(choice.fail) if isinstance(choice.move, Draw) else "-",
                _said(advice, choice),
            )
        )
    shown = in_columns(rows, ">>>>><")
    more = len(advice.options) - _MOST_ROWS
    return f"{shown}\nand {number_of(more, 'choice')} more that give up no less" if more > 0 else shown


def _gives_up(advice: TableAdvice, choice: Choice) -> str:
    """What a move gives up, in points of share or in points."""
    if advice.games:
        return _gap(advice, choice)
    if choice in advice.tied:
        return "equal"
    lost = Fraction(-choice.difference.mean)
    return f"{small(lost)} points" if advice.value == "score" else _bare_percent(lost)


def _gap(advice: TableAdvice, choice: Choice) -> str:
    """How far a move is behind, with its error."""
    scale = 1 if advice.value == "score" else 100
    return _give_or_take(-choice.difference.mean * scale, (choice.difference.reach or 0.0) * scale)


def _share(share: Stated) -> str:
    """A share of the victory in percent, with its error if it has one."""
    if share.reach:
        return _give_or_take(100 * share.mean, 100 * share.reach)
    return _bare_percent(Fraction(round(share.mean, _DIGITS)))  # what rounding left of sums is no share


def _bare_percent(share: Fraction) -> str:
    return percent(share).removesuffix(" %")


def _number(number: Stated) -> str:
    """Points, with their error if they have one."""
    return _give_or_take(number.mean, number.reach) if number.reach else f"{number.mean:.2f}"


def _give_or_take(number: float, reach: float) -> str:
    """A number and half its interval, with as many digits as that has meaning.

    >>> _give_or_take(2.345, 0.61), _give_or_take(-0.0004, 0.02)
    ('2.3 +- 0.6', '0.00 +- 0.02')
    """
    digits = 1 if reach >= 0.1 else 2
    return f"{round(number, digits) + 0.0:.{digits}f} +- {reach:.{digits}f}"


def how_sure(advice: TableAdvice) -> str:
    """How it was found, and why no more was done."""
    said = [advice.found]
    if advice.games:
        kind = "" if advice.best.share.kind == "fixed" else ", which stays right however often one looks"
        said.append(f"+- is half the 95 % interval{kind}.")
    ended = {
        "interrupt": "Stopped by Ctrl-C: this is what was known by then.",
        "budget": "The seconds were over; another run may end after more games or fewer.",
        "limit": "More games are not played.",
    }
    return " ".join(filter(None, (*said, ended.get(advice.stopped or ""), *advice.assumptions)))


def doubts_told(advice: TableAdvice) -> str:
    """What would turn the answer, and what was not looked at."""
    doubts = advice.doubts
    if doubts is None:
        return "Not checked: other opponents, a bag that was miscounted."
    said = []
    same = [found.opponents for found in doubts.against if found.same]
    close = [found.opponents for found in doubts.against if found.close]
    if same:
        said.append(f"The answer is the same against opponents who play as {listed(same, 'or')}.")
    if close:
        said.append(f"Against opponents who play as {listed(close, 'or')} it is too close to call.")
    for found in doubts.against:
        if not found.same and not found.close:
            better = move_text(advice.table, found.best)
            scale, unit = (1, "points") if advice.value == "score" else (100, "points of share")
            lost = _give_or_take(-scale * found.behind.mean, scale * (found.behind.reach or 0.0))
            said.append(f"Against opponents who play as {found.opponents} rather {better}, by {lost} {unit}.")
    missing = [name for name in OPPONENTS if name not in [found.opponents for found in doubts.against]]
    if missing:
        said.append(f"Not checked against opponents who play as {listed(missing, 'or')}.")
    return " ".join([*said, _miscounts(advice, doubts.miscounts)])


def _miscounts(advice: TableAdvice, miscounts: Miscounts | None) -> str:
    if miscounts is None:
        return "Not checked for a bag that was miscounted."
    flowers = ("one flower", "two flowers")[miscounts.flowers - 1]
    if not miscounts.turning:
        up_to = flowers if miscounts.flowers == 1 else "one flower or two"
        return f"A bag miscounted by {up_to} would not turn it."
    said = [
        f"with {_change(change)} in it {move_text(advice.table, move)}"
        for change, move in miscounts.turning[:_MOST_TURNING]
    ]
    more = len(miscounts.turning) - len(said)
    said += [f"in {number_of(more, 'other way')}"] if more else []
    return f"A bag miscounted by {flowers} would turn it: {listed(said, 'and')}."


def _change(change: Sequence[int]) -> str:
    """What a bag holds besides, or lacks: `1 pink more and 1 white fewer`."""
    return listed(
        [
            f"{abs(n)} {colour.replace('_', ' ')} {'more' if n > 0 else 'fewer'}"
            for colour, n in zip(COLOURS, change, strict=True)
            if n
        ],
        "and",
    )
