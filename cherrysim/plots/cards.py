"""A page of numbered lines to print, as a figure."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from matplotlib.figure import Figure

from cherrysim.plots import look

_SIZE = (5.83, 8.27)
"""Inches of an A5 page."""
_WIDE, _QUIET = 54, 88
"""Characters of a line of words, and of a quiet one."""
_LEAD, _GAP, _MARGIN = 0.0275, 0.018, 0.06


def card_page(title: str, said: Sequence[str], foot: Sequence[str]) -> Figure:
    """A title, numbered lines, and what stands below them.

    >>> [text.get_text() for text in card_page("T", ["first", "second"], ["foot"]).texts]
    ['T', '1', 'first', '2', 'second', 'foot']
    """
    ink = look.LIGHT
    with look.styled():
        figure = Figure(figsize=_SIZE, facecolor=ink.paper)
        figure.set_label(title)
        figure.text(_MARGIN, 0.95, title, color=ink.text, size=15, weight="bold", va="top")
        y = 0.89
        for number, line in enumerate(said, 1):
            words = wrap(line, _WIDE)
            figure.text(_MARGIN, y, str(number), color=ink.best, size=12, weight="bold", va="top")
            figure.text(
                _MARGIN + 0.045, y, "\n".join(words), color=ink.text, size=11.5, va="top", linespacing=1.35
            )
            y -= _LEAD * len(words) + _GAP
        quiet = "\n".join(part for line in foot for part in wrap(line, _QUIET))
        figure.text(_MARGIN, 0.04, quiet, color=ink.quiet, size=7.5, va="bottom", linespacing=1.35)
    return figure
