"""How far truncated games are off, beyond the error of so few of them: measured, and part of what is stated.

Truncated games end at what the learned model says of the table, so however many are played

    their mean = the mean of full games + a bias of this table.

With b the size of the bias over many tables and e the error of the games, the standard error stated is
sqrt(e^2 + b^2), and the half of a 95 % interval the like of its two halves. Full games have no bias.
"""

from __future__ import annotations

from math import hypot
from typing import NamedTuple

from cherrysim.flowers import NOTHING
from cherrysim.rollout import Rolled, Rollout
from cherrysim.rollout.games import Plan
from cherrysim.stats import CONFIDENCE, Estimate, Stated, quantile


class Bias(NamedTuple):
    """The root of the mean square, over tables, of truncated less full games, their own errors taken off;
    differences are those of choices at one table."""

    share: float = 0.0
    score: float = 0.0
    margin: float = 0.0
    share_difference: float = 0.0
    score_difference: float = 0.0


TRUNCATED_BIAS = Bias(share=0.017, score=0.85, margin=1.3, share_difference=0.01, score_difference=0.52)
"""From reports/calibration.md, the root mean square over 304 undecided tables of all stages; of differences
the three stages' squares are weighted by how well each is known. Due anew with other weights of `learned`."""


def bias_of(found: Rollout) -> Bias:
    """What the games of an answer are off by; nothing where they all went to the end."""
    table = found.table
    drawn = table.bonus.drawn if table.bonus else NOTHING
    late = table.bag_size + table.hand.total + drawn.total < Plan.least
    return Bias() if found.method == "rollout" or late else TRUNCATED_BIAS


def stated(found: Rollout, estimate: Estimate, bias: float) -> Stated:
    """An estimate of these games as it is told, its bias among its errors."""
    if estimate.exact:
        return Stated(estimate.value, 0.0, (estimate.value, estimate.value), found.interval_kind)
    low, high = found.interval(estimate)
    reach = hypot((high - low) / 2, quantile(CONFIDENCE) * bias)
    return Stated(
        estimate.value,
        hypot(estimate.standard_error, bias),
        (estimate.value - reach, estimate.value + reach),
        found.interval_kind,
    )


def share(found: Rollout, option: Rolled) -> Stated:
    """The share of the victory, no more and no less than there is; its interval is about the share told, so
    that it has a width where games say less than 0."""
    told = stated(found, option.share, bias_of(found).share)
    assert told.reach is not None
    mean = min(max(told.mean, 0.0), 1.0)
    interval = max(mean - told.reach, 0.0), min(mean + told.reach, 1.0)
    return Stated(mean, told.standard_error, interval, told.kind)


def difference(found: Rollout, option: Rolled, value: str) -> Stated:
    """The difference to the best choice, of share (`win`) or of final score (`score`)."""
    bias = bias_of(found)
    return stated(
        found, option.difference, bias.score_difference if value == "score" else bias.share_difference
    )
