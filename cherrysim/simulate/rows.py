"""Result rows as a file: CSV, or Parquet where pyarrow is installed; whole games only, whatever happens.

The rows go to a file beside the one asked for, which takes its name in one step at the end.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cherrysim.files import check_free
from cherrysim.flowers import Refused
from cherrysim.simulate.arrays import COLUMNS

if TYPE_CHECKING:
    from numpy.typing import NDArray

HEADER = ("game", "seat", "policy", *COLUMNS[2:])
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def cell(text: str) -> str:
    """A text for CSV: quoted where it must be, and never read as a formula by a spreadsheet.

    >>> cell("plan:3+2"), cell("=1+1"), cell('a "b", c')
    ('plan:3+2', "'=1+1", '"a ""b"", c"')
    """
    safe = f"'{text}" if text.startswith(_FORMULA) else text
    return '"' + safe.replace('"', '""') + '"' if set(safe) & set('",\r\n') else safe


class Writer:
    """Takes rows of whole games, in order, and writes them with the policies' names."""

    def __init__(self, path: Path, policies: Sequence[str]) -> None:
        self.policies = list(policies)
        self.parquet = path.suffix.lower() == ".parquet"
        self.out: Any = None
        self.path = path

    def open(self, path: Path) -> None:
        if self.parquet:
            pyarrow, parquet = _pyarrow()
            fields = [(name, pyarrow.string() if name == "policy" else pyarrow.int32()) for name in HEADER]
            self.out = parquet.ParquetWriter(path, pyarrow.schema(fields))
        else:
            self.out = open(path, "w", encoding="utf-8", newline="")  # noqa: SIM115 - closed by `close`
            self.out.write(",".join(HEADER) + "\n")

    def write(self, rows: NDArray[Any]) -> None:
        with _told(self.path):
            self._write(rows)

    def _write(self, rows: NDArray[Any]) -> None:
        names = [self.policies[i % len(self.policies)] for i in range(len(rows))]
        if self.parquet:
            pyarrow, _ = _pyarrow()
            columns = [pyarrow.array(rows[:, i], pyarrow.int32()) for i in range(len(COLUMNS))]
            columns.insert(2, pyarrow.array(names))
            self.out.write_table(pyarrow.table(columns, schema=self.out.schema))
            return
        cells = {name: cell(name) for name in self.policies}
        lines = []
        for name, (game, seat, *rest) in zip(names, rows.tolist(), strict=True):
            lines.append(f"{game},{seat},{cells[name]},{','.join(map(str, rest))}\n")
        self.out.write("".join(lines))

    def close(self) -> None:
        if self.out is not None:
            self.out.close()


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise Refused(
            "a .parquet file needs pyarrow; it is not installed; write .csv or install it"
        ) from None
    return pyarrow, pyarrow.parquet


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """What the system complains of about a file, as a refusal."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise Refused(f"{str(path)!a} cannot be written: {reason}; name another place") from None


@contextmanager
def writing(path: str | os.PathLike[str], policies: Sequence[str], force: bool = False) -> Iterator[Writer]:
    """A writer whose file takes its name when the block ends, also by Ctrl-C; nothing is left after any
    other error."""
    target = Path(path)
    if target.suffix.lower() not in (".csv", ".parquet"):
        raise Refused(
            f"{str(path)!a} is neither .csv nor .parquet; rows are written as one of them; name it so"
        )
    check_free(path, force)
    writer = Writer(target, policies)
    place = Path(os.path.realpath(target))
    scratch = place.with_name(f".cherrysim-{secrets.token_hex(8)}{target.suffix}")
    try:
        with _told(target):
            writer.open(scratch)
        yield writer
        with _told(target):
            writer.close()
            os.replace(scratch, place)
    finally:
        writer.close()
        scratch.unlink(missing_ok=True)
