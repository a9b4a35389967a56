"""The command `report`: what the game's figures say, as a page, Markdown, tables and numbers."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cherrysim.cli import options as take
from cherrysim.cli import tell
from cherrysim.cli.options import CARDS, JSON, PLAYERS, SEED, THREADS, Command, Read
from cherrysim.cli.progress import progress
from cherrysim.flowers import Refused, number_of
from cherrysim.rules import Rules, card_names
from cherrysim.runs import opened

if TYPE_CHECKING:
    from cherrysim.report import Kind, Question


def _named_rules(path: str) -> tuple[str, Rules]:
    return _name(path), take.in_file(path, Rules.from_toml)


class _Report(Command):
    """A command whose help also lists the reports."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from cherrysim.report import REPORTS

        with formatter.section("Reports"):
            formatter.write_dl([(name, f"{kind.about}.".capitalize()) for name, kind in REPORTS.items()])
        super().format_options(ctx, formatter)


@click.command(cls=_Report)
@click.argument("name", type=Read("NAME", str))
@click.argument("files", nargs=-1, type=Read("FILE", str))
@PLAYERS
@CARDS
@click.option("--rules", type=Read("FILE", _named_rules), help="A TOML file of rules instead of these two.")
@click.option("--out", required=True, type=Read("DIR", Path), help="The folder that is written.")
@click.option("--quick", is_flag=True, help="A tenth of the games: seconds, wider errors.")
@SEED
@THREADS
@take.RUN
@click.option("--force", is_flag=True, help="Replace an earlier report there.")
@JSON
def report(
    name: str,
    files: tuple[str, ...],
    out: Path,
    quick: bool,
    seed: int | None,
    threads: int | None,
    run: str | None,
    force: bool,
    as_json: bool,
    **game: Any,
) -> str:
    """A report: one page, Markdown with figures, numbers with errors.

    The page needs nothing else; beside it lie tables as CSV and all numbers as JSON. Reports odds, turn,
    policies and claims are about a game, card about the official one, table about a table or recorded game
    in a file, rules about one file of rules or two.

    \b
      cherrysim report odds --out odds
      cherrysim report policies --players 3 --quick --out policies
      cherrysim report table game.record --out position
      cherrysim report rules mine.toml --out mine
    """
    from cherrysim import report as of

    given = {option: game[option] for option in sorted(game, reverse=True) if game[option] is not None}
    question = _question(name, of.kind_of(name), files, given)
    if run is not None and name != "rules":
        raise Refused(f"report {name} keeps no games; --run is for report rules; leave it out")
    of.check(out, force)
    take.announce()
    asked = {
        "command": f"report {name}",
        "files": [[file, rules.to_json()] for file, rules in question.files if isinstance(rules, Rules)],
        "quick": quick,
        "seed": seed or 0,
    }
    with progress("Reporting", "") as told, opened(run, asked) as kept:
        part = of.QUICK if quick else 1.0
        budget = of.Budget(part, threads, told and (lambda part: told(0, part)), kept)
        made = of.make(name, question, seed or 0, budget, _command(name, files, given, quick, seed or 0))
        of.write(made, out, force)
    tell(f"Written: {out / f'{name}.html'}")
    return take.answer(made, as_json)


def _question(name: str, kind: Kind, files: tuple[str, ...], given: dict[str, Any]) -> Question:
    """What the report is about, read from its files or by the options."""
    from cherrysim.report import Question

    if not kind.least <= len(files) <= kind.most:
        wants = "no file" if not kind.most else f"{number_of(kind.least, 'file')} with {kind.takes}"
        wants += f", or {kind.most}" if kind.most > kind.least else ""
        given_files = number_of(len(files), "file") if files else "no file"
        raise Refused(f"{given_files} given; report {name} takes {wants}; name so many")
    if not files:
        rules = given.get("rules")
        asked = take.game(given.get("players"), given.get("cards"), rules and rules[1])
        return Question(asked)
    for option in given:
        raise Refused(f"report {name} takes its game from its file; --{option} is for others; leave it out")
    if files.count("-") > 1:
        raise Refused("standard input is named twice; it can be read once; write one of them to a file")
    read = take.table if kind.takes == "a table" else Rules.from_toml
    found = tuple((_name(path), take.in_file(path, read)) for path in files)
    first = found[0][1]
    return Question(first if isinstance(first, Rules) else first.rules, found)


def _name(path: str) -> str:
    """A file's name without its folders, as the report tells it."""
    if path == "-":
        return "standard input"
    name = Path(path).name
    if not name.isprintable():
        raise Refused(f"{name[-60:]!a} cannot be printed; a report tells its files' names; rename the file")
    return name


def _command(name: str, files: tuple[str, ...], given: dict[str, Any], quick: bool, seed: int) -> str:
    """The command that makes a report again, without folders."""
    parts = ["cherrysim", "report", name, *(path if path == "-" else _name(path) for path in files)]
    for option, value in given.items():
        said = value[0] if option == "rules" else _cards(value) if option == "cards" else str(value)
        parts += [f"--{option}", said]
    return shlex.join([*parts, *["--quick"] * quick, "--seed", str(seed)])


def _cards(names: tuple[str, ...]) -> str:
    sides = ("blue", "pink", "none")
    return next((side for side in sides if card_names(side) == names), ",".join(names))
