"""Scores: golden cases with their alternatives, brute force for blacks, a second model of the splits."""

import dataclasses
import itertools
import json
import random
from fractions import Fraction
from pathlib import Path

import pytest

from cherrysim.behind import MOST_WILDS, ROUNDS, SWEEPS, Groups, allocations, mixtures, place_and_points
from cherrysim.flowers import Flowers, Refused
from cherrysim.front import colour_points, front_counts, front_points
from cherrysim.rules import Rules
from cherrysim.scoring import score

CASES = json.loads((Path(__file__).parent / "golden" / "cherry-tree.json").read_text())["cases"]


def golden(category):
    """Each case of a category and each of its alternatives: input, rules, what is expected."""
    found = []
    for case in CASES:
        if case["category"] == category:
            found.append(pytest.param(case["input"], {}, case["expected"], id=case["id"]))
            for name, other in case.get("alternatives", {}).items():
                expected = other.get("expected", other)
                found.append(pytest.param(case["input"], other["rules"], expected, id=f"{case['id']}-{name}"))
    assert found
    return pytest.mark.parametrize(("given", "changed", "expected"), found)


@golden("scoring")
def test_golden_scores(given, changed, expected):
    fronts, behinds = map(Flowers.of, given["fronts"]), map(Flowers.of, given["behinds"])
    players = len(given["fronts"])
    rules = Rules.from_mapping(changed, players)
    behinds = list(behinds)
    splits = [None] * players
    for seat, shown in enumerate(given["allocations"] or []):
        if shown:
            own = Groups.of(behinds[seat])
            splits[seat] = (shown[0] - own.warm, shown[1] - own.cool)
    found = score(list(fronts), behinds, rules, splits)
    assert found.split_model == "given"
    document = found.to_json()
    rows = document["players"]
    assert [row["warm"]["count"] for row in rows] == expected["warm_counts"]
    assert [row["cool"]["count"] for row in rows] == expected["cool_counts"]
    assert [row["front_points"] for row in rows] == expected["front"]
    assert [row["warm"]["points"] for row in rows] == expected["warm"]
    assert [row["cool"]["points"] for row in rows] == expected["cool"]
    assert [row["total"] for row in rows] == expected["total"]
    assert document["winners"] == expected["winners"]
    assert all(row["front_points"] == sum(line["points"] for line in row["front"].values()) for row in rows)


@golden("front")
def test_golden_fronts(given, changed, expected):
    rules = Rules.from_mapping(changed)
    front = Flowers.of(given["front"])
    assert front_points(front, rules) == expected["score"]
    assert max(tuple(best.values()) for best in expected["best_assignments"]) == front_counts(front, rules)


@golden("allocations")
def test_golden_allocations(given, changed, expected):
    found = allocations(Flowers.of(given["behind"]), Rules.from_mapping(changed))
    assert sorted(found) == sorted(map(tuple, expected["warm_cool"]))


def best_by_trying(front, rules):
    """Every way to colour the blacks; the best points, of equals the most blacks to the first colours."""
    ways = (k for k in itertools.product(range(front.black + 1), repeat=5) if sum(k) == front.black)
    counts = [(tuple(n + k for n, k in zip(front.counts, way, strict=False)), way) for way in ways]
    return max((sum(colour_points(n, rules) for n in count), way, count) for count, way in counts)[::2]


def some_rules(rng):
    table = tuple(rng.randint(-4, 9) for _ in range(rng.randint(1, 4)))
    beyond = rng.choice(["flat", "linear"])
    return rng.choice([Rules(), Rules(front_table=table, front_beyond_ten=beyond)])


def test_blacks_in_front_against_trying_every_way():
    rng = random.Random(25)
    for _ in range(400):
        rules = some_rules(rng)
        front = Flowers(*(rng.choice([0, 0, 1, 2, 3, 4, 9, 11]) for _ in range(5)), rng.randint(0, 6))
        points, counts = best_by_trying(front, rules)
        assert (front_points(front, rules), front_counts(front, rules)) == (points, counts), (front, rules)


def test_greedy_blacks_would_be_wrong():
    """One black after the other, each where it helps most, gives P9 Y8 and misses P7 Y10."""
    rules, counts = Rules(), [7, 8]
    for _ in range(2):
        gains = [colour_points(n + 1, rules) - colour_points(n, rules) for n in counts]
        counts[gains.index(max(gains))] += 1
    greedy = sum(colour_points(n, rules) for n in counts)
    assert (greedy, front_points(Flowers(7, 8, 0, 0, 0, 2), rules)) == (34, 35)


def test_very_many_blacks_are_exact_and_quick():
    rng = random.Random(7)
    for _ in range(12):
        table = tuple(rng.randint(-3, 5) for _ in range(rng.randint(1, 3)))
        rules = Rules(front_table=table, front_beyond_ten=rng.choice(["flat", "linear"]))
        own = [rng.randint(0, 3) for _ in range(5)]
        few, step = Flowers(*own, 10), 5 if rules.front_beyond_ten == "linear" else 0
        many = Flowers(*own, 10 + 10**9)
        assert front_points(few, rules) == best_by_trying(few, rules)[0]
        assert front_points(many, rules) == front_points(few, rules) + step * 10**9
        assert sum(front_counts(many, rules)) == many.total


def test_beyond_ten():
    linear = Rules(front_beyond_ten="linear")
    assert [colour_points(n, Rules()) for n in (10, 11, 18)] == [24, 24, 24]
    assert [colour_points(n, linear) for n in (10, 11, 18)] == [24, 29, 64]


def places_by_sorting(counts, points, ties):
    """Points of a group for three or four players, by laying the seats out in order of their counts."""
    order = sorted(set(counts), reverse=True)
    points = [*points, 0, 0, 0, 0]
    given, place = {}, 0
    for rank, count in enumerate(order):
        k = counts.count(count)
        first = rank if ties == "dense" else place
        if ties == "pooled":
            given[count] = sum(points[first : first + k]) // k
        else:
            given[count] = points[first] if k == 1 else (points[first] + points[first + 1]) // k
        place += k
    return [given[count] for count in counts]


@pytest.mark.parametrize("ties", ["places", "pooled", "dense"])
@pytest.mark.parametrize("empty", ["counts", "nothing"])
def test_every_tie_of_three_and_four_players(ties, empty):
    for players in (3, 4):
        rules = dataclasses.replace(Rules.official(players), ties=ties, empty_group=empty)
        for counts in itertools.product(range(4), repeat=players):
            for points in (rules.warm, rules.cool, (7, -3, 2)):
                found = [
                    place_and_points(own, counts[:seat] + counts[seat + 1 :], points, rules)[1]
                    for seat, own in enumerate(counts)
                ]
                expected = places_by_sorting(counts, points, ties)
                if empty == "nothing":
                    expected = [n if own else 0 for n, own in zip(expected, counts, strict=True)]
                assert found == expected, (counts, points)


@pytest.mark.parametrize(
    ("switch", "tied"), [("split", (5, 6)), ("both", (10, 12)), ("none", (0, 0)), ("normal", (14, 14))]
)
def test_two_players(switch, tied):
    rules = dataclasses.replace(Rules.official(2), two_player_tie=switch)
    assert place_and_points(3, (2,), rules.warm, rules) == (1, 10)
    assert place_and_points(2, (3,), rules.warm, rules) == (2, 0)
    assert place_and_points(3, (2,), rules.cool, rules) == (1, 12)
    assert tuple(place_and_points(3, (3,), points, rules)[1] for points in (rules.warm, rules.cool)) == tied
    bare = dataclasses.replace(rules, empty_group="nothing")
    assert place_and_points(0, (0,), rules.warm, bare)[1] == 0


def test_points_of_a_group_add_up_as_the_ties_say():
    rules = dataclasses.replace(Rules(), ties="pooled")
    for counts in itertools.product(range(5), repeat=4):
        points = [
            place_and_points(n, counts[:i] + counts[i + 1 :], rules.warm, rules)[1]
            for i, n in enumerate(counts)
        ]
        assert sum(rules.warm) - 3 <= sum(points) <= sum(rules.warm)


def own_points(seat, seats, splits, rules):
    warm = [own.warm + to for own, (to, _) in zip(seats, splits, strict=True)]
    cool = [own.cool + to for own, (_, to) in zip(seats, splits, strict=True)]
    return sum(
        place_and_points(counts.pop(seat), counts, points, rules)[1]
        for counts, points in ((warm, rules.warm), (cool, rules.cool))
    )


def expected_points(seat, split, seats, played, rules):
    total = Fraction(0)
    others = [list(p.items()) if other != seat else [(split, Fraction(1))] for other, p in enumerate(played)]
    for joint in itertools.product(*others):
        chance = Fraction(1)
        for _, p in joint:
            chance *= p
        total += chance * own_points(seat, seats, [s for s, _ in joint], rules)
    return total


def second_model(seats, rules):
    """The splits of the wilds once more, word by word after ruling R26, in Fractions."""
    ways = []
    for own in seats:
        splits = [(k, own.wilds - k) for k in range(own.wilds, -1, -1)]
        if own.warm or own.cool or rules.orphan_wilds == "void":
            splits = [s for s in splits if (own.warm or not s[0]) and (own.cool or not s[1])]
        ways.append(splits or [(0, 0)])
    start = []
    for own, splits in zip(seats, ways, strict=True):
        even = (own.wilds - own.wilds // 2, own.wilds // 2)
        start.append(even if even in splits else splits[0])
    now = list(start)
    for _ in range(8):
        changed = False
        for seat, splits in enumerate(ways):
            value = {s: own_points(seat, seats, [*now[:seat], s, *now[seat + 1 :]], rules) for s in splits}
            if value[now[seat]] < max(value.values()):
                now[seat] = max(splits, key=lambda s: (value[s], s[0]))
                changed = True
        if not changed:
            return [{split: Fraction(1)} for split in now]
    plays = [[split] for split in start]
    for _ in range(64):
        played = [{s: Fraction(p.count(s), len(p)) for s in p} for p in plays]
        answers = []
        for seat, splits in enumerate(ways):
            value = {s: expected_points(seat, s, seats, played, rules) for s in splits}
            answers.append(max(splits, key=lambda s: (value[s], s[0])))
        for p, answer in zip(plays, answers, strict=True):
            p.append(answer)
    return [{s: Fraction(p.count(s), len(p)) for s in set(p)} for p in plays]


def test_the_splits_of_ruling_r26_against_a_second_model():
    assert (SWEEPS, ROUNDS) == (8, 64)
    rng = random.Random(26)
    mixed = 0
    for trial in range(120):
        players = rng.choice([2, 3, 3, 4])
        rules = dataclasses.replace(
            Rules.official(players),
            ties=rng.choice(["places", "pooled", "dense"]),
            orphan_wilds=rng.choice(["void", "free"]),
            empty_group=rng.choice(["counts", "nothing"]),
        )
        most = 2 if players == 4 else 3
        seats = tuple(
            Groups(rng.randint(0, 3), rng.randint(0, 3), rng.randint(0, most)) for _ in range(players)
        )
        found = [dict(seat) for seat in mixtures(seats, (None,) * players, rules)]
        assert found == second_model(seats, rules), (trial, seats, rules)
        mixed += any(len(seat) > 1 for seat in found)
    assert mixed >= 10


MIXED = (
    [Flowers()] * 4,
    [Flowers.parse(text) for text in ("P1 L2 W5", "P4 L1 W5", "P5 L6 W2 B2", "P3 L4 W2")],
)


def test_a_mixed_ending_is_scored_in_expectation():
    found = score(*MIXED, Rules())
    assert found.split_model == "equilibrium"
    assert all(sum(p for _, p in player.splits) == 1 for player in found.players)
    assert any(len(player.splits) > 1 for player in found.players)
    assert sum(player.share for player in found.players) == 1
    document = found.to_json()
    shares, totals = [Fraction(0)] * 4, [Fraction(0)] * 4
    for joint in itertools.product(*(player.splits for player in found.players)):
        chance = joint[0][1] * joint[1][1] * joint[2][1] * joint[3][1]
        one = score(*MIXED, Rules(), [split for split, _ in joint])
        assert one.split_model == "given"
        for seat in range(4):
            totals[seat] += chance * one.players[seat].total
            shares[seat] += chance * one.players[seat].share
    assert [player.total for player in found.players] == totals
    assert [player.share for player in found.players] == shares
    assert [row["share"] for row in document["players"]] == [float(share) for share in shares]
    assert document["winners"] == [seat for seat in range(4) if shares[seat] == max(shares)]
    json.dumps(document, allow_nan=False)


def test_a_seat_that_gives_its_split_is_believed_and_the_others_follow_the_model():
    found = score(*MIXED, Rules(), [(5, 0), None, None, None])
    assert found.split_model == "equilibrium"
    assert found.players[0].splits == (((5, 0), Fraction(1)),)


def test_json_has_the_documented_keys():
    rules = Rules.official(2)
    fronts, behinds = [Flowers.parse("P3 Y2 B1"), Flowers()], [Flowers.parse("L2 W1"), Flowers.parse("Y1")]
    given = score(fronts, behinds, rules, [(0, 1), (0, 0)]).to_json()
    assert list(given) == ["players", "winners", "split_model", "not_displayed"]
    assert given["players"][0] == {
        "seat": 0,
        "front": {
            "pink": {"count": 4, "points": 3},
            "yellow": {"count": 2, "points": -1},
            "light_blue": {"count": 0, "points": 0},
            "dark_blue": {"count": 0, "points": 0},
            "white": {"count": 0, "points": 0},
        },
        "front_points": 2,
        "warm": {"count": 0, "points": 0, "place": 2},
        "cool": {"count": 3, "points": 12, "place": 1},
        "total": 14,
    }
    model = score(fronts, behinds, rules).to_json()
    assert model["split_model"] == "equilibrium"
    assert model["players"][0]["splits"] == [{"warm": 0, "cool": 1, "probability": 1}]
    assert [row["share"] for row in model["players"]] == [1, 0]


@pytest.mark.parametrize(
    ("splits", "reason"),
    [
        ([(1, 1), None], "Seat 0 splits the wilds 1 warm 1 cool; all 3 are placed"),
        ([(4, -1), None], "Seat 0 splits the wilds 4 warm -1 cool"),
        ([(3, 0)], "1 splits for 2 players"),
        ([None, (1, 0)], "Seat 1 splits the wilds 1 warm 0 cool; all 0 are placed"),
    ],
)
def test_impossible_splits_are_refused(splits, reason):
    with pytest.raises(Refused, match=reason):
        score([Flowers()] * 2, [Flowers.parse("P1 L1 W3"), Flowers.parse("Y1")], Rules.official(2), splits)


def test_wilds_without_a_group_count_nowhere_unless_the_table_plays_otherwise():
    behinds = [Flowers.parse("W2 B1"), Flowers.parse("Y1")]
    void, free = (dataclasses.replace(Rules.official(2), orphan_wilds=kind) for kind in ("void", "free"))
    assert [int(player.total) for player in score([Flowers()] * 2, behinds, void).players] == [6, 16]
    assert [int(player.total) for player in score([Flowers()] * 2, behinds, free).players] == [22, 0]
    with pytest.raises(Refused):
        score([Flowers()] * 2, behinds, void, [(3, 0), (0, 0)])


def test_more_wilds_than_the_model_takes_need_a_given_split():
    behinds = [Flowers(1, 0, 1, 0, MOST_WILDS + 1, 0), Flowers()]
    with pytest.raises(Refused, match="give splits"):
        score([Flowers()] * 2, behinds, Rules.official(2))
    assert score([Flowers()] * 2, behinds, Rules.official(2), [(0, MOST_WILDS + 1), (0, 0)]).winners == (0,)


def test_seats_must_match_the_players():
    with pytest.raises(Refused, match="2 fronts and 2 behinds for 4 players"):
        score([Flowers()] * 2, [Flowers()] * 2, Rules())


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_sheet_fits_a_terminal_and_names_what_matters(players):
    rules = dataclasses.replace(Rules.official(players), ties="dense")
    fronts = [Flowers.parse("P3 L1 B2")] * players
    behinds = [Flowers.parse("P2 L2 W2 B1")] * players
    names = ["Ann", "a name that is much too long for its column", "花子さん花子さん花子さん", "Zoë"][
        :players
    ]
    sheet = str(score(fronts, behinds, rules, names=names, not_displayed=1))
    lines = sheet.split("\n")
    assert max(map(len, lines)) <= 80
    for part in (
        "light blue",
        "warm",
        "cool",
        "total",
        "Ann",
        "ties=dense",
        "1 flower not displayed",
        "Wilds behind",
    ):
        assert part in sheet


def test_the_sheet_says_who_wins():
    fronts, behinds = [Flowers.parse("P4 Y2"), Flowers()], [Flowers.parse("L2"), Flowers.parse("Y1")]
    sheet = str(score(fronts, behinds, Rules.official(2), names=["Ann", "Ben"]))
    assert sheet.startswith("Ann wins: Ann 14, Ben 10\n\n  ")
    assert "pink               4      3         0      0" in sheet
    tied = str(score([Flowers()] * 2, [Flowers()] * 2, Rules.official(2), names=["Ann", "Ben"]))
    assert tied.startswith("Ann and Ben share the victory: Ann ")
    soon = str(score(fronts, behinds, Rules.official(2), names=["Ann", "Ben"], not_displayed=3))
    assert soon.startswith("If the game ended now Ann would win: Ann ")
    assert [player.share for player in score([Flowers()] * 4, [Flowers()] * 4, Rules()).players] == [
        Fraction(1, 4)
    ] * 4
    assert "share" not in str(score(*MIXED, Rules(), [(5, 0), (0, 5), (2, 2), (2, 0)]))
