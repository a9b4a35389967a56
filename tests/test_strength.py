"""The report of strength: shares add up, what does not fit is told, habits count every turn once."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from cherrysim.policy import parse
from cherrysim.rules import Rules
from cherrysim.stats import Estimate
from cherrysim.strength import checks, contests, habits
from cherrysim.strength.__main__ import main


def test_the_better_policy_has_more_and_equal_ones_have_their_part() -> None:
    rules = Rules.official(2)
    strong = contests.alone(rules, parse("kept"), parse("plan:3+2"), 120, 1, 2)
    weak = contests.alone(rules, parse("plan:3+2"), parse("kept"), 120, 1, 1)
    assert strong.value > 0.6
    assert weak.value == pytest.approx(1 - strong.value)  # the same games, seen from the other side
    assert contests.alone(rules, parse("kept"), parse("kept"), 60, 1, 1).value == pytest.approx(0.5)


def test_a_cell_fits_within_two_points_or_three_errors() -> None:
    assert checks.Cell(0, 5, 1000, 0.5, 0.519, 0.001).fits
    assert checks.Cell(0, 5, 1000, 0.5, 0.55, 0.02).fits
    assert not checks.Cell(0, 5, 1000, 0.5, 0.55, 0.01).fits


def test_the_verdict_is_that_of_the_first_set_up() -> None:
    pairs = [("learned", "kept"), ("kept", "learned"), ("points", "learned"), ("learned:fast", "learned")]
    shares = [Estimate(0.7, 0.01, 800), Estimate(0.0, 0.0, 800), *[Estimate(0.2, 0.01, 800)] * 2]
    met = [
        contests.Meeting(Rules.official(players), "blue", *pair, share)
        for players in (4, 3)
        for pair, share in zip(pairs, shares if players == 4 else shares[::-1], strict=True)
    ]
    said = contests.verdict(met)
    assert "`kept` wins 70.0 % (67.4 to 72.5 at 99 %) of the victory, where an equal wins 25 %; among" in said
    assert "`kept` wins 0.0 % (0.0 to 0.8 at 99 %), `points` wins 20.0 % (17.6 to 22.7 at 99 %)" in said


def test_habits_count_every_turn_once() -> None:
    found = habits.stages(Rules(), 3, 1)
    turns = sum(stage.turns for stage in found)
    assert 60 < turns < 120
    assert all(sum(stage.hidden.values()) == stage.successes for stage in found)
    assert all(used <= able for stage in found for used, able in stage.cards.values())


@pytest.mark.slow
def test_ends_are_played_well() -> None:
    said: list[str] = []
    lost = checks.ends(Rules.official(4, "pink"), 2, 77, said.append)
    assert all(own <= worst for own, worst in lost)
    assert sum(own for own, _ in lost) < 0.02


@pytest.mark.slow
def test_the_report_is_written_whole(tmp_path: Path) -> None:
    small = ["--bags", "2", "--games", "80", "--ends", "2", "--positions", "16"]
    found = CliRunner().invoke(main, ["--out", str(tmp_path), *small], catch_exceptions=False)
    assert found.exit_code == 0
    text = (tmp_path / "strength.md").read_text()
    assert text.count("\n## ") == 6
    assert (tmp_path / "strength-pushing.svg").exists()
