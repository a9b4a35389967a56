"""In front of the screen: points for each colour, blacks taking the colours that are best together.

Rulebook: "Scoring Victory Points in Front of Your Screen"; rulings R24, R25. With k_c of the b blacks in
colour c,

    points = max over k_1 + ... + k_5 = b of the sum over c of front_table[n_c + k_c].
"""

from __future__ import annotations

from cherrysim.flowers import BLACK, Flowers
from cherrysim.rules import Rules

BEYOND_TABLE = 5
"""Points of each flower beyond the front table under the switch `front_beyond_ten=linear`."""


def front_points(front: Flowers, rules: Rules) -> int:
    """Points of the flowers in front of one screen, blacks taking the colours that are best together.

    >>> front_points(Flowers.parse("P3 L1 B2"), Rules()), front_points(Flowers.parse("B1"), Rules())
    (2, -3)
    """
    return sum(colour_points(n, rules) for n in front_counts(front, rules))


def colour_points(n: int, rules: Rules) -> int:
    """Points of n flowers of one colour in front."""
    beyond = n - (len(rules.front_table) - 1)
    if beyond <= 0:
        return rules.front_table[n]
    return rules.front_table[-1] + (BEYOND_TABLE * beyond if rules.front_beyond_ten == "linear" else 0)


def front_counts(front: Flowers, rules: Rules) -> tuple[int, ...]:
    """Flowers of each of the five colours with every black given one (ruling R25): the best assignment, of
    equally good ones that with most blacks to pink, then yellow, light blue, dark blue.

    >>> front_counts(Flowers.parse("P3 L1 B2"), Rules())
    (5, 0, 1, 0, 0)
    """
    own = front.counts[:BLACK]
    if not front.black:
        return own
    # Beyond the table every flower is worth the same, so of very many blacks all but these are alike: some
    # colour is then certain to be beyond it, and the rest join the first such.
    blacks = min(front.black, BLACK * (len(rules.front_table) - 1))
    worth = [[colour_points(n + k, rules) for k in range(blacks + 1)] for n in own]
    best = [worth[-1]]  # best[0][b]: most points of the colours from here on with b blacks among them
    for points in reversed(worth[:-1]):
        later = best[0]
        best.insert(0, [max(points[k] + later[b - k] for k in range(b + 1)) for b in range(blacks + 1)])
    counts, left = [], blacks
    for n, points, here, later in zip(own, worth, best, best[1:], strict=False):
        k = max(k for k in range(left + 1) if points[k] + later[left - k] == here[left])
        counts.append(n + k)
        left -= k
    counts.append(own[-1] + left)
    if front.black > blacks:
        first = next(c for c, n in enumerate(counts) if n >= len(rules.front_table) - 1)
        counts[first] += front.black - blacks
    return tuple(counts)
