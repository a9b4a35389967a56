"""The exact golden cases of an independent model (how they were made stands in the file under `about`)."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from cherrysim.belief import Belief
from cherrysim.chances import plan_odds, position
from cherrysim.flowers import Flowers, Refused
from cherrysim.hands import PATTERNS, cards_of, colours_in, conditions, keeps, matches, universe
from cherrysim.rules import CARDS, Rules
from cherrysim.sampled import odds
from cherrysim.turn import Valuation, solve

CASES = json.loads((Path(__file__).parent / "golden" / "cherry-tree.json").read_text())["cases"]


def cases(*categories):
    chosen = [case for case in CASES if case["category"] in categories]
    assert chosen
    return pytest.mark.parametrize("case", chosen, ids=[case["id"] for case in chosen])


def flowers(counts):
    return Flowers.of(counts)


def fraction(value):
    return Fraction(value["frac"])


def asked(given):
    rules = Rules.official(2) if given["set_aside"] else Rules()
    return position(
        rules,
        flowers(given["collected"]),
        given["draws_used"],
        bag=flowers(given["bag"]),
        set_aside=given["set_aside"],
    )


def check_plan(found, expected):
    assert [stage.draw for stage in found.stages] == expected["sizes"]
    assert [stage.reach for stage in found.stages] == [fraction(v) for v in expected["reach"]]
    assert [stage.fail_at for stage in found.stages] == [fraction(v) for v in expected["fail_at"]]
    assert [stage.fail_if_reached for stage in found.stages] == [
        v and fraction(v) for v in expected["fail_if_reached"]
    ]
    assert found.fail == fraction(expected["fail"])
    assert found.to_json()["fail"] == expected["fail"]["float"]


@cases("predicate")
def test_predicate(case):
    met = conditions(flowers(case["input"]["collection"]).counts, Rules())
    assert sorted(met) == sorted(case["expected"]["conditions"])
    assert bool(met) == case["expected"]["failed"]


@cases("safe_hands")
def test_safe_hands(case):
    expected, found = case["expected"], universe(Rules())
    assert len(found.hands) == expected["count"]
    assert [len(size) for size in found.by_size] == expected["by_size"]
    for pattern in PATTERNS:
        meeting = [hand for hand in found.hands if matches(hand, pattern)]
        assert len(meeting) == expected["meeting"][pattern]
        with_black = [hand for hand in meeting if not matches((*hand[:5], 0), pattern)]
        assert len(with_black) == expected["meeting_with_black"][pattern]


@cases("failed_keep")
def test_failed_keep(case):
    found = keeps(colours_in(flowers(case["input"]["collection"]).counts))
    expected = [flowers(option).counts for option in case["expected"]["options"]]
    assert sorted(found) == sorted(expected)


@cases("plan", "next_draw")
def test_plan(case):
    check_plan(plan_odds(asked(case["input"]), case["input"]["plan"]), case["expected"])


@cases("refused_plan")
def test_refused_plan(case):
    with pytest.raises(Refused, match=r"; .*; ") as refused:
        plan_odds(asked(case["input"]), case["input"]["plan"])
    assert "\n" not in str(refused.value)


@cases("hidden_bag")
def test_hidden_bag(case):
    given = case["input"]
    belief = Belief.of(flowers(given["start"]), given["set_aside"])
    for event in given["events"]:
        belief = (
            belief.draw(flowers(event["draw"]))
            if "draw" in event
            else belief.put_back(flowers(event["return"]))
        )
    check_plan(odds(belief, given["plan"], rules=Rules.official(2)), case["expected"])


@cases("turn_ev")
def test_turn_ev(case):
    given, expected = case["input"], case["expected"]
    at = asked(given)
    turn = solve(at, Valuation.front(at.rules, flowers(given["front"])))
    found = [(option.draw, option.value, option.fail) for option in turn.options()]
    assert found == [(o["draw"], fraction(o["ev"]), fraction(o["fail"])) for o in expected["options"]]
    assert turn.best().value == fraction(expected["ev"])
    assert turn.best().draw == expected["best"].get("draw", 0)


@cases("mastery")
def test_mastery(case):
    hand = flowers(case["input"]["collection"])
    names = {
        name
        for side in ("blue", "pink")
        for name in cards_of(hand, Rules(cards=Rules.official(cards=side).cards))
    }
    assert {CARDS[name].title for name in names} == set(case["expected"]["cards"])


@cases("mastery_odds")
def test_mastery_odds(case):
    """A fixed plan ends safely with a collection as often as one draw of its total does."""
    given, expected = case["input"], case["expected"]
    turn = solve(position(Rules(), Flowers(), bag=flowers(given["bag"])), Valuation.failure(Rules()))
    safe, _ = turn.after_draw((0,) * 6, sum(given["plan"]))
    for pattern in PATTERNS:
        found = sum((p for hand, p in safe.items() if matches(hand, pattern)), Fraction(0))
        assert found == fraction(expected[pattern])
    some = sum(
        (p for hand, p in safe.items() if any(matches(hand, pattern) for pattern in PATTERNS)), Fraction(0)
    )
    assert some == fraction(expected["any"])
