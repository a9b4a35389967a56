"""Advice for a whole table: every move with its share of the victory and its final score.

Rulebook: all of it. A move's margin is

    own expected score - largest expected score of a rival,

its difference what it is worth less what the best move is worth, as one number with its own error. How the
numbers are found is the matter of `layers`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from cherrysim.doubts import Doubts
from cherrysim.moves import Draw, Move, Stop, UseCard
from cherrysim.stats import Stated
from cherrysim.table import BONUS_DRAWS, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

UNITS = {"win": "of victory", "score": "points"}


@dataclass(frozen=True)
class Choice:
    """A move and what it is worth to the player to move: share of the victory, expected final score, margin
    over the best rival, the `difference` to the best move; the chance that it fails at once, and the games
    behind it all."""

    move: Move
    share: Stated
    score: Stated
    margin: Stated
    difference: Stated
    fail: Fraction
    games: int = 0


@dataclass(frozen=True)
class TableAdvice:
    """Every move at a table with what it is worth to the player to move; `str()` is the text, `to_json()`
    the document of `ask --table`.

    `options` stand in the order of `engine.legal_moves`: stop, draw 1, 2, ...; cards, hiding; keeping. `best`
    is the move advised, `tied` those that cannot be told from it, itself included, none where it stands
    alone. `method` is the layer, `found` says in a sentence how, `assumptions` what is taken for granted. Of
    games: the `policies` of all seats, the `seed`, how many `games`, and why no more (`stopped`). `doubts` is
    what could turn the answer, None where that was not looked at.
    """

    table: Table
    value: str
    options: tuple[Choice, ...]
    best: Choice
    tied: tuple[Choice, ...]
    method: str
    found: str
    assumptions: tuple[str, ...]
    policies: tuple[str, ...] = ()
    seed: int | None = None
    games: int = 0
    stopped: str | None = None
    doubts: Doubts | None = None

    @property
    def unit(self) -> str:
        """What values are counted in."""
        return UNITS[self.value]

    @property
    def ranked(self) -> tuple[Choice, ...]:
        """The moves, the best first."""
        others = [choice for choice in self.options if choice is not self.best]
        others.sort(key=lambda choice: (choice.difference.mean, choice.margin.mean), reverse=True)
        return (self.best, *others)

    def worth(self, choice: Choice) -> Stated:
        """The value of a move in `unit`."""
        return choice.score if self.value == "score" else choice.share

    def to_json(self) -> dict[str, Any]:
        """The document of `cherrysim ask --table`."""
        table = self.table
        stop = [self.worth(choice).mean for choice in self.options if isinstance(choice.move, Stop)]
        draws = [self.worth(choice).mean for choice in self.options if isinstance(choice.move, Draw)]
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
            "seed": self.seed,
            "policies": list(self.policies) or None,
            "games": self.games,
            "stopped": self.stopped,
            **(self.doubts or Doubts()).to_json(),
        }

    def plot(self, axes: Sequence[Axes] | None = None) -> Sequence[Axes]:
        """Stopping against every draw, with error bars."""
        from cherrysim.plots import stop_or_draw_at_table

        return stop_or_draw_at_table(self, axes)

    def frame(self) -> DataFrame:
        """The moves as a table, one row each: the move in words, then its numbers."""
        from pandas import DataFrame

        from cherrysim.tablewords import move_text

        rows = [
            {"move": move_text(self.table, choice.move), "fail": row["fail"], "games": choice.games}
            | {name: row[name]["mean"] for name in ("share", "score", "margin", "difference")}
            | {f"{name}_error": row[name]["standard_error"] for name in ("share", "score", "difference")}
            for choice, row in zip(self.options, map(self._row, self.options), strict=True)
        ]
        return DataFrame(rows)

    def __str__(self) -> str:
        from cherrysim.tablewords import table_advice

        return table_advice(self)

    def _row(self, choice: Choice) -> dict[str, Any]:
        move, worth = choice.move, self.worth(choice)
        row = move.to_json() | {
            "value": worth.mean,
            "standard_error": worth.standard_error,
            "fail": float(choice.fail),
            "share": choice.share.to_json(),
            "score": choice.score.to_json(),
            "margin": choice.margin.to_json(),
            "difference": choice.difference.to_json(),
            "games": choice.games,
        }
        if isinstance(move, Draw) or (isinstance(move, UseCard) and move.card in BONUS_DRAWS):
            row["then"] = "the flowers are seen first, then the rest is played best"
        return row
