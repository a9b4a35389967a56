"""What happens to flowers outside a draw: cards, hiding, failures; each a move of tokens between rows of
the table.

Rulebook: "Display Flowers", "Description of Mastery Cards"; rulings R10 to R20. The kernels here only carry
out what somebody has chosen; who chooses is in `reference`.
"""

from cherrysim.kernels.keyed import below
from cherrysim.kernels.layout import (
    ALIKE,
    BAG,
    BEHIND,
    BLACK,
    BONUS,
    BONUS_FLOWERS,
    BOX,
    COLOURS,
    DIFFERENT,
    FRONT,
    HAND,
    HIDE,
    KEEP,
    PLAYERS,
    SECRET,
)
from cherrysim.kernels.once import kernel

BONUS_SLOT = 16
"""Keyed numbers 0, 1, ... of a turn belong to the flowers collected, those from here to the flowers of its
bonus."""


@kernel
def note(log, kind, a, b):
    """Write an event into the log, if there is one; row 0 holds rows used, game, turn, seat."""
    if log.shape[0] > 1:
        n = log[0, 0] + 1
        if n < log.shape[0]:
            log[n, 0] = log[0, 1]
            log[n, 1] = log[0, 2]
            log[n, 2] = log[0, 3]
            log[n, 3] = kind
            log[n, 4] = a
            log[n, 5] = b
        log[0, 0] = n


@kernel
def total(table, row):
    """How many flowers are in a row."""
    n = 0
    for c in range(COLOURS):
        n += table[row, c]
    return n


@kernel
def move_flower(table, source, target, colour):
    """One flower from row to row."""
    table[source, colour] -= 1
    table[target, colour] += 1


@kernel
def move_all(table, source, target):
    """Every flower of a row to another."""
    for c in range(COLOURS):
        table[target, c] += table[source, c]
        table[source, c] = 0


@kernel
def draw_flower(table, target, left, key, slot):
    """A flower at random out of a bag of `left` into the target row; gives its colour."""
    at = below(key, slot, left)
    colour = 0
    passed = 0
    for c in range(BLACK):
        passed += table[BAG, c]
        colour += at >= passed
    move_flower(table, BAG, target, colour)
    return colour


@kernel
def draw_bonus(table, target, n, key, rows, log):
    """Up to n flowers out of the bag by a card, counted in the seat's row; gives the number drawn."""
    seat = log[0, 3]
    drawn = min(n, total(table, BAG))
    for i in range(drawn):
        left = total(table, BAG)
        note(log, BONUS, draw_flower(table, target, left, key, BONUS_SLOT + i), 0)
    rows[seat, BONUS_FLOWERS] += drawn
    return drawn


@kernel
def failed(table, rules):
    """Whether the collection in hand has failed (ruling R1)."""
    most = 0
    different = 0
    for c in range(BLACK):
        n = table[HAND, c]
        most = max(most, n)
        different += n > 0
    blacks = table[HAND, BLACK]
    return most + blacks >= rules[ALIKE] or min(different + blacks, BLACK) >= rules[DIFFERENT]


@kernel
def pool_of(table, seat, colour, rules):
    """Flowers of a colour that may be in the bag as far as this seat can see: the box and others' secrets
    included."""
    n = table[BAG, colour] + table[BOX, colour]
    for other in range(rules[PLAYERS]):
        if other != seat:
            n += table[SECRET + other, colour]
    return n


@kernel
def matches(table, pattern):
    """Whether the collection has the combination of card 0 (two pairs), 1 (four colours) or 2 (six
    flowers)."""
    if pattern == 2:
        return total(table, HAND) >= 6
    blacks = table[HAND, BLACK]
    if pattern == 1:
        different = 0
        for c in range(BLACK):
            different += table[HAND, c] > 0
        return different + blacks >= 4
    best = 0
    second = 0
    for c in range(BLACK):
        n = table[HAND, c]
        if n > best:
            second = best
            best = n
        elif n > second:
            second = n
    return max(0, 2 - best) + max(0, 2 - second) <= blacks


@kernel
def display(table, seat, hidden, log):
    """Lay out a success: the hidden colour (-1 for none) behind, the rest of the collection in front."""
    note(log, HIDE, hidden, 0)
    if hidden >= 0:
        table[BEHIND + seat, hidden] += table[HAND, hidden]
        table[HAND, hidden] = 0
    move_all(table, HAND, FRONT + seat)


@kernel
def keep_two(table, seat, first, second, log):
    """After a failure: one flower of each of two colours in front (-1 for none), everything else back."""
    note(log, KEEP, first, second)
    if first >= 0:
        move_flower(table, HAND, FRONT + seat, first)
    if second >= 0:
        move_flower(table, HAND, FRONT + seat, second)
    move_all(table, HAND, BAG)
