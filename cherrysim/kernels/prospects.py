"""What every safe collection and every failure of the coming turn is worth: `keep` and `bust` for the turn
solver.

Rulebook: "Display Flowers"; rulings R10 to R20. Stopping with a collection is worth its best display. Cards
count by the way that is best on its own, whatever the collection: of Sakuya Hime the flower taken, of
Kokonoe the pair, of Kenrokuen Kumagai the place of either flower, of Komatsu Otome the flower kept; rivals'
losses count by `regard`. Collections that empty the bag, or for a share nearly, are valued display by
display; those after which a card may empty it count by the model.
"""

import numpy as np

from cherrysim.kernels.failing import value_failures
from cherrysim.kernels.layout import (
    BLACK,
    BLUE,
    CLEAR,
    COLOURS,
    FLOWERS,
    FRONT,
    HAND,
    PINK,
    TWO_PAIRS,
)
from cherrysim.kernels.once import kernel
from cherrysim.kernels.rivals import in_front, least_against, least_odds
from cherrysim.kernels.showing import best_display, best_of_drawn, fill_for_display
from cherrysim.kernels.worth import (
    CHOICE,
    FEW,
    GIFTS,
    PAIR,
    SHARE,
    TAKE,
    best_hide,
    fill_worth,
    look,
)

NONE = (0, 0, 0)
"""Nothing behind."""
LATE = 5
"""With so few flowers left a player for the victory values every display of every collection."""


@kernel
def value_turn(table, seat, rules, policies, weights, want, worth, ends):
    """Fill the tables for the coming turn and write `keep` and `bust`."""
    look(table, seat, rules, worth)
    worth.thorough = 0
    sizes = min(rules[FLOWERS], worth.bag) + 3
    late = want[0] == SHARE and worth.bag <= LATE
    few = FEW if late else 0
    fill_worth(table, seat, sizes, False, rules, policies, weights, worth)
    value_cards(table, seat, sizes, rules, want, worth)
    value_failures(table, seat, rules, want, worth, ends.bust)
    for c in range(COLOURS):
        worth.offset[c] = 0
    for i in range(len(ends.keep)):
        ends.keep[i] = 0.0
        if possible(i, worth, ends) and ends.sizes[i] < worth.bag - few and not late:
            ends.keep[i] = hand_value(table, i, seat, rules, want, worth, ends)
    if worth.bag <= rules[FLOWERS] + few:
        for i in range(len(ends.keep)):
            if possible(i, worth, ends) and (late or ends.sizes[i] >= worth.bag - few):
                ends.keep[i] = exact_value(table, i, seat, rules, policies, weights, want, worth, ends)
    if few and worth.bag <= rules[FLOWERS] + few:
        fill_worth(table, seat, sizes, False, rules, policies, weights, worth)


@kernel
def possible(i, worth, ends):
    """Whether the bag may give this collection as far as the seat can see."""
    if ends.sizes[i] > worth.bag or ends.sizes[i] == 0:
        return False
    for c in range(COLOURS):
        if ends.counts[i, c] > worth.pool[c]:
            return False
    return True


@kernel
def exact_value(table, i, seat, rules, policies, weights, want, worth, ends):
    """What stopping with a collection is worth, every display valued with what is then in the bag."""
    for c in range(COLOURS):
        table[HAND, c] = ends.counts[i, c]
        worth.pool[c] -= table[HAND, c]
    worth.bag -= ends.sizes[i]
    fill_for_display(table, seat, rules, policies, weights, worth)
    value = best_display(table, seat, rules, want, worth, worth.choice)
    worth.bag += ends.sizes[i]
    for c in range(COLOURS):
        worth.pool[c] += table[HAND, c]
        table[HAND, c] = 0
    return value


@kernel
def lay(i, seat, size, worth, ends):
    """Set `worth.z` to all seats' z with collection i in front and `size` flowers gone."""
    for s in range(worth.players):
        worth.z[s] = worth.base[s, size]
    for c in range(COLOURS):
        if ends.counts[i, c]:
            worth.z[seat] += worth.front[seat, c, 1 + ends.counts[i, c], size]


@kernel
def hand_value(table, i, seat, rules, want, worth, ends):
    """What stopping with a collection is worth: the best over no card and every card it matches."""
    size = ends.sizes[i]
    counts = ends.counts[i]
    shares = want[0] == SHARE
    if shares:
        factor = in_front(counts, size, worth)
        odds = least_against(counts, size, NONE, worth) / factor
        best = 1.0 / (1.0 + odds)
    else:
        lay(i, seat, size, worth, ends)
        best = best_hide(counts, seat, size, NONE, want, worth)[0]
    for pattern in range(3):
        side = rules[TWO_PAIRS + pattern]
        if side and ends.matching[i, pattern]:
            if pattern == 1 and side == BLUE:
                value = (
                    somei_share(table, i, seat, worth, ends)
                    if shares
                    else somei_value(table, i, seat, want, worth, ends)
                )
            elif pattern == 0 and side == BLUE:
                value = shin_value(i, seat, want, worth, ends)
            elif pattern == 0:
                value = sakuya_value(table, i, seat, want, worth, ends)
            else:
                value = changed_value(i, seat, pattern, side, want, worth, ends)
            best = max(best, value)
    return best


@kernel
def shin_value(i, seat, want, worth, ends):
    """Shin Sumizome: a warm, cool or wild flower more behind the screen."""
    size = ends.sizes[i] + 1
    lay(i, seat, size, worth, ends)
    value = 0.0
    pool, counts = worth.pool, ends.counts[i]
    tokens = 0
    for c in range(COLOURS):
        tokens += pool[c]
    factor = in_front(counts, size, worth) if want[0] == SHARE else 0.0
    for kind in range(3):
        first = 2 * kind
        left = pool[first] + pool[first + 1] - counts[first] - counts[first + 1]
        if left > 0:
            if want[0] == SHARE:
                hidden = factor / (factor + least_against(counts, size, alone(kind), worth))
            else:
                hidden = best_hide(counts, seat, size, alone(kind), want, worth)[0]
            value += left / (tokens - ends.sizes[i]) * hidden
    return value


@kernel
def alone(kind):
    """One warm, cool or wild flower."""
    return (kind == 0) * 1, (kind == 1) * 1, (kind == 2) * 1


@kernel
def somei_value(table, i, seat, want, worth, ends):
    """Somei Yoshino: a flower of the collection or of the own front behind the screen."""
    size = ends.sizes[i]
    best = -np.inf
    counts, front = ends.counts[i], worth.front
    lay(i, seat, size, worth, ends)
    own = worth.z[seat]
    for kind in range(3):
        source, gain = -1, 0.0
        for c in range(2 * kind, 2 * kind + 2):
            if table[FRONT + seat, c] and (source < 0 or front[seat, c, 0, size] > gain):
                source, gain = c, front[seat, c, 0, size]
            n = counts[c]
            if n:
                counts[c] = n - 1
                worth.z[seat] = own + (front[seat, c, n, size] - front[seat, c, 1 + n, size])
                best = max(best, best_hide(counts, seat, size, alone(kind), want, worth)[0])
                counts[c] = n
        if source >= 0:
            worth.z[seat] = own + gain
            best = max(best, best_hide(counts, seat, size, alone(kind), want, worth)[0])
    return best


@kernel
def somei_share(table, i, seat, worth, ends):
    """The same for a share, by odds against."""
    size = ends.sizes[i]
    counts, gain = ends.counts[i], worth.gain
    factor = in_front(counts, size, worth)
    least = np.inf
    for kind in range(3):
        kept = 0.0
        for c in range(2 * kind, 2 * kind + 2):
            if table[FRONT + seat, c]:
                kept = max(kept, gain[c, 0, size])
            n = counts[c]
            if n:
                counts[c] = n - 1
                step = gain[c, 1 + n, size] / gain[c, n, size]
                least = min(least, step * least_against(counts, size, alone(kind), worth))
                counts[c] = n
        if kept > 0.0:
            least = min(least, least_against(counts, size, alone(kind), worth) / kept)
    return factor / (factor + least)


@kernel
def add_change(kind, size, worth):
    """Add to `worth.z` what a card changes whatever the collection."""
    for s in range(worth.players):
        worth.z[s] += worth.change[kind, size, s]


@kernel
def sakuya_value(table, i, seat, want, worth, ends):
    """Sakuya Hime: the best flower taken, against the own flower whose loss, and gift, hurts least."""
    size = ends.sizes[i]
    rival = worth.rival[size]
    if rival < 0:
        return -np.inf
    counts, front = ends.counts[i], worth.front
    best, given, lost = -np.inf, -1, 0.0
    for c in range(COLOURS):
        gift = worth.regard[rival] * front[rival, c, 2, size]
        if counts[c]:
            loss = front[seat, c, counts[c], size] - front[seat, c, 1 + counts[c], size]
            if loss - gift > best + CLEAR:
                best, given, lost = loss - gift, c, loss
        if table[FRONT + seat, c]:
            loss = front[seat, c, 0, size]
            if loss - gift > best + CLEAR:
                best, given, lost = loss - gift, COLOURS + c, loss
    lay(i, seat, size, worth, ends)
    add_change(TAKE, size, worth)
    worth.z[seat] += lost
    if want[0] == SHARE:
        worth.z[seat] += np.log(beside_hand(counts, worth.taken[size, 0], size, worth))
    worth.z[rival] += front[rival, given % COLOURS, 2, size]
    if given < COLOURS:
        counts[given] -= 1
    value = best_hide(counts, seat, size, NONE, want, worth)[0]
    if given < COLOURS:
        counts[given] += 1
    return value


@kernel
def changed_value(i, seat, pattern, side, want, worth, ends):
    """Komatsu Otome, Kenrokuen Kumagai or Kokonoe: the change that does not look at the collection."""
    size = ends.sizes[i]
    kind = PAIR
    if pattern == 1:
        kind = CHOICE
        size += 1
    elif side == BLUE:
        kind = GIFTS
        size += 2
    if worth.change[kind, size, seat] == -np.inf:
        return -np.inf
    if want[0] == SHARE:
        counts = ends.counts[i]
        factor = in_front(counts, size, worth)
        if kind == PAIR:
            factor *= beside_hand(counts, worth.taken[size, 1], size, worth)
            factor *= beside_hand(counts, worth.taken[size, 2], size, worth)
        return 1.0 / (1.0 + least_odds(counts, size, worth.changed[kind, size], worth) / factor)
    lay(i, seat, size, worth, ends)
    add_change(kind, size, worth)
    return best_hide(ends.counts[i], seat, size, NONE, want, worth)[0]


@kernel
def beside_hand(counts, colour, size, worth):
    """By how much more, as a factor, a flower taken counts where the hand brings others of its colour."""
    gain, n = worth.gain, counts[colour]
    return gain[colour, 2 + n, size] / (gain[colour, 1 + n, size] * gain[colour, 2, size])


@kernel
def value_cards(table, seat, sizes, rules, want, worth):
    """Write `worth.change` and `worth.rival` for the cards of the game."""
    set_regard(seat, want, worth)
    for size in range(sizes):
        for kind in range(4):
            for s in range(worth.players):
                worth.change[kind, size, s] = 0.0
        if rules[TWO_PAIRS] == PINK:
            change_by_taking(table, seat, size, worth)
        if rules[TWO_PAIRS + 1] == PINK:
            for c in range(BLACK):
                worth.gains[c] = worth.front[seat, c, 2, size]
            drawn = min(3, max(worth.bag - size + 1, 1))
            worth.change[CHOICE, size, seat] = best_of_drawn(drawn, worth.pool, worth.gains, 0.0)
        if rules[TWO_PAIRS + 2] == PINK:
            change_by_pair(table, seat, size, worth)
        elif rules[TWO_PAIRS + 2] == BLUE:
            change_by_gifts(seat, size, worth)
        if want[0] == SHARE:
            for kind in (CHOICE, GIFTS, PAIR):
                change_odds(kind, seat, size, worth)


@kernel
def change_odds(kind, seat, size, worth):
    """Write the rivals' odds against the seat after a change."""
    change = worth.change[kind, size]
    for s in range(worth.players if change[seat] > -np.inf else 0):
        worth.changed[kind, size, s] = worth.rivals[s, size] * np.exp(change[s] - change[seat])


@kernel
def set_regard(seat, want, worth):
    """How much a small gain of another seat lowers the own share, as a part of what the same own gain
    adds."""
    others = 0.0
    for s in range(worth.players):
        worth.regard[s] = 0.0
        if want[0] == SHARE and s != seat:
            worth.regard[s] = np.exp(worth.base[s, 0] - worth.base[seat, 0])
            others += worth.regard[s]
    if others > 0.0:
        for s in range(worth.players):
            worth.regard[s] /= others


@kernel
def taking(seat, rival, colour, size, worth):
    """The own gain, less the rival's by regard, of a flower taken from in front of a rival."""
    return worth.front[seat, colour, 2, size] - worth.regard[rival] * worth.front[rival, colour, 0, size]


@kernel
def take(seat, rival, colour, kind, size, worth):
    """Count a flower taken from in front of a rival in a change."""
    worth.change[kind, size, seat] += worth.front[seat, colour, 2, size]
    worth.change[kind, size, rival] += worth.front[rival, colour, 0, size]


@kernel
def change_by_taking(table, seat, size, worth):
    """The best flower for Sakuya Hime to take, and whose."""
    best = -np.inf
    worth.rival[size] = -1
    colour = -1
    for rival in range(worth.players):
        for c in range(BLACK):
            if rival != seat and table[FRONT + rival, c]:
                gain = taking(seat, rival, c, size, worth)
                if gain > best + CLEAR:
                    best, colour = gain, c
                    worth.rival[size] = rival
    if colour >= 0:
        take(seat, worth.rival[size], colour, TAKE, size, worth)
        worth.taken[size, 0] = colour


@kernel
def change_by_pair(table, seat, size, worth):
    """The best pair for Kokonoe to take: of two rivals, or two flowers of the only one."""
    players = worth.players
    best = -np.inf
    pair = (0, 0, 0, 0)
    for first in range(players):
        for a in range(BLACK):
            if first == seat or table[FRONT + first, a] == 0:
                continue
            gain = taking(seat, first, a, size, worth)
            for second in range(first, players):
                if second == seat or (first == second) != (players == 2):
                    continue
                for b in range(BLACK):
                    if a != b and table[FRONT + second, b]:
                        both = gain + taking(seat, second, b, size, worth)
                        if both > best + CLEAR:
                            best, pair = both, (first, a, second, b)
    if best == -np.inf:
        worth.change[PAIR, size, seat] = -np.inf
        return
    take(seat, pair[0], pair[1], PAIR, size, worth)
    take(seat, pair[2], pair[3], PAIR, size, worth)
    worth.taken[size, 1], worth.taken[size, 2] = pair[1], pair[3]


@kernel
def change_by_gifts(seat, size, worth):
    """Kenrokuen Kumagai's flowers, each where it is best on its own: own front, behind, or a rival's
    front."""
    tokens = 0
    for c in range(COLOURS):
        tokens += worth.pool[c]
    drawn = min(2, max(worth.bag - size + 2, 0))
    for c in range(COLOURS):
        if worth.pool[c] == 0:
            continue
        to = alone(c // 2)
        behind = worth.behind[to[0], to[1], to[2]]
        best, place = worth.front[seat, c, 2, size], seat
        gain = behind[seat, size]
        for s in range(worth.players):
            if s != seat:
                gain -= worth.regard[s] * behind[s, size]
        if gain > best + CLEAR:
            best, place = gain, -1
        for s in range(worth.players):
            if s != seat:
                gain = -worth.regard[s] * worth.front[s, c, 2, size]
                if gain > best + CLEAR:
                    best, place = gain, s
        rate = drawn * worth.pool[c] / tokens
        if place < 0:
            for s in range(worth.players):
                worth.change[GIFTS, size, s] += rate * behind[s, size]
        else:
            worth.change[GIFTS, size, place] += rate * worth.front[place, c, 2, size]
