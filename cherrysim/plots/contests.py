"""Policies against each other as figures: errors against games, shares by seat, how often each score is
reached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter

from cherrysim.flowers import Refused
from cherrysim.plots import look
from cherrysim.plots.curves import MOST_CURVES, line
from cherrysim.plots.look import DARK, LIGHT, Ink
from cherrysim.stats import Estimate
from cherrysim.verdicts import verdict

if TYPE_CHECKING:
    from cherrysim.contest import Comparison, LineUp

_BARS = 60
"""Most steps of a distribution of scores."""


@look.styled()
def error_by_games(found: Comparison, axes: Axes | None = None, *, dark: bool = False) -> Axes:
    """Half of the 95 % interval of a difference of share, in points of share, after so many games.

    A curve a pair of policies, at most `MOST_CURVES`, both axes logarithmic; the thin line falls as one over
    the root of the games, the dashed one is the precision asked for. Source: `Comparison.looks`.
    """
    ink = _inks(dark)
    _check(len(found.differences))
    if axes is None:
        axes = look.new_figure(ink, "How sure a contest is, by games played").subplots()
    look.plain(axes, ink)
    games = [each.games for each in found.looks]
    for p, pair in enumerate(found.differences):
        reaches = [100 * _reach(found, each.shares[p]) for each in found.looks]
        axes.plot(games, reaches, label=f"{pair.a} - {pair.b}", **line(p, ink))
        if not p:
            root = [reaches[-1] * (games[-1] / n) ** 0.5 for n in games]
            axes.plot(games, root, color=ink.quiet, linewidth=0.8, zorder=1)
    if found.precision is not None:
        axes.axhline(100 * found.precision, color=ink.quiet, linewidth=1.2, linestyle=(0, (4, 2)), zorder=1)
    axes.set(xscale="log", yscale="log")
    for axis, limits in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        axis.set_ticks(_ticks(*limits))
        axis.set_major_formatter(FuncFormatter(lambda n, _: look.short(n) if n >= 1000 else f"{n:g}"))
        axis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("games")
    axes.set_ylabel("points of share, +-")
    _legend(axes, ink)
    kind = "for a number of games fixed beforehand" if found.tuned is None else "however often one looks"
    look.heading(axes, ink, "How far off a difference may be", f"half of its 95 % interval, {kind}")
    return axes


@look.styled()
def share_by_seat(
    found: Comparison, axes: Sequence[Axes] | None = None, *, dark: bool = False
) -> tuple[Axes, ...]:
    """The share of victory (0..1) of each policy at each seat, with its 95 % interval, a panel a line-up.

    The thin line is the share of equal players. Source: `Comparison.line_ups`.
    """
    ink = _inks(dark)
    _check(len(found.policies))
    title, detail = _heading(found)
    if axes is None:
        figure = look.new_figure(ink, f"{title}: {detail}")
        axes = list(figure.subplots(len(found.line_ups), 1, sharex=True, squeeze=False)[:, 0])
    if len(axes) != len(found.line_ups):
        raise Refused(f"{len(axes)} axes; the line-ups are {len(found.line_ups)}; give one for each")
    highest = max(
        _panel(panel, found, line_up, ink) for panel, line_up in zip(axes, found.line_ups, strict=True)
    )
    for panel in axes:
        step = 2 if highest > 0.4 else 1
        look.percent_axis(panel, [k / 10 for k in range(0, int(10 * highest) + 1, step)], 1.05 * highest)
        panel.set_ylabel("share of victory")
        panel.tick_params(labelbottom=panel is axes[-1])
    axes[-1].set_xlabel("seat")
    look.heading(axes[0], ink, title, detail)
    return tuple(axes)


def _panel(axes: Axes, found: Comparison, line_up: LineUp, ink: Ink) -> float:
    """The curves of one line-up; the highest end of an interval."""
    look.plain(axes, ink)
    axes.axhline(1 / found.rules.players, color=ink.quiet, linewidth=0.8, zorder=1)
    names, highest = list(found.policies), 0.0
    for name in line_up.results:
        shares = [results[name].share for results in line_up.by_seat]
        values, reaches = [share.value for share in shares], [_reach(found, share) for share in shares]
        highest = max(highest, *map(sum, zip(values, reaches, strict=True)))
        label = f"{line_up.policies.count(name)} {name}"
        style = line(names.index(name), ink)
        axes.errorbar(range(len(values)), values, reaches, capsize=3, label=label, zorder=3, **style)
    axes.set_xticks(range(found.rules.players))
    _legend(axes, ink, loc="upper left", bbox_to_anchor=(1, 1.05))  # beside the curves, wherever they are
    return highest


@look.styled()
def score_distribution(found: Comparison, axes: Axes | None = None, *, dark: bool = False) -> Axes:
    """How often each policy ends with how many points, in hundredths of its games, but for the rarest.

    At least two scores go together: of two neighbours the odd and the even one are not equally easy to reach.
    A mark on the axis is the policy's mean. Source: `Comparison.scores`.
    """
    ink = _inks(dark)
    _check(len(found.policies))
    if axes is None:
        axes = look.new_figure(ink, "Final scores by policy").subplots()
    look.plain(axes, ink)
    low, high = _usual(found.scores)
    width = next(w for w in (2, 4, 10, 20, 50, 100, 10**9) if (high - low) / w <= _BARS)
    start = low // width * width
    edges = list(range(start, high + 2 * width, width))
    for i, (name, scores) in enumerate(found.scores.items()):
        total = sum(scores.values())
        parts = [0.0] * (len(edges) - 1)
        for score, count in scores.items():
            if start <= score < edges[-1]:
                parts[(score - start) // width] += 100 * count / total
        style = {key: value for key, value in line(i, ink).items() if not key.startswith("marker")}
        axes.stairs(parts, edges, label=name, baseline=None, **_patch(style))
        mean = found.policies[name].score.value
        axes.plot(mean, 0, clip_on=False, zorder=4, **(line(i, ink) | {"linestyle": "none"}))
    axes.set_ylim(bottom=0)
    axes.set_xlim(edges[0], edges[-1])
    axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g} %"))
    axes.set_xlabel(f"points at the end, in steps of {width}")
    axes.set_ylabel("of its games")
    _legend(axes, ink)
    look.heading(
        axes, ink, "Final scores by policy", f"{found.games:,} games; marks on the axis are the means"
    )
    return axes


def _inks(dark: bool) -> Ink:
    return DARK if dark else LIGHT


def _check(curves: int) -> None:
    if curves > MOST_CURVES:
        raise Refused(
            f"{curves} curves; one figure shows {MOST_CURVES} that can be told apart; compare fewer"
        )


def _reach(found: Comparison, estimate: Estimate) -> float:
    """Half the width of its interval."""
    low, high = found.interval(estimate)
    return (high - low) / 2


def _ticks(low: float, high: float) -> list[float]:
    """1, 2, 5, 10, ... as far as they are between the limits."""
    return [
        first * 10.0**power
        for power in range(-6, 13)
        for first in (1, 2, 5)
        if low <= first * 10.0**power <= high
    ]


def _usual(scores: Mapping[str, Mapping[int, int]]) -> tuple[int, int]:
    """From the lowest to the highest score without the last thousandth at each end."""
    total: dict[int, int] = {}
    for counts in scores.values():
        for score, count in counts.items():
            total[score] = total.get(score, 0) + count
    most = sum(total.values())
    ends = []
    for order in (sorted(total), sorted(total, reverse=True)):
        passed = 0
        for score in order:
            passed += total[score]
            if 1000 * passed > most:
                ends.append(score)
                break
    return ends[0], ends[1]


def _patch(style: dict[str, Any]) -> dict[str, Any]:
    """A line's look as that of an outline."""
    return {"edgecolor" if key == "color" else key: value for key, value in style.items()} | {"fill": False}


def _heading(found: Comparison) -> tuple[str, str]:
    """The verdict in a few words, and what it rests on."""
    said = verdict(found.first, found.interval)
    if "too close to call" in said:
        return "Too close to call", said.replace(": too close to call", "")
    winner, _, by = said.partition(" wins ")
    return f"{winner} wins more", by


def _legend(axes: Axes, ink: Ink, **place: Any) -> None:
    place = {"loc": "upper right"} | place
    axes.legend(facecolor=ink.paper, edgecolor="none", labelcolor=ink.text, **place)
