"""Flowers: how many of each colour, and the text people write for them.

A bag, a collection, a front and a behind are roles of this one type (rulebook, "Flower Tokens").
Everywhere the order of the colours is pink, yellow, light blue, dark blue, white, black.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

COLOURS = ("pink", "yellow", "light_blue", "dark_blue", "white", "black")
LETTERS = "PYLDWB"
BLACK = 5
"""Index of black; the five colours before it are the only ones a collection can repeat or differ in."""

MOST_FLOWERS = 10**12
"""Largest count of one colour that is read: far beyond any game, small enough to keep answers quick."""

_LONGEST_TEXT, _LONGEST_NUMBER, _LONGEST_SHOWN = 400, 30, 60
_NAMES = {letter.lower(): i for i, letter in enumerate(LETTERS)} | {
    name.replace("_", gap): i for i, name in enumerate(COLOURS) for gap in ("_", " ", "-", "")
}
_NAMES["k"] = BLACK
_NAME = "(?P<name>" + "|".join(sorted(_NAMES, key=len, reverse=True)) + ")"
_NUMBER = "(?P<number>[0-9]+)"
_NUMBER_LAST = re.compile(_NAME + r"\s*[:=]?\s*" + _NUMBER)
_NUMBER_FIRST = re.compile(_NUMBER + r"\s*" + _NAME + r"(?![a-z])")
_GAP = re.compile(r"[\s,;]*")


class Refused(ValueError):
    """An input that is declined, with a message of one line: fact; limit; remedy.

    >>> Flowers.parse("PX")
    Traceback (most recent call last):
        ...
    cherrysim.flowers.Refused: unknown flower 'px' in 'PX'; the letters are P Y L D W B; write P3 Y2 B1
    """


@dataclass(frozen=True, slots=True)
class Flowers:
    """How many flowers of each colour, immutable; units: tokens.

    Source: rulebook, "Flower Tokens". Raises `Refused` for a count that is not a whole number from 0 up.

    >>> hand = Flowers.parse("PYY")
    >>> str(hand), hand.total, str(hand + Flowers(black=1))
    ('P1 Y2', 3, 'P1 Y2 B1')
    """

    pink: int = 0
    yellow: int = 0
    light_blue: int = 0
    dark_blue: int = 0
    white: int = 0
    black: int = 0

    def __post_init__(self) -> None:
        for colour, n in zip(COLOURS, self.counts):  # noqa: B905 - six of both, and hot
            if type(n) is not int or n < 0:
                raise Refused(f"{colour} is {shown(n)}; a count is a whole number from 0 up; write it as 3")
            if n > MOST_FLOWERS:
                raise Refused(
                    f"{colour} is {shown(n)}; at most {MOST_FLOWERS} of a colour are read; use fewer"
                )

    @property
    def counts(self) -> tuple[int, int, int, int, int, int]:
        """The six counts in the order P Y L D W B."""
        return (self.pink, self.yellow, self.light_blue, self.dark_blue, self.white, self.black)

    @property
    def total(self) -> int:
        """How many flowers in all."""
        return sum(self.counts)

    def __add__(self, other: Flowers) -> Flowers:
        return Flowers(*(a + b for a, b in zip(self.counts, other.counts, strict=True)))

    def __sub__(self, other: Flowers) -> Flowers:
        """These flowers without `other`; raises `Refused`, naming the colour, where there are too few."""
        for colour, a, b in zip(COLOURS, self.counts, other.counts, strict=True):
            if b > a:
                raise Refused(
                    f"{b} {colour.replace('_', ' ')} taken out of {a}; "
                    "no more can be taken than there are; check the counts"
                )
        return Flowers(*(a - b for a, b in zip(self.counts, other.counts, strict=True)))

    def __contains__(self, other: Flowers) -> bool:
        return all(b <= a for a, b in zip(self.counts, other.counts, strict=True))

    def __str__(self) -> str:
        return " ".join(f"{k}{n}" for k, n in zip(LETTERS, self.counts, strict=True) if n) or "-"

    @property
    def letters(self) -> str:
        """The flowers as letters, for small collections: `PYY`; `-` for none."""
        return "".join(k * n for k, n in zip(LETTERS, self.counts, strict=True)) or "-"

    def to_json(self) -> dict[str, int]:
        """The counts under their colours' names."""
        return dict(zip(COLOURS, self.counts, strict=True))

    @classmethod
    def of(cls, value: Flowers | str | Mapping[str, Any] | Iterable[int]) -> Flowers:
        """Flowers from text, an object by colour, or six counts.

        >>> Flowers.of("2P 1Y") == Flowers.of({"pink": 2, "yellow": 1}) == Flowers.of((2, 1, 0, 0, 0, 0))
        True
        """
        if isinstance(value, Flowers):
            return value
        if isinstance(value, str):
            return cls.parse(value)
        if isinstance(value, Mapping):
            for key in value:
                if key not in COLOURS:
                    raise Refused(
                        f"unknown colour {shown(key)}; the colours are {', '.join(COLOURS)}; correct the name"
                    )
            return cls(**value)
        if not isinstance(value, Iterable):
            raise Refused(
                f"{shown(value)} is not flowers; text like P3 Y2 or counts by colour are; write one of these"
            )
        counts = tuple(value)
        if len(counts) != len(COLOURS):
            raise Refused(f"{len(counts)} counts; flowers have six, in the order P Y L D W B; give all six")
        return cls(*counts)

    @classmethod
    def parse(cls, text: str) -> Flowers:
        """Flowers from any of the notations people use; raises `Refused` with the reason.

        >>> [str(Flowers.parse(t)) for t in ("PYYB", "P1Y2 B1", "1p 2y 1k", "pink=1, yellow=2, black=1", "-")]
        ['P1 Y2 B1', 'P1 Y2 B1', 'P1 Y2 B1', 'P1 Y2 B1', '-']
        """
        if len(text) > _LONGEST_TEXT:
            raise Refused(
                f"{len(text)} characters of flowers; at most {_LONGEST_TEXT} are read; write P3 Y2 B1"
            )
        plain = text.strip().lower()
        if not plain.isascii():
            raise Refused(
                f"{shown(text)} holds characters that are not ASCII; write flowers as P3 Y2 B1 or PPPYYB"
            )
        if plain in ("", "-"):
            return cls()
        if re.search(r"(?<!light)(?<!dark)(?<!light[\s_-])(?<!dark[\s_-])blue", plain):
            raise Refused("blue is light or dark; write light_blue (L) or dark_blue (D)")
        compact = re.sub(r"[\s,;]+", "", plain)
        if re.fullmatch(r"[pyldwbk]+", compact):
            return cls(*(compact.count(k) + (compact.count("k") if k == "b" else 0) for k in LETTERS.lower()))
        return cls(*_counted(text, plain))


NOTHING = Flowers()


def _counted(text: str, plain: str) -> list[int]:
    """The six counts of a text that gives numbers, all before or all after their colours."""
    item = _NUMBER_FIRST if plain[0].isdigit() else _NUMBER_LAST
    counts: dict[int, int] = {}
    at = 0
    while at < len(plain):
        found = item.match(plain, at)
        if found is None:
            raise Refused(_what_is_wrong(text, plain[at:]))
        colour, digits = _NAMES[found["name"]], found["number"]
        if colour in counts:
            raise Refused(
                f"{shown(text)} counts {COLOURS[colour]} twice; each colour is counted once; add them up"
            )
        if len(digits) > len(str(MOST_FLOWERS)):
            raise Refused(
                f"{shown(text)} has a number too long; at most {MOST_FLOWERS} of a colour are read; cut it"
            )
        counts[colour] = int(digits)
        gap = _GAP.match(plain, found.end())
        at = gap.end() if gap else found.end()
    return [counts.get(i, 0) for i in range(len(COLOURS))]


def _what_is_wrong(text: str, rest: str) -> str:
    """Why a counted text stops being readable at `rest`."""
    if re.match(r"[+-]|[a-z_ ]*[:=]?\s*[+-]", rest):
        return f"{shown(text)} has a signed number; a count is a whole number from 0 up; leave the sign out"
    if re.match(r"[0-9]*[._e]|[a-z]+\s*[:=]?\s*(nan|inf|[0-9]+[._e])", rest):
        return f"{shown(text)} has a number that is not whole and plain; write digits only, as in P3 Y2 B1"
    bare = re.match(_NAME + "(?![a-z])", rest)
    if bare and len(bare["name"]) > 1 and not re.search("[0-9]", text):
        i = _NAMES[bare["name"]]
        return (
            f"{shown(text)} names {COLOURS[i].replace('_', ' ')} without a number; a colour's name has one; "
            f"write 1 {COLOURS[i]} or {LETTERS[i]}"
        )
    name = re.match(r"[0-9\s]*([a-z][a-z_]*)", rest)
    if name and name[1] not in _NAMES:
        return (
            f"unknown flower {shown(name[1])} in {shown(text)}; the letters are P Y L D W B; write P3 Y2 B1"
        )
    return (
        f"{shown(text)} mixes notations; write either letters (PPYB) or a number for every colour (P2 Y1 B1)"
    )


def shown(given: Any) -> str:
    """What somebody gave, for a message: printable, short, and text in quotes.

    >>> print(shown("P3"), shown(3.5), shown(10**5000))
    'P3' 3.5 a number of very many digits
    """
    try:
        text = ascii(given[:_LONGEST_SHOWN] if isinstance(given, str) else given)
    except ValueError:  # Python writes no whole number of more than some thousand digits
        return "a number of very many digits"
    except RecursionError:
        return "something nested deeply"
    whole = len(text) <= _LONGEST_SHOWN
    return text if whole else f"{text[: _LONGEST_SHOWN - 4]}...{text[-1]}"


def number_of(n: int, what: str) -> str:
    """So many of something.

    >>> number_of(1, "flower"), number_of(2, "flower")
    ('1 flower', '2 flowers')
    """
    return f"{n} {what}{'' if n == 1 else 's'}"


def listed(items: Iterable[str], last: str) -> str:
    """Some words as a list.

    >>> listed(["bag"], "and"), listed(["bag", "hand"], "and"), listed("PYL", "or")
    ('bag', 'bag and hand', 'P, Y or L')
    """
    *most, end = items
    return f" {last} ".join([", ".join(most), end] if most else [end])


def no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object whose keys are all different, for `json.loads(..., object_pairs_hook=no_duplicates)`."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise Refused(
                f"the key {shown(key)} stands twice in one object; each key stands once; remove one"
            )
        found[key] = value
    return found


def read_json(text: str) -> Any:
    """A JSON document, refused where it is broken (with line and column), repeats a key or holds a number
    that is not finite or very long."""

    def no_constant(name: str) -> Any:
        raise Refused(f"{name} is not a number JSON has; numbers are finite; correct it")

    def whole(digits: str) -> int:
        if len(digits) > _LONGEST_NUMBER:
            raise Refused(f"a number of {len(digits)} digits; at most {_LONGEST_NUMBER} are read; cut it")
        return int(digits)

    def finite(digits: str) -> Any:
        return number if isfinite(number := float(digits)) else no_constant(shown(digits))

    try:
        return json.loads(
            text,
            object_pairs_hook=no_duplicates,
            parse_constant=no_constant,
            parse_int=whole,
            parse_float=finite,
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise Refused(f"not readable as JSON at {where}: {error.msg.lower()}; correct that place") from None
    except RecursionError:
        raise Refused(
            "JSON nested too deeply; a table or rules file has a few levels; check the file"
        ) from None
