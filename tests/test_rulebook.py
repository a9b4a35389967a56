"""Every worked example of the rulebook, named by its section."""

from itertools import combinations

import pytest

from cherrysim.behind import allocations
from cherrysim.engine import after, legal_moves, why_not
from cherrysim.flowers import Flowers
from cherrysim.front import colour_points, front_points
from cherrysim.hands import conditions
from cherrysim.moves import Draw, Hide, Keep, Overdraw, Place, Stop, UseCard
from cherrysim.rules import Rules
from cherrysim.scoring import score
from cherrysim.table import Seat, Table

F = Flowers.parse
NONE = Flowers()


def table(hand, draws=1, players=4, cards="blue", phase="display", fronts=()):
    fronts = [*map(F, fronts), *[NONE] * (players - len(fronts))]
    seats = tuple(Seat(f"Seat {seat}", front) for seat, front in enumerate(fronts))
    return Table(Rules.official(players, cards), seats, 0, F(hand), draws, phase)


def behinds(*counts, group="PL"):
    """Flowers behind each screen: so many in the warm group, in the cool group."""
    return [Flowers(pink=warm, light_blue=cool) for warm, cool in counts]


# Overview


def test_setup_number_of_tokens():
    assert Rules.official(4).counts == F("P18 Y18 L18 D18 W18 B6")
    assert Rules.official(3).counts == F("P15 Y15 L15 D15 W15 B5")


def test_collect_flowers_rules_of_drawing():
    start = Table.start(Rules())
    assert why_not(start, Stop()) == "stop with no flower drawn; a turn draws one or more; draw 1"
    assert why_not(table("PYY", 3, phase="collect"), Draw(1)) == "3 draws used; a turn allows 3; stop"
    assert (
        why_not(table("PYY", 1, phase="collect"), Draw(6))
        == "hand PYY + draw 6 is 9 flowers; a turn allows 8; draw at most 5"
    )


def test_collect_flowers_more_than_eight_by_mistake():
    before = table("PPYYLLD", 1, phase="collect")
    found = after(before, Overdraw(2), F("WW"))
    assert (found.to_move, found.hand, found.seats) == (1, NONE, before.seats)
    assert found.bag_size == Rules().counts.total


def test_successful_or_failed_collection_first_example():
    first = after(Table.start(Rules()), Draw(2), F("LW"))
    assert first.phase == "collect"
    assert after(first, Draw(2), F("WW")).phase == "keep"


def test_successful_or_failed_collection_second_example():
    first = after(Table.start(Rules()), Draw(3), F("PYY"))
    second = after(first, Draw(2), F("LP"))
    assert (first.phase, second.phase, after(second, Stop()).phase) == ("collect", "collect", "display")


def test_the_black_flowers_first_example():
    assert conditions(F("BDPP").counts, Rules()) == ("three",)
    assert after(Table.start(Rules()), Draw(4), F("BDPP")).phase == "keep"


def test_the_black_flowers_second_example():
    assert "five" in conditions(F("BBYWL").counts, Rules())


def test_display_flowers_failed_collection():
    failed = table("BDPP", phase="keep")
    assert [str(move.flowers) for move in legal_moves(failed)] == ["P1 D1"]
    found = after(failed, Keep(F("PD")))
    assert (found.seats[0].front, found.bag_size) == (F("PD"), Rules().counts.total - 2)
    wide = [str(move.flowers) for move in legal_moves(table("PYLDW", phase="keep"))]
    assert wide == [f"{a}1 {b}1" for a, b in combinations("PYLDW", 2)]


def test_display_flowers_failed_collection_note_of_one_colour():
    assert legal_moves(table("PPPB", phase="keep")) == (Keep(F("P")),)
    assert legal_moves(table("BBB", phase="keep")) == (Keep(NONE),)


def test_display_flowers_successful_collection():
    display = table("PYY", cards="none")
    assert legal_moves(display) == (Hide(None), Hide("P"), Hide("Y"))
    hidden, shown = after(display, Hide("Y")).seats[0], after(display, Hide(None)).seats[0]
    assert (hidden.front, hidden.behind) == (F("P"), F("YY"))
    assert (shown.front, shown.behind) == (F("PYY"), NONE)


def test_in_front_of_your_screen_black_flowers():
    """The example's choice, 4 pink and 2 light blue, is one of the best."""
    example = colour_points(4, Rules()) + colour_points(2, Rules())
    assert front_points(F("B2 P3 L1"), Rules()) == example == 2


def test_behind_your_screen_first_example():
    assert (7, 6) in allocations(F("Y3 P2 L5 W2 B1"), Rules())


def test_behind_your_screen_second_example():
    assert allocations(F("P4 Y3 B2"), Rules()) == ((9, 0),)


def test_end_of_the_game_when_the_last_flower_is_displayed():
    last = Table(
        Rules.from_mapping({"counts": "P2 Y2 L1", "players": 3}),
        (Seat("Ann", F("PP")), Seat("Ben"), Seat("Cy")),
        1,
        F("YY"),
        1,
    )
    drawn = after(last, Draw(1), F("L"))
    assert not drawn.over
    assert after(after(drawn, Stop()), Hide("Y")).over


def test_scoring_victory_points_in_front_of_your_screen():
    assert [colour_points(n, Rules()) for n in range(11)] == [0, -3, -1, 1, 3, 5, 8, 11, 15, 19, 24]


def test_scoring_victory_points_behind_your_screen_places():
    found = score([NONE] * 4, behinds((4, 1), (3, 2), (2, 3), (1, 4)), Rules())
    assert [player.warm.points for player in found.players] == [18, 10, 8, 0]
    assert [player.cool.points for player in found.players] == [0, 8, 12, 16]


def test_tie_for_first_place():
    found = score([NONE] * 4, behinds((5, 0), (5, 0), (3, 0), (1, 0)), Rules())
    assert [player.warm.points for player in found.players[:2]] == [14, 14]


def test_tie_for_second_place():
    found = score([NONE] * 4, behinds((0, 6), (0, 4), (0, 4), (0, 4)), Rules())
    assert [player.cool.points for player in found.players[1:]] == [6, 6, 6]


def test_tie_for_third_place():
    found = score([NONE] * 4, behinds((7, 0), (5, 0), (3, 0), (3, 0)), Rules())
    assert [player.warm.points for player in found.players[2:]] == [4, 4]


def test_final_scoring_tied_players_share_the_victory():
    assert score([NONE] * 4, [NONE] * 4, Rules()).winners == (0, 1, 2, 3)


# Description of Mastery Cards


def card_moves(hand, card, **more):
    return [m for m in legal_moves(table(hand, cards=[card], **more)) if isinstance(m, UseCard)]


@pytest.mark.parametrize(
    ("card", "having", "lacking"),
    [
        ("shin_sumizome", ["PPYY", "PPYYL"], ["PPYL", "PP"]),
        ("somei_yoshino", ["PYLD", "PYLB", "PPYLD"], ["PYL", "PPYYL"]),
        ("kenrokuen_kumagai", ["PPYYLL", "PPYYLLD"], ["PPYYL", "PYLD"]),
    ],
)
def test_mastery_cards_combinations(card, having, lacking):
    for hand in having:
        assert card_moves(hand, card), hand
    for hand in lacking:
        assert not card_moves(hand, card), hand


def test_mastery_cards_are_optional_and_only_one_bonus_is_used():
    """Two pairs and four colours: either card or none, and after one no other."""
    both = table("PPYYLD")
    cards = {move.card for move in legal_moves(both) if isinstance(move, UseCard)}
    assert cards == {"shin_sumizome", "somei_yoshino", "kenrokuen_kumagai"}
    assert Hide(None) in legal_moves(both)
    used = after(both, UseCard("shin_sumizome"), F("B"))
    assert {type(move) for move in legal_moves(used)} == {Hide}


def test_shin_sumizome_draws_secretly():
    found = after(table("PPYY"), UseCard("shin_sumizome"), F("W"))
    assert (found.seats[0].own_secret, found.seats[0].front) == (F("W"), NONE)
    assert found.seen_by(1).seats[0].secret == 1


def test_sakuya_hime_exchanges_and_never_takes_a_black():
    before = table("PPYY", cards="pink", fronts=["L", "DBB", "B"])
    takes = {move.takes[0] for move in card_moves("PPYY", "sakuya_hime", fronts=["L", "DBB", "B"])}
    assert {(take.colour, take.seat) for take in takes} == {("D", 1)}
    move = next(m for m in legal_moves(before) if isinstance(m, UseCard) and m.pick.colour == "L")
    found = after(before, move)
    assert (found.seats[0].front, found.seats[1].front, found.hand) == (F("D"), F("LBB"), F("PPYY"))


def test_somei_yoshino_puts_a_flower_behind():
    before = table("PYLD", fronts=["WB"])
    picks = [
        (move.pick.colour, move.pick.source) for move in card_moves("PYLD", "somei_yoshino", fronts=["WB"])
    ]
    assert picks == [
        ("P", "hand"),
        ("Y", "hand"),
        ("L", "hand"),
        ("D", "hand"),
        ("W", "front"),
        ("B", "front"),
    ]
    found = after(
        before, next(m for m in legal_moves(before) if isinstance(m, UseCard) and m.pick.colour == "B")
    )
    assert (found.seats[0].front, found.seats[0].behind) == (F("W"), F("B"))


def test_komatsu_otome_keeps_one_that_is_not_black():
    drawn = after(table("PYLD", cards="pink"), UseCard("komatsu_otome"), F("PLB"))
    assert legal_moves(drawn) == (Keep(F("P")), Keep(F("L")))
    found = after(drawn, Keep(F("L")))
    assert (found.seats[0].front, found.phase, found.bag_size) == (F("L"), "hide", 96 - 4 - 1)
    blacks = after(table("PYLD", cards="pink"), UseCard("komatsu_otome"), F("BBB"))
    assert legal_moves(blacks) == (Keep(NONE),)


def test_kenrokuen_kumagai_places_two_in_the_same_or_in_different_places():
    drawn = after(table("PPYYLL"), UseCard("kenrokuen_kumagai"), F("WB"))
    assert len(legal_moves(drawn)) == 25
    found = after(drawn, Place((("B", "behind"), ("W", 2))))
    assert (found.seats[0].behind, found.seats[2].front) == (F("B"), F("W"))
    alike = after(table("PPYYLL"), UseCard("kenrokuen_kumagai"), F("WW"))
    assert len(legal_moves(alike)) == 15


def test_kokonoe_takes_from_two_players_two_colours():
    moves = card_moves("PPYYLL", "kokonoe", fronts=["W", "PB", "PD", "W"])
    taken = {tuple((take.colour, take.seat) for take in move.takes) for move in moves}
    assert taken == {
        (("P", 1), ("D", 2)),
        (("P", 1), ("W", 3)),
        (("P", 2), ("W", 3)),
        (("D", 2), ("W", 3)),
    }


# 2-Player Variant


def test_two_player_variant_setup():
    start = Table.start(Rules.official(2))
    assert (str(start.unseen), start.bag_size) == ("P13 Y13 L13 D13 W13 B4", 66)


def test_two_player_variant_kokonoe():
    moves = card_moves("PPYYLL", "kokonoe", players=2, fronts=["W", "PDDB"])
    assert [tuple((take.colour, take.seat) for take in move.takes) for move in moves] == [
        (("P", 1), ("D", 1))
    ]
    assert not card_moves("PPYYLL", "kokonoe", players=2, fronts=["W", "DDB"])


def test_two_player_variant_final_scoring_behind_your_screen():
    found = score([NONE] * 2, behinds((3, 1), (2, 4)), Rules.official(2))
    assert [player.warm.points for player in found.players] == [10, 0]
    assert [player.cool.points for player in found.players] == [0, 12]
