"""Rules: one frozen record of a game set-up; a designer's variant is other values, never other code.

Rulebook: "Setup", "Collect Flowers", "Final Scoring", "2-Player Variant"; switches are named by the rulings.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from cherrysim.flowers import COLOURS, Flowers, Refused, listed, shown

TWO_PAIRS, FOUR_COLOURS, SIX_FLOWERS = "two_pairs", "four_colours", "six_flowers"


@dataclass(frozen=True, slots=True)
class Card:
    """One side of a mastery card: its printed name, the combination that earns it, its side."""

    title: str
    pattern: str
    side: str


CARDS = {
    "shin_sumizome": Card("Shin Sumizome", TWO_PAIRS, "blue"),
    "sakuya_hime": Card("Sakuya Hime", TWO_PAIRS, "pink"),
    "somei_yoshino": Card("Somei Yoshino", FOUR_COLOURS, "blue"),
    "komatsu_otome": Card("Komatsu Otome", FOUR_COLOURS, "pink"),
    "kenrokuen_kumagai": Card("Kenrokuen Kumagai", SIX_FLOWERS, "blue"),
    "kokonoe": Card("Kokonoe", SIX_FLOWERS, "pink"),
}
"""The six sides; the two sides of one card share a pattern."""

SWITCHES = {
    "front_beyond_ten": ("flat", "linear"),
    "orphan_wilds": ("void", "free"),
    "ties": ("places", "pooled", "dense"),
    "empty_group": ("counts", "nothing"),
    "two_player_tie": ("split", "both", "none", "normal"),
}
"""What the rulebook leaves open, with the values a table may choose; the official one first."""

_START_BAGS = {2: (13, 13, 13, 13, 13, 4), 3: (15, 15, 15, 15, 15, 5), 4: (18, 18, 18, 18, 18, 6)}
_FULL = Flowers(*_START_BAGS[4])
_WHOLE = {
    "players": (2, 4),
    "alike": (2, 5),
    "different": (3, 6),
    "draws": (1, 5),
    "flowers": (1, 12),
    "set_aside": (0, 3),
}
_MOST_POINTS, _LONGEST_TABLE, _LONGEST_LINE = 10**6, 200, 10_000


@dataclass(frozen=True, slots=True)
class Rules:
    """A game set-up: who plays, what is in the bag, when a collection fails, what flowers are worth.

    `alike` flowers of one colour fail, so do `different` colours (6: never); a turn has at most `draws`
    draws and `flowers` flowers; `set_aside` tokens leave the bag unseen. `front_table[n]` are the points of
    n flowers of one colour in front; `warm` and `cool` those of the 1st, 2nd, 3rd place behind the screens.
    The last five are `SWITCHES`, what the rulebook leaves open. What is left out is that of the game of four:
    `Rules.official` has the bags of two and three. Raises `Refused` where a value is outside its limits.
    Source: rulebook, "Setup", "Collect Flowers", "Final Scoring".

    >>> Rules.official(3).counts.total, Rules.official(2).set_aside, Rules.official(cards="pink").cards[0]
    (80, 3, 'sakuya_hime')
    """

    players: int = 4
    counts: Flowers = _FULL
    alike: int = 3
    different: int = 5
    draws: int = 3
    flowers: int = 8
    front_table: tuple[int, ...] = (0, -3, -1, 1, 3, 5, 8, 11, 15, 19, 24)
    warm: tuple[int, int, int] = (18, 10, 8)
    cool: tuple[int, int, int] = (16, 12, 8)
    set_aside: int = 0
    cards: tuple[str, ...] = ("shin_sumizome", "somei_yoshino", "kenrokuen_kumagai")
    front_beyond_ten: str = "flat"
    orphan_wilds: str = "void"
    ties: str = "places"
    empty_group: str = "counts"
    two_player_tie: str = "split"

    def __post_init__(self) -> None:
        for name, (least, most) in _WHOLE.items():
            _check_whole(name, getattr(self, name), least, most)
        for name, values in SWITCHES.items():
            if getattr(self, name) not in values:
                raise Refused(
                    f"{name} is {shown(getattr(self, name))}; it is one of {', '.join(values)}; choose one"
                )
        for name, length in (("front_table", None), ("warm", 3), ("cool", 3)):
            _check_points(name, getattr(self, name), length)
        _check_cards(self.cards)
        if not isinstance(self.counts, Flowers):
            raise Refused(f"counts is {shown(self.counts)}; it is Flowers; write Flowers.of(...) around it")
        if self.counts.total <= self.set_aside:
            raise Refused(
                f"{self.counts.total} flowers with {self.set_aside} set aside leave an empty bag; "
                "a game needs a flower to draw; add flowers"
            )

    @classmethod
    def official(cls, players: int = 4, cards: str | Iterable[str] = "blue") -> Rules:
        """The rulebook's game for 2, 3 or 4 players; `cards` is blue, pink, none, or names of sides."""
        _check_whole("players", players, *_WHOLE["players"])
        return cls(
            players=players,
            counts=Flowers(*_START_BAGS[players]),
            set_aside=3 if players == 2 else 0,
            cards=card_names(cards),
        )

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any], players: int = 4) -> Rules:
        """Rules from the keys of a rules file, each optional and official by default for `players`.

        >>> Rules.from_mapping({"players": 3, "alike": 4, "counts": "P9 Y9 B2"}).counts.total
        20
        """
        known = [field.name for field in dataclasses.fields(cls)]
        for key in values:
            if key not in known:
                raise Refused(
                    f"unknown key {shown(key)} in the rules; "
                    f"the keys are {', '.join(known)}; correct the name"
                )
        given = dict(values)
        base = cls.official(given.get("players", players))
        if "counts" in given:
            given["counts"] = Flowers.of(given["counts"])
        if "cards" in given:
            given["cards"] = card_names(given["cards"])
        for name in ("front_table", "warm", "cool"):
            if name in given and isinstance(given[name], list):
                given[name] = tuple(given[name])
        return dataclasses.replace(base, **given)

    @classmethod
    def from_toml(cls, text: str) -> Rules:
        """Rules from the text of a TOML file; what is broken is refused with its line and key."""
        values = read_toml(text)
        try:
            return cls.from_mapping(values)
        except Refused as refused:
            raise Refused(_refusal(values, text) or str(refused)) from None

    def to_json(self) -> dict[str, Any]:
        """Every key of a rules file with its value, so that `Rules.from_mapping` gives these rules again."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {
            key: list(value)
            if isinstance(value, tuple)
            else value.to_json()
            if isinstance(value, Flowers)
            else value
            for key, value in values.items()
        }

    @property
    def not_official(self) -> dict[str, Any]:
        """The keys whose values differ from the official game of as many players with blue cards."""
        official = Rules.official(self.players).to_json()
        return {key: value for key, value in self.to_json().items() if value != official[key]}

    def check_has(self, **places: Flowers) -> None:
        """Raises `Refused`, naming the places, where they hold more of a colour than the game has."""
        for i, (colour, most) in enumerate(zip(COLOURS, self.counts.counts, strict=True)):
            held = {place: flowers.counts[i] for place, flowers in places.items() if flowers.counts[i]}
            if sum(held.values()) > most:
                raise Refused(
                    f"{sum(held.values())} {colour.replace('_', ' ')} in {listed(held, 'and')}; "
                    f"this game has {most} ({self.players} players); check the counts"
                )

    @property
    def changes(self) -> str:
        """What is not official but for the cards, as text; empty where nothing is.

        >>> Rules(alike=4, front_table=(0, 1)).changes
        'alike 4, front_table 0 1'
        """
        changed = {key: getattr(self, key) for key in self.not_official if key != "cards"}
        as_text = {k: " ".join(map(str, v)) if isinstance(v, tuple) else str(v) for k, v in changed.items()}
        return ", ".join(f"{key} {text}" for key, text in as_text.items())


def _refusal(values: Mapping[str, Any], text: str) -> str:
    """Why the first value that is refused by itself is, with its line and key; empty where only all together
    are."""
    for key, value in values.items():
        try:
            Rules.from_mapping({key: value})
        except Refused as refused:
            name = rf"(\[\s*)?[\"']?{re.escape(key)}[\"']?\s*[=.\]]"
            for number, line in enumerate(text.split("\n"), 1):
                if re.match(rf"\s*{name}", line):
                    return f"line {number}, {key[:40]}: {refused}"
    return ""


def card_names(cards: Any) -> tuple[str, ...]:
    """The names of card sides that `blue`, `pink`, `none` or a list (or text with commas) stands for."""
    if cards in ("blue", "pink"):
        return tuple(name for name, card in CARDS.items() if card.side == cards)
    if cards == "none":
        return ()
    if isinstance(cards, str):
        cards = [name.strip() for name in cards.split(",")]
    if not isinstance(cards, Iterable) or isinstance(cards, Mapping):
        raise Refused(
            f"cards is {shown(cards)}; it is blue, pink, none or names of cards; write one of these"
        )
    names = tuple(cards)
    _check_cards(names)
    return tuple(sorted(names, key=list(CARDS).index))


def _check_cards(names: tuple[Any, ...]) -> None:
    taken: dict[str, str] = {}
    for name in names:
        if not isinstance(name, str) or name not in CARDS:
            raise Refused(f"unknown card {shown(name)}; the cards are {', '.join(CARDS)}; correct the name")
        pattern = CARDS[name].pattern
        if pattern in taken:
            raise Refused(
                f"{taken[pattern]} and {name} are one card; a game has it once, one side up; leave one out"
            )
        taken[pattern] = name


def _check_whole(name: str, value: Any, least: int, most: int) -> None:
    if type(value) is not int or not least <= value <= most:
        raise Refused(
            f"{name} is {shown(value)}; it is a whole number from {least} to {most}; choose one in between"
        )


def _check_points(name: str, points: Any, length: int | None) -> None:
    if not isinstance(points, tuple) or (length is not None and len(points) != length):
        raise Refused(
            f"{name} is {shown(points)}; it is {f'{length} whole numbers' if length else 'whole numbers'} "
            "in a row (a list in a file, a tuple in Python); write it so"
        )
    if not 1 <= len(points) <= _LONGEST_TABLE:
        raise Refused(f"{name} has {len(points)} entries; 1 to {_LONGEST_TABLE} are read; shorten it")
    for value in points:
        _check_whole(f"an entry of {name}", value, -_MOST_POINTS, _MOST_POINTS)


def read_toml(text: str) -> dict[str, Any]:
    """A TOML document; refused, with its line, where it is broken."""
    import tomllib

    longest = max(map(len, text.split("\n")))
    if longest > _LONGEST_LINE:  # of a key with so many dots the reader would never come back
        raise Refused(f"a line of {longest} characters; TOML is read up to {_LONGEST_LINE}; break it up")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Refused(f"not readable as TOML: {str(error).lower()}; correct that place") from None
    except ValueError:
        raise Refused("a number of very many digits; none in TOML needs more than a few; cut it") from None
    except RecursionError:
        raise Refused("TOML nested too deeply; a rules file has one level; check the file") from None


OFFICIAL = Rules()
"""The official game of four players with blue cards, which questions are about unless they say otherwise."""


def rules_of(rules: Rules | None) -> Rules:
    """The rules that an argument stands for, the official ones for None; `Refused` for anything else."""
    if rules is None:
        return OFFICIAL
    if not isinstance(rules, Rules):
        raise Refused(
            f"rules is {shown(rules)}; it is Rules; write Rules.official(3) or Rules.from_toml(text)"
        )
    return rules
