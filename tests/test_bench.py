"""`cherrysim bench`: peers answer right, ratios are those of the work, slow kernels are noticed."""

import importlib.util
import json
import os
import re
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cherrysim import bench as speed
from cherrysim.bench import Kernel, Peer, Report, Size, Start, bench, cases, peers, text
from cherrysim.bench.numpyturn import NumpyTurn
from cherrysim.bench.timing import Contestant, Spread, interleaved
from cherrysim.chances import failure_chances, position
from cherrysim.cli import main
from cherrysim.flowers import Flowers, Refused
from cherrysim.plots import speed as chart
from cherrysim.rules import OFFICIAL
from cherrysim.turn import Valuation

FULL = OFFICIAL.counts.counts
EXACT = failure_chances(position(OFFICIAL, Flowers()).belief, (0,) * 6, OFFICIAL, 8)[1:]
ROOT = Path(__file__).parent.parent
LONG = ("odds", "turn", "games")  # take longer to compile than to measure


def flat(n: float) -> Spread:
    return Spread(n, n * 0.99, n * 1.01)


REPORT = Report(
    quick=True,
    day="2024-05-01",
    machine={"processor": "Abacus, wood", "cores": "2", "system": "Linux x86_64", "numpy": "2.0"},
    kernels=(
        Kernel("draws 3,2", "plan", flat(0.9), (Peer("numpy, count", flat(90), flat(100)),), 0.3),
        Kernel(
            "odds", "bag and hand", flat(61), (Peer("icepool", flat(8.5e6), flat(139344)),), absent=("scipy",)
        ),
        Kernel("outcomes", "plan followed", Spread(3100, 3000, 3900), ()),
    ),
    sizes=(
        Size(
            "draws 3,2 by bag", "plan", "flowers in the bag", tuple((10.0**n, 0.9 * n) for n in range(1, 13))
        ),
    ),
    starts=(Start("odds", 0.05, 0.06),),
    busy=(1.01, 1.5),
    seconds=12.0,
)


@pytest.mark.parametrize(
    "make",
    [
        lambda: peers.numpy_draws(FULL, 5, 100_000, "count"),
        lambda: peers.numpy_draws(FULL, 5, 100_000, "marginals"),
        lambda: peers.scipy_draws(FULL, 5, 100_000),
        lambda: peers.numba_draws(FULL, 5, 100_000),
        lambda: peers.sampled_draws(FULL, 5, 10_000),
    ],
    ids=["count", "marginals", "rvs", "numba", "random.sample"],
)
def test_simulating_peers_fail_as_often_as_they_should(make) -> None:
    n = 10_000 if "sampled" in make.__code__.co_names[1] else 100_000
    chance = float(EXACT[4])
    assert abs(make()() - n * chance) < 6 * (n * chance * (1 - chance)) ** 0.5


def test_exact_peers_give_the_exact_odds() -> None:
    for peer in (peers.scipy_odds, peers.icepool_odds, peers.plain_odds):
        assert [float(chance) for chance in peer(FULL)()] == pytest.approx([*map(float, EXACT)], abs=1e-12)


@pytest.mark.parametrize("bag", [FULL, (3, 2, 0, 1, 4, 1), (0, 0, 5, 9, 1, 0)])
def test_the_turn_in_numpy_is_the_kernels(bag) -> None:
    from cherrysim.kernels.turn import solve, tables

    hands, _, weights, space, worth, plan, _, _ = cases.Turns().arguments
    tables(hands, np.array([bag]), weights, 0, space)
    solve(hands, space, *worth, 0, 3, *plan)
    value, choice = NumpyTurn(OFFICIAL, Valuation.kept(OFFICIAL)).solve(np.array(bag))
    assert value == pytest.approx(plan[0][:, :4], abs=1e-12, nan_ok=True)
    possible = ~np.isnan(value)
    assert (choice[possible] == plan[1][:, :4][possible]).all()


@pytest.mark.parametrize("kind", ["draws", *(pytest.param(k, marks=pytest.mark.slow) for k in LONG)])
def test_every_case_names_its_contestants_once_and_ours_first(kind: str) -> None:
    for case in cases.KINDS[kind]():
        names = [each.name for each in case.contestants]
        assert names[0] == cases.OURS
        assert len(set(names)) == len(names)
        assert all(each.run() is not None or each.name == cases.OURS for each in case.contestants)


def busy(seconds: float) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def test_ratios_are_those_of_the_work() -> None:
    found = interleaved(
        [Contestant("one", lambda: busy(0.001), 1), Contestant("six", lambda: busy(0.003), 2)], 9, 0.002
    )
    assert found.ratio("six", "one").median == pytest.approx(1.5, rel=0.1)
    assert found.cost("one").median == pytest.approx(1e6, rel=0.1)
    assert found.cost("one").low <= found.cost("one").median <= found.cost("one").high


def test_waiting_is_told_from_working() -> None:
    waiting = interleaved([Contestant("idle", lambda: (busy(0.002), time.sleep(0.004)), 1)], 9, 0.002)
    assert waiting.busy > speed.BUSY
    assert waiting.cost("idle").median == pytest.approx(2e6, rel=0.3)


def test_the_table_is_80_columns_of_plain_ascii() -> None:
    said = str(REPORT)
    assert said.startswith("draws 3,2: 0.90 ns a plan, 100 times as fast as numpy, count\n")
    assert max(map(len, said.splitlines())) < 80
    assert said.isascii()
    for part in ("1.11 G", "33 %", "139k x (138k-141k)", "1.00 T: ", "50.0 ms", "Abacus, wood, 2 cores"):
        assert part in said.replace("\n" + " " * 18, " "), part


def test_warnings_name_noise_and_what_is_absent() -> None:
    assert [re.sub(";.*", "", said) for said in REPORT.warnings] == [
        "the machine is busy (up to 33 % of the time waited)",
        "outcomes is noisy: half of the rounds are further apart than 10 %",
        "not installed and so not compared: scipy",
    ]
    assert replace(REPORT, busy=(1.0,), kernels=REPORT.kernels[:1]).warnings == []


def test_the_document_and_the_markdown() -> None:
    found = json.loads(json.dumps(REPORT.to_json()))
    assert found["kernels"][0]["peers"][0]["ratio"]["median"] == 100
    assert found["kernels"][0]["limit_reached"] == pytest.approx(1 / 3)
    assert found["kernels"][1]["limit_ns"] is None
    assert found["sizes"][0]["ns"][0] == {"size": 10.0, "ns": 0.9}
    assert found["starts"] == [{"name": "odds", "cpu": 0.05, "wall": 0.06}]
    assert "stopped" not in found
    assert replace(REPORT, stopped="interrupt").to_json()["stopped"] == "interrupt"
    assert "| numpy, count | 90.0 ns | 100 x (99-101) |  |  |" in REPORT.markdown()


def test_the_chart_shows_the_costs_on_a_logarithmic_scale() -> None:
    axes = chart(REPORT)
    assert axes.get_xscale() == "log"
    dots = [float(line.get_xdata()[0]) for line in axes.get_lines() if line.get_marker() == "o"]
    assert dots == [0.9, 90, 61, 8.5e6, 3100]
    axes.figure.draw_without_rendering()
    ticks = [label.get_text() for label in axes.get_xticklabels()]
    assert {"1 ns", "10 us", "1 ms"} <= set(ticks)
    assert "90.0 ns, 100 x" in [text.get_text() for text in axes.texts]
    with pytest.raises(Refused, match="no kernel was measured"):
        replace(REPORT, kernels=()).plot()


@pytest.mark.parametrize(
    ("ns", "said"), [(0.8634, "0.86 ns"), (99.96, "100 ns"), (11_071, "11.1 us"), (2.5e9, "2.50 s")]
)
def test_durations(ns: float, said: str) -> None:
    assert text.duration(ns) == said


def test_one_section_by_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    monkeypatch.setitem(cases.KINDS, "draws", lambda: [next(cases.draw_cases())])
    out = tmp_path / "draws.json"
    assert main(["bench", "--quick", "--only", "draws", "--out", str(out), "--json"]) == 0
    printed, said = capsys.readouterr()
    assert json.loads(printed) == json.loads(out.read_text())
    assert "cherrysim: measuring draws\n" in said
    (kernel,) = json.loads(printed)["kernels"]
    assert kernel["ns"]["median"] < 30
    assert {peer["name"]: peer["ratio"]["median"] > 5 for peer in kernel["peers"]} == {
        each.name: True
        for each in next(cases.draw_cases()).contestants
        if each.name not in (cases.OURS, cases.FLOOR)
    }
    monkeypatch.setattr("cherrysim.bench.bench", lambda *_: pytest.fail("measured"))
    for place, said in ((out, "exists; nothing is overwritten"), (out / "a.md", "not a directory")):
        assert main(["bench", "--quick", "--only", "draws", "--out", str(place)]) == 2
        assert said in capsys.readouterr().err


def test_refusals(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, line in (
        (["--only", "luck"], "there are draws, odds, turn, games, sizes, starts"),
        (["--out", "speed.txt"], ".md, .json, .svg and .png"),
    ):
        assert main(["bench", *arguments]) == 2
        assert line in capsys.readouterr().err
    with pytest.raises(Refused, match="luck"):
        bench(only="luck")


def test_nothing_names_the_machine() -> None:
    said = str(speed.machine())
    assert not re.search(rf"\b{re.escape(os.uname().nodename)}\b", said)
    assert str(Path.home()) not in said


def ratios():
    spec = importlib.util.spec_from_file_location("ratios", ROOT / "benchmarks" / "ratios.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_slower_kernel_is_noticed(tmp_path: Path, monkeypatch, capsys: pytest.CaptureFixture[str]) -> None:
    check = ratios()
    took = {"ours": 0.0005}
    fake = cases.Case(
        "work",
        "item",
        (
            Contestant(cases.OURS, lambda: busy(took["ours"]), 1),
            Contestant("peer", lambda: busy(0.002), 1),
        ),
    )
    monkeypatch.setattr(check, "cases", lambda: [fake])
    history = tmp_path / "ratios.json"
    assert check.main([], history) == 2
    assert check.main(["--record"], history) == 0
    (entry,) = json.loads(history.read_text())
    assert entry["ratios"] == {"work: peer": pytest.approx(4, rel=0.1)}
    assert check.main([], history) == 0
    took["ours"] = 0.0007
    assert check.main([], history) == 1
    assert "work: peer" in capsys.readouterr().out


def test_one_good_repetition_is_enough() -> None:
    check = ratios()
    assert check.fallen({"a": 100}, [{"a": 70}, {"a": 81}, {"a": 60}]) == []
    assert len(check.fallen({"a": 100, "gone": 5}, [{"a": 70}, {"a": 79}, {"a": 60}])) == 1


def test_the_history_is_sound() -> None:
    for entry in json.loads((ROOT / "benchmarks" / "ratios.json").read_text()):
        assert set(entry) == {"date", "machine", "ratios"}
        assert min(entry["ratios"].values()) > 1
