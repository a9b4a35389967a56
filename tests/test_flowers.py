"""Every notation people type, and every text that is declined with a reason."""

import functools
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cherrysim.flowers import COLOURS, LETTERS, Flowers, Refused, read_json

SIX = Flowers(3, 2, 0, 0, 0, 1)


@pytest.mark.parametrize(
    "text",
    [
        "PPPYYB",
        "pppyyk",
        "BYPPYP",
        "PPP YY B",
        "PPP,YY,B",
        "P3 Y2 B1",
        "p3y2b1",
        "3P 2Y 1B",
        "3p2y1k",
        "P:3,Y:2,B:1",
        "pink=3,yellow=2,black=1",
        "3 pink, 2 yellow, 1 black",
        "3 pink\n2 yellow\n1 black\n",
        "P 3; Y 2; B 1",
        "P03Y2B1",
        "P3 Y2 B1 L0",
        "PINK 3 YELLOW 2 BLACK 1",
        "3pink2yellow1black",
    ],
)
def test_one_collection_in_every_notation(text):
    assert Flowers.parse(text) == SIX


@pytest.mark.parametrize(
    "text", ["light_blue=2 dark blue=1", "L2 D1", "2 light blue, 1 dark-blue", "lightblue 2 D1"]
)
def test_the_two_blues(text):
    assert Flowers.parse(text) == Flowers(light_blue=2, dark_blue=1)


@pytest.mark.parametrize("text", ["", "-", "  ", "P0"])
def test_no_flowers(text):
    assert Flowers.parse(text).total == 0
    assert str(Flowers.parse(text)) == "-"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("P3 P2", "counts pink twice"),
        ("B3 K2", "counts black twice"),
        ("P-1", "signed"),
        ("-1P", "signed"),
        ("P+1", "signed"),
        ("P:-1", "signed"),
        ("P2.5", "not whole"),
        ("2.5P", "not whole"),
        ("P1e1", "not whole"),
        ("1e1", "not whole"),
        ("P1_8", "not whole"),
        ("1_8P", "not whole"),
        ("P\uff11\uff18", "not ASCII"),
        ("P\u00b2", "not ASCII"),
        ("P\u0663", "not ASCII"),
        ("NaN", "unknown flower 'nan'"),
        ("P=NaN", "not whole"),
        ("inf", "unknown flower"),
        ("blue=3", "light or dark"),
        ("3 blue", "light or dark"),
        ("P3, blue 2", "light or dark"),
        ("Q3", "unknown flower 'q'"),
        ("PQ", "unknown flower"),
        ("3 purple", "unknown flower 'purple'"),
        ("P Y2", "mixes notations"),
        ("pink", "'pink' names pink without a number; a colour's name has one; write 1 pink or P"),
        (
            "dark blue, white",
            "names dark blue without a number; a colour's name has one; write 1 dark_blue or D",
        ),
        ("3P Y2", "mixes notations"),
        ("P2 Y", "mixes notations"),
        ("3", "mixes notations"),
        ("P3\x00", "mixes notations"),
        ("P" + "9" * 30, "too long"),
        ("P2000000000000", "at most 1000000000000"),
        ("P" * 500, "at most 400"),
    ],
)
def test_what_is_declined_and_why(text, words):
    with pytest.raises(Refused) as refused:
        Flowers.parse(text)
    message = str(refused.value)
    assert words in message
    assert message.isascii()
    assert message.count(";") >= 1
    assert "\n" not in message


@given(st.lists(st.integers(0, 10**12), min_size=6, max_size=6))
def test_what_is_printed_is_read_again(counts):
    flowers = Flowers(*counts)
    assert Flowers.parse(str(flowers)) == flowers
    assert Flowers.of(flowers.to_json()) == flowers
    assert Flowers.of(list(flowers.counts)) == flowers
    if flowers.total < 50:
        assert Flowers.parse(flowers.letters) == flowers


@given(st.text(max_size=40))
def test_any_text_is_read_or_declined(text):
    try:
        total = Flowers.parse(text).total
    except Refused:
        return
    assert total >= 0


@given(st.text(alphabet="pylwdbkPYLWDB0123456789 ,:=;-", max_size=14))
def test_near_misses_are_read_or_declined_and_lose_no_digit(text):
    try:
        found = Flowers.parse(text)
    except Refused:
        return
    assert set(text) <= set(" ,;-") or found.total or "0" in text


@pytest.mark.parametrize(
    "value",
    [
        {"pink": 1.0},
        {"pink": True},
        {"pink": "1"},
        {"pink": -1},
        {"rose": 1},
        {"é" * 9999: 1},
        {"pink": 10**5000},
        {"pink": -(10**5000)},
        {"pink": [1] * 9999},
        {"pink": functools.reduce(lambda inner, _: [inner], range(sys.getrecursionlimit() * 9), 1)},
        [1, 2],
        7,
        10**5000,
        None,
    ],
    ids=range(14),
)
def test_objects_that_are_not_flowers(value):
    with pytest.raises(Refused) as refused:
        Flowers.of(value)
    assert len(str(refused.value)) < 200
    assert str(refused.value).isascii()


def test_sums_and_differences():
    assert Flowers.parse("P3") + Flowers.parse("P1 W2") == Flowers.parse("P4 W2")
    assert Flowers.parse("P3 W2") - Flowers.parse("P1 W2") == Flowers.parse("P2")
    assert Flowers.parse("P1") in Flowers.parse("P1 Y1")
    assert Flowers.parse("P2") not in Flowers.parse("P1 Y1")
    with pytest.raises(Refused, match="4 light blue taken out of 1"):
        Flowers.parse("L1") - Flowers.parse("L4")


def test_letters_and_colours_stand_in_one_order():
    assert [Flowers.parse(letter).counts.index(1) for letter in LETTERS] == list(range(6))
    assert [Flowers.parse(colour + "=1").counts.index(1) for colour in COLOURS] == list(range(6))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a":1,"a":2}', "twice"),
        ('{"' + "a" * 9999 + '":1,"' + "a" * 9999 + '":2}', "^.{1,200}$"),
        ('{"a":NaN}', "NaN"),
        ('{"a":-Infinity}', "-Infinity"),
        ('{"a":1e999}', "'1e999' is not a number JSON has"),
        ("9" * 5000, "a number of 5000 digits"),
        ("9" * 5000 + ".5", "not a number JSON has"),
        ("{", "line 1"),
        ("[" * 100_000, "nested"),
    ],
)
def test_json_that_is_declined(text, words):
    with pytest.raises(Refused, match=words):
        read_json(text)
