"""Whole games at random for the tests: a bag of tokens, and one chooser for every decision."""

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from cherrysim.engine import after, draw_size, legal_moves
from cherrysim.flowers import Flowers
from cherrysim.moves import Draw, Move, Returned, Stop, UseCard
from cherrysim.rules import Rules
from cherrysim.table import Table


class Played(NamedTuple):
    before: Table
    move: Move
    drawn: Flowers | None
    after: Table


def eager(table: Table, rng: random.Random) -> Move:
    """Any legal move, but six flowers in small draws and cards more often, so that games see every card."""
    moves = legal_moves(table)
    cards = [move for move in moves if isinstance(move, UseCard)]
    if cards and rng.random() < 0.8:
        name = rng.choice(sorted({move.card for move in cards}))
        return rng.choice([move for move in cards if move.card == name])
    draws = [move for move in moves if isinstance(move, Draw)]
    stopping = 0.02 if table.hand.total < 4 else 0.25 if table.hand.total < 6 else 0.9
    if Stop() in moves and (not draws or rng.random() < stopping):
        return Stop()
    if draws and rng.random() < 0.95:
        return draws[min(1, len(draws) - 1)]
    return rng.choice(moves)


def game(rules: Rules, rng: random.Random, choose=eager, most: int = 3000) -> Iterator[Played]:
    """Every move of a game from the start to the empty bag."""
    tokens = [c for c, n in enumerate(rules.counts.counts) for _ in range(n)]
    rng.shuffle(tokens)
    bag, table = tokens[rules.set_aside :], Table.start(rules)
    for _ in range(most):
        if table.over:
            return
        move = choose(table, rng)
        n, drawn = draw_size(table, move), None
        if n:
            rng.shuffle(bag)
            out = [bag.pop() for _ in range(n)]
            drawn = Flowers(*(out.count(c) for c in range(6)))
        new = after(table, move, drawn)
        for event in new.history[len(table.history) :]:
            if isinstance(event, Returned):
                bag += [c for c, k in enumerate(event.flowers.counts) for _ in range(k)]
        assert new.bag_size == len(bag)
        yield Played(table, move, drawn, new)
        table = new


def set_ups(n: int) -> Iterator[Rules]:
    """Games of 2 to 4 players with blue, pink, mixed, no cards, in turn; every fourth fails at four alike."""
    cards = (
        "blue",
        "pink",
        ["shin_sumizome", "komatsu_otome", "kokonoe"],
        ["sakuya_hime", "somei_yoshino", "kenrokuen_kumagai"],
        "none",
    )
    for i in range(n):
        yield replace(Rules.official(2 + i % 3, cards[i % 5]), alike=4 if i % 4 == 3 else 3)
