"""How right the errors of games played on are: `python -m cherrysim.calibration --positions N --out FILE`.

Positions are drawn from games of `learned` by a stated seed: 2 to 4 players, blue and pink cards, late,
middle and early ones as 3 to 2 to 1, at most three of the choices. What short runs say is held against
references: independent games of the same policies, 25 times as many. The one formula: an interval of a short
run covers if

    |short - reference| <= reach of the interval, widened by the reference's own error,
    widened reach^2 = reach^2 + (1.96 x standard error of the reference)^2.

Truncated answers are held against games to the end; what luck-cancelling saves is measured on one choice.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import pi, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cherrysim import __version__
from cherrysim.blocks import cores, in_order
from cherrysim.files import write_atomic
from cherrysim.policy import parse
from cherrysim.rollout import LEAST, TURNS, Run, reach
from cherrysim.rollout.games import Plan, Table
from cherrysim.rollout.starts import Question, question
from cherrysim.rules import Rules
from cherrysim.simulate import arrays
from cherrysim.simulate.moments import moments
from cherrysim.stats import Estimate, quantile, wilson
from cherrysim.table import Table as Moment

if TYPE_CHECKING:
    from numpy.typing import NDArray

SET_UPS = tuple((players, cards) for players in (4, 3, 2) for cards in ("blue", "pink"))
STAGES = ("late", "middle", "early")
"""By thirds of the start bag."""
TURN_OF_STAGES = (0, 0, 0, 1, 1, 2)
CHOICES = 3
"""At most so many of the choices are played, drawn at random."""
SIZE, LONGER = 4, 25
"""Games of a short batch; the reference is so many times as long as `LEAST` of them."""
MOST = 512
"""Games at which a run that is watched ends anyhow."""
PRECISION = {"rollout": 0.1, "truncated": 0.02}
"""At which a run that is watched ends: the short runs' errors are about as large."""
TRUNCATED = 400
"""Truncated games held against the reference of full ones."""
SAMPLE = 256
"""Games from which the variance of a game is read, on every sixth position."""
DECIDED = 0.005
"""A choice that wins no more, or loses no more than this, is decided."""

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A position, its stage, and the number that all its randomness comes from."""

    number: int
    seed: int
    stage: str
    table: Moment

    def key(self, purpose: int) -> int:
        """A seed for this position and purpose."""
        return random.Random(f"{self.seed} {self.number} {purpose}").getrandbits(60)


def position(seed: int, number: int) -> Drawn:
    """The position of this number, at random among the decisions of its game at its stage.

    >>> position(1, 0).stage, position(1, 0).table.bag_size <= 32
    ('late', True)
    """
    rules = Rules.official(*SET_UPS[number % len(SET_UPS)])
    stage = TURN_OF_STAGES[number // len(SET_UPS) % len(TURN_OF_STAGES)]
    third = rules.counts.total / len(STAGES)
    for game in range(number, 10**9, 10**6):
        policies = (parse("learned"),) * rules.players
        tables = moments(rules, policies, seed, game)
        found = [table for table in tables if stage * third < table.bag_size <= (stage + 1) * third]
        if found:
            return Drawn(number, seed, STAGES[stage], random.Random(f"{seed} {number}").choice(found))
    raise AssertionError("every game has all stages")


def only(asked: Question, choices: Sequence[int]) -> Question:
    """The question with some of its choices alone."""
    chances = asked.chances[list(choices)]
    used = [i for i, column in enumerate(chances.T) if column.any()]
    return replace(
        asked,
        moves=tuple(asked.moves[i] for i in choices),
        starts=tuple(asked.starts[i] for i in used),
        chances=chances[:, used],
        shares=asked.shares[used],
    )


def measure(seed: int, number: int) -> Record:
    """All that is measured at a position, as numbers for the report."""
    drawn = position(seed, number)
    policies = (parse("learned"),) * drawn.table.rules.players
    asked = question(drawn.table, policies[0])
    every = list(range(len(asked.moves)))
    some = random.Random(drawn.key(0)).sample(every, min(CHOICES, len(every)))
    method = "truncated" if number // 36 % 3 else "rollout"
    found: Record = {"number": number, "stage": drawn.stage, "method": method}
    few = only(asked, some)
    plan = Plan(policies, TURNS if method == "truncated" else None)
    reference = _shares(Table(few, plan, drawn.key(1)), LEAST * SIZE * LONGER)
    found |= _watched(Table(few, plan, drawn.key(2)), method, reference)
    if method == "rollout" and len(some) > 1:
        short = _shares(Table(few, Plan(policies, TURNS), drawn.key(3)), TRUNCATED)
        found["bias"] = _apart(short, reference)
    if number // 36 % 6 == 0:
        found["variance"] = _variances(only(asked, some[:1]), policies, drawn.key(4))
    return found


def _shares(table: Table, games: int, batches: int = 40) -> NDArray[Any]:
    """What batches say of the mover's share: [batch, choice]."""
    import numpy as np

    chances = table.question.chances.mean(axis=0)
    told = [table.batch(i, games // batches, chances) for i in range(batches)]
    shares: NDArray[Any] = np.array(told)[:, :, 0, table.question.seat]
    return shares


def _mean(values: NDArray[Any]) -> Estimate:
    spread = float(values.std(ddof=1)) / sqrt(len(values))
    return Estimate(float(values.mean()), spread, len(values))


def _watched(table: Table, method: str, reference: NDArray[Any]) -> Record:
    """Intervals of a short run, and of the same run watched until it says enough, by the reference."""
    run = Run(table, None, PRECISION[method], None, MOST, SIZE)
    run.play(1, None)
    truth = _mean(reference[:, 0])
    fixed, stopped = run.share(0, LEAST), run.share(0)
    found: Record = {"truth": truth.value, "choices": reference.shape[1], "games": run.games}
    found["fixed"] = _covers(fixed, reach(fixed, watched=False), truth)
    found["stopped"] = _covers(stopped, reach(stopped, watched=True), truth)
    found["wider"] = reach(stopped, watched=True) / reach(stopped, watched=False)
    if reference.shape[1] > 1 and len(run.contending()) == 1:
        (best,) = run.contending()
        others = [i for i in range(reference.shape[1]) if i != best]
        apart = [_mean(reference[:, i] - reference[:, best]) for i in others]
        found["wrong"] = any(gap.value > 3 * gap.standard_error for gap in apart)
    return found


def _covers(short: Estimate, reached: float, truth: Estimate) -> bool:
    widened = sqrt(reached**2 + (quantile(0.95) * truth.standard_error) ** 2)
    return abs(short.value - truth.value) <= widened


def _apart(short: NDArray[Any], reference: NDArray[Any]) -> Record:
    """How far a truncated difference of two choices, and a truncated share, are from full ones."""
    found: Record = {"decided": _decided(reference)}
    for name in ("difference", "share"):
        one, other = (
            _mean(x[:, 0] - x[:, 1] if name == "difference" else x[:, 0]) for x in (short, reference)
        )
        noise = one.standard_error**2 + other.standard_error**2
        found[name] = [one.value - other.value, noise]
    return found


def _decided(reference: NDArray[Any]) -> bool:
    shares = reference.mean(axis=0)
    return bool(((shares <= DECIDED) | (shares >= 1 - DECIDED)).all())


def _variances(asked: Question, policies: Any, seed: int) -> Record:
    """Variance and CPU seconds of a game: plain, luck-cancelled, truncated and luck-cancelled."""
    import numpy as np

    which = np.random.default_rng(seed).choice(len(asked.starts), SAMPLE, p=asked.chances[0])
    known, found = asked.shares[which, asked.seat], {}
    for name, turns in (("full", None), ("truncated", TURNS)):
        table = Table(asked, Plan(policies, turns), seed)
        begun = time.thread_time()
        shares, _, luck = np.moveaxis(table.roll(which, 0)[:, :, asked.seat], 1, 0)
        spent = (time.thread_time() - begun) / SAMPLE
        found[name] = [float((shares - luck - known).var(ddof=1)), spent]
        if turns is None:
            found["plain"] = [float(shares.var(ddof=1)), spent]
    return found


def luck_costs(rules: Rules, games: int = 100) -> float:
    """CPU time of a whole game with every turn's luck, by that of one without."""
    import numpy as np

    from cherrysim.kernels.game import play_games

    policies = (parse("learned"),) * rules.players
    table = Table(only(question(Moment.start(rules), policies[0]), [2]), Plan(policies), 1)
    which = np.zeros(games, np.int64)
    numbers = arrays.rules_array(rules), arrays.policies_array(policies)
    rest = arrays.solver(rules, policies), arrays.no_log(), arrays.room(rules, games)
    spent = []
    works: tuple[Callable[[], Any], ...] = (
        lambda: table.roll(which, 0),
        lambda: play_games(0, games, np.uint64(1), *numbers, *rest),
    )
    for work in works:
        begun = time.thread_time()
        work()
        spent.append(time.thread_time() - begun)
    return spent[0] / spent[1]


def report(records: Sequence[Record], seed: int, command: str) -> str:
    """The report as Markdown."""
    return "\n".join(
        [
            "# How right the errors of rollouts are",
            "",
            f"`{command}`: {len(records):,} positions, seed {seed}, cherrysim {__version__}. Positions",
            "are drawn from games of `learned`, 2 to 4 players, blue and pink cards; last, middle and first",
            f"third of the flowers in the bag as 3 to 2 to 1; at most {CHOICES} of the choices, at random.",
            f"Short runs are {LEAST} batches of {SIZE} games, watched ones at most {MOST} games, references",
            f"{LEAST * SIZE * LONGER:,} games of the same policies.",
            f"A position is decided if the choices win at most {DECIDED:.1%} or at least {1 - DECIDED:.1%}.",
            "",
            *_coverage(records),
            *_claims(records),
            *_biases(records),
            *_cuts(records),
        ]
    )


def _table(head: Sequence[str], rows: Iterator[Sequence[str]]) -> list[str]:
    lines = [list(head), ["---"] * len(head), *map(list, rows)]
    return [f"| {' | '.join(line)} |" for line in lines] + [""]


def _open(record: Record) -> bool:
    return bool(DECIDED < record["truth"] < 1 - DECIDED)


def _parts(records: Sequence[Record]) -> Iterator[tuple[str, list[Record]]]:
    """All, then by stage."""
    yield "all", list(records)
    for stage in STAGES:
        yield stage, [record for record in records if record["stage"] == stage]


def _hits(records: Sequence[Record], name: str) -> str:
    hits, n = sum(record[name] for record in records), len(records)
    if not n:
        return "-"
    low, high = wilson(hits, n)
    return f"{hits / n:.1%} ({low:.1%} to {high:.1%})"


def _coverage(records: Sequence[Record]) -> list[str]:
    def rows() -> Iterator[list[str]]:
        for method in ("rollout", "truncated", "both"):
            own = [record for record in records if method in (record["method"], "both")]
            for stage, part in _parts(own):
                still = [record for record in part if _open(record)]
                wider = sum(record["wider"] for record in part) / max(1, len(part))
                every = _hits(part, "fixed").split(" ")[0]
                numbers = [_hits(still, "fixed"), every, _hits(still, "stopped"), f"{wider:.2f}"]
                yield [method, stage, f"{len(part)}", f"{len(still)}", *numbers]

    return [
        "## Coverage",
        "",
        "The share of victory of one random choice, 95 % intervals; undecided choices unless it says all.",
        "",
        *_table(
            ["method", "stage", "positions", "undecided", "fixed length", "fixed, all", "watched", "wider"],
            rows(),
        ),
        "Asked for: fixed 93 to 97 %; watched at least 93 %, at most 1.7 times as wide as a fixed one.",
        "",
    ]


def _claims(records: Sequence[Record]) -> list[str]:
    claims = [record for record in records if "wrong" in record]
    wrong = sum(record["wrong"] for record in claims)
    high = wilson(wrong, len(claims))[1] if claims else 1.0
    return [
        "## Claims of a separate best choice",
        "",
        f"{len(claims)} claims, {wrong} of them wrong by more than three standard errors of the reference "
        f"(at most {high:.1%} at 95 %). Asked for: at most 5 %.",
        "",
    ]


def _biases(records: Sequence[Record]) -> list[str]:
    own = [record for record in records if "bias" in record and not record["bias"]["decided"]]

    def rows() -> Iterator[list[str]]:
        for stage, part in _parts(own):
            for name in ("difference", "share"):
                misses = [record["bias"][name] for record in part]
                if len(misses) > 1:
                    yield [stage, name, f"{len(misses)}", *_miss(misses)]

    return [
        "## Truncated against full",
        "",
        "Truncated less full, in points of share (hundredths), undecided positions: of the difference of two",
        "choices, and of the share of one. The references' noise is in the plain mean; it is taken out as if",
        "errors were normal, by mean d^2 - mean noise^2.",
        "",
        *_table(
            [
                "stage",
                "of",
                "positions",
                "mean",
                "mean absolute",
                "of noise alone",
                "without noise",
            ],
            rows(),
        ),
        "Asked for: differences at most 0.7 points.",
        "",
    ]


def _miss(misses: Sequence[Sequence[float]]) -> list[str]:
    """The mean error, the mean absolute error, the part that noise alone would show, and that without it."""
    n, scale = len(misses), sqrt(2 / pi)
    mean = sum(d for d, _ in misses) / n
    error = sqrt(sum((d - mean) ** 2 for d, _ in misses) / (n - 1) / n)
    absolute = sum(abs(d) for d, _ in misses) / n
    noise = sum(scale * sqrt(v) for _, v in misses) / n
    squares = [d * d - v for d, v in misses]
    square = sum(squares) / n
    reached = quantile(0.95) * sqrt(sum((s - square) ** 2 for s in squares) / (n - 1) / n)
    low, middle, high = (
        100 * scale * sqrt(max(0.0, s)) for s in (square - reached, square, square + reached)
    )
    return [
        f"{100 * mean:.2f} +- {196 * error:.2f}",
        f"{100 * absolute:.2f}",
        f"{100 * noise:.2f}",
        f"{middle:.2f} ({low:.2f} to {high:.2f})",
    ]


def _cuts(records: Sequence[Record]) -> list[str]:
    own = [record for record in records if "variance" in record and record["variance"]["plain"][0] > DECIDED]
    costs = luck_costs(Rules())

    def rows() -> Iterator[list[str]]:
        for stage, part in _parts(own):
            if not part:
                continue
            (plain, paid), (full, _), (short, cheap) = (
                [sum(record["variance"][name][i] for record in part) / len(part) for i in range(2)]
                for name in ("plain", "full", "truncated")
            )
            paid /= costs
            yield [
                stage,
                f"{len(part)}",
                f"{plain:.4f}",
                f"{plain / full:.2f}",
                f"{plain / full / costs:.2f}",
                f"{plain / short:.1f}",
                f"{plain / short * paid / cheap:.1f}",
            ]

    return [
        "## What taking luck off saves",
        "",
        f"The variance of a game, one random choice, {SAMPLE} games a position.",
        f"A whole game with its luck takes {costs:.2f} times the CPU time of one without (4 players, blue).",
        "",
        *_table(
            [
                "stage",
                "positions",
                "plain",
                "full",
                "a CPU second",
                "truncated",
                "a CPU second",
            ],
            rows(),
        ),
        "Asked for: full 2 times in the middle; truncated 40 times a game.",
        "",
    ]


def records_of(seed: int, positions: int, kept: Path | None, threads: int) -> Iterator[Record]:
    """Positions 0, 1, ... measured; those in the file `kept` are not measured again, others are added."""
    done = [json.loads(line) for line in kept.read_text().splitlines()] if kept and kept.exists() else []
    yield from done[:positions]
    first = len(done)
    work = partial(_numbered, seed, first)
    for record in in_order(work, max(0, positions - first), threads=threads):
        if kept:
            with kept.open("a") as out:
                out.write(json.dumps(record) + "\n")
        yield record


def _numbered(seed: int, first: int, number: int) -> Record:
    return measure(seed, first + number)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    reader = argparse.ArgumentParser(prog="python -m cherrysim.calibration", description=__doc__)
    reader.add_argument("--positions", type=int, default=1000)
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--threads", type=int, default=cores())
    reader.add_argument("--out", default="reports/calibration.md")
    reader.add_argument("--kept", type=Path, help="a file to keep measured positions in, and go on from")
    told = reader.parse_args(arguments)
    measure(told.seed, 0)  # compiled here, where it can be interrupted
    found: list[Record] = []
    for record in records_of(told.seed, told.positions, told.kept, told.threads):
        found.append(record)
        print(f"\r{len(found)} of {told.positions} positions", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    command = f"python -m cherrysim.calibration --positions {told.positions} --seed {told.seed}"
    write_atomic(told.out, report(found, told.seed, command), force=True)


if __name__ == "__main__":
    main()
