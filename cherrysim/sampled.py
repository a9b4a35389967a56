"""Sampled odds: how often a plan failed in simulated draws, the independent check of the exact odds.

Rulebook: "Collect Flowers"; rulings R1 to R8. The one formula: of n samples, each a whole plan drawn from the
bag, the share that failed has standard error sqrt(p (1 - p) / n). Sample i depends on the seed and i alone.

Several possible pools: every sample first picks one, by weight, with a random number of its own (weights that
add up to more than 2^62 are rounded to 62 bits); then those of one pool are drawn side by side, from streams
no other pool uses. Tokens hidden among a pool cost nothing: the plan is cut to what is really in the bag.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal, overload

from cherrysim.belief import Belief
from cherrysim.chances import (
    DrawOdds,
    PlanOdds,
    Position,
    Stage,
    check_bag,
    check_plan,
    draw_odds,
    plan_odds,
    position_of,
)
from cherrysim.flowers import Flowers, Refused, shown
from cherrysim.rules import Rules

if TYPE_CHECKING:
    from pandas import DataFrame

    from cherrysim.stats import Estimate

SAMPLES = 1_000_000
MOST_SAMPLES = 10**12
MOST_SEED = 2**64 - 1
MOST_THREADS = 256

_BYTES = 255  # flowers of a bag that the kernel draws from side by side
_BLOCK, _LARGE_BLOCK = 2**22, 2**18  # samples of one block; under 0.1 s both
_REGION = 2**40  # sample numbers of one pool, more than MOST_SAMPLES
_CHOICES = 2**63  # the streams from here on choose pools; no sample comes as far
_ROUNDED = 2**62


@dataclass(frozen=True, slots=True)
class SampledOdds:
    """The failure odds of a simulated plan: `failed[k]` of `samples` failed at draw k, of `taken[k]` flowers.

    `stopped` is "interrupt" if Ctrl-C ended the run early. `str()` is the text, `to_json()` the document.
    """

    at: Position
    plan: tuple[int, ...]
    taken: tuple[int, ...]
    failed: tuple[int, ...]
    samples: int
    seed: int
    stopped: str = ""

    @property
    def fail(self) -> Estimate:
        """The chance that the plan fails."""
        from cherrysim.stats import proportion

        return proportion(sum(self.failed), self.samples, "chance")

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval of the chance to fail."""
        from cherrysim.stats import wilson

        return wilson(sum(self.failed), self.samples)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The draws of the plan, with the shares of samples instead of chances."""
        before = [0, *accumulate(self.failed)]
        return tuple(
            Stage(draw, 1 - Fraction(lost, self.samples), Fraction(failed, self.samples))
            for draw, failed, lost in zip(self.taken, self.failed, before, strict=False)
        )

    def to_json(self) -> dict[str, Any]:
        """The document of `cherrysim odds --plan --method mc`."""
        from cherrysim.stats import CONFIDENCE

        document = {
            "bag": self.at.bag.to_json(),
            "hand": self.at.hand.to_json(),
            "draws_used": self.at.draws_used,
            "plan": list(self.plan),
            "method": "mc",
            "fail": self.fail.value,
            "interval": list(self.interval),
            "interval_kind": "fixed",
            "confidence": CONFIDENCE,
            "samples": self.samples,
            "seed": self.seed,
            "stages": [stage.to_json() for stage in self.stages],
            "standard_error": self.fail.standard_error,
        }
        return document | ({"stopped": self.stopped} if self.stopped else {})

    def frame(self) -> DataFrame:
        """The stages as a table, one row a draw."""
        from pandas import DataFrame

        return DataFrame(self.to_json()["stages"])

    def __str__(self) -> str:
        from cherrysim.words import sampled_odds

        return sampled_odds(self)


def sample_odds(
    at: Position,
    plan: Sequence[int],
    samples: int = SAMPLES,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> SampledOdds:
    """The odds of a plan from exactly `samples` simulated plans, the same for any number of threads.

    `progress` is told the plans simulated so far and which part of the work that is. Ctrl-C ends it early
    with what is known, or with `KeyboardInterrupt` where nothing is. Raises `Refused`.
    """
    from cherrysim.blocks import in_order

    check_numbers(samples, seed, threads)
    steps = check_plan(plan, at)
    check_bag(at)
    taken = _taken(steps, at.belief.size)
    size, pools = _block_size(at.belief), _Pools(at, taken, seed)
    next(
        in_order(lambda _: pools.failures(0, 0), 1)
    )  # compiled once, in a thread: Ctrl-C need not wait for it
    found: tuple[int, tuple[int, ...]] = (0, (0,) * len(taken))
    results = in_order(
        lambda block: pools.failures(block * size, min(size, samples - block * size)),
        -(-samples // size),
        threads=threads,
    )
    stopped = ""
    try:
        for count, failed in results:  # one assignment a block: Ctrl-C finds a whole number of them
            found = (found[0] + count, tuple(a + b for a, b in zip(found[1], failed, strict=True)))
            if progress:
                progress(found[0], found[0] / samples)
    except KeyboardInterrupt:
        if not found[0]:
            raise
        stopped = "interrupt"
    return SampledOdds(at, steps, taken, found[1], found[0], seed, stopped)


def check_numbers(samples: int, seed: int, threads: int | None) -> None:
    """Raises `Refused` for a number of samples, seed or threads that cannot be."""
    for name, number, least, most in (
        ("samples", samples, 1, MOST_SAMPLES),
        ("seed", seed, 0, MOST_SEED),
        ("threads", 1 if threads is None else threads, 1, MOST_THREADS),
    ):
        if type(number) is not int or not least <= number <= most:
            raise Refused(
                f"{name} {shown(number)}; a simulation takes {least} to {most}; "
                "choose a whole number in between"
            )


def _taken(steps: Sequence[int], bag: int) -> tuple[int, ...]:
    """What each draw really takes until the bag is empty (R3)."""
    taken: list[int] = []
    for step in steps:
        taken.append(min(step, bag - sum(taken)))
    return tuple(n for n in taken if n)


def _block_size(belief: Belief) -> int:
    return _BLOCK if belief.size + belief.hidden <= _BYTES else _LARGE_BLOCK


class _Pools:
    """The kernels' view of a position and a plan: possible pools, their cumulative weights, the rest."""

    def __init__(self, at: Position, taken: Sequence[int], seed: int) -> None:
        import numpy as np

        pools = at.belief.pools
        upto = list(accumulate(weight for _, weight in pools))
        if upto[-1] > _ROUNDED:
            upto = [end * _ROUNDED // upto[-1] for end in upto]
        self._upto = np.array(upto, np.int64)
        self._pools = [np.array(pool, np.int64) for pool, _ in pools]
        self._hand = np.array(at.hand.counts, np.int64)
        self._plan = np.array(taken, np.int64)
        self._limits = np.array([at.rules.alike, at.rules.different], np.int64)
        self._seed = np.uint64(seed)

    def failures(self, first: int, count: int) -> tuple[int, tuple[int, ...]]:
        """`count`, and how many of the samples from `first` on fail at each draw; `first` begins a block."""
        import numpy as np

        from cherrysim.kernels.bag import failures

        out = np.zeros(len(self._plan), np.int64)
        for j, of_pool in enumerate(self._choices(first, count)):
            if of_pool or not count:
                start = _REGION * j + first
                failures(
                    self._pools[j], self._hand, self._plan, self._limits, self._seed, start, of_pool, out
                )
        return count, tuple(out.tolist())

    def _choices(self, first: int, count: int) -> list[int]:
        """How many of a block's samples are drawn from each pool."""
        if len(self._pools) == 1:
            return [count]
        import numpy as np

        from cherrysim.kernels.choice import choose

        chosen = np.zeros(len(self._pools), np.int64)
        choose(self._upto, self._seed, np.uint64(_CHOICES + first), count, chosen)
        of_pools: list[int] = chosen.tolist()
        return of_pools


@overload
def odds(
    bag: Flowers | str | Belief | None = None,
    plan: Sequence[int] | None = None,
    *,
    hand: Flowers | str = "",
    draws_used: int | None = None,
    seen: Flowers | str | None = None,
    set_aside: int | None = None,
    rules: Rules | None = None,
    method: Literal["exact"] = "exact",
) -> PlanOdds | DrawOdds: ...


@overload
def odds(
    bag: Flowers | str | Belief | None = None,
    plan: Sequence[int] | None = None,
    *,
    hand: Flowers | str = "",
    draws_used: int | None = None,
    seen: Flowers | str | None = None,
    set_aside: int | None = None,
    rules: Rules | None = None,
    method: Literal["mc"],
    samples: int = SAMPLES,
    seed: int = 0,
    threads: int | None = None,
) -> SampledOdds: ...


def odds(
    bag: Flowers | str | Belief | None = None,
    plan: Sequence[int] | None = None,
    *,
    hand: Flowers | str = "",
    draws_used: int | None = None,
    seen: Flowers | str | None = None,
    set_aside: int | None = None,
    rules: Rules | None = None,
    method: str = "exact",
    samples: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
) -> PlanOdds | DrawOdds | SampledOdds:
    """The failure odds of a plan, or without one the exact ones of every number of flowers drawn at once.

    `bag` is what is in the bag now (default: the start bag less the hand), or a `Belief` before the hand
    was drawn; `seen` instead is everything else out of it; of the bag `set_aside` tokens were put away
    unseen (default: as the rules say). `plan` are the draws to come. `method` is "exact", or "mc" for
    `samples` (default 1,000,000) simulated plans of a `seed` (default 0). Raises `Refused`.
    Source: rulebook, "Collect Flowers".

    >>> float(odds("P18 Y18 L18 D18 W18 B6", [2, 2, 1]).fail)
    0.5012311354166503
    >>> odds(plan=[2, 2, 1], method="mc", seed=7).fail
    Estimate(value=0.50..., standard_error=0.0005, n=1000000, unit='chance')
    """
    at = position_of(rules, bag, hand, draws_used, seen, set_aside)
    return answered(at, plan, method, samples, seed, threads)


def answered(
    at: Position,
    plan: Sequence[int] | None,
    method: str,
    samples: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> PlanOdds | DrawOdds | SampledOdds:
    """The odds from a position by a method; raises `Refused` where they do not go together."""
    if method not in ("exact", "mc"):
        raise Refused(f"method {shown(method)}; odds are exact or mc (simulated); choose one")
    if method == "mc":
        if plan is None:
            raise Refused("mc without a plan; only a plan of draws is simulated; add one, as in --plan 2,2,1")
        return sample_odds(at, plan, SAMPLES if samples is None else samples, seed or 0, threads, progress)
    for name, given in (("samples", samples), ("seed", seed), ("threads", threads)):
        if given is not None:
            raise Refused(f"{name} given for exact odds; nothing is simulated; leave it out or choose mc")
    return draw_odds(at) if plan is None else plan_odds(at, plan)
