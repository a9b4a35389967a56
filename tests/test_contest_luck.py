"""Luck taken off comparisons: the same games, the same mean whatever the model says, smaller errors."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from cherrysim.contest import compare
from cherrysim.contest.bags import Contest, kernel_arguments
from cherrysim.contest.lineups import line_ups
from cherrysim.flowers import Refused
from cherrysim.rules import Rules
from cherrysim.simulate import arrays

FALSE_ALARM = 1e-4
"""The rate at which a right program fails a test."""
TABLES = (
    (["learned", "points"], 4, "blue", {}),
    (["kept", "plan:3+2"], 3, "pink", {"luck_adjusted": True}),
    (["random", "points:slip=0.3"], 2, "blue", {"luck_adjusted": True}),
    (["cautious:0.3", "learned"], 2, "none", {"luck_adjusted": True}),
)


@pytest.mark.parametrize(("names", "players", "cards", "asked"), TABLES[:3])
def test_the_games_are_those_of_plain_comparisons(
    names: list[str], players: int, cards: str, asked: dict[str, Any]
) -> None:
    rules = Rules.official(players, cards)
    found = compare(names, 20, rules=rules, threads=1, **asked)
    plain = compare(names, 20, rules=rules, threads=1, luck_adjusted=False)
    assert found.sha256 == plain.sha256
    assert found.differences[0].share == plain.differences[0].share
    assert plain.differences[0].luck_adjusted is None
    assert "luck_adjusted" not in plain.to_json()["differences"][0]
    assert found.to_json()["differences"][0]["luck_adjusted"]["interval_kind"] == "fixed"
    assert "luck-adjusted" in str(found)


def luck(names: list[str], players: int, cards: str, games: int, far_off: bool) -> Any:
    """The luck of the seats in games of the first seating; `far_off` spoils the model."""
    from cherrysim.kernels.adjusted import play_adjusted

    rules = Rules.official(players, cards)
    contest = Contest(rules, line_ups(names, rules), 7, adjusted=True)
    numbers, policies, roller, log = kernel_arguments(contest)[0]
    if far_off:
        rng = np.random.default_rng(1)
        for solver in (roller.judge, roller.solver):
            solver.weights[:] += rng.normal(0, 0.5, solver.weights.shape)
    rows, found = arrays.room(rules, games), np.zeros(games * players, np.int64)
    assert play_adjusted(0, games, np.uint64(5), numbers, policies, roller, log, rows, found) == games
    return found.reshape(games, players) / 12_000


def worst(found: Any) -> float:
    """The largest of the seats' mean luck, in standard errors."""
    return float(np.abs(found.mean(axis=0) / found.std(axis=0, ddof=1) * np.sqrt(len(found))).max())


@pytest.mark.parametrize("games", [100, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("far_off", [False, True])
def test_luck_averages_nothing_whatever_the_model_says(games: int, far_off: bool) -> None:
    found = [worst(luck(*table[:3], games, far_off)) for table in TABLES]
    assert max(found) < stats.t.isf(FALSE_ALARM / 2 / 4 / len(TABLES), games - 1)


@pytest.mark.slow
def test_two_hundred_comparisons_agree_and_their_errors_are_smaller() -> None:
    """The raw less the adjusted difference is the mean luck: nothing on average over 200 comparisons, and
    seldom beyond the error of the raw difference, of which it is a part."""
    pairs = [compare(["learned", "points"], 24, seed=seed).differences[0] for seed in range(200)]
    adjusted = [pair.luck_adjusted for pair in pairs if pair.luck_adjusted is not None]
    errors = np.array(
        [(a.share.standard_error, b.standard_error) for a, b in zip(pairs, adjusted, strict=True)]
    )
    luck = np.array([a.share.value - b.value for a, b in zip(pairs, adjusted, strict=True)])
    assert abs(luck.mean()) < 4 * luck.std(ddof=1) / np.sqrt(len(luck))
    beyond = int((np.abs(luck) > stats.t.isf(0.025, 23) * errors[:, 0]).sum())
    assert stats.binomtest(beyond, len(luck), 0.05, "greater").pvalue > FALSE_ALARM
    raw, less = np.sqrt(np.square(errors).mean(axis=0))
    assert raw / less > 1.25


def test_turns_of_one_flower_have_no_luck_to_take_off() -> None:
    rules = Rules(flowers=1)
    assert compare(["points", "learned"], 4, rules=rules).differences[0].luck_adjusted is None
    with pytest.raises(Refused, match="turns of 1 flower; luck is taken off where turns have 2"):
        compare(["points", "kept"], 4, rules=rules, luck_adjusted=True)
