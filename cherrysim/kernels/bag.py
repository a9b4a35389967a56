"""Monte Carlo: flowers drawn from a bag without replacement, and how often a plan fails at each of its draws.

Rulebook: collecting flowers; rulings R1 (when a collection has failed), R3 and R6. A flower drawn from a bag
with n left is a random number below n, compared with how many of them are pink, pink or yellow, and so on.

`failures` is the one entry. Up to 255 flowers, 64 plans run side by side, one a byte: the bag of a plan is
five bytes (flowers left up to and with each colour; black is the rest), a flower 16 random bits, of which the
upper byte of bits x n is the number below n. When the lower one says that these bits would favour some
flowers (less than 65536 mod n: one plan in 250 with five draws from the full bag) the plan is void and the
next one takes its place, so that every plan counted is drawn exactly and exactly `count` are. Larger bags go
one plan at a time, with 64 bits a flower.

To drive it, cut the samples wherever you like and add up; multiples of GROUP cost nothing extra:

    failed = np.zeros(len(plan), np.int64)
    for first in range(0, samples, 64 * GROUP):
        failures(bag, hand, plan, limits, np.uint64(seed), first, min(64 * GROUP, samples - first), failed)

Threads take one block and one `failed` each. Such a block of 262,144 samples takes well under a millisecond,
or 0.03 s and more where the bag holds over 255 flowers.
"""

import numpy as np

from cherrysim.kernels.cache import kernel
from cherrysim.kernels.lanes import bits, bytes_of, larger, low_bytes, multiply_high, ones, shorts
from cherrysim.kernels.random import STREAMS, below, open_stream, open_streams, step

GROUP = 4096  # consecutive samples that share 16 random streams
_BLACK = 5
_LARGEST_BYTE = 255
_ALL = np.uint64(2**64 - 1)
_ONE = np.uint64(1)


@kernel
def failures(bag, hand, plan, limits, seed, first, count, out):
    """Add to out[k] how many of samples first .. first + count - 1 fail at draw k of the plan.

    bag, hand: int64[6]; plan: int64[draws], flowers drawn at each, as many as there are where the bag is
    short; limits: int64[2], alike and different (6: never); seed: uint64; out: int64[draws]. Sample i depends
    on everything else and i only. A collection fails iff its commonest colour and its blacks reach alike or
    its colours and its blacks reach different, judged after each whole draw; a sample that has failed draws
    no more.
    """
    if bag.sum() > _LARGEST_BYTE:
        _failures_one_by_one(bag, hand, plan, limits, seed, first, count, out)
    else:
        for group in range(first // GROUP, (first + count + GROUP - 1) // GROUP):
            skipped = max(first - group * GROUP, 0)
            end = min(first + count - group * GROUP, GROUP)
            _failures_of_group(bag, hand, plan, limits, seed, group, (skipped, end), out)


@kernel
def _failures_of_group(bag, hand, plan, limits, seed, group, samples, out):
    """`failures` of the samples from samples[0] up to samples[1] of one group."""
    a, b, c, counter = open_streams(seed, np.uint64(group * STREAMS))
    drawable = np.cumsum(bag[:_BLACK])
    known = drawable + np.cumsum(hand[:_BLACK])
    flowers, held = bag.sum(), hand.sum()
    alike, different = limits
    if different > _BLACK:
        different = _LARGEST_BYTE  # no collection has so many
    failed = np.zeros(len(plan), np.uint64)
    done = 0
    while done < samples[1]:
        pink, yellow = bytes_of(drawable[0]), bytes_of(drawable[1])
        light, dark, white = bytes_of(drawable[2]), bytes_of(drawable[3]), bytes_of(drawable[4])
        void = bytes_of(0)  # as bytes: a mask carried from draw to draw costs threefold without AVX-512
        left = flowers
        drawing = _ALL
        for draw in range(len(plan)):
            for _ in range(min(plan[draw], left)):
                a, b, c, counter, word = step(a, b, c, counter)
                random, n = shorts(word), np.uint16(left)
                void = void | (random * n < 65536 % left)
                flower = low_bytes(multiply_high(random, n))
                pink = pink - (flower < pink)
                yellow = yellow - (flower < yellow)
                light = light - (flower < light)
                dark = dark - (flower < dark)
                white = white - (flower < white)
                left -= 1
            collected = held + flowers - left
            if collected >= alike or collected >= different:
                over = _reaches(known, (pink, yellow, light, dark, white), collected, alike, different)
                failed[draw] = bits(over) & drawing
                drawing &= ~failed[draw]
        valid = ~bits(void != 0)
        finished = done + ones(valid)
        if done < samples[0] or finished > samples[1]:
            valid = _between(valid, samples[0] - done, samples[1] - done)
        done = finished
        for draw in range(len(plan)):
            out[draw] += ones(failed[draw] & valid)


@kernel
def _reaches(known, left, collected, alike, different):
    """Which plans have failed; `known` and `left` count bag and hand up to and with each colour."""
    up_to_yellow, up_to_light = bytes_of(known[1]) - left[1], bytes_of(known[2]) - left[2]
    up_to_dark, up_to_white = bytes_of(known[3]) - left[3], bytes_of(known[4]) - left[4]
    pink = bytes_of(known[0]) - left[0]
    yellow = up_to_yellow - pink
    light = up_to_light - up_to_yellow
    dark = up_to_dark - up_to_light
    white = up_to_white - up_to_dark
    black = bytes_of(collected) - up_to_white
    commonest = larger(larger(larger(pink, yellow), larger(light, dark)), white)
    colours = black + (pink != 0) + (yellow != 0) + (light != 0) + (dark != 0) + (white != 0)
    return (commonest + black >= alike) | (colours >= different)


@kernel
def _between(mask, first, end):
    """Of the bits that are set, those from the first-th up to the end-th."""
    return _without_lowest(mask, first) & ~_without_lowest(mask, end)


@kernel
def _without_lowest(mask, n):
    for _ in range(n):
        mask &= mask - _ONE
    return mask


@kernel
def _failures_one_by_one(bag, hand, plan, limits, seed, first, count, out):
    """`failures` for bags of any size: sample i is stream i."""
    state = np.empty(4, np.uint64)
    for sample in range(first, first + count):
        open_stream(seed, np.uint64(sample), state)
        left, collection = bag.copy(), hand.copy()
        flowers = bag.sum()
        for draw in range(len(plan)):
            for _ in range(min(plan[draw], flowers)):
                flower = below(state, flowers)
                colour = 0
                while flower >= left[colour]:
                    flower -= left[colour]
                    colour += 1
                left[colour] -= 1
                collection[colour] += 1
                flowers -= 1
            if _has_failed(collection, limits):
                out[draw] += 1
                break


@kernel
def _has_failed(collection, limits):
    commonest, colours = 0, 0
    for colour in range(_BLACK):
        commonest = max(commonest, collection[colour])
        colours += collection[colour] > 0
    black = collection[_BLACK]
    return commonest + black >= limits[0] or min(colours + black, _BLACK) >= limits[1]
