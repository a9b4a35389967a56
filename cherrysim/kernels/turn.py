"""The turn, compiled: stop, or draw again, and how many, for every safe collection at once.

Rulebook: "Collect Flowers". The twin of `cherrysim.turn`. The one formula: with p(g) the chance that |g|
flowers drawn at the start of the turn are exactly g,

    P(g after drawing k more onto h) = p(g) / p(h) x prod C(g_c, h_c) / C(|g|, k),

so the weights of the pairs (h, g) are constants and the bag enters only through p. Failed collections are
everything else: the chance that all colours lie in a set T is a ratio of counts of tokens, the same for all
h of one size, and the value of failing is a sum over T of such chances times a Moebius sum of `bust`.

`tables` writes what depends on the bag, `solve` is the backward pass for one valuation, `outcomes` the
forward pass under the plan found. The arrays come from `cherrysim.arrays`.
"""

from typing import NamedTuple

import numpy as np

from cherrysim.kernels.cache import kernel
from cherrysim.kernels.quads import WIDTH, larger, load, shifted, spread, store, weighted_sum, where_reaches

SETS = 32
"""Sets of the five colours as bits: the failure classes."""
BLACK = 5
LANES = WIDTH
"""Numbers of draws left that one sweep over the pairs works on side by side."""
TIED = 1e-12
IMPOSSIBLE = -1
"""The choice where the bag cannot give the collection; its value is NaN."""


class Hands(NamedTuple):
    """The safe collections under one set of limits, by size, and the pairs (collection, larger one).

    The pairs of collection i with k flowers more are `first[i, k]` up to `first[i, k + 1]`. A collection is
    its `parent` and one flower of `colour` on top of `count` others. `window[m]` is where the chances for m
    flowers held begin in a row of `Space.inside`: those of k more follow at k.
    """

    size: np.ndarray
    colours: np.ndarray
    parent: np.ndarray
    colour: np.ndarray
    count: np.ndarray
    first: np.ndarray
    larger: np.ndarray
    weight: np.ndarray
    window: np.ndarray


class Space(NamedTuple):
    """Room for one turn's tables; nothing in it need be set. `options[k, (left - 1) % LANES]` is, after
    `solve`, the value of drawing k from its hand with `left` draws left."""

    drawable: np.ndarray  # flowers really in the bag at the start of the turn
    mass: np.ndarray  # [hand] p
    shares: np.ndarray  # [pool, hand] each pool's part of it
    inside: np.ndarray  # [pool x 32 + set, window] chance that the next k of a pool all lie in the set
    expected: np.ndarray  # [set, window] value by set of colours if all drawn were to fail
    base: np.ndarray  # [hand, k] p times the same by hand, for several pools
    excess: np.ndarray  # [hand, lane] p times what the hand is worth above failing
    options: np.ndarray  # [k, lane]
    reach: np.ndarray  # [hand, draws left]
    sums: np.ndarray  # [set]


@kernel
def tables(hands, pools, weights, hidden, space):
    """Write what a turn's solution reads of the bag.

    `pools` are those at the start of the turn, this turn's hand put back in, all of one size, with
    `weights` that add up to 1; a known bag is one pool of weight 1. `hidden` tokens of each are not in the
    bag.
    """
    masses, shares, inside = space.mass, space.shares, space.inside
    tokens = 0
    for colour in range(BLACK + 1):
        tokens += pools[0, colour]
    space.drawable[0] = tokens - hidden
    masses[:] = 0.0
    for j in range(len(pools)):
        _shares(hands, pools[j], tokens, weights[j], shares[j])
        _inside(hands.window, pools[j], tokens, inside[j * SETS : (j + 1) * SETS])
        for h in range(len(masses)):
            masses[h] += shares[j, h]


@kernel
def _shares(hands, pool, tokens, weight, out):
    """The chance of each collection from one pool, times its weight: ways, from the parent's, over all."""
    sizes, parent, colour, counts = hands.size, hands.parent, hands.colour, hands.count
    out[0] = 1.0
    for h in range(1, len(out)):
        count = counts[h]
        out[h] = out[parent[h]] * max(pool[colour[h]] - count, 0) / (count + 1)
    size = 0
    all_ways = 1.0
    for h in range(len(out)):
        if sizes[h] > size:
            all_ways = all_ways * (tokens - size) / (size + 1)
            size += 1
        if out[h] > 0:
            out[h] = weight * out[h] / all_ways


@kernel
def _inside(window, pool, tokens, out):
    """The chance that k more flowers lie in each set (blacks lie in all), for every number held before, all
    in it.

    It is the chance that the next one does times that of k - 1 more with one held more.
    """
    flowers = len(window) - 1
    for colours in range(SETS):
        own = float(pool[BLACK])
        for colour in range(BLACK):
            own += pool[colour] if colours >> colour & 1 else 0
        rest = tokens - flowers + 1.0
        own -= flowers - 1
        out[colours, window[flowers]] = 1.0
        for held in range(flowers - 1, -1, -1):
            at, after = window[held], window[held + 1] - 1
            next_one = own / rest if own > 0 else 0.0
            out[colours, at] = 1.0
            for k in range(1, flowers - held + 1):
                out[colours, at + k] = next_one * out[colours, after + k]
            own += 1
            rest += 1


@kernel
def solve(hands, space, keep, bust, hand, left, value, choice):
    """Best play from collection `hand`, and from all larger ones, with 0, 1, ..., `left` draws left.

    Reads `space` as `tables` left it. `keep[i]` is the worth of stopping with collection i, `bust[s]` of
    failing with the colours of set s. Writes value[i, r] and choice[i, r] (0: stop), r = 0..left; what
    follows in a row, which has 4 n + 1 entries, is scratch. Ties go to stop, then to the smaller draw; the
    empty collection may stop only if no draw is left or the bag is empty.
    """
    _failing_values(hands, space, bust, hand)
    for bottom in range(0, max(left, 1), LANES):
        _sweep(hands, space, keep, bust, hand, bottom, value, choice)


@kernel
def _sweep(hands, space, keep, bust, hand, bottom, value, choice):
    """Write the values and choices with `bottom` + 1, ..., `bottom` + 4 draws left, the largest collections
    first.

    A draw is worth what failing with all it can bring is worth, and what the safe collections add to that.
    """
    size, colours, window, masses = hands.size, hands.colours, hands.window, space.mass
    first, pairs, weight = hands.first, hands.larger, hands.weight
    expected, base, excess, options = space.expected, space.base, space.excess, space.options
    flowers = len(window) - 1
    most_held = min(flowers, space.drawable[0])
    known = len(space.shares) == 1
    begin = first[hand, 1]
    for p in range(first[hand, flowers + 1] - 1, begin - 2, -1):
        h = np.int64(pairs[p]) if p >= begin else hand
        mass = masses[h]
        if bottom == 0:
            value[h, 0] = keep[h] if mass > 0 else np.nan
            choice[h, 0] = 0 if mass > 0 else IMPOSSIBLE
        if mass > 0:
            most = most_held - size[h]
            stop = spread(-np.inf if h == 0 and most else keep[h])
            top = stop
            per = 1 / mass
            for k in range(1, most + 1):
                failing = expected[colours[h], window[size[h]] + k] if known else base[h, k] * per
                worth = weighted_sum(excess, pairs, weight, first[h, k], first[h, k + 1]) * per + failing
                store(options, k, 0, worth)
                top = larger(worth, top)
            best, draw = _first_best(options, most, stop, top)
            store(excess, h, 0, (shifted(value[h, bottom], best) - bust[colours[h]]) * mass)
        else:
            best, draw = spread(np.nan), spread(float(IMPOSSIBLE))
            store(excess, h, 0, spread(0.0))
        store(value, h, bottom + 1, best)
        store(choice, h, bottom + 1, draw)


@kernel
def _first_best(options, most, stop, top):
    """For each lane the worth and the draw (0: stop) of the first choice within `TIED` of the largest worth
    `top`."""
    least = top - larger(larger(top, spread(0.0) - top), spread(1.0)) * TIED
    best = stop
    draw = spread(0.0)
    k = float(most)
    for row in range(most, 0, -1):
        worth = load(options, row, 0)
        best = where_reaches(worth, least, worth, best)
        draw = where_reaches(worth, least, spread(k), draw)
        k -= 1.0
    return where_reaches(stop, least, stop, best), where_reaches(stop, least, spread(0.0), draw)


@kernel
def _failing_values(hands, space, bust, hand):
    """Write what drawing is worth if all it brings fails: by set of colours or, for several pools, hand."""
    sums, inside, expected, base = space.sums, space.inside, space.expected, space.base
    for colours in range(SETS):
        sums[colours] = bust[colours]
    for colour in range(BLACK):
        for colours in range(SETS):
            if not colours >> colour & 1:
                sums[colours] -= sums[colours | 1 << colour]
    within = hands.colours[hand]
    window = hands.window[hands.size[hand]]
    pools = len(space.shares)
    if pools > 1:
        base[:] = 0.0
    for j in range(pools):
        _expected(inside, j, sums, within, window, expected)
        if pools > 1:
            _add_share(hands, hand, space.shares[j], expected, base)


@kernel
def _expected(inside, j, sums, within, begin, out):
    """out[S, w], the worth of failing with all that window w can bring to colours S, for S containing
    `within`."""
    begin -= begin % WIDTH
    end = out.shape[1]
    for colours in range(SETS):
        if colours & within == within:
            factor = sums[colours]
            for w in range(begin, end, WIDTH):
                store(out, colours, w, load(inside, j * SETS + colours, w) * factor)
    for colour in range(BLACK):
        bit = 1 << colour
        for colours in range(SETS):
            if colours & within == within and not colours & bit:
                for w in range(begin, end, WIDTH):
                    store(out, colours, w, load(out, colours, w) + load(out, colours | bit, w))


@kernel
def _add_share(hands, hand, share, expected, base):
    """Add one pool's part of base[h, k] for every collection within reach."""
    size, colours, window, first, pairs = hands.size, hands.colours, hands.window, hands.first, hands.larger
    begin = first[hand, 1]
    for p in range(begin - 1, first[hand, len(window)]):
        h = np.int64(pairs[p]) if p >= begin else hand
        for k in range(1, len(window) - size[h]):
            base[h, k] += share[h] * expected[colours[h], window[size[h]] + k]


@kernel
def outcomes(hands, space, choice, hand, left, draw, stops, failures):
    """Where the plan in `choice` ends, from collection `hand` with `left` draws left.

    `draw` >= 0 replaces the first choice (0: stop). Writes the probability of stopping with each collection
    within reach and of failing with each set of colours; the worth of any keep and bust under the plan is a
    dot product.
    """
    size, colours, window, masses = hands.size, hands.colours, hands.window, space.mass
    first, pairs, weight = hands.first, hands.larger, hands.weight
    reach, safe = space.reach, space.sums
    begin = first[hand, 1]
    end = first[hand, len(window)]
    safe[:] = 0.0
    failures[:] = 0.0
    for p in range(begin - 1, end):
        h = np.int64(pairs[p]) if p >= begin else hand
        stops[h] = 0.0
        for r in range(left + 1):
            reach[h, r] = 0.0
    reach[hand, left] = 1.0
    for p in range(begin - 1, end):
        h = np.int64(pairs[p]) if p >= begin else hand
        for r in range(left + 1):
            chance = reach[h, r]
            if chance > 0:
                n = draw if h == hand and r == left and draw >= 0 else choice[h, r]
                if n:
                    per = chance / masses[h]
                    for pair in range(first[h, n], first[h, n + 1]):
                        g = pairs[pair]
                        share = per * weight[pair] * masses[g]
                        reach[g, r - 1] += share
                        safe[colours[g]] += share
                    at = window[size[h]] + n
                    _add_inside(space.inside, space.shares, h, colours[h], at, per, failures)
                else:
                    stops[h] += chance
    _exact_sets(failures)
    for colours in range(SETS):
        failures[colours] = max(failures[colours] - safe[colours], 0.0)


@kernel
def _add_inside(inside, shares, h, has, window, per, out):
    """Add to out[T] a chance, over p(h), times that of a draw from h, with colours `has`, to lie in set T."""
    for j in range(len(shares)):
        share = per * shares[j, h]
        for colours in range(SETS):
            if colours & has == has:
                out[colours] += share * inside[j * SETS + colours, window]


@kernel
def _exact_sets(chances):
    """Turn the chances to lie in each set into those to have exactly its colours."""
    for colour in range(BLACK):
        for colours in range(SETS):
            if colours >> colour & 1:
                chances[colours] -= chances[colours ^ 1 << colour]
