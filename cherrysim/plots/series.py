"""Numbers with their errors, as curves across a scale and as points beside names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from cherrysim.flowers import Refused
from cherrysim.plots import look
from cherrysim.plots.curves import MOST_CURVES, line
from cherrysim.plots.look import DARK, LIGHT, Ink
from cherrysim.stats import Stated

_ROW = 0.3  # inches
_AROUND = 1.35
Curve = Sequence[tuple[float, Stated]]


@look.styled()
def curves(
    found: Mapping[str, Curve],
    words: tuple[str, str],
    scales: tuple[str, str],
    axes: Axes | None = None,
    *,
    whole: float | None = None,
    backwards: bool = False,
    dark: bool = False,
) -> Axes:
    """Curves by name with their 95 % intervals, the names below; `words` are title and detail, `scales` what
    is across and up.

    `whole` says that numbers are parts of 1 told in per cent, up to so much; `backwards` puts the largest to
    the left. At most `MOST_CURVES` curves. Source: the numbers given.

    >>> points = [(1, Stated.exact(0.5)), (2, Stated.exact(0.75))]
    >>> axes = curves({"a": points}, ("title", "detail"), ("across", "up"), whole=1)
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['a']
    """
    if not 1 <= len(found) <= MOST_CURVES:
        raise Refused(f"{len(found)} curves; one figure shows 1 to {MOST_CURVES}; draw several figures")
    ink = DARK if dark else LIGHT
    if axes is None:
        axes = look.new_figure(ink, f"{words[0]}: {words[1]}" if words[1] else words[0]).subplots()
    look.plain(axes, ink)
    ends = sorted({x for points in found.values() for x, _ in points})
    width = ends[-1] - ends[0]
    bars = any(number.reach for points in found.values() for _, number in points)
    for i, (name, points) in enumerate(found.items()):
        aside = 0.012 * width * (i - (len(found) - 1) / 2) * bars  # no bar hides another
        across = [x + aside for x, _ in points]
        values = [number.mean for _, number in points]
        reaches = [number.reach or 0.0 for _, number in points]
        style = line(i, ink)
        axes.errorbar(across, values, reaches if bars else None, capsize=3, label=name, zorder=3, **style)
    axes.set(xlabel=scales[0], ylabel=scales[1])
    edge = 0.04 * width or 0.5
    axes.set_xlim(*sorted((ends[0] - edge, ends[-1] + edge), reverse=backwards))
    if len(ends) <= 9:
        axes.set_xticks(ends)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    if whole is not None:
        step = 0.25 if whole > 0.5 else 0.1 if whole > 0.2 else 0.05
        look.percent_axis(axes, [k * step for k in range(int(whole / step) + 1)], 1.03 * whole)
    _names(axes, ink)
    look.heading(axes, ink, *words)
    return axes


def _names(axes: Axes, ink: Ink) -> None:
    """The curves' names below, outside the axes."""
    axes.legend(
        loc="upper left", bbox_to_anchor=(0.0, -0.15), ncols=4, frameon=False, labelcolor=ink.text, fontsize=8
    )


@look.styled()
def points(
    found: Mapping[str, Stated],
    words: tuple[str, str],
    scale: str,
    axes: Axes | None = None,
    *,
    filled: Sequence[str] = (),
    digits: int = 1,
    dark: bool = False,
) -> Axes:
    """A row a name, its number as a point with its 95 % interval and in figures beside it, right of the
    dashed line, which is 0.

    The names in `filled` have a full point. Source: the numbers given.

    >>> axes = points({"a": Stated(1.5, 0.1, (1.3, 1.7), "fixed")}, ("T", "d"), "points")
    >>> [text.get_text() for text in axes.texts]
    ['1.5 ± 0.2']
    """
    ink = DARK if dark else LIGHT
    if axes is None:
        size = (look.SIZE[0], _AROUND + _ROW * len(found))
        axes = look.new_figure(ink, f"{words[0]}: {words[1]}" if words[1] else words[0], size).subplots()
    look.plain(axes, ink)
    axes.grid(axis="y", visible=False)
    axes.grid(axis="x", color=ink.line, linewidth=0.8)
    ends = [0.0] + [end for number in found.values() for end in (number.interval or (number.mean,) * 2)]
    low, high = min(ends), max(ends)
    span = high - low or 1.0
    axes.set_xlim(low - 0.05 * span, high + 0.3 * span)
    if low < 0:
        axes.axvline(0, color=ink.quiet, linewidth=1.2, linestyle=(0, (4, 2)), zorder=1)
    for y, (name, number) in enumerate(found.items()):
        _point(axes, y, number, name in filled, digits, ink)
    axes.set_yticks(range(len(found)), list(found))
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(found) - 0.4, -0.6)
    axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}".replace("-", "−")))
    axes.set_xlabel(scale)
    look.heading(axes, ink, *words)
    return axes


def _point(axes: Axes, y: int, number: Stated, full: bool, digits: int, ink: Ink) -> None:
    """A number as a point with its interval, and in figures to the right of that and of 0."""
    if number.reach:
        bar: dict[str, Any] = {"ecolor": ink.quiet, "elinewidth": 2, "capsize": 4, "capthick": 1.6}
        axes.errorbar(number.mean, y, xerr=number.reach, **bar)
    (point,) = axes.plot(number.mean, y, "o", markersize=8, zorder=3)
    fill = ink.best if full else ink.paper
    point.set(markerfacecolor=fill, markeredgecolor=ink.text, markeredgewidth=1.2)
    end = max(0.0, number.interval[1] if number.interval else number.mean)
    reach = f" ± {number.reach:.{digits}f}" if number.reach else ""
    said = f"{number.mean:.{digits}f}{reach}".replace("-", "−")
    look.beside(axes, said, (end, y), 8, ink, weight="bold" if full else "normal")
