"""What policy `learned` has learned, as figures: what a flower is worth, how far it pushes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from cherrysim.plots import look
from cherrysim.plots.curves import line
from cherrysim.plots.look import DARK, LIGHT, Ink
from cherrysim.rules import Rules

if TYPE_CHECKING:
    from cherrysim.strength.habits import Stage

_LEFT = range(90, 0, -4)


@look.styled()
def worth_of_flowers(rules: Rules, axes: Axes | None = None, *, dark: bool = False) -> Axes:
    """Points of share that the 1st to 5th pink flower in front adds to a quarter, by flowers left.

    Source: `strength.habits.worth`.
    """
    from cherrysim.strength.habits import worth

    ink = DARK if dark else LIGHT
    if axes is None:
        axes = look.new_figure(ink, "What a flower in front is worth, by flowers left").subplots()
    look.plain(axes, ink)
    bag = rules.counts.total - rules.set_aside
    lefts = [left for left in _LEFT if left < bag]
    for i, n in enumerate(range(1, 6)):
        values = [worth(rules, 0, n, left) for left in lefts]
        axes.plot(lefts, values, label=f"{n}. pink flower", markevery=4, **line(i, ink))
    axes.axhline(0, color=ink.quiet, linewidth=0.8, zorder=1)
    axes.set_xlim(min(92, bag), 0)
    axes.set_xlabel("flowers left in the bag")
    axes.set_ylabel("points of share")
    _names(axes, ink)
    look.heading(axes, ink, "What a flower in front is worth", "to a seat with a quarter of the victory")
    return axes


@look.styled()
def pushing(found: Sequence[Stage], axes: Axes | None = None, *, dark: bool = False) -> Axes:
    """How often turns fail, and successes hide something, by flowers left in sixteens.

    Source: `strength.habits.stages`.
    """
    ink = DARK if dark else LIGHT
    if axes is None:
        axes = look.new_figure(ink, "How often turns fail and something is hidden").subplots()
    look.plain(axes, ink)
    stages = [(i, stage) for i, stage in enumerate(found) if stage.turns]
    middles = [16 * i + 8 for i, _ in stages]
    for i, (name, parts, wholes) in enumerate(
        (
            ("turns that fail", [s.failed for _, s in stages], [s.turns for _, s in stages]),
            (
                "successes that hide something",
                [s.successes - s.hidden["nothing"] for _, s in stages],
                [s.successes for _, s in stages],
            ),
        )
    ):
        rates = [part / max(whole, 1) for part, whole in zip(parts, wholes, strict=True)]
        errors = [
            1.96 * (rate * (1 - rate) / max(whole, 1)) ** 0.5
            for rate, whole in zip(rates, wholes, strict=True)
        ]
        axes.errorbar(middles, rates, errors, label=name, capsize=3, **line(i, ink))
    axes.set_xlim(16 * len(found), 0)
    axes.set_xlabel("flowers left in the bag")
    look.percent_axis(axes, [0, 0.25, 0.5, 0.75, 1], 1.02)
    _names(axes, ink)
    look.heading(axes, ink, "How far it pushes", "bars are 95 % intervals")
    return axes


def _names(axes: Axes, ink: Ink) -> None:
    """The curves' names below, outside the axes."""
    axes.legend(
        loc="upper left", bbox_to_anchor=(0.0, -0.16), ncols=3, frameon=False, fontsize=8, labelcolor=ink.text
    )
