"""Advice: should I draw again? Every face (command line, page, report, notebook) asks here.

Rulebook: "Collect Flowers". A question is a position and what the player wants; the answer solves the turn
exactly and compares stopping with every draw, each followed by best play for the same value.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, overload

from cherrysim.belief import Belief
from cherrysim.chances import Position, position_of
from cherrysim.flowers import Flowers, Refused, shown
from cherrysim.rules import Rules
from cherrysim.turn import Option, Turn, Valuation, solve, tied

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

    from cherrysim.layers import Watch
    from cherrysim.table import Table
    from cherrysim.tableadvice import TableAdvice

VALUES = ("kept", "front", "score", "win")


@dataclass(frozen=True)
class Advice:
    """Every choice of one turn with what it is worth; `str()` is the text, `to_json()` the document of
    `ask`."""

    at: Position
    value: str
    turn: Turn
    assumptions: tuple[str, ...]
    method: str = "exact"

    @property
    def options(self) -> tuple[Option, ...]:
        """Stop (0) and draw 1, 2, ..., as far as they are allowed."""
        return self.turn.options()

    @property
    def best(self) -> Option:
        """The choice advised; ties go to stop, then to the smaller draw."""
        return self.turn.best()

    @property
    def tied(self) -> tuple[Option, ...]:
        """The choices that cannot be told apart from the best, itself included; none where it stands
        alone."""
        equal = tuple(option for option in self.options if tied(option.value, self.best.value))
        return equal if len(equal) > 1 else ()

    @property
    def unit(self) -> str:
        """What values are counted in."""
        return self.turn.valuation.unit

    @property
    def advantage(self) -> Fraction | None:
        """The best draw's value less that of stopping; none where one of them is not allowed."""
        stop = [option.value for option in self.options if not option.draw]
        draws = [option.value for option in self.options if option.draw]
        return max(draws) - stop[0] if stop and draws else None

    def then(self, option: Option) -> dict[int, Fraction]:
        """What follows a draw: the chance of each next choice (0: stop, n: draw n more); the rest has
        failed."""
        left = self.at.draws_left - 1
        chances: dict[int, Fraction] = {}
        for hand, chance in self.turn.after_draw(self.at.hand.counts, option.draw)[0].items():
            n = self.turn.best(hand, left).draw
            chances[n] = chances.get(n, Fraction(0)) + chance
        return dict(sorted(chances.items()))

    def break_even(self, option: Option) -> Fraction | None:
        """The failure chance up to which a draw beats stopping, what it gives when it fails or not staying
        as it is.

        None where no chance between 0 and 1 would turn the answer, or stopping is not allowed.
        """
        stop = self.options[0]
        if stop.draw or not option.draw or not 0 < option.fail < 1:
            return None
        failed = self.turn.after_draw(self.at.hand.counts, option.draw)[1]
        bust = sum((p * Fraction(self.turn.valuation.bust[s]) for s, p in enumerate(failed)), Fraction(0))
        gained = (option.value - bust) / (1 - option.fail) - stop.value
        lost = stop.value - bust / option.fail
        return gained / (gained + lost) if gained > 0 and lost > 0 else None

    def to_json(self) -> dict[str, Any]:
        """The document of `cherrysim ask`."""
        from cherrysim.words import then

        options = []
        for option in self.options:
            row = _action(option) | {
                "value": float(option.value),
                "standard_error": 0.0,
                "fail": float(option.fail),
            }
            if option.draw:
                row["then"] = then(self, option)
            options.append(row)
        return {
            "bag": self.at.bag.to_json(),
            "hand": self.at.hand.to_json(),
            "draws_used": self.at.draws_used,
            "draws_left": self.at.draws_left,
            "value": self.value,
            "unit": self.unit,
            "advice": _action(self.best),
            "close_call": bool(self.tied),
            "tied": [_action(option) for option in self.tied],
            "options": options,
            "advantage": None if self.advantage is None else float(self.advantage),
            "method": self.method,
            "assumptions": list(self.assumptions),
            "seed": None,
        }

    def plot(self, axes: Sequence[Axes] | None = None) -> Sequence[Axes]:
        """Stopping against every draw, with the failure chance on a second panel."""
        from cherrysim.plots import stop_or_draw

        return stop_or_draw(self, axes)

    def frame(self) -> DataFrame:
        """The options as a table, one row each."""
        from pandas import DataFrame

        return DataFrame(self.to_json()["options"])

    def __str__(self) -> str:
        from cherrysim.words import advice

        return advice(self)


def _action(option: Option) -> dict[str, Any]:
    return {"action": "draw", "draw": option.draw} if option.draw else {"action": "stop"}


@overload
def ask(
    bag: Flowers | str | Belief | None = None,
    *,
    hand: Flowers | str = "",
    draws_used: int | None = None,
    value: str = "kept",
    front: Flowers | str = "",
    seen: Flowers | str | None = None,
    set_aside: int | None = None,
    rules: Rules | None = None,
) -> Advice: ...


@overload
def ask(
    *,
    table: Table,
    value: str = "win",
    method: str | None = None,
    policy: str | None = None,
    opponents: str | Sequence[str] | None = None,
    precision: float | None = None,
    budget: float | None = None,
    seed: int = 0,
    threads: int | None = None,
    check: bool = False,
) -> Advice | TableAdvice: ...


def ask(
    bag: Flowers | str | Belief | None = None,
    *,
    table: Table | None = None,
    hand: Flowers | str = "",
    draws_used: int | None = None,
    value: str | None = None,
    front: Flowers | str = "",
    seen: Flowers | str | None = None,
    set_aside: int | None = None,
    rules: Rules | None = None,
    method: str | None = None,
    check: bool = False,
    **playing: Any,
) -> Advice | TableAdvice:
    """Should I draw again, and how many? The exact answer for one turn, or every move at a table valued.

    `bag` is what is in the bag now, or a `Belief` before this turn's hand was drawn; `seen` instead is
    everything else out of it; without either the bag is the start bag less `hand` and `front`. `value` is
    `kept` (flowers kept this turn) or `front` (points gained in front).

    With a `table` instead of all else it is also `win`, the default there, or `score`, by a `method`:
    `exact` near the end of a game, `instant` at any time, games played on, `truncated` or (`rollout`) to the
    end; by default exact where that is reached, else truncated. `policy`, `opponents` (one name for all, or
    one each), `precision`, `budget`, `seed` and `threads` are those of `layers.Playing`; `check` looks at
    what could turn an answer by games, too. Raises `Refused`. Source: rulebook, "Collect Flowers".

    >>> advice = ask(hand="PYY")
    >>> advice.best.draw, float(advice.advantage)
    (1, 0.6909770920991117)
    """
    if table is not None:
        others = (bag, draws_used, seen, set_aside, rules, hand or None, front or None)
        if any(given is not None for given in others):
            raise Refused("a table holds bag, hand, front and rules; they are given once; leave them out")
        return advise_table(table, "win" if value is None else value, method, check, **playing)
    if playing:
        raise Refused(
            f"{next(iter(playing))} is about games; a bag alone is answered exactly; "
            "give a table, or leave it out"
        )
    _check_exact(method, "a question about one turn")
    at = position_of(rules, bag, hand, draws_used, seen, set_aside, front)
    return advise(at, "kept" if value is None else value)


def advise_table(
    table: Table,
    value: str = "win",
    method: str | None = None,
    check: bool = False,
    watch: Watch = nullcontext,
    opponents: str | Sequence[str] | None = None,
    **playing: Any,
) -> Advice | TableAdvice:
    """The answer for the player to move: every move by `win` or `score`, or this turn's draws by `kept` or
    `front`; `watch` is that of `layers.answered`, the rest as for `ask`."""
    from cherrysim import knowledge, layers
    from cherrysim.table import COLLECT, Table
    from cherrysim.tableadvice import UNITS

    _check_value(value)
    if not isinstance(table, Table):
        raise Refused(f"table is {shown(table)}; it is a Table; write cherrysim.recordfile.table_in(text)")
    if table.over:
        raise Refused("the game is over; nothing is left to decide; see cherrysim score")
    names = opponents.split(",") if isinstance(opponents, str) else opponents
    terms = layers.Playing(opponents=names, **playing)
    if value in UNITS:
        return layers.answered(table, value, method, terms, check, watch)
    _check_exact(method, f"value {value}")
    if terms.wanted:
        raise Refused(f"value {value} is answered exactly; {terms.wanted[0]} is about games; leave it out")
    if table.phase != COLLECT:
        raise Refused(f"phase {table.phase}; value {value} answers stop or draw; ask for win or score")
    bag, front = knowledge.belief(table), table.mover.front
    at = Position(bag, bag.most, table.hand, table.draws_used, table.rules, front)
    return advise(at, value, knowledge.assumptions(table))


def advise(at: Position, value: str, unseen: Sequence[str] = ()) -> Advice:
    """The exact answer for a checked position; refused where there is nothing to decide or no such value.

    `unseen` says which flowers nobody has seen, where more is known than their number.
    """
    _check_value(value)
    if value in ("score", "win"):
        raise Refused(
            f"value {value} needs a table with every seat; a bag alone has none; choose kept or front"
        )
    if not at.belief.size and not at.hand.total:
        raise Refused(
            "the bag is empty and nothing is in hand; there is no turn to play; check --bag and --seen"
        )
    valuation = Valuation.front(at.rules, at.front) if value == "front" else Valuation.kept(at.rules)
    return Advice(at, value, solve(at, valuation), _assumptions(at, value, unseen))


def _check_value(value: str) -> None:
    if value not in VALUES:
        raise Refused(f"unknown value {shown(value)}; it is one of {', '.join(VALUES)}; choose one")


def _check_exact(method: str | None, what: str) -> None:
    if method not in (None, "exact"):
        raise Refused(f"method {shown(method)}; {what} is answered exactly; leave the method out")


def _assumptions(at: Position, value: str, unseen: Sequence[str]) -> tuple[str, ...]:
    meaning = {
        "kept": "worth: flowers kept this turn; a failure keeps two of different colours, one, or none",
        "front": "worth: points gained in front; all kept flowers laid there, nothing hidden, no card used",
    }
    said = [meaning[value], "the rest of the turn is played best for the same value"]
    said.extend(sentence.rstrip(".") for sentence in unseen)
    several = len(at.belief.pools) > 1
    if at.belief.hidden and not unseen and not several:
        listed = f"{at.belief.hidden} of the {at.bag.total} flowers listed as the bag"
        verb, which = ("is", "which one") if at.belief.hidden == 1 else ("are", "which ones")
        said.append(f"{listed} {verb} not in it; {which} is unknown")
    if several:
        said.append(f"{at.belief.possible} possible bags, weighted by the history of draws and returns")
    if at.rules.changes:
        said.append(f"rules changed: {at.rules.changes}")
    return tuple(said)
