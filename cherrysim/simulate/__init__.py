"""Whole games played by policies, by the thousand or the million, and what they come to.

Rulebook: "Gameplay", "End of the Game and Final Scoring"; rulings R22, R26, R31. The one formula: a mean
with its standard error sqrt((sum x^2 / n - mean^2) / (n - 1)), a game being one observation; a rate per
turn is a ratio of sums, its error by the delta method.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

from cherrysim.blocks import cores
from cherrysim.flowers import Refused, shown
from cherrysim.policy import Policy, parse
from cherrysim.rules import Rules, rules_of
from cherrysim.runs import opened
from cherrysim.simulate import arrays
from cherrysim.simulate.arrays import COLUMNS
from cherrysim.simulate.blocks import CHUNK, Block, Work, block_size, play_block, play_blocks, sent_chunks
from cherrysim.simulate.rows import writing
from cherrysim.stats import Estimate, proportion, rate

if TYPE_CHECKING:
    import pandas

__all__ = ["CHUNK", "COLUMNS", "Games", "SeatResult", "play"]

MOST_GAMES = 2 * 10**9
MOST_SEED = 2**64 - 1


@dataclass(frozen=True, slots=True)
class SeatResult:
    """What one seat's games came to: points a game, share of victory, outright and shared wins, own turns a
    game, failures a turn, and flowers a turn by first, second, ... draw."""

    policy: str
    score: Estimate
    front: Estimate
    warm: Estimate
    cool: Estimate
    share: Estimate
    outright: Estimate
    shared: Estimate
    turns: Estimate
    failures: Estimate
    flowers: tuple[Estimate, ...]

    def to_json(self) -> dict[str, Any]:
        """The seat's part of the document; wins are plain shares of all games."""
        whole = {
            name: getattr(self, name).to_json()
            for name in ("share", "front", "warm", "cool", "turns", "failures")
        }
        return {
            "policy": self.policy,
            "score": self.score.to_json(),
            "outright": self.outright.value,
            "shared": self.shared.value,
            **whole,
            "flowers": [estimate.to_json() for estimate in self.flowers],
        }


@dataclass(frozen=True, slots=True)
class Games:
    """Games played: each seat's results, the games' turns, how many were capped, how many endings had no
    pure split.

    `sha256` is that of all result rows, by chunks; `stopped` is "interrupt" if Ctrl-C came before the last
    game.
    """

    rules: Rules
    games: int
    seed: int
    capped: int
    mixed: int
    turns: Estimate
    seats: tuple[SeatResult, ...]
    sha256: str
    stopped: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The document of `cherrysim play --json`."""
        document: dict[str, Any] = {
            "players": self.rules.players,
            "cards": list(self.rules.cards),
            "games": self.games,
            "seed": self.seed,
            "capped": self.capped,
            "mixed_splits": self.mixed,
            "turns": self.turns.to_json(),
            "seats": [seat.to_json() for seat in self.seats],
            "sha256": self.sha256,
        }
        changed = {key: value for key, value in self.rules.not_official.items() if key != "cards"}
        if changed:
            document["rules"] = changed
        if self.stopped:
            document["stopped"] = self.stopped
        return document

    def __str__(self) -> str:
        from cherrysim.verdicts import games

        return games(self)

    def frame(self) -> pandas.DataFrame:
        """A row for every seat and quantity: its mean, standard error and unit."""
        import pandas

        rows = []
        for number, seat in enumerate(self.seats):
            for name in _MEANS:
                estimate: Estimate = getattr(seat, name)
                rows.append(
                    (number, seat.policy, name, estimate.value, estimate.standard_error, estimate.unit)
                )
        columns = ["seat", "policy", "quantity", "mean", "standard_error", "unit"]
        return pandas.DataFrame(rows, columns=columns)


_MEANS = ("score", "front", "warm", "cool", "share", "outright", "shared", "turns", "failures")


def play(
    policies: str | Sequence[str],
    games: int,
    seed: int = 0,
    rules: Rules | None = None,
    threads: int | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    progress: Callable[[int], None] | None = None,
    executor: Executor | None = None,
    block: int | None = None,
    run: str | os.PathLike[str] | None = None,
) -> Games:
    """Play whole games; one policy takes all seats, otherwise one is named for each.

    `out` writes a row a seat to a .csv or .parquet file, `progress` is told the games done so far,
    `executor` runs blocks elsewhere, `block` sets their size in chunks of 4,096 games; neither changes a
    result. `run` keeps blocks in a file as they are done and goes on where it ended (see `runs`). Ctrl-C
    gives what is known so far. Raises `Refused` for unknown policies and numbers out of bounds. Shares are of
    the victory, scores in points, failures and flowers a turn. Source: rulebook, "Gameplay".

    >>> games = play("plan:3+2", 1000, seed=7)
    >>> games.games, round(sum(seat.share.value for seat in games.seats), 9)
    (1000, 1.0)
    """
    rules = rules_of(rules)
    players = _policies(policies, rules)
    check_whole("games", games, 1, MOST_GAMES)
    check_whole("seed", seed, 0, MOST_SEED)
    workers = cores() if threads is None else threads
    check_whole("threads", workers, 1, 100_000)
    arrays.check(rules)
    work = Work(rules, players, seed, rows=out is not None)
    if block is None and executor is not None and not work.rows:
        block = sent_chunks(partial(play_block, work, 0), CHUNK, games // CHUNK, workers)
    size = CHUNK * block if block else block_size(games, workers, work.rows)
    tally = _Tally(rules)
    names = [str(policy) for policy in players]
    question = question_of("play", rules, players, seed=seed, games=games, rows=work.rows)
    with (
        writing(out, names, force) if out is not None else nullcontext() as writer,
        opened(run, question) as kept,
    ):
        part = kept.part("games", size) if kept else None

        def take(block: Block) -> None:
            if writer is not None and block.rows is not None:
                writer.write(block.rows)
            tally.add(block)
            if progress:
                progress(tally.games)

        interrupted = play_blocks(work, games, part.size if part else size, workers, executor, take, part)
        if not tally.games:
            raise KeyboardInterrupt
        found = tally.result(names, seed, "interrupt" if interrupted and tally.games < games else None)
        if part and not found.stopped:
            part.end(found.sha256)
    return found


def question_of(command: str, rules: Rules, policies: Sequence[Policy], **more: Any) -> dict[str, Any]:
    """What decides the games of a command, for a run's file; of policies also the numbers they play by."""
    numbers = [[list(policy.numbers), list(policy.weights(rules))] for policy in policies]
    digest = hashlib.sha256(json.dumps(numbers).encode()).hexdigest()[:16]
    names = [str(policy) for policy in policies]
    return {"command": command, "policies": names, "numbers": digest, "rules": rules.to_json(), **more}


def _policies(policies: str | Sequence[str], rules: Rules) -> tuple[Policy, ...]:
    """A policy for every seat."""
    names = [policies] if isinstance(policies, str) else list(policies)
    if len(names) == 1:
        names *= rules.players
    if len(names) != rules.players:
        raise Refused(
            f"{len(names)} policies; there are {rules.players} seats; name one, or one for each seat"
        )
    return tuple(map(parse, names))


def check_whole(name: str, value: Any, least: int, most: int) -> None:
    """Raise `Refused` for what is no whole number from `least` to `most`."""
    if type(value) is not int or not least <= value <= most:
        raise Refused(
            f"{name} is {shown(value)}; it is a whole number from {least} to {most}; choose one in between"
        )


class _Tally:
    """Totals of blocks, in order."""

    def __init__(self, rules: Rules) -> None:
        self.rules, self.games = rules, 0
        self.totals = arrays.totals(rules)
        self.digest = hashlib.sha256()

    def add(self, block: Block) -> None:
        self.totals += block.totals
        self.games += block.games
        self.digest.update(b"".join(block.digests))

    def result(self, names: Sequence[str], seed: int, stopped: str | None) -> Games:
        from cherrysim.kernels.totals import GAME_CAPPED, GAME_MIXED, GAME_TURNS, SUM

        whole = self.totals[-1].tolist()
        return Games(
            rules=self.rules,
            games=self.games,
            seed=seed,
            capped=whole[GAME_CAPPED][SUM],
            mixed=whole[GAME_MIXED][SUM],
            turns=_mean(whole[GAME_TURNS], self.games, "turns"),
            seats=tuple(map(self.seat, names, self.totals[:-1].tolist())),
            sha256=self.digest.hexdigest(),
            stopped=stopped,
        )

    def seat(self, name: str, totals: list[list[int]]) -> SeatResult:
        from cherrysim.kernels.totals import DRAWN, SUM, TOTALS, TWELFTHS

        of = dict(zip(TOTALS, totals, strict=False))
        n, turns = self.games, of["turns"]
        drawn = totals[DRAWN : DRAWN + self.rules.draws]
        return SeatResult(
            policy=name,
            score=_mean(of["score"], n, "points"),
            front=_mean(of["front"], n, "points"),
            warm=_mean(of["warm"], n, "points"),
            cool=_mean(of["cool"], n, "points"),
            share=_mean(of["share"], n, "of victory", TWELFTHS),
            outright=proportion(of["outright"][SUM], n, "of games"),
            shared=proportion(of["shared"][SUM], n, "of games"),
            turns=_mean(turns, n, "turns"),
            failures=rate(of["failures"], turns, n, "a turn"),
            flowers=tuple(rate(flowers, turns, n, "a turn") for flowers in drawn),
        )


def _mean(totals: Sequence[int], n: int, unit: str, scale: int = 1) -> Estimate:
    """The mean of n numbers from their sum and sum of squares, whole numbers in units of 1 / scale."""
    total, squares = totals[0], totals[1]
    spread = n * squares - total * total  # n^2 x variance, exact
    error = sqrt(spread / (n - 1)) / n if n > 1 else 0.0
    return Estimate(total / n / scale, error / scale, n, unit)
