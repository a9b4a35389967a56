"""Simple rules: what a person can carry out at the table without a tool, as a few whole numbers.

Rulebook: "Turn Overview". A rule says how many flowers to draw first; how many then, by the colours that
would spoil the collection (of which one flower more makes it fail); how many flowers are enough. What to
hide, to keep and to move by a card it reads off a tally: a colour is hidden for

    its flowers x points behind - the sum of their points in front.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from cherrysim.files import read_text

STORED = Path(__file__).parent / "data" / "simple.json"
"""What the search for the best rule found."""
CARDS = ("none", "two pairs before four colours", "four colours before two pairs")
"""Ways to use cards of a blue side; six flowers come before the others."""

DRAWING = tuple(f"{draw}_{n}" for draw in ("second", "third") for n in range(4))
"""The sizes of the second and third draw."""
TALLY = ("new", "new_late", "more", "white", "dark", "coloured", "wild", "behind_late", "fewer")
"""The numbers of a rule that flowers are counted by."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A simple rule.

    The game is late from `late` flowers left, at the start of a turn; `first` and `first_late` are the sizes
    of the first draw, `second_0` to `second_3` and `third_0` to `third_3` of the next ones with so many
    spoiling colours, 0 to stop; late it stops with more than `dared` spoiling colours, and always with
    `enough` flowers. In front a flower counts `new` (`new_late`) as the first of its colour, else `more`,
    `white` or `dark` where it is white or black; behind it counts `coloured`, `wild` where it is white or
    black, `behind_late` more when the game is late, `fewer` more in the group that has fewer behind. `cards`
    is a place in `CARDS`.

    >>> Rule.parse("/".join(["1"] * 23)).enough
    1
    """

    late: int
    first: int
    first_late: int
    second_0: int
    second_1: int
    second_2: int
    second_3: int
    third_0: int
    third_1: int
    third_2: int
    third_3: int
    dared: int
    enough: int
    new: int
    new_late: int
    more: int
    white: int
    dark: int
    coloured: int
    wild: int
    behind_late: int
    fewer: int
    cards: int

    @property
    def numbers(self) -> tuple[int, ...]:
        """Its numbers in order."""
        return tuple(getattr(self, field.name) for field in fields(self))

    @classmethod
    def parse(cls, text: str) -> Rule | None:
        """The rule whose numbers these are, with a stroke between them; None if it is none."""
        if not re.fullmatch(r"-?[0-9]{1,2}(/-?[0-9]{1,2})*", text):
            return None
        numbers = tuple(map(int, text.split("/")))
        if len(numbers) != len(fields(cls)):
            return None
        rule = cls(*numbers)
        return rule if rule.sound else None

    @property
    def sound(self) -> bool:
        """Whether every number is within its bounds."""
        return all(
            low <= n <= high for n, (low, high) in zip(self.numbers, map(bounds, fields(self)), strict=True)
        )

    def __str__(self) -> str:
        return "/".join(map(str, self.numbers))


def bounds(field: Any) -> tuple[int, int]:
    """The least and the most of a number of a rule, by its field."""
    name = field.name
    if name in ("first", "first_late"):
        return 1, 8
    if name.startswith(("second", "third", "enough")):
        return 0, 8
    return {"late": (0, 96), "dared": (0, 5), "cards": (0, len(CARDS) - 1)}.get(name, (-20, 20))


@cache
def stored() -> dict[str, Any]:
    """What the search for the best rule found: the command, the seed, the version, the ten best rules."""
    found: dict[str, Any] = json.loads(read_text(STORED))
    return found


@cache
def best() -> Rule:
    """The best simple rule found for the official game of four."""
    rule = Rule.parse(stored()["rules"][0]["rule"])
    assert rule is not None
    return rule
