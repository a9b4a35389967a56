"""The exact endgame: against full trees over the engine, against games that follow its play; its refusals."""

import random
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import exp

import pytest
from brute import boxes, seen_draw

from cherrysim import endgame
from cherrysim.allowed import ONE
from cherrysim.endgame import Endgame, solve_end
from cherrysim.engine import after, draw_size, legal_moves
from cherrysim.flowers import LETTERS, Flowers, Refused
from cherrysim.knowledge import belief
from cherrysim.moves import Draw, Drawn, Hide, Keep, Pick, Stop, UseCard
from cherrysim.rules import Rules
from cherrysim.standing import Ending
from cherrysim.table import Seat, Table

NONE = ()
PINK = ("sakuya_hime", "komatsu_otome", "kokonoe")
MIXED = ("sakuya_hime", "somei_yoshino", "kenrokuen_kumagai")


def late_table(rng, players, bag, cards=NONE, hand="", draws_used=0, **changes):
    """A random late table: everything but `bag` and the hand lies in front of or behind some screen."""
    rules = replace(Rules.official(players, cards), **changes)
    held = Flowers.parse(hand)
    tokens = [c for c, n in enumerate((rules.counts - held).counts) for _ in range(n)]
    rng.shuffle(tokens)
    if not isinstance(bag, int):  # these colours, set-aside tokens among them
        for c in map(LETTERS.index, bag):
            tokens.remove(c)
        bag = 0
    else:
        bag += rules.set_aside
    counts = [[[0] * 6, [0] * 6] for _ in range(players)]
    for c in tokens[bag:]:
        counts[rng.randrange(players)][rng.random() < 0.3][c] += 1
    seats = tuple(
        Seat(f"Seat {i}", Flowers(*front), Flowers(*behind)) for i, (front, behind) in enumerate(counts)
    )
    table = Table(rules, seats, rng.randrange(players), held, draws_used)
    return replace(table, history=(Drawn(table.out),))


class FullTree:
    """Values by recursion over the engine's moves and single flowers, with explicit possible bags.

    `handed_on` values the tables that a failure with blacks alone leads to, which would have no end.
    """

    def __init__(self, handed_on=None):
        self.handed_on = handed_on
        self.seen = {}

    def value(self, table, bags):
        """Shares and scores of every seat."""
        if table.over:
            players = table.score().players
            return [p.share for p in players], [p.total for p in players]
        key = (table, tuple(sorted(bags.items())))
        if key not in self.seen:
            self.seen[key] = self.best(table, bags)[1]
        return self.seen[key]

    def best(self, table, bags):
        return self.first_best(table.to_move, self.options(table, bags))

    @staticmethod
    def first_best(seat, options):
        def wish(option):
            shares, scores = option[1]
            return shares[seat], scores[seat] - max(s for i, s in enumerate(scores) if i != seat)

        return max(options, key=wish)  # the first of equals

    def options(self, table, bags):
        moves = legal_moves(table)
        if table.phase == "collect" and not any(map(any, (bag[:5] for bag in (*bags, table.hand.counts)))):
            moves = (Stop(),) if table.hand.total else (Draw(1),)
        return [(move, self.chance(table, move, bags)) for move in moves]

    def chance(self, table, move, bags):
        """The value of a move: its flowers come out of the bag one by one."""
        reached = {(0,) * 6: (1, bags)}
        for _ in range(draw_size(table, move)):
            onward = {}
            for drawn, (p, inside) in reached.items():
                for c in range(6):
                    left = seen_draw(inside, c)
                    chance = sum(left.values())
                    if chance:
                        more = tuple(n + (i == c) for i, n in enumerate(drawn))
                        normal = {bag: q / chance for bag, q in left.items()}
                        onward[more] = (onward.get(more, (0,))[0] + p * chance, normal)
            reached = onward
        found = [(p, self.follow(table, move, Flowers(*d), inside)) for d, (p, inside) in reached.items()]
        return [[sum(p * v[k][i] for p, v in found) for i in range(len(table.seats))] for k in (0, 1)]

    def follow(self, table, move, drawn, bags):
        new = after(table, move, drawn if drawn.total else None)
        if isinstance(move, Keep):
            back = (table.bonus.drawn if table.bonus else table.hand) - move.flowers
            bags = {tuple(map(sum, zip(bag, back.counts, strict=True))): p for bag, p in bags.items()}
            if table.phase == "keep" and not move.flowers.total:
                return self.handed_on(new)
        return self.value(new, bags)


def bags_of(table):
    return boxes(table.pool.counts, table.hidden)


def forget(table):
    """Without a history, so that tables reached in several ways are one: the full tree has its own bags."""
    return Table(
        table.rules, table.seats, table.to_move, table.hand, table.draws_used, table.phase, table.bonus
    )


TINY = [
    # players, bag (with the tokens set aside where colours are given), cards, hand, draws used
    (2, 3, NONE, "", 0),
    (2, 4, NONE, "", 0),
    (2, "PPYBLW", NONE, "", 0),
    (2, "BBBPY", NONE, "PY", 1),
    (2, 3, PINK, "", 0),
    (2, "PYLB", PINK, "PYLD", 2),
    (2, 2, ("komatsu_otome", "kenrokuen_kumagai"), "PPYYLL", 3),
    (2, 2, ("sakuya_hime", "somei_yoshino", "kokonoe"), "PPYYLW", 3),
    (3, 4, NONE, "", 0),
    (3, 5, NONE, "", 0),
    (3, "BBPY", NONE, "", 0),
    (3, 2, PINK, "PYLD", 1),
    (3, "PYLD", ("komatsu_otome",), "", 0),
    (3, "PYLD", ("somei_yoshino",), "", 0),
    (3, 2, PINK, "PPYYLD", 3),
    (3, "WBB", MIXED, "PPYYLL", 3),
    (4, 4, NONE, "", 0),
    (4, "PPYW", ("sakuya_hime",), "", 0),
    (4, 2, MIXED, "PPYYLD", 3),
    (4, "BBB", NONE, "", 0),
    (4, "PLB", ("komatsu_otome", "kenrokuen_kumagai"), "YYDW", 3),
]


LARGER = [TINY[i] for i in (1, 7, 8, 9, 11, 12, 14, 15, 18)]


def tiny(i):
    players, bag, cards, hand, used = TINY[i]
    return late_table(random.Random(i), players, bag, cards, hand, used)


def check_against_full_tree(table, handed_on=None):
    end, tree = solve_end(table), FullTree(handed_on)
    expected = tree.options(forget(table), bags_of(table))
    assert [option.move for option in end.options] == [move for move, _ in expected]
    assert [[o.shares, o.scores] for o in end.options] == [list(map(tuple, value)) for _, value in expected]
    assert end.best == end.options[expected.index(tree.first_best(table.to_move, expected))]
    assert (end.shares, end.scores) == (end.best.shares, end.best.scores)
    assert sum(end.shares) == 1


@pytest.mark.parametrize(
    "i", [pytest.param(i, marks=pytest.mark.slow) if case in LARGER else i for i, case in enumerate(TINY)]
)
def test_full_trees_agree_exactly(i):
    check_against_full_tree(tiny(i))


def test_a_broken_rule_is_noticed(monkeypatch):
    hides = endgame.hides
    monkeypatch.setattr(endgame, "hides", lambda hand: hides(hand)[:1])  # as if nothing could be hidden
    with pytest.raises(AssertionError):
        check_against_full_tree(tiny(0))


def test_every_phase_of_a_turn_agrees_with_full_trees():
    table = late_table(random.Random(5), 3, "PYB", ("sakuya_hime", "somei_yoshino"), "PYLDD", 3)
    check_against_full_tree(after(table, Stop()))
    check_against_full_tree(after(after(table, Stop()), UseCard("somei_yoshino", Pick("D", "hand"))))
    table = late_table(random.Random(5), 3, "PYLD", ("komatsu_otome", "kenrokuen_kumagai"), "PYLLWW", 3)
    for card, drawn in (("komatsu_otome", "PLD"), ("kenrokuen_kumagai", "PY")):
        check_against_full_tree(after(after(table, Stop()), UseCard(card), Flowers.parse(drawn)))
    for players, bag in ((2, "PPYLW"), (3, "PPBL")):
        table = late_table(random.Random(5), players, bag, NONE, "PL", 1)
        check_against_full_tree(after(table, Draw(2), Flowers.parse("PP")))


@pytest.mark.parametrize(
    "changes",
    [
        {"alike": 2},
        {"alike": 4, "different": 3},
        {"draws": 1},
        {"draws": 4, "flowers": 2},
        {"orphan_wilds": "free", "ties": "dense", "front_beyond_ten": "linear"},
        {"warm": (3, 2, 1), "cool": (30, 0, -30), "empty_group": "nothing", "ties": "pooled"},
    ],
)
def test_changed_rules_agree_with_full_trees(changes):
    check_against_full_tree(late_table(random.Random(3), 3, "PPYW", **changes))


# Failures with blacks alone hand the table round.


def burden(fronts, bag, to_move=0):
    """A table at which every flower costs its owner points, so that to fail with blacks alone is welcome."""
    front = [Flowers.parse(text) for text in fronts]
    rules = Rules(
        players=len(front),
        counts=sum(front, Flowers.parse(bag)),
        cards=(),
        front_table=tuple(-2 * n for n in range(30)),
        warm=(-90, -60, -30),
        cool=(-90, -60, -30),
        orphan_wilds="free",
        empty_group="nothing",
        two_player_tie="normal",
    )
    seats = tuple(Seat(f"Seat {i}", flowers) for i, flowers in enumerate(front))
    return Table(rules, seats, to_move)


ROUND = [
    (("P4", "P4"), "B3 W1"),
    (("P4", "P3 Y2"), "B3 W2"),
    (("P4", "P4"), "B4 W1"),
    (("P4", "P4", "P4"), "B3 W1"),
    (("P5", "P4", "P4"), "B3 W1"),
    (("P4", "P4", "P5", "P4"), "B3 W1"),
]


def by_solver(rules):
    solver = Endgame(rules)

    def value(table):
        end = solver.solve(table)
        return end.shares, end.scores

    return value


@pytest.mark.parametrize(("fronts", "bag"), ROUND)
def test_tables_handed_round_satisfy_their_equations_exactly(fronts, bag):
    handed_on = by_solver(burden(fronts, bag).rules)
    for seat in range(len(fronts)):
        check_against_full_tree(burden(fronts, bag, seat), handed_on)


def test_a_table_handed_round_by_symmetry_and_by_iteration():
    """Both want to pass; backing up values again and again leads from any start to those found."""
    tables = [burden(("P4", "P4"), "B4 W1", seat) for seat in (0, 1)]
    ends = [solve_end(table) for table in tables]
    assert ends[0].shares == ends[1].shares[::-1]
    assert ends[0].shares == (Fraction(2, 7), Fraction(5, 7))
    deeper, values = by_solver(tables[0].rules), [((1, 0), (5, -5)), ((0, 1), (0, 0))]
    for _ in range(8):  # each leaves two fifths of what was missing
        tree = FullTree(lambda new, known=values: known[new.to_move] if new.bag_size == 5 else deeper(new))
        values = [tree.best(table, bags_of(table))[1] for table in tables]
    for (shares, scores), end in zip(values, ends, strict=True):
        assert [float(x) for x in (*shares, *scores)] == pytest.approx(
            [float(x) for x in (*end.shares, *end.scores)], abs=1e-2
        )


def test_a_bag_of_blacks_alone_is_one_flower_and_a_stop():
    table = late_table(random.Random(1), 3, "BBB")
    assert [option.move for option in solve_end(table).options] == [Draw(1)]
    assert [option.move for option in solve_end(after(table, Draw(1), ONE["B"])).options] == [Stop()]
    other = late_table(random.Random(1), 3, "BBBP")
    assert len(solve_end(other).options) == 4


# Sure things.


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_a_sure_win_is_exactly_one(seat):
    fronts = ["P1", "Y1", "L1"]
    fronts[seat] = "P10 Y10 L10 D10"
    counts = sum(map(Flowers.parse, fronts), Flowers.parse("W2 B2 P1"))
    rules = Rules(players=3, counts=counts, cards=("komatsu_otome", "kokonoe"))
    end = solve_end(Table(rules, tuple(Seat(f"Seat {i}", Flowers.parse(f)) for i, f in enumerate(fronts)), 1))
    assert end.shares == tuple(Fraction(i == seat) for i in range(3))
    assert all(option.shares == end.shares for option in end.options)


def test_the_last_flower_of_the_game():
    rules = Rules(players=2, counts=Flowers.parse("P3 Y4 L1"), cards=())
    table = Table(rules, (Seat("Ann", Flowers.parse("P3")), Seat("Ben", Flowers.parse("Y4"))))
    end = solve_end(table)
    assert end.best.move == Draw(1)
    assert (end.shares, end.scores) == ((1, 0), (1 + 5 + 12, 3 + 5))  # hidden, it is the larger cool group
    ended = solve_end(after(after(after(table, Draw(1), ONE["L"]), Stop()), Hide("L")))
    assert (ended.shares, ended.best, ended.options) == ((1, 0), None, ())


def test_a_seat_that_cannot_win_plays_for_its_margin():
    rules = Rules(players=2, counts=Flowers.parse("P10 Y2 L2"), cards=(), cool=(0, 0, 0))
    table = Table(rules, (Seat("Ann", Flowers.parse("Y2")), Seat("Ben", Flowers.parse("P10"))))
    table = after(after(table, Draw(2), Flowers.parse("LL")), Stop())
    end = solve_end(table)
    assert [option.shares for option in end.options] == [(0, 1), (0, 1)]
    assert [option.margins[0] for option in end.options] == [-26, -25]
    assert end.best.move == Hide("L")


# What cannot be solved.


def test_flowers_that_one_seat_alone_knows_are_refused():
    blue = ("shin_sumizome", "somei_yoshino", "kenrokuen_kumagai")
    with pytest.raises(
        Refused, match="can still earn Shin Sumizome, whose flower one seat alone sees; the exact"
    ):
        solve_end(late_table(random.Random(0), 4, "PPYY", blue))
    with pytest.raises(Refused, match="PPYY can still earn Shin Sumizome"):
        solve_end(after(late_table(random.Random(0), 4, "LL", blue, "PPYY", 1), Stop()))
    table = late_table(random.Random(0), 4, "PPYL")
    for change, text in (
        ({"unseen_behind": 1}, "1 of the flowers behind Ann's screen is not watched"),
        ({"secret": 2}, "2 of the flowers behind Ann's screen are secret"),
        ({"own_secret": ONE["P"]}, "1 of the flowers behind Ann's screen is secret"),
    ):
        with pytest.raises(Refused, match=text):
            solve_end(Table(table.rules, (Seat("Ann", **change), *table.seats[1:])))


def test_a_card_that_nobody_can_earn_any_more_changes_nothing():
    for bag in ("PYL", "PPYL", "PPPB"):
        table = late_table(random.Random(7), 3, bag)
        rules = replace(table.rules, cards=("shin_sumizome",))
        assert solve_end(Table(rules, table.seats, table.to_move)).options == solve_end(table).options


def test_too_many_tables_are_refused_at_once_and_leave_the_solver_usable():
    table = late_table(random.Random(1), 3, "PYLWW")
    solver = Endgame(table.rules, limit=50)
    with pytest.raises(
        Refused, match="more than 50 tables can follow; the exact endgame visits 50; ask later"
    ):
        solver.solve(table)
    solver.limit = 10_000
    assert solver.solve(table).options == solve_end(table).options


def test_an_interrupt_loses_nothing_that_is_solved(monkeypatch):
    table = late_table(random.Random(1), 3, "PYLWW")
    solver, worth, calls = Endgame(table.rules), Ending.worth, iter(range(10**9))

    def interrupted(self, seats):
        if next(calls) == 100:
            raise KeyboardInterrupt
        return worth(self, seats)

    monkeypatch.setattr(Ending, "worth", interrupted)
    with pytest.raises(KeyboardInterrupt):
        solver.solve(table)
    again, whole = solver.solve(table), solve_end(table)
    assert again.options == whole.options
    assert again.visited < whole.visited
    assert solver.solve(table).visited == 0


def test_a_table_of_another_game_is_refused():
    with pytest.raises(Refused, match="a table of other rules"):
        Endgame(Rules()).solve(late_table(random.Random(1), 3, "P"))


def test_beliefs_that_failures_would_sharpen_for_ever_are_refused():
    with pytest.raises(Refused, match="a failure with 3 blacks alone tells more about the bag each time"):
        solve_end(late_table(random.Random(1), 2, "BBBBPPP"))


# Games that follow the play found.

FAMILY = 1e-3
"""The chance that any of the checks of one test fails though all is right."""


def follow(table, play, rng):
    """The shares of one game from here on: tokens come out of a shuffled bag, moves from `play`."""
    bag = [c for c, n in enumerate(table.pool.counts) for _ in range(n)]
    rng.shuffle(bag)
    del bag[: table.hidden]
    while not table.over:
        move = play(table)
        drawn = [bag.pop(rng.randrange(len(bag))) for _ in range(draw_size(table, move))]
        if isinstance(move, Keep):
            back = (table.bonus.drawn if table.bonus else table.hand) - move.flowers
            bag += [c for c, n in enumerate(back.counts) for _ in range(n)]
        flowers = Flowers(*(drawn.count(c) for c in range(6))) if drawn else None
        table = after(table, move, flowers)
    return shares(forget(table))


@cache
def shares(ended):
    return [player.share for player in ended.score().players]


def best_play(solver):
    known = {}

    def play(table):
        key = forget(table), belief(table)
        if key not in known:
            known[key] = solver.solve(table).best.move
        return known[key]

    return play


def surprise(mean, value, games):
    """At most so likely is a mean as far from the value as this, of games with results in 0..1 (Bernstein's
    inequality with the largest standard error such a value allows)."""
    if mean == value:
        return 1.0
    off = abs(mean - value)
    return 2 * exp(-games * off**2 / 2 / (value * (1 - value) + off / 3))


def played(i, games, bags):
    """A position, what it is worth, and the mean shares of games that follow the play found; `bags` are the
    flowers left for 2, 3 and 4 players."""
    rng = random.Random(1000 + i)
    players = 2 + i % 3
    cards = (NONE, NONE, ("somei_yoshino",), ("komatsu_otome", "sakuya_hime"), NONE)[i % 5]
    if i % 10 == 4:
        table = burden(("P4", "P4 Y1", "P4", "P4")[:players], ("B3 W2", "B3 W1 L1")[i % 2])
        solver = Endgame(table.rules)
    else:
        table, solver = even_table(rng, players, bags[players - 2], cards)
    value = [float(share) for share in solver.solve(table).shares]
    play = best_play(solver)
    results = [follow(table, play, rng) for _ in range(games)]
    return value, [float(sum(shares)) / games for shares in zip(*results, strict=True)]


def even_table(rng, players, bag, cards):
    """A late table at which nobody has won yet, and what has solved it."""
    solver = Endgame(Rules.official(players, cards))
    while True:
        table = late_table(rng, players, bag, cards)
        first, second, *_ = sorted((player.total for player in table.score().players), reverse=True)
        if first - second <= 4 and max(solver.solve(table).shares) < Fraction(19, 20):
            return table, solver


def check_played(positions, games, bags):
    found = [played(i, games, bags) for i in positions]
    checks = sum(len(value) for value, _ in found)
    for value, means in found:
        for a, b in zip(means, value, strict=True):
            assert surprise(a, b, games) > FAMILY / checks
    # The same games do not agree with values given to the wrong seats.
    wrong = sum(
        any(
            surprise(a, b, games) <= FAMILY / checks
            for a, b in zip(means, value[1:] + value[:1], strict=True)
        )
        for value, means in found
    )
    assert wrong >= len(found) * 0.8


def test_games_that_follow_the_play_agree_with_the_value():
    check_played(range(5), 120, (4, 4, 3))


@pytest.mark.slow
def test_games_that_follow_the_play_agree_with_the_value_at_50_positions():
    check_played(range(50), 400, (5, 4, 3))
