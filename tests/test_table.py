"""Tables: what is refused, who knows what, files that read back; moves against a second list of them."""

import dataclasses
import itertools
import json
import random
from collections import Counter
from fractions import Fraction
from math import comb, prod

import pytest
from random_games import game, set_ups

from cherrysim.engine import after, draw_size, legal_moves, why_not
from cherrysim.files import read_text
from cherrysim.flowers import COLOURS, LETTERS, Flowers, Refused
from cherrysim.hands import conditions
from cherrysim.knowledge import assumptions, belief
from cherrysim.moves import (
    Draw,
    Drawn,
    Hide,
    Keep,
    Overdraw,
    Pick,
    Place,
    Returned,
    Secret,
    Stop,
    Take,
    UseCard,
)
from cherrysim.rules import CARDS, Rules
from cherrysim.table import Bonus, Seat, Table
from cherrysim.tablefile import read_table, table_of

F = Flowers.parse
NONE = Flowers()


@pytest.fixture(scope="module")
def played():
    """Every move of 150 random games, each with the table before and after it."""
    rng = random.Random(4)
    return [step for rules in set_ups(150) for step in game(rules, rng)]


def test_random_games_use_every_kind_of_move_and_card(played):
    kinds = Counter(
        step.move.card if isinstance(step.move, UseCard) else type(step.move).__name__ for step in played
    )
    print("moves in random games:", dict(kinds))
    assert set(kinds) == {"Draw", "Stop", "Hide", "Keep", "Place", *CARDS}
    assert min(kinds.values()) >= 60


def test_every_table_of_a_game_passes_the_checks_of_its_constructor(played):
    for step in random.Random(3).sample(played, 1500):
        assert dataclasses.replace(step.after) == step.after


def test_flowers_are_conserved_and_the_bag_is_empty_only_at_the_end(played):
    for step in played:
        table = step.after
        assert table.out + table.pool == table.rules.counts
        assert table.bag_size == table.pool.total - table.rules.set_aside
        assert table.over == (not table.bag_size and not table.hand.total)
        assert all(
            0 <= n <= most for n, most in zip(table.out.counts, table.rules.counts.counts, strict=True)
        )


def test_turns_go_round_and_start_with_an_empty_hand(played):
    for step in played:
        before, table = step.before, step.after
        if isinstance(step.move, Hide) or (isinstance(step.move, Keep) and before.phase == "keep"):
            assert table.to_move == (before.to_move + 1) % table.rules.players
            assert (table.hand, table.draws_used, table.phase, table.bonus) == (NONE, 0, "collect", None)
        else:
            assert table.to_move == before.to_move


def test_only_the_mover_gains_and_others_change_by_cards_alone(played):
    for step in played:
        cards = isinstance(step.move, UseCard | Place)
        for seat, (old, new) in enumerate(zip(step.before.seats, step.after.seats, strict=True)):
            assert cards or seat == step.before.to_move or old == new
            assert old.behind in new.behind
            assert old.own_secret in new.own_secret


def everything(table):
    """Every move that could be written down, sensible or not."""
    seats, colours = range(len(table.seats)), LETTERS
    places = ["front", "behind", *seats, len(table.seats), -1]
    picks = [Pick(c, source) for c in colours for source in ("hand", "front", "behind")]
    takes = [Take(c, seat) for c in colours for seat in (*seats, len(table.seats))]
    yield Stop()
    yield from (Draw(n) for n in range(-1, 12))
    yield from map(Hide, (None, *colours, "X"))
    for size in (0, 1, 2, 3):
        for letters in itertools.combinations_with_replacement(colours, size):
            yield Keep(F("".join(letters)))
    for size in (1, 2):
        for letters in itertools.combinations_with_replacement(colours, size):
            for to in itertools.product(places, repeat=size):
                yield Place(tuple(zip(letters, to, strict=True)))
    for card in (*CARDS, "sakura"):
        yield UseCard(card)
        yield from (UseCard(card, pick) for pick in picks)
        if card in ("sakuya_hime", "kokonoe"):
            yield from (UseCard(card, pick, (take,)) for pick in (None, *picks) for take in takes)
            yield from (
                UseCard(card, None, pair) for pair in itertools.combinations_with_replacement(takes, 2)
            )


def test_legal_moves_are_just_those_with_no_reason_against_them(played):
    rng = random.Random(5)
    phases = {}
    for step in played:
        phases.setdefault((step.before.phase, step.before.bonus and step.before.bonus.card), []).append(
            step.before
        )
    tables = [table for group in phases.values() for table in rng.sample(group, min(6, len(group)))]
    tables.append(next(step.after for step in played if step.after.over))
    for table in tables:
        moves = legal_moves(table)
        assert len(set(moves)) == len(moves)
        assert set(moves) == {move for move in everything(table) if not why_not(table, move)}, table
        assert not moves or not table.over
        for move in everything(table):
            reason = why_not(table, move)
            assert "\n" not in reason
            assert not reason or reason.count(";") >= 1, reason


def test_a_game_under_way_always_has_a_move(played):
    for step in played:
        assert step.after.over or legal_moves(step.after)


# Moves one by one: what changes, and nothing else.


def at(hand="-", draws=1, players=3, cards="blue", phase="display", seats=(), **more):
    seats = [*seats, *[Seat(f"Seat {i}") for i in range(len(seats), players)]]
    rules = more.pop("rules", Rules.official(players, cards))
    return Table(rules, tuple(seats), 0, F(hand), draws if hand != "-" else 0, phase, **more)


@pytest.mark.parametrize(
    ("table", "move", "reason"),
    [
        (
            at("PYY", phase="collect"),
            Draw(6),
            "hand PYY + draw 6 is 9 flowers; a turn allows 8; draw at most 5",
        ),
        (
            at("PPYYLLDD", 2, phase="collect"),
            Draw(1),
            "hand PPYYLLDD + draw 1 is 9 flowers; a turn allows 8; stop",
        ),
        (at(phase="collect"), Draw(9), "draw 9 is 9 flowers; a turn allows 8; draw at most 8"),
        (at(phase="collect"), Draw(0), "draw 0; a draw takes one flower or more; draw 1"),
        (at("PYY", 3, phase="collect"), Draw(1), "3 draws used; a turn allows 3; stop"),
        (at("PY", phase="collect"), Overdraw(6), "8 flowers are no mistake; a turn allows 8; draw them"),
        (at(phase="collect"), Stop(), "stop with no flower drawn; a turn draws one or more; draw 1"),
        (at("PYY"), Stop(), "stop in phase display; it belongs to collect; make another move"),
        (at("PYY"), Hide("L"), "hide L; the collection is PYY; choose a colour of it or none"),
        (
            at("PYY"),
            UseCard("shin_sumizome"),
            "hand PYY does not match shin_sumizome; a card needs its combination; ",
        ),
        (
            at("PPYY"),
            UseCard("sakuya_hime"),
            "card 'sakuya_hime'; this game has shin_sumizome, somei_yoshino, ",
        ),
        (at("PYLD"), UseCard("somei_yoshino"), "somei_yoshino moves 1 own and takes 0 other flowers; "),
        (at("PYLD"), UseCard("somei_yoshino", Pick("B", "hand")), "B from hand; there lie P1 Y1 L1 D1; "),
        (
            at("PPYY", cards="pink", seats=[Seat("A"), Seat("B", F("B"))]),
            UseCard("sakuya_hime", Pick("P", "hand"), (Take("B", 1),)),
            "B from B; any but black of B1 can be taken; choose one of these",
        ),
        (at("PPP", phase="keep"), Keep(F("PY")), "keep PY of PPP; two different colours are kept; keep P"),
        (
            at("PPYYLL", bonus=Bonus("kenrokuen_kumagai", F("PW")), phase="bonus"),
            Keep(F("P")),
            "flowers to keep; those of",
        ),
        (
            at("PYLD", cards="pink", bonus=Bonus("komatsu_otome", F("PWB")), phase="bonus"),
            Keep(F("B")),
            "keep B of the card's draw; one that is not black is kept; keep P or W",
        ),
    ],
)
def test_reasons(table, move, reason):
    assert why_not(table, move).startswith(reason)
    with pytest.raises(Refused) as caught:
        after(table, move)
    assert str(caught.value).startswith(reason)


def test_a_short_bag_limits_draws_and_bonuses():
    few = Rules.from_mapping({"players": 3, "counts": "P6 Y6 L6", "cards": "blue"})
    table = at("PPYYLL", 1, rules=few, seats=[Seat("A", F("P4 Y4 L3"))])
    assert (table.bag_size, draw_size(table, UseCard("kenrokuen_kumagai"))) == (1, 1)
    bonus = after(table, UseCard("kenrokuen_kumagai"), F("L"))
    ended = after(after(bonus, Place((("L", 1),))), Hide("L"))
    assert ended.over
    assert legal_moves(ended) == ()
    assert why_not(ended, Draw(1)) == "the bag is empty and the game over; no move follows; score the table"
    assert ended.seats[1].front == F("L")
    collect = dataclasses.replace(table, phase="collect")
    assert why_not(collect, Draw(2)) == "draw 2; the bag holds 1; draw at most 1"


@pytest.mark.parametrize("card", ["shin_sumizome", "komatsu_otome", "kenrokuen_kumagai"])
def test_a_card_has_no_effect_with_an_empty_bag(card):
    rules = Rules.from_mapping({"players": 3, "counts": "P2 Y2 L2 D1", "cards": [card]})
    hand = "PYLD" if card == "komatsu_otome" else "PPYYLL" if card == "kenrokuen_kumagai" else "PPYY"
    rest = rules.counts - F(hand)
    table = at(hand, rules=rules, seats=[Seat("A", rest)])
    used = after(table, UseCard(card))
    assert (used.phase, used.seats, used.bag_size) == ("hide", table.seats, 0)


def test_komatsu_otome_can_refill_an_emptied_bag():
    rules = Rules.from_mapping({"players": 3, "counts": "P2 Y1 L1 D1 W1", "cards": "pink"})
    bonus = after(at("PYLD", rules=rules), UseCard("komatsu_otome"), F("PW"))
    assert bonus.bag_size == 0
    ended = after(after(bonus, Keep(F("P"))), Hide(None))
    assert (ended.over, ended.unseen) == (False, F("W"))


@pytest.mark.parametrize(
    ("drawn", "reason"), [("PPPP", "draws 3"), ("PP", "draws 3"), ("BBB", None), ("B5", "draws 3")]
)
def test_drawn_flowers_are_as_many_as_the_move_says(drawn, reason):
    start = Table.start(Rules.official(3))
    if reason is None:
        assert after(start, Draw(3), F(drawn)).phase == "keep"
    else:
        with pytest.raises(Refused, match=reason):
            after(start, Draw(3), F(drawn))


def test_drawn_flowers_must_be_in_the_bag_and_told():
    table = at(phase="collect", seats=[Seat("A", F("B4"))])
    with pytest.raises(Refused, match="the bag holds at most P15 Y15 L15 D15 W15 B1"):
        after(table, Draw(2), F("BB"))
    with pytest.raises(Refused, match="give them"):
        after(table, Draw(2))


def test_more_than_eight_by_mistake_ends_the_turn_with_nothing():
    table = at("PPYYLL", 2, phase="collect", history=(Drawn(F("PPYYLL")),))
    found = after(table, Overdraw(3), F("WWW"))
    assert (found.to_move, found.hand, found.phase, found.unseen) == (1, NONE, "collect", table.rules.counts)
    assert found.history == (Drawn(F("PPYYLL")), Drawn(F("W3")), Returned(F("PPYYLLWWW")))


# Constructors refuse what cannot be.


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ({}, "a table without seats"),
        ([], "the table is a list"),
        ({"seats": {}}, "seats is an object"),
        ({"seats": [{}]}, "players is 1"),
        ({"seats": [{}] * 5}, "players is 5"),
        ({"seats": [{}, {}], "rules": {"players": 3}}, "2 seats; the rules are for 3 players"),
        ({"seats": [{}, 7]}, "seat 1 is a number; it is an object"),
        ({"seats": [{}, {}], "turn": 1}, "unknown key 'turn' in the table"),
        ({"seats": [{}, {"colour": 1}]}, "unknown key 'colour' in seat 1"),
        ({"seats": [{}, {}], "rules": {"tie": "pooled"}}, "unknown key 'tie' in the rules"),
        ({"seats": [{"front": "P14"}, {}]}, "14 pink in front of Seat 0; this game has 13 (2 players)"),
        (
            {"seats": [{"front": "B3", "behind": "B1"}, {}], "hand": "B"},
            "5 black in hand, front of Seat 0 and behind of Seat 0; this game has 4",
        ),
        ({"seats": [{"front": "blue"}, {}]}, "front of seat 0: blue is light or dark"),
        ({"seats": [{"behind": 3}, {}]}, "behind of seat 0: 3 is not flowers"),
        ({"seats": [{"behind": {"pink": -1}}, {}]}, "behind of seat 0: pink is -1"),
        (
            {"seats": [{"unseen_behind": 67}, {}]},
            "70 flowers are set aside, secret or not watched; 69 of the game",
        ),
        ({"seats": [{"secret": -1}, {}]}, "secret of Seat 0 is -1"),
        ({"seats": [{"secret": True}, {}]}, "secret of Seat 0 is True"),
        ({"seats": [{"name": "A\nB"}, {}]}, "control character"),
        ({"seats": [{"name": ""}, {}]}, "a name of 0 characters"),
        ({"seats": [{"name": "x" * 61}, {}]}, "a name of 61 characters"),
        ({"seats": [{"name": 7}, {}]}, "7 is not a name"),
        ({"seats": [{"name": "Zoe\u0308"}, {"name": "Zo\u00eb"}]}, "two players are called Zo\u00eb"),
        ({"seats": [{}, {}], "to_move": 2}, "to_move is 2; seats count from 0 to 1"),
        ({"seats": [{}, {}], "to_move": True}, "to_move is True"),
        ({"seats": [{}, {}], "hand": "PPYYLLDDW"}, "hand P2 Y2 L2 D2 W1 is 9 flowers; a turn allows 8"),
        ({"seats": [{}, {}], "hand": "PPP", "phase": "collect"}, "hand P3 has failed"),
        ({"seats": [{}, {}], "hand": "PP", "phase": "keep"}, "hand P2 has not failed"),
        ({"seats": [{}, {}], "phase": "display"}, "phase display with an empty hand"),
        ({"seats": [{}, {}], "phase": "over"}, "phase is 'over'"),
        ({"seats": [{}, {}], "hand": "PY", "draws_used": 3}, "3 draws used for 2 flowers"),
        ({"seats": [{}, {}], "hand": "PY", "draws_used": 0}, "0 draws used with 2 flowers in hand"),
        ({"seats": [{}, {}], "draws_used": 1}, "1 draw used with 0 flowers in hand"),
        ({"seats": [{}, {}], "draws_used": 1.5}, "draws_used is 1.5"),
        ({"seats": [{}, {}], "hand": "PYLD", "draws_used": 4}, "4 draws used for 4 flowers"),
        ({"seats": [{}, {}], "hand": "PY", "phase": "bonus"}, "phase bonus and the flowers drawn for a card"),
        (
            {"seats": [{}, {}], "hand": "PPYYLL", "bonus": {"card": "shin_sumizome"}, "phase": "bonus"},
            "bonus card",
        ),
        (
            {
                "seats": [{}, {}],
                "hand": "PYLD",
                "bonus": {"card": "kenrokuen_kumagai", "drawn": "PW"},
                "phase": "bonus",
            },
            "hand P1 Y1 L1 D1 does not match kenrokuen_kumagai",
        ),
        (
            {
                "seats": [{}, {}],
                "hand": "PPYYLL",
                "bonus": {"card": "kenrokuen_kumagai", "drawn": "P"},
                "phase": "bonus",
            },
            "1 flower drawn for kenrokuen_kumagai; it draws 2",
        ),
        ({"seats": [{}, {}], "bag": "P3"}, "bag P3; the game's flowers less those on the table leave P13"),
        ({"seats": [{}, {}], "splits": [{"warm": 1}]}, "1 splits; there are 2 players"),
        ({"seats": [{}, {}], "splits": [{"warm": -1}, None]}, "a split has -1 wilds"),
        (
            {"seats": [{}, {}], "history": [{"draw": "P"}]},
            "history leaves P1 out of the bag; on the table are -",
        ),
        (
            {"seats": [{}, {}], "history": [{"return": "P"}]},
            "history entry 1 returns P1; fewer than that had been drawn",
        ),
        (
            {"seats": [{}, {}], "history": [{"draw": "P", "return": "P"}]},
            "history entry 1: ",
        ),
        ({"seats": [{}, {}], "history": [{"secret": 2}]}, "history entry 1: seat 2; seats are 0 to 1"),
        (
            {"seats": [{}, {}], "history": [{"secret": 0}]},
            "history has 1 secret flower of Seat 0; the seat has 0",
        ),
        ({"seats": [{}, {}], "history": [{"draw": "P14"}, {"return": "P14"}]}, "history leaves P14 out"),
        ({"seats": [{}, {}], "history": [{"draw": "P13 Y13 L13 D13 W13 B2"}]}, "history leaves P13 Y13"),
        ({"seats": [{}, {}], "history": "PPP"}, "a history is a list"),
    ],
)
def test_impossible_tables_are_refused(document, reason):
    for text in (None, json.dumps(document)):
        with pytest.raises(Refused) as caught:
            table_of(document) if text is None else read_table(text)
        if text is None or text.startswith("{"):
            assert str(caught.value).startswith(reason) or reason in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "[]",
        '"seats"',
        '{"seats": [{}, {}], "seats": [{}, {}]}',
        '{"seats": [{"front": "P", "front": "P"}, {}]}',
        '{"seats": [{}, {}], "to_move": NaN}',
        '{"seats": [{}, {}], "to_move": ' + "1" * 5000 + "}",
        "[" * 100000,
        '{"seats": ' * 100000,
        "to_move = 1\nto_move = 1\n[[seats]]\n[[seats]]",
        '{"seats": [{"name": "\\ud800"}, {}]}',
    ],
)
def test_broken_texts_are_refused_in_one_line(text):
    with pytest.raises(Refused) as caught:
        read_table(text)
    assert "\n" not in str(caught.value)


def test_impossible_histories_with_hidden_tokens_are_refused():
    """All four pink come out and three go back: so the three yellow were set aside, and none can be drawn."""
    rules = {"counts": "P4 Y3", "set_aside": 3, "cards": []}
    events = [{"draw": "P4"}, {"return": "P3"}]
    table_of(
        {"rules": rules, "seats": [{"front": "P1"}, {"front": "P2"}], "history": [*events, {"draw": "P2"}]}
    )
    with pytest.raises(Refused, match="P1 Y1 cannot be drawn"):
        table_of(
            {
                "rules": rules,
                "seats": [{"front": "P1"}, {"front": "P1 Y1"}],
                "history": [*events, {"draw": "PY"}],
            }
        )


# Files.

EXAMPLE = """
{"rules":{"players":3,"cards":["shin_sumizome","somei_yoshino","kenrokuen_kumagai"]},
 "seats":[{"name":"Ann","front":"P3 Y2 B1","behind":"L2 W1","unseen_behind":0,"secret":0}, {}, {"name":"Cy"}],
 "to_move":0,"hand":"PYY","draws_used":1,"phase":"collect",
 "bonus":null,"history":null,"splits":null,"bag":null}
"""


def test_the_documented_example_in_json_and_toml(tmp_path):
    table = read_table(EXAMPLE)
    toml = """
    to_move = 0
    hand = {pink = 1, yellow = 2}
    [rules]
    cards = ["shin_sumizome", "somei_yoshino", "kenrokuen_kumagai"]
    [[seats]]
    name = "Ann"
    front = "3P 2Y 1K"
    behind = "L:2, W:1"
    [[seats]]
    [[seats]]
    name = "Cy"
    """
    assert read_table(toml) == table
    (tmp_path / "table.json").write_bytes(b"\xef\xbb\xbf" + EXAMPLE.replace("\n", "\r\n").encode())
    assert read_table(read_text(tmp_path / "table.json")) == table
    assert [seat.name for seat in table.seats] == ["Ann", "Seat 1", "Cy"]
    assert table.to_json()["bag"] == "P11 Y11 L13 D15 W14 B4"


def test_defaults():
    table = read_table('{"seats": [{}, {}, {}, {}]}')
    assert table == dataclasses.replace(Table.start(Rules()), history=None)
    assert read_table('{"seats": [{}, {}], "hand": "PPP"}').phase == "keep"
    assert read_table('{"seats": [{}, {}], "rules": {"cards": []}}').rules.cards == ()


def test_what_is_written_reads_back_as_the_same_table(played):
    """Judged by the object that was read back: its document, its moves, its belief, its text."""
    rng = random.Random(6)
    for step in rng.sample(played, 120):
        table = step.after
        text = json.dumps(table.to_json())
        again = read_table(text)
        assert json.dumps(again.to_json()) == text
        assert again == table_of(again.to_json())
        assert legal_moves(again) == legal_moves(table)
        assert str(again) == str(table)
        assert (again.unseen, again.bag_size, again.over) == (table.unseen, table.bag_size, table.over)
        assert belief(again) == belief(table)
        if not any(seat.own_secret.total for seat in table.seats):
            assert again == table


def test_a_history_may_leave_out_this_turns_collection():
    seats = [{"front": "P1"}, {}]
    whole = {"seats": seats, "hand": "YY", "history": [{"draw": "P1"}, {"draw": "YY"}]}
    before = {"seats": seats, "hand": "YY", "history": [{"draw": "P1"}]}
    assert table_of(whole) == table_of(before)


def test_given_splits_and_bag_come_back():
    document = {"seats": [{"behind": "P1 L1 W2"}, {}], "splits": [{"warm": 2, "cool": 0}, None]}
    table = table_of(document)
    assert table.splits == ((2, 0), None)
    assert table.score().players[0].warm.count == 3
    assert table_of(table.to_json()) == table


def test_the_text_fits_a_terminal_and_hides_what_is_secret():
    seats = [
        Seat("花子さん", F("P3 Y2 B1"), F("L2 W1"), own_secret=F("D")),
        Seat("x" * 60, F("W9"), unseen_behind=2),
    ]
    seats.append(Seat("Cy", own_secret=F("Y")))
    text = str(at("PYY", phase="collect", seats=seats))
    assert max(map(len, text.split("\n"))) <= 80
    assert "L2 D1 W1" in text
    assert "- + 1 secret" in text
    assert "- + 2 not watched" in text
    assert text.startswith("花子さん to move, hand P1 Y2, 1 of 3 draws used: stop or draw.\nBag: ")


# Scores of tables.


def test_a_table_with_unknown_flowers_has_no_score():
    for more, what in (
        ({"unseen_behind": 2}, "2 of the flowers behind Cy's screen are not watched"),
        ({"secret": 1}, "is secret"),
    ):
        with pytest.raises(Refused, match=what):
            at(phase="collect", seats=[Seat("A"), Seat("B"), Seat("Cy", **more)]).score()


def test_a_score_counts_secret_flowers_and_says_what_is_not_displayed():
    table = at("PYY", phase="collect", seats=[Seat("A", behind=F("P"), own_secret=F("Y"))])
    assert table.score().players[0].warm.count == 2
    assert table.score().not_displayed == 80 - 2


# Who knows what.


def test_nobody_sees_another_seats_secret_flower(played):
    """Exchanging others' secret flowers with others in the bag changes nothing that the mover is told."""
    checked = 0
    for step in random.Random(9).sample(played, 1000):
        table = step.before
        others = [i for i, seat in enumerate(table.seats) if i != table.to_move and seat.own_secret.total]
        if not others or table.over:
            continue
        exchanged = exchange(table, others[0])
        if exchanged == table:
            continue
        checked += 1
        assert exchanged.seen_by(table.to_move) == table.seen_by(table.to_move)
        assert exchanged.to_json() == table.to_json()
        assert exchanged.unseen == table.unseen
        assert belief(exchanged) == belief(table)
        assert assumptions(exchanged) == assumptions(table)
        assert str(exchanged) == str(table)
        assert legal_moves(exchanged) == legal_moves(table)
    assert checked > 100


def exchange(table, seat):
    """The same table with a secret flower of this seat exchanged for another colour that is still unseen."""
    own = table.seats[seat]
    old = next(c for c, n in enumerate(own.own_secret.counts) if n)
    new = next((c for c, n in enumerate(table.pool.counts) if n and c != old), old)
    one = [Flowers(*(int(i == c) for i in range(6))) for c in (old, new)]
    seats = list(table.seats)
    seats[seat] = dataclasses.replace(own, own_secret=own.own_secret - one[0] + one[1])
    history, done = [], False
    for event in table.history:
        if not done and event == Secret(seat, one[0]):
            event, done = Secret(seat, one[1]), True
        history.append(event)
    changed = object.__new__(Table)
    changed.__dict__.update({**{f.name: getattr(table, f.name) for f in dataclasses.fields(Table)}})
    changed.__dict__.update(seats=tuple(seats), history=tuple(history))
    return changed


def test_a_secret_flower_is_known_to_its_owner_alone():
    table = after(at("PPYY", history=(Drawn(F("PPYY")),)), UseCard("shin_sumizome"), F("W"))
    assert table.unseen == table.rules.counts - F("PPYYW")
    assert belief(table).known
    seen = table.seen_by(1)
    assert (seen.seats[0].secret, seen.seats[0].own_secret, seen.history[-1]) == (1, NONE, Secret(0))
    assert belief(table, 1).hidden == 1
    assert belief(table, 1) == belief(seen, 1)
    assert table.seen_by(0) == table


def test_a_secret_flower_the_writer_does_not_know():
    table = after(at("PPYY", history=(Drawn(F("PPYY")),)), UseCard("shin_sumizome"))
    assert (table.seats[0].secret, table.bag_size, table.unseen.total) == (1, 75, 76)
    shown = table.revealed(0, F("W"))
    assert (shown.seats[0].all_behind, shown.history[-1]) == (F("W"), Secret(0, F("W")))
    for wrong in ("-", "WW"):
        with pytest.raises(Refused, match="unknown there: 1 secret flower; reveal just these"):
            table.revealed(0, F(wrong))


def second_belief(table, viewer):
    """The bag by Bayes' rule over every box, bag and secret flower, event by event, as chances of bags."""
    counts = table.rules.counts.counts
    states = Counter()
    for box in itertools.product(*(range(min(n, table.rules.set_aside) + 1) for n in counts)):
        if sum(box) == table.rules.set_aside:
            bag = tuple(n - k for n, k in zip(counts, box, strict=True))
            states[bag] += Fraction(prod(map(comb, counts, box)))
    for event in table.history:
        known = (
            event.flower
            if isinstance(event, Secret) and event.seat == viewer
            else getattr(event, "flowers", None)
        )
        after_it = Counter()
        for bag, weight in states.items():
            if isinstance(event, Returned):
                after_it[tuple(n + k for n, k in zip(bag, known.counts, strict=True))] += weight
                continue
            outcomes = [known.counts] if known else [tuple(int(i == c) for i in range(6)) for c in range(6)]
            for out in outcomes:
                ways = prod(map(comb, bag, out))
                if ways:
                    left = tuple(n - k for n, k in zip(bag, out, strict=True))
                    after_it[left] += weight * Fraction(ways, comb(sum(bag), sum(out)))
        states = after_it
    total = sum(states.values())
    return {bag: weight / total for bag, weight in states.items()}


def test_beliefs_from_the_history_against_a_second_model():
    rng = random.Random(8)
    checked = Counter()
    for players in (2, 3):
        rules = Rules.from_mapping(
            {"players": players, "counts": "P5 Y5 L5 D3 W3 B2", "cards": ["shin_sumizome", "komatsu_otome"]}
        )
        for _ in range(40):
            steps = list(game(rules, rng))
            for step in rng.sample(steps, min(4, len(steps))):
                table = step.before
                viewer = rng.randrange(players)
                found = belief(table, viewer)
                bags = dict(found.bags())
                total = sum(bags.values())
                assert {bag: Fraction(w, total) for bag, w in bags.items()} == second_belief(table, viewer)
                secrets = sum(isinstance(event, Secret) and event.seat != viewer for event in table.history)
                checked[players, secrets > 0, found.known] += 1
    print("beliefs compared (players, secrets, known):", dict(checked))
    assert sum(n for (_, secrets, _), n in checked.items() if secrets) > 20


def test_without_a_history_the_pool_is_used_and_said():
    table = at(players=2, phase="collect", seats=[Seat("A", F("P3")), Seat("B", secret=1, unseen_behind=2)])
    found = belief(table)
    assert (found.hidden, found.size) == (6, 60)
    said = assumptions(table)
    assert len(said) == 4
    assert "No history is given" in said[-1]
    assert assumptions(at(phase="collect")) == ()
    assert belief(at(phase="collect")).known


def test_the_belief_is_the_mover_s_unless_another_seat_is_named():
    start = Table.start(Rules.official(2))
    assert belief(start) == belief(start, 0) == belief(start, 1)
    assert belief(start).expected() == tuple(
        Fraction(66 * n, 69) for n in (getattr(start.rules.counts, colour) for colour in COLOURS)
    )


def test_failed_hands_are_what_conditions_say(played):
    for step in played:
        if step.after.hand.total:
            assert (step.after.phase == "keep") == bool(conditions(step.after.hand.counts, step.after.rules))
