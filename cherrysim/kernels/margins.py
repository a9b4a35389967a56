"""What one flower more or less is worth to the player to move: the model of `learned` made linear, for policy
`learned:fast`.

With the shares of `learned`, the log of the odds of the seat to move moves, for small changes dz, by

    dz[seat] - sum over rivals s of regard[s] x dz[s],

regard[s] being the rival's part of all rivals' shares. So a turn needs one number a change: a flower more of
a colour in front, so many of a kind behind the screen, a flower in front of a rival. They are read off
weights that stand by flowers left, the two features of a colour in front added up (`weights.fast_numbers`).
"""

import numpy as np

from cherrysim.kernels.layout import ALIKE, BLACK, COLOURS, FRONT, MOST_PLAYERS, PLAYERS
from cherrysim.kernels.learned import (
    APART,
    APART_AT,
    BLACK_AT,
    BLACKS,
    COUNT_AT,
    COUNTS,
    LEVELS,
    MOST_LEFT,
    NOTHING,
    ORDER_AT,
    PLACE_AT,
    RICH,
    WILD_AT,
    WILDS,
    open_screens,
)
from cherrysim.kernels.once import kernel

FLOWER_WEIGHTS = 3 * LEVELS * RICH
"""Weights [pair of colours, flowers in front, richness]; the other features follow in their order."""
SHIFT = FLOWER_WEIGHTS - BLACK_AT
ROW = NOTHING + SHIFT
"""Weights for one number of flowers left."""
LOOK_BACK = 2
"""The drift with the flowers left is read off so many flowers earlier."""
NOBODY = -1000
"""Half flowers of a seat that is not there, times its number."""
STEP = 2 * APART + 1

MOST_ADDED = 8
"""More flowers of a colour never come in front or behind in one turn."""
STALE = -1
"""Flowers left of margins that are to be filled anew."""

Margins = np.dtype(
    [
        ("left", np.int64),  # flowers left that the margins are for
        ("bag", np.int64),  # flowers at the start of the turn
        ("tokens", np.int64, 6),  # [colour] what may be in the bag,
        ("pool", np.float64, 6),  # its parts,
        ("rich", np.int64, 6),  # its richness
        ("screens", np.int64, (4, 3)),  # [seat] warm, cool and wild flowers behind
        ("halves", np.int64, (2, 4)),  # [group, seat] half flowers
        ("place", np.float64, (2, 4)),  # [group, seat] the weight of a group against the others
        ("net", np.float64, (2, 3)),  # [group] what a half flower, one and two add
        ("z", np.float64, 4),  # [seat]
        ("drifts", np.float64, 4),  # [seat] what a flower less in the bag adds to it, groups apart
        ("regard", np.float64, 4),  # [seat]
        ("odds", np.float64),  # log of the odds of the seat to move as the table stands
        ("drift", np.float64),  # what a flower less in the bag adds to it
        ("gain", np.float64, (6, MOST_ADDED)),  # [colour, k] k more in front
        ("lost", np.float64, 6),  # [colour] one less in front
        ("hidden", np.float64, (3, MOST_ADDED)),  # [kind, n] n more behind
        ("hide", np.float64, (6, MOST_ADDED)),  # [colour, n] hiding n instead of laying them in front
        ("gift", np.float64, (4, 6)),  # [seat, colour] one more in front of a rival
        ("theft", np.float64, (4, 6)),  # [seat, colour] one less in front of a rival
        ("card", np.float64, 3),  # [pattern] what using a card adds; the rest: see `fastshow`
        (
            "taken",
            np.int64,
            3,
        ),  # colours that Sakuya Hime takes, and Kokonoe; their gain counts in a collection
        (
            "source",
            np.float64,
            (6, MOST_ADDED),
        ),  # [colour, n] what moving one of n in hand behind the screen adds
        ("again", np.float64, (6, MOST_ADDED)),  # [colour, n] hiding n after a flower of its kind
        ("after", np.float64, (6, MOST_ADDED)),  # [colour, n] the same after the best flower in front
        ("gains", np.float64, 6),  # [colour] of a flower kept for Komatsu Otome
        ("offset", np.int64, 6),  # [colour] what a card has changed in front,
        ("more", np.int64, 3),  # [kind] and behind
        ("groups", np.int64, (4, 6)),  # an ending: the groups,
        ("fronts", np.float64, 4),  # [seat] points in front,
        ("lead", np.float64, 7),  # [way] over the best rival, where it is
        ("known", np.int64, 7),
        ("late", np.int64),  # whether there are second margins; the rest: see `fastturn`
        ("solved", np.int64),  # whether the last draw is written for every larger collection
        ("ways", np.float64, (6, MOST_ADDED)),  # [colour, n]
        ("per", np.float64, 16),  # [size]
        ("failed", np.float64, 16),  # [size]
        ("drawing", np.float64, 3),  # [k]
        ("index", np.int64, 15625),  # [code] the collection's number
        ("seen", np.float64, 32),  # features of a guess
    ],
    align=True,
)
"""The margins of a turn as one record."""


Collection = np.dtype(
    [
        ("excess", np.float64, 2),  # [draws left] what it is worth above failing, times its chance
        ("first", np.int32, 16),  # [k] where its pairs with k flowers more begin
        ("code", np.int32),
        ("counts", np.int8, 6),  # [colour]
        ("size", np.int8),
        ("cards", np.int8),  # bits of the cards it matches
    ],
    align=True,
)
"""A safe collection."""


@kernel
def flower_weight(colour, n, room, at, weights):
    """The weight of n flowers of a colour in front."""
    if colour == BLACK:
        return weights[at + FLOWER_WEIGHTS + min(n, BLACKS - 1)]
    return weights[at + (colour // 2 * LEVELS + min(n, LEVELS - 1)) * RICH + room.rich[colour]]


@kernel
def screen_weight(warm, cool, wild, at, weights):
    """The weight of what is behind a screen on its own."""
    at += SHIFT
    return (
        weights[at + WILD_AT + (2 * (warm > 0) + (cool > 0)) * WILDS + min(wild, WILDS - 1)]
        + weights[at + COUNT_AT + min(warm, COUNTS - 1)]
        + weights[at + COUNT_AT + COUNTS + min(cool, COUNTS - 1)]
    )


@kernel
def group_weight(s, group, halves, at, weights):
    """The weight of a group against the others: the place held, the leads over the others in order."""
    own = halves[s]
    a = own - halves[(s + 1) & 3]
    b = own - halves[(s + 2) & 3]
    c = own - halves[(s + 3) & 3]
    above = int(a < 0) + int(b < 0) + int(c < 0)
    equal = int(a == 0) + int(b == 0) + int(c == 0)
    low, high = min(a, b), max(a, b)
    third, middle = max(high, c), min(high, c)
    first, second = min(low, middle), max(low, middle)
    at += SHIFT
    leads = at + APART_AT + group * (MOST_PLAYERS - 1) * STEP + APART
    return (
        weights[at + PLACE_AT + (group * MOST_PLAYERS + above) * MOST_PLAYERS + equal]
        + weights[leads + min(max(first, -APART), APART)]
        + weights[leads + STEP + min(max(second, -APART), APART)]
        + weights[leads + 2 * STEP + min(max(third, -APART), APART)]
    )


@kernel
def look_at_pool(room):
    """Set parts and richness of what may be in the bag."""
    tokens = 0
    for c in range(COLOURS):
        tokens += room.tokens[c]
    per = 1.0 / max(tokens, 1)
    for c in range(COLOURS):
        room.pool[c] = room.tokens[c] * per
        room.rich[c] = min(np.int64(room.pool[c] * (64.0 / 3.0) + 1e-9), RICH - 1)


@kernel
def fill_margins(table, seat, left, rules, weights, room):
    """Fill the margins with so many flowers left; what may be in the bag is set already."""
    players = rules[PLAYERS]
    at = 1 + min(left, MOST_LEFT) * ROW
    before = 1 + min(left + LOOK_BACK, MOST_LEFT) * ROW
    room.left = left
    look_at_pool(room)
    open_screens(table, seat, players, room.screens)
    for s in range(players):
        order = SHIFT + ORDER_AT + (s - seat - 1 + players) % players
        w, c, x = room.screens[s, 0], room.screens[s, 1], room.screens[s, 2]
        z = weights[at + order] + screen_weight(w, c, x, at, weights)
        earlier = weights[before + order] + screen_weight(w, c, x, before, weights)
        for colour in range(COLOURS):
            n = table[FRONT + s, colour]
            z += flower_weight(colour, n, room, at, weights)
            earlier += flower_weight(colour, n, room, before, weights)
        room.z[s] = z
        room.drifts[s] = (z - earlier) / LOOK_BACK
    fill_groups(players, at, weights, room)
    regard_rivals(seat, players, room)
    for group in range(2):
        fill_net(group, seat, players, at, weights, room)
    fill_hidden(seat, players, at, weights, room)
    fill_gains(table, seat, rules, at, weights, room)


@kernel
def fill_groups(players, at, weights, room):
    """Add the groups to all z."""
    for group in range(2):
        halves = room.halves[group]
        for s in range(MOST_PLAYERS):
            halves[s] = 2 * room.screens[s, group] + room.screens[s, 2] if s < players else NOBODY * (1 + s)
        for s in range(players):
            room.place[group, s] = group_weight(s, group, halves, at, weights)
            room.z[s] += room.place[group, s]


@kernel
def regard_rivals(seat, players, room):
    """Set the odds, how much each rival counts, and the drift."""
    most = -np.inf
    for s in range(players):
        if s != seat:
            most = max(most, room.z[s])
    total = 0.0
    for s in range(players):
        room.regard[s] = np.exp(room.z[s] - most) if s != seat else 0.0
        total += room.regard[s]
    room.odds = room.z[seat] - most - np.log(total)
    room.drift = room.drifts[seat]
    for s in range(players):
        room.regard[s] /= total
        room.drift -= room.regard[s] * room.drifts[s]


@kernel
def fill_net(group, seat, players, at, weights, room):
    """Write what a half flower, one and two more in a group add; a half moves rivals half as much as one."""
    halves, place, net = room.halves[group], room.place[group], room.net[group]
    for i in range(3):
        halves[seat] += 1 + i // 2
        net[i] = group_weight(seat, group, halves, at, weights) - place[seat]
        for s in range(players if i else 0):
            if s != seat:
                more = room.regard[s] * (group_weight(s, group, halves, at, weights) - place[s])
                net[i] -= more
                if i == 1:
                    net[0] -= 0.5 * more
    halves[seat] -= 4


@kernel
def fill_hidden(seat, players, at, weights, room):
    """What one and two flowers of a kind behind the screen add; more in a straight line."""
    w, c, x = room.screens[seat, 0], room.screens[seat, 1], room.screens[seat, 2]
    now = screen_weight(w, c, x, at, weights)
    hidden, net = room.hidden, room.net
    for n in range(1, 4):
        hidden[0, n] = screen_weight(w + n, c, x, at, weights) - now
        hidden[1, n] = screen_weight(w, c + n, x, at, weights) - now
        hidden[2, n] = screen_weight(w, c, x + n, at, weights) - now
    for group in range(2):
        hidden[group, 1] += net[group, 1]
        hidden[group, 2] += net[group, 2]
        hidden[group, 3] += 1.5 * net[group, 2]
        hidden[2, 1] += net[group, 0]
        hidden[2, 2] += net[group, 1]
        hidden[2, 3] += 1.5 * net[group, 1]


@kernel
def fill_gains(table, seat, rules, at, weights, room):
    """What flowers in front, or hidden, add; more than a collection holds in a straight line."""
    most = rules[ALIKE]
    for kind in range(3):
        for n in range(4, MOST_ADDED):
            room.hidden[kind, n] = room.hidden[kind, 3] * n / 3
    for c in range(COLOURS):
        n = table[FRONT + seat, c]
        now = flower_weight(c, n, room, at, weights)
        for k in range(1, most + 1):
            room.gain[c, k] = flower_weight(c, n + k, room, at, weights) - now
            room.hide[c, k] = room.hidden[c // 2, k] - room.gain[c, k]
        for k in range(most + 1, MOST_ADDED):
            room.gain[c, k] = 2 * room.gain[c, k - 1] - room.gain[c, k - 2]
        room.lost[c] = flower_weight(c, n - 1, room, at, weights) - now if n else 0.0


@kernel
def fill_flowers(table, seat, left, weights, room):
    """What one flower more of each colour in front adds, alone."""
    look_at_pool(room)
    at = 1 + min(left, MOST_LEFT) * ROW
    for c in range(BLACK):
        n = table[FRONT + seat, c]
        now = flower_weight(c, n, room, at, weights)
        room.gain[c, 1] = flower_weight(c, n + 1, room, at, weights) - now


@kernel
def fill_gifts(table, seat, rules, weights, room):
    """What a flower more or less in front of the others adds."""
    at = 1 + min(room.left, MOST_LEFT) * ROW
    for s in range(rules[PLAYERS]):
        if s != seat:
            for c in range(COLOURS):
                n = table[FRONT + s, c]
                now = flower_weight(c, n, room, at, weights)
                room.gift[s, c] = -room.regard[s] * (flower_weight(c, n + 1, room, at, weights) - now)
                if n:
                    room.theft[s, c] = -room.regard[s] * (flower_weight(c, n - 1, room, at, weights) - now)
