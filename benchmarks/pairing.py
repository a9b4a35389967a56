"""What pairing gains: the standard error of a difference had every game had a bag of its own, over that of
bags played in every seating.

    python benchmarks/pairing.py A B [players] [bags]
"""

import sys
from math import sqrt

import numpy as np

from cherrysim.contest.bags import Contest, kernel_arguments
from cherrysim.contest.lineups import line_ups
from cherrysim.kernels.layout import SCORE, SHARING
from cherrysim.rules import Rules
from cherrysim.simulate.blocks import Pace


def differences(a: str, b: str, players: int, bags: int, seed: int = 7) -> dict[str, np.ndarray]:
    """For share and score an array [seating, bag]: what a game adds to the difference of a and b."""
    rules = Rules.official(players)
    contest = Contest(rules, line_ups([a, b], rules), seed)
    seats = contest.groups.seats
    found: dict[str, list[np.ndarray]] = {"share": [], "score": []}
    pace = Pace()
    for seating, seated in zip(contest.line_ups.all_seatings, kernel_arguments(contest), strict=True):
        rows = pace.play(rules, seed, 0, bags, seated).reshape(bags, players, -1).astype(float)
        sharing = rows[:, :, SHARING]
        weight = np.array([1 / seats[0] if policy == 0 else -1 / seats[1] for policy in seating])
        share = np.where(sharing > 0, 1 / np.maximum(sharing, 1), 0)
        found["share"].append(share @ weight)
        found["score"].append(rows[:, :, SCORE] @ weight)
    return {name: np.array(games) for name, games in found.items()}


def factor(games: np.ndarray) -> tuple[float, float, float]:
    """The mean difference, its standard error, and the factor by which that is smaller than with separate
    bags."""
    total = games.sum(axis=0)
    error = sqrt(total.var(ddof=1) / len(total))
    apart = sqrt(games.var(axis=1, ddof=1).sum() / len(total))
    return float(total.mean()), error, apart / error


if __name__ == "__main__":
    one, other, *numbers = sys.argv[1:]
    players, bags = (*map(int, numbers), *(4, 4096)[len(numbers) :])
    for name, games in differences(one, other, players, bags).items():
        mean, error, gain = factor(games)
        print(
            f"{one} - {other}, {players} players, {bags} bags, {name}: {mean:.5f} +- {error:.5f}, {gain:.3f}x"
        )
