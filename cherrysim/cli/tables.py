"""Commands about whole tables and recorded games: `score` and `replay`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from cherrysim.cli import options as take
from cherrysim.cli.options import JSON, Command
from cherrysim.records import Record
from cherrysim.records import replay as replayed
from cherrysim.table import Table


@dataclass(frozen=True)
class _Moment:
    """A table of a record with the turn it follows."""

    record: Record
    at: int
    table: Table

    def to_json(self) -> dict[str, Any]:
        return self.table.to_json()

    def __str__(self) -> str:
        from cherrysim.tablewords import moment

        return moment(self.record, self.at, self.table)


@click.command(cls=Command)
@click.argument("table", metavar="FILE", type=take.TABLE)
@JSON
def score(table: Table, as_json: bool) -> str:
    """Every line of every player's score, at the end or now.

    FILE is a table in JSON or TOML, or a record; - reads standard input.

    \b
      cherrysim score game.record
    """
    return take.answer(table.score(), as_json)


@click.command(cls=Command)
@click.argument("record", metavar="RECORD", type=take.RECORD)
@click.option("--at", type=take.whole(0, 9999), help="After this turn; 0 is the start (default: the last).")
@JSON
def replay(record: Record, at: int | None, as_json: bool) -> str:
    """The table after a turn of a recorded game.

    RECORD is a file; - reads standard input. With --json the answer is a table file.

    \b
      cherrysim replay game.record --at 7
    """
    turn = len(record.turns) if at is None else at
    return take.answer(_Moment(record, turn, replayed(record, at)), as_json)
