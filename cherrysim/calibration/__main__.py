"""The command `python -m cherrysim.calibration`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from cherrysim.blocks import cores, in_order
from cherrysim.calibration import Record, measure
from cherrysim.calibration.text import report
from cherrysim.files import check_free, write_atomic


def records_of(seed: int, positions: int, kept: Path | None, threads: int) -> Iterator[Record]:
    """Positions 0, 1, ... measured; those in the file `kept` are not measured again, others are added."""
    done = [json.loads(line) for line in kept.read_text().splitlines()] if kept and kept.exists() else []
    yield from done[:positions]
    first = len(done)
    work = partial(_numbered, seed, first)
    for record in in_order(work, max(0, positions - first), threads=threads):
        if kept:
            with kept.open("a") as out:
                out.write(json.dumps(record) + "\n")
        yield record


def _numbered(seed: int, first: int, number: int) -> Record:
    return measure(seed, first + number)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    about = "How right the errors of games played on are, as a report in Markdown."
    reader = argparse.ArgumentParser(prog="python -m cherrysim.calibration", description=about)
    reader.add_argument("--positions", type=int, default=1000)
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--threads", type=int, default=cores())
    reader.add_argument("--out", default="reports/calibration.md")
    reader.add_argument("--kept", type=Path, help="a file to keep measured positions in, and go on from")
    told = reader.parse_args(arguments)
    check_free(told.out, force=True)
    measure(told.seed, 0)  # compiled here, where it can be interrupted
    found: list[Record] = []
    for record in records_of(told.seed, told.positions, told.kept, told.threads):
        found.append(record)
        print(f"\r{len(found)} of {told.positions} positions", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    command = f"python -m cherrysim.calibration --positions {told.positions} --seed {told.seed}"
    write_atomic(told.out, report(found, told.seed, command), force=True)


if __name__ == "__main__":
    main()
