"""The share of the victory by products: what `worth` adds up as logits is multiplied here, once a turn.

A seat's share is 1 / (1 + odds against it), and the odds are, with k flowers of a colour more in front of the
seat to move and w, c, x behind its screen,

    sum over rivals s of rivals[s, size] x screened[w, c, x, s, size] / product of gain[colour, 1 + k, size].

All that depends on the collection are factors of tables, so valuing a display takes no exponential.
"""

import numpy as np

from cherrysim.kernels.layout import ALIKE, BLUE, CLEAR, COLOURS, FOUR_COLOURS, TWO_PAIRS
from cherrysim.kernels.once import kernel


@kernel
def fill_rivals(seat, sizes, rules, mixed, worth):
    """Write the tables of products from the sums.

    With `mixed` for as many flowers in front and behind as the sums, else for what a collection and one
    flower more behind can bring.
    """
    players, base, front, gain = worth.players, worth.base, worth.front, worth.gain
    most = rules[ALIKE] + 1 if mixed else rules[ALIKE]
    for s in range(players):
        for size in range(sizes):
            worth.rivals[s, size] = np.exp(base[s, size] - base[seat, size]) if s != seat else 0.0
    for c in range(COLOURS):
        for k in range(-1, most + 1):
            for size in range(sizes):
                gain[c, 1 + k, size] = np.exp(front[seat, c, 1 + k, size]) if k else 1.0
    behind_too = rules[TWO_PAIRS] == BLUE or rules[FOUR_COLOURS] == BLUE
    most -= not mixed and not behind_too
    for s in range(players):
        for size in range(sizes):
            worth.screened[0, 0, 0, s, size] = 1.0
    for w in range(most + 1):
        for c in range(most + 1 - w):
            for x in range(most + 1 - w - c):
                kinds = (w > 0) + (c > 0) + (x > 0)
                if kinds == 1 or (kinds and mixed):
                    screen(w, c, x, seat, sizes, worth)
    for w in range(most + 1):
        for c in range(most + 1 - w):
            for x in range(most + 1 - w - c):
                kinds = (w > 0) + (c > 0) + (x > 0)
                if kinds > 1 and behind_too and not mixed:
                    screen_alone(w, c, x, sizes, worth)
                if kinds < 2 or behind_too:
                    add_against(w, c, x, sizes, worth)


@kernel
def screen(w, c, x, seat, sizes, worth):
    """The factors of so many flowers behind."""
    behind = worth.behind
    for s in range(worth.players):
        if s != seat:
            for size in range(sizes):
                worth.screened[w, c, x, s, size] = np.exp(
                    behind[w, c, x, s, size] - behind[w, c, x, seat, size]
                )


@kernel
def screen_alone(w, c, x, sizes, worth):
    """The same for several kinds, each as if it went alone."""
    screened = worth.screened
    for s in range(worth.players):
        for size in range(sizes):
            screened[w, c, x, s, size] = (
                screened[w, 0, 0, s, size] * screened[0, c, 0, s, size] * screened[0, 0, x, s, size]
            )


@kernel
def add_against(w, c, x, sizes, worth):
    """The odds against with nothing more in front."""
    rivals, screened, against = worth.rivals, worth.screened, worth.against
    for size in range(sizes):
        against[w, c, x, size] = 0.0
    for s in range(worth.players):
        for size in range(sizes):
            against[w, c, x, size] += rivals[s, size] * screened[w, c, x, s, size]


@kernel
def in_front(counts, size, worth):
    """The factor of a collection in front."""
    factor = 1.0
    for c in range(COLOURS):
        factor *= worth.gain[c, 1 + counts[c], size]
    return factor


@kernel
def least_against(counts, size, behind, worth):
    """The least odds against over what to hide of a collection, times its factor in front, all of it."""
    w, c, x = behind
    gain, against = worth.gain, worth.against
    least = against[w, c, x, size]
    for colour in range(COLOURS):
        n = counts[colour]
        if n:
            kind = colour // 2
            hidden = against[w + n * (kind == 0), c + n * (kind == 1), x + n * (kind == 2), size]
            least = min(least, gain[colour, 1 + n, size] * hidden)
    return least


@kernel
def least_odds(counts, size, odds, worth):
    """The same with other odds of the rivals, `odds` being [seat]."""
    gain, screened = worth.gain, worth.screened
    least = np.inf
    for colour in range(-1, COLOURS):
        n = counts[colour] if colour >= 0 else 0
        if n or colour < 0:
            kind = colour // 2
            hidden = 0.0
            for s in range(worth.players):
                hidden += odds[s] * screened[n * (kind == 0), n * (kind == 1), n * (kind == 2), s, size]
            least = min(least, gain[colour, 1 + n, size] * hidden if n else hidden)
    return least


@kernel
def best_hide_for_share(counts, seat, size, behind, worth):
    """`worth.best_hide` for a share: the table may differ in front of every seat."""
    w, c, x = behind
    z, odds, screened, gain = worth.z, worth.odds, worth.screened, worth.gain
    for s in range(worth.players):
        odds[s] = np.exp(z[s] - z[seat]) if s != seat else 0.0
    best, chosen = -np.inf, -1
    for colour in range(-1, COLOURS):
        n = counts[colour] if colour >= 0 else 0
        if n == 0 and colour >= 0:
            continue
        kind = colour // 2
        to = (w + n * (kind == 0), c + n * (kind == 1), x + n * (kind == 2))
        against = 0.0
        for s in range(worth.players):
            against += odds[s] * screened[to[0], to[1], to[2], s, size]
        if n:
            moved = 1 + worth.offset[colour]
            against *= gain[colour, moved + n, size] / gain[colour, moved, size]
        value = 1.0 / (1.0 + against)
        if value > best + CLEAR:
            best, chosen = value, colour
    return best, chosen
