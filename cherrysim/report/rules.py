"""Official against changed rules, or two changed ones: failure, length, seats, spread, and how best play
moves.

Both games are played from the same bags with the same randomness by the same policies, which know the rules
they play by; every difference is of pairs of games.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from cherrysim.chances import draw_odds, position
from cherrysim.flowers import Flowers, Refused, number_of
from cherrysim.hands import universe
from cherrysim.names import fitted
from cherrysim.plots.maps import action_map, shapes
from cherrysim.plots.series import curves
from cherrysim.plots.tornado import tornado
from cherrysim.report.frame import (
    APART,
    CHANCE,
    CHANCES_APART,
    Budget,
    Figure,
    Number,
    Question,
    Report,
    Section,
    Table,
)
from cherrysim.report.paired import Measure, measures
from cherrysim.rules import Rules
from cherrysim.stats import Stated
from cherrysim.turn import Turn, Valuation, solve, tied
from cherrysim.words import choices

POLICIES = ("points", "kept")
"""Who plays: for final points, cards and all; and for flowers kept."""
_GAMES = 8192
_HANDS = 300
"""Where the rules allow more safe collections than this, fewer games are played, as each takes longer."""
_MOST = 8
"""And fewer, too, where there are more games than this to compare."""
_EFFECTS = ("turns a game", "turns that fail", "first seat less last", "winner less last")
"""What the figure of single changes shows."""
OFFICIAL, TOGETHER, DIFFERENCE = "official", "all together", "difference"
_WIDE = 28
"""Columns of a game's name."""

Parts = tuple[str | Table | Figure, ...]
Rows = tuple[tuple[str | Number, ...], ...]
Both = Mapping[str, Rules]
"""The two games by name, the one compared with first."""


def report(question: Question, seed: int, budget: Budget) -> Report:
    """The report `rules` about rules in files."""
    both = _both(question)
    (base, old), (name, new) = both.items()
    changes = [key for key in old.to_json() if getattr(old, key) != getattr(new, key)]
    single = dict(_single(old, new, changes)) if len(changes) > 1 else {}
    slower = min(1.0, *(_HANDS / len(universe(rules).hands) for rules in both.values()))
    part = slower * min(1.0, _MOST / (2 + len(single)))
    games = {policy: budget.games(round(_GAMES * part)) for policy in POLICIES}
    found: dict[str, list[Mapping[str, Measure]]] = {}
    for i, policy in enumerate(POLICIES):
        step = budget.during(0.3 * i, 0.3 * i + 0.3)
        found[policy] = [
            measures(old, policy, games[policy], seed, step.during(0, 0.5)),
            measures(new, policy, games[policy], seed, step.during(0.5, 1)),
        ]
    alone = {}
    for i, (key, rules) in enumerate(single.items()):
        step = budget.during(0.6 + 0.4 * i / len(single), 0.6 + 0.4 * (i + 1) / len(single))
        alone[key] = measures(rules, POLICIES[0], games[POLICIES[0]], seed, step)
    turns, fail = (found[POLICIES[0]][1][one].less(found[POLICIES[0]][0][one]) for one in _EFFECTS[:2])
    verdict = f"{name} against {base}: {turns} turns a game, {fail} percentage points of failed turns"
    sections = [
        Section("What is changed", _changed(both, changes)),
        *(Section(_title(policy), _differences(both, policy, *pair)) for policy, pair in found.items()),
        Section("Change by change", _tornado(found[POLICIES[0]], alone, changes)),
        Section("How often draws fail", _failures(both)),
        Section("How best play moves", _moves(both)),
    ]
    remarks = _remarks(games, changes, single)
    return Report("What changed rules do", verdict, tuple(sections), remarks=remarks)


def _both(question: Question) -> Both:
    """The games compared: the official one and that of the file, or those of two files."""
    named = [(_called(name), rules) for name, rules in question.files]
    if len(named) == 1:
        named.insert(0, (OFFICIAL, Rules.official(named[0][1].players)))
    (base, old), (name, new) = named
    if old.players != new.players:
        raise Refused(
            f"{base} has {old.players} players, {name} {new.players}; seats are compared one by one; choose "
            "the same"
        )
    if old == new:
        raise Refused(f"{name} changes nothing of {base}; a report compares different rules; change a value")
    return {base: old, f"{name} (2nd)" if name == base else name: new}


def _called(file: str) -> str:
    """A file's name as it heads columns and curves: short, and none that means more to a table or a
    figure."""
    name = file.removesuffix(".toml").lstrip("_")
    return file if name in ("", DIFFERENCE) else fitted(name, _WIDE).rstrip()


def _single(old: Rules, new: Rules, changes: list[str]) -> Iterator[tuple[str, Rules]]:
    """The games with one change each, as far as that alone is a game."""
    for key in changes:
        try:
            yield key, replace(old, **{key: getattr(new, key)})
        except Refused:
            continue


def _said(value: Any) -> str:
    if isinstance(value, tuple):
        return " ".join(map(str, value)) or "none"
    return str(value)


def _changed(both: Both, changes: list[str]) -> Parts:
    old, new = both.values()
    rows = tuple((key, _said(getattr(old, key)), _said(getattr(new, key))) for key in changes)
    return (Table("changes", "The keys of a rules file whose values differ", ("key", *both), rows),)


def _title(policy: str) -> str:
    return {"points": "Among players who play for points", "kept": "Among players who keep most flowers"}[
        policy
    ]


def _differences(both: Both, policy: str, old: Mapping[str, Measure], new: Mapping[str, Measure]) -> Parts:
    rows = tuple(
        (name, measure.unit, measure.number(), new[name].number(), new[name].less(measure))
        for name, measure in old.items()
    )
    seats = {
        name: [
            (float(seat), found[f"share of seat {seat}"].number().said)
            for seat in range(next(iter(both.values())).players)
        ]
        for name, found in zip(both, (old, new), strict=True)
    }
    most = max(number.interval[1] for line in seats.values() for _, number in line if number.interval)
    return (
        Table(
            f"games-{policy}",
            f"Games of policy {policy} at every seat; the difference is of pairs of games",
            ("measure", "unit", *both, DIFFERENCE),
            rows,
        ),
        Figure(
            f"seats-{policy}",
            "Curves with 95 % intervals: the share of the victory by seat, by both rules. "
            + " ".join(
                f"{name}: from {100 * line[0][1].mean:.1f} to {100 * line[-1][1].mean:.1f} %."
                for name, line in seats.items()
            ),
            "Seats count from 0, who moves first.",
            lambda dark=False: curves(
                seats,
                ("What a seat is worth", f"policy {policy} at every seat; 95 % intervals"),
                ("seat", "share of victory"),
                whole=most,
                dark=dark,
            ),
        ),
    )


def _tornado(
    pair: list[Mapping[str, Measure]], alone: Mapping[str, Mapping[str, Measure]], changes: list[str]
) -> Parts:
    old, new = pair
    effects = {**alone} | {TOGETHER if alone else changes[0]: new}
    rows: Rows = tuple(
        (key, *(found[name].less(old[name]) for name in _EFFECTS)) for key, found in effects.items()
    )
    told = {
        _with_unit(name, old[name]): {
            key: _hundredfold(found[name].less(old[name])) for key, found in effects.items()
        }
        for name in _EFFECTS
    }
    return (
        Figure(
            "tornado",
            "Bars with 95 % intervals: what each change does by itself, to "
            + ", ".join(told)
            + "; the largest effect stands on top.",
            "Policy points at every seat. An empty bar is an effect that cannot be told from none.",
            lambda dark=False: tornado(
                told, "What each change does", "by itself, from the same bags; 95 % intervals", dark=dark
            ),
        ),
        Table("effects", "What each change does by itself", ("change", *_EFFECTS), rows),
    )


def _with_unit(name: str, measure: Measure) -> str:
    unit = CHANCES_APART if measure.unit == CHANCE else measure.unit
    return name if name.startswith(unit) else f"{name}, {unit}"


def _hundredfold(number: Number) -> Stated:
    """A difference as the figure tells it."""
    scale, said = 100 if number.unit in (APART, CHANCES_APART) else 1, number.said
    assert said.interval is not None
    low, high = said.interval
    return Stated(scale * said.mean, said.standard_error, (scale * low, scale * high), said.kind)


def _failures(both: Both) -> Parts:
    chances = {name: draw_odds(position(rules, Flowers())).rows for name, rules in both.items()}
    most = max(map(len, chances.values()))
    rows: list[tuple[str | Number, ...]] = []
    for n in range(1, most + 1):
        cells = [found[n - 1] if n <= len(found) else None for found in chances.values()]
        numbers: list[str | Number] = ["" if one is None else Number.exact(one, CHANCE) for one in cells]
        apart = (
            ""
            if None in cells
            else Number.exact(Fraction(cells[1] or 0) - Fraction(cells[0] or 0), CHANCES_APART, "+")
        )
        rows.append((f"draw {n}", *numbers, apart))
    lines = {
        name: [(float(n), Stated.exact(float(chance))) for n, chance in enumerate(found, 1)]
        for name, found in chances.items()
    }
    return (
        Figure(
            "failures",
            "Curves: the chance to fail by flowers drawn at once from the full bag, by both rules.",
            "Exact; no flowers in hand.",
            lambda dark=False: curves(
                lines,
                ("How often a draw fails", "from the full bag"),
                ("flowers drawn at once", "chance to fail"),
                whole=1.0,
                dark=dark,
            ),
        ),
        Table(
            "failures",
            "Chance to fail from the full bag, exact",
            ("drawn at once", *both, DIFFERENCE),
            tuple(rows),
        ),
    )


def _moves(both: Both) -> Parts:
    solved = {name: solve(position(rules, Flowers()), Valuation.kept(rules)) for name, rules in both.items()}
    worth = tuple(
        (name, _best(turn, (0,) * 6, turn.at.draws_left), Number.exact(turn.best().value, "flowers"),
         Number.exact(turn.outcomes().fail, CHANCE))
        for name, turn in solved.items()
    )  # fmt: skip
    most = min(rules.draws for rules in both.values())
    rows = []
    names = dict.fromkeys(shape for rules in both.values() for shape in shapes(rules) if sum(shape))
    same = 0
    for shape in names:
        for left in range(most - 1, 0, -1):
            told = [_best(turn, shape, left) for turn in solved.values()]
            if len(set(told)) == 1:
                same += 1
            elif "" not in told:
                rows.append((Flowers(*shape).letters, number_of(left, "draw"), *told))
    (_, _), (name, new) = both.items()
    listed = Table(
        "moves",
        "Where the best choice for flowers kept differs",
        ("in hand", "left", *both),
        tuple(rows),
        labels=2,
    )
    return (
        Table(
            "turn",
            "A turn from the full bag played best for flowers kept, exact",
            ("rules", "first", "flowers kept", "turn fails"),
            worth,
        ),
        f"With flowers in hand the best choice is the same in {same} of {same + len(rows)} cases.",
        *([listed] if rows else []),
        Figure(
            "map",
            f"A map: the best choice for flowers kept by {name}, safe collections down, draws left across.",
            f"By {name}.",
            lambda dark=False: action_map(new, dark=dark),
        ),
    )


def _best(turn: Turn, hand: tuple[int, ...], left: int) -> str:
    """The best choices, `fails` for a collection that is none; empty where it cannot occur."""
    if hand not in universe(turn.at.rules).index:
        return "has failed"
    if sum(hand) < turn.at.draws_left - left:  # each draw made so far took at least one
        return ""
    try:
        options = turn.options(hand, left)
    except Refused:  # the bag cannot give this hand
        return ""
    top = max(option.value for option in options)
    return choices([option.draw for option in options if tied(option.value, top)])


def _remarks(games: Mapping[str, int], changes: list[str], single: Mapping[str, Rules]) -> tuple[str, ...]:
    played = " and ".join(f"{n:,} games of {policy}" for policy, n in games.items())
    left_out = [key for key in changes if len(changes) > 1 and key not in single]
    said = [
        f"By either rules {played} were played, all from the same bags with the same randomness. The "
        "policies know the rules they play by.",
    ]
    if left_out:
        said.append(f"No game by itself, and so not among the single changes: {', '.join(left_out)}.")
    return tuple(said)
