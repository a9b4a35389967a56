"""A table valued by the player to move: what every display, every safe collection and every failure is worth.

The readable twin of `kernels.worth` and `kernels.showing`. Rulebook: "Display Flowers";
rulings R10 to R20. A model gives every seat a number z for the table after a display, as a sum of parts, with
`size` flowers more out of the bag than when its tables were filled:

    z[s] = base[size][s] + sum over colours c of front[size][s][c][1 + change in front] + behind[size][w, c,
    x][s],

w warm, c cool, x wild flowers more behind the own screen. A utility turns the z of all seats into what the
player wants. A model may go on with as many rows again, every seat's expected final score, summed up alike.
Displays come from `engine`; where the bag is empty the true score counts, and for a share what is worked out
(`coming`) where it is nearly empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from typing import Protocol

from cherrysim.allowed import ONE, SHIN
from cherrysim.coming import (
    CLEAR,
    Coming,
    Endings,
    Hopes,
    colours_left,
    kinds_of,
    not_lying,
    scored,
    worked_out,
)
from cherrysim.engine import after, draw_size, legal_moves
from cherrysim.flowers import BLACK, COLOURS, LETTERS, Flowers
from cherrysim.moves import Hide, Keep, Move, UseCard
from cherrysim.rules import Rules
from cherrysim.table import (
    BONUS_DRAWS,
    HIDE,
    KOMATSU,
    Table,
    moved,
    replaced,
)

KINDS = (0, 0, 1, 1, 2, 2)
"""Warm, cool, wild by colour."""

Counts = Sequence[int]
Utility = Callable[[Sequence[float], int], float]
"""What a seat makes of the z of all seats."""


@dataclass(frozen=True)
class View:
    """What the seat to move sees: flowers in front and known behind, how many are secret, and of the bag what
    may be in it and how much is. The collection and flowers drawn for a card lie nowhere."""

    rules: Rules
    seat: int
    fronts: tuple[Counts, ...]
    behinds: tuple[Counts, ...]
    secrets: Counts
    pool: Counts
    bag: int

    @classmethod
    def of(cls, table: Table, back: Flowers | None = None) -> View:
        """The mover's view of a table, with these flowers put back into the bag."""
        mover = table.to_move
        known = [seat.all_behind if i == mover else seat.behind for i, seat in enumerate(table.seats)]
        secrets = [
            seat.unseen_behind + seat.secret + (seat.own_secret.total if i != mover else 0)
            for i, seat in enumerate(table.seats)
        ]
        pool = table.unseen if back is None else table.unseen + back
        bag = table.bag_size + (back.total if back is not None else 0)
        fronts = tuple(seat.front.counts for seat in table.seats)
        return cls(table.rules, mover, fronts, tuple(k.counts for k in known), secrets, pool.counts, bag)


@dataclass(frozen=True)
class Tables:
    """A model's tables for sizes 0, 1, ...: a row for every seat's z, then perhaps for its score; see the
    module."""

    base: list[list[float]]
    front: list[list[list[list[float]]]]
    behind: list[dict[tuple[int, int, int], list[float]]]


class Model(Protocol):
    """Fills tables: with `mixed` also for several kinds of flowers going behind at once, which else add
    up."""

    def tables(self, view: View, sizes: int, mixed: bool) -> Tables: ...


def added_up(behind: dict[tuple[int, int, int], list[float]], most: int) -> None:
    """Fill the entries for several kinds as if each went alone."""
    for w in range(most + 1):
        for c in range(most + 1 - w):
            for x in range(most + 1 - w - c):
                if (w > 0) + (c > 0) + (x > 0) > 1:
                    alone = zip(behind[w, 0, 0], behind[0, c, 0], behind[0, 0, x], strict=True)
                    behind[w, c, x] = [a + b + d for a, b, d in alone]


class Judge:
    """Values displays of the player to move at a table, from tables filled for its view of the moment; with
    `shares` an ended game counts by the share of the victory."""

    def __init__(self, view: View, tables: Tables | None, utility: Utility, shares: bool = False) -> None:
        self.view, self.tables, self.utility, self.shares = view, tables, utility, shares
        self.few = shares and not sum(view.secrets)
        self.cards = self
        self.endings = Endings(view.rules)

    def quick(self) -> Judge:
        """The same, quick enough for every collection of a turn: displays by a card that nearly empty the bag
        count by the model."""
        self.cards = copy(self)
        self.cards.few, self.cards.cards = False, self.cards
        return self

    def worth(self, ended: Table, size: int) -> float:
        """What the table after a display is worth, `size` flowers more having left the bag."""
        view, players = self.view, self.view.rules.players
        if self.known(size):
            hopes = self.hopes(ended, size)
            return hopes[view.seat] if self.shares else self.utility(hopes[players:], view.seat)
        return self.utility(self.rows(ended, size)[:players], view.seat)

    def known(self, size: int) -> bool:
        """Whether what comes after a display need not be learned: the game ends, or for a share nearly."""
        left = self.view.bag - size
        return left == 0 or (self.few and worked_out(left, self.view.rules))

    def rows(self, ended: Table, size: int) -> list[float]:
        """All rows of the model after a display, the bag not being empty."""
        assert self.tables is not None
        view, front = self.view, self.tables.front[size]
        rows = list(self.tables.base[size])
        for s, seat in enumerate(ended.seats):
            for c in range(len(COLOURS)):
                change = seat.front.counts[c] - view.fronts[s][c]
                if change:
                    for row in range(s, len(rows), len(ended.seats)):
                        rows[row] += front[row][c][1 + change]
        own = ended.seats[view.seat].all_behind.counts
        gone = kinds_of([n - k for n, k in zip(own, view.behinds[view.seat], strict=True)])
        return [a + b for a, b in zip(rows, self.tables.behind[size][gone], strict=True)]

    def hopes(self, ended: Table, size: int) -> Hopes:
        """What the seats can expect of a game that ends or nearly ends so, others' secret flowers dealt out
        in turn."""
        view = self.view
        own = ended.seats[view.seat].all_behind.counts
        fronts = [seat.front.counts for seat in ended.seats]
        known = [flowers if i != view.seat else own for i, flowers in enumerate(view.behinds)]
        left = not_lying(view.rules, [*fronts, *known])
        if view.bag > size:
            mover = (view.seat + 1) % len(fronts)
            return Coming(self.endings, fronts, known).come(left, view.bag - size, mover)
        if not sum(view.secrets):
            return scored(fronts, known, view.rules)
        row = colours_left(left)
        found = [0.0] * (2 * len(fronts))
        for start in range(len(row)):
            behinds, at = [], start
            for flowers, n in zip(known, view.secrets, strict=True):
                dealt = [row[(at + i) % len(row)] for i in range(n)]
                at += n
                behinds.append([k + dealt.count(c) for c, k in enumerate(flowers)])
            for i, value in enumerate(scored(fronts, behinds, view.rules, settled=True)):
                found[i] += 1.0 / len(row) * value
        return found

    def expected(self, ended: Table, size: int) -> list[float]:
        """What every seat can expect after a display by a model of shares: the share of the victory of each,
        then the final score of each; then the shares again as far as they are worked out, not learned, and
        the chance of that."""
        if self.known(size):
            return outlook_of(self.hopes(ended, size))
        return self.expected_of(self.rows(ended, size))

    def expected_of(self, rows: Sequence[float]) -> list[float]:
        """The same from the model's rows."""
        players = self.view.rules.players
        learned = [*[self.utility(rows[:players], s) for s in range(players)], *rows[players:]]
        return [*learned, *[0.0] * (players + 1)]

    def outlook(self, table: Table, move: Move, size: int = 0) -> list[float]:
        """What every seat can expect (see `expected`) once the player to move has done this and, where more
        is to be decided in this turn, then what is best for it."""
        if isinstance(move, Hide):
            return self.expected(after(table, move), size)
        if isinstance(move, Keep):
            if not table.bonus:
                return self.expected(after(table, move), move.flowers.total)
            kept = next((c for c, n in enumerate(move.flowers.counts) if n), None)
            return self._hidden(_with_kept(table, kept), int(kept is not None))
        if isinstance(move, UseCard) and draw_size(table, move):
            return mean_of(list(self.cards._drawn(table, move)))
        return self.cards._hidden(after(table, move), size)

    def _hidden(self, table: Table, size: int) -> list[float]:
        """What every seat can expect when the best colour is hidden."""
        return self.outlook(table, self.hide(table, size)[1], size)

    def _drawn(self, table: Table, move: UseCard) -> Iterator[tuple[float, list[float]]]:
        """What every seat can expect of a card that draws: the outcomes with their chances."""
        if move.card == SHIN:
            for c, chance in self._secrets():
                yield chance, self._hidden(_with_secret(table, c), 1)
        elif move.card == KOMATSU:
            *gains, _ = self.gains(table)
            for kept, chance in kept_of_drawn(draw_size(table, move), self.view.pool, gains):
                yield chance, self._hidden(_with_kept(table, kept), int(kept is not None))
        else:
            for drawn, chance in self._pairs(draw_size(table, move)):
                to_place = after(table, move, drawn)
                place = self.place(to_place, drawn.total)[1]
                yield chance, self.outlook(to_place, place, drawn.total)

    def hide(self, table: Table, size: int) -> tuple[float, Move]:
        """The best colour to hide."""
        return first_best((self.worth(after(table, move), size), move) for move in hides(table))

    def display(self, table: Table) -> tuple[float, Move]:
        """The best display and its first move: no card, then each card in each way."""
        return first_best([self.hide(table, 0), *self.cards._cards(table)])

    def _cards(self, table: Table) -> Iterator[tuple[float, Move]]:
        for move in legal_moves(table):
            if not isinstance(move, UseCard):
                continue
            if move.card not in BONUS_DRAWS:
                yield self.hide(after(table, move), 0)[0], move
            elif table.bag_size and move.card == SHIN:
                yield self._secret(table, move), move
            elif table.bag_size and move.card == KOMATSU:
                yield self._kept(table, draw_size(table, move)), move
            elif table.bag_size:
                yield self._placed(table, move), move

    def _secret(self, table: Table, move: UseCard) -> float:
        return sum([p * self.hide(_with_secret(table, c), 1)[0] for c, p in self._secrets()])

    def _secrets(self) -> Iterator[tuple[int, float]]:
        """The colours that Shin Sumizome may bring, with their chances."""
        pool = self.view.pool
        return ((c, n / sum(pool)) for c, n in enumerate(pool) if n)

    def gains(self, table: Table) -> list[float]:
        """What each colour kept of Komatsu Otome's flowers is worth, none last; -inf where there are none."""
        found = []
        for c in range(BLACK):
            gain = float("-inf")
            if self.view.pool[c]:
                gain = self.hide(_with_kept(table, c), 1)[0]
            found.append(gain)
        return [*found, self.hide(_with_kept(table, None), 0)[0]]

    def _kept(self, table: Table, drawn: int) -> float:
        *gains, none = self.gains(table)
        return best_of_drawn(drawn, self.view.pool, gains, none)

    def _placed(self, table: Table, move: UseCard) -> float:
        n = draw_size(table, move)
        return sum([p * self.place(after(table, move, drawn), n)[0] for drawn, p in self._pairs(n)])

    def _pairs(self, n: int) -> Iterator[tuple[Flowers, float]]:
        """What Kenrokuen Kumagai may bring, with the chances."""
        pool, tokens = list(self.view.pool), sum(self.view.pool)
        for drawn in combinations_with_replacement(range(len(COLOURS)), n):
            left, chance = list(pool), 1.0
            for i, c in enumerate(drawn):
                chance = chance * left[c] / (tokens - i)
                left[c] -= 1
            if min(left) < 0 or not chance:
                continue
            flowers = sum((ONE[LETTERS[c]] for c in drawn), Flowers())
            yield flowers, chance * (2.0 if n == 2 and drawn[0] != drawn[1] else 1.0)

    def place(self, table: Table, size: int) -> tuple[float, Move]:
        """The best places for Kenrokuen Kumagai's flowers."""
        return first_best((self.hide(after(table, move), size)[0], move) for move in legal_moves(table))


def outlook_of(hopes: Hopes) -> list[float]:
    """What every seat can expect (see `Judge.expected`) where that is worked out."""
    return [*hopes, *hopes[: len(hopes) // 2], 1.0]


def hides(table: Table) -> list[Move]:
    """The ways to hide a colour or none."""
    return [move for move in legal_moves(table) if isinstance(move, Hide)]


def first_best(options: Iterator[tuple[float, Move]] | list[tuple[float, Move]]) -> tuple[float, Move]:
    """The first option that no later one clearly beats."""
    best: tuple[float, Move] | None = None
    for option in options:
        if best is None or option[0] > best[0] + CLEAR:
            best = option
    assert best is not None
    return best


def best_of_drawn(drawn: int, pool: Counts, gains: Sequence[float], none: float) -> float:
    """The expectation of the largest gain among the colours of so many flowers drawn from a pool."""
    kept = kept_of_drawn(drawn, pool, gains)
    return sum([chance * (none if c is None else gains[c]) for c, chance in kept])


def kept_of_drawn(drawn: int, pool: Counts, gains: Sequence[float]) -> Iterator[tuple[int | None, float]]:
    """The chance of each colour to be the one of the largest gain among so many flowers drawn; None: blacks
    alone."""
    tokens, missed, tried = sum(pool), 1.0, 0
    for c in sorted((c for c in range(BLACK) if pool[c]), key=lambda c: -gains[c]):
        tried += pool[c]
        still = 1.0
        for j in range(drawn):
            still *= max(tokens - tried - j, 0) / max(tokens - j, 1)
        yield c, missed - still
        missed = still
    if missed > 0:
        yield None, missed


def mean_of(parts: Sequence[tuple[float, Sequence[float]]]) -> list[float]:
    """The mean of rows with their chances."""
    return [
        sum([p * row for (p, _), row in zip(parts, column, strict=True)])
        for column in zip(*[rows for _, rows in parts], strict=True)
    ]


def _with_secret(table: Table, colour: int) -> Table:
    """The table once Shin Sumizome has given its player a flower of this colour."""
    own = table.mover
    new = replace(own, own_secret=own.own_secret + ONE[LETTERS[colour]])
    return moved(table, seats=replaced(table.seats, table.to_move, new), phase=HIDE)


def _with_kept(table: Table, colour: int | None) -> Table:
    """The table once Komatsu Otome has brought a flower of this colour, or none."""
    own = table.mover
    new = own if colour is None else replace(own, front=own.front + ONE[LETTERS[colour]])
    return moved(table, seats=replaced(table.seats, table.to_move, new), phase=HIDE, bonus=None)
