"""Nine counts a seat: displays are the engine's, in its order; equal futures are equal whatever comes."""

import random
from itertools import product

import pytest

from cherrysim.belief import Belief
from cherrysim.endgame import Endgame, solve_end
from cherrysim.engine import after, legal_moves
from cherrysim.flowers import Flowers
from cherrysim.front import front_points
from cherrysim.hands import universe
from cherrysim.moves import Hide, Stop, UseCard
from cherrysim.rules import CARDS, Rules
from cherrysim.standing import exchanges, future, gained, hides, one_kept, placings, standing, with_seat
from cherrysim.table import Seat, Table


def displayed(rng, players, cards):
    """A random table at which a success is to be displayed."""
    rules = Rules.official(players, cards)
    hand = rng.choice([hand for hand in universe(rules).hands if sum(hand) >= 3])
    left = [n - k for n, k in zip(rules.counts.counts, hand, strict=True)]
    counts = [[[0] * 6, [0] * 6] for _ in range(players)]
    for c, n in enumerate(left):
        for _ in range(rng.randrange(n - 2)):
            counts[rng.randrange(players)][rng.random() < 0.3][c] += 1
    seats = tuple(Seat(f"Seat {i}", *(Flowers(*side) for side in sides)) for i, sides in enumerate(counts))
    return after(Table(rules, seats, rng.randrange(players), Flowers(*hand), 1), Stop())


def standings(table):
    return tuple(map(standing, table.seats))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_displays_are_those_of_the_engine_in_its_order(players):
    rng, used = random.Random(players), dict.fromkeys(CARDS, 0)
    for _ in range(150):
        cards = [rng.choice(sides) for sides in zip(list(CARDS)[::2], list(CARDS)[1::2], strict=True)]
        table = displayed(rng, players, cards)
        seat, seats, hand = table.to_move, standings(table), table.hand.counts
        moves = legal_moves(table)
        hidden = [after(table, move) for move in moves if isinstance(move, Hide)]
        own = seats[seat]
        assert [standings(t) for t in hidden] == [
            with_seat(seats, seat, gained(own, change)) for change in hides(hand)
        ]
        for card in ("somei_yoshino", "sakuya_hime", "kokonoe"):
            uses = [move for move in moves if isinstance(move, UseCard) and move.card == card]
            if uses:
                found = [after(table, move) for move in uses]
                assert [(standings(t), t.hand.counts) for t in found] == [*exchanges(card, seats, seat, hand)]
                used[card] += 1
        for card, ways in (("kenrokuen_kumagai", placings), ("komatsu_otome", one_kept)):
            if UseCard(card) in moves:
                tokens = [c for c, n in enumerate(table.pool.counts) for _ in range(n)]
                drawn = rng.sample(tokens, 2 + (card == "komatsu_otome"))
                flowers = Flowers(*(drawn.count(c) for c in range(6)))
                waiting = after(table, UseCard(card), flowers)
                found = [standings(after(waiting, move)) for move in legal_moves(waiting)]
                mine = [*ways(seats, seat, flowers.counts)]
                if card == "komatsu_otome":
                    moved = zip(mine, legal_moves(waiting), strict=True)
                    assert all(back == flowers - move.flowers for (_, back), move in moved)
                    mine = [new for new, _ in mine]
                assert [*dict.fromkeys(found)] == mine
                used[card] += 1
    del used["shin_sumizome"]
    assert min(used.values()) >= 5


@pytest.mark.parametrize("switch", ["flat", "linear"])
def test_equal_futures_are_equal_whatever_comes(switch):
    rng, rules = random.Random(1), Rules(front_beyond_ten=switch)
    for bag in ((0, 1, 0, 0, 0, 0), (1, 0, 2, 0, 0, 1), (0, 0, 0, 0, 0, 3), (1, 1, 1, 0, 1, 2)):
        groups = {}
        for _ in range(4000):
            front = (*(rng.choice((0, 1, 2, 3, 4, 5, 6, 9, 10, 11)) for _ in range(5)), rng.randrange(3))
            points, rest = future((*front, 1, 0, 0), bag, rules)
            groups.setdefault(rest, {})[front] = points
        several = [group for group in groups.values() if len(group) > 1]
        assert len(several) > 5
        for group in several:
            for more in product(*(range(n + 1) for n in bag)):
                after_it = [Flowers(*map(sum, zip(front, more, strict=True))) for front in group]
                gains = [front_points(f, rules) - n for f, n in zip(after_it, group.values(), strict=True)]
                assert len(set(gains)) == 1


@pytest.mark.parametrize("cards", [(), ("somei_yoshino",), ("sakuya_hime",), ("komatsu_otome",)])
def test_tables_taken_as_one_change_no_value(cards, monkeypatch):
    rng, tables = random.Random(9), []
    for players, bag in [(3, "PYLDB"), (4, "PPYYB"), (3, "PPYYL"), (4, "PYLBB")][bool(cards) :]:
        counts = [[[0] * 6, [0] * 6] for _ in range(players)]
        for c in "PYLDWB" * 4:
            counts[rng.randrange(players)][rng.random() < 0.3]["PYLDWB".index(c)] += 1
        seats = tuple(
            Seat(f"Seat {i}", *(Flowers(*side) for side in sides)) for i, sides in enumerate(counts)
        )
        whole = sum((seat.front + seat.behind for seat in seats), Flowers.parse(bag))
        tables.append(Table(Rules(players=players, counts=whole, cards=cards), seats))
    merged = [solve_end(table) for table in tables]
    monkeypatch.setattr(Endgame, "_still_to_come", lambda self, bag: None)
    apart = [solve_end(table) for table in tables]
    assert [end.options for end in merged] == [end.options for end in apart]
    fewer = [a.visited < b.visited for a, b in zip(merged, apart, strict=True)]
    assert any(fewer)


@pytest.mark.parametrize(
    ("card", "earned", "out_of_reach"),
    [
        ("somei_yoshino", ("PYLD", "PYLB", "PPYLW"), ("PYL", "PPYYWW", "PYB")),
        ("sakuya_hime", ("PPYY", "PPPYY"), ("PPYL", "PPLB", "PPP")),
        ("kokonoe", ("PPYYLL", "PPYYLW"), ("PPYYL", "PPPPPP")),
    ],
)
def test_fronts_count_whole_while_a_card_may_still_move_them(card, earned, out_of_reach):
    for cards in ((card,), (card, "kenrokuen_kumagai")[: 1 + (card != "kokonoe")]):
        endgame = Endgame(Rules(cards=cards))
        for whole, bags in ((True, earned), (False, out_of_reach)):
            for bag in bags:
                belief = Belief.of(Flowers.parse(bag))
                assert (endgame._still_to_come(belief) is None) == whole, bag
    assert Endgame(Rules(cards=()))._still_to_come(Belief.of(Flowers.parse(earned[0]))) is not None
