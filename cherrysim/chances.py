"""Chances: the exact odds that a plan of draws fails, from any bag and any collection.

Rulebook: "Collect Flowers"; rulings R1 to R8. As failing is monotone, the chance that a plan has failed
depends only on how many flowers it has drawn in all, so everything rests on one number: the ways to draw k
flowers and stay safe. With b blacks a safe collection has at most `alike - 1 - b` of a colour and
`different - 1 - b` colours, so the ways are the coefficients of a product of one short polynomial a colour
(Vandermonde's counting, colour by colour).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING, Any

from cherrysim.belief import Belief, Counts
from cherrysim.flowers import BLACK, NOTHING, Flowers, Refused, number_of, shown
from cherrysim.hands import why_failed
from cherrysim.rules import Rules, rules_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame


def safe_ways(pool: Counts, hand: Counts, rules: Rules, most: int) -> list[int]:
    """In how many ways 0, 1, ..., `most` flowers of `pool` can join `hand` without failing.

    The polynomials, in x for flowers and y for colours present, are packed into whole numbers: x is a
    shift by `slot` bits, wide enough for any coefficient, y one by a whole row. Their product is then one
    multiplication.

    >>> safe_ways((18, 18, 18, 18, 18, 6), (0,) * 6, Rules(), 3)
    [1, 96, 4560, 132840]
    """
    degree = BLACK * min(rules.alike - 1, most)
    slot = comb(sum(pool), min(degree, sum(pool) // 2)).bit_length()
    row = slot * (degree + 1)
    ways = [0] * (most + 1)
    mask = (1 << slot) - 1
    for blacks in range(hand[BLACK], rules.alike):
        drawn = blacks - hand[BLACK]
        if drawn > min(pool[BLACK], most):
            break
        product = 1
        for n, held in zip(pool[:BLACK], hand[:BLACK], strict=True):
            room = min(rules.alike - 1 - blacks - held, n, most)
            polynomial = sum([comb(n, k) << slot * k for k in range(1, room + 1)])
            product *= polynomial + 1 << row if held else (polynomial << row) + 1
            if room < 0:
                product = 0
        rows = rules.different - blacks if rules.different <= BLACK else BLACK + 1
        safe = sum([product >> row * colours & (1 << row) - 1 for colours in range(rows)])
        taken = comb(pool[BLACK], drawn)
        for k in range(drawn, most + 1):
            ways[k] += taken * (safe >> slot * (k - drawn) & mask)
    return ways


def failure_chances(belief: Belief, hand: Counts, rules: Rules, most: int) -> list[Fraction]:
    """The chance that `hand` has failed after 0, 1, ..., `most` more flowers; no more than the bag holds."""
    safe = [0] * (most + 1)
    for pool, weight in belief.pools:
        for k, ways in enumerate(safe_ways(pool, hand, rules, most)):
            safe[k] += weight * ways
    tokens = belief.size + belief.hidden
    every = [belief.total_weight * comb(tokens, k) for k in range(most + 1)]
    return [Fraction(ways - kept, ways) for ways, kept in zip(every, safe, strict=True)]


@dataclass(frozen=True, slots=True)
class Stage:
    """One draw of a plan: flowers really taken, the chance to get there unfailed and to fail at it."""

    draw: int
    reach: Fraction
    fail_at: Fraction

    @property
    def fail_if_reached(self) -> Fraction | None:
        """The chance to fail at this draw once it is reached; none where it never is."""
        return self.fail_at / self.reach if self.reach else None

    def to_json(self) -> dict[str, Any]:
        """The stage as an entry of `stages`."""
        once = self.fail_if_reached
        return {
            "draw": self.draw,
            "reach": float(self.reach),
            "fail_at": float(self.fail_at),
            "fail_if_reached": None if once is None else float(once),
        }


@dataclass(frozen=True, slots=True)
class Position:
    """A bag and a collection during a turn, checked: what every question about one turn starts from."""

    belief: Belief
    bag: Flowers
    hand: Flowers
    draws_used: int
    rules: Rules
    front: Flowers = NOTHING

    @property
    def draws_left(self) -> int:
        """Draws still allowed this turn."""
        return self.rules.draws - self.draws_used

    @property
    def most(self) -> int:
        """The most flowers the next draw may take: the turn's limit or the bag."""
        return min(self.rules.flowers - self.hand.total, self.belief.size) if self.draws_left else 0


def position(
    rules: Rules,
    hand: Flowers,
    draws_used: int | None = None,
    *,
    bag: Flowers | None = None,
    seen: Flowers | None = None,
    front: Flowers | None = None,
    set_aside: int | None = None,
    history: Belief | None = None,
) -> Position:
    """A checked position: the bag is given, or derived from what is `seen`, or from a `history`'s belief.

    Raises `Refused` for flowers the game does not have, failed or too large collections, impossible draws.
    """
    front = front or NOTHING
    draws_used = _draws_used(rules, hand, draws_used)
    _check_hand(rules, hand)
    hidden = rules.set_aside if set_aside is None else set_aside
    if sum(given is not None for given in (bag, seen, history)) > 1:
        raise Refused("the bag is given twice; --bag, --seen and --history each say what is in it; keep one")
    rules.check_has(bag=bag or NOTHING, seen=seen or NOTHING, hand=hand, front=front)
    if history is not None:
        belief = history.draw(hand) if hand.total else history
        return Position(belief, belief.most, hand, draws_used, rules, front)
    inside = rules.counts - (seen or NOTHING) - hand - front if bag is None else bag
    belief = Belief.of(inside, hidden if inside.total else 0)
    return Position(belief, inside, hand, draws_used, rules, front)


def position_of(
    rules: Rules | None,
    bag: Flowers | str | Belief | None,
    hand: Flowers | str,
    draws_used: int | None,
    seen: Flowers | str | None,
    set_aside: int | None,
    front: Flowers | str = "",
) -> Position:
    """The position that the arguments of `ask` and `odds` stand for; raises `Refused`.

    >>> position_of(None, "P3 Y2 B1", "PY", None, None, None).most
    6
    """
    return position(
        rules_of(rules),
        Flowers.of(hand),
        draws_used,
        bag=None if bag is None or isinstance(bag, Belief) else Flowers.of(bag),
        history=bag if isinstance(bag, Belief) else None,
        seen=None if seen is None else Flowers.of(seen),
        front=Flowers.of(front),
        set_aside=set_aside,
    )


def _draws_used(rules: Rules, hand: Flowers, draws_used: int | None) -> int:
    if draws_used is None:
        return 1 if hand.total else 0
    if type(draws_used) is not int or not 0 <= draws_used <= rules.draws:
        raise Refused(
            f"{shown(draws_used)} draws used; a turn allows 0 to {rules.draws}; correct --draws-used"
        )
    if draws_used > hand.total:
        raise Refused(
            f"{number_of(draws_used, 'draw')} used for {number_of(hand.total, 'flower')}; "
            "a draw takes at least 1; correct --draws-used"
        )
    if hand.total and not draws_used:
        raise Refused(
            f"0 draws used with {hand.letters} in hand; they were drawn; correct --draws-used or --hand"
        )
    return draws_used


def _check_hand(rules: Rules, hand: Flowers) -> None:
    if hand.total > rules.flowers:
        raise Refused(
            f"hand {hand} is {number_of(hand.total, 'flower')}; a turn allows {rules.flowers}; check the hand"
        )
    why = why_failed(hand.counts, rules)
    if why:
        raise Refused(
            f"hand {hand} has already failed ({why}); a failed collection cannot draw; see cherrysim explain"
        )


def check_plan(plan: Sequence[int], at: Position) -> tuple[int, ...]:
    """A plan's draws without the zeros that end it; raises `Refused` where the rules forbid it (R3 to R5)."""
    if not isinstance(plan, Iterable):
        raise Refused(f"a plan of {shown(plan)}; it is draws in a row; write [2, 2, 1]")
    steps = list(plan)
    for n in steps:
        if type(n) is not int or n < 0:
            raise Refused(f"a draw of {shown(n)}; a draw is a whole number from 1 up; write a plan as 2,2,1")
    while steps and steps[-1] == 0:
        steps.pop()
    if not steps:
        raise Refused("the plan draws nothing; at least one flower must be drawn; write a plan as 2,2,1")
    if 0 in steps:
        raise Refused("the plan has a draw of 0 in the middle; 0 (stop) may only end a plan; leave it out")
    if len(steps) > at.draws_left:
        raise Refused(
            f"the plan has {number_of(len(steps), 'draw')} after {at.draws_used} used; "
            f"a turn allows {at.rules.draws}; plan at most {at.draws_left}"
        )
    if at.hand.total + sum(steps) > at.rules.flowers:
        taken = f"hand {at.hand.letters} + draw {sum(steps)}" if at.hand.total else f"a plan of {sum(steps)}"
        raise Refused(
            f"{taken} is {number_of(at.hand.total + sum(steps), 'flower')}; "
            f"a turn allows {at.rules.flowers}; draw at most {at.rules.flowers - at.hand.total}"
        )
    return tuple(steps)


@dataclass(frozen=True, slots=True)
class PlanOdds:
    """The exact failure odds of a plan, draw by draw; `str()` is the text, `to_json()` the document."""

    at: Position
    plan: tuple[int, ...]
    stages: tuple[Stage, ...]

    @property
    def fail(self) -> Fraction:
        """The chance that the plan fails."""
        return sum((stage.fail_at for stage in self.stages), Fraction(0))

    def to_json(self) -> dict[str, Any]:
        """The document of `cherrysim odds --plan`."""
        return {
            "bag": self.at.bag.to_json(),
            "hand": self.at.hand.to_json(),
            "draws_used": self.at.draws_used,
            "plan": list(self.plan),
            "method": "exact",
            "fail": float(self.fail),
            "fail_exact": f"{self.fail.numerator}/{self.fail.denominator}",
            "stages": [stage.to_json() for stage in self.stages],
            "standard_error": 0.0,
        }

    def frame(self) -> DataFrame:
        """The stages as a table, one row a draw."""
        from pandas import DataFrame

        return DataFrame(self.to_json()["stages"])

    def __str__(self) -> str:
        from cherrysim.words import plan_odds

        return plan_odds(self)


@dataclass(frozen=True, slots=True)
class DrawOdds:
    """The exact chance that one draw of 1, 2, ... flowers fails; `rows[k - 1]` is that of k flowers."""

    at: Position
    rows: tuple[Fraction, ...]

    def to_json(self) -> dict[str, Any]:
        """The document of `cherrysim odds` without a plan."""
        return {
            "bag": self.at.bag.to_json(),
            "hand": self.at.hand.to_json(),
            "rows": [
                {"draw": k, "fail": float(fail), "fail_exact": f"{fail.numerator}/{fail.denominator}"}
                for k, fail in enumerate(self.rows, 1)
            ],
        }

    def frame(self) -> DataFrame:
        """The chances as a table, one row a number of flowers."""
        from pandas import DataFrame

        return DataFrame(self.to_json()["rows"])

    def plot(self, axes: Axes | None = None) -> Axes:
        """The failure chance against the number of flowers drawn."""
        from cherrysim.plots import failure_curves

        return failure_curves([self], axes)

    def __str__(self) -> str:
        from cherrysim.words import draw_odds

        return draw_odds(self)


def plan_odds(at: Position, plan: Sequence[int]) -> PlanOdds:
    """The exact odds of a plan from a position; an emptied bag shortens it (R3)."""
    steps = check_plan(plan, at)
    check_bag(at)
    failed = failure_chances(at.belief, at.hand.counts, at.rules, min(sum(steps), at.belief.size))
    stages: list[Stage] = []
    drawn = 0
    for step in steps:
        taken = min(step, at.belief.size - drawn)
        if not taken:
            break
        reach = 1 - failed[drawn]
        stages.append(Stage(taken, reach, failed[drawn + taken] - failed[drawn]))
        drawn += taken
    return PlanOdds(at, steps, tuple(stages))


def draw_odds(at: Position) -> DrawOdds:
    """The exact odds of one draw of each size from a position."""
    check_bag(at)
    if not at.most:
        raise Refused(
            f"hand {at.hand} with {number_of(at.draws_used, 'draw')} used cannot draw; a turn allows "
            f"{number_of(at.rules.draws, 'draw')} and {number_of(at.rules.flowers, 'flower')}; stop"
        )
    return DrawOdds(at, tuple(failure_chances(at.belief, at.hand.counts, at.rules, at.most)[1:]))


def check_bag(at: Position) -> None:
    """Raises `Refused` where nothing can be drawn because the bag is empty (R3)."""
    if not at.belief.size:
        raise Refused("the bag is empty; a draw takes at least one flower; stop, or check --bag and --seen")
