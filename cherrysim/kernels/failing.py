"""What a failure is worth: the two flowers kept, by the set of colours that may be kept.

Rulebook: "Turn Overview"; ruling R8. All else goes back into the bag, so only the set counts.
"""

import numpy as np

from cherrysim.kernels.coming import come, worked_out
from cherrysim.kernels.layout import BLACK, CLEAR, FRONT
from cherrysim.kernels.once import kernel
from cherrysim.kernels.worth import SETS, SHARE, utility

BLACKLESS = SETS - 1
"""The set of all colours but black."""


@kernel
def value_failures(table, seat, rules, want, worth, bust):
    """Write what a failure is worth by the set of its colours: the best two that may be kept."""
    value_pairs(table, BLACKLESS, seat, rules, want, worth)
    for colours in range(SETS):
        bust[colours] = best_pair(colours, worth)[0]


@kernel
def keep_best(table, colours, seat, rules, want, worth):
    """The best pair to keep of a set of colours as (value, colour, colour), -1 where there is none."""
    value_pairs(table, colours, seat, rules, want, worth)
    return best_pair(colours, worth)


@kernel
def value_pairs(table, colours, seat, rules, want, worth):
    """Write what keeping each pair, each single flower and nothing of a set of colours is worth."""
    for a in range(-1, BLACK):
        for b in range(a + (a >= 0), BLACK):
            if (a >= 0 and not colours >> a & 1) or (b >= 0 and not colours >> b & 1):
                continue
            kept = (a >= 0) + (b >= 0)
            if worked_out(worth.bag - kept, want[0] == SHARE, worth, rules) and may_come(a, b, worth):
                worth.pairs[1 + a, 1 + b] = kept_late(table, seat, (a, b), worth.bag - kept, rules, worth)
                continue
            for s in range(worth.players):
                worth.z[s] = worth.base[s, kept]
            for colour in (a, b):
                if colour >= 0:
                    worth.z[seat] += worth.front[seat, colour, 2, kept]
            worth.pairs[1 + a, 1 + b] = utility(worth.z, seat, worth.players, want)


@kernel
def may_come(a, b, worth):
    """Whether two flowers, or fewer, of different colours may be in the bag."""
    return (a < 0 or worth.pool[a] > 0) and (b < 0 or worth.pool[b] > 0)


@kernel
def kept_late(table, seat, pair, left, rules, worth):
    """What keeping these of a failure is worth where so few flowers are left."""
    for colour in pair:
        if colour >= 0:
            worth.pool[colour] -= 1
            table[FRONT + seat, colour] += 1
    come(table, seat, left, rules, worth)
    for colour in pair:
        if colour >= 0:
            worth.pool[colour] += 1
            table[FRONT + seat, colour] -= 1
    return worth.share[seat]


@kernel
def best_pair(colours, worth):
    """The best of the pairs of a set of colours that are valued already."""
    found = (-np.inf, -1, -1)
    kept = 0
    for a in range(BLACK):
        kept += colours >> a & 1
    kept = min(kept, 2)
    for a in range(-1, BLACK):
        if (kept < 2) != (a < 0) or (a >= 0 and not colours >> a & 1):
            continue
        for b in range(-1, BLACK):
            if (kept == 0) != (b < 0) or (b <= a and b >= 0) or (b >= 0 and not colours >> b & 1):
                continue
            value = worth.pairs[1 + a, 1 + b]
            if value > found[0] + CLEAR:
                found = (value, a, b)
    return found
