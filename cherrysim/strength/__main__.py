"""The command that writes strength.md and its figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from cherrysim import __version__, weights
from cherrysim.files import check_files, write_atomic
from cherrysim.rules import Rules
from cherrysim.stats import mean
from cherrysim.strength import checks, contests, habits

TOLD = "cherrysim: "
ENDS = ((4, "pink"), (3, "pink"))
"""Set-ups whose ends are solved: with Shin Sumizome's secrets not everybody knows the same."""
JUDGED = ((4, "blue", 2), (4, "pink", 4), (3, "blue", 8), (2, "blue", 8))
"""Set-ups whose positions rollouts judge, and which part of all positions each is."""


_FILES = ("strength.md", "strength-worth-of-flowers.svg", "strength-pushing.svg")


@click.command()
@click.option("--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="A folder.")
@click.option("--bags", default=1000, show_default=True, help="In every meeting, each with every seating.")
@click.option("--games", default=20_000, show_default=True, help="By which the value is held against games.")
@click.option("--ends", default=60, show_default=True, help="Ends that are solved exactly.")
@click.option("--positions", default=200, show_default=True, help="Positions judged by rollouts.")
@click.option("--seed", default=1, show_default=True, help="Of the random numbers.")
@click.option("--threads", type=int, help="Computing side by side (default: one a core).")
@click.option("--force", is_flag=True, help="Overwrite strength.md and its figures.")
def main(
    out: Path, bags: int, games: int, ends: int, positions: int, seed: int, threads: int | None, force: bool
) -> None:
    """Write strength.md: how strong `learned` is and what it has learned."""

    def told(text: str) -> None:
        click.echo(TOLD + text, err=True)

    command = (
        f"python -m cherrysim.strength --out {out} --bags {bags} --games {games} --ends {ends} "
        f"--positions {positions} --seed {seed}"
    )
    check_files(out, _FILES, force)
    out.mkdir(parents=True, exist_ok=True)
    met = contests.meetings(bags, seed, threads, told)
    parts = [
        "# How strong `learned` is",
        contests.verdict(met),
        f"cherrysim {__version__}, `{command}`. A share is the part of victories, shared ones divided; equal "
        "players have one over their number. Errors are standard errors unless it says an interval.",
        *_learning(),
        *_contests(met, bags, seed, threads, told),
        *_calibration(games, seed + 1000, threads, told),
        *_choices(ends, positions, seed + 2000, threads, told),
        *_habits(out, seed + 3000, told, force),
    ]
    write_atomic(out / "strength.md", "\n\n".join(parts) + "\n", force)


Told = Callable[[str], None]


def _learning() -> list[str]:
    lines = ["| command | squared miss of a predicted share, by games learned from |", "|---|---|"]
    for players, cards in contests.SETS:
        record = weights.shipped(Rules.official(players, cards)).record
        curve = record["curve"]
        step = max(1, len(curve) // 6)
        texts = ", ".join(f"{games:,}: {miss:.4f}" for games, miss in [*curve[:-1:step], curve[-1]])
        lines.append(f"| `{record['command']}` | {texts} |")
    return ["## How it learned", "\n".join(lines)]


def _contests(
    met: Sequence[contests.Meeting], bags: int, seed: int, threads: int | None, told: Told
) -> list[str]:
    table = contests.checkpoints(Rules(), max(bags // 4, 50), seed + 500, threads, told)
    every = 50 * _learn_every()
    return [
        "## Alone among others",
        "Each bag is played with the single policy in every seat.",
        "\n".join(contests.meeting_lines(met)),
        "## Earlier weights against each other",
        f"Four players, blue cards, {max(bags // 4, 50):,} bags: the share of the row's weights, alone among "
        "the column's; self-play that goes in circles would show shares above .25 left of the diagonal.",
        "\n".join(contests.checkpoint_lines(table, every)),
    ]


def _learn_every() -> int:
    from cherrysim.learn import PAST_EVERY

    return PAST_EVERY


def _calibration(games: int, seed: int, threads: int | None, told: Told) -> list[str]:
    parts = [
        "## Is the value right?",
        f"Points of share realised beyond those predicted, by decile of the predicted share, {games:,} games "
        "of `learned` among itself from other seeds than those it was fitted by; a ! marks what is off by "
        "more than 2 points and three standard errors, these from the spread over parts of the games.",
    ]
    for players, cards in contests.SETS:
        cells = checks.calibration(Rules.official(players, cards), games, seed, threads, told)
        off = sum(not cell.fits for cell in cells)
        parts += [
            f"{players} players, {cards} cards: {off} of {len(cells)} cells are off.",
            "\n".join(checks.cell_lines(cells)),
        ]
    return parts


def _choices(ends: int, positions: int, seed: int, threads: int | None, told: Told) -> list[str]:
    lines = ["| players | cards | judged by | positions | lost, points of share | worst choice loses |"]
    lines.append("|---|---|---|---|---|---|")
    for players, cards in ENDS:
        lost = checks.ends(Rules.official(players, cards), ends // len(ENDS), seed, told)
        own, worst = (100 * sum(values) / len(lost) for values in zip(*lost, strict=True))
        lines.append(f"| {players} | {cards} | exact solution | {len(lost)} | {own:.2f} | {worst:.1f} |")
    judged = []
    for players, cards, part in JUDGED:
        leads = checks.referee(Rules.official(players, cards), positions // part, seed, threads, told)
        lines.append(f"| {players} | {cards} | rollouts | {_leads(leads)} | |")
        judged += leads
    lines.append(f"| all | of these | rollouts | {_leads(judged)} | |")
    return [
        "## Are its choices right?",
        f"Ends: positions of its own games with at most {checks.MOST_END} flowers in bag and hand, nothing "
        f"secret, whose best and worst choices differ by at least {100 * checks.APART:.0f} points. Rollouts: "
        "any position of its own games; the pick of full rollouts by one half of them, its lead measured on "
        "the other.",
        "\n".join(lines),
    ]


def _leads(leads: Sequence[float]) -> str:
    """How many, their mean in points, and the upper end of that."""
    found = mean([100 * lead for lead in leads])
    upper = found.value + 1.645 * found.standard_error
    return f"{found.n} | {found.value:.2f} +- {found.standard_error:.2f}, upper 95 % end {upper:.2f}"


def _habits(out: Path, seed: int, told: Told, force: bool) -> list[str]:
    from cherrysim.plots import save
    from cherrysim.plots.strength import pushing, worth_of_flowers

    parts = ["## What it has learned", "Four players; the worth of a flower is for a seat with a quarter."]
    for cards in ("blue", "pink"):
        told(f"habits, {cards} cards")
        rules = Rules.official(4, cards)
        found = habits.stages(rules, 400, seed)
        parts += [
            f"### {cards.title()} cards",
            " ".join(habits.sentences(found, rules)),
            "\n".join(habits.stage_lines(found, rules)),
        ]
        if cards == "blue":
            save(worth_of_flowers(rules), out / "strength-worth-of-flowers.svg", force)
            save(pushing(found), out / "strength-pushing.svg", force)
            parts += [
                "![What a flower in front is worth, by flowers left](strength-worth-of-flowers.svg)",
                "![How often turns fail and something is hidden, by flowers left](strength-pushing.svg)",
                "\n".join(habits.worth_lines(rules)),
            ]
    return parts


if __name__ == "__main__":
    main()
