"""What all pages share: tables as HTML and as Markdown, and the page itself, which needs nothing else: no
script, no address; light, dark and print."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

STYLE = """
:root { color-scheme: light dark; --paper: #fff; --text: #1b1b1f; --quiet: #5f5f68; --line: #d8d8df }
@media (prefers-color-scheme: dark) { :root { --paper: #18181c; --text: #f2f2f4; --quiet: #b4b4be;
  --line: #44444d } }
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
@media print { :root { color-scheme: light; --paper: #fff; --text: #000; --quiet: #444; --line: #bbb }
  body { max-width: none; padding: 0; font-size: 10pt } .wide { overflow: visible }
  tr, svg { break-inside: avoid } h2 { break-after: avoid } }
"""


@dataclass(frozen=True)
class Grid:
    """A table: a heading, what its columns are called, to which side they stand, and its rows."""

    heading: str
    header: tuple[str, ...]
    sides: str
    rows: tuple[tuple[str, ...], ...]


def document(title: str, style: str, parts: Iterable[str], language: str = "en") -> str:
    """A page of HTML: its title as text, a style besides `STYLE`, what stands on it, and its language."""
    head = (
        f'<!DOCTYPE html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">',
        f"<title>{escape(title)}</title>",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<style>{STYLE}{style}</style>\n</head>\n<body>\n<main>",
    )
    return "\n".join((*head, *parts, "</main>\n</body>\n</html>\n")).replace(" %", "&nbsp;%")


def table(grid: Grid) -> str:
    """A table in HTML, which may be wider than a phone; its heading names it for those who cannot see it."""
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
    return (
        f'<div class="wide" role="region" aria-label="{escape(grid.heading)}" tabindex="0"><table>'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )


def _class(side: str, cell: str = "") -> str:
    if cell and not cell.strip("?!"):
        return ' class="mark"'
    return ' class="right"' if side == ">" else ""


def pipes(grid: Grid) -> str:
    """A table in Markdown."""
    sides = "|".join({"<": "---", ">": "---:"}[side] for side in grid.sides)
    lines = [f"|{sides}|"]
    rows = ["| " + " | ".join(plain(cell) for cell in row) + " |" for row in (grid.header, *grid.rows)]
    return "\n".join((rows[0], *lines, *rows[1:]))


def code(text: str) -> str:
    """A text that Markdown shows as it is, sign for sign.

    >>> code("ls"), code("a`b")
    ('`ls`', '`` a`b ``')
    """
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{text}{fence}" if fence == "`" else f"{fence} {text} {fence}"


def plain(cell: str) -> str:
    """Words that Markdown leaves as they are."""
    for sign in "\\`*_[]<>|#&$":
        cell = cell.replace(sign, f"\\{sign}")
    return cell
