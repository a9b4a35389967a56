"""Games for reports: played and compared within a budget, and whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence

from cherrysim.contest import Comparison, compare
from cherrysim.report.frame import Budget
from cherrysim.rules import Rules
from cherrysim.simulate import Games, play


def played(policies: str | Sequence[str], games: int, seed: int, rules: Rules, budget: Budget) -> Games:
    """`simulate.play`; `KeyboardInterrupt` where Ctrl-C ended it."""
    found = play(
        policies, games, seed, rules, budget.threads, progress=lambda done: budget.done(done / games)
    )
    _check_whole(found.stopped)
    return found


def compared(policies: Sequence[str], games: int, seed: int, rules: Rules, budget: Budget) -> Comparison:
    """`contest.compare` with so many games of each line-up; `KeyboardInterrupt` where Ctrl-C ended it."""
    found = compare(
        policies,
        games,
        seed=seed,
        rules=rules,
        threads=budget.threads,
        progress=budget.heard,
    )
    _check_whole(found.stopped)
    return found


def _check_whole(stopped: str | None) -> None:
    if stopped == "interrupt":
        raise KeyboardInterrupt
