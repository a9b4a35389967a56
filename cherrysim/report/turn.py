"""Stop, or draw again, and how many: the best choice for every safe collection, what more draws are worth,
and a rule of thumb with what it gives up.

For flowers kept everything is exact. For the victory the turn's draws are exact and the worth of its ends is
what `learned` has learned, whose error is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product

from cherrysim import knowledge, weights
from cherrysim.advice import Advice, advise
from cherrysim.chances import Position, position
from cherrysim.flowers import Flowers, Refused, number_of
from cherrysim.hands import Hand, universe
from cherrysim.instant import VALUED, instant
from cherrysim.plots.choices import stop_or_draw
from cherrysim.plots.maps import action_map, shapes
from cherrysim.policy import parse
from cherrysim.report.frame import APART, CHANCE, Budget, Figure, Number, Question, Report, Section, Table
from cherrysim.review import NEAR
from cherrysim.rules import Rules
from cherrysim.simulate.moments import moments
from cherrysim.stats import Stated
from cherrysim.table import COLLECT
from cherrysim.table import Table as Moment
from cherrysim.turn import Turn, Valuation, solve, tied
from cherrysim.words import LITTLE, choices

_WHEN = {"kept": "for flowers kept", "win": "in the first turn", "halfway": "half-way"}
_GAMES = 2
"""Games whose middles are looked through for an even one."""


def report(question: Question, seed: int, budget: Budget) -> Report:
    """The report `turn` about a game's turns."""
    rules = question.rules
    start = position(rules, Flowers())
    kept = solve(start, Valuation.kept(rules))
    budget.done(0.1)
    opening = _win(Moment.start(rules))
    budget.done(0.3)
    middle = _middle(rules, seed)
    budget.done(0.5)
    first = Number.exact(kept.best().value, "flowers")
    second = _worth_of_draws(rules, Valuation.kept(rules))
    thumb, facts = _thumb(kept, opening)
    budget.done(0.9)
    won = solve(start, opening)
    verdict = (
        f"To keep most flowers {_said(kept)} of the full bag first: {first} flowers on average"
        f"{_near(kept, LITTLE, 'is about equal')}; to win, {_said(won)}"
        f"{_near(won, 100 * NEAR, 'is within half a point of share')}"
    )
    sections = (
        Section("The first draw", _first(rules, kept, opening)),
        Section("For flowers kept", _map(kept, "kept", "flowers")),
        Section("For the victory, in the first turn", _map(won, "win", APART)),
        *_halfway(middle),
        Section("What more draws are worth", _more(second, _worth_of_draws(rules, opening))),
        Section("Break-even", _even(rules)),
        Section("Rule of thumb", thumb),
    )
    taught = weights.difference(rules)
    remarks = (
        "Flowers kept are exact. Shares of the victory: draws are exact, what a turn's end is worth is "
        "learned from games, and its error is not known. Ties go to stop, then to the smaller draw.",
        *([f"{taught[0].upper()}{taught[1:]}."] if taught else []),
    )
    return Report("Stop, or draw again?", verdict, sections, facts, remarks)


def _win(table: Moment) -> Valuation:
    """What every end of a turn is worth, in points of share."""
    found = VALUED.valuation(table)
    return Valuation(
        tuple(100 * float(worth) for worth in found.keep),
        tuple(100 * float(worth) for worth in found.bust),
        APART,
    )


def _at(table: Moment) -> Position:
    bag = knowledge.belief(table)
    return Position(bag, bag.most, Flowers(), 0, table.rules, table.mover.front)


def _halfway(middle: Moment | None) -> Iterator[Section]:
    """The map of a moment in the middle of a game, if there is one."""
    if middle is not None:
        won = solve(_at(middle), _win(middle))
        yield Section("For the victory, half-way", (_where(middle), *_map(won, "halfway", APART)))


def _middle(rules: Rules, seed: int) -> Moment | None:
    """The moment, about half of the bag being left, whose player to move is nearest to an even share; None
    where nobody has a choice then."""
    whole, even = rules.counts.total, 1 / rules.players
    found = [
        table
        for game in range(_GAMES)
        for table in moments(rules, [parse("learned")] * rules.players, seed, game)
        if table.phase == COLLECT and not table.hand.total and 0.4 * whole <= table.bag_size <= 0.6 * whole
    ]
    return min(found, key=lambda table: abs(_best_share(table) - even), default=None)


def _best_share(table: Moment) -> float:
    return max(option.shares[table.to_move] for option in instant(table))


def _said(turn: Turn) -> str:
    best = turn.best()
    return choices([option.draw for option in turn.options() if tied(option.value, best.value)])


def _near(turn: Turn, within: float | Fraction, how: str) -> str:
    """Which other first draws give up no more than so much."""
    best = turn.best().value
    near = [
        option.draw
        for option in turn.options()
        if best - option.value <= within and not tied(option.value, best)
    ]
    return f" ({choices(near, draw='drawing')} {how})" if near else ""


def _stated(turn: Turn, value: Fraction | float, sign: str = "") -> Number:
    """A value in the turn's unit: exact for flowers, with an error that is not known for learned shares."""
    unit = turn.valuation.unit
    if unit == APART:
        return Number(Stated(float(value) / 100), APART, sign)
    return Number.exact(value, unit, sign)


def _first(rules: Rules, kept: Turn, opening: Valuation) -> tuple[str | Table | Figure, ...]:
    won = solve(kept.at, opening)
    rows: list[tuple[str | Number, ...]] = []
    for flowers, share in zip(kept.options(), won.options(), strict=True):
        rows.append(
            (
                f"draw {flowers.draw}",
                Number.exact(flowers.fail, CHANCE),
                Number.exact(kept.outcomes(first=flowers.draw).fail, CHANCE),
                _stated(kept, flowers.value),
                _stated(kept, kept.best().value - flowers.value),
                Number(Stated(float(share.value) / 100), "of victory"),
                _stated(won, won.best().value - share.value),
            )
        )
    header = ("first", "fails at once", "turn fails", "flowers kept", "gives up", "share", "gives up share")
    advice = advise(kept.at, "kept")
    return (
        Table(
            "first",
            "The first draw from the full bag, each followed by best play for the same aim",
            header,
            tuple(rows),
        ),
        Figure(
            "first-draw",
            "Points: flowers kept on average by the size of the first draw; below, bars: how often it fails "
            "at once.",
            "For flowers kept, exact. The turn may fail later, too: see the table.",
            lambda dark=False: stop_or_draw(advice, dark=dark),
        ),
    )


def _map(turn: Turn, name: str, unit: str) -> tuple[str | Table | Figure, ...]:
    rules = turn.at.rules
    lefts = list(range(rules.draws - 1, 0, -1))
    rows = tuple(_row(turn, shape, lefts) for shape in shapes(rules) if sum(shape))
    header = ["in hand"]
    for left in lefts:
        header += [f"{left} left", f"gains, {left} left"]
    bag = None if name != "halfway" else turn.at.belief
    return (
        Figure(
            f"map-{name}",
            "A map: safe collections down, draws left across; each cell says whether to stop or how many to "
            f"draw, and what drawing gains over stopping, in {unit}.",
            "Where the names of the colours matter, a cell lists every choice and the range of the gains.",
            lambda dark=False: action_map(rules, bag, turn.valuation, dark=dark),
        ),
        Table(
            f"map-{name}",
            f"The same for the colours named, {_WHEN[name]}: the best choice and what drawing gains over "
            f"stopping, in {unit}",
            tuple(header),
            rows,
        ),
    )


def _row(turn: Turn, hand: Hand, lefts: list[int]) -> tuple[str | Number, ...]:
    row: list[str | Number] = [Flowers(*hand).letters]
    for left in lefts:
        try:
            options = turn.options(hand, left)
        except Refused:  # the bag cannot give this hand
            options = ()
        if not options or sum(hand) < turn.at.draws_left - left:  # each draw made so far took at least one
            row += ["", ""]
            continue
        top = max(option.value for option in options)
        row.append(choices([option.draw for option in options if tied(option.value, top)]))
        draws = [option.value for option in options if option.draw]
        row.append(_stated(turn, max(draws) - options[0].value, "+") if draws else "")
    return tuple(row)


def _where(table: Moment) -> str:
    seats = "; ".join(
        f"{seat.name} has {seat.front} in front and {number_of(seat.behind.total + seat.secret, 'flower')} "
        "behind"
        for seat in table.seats
    )
    return (
        f"A moment of a game of policy learned, about half of the bag being left: {table.mover.name} is to "
        f"move, in the bag are {table.bag_size} flowers. {seats}."
    )


def _worth_of_draws(rules: Rules, valuation: Valuation) -> list[Fraction]:
    """The best value with 1, 2, ... draws, from the full bag."""
    found = []
    for draws in range(1, rules.draws + 1):
        fewer = replace(rules, draws=draws)
        found.append(solve(position(fewer, Flowers()), valuation).best().value)
    return found


def _more(kept: list[Fraction], won: list[Fraction]) -> tuple[str | Table | Figure, ...]:
    rows = []
    for n, (flowers, share) in enumerate(zip(kept, won, strict=True), 1):
        more = n > 1
        rows.append(
            (
                number_of(n, "draw"),
                Number.exact(flowers, "flowers"),
                Number.exact(flowers - kept[n - 2], "flowers", "+") if more else "",
                Number(Stated(float(share) / 100), "of victory"),
                Number(Stated(float(share - won[n - 2]) / 100), APART, "+") if more else "",
            )
        )
    return (
        "Flowers only add up: what a further draw is worth is the right to stop before it.",
        Table(
            "draws",
            "What a first turn is worth with so many draws allowed",
            ("allowed", "flowers kept", "more", "share", "more share"),
            tuple(rows),
        ),
    )


def _even(rules: Rules) -> tuple[str | Table | Figure, ...]:
    rows: list[tuple[str | Number, ...]] = []
    for shape in shapes(rules):
        if not sum(shape):
            continue
        for left in range(rules.draws - 1, 0, -1):
            if sum(shape) < rules.draws - left or Flowers(*shape) not in rules.counts:
                continue
            advice = advise(position(rules, Flowers(*shape), rules.draws - left), "kept")
            draws = [option for option in advice.options if option.draw]
            if draws and not advice.options[0].draw:
                best = max(draws, key=lambda option: option.value)
                rows.append(_break_even(advice, best.draw, left))
    return (
        "A draw pays as long as it fails less often than its break-even, what it gives when it does not fail "
        "staying as it is.",
        Table(
            "break-even",
            "The best draw of every collection from the bag at the start, for flowers kept",
            ("in hand", "left", "draw", "fails", "pays below", "gains"),
            tuple(rows),
            labels=2,
        ),
    )


def _break_even(advice: Advice, draw: int, left: int) -> tuple[str | Number, ...]:
    option = next(option for option in advice.options if option.draw == draw)
    even = advice.break_even(option)
    return (
        advice.at.hand.letters,
        number_of(left, "draw"),
        f"draw {draw}",
        Number.exact(option.fail, CHANCE),
        Number.exact(even, CHANCE)
        if even
        else "always"
        if option.value > advice.options[0].value
        else "never",
        Number.exact(option.value - advice.options[0].value, "flowers", "+"),
    )


Rule = tuple[int, tuple[int, ...]]
"""The size of the first draw; for each further one, of one flower, the most flowers in hand with which it is
made."""
Ends = tuple[dict[Hand, float], list[float]]
"""The chance of every collection stopped with, and of every failure by its set of colours."""
_BLACK = 5


def _thumb(kept: Turn, opening: Valuation) -> tuple[tuple[str, ...], dict[str, Number]]:
    """The best of a family of simple rules, and what it gives up for both aims."""
    after = cache(lambda hand, n: _floats(kept, hand, n))
    followed = {rule: _followed(kept, rule, after) for rule in _simple(kept.at.rules)}
    best = max(followed, key=lambda rule: _worth(kept, followed[rule], kept.valuation))
    ends, won = followed[best], solve(kept.at, opening)
    flowers = float(kept.best().value) - _worth(kept, ends, kept.valuation)
    share = float(won.best().value) - _worth(kept, ends, opening)
    facts = {
        "rule of thumb/flowers": Number.exact(kept.best().value, "flowers"),
        "rule of thumb/gives up": Number.exact(flowers, "flowers"),
        "rule of thumb/gives up share": Number(Stated(share / 100), APART),
        "rule of thumb/fails": Number.exact(sum(ends[1]), CHANCE),
    }
    all_of_it, lost, lost_share, fails = facts.values()
    further = [f"one more with at most {most} in hand" for most in best[1] if most]
    said = f"First draw {best[0]}{''.join(f', then {more}' for more in further)}; with a black in hand stop."
    return (
        (
            said,
            f"That gives up {lost} of {all_of_it} flowers a turn against best play, and {fails} of such "
            f"turns fail. For the victory, in the first turn, it gives up {lost_share} points of share.",
        ),
        facts,
    )


def _simple(rules: Rules) -> Iterator[Rule]:
    """First a draw of so many; then one flower more while there are at most so many in hand."""
    most = min(rules.flowers, 7)
    for first in range(1, min(5, rules.flowers) + 1):
        for limits in product(range(most), repeat=min(rules.draws, 3) - 1):
            yield first, limits


def _floats(turn: Turn, hand: Hand, n: int) -> Ends:
    """Where a draw of so many ends, or of what the bag still holds."""
    left = turn.at.belief.size + turn.at.hand.total - sum(hand)
    if not left:
        return {hand: 1.0}, [0.0] * len(turn.valuation.bust)
    safe, failed = turn.after_draw(hand, min(n, left))
    return {larger: float(p) for larger, p in safe.items()}, list(map(float, failed))


def _followed(turn: Turn, rule: Rule, after: Callable[[Hand, int], Ends]) -> Ends:
    """Where a turn ends by a simple rule."""
    first, limits = rule
    reached, failed = after(turn.at.hand.counts, first)
    stops: dict[Hand, float] = {}
    failed = failed.copy()
    for most in limits:
        onward: dict[Hand, float] = {}
        for hand, chance in reached.items():
            if hand[_BLACK] or sum(hand) > most or sum(hand) >= turn.at.rules.flowers:
                stops[hand] = stops.get(hand, 0.0) + chance
                continue
            safe, lost = after(hand, 1)
            for larger, p in safe.items():
                onward[larger] = onward.get(larger, 0.0) + chance * p
            failed = [a + chance * b for a, b in zip(failed, lost, strict=True)]
        reached = onward
    for hand, chance in reached.items():
        stops[hand] = stops.get(hand, 0.0) + chance
    return stops, failed


def _worth(turn: Turn, ends: Ends, valuation: Valuation) -> float:
    """The expected value of a valuation."""
    index = universe(turn.at.rules).index
    stopped = sum(chance * float(valuation.keep[index[hand]]) for hand, chance in ends[0].items())
    return stopped + sum(p * float(worth) for p, worth in zip(ends[1], valuation.bust, strict=True))
