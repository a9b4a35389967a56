"""Policies against each other: who wins more, by how much, and how sure that is.

Rulebook: "End of the Game and Final Scoring"; ruling R31. Every bag is played in every seating of every
line-up, with randomness keyed by game, turn and flower, so that players differ by what they decide. The one
formula: a bag with all its seatings is one observation, so the mean of n bags has the error

    sqrt((sum d^2 / n - mean^2) / (n - 1)),    d = what a got from a bag per seat it held, less what b got.

The luck-adjusted difference takes from every game's shares the luck as the learned model sees it
(`kernels.adjusted`), whose mean is 0.

With a precision it is looked at after every chunk of bags whether the always-valid interval of
`stats.always_valid` (an asymptotic confidence sequence, Waudby-Smith et al. 2024) is narrow enough, which no
number of looks spoils."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from functools import partial
from math import ceil, sqrt
from typing import Any

from cherrysim.blocks import cores, in_order
from cherrysim.contest.bags import Chunk, Contest, pack, play_bags, unpack, weights
from cherrysim.contest.lineups import LineUps, group_of, line_ups
from cherrysim.contest.results import Comparison, Difference, LineUp, Look, Result
from cherrysim.flowers import Refused, shown
from cherrysim.rules import Rules, rules_of
from cherrysim.runs import Part, opened
from cherrysim.simulate import MOST_GAMES, MOST_SEED, arrays, check_whole, question_of
from cherrysim.simulate.blocks import interruptible, sent_chunks
from cherrysim.stats import Estimate, Sums, always_valid, rate

__all__ = ["Comparison", "Difference", "LineUp", "Look", "Result", "compare"]

LEAST_PRECISION, MOST_PRECISION = 0.0001, 0.5

_Asked = tuple[int, list[Chunk]]
"""How many bags a block should have, and its chunks."""


def compare(
    policies: Sequence[str],
    games: int | None = None,
    precision: float | None = None,
    seed: int = 0,
    rules: Rules | None = None,
    threads: int | None = None,
    *,
    luck_adjusted: bool | None = None,
    progress: Callable[[int, float], None] | None = None,
    executor: Executor | None = None,
    block: int | None = None,
    run: str | os.PathLike[str] | None = None,
) -> Comparison:
    """Let policies play each other: so many `games` of each line-up, or until all differences of share are
    known within `precision` (half the width of the 95 % interval, in share of victory 0..1).

    Two policies meet as one A among B's and as one B among A's, as many as there are players in the line-up
    given. `luck_adjusted` gives each difference of share also with the luck taken off: less error from as
    many games, but it takes time; by default where all policies value tables and it takes little.
    `progress` is told the games played and which part of the work that is, `executor` runs blocks
    elsewhere, `block` sets their size in chunks of at most 4,096 games; neither changes a result. `run` keeps
    blocks in a file as they are done and goes on where it ended (see `runs`). Ctrl-C gives what is known so
    far. Raises `Refused` for unknown policies and numbers out of bounds. Source: rulebook, "Gameplay".

    >>> found = compare(["kept", "plan:3+2"], games=2000, rules=Rules.official(2))
    >>> found.differences[0].share.value > 0
    True
    >>> round(sum(result.share.value for result in found.policies.values()), 9)
    1.0
    """
    rules = rules_of(rules)
    met = line_ups(policies, rules)
    contest = Contest(rules, met, seed, _adjusted(met, rules, luck_adjusted))
    check_whole("seed", seed, 0, MOST_SEED)
    workers = cores() if threads is None else threads
    check_whole("threads", workers, 1, 100_000)
    arrays.check(rules)
    each = contest.games // len(contest.line_ups.line_ups)  # games of a bag in one line-up
    bags = ceil(_most_games(games, precision) / each)
    tally = _Tally(contest, bags, precision)
    play_bags(contest, 0, 1)  # compiled here, where it can be interrupted; in a thread it could not be
    if block is None:
        likely = int(bags if tally.tuned is None else min(bags, tally.tuned))
        sent = partial(sent_chunks, partial(play_bags, contest, 0), contest.chunk, likely // contest.chunk)
        block = 1 if executor is None else sent(workers)
    question = question_of(
        "compare", rules, contest.line_ups.policies, line_ups=contest.line_ups.line_ups, seed=seed,
        games=games, precision=precision, luck_adjusted=contest.adjusted,
    )  # fmt: skip
    with opened(run, question) as kept:
        part = kept.part("bags", block) if kept else None
        blocks = partial(_blocks, contest, bags, part.size if part else block, workers, executor, part)
        stopped = _added(tally, blocks, executor, progress)
        if not tally.bags:
            raise KeyboardInterrupt
        found = tally.result(stopped)
        if part and stopped != "interrupt":
            part.end(found.sha256)
    return found


def _adjusted(met: LineUps, rules: Rules, asked: bool | None) -> bool:
    """Whether luck is taken off: where it is asked for, else where that takes little and can be done."""
    if asked and rules.flowers < 2:
        raise Refused("turns of 1 flower; luck is taken off where turns have 2; leave --luck-adjusted out")
    return met.value_tables and rules.flowers > 1 if asked is None else asked


def _added(
    tally: _Tally,
    blocks: Callable[[Callable[[], bool] | None], Iterator[_Asked]],
    executor: Executor | None,
    progress: Callable[[int, float], None] | None,
) -> str:
    """Add blocks; why they ended."""
    with interruptible() if executor is None else nullcontext() as stop:
        try:
            return tally.add_all(blocks(None if stop is None else stop.is_set), progress)
        except KeyboardInterrupt:
            return "interrupt"
        finally:
            if stop is not None:
                stop.set()


def _blocks(
    contest: Contest,
    bags: int,
    block: int,
    threads: int,
    executor: Executor | None,
    part: Part | None,
    stopped: Callable[[], bool] | None,
) -> Iterator[_Asked]:
    """Blocks of so many chunks, in order; those that are kept in a part of a run from there."""
    size = contest.chunk * block
    task = partial(_block, contest, bags, size, stopped)
    begin = partial(in_order, task, -(-bags // size), threads=threads, executor=executor)

    def kept(_: int, found: _Asked) -> tuple[int, bytes] | None:
        played = _bags(found[1])
        return (played * contest.games, pack(found[1])) if played == found[0] else None

    def again(data: bytes) -> _Asked:
        chunks = unpack(data)
        return _bags(chunks), chunks

    return begin() if part is None else part.resumed(begin, kept, again)


def _bags(chunks: Sequence[Chunk]) -> int:
    return sum(chunk.bags for chunk in chunks)


def _most_games(games: int | None, precision: float | None) -> int:
    """The most games of a line-up."""
    if (games is None) == (precision is None):
        given = "neither games nor precision" if games is None else "games and precision"
        raise Refused(f"{given}; a contest ends by one of them; give one")
    if precision is None:
        check_whole("games", games, 1, MOST_GAMES)
        assert games is not None
        return games
    if not LEAST_PRECISION <= precision <= MOST_PRECISION:
        raise Refused(
            f"precision {shown(precision)}; it is a share of victory from {LEAST_PRECISION} to "
            f"{MOST_PRECISION}, half the width of the interval; choose one in between"
        )
    return MOST_GAMES


def _block(contest: Contest, bags: int, size: int, stopped: Callable[[], bool] | None, number: int) -> _Asked:
    """How many bags the block of this number should have, and its chunks."""
    asked = min(size, bags - number * size)
    return asked, play_bags(contest, number * size, asked, stopped)


class _Tally:
    """Sums of chunks, in order."""

    def __init__(self, contest: Contest, most: int, precision: float | None) -> None:
        self.contest, self.most, self.precision = contest, most, precision
        self.tuned = None if precision is None else _tuned(contest, precision)
        self.seats, self.weights = contest.groups.seats, weights(contest)
        self.bags = 0
        self.sums: Any = 0
        self.apart: Any = 0
        self.scores: list[dict[int, int]] = [{} for _ in contest.line_ups.policies]
        self.digest = hashlib.sha256()
        self.looks: list[Look] = []

    def add_all(self, blocks: Any, progress: Callable[[int, float], None] | None) -> str:
        """Add blocks until they end or all is known well enough; why it stopped."""
        for asked, chunks in blocks:
            for chunk in chunks:
                self.add(chunk)
                if self.precision is not None and self.reach() <= self.precision:
                    return "precision"
            if progress and self.bags:
                progress(self.bags * self.contest.games, self.part())
            if _bags(chunks) < asked:
                return "interrupt"
        return "games"

    def add(self, chunk: Chunk) -> None:
        self.bags += chunk.bags
        self.sums = self.sums + chunk.sums.astype(object)  # Python's whole numbers do not overflow
        self.apart = self.apart + chunk.apart.astype(object)
        self.digest.update(chunk.digest)
        for scores, (lowest, counts) in zip(self.scores, chunk.scores, strict=True):
            for score, count in enumerate(counts, lowest):
                scores[score] = scores.get(score, 0) + count
        if not self.looks or self.bags * self.contest.games >= 2 * self.looks[-1].games:
            self.looks.append(self.look())

    def look(self) -> Look:
        return Look(self.bags * self.contest.games, tuple(pair.share for pair in self.differences()))

    def reach(self) -> float:
        """Half the width of the widest interval of a difference of share."""
        assert self.tuned is not None
        ends = [always_valid(self.apart_by(p, 0), self.tuned) for p in range(len(self.weights))]
        return max((high - low) / 2 for low, high in ends)

    def part(self) -> float:
        """The part of the work that is done, for a precision a guess: errors shrink with the root of the
        bags."""
        if self.precision is None:
            return self.bags / self.most
        return min(1.0, (self.precision / self.reach()) ** 2)

    def result(self, stopped: str) -> Comparison:
        contest = self.contest
        names = list(map(str, contest.line_ups.policies))
        games = self.bags * contest.games
        if self.looks[-1].games < games:
            self.looks.append(self.look())
        return Comparison(
            rules=contest.rules,
            games=games,
            bags=self.bags,
            seed=contest.seed,
            stopped=stopped,
            policies={name: self.result_of(number) for number, name in enumerate(names)},
            differences=self.differences(),
            line_ups=tuple(map(self.line_up, range(len(contest.line_ups.line_ups)))),
            scores={name: _present(scores) for name, scores in zip(names, self.scores, strict=True)},
            looks=tuple(self.looks),
            sha256=self.digest.hexdigest(),
            precision=self.precision,
            tuned=self.tuned,
        )

    def line_up(self, number: int) -> LineUp:
        contest, players = self.contest, self.contest.rules.players
        policies = contest.line_ups.policies
        first = [group_of(len(policies), players, number, policy) for policy in range(len(policies))]
        return LineUp(
            policies=contest.line_ups.names(number),
            games=self.bags * len(contest.line_ups.seatings(number)),
            results={
                str(policy): self.result_of(group) for policy, group in zip(policies, first, strict=True)
            },
            by_seat=tuple(
                {
                    str(policy): self.result_of(group + 1 + seat)
                    for policy, group in zip(policies, first, strict=True)
                }
                for seat in range(players)
            ),
        )

    def result_of(self, group: int) -> Result:
        from cherrysim.kernels import contest as of
        from cherrysim.kernels.totals import TWELFTHS

        sums, seats = self.sums[group].tolist(), self.seats[group]

        def mean(measure: int, unit: str, scale: int = 1) -> Estimate:
            total, squares, _ = sums[measure]
            return Sums(self.bags, total, squares).estimate(seats * scale, unit)

        return Result(
            share=mean(of.SHARE, "of victory", TWELFTHS),
            outright=mean(of.OUTRIGHT, "of games"),
            shared=mean(of.SHARED, "of games"),
            score=mean(of.POINTS, "points"),
            margin=mean(of.MARGIN, "points"),
            failures=rate(sums[of.FAILED], sums[of.OWN_TURNS], self.bags, "a turn"),
        )

    def differences(self) -> tuple[Difference, ...]:
        names = list(map(str, self.contest.line_ups.policies))
        return tuple(
            Difference(
                names[a],
                names[b],
                self.apart_by(p, 0),
                self.apart_by(p, 1),
                self.apart_by(p, 2),
                luck_adjusted=self.apart_by(p, 3) if self.contest.adjusted else None,
            )
            for p, (a, b) in enumerate(self.contest.line_ups.pairs)
        )

    def apart_by(self, pair: int, measure: int) -> Estimate:
        """A pair's difference in share, score, margin or share with the luck taken off."""
        from cherrysim.kernels.contest import ADJUSTED, COMPARED, SHARE
        from cherrysim.kernels.totals import TWELFTHS, WHOLE

        total, squares = self.apart[pair, measure].tolist()
        unit = {SHARE: TWELFTHS, ADJUSTED: WHOLE}.get(COMPARED[measure])
        scale = self.weights[pair][2] * (unit or 1)
        return Sums(self.bags, total, squares).estimate(scale, "of victory" if unit else "points")


def _present(scores: dict[int, int]) -> dict[int, int]:
    """The scores that occurred, in order."""
    return {score: scores[score] for score in sorted(scores) if scores[score]}


def _tuned(contest: Contest, precision: float) -> float:
    """About how many bags a precision takes, by the set-up: as if policies were equal, games independent."""
    players, seats = contest.rules.players, contest.groups.seats
    most = 0.0
    for a, b in contest.line_ups.pairs:
        variance = 0.0
        for seating in contest.line_ups.all_seatings:
            of_a, of_b = seating.count(a) / seats[a], seating.count(b) / seats[b]
            mean = (of_a - of_b) / players
            variance += (of_a / seats[a] + of_b / seats[b]) / players - mean * mean
        most = max(most, variance)
    return (always_valid(Estimate(0.0, sqrt(most), 100), 100)[1] / precision) ** 2
