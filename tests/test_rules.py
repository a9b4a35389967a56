"""Set-ups: official ones, a designer's variants, and values outside their limits."""

import dataclasses

import pytest

from cherrysim.flowers import Flowers, Refused
from cherrysim.rules import CARDS, SWITCHES, Rules


@pytest.mark.parametrize(
    ("players", "each", "black", "hidden"), [(2, 13, 4, 3), (3, 15, 5, 0), (4, 18, 6, 0)]
)
def test_the_official_bags(players, each, black, hidden):
    rules = Rules.official(players)
    assert rules.counts == Flowers(each, each, each, each, each, black)
    assert rules.set_aside == hidden
    assert rules.not_official == {}


def test_cards_by_side_and_by_name():
    assert Rules.official(cards="blue").cards == ("shin_sumizome", "somei_yoshino", "kenrokuen_kumagai")
    assert Rules.official(cards="pink").cards == ("sakuya_hime", "komatsu_otome", "kokonoe")
    assert Rules.official(cards="none").cards == ()
    assert Rules.official(cards="kokonoe, shin_sumizome").cards == ("shin_sumizome", "kokonoe")
    assert {card.side for card in CARDS.values()} == {"blue", "pink"}


FILE = """
players = 3
counts = "P9 Y9 L9 D9 W9 B3"
alike = 4
front_table = [0, 1, 2]
ties = "pooled"
cards = ["kokonoe"]
"""


def test_a_designers_file():
    rules = Rules.from_toml(FILE)
    assert rules.counts.total == 48
    assert (rules.players, rules.alike, rules.different, rules.ties) == (3, 4, 5, "pooled")
    assert rules.front_table == (0, 1, 2)
    assert set(rules.not_official) == {"counts", "alike", "front_table", "ties", "cards"}
    assert Rules.from_mapping(rules.to_json()) == rules
    assert Rules.from_toml("counts = {pink = 5, black = 2}").counts == Flowers(pink=5, black=2)
    assert Rules.from_toml("") == Rules.official(4)
    assert Rules.from_toml("players = 2").set_aside == 3


def test_switches_default_to_the_first_value():
    for name, values in SWITCHES.items():
        assert getattr(Rules(), name) == values[0]
        for value in values:
            assert getattr(dataclasses.replace(Rules(), **{name: value}), name) == value


@pytest.mark.parametrize(
    "text",
    [
        "players = 5",
        "players = 1",
        "players = true",
        "players = 3.0",
        'players = "3"',
        "alike = 1",
        "alike = 6",
        "different = 2",
        "different = 7",
        "draws = 0",
        "draws = 6",
        "flowers = 0",
        "flowers = 13",
        "set_aside = 4",
        "set_aside = -1",
        "warm = [1, 2]",
        "cool = [1, 2, 2.5]",
        "front_table = []",
        "front_table = 3",
        'ties = "none"',
        "colour = 3",
        'cards = ["kokonoe", "kenrokuen_kumagai"]',
        'cards = ["rose"]',
        "cards = 3",
        'counts = "P0"',
        "counts = 7",
        "counts = {rose = 3}",
        "front_table = [0, 10000000]",
        "players = ",
        "players = 3\nplayers = 4",
        "a = " + "[" * 5000,
        "a = " + "[\n" * 5000,
        ".".join(["a"] * 50_000) + " = 1",
        "players = " + "9" * 5000,
        "players = 0x" + "f" * 5000,
        "front_table = [" + "9" * 5000 + "]",
        'ties = "' + "é" * 5000 + '"',
        '"' + "k" * 5000 + '" = 1',
        "warm = [nan, 1, 2]",
        'cards = ["kokonoe", "kokonoe"]',
        'cards = ["' + "k" * 5000 + '"]',
        "cards = {kokonoe = 1}",
        'counts = "P2"\nset_aside = 2',
        "cards = [3]",
        "cards = [[1]]",
    ],
)
def test_values_outside_their_limits_are_refused_in_one_line(text):
    with pytest.raises(Refused) as refused:
        Rules.from_toml(text)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 400
    assert str(refused.value).count(";") >= 1


@pytest.mark.parametrize(
    "change",
    [
        {"counts": "P3"},
        {"counts": (18,) * 6},
        {"front_table": [0, 1]},
        {"cards": "pink"},
        {"players": 2.0},
        {"draws": 10**5000},
    ],
    ids=["text", "counts", "list", "cards", "float", "huge"],
)
def test_the_constructor_refuses_what_is_of_another_kind(change):
    with pytest.raises(Refused, match=r"; .*; "):
        Rules(**change)
