"""Who sits where: the line-ups of a contest, and every way to seat each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

from cherrysim.flowers import Refused, shown
from cherrysim.policy import Learned, Points, Policy, parse
from cherrysim.rules import Rules

if TYPE_CHECKING:
    from numpy.typing import NDArray

Seating = tuple[int, ...]
"""The number of the policy at each seat."""


@dataclass(frozen=True, slots=True)
class LineUps:
    """Different policies in the order given, and the line-ups they meet in, as numbers of policies.

    >>> found = line_ups(["kept", "plan:3+2"], Rules.official(3))
    >>> found.line_ups, found.seatings(0)
    (((0, 1, 1), (1, 0, 0)), [(0, 1, 1), (1, 0, 1), (1, 1, 0)])
    """

    policies: tuple[Policy, ...]
    line_ups: tuple[Seating, ...]

    def seatings(self, line_up: int) -> list[Seating]:
        """Every different way to seat a line-up; at most 24."""
        return sorted(set(permutations(self.line_ups[line_up])))

    @property
    def all_seatings(self) -> list[Seating]:
        """Those of the first line-up, then of the next."""
        return [seating for number in range(len(self.line_ups)) for seating in self.seatings(number)]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Every two policies, in the order given."""
        return list(combinations(range(len(self.policies)), 2))

    @property
    def value_tables(self) -> bool:
        """Whether every policy values tables, which is most of the work of taking luck off."""
        return all(isinstance(policy, (Points, Learned)) for policy in self.policies)

    def names(self, line_up: int) -> tuple[str, ...]:
        """The policies of a line-up."""
        return tuple(str(self.policies[number]) for number in self.line_ups[line_up])


def line_ups(names: Sequence[str], rules: Rules) -> LineUps:
    """Two policies meet as one A among B's and as one B among A's, more in the line-up given; else
    `Refused`."""
    if isinstance(names, str):
        raise Refused(f"policies is {shown(names)}; a contest is between several; write ['kept', 'plan:3+2']")
    given = tuple(map(parse, names))
    different = tuple(dict.fromkeys(given))
    players = rules.players
    if len(given) not in (2, players):
        takes = "2" if players == 2 else f"2 or {players}"
        policies = "1 policy" if len(given) == 1 else f"{len(given)} policies"
        raise Refused(f"{policies}; a contest of {players} players takes {takes}; name so many")
    if len(different) < 2:
        raise Refused(f"{given[0]} against itself; a contest is between different policies; name another")
    if len(given) == players:
        return LineUps(different, (tuple(map(different.index, given)),))
    one_of_each = ((0, *(1,) * (players - 1)), (1, *(0,) * (players - 1)))
    return LineUps(different, one_of_each)


@dataclass(frozen=True, slots=True)
class Groups:
    """The seats whose results are added up together: for each seating and seat those it counts for, and how
    many seats of all seatings each group has. Groups are numbered policy by policy, then for each line-up
    policy by policy and, for each policy, seat by seat."""

    of_seats: NDArray[Any]
    seats: tuple[int, ...]


def groups(contest: LineUps, players: int) -> Groups:
    """The groups of a contest.

    >>> groups(line_ups(["kept", "plan:3+2"], Rules.official(2)), 2).of_seats.tolist()
    [[[0, 2, 3], [1, 5, 7]], [[1, 5, 6], [0, 2, 4]]]
    """
    import numpy as np

    policies = len(contest.policies)
    of_seats = []
    for number in range(len(contest.line_ups)):
        for seating in contest.seatings(number):
            own = [group_of(policies, players, number, policy) for policy in seating]
            of_seats.append(
                [
                    (policy, first, first + 1 + seat)
                    for seat, (policy, first) in enumerate(zip(seating, own, strict=True))
                ]
            )
    array = np.array(of_seats, np.int64)
    count = policies + len(contest.line_ups) * policies * (1 + players)
    return Groups(array, tuple(np.bincount(array.ravel(), minlength=count).tolist()))


def group_of(policies: int, players: int, line_up: int, policy: int) -> int:
    """The group of a policy in a line-up; those at its seats follow."""
    return policies + (line_up * policies + policy) * (1 + players)
