"""Files a user names: read whole or refused in one line, written whole or not at all.

A file is at most `MOST_BYTES` of UTF-8 text; of a longer one no more than that is read. A file is written
under another name in its folder and then takes its own in one step, so that nobody ever meets half of it.
"""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

from cherrysim.flowers import Refused

MOST_BYTES = 1 << 20
"""Largest file that is read: 1 MiB, far more than any table, rules or record needs."""


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a file, with plain line ends and no byte-order mark; raises `Refused` where it is none.

    >>> read_text("no such file")
    Traceback (most recent call last):
        ...
    cherrysim.flowers.Refused: 'no such file' cannot be read: no such file or directory; ...
    """
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise Refused(
            f"{_shown(path)} cannot be read: {_reason(error)}; a file of text is read; check the name"
        ) from None
    return text_of(data, _shown(path))


def text_of(data: bytes, name: str) -> str:
    """The text that some bytes (at most `MOST_BYTES`) are; `name` says in a refusal where they came from."""
    if len(data) > MOST_BYTES:
        raise Refused(f"{name} is longer than {MOST_BYTES} bytes; at most 1 MiB is read; name the right file")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused(
            f"{name} is not UTF-8 at byte {error.start + 1}; files are UTF-8 text; save it as that"
        ) from None
    if "\0" in text:
        raise Refused(f"{name} holds a zero byte; files are UTF-8 text; name the right file")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def write_atomic(path: str | os.PathLike[str], data: str | bytes, force: bool = False) -> None:
    """Write a file whole or not at all; what exists is kept, and `Refused` raised, unless `force`."""
    target = Path(path)
    try:
        if force:
            target = Path(os.path.realpath(path))  # what a link points to is replaced, not the link
        _check_free(target, force)
        _write(target, data.encode() if isinstance(data, str) else data, force)
    except FileExistsError:
        raise Refused(f"{_shown(path)} exists; nothing is overwritten; use --force or another name") from None
    except (OSError, ValueError) as error:
        raise Refused(
            f"{_shown(path)} cannot be written: {_reason(error)}; a file is written whole; name another place"
        ) from None


def _check_free(target: Path, force: bool) -> None:
    try:
        mode = os.lstat(target).st_mode
    except FileNotFoundError:
        return
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(0, "it is a folder")
    if force and not stat.S_ISREG(mode):
        raise OSError(0, "it is no ordinary file")
    if not force:
        raise FileExistsError


def _write(target: Path, data: bytes, force: bool) -> None:
    scratch = target.with_name(f".cherrysim-{secrets.token_hex(8)}")
    handle = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if force and target.exists():
            os.chmod(scratch, stat.S_IMODE(target.stat().st_mode))
        _take_name(scratch, target, force)
    finally:
        scratch.unlink(missing_ok=True)


def _take_name(scratch: Path, target: Path, force: bool) -> None:
    if not force:
        try:
            os.link(scratch, target)  # unlike a rename it fails if somebody took the name meanwhile
            return
        except FileExistsError:
            raise
        except OSError:
            pass  # a file system without links: the check made before must do
    os.replace(scratch, target)


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()


def _shown(path: str | os.PathLike[str]) -> str:
    """A file's name for a message: quoted, printable and short."""
    name = os.fsdecode(path)
    return ascii(name if len(name) <= 120 else "..." + name[-117:])
