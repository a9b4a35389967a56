"""The ladder of policies as a report: who beats whom at 2, 3 and 4 players, with blue and with pink cards.

    python -m cherrysim.ladder --out reports

The best limit of `cautious` and the best plan are searched for first: all candidates meet one rival in few
games, the better half goes on to twice as many, and the last three meet `points`, whom the best of them loses
least to. What is reported is then played from other bags than the search was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product
from pathlib import Path

import click

from cherrysim import __version__
from cherrysim.contest import Comparison, Difference, compare
from cherrysim.files import check_files, write_atomic
from cherrysim.rules import Rules

PLAYERS, CARDS = (2, 3, 4), ("blue", "pink")
BEST, RIVAL = "points", "cautious:0.25"
LIMITS = [f"cautious:{percent / 100:g}" for percent in range(5, 65, 5)]
PLANS = [
    f"plan:{'+'.join(map(str, sizes))}"
    for draws in (1, 2, 3)
    for sizes in product(range(1, 9), repeat=draws)
    if sum(sizes) <= 8
]
_LAST = 3
"""Candidates that meet the policy at the top."""


@dataclass(frozen=True, slots=True)
class Rung:
    """A policy and how it did against the one below it and against the one at the top."""

    policy: str
    below: Comparison | None
    top: Comparison | None


@dataclass(frozen=True, slots=True)
class Ladder:
    """One set-up's policies by how many of the others they beat, `points` above all."""

    rules: Rules
    cards: str
    rungs: tuple[Rung, ...]

    @property
    def broken(self) -> list[Difference]:
        """The differences whose lower end is not above 0."""
        found = {}
        for rung in self.rungs:
            for contest in (rung.below, rung.top):
                if contest is not None and contest.interval(contest.differences[0].share)[0] <= 0:
                    found[contest.differences[0].a, contest.differences[0].b] = contest.differences[0]
        return list(found.values())


def candidates(quick: bool = False) -> tuple[list[str], list[str]]:
    """The plans and the limits that are searched."""
    return (PLANS[8:40:8], LIMITS[3:7]) if quick else (PLANS, LIMITS)


def best_of(policies: Sequence[str], rules: Rules, games: int, seed: int, threads: int | None = None) -> str:
    """The policy that does best; `games` of each line-up are played in the last round."""
    left = list(policies)
    rounds = 0
    while len(left) > _LAST << rounds:
        rounds += 1
    for step in range(rounds, 0, -1):
        left = _sorted(left, RIVAL, rules, max(games >> step, 8), seed, threads)[: _LAST << (step - 1)]
    return _sorted(left, BEST, rules, games, seed, threads)[0]


def _sorted(
    policies: Sequence[str], rival: str, rules: Rules, games: int, seed: int, threads: int | None
) -> list[str]:
    """Policies by their share against a rival, the best first; the rival itself is worth no difference."""

    def worth(policy: str) -> float:
        if policy == rival:
            return 0.0
        return (
            compare([policy, rival], games, seed=seed, rules=rules, threads=threads)
            .differences[0]
            .share.value
        )

    return sorted(policies, key=worth, reverse=True)


def ladder(
    players: int, cards: str, games: int, seed: int = 0, threads: int | None = None, quick: bool = False
) -> Ladder:
    """The ladder of one set-up, `games` of each line-up in a comparison; `quick` takes few candidates."""
    rules = Rules.official(players, cards)
    found = [best_of(some, rules, games, seed, threads) for some in candidates(quick)]

    def against(better: str, other: str) -> Comparison:
        return compare([better, other], games, seed=seed + 1, rules=rules, threads=threads)

    others = ["random", *found, "kept"]
    tops = {policy: against(BEST, policy) for policy in others}
    pairs = {pair: against(*pair) for pair in combinations(others, 2)}
    won = Counter(
        pair.a if pair.share.value > 0 else pair.b
        for contest in pairs.values()
        for pair in contest.differences
    )
    order = sorted(others, key=lambda policy: won[policy])
    rungs = [Rung(order[0], None, tops[order[0]])]
    for lower, policy in pairwise(order):
        rungs.append(Rung(policy, pairs.get((policy, lower)) or against(policy, lower), tops[policy]))
    rungs.append(Rung(BEST, tops[order[-1]], None))
    return Ladder(rules, cards, tuple(rungs))


def report(ladders: Sequence[Ladder], games: int, seed: int, command: str, quick: bool = False) -> str:
    """The report as Markdown."""
    plans, limits = candidates(quick)
    lines = ["# The ladder of policies", "", _held(ladders), ""]
    lines.append(
        f"cherrysim {__version__}, `{command}`; {games:,} games of each line-up, every bag in all seatings; "
        f"searched with seed {seed}, reported with seed {seed + 1}. Differences are points of share "
        "(hundredths of a victory) a seat and final points a seat, +- half of their 95 % interval. `plan` "
        f"and `cautious` are the best that a search found: of {len(plans)} plans and {len(limits)} limits "
        f"those that lose least to `{BEST}`."
    )
    for found in ladders:
        lines += ["", f"## {_name(found)}", "", *_table(found)]
    return "\n".join(lines) + "\n"


def _held(ladders: Sequence[Ladder]) -> str:
    """Whether the order holds, and where it does not."""
    broken = [f"{pair.a} over {pair.b} ({_name(found)})" for found in ladders for pair in found.broken]
    if broken:
        return (
            "By the lower end of their 95 % intervals these are not certain: "
            + "; ".join(broken)
            + f". Every other policy beats the one below it, and `{BEST}` beats the rest."
        )
    return (
        "At every number of players and with all cards below, every policy beats the one under it and "
        f"`{BEST}` beats all: the lower end of each 95 % interval is above 0."
    )


def _name(found: Ladder) -> str:
    return f"{found.rules.players} players, {found.cards} cards"


def _table(found: Ladder) -> list[str]:
    lines = [
        f"| policy | over the one below: share | points | `{BEST}` over it: share | points |",
        "|---|---|---|---|---|",
    ]
    for rung in reversed(found.rungs):
        cells = [*_difference(rung.below), *_difference(rung.top)]
        lines.append(f"| `{rung.policy}` | {' | '.join(cells)} |")
    return lines


def _difference(contest: Comparison | None) -> list[str]:
    if contest is None:
        return ["", ""]
    cells = []
    for estimate, scale in ((contest.differences[0].share, 100), (contest.differences[0].score, 1)):
        low, high = contest.interval(estimate)
        cells.append(f"{scale * estimate.value:.2f} +- {scale * (high - low) / 2:.2f}")
    return cells


_FIGURES = ("share of victory by seat", "final scores", "error by games")


def _file(figure: str) -> str:
    return f"ladder-{figure.replace(' ', '-')}.svg"


@click.command()
@click.option("--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="A folder.")
@click.option("--games", default=8000, show_default=True, help="Of each line-up in every comparison.")
@click.option("--seed", default=0, show_default=True, help="Of the random numbers.")
@click.option("--threads", type=int, help="Computing side by side (default: one a core).")
@click.option("--quick", is_flag=True, help="Two players and few candidates: to try it out.")
@click.option("--force", is_flag=True, help="Overwrite ladder.md and its figures.")
def main(out: Path, games: int, seed: int, threads: int | None, quick: bool, force: bool) -> None:
    """Write ladder.md: who beats whom, with figures of the two best of the last set-up."""
    check_files(out, ("ladder.md", *map(_file, _FIGURES)), force)
    out.mkdir(parents=True, exist_ok=True)
    set_ups = [(2, "blue")] if quick else list(product(PLAYERS, CARDS))
    ladders = []
    for players, cards in set_ups:
        click.echo(f"cherrysim: {players} players, {cards} cards", err=True)
        ladders.append(ladder(players, cards, games, seed, threads, quick))
    command = f"python -m cherrysim.ladder --out {out} --games {games} --seed {seed}" + " --quick" * quick
    text = report(ladders, games, seed, command, quick) + _figures(ladders[-1], out, force)
    write_atomic(out / "ladder.md", text, force)


def _figures(found: Ladder, out: Path, force: bool) -> str:
    """Draw the top comparison of a set-up; the lines that show the figures."""
    from cherrysim.plots import error_by_games, save, score_distribution, share_by_seat

    top = found.rungs[-1].below
    assert top is not None
    drawn: list[Callable[[], object]] = [
        lambda: share_by_seat(top)[0],
        lambda: score_distribution(top),
        lambda: error_by_games(top),
    ]
    lines = ["", f"## `{BEST}` against `{found.rungs[-2].policy}`, {_name(found)}", ""]
    for name, draw in zip(_FIGURES, drawn, strict=True):
        file = _file(name)
        save(draw(), out / file, force)  # type: ignore[arg-type]
        lines.append(f"![{name}]({file})")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
