"""Random numbers from streams keyed by (seed, index), their state in the caller's hands.

The generator is sfc64 (Chris Doty-Humphrey, PractRand): three words and a counter, additions, shifts and
exclusive ors. A stream starts from the words seed, index and a constant with the counter at 1, and its first
18 words, which mix them, are thrown away. A step can be undone, so two different (seed, index) never share a
state at the same step. `step` serves one stream (words are uint64) and 16 side by side (words are lanes of 64
bits) alike.
"""

import numpy as np

from cherrysim.kernels.cache import kernel
from cherrysim.kernels.lanes import multiply_high, words_from, words_of

STREAMS = 16  # side by side
_ZERO, _ONE, _THREE, _ELEVEN, _24, _40 = (np.uint64(n) for n in (0, 1, 3, 11, 24, 40))
_WARM_UP = 18
_CONSTANT = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio


@kernel
def step(a, b, c, counter):
    """The next state, and the random word it gives."""
    word = a + b + counter
    return b ^ (b >> _ELEVEN), c + (c << _THREE), ((c << _24) | (c >> _40)) + word, counter + _ONE, word


@kernel
def open_stream(seed, index, state):
    """Set `state` (4 uint64) to the beginning of stream `index` (uint64) of `seed` (uint64)."""
    state[0], state[1], state[2], state[3] = seed, index, _CONSTANT, _ONE
    for _ in range(_WARM_UP):
        next_word(state)


@kernel
def next_word(state):
    """64 random bits."""
    state[0], state[1], state[2], state[3], word = step(state[0], state[1], state[2], state[3])
    return word


@kernel
def below(state, n):
    """A random whole number from 0 to n - 1, every one equally likely; n is 1 .. 2^63 - 1.

    The upper half of word x n, and of the words that would give some numbers more often the surplus is
    redrawn (Lemire 2019).
    """
    n = np.uint64(n)
    word = next_word(state)
    low = word * n
    if low < n:
        surplus = (_ZERO - n) % n
        while low < surplus:
            word = next_word(state)
            low = word * n
    return np.int64(multiply_high(word, n))


@kernel
def open_streams(seed, index):
    """The streams index, index + 1, ... index + 15 side by side: a, b, c and the counter for `step`."""
    a, b, c, counter = words_of(seed), words_from(index), words_of(_CONSTANT), _ONE
    for _ in range(_WARM_UP):
        a, b, c, counter, _ = step(a, b, c, counter)
    return a, b, c, counter
