"""Totals of result rows: whole numbers, so that their order and grouping never matter."""

from cherrysim.kernels.layout import (
    CAPPED,
    DRAW_1,
    MIXED,
    MOST_DRAWS,
    SCORE,
    SHARING,
    TURNS,
)
from cherrysim.kernels.once import kernel

# What is added up for every seat of a game; the share of victory in twelfths, so that thirds are whole.
TOTALS = ("score", "front", "warm", "cool", "share", "outright", "shared", "turns", "failures")
DRAWN = len(TOTALS)
"""From here on: flowers of the first draw, the second, ..."""
MEASURES = DRAWN + MOST_DRAWS
TWELFTHS = 12
WHOLE = 12_000
"""A share of 1 where luck is taken off: luck too is added up in whole numbers."""
SUM, SQUARES, WITH_TURNS = range(3)
# Of the whole game, in the row after the last seat: turns of all seats; capped and mixed games under `SUM`.
GAME_TURNS, GAME_CAPPED, GAME_MIXED = range(3)


@kernel
def measure(rows, row, i):
    """The i-th quantity of a result row."""
    share = rows[row, SHARING]
    if i < 4:
        return rows[row, SCORE + i]
    if i == 4:
        return TWELFTHS // share if share else 0
    if i == 5:
        return share == 1
    if i == 6:
        return share > 1
    if i < DRAWN:
        return rows[row, TURNS + i - 7]
    return rows[row, DRAW_1 + i - DRAWN]


@kernel
def add_totals(rows, first, end, players, totals):
    """Add games first .. end - 1 of `rows` to totals[seat, measure, sum | sum of squares | sum x turns]."""
    for game in range(first, end):
        turns = 0
        for seat in range(players):
            row = game * players + seat
            own = rows[row, TURNS]
            turns += own
            for i in range(MEASURES):
                n = measure(rows, row, i)
                totals[seat, i, SUM] += n
                totals[seat, i, SQUARES] += n * n
                totals[seat, i, WITH_TURNS] += n * own
        totals[players, GAME_TURNS, SUM] += turns
        totals[players, GAME_TURNS, SQUARES] += turns * turns
        totals[players, GAME_CAPPED, SUM] += rows[game * players, CAPPED]
        totals[players, GAME_MIXED, SUM] += rows[game * players, MIXED]
