"""Batches of games played on from the starts of a question: the same batch for all choices.

A batch takes its starts systematically: the chances q of all starts are laid end to end and, from a random
offset on, one start is taken every 1 / games of the way. So a start is played as often as its chance says,
give or take one, and

    mean over games of (chance[choice] / q)(start) x outcome(game)

has the mean of the choice's worth; batches are independent and alike, which is all that the statistics need.
Off every outcome is taken what was to be expected after its start, which is added again with the start's
chance: the mean stays, and how often the start was taken makes no noise.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from cherrysim.policy import Policy
from cherrysim.rollout.starts import Question, start_arrays
from cherrysim.simulate import arrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

SLICE = 32
"""Games between two looks at whether to go on: a tenth of a second."""
FIRST_USUAL = 1 << 40
"""Games from here on only say what is to be expected."""
POINTS_PER_SHARE = 40.0
"""So many points go with a whole share: takes luck off scores; any number leaves their mean as it is."""


@dataclass(frozen=True)
class Plan:
    """How games are played: policies by seat, so many turns before the model answers (None: to the end); it
    never does with fewer than `least` flowers left."""

    policies: tuple[Policy, ...]
    turns: int | None = None
    least: int = 10

    @property
    def limits(self) -> tuple[int, int]:
        """As the kernel reads them."""
        return (1 << 30 if self.turns is None else self.turns, self.least)


class Ended(Exception):
    """Games were told to end."""


class Table:
    """Plays batches of games for one question; threads share it. Once it is `ended` games raise `Ended`."""

    def __init__(self, question: Question, plan: Plan, seed: int, luck: bool = True) -> None:
        self.question, self.plan, self.seed, self.luck = question, plan, seed, luck
        rules = question.table.rules
        self._rules, self._starts = arrays.rules_array(rules), start_arrays(question.starts)
        self._policies = arrays.policies_array(plan.policies)
        self._room: SimpleQueue[Any] = SimpleQueue()
        self.ended: Callable[[], bool] = lambda: False
        shares, scores = self._at_once()  # compiled here, where it can be interrupted
        if not question.shares.any():
            self.question = replace(question, shares=shares)
        self._known = question.chances @ self.question.shares
        self.usual = (scores - POINTS_PER_SHARE * self.question.shares).mean(axis=0)

    def roll(self, which: NDArray[Any], first: int) -> NDArray[Any]:
        """Games first, first + 1, ... from these starts: [game, shares | scores | luck, seat]."""
        import numpy as np

        from cherrysim.kernels.rolling import roll_games

        out = np.zeros((len(which), 3, self.question.table.rules.players))
        room = self._take_room()
        numbers = np.uint64(self.seed), self.plan.limits, self._rules, self._policies, room[0]
        for at in range(0, len(which), SLICE):
            if self.ended():
                raise Ended
            some = slice(at, at + SLICE)
            roll_games(self._starts, which[some], first + at, *numbers, *room[1:], out[some])
        self._room.put(room)
        return out

    def batch(self, number: int, games: int, chances: NDArray[Any]) -> NDArray[Any]:
        """What batch `number` says, starts taken by these chances: [choice, shares | scores, seat]."""
        import numpy as np

        offset = random.Random(f"{self.seed} {number}").random()
        ends = np.cumsum(chances)
        places = (np.arange(games) + offset) / games * ends[-1]
        which = np.minimum(np.searchsorted(ends, places, side="right"), len(chances) - 1)
        shares, scores, luck = np.moveaxis(self.roll(which, number * games), 1, 0)
        weights = self.question.chances[:, which] / chances[which] / games
        known = self.question.shares[which] + (luck if self.luck else 0.0)
        means = [
            weights @ (shares - known) + self._known,
            weights @ (scores - self.usual - POINTS_PER_SHARE * known) + POINTS_PER_SHARE * self._known,
        ]
        found: NDArray[Any] = np.stack(means, axis=1) + np.array([[0.0], [1.0]]) * self.usual
        return found

    def _at_once(self) -> NDArray[Any]:
        """About which shares and scores to expect after each start, so that only the rest has to be played
        out: [shares | scores, start, seat]."""
        import numpy as np

        plan, self.plan = self.plan, Plan(self.plan.policies, 0, 1)
        out = self.roll(np.arange(len(self.question.starts)), FIRST_USUAL)
        self.plan = plan
        return np.moveaxis(out[:, :2], 1, 0)

    def _take_room(self) -> Any:
        try:
            return self._room.get_nowait()
        except Empty:
            rules = self.question.table.rules
            return arrays.roller(rules, self.plan.policies), arrays.no_log(), arrays.room(rules, 1)
