"""Bags played in every seating: the block of work of a contest, and its sums in whole numbers.

Bags are numbered from 0, game i of `play` and bag i of a contest having the same randomness. A chunk is as
many bags as make at most 4,096 games, a block a few chunks. Result rows stand in this order: chunk, line-up,
seating, bag, seat; their columns are `cherrysim.simulate.COLUMNS`, `game` being the bag's number."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import gcd
from typing import TYPE_CHECKING, Any

from cherrysim.contest.lineups import Groups, LineUps, groups
from cherrysim.rules import Rules
from cherrysim.runs import packed, unpacked
from cherrysim.simulate import arrays
from cherrysim.simulate.blocks import CHUNK, Pace

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Contest:
    """Who meets whom, by which rules and from which seed; whether luck is taken off beside."""

    rules: Rules
    line_ups: LineUps
    seed: int
    adjusted: bool = False

    @property
    def games(self) -> int:
        """Games of one bag: all seatings of all line-ups."""
        return len(self.line_ups.all_seatings)

    @property
    def chunk(self) -> int:
        """Bags of a chunk."""
        return CHUNK // self.games

    @property
    def groups(self) -> Groups:
        return groups(self.line_ups, self.rules.players)


@dataclass(frozen=True, slots=True)
class Chunk:
    """What a chunk came to: sums of groups and of differences, how often each final score was reached by
    policy (the lowest one, then the counts from it on), the SHA-256 of its rows."""

    bags: int
    sums: NDArray[Any]
    apart: NDArray[Any]
    scores: tuple[tuple[int, list[int]], ...]
    digest: bytes


def pack(chunks: Sequence[Chunk]) -> bytes:
    """Chunks as bytes, for a run's file."""
    import numpy as np

    note = [[chunk.bags, chunk.scores, chunk.digest.hex()] for chunk in chunks]
    sums, apart = ([getattr(chunk, name) for chunk in chunks] for name in ("sums", "apart"))
    return packed(note, sums=np.stack(sums), apart=np.stack(apart))


def unpack(data: bytes) -> list[Chunk]:
    """The chunks that `pack` gave these bytes of."""
    note, arrays = unpacked(data)
    return [
        Chunk(bags, sums, apart, tuple((lowest, counts) for lowest, counts in scores), bytes.fromhex(digest))
        for (bags, scores, digest), sums, apart in zip(note, arrays["sums"], arrays["apart"], strict=True)
    ]


def weights(contest: Contest) -> list[tuple[int, int, int]]:
    """For each pair of policies whole numbers x, y, z: a's sum times x less b's times y is z times the
    difference of their means per seat held."""
    seats, found = contest.groups.seats, []
    for a, b in contest.line_ups.pairs:
        common = gcd(seats[a], seats[b])
        found.append((seats[b] // common, seats[a] // common, seats[a] * seats[b] // common))
    return found


def play_bags(
    contest: Contest, first: int, bags: int, stopped: Callable[[], bool] | None = None
) -> list[Chunk]:
    """Play bags first .. first + bags - 1, `first` being a multiple of the chunk's size; whole chunks only
    where it is stopped."""
    import numpy as np

    pace = Pace(stopped)
    chunks: list[Chunk] = []
    for start in range(first, first + bags, contest.chunk):
        asked = min(contest.chunk, first + bags - start)
        rows = arrays.room(contest.rules, asked * contest.games)
        luck = np.zeros(len(rows), np.int64)
        parts = rows.reshape(contest.games, asked * contest.rules.players, -1)
        of_parts = luck.reshape(contest.games, -1) if contest.adjusted else [None] * contest.games
        for seated, part, lucky in zip(kernel_arguments(contest), parts, of_parts, strict=True):
            if len(pace.play(contest.rules, contest.seed, start, asked, seated, part, lucky)) < len(part):
                return chunks
        chunks.append(_chunk(contest, asked, rows, luck))
    return chunks


_room = threading.local()
"""The last contest of each thread and what its kernel reads."""


def kernel_arguments(contest: Contest) -> list[tuple[Any, ...]]:
    """What the game kernel reads, for each seating; the room to solve turns in belongs to this thread."""
    if getattr(_room, "contest", None) != contest:
        _room.arguments, _room.contest = _arguments(contest), contest
    found: list[tuple[Any, ...]] = _room.arguments
    return found


def _arguments(contest: Contest) -> list[tuple[Any, ...]]:
    policies = contest.line_ups.policies
    rules, numbers = arrays.rules_array(contest.rules), arrays.policies_array(policies)
    log, found = arrays.no_log(), []
    roller = arrays.roller(contest.rules, policies) if contest.adjusted else None
    solver = arrays.solver(contest.rules, policies) if roller is None else roller.solver
    for seating in map(list, contest.line_ups.all_seatings):
        seated = solver._replace(weights=solver.weights[seating])
        tools = seated if roller is None else roller._replace(solver=seated)
        found.append((rules, numbers[seating], tools, log))
    return found


def _chunk(contest: Contest, bags: int, rows: NDArray[Any], luck: NDArray[Any]) -> Chunk:
    import numpy as np

    from cherrysim.kernels.contest import COMPARED, MEASURES, add_bags

    of_seats, pairs = _numbers(contest)
    sums = np.zeros((of_seats.max() + 1, MEASURES, 3), np.int64)
    apart = np.zeros((len(pairs), len(COMPARED), 2), np.int64)
    add_bags(rows, luck, arrays.rules_array(contest.rules), of_seats, pairs, sums, apart)
    return Chunk(bags, sums, apart, _scores(contest, rows), hashlib.sha256(rows.data).digest())


@lru_cache(maxsize=16)
def _numbers(contest: Contest) -> tuple[NDArray[Any], NDArray[Any]]:
    """Groups of the seats and pairs with their weights, as the kernel reads them."""
    import numpy as np

    pairs = zip(contest.line_ups.pairs, weights(contest), strict=True)
    return contest.groups.of_seats, np.array([(a, b, x, y) for (a, b), (x, y, _) in pairs], np.int64)


def _scores(contest: Contest, rows: NDArray[Any]) -> tuple[tuple[int, list[int]], ...]:
    """For each policy its lowest score and how often it reached that, one more, two more, ..."""
    import numpy as np

    seatings, players = contest.line_ups.all_seatings, contest.rules.players
    scores = rows[:, arrays.COLUMNS.index("score")].reshape(len(seatings), -1, players)
    found = []
    for policy in range(len(contest.line_ups.policies)):
        own = np.concatenate([scores[k][:, np.equal(s, policy)].ravel() for k, s in enumerate(seatings)])
        lowest = int(own.min())
        found.append((lowest, np.bincount(own - lowest).tolist()))
    return tuple(found)
