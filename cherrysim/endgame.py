"""The exact endgame: late tables solved to the last flower, every seat playing for itself.

Rulebook: all of it; rulings R8 to R23 on the way, R26 at the end by expectation. Backward induction over the
tables between two turns, each worth a vector: the share of the victory and the expected score of every seat.
Whoever chooses takes

    the largest own share, then the largest margin (own expected score less a rival's best expected score),

then the first of `engine.legal_moves`: stop, the smaller draw; cards in the game's order, hiding none, the
first colour. Everybody carries the same exact belief about the bag, so flowers that one seat alone has seen
are refused. A failure with blacks alone hands the same table on, so its n tables (one for each seat to move)
are solved together: with every seat's draws fixed they are linear, v_i = a_i + q_i v_(i+1), and the draws are
improved until they answer each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from cherrysim.allowed import KOKONOE, SAKUYA, SHIN, SOMEI, draw_size, legal_moves
from cherrysim.belief import Belief
from cherrysim.drawing import NO_FLOWERS, Drawing, masses
from cherrysim.engine import after
from cherrysim.flowers import COLOURS, Flowers, Refused
from cherrysim.hands import Hand, matches
from cherrysim.knowledge import belief
from cherrysim.moves import Draw, Keep, Move, Stop, UseCard
from cherrysim.rules import CARDS, Rules
from cherrysim.standing import (
    Ending,
    Standings,
    exchanges,
    future,
    gained,
    hides,
    one_kept,
    placings,
    standing,
    with_seat,
)
from cherrysim.table import BONUS_DRAWS, COLLECT, KENROKUEN, KOMATSU, Table
from cherrysim.worth import (
    Packing,
    Worth,
    exact,
    first_best,
    handed_round,
    margins,
    mean,
    raised,
    without_onward,
    worth,
)

LIMIT = 200_000
"""So many tables are visited for one answer unless told otherwise: about 20 seconds and 150 MB."""
SWEEPS = 1_000
"""So often the draws at tables that hand each other on are improved before they are said never to settle."""

Ends = list[Worth]
"""What each way to end a turn's draws is worth; empty where it is not to be asked."""


@dataclass(frozen=True, slots=True)
class EndOption:
    """A move, and every seat's share of the victory and expected score when all play on for themselves."""

    move: Move
    shares: tuple[Fraction, ...]
    scores: tuple[Fraction, ...]

    @property
    def margins(self) -> tuple[Fraction, ...]:
        """Every seat's expected score less the best expected score among its rivals."""
        return margins(self.scores)


@dataclass(frozen=True, slots=True)
class EndValue:
    """A table solved: the options of the seat to move in the order of `engine.legal_moves`, the best of them
    (None once the game is over), and what the table is worth to every seat; all exact.

    A move that is certain to change nothing is no option (ruling R22). `visited` is how many tables between
    two turns, ended ones included, were new on the way.
    """

    seat: int
    options: tuple[EndOption, ...]
    best: EndOption | None
    shares: tuple[Fraction, ...]
    scores: tuple[Fraction, ...]
    visited: int

    @property
    def margins(self) -> tuple[Fraction, ...]:
        """Every seat's expected score less the best expected score among its rivals."""
        return margins(self.scores)


def solve_end(table: Table, limit: int = LIMIT) -> EndValue:
    """A late table in any phase, solved exactly.

    `Refused` where a flower is or may become known to one seat alone, where one was not watched, and where
    more than `limit` tables can follow. Without a history hidden flowers are taken as a sample of everything
    unseen; from here on beliefs are exact. How late is late, as the number of flowers in the bag when a turn
    begins (one core of 2 GHz, random tables, a tenth of a millisecond each; cards add up to three fifths):

        players  1 s  10 s  60 s
        2         5     6     7     three tokens more are unseen
        3         5     7     8
        4         5     6     7

    Source: backward induction; the formula of this module.

    >>> from cherrysim.table import Seat
    >>> seats = (Seat("Ann", Flowers.parse("P9")), Seat("Ben", Flowers.parse("Y9")))
    >>> rules = Rules(players=2, counts=Flowers.parse("P9 Y9 L1 W1"), cards=())
    >>> end = solve_end(Table(rules, seats))
    >>> end.best.move, [str(share) for share in end.shares], end.visited
    (Draw(n=1), ['1', '0'], 14)
    """
    return Endgame(table.rules, limit).solve(table)


class Endgame:
    """Solves tables of one game and keeps what it has solved, so that later ones are quick.

    `limit` holds for each call of `solve`.
    """

    def __init__(self, rules: Rules, limit: int = LIMIT) -> None:
        self.rules, self.limit = rules, limit
        self._seats = rules.players
        self._visited = 0
        self._solved: dict[object, Worth] = {}
        self._drawings: dict[tuple[Belief, Hand], Drawing] = {}
        self._bonus: dict[tuple[Belief, int], list[tuple[int, Hand, Belief]]] = {}
        self._still: dict[Belief, Hand | None] = {}
        self._futures: dict[object, tuple[int, object]] = {}
        self._ending = Ending(rules)

    def solve(self, table: Table) -> EndValue:
        """The table solved; see `solve_end`."""
        if table.rules != self.rules:
            raise Refused("a table of other rules; an Endgame solves those of its own; make another one")
        _check(table)
        self._visited = 0
        bag = belief(table)
        found = [] if table.over else self._options(table, bag)
        values = [value for _, value in found] or [self._table(table, bag)]
        top = self._best(table.to_move, values)
        options = tuple(EndOption(move, *exact(value, self._seats)) for move, value in found)
        best = options[values.index(top)] if options else None
        return EndValue(table.to_move, options, best, *exact(top, self._seats), self._visited)

    # The turn under way, by the engine.

    def _options(self, table: Table, bag: Belief) -> list[tuple[Move, Worth]]:
        """Every move with its worth."""
        if table.phase != COLLECT:
            return [(move, self._move(table, move, bag)) for move in legal_moves(table)]
        seat, seats = table.to_move, tuple(map(standing, table.seats))
        left = table.rules.draws - table.draws_used
        if not left:
            return [(Stop(), self._display(seat, seats, table.hand.counts, bag))]
        drawing = self._drawing(bag, table.hand.counts)
        keep, bust = self._ends(seat, seats, drawing)
        if drawing.circle >= 0:
            bust[drawing.circle] = self._turn(self._after(seat), seats, bag)
        choices = self._choices(seat, drawing, keep, bust, left)
        return [(Draw(n) if n else Stop(), value) for n, value in choices]

    def _move(self, table: Table, move: Move, bag: Belief) -> Worth:
        if isinstance(move, UseCard) and move.card == SHIN:
            raise _secret(table.hand.counts)
        n = draw_size(table, move)
        if n:
            found = self._bonus_draws(bag, n)
            return mean([(p, self._table(after(table, move, Flowers(*d)), rest)) for p, d, rest in found])
        if isinstance(move, Keep):
            middle = table.bonus.drawn if table.bonus else table.hand
            bag = bag.put_back(middle - move.flowers)
        return self._table(after(table, move), bag)

    def _table(self, table: Table, bag: Belief) -> Worth:
        """What a table in any phase is worth."""
        if table.over and table.splits is not None:
            players = table.score().players
            return worth([player.share for player in players], [player.total for player in players])
        if table.over or (table.phase == COLLECT and not table.hand.total):
            return self._turn(table.to_move, tuple(map(standing, table.seats)), bag)
        return self._best(table.to_move, [value for _, value in self._options(table, bag)])

    # Tables between two turns.

    def _turn(self, seat: int, seats: Standings, bag: Belief) -> Worth:
        """What a table is worth when this seat's turn begins."""
        points, decides = self._decides(seats, bag)
        key = seat, bag, decides
        if key not in self._solved:
            for mover, value in self._solve(seat, seats, bag).items():
                self._solved[mover, bag, decides] = raised(value, -points, self._seats)
        return raised(self._solved[key], points, self._seats)

    def _decides(self, seats: Standings, bag: Belief) -> tuple[int, object]:
        """Points to add to every score, and all else that decides a table whoever is to move."""
        if bag not in self._still:
            self._still[bag] = self._still_to_come(bag)
        most = self._still[bag]
        if most is None:
            return 0, seats
        found = []
        for own in seats:
            key = own, most
            if key not in self._futures:
                self._futures[key] = future(own, most, self.rules)
            found.append(self._futures[key])
        base = found[0][0]
        return base, tuple([(points - base, rest) for points, rest in found])

    def _still_to_come(self, bag: Belief) -> Hand | None:
        """The most of each colour that may come to a front; None where cards may still move what is there."""
        patterns = {CARDS[card].pattern for card in self.rules.cards if card in (SOMEI, SAKUYA, KOKONOE)}
        if patterns and bag.size:
            for hand in self._drawing(bag, NO_FLOWERS).safe:
                if any(matches(hand, pattern) for pattern in patterns):
                    return None
        return tuple(max(pool[c] for pool, _ in bag.pools) if bag.size else 0 for c in range(len(COLOURS)))

    def _solve(self, seat: int, seats: Standings, bag: Belief) -> dict[int, Worth]:
        """What a new table is worth to move for this seat, or for each where the table may go round."""
        drawing = self._drawing(bag, NO_FLOWERS) if bag.size else None
        circle = drawing is not None and drawing.circle >= 0
        self._visited += self._seats if circle else 1
        if self._visited > self.limit:
            raise Refused(
                f"more than {self.limit} tables can follow; the exact endgame visits {self.limit}; "
                "ask later in the game or use another method"
            )
        if drawing is None:
            return {seat: self._ending.worth(seats)}
        if circle:
            return dict(enumerate(self._circle(seats, drawing)))
        keep, bust = self._ends(seat, seats, drawing)
        choices = self._choices(seat, drawing, keep, bust, self.rules.draws)
        return {seat: self._best(seat, [value for _, value in choices])}

    def _circle(self, seats: Standings, drawing: Drawing) -> list[Worth]:
        """The worths for each seat to move where failures with blacks alone hand the table round.

        From one flower a turn on, the draws are improved for all seats at once against the present worths.
        """
        ends = [self._ends(seat, seats, drawing) for seat in range(self._seats)]
        for keep, bust in ends:
            keep[:] = [(*value, 0) if value else () for value in keep]
            bust[:] = [(*value, 0) if value else () for value in bust]
        linear = []
        for keep, _ in ends:
            # One flower never fails: what it is worth goes on to nobody.
            linear.append(mean([(ways, keep[place]) for place, ways in drawing.steps[0][0][0]]))
        known: list[Worth] = []
        for _ in range(SWEEPS):
            worths = handed_round(linear)
            if worths == known:
                return worths
            known, linear = worths, []
            for seat, (keep, bust) in enumerate(ends):
                onward = known[self._after(seat)]
                bust[drawing.circle] = (*onward, onward[0])
                choices = self._choices(seat, drawing, keep, bust, self.rules.draws)
                best = self._best(seat, [value for _, value in choices])
                linear.append(without_onward(best, onward))
        raise Refused(
            "failures with blacks alone hand this table round, and the seats' draws never answer each other; "
            "the exact endgame needs draws that do; ask later in the game or use another method"
        )

    def _ends(self, seat: int, seats: Standings, drawing: Drawing) -> tuple[Ends, Ends]:
        """What it is worth to stop with each safe collection, and to fail in each way but the one that
        changes nothing."""
        then, own = self._after(seat), seats[seat]
        keep = [
            self._display(seat, seats, hand, rest) if sum(hand) else ()
            for hand, rest in zip(drawing.safe, drawing.rests, strict=True)
        ]
        bust: Ends = [
            ()
            if place == drawing.circle
            else self._best(
                seat,
                [self._turn(then, with_seat(seats, seat, gained(own, kept)), bag) for kept, bag in ways],
            )
            for place, ways in enumerate(drawing.failures)
        ]
        return keep, bust

    def _choices(
        self, seat: int, drawing: Drawing, keep: Ends, bust: Ends, left: int
    ) -> list[tuple[int, Worth]]:
        """Each choice at the start of the drawing (0: stop) with its worth when the turn goes on well."""
        left = min(left, drawing.draws)
        packing = Packing([*keep, *bust], seat, self._seats, drawing.scale, left)
        stops, fails = packing.numbers[: len(keep)], packing.numbers[len(keep) :]
        held = [sum(hand) for hand in drawing.safe]
        failed = [[sum([p * fails[f] for f, p in lost]) for _, lost in steps] for steps in drawing.steps]
        values = dict(enumerate(stops))
        for draws in range(1, left + 1):
            power = drawing.scale ** (draws - 1)
            level = {}
            for i in range(len(held)) if draws < left else (0,):
                if held[i] - held[0] < left - draws:
                    continue
                options = [] if not held[i] else [stops[i] * power * drawing.scale]
                for (safe, _), lost in zip(drawing.steps[i], failed[i], strict=True):
                    options.append(sum([p * values[j] for j, p in safe]) + power * lost)
                if draws == left:
                    sizes = range(0 if held[0] else 1, len(options) + 1)
                    return [
                        (n, packing.vector(value, left)) for n, value in zip(sizes, options, strict=False)
                    ]
                level[i] = packing.first_best(options)
            values = level
        return [(0, keep[0])]

    # A display.

    def _display(self, seat: int, seats: Standings, hand: Hand, bag: Belief) -> Worth:
        """The best a seat can do with a success: a card or none, then what to hide."""
        found = [
            self._card(card, seat, seats, hand, bag)
            for card in self.rules.cards
            if matches(hand, CARDS[card].pattern)
        ]
        return self._best(seat, [*filter(None, found), self._hide(seat, seats, hand, bag)])

    def _hide(self, seat: int, seats: Standings, hand: Hand, bag: Belief) -> Worth:
        then, own = self._after(seat), seats[seat]
        return self._best(
            seat,
            [self._turn(then, with_seat(seats, seat, gained(own, change)), bag) for change in hides(hand)],
        )

    def _card(self, card: str, seat: int, seats: Standings, hand: Hand, bag: Belief) -> Worth:
        """The best a seat can do with a card; empty where it cannot be carried out."""
        if card not in (KOMATSU, KENROKUEN):
            ways = exchanges(card, seats, seat, hand)
            return self._best(seat, [self._hide(seat, new, left, bag) for new, left in ways])
        n = min(BONUS_DRAWS[card], bag.size)
        if not n:
            return self._hide(seat, seats, hand, bag)
        found = []
        for weight, drawn, rest in self._bonus_draws(bag, n):
            if card == KENROKUEN:
                values = [self._hide(seat, new, hand, rest) for new in placings(seats, seat, drawn)]
            else:
                kept = one_kept(seats, seat, drawn)
                values = [self._hide(seat, new, hand, rest.put_back(back)) for new, back in kept]
            found.append((weight, self._best(seat, values)))
        return mean(found)

    def _bonus_draws(self, bag: Belief, n: int) -> list[tuple[int, Hand, Belief]]:
        """Every draw of n with its weight and the belief it leaves."""
        if (bag, n) not in self._bonus:
            self._bonus[bag, n] = [
                (ways, drawn, bag.draw(Flowers(*drawn))) for drawn, ways in masses(bag, n) if sum(drawn) == n
            ]
        return self._bonus[bag, n]

    # Small things.

    def _drawing(self, bag: Belief, hand: Hand) -> Drawing:
        if (bag, hand) not in self._drawings:
            drawing = Drawing(bag, hand, self.rules)
            if SHIN in self.rules.cards:
                for held in drawing.safe:
                    if matches(held, CARDS[SHIN].pattern):
                        raise _secret(held)
            self._drawings[bag, hand] = drawing
        return self._drawings[bag, hand]

    def _best(self, seat: int, values: Sequence[Worth]) -> Worth:
        return first_best(values, seat, self._seats)

    def _after(self, seat: int) -> int:
        return (seat + 1) % self._seats


def _check(table: Table) -> None:
    """Refuse what not all seats know; at the end of a game everything is shown."""
    for own in table.seats:
        unknown = ((own.unseen_behind, "not watched"), (own.secret, "secret"))
        for n, what in (*unknown, (0 if table.over else own.own_secret.total, "secret")):
            if n:
                raise Refused(
                    f"{n} of the flowers behind {own.name}'s screen {'is' if n == 1 else 'are'} {what}; the "
                    "exact endgame needs what all have seen; name their colours or use another method"
                )


def _secret(hand: Hand) -> Refused:
    title = CARDS[SHIN].title
    return Refused(
        f"{Flowers(*hand).letters} can still earn {title}, whose flower one seat alone sees; the exact "
        "endgame needs what all have seen; ask when no collection can earn it, or use another method"
    )
