"""The compiled game against the readable engine, move by move, and the frozen policies against their
definition."""

import dataclasses
import random
from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import chi2, norm

from cherrysim.allowed import legal_moves
from cherrysim.belief import Belief
from cherrysim.chances import Position
from cherrysim.engine import after
from cherrysim.flowers import BLACK, LETTERS, Flowers
from cherrysim.front import front_points
from cherrysim.hands import conditions
from cherrysim.kernels import display, game, keyed, layout, reference
from cherrysim.moves import Draw, Hide, Keep, Stop, UseCard
from cherrysim.policy import parse
from cherrysim.rules import Rules
from cherrysim.simulate import arrays
from cherrysim.simulate.logs import logged, record, splits_of, steps_of
from cherrysim.table import COLLECT, DISPLAY, KEEP, Table
from cherrysim.turn import Valuation, solve

CARD_SETS = (
    "blue",
    "pink",
    "none",
    ("shin_sumizome", "komatsu_otome", "kokonoe"),
    ("sakuya_hime", "somei_yoshino", "kenrokuen_kumagai"),
)
POLICIES = ("random", "plan:3+2", "cautious:0.25", "kept")
CARDS = ("shin_sumizome", "sakuya_hime", "somei_yoshino", "komatsu_otome", "kenrokuen_kumagai", "kokonoe")


def fingerprint(table):
    """The kernel's `fingerprint` of a readable table."""
    places = [seat.front for seat in table.seats], [seat.all_behind for seat in table.seats]
    secret = [seat.own_secret for seat in table.seats]
    value = 0
    for rows in (*places, secret):
        for flowers in [*rows, *[Flowers()] * (4 - len(rows))]:
            for n in flowers.counts:
                value = (value * 31 + n) % 2147483647
    return value


def replayed(rules, policies, seed, number):
    """Every (table, move) of one simulated game; the engine must allow each and agree on every state and
    score."""
    events, rows = logged(rules, policies, seed, number)
    marks = [(a, b) for *_, kind, a, b in events if kind == layout.TURN]
    table = dataclasses.replace(Table.start(rules), history=None)
    for move, drawn in steps_of(rules, events):
        if table.phase == COLLECT and not table.hand.total:
            assert marks.pop(0) == (table.bag_size, fingerprint(table))
        yield table, move
        table = after(table, move, drawn)
    assert table.over
    assert not marks
    score = dataclasses.replace(table, splits=splits_of(events)).score()
    for row, player in zip(rows.tolist(), score.players, strict=True):
        points = [player.total, player.front_points, player.warm.points, player.cool.points]
        assert row[layout.SCORE : layout.COOL + 1] == [*points, player.warm.count, player.cool.count]
        assert (row[layout.SHARING] > 0) == (player.share > 0)


def name_of(move):
    return move.card if isinstance(move, UseCard) else type(move).__name__


def replay_many(policy_names, games, seed):
    """Games of all sizes and cards; how often each kind of move and each card came up."""
    seen = Counter()
    for players in (2, 3, 4):
        for cards in CARD_SETS:
            rules = Rules.official(players, cards)
            for name in policy_names:
                policies = [parse(name)] * players
                for number in range(games):
                    seen.update(name_of(move) for _, move in replayed(rules, policies, seed, number))
    return seen


def test_engine_and_kernel_agree() -> None:
    seen = replay_many(POLICIES, 1, seed=1)
    assert set(seen) >= {"Draw", "Stop", "Hide", "Keep"}


@pytest.mark.slow
def test_engine_and_kernel_agree_over_many_games(capsys) -> None:
    """2,145 games: all sizes, all cards, all policies, mixed tables too."""
    seen = replay_many(("random",), 110, seed=2) + replay_many(POLICIES[1:], 10, seed=3)
    for number in range(45):
        rules = Rules.official(4, CARD_SETS[number % 5])
        policies = [parse(POLICIES[(number + seat) % 4]) for seat in range(4)]
        seen.update(name_of(move) for _, move in replayed(rules, policies, 4, number))
    with capsys.disabled():
        print("\nmoves and cards seen:", dict(seen))
    assert min(seen[name] for name in (*CARDS, "Place", "Draw", "Stop", "Hide", "Keep")) >= 100


def test_variants_agree() -> None:
    for change in (
        {"alike": 4, "different": 6, "flowers": 12, "draws": 5},
        {"alike": 2, "different": 3, "flowers": 4, "draws": 2},
        {"counts": Flowers.parse("P4 Y3 L2 W1 B9"), "set_aside": 2},
        {"ties": "dense", "orphan_wilds": "free", "empty_group": "nothing", "front_beyond_ten": "linear"},
    ):
        for players in (2, 4):
            rules = dataclasses.replace(Rules.official(players, "pink"), **change)
            for name in POLICIES:
                for _ in replayed(rules, [parse(name)] * players, 5, 0):
                    pass


# The frozen policies, written down once more to be read.


def fails(hand, rules):
    return bool(conditions(hand, rules))


def definition(name, table, own_turn):
    """What the reference policy (not `random`) does at this table, for whom the pool is what it has not
    seen."""
    hand, pool = table.hand, table.unseen
    if table.phase == KEEP:
        colours = [c for c in range(BLACK) if hand.counts[c]]
        pairs = list(combinations(colours, 2)) or [tuple(colours)]
        chosen = [Flowers(*(int(c in pair) for c in range(6))) for pair in pairs]
        return Keep(max(chosen, key=lambda kept: front_points(table.mover.front + kept, table.rules)))
    if table.phase == DISPLAY:
        most = max(range(6), key=lambda c: hand.counts[c])
        return Hide(LETTERS[most] if own_turn % 2 else None)
    most = min(table.rules.flowers - hand.total, table.bag_size)
    if table.draws_used == table.rules.draws or not most:
        return Stop()
    kind, _, parameter = name.partition(":")
    if kind == "plan":
        sizes = list(map(int, parameter.split("+")))
        return Draw(min(sizes[table.draws_used], most)) if table.draws_used < len(sizes) else Stop()
    if kind == "cautious":
        one_more = [tuple(n + (i == c) for i, n in enumerate(hand.counts)) for c in range(6)]
        failing = sum(pool.counts[c] for c in range(6) if fails(one_more[c], table.rules))
        dares = Fraction(failing, pool.total) <= Fraction(parameter)
        return Draw(1) if not hand.total or dares else Stop()
    raise AssertionError(name)


def solved(table):
    """The turn on the truth floor, the bag being the pool with as many tokens hidden as are not in it."""
    pool, rules = table.unseen, table.rules
    belief = Belief(((pool.counts, 1),), pool.total - table.bag_size)
    position = Position(belief=belief, bag=pool, hand=Flowers(), draws_used=0, rules=rules)
    return solve(position, Valuation.kept(rules))


def check_definition(name, rules, seed, number):
    turns = Counter()
    forced, turn = False, None
    for table, move in replayed(rules, [parse(name)] * rules.players, seed, number):
        if table.phase == COLLECT and not table.hand.total:
            turns[table.to_move] += 1
            forced = table.unseen.counts[BLACK] == table.unseen.total
            if forced:
                assert move == Draw(1)
                continue
            turn = solved(table) if name == "kept" else None
        if forced and table.phase == COLLECT:
            assert move == Stop()
            continue
        if turn and table.phase == COLLECT:
            best = turn.best(table.hand.counts, table.rules.draws - table.draws_used).draw
            assert move == (Draw(best) if best else Stop()), str(table)
        else:
            assert move == definition(name, table, turns[table.to_move]), (name, str(table))


@pytest.mark.parametrize(
    "name", ["plan:3+2", "plan:8", "plan:1+1+1+1", "cautious:0.25", "cautious:0", "cautious:0.4"]
)
def test_policies_follow_their_definition(name) -> None:
    for players in (3, 4):
        for number in range(3):
            check_definition(name, Rules.official(players, "none"), 6, number)


def test_kept_is_the_truth_floor() -> None:
    few = dataclasses.replace(Rules.official(3), counts=Flowers.parse("P4 Y4 L4 D4 W4 B2"))
    check_definition("kept", few, 7, 0)


@pytest.mark.slow
def test_kept_is_the_truth_floor_over_fifty_games() -> None:
    for number in range(50):
        check_definition("kept", Rules.official(3 + number % 2, "none"), 8, number)


def test_random_is_uniform() -> None:
    """Every decision's choice, counted by kind and number of options, against equal chances; family-wise
    1e-3."""
    seen: dict[tuple[str, int], Counter] = {}
    for number in range(60):
        rules = Rules.official(2 + number % 3, CARD_SETS[number % 5])
        for table, move in replayed(rules, [parse("random")] * rules.players, 9, number):
            options = list(legal_moves(table))
            if table.phase == DISPLAY:
                uses = [option for option in options if isinstance(option, UseCard)]
                names = sorted({option.card for option in uses})
                if names:
                    note(seen, "card", [*names, None], move.card if isinstance(move, UseCard) else None)
                same = isinstance(move, UseCard)
                options = [o for o in options if isinstance(o, UseCard) == same]
                options = [o for o in options if not same or o.card == move.card]
            if table.bag_size == table.unseen.counts[BLACK] and table.phase == COLLECT:
                continue
            note(seen, table.phase + (move.card if isinstance(move, UseCard) else ""), options, move)
    tests = [(counts, options) for (_, options), counts in seen.items() if counts.total() >= 5 * options]
    assert len(tests) >= 15
    for counts, options in tests:
        even = counts.total() / options
        spread = sum((counts[i] - even) ** 2 / even for i in range(options))
        assert chi2.sf(spread, options - 1) > 5e-4 / len(tests), counts
    places = {kind for kind, _ in seen}
    for kind in places:
        of_kind = [(options, counts) for (name, options), counts in seen.items() if name == kind]
        excess = sum((i - (options - 1) / 2) * n for options, counts in of_kind for i, n in counts.items())
        spread = sum((options**2 - 1) / 12 * counts.total() for options, counts in of_kind)
        assert abs(excess) < norm.isf(2.5e-4 / len(places)) * spread**0.5, kind


def note(seen, kind, options, chosen):
    if len(options) > 1:
        seen.setdefault((kind, len(options)), Counter())[options.index(chosen)] += 1


# Randomness.


def derived(key, i):
    """A key as the kernels read it: numba hands back a Python number, which would pass for a signed one."""
    return np.uint64(keyed.derive(key, i))


def test_bounded_numbers_are_even() -> None:
    """Chi-square of 20,000 numbers below 7 from consecutive slots and from consecutive keys; family-wise
    1e-4."""
    for numbers in (
        [keyed.below(np.uint64(3), i, 7) for i in range(20000)],
        [keyed.below(derived(np.uint64(9), i), 4, 7) for i in range(20000)],
    ):
        counts = Counter(numbers)
        spread = sum((counts[i] - 20000 / 7) ** 2 / (20000 / 7) for i in range(7))
        assert chi2.sf(spread, 6) > 5e-5
        assert set(counts) == set(range(7))


def test_surplus_numbers_are_redrawn() -> None:
    """For n just above 2^31 nearly half of all words are rejected; what is left must be even in both
    halves."""
    n = 2**31 + 1
    low = sum(keyed.below(np.uint64(1), i, n) < n // 2 for i in range(20000))
    assert abs(low - 10000) < 4 * 70.8


def test_first_flowers_are_drawn_as_the_bag_is_filled() -> None:
    rules = Rules.official(4)
    counts = np.zeros(6)
    for number in range(3000):
        counts[first_flower(rules, number)] += 1
    expected = np.array(rules.counts.counts) / rules.counts.total * 3000
    assert chi2.sf(((counts - expected) ** 2 / expected).sum(), 5) > 1e-4


def first_flower(rules, number):
    table = np.zeros((layout.ROWS, layout.COLOURS), np.int64)
    key = derived(derived(np.uint64(11), 0), number)
    game.set_up(table, arrays.rules_array(rules), derived(key, game.BOX_KEY))
    turn = derived(key, game.FIRST_TURN_KEY)
    return display.draw_flower(table, layout.HAND, rules.counts.total, turn, 0)


def test_a_game_depends_on_its_seed_and_number_alone() -> None:
    rules, policies = Rules.official(3, "pink"), [parse("random")] * 3
    numbers = arrays.policies_array(policies)
    arguments = arrays.rules_array(rules), numbers, arrays.solver(rules), arrays.no_log()
    together, alone = arrays.room(rules, 20), arrays.room(rules, 1)
    game.play_games(100, 20, np.uint64(2), *arguments, together)
    for i in (19, 0, 7):
        game.play_games(100 + i, 1, np.uint64(2), *arguments, alone)
        assert (alone == together[i * 3 : i * 3 + 3]).all()
    game.play_games(100, 1, np.uint64(3), *arguments, alone)
    assert (alone != together[:3]).any()


# Nobody peeks.


def random_table(rng, rules):
    """A table in mid-game: hands, fronts, behinds, secrets, and a bag with some tokens set aside."""
    tokens = [c for c, n in enumerate(rules.counts.counts) for _ in range(n)]
    rng.shuffle(tokens)
    table = np.zeros((layout.ROWS, layout.COLOURS), np.int64)
    for seat in range(rules.players):
        for _ in range(rng.randrange(8)):
            table[layout.FRONT + seat, tokens.pop()] += 1
        for _ in range(rng.randrange(3)):
            colour = tokens.pop()
            table[layout.BEHIND + seat, colour] += 1
            table[layout.SECRET + seat, colour] += 1
    for _ in range(rules.set_aside):
        table[layout.BOX, tokens.pop()] += 1
    for _ in range(rng.randrange(1, 30)):
        table[layout.BAG, tokens.pop()] += 1
    return table


def exchanged(rng, table, seat, rules):
    """The table with the tokens this seat cannot see dealt anew over bag, box and the others' secrets."""
    new = table.copy()
    others = [layout.SECRET + s for s in range(rules.players) if s != seat]
    rows = [layout.BAG, layout.BOX, *others]
    tokens = [c for row in rows for c in range(6) for _ in range(table[row, c])]
    rng.shuffle(tokens)
    for row in rows:
        n = int(table[row].sum())
        dealt = np.bincount([tokens.pop() for _ in range(n)], minlength=6)
        if row in others:
            new[row - layout.SECRET + layout.BEHIND] += dealt - table[row]
        new[row] = dealt
    return new


def test_no_policy_sees_the_bag_or_others_secrets() -> None:
    rng = random.Random(21)
    moved = 0
    for trial in range(120):
        rules = Rules.official(2 + trial % 3)
        array, seat = arrays.rules_array(rules), rng.randrange(rules.players)
        table = random_table(rng, rules)
        other = exchanged(rng, table, seat, rules)
        moved += (table != other).any()
        assert [sum(display.pool_of(t, seat, c, array) for c in range(6)) for t in (table, other)]
        for name in POLICIES:
            policies = arrays.policies_array([parse(name)] * rules.players)
            made, again = (decisions(t, seat, rules, array, policies) for t in (table, other))
            assert made == again
    assert moved > 80


def decisions(table, seat, rules, array, policies):
    """Sizes of draws from a few hands, what to hide and what to keep."""
    table, solver, key = table.copy(), arrays.solver(rules), np.uint64(77)
    reference.solve_turn(table, seat, array, solver)
    made = []
    for hand in ((0,) * 6, (1, 1, 0, 0, 0, 0), (2, 0, 1, 0, 1, 0), (0, 0, 0, 1, 0, 1)):
        table[layout.HAND] = hand
        draws = min(sum(hand), 2)
        most = min(8 - sum(hand), int(table[layout.BAG].sum()))
        made.append(reference.choose_size(table, seat, draws, most, array, policies, key, solver.sizes))
        made.append(reference.choose_hidden(table, seat, 3, policies, key))
    table[layout.HAND] = (3, 1, 0, 2, 0, 1)
    return [*map(int, made), reference.choose_kept(table, seat, array, policies, key)]


def test_a_peeking_policy_would_be_noticed() -> None:
    """The negative control: reading the bag itself, exchanged tables do differ."""
    rng, rules = random.Random(22), Rules.official(2)
    differs = 0
    for _ in range(50):
        table = random_table(rng, rules)
        differs += (table[layout.BAG] != exchanged(rng, table, 0, rules)[layout.BAG]).any()
    assert differs


# Ends of games.


def test_a_bag_of_blacks_is_drawn_one_by_one() -> None:
    rules = dataclasses.replace(Rules.official(2, "none"), counts=Flowers.parse("B7"), set_aside=0)
    for name in ("random", "plan:5+3", "cautious:1", "kept"):
        events, rows = logged(rules, [parse(name)] * 2, 1, 0)
        assert [a for *_, kind, a, _ in events if kind == layout.DRAW] == [1] * 7
        assert rows[:, layout.TURNS].tolist() == [4, 3]
        assert not rows[:, layout.FAILURES].any()


def test_a_very_long_game_is_capped() -> None:
    long = Flowers.parse("P200 Y200 L200")
    rules = dataclasses.replace(Rules.official(2, "none"), counts=long, set_aside=0)
    rows = logged(rules, [parse("plan:1")] * 2, 1, 0)[1]
    assert rows[:, layout.CAPPED].tolist() == [1, 1]
    assert rows[:, layout.TURNS].sum() == arrays.MOST_TURNS


def test_lost_flowers_are_noticed() -> None:
    """The check at the end of every game sees a flower too few, too many, or of another colour."""
    rules = Rules.official(3)
    array = arrays.rules_array(rules)
    table = np.zeros((layout.ROWS, layout.COLOURS), np.int64)
    game.set_up(table, array, np.uint64(1))
    assert game.conserved(table, array)
    for row, colour, change in ((layout.BAG, 2, -1), (layout.FRONT, 5, 1), (layout.BOX, 0, 3)):
        table[row, colour] += change
        assert not game.conserved(table, array)
        table[row, colour] -= change
    table[layout.BAG, 0] -= 1
    table[layout.BAG, 1] += 1
    assert not game.conserved(table, array)


def test_records_of_simulated_games_can_be_read_again() -> None:
    from cherrysim.recordfile import read_record

    for number, cards in enumerate(CARD_SETS):
        rules = Rules.official(3, cards)
        text = str(record([parse("random")] * 3, 5, number, rules, ["Ann", "Ben", "Cy"]))
        assert str(read_record(text)) == text
