"""A report as files: one page of HTML, Markdown with its figures, a CSV file a table, and all its numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from cherrysim import __version__
from cherrysim.plots.look import drawn
from cherrysim.report.frame import Figure, Number, Question, Report, Table
from cherrysim.report.inline import Inliner, compact
from cherrysim.sheets.paper import Grid, code, document, pipes, plain, table
from cherrysim.simulate.rows import cell
from cherrysim.words import page

if TYPE_CHECKING:
    from pandas import DataFrame

NUMBERS = "numbers.json"
_STYLE = ".figure { margin: .8rem 0 .2rem } .letters { position: absolute }\n"


@dataclass(frozen=True, slots=True)
class Made:
    """A report with what makes it again: its name, the question, the seed, and the command, which names
    neither folder nor date."""

    name: str
    report: Report
    question: Question
    seed: int
    command: str

    def to_json(self) -> dict[str, Any]:
        """The document of `numbers.json`: every number with its error, and how all of them were made."""
        numbers = {name: number.to_json() for name, number in self.report.numbers().items()}
        return {
            "report": self.name,
            "version": __version__,
            "command": self.command,
            "seed": self.seed,
            "rules": self.question.rules.to_json(),
            "read": {name: read.to_json() for name, read in self.question.files},
            "files": self._names(),
            "numbers": numbers,
        }

    def __str__(self) -> str:
        colon = "" if self.report.title.endswith("?") else ":"
        return page(f"{self.report.title}{colon} {self.report.verdict}")

    def files(self) -> dict[str, bytes]:
        """Every file of the report's folder by name."""
        figures = {figure.name: _both(figure) for figure in self.report.parts(Figure)}
        files = {f"{name}.svg": light for name, (light, _) in figures.items()}
        files |= {f"{one.name}.csv": csv(one).encode() for one in self.report.parts(Table)}
        files |= {name: make() for name, make in self.report.sheets.items()}
        files[f"{self.name}.md"] = self._markdown().encode()
        files[f"{self.name}.html"] = self._html(figures).encode()
        files[NUMBERS] = (json.dumps(self.to_json(), indent=1, allow_nan=False) + "\n").encode()
        return files

    def _names(self) -> list[str]:
        figures = [f"{figure.name}.svg" for figure in self.report.parts(Figure)]
        tables = [f"{one.name}.csv" for one in self.report.parts(Table)]
        return [*figures, *tables, *self.report.sheets, f"{self.name}.md", f"{self.name}.html", NUMBERS]

    def _html(self, figures: dict[str, tuple[bytes, bytes]]) -> str:
        inliner, parts = Inliner(), []
        parts.append(f'<p class="players">{escape(self.report.title)}</p>')
        parts.append(f"<h1>{_nice(escape(self.report.verdict))}</h1>")
        for section in self.report.sections:
            parts.append(f"<h2>{escape(section.heading)}</h2>")
            for part in section.parts:
                if isinstance(part, Figure):
                    parts.append(inliner.figure(*figures[part.name], _nice(part.alt)))
                    parts.append(f'<p class="small">{_nice(escape(part.caption))}</p>')
                elif isinstance(part, Table):
                    parts.append(f'<p class="small">{_nice(escape(part.caption))}</p>')
                    parts.append(_nice(table(grid(part))))
                else:
                    parts.append(f"<p>{_nice(escape(part))}</p>")
        parts.append("<h2>How</h2>")
        parts.append(f'<p class="small">{self._version}, <code>{escape(self.command)}</code></p>')
        parts += [f'<p class="small">{_nice(escape(text))}</p>' for text in self._how()]
        return document(self.report.title, _STYLE + inliner.style, [inliner.letters, *parts])

    def _markdown(self) -> str:
        parts = [f"# {plain(self.report.title)}", f"**{_nice(plain(self.report.verdict))}**"]
        for section in self.report.sections:
            parts.append(f"## {plain(section.heading)}")
            for part in section.parts:
                if isinstance(part, Figure):
                    parts += [f"![{_nice(plain(part.alt))}]({part.name}.svg)", _nice(plain(part.caption))]
                elif isinstance(part, Table):
                    parts += [_nice(plain(part.caption)), _nice(pipes(grid(part)))]
                else:
                    parts.append(_nice(plain(part)))
        parts += [
            "## How",
            f"{self._version}, {code(self.command)}",
            *(_nice(plain(text)) for text in self._how()),
        ]
        return "\n\n".join(parts) + "\n"

    @property
    def _version(self) -> str:
        return f"cherrysim {__version__}"

    def _how(self) -> Iterator[str]:
        yield from self.report.remarks
        kinds = {number.said.kind for number in self.report.numbers().values()}
        if "fixed" in kinds:
            yield "+- is half of the 95 % interval; numbers without it are exact."
        if "unknown" in kinds:
            yield "~ marks what was learned from games; how far off it is is not known."
        changes = self.question.rules.changes
        if changes:
            yield f"Rules changed: {changes}."
        yield f"Every number is in {NUMBERS}, every table in a CSV file of its own."


def grid(told: Table) -> Grid:
    """A table's cells as text."""
    rows = tuple(tuple(map(str, row)) for row in told.rows)
    return Grid(told.caption, told.header, told.sides, rows)


def frame(told: Table) -> DataFrame:
    """A table as pandas shows it, its cells as text."""
    from pandas import DataFrame

    return DataFrame(grid(told).rows, columns=list(told.header))


def csv(told: Table) -> str:
    """A table as CSV: of numbers the value, and where one of the column is not exact the error and the ends
    of the 95 % interval; shares and chances are from 0 to 1."""
    columns = [_column(*column) for column in zip(told.header, told.columns, strict=True)]
    lines = zip(*(line for column in columns for line in column), strict=True)
    return "".join(",".join(line) + "\n" for line in lines)


def _column(heading: str, cells: tuple[str | Number, ...]) -> Iterator[tuple[str, ...]]:
    """The columns of the file for one of the table."""
    numbers = [one for one in cells if isinstance(one, Number)]
    if not numbers:
        yield (cell(heading), *(cell(str(one)) for one in cells))
        return
    units = {one.unit for one in numbers}
    unit = f" ({units.pop()})" if len(units) == 1 and "" not in units else ""
    found = [one.to_json() if isinstance(one, Number) else {} for one in cells]
    yield (cell(heading + unit), *(_shown(one.get("value")) for one in found))
    if any(one.said.kind != "exact" for one in numbers):
        ends = [one.get("interval") or (None, None) for one in found]
        yield (cell(f"{heading}: standard error"), *(_shown(one.get("standard_error")) for one in found))
        yield (cell(f"{heading}: from"), *(_shown(low) for low, _ in ends))
        yield (cell(f"{heading}: to"), *(_shown(high) for _, high in ends))


def _shown(value: float | None) -> str:
    return "" if value is None else repr(value)


def _both(figure: Figure) -> tuple[bytes, bytes]:
    """A figure on light and on dark paper."""
    light, dark = (figure.draw(dark=dark) for dark in (False, True))
    first = light[0] if isinstance(light, tuple) else light
    other = dark[0] if isinstance(dark, tuple) else dark
    return compact(drawn(first)), compact(drawn(other))


def _nice(text: str) -> str:
    """Signs that a terminal may lack."""
    return text.replace("+-", "±")
