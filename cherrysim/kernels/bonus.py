"""Mastery cards as policy `random` uses them: a card or none, then a way to carry it out, each choice
uniform.

Rulebook: "Description of Mastery Cards"; rulings R13 to R20. Ways differ in what ends up where: two flowers
of one colour in one place are one way.
"""

from cherrysim.kernels.display import draw_bonus, matches, move_all, move_flower, note
from cherrysim.kernels.keyed import below
from cherrysim.kernels.layout import (
    BAG,
    BEHIND,
    BLACK,
    BLUE,
    CARD,
    CARDS_USED,
    CHOSEN,
    COLOURS,
    DRAWN,
    FROM,
    FRONT,
    HAND,
    PINK,
    PLACE,
    PLAYERS,
    RIVAL,
    SECRET,
    TWO_PAIRS,
)
from cherrysim.kernels.once import kernel

# Places of the choices of a turn among its keyed numbers for choices; 0, 1, ... are the draws' sizes.
CARD_CHOICE, WAY_CHOICE = 16, 17


@kernel
def colours_of(table, row, last):
    """How many of the colours 0 .. last - 1 a row holds."""
    n = 0
    for c in range(last):
        n += table[row, c] > 0
    return n


@kernel
def colour_at(table, row, n):
    """The n-th colour, from 0, that a row holds."""
    for c in range(COLOURS):
        if table[row, c]:
            if n == 0:
                return c
            n -= 1
    return -1


@kernel
def has_bonus(table, seat, pattern, rules):
    """Whether this seat may use the card of this pattern with the collection in hand (rulings R13, R18,
    R20)."""
    side = rules[TWO_PAIRS + pattern]
    if side == 0 or not matches(table, pattern):
        return False
    if side == BLUE or pattern == 1:
        return True
    return (rivals_to_trade(table, seat, rules) if pattern == 0 else pairs_to_take(table, seat, rules)) > 0


@kernel
def draws_flowers(pattern, rules):
    """Whether the card of this pattern draws: Shin Sumizome, Komatsu Otome, Kenrokuen Kumagai."""
    return (rules[TWO_PAIRS + pattern] == BLUE) == (pattern != 1)


@kernel
def rivals_to_trade(table, seat, rules):
    """How many flowers Sakuya Hime can take: colours but black in front of the others, seat by seat."""
    n = 0
    for other in range(rules[PLAYERS]):
        if other != seat:
            n += colours_of(table, FRONT + other, BLACK)
    return n


@kernel
def take_from(table, seat, n, rules, log):
    """Take the n-th flower that can be taken, by seat and colour, from in front of a rival; gives the
    rival."""
    for other in range(rules[PLAYERS]):
        if other != seat:
            colours = colours_of(table, FRONT + other, BLACK)
            if n < colours:
                colour = colour_at(table, FRONT + other, n)
                note(log, RIVAL, other, colour)
                move_flower(table, FRONT + other, FRONT + seat, colour)
                return other
            n -= colours
    return -1


@kernel
def pairs_to_take(table, seat, rules):
    """How many pairs Kokonoe can take; see `find_pair`."""
    return -1 - find_pair(table, seat, 1 << 30, rules)[0]


@kernel
def find_pair(table, seat, n, rules):
    """The n-th pair for Kokonoe as (rival, colour, rival, colour); with too few pairs (-1 - their number,
    ...)."""
    players = rules[PLAYERS]
    found = 0
    for first in range(players):
        for second in range(first, players):
            if first == seat or second == seat or (first == second) != (players == 2):
                continue
            for a in range(BLACK):
                for b in range(a + 1 if players == 2 else 0, BLACK):
                    if a != b and table[FRONT + first, a] and table[FRONT + second, b]:
                        if found == n:
                            return first, a, second, b
                        found += 1
    return -1 - found, 0, 0, 0


@kernel
def give_own(table, seat, target, key, log):
    """A random flower of the collection or the own front, by place and colour, to the target row."""
    in_hand = colours_of(table, HAND, COLOURS)
    n = below(key, WAY_CHOICE, in_hand + colours_of(table, FRONT + seat, COLOURS))
    source = HAND
    if n >= in_hand:
        source = FRONT + seat
        n -= in_hand
    colour = colour_at(table, source, n)
    note(log, FROM, source != HAND, colour)
    move_flower(table, source, target, colour)


@kernel
def use_blue(table, seat, pattern, keys, rows, log, rules):
    """Shin Sumizome, Somei Yoshino or Kenrokuen Kumagai; `keys` are those of draws and of choices."""
    if pattern == 0:
        draw_bonus(table, DRAWN, 1, keys[0], rows, log)
        for c in range(COLOURS):
            table[SECRET + seat, c] += table[DRAWN, c]
        move_all(table, DRAWN, BEHIND + seat)
    elif pattern == 1:
        give_own(table, seat, BEHIND + seat, keys[1], log)
    else:
        drawn = draw_bonus(table, DRAWN, 2, keys[0], rows, log)
        if drawn:
            place_drawn(table, seat, drawn, keys[1], log, rules)


@kernel
def place_drawn(table, seat, drawn, key, log, rules):
    """Kenrokuen Kumagai's flowers, each to any front or behind the own screen, every different way equally
    likely."""
    places = rules[PLAYERS] + 1
    one = colour_at(table, DRAWN, 0)
    alike = drawn == 2 and table[DRAWN, one] == 2
    ways = places
    if drawn == 2:
        ways = places * (places + 1) // 2 if alike else places * places
    way = below(key, WAY_CHOICE, ways)
    to, other = way // places, way % places
    if alike:  # of two places in either order only the one with the first not after the second
        to = 0
        while way >= places - to:
            way -= places - to
            to += 1
        other = to + way
    if drawn == 2:
        place(table, seat, one if alike else colour_at(table, DRAWN, 1), to, log, rules)
    place(table, seat, one, other, log, rules)


@kernel
def place(table, seat, colour, to, log, rules):
    """A drawn flower in front of seat `to`, or behind the own screen where `to` is the number of players."""
    behind = to == rules[PLAYERS]
    note(log, PLACE, colour, -1 if behind else to)
    move_flower(table, DRAWN, BEHIND + seat if behind else FRONT + to, colour)


@kernel
def use_pink(table, seat, pattern, keys, rows, log, rules):
    """Sakuya Hime, Komatsu Otome or Kokonoe; `keys` are those of draws and of choices."""
    if pattern == 0:
        way = below(keys[1], WAY_CHOICE + 1, rivals_to_trade(table, seat, rules))
        give_own(table, seat, DRAWN, keys[1], log)
        rival = take_from(table, seat, way, rules, log)
        move_all(table, DRAWN, FRONT + rival)
    elif pattern == 1:
        draw_bonus(table, DRAWN, 3, keys[0], rows, log)
        colours = colours_of(table, DRAWN, BLACK)
        colour = -1
        if colours:
            colour = colour_at(table, DRAWN, below(keys[1], WAY_CHOICE, colours))
            move_flower(table, DRAWN, FRONT + seat, colour)
        note(log, CHOSEN, colour, 0)
        move_all(table, DRAWN, BAG)
    else:
        way = below(keys[1], WAY_CHOICE, pairs_to_take(table, seat, rules))
        first, a, second, b = find_pair(table, seat, way, rules)
        note(log, RIVAL, first, a)
        note(log, RIVAL, second, b)
        move_flower(table, FRONT + first, FRONT + seat, a)
        move_flower(table, FRONT + second, FRONT + seat, b)


@kernel
def random_bonus(table, seat, rules, keys, rows, log):
    """None or one of the cards that may be used, at random."""
    usable = 0
    for pattern in range(3):
        if has_bonus(table, seat, pattern, rules):
            usable += 1
    chosen = below(keys[1], CARD_CHOICE, usable + 1)
    for pattern in range(3):
        if chosen and has_bonus(table, seat, pattern, rules):
            chosen -= 1
            if chosen == 0:
                rows[seat, CARDS_USED] += 1
                side = rules[TWO_PAIRS + pattern]
                note(log, CARD, pattern, side)
                if side == PINK:
                    use_pink(table, seat, pattern, keys, rows, log, rules)
                else:
                    use_blue(table, seat, pattern, keys, rows, log, rules)
                return
