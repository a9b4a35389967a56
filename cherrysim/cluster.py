"""Workers elsewhere: processes of this machine, or a Dask cluster that runs already, as an Executor.

They do the same functions (see `blocks`), so the same bytes come out. The one condition: that they run the
same program. It is asked of every worker first, and again by every block where it is done, since workers
come and go. Workers that this module starts listen on this machine alone.
"""

from __future__ import annotations

import re
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from cherrysim.blocks import aside
from cherrysim.flowers import Refused
from cherrysim.runs import program

LOOPBACK = "127.0.0.1"
WAIT = 15
"""Seconds in which a scheduler answers."""
_ADDRESS = re.compile(r"((tcp|tls)://)?(\[[\w:.%]+\]|[\w.-]+):([0-9]{1,5})")


class Workers(Executor):
    """An executor with so many threads on workers of this very program."""

    def __init__(self, executor: Executor, threads: int, made: Mapping[str, str]) -> None:
        self.executor, self.threads, self.made = executor, threads, dict(made)

    def submit(self, work: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        return self.executor.submit(_Checked(work, self.made), *given, **named)


@dataclass(frozen=True, slots=True)
class _Checked:
    """Work that is done by one program and no other."""

    work: Callable[..., Any]
    made: Mapping[str, str]

    def __call__(self, *given: Any, **named: Any) -> Any:
        check("this worker", self.made, program())
        return self.work(*given, **named)


def check(name: str, wanted: Mapping[str, str], found: Mapping[str, str]) -> None:
    """Raise `Refused` where a worker runs another program.

    >>> check("worker 3", {"numpy": "2.4.6"}, {"numpy": "2.3.0"})
    Traceback (most recent call last):
        ...
    cherrysim.flowers.Refused: worker 3 has numpy 2.3.0; here it is 2.4.6, and ...
    """
    for key, value in wanted.items():
        if found.get(key) != value:
            raise Refused(
                f"{name} has {key} {found.get(key)}; here it is {value}, and games must be the same "
                "everywhere; install the same there"
            )


@contextmanager
def workers(address: str | None = None, n: int | None = None) -> Iterator[Workers | None]:
    """Workers of the scheduler at an address, or n processes of this machine while this lasts; None for
    neither.

    Raises `Refused` where Dask is missing, nobody answers, or workers run another program.
    """
    if address is None and n is None:
        yield None
        return
    if address is not None and n is not None:
        raise Refused("--cluster has workers of its own; --workers starts some here; give one of the two")
    try:
        from distributed import Client
    except ImportError:
        raise Refused(
            "workers need Dask; it is not installed; pip install 'cherrysim[cluster]', or use --threads"
        ) from None
    if address is not None:
        _check_address(address)
    with _local(n) if n is not None else _nothing(address) as there:
        try:
            client = aside(lambda: Client(there, timeout=WAIT, set_as_default=False), 2 * WAIT)
        except TimeoutError:  # whoever listens there takes connections and says nothing
            raise Refused(
                f"no scheduler answers at {str(address)[:60]!a}: it says nothing; an address is "
                "tcp://HOST:PORT; start dask scheduler there"
            ) from None
        except (OSError, ValueError, TypeError, ImportError) as error:
            raise Refused(
                f"no scheduler answers at {str(address)[:60]!a}: {_reason(error)}; an address is "
                "tcp://HOST:PORT; start dask scheduler there"
            ) from None
        with client:
            threads = _checked(client, str(address))
            try:
                yield Workers(client.get_executor(pure=False), threads, program())
            except (OSError, RuntimeError) as error:
                if client.status == "running":
                    raise
                raise Refused(
                    f"the scheduler is gone: {_reason(error)}; what --run kept is whole; start it and give "
                    "the same command again"
                ) from None


def _check_address(address: str) -> None:
    """Refuse what Dask would not connect to: it would say so, but wait for half a minute then."""
    from distributed import Security

    found = _ADDRESS.fullmatch(address)
    if not found or not 0 < int(found[4]) < 1 << 16:
        raise Refused(
            f"{address[:60]!a} is no address of a scheduler; it is tcp://HOST:PORT; write it as "
            "tcp://127.0.0.1:8786"
        )
    if found[2] == "tls" and not Security().get_connection_args("client")["ssl_context"]:
        raise Refused(
            f"{address[:60]!a} is an address for TLS; Dask's configuration names no certificates; name them "
            "there, or use tcp://"
        )


@contextmanager
def _nothing(address: str | None) -> Iterator[str | None]:
    yield address


@contextmanager
def _local(n: int) -> Iterator[Any]:
    """A scheduler and n workers with a thread each, on this machine alone."""
    import logging

    from distributed import LocalCluster

    loopback = f"{LOOPBACK}:0"
    with _deaf():
        cluster = LocalCluster(
            n_workers=n,
            threads_per_worker=1,
            host=LOOPBACK,
            dashboard_address=loopback,
            worker_dashboard_address=loopback,
            silence_logs=logging.CRITICAL,
        )
    with cluster:
        yield cluster


@contextmanager
def _deaf() -> Iterator[None]:
    """Processes begun here do not hear the Ctrl-C that is meant for the one which began them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _checked(client: Any, address: str) -> int:
    """The threads of all workers, once each is known to run this program."""
    until = time.monotonic() + WAIT
    while not (found := client.nthreads()):
        if time.monotonic() > until:
            raise Refused(
                f"the scheduler at {address} has no worker; games are played by workers; start some"
            )
        time.sleep(0.1)
    try:
        programs = client.run(program)
    except Exception as error:  # whatever a worker without cherrysim answers
        raise Refused(
            f"a worker of {address} cannot run cherrysim: {_reason(error)}; every worker must; install it "
            "there"
        ) from None
    for name, made in programs.items():
        check(f"worker {name}", program(), made)
    return int(sum(found.values()))


def _reason(error: BaseException) -> str:
    return " ".join(str(error).split())[:80] or type(error).__name__
