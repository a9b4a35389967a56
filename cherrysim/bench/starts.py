"""What a fresh process costs: bare Python, the libraries, the first answer of each command."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from cherrysim.bench import Start

SEEN = ["--seen", "P9 Y8 L7 D10 W6 B2", "--hand", "PYY"]
PROCESSES = {
    "bare Python": ["-c", "pass"],
    "import numpy": ["-c", "import numpy"],
    "import numba": ["-c", "import numba"],
    "explain": ["-m", "cherrysim", "explain", "--hand", "PYY"],
    "odds": ["-m", "cherrysim", "odds"],
    "odds --plan 2,2,1": ["-m", "cherrysim", "odds", "--plan", "2,2,1"],
    "ask": ["-m", "cherrysim", "ask", *SEEN],
    "score": ["-m", "cherrysim", "score", "-"],
    "replay": ["-m", "cherrysim", "replay", "-"],
    "odds --method mc": ["-m", "cherrysim", "odds", "--plan", "3,2", "--method", "mc"],
    "play": ["-m", "cherrysim", "play", "--policies", "kept", "--games", "1"],
}
MC = PROCESSES["odds --method mc"]
RECORD = b"cherrysim record 1\nplayers Ann, Ben\n1. Ann: PYY | L -> hide Y\n2. Ben: WWD -> hide none\n"
ALL = """
from cherrysim.bench.cases import KINDS
for kind in KINDS.values():
    for case in kind():
        case.contestants[0].run()
"""


def starts(quick: bool) -> Iterator[Start]:
    """Medians of 3 (quick) or 9 processes each, in turns; then what compiling costs with an empty cache."""
    rounds = 3 if quick else 9
    for arguments in (MC, PROCESSES["play"]):
        _process(arguments)  # the cache is warm from here on
    took: dict[str, list[tuple[float, float]]] = {name: [] for name in PROCESSES}
    for _ in range(rounds):
        for name, arguments in PROCESSES.items():
            took[name].append(_process(arguments))
    for name, several in took.items():
        cpu, wall = (median(column) for column in zip(*several, strict=True))
        yield Start(name, cpu, wall)
    with tempfile.TemporaryDirectory() as folder:
        yield Start("odds --method mc, nothing compiled yet", *_process(MC, folder))
        if not quick:
            yield Start("everything compiled", *_process(["-c", ALL], folder))
            yield Start("everything loaded", *_process(["-c", ALL], folder))


def _process(arguments: list[str], cache: str = "") -> tuple[float, float]:
    """Seconds of a process: processor time, wall time."""
    from resource import RUSAGE_CHILDREN, getrusage

    root = str(Path(__file__).parent.parent.parent)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([root, *sys.path[1:]])}
    if cache:
        environment["CHERRYSIM_CACHE_DIR"] = cache
    before, began = getrusage(RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, *arguments]
    subprocess.run(command, env=environment, input=RECORD, capture_output=True, check=True)
    wall, after = time.perf_counter() - began, getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall
