"""The best simple rule: a search from what `learned` does, a number of the rule changed at a time.

Rulebook: "Turn Overview". A rule sits alone among three strong players, each bag once in every seat. The one
formula: with x[bag] what the rule won in all seats of a bag, two rules differ by

    mean of x - y  +-  sd(x - y) / sqrt(bags),

the bags being the same. All neighbours of a rule race over the same bags; most are dropped after few of
them, by points, which tell sooner than victories, and rules that do the same count once. Changes that help
are put together while they win more. Every round has fresh bags, and so has the last one, in which the best
rules of all rounds meet.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

from cherrysim.blocks import cores, in_order
from cherrysim.contest.bags import Contest, kernel_arguments
from cherrysim.contest.lineups import LineUps
from cherrysim.policy import Simple, parse
from cherrysim.rules import OFFICIAL, Rules
from cherrysim.simple import CARDS, TALLY, Rule
from cherrysim.simulate import MOST_SEED
from cherrysim.simulate.arrays import COLUMNS, room
from cherrysim.simulate.blocks import Pace
from cherrysim.stats import Estimate

if TYPE_CHECKING:
    from numpy.typing import NDArray

START = Rule(20, 4, 2, *(3, 2, 0, 0), *(3, 2, 0, 0), 2, 6, 3, -5, 5, 0, 7, 6, 8, 0, 1, 1)
"""What `learned` does in few words: four flowers first and late two, on while little can spoil it, white and
black behind; the tally is what it has learned that flowers are worth, in points of share."""
STRONG, PLAIN = "learned", ("plan:3+2", "kept")
"""Among whom the rule is to stand, and whom it is to beat."""
BEST = 10
_STEP = {"late": 6} | dict.fromkeys(TALLY, 2)
"""How far a number is changed where it is not by one."""
_BLOCK = 50
"""Bags of a piece of work."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to search: rounds at most; bags of each heat of a round with how many rules go on from it;
    bags by which changes are put together; bags of the last round."""

    rounds: int = 4
    heats: tuple[tuple[int, int], ...] = ((60, 16), (240, 5))
    together: int = 800
    last: int = 1000

    def part(self, part: float) -> Effort:
        """The same with such a part of all bags."""
        heats = tuple((max(2, round(part * bags)), going_on) for bags, going_on in self.heats)
        return Effort(
            self.rounds, heats, max(2, round(part * self.together)), max(2, round(part * self.last))
        )


@dataclass(frozen=True, slots=True)
class Found:
    """A rule with what it wins alone among three `STRONG`, and how much more than three of each plain policy
    a seat, from bags that no choice was made by; and its numbers of points a game among the strong."""

    rule: Rule
    share: Estimate
    score: Estimate
    over: tuple[tuple[str, Estimate], ...]

    def to_json(self) -> dict[str, Any]:
        """The rule's row in the file."""
        return {
            "rule": str(self.rule),
            "share": _json(self.share),
            "score": _json(self.score),
            "over": {name: _json(estimate) for name, estimate in self.over},
        }


def _json(estimate: Estimate) -> dict[str, Any]:
    ends = [round(end, 5) for end in estimate.interval()]
    error = round(estimate.standard_error, 5)
    return {"mean": round(estimate.value, 5), "standard_error": error, "interval": ends, "bags": estimate.n}


def neighbours(rule: Rule) -> list[Rule]:
    """All rules that differ by a step in one number.

    >>> len(neighbours(START)) > 40
    True
    """
    found = []
    for field in fields(rule):
        own, step = getattr(rule, field.name), _STEP.get(field.name, 1)
        others = range(len(CARDS)) if field.name == "cards" else (own - step, own + step)
        found += [replace(rule, **{field.name: n}) for n in others if n != own]
    return [other for other in found if other.sound]


Player = Rule | str
"""A rule, or the name of a policy."""


class Bags:
    """What players win alone among one policy: share of victory and points, bag by bag, mean of all
    seats."""

    def __init__(self, others: str, seed: int, rules: Rules = OFFICIAL, threads: int | None = None) -> None:
        self.others, self.rules, self.threads = others, rules, threads or cores()
        self.seed = seed % (MOST_SEED + 1)  # reports and rounds add to one that may be the largest
        self._won: dict[Player, NDArray[Any]] = {}

    def won(self, one: Player, bags: int) -> NDArray[Any]:
        """Share and points in bags 0, 1, ..., a row a bag."""
        self.play([one], bags)
        return self._won[one][:bags]

    def play(self, asked: Sequence[Player], bags: int, told: Callable[[float], None] | None = None) -> None:
        """Play what has not been played, all players side by side; `told` hears which part is done."""
        import numpy as np

        pieces = []
        for one in dict.fromkeys(asked):
            done = len(self._won.setdefault(one, np.zeros((0, 2))))
            pieces += [(one, first, min(_BLOCK, bags - first)) for first in range(done, bags, _BLOCK)]
        work = partial(_piece, pieces, self)
        played = in_order(work, len(pieces), threads=self.threads)
        for number, ((one, _, _), won) in enumerate(zip(pieces, played, strict=True), 1):
            self._won[one] = np.concatenate((self._won[one], won))
            if told:
                told(number / len(pieces))

    def different(self, players: Sequence[Rule], bags: int) -> list[Rule]:
        """Of players that came to the same in every bag the first."""
        found: dict[bytes, Rule] = {}
        for one in players:
            found.setdefault(self.won(one, bags).tobytes(), one)
        return list(found.values())

    def mean(self, one: Player, bags: int, column: int = 0) -> Estimate:
        """The mean of share (0) or points (1)."""
        return estimate(self.won(one, bags)[:, column])

    def ahead(self, one: Player, other: Player, bags: int, column: int = 0) -> Estimate:
        """By how much a player wins more than another would in its place, bag by bag."""
        return estimate(self.won(one, bags)[:, column] - self.won(other, bags)[:, column])

    def over(self, one: Player, bags: int) -> Estimate:
        """By how much a player wins more than each of the others at the table."""
        alone = self.won(one, bags)[:, 0]
        return estimate(alone - (1 - alone) / (self.rules.players - 1))


def _piece(pieces: Sequence[tuple[Player, int, int]], of: Bags, number: int) -> NDArray[Any]:
    """Share and points of a player in its seats of the bags of this piece."""
    import numpy as np

    one, first, bags = pieces[number]
    rules, seed = of.rules, of.seed
    policy = Simple(one, f"simple:{one}") if isinstance(one, Rule) else parse(one)
    line_ups = LineUps((policy, parse(of.others)), ((0, *(1,) * (rules.players - 1)),))
    contest, pace = Contest(rules, line_ups, seed), Pace()
    won = np.zeros((bags, 2))
    for seating, arguments in zip(line_ups.all_seatings, kernel_arguments(contest), strict=True):
        rows = pace.play(rules, seed, first, bags, arguments, room(rules, bags))
        own = rows.reshape(bags, rules.players, -1)[:, seating.index(0)]
        sharing = own[:, COLUMNS.index("sharing")]
        won[:, 0] += np.where(sharing > 0, 1 / np.maximum(sharing, 1), 0)
        won[:, 1] += own[:, COLUMNS.index("score")]
    return won / rules.players


def estimate(values: NDArray[Any]) -> Estimate:
    """The mean of observations with its error; where all are equal, what one more a unit away would show."""
    n = len(values)
    return Estimate(float(values.mean()), float(values.std(ddof=1)) / sqrt(n) or 1 / (n + 1), n)


def search(
    seed: int = 0,
    effort: Effort | None = None,
    threads: int | None = None,
    told: Callable[[str], None] | None = None,
    start: Rule = START,
) -> list[Found]:
    """The best simple rules for the official game of four, best first, found on from a first one; `told`
    hears a line a round.

    The same seed and effort give the same rules on any number of threads.
    """
    effort = effort or Effort()
    rule, tried = start, {start: 0.0}
    for number in range(effort.rounds):
        bags = Bags(STRONG, seed + 1 + number, threads=threads)
        better = _improved(rule, bags, effort, tried)
        if told:
            told(f"round {number + 1}: {better} wins {bags.mean(better, effort.together)}")
        if better == rule:
            break
        rule = better
    last = sorted(tried, key=lambda one: (one != rule, -tried[one]))[:BEST]
    return sorted(_measured(last, seed, effort, threads), key=lambda one: -one.share.value)


def _improved(rule: Rule, bags: Bags, effort: Effort, tried: dict[Rule, float]) -> Rule:
    """The rule with the changes that help; notes in `tried` what the rules that came far won."""
    runners = neighbours(rule)
    for number, going_on in effort.heats:
        bags.play([rule, *runners], number)
        runners = bags.different([rule, *runners], number)[1:]
        tried.update((one, bags.mean(one, number).value) for one in runners if number == effort.heats[-1][0])
        runners.sort(key=lambda one: -bags.ahead(one, rule, number, 1).value)
        del runners[going_on:]
    best = rule
    for one in runners:
        changed = {
            field.name: getattr(one, field.name)
            for field in fields(one)
            if getattr(one, field.name) != getattr(rule, field.name)
        }
        if any(getattr(best, name) != getattr(rule, name) for name in changed):
            continue
        together = replace(best, **changed)
        gain = bags.ahead(together, best, effort.together)
        tried[together] = bags.mean(together, effort.together).value
        if gain.value > 0.3 * gain.standard_error:
            best = together
    return best


def _measured(asked: Sequence[Rule], seed: int, effort: Effort, threads: int | None) -> list[Found]:
    """Rules in bags of their own."""
    strong = Bags(STRONG, seed, threads=threads)
    strong.play(asked, effort.last)
    found = []
    for rule in strong.different(asked, effort.last):
        over = tuple((plain, Bags(plain, seed, threads=threads).over(rule, effort.last)) for plain in PLAIN)
        share, score = (strong.mean(rule, effort.last, column) for column in (0, 1))
        found.append(Found(rule, share, score, over))
    return found
