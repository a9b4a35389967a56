"""Game records: what is written reads back equal, what cannot have happened is refused by its line."""

import dataclasses
import json
import random
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_games import game, set_ups

from cherrysim.engine import legal_moves
from cherrysim.files import read_text
from cherrysim.flowers import Flowers, Refused
from cherrysim.knowledge import assumptions, belief
from cherrysim.moves import Draw, Hide, Keep, Overdraw, Pick, Place, Secret, Stop, Take, Unwatched, UseCard
from cherrysim.names import LONGEST_NAME, fitted, name_of, quoted, unquoted
from cherrysim.recordfile import MOST_TURNS, is_record, read_record
from cherrysim.records import record_of, replay
from cherrysim.rules import Rules
from cherrysim.table import Table
from cherrysim.tablefile import read_table, table_of

F = Flowers.parse

EXAMPLE = """\
cherrysim record 1
players Ann, Ben, Cy
cards shin_sumizome, somei_yoshino, kenrokuen_kumagai
rules ties=pooled                     # only what is not official; optional
seed 7                                # simulated games; optional
1. Ann: PYY | L -> hide Y
2. Ben: PPY | PW -> keep P W
3. Cy: PYLD -> card somei_yoshino P from hand; hide none
4. Ann: PPYY -> card shin_sumizome ?; hide P          # ? = not known to the writer; a colour if it is
5. Ben: PPYYLL -> card kenrokuen_kumagai B behind, W to Cy; hide L
6. Cy: PPYYLLD | WW -> over           # more than 8: everything goes back
"""


def test_the_documented_example():
    record = read_record(EXAMPLE)
    assert (record.names, record.rules.ties, record.seed, record.ended) == (
        ("Ann", "Ben", "Cy"),
        "pooled",
        7,
        False,
    )
    assert [[step.move for step in turn.steps] for turn in record.turns] == [
        [Draw(3), Draw(1), Stop(), Hide("Y")],
        [Draw(3), Draw(2), Keep(F("PW"))],
        [Draw(4), Stop(), UseCard("somei_yoshino", Pick("P", "hand")), Hide(None)],
        [Draw(4), Stop(), UseCard("shin_sumizome"), Hide("P")],
        [Draw(6), Stop(), UseCard("kenrokuen_kumagai"), Place((("B", "behind"), ("W", 2))), Hide("L")],
        [Draw(7), Overdraw(2)],
    ]
    table = replay(record)
    assert [str(seat.front) for seat in table.seats] == ["P1 Y2 L1", "P3 Y2 W1", "Y1 L1 D1 W1"]
    assert [str(seat.behind) for seat in table.seats] == ["P2 Y2", "L2 B1", "P1"]
    assert [seat.secret for seat in table.seats] == [1, 0, 0]
    assert table.to_move == 0
    assert record.score() is None
    assert [turn.line for turn in record.turns] == [6, 7, 8, 9, 10, 11]
    assert read_record(str(record)) == record


def test_replay_at_a_turn():
    record = read_record(EXAMPLE)
    assert replay(record, 0) == Table.start(record.rules, record.names)
    assert [str(seat.front) for seat in replay(record, 2).seats] == ["P1 L1", "P1 W1", "-"]
    assert replay(record, 6) == replay(record)
    for at in (-1, 7):
        with pytest.raises(Refused, match=f"turn {at}; the record has turns 1 to 6"):
            replay(record, at)


# Turns that nobody watched.

MISSED = """\
cherrysim record 1
players Ann, Ben
cards none
rules counts=P3Y3L2 set_aside=0
1. Ann: P | Y?? -> hide ?
2. Ben: PY -> hide Y
3. Ann: {}
"""


def test_a_turn_nobody_watched():
    """What lies in front is known, what is behind is a number, the bag a sample of all that is left."""
    record = read_record(MISSED.format("").removesuffix("3. Ann: \n"))
    assert record.turns[0].steps[0].move == Unwatched(F("PY"), 2)
    assert str(record).splitlines()[4] == "1. Ann: PY?? -> hide ?"
    table = replay(record)
    assert (str(table.seats[0].front), table.seats[0].unseen_behind) == ("P1 Y1", 2)
    assert table.history[:3] == (table.history[0], Secret(0), Secret(0))
    assert (str(table.unseen), table.bag_size, table.hidden) == ("P1 Y1 L2", 2, 2)
    assert (belief(table).size, belief(table).hidden) == (2, 2)
    assert assumptions(table) == ("2 flowers were not watched, now behind Ann's screen.",)
    assert table_of(table.to_json()) == table
    assert not any(isinstance(move, Unwatched) for move in legal_moves(table))


def test_what_nobody_watched_is_asked_for_at_the_end():
    text = MISSED.format("PY -> hide none") + "end\n"
    with pytest.raises(Refused, match="2 of the flowers behind Ann's screen are not watched; a score needs"):
        read_record(text).score()
    with pytest.raises(Refused, match="line 9: Y1 revealed behind Ann's screen; unknown there: 2 flowers"):
        read_record(text + "reveal Ann Y")
    with pytest.raises(Refused, match="line 9: "):
        read_record(text + "reveal Ann YY")  # there are three, and all lie elsewhere
    table = replay(read_record(text + "reveal Ann LL"))
    assert (str(table.seats[0].all_behind), table.seats[0].unknown, table.hidden) == ("L2", 0, 0)
    assert table.score().players[0].cool.count == 2


@pytest.mark.parametrize(
    ("turn", "reason"),
    [
        ("P?", "P\\? -> nothing; flowers drawn unseen are those that were hidden; write hide \\?"),
        ("P? -> hide P", "P\\? -> hide P; flowers drawn unseen"),
        ("? -> card shin_sumizome ?", "flowers drawn unseen"),
        ("??? -> hide ?", "3 not watched behind; a turn puts 1 to 2 there"),
        ("PP? -> hide ?", "P2 in front; the bag holds at most P1 Y1 L2"),
        ("LL? -> hide ?", "3 flowers of a turn; at most 2 can be drawn"),
        ("L? -> hide ?\n4. Ben: L", "the game is over"),
    ],
)
def test_turns_that_nobody_can_have_missed_are_refused(turn, reason):
    with pytest.raises(Refused, match=reason):
        read_record(MISSED.format(turn))


def test_what_nobody_watched_was_part_of_a_collection_that_can_be():
    """One colour that is not in front, two flowers at most, no failure; and what a card puts behind."""

    def possible(turn, cards="none"):
        return read_record(f"cherrysim record 1\nplayers Ann, Ben\ncards {cards}\n1. Ann: {turn} -> hide ?")

    for turn in ("?", "??", "PYL?", "PYL??", "PPYYLL??", "B?", "PB?"):
        assert possible(turn).turns
    for turn in ("PPP?", "PYLD?", "PYLD??", "BB?", "B??", "PPB?", "PYLB?"):
        with pytest.raises(Refused, match="has failed; of a failure nothing is hidden; write what was kept"):
            possible(turn)
    for turn, cards in (("PYLD?", "blue"), ("PPYY???", "shin_sumizome"), ("PPYYL???", "blue")):
        assert possible(turn, cards).turns
    for turn, cards in (("PYLD???", "blue"), ("PYLD?", "pink"), ("PYLD??", "somei_yoshino")):
        with pytest.raises(Refused, match="has failed"):
            possible(turn, cards)


def test_the_pink_cards():
    record = read_record(
        """cherrysim record 1
players Ann, Ben, Cy
cards sakuya_hime, komatsu_otome, kokonoe
1. Ann: PPB -> keep P
2. Ben: PL -> hide none
3. Cy: WD -> hide none
4. Ann: PPLL -> card sakuya_hime give P from front to Ben take L; hide none
5. Ben: PYLD -> card komatsu_otome drew PLB keep L; hide D
6. Cy: YYWWDD -> card kokonoe take L from Ann, P from Ben; hide none
7. Ann: PYLD -> card komatsu_otome drew BBB keep -; hide none
8. Ben: PPYY -> card sakuya_hime give Y from hand to Cy take D; hide P
"""
    )
    moves = [step.move for turn in record.turns for step in turn.steps]
    assert UseCard("sakuya_hime", Pick("P", "front"), (Take("L", 1),)) in moves
    assert UseCard("kokonoe", None, (Take("L", 0), Take("P", 1))) in moves
    assert Keep(Flowers()) in moves
    table = replay(record)
    assert str(table.seats[1].front) == "P2 Y2 L2 D1"
    assert read_record(str(record)) == record


def simulated(n):
    rng = random.Random(11)
    for i, rules in enumerate(set_ups(n)):
        steps = list(game(rules, rng))
        yield rules, [f"Seat {seat}" for seat in range(rules.players)], steps, i


def test_simulated_games_read_back_equal():
    for rules, names, steps, seed in simulated(24):
        record = record_of(rules, names, [(step.move, step.drawn) for step in steps], seed)
        text = str(record)
        again = read_record(text)
        assert again == record
        assert str(again) == text
        assert again.ended
        assert replay(again) == steps[-1].after
        assert [position.table for position in again.positions()] == [step.before for step in steps]
        assert [position.move for position in again.positions()] == [step.move for step in steps]
        assert str(again.score()) == str(steps[-1].after.score())
        lines = text.split("\n")
        for position in again.positions():
            assert lines[position.line - 1].startswith(f"{position.turn}. Seat {position.table.to_move}: ")


def test_records_may_stop_after_any_move():
    """Cut after every move, a simulated game reads back at that very table."""
    for rules, names, steps, _ in simulated(12):
        for n, step in list(enumerate(steps[:40], 1)):
            record = record_of(rules, names, [(s.move, s.drawn) for s in steps[:n]])
            again = read_record(str(record))
            if step.after.phase == "hide" and not step.drawn and not step.after.bonus:
                assert replay(again).seats == step.after.seats
            assert replay(again) == step.after, str(record).split("\n")[-2]
            assert again == record


def test_a_final_score_needs_every_secret_flower():
    rules = Rules.from_mapping(
        {"players": 2, "counts": "P3 Y2 L1", "set_aside": 0, "cards": ["shin_sumizome"]}
    )
    head = f"cherrysim record 1\nplayers Ann, Ben\ncards shin_sumizome\nrules counts={'P3Y2L1'} set_aside=0\n"
    game = head + "1. Ann: PPYY -> card shin_sumizome ?; hide P\n2. Ben: L -> hide none\nend\n"
    record = read_record(game)
    assert record.rules == rules
    with pytest.raises(Refused, match="1 of the flowers behind Ann's screen is secret"):
        record.score()
    shown = read_record(game + "reveal Ann P\nsplit Ben warm 0 cool 0\n")
    assert shown.reveals == ((0, F("P")),)
    assert str(shown.score().players[0].warm.count) == "3"
    assert replay(shown).splits == (None, (0, 0))
    assert read_record(str(shown)) == shown
    assert replay(shown, 1).seats[0].secret == 1
    told = read_record(game.replace("?", "P") + "reveal Ann P\n")
    assert told.reveals == ()
    assert str(told.score()) == str(shown.score())


END = """cherrysim record 1
players Ann, Ben
cards none
rules counts=P3Y2W2 set_aside=0
1. Ann: PPYY -> hide P
2. Ben: PWW -> hide W
"""


def test_a_game_without_its_end_line_is_in_progress():
    record = read_record(END)
    assert (record.ended, replay(record).over, record.score()) == (False, True, None)
    assert read_record(END + "end").ended


def test_splits_decide_the_score():
    record = read_record(
        END.replace("2. Ben: PWW -> hide W", "2. Ben: WW -> hide W\n3. Ann: P -> hide P")
        + "end\nsplit Ben warm 0 cool 0\n"
    )
    assert record.splits == (None, (0, 0))
    assert record.score().split_model == "given"
    assert record.score().winners == (0,)


HEAD = "cherrysim record 1\nplayers Ann, Ben\n"


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", 1, "the file ends without players"),
        ("# nothing\n", 2, "the file ends without players"),
        ("hello", 1, "'hello' opens the file; a record opens with 'cherrysim record 1'"),
        ("cherrysim record 2\n", 1, "'cherrysim record 2' opens the file"),
        ("cherrysim record 1\n", 2, "the file ends without players"),
        ("cherrysim record 1\n1. Ann: P -> hide none", 2, "turn 1 before the players"),
        ("cherrysim record 1\nplayers Ann\n", 2, "players is 1"),
        ("cherrysim record 1\nplayers Ann, Ann\n", 2, "two players are called Ann"),
        ("cherrysim record 1\nplayers Zo\u00eb, Zoe\u0308\n", 2, "two players are called"),
        ("cherrysim record 1\nplayers A, , C\n", 2, "a name of 0 characters"),
        (f"cherrysim record 1\nplayers A, {'x' * 61}\n", 2, "a name of 61 characters"),
        (HEAD + "players Ann, Ben", 3, "a second players line"),
        (HEAD + "cards sakura", 3, "unknown card 'sakura'"),
        (HEAD + "cards shin_sumizome, sakuya_hime", 3, "sakuya_hime are one card"),
        (HEAD + "rules ties=both", 3, "ties is 'both'"),
        (HEAD + "rules ties", 3, "'ties' in rules"),
        (HEAD + "rules alike=4 alike=4", 3, "'alike=4' in rules"),
        (HEAD + "rules players=3", 3, "'players=3' in rules"),
        (HEAD + "rules colour=3", 3, "unknown key 'colour' in the rules"),
        (HEAD + "seed -1", 3, "seed '-1'"),
        (HEAD + "seed 18446744073709551616", 3, "seed '18446744073709551616'"),
        (HEAD + "\n# comment\n\n1. Ann: PQ -> hide none", 6, "unknown flower 'pq' in 'PQ'"),
        (HEAD + "1. Bob: P -> hide none", 3, "'Bob: P -> hide none' starts with no player's name"),
        (HEAD + "1. Ben: P -> hide none", 3, "turn 1 is Ann's, not Ben's"),
        (HEAD + "2. Ann: P -> hide none", 3, "turn 2 follows 0"),
        (HEAD + "1. Ann: P -> hide none\n1. Ben: P -> hide none", 4, "turn 1 follows 1"),
        (HEAD + "1. Ann: P\n2. Ben: P -> hide none", 4, "turn 2, but turn 1 is not finished"),
        (HEAD + "1. Ann:\n2. Ben: P -> hide none", 4, "turn 2, but turn 1 is not finished"),
        (HEAD + "1. Ann: PPYY ->\n2. Ben: P -> hide none", 4, "turn 2, but turn 1 is not finished"),
        (HEAD + "1. Ann: P -> hide none\ncards none", 4, "cards after the first turn"),
        (HEAD + "1. Ann: -> hide none", 3, "hide none in phase collect"),
        (HEAD + "1. Ann: P | -> hide none", 3, "draw 0; a draw takes one flower or more"),
        (HEAD + "1. Ann: P | Y | L | D -> hide none", 3, "3 draws used; a turn allows 3"),
        (HEAD + "1. Ann: PPP | Y -> keep P", 3, "draw 1 in phase keep"),
        (HEAD + "1. Ann: PPP -> hide P", 3, "hide P in phase keep"),
        (HEAD + "1. Ann: PPP -> keep P Y", 3, "keep PY of PPP"),
        (HEAD + "1. Ann: PPY -> keep P Y", 3, "keep PY in phase display"),
        (HEAD + "1. Ann: PPY -> hide PY", 3, "'PY' is not one flower"),
        (HEAD + "1. Ann: PPY -> hide L", 3, "hide L; the collection is PPY"),
        (HEAD + "1. Ann: PPY -> hide P; hide Y", 3, "hide Y in phase collect"),
        (
            HEAD + "1. Ann: PPY -> hide P; card kokonoe take P from Ben, L from Ben",
            3,
            "card kokonoe in phase collect",
        ),
        (HEAD + "1. Ann: PPY -> hidden P", 3, "'hidden P' is not understood"),
        (HEAD + "1. Ann: PPY hide P", 3, "'hide' among the draws; what became of"),
        (HEAD + "1. Ann: PPY -> over", 3, "PPY -> over; over follows just when more is drawn than the 8"),
        (HEAD + "1. Ann: PPYYLLD | WW", 3, "PPYYLLD | WW -> nothing; over follows just when"),
        (HEAD + "1. Ann: PPYYLLD | WW -> hide P", 3, "PPYYLLD | WW -> hide P; over follows"),
        (HEAD + "1. Ann: P14 -> over", 3, "P14 drawn; the bag holds at most P13"),
        (HEAD + "1. Ann: PPYY -> card sakuya_hime; hide P", 3, "card 'sakuya_hime'; this game has"),
        (
            HEAD + "1. Ann: PPYY -> card shin_sumizome LL; hide P",
            3,
            "L2 drawn is 2; card shin_sumizome draws 1",
        ),
        (HEAD + "1. Ann: PYLD -> card somei_yoshino; hide P", 3, "somei_yoshino moves 1 own"),
        (HEAD + "1. Ann: PYLD -> card somei_yoshino W from hand; hide P", 3, "W from hand; there lie"),
        (HEAD + "1. Ann: PYLD -> card somei_yoshino P from Ben; hide P", 3, "somei_yoshino moves 1 own"),
        (
            HEAD + "1. Ann: PPYYLL -> card kenrokuen_kumagai B behind; hide L",
            3,
            "B1 drawn is 1; card kenrokuen_kumagai",
        ),
        (
            HEAD + "1. Ann: PPYYLL -> card kenrokuen_kumagai B behind, W to Cy; hide L",
            3,
            "'Cy' is no player's name",
        ),
        (
            HEAD + "1. Ann: PPYYLL -> card kenrokuen_kumagai B behind, W to Ann; hide L",
            3,
            "W to 0; it goes in front",
        ),
        (
            HEAD + "cards pink\n1. Ann: PPYY -> card sakuya_hime give P from hand; hide P",
            4,
            "sakuya_hime moves 1 own",
        ),
        (
            HEAD + "cards pink\n1. Ann: PPYY -> card sakuya_hime give P from hand to Ben; hide P",
            4,
            "'to Ben' is no exchange",
        ),
        (
            HEAD + "cards pink\n1. Ann: PPYY -> card sakuya_hime give P from hand to Ben take L",
            4,
            "L from Ben; any but black",
        ),
        (
            HEAD + "cards pink\n1. Ann: PYLD -> card komatsu_otome drew PL keep P; hide P",
            4,
            "P1 L1 drawn is 2",
        ),
        (
            HEAD + "cards pink\n1. Ann: PYLD -> card komatsu_otome drew PLB keep B; hide P",
            4,
            "keep B of the card's draw",
        ),
        (
            HEAD + "cards pink\n1. Ann: PYLD -> card komatsu_otome drew PLB keep -; hide P",
            4,
            "keep - of the card's draw",
        ),
        (HEAD + "1. Ann: P -> hide none\nend", 4, "end with 65 flowers in the bag"),
        (HEAD + "end", 3, "end with 66 flowers in the bag"),
        (HEAD + "reveal Ann P", 3, "reveal before the end"),
        (END + "3. Ann: P -> hide P", 7, "turn 3 after the bag was emptied"),
        (END + "end\n3. Ann: P -> hide P", 8, "turn 3 after the bag was emptied"),
        (END + "end\nend", 8, "a second end line"),
        (END + "end\nreveal Ann P", 8, "P1 revealed behind Ann's screen; unknown there: 0 secret flowers"),
        (END + "end\nreveal Cy P", 8, "reveal 'Cy P'; it is reveal NAME FLOWERS"),
        (END + "end\nsplit Ben warm 1 cool 1", 8, "Ben splits the wilds 1 warm 1 cool"),
        (END + "end\nsplit Ben warm 1", 8, "split 'Ben warm 1'; it is split NAME warm 1 cool 0"),
        (END + "end\nsplit Ben warm 0 cool 0\nsplit Ben warm 0 cool 0", 9, "split Ben a second time"),
        (HEAD + "1. Ann: PPYYLLD | WW | PPPPPPPPP -> over", 3, "more than a turn allows ends it"),
        (HEAD + "1. Ann: PPYYLLD | WW | P -> over", 3, "more than a turn allows ends it"),
        (HEAD + "1. Ann: PYY | L -> hi", 3, "'hi' is not understood"),
        (HEAD + "what is this", 3, "'what is this' is no line of a record"),
    ],
)
def test_the_first_impossible_line_is_refused(text, line, reason):
    for given_text in (text, text.replace("\n", "\r\n")):
        with pytest.raises(Refused) as caught:
            read_record(given_text)
        assert str(caught.value).startswith(f"line {line}: ")
        assert reason in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_draw_that_the_hidden_tokens_make_impossible_is_refused():
    """Three yellow were set aside, as nothing else was unseen: a yellow cannot be drawn then."""
    text = """cherrysim record 1
players Ann, Ben
cards none
rules counts=P4Y3 set_aside=3
1. Ann: PPPP -> keep P
2. Ben: """
    assert replay(read_record(text + "PP -> hide none")).bag_size == 1
    with pytest.raises(Refused, match="line 6: P1 Y1 cannot be drawn"):
        read_record(text + "PY -> hide none")


def test_a_revealed_flower_must_have_been_in_the_bag():
    text = END.replace("cards none", "cards shin_sumizome").replace(
        "-> hide P", "-> card shin_sumizome ?; hide P"
    )
    text = text.replace("PWW -> hide W", "WW -> hide W") + "end\n"
    assert read_record(text + "reveal Ann P").score()
    with pytest.raises(Refused, match="line 8: "):
        read_record(text + "reveal Ann Y")


def read_or_refused(text):
    """The record, or the one line that refuses it."""
    try:
        return read_record(text)
    except Refused as refused:
        reason = str(refused)
    assert reason.startswith("line ")
    assert "\n" not in reason
    return reason


def test_records_that_were_cut_are_read_or_refused_never_worse():
    for rules, names, steps, _ in simulated(4):
        text = str(record_of(rules, names, [(step.move, step.drawn) for step in steps[:60]]))
        for n in range(0, len(text), 11):
            answer = read_or_refused(text[:n])
            assert isinstance(answer, str) or len(answer.turns) <= 60


def test_garbled_records_are_read_or_refused_never_worse():
    rng = random.Random(12)
    signs = 'PYLDWB|->;:,.#"\\ \n0123abkeephidecardover?=+\u00e9\u0301\u2028\t'
    for _ in range(1500):
        text = list(EXAMPLE)
        for _ in range(rng.randint(1, 6)):
            text[rng.randrange(len(text))] = rng.choice(signs)
        answer = read_or_refused("".join(text))
        assert isinstance(answer, str) or read_record(str(answer)) == answer


@pytest.mark.parametrize(
    "text", ["PK" * 500_000, HEAD + "1. Ann: " + "P|" * 400_000, HEAD + '1. "' * 300_000, HEAD + "x" * 10**6]
)
def test_a_megabyte_of_anything_is_answered(text):
    assert len(read_or_refused(text)) < 400


def test_too_many_turns_are_refused():
    turns = "".join(f"{n}. {'Ann' if n % 2 else 'Ben'}: B -> hide none\n" for n in range(1, 4))
    with pytest.raises(Refused, match=f"line 6: turn {MOST_TURNS + 1} follows 3"):
        read_record(HEAD + turns + f"{MOST_TURNS + 1}. Ben: P")
    failing = "".join(f"{n}. {'Ann' if n % 2 else 'Ben'}: BBB -> keep -\n" for n in range(1, MOST_TURNS + 2))
    with pytest.raises(Refused, match=f"turns count 1, 2, ... to {MOST_TURNS}"):
        read_record(HEAD + failing)


# Names.

NAMES = [
    ["=1+1", "-2", "@SUM(A1)"],
    ["Ann", "Ann B", "Ann B C"],
    ["Ben", "Ben take P", "to Ben take P"],
    ["a: b", "c, d", "e; f"],
    ['5" Tom', "back\\slash", 'say "hi"'],
    ["#1", "a -> b", "a | b"],
    ["1. Ann", "end", "warm 1 cool 2"],
    ["W", "P from", "none"],
    ["花子", "Zo\u00eb", "👩‍👩‍👧"],
    ["\u05d0\u05d1\u05d2", "a\u00a0b", "x" * LONGEST_NAME],
]


@pytest.mark.parametrize("names", NAMES, ids=[names[0] for names in NAMES])
def test_any_name_is_written_so_that_it_reads_back(names):
    rng = random.Random(13)
    for cards in ("blue", "pink"):
        steps = list(game(Rules.official(3, cards), rng))
        moves = [(step.move, step.drawn) for step in steps]
        record = record_of(steps[0].before.rules, names, moves, splits=None)
        again = read_record(str(record))
        assert again == record
        assert again.names == tuple(names)
        with_splits = dataclasses.replace(record, splits=tuple(g[0] for g in options(steps[-1].after)))
        assert read_record(str(with_splits)) == with_splits
        table = replay(again)
        assert read_table(json.dumps(table.to_json())).to_json() == table.to_json()


def options(table):
    from cherrysim.behind import Groups

    return [Groups.of(seat.all_behind).splits(table.rules) for seat in table.seats]


@given(st.lists(st.text(min_size=1, max_size=20), min_size=2, max_size=4))
def test_hypothetical_names(texts):
    try:
        names = [name_of(text) for text in texts]
        Table.start(Rules.official(len(names)), names)
    except Refused:
        return
    record = record_of(
        Rules.official(len(names)), names, [(Draw(2), F("PY")), (Stop(), None), (Hide(None), None)]
    )
    assert read_record(str(record)) == record
    for name in names:
        assert unquoted(quoted(name)) == name
        assert name_of(name) == name
        fitted(name, 16)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("\u202eevil", "holds a control character"),
        ("Ann\u2066", "holds a control character"),
        ("a\nb", "holds a control character"),
        ("\u200b", "shows nothing"),
        ("\u2060\u0301", "shows nothing"),
    ],
)
def test_names_that_spoil_the_line_they_stand_in_are_refused(name, reason):
    with pytest.raises(Refused, match=reason):
        name_of(name)


def test_both_normal_forms_of_a_name_are_one_name():
    composed, apart = "Zo\u00eb", unicodedata.normalize("NFD", "Zo\u00eb")
    assert composed != apart
    text = f"cherrysim record 1\nplayers {composed}, Ben\n1. {apart}: P -> hide none\n"
    assert read_record(text).names == (composed, "Ben")
    assert read_record(unicodedata.normalize("NFD", text)) == read_record(text)


def test_files_with_a_byte_order_mark_and_foreign_line_ends(tmp_path):
    (tmp_path / "game.txt").write_bytes(b"\xef\xbb\xbf" + EXAMPLE.replace("\n", "\r\n").encode())
    assert read_record(read_text(tmp_path / "game.txt")) == read_record(EXAMPLE)
    assert read_record("\ufeff" + EXAMPLE) == read_record(EXAMPLE)


def test_a_record_says_that_it_is_one():
    assert is_record(EXAMPLE)
    assert is_record("\ufeff# a game\n\n" + EXAMPLE)
    assert not is_record('{"seats": [{}, {}]}')
    assert not is_record("")


def test_every_rule_that_is_not_official_is_written():
    rules = Rules.from_mapping(
        {
            "players": 3,
            "counts": "P9 Y9 L9 B2",
            "alike": 4,
            "different": 6,
            "draws": 2,
            "flowers": 6,
            "front_table": [0, -3, 1, 4],
            "warm": [9, 5, 0],
            "cool": [7, 4, -1],
            "set_aside": 2,
            "cards": [],
            "front_beyond_ten": "linear",
            "orphan_wilds": "free",
            "ties": "dense",
            "empty_group": "nothing",
            "two_player_tie": "none",
        }
    )
    record = record_of(rules, ["A", "B", "C"], [])
    assert read_record(str(record)).rules == rules
    for moves in ([(Draw(1), F("W"))], [(Stop(), None)], [(Draw(1), None)]):
        with pytest.raises(Refused):
            record_of(rules, ["A", "B", "C"], moves)
