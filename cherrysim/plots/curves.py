"""How often a draw fails, as curves by the number of flowers drawn."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.offsetbox import DrawingArea, OffsetBox
from matplotlib.transforms import offset_copy

from cherrysim.chances import DrawOdds
from cherrysim.flowers import Refused
from cherrysim.plots import look
from cherrysim.plots.look import DARK, LIGHT, Ink
from cherrysim.words import percent

_MARKERS = "osD^vPX*"
_DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 2)),
    (0, (1, 1.5)),
    (0, (6, 2, 1, 2)),
    (0, (3, 1.5)),
    (0, (8, 2)),
    (0, (4, 1, 1, 1, 1, 1)),
    "-",
)
MOST_CURVES = len(_MARKERS)
"""Curves in one figure that can still be told apart without colour."""

_FIRST_ROW, _ROW = 8.0, 15.0  # points above the axes


@look.styled()
def failure_curves(hands: Sequence[DrawOdds], axes: Axes | None = None, *, dark: bool = False) -> Axes:
    """The chance to fail (0..1) by flowers drawn at once, a curve for each hand, named above its end.

    Hands with equal chances share a curve; at most `MOST_CURVES` curves. Where the hands do not come from one
    bag each name says how many flowers are in its own. Source: `DrawOdds.rows`.

    >>> from cherrysim import odds
    >>> axes = failure_curves([odds(hand=hand) for hand in ("", "PY", "PPYY")])
    >>> [float(chance) for chance in axes.get_lines()[0].get_ydata()][:4]
    [0.0, 0.0, 0.0703, 0.2185]
    """
    curves: dict[tuple[Fraction, ...], list[DrawOdds]] = {}
    for found in hands:
        curves.setdefault(found.rows, []).append(found)
    if not 1 <= len(curves) <= MOST_CURVES:
        raise Refused(
            f"{len(curves)} different curves; one figure shows 1 to {MOST_CURVES} that can be told apart; "
            "draw several figures"
        )
    ink = DARK if dark else LIGHT
    if axes is None:
        axes = look.new_figure(
            ink, "How often a draw fails, by the number of flowers drawn at once"
        ).subplots()
    _axes(axes, max(map(len, curves)), ink)
    for i, rows in enumerate(curves):
        axes.plot(
            range(1, len(rows) + 1),
            [float(chance) for chance in rows],
            clip_on=False,
            zorder=3,
            **line(i, ink),
        )
    if len(hands) == 1:
        _name_points(axes, hands[0].rows, ink)
        rows_above, above = [look.hand_row(hands[0].at, ink), look.bag_row(hands[0].at, ink)], 0.0
    else:
        one_bag = len({(found.at.bag + found.at.hand, found.at.belief.hidden) for found in hands}) == 1
        ends = [(rows, _name(group, i, one_bag, ink)) for i, (rows, group) in enumerate(curves.items())]
        rows_above = [look.bag_row(hands[0].at, ink, before_hand=True)] if one_bag else []
        above = _name_ends(axes, ends, ink)
    look.heading(axes, ink, "How often a draw fails", "", *rows_above, above=above)
    return axes


def _axes(axes: Axes, most: int, ink: Ink) -> None:
    look.plain(axes, ink)
    axes.set_xlim(0.7, max(most, 4) + 0.3)
    axes.set_xticks(range(1, most + 1))
    axes.set_xlabel("flowers drawn at once")
    axes.set_ylabel("chance to fail")
    look.percent_axis(axes, [0, 0.25, 0.5, 0.75, 1], 1.02)


def line(i: int, ink: Ink) -> dict[str, Any]:
    """The look of curve `i`: its colour, dash and marker."""
    line = {"color": ink.curves.split()[i], "linestyle": _DASHES[i], "linewidth": 1.8}
    return line | {
        "marker": _MARKERS[i],
        "markersize": 6,
        "markeredgecolor": ink.text,
        "markeredgewidth": 0.6,
    }


def _name(group: Sequence[DrawOdds], i: int, one_bag: bool, ink: Ink) -> OffsetBox:
    """The hands on one curve after a piece of it."""
    sample = DrawingArea(22, 10)
    sample.add_artist(Line2D([0, 11, 22], [5, 5, 5], markevery=[1], **line(i, ink)))
    parts: list[OffsetBox] = [sample, look.words(" ", ink)]
    for k, found in enumerate(group[:3]):
        parts += [look.words(" = ", ink)] if k else []
        parts += look.tokens(found.at.hand) or [look.words("no flowers", ink)]
        parts += [] if one_bag else [look.words(f" bag of {look.short(found.at.belief.size)}", ink)]
    if len(group) > 3:
        parts.append(look.words(f" and {len(group) - 3} more", ink))
    return look.row(parts)


def _name_points(axes: Axes, rows: Sequence[Fraction], ink: Ink) -> None:
    """The chance beside every point of the only curve, on the side the curve is not."""
    for n, chance in enumerate(rows, 1):
        look.note(axes, percent(chance, 0), (n, float(chance)), 7 if chance < Fraction(1, 8) else -9, ink)


def _name_ends(axes: Axes, ends: Sequence[tuple[Sequence[Fraction], OffsetBox]], ink: Ink) -> float:
    """Names above the axes, each over its curve's end in the lowest free row; the rows' height in points."""
    figure = look.root(axes)
    figure.draw_without_rendering()  # the layout settles how wide the axes are
    left, right = axes.bbox.x0, axes.bbox.x1
    taken: list[float] = []  # where the leftmost name of each row starts
    for rows, name in sorted(ends, key=lambda end: (-len(end[0]), -end[0][-1])):
        end = (len(rows), float(rows[-1]))
        name.set_figure(figure)
        width = name.get_window_extent().width
        start = max(left, min(axes.transData.transform(end)[0] - width / 2, right - width))
        row = next((r for r, first in enumerate(taken) if start + width + 6 < first), len(taken))
        taken[row : row + 1] = [start]
        above = _FIRST_ROW + _ROW * row
        middle = (start + width / 2 - left) / (right - left)
        look.place(axes, name, (middle, 1), (0.5, 0), above, ink.paper)
        foot = offset_copy(axes.get_xaxis_transform(), figure, 0, above, units="points")
        thread = {"arrowstyle": "-", "linestyle": ":", "color": ink.quiet, "shrinkA": 0, "shrinkB": 4}
        axes.annotate(
            "", end, (end[0], 1), textcoords=foot, arrowprops=thread, annotation_clip=False, zorder=1
        )
    return _FIRST_ROW + _ROW * len(taken)
