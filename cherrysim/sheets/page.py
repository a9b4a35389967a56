"""A review as one page of HTML."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from cherrysim.sheets.content import ADDS_UP, Sheet, sheet
from cherrysim.sheets.curve import curve
from cherrysim.sheets.paper import document, table

if TYPE_CHECKING:
    from cherrysim.review import Review

_LIGHT = "{ --seat0: #515499; --seat1: #c23b57; --seat2: #2478b5; --seat3: #7d6200 }"
_DARK = "{ --seat0: #b9bbff; --seat1: #f08ca0; --seat2: #90c9f8; --seat3: #ffcf33 }"
_STYLE = (
    f":root {_LIGHT}\n@media (prefers-color-scheme: dark) {{ :root {_DARK} }}\n"
    f"@media print {{ :root {_LIGHT} }}\n"
    "svg text { font: 14px system-ui, sans-serif; fill: var(--quiet) }\n"
    "svg line { stroke: var(--line) }\n"
    "svg polyline { fill: none; stroke-width: 2 }\n"
    + "\n".join(
        f"svg polyline.seat{s} {{ stroke: var(--seat{s}) }}\n"
        f"svg text.seat{s}, svg circle.seat{s} {{ fill: var(--seat{s}) }}"
        for s in range(4)
    )
    + "\n"
)


def html(found: Review) -> str:
    """The page of a review."""
    words = sheet(found)
    parts = [
        f'<p class="players">{escape(words.title)}</p>\n<h1>{escape(words.verdict)}</h1>',
        *_grids(found, words),
        "<h2>How</h2>",
        *(f'<p class="small">{escape(text)}</p>' for text in words.remarks),
    ]
    return document(f"Review: {words.title}", _STYLE, parts)


def _grids(found: Review, words: Sheet) -> Iterator[str]:
    """All tables, and the curve below the one that adds up."""
    for grid in (*words.grids, words.every):
        yield f"<h2>{escape(grid.heading)}</h2>\n{table(grid)}"
        if grid.heading == ADDS_UP:
            yield f"<p>{escape(words.sums)}</p>\n<h2>Chances to win</h2>"
            yield curve(found)
            yield '<p class="small">A point is a marked mistake.</p>'
