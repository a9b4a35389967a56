"""A policy that values the table, on the readable engine: its valuation of a turn and its choice in every
phase.

The readable twin of `kernels.prospects`, which says how cards count before the collection is known, and of
`kernels.acting`. Rulebook: "Turn Overview"; rulings R10 to R22.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import exp
from typing import NamedTuple

from cherrysim.belief import Belief
from cherrysim.chances import Position
from cherrysim.flowers import BLACK, COLOURS, Flowers
from cherrysim.hands import PATTERNS, SETS, Hand, colours_in, keeps, matches, universe
from cherrysim.moves import Draw, Keep, Move, Stop
from cherrysim.rules import CARDS
from cherrysim.table import BONUS, COLLECT, DISPLAY, KEEP, KENROKUEN, Table, moved
from cherrysim.turn import Valuation, solve
from cherrysim.valuing import CLEAR, KINDS, Judge, Model, Tables, Utility, View, best_of_drawn

ALONE = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
"""One flower of each kind behind."""
NONE = (0, 0, 0)


@dataclass(frozen=True)
class Valued:
    """A policy made of a model and a utility; `unit` is what its values are in, `shares` whether z are logits
    of shares."""

    model: Model
    utility: Utility
    unit: str
    shares: bool = False

    def valuation(self, table: Table) -> Valuation:
        """What every end of the turn is worth to the player to move, from the turn's start on."""
        table = _as_seen(table)
        view = View.of(table, table.hand)
        sizes = min(view.rules.flowers, view.bag) + 3
        ends = self._ends(view, sizes)
        start = moved(table, hand=Flowers(), draws_used=0, phase=COLLECT, bonus=None)
        hands = universe(view.rules).hands
        keep = tuple(
            self._last(start, hand) if sum(hand) == view.bag and ends.possible(hand) else ends.keep(hand)
            for hand in hands
        )
        return Valuation(keep, tuple(ends.bust(colours) for colours in range(SETS)), self.unit)

    def choose(self, table: Table) -> Move:
        """The move of the player to move; others' secret flowers are not looked at."""
        table = _as_seen(table)
        if table.phase == COLLECT:
            return self._collect(table)
        if table.phase == KEEP:
            view = View.of(table, table.hand)
            return Keep(Flowers(*self._ends(view, 3).best_kept(colours_in(table.hand.counts))[1]))
        if table.bonus is not None and table.bonus.card != KENROKUEN:
            gains = self._judge(table, table.bonus.drawn).gains(table)
            drawn = [c for c in range(BLACK) if table.bonus.drawn.counts[c]]
            best = max(drawn, key=lambda c: gains[c]) if drawn else None
            return Keep(
                Flowers() if best is None else Flowers(*(int(c == best) for c in range(len(COLOURS))))
            )
        judge = self._judge(table)
        if table.phase == BONUS:
            return judge.place(table, 0)[1]
        return judge.display(table)[1] if table.phase == DISPLAY else judge.hide(table, 0)[1]

    def _judge(self, table: Table, back: Flowers | None = None) -> Judge:
        view = View.of(table, back)
        tables = self.model.tables(view, 4, mixed=True) if view.bag else None
        return Judge(view, tables, self.utility, self.shares)

    def _ends(self, view: View, sizes: int) -> _Ends:
        return _Ends(view, self.model.tables(view, sizes, mixed=False), self.utility, self.shares)

    def _last(self, start: Table, hand: Hand) -> float:
        """What emptying the bag with a collection is worth, every display valued."""
        return self._judge(full := moved(start, hand=Flowers(*hand), phase=DISPLAY)).display(full)[0]

    def _collect(self, table: Table) -> Move:
        unseen, hand = table.unseen, table.hand
        if not (unseen + hand).total - (unseen + hand).black:  # ruling R22
            return Stop() if hand.total else Draw(1)
        belief = Belief.of(unseen, unseen.total - table.bag_size)
        at = Position(belief, unseen, hand, table.draws_used, table.rules)
        draw = solve(at, self.valuation(table)).best().draw
        return Draw(draw) if draw else Stop()


class _Change(NamedTuple):
    """What a card changes in every seat's z, and whose front for a gift."""

    z: list[float]
    rival: int = -1


class _Ends:
    """The ends of one turn, from tables filled at its start."""

    def __init__(self, view: View, tables: Tables, utility: Utility, shares: bool) -> None:
        self.view, self.tables, self.utility = view, tables, utility
        self.seats = range(view.rules.players)
        self.own = view.seat
        self.cards = [(name, PATTERNS.index(CARDS[name].pattern)) for name in view.rules.cards]
        self.regard = self._regard() if shares else [0.0] * len(self.seats)
        self.takes: dict[int, _Change | None] = {}
        self.changes: dict[tuple[str, int], list[float] | None] = {}

    def possible(self, hand: Hand) -> bool:
        """Whether the bag may give a collection."""
        return 0 < sum(hand) <= self.view.bag and all(
            n <= k for n, k in zip(hand, self.view.pool, strict=True)
        )

    def keep(self, hand: Hand) -> float:
        """What stopping with a collection is worth: no card, or any it matches."""
        if not self.possible(hand):
            return 0.0
        best = self.hidden(hand, self.laid(hand, sum(hand)), sum(hand), NONE)
        for name, pattern in self.cards:
            if matches(hand, PATTERNS[pattern]):
                best = max(best, self.card(hand, name))
        return best

    def bust(self, colours: int) -> float:
        """What a failure with these colours is worth."""
        return self.best_kept(colours)[0]

    def best_kept(self, colours: int) -> tuple[float, Hand]:
        """The best flowers to keep, of equals the first."""
        best: tuple[float, Hand] | None = None
        for kept in keeps(colours):
            value = self.utility(self.laid(kept, sum(kept)), self.own)
            if best is None or value > best[0] + CLEAR:
                best = value, kept
        assert best is not None
        return best

    def laid(self, hand: Hand, size: int) -> list[float]:
        """All seats' z with a collection in front and `size` flowers gone."""
        z = list(self.tables.base[size])
        for c, n in enumerate(hand):
            if n:
                z[self.own] += self.front(size, c, n)
        return z

    def front(self, size: int, colour: int, n: int, seat: int | None = None) -> float:
        """The change for n flowers more of a colour in a seat's front, the own one by default."""
        return self.tables.front[size][self.own if seat is None else seat][colour][1 + n]

    def hidden(self, hand: Hand, z: list[float], size: int, behind: tuple[int, int, int]) -> float:
        """The best utility over what to hide of a collection all of which z counts in front."""
        best = self.utility(self.with_behind(z, size, behind), self.own)
        for c, n in enumerate(hand):
            if n:
                to = [k + n * (kind == KINDS[c]) for kind, k in enumerate(behind)]
                moved_z = self.with_behind(z, size, (to[0], to[1], to[2]))
                moved_z[self.own] -= self.front(size, c, n)
                best = max(best, self.utility(moved_z, self.own))
        return best

    def with_behind(self, z: list[float], size: int, behind: tuple[int, int, int]) -> list[float]:
        """z with flowers behind the own screen."""
        return [a + b for a, b in zip(z, self.tables.behind[size][behind], strict=True)]

    def card(self, hand: Hand, name: str) -> float:
        """What stopping with a collection and using a card is worth."""
        size = sum(hand)
        if name == "shin_sumizome":
            return self.secret(hand)
        if name == "somei_yoshino":
            return self.sent_behind(hand)
        if name == "sakuya_hime":
            return self.traded(hand)
        size += {"komatsu_otome": 1, "kenrokuen_kumagai": 2}.get(name, 0)
        change = self.change(name, size)
        if change is None:
            return float("-inf")
        z = [a + b for a, b in zip(self.laid(hand, size), change, strict=True)]
        return self.hidden(hand, z, size, NONE)

    def secret(self, hand: Hand) -> float:
        size, pool = sum(hand) + 1, self.view.pool
        value = 0.0
        for kind, behind in enumerate(ALONE):
            left = sum(pool[c] - hand[c] for c in range(len(COLOURS)) if KINDS[c] == kind)
            if left > 0:
                chance = left / (sum(pool) - sum(hand))
                value += chance * self.hidden(hand, self.laid(hand, size), size, behind)
        return value

    def sent_behind(self, hand: Hand) -> float:
        """Somei Yoshino: a flower of the collection, or the best of its kind in front, goes behind."""
        size = sum(hand)
        best = float("-inf")
        for kind, behind in enumerate(ALONE):
            colours = [c for c in range(len(COLOURS)) if KINDS[c] == kind]
            for c in colours:
                if hand[c]:
                    z = self.laid(hand, size)
                    z[self.own] += self.front(size, c, hand[c] - 1) - self.front(size, c, hand[c])
                    best = max(best, self.hidden(_less(hand, c), z, size, behind))
            gains = [self.front(size, c, -1) for c in colours if self.view.fronts[self.own][c]]
            if gains:
                z = self.laid(hand, size)
                z[self.own] += max(gains)
                best = max(best, self.hidden(hand, z, size, behind))
        return best

    def traded(self, hand: Hand) -> float:
        """Sakuya Hime: the best flower taken, and the own one whose loss hurts least given for it."""
        size = sum(hand)
        take = self.take(size)
        if take is None:
            return float("-inf")
        best, given, loss = float("-inf"), -1, 0.0
        regard = self.regard[take.rival]
        for c in range(len(COLOURS)):
            gift = regard * self.front(size, c, 1, take.rival)
            losses = []
            if hand[c]:
                losses.append((self.front(size, c, hand[c] - 1) - self.front(size, c, hand[c]), c))
            if self.view.fronts[self.own][c]:
                losses.append((self.front(size, c, -1), len(COLOURS) + c))
            for lost, place in losses:
                if lost - gift > best + CLEAR:
                    best, given, loss = lost - gift, place, lost
        z = [a + b for a, b in zip(self.laid(hand, size), take.z, strict=True)]
        z[self.own] += loss
        z[take.rival] += self.front(size, given % len(COLOURS), 1, take.rival)
        return self.hidden(_less(hand, given) if given < len(COLOURS) else hand, z, size, NONE)

    def _regard(self) -> list[float]:
        """How much a small gain of another seat lowers the own share, as a part of what an own one adds."""
        z = self.tables.base[0]
        odds = [0.0 if s == self.own else exp(z[s] - z[self.own]) for s in self.seats]
        return [value / sum(odds) for value in odds]

    def taking(self, size: int, rival: int, colour: int) -> float:
        """The own gain, less the rival's by regard, of a flower taken."""
        lost = self.regard[rival] * self.front(size, colour, -1, rival)
        return self.front(size, colour, 1) - lost

    def in_front_of(self, rival: int) -> list[int]:
        """The colours that may be taken from a rival."""
        return [c for c in range(BLACK) if rival != self.own and self.view.fronts[rival][c]]

    def take(self, size: int) -> _Change | None:
        """The best flower for Sakuya Hime to take."""
        if size not in self.takes:
            best: tuple[float, int, int] | None = None
            for rival in self.seats:
                for c in self.in_front_of(rival):
                    gain = self.taking(size, rival, c)
                    if best is None or gain > best[0] + CLEAR:
                        best = gain, rival, c
            self.takes[size] = None
            if best is not None:
                self.takes[size] = _Change(self.taken(size, [best[1:]]), best[1])
        return self.takes[size]

    def taken(self, size: int, takes: list[tuple[int, int]]) -> list[float]:
        """The change of all z by flowers taken, each (rival, colour)."""
        z = [0.0] * len(self.seats)
        for rival, colour in takes:
            z[self.own] += self.front(size, colour, 1)
            z[rival] += self.front(size, colour, -1, rival)
        return z

    def change(self, name: str, size: int) -> list[float] | None:
        """What a card changes whatever the collection; None if it cannot be used."""
        if (name, size) not in self.changes:
            found = {"komatsu_otome": self.kept, "kenrokuen_kumagai": self.gifts, "kokonoe": self.pair}[name]
            self.changes[name, size] = found(size)
        return self.changes[name, size]

    def kept(self, size: int) -> list[float]:
        """Komatsu Otome: the best of the colours drawn, in front."""
        z = [0.0] * len(self.seats)
        drawn = min(3, max(self.view.bag - size + 1, 1))
        gains = [self.front(size, c, 1) for c in range(BLACK)]
        z[self.own] = best_of_drawn(drawn, self.view.pool, gains, 0.0)
        return z

    def pair(self, size: int) -> list[float] | None:
        """Kokonoe: the best pair of two rivals, or of the only one."""
        best: tuple[float, list[tuple[int, int]]] | None = None
        takes = [(rival, c) for rival in self.seats for c in self.in_front_of(rival)]
        for first, second in product(takes, repeat=2):
            apart = first[0] < second[0] or (len(self.seats) == 2 and first[0] == second[0])
            if apart and first[1] != second[1]:
                gain = self.taking(size, *first) + self.taking(size, *second)
                if best is None or gain > best[0] + CLEAR:
                    best = gain, [first, second]
        return None if best is None else self.taken(size, best[1])

    def gifts(self, size: int) -> list[float]:
        """Kenrokuen Kumagai: each flower where it is best on its own."""
        z = [0.0] * len(self.seats)
        drawn, tokens = min(2, max(self.view.bag - size + 2, 0)), sum(self.view.pool)
        for c, n in enumerate(self.view.pool):
            if not n:
                continue
            behind = self.tables.behind[size][ALONE[KINDS[c]]]
            others = [s for s in self.seats if s != self.own]
            gain = behind[self.own] - sum(self.regard[s] * behind[s] for s in others)
            options = [(self.front(size, c, 1), self.own), (gain, -1)]
            options += [(-self.regard[s] * self.front(size, c, 1, s), s) for s in others]
            best = options[0]
            for option in options[1:]:
                if option[0] > best[0] + CLEAR:
                    best = option
            rate, place = drawn * n / tokens, best[1]
            if place < 0:
                z = [a + rate * b for a, b in zip(z, behind, strict=True)]
            else:
                z[place] += rate * self.front(size, c, 1, place)
        return z


def _as_seen(table: Table) -> Table:
    """The table as its mover sees it; what happened before does not matter."""
    return moved(table, history=None).seen_by(table.to_move)


def _less(hand: Hand, colour: int) -> Hand:
    """A collection with one flower of a colour less."""
    return (*hand[:colour], hand[colour] - 1, *hand[colour + 1 :])
