"""What could turn an answer: opponents who play otherwise, a bag that was miscounted.

Other opponents are met in truncated games, a few each. A miscount is a bag that holds one flower of a colour
more or fewer than the table says, all else being equal, or two of them; each is answered at once (`instant`),
and the smallest that turn the advice are found by looking at

    miscounts of 1 flower, then of 2: those whose best move is none of the moves advised.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

from cherrysim.flowers import COLOURS, Flowers, Refused
from cherrysim.instant import instant
from cherrysim.moves import Move
from cherrysim.policy import Policy, parse
from cherrysim.stats import Stated
from cherrysim.table import Table, moved

if TYPE_CHECKING:
    from cherrysim.rollout import Rollout

OPPONENTS = ("learned", "points", "kept")
"""Who else may sit at the table."""
PRECISION = {"win": 0.02, "score": 1.0}
"""How well a choice is to be known against them: enough to see it turn."""
MOST_GAMES = 2_048
"""So many games are played against them at most."""
MOST_FLOWERS = 2
"""So many flowers are miscounted at most."""
MOST_VALUED = 4_000
"""So many moves are valued at most: seconds of computing."""

Change = tuple[int, ...]
"""How many flowers of each colour more (less: fewer) the bag holds than was counted."""


@dataclass(frozen=True, slots=True)
class Against:
    """The `best` move against opponents of one policy, and how far the advised one is behind it there.

    `close` says that the two cannot be told apart.
    """

    opponents: str
    best: Move
    same: bool
    close: bool
    behind: Stated

    def to_json(self) -> dict[str, Any]:
        """As the answer's document holds it."""
        return {
            "opponents": self.opponents,
            "advice": self.best.to_json(),
            "same": self.same,
            "close_call": self.close,
            "difference": self.behind.to_json(),
        }


@dataclass(frozen=True, slots=True)
class Miscounts:
    """The smallest miscounts that turn the advice, each with the move it turns to; none where none of up to
    `flowers` flowers does."""

    flowers: int
    turning: tuple[tuple[Change, Move], ...]

    def to_json(self) -> dict[str, Any]:
        """As the answer's document holds it."""
        return {
            "flowers": self.flowers,
            "turning": [
                {"bag": dict(zip(COLOURS, change, strict=True)), "advice": move.to_json()}
                for change, move in self.turning
            ],
        }


@dataclass(frozen=True, slots=True)
class Doubts:
    """What was looked at: other opponents, as far as there was time, and miscounts; None where they were
    not."""

    against: tuple[Against, ...] = ()
    miscounts: Miscounts | None = None

    def to_json(self) -> dict[str, Any]:
        """As the answer's document holds it."""
        return {
            "against": [found.to_json() for found in self.against] or None,
            "miscounts": self.miscounts and self.miscounts.to_json(),
        }


def asked_against(
    table: Table,
    advised: Move,
    own: Policy,
    opponents: str,
    value: str,
    *,
    seed: int = 0,
    threads: int | None = None,
    budget: float | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> Against:
    """The best move by truncated games against opponents of this policy; `KeyboardInterrupt` at Ctrl-C.

    >>> from cherrysim.moves import Draw
    >>> from cherrysim.rules import Rules
    >>> asked_against(Table.start(Rules()), Draw(8), parse("learned"), "kept", "win").same
    False
    """
    from cherrysim.rollout import rollout

    policies = [parse(opponents)] * table.rules.players
    policies[table.to_move] = own
    found = rollout(
        table,
        value=value,
        policies=tuple(policies),
        precision=PRECISION[value],
        budget=budget,
        most=MOST_GAMES,
        seed=seed,
        threads=threads,
        progress=progress,
    )
    if found.stopped == "interrupt":
        raise KeyboardInterrupt
    return compared(found, advised, opponents, value)


def compared(found: Rollout, advised: Move, opponents: str, value: str) -> Against:
    """How a move stands in an answer that may not advise it."""
    from cherrysim.rollout.bias import difference

    (option,) = (option for option in found.options if option.move == advised)
    behind = difference(found, option, value)
    same = option.move == found.best.move
    return Against(opponents, found.best.move, same, not same and not behind.below_zero, behind)


def miscounted(
    table: Table, advised: Sequence[Move], value: str = "win", budget: float | None = None
) -> Miscounts | None:
    """The smallest miscounts of the bag that turn the advice; None where the instant answer itself is none of
    the moves advised, or there are too many moves to value, or `budget` seconds are too few.

    >>> from cherrysim.moves import Draw
    >>> from cherrysim.rules import Rules
    >>> miscounted(Table.start(Rules()), [Draw(8)]) is None
    True
    """
    begun = time.monotonic()
    best, count = _at_once(table, value)
    if best not in advised:
        return None
    looked, left = 0, MOST_VALUED
    for flowers in range(1, MOST_FLOWERS + 1):
        changes, turning = list(_changes(flowers)), []
        left -= count * len(changes)
        if left < 0:
            break
        for change in changes:
            if budget is not None and time.monotonic() - begun > budget:
                return Miscounts(looked, ()) if looked else None
            move = _changed(table, change, value)
            if move and move not in advised:
                turning.append((change, move))
        looked = flowers
        if turning:
            return Miscounts(looked, tuple(turning))
    return Miscounts(looked, ()) if looked else None


def _changes(flowers: int) -> Iterator[Change]:
    """Every way to miscount so many flowers, none of them made good by another."""
    single = [(colour, step) for colour in range(len(COLOURS)) for step in (1, -1)]
    for steps in combinations_with_replacement(single, flowers):
        change = [0] * len(COLOURS)
        for colour, step in steps:
            change[colour] += step
        if sum(map(abs, change)) == flowers:
            yield tuple(change)


def _changed(table: Table, change: Change, value: str) -> Move | None:
    """The best move with a bag that holds other flowers; None for a bag that cannot be."""
    bag = [n + more for n, more in zip(table.unseen.counts, change, strict=True)]
    if min(bag) < 0 or table.bag_size + sum(change) < 1:
        return None
    counts = Flowers(*(n + more for n, more in zip(table.rules.counts.counts, change, strict=True)))
    rules = dataclasses.replace(table.rules, counts=counts)
    try:
        return _at_once(moved(table, rules=rules), value)[0]
    except Refused:  # the history does not allow it
        return None


def _at_once(table: Table, value: str) -> tuple[Move, int]:
    """The best move by the instant answer, of equals the first, and how many there are."""
    seat, options = table.to_move, instant(table)
    worth = [
        (option.scores[seat],) if value == "score" else (option.shares[seat], option.margins[seat])
        for option in options
    ]
    return options[worth.index(max(worth))].move, len(options)
