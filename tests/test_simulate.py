"""Whole games by the thousand: the same bytes however they are cut, honest sums, files, Ctrl-C, fairness."""

import dataclasses
import hashlib
import itertools
import json
import os
import signal
import stat
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from cherrysim.behind import place_and_points
from cherrysim.flowers import Refused
from cherrysim.kernels import layout
from cherrysim.policy import FAMILIES, parse
from cherrysim.rules import SWITCHES, Rules
from cherrysim.simulate import CHUNK, COLUMNS, play
from cherrysim.simulate.blocks import Work, play_block
from cherrysim.simulate.rows import cell

ROOT = Path(__file__).parent.parent
TABLES = (("plan:3+2",), ("random",), ("cautious:0.25", "random", "kept", "plan:4+1"))


def rows_of(policies, games, seed=0, rules=None, even_splits=False):
    rules = rules or Rules()
    names = list(policies) * (rules.players if len(policies) == 1 else 1)
    work = Work(rules, tuple(map(parse, names)), seed, rows=True, even_splits=even_splits)
    return play_block(work, 0, games).rows


# The same bytes.


def test_threads_blocks_and_executors_do_not_matter() -> None:
    games = 2 * CHUNK + 500
    expected = play("random", games, 3, threads=1)
    assert play("random", games, 3, threads=2, block=2) == expected
    assert play("random", games, 3, block=3) == expected
    with ThreadPoolExecutor(3) as pool:
        assert play("random", games, 3, executor=pool) == expected


@pytest.mark.slow
def test_processes_do_not_matter() -> None:
    import multiprocessing

    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        assert play("plan:3+2", 3 * CHUNK, 3, executor=pool) == play("plan:3+2", 3 * CHUNK, 3)


def test_the_hash_is_that_of_the_documented_rows() -> None:
    games = CHUNK + 10
    rows = rows_of(["plan:3+2"], games, seed=5)
    assert rows.shape == (games * 4, len(COLUMNS))
    assert rows[:, 0].tolist() == [game for game in range(games) for _ in range(4)]
    chunks = [rows[: CHUNK * 4], rows[CHUNK * 4 :]]
    digests = [hashlib.sha256(np.ascontiguousarray(chunk, "<i4").tobytes()).digest() for chunk in chunks]
    assert play("plan:3+2", games, 5).sha256 == hashlib.sha256(b"".join(digests)).hexdigest()


def test_a_short_run_is_the_beginning_of_a_long_one() -> None:
    long = rows_of(["random"], 300, seed=9)
    assert (rows_of(["random"], 100, seed=9) == long[:400]).all()
    assert play("random", 1, 9).sha256 == one_hash(long[:4])


def one_hash(rows):
    return hashlib.sha256(hashlib.sha256(rows.tobytes()).digest()).hexdigest()


def test_seeds_rules_and_policies_change_the_hash() -> None:
    def sha(policy="random", seed=1, **changes):
        return play(policy, 400, seed, dataclasses.replace(Rules(), **changes)).sha256

    found = [sha(), sha(seed=2), sha(seed=2**64 - 1), sha("plan:3+2"), sha(alike=4), sha(flowers=7)]
    found += [sha(draws=2), sha(warm=(17, 10, 8)), sha(cool=(16, 11, 8)), sha(cards=())]
    found += [sha(front_table=(0, -3, -1, 1, 3, 5, 8, 11, 15, 19, 25)), sha(different=6)]
    found += [sha(front_beyond_ten="linear"), sha(ties="pooled"), sha(ties="dense")]
    found += [sha(empty_group="nothing"), sha(orphan_wilds="free")]
    assert len(set(found)) == len(found)
    two = [
        play("random", 400, 1, dataclasses.replace(Rules.official(2), two_player_tie=tie)).sha256
        for tie in SWITCHES["two_player_tie"]
    ]
    assert len(set(two)) == 4


def test_uncompiled_kernels_play_the_same_games() -> None:
    code = (
        "from cherrysim.simulate import play; from cherrysim.rules import Rules\n"
        "print(play(['random', 'cautious:0.3', 'plan:2+2'], 4, 8, Rules.official(3, 'pink')).sha256)"
    )
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, env=environment
    )
    policies = ["random", "cautious:0.3", "plan:2+2"]
    assert done.stdout.strip() == play(policies, 4, 8, Rules.official(3, "pink")).sha256, done.stderr


# Sums.


@pytest.mark.parametrize("policies", TABLES)
def test_summary_is_that_of_the_rows(policies) -> None:
    games = 1500
    result = play(policies, games, 4)
    rows = rows_of(policies, games, 4).reshape(games, 4, -1).astype(float)
    column = {name: rows[:, :, i] for i, name in enumerate(COLUMNS)}
    share = np.where(column["sharing"] > 0, 1 / np.maximum(column["sharing"], 1), 0)
    wholes = {"share": share, "outright": column["sharing"] == 1, "shared": column["sharing"] > 1}
    for seat, found in enumerate(result.seats):
        for name in ("score", "front", "warm", "cool", "turns", "share", "outright", "shared"):
            values = (wholes[name] if name in wholes else column[name])[:, seat].astype(float)
            estimate = getattr(found, name)
            assert estimate.value == pytest.approx(values.mean())
            error = values.std(ddof=1) / games**0.5
            assert estimate.standard_error == pytest.approx(error, rel=1e-3)
        turns = column["turns"][:, seat]
        drawn = [column[f"flowers_{k}"][:, seat] for k in (1, 2, 3)]
        for values, estimate in zip(
            [column["failures"][:, seat], *drawn], [found.failures, *found.flowers], strict=True
        ):
            rate = values.sum() / turns.sum()
            error = (values - rate * turns).std(ddof=1) / games**0.5 / turns.mean()
            assert estimate.value == pytest.approx(rate)
            assert estimate.standard_error == pytest.approx(error, rel=1e-6)
    assert result.turns.value == pytest.approx(column["turns"].sum(1).mean())
    assert result.capped == column["capped"][:, 0].sum()
    assert result.mixed == column["mixed"][:, 0].sum()
    assert (column["score"] == column["front"] + column["warm"] + column["cool"]).all()
    assert sum(seat.share.value for seat in result.seats) == pytest.approx(1)


def test_document_text_and_frame() -> None:
    result = play(["plan:3+2", "random", "random"], 200, 7, Rules.official(3, "pink"))
    document = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert (document["players"], document["games"], document["seed"], document["capped"]) == (3, 200, 7, 0)
    assert set(document["turns"]) == {"mean", "standard_error"}
    assert [seat["policy"] for seat in document["seats"]] == ["plan:3+2", "random", "random"]
    for seat in document["seats"]:
        assert {"score", "share", "outright", "shared", "front", "warm", "cool", "failures"} <= set(seat)
    assert "stopped" not in document
    assert "plan:3+2" in str(result)
    frame = result.frame()
    assert frame[frame.quantity == "share"]["mean"].sum() == pytest.approx(1)
    one = play("random", 1, 7).seats[0].score
    assert one.standard_error == 0


# What must hold in every game.


def check_invariants(rows, rules) -> None:
    games = rows.reshape(-1, rules.players, len(COLUMNS))
    column = {name: games[:, :, i] for i, name in enumerate(COLUMNS)}
    assert not column["capped"].any(), "a game that ends has an empty bag"
    flowers = sum(column[f"flowers_{k}"] for k in range(1, 6)) + column["bonus_flowers"]
    assert (flowers.sum(1) >= rules.counts.total - rules.set_aside).all()
    assert (column["failures"] <= column["turns"]).all()
    turns = column["turns"]
    assert ((turns[:, :1] - turns >= 0) & (turns[:, :1] - turns <= 1)).all()
    assert (column["score"] == column["front"] + column["warm"] + column["cool"]).all()
    assert (column["front"] >= -3 * 5).all()
    assert (column["front"] <= 24 * 5).all()
    for name, points in (("warm", rules.warm), ("cool", rules.cool)):
        counts, unique = np.unique(column[f"{name}_count"], axis=0, return_inverse=True)
        expected = [
            [place_and_points(n, [*row[:i], *row[i + 1 :]], points, rules)[1] for i, n in enumerate(row)]
            for row in counts.tolist()
        ]
        assert (np.array(expected)[unique.ravel()] == column[name]).all()
    best = column["score"].max(1, keepdims=True)
    winners = column["score"] == best
    assert (column["sharing"] == winners * winners.sum(1, keepdims=True)).all()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_invariants(players) -> None:
    for cards, policy in (("blue", "random"), ("pink", "random"), ("none", "plan:3+2")):
        rules = Rules.official(players, cards)
        check_invariants(rows_of([policy], 3000, 1, rules), rules)


@pytest.mark.slow
def test_invariants_over_many_games() -> None:
    for players, cards in itertools.product((2, 3, 4), ("blue", "pink")):
        for policy in ("random", "plan:3+2", "cautious:0.25"):
            rules = Rules.official(players, cards)
            check_invariants(rows_of([policy], 6000, 2, rules), rules)


def test_a_wrong_row_is_noticed() -> None:
    """The negative control of the invariants."""
    rules = Rules()
    for column in ("warm", "front", "sharing", "turns", "capped"):
        rows = rows_of(["random"], 50, 1)
        rows[6, COLUMNS.index(column)] += 3
        with pytest.raises(AssertionError):
            check_invariants(rows, rules)


# Fairness.


def shares(policies, games, seed, rules):
    result = play(policies, games, seed, rules)
    return np.array([[seat.share.value, seat.share.standard_error] for seat in result.seats]).T


@pytest.mark.parametrize("players", [2, 3, 4])
def test_first_seat_wins_most_and_last_least(players) -> None:
    """By more than 6 standard errors at 12,000 games."""
    share, error = shares("plan:3+2", 12000, 3, Rules.official(players))
    assert share.argmax() == 0
    assert share.argmin() == players - 1
    assert (share[:-1] - share[1:]).min() > 0
    assert share[0] - share[-1] > 6 * error.max()


def test_equal_policies_win_equally_when_seats_rotate() -> None:
    """Three plans of one kind and one by another name that does the same: averaged over seats each wins a
    quarter, within 4 standard errors (family-wise below 3e-4)."""
    games, rules = 12000, Rules.official(4, "none")
    same = ["plan:3+2", "plan:3+2", "plan:3+2", "plan:3+2+5"]  # two draws in a game of two are the same plan
    rules = dataclasses.replace(rules, draws=2)
    total, spread = 0.0, 0.0
    for turn in range(4):
        order = same[turn:] + same[:turn]
        share, error = shares(order, games, 10 + turn, rules)
        seat = order.index("plan:3+2+5")
        total += share[seat] / 4
        spread += (error[seat] / 4) ** 2
    assert abs(total - 0.25) < 4 * spread**0.5
    other, error = shares(["plan:2+2", *same[:3]], games, 1, rules)
    usual, _ = shares("plan:3+2", games, 1, rules)
    assert abs(other[0] - usual[0]) > 4 * error[0], "a policy that differs is noticed"


# Files.


def test_rows_as_csv(tmp_path) -> None:
    file = tmp_path / "games.csv"
    policies, rules = ["plan:3+2", "random", "kept", "cautious:0.2"], Rules(front_table=(0, -3))
    play(policies, 50, 4, rules, out=file)
    header, *lines = file.read_text().splitlines()
    assert header.split(",") == ["game", "seat", "policy", *COLUMNS[2:]]
    rows = rows_of(policies, 50, 4, rules)
    numbers = [[int(v) for i, v in enumerate(line.split(",")) if i != 2] for line in lines]
    assert numbers == rows.tolist()
    assert [line.split(",")[2] for line in lines[:4]] == policies
    assert min(min(row) for row in numbers) < 0, "negative scores stay numbers"


def test_rows_as_parquet(tmp_path) -> None:
    pytest.importorskip("pyarrow")
    import pandas

    file = tmp_path / "games.parquet"
    play("random", 20, 4, out=file)
    frame = pandas.read_parquet(file)
    assert (frame.drop(columns="policy").to_numpy() == rows_of(["random"], 20, 4)).all()


@pytest.mark.parametrize("games", [9, 5000])  # noticed when it ends, and before
def test_a_file_that_grows_too_large_is_refused_and_goes(tmp_path, games: int) -> None:
    """As on a full disk, where writing fails once more when the file is closed."""
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))\n"
        "from cherrysim.flowers import Refused; from cherrysim.simulate import play\n"
        "try: play('random', int(sys.argv[1]), out='x.csv')\n"
        "except Refused as refused: print(refused)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(games)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert (run.stdout, run.stderr) == ("'x.csv' cannot be written: file too large; name another place\n", "")
    assert list(tmp_path.iterdir()) == []


def test_files_are_not_overwritten_and_nothing_is_left(tmp_path, monkeypatch) -> None:
    file = tmp_path / "games.csv"
    file.write_text("mine")
    with pytest.raises(Refused, match="exists; nothing is overwritten"):
        play("random", 5, out=file)
    assert file.read_text() == "mine"
    play("random", 5, out=file, force=True)
    assert len(file.read_text().splitlines()) == 21
    with pytest.raises(Refused, match=r"neither \.csv nor \.parquet"):
        play("random", 5, out=tmp_path / "games.txt")
    with pytest.raises(Refused, match="cannot be written"):
        play("random", 5, out=tmp_path / "none" / "games.csv")
    with pytest.raises(Refused, match="unknown policy"):
        play("randon", 5, out=tmp_path / "new.csv")
    with monkeypatch.context() as patch:
        patch.setattr("cherrysim.simulate.play_blocks", lambda *_: pytest.fail("played"))
        pipe, folder, link = (tmp_path / f"{name}.csv" for name in ("pipe", "folder", "link"))
        os.mkfifo(pipe)
        folder.mkdir()
        link.symlink_to(pipe)
        for place in (pipe, folder, link):
            with pytest.raises(Refused, match=r"cannot be written: it is (no ordinary file|a folder); "):
                play("random", 5, out=place, force=True)
        assert stat.S_ISFIFO(pipe.stat().st_mode)
        link.unlink()
        pipe.unlink()
        folder.rmdir()
    assert [path.name for path in tmp_path.iterdir()] == ["games.csv"]


def test_cells_are_no_formulas() -> None:
    for text in ("=1+1", "+1", "-1", "@x", "\tx"):
        assert cell(text).lstrip('"').startswith("'")
    assert cell("plan:3+2") == "plan:3+2"


# Ctrl-C.


SLOW_RUN = """
import sys, time
from cherrysim.simulate import play
print("ready", flush=True)
result = play("plan:3+2", 10**6, 1, threads=2, out=sys.argv[1], progress=lambda n: print(n, flush=True))
print(result.stopped, result.games, result.sha256, time.time(), flush=True)
"""


def test_ctrl_c_gives_what_is_known(tmp_path) -> None:
    """Within half a second on an idle machine; the bound here leaves room for a busy one."""
    play("plan:3+2", 1)  # compiled before the clock runs
    file = tmp_path / "games.csv"
    command = [sys.executable, "-c", SLOW_RUN, str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout.readline() == "ready\n"
        first = process.stdout.readline()
        sent = time.time()
        process.send_signal(signal.SIGINT)
        *_, last = [first, *process.stdout]
    stopped, games, sha, ended = last.split()
    assert (process.returncode, stopped) == (0, "interrupt")
    assert 0 < int(games) < 10**6
    assert float(ended) - sent < 2
    assert len(file.read_text().splitlines()) == 1 + 4 * int(games)
    assert play("plan:3+2", int(games), 1).sha256 == sha


# The door.


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("random", 0), "games is 0; it is a whole number from 1"),
        (("random", True), "games is True"),
        (("random", 5, -1), "seed is -1"),
        (("random", 5, 2**64), "seed is 18446744073709551616"),
        ((["random"] * 3, 5), "3 policies; there are 4 seats"),
        (([], 5), "0 policies; there are 4 seats"),
        (("points:", 5), "policy"),
        (("plan:3+0", 5), "plan takes 1 to 5 draws of 1 to 12 flowers; write plan:3\\+2"),
        (("cautious:1.01", 5), "cautious takes a chance from 0 to 1"),
        (("random:1", 5), "random takes no parameters; write random"),
        (
            ("random", 5, 0, Rules.from_mapping({"counts": "P601"})),
            "a bag of 601 flowers; whole games take 600",
        ),
    ],
)
def test_refusals(arguments, message) -> None:
    with pytest.raises(Refused, match=message):
        play(*arguments)


def test_policy_names_are_read_as_written() -> None:
    for name in (
        "random",
        "kept",
        "plan:3+2",
        "plan:12+1+1+1+1",
        "cautious:0.25",
        "cautious:0",
        "cautious:1",
    ):
        assert str(parse(name)) == name
    assert parse("cautious:.125").parameters == (1, 8)
    assert all(parse(FAMILIES[name].example) for name in ("random", "plan", "cautious", "kept"))


# Split models.


@pytest.mark.slow
def test_report_on_split_models(capsys) -> None:
    """How many endings have no pure split, and how often an even split would change who wins, by policy."""
    for policy, games in (("random", 10000), ("plan:3+2", 10000), ("cautious:0.25", 10000), ("kept", 3000)):
        model = rows_of([policy], games, 1).reshape(games, 4, -1)
        even = rows_of([policy], games, 1, even_splits=True).reshape(games, 4, -1)
        won, other = (rows[:, :, layout.SHARING] > 0 for rows in (model, even))
        with capsys.disabled():
            print(
                f"\n{policy}: no pure split in {model[:, 0, layout.MIXED].mean():.2%} of endings; "
                f"even splits change the winners in {(won != other).any(1).mean():.2%}"
            )
        assert (model[:, :, layout.FRONT_POINTS] == even[:, :, layout.FRONT_POINTS]).all()
        assert (won != other).any()


# Size.


@pytest.mark.slow
def test_memory_and_time_are_linear() -> None:
    code = (
        "import resource, sys, time; from cherrysim.simulate import play\n"
        "play('plan:3+2', 100)\n"
        "for n in (100_000, 1_000_000):\n"
        "    begun = time.process_time(); play('plan:3+2', n); print(time.process_time() - begun)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    small, large, memory = map(float, done.stdout.split())
    assert large < 13 * small
    assert memory < 500
