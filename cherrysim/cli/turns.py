"""Commands about one turn: `ask`, `odds` and `explain`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import click

from cherrysim.cli import options as take
from cherrysim.cli import tell
from cherrysim.cli.options import BAG, FLOWERS, GAME, HAND, JSON, SEED, THREADS, Command, Read
from cherrysim.files import check_free
from cherrysim.flowers import Flowers, Refused

if TYPE_CHECKING:
    from cherrysim.advice import Advice
    from cherrysim.table import Table
    from cherrysim.tableadvice import TableAdvice

ABOUT_GAMES = ("policy", "opponents", "precision", "budget", "seed", "threads")


@click.command(cls=Command)
@GAME
@BAG
@click.option("--front", type=FLOWERS, help="In front of your screen (default: nothing).")
@click.option(
    "--value",
    type=Read("VALUE", str),
    help="What counts: kept (default) or front; with --table also win (default) or score.",
)
@click.option("--table", type=take.TABLE, help="Instead of all these: a table or a recorded game.")
@click.option("--batch", is_flag=True, help="Or: a table in JSON on each line of standard input.")
@click.option(
    "--method",
    type=Read("METHOD", str),
    help="Of a table: exact, near the end; instant; games played on, truncated or to the end (rollout). "
    "Default: exact if possible, else truncated; with --batch instant.",
)
@click.option("--policy", type=Read("NAME", str), help="Who you play as in games (default: learned).")
@click.option(
    "--opponents", type=Read("NAME,...", str), help="Who they play as: one for all, or one each (learned)."
)
@click.option(
    "--precision",
    type=take.decimal("E", "0.005"),
    help="Play until differences are known within E, in share (0.005) or points.",
)
@click.option("--budget", type=take.decimal("SECONDS", "5"), help="Or as long as that.")
@SEED
@THREADS
@click.option("--plot", type=take.CHART, help="Draw a chart, .svg or .png.")
@click.option("--force", is_flag=True, help="Overwrite the chart.")
@JSON
def ask(
    players: Any,
    cards: Any,
    rules: Any,
    value: str | None,
    table: Table | None,
    batch: bool,
    method: str | None,
    plot: str | None,
    force: bool,
    as_json: bool,
    **asked: Any,
) -> str:
    """Should I draw again, and how many?

    Without a bag, it holds all the game's flowers but those in hand and front.

    \b
      cherrysim ask --seen "P9 Y8 L7 D10 W6 B2" --hand PYY
      cherrysim ask --players 3 --bag "P4 Y6 L1 W2 B1" --hand PY --draws-used 2
      cherrysim ask --table game.record --budget 5
    """
    playing = {name: asked.pop(name) for name in ABOUT_GAMES}
    playing = {name: given for name, given in playing.items() if given is not None}
    if plot:
        check_free(plot, force)
    if table is None and not batch:
        advice: Advice | TableAdvice = _at_bag(
            take.game(players, cards, rules), value, method, playing, asked
        )
    else:
        option = "--batch" if batch else "--table"
        take.alone(option, players=players, cards=cards, rules=rules, **asked)
        if batch:
            for name, given in (("table", table), ("plot", plot)):
                if given is not None:
                    raise Refused(f"--batch answers many tables; --{name} is for one; leave --{name} out")
            return _batch(value, method, playing)
        assert table is not None
        advice = _at_table(table, value, method, playing)
    text = take.answer(advice, as_json)
    if plot:
        _draw(advice, plot, force)
    if getattr(advice, "stopped", None) == "interrupt":
        raise KeyboardInterrupt(text)
    return text


def _at_bag(
    rules: Any, value: str | None, method: str | None, playing: dict[str, Any], asked: dict[str, Any]
) -> Advice:
    from cherrysim.advice import advise

    if method not in (None, "exact"):
        raise Refused("a bag alone is answered exactly; other methods need --table; leave --method out")
    for name in playing:
        raise Refused(f"a bag alone is answered exactly; --{name} is about games at a table; leave it out")
    return advise(take.position(rules, **asked), value or "kept")


def _at_table(
    table: Table, value: str | None, method: str | None, playing: dict[str, Any]
) -> Advice | TableAdvice:
    from cherrysim.advice import advise_table

    return advise_table(table, value or "win", method, check=True, watch=_watch, **playing)


@contextmanager
def _watch() -> Iterator[Any]:
    """Progress on a terminal; the compiler is loaded when it is needed."""
    from cherrysim.cli.progress import progress

    take.announce()
    with progress("Playing on") as told:
        yield told


def _batch(value: str | None, method: str | None, playing: dict[str, Any]) -> str:
    from cherrysim.advice import advise_table
    from cherrysim.cli.batch import answer_lines

    take.announce()
    method = method or ("instant" if value in (None, "win", "score") else None)
    answer_lines(lambda table: advise_table(table, value or "win", method, **playing))
    return ""


def _draw(advice: Advice | TableAdvice, path: str, force: bool) -> None:
    from logging import ERROR, getLogger

    getLogger("matplotlib").setLevel(ERROR)  # a home that cannot be written is no news for a chart
    from cherrysim.plots import save

    save(advice.plot()[0], path, force)
    tell(f"Chart: {path}")


@click.command(cls=Command)
@GAME
@BAG
@click.option("--plan", type=take.PLAN, help="Draws to come, such as 2,2,1 (default: one draw of each size).")
@click.option(
    "--method", default="exact", type=Read("METHOD", str), help="exact (default), or mc: simulated."
)
@take.SAMPLES
@take.SEED
@take.THREADS
@JSON
def odds(
    players: Any,
    cards: Any,
    rules: Any,
    plan: tuple[int, ...] | None,
    method: str,
    samples: int | None,
    seed: int | None,
    threads: int | None,
    as_json: bool,
    **asked: Any,
) -> str:
    """How likely a draw, or a plan of draws, fails.

    \b
      cherrysim odds --plan 2,2,1
      cherrysim odds --bag "P4 Y6 L1 W2 B1" --hand PPY
    """
    from cherrysim.cli.progress import progress
    from cherrysim.sampled import SampledOdds, answered

    at = take.position(take.game(players, cards, rules), **asked)
    simulated = method == "mc"
    if simulated:
        take.announce()
    with progress("Simulating", "plans") if simulated else nullcontext() as told:
        found = answered(at, plan, method, samples, seed, threads, told)
    text = take.answer(found, as_json)
    if isinstance(found, SampledOdds) and found.stopped:
        raise KeyboardInterrupt(text)
    return text


@click.command(cls=Command)
@GAME
@HAND
@JSON
def explain(players: Any, cards: Any, rules: Any, hand: Flowers | None, as_json: bool) -> str:
    """Has a collection failed, why, and what does it allow?

    \b
      cherrysim explain --hand PPYYB
    """
    from cherrysim.explain import explain

    return take.answer(explain(hand or Flowers(), take.game(players, cards, rules)), as_json)
