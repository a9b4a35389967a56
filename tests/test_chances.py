"""Exact odds against a flower-by-flower model, against icepool, and against the rules broken on purpose."""

import json
import random
import time
from fractions import Fraction
from math import comb
from pathlib import Path

import brute
import icepool
import pytest

from cherrysim.belief import Belief
from cherrysim.chances import position, safe_ways
from cherrysim.flowers import Flowers, Refused
from cherrysim.hands import conditions, universe
from cherrysim.rules import Rules
from cherrysim.sampled import odds

FULL = Rules().counts.counts
LIMITS = [
    Rules(),
    Rules(alike=2),
    Rules(alike=4, different=4),
    Rules(alike=5, different=6, flowers=9, draws=5),
]
LIMITS += [Rules(alike=3, different=3), Rules(alike=3, different=6, flowers=12)]


@pytest.mark.parametrize("rules", LIMITS)
def test_the_predicate_is_the_one_that_tries_every_colour_for_every_black(rules):
    for hand in brute.all_hands(min(rules.flowers, 8)):
        assert bool(conditions(hand, rules)) == brute.failed(hand, rules.alike, rules.different), hand


@pytest.mark.parametrize("rules", LIMITS[:4])
@pytest.mark.parametrize("bag", [(4, 3, 2, 2, 1, 2), (0, 0, 3, 0, 0, 4)])
def test_ways_are_the_collections_counted_one_by_one(rules, bag):
    for hand in universe(rules).hands[:30:3]:
        ways = [0] * 9
        for drawn in brute.all_hands(min(8, rules.flowers - sum(hand))):
            total = 1
            for n, k in zip(bag, drawn, strict=True):
                total *= comb(n, k)
            after = tuple(a + b for a, b in zip(hand, drawn, strict=True))
            if not brute.failed(after, rules.alike, rules.different):
                ways[sum(drawn)] += total
        most = min(8, rules.flowers - sum(hand))
        for upto in (most, min(2, most)):
            assert safe_ways(bag, hand, rules, upto) == ways[: upto + 1], (hand, upto)


def golden_plans():
    text = (Path(__file__).parent / "golden" / "cherry-tree.json").read_text()
    for case in json.loads(text)["cases"]:
        given = case["input"]
        if (
            case["category"] == "plan"
            and not given["set_aside"]
            and sum(given["bag"].values()) > sum(given["plan"])
        ):
            plan = [n for n in given["plan"] if n]
            yield Flowers.of(given["bag"]).counts, plan, Fraction(case["expected"]["fail"]["frac"])


# The way a rule is broken: what it makes of the first four flowers of the full bag (2 + 2), and the model.
WRONG = {
    "with replacement": (0.2337, lambda bag, plan: brute.fail_chance(bag, plan, replace=True)),
    "bag refilled between draws": (0.2286, lambda bag, plan: brute.fail_chance(bag, plan, refill=True)),
    "black ignored": (0.1210, lambda bag, plan: brute.fail_chance((*bag[:5], 0), plan)),
    "black as sixth colour": (
        0.1010,
        lambda bag, plan: brute.fail_chance(bag, plan, brute.failed_black_is_sixth),
    ),
    "black as nothing": (0.1004, lambda bag, plan: brute.fail_chance(bag, plan, brute.failed_ignoring_black)),
}


def suite_accepts(model):
    """Whether a model of the odds passes the golden plans."""
    return all(model(bag, plan) == fail for bag, plan, fail in golden_plans())


def test_the_golden_plans_accept_the_model_and_the_code():
    assert suite_accepts(brute.fail_chance)
    assert suite_accepts(lambda bag, plan: odds(Flowers(*bag), plan).fail)


@pytest.mark.parametrize("way", WRONG)
def test_the_golden_plans_reject_every_broken_rule(way):
    value, model = WRONG[way]
    assert round(float(model(FULL, [2, 2])), 4) == value
    assert not suite_accepts(model)


def test_fifteen_blacks_with_three_players_is_noticed():
    wrong = Rules(players=3, counts=Flowers(15, 15, 15, 15, 15, 15))
    assert round(float(odds(plan=[4], rules=wrong).fail), 4) == 0.3823
    assert odds(plan=[4], rules=Rules.official(3)).fail == Fraction(68141, 316316)


class Failed(icepool.MultisetEvaluator):
    """Icepool's way: alike, different and blacks counted flower by flower."""

    def next_state(self, state, _order, outcome, count):
        most, different, blacks = state or (0, 0, 0)
        if outcome == 5:
            return most, different, count
        return max(most, count), different + (count > 0), blacks

    def final_outcome(self, final_state, *_):
        most, different, blacks = final_state or (0, 0, 0)
        return most + blacks >= 3 or different + blacks >= 5


def icepool_fail(bag, hand, n):
    """The failure chance of `n` more flowers, by icepool; the hand's flowers are added back by a mixture."""
    deck = icepool.Deck({c: k for c, k in enumerate(bag) if k})

    class WithHand(Failed):
        def next_state(self, state, order, outcome, count):
            return super().next_state(state, order, outcome, count + hand[outcome])

        def extra_outcomes(self, *_):
            return range(6)

    return Fraction(WithHand().evaluate(deck.deal(n)).probability(True))


def test_two_hundred_random_bags_and_hands_equal_icepool():
    rng = random.Random(20)
    hands = [hand for hand in universe(Rules()).hands if sum(hand) < 8]
    for _ in range(200):
        hand = rng.choice(hands)
        bag = tuple(rng.randint(0, most - held) for most, held in zip(FULL, hand, strict=True))
        if not sum(bag):
            continue
        for n, row in enumerate(odds(Flowers(*bag), hand=Flowers(*hand)).rows, 1):
            if n <= 3 or rng.random() < 0.2:
                assert row == icepool_fail(bag, hand, n), (bag, hand, n)


class PlanFailed(icepool.MultisetEvaluator):
    """At which draw a plan fails, or -1: icepool deals all its draws at once."""

    def next_state(self, state, _order, outcome, counts):
        found, total = [], 0
        for (most, different, blacks), count in zip(state or [(0, 0, 0)] * len(counts), counts, strict=True):
            total += count
            black = outcome == 5
            found.append(
                (most, different, total) if black else (max(most, total), different + (total > 0), blacks)
            )
        return tuple(found)

    def final_outcome(self, final_state, *_):
        stages = enumerate(final_state or ())
        return next((i for i, (most, d, blacks) in stages if most + blacks >= 3 or d + blacks >= 5), -1)


@pytest.mark.parametrize(("plan", "times"), [([3, 2], 50), ([3, 3, 2], 100)])
def test_plain_python_is_far_quicker_than_icepool(plan, times):
    deck = dict(enumerate(FULL))

    def seconds(work, repeat):
        start = time.process_time()
        for _ in range(repeat):
            found = work()
        return (time.process_time() - start) / repeat, found

    ratios = []
    for _ in range(5):
        theirs, failed_at = seconds(lambda: PlanFailed().evaluate(icepool.Deck(deck).deal(plan)), 2)
        ours, found = seconds(lambda: odds(plan=plan), 40)
        ratios.append(theirs / ours)
        assert [stage.fail_at for stage in found.stages] == [
            failed_at.probability(i) for i in range(len(plan))
        ]
    assert sorted(ratios)[2] >= times, ratios


def test_hidden_tokens_look_alike_after_two_failures_and_are_not():
    pool = Belief.of(Flowers.parse("P4 Y2 L2 D1 W1 B1"), hidden=3)
    pink = pool.draw(Flowers.parse("PPP")).put_back(Flowers.parse("PP"))
    black = pool.draw(Flowers.parse("PPB")).put_back(Flowers.parse("PB"))
    rules = Rules.official(2)
    assert odds(pink, [3], rules=rules).fail == Fraction(13, 196)
    assert odds(black, [3], rules=rules).fail == Fraction(15, 196)


def test_hidden_tokens_change_no_chance_until_something_is_put_back():
    pool = Flowers.parse("P4 Y2 L2 D1 W1 B1")
    rules = Rules.official(2)
    for n in range(1, 9):
        assert odds(pool, [n], rules=rules).fail == odds(pool, [n], rules=Rules()).fail


def test_huge_bags_are_exact():
    many = 10**9
    rules = Rules(counts=Flowers(*[many] * 6))
    row = odds(rules=rules).rows[2]
    ways = comb(5, 3) * many**3 + 5 * comb(many, 2) * 4 * many + comb(5, 2) * many**2 * many
    assert row == 1 - Fraction(ways, comb(6 * many, 3))


def test_draws_shorten_with_the_bag():
    found = odds("P3 Y2", [2, 8 - 2, 0], rules=Rules())
    assert [stage.draw for stage in found.stages] == [2, 3]
    assert [stage.draw for stage in odds("P2", [2, 1]).stages] == [2]
    assert len(odds("P1 Y1", hand="PYL").rows) == 2


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"hand": "PPP"}, "already failed"),
        ({"rules": "mine.toml"}, "rules is 'mine.toml'; it is Rules; write Rules.official(3) or"),
        ({"plan": 5}, "a plan of 5; it is draws in a row; write [2, 2, 1]"),
        ({"hand": "PPYYLLDDW"}, "a turn allows 8"),
        ({"hand": "PYY", "draws_used": 0}, "they were drawn"),
        ({"hand": "PYY", "draws_used": 4}, "0 to 3"),
        ({"hand": "P", "draws_used": 2}, "2 draws used for 1 flower; a draw takes at least 1"),
        ({"hand": "", "draws_used": 1}, "1 draw used for 0 flowers; a draw takes at least 1"),
        ({"hand": "P", "draws_used": 10**5000}, "a number of very many digits draws used"),
        ({"plan": ["2"]}, "a draw of '2'; a draw is a whole number from 1 up"),
        ({"hand": "PYY", "plan": [6]}, "hand PYY + draw 6 is 9 flowers; a turn allows 8; draw at most 5"),
        ({"plan": [9]}, "a plan of 9 is 9 flowers; a turn allows 8; draw at most 8"),
        ({"plan": [1, 1, 1, 1]}, "a turn allows 3"),
        ({"plan": [-1]}, "whole number from 1 up"),
        ({"plan": [True]}, "whole number from 1 up"),
        ({"plan": []}, "draws nothing"),
        ({"plan": [0]}, "draws nothing"),
        ({"plan": [2, 0, 2]}, "in the middle"),
        ({"bag": "-", "plan": [1]}, "the bag is empty"),
        ({"bag": "-"}, "the bag is empty"),
        ({"bag": "P19"}, "19 pink in bag; this game has 18 (4 players)"),
        ({"bag": "P18", "hand": "PY"}, "19 pink in bag and hand"),
        ({"hand": "PYY", "draws_used": 3}, "cannot draw"),
    ],
)
def test_refusals_say_fact_limit_and_remedy(given, words):
    with pytest.raises(Refused) as refused:
        odds(given.pop("bag", None), **given)
    assert words in str(refused.value)
    assert str(refused.value).count(";") >= 2
    assert "\n" not in str(refused.value)


def test_the_bag_by_what_is_out_of_it():
    seen = odds(seen="P9 Y8 L7 D10 W6 B2", hand="PYY")
    assert seen.at.bag == Flowers.parse("P8 Y8 L11 D8 W12 B4")
    assert seen.rows == odds(seen.at.bag, hand="PYY").rows
    hidden = odds(seen="P9", plan=[2], hand="PY", set_aside=1)
    assert (hidden.at.belief.hidden, hidden.at.belief.size) == (1, 84)
    assert odds("P4 Y2 L2", rules=Rules.official(2), set_aside=0).at.belief.known


def test_a_bag_given_twice_is_refused():
    with pytest.raises(Refused, match="given twice"):
        position(Rules(), Flowers(), bag=Flowers(1), seen=Flowers(1))
