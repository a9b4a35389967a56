"""The look of all figures: style, inks, flowers as tokens, headings, numbers in short, and saving.

Nothing is told by colour alone: a flower has a letter, a shape and a colour, a curve a marker and a dash, a
cell its words. The one rule of the bytes: the same result gives the same SVG, so the style is matplotlib's
default plus `_STYLE` whatever the user's, words are no formulas, letters are the outlines of matplotlib's own
font, and names inside the file come from a fixed salt. Figures are made without pyplot, one at a time, so
that servers and threads may draw.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from threading import RLock
from typing import Any, NamedTuple

from matplotlib import style
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.offsetbox import AnnotationBbox, DrawingArea, HPacker, OffsetBox, TextArea, VPacker
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter
from matplotlib.transforms import offset_copy

from cherrysim.chances import Position
from cherrysim.files import write_atomic
from cherrysim.flowers import LETTERS, Flowers, Refused, number_of
from cherrysim.turn import Number

PALETTE = {"P": "#DF7183", "Y": "#FFCF33", "L": "#90C9F8", "D": "#515499", "W": "#FFFFFF", "B": "#121212"}
SHAPES = {"P": "o", "Y": "s", "L": "h", "D": "D", "W": "p", "B": "8"}
"""A flower's outline as a matplotlib marker: circle, square, hexagon, diamond, pentagon, octagon."""

SIZE = (6.0, 4.5)
"""Inches of a figure: 600 x 450 pixels, readable on a phone."""

_OUTLINE = "#7A7A85"
_FILLS = {"Y": 0.8, "D": 0.72}  # a square and a diamond look larger than a circle as wide
_STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "text.parse_math": False,
    "axes.labelsize": 9.0,
    "svg.fonttype": "path",
    "svg.hashsalt": "cherrysim",
    "figure.dpi": 100.0,
    "savefig.dpi": 100.0,
}
_ONE_AT_A_TIME = RLock()


class Ink(NamedTuple):
    """The colours of everything that is no flower."""

    paper: str
    text: str
    quiet: str
    line: str
    best: str
    fail: str
    curves: str


LIGHT = Ink(
    paper="#FFFFFF",
    text="#1B1B1F",
    quiet="#5F5F68",
    line="#D8D8DF",
    best=PALETTE["D"],
    fail=PALETTE["P"],
    curves="#515499 #C23B57 #2478B5 #7D6200 #1B1B1F #8A3FA0 #3E7D4E #5F5F68",
)
DARK = Ink(
    paper="#18181C",
    text="#F2F2F4",
    quiet="#B4B4BE",
    line="#44444D",
    best=PALETTE["L"],
    fail=PALETTE["P"],
    curves="#90C9F8 #DF7183 #FFCF33 #B9BBFF #F2F2F4 #D79BEA #8FD3A0 #B4B4BE",
)


@contextmanager
def styled() -> Iterator[None]:
    """Our style and no other, for one thread at a time as matplotlib keeps it in one place for all."""
    with _ONE_AT_A_TIME, style.context(["default", _STYLE]):
        yield


def new_figure(ink: Ink, title: str, size: tuple[float, float] = SIZE) -> Figure:
    """An empty figure; `title` is what an SVG tells those who cannot see it."""
    figure = Figure(figsize=size, facecolor=ink.paper, layout="constrained")
    figure.set_label(title)
    return figure


def root(axes: Axes) -> Figure:
    """The figure that some axes are on, through any figures inside it."""
    return axes.figure.figure


def save(shown: Figure | Axes, path: str | os.PathLike[str], force: bool = False) -> None:
    """Write a figure, whole or not at all, as .svg (same figure, same bytes) or .png (100 dots an inch).

    Raises `Refused` for another ending, a file that exists (unless `force`), a place that cannot be written.
    """
    ending = os.path.splitext(os.fspath(path))[1].lower()
    if ending not in (".svg", ".png"):
        raise Refused(
            f"{os.fspath(path)!a} does not end in .svg or .png; figures are written as these; rename it"
        )
    write_atomic(path, drawn(shown, ending[1:]), force)


def drawn(shown: Figure | Axes, ending: str = "svg") -> bytes:
    """What the file of a figure holds, an SVG or a PNG."""
    figure = root(shown) if isinstance(shown, Axes) else shown
    about: dict[str, Any] = {"Software": None}
    if ending == "svg":
        about = {"Title": figure.get_label() or None, "Date": None, "Creator": None}
    data = BytesIO()
    with styled():
        figure.savefig(data, format=ending, metadata=about)
    return data.getvalue()


def plain(axes: Axes, ink: Ink) -> None:
    """Two quiet spines and lines across."""
    axes.set_facecolor(ink.paper)
    axes.grid(axis="y", color=ink.line, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[:].set_color(ink.quiet)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(colors=ink.text)
    axes.xaxis.label.set_color(ink.text)
    axes.yaxis.label.set_color(ink.text)


def percent_axis(axes: Axes, ticks: Sequence[float], top: float) -> None:
    """A vertical axis of chances, 0..1 said in per cent."""
    axes.set_ylim(0, top)
    axes.set_yticks(ticks)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.0f} %"))


def note(axes: Axes, text: str, at: tuple[float, float], up: float, ink: Ink, **look: Any) -> None:
    """Words `up` points above a point of the data, below it where `up` is negative."""
    look = {"ha": "center", "va": "bottom" if up > 0 else "top", "color": ink.text} | look
    look["bbox"] = {"facecolor": ink.paper, "edgecolor": "none", "pad": 0.5}  # no line runs through the words
    axes.annotate(text, at, (0, up), textcoords="offset points", **look)


def beside(axes: Axes, text: str, at: tuple[float, float], right: float, ink: Ink, **look: Any) -> None:
    """Words `right` points to the right of a point of the data."""
    look = {"ha": "left", "va": "center", "color": ink.text} | look
    look["bbox"] = {"facecolor": ink.paper, "edgecolor": "none", "pad": 0.5}
    axes.annotate(text, at, (right, 0), textcoords="offset points", **look)


def heading(axes: Axes, ink: Ink, title: str, detail: str, *rows: OffsetBox, above: float = 0) -> None:
    """The verdict, what it rests on and rows of tokens, `above` points over the axes."""
    said: list[Artist] = [
        words(title, ink, size=12, weight="bold"),
        *([words(detail, ink)] if detail else []),
        *rows,
    ]
    place(axes, VPacker(children=said, align="left", pad=0, sep=4), (0, 1), (0, 0), above + 6)


def place(
    axes: Axes,
    box: OffsetBox,
    at: tuple[float, float],
    align: tuple[float, float],
    above: float = 0,
    paper: str = "none",
) -> None:
    """A box on paper, its corner or edge `align` at a fraction of the axes, `above` points higher."""
    where = offset_copy(axes.transAxes, root(axes), 0, above, units="points")
    placed = AnnotationBbox(box, at, xycoords=where, box_alignment=align, pad=0.1, annotation_clip=False)
    placed.patch.set(facecolor=paper, edgecolor="none")
    placed.set_zorder(4)
    axes.add_artist(placed)


def bag_row(at: Position, ink: Ink, before_hand: bool = False) -> OffsetBox:
    """The bag as tokens with their numbers; where some tokens may not be in it, how many of them are."""
    flowers = at.bag + at.hand if before_hand else at.bag
    size = at.belief.size + (at.hand.total if before_hand else 0)
    name = "bag before the hand" if before_hand else "bag"
    if not flowers.total:
        return words(f"{name} empty", ink)
    parts = [words(name if size == flowers.total else f"{name}: {short(size)} of", ink)]
    for letter, n in zip(LETTERS, flowers.counts, strict=True):
        if n:
            parts += [words(" ", ink), token(letter), words(short(n), ink)]
    return row(parts)


def hand_row(at: Position, ink: Ink, after: str = "") -> OffsetBox:
    """The hand as tokens, and some words after it."""
    name = words("hand  " if at.hand.total else "no flowers in hand", ink)
    return row([name, *tokens(at.hand), words(f"    {after}", ink)])


def tokens(flowers: Flowers, size: float = 11.0) -> list[OffsetBox]:
    """Every flower as a token `size` points wide, in the order P Y L D W B."""
    return [token(letter, size) for letter, n in zip(LETTERS, flowers.counts, strict=True) for _ in range(n)]


def token(letter: str, size: float = 11.0) -> OffsetBox:
    """A flower: letter, shape, colour and outline."""
    area, middle = DrawingArea(size, size), size / 2
    shape = Line2D([middle], [middle], marker=SHAPES[letter], markersize=size * _FILLS.get(letter, 1))
    shape.set(markerfacecolor=PALETTE[letter], markeredgecolor=_OUTLINE, markeredgewidth=0.8)
    name = Text(middle, middle, letter, ha="center", va="center_baseline", size=size * 0.62, weight="bold")
    name.set_color(PALETTE["W" if letter in "DB" else "B"])
    area.add_artist(shape)
    area.add_artist(name)
    return area


def words(text: str, ink: Ink, **font: Any) -> OffsetBox:
    """Words as a part of a row."""
    return TextArea(text, textprops={"color": ink.text, **font})


def row(parts: Sequence[OffsetBox]) -> OffsetBox:
    """Parts side by side."""
    return HPacker(children=list(parts), align="center", pad=0, sep=2)


def draws_left(n: int) -> str:
    """So many draws, in words."""
    return f"{number_of(n, 'draw')} left"


def numbers(values: Sequence[Number], sign: str = "-") -> list[str]:
    """Numbers with two decimals, up to four where fewer would make different ones, or one and 0, look equal.

    >>> numbers([3.5, 2]), numbers([3.7078, 3.7087]), numbers([0.5, -12345.6], sign="+")
    (['3.50', '2.00'], ['3.708', '3.709'], ['+0.50', '−12.35k'])
    """
    shown: list[str] = []
    for decimals in (2, 3, 4):
        shown = [short(value, decimals, sign) for value in values]
        if len({*shown, short(0, decimals, sign)}) == len({*values, 0}):
            break
    return shown


def short(value: Number, decimals: int = 0, sign: str = "-") -> str:
    """A number, from ten thousand up with four digits and k, M, G or T for thousand to million million."""
    value = float(value)
    for unit, name in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= max(unit, 1e4):
            return f"{value / unit:{sign}.4g}{name}".replace("-", "−")
    return f"{value:{sign}.{decimals}f}".replace("-", "−")
