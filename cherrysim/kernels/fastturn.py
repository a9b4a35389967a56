"""How many flowers `learned:fast` draws, and what it keeps of a failure.

Rulebook: "Collect Flowers"; rulings R2 to R9, R12. The first draw, and the next one from one or two flowers,
are guessed (`guesses`); from more flowers the rest of the turn is solved over the larger collections, at most
`MORE` flowers a draw: with m the ways to draw a collection at the start of the turn, over all ways,

    value(h) m(h) = max(keep(h) m(h), max over k of lost(k) m(h) + sum over g of w(h, g) (value(g) - lost)
    m(g)),

g being the collections with k flowers more, w the weights of `turn`, lost(k) what a failure with k more
keeps."""

import numpy as np

from cherrysim.kernels.display import keep_two, pool_of, total
from cherrysim.kernels.fastshow import SPREAD, card_gain, lead_at_end, open_ends, refresh
from cherrysim.kernels.guesses import guess_first, guess_next
from cherrysim.kernels.layout import (
    ALIKE,
    BAG,
    BLACK,
    BLUE,
    CLEAR,
    COLOURS,
    DIFFERENT,
    DRAWS,
    FLOWERS,
    FRONT,
    HAND,
    TWO_PAIRS,
)
from cherrysim.kernels.margins import STALE, fill_flowers
from cherrysim.kernels.once import kernel
from cherrysim.kernels.reference import code_of_hand

GUESSED = 8
"""With so few flowers in the bag nothing but the first draw is guessed."""
MORE = 3
"""Most flowers of a later draw, but for the next one from one or two flowers: then one more."""
SHARES = 1.0 / (1.0 + np.exp(-np.arange(-128, 130) / 16.0))
"""The share by the log of its odds, from -8 to 8 in steps of 1/16."""


@kernel
def share_of(odds):
    """The share for the log of its odds, on straight lines between the table's entries."""
    place = min(max(16.0 * odds + 128.0, 0.0), 256.0)
    at = np.int64(place)
    return SHARES[at] + (place - at) * (SHARES[at + 1] - SHARES[at])


@kernel
def stopping(hand, rules, room):
    """What stopping with a collection adds to the log of the odds."""
    counts = hand.counts
    value, hide = 0.0, 0.0
    for c in range(COLOURS):
        n = counts[c]
        value += room.gain[c, n]
        hide = max(hide, room.hide[c, n])
    best = hide
    for pattern in range(3):
        if hand.cards >> pattern & 1 and rules[TWO_PAIRS + pattern]:
            if pattern == 1 and rules[TWO_PAIRS + 1] == BLUE:
                best = max(best, moving(counts, room))
            else:
                best = max(best, hide + card_gain(pattern, counts, rules, room))
    return value + best


@kernel
def moving(counts, room):
    """What Somei Yoshino adds, of the best flower in front and the best in hand, with the best hiding after
    it."""
    front, hidden = 0.0, 0.0
    source, colour = -np.inf, 0
    for c in range(COLOURS):
        n = counts[c]
        front = max(front, room.after[c, n])
        if room.source[c, n] > source:
            source, colour = room.source[c, n], c
    for c in range(COLOURS):
        n = counts[c] - (c == colour)
        hidden = max(hidden, room.again[c, n] if c // 2 == colour // 2 else room.hide[c, n])
    return max(room.card[1] + front, source + hidden)


@kernel
def failing(hand, room):
    """What the best two colours of a collection add, the best two of all, and how many colours it has."""
    first, second, one, two = 0.0, 0.0, -np.inf, -np.inf
    held = 0
    for c in range(BLACK):
        gain = room.gain[c, 1]
        if hand.counts[c]:
            if held == 0 or gain > first:
                second = first if held else 0.0
                first = gain
            elif held == 1 or gain > second:
                second = gain
            held += 1
        if gain > one:
            two = one
            one = gain
        elif gain > two:
            two = gain
    return first + second, one + two, held


@kernel
def new_colours(held, k):
    """How far failing with k more leads from the best two colours in hand towards the best two of all, on
    average over bags."""
    if k < 3:
        return (0.4 if held == BLACK - 1 else 0.0) if k == 1 else (0.43 if held == BLACK - 1 else 0.3)
    return min(0.5 + 0.12 * (k - 3), 0.8)


@kernel
def value_of(hand, rules, fast):
    """The share with which a turn ends that stops with a collection."""
    room = fast.rooms[0]
    gone = room.left - room.bag + hand.size
    odds = room.odds + room.drift * gone + stopping(hand, rules, room)
    if room.late:
        later = fast.rooms[1]
        then = later.odds + stopping(hand, rules, later)
        odds += (then - odds) * gone / (room.left - later.left)
    return share_of(odds)


@kernel
def open_ways(table, rules, room):
    """Write the ways to draw each number of a colour at the start of the turn, and one over all ways."""
    tokens = 0
    for c in range(COLOURS):
        n = room.tokens[c] + table[HAND, c]
        tokens += n
        ways = 1.0
        for k in range(rules[ALIKE]):
            room.ways[c, k] = ways
            ways = ways * max(n - k, 0) / (k + 1)
    room.per[0] = 1.0
    for k in range(rules[FLOWERS]):
        room.per[k + 1] = room.per[k] * (k + 1) / max(tokens - k, 1)


@kernel
def chance_of(hand, room):
    """The chance that the first flowers of the turn are this collection."""
    chance = room.per[hand.size]
    for c in range(COLOURS):
        chance *= room.ways[c, hand.counts[c]]
    return chance


@kernel
def open_failures(hand, last, room):
    """Write the share after a failure with so many flowers in hand."""
    own, full, held = failing(hand, room)
    size = hand.size
    base = room.odds + room.drift * (room.left - room.bag + 2)
    for k in range(1, last - size + 1):
        room.failed[size + k] = share_of(base + own + new_colours(held, k) * (full - own))
    room.failed[size] = 0.0


@kernel
def solve_from(table, seat, h, left, rules, fast, sizes):
    """The best draw from collection h, 0 to stop, with one or two draws left; with two it writes the draw
    from every larger collection, too."""
    hands, room = fast.hands, fast.rooms[0]
    start = hands[h]
    size = start.size
    widest = MORE + (left == 2 and size < 3)
    last = min(min(rules[FLOWERS], room.bag), size + MORE * left)
    if room.bag <= rules[FLOWERS]:
        open_ends(table, seat, rules, room)
    open_failures(start, last, room)
    begin = start.first[1]
    for p in range(start.first[last - size + 1] - 1, begin - 2, -1):
        g = np.int64(fast.larger[p]) if p >= begin else h
        hand = hands[g]
        chance = chance_of(hand, room)
        hand.excess[0] = 0.0
        hand.excess[1] = 0.0
        if chance > 0.0:
            lost = room.failed[hand.size] * chance
            if hand.size == room.bag:
                value = value_at_end(table, seat, hand, rules, room) * chance
            else:
                value = value_of(hand, rules, fast) * chance
            hand.excess[0] = value - lost
            if left == 2 and g != h:
                value, draw = best_draw(hand, chance, value, min(last - hand.size, MORE), 0, fast)
                hand.excess[1] = value - lost
                sizes[hand.code, 1] = draw
    chance = chance_of(start, room)
    return best_draw(start, chance, start.excess[0], min(last - size, widest), left - 1, fast)[1]


@kernel
def value_at_end(table, seat, hand, rules, room):
    """The share if the game ends with a collection."""
    for c in range(COLOURS):
        table[FRONT + seat, c] += hand.counts[c]
    lead = -np.inf
    for c in range(-1, COLOURS):
        n = np.int64(hand.counts[c]) if c >= 0 else 0
        if c < 0 or 0 < n < 3:
            lead = max(lead, lead_at_end(table, seat, c, n, rules, room))
    for c in range(COLOURS):
        table[FRONT + seat, c] -= hand.counts[c]
    return share_of(lead / SPREAD)


@kernel
def look_one_draw(table, h, rules, fast):
    """What drawing one, and two, and then stopping adds to the share, and what stopping has over failing."""
    hands, room = fast.hands, fast.rooms[0]
    start = hands[h]
    open_ways(table, rules, room)
    open_failures(start, start.size + 2, room)
    stop = value_of(start, rules, fast)
    per = 1.0 / chance_of(start, room)
    room.drawing[0] = stop - room.failed[start.size + 2]
    for k in range(1, 3):
        failed = room.failed[start.size + k]
        value = 0.0
        for p in range(start.first[k], start.first[k + 1]):
            hand = hands[fast.larger[p]]
            chance = chance_of(hand, room)
            if chance > 0.0:
                value += chance * fast.weight[p] * (value_of(hand, rules, fast) - failed)
        room.drawing[k] = failed - stop + value * per


@kernel
def best_draw(hand, chance, stop, most, lane, fast):
    """The best of stopping and of drawing up to `most`, times the collection's chance, and the draw."""
    failed = fast.rooms[0].failed
    best, draw = stop, 0
    for k in range(1, most + 1):
        value = failed[hand.size + k] * chance
        for p in range(hand.first[k], hand.first[k + 1]):
            value += fast.hands[fast.larger[p]].excess[lane] * fast.weight[p]
        if value > best + CLEAR * chance:
            best, draw = value, k
    return best, draw


@kernel
def official(rules):
    """Whether the limits are those that guesses are made for."""
    return rules[ALIKE] == 3 and rules[DIFFERENT] == 5 and rules[FLOWERS] == 8 and rules[DRAWS] == 3


@kernel
def open_fast(table, seat, rules, fast, sizes):
    """Write the first draw of a turn."""
    room = fast.rooms[0]
    room.left = STALE
    room.solved = 0
    room.bag = total(table, BAG)
    if official(rules):
        for c in range(COLOURS):
            room.tokens[c] = pool_of(table, seat, c, rules)
        sizes[0, rules[DRAWS]] = guess_first(fast)
    else:
        next_draw(table, seat, 0, rules, fast, sizes)


@kernel
def next_draw(table, seat, draws, rules, fast, sizes):
    """Write how many to draw of the collection in hand after so many draws."""
    room = fast.rooms[0]
    left = min(rules[DRAWS] - draws, 2)
    if room.solved and left == 1:
        return
    refresh(table, seat, rules, fast)
    code = code_of_hand(table, rules)
    h = room.index[code]
    hand = fast.hands[h]
    room.solved = 0
    if left == 2 and official(rules) and hand.size < 3 and room.bag > GUESSED:
        look_one_draw(table, h, rules, fast)
        draw = guess_next(table, stopping(hand, rules, room), failing(hand, room), rules, fast)
    else:
        open_ways(table, rules, room)
        draw = solve_from(table, seat, h, left, rules, fast, sizes)
        room.solved = left == 2
    sizes[code, rules[DRAWS] - draws] = max(draw, 1) if draws == 0 else draw


@kernel
def keep_fast(table, seat, rules, fast, log):
    """End a failed turn with the two flowers that add most in front."""
    room = fast.rooms[0]
    if room.left == STALE:
        for c in range(COLOURS):
            room.tokens[c] = pool_of(table, seat, c, rules)
        left = total(table, BAG)
        fill_flowers(table, seat, left, fast.weights, room)
    first, second = -1, -1
    for c in range(BLACK):
        if table[HAND, c]:
            if first < 0 or room.gain[c, 1] > room.gain[first, 1] + CLEAR:
                first, second = c, first
            elif second < 0 or room.gain[c, 1] > room.gain[second, 1] + CLEAR:
                second = c
    if second >= 0:
        first, second = min(first, second), max(first, second)
    keep_two(table, seat, first, second, log)
    room.left = STALE
