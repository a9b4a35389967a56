"""How strong a player looks beside the policies: what these give up a decision, by the same review.

The figures are those of `measured`: games of one policy in every seat, the official game with blue cards,
every decision rated by the learned value alone; the mean over games of the loss a decision, and its standard
error.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from cherrysim.policy import parse
from cherrysim.records import Record
from cherrysim.review.decisions import decided, moments
from cherrysim.rules import Rules
from cherrysim.simulate.logs import record
from cherrysim.stats import Estimate, mean

POLICIES = ("learned", "points", "kept", "plan:3+2", "random")
GAMES, SEED = 12, 5
LOST: dict[int, dict[str, tuple[float, float]]] = {
    2: {
        "learned": (0.00013, 0.00006),
        "points": (0.01142, 0.00141),
        "kept": (0.02249, 0.00199),
        "plan:3+2": (0.04314, 0.00471),
        "random": (0.03861, 0.00454),
    },
    3: {
        "learned": (0.00001, 0.00000),
        "points": (0.00473, 0.00066),
        "kept": (0.01509, 0.00113),
        "plan:3+2": (0.03692, 0.00521),
        "random": (0.03443, 0.00411),
    },
    4: {
        "learned": (0.00003, 0.00002),
        "points": (0.00356, 0.00047),
        "kept": (0.02335, 0.00226),
        "plan:3+2": (0.03610, 0.00360),
        "random": (0.03564, 0.00288),
    },
}
"""For 2, 3 and 4 players: what each policy gives up a decision, with its standard error; made by
`python -m cherrysim.review.bands` (`random` among four: the first 8 games only)."""
LEAST = 5
"""Fewer decisions than this say nothing about how somebody plays."""


def measured(policy: str, players: int, games: int = GAMES, seed: int = SEED) -> Estimate:
    """What a policy gives up a decision when it plays itself, in share of the victory."""

    rules = Rules.official(players)
    return mean([lost_in(record([parse(policy)] * players, seed, game, rules)) for game in range(games)])


def lost_in(game: Record) -> float:
    """What the decisions of a game gave up on average."""
    found: Sequence[float] = [d.lost for position in moments(game) if (d := decided(position))]
    return sum(found) / len(found)


def plays_like(lost: Estimate, players: int) -> str | None:
    """The policy, or the two, that give up about as much; None where there are too few decisions.

    >>> plays_like(Estimate(0.0, 0.0, 20), 3)
    'learned'
    """
    if lost.n < LEAST:
        return None
    ranked = sorted((figure[0], name) for name, figure in LOST[players].items())
    if lost.value <= ranked[0][0]:
        return ranked[0][1]
    for (low, better), (high, worse) in pairwise(ranked):
        if lost.value < high:
            part = (lost.value - low) / (high - low)
            return better if part < 0.25 else worse if part > 0.75 else f"between {better} and {worse}"
    return ranked[-1][1]


if __name__ == "__main__":
    for players in (2, 3, 4):
        for policy in POLICIES:
            found = measured(policy, players)
            print(f"{players} {policy}: ({found.value:.5f}, {found.standard_error:.5f})")
