"""The report on how right the errors of games played on are, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import pi, sqrt
from statistics import median

from cherrysim import __version__
from cherrysim.calibration import (
    BIASES,
    CHOICES,
    DECIDED,
    LONGER,
    MOST,
    SAMPLE,
    SIZE,
    STAGES,
    Record,
    luck_costs,
)
from cherrysim.rollout import LEAST
from cherrysim.rules import Rules
from cherrysim.stats import quantile, wilson


def report(records: Sequence[Record], seed: int, command: str) -> str:
    """The report as Markdown."""
    return "\n".join(
        [
            "# How right the errors of rollouts are",
            "",
            _verdict(records),
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


def _verdict(records: Sequence[Record]) -> str:
    """How often the intervals held and the claims were right."""
    still, claims = list(filter(_open, records)), [record for record in records if "wrong" in record]
    return (
        f"**Of undecided positions the 95 % intervals hold the share in {_hits(still, 'fixed')} at a fixed "
        f"length and in {_hits(still, 'stopped')} however often one looks; of {len(claims)} claims that one "
        f"choice is best {sum(record['wrong'] for record in claims)} are wrong**"
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
        for name in BIASES:
            for stage, part in _parts(own):
                misses = [record["bias"][name] for record in part]
                if len(misses) > 1:
                    yield [name, stage, f"{len(misses)}", *_miss(misses, 100 if "share" in name else 1)]

    return [
        "## Truncated against full",
        "",
        "Truncated less full, undecided positions: of one choice, and of the difference of two; in points of",
        "share (hundredths) and in points. The noise of both is in the plain mean; it is taken out of the",
        "last columns by mean d^2 - mean noise^2, as if errors were normal.",
        "",
        *_table(
            [
                "of",
                "stage",
                "positions",
                "mean",
                "mean absolute",
                "of noise alone",
                "without noise",
                "root mean square",
            ],
            rows(),
        ),
        "Asked for: the mean absolute error of differences of share at most 0.7 points.",
        "",
    ]


def _miss(misses: Sequence[Sequence[float]], scale: int) -> list[str]:
    """The mean error; the mean absolute error, that of noise alone, that without noise, its mean square."""
    n, absolute = len(misses), sqrt(2 / pi)
    mean = sum(d for d, _ in misses) / n
    error = quantile(0.95) * sqrt(sum((d - mean) ** 2 for d, _ in misses) / (n - 1) / n)
    size = sum(abs(d) for d, _ in misses) / n
    noise = sum(absolute * sqrt(v) for _, v in misses) / n
    squares = [d * d - v for d, v in misses]
    square = sum(squares) / n
    reached = quantile(0.95) * sqrt(sum((s - square) ** 2 for s in squares) / (n - 1) / n)
    low, root, high = (scale * sqrt(max(0.0, s)) for s in (square - reached, square, square + reached))
    return [
        f"{scale * mean:.2f} +- {scale * error:.2f}",
        f"{scale * size:.2f}",
        f"{scale * noise:.2f}",
        f"{absolute * root:.2f} ({absolute * low:.2f} to {absolute * high:.2f})",
        f"{root:.2f}",
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
            usual = median(
                record["variance"]["plain"][0] / max(record["variance"]["truncated"][0], 1e-12)
                for record in part
            )
            yield [
                stage,
                f"{len(part)}",
                f"{plain:.4f}",
                f"{plain / full:.2f}",
                f"{plain / full / costs:.2f}",
                f"{usual:.0f}",
                f"{plain / short:.1f}",
                f"{plain / short * paid / cheap:.1f}",
            ]

    return [
        "## What taking luck off saves",
        "",
        f"The variance of a game, one random choice, {SAMPLE} games a position.",
        f"A whole game with its luck takes {costs:.2f} times the CPU time of one without (4 players, blue).",
        "Of truncated games those count most that go to the end, as all do that reach the last ten flowers.",
        "",
        *_table(
            [
                "stage",
                "positions",
                "plain",
                "full",
                "a CPU second",
                "truncated, median position",
                "all positions",
                "a CPU second",
            ],
            rows(),
        ),
        "Asked for: full 2 times in the middle; truncated 40 times a game.",
        "",
    ]
