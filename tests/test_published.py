"""The published reports: a sample of their numbers found again, exactly or within their errors from other
seeds."""

import json
from math import sqrt
from pathlib import Path
from statistics import NormalDist

import pytest

from cherrysim import Flowers, Rules, ask, compare, odds, play
from cherrysim.report import REPORTS, kind_of
from cherrysim.report.frame import Budget
from cherrysim.report.paired import measures
from cherrysim.stats import Estimate
from cherrysim.turn import Valuation, solve

ROOT = Path(__file__).parent.parent / "reports"
NUMBERS = {path.parent.name: json.loads(path.read_text()) for path in sorted(ROOT.glob("*/numbers.json"))}
WRONG = 1e-4
"""How often a whole family of right numbers is called wrong."""


def published(report: str, name: str) -> Estimate:
    told = NUMBERS[report]["numbers"][name]
    return Estimate(told["value"], told["standard_error"])


def apart(pairs: list[tuple[Estimate, Estimate]]) -> list[tuple[Estimate, Estimate]]:
    """The pairs that no error explains, by a bound for all of them together."""
    limit = NormalDist().inv_cdf(1 - WRONG / len(pairs) / 2)
    return [
        (a, b)
        for a, b in pairs
        if abs(a.value - b.value) > limit * sqrt(a.standard_error**2 + b.standard_error**2)
    ]


def moved(pairs: list[tuple[Estimate, Estimate]]) -> list[tuple[Estimate, Estimate]]:
    """The same with every published number wrong by eight errors of the difference."""
    return [
        (Estimate(a.value + 8 * sqrt(a.standard_error**2 + b.standard_error**2), a.standard_error), b)
        for a, b in pairs
    ]


@pytest.mark.parametrize("name", NUMBERS)
def test_a_published_report_is_whole_and_says_its_command(name):
    document = NUMBERS[name]
    assert kind_of(document["report"]) is REPORTS[name]
    assert sorted(path.name for path in (ROOT / name).iterdir()) == sorted(document["files"])
    _, _, rest = document["command"].partition("cherrysim report ")
    commands = (
        (ROOT / "README.md")
        .read_text()
        .replace("reports/variant", "variant")
        .replace("reports/example", "example")
    )
    assert f"cherrysim report {rest}" in commands
    assert document["command"] in (ROOT / name / f"{name}.html").read_text()


def test_the_odds_are_those_of_the_game():
    for players in (2, 3, 4):
        rows = odds(rules=Rules.official(players)).rows
        for n, chance in enumerate(rows, 1):
            assert published("odds", f"start/{n}/{players} players").value == pytest.approx(float(chance))
    assert published("odds", "hands/PPY/draw 2").value == pytest.approx(float(odds(hand="PPY").rows[1]))
    assert published("odds", "plans/2 + 2 + 1/at draw 3").value == pytest.approx(
        float(odds(plan=[2, 2, 1]).stages[2].fail_at)
    )


def test_the_turns_are_solved_as_they_say():
    advice = ask()
    for option in advice.options:
        assert published("turn", f"first/draw {option.draw}/flowers kept").value == pytest.approx(
            float(option.value)
        )
    hand = ask(hand="PYL", draws_used=2)
    assert published("turn", "map-kept/PYL/gains, 1 left").value == pytest.approx(float(hand.advantage))
    even = hand.break_even(hand.best)
    assert published("turn", "break-even/PYL/1 draw/pays below").value == pytest.approx(float(even))


def test_games_of_other_seeds_come_to_the_same():
    pairs = []
    for policy, games in (("kept", 1500), ("plan:3+2", 8000), ("learned", 250)):
        found = play(policy, games, seed=77)
        pairs.append((published("policies", f"length/{policy}/turns"), found.turns))
        for seat, one in enumerate(found.seats):
            pairs.append((published("policies", f"seats/{policy}/seat {seat}"), one.share))
            pairs.append((published("policies", f"points/{policy}/{seat}/score"), one.score))
            pairs.append((published("policies", f"points/{policy}/{seat}/turns that fail"), one.failures))
    for better, worse in (("kept", "plan:3+2"), ("cautious:0.25", "random")):
        meeting = compare([better, worse], games=400, seed=78)
        pairs.append(
            (published("policies", f"ladder/{better} over {worse}/share"), meeting.differences[0].share)
        )
    assert apart(pairs) == []
    assert len(apart(moved(pairs))) == len(pairs)


def test_changed_rules_change_the_same_from_other_seeds():
    document = NUMBERS["rules"]
    (changed,) = (Rules.from_mapping(values) for values in document["read"].values())
    old, new = (measures(rules, "kept", 800, 79, Budget()) for rules in (Rules(), changed))
    names = ("turns a game", "turns that fail", "winner less last", "points in front", "first seat less last")
    pairs = []
    for name in names:
        key = f"games-kept/{name}/difference"
        fresh = new[name].less(old[name])
        pairs.append((published("rules", key), Estimate(fresh.value, fresh.said.standard_error)))
    assert apart(pairs) == []
    assert len(apart(moved(pairs))) == len(pairs)
    kept = solve(ask(rules=changed).at, Valuation.kept(changed))
    assert published("rules", "turn/variant/flowers kept").value == pytest.approx(float(kept.best().value))
    assert Rules.from_toml((ROOT / "variant.toml").read_text()) == changed
    assert changed.counts == Flowers.parse("P15 Y15 L15 D15 W15 B3")


def test_the_claims_are_counted_as_their_numbers_say():
    sides = [
        low > 0 or -(high < 0)
        for number in NUMBERS["claims"]["numbers"].values()
        for low, high in [number["interval"] or (number["value"], number["value"])]
    ]
    said = [f"{sides.count(1)} hold", f"{sides.count(-1)} are wrong", f"for {sides.count(0)} no difference"]
    assert all(part in (ROOT / "claims" / "claims.md").read_text() for part in said)
