"""The random streams of the kernels: known answers, chi-square and correlation tests, controls that fail.

All statistical tests of this file together raise a false alarm in at most one generator in a million: P_VALUE
each.
"""

import numba
import numpy as np
import pytest
from scipy import stats

from cherrysim.kernels.random import below, next_word, open_stream, open_streams, step

P_VALUE = 1e-6 / 1000  # fewer than 1,000 comparisons are made
EDGES = [(0, 0), (0, 1), (1, 0), (1, 1), (2**64 - 1, 0), (0, 2**64 - 1), (7, 12345)]
SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2**64 - 1))]
PINNED = [
    [0xAEE2E7713C23368D, 0x5735EDD8C14291DD, 0xAE604728E84F4E01],
    [0x9758FAD5FA0C21B1, 0xFC9223DE823CA0DE, 0xF6206C330DEB527B],
]


def plain_words(seed, index, n):
    """sfc64 in whole numbers, from its published description."""
    cut = 2**64 - 1
    a, b, c, counter = seed, index, 0x9E3779B97F4A7C15, 1
    words = []
    for _ in range(18 + n):
        words.append((a + b + counter) & cut)
        counter = (counter + 1) & cut
        a = b ^ (b >> 11)
        b = (c + (c << 3)) & cut
        c = (((c << 24) | (c >> 40)) + words[-1]) & cut
    return words[18:]


def opened(seed, index):
    state = np.empty(4, np.uint64)
    open_stream(np.uint64(seed), np.uint64(index), state)
    return state


@numba.njit
def many_below(state, n, out):
    for i in range(len(out)):
        out[i] = below(state, n)


@numba.njit
def first_words(seed, first, out, warm):
    """Word number 0 of many neighbouring streams; without the warm-up for the control."""
    state = np.empty(4, np.uint64)
    for i in range(len(out)):
        index = np.uint64(first) + np.uint64(i)
        if warm:
            open_stream(seed, index, state)
        else:
            state[:] = np.array([seed, index, 0, 1], np.uint64)
        out[i] = next_word(state)


@numba.extending.intrinsic
def store(context, words, out):
    """Write the 16 words side by side to `out`, uint64[16]."""

    def build(context, builder, signature, values):
        data = context.make_array(out)(context, builder, values[1]).data
        builder.store(values[0], builder.bitcast(data, words.vector.as_pointer())).align = 8
        return context.get_dummy_value()

    return numba.types.void(words, out), build


@numba.njit
def words_side_by_side(seed, index, out):
    a, b, c, counter = open_streams(seed, index)
    for row in range(len(out)):
        a, b, c, counter, word = step(a, b, c, counter)
        store(word, out[row])


def assert_even(counts):
    """The counts are those of equally likely cells: neither too uneven nor too even."""
    expected = counts.sum() / counts.size
    statistic = ((counts - expected) ** 2 / expected).sum()
    degrees = counts.size - 1
    assert min(stats.chi2.sf(statistic, degrees), stats.chi2.cdf(statistic, degrees)) > P_VALUE / 2


def assert_uncorrelated(x, y):
    assert 2 * stats.norm.sf(abs(np.corrcoef(x, y)[0, 1]) * len(x) ** 0.5) > P_VALUE


def joint(x, y, n):
    return np.bincount(x.astype(np.int64) * n + y.astype(np.int64), minlength=n * n)


@pytest.mark.parametrize(("seed", "index"), EDGES)
def test_words_are_those_of_the_plain_generator_and_of_numpy(seed, index):
    state = opened(seed, index)
    got = [int(next_word(state)) for _ in range(20)]
    assert got == plain_words(seed, index, 20)
    peer = np.random.SFC64()
    inner = np.array([seed, index, 0x9E3779B97F4A7C15, 1], np.uint64)
    peer.state = {"bit_generator": "SFC64", "state": {"state": inner}, "has_uint32": 0, "uinteger": 0}
    assert got == [int(word) for word in peer.random_raw(38)[18:]]


def test_first_words_are_pinned():
    assert plain_words(0, 0, 3) == PINNED[0]
    assert plain_words(1, 2, 3) == PINNED[1]


@pytest.mark.parametrize(("seed", "index"), EDGES)
def test_streams_side_by_side_are_the_streams(seed, index):
    words = np.empty((5, 16), np.uint64)
    words_side_by_side(np.uint64(seed), np.uint64(index), words)
    for lane in range(16):
        assert [int(word) for word in words[:, lane]] == plain_words(seed, (index + lane) % 2**64, 5)


@pytest.mark.parametrize("n", [1, 2, 3, 96, 2**32 + 1, 3 * 10**18, 2**62 + 2**61])
def test_below_is_the_upper_half_of_the_product_without_the_surplus(n):
    state = opened(3, 4)
    words = iter(plain_words(3, 4, 400))
    for _ in range(100):
        product = next(words) * n
        while product % 2**64 < 2**64 % n:
            product = next(words) * n
        assert below(state, n) == product >> 64


@pytest.mark.parametrize("seed", SEEDS)
def test_ten_million_draws_are_even_and_forget_the_draws_before(seed):
    draws = np.empty(10**7, np.int64)
    many_below(opened(seed, 0), 96, draws)
    assert_even(np.bincount(draws, minlength=96))
    for lag in (1, 2, 3, 16):
        assert_even(joint(draws[:-lag], draws[lag:], 96))
        assert_uncorrelated(draws[:-lag], draws[lag:])


def test_the_chi_square_test_notices_a_modulo():
    draws = np.random.default_rng(1).integers(0, 4096, 10**7) % 96
    with pytest.raises(AssertionError):
        assert_even(np.bincount(draws, minlength=96))


def check_neighbours(words, others):
    """Streams one apart in seed or index: no bit, and no 5 bits, of one tells about the other."""
    for shift in (0, 7, 16, 32, 48, 59):
        x, y = (words >> np.uint64(shift)) % 32, (others >> np.uint64(shift)) % 32
        assert_even(joint(x, y, 32))
        assert_uncorrelated(x.astype(float), y.astype(float))
    differing = np.unpackbits((words ^ others).view(np.uint8).reshape(-1, 8), axis=1).sum(axis=0)
    for count in differing:
        assert stats.binomtest(int(count), len(words)).pvalue > P_VALUE


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("first", [0, 2**64 - 500_000])
def test_neighbouring_streams_and_seeds_are_strangers(seed, first):
    words = np.empty(10**6, np.uint64)
    first_words(np.uint64(seed), np.uint64(first), words, True)
    check_neighbours(words[:-1], words[1:])
    check_neighbours(words[:-16], words[16:])
    others = np.empty(10**6, np.uint64)
    first_words(np.uint64((seed + 1) % 2**64), np.uint64(first), others, True)
    check_neighbours(words, others)


def test_the_test_of_neighbours_notices_streams_without_the_warm_up():
    words = np.empty(10**6, np.uint64)
    first_words(np.uint64(0), np.uint64(0), words, False)
    with pytest.raises(AssertionError):
        check_neighbours(words[:-1], words[1:])


def test_one_bit_of_seed_or_index_turns_half_the_bits_of_the_first_word():
    """Exact binomial bound on 64 x 2 x 64 x 50 bits, and on each of the 128 turned bits."""
    turned = []
    for bit in range(64):
        for index in range(50):
            base = plain_words(5, index, 1)[0]
            turned.append((base ^ plain_words(5 ^ 1 << bit, index, 1)[0]).bit_count())
            turned.append((base ^ plain_words(5, index ^ 1 << bit, 1)[0]).bit_count())
    assert stats.binomtest(sum(turned), 64 * len(turned)).pvalue > P_VALUE
    for each in np.array(turned).reshape(64, 50, 2).sum(axis=1).ravel():
        assert stats.binomtest(int(each), 64 * 50).pvalue > P_VALUE
