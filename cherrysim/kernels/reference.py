"""The frozen reference policies: how many flowers to draw, what to hide, what to keep; see
`cherrysim.policy`.

A policy is a row of numbers, one row a seat: its kind, then for `plan` how many draws and their sizes, for
`cautious` the limit as numerator and denominator. Chances are read off the pool: what may be in the bag as
far as the seat can see.
"""

from typing import NamedTuple

import numpy as np

from cherrysim.kernels.bonus import colour_at, colours_of
from cherrysim.kernels.display import pool_of, total
from cherrysim.kernels.keyed import below
from cherrysim.kernels.layout import (
    ALIKE,
    BAG,
    BLACK,
    COLOURS,
    DIFFERENT,
    DRAWS,
    FRONT,
    HAND,
    KEPT,
    PLAN,
    RANDOM,
    SIMPLE,
    SLIP,
)
from cherrysim.kernels.once import allocating_kernel, kernel
from cherrysim.kernels.scoring import front_points, points_in_front
from cherrysim.kernels.simple import simple_hidden, simple_kept, simple_size
from cherrysim.kernels.turn import Hands, Space, solve, tables
from cherrysim.kernels.worth import Ends

HIDE_CHOICE, KEEP_CHOICE, SLIPS = 24, 25, 32


class Fast(NamedTuple):
    """What `learned:fast` needs: two records of `margins`, the safe collections, the pairs of `turn.Hands`,
    its weights, the numbers of `guesses`, room for a display's choice."""

    rooms: np.ndarray  # [2] Margins
    hands: np.ndarray  # [hand] Collection
    larger: np.ndarray
    weight: np.ndarray
    weights: np.ndarray
    first: np.ndarray  # [draw, feature]
    then: np.ndarray
    choice: np.ndarray


class Solver(NamedTuple):
    """What solving turns needs: `keep` and `bust` of policy `kept`, the tables and weights of others; a
    collection's code has its counts as digits in base `alike`."""

    hands: Hands
    space: Space
    code: np.ndarray
    pool: np.ndarray
    weight: np.ndarray
    keep: np.ndarray
    bust: np.ndarray
    value: np.ndarray
    choice: np.ndarray
    sizes: np.ndarray
    worth: np.void
    fast: Fast
    ends: Ends
    weights: np.ndarray


@allocating_kernel
def solve_turn(table, seat, rules, solver):
    """Solve the coming turn for flowers kept, see `solve_for`."""
    solve_for(table, seat, rules, solver, solver.keep, solver.bust)


@allocating_kernel
def solve_for(table, seat, rules, solver, keep, bust):
    """Solve the coming turn exactly for a valuation, from what may be in the bag as far as the seat can see.

    Writes how many flowers to draw, 0 to stop, into `solver.sizes`[code of the collection, draws left].
    """
    pool = 0
    for c in range(COLOURS):
        n = pool_of(table, seat, c, rules)
        solver.pool[0, c] = n
        pool += n
    tables(solver.hands, solver.pool, solver.weight, pool - total(table, BAG), solver.space)
    solve(solver.hands, solver.space, keep, bust, 0, rules[DRAWS], solver.value, solver.choice)
    for i in range(len(solver.code)):
        for left in range(1, rules[DRAWS] + 1):
            solver.sizes[solver.code[i], left] = solver.choice[i, left]


@kernel
def deciding(seat, choice, policies, key):
    """The kind of policy that takes a decision of this seat: its own, or `random` where it slips."""
    if policies[seat, SLIP] and below(key, SLIPS + choice, 1000000) < policies[seat, SLIP]:
        return RANDOM
    return policies[seat, 0]


@kernel
def code_of_hand(table, rules):
    """The code of the collection in hand."""
    code = 0
    for c in range(COLOURS - 1, -1, -1):
        code = code * rules[ALIKE] + table[HAND, c]
    return code


@kernel
def dares(table, seat, rules, policies):
    """Whether the chance that one more flower makes the collection fail is at most the policy's limit,
    exactly."""
    most = 0
    different = 0
    for c in range(BLACK):
        n = table[HAND, c]
        most = max(most, n)
        different += n > 0
    blacks = table[HAND, BLACK]
    failing = 0
    pool = 0
    for c in range(COLOURS):
        if c == BLACK:
            alike = most + blacks + 1
            colours = different + blacks + 1
        else:
            alike = max(most, table[HAND, c] + 1) + blacks
            colours = different + blacks + (table[HAND, c] == 0)
        n = pool_of(table, seat, c, rules)
        pool += n
        if alike >= rules[ALIKE] or min(colours, BLACK) >= rules[DIFFERENT]:
            failing += n
    return failing * policies[seat, 2] <= policies[seat, 1] * pool


@kernel
def choose_size(table, seat, draws, most, rules, policies, key, sizes):
    """How many flowers to draw next, 1 to `most`, or 0 to stop; `draws` have been made."""
    kind = deciding(seat, draws, policies, key)
    may_stop = draws > 0
    if kind >= KEPT:
        return sizes[code_of_hand(table, rules), rules[DRAWS] - draws]
    if kind == PLAN:
        return min(policies[seat, 2 + draws], most) if draws < policies[seat, 1] else 0
    if kind == SIMPLE:
        return simple_size(table, seat, draws, most, rules, policies)
    if kind == RANDOM:
        return below(key, draws, most + may_stop) + 1 - may_stop
    return 1 if not may_stop or dares(table, seat, rules, policies) else 0


@kernel
def choose_hidden(table, seat, own_turn, policies, key):
    """Which colour of the collection to hide, -1 for none; `own_turn` counts this seat's turns from 1."""
    kind = deciding(seat, HIDE_CHOICE, policies, key)
    if kind == SIMPLE:
        return simple_hidden(table, seat, policies)
    if kind == RANDOM:
        way = below(key, HIDE_CHOICE, colours_of(table, HAND, COLOURS) + 1)
        return colour_at(table, HAND, way - 1) if way else -1
    if own_turn % 2 == 0:
        return -1
    hidden = 0
    for c in range(1, COLOURS):
        if table[HAND, c] > table[HAND, hidden]:
            hidden = c
    return hidden


@kernel
def choose_kept(table, seat, rules, policies, key):
    """Two colours of a failed collection to keep, -1 where there is none."""
    colours = colours_of(table, HAND, BLACK)
    if colours == 0:
        return -1, -1
    if colours == 1:
        return colour_at(table, HAND, 0), -1
    kind = deciding(seat, KEEP_CHOICE, policies, key)
    if kind == SIMPLE:
        return simple_kept(table, seat, policies)
    if kind == RANDOM:
        return pair_at(table, below(key, KEEP_CHOICE, colours * (colours - 1) // 2))
    if table[FRONT + seat, BLACK]:
        return best_pair(table, FRONT + seat, rules)
    first = best_colour(table, FRONT + seat, rules, -1)
    second = best_colour(table, FRONT + seat, rules, first)
    return min(first, second), max(first, second)


@kernel
def pair_at(table, n):
    """The n-th pair, from 0, of the colours of the collection."""
    for a in range(BLACK):
        for b in range(a + 1, BLACK):
            if table[HAND, a] and table[HAND, b]:
                if n == 0:
                    return a, b
                n -= 1
    return -1, -1


@kernel
def best_colour(table, row, rules, taken):
    """The colour of the collection, but for the one taken, of which one more adds most points to a row
    without blacks."""
    best = np.int64(-(2**62))
    chosen = -1
    for c in range(BLACK):
        if table[HAND, c] and c != taken:
            n = table[row, c]
            gain = points_in_front(rules, n + 1) - points_in_front(rules, n)
            if gain > best:
                best = gain
                chosen = c
    return chosen


@kernel
def best_pair(table, row, rules):
    """The pair of colours of the collection that makes a row, blacks and all, worth most; the first of
    equals."""
    best = np.int64(-(2**62))
    first, second = -1, -1
    for a in range(BLACK):
        for b in range(a + 1, BLACK):
            if table[HAND, a] and table[HAND, b]:
                table[row, a] += 1
                table[row, b] += 1
                points = front_points(table, row, rules)
                table[row, a] -= 1
                table[row, b] -= 1
                if points > best:
                    best = points
                    first, second = a, b
    return first, second
