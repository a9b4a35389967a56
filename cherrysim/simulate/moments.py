"""Moments of simulated games: tables at which a player has a choice, one drawn from each of many games."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from cherrysim.engine import after, legal_moves
from cherrysim.policy import Policy
from cherrysim.rules import Rules
from cherrysim.simulate.logs import logged, steps_of
from cherrysim.table import Table


def moments(rules: Rules, policies: Sequence[Policy], seed: int, game: int) -> Iterator[Table]:
    """The tables of one game before each decision between at least two moves, its history known.

    >>> from cherrysim.policy import parse
    >>> tables = list(moments(Rules(), [parse("kept")] * 4, 1, 0))
    >>> tables[0].bag_size, tables[0].phase, len(tables) > 40
    (96, 'collect', True)
    """
    events, _ = logged(rules, policies, seed, game)
    table = Table.start(rules)
    for move, drawn in steps_of(rules, events):
        if len(legal_moves(table)) > 1:
            yield table
        table = after(table, move, drawn)


def drawn_moments(
    rules: Rules,
    policies: Sequence[Policy],
    seed: int,
    wanted: Callable[[Table], bool] = lambda table: True,
) -> Iterator[Table]:
    """One moment of each of games 0, 1, ... without end, at random among those wanted.

    >>> from cherrysim.policy import parse
    >>> late = drawn_moments(Rules(), [parse("kept")] * 4, 1, lambda table: table.bag_size < 20)
    >>> next(late).bag_size < 20
    True
    """
    game = 0
    while True:
        found = [table for table in moments(rules, policies, seed, game) if wanted(table)]
        if found:
            yield random.Random(f"{seed} {game}").choice(found)
        game += 1
