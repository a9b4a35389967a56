"""A review as text for a terminal of 80 columns, and as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cherrysim.names import fitted
from cherrysim.sheets.content import ADDS_UP, sheet
from cherrysim.sheets.paper import Grid, pipes, plain
from cherrysim.words import WIDTH, in_columns, page, wrapped

if TYPE_CHECKING:
    from cherrysim.review import Review

_NAME = 12
"""Columns for a name."""


def text(found: Review) -> str:
    """The text of `cherrysim review`: the verdict first."""
    words = sheet(found)
    grids = []
    for grid in words.grids:
        said = f"{grid.heading}. {words.sums}" if grid.heading == ADDS_UP else grid.heading
        grids.append("\n".join((*wrapped(said, WIDTH), _columns(grid, found.record.names))))
    return page(words.verdict, *grids, "\n".join(wrapped(" ".join(words.remarks), WIDTH)))


def markdown(found: Review) -> str:
    """A review as Markdown, every decision listed."""
    words = sheet(found)
    parts = [f"# {plain(words.title)}", f"**{plain(words.verdict)}.**"]
    for grid in (*words.grids, words.every):
        parts += [f"## {grid.heading}", pipes(grid)]
        if grid.heading == ADDS_UP:
            parts.append(words.sums)
    parts += ["## How", *map(plain, words.remarks)]
    return "\n\n".join(parts) + "\n"


def _columns(grid: Grid, names: tuple[str, ...]) -> str:
    """A grid in columns, names cut to fit."""
    short = {name: fitted(name, _NAME).rstrip() for name in names}
    rows = [tuple(short.get(cell, cell) for cell in row) for row in (grid.header, *grid.rows)]
    if grid.sides[-1] == ">":  # the last column is wrapped, not set to a side: let it be an empty one
        rows = [(*row, "") for row in rows]
    return in_columns(rows, grid.sides)
