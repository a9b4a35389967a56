"""How what the predicted shares of `learned` come to is fitted anew, after its play near the end has changed.

    python benchmarks/fits.py --games 24000 --seed 9

The `fit` in the files of weights puts what games came to in the place of what the weights predict; training
fits it to the games of its day. This does the same with games of today: `STEPS` times so many games of the
shipped weights among themselves, other ones every time. The weights, and so every choice, stay as they are.
Writes the files in cherrysim/data, their records included; `benchmarks/guesses.py` need not follow.
"""

import argparse
from dataclasses import replace
from functools import partial
from typing import Any

import cherrysim
from cherrysim import learn, weights
from cherrysim.blocks import in_order
from cherrysim.rules import Rules

STEPS, PARTS = 3, 40


def watched(rules: Rules, fit: Any, games: int, seed: int, part: int) -> Any:
    """A part of the games watched with this fit."""
    return learn.watched(rules, fit, games, seed + part)


def refitted(rules: Rules, games: int, seed: int) -> Any:
    """The fit to so many games a step."""
    fit = weights.unfitted()
    for step in range(STEPS):
        first = 1000 * seed + step * PARTS
        parts = in_order(partial(watched, rules, fit.copy(), games // PARTS, first), PARTS)
        learn.fit_to(sum(parts), fit)
    return fit


def main() -> None:
    """Write the files."""
    read = argparse.ArgumentParser()
    read.add_argument("--games", type=int, default=24_000)
    read.add_argument("--seed", type=int, default=9)
    asked = read.parse_args()
    for cards in ("blue", "pink"):
        for players in (2, 3, 4):
            rules = Rules.official(players, cards)
            shipped = weights.shipped(rules)
            fit = refitted(rules, asked.games, asked.seed)
            how = {
                "command": f"python benchmarks/fits.py --games {asked.games} --seed {asked.seed}",
                "version": cherrysim.__version__,
            }
            new = replace(shipped, fit=fit.astype(shipped.fit.dtype), record={**shipped.record, "fit": how})
            weights.save(weights.FOLDER / f"learned-{players}-{cards}.npz", new, force=True)
            change = float(abs(fit - shipped.fit).max())
            print(f"{players} {cards}: moved by at most {100 * change:.1f} points of share", flush=True)


if __name__ == "__main__":
    main()
