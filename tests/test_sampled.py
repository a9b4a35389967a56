"""Simulated odds: counts, the choice among possible bags, answers, Ctrl-C and the first answer's cost.

That simulated plans fail as often as exact odds say is shown for known bags with the kernel; here for
beliefs. A count is held to its exact binomial tails so that all of one test together raise a false alarm with
probability at most FALSE_ALARM.
"""

import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from cherrysim import sampled
from cherrysim.belief import Belief
from cherrysim.blocks import cores, in_order
from cherrysim.chances import plan_odds, position
from cherrysim.cli import main
from cherrysim.flowers import Flowers, Refused
from cherrysim.rules import OFFICIAL, Rules
from cherrysim.sampled import SAMPLES, SampledOdds, odds, sample_odds

ROOT = Path(__file__).parent.parent
FALSE_ALARM = 1e-6
FULL = position(OFFICIAL, Flowers())
LARGE = position(Rules(counts=Flowers(*(10**12,) * 6)), Flowers())
TWO = Rules.official(2)
UNEQUAL = Belief((((4, 0, 0, 0, 0, 4), 1), ((0, 2, 2, 2, 2, 0), 6), ((3, 3, 2, 0, 0, 0), 13)))


def returned(pool: str, drawn: str, back: str) -> Belief:
    return Belief.of(Flowers.parse(pool), 3).draw(Flowers.parse(drawn)).put_back(Flowers.parse(back))


BELIEFS = {
    "hidden tokens": (Belief.of(TWO.counts, 3), [3, 2]),
    "more than there are": (Belief.of(Flowers.parse("P3 Y2 L1"), 3), [2, 2, 2]),
    "36 bags": (returned("P7 Y2 L2 D1 W1 B1", "PPP", "PP"), [2, 2]),
    "a black came back": (returned("P4 Y2 L2 D1 W1 B1", "PPB", "PB"), [1, 2]),
    "three unequal bags": (UNEQUAL, [2, 1, 1]),
    "weights beyond 64 bits": (Belief(tuple((p, w * 10**30 + 1) for p, w in UNEQUAL.pools)), [3]),
    "huge": (Belief((((10**12, 3, 0, 0, 0, 0), 1), ((10**12 - 1, 0, 4, 0, 0, 0), 2))), [2, 1]),
}


def start(belief: Belief) -> sampled.Position:
    return position(TWO, Flowers(), history=belief)


def holds(found: SampledOdds, weights: tuple[int, ...] | None = None) -> bool:
    """Whether the counts of all draws are within what the exact odds allow."""
    at = found.at
    if weights:
        pools = tuple((pool, w) for (pool, _), w in zip(at.belief.pools, weights, strict=True))
        at = start(Belief(pools))
    for failed, stage in zip(found.failed, plan_odds(at, found.plan).stages, strict=True):
        law = stats.binom(found.samples, float(stage.fail_at))
        if min(law.cdf(failed), law.sf(failed - 1)) < FALSE_ALARM / 40:
            return False
    return True


@pytest.mark.parametrize(("belief", "plan"), BELIEFS.values(), ids=BELIEFS)
def test_beliefs_fail_as_often_as_the_exact_odds_say(belief: Belief, plan: list[int]) -> None:
    found = sample_odds(start(belief), plan, 400_000, seed=3)
    assert found.samples == 400_000
    assert [stage.draw for stage in plan_odds(found.at, plan).stages] == list(found.taken)
    assert holds(found)


def test_equally_likely_bags_are_noticed() -> None:
    assert not holds(sample_odds(start(UNEQUAL), [2, 1, 1], 400_000), (1, 1, 1))


@pytest.mark.parametrize("name", ["36 bags", "three unequal bags", "weights beyond 64 bits"])
def test_every_sample_picks_one_bag_by_weight(name: str) -> None:
    belief = BELIEFS[name][0]
    pools = sampled._Pools(start(belief), [1], 5)
    weights = np.array([weight / belief.total_weight for _, weight in belief.pools])
    counts = np.array(pools._choices(0, 10**6))
    assert counts.sum() == 10**6
    assert stats.chisquare(counts, weights * 10**6).pvalue > FALSE_ALARM / 3
    assert stats.chisquare(counts, 10**6 / len(counts)).pvalue < FALSE_ALARM
    first = [pools._choices(0, n) for n in range(200)]
    for fewer, more in pairwise(first):
        assert sorted(b - a for a, b in zip(fewer, more, strict=True)) == [0] * (len(fewer) - 1) + [1]
    assert pools._choices(sampled._BLOCK, 1000) != pools._choices(0, 1000)


def test_bags_draw_from_streams_of_their_own() -> None:
    """Two equal pools: their failures must not rise and fall together, the variance is that of one bag."""
    twice = Belief((((9, 9, 9, 9, 9, 3), 1), ((9, 9, 9, 9, 9, 3), 1)))
    counts = [sample_odds(start(twice), [4], 4096, seed).failed[0] for seed in range(400)]
    law = stats.binom(4096, float(plan_odds(start(twice), [4]).fail))
    spread = float(((np.array(counts) - law.mean()) ** 2).sum() / law.var())
    assert min(stats.chi2.cdf(spread, 400), stats.chi2.sf(spread, 400)) > FALSE_ALARM / 2


CASES = [(FULL, [3, 2]), (start(UNEQUAL), [2, 1, 1]), (LARGE, [3, 2])]


@pytest.mark.parametrize(("at", "plan"), CASES, ids=["known", "belief", "large"])
def test_the_same_counts_for_any_threads(at: sampled.Position, plan: list[int]) -> None:
    samples = 600_001 if at is LARGE else 9_000_001
    one = sample_odds(at, plan, samples, seed=2**64 - 1, threads=1)
    assert one.samples == samples
    assert one == sample_odds(at, plan, samples, seed=2**64 - 1, threads=3)
    assert one == sample_odds(at, plan, samples, seed=2**64 - 1)
    assert one.failed != sample_odds(at, plan, samples, seed=0).failed


def test_the_first_samples_of_a_long_run_are_the_short_run(monkeypatch: pytest.MonkeyPatch) -> None:
    short, long = (sample_odds(FULL, [3, 2], n, seed=9) for n in (10**5, 10**6))
    _, rest = sampled._Pools(FULL, [3, 2], 9).failures(10**5, 9 * 10**5)
    assert [a + b for a, b in zip(short.failed, rest, strict=True)] == list(long.failed)
    monkeypatch.setattr(sampled, "_BLOCK", 4096)
    assert sample_odds(FULL, [3, 2], 10**6, seed=9) == long
    pools = sampled._Pools(start(UNEQUAL), [2, 1, 1], 9)
    counts = [pools.failures(0, n)[1] for n in range(300)]
    for fewer, more in pairwise(counts):
        assert sum(b - a for a, b in zip(fewer, more, strict=True)) in (0, 1)
        assert all(a <= b for a, b in zip(fewer, more, strict=True))


def test_blocks_come_in_order_and_not_too_many_at_once() -> None:
    begun: list[int] = []
    gate = threading.Event()

    def work(block: int) -> int:
        begun.append(block)
        if block == 0:
            gate.wait(10)
        return block

    results = in_order(work, 100, threads=2, ahead=5)
    with ThreadPoolExecutor(1) as other:
        first = other.submit(next, results)
        time.sleep(0.2)
        assert len(begun) <= 5
        gate.set()
        assert first.result() == 0
    assert list(results) == list(range(1, 100))
    assert list(in_order(work, 0)) == []
    with ThreadPoolExecutor(3) as executor:
        assert list(islice(in_order(work, 100, executor=executor), 3)) == [0, 1, 2]
        assert executor.submit(len, "open").result() == 4
    assert cores() >= 1


def test_an_error_of_a_block_reaches_the_caller() -> None:
    with pytest.raises(ZeroDivisionError):
        list(in_order(lambda block: 1 // (3 - block), 100, threads=2))


def test_the_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["odds", "--plan", "3,2,0", "--method", "mc", "--seed", "7", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == [
        "bag", "hand", "draws_used", "plan", "method", "fail", "interval", "interval_kind", "confidence",
        "samples", "seed", "stages", "standard_error",
    ]  # fmt: skip
    assert (found["plan"], found["method"], found["samples"], found["seed"]) == ([3, 2], "mc", SAMPLES, 7)
    assert (found["interval_kind"], found["confidence"]) == ("fixed", 0.95)
    low, high = found["interval"]
    assert low < found["fail"] < high
    assert high - low == pytest.approx(2 * 1.96 * found["standard_error"], rel=1e-3)
    assert found["fail"] == pytest.approx(sum(stage["fail_at"] for stage in found["stages"]), abs=1e-12)
    first, second = found["stages"]
    assert second["reach"] == pytest.approx(1 - first["fail_at"], abs=1e-12)
    assert second["fail_if_reached"] == pytest.approx(second["fail_at"] / second["reach"], abs=1e-12)
    assert odds(plan=[3, 2], method="mc", seed=7).to_json() == found
    assert len(odds(plan=[3, 2], method="mc", samples=10).frame()) == 2


def test_the_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["odds", "--plan", "3,2", "--method", "mc", "--samples", "20000", "--seed", "1"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("Drawing 3, then 2 fails 1 in 2 (")
    assert "20,000 samples with seed 1. With 95 % confidence it fails" in text
    assert max(map(len, text.splitlines())) < 80
    assert text.isascii()
    assert str(odds(plan=[1, 1], method="mc", samples=5)).startswith(
        "Drawing 1, then 1 did not fail once in 5"
    )
    assert str(odds("P9", [3], method="mc", samples=5)).startswith("Drawing 3 always failed in 5")
    assert "ends the plan after 3 of its 4" in str(odds("P2 Y1", [2, 2], method="mc", samples=5))


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            ["--method", "mc"],
            "mc without a plan; only a plan of draws is simulated; add one, as in --plan 2,2,1",
        ),
        (["--method", "maybe"], "method 'maybe'; odds are exact or mc (simulated); choose one"),
        (
            ["--plan", "3", "--seed", "1"],
            "seed given for exact odds; nothing is simulated; leave it out or choose mc",
        ),
        (["--plan", "3", "--samples", "0"], "--samples: '0' is not a whole number from 1 to 1000000000000"),
        (["--plan", "3", "--threads", "0"], "--threads: '0' is not a whole number from 1 to 256"),
        (["--plan", "3", "--seed", f"{2**64}"], "is not a whole number from 0 to 18446744073709551615"),
        (["--plan", "9", "--method", "mc"], "a plan of 9 is 9 flowers; a turn allows 8; draw at most 8"),
        (["--bag", "-", "--plan", "1", "--method", "mc"], "the bag is empty"),
    ],
)
def test_refusals(arguments: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["odds", *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert line in err


def test_numbers_are_checked_for_python_too() -> None:
    huge = {"samples": 10**5000}, {"seed": 10**1000}, {"threads": "2" * 1000}
    for wrong in ({"samples": 0}, {"samples": 1.5}, {"seed": -1}, {"seed": 2**64}, {"threads": 0}, *huge):
        with pytest.raises(Refused, match=r"a simulation takes \d+ to \d+") as refused:
            odds(plan=[3], method="mc", **wrong)  # type: ignore[call-overload]
        assert len(str(refused.value)) < 160
    with pytest.raises(Refused, match="leave it out or choose mc"):
        odds(plan=[3], samples=10)  # type: ignore[call-overload]


def run(*arguments: str, **environment: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "cherrysim", "odds", "--method", "mc", "--plan", "3,2", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env=os.environ | environment,
    )


def interrupted(process: subprocess.Popen[bytes], after: float) -> tuple[float, bytes, bytes]:
    """Seconds from Ctrl-C to the end of a process, and what it printed."""
    time.sleep(after)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    pressed = time.monotonic()
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    return time.monotonic() - pressed, out, err


@pytest.mark.parametrize("bag", ["P18 Y18 L18 D18 W18 B6", "P300 Y300 L300 D300 W300 B100"])
def test_ctrl_c_prints_what_is_known(bag: str, tmp_path: Path) -> None:
    rules = tmp_path / "large.toml"
    rules.write_text('counts = "P300 Y300 L300 D300 W300 B100"\n')
    endless = ["--samples", str(10**12), "--json", "--rules", str(rules), "--bag", bag]
    for wait in (1.2, 3, 6, 6):  # a busy machine is given more time
        took, out, err = interrupted(run(*endless), wait)
        if out and not err and took < 0.5:
            break
    else:
        pytest.fail(f"ended after {took:.1f} s with {out!r}, {err!r}")
    found = json.loads(out)
    assert found["stopped"] == "interrupt"
    assert 0 < found["samples"] < 10**12
    variant = Rules.from_toml(rules.read_text())
    again = odds(bag, [3, 2], method="mc", samples=found["samples"], rules=variant)
    assert found == again.to_json() | {"stopped": "interrupt"}


def test_ctrl_c_while_compiling_ends_at_once_and_says_nothing(tmp_path: Path) -> None:
    for _ in range(4):
        process = run(CHERRYSIM_CACHE_DIR=str(tmp_path))
        assert b"compiling, once" in process.stderr.readline()  # type: ignore[union-attr]
        took, out, err = interrupted(process, 0.1)
        assert (out, err) == (b"", b"")
        if took < 0.5:
            return
    pytest.fail(f"ended after {took:.1f} s")


def cpu(*arguments: str) -> float:
    """Seconds of processor time of one Python process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_the_first_answer_loads_no_scipy() -> None:
    code = "from cherrysim.cli import main; main(['odds', '--method', 'mc', '--plan', '3,2']); import sys"
    loaded = "assert 'numba' in sys.modules and 'scipy.linalg' not in sys.modules"
    cpu("-c", f"{code}; {loaded}; import scipy.linalg.cython_blas")


def test_the_first_answer_takes_less_than_three_times_as_long_as_importing_numba() -> None:
    question = ["-m", "cherrysim", "odds", "--method", "mc", "--plan", "3,2"]
    cpu(*question)
    for times in (1, 3, 3, 3):
        pairs = [(cpu(*question), cpu("-c", "import numba")) for _ in range(times)]
        took, imported = (statistics.median(column) for column in zip(*pairs, strict=True))
        if took <= 2.8 * imported:
            return
    pytest.fail(f"{took / imported:.2f} times the import of numba; at most 2.8")
