"""The command `review`: a recorded game, every decision rated."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cherrysim.cli import options as take
from cherrysim.cli import tell
from cherrysim.cli.options import JSON, SEED, Command
from cherrysim.cli.progress import progress
from cherrysim.files import check_files, write_atomic
from cherrysim.flowers import Refused
from cherrysim.records import Record

if TYPE_CHECKING:
    from cherrysim.review import Review


@click.command(cls=Command)
@click.argument("record", metavar="RECORD", type=take.RECORD)
@click.option("--quick", is_flag=True, help="By what policy learned expects, no game played on: seconds.")
@SEED
@click.option("--out", type=take.Read("DIR", Path), help="Write review.html and review.md into this folder.")
@click.option("--force", is_flag=True, help="Overwrite them.")
@JSON
def review(
    record: Record, quick: bool, seed: int | None, out: Path | None, force: bool, as_json: bool
) -> str:
    """What every decision of a recorded game gave up; luck and skill.

    RECORD is a file; - reads standard input. A game in progress is reviewed as far as it goes.

    \b
      cherrysim review game.record
      cherrysim review game.record --quick --out review
    """
    if out is not None:
        check_files(out, _FILES, force)
    take.announce()
    from cherrysim.review import review as reviewed

    with progress("Reviewing", "decisions") as told:
        found = reviewed(record, quick, seed or 0, progress=told)
    text = take.answer(found, as_json)
    if out is not None:
        _write(found, out, force)
    if found.stopped:
        raise KeyboardInterrupt(text)
    return text


_FILES = ("review.html", "review.md")


def _write(found: Review, out: Path, force: bool) -> None:
    from cherrysim.sheets.page import html
    from cherrysim.sheets.text import markdown

    try:
        Path(os.path.realpath(out)).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Refused(
            f"folder {str(out)[-60:]!a} cannot be made: {(error.strerror or str(error)).lower()}; "
            "the review is written there; name another"
        ) from None
    for name, text in zip(_FILES, (html(found), markdown(found)), strict=True):
        write_atomic(out / name, text, force)
        tell(f"Written: {out / name}")
