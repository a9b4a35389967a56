"""What the table is worth to the player to move: from a model's numbers to the value of every collection.

A policy values the table after a display for every seat. Its *model* gives each seat a number z (`points`:
expected final points; a logit of the share of victory, ...), its *utility* turns the z of all seats into
what the player wants. The one formula: z is a sum of parts, so that after a display by which `size` flowers
left the bag

    z[s] = base[s, size] + sum over colours c of front[s, c, 1 + change of c in front of s, size]
           + behind[w, c, x, s, size],

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
from cherrysim.kernels.layout import (
    ALIKE,
    BAG,
    BEHIND,
    CLEAR,
    COLOURS,
    FRONT,
    LEARNED,
    PLAYERS,
    SECRET,
)
from cherrysim.kernels.learned import fill_learned
from cherrysim.kernels.once import kernel
from cherrysim.kernels.points import fill_points
from cherrysim.kernels.rivals import best_hide_for_share, fill_rivals

OWN, RISK, SHARE = 0, 1, 2
"""What the player wants: own z; (1 - exp(-r z)) / r; the share exp(z[seat]) / sum over seats of exp(z)."""
SETS = 32
TAKE, GIFTS, CHOICE, PAIR = 0, 1, 2, 3
"""What cards change whatever the collection: Sakuya Hime's flower, Kenrokuen's, Komatsu Otome's,
Kokonoe's."""


FEW = 2
"""With so few flowers left a table can be worked out, see `coming`."""
MOST_SIZES, MOST_STEPS, MOST_KNOWN, MOST_OUTCOMES = 16, 8, 4096, 64
"""Room for every set-up: turns of 12 flowers with 3 more by a card, failures from 5 alike, memories of
endings."""

Worth = np.dtype(
    [
        ("players", np.int64),
        ("bag", np.int64),  # how many flowers are in the bag
        ("pool", np.int64, 6),  # [colour] what may be in the bag, as the seat to move sees it
        ("base", np.float64, (4, MOST_SIZES)),  # [seat, size]
        ("front", np.float64, (4, 6, MOST_STEPS, MOST_SIZES)),  # [seat, colour, 1 + k, size]
        ("behind", np.float64, (MOST_STEPS, MOST_STEPS, MOST_STEPS, 4, MOST_SIZES)),  # [w, c, x, seat, size]
        (
            "gain",
            np.float64,
            (6, MOST_STEPS, MOST_SIZES),
        ),  # [colour, 1 + k, size], and the rest: see `rivals`
        ("rivals", np.float64, (4, MOST_SIZES)),  # [seat, size]
        (
            "screened",
            np.float64,
            (MOST_STEPS, MOST_STEPS, MOST_STEPS, 4, MOST_SIZES),
        ),  # [w, c, x, seat, size]
        ("against", np.float64, (MOST_STEPS, MOST_STEPS, MOST_STEPS, MOST_SIZES)),  # [w, c, x, size]
        ("pairs", np.float64, (6, 6)),  # [1 + colour, 1 + colour] what keeping them of a failure is worth
        ("lying", np.int64, (8, 6)),  # FRONT and BEHIND rows of the table when the seat last looked
        ("looks", np.int64),  # how often any seat has looked
        ("change", np.float64, (4, MOST_SIZES, 4)),  # [TAKE .. PAIR, size, seat] by cards alone
        ("changed", np.float64, (4, MOST_SIZES, 4)),  # [TAKE .. PAIR, size, seat] the rivals' odds then
        ("rival", np.int64, MOST_SIZES),  # [size] from whom Sakuya Hime takes
        ("taken", np.int64, (MOST_SIZES, 3)),  # [size] the colours she takes, and the two Kokonoe takes
        ("regard", np.float64, 4),  # [seat] how much its gain hurts, as a part of the same gain of one's own
        ("z", np.float64, 4),  # [seat]
        ("odds", np.float64, 4),  # [seat] exp(z) by that of the seat to move
        ("share", np.float64, 4),  # [seat] of an ending
        ("few", np.int64),  # such tables are worked out; 0 where secrets would have to be dealt
        ("thorough", np.int64),  # by cards too: for what is done now
        ("coming", np.float64, (7, 8)),  # [row, seat, then scores] with one or two flowers left, see `coming`
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

Steps: `front[.., 1 + k, size]` is the change for k flowers more of a colour, k = -1 for one taken away;
of the seat to move k goes up to `alike` + 1, of the others to 2. `behind[w, c, x]` is needed for w + c + x
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
def fill_worth(table, seat, sizes, mixed, rules, policies, weights, worth):
    """Fill the tables by the seat's model for the table as it stands; the pool and the bag's size are set
    already."""
    if policies[seat, 0] == LEARNED:
        fill_learned(table, seat, sizes, mixed, rules, weights[seat], worth)
    else:
        fill_points(table, seat, sizes, mixed, rules, weights[seat], worth)
    if not mixed and policies[seat, 1] != SHARE:
        add_up(sizes, rules[ALIKE], worth)
    if policies[seat, 1] == SHARE:
        fill_rivals(seat, sizes, rules, mixed, worth)


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
                            behind[w, c, x, s, size] = (
                                behind[w, 0, 0, s, size] + behind[0, c, 0, s, size] + behind[0, 0, x, s, size]
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
    secrets = 0
    for s in range(rules[PLAYERS]):
        secrets += total(table, SECRET + s) if s != seat else 0
    worth.few = 0 if secrets else FEW
    worth.thorough = 1


@kernel
def best_hide(counts, seat, size, behind, want, worth):
    """The best utility over what to hide of a collection, and the colour (-1: none), of equals the first.

    `worth.z` counts all of the collection in front and nothing behind; `behind` = (w, c, x) are flowers a
    card has put there, `worth.offset` what it has changed in front.
    """
    wanted, risk = want
    if wanted == SHARE:
        return best_hide_for_share(counts, seat, size, behind, worth)
    w, c, x = behind
    own, front, screens = worth.z[seat], worth.front, worth.behind
    best, chosen = -np.inf, -1
    for colour in range(-1, COLOURS):
        n = counts[colour] if colour >= 0 else 0
        if n == 0 and colour >= 0:
            continue
        kind = colour // 2
        value = own + screens[w + n * (kind == 0), c + n * (kind == 1), x + n * (kind == 2), seat, size]
        if n:
            moved = 1 + worth.offset[colour]
            value -= front[seat, colour, moved + n, size] - front[seat, colour, moved, size]
        if value > best + CLEAR:
            best, chosen = value, colour
    if wanted == RISK:
        best = (1.0 - np.exp(-risk * best)) / risk
    return best, chosen
