"""Policies against each other: line-ups, sums, the same bytes whoever plays, words, documents, the stopping
rule."""

import csv
import importlib.util
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import sqrt
from pathlib import Path
from typing import Any

import pytest
import tiny
from scipy.stats import t as student_t

from cherrysim.contest import compare
from cherrysim.contest.bags import Contest, play_bags
from cherrysim.contest.lineups import line_ups
from cherrysim.flowers import Flowers, Refused
from cherrysim.rules import Rules
from cherrysim.simulate import play

ROOT = Path(__file__).parent.parent
BOLD, TIMID = "plan:3+2", "cautious:0.2"


def test_line_ups_and_their_seatings() -> None:
    for players, games in ((2, 2), (3, 6), (4, 8)):
        pair = line_ups([BOLD, TIMID], Rules.official(players))
        assert len(pair.all_seatings) == len(set(pair.all_seatings)) == games
        for number, line_up in enumerate(pair.line_ups):
            assert all(sorted(seating) == sorted(line_up) for seating in pair.seatings(number))
    four = line_ups([BOLD, TIMID, "kept", "random"], Rules())
    assert (len(four.all_seatings), four.pairs[:3]) == (24, [(0, 1), (0, 2), (0, 3)])
    twice = line_ups([TIMID, BOLD, TIMID, BOLD], Rules())
    assert (len(twice.policies), len(twice.all_seatings)) == (2, 6)


@pytest.mark.parametrize(
    ("policies", "numbers", "message"),
    [
        (BOLD, {"games": 1}, r"policies is 'plan:3\+2'; a contest is between several"),
        ([BOLD], {"games": 1}, "1 policy; a contest of 4 players takes 2 or 4; name so many"),
        ([BOLD, TIMID, "kept"], {"games": 1}, "takes 2 or 4"),
        (["kept", "kept"], {"games": 1}, "kept against itself; a contest is between different policies"),
        ([BOLD, TIMID], {}, "neither games nor precision"),
        ([BOLD, TIMID], {"games": 1, "precision": 0.1}, "games and precision; a contest ends by one of them"),
        ([BOLD, TIMID], {"games": 0}, "games is 0"),
        ([BOLD, TIMID], {"precision": 1.5}, "precision 1.5; it is a share of victory from 0.0001 to 0.5"),
        ([BOLD, TIMID], {"precision": 10**5000}, "precision a number of very many digits; it is a share"),
        ([BOLD, TIMID], {"games": 1, "seed": -1}, "seed is -1"),
        ([BOLD, TIMID], {"games": 1, "seed": 10**5000}, "seed is a number of very many digits; it is a"),
        ([BOLD, TIMID], {"games": 1, "threads": 0}, "threads is 0"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    policies: list[str], numbers: dict[str, Any], message: str
) -> None:
    with pytest.raises(Refused, match=message):
        compare(policies, **numbers)


def rows_of(
    names: tuple[str, ...], rules: Rules, bags: int, seed: int, file: Path
) -> list[list[dict[str, int]]]:
    """Result rows by game, from the file that `play` writes."""
    play(names, bags, seed, rules, threads=1, out=file, force=True)
    with file.open() as text:
        rows = [{k: int(v) for k, v in row.items() if k != "policy"} for row in csv.DictReader(text)]
    return [rows[i : i + rules.players] for i in range(0, len(rows), rules.players)]


def naive(values: list[Fraction]) -> tuple[float, float]:
    """The mean and its standard error."""
    mean = sum(values) / len(values)
    return float(mean), sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1) / len(values))


@pytest.mark.parametrize(
    ("names", "players"),
    [((BOLD, TIMID), 3), ((BOLD, TIMID), 2), ((BOLD, TIMID, BOLD, "plan:2"), 4)],
)
def test_a_comparison_is_what_plain_sums_over_the_games_give(
    names: tuple[str, ...], players: int, tmp_path: Path
) -> None:
    """Every number from the rows of single games, bag by bag, in plain Python."""
    rules, bags = Rules.official(players), 40
    contest = Contest(rules, line_ups(names, rules), 5)
    games = {
        seating: rows_of(
            tuple(str(contest.line_ups.policies[p]) for p in seating), rules, bags, 5, tmp_path / "x.csv"
        )
        for seating in contest.line_ups.all_seatings
    }
    found = compare(names, games=bags * len(contest.line_ups.seatings(0)), seed=5, rules=rules)
    assert (found.bags, found.games) == (bags, bags * contest.games)

    def held(policy: int, bag: int, value: Callable[[dict[str, int], list[dict[str, int]]], Any]) -> Fraction:
        """What a policy's seats came to in a bag, on average."""
        values = [
            Fraction(value(game[bag][seat], game[bag]))
            for seating, game in games.items()
            for seat in range(players)
            if seating[seat] == policy
        ]
        return sum(values, Fraction(0)) / len(values)

    measures: dict[str, Callable[[dict[str, int], list[dict[str, int]]], Any]] = {
        "share": lambda row, game: Fraction(1, row["sharing"]) if row["sharing"] else 0,
        "outright": lambda row, game: row["sharing"] == 1,
        "shared": lambda row, game: row["sharing"] > 1,
        "score": lambda row, game: row["score"],
        "margin": lambda row, game: row["score"] - max(r["score"] for r in game if r["seat"] != row["seat"]),
    }
    for policy, result in enumerate(found.policies.values()):
        for name, value in measures.items():
            estimate = getattr(result, name)
            expected = naive([held(policy, bag, value) for bag in range(bags)])
            if expected[1]:  # bags that all give the same keep an error
                assert (estimate.value, estimate.standard_error) == pytest.approx(expected, rel=1e-12)
    for pair, (a, b) in zip(found.differences, contest.line_ups.pairs, strict=True):
        for name in ("share", "score", "margin"):
            values = [held(a, bag, measures[name]) - held(b, bag, measures[name]) for bag in range(bags)]
            estimate = getattr(pair, name)
            assert (estimate.value, estimate.standard_error) == pytest.approx(naive(values), rel=1e-12)
    for line_up, (number, policy, seat) in (
        (found.line_ups[n], (n, p, s))
        for n, p, s in product(range(len(found.line_ups)), range(len(found.policies)), range(players))
    ):
        seated = [seating for seating in contest.line_ups.seatings(number) if seating[seat] == policy]
        rows = [games[seating][bag][seat] for seating in seated for bag in range(bags)]
        result = line_up.by_seat[seat][str(contest.line_ups.policies[policy])]
        assert result.score.value == pytest.approx(sum(row["score"] for row in rows) / len(rows))
        failures = sum(row["failures"] for row in rows) / sum(row["turns"] for row in rows)
        assert result.failures.value == pytest.approx(failures)
    counted = {name: sum(counts.values()) for name, counts in found.scores.items()}
    assert sum(counted.values()) == found.games * players
    for name, counts in found.scores.items():
        mean = sum(score * n for score, n in counts.items()) / counted[name]
        assert mean == pytest.approx(found.policies[name].score.value)


def test_shares_of_the_seats_add_up_to_one() -> None:
    found = compare([BOLD, TIMID], games=4000)
    for line_up in found.line_ups:
        shares = [line_up.policies.count(name) * r.share.value for name, r in line_up.results.items()]
        assert sum(shares) == pytest.approx(1, abs=1e-12)
    for result in found.policies.values():
        assert (
            result.outright.value
            < result.share.value
            < result.outright.value + result.shared.value / 2 + 1e-12
        )


def test_ties_go_to_no_seat() -> None:
    """Where nothing gives points everybody shares every victory."""
    level = Rules(cards=(), counts=Flowers.parse("P4 Y4"), front_table=(0, 0), warm=(0, 0, 0), cool=(0, 0, 0))
    found = compare(["plan:1", "plan:2"], games=400, rules=level)
    for result in found.policies.values():
        assert (result.share.value, result.outright.value, result.shared.value) == (0.25, 0, 1)
    assert "too close to call" in str(found).splitlines()[0]


def test_threads_blocks_and_executors_change_no_byte() -> None:
    alone = compare([BOLD, TIMID], games=12_000, seed=3, threads=1)
    assert json.dumps(compare([BOLD, TIMID], games=12_000, seed=3, threads=3).to_json()) == json.dumps(
        alone.to_json()
    )
    with ThreadPoolExecutor(2) as executor:
        other = compare([BOLD, TIMID], games=12_000, seed=3, executor=executor, block=2)
    assert other == alone
    assert compare([BOLD, TIMID], games=12_000, seed=4).sha256 != alone.sha256


def test_the_first_bags_of_a_long_contest_are_a_short_one() -> None:
    rules = Rules.official(2)
    contest = Contest(rules, line_ups([BOLD, TIMID], rules), 9)
    long = play_bags(contest, 0, 3 * contest.chunk)
    short = play_bags(contest, 0, contest.chunk + 5)
    assert [chunk.bags for chunk in short] == [contest.chunk, 5]
    assert long[0].digest == short[0].digest
    assert (long[0].sums == short[0].sums).all()


def test_policies_that_do_the_same_differ_by_nothing() -> None:
    found = compare(["plan:8", "plan:8+1"], games=800)
    assert (found.differences[0].share.value, found.differences[0].score.value) == (0, 0)
    assert found.differences[0].share.standard_error > 0  # so few bags cannot show that it is 0
    assert str(found).startswith("plan:8 and plan:8+1: too close to call")


def test_intervals_of_few_bags_are_students() -> None:
    found = compare(["kept", "plan:3+2"], games=24)
    share = found.differences[0].share
    low, high = found.interval(share)
    assert share.n == 6
    assert (high - low) / 2 / share.standard_error == pytest.approx(student_t.isf(0.025, 5), rel=2e-3)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_precision_is_reached_at_the_first_look_that_shows_it(threads: int) -> None:
    found = compare([BOLD, "cautious:0.3"], precision=0.012, threads=threads)
    low, high = found.interval(found.differences[0].share)
    assert (high - low) / 2 <= 0.012
    assert (found.stopped, found.bags % Contest(Rules(), line_ups([BOLD, TIMID], Rules()), 0).chunk) == (
        "precision",
        0,
    )
    assert found.to_json()["differences"][0]["share"]["interval_kind"] == "always_valid"
    before = found.looks[-2].shares[0]
    low, high = found.interval(before)
    assert (high - low) / 2 > 0.012
    assert found.tuned == compare([BOLD, TIMID], precision=0.012, seed=8).tuned  # not from the data


def test_long_names_stand_above_their_numbers_where_80_columns_are_short() -> None:
    long = ["points:risk=0.123456789", "points:risk=0.987654321"]
    for names in (long, [*long, "kept", "random"]):
        lines = str(compare(names, games=72)).splitlines()
        assert max(map(len, lines)) < 80
        seats = lines[next(i for i, line in enumerate(lines) if line.startswith("share % by seat")) :]
        assert seats[1] == f"1 {long[0]}"
        assert seats[2].startswith("  ")
        assert seats[2].count("+-") == 4
    assert f"{long[0]} - {long[1]}" in lines
    assert any(line.startswith(f"{long[0]} - kept  ") for line in lines)


def test_progress_tells_games_and_the_part_done() -> None:
    told: list[tuple[int, float]] = []
    compare([BOLD, TIMID], games=12_000, progress=lambda games, part: told.append((games, part)))
    assert told[-1] == (24_000, 1.0)
    assert told == sorted(told)
    assert len(told) > 3


def test_exact_shares_of_a_tiny_game() -> None:
    """Half of the shares at both seats, from all orders of the bag, against many games."""
    first, second = tiny.shares(1, 2)
    found = compare(["plan:1", "plan:2"], games=400_000, rules=tiny.RULES, seed=2)
    for seat, exact in enumerate((first, second)):
        share = found.line_ups[0].by_seat[seat]["plan:1"].share
        assert abs(share.value - float(exact)) < 5 * share.standard_error  # one false alarm in a million
    mean = found.policies["plan:1"].share
    wrong = replace(mean, value=float(1 - (first + second) / 2))
    assert abs(mean.value - wrong.value) > 5 * mean.standard_error  # the other one's share is told apart


def test_the_document_is_the_documented_one() -> None:
    found = json.loads(json.dumps(compare([BOLD, TIMID], games=2000, seed=7).to_json()))
    assert {
        "players",
        "cards",
        "games",
        "seed",
        "stopped",
        "policies",
        "differences",
        "lineups",
        "sha256",
    } <= set(found)
    assert (found["games"], found["stopped"], found["seed"]) == (4000, "games", 7)
    policy, difference, line_up = found["policies"][0], found["differences"][0], found["lineups"][1]
    assert policy["name"] == BOLD
    assert set(policy["share"]) == {"mean", "standard_error", "interval", "interval_kind"}
    assert isinstance(policy["outright"], float)
    assert {"score", "margin", "failures", "shared", "standard_errors"} <= set(policy)
    assert (difference["a"], difference["b"]) == (BOLD, TIMID)
    assert {"share", "score", "margin"} <= set(difference)
    assert line_up["policies"] == [TIMID, BOLD, BOLD, BOLD]
    assert (set(line_up["share"]), line_up["games"]) == ({BOLD, TIMID}, 2000)
    assert [(entry["seat"], entry["policy"]) for entry in line_up["by_seat"][:2]] == [(0, BOLD), (0, TIMID)]


def test_a_table_for_pandas() -> None:
    frame = compare([BOLD, TIMID], games=400, rules=Rules.official(2)).frame()
    assert len(frame) == 6 * (2 + 2 + 4)
    whole = frame[frame.line_up.isna() & (frame.quantity == "share")]
    assert whole["mean"].sum() == pytest.approx(1)
    assert (frame.low <= frame["mean"]).all()


def test_who_always_slips_is_random_and_who_never_does_is_not() -> None:
    rules = Rules.official(3, "pink")
    played = {name: play(name, 60, 4, rules).sha256 for name in ("random", "points:slip=1", "points:slip=0")}
    assert played["random"] == played["points:slip=1"] != played["points:slip=0"]
    assert played["points:slip=0"] == play("points", 60, 4, rules).sha256
    with pytest.raises(Refused, match=r"slip=S from 0 to 1"):
        play("points:slip=1.5", 1)


def _pairing() -> Any:
    """The measurement of what pairing gains."""
    spec = importlib.util.spec_from_file_location("pairing", ROOT / "benchmarks" / "pairing.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_pairing_is_the_ratio_of_plain_errors() -> None:
    pairing = _pairing()
    games = pairing.differences(BOLD, "plan:3+2+1", 3, 200)["share"]
    _, error, gain = pairing.factor(games)
    found = compare([BOLD, "plan:3+2+1"], games=600, seed=7, rules=Rules.official(3))
    assert found.differences[0].share.standard_error == pytest.approx(error)
    separate = sqrt(sum(naive([Fraction(float(d)) for d in game])[1] ** 2 for game in games))
    assert gain == pytest.approx(separate / error)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pair", "least"), [(("kept", "points"), 0.95), (("points", "points:slip=0.01"), 2.0)]
)
def test_what_pairing_gains(pair: tuple[str, str], least: float) -> None:
    pairing = _pairing()
    gain = pairing.factor(pairing.differences(*pair, 4, 2048)["share"])[2]
    print(f"{pair}: {gain:.2f}")
    assert gain >= least
