"""How right the errors of games played on are: `python -m cherrysim.calibration --positions N --out FILE`.

Positions are drawn from games of `learned` by a stated seed: 2 to 4 players, blue and pink cards, late,
middle and early ones as 3 to 2 to 1, at most three of the choices. What short runs say is held against
references: independent games of the same policies, 25 times as many. The one formula: an interval of a short
run covers if

    |short - reference| <= reach of the interval, widened by the reference's own error,
    widened reach^2 = reach^2 + (1.96 x standard error of the reference)^2.

Truncated answers are held against games to the end; what luck-cancelling saves is measured on one choice.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING, Any

from cherrysim.policy import parse
from cherrysim.rollout import LEAST, TURNS, Run, reach
from cherrysim.rollout.games import Plan, Table
from cherrysim.rollout.starts import Question, question
from cherrysim.rules import Rules
from cherrysim.simulate import arrays
from cherrysim.simulate.moments import moments
from cherrysim.stats import Estimate, quantile
from cherrysim.table import Table as Moment

if TYPE_CHECKING:
    from numpy.typing import NDArray

SET_UPS = tuple((players, cards) for players in (4, 3, 2) for cards in ("blue", "pink"))
STAGES = ("late", "middle", "early")
"""By thirds of the start bag."""
TURN_OF_STAGES = (0, 0, 0, 1, 1, 2)
CHOICES = 3
"""At most so many of the choices are played, drawn at random."""
SIZE, LONGER = 4, 25
"""Games of a short batch; the reference is so many times as long as `LEAST` of them."""
MOST = 512
"""Games at which a run that is watched ends anyhow."""
PRECISION = {"rollout": 0.1, "truncated": 0.02}
"""At which a run that is watched ends: the short runs' errors are about as large."""
TRUNCATED = 400
"""Truncated games held against the reference of full ones."""
SAMPLE = 256
"""Games from which the variance of a game is read, on every sixth position."""
DECIDED = 0.005
"""A choice that wins no more, or loses no more than this, is decided."""

BIASES = ("share", "score", "margin", "share difference", "score difference")
"""What truncated games are held against full ones in."""

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A position, its stage, and the number that all its randomness comes from."""

    number: int
    seed: int
    stage: str
    table: Moment

    def key(self, purpose: int) -> int:
        """A seed for this position and purpose."""
        return random.Random(f"{self.seed} {self.number} {purpose}").getrandbits(60)


def position(seed: int, number: int) -> Drawn:
    """The position of this number, at random among the decisions of its game at its stage.

    >>> position(1, 0).stage, position(1, 0).table.bag_size <= 32
    ('late', True)
    """
    rules = Rules.official(*SET_UPS[number % len(SET_UPS)])
    stage = TURN_OF_STAGES[number // len(SET_UPS) % len(TURN_OF_STAGES)]
    third = rules.counts.total / len(STAGES)
    for game in range(number, 10**9, 10**6):
        policies = (parse("learned"),) * rules.players
        tables = moments(rules, policies, seed, game)
        found = [table for table in tables if stage * third < table.bag_size <= (stage + 1) * third]
        if found:
            return Drawn(number, seed, STAGES[stage], random.Random(f"{seed} {number}").choice(found))
    raise AssertionError("every game has all stages")


def only(asked: Question, choices: Sequence[int]) -> Question:
    """The question with some of its choices alone."""
    chances = asked.chances[list(choices)]
    used = [i for i, column in enumerate(chances.T) if column.any()]
    return replace(
        asked,
        moves=tuple(asked.moves[i] for i in choices),
        starts=tuple(asked.starts[i] for i in used),
        chances=chances[:, used],
        shares=asked.shares[used],
    )


def measure(seed: int, number: int) -> Record:
    """All that is measured at a position, as numbers for the report."""
    drawn = position(seed, number)
    policies = (parse("learned"),) * drawn.table.rules.players
    asked = question(drawn.table, policies[0])
    every = list(range(len(asked.moves)))
    some = random.Random(drawn.key(0)).sample(every, min(CHOICES, len(every)))
    method = "truncated" if number // 36 % 3 else "rollout"
    found: Record = {"number": number, "stage": drawn.stage, "method": method}
    few = only(asked, some)
    plan = Plan(policies, TURNS if method == "truncated" else None)
    reference = _told(Table(few, plan, drawn.key(1)), LEAST * SIZE * LONGER)
    found |= _watched(Table(few, plan, drawn.key(2)), method, reference[:, :, 0, few.seat])
    if method == "rollout" and len(some) > 1:
        short = _told(Table(few, Plan(policies, TURNS), drawn.key(3)), TRUNCATED)
        found["bias"] = _apart(short, reference, few.seat)
    if number // 36 % 6 == 0:
        found["variance"] = _variances(only(asked, some[:1]), policies, drawn.key(4))
    return found


def _told(table: Table, games: int, batches: int = 40) -> NDArray[Any]:
    """What batches say: [batch, choice, share | score, seat]."""
    import numpy as np

    chances = table.question.chances.mean(axis=0)
    told: NDArray[Any] = np.array([table.batch(i, games // batches, chances) for i in range(batches)])
    return told


def _mean(values: NDArray[Any]) -> Estimate:
    spread = float(values.std(ddof=1)) / sqrt(len(values))
    return Estimate(float(values.mean()), spread, len(values))


def _watched(table: Table, method: str, reference: NDArray[Any]) -> Record:
    """Intervals of a short run, and of the same run watched until it says enough, by the reference."""
    run = Run(table, None, PRECISION[method], None, MOST, SIZE)
    run.play(1, None)
    truth = _mean(reference[:, 0])
    fixed, stopped = run.share(0, LEAST), run.share(0)
    found: Record = {"truth": truth.value, "choices": reference.shape[1], "games": run.games}
    found["fixed"] = _covers(fixed, reach(fixed, watched=False), truth)
    found["stopped"] = _covers(stopped, reach(stopped, watched=True), truth)
    found["wider"] = reach(stopped, watched=True) / reach(stopped, watched=False)
    if reference.shape[1] > 1 and len(run.contending()) == 1:
        (best,) = run.contending()
        others = [i for i in range(reference.shape[1]) if i != best]
        apart = [_mean(reference[:, i] - reference[:, best]) for i in others]
        found["wrong"] = any(gap.value > 3 * gap.standard_error for gap in apart)
    return found


def _covers(short: Estimate, reached: float, truth: Estimate) -> bool:
    widened = sqrt(reached**2 + (quantile(0.95) * truth.standard_error) ** 2)
    return abs(short.value - truth.value) <= widened


def _apart(short: NDArray[Any], reference: NDArray[Any], seat: int) -> Record:
    """How far what truncated games say is from what full ones do, and the square of the noise in that."""
    shares = reference[:, :, 0, seat].mean(axis=0)
    found: Record = {"decided": bool(((shares <= DECIDED) | (shares >= 1 - DECIDED)).all())}
    for name in BIASES:
        one, other = (_mean(_values(told, name, seat)) for told in (short, reference))
        found[name] = [one.value - other.value, one.standard_error**2 + other.standard_error**2]
    return found


def _values(told: NDArray[Any], name: str, seat: int) -> NDArray[Any]:
    """What batches say of the mover's share, score or margin after a choice, or of a difference of two."""
    own: NDArray[Any] = told[:, :, 0 if "share" in name else 1, seat]
    less: Any = own[:, 1] if "difference" in name else 0.0
    if name == "margin":
        rivals = [told[:, 0, 1, s] for s in range(told.shape[3]) if s != seat]
        less = max(rivals, key=lambda rival: float(rival.mean()))
    found: NDArray[Any] = own[:, 0] - less
    return found


def _variances(asked: Question, policies: Any, seed: int) -> Record:
    """Variance and CPU seconds of a game: plain, luck-cancelled, truncated and luck-cancelled."""
    import numpy as np

    which = np.random.default_rng(seed).choice(len(asked.starts), SAMPLE, p=asked.chances[0])
    known, found = asked.shares[which, asked.seat], {}
    for name, turns in (("full", None), ("truncated", TURNS)):
        table = Table(asked, Plan(policies, turns), seed)
        begun = time.thread_time()
        shares, _, luck = np.moveaxis(table.roll(which, 0)[:, :, asked.seat], 1, 0)
        spent = (time.thread_time() - begun) / SAMPLE
        found[name] = [float((shares - luck - known).var(ddof=1)), spent]
        if turns is None:
            found["plain"] = [float(shares.var(ddof=1)), spent]
    return found


def luck_costs(rules: Rules, games: int = 100) -> float:
    """CPU time of a whole game with every turn's luck, by that of one without."""
    import numpy as np

    from cherrysim.kernels.game import play_games

    policies = (parse("learned"),) * rules.players
    table = Table(only(question(Moment.start(rules), policies[0]), [2]), Plan(policies), 1)
    which = np.zeros(games, np.int64)
    numbers = arrays.rules_array(rules), arrays.policies_array(policies)
    rest = arrays.solver(rules, policies), arrays.no_log(), arrays.room(rules, games)
    spent = []
    works: tuple[Callable[[], Any], ...] = (
        lambda: table.roll(which, 0),
        lambda: play_games(0, games, np.uint64(1), *numbers, *rest),
    )
    for work in works:
        begun = time.thread_time()
        work()
        spent.append(time.thread_time() - begun)
    return spent[0] / spent[1]
