"""Reports: what the game's figures say, as a page, Markdown, tables and numbers to cite.

`make("odds", question, seed, budget)` gives a report with all its files; `write` puts them into a folder,
whole or not at all. A report is a module of its name here with a function `report(question, seed, budget)`;
what it is made of stands in `frame`.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from cherrysim.files import check_folder, read_text, write_folder
from cherrysim.flowers import Refused
from cherrysim.report.frame import Budget, Question
from cherrysim.report.pages import NUMBERS, Made

__all__ = ["REPORTS", "Budget", "Kind", "Made", "Question", "check", "kind_of", "make", "write"]

QUICK = 0.1
"""The part of a full report's games that a quick one plays."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A report: what it says, and how many files it reads, of a table or of rules; of none it is about a
    game."""

    about: str
    takes: str = ""
    least: int = 0
    most: int = 0


REPORTS = {
    "odds": Kind("how often draws fail, by bag, hand, draws and players"),
    "turn": Kind("stop or draw for every collection, what more draws are worth, break-even, a rule of thumb"),
    "table": Kind(
        "one position in depth: every choice, its odds, what would turn the answer", "a table", 1, 1
    ),
    "policies": Kind("who plays better, what a seat is worth, where points come from, how long games are"),
    "card": Kind("the best simple rule on a card to print, what it costs and what it brings"),
    "claims": Kind(
        "what is said at the table, checked: splitting, six flowers, blacks, hiding, luck, memory"
    ),
    "rules": Kind("official against changed rules, or two changed ones", "rules", 1, 2),
}
"""Every report by its name, which is also that of its module."""


def kind_of(name: str) -> Kind:
    """The report of this name; `Refused` for another one."""
    if name not in REPORTS:
        raise Refused(f"unknown report {name[:40]!a}; the reports are {', '.join(REPORTS)}; choose one")
    return REPORTS[name]


def make(name: str, question: Question, seed: int, budget: Budget, command: str) -> Made:
    """The report of this name; `command` is what makes it again."""
    kind_of(name)
    module = import_module(f"cherrysim.report.{name}")
    found = module.report(question, seed, budget.during(0, 0.9))
    return Made(name, found, question, seed, command)


def check(out: str | os.PathLike[str], force: bool) -> None:
    """Refuse now what `write` could not write after minutes of work."""
    check_folder(out, force, _before(out))


def write(made: Made, out: str | os.PathLike[str], force: bool) -> None:
    """Write a report's folder whole or not at all; with `force` an earlier report there is replaced."""
    write_folder(out, made.files(), force, _before(out))


def _before(out: str | os.PathLike[str]) -> list[str]:
    """The files of an earlier report in a folder."""
    try:
        found = json.loads(read_text(Path(out) / NUMBERS))["files"]
        return [name for name in found if isinstance(name, str)]
    except (Refused, ValueError, KeyError, TypeError):
        return []
