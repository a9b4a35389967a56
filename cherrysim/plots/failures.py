"""How often draws fail, as a map: collections down, flowers drawn at once across."""

from __future__ import annotations

from fractions import Fraction

from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from cherrysim.chances import draw_odds, position
from cherrysim.flowers import Flowers
from cherrysim.plots import look
from cherrysim.plots.look import DARK, LIGHT, PALETTE, SIZE, Ink
from cherrysim.plots.maps import shapes
from cherrysim.rules import Rules
from cherrysim.words import percent

_ROW = 0.17  # inches


@look.styled()
def failure_map(rules: Rules, axes: Axes | None = None, *, dark: bool = False) -> Axes:
    """How often a draw of each size fails with every safe collection, up to its colours, from the start bag.

    A cell has its chance in per cent and is the darker the more often it fails. Source: `chances.draw_odds`.

    >>> axes = failure_map(Rules())
    >>> [cell.get_text() for cell in axes.texts if "%" in cell.get_text()][:4]
    ['0 %', '0 %', '7 %', '22 %']
    """
    ink = DARK if dark else LIGHT
    hands = [shape for shape in shapes(rules) if Flowers(*shape) in rules.counts]
    rows = {shape: position(rules, Flowers(*shape)) for shape in hands}
    found = {shape: draw_odds(at).rows for shape, at in rows.items() if at.most}
    most = max(map(len, found.values()))
    if axes is None:
        size = (SIZE[0], 1.1 + _ROW * max(len(found), 5))
        axes = look.new_figure(ink, "How often a draw fails, by collection and size", size).subplots()
    look.plain(axes, ink)
    axes.grid(visible=False)
    axes.set(xlim=(0, most), ylim=(len(found), 0), xticks=[], yticks=[])
    for y, (shape, chances) in enumerate(found.items()):
        held = look.tokens(Flowers(*shape), 9.5) or [look.words("no flowers", ink)]
        look.place(axes, look.row([*held, look.words(" ", ink)]), (0, 1 - (y + 0.5) / len(found)), (1, 0.5))
        for x, chance in enumerate(chances):
            _cell(axes, (x, y), chance, ink)
    for x in range(most):
        look.note(axes, f"draw {x + 1}", (x + 0.5, 0), 3, ink)
    detail = "from the bag at the start less the hand;\nthe colours shown stand for any others"
    look.heading(axes, ink, "How often a draw fails", detail, above=16)
    return axes


def _cell(axes: Axes, at: tuple[int, int], chance: Fraction, ink: Ink) -> None:
    part = float(chance)
    red, green, blue = (1 + part * (end - 1) for end in to_rgb(PALETTE["P"]))
    axes.add_patch(Rectangle(at, 1, 1, facecolor=(red, green, blue), edgecolor=ink.line, linewidth=0.8))
    text = axes.text(
        at[0] + 0.5,
        at[1] + 0.5,
        percent(chance, 0),
        ha="center",
        va="center_baseline",
        color=LIGHT.text,
        size=8,
    )
    text.set_in_layout(False)
