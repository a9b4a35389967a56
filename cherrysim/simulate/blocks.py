"""Games in blocks: the one place where work is handed out, counted and put together again.

Games are numbered from 0 and belong to chunks of 4,096; a block is a few whole chunks. What a block gives
depends on the seed and its number only, results are taken in the blocks' order, and totals are whole
numbers: threads, workers and block sizes cannot change a byte. A block stops early, between games, when it
is told to.
"""

from __future__ import annotations

import hashlib
import signal
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from cherrysim.blocks import in_order
from cherrysim.policy import Policy
from cherrysim.rules import Rules
from cherrysim.runs import Part, packed, unpacked
from cherrysim.simulate import arrays
from cherrysim.simulate.arrays import COLUMNS

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHUNK = 4096
"""Games whose rows are hashed together."""
_PAUSE = 0.1
"""Seconds of games between two looks at the signal to stop."""
_MOST_SENT, _SERVED = 256, 0.005
"""Most chunks in a block that is sent to a worker; seconds for each worker that a block takes at least, about
twice what scheduling it does (benchmarks/SCALING.md)."""


@dataclass(frozen=True, slots=True)
class Work:
    """Which games: who plays them by which rules, from which seed, whether their rows are wanted;
    `even_splits` leaves wilds split evenly, to see what the model of ruling R26 changes."""

    rules: Rules
    policies: tuple[Policy, ...]
    seed: int
    rows: bool = False
    even_splits: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """What a block of games came to; `games` are fewer than asked for if it was stopped."""

    games: int
    totals: NDArray[Any]
    digests: tuple[bytes, ...]
    rows: NDArray[Any] | None

    def pack(self) -> bytes:
        """The block as bytes, for a run's file."""
        import numpy as np

        rows = b"" if self.rows is None else zlib.compress(self.rows.tobytes(), 1)
        digests = [digest.hex() for digest in self.digests]
        return packed([self.games, digests], totals=self.totals, rows=np.frombuffer(rows, np.uint8))

    @classmethod
    def unpack(cls, data: bytes) -> Block:
        """The block that `pack` gave these bytes of."""
        import numpy as np

        (games, digests), arrays = unpacked(data)
        rows = None
        if len(arrays["rows"]):
            rows = np.frombuffer(zlib.decompress(arrays["rows"].tobytes()), "<i4").reshape(-1, len(COLUMNS))
        return cls(games, arrays["totals"], tuple(map(bytes.fromhex, digests)), rows)


def play_block(work: Work, first: int, games: int, stopped: Callable[[], bool] | None = None) -> Block:
    """Play games first .. first + games - 1, `first` being a multiple of the chunk's size."""
    arguments = (
        arrays.rules_array(work.rules, work.even_splits),
        arrays.policies_array(work.policies),
        arrays.solver(work.rules, work.policies),
        arrays.no_log(),
    )
    totals = arrays.totals(work.rules)
    digests: list[bytes] = []
    kept: list[NDArray[Any]] = []
    done = 0
    pace = Pace(stopped)
    room = None if work.rows else arrays.room(work.rules, min(CHUNK, games))
    for start in range(0, games, CHUNK):
        asked = min(CHUNK, games - start)
        rows = pace.play(work.rules, work.seed, first + start, asked, arguments, room)
        played = len(rows) // work.rules.players
        if played:
            _add(rows, played, work, totals)
            digests.append(hashlib.sha256(rows.data).digest())
            kept += [rows] if work.rows else []
        done += played
        if played < asked:
            break
    return Block(done, totals, tuple(digests), _joined(kept))


def _add(rows: NDArray[Any], games: int, work: Work, totals: NDArray[Any]) -> None:
    from cherrysim.kernels.totals import add_totals

    add_totals(rows, 0, games, work.rules.players, totals)


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any] | None:
    import numpy as np

    return np.concatenate(parts) if parts else None


class Pace:
    """Plays games a few at a time, so many that the signal to stop is looked at every tenth of a second."""

    def __init__(self, stopped: Callable[[], bool] | None = None) -> None:
        self.stopped = stopped
        self.some = 16

    def play(
        self,
        rules: Rules,
        seed: int,
        first: int,
        games: int,
        arguments: tuple[Any, ...],
        room: NDArray[Any] | None = None,
        luck: NDArray[Any] | None = None,
    ) -> NDArray[Any]:
        """The rows of games first .. first + games - 1, of as many as were played before the signal to stop;
        in `room`, to be overwritten by the next, if it is given. With `luck` that is written too."""
        import numpy as np

        from cherrysim.kernels.adjusted import play_adjusted
        from cherrysim.kernels.game import play_games

        rows = arrays.room(rules, games) if room is None else room
        players, key = rules.players, np.uint64(seed)
        done = 0
        while done < games and not (self.stopped and self.stopped()):
            some = min(self.some, games - done)
            begun = time.perf_counter()
            part = slice(done * players, (done + some) * players)
            if luck is None:
                sound = play_games(first + done, some, key, *arguments, rows[part])
            else:
                sound = play_adjusted(first + done, some, key, *arguments, rows[part], luck[part])
            if sound != some:
                raise RuntimeError(
                    f"flowers are not conserved in {some - sound} of the games from {first + done}"
                )
            done += some
            took = time.perf_counter() - begun
            if some == self.some and took < _PAUSE / 2:
                self.some *= 2
            elif took > _PAUSE and some > 1:
                self.some = some // 2
        return rows[: done * players]


def block_size(games: int, threads: int, rows: bool) -> int:
    """Games in a block: few enough to share them out, and rows in memory are never many."""
    chunks = games // (8 * threads * CHUNK)
    return CHUNK * (1 if rows else min(max(chunks, 1), 16))


def sent_chunks(play: Callable[[int], object], chunk: int, chunks: int, threads: int) -> int:
    """How many chunks make a block that keeps one of so many workers busy for a second or, where they are
    many, as long as a scheduler takes to serve all; fewer where they would not go round. `play` plays some
    games (or bags) of a chunk, to see how long that takes.

    >>> sent_chunks(lambda games: sum(range(2000 * games)), 4096, 1000, 2) < 100
    True
    """

    def took(games: int) -> float:
        begun = time.thread_time()
        play(games)
        return time.thread_time() - begun

    play(1)  # compiled
    empty, games = took(1), 64
    while (played := took(games) - empty) < _PAUSE / 2 and games < chunk:
        games = min(4 * games, chunk)
    seconds = max(1.0, _SERVED * threads)
    return max(1, min(int(seconds * games / chunk / max(played, 1e-6)), chunks // (4 * threads), _MOST_SENT))


def play_blocks(
    work: Work,
    games: int,
    size: int,
    threads: int,
    executor: Executor | None,
    take: Callable[[Block], None],
    part: Part | None = None,
) -> bool:
    """Give the blocks of games 0 .. games - 1 in order to `take`; whether Ctrl-C ended it.

    Whole blocks are kept in a `part` of a run, whose size of a block they have, and are taken from it first.
    After Ctrl-C `take` gets the blocks finished by then, up to the first that is not whole, which it gets
    too; an executor of the caller's cannot be told to stop, and only whole blocks are taken from it.
    """
    play_block(work, 0, 1)  # compiled here, where it can be interrupted; in a thread it could not be
    with interruptible() if executor is None else nullcontext() as stop:
        task = partial(_numbered, work, games, size, None if stop is None else stop.is_set)
        begin = partial(in_order, task, -(-games // size), threads=threads, executor=executor)

        def pack(number: int, block: Block) -> tuple[int, bytes] | None:
            whole = block.games == min(size, games - number * size)
            return (block.games, block.pack()) if whole else None

        blocks = begin() if part is None else part.resumed(begin, pack, Block.unpack)
        try:
            for number, block in enumerate(blocks):
                if block.games:
                    take(block)
                if block.games < min(size, games - number * size):
                    return True
        except KeyboardInterrupt:
            return True
    return False


def _numbered(work: Work, games: int, size: int, stopped: Callable[[], bool] | None, number: int) -> Block:
    """The block of this number."""
    return play_block(work, number * size, min(size, games - number * size), stopped)


@contextmanager
def interruptible() -> Iterator[threading.Event]:
    """An event that the first Ctrl-C sets; the second interrupts as usual. Only the main thread hears of
    either."""
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = signal.getsignal(signal.SIGINT)

    def heard(*_: object) -> None:
        stop.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, heard)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
