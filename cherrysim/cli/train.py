"""The command that teaches policy `learned`."""

from __future__ import annotations

import re
import sys
from typing import Any

import click

from cherrysim.cli import options as take
from cherrysim.cli.options import GAME, JSON, SEED, Command
from cherrysim.flowers import Refused


def _minutes(text: str) -> float:
    if not re.fullmatch(r"[0-9]{1,5}(\.[0-9]{1,3})?", text) or not 0 < float(text) <= 10_000:
        raise Refused(f"{text[:40]!a} is no number of minutes from 0 to 10000; write it as 30 or 0.5")
    return float(text)


@click.command(cls=Command)
@GAME
@click.option("--games", type=take.whole(1, 10**9), help="Learn from so many games.")
@click.option("--minutes", type=take.Read("MINUTES", _minutes), help="Or for so long (default: 30).")
@SEED
@click.option("--out", type=take.Read("FILE", str), help="Where the weights go, .npz.")
@click.option("--resume", type=take.Read("FILE", str), help="Go on with a run that wrote this file.")
@take.RUN
@click.option("--force", is_flag=True, help="Overwrite the file.")
@JSON
def train(
    players: Any,
    cards: Any,
    rules: Any,
    games: int | None,
    minutes: float | None,
    seed: int | None,
    out: str | None,
    resume: str | None,
    run: str | None,
    force: bool,
    as_json: bool,
) -> str:
    """Learn what flowers are worth from self-play.

    The file is written every few seconds, whole each time; Ctrl-C writes it once more. With --run that
    is the run's file, and --out is written at the end. Policy learned:mine.npz plays by it.

    \b
      cherrysim train --minutes 30 --seed 1 --out mine.npz
      cherrysim train --minutes 30 --resume mine.npz --out mine.npz --force
      cherrysim train --games 1000000 --run mine.db --out mine.npz
      cherrysim compare learned:mine.npz learned --games 1000
    """
    if out is None and run is None:
        raise Refused("train without --out; what it learns would be lost; write --out mine.npz")
    from cherrysim.learn import train as learn

    take.announce()
    done = learn(
        take.game(players, cards, rules),
        seed,
        games=games,
        minutes=30.0 if games is None and minutes is None else minutes,
        out=out,
        resume=resume,
        force=force,
        progress=_tell,
        run=run,
    )
    text = take.answer(done, as_json)
    if done.stopped:
        raise KeyboardInterrupt(text)
    return text


class _Progress:
    """A line on stderr every few seconds."""

    def __init__(self) -> None:
        self.said = 0.0

    def __call__(self, games: int, seconds: float) -> None:
        if seconds - self.said >= 5:
            self.said = seconds
            print(f"{games} games, {seconds:.0f} s", file=sys.stderr, flush=True)


_tell = _Progress()
