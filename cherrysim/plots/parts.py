"""What final scores are made of: front, warm and cool group, seat by seat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes

from cherrysim.plots import look
from cherrysim.plots.look import DARK, LIGHT, PALETTE, Ink

if TYPE_CHECKING:
    from cherrysim.simulate import Games, SeatResult

_PARTS = (("front", "L", ""), ("warm", "P", "///"), ("cool", "W", "..."))
_WIDTH, _GAP = 0.8, 0.8


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
    x = 0.0
    ticks: list[float] = []
    middles: list[float] = []
    for games in found.values():
        places = [x + seat for seat in range(len(games.seats))]
        for place, seat in zip(places, games.seats, strict=True):
            _bar(axes, place, seat, ink)
        middles.append(sum(places) / len(places))
        ticks += places
        x += len(places) + _GAP
    top = max(bar.get_y() + bar.get_height() for bar in axes.patches)  # type: ignore[attr-defined]
    axes.set_ylim(min(0.0, axes.get_ylim()[0]), 1.15 * top)
    axes.set_xticks(ticks, [str(seat) for games in found.values() for seat in range(len(games.seats))])
    axes.set_ylabel("points")
    axes.set_xlabel("seat, and the policy at all seats")
    for policy, middle in zip(found, middles, strict=True):
        axes.annotate(policy, (middle, 1), (0, -3), **_above(axes, ink))
    _legend(axes, ink)
    look.heading(
        axes, ink, "What final scores are made of", "points on average; the bars on top are 95 % intervals"
    )
    return axes


def _bar(axes: Axes, x: float, seat: SeatResult, ink: Ink) -> None:
    """A seat's parts on each other, its whole score and the interval of that on top."""
    below = 0.0
    for name, letter, hatch in _PARTS:
        value = getattr(seat, name).value
        axes.bar(x, value, _WIDTH, bottom=below, hatch=hatch, zorder=2, **_look(letter))
        below += max(value, 0.0)
    low, high = seat.score.interval()
    axes.errorbar(x, below, (high - low) / 2, color=ink.text, capsize=2, zorder=3)
    look.note(axes, f"{seat.score.value:.0f}", (x, below), 5, ink, size=7)


def _look(letter: str) -> dict[str, Any]:
    return {"color": PALETTE[letter], "edgecolor": PALETTE["B"]}


def _above(axes: Axes, ink: Ink) -> dict[str, Any]:
    """How a policy's name stands under the upper edge."""
    words = {"ha": "center", "va": "top", "color": ink.text, "weight": "bold", "size": 8}
    return words | {"xycoords": axes.get_xaxis_transform(), "textcoords": "offset points"}


def _legend(axes: Axes, ink: Ink) -> None:
    """The parts' names below, outside the axes."""
    handles = [axes.bar(0, 0, hatch=hatch, **_look(letter)) for _, letter, hatch in _PARTS]
    where: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (0.0, -0.15), "ncols": 3}
    names = ["in front", "warm group", "cool group"]
    axes.legend(handles, names, frameon=False, labelcolor=ink.text, **where)
