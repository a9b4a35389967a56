"""Simulated bag draws against exact odds, a plain simulation of single samples, and themselves.

A false alarm of the comparison with exact odds has probability at most FALSE_ALARM over all its cases and
draws together: every count is held to the exact binomial tails at FALSE_ALARM / number of counts.
"""

import functools
import itertools
import json
import os
import random
import subprocess
import sys
from fractions import Fraction
from math import comb, factorial, prod

import numpy as np
import pytest
from scipy import stats

from cherrysim.kernels.bag import GROUP, failures

FALSE_ALARM = 1e-6
OFFICIAL = (3, 5)
FULL = {2: (13,) * 5 + (4,), 3: (15,) * 5 + (5,), 4: (18,) * 5 + (6,)}
EMPTY = (0,) * 6


def simulate(bag, hand, plan, limits, seed, first, count):
    out = np.zeros(len(plan), np.int64)
    arrays = [np.array(each, np.int64) for each in (bag, hand, plan, limits)]
    failures(*arrays, np.uint64(seed), first, count, out)
    return out.tolist()


def has_failed(collection, limits, sixth=False):
    """Ruling R1, read off the rulebook; black as a `sixth` colour is a mistake."""
    *colours, black = collection
    if sixth:
        colours, black = collection, 0
    alike, different = limits
    kinds = sum(n > 0 for n in colours) + black
    return max(colours) + black >= alike or (different <= 5 and min(kinds, 5) >= different)


@functools.cache
def draws_of(n):
    return [x for x in itertools.product(range(n + 1), repeat=6) if sum(x) == n]


@functools.cache
def exact(bag, hand, plan, limits, mistake=""):
    """The chance to fail at each draw, by listing every collection, with `mistake` for the right rule."""
    if mistake == "15 blacks with 3 players" and bag == FULL[3]:
        bag = (15,) * 6
    if mistake == "black ignored":
        bag, hand = (*bag[:5], 0), (*hand[:5], 0)
    ways = {EMPTY: Fraction(1)}
    failed = []
    for n in plan:
        following, lost = {}, Fraction(0)
        for drawn, chance in ways.items():
            left = tuple(b - d for b, d in zip(bag, drawn, strict=True))
            if mistake in ("with replacement", "refilled"):
                left = bag
            n_left = min(n, sum(left))
            for x in draws_of(n_left):
                if mistake == "with replacement":
                    of_these = Fraction(
                        factorial(n) * prod(b**k for b, k in zip(left, x, strict=True)), sum(left) ** n
                    )
                    of_these /= prod(factorial(k) for k in x)
                else:
                    of_these = Fraction(
                        prod(comb(b, k) for b, k in zip(left, x, strict=True)), comb(sum(left), n_left)
                    )
                if of_these:
                    total = tuple(d + k for d, k in zip(drawn, x, strict=True))
                    collection = tuple(h + k for h, k in zip(hand, total, strict=True))
                    if has_failed(collection, limits, mistake == "black a sixth colour"):
                        lost += chance * of_these
                    else:
                        following[total] = following.get(total, 0) + chance * of_these
        failed.append(lost)
        ways = following
    return failed


@functools.cache
def cases():
    """(bag, hand, plan, limits, samples): the full bags first, then 120 at random, a tenth of them huge."""
    rng = random.Random(20240229)
    plans = [(3, 2), (3, 3, 2), (2, 2, 1), (1, 1, 1), (4,), (2, 3)]
    found = [(bag, EMPTY, plan, OFFICIAL, 10**6) for bag in FULL.values() for plan in plans]
    while len(found) < 138:
        small = len(found) % 10
        most = 10**13 if small == 0 else rng.choice([2, 4, 18, 42])
        bag = tuple(rng.randint(0, most) for _ in range(6))
        limits = OFFICIAL if rng.random() < 0.7 else (rng.randint(2, 5), rng.randint(3, 6))
        hand = (*(rng.choice([0, 0, 0, 1, 1, 2]) for _ in range(5)), rng.choice([0, 0, 0, 1]))
        plan = tuple(rng.randint(1, 3) for _ in range(rng.randint(1, 3)))
        if sum(bag) > 0 and not has_failed(hand, limits) and sum(hand) + sum(plan) <= 8:
            found.append((bag, hand, plan, limits, 10**5 if sum(bag) > 255 else 10**6))
    return found


@functools.cache
def simulated():
    return [simulate(*case[:4], 1000 + i, 0, case[4]) for i, case in enumerate(cases())]


def check_against_exact(mistake=""):
    counts = sum(len(case[2]) for case in cases())
    for (bag, hand, plan, limits, samples), failed in zip(cases(), simulated(), strict=True):
        for n, chance in zip(failed, exact(bag, hand, plan, limits, mistake), strict=True):
            law = stats.binom(samples, float(chance))
            assert min(law.cdf(n), law.sf(n - 1)) >= FALSE_ALARM / counts / 2, (bag, hand, plan, limits)


MISTAKES = [
    "with replacement",
    "refilled",
    "black ignored",
    "black a sixth colour",
    "15 blacks with 3 players",
]


def test_simulated_failures_are_those_of_the_exact_odds():
    assert len(cases()) >= 100
    check_against_exact()


@pytest.mark.parametrize("mistake", MISTAKES)
def test_every_wrong_rule_is_noticed(mistake):
    with pytest.raises(AssertionError, match=r"\(\("):
        check_against_exact(mistake)


def test_the_exact_odds_here_are_the_known_ones():
    assert exact(FULL[4], EMPTY, (4,), OFFICIAL) == [Fraction(24197, 110732)]
    assert exact(FULL[3], EMPTY, (4,), OFFICIAL) == [Fraction(68141, 316316)]
    wrong = [
        float(exact(FULL[4], EMPTY, (4,), OFFICIAL, mistake)[0]) for mistake in (MISTAKES[0], *MISTAKES[2:4])
    ]
    assert wrong == pytest.approx([0.2337, 0.1210, 0.1010], abs=5e-5)
    assert float(exact(FULL[3], EMPTY, (4,), OFFICIAL, MISTAKES[4])[0]) == pytest.approx(0.3823, abs=5e-5)
    refilled = exact(FULL[4], EMPTY, (2, 2), OFFICIAL, "refilled")
    assert float(sum(refilled)) == pytest.approx(0.2286, abs=5e-5)


def words(seed, index):
    """The stream in whole numbers, as in the tests of the random numbers."""
    cut = 2**64 - 1
    a, b, c, counter = seed, index, 0x9E3779B97F4A7C15, 1
    for n in itertools.count():
        word = (a + b + counter) & cut
        a, b, c = b ^ b >> 11, c + (c << 3) & cut, ((c << 24 | c >> 40) + word) & cut
        counter += 1
        if n >= 18:
            yield word


def failing_draw(numbers, bag, hand, plan, limits):
    """The draw at which one sample fails, None if at none; `numbers(n)` is a random number below n."""
    tokens = [colour for colour in range(6) for _ in range(bag[colour])]
    collection = list(hand)
    failed_at = None
    for draw, n in enumerate(plan):
        for _ in range(min(n, len(tokens))):
            collection[tokens.pop(numbers(len(tokens)))] += 1
        if failed_at is None and has_failed(collection, limits):
            failed_at = draw
    return failed_at


def plain_samples(bag, hand, plan, limits, seed):
    """Where each sample of group 0 fails: 64 plans at a time, four a word, from 16 streams; no void ones."""
    streams = [words(seed, index) for index in range(16)]
    while True:
        drawn = [[next(stream) for stream in streams] for _ in range(min(sum(plan), sum(bag)))]
        for lane in range(64):
            shorts = iter([flower[lane // 4] >> 16 * (lane % 4) & 0xFFFF for flower in drawn])
            void = []

            def numbers(n, shorts=shorts, void=void):
                product = next(shorts) * n
                void.append(product % 2**16 < 2**16 % n)
                return product >> 16

            failed_at = failing_draw(numbers, bag, hand, plan, limits)
            if not any(void):
                yield failed_at


@pytest.mark.parametrize(
    ("bag", "hand", "plan", "limits"),
    [
        (FULL[4], EMPTY, (3, 2), OFFICIAL),
        (FULL[2], (0, 1, 1, 0, 0, 1), (1, 1, 1), OFFICIAL),
        ((49, 0, 50, 51, 52, 53), EMPTY, (4, 4, 4), (5, 6)),
        ((1, 0, 1, 0, 0, 1), (0, 0, 0, 0, 1, 0), (2, 3, 1), OFFICIAL),
    ],
)
def test_single_samples_are_those_of_a_plain_simulation(bag, hand, plan, limits):
    expected = itertools.islice(plain_samples(bag, hand, plan, limits, 11), 500)
    for i, failed_at in enumerate(expected):
        assert simulate(bag, hand, plan, limits, 11, i, 1) == [
            int(failed_at == draw) for draw in range(len(plan))
        ]


@pytest.mark.parametrize("bag", [FULL[4], (60, 60, 60, 60, 60, 20)])
def test_any_cut_gives_the_same_counts(bag):
    rng = random.Random(5)
    run = functools.partial(simulate, bag, EMPTY, (3, 3, 2), OFFICIAL, 2**64 - 1)
    whole = run(0, 5 * GROUP + 77)
    for _ in range(5):
        cuts = sorted([0, 5 * GROUP + 77, GROUP, *(rng.randrange(5 * GROUP) for _ in range(4))])
        parts = [run(first, end - first) for first, end in itertools.pairwise(cuts)]
        assert np.sum(parts, axis=0).tolist() == whole
    assert run(3, 0) == [0, 0, 0]


def test_every_sample_is_counted_once():
    """All four flowers of a bag fail for certain: exactly as many failures as samples, void plans or not."""
    for n in (1, 63, 64, 65, GROUP - 1, GROUP, GROUP + 1, 10**5 + 3):
        assert simulate((0, 0, 100, 0, 0, 100), EMPTY, (1, 2), OFFICIAL, 3, 0, n) == [0, n]


def test_samples_of_neighbouring_groups_and_seeds_are_strangers():
    """Failures of (4) in 1,000 groups and 1,000 seeds spread as binomial counts do."""
    law = stats.binom(GROUP, 24197 / 110732)
    for counts in (
        [simulate(FULL[4], EMPTY, (4,), OFFICIAL, 0, group * GROUP, GROUP)[0] for group in range(1000)],
        [simulate(FULL[4], EMPTY, (4,), OFFICIAL, seed, 0, GROUP)[0] for seed in range(1000)],
    ):
        spread = ((np.array(counts) - law.mean()) ** 2).sum() / law.var()
        assert min(stats.chi2.cdf(spread, 1000), stats.chi2.sf(spread, 1000)) > FALSE_ALARM / 4
        lagged = np.corrcoef(counts[:-1], counts[1:])[0, 1] * 999**0.5
        assert 2 * stats.norm.sf(abs(lagged)) > FALSE_ALARM / 4


SMALL = [
    (FULL[4], EMPTY, (3, 2), OFFICIAL, 9, 100, 300),
    ((50, 51, 52, 53, 49, 0), (1, 0, 0, 0, 0, 1), (2, 3, 1), (4, 6), 2**64 - 1, 4000, 200),
    ((10**12, 3, 10**12, 5, 10**12, 10**6), EMPTY, (3, 3), OFFICIAL, 0, 0, 40),
]


@pytest.mark.parametrize(
    "settings",
    [
        {"NUMBA_DISABLE_JIT": "1"},
        pytest.param({"NUMBA_BOUNDSCHECK": "1"}, marks=pytest.mark.slow),
        pytest.param({"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}, marks=pytest.mark.slow),
    ],
    ids=["without the JIT", "with bounds checks", "for the plainest processor"],
)
def test_the_same_counts(settings):
    program = "\n".join(
        [
            "import json, sys, numpy as np",
            "from cherrysim.kernels.bag import failures",
            "for *arrays, seed, first, count in json.load(sys.stdin):",
            "    out = np.zeros(len(arrays[2]), np.int64)",
            "    failures(*map(np.array, arrays), np.uint64(seed), first, count, out)",
            "    print(out.tolist())",
        ]
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        input=json.dumps(SMALL),
        env=os.environ | settings,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == [str(simulate(*case)) for case in SMALL]
