"""Commands about one turn: `ask`, `odds` and `explain`, exact and quick."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import click

from cherrysim.cli import options as take
from cherrysim.cli import tell
from cherrysim.cli.options import BAG, FLOWERS, GAME, HAND, JSON, Command
from cherrysim.flowers import Flowers, Refused

if TYPE_CHECKING:
    from cherrysim.table import Table
    from cherrysim.tableadvice import TableAdvice


@click.command(cls=Command)
@GAME
@BAG
@click.option("--front", type=FLOWERS, help="In front of your screen (default: nothing).")
@click.option(
    "--value",
    type=take.Read("VALUE", str),
    help="What counts: kept (default) or front; with --table also win (default) or score.",
)
@click.option("--table", type=take.TABLE, help="Instead of all these: a table or a recorded game.")
@click.option(
    "--method",
    type=take.Read("METHOD", str),
    help="With --table: exact, near the end, or instant, estimated (default: the first that can).",
)
@click.option("--plot", type=take.CHART, help="Draw a chart, .svg or .png.")
@click.option("--force", is_flag=True, help="Overwrite the chart.")
@JSON
def ask(
    players: Any,
    cards: Any,
    rules: Any,
    value: str | None,
    table: Table | None,
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
      cherrysim ask --table game.record
    """
    from cherrysim.advice import Advice, advise, advise_table

    advice: Advice | TableAdvice
    if table is None:
        if method not in (None, "exact"):
            raise Refused("a bag alone is answered exactly; other methods need --table; leave --method out")
        advice = advise(take.position(take.game(players, cards, rules), **asked), value or "kept")
    else:
        take.alone("--table", players=players, cards=cards, rules=rules, **asked)
        from cherrysim.tableadvice import late

        if value in (None, "win", "score") and (method == "instant" or not late(table)):
            take.announce()
        advice = advise_table(table, value or "win", method)
    if plot and not isinstance(advice, Advice):
        raise Refused("--plot shows one turn; win and score are whole games; ask for --value kept or front")
    text = take.answer(advice, as_json)
    if plot and isinstance(advice, Advice):
        from logging import ERROR, getLogger

        getLogger("matplotlib").setLevel(ERROR)  # a home that cannot be written is no news for a chart
        from cherrysim.plots import save

        save(advice.plot()[0], plot, force)
        tell(f"Chart: {plot}")
    return text


@click.command(cls=Command)
@GAME
@BAG
@click.option("--plan", type=take.PLAN, help="Draws to come, such as 2,2,1 (default: one draw of each size).")
@click.option(
    "--method", default="exact", type=take.Read("METHOD", str), help="exact (default), or mc: simulated."
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
