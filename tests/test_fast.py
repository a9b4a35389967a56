"""Policy `learned:fast`: its margins are the model of `learned`, its games are legal, it sees no more than it
may, treats like colours alike and plays well."""

import dataclasses
import random
from collections.abc import Sequence

import numpy as np
import pytest
from test_kernel_game import CARD_SETS, exchanged, random_table, replayed
from test_learn import table_of
from test_points import SET_UPS

from cherrysim import weights
from cherrysim.contest.bags import Contest
from cherrysim.contest.bags import kernel_arguments as kernel_arguments_of
from cherrysim.contest.lineups import line_ups
from cherrysim.flowers import Refused
from cherrysim.kernels import display, fastshow, fastturn, layout, learned
from cherrysim.kernels.game import play_games
from cherrysim.kernels.reference import code_of_hand
from cherrysim.policy import Learned, Policy, parse
from cherrysim.rules import Rules
from cherrysim.simulate import arrays
from cherrysim.strength.contests import alone

FAST = Learned(fast=True)
HANDS = ((1, 0, 0, 0, 0, 0), (0, 1, 0, 0, 1, 0), (2, 0, 1, 0, 1, 0), (1, 1, 2, 0, 0, 1), (2, 2, 1, 0, 1, 0))


def kernel_arguments(rules: Rules) -> tuple[object, ...]:
    policies = [FAST] * rules.players
    return arrays.rules_array(rules), arrays.policies_array(policies), arrays.solver(rules, policies)


def decisions(table: np.ndarray, seat: int, rules: Rules, order: Sequence[int] = range(6)) -> list[int]:
    """The first draw, the next one, the card and how many are hidden of a colour and lie in front, from a few
    hands; their colours are renamed to suit the table with its colours in this order."""
    array, _, solver = kernel_arguments(rules)
    table, room = table.copy(), solver.fast.rooms[0]
    made = []
    for hand in HANDS:
        table[layout.HAND] = 0
        fastturn.open_fast(table, seat, array, solver.fast, solver.sizes)
        made.append(int(solver.sizes[0, rules.draws]))
        table[layout.HAND, list(order)] = hand
        fastturn.next_draw(table, seat, 1, array, solver.fast, solver.sizes)
        made.append(int(solver.sizes[code_of_hand(table, array), rules.draws - 1]))
        fastshow.refresh(table, seat, array, solver.fast)
        fastshow.forget_moves(room)
        fastshow.choose_display(table, seat, array, room, solver.fast.choice)
        hidden = int(solver.fast.choice[fastshow.HIDDEN])
        made.append(int(solver.fast.choice[fastshow.PATTERN]))
        made += [0] if hidden < 0 else [int(table[row, hidden]) for row in (layout.HAND, layout.FRONT + seat)]
    return made


def z_of(table: np.ndarray, seat: int, rules: Rules, left: int) -> np.ndarray:
    """Every seat's z by the features and the weights of `learned`."""
    row, array = np.array(weights.numbers(rules)), arrays.rules_array(rules)
    screens, seen = np.zeros((rules.players, 6), np.int64), np.zeros(learned.SEEN, np.int64)
    pool = np.array([display.pool_of(table, seat, c, array) for c in range(6)])
    learned.open_screens(table, seat, rules.players, screens)
    z = []
    for s in range(rules.players):
        learned.see(table, seat, s, pool, rules.players, screens, seen)
        z.append(sum(row[learned.weight_at(feature, left)] for feature in seen))
    return np.array(z)


def misses(rules: Rules, seed: int) -> list[float]:
    """How far margins are from the model of `learned`: every z, a flower more in front, one behind."""
    array, _, solver = kernel_arguments(rules)
    room, table, seat = solver.fast.rooms[0], table_of(seed, rules.players), seed % rules.players
    left = int(table[layout.BAG].sum())
    fastshow.fill(table, seat, left, array, solver.fast, room)
    z = z_of(table, seat, rules, left)
    found = list(room["z"][: rules.players] - z)
    for row, added in ((layout.FRONT, room["gain"]), (layout.BEHIND, np.repeat(room["hidden"], 2, axis=0))):
        for c in range(4):
            table[row + seat, c] += 1
            more = z_of(table, seat, rules, left) - z
            table[row + seat, c] -= 1
            found.append(added[c, 1] - more[seat] + (room["regard"][: rules.players] * more).sum())
    return list(map(abs, found))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_margins_are_those_of_the_model(players: int) -> None:
    for seed in range(3):
        assert max(misses(Rules.official(players, "pink"), seed)) < 1e-5


def test_other_margins_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: the model's weights are a thousandth off."""
    assert max(misses(Rules(), 1)) < 1e-5  # from now on the policy's own weights are in memory
    other = tuple(1.001 * n for n in weights.numbers(Rules()))
    monkeypatch.setattr(weights, "numbers", lambda _: other)
    assert max(misses(Rules(), 1)) > 1e-4


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("cards", CARD_SETS)
def test_games_are_legal(players: int, cards: str) -> None:
    moves = list(replayed(Rules.official(players, cards), [FAST] * players, 6, 0))
    assert len(moves) > 30


@pytest.mark.parametrize("rules", SET_UPS[-2:])
def test_games_of_variants_are_legal(rules: Rules) -> None:
    for number in range(2):
        assert sum(1 for _ in replayed(rules, [FAST] * rules.players, 7, number)) > 20


@pytest.mark.slow
def test_many_games_are_legal() -> None:
    for number in range(300):
        rules = Rules.official(2 + number % 3, CARD_SETS[number % 5])
        others: list[Policy] = [FAST, parse("random"), FAST, parse("kept")]
        for _ in replayed(rules, others[: rules.players], 8, number):
            pass
    for change in (
        {"alike": 5, "different": 6, "flowers": 12, "draws": 5},
        {"alike": 2, "different": 3, "flowers": 4, "draws": 1},
        {"ties": "dense", "orphan_wilds": "free", "empty_group": "nothing", "front_beyond_ten": "linear"},
    ):
        for cards in CARD_SETS[:3]:
            rules = dataclasses.replace(Rules.official(4, cards), **change)
            for number in range(3):
                for _ in replayed(rules, [FAST] * 4, 9, number):
                    pass


@pytest.mark.slow
def test_it_sees_neither_the_bag_nor_others_secrets() -> None:
    rng, moved = random.Random(31), 0
    for trial in range(60):
        rules = Rules.official(2 + trial % 3, ("blue", "pink")[trial % 2])
        seat, table = rng.randrange(rules.players), random_table(rng, rules)
        other = exchanged(rng, table, seat, rules)
        moved += (table != other).any()
        assert decisions(table, seat, rules) == decisions(other, seat, rules)
    assert moved > 40


@pytest.mark.slow
@pytest.mark.parametrize("order", [(1, 0, 2, 3, 4, 5), (0, 1, 3, 2, 4, 5), (2, 3, 0, 1, 4, 5)])
def test_like_colours_may_be_exchanged(order: tuple[int, ...]) -> None:
    """Draws, cards and the colour hidden; warm and cool are no like colours, and that is noticed."""
    rng, differs = random.Random(32), 0
    for trial in range(30):
        rules = Rules.official(4, ("blue", "pink")[trial % 2])
        table = random_table(rng, rules)
        here, there = decisions(table, 0, rules, order=order), decisions(table[:, order], 0, rules)
        differs += here != there
    assert differs > 5 if order[0] == 2 else differs == 0


def test_a_game_depends_on_its_seed_and_number_alone() -> None:
    rules = Rules.official(4)
    array, policies, solver = kernel_arguments(rules)
    rows, again = arrays.room(rules, 30), arrays.room(rules, 10)
    play_games(0, 30, np.uint64(5), array, policies, solver, arrays.no_log(), rows)
    play_games(20, 10, np.uint64(5), *kernel_arguments(rules), arrays.no_log(), again)
    assert np.array_equal(rows[80:], again)


def test_it_plays_the_same_in_a_comparison() -> None:
    """There one room goes round all seatings."""
    rules = Rules.official(4)
    met = line_ups(["plan:3+2", "learned:fast"], rules)
    for seating, prepared in zip(met.all_seatings, kernel_arguments_of(Contest(rules, met, 3)), strict=True):
        seated = [met.policies[i] for i in seating]
        rows, again = arrays.room(rules, 5), arrays.room(rules, 5)
        play_games(0, 5, np.uint64(3), *prepared, rows)
        fresh = arrays.rules_array(rules), arrays.policies_array(seated), arrays.solver(rules, seated)
        play_games(0, 5, np.uint64(3), *fresh, arrays.no_log(), again)
        assert np.array_equal(rows, again)


def test_it_plays_well() -> None:
    """Alone among three `plan:3+2`; a bar of 0.5 is three standard errors and more below what it has."""
    for cards in ("blue", "pink"):
        share = alone(Rules.official(4, cards), FAST, parse("plan:3+2"), 500, 1, 1)
        assert share.value - 3 * share.standard_error > 0.5


@pytest.mark.slow
@pytest.mark.parametrize(("cards", "least"), [("blue", 0.23), ("pink", 0.23)])
def test_it_is_little_weaker_than_learned(cards: str, least: float) -> None:
    share = alone(Rules.official(4, cards), FAST, Learned(), 1500, 1, None)
    assert share.value + 3 * share.standard_error > least
    assert share.value - 3 * share.standard_error < 0.25


def test_its_name() -> None:
    assert str(parse("learned:fast")) == "learned:fast"
    assert parse("learned") == Learned()
    with pytest.raises(Refused, match="; write learned:fast"):
        parse("learned:slow")
