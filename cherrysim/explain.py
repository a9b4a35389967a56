"""Explain: what a collection is and what it allows, before any bag is known.

Rulebook: "Successful or Failed Collection", "Display Flowers", "Mastery Cards"; rulings R1, R10, R11, R13.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cherrysim.flowers import COLOURS, LETTERS, Flowers, Refused, number_of
from cherrysim.hands import cards_of, colours_in, conditions, keeps
from cherrysim.rules import Rules, rules_of


@dataclass(frozen=True, slots=True)
class Explanation:
    """A collection under some rules; `str()` is the text, `to_json()` the document of `cherrysim explain`."""

    hand: Flowers
    rules: Rules

    @property
    def conditions(self) -> tuple[str, ...]:
        """The failures it meets: `three` (too many alike), `five` (too many different)."""
        return conditions(self.hand.counts, self.rules)

    @property
    def failed(self) -> bool:
        """Whether the collection has failed."""
        return bool(self.conditions)

    @property
    def keep(self) -> tuple[Flowers, ...]:
        """What a failed collection may keep, one of these (ruling R10); none for a safe one."""
        return tuple(Flowers(*kept) for kept in keeps(colours_in(self.hand.counts))) if self.failed else ()

    @property
    def cards(self) -> tuple[str, ...]:
        """The cards of this game that a safe collection may use, one of them."""
        return cards_of(self.hand, self.rules)

    @property
    def hide(self) -> tuple[str, ...]:
        """Letters of the colours a safe collection may hide, all flowers of one or nothing (ruling R11)."""
        return () if self.failed else tuple(k for k, n in zip(LETTERS, self.hand.counts, strict=True) if n)

    @property
    def room(self) -> int:
        """How many more flowers a safe collection may draw: by the limit of a turn and what the game has."""
        rest = self.rules.counts.total - self.rules.set_aside - self.hand.total
        return 0 if self.failed else max(0, min(self.rules.flowers - self.hand.total, rest))

    @property
    def next_fails(self) -> tuple[str, ...]:
        """Letters of the single flowers, of those the game still has, with which a safe collection fails."""
        if not self.room:
            return ()
        one_more = (self.hand + Flowers(**{colour: 1}) for colour in COLOURS)
        return tuple(
            letter
            for letter, hand in zip(LETTERS, one_more, strict=True)
            if hand in self.rules.counts and conditions(hand.counts, self.rules)
        )

    def to_json(self) -> dict[str, Any]:
        """The document of `cherrysim explain`."""
        return {
            "hand": self.hand.to_json(),
            "size": self.hand.total,
            "failed": self.failed,
            "conditions": list(self.conditions),
            "keep": [kept.to_json() for kept in self.keep],
            "cards": list(self.cards),
            "hide": list(self.hide),
        }

    def __str__(self) -> str:
        from cherrysim.words import explanation

        return explanation(self)


def explain(hand: Flowers | str, rules: Rules | None = None) -> Explanation:
    """What a collection is and what it allows.

    Raises `Refused` for flowers the game does not have or more than a turn allows.
    Source: rulebook, "Collect Flowers".

    >>> failed = explain("PPB Y")
    >>> failed.conditions, [kept.letters for kept in failed.keep]
    (('three',), ['PY'])
    """
    rules = rules_of(rules)
    hand = Flowers.of(hand)
    rules.check_has(hand=hand)
    if hand.total > rules.flowers:
        raise Refused(
            f"hand {hand} is {number_of(hand.total, 'flower')}; "
            f"a turn allows {rules.flowers}, of more all go back; check the hand"
        )
    return Explanation(hand, rules)
