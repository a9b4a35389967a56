"""The answer to "stop, or draw again?" as a figure: what every choice is worth, and how likely it fails."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator, ScalarFormatter

from cherrysim.advice import Advice
from cherrysim.flowers import Refused
from cherrysim.plots import look
from cherrysim.plots.look import DARK, LIGHT, Ink
from cherrysim.turn import Option
from cherrysim.words import LITTLE, choices, fails, percent, why_no_draw


@look.styled()
def stop_or_draw(
    advice: Advice, axes: Sequence[Axes] | None = None, *, dark: bool = False
) -> tuple[Axes, Axes]:
    """What each choice is worth (above, in the advice's unit) and how likely it fails (below, 0..1).

    Draws on two given axes, or on those of a new figure. The line is the value of stopping (that of the best
    draw where stopping is not allowed); the best choice is filled and named. Source: `Advice.options`.

    >>> from cherrysim.advice import ask
    >>> above, below = stop_or_draw(ask(hand="PYY"))
    >>> above.figure.get_label()
    'Draw 1 more: +0.69 flowers over stopping; this draw fails 1 in 4 (23.7 %)'
    """
    ink = DARK if dark else LIGHT
    title, detail = _verdict(advice)
    if axes is None:
        figure = look.new_figure(ink, f"{title}: {detail}")
        axes = figure.subplots(2, 1, sharex=True, height_ratios=(2.1, 1))
    if len(axes) != 2:
        raise Refused(f"{len(axes)} axes; stopping against drawing takes two, values and failures; give two")
    above, below = axes
    _values(above, advice, ink)
    _failures(below, advice.options, ink)
    ticks = [option.draw for option in advice.options]
    for panel in (above, below):
        panel.set_xticks(ticks, ["stop" if not n else str(n) for n in ticks])
        panel.set_xlim(ticks[0] - 0.6, max(ticks[-1], ticks[0] + 3) + 0.6)
    above.tick_params(labelbottom=False)
    below.set_xlabel("flowers drawn next")
    hand = look.hand_row(advice.at, ink, look.draws_left(advice.at.draws_left))
    look.heading(above, ink, title, detail, hand, look.bag_row(advice.at, ink))
    return above, below


def _values(axes: Axes, advice: Advice, ink: Ink) -> None:
    options = advice.options
    look.plain(axes, ink)
    base = float(options[0].value if not options[0].draw else advice.best.value)
    axes.axhline(base, color=ink.quiet, linewidth=1.2, linestyle=(0, (4, 2)), zorder=1)
    for option, number in zip(options, look.numbers([option.value for option in options]), strict=True):
        value, word = float(option.value), _standing(advice, option)
        top = word in ("best", "equal")
        axes.vlines(option.draw, base, value, color=ink.quiet, linewidth=2, zorder=2)
        (point,) = axes.plot(
            option.draw, value, "o" if option.draw else "s", markersize=10 if top else 7, zorder=3
        )
        point.set(
            markerfacecolor=ink.best if top else ink.paper, markeredgecolor=ink.text, markeredgewidth=1.2
        )
        up = top or value >= base
        said = [word, number] if word and len(options) > 1 else [number]
        text = "\n".join(said if up else reversed(said))
        weight = "bold" if top else "normal"
        look.note(axes, text, (option.draw, value), 8 if up else -8, ink, weight=weight, linespacing=1.05)
    _value_axis(axes, [float(option.value) for option in options])
    axes.set_ylabel(f"{advice.unit}, on average")


def _standing(advice: Advice, option: Option) -> str:
    """What an option is called beside its number, if anything."""
    if option in (advice.best, *advice.tied):
        return "equal" if advice.tied else "best"
    return "close" if advice.best.value - option.value <= LITTLE else ""


def _value_axis(axes: Axes, values: Sequence[float]) -> None:
    """Limits with room for the words over and under the points."""
    low, high = min(values), max(values)
    span = high - low or max(1.0, abs(high))
    axes.set_ylim(low - (0.25 if span > LITTLE else 0.42) * span, high + 0.42 * span)
    axes.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    if max(map(abs, values)) < 10_000:
        axes.yaxis.set_major_formatter(ScalarFormatter(useOffset=False))
    else:
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: look.short(value)))


def _failures(axes: Axes, options: Sequence[Option], ink: Ink) -> None:
    look.plain(axes, ink)
    heights = [float(option.fail) for option in options]
    axes.bar([option.draw for option in options], heights, 0.5, color=ink.fail, edgecolor=ink.text, zorder=2)
    for option, height in zip(options, heights, strict=True):
        look.note(axes, percent(option.fail, 0), (option.draw, height), 2, ink)
    look.percent_axis(axes, [0, 0.5, 1], 1.3)
    axes.set_ylabel("fails at once")


def _verdict(advice: Advice) -> tuple[str, str]:
    """The advice in a few words, and what it rests on."""
    best, more = advice.best, " more" if advice.at.hand.total else ""
    draws = [option for option in advice.options if option.draw]
    if advice.tied:
        equal = choices([option.draw for option in advice.tied])
        return f"{equal[0].upper()}{equal[1:]}{more}", "equal, take the one you like"
    if not best.draw:
        if not draws:
            return "Stop", why_no_draw(advice.at)
        nearest = max(draws, key=lambda option: option.value)
        (lost,) = look.numbers([best.value - nearest.value])
        return "Stop", f"drawing {nearest.draw} gives up {lost} {advice.unit}"
    gain = (
        f"{look.numbers([advice.advantage], '+')[0]} {advice.unit} over stopping; "
        if advice.advantage
        else ""
    )
    return f"Draw {best.draw}{more}", f"{gain}this draw {fails(best.fail)}"
