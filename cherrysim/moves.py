"""Moves and events: what a player does at the table, and what everybody sees go in and out of the bag.

Rulebook: "Gameplay", "Description of Mastery Cards". A display is several moves, since two cards let the
player decide after seeing what was drawn. Moves with the flowers drawn are the whole record of a game.
Colours are letters (P Y L D W B), seats count from 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from cherrysim.flowers import LETTERS, NOTHING, Flowers, Refused

HAND, FRONT, BEHIND = "hand", "front", "behind"
"""Places of the player who moves: the collection in the middle, in front of the screen, behind it."""


@dataclass(frozen=True, slots=True)
class Draw:
    """Draw n flowers out of the bag."""

    n: int

    def to_json(self) -> dict[str, Any]:
        return {"action": "draw", "draw": self.n}


@dataclass(frozen=True, slots=True)
class Overdraw:
    """Draw n flowers by mistake, more than a turn allows: everything collected goes back (ruling R5)."""

    n: int

    def to_json(self) -> dict[str, Any]:
        return {"action": "overdraw", "draw": self.n}


@dataclass(frozen=True, slots=True)
class Stop:
    """Announce that the collection is done."""

    def to_json(self) -> dict[str, Any]:
        return {"action": "stop"}


@dataclass(frozen=True, slots=True)
class Pick:
    """A flower of one's own: its colour, and whether it lies in the `hand` or in `front`."""

    colour: str
    source: str


@dataclass(frozen=True, slots=True)
class Take:
    """A flower in front of another player: its colour and that player's seat."""

    colour: str
    seat: int


@dataclass(frozen=True, slots=True)
class UseCard:
    """Use a mastery card: with a `pick` Somei Yoshino and Sakuya Hime, which takes one, Kokonoe takes two.

    >>> UseCard("sakuya_hime", Pick("B", "front"), (Take("P", 1),)).to_json()["targets"]
    {'give': 'B', 'from': 'front', 'take': [{'colour': 'P', 'seat': 1}]}
    """

    card: str
    pick: Pick | None = None
    takes: tuple[Take, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "takes", tuple(sorted(self.takes, key=lambda take: (take.seat, _rank(take.colour))))
        )

    def to_json(self) -> dict[str, Any]:
        targets: dict[str, Any] = {}
        if self.pick:
            targets |= {"give": self.pick.colour, "from": self.pick.source}
        if self.takes:
            targets["take"] = [{"colour": take.colour, "seat": take.seat} for take in self.takes]
        return {"action": "card", "card": self.card, "targets": targets or None}


@dataclass(frozen=True, slots=True)
class Place:
    """Where Kenrokuen Kumagai's flowers go: each (colour, `front` or `behind` or another player's seat)."""

    places: tuple[tuple[str, str | int], ...]

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "places", tuple(sorted(self.places, key=lambda to: (_rank(to[0]), str(to[1]))))
        )

    def to_json(self) -> dict[str, Any]:
        return {"action": "place", "places": [{"colour": colour, "to": to} for colour, to in self.places]}


@dataclass(frozen=True, slots=True)
class Hide:
    """End a success: the flowers of one collected colour (None: of none) go behind, the others in front."""

    colour: str | None

    def to_json(self) -> dict[str, Any]:
        return {"action": "hide", "colour": self.colour}


@dataclass(frozen=True, slots=True)
class Keep:
    """End a failure with these flowers in front, or keep one of those drawn for Komatsu Otome."""

    flowers: Flowers

    def to_json(self) -> dict[str, Any]:
        return {"action": "keep", "flowers": str(self.flowers)}


@dataclass(frozen=True, slots=True)
class Unwatched:
    """A whole turn that nobody here watched: since then these flowers lie in front, so many more behind the
    screen (ruling R9)."""

    front: Flowers
    behind: int

    def to_json(self) -> dict[str, Any]:
        return {"action": "unwatched", "front": str(self.front), "behind": self.behind}


Move = Draw | Overdraw | Stop | UseCard | Place | Hide | Keep | Unwatched


@dataclass(frozen=True, slots=True)
class Drawn:
    """These flowers came out of the bag for all to see."""

    flowers: Flowers

    def to_json(self) -> dict[str, Any]:
        return {"draw": str(self.flowers)}


@dataclass(frozen=True, slots=True)
class Returned:
    """These flowers went back into the bag."""

    flowers: Flowers

    def to_json(self) -> dict[str, Any]:
        return {"return": str(self.flowers)}


@dataclass(frozen=True, slots=True)
class Secret:
    """This seat got a flower behind its screen that only it has seen; its colour where it is known here."""

    seat: int
    flower: Flowers | None = None

    def to_json(self) -> dict[str, Any]:
        """For those who know its colour it is a draw like any other."""
        return {"secret": self.seat} if self.flower is None else {"draw": str(self.flower)}


Event = Drawn | Returned | Secret


def followed_out(history: Iterable[Event]) -> Iterator[tuple[Event, Flowers]]:
    """Every event of a history with the flowers known to be out of the bag after it.

    Raises `Refused`, with the number of the entry, where more goes back than had been drawn.

    >>> [str(out) for _, out in followed_out([Drawn(Flowers.parse("PPY")), Returned(Flowers.parse("PY"))])]
    ['P2 Y1', 'P1']
    """
    out = NOTHING
    for number, event in enumerate(history, 1):
        match event:
            case Drawn(flowers) | Secret(_, Flowers() as flowers):
                out = out + flowers
            case Returned(flowers):
                if flowers not in out:
                    raise Refused(
                        f"history entry {number} returns {flowers}; fewer than that had been drawn; "
                        "correct the history"
                    )
                out = out - flowers
        yield event, out


def _rank(colour: str) -> int:
    return LETTERS.find(colour)
