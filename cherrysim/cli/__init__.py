"""The command line: parse, call, print. What a command needs is imported when it runs.

Exit codes: 0 done; 2 refused, with one line on stderr and nothing on stdout; 130 Ctrl-C, with what was known
by then on stdout; 1 a failure of ours.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `cherrysim` with some arguments (default: those of the process) and return the exit code."""
    try:
        if arguments is None:
            _ready_streams()
        from cherrysim.cli.commands import run

        _print(run(list(sys.argv[1:] if arguments is None else arguments)))
        return 0
    except KeyboardInterrupt as stopped:
        with suppress(OSError):
            _print(str(stopped))  # what was known by then, if anything
        if arguments is None:  # a process of our own ends now, whatever its threads are still doing
            os._exit(130)
        return 130
    except BrokenPipeError:  # the reader has gone away (`| head`) and misses nothing
        _give_up(1)
        return 0
    except Exception as error:
        return _failed(error)


def _ready_streams() -> None:
    """Of a process of our own: a stream that was closed holds nothing and takes anything, and a letter that
    the terminal does not know is no reason to say nothing."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 - as long as the process
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _print(text: str) -> None:
    try:
        print(text, end="\n" if text else "", flush=True)
    except OSError:
        _give_up(1)
        raise


def _give_up(stream: int) -> None:
    """What could not be written to stdout (1) or stderr (2) is not tried again when the interpreter ends."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)


def _failed(error: Exception) -> int:
    from cherrysim.flowers import Refused

    refused = isinstance(error, Refused)
    if not refused and os.environ.get("CHERRYSIM_DEBUG"):
        raise error
    if refused:
        said = str(error)
    elif isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        said = f"{os.strerror(error.errno).lower()}: not all is written; make room, or write elsewhere"
    else:
        said = f"internal error, {type(error).__name__}: {error}; CHERRYSIM_DEBUG=1 shows where"
    tell(f"cherrysim: {said}")
    return 2 if refused else 1


def tell(text: str) -> None:
    """Write one line on stderr, whatever is in the text, as far as stderr can be written."""
    line = "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))
    try:
        print(line, file=sys.stderr, flush=True)
    except OSError:
        _give_up(2)
