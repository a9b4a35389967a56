"""ask --table by games: layers and their errors, close calls, doubts, words, charts, batches, Ctrl-C."""

import dataclasses
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest
from test_cli import Answer
from test_cli_tables import PHASES, RECORD, late, written
from test_plots import illegible, words_of

from cherrysim import Refused, Rules, Table, ask, doubts, layers
from cherrysim.blocks import aside
from cherrysim.cli import main
from cherrysim.doubts import Against, Doubts, Miscounts, compared, miscounted
from cherrysim.flowers import Flowers
from cherrysim.instant import instant
from cherrysim.knowledge import failing
from cherrysim.layers import Playing, answered, played
from cherrysim.moves import Draw, Move, Stop
from cherrysim.plots import stop_or_draw_at_table
from cherrysim.policy import parse
from cherrysim.rollout import LEAST, ROUND, TURNS, Run, bias, games, rollout
from cherrysim.rollout.starts import question
from cherrysim.simulate.moments import drawn_moments
from cherrysim.stats import Estimate, Stated
from cherrysim.tableadvice import Choice, TableAdvice
from cherrysim.tablefile import table_of

ROOT = Path(__file__).parent.parent
FRONTS = ("P3 Y2 L4", "D3 W4 Y1 B1", "P2 L2 D2 W2", "Y4 D2")
MIDDLE = table_of(
    {
        "seats": [
            {"name": name, "front": front, "behind": behind}
            for name, front, behind in zip(
                ("Ann", "Ben", "Cy", "Di"), FRONTS, ("L2 W1", "P2", "Y3", "W2 P1"), strict=True
            )
        ],
        "hand": "PYY",
    }
)
ROUGH = 0.05
"""A precision that is reached with the fewest games."""


@pytest.fixture
def answer(capsys: pytest.CaptureFixture[str]) -> Answer:
    return Answer(capsys)


@pytest.fixture(scope="module")
def truncated() -> TableAdvice:
    found = ask(table=MIDDLE, precision=ROUGH, check=True, threads=1)
    assert isinstance(found, TableAdvice)
    return found


def table_file(folder: Path, table: Table = MIDDLE) -> str:
    return written(folder, table.to_json())


# Errors.


def test_every_number_of_an_answer_by_games_has_an_error(truncated: TableAdvice) -> None:
    document = truncated.to_json()
    assert document["method"] == "truncated"
    assert document["seed"] == 0
    assert document["games"] >= LEAST * 64
    assert [row["action"] for row in document["options"]] == ["stop", *["draw"] * 5]
    for row in document["options"]:
        assert (row["value"], row["standard_error"]) == (row["share"]["mean"], row["share"]["standard_error"])
        assert 0 < row["games"] <= document["games"]
        best = row | document["advice"] == row
        for name in ("share", "score", "margin", "difference"):
            number = row[name]
            low, high = number["interval"]
            assert number["interval_kind"] == "always_valid"
            if best and name == "difference":
                assert (number["mean"], number["standard_error"], low, high) == (0, 0, 0, 0)
            else:
                assert low < number["mean"] < high
                assert number["standard_error"] > 0
                assert high - low > 2 * 1.9 * number["standard_error"]
    assert [row["fail"] for row in document["options"]] == [float(chance) for chance in failing(MIDDLE)[:6]]
    assert sum(not any(row["difference"]["interval"]) for row in document["options"]) == 1


def test_what_truncated_games_are_off_by_is_part_of_their_errors(truncated: TableAdvice) -> None:
    off = bias.TRUNCATED_BIAS
    assert all(number > 0 for number in off)
    for choice in truncated.options:
        for number, least in ((choice.share, off.share), (choice.score, off.score)):
            assert number.standard_error > least
            assert number.reach > 1.95 * least
        if choice is not truncated.best:
            assert choice.difference.reach > 1.95 * off.share_difference
    found = rollout(MIDDLE, games=64, threads=1)
    numbers = Estimate(0.3, 0.01, 16)
    plain, wide = (bias.stated(found, numbers, size) for size in (0.0, 0.02))
    assert plain.interval == pytest.approx(found.interval(numbers))
    assert wide.reach == pytest.approx((plain.reach**2 + (1.959964 * 0.02) ** 2) ** 0.5)
    assert wide.standard_error == pytest.approx((0.01**2 + 0.02**2) ** 0.5)
    assert bias.bias_of(dataclasses.replace(found, method="rollout")) == bias.Bias()


def test_a_share_is_told_as_no_more_than_there_is() -> None:
    found = rollout(MIDDLE, games=64, threads=1)
    option = dataclasses.replace(found.options[0], share=Estimate(1.0004, 0.01, 16))
    told = bias.share(found, option)
    assert told.mean == told.interval[1] == 1.0
    assert 0.9 < told.interval[0] < 1


@pytest.mark.parametrize("mean", [-0.3, 1.3])
def test_a_share_whose_interval_lies_beyond_what_there_is_is_not_told_as_certain(mean: float) -> None:
    found = rollout(MIDDLE, games=64, threads=1)
    told = bias.share(found, dataclasses.replace(found.options[0], share=Estimate(mean, 0.01, 16)))
    assert told.mean == (mean > 0)
    assert told.interval[1] - told.interval[0] > 0.02


def test_only_exact_answers_are_without_error() -> None:
    table = table_of(late(inside="P2 L1"))
    exact = answered(table)
    assert exact.method == "exact"
    assert {number.standard_error for choice in exact.options for number in numbers(choice)} == {0}
    for method in ("truncated", "rollout"):
        found = played(table, "win", method, Playing(precision=ROUGH))
        assert "to the end" in found.found
        for choice in found.options:
            assert choice.share.standard_error > 0
            assert choice.share.interval[0] < choice.share.interval[1]
        for choice, true in zip(found.options, exact.options, strict=True):
            assert choice.move == true.move


def numbers(choice: Choice) -> tuple[Stated, ...]:
    return choice.share, choice.score, choice.margin, choice.difference


# A won game: nothing is left of Ann's lead to lose.
WON = {
    "rules": {"players": 3, "counts": "P10 Y10 L4 D4 W4", "set_aside": 0, "cards": []},
    "seats": [{"name": "Ann", "front": "P9 Y9"}, {}, {}],
    "hand": "P1",
    "draws_used": 1,
}


def test_equal_outcomes_keep_an_interval_and_no_worse_score_is_advised() -> None:
    found = played(table_of(WON), "win", "rollout", Playing(precision=0.02))
    assert {choice.share.mean for choice in found.options if choice.share.mean > 0.9999} == {
        choice.share.mean for choice in found.options
    }
    for choice in found.options:
        assert choice.share.standard_error > 0
        assert choice.share.interval[0] < choice.share.mean
    assert len(found.tied) == len(found.options)
    assert found.best.margin.mean == max(choice.margin.mean for choice in found.options)
    assert str(found).startswith("Every choice is too close to call, take the one you like")


def test_draws_that_can_only_fail_are_not_played() -> None:
    rules = Rules.official(3)
    table = table_of(
        {"seats": [{"front": str(rules.counts - Flowers(black=4))}, {}, {}], "hand": "BB", "draws_used": 1}
    )
    assert [choice.move for choice in played(table, playing=Playing(precision=ROUGH)).options] == [Stop()]


def test_a_run_at_its_most_games_was_watched_all_the_same() -> None:
    table = table_of(late(inside="P1 L1 W1"))
    watched = rollout(table, precision=1e-9, most=1024)
    assert (watched.stopped, watched.interval_kind) == ("limit", "always_valid")
    fixed = rollout(table, games=1024)
    assert (fixed.stopped, fixed.interval_kind) == ("games", "fixed")
    share = Estimate(0.3, 0.01, 16)
    wide, narrow = (found.interval(share)[1] - 0.3 for found in (watched, fixed))
    assert wide > 1.3 * narrow


# The same answer.


def test_seed_and_question_make_the_answer_whatever_the_threads(
    truncated: TableAdvice, answer: Answer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doubts, "MOST_FLOWERS", 1)
    two = ask(table=MIDDLE, precision=ROUGH, threads=2, seed=0)
    assert dataclasses.replace(two, doubts=truncated.doubts).to_json() == truncated.to_json()
    other = ask(table=MIDDLE, precision=ROUGH, threads=2, seed=5)
    assert other.seed == 5
    assert other.options != two.options
    table = table_of(late(inside="P1 Y1 L1 W1", hand="P"))
    asked = ["ask", "--table", table_file(tmp_path, table), "--method", "truncated", "--precision", "0.1"]
    one, two = (answer(*asked, "--threads", threads, "--json") for threads in "12")
    same = ask(table=table, method="truncated", precision=0.1, check=True)
    assert one == two == json.dumps(same.to_json()) + "\n"
    assert answer(*asked) == f"{same}\n"


def test_like_questions_of_the_command_line_and_python(answer: Answer, tmp_path: Path) -> None:
    table = table_of(late(inside="Y1 L1 W1", hand="PY"))
    asked = ["ask", "--table", table_file(tmp_path, table), "--method", "rollout", "--json"]
    found = answer(*asked, "--opponents", "points,kept", "--value", "score")
    same = ask(table=table, value="score", method="rollout", opponents=["points", "kept"], check=True)
    assert json.loads(found) == same.to_json()
    assert same.policies == ("learned", "points", "kept")
    assert same.unit == "points"
    best = max(choice.score.mean for choice in same.options)
    assert same.best.score.mean == best
    for choice in same.options:
        assert choice.difference.mean <= 0
    assert "Ann plays on as policy learned does, Zoe as points and =1+1 as kept" in sentences(same)


@pytest.mark.slow
def test_one_may_play_as_another_policy() -> None:
    found = ask(table=MIDDLE, precision=ROUGH, policy="kept", check=True)
    assert found.policies == ("kept", "learned", "learned", "learned")
    assert "Ann plays on as policy kept does, all others as learned." in sentences(found)
    assert len(found.doubts.against) == 3


def test_policies_sit_where_they_are_named() -> None:
    table = dataclasses.replace(MIDDLE, to_move=2)
    for opponents, seats in (
        (None, ["learned"] * 4),
        (["kept"], ["kept", "kept", "learned", "kept"]),
        (["kept", "points", "plan:3"], ["kept", "points", "learned", "plan:3"]),
    ):
        assert list(map(str, Playing(opponents=opponents).policies(table))) == seats


# The layers.


def test_the_default_is_exact_where_that_is_quick_else_truncated(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    def counted(table: Table, most: int) -> None:
        tried.append(most)
        raise Refused("too many; few are visited; ask later")

    monkeypatch.setattr("cherrysim.layers.solve_end", counted)
    monkeypatch.setattr("cherrysim.layers.played", lambda table, value, method, *_: method)
    assert answered(MIDDLE) == "truncated"
    assert tried == []
    eight = table_of(late(inside="P2 Y2 L1 D1 W1 B1"))
    assert answered(eight) == "truncated"
    assert tried == []
    assert answered(table_of(late(inside="P1 Y2 L1 W1", hand="P"))) == "truncated"
    assert tried == [layers.SOON_TABLES]
    assert answered(table_of(late(inside="P1 L1")), playing=Playing(opponents=["kept"])) == "truncated"
    assert tried == [layers.SOON_TABLES]
    with pytest.raises(Refused, match="too many; few are visited; ask later in the game, or by"):
        answered(eight, method="exact")
    assert tried[-1] == layers.MOST_TABLES > layers.SOON_TABLES


def test_an_answer_by_games_at_once_is_the_instant_one_in_order(truncated: TableAdvice) -> None:
    at_once = answered(MIDDLE, method="instant")
    assert [choice.move for choice in at_once.options] == [choice.move for choice in truncated.options]
    assert at_once.doubts is None
    assert at_once.to_json()["against"] is at_once.to_json()["miscounts"] is None
    assert "Instant: " in str(at_once)
    assert "Truncated: " in str(truncated)


def test_turns_of_one_flower_are_not_played_on() -> None:
    table = Table.start(Rules(flowers=1))
    with pytest.raises(Refused, match="turns of 1 flower; games are played on where turns have 2; ask for"):
        ask(table=table)
    assert ask(table=table, method="instant").best.move == Draw(1)


def test_by_other_rules_it_is_said_that_nobody_measured_how_far_off_truncated_games_are() -> None:
    other = Table.start(Rules(front_table=(0, 100)))
    for table, method, said in (
        (MIDDLE, "truncated", False),
        (other, "truncated", True),
        (other, "rollout", False),
        (Table.start(Rules(cards=())), "truncated", False),
    ):
        found = rollout(table, method, games=8, threads=1)
        assert ("may be far more than the errors say" in layers._how(found)) is said


@pytest.mark.parametrize("phase", PHASES)
def test_every_phase_is_played(phase: str) -> None:
    table = table_of(late(**PHASES[phase]))
    found = played(table, playing=Playing(precision=0.2))
    assert [choice.move for choice in found.options] == [option.move for option in instant(table)]
    assert sum(choice.difference.reach == 0 for choice in found.options) == 1
    assert max(map(len, str(found).splitlines())) < 80


def test_a_budget_ends_it_and_is_said(answer: Answer, tmp_path: Path) -> None:
    asked = ["ask", "--table", table_file(tmp_path), "--method", "rollout", "--budget", "0.001"]
    found = answer.json(*asked)
    assert found["stopped"] == "budget"
    assert found["games"] == 8 * 64
    assert found["against"] == [found["against"][0]]
    assert found["against"][0]["opponents"] == "learned"
    assert found["miscounts"] is None
    text = " ".join(answer(*asked).split())
    assert "The seconds were over; another run may end after more games or fewer." in text
    assert "Not checked against opponents who play as points or kept." in text
    assert "Not checked for a bag that was miscounted." in text


def test_refusals(answer: Answer, tmp_path: Path) -> None:
    file = table_file(tmp_path)
    for asked, said in (
        (["--opponents", "kept,kept"], "2 opponents named; this table has 3; name one for all, or 3"),
        (["--policy", "nobody"], "unknown policy 'nobody'; the policies are random, plan"),
        (["--precision", "0"], "precision 0.0; it is above 0, at most 1; write"),
        (["--precision", "1.5"], "precision 1.5; it is above 0, at most 1; write"),
        (["--precision", "1e-3"], "--precision: '1e-3' is no number; it is digits"),
        (["--budget", "0"], "budget 0.0; it is seconds above 0, at most 86400; write"),
        (["--method", "instant", "--budget", "2"], "method instant plays no games; budget is about games"),
        (["--method", "exact", "--policy", "kept"], "method exact plays no games; policy is about games"),
        (["--value", "kept", "--opponents", "kept"], "value kept is answered exactly; opponents is about"),
        (["--batch"], "--batch answers many tables; --table is for one; leave --table out"),
    ):
        assert answer.refused("ask", "--table", file, *asked).startswith(said)
        if "opponents" not in said:  # a table that is answered exactly, without games
            assert answer.refused("ask", "--table", RECORD, *asked).startswith(said)
    line = answer.refused("ask", "--hand", "PYY", "--precision", "0.1")
    assert line == "a bag alone is answered exactly; --precision is about games at a table; leave it out"
    assert answer.refused("ask", "--batch", "--hand", "P").startswith("--batch holds what --hand says")
    with pytest.raises(Refused, match="budget is about games; a bag alone is answered exactly"):
        ask(hand="PYY", budget=3)
    with pytest.raises(Refused, match="seed is -1; it is a whole number"):
        ask(table=MIDDLE, seed=-1)


# Doubts.


def test_miscounts_are_all_those_of_so_many_flowers() -> None:
    ones, twos = (list(doubts._changes(flowers)) for flowers in (1, 2))
    assert len(set(ones)) == len(ones) == 12
    assert len(set(twos)) == len(twos) == 72
    assert {sum(map(abs, change)) for change in ones} == {1}
    assert {sum(map(abs, change)) for change in twos} == {2}


def turned_by_one() -> tuple[Table, Move, Miscounts]:
    """A table whose instant answer is turned by one flower, that answer, and what turns it."""
    rules, kept = Rules.official(3), [parse("kept")] * 3
    for seed in (5, *range(300)):
        table = next(drawn_moments(rules, kept, seed, lambda table: table.bag_size > 20))
        *_, second, first = sorted(option.shares[table.to_move] for option in instant(table))
        if first - second < 2e-4:
            best = best_at_once(table)
            found = miscounted(table, [best])
            if found and found.flowers == 1:
                return table, best, found
    raise AssertionError


def test_the_smallest_miscounts_that_turn_the_advice_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    table, best, found = turned_by_one()
    assert 0 < len(found.turning) < 12
    turning = dict(found.turning)
    for change in doubts._changes(1):
        counts = [n + more for n, more in zip(table.rules.counts.counts, change, strict=True)]
        rules = dataclasses.replace(table.rules, counts=Flowers(*counts))
        other = dataclasses.replace(table, rules=rules, history=None)
        assert tuple(a - b for a, b in zip(other.unseen.counts, table.unseen.counts, strict=True)) == change
        assert turning.get(change, best) == best_at_once(other)
    monkeypatch.setattr(doubts, "MOST_FLOWERS", 1)
    assert miscounted(table, [best, *turning.values()]) == Miscounts(1, ())
    assert miscounted(table, [Draw(8)]) is None
    assert miscounted(table, [best], budget=0) is None


def best_at_once(table: Table) -> Move:
    seat = table.to_move
    return max(instant(table), key=lambda option: (option.shares[seat], option.margins[seat])).move


def test_many_moves_are_looked_at_for_one_flower_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of(late(inside="P2 L1"))
    best = best_at_once(table)
    count = len(instant(table))
    monkeypatch.setattr(doubts, "MOST_VALUED", 12 * count)
    found = miscounted(table, [best, *[option.move for option in instant(table)]])
    assert found is not None
    assert found.flowers == 1
    monkeypatch.setattr(doubts, "MOST_VALUED", 12 * count - 1)
    assert miscounted(table, [best]) is None


def test_a_miscount_is_none_that_cannot_be() -> None:
    table = table_of(late(inside="P1"))
    assert doubts._changed(table, (-1, 0, 0, 0, 0, 0), "win") is None
    assert doubts._changed(table, (0, -1, 0, 0, 0, 0), "win") is None
    assert doubts._changed(table, (0, 1, 0, 0, 0, 0), "win") is not None


def test_how_the_advice_stands_against_others(truncated: TableAdvice) -> None:
    found = rollout(MIDDLE, games=512, threads=1)
    (best,) = [option for option in found.options if option is found.best]
    assert compared(found, best.move, "kept", "win").same
    for error, close in ((0.001, False), (0.1, True)):
        behind = Estimate(-0.05, error, 16)
        options = [
            option if option is best else dataclasses.replace(option, difference=behind)
            for option in found.options
        ]
        other = compared(dataclasses.replace(found, options=tuple(options)), options[-1].move, "kept", "win")
        assert (other.same, other.close, other.best) == (False, close, best.move)
    names = [against.opponents for against in truncated.doubts.against]
    assert names == ["learned", "points", "kept"]
    assert truncated.doubts.against[0].same


# Words, of made-up numbers.


def told(mean: float, reach: float) -> Stated:
    return Stated(mean, reach / 3, (mean - reach, mean + reach), "always_valid")


def made_up(gaps: list[tuple[float, float]], value: str = "win", **changes: object) -> TableAdvice:
    """Stopping and draws with these differences and the halves of their intervals; the best has none."""
    options = tuple(
        Choice(
            Draw(n) if n else Stop(),
            told(0.5 + (gap if value == "win" else 0), 0.02),
            told(40 + (gap if value == "score" else 0), 1.0),
            told(-3.0, 1.5),
            told(gap, reach),
            Fraction(n, 8),
            2048,
        )
        for n, (gap, reach) in enumerate(gaps)
    )
    best = next(choice for choice in options if not choice.difference.reach)
    near = tuple(choice for choice in options if not choice.difference.below_zero)
    fields = {
        "method": "rollout", "found": "Rollout: 2,048 games with seed 0, played to the end.",
        "assumptions": (), "policies": ("learned",) * 4, "seed": 0, "games": 2048, "stopped": "precision",
    } | changes  # fmt: skip
    return TableAdvice(MIDDLE, value, options, best, near if len(near) > 1 else (), **fields)


def sentences(advice: TableAdvice) -> str:
    assert max(map(len, str(advice).splitlines())) < 80
    assert str(advice).isascii()
    return " ".join(str(advice).split())


def test_the_verdict_says_how_sure_it_is() -> None:
    text = sentences(made_up([(-0.031, 0.009), (-0.05, 0.02), (0, 0)]))
    assert text.startswith(
        "Draw 2 more It wins 3.1 +- 0.9 points of share more often than stopping, the next best"
    )
    assert "the next best (about 95 % sure): 1 game in 32. Ann then has 50.0 +- 2.0 % of the victory" in text
    assert (
        "40.0 +- 1.0 points in the end, 3.0 +- 1.5 fewer than the best rival. The draw fails 1 in 4" in text
    )
    assert "+- is half the 95 % interval, which stays right however often one looks." in text
    assert "Not checked: other opponents, a bag that was miscounted." in text
    points = sentences(made_up([(0, 0), (-1.25, 0.5)], "score"))
    assert points.startswith("Stop It makes 1.2 +- 0.5 points more than drawing 1 more, the next best")


def test_what_cannot_be_told_apart_is_named() -> None:
    two = sentences(made_up([(-0.031, 0.009), (-0.004, 0.009), (0, 0)]))
    assert two.startswith(
        "Draw 1 more or draw 2 more: too close to call, take the one you like So many games"
    )
    assert "cannot tell them apart: drawing 1 more is 0.4 +- 0.9 points of share behind." in two
    assert "Drawing 2 more gives Ann 50.0 +- 2.0 % of the victory" in two
    apart = sentences(made_up([(-0.045, 0.05), (-0.03, 0.01), (0, 0)]))  # the second is known better
    assert apart.startswith("Stop or draw 2 more: too close to call, take the one you like")
    assert "So many games cannot tell them apart: stopping is 4.5 +- 5.0 points of share behind." in apart
    every = sentences(made_up([(-0.003, 0.009), (0, 0)]))
    assert every.startswith("Every choice is too close to call, take the one you like")
    many = sentences(made_up([(-0.1, 0.01), *[(-0.001, 0.009)] * 5, (0, 0)]))
    assert many.startswith("Draw 6 more and 5 others: too close to call")
    alone = sentences(made_up([(0, 0)]))
    assert alone.startswith("Stop Stopping gives") or alone.startswith("Stop Ann then has")


def test_why_it_ended_is_said() -> None:
    for stopped, said in (
        ("interrupt", "Stopped by Ctrl-C: this is what was known by then."),
        ("budget", "The seconds were over"),
        ("limit", "More games are not played."),
    ):
        assert said in sentences(made_up([(0, 0), (-0.05, 0.01)], stopped=stopped))
    assert "Stopped" not in sentences(made_up([(0, 0), (-0.05, 0.01)]))


def test_doubts_in_words() -> None:
    apart = told(-0.02, 0.01)
    against = (
        Against("learned", Stop(), True, False, Stated.exact(0.0)),
        Against("points", Draw(1), False, True, told(-0.01, 0.02)),
        Against("kept", Draw(2), False, False, apart),
    )
    turning = (((1, 0, 0, 0, 0, 0), Draw(1)), ((0, 0, -1, 0, 0, 0), Draw(2)), ((0, 1, 0, 0, 0, 0), Draw(1)))
    text = sentences(made_up([(0, 0), (-0.05, 0.01)], doubts=Doubts(against, Miscounts(1, turning))))
    assert "The answer is the same against opponents who play as learned." in text
    assert "Against opponents who play as points it is too close to call." in text
    assert "Against opponents who play as kept rather draw 2 more, by 2.0 +- 1.0 points of share." in text
    assert (
        "A bag miscounted by one flower would turn it: with 1 pink more in it draw 1 more, with 1 light blue "
        "fewer in it draw 2 more and in 1 other way." in text
    )
    swapped = Miscounts(2, (((1, 0, 0, 0, -1, 0), Draw(1)),))
    text = sentences(made_up([(0, 0), (-0.05, 0.01)], doubts=Doubts(against[:1], swapped)))
    assert "Not checked against opponents who play as points or kept." in text
    assert "by two flowers would turn it: with 1 pink more and 1 white fewer in it draw 1 more." in text
    for flowers, said in ((1, "by one flower would not"), (2, "by one flower or two would not")):
        text = sentences(made_up([(0, 0), (-0.05, 0.01)], doubts=Doubts((), Miscounts(flowers, ()))))
        assert f"A bag miscounted {said} turn it." in text


# The chart.


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("value", ["win", "score"])
def test_the_chart_shows_the_numbers_and_their_intervals(value: str, dark: bool) -> None:
    scale = 1 if value == "score" else 100
    advice = made_up([(-0.031 * scale, 0.009 * scale), (-0.004 * scale, 0.009 * scale), (0, 0)], value)
    above, below = stop_or_draw_at_table(advice, dark=dark)
    for panel, shown in (
        (above, [advice.worth(choice) for choice in advice.options]),
        (below, [choice.difference for choice in advice.options]),
    ):
        unit = 1 if value == "score" else 100
        points = [line for line in panel.lines if line.get_marker() in ("o", "s")]
        assert [float(point.get_ydata()[0]) for point in points] == [unit * number.mean for number in shown]
        bars = [bar.lines[2][0].get_segments()[0] for bar in panel.containers]
        reaches = [unit * number.reach for number in shown if number.reach]
        assert [(top - low) / 2 for (_, low), (_, top) in bars] == pytest.approx(reaches)
    filled = [point.get_markersize() > 7 for point in below.lines if point.get_marker() in ("o", "s")]
    assert filled == [choice in advice.tied for choice in advice.options]
    assert illegible(above.figure) == ([], [])
    assert "Draw 1 or 2 more" in [word for word, _ in words_of(above.figure)]


def test_charts_of_every_layer(answer: Answer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    at_once = answered(MIDDLE, method="instant")
    above, _ = stop_or_draw_at_table(at_once)
    assert not above.containers
    assert any("error not known" in word for word, _ in words_of(above.figure))
    assert illegible(above.figure) == ([], [])
    with pytest.raises(Refused, match="1 axes; worth and differences take two; give two"):
        at_once.plot([above])
    chart = tmp_path / "chart.svg"
    assert main(["ask", "--table", RECORD, "--plot", str(chart)]) == 0
    assert capsys.readouterr().err == f"Chart: {chart}\n"
    assert "<dc:title>Draw 1 more: this draw cannot fail; exact</dc:title>" in chart.read_text()


# Batches.


BROKEN = {
    b"{": "not readable as JSON at line 1",
    b"": "not readable as JSON at line 1",
    b"\xff": "the line is not UTF-8",
    b"[1]": "the table is a list",
    b'{"seats": [{}]}': "players is 1",
    b'{"seats": [{}, {}], "hand": "P14"}': "14 pink",
    b'"' + b" " * (1 << 20) + b'"': "the line is longer than",
    b'{"rules": {"counts": "P9", "set_aside": 0}, "seats": [{"front": "P9"}, {}]}': "the game is over",
}


def piped(monkeypatch: pytest.MonkeyPatch, lines: list[bytes]) -> None:
    class Typed:
        buffer = io.BytesIO(b"\n".join(lines) + b"\n")

    monkeypatch.setattr(sys, "stdin", Typed)


def test_a_batch_answers_every_line_in_order(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tables = [table_of(late(inside=f"{colour}1 L1")) for colour in "PYW"]
    lines = [json.dumps(table.to_json()).encode() for table in tables]
    mixed = [line for pair in zip(BROKEN, (lines * 3)[: len(BROKEN)], strict=True) for line in pair]
    piped(monkeypatch, mixed)
    assert main(["ask", "--batch"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(found) == len(mixed)
    for wrong, (document, said) in enumerate(zip(found[::2], BROKEN.values(), strict=True)):
        assert set(document) == {"error"}, wrong
        assert document["error"].startswith(said)
        assert ";" in document["error"]
    expected = [answered(table, method="instant").to_json() for table in tables]
    assert found[1::2] == (expected * 3)[: len(BROKEN)]


def test_a_batch_takes_a_method_and_a_value(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = json.dumps(late(inside="P1 L1", hand="PY")).encode()
    for asked, method, value in (
        (["--method", "exact"], "exact", "win"),
        (["--value", "kept"], "exact", "kept"),
        (["--method", "rollout", "--precision", "0.1", "--seed", "3"], "rollout", "win"),
    ):
        piped(monkeypatch, [line])
        assert main(["ask", "--batch", *asked]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["method"], found["value"]) == (method, value)
    assert found["seed"] == 3
    assert found["against"] is None


@pytest.mark.slow
def test_a_batch_of_ten_thousand() -> None:
    tables = [
        json.dumps(table.to_json()).encode()
        for players in (2, 3, 4)
        for _, table in zip(
            range(30), drawn_moments(Rules.official(players), [parse("kept")] * players, 2), strict=False
        )
    ]
    lines = [b"{" if i % 100 == 7 else tables[i % len(tables)] for i in range(10_000)]
    done = subprocess.run(
        [sys.executable, "-m", "cherrysim", "ask", "--batch"],
        input=b"\n".join(lines),
        stdout=subprocess.PIPE,
        cwd=ROOT,
        check=True,
    )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == 10_000
    assert [i for i, document in enumerate(found) if "error" in document] == list(range(7, 10_000, 100))
    hands = [json.loads(line)["hand"] if line != b"{" else None for line in lines]
    for document, hand in zip(found, hands, strict=True):
        if hand is not None:
            assert document["hand"] == Flowers.parse(hand).to_json()


# Ctrl-C.


def pressing(times: int) -> Callable[..., object]:
    """A bar that presses Ctrl-C when it has been told of games so many times."""

    @contextmanager
    def bar(*_: object) -> Iterator[object]:
        left = [times]

        def told(done: int, part: float) -> None:
            assert 0 < part <= 1
            left[0] -= 1
            if not left[0]:
                signal.raise_signal(signal.SIGINT)

        yield told

    return bar


def test_ctrl_c_answers_with_what_is_known(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked = ["ask", "--table", table_file(tmp_path), "--precision", str(ROUGH), "--json"]
    monkeypatch.setattr("cherrysim.cli.progress.progress", pressing(1))
    assert main([*asked, "--method", "rollout", "--threads", "1"]) == 130
    found = json.loads(capsys.readouterr().out)
    assert (found["method"], found["stopped"], found["games"]) == ("rollout", "interrupt", 512)
    assert found["against"] is found["miscounts"] is None
    assert all(row["share"]["standard_error"] > 0 for row in found["options"])
    monkeypatch.setattr("cherrysim.cli.progress.progress", pressing(3))  # while others are met
    assert main(asked) == 130
    found = json.loads(capsys.readouterr().out)
    assert (found["method"], found["stopped"], len(found["options"])) == ("truncated", "interrupt", 6)
    assert [against["opponents"] for against in found["against"]] == ["learned"]


def test_ctrl_c_before_games_leaves_the_instant_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("cherrysim.rollout.rollout", interrupted)
    assert main(["ask", "--table", table_file(tmp_path)]) == 130
    out = capsys.readouterr().out
    assert out.startswith(str(answered(MIDDLE, method="instant"))[:100])
    assert "Stopped by Ctrl-C" in out


OVER = {"rules": {"counts": "P9", "set_aside": 0}, "seats": [{"front": "P9"}, {}]}


def test_ctrl_c_does_not_wait_for_a_thread() -> None:
    began = time.monotonic()
    threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        aside(lambda: time.sleep(5))
    assert time.monotonic() - began < 3
    with pytest.raises(Refused, match="over"):
        aside(partial(instant, table_of(OVER)))


def test_ctrl_c_is_heard_within_half_a_second(tmp_path: Path) -> None:
    rollout(MIDDLE, games=64)  # compiled and kept
    asked = ["ask", "--table", table_file(tmp_path), "--method", "rollout", "--precision", "0.0001", "--json"]
    for wait in (3, 6, 12, 20):  # a busy machine is given more time
        process = subprocess.Popen(
            [sys.executable, "-m", "cherrysim", *asked],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ROOT,
        )
        time.sleep(wait)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        pressed = time.monotonic()
        out, err = process.communicate(timeout=30)
        took = time.monotonic() - pressed
        assert (process.returncode, err) == (130, b"")
        if out and json.loads(out)["games"] and took < 0.5:
            assert json.loads(out)["stopped"] == "interrupt"
            return
    pytest.fail(f"ended after {took:.1f} s with {out[:80]!r}")


# Time.


@pytest.mark.slow
@pytest.mark.parametrize(("method", "seconds"), [("truncated", 1), ("rollout", 4)])
def test_six_options_in_the_middle_are_known_in_time(method: str, seconds: float) -> None:
    """To a standard error of 0.005 on the difference of the two best, on two cores."""
    turns = TURNS if method == "truncated" else None
    asked = question(MIDDLE, parse("learned"))
    assert len(asked.moves) == 6
    run = Run(games.Table(asked, games.Plan((parse("learned"),) * 4, turns), 1), None, None, None, 10**9)
    error, began = 1.0, time.process_time()
    while error > 0.005:
        run._round(ROUND, 1)
        if len(run.batches) >= LEAST:
            best = run._best()
            live = [i for i in run.contending() if i != best]
            second = max(live, key=lambda i: run.share(i).value)
            run._enough()
            run.live[second] = True
            error = run._difference(second, best).standard_error
    assert (time.process_time() - began) / 2 < seconds
