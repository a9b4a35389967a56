"""Reading game records: each line is played as it is read; the first impossible one is refused by its number.

First `cherrysim record 1`, then players, cards, rules, seed, the numbered turns, end, reveal and split. A
record may stop anywhere, in the middle of a turn too: then it is a game in progress. `#` starts a comment;
names that hold signs of the record's own stand in quotes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from cherrysim.behind import Groups, Split, impossible_split
from cherrysim.engine import after
from cherrysim.flowers import LETTERS, Flowers, Refused, listed, shown
from cherrysim.knowledge import at_start, followed
from cherrysim.moves import (
    BEHIND,
    FRONT,
    Draw,
    Hide,
    Keep,
    Move,
    Overdraw,
    Pick,
    Place,
    Stop,
    Take,
    Unwatched,
    UseCard,
)
from cherrysim.names import names_of, unquoted
from cherrysim.records import HEADER, UNKNOWN, Record, Step, Turn, replay
from cherrysim.rules import Rules
from cherrysim.table import COLLECT, HIDE, KENROKUEN, KOMATSU, Table
from cherrysim.tablefile import read_table

MOST_TURNS = 2000
"""Longest game that is read, far longer than any that was played."""

_ONCE = ("cherrysim", "players", "cards", "rules", "seed", "end")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_PIECES = re.compile(rf"{_QUOTED.pattern}|.")
_TURN = re.compile(r"([0-9]+)\.\s*(.*)")
_SPLIT = re.compile(r"warm ([0-9]{1,9}) cool ([0-9]{1,9})")
_NUMBERS = re.compile(r"-?[0-9]{1,9}(,-?[0-9]{1,9})*")
_RESULT = re.compile(r"\b(card|hide|keep|over)\b")
_PICK = re.compile(r"(\S+) from (hand|front)(.*)")


def is_record(text: str) -> bool:
    """Whether a text says of itself that it is a game record."""
    opening = text[:4096].lstrip("\ufeff").split("\n")
    return any(line.split()[:2] == ["cherrysim", "record"] for line in opening)


def table_in(text: str) -> Table:
    """The table in a text: of a record at its last event, else of a table file in JSON or TOML.

    >>> str(table_in("cherrysim record 1\\nplayers Ann, Ben\\n1. Ann: PYY\\n").hand)
    'P1 Y2'
    """
    return replay(read_record(text)) if is_record(text) else read_table(text)


def read_record(text: str) -> Record:
    """The game in the text of a record; raises `Refused` with the number of the first impossible line.

    >>> record = read_record("cherrysim record 1\\nplayers Ann, Ben\\n1. Ann: PYY | L -> hide Y\\n")
    >>> len(record.turns), record.ended, read_record(str(record)) == record
    (1, False, True)
    """
    reader = _Reader()
    text = unicodedata.normalize("NFC", text.removeprefix("\ufeff")).replace("\r\n", "\n")
    number = 0
    try:
        for number, line in enumerate(text.split("\n"), 1):
            content = _parts(line, "#")[0].strip()
            if content:
                reader.read(content, number)
        return reader.record()
    except Refused as reason:
        raise Refused(f"line {number}: {reason}") from None


def unwatched(draws: str, result: str) -> Unwatched:
    """A turn of which flowers were not seen: they went behind the screen, the others lie in front.

    >>> str(unwatched("PY ??", "hide ?").front), unwatched("PY ??", "hide ?").behind
    ('P1 Y1', 2)
    """
    if result != f"hide {UNKNOWN}":
        raise Refused(
            f"{draws.strip()} -> {result or 'nothing'}; flowers drawn unseen are those that were hidden; "
            f"write hide {UNKNOWN}"
        )
    return Unwatched(Flowers.parse(re.sub(r"[?|\s]", "", draws)), draws.count(UNKNOWN))


class _Reader:
    """What has been read so far, and the table and the bag it has led to."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self.given: dict[str, Any] = {}
        self.names: tuple[str, ...] = ()
        self.seed: int | None = None
        self.start: Table | None = None
        self.turns: list[Turn] = []
        self.steps: list[Step] = []
        self.reveals: dict[int, Flowers] = {}
        self.splits: dict[int, Split] = {}

    def read(self, line: str, number: int) -> None:
        """Take in one line that is neither empty nor a comment."""
        word, _, rest = line.partition(" ")
        if not self.seen and " ".join(line.split()) != HEADER:
            raise Refused(f"{shown(line)} opens the file; a record opens with {HEADER!r}; begin so")
        if word in _ONCE:
            if word in self.seen:
                raise Refused(f"a second {word} line; a record has one; leave one out")
            self.seen.add(word)
            self.end() if word == "end" else self.header(word, rest.strip())
        elif turn := _TURN.fullmatch(line):
            self.turn(int(turn[1][:9]), turn[2], number)
        elif word in ("reveal", "split"):
            self.closing(word, rest.strip())
        else:
            raise Refused(
                f"{shown(line)} is no line of a record; it has players, cards, rules, seed, numbered turns, "
                "end, reveal, split; correct it"
            )

    def header(self, word: str, rest: str) -> None:
        """A line of the set-up."""
        if self.turns:
            raise Refused(f"{word} after the first turn; the set-up stands before the turns; move it up")
        if word == "players":
            self.names = names_of([unquoted(name) for name in _parts(rest, ",")])
            self.given["players"] = len(self.names)
        elif word == "cards":
            self.given["cards"] = rest
        elif word == "rules":
            self.given |= _rules(rest)
        elif word == "seed":
            if not re.fullmatch("[0-9]{1,20}", rest) or int(rest) >= 1 << 64:
                raise Refused(f"seed {shown(rest)}; it is a whole number below 2^64; correct it")
            self.seed = int(rest)
        if self.names:
            self.start = self.table = Table.start(Rules.from_mapping(self.given), self.names)
            self.bag = at_start(self.table)

    def turn(self, number: int, rest: str, line: int) -> None:
        """A numbered line: whose turn it is, what was drawn, what became of it."""
        self.begun(f"turn {number}")
        if self.turns and self.unfinished:
            raise Refused(f"turn {number}, but turn {len(self.turns)} is not finished; finish it first")
        if self.table.over:
            raise Refused(f"turn {number} after the bag was emptied; the game is over then; leave it out")
        if number != len(self.turns) + 1 or number > MOST_TURNS:
            raise Refused(
                f"turn {number} follows {len(self.turns)}; turns count 1, 2, ... to {MOST_TURNS}; correct it"
            )
        for seat, body in self.named(rest):
            if body.startswith(":"):
                if seat != self.table.to_move:
                    name = self.table.mover.name
                    raise Refused(f"turn {number} is {name}'s, not {self.names[seat]}'s; correct the name")
                self.play(body[1:])
                self.turns.append(Turn(seat, tuple(self.steps), line))
                self.steps = []
                return
        names = listed(self.names, "and")
        raise Refused(f"{shown(rest)} starts with no player's name; the players are {names}; correct it")

    @property
    def unfinished(self) -> bool:
        """Whether the last turn that was read goes on."""
        return self.table.phase != COLLECT or self.table.hand.total > 0 or not self.turns[-1].steps

    def begun(self, what: str) -> None:
        if self.start is None:
            raise Refused(f"{what} before the players; a record names them first; write players Ann, Ben")

    def play(self, body: str) -> None:
        """Play the moves that a turn's text stands for, one after the other."""
        draws, arrow, result = body.partition("->")
        if early := _RESULT.search(draws):
            raise Refused(
                f"{early[0]!r} among the draws; what became of a collection stands after ->; "
                f"write {draws[: early.start()].strip()} -> {early[0]} ..."
            )
        if UNKNOWN in draws:
            self.step(unwatched(draws, result.strip()))
            return
        over = False
        for text in draws.split("|") if draws.strip() else ():
            if over:
                raise Refused(f"{draws.strip()}; more than a turn allows ends it; leave out what follows")
            drawn = Flowers.parse(text.strip())
            over = self.table.hand.total + drawn.total > self.table.rules.flowers
            self.step(Overdraw(drawn.total) if over else Draw(drawn.total), drawn)
        if over or result.strip() == "over":
            if not over or result.strip() != "over":
                raise Refused(
                    f"{draws.strip()} -> {result.strip() or 'nothing'}; over follows just when more is drawn "
                    f"than the {self.table.rules.flowers} a turn allows; correct it"
                )
            return
        if arrow and self.table.phase == COLLECT and self.table.hand.total:
            self.step(Stop())
        for text in _parts(result, ";") if result.strip() else ():
            self.display(text.strip())

    def display(self, text: str) -> None:
        """Play one part of what became of a collection."""
        word, _, rest = text.partition(" ")
        if word == "card":
            card, _, targets = rest.strip().partition(" ")
            self.card(card, targets.strip())
        elif word == "hide":
            self.step(Hide(None if rest.strip() == "none" else _colour(rest)))
        elif word == "keep":
            self.step(Keep(Flowers.parse(rest)))
        else:
            raise Refused(f"{shown(text)} is not understood; a turn has card, hide, keep, over; correct it")

    def card(self, card: str, text: str) -> None:
        """Play a card with its targets."""
        if card == KOMATSU:
            drew, _, keep = text.removeprefix("drew ").partition(" keep ")
            self.step(UseCard(card), Flowers.parse(drew))
            if keep and not (keep.strip() == "-" and self.table.phase == HIDE):
                self.step(Keep(Flowers.parse(keep)))
        elif card == KENROKUEN:
            self.place(text)
        elif card == "shin_sumizome":
            self.step(UseCard(card), None if text in ("", UNKNOWN) else Flowers.parse(text))
        elif card == "kokonoe":
            takes = _parts(text.removeprefix("take "), ",")
            self.step(UseCard(card, None, tuple(map(self.take, takes))))
        elif picked := _PICK.fullmatch(text.removeprefix("give ")):
            pick = Pick(_colour(picked[1]), picked[2])
            self.step(UseCard(card, pick, self.exchanged(picked[3].strip()) if picked[3] else ()))
        else:
            self.step(UseCard(card))

    def place(self, text: str) -> None:
        """Kenrokuen Kumagai: flowers with their places, or only what was drawn."""
        if text == "-" or text.startswith("drew "):
            self.step(UseCard(KENROKUEN), Flowers.parse(text.removeprefix("drew ")))
            return
        places: list[tuple[str, str | int]] = []
        for part in _parts(text, ","):
            colour, _, to = part.strip().partition(" ")
            place = to if to in (FRONT, BEHIND) else self.seat(to.removeprefix("to "))
            places.append((_colour(colour), place))
        self.step(UseCard(KENROKUEN), Flowers.parse("".join(colour for colour, _ in places)))
        self.step(Place(tuple(places)))

    def take(self, text: str) -> Take:
        colour, _, name = text.strip().partition(" from ")
        return Take(_colour(colour), self.seat(name))

    def exchanged(self, text: str) -> tuple[Take, ...]:
        """`to NAME take P`: the flower that Sakuya Hime gets."""
        for seat, rest in self.named(text.removeprefix("to ")):
            if re.fullmatch(r"take \S+", rest):
                return (Take(_colour(rest.removeprefix("take ")), seat),)
        raise Refused(f"{shown(text)} is no exchange; it is to NAME take COLOUR; correct it")

    def step(self, move: Move, drawn: Flowers | None = None) -> None:
        table = after(self.table, move, drawn)
        for event in (table.history or ())[len(self.table.history or ()) :]:
            self.bag = followed(self.bag, event)
        self.table = table
        self.steps.append(Step.of(move, drawn))

    def end(self) -> None:
        self.begun("end")
        if not self.table.over:
            left = self.table.bag_size
            raise Refused(f"end with {left} flowers in the bag; a game ends without any; leave it out")

    def closing(self, word: str, rest: str) -> None:
        """After the end: secret flowers shown, or how somebody placed the wilds behind."""
        if "end" not in self.seen:
            raise Refused(f"{word} before the end; the screens are lifted after it; write end first")
        done = self.reveals if word == "reveal" else self.splits
        for seat, text in self.named(rest):
            if seat in done:
                raise Refused(f"{word} {self.names[seat]} a second time; it stands once; leave one out")
            if word == "reveal":
                self.reveal(seat, Flowers.parse(text))
                return
            if found := _SPLIT.fullmatch(text):
                self.split(seat, (int(found[1]), int(found[2])))
                return
        form = "NAME FLOWERS" if word == "reveal" else "NAME warm 1 cool 0"
        raise Refused(f"{word} {shown(rest)}; it is {word} {form}; correct it")

    def reveal(self, seat: int, flowers: Flowers) -> None:
        own = self.table.seats[seat]
        if flowers.total > own.unknown and own.own_secret in flowers:
            flowers = flowers - own.own_secret  # what the record told already may be told again
        self.table = self.table.revealed(seat, flowers)
        if flowers.total:
            self.reveals[seat] = flowers

    def split(self, seat: int, split: Split) -> None:
        own = self.table.seats[seat]
        reason = impossible_split(own.name, Groups.of(own.all_behind), split, self.table.rules)
        if reason and not own.unknown:
            raise Refused(reason)
        self.splits[seat] = split

    def seat(self, text: str) -> int:
        for seat, rest in self.named(text):
            if not rest:
                return seat
        raise Refused(
            f"{shown(text)} is no player's name; the players are {listed(self.names, 'and')}; correct it"
        )

    def named(self, text: str) -> Iterator[tuple[int, str]]:
        """Every seat whose name the text starts with, longest name first, and what follows the name."""
        text = text.strip()
        if quoted := _QUOTED.match(text):
            name = unquoted(quoted[0])
            if name in self.names:
                yield self.names.index(name), text[quoted.end() :].strip()
        for name in sorted(self.names, key=len, reverse=True):
            if text.startswith(name):
                yield self.names.index(name), text[len(name) :].strip()

    def record(self) -> Record:
        if self.start is None:
            raise Refused("the file ends without players; a record names them first; write players Ann, Ben")
        splits = tuple(self.splits.get(seat) for seat in range(len(self.names)))
        return Record(
            self.start.rules,
            self.names,
            tuple(self.turns),
            "end" in self.seen,
            self.seed,
            tuple(sorted(self.reveals.items())),
            splits if any(splits) else None,
        )


def _parts(text: str, sign: str) -> list[str]:
    """A text taken apart at a sign wherever that is not in quotes."""
    parts = [[""]]
    for piece in _PIECES.findall(text):
        if piece == sign:
            parts.append([""])
        else:
            parts[-1].append(piece)
    return ["".join(part) for part in parts]


def _rules(text: str) -> dict[str, Any]:
    """The keys of a rules line: whole numbers, numbers with commas, flowers, or words."""
    found: dict[str, Any] = {}
    for part in text.split():
        key, equals, value = part.strip(",").partition("=")
        if not equals or key in found or key in ("players", "cards"):
            raise Refused(f"{shown(part)} in rules; each key but players and cards stands once as key=value")
        numbers = [int(n) for n in value.split(",")] if _NUMBERS.fullmatch(value) else []
        if key in ("front_table", "warm", "cool"):
            found[key] = numbers
        else:
            found[key] = numbers[0] if len(numbers) == 1 else value
    return found


def _colour(text: str) -> str:
    flowers = Flowers.parse(text)
    if flowers.total != 1:
        raise Refused(f"{shown(text)} is not one flower; a letter of {LETTERS} is; write one")
    return flowers.letters
