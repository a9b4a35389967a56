"""What kernels and their rivals cost, on a logarithmic scale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullLocator

from cherrysim.flowers import Refused
from cherrysim.plots import look
from cherrysim.plots.look import DARK, LIGHT, Ink

if TYPE_CHECKING:
    from cherrysim.bench import Kernel, Report

_ROW = 0.24  # inches
_AROUND = 1.4


@look.styled()
def speed(report: Report, axes: Axes | None = None, *, dark: bool = False) -> Axes:
    """A dot a contestant at its nanoseconds an item, ours filled, rivals hollow with how many times as much
    they cost, and a mark where the random numbers alone would be.

    Source: `Report.kernels`. `Refused` for a report that measured none.
    """
    from cherrysim.bench.text import verdict

    if not report.kernels:
        raise Refused("no kernel was measured; a chart shows draws, odds, turn or games; measure one of them")
    ink = DARK if dark else LIGHT
    rows = sum(2 + len(kernel.peers) for kernel in report.kernels)
    if axes is None:
        axes = look.new_figure(ink, verdict(report), (7.5, _AROUND + _ROW * rows)).subplots()
    place = 0.0
    names: list[tuple[float, str]] = []
    for kernel in report.kernels:
        place = _group(axes, kernel, place, names, ink)
    _axes(axes, report, names, place, ink)
    look.heading(axes, ink, "What one item costs", f"{report.machine['processor']}, {report.day}")
    return axes


def _group(axes: Axes, kernel: Kernel, place: float, names: list[tuple[float, str]], ink: Ink) -> float:
    """A kernel and its rivals from `place` downwards; where the next group begins."""
    from cherrysim.bench.text import duration

    names.append((place, f"{kernel.name}: a {kernel.item}"))
    cost = kernel.cost.median
    axes.plot(cost, place + 1, "o", color=ink.best, markersize=7, zorder=3)
    _say(axes, f"{duration(cost)}", cost, place + 1, ink, weight="bold")
    names.append((place + 1, "cherrysim"))
    if kernel.limit:
        axes.plot(kernel.limit, place + 1, "|", color=ink.quiet, markersize=9, markeredgewidth=1.5, zorder=3)
    for n, peer in enumerate(kernel.peers, 2):
        at = peer.cost.median
        axes.plot([cost, at], [place + n] * 2, color=ink.line, linewidth=1, zorder=1)
        axes.plot(
            at, place + n, "o", color=ink.paper, markeredgecolor=ink.fail, markeredgewidth=1.6, zorder=3
        )
        times = f"{peer.ratio.median:,.0f} x" if peer.ratio.median >= 9.5 else f"{peer.ratio.median:.1f} x"
        _say(axes, f"{duration(at)}, {times}", at, place + n, ink)
        names.append((place + n, peer.name))
    return place + len(kernel.peers) + 2.4


def _say(axes: Axes, text: str, x: float, y: float, ink: Ink, **font: Any) -> None:
    axes.annotate(text, (x, y), (8, 0), textcoords="offset points", va="center", color=ink.text, **font)


def _axes(axes: Axes, report: Report, names: list[tuple[float, str]], end: float, ink: Ink) -> None:
    from cherrysim.bench.text import duration

    costs = [peer.cost.median for kernel in report.kernels for peer in kernel.peers]
    costs += [kernel.cost.median for kernel in report.kernels]
    least = min(costs + [kernel.limit for kernel in report.kernels if kernel.limit])
    look.plain(axes, ink)
    axes.grid(axis="y", visible=False)
    axes.grid(axis="x", color=ink.line, linewidth=0.8)
    axes.set_xscale("log")
    axes.set_xlim(least / 2, max(costs) * (max(costs) / least) ** 0.32 * 4)
    axes.set_ylim(end - 0.6, -0.8)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda ns, _: _tick(duration(ns))))
    axes.set_xlabel("processor time, on a logarithmic scale; |: random numbers alone")
    axes.set_yticks([at for at, _ in names], [name for _, name in names])
    axes.tick_params(axis="y", length=0)
    for label, (_, name) in zip(axes.get_yticklabels(), names, strict=True):
        if ": a " in name:
            label.set_fontweight("bold")


def _tick(text: str) -> str:
    """`1.00 us` as `1 us`."""
    number, unit = text.split(" ")
    return f"{float(number.replace(',', '')):g} {unit}"
