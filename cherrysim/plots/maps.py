"""The best choice for every safe collection, as a map: collections down, draws left across."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from cherrysim.belief import Belief
from cherrysim.chances import position
from cherrysim.flowers import BLACK, Flowers, Refused, shown
from cherrysim.hands import Hand, universe
from cherrysim.plots import look
from cherrysim.plots.look import DARK, LIGHT, PALETTE, SIZE, Ink
from cherrysim.rules import Rules
from cherrysim.turn import Turn, Valuation, solve, tied
from cherrysim.words import choices

_ROW = 0.17  # inches
_DEEPEST = 5
"""Draws of so many and more share the darkest shade."""


@look.styled()
def action_map(
    rules: Rules,
    bag: Flowers | str | Belief | None = None,
    value: Valuation | str = "kept",
    axes: Axes | None = None,
    *,
    dark: bool = False,
) -> Axes:
    """The best choice for every safe collection, up to its colours, by draws left, and what drawing gains.

    `bag` is the bag at the start of the turn (default: of the game), `value` a valuation, `kept` or `front`
    (of an empty front); the gain is the best draw's value less that of stopping, in the valuation's unit.
    Where the names of the colours matter, a cell lists every choice, shaded as the commonest, and the range
    of the gains. Source: `Turn.options`.

    >>> axes = action_map(Rules())
    >>> [cell.get_text() for cell in axes.texts][:3]
    ['3 draws left: draw 2, 3.71 flowers', 'draw 3, gains 2.77', '–']
    """
    ink = DARK if dark else LIGHT
    turn = _turn(rules, bag, value)
    lefts = list(range(rules.draws - 1, 0, -1))
    rows = list(shapes(rules).items())[: None if lefts else 1]
    if axes is None:
        size = (SIZE[0] + 2.1 * max(0, len(lefts) - 2), 1.1 + _ROW * max(len(rows), 5))
        axes = look.new_figure(ink, "Stop or draw? The best choice for every collection", size).subplots()
    _axes(axes, len(lefts), len(rows), ink)
    _cell(axes, (0, 0, len(lefts) or 1), _first_draw(turn), ink)
    for y, (shape, hands) in enumerate(rows):
        held = look.tokens(Flowers(*shape), 9.5) or [look.words("no flowers", ink)]
        look.place(axes, look.row([*held, look.words(" ", ink)]), (0, 1 - (y + 0.5) / len(rows)), (1, 0.5))
        for x, left in enumerate(lefts if y else ()):
            _cell(axes, (x, y, 1), _best_choices(turn, hands, left), ink)
    for x, left in enumerate(lefts):
        look.note(axes, look.draws_left(left), (x + 0.5, 0), 3, ink)
    detail = (
        "the best choice and what drawing gains over stopping,\n"
        f"in {turn.valuation.unit}; colours shown stand for any others; – cannot occur"
    )
    look.heading(axes, ink, "Stop or draw?", detail, look.bag_row(turn.at, ink), above=16 if lefts else 0)
    return axes


def shapes(rules: Rules) -> dict[Hand, list[Hand]]:
    """The safe collections by shape: all but the names of their colours; a shape is its first member.

    >>> len(shapes(Rules()))
    20
    """
    found: dict[Hand, list[Hand]] = {}
    for hand in universe(rules).hands:
        found.setdefault((*sorted(hand[:BLACK], reverse=True), hand[BLACK]), []).append(hand)
    return found


def _turn(rules: Rules, bag: Flowers | str | Belief | None, value: Valuation | str) -> Turn:
    """The whole turn from its start, solved."""
    if isinstance(bag, Belief):
        at = position(rules, Flowers(), history=bag)
    else:
        at = position(rules, Flowers(), bag=None if bag is None else Flowers.of(bag))
    if not at.belief.size:
        raise Refused("the bag is empty; a map shows a turn from its start; give a bag with flowers")
    if isinstance(value, Valuation):
        return solve(at, value)
    if value not in ("kept", "front"):
        raise Refused(
            f"a map of the value {shown(value)}; by name kept and front are known; give one or a Valuation"
        )
    return solve(at, Valuation.kept(rules) if value == "kept" else Valuation.front(rules, Flowers()))


class _Cell(NamedTuple):
    """What a cell says, and the draw (0: stop) it is shaded for; none where the collection cannot occur."""

    text: str
    draw: int | None


_NEVER = _Cell("–", None)


def _first_draw(turn: Turn) -> _Cell:
    best = turn.best()
    equal = [option.draw for option in turn.options() if tied(option.value, best.value)]
    worth = f"{look.numbers([best.value])[0]} {turn.valuation.unit}"
    return _Cell(f"{look.draws_left(turn.at.draws_left)}: {choices(equal)}, {worth}", best.draw)


def _best_choices(turn: Turn, hands: Sequence[Hand], left: int) -> _Cell:
    """What is best with these hands, alike but for their colours, and `left` draws."""
    if sum(hands[0]) < turn.at.draws_left - left:
        return _NEVER  # each draw made so far took at least one
    best: Counter[int] = Counter()
    equal: set[int] = set()
    gains: list[Fraction] = []
    for hand in hands:
        try:
            options = turn.options(hand, left)
        except Refused:  # the bag cannot give this hand
            continue
        top = turn.best(hand, left)
        best[top.draw] += 1
        equal |= {option.draw for option in options if tied(option.value, top.value)}
        if len(options) > 1:
            gains.append(max(option.value for option in options[1:]) - options[0].value)
    if not best:
        return _NEVER
    return _Cell(choices(sorted(equal)) + _gain(gains), max(best, key=lambda n: (best[n], -n)))


def _gain(gains: Sequence[Fraction]) -> str:
    """What drawing gains, from the least to the most, in words; nothing where it is not allowed."""
    if not gains:
        return ""
    low, high = min(gains), max(gains)
    if low < 0 < high:
        return f", {' to '.join(look.numbers([low, high], '+'))}"
    ends = dict.fromkeys(look.numbers(sorted((abs(low), abs(high)))))
    return f", {'drawing loses' if low < 0 else 'gains'} {' to '.join(ends)}"


def _axes(axes: Axes, columns: int, rows: int, ink: Ink) -> None:
    look.plain(axes, ink)
    axes.grid(visible=False)
    axes.set_xlim(0, columns or 1)
    axes.set_ylim(rows, 0)
    axes.set_xticks([])
    axes.set_yticks([])


def _cell(axes: Axes, where: tuple[int, int, int], cell: _Cell, ink: Ink) -> None:
    """A cell at column, row and as many columns wide."""
    x, y, width = where
    fill = _shade(cell.draw) if cell.draw else to_rgb(ink.paper)
    axes.add_patch(Rectangle((x, y), width, 1, facecolor=fill, edgecolor=ink.line, linewidth=0.8))
    colour = ink.quiet if cell.draw is None else LIGHT.text if _luminance(fill) > 0.2 else DARK.text
    text = axes.text(
        x + width / 2, y + 0.5, cell.text, ha="center", va="center_baseline", color=colour, size=8
    )
    text.set_in_layout(False)


def _shade(draw: int) -> tuple[float, float, float]:
    """Light blue for a draw of one, darker for more."""
    part = min(1.0, (draw - 1) / (_DEEPEST - 1))
    red, green, blue = (
        a + part * (b - a) for a, b in zip(to_rgb(PALETTE["L"]), to_rgb(PALETTE["D"]), strict=True)
    )
    return red, green, blue


def _luminance(colour: tuple[float, float, float]) -> float:
    """Relative luminance, near enough to choose between dark and light letters."""
    red, green, blue = (float(part**2.2) for part in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
