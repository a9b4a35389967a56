"""Advice for a whole table: every move with its share of the victory and its final score.

Rulebook: all of it. Near the end `exact`: the endgame solver plays for all. Earlier `instant`: the learned
value, with this turn's draws exactly. A move's margin is

    own expected score - largest expected score of a rival,

and the move advised has the largest own share, then the largest margin (`win`), or the largest own score
(`score`), then stands first in `engine.legal_moves`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from cherrysim.endgame import EndOption, solve_end
from cherrysim.flowers import NOTHING, Refused, number_of, shown
from cherrysim.knowledge import assumptions, belief, failing
from cherrysim.moves import Draw, Move, Stop, UseCard
from cherrysim.table import BONUS_DRAWS, Table
from cherrysim.turn import TIED

if TYPE_CHECKING:
    from pandas import DataFrame

    from cherrysim.instant import MoveValue

METHODS = ("exact", "instant")
MOST_FLOWERS = 12
"""So many flowers in the bag and in the middle are solved; with more no answer comes in reasonable time."""
MOST_TABLES = 20_000
"""So many tables between two turns are visited for an answer: seconds of computing."""

UNITS = {"win": "of victory", "score": "points"}


@dataclass(frozen=True)
class Choice:
    """A move and what it is worth to the player to move: share of the victory, expected final score, margin
    over the best rival; and the chance that it fails at once."""

    move: Move
    share: float
    score: float
    margin: float
    fail: Fraction

    def wish(self, value: str) -> tuple[float, ...]:
        """What moves are compared by, the most important first."""
        return (self.score,) if value == "score" else (self.share, self.margin)


@dataclass(frozen=True)
class TableAdvice:
    """Every move at a table with what it is worth to the player to move; `str()` is the text, `to_json()`
    the document of `ask --table`.

    `options` stand in the order of `engine.legal_moves`: stop, draw 1, 2, ...; cards, hiding; keeping.
    `found` says in a sentence how, `assumptions` what is taken for granted.
    """

    table: Table
    value: str
    options: tuple[Choice, ...]
    method: str
    found: str
    assumptions: tuple[str, ...]

    @property
    def best(self) -> Choice:
        """The move advised, of equals the first."""
        return self._equal()[0]

    @property
    def tied(self) -> tuple[Choice, ...]:
        """The moves that cannot be told apart from the best, itself included; none where it stands alone."""
        equal = self._equal()
        return equal if len(equal) > 1 else ()

    def _equal(self) -> tuple[Choice, ...]:
        left = self.options
        for place in range(len(left[0].wish(self.value))):
            top = max(choice.wish(self.value)[place] for choice in left)
            left = tuple(choice for choice in left if _tied(choice.wish(self.value)[place], top))
        return left

    @property
    def unit(self) -> str:
        """What values are counted in."""
        return UNITS[self.value]

    def worth(self, choice: Choice) -> float:
        """The value of a move in `unit`."""
        return choice.wish(self.value)[0]

    def to_json(self) -> dict[str, Any]:
        """The document of `cherrysim ask --table`."""
        table = self.table
        stop = [self.worth(choice) for choice in self.options if isinstance(choice.move, Stop)]
        draws = [self.worth(choice) for choice in self.options if isinstance(choice.move, Draw)]
        return {
            "bag": table.unseen.to_json(),
            "hand": table.hand.to_json(),
            "draws_used": table.draws_used,
            "draws_left": table.rules.draws - table.draws_used,
            "value": self.value,
            "unit": self.unit,
            "advice": self.best.move.to_json(),
            "close_call": bool(self.tied),
            "tied": [choice.move.to_json() for choice in self.tied],
            "options": [self._row(choice) for choice in self.options],
            "advantage": max(draws) - stop[0] if stop and draws else None,
            "method": self.method,
            "assumptions": list(self.assumptions),
            "seed": None,
        }

    def frame(self) -> DataFrame:
        """The moves as a table, one row each: the move in words, then its numbers."""
        from pandas import DataFrame

        from cherrysim.tablewords import move_text

        rows = [
            {"move": move_text(self.table, choice.move), "fail": row["fail"]}
            | {name: row[name]["mean"] for name in ("share", "score", "margin", "difference")}
            for choice, row in zip(self.options, map(self._row, self.options), strict=True)
        ]
        return DataFrame(rows)

    def __str__(self) -> str:
        from cherrysim.tablewords import table_advice

        return table_advice(self)

    def _row(self, choice: Choice) -> dict[str, Any]:
        move = choice.move
        row = move.to_json() | {
            "value": self.worth(choice),
            "standard_error": self._number(0.0)["standard_error"],
            "fail": float(choice.fail),
            "share": self._number(choice.share),
            "score": self._number(choice.score),
            "margin": self._number(choice.margin),
            "difference": self._number(self.worth(choice) - self.worth(self.best)),
            "games": 0,
        }
        if isinstance(move, Draw) or (isinstance(move, UseCard) and move.card in BONUS_DRAWS):
            row["then"] = "the flowers are seen first, then the rest is played best"
        return row

    def _number(self, mean: float) -> dict[str, Any]:
        """A number with its error: none where it is exact, not known where it is learned."""
        if self.method == "exact":
            return {
                "mean": mean, "standard_error": 0.0, "interval": [mean, mean], "interval_kind": "exact",
            }  # fmt: skip
        return {"mean": mean, "standard_error": None, "interval": None, "interval_kind": "unknown"}


def answered(table: Table, value: str = "win", method: str | None = None) -> TableAdvice:
    """Every move at a table in any phase by a method; by default exact where that is reached, else instant.

    >>> from cherrysim.rules import Rules
    >>> advice = answered(Table.start(Rules()))
    >>> advice.method, len(advice.options), advice.unit
    ('instant', 8, 'of victory')
    """
    if method not in (None, *METHODS):
        raise Refused(f"unknown method {shown(method)}; it is {' or '.join(METHODS)}; choose one")
    if method == "instant" or (method is None and not late(table)):
        return estimated(table, value)
    try:
        return solved(table, value)
    except Refused:
        if method is None:
            return estimated(table, value)
        raise


def late(table: Table) -> bool:
    """Whether so few flowers are left that an exact answer is tried."""
    return _inside(table) <= MOST_FLOWERS


def _inside(table: Table) -> int:
    return table.bag_size + table.hand.total + (table.bonus.drawn if table.bonus else NOTHING).total


def solved(table: Table, value: str = "win") -> TableAdvice:
    """The exact answer for a late table in any phase; `Refused` where it is not late enough.

    Source: `endgame.solve_end`.

    >>> from cherrysim.tablefile import read_table
    >>> rules = '"rules": {"counts": "P5 Y5 L1 W1", "set_aside": 0, "cards": []}'
    >>> advice = solved(read_table('{' + rules + ', "seats": [{"front": "P5"}, {"front": "Y5"}]}'))
    >>> advice.best.move, advice.worth(advice.best), advice.unit
    (Draw(n=1), 1.0, 'of victory')
    """
    remedy = "ask later in the game, or by --method instant"
    if not late(table):
        raise Refused(
            f"{_inside(table)} flowers are in the bag and in the middle; share and score are exact up to "
            f"{MOST_FLOWERS}; {remedy}"
        )
    try:
        end = solve_end(table, MOST_TABLES)
    except Refused as refused:
        raise Refused(f"{str(refused).rpartition(';')[0]}; {remedy}") from None
    now = "this move for the own score, every later one" if value == "score" else "every move"
    said = [f"All players play best, {now} for the victory, then for the lead over the best rival."]
    visited = f"{number_of(end.visited, 'table')} that can follow were solved"
    return TableAdvice(
        table,
        value,
        _choices(table, end.options),
        "exact",
        f"Exact, not simulated: {visited}.",
        (*said, *assumptions(table), *_changes(table)),
    )


def estimated(table: Table, value: str = "win") -> TableAdvice:
    """The instant answer for a table in any phase; `Refused` once the game is over.

    Source: `instant.instant`.
    """
    from cherrysim.instant import instant
    from cherrysim.weights import difference

    said = [
        "Shares and scores are learned from games, not proved; their error is not known.",
        "The chances of this turn are exact. After this move all players play for the victory as policy "
        "learned does.",
    ]
    if taught := difference(table.rules):
        said.append(f"{taught[0].upper()}{taught[1:]}.")
    bag = belief(table)
    if bag.hidden or len(bag.pools) > 1:
        said.append(
            "Draws use all that is known of hidden flowers; the value of a table takes any unseen flower as "
            "possibly in the bag."
        )
    return TableAdvice(
        table,
        value,
        _choices(table, instant(table)),
        "instant",
        "Estimated at once, not simulated.",
        (*said, *assumptions(table), *_changes(table)),
    )


def _tied(a: float, b: float) -> bool:
    return abs(a - b) <= float(TIED) * max(1.0, abs(a), abs(b))


def _changes(table: Table) -> list[str]:
    return [f"Rules changed: {table.rules.changes}."] if table.rules.changes else []


def _choices(table: Table, options: Sequence[EndOption | MoveValue]) -> tuple[Choice, ...]:
    seat, fails = table.to_move, failing(table)
    return tuple(
        Choice(
            option.move,
            float(option.shares[seat]),
            float(option.scores[seat]),
            float(option.margins[seat]),
            fails[option.move.n if isinstance(option.move, Draw) else 0],
        )
        for option in options
    )
