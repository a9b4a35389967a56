"""What a review says, in words and tables, before it becomes text, Markdown or a page.

All shares are in per cent of the victory; a loss stands with its standard error where games measured it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cherrysim.flowers import number_of
from cherrysim.moves import Draw, Overdraw
from cherrysim.review import MARKS, NEAR, mark, remarks
from cherrysim.review.bands import plays_like
from cherrysim.review.decisions import KINDS, Decision, Splitting
from cherrysim.sheets.paper import Grid
from cherrysim.stats import Estimate
from cherrysim.tablewords import move_text
from cherrysim.words import capital

if TYPE_CHECKING:
    from cherrysim.review import Review

MOST_MISTAKES, MOST_LUCK = 10, 5
ADDS_UP = "Luck and skill"
"""The heading of the table that adds up."""
_NAMES = {
    "draw": "draws",
    "stop": "stops",
    "card": "cards",
    "hide": "hiding",
    "keep": "keeping",
    "split": "splitting",
}


@dataclass(frozen=True)
class Sheet:
    """A review in words: the verdict, how it adds up, tables, every decision, and remarks."""

    title: str
    verdict: str
    sums: str
    grids: tuple[Grid, ...]
    every: Grid
    remarks: tuple[str, ...]


def sheet(found: Review) -> Sheet:
    """A review in words."""
    grids = (_mistakes(found), _seats(found), _skill(found), _luck(found), _kinds(found))
    return Sheet(
        ", ".join(found.record.names),
        _verdict(found),
        "In % of the victory: start + luck + own choices + the others' choices = result. Luck is what "
        "everybody's draws did.",
        tuple(grid for grid in grids if grid.rows),
        _every(found),
        (_limits(), *remarks(found)),
    )


def done(decision: Decision, best: bool = False) -> str:
    """The move played, or the best one, as one says it."""
    move = decision.best if best else decision.played
    if isinstance(move, Splitting):
        return f"split {move.warm} warm {move.cool} cool"
    return move_text(decision.table, move)


def moment(decision: Decision) -> str:
    """What lay there when it was decided."""
    if isinstance(decision.played, Splitting):
        return ""
    table = decision.table
    if table.bonus is not None:
        return f"{table.bonus.drawn.letters} drawn"
    return table.hand.letters if table.hand.total else ""


def percent(share: float, sign: bool = False) -> str:
    """A share in per cent with one digit, no minus before zero."""
    text = f"{100 * share:{'+' if sign else ''}.1f}"
    return "0.0" if float(text) == 0 else text


def _verdict(found: Review) -> str:
    names = found.record.names
    if not found.mistakes:
        least = MARKS[-1][0]
        so_far = " so far" if found.stopped or not found.record.ended else ""
        if any(decision.lost >= least for decision in found.decisions):
            return f"No mistake{so_far} that games can tell from nothing"
        return f"No mistake{so_far}: nobody gave up {100 * least:g} % of the victory or more in a decision"
    worst = found.mistakes[0]
    count = number_of(len(found.mistakes), "mistake")
    return (
        f"{capital(count)}; the biggest in turn {worst.turn}: {names[worst.seat]} gave up "
        f"{percent(worst.lost)} % of the victory to {done(worst)}; best: {done(worst, best=True)}"
    )


def _seats(found: Review) -> Grid:
    rows = []
    for account in found.accounts:
        sums = (account.luck, account.own, account.others)
        rows.append(
            (
                found.record.names[account.seat],
                percent(account.start),
                *(percent(share, sign=True) for share in sums),
                percent(account.result),
            )
        )
    header = ("", "start", "luck", "own", "others", "result")
    return Grid(ADDS_UP, header, "<>>>>>", tuple(rows))


def _skill(found: Review) -> Grid:
    rows = []
    for account in found.accounts:
        lost = account.lost
        error = f" +- {_reach(lost):.2f}" if lost.n > 1 else ""
        like = plays_like(lost, found.record.rules.players) or "too little to say"
        rows.append(
            (
                found.record.names[account.seat],
                str(lost.n),
                f"{small(lost.value)}{error}" if lost.n else "-",
                like,
            )
        )
    return Grid("Skill", ("", "decisions", "lost a decision", "plays like"), "<>><", tuple(rows))


def _reach(share: Estimate) -> float:
    """Half of the 95 % interval, in per cent."""
    low, high = share.interval()
    return 50 * (high - low)


def small(share: float) -> str:
    """A small share in per cent with two digits."""
    return f"{100 * share:.2f}"


def _lost(decision: Decision) -> str:
    error = f" +- {max(_reach(Estimate(decision.lost, decision.error)), 0.1):.1f}" if decision.error else ""
    return f"{percent(decision.lost)}{error}"


def _mistakes(found: Review) -> Grid:
    rows = [
        (
            mark(decision),
            str(decision.turn),
            found.record.names[decision.seat],
            _lost(decision),
            f"{_before(decision)}{done(decision)}; best: {done(decision, best=True)}",
        )
        for decision in found.mistakes[:MOST_MISTAKES]
    ]
    return Grid("Mistakes", ("", "turn", "", "gave up", "played; best"), "<><><", tuple(rows))


def _before(decision: Decision) -> str:
    return f"{moment(decision)}: " if moment(decision) else ""


def _luck(found: Review) -> Grid:
    draws = [one for one in found.draws if one[0].drawn or one[0].kind == "split"]
    drawn = sorted(draws, key=lambda one: -max(map(abs, one[1])))[:MOST_LUCK]
    rows = []
    for decision, luck in drawn:
        seat = max(range(len(luck)), key=lambda s: abs(luck[s]))
        came = f", {decision.drawn.letters} came" if decision.drawn else ""
        who = found.record.names
        rows.append(
            (
                str(decision.turn),
                who[seat],
                percent(luck[seat], sign=True),
                f"{who[decision.seat]}: {_before(decision)}{done(decision)}{came}",
            )
        )
    return Grid("Most luck", ("turn", "", "luck", "what happened"), "><><", tuple(rows))


def _kinds(found: Review) -> Grid:
    rows = []
    for kind in KINDS:
        everybody = found.lost(kind)
        if everybody.n:
            each = [found.lost(kind, seat) for seat in range(found.record.rules.players)]
            cells = [f"{small(one.value)} ({one.n})" if one.n else "-" for one in each]
            rows.append((_NAMES[kind], *cells, small(everybody.value)))
    header = ("", *found.record.names, "all")
    return Grid("Lost a decision, by kind (how many)", header, "<" + ">" * (len(header) - 1), tuple(rows))


def _every(found: Review) -> Grid:
    rows = tuple(_row(found, decision) for decision in found.decisions)
    return Grid("Every decision", ("turn", "", "played; best", "gave up", ""), "><<><", rows)


def _row(found: Review, decision: Decision) -> tuple[str, ...]:
    drawn = isinstance(decision.played, Draw | Overdraw) and decision.drawn
    came = f", {drawn.letters} came" if drawn else ""
    wrong = decision.best != decision.played
    best = f"; best: {done(decision, best=True)}" if wrong else ""
    return (
        str(decision.turn),
        found.record.names[decision.seat],
        f"{_before(decision)}{done(decision)}{came}{best}",
        _lost(decision) if wrong else "",
        mark(decision),
    )


def _limits() -> str:
    signs = ", ".join(f"{sign} from {100 * limit:g} %" for limit, sign in reversed(MARKS))
    return (
        f"Marks: {signs} of the victory given up, the limits of GNU Backgammon; never within "
        f"{100 * NEAR:g} % of the best, nor where games cannot tell a loss from nothing. +- is half of the "
        "95 % interval. Plays like: whose losses come nearest; a game seldom rules the others out."
    )


def turns(found: Review) -> Iterator[tuple[int, tuple[float, ...]]]:
    """Every decision's turn with everybody's share before it, then the result."""
    for decision in found.decisions:
        yield decision.turn, decision.value
    last = found.decisions[-1].turn
    yield last + 1, found.result
