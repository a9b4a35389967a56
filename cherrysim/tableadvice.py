"""Advice for a whole table near its end: every move with its share of the victory and its final score, exact.

Rulebook: all of it. The endgame solver gives every seat's share and expected score after each move; a move's
margin is

    own expected score - largest expected score of a rival,

and the move advised has the largest own share, then the largest margin (`win`), or the largest own score
(`score`), then stands first in `engine.legal_moves`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from cherrysim.chances import failure_chances
from cherrysim.endgame import EndOption, EndValue, solve_end
from cherrysim.flowers import Flowers, Refused
from cherrysim.knowledge import assumptions, belief
from cherrysim.moves import Draw, Stop, UseCard
from cherrysim.table import BONUS_DRAWS, Table
from cherrysim.turn import tied

if TYPE_CHECKING:
    from pandas import DataFrame

MOST_FLOWERS = 12
"""So many flowers in the bag and in the middle are tried; with more no answer comes in reasonable time."""
MOST_TABLES = 20_000
"""So many tables between two turns are visited for an answer: seconds of computing."""

UNITS = {"win": "of victory", "score": "points"}
_LATER = "the flowers are seen first, then the rest is played best"


@dataclass(frozen=True)
class TableAdvice:
    """Every move at a table with what it is worth to the player to move; `str()` is the text, `to_json()`
    the document of `ask --table`."""

    table: Table
    value: str
    end: EndValue
    method: str = "exact"

    @property
    def options(self) -> tuple[EndOption, ...]:
        """The moves in the order of `engine.legal_moves`: stop, draw 1, 2, ...; cards, hiding; keeping."""
        return self.end.options

    @property
    def best(self) -> EndOption:
        """The move advised."""
        return max(self.options, key=self.wish)  # the first of equals

    @property
    def tied(self) -> tuple[EndOption, ...]:
        """The moves that cannot be told apart from the best, itself included; none where it stands alone."""
        top = self.wish(self.best)
        equal = tuple(
            option
            for option in self.options
            if all(tied(*pair) for pair in zip(self.wish(option), top, strict=True))
        )
        return equal if len(equal) > 1 else ()

    @property
    def unit(self) -> str:
        """What values are counted in."""
        return UNITS[self.value]

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the answer takes for granted, in sentences."""
        aim = "for the victory, then for the lead over the best rival"
        now = "this move for the own score, every later one" if self.value == "score" else "every move"
        said = [f"All players play best, {now} {aim}."]
        said.extend(assumptions(self.table))
        if self.table.rules.changes:
            said.append(f"Rules changed: {self.table.rules.changes}.")
        return tuple(said)

    def worth(self, option: EndOption) -> Fraction:
        """The value of a move in `unit`."""
        return (option.scores if self.value == "score" else option.shares)[self.end.seat]

    def wish(self, option: EndOption) -> tuple[Fraction, ...]:
        """What moves are compared by, the most important first."""
        seat = self.end.seat
        if self.value == "score":
            return (option.scores[seat],)
        return option.shares[seat], option.margins[seat]

    def fail(self, option: EndOption) -> Fraction:
        """The chance that a move fails at once; only draws do."""
        if not isinstance(option.move, Draw):
            return Fraction(0)
        table, n = self.table, option.move.n
        return failure_chances(belief(table), table.hand.counts, table.rules, n)[n]

    def to_json(self) -> dict[str, Any]:
        """The document of `cherrysim ask --table`."""
        table, best = self.table, self.best
        stop = [self.worth(option) for option in self.options if isinstance(option.move, Stop)]
        draws = [self.worth(option) for option in self.options if isinstance(option.move, Draw)]
        return {
            "bag": table.unseen.to_json(),
            "hand": table.hand.to_json(),
            "draws_used": table.draws_used,
            "draws_left": table.rules.draws - table.draws_used,
            "value": self.value,
            "unit": self.unit,
            "advice": best.move.to_json(),
            "close_call": bool(self.tied),
            "tied": [option.move.to_json() for option in self.tied],
            "options": [self._row(option) for option in self.options],
            "advantage": float(max(draws) - stop[0]) if stop and draws else None,
            "method": self.method,
            "assumptions": list(self.assumptions),
            "seed": None,
        }

    def frame(self) -> DataFrame:
        """The moves as a table, one row each: the move in words, then its exact numbers."""
        from pandas import DataFrame

        from cherrysim.tablewords import move_text

        rows = [
            {"move": move_text(self.table, option.move), "fail": row["fail"]}
            | {name: row[name]["mean"] for name in ("share", "score", "margin", "difference")}
            for option, row in zip(self.options, map(self._row, self.options), strict=True)
        ]
        return DataFrame(rows)

    def __str__(self) -> str:
        from cherrysim.tablewords import table_advice

        return table_advice(self)

    def _row(self, option: EndOption) -> dict[str, Any]:
        seat, move = self.end.seat, option.move
        row = move.to_json() | {
            "value": float(self.worth(option)),
            "standard_error": 0.0,
            "fail": float(self.fail(option)),
            "share": _exact(option.shares[seat]),
            "score": _exact(option.scores[seat]),
            "margin": _exact(option.margins[seat]),
            "difference": _exact(self.worth(option) - self.worth(self.best)),
            "games": 0,
        }
        if isinstance(move, Draw) or (isinstance(move, UseCard) and move.card in BONUS_DRAWS):
            row["then"] = _LATER
        return row


def _exact(value: Fraction) -> dict[str, Any]:
    mean = float(value)
    return {"mean": mean, "standard_error": 0.0, "interval": [mean, mean], "interval_kind": "exact"}


def solved(table: Table, value: str = "win") -> TableAdvice:
    """The exact answer for a late table in any phase; `Refused` where it is not late enough.

    Source: `endgame.solve_end`.

    >>> from cherrysim.tablefile import read_table
    >>> rules = '"rules": {"counts": "P5 Y5 L1 W1", "set_aside": 0, "cards": []}'
    >>> table = read_table('{' + rules + ', "seats": [{"front": "P5"}, {"front": "Y5"}]}')
    >>> advice = solved(table)
    >>> advice.best.move, float(advice.worth(advice.best)), advice.unit
    (Draw(n=1), 1.0, 'of victory')
    """
    remedy = "ask later in the game, or for --value kept or front"
    inside = table.bag_size + table.hand.total + (table.bonus.drawn if table.bonus else Flowers()).total
    if inside > MOST_FLOWERS:
        raise Refused(
            f"{inside} flowers are in the bag and in the middle; share and score are exact up to "
            f"{MOST_FLOWERS} and not estimated yet; {remedy}"
        )
    try:
        return TableAdvice(table, value, solve_end(table, MOST_TABLES))
    except Refused as refused:
        raise Refused(f"{str(refused).rpartition(';')[0]}; {remedy}") from None
