"""Runs kept in a file: whatever ends a process, the run goes on and ends with the same bytes."""

import hashlib
import itertools
import json
import os
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from pathlib import Path

import pytest

from cherrysim import runs
from cherrysim.blocks import in_order
from cherrysim.cli import main
from cherrysim.contest import compare
from cherrysim.contest.bags import Contest, pack, play_bags, unpack
from cherrysim.contest.lineups import line_ups
from cherrysim.flowers import Refused
from cherrysim.policy import parse
from cherrysim.rules import Rules
from cherrysim.runs import Run, kept, opened
from cherrysim.simulate import CHUNK, play
from cherrysim.simulate.blocks import Block, Work, play_block

ROOT = Path(__file__).parent.parent
ASKED = {"command": "count", "seed": 7}
BLOCKS = 12


# A cheap stand-in for games: what a block gives is a hash of its number.


def work(number: int) -> bytes:
    return hashlib.sha256(str(number).encode()).digest() * 20


def counted(run: Path, begin: Callable[..., Iterator[bytes]], most: int = BLOCKS) -> list[bytes]:
    """The blocks that a run comes to, `most` of them."""
    with opened(run, ASKED) as found:
        blocks = found.part("all", 1).resumed(begin, lambda number, data: (number, data), bytes)
        return list(itertools.islice(blocks, most))


def one_by_one(first: int = 0) -> Iterator[bytes]:
    return map(work, range(first, BLOCKS))


ALL = list(one_by_one())


# The same bytes, however it was interrupted.


def test_a_run_goes_on_where_it_was(tmp_path: Path) -> None:
    begun: list[int] = []

    def begin(first: int = 0) -> Iterator[bytes]:
        begun.append(first)
        return one_by_one(first)

    file = tmp_path / "run.db"
    for most in (3, 3, 8, BLOCKS, BLOCKS):
        assert counted(file, begin, most) == ALL[:most]
    assert begun == [0, 3, 8]  # nothing is done a second time
    assert [part["blocks"] for part in kept(file).parts] == [BLOCKS]
    assert [path.name for path in tmp_path.iterdir()] == ["run.db"]


class Unruly(Executor):
    """Does tasks late and in any order, some twice, some of them never, and says so of a part of these."""

    def __init__(self, seed: int) -> None:
        self.chance, self.tasks = random.Random(seed), []
        self.wake, self.over = threading.Condition(), False
        self.lost = self.repeated = 0
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def submit(self, work: Callable[..., bytes], *arguments: int) -> "Future[bytes]":
        future: Future[bytes] = Future()
        with self.wake:
            self.tasks.append((future, work, arguments))
            self.wake.notify()
        return future

    def run(self) -> None:
        while True:
            with self.wake:
                self.wake.wait_for(lambda: self.tasks or self.over)
                if self.over:
                    return
                future, work, arguments = self.tasks.pop(self.chance.randrange(len(self.tasks)))
            fate = self.chance.random()
            if fate < 0.1:
                self.lost += 1  # and nobody hears of it
            elif fate < 0.2:
                self.lost += 1
                future.cancel()
                future.set_running_or_notify_cancel()
            elif future.set_running_or_notify_cancel():
                for _ in range(1 + (fate < 0.4)):
                    found = work(*arguments)
                    self.repeated += 1
                time.sleep(0.001 * (fate > 0.9))
                future.set_result(found)

    def end(self) -> None:
        with self.wake:
            self.over = True
            self.wake.notify()
        self.thread.join()


def unruly_run(seed: int, file: Path) -> tuple[int, int]:
    """A run in several sittings with an unruly executor; how many tasks it lost and did in all."""
    chance, lost, done = random.Random(-seed), 0, 0
    for most in (chance.randrange(BLOCKS), BLOCKS):
        executor = Unruly(hash((seed, most)))
        try:

            def begin(first: int = 0, executor: Executor = executor) -> Iterator[bytes]:
                return in_order(work, BLOCKS, first=first, executor=executor, ahead=4, patience=0.002)

            assert counted(file, begin, most) == ALL[:most]
        finally:
            executor.end()
        lost, done = lost + executor.lost, done + executor.repeated
    assert kept(file).parts[0]["games"] == sum(range(BLOCKS))
    file.unlink()
    return lost, done


@pytest.mark.parametrize("seeds", [25, pytest.param(1000, marks=pytest.mark.slow)])
def test_an_unruly_executor_changes_nothing(seeds: int, tmp_path: Path) -> None:
    """Tasks repeated, reordered, delayed and dropped."""
    lost, done = zip(*(unruly_run(seed, tmp_path / "run.db") for seed in range(seeds)), strict=True)
    assert min(sum(lost), sum(done) - seeds * BLOCKS) > seeds  # some were lost and some done twice


def test_a_block_that_is_always_lost_ends_the_run() -> None:
    class Hopeless(Executor):
        def submit(self, *_: object) -> "Future[bytes]":
            future: Future[bytes] = Future()
            future.cancel()
            future.set_running_or_notify_cancel()
            return future

    with pytest.raises(RuntimeError, match="begun 20 times and lost each time"):
        next(in_order(work, 3, executor=Hopeless()))


KILLED = """
import os, random, signal, sys, time
from contextlib import suppress
from cherrysim.contest import compare
from cherrysim.flowers import Refused
from cherrysim.runs import kept
from cherrysim.simulate import play

folder, runs, longest = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
asked = [
    lambda file: play("plan:3+2", 12 * 4096, 5, threads=2, block=1, run=file),
    lambda file: compare(["plan:3+2", "plan:2+1"], precision=0.01, threads=2, run=file),
]
play("plan:3+2", 1, threads=1)  # loaded once, for all the processes that are to die
compare(["plan:3+2", "plan:2+1"], games=1, threads=1)
chance = random.Random(1)
for run in range(runs):
    for number, ask in enumerate(asked):
        file, told, midway, before, status = f"{folder}/{run}-{number}.db", f"{folder}/sha", 0, 0, 1
        while status:
            pid = os.fork()
            if not pid:
                found = ask(file).sha256
                with open(told, "w") as out:
                    out.write(found)
                os._exit(0)
            time.sleep(chance.uniform(0, longest))
            os.kill(pid, signal.SIGKILL)
            status = os.waitpid(pid, 0)[1]
            done = 0
            with suppress(Refused):  # killed before there was anything
                done = sum(p["blocks"] for p in kept(file).parts)
            midway += status != 0 and done > before
            longest *= 1.1 if done == before else 1 if status else 0.7  # as slow as the machine is
            before = done
        (part,) = kept(file).parts
        print(number, open(told).read(), part["ended"], part["games"], midway, flush=True)
        os.unlink(file)
"""


@pytest.mark.parametrize("n", [2, pytest.param(100, marks=pytest.mark.slow)])
def test_kill_9_at_any_moment(n: int, tmp_path: Path) -> None:
    """n runs of `play` and n of `compare --precision`, killed until one sitting gets to the end."""
    played = play("plan:3+2", 12 * CHUNK, 5)
    compared = compare(["plan:3+2", "plan:2+1"], precision=0.01)
    command = [sys.executable, "-c", KILLED, str(tmp_path), str(n), "0.1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    assert len(lines) == 2 * n
    for number, *found, _ in lines:
        expected = (compared if int(number) else played).sha256
        assert found == [expected, expected, str((compared if int(number) else played).games)]
    assert (
        sum(int(line[-1]) for line in lines) > n / 2
    )  # kills that came between the first block and the last


def test_threads_sittings_and_files_change_no_byte(tmp_path: Path) -> None:
    """Blocks have the size that the first sitting gave them."""
    games = 3 * CHUNK + 5
    alone = play("random", games, 3, threads=1)
    for threads in (1, 2):
        assert play("random", games, 3, threads=threads, run=tmp_path / "play.db") == alone
    pair = ["plan:3+2", "plan:2+1"]
    alone = compare(pair, games=9000, threads=1)
    for block in (2, 1):
        assert compare(pair, games=9000, block=block, run=tmp_path / "compare.db") == alone
    assert kept(tmp_path / "compare.db").parts[0]["blocks"] == 3


def test_ctrl_c_keeps_whole_blocks(tmp_path: Path) -> None:
    file = tmp_path / "run.db"

    def stop(done: int) -> None:
        if done > 2 * CHUNK:
            raise KeyboardInterrupt

    found = play("plan:3+2", 9 * CHUNK, 1, run=file, block=1, progress=stop)
    assert (found.stopped, found.games) == ("interrupt", 3 * CHUNK)
    assert kept(file).parts[0]["ended"] is None
    assert play("plan:3+2", 9 * CHUNK, 1, run=file) == play("plan:3+2", 9 * CHUNK, 1)


def test_a_block_that_was_stopped_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "run.db"

    def stopped(work: Work, first: int, games: int, *stop: object) -> Block:
        return play_block(work, first, 100 if first == 2 * CHUNK else games)

    with monkeypatch.context() as patch:
        patch.setattr("cherrysim.simulate.blocks.play_block", stopped)
        found = play("plan:3+2", 9 * CHUNK, 1, run=file, block=1)
    assert (found.stopped, found.games) == ("interrupt", 2 * CHUNK + 100)
    assert kept(file).parts[0]["games"] == 2 * CHUNK
    assert play("plan:3+2", 9 * CHUNK, 1, run=file) == play("plan:3+2", 9 * CHUNK, 1)


def test_rows_come_from_the_file(tmp_path: Path) -> None:
    games = CHUNK + 7
    play("plan:3+2", games, 1, out=tmp_path / "alone.csv")
    for name in ("first.csv", "again.csv"):
        play("plan:3+2", games, 1, out=tmp_path / name, run=tmp_path / "run.db")
        assert (tmp_path / name).read_bytes() == (tmp_path / "alone.csv").read_bytes()


def test_blocks_and_chunks_come_back_as_they_were() -> None:
    rules = Rules.official(2)
    block = play_block(Work(rules, (parse("random"),) * 2, 4, rows=True), 0, 100)
    back = Block.unpack(block.pack())
    assert (back.games, back.digests) == (block.games, block.digests)
    assert (back.totals == block.totals).all()
    assert (back.rows == block.rows).all()
    chunks = play_bags(Contest(rules, line_ups(["random", "plan:2"], rules), 4), 0, 50)
    for one, two in zip(unpack(pack(chunks)), chunks, strict=True):
        assert (one.bags, one.scores, one.digest) == (two.bags, two.scores, two.digest)
        assert (one.sums == two.sums).all()
        assert (one.apart == two.apart).all()


# Refusals, the data intact.


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A run that was interrupted after five blocks."""
    counted(tmp_path / "run.db", one_by_one, 5)
    return tmp_path / "run.db"


def check_refused(file: Path, said: str, asked: object = ASKED) -> None:
    before = file.read_bytes()
    with pytest.raises(Refused, match=said), opened(file, asked) as found:  # type: ignore[arg-type]
        list(found.part("all", 1).blocks())
    assert file.read_bytes() == before


def test_one_process_at_a_time(file: Path) -> None:
    with opened(file, ASKED):
        code = f"from cherrysim.runs import kept\nkept({str(file)!r})"
        other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
        assert "is in use by another process; one at a time works on a run; wait" in other.stderr
        with pytest.raises(Refused, match="in use"):
            Run(file, ASKED)
        assert counted(file.with_name("other.db"), one_by_one) == ALL
    assert counted(file, one_by_one) == ALL


def test_another_question_or_program_is_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_refused(
        file, "holds a run with seed 7; asked is 8; a run goes on with its own", {**ASKED, "seed": 8}
    )
    check_refused(file, "holds a run with command count; asked is play", {**ASKED, "command": "play"})
    check_refused(file, "holds a run with games null; asked is 9", {**ASKED, "games": 9})
    own = runs.program()
    for key in own:
        monkeypatch.setattr(runs, "program", lambda key=key: {**own, key: "0.0.1"})
        check_refused(file, f"was made with {key} {own[key]}; here it is 0.0.1")


def test_the_question_holds_what_decides_the_games(tmp_path: Path) -> None:
    """Also what a policy plays by, whatever it is called."""
    weights = tmp_path / "mine.toml"
    weights.write_text("risk = 0.01")
    names = ["kept", "kept", "kept", f"points:{weights}"]
    play(names, 8, 1, run=tmp_path / "run.db")
    for change in (
        {"games": 9},
        {"seed": 2},
        {"rules": Rules(alike=4)},
        {"policies": ["kept"]},
        {"out": tmp_path / "x.csv"},
    ):
        with pytest.raises(Refused, match="holds a run with"):
            play(**{"policies": names, "games": 8, "seed": 1, "run": tmp_path / "run.db", **change})
    weights.write_text("risk = 0.02")
    with pytest.raises(Refused, match="holds a run with numbers"):
        play(names, 8, 1, run=tmp_path / "run.db")
    with pytest.raises(Refused, match="holds a run with command play; asked is compare"):
        compare(["kept", "random"], games=8, run=tmp_path / "run.db")
    assert not (tmp_path / "x.csv").exists()


def edited(file: Path, *statements: str) -> None:
    with sqlite3.connect(file) as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (
            "UPDATE blocks SET data = x'00' WHERE number = 2",
            "damaged: block 2 of all is not what was written",
        ),
        ("UPDATE blocks SET data = 'text' WHERE number = 2", "damaged: block 2 of all is not what was"),
        ("UPDATE blocks SET games = 9 WHERE number = 2", "damaged: block 2 of all"),
        ("UPDATE blocks SET games = -1 WHERE number = 2", "damaged: block 2 of all"),
        ("UPDATE blocks SET games = x'00' WHERE number = 2", "damaged: block 2 of all"),
        ("UPDATE parts SET size = 2", "damaged: block 0 of all is not what was written"),
        ("UPDATE parts SET size = 0", "damaged: blocks of all have a size of 0"),
        ("UPDATE parts SET size = 'two'", "damaged: blocks of all have a size of two"),
        ("UPDATE parts SET size = x'00'", "damaged: blocks of all have a size of"),
        ("UPDATE blocks SET number = 9 WHERE number = 4", "damaged: 5 of 10 blocks of all are missing"),
        ("DELETE FROM blocks WHERE number = 2", "damaged: 1 of 5 blocks of all are missing"),
        (
            "UPDATE blocks SET digest = (SELECT digest FROM blocks WHERE number = 1) WHERE number = 2",
            "block 2 of",
        ),
        ("UPDATE run SET asked = 'what?'", "damaged: it does not say what was asked"),
        ("DELETE FROM run", "damaged: it does not say what was asked"),
        ("DROP TABLE blocks", "damaged: no such table: blocks"),
        ("UPDATE run SET asked = '{\"n\": NaN}'", "damaged: it does not say what was asked"),
        ("PRAGMA user_version = 1", "is a run of format 1; format 2 is read"),
        ("PRAGMA application_id = 5", "is no run; --run begins one"),
    ],
)
def test_a_changed_file_is_refused(file: Path, statement: str, said: str) -> None:
    edited(file, statement)
    check_refused(file, said)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE parts SET ended = x'ff'", "damaged: its parts are not what was written"),
        ("UPDATE parts SET name = x'ff'", "damaged: its parts are not"),
        ("UPDATE blocks SET games = 9e999", "damaged: its parts are not"),
        ("UPDATE blocks SET games = 'many'", "damaged: its parts are not"),
        ("UPDATE run SET asked = '{\"rules\": 5}'", "damaged: the rules in it are none"),
        ('UPDATE run SET asked = \'{"rules": {"players": 9}}\'', "damaged: the rules in it are none"),
        ("UPDATE run SET asked = '{\"files\": 5}'", "damaged: the rules in it are none"),
        ("UPDATE run SET asked = '{\"files\": [[1, 2, 3]]}'", "damaged: the rules in it are none"),
    ],
)
def test_what_cannot_be_told_of_a_changed_file_is_refused(file: Path, statement: str, said: str) -> None:
    edited(file, statement)
    with pytest.raises(Refused, match=said):
        kept(file)


def test_a_changed_file_tells_nothing_to_the_terminal_but_words(file: Path) -> None:
    edited(
        file, "UPDATE parts SET ended = char(27) || '[2J'", "UPDATE run SET program = '{\"\\u001b[1m\": 1}'"
    )
    assert "\x1b" in kept(file).parts[0]["ended"]
    assert str(kept(file)).replace("\n", "").isprintable()


def test_a_damaged_file_is_refused(file: Path) -> None:
    """Each of its pages in turn, cut off or overwritten; what is not noticed at once is by a block's digest,
    or changed nothing."""
    whole, noticed = file.read_bytes(), 0
    for at in range(0, len(whole), 512):
        for damaged in (whole[:at], whole[:at] + b"\xa5" * 512 + whole[at + 512 :]):
            if not damaged:
                continue
            file.write_bytes(damaged)
            refused = ""
            try:
                with opened(file, ASKED) as found:
                    assert list(found.part("all", 1).blocks()) == ALL[:5]
            except Refused as error:
                refused = str(error)
                noticed += 1
            assert not refused or "damaged" in refused or "is no run" in refused
            assert not refused or file.read_bytes() == damaged
    assert noticed > len(whole) / 512
    file.write_bytes(whole)
    assert counted(file, one_by_one) == ALL


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"seat,score\n" * 200, "is no run: file is not a database"), (b"no", "is no run")],
)
def test_what_is_no_run_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "run.db").write_bytes(content)
    check_refused(tmp_path / "run.db", said)


def test_places_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="cannot be written: unable to open database file; a run is kept in it"):
        Run(tmp_path / "none" / "run.db", ASKED)
    with pytest.raises(Refused, match="cannot be written"):
        Run("a\0b", ASKED)
    with pytest.raises(Refused, match="is not there; --run begins a run"):
        kept(tmp_path / "none.db")
    assert list(tmp_path.iterdir()) == []
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path, tmp_path / "pipe", Path(os.devnull)):
        with pytest.raises(Refused, match="is no ordinary file; a run is kept in one"):
            Run(place, ASKED)
        with pytest.raises(Refused, match="is no ordinary file"):
            kept(place)


def test_a_file_that_cannot_be_written_is_refused(file: Path) -> None:
    if os.getuid():
        file.chmod(0o444)
        check_refused(file, "cannot be written: attempt to write a readonly database")
        return
    with tempfile.TemporaryDirectory() as folder:  # the superuser may write anything, so be somebody else
        own = Path(folder) / "run.db"
        own.write_bytes(file.read_bytes())
        own.chmod(0o444)
        Path(folder).chmod(0o777)
        os.seteuid(65534)
        try:
            check_refused(own, "cannot be written: attempt to write a readonly database")
        finally:
            os.seteuid(0)


def test_a_full_disk_is_refused_and_what_is_there_is_kept(file: Path) -> None:
    run = Run(file, ASKED)
    pages = run.connection.execute("PRAGMA page_count").fetchone()[0]
    run.connection.execute(f"PRAGMA max_page_count = {pages + 1}")
    part = run.part("all", 1)

    def begin(first: int) -> Iterator[bytes]:
        return (work(number) * 9 for number in range(first, BLOCKS))

    with pytest.raises(
        Refused, match="cannot grow: database or disk is full; the blocks it holds are whole; make"
    ):
        list(part.resumed(begin, lambda number, data: (number, data), bytes))
    run.connection.close()
    assert kept(file).parts[0]["blocks"] >= 5
    assert counted(file, one_by_one)[:5] == ALL[:5]


FULL = """
import resource, sys
from cherrysim import runs
runs.program, runs._SHARE = lambda: {}, 0
with runs.opened(sys.argv[1], {}) as run:
    part = run.part("all", 1)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, resource.RLIM_INFINITY))
    for number in range(100):
        part.add(1, bytes(3000))
        print(number, flush=True)
"""


def test_a_limit_of_the_system_is_refused_and_what_is_there_is_kept(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FULL, str(tmp_path / "run.db")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert "cannot grow: disk I/O error; the blocks it holds are whole" in done.stderr
    found = kept(tmp_path / "run.db").parts[0]["blocks"]
    assert 0 < found <= len(done.stdout.split()) + 1
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


# The command line.


def test_a_report_of_rules_takes_its_games_from_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.toml").write_text("players = 2\ncards = []\nalike = 4\n")
    asked = ["report", "rules", str(tmp_path / "mine.toml"), "--quick", "--run", str(tmp_path / "run.db")]
    assert main([*asked, "--out", str(tmp_path / "one")]) == 0
    monkeypatch.setattr("cherrysim.simulate.blocks.in_order", lambda *_, **__: iter(()))  # plays no more
    assert main([*asked, "--out", str(tmp_path / "two")]) == 0
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()
    assert all(part["ended"] for part in kept(tmp_path / "run.db").parts)
    assert "files      mine.toml: 2 players, cards none; alike 4\n" in str(kept(tmp_path / "run.db"))
    assert main([*asked, "--seed", "2", "--out", str(tmp_path / "three")]) == 2
    assert "holds a run with seed 0; asked is 2" in capsys.readouterr().err
    assert main(["report", "odds", "--run", "x.db", "--out", str(tmp_path / "three")]) == 2
    assert "--run is for report rules" in capsys.readouterr().err


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "run.db")
    asked = ["play", "--policies", "plan:3+2", "--games", "50", "--players", "3", "--cards", "none"]
    for arguments in (asked, [*asked, "--run", file], [*asked, "--run", file, "--threads", "1"]):
        assert main([*arguments, "--json"]) == 0
    one, two, three = capsys.readouterr().out.splitlines()
    assert one == two == three
    assert main(["runs", file]) == 0
    text = capsys.readouterr().out
    assert "3 players, cards none\n" in text
    assert f"games: 50 games in 1 block; ended, {json.loads(one)['sha256']}" in text
    assert main(["runs", file, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["asked"]["games"] == found["parts"][0]["games"] == 50
    assert main([*asked, "--seed", "4", "--run", file]) == 2
    assert "holds a run with seed 0; asked is 4; a run goes on" in capsys.readouterr().err
    assert main(["compare", "kept", "random", "--games", "9", "--run", file]) == 2
    assert "holds a run with command play; asked is compare" in capsys.readouterr().err
    assert main(["runs", str(ROOT / "README.md")]) == 2
    assert "is no run: file is not a database" in capsys.readouterr().err
