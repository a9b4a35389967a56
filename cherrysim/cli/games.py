"""Commands about whole games: `play`, `compare` and `policies`."""

from __future__ import annotations

import re
from typing import Any

import click

from cherrysim.cli import options as take
from cherrysim.cli.options import GAME, JSON, SEED, THREADS, Command, Read, whole
from cherrysim.cli.progress import progress
from cherrysim.flowers import Refused

GAMES = whole(1, 2 * 10**9)


def _decimal(text: str) -> float:
    if not re.fullmatch(r"[01](\.[0-9]{1,12})?|\.[0-9]{1,12}", text):
        raise Refused(f"{text[:40]!a} is no number from 0 to 1; write it in decimals, as 0.005")
    return float(text)


@click.command(cls=Command)
@GAME
@click.option(
    "--policies",
    required=True,
    type=Read("A,B,...", lambda text: text.split(",")),
    help="One, or one a seat.",
)
@click.option("--games", required=True, type=GAMES, help="How many games are played.")
@SEED
@THREADS
@take.WORKERS
@take.RUN
@click.option("--out", type=Read("FILE", str), help="Write a row a seat to a .csv or .parquet file.")
@click.option("--force", is_flag=True, help="Overwrite the file.")
@JSON
def play(
    players: Any,
    cards: Any,
    rules: Any,
    policies: list[str],
    games: int,
    seed: int | None,
    threads: int | None,
    cluster: str | None,
    workers: int | None,
    run: str | None,
    out: str | None,
    force: bool,
    as_json: bool,
) -> str:
    """Whole games played by policies.

    \b
      cherrysim play --policies kept --games 10000
      cherrysim play --policies learned --games 1000000 --run mine.db
      cherrysim play --policies plan:3+2 --games 10000 --out games.csv
    """
    from cherrysim.simulate import play

    take.announce()
    with progress("Playing") as told, take.elsewhere(cluster, workers, threads) as (executor, threads):
        found = play(
            [name.strip() for name in policies],
            games,
            seed or 0,
            take.game(players, cards, rules),
            threads,
            out=out,
            force=force,
            progress=told and (lambda done: told(done, done / games)),
            executor=executor,
            run=run,
        )
    return _unless_stopped(take.answer(found, as_json), found.stopped)


@click.command(cls=Command)
@GAME
@click.argument("policies", nargs=-1)
@click.option("--games", type=GAMES, help="How many games of each line-up.")
@click.option(
    "--precision", type=Read("E", _decimal), help="Or: until differences of share are known within E."
)
@click.option(
    "--luck-adjusted",
    is_flag=True,
    help="Differences with the luck taken off too, where that is not done anyway (all points or learned).",
)
@SEED
@THREADS
@take.WORKERS
@take.RUN
@JSON
def compare(
    players: Any,
    cards: Any,
    rules: Any,
    policies: tuple[str, ...],
    games: int | None,
    precision: float | None,
    luck_adjusted: bool,
    seed: int | None,
    threads: int | None,
    cluster: str | None,
    workers: int | None,
    run: str | None,
    as_json: bool,
) -> str:
    """Which policy plays better, and how sure that is.

    All play from the same bags in every seating. Two policies meet as one A among B's and as one B among
    A's, as many as players in the line-up given.

    \b
      cherrysim compare kept plan:3+2 --games 20000
      cherrysim compare kept cautious:0.3 --players 2 --precision 0.005
    """
    from cherrysim.contest import compare

    take.announce()
    with progress("Comparing") as told, take.elsewhere(cluster, workers, threads) as (executor, threads):
        found = compare(
            policies,
            games,
            precision,
            seed or 0,
            take.game(players, cards, rules),
            threads,
            luck_adjusted=luck_adjusted or None,
            progress=told,
            executor=executor,
            run=run,
        )
    return _unless_stopped(take.answer(found, as_json), found.stopped)


def _unless_stopped(text: str, stopped: str | None) -> str:
    """The answer; after Ctrl-C it goes out with that."""
    if stopped == "interrupt":
        raise KeyboardInterrupt(text)
    return text


@click.command(cls=Command)
@JSON
def policies(as_json: bool) -> str:
    """Who can play: every policy, its parameters and what it does."""
    from cherrysim.policy import FAMILIES
    from cherrysim.verdicts import Policies

    return take.answer(Policies(tuple(FAMILIES.values())), as_json)
