"""Compiled scoring against the readable one and the golden cases: fronts, places under every switch, split
wilds."""

import dataclasses
import itertools
import json
import random
from pathlib import Path

import numpy as np
import pytest

from cherrysim.behind import Groups, last_replies, mixtures
from cherrysim.flowers import Flowers
from cherrysim.front import front_points
from cherrysim.kernels import layout, scoring
from cherrysim.rules import SWITCHES, Rules
from cherrysim.scoring import score
from cherrysim.simulate.arrays import COLUMNS, rules_array

GOLDEN = json.loads((Path(__file__).parent / "golden" / "cherry-tree.json").read_text())["cases"]
KEY = np.uint64(5)


def table_of(fronts, behinds):
    table = np.zeros((layout.ROWS, layout.COLOURS), np.int64)
    for seat, (front, behind) in enumerate(zip(fronts, behinds, strict=True)):
        table[layout.FRONT + seat] = front
        table[layout.BEHIND + seat] = behind
    return table


def kernel_rows(fronts, behinds, rules, splits=None):
    """The kernel's result rows, with wilds to warm as given or as its own model plays them; whether it
    mixed."""
    table, array = table_of(fronts, behinds), rules_array(rules)
    groups = np.zeros((rules.players, scoring.GROUP_NUMBERS), np.int64)
    rows = np.zeros((rules.players, len(COLUMNS)), np.int32)
    mixed = scoring.split_wilds(table, array, KEY, groups)
    if splits is not None:
        groups[:, scoring.TO_WARM] = [warm for warm, _ in splits]
    scoring.score(table, array, groups, rows)
    return rows, mixed


def agree(fronts, behinds, rules, splits):
    rows, _ = kernel_rows(fronts, behinds, rules, splits)
    readable = score(list(map(Flowers.of, fronts)), list(map(Flowers.of, behinds)), rules, splits)
    for row, player in zip(rows.tolist(), readable.players, strict=True):
        mine = [row[c] for c in range(layout.SCORE, layout.COOL + 1)]
        points = [player.total, player.front_points, player.warm.points, player.cool.points]
        assert mine == [*points, player.warm.count, player.cool.count], (fronts, behinds, splits, rules)
        share = 1 / row[layout.SHARING] if row[layout.SHARING] else 0
        assert share == pytest.approx(float(player.share))


@pytest.mark.parametrize("case", [c for c in GOLDEN if c["category"] == "front"], ids=lambda case: case["id"])
def test_golden_fronts(case) -> None:
    front = Flowers.of(case["input"]["front"]).counts
    table = table_of([front], [(0,) * 6])
    assert scoring.front_points(table, layout.FRONT, rules_array(Rules())) == case["expected"]["score"]


@pytest.mark.parametrize(
    "case", [c for c in GOLDEN if c["category"] == "scoring"], ids=lambda case: case["id"]
)
def test_golden_scores(case) -> None:
    given = case["input"]
    fronts = [Flowers.of(front).counts for front in given["fronts"]]
    behinds = [Flowers.of(behind).counts for behind in given["behinds"]]
    official = Rules.official(len(fronts))
    for way in (case, *case.get("alternatives", {}).values()):
        rules = dataclasses.replace(official, **way.get("rules", {}))
        splits = None
        if given["allocations"]:
            splits = [
                (to[0] - b[0] - b[1], to[1] - b[2] - b[3]) if to else (0, 0)
                for b, to in zip(behinds, given["allocations"], strict=True)
            ]
        rows, _ = kernel_rows(fronts, behinds, rules, splits)
        expected = way["expected"]
        for column, name in ((layout.WARM, "warm_counts"), (layout.COOL, "cool_counts")):
            assert rows[:, column].tolist() == expected[name]
        for column, name in ((layout.FRONT_POINTS, "front"), (layout.SCORE, "total")):
            assert rows[:, column].tolist() == expected[name]
        assert np.flatnonzero(rows[:, layout.SHARING]).tolist() == expected["winners"]


def test_every_small_front_with_blacks() -> None:
    rules = dataclasses.replace(Rules(), front_table=(0, -3, 4, -1, 2), front_beyond_ten="linear")
    array = rules_array(rules)
    for own in itertools.product(range(4), repeat=3):
        for blacks in range(5):
            front = (*own, 0, 2, blacks)
            table = table_of([front], [(0,) * 6])
            expected = front_points(Flowers(*front), rules)
            assert scoring.front_points(table, layout.FRONT, array) == expected, front


def random_ending(rng, players, wilds=4):
    def row(colours, black):
        return (*(rng.randrange(colours) for _ in range(5)), rng.randrange(black))

    behinds = [[rng.choice((0, 0, 1, 2, 3)) for _ in range(6)] for _ in range(players)]
    for behind in behinds:
        behind[4], behind[5] = rng.randrange(wilds), rng.randrange(2)
    return [row(12, 3) for _ in range(players)], [tuple(behind) for behind in behinds]


def random_splits(rng, behinds, rules):
    return [rng.choice(Groups.of(Flowers(*behind)).splits(rules)) for behind in behinds]


def test_all_switches_on_random_endings() -> None:
    rng = random.Random(11)
    for values in itertools.product(*SWITCHES.values()):
        for players in (2, 3, 4):
            rules = dataclasses.replace(Rules.official(players), **dict(zip(SWITCHES, values, strict=True)))
            for _ in range(2):
                fronts, behinds = random_ending(rng, players)
                agree(fronts, behinds, rules, random_splits(rng, behinds, rules))


@pytest.mark.slow
def test_all_switches_on_many_random_endings() -> None:
    rng = random.Random(12)
    for values in itertools.product(*SWITCHES.values()):
        for players in (2, 3, 4):
            rules = dataclasses.replace(Rules.official(players), **dict(zip(SWITCHES, values, strict=True)))
            for _ in range(40):
                fronts, behinds = random_ending(rng, players)
                agree(fronts, behinds, rules, random_splits(rng, behinds, rules))


def check_model(behinds, rules):
    """The kernel's split model against the readable one, round by round; 1 if it is mixed."""
    table, array = table_of([(0,) * 6] * rules.players, behinds), rules_array(rules)
    groups = np.zeros((rules.players, scoring.GROUP_NUMBERS), np.int64)
    seats = tuple(Groups.of(Flowers(*b)) for b in behinds)
    expected = mixtures(seats, (None,) * rules.players, rules)
    scoring.open_groups(table, array, groups)
    rests = scoring.settles(groups, array)
    to_warm, to_cool = groups[:, scoring.TO_WARM], groups[:, scoring.WILDS] - groups[:, scoring.TO_WARM]
    splits = list(zip(to_warm.tolist(), to_cool.tolist(), strict=True))
    assert splits == list(last_replies(seats, rules))
    if rests:
        assert [[(split, 1)] for split in splits] == [list(seat) for seat in expected]
        return 0
    scoring.open_groups(table, array, groups)
    played = scoring.mix_splits(groups, array)
    for seat, mixture in enumerate(expected):
        rounds = int(played[seat, groups[seat, scoring.MOST]])
        assert rounds == 1 + scoring.ROUNDS
        for (warm, _), chance in mixture:
            before = played[seat, warm - 1] if warm > groups[seat, scoring.FEWEST] else 0
            assert (played[seat, warm] - before) == chance * rounds, (behinds, rules)
    return 1


def model_endings(seed, n):
    rng = random.Random(seed)
    mixed = 0
    for number in range(n):
        values = (
            [rng.choice(options) for options in SWITCHES.values()]
            if number % 2
            else [v[0] for v in SWITCHES.values()]
        )
        players = rng.choice((2, 3, 4, 4))
        rules = dataclasses.replace(Rules.official(players), **dict(zip(SWITCHES, values, strict=True)))
        behinds = [
            (
                rng.randrange(3),
                rng.randrange(2),
                rng.randrange(3),
                rng.randrange(2),
                rng.randrange(3),
                rng.randrange(2),
            )
            for _ in range(players)
        ]
        mixed += check_model(behinds, rules)
    return mixed


def test_split_model() -> None:
    assert model_endings(13, 500) >= 50


@pytest.mark.slow
def test_split_model_on_many_endings() -> None:
    assert model_endings(14, 3000) >= 300


def test_mixture_is_drawn_as_it_is_weighted() -> None:
    """One outcome a key: over 4,000 keys every seat's splits come up as often as its mixture says, within
    4.5 standard errors (family-wise below 1e-4)."""
    rng, rules = random.Random(2), Rules()
    while True:
        _, behinds = random_ending(rng, 4)
        expected = mixtures(tuple(Groups.of(Flowers(*b)) for b in behinds), (None,) * 4, rules)
        if max(map(len, expected)) > 1:
            break
    table, array = table_of([(0,) * 6] * 4, behinds), rules_array(rules)
    groups, n = np.zeros((4, scoring.GROUP_NUMBERS), np.int64), 4000
    drawn = np.zeros((n, 4), np.int64)
    for key in range(n):
        assert scoring.split_wilds(table, array, np.uint64(key), groups) == 1
        drawn[key] = groups[:, scoring.TO_WARM]
    for seat, mixture in enumerate(expected):
        for (warm, _), chance in mixture:
            p = float(chance)
            assert abs((drawn[:, seat] == warm).mean() - p) <= 4.5 * (p * (1 - p) / n) ** 0.5 + 1e-12


def test_a_wrong_place_table_is_noticed() -> None:
    """The negative control of the tests above."""
    rng, rules = random.Random(3), Rules()
    wrong = dataclasses.replace(rules, ties="pooled")
    differs = 0
    for _ in range(60):
        fronts, behinds = random_ending(rng, 4)
        splits = random_splits(rng, behinds, rules)
        a, _ = kernel_rows(fronts, behinds, rules, splits)
        b, _ = kernel_rows(fronts, behinds, wrong, splits)
        differs += (a != b).any()
    assert differs
