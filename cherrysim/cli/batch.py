"""Batches: a table in JSON on each line of standard input, its answer or what is wrong with it on each line
of output, in order."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

from cherrysim.advice import Advice
from cherrysim.cli.progress import progress
from cherrysim.files import MOST_BYTES, text_of
from cherrysim.flowers import Refused, read_json
from cherrysim.table import Table
from cherrysim.tableadvice import TableAdvice
from cherrysim.tablefile import table_of


def answer_lines(ask: Callable[[Table], Advice | TableAdvice]) -> None:
    """Answer line by line; `KeyboardInterrupt` at Ctrl-C, when all answers so far are out."""
    with nullcontext() if sys.stdout.isatty() else progress("Answering", "tables") as told:
        for number, line in enumerate(_lines(), 1):
            print(json.dumps(_answer(line, ask), allow_nan=False), flush=True)
            if told:
                told(number, 0.0)


def _answer(line: bytes, ask: Callable[[Table], Advice | TableAdvice]) -> dict[str, Any]:
    try:
        advice = ask(table_of(read_json(text_of(line, "the line"))))
    except Refused as refused:
        return {"error": str(refused)}
    if isinstance(advice, TableAdvice) and advice.stopped == "interrupt":
        raise KeyboardInterrupt(json.dumps(advice.to_json(), allow_nan=False))
    return advice.to_json()


def _lines() -> Iterator[bytes]:
    """The lines of standard input; of one that is too long no more than shows that it is."""
    read = sys.stdin.buffer.readline
    while line := read(MOST_BYTES + 1):
        rest = line
        while len(rest) > MOST_BYTES and not rest.endswith(b"\n"):
            rest = read(MOST_BYTES + 1)
        yield line.rstrip(b"\r\n")
