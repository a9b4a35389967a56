"""What the table is worth to the player to move: from a model's numbers to the value of every collection.

A policy values the table after a display for every seat. Its *model* gives each seat a number z (`points`:
expected final points; a logit of the share of victory, ...), its *utility* turns the z of all seats into
what the player wants. The one formula: z is a sum of parts, so that after a display by which `size` flowers
left the bag

    z[s] = base[size, s] + sum over colours c of front[size, s, c, change of c in front of s]
           + behind[size, w, c, x, s],

where w warm, c cool and x wild flowers went behind the screen of the player to move. A model only fills
these tables (`Worth`), for the table as it stands; everything else is done here and in `showing`, once for
all models:

- at the start of a turn for size 0, 1, ..., to write what every safe collection and every failure is worth
  (`keep`, `bust`), which `turn.solve` reads (`prospects`);
- at the collection really reached, with its flowers gone from the bag, to value every legal display by its
  own z;
- where a display empties the bag the true score counts (`ending`), never a model.

How a model joins: (1) a kind in `layout` beside POINTS; (2) a module with

    fill(table, seat, sizes, mixed, rules, weights, worth)

which writes `base`, `front` and `behind` of `worth` for size 0 .. sizes - 1, when that many flowers more
have left the bag; it reads what may be in the bag from `worth.pool` and how much is from `worth.bag`, never
from the table's bag, nor the hand; with `mixed` it also writes the entries of `behind` in which more than
one kind of flower goes behind, which it otherwise leaves (they are added up here); (3) a branch in
`fill_worth`. `weights` is the seat's own row of floats: entry 0 is the taste for risk, the rest is the
model's. Column 1 of the seat's row of `policies` is the utility; with OWN or RISK only the z of the seat to
move is read and need be written.
"""

from typing import NamedTuple

import numpy as np

from cherrysim.kernels.display import pool_of, total
from cherrysim.kernels.layout import ALIKE, BAG, BEHIND, BLACK, COLOURS, FRONT, LEARNED, PLAYERS
from cherrysim.kernels.learned import fill_learned
from cherrysim.kernels.once import kernel
from cherrysim.kernels.points import fill_points

OWN, RISK, SHARE = 0, 1, 2
"""What the player wants: own z; (1 - exp(-r z)) / r; the share exp(z[seat]) / sum over seats of exp(z)."""
SETS = 32
CLEAR = 1e-9
"""Of choices no further apart than this the first is taken, so that rounding decides nothing."""
TAKE, GIFTS, CHOICE, PAIR = 0, 1, 2, 3
"""What cards change whatever the collection: Sakuya Hime's flower, Kenrokuen's, Komatsu Otome's,
Kokonoe's."""


MOST_SIZES, MOST_STEPS, MOST_KNOWN, MOST_OUTCOMES = 15, 8, 256, 64
"""Room for every set-up: turns of 12 flowers with 3 more by a card, failures from 5 alike, memories of
endings."""

Worth = np.dtype(
    [
        ("players", np.int64),
        ("bag", np.int64),  # how many flowers are in the bag
        ("pool", np.int64, 6),  # [colour] what may be in the bag, as the seat to move sees it
        ("base", np.float64, (MOST_SIZES, 4)),  # [size, seat]
        ("front", np.float64, (MOST_SIZES, 4, 6, MOST_STEPS)),  # [size, seat, colour, 1 + k]
        ("behind", np.float64, (MOST_SIZES, MOST_STEPS, MOST_STEPS, MOST_STEPS, 4)),  # [size, w, c, x, seat]
        ("lying", np.int64, (8, 6)),  # FRONT and BEHIND rows of the table when the seat last looked
        ("looks", np.int64),  # how often any seat has looked
        ("change", np.float64, (4, MOST_SIZES, 4)),  # [TAKE .. PAIR, size, seat] by cards alone
        ("rival", np.int64, MOST_SIZES),  # [size] from whom Sakuya Hime takes
        ("regard", np.float64, 4),  # [seat] how much its gain hurts, as a part of the same gain of one's own
        ("z", np.float64, 4),  # [seat]
        ("share", np.float64, 4),  # [seat] of an ending
        ("offset", np.int64, 6),  # [colour] what a card has changed in front of the seat to move
        ("gains", np.float64, 6),  # [colour] what each colour drawn for Komatsu Otome is worth, then none
        ("choice", np.int64, 8),  # the display chosen, see `showing`
        ("way", np.int64, 8),  # scratch of that shape
        ("now", np.int64, 3),  # room for models: warm, cool and wild flowers behind the own screen,
        ("others", np.float64, (2, 3)),  # [group, other seat] behind those of the others,
        ("points", np.float64, (2, 1024)),  # [group, flowers more] what a group is worth,
        ("chances", np.float64, 16),  # of places
        ("screens", np.int64, (4, 3)),  # [seat] warm, cool and wild flowers behind
        (
            "known",
            np.int64,
            (MOST_KNOWN, 13),
        ),  # endings by all seats' flowers; 1 if known, 2 mixed
        ("outcomes", np.int64, MOST_KNOWN),  # how many group points may come of them,
        ("chance", np.float64, (MOST_KNOWN, MOST_OUTCOMES)),  # how likely,
        ("scores", np.float64, (MOST_KNOWN, MOST_OUTCOMES, 4)),  # to every seat
        ("mean", np.float64, (MOST_KNOWN, 4)),
        ("own", np.float64, (MOST_STEPS, MOST_STEPS, MOST_STEPS)),  # [w, c, x] own group points of an ending,
        ("own_known", np.int64, (MOST_STEPS, MOST_STEPS, MOST_STEPS)),  # and by what look and pool
    ],
    align=True,
)
"""The tables of a turn as one record.

Steps: `front[.., 1 + k]` is the change for k flowers more of a colour, k = -1 for one taken away; of the
seat to move k goes up to `alike` + 1, of the others to 2. `behind[size, w, c, x]` is needed for w + c + x
up to `alike`, with `mixed` to `alike` + 1.
"""


class Ends(NamedTuple):
    """The safe collections, and what stopping with them and failing is worth."""

    counts: np.ndarray  # [hand, colour]
    sizes: np.ndarray  # [hand] flowers
    matching: np.ndarray  # [hand, pattern] whether they match a card
    keep: np.ndarray  # [hand]
    bust: np.ndarray  # [set of colours]


@kernel
def utility(z, seat, players, want):
    """What the seat makes of the z of all seats; `want` = (utility, taste for risk)."""
    wanted, risk = want
    if wanted == OWN:
        return z[seat]
    if wanted == RISK:
        return (1.0 - np.exp(-risk * z[seat])) / risk
    others = 0.0
    for other in range(players):
        if other != seat:
            others += np.exp(z[other] - z[seat])
    return 1.0 / (1.0 + others)


@kernel
def kind_of(colour):
    """0 warm, 1 cool, 2 wild."""
    return colour // 2 if colour < 4 else 2


@kernel
def fill_worth(table, seat, sizes, mixed, rules, policies, weights, worth):
    """Fill the tables by the seat's model for the table as it stands; the pool and the bag's size are set
    already."""
    if policies[seat, 0] == LEARNED:
        fill_learned(table, seat, sizes, mixed, rules, weights[seat], worth)
    else:
        fill_points(table, seat, sizes, mixed, rules, weights[seat], worth)
    if not mixed:
        add_up(sizes, rules[ALIKE], worth)


@kernel
def add_up(sizes, most, worth):
    """Fill the mixed entries of `behind`: each kind of flower as if it went alone."""
    behind = worth.behind
    for size in range(sizes):
        for w in range(most + 1):
            for c in range(most + 1 - w):
                for x in range(most + 1 - w - c):
                    if (w > 0) + (c > 0) + (x > 0) > 1:
                        for s in range(worth.players):
                            behind[size, w, c, x, s] = (
                                behind[size, w, 0, 0, s] + behind[size, 0, c, 0, s] + behind[size, 0, 0, x, s]
                            )


@kernel
def look(table, seat, rules, worth):
    """Set what the seat sees: the bag, and what lies where."""
    worth.looks += 1
    for c in range(COLOURS):
        worth.pool[c] = pool_of(table, seat, c, rules)
        for row in range(FRONT, BEHIND + rules[PLAYERS]):
            worth.lying[row, c] = table[row, c]
    worth.bag = total(table, BAG)


@kernel
def best_hide(counts, seat, size, behind, want, worth):
    """The best utility over what to hide of a collection, and the colour (-1: none), of equals the first.

    `worth.z` counts all of the collection in front and nothing behind; `behind` = (w, c, x) are flowers a
    card has put there, `worth.offset` what it has changed in front.
    """
    w, c, x = behind
    wanted, risk = want
    z, front, screens = worth.z, worth.front, worth.behind
    best, chosen = -np.inf, -1
    for colour in range(-1, COLOURS):
        n = counts[colour] if colour >= 0 else 0
        if n == 0 and colour >= 0:
            continue
        kind = kind_of(colour)
        to = (w + n * (kind == 0), c + n * (kind == 1), x + n * (kind == 2))
        value = z[seat] + screens[size, to[0], to[1], to[2], seat]
        if n:
            moved = 1 + worth.offset[colour]
            value -= front[size, seat, colour, moved + n] - front[size, seat, colour, moved]
        if wanted == SHARE:
            others = 0.0
            for s in range(worth.players):
                if s != seat:
                    others += np.exp(z[s] + screens[size, to[0], to[1], to[2], s] - value)
            value = 1.0 / (1.0 + others)
        if value > best + CLEAR:
            best, chosen = value, colour
    if wanted == RISK:
        best = (1.0 - np.exp(-risk * best)) / risk
    return best, chosen


@kernel
def value_failures(seat, want, worth, bust):
    """Write what a failure is worth by the set of its colours: the best two that may be kept."""
    for colours in range(SETS):
        bust[colours] = keep_best(colours, seat, want, worth)[0]


@kernel
def keep_best(colours, seat, want, worth):
    """The best pair to keep of a set of colours as (value, colour, colour), -1 where there is none."""
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
            for s in range(worth.players):
                worth.z[s] = worth.base[kept, s]
            for colour in (a, b):
                if colour >= 0:
                    worth.z[seat] += worth.front[kept, seat, colour, 2]
            value = utility(worth.z, seat, worth.players, want)
            if value > found[0] + CLEAR:
                found = (value, a, b)
    return found
