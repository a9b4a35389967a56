"""The answer at a whole table as a figure: stopping against every draw, with what is not known of them."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from cherrysim.chances import Position
from cherrysim.flowers import Refused
from cherrysim.knowledge import belief
from cherrysim.moves import Draw
from cherrysim.plots import look
from cherrysim.plots.look import DARK, LIGHT, Ink
from cherrysim.stats import Stated
from cherrysim.table import COLLECT
from cherrysim.tableadvice import Choice, TableAdvice
from cherrysim.words import choices, fails, percent


@look.styled()
def stop_or_draw_at_table(
    advice: TableAdvice, axes: Sequence[Axes] | None = None, *, dark: bool = False
) -> tuple[Axes, Axes]:
    """What stopping and each draw are worth (above: share of the victory, 0..1, or final score) and how far
    each is behind the best one (below: points of share, or points), with their 95 % intervals.

    Draws on two given axes, or on those of a new figure; the best choice is filled and named. `Refused` in
    other phases. Source: `TableAdvice.options`.

    >>> from cherrysim.layers import estimated
    >>> from cherrysim.rules import Rules
    >>> from cherrysim.table import Table
    >>> above, below = stop_or_draw_at_table(estimated(Table.start(Rules())))
    >>> below.get_xlabel()
    'flowers drawn next, and how often that fails at once'
    """
    if advice.table.phase != COLLECT:
        raise Refused(
            f"phase {advice.table.phase}; the chart shows stopping against drawing; ask in phase {COLLECT}"
        )
    ink = DARK if dark else LIGHT
    title, detail = _verdict(advice)
    if axes is None:
        figure = look.new_figure(ink, f"{title}: {detail}")
        axes = figure.subplots(2, 1, sharex=True, height_ratios=(1.3, 1))
    if len(axes) != 2:
        raise Refused(f"{len(axes)} axes; worth and differences take two; give two")
    above, below = axes
    scale = 1.0 if advice.value == "score" else 100.0
    _panel(above, advice, [advice.worth(choice) for choice in advice.options], scale, ink)
    below.axhline(0, color=ink.quiet, linewidth=1.2, linestyle=(0, (4, 2)), zorder=1)
    _panel(below, advice, [choice.difference for choice in advice.options], scale, ink)
    above.set_ylabel("final score" if advice.value == "score" else "% of the victory")
    below.set_ylabel("points\nto the best" if advice.value == "score" else "points of share\nto the best")
    draws = [_draw(choice) for choice in advice.options]
    fail = [percent(choice.fail, 0) for choice in advice.options]
    labels = [f"{n}\n{often}" if n else "stop" for n, often in zip(draws, fail, strict=True)]
    for panel in axes:
        panel.set_xticks(draws, labels)
        panel.set_xlim(draws[0] - 0.6, max(draws[-1], draws[0] + 3) + 0.8)
    above.tick_params(labelbottom=False)
    below.set_xlabel("flowers drawn next, and how often that fails at once")
    at = _position(advice)
    hand = look.hand_row(at, ink, look.draws_left(at.draws_left))
    look.heading(above, ink, title, detail, hand, look.bag_row(at, ink))
    return above, below


def _panel(axes: Axes, advice: TableAdvice, numbers: Sequence[Stated], scale: float, ink: Ink) -> None:
    """A point an option, its interval as a bar with caps, its number beside it."""
    look.plain(axes, ink)
    for choice, number in zip(advice.options, numbers, strict=True):
        x, y = _draw(choice), number.mean * scale
        top = choice is advice.best or choice in advice.tied
        if number.reach:
            axes.errorbar(
                x, y, number.reach * scale, ecolor=ink.quiet, elinewidth=2, capsize=5, capthick=1.6, zorder=2
            )
        (point,) = axes.plot(x, y, "o" if x else "s", markersize=10 if top else 7, zorder=3)
        point.set(
            markerfacecolor=ink.best if top else ink.paper, markeredgecolor=ink.text, markeredgewidth=1.2
        )
        said = "best" if number is advice.best.difference else f"{y:.1f}".replace("-", "−")
        weight = "bold" if top else "normal"
        look.beside(axes, said, (x, y), 8, ink, weight=weight)
    axes.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}".replace("-", "−")))
    axes.margins(y=0.12)


def _draw(choice: Choice) -> int:
    return choice.move.n if isinstance(choice.move, Draw) else 0


def _position(advice: TableAdvice) -> Position:
    table, bag = advice.table, belief(advice.table)
    return Position(bag, bag.most, table.hand, table.draws_used, table.rules, table.mover.front)


def _verdict(advice: TableAdvice) -> tuple[str, str]:
    """The advice in a few words, and what it rests on."""
    more, best = " more" if advice.table.hand.total else "", advice.best
    layer = {"exact": "exact", "instant": "instant, error not known"}.get(
        advice.method, f"{advice.method}, {advice.games:,} games, 95 % intervals"
    )
    if advice.tied:
        equal = choices([_draw(choice) for choice in advice.tied])
        word = "too close to call" if advice.games else "equal"
        return f"{equal[0].upper()}{equal[1:]}{more}", f"{word}; {layer}"
    if not _draw(best):
        return "Stop", layer
    return f"Draw {_draw(best)}{more}", f"this draw {fails(best.fail)}; {layer}"
