"""What each change of the rules does by itself, the largest effect first, a panel a measure."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from cherrysim.plots import look
from cherrysim.plots.look import DARK, LIGHT, PALETTE, Ink
from cherrysim.stats import Stated

_ROW = 0.24  # inches
_PANEL = 0.72
_AROUND = 0.7
_WORDS = 26
"""Letters of a change's name that are shown."""


@look.styled()
def tornado(
    found: Mapping[str, Mapping[str, Stated]], title: str, detail: str, *, dark: bool = False
) -> Figure:
    """Bars from 0 to the effect of each change with its 95 % interval, by measure (told with its unit), the
    largest effect on top; an effect whose interval reaches 0 has an empty bar. Source: the numbers given.

    >>> figure = tornado({"turns": {"a": Stated(1.0, 0.1, (0.8, 1.2), "fixed")}}, "T", "d")
    >>> figure.axes[0].get_xlabel(), [label.get_text() for label in figure.axes[0].get_yticklabels()]
    ('turns', ['a'])
    """
    ink = DARK if dark else LIGHT
    rows = [len(changes) for changes in found.values()]
    high = _AROUND + sum(_PANEL + _ROW * n for n in rows)
    figure = look.new_figure(ink, f"{title}: {detail}", (look.SIZE[0], high))
    panels = figure.subplots(len(rows), 1, squeeze=False, height_ratios=[n + _PANEL / _ROW for n in rows])[
        :, 0
    ]
    for axes, (measure, changes) in zip(panels, found.items(), strict=True):
        _panel(axes, measure, changes, ink)
    look.heading(panels[0], ink, title, detail)
    return figure


def _panel(axes: Axes, measure: str, changes: Mapping[str, Stated], ink: Ink) -> None:
    look.plain(axes, ink)
    axes.grid(axis="y", visible=False)
    axes.grid(axis="x", color=ink.line, linewidth=0.8)
    ordered = sorted(changes.items(), key=lambda pair: -abs(pair[1].mean))
    for y, (_, number) in enumerate(ordered):
        low, high = number.interval or (number.mean, number.mean)
        sure = low > 0 or high < 0
        axes.barh(y, number.mean, 0.62, color=PALETTE["L"] if sure else "none", edgecolor=ink.text, zorder=2)
        axes.errorbar(number.mean, y, xerr=number.reach or 0.0, color=ink.text, capsize=3, zorder=3)
    axes.axvline(0, color=ink.text, linewidth=1.0, zorder=4)
    names = [name if len(name) <= _WORDS else f"{name[: _WORDS - 1]}…" for name, _ in ordered]
    axes.set_yticks(range(len(ordered)), names)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(ordered) - 0.4, -0.6)
    axes.margins(x=0.08)
    axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(
        FuncFormatter(lambda value, _: f"{value:+g}".replace("-", "−") if value else "0")
    )
    axes.set_xlabel(measure)
