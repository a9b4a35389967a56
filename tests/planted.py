"""A good game with one bad move in it: `learned` in every seat, who once does the worst thing it could."""

import random

from cherrysim import Flowers, Rules, Table
from cherrysim.engine import after, draw_size, legal_moves
from cherrysim.instant import MoveValue, instant
from cherrysim.moves import Move
from cherrysim.policy import parse
from cherrysim.records import Record, record_of
from cherrysim.simulate.logs import record
from cherrysim.tabletop import player

LEAST = 0.25
"""The bad move gives up a quarter of the victory or more: `learned` itself has given up 0.24 by one."""


def good_game_with_a_blunder(seed: int) -> tuple[Record, int, Move]:
    """The record, the turn of the blunder and the blunder; the same for the same seed."""
    games = (_game(seed, game) for game in range(20))
    return next(found for found in games if found)


def _game(seed: int, game: int) -> tuple[Record, int, Move] | None:
    """One game; None if it never gave the chance."""
    rng, choose = random.Random(f"{seed} {game}"), player("learned")
    turn, table, steps = _begun(seed, game, rng.randint(5, 13))
    bag, planted = _bag(table), None
    while not table.over:
        move = choose(table.seen_by(table.to_move))
        if planted is None and len(legal_moves(table)) > 1:
            worst, best = _ends(table)
            if best.shares[table.to_move] - worst.shares[table.to_move] >= LEAST:
                move = worst.move
                planted = turn, move
        rng.shuffle(bag)
        n = draw_size(table, move)
        drawn = Flowers.parse("".join(bag[len(bag) - n :])) if n else None
        steps.append((move, drawn))
        turn, table = _after(turn, table, move, drawn)
        bag = _bag(table)
    if planted is None:
        return None
    return record_of(table.rules, ["Ann", "Ben", "Cy"], steps), *planted


def _begun(seed: int, game: int, turns: int) -> tuple[int, Table, list[tuple[Move, Flowers | None]]]:
    """The first turns of a game of `learned`, compiled."""
    rules = Rules.official(3)
    steps: list[tuple[Move, Flowers | None]] = []
    turn, table = 1, Table.start(rules)
    for position in record([parse("learned")] * 3, seed, game, rules).positions():
        if position.turn > turns:
            break
        steps.append((position.move, position.drawn))
        turn, table = _after(turn, table, position.move, position.drawn)
    return turn, table, steps


def _after(turn: int, table: Table, move: Move, drawn: Flowers | None) -> tuple[int, Table]:
    new = after(table, move, drawn)
    return turn + (new.to_move != table.to_move), new


def _bag(table: Table) -> list[str]:
    return list(table.pool.letters)


def _ends(table: Table) -> tuple[MoveValue, MoveValue]:
    """The worst and the best move."""
    options = sorted(instant(table), key=lambda option: option.shares[table.to_move])
    return options[0], options[-1]
