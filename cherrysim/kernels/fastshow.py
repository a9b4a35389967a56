"""The display of `learned:fast`: cards and what to hide by margins, at the collection really reached.

Rulebook: "Display Flowers", "Description of Mastery Cards"; rulings R10 to R20. What a card adds is a sum of
margins, the best way to carry it out is found part by part; cards that draw count by the flowers they bring
on average, each where it is worth most. Where the bag is empty the points as they stand decide, wilds split
evenly, those that the seat has not seen counted as wilds.
"""

import numpy as np

from cherrysim.kernels.acting import carry_out, draw_secret, put, use
from cherrysim.kernels.bonus import colour_at, draws_flowers, has_bonus
from cherrysim.kernels.display import display, draw_bonus, move_all, move_flower, note, pool_of, total
from cherrysim.kernels.layout import (
    ALIKE,
    BAG,
    BEHIND,
    BLACK,
    BLUE,
    CHOSEN,
    CLEAR,
    COLOURS,
    DRAWN,
    EVEN,
    FRONT,
    HAND,
    PINK,
    PLAYERS,
    SPLITS,
    TWO_PAIRS,
)
from cherrysim.kernels.learned import open_screens
from cherrysim.kernels.margins import STALE, fill_gifts, fill_margins
from cherrysim.kernels.once import kernel
from cherrysim.kernels.scoring import TO_WARM, front_points, open_group, points_against, settles
from cherrysim.kernels.showing import (
    GIVEN,
    HIDDEN,
    PATTERN,
    RIVAL_1,
    RIVAL_2,
    SOURCE,
    TAKEN_1,
    TAKEN_2,
    best_of_drawn,
)

LATE = 16
"""With fewer flowers left margins change so fast that they are filled for two numbers of flowers left."""
AHEAD, FURTHER = 1, 4
"""Flowers that leave the bag before a display, on average; how far the second margins lie from the first."""
SPREAD = 1.0
"""Points of lead by which the odds at the end grow by a factor of e."""
NO_WAY = (-1, -1, -1, -1, -1, -1)


@kernel
def refresh(table, seat, rules, fast):
    """Fill the margins unless that is done this turn."""
    room = fast.rooms[0]
    if room.left != STALE:
        return
    bag = total(table, BAG)
    later = max(bag - FURTHER, 0)
    room.late = bag < LATE and later < bag
    fill(table, seat, bag if bag < LATE else bag - AHEAD, rules, fast, room)
    if room.late:
        fill(table, seat, later, rules, fast, fast.rooms[1])


@kernel
def fill(table, seat, left, rules, fast, room):
    """Fill the margins and what every card adds, with so many flowers left."""
    for c in range(COLOURS):
        room.tokens[c] = pool_of(table, seat, c, rules)
    fill_margins(table, seat, left, rules, fast.weights, room)
    if rules[TWO_PAIRS] == PINK or rules[TWO_PAIRS + 2]:
        fill_gifts(table, seat, rules, fast.weights, room)
    value_cards(table, seat, rules, room)


@kernel
def added(c, n, k, room):
    """What k more of a colour in front add, n having been added already; k may be -1."""
    if n + k < 0:
        return room.lost[c]
    return room.gain[c, n + k] - room.gain[c, n]


@kernel
def value_cards(table, seat, rules, room):
    """Write what each card adds, whatever the collection, and the parts of Somei Yoshino."""
    bag = total(table, BAG)
    for pattern in range(3):
        side = rules[TWO_PAIRS + pattern]
        room.card[pattern] = 0.0
        if side == BLUE and pattern == 0:
            room.card[0] = secret_gain(room)
        elif side == BLUE and pattern == 1:
            open_somei(table, seat, rules, room)
        elif side == BLUE:
            room.card[2] = gifts_gain(table, seat, rules, room) * min(2, bag)
        elif side == PINK and pattern == 0:
            room.card[0], room.taken[0] = best_trade(table, seat, rules, room)
        elif side == PINK and pattern == 1:
            room.card[1] = chosen_gain(table, bag, room)
        elif side == PINK:
            room.card[2] = two_taken(table, seat, rules[PLAYERS], room)


@kernel
def open_somei(table, seat, rules, room):
    """What the best flower from in front, or one of n in hand, adds behind the screen, and hiding n more
    after it."""
    best, kind = -np.inf, 3
    for c in range(COLOURS):
        one = room.hidden[c // 2, 1]
        if table[FRONT + seat, c]:
            if one + room.lost[c] > best:
                best, kind = one + room.lost[c], c // 2
        room.source[c, 0] = -np.inf
        for n in range(1, rules[ALIKE]):
            room.source[c, n] = one + room.gain[c, n - 1] - room.gain[c, n]
            room.again[c, n] = room.hidden[c // 2, n + 1] - one - room.gain[c, n]
    for c in range(COLOURS):
        for n in range(1, rules[ALIKE]):
            room.after[c, n] = room.again[c, n] if c // 2 == kind else room.hide[c, n]
    room.card[1] = best


@kernel
def best_trade(table, seat, rules, room):
    """About what Sakuya Hime's best trade adds, the gain of the colour taken apart, and this colour."""
    best, taken = -np.inf, 0
    for c in range(COLOURS):
        n = table[HAND, c]
        room.gains[c] = -np.inf
        if n or table[FRONT + seat, c]:
            room.gains[c] = added(c, n, -1, room)
    for s in range(rules[PLAYERS]):
        if s != seat:
            take, give, colour = -np.inf, -np.inf, 0
            for c in range(COLOURS):
                give = max(give, room.gains[c] + room.gift[s, c])
                if c != BLACK and table[FRONT + s, c]:
                    gain = room.gain[c, 1] + room.theft[s, c]
                    if gain > take:
                        take, colour = gain, c
            if take + give > best:
                best, taken = take + give, colour
    return best - room.gain[taken, 1], taken


@kernel
def secret_gain(room):
    """Shin Sumizome: a flower of the pool behind the screen."""
    gain = 0.0
    for c in range(COLOURS):
        gain += room.pool[c] * room.hidden[c // 2, 1]
    return gain


@kernel
def chosen_gain(table, bag, room):
    """Komatsu Otome: the best of three flowers drawn."""
    for c in range(BLACK):
        room.gains[c] = added(c, table[HAND, c], 1, room)
    return best_of_drawn(min(3, bag), room.tokens, room.gains, 0.0)


@kernel
def gifts_gain(table, seat, rules, room):
    """Kenrokuen Kumagai: a flower of the pool where it is worth most."""
    gain = 0.0
    for c in range(COLOURS):
        if room.tokens[c]:
            gain += room.pool[c] * best_place(table, seat, c, rules, room)[0]
    return gain


@kernel
def best_place(table, seat, colour, rules, room):
    """Where a flower is worth most: what it adds, and the row."""
    best, row = added(colour, table[HAND, colour], 1, room), FRONT + seat
    hidden = room.hidden[colour // 2, 1]
    if hidden > best + CLEAR:
        best, row = hidden, BEHIND + seat
    for s in range(rules[PLAYERS]):
        if s != seat and room.gift[s, colour] > best + CLEAR:
            best, row = room.gift[s, colour], FRONT + s
    return best, row


@kernel
def laid(table, c, hidden):
    """How many of a colour the hand brings in front when a colour is hidden."""
    return 0 if c == hidden else table[HAND, c]


@kernel
def trade(table, seat, rival, hidden, room):
    """Sakuya Hime's best trade with a rival when a colour is hidden: what it adds, the colour taken, the row
    and the colour given."""
    best, taken = -np.inf, -1
    for c in range(BLACK):
        if table[FRONT + rival, c]:
            gain = added(c, laid(table, c, hidden), 1, room) + room.theft[rival, c]
            if gain > best + CLEAR:
                best, taken = gain, c
    most, row, given = -np.inf, -1, -1
    for c in range(COLOURS):
        n = table[HAND, c]
        if c == hidden:
            kind = c // 2
            gain = room.hidden[kind, n - 1] - room.hidden[kind, n]
        elif c == taken:
            gain = -added(c, n, 1, room)
        else:
            gain = added(c, n, -1, room)
        gain += room.gift[rival, c]
        if (n or (table[FRONT + seat, c] and c != taken)) and gain > most + CLEAR:
            most, row, given = gain, HAND if n else FRONT + seat, c
    return best + most, taken, row, given


@kernel
def pair(table, seat, hidden, rules, room):
    """Kokonoe's best pair when a colour is hidden: what it adds, rival, colour, rival, colour."""
    players = rules[PLAYERS]
    best, found = -np.inf, (-1, -1, -1, -1)
    for first in range(players):
        for a in range(BLACK):
            if first == seat or table[FRONT + first, a] == 0:
                continue
            gain = added(a, laid(table, a, hidden), 1, room) + room.theft[first, a]
            for second in range(first + (players > 2), players):
                for b in range(a + 1 if players == 2 else 0, BLACK):
                    if second != seat and a != b and table[FRONT + second, b]:
                        both = gain + added(b, laid(table, b, hidden), 1, room) + room.theft[second, b]
                        if both > best + CLEAR:
                            best, found = both, (first, a, second, b)
    return best, found[0], found[1], found[2], found[3]


@kernel
def two_taken(table, seat, players, room):
    """About what Kokonoe's best pair takes from the rivals: the best flowers of the best two, or the best two
    of one; and which colours."""
    first, second, one, two = -np.inf, -np.inf, 0, 0
    for s in range(players):
        best, colour = -np.inf, 0
        for c in range(BLACK):
            if s != seat and table[FRONT + s, c]:
                gain = room.gain[c, 1] + room.theft[s, c]
                if gain > best:
                    if players == 2:
                        second, two = best, colour
                    best, colour = gain, c
                elif players == 2 and gain > second:
                    second, two = gain, c
        if best > first:
            if players > 2:
                second, two = first, one
            first, one = best, colour
        elif players > 2 and best > second:
            second, two = best, colour
    room.taken[1], room.taken[2] = one, two
    return first - room.gain[one, 1] + second - room.gain[two, 1]


@kernel
def card_gain(pattern, counts, rules, room):
    """What a card adds to a collection, about; Somei Yoshino apart."""
    gain = room.card[pattern]
    if pattern != 1 and rules[TWO_PAIRS + pattern] == PINK:
        for i in range(pattern // 2, pattern + 1):
            gain += added(room.taken[i], counts[room.taken[i]], 1, room)
    return gain


@kernel
def hide_gain(table, room):
    """The best of hiding a colour or none: what it adds, and the colour. `room.offset` and `room.more` are
    what has come in front and behind since the margins were filled."""
    best, hidden = 0.0, -1
    for c in range(COLOURS):
        n = table[HAND, c]
        if n:
            behind = room.more[c // 2]
            gain = room.hidden[c // 2, behind + n] - room.hidden[c // 2, behind]
            if room.offset[c] < 0:
                gain -= room.gain[c, n - 1] - room.lost[c]
            else:
                gain -= added(c, room.offset[c], n, room)
            if gain > best + CLEAR:
                best, hidden = gain, c
    return best, hidden


@kernel
def try_somei(table, seat, room):
    """Somei Yoshino's best flower: what it adds with the hiding after it, and the way."""
    best, way = -np.inf, NO_WAY
    for c in range(COLOURS):
        gain = room.hidden[c // 2, 1] + added(c, table[HAND, c], -1, room)
        room.more[c // 2] += 1
        for source in (HAND, FRONT + seat):
            if table[source, c]:
                table[source, c] -= 1
                room.offset[c] -= source != HAND
                value = gain + hide_gain(table, room)[0]
                room.offset[c] += source != HAND
                table[source, c] += 1
                if value > best + CLEAR:
                    best, way = value, (source, c, -1, -1, -1, -1)
        room.more[c // 2] -= 1
    return best, way


@kernel
def try_taking(table, seat, pattern, hidden, rules, room):
    """Sakuya Hime (pattern 0) or Kokonoe, hiding a colour or none: what it adds, and the way."""
    best, way = -np.inf, NO_WAY
    for i in range(2):
        c = hidden if i else -1
        if i and c < 0:
            break
        hiding = room.hide[c, table[HAND, c]] if i else 0.0
        if pattern == 2:
            gain, rival, taken, other, other_taken = pair(table, seat, c, rules, room)
            if hiding + gain > best + CLEAR:
                best, way = hiding + gain, (-1, -1, rival, taken, other, other_taken)
        for s in range(rules[PLAYERS] if pattern == 0 else 0):
            if s != seat:
                gain, taken, row, given = trade(table, seat, s, c, room)
                if hiding + gain > best + CLEAR:
                    best, way = hiding + gain, (row, given, s, taken, -1, -1)
    return best, way


@kernel
def choose_display(table, seat, rules, room, choice):
    """Write the card, the way to carry it out and, without a card, the colour to hide into the choice."""
    bag = total(table, BAG)
    plain, hidden = hide_last(table, seat, bag, rules, room)
    best = plain
    choice[PATTERN], choice[HIDDEN] = -1, hidden
    for pattern in range(3):
        side = rules[TWO_PAIRS + pattern]
        if not has_bonus(table, seat, pattern, rules) or (bag == 0 and draws_flowers(pattern, rules)):
            continue
        way = NO_WAY
        if side == BLUE and pattern == 1:
            value, way = try_somei(table, seat, room)
        elif side == BLUE:
            gain = secret_gain(room) if pattern == 0 else gifts_gain(table, seat, rules, room) * min(2, bag)
            value = plain + gain
        elif pattern == 1:
            value = plain + chosen_gain(table, bag, room)
        else:
            value, way = try_taking(table, seat, pattern, hidden, rules, room)
        if value > best + CLEAR:
            best = value
            choice[PATTERN], choice[HIDDEN] = pattern, -1
            choice[SOURCE], choice[GIVEN], choice[RIVAL_1] = way[0], way[1], way[2]
            choice[TAKEN_1], choice[RIVAL_2], choice[TAKEN_2] = way[3], way[4], way[5]


@kernel
def hide_last(table, seat, bag, rules, room):
    """`hide_gain`; where the bag is empty the colour is the one with most points."""
    gain, hidden = hide_gain(table, room)
    if bag == 0:
        open_ends(table, seat, rules, room)
        hidden = hide_at_end(table, seat, rules, room)
    return gain, hidden


@kernel
def show_fast(table, seat, rules, fast, keys, rows, log):
    """The display of a success."""
    room, choice = fast.rooms[0], fast.choice
    if total(table, BAG) < LATE:
        room.left = STALE
    refresh(table, seat, rules, fast)
    forget_moves(room)
    choose_display(table, seat, rules, room, choice)
    if choice[PATTERN] >= 0:
        carry_on_fast(table, seat, choice[PATTERN], rules, fast, keys, rows, log)
        return
    display(table, seat, choice[HIDDEN], log)
    room.left = STALE


@kernel
def forget_moves(room):
    """Nothing has come in front or behind since the margins were filled."""
    for c in range(COLOURS):
        room.offset[c] = 0
    for kind in range(3):
        room.more[kind] = 0


@kernel
def carry_on_fast(table, seat, pattern, rules, fast, keys, rows, log):
    """A card and the rest of the display."""
    room, choice = fast.rooms[0], fast.choice
    refresh(table, seat, rules, fast)
    forget_moves(room)
    use(seat, pattern, rules, rows, log)
    for c in range(COLOURS):
        room.offset[c] -= table[FRONT + seat, c]
        room.more[c // 2] -= table[BEHIND + seat, c]
    if not draws_flowers(pattern, rules):
        carry_out(table, seat, pattern, choice, log)
    elif pattern == 0:
        draw_secret(table, seat, keys, rows, log)
    elif pattern == 1:
        keep_one(table, seat, room, keys, rows, log)
    else:
        draw_bonus(table, DRAWN, 2, keys[0], rows, log)
        for _ in range(2):
            colour = colour_at(table, DRAWN, 0)
            if colour >= 0:
                put(table, colour, best_place(table, seat, colour, rules, room)[1], log)
    for c in range(COLOURS):
        room.offset[c] += table[FRONT + seat, c]
        room.more[c // 2] += table[BEHIND + seat, c]
    _, hidden = hide_last(table, seat, total(table, BAG), rules, room)
    display(table, seat, hidden, log)
    room.left = STALE


@kernel
def keep_one(table, seat, room, keys, rows, log):
    """Komatsu Otome: of the flowers drawn the one that adds most."""
    draw_bonus(table, DRAWN, 3, keys[0], rows, log)
    best, chosen = -np.inf, -1
    for c in range(BLACK):
        if table[DRAWN, c]:
            gain = added(c, table[HAND, c], 1, room)
            if gain > best + CLEAR:
                best, chosen = gain, c
    if chosen >= 0:
        move_flower(table, DRAWN, FRONT + seat, chosen)
    note(log, CHOSEN, chosen, 0)
    move_all(table, DRAWN, BAG)


@kernel
def hide_fast(table, seat, rules, fast, log):
    """The display when all that is left to choose is what to hide."""
    room = fast.rooms[0]
    room.left = STALE
    refresh(table, seat, rules, fast)
    forget_moves(room)
    _, hidden = hide_last(table, seat, total(table, BAG), rules, room)
    display(table, seat, hidden, log)
    room.left = STALE


@kernel
def open_ends(table, seat, rules, room):
    """Forget what a group may come to at the end."""
    open_screens(table, seat, rules[PLAYERS], room.screens)
    for s in range(rules[PLAYERS]):
        room.fronts[s] = 0.0 if s == seat else front_points(table, FRONT + s, rules)
    for way in range(len(room.known)):
        room.known[way] = 0


@kernel
def lead_of(way, seat, rules, room):
    """The lead over the best rival, own front apart, when nothing (way 0), one or two warm, cool or wild
    flowers go behind the screen."""
    if room.known[way] == 0:
        room.known[way] = 1
        room.lead[way] = work_out((way + 1) // 2 - 1, 2 - way % 2 if way else 0, seat, rules, room)
    return room.lead[way]


@kernel
def work_out(kind, n, seat, rules, room):
    """The same for so many flowers of a kind."""
    groups, players, screens = room.groups, rules[PLAYERS], room.screens
    if n:
        screens[seat, kind] += n
    for s in range(players):
        open_group(groups[s], screens[s, 0], screens[s, 1], screens[s, 2], rules)
    if n:
        screens[seat, kind] -= n
    if rules[SPLITS] != EVEN:
        settles(groups, rules)
    best, own = -np.inf, 0.0
    for s in range(players):
        points = room.fronts[s]
        for group in range(2):
            points += points_against(groups, s, group, groups[s, TO_WARM], rules)
        if s == seat:
            own = points
        else:
            best = max(best, points)
    return own - best


@kernel
def hide_at_end(table, seat, rules, room):
    """The colour to hide, -1 for none, with which the collection in hand ends the game most points ahead."""
    for c in range(COLOURS):
        table[FRONT + seat, c] += table[HAND, c]
    best, hidden = -np.inf, -1
    for c in range(-1, COLOURS):
        n = table[HAND, c] if c >= 0 else 0
        if c < 0 or 0 < n < 3:
            lead = lead_at_end(table, seat, c, n, rules, room)
            if lead > best + CLEAR:
                best, hidden = lead, c
    for c in range(COLOURS):
        table[FRONT + seat, c] -= table[HAND, c]
    return hidden


@kernel
def lead_at_end(table, seat, hidden, n, rules, room):
    """Points ahead of the best rival, n of a colour being hidden out of all in front."""
    row = FRONT + seat
    if n == 0:
        return front_points(table, row, rules) + lead_of(0, seat, rules, room)
    table[row, hidden] -= n
    lead = front_points(table, row, rules) + lead_of(2 * (hidden // 2) + n, seat, rules, room)
    table[row, hidden] += n
    return lead
