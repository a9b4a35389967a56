"""The commands `play`, `compare` and `policies`: documents, words, refusals, progress and Ctrl-C."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cherrysim.cli import main
from cherrysim.contest import compare
from cherrysim.policy import FAMILIES
from cherrysim.rules import Rules
from cherrysim.simulate import play

ROOT = Path(__file__).parent.parent
PAIR = ["plan:3+2", "cautious:0.3"]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 0
    out, err = capsys.readouterr()
    assert all(line.startswith("cherrysim: compiling") for line in err.splitlines())
    assert out.isascii()
    assert max(map(len, out.splitlines())) < 80 or "--json" in arguments
    return out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    return err


def test_compare_prints_its_result(capsys: pytest.CaptureFixture[str]) -> None:
    found = compare(PAIR, games=3000, seed=5)
    assert run(capsys, "compare", *PAIR, "--games", "3000", "--seed", "5") == f"{found}\n"
    assert (
        json.loads(run(capsys, "compare", *PAIR, "--games", "3000", "--seed", "5", "--json"))
        == found.to_json()
    )
    assert str(found).splitlines()[0].startswith(f"{PAIR[0]} wins ")


def test_compare_with_a_precision_and_other_rules(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "three.toml").write_text('players = 3\nties = "pooled"\ncards = []\n')
    arguments = [*PAIR, "plan:2", "--rules", str(tmp_path / "three.toml"), "--precision", "0.05"]
    found = json.loads(run(capsys, "compare", *arguments, "--json"))
    assert (found["stopped"], found["rules"]) == ("precision", {"ties": "pooled"})
    assert len(found["differences"]) == 3
    for pair in found["differences"]:
        low, high = pair["share"]["interval"]
        assert (high - low) / 2 <= 0.05
    assert "rules  changed: ties" in run(capsys, "compare", *arguments)


def test_play_prints_its_result(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    found = play(PAIR, 500, 3, Rules.official(2, "pink"))
    arguments = ["play", "--players", "2", "--cards", "pink", "--policies", "plan:3+2, cautious:0.3"]
    arguments += ["--games", "500", "--seed", "3", "--threads", "1"]
    assert json.loads(run(capsys, *arguments, "--json")) == found.to_json()
    out = tmp_path / "games.csv"
    run(capsys, *arguments, "--out", str(out), "--json")
    assert len(out.read_text().splitlines()) == 1001
    assert "exists; nothing is overwritten" in refused(capsys, *arguments, "--out", str(out))
    run(capsys, *arguments, "--out", str(out), "--force", "--json")


def test_play_says_first_who_won_most_and_every_number_has_its_error() -> None:
    found = play(["plan:3+2", "random"], 500, 3, Rules.official(2, "pink"))
    lines = str(found).splitlines()
    assert " ".join(lines[:2]) == (
        "Seat 0 (plan:3+2) wins 82.2 +- 3.3 % of the victory, seat 1 (random) 17.8 +- 3.3 %"
    )
    assert max(map(len, lines)) < 80
    rows = [line for line in lines if line[:2] in ("0 ", "1 ")]
    assert [row.count("+-") for row in rows] == [4, 4, 5, 5, 3, 3]
    assert all(len(re.findall(r"\d\.\d", row)) == 2 * row.count("+-") for row in rows)
    even = play(["plan:3+2"], 50, 3, Rules.official(2, "pink"))
    assert str(even).startswith("Too close to call: seat ")


def test_policies_lists_them_all(capsys: pytest.CaptureFixture[str]) -> None:
    text, found = run(capsys, "policies"), json.loads(run(capsys, "policies", "--json"))["policies"]
    assert [policy["name"] for policy in found] == list(FAMILIES)
    assert all(family.example in text for family in FAMILIES.values())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["compare", *PAIR], "neither games nor precision"),
        (["compare", *PAIR, "--games", "5", "--precision", "0.1"], "games and precision"),
        (["compare", *PAIR, "--precision", "half"], "--precision: 'half' is no number from 0 to 1"),
        (
            ["compare", *PAIR, "--precision", "0.00001"],
            "precision 1e-05; it is a share of victory from 0.0001",
        ),
        (["compare", "--games", "5"], "0 policies; a contest of 4 players takes 2 or 4"),
        (["compare", "kept", "--games", "5"], "1 policy; a contest of 4 players takes 2 or 4"),
        (["compare", "kept", "clever", "--games", "5"], "unknown policy 'clever'"),
        (["compare", *PAIR, "--games", "1e3"], "'1e3' is not a whole number"),
        (["play", "--policies", "kept"], "play without --games; it needs one; see cherrysim play --help"),
        (["play", "--policies", "kept,kept", "--games", "5"], "2 policies; there are 4 seats"),
    ],
)
def test_refusals(capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    assert said in refused(capsys, *arguments)


def start(*arguments: str, **places: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "cherrysim", *arguments], cwd=ROOT, **places)


@pytest.mark.parametrize(
    "arguments",
    [
        ["compare", *PAIR, "--games", "2000000000"],
        ["play", "--policies", "plan:3+2", "--games", "2000000000"],
    ],
)
def test_ctrl_c_prints_what_is_known_within_half_a_second(arguments: list[str]) -> None:
    compare(PAIR, games=8)  # compiled and kept
    took = []
    for wait in (2, 6, 12, 12):  # a busy machine is given more time
        process = start(*arguments, "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(wait)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        pressed = time.monotonic()
        try:
            out, err = process.communicate(timeout=30)
        finally:
            process.kill()
        took.append(time.monotonic() - pressed)
        assert (process.returncode, err) == (130, b"")
        if not out:
            continue  # nothing was known yet
        found = json.loads(out)
        assert found["stopped"] == "interrupt"
        assert 0 < found["games"] < 2_000_000_000
        if took[-1] < 0.5:
            return
    pytest.fail(f"ended after {min(took):.1f} s")


@pytest.mark.parametrize(
    ("arguments", "named", "counted"),
    [
        (["compare", *PAIR, "--games", "4000"], b"Comparing", b" games, "),
        (["odds", "--method", "mc", "--plan", "3,2", "--samples", "20000000"], b"Simulating", b" plans, "),
    ],
    ids=["compare", "odds"],
)
def test_progress_is_shown_on_a_terminal_only(arguments: list[str], named: bytes, counted: bytes) -> None:
    leader, follower = pty.openpty()
    with os.fdopen(leader, "rb", buffering=0) as screen:
        process = start(*arguments, "--json", stdout=subprocess.PIPE, stderr=follower)
        os.close(follower)
        shown = b""
        try:
            while part := screen.read(4096):
                shown += part
        except OSError:
            pass  # the end of a terminal
        out, _ = process.communicate()
    assert named in shown
    assert counted in shown
    assert b"/s, left" in shown
    assert json.loads(out)
    quiet = start(*arguments, "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert quiet.communicate() == (out, b"")
