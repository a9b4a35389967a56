"""Workers elsewhere: the same bytes, the same program, and nobody else who listens."""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from cherrysim import cluster
from cherrysim.cli import main
from cherrysim.cluster import Workers, check, workers
from cherrysim.contest import compare
from cherrysim.flowers import Refused
from cherrysim.runs import kept, program
from cherrysim.simulate import CHUNK, play
from cherrysim.simulate.blocks import sent_chunks

ROOT = Path(__file__).parent.parent
PAIR = ["plan:3+2", "plan:2+1"]


def test_work_goes_through_the_executor_and_changes_no_byte(tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        sent = Workers(pool, 2, program())
        assert play("plan:3+2", 9 * CHUNK, 3, executor=sent, threads=2) == play("plan:3+2", 9 * CHUNK, 3)
        found = compare(PAIR, precision=0.01, executor=sent, threads=2, run=tmp_path / "run.db")
    assert found == compare(PAIR, precision=0.01) == compare(PAIR, precision=0.01, run=tmp_path / "run.db")


def test_a_worker_of_another_program_is_refused() -> None:
    for key, value in program().items():
        with pytest.raises(
            Refused, match=rf"worker 3 has {key} other; here it is {value}, and games must be"
        ):
            check("worker 3", program(), {**program(), key: "other"})
    with ThreadPoolExecutor(1) as pool:
        late = Workers(pool, 1, {**program(), "numba": "0.1"})
        with pytest.raises(Refused, match=r"this worker has numba .*; here it is 0\.1"):
            play("plan:3+2", 9 * CHUNK, executor=late, threads=1)


class _Cluster:
    """A scheduler's client as far as `_checked` knows it."""

    def __init__(self, threads: dict[str, int], answer: Any) -> None:
        self.nthreads, self.answer = lambda: threads, answer

    def run(self, _: object) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_every_worker_is_asked_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "WAIT", 0)
    right, wrong = dict(program()), {**program(), "weights": "0"}
    assert cluster._checked(_Cluster({"a": 4, "b": 2}, {"a": right, "b": right}), "here") == 6
    with pytest.raises(Refused, match="worker b has weights 0; here it is"):
        cluster._checked(_Cluster({"a": 4, "b": 2}, {"a": right, "b": wrong}), "here")
    with pytest.raises(Refused, match="a worker of here cannot run cherrysim: no module; every worker must"):
        cluster._checked(_Cluster({"a": 4}, ImportError("no module")), "here")
    with pytest.raises(Refused, match="the scheduler at here has no worker"):
        cluster._checked(_Cluster({}, {}), "here")


def test_without_dask_and_with_too_many_options(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with workers() as found:
        assert found is None
    monkeypatch.setitem(sys.modules, "distributed", None)
    asked = ["compare", *PAIR, "--games", "100"]
    for options, said in (
        (["--workers", "2"], "workers need Dask; it is not installed; pip install 'cherrysim[cluster]'"),
        (["--cluster", "tcp://127.0.0.1:9"], "workers need Dask"),
        (["--cluster", "x", "--workers", "2"], "give one of the two"),
        (["--threads", "2", "--workers", "2"], "--threads are of this process"),
        (["--workers", "0"], "not a whole number from 1 to 256"),
    ):
        assert main([*asked, *options]) == 2
        assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    "address",
    [
        "foo",
        "",
        "tcp://",
        "tcp://here",
        "http://here:80",
        "tcp://[::1",
        "tcp://a b:3",
        "here:0",
        "here:99999",
        "x:y",
    ],
)
def test_what_is_no_address_is_refused_at_once(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(distributed, "Client", lambda *_, **__: pytest.fail("asked"))
    with (
        pytest.raises(Refused, match=r"is no address of a scheduler; it is tcp://HOST:PORT"),
        workers(address),
    ):
        pass


def test_tls_without_certificates_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(distributed, "Client", lambda *_, **__: pytest.fail("asked"))
    with pytest.raises(Refused, match="names no certificates"), workers("tls://127.0.0.1:8786"):
        pass


@pytest.mark.parametrize("address", ["tcp://[::1]:8786", "10.0.0.1:8786", "a-b.c_d:1"])
def test_an_address_is_asked(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")

    def nobody(there: str, **_: object) -> None:
        raise OSError(f"nobody at {there}")

    monkeypatch.setattr(distributed, "Client", nobody)
    with pytest.raises(Refused, match=r"no scheduler answers at .*: nobody at"), workers(address):
        pass


def test_who_takes_connections_and_says_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed, end = pytest.importorskip("distributed"), Event()
    monkeypatch.setattr(distributed, "Client", lambda *_, **__: end.wait(60))
    monkeypatch.setattr(cluster, "WAIT", 0.05)
    with pytest.raises(Refused, match=r"no scheduler answers at .*: it says nothing; "), workers("here:1"):
        pass
    end.set()


def test_blocks_that_are_sent_take_about_a_second() -> None:
    played: list[int] = []
    assert sent_chunks(played.append, 4096, 10**6, 2) == 256  # no more, however fast
    assert sent_chunks(played.append, 4096, 40, 2) == 5

    def slow(games: int) -> None:  # 0.1 ms a game, and a second to begin with
        until = time.thread_time() + 1e-4 * games + (not loaded)
        loaded.append(True)
        while time.thread_time() < until:
            pass

    loaded: list[bool] = []
    assert sent_chunks(slow, 4096, 10**6, 2) == 2
    assert sent_chunks(played.append, 4096, 0, 2) == 1
    assert max(played) == 4096


# A real cluster, where Dask is installed.


def start(*arguments: str, **more: Any) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", *arguments], cwd=ROOT, text=True, stdout=subprocess.PIPE, **more
    )


@pytest.fixture
def dask() -> Any:
    return pytest.importorskip(
        "distributed", reason="Dask is not installed: pip install 'cherrysim[cluster]'"
    )


@pytest.mark.slow
def test_two_workers_give_the_same_bytes_on_loopback_alone(dask: Any, tmp_path: Path) -> None:
    import psutil  # comes with Dask

    alone = play("plan:3+2", 9 * CHUNK, 3)
    with workers(n=2) as found:
        assert found is not None
        assert found.threads == 2
        for process in (psutil.Process(), *psutil.Process().children(recursive=True)):
            for place in process.net_connections("inet"):
                assert place.status != "LISTEN" or place.laddr.ip == "127.0.0.1"
        assert play("plan:3+2", 9 * CHUNK, 3, executor=found, threads=2) == alone
        assert compare(PAIR, precision=0.01, executor=found, threads=2) == compare(PAIR, precision=0.01)


class Murderous(Executor):
    """Kills a worker after the second block was asked for."""

    def __init__(self, workers: Workers) -> None:
        self.workers, self.victim, self.sent = workers, 0, 0
        self.pids = list(workers.executor._client.run(os.getpid).values())  # type: ignore[attr-defined]

    def submit(self, work: Any, /, *given: Any, **named: Any) -> "Future[Any]":
        self.sent += 1
        if self.sent == 6:
            os.kill(self.pids[0], signal.SIGKILL)
        return self.workers.submit(work, *given, **named)


@pytest.mark.slow
def test_a_worker_killed_in_mid_run_changes_no_byte(dask: Any, tmp_path: Path) -> None:
    alone = play("plan:3+2", 40 * CHUNK, 3)
    with workers(n=2) as found:
        killing = Murderous(found)
        again = play("plan:3+2", 40 * CHUNK, 3, executor=killing, threads=2, block=1, run=tmp_path / "run.db")
        now = set(found.executor._client.run(os.getpid).values())
    assert killing.pids[0] not in now
    assert again == alone
    assert kept(tmp_path / "run.db").parts[0]["games"] == alone.games


@pytest.mark.slow
def test_a_cluster_that_runs_already(dask: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (
        pytest.raises(Refused, match=r"no scheduler answers at 'tcp://127.0.0.1:9'"),
        workers("tcp://127.0.0.1:9"),
    ):
        pass
    with pytest.raises(Refused, match="is no address of a scheduler"), workers("what?"):
        pass
    place = tmp_path / "scheduler.json"
    own = ("--scheduler-file", str(place))
    loopback = ("--host", "127.0.0.1", "--no-dashboard")
    scheduler = start(
        "distributed.cli.dask_scheduler", *own, *loopback, "--port", "0", stderr=subprocess.DEVNULL
    )
    worker = start(
        "distributed.cli.dask_worker", *own, *loopback, "--nthreads", "1", stderr=subprocess.DEVNULL
    )
    try:
        for _ in range(100):
            if place.exists() and place.read_text():
                break
            time.sleep(0.2)
        address = json.loads(place.read_text())["address"]
        asked = ["play", "--policies", "plan:3+2", "--games", "20000", "--json"]
        assert main([*asked, "--cluster", address]) == 0
        assert main(asked) == 0
        one, two = capsys.readouterr().out.splitlines()
        assert one == two
    finally:
        worker.kill()
        scheduler.kill()
        worker.communicate()
        scheduler.communicate()
