"""The draws of `learned:fast` that are guessed: the first one, and the next from one or two flowers.

A draw's score is a sum of features times numbers (`weights.guesses`) that were fitted to the exact turn
values of `learned`, so that the draw with the best score loses least.
"""

import numpy as np

from cherrysim.kernels.display import total
from cherrysim.kernels.fastshow import card_gain
from cherrysim.kernels.layout import BAG, BLACK, CLEAR, COLOURS, HAND, TWO_PAIRS
from cherrysim.kernels.once import kernel

FIRST_FEATURES, NEXT_FEATURES = 10, 30
MOST_DRAW = 4


@kernel
def see_first(room):
    """Write the features of a first draw."""
    seen = room.seen
    tokens, twos, threes = 0, 0.0, 0.0
    for c in range(COLOURS):
        tokens += room.tokens[c]
    per = 1.0 / max(tokens, 1)
    for c in range(BLACK):
        part = room.tokens[c] * per
        twos += part * part
        threes += part * part * part
    black = room.tokens[BLACK] * per
    seen[0] = 1.0
    seen[1] = room.bag / 96.0
    seen[2] = 1.0 / (1.0 + room.bag)
    seen[3] = twos
    seen[4] = threes
    seen[5] = black
    seen[6] = black * black
    seen[7] = seen[1] * seen[1]
    seen[8] = seen[1] * black
    seen[9] = room.bag < 8


@kernel
def see_next(table, stop, failing, rules, room):
    """Write the features of a next draw, once `fastturn.look_one_draw` has looked."""
    seen = room.seen
    one, colours, twos = 0.0, 0, 0.0
    for c in range(COLOURS):
        one += room.pool[c] * room.gain[c, 1]
        colours += table[HAND, c] > 0
        twos += room.pool[c] * room.pool[c]
    left = total(table, BAG)
    black = room.pool[BLACK]
    seen[0] = 1.0
    seen[1] = left / 96.0
    seen[2] = 1.0 / (1.0 + left)
    seen[3] = twos
    seen[4] = black
    seen[5] = black * stop
    seen[6] = twos * stop
    seen[7] = stop
    seen[8] = one
    for pattern in range(3):
        gain = card_gain(pattern, table[HAND], rules, room) if rules[TWO_PAIRS + pattern] else 0.0
        seen[9 + pattern] = max(gain, 0.0)
    seen[12] = failing[0]
    seen[13] = failing[1]
    seen[14] = table[HAND, BLACK] > 0
    seen[15] = colours == 1
    seen[16] = failing[2] == 2
    seen[17] = black * failing[1]
    seen[18] = black * one
    for pattern in range(3):
        seen[19 + pattern] = seen[9 + pattern] * seen[15]
    seen[22] = room.drift
    seen[23] = room.odds
    for k in range(3):
        seen[24 + k] = room.drawing[k]
    for pattern in range(3):
        seen[27 + pattern] = seen[9 + pattern] * black


@kernel
def best_score(numbers, begin, most, room):
    """The draw from `begin` to `most` with the best score for the features seen."""
    best, draw = -np.inf, begin
    for k in range(begin, most + 1):
        score = 0.0
        for i in range(numbers.shape[1]):
            score += numbers[k, i] * room.seen[i]
        if score > best + CLEAR:
            best, draw = score, k
    return draw


@kernel
def guess_first(fast):
    """How many to draw first."""
    room = fast.rooms[0]
    see_first(room)
    return best_score(fast.first, 1, min(MOST_DRAW, room.bag), room)


@kernel
def guess_next(table, stop, failing, rules, fast):
    """How many to draw next, 0 to stop."""
    room = fast.rooms[0]
    see_next(table, stop, failing, rules, room)
    return best_score(fast.then, 0, min(MOST_DRAW, total(table, BAG)), room)
