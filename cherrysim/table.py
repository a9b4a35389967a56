"""The table: who has what where, whose turn it is, and what each player can know.

Rulebook: "Game Elements", "Turn Overview", "2-Player Variant"; rulings R8, R9, R15, R23. The bag is never
stored:

    bag = start bag - all in front, behind, in hand, drawn for a card - flowers that nobody here can see,

so flowers cannot get lost, and a table that holds more flowers than the game has is refused. A table may know
the colours of secret flowers (a game being simulated) or not (a player's view, `Table.seen_by`): it is one
type.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cherrysim.behind import Split
from cherrysim.flowers import NOTHING, Flowers, Refused, number_of, shown
from cherrysim.hands import conditions, matches
from cherrysim.moves import Event, Secret, followed_out
from cherrysim.names import fitted, name_of, names_of
from cherrysim.rules import CARDS, Rules
from cherrysim.scoring import Score, score

COLLECT, DISPLAY, BONUS, HIDE, KEEP = PHASES = ("collect", "display", "bonus", "hide", "keep")
"""Stop or draw; a success is complete; flowers drawn for a card wait; what to hide; after a failure."""

BONUS_DRAWS = {"shin_sumizome": 1, "komatsu_otome": 3, "kenrokuen_kumagai": 2}
"""The cards that draw, and how many flowers."""
KOMATSU, KENROKUEN = "komatsu_otome", "kenrokuen_kumagai"
"""The cards whose player decides after seeing what was drawn."""


@dataclass(frozen=True, slots=True)
class Seat:
    """One player's flowers: in `front`, and `behind` the screen those that went there for all to see.

    Behind are also `unseen_behind` flowers that nobody here watched, `secret` ones drawn in secret whose
    colours are not known here, and `own_secret`, drawn in secret and known.

    >>> str(Seat("Ann", Flowers.parse("P3"), Flowers.parse("L2"), own_secret=Flowers.parse("W1")).all_behind)
    'L2 W1'
    """

    name: str
    front: Flowers = NOTHING
    behind: Flowers = NOTHING
    unseen_behind: int = 0
    secret: int = 0
    own_secret: Flowers = NOTHING

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", name_of(self.name))
        for name in ("unseen_behind", "secret"):
            n = getattr(self, name)
            if type(n) is not int or n < 0:
                raise Refused(
                    f"{name} of {self.name} is {shown(n)}; it is a whole number from 0 up; correct it"
                )

    @property
    def all_behind(self) -> Flowers:
        """Everything behind the screen whose colour is known here."""
        return self.behind + self.own_secret

    @property
    def unknown(self) -> int:
        """How many flowers behind the screen have a colour that is not known here."""
        return self.unseen_behind + self.secret


@dataclass(frozen=True, slots=True)
class Bonus:
    """Flowers drawn for a card that lie in the middle until it is decided where they go."""

    card: str
    drawn: Flowers


@dataclass(frozen=True)
class Table:
    """A moment of a game; raises `Refused` for one that cannot be. `engine.after` gives the next.

    `phase` is one of `PHASES`; `history` are the events of the whole game so far, this turn's among them,
    None where they are not known; `splits` how every seat will split its wilds, or None. Seats count from 0.
    Source: rulebook, "Turn Overview".

    >>> seats = (Seat("Ann", Flowers.parse("P2")), Seat("Ben"))
    >>> table = Table(Rules.official(2), seats, hand=Flowers.parse("L1"), draws_used=1)
    >>> table.bag_size, str(table.unseen)
    (63, 'P11 Y13 L12 D13 W13 B4')
    """

    rules: Rules
    seats: tuple[Seat, ...]
    to_move: int = 0
    hand: Flowers = NOTHING
    draws_used: int = 0
    phase: str = COLLECT
    bonus: Bonus | None = None
    history: tuple[Event, ...] | None = None
    splits: tuple[Split | None, ...] | None = None

    def __post_init__(self) -> None:
        _check_seats(self)
        _check_flowers(self)
        _check_turn(self)
        _check_phase(self)
        if self.history is not None:
            _check_history(self, self.history)

    @classmethod
    def start(cls, rules: Rules, names: Sequence[str] | None = None) -> Table:
        """A new game, its history known from here on."""
        names = names_of([f"Seat {seat}" for seat in range(rules.players)] if names is None else names)
        return cls(rules, tuple(map(Seat, names)), history=())

    @property
    def mover(self) -> Seat:
        """The player to move."""
        return self.seats[self.to_move]

    @cached_property
    def out(self) -> Flowers:
        """All flowers outside the bag whose colours are known here."""
        known = [self.hand] if self.bonus is None else [self.hand, self.bonus.drawn]
        for seat in self.seats:
            known += (seat.front, seat.behind, seat.own_secret)
        return Flowers(*map(sum, zip(*(flowers.counts for flowers in known), strict=True)))

    @cached_property
    def pool(self) -> Flowers:
        """Flowers that may be in the bag as far as this table knows; `hidden` of them are not."""
        return self.rules.counts - self.out

    @cached_property
    def hidden(self) -> int:
        """How many flowers of the pool are elsewhere: set aside, drawn in secret, not watched."""
        return self.rules.set_aside + sum(seat.unknown for seat in self.seats)

    @cached_property
    def bag_size(self) -> int:
        """How many flowers are in the bag."""
        return self.pool.total - self.hidden

    @property
    def over(self) -> bool:
        """Whether the turn that emptied the bag has ended the game (ruling R23)."""
        return not self.bag_size and not self.hand.total

    @property
    def unseen(self) -> Flowers:
        """Flowers that may be in the bag as far as the player to move can know; after the end everybody."""
        if self.over:
            return self.pool
        others = [seat.own_secret for i, seat in enumerate(self.seats) if i != self.to_move]
        return sum(others, self.pool)

    def seen_by(self, seat: int) -> Table:
        """The table as this seat knows it: the colours of the others' secret flowers are forgotten."""
        seats = tuple(
            own
            if i == seat or not own.own_secret.total
            else dataclasses.replace(own, secret=own.secret + own.own_secret.total, own_secret=NOTHING)
            for i, own in enumerate(self.seats)
        )
        history = self.history and tuple(
            Secret(event.seat) if isinstance(event, Secret) and event.seat != seat else event
            for event in self.history
        )
        return moved(self, seats=seats, history=history)

    def revealed(self, seat: int, flowers: Flowers) -> Table:
        """The table with the flowers behind this seat's screen shown that were not known, as at the end of a
        game."""
        own = self.seats[seat]
        if flowers.total != own.unknown:
            what = "flower" if own.unseen_behind else "secret flower"
            raise Refused(
                f"{flowers} revealed behind {own.name}'s screen; "
                f"unknown there: {number_of(own.unknown, what)}; reveal just these"
            )
        shown = dataclasses.replace(own, unseen_behind=0, secret=0, own_secret=own.own_secret + flowers)
        history = self.history
        if history is not None and (own.unknown, history.count(Secret(seat))) == (1, 1):
            history = tuple(Secret(seat, flowers) if event == Secret(seat) else event for event in history)
        elif own.unknown:
            history = None  # which of several was drawn when is not known
        return dataclasses.replace(self, seats=replaced(self.seats, seat, shown), history=history)

    def score(self) -> Score:
        """The score if the game ended with what is displayed; refused while flowers are unknown."""
        for seat in self.seats:
            for n, what in ((seat.unseen_behind, "not watched"), (seat.secret, "secret")):
                if n:
                    raise Refused(
                        f"{n} of the flowers behind {seat.name}'s screen {'is' if n == 1 else 'are'} {what}; "
                        "a score needs every flower; name their colours"
                    )
        return score(
            [seat.front for seat in self.seats],
            [seat.all_behind for seat in self.seats],
            self.rules,
            self.splits,
            [seat.name for seat in self.seats],
            self.bag_size + self.hand.total + (self.bonus.drawn.total if self.bonus else 0),
        )

    def to_json(self) -> dict[str, Any]:
        """The table file of what the player to move knows; of everything once the game is over."""
        view = self if self.over else self.seen_by(self.to_move)
        bonus, history, splits = view.bonus, view.history, view.splits
        return {
            "rules": {"players": self.rules.players, "cards": list(self.rules.cards)}
            | self.rules.not_official,
            "seats": [
                {
                    "name": seat.name,
                    "front": str(seat.front),
                    "behind": str(seat.all_behind),
                    "unseen_behind": seat.unseen_behind,
                    "secret": seat.secret,
                }
                for seat in view.seats
            ],
            "to_move": view.to_move,
            "hand": str(view.hand),
            "draws_used": view.draws_used,
            "phase": view.phase,
            "bonus": bonus and {"card": bonus.card, "drawn": str(bonus.drawn)},
            "history": None if history is None else [event.to_json() for event in history],
            "splits": splits
            and [split and dict(zip(("warm", "cool"), split, strict=True)) for split in splits],
            "bag": str(view.unseen),
        }

    def __str__(self) -> str:
        hidden = self.unseen.total - self.bag_size
        size = self.bag_size
        bag = f"{size} of these {self.unseen.total}" if hidden else number_of(size, "flower")
        width = max(len("in front"), *(len(str(seat.front)) for seat in self.seats)) + 2
        rows = [f"{'':18}{'in front':<{width}}behind"]
        for i, seat in enumerate(self.seats):
            known = seat.all_behind if self.over or i == self.to_move else seat.behind
            secret = seat.secret + (seat.all_behind - known).total
            counted = ((secret, "secret"), (seat.unseen_behind, "not watched"))
            behind = " + ".join([str(known), *(f"{n} {what}" for n, what in counted if n)])
            rows.append(f"{fitted(seat.name, 16)}  {seat.front!s:<{width}}{behind}")
        return "\n".join((_moment(self), f"Bag: {bag}, {self.unseen}", "", *rows))


def replaced(seats: tuple[Seat, ...], seat: int, new: Seat) -> tuple[Seat, ...]:
    """The seats with one of them replaced."""
    return (*seats[:seat], new, *seats[seat + 1 :])


def moved(table: Table, **changes: object) -> Table:
    """The table with some fields changed by an allowed move, which needs no check at the door."""
    new = object.__new__(Table)
    fields = new.__dict__
    for name in _FIELDS:
        fields[name] = changes[name] if name in changes else table.__dict__[name]
    return new


_FIELDS = tuple(field.name for field in dataclasses.fields(Table))


def _check_seats(table: Table) -> None:
    seats, players = table.seats, table.rules.players
    if len(seats) != players:
        raise Refused(f"{len(seats)} seats; the rules are for {players} players; give {players} seats")
    names_of([seat.name for seat in seats])
    if type(table.to_move) is not int or not 0 <= table.to_move < players:
        raise Refused(
            f"to_move is {shown(table.to_move)}; seats count from 0 to {players - 1}; name one of them"
        )
    if table.splits is not None and len(table.splits) != players:
        raise Refused(
            f"{len(table.splits)} splits; there are {players} players; give each one, or null for all"
        )


def _check_flowers(table: Table) -> None:
    places = {"hand": table.hand} | ({"bonus": table.bonus.drawn} if table.bonus else {})
    for seat in table.seats:
        places |= {f"front of {seat.name}": seat.front, f"behind of {seat.name}": seat.all_behind}
    table.rules.check_has(**places)
    if table.bag_size < 0:
        raise Refused(
            f"{table.hidden} flowers are set aside, secret or not watched; "
            f"{table.pool.total} of the game are unseen; correct the counts"
        )


def _check_turn(table: Table) -> None:
    rules, n, used = table.rules, table.hand.total, table.draws_used
    if n > rules.flowers:
        raise Refused(
            f"hand {table.hand} is {number_of(n, 'flower')}; a turn allows {rules.flowers}; correct the hand"
        )
    if type(used) is not int or used < 0:
        raise Refused(f"draws_used is {shown(used)}; it is a whole number from 0 up; correct it")
    if bool(n) != bool(used):
        raise Refused(
            f"{number_of(used, 'draw')} used with {number_of(n, 'flower')} in hand; "
            "a draw takes a flower or more; correct one"
        )
    # A card may have given one flower of the collection away.
    if used > min(rules.draws, n + (table.phase == HIDE)):
        raise Refused(
            f"{number_of(used, 'draw')} used for {number_of(n, 'flower')}; "
            f"a turn allows {rules.draws} of a flower or more; correct it"
        )


def _check_phase(table: Table) -> None:
    phase, hand, bonus = table.phase, table.hand, table.bonus
    if phase not in PHASES:
        raise Refused(f"phase is {shown(phase)}; it is one of {', '.join(PHASES)}; choose one")
    if phase != COLLECT and not hand.total:
        raise Refused(f"phase {phase} with an empty hand; that phase follows a draw; give the hand")
    failed = conditions(hand.counts, table.rules)
    if bool(failed) != (phase == KEEP):
        state = "has failed" if failed else "has not failed"
        raise Refused(
            f"hand {hand} {state}; phase keep is for failed hands only; correct the phase or the hand"
        )
    if (bonus is not None) != (phase == BONUS):
        raise Refused("phase bonus and the flowers drawn for a card go together; give both or neither")
    if bonus is not None:
        _check_bonus(table, bonus)


def _check_bonus(table: Table, bonus: Bonus) -> None:
    if bonus.card not in table.rules.cards or bonus.card not in (KOMATSU, KENROKUEN):
        raise Refused(
            f"bonus card {shown(bonus.card)}; {KOMATSU} or {KENROKUEN} of this game lets choose; correct it"
        )
    if not matches(table.hand.counts, CARDS[bonus.card].pattern):
        raise Refused(
            f"hand {table.hand} does not match {bonus.card}; a card is used when it does; correct one"
        )
    n, most = bonus.drawn.total, BONUS_DRAWS[bonus.card]
    if not 1 <= n <= most or (n < most and table.bag_size):
        raise Refused(
            f"{number_of(n, 'flower')} drawn for {bonus.card}; "
            f"it draws {most}, fewer only from a short bag; correct it"
        )


def _check_history(table: Table, history: Iterable[Event]) -> None:
    """The events must be possible one after the other and leave outside the bag just what is there.

    Flowers not watched may have been drawn in secret, too, as far as this history knows."""
    out, secrets = NOTHING, [0] * len(table.seats)
    most = table.rules.counts.total - table.rules.set_aside
    for event, out in followed_out(history):
        if isinstance(event, Secret) and event.flower is None:
            secrets[event.seat] += 1
        elif out not in table.rules.counts or out.total + sum(secrets) > most:
            raise Refused(
                f"history leaves {out} out of the bag; it cannot have held so many; correct the history"
            )
    for seat, n in zip(table.seats, secrets, strict=True):
        if not seat.secret <= n <= seat.unknown:
            raise Refused(
                f"history has {number_of(n, 'secret flower')} of {seat.name}; "
                f"the seat has {seat.unknown}; correct one"
            )
    unwatched = sum(seat.unknown for seat in table.seats) - sum(secrets)
    if table.out not in out or out.total != table.out.total + unwatched:
        raise Refused(
            f"history leaves {out} out of the bag; on the table are {table.out}; correct one of them"
        )


def _moment(table: Table) -> str:
    """Whose move it is and what is to be decided."""
    if table.over:
        return "The bag is empty and the game over."
    bonus = f"; drawn for {CARDS[table.bonus.card].title}: {table.bonus.drawn}" if table.bonus else ""
    todo = {
        COLLECT: "stop or draw" if table.hand.total else "draw",
        DISPLAY: "a success: use a card, hide a colour or none",
        BONUS: "where do these go" if table.bonus and table.bonus.card == KENROKUEN else "which one to keep",
        HIDE: "hide a colour or none",
        KEEP: "a failure: which flowers to keep",
    }
    used = f", {table.draws_used} of {table.rules.draws} draws used" if table.hand.total else ""
    return f"{table.mover.name} to move, hand {table.hand}{used}{bonus}: {todo[table.phase]}."
