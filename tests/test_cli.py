"""The command line: answers, refusals, exit codes and the places it has to work in."""

import json
import os
import pty
import resource
import shutil
import signal
import stat
import statistics
import subprocess
import sys
import time
from fractions import Fraction
from math import comb
from pathlib import Path

import pytest

from cherrysim import Belief, Flowers, Rules, ask, odds
from cherrysim.cli import main
from cherrysim.cli.commands import COMMANDS
from cherrysim.explain import explain

ROOT = Path(__file__).parent.parent
LATE = ["--seen", "P9 Y8 L7 D10 W6 B2", "--hand", "PYY"]


class Answer:
    """What a command did: its exit code and what it printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str) -> str:
        code = main(list(arguments))
        out, err = self._capsys.readouterr()
        told = [
            line for line in err.splitlines() if "compiling, once" not in line
        ]  # said by whoever is first
        assert (code, told) == (0, [])
        assert max(map(len, out.splitlines())) < 80 or "--json" in arguments
        assert out.isascii()
        assert not any(line.lstrip().startswith("%") for line in out.splitlines())
        return out

    def json(self, *arguments: str) -> dict[str, object]:
        document = json.loads(self(*arguments, "--json"))
        assert isinstance(document, dict)
        return document

    def refused(self, *arguments: str) -> str:
        code = main(list(arguments))
        out, err = self._capsys.readouterr()
        assert (code, out) == (2, "")
        assert err.startswith("cherrysim: ")
        assert err.endswith("\n")
        assert err.count("\n") == 1
        assert err.count(";") >= 1, "a refusal says more than what is wrong"
        return err.removeprefix("cherrysim: ").strip()


@pytest.fixture
def answer(capsys: pytest.CaptureFixture[str]) -> Answer:
    return Answer(capsys)


def test_ask_prints_the_text_of_its_result(answer: Answer) -> None:
    asked = ask(seen="P9 Y8 L7 D10 W6 B2", hand="PYY")
    assert answer("ask", *LATE) == f"{asked}\n"
    assert answer.json("ask", *LATE) == asked.to_json()


def test_ask_json_is_the_documented_one(answer: Answer) -> None:
    found = answer.json("ask", "--hand", "PYY", "--draws-used", "1")
    assert found["options"][1] == {
        "action": "draw", "draw": 1, "value": 3.6909770920991116, "standard_error": 0.0,
        "fail": 0.23655913978494625, "then": "stop 18 %, draw 1 more 58 %, fails 24 %",
    }  # fmt: skip
    assert found["advantage"] == pytest.approx(0.6909770920991116, rel=1e-15)
    assert found | {"options": 0, "bag": 0, "assumptions": 0, "advantage": 0} == {
        "bag": 0, "hand": Flowers.parse("PYY").to_json(), "draws_used": 1, "draws_left": 2, "value": "kept",
        "unit": "flowers", "advice": {"action": "draw", "draw": 1}, "close_call": False, "tied": [],
        "options": 0, "advantage": 0, "method": "exact", "assumptions": 0, "seed": None,
    }  # fmt: skip


def test_odds_json_is_the_documented_one(answer: Answer) -> None:
    found = answer.json("odds", "--plan", "2,2,1,0")
    assert found["stages"][0] == {"draw": 2, "reach": 1.0, "fail_at": 0.0, "fail_if_reached": 0.0}
    assert found | {"stages": 0, "bag": 0, "hand": 0} == {
        "bag": 0, "hand": 0, "draws_used": 0, "plan": [2, 2, 1], "method": "exact",
        "fail": 0.5012311354166503, "fail_exact": "2553107/5093672", "stages": 0, "standard_error": 0.0,
    }  # fmt: skip
    found = answer.json("odds", "--hand", "PPYY")
    assert list(found) == ["bag", "hand", "rows"]
    assert found["rows"][0] == {"draw": 1, "fail": 19 / 46, "fail_exact": "19/46"}
    assert len(found["rows"]) == 4


def test_explain_json_is_the_documented_one(answer: Answer) -> None:
    hand = Flowers.parse("PPYY")
    assert answer.json("explain", "--hand", "PPYY") == {
        "hand": hand.to_json(), "size": 4, "failed": False, "conditions": [], "keep": [],
        "cards": ["shin_sumizome"], "hide": ["P", "Y"],
    }  # fmt: skip
    found = answer.json("explain", "--hand", "PYLDB", "--cards", "pink")
    assert (found["failed"], found["conditions"], found["cards"], found["hide"]) == (True, ["five"], [], [])
    assert [Flowers.of(kept).letters for kept in found["keep"]] == ["PY", "PL", "PD", "YL", "YD", "LD"]
    assert answer.json("explain")["size"] == 0


def test_the_game_and_the_bag_asked_for(answer: Answer, tmp_path: Path) -> None:
    (tmp_path / "four.toml").write_text('players = 3\nalike = 4\ncounts = "P9 Y9 L9"\n')
    (tmp_path / "game.json").write_text('[{"draw": "PPP"}, {"return": {"pink": 2}}]')
    found = answer.json("odds", "--rules", str(tmp_path / "four.toml"), "--hand", "PPP")
    assert found["rows"][0]["fail_exact"] == "1/4"
    found = answer.json("odds", "--players", "2", "--history", str(tmp_path / "game.json"), "--plan", "4")
    assert found["fail_exact"] == "1322887/6406400"
    assert answer.json("ask", "--players", "3")["bag"] == Rules.official(3).counts.to_json()
    known = answer.json("odds", "--players", "2", "--bag", "P4 Y2 L2", "--set-aside", "0", "--plan", "3")
    assert known["fail_exact"] == "1/14"
    both = answer.json("ask", "--front", "P3", "--value", "front", "--hand", "PY")
    assert (both["bag"]["pink"], both["unit"]) == (14, "points")
    assert both["options"][0]["value"] == -1.0  # P4 Y1 in front instead of P3: 3 - 3 - 1


def test_hidden_tokens_by_option_and_by_history_agree(answer: Answer, tmp_path: Path) -> None:
    (tmp_path / "game.json").write_text('[{"draw": "PYLDW"}, {"secret": 1}]')
    by_history = answer.json("odds", "--players", "3", "--history", str(tmp_path / "game.json"))
    by_option = answer.json("odds", "--players", "3", "--seen", "PYLDW", "--set-aside", "1")
    assert by_history == by_option
    (tmp_path / "game.json").write_text('[{"draw": "PPP"}, {"return": "PP"}]')
    told = ["--history", str(tmp_path / "game.json"), "--plan", "4"]
    belief = Belief.of(Rules().counts, 2).draw(Flowers(3)).put_back(Flowers(2))
    assert answer.json("odds", *told, "--set-aside", "2")["fail"] == float(odds(belief, [4]).fail)
    assert answer.json("odds", *told)["fail"] == float(odds("P17 Y18 L18 D18 W18 B6", [4]).fail)


def test_an_empty_bag_is_answered_with_flowers_in_hand_only(answer: Answer) -> None:
    for empty in (["--bag", ""], ["--bag", "-"], ["--players", "2", "--bag", "PYL"]):
        found = answer.json("ask", *empty, "--hand", "PP")
        assert (found["advice"], found["advantage"]) == ({"action": "stop"}, None)
        assert "the bag is empty" in answer.refused("odds", *empty, "--hand", "PP")
        assert "the bag is empty" in answer.refused("ask", *empty)


def test_words_of_the_verdict(answer: Answer) -> None:
    def verdict(*arguments: str) -> str:
        return answer("ask", *arguments).splitlines()[0]

    assert verdict() == "Draw 2"
    assert verdict(*LATE) == "Draw 1 more"
    assert verdict("--hand", "PPYYLLD") == "Stop"
    assert verdict("--bag", "P1", "--hand", "PY", "--draws-used", "2") == "Draw 1 more"
    assert verdict("--bag", "W1 L1", "--hand", "PY") == "Draw 1 or 2 more: equal, take the one you like"
    assert verdict("--bag", "P2", "--hand", "PPYY") == "Stop"


def test_a_line_never_breaks_inside_what_follows(answer: Answer) -> None:
    assert answer("ask").count("\n" + " " * 43 + "draw 3 more 17 %\n") == 1


def test_words_on_ties_near_ties_and_breaking_even(answer: Answer, tmp_path: Path) -> None:
    assert "Drawing 1 or 4 gives up only 0.0022 flowers: about equal, take the one you like" in " ".join(
        answer("ask").split()
    )
    (tmp_path / "flat.toml").write_text("front_table = [0]\n")
    flat = answer("ask", "--rules", str(tmp_path / "flat.toml"), "--value", "front", "--hand", "PY")
    assert flat.startswith("Stop, draw 1, 2, 3, 4, 5 or 6 more: equal, take the one you like\n")
    assert "it would pay below 1 in 6 (16.7 %)" in " ".join(answer("ask", "--hand", "PPYYLLD").split())
    assert "All 3 draws are used." in answer("ask", "--hand", "PPY", "--draws-used", "3")
    assert "A turn allows 8 flowers." in answer("ask", "--hand", "PPYYLLDD")
    assert "The bag is empty." in answer("ask", "--bag", "-", "--hand", "P")
    assert "\ndraw 1  2.000      best   never" in answer("ask", "--bag", "B6")
    assert "\ndraw 2  2.000     equal   never" in answer("ask", "--bag", "B6")
    (tmp_path / "one.toml").write_text("draws = 1\nflowers = 1\n")
    one = answer("ask", "--rules", str(tmp_path / "one.toml"), "--hand", "P")
    assert "The only draw is used." in one
    assert "1 flower, 1 of 1 draw used" in one


def test_breaking_even_is_where_stopping_and_drawing_are_worth_the_same() -> None:
    asked = ask(hand="PYY")
    option = asked.best
    even = asked.break_even(option)
    assert even is not None
    failed = asked.turn.after_draw(asked.at.hand.counts, option.draw)[1]
    bust = sum(p * asked.turn.valuation.bust[s] for s, p in enumerate(failed)) / option.fail
    safe = (option.value - option.fail * bust) / (1 - option.fail)
    assert even * bust + (1 - even) * safe == asked.options[0].value


@pytest.mark.parametrize("hand", ["", "PPYYB", "BBB", "PYLDW", "PPYY", "PPYYLLDD", "PYB"])
def test_explain_in_words(answer: Answer, hand: str) -> None:
    said = answer("explain", "--hand", hand)
    found = explain(hand)
    assert ("has failed" in said) == found.failed
    assert ("safe" in said.splitlines()[0]) != found.failed
    if found.room:
        unsafe = {k for k in "PYLDWB" if explain(Flowers.of(hand) + Flowers.parse(k)).failed}
        assert set(found.next_fails) == unsafe


def test_explain_names_only_flowers_the_game_still_has() -> None:
    rules = Rules(counts=Flowers.parse("P2 Y3 B1"))
    assert explain("PPY", rules).next_fails == ("B",)
    assert (explain("PPYY", rules).room, explain("PPY B", rules).room) == (2, 0)


def test_explain_in_words_says_what_a_failure_keeps(answer: Answer) -> None:
    assert "PY, PL, PD, PW, YL, YD, YW, LD, LW or DW in front" in answer("explain", "--hand", "PYLDW")
    assert "only blacks were collected" in answer("explain", "--hand", "BBB")
    assert "fails with pink, yellow or black" in answer("explain", "--hand", "PPYY")


BAD_COUNTS = ("1e1", "1_8", "１８", "-1", "+1", "2.5", "NaN", "٣")


@pytest.mark.parametrize("count", BAD_COUNTS)
def test_counts_that_are_no_plain_numbers(answer: Answer, count: str) -> None:
    for option in ("--bag", "--seen", "--hand", "--front"):
        assert answer.refused("ask", option, f"P{count}").startswith(f"{option}: ")
        assert answer.refused("ask", option, f"pink={count}").startswith(f"{option}: ")
    assert answer.refused("ask", "--players", count).startswith("--players: ")
    assert answer.refused("ask", "--set-aside", count).startswith("--set-aside: ")
    assert answer.refused("odds", "--hand", "P", "--draws-used", count).startswith("--draws-used: ")
    assert answer.refused("odds", "--plan", count).endswith("write it as 2,2,1")
    assert answer.refused("odds", "--plan", f"2,{count}").endswith("write it as 2,2,1")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("ask --bag P19 --front Y2", "19 pink in bag; this game has 18 (4 players)"),
        ("ask --bag P18 --hand P", "19 pink in bag and hand; this game has 18"),
        ("ask --players 3 --seen B6 --hand P", "6 black in seen; this game has 5 (3 players)"),
        ("ask --value front --front P19", "19 pink in front; this game has 18"),
        ("ask --seen P10 --hand P2 --front P9", "21 pink in seen, hand and front; this game has 18"),
        ("ask --hand PPYYLLDDW", "is 9 flowers; a turn allows 8"),
        ("odds --hand PPP", "has already failed (3 alike)"),
        ("ask --hand PYLDW", "has already failed (5 different)"),
        ("odds --plan 9", "a turn allows 8; draw at most 8"),
        ("odds --hand PPY --plan 6", "hand PPY + draw 6 is 9 flowers; a turn allows 8; draw at most 5"),
        ("odds --plan 1,1,1,1", "the plan has 4 draws"),
        ("odds --hand PP --draws-used 2 --plan 1,1", "plan at most 1"),
        ("odds --plan 0", "at least one flower must be drawn"),
        ("odds --plan 2,0,1", "0 (stop) may only end a plan"),
        ("odds --plan 2,,1", "is not a plan"),
        ("ask --hand PP --draws-used 4", "a turn allows 0 to 3"),
        ("ask --draws-used 1", "1 draw used for 0 flowers"),
        ("ask --hand P --draws-used 2", "2 draws used for 1 flower; a draw takes at least 1"),
        ("ask --players 2 --bag P", "1 flower of which 3 are not in the bag"),
        ("ask --hand P --draws-used 0", "0 draws used with P in hand"),
        ("ask --hand PY --draws-used 3", "3 draws used for 2 flowers"),
        ("ask --bag P3Y1P2", "counts pink twice"),
        ("ask --bag 3blue", "blue is light or dark"),
        ("ask --bag 3green", "unknown flower"),
        ("ask --cards sakura", "unknown card 'sakura'"),
        ("ask --cards shin_sumizome,sakuya_hime", "shin_sumizome and sakuya_hime are one card"),
        ("ask --players 5", "a whole number from 2 to 4"),
        ("ask --bag P3 --seen Y2", "--bag, --seen and --history each say what is in it; keep one"),
        ("odds --bag -", "the bag is empty"),
        ("ask --bag -", "the bag is empty and nothing is in hand"),
        ("ask --players 2 --bag PY", "2 flowers of which 3 are not in the bag"),
        ("ask --value win", "value win needs a table"),
        ("ask --value score", "value score needs a table"),
        ("ask --value luck", "unknown value 'luck'"),
        ("ask --plot chart.pdf", "charts are .svg or .png"),
        ("ask --rules missing.toml", "cannot be read: no such file"),
        ("ask --history missing.json", "cannot be read: no such file"),
        ("explain --hand PPYYLLDDW", "is 9 flowers; a turn allows 8"),
        ("explain --hand B7", "7 black in hand; this game has 6"),
        ("ask --hand P --hand Y", "--hand is given more than once"),
        ("ask --hand P1 Y2", "unexpected argument 'Y2'"),
        ("ask --hand --json", "--hand is followed by '--json'; it needs a value"),
        ("ask --hand", "'--hand' requires an argument; see cherrysim ask --help"),
        ("ask --colour P", "unknown option --colour"),
        ("ask --fron P", "did you mean --front"),
        ("ask --json=1", "'--json' does not take a value"),
        ("aks", "unknown command 'aks'; there are ask, odds, explain"),
        ("--colour", "unknown option --colour"),
    ],
)
def test_refusals_are_one_helpful_line(answer: Answer, arguments: str, said: str) -> None:
    assert said in answer.refused(*arguments.split())


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\0" * (1 << 20) + b"x", "at most 1 MiB is read"),
        (b"players = 3\n" + b"\xff\xfe", "is not UTF-8 at byte 13"),
        (b"players = 3\n\0", "holds a zero byte"),
        (b"players = \n", "not readable as TOML"),
        (b"players = 5", "players is 5; it is a whole number from 2 to 4"),
        (b"colours = 3", "colours"),
        (b'counts = "P1e1"', "not whole and plain"),
        (b"counts = 3", "is not flowers"),
        (b"counts = {pink = 1.5}", "pink is 1.5"),
        (b"players = 3\nplayers = 3", "not readable as TOML"),
        (b'warm = [9]\nties = "odd"', "line 1, warm: warm is (9,); it is 3 whole numbers"),
    ],
)
def test_files_of_rules_that_are_refused(answer: Answer, tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "rules.toml").write_bytes(content)
    line = answer.refused("odds", "--rules", str(tmp_path / "rules.toml"))
    assert said in line
    assert "rules.toml" in line


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{}", "a history is a list"),
        ("null", "a history is a list"),
        ("[" + "9" * 5000 + "]", "a number of 5000 digits"),
        ('[{"secret": 1e999}]', "'1e999' is not a number"),
        ('[{"draw": "P18 Y18 L18 D18 W18 B6"}, {"secret": 0}]', "1 flower drawn in secret from 0"),
        ("[", "not readable as JSON at line 1"),
        ("[NaN]", "NaN is not a number"),
        ('[{"draw": "P"}, {"draw": "P", "return": "P"}]', "history entry 2: "),
        ('[{"draw": "P", "draw": "Y"}]', "the key 'draw' stands twice"),
        ('[{"drew": "P"}]', "history entry 1: "),
        ('[{"draw": "P19"}]', "history entry 1: P19 cannot be drawn"),
        ('[{"draw": "PP"}, {"return": "PY"}]', "history entry 2 returns P1 Y1; fewer than that"),
        ('[{"draw": "P"}, {"return": "P"}, {"return": "P"}]', "history entry 3 returns P1; fewer than that"),
        ('[{"draw": 3}]', "history entry 1: 3 is not flowers"),
        ('[{"secret": 4}]', "history entry 1: seat 4; seats are 0 to 3"),
        ('[{"secret": true}]', "history entry 1: seat True"),
    ],
)
def test_histories_that_are_refused(answer: Answer, tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "game.json").write_text(content)
    assert said in answer.refused("odds", "--history", str(tmp_path / "game.json"))


def test_an_answer_says_what_it_takes_for_granted(answer: Answer, tmp_path: Path) -> None:
    (tmp_path / "four.toml").write_text("alike = 4\n")
    (tmp_path / "game.json").write_text('[{"draw": "P"}, {"secret": 1}, {"return": "P"}]')

    def said(*arguments: str) -> str:
        found = answer.json("ask", *arguments)["assumptions"]
        assert isinstance(found, list)
        return "; ".join(found[2:])

    assert said() == ""
    assert said("--players", "2", "--bag", "P4 Y2") == (
        "3 of the 6 flowers listed as the bag are not in it; which ones is unknown"
    )
    assert said("--history", str(tmp_path / "game.json")) == (
        "6 possible bags, weighted by the history of draws and returns"
    )
    (tmp_path / "late.json").write_text('[{"draw": "PPB"}, {"return": "PB"}, {"secret": 1}]')
    late = ("--players", "2", "--history", str(tmp_path / "late.json"))
    hidden = comb(9, 4)  # ways for four flowers of six colours to be away, three put aside and the secret one
    assert said(*late) == f"{hidden} possible bags, weighted by the history of draws and returns"
    assert f"64 flowers, the mean of {hidden} possible" in answer("ask", *late)
    assert "1 of those listed is not in it" in answer("ask", "--players", "2", "--set-aside", "1")
    assert said("--rules", str(tmp_path / "four.toml")) == "rules changed: alike 4"


def test_what_excludes_each_other(answer: Answer, tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text("")
    (tmp_path / "game.json").write_text('[{"draw": "P18"}]')
    rules, game = str(tmp_path / "rules.toml"), str(tmp_path / "game.json")
    assert "leave them out" in answer.refused("ask", "--rules", rules, "--players", "3")
    assert "leave them out" in answer.refused("ask", "--rules", rules, "--cards", "pink")
    assert "keep one" in answer.refused("ask", "--history", game, "--bag", "P1")
    assert "P1 cannot be drawn" in answer.refused("ask", "--history", game, "--hand", "P")
    assert "19 pink" in answer.refused("ask", "--history", game, "--front", "P19")


def test_bags_of_a_thousand_million_are_exact(answer: Answer, tmp_path: Path) -> None:
    many = 10**9
    (tmp_path / "many.toml").write_text(f'counts = "P{many} Y{many} L{many} D{many} W{many} B{many}"\n')
    found = answer.json("odds", "--rules", str(tmp_path / "many.toml"), "--plan", "1,1")
    assert found["fail"] == 0
    found = answer.json("odds", "--rules", str(tmp_path / "many.toml"), "--hand", "PP")
    assert Fraction(found["rows"][0]["fail_exact"]) == Fraction(2 * many - 2, 6 * many - 2)
    assert answer("ask", "--rules", str(tmp_path / "many.toml"))


def test_charts_are_written_once(answer: Answer, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    chart = tmp_path / "ask.svg"
    assert main(["ask", *LATE, "--plot", str(chart)]) == 0
    assert capsys.readouterr().err == f"Chart: {chart}\n"
    first = chart.read_bytes()
    assert b"<svg" in first
    assert "nothing is overwritten; use --force" in answer.refused("ask", "--plot", str(chart))
    assert chart.read_bytes() == first
    assert main(["ask", *LATE, "--plot", str(chart), "--force"]) == 0
    assert chart.read_bytes() == first
    capsys.readouterr()
    assert "cannot be written" in answer.refused("ask", *LATE, "--plot", str(tmp_path / "no" / "ask.png"))


def test_a_chart_with_a_strange_name_is_named_in_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["ask", *LATE, "--plot", str(tmp_path / "a\n\x1b[31m.svg")]) == 0
    assert capsys.readouterr().err == f"Chart: {tmp_path}/a ?[31m.svg\n"


def test_a_chart_without_a_home_says_nothing_more(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = _run("ask", *LATE, "--plot", str(tmp_path / "a.svg"), env=PLAIN | {"HOME": str(tmp_path / "file")})
    assert (done.returncode, done.stderr) == (0, f"Chart: {tmp_path}/a.svg\n")


def test_odds_of_one_draw_say_what_several_would_change_only_where_there_are_several(answer: Answer) -> None:
    assert "In several draws these flowers fail as often" in answer("odds", "--hand", "P")
    assert "In several draws" not in answer("odds", "--hand", "PY", "--draws-used", "2")


def test_version_and_help(answer: Answer) -> None:
    from cherrysim import __version__

    assert answer("--version") == f"cherrysim {__version__}\n"
    assert answer() == answer("--help") == answer("-h")
    for command in COMMANDS:
        assert "--json" in answer(command, "--help")


def test_a_failure_of_ours_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("three\nlines\x1b[31m")

    monkeypatch.setattr("cherrysim.sampled.draw_odds", broken)
    assert main(["odds"]) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "internal error, RuntimeError" in err
    assert "\x1b" not in err
    monkeypatch.setenv("CHERRYSIM_DEBUG", "1")
    with pytest.raises(RuntimeError):
        main(["odds"])


def _run(*arguments: str, **settings: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cherrysim", *arguments]
    return subprocess.run(command, **({"capture_output": True, "text": True, "cwd": ROOT} | settings))


PLAIN = {"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.mark.parametrize(
    "environment",
    [
        PLAIN,  # no HOME, no locale, no TERM
        PLAIN | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        PLAIN | {"LC_ALL": "POSIX", "PYTHONIOENCODING": "ascii"},
        PLAIN | {"NO_COLOR": "1", "COLUMNS": "80", "TERM": "dumb"},
        PLAIN | {"COLUMNS": "20", "HOME": "/nonexistent"},
    ],
)
def test_every_environment_gives_the_same_text(environment: dict[str, str]) -> None:
    assert _run("ask", *LATE, env=environment).stdout == f"{ask(seen=LATE[1], hand=LATE[3])}\n"
    refused = _run("ask", "--hand", "Pé", env=environment)
    assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)


@pytest.mark.parametrize(
    "settings", [{"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"PYTHONIOENCODING": "ascii"}]
)
def test_names_that_a_terminal_cannot_show_are_no_failure(tmp_path: Path, settings: dict[str, str]) -> None:
    (tmp_path / "table.json").write_text('{"seats": [{"name": "Zo\\u00eb"}, {}]}')
    done = _run("score", str(tmp_path / "table.json"), env=PLAIN | {"LC_ALL": "C"} | settings)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Zo? " in done.stdout


def test_streams_that_are_closed_hold_nothing_and_take_anything() -> None:
    def closed(arguments: str) -> tuple[int, str, str]:
        shell = ["sh", "-c", f'exec "$0" -m cherrysim {arguments}', sys.executable]
        done = subprocess.run(shell, capture_output=True, text=True, cwd=ROOT)
        return done.returncode, done.stdout, done.stderr

    code, out, error = closed("ask --table - <&-")
    assert (code, out) == (2, "")
    assert error.startswith("cherrysim: --table: in standard input: a table without seats; ")
    assert closed("ask --batch <&-") == (0, "", "")
    assert closed("ask --hand PYY >&-") == (0, "", "")
    assert closed("ask --batch >&- <&-") == (0, "", "")
    assert closed("odds --hand PPP 2>&-") == (2, "", "")
    assert closed("odds --method mc --plan 2 --samples 1000 2>&-")[0] == 0


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    shutil.copytree(
        ROOT / "cherrysim", tmp_path / "cherrysim", ignore=shutil.ignore_patterns("__pycache__", "*.nb?")
    )
    before = sorted(tmp_path.rglob("*"))
    folders = [tmp_path, *(path for path in before if path.is_dir())]
    for folder in folders:
        folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        done = _run("ask", *LATE, cwd=tmp_path, env=PLAIN)
    finally:
        for folder in folders:
            folder.chmod(stat.S_IRWXU)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Draw 1 more\n")
    assert sorted(tmp_path.rglob("*")) == before  # root could write there, and must not


def test_a_terminal_gets_a_bold_verdict_and_nothing_else() -> None:
    def on_terminal(**environment: str) -> str:
        leader, follower = pty.openpty()
        with os.fdopen(leader, "rb", buffering=0) as screen:
            done = _run("ask", *LATE, capture_output=False, stdout=follower, env=PLAIN | environment)
            os.close(follower)
            said = b""
            try:
                while part := screen.read(4096):
                    said += part
            except OSError:
                pass  # the end of a terminal
        assert done.returncode == 0
        return said.decode().replace("\r\n", "\n")

    plain = f"{ask(seen=LATE[1], hand=LATE[3])}\n"
    assert on_terminal(TERM="xterm") == plain.replace("Draw 1 more", "\x1b[1mDraw 1 more\x1b[0m", 1)
    assert on_terminal(TERM="xterm", NO_COLOR="1") == plain
    assert on_terminal(TERM="dumb") == plain


def test_a_reader_who_goes_away_is_no_error() -> None:
    for arguments in ("ask", "odds", "ask --help"):
        process = subprocess.Popen(
            [sys.executable, "-m", "cherrysim", *arguments.split()],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ROOT,
        )
        process.stdout.close()
        assert (process.wait(), process.stderr.read()) == (0, b"")
        process.stderr.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_an_answer_that_cannot_be_written_is_a_failure() -> None:
    with open("/dev/full", "w") as full:
        done = _run("odds", capture_output=False, stdout=full, stderr=subprocess.PIPE)
    said = "cherrysim: no space left on device: not all is written; make room, or write elsewhere\n"
    assert (done.returncode, done.stderr) == (1, said)
    with open("/dev/full", "w") as full:
        assert _run("ask", "--hand", "PPP", capture_output=False, stderr=full).returncode == 2


def test_ctrl_c_ends_within_half_a_second(tmp_path: Path) -> None:
    (tmp_path / "slow.toml").write_text("alike = 5\ndifferent = 6\nflowers = 12\ndraws = 5\n")
    (tmp_path / "long.json").write_text(json.dumps([{"secret": 0}, {"draw": "PY"}, {"return": "PY"}] * 8))
    command = ["ask", "--rules", str(tmp_path / "slow.toml"), "--history", str(tmp_path / "long.json")]
    took = []
    for _ in range(3):  # a busy machine is tried again
        process = subprocess.Popen(
            [sys.executable, "-m", "cherrysim", *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ROOT,
        )
        time.sleep(1)
        assert process.poll() is None, "the question is too easy for this test"
        process.send_signal(signal.SIGINT)
        pressed = time.monotonic()
        try:
            out, err = process.communicate(timeout=30)
        finally:
            process.kill()
        took.append(time.monotonic() - pressed)
        assert (process.returncode, out, err) == (130, b"", b"")
        if took[-1] < 0.5:
            return
    pytest.fail(f"ended after {min(took):.1f} s")


def _cpu(cache: Path, *arguments: str) -> float:
    """Seconds of processor time of one Python process that finds its modules compiled in a folder."""
    settings = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    settings["PYTHONPYCACHEPREFIX"] = str(cache)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=settings, stdout=subprocess.DEVNULL, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where Python keeps the modules it has compiled."""
    return tmp_path_factory.mktemp("compiled")


@pytest.mark.parametrize(
    ("arguments", "most"),
    [(["odds", "--plan", "2,2,1"], 8), (["odds"], 8), (["ask", *LATE], 10), (["ask"], 20)],
)
def test_a_process_takes_a_few_times_as_long_as_bare_python(
    arguments: list[str], most: float, compiled: Path
) -> None:
    _cpu(compiled, "-m", "cherrysim", *arguments)
    for times in (2, 5, 5, 5):  # a busy machine is measured again
        pairs = [
            (_cpu(compiled, "-m", "cherrysim", *arguments), _cpu(compiled, "-c", "pass"))
            for _ in range(times)
        ]
        took, bare = (statistics.median(column) for column in zip(*pairs, strict=True))
        if took <= most * bare:
            return
    pytest.fail(f"{took / bare:.1f} times bare Python; at most {most}")


def test_no_line_of_the_help_is_cut_short(answer: Answer) -> None:
    assert "..." not in answer("--help").partition("Commands:")[2]
