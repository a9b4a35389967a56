"""A game as the page writes it down: the text of a record, whose last line may be half written.

Rulebook: "Turn Overview", "Description of Mastery Cards". The page adds letters to the last line as flowers
are tapped and takes whole lines from here for everything else, so it needs no rules. Half written are a draw
after its bar (`PY |`), more flowers than a turn allows, flowers nobody watched (`PY?`), a card's draw (`card
komatsu_otome drew P`), `reveal Ann L`, and a last comment, in which the page notes what it is being told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cherrysim.allowed import SHIN, draw_size, legal_moves
from cherrysim.behind import Groups
from cherrysim.engine import after, why_not
from cherrysim.flowers import LETTERS, NOTHING, Flowers, Refused
from cherrysim.moves import Draw, Hide, Keep, Move, Overdraw, Place, Stop, Unwatched, UseCard
from cherrysim.names import names_of, quoted
from cherrysim.recordfile import read_record, unwatched
from cherrysim.records import HEADER, UNKNOWN, Record, Step, Turn, replay, turn_text
from cherrysim.rules import Rules
from cherrysim.table import BONUS_DRAWS, COLLECT, Table

_DREW = re.compile(r"(.*->) card ([a-z_]+) drew ?([PYLDWB]*)", re.DOTALL)
_REVEAL = re.compile(r"(.*)\nreveal ([^\n]*)", re.DOTALL)
_LETTERS = re.compile(r"(?: ([PYLDWB]*))?")
_COLLECTED = re.compile(r"[0-9]+\. .*: ?([PYLDWB? |]*)")


@dataclass(frozen=True)
class Written:
    """A game as far as it is written: its record and table, the last line, and flowers that are awaited.

    `awaited` is how many flowers a card's draw or a reveal still lacks, `told` those of it that are tapped
    already, `card` whose draw it is; `over` is a collection of more flowers than a turn allows; `unwatched` a
    turn some flowers of which nobody here saw.
    """

    record: Record
    table: Table
    line: str
    awaited: int = 0
    told: Flowers = NOTHING
    card: str | None = None
    over: Flowers | None = None
    unwatched: Unwatched | None = None

    @property
    def whole(self) -> bool:
        """Whether nothing is half written, so that all there is to choose is a move."""
        return not self.awaited and self.over is None and self.unwatched is None

    @property
    def may_miss(self) -> bool:
        """Whether one more flower of this turn may be one that nobody here saw."""
        table, seen = self.table, self.unwatched
        if self.awaited or self.over is not None or "->" in self.line or table.phase != COLLECT or table.over:
            return False
        front = seen.front if seen else table.hand
        before = replace(table, hand=NOTHING, draws_used=0, history=None)
        return not why_not(before, Unwatched(front, seen.behind + 1 if seen else 1))

    @property
    def done(self) -> tuple[Step, ...]:
        """The steps of the turn that is being written."""
        return self.record.turns[-1].steps if self.record.turns else ()


def begun(names: Any, cards: Any) -> str:
    """The text of a new game, ready for its first flower.

    >>> begun(["Ann", "Ben"], "none").splitlines()[1:]
    ['players Ann, Ben', 'cards none', '1. Ann:']
    """
    if not isinstance(names, list) or not isinstance(cards, str):
        raise Refused("a game begins with a list of names and with cards; something else came; send these")
    rules = Rules.official(len(names), cards)
    called = [quoted(name) for name in names_of(names)]
    return f"{HEADER}\nplayers {', '.join(called)}\ncards {', '.join(rules.cards) or 'none'}\n1. {called[0]}:"


def written(text: Any) -> Written:
    """The game in a text; raises `Refused` with the number of the first impossible line.

    >>> found = written(begun(["Ann", "Ben"], "pink") + " PYLD -> card komatsu_otome drew P")
    >>> found.card, found.awaited, str(found.told), found.table.phase
    ('komatsu_otome', 2, 'P1', 'display')
    """
    if not isinstance(text, str):
        raise Refused("a game is the text of a record; something else came; send a record")
    text = "\n".join(
        line.rstrip() for line in re.sub(r"\n#[^\n]*$", "", text.replace("\r\n", "\n")).split("\n")
    )
    text = text.rstrip("\n")
    line = text.rpartition("\n")[2]
    if found := _DREW.fullmatch(text):
        return _card_drawn(found[1], found[2], Flowers.parse(found[3] or "-"), line) or _read(text, line)
    if found := _REVEAL.fullmatch(text):
        return _revealing(found[1], found[2], line) or _read(text, line)
    if collected := _COLLECTED.fullmatch(line):
        if UNKNOWN in collected[1]:
            return _not_watched(text, line, collected[1])
        over = _too_many(text, line, collected[1])
        return over or _read(text.removesuffix("|").rstrip(), line)
    return _read(text, line)


def _read(text: str, line: str, **half: Any) -> Written:
    record = read_record(text)
    return Written(record, replay(record), line, **half)


def _card_drawn(before: str, card: str, told: Flowers, line: str) -> Written | None:
    """A card whose draw is not told to its end; None where it is."""
    found = _read(before, line, told=told, card=card)
    awaited = min(BONUS_DRAWS.get(card, 0), found.table.bag_size) - told.total
    return Written(found.record, found.table, line, awaited, told, card) if awaited > 0 else None


def _revealing(before: str, shown: str, line: str) -> Written | None:
    """Flowers behind a screen that are not all shown yet; None where they are."""
    found = _read(before, line)
    for seat in found.table.seats:
        name = quoted(seat.name)
        letters = _LETTERS.fullmatch(shown.removeprefix(name)) if shown.startswith(name) else None
        told = Flowers.parse((letters and letters[1]) or "-")
        if letters and told.total < seat.unknown:
            return Written(found.record, found.table, line, seat.unknown - told.total, told)
    return None


def _not_watched(text: str, line: str, letters: str) -> Written:
    """A turn some flowers of which nobody here saw; the others are told."""
    turn = unwatched(letters, f"hide {UNKNOWN}")
    found = _read(f"{text[: len(text) - len(letters)].rstrip()}", line)
    after(found.table, turn)
    return replace(found, told=turn.front, unwatched=turn)


def _too_many(text: str, line: str, letters: str) -> Written | None:
    """A collection that the last draw made larger than a turn allows."""
    hand = Flowers.parse(letters.replace("|", "").replace(" ", "") or "-")
    start, _, last = line.removesuffix("|").rpartition("|" if "|" in line.removesuffix("|") else ":")
    if hand.total <= 8 or not last.strip():
        return None
    before = text[: len(text) - len(line)] + (start if "|" in line else f"{start}:")
    found = _read(before, line)
    if hand.total <= found.table.rules.flowers:
        return None
    after(found.table, Overdraw(Flowers.parse(last.strip()).total), Flowers.parse(last.strip()))
    return Written(found.record, found.table, line, over=hand)


def ready(text: Any) -> str:
    """A record from elsewhere as the page goes on writing it: its own form, with the line that comes next.

    >>> ready("cherrysim record 1\\nplayers Ann, Ben\\ncards none\\n1. Ann: PYY -> hide Y").splitlines()[-1]
    '2. Ben:'
    """
    record = written(text).record
    table = replay(record)
    lines = str(record).rstrip("\n")
    unfinished = record.turns and not (
        table.phase == COLLECT and not table.hand.total and record.turns[-1].steps
    )
    return lines if record.ended or unfinished else f"{lines}\n{_next(table, len(record.turns))}"


def _next(table: Table, turns: int) -> str:
    """The line that follows a finished turn."""
    return "end" if table.over else f"{turns + 1}. {quoted(table.mover.name)}:"


@dataclass(frozen=True)
class Choice:
    """Something that can be done without a flower being tapped: its parts, and the lines that then stand in
    the place of the last one. `move` is what the advice calls it."""

    parts: tuple[dict[str, Any], ...]
    lines: str
    move: Move | None = None


def choices(found: Written) -> Iterator[Choice]:
    """Everything that can be chosen in a game at a moment, of moves in the order of `engine.legal_moves`.

    >>> found = written(begun(["Ann", "Ben"], "none") + " PYY ->")
    >>> [(choice.parts[0]["hide"], choice.lines.splitlines()[0][-6:]) for choice in choices(found)]
    [(None, 'e none'), ('P', 'hide P'), ('Y', 'hide Y')]
    """
    table = found.table
    if table.over and not found.awaited:
        yield from _closing(found)
    if found.over is not None:
        drawn = Flowers.parse(re.split("[|:]", found.line.removesuffix("|"))[-1].strip())
        yield _chosen(found, Overdraw(drawn.total), drawn, ({"over": True},))
    if found.unwatched:
        yield _chosen(found, found.unwatched, None, parts_of(found.unwatched))
    if not found.whole:
        return
    for move in legal_moves(table):
        if not isinstance(move, Draw):
            yield from _ways(found, move)


def _ways(found: Written, move: Move) -> Iterator[Choice]:
    """A move as a choice; a card that draws has one for each flower, or waits for its flowers."""
    table, parts = found.table, parts_of(move)
    n = draw_size(table, move)
    if not n:
        yield _chosen(found, move, None, parts)
    elif isinstance(move, UseCard) and move.card == SHIN:
        yield _chosen(found, move, None, (*parts, {"drawn": "?"}))
        for letter, count in zip(LETTERS, table.unseen.counts, strict=True):
            if count:
                yield _chosen(found, move, Flowers.parse(letter), (*parts, {"drawn": letter}))
    elif isinstance(move, UseCard):
        lines = turn_text(Turn(table.to_move, found.done), _names(found)) or ""
        yield Choice(parts, f"{_start(found)} {lines.rstrip()} card {move.card} drew", move)


def _chosen(found: Written, move: Move, drawn: Flowers | None, parts: tuple[dict[str, Any], ...]) -> Choice:
    turn = Turn(found.table.to_move, (*found.done, Step.of(move, drawn)))
    lines = f"{_start(found)} {turn_text(turn, _names(found))}".rstrip()
    ends = isinstance(move, Hide | Overdraw | Unwatched) or (
        isinstance(move, Keep) and found.table.bonus is None
    )
    if ends:
        lines += f"\n{_next(after(found.table, move, drawn), len(found.record.turns))}"
    return Choice(parts, lines, move)


def _start(found: Written) -> str:
    return f"{len(found.record.turns)}. {quoted(found.table.mover.name)}:"


def _names(found: Written) -> list[str]:
    return [quoted(name) for name in found.record.names]


def parts_of(move: Move) -> tuple[dict[str, Any], ...]:
    """A move taken apart, so that it can be chosen piece by piece.

    >>> parts_of(Place((("P", "front"), ("Y", 1))))
    ({'place': 'P', 'to': 'front'}, {'place': 'Y', 'to': 1})
    """
    match move:
        case UseCard(card, pick, takes):
            given = ({"give": pick.colour, "from": pick.source},) if pick else ()
            return ({"card": card}, *given, *({"take": take.colour, "seat": take.seat} for take in takes))
        case Place(places):
            return tuple({"place": colour, "to": to} for colour, to in places)
        case Hide(colour):
            return ({"hide": colour},)
        case Keep(flowers):
            return ({"keep": flowers.letters.replace("-", "")},)
        case Stop() | Unwatched():
            return ({"stop": True},)
        case _:
            return ({"draw": move.n},)


def _closing(found: Written) -> Iterator[Choice]:
    """After the end: whose unknown flowers are shown next, then how wilds behind the screens are split."""
    unknown = [seat for seat in found.table.seats if seat.unknown]
    if not found.record.ended:
        yield Choice(({"end": True},), f"{found.line}\nend")
        return
    for own in unknown:
        yield Choice(({"reveal": own.name, "n": own.unknown},), f"{found.line}\nreveal {quoted(own.name)} ")
    given: Sequence[Any] = found.record.splits or (None,) * len(found.record.names)
    for own, split in zip(found.table.seats, given, strict=True):
        ways = Groups.of(own.all_behind).splits(found.record.rules)
        if not unknown and split is None and len(ways) > 1:
            for warm, cool in ways:
                line = f"{found.line}\nsplit {quoted(own.name)} warm {warm} cool {cool}"
                yield Choice(({"split": own.name, "warm": warm, "cool": cool},), line)
