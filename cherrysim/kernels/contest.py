"""Sums of what policies won from the same bags: whole numbers, so that their order and grouping never matter.

A bag is played once in every seating of the contest. All its results together are one observation: what each
group of seats (a policy, a policy in a line-up, a policy at one seat of a line-up) came to in all of them.
"""

import numpy as np

from cherrysim.kernels.layout import FAILURES, PLAYERS, SCORE, SHARING, TURNS
from cherrysim.kernels.once import allocating_kernel, kernel
from cherrysim.kernels.totals import SQUARES, SUM, TWELFTHS, WHOLE, WITH_TURNS

SHARE, OUTRIGHT, SHARED, POINTS, MARGIN, OWN_TURNS, FAILED, ADJUSTED = range(8)
MEASURES = 8
"""`ADJUSTED` is the share less the luck, in parts of a share of `WHOLE`."""
COMPARED = (SHARE, POINTS, MARGIN, ADJUSTED)
"""What differences are taken of."""


@kernel
def best_rival(rows, first, seat, players):
    """The most points of the other seats of the game whose rows start at `first`."""
    best = np.int64(-(2**62))
    for other in range(players):
        if other != seat:
            best = max(best, rows[first + other, SCORE])
    return best


@kernel
def add_game(rows, luck, first, players, groups, own):
    """Add a game's rows to own[group, measure]; groups[seat] are the groups that the seat counts for."""
    for seat in range(players):
        row = first + seat
        sharing = rows[row, SHARING]
        margin = rows[row, SCORE] - best_rival(rows, first, seat, players)
        for i in range(groups.shape[1]):
            group = groups[seat, i]
            own[group, SHARE] += TWELFTHS // sharing if sharing else 0
            own[group, ADJUSTED] += (WHOLE // sharing if sharing else 0) - luck[row]
            own[group, OUTRIGHT] += sharing == 1
            own[group, SHARED] += sharing > 1
            own[group, POINTS] += rows[row, SCORE]
            own[group, MARGIN] += margin
            own[group, OWN_TURNS] += rows[row, TURNS]
            own[group, FAILED] += rows[row, FAILURES]


@allocating_kernel
def add_bags(rows, luck, rules, groups, pairs, sums, apart):
    """Add bags to the sums of groups and of differences between two groups.

    rows: int32[seating x bag x seat, columns]; luck: int64[seating x bag x seat]; groups: int64[seating,
    seat, i]; pairs: int64[pair, (a, b, x, y)], the difference of a pair being x times what group a came to
    less y times that of b; sums: int64[group, measure, sum | sum of squares | sum x turns]; apart:
    int64[pair, 4, sum | sum of squares].
    """
    players = rules[PLAYERS]
    seatings = len(groups)
    bags = len(rows) // (seatings * players)
    own = np.zeros((len(sums), MEASURES), np.int64)
    for bag in range(bags):
        own[:] = 0
        for k in range(seatings):
            add_game(rows, luck, (k * bags + bag) * players, players, groups[k], own)
        for group in range(len(sums)):
            for m in range(MEASURES):
                n = own[group, m]
                sums[group, m, SUM] += n
                sums[group, m, SQUARES] += n * n
                sums[group, m, WITH_TURNS] += n * own[group, OWN_TURNS]
        for p in range(len(pairs)):
            for i, m in enumerate(COMPARED):
                n = pairs[p, 2] * own[pairs[p, 0], m] - pairs[p, 3] * own[pairs[p, 1], m]
                apart[p, i, SUM] += n
                apart[p, i, SQUARES] += n * n
