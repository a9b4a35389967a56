"""Runs kept in a file: what is done stays done, whatever ends the process, and goes on where it was.

The one rule: what a block of work gives depends on the question and the block's number alone (see `blocks`),
so blocks read from a file, followed by those that were missing, are a run that was never interrupted.

A file is one run: an SQLite database that says what was asked and by which program, and holds the blocks of
each part of the work, numbered from 0 without a gap, every one with its SHA-256. Data are JSON and the plain
bytes of arrays; nothing in it is ever executed. A rollback journal, synced, makes blocks and their numbers
whole after kill -9 and power cuts, and but for a moment the run is one file; the lock is held as long as
the process lives and goes with it. Blocks are kept together where keeping them one by one would cost more
than a twentieth of the time.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from cherrysim import __version__
from cherrysim.flowers import Refused, number_of, read_json
from cherrysim.rules import Rules

if TYPE_CHECKING:
    from numpy.typing import NDArray

Result = TypeVar("Result")

_OURS, _FORMAT = 0x43485259, 2
"""What SQLite files of ours say they are; the version of the tables."""
_TABLES = (
    "CREATE TABLE run (one INTEGER PRIMARY KEY CHECK (one = 1), program TEXT NOT NULL, asked TEXT NOT NULL)",
    "CREATE TABLE parts (part INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, "
    "ended TEXT)",
    "CREATE TABLE blocks (part INTEGER NOT NULL, number INTEGER NOT NULL, games INTEGER NOT NULL, "
    "digest BLOB NOT NULL, data BLOB NOT NULL, PRIMARY KEY (part, number))",
)
_SHARE, _LONGEST = 20, 5.0
"""Between two commits lies this many times what the last one took, at most so many seconds."""


@lru_cache(maxsize=1)
def program() -> Mapping[str, str]:
    """What decides the games besides the question: versions, and digests of the kernels and of the weights.

    >>> sorted(program())
    ['cherrysim', 'kernels', 'numba', 'numpy', 'weights']
    """
    import numba
    import numpy

    own = Path(__file__).parent
    versions = {"cherrysim": __version__, "numba": numba.__version__, "numpy": numpy.__version__}
    return versions | {"kernels": _digest(own / "kernels", "*.py"), "weights": _digest(own / "data", "*.npz")}


def _digest(folder: Path, pattern: str) -> str:
    digest = hashlib.sha256()
    for file in sorted(folder.glob(pattern)):
        digest.update(file.name.encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


def packed(note: Any, **arrays: NDArray[Any]) -> bytes:
    """A note and arrays of numbers as bytes: a line of JSON with the note, names, types and shapes, then the
    arrays one after the other."""
    heads = {name: [array.dtype.str, array.shape] for name, array in arrays.items()}
    head = json.dumps([note, heads], separators=(",", ":")).encode()
    return b"\n".join((head, b"".join(array.tobytes() for array in arrays.values())))


def unpacked(data: bytes) -> tuple[Any, dict[str, NDArray[Any]]]:
    """The note and the arrays of `packed`.

    >>> import numpy as np
    >>> unpacked(packed("two", n=np.array([1, 2])))
    ('two', {'n': array([1, 2])})
    """
    import numpy as np

    head, _, rest = data.partition(b"\n")
    note, heads = json.loads(head)
    arrays, at = {}, 0
    for name, (kind, shape) in heads.items():
        dtype = np.dtype(kind)
        n = int(np.prod(shape, dtype=np.int64))
        arrays[name] = np.frombuffer(rest, dtype, n, at).reshape(shape)
        at += n * dtype.itemsize
    return note, arrays


class Part:
    """A part of a run: its blocks of `size` (in what they are cut from), those done first."""

    def __init__(self, run: Run, number: int, name: str, size: int, done: int) -> None:
        self.run, self.number, self.name, self.size, self.done = run, number, name, size, done

    def resumed(
        self,
        begin: Callable[..., Iterator[Result]],
        pack: Callable[[int, Result], tuple[int, bytes] | None],
        unpack: Callable[[bytes], Result],
    ) -> Iterator[Result]:
        """What the blocks gave that are kept, then those that `begin(first=...)` gives from there on.

        Each is kept before it is handed on: `pack` gives the games and bytes of a block by its number, None
        for one that is not whole.
        """
        for data in self.blocks():
            yield unpack(data)
        for result in begin(first=self.done):
            if (kept := pack(self.done, result)) is not None:
                self.add(*kept)
            yield result

    def blocks(self) -> Iterator[bytes]:
        """The blocks kept, in order; raises `Refused` for one that is not what was written."""
        for number in range(self.done):
            with self.run.told():
                found = self.run.connection.execute(
                    "SELECT games, digest, data FROM blocks WHERE part = ? AND number = ?",
                    (self.number, number),
                ).fetchone()
            sound = found is not None and [type(part) for part in found] == [int, bytes, bytes]
            if not sound or found[1] != self._digest(number, found[0], found[2]):
                raise damaged(self.run.name, f"block {number} of {self.name} is not what was written")
            yield found[2]

    def add(self, games: int, data: bytes) -> None:
        """Keep the next block."""
        self.write(self.done, games, data)
        self.done += 1

    def write(self, number: int, games: int, data: bytes) -> None:
        """Keep a block under this number, in the place of one that has it."""
        row = (self.number, number, games, self._digest(number, games, data), data)
        self.run.change("INSERT OR REPLACE INTO blocks VALUES (?, ?, ?, ?, ?)", row)
        self.run.commit_in_time()

    def end(self, result: str) -> None:
        """Note what the part came to."""
        self.run.change("UPDATE parts SET ended = ? WHERE part = ?", (result, self.number))
        self.run.commit()

    def _digest(self, number: int, games: int, data: bytes) -> bytes:
        """Of the data and all that says which part of the work they are."""
        which = json.dumps([self.name, self.size, number, games])
        return hashlib.sha256(which.encode() + data).digest()


class Run:
    """An open file, locked for this process."""

    def __init__(self, path: str | os.PathLike[str], asked: Mapping[str, Any]) -> None:
        self.name = shown(path)
        self._committed, self._took = time.monotonic(), 0.0
        with self.told():
            self.connection = _connect(path, "rwc")
        try:
            with self.told():
                self.connection.execute("PRAGMA locking_mode = EXCLUSIVE")
                self.connection.execute("PRAGMA synchronous = FULL")
                self.connection.execute("BEGIN EXCLUSIVE")
                if not self.connection.execute("SELECT 1 FROM sqlite_schema").fetchone():
                    self._create(asked)
                    self.connection.execute("COMMIT")
                    return
                check_file(self.connection, self.name)
                self._check(asked)
                self.connection.execute("UPDATE run SET one = 1")  # what can only be read is noticed now
                self.connection.execute("ROLLBACK")
        except BaseException:
            self.connection.close()
            raise

    def part(self, name: str, size: int) -> Part:
        """The part of this name, begun with blocks of this size if it has not been yet."""
        with self.told():
            row = self.connection.execute("SELECT part, size FROM parts WHERE name = ?", (name,)).fetchone()
            if row is None:
                self.change("INSERT INTO parts (name, size) VALUES (?, ?)", (name, size))
                self.commit()
                return self.part(name, size)
            done = self.connection.execute(
                "SELECT count(*), coalesce(max(number) + 1, 0) FROM blocks WHERE part = ?", row[:1]
            ).fetchone()
        if done[0] != done[1]:
            raise damaged(self.name, f"{done[1] - done[0]} of {done[1]} blocks of {name} are missing")
        if type(row[1]) is not int or row[1] < 1:
            raise damaged(self.name, f"blocks of {name} have a size of {_brief(row[1])}")
        return Part(self, row[0], name, row[1], done[0])

    def change(self, statement: str, values: tuple[Any, ...]) -> None:
        """Write, in a transaction that `commit` ends."""
        with self.told():
            if not self.connection.in_transaction:
                self.connection.execute("BEGIN")
            self.connection.execute(statement, values)

    def commit(self) -> None:
        """Make what was written last."""
        begun = time.monotonic()
        with self.told():
            if self.connection.in_transaction:
                self.connection.execute("COMMIT")
        self._committed = time.monotonic()
        self._took = self._committed - begun

    def commit_in_time(self) -> None:
        """The same, unless the last time is too near for what it takes."""
        if time.monotonic() - self._committed >= min(_SHARE * self._took, _LONGEST):
            self.commit()

    def close(self) -> None:
        """Commit and let go of the file."""
        try:
            self.commit()
        finally:
            self.connection.close()

    @contextmanager
    def told(self) -> Iterator[None]:
        """What SQLite complains of, as a refusal."""
        with told(self.name):
            yield

    def _create(self, asked: Mapping[str, Any]) -> None:
        self.connection.execute(f"PRAGMA application_id = {_OURS}")
        self.connection.execute(f"PRAGMA user_version = {_FORMAT}")
        for table in _TABLES:
            self.connection.execute(table)
        self.connection.execute(
            "INSERT INTO run VALUES (1, ?, ?)", (json.dumps(dict(program())), json.dumps(asked))
        )

    def _check(self, asked: Mapping[str, Any]) -> None:
        """Refuse a run of another program or another question."""
        by, what = identity(self.connection, self.name)
        for key, value in program().items():
            if by.get(key) != value:
                raise Refused(
                    f"{self.name} was made with {key} {by.get(key)}; here it is {value}, which may play "
                    "other games; go on with that one, or begin another file"
                )
        wanted = json.loads(json.dumps(asked))
        for key in sorted({*what, *wanted}):
            if what.get(key) != wanted.get(key):
                raise Refused(
                    f"{self.name} holds a run with {key} {_brief(what.get(key))}; asked is "
                    f"{_brief(wanted.get(key))}; a run goes on with its own question; give that one or "
                    "another file"
                )


def shown(path: str | os.PathLike[str]) -> str:
    """A file's name for a message."""
    return ascii(os.fsdecode(path)[-60:])


def _brief(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=repr)
    return ascii(text[:60] + "..." if len(text) > 60 else text).strip("'")


@contextmanager
def opened(path: str | os.PathLike[str] | None, asked: Mapping[str, Any]) -> Iterator[Run | None]:
    """The run in a file, begun if there is none, and closed with all it was given; None without a file.

    Raises `Refused` for a file that another process works on, that is damaged, no run, or one of another
    program or question; it is left as it was.
    """
    if path is None:
        yield None
        return
    run = Run(path, asked)
    try:
        yield run
    finally:
        run.close()


def _connect(path: str | os.PathLike[str], mode: str) -> sqlite3.Connection:
    if "\0" in (name := os.fsdecode(path)):
        raise ValueError("a zero byte in its name")
    if os.path.exists(name) and not os.path.isfile(name):
        raise Refused(f"{shown(path)} is no ordinary file; a run is kept in one; name another place")
    uri = f"{Path(name).absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=0.2)
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def check_file(connection: sqlite3.Connection, name: str) -> None:
    """Raise `Refused` for a database that is none of ours, of another format, or damaged."""
    ours, form = (
        connection.execute(f"PRAGMA {field}").fetchone()[0] for field in ("application_id", "user_version")
    )
    if ours != _OURS:
        raise Refused(f"{name} is no run; --run begins one and goes on with it; name another file")
    if form != _FORMAT:
        raise Refused(f"{name} is a run of format {form}; format {_FORMAT} is read; begin another file")
    found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise damaged(name, " ".join(found.split())[:80])


def identity(connection: sqlite3.Connection, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """By which program a run was made, and what was asked."""
    try:
        by, what = map(read_json, connection.execute("SELECT program, asked FROM run").fetchone())
        if isinstance(by, dict) and isinstance(what, dict):
            return by, what
    except (TypeError, ValueError):
        pass
    raise damaged(name, "it does not say what was asked")


def damaged(name: str, reason: str) -> Refused:
    """The refusal of a file that is not what was written."""
    return Refused(
        f"{name} is damaged: {reason}; a run is read whole or not at all; begin another file (this one is "
        "left as it is)"
    )


@contextmanager
def told(name: str) -> Iterator[None]:
    """What SQLite complains of about a file, as a refusal."""
    try:
        yield
    except (sqlite3.Error, ValueError) as error:
        if isinstance(error, Refused):
            raise
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CANTOPEN) & 0xFF
        reason = str(error)
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise Refused(
                f"{name} is in use by another process; one at a time works on a run; wait for it or stop it"
            ) from None
        if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            raise Refused(
                f"{name} cannot grow: {reason}; the blocks it holds are whole; make room and give the same "
                "command"
            ) from None
        if code == sqlite3.SQLITE_NOTADB:
            raise Refused(
                f"{name} is no run: {reason}; --run begins one and goes on with it; name another file"
            ) from None
        if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
            raise Refused(
                f"{name} cannot be written: {reason}; a run is kept in it block by block; name another place"
            ) from None
        raise damaged(name, reason) from None


@dataclass(frozen=True, slots=True)
class Kept:
    """What a file of a run holds: the program that made it, the question, and of each part its blocks, their
    games and, once it has ended, what it came to."""

    name: str
    program: Mapping[str, Any]
    asked: Mapping[str, Any]
    parts: tuple[Mapping[str, Any], ...]

    def to_json(self) -> dict[str, Any]:
        """The document of `cherrysim runs --json`."""
        return {
            "program": dict(self.program),
            "asked": dict(self.asked),
            "parts": list(map(dict, self.parts)),
        }

    def __str__(self) -> str:
        lines = [f"A run in {self.name}", ""]
        lines += [f"{key:<11}{_said(key, value)}" for key, value in self.asked.items() if value is not None]
        lines += ["", "made with  " + ", ".join(f"{key} {value}" for key, value in self.program.items()), ""]
        for part in self.parts:
            end = (
                f"ended, {part['ended']}" if part["ended"] else "not ended; the same command goes on with it"
            )
            lines.append(
                f"{part['name']}: {part['games']:,} games in {number_of(part['blocks'], 'block')}; {end}"
            )
        lines += [] if self.parts else ["nothing is done yet"]
        return "\n".join("".join(c if c.isprintable() else "?" for c in line) for line in lines)


def _said(key: str, value: Any) -> str:
    """A part of the question in words; raises `Refused` or another `ValueError` for rules that are none."""
    if key == "files":
        return "; ".join(f"{file}: {_said('rules', rules)}" for file, rules in value)
    if key == "rules":
        rules = Rules.from_mapping(value if isinstance(value, dict) else {key: value})
        cards = f"{rules.players} players, cards {', '.join(rules.cards) or 'none'}"
        return f"{cards}; {rules.changes}" if rules.changes else cards
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _sound(row: tuple[Any, ...]) -> bool:
    """Whether name, size, end, blocks and games of a part can be those of one."""
    words, numbers = (row[0], row[2] or ""), (row[1], *row[3:])
    return all(type(word) is str for word in words) and all(type(n) is int and n >= 0 for n in numbers)


def kept(path: str | os.PathLike[str]) -> Kept:
    """What a run's file holds; raises `Refused` where it is none, damaged or in use.

    >>> kept("no such file")
    Traceback (most recent call last):
        ...
    cherrysim.flowers.Refused: 'no such file' is not there; --run begins a run and keeps it; check the name
    """
    name = shown(path)
    if not os.path.exists(path):
        raise Refused(f"{name} is not there; --run begins a run and keeps it; check the name")
    with told(name):
        connection = _connect(path, "rw")
        try:
            check_file(connection, name)
            by, what = identity(connection, name)
            rows = connection.execute(
                "SELECT name, size, ended, count(number), coalesce(sum(games), 0) FROM parts "
                "LEFT JOIN blocks USING (part) GROUP BY part ORDER BY part"
            ).fetchall()
        finally:
            with suppress(sqlite3.Error):
                connection.close()
    if not all(map(_sound, rows)):
        raise damaged(name, "its parts are not what was written")
    try:
        for key, value in what.items():
            _said(key, value)
    except (TypeError, ValueError):
        raise damaged(name, "the rules in it are none") from None
    keys = ("name", "size", "ended", "blocks", "games")
    return Kept(name, by, what, tuple(dict(zip(keys, row, strict=True)) for row in rows))
