"""A review as one page of HTML that needs nothing else: no script, no address; light, dark and print."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from cherrysim.sheets.content import ADDS_UP, Grid, Sheet, sheet
from cherrysim.sheets.curve import curve

if TYPE_CHECKING:
    from cherrysim.review import Review

_STYLE = (
    """
:root { color-scheme: light dark; --paper: #fff; --text: #1b1b1f; --quiet: #5f5f68; --line: #d8d8df;
  --seat0: #515499; --seat1: #c23b57; --seat2: #2478b5; --seat3: #7d6200 }
@media (prefers-color-scheme: dark) { :root { --paper: #18181c; --text: #f2f2f4; --quiet: #b4b4be;
  --line: #44444d; --seat0: #b9bbff; --seat1: #f08ca0; --seat2: #90c9f8; --seat3: #ffcf33 } }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1rem; max-width: 52rem; background: var(--paper); color: var(--text);
  font: 1rem/1.45 system-ui, sans-serif; overflow-wrap: anywhere }
h1 { font-size: 1.3rem; line-height: 1.25; margin: 0 0 .5rem }
h2 { font-size: 1.1rem; margin: 1.5rem 0 .4rem }
p { margin: .4rem 0 }
.players, .small { color: var(--quiet) }
.small { font-size: .875rem }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums;
  overflow-wrap: normal }
th, td { padding: .2rem .5rem .2rem 0; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top }
th { color: var(--quiet); font-weight: normal }
.right { text-align: right; white-space: nowrap }
.mark { font-weight: bold; white-space: nowrap }
svg { display: block; width: 100%; max-width: 38rem; height: auto }
svg text { font: 14px system-ui, sans-serif; fill: var(--quiet) }
svg line { stroke: var(--line) }
svg polyline { fill: none; stroke-width: 2 }
"""
    + "\n".join(
        f"svg polyline.seat{s} {{ stroke: var(--seat{s}) }}\n"
        f"svg text.seat{s}, svg circle.seat{s} {{ fill: var(--seat{s}) }}"
        for s in range(4)
    )
    + """
@media print { :root { color-scheme: light; --paper: #fff; --text: #000; --quiet: #444; --line: #bbb;
  --seat0: #515499; --seat1: #c23b57; --seat2: #2478b5; --seat3: #7d6200 }
  body { max-width: none; padding: 0; font-size: 10pt } .wide { overflow: visible }
  tr, svg { break-inside: avoid } h2 { break-after: avoid } }
"""
)


def html(found: Review) -> str:
    """The page of a review."""
    words = sheet(found)
    title = escape(f"Review: {words.title}")
    parts = [
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<main>",
        f'<p class="players">{escape(words.title)}</p>\n<h1>{escape(words.verdict)}</h1>',
        *_grids(found, words),
        "<h2>How</h2>",
        *(f'<p class="small">{escape(text)}</p>' for text in words.remarks),
        "</main>\n</body>\n</html>\n",
    ]
    return "\n".join(parts).replace(" %", "&nbsp;%")


def _grids(found: Review, words: Sheet) -> Iterator[str]:
    """All tables, and the curve below the one that adds up."""
    for grid in (*words.grids, words.every):
        yield _grid(grid)
        if grid.heading == ADDS_UP:
            yield f"<p>{escape(words.sums)}</p>\n<h2>Chances to win</h2>"
            yield curve(found)
            yield '<p class="small">A point is a marked mistake.</p>'


def _grid(grid: Grid) -> str:
    """A table under its heading, which may be wider than a phone."""
    head = "".join(
        f'<th scope="col"{_class(side)}>{escape(cell)}</th>'
        for side, cell in zip(grid.sides, grid.header, strict=True)
    )
    body = "\n".join(
        "<tr>"
        + "".join(
            f"<td{_class(side, cell)}>{escape(cell)}</td>" for side, cell in zip(grid.sides, row, strict=True)
        )
        + "</tr>"
        for row in grid.rows
    )
    heading = escape(grid.heading)
    return (
        f'<h2>{heading}</h2>\n<div class="wide" role="region" aria-label="{heading}" tabindex="0"><table>'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )


def _class(side: str, cell: str = "") -> str:
    if cell and not cell.strip("?!"):
        return ' class="mark"'
    return ' class="right"' if side == ">" else ""
