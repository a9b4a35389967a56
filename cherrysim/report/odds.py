"""How often draws fail: by flowers drawn, flowers in hand, players and what is left in the bag.

All chances are exact; a simulation of some plans, whose error is told, checks them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from cherrysim import sampled
from cherrysim.chances import Position, draw_odds, plan_odds, position
from cherrysim.flowers import BLACK, LETTERS, Flowers, number_of
from cherrysim.plots.curves import failure_curves
from cherrysim.plots.failures import failure_map
from cherrysim.plots.maps import shapes
from cherrysim.plots.series import curves
from cherrysim.report.frame import CHANCE, Budget, Figure, Number, Question, Report, Section, Table
from cherrysim.rules import Rules
from cherrysim.stats import Stated
from cherrysim.words import percent, risk

_PLANS = ((5,), (3, 2), (2, 3), (2, 2, 1), (1, 1, 3))
"""Plans of as many flowers, drawn at once or in parts."""
_CHECKED = ((3, 2), (2, 2, 1), (4,))
_SAMPLES = 4_000_000
_HANDS = ("", "P", "PY", "PYY", "PYL", "PPYY", "PYLD")
_PARTS = (Fraction(1), Fraction(3, 4), Fraction(1, 2), Fraction(1, 4), Fraction(1, 8))
_SIZES = (2, 3, 4, 5)


def report(question: Question, seed: int, budget: Budget) -> Report:
    """The report `odds` about a game."""
    rules = question.rules
    start = draw_odds(position(rules, Flowers())).rows
    sections = (
        Section("From the full bag", _start(rules, budget.during(0, 0.1))),
        Section("With flowers in hand", _hands(rules)),
        Section("As the bag empties", _bags(rules)),
        Section("In one draw or in several", _plans(rules)),
        Section("Checked by simulation", _simulated(rules, seed, budget.during(0.2, 1))),
        Section("Rule of thumb", _thumb(rules)),
    )
    return Report(
        "How often a draw fails",
        _verdict(start),
        sections,
        remarks=("Exact, but for the simulation: every draw that could happen is counted.",),
    )


def _verdict(chances: Sequence[Fraction]) -> str:
    """Draws of three to five flowers, or the largest there is."""
    told = [n for n in (3, 4, 5) if n <= len(chances)] or [len(chances)]
    said = [f"{number_of(n, 'flower')} {risk(chances[n - 1])}" for n in told]
    return f"Chance to fail from the full bag: {', '.join(said)}"


def _games(rules: Rules) -> dict[str, Rules]:
    """The games that are compared: those of 2, 3 and 4 players, or a changed one alone."""
    if rules.changes:
        return {"this game": rules}
    return {f"{players} players": Rules.official(players, rules.cards) for players in (2, 3, 4)}


def _start(rules: Rules, budget: Budget) -> tuple[str | Table | Figure, ...]:
    found = {name: draw_odds(position(game, Flowers())).rows for name, game in _games(rules).items()}
    sizes = range(1, max(map(len, found.values())) + 1)
    rows = tuple((str(n), *(_chance(rows, n) for rows in found.values())) for n in sizes)
    hands = [draw_odds(at) for hand in _HANDS if (at := _held(rules, hand)) is not None]
    budget.done()
    return (
        Table(
            "start",
            "Chance to fail, from the full bag with no flowers in hand",
            ("drawn at once", *found),
            rows,
        ),
        Figure(
            "failure-curves",
            "Curves: the chance to fail by flowers drawn at once, one for each of some collections. "
            + _told((_letters(one.at.hand), one.rows) for one in hands),
            "Each curve is named over its end; a draw that would make more flowers than a turn allows is not "
            "shown.",
            lambda dark=False: failure_curves(hands, dark=dark),
        ),
    )


def _chance(rows: tuple[Fraction, ...], n: int) -> Number | str:
    return Number.exact(rows[n - 1], CHANCE) if n <= len(rows) else ""


def _told(found: Iterable[tuple[str, Sequence[Fraction]]]) -> str:
    """Chances for those who cannot see a figure: of each its draws of 1, 2, ..."""
    return (
        "; ".join(f"{name}: {', '.join(percent(chance, 0) for chance in rows)}" for name, rows in found) + "."
    )


def _held(rules: Rules, hand: str) -> Position | None:
    """The position with this hand, if it is safe and may draw."""
    flowers = Flowers.parse(hand)
    safe = any(flowers.counts in hands for hands in shapes(rules).values())
    at = position(rules, flowers) if safe and flowers in rules.counts else None
    return at if at is not None and at.most else None


def _hands(rules: Rules) -> tuple[str | Table | Figure, ...]:
    found = []
    for shape in shapes(rules):
        if (at := _held(rules, str(Flowers(*shape)))) is not None:
            found.append((_letters(Flowers(*shape)), draw_odds(at).rows))
    most = max(len(rows) for _, rows in found)
    rows = tuple((name, *(_chance(rows, n) for n in range(1, most + 1))) for name, rows in found)
    header = ("in hand", *(f"draw {n}" for n in range(1, most + 1)))
    return (
        "A collection is safe or not whatever its colours are called: P and Y stand for any two of the five.",
        Figure(
            "failure-map",
            "A map: safe collections down, flowers drawn at once across, each cell with its chance to fail. "
            + _told(found),
            "The same numbers as in the table.",
            lambda dark=False: failure_map(rules, dark=dark),
        ),
        Table("hands", "Chance to fail, from the bag at the start less the hand", header, rows),
    )


def _letters(hand: Flowers) -> str:
    return hand.letters if hand.total else "no flowers"


def _bags(rules: Rules) -> tuple[str | Table | Figure, ...]:
    """What is left in equal parts, without blacks, and uneven."""
    even = [_part(rules.counts, part) for part in _PARTS]
    half = even[2]
    bags = {f"{number_of(bag.total, 'flower')}, in proportion": bag for bag in even}
    bags["half, no black left"] = half - Flowers(black=half.black)
    bags["half, every black left"] = half - Flowers(black=half.black) + Flowers(black=rules.counts.black)
    bags["half, pink gone"] = half - Flowers(pink=half.pink)
    bags["half, pink and yellow gone"] = half - Flowers(pink=half.pink, yellow=half.yellow)
    rows = []
    for name, bag in bags.items():
        chances = _of_bag(rules, bag)
        rows.append((name, _counted(bag), *(_chance(chances, n) for n in _SIZES)))
    lines = {
        f"draw {n}": [
            (float(bag.total), Stated.exact(float(chances[n - 1])))
            for bag in even
            if len(chances := _of_bag(rules, bag)) >= n
        ]
        for n in _SIZES
        if len(_of_bag(rules, even[0])) >= n
    }
    header = ("left", "bag", *(f"draw {n}" for n in _SIZES))
    shown = Figure(
        "bags",
        "Curves: the chance to fail by flowers left, for draws of 2 to 5. "
        + _told((number_of(bag.total, "flower"), _of_bag(rules, bag)) for bag in even),
        "Bags that hold the colours in the proportion of the start.",
        lambda dark=False: curves(
            lines,
            ("As the bag empties", "no flowers in hand, colours in proportion"),
            ("flowers left in the bag", "chance to fail"),
            whole=max(number.mean for line in lines.values() for _, number in line) or 1.0,
            backwards=True,
            dark=dark,
        ),
    )
    return (
        "A bag that empties evenly changes little; what matters is which flowers are left. Every black makes "
        "a draw more dangerous, every colour that is gone leaves more of those you may already have.",
        Table(
            "bags", "Chance to fail with no flowers in hand, by what is left in the bag", header, tuple(rows)
        ),
        *([shown] if lines else []),
    )


def _of_bag(rules: Rules, bag: Flowers) -> tuple[Fraction, ...]:
    return draw_odds(position(rules, Flowers(), bag=bag, set_aside=0)).rows if bag.total else ()


def _part(flowers: Flowers, part: Fraction) -> Flowers:
    return Flowers(*(round(n * part) for n in flowers.counts))


def _counted(bag: Flowers) -> str:
    return " ".join(f"{letter}{n}" for letter, n in zip(LETTERS, bag.counts, strict=True) if n) or "empty"


def _plans(rules: Rules) -> tuple[str | Table | Figure, ...]:
    at = position(rules, Flowers())
    plans = [plan for plan in _PLANS if len(plan) <= rules.draws and sum(plan) <= at.most]
    if not plans:
        return ("This game allows no plan of five flowers.",)
    rows: list[tuple[str | Number, ...]] = []
    for plan in plans:
        found = plan_odds(at, plan)
        stages = [Number.exact(stage.fail_at, CHANCE) for stage in found.stages]
        most = max(map(len, plans))
        total = Number.exact(found.fail, CHANCE)
        rows.append((_named(plan), total, *stages, *[""] * (most - len(stages))))
    header = ("plan", "fails in all", *(f"at draw {n}" for n in range(1, max(map(len, plans)) + 1)))
    return (
        "A plan fails as often in one draw as in several: flowers only add up. What several draws buy is the "
        "right to stop before the next.",
        Table("plans", "Five flowers, however they are drawn", header, tuple(rows)),
    )


def _named(plan: tuple[int, ...]) -> str:
    return " + ".join(map(str, plan))


def _simulated(rules: Rules, seed: int, budget: Budget) -> tuple[str | Table | Figure, ...]:
    at = position(rules, Flowers())
    plans = [plan for plan in _CHECKED if len(plan) <= rules.draws and sum(plan) <= at.most]
    samples, rows = budget.games(_SAMPLES), []
    for i, plan in enumerate(plans):
        step = budget.during(i / len(plans), (i + 1) / len(plans))
        found = sampled.sample_odds(at, plan, samples, seed, budget.threads, step.heard)
        if found.stopped:
            raise KeyboardInterrupt
        exact = plan_odds(at, plan).fail
        apart = (found.fail.value - float(exact)) / found.fail.standard_error
        simulated = Number(
            Stated(found.fail.value, found.fail.standard_error, found.interval, "fixed"), CHANCE
        )
        rows.append(
            (_named(plan), Number.exact(exact, CHANCE), simulated, Number.exact(apart, "errors", "+"))
        )
    return (
        f"The same plans, drawn {samples:,} times each: of such differences 19 in 20 are within 2 standard "
        "errors.",
        Table(
            "simulated",
            "Exact and simulated chance to fail, and their difference in standard errors",
            ("plan", "exact", "simulated", "apart"),
            tuple(rows),
        ),
    )


def _thumb(rules: Rules) -> tuple[str | Table | Figure, ...]:
    alike, different = rules.alike - 1, rules.different - 1
    if different < BLACK:
        colours = f" or {different} colours; with {different} colours also every flower of another colour"
    else:
        colours = ""  # no collection has as many colours as would make it fail
    return (
        "For one flower more: count in the bag the flowers of every colour you have "
        f"{number_of(alike, 'time')}, and the blacks, once you have {alike} of a colour{colours}. Divide by "
        "the flowers in the bag: the chance to fail, exact as long as you hold no black.",
    )
