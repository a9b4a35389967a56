"""The curve of everybody's chances to win over a game, as inline SVG whose inks follow the page around it.

A line a player with a dash of its own and the name at its end, so that nothing is told by colour alone;
marked mistakes are points on the line of who made them.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from cherrysim.names import fitted
from cherrysim.review import mark
from cherrysim.sheets.content import percent, turns

if TYPE_CHECKING:
    from cherrysim.review import Review

WIDE, HIGH = 480, 330
LEFT, RIGHT, TOP, BOTTOM = 52, 80, 14, 42
DASHES = ("", "7 4", "2 3", "9 3 2 3")
_APART = 16
"""The least distance of two names at the ends of the lines."""


def curve(found: Review) -> str:
    """The SVG element, with a title and a description for those who cannot see it."""
    points = list(turns(found))
    seats = range(found.record.rules.players)
    last = points[-1][0]
    across = [_across(i, len(points)) for i in range(len(points))]
    parts = [*_grid(points, across)]
    for seat in seats:
        path = " ".join(
            f"{x:.1f},{_up(shares[seat]):.1f}" for x, (_, shares) in zip(across, points, strict=True)
        )
        dash = f' stroke-dasharray="{DASHES[seat]}"' if DASHES[seat] else ""
        parts.append(f'<polyline class="seat{seat}" points="{path}"{dash}/>')
    parts += [
        f'<circle class="seat{d.seat}" cx="{across[i]:.1f}" cy="{_up(d.value[d.seat]):.1f}" r="4"/>'
        for i, d in enumerate(found.decisions)
        if mark(d)
    ]
    parts += _names(found)
    title = f"Chances to win over {last - 1} turns"
    return (
        f'<svg viewBox="0 0 {WIDE} {HIGH}" role="img" aria-labelledby="curve-title curve-text">'
        f'<title id="curve-title">{title}</title><desc id="curve-text">{escape(described(found))}</desc>'
        + "".join(parts)
        + "</svg>"
    )


def described(found: Review) -> str:
    """The curve in words: where everybody started, was highest and lowest, and ended."""
    said = []
    for seat, name in enumerate(found.record.names):
        shares = [value[seat] for _, value in turns(found)]
        said.append(
            f"{name} starts at {percent(shares[0])} %, is between {percent(min(shares))} % and "
            f"{percent(max(shares))} %, and ends at {percent(shares[-1])} %."
        )
    return " ".join(said)


def _across(i: int, count: int) -> float:
    return LEFT + i * (WIDE - LEFT - RIGHT) / max(count - 1, 1)


def _up(share: float) -> float:
    return TOP + (1 - share) * (HIGH - TOP - BOTTOM)


def _grid(points: list[tuple[int, tuple[float, ...]]], across: list[float]) -> list[str]:
    """Lines at every quarter, and the turns along the bottom."""
    parts = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = _up(share)
        parts.append(f'<line x1="{LEFT}" x2="{WIDE - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 5:.1f}" text-anchor="end">{100 * share:.0f} %</text>')
    last = points[-1][0] - 1
    step = next((n for n in (1, 2, 5, 10, 20, 50, 100) if last / n <= 8), 200)
    seen = set()
    for x, (turn, _) in zip(across, points[:-1], strict=False):
        if (turn == 1 or turn % step == 0) and turn not in seen:
            seen.add(turn)
            parts.append(f'<text x="{x:.1f}" y="{HIGH - BOTTOM + 18}" text-anchor="middle">{turn}</text>')
    middle = (LEFT + WIDE - RIGHT) / 2
    parts.append(f'<text x="{middle:.1f}" y="{HIGH - 4}" text-anchor="middle">turn</text>')
    return parts


def _names(found: Review) -> list[str]:
    """The names at the ends of their lines, moved apart where they would meet."""
    seats = sorted(range(found.record.rules.players), key=lambda seat: -found.result[seat])
    heights: list[float] = []
    for seat in seats:
        least = heights[-1] + _APART if heights else TOP + 5
        heights.append(max(_up(found.result[seat]) + 5, least))
    over = heights[-1] - (HIGH - BOTTOM + 5)
    for i in range(len(heights) - 1, -1, -1):
        room = heights[i + 1] - _APART if i + 1 < len(heights) else heights[i] - max(over, 0)
        heights[i] = min(heights[i], room)
    return [
        f'<text class="seat{seat}" x="{WIDE - RIGHT + 6}" y="{y:.1f}">'
        f"{escape(fitted(found.record.names[seat], 9).rstrip())}</text>"
        for seat, y in zip(seats, heights, strict=True)
    ]
