"""One policy among others, in every seat in turn over the same bags; a bag is one observation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

from cherrysim import weights
from cherrysim.blocks import in_order
from cherrysim.learn import Pupil
from cherrysim.policy import Policy, parse
from cherrysim.rules import Rules
from cherrysim.simulate import arrays
from cherrysim.stats import Estimate, of_shares

if TYPE_CHECKING:
    from numpy.typing import NDArray

SETS = ((4, "blue"), (4, "pink"), (3, "blue"), (3, "pink"), (2, "blue"), (2, "pink"))
RIVALS = ("kept", "plan:3+2", "points")
"""Policies that `learned` sits among."""
RISKS = ("-0.05", "-0.02", "0.02", "0.05", "0.1")
INVADERS = (
    "plan:3+2",
    "plan:4",
    "cautious:0.25",
    "kept",
    "points",
    *(f"points:risk={risk}" for risk in RISKS),
    "learned:fast",
)
"""Policies that sit among `learned`."""
CLOSE = 6
"""So many times the bags for `points` and `learned:fast` among three `learned`, the strongest to try."""
BLOCK = 50
"""Bags played at a stretch."""


@dataclass(frozen=True)
class Meeting:
    """A policy alone among equal others and its share of the victory."""

    rules: Rules
    cards: str
    alone: str
    among: str
    share: Estimate


def alone(rules: Rules, one: Policy, others: Policy, bags: int, seed: int, threads: int | None) -> Estimate:
    """The share of one player among equal others, mean over all seats of every bag."""
    import numpy as np

    _play(rules, one, others, seed, bags=0)  # compiled here, where it can be interrupted
    work = partial(_block, rules, one, others, seed, bags)
    shares = np.concatenate(list(in_order(work, -(-bags // BLOCK), threads=threads)))
    return Estimate(float(shares.mean()), float(shares.std(ddof=1)) / sqrt(len(shares)), len(shares))


def _block(rules: Rules, one: Policy, others: Policy, seed: int, bags: int, number: int) -> NDArray[Any]:
    first = number * BLOCK
    return _play(rules, one, others, seed, first, min(BLOCK, bags - first))


def _play(
    rules: Rules, one: Policy, others: Policy, seed: int, first: int = 0, bags: int = 1
) -> NDArray[Any]:
    """The share of the one in these bags, mean over its seats."""
    import numpy as np

    from cherrysim.kernels.game import play_games
    from cherrysim.kernels.layout import SHARING

    found = np.zeros(bags)
    for place in range(rules.players):
        seats = [one if seat == place else others for seat in range(rules.players)]
        rows = arrays.room(rules, bags)
        numbers = arrays.rules_array(rules), arrays.policies_array(seats), arrays.solver(rules, seats)
        play_games(first, bags, np.uint64(seed), *numbers, arrays.no_log(), rows)
        sharing = rows[place :: rules.players, SHARING]
        found += np.where(sharing, 1 / np.maximum(sharing, 1), 0.0)
    return found / rules.players


def meetings(bags: int, seed: int, threads: int | None, told: Any) -> list[Meeting]:
    """`learned` among others, and others among `learned`, at every set-up."""
    found = []
    pairs = [("learned", rival) for rival in RIVALS] + [(invader, "learned") for invader in INVADERS]
    for players, cards in SETS:
        rules = Rules.official(players, cards)
        for name, among in pairs:
            told(f"{players} players, {cards} cards: {name} among {among}")
            more = (
                CLOSE if players == 4 and among == "learned" and name.startswith(("points", "learned")) else 1
            )
            share = alone(rules, parse(name), parse(among), more * bags, seed, threads)
            found.append(Meeting(rules, cards, name, among, share))
    return found


def checkpoints(rules: Rules, bags: int, seed: int, threads: int | None, told: Any) -> list[list[Estimate]]:
    """Earlier weights, oldest first, and the shipped ones, each alone among each."""
    shipped = weights.shipped(rules)
    pupils = [Pupil(table) for table in [*shipped.state.get("past", []), shipped.shares.astype(float)]]
    found = []
    for i, one in enumerate(pupils):
        told(f"checkpoint {i + 1} of {len(pupils)} among the others")
        found.append([alone(rules, one, other, bags, seed, threads) for other in pupils])
    return found


def verdict(found: Sequence[Meeting]) -> str:
    """What the meetings of the first set-up come to, with 99 % intervals."""
    (players, cards), said = SETS[0], {}
    for one in found:
        if (one.rules.players, one.cards) == SETS[0]:
            low, high = (100 * end for end in of_shares(one.share, 0.99))
            interval = f"({low:.1f} to {high:.1f} at 99 %)"
            said[one.alone, one.among] = f"{100 * one.share.value:.1f} % {interval}"
    others = ", ".join(
        f"`{name}` wins {said[name, 'learned']}" for name in ("kept", "points", "learned:fast")
    )
    return (
        f"**{players} players, {cards} cards: a single `learned` among `kept` wins {said['learned', 'kept']} "
        f"of the victory, where an equal wins {100 / players:.0f} %; among `learned` a single {others}**"
    )


def meeting_lines(found: Sequence[Meeting]) -> list[str]:
    """A row a meeting."""
    lines = ["| players | cards | alone | among | bags | share | 99 % interval |"]
    lines.append("|---|---|---|---|---|---|---|")
    for meeting in found:
        low, high = of_shares(meeting.share, 0.99)
        lines.append(
            f"| {meeting.rules.players} | {meeting.cards} | `{meeting.alone}` | `{meeting.among}` | "
            f"{meeting.share.n} | {meeting.share.value:.3f} | {low:.3f} to {high:.3f} |"
        )
    return lines


def checkpoint_lines(table: Sequence[Sequence[Estimate]], every: int) -> list[str]:
    """Shares of the row's weights, alone among the column's."""
    names = [f"{every * i:,} games" for i in range(len(table) - 1)] + ["shipped"]
    lines = [f"| alone \\ among | {' | '.join(names)} |", "|---|" + "---|" * len(names)]
    for name, row in zip(names, table, strict=True):
        lines.append(f"| {name} | {' | '.join(f'{share.value:.3f}' for share in row)} |")
    error = max(share.standard_error for row in table for share in row)
    return [*lines, "", f"Standard errors are at most {error:.3f}."]
