"""The learned policy: its tables add up, see no more than they may and treat like colours alike; files;
training."""

import dataclasses
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cherrysim import learn, weights
from cherrysim.cli import main
from cherrysim.flowers import Flowers, Refused
from cherrysim.kernels import layout, learned
from cherrysim.kernels.game import play_games
from cherrysim.kernels.worth import fill_worth, look
from cherrysim.policy import parse
from cherrysim.rules import Rules
from cherrysim.simulate import arrays, play
from cherrysim.weights import Weights

TABLE = np.random.default_rng(1).normal(size=weights.shape())
TABLE[:, learned.NOTHING] = 0.0
ROW = np.array(weights.expanded(TABLE))


def table_of(seed: int, players: int = 4) -> np.ndarray:
    """A table in the middle of a game; seat 2, or 1 of two, has a secret flower."""
    rng = np.random.default_rng(seed)
    table = np.zeros((layout.ROWS, 6), np.int64)
    for s in range(players):
        table[[layout.FRONT + s, layout.BEHIND + s]] = rng.integers(0, 4, (2, 6))
    owner = min(2, players - 1)
    table[layout.SECRET + owner, 1] = 1
    table[layout.BEHIND + owner, 1] += 1
    table[layout.BAG] = rng.integers(1, 7, 6)
    return table


def logits(table: np.ndarray, seat: int, players: int) -> np.ndarray:
    """Every seat's z, feature by feature."""
    groups, seen = np.zeros((players, 6), np.int64), np.zeros(learned.SEEN, np.int64)
    rules = arrays.rules_array(Rules.official(players))
    room = arrays.solver(Rules.official(players), [learn.Pupil()] * players).worth
    look(table, seat, rules, room)
    pool = room["pool"]
    learned.open_screens(table, seat, players, groups)
    left = int(table[layout.BAG].sum())
    z = []
    for s in range(players):
        learned.see(table, seat, s, pool, players, groups, seen)
        z.append(sum(ROW[learned.weight_at(feature, left)] for feature in seen))
    return np.array(z)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_tables_of_a_turn_add_up_to_the_features_after_the_display(players: int) -> None:
    rules = Rules.official(players)
    policies = arrays.policies_array([learn.Pupil()] * players)
    solver = arrays.solver(rules, [learn.Pupil()] * players)
    room, numbers = solver.worth, arrays.rules_array(rules)
    solver.weights[:] = ROW
    for seed in range(5):
        table, seat = table_of(seed, players), seed % players
        other = (seat + 1) % players
        look(table, seat, numbers, room)
        fill_worth(table, seat, 4, True, numbers, policies, solver.weights, room)
        z = room["base"][:, 0].copy()
        z[seat] += room["front"][seat, 0, 1 + 2, 0]
        z[other] += room["front"][other, 5, 1 + 1, 0]
        z = (z + room["behind"][1, 1, 2, :, 0])[:players]
        after = table.copy()
        after[layout.FRONT + seat, 0] += 2
        after[layout.FRONT + other, 5] += 1
        after[layout.BEHIND + seat] += (0, 1, 1, 0, 2, 0)
        assert logits(after, seat, players) == pytest.approx(z, abs=1e-9)
        after[layout.BEHIND + seat, 2] -= 1  # a flower less behind is another table
        assert logits(after, seat, players) != pytest.approx(z, abs=1e-3)


@pytest.mark.parametrize("order", [(1, 0, 2, 3, 4, 5), (0, 1, 3, 2, 4, 5), (1, 0, 3, 2, 4, 5)])
def test_like_colours_may_be_exchanged(order: tuple[int, ...]) -> None:
    for seed in range(20):
        table = table_of(seed)
        assert logits(table[:, order], seed % 4, 4) == pytest.approx(logits(table, seed % 4, 4), abs=1e-12)


def test_warm_and_cool_may_not_be_exchanged() -> None:
    table = table_of(1)
    assert logits(table[:, (2, 3, 0, 1, 4, 5)], 0, 4) != pytest.approx(logits(table, 0, 4), abs=1e-3)


def test_nobody_sees_a_secret_flower_but_its_owner() -> None:
    table = table_of(3)
    other = table.copy()
    for row, change in ((layout.SECRET + 2, 1), (layout.BEHIND + 2, 1), (layout.BAG, -1)):
        other[row, 1] -= change
        other[row, 2] += change
    assert np.array_equal(logits(other, 0, 4), logits(table, 0, 4))
    assert not np.allclose(logits(other, 2, 4), logits(table, 2, 4))


def _some() -> Weights:
    table = np.zeros(weights.shape(), np.float32)
    return Weights(4, table, table, weights.unfitted(), {"games": 0})


def test_a_file_gives_the_weights_again_and_equal_weights_equal_bytes(tmp_path: Path) -> None:
    for name in ("a.npz", "b.npz"):
        weights.save(tmp_path / name, _some())
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    found = weights.load(tmp_path / "a.npz")
    assert found.players == 4
    assert found.record == {"games": 0}
    assert not found.state
    with pytest.raises(Refused, match="exists"):
        weights.save(tmp_path / "a.npz", _some())


def _write(path: Path, **changes: object) -> None:
    good = {
        "version": np.int64(weights.VERSION),
        "players": np.int64(4),
        "shares": np.zeros(weights.shape()),
        "scores": np.zeros(weights.shape()),
        "fit": weights.unfitted(),
        "record": np.frombuffer(b"{}", np.uint8),
    }
    np.savez(path, **{key: value for key, value in (good | changes).items() if value is not None})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"shares": np.full(weights.shape(), np.nan)}, "not finite"),
        ({"scores": np.full(weights.shape(), np.inf)}, "not finite"),
        ({"shares": np.full(weights.shape(), -50.0)}, "hold a weight of 50; at most 40 is taken"),
        ({"shares": np.zeros((3, 3))}, r"shape \(3, 3\)"),
        ({"shares": np.zeros(weights.shape(), np.int64)}, "int64"),
        ({"version": np.int64(weights.VERSION + 1)}, "another version"),
        ({"version": np.zeros(2)}, "another version"),
        ({"players": np.int64(5)}, "for 5 players"),
        ({"scores": None}, "lacks scores"),
        ({"fit": np.zeros((2, 3))}, r"fit .* shape \(2, 3\)"),
        ({"record": np.frombuffer(b"[", np.uint8)}, "no JSON object"),
        ({"record": np.frombuffer(b"[" * 200_000, np.uint8)}, "no JSON object"),
        ({"record": np.frombuffer(b'{"seed": NaN}', np.uint8)}, "no JSON object"),
        ({"record": np.frombuffer(b"\xff", np.uint8)}, "no JSON object"),
        ({"shares": np.array([{}], object)}, "no file of weights"),
    ],
)
def test_wrong_weights_are_refused(tmp_path: Path, changes: dict[str, object], said: str) -> None:
    _write(tmp_path / "good.npz")
    assert weights.load(tmp_path / "good.npz").players == 4
    _write(tmp_path / "bad.npz", **changes)
    with pytest.raises(Refused, match=said):
        weights.load(tmp_path / "bad.npz")


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "weights.npz"
    weights.save(path, _some())
    whole = path.read_bytes()
    for data in (b"", whole[: len(whole) // 2], whole[:-1], b"no archive", whole[:200] + b"x" + whole[201:]):
        path.write_bytes(data)
        with pytest.raises(Refused):
            weights.load(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("shares.npy", bytes(weights.MOST_BYTES + 1))
    with pytest.raises(Refused, match="too long"):
        weights.load(path)
    with pytest.raises(Refused, match="cannot be read"):
        weights.load(tmp_path / "nothing.npz")


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of ten games, few of them before self-play."""
    for name, value in (
        ("BATCH", 10),
        ("FIRST", (("kept", 1), ("points", 1))),
        ("CHECKED", 4),
        ("PAST_EVERY", 2),
    ):
        monkeypatch.setattr(learn, name, value)


@pytest.mark.usefixtures("short")
def test_training_depends_on_seed_and_games_alone_and_survives_an_interruption(tmp_path: Path) -> None:
    whole = learn.train(seed=3, games=80).weights
    learn.train(seed=3, games=50, out=tmp_path / "half.npz")
    rest = learn.train(games=80, resume=tmp_path / "half.npz").weights
    assert np.array_equal(whole.shares, rest.shares)
    assert np.array_equal(whole.scores, rest.scores)
    assert json.dumps(whole.record) == json.dumps(rest.record)
    assert not np.array_equal(whole.shares, learn.train(seed=4, games=80).weights.shares)


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize(
    "rules",
    [
        Rules(players=2, front_table=(10**6, -(10**6), 10**6), warm=(10**6, 0, 0)),
        Rules(players=2, counts=Flowers.parse("W1")),
        Rules(players=2, front_table=(0,), warm=(0, 0, 0), cool=(0, 0, 0)),
    ],
)
def test_any_rules_are_learned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rules: Rules) -> None:
    """Points beyond measure, games of one turn, and nothing to be had."""
    monkeypatch.setattr(learn, "TOLD_EVERY", 2)
    learn.train(rules, games=100, out=tmp_path / "run.npz")
    assert np.isfinite(weights.load(tmp_path / "run.npz").shares).all()


class Killed(Exception):
    """What ends a run in its middle."""


@pytest.mark.usefixtures("short")
def test_a_run_in_a_file_goes_on_and_ends_with_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learn, "SAVED_EVERY", 0.0)
    run, out = tmp_path / "run.db", tmp_path / "run.npz"
    whole = learn.train(seed=3, games=80).weights
    begun: list[int] = []

    def killed(games: int, _: float) -> None:
        begun.append(games)
        if len(begun) in (2, 3, 6):
            raise Killed

    for _ in range(3):
        with pytest.raises(Killed):
            learn.train(seed=3, games=80, run=run, out=out, progress=killed)
        assert not out.exists()
    for n in range(2):  # the second time there is nothing left to do
        rest = learn.train(seed=3, games=80, run=run, out=out, force=n > 0)
        assert out.read_bytes() == weights.pack(rest.weights) == weights.pack(whole)
    assert begun == [10, 20, 20, 20, 30, 40]
    with pytest.raises(Refused, match="exists; nothing is overwritten"):
        learn.train(seed=3, games=80, run=run, out=out)
    with pytest.raises(Refused, match="holds a run with games 80; asked is 90"):
        learn.train(seed=3, games=90, run=run)
    for given in ({"minutes": 1}, {"games": 80, "resume": out}):
        with pytest.raises(Refused, match="minutes and resume are for others; give games"):
            learn.train(seed=3, run=run, **given)


def test_games_beyond_the_largest_seed_are_those_from_the_first() -> None:
    school = learn.School(Rules.official(2), 2**64 - 1)
    told = [school.watch(school.best, 4, seed) for seed in (school.seed + 3, 2)]
    assert told[0].any()
    assert (told[0] == told[1]).all()


@pytest.mark.parametrize(
    ("out", "stopped", "run", "said"),
    [
        ("a.npz", False, "run.db", "; weights in a.npz"),
        ("a.npz", True, None, "; weights in a.npz"),
        (None, False, "run.db", "; kept in run.db"),
        (None, True, "run.db", "; kept in run.db; the same command goes on with it"),
        (None, True, None, "; no --out was given, so nothing is kept"),
    ],
)
def test_training_says_where_the_weights_are(
    out: str | None, stopped: bool, run: str | None, said: str
) -> None:
    found = learn.Trained(weights.shipped(Rules()), out, 9.0, stopped, run)
    assert str(found).endswith(f" games in 9 s{said}")


@pytest.mark.usefixtures("short")
def test_a_stopped_run_in_a_file_has_written_no_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learn, "_learn", lambda *_: True)  # as if by Ctrl-C
    found = learn.train(seed=3, games=80, run=tmp_path / "run.db", out=tmp_path / "run.npz")
    assert (found.out, found.stopped, (tmp_path / "run.npz").exists()) == (None, True, False)
    assert str(found).endswith(f"kept in {tmp_path / 'run.db'}; the same command goes on with it")


@pytest.mark.usefixtures("short")
def test_what_is_no_checkpoint_of_the_run_is_refused(tmp_path: Path) -> None:
    learn.train(seed=3, games=10, out=tmp_path / "run.npz")
    weights.save(tmp_path / "bare.npz", _some())
    for path, seed, players, said in (
        ("run.npz", 4, 4, "has seed 3"),
        ("run.npz", 3, 3, "for 4 players"),
        ("bare.npz", 3, 4, "only checkpoints"),
    ):
        with pytest.raises(Refused, match=said):
            learn.train(Rules.official(players), seed, games=100, resume=tmp_path / path)
    with pytest.raises(Refused, match="exists"):
        learn.train(seed=3, games=10, out=tmp_path / "run.npz")
    with pytest.raises(Refused, match="of a game with other cards or rules"):
        learn.train(Rules.official(4, "pink"), games=100, resume=tmp_path / "run.npz")


def _far(key: str, number: float) -> Callable[[Weights], Weights]:
    """A change of a checkpoint: a number in one of its arrays."""

    def changed(run: Weights) -> Weights:
        array = run.state[key].copy()
        array.flat[0] = number
        return dataclasses.replace(run, state={**run.state, key: array})

    return changed


def _told(**changes: object) -> Callable[[Weights], Weights]:
    """A change of a checkpoint's record."""
    return lambda run: dataclasses.replace(run, record={**run.record, **changes})


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_far("pace", -1.0), "holds no pace of a run"),  # whose root is no number, and indexes past arrays
        (_far("score_pace", -1.0), "holds no score_pace of a run"),
        (_far("now", 1e300), "holds no now of a run"),
        (_far("now", 50.0), "holds no now of a run"),
        (_far("now_scores", -1e300), "holds no now_scores of a run"),
        (_far("late", 1e300), "holds no late of a run"),
        (_far("told", 1e300), "holds no told of a run"),
        (_far("batches", 2**63), "holds no batches of a run"),
        (_far("batches", 3), "holds no earlier weights to play against"),
        (_told(seed=-5), "seed is -5"),
        (_told(seed=2**70), "seed is 1180591620717411303424"),
        (_told(seed="x"), "seed is 'x'"),
        (_told(curve=5), "has no curve"),
        (_told(curve=[[1]]), "has no curve"),
    ],
)
def test_a_checkpoint_that_no_run_comes_to_is_refused(
    tmp_path: Path, change: Callable[[Weights], Weights], said: str
) -> None:
    run = learn.train(seed=3, games=10).weights
    weights.save(tmp_path / "run.npz", run)
    assert learn.train(games=20, resume=tmp_path / "run.npz").weights.record["games"] == 20
    weights.save(tmp_path / "run.npz", change(run), force=True)
    with pytest.raises(Refused, match=said):
        learn.train(games=20, resume=tmp_path / "run.npz")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"games": 0}, "games is 0"),
        ({"games": 1.5}, "games is 1.5"),
        ({"minutes": 0}, "minutes 0; they are above 0, at most 10000"),
        ({"minutes": float("nan")}, "minutes nan"),
        ({"minutes": float("inf")}, "minutes inf"),
        ({"games": 10, "seed": -1}, "seed is -1"),
        ({"games": 10, "seed": 2**64}, "seed is 18446744073709551616"),
        ({"games": 10, "minutes": 1}, "one of the two is given"),
        ({}, "one of the two is given"),
    ],
)
def test_runs_that_cannot_be_are_refused(given: dict[str, float], said: str) -> None:
    with pytest.raises(Refused, match=said):
        learn.train(**given)


def test_a_policy_plays_by_the_weights_of_a_file(tmp_path: Path) -> None:
    rules, file = Rules.official(2), tmp_path / "own.npz"
    weights.save(file, weights.shipped(rules))
    own = play(f"learned:{file}", 20, 5, rules)
    assert own.sha256 == play("learned", 20, 5, rules).sha256
    assert own.seats[0].policy == f"learned:{file}"
    nothing = 0 * weights.shipped(rules).shares
    weights.save(file, dataclasses.replace(weights.shipped(rules), shares=nothing), force=True)
    assert play(f"learned:{file}", 20, 5, rules).sha256 != own.sha256
    with pytest.raises(
        Refused, match="was trained for 2 players; this game has 3; train it with --players 3"
    ):
        play(f"learned:{file}", 20, 5, Rules.official(3))
    with pytest.raises(Refused, match="cannot be read"):
        parse("learned:none.npz")


def test_the_command_takes_games_or_minutes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "--games", "100"]) == 2
    assert "train without --out; what it learns would be lost" in capsys.readouterr().err
    assert main(["train", "--games", "100", "--minutes", "1", "--out", "none.npz"]) == 2
    assert "one of the two is given; choose one" in capsys.readouterr().err


def share_alone(alone: object, among: object, rules: Rules, bags: int) -> tuple[float, float]:
    """The share of one policy among others, in every seat over the same bags, and its standard error."""
    found = []
    for seat in range(rules.players):
        seats = [alone if s == seat else among for s in range(rules.players)]
        rows = arrays.room(rules, bags)
        numbers = arrays.rules_array(rules), arrays.policies_array(seats), arrays.solver(rules, seats)
        play_games(0, bags, np.uint64(7), *numbers, arrays.no_log(), rows)
        sharing = rows[:, layout.SHARING].reshape(bags, rules.players)[:, seat]
        found.append(np.where(sharing, 1 / np.maximum(sharing, 1), 0.0))
    each = np.mean(found, axis=0)
    return each.mean(), each.std(ddof=1) / bags**0.5


@pytest.mark.slow
def test_a_minute_of_training_beats_a_plan() -> None:
    found = learn.Pupil(learn.train(seed=1, minutes=1).weights.shares)
    share, error = share_alone(found, parse("plan:3+2"), Rules(), 200)
    assert share - 4 * error > 0.25
    share, error = share_alone(parse("plan:3+2"), found, Rules(), 200)
    assert share + 4 * error < 0.25


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "cards", "among", "least"),
    [
        (4, "blue", "kept", 0.50),
        (4, "pink", "kept", 0.50),
        (4, "blue", "plan:3+2", 0.55),
        (3, "blue", "kept", 0.58),
        (2, "blue", "kept", 0.75),
    ],
)
def test_the_weights_of_the_package_are_strong(players: int, cards: str, among: str, least: float) -> None:
    rules = Rules.official(players, cards)
    shipped = learn.Pupil(weights.shipped(rules).shares)
    share, error = share_alone(shipped, parse(among), rules, 300)
    assert share - 3 * error > least
    share, error = share_alone(
        parse(among), parse(among), rules, 300
    )  # a policy among its own kind has its part
    assert share + 3 * error < least


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("cards", ["blue", "pink", "none"])
def test_weights_come_with_the_package_and_with_how_they_were_learned(players: int, cards: str) -> None:
    rules = Rules.official(players, cards)
    found = weights.shipped(rules)
    assert found.players == players
    assert found.state.keys() == {"past"}
    assert found.record["command"].startswith(f"cherrysim train --players {players}")
    assert found.record["games"] > 0
    assert found.record["curve"]
    assert (weights.difference(rules) == "") == (cards != "none")
