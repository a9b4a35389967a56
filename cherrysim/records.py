"""Game records: a game as its moves and the flowers drawn, one line of text a turn.

Rulebook: "Turn Overview". Together with the rules they are the whole game: a record is replayed, never
trusted. `recordfile` reads the text that `str(record)` writes:

    4. Ann: PYY | L -> card shin_sumizome ?; hide Y
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from cherrysim.behind import Split
from cherrysim.engine import after
from cherrysim.flowers import Flowers, Refused
from cherrysim.moves import Draw, Hide, Keep, Move, Overdraw, Place, Stop, Unwatched, UseCard
from cherrysim.names import names_of, quoted
from cherrysim.rules import Rules
from cherrysim.scoring import Score
from cherrysim.table import COLLECT, KENROKUEN, Table

HEADER = "cherrysim record 1"
UNKNOWN = "?"
"""A flower whose colour the writer does not know."""


@dataclass(frozen=True, slots=True)
class Step:
    """A move and the flowers that came out of the bag with it; None where there were none or nobody knows."""

    move: Move
    drawn: Flowers | None = None

    @classmethod
    def of(cls, move: Move, drawn: Flowers | None) -> Step:
        """A step; nothing drawn from an empty bag is None like nothing drawn at all."""
        return cls(move, drawn if drawn is not None and drawn.total else None)


@dataclass(frozen=True, slots=True)
class Turn:
    """The steps of one player's turn; `line` is where it stands in the file it was read from."""

    seat: int
    steps: tuple[Step, ...]
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Position:
    """A moment of a record: turn and line (from 1), the table, what was done and what was drawn with it."""

    turn: int
    line: int
    table: Table
    move: Move
    drawn: Flowers | None


@dataclass(frozen=True, slots=True)
class Record:
    """A game, ended or in progress, the last turn perhaps unfinished; `str()` is the text of its file.

    `reveals` are unknown flowers behind the screens, shown at the end, by seat; `splits` everybody's wilds
    behind, where known.
    """

    rules: Rules
    names: tuple[str, ...]
    turns: tuple[Turn, ...] = ()
    ended: bool = False
    seed: int | None = None
    reveals: tuple[tuple[int, Flowers], ...] = ()
    splits: tuple[Split | None, ...] | None = None

    def positions(self) -> Iterator[Position]:
        """Every move of the game in order, with the table it was made at."""
        table = Table.start(self.rules, self.names)
        for number, turn in enumerate(self.turns, 1):
            for step in turn.steps:
                yield Position(number, turn.line, table, step.move, step.drawn)
                table = after(table, step.move, step.drawn)

    def score(self) -> Score | None:
        """The final score, None while the game is in progress; refused while flowers are unknown."""
        return replay(self).score() if self.ended else None

    def __str__(self) -> str:
        return "\n".join((*_lines(self), ""))


def replay(record: Record, at: int | None = None) -> Table:
    """The table after turn `at` (0: the start), or the last; its screens are lifted if the game has ended."""
    last = len(record.turns)
    if at is not None and not 0 <= at <= last:
        raise Refused(f"turn {at}; the record has turns 1 to {last}, and 0 is the start; choose one of these")
    table = Table.start(record.rules, record.names)
    for turn in record.turns[:at]:
        for step in turn.steps:
            table = after(table, step.move, step.drawn)
    if record.ended and at in (None, last):
        for seat, flowers in record.reveals:
            table = table.revealed(seat, flowers)
        table = replace(table, splits=record.splits)
    return table


def record_of(
    rules: Rules,
    names: Sequence[str],
    steps: Iterable[tuple[Move, Flowers | None]],
    seed: int | None = None,
    splits: Sequence[Split | None] | None = None,
) -> Record:
    """The record of a game from its moves, each with the flowers drawn with it; refused where one is
    impossible.

    >>> from cherrysim.moves import Hide
    >>> moves = [(Draw(3), Flowers.parse("PYY")), (Stop(), None), (Hide("Y"), None)]
    >>> str(record_of(Rules.official(2), ["Ann", "Ben"], moves)).splitlines()[-1]
    '1. Ann: PYY -> hide Y'
    """
    table = Table.start(rules, names)
    turns: list[Turn] = []
    done: list[Step] = []
    for move, drawn in steps:
        seat = table.to_move
        table = after(table, move, drawn)
        done.append(Step.of(move, drawn))
        if table.phase == COLLECT and not table.hand.total:
            turns.append(Turn(seat, tuple(done)))
            done = []
    if done:
        turns.append(Turn(table.to_move, tuple(done)))
    return Record(
        rules, names_of(names), tuple(turns), table.over, seed, (), tuple(splits) if splits else None
    )


def _lines(record: Record) -> Iterator[str]:
    rules, names = record.rules, [quoted(name) for name in record.names]
    yield HEADER
    yield f"players {', '.join(names)}"
    yield f"cards {', '.join(rules.cards) or 'none'}"
    changed = {key: value for key, value in rules.not_official.items() if key not in ("players", "cards")}
    if changed:
        yield "rules " + " ".join(f"{key}={_value(value)}" for key, value in changed.items())
    if record.seed is not None:
        yield f"seed {record.seed}"
    for number, turn in enumerate(record.turns, 1):
        yield f"{number}. {names[turn.seat]}: {turn_text(turn, names)}".rstrip()
    if record.ended:
        yield "end"
    for seat, flowers in record.reveals:
        yield f"reveal {names[seat]} {flowers.letters}"
    for name, split in zip(names, record.splits or (), strict=False):
        if split is not None:
            yield f"split {name} warm {split[0]} cool {split[1]}"


def _value(value: object) -> str:
    if isinstance(value, dict):
        return str(Flowers(**value)).replace(" ", "")
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def turn_text(turn: Turn, names: Sequence[str]) -> str:
    """The draws of a turn and what became of them."""
    draws, rest, decided = [], [], False
    for step in turn.steps:
        match step.move:
            case Draw() | Overdraw():
                draws.append(step.drawn.letters if step.drawn else "")
                if isinstance(step.move, Overdraw):
                    rest.append("over")
            case Stop():
                decided = True
            case UseCard() as use:
                rest.append(f"card {use.card} {_card_text(use, step.drawn, names)}")
            case Place(places):
                rest[-1] = f"card {KENROKUEN} {', '.join(_place_text(place, names) for place in places)}"
            case Unwatched(front, behind):
                draws.append(f"{front.letters if front.total else ''}{UNKNOWN * behind}")
                rest.append(f"hide {UNKNOWN}")
            case Hide(colour):
                rest.append(f"hide {colour or 'none'}")
            case Keep(flowers) if rest:
                rest[-1] += f" keep {' '.join(flowers.letters)}"
            case Keep(flowers):
                rest.append(f"keep {' '.join(flowers.letters)}")
    text = " | ".join(draws)
    return f"{text} -> {'; '.join(rest)}" if rest or decided else text


def _card_text(use: UseCard, drawn: Flowers | None, names: Sequence[str]) -> str:
    takes = ", ".join(f"{take.colour} from {names[take.seat]}" for take in use.takes)
    match use.card:
        case "shin_sumizome":
            return UNKNOWN if drawn is None else drawn.letters
        case "somei_yoshino" if use.pick:
            return f"{use.pick.colour} from {use.pick.source}"
        case "sakuya_hime" if use.pick:
            take = use.takes[0]
            return f"give {use.pick.colour} from {use.pick.source} to {names[take.seat]} take {take.colour}"
        case "kokonoe":
            return f"take {takes}"
        case _:
            return f"drew {drawn.letters if drawn else '-'}"


def _place_text(place: tuple[str, str | int], names: Sequence[str]) -> str:
    colour, to = place
    return f"{colour} {to if isinstance(to, str) else f'to {names[to]}'}"
