"""The last two flowers: what a table is worth with one or two left in the bag, worked out instead of learned.

Rulebook: "Turn Overview", "End of the Game"; rulings R22 and R23. Whoever is next must draw one flower, which
never fails and matches no card; it is laid in front or hidden, whichever is better for its player, and the
game ends. With two left, drawing one and then perhaps the other leaves every choice that drawing both has.
Better is the larger share, of equal ones the larger margin: the own expected score less the best rival's. The
flowers are those the seat that looks has not seen; nothing may be secret.
"""

import numpy as np

from cherrysim.kernels.ending import add_shares, remembered
from cherrysim.kernels.layout import ALIKE, BEHIND, CLEAR, COLOURS, DRAWS, FLOWERS, FRONT, MOST_PLAYERS
from cherrysim.kernels.once import kernel
from cherrysim.kernels.scoring import front_points

ONE, ONE_HERE, TWO, STOPPED, ON, ON_HERE, TRIED = range(7)
"""Rows of `worth.coming`, shares and then expected scores: with one flower left, and once it is drawn; with
two left, once the first is drawn and displayed, or another drawn, and once that is drawn; a display tried."""


@kernel
def worked_out(left, shares, worth, rules):
    """Whether so few flowers are left; sets of rules in which two flowers fail, or only one may be drawn, are
    left to the model."""
    return shares and 0 < left <= worth.few and rules[ALIKE] > 2 and rules[DRAWS] > 1 and rules[FLOWERS] > 1


@kernel
def come(table, seat, left, rules, worth):
    """Write all seats' shares into `worth.share`, so few flowers being left after a turn of this seat."""
    mover = (seat + 1) % worth.players
    if left == 1:
        last_one(table, mover, rules, worth)
    else:
        last_two(table, mover, rules, worth)
    for s in range(worth.players):
        worth.share[s] = worth.coming[ONE if left == 1 else TWO, s]


@kernel
def unseen(worth):
    """How many tokens may be in the bag."""
    n = 0
    for c in range(COLOURS):
        n += worth.pool[c]
    return n


@kernel
def last_one(table, mover, rules, worth):
    """Write row ONE: the mover draws the last flower."""
    pool, tokens = worth.pool, unseen(worth)
    clear(ONE, worth)
    for one in range(COLOURS):
        if pool[one]:
            chance = pool[one] / tokens
            pool[one] -= 1
            end_with(table, mover, (one, -1), ONE_HERE, rules, worth)
            pool[one] += 1
            add(chance, ONE_HERE, ONE, worth)


@kernel
def last_two(table, mover, rules, worth):
    """Write row TWO: the mover draws a flower, then stops or draws the other."""
    pool, tokens = worth.pool, unseen(worth)
    clear(TWO, worth)
    for one in range(COLOURS):
        if pool[one] == 0:
            continue
        chance = pool[one] / tokens
        pool[one] -= 1
        stop_with(table, mover, one, rules, worth)
        clear(ON, worth)
        for other in range(COLOURS):
            if pool[other]:
                then = pool[other] / (tokens - 1)
                end_with(table, mover, (one, other), ON_HERE, rules, worth)
                add(then, ON_HERE, ON, worth)
        pool[one] += 1
        add(chance, ON if better(ON, STOPPED, mover, worth) else STOPPED, TWO, worth)


@kernel
def stop_with(table, mover, one, rules, worth):
    """Write row STOPPED: the first flower is laid in front or behind, the next player draws the other."""
    worth.coming[STOPPED, mover] = -np.inf
    for row in (FRONT + mover, BEHIND + mover):
        table[row, one] += 1
        last_one(table, (mover + 1) % worth.players, rules, worth)
        table[row, one] -= 1
        if better(ONE, STOPPED, mover, worth):
            clear(STOPPED, worth)
            add(1.0, ONE, STOPPED, worth)


@kernel
def end_with(table, mover, drawn, out, rules, worth):
    """Write row `out`: the game ends with these flowers (-1: none), hiding what is best for the mover."""
    one, other = drawn
    worth.coming[out, mover] = -np.inf
    for i in range(3):
        hidden = -1 if i == 0 else one if i == 1 else other
        if (i > 0 and hidden < 0) or (i == 2 and other == one):
            continue
        row_1 = (BEHIND if hidden == one else FRONT) + mover
        row_2 = (BEHIND if hidden == other else FRONT) + mover
        table[row_1, one] += 1
        if other >= 0:
            table[row_2, other] += 1
        end(table, rules, worth)
        table[row_1, one] -= 1
        if other >= 0:
            table[row_2, other] -= 1
        if better(TRIED, out, mover, worth):
            clear(out, worth)
            add(1.0, TRIED, out, worth)


@kernel
def end(table, rules, worth):
    """Write row TRIED: the game ends as the table is."""
    fronts, new = worth.chances, worth.coming[TRIED]
    slot = remembered(table, True, rules, worth)
    for s in range(worth.players):
        fronts[s] = front_points(table, FRONT + s, rules)
        worth.share[s] = 0.0
    add_shares(slot, 1.0, worth)
    for s in range(worth.players):
        new[s] = worth.share[s]
        new[MOST_PLAYERS + s] = fronts[s] + worth.mean[slot, s]


@kernel
def better(row, other, mover, worth):
    """Whether a row is better for the mover than another."""
    one, two = worth.coming[row], worth.coming[other]
    if abs(one[mover] - two[mover]) > CLEAR:
        return one[mover] > two[mover]
    return margin(one, mover, worth.players) > margin(two, mover, worth.players) + CLEAR


@kernel
def margin(row, mover, players):
    """The own expected score less the best of the rivals'."""
    best = -np.inf
    for s in range(players):
        if s != mover:
            best = max(best, row[MOST_PLAYERS + s])
    return row[MOST_PLAYERS + mover] - best


@kernel
def clear(row, worth):
    """Set a row to 0."""
    for i in range(2 * MOST_PLAYERS):
        worth.coming[row, i] = 0.0


@kernel
def add(chance, row, out, worth):
    """Add a row, times a chance, to another."""
    for i in range(2 * MOST_PLAYERS):
        worth.coming[out, i] += chance * worth.coming[row, i]
