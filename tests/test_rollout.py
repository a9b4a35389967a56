"""Games played on: luck that averages nothing, starts that are the turn, unseen flowers dealt as believed.

Means are held against each other by their own standard errors; one test raises a false alarm with probability
at most FALSE_ALARM in all its comparisons, and its broken twin must fail.
"""

import os
import random
import signal
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice, product
from math import comb
from typing import Any

import numpy as np
import pytest
from scipy import stats

from cherrysim.endgame import solve_end
from cherrysim.engine import legal_moves
from cherrysim.flowers import Flowers, Refused
from cherrysim.kernels.keyed import derive
from cherrysim.kernels.layout import BAG, BEHIND, COLOURS, HAND, ROWS, SECRET
from cherrysim.kernels.rolling import (
    DRAWING,
    FAILING,
    KEEPING,
    SHOWING,
    deal,
    draw_on,
    expect,
    realise,
)
from cherrysim.knowledge import belief, failing
from cherrysim.moves import Draw
from cherrysim.policy import Policy, parse
from cherrysim.recordfile import table_in
from cherrysim.rollout import LEAST, Run, reach, rollout
from cherrysim.rollout.games import Plan, Table
from cherrysim.rollout.starts import Question, Start, question, solve
from cherrysim.rules import Rules
from cherrysim.simulate import arrays
from cherrysim.simulate.moments import drawn_moments
from cherrysim.stats import Estimate
from cherrysim.table import COLLECT, DISPLAY, HIDE, Seat, moved
from cherrysim.table import Table as Moment

FALSE_ALARM = 1e-5
SET_UPS = [(players, cards) for players in (2, 3, 4) for cards in ("blue", "pink")]
LEARNED = parse("learned")


def first(
    players: int, cards: str, wanted: Callable[[Moment], bool], seed: int = 1, policy: str = "learned"
) -> Moment:
    """The first moment of this kind among those of simulated games."""
    return next(drawn_moments(Rules.official(players, cards), [parse(policy)] * players, seed, wanted))


def bound(comparisons: int, batches: int = 1000) -> float:
    """The standard errors that so many differences of means of so many batches may miss by."""
    return float(stats.t.isf(FALSE_ALARM / comparisons / 2, 2 * batches - 2))


def plain(table: Moment) -> Question:
    """The question of a turn under way with nothing worked out: every draw is left to the games."""
    seen = table.seen_by(table.to_move)
    seat, moves, bag = seen.to_move, legal_moves(seen), belief(seen)
    starts = tuple(
        Start(seen, seat, bag, DRAWING, (seen.draws_used, move.n))
        if isinstance(move, Draw)
        else Start(seen, seat, bag, SHOWING)
        for move in moves
    )
    empty = np.zeros((len(moves), table.rules.players))
    return Question(seen, seat, tuple(moves), starts, np.eye(len(moves)), empty)


def told(asked: Question, plan: Plan, seed: int, batches: int, games: int, luck: bool = True) -> Any:
    """What batches say: [batch, choice, shares | scores, seat]."""
    table = Table(asked, plan, seed, luck)
    chances = asked.chances.mean(axis=0)
    return np.array([table.batch(i, games, chances) for i in range(batches)])


def apart(one: Any, other: Any) -> Any:
    """By how many standard errors two sets of batches differ, number by number; equal numbers by none."""
    gap = one.mean(axis=0) - other.mean(axis=0)
    error = np.sqrt(one.var(axis=0, ddof=1) / len(one) + other.var(axis=0, ddof=1) / len(other))
    return np.where(np.abs(gap) < 1e-9, 0.0, gap / np.maximum(error, 1e-12))


# Luck


def test_little_is_left_of_games_whose_luck_is_off() -> None:
    """Of the spread of a share a third or less, which takes ends worked out with all that is hidden."""
    start = Moment.start(Rules.official(4))
    only = replace(
        plain(start),
        moves=(Draw(3),),
        starts=plain(start).starts[2:3],
        chances=np.eye(1),
        shares=np.zeros((1, 4)),
    )
    games = Table(only, Plan((parse("learned"),) * 4), 11).roll(np.zeros(600, np.int64), 0)
    shares, _, luck = np.moveaxis(games, 1, 0)
    assert (shares - luck).var(axis=0).mean() < 0.36 * shares.var(axis=0).mean()


def perturbed(table: Table) -> Table:
    """The same games judged, and by `learned` played, with weights that are far off."""
    room = table._take_room()
    rng = np.random.default_rng(5)
    for solver in (room[0].solver, room[0].judge):
        solver.weights[:] *= rng.uniform(0.2, 1.8, solver.weights.shape)
    table._room.put(room)
    return table


def luck_of_games(players: int, cards: str, names: Sequence[str], games: int, far_off: bool) -> Any:
    """The luck of all turns of games played on from the first draw: [game, seat]."""
    start = Moment.start(Rules.official(players, cards))
    policies = tuple(parse(name) for name in names[:players])
    asked = plain(start)
    only = replace(
        asked, moves=asked.moves[2:3], starts=asked.starts[2:3], chances=np.eye(1), shares=asked.shares[:1]
    )
    table = Table(only, Plan(policies), 11)
    return (perturbed(table) if far_off else table).roll(np.zeros(games, np.int64), 0)[:, 2]


SEATED = (["learned"] * 4, ["points"] * 4, ["kept"] * 4, ["learned", "points", "kept", "plan:3+2"])


@pytest.mark.parametrize("games", [120, pytest.param(1500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("far_off", [False, True])
def test_luck_averages_nothing(games: int, far_off: bool) -> None:
    found = [
        luck_of_games(players, cards, names, games, far_off)
        for i, (players, cards) in enumerate(SET_UPS)
        for names in (SEATED if games > 500 else [SEATED[(i + far_off) % 4]])
    ]
    missed = [luck.mean(axis=0) / luck.std(axis=0, ddof=1) * np.sqrt(games) for luck in found]
    assert np.abs(np.concatenate(missed)).max() < bound(sum(map(len, missed)))
    assert max(np.abs(luck.sum(axis=1)).max() for luck in found) < 1e-9
    assert min(luck.std() for luck in found) > 0.05


def turn_and_luck(table: Moment, policy: Policy, turns: int, blacks: int = 0) -> Any:
    """By how many standard errors the ends of a turn are worth more than expected, seat by seat, if so many
    blacks more are in the bag than the expectation is told."""
    from cherrysim.kernels.game import collect

    rules, seat = table.rules, table.to_move
    policies = [policy] * rules.players
    numbers, of = arrays.rules_array(rules), arrays.policies_array(policies)
    tools, log, rows = arrays.roller(rules, policies), arrays.no_log(), arrays.room(rules, 1)
    start = arrays.table_array(table)
    solve(start, seat, numbers, of, tools.solver)
    cards = expect(start, seat, True, np.uint64(0), numbers, of, tools)
    expected, worth = tools.expected.copy(), []
    start[BAG, 5] += blacks
    keys = np.empty(2, np.uint64)
    for turn in range(turns):
        now = start.copy()
        keys[:] = derive(np.uint64(7), 2 * turn), derive(np.uint64(7), 2 * turn + 1)
        failing = collect(now, seat, numbers, of, tools.solver.sizes, tools.solver.fast, keys, rows, log)
        realise(now, seat, failing, cards, numbers, tools, np.zeros(rules.players))
        worth.append(tools.realised.copy())
    gap = np.array(worth) - expected
    return gap.mean(axis=0) / gap.std(axis=0, ddof=1) * np.sqrt(turns)


def test_a_turn_is_worth_what_its_ends_are_on_average_and_a_wrong_bag_is_noticed() -> None:
    def turn(table: Moment) -> bool:
        return table.phase == COLLECT and not table.hand.total and 20 < table.bag_size < 40

    tables = [(first(*set_up, turn), name) for set_up in SET_UPS for name in ("learned", "points", "kept")]
    missed = [turn_and_luck(table, parse(name), 300) for table, name in tables]
    wrong = [turn_and_luck(table, parse(name), 300, blacks=5) for table, name in tables]
    limit = bound(sum(map(len, missed)))
    assert np.abs(np.concatenate(missed)).max() < limit < np.abs(np.concatenate(wrong)).max()


# Starts


def under_way(table: Moment) -> bool:
    return table.phase == COLLECT and table.hand.total > 0 and table.bag_size > 8


def many_pools(table: Moment) -> bool:
    """A turn under way with a bag not known, of which history says more than the counts."""
    return under_way(table) and table.bag_size < 34 and len(belief(table.seen_by(table.to_move)).pools) > 5


HELD = Flowers.parse("W1 B1")


def compared(
    table: Moment, policy: str, seed: int, batches: int, games: int, turns: int | None = None
) -> Any:
    """Starts against draws left to the games, in standard errors: [choice, shares | scores, seat]."""
    policies = (parse(policy),) * table.rules.players
    plan = Plan(policies, turns)
    return apart(
        told(question(table, policies[table.to_move]), plan, seed, batches, games),
        told(plain(table), plan, seed + 1, batches, games),
    )


def agree(found: Sequence[Any], batches: int) -> None:
    missed = np.concatenate([z.ravel() for z in found])
    assert np.abs(missed).max() < bound(missed.size, batches)


def test_starts_are_the_turn() -> None:
    cases = [
        (first(4, "blue", lambda table: under_way(table) and table.bag_size < 40), "learned"),
        (first(3, "pink", lambda table: under_way(table) and table.bag_size < 40), "points"),
        (first(2, "blue", many_pools), "kept"),
    ]
    assert FAILING in {start.kind for start in question(cases[2][0], parse("kept")).starts}
    agree([compared(table, policy, 40, 20, 20) for table, policy in cases], 20)
    agree([compared(cases[0][0], "learned", 50, 20, 20, turns=1)], 20)


LEFT_OVER = """{"rules": {"players": 3, "counts": "P2 Y2 L2 D2 W3 B2", "cards": ["shin_sumizome"]},
"seats": [{"front": "PY"}, {"front": "D", "secret": 1}, {"front": "LWB", "secret": 1}],
"hand": "PWW", "draws_used": 1, "history": [{"draw": "PY"}, {"draw": "D"}, {"draw": "LWB"}, {"secret": 1},
{"secret": 2}, {"draw": "DB"}, {"return": "DB"}]}"""
"""What was put back is all that is in the bag, and known, while a Y and an L lie behind screens, one each."""


def test_a_bag_that_is_known_while_flowers_are_hidden_holds_none_of_them() -> None:
    table = table_in(LEFT_OVER)
    assert belief(table).known
    for start in (asked := question(table, LEARNED)).starts:
        assert start.bag.size == start.table.pool.total - 2
        assert start.bag.most in Flowers.parse("DWB")
    assert {start.kind for start in asked.starts} == {SHOWING, KEEPING}
    agree([compared(table, "learned", 70, 20, 20)], 20)


def ends_of(start: Start, n: int) -> list[tuple[bool, Any]]:
    """Whether turns played on from a draw fail, and their tables then."""
    from cherrysim.rollout.starts import start_arrays

    rules, policies = start.table.rules, [parse("kept")] * start.table.rules.players
    numbers = arrays.rules_array(rules), arrays.policies_array(policies), arrays.solver(rules, policies)
    starts, table, rows = start_arrays([start]), np.zeros((ROWS, COLOURS), np.int64), arrays.room(rules, 1)
    found, keys = [], np.empty(2, np.uint64)
    for i in range(n):
        key = np.uint64(derive(np.uint64(9), i))
        deal(starts, 0, key, table)
        keys[:] = derive(key, 2), derive(key, 3)
        failing = draw_on(table, starts, 0, key, *numbers, keys, rows, arrays.no_log())
        found.append((bool(failing), table.copy()))
    return found


def colours_failed(ends: list[tuple[bool, Any]]) -> Counter[Any]:
    return Counter(tuple(map(int, np.minimum(table[HAND], 1))) for failed, table in ends if failed)


def test_turns_that_fail_are_those_that_fail_of_all() -> None:
    table = first(2, "blue", many_pools)
    failing = [start for start in question(table, parse("kept")).starts if start.kind == FAILING][-1]
    chosen = ends_of(failing, 1500)
    every = ends_of(replace(failing, kind=DRAWING), 3000)
    assert all(failed for failed, _ in chosen)
    assert not all(failed for failed, _ in every)
    one, other = colours_failed(chosen), colours_failed(every)
    common = [hand for hand in one if one[hand] + other[hand] >= 30]
    counts = np.array([[ends[hand] for hand in common] for ends in (one, other)])
    assert stats.chi2_contingency(counts).pvalue > FALSE_ALARM


def test_a_turn_that_fails_is_dealt_anew_and_not_only_drawn_anew() -> None:
    """Two pinks in hand, five of P3 Y2 L2 D1 in the bag: a third pink fails, so pinks are in the bag more
    often than before it was known to fail."""
    rules = replace(Rules.official(2, "none"), counts=Flowers.parse("P5 Y2 L2 D1"))
    table = Moment(rules, (Seat("Ann"), Seat("Ben")), hand=Flowers.parse("P2"), draws_used=2)
    failing, *_ = (start for start in question(table, parse("kept")).starts if start.kind == FAILING)
    assert failing.used == (2, 1)
    ends = ends_of(failing, 800)
    assert all(failed and table[HAND, 0] == 3 for failed, table in ends)
    pinks = Counter(int(table[BAG, 0]) + 1 for _, table in ends)
    before = {k: comb(3, k) * comb(5, 5 - k) for k in (1, 2, 3)}
    after = {k: ways * k for k, ways in before.items()}
    assert surprise(pinks, {k: ways / sum(after.values()) for k, ways in after.items()}) > FALSE_ALARM
    assert surprise(pinks, {k: ways / sum(before.values()) for k, ways in before.items()}) < FALSE_ALARM


def test_a_failure_that_cannot_be_is_no_start() -> None:
    """Pink and light blue in hand, one flower to draw at last: rounding leaves 2e-16 of a failure."""
    fronts = ("P3 Y3 L3 D3 W3", "P3 Y4 L3 D3 W4 B2")
    seats = tuple(
        Seat(name, Flowers.parse(front)) for name, front in zip(("Ann", "Ben"), fronts, strict=True)
    )
    table = Moment(Rules.official(2, "none"), seats, hand=Flowers.parse("P1 L1"), draws_used=2)
    asked = question(table, LEARNED)
    drawn = [start.used[1] for start in asked.starts if start.kind == FAILING]
    assert drawn == [move.n for move in asked.moves if isinstance(move, Draw) and failing(table)[move.n]]
    assert 1 not in drawn


@pytest.mark.slow
def test_starts_are_the_turn_at_many_tables() -> None:
    tables = [
        (table, policy)
        for players, cards in SET_UPS
        for wanted, policy in ((under_way, "learned"), (under_way, "points"), (many_pools, "kept"))
        if wanted is under_way or players == 2 or cards == "blue"
        for table in islice(drawn_moments(Rules.official(players, cards), [LEARNED] * players, 3, wanted), 2)
    ]
    agree([compared(table, policy, 60, 30, 48) for table, policy in tables], 30)


@pytest.mark.slow
def test_scores_of_four_seats_with_a_white_and_a_black_in_hand() -> None:
    table = first(
        4, "blue", lambda table: under_way(table) and table.hand == HELD and 20 < table.bag_size < 32
    )
    agree([compared(table, "learned", seed, 60, 96) for seed in (1, 3, 5, 7, 9)], 60)


def test_wrong_starts_are_noticed() -> None:
    table = first(4, "blue", lambda table: under_way(table) and table.bag_size < 40)
    asked = question(table, LEARNED)
    chances = asked.chances.copy()
    likely = chances[-1].argsort()[-2:]
    chances[-1, likely] = chances[-1, likely[::-1]] + (0.2, -0.2) * (chances[-1, likely[::-1]] > 0.4)
    plan = Plan((LEARNED,) * 4)
    missed = apart(
        told(replace(asked, chances=chances), plan, 1, 20, 24), told(plain(table), plan, 2, 20, 24)
    )
    assert np.abs(missed).max() > bound(missed.size, 20)


def test_luck_taken_off_leaves_the_mean_and_makes_errors_smaller() -> None:
    table = first(4, "pink", lambda table: under_way(table) and 50 < table.bag_size < 70)
    asked, plan = question(table, LEARNED), Plan((LEARNED,) * 4)
    with_luck, without = (told(asked, plan, 3, 24, 16, luck) for luck in (False, True))
    agree([apart(with_luck, told(asked, plan, 4, 24, 16))], 24)
    assert (with_luck.var(axis=0) / without.var(axis=0)).mean() > 1.4


# Dealing


def dealt(table: Moment, deals: int) -> Any:
    """Tables as games from a choice begin: [deal, row, colour]."""
    from cherrysim.rollout.starts import start_arrays

    seen = table.seen_by(table.to_move)
    starts = start_arrays([Start(seen, seen.to_move, belief(seen), SHOWING)])
    found = np.zeros((deals, ROWS, COLOURS), np.int64)
    for i, now in enumerate(found):
        deal(starts, 0, np.uint64(derive(np.uint64(3), i)), now)
    return found


def surprise(counts: Counter[Any], chances: dict[Any, float]) -> float:
    """The probability of counts so far from these chances, by chi-square; rare cases are put together."""
    n = counts.total()
    assert set(counts) <= {what for what, chance in chances.items() if chance}, "what cannot be"
    cells = [(counts[what], n * chance) for what, chance in chances.items() if n * chance >= 5]
    rest = [(counts[what], n * chance) for what, chance in chances.items() if n * chance < 5]
    if sum(expected for _, expected in rest) >= 1:
        cells.append((sum(k for k, _ in rest), sum(expected for _, expected in rest)))
    square = sum((k - expected) ** 2 / expected for k, expected in cells)
    return float(stats.chi2.sf(square, max(1, len(cells) - 1)))


def bags_of(found: Any) -> Counter[Any]:
    return Counter(tuple(map(int, now[BAG])) for now in found)


def believed(table: Moment) -> dict[Any, float]:
    own = belief(table.seen_by(table.to_move))
    bags = dict(own.bags())
    return {bag: weight / sum(bags.values()) for bag, weight in bags.items()}


def with_secret(table: Moment) -> bool:
    """Somebody else's secret flower, and history."""
    others = [own for i, own in enumerate(table.seats) if i != table.to_move]
    return under_way(table) and table.bag_size < 40 and any(own.own_secret.total == 1 for own in others)


def test_bags_and_screens_are_dealt_as_believed() -> None:
    tables = [
        first(2, "pink", lambda table: under_way(table) and belief(table).hidden == 3),
        first(2, "pink", many_pools),
        first(2, "blue", lambda table: many_pools(table) and with_secret(table)),
        first(4, "blue", with_secret),
    ]
    worst = []
    for table in tables:
        found, seen = dealt(table, 4000), table.seen_by(table.to_move)
        worst.append(surprise(bags_of(found), believed(table)))
        whole = found[:, :BEHIND].sum(axis=1) + found[:, BEHIND:SECRET].sum(axis=1)
        assert (whole == table.rules.counts.counts).all()
        for seat, own in enumerate(seen.seats):
            secret = found[:, SECRET + seat] - own.own_secret.counts
            assert (secret.sum(axis=1) == own.secret).all()
            assert (found[:, BEHIND + seat] - secret == own.all_behind.counts).all()
            if own.secret:
                hidden = np.array(seen.unseen.counts) - np.array(belief(seen).expected(), float)
                chances = {c: float(n / hidden.sum()) for c, n in enumerate(hidden)}
                worst.append(
                    surprise(Counter(np.nonzero(secret)[1].tolist()), chances) if own.secret == 1 else 1
                )
    assert min(worst) > FALSE_ALARM


def test_dealing_by_counts_alone_is_noticed() -> None:
    """A bag that forgets what was put back gives other bags than the belief."""
    table = first(2, "blue", many_pools)
    forgot = moved(table.seen_by(table.to_move), history=None)
    assert surprise(bags_of(dealt(table, 4000)), believed(forgot)) < FALSE_ALARM


# Answers


def of_answer(found: Any) -> list[tuple[Any, ...]]:
    return [(o.move, o.share, o.score, o.margin, o.shares, o.scores, o.games) for o in found.options]


def test_anothers_secret_flower_changes_nothing() -> None:
    table = first(4, "blue", with_secret)
    seen = table.seen_by(table.to_move)
    seat = next(i for i, own in enumerate(seen.seats) if own.secret == 1)
    answers = []
    for c, n in enumerate(seen.unseen.counts):
        if n:
            flower = Flowers(*(int(c == colour) for colour in range(COLOURS)))
            other = seen.revealed(seat, flower)
            answers.append(of_answer(rollout(other, "truncated", games=128, seed=3)))
    assert len(answers) > 1
    assert all(answer == answers[0] for answer in answers)


def test_the_same_on_any_number_of_threads_and_another_with_another_seed() -> None:
    table = first(3, "pink", under_way)
    one, two, other = (
        rollout(table, "truncated", games=512, threads=threads, seed=seed)
        for threads, seed in ((1, 1), (2, 1), (2, 2))
    )
    assert of_answer(one) == of_answer(two)
    assert of_answer(one) != of_answer(other)
    which, asked = np.zeros(64, np.int64), question(table, LEARNED)
    games = [Table(asked, Plan((LEARNED,) * 3), seed).roll(which, 0) for seed in (1, 1, 2)]
    assert (games[0] == games[1]).all()
    assert (games[0] == games[2]).mean() < 0.5


@pytest.mark.parametrize("method", ["truncated", "rollout"])
def test_shares_of_all_seats_add_up(method: str) -> None:
    for players, cards in SET_UPS[1::2]:
        found = rollout(first(players, cards, under_way), method, games=64)
        for option in found.options:
            assert option.games == 64
            assert sum(option.shares) == pytest.approx(1, abs=1e-9)
    table = Table(question(first(4, "blue", under_way), LEARNED), Plan((LEARNED,) * 4, 2), 1)
    shares = table.roll(np.zeros(32, np.int64), 0)[:, 0]
    assert np.abs(shares.sum(axis=1) - 1).max() < 1e-12


def displaying(table: Moment) -> bool:
    return table.phase == DISPLAY and table.bag_size > 20 and len(legal_moves(table)) > 4


@pytest.mark.parametrize("policy", ["learned", "plan:3+2"])
def test_how_often_a_choice_was_played_on_makes_no_noise(policy: str) -> None:
    """Its broken twin expects nothing of all starts, as if nobody had asked the model."""
    table = first(4, "blue", displaying if policy == "learned" else under_way)
    asked, plan = question(table.seen_by(table.to_move), parse(policy)), Plan((LEARNED,) * 4, 2)
    assert not asked.shares.any()
    found = told(asked, plan, 5, 16, 47)[:, :, 0]
    blind = told(replace(asked, shares=asked.shares + 1e-12), plan, 5, 16, 47)[:, :, 0]
    assert np.abs(found.sum(axis=2) - 1).max() < 1e-9 < 1e-3 < np.abs(blind.sum(axis=2) - 1).max()
    agree([apart(found, blind)], 16)
    if policy == "learned":  # of a draw left to the games the turn itself makes most
        assert found.var(axis=0).sum() < 0.5 * blind.var(axis=0).sum()


def swapped(table: Moment) -> Moment:
    """The table with pink for yellow and yellow for pink, its history forgotten."""

    def other(flowers: Flowers) -> Flowers:
        p, y, *rest = flowers.counts
        return Flowers(y, p, *rest)

    seats = tuple(replace(own, front=other(own.front), behind=other(own.behind)) for own in table.seats)
    return moved(table, seats=seats, hand=other(table.hand), history=None)


def test_pink_and_yellow_are_worth_the_same() -> None:
    table = first(
        4, "pink", lambda table: under_way(table) and table.bag_size < 30 and table != swapped(table)
    )
    plan = Plan((LEARNED,) * 4)
    one, other = (
        told(question(now, LEARNED), plan, seed, 24, 32)
        for now, seed in ((moved(table, history=None), 1), (swapped(table), 2))
    )
    agree([apart(one, other)], 24)


RULES = Rules(players=2, counts=Flowers.parse("P9 Y9 L2 W2"), cards=(), set_aside=0)


def decided() -> Moment:
    """Nobody can catch up with Ann."""
    seats = (Seat("Ann", Flowers.parse("P9")), Seat("Ben", Flowers.parse("Y2")))
    return Moment(replace(RULES, counts=Flowers.parse("P9 Y2 L2 W2")), seats)


def test_equal_outcomes_keep_an_interval() -> None:
    found = rollout(decided(), "rollout", games=64)
    for option in found.options:
        assert option.share.value == pytest.approx(1, abs=1e-12)
        low, high = found.interval(option.share)
        assert low < 1 < high
        assert high - low == pytest.approx(2 * reach(Estimate(1, 1 / 65, LEAST), watched=False))


def last_flower(players: int, seed: int) -> Moment:
    """One flower left in the bag, some in hand, wilds in front alone, so that nothing is left to chance."""
    rules, rng = Rules.official(players, "none"), random.Random(seed)
    tokens = [c for c, n in enumerate(rules.counts.counts) for _ in range(n)][: -rules.set_aside or None]
    rng.shuffle(tokens)
    bag, hand = tokens.pop(), [tokens.pop(tokens.index(c)) for c in rng.sample(range(5), 3)]
    fronts, behinds = ([[0] * COLOURS for _ in range(players)] for _ in range(2))
    for colour in tokens:
        rows = behinds if colour < 4 and rng.random() < 0.5 else fronts
        rows[rng.randrange(players)][colour] += 1
    seats = tuple(
        Seat(f"Seat {i}", Flowers(*front), Flowers(*behind))
        for i, (front, behind) in enumerate(zip(fronts, behinds, strict=True))
    )
    counts = Flowers(*(hand.count(c) for c in range(COLOURS)))
    table = Moment(rules, seats, hand=counts, draws_used=1, phase=HIDE)
    assert table.pool == Flowers(*(int(c == bag) for c in range(COLOURS)))
    return table


def test_ends_come_to_what_solving_them_says() -> None:
    """The next seat draws the last flower: all games come to the same, exactly."""
    seen = set()
    for players, seed in product((3, 4), range(12)):
        table = last_flower(players, seed)
        for option, end in zip(
            rollout(table, "truncated", games=64).options, solve_end(table).options, strict=True
        ):
            assert option.move == end.move
            assert option.shares == pytest.approx([float(share) for share in end.shares], abs=1e-9)
            seen.add(end.shares)
    assert len(seen) > 3


def test_games_are_not_cut_short_within_the_last_ten_flowers() -> None:
    late = first(4, "blue", lambda table: table.phase == HIDE and table.bag_size < 10)
    early = first(4, "blue", lambda table: table.phase == HIDE and table.bag_size > 10)
    wholes = {0.0, *(1 / k for k in range(1, 5))}  # where no splits are mixed
    for table, whole in ((late, True), (early, False)):
        game = Table(question(table, LEARNED), Plan((LEARNED,) * 4, 0), 1).roll(np.zeros(8, np.int64), 0)
        assert (set(game[:, 0].ravel()) <= wholes) is whole
        assert bool((game[:, 2] == 0).all()) is not whole  # luck of the turns until the end alone


def test_ctrl_c_gives_what_is_known() -> None:
    def interrupt(games: int, part: float) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    found = rollout(first(4, "blue", under_way), "truncated", precision=0.0001, progress=interrupt)
    assert (found.stopped, found.interval_kind) == ("interrupt", "always_valid")
    assert 0 < found.games < 2000
    assert found.best.share.standard_error > 0


def test_few_games_are_many_small_batches_and_a_run_that_is_watched_says_so() -> None:
    table = first(4, "blue", under_way)
    found = rollout(table, "truncated", games=50)
    assert (found.options[0].share.n, found.games, found.interval_kind) == (13, 52, "fixed")
    run = Run(Table(question(table, LEARNED), Plan((LEARNED,) * 4, 1), 1), None, 1e-9, None, 256, 8)
    assert run.play(1, None) in ("limit", "precision")
    assert run.share(0, LEAST).n == LEAST


def test_where_choices_are_many_the_fewest_batches_are_played_all_the_same() -> None:
    """A batch has four games for every choice, so many might have been more than the most."""
    asked = Table(question(first(4, "blue", under_way), LEARNED), Plan((LEARNED,) * 4, 1), 1)
    run = Run(asked, None, 1e-9, None, 32, 8)
    assert (run.play(1, None), run.games) == ("limit", LEAST * 8)
    with pytest.raises(Refused, match="games is 7; it is a whole number from 8 "):
        rollout(first(4, "blue", under_way), games=7)
