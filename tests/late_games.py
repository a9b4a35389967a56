"""The last turns of simulated games, reviewed: what luck came to, fast enough for thousands."""

from collections.abc import Sequence

from cherrysim import Rules
from cherrysim.policy import parse
from cherrysim.review.decisions import Decision, decided, ending, moments
from cherrysim.simulate.logs import record

LEFT = 14
"""Turns that begin with so many flowers in the bag, or fewer, are reviewed."""


def decisions_and_result(
    rules: Rules, policies: Sequence[str], seed: int, game: int, left: int = LEFT
) -> tuple[list[Decision], tuple[float, ...]]:
    """The decisions of a game's last turns, and what the game came to."""
    played = record([parse(name) for name in policies], seed, game, rules)
    found, begun = [], False
    for position in moments(played):
        table = position.table
        begun = begun or (table.bag_size <= left and not table.hand.total)
        if begun and (decision := decided(position)):
            found.append(decision)
    end = ending(played)
    return [*found, *end.splits], end.result


def luck_of(job: tuple[int, int, tuple[str, ...], int]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Every seat's luck in the last turns of a game, and the value they began with."""
    players, game, policies, left = job
    decisions, result = decisions_and_result(Rules.official(players), policies, 11, game, left)
    if not decisions:
        return (0.0,) * players, (1.0 / players,) * players
    start = decisions[0].value
    changes = [sum(d.change[seat] for d in decisions) for seat in range(players)]
    luck = tuple(b - a - c for a, b, c in zip(start, result, changes, strict=True))
    return luck, start
