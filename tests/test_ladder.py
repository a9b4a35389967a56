"""The ladder: its search, its order, its report."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from cherrysim import ladder
from cherrysim.contest import compare
from cherrysim.flowers import Refused
from cherrysim.rules import Rules


def test_plans_and_limits_are_all_that_a_turn_allows() -> None:
    assert len(ladder.PLANS) == len(set(ladder.PLANS)) == 8 + 28 + 56
    assert (ladder.LIMITS[0], ladder.LIMITS[-1]) == ("cautious:0.05", "cautious:0.6")


def test_the_search_finds_the_plan_that_loses_least(monkeypatch: pytest.MonkeyPatch) -> None:
    """All candidates played out against the rival, with another policy at the top to save time."""
    monkeypatch.setattr(ladder, "BEST", "cautious:0.3")
    rules, some = Rules.official(3), ladder.PLANS[::7]
    apart = {
        plan: compare([plan, ladder.BEST], 2000, seed=3, rules=rules).differences[0].share for plan in some
    }
    best = max(apart.values(), key=lambda share: share.value)
    found = apart[ladder.best_of(some, rules, 2000, seed=3)]
    assert found.value >= best.value - 3 * best.standard_error
    worst = min(apart.values(), key=lambda share: share.value)
    assert worst.value < best.value - 3 * best.standard_error


def test_a_report_is_one_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = ["--out", "reports", "--games", "60", "--quick", "--threads", "1"]
    done = CliRunner().invoke(ladder.main, arguments)
    assert done.exit_code == 0, done.output
    text = Path("reports/ladder.md").read_text()
    assert "`python -m cherrysim.ladder --out reports --games 60 --seed 0 --quick`" in text
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| `")]
    assert rows[0][0] == "| `points`"
    assert len(rows) == 5
    for line in text.splitlines():
        if line.startswith("!["):
            assert Path("reports", line.partition("](")[2].rstrip(")")).exists()
    with monkeypatch.context() as patch:
        patch.setattr(ladder, "ladder", lambda *_: pytest.fail("played"))
        for name in ("reports", "reports/ladder.md/new"):
            with pytest.raises(Refused, match=r"nothing is overwritten|not a directory"):
                CliRunner().invoke(ladder.main, ["--out", name], catch_exceptions=False)
    assert CliRunner().invoke(ladder.main, [*arguments, "--force"]).exit_code == 0
    assert Path("reports/ladder.md").read_text() == text


def test_an_order_that_does_not_hold_is_said() -> None:
    rules = Rules.official(2)
    lost = compare(["cautious:0.2", "plan:3+2"], 200, rules=rules)
    won = compare(["plan:3+2", "cautious:0.2"], 200, rules=rules)
    rungs = (ladder.Rung("plan:3+2", None, won), ladder.Rung("cautious:0.2", lost, None))
    found = ladder.Ladder(rules, "blue", rungs)
    assert [(pair.a, pair.b) for pair in found.broken] == [("cautious:0.2", "plan:3+2")]
    assert "these are not certain: cautious:0.2 over plan:3+2 (2 players, blue cards)" in ladder.report(
        [found], 200, 0, "a command"
    )
    held = ladder.Ladder(rules, "blue", rungs[:1])
    assert held.broken == []
    assert "every policy beats the one under it" in ladder.report([held], 200, 0, "a command")
