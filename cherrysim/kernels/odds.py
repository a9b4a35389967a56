"""Exact odds, compiled: the chance that a collection has failed, for every number of flowers drawn at once.

Rulebook: "Successful or Failed Collection". The twin of `cherrysim.chances.failure_chances`. The one
formula: with b blacks a safe collection has at most `alike - 1 - b` of a colour and `different - 1 - b`
colours, so the ways to draw k flowers and stay safe are the coefficients of a product of one short
polynomial a colour. Up to 2^53 ways every step is exact; beyond, answers are within 1e-15.

`pool` and `hand` are six counts P Y L D W B (the hand is not in the pool), `limits` is alike, different,
flowers.
"""

import numpy as np

from cherrysim.kernels.cache import kernel

MOST = 12
"""Most flowers of a turn under any rules; answers have one entry for each of 0..12 more flowers."""
ROWS = 7
BLACK = 5
NEVER = 6
"""The limit of different colours that no collection meets."""


@kernel
def failure_chances(pool, hand, limits, rows, out):
    """Fill `out[k]`, k = 0..12, with the chance to have failed after k more; NaN where k are not allowed or
    not left.

    Returns the largest k allowed. `rows` (7 x 13) is scratch.
    """
    tokens = pool[0] + pool[1] + pool[2] + pool[3] + pool[4] + pool[5]
    held = hand[0] + hand[1] + hand[2] + hand[3] + hand[4] + hand[5]
    most = max(min(limits[2] - held, tokens), 0)
    if limits[0] == 3 and limits[1] == 5:
        _official_ways(pool, hand, out)
    else:
        _ways(pool, hand, limits, most, rows, out)
    orders = 1.0
    draws = 1.0
    out[0] = 0.0 if out[0] > 0 else 1.0
    for k in range(1, most + 1):
        orders *= k
        draws *= tokens - k + 1
        out[k] = min(max(1 - out[k] * orders / draws, 0.0), 1.0)
    for k in range(most + 1, MOST + 1):
        out[k] = np.nan
    return most


@kernel
def belief_failure_chances(pools, weights, hidden, hand, limits, rows, out):
    """As `failure_chances` for a belief: pools with weights that add up to 1, `hidden` tokens of each not
    in the bag."""
    mixture = rows[ROWS - 1]
    mixture[:] = 0.0
    most = 0
    for j in range(len(pools)):
        most = failure_chances(pools[j], hand, limits, rows, out)
        for k in range(most + 1):
            mixture[k] += weights[j] * out[k]
    tokens = 0
    for colour in range(BLACK + 1):
        tokens += pools[0, colour]
    most = min(most, tokens - hidden)
    for k in range(MOST + 1):
        out[k] = min(mixture[k], 1.0) if k <= most else np.nan
    return most


@kernel
def _official_ways(pool, hand, out):
    """The ways to stay safe with 0..12 more under the official limits, written out.

    Without blacks: at most two of a colour, less the collections of all five colours. With one: at most
    three colours, one each. With two: nothing else.
    """
    blacks = hand[BLACK]
    single = True
    for colour in range(BLACK):
        if hand[colour] > 2 - blacks:
            blacks = 3
        single = single and hand[colour] < 2
    for k in range(MOST + 1):
        out[k] = 0.0
    if blacks == 0:
        _no_black(pool, hand, out)
    if blacks <= 1 and single:
        _one_black(pool, hand, 1 - blacks, out)
    if blacks <= 2 and hand[0] + hand[1] + hand[2] + hand[3] + hand[4] == 0:
        black = float(pool[BLACK])
        more = 2 - blacks
        out[more] += 1.0 if more == 0 else (black if more == 1 else black * (black - 1) / 2)


@kernel
def _no_black(pool, hand, out):
    """Adds the ways without blacks: a product of five quadratics less, for all five colours, one of linear
    factors."""
    a1, a2, a, aa, missing_a = _colour(pool[0], hand[0])
    b1, b2, b, bb, missing_b = _colour(pool[1], hand[1])
    c1, c2, c, cc, missing_c = _colour(pool[2], hand[2])
    d1, d2, d, dd, missing_d = _colour(pool[3], hand[3])
    e1, e2, e, ee, missing_e = _colour(pool[4], hand[4])
    ab1, ab2, ab3, ab4 = a1 + b1, a2 + a1 * b1 + b2, a1 * b2 + a2 * b1, a2 * b2
    cd1, cd2, cd3, cd4 = c1 + d1, c2 + c1 * d1 + d2, c1 * d2 + c2 * d1, c2 * d2
    q1 = ab1 + cd1
    q2 = ab2 + ab1 * cd1 + cd2
    q3 = ab3 + ab2 * cd1 + ab1 * cd2 + cd3
    q4 = ab4 + ab3 * cd1 + ab2 * cd2 + ab1 * cd3 + cd4
    q5 = ab4 * cd1 + ab3 * cd2 + ab2 * cd3 + ab1 * cd4
    q6 = ab4 * cd2 + ab3 * cd3 + ab2 * cd4
    q7 = ab4 * cd3 + ab3 * cd4
    q8 = ab4 * cd4
    out[0] = 1.0
    out[1] = q1 + e1
    out[2] = q2 + q1 * e1 + e2
    out[3] = q3 + q2 * e1 + q1 * e2
    out[4] = q4 + q3 * e1 + q2 * e2
    out[5] = q5 + q4 * e1 + q3 * e2
    out[6] = q6 + q5 * e1 + q4 * e2
    out[7] = q7 + q6 * e1 + q5 * e2
    out[8] = q8 + q7 * e1 + q6 * e2
    s0, s1, s2 = a * b, a * bb + aa * b, aa * bb
    t0, t1, t2 = c * d, c * dd + cc * d, cc * dd
    r0 = s0 * t0
    r1 = s1 * t0 + s0 * t1
    r2 = s2 * t0 + s1 * t1 + s0 * t2
    r3 = s2 * t1 + s1 * t2
    r4 = s2 * t2
    shift = missing_a + missing_b + missing_c + missing_d + missing_e
    out[shift] -= r0 * e
    out[shift + 1] -= r1 * e + r0 * ee
    out[shift + 2] -= r2 * e + r1 * ee
    out[shift + 3] -= r3 * e + r2 * ee
    out[shift + 4] -= r4 * e + r3 * ee
    out[shift + 5] -= r4 * ee
    out[9] = 0.0
    out[10] = 0.0


@kernel
def _colour(n, held):
    """Ways to add one or two of a colour; the same with it present, less a factor x if it is `missing`;
    missing."""
    one = float(n)
    if held == 0:
        two = one * (one - 1) / 2
        return one, two, one, two, 1
    if held == 1:
        return one, 0.0, 1.0, one, 0
    return 0.0, 0.0, 1.0, 0.0, 0


@kernel
def _one_black(pool, hand, more, out):
    """Adds the ways with one black, `more` of it still to come: up to three colours, one flower of each."""
    room = 3
    one, two, three = 0.0, 0.0, 0.0
    for colour in range(BLACK):
        if hand[colour]:
            room -= 1
        else:
            n = float(pool[colour])
            three += two * n
            two += one * n
            one += n
    black = float(pool[BLACK]) if more else 1.0
    if room >= 0:
        out[more] += black
    if room >= 1:
        out[more + 1] += black * one
    if room >= 2:
        out[more + 2] += black * two
    if room >= 3:
        out[more + 3] += black * three


@kernel
def _ways(pool, hand, limits, most, rows, out):
    """The ways to stay safe with 0..`most` more under any limits; `rows[d, k]` are those with d colours
    present."""
    for k in range(MOST + 1):
        out[k] = 0.0
    taken = 1.0
    for blacks in range(hand[BLACK], min(limits[0], limits[1])):
        drawn = blacks - hand[BLACK]
        if drawn > most or drawn > pool[BLACK]:
            break
        if drawn:
            taken = taken * (pool[BLACK] - drawn + 1) / drawn
        cap = limits[0] - 1 - blacks
        colours = BLACK if limits[1] == NEVER else limits[1] - 1 - blacks
        if _colour_rows(pool, hand, cap, most - drawn, rows):
            for present in range(min(colours, BLACK) + 1):
                for k in range(most - drawn + 1):
                    out[k + drawn] += taken * rows[present, k]


@kernel
def _colour_rows(pool, hand, cap, most, rows):
    """Multiply the colours' polynomials into `rows`; false where the hand itself has more than `cap` of a
    colour."""
    for present in range(BLACK + 1):
        for k in range(most + 1):
            rows[present, k] = 0.0
    rows[0, 0] = 1.0
    for colour in range(BLACK):
        room = cap - hand[colour]
        if room < 0:
            return False
        new = 0 if hand[colour] else 1
        for present in range(min(colour + 1, BLACK), -1, -1):
            for k in range(most, -1, -1):
                total = 0.0
                if new:
                    total = rows[present, k]
                elif present:
                    total = rows[present - 1, k]
                ways = 1.0
                for j in range(1, min(room, k) + 1):
                    ways = ways * (pool[colour] - j + 1) / j
                    if present:
                        total += ways * rows[present - 1, k - j]
                rows[present, k] = total
    return True
