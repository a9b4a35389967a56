"""The command `bench`: how fast cherrysim is on this machine."""

from __future__ import annotations

import json
import os
import sys

import click

from cherrysim.cli import options as take
from cherrysim.cli.options import JSON, Command
from cherrysim.files import check_free, write_atomic
from cherrysim.flowers import Refused


def _file(text: str) -> str:
    if not text.lower().endswith((".md", ".json", ".svg", ".png")):
        raise Refused(
            f"{text[-40:]!a} is no report; .md, .json, .svg and .png are; end its name with one of these"
        )
    return text


@click.command(cls=Command)
@click.option("--quick", is_flag=True, help="Under a minute: fewer and shorter rounds.")
@click.option(
    "--only", type=take.Read("NAME", str), help="draws, odds, turn, games, sizes or starts (default: all)."
)
@click.option("--out", type=take.Read("FILE", _file), help="Also write a .md, .json, .svg or .png.")
@click.option("--force", is_flag=True, help="Overwrite that file.")
@JSON
def bench(quick: bool, only: str | None, out: str | None, force: bool, as_json: bool) -> str:
    """How fast is cherrysim here, and how much faster than other ways?

    \b
      cherrysim bench --quick
      cherrysim bench --only draws --out draws.svg
    """
    from cherrysim.bench import Report
    from cherrysim.bench import bench as measure

    if out:
        check_free(out, force)
    take.announce()
    report: Report = measure(quick, only, lambda name: _tell(f"measuring {name}"))
    for warning in report.warnings:
        _tell(warning)
    if out:
        _write(report, out, force)
    text = take.answer(report, as_json)
    if report.stopped:
        raise KeyboardInterrupt(text)
    return text


def _write(report: object, out: str, force: bool) -> None:
    from cherrysim.bench import Report

    assert isinstance(report, Report)
    ending = os.path.splitext(out)[1].lower()
    if ending in (".svg", ".png"):
        from cherrysim.plots import save

        save(report.plot(), out, force)
    else:
        text = report.markdown() if ending == ".md" else json.dumps(report.to_json(), indent=1) + "\n"
        write_atomic(out, text.encode(), force)
    _tell(f"written: {out}")


def _tell(line: str) -> None:
    print(f"cherrysim: {line}", file=sys.stderr, flush=True)
