"""How strong `learned` is, by one command: python benchmarks/strength.py --bags 200 --seed 1 --out
reports/strength.md"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

from cherrysim import learn, weights
from cherrysim.kernels import layout, learned
from cherrysim.kernels.game import play_games
from cherrysim.policy import parse
from cherrysim.rules import Rules
from cherrysim.simulate import arrays

SETS = ((4, "blue"), (4, "pink"), (3, "blue"), (2, "blue"))
RIVALS = ("kept", "plan:3+2", "points")
INVADERS = ("plan:3+2", "cautious:0.25", "kept", "points", "points:risk=0.05")


def share(rules: Rules, names: Sequence[str], games: int, seed: int) -> tuple[float, float]:
    """The share of the first policy, in every seat in turn over the same bags, and its standard error."""
    per_bag = []
    for shift in range(rules.players):
        seats = [parse(names[(s - shift) % rules.players]) for s in range(rules.players)]
        rows = arrays.room(rules, games)
        solver = arrays.solver(rules, seats)
        numbers = arrays.rules_array(rules), arrays.policies_array(seats), solver, arrays.no_log()
        play_games(0, games, np.uint64(seed), *numbers, rows)
        sharing = rows[:, layout.SHARING].reshape(games, rules.players)[:, shift]
        per_bag.append(np.where(sharing, 1 / np.maximum(sharing, 1), 0.0))
    mean = np.mean(per_bag, axis=0)
    return float(mean.mean()), float(mean.std(ddof=1) / sqrt(games))


def ladder(games: int, seed: int) -> list[str]:
    """One `learned` among others, and one other among `learned`."""
    lines = ["| players | cards | alone | among | share | 99 % |", "|---|---|---|---|---|---|"]
    for players, cards in SETS:
        rules = Rules.official(players, cards)
        pairs = [("learned", rival) for rival in RIVALS] + [(invader, "learned") for invader in INVADERS]
        for alone, among in pairs:
            mean, error = share(rules, [alone] + [among] * (players - 1), games, seed)
            low, high = mean - 2.576 * error, mean + 2.576 * error
            lines.append(
                f"| {players} | {cards} | {alone} | {among} | {mean:.3f} | {low:.3f} to {high:.3f} |"
            )
    return lines


def calibration(games: int, seed: int) -> list[str]:
    """Predicted against realised share, by flowers left and decile, four players, blue cards."""
    school = learn.School(Rules(), seed)
    told = school.watch(weights.shipped(Rules()).shares.astype(float), games, seed)
    lines = ["| flowers left | decile | seats | predicted | realised |", "|---|---|---|---|---|"]
    for stage, deciles in enumerate(told):
        for decile, (n, predicted, realised, _) in enumerate(deciles):
            if n >= 50:
                means = f"{predicted / n:.3f} | {realised / n:.3f}"
                lines.append(f"| {16 * stage}-{16 * stage + 15} | {decile} | {n:.0f} | {means} |")
    return lines


def learning() -> list[str]:
    """How the weights were learned."""
    lines = ["| command | squared miss of a predicted share, by games learned from |", "|---|---|"]
    for players in (4, 3, 2):
        for cards in ("blue", "pink"):
            record = weights.shipped(Rules.official(players, cards)).record
            curve = ", ".join(f"{games}: {miss:.4f}" for games, miss in record["curve"][::3])
            lines.append(f"| `{record['command']}` | {curve} |")
    return lines


def worth_of_flowers() -> list[str]:
    """What one more flower of a colour in front adds to the share of a seat that has a quarter."""
    row = np.array(weights.shipped(Rules()).row())
    counts = range(1, 8)
    head = " | ".join(f"{n}." for n in counts)
    lines = [f"| flowers left | colour | {head} |", "|---|---|" + "---|" * len(counts)]
    for left in (80, 50, 25, 10, 3):
        for name, colour in (("pink, yellow", 0), ("blues", 2), ("white", 4)):
            z: list[Any] = [
                row[learned.weight_at(learned.colour_at_level(colour, n), left)]
                + row[learned.weight_at(learned.supply_at_level(n, 4), left)]
                for n in (0, *counts)
            ]
            gains = " | ".join(f"{100 * 0.1875 * (z[n] - z[n - 1]):+.1f}" for n in counts)
            lines.append(f"| {left} | {name} | {gains} |")
    return lines


def main() -> None:
    """Measure and write."""
    read = argparse.ArgumentParser()
    read.add_argument("--bags", type=int, default=200)
    read.add_argument("--seed", type=int, default=1)
    read.add_argument("--out", type=Path, default=Path("reports/strength.md"))
    asked = read.parse_args()
    sections = [
        "# How strong `learned` is",
        f"`python benchmarks/strength.py --bags {asked.bags} --seed {asked.seed}`: so many bags, each played "
        "with the single policy in every seat; a bag is one observation.",
        "\n".join(learning()),
        "The shipped weights were learned while every collection with which the bag can run empty was valued "
        "exactly; now those that only a card empties it with count by the model, and the commands come to "
        "slightly different weights.",
        "## Ladder and invasion",
        "\n".join(ladder(asked.bags, asked.seed)),
        "## Calibration",
        "Games of `learned` among itself, four players, blue cards. Where its last turns are valued wilds "
        "are split evenly; the final score follows ruling R26. Seats of one game are not independent.",
        "\n".join(calibration(8 * asked.bags, asked.seed + 1000)),
        "## What a flower in front is worth",
        "Points of share that one flower more adds to a seat with a quarter, four players, blue cards, a "
        "pool of even colours.",
        "\n".join(worth_of_flowers()),
    ]
    asked.out.write_text("\n\n".join(sections) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
