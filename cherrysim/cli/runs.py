"""The command that shows what a run's file holds."""

from __future__ import annotations

import click

from cherrysim.cli import options as take
from cherrysim.cli.options import JSON, Command, Read


@click.command(cls=Command)
@click.argument("file", type=Read("FILE.db", str))
@JSON
def runs(file: str, as_json: bool) -> str:
    """What a file of --run holds.

    The question, the program that made it, the blocks done.

    \b
      cherrysim compare kept plan:3+2 --games 1000000 --run mine.db
      cherrysim runs mine.db
    """
    from cherrysim.runs import kept

    return take.answer(kept(file), as_json)
