"""Figures: result in, Axes out; the only place that imports matplotlib.

`stop_or_draw(advice)`, `stop_or_draw_at_table(advice)`, `failure_curves(hands)`, `action_map(rules, bag,
value)`, `failure_map(rules)`, `speed(report)`, `curves` and `points` of any numbers with their errors,
`score_parts` of games, `tornado` of changes and, of a contest, `error_by_games`, `share_by_seat` and
`score_distribution` draw on the axes they are given or on a new figure, with `dark=True` for a dark page;
`save(figure, path)` writes it."""

from cherrysim.plots.choices import stop_or_draw
from cherrysim.plots.contests import error_by_games, score_distribution, share_by_seat
from cherrysim.plots.curves import failure_curves
from cherrysim.plots.failures import failure_map
from cherrysim.plots.look import PALETTE, SHAPES, save
from cherrysim.plots.maps import action_map, shapes
from cherrysim.plots.parts import score_parts
from cherrysim.plots.series import curves, points
from cherrysim.plots.speed import speed
from cherrysim.plots.tables import stop_or_draw_at_table
from cherrysim.plots.tornado import tornado

__all__ = [
    "PALETTE",
    "SHAPES",
    "action_map",
    "curves",
    "error_by_games",
    "failure_curves",
    "failure_map",
    "points",
    "save",
    "score_distribution",
    "score_parts",
    "shapes",
    "share_by_seat",
    "speed",
    "stop_or_draw",
    "stop_or_draw_at_table",
    "tornado",
]
