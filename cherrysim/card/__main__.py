"""The command `python -m cherrysim.card`: searches the best simple rule."""

from __future__ import annotations

import json
from pathlib import Path

import click

from cherrysim import __version__
from cherrysim.card import START, Effort, search
from cherrysim.files import check_free, write_atomic
from cherrysim.flowers import Refused
from cherrysim.simple import Rule


@click.command()
@click.option("--out", required=True, type=click.Path(dir_okay=False, path_type=Path), help="A JSON file.")
@click.option("--rounds", default=Effort().rounds, show_default=True, help="Of the search, at most.")
@click.option("--part", default=1.0, show_default=True, help="Of the games of a full search.")
@click.option("--start", default=str(START), help="The rule to go on from.")
@click.option("--seed", default=1, show_default=True, help="Of the random numbers.")
@click.option("--threads", type=int, help="Computing side by side (default: one a core).")
@click.option("--force", is_flag=True, help="Overwrite the file.")
def main(
    out: Path, rounds: int, part: float, start: str, seed: int, threads: int | None, force: bool
) -> None:
    """Search the best rule that a person can carry out: less than half an hour on two cores."""
    try:
        check_free(out, force)
    except Refused as refused:
        raise click.ClickException(str(refused)) from None
    first = Rule.parse(start)
    if first is None:
        raise click.UsageError(f"{start[:80]!a} is no rule; it has {len(START.numbers)} numbers, as {START}")
    effort = Effort(rounds).part(part)
    found = search(seed, effort, threads, lambda text: click.echo(text, err=True), first)
    command = f"python -m cherrysim.card --rounds {rounds} --part {part:g} --start {start} --seed {seed}"
    document = {
        "command": command,
        "version": __version__,
        "seed": seed,
        "start": start,
        "rules": [one.to_json() for one in found],
    }
    write_atomic(out, json.dumps(document, indent=1) + "\n", force)


if __name__ == "__main__":
    main()
