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
from cherrysim.coming import CLEAR, Coming, Endings, Hopes, worked_out
from cherrysim.flowers import BLACK, COLOURS, Flowers
from cherrysim.hands import PATTERNS, SETS, Hand, colours_in, keeps, matches, universe
from cherrysim.moves import Draw, Keep, Move, Stop
from cherrysim.rules import CARDS
from cherrysim.table import BONUS, COLLECT, DISPLAY, KEEP, KENROKUEN, Table, moved
from cherrysim.turn import Valuation, solve
from cherrysim.valuing import KINDS, Judge, Model, Tables, Utility, View, kept_of_drawn, mean_of, outlook_of

LATE = 5
"""With so few flowers left a player for the victory values every display of every collection."""
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
        ends = self._ends_of_turn(table)
        keep = []
        for hand in universe(table.rules).hands:
            if ends.late(hand):
                judge, full = self._shown(table, hand)
                keep.append(judge.display(full)[0])
            else:
                keep.append(ends.keep(hand).value)
        return Valuation(tuple(keep), tuple(ends.bust(colours) for colours in range(SETS)), self.unit)

    def outlooks(self, table: Table) -> tuple[dict[Hand, list[float]], list[list[float]]]:
        """What every seat can expect (`Judge.expected`) after every end of the turn: collections that may
        still come, then failures by set of colours. The own values are those of `valuation`."""
        table = _as_seen(table)
        ends = self._ends_of_turn(table)
        expected = self.judge(table).expected_of
        kept = {}
        for hand in universe(table.rules).hands:
            if not ends.possible(hand) or not all(map(int.__ge__, hand, table.hand.counts)):
                continue
            if ends.late(hand):
                judge, full = self._shown(table, hand)
                kept[hand] = judge.outlook(full, judge.display(full)[1])
            else:
                kept[hand] = mean_of([(p, expected(rows)) for p, rows in ends.keep(hand).parts])
        pairs = [ends.best_kept(colours)[1] for colours in range(SETS)]
        failed = []
        for pair in pairs:
            hopes = ends.kept_late(pair)
            failed.append(outlook_of(hopes) if hopes else expected(ends.laid(pair, sum(pair))))
        return kept, failed

    def judge(self, table: Table) -> Judge:
        """Who values the displays at a table, what the player to move may still choose put back."""
        back = table.hand if table.phase == KEEP else Flowers()
        if table.bonus is not None and table.bonus.card != KENROKUEN:
            back = table.bonus.drawn
        view = View.of(_as_seen(table), back)
        tables = self.model.tables(view, 4, mixed=True) if view.bag else None
        return Judge(view, tables, self.utility, self.shares)

    def choose(self, table: Table) -> Move:
        """The move of the player to move; others' secret flowers are not looked at."""
        table = _as_seen(table)
        if table.phase == COLLECT:
            return self._collect(table)
        if table.phase == KEEP:
            view = View.of(table, table.hand)
            return Keep(Flowers(*self._ends(view, 3).best_kept(colours_in(table.hand.counts))[1]))
        if table.bonus is not None and table.bonus.card != KENROKUEN:
            gains = self.judge(table).gains(table)
            drawn = [c for c in range(BLACK) if table.bonus.drawn.counts[c]]
            best = None
            for c in drawn:
                if best is None or gains[c] > gains[best] + CLEAR:
                    best = c
            return Keep(
                Flowers() if best is None else Flowers(*(int(c == best) for c in range(len(COLOURS))))
            )
        judge = self.judge(table)
        if table.phase == BONUS:
            return judge.place(table, 0)[1]
        return judge.display(table)[1] if table.phase == DISPLAY else judge.hide(table, 0)[1]

    def _ends(self, view: View, sizes: int) -> _Ends:
        tables = self.model.tables(view, sizes, mixed=False)
        return _Ends(view, tables, self.utility, self.shares)

    def _ends_of_turn(self, table: Table) -> _Ends:
        view = View.of(table, table.hand)
        return self._ends(view, min(view.rules.flowers, view.bag) + 3)

    def _shown(self, table: Table, hand: Hand) -> tuple[Judge, Table]:
        """A collection at hand and who values its displays, every one of them."""
        full = moved(table, hand=Flowers(*hand), phase=DISPLAY, bonus=None)
        return self.judge(full).quick(), full

    def _collect(self, table: Table) -> Move:
        unseen, hand = table.unseen, table.hand
        if not (unseen + hand).total - (unseen + hand).black:  # ruling R22
            return Stop() if hand.total else Draw(1)
        belief = Belief.of(unseen, unseen.total - table.bag_size)
        at = Position(belief, unseen, hand, table.draws_used, table.rules)
        draw = solve(at, self.valuation(table)).best().draw
        return Draw(draw) if draw else Stop()


class Best(NamedTuple):
    """The best that may be made of a collection: its value, and the model's rows with their chances."""

    value: float
    parts: list[tuple[float, list[float]]]


UNUSABLE = Best(float("-inf"), [])


class _Change(NamedTuple):
    """What a card changes in the model's rows, and whose front for a gift."""

    rows: list[float]
    rival: int = -1


class _Ends:
    """The ends of one turn, from tables filled at its start."""

    def __init__(self, view: View, tables: Tables, utility: Utility, shares: bool) -> None:
        self.view, self.tables, self.utility = view, tables, utility
        self.seats = range(view.rules.players)
        self.own = view.seat
        self.cards = [(name, PATTERNS.index(CARDS[name].pattern)) for name in view.rules.cards]
        self.shares = shares
        self.endings = Endings(view.rules)
        self.regard = self._regard() if shares else [0.0] * len(self.seats)
        self.takes: dict[int, _Change | None] = {}
        self.colours: dict[tuple[str, int], list[int]] = {}
        self.changes: dict[tuple[str, int], list[float] | None] = {}

    def possible(self, hand: Hand) -> bool:
        """Whether the bag may give a collection."""
        return 0 < sum(hand) <= self.view.bag and all(
            n <= k for n, k in zip(hand, self.view.pool, strict=True)
        )

    def late(self, hand: Hand) -> bool:
        """Whether every display of a collection is valued: it empties the bag, or a share is wanted and there
        is little left."""
        near = self.shares and self.view.bag <= LATE
        return self.possible(hand) and (near or sum(hand) == self.view.bag)

    def keep(self, hand: Hand) -> Best:
        """What stopping with a collection is worth: no card, or any it matches."""
        if not self.possible(hand):
            return Best(0.0, [])
        size = sum(hand)
        found = [self.hidden(hand, self.laid(hand, size), size, NONE)]
        for name, pattern in self.cards:
            if matches(hand, PATTERNS[pattern]):
                found.append(self.card(hand, name))
        return max(found, key=lambda best: best.value)

    def bust(self, colours: int) -> float:
        """What a failure with these colours is worth."""
        return self.best_kept(colours)[0]

    def best_kept(self, colours: int) -> tuple[float, Hand]:
        """The best flowers to keep, of equals the first."""
        best: tuple[float, Hand] | None = None
        for kept in keeps(colours):
            value = self.kept_value(kept)
            if best is None or value > best[0] + CLEAR:
                best = value, kept
        assert best is not None
        return best

    def kept_value(self, kept: Hand) -> float:
        """What keeping these of a failure is worth."""
        hopes = self.kept_late(kept)
        return hopes[self.own] if hopes else self.value(self.laid(kept, sum(kept)))

    def kept_late(self, kept: Hand) -> Hopes:
        """What every seat can expect with these kept, where few flowers are left; else nothing."""
        view, left = self.view, self.view.bag - sum(kept)
        pool = [n - k for n, k in zip(view.pool, kept, strict=True)]
        if not self.shares or any(view.secrets) or not worked_out(left, view.rules) or min(pool) < 0:
            return []
        fronts = list(map(tuple, view.fronts))
        fronts[self.own] = tuple(n + k for n, k in zip(fronts[self.own], kept, strict=True))
        coming = Coming(self.endings, fronts, view.behinds)
        return coming.come(pool, left, (self.own + 1) % len(fronts))

    def value(self, rows: list[float]) -> float:
        """What the rows are worth to the player to move."""
        return self.utility(rows[: len(self.seats)], self.own)

    def laid(self, hand: Hand, size: int) -> list[float]:
        """The rows with a collection in front and `size` flowers gone."""
        rows = list(self.tables.base[size])
        for c, n in enumerate(hand):
            if n:
                self.add(rows, size, self.own, c, n)
        return rows

    def front(self, size: int, colour: int, n: int, seat: int | None = None) -> float:
        """The change of z for n flowers more of a colour in a seat's front, the own one by default."""
        return self.tables.front[size][self.own if seat is None else seat][colour][1 + n]

    def add(self, rows: list[float], size: int, seat: int, colour: int, n: int, rate: float = 1.0) -> None:
        """Add such a change, times a rate, to all rows of the seat."""
        for row in range(seat, len(rows), len(self.seats)):
            rows[row] += rate * self.tables.front[size][row][colour][1 + n]

    def hidden(self, hand: Hand, rows: list[float], size: int, behind: tuple[int, int, int]) -> Best:
        """The best over what to hide of a collection all of which the rows count in front."""
        best = self.with_behind(rows, size, behind)
        value = self.value(best)
        for c, n in enumerate(hand):
            if n:
                to = [k + n * (kind == KINDS[c]) for kind, k in enumerate(behind)]
                hiding = self.with_behind(rows, size, (to[0], to[1], to[2]))
                self.add(hiding, size, self.own, c, n, -1.0)
                if (new := self.value(hiding)) > value:
                    value, best = new, hiding
        return Best(value, [(1.0, best)])

    def with_behind(self, rows: list[float], size: int, behind: tuple[int, int, int]) -> list[float]:
        """The rows with flowers behind the own screen."""
        return [a + b for a, b in zip(rows, self.tables.behind[size][behind], strict=True)]

    def card(self, hand: Hand, name: str) -> Best:
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
            return UNUSABLE
        rows = [a + b for a, b in zip(self.laid(hand, size), change, strict=True)]
        self.beside(rows, name, hand, size)
        return self.hidden(hand, rows, size, NONE)

    def beside(self, rows: list[float], card: str, hand: Hand, size: int) -> None:
        """Count flowers taken beside those of their colour in hand, where a share is wanted."""
        for c in self.colours.get((card, size), []) if self.shares else []:
            for n, rate in ((hand[c] + 1, 1.0), (hand[c], -1.0), (1, -1.0)):
                self.add(rows, size, self.own, c, n, rate)

    def secret(self, hand: Hand) -> Best:
        size, pool = sum(hand) + 1, self.view.pool
        value, parts = 0.0, []
        for kind, behind in enumerate(ALONE):
            left = sum(pool[c] - hand[c] for c in range(len(COLOURS)) if KINDS[c] == kind)
            if left > 0:
                chance = left / (sum(pool) - sum(hand))
                best = self.hidden(hand, self.laid(hand, size), size, behind)
                value += chance * best.value
                parts.append((chance, best.parts[0][1]))
        return Best(value, parts)

    def sent_behind(self, hand: Hand) -> Best:
        """Somei Yoshino: a flower of the collection, or the best of its kind in front, goes behind."""
        size = sum(hand)
        found = []
        for kind, behind in enumerate(ALONE):
            colours = [c for c in range(len(COLOURS)) if KINDS[c] == kind]
            for c in colours:
                if hand[c]:
                    rows = self.laid(_less(hand, c), size)
                    found.append(self.hidden(_less(hand, c), rows, size, behind))
            in_front = [c for c in colours if self.view.fronts[self.own][c]]
            if in_front:
                rows = self.laid(hand, size)
                self.add(rows, size, self.own, max(in_front, key=lambda c: self.front(size, c, -1)), -1)
                found.append(self.hidden(hand, rows, size, behind))
        return max(found, key=lambda best: best.value)

    def traded(self, hand: Hand) -> Best:
        """Sakuya Hime: the best flower taken, and the own one whose loss hurts least given for it."""
        size = sum(hand)
        take = self.take(size)
        if take is None:
            return UNUSABLE
        best, given = float("-inf"), -1
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
                    best, given = lost - gift, place
        left = _less(hand, given) if given < len(COLOURS) else hand
        rows = [a + b for a, b in zip(self.laid(left, size), take.rows, strict=True)]
        if given >= len(COLOURS):
            self.add(rows, size, self.own, given - len(COLOURS), -1)
        self.add(rows, size, take.rival, given % len(COLOURS), 1)
        self.beside(rows, "sakuya_hime", hand, size)
        return self.hidden(left, rows, size, NONE)

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
                self.colours["sakuya_hime", size] = [best[2]]
        return self.takes[size]

    def nothing(self) -> list[float]:
        """Rows of no change."""
        return [0.0] * len(self.tables.base[0])

    def taken(self, size: int, takes: list[tuple[int, int]]) -> list[float]:
        """The change of the rows by flowers taken, each (rival, colour)."""
        rows = self.nothing()
        for rival, colour in takes:
            self.add(rows, size, self.own, colour, 1)
            self.add(rows, size, rival, colour, -1)
        return rows

    def change(self, name: str, size: int) -> list[float] | None:
        """What a card changes whatever the collection; None if it cannot be used."""
        if (name, size) not in self.changes:
            found = {"komatsu_otome": self.kept, "kenrokuen_kumagai": self.gifts, "kokonoe": self.pair}[name]
            self.changes[name, size] = found(size)
        return self.changes[name, size]

    def kept(self, size: int) -> list[float]:
        """Komatsu Otome: the best of the colours drawn, in front."""
        rows = self.nothing()
        drawn = min(3, max(self.view.bag - size + 1, 1))
        gains = [self.front(size, c, 1) for c in range(BLACK)]
        for c, chance in kept_of_drawn(drawn, self.view.pool, gains):
            if c is not None:
                self.add(rows, size, self.own, c, 1, chance)
        return rows

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
        if best is None:
            return None
        self.colours["kokonoe", size] = [colour for _, colour in best[1]]
        return self.taken(size, best[1])

    def gifts(self, size: int) -> list[float]:
        """Kenrokuen Kumagai: each flower where it is best on its own."""
        rows = self.nothing()
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
                rows = [a + rate * b for a, b in zip(rows, behind, strict=True)]
            else:
                self.add(rows, size, place, c, 1, rate)
        return rows


def _as_seen(table: Table) -> Table:
    """The table as its mover sees it; what happened before does not matter."""
    return moved(table, history=None).seen_by(table.to_move)


def _less(hand: Hand, colour: int) -> Hand:
    """A collection with one flower of a colour less."""
    return (*hand[:colour], hand[colour] - 1, *hand[colour + 1 :])
