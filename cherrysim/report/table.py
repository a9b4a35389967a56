"""One position in depth: every choice with its errors, this draw's odds, other aims, and what would turn the
answer.

The choices are those of `cherrysim ask --table`: exact near the end, else by games played on until
differences are known.
"""

from __future__ import annotations

from contextlib import nullcontext
from math import sqrt

from cherrysim import knowledge
from cherrysim.advice import advise, advise_table
from cherrysim.chances import Position, draw_odds
from cherrysim.moves import Draw
from cherrysim.plots.curves import failure_curves
from cherrysim.plots.series import points
from cherrysim.plots.tables import stop_or_draw_at_table
from cherrysim.report.frame import (
    APART,
    CHANCE,
    SHARE,
    Budget,
    Figure,
    Number,
    Question,
    Report,
    Section,
    Table,
)
from cherrysim.stats import Stated
from cherrysim.table import COLLECT
from cherrysim.table import Table as Moment
from cherrysim.tableadvice import Choice, TableAdvice
from cherrysim.tablewords import doubts_told, how_sure, move_text

PRECISION = 0.005
"""How well a full report knows differences of share; a quick one less, by the root of its part of the
games."""
_SHOWN = 12
"""Choices in the figure."""

Parts = tuple[str | Table | Figure, ...]


def report(question: Question, seed: int, budget: Budget) -> Report:
    """The report `table` about a table in a file."""
    table: Moment = question.files[0][1]
    advice = advise_table(
        table,
        "win",
        check=True,
        watch=lambda: nullcontext(budget.heard),
        seed=seed,
        threads=budget.threads,
        precision=min(1.0, PRECISION / sqrt(budget.part)),
    )
    assert isinstance(advice, TableAdvice)
    if advice.stopped == "interrupt":
        raise KeyboardInterrupt
    verdict, reasons, *_ = str(advice).split("\n\n")
    sections = [
        Section("The table", _table(table)),
        Section("The choices", (" ".join(reasons.split("\n")), *_choices(advice))),
    ]
    if table.phase == COLLECT:
        at = _position(table)
        if at.most:
            sections.append(Section("This draw", _odds(at)))
        sections.append(Section("This turn alone", _aims(at)))
    sections.append(Section("What would turn it", _doubts(advice)))
    return Report(
        f"{table.mover.name} to move",
        " ".join(verdict.split("\n")),
        tuple(sections),
        remarks=(how_sure(advice),),
    )


def _table(table: Moment) -> Parts:
    view = table.seen_by(table.to_move)
    rows = []
    for seat in view.seats:
        hidden = seat.unknown
        behind = " + ".join(
            filter(None, [str(seat.behind) if seat.behind.total else "", f"{hidden} unseen" * bool(hidden)])
        )
        rows.append((seat.name, str(seat.front), behind or "-"))
    hand = (
        f"hand {table.hand.letters}, {table.draws_used} of {table.rules.draws} draws used"
        if table.hand.total
        else "no flowers in hand"
    )
    bag = f"{table.bag_size} of {table.unseen}" if table.unseen.total > table.bag_size else str(table.unseen)
    return (
        f"{table.mover.name} is to move: {hand}. In the bag: {bag}.",
        Table("seats", "What everybody has", ("player", "in front", "behind"), tuple(rows)),
    )


def _choices(advice: TableAdvice) -> Parts:
    rows = []
    for choice in advice.ranked:
        fail = Number.exact(choice.fail, CHANCE) if isinstance(choice.move, Draw) else ""
        rows.append(
            (
                move_text(advice.table, choice.move),
                Number(choice.share, SHARE),
                "best" if choice is advice.best else Number(choice.difference, APART, "+"),
                Number(choice.score, "points"),
                Number(choice.margin, "points", "+"),
                fail,
            )
        )
    header = ("choice", "share", "to the best", "score", "margin", "fails at once")
    return (
        _figure(advice),
        Table(
            "choices",
            "Every choice, the best first: share of the victory, difference to the best in points of share, "
            "final score, margin over the best rival",
            header,
            tuple(rows),
        ),
    )


def _figure(advice: TableAdvice) -> Figure:
    best = f"{move_text(advice.table, advice.best.move)} has {Number(advice.best.share, SHARE)}"
    if advice.table.phase == COLLECT:
        return Figure(
            "choices",
            "Points with 95 % intervals: the share of the victory after stopping and after each draw, and "
            f"below how far each is behind the best; {best}.",
            "Choices whose interval below reaches 0 cannot be told from the best."
            if advice.games
            else "Exact.",
            lambda dark=False: stop_or_draw_at_table(advice, dark=dark),
        )
    shares = {move_text(advice.table, choice.move): _in_percent(choice) for choice in advice.ranked[:_SHOWN]}
    equal = [move_text(advice.table, choice.move) for choice in advice.tied or (advice.best,)]
    return Figure(
        "choices",
        f"Points with 95 % intervals: the share of the victory after each choice, the best first; {best}.",
        f"At most {_SHOWN} choices; a full point is the best or cannot be told from it.",
        lambda dark=False: points(
            shares,
            ("Chances to win by choice", "95 % intervals"),
            "% of the victory",
            filled=equal,
            dark=dark,
        ),
    )


def _in_percent(choice: Choice) -> Stated:
    share = choice.share
    ends = share.interval and (100 * share.interval[0], 100 * share.interval[1])
    error = None if share.standard_error is None else 100 * share.standard_error
    return Stated(100 * share.mean, error, ends, share.kind)


def _position(table: Moment) -> Position:
    bag = knowledge.belief(table)
    return Position(bag, bag.most, table.hand, table.draws_used, table.rules, table.mover.front)


def _odds(at: Position) -> Parts:
    found = draw_odds(at)
    rows = tuple((f"draw {n}", Number.exact(chance, CHANCE)) for n, chance in enumerate(found.rows, 1))
    return (
        Figure(
            "draws",
            "A curve: the chance to fail by flowers drawn at once; "
            + ", ".join(f"{row[0]} {row[1]}" for row in rows)
            + ".",
            "Exact for what the player to move can know of the bag.",
            lambda dark=False: failure_curves([found], dark=dark),
        ),
        Table("draws", "Chance to fail at once", ("draw", "fails"), rows),
    )


def _aims(at: Position) -> Parts:
    rows: list[tuple[str | Number, ...]] = []
    for value, aim in (("kept", "flowers kept"), ("front", "points in front")):
        advice = advise(at, value)
        for option in advice.options:
            rows.append(
                (
                    aim,
                    f"draw {option.draw}" if option.draw else "stop",
                    Number.exact(option.value, advice.unit),
                    Number.exact(option.value - advice.best.value, advice.unit, "+"),
                )
            )
    return (
        "What this turn alone would say, exactly: cards, hiding and rivals are not looked at.",
        Table(
            "aims",
            "Worth of each choice for other aims",
            ("aim", "choice", "worth", "to the best"),
            tuple(rows),
            labels=2,
        ),
    )


def _doubts(advice: TableAdvice) -> Parts:
    said = doubts_told(advice)
    if advice.doubts is None or not advice.doubts.against:
        return (said,)
    rows = tuple(
        (
            found.opponents,
            move_text(advice.table, found.best),
            "the same" if found.same else Number(found.behind, APART, "+"),
        )
        for found in advice.doubts.against
    )
    return (
        said,
        Table(
            "opponents",
            "The best choice against other opponents, and how far the advised one is from it there, in "
            "points of share",
            ("opponents", "best", "advised"),
            rows,
        ),
    )
