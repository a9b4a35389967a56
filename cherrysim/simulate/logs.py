"""Simulated games move by move: the log of the compiled game as moves of the readable one, and as a record.

A log row is game, turn, seat, kind of event and two numbers; see `cherrysim.kernels.layout`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from cherrysim.behind import Split
from cherrysim.flowers import LETTERS, Flowers
from cherrysim.hands import PATTERNS
from cherrysim.moves import BEHIND, FRONT, HAND, Draw, Hide, Keep, Move, Pick, Place, Stop, Take, UseCard
from cherrysim.policy import Policy
from cherrysim.records import Record, record_of
from cherrysim.rules import CARDS, Rules
from cherrysim.simulate import arrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

Step = tuple[Move, Flowers | None]
_MOST_EVENTS = 40 * arrays.MOST_TURNS


def logged(
    rules: Rules, policies: Sequence[Policy], seed: int, game: int
) -> tuple[list[list[int]], NDArray[Any]]:
    """The events and the result rows of one game."""
    import numpy as np

    from cherrysim.kernels.game import play_games

    log, rows = arrays.log_of(_MOST_EVENTS), arrays.room(rules, 1)
    array, numbers = arrays.rules_array(rules), arrays.policies_array(policies)
    play_games(game, 1, np.uint64(seed), array, numbers, arrays.solver(rules, policies), log, rows)
    return log[1 : log[0, 0] + 1].tolist(), rows


def steps_of(rules: Rules, events: Sequence[Sequence[int]]) -> Iterator[Step]:
    """The moves of a logged game, each with the flowers that came out of the bag with it."""
    from cherrysim.kernels import layout as of

    waiting = _Card()
    queue = iter(events)
    for _, _, seat, kind, a, b in queue:
        if kind == of.DRAW:
            yield Draw(a), _flowers(next(queue)[4] for _ in range(a))
        elif kind == of.STOP:
            yield Stop(), None
        elif kind == of.CARD:
            waiting = _Card(_card_name(a, b))
        elif kind == of.HIDE:
            yield from waiting.steps(seat)
            waiting = _Card()
            yield Hide(_letter(a)), None
        elif kind == of.KEEP:
            yield Keep(_flowers(c for c in (a, b) if c >= 0)), None
        else:
            waiting.add(kind, a, b)


def splits_of(events: Sequence[Sequence[int]]) -> tuple[Split, ...]:
    """How every seat of a logged game split its wilds."""
    from cherrysim.kernels.layout import SPLIT

    return tuple((a, b) for *_, kind, a, b in events if kind == SPLIT)


def record(
    policies: Sequence[Policy], seed: int, game: int, rules: Rules, names: Sequence[str] | None = None
) -> Record:
    """One simulated game as a record.

    >>> from cherrysim.policy import parse
    >>> kept = record([parse("kept")] * 2, 7, 0, Rules.official(2))
    >>> kept.ended, str(kept).splitlines()[0]
    (True, 'cherrysim record 1')
    """
    events, _ = logged(rules, policies, seed, game)
    names = [f"Seat {seat}" for seat in range(rules.players)] if names is None else names
    return record_of(rules, names, steps_of(rules, events), seed, splits_of(events))


class _Card:
    """The events of a card until its flowers have gone where they go."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.events: list[tuple[int, int, int]] = []

    def add(self, kind: int, a: int, b: int) -> None:
        self.events.append((kind, a, b))

    def steps(self, seat: int) -> Iterator[Step]:
        from cherrysim.kernels import layout as of

        if not self.name:
            return
        picks = [Pick(LETTERS[b], FRONT if a else HAND) for kind, a, b in self.events if kind == of.FROM]
        takes = [Take(LETTERS[b], a) for kind, a, b in self.events if kind == of.RIVAL]
        drawn = _flowers(a for kind, a, _ in self.events if kind == of.BONUS)
        yield UseCard(self.name, picks[0] if picks else None, tuple(takes)), drawn
        if drawn.total and self.name == "kenrokuen_kumagai":
            places = [(LETTERS[a], _place(b, seat)) for kind, a, b in self.events if kind == of.PLACE]
            yield Place(tuple(places)), None
        if drawn.total and self.name == "komatsu_otome":
            yield Keep(_flowers(a for kind, a, _ in self.events if kind == of.CHOSEN and a >= 0)), None


def _card_name(pattern: int, side: int) -> str:
    from cherrysim.kernels.layout import BLUE

    colour = "blue" if side == BLUE else "pink"
    return next(n for n, card in CARDS.items() if (card.pattern, card.side) == (PATTERNS[pattern], colour))


def _place(to: int, mover: int) -> str | int:
    return BEHIND if to < 0 else FRONT if to == mover else to


def _letter(colour: int) -> str | None:
    return LETTERS[colour] if colour >= 0 else None


def _flowers(colours: Iterator[int]) -> Flowers:
    counts = [0] * len(LETTERS)
    for c in colours:
        counts[c] += 1
    return Flowers(*counts)
