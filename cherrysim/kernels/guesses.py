"""The draws of `learned:fast` that are guessed: the first one, and the next from one or two flowers.

A draw's score is a sum of features times numbers that were fitted to the exact turn values of `learned`, so that
the draw with the best score loses least.
"""

import numpy as np

from cherrysim.kernels.display import total
from cherrysim.kernels.fastshow import card_gain
from cherrysim.kernels.layout import BAG, BLACK, COLOURS, HAND, PINK, TWO_PAIRS
from cherrysim.kernels.once import kernel

FIRST_FEATURES, NEXT_FEATURES = 10, 30
MOST_DRAW = 4
FIRST = np.array([[[-6.6067, 0.2293, 5.3107, 2.2855, 3.6841, 9.7606, 18.3856, 2.2681, -11.1591, 0.3302], [-4.9806, 0.6415, 35.5978, 3.084, 3.6123, 7.2836, 23.3915, 1.1916, 2.9995, 0.4928], [7.6621, -11.4634, -20.0588, 1.119, 4.0195, 14.6968, 2.7825, -11.4505, 101.1471, 1.7551], [-2.009, -0.0732, 0.738, 0.1008, 0.8479, 4.5618, 9.5991, 0.7239, -5.6368, 0.0595], [5.9343, 10.6658, -21.5877, -6.5893, -12.1638, -36.3028, -54.1587, 7.2669, -87.3506, -2.6375]], [[-4.1464, -0.1115, 0.372, 0.2411, 1.296, 0.5645, 0.6752, -0.6573, 3.7637, -0.4605], [-3.2075, 0.9084, 25.4502, 3.283, 2.1047, -1.7711, 12.8487, 0.9793, -5.7286, 0.7331], [9.0085, -1.498, -19.0332, -1.5573, -2.97, 5.397, -7.2405, -0.0498, -11.6954, 1.3299], [-0.7101, 0.2294, -2.6319, -0.5141, 0.0105, -1.8939, -2.4645, -0.1908, -2.1345, -0.5181], [-0.9445, 0.4716, -4.1572, -1.4526, -0.4411, -2.2964, -3.8188, -0.0814, 15.7949, -1.0844]]])
NEXT = np.array([[[-0.3395, 0.8937, 8.6474, 7.5143, 2.6001, 12.5295, 2.2025, 2.2181, -10.5032, 3.8325, 0.0, -0.8228, -2.4155, 0.8163, 0.6764, -0.5476, -3.0022, 5.7777, 1.9122, 2.1329, 0.0, 2.6722, 12.3594, 0.4137, -1.6518, -101.65, -89.2405, -18.1725, 0.0, 0.9052], [-8.7246, -3.0799, -31.4795, 20.0752, 18.1245, -3.6625, -4.3656, 1.1048, -10.4134, -2.8073, 0.0, 3.6092, 0.1799, 2.8422, 6.0245, 2.7796, 4.0266, 3.3064, 10.7461, 6.0843, 0.0, 0.5296, -4.2487, 0.8464, 19.8677, 190.382, -64.4205, -6.0663, 0.0, 5.7258], [11.1829, 0.3827, 6.7055, -36.09, -11.724, -5.9115, 12.4267, -2.9362, 11.5779, 1.8794, 0.0, -0.7435, 1.8608, -4.425, 4.9355, -7.0592, 2.2572, 7.8907, -51.564, -17.5398, 0.0, -7.846, -8.526, -0.7443, -19.7751, -65.5925, 108.682, 8.7966, 0.0, 3.1386], [-1.2676, 1.4474, 18.6527, 15.0504, -8.9373, -2.5457, -9.8126, -0.3942, 9.3747, -3.9779, 0.0, -2.3397, 0.1098, 0.9344, -10.0166, 4.865, -3.293, -16.4439, 39.947, 8.8478, 0.0, 4.3317, 3.6158, -0.3648, 3.9009, -29.7324, 38.0949, 14.462, 0.0, -9.7083], [-0.8512, 0.3561, -2.526, -6.5499, -0.0633, -0.4097, -0.451, 0.0074, -0.036, 1.0733, 0.0, 0.2968, 0.265, -0.1679, -1.6198, -0.0379, 0.0115, -0.5309, -1.0413, 0.4749, 0.0, 0.3125, -3.2004, -0.151, -2.3418, 6.5928, 6.884, 0.9802, 0.0, -0.0614]], [[4.0078, 2.0168, -3.6702, 2.4161, -10.6449, -2.8861, 6.4839, 3.6102, -12.5555, 1.8168, 0.2631, 0.2178, -2.355, -1.4572, -0.3919, -3.5735, -4.9277, 8.8298, 16.9797, 2.2081, 11.5115, -0.0112, 9.1373, 0.0854, -16.5565, -127.6996, -119.6594, -14.2445, 19.0322, 6.5956], [-13.3895, -1.3138, 11.6371, 42.5682, 12.9586, -8.7142, 2.7025, 2.1027, -17.3112, 0.547, 3.967, -2.0279, -0.2446, -1.2817, 5.5617, 5.4872, 6.9748, 4.6235, 14.7856, 3.3449, -3.3314, 1.731, -0.5096, 0.7944, 38.424, 222.7569, -63.7065, -5.5852, 27.1176, 5.197], [5.3125, -1.3458, -0.4464, -6.9796, -2.7784, 15.5176, -6.9656, -5.1642, 15.8432, -1.3257, -2.7504, 1.5428, 3.573, 1.9358, 5.3901, -6.5682, 1.4609, -7.725, -42.3791, -8.8963, -19.5586, -5.188, -6.6463, -0.3853, -1.6552, -77.6366, 124.4768, 18.1428, -26.0099, -8.7103], [6.3437, 0.5105, -6.2945, -37.6736, 1.2242, -2.5419, -1.4584, -0.2741, 12.8571, -1.4616, -2.5599, -0.0599, -1.4647, 0.4846, -9.7212, 4.729, -3.1927, -5.1899, 11.5087, 2.7504, 10.6232, 3.2208, -0.4451, -0.4138, -11.158, -28.6117, 48.5947, 1.6637, -19.0673, -2.944], [-2.2745, 0.1323, -1.226, -0.3311, -0.7595, -1.3753, -0.7624, -0.2747, 1.1664, 0.4235, 1.0802, 0.3271, 0.4913, 0.3185, -0.8387, -0.0745, -0.3152, -0.5385, -0.8949, 0.5929, 0.7554, 0.2474, -1.5362, -0.0807, -9.0543, 11.1909, 10.2944, 0.0232, -1.0726, -0.1384]]])


@kernel
def see_first(rules, room):
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
def best_score(numbers, side, begin, most, room):
    """The draw from `begin` to `most` with the best score for the features seen."""
    best, draw = -np.inf, begin
    for k in range(begin, most + 1):
        score = 0.0
        for i in range(numbers.shape[2]):
            score += numbers[side, k, i] * room.seen[i]
        if score > best:
            best, draw = score, k
    return draw


@kernel
def side_of(rules):
    """Whether most cards are pink."""
    cards, pink = 0, 0
    for pattern in range(3):
        cards += rules[TWO_PAIRS + pattern] > 0
        pink += rules[TWO_PAIRS + pattern] == PINK
    return 1 if 2 * pink > cards else 0


@kernel
def guess_first(rules, room):
    """How many to draw first."""
    see_first(rules, room)
    return best_score(FIRST, side_of(rules), 1, min(MOST_DRAW, room.bag), room)


@kernel
def guess_next(table, stop, failing, rules, room):
    """How many to draw next, 0 to stop."""
    see_next(table, stop, failing, rules, room)
    return best_score(NEXT, side_of(rules), 0, min(MOST_DRAW, total(table, BAG)), room)
