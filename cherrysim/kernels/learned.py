"""The model of policy `learned`: every seat's share of the victory, from tables that games have taught.

With `left` flowers in the bag after a display, the share of seat s is exp(z[s]) / sum of exp(z) over all
seats, where

    z[s] = sum over the features f of s of weights[left, f],

one table of weights for all seats. A feature is one thing that can be seen: how many flowers of a colour lie
in front (pink and yellow share a table, so do the two blues), how rich the pool still is in that colour,
blacks in front, what is behind (wilds count half for either group, ruling R26's even split), how far ahead
of each rival that is, places held, who is next. Flowers behind another screen that the seat to move has not
seen count as wilds.
"""

from cherrysim.kernels.layout import (
    ALIKE,
    BEHIND,
    BLACK,
    COLOURS,
    FRONT,
    MOST_PLAYERS,
    PINK,
    PLAYERS,
    SECRET,
    SIX_FLOWERS,
    TWO_PAIRS,
)
from cherrysim.kernels.once import kernel

LEVELS = 11
"""Flowers of a colour in front are told apart from 0 to 10."""
RICH = 9
"""Degrees of what the pool has of a colour, in quarters of what a full bag has."""
BLACKS, WILDS, COUNTS, APART = 7, 8, 16, 16
"""Blacks, wilds and own colours are told apart up to one less; half flowers apart from -16 to 16."""
FRONT_AT = 0
SUPPLY_AT = FRONT_AT + 3 * LEVELS
BLACK_AT = SUPPLY_AT + LEVELS * RICH
WILD_AT = BLACK_AT + BLACKS
COUNT_AT = WILD_AT + 4 * WILDS
APART_AT = COUNT_AT + 2 * COUNTS
PLACE_AT = APART_AT + 2 * (MOST_PLAYERS - 1) * (2 * APART + 1)
ORDER_AT = PLACE_AT + 2 * MOST_PLAYERS * MOST_PLAYERS
NOTHING = ORDER_AT + MOST_PLAYERS
"""A feature that weighs nothing, of rivals that are not there."""
FEATURES = NOTHING + 1
MOST_LEFT = 96
"""Of fuller bags the weights are those of this one."""
FIRST = 1
"""Entry of a seat's weights where those of the first feature begin."""
MOST_SIZES = 16
LEFTS = MOST_SIZES + MOST_LEFT + 1 + MOST_SIZES
"""Entries of a feature, for -16, -15, ... flowers left; what is below 0 repeats 0, what is above 96 that."""
STAGE, STAGES = 16, 6
"""Flowers of a stage of the game, and stages."""
GRID = (0.0, 0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95, 1.0)
"""Predicted shares for which it is known what they have come to."""
GRID_POINTS = len(GRID)
SEEN = 2 * (COLOURS - 1) + 1 + 3 + 2 * MOST_PLAYERS + 1
"""Features of a seat."""


@kernel
def richness(pool, colour):
    """How rich the pool is in a colour; as many flowers of all colours may go without a change."""
    tokens = 0
    for c in range(COLOURS):
        tokens += pool[c]
    if tokens == 0:
        return 0
    return min(64 * pool[colour] // (3 * tokens), RICH - 1)


@kernel
def colour_at_level(colour, n):
    """The feature of n flowers of a colour in front."""
    return FRONT_AT + colour // 2 * LEVELS + min(n, LEVELS - 1)


@kernel
def supply_at_level(n, rich):
    """The feature of n flowers of a colour in front with so rich a pool."""
    return SUPPLY_AT + min(n, LEVELS - 1) * RICH + rich


@kernel
def open_screens(table, seat, players, screens):
    """Write what each seat has behind into `screens`: warm, cool, wild flowers, as the seat to move sees
    them."""
    for s in range(players):
        for kind in range(3):
            screens[s, kind] = 0
        for c in range(COLOURS):
            n = table[BEHIND + s, c]
            if s != seat:
                hidden = table[SECRET + s, c]
                n -= hidden
                screens[s, 2] += hidden
            screens[s, c // 2] += n


@kernel
def behind_features(screens, s):
    """The features of what a seat has behind on its own: wilds, warm, cool."""
    warm, cool = screens[s, 0], screens[s, 1]
    wild = WILD_AT + (2 * (warm > 0) + (cool > 0)) * WILDS + min(screens[s, 2], WILDS - 1)
    return wild, COUNT_AT + min(warm, COUNTS - 1), COUNT_AT + COUNTS + min(cool, COUNTS - 1)


@kernel
def group_features(screens, s, group, players):
    """The features of a group against the others: the place held, then how far ahead of the strongest, ...
    rival."""
    own = 2 * screens[s, group] + screens[s, 2]
    above, equal = 0, 0
    first, second, third = 3 * APART, 3 * APART, 3 * APART  # the smallest leads over rivals, in order
    for other in range(players):
        if other == s:
            continue
        lead = own - 2 * screens[other, group] - screens[other, 2]
        above += lead < 0
        equal += lead == 0
        lead = min(max(lead, -APART), APART)
        if lead < first:
            first, second, third = lead, first, second
        elif lead < second:
            second, third = lead, second
        elif lead < third:
            third = lead
    at = APART_AT + group * (MOST_PLAYERS - 1) * (2 * APART + 1) + APART
    step = 2 * APART + 1
    return (
        PLACE_AT + (group * MOST_PLAYERS + above) * MOST_PLAYERS + equal,
        at + first,
        at + step + second if players > 2 else NOTHING,
        at + 2 * step + third if players > 3 else NOTHING,
    )


@kernel
def see(table, seat, s, pool, players, screens, out):
    """Write the features of seat s after a display of `seat`, which has `pool` unseen; `screens` is open
    already."""
    for c in range(BLACK):
        n = table[FRONT + s, c]
        out[2 * c] = colour_at_level(c, n)
        out[2 * c + 1] = supply_at_level(n, richness(pool, c))
    out[10] = BLACK_AT + min(table[FRONT + s, BLACK], BLACKS - 1)
    out[11], out[12], out[13] = behind_features(screens, s)
    out[14], out[15], out[16], out[17] = group_features(screens, s, 0, players)
    out[18], out[19], out[20], out[21] = group_features(screens, s, 1, players)
    out[22] = ORDER_AT + (s - seat - 1) % players


@kernel
def weight_at(feature, left):
    """Where the weight of a feature with so many flowers left stands."""
    return FIRST + feature * LEFTS + MOST_SIZES + min(max(left, 0), MOST_LEFT)


@kernel
def fitted(share, left, fit):
    """What a predicted share has come to in games: between the points of `GRID` and the middles of stages on
    straight lines."""
    place = min(max((left - 0.5 * (STAGE - 1)) / STAGE, 0.0), STAGES - 1.0)
    low = min(int(place), STAGES - 2)
    place -= low
    at = min(int(10.0 * share + 0.5), GRID_POINTS - 2)
    below = max(0.1 * at - 0.05, 0.0)
    width = 0.05 if at == 0 or at == GRID_POINTS - 2 else 0.1
    part = (share - below) / width
    early = fit[low, at] + part * (fit[low, at + 1] - fit[low, at])
    late = fit[low + 1, at] + part * (fit[low + 1, at + 1] - fit[low + 1, at])
    return early + place * (late - early)


@kernel
def calibrate(shares, players, left, fit):
    """Put predicted shares of all seats in the place of what they have come to in games."""
    total = 0.0
    for s in range(players):
        shares[s] = fitted(shares[s], left, fit)
        total += shares[s]
    for s in range(players):
        shares[s] /= total


@kernel
def add_weights(feature, left, sizes, weights, out):
    """Add the weights of a feature to out[size], so many flowers being left less `size`."""
    at = FIRST + feature * LEFTS + MOST_SIZES + left
    for size in range(sizes):
        out[size] += weights[at - size]


@kernel
def fill_learned(table, seat, sizes, mixed, rules, weights, worth):
    """The tables of `worth.Worth` by this model, for all seats."""
    players = rules[PLAYERS]
    left = min(worth.bag, MOST_LEFT + MOST_SIZES)
    for s in range(players):
        fill_fronts(table, seat, s, left, sizes, rules, weights, worth)
    open_screens(table, seat, players, worth.screens)
    behind, now = worth.behind, worth.behind[0, 0, 0]
    add_screens(seat, (0, 0, 0), left, sizes, players, weights, worth)
    for s in range(players):
        for size in range(sizes):
            worth.base[s, size] += now[s, size]
    most = rules[ALIKE] + mixed
    for w in range(most + 1):
        for c in range(most + 1 - w):
            for x in range(most + 1 - w - c):
                kinds = (w > 0) + (c > 0) + (x > 0)
                if kinds == 1 or (mixed and kinds):
                    add_screens(seat, (w, c, x), left, sizes, players, weights, worth)
                    for s in range(players):
                        for size in range(sizes):
                            behind[w, c, x, s, size] -= now[s, size]
    for s in range(players):
        for size in range(sizes):
            now[s, size] = 0.0


@kernel
def fill_fronts(table, seat, s, left, sizes, rules, weights, worth):
    """What lies in front of a seat, and its turn to come; of others what one card or another may change."""
    base = worth.base[s]
    for size in range(sizes):
        base[size] = 0.0
    add_weights(ORDER_AT + (s - seat - 1) % rules[PLAYERS], left, sizes, weights, base)
    most = rules[ALIKE] + 1
    if s != seat:
        most = 2 if rules[TWO_PAIRS] == PINK or rules[SIX_FLOWERS] else -1
    for c in range(COLOURS):
        n = table[FRONT + s, c]
        rich = richness(worth.pool, c)
        now = worth.front[s, c, 1]
        add_front(c, n, rich, left, sizes, weights, now)
        for size in range(sizes):
            base[size] += now[size]
        for k in range(-1 if n else 1, most + 1):
            if k:
                then = worth.front[s, c, 1 + k]
                add_front(c, n + k, rich, left, sizes, weights, then)
                for size in range(sizes):
                    then[size] -= now[size]
        for size in range(sizes):
            now[size] = 0.0


@kernel
def add_front(colour, n, rich, left, sizes, weights, out):
    """Write the weights of n flowers of a colour in front."""
    for size in range(sizes):
        out[size] = 0.0
    if colour == BLACK:
        add_weights(BLACK_AT + min(n, BLACKS - 1), left, sizes, weights, out)
    else:
        add_weights(colour_at_level(colour, n), left, sizes, weights, out)
        add_weights(supply_at_level(n, rich), left, sizes, weights, out)


@kernel
def add_screens(seat, more, left, sizes, players, weights, worth):
    """Write into `behind` at `more` the weight of all screens, so much more being behind that of the seat to
    move."""
    screens = worth.screens
    w, c, x = more
    for kind in range(3):
        screens[seat, kind] += more[kind]
    for s in range(players):
        out = worth.behind[w, c, x, s]
        for size in range(sizes):
            out[size] = 0.0
        for feature in behind_features(screens, s):
            add_weights(feature, left, sizes, weights, out)
        for group in range(2):
            for feature in group_features(screens, s, group, players):
                add_weights(feature, left, sizes, weights, out)
    for kind in range(3):
        screens[seat, kind] -= more[kind]
