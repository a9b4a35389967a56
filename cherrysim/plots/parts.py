"""What final scores are made of: front, warm and cool group, seat by seat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from cherrysim.plots import look
from cherrysim.plots.look import DARK, LIGHT, PALETTE

if TYPE_CHECKING:
    from cherrysim.simulate import Games

_PARTS = (("front", "L", ""), ("warm", "P", "///"), ("cool", "W", "..."))
_WIDTH = 0.8


@look.styled()
def score_parts(found: Mapping[str, Games], axes: Axes | None = None, *, dark: bool = False) -> Axes:
    """Bars of points by policy and seat, stacked: in front, warm group, cool group; the number is the whole
    score, its bar the 95 % interval. Source: `SeatResult`.

    >>> from cherrysim.simulate import play
    >>> axes = score_parts({"plan:3": play("plan:3", 200)})
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['in front', 'warm group', 'cool group']
    """
    ink = DARK if dark else LIGHT
    if axes is None:
        axes = look.new_figure(ink, "What final scores are made of, by policy and seat").subplots()
    look.plain(axes, ink)
    ticks, names, middles = [], [], {}
    x = 0.0
    for policy, games in found.items():
        middles[policy] = x + (len(games.seats) - 1) / 2
        for number, seat in enumerate(games.seats):
            below = 0.0
            for name, letter, hatch in _PARTS:
                value = getattr(seat, name).value
                axes.bar(
                    x,
                    value,
                    _WIDTH,
                    bottom=below,
                    color=PALETTE[letter],
                    edgecolor="#121212",
                    hatch=hatch,
                    zorder=2,
                )
                below += max(value, 0.0)
            low, high = seat.score.interval()
            axes.errorbar(x, below, (high - low) / 2, color=ink.text, capsize=2, zorder=3)
            look.note(axes, f"{seat.score.value:.0f}", (x, below), 5, ink, size=7)
            ticks.append(x)
            names.append(str(number))
            x += 1
        x += 0.8
    top = max(bar.get_y() + bar.get_height() for bar in axes.patches)  # type: ignore[attr-defined]
    axes.set_ylim(min(0.0, axes.get_ylim()[0]), 1.15 * top)
    axes.set_xticks(ticks, names)
    axes.set_ylabel("points")
    axes.set_xlabel("seat, and the policy at all seats")
    for policy, middle in middles.items():
        axes.annotate(
            policy, (middle, 1), (0, -3), xycoords=axes.get_xaxis_transform(), textcoords="offset points",
            ha="center", va="top", color=ink.text, weight="bold", size=8,
        )  # fmt: skip
    handles = [
        axes.bar(0, 0, color=PALETTE[letter], edgecolor="#121212", hatch=hatch) for _, letter, hatch in _PARTS
    ]
    labels = ["in front", "warm group", "cool group"]
    axes.legend(
        handles,
        labels,
        loc="upper left",
        bbox_to_anchor=(0.0, -0.15),
        ncols=3,
        frameon=False,
        labelcolor=ink.text,
    )
    look.heading(
        axes, ink, "What final scores are made of", "points on average; the bars on top are 95 % intervals"
    )
    return axes
