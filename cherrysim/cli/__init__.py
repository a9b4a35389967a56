"""The command line: parse, call, print. What a command needs is imported when it runs.

Exit codes: 0 done; 2 refused, with one line on stderr and nothing on stdout; 130 Ctrl-C; 1 a failure of ours.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `cherrysim` with some arguments (default: those of the process) and return the exit code."""
    try:
        from cherrysim.cli.commands import run

        text = run(list(sys.argv[1:] if arguments is None else arguments))
        if text:
            print(text, flush=True)
        return 0
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader has gone away (`| head`): nothing is left to be flushed at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        return _failed(error)


def _failed(error: Exception) -> int:
    from cherrysim.flowers import Refused

    refused = isinstance(error, Refused)
    if not refused and os.environ.get("CHERRYSIM_DEBUG"):
        raise error
    said = (
        str(error)
        if refused
        else f"internal error, {type(error).__name__}: {error}; CHERRYSIM_DEBUG=1 shows where"
    )
    line = "".join(c if c.isprintable() else "?" for c in " ".join(said.split()))
    print("cherrysim:", line, file=sys.stderr)
    return 2 if refused else 1
