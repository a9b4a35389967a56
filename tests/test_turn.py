"""The exact turn solver against a flower-by-flower recursion and its own forward pass."""

from fractions import Fraction

import brute
import pytest

from cherrysim.advice import ask
from cherrysim.belief import Belief
from cherrysim.chances import position
from cherrysim.flowers import Flowers, Refused
from cherrysim.hands import colours_in, keeps, universe
from cherrysim.rules import Rules
from cherrysim.sampled import odds
from cherrysim.turn import Valuation, solve, tied

FULL = "P18 Y18 L18 D18 W18 B6"
BAGS = {
    "tiny": "P2 Y1 L1 D1 W1 B1",
    "late": "P3 Y1 W2 B1",
    "mid": "P7 Y4 L9 D3 W6 B2",
    "no blacks": "P6 Y6 L6 D6 W6",
    "only blacks": "B4",
    "one colour": "P6",
}


def solved(bag, rules=None, hand="", valuation=None, draws_used=None):
    rules = rules or Rules()
    at = position(rules, Flowers.of(hand), draws_used, bag=Flowers.of(bag))
    return solve(at, valuation or Valuation.kept(rules))


def reachable(turn, left):
    for hand in universe(turn.at.rules).hands:
        try:
            yield hand, turn.options(hand, left)
        except Refused:
            continue


def kept_after_failing(hand):
    return max(sum(pair) for pair in keeps(colours_in(hand)))


def assert_equal_on_all_hands(turn, model, close=None):
    seen = 0
    for left in range(turn.at.draws_left + 1):
        for hand, options in reachable(turn, left):
            if not model._next(hand):  # the bag cannot give this hand, or is empty after it
                continue
            for option in options:
                want = model.option(hand, left, option.draw) if option.draw else model.keep(hand)
                assert option.value == (want if close is None else pytest.approx(float(want), abs=close)), (
                    hand,
                    left,
                )
            seen += 1
    assert seen > 5


@pytest.mark.parametrize("name", BAGS)
def test_every_hand_equals_the_recursion(name):
    turn = solved(BAGS[name])
    model = brute.Turn({Flowers.of(BAGS[name]).counts: Fraction(1)}, (0,) * 6, sum, kept_after_failing)
    if name != "only blacks":
        assert_equal_on_all_hands(turn, model)
    assert [o.value for o in turn.options()] == [model.option((0,) * 6, 3, o.draw) for o in turn.options()]


def test_the_full_bag_equals_the_recursion_within_rounding():
    model = brute.Turn({Flowers.of(FULL).counts: 1.0}, (0,) * 6, sum, kept_after_failing, number=float)
    assert_equal_on_all_hands(solved(FULL), model, close=1e-11)


@pytest.mark.parametrize("events", [[], [("draw", (3, 0, 0, 0, 0, 0)), ("return", (2, 0, 0, 0, 0, 0))]])
def test_hidden_tokens_before_and_after_returns(events):
    pool, rules = Flowers.parse("P7 Y2 L2 D1 W1 B1"), Rules.official(2)
    belief = Belief.of(pool, 3)
    for kind, counts in events:
        belief = belief.draw(Flowers(*counts)) if kind == "draw" else belief.put_back(Flowers(*counts))
    bags = brute.history(brute.boxes(pool.counts, 3), events)
    turn = solve(position(rules, Flowers(), history=belief), Valuation.kept(rules))
    model = brute.Turn(bags, (0,) * 6, sum, kept_after_failing, number=float)
    assert_equal_on_all_hands(turn, model, close=1e-12)
    from_hand = solve(position(rules, Flowers.of("PY"), 1, history=belief), Valuation.kept(rules))
    assert from_hand.options() == turn.options((1, 1, 0, 0, 0, 0), 2)


VARIANTS = [
    Rules(alike=2, different=4, flowers=5),
    Rules(alike=4, different=6, draws=2, flowers=6),
    Rules(alike=3, different=3, draws=4, flowers=4),
]


@pytest.mark.parametrize("rules", VARIANTS)
def test_variants_equal_the_recursion(rules):
    bag = "P3 Y2 L2 D2 W1 B2"
    limits = (rules.alike, rules.different, rules.flowers)
    model = brute.Turn({Flowers.of(bag).counts: Fraction(1)}, (0,) * 6, sum, kept_after_failing, limits)
    turn = solved(bag, rules)
    assert turn.at.draws_left == rules.draws
    assert_equal_on_all_hands(turn, model)


def test_values_of_facts_for_the_first_turn():
    turn = solved(FULL)
    known = {2: "37795307/10187344", 5: "35582661/10187344", 8: "6258617639/2946689252"}
    for n, value in known.items():
        assert turn.options()[n - 1].value == Fraction(value)
    shown = [3.708704, 3.710026, 3.653420, 3.707848, 3.492830, 3.135574, 2.540734, 2.123949]
    assert [round(float(option.value), 6) for option in turn.options()] == shown
    by_draws = ["785529/221464", "18886563/5093672", "37795307/10187344"]
    assert [turn.best(draws_left=left).value for left in (1, 2, 3)] == [Fraction(value) for value in by_draws]
    assert turn.best().draw == 2


MORE = ["P1 Y1 L1 D1 W1 B1", "P9 Y1", "P15 Y15 L15 D15 W15 B5", "P2 Y3 L4 D5 W6 B6"]


@pytest.mark.parametrize("bag", [*BAGS.values(), *MORE])
def test_more_draws_never_lower_a_value(bag):
    turn = solved(bag)
    for left in range(1, 4):
        for hand, _ in reachable(turn, left):
            if sum(hand):
                assert turn.best(hand, left).value >= turn.best(hand, left - 1).value


@pytest.mark.parametrize("bag", ["P3 Y1 W2 B1", "P7 Y4 L9 D3 W6 B2"])
def test_outcomes_are_a_distribution_whose_products_are_the_values(bag):
    rules = Rules()
    valuation = Valuation.front(rules, Flowers.parse("P2 Y4"))
    turn = solved(bag, valuation=valuation)
    for option in turn.options():
        plan = turn.outcomes(first=option.draw)
        assert sum(plan.stops.values()) + plan.fail == 1
        assert plan.expect(valuation) == option.value
        assert plan.expect(Valuation.failure(rules)) == plan.fail
        assert plan.expect(Valuation.card(rules, "kenrokuen_kumagai")) == sum(
            p for hand, p in plan.stops.items() if sum(hand) >= 6
        )


@pytest.mark.parametrize(("bag", "hand"), [("P17 Y17 L18 D18 W18 B6", "PY"), ("P2 B4", "B"), ("B5", "B")])
def test_failure_alone_gives_the_odds(bag, hand):
    turn = solved(bag, hand=hand, valuation=Valuation.failure(Rules()), draws_used=1, rules=Rules(draws=2))
    draws = turn.options()[1:]
    assert [option.value for option in draws] == [option.fail for option in draws]
    assert [option.fail for option in draws] == list(odds(bag, hand=hand, draws_used=1).rows)


def test_ties_go_to_stop_and_then_to_the_smaller_draw():
    only_blacks = ask("B4", value="front")
    assert only_blacks.best.draw == 1
    assert [option.draw for option in only_blacks.tied] == [1, 2, 3, 4]
    level = ask("P1 Y1", hand="PY", value="front", front="P9 Y9 L9 D9 W9")
    assert level.best.draw in (0, 1)


def test_options_are_tied_within_one_part_in_a_million_million():
    near, far = Fraction(9, 10**13), Fraction(11, 10**13)
    assert tied(Fraction(0), near)
    assert not tied(Fraction(0), far)
    assert tied(Fraction(-(10**6)), 10**6 * near - 10**6)
    assert not tied(Fraction(10**6), 10**6 * far + 10**6)


def test_of_tied_options_the_smaller_draw_is_best_and_not_the_larger_value():
    rules = Rules(draws=1)
    two_are_worth = 1 + Fraction(1, 10**13)
    keep = tuple({1: 1, 2: two_are_worth}.get(sum(hand), 0) for hand in universe(rules).hands)
    turn = solved("P1 Y1 L1 D1", rules, valuation=Valuation(keep, (0,) * 32, ""))
    assert [option.value for option in turn.options()] == [1, two_are_worth, 0, 0]
    assert turn.best().draw == 1


def test_an_empty_bag_and_no_hand_leave_one_option():
    assert [(option.draw, option.value) for option in solved("-").options()] == [(0, 0)]


def test_hand_in_hand_and_nothing_left_to_draw():
    for rules in (Rules(), Rules.official(2)):
        assert [option.draw for option in ask("-", hand="PYY", rules=rules).options] == [0]
    stop = ask("-", hand="PYY")
    assert stop.best.draw == 0
    assert stop.advantage is None
    last = ask(hand="PYY", draws_used=3)
    assert [option.draw for option in last.options] == [0]
    assert last.to_json()["advantage"] is None
    assert ask().advantage is None


def test_floats_are_taken_at_their_exact_value():
    rules = Rules()
    tenth = Valuation(tuple(n / 10 for n in Valuation.kept(rules).keep), (0.1,) * 32, "tenths")
    best = solved("P3 Y1 W2 B1", valuation=tenth).best()
    assert float(best.value) == pytest.approx(0.1 * 3, abs=0.2)


def test_a_valuation_of_other_limits_is_refused():
    with pytest.raises(Refused, match="build it from the same rules"):
        solve(position(Rules(), Flowers()), Valuation.kept(Rules(alike=4)))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), None, "much", 1j])
def test_a_valuation_of_anything_but_finite_numbers_is_refused(value):
    kept = Valuation.kept(Rules())
    at = position(Rules(), Flowers())
    for broken in (
        Valuation((value, *kept.keep[1:]), kept.bust, ""),
        Valuation(kept.keep, (*kept.bust[:-1], value), ""),
    ):
        with pytest.raises(Refused, match="its values are finite numbers"):
            solve(at, broken)


def test_draws_that_are_no_options_are_refused():
    turn = solved("P3 Y1 W2 B1")
    for first in (0, 8, 9, -1, 1.5):
        with pytest.raises(Refused, match="allowed are"):
            turn.outcomes(first=first)
    for hand, n in [((0,) * 6, 0), ((0,) * 6, 8), ((0,) * 6, -1), ((2, 1, 0, 0, 0, 0), 5), ((3,) * 6, 1)]:
        with pytest.raises(Refused, match="cannot come of this turn"):
            turn.after_draw(hand, n)
    with pytest.raises(Refused, match="cannot come of this turn"):
        turn.outcomes((0, 0, 1, 0, 0, 0))


def test_a_hand_out_of_reach_is_refused():
    turn = solved("P7 Y7 L9 B1", hand="PY")
    for hand, left in [((0, 0, 1, 0, 0, 0), 1), ((3, 1, 0, 0, 0, 0), 1), ((1, 1, 0, 0, 0, 0), 3)]:
        with pytest.raises(Refused, match="cannot come of this turn"):
            turn.options(hand, left)


def test_a_hand_larger_than_the_bag_is_out_of_reach_though_the_pool_has_it():
    at = position(Rules.official(2), Flowers(), bag=Flowers.parse("P2 Y2 L1"), set_aside=3)
    turn = solve(at, Valuation.kept(Rules.official(2)))
    assert turn.options((1, 1, 0, 0, 0, 0), 1)
    with pytest.raises(Refused, match="cannot come of this turn"):
        turn.options((1, 1, 1, 0, 0, 0), 1)
