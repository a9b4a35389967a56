"""What a table is worth to every seat, exactly: a vector of whole numbers over one denominator.

Rulebook: "Final Scoring"; ruling R31. A seat compares its own share of the victory, then its own margin,

    margin = own expected score - largest expected score of a rival.

For the many sums of one turn the vectors of a seat that chooses are packed into single whole numbers, one
slot of bits for every entry and the own share in the topmost: adding two vectors is then one addition,
comparing two shares one shift.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import gcd, lcm

Worth = tuple[int, ...]
"""A denominator, then over it the share of every seat and the expected score of every seat."""


def worth(shares: Sequence[Fraction], scores: Sequence[Fraction]) -> Worth:
    """The vector of these shares and scores.

    >>> worth([Fraction(1, 2), Fraction(1, 2)], [Fraction(7), Fraction(20, 3)])
    (6, 3, 3, 42, 40)
    """
    common = lcm(*(value.denominator for value in (*shares, *scores)))
    return (common, *(int(value * common) for value in (*shares, *scores)))


def exact(vector: Worth, seats: int) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
    """Every seat's share and expected score."""
    values = tuple(Fraction(value, vector[0]) for value in vector[1 : 2 * seats + 1])
    return values[:seats], values[seats:]


def margins(scores: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Every seat's expected score less the best expected score among its rivals.

    >>> [str(margin) for margin in margins([Fraction(7), Fraction(4), Fraction(9, 2)])]
    ['5/2', '-3', '-5/2']
    """
    return tuple(own - max((*scores[:i], *scores[i + 1 :])) for i, own in enumerate(scores))


def raised(vector: Worth, points: int, seats: int) -> Worth:
    """The vector with so many points added to every seat's score."""
    if not points:
        return vector
    more = points * vector[0]
    return (*vector[: seats + 1], *[score + more for score in vector[seats + 1 :]])


def first_best(vectors: Iterable[Worth], seat: int, seats: int) -> Worth:
    """The first of the vectors that are best for a seat."""
    best: Worth = ()
    for vector in vectors:
        if not best:
            best = vector
            continue
        new, old = vector[1 + seat] * best[0], best[1 + seat] * vector[0]
        if new > old or (
            new == old and _margin(vector, seat, seats) * best[0] > _margin(best, seat, seats) * vector[0]
        ):
            best = vector
    return best


def _margin(vector: Worth, seat: int, seats: int) -> int:
    scores = vector[seats + 1 :]
    return scores[seat] - max(scores[:seat] + scores[seat + 1 : seats])


def mean(weighted: Sequence[tuple[int, Worth]]) -> Worth:
    """The average of vectors with whole-number weights.

    >>> mean([(1, (1, 1, 0, 5, 2)), (2, (2, 1, 1, 4, 5))])
    (3, 2, 1, 9, 7)
    """
    common = lcm(*(vector[0] for _, vector in weighted))
    total = common * sum(weight for weight, _ in weighted)
    scaled = [(weight * common // vector[0], vector) for weight, vector in weighted]
    entries = range(1, len(weighted[0][1]))
    return reduced((total, *(sum(weight * vector[k] for weight, vector in scaled) for k in entries)))


def reduced(vector: Worth) -> Worth:
    """The vector in lowest terms."""
    factor = gcd(*vector)
    return vector if factor == 1 else tuple(value // factor for value in vector)


def without_onward(value: Worth, onward: Worth) -> Worth:
    """v = a + q w with q as last entry of v, solved for a; q stays the last entry."""
    common, n = value[0] * onward[0], len(onward)
    q = value[-1]
    entries = [v * onward[0] - q * w for v, w in zip(value[1:n], onward[1:], strict=True)]
    return reduced((common, *entries, q * onward[0]))


def handed_round(linear: Sequence[Worth]) -> list[Worth]:
    """The v that satisfy v_i = a_i + q_i v_(i+1) all round, q_i being the last entry of the i-th vector."""
    exacts = [[Fraction(entry, vector[0]) for entry in vector[1:]] for vector in linear]
    total, chance = [Fraction(0)] * (len(exacts[0]) - 1), Fraction(1)
    for *a, q in exacts:
        total = [t + chance * entry for t, entry in zip(total, a, strict=True)]
        chance *= q
    values = [[entry / (1 - chance) for entry in total]]
    for *a, q in reversed(exacts[1:]):
        values.insert(0, [x + q * v for x, v in zip(a, values[0], strict=True)])
    found = [values[-1], *values[:-1]]
    half = len(found[0]) // 2
    return [worth(entries[:half], entries[half:]) for entries in found]


class Packing:
    """Vectors of one turn as single whole numbers, for the seat that chooses: `numbers[i]` is `vectors[i]`.

    All stand over one denominator; each of `draws` draws multiplies numbers and denominator by `scale`. An
    empty vector gives 0 and is not to be asked for.
    """

    def __init__(self, vectors: Sequence[Worth], seat: int, seats: int, scale: int, draws: int) -> None:
        self._seat, self._seats, self._scale = seat, seats, scale
        self._common = lcm(*{vector[0] for vector in vectors if vector})
        scaled = [[self._common // v[0] * value for value in v[1:]] if v else [] for v in vectors]
        self._low = min([0, *(min(entries) for entries in scaled if entries)])
        high = max(max(entries) for entries in scaled if entries) - self._low
        self._width = high.bit_length() + draws * scale.bit_length() + 1
        self._mask = (1 << self._width) - 1
        last = len(next(filter(None, scaled))) - 1
        self._top = self._width * last
        places = [*range(seat), last, *range(seat, last)]
        self._shifts: list[int] = [self._width * place for place in places]
        self._scores = [self._shifts[seats + i] for i in sorted(range(seats), key=seat.__ne__)]
        self.numbers = [self._pack(entries) for entries in scaled]

    def _pack(self, entries: Sequence[int]) -> int:
        low = self._low
        return sum([value - low << shift for value, shift in zip(entries, self._shifts, strict=False)])

    def first_best(self, numbers: Sequence[int]) -> int:
        """The first of the numbers, over one denominator, that are best for the seat."""
        if len(numbers) == 1:
            return numbers[0]
        shares = [number >> self._top for number in numbers]
        most = max(shares)
        if shares.count(most) == 1:
            return numbers[shares.index(most)]
        return max([n for n, share in zip(numbers, shares, strict=True) if share == most], key=self._margin)

    def _margin(self, number: int) -> int:
        own, *rivals = [number >> shift & self._mask for shift in self._scores]
        return own - max(rivals)

    def vector(self, number: int, draws: int) -> Worth:
        """A number after so many draws as a vector again."""
        scale: int = self._scale**draws
        low = self._low * scale
        entries = [(number >> shift & self._mask) + low for shift in self._shifts]
        return reduced((self._common * scale, *entries))
