"""The display at the collection really reached: every card, every way to carry it out, every colour to hide.

Rulebook: "Display Flowers", "Description of Mastery Cards"; rulings R10 to R20. A way is tried on the table
itself and taken back; what it is worth is read off the tables that a model has filled for this very moment
(`worth`), is the true score where the bag is empty (`ending`), or worked out for a share where it nearly is
(`coming`). Cards that draw count by their expectation over what may be in the bag as the seat sees it; what
is decided after seeing the flowers is decided then.
"""

import numpy as np

from cherrysim.kernels.bonus import draws_flowers, has_bonus
from cherrysim.kernels.coming import come, unseen, worked_out
from cherrysim.kernels.display import move_flower
from cherrysim.kernels.ending import ending
from cherrysim.kernels.layout import (
    BEHIND,
    BLACK,
    CLEAR,
    COLOURS,
    FRONT,
    HAND,
    PLAYERS,
)
from cherrysim.kernels.once import kernel
from cherrysim.kernels.worth import SHARE, best_hide, fill_worth, utility

# A choice: the card's pattern or -1, the colour to hide or -1, then own source (HAND or FRONT row) and
# colour, two rivals with the colours taken, or the rows where two drawn flowers go.
PATTERN, HIDDEN, SOURCE, GIVEN, RIVAL_1, TAKEN_1, RIVAL_2, TAKEN_2 = range(8)
CHOICE_NUMBERS = 8
DRAWN_SIZES = 4
"""Tables for a collection at hand: up to three flowers more leave the bag."""


@kernel
def standing(table, seat, size, worth):
    """Set `worth.z` to all seats' z when `size` flowers more have left the bag and the whole hand lies in
    front.

    Gives how many warm, cool and wild flowers have gone behind the screen since the tables were filled.
    """
    z = worth.z
    for s in range(worth.players):
        z[s] = worth.base[s, size]
        for c in range(COLOURS):
            k = table[FRONT + s, c] - worth.lying[FRONT + s, c]
            if s == seat:
                worth.offset[c] = k
                k += table[HAND, c]
            if k:
                z[s] += worth.front[s, c, 1 + k, size]
    w, c, x = 0, 0, 0
    for colour in range(COLOURS):
        n = table[BEHIND + seat, colour] - worth.lying[BEHIND + seat, colour]
        kind = colour // 2
        w += n * (kind == 0)
        c += n * (kind == 1)
        x += n * (kind == 2)
    return w, c, x


@kernel
def hide_value(table, seat, size, rules, want, worth):
    """The best utility over what to hide, and the colour, `size` flowers more having left the bag."""
    left = worth.bag - size
    if left > 0 and not worked_out(left, want[0] == SHARE, worth, rules):
        return best_hide(table[HAND], seat, size, standing(table, seat, size, worth), want, worth)
    best, chosen = -np.inf, -1
    for colour in range(-1, COLOURS):
        if colour < 0 or table[HAND, colour]:
            value = laid_value(table, seat, colour, left, rules, want, worth)
            if value > best + CLEAR:
                best, chosen = value, colour
    return best, chosen


@kernel
def laid_value(table, seat, hidden, left, rules, want, worth):
    """The utility of hiding this colour when that leaves so few flowers, or none."""
    for c in range(COLOURS):
        table[(BEHIND if c == hidden else FRONT) + seat, c] += table[HAND, c]
    if left > 0:
        come(table, seat, left, rules, worth)
    else:
        ending(table, seat, rules, want[0] == SHARE, worth)
    for c in range(COLOURS):
        table[(BEHIND if c == hidden else FRONT) + seat, c] -= table[HAND, c]
    return worth.share[seat] if want[0] == SHARE else utility(worth.z, seat, worth.players, want)


@kernel
def after_draw(table, seat, colour, target, size, rules, want, worth):
    """The value once a drawn flower of this colour has gone to the target row."""
    table[target, colour] += 1
    worth.pool[colour] -= 1
    value = hide_value(table, seat, size, rules, want, worth)[0]
    worth.pool[colour] += 1
    table[target, colour] -= 1
    return value


@kernel
def secret_value(table, seat, rules, want, worth):
    """Shin Sumizome in expectation over the flower drawn."""
    value = 0.0
    tokens = unseen(worth)
    for c in range(COLOURS):
        if worth.pool[c]:
            drawn = after_draw(table, seat, c, BEHIND + seat, 1, rules, want, worth)
            value += worth.pool[c] / tokens * drawn
    return value


@kernel
def keep_values(table, seat, rules, want, worth):
    """Write into `worth.gains` what each colour kept of Komatsu Otome's flowers is worth, then what none
    is."""
    for c in range(BLACK):
        worth.gains[c] = -np.inf
        if worth.pool[c]:
            worth.gains[c] = after_draw(table, seat, c, FRONT + seat, 1, rules, want, worth)
    worth.gains[BLACK] = hide_value(table, seat, 0, rules, want, worth)[0]


@kernel
def best_of_drawn(drawn, pool, gains, none):
    """The expectation of the largest gain among the colours of so many flowers drawn from a pool; `none`
    without any."""
    tokens = 0
    for c in range(COLOURS):
        tokens += pool[c]
    value = 0.0
    missed = 1.0  # the chance that no better colour was drawn
    tried = 0  # its tokens
    done = 0
    for _ in range(BLACK):
        best = -1
        for c in range(BLACK):
            if pool[c] and not done >> c & 1 and (best < 0 or gains[c] > gains[best]):
                best = c
        if best < 0:
            break
        done |= 1 << best
        tried += pool[best]
        still = 1.0
        for j in range(drawn):
            still *= max(tokens - tried - j, 0) / max(tokens - j, 1)
        value += (missed - still) * gains[best]
        missed = still
    if missed > 0.0:
        value += missed * none
    return value


@kernel
def place_value(table, seat, one, other, rules, want, worth, choice):
    """The best value over where the two flowers drawn for Kenrokuen Kumagai go (`other` -1: one only).

    They are out of `worth.pool`; the tables must be filled up to their number. Writes the places into the
    choice.
    """
    players = rules[PLAYERS]
    size = choice[GIVEN]
    best = -np.inf
    for i in range(players + 1):
        row = place_of(i, seat)
        table[row, one] += 1
        for j in range(players + 1 if other >= 0 else 1):
            row_2 = place_of(j, seat)
            if other >= 0:
                table[row_2, other] += 1
            value = hide_value(table, seat, size, rules, want, worth)[0]
            if other >= 0:
                table[row_2, other] -= 1
            if value > best + CLEAR:
                best = value
                choice[RIVAL_1], choice[RIVAL_2] = row, row_2
        table[row, one] -= 1
    return best


@kernel
def place_of(i, seat):
    """The i-th row a flower may go to: in front, behind, in front of the others seat by seat."""
    if i < 2:
        return FRONT + seat if i == 0 else BEHIND + seat
    return FRONT + i - 2 + (i - 2 >= seat)


@kernel
def gifts_value(table, seat, rules, want, worth, choice):
    """Kenrokuen Kumagai in expectation over the flowers drawn."""
    pool = worth.pool
    tokens = unseen(worth)
    choice[GIVEN] = min(2, worth.bag)
    value = 0.0
    for one in range(COLOURS):
        if pool[one] == 0:
            continue
        chance = pool[one] / tokens
        pool[one] -= 1
        if choice[GIVEN] == 1:
            value += chance * place_value(table, seat, one, -1, rules, want, worth, choice)
        else:
            for other in range(one, COLOURS):
                if pool[other]:
                    both = chance * pool[other] / (tokens - 1) * (1.0 if one == other else 2.0)
                    pool[other] -= 1
                    value += both * place_value(table, seat, one, other, rules, want, worth, choice)
                    pool[other] += 1
        pool[one] += 1
    return value


@kernel
def note_best(value, hidden, pattern, way, best, choice):
    """Take over a choice that is clearly better than the best so far; gives the value of the best."""
    if value > best + CLEAR:
        choice[PATTERN], choice[HIDDEN] = pattern, hidden
        for i in range(len(way)):
            choice[SOURCE + i] = way[i]
        return value
    return best


@kernel
def try_somei(table, seat, rules, want, worth, best, choice):
    """Somei Yoshino with every flower of the collection, then of the own front."""
    for source in (HAND, FRONT + seat):
        for c in range(COLOURS):
            if table[source, c]:
                move_flower(table, source, BEHIND + seat, c)
                value, hidden = hide_value(table, seat, 0, rules, want, worth)
                move_flower(table, BEHIND + seat, source, c)
                best = note_best(value, hidden, 1, (source, c, -1, -1, -1, -1), best, choice)
    return best


@kernel
def try_sakuya(table, seat, rules, want, worth, best, choice):
    """Sakuya Hime with every flower given for every flower taken."""
    for source in (HAND, FRONT + seat):
        for c in range(COLOURS):
            if table[source, c] == 0:
                continue
            for rival in range(rules[PLAYERS]):
                if rival == seat:
                    continue
                for taken in range(BLACK):
                    if table[FRONT + rival, taken]:
                        move_flower(table, source, FRONT + rival, c)
                        move_flower(table, FRONT + rival, FRONT + seat, taken)
                        value, hidden = hide_value(table, seat, 0, rules, want, worth)
                        move_flower(table, FRONT + seat, FRONT + rival, taken)
                        move_flower(table, FRONT + rival, source, c)
                        best = note_best(value, hidden, 0, (source, c, rival, taken, -1, -1), best, choice)
    return best


@kernel
def try_kokonoe(table, seat, rules, want, worth, best, choice):
    """Kokonoe with every pair of flowers that may be taken."""
    players = rules[PLAYERS]
    for first in range(players):
        for a in range(BLACK):
            if first == seat or table[FRONT + first, a] == 0:
                continue
            for second in range(first, players):
                if second == seat or (first == second) != (players == 2):
                    continue
                for b in range(a + 1 if players == 2 else 0, BLACK):
                    if a != b and table[FRONT + second, b]:
                        move_flower(table, FRONT + first, FRONT + seat, a)
                        move_flower(table, FRONT + second, FRONT + seat, b)
                        value, hidden = hide_value(table, seat, 0, rules, want, worth)
                        move_flower(table, FRONT + seat, FRONT + first, a)
                        move_flower(table, FRONT + seat, FRONT + second, b)
                        best = note_best(value, hidden, 2, (-1, -1, first, a, second, b), best, choice)
    return best


@kernel
def try_drawing(table, seat, pattern, rules, want, worth, best, choice):
    """A card that draws, where the bag holds anything."""
    if worth.bag == 0:
        return best
    if pattern == 0:
        value = secret_value(table, seat, rules, want, worth)
    elif pattern == 1:
        keep_values(table, seat, rules, want, worth)
        value = best_of_drawn(min(3, worth.bag), worth.pool, worth.gains, worth.gains[BLACK])
    else:
        value = gifts_value(table, seat, rules, want, worth, worth.way)
    return note_best(value, -1, pattern, (-1, -1, -1, -1, -1, -1), best, choice)


@kernel
def fill_for_display(table, seat, rules, policies, weights, worth):
    """Fill the tables for every display of the hand: a card may take three flowers more out of the bag."""
    if worth.bag:
        usable = False
        for pattern in range(3):
            usable = usable or has_bonus(table, seat, pattern, rules)
        sizes = DRAWN_SIZES if usable else 1
        fill_worth(table, seat, sizes, usable, rules, policies, weights, worth)


@kernel
def best_display(table, seat, rules, want, worth, choice):
    """The value of the best display of the hand; writes it into the choice.

    The tables must be filled for up to 3 flowers more out of the bag, unless it is empty.
    """
    best, hidden = hide_value(table, seat, 0, rules, want, worth)
    few, worth.few = worth.few, worth.few * worth.thorough
    choice[PATTERN], choice[HIDDEN] = -1, hidden
    for pattern in range(3):
        if has_bonus(table, seat, pattern, rules):
            if draws_flowers(pattern, rules):
                best = try_drawing(table, seat, pattern, rules, want, worth, best, choice)
            elif pattern == 1:
                best = try_somei(table, seat, rules, want, worth, best, choice)
            elif pattern == 0:
                best = try_sakuya(table, seat, rules, want, worth, best, choice)
            else:
                best = try_kokonoe(table, seat, rules, want, worth, best, choice)
    worth.few = few
    return best
