"""Options that several commands share (which game, which bag, which collection) and how they are read."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import click

from cherrysim import chances
from cherrysim.belief import Belief
from cherrysim.chances import Position
from cherrysim.flowers import Flowers, Refused, read_json
from cherrysim.rules import Rules, card_names

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from cherrysim.records import Record
    from cherrysim.table import Table


class Command(click.Command):
    """A command whose options are given once, where click would take the last."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        with click.core.augment_usage_errors(ctx):
            _, rest, given = self.make_parser(ctx).parse_args(args=list(args))
        for option in given:
            if given.count(option) > 1 and not getattr(option, "is_flag", False):
                raise Refused(f"{option.opts[0]} is given more than once; it is given once; leave one out")
        if rest:
            raise Refused(
                f"unexpected argument {rest[0][:40]!a}; a value follows its option, in quotes where it has "
                'gaps; write for example --hand "P1 Y2"'
            )
        return super().parse_args(ctx, args)


class Read(click.ParamType):  # type: ignore[type-arg]  # generic only in newer versions
    """The value of an option, read by a function that may refuse it."""

    def __init__(self, name: str, read: Callable[[str], Any]) -> None:
        self.name = name
        self._read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        option = param.opts[0] if isinstance(param, click.Option) else self.name
        if value.startswith("--"):
            raise Refused(
                f"{option} is followed by {value[:40]!a}; it needs a value; write {option} {self.name}"
            )
        try:
            return self._read(value)
        except Refused as refused:
            if isinstance(param, click.Argument):
                raise
            raise Refused(f"{option}: {refused}") from None


def whole(least: int, most: int) -> Read:
    """A whole number in plain digits: `1e1`, `1_8`, full-width digits and signs are refused."""
    return Read("N", lambda text: _whole(text, least, most))


def _whole(text: str, least: int, most: int) -> int:
    if not re.fullmatch("[0-9]{1,20}", text) or not least <= int(text) <= most:
        raise Refused(f"{text[:40]!a} is not a whole number from {least} to {most}; write it in digits")
    return int(text)


def decimal(name: str, example: str) -> Read:
    """A number in plain digits, with decimals or without."""

    def read(text: str) -> float:
        if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{0,9})?|\.[0-9]{1,9}", text):
            raise Refused(
                f"{text[:40]!a} is no number; it is digits, with decimals or without; write {example}"
            )
        return float(text)

    return Read(name, read)


def _plan(text: str) -> tuple[int, ...]:
    try:
        return tuple(_whole(part.strip(), 0, 99) for part in text.split(","))
    except Refused:
        raise Refused(
            f"{text[:40]!a} is not a plan; it is whole numbers with commas between; write it as 2,2,1"
        ) from None


def _chart(text: str) -> str:
    if not text.lower().endswith((".svg", ".png")):
        raise Refused(f"{text[-40:]!a} is no chart; charts are .svg or .png; end the name with one of these")
    return text


def in_file(path: str, read: Callable[[str], Any]) -> Any:
    """What a file (-: standard input) holds, read by a function that may refuse it."""
    from cherrysim.files import MOST_BYTES, read_text, text_of

    if path == "-":
        text, name = text_of(sys.stdin.buffer.read(MOST_BYTES + 1), "standard input"), "standard input"
    else:
        text, name = read_text(path), ascii(path[-60:])
    try:
        return read(text)
    except Refused as refused:
        raise Refused(f"in {name}: {refused}") from None


def _history(text: str) -> Any:
    """What a history's file holds, read as the largest game's; who is seated is checked with the game."""
    from cherrysim.tablefile import history_of

    history_of(document := read_json(text), 4)
    return document


def table(text: str) -> Table:
    """A table from its file, or from a recorded game's."""
    from cherrysim.recordfile import table_in

    return table_in(text)


def _record(text: str) -> Record:
    from cherrysim.recordfile import read_record

    return read_record(text)


FLOWERS = Read("FLOWERS", Flowers.parse)
PLAN = Read("2,2,1", _plan)
CHART = Read("FILE", _chart)
RULES = Read("FILE", lambda path: in_file(path, Rules.from_toml))
TABLE = Read("FILE", lambda path: in_file(path, table))
RECORD = Read("RECORD", lambda path: in_file(path, _record))
HISTORY = Read("FILE", lambda path: in_file(path, _history))


def options(*several: Callable[..., Any]) -> Callable[[Any], Any]:
    """Several options as one decorator, in the order of the help."""

    def decorate(command: Any) -> Any:
        for option in reversed(several):
            command = option(command)
        return command

    return decorate


PLAYERS = click.option("--players", type=whole(2, 4), help="2, 3 or 4 (default).")
CARDS = click.option(
    "--cards", type=Read("NAMES", card_names), help="blue (default), pink, none, or names with commas."
)
GAME = options(
    PLAYERS,
    CARDS,
    click.option("--rules", type=RULES, help="A TOML file of rules instead of --players and --cards."),
)
HAND = options(
    click.option("--hand", type=FLOWERS, help="Collected this turn (default: nothing yet)."),
)
BAG = options(
    click.option("--bag", type=FLOWERS, help="What is in the bag now."),
    click.option("--seen", type=FLOWERS, help="Or: everything else out of the bag, besides hand and front."),
    click.option(
        "--history", type=HISTORY, help="Or: a JSON list of the game's draws and returns before this turn."
    ),
    click.option(
        "--set-aside", type=whole(0, 99), help="Flowers of the bag that were put away unseen (2 players: 3)."
    ),
    HAND,
    click.option(
        "--draws-used", type=whole(0, 9), help="Draws made this turn (default: 1 with flowers in hand)."
    ),
)
SAMPLES = click.option(
    "--samples", type=whole(1, 10**12), help="How many plans are simulated (default: 1000000)."
)
SEED = click.option("--seed", type=whole(0, 2**64 - 1), help="Of the random numbers (default: 0).")
THREADS = click.option("--threads", type=whole(1, 256), help="Computing side by side (default: one a core).")
WORKERS = options(
    click.option(
        "--cluster", type=Read("ADDRESS", str), help="Computing by the workers of this Dask scheduler."
    ),
    click.option("--workers", type=whole(1, 256), help="Or: by so many processes of this machine."),
)
RUN = click.option(
    "--run", type=Read("FILE.db", str), help="Keep what is done in this file, and go on with it."
)
JSON = click.option("--json", "as_json", is_flag=True, help="The answer as one JSON document.")


def game(players: int | None, cards: tuple[str, ...] | None, rules: Rules | None) -> Rules:
    """The rules that `GAME` asks for."""
    if rules is None:
        return Rules.official(players or 4, "blue" if cards is None else cards)
    if players is not None or cards is not None:
        raise Refused(
            "--rules says who plays with which cards; it replaces --players and --cards; leave them out"
        )
    return rules


def position(
    rules: Rules, hand: Flowers | None, history: Any, set_aside: int | None, **asked: Any
) -> Position:
    """The position that `BAG` asks for."""
    belief = None
    if history is not None:
        from cherrysim.knowledge import told
        from cherrysim.tablefile import history_of

        hidden = rules.set_aside if set_aside is None else set_aside
        belief = told(Belief.of(rules.counts, hidden), history_of(history, rules.players))
    return chances.position(rules, hand or Flowers(), set_aside=set_aside, history=belief, **asked)


def alone(option: str, **others: Any) -> None:
    """Refuse options that say again what another one says already."""
    for name, given in others.items():
        if given is not None:
            again = f"--{name.replace('_', '-')}"
            raise Refused(f"{option} holds what {again} says; it is said once; leave {again} out")


@contextmanager
def elsewhere(
    cluster: str | None, workers: int | None, threads: int | None
) -> Iterator[tuple[Executor | None, int | None]]:
    """Who computes: the executor that `WORKERS` asks for, if any, and how many threads there are."""
    from cherrysim.cluster import workers as begin

    if (cluster is not None or workers is not None) and threads is not None:
        raise Refused("--threads are of this process; workers have their own; leave one out")
    with begin(cluster, workers) as found:
        yield found, found.threads if found else threads


def announce() -> None:
    """Load the compiler quickly, and say on stderr from now on when it has to work, which takes seconds."""
    from cherrysim.kernels import cache

    cache.announce()  # type: ignore[no-untyped-call]  # kernels have no types
    cache.load_without_blas()  # type: ignore[no-untyped-call]


class _Result(Protocol):
    def to_json(self) -> dict[str, Any]: ...


def answer(result: _Result, as_json: bool) -> str:
    """What is printed: a JSON document, or text whose first line, the verdict, is bold on a terminal."""
    if as_json:
        return json.dumps(result.to_json(), allow_nan=False)
    text = str(result)
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    verdict, line_end, rest = text.partition("\n")
    return click.style(verdict, bold=True) + line_end + rest
