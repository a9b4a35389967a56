"""The model of policy `points`: the points every seat can expect at the end, from what lies where.

With `left` flowers in the bag, a share q[c] of them of colour c, the seat to move will still get

    own = left^2 / (left + order x (players - 1)) / players

of them (it moves last of all now), each other seat an equal part of the rest, a fraction `fronts` of each
laid in front. A colour with n flowers there will have n and a Poisson number more, a group behind n and a
Poisson number more; points are expected over these numbers, for the groups against each other seat on its
own. A black in front is worth `black`; wilds behind go where they are worth more, those to come and those
of others half and half.
"""

import numpy as np

from cherrysim.kernels.layout import (
    ALIKE,
    BEHIND,
    BLACK,
    COLOURS,
    FRONT,
    FRONT_LENGTH,
    NOTHING_FOR_NONE,
    PLACES,
    PLAYERS,
    SECRET,
)
from cherrysim.kernels.once import kernel

FRONTS, BLACK_WORTH, ORDER, TABLES = 1, 2, 3, 4
"""Entries of a seat's weights; from TABLES on expected front points [mean, n], then chances [mean, d, more
or equal]."""
MEANS = 41
"""The tables' Poisson means: 0, 1/4, ... 10; straight lines in between."""
APART = 16
"""Differences of two counts are kept within -16 .. 16."""


@kernel
def between(table, first, step, mean):
    """An entry of a table by the mean, on a straight line between the two nearest."""
    at = min(mean * 4.0, MEANS - 1.001)
    i = int(at)
    here = first + i * step
    return table[here] + (at - i) * (table[here + step] - table[here])


@kernel
def ahead(apart, mean, first, weights):
    """The chances to end with more than, and as many as, another seat that is now `apart` flowers behind."""
    level = min(max(apart, -APART + 0.0), APART - 0.001) + APART
    i = int(level)
    part = level - i
    width = 2 * (2 * APART + 1)
    more = between(weights, first + 2 * i, width, mean)
    more += part * (between(weights, first + 2 * i + 2, width, mean) - more)
    equal = between(weights, first + 2 * i + 1, width, mean)
    equal += part * (between(weights, first + 2 * i + 3, width, mean) - equal)
    return more, equal


@kernel
def group_points(group, n, means, others, rules, weights, chances):
    """Expected points of a group for a seat with n flowers there; `means` are those still to come, own and
    others'."""
    first = TABLES + MEANS * rules[FRONT_LENGTH]
    spread = 0.5 * (means[0] + means[1])
    drift = means[0] - means[1]
    for k in range(16):
        chances[k] = 0.0
    chances[0] = 1.0
    for i in range(rules[PLAYERS] - 1):
        more, equal = ahead(n + drift - others[i], spread, first, weights)
        fewer = 1.0 - more - equal
        for above in range(i + 1, -1, -1):
            for level in range(i + 1 - above, -1, -1):
                chance = chances[above * 4 + level] * more
                if above > 0:
                    chance += chances[above * 4 - 4 + level] * fewer
                if level > 0:
                    chance += chances[above * 4 + level - 1] * equal
                chances[above * 4 + level] = chance
    points = 0.0
    for above in range(rules[PLAYERS]):
        for level in range(rules[PLAYERS] - above):
            points += chances[above * 4 + level] * rules[PLACES + group * 16 + above * 4 + level]
    if n == 0 and rules[NOTHING_FOR_NONE]:
        points *= 1.0 - np.exp(-means[0])
    return points


@kernel
def fill_points(table, seat, sizes, mixed, rules, weights, worth):
    """The tables of `worth.Worth` by this model; of other seats nothing is written."""
    tokens = 0
    for c in range(COLOURS):
        tokens += worth.pool[c]
    own_groups(table, seat, rules, worth)
    for size in range(sizes):
        left = max(worth.bag - size, 0) + 0.0
        own = 0.0
        if left > 0.0:
            own = left * left / (left + weights[ORDER] * (rules[PLAYERS] - 1)) / rules[PLAYERS]
        rate = 1.0 / tokens if tokens else 0.0
        fill_front(table, seat, size, own * rate, rules, weights, worth)
        other = (left - own) / (rules[PLAYERS] - 1)
        fill_behind(size, seat, (own * rate, other * rate), mixed, rules, weights, worth)


@kernel
def fill_front(table, seat, size, rate, rules, weights, worth):
    """Front points of the seat to move, every flower of the pool coming to it with this rate."""
    length = rules[FRONT_LENGTH]
    base = 0.0
    for c in range(BLACK):
        n = table[FRONT + seat, c]
        mean = rate * weights[FRONTS] * worth.pool[c]
        now = between(weights, TABLES + min(n, length - 1), length, mean)
        base += now
        for k in range(-1 if n else 0, rules[ALIKE] + 2):
            then = between(weights, TABLES + min(n + k, length - 1), length, mean)
            worth.front[seat, c, 1 + k, size] = then - now
    base += weights[BLACK_WORTH] * table[FRONT + seat, BLACK]
    for k in range(-1, rules[ALIKE] + 2):
        worth.front[seat, BLACK, 1 + k, size] = weights[BLACK_WORTH] * k
    worth.base[seat, size] = base


@kernel
def own_groups(table, seat, rules, worth):
    """Write into `worth.others` [group, i] what the others have behind, into `worth.behind_now` what this
    seat has.

    Secret flowers of others count by what they may be.
    """
    pool = worth.pool
    tokens = 0.0
    for c in range(COLOURS):
        tokens += pool[c]
    own = table[BEHIND + seat]
    worth.now[0] = own[0] + own[1]
    worth.now[1] = own[2] + own[3]
    worth.now[2] = own[4] + own[5]
    i = 0
    for other in range(rules[PLAYERS]):
        if other == seat:
            continue
        secret = 0.0
        for c in range(COLOURS):
            secret += table[SECRET + other, c]
        rate = secret / tokens if tokens > 0.0 else 0.0
        for group in range(2):
            count = 0.0
            for c in (2 * group, 2 * group + 1):
                count += table[BEHIND + other, c] - table[SECRET + other, c] + rate * pool[c]
            for c in (4, 5):
                count += 0.5 * (table[BEHIND + other, c] - table[SECRET + other, c] + rate * pool[c])
            worth.others[group, i] = count
        i += 1


@kernel
def fill_behind(size, seat, rates, mixed, rules, weights, worth):
    """Group points of the seat to move, by the flowers that go behind its screen with this display."""
    most = rules[ALIKE] + mixed
    pool, now, points = worth.pool, worth.now, worth.points
    wilds = now[2]
    hidden = 1.0 - weights[FRONTS]
    for group in range(2):
        colours = pool[2 * group] + pool[2 * group + 1] + 0.5 * (pool[4] + pool[5])
        means = (rates[0] * hidden * colours, rates[1] * hidden * colours)
        for k in range(most + wilds + 1):
            points[group, k] = group_points(
                group, now[group] + k, means, worth.others[group], rules, weights, worth.chances
            )
    here = split_points(points, 0, 0, wilds)
    worth.base[seat, size] += here
    for w in range(most + 1):
        for c in range(most + 1 - w):
            for x in range(most + 1 - w - c):
                if mixed or (w > 0) + (c > 0) + (x > 0) <= 1:
                    worth.behind[w, c, x, seat, size] = split_points(points, w, c, wilds + x) - here


@kernel
def split_points(points, warm, cool, wilds):
    """The most expected points of both groups over all ways to split the wilds."""
    best = points[0, warm] + points[1, cool + wilds]
    for to_warm in range(1, wilds + 1):
        best = max(best, points[0, warm + to_warm] + points[1, cool + wilds - to_warm])
    return best
