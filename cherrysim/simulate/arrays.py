"""What the game kernels read and write: a set-up, policies and room to solve turns, as arrays.

The points of the places behind the screens (rulebook, "If there is a tie for a Group of Flowers"; rulings
R27, R30) become one small table: how many others have more, how many as many.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from cherrysim.flowers import BLACK, COLOURS, Refused, number_of
from cherrysim.front import colour_points
from cherrysim.hands import PATTERNS, SETS, universe
from cherrysim.policy import Policy, parse
from cherrysim.rules import CARDS, Rules
from cherrysim.simulate import valuing
from cherrysim.table import Table
from cherrysim.turn import Valuation

if TYPE_CHECKING:
    from numpy.typing import NDArray

COLUMNS = (
    "game",
    "seat",
    "score",
    "front",
    "warm",
    "cool",
    "warm_count",
    "cool_count",
    "place",
    "sharing",
    "turns",
    "failures",
    "cards",
    "bonus_flowers",
    "flowers_1",
    "flowers_2",
    "flowers_3",
    "flowers_4",
    "flowers_5",
    "capped",
    "mixed",
)
"""The columns of a result row, one row a seat: game from 0; seat from 0; points in all, in front, of the
warm and the cool group; flowers in the groups; place (1 + seats with more points); how many seats share the
victory (0: not among them); own turns; failed ones; cards used; flowers drawn by cards; flowers of first,
second, ... draws; 1 if the game was stopped after 400 turns; 1 if wilds were split by a mixture."""

MOST_TURNS = 400
MOST_FLOWERS = 600
"""Larger bags than this are not simulated."""


def check(rules: Rules) -> None:
    """Raise `Refused` for a set-up that cannot be simulated."""
    n = rules.counts.total
    if n > MOST_FLOWERS:
        raise Refused(f"a bag of {n} flowers; whole games take {MOST_FLOWERS}; use fewer")


def rules_array(rules: Rules, even_splits: bool = False) -> NDArray[Any]:
    """A set-up as the kernels read it; `even_splits` leaves wilds as evenly split as ruling R26's model
    starts."""
    import numpy as np

    from cherrysim.kernels import layout

    front = _front_table(rules)
    array = np.zeros(layout.FRONT_TABLE + len(front), np.int64)
    array[[layout.PLAYERS, layout.ALIKE, layout.DIFFERENT]] = rules.players, rules.alike, rules.different
    array[[layout.DRAWS, layout.FLOWERS, layout.SET_ASIDE]] = rules.draws, rules.flowers, rules.set_aside
    for name in rules.cards:
        card = CARDS[name]
        array[layout.TWO_PAIRS + PATTERNS.index(card.pattern)] = (
            layout.BLUE if card.side == "blue" else layout.PINK
        )
    array[layout.FREE_WILDS] = rules.orphan_wilds == "free"
    array[layout.DISTINCT_PLACES] = rules.ties == "dense"
    array[layout.NOTHING_FOR_NONE] = rules.empty_group == "nothing"
    array[layout.SPLITS] = layout.EVEN if even_splits else layout.EQUILIBRIUM
    array[layout.MOST_TURNS] = MOST_TURNS
    array[layout.COUNTS : layout.PLACES] = rules.counts.counts
    array[layout.PLACES : layout.FRONT_LENGTH] = [*_places(rules, rules.warm), *_places(rules, rules.cool)]
    array[layout.FRONT_LENGTH] = len(front)
    array[layout.FRONT_TABLE :] = front
    return array


def _front_table(rules: Rules) -> list[int]:
    """Points of 0, 1, ... flowers of one colour, as far as there are flowers and blacks."""
    most = max(rules.counts.counts[:BLACK]) + rules.counts.black
    return [colour_points(n, rules) for n in range(max(most, len(rules.front_table) - 1) + 1)]


def _places(rules: Rules, points: Sequence[int]) -> Iterator[int]:
    """Points of a group by how many others have more (with dense ties: how many counts are higher), 0..3,
    and how many others have as many, 0..3."""
    padded = [*points, *(0,) * 8]
    for above in range(4):
        for equal in range(4):
            if rules.players == 2 and not (equal and rules.two_player_tie == "normal"):
                tie = {"split": points[1] // 2, "both": points[1], "none": 0, "normal": 0}
                yield 0 if above else tie[rules.two_player_tie] if equal else points[1]
            else:
                filled = equal + 1 if rules.ties == "pooled" else min(equal + 1, 2)
                yield sum(padded[above : above + filled]) // (equal + 1)


def policies_array(policies: Sequence[Policy]) -> NDArray[Any]:
    """The policies' numbers, a row a seat."""
    import numpy as np

    from cherrysim.kernels.layout import POLICY_NUMBERS

    array = np.zeros((len(policies), POLICY_NUMBERS), np.int64)
    for seat, policy in enumerate(policies):
        array[seat, : len(policy.numbers)] = policy.numbers
    return array


def table_array(table: Table, hidden: Sequence[int] | None = None) -> NDArray[Any]:
    """A moment of a game as the kernels' table, as the player to move sees it.

    What that player cannot know is dealt out, so that the pool and the bag's size are right: `hidden` are the
    colours of these flowers, those behind every screen in turn, seat by seat, then those set aside; without
    it each is of the colour most frequent in what is left of the pool. Flowers behind a screen that were not
    watched count as secret. The player's own count as known to it, even those not known here. Raises
    `Refused` for flowers that cannot be hidden.

    >>> from cherrysim.rules import Rules
    >>> table_array(Table.start(Rules.official(2)), hidden=[0, 1, 1])[8:10].tolist()
    [[12, 11, 13, 13, 13, 4], [1, 2, 0, 0, 0, 0]]
    """
    import numpy as np

    from cherrysim.kernels import layout

    table = table.seen_by(table.to_move)
    array = np.zeros((layout.ROWS, layout.COLOURS), np.int64)
    pool = list(table.pool.counts)
    left = _dealt(pool, table.hidden, hidden)
    for i, seat in enumerate(table.seats):
        array[layout.FRONT + i] = seat.front.counts
        array[layout.BEHIND + i] = seat.all_behind.counts
        array[layout.SECRET + i] = seat.own_secret.counts
        for _ in range(seat.unknown):
            colour = next(left)
            array[[layout.BEHIND + i, layout.SECRET + i], colour] += 1
    for colour in left:
        array[layout.BOX, colour] += 1
    array[layout.HAND] = table.hand.counts
    array[layout.DRAWN] = table.bonus.drawn.counts if table.bonus else 0
    array[layout.BAG] = pool
    return array


def _dealt(pool: list[int], n: int, hidden: Sequence[int] | None) -> Iterator[int]:
    """The colours of n hidden flowers, taken out of the pool."""
    if hidden is not None and len(hidden) != n:
        raise Refused(f"{number_of(len(hidden), 'colour')} of hidden flowers; {n} are hidden; give as many")
    colours = []
    for i in range(n):
        colour = max(range(len(COLOURS)), key=pool.__getitem__) if hidden is None else hidden[i]
        if not pool[colour]:
            raise Refused(
                f"hidden flower {i + 1} is {COLOURS[colour].replace('_', ' ')}; "
                "no more of these are unseen; choose another colour"
            )
        pool[colour] -= 1
        colours.append(colour)
    return iter(colours)


def solver(rules: Rules, policies: Sequence[Policy] = ()) -> Any:
    """Room and constants for solving turns, with the weights of these policies; for one thread."""
    import numpy as np

    from cherrysim import arrays
    from cherrysim.kernels.layout import FAST
    from cherrysim.kernels.reference import Solver

    kept = Valuation.kept(rules)
    value, choice = arrays.plan_arrays(rules)
    return Solver(
        hands=arrays.hands(rules),
        space=arrays.space(rules),
        code=np.array(valuing.codes(rules)),
        pool=np.zeros((1, 6), np.int64),
        weight=np.ones(1),
        keep=np.array(kept.keep, np.float64),
        bust=np.array(kept.bust, np.float64),
        value=value,
        choice=choice,
        sizes=np.zeros((rules.alike**6, rules.draws + 1), np.int64),
        worth=valuing.worth(rules),
        fast=valuing.fast(rules, any(policy.numbers[0] == FAST for policy in policies)),
        ends=valuing.ends(rules),
        weights=valuing.weights([policy.weights(rules) for policy in policies]),
    )


def roller(rules: Rules, policies: Sequence[Policy]) -> Any:
    """Room and constants for games whose luck is taken off, or that are played on; for one thread."""
    import numpy as np

    from cherrysim import arrays, weights
    from cherrysim.kernels.layout import ROWS
    from cherrysim.kernels.learned import SEEN
    from cherrysim.kernels.rolling import Roller

    learned = [parse("learned")] * rules.players
    return Roller(
        solver=solver(rules, policies),
        judge=solver(rules, learned),
        judging=policies_array(learned),
        points=np.array(weights.expanded(weights.shipped(rules).scores)),
        fit=weights.shipped(rules).fit.astype(float),
        true_pool=np.zeros((1, 6), np.int64),
        true_space=arrays.space(rules),
        plan=arrays.plan_arrays(rules)[1],
        stops=np.zeros(len(universe(rules).hands)),
        failures=np.zeros(SETS),
        expected=np.zeros(rules.players),
        realised=np.zeros(rules.players),
        seen=np.zeros(SEEN, np.int64),
        settled_hands=np.zeros((len(universe(rules).hands), rules.players)),
        settled_failures=np.zeros((SETS, rules.players)),
        before=np.zeros((ROWS, 6), np.int64),
        log=no_log(),
    )


def room(rules: Rules, games: int) -> NDArray[Any]:
    """Result rows for so many games, little-endian whatever the machine."""
    import numpy as np

    return np.zeros((games * rules.players, len(COLUMNS)), "<i4")


def no_log() -> NDArray[Any]:
    """A log that keeps nothing."""
    return log_of(0)


def log_of(events: int) -> NDArray[Any]:
    """Room for so many events; row 0 counts them."""
    import numpy as np

    from cherrysim.kernels.layout import EVENT_NUMBERS

    return np.zeros((events + 1, EVENT_NUMBERS), np.int64)


def totals(rules: Rules) -> NDArray[Any]:
    """Totals of every seat and of the game, all 0."""
    import numpy as np

    from cherrysim.kernels.totals import MEASURES

    return np.zeros((rules.players + 1, MEASURES, 3), np.int64)
