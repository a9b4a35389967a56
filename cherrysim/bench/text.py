"""A report as a table of 80 columns, as Markdown and as a document for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from cherrysim.bench import Kernel, Peer, Report, Size
from cherrysim.bench.timing import Spread

WIDTH = 79
UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns"))

Row = tuple[str, ...]
HEADINGS = {
    "kernels": ("what", "cost", "x ours (quartiles)", "a second", "limit"),
    "sizes": ("cost by size", ""),
    "starts": ("first answer of a process", "processor", "wall"),
}


def duration(ns: float) -> str:
    """Nanoseconds with three digits: `0.86 ns`, `11.1 us`, `1.02 s`."""
    size, unit = next(((size, unit) for size, unit in UNITS if ns >= size), UNITS[-1])
    return f"{_digits(ns / size)} {unit}"


def count(n: float) -> str:
    """A number with three digits, from a thousand on with k, M, G, T."""
    for size, unit in ((1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")):
        if n >= size:
            return f"{_digits(n / size)}{unit}"
    return _digits(n)


def _digits(n: float) -> str:
    places = 2 if n < 9.995 else 1 if n < 99.95 else 0
    return f"{n:,.{places}f}"


def _times(ratio: Spread) -> str:
    return f"{_round(ratio.median)} x ({_round(ratio.low)}-{_round(ratio.high)})"


def _round(n: float) -> str:
    if n >= 9999.5:
        return f"{n / 1000:,.0f}k"
    return f"{n:.1f}" if n < 20 else f"{n:,.0f}"


def verdict(report: Report) -> str:
    """The first kernel's cost and how it stands against its nearest rival, in a sentence."""
    for kernel in report.kernels:
        if kernel.peers:
            peer: Peer = kernel.peers[0]
            fast = f"{_round(peer.ratio.median)} times as fast as {peer.name}"
            return f"{kernel.name}: {duration(kernel.cost.median)} a {kernel.item}, {fast}"
    return "Measured"


def _kernel_rows(kernel: Kernel) -> list[Row]:
    share = 100 * kernel.reached
    limit = f"{share:.0f} %" if share >= 9.5 else f"{share:.1f} %" if share else "-"
    rows: list[Row] = [(kernel.name, duration(kernel.cost.median), "", count(kernel.per_second), limit)]
    return rows + [
        (f"  {peer.name}", duration(peer.cost.median), _times(peer.ratio), "", "") for peer in kernel.peers
    ]


def _size_row(size: Size) -> Row:
    return f"{size.name}", ", ".join(
        f"{count(n) if n > 999 else int(n)}: {duration(ns)}" for n, ns in size.costs
    )


def _rows(report: Report) -> dict[str, list[Row]]:
    """The rows of every table that has any."""
    found: dict[str, list[Row]] = {
        "kernels": [row for kernel in report.kernels for row in _kernel_rows(kernel)],
        "sizes": [_size_row(size) for size in report.sizes],
        "starts": [
            (start.name, duration(1e9 * start.cpu), duration(1e9 * start.wall)) for start in report.starts
        ],
    }
    return {name: rows for name, rows in found.items() if rows}


def table(report: Report) -> str:
    """The text of `cherrysim bench`."""
    blocks = [verdict(report), _about(report)]
    for name, rows in _rows(report).items():
        blocks.append(_columns([HEADINGS[name], *rows], "<<" if name == "sizes" else "<>>>>"))
    blocks += _notes(report)
    return "\n\n".join(_wrapped(block) if "\n" not in block else block for block in blocks)


def markdown(report: Report) -> str:
    """The same as Markdown."""
    blocks = [f"# {verdict(report)}", _about(report)]
    for name, rows in _rows(report).items():
        lines = [HEADINGS[name], tuple("---" for _ in HEADINGS[name])]
        lines += [
            (f"**{row[0]}**" if name == "kernels" and row[0][0] != " " else row[0].strip(), *row[1:])
            for row in rows
        ]
        blocks.append("\n".join(f"| {' | '.join(row)} |" for row in lines))
    return "\n\n".join([*blocks, *_notes(report)]) + "\n"


def _about(report: Report) -> str:
    machine = dict(report.machine)
    place = f"{machine.pop('processor')}, {machine.pop('cores')} cores, {machine.pop('system')}"
    versions = ", ".join(f"{name} {number}" for name, number in machine.items())
    return f"{report.day}, {place}; {versions}."


def _notes(report: Report) -> list[str]:
    said = [
        f"Processor time of one thread, medians of {report.rounds} interleaved rounds; a ratio compares "
        "costs of the same round. Limit: the share of it that the random numbers an item needs take alone."
    ]
    if report.stopped:
        said.append(f"Interrupted after {report.seconds:.0f} s: what was known by then.")
    return said + [f"Warning: {warning}." for warning in report.warnings]


def document(report: Report) -> dict[str, Any]:
    """The document of `cherrysim bench --json`: costs in ns, starts in seconds."""
    found: dict[str, Any] = {
        "quick": report.quick,
        "date": report.day,
        "seconds": report.seconds,
        "rounds": report.rounds,
        "machine": report.machine,
        "kernels": [
            {
                "name": kernel.name,
                "item": kernel.item,
                "ns": asdict(kernel.cost),
                "per_second": kernel.per_second,
                "limit_ns": kernel.limit or None,
                "limit_reached": kernel.reached if kernel.limit else None,
                "peers": [
                    {"name": peer.name, "ns": asdict(peer.cost), "ratio": asdict(peer.ratio)}
                    for peer in kernel.peers
                ],
                "absent": list(kernel.absent),
            }
            for kernel in report.kernels
        ],
        "sizes": [
            {
                "name": size.name,
                "item": size.item,
                "axis": size.axis,
                "clock": size.clock,
                "ns": [{"size": n, "ns": ns} for n, ns in size.costs],
            }
            for size in report.sizes
        ],
        "starts": [asdict(start) for start in report.starts],
        "warnings": report.warnings,
    }
    return found | ({"stopped": report.stopped} if report.stopped else {})


def _columns(rows: Sequence[Row], sides: str) -> str:
    """Rows in columns, the last of which is wrapped where it points left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [f"{cell:{side}{width}}" for cell, side, width in zip(row, sides, widths, strict=False)]
        if sides.endswith("<"):
            before = sum(widths[:-1]) + 2 * (len(widths) - 1)
            first, *more = _wrapped(row[-1], WIDTH - before).split("\n")
            cells[-1] = first
            lines += ["  ".join(cells), *(" " * before + line for line in more)]
        else:
            lines.append("  ".join(cells))
    return "\n".join(line.rstrip() for line in lines)


def _wrapped(text: str, width: int = WIDTH) -> str:
    from textwrap import wrap

    return "\n".join(wrap(text, width, break_on_hyphens=False)) if text else ""
