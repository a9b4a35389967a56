"""The report on the errors of rollouts: positions by number, a file to go on from, what is counted."""

import json
from pathlib import Path

import pytest

from cherrysim import calibration
from cherrysim.calibration import SET_UPS, STAGES, Record, measure, only, position, text
from cherrysim.calibration.__main__ import main
from cherrysim.policy import parse
from cherrysim.rollout.starts import question
from cherrysim.stats import Estimate


def test_positions_are_of_all_set_ups_and_stages() -> None:
    drawn = [position(3, number) for number in range(36)]
    assert {(d.table.rules.players, d.stage) for d in drawn} == {(p, s) for p, _ in SET_UPS for s in STAGES}
    for d in drawn:
        part = d.table.bag_size / d.table.rules.counts.total * 3
        assert STAGES.index(d.stage) < part <= STAGES.index(d.stage) + 1
    assert position(3, 7) == drawn[7] != position(4, 7)


def test_a_question_with_some_choices_has_their_starts_alone() -> None:
    asked = question(position(1, 24).table, parse("learned"))
    few = only(asked, [1, 0])
    assert few.moves == (asked.moves[1], asked.moves[0])
    assert few.chances.shape == (2, len(few.starts)) == (2, len(few.shares))
    assert few.chances.sum(axis=1) == pytest.approx([1, 1])
    assert few.chances @ few.shares == pytest.approx(asked.chances[[1, 0]] @ asked.shares)


def test_what_covers_is_seen() -> None:
    short, truth = Estimate(0.50, 0.01, 16), Estimate(0.53, 0.01, 40)
    assert calibration._covers(short, 0.03, truth)
    assert calibration._covers(short, 0.024, truth)  # by the reference's own error
    assert not calibration._covers(short, 0.02, truth)


def test_a_measurement_is_its_number_s_and_a_kept_file_is_gone_on_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, n in {"LONGER": 1, "MOST": 64, "TRUNCATED": 80, "SAMPLE": 16}.items():
        monkeypatch.setattr(calibration, name, n)
    monkeypatch.setattr(text, "luck_costs", lambda rules: 1.25)
    kept, out = tmp_path / "kept", tmp_path / "calibration.md"
    common = ["--seed", "2", "--kept", str(kept), "--out", str(out)]
    main(["--positions", "2", *common])
    lines = kept.read_text().splitlines()
    main(["--positions", "3", *common])
    assert kept.read_text().splitlines()[:2] == lines
    again = json.loads(lines[1])
    for name, value in measure(2, 1).items():
        assert value == again[name] or name == "variance"  # which holds seconds
    assert "--positions 3 --seed 2`: 3 positions, seed 2" in out.read_text()


def records(covered: int, n: int) -> list[Record]:
    return [
        {
            "stage": "late",
            "method": "rollout",
            "truth": 0.4,
            "fixed": i < covered,
            "stopped": True,
            "wider": 1.5,
            "wrong": i == 0,
            "bias": {"decided": False} | {name: [0.02, 0.0003] for name in calibration.BIASES},
        }
        for i in range(n)
    ]


def test_the_report_says_what_was_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "luck_costs", lambda rules: 1.25)
    told = text.report(records(80, 100), 5, "the command")
    assert (
        "| rollout | late | 100 | 100 | 80.0% (71.1% to 86.7%) | 80.0% | 100.0% (96.3% to 100.0%) | 1.50 |"
        in told
    )
    assert "100 claims, 1 of them wrong" in told
    assert "hold the share in 80.0% (71.1% to 86.7%) at a fixed length and in 100.0% (96.3% to" in told
    assert "of 100 claims that one choice is best 1 are wrong**" in told
    # a miss of 2 points, its noise of 1.73 taken out, leaves 1 root mean square: 0.80 on average
    assert (
        "| share difference | all | 100 | 2.00 +- 0.00 | 2.00 | 1.38 | 0.80 (0.80 to 0.80) | 1.00 |" in told
    )
