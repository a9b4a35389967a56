"""Who plays better, what a seat is worth, where points come from, how long games are, and what `learned`
does."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from cherrysim import weights
from cherrysim.contest import Comparison
from cherrysim.plots.contests import score_distribution
from cherrysim.plots.parts import score_parts
from cherrysim.plots.series import curves, points
from cherrysim.plots.strength import pushing, worth_of_flowers
from cherrysim.report.frame import APART, SHARE, Budget, Figure, Number, Question, Report, Section, Table
from cherrysim.report.games import compared, played
from cherrysim.rules import Rules
from cherrysim.simulate import Games
from cherrysim.stats import Stated, proportion
from cherrysim.strength import habits
from cherrysim.strength.habits import COLOURS, LEFT, STAGE, Stage
from cherrysim.verdicts import cards

LADDER = ("random", "cautious:0.25", "plan:3+2", "kept", "points", "learned")
"""Policies, each of which beats the one before it in the official game of four."""
_ALL_SEATS = {"plan:3+2": 40_960, "kept": 16_384, "points": 8192, "learned": 8192}
"""Games with one policy at every seat."""
_MEETING = 1500
"""Games of each line-up of two policies."""
_HABITS = 160

_TH = ("1st", "2nd", "3rd", "4th", "5th")

Parts = tuple[str | Table | Figure, ...]
Rows = tuple[tuple[str | Number, ...], ...]


def report(question: Question, seed: int, budget: Budget) -> Report:
    """The report `policies` about a game."""
    rules = question.rules
    best = LADDER[-1]
    steps = [pair for pair in pairwise(LADDER) if best not in pair]
    among = [(policy, best) for policy in LADDER[:-1]]
    meetings = {}
    for i, pair in enumerate([*steps, *among]):
        step = budget.during(0.5 * i / (len(steps) + len(among)), 0.5 * (i + 1) / (len(steps) + len(among)))
        meetings[pair] = compared(pair[::-1], step.games(_MEETING), seed, rules, step)
    same = {}
    for i, (policy, games) in enumerate(_ALL_SEATS.items()):
        step = budget.during(0.5 + 0.1 * i, 0.6 + 0.1 * i)
        same[policy] = played(policy, step.games(games), seed, rules, step)
    stages = habits.stages(rules, budget.games(_HABITS, 4), seed)
    first, last = (Number.of(same[best].seats[seat].share) for seat in (0, -1))
    length = Number.of(same[best].turns)
    verdict = (
        f"With {rules.players} players as strong as policy {best}, who moves first wins {first} of the games "
        f"and who moves last {last}; a game has {length} turns"
    )
    sections = (
        Section("Who beats whom", _ladder(meetings, rules)),
        Section("What a seat is worth", _seats(same, rules)),
        Section("Where the points come from", _points(same, meetings[LADDER[-3], best])),
        Section("How long a game is", _length(same)),
        Section("What a flower is worth over the game", _flowers(rules)),
        Section("How far it pushes", _pushes(stages)),
    )
    taught = weights.difference(rules)
    remarks = (
        f"{rules.players} players, {cards(rules)}. A share is the part of victories, shared ones divided; "
        "points of share are hundredths. Two policies meet as one among the others' and as one of them among "
        "its own, every bag in all seatings; a bag is one observation.",
        *([f"{taught[0].upper()}{taught[1:]}."] if taught else []),
    )
    return Report("Who plays better", verdict, sections, remarks=remarks)


def _ladder(meetings: dict[tuple[str, str], Comparison], rules: Rules) -> Parts:
    best = LADDER[-1]
    rows: list[tuple[str | Number, ...]] = []
    for lower, policy in reversed(list(pairwise(LADDER))):
        over = meetings[lower, policy].differences[0]
        rows.append(
            (
                f"{policy} over {lower}",
                Number.of(over.share, APART, "+"),
                Number.of(over.score, "points", "+"),
            )
        )
    alone = {policy: meetings[policy, best].line_ups[-1].results[policy].share for policy in LADDER[:-1]}
    crowd = {policy: meetings[policy, best].line_ups[0].results[best].share for policy in LADDER[:-1]}
    shares = {
        policy: Stated(100 * share.value, 100 * share.standard_error, _hundred(share.interval()), "fixed")
        for policy, share in alone.items()
    }
    among: Rows = tuple(
        (policy, Number.of(alone[policy], SHARE), Number.of(crowd[policy], SHARE)) for policy in LADDER[:-1]
    )
    even = f"{100 / rules.players:.3g} %"
    return (
        Table("ladder", "Each policy over the one below it", ("policies", "share", "score"), tuple(rows)),
        Figure(
            "alone",
            "Points with 95 % intervals: the share of the victory of each policy alone among players as "
            f"strong as {best}; an equal player would have {even}.",
            f"An equal player would have {even}.",
            lambda dark=False: points(
                shares,
                (f"Alone among {best}", "share of the victory, 95 % intervals"),
                "% of the victory",
                dark=dark,
            ),
        ),
        Table(
            "among",
            f"Share of a policy alone among {best}, and of {best} alone among it",
            ("policy", f"alone among {best}", f"{best} among it"),
            among,
        ),
    )


def _hundred(ends: tuple[float, float]) -> tuple[float, float]:
    return 100 * ends[0], 100 * ends[1]


def _seats(same: dict[str, Games], rules: Rules) -> Parts:
    rows: Rows = tuple(
        (policy, *(Number.of(seat.share) for seat in games.seats)) for policy, games in same.items()
    )
    lines = {
        policy: [(float(number), Number.of(seat.share).said) for number, seat in enumerate(games.seats)]
        for policy, games in same.items()
    }
    most = max(number.interval[1] for line in lines.values() for _, number in line if number.interval)
    header = ("policy at every seat", *(f"seat {seat}" for seat in range(rules.players)))
    return (
        "Whoever begins has as many turns as the others, or one more.",
        Figure(
            "seats",
            "Curves with 95 % intervals: the share of the victory by seat, the same policy at every seat. "
            + " ".join(f"{policy}: from {row[0]} to {row[-1]}." for policy, *row in rows),
            "Seats count from 0, who moves first.",
            lambda dark=False: curves(
                lines,
                ("What a seat is worth", "the same policy at every seat; 95 % intervals"),
                ("seat", "share of victory"),
                whole=most,
                dark=dark,
            ),
        ),
        Table("seats", "Share of the victory by seat", header, rows),
    )


def _points(same: dict[str, Games], meeting: Comparison) -> Parts:
    rows: list[tuple[str | Number, ...]] = []
    for policy, games in same.items():
        for number, seat in enumerate(games.seats):
            told = (seat.score, seat.front, seat.warm, seat.cool, seat.failures)
            numbers = [Number.of(one, "chance" if one is seat.failures else "points") for one in told]
            rows.append((policy, str(number), *numbers))
    return (
        Figure(
            "score-parts",
            "Stacked bars: points in front, from the warm and from the cool group, by policy and seat.",
            "Points in front may be negative for a seat that fails often; then the bar goes below the line.",
            lambda dark=False: score_parts(same, dark=dark),
        ),
        Table(
            "points",
            "Points a game, and how many of its turns fail",
            ("policy", "seat", "score", "front", "warm", "cool", "turns that fail"),
            tuple(rows),
            labels=2,
        ),
        Figure(
            "final-scores",
            "Steps: how often each of two policies ends with how many points, when they meet.",
            "Marks on the axis are the means.",
            lambda dark=False: score_distribution(meeting, dark=dark),
        ),
    )


def _length(same: dict[str, Games]) -> Parts:
    rows: Rows = tuple(
        (
            policy,
            Number.of(games.turns),
            Number.of(games.seats[0].turns),
            Number.of(proportion(games.capped, games.games), "chance"),
        )
        for policy, games in same.items()
    )
    return (
        Table(
            "length",
            "Turns a game, turns of the first seat, and games that were ended after 400 turns",
            ("policy at every seat", "turns", "of seat 0", "ended"),
            rows,
        ),
    )


def _flowers(rules: Rules) -> Parts:
    counts = range(1, len(_TH) + 1)
    rows: Rows = tuple(
        (
            str(left),
            name,
            *(Number(Stated(habits.worth(rules, colour, n, left) / 100), APART, "+") for n in counts),
        )
        for left in LEFT
        if left < rules.counts.total - rules.set_aside
        for name, colour in COLOURS
    )
    return (
        Figure(
            "worth",
            "Curves: points of share that the first to fifth pink flower in front adds, by flowers left in "
            "the bag.",
            "As learned from games; what it is worth to have, not only what it scores.",
            lambda dark=False: worth_of_flowers(rules, dark=dark),
        ),
        Table(
            "worth",
            "Points of share that the n-th flower of a colour in front adds to a quarter of the victory",
            ("flowers left", "colour", *_TH),
            rows,
            labels=2,
        ),
    )


def _pushes(stages: Sequence[Stage]) -> Parts:
    rows = []
    for i, stage in reversed(list(enumerate(stages))):
        if stage.turns and stage.successes:
            hidden = stage.successes - stage.hidden["nothing"]
            rows.append(
                (
                    f"{STAGE * i} to {STAGE * i + STAGE - 1}",
                    Number.of(proportion(stage.failed, stage.turns), "chance"),
                    Number.of(proportion(hidden, stage.successes), "chance"),
                )
            )
    return (
        Figure(
            "pushing",
            "Curves with 95 % intervals: how often turns fail, and how often a success hides something, by "
            "flowers left.",
            "Of turns that began with so many flowers left.",
            lambda dark=False: pushing(stages, dark=dark),
        ),
        Table(
            "pushing",
            "Turns that fail, and successes that hide something, of policy learned among itself",
            ("flowers left", "turns that fail", "successes that hide"),
            tuple(rows),
        ),
    )
