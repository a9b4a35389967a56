"""The same work many times over inside compiled code, to measure its cost there; and a rival to the draws.

The loops change their input from one time to the next and hand back a sum, so that no compiler can leave the
work out.
"""

import numpy as np

from cherrysim.kernels.cache import kernel
from cherrysim.kernels.keyed import derive
from cherrysim.kernels.lanes import bits, low_bytes, ones, shorts
from cherrysim.kernels.odds import failure_chances
from cherrysim.kernels.random import STREAMS, open_streams, step
from cherrysim.kernels.turn import outcomes, solve, tables

BLACK = 5


@kernel
def odds_of_all(pool, hands, limits, rows, out, times):
    """The odds of every hand (rows of `hands`), `times` times over."""
    total = 0.0
    for _ in range(times):
        for h in range(len(hands)):
            failure_chances(pool, hands[h], limits, rows, out)
            total += out[1]
    return total


@kernel
def turns(hands, bags, weights, space, worth, plan, start, times):
    """Turns from hand start[0] with start[1] draws left, tables included, `times` times from each of `bags`
    (bags x 1 x 6); `worth` is (keep, bust), `plan` (value, choice)."""
    total = 0.0
    for _ in range(times):
        for bag in range(len(bags)):
            tables(hands, bags[bag], weights, 0, space)
            solve(hands, space, worth[0], worth[1], start[0], start[1], plan[0], plan[1])
            total += plan[0][start[0], start[1]]
    return total


@kernel
def all_outcomes(hands, space, choice, left, most, stops, failures):
    """Where the plan ends after a first draw of 1, 2, ..., `most` flowers from the empty hand."""
    total = 0.0
    for draw in range(1, most + 1):
        outcomes(hands, space, choice, 0, left, draw, stops, failures)
        total += stops[1]
    return total


@kernel
def random_words(seed, steps):
    """`steps` times the 64 random numbers of 16 bits that a flower of 64 plans takes."""
    a, b, c, counter = open_streams(seed, np.uint64(0))
    a, b, c, counter, seen = step(a, b, c, counter)
    for _ in range(steps):
        a, b, c, counter, word = step(a, b, c, counter)
        seen = seen ^ word
    return ones(bits(low_bytes(shorts(seen)) != 0))


@kernel
def random_keys(key, count):
    """`count` keyed random numbers, one for every flower of a whole game."""
    seen = np.uint64(STREAMS)
    for i in range(count):
        seen ^= derive(key, i)
    return seen


@kernel
def shuffled_failures(bag, drawn, limits, count):
    """How many of `count` collections of `drawn` flowers fail, drawn as anybody would write it with numba.

    The tokens lie in an array, a partial Fisher-Yates shuffle with numba's own random numbers draws from it.
    """
    tokens = np.empty(bag.sum(), np.int64)
    n = 0
    for colour in range(BLACK + 1):
        for _ in range(bag[colour]):
            tokens[n] = colour
            n += 1
    collected = np.empty(BLACK + 1, np.int64)
    failed = 0
    for _ in range(count):
        collected[:] = 0
        for i in range(drawn):
            j = np.random.randint(i, n)
            tokens[i], tokens[j] = tokens[j], tokens[i]
            collected[tokens[i]] += 1
        commonest, colours = 0, 0
        for colour in range(BLACK):
            commonest = max(commonest, collected[colour])
            colours += collected[colour] > 0
        black = collected[BLACK]
        failed += commonest + black >= limits[0] or min(colours + black, BLACK) >= limits[1]
    return failed
