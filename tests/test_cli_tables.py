"""Tables and records at the command line: score, replay, ask --table, and files that are refused."""

import io
import json
import sys
import time
import unicodedata
from functools import cache
from pathlib import Path

import pytest
from test_cli import Answer

from cherrysim import Flowers, Refused, Table, ask
from cherrysim.endgame import solve_end
from cherrysim.layers import MOST_FLOWERS
from cherrysim.moves import Draw, Hide, Keep, Overdraw, Pick, Place, Stop, Take, UseCard
from cherrysim.recordfile import read_record, table_in
from cherrysim.records import replay
from cherrysim.tablefile import table_of
from cherrysim.tablewords import move_text
from cherrysim.words import in_columns

RECORD = str(Path(__file__).parent.parent / "reports" / "example.record")
SOLVED = cache(solve_end)
GAME = read_record(Path(RECORD).read_text())
LATE = {
    "rules": {"players": 3, "counts": "P6 Y6 L3 D2 W3 B2", "cards": ["kokonoe", "komatsu_otome"]},
    "seats": [
        {"name": "Ann", "front": "P2 Y1"},
        {"name": "Zoe", "front": "Y2 L1 D1", "behind": "W1 B1"},
        {"name": "=1+1", "front": "P2 Y1 L1", "behind": "W1"},
    ],
}


@pytest.fixture(autouse=True)
def _solved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same late table is solved once for all tests."""
    monkeypatch.setattr("cherrysim.layers.solve_end", SOLVED)


@pytest.fixture
def answer(capsys: pytest.CaptureFixture[str]) -> Answer:
    return Answer(capsys)


def written(folder: Path, document: object) -> str:
    (folder / "table.json").write_text(document if isinstance(document, str) else json.dumps(document))
    return str(folder / "table.json")


def late(**changes: object) -> dict[str, object]:
    """A table of LATE's game with two flowers or three in the bag, the others in front of Ann."""
    table = LATE | changes
    held = Flowers.parse(str(changes.get("hand", "-")))
    bag = Flowers.parse(str(table.pop("inside", "P1 L1")))
    out = [Flowers.parse(seat.get(place, "-")) for seat in LATE["seats"] for place in ("front", "behind")]
    rest = Flowers.parse(LATE["rules"]["counts"]) - bag - held - sum(out, Flowers())
    if "bonus" in changes:
        rest = rest - Flowers.parse(changes["bonus"]["drawn"])
    ann, *others = LATE["seats"]
    return table | {"seats": [ann | {"front": str(Flowers.parse(ann["front"]) + rest)}, *others]}


def test_score_reads_tables_and_records(answer: Answer, tmp_path: Path) -> None:
    assert answer("score", RECORD) == f"{replay(GAME).score()}\n"
    assert answer.json("score", RECORD) == replay(GAME).score().to_json()
    seats = [{"front": "P4 Y2", "behind": "D3"}, {"front": "D9 B1"}, {"behind": "P2"}]
    found = answer.json("score", written(tmp_path, {"seats": seats}))
    assert found["players"][0]["front"]["pink"] == {"count": 4, "points": 3}
    assert found["players"][0]["cool"] == {"count": 3, "place": 1, "points": 16}
    (tmp_path / "table.toml").write_text(
        '[[seats]]\nfront = "P4 Y2"\nbehind = "D3"\n[[seats]]\nfront = "D9 B1"\n[[seats]]\nbehind = "P2"\n'
    )
    assert answer.json("score", str(tmp_path / "table.toml")) == found


@pytest.mark.parametrize("at", [0, 1, 7, 20, 21])
def test_replay_shows_every_turn_and_gives_table_files(answer: Answer, tmp_path: Path, at: int) -> None:
    text = answer("replay", RECORD, "--at", str(at))
    where = {0: "Before the first turn", 21: "In turn 21, which goes on"}.get(at, f"After turn {at} of 21")
    assert text == f"{where}\n\n{replay(GAME, at)}\n"
    document = answer.json("replay", RECORD, "--at", str(at))
    assert table_of(document).to_json() == document
    assert answer("score", written(tmp_path, document)) == f"{replay(GAME, at).score()}\n"


def test_numbers_wider_than_the_terminal_are_printed_all_the_same() -> None:
    wide = "-3018604.9 +- 432806.2"
    heads, *rest = in_columns([tuple("sabcde"), ("seat", *[wide] * 5)], "<>>>>").splitlines()
    assert heads.split() == list("sabcde")
    assert rest[0] == "seat"
    assert rest[1].count(wide) == 4


def test_long_names_fit_80_columns(answer: Answer, tmp_path: Path) -> None:
    names = [letter * 60 for letter in "NOQ"]
    text = Path(RECORD).read_text()
    for short, name in zip(("Ann", "Ben", "Cy"), names, strict=True):
        text = text.replace(short, name)
    (tmp_path / "game.record").write_text(text)
    for command in (["replay"], ["score"], ["ask", "--table"]):
        answer(*command, str(tmp_path / "game.record"))  # which measures every line
    longest = str(replay(read_record(text)))
    assert max(map(len, longest.splitlines())) > 79, "the test has nothing to wrap"


def test_the_exact_end_is_the_solvers(answer: Answer, tmp_path: Path) -> None:
    file = written(tmp_path, late(hand="PY"))
    end, found = solve_end(table_of(late(hand="PY"))), answer.json("ask", "--table", file)
    assert [row["share"]["mean"] for row in found["options"]] == [float(o.shares[0]) for o in end.options]
    assert [row["score"]["mean"] for row in found["options"]] == [float(o.scores[0]) for o in end.options]
    assert [row["margin"]["mean"] for row in found["options"]] == [float(o.margins[0]) for o in end.options]
    assert found["advice"] == end.best.move.to_json()
    assert (found["method"], found["value"], found["unit"]) == ("exact", "win", "of victory")
    for row in found["options"]:
        assert row["games"] == 0
        assert row["value"] == row["share"]["mean"]
        for name in ("share", "score", "margin", "difference"):
            mean = row[name]["mean"]
            assert row[name] == {
                "mean": mean, "standard_error": 0.0, "interval": [mean, mean], "interval_kind": "exact",
            }  # fmt: skip
    shares = [row["value"] for row in found["options"]]
    assert [row["difference"]["mean"] for row in found["options"]] == [
        pytest.approx(share - max(shares), abs=1e-15) for share in shares
    ]
    assert found["advantage"] == pytest.approx(max(shares[1:]) - shares[0])
    assert found["options"][1]["then"]
    assert "then" not in found["options"][0]


def test_share_and_score_may_want_different_moves(answer: Answer) -> None:
    win = answer.json("ask", "--table", RECORD)
    score = answer.json("ask", "--table", RECORD, "--value", "score")
    assert (win["advice"]["draw"], score["advice"]["draw"]) == (1, 2)
    assert [row["share"] for row in win["options"]] == [row["share"] for row in score["options"]]
    assert score["options"][2]["difference"]["mean"] == 0 == score["options"][2]["difference"]["interval"][1]
    assert [row["fail"] for row in win["options"]] == [0, 0, 1 / 6, 1 / 2, 1]
    assert "Draw 2 more" in answer("ask", "--table", RECORD, "--value", "score").splitlines()[0]


PHASES = {
    "collect": {"hand": "PY"},
    "display": {"hand": "PYLD", "draws_used": 2, "phase": "display", "inside": "P1 W1"},
    "bonus": {
        "hand": "PYLD", "draws_used": 2, "phase": "bonus", "inside": "Y1",
        "bonus": {"card": "komatsu_otome", "drawn": "P1 W1 B1"},
    },
    "hide": {"hand": "PY", "phase": "hide"},
    "keep": {"hand": "PPYWB", "inside": "L1 D1"},
}  # fmt: skip


@pytest.mark.parametrize("phase", PHASES)
def test_every_phase_is_answered(answer: Answer, tmp_path: Path, phase: str) -> None:
    table = table_of(late(**PHASES[phase]))
    assert table.phase == phase
    file = written(tmp_path, late(**PHASES[phase]))
    found = answer.json("ask", "--table", file)
    end, advice = solve_end(table), ask(table=table)
    moves = [option.move.to_json() for option in end.options]
    assert [
        {key: row[key] for key in move} for row, move in zip(found["options"], moves, strict=True)
    ] == moves
    assert answer("ask", "--table", file) == f"{advice}\n"
    assert list(advice.frame()["move"]) == [move_text(table, option.move) for option in end.options]
    if phase != "collect":
        line = answer.refused("ask", "--table", file, "--value", "kept")
        assert line == f"phase {phase}; value kept answers stop or draw; ask for win or score"


def test_moves_in_words() -> None:
    table = table_of({"seats": [{"name": "Ann"}, {"name": "Ben"}], "hand": "PPYYLL"})
    said = {
        UseCard("sakuya_hime", Pick("B", "front"), (Take("P", 1),)): (
            "use Sakuya Hime, give Ben B from the front, take P from Ben"
        ),
        UseCard("somei_yoshino", Pick("P", "hand")): "use Somei Yoshino, hide P from the hand",
        UseCard(
            "kokonoe", None, (Take("P", 1), Take("L", 1))
        ): "use Kokonoe, take P from Ben, take L from Ben",
        UseCard("shin_sumizome"): "use Shin Sumizome",
        Place((("P", "front"), ("B", 1))): "lay P in front and B in front of Ben",
        Place((("B", "behind"),)): "lay B behind",
        Keep(Flowers.parse("PL")): "keep P and L",
        Keep(Flowers()): "keep nothing",
        Hide(None): "hide nothing",
        Hide("D"): "hide dark blue",
        Stop(): "stop",
        Draw(2): "draw 2 more",
        Overdraw(3): "draw 3, too many",
    }
    assert {move: move_text(table, move) for move in said} == said


def test_equal_moves_are_named_or_counted(answer: Answer, tmp_path: Path) -> None:
    worthless = {"front_table": [0], "warm": [0, 0, 0], "cool": [0, 0, 0], "set_aside": 0, "cards": []}
    table = {"rules": worthless | {"counts": "P5 L1 W1"}, "seats": [{"front": "P5"}, {}]}
    found = answer.json("ask", "--table", written(tmp_path, table))
    assert [move["draw"] for move in found["tied"]] == [1, 2]
    assert found["close_call"]
    verdict = answer("ask", "--table", written(tmp_path, table)).splitlines()[0]
    assert verdict == "Every choice is equal, take the one you like"
    table = {
        "rules": {"cards": ["sakuya_hime", "somei_yoshino", "kenrokuen_kumagai"]},
        "seats": [
            {"front": "P2 Y7 L3 D1 W2 B1", "behind": "P3 L3 D2 W2 B2"},
            {"front": "P2 Y1 L3 D5 W5", "behind": "P1 Y3 L1 W1"},
            {"front": "P5 Y2 L2 D2 W2 B1", "behind": "Y2 L3 D3 W1 B1"},
        ],
        "to_move": 1,
        "hand": "PDW",
    }
    verdict = answer("ask", "--table", written(tmp_path, table)).splitlines()[0]
    assert verdict == "Draw 1 more, draw 2 more or draw 3 more: equal, take the one you like"
    alone = answer.json("ask", "--table", RECORD)
    assert (alone["close_call"], alone["tied"]) == (False, [])


def test_kept_and_front_use_all_that_the_history_tells(answer: Answer, tmp_path: Path) -> None:
    events = [{"draw": "PPP"}, {"return": "PP"}, {"draw": "YL"}]
    table = {"seats": [{"front": "P1 Y1 L1"}, {}], "to_move": 1, "history": events, "hand": "PY"}
    (tmp_path / "game.json").write_text(json.dumps(events))
    told = ["--players", "2", "--hand", "PY", "--history", str(tmp_path / "game.json")]
    by_table = answer.json("ask", "--table", written(tmp_path, table), "--value", "kept")
    by_history = answer.json("ask", *told)
    assert by_table["options"] == by_history["options"]
    assert "3 flowers were set aside unseen before the game" in by_table["assumptions"]
    assert any("possible bags" in said for said in by_table["assumptions"])
    unknown = answer.json("ask", "--table", written(tmp_path, table | {"history": None}), "--value", "kept")
    assert unknown["options"] != by_table["options"], "the history makes no difference: no test"
    assert any(said.startswith("No history is given") for said in unknown["assumptions"])
    own = table | {"seats": [{}, {"front": "P1 Y1 L1"}]}
    front = answer.json("ask", "--table", written(tmp_path, own), "--value", "front")
    told += ["--front", "P1 Y1 L1", "--value", "front"]
    assert front["options"] == answer.json("ask", *told)["options"]
    assert "set aside unseen" in answer("ask", "--table", written(tmp_path, own), "--value", "front")


def test_a_record_is_asked_at_its_last_event_like_its_table(answer: Answer, tmp_path: Path) -> None:
    table = written(tmp_path, answer.json("replay", RECORD))
    for value in ("kept", "front", "win"):
        by_record = answer.json("ask", "--table", RECORD, "--value", value)
        assert by_record == answer.json("ask", "--table", table, "--value", value)


def test_standard_input(answer: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    class Typed:
        buffer = io.BytesIO(Path(RECORD).read_bytes())

    monkeypatch.setattr(sys, "stdin", Typed)
    assert answer("score", "-") == f"{replay(GAME).score()}\n"
    Typed.buffer = io.BytesIO(b"{")
    assert answer.refused("score", "-").startswith("in standard input: not readable as JSON at line 1")


@pytest.mark.parametrize(
    ("option", "given"),
    [
        ("--hand", "P"), ("--bag", "P"), ("--seen", "P"), ("--players", "3"), ("--cards", "none"),
        ("--front", "P"), ("--draws-used", "1"), ("--set-aside", "0"),
    ],
)  # fmt: skip
def test_what_a_table_holds_is_not_said_again(answer: Answer, option: str, given: str) -> None:
    said = answer.refused("ask", "--table", RECORD, option, given)
    assert said == f"--table holds what {option} says; it is said once; leave {option} out"


EXACTLY = ["--method", "exact"]


def test_tables_that_cannot_be_answered_exactly(answer: Answer, tmp_path: Path) -> None:
    early = answer.refused("ask", "--table", written(tmp_path, {"seats": [{}, {}]}), *EXACTLY)
    assert early == (
        f"66 flowers are in the bag and in the middle; share and score are exact up to {MOST_FLOWERS}; "
        "ask later in the game, or by --method instant"
    )
    secret = late()
    secret["seats"][2] = secret["seats"][2] | {"secret": 1}
    assert "=1+1's screen is secret" in answer.refused("ask", "--table", written(tmp_path, secret), *EXACTLY)
    over = {"rules": {"counts": "P9", "set_aside": 0}, "seats": [{"front": "P9"}, {}]}
    for value in ("win", "kept"):
        refused = answer.refused("ask", "--table", written(tmp_path, over), "--value", value)
        assert refused == "the game is over; nothing is left to decide; see cherrysim score"
    chart = ["--plot", str(tmp_path / "chart.svg")]
    display = written(tmp_path, late(**PHASES["display"]))
    assert answer.refused("ask", "--table", display, *chart) == (
        "phase display; the chart shows stopping against drawing; ask in phase collect"
    )
    assert "unknown value 'fun'" in answer.refused("ask", "--table", RECORD, "--value", "fun")
    with pytest.raises(Refused, match="a table holds bag, hand"):
        ask("P9", table=Table.start(GAME.rules))
    with pytest.raises(Refused, match="; it is a Table; write"):
        ask(table={"seats": [{}, {}]})


def test_many_tables_end_in_a_refusal_within_seconds(answer: Answer, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("cherrysim.layers.MOST_TABLES", 300)
    said = answer.refused("ask", "--table", RECORD, *EXACTLY)
    assert said == (
        "more than 300 tables can follow; the exact endgame visits 300; "
        "ask later in the game, or by --method instant"
    )


BAD = {
    "empty": (b"", "a table without seats"),
    "binary": (bytes(range(256)), "is not UTF-8 at byte"),
    "zero": (b"{\0}", "holds a zero byte"),
    "utf-16": ('{"seats": [{}, {}]}'.encode("utf-16"), "is not UTF-8 at byte 1"),
    "large": (b" " * (50 << 20), "is longer than 1048576 bytes"),
    "truncated": (b'{"seats": [{"front": "P3"}, {"na', "not readable as JSON at line 1, column"),
    "truncated toml": (b"[[seats]\n", "not readable as TOML"),
    "wrong counts": (b'{"seats": [{"front": "P14"}, {}]}', "14 pink in front of Seat 0; this game has 13"),
    "wrong number": (b'{"seats": [{"front": "P-1"}, {}]}', "signed number"),
    "one seat": (b'{"seats": [{}]}', "players is 1; it is a whole number from 2 to 4"),
    "unknown key": (b'{"seats": [{}, {}], "bags": "P"}', "unknown key 'bags'"),
    "wrong bag": (b'{"seats": [{}, {}], "bag": "P1"}', "bag P1; the game's flowers less those on the table"),
    "event": (b'{"seats": [{}, {}], "history": [{"draw": "P1"}]}', "history leaves P1 out of the bag"),
    "twice": (b'{"seats": [{}, {}], "seats": []}', "the key 'seats' stands twice"),
    "array": (b"[]", "not readable as TOML"),
}
HEAD = b"cherrysim record 1\nplayers Ann, Ben\n"
BAD_RECORDS = {
    "no players": (b"cherrysim record 1\n", "line 2: the file ends without players"),
    "impossible draw": (HEAD + b"1. Ann: PPYYLL | LLLLLLLLLLLL -> hide P\n", "line 3: "),
    "failure": (HEAD + b"# a comment\n1. Ann: PPP -> hide P\n", "line 4: hide"),
    "wrong player": (HEAD + b"1. Ben: PY -> hide P\n", "line 3: turn 1 is Ann's, not Ben's"),
    "early end": (HEAD + b"1. Ann: PY -> hide P\nend\n", "line 4: end with"),
    "cut short": (HEAD + b"1. Ann: PY -> hi", "line 3: 'hi' is not understood"),
}


@pytest.mark.parametrize("command", [["score"], ["ask", "--table"]])
@pytest.mark.parametrize("name", [*BAD, *BAD_RECORDS])
def test_bad_files_are_refused_in_one_line(
    answer: Answer, tmp_path: Path, name: str, command: list[str]
) -> None:
    data, said = (BAD | BAD_RECORDS)[name]
    (tmp_path / "bad").write_bytes(data)
    began = time.process_time()
    line = answer.refused(*command, str(tmp_path / "bad"))
    assert said in line
    assert "bad'" in line
    assert line.isascii()
    assert time.process_time() - began < 2


@pytest.mark.parametrize("name", BAD_RECORDS)
def test_bad_records_are_not_replayed(answer: Answer, tmp_path: Path, name: str) -> None:
    data, said = BAD_RECORDS[name]
    (tmp_path / "bad").write_bytes(data)
    assert said in answer.refused("replay", str(tmp_path / "bad"))


def test_other_wrong_calls(answer: Answer, tmp_path: Path) -> None:
    assert "line 1: '{}' opens the file" in answer.refused("replay", written(tmp_path, "{}"))
    assert "turn 22; the record has turns 1 to 21" in answer.refused("replay", RECORD, "--at", "22")
    assert "--at: '-1' is not a whole number" in answer.refused("replay", RECORD, "--at", "-1")
    assert "cannot be read: no such file" in answer.refused("score", str(tmp_path / "none"))
    assert "cannot be read: is a directory" in answer.refused("score", str(tmp_path))
    assert "score without FILE; it needs one" in answer.refused("score")
    assert "unexpected argument" in answer.refused("score", RECORD, RECORD)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_marks_and_forms_of_unicode_change_nothing(
    answer: Answer, tmp_path: Path, form: str, end: str, mark: str
) -> None:
    name = "Zo\u00eb"
    record = Path(RECORD).read_text().replace("Ann", name).replace("Ben", '"=1+1"')
    plain = {"seats": [{"name": name, "front": "P3"}, {"name": "=1+1"}]}
    table = json.dumps(plain, ensure_ascii=False, indent=1)
    for text, expected in ((table, table_of(plain)), (record, table_in(record))):
        data = (mark + unicodedata.normalize(form, text).replace("\n", end)).encode()
        (tmp_path / "game").write_bytes(data)
        assert answer.json("score", str(tmp_path / "game")) == expected.score().to_json()
    found = answer.json("replay", str(tmp_path / "game"))
    assert [seat["name"] for seat in found["seats"]] == [name, "=1+1", "Cy"]


def test_rows_for_spreadsheets_hold_no_formulas_and_keep_negative_numbers(tmp_path: Path) -> None:
    import csv

    import numpy as np

    from cherrysim.simulate.arrays import COLUMNS
    from cherrysim.simulate.rows import writing

    names = ["=1+1", "+1", "-1", "@sum", 'kept "a", b', "plan:3+2"]
    rows = np.full((len(names), len(COLUMNS)), -7, np.int32)
    out = tmp_path / "rows.csv"
    with writing(out, names) as writer:
        writer.write(rows)
    with out.open(newline="") as file:
        found = list(csv.DictReader(file))
    assert [row.pop("policy") for row in found] == ["'=1+1", "'+1", "'-1", "'@sum", 'kept "a", b', "plan:3+2"]
    assert {cell for row in found for cell in row.values()} == {"-7"}
    before = out.read_bytes()
    with pytest.raises(Refused, match="nothing is overwritten; use --force"), writing(out, names):
        pass
    assert out.read_bytes() == before
    with writing(out, names[:1], force=True) as writer:
        writer.write(rows[:1])
    assert out.read_bytes() != before


def test_a_chart_of_a_table_is_not_overwritten(
    answer: Answer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "chart.svg").write_text("mine")
    asked = ["ask", "--table", RECORD, "--value", "kept", "--plot", str(tmp_path / "chart.svg")]
    monkeypatch.setattr("cherrysim.advice.advise_table", None)  # it is seen before anything is computed
    assert "exists" in answer.refused(*asked)
    assert (tmp_path / "chart.svg").read_text() == "mine"
    assert "there is no folder" in answer.refused(*asked[:-1], str(tmp_path / "none" / "chart.svg"))
