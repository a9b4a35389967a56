"""Random numbers that are a function of their key: no state, so that one decision disturbs no other number.

A key is a whole number of 64 bits; `derive(key, i)` is its i-th descendant, the finaliser of splitmix64
(Steele, Lea and Flood 2014) on key + (i + 1) x 2^64 / golden ratio. A game's key descends from the seed, a
turn's from the game's, a flower's number from the turn's, so every flower drawn has its own number: (seed,
game, turn, flower of the turn).
"""

import numpy as np

from cherrysim.kernels.once import kernel

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_27, _30, _31, _32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_WORDS = np.uint64(1 << 32)
_ONE = np.uint64(1)


@kernel
def mix(word):
    """A bijection of 64-bit words in which every bit depends on every bit."""
    word = (word ^ (word >> _30)) * _FIRST
    word = (word ^ (word >> _27)) * _SECOND
    return word ^ (word >> _31)


@kernel
def derive(key, i):
    """The i-th key (uint64) that descends from a key."""
    return mix(key + (np.uint64(i) + _ONE) * _GOLDEN)


@kernel
def below(key, i, n):
    """The key's i-th whole number from 0 to n - 1, each equally likely, for n below 2^32 (Lemire 2019)."""
    word = derive(key, i)
    size = np.uint64(n)
    wide = (word >> _32) * size
    if wide & _LOW < size:
        surplus = (_WORDS - size) % size
        while wide & _LOW < surplus:
            word = mix(word + _GOLDEN)
            wide = (word >> _32) * size
    return np.int64(wide >> _32)
