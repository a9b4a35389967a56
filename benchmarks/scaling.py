"""What games, blocks and tasks cost here, and a simulated scheduler: which blocks keep how many workers busy.

    .venv/bin/python benchmarks/scaling.py             costs of games, blocks and tasks (these take Dask)
    .venv/bin/python benchmarks/scaling.py --simulate  the scheduler alone, from the costs below

Costs are process time, so that others on the machine change them less; SCALING.md says what follows.
"""

import argparse
import heapq
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from cherrysim import runs
from cherrysim.blocks import in_order
from cherrysim.contest import _Tally
from cherrysim.contest.bags import Contest, pack, play_bags
from cherrysim.contest.lineups import line_ups
from cherrysim.policy import parse
from cherrysim.rules import Rules
from cherrysim.simulate import CHUNK
from cherrysim.simulate.blocks import Block, Work, play_block

SCHEDULED = 0.0027
"""Seconds of the scheduler and the client for a task, one after the other, as measured."""
ON_THE_WAY = 0.005
"""Seconds from the end of a task on a worker to the beginning of the next one that waits for it."""
SPREAD = 0.2
"""How much blocks of equal games differ in time, as a part of it."""


def simulated(workers: int, block: float, blocks: int, scheduled: float = SCHEDULED, seed: int = 1) -> float:
    """The part of their time in which workers play, when blocks of so many seconds are sent as `in_order`
    sends them: twice as many begun as there are workers, the oldest taken first, a new one for each taken."""
    chance = random.Random(seed)
    free = [0.0] * workers  # when each worker is next free
    ends: list[float] = []
    server = played = taken = 0.0
    for number in range(blocks):
        sent = 0.0
        if number >= 2 * workers:  # the window moves on when its oldest block has been taken
            taken = max(taken, ends[number - 2 * workers])
            sent = taken
        server = max(server, sent) + scheduled
        took = block * max(0.1, chance.gauss(1.0, SPREAD))
        begun = max(heapq.heappop(free), server + ON_THE_WAY)
        heapq.heappush(free, begun + took)
        ends.append(begun + took)
        played += took
    return played / (workers * max(ends))


def formula(workers: int, block: float, scheduled: float = SCHEDULED) -> float:
    """The same by hand: workers are busy until together they ask for more tasks than are scheduled."""
    return min(1.0, block / (workers * scheduled))


def simulate() -> None:
    print(f"{1e3 * SCHEDULED:.1f} ms a task; the part of their time workers play, simulated (by hand)\n")
    sizes = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
    print("workers " + "".join(f"{size:>14g} s" for size in sizes))
    for workers in (1, 2, 10, 100, 1000):
        cells = []
        for size in sizes:
            blocks = 60 * workers
            cells.append(f"{simulated(workers, size, blocks):>8.0%} ({formula(workers, size):>4.0%}) ")
        print(f"{workers:>7} " + "".join(cells))


def cost(work: Callable[[], object], least: float = 0.5) -> float:
    """Seconds of process time that the work takes, the least of three times."""
    found = []
    for _ in range(3):
        n, begun = 0, time.process_time()
        while (took := time.process_time() - begun) < least / 3:
            work()
            n += 1
        found.append(took / n)
    return min(found)


def measure() -> None:
    rules = Rules()
    for name, games in (("plan:3+2", 4096), ("kept", 512), ("points", 64), ("learned", 64)):
        work = Work(rules, (parse(name),) * 4, 1)
        play_block(work, 0, 8)
        print(f"{name:<10}{1e6 * cost(lambda w=work, n=games: play_block(w, 0, n)) / games:>9.1f} us a game")
    work = Work(rules, (parse("plan:3+2"),) * 4, 1)
    for chunks in (1, 16):
        block = play_block(work, 0, chunks * CHUNK)
        print(f"play, {chunks} chunks: {len(block.pack())} bytes, packed in {1e3 * cost(block.pack):.3f} ms")
    rows = play_block(Work(rules, (parse("plan:3+2"),) * 4, 1, rows=True), 0, CHUNK)
    print(f"with rows: {len(rows.pack())} bytes, packed in {1e3 * cost(rows.pack):.1f} ms")
    kept(block)
    contest = Contest(rules, line_ups(["plan:3+2", "plan:2+1"], rules), 1)
    chunks = play_bags(contest, 0, contest.chunk)
    print(f"compare, a chunk: {len(pack(chunks))} bytes, packed in {1e3 * cost(lambda: pack(chunks)):.3f} ms")
    tally = _Tally(contest, 10**9, 0.001)
    told = cost(lambda: (tally.add(chunks[0]), tally.reach()))
    print(f"compare, a chunk added and looked at: {1e3 * told:.3f} ms")


def kept(block: Block) -> None:
    data, n = block.pack(), 100
    with tempfile.TemporaryDirectory() as folder, runs.opened(Path(folder) / "run.db", {}) as run:
        part = run.part("all", 1)
        begun, cpu = time.perf_counter(), time.process_time()
        for _ in range(n):
            part.add(block.games, data)
            run.commit()
        cpu, took = (time.process_time() - cpu) / n, (time.perf_counter() - begun) / n
    print(f"a block kept and committed: {1e3 * cpu:.2f} ms of process time, {1e3 * took:.1f} ms on the clock")


def nothing(number: int) -> bytes:
    return bytes(3000)


def tasks() -> None:
    import psutil

    from cherrysim.cluster import workers

    n = 1000
    with workers(n=2) as found:
        list(in_order(nothing, 50, executor=found, threads=2))
        there = [child for child in psutil.Process().children(recursive=True) if child.is_running()]
        before = sum(sum(child.cpu_times()[:2]) for child in there)
        begun, cpu = time.perf_counter(), time.process_time()
        list(in_order(nothing, n, executor=found, threads=2))
        cpu, took = (time.process_time() - cpu) / n, (time.perf_counter() - begun) / n
        after = sum(sum(child.cpu_times()[:2]) for child in there)
    print(
        f"a task: {1e3 * cpu:.2f} ms of scheduler and client, {1e3 * (after - before) / n:.2f} ms of a worker"
    )
    print(f"with two workers: {1e3 * took:.1f} ms on the clock")


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--simulate", action="store_true")
    if not options.parse_args().simulate:
        measure()
        tasks()
    simulate()
