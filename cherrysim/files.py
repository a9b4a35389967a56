"""Files a user names: read whole or refused in one line, written whole or not at all.

A file is at most `MOST_BYTES` of UTF-8 text; of a longer one no more than that is read. A file is written
under another name in its folder and then takes its own in one step, so that nobody ever meets half of it. So
is a folder of files.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from collections.abc import Collection, Mapping
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
        raise _exists(path) from None
    except (OSError, ValueError) as error:
        raise _not_written(path, error) from None


def check_free(path: str | os.PathLike[str], force: bool = False) -> None:
    """Raise `Refused` now where `write_atomic` would, as far as it can be known."""
    try:
        _check_free(Path(os.path.realpath(path) if force else path), force)
        if not os.path.isdir(parent := os.path.dirname(os.path.realpath(path))):
            raise FileNotFoundError(0, f"there is no folder {_shown(parent)}")
    except FileExistsError:
        raise _exists(path) from None
    except (OSError, ValueError) as error:
        raise _not_written(path, error) from None


def check_folder(path: str | os.PathLike[str], force: bool = False, may_go: Collection[str] = ()) -> None:
    """Raise `Refused` where `write_folder` would: what exists and is no empty folder is kept, unless
    `force`, and then too if anything else is in it than files of the names that `may_go`."""
    target = Path(os.path.realpath(path))
    try:
        inside = sorted(os.listdir(target))
    except FileNotFoundError:
        return _check_room(target, path)
    except OSError as error:
        raise _no_folder(path, error) from None
    strange = [name for name in inside if name not in may_go or not (target / name).is_file()]
    if inside and not force:
        raise Refused(
            f"folder {_shown(path)} is not empty; nothing is overwritten; use --force or another name"
        )
    if strange:
        raise Refused(
            f"folder {_shown(path)} holds {_shown(strange[0])}; a folder is replaced as a whole, and only "
            "one written before; name another"
        )
    _check_room(target, path)


def check_files(path: str | os.PathLike[str], names: Collection[str], force: bool = False) -> None:
    """Raise `Refused` where files of these names cannot be written into a folder, which may be missing."""
    target = Path(os.path.realpath(path))
    try:
        inside = os.listdir(target)
    except FileNotFoundError:
        return _check_room(target, path)
    except OSError as error:
        raise _no_folder(path, error) from None
    for name in names:
        if name in inside:
            check_free(Path(path) / name, force)
    _check_room(target / secrets.token_hex(8), path)


def write_folder(
    path: str | os.PathLike[str],
    files: Mapping[str, bytes],
    force: bool = False,
    may_go: Collection[str] = (),
) -> None:
    """Write a folder with these files whole or not at all, with the folders it is to be in.

    An earlier one is replaced if it is empty, or by `force` if it holds nothing but files of these names or
    of those that `may_go`; else raises `Refused`.
    """
    target = Path(os.path.realpath(path))
    check_folder(target, force, {*may_go, *files})
    first = _first_new(target)
    scratch = first.with_name(f".cherrysim-{secrets.token_hex(8)}")
    inside = scratch / target.relative_to(first)
    try:
        inside.mkdir(parents=True)
        for name, data in files.items():
            _fill(os.open(inside / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), data)
        _take_place(scratch, first)
    except OSError as error:
        raise _no_folder(path, error) from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _first_new(target: Path) -> Path:
    """The outermost of the folders that are missing, or the folder itself."""
    missing = [place for place in (target, *target.parents) if not os.path.lexists(place)]
    return missing[-1] if missing else target


def _check_room(target: Path, path: str | os.PathLike[str]) -> None:
    """Refuse now what could not be written in the end."""
    scratch = _first_new(target).with_name(f".cherrysim-{secrets.token_hex(8)}")
    try:
        scratch.mkdir()
        scratch.rmdir()
    except (OSError, ValueError) as error:
        raise _no_folder(path, error) from None


def _exists(path: str | os.PathLike[str]) -> Refused:
    return Refused(f"{_shown(path)} exists; nothing is overwritten; use --force or another name")


def _not_written(path: str | os.PathLike[str], error: Exception) -> Refused:
    return Refused(
        f"{_shown(path)} cannot be written: {_reason(error)}; a file is written whole; name another place"
    )


def _no_folder(path: str | os.PathLike[str], error: Exception) -> Refused:
    return Refused(
        f"folder {_shown(path)} cannot be written: {_reason(error)}; it is written whole; name another place"
    )


def _take_place(scratch: Path, target: Path) -> None:
    """Give a folder its name; one that had it before goes, and comes back if that fails."""
    if not target.exists():
        os.rename(scratch, target)
        return
    before = target.with_name(f".cherrysim-{secrets.token_hex(8)}")
    os.rename(target, before)
    try:
        os.rename(scratch, target)
    except BaseException:
        os.rename(before, target)
        raise
    shutil.rmtree(before, ignore_errors=True)


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
        _fill(handle, data)
        if force and target.exists():
            os.chmod(scratch, stat.S_IMODE(target.stat().st_mode))
        _take_name(scratch, target, force)
    finally:
        scratch.unlink(missing_ok=True)


def _fill(handle: int, data: bytes) -> None:
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


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
