"""What a report is made of, and from what: a question, a seed and a budget give text, tables, figures,
numbers.

A report is a function `report(question, seed, budget) -> Report` in a module of its own. Every number it
says is a `Number` with its error, in a cell of a table or among the facts its sentences quote; from these
come the page, the Markdown, the CSV files and `numbers.json`, so that they cannot differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from cherrysim.rules import OFFICIAL, Rules
from cherrysim.runs import Run
from cherrysim.stats import Estimate, Stated
from cherrysim.words import percent

CHANCE, SHARE = "chance", "of victory"
"""Units told in per cent."""
CHANCES_APART, APART = "percentage points", "points of share"
"""Units of their differences, told in hundredths."""
_DIGITS = {"flowers": 3, "points": 2, "turns": 2, "errors": 1}
_MOST_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Number:
    """A number with its unit and all that is known of its error; `sign` is + where it is a difference.

    >>> str(Number.exact(Fraction(22, 93), CHANCE)), str(Number.of(Estimate(-0.021, 0.002, 900), APART, "+"))
    ('23.7 %', '-2.1 +- 0.4')
    """

    said: Stated
    unit: str = ""
    sign: str = ""

    @classmethod
    def exact(cls, value: Fraction | float, unit: str = "", sign: str = "") -> Number:
        """A number without error."""
        return cls(Stated.exact(float(value)), unit, sign)

    @classmethod
    def of(cls, estimate: Estimate, unit: str | None = None, sign: str = "") -> Number:
        """An estimate with its 95 % interval; in its own unit unless told another. Where all observations are
        equal, the error is what one more, a unit away, would show."""
        if not estimate.standard_error and not estimate.exact:
            estimate = replace(estimate, standard_error=1 / (estimate.n + 1))
        said = Stated(estimate.value, estimate.standard_error, estimate.interval(), "fixed")
        return cls(said, estimate.unit if unit is None else unit, sign)

    @property
    def value(self) -> float:
        return self.said.mean

    def to_json(self) -> dict[str, Any]:
        """As `numbers.json` holds it; shares and chances from 0 to 1."""
        said = self.said.to_json()
        return {"value": said.pop("mean"), **said, "unit": self.unit}

    def __str__(self) -> str:
        whole, sign = self.unit in (CHANCE, SHARE), self.sign
        scale = 100 if whole or self.unit in (CHANCES_APART, APART) else 1
        reach = scale * (self.said.reach or 0.0)
        if reach:
            digits = 1 if reach >= 0.1 else 2 if reach >= 0.01 else 3
            while digits < _MOST_DIGITS and not round(reach, digits):  # no error is told as none
                digits += 1
            shown = f"{scale * self.value:{sign}.{digits}f} +- {reach:.{digits}f}"
        elif self.unit == CHANCE and self.value >= 0 and not sign:
            return percent(Fraction(round(self.value, 12)))
        else:
            shown = _shown(scale * self.value, 1 if scale == 100 else _DIGITS.get(self.unit, 0), sign)
        unknown = "~" if self.said.kind == "unknown" else ""
        return f"{unknown}{shown} %" if whole else f"{unknown}{shown}"


def _shown(value: float, digits: int, sign: str) -> str:
    """A number with so many decimals; with more where it would look like 0 and is not.

    >>> _shown(-0.0004, 3, "+"), _shown(-1e-17, 3, "")
    ('-0.0004', '0.000')
    """
    while 1e-9 < abs(value) < 0.5 * 10**-digits:
        digits += 1
    return f"{round(value, digits) + 0.0:{sign}.{digits}f}"


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its name (also that of its CSV file), a caption, headings, and rows of words and numbers,
    which their first `labels` words name."""

    name: str
    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str | Number, ...], ...]
    labels: int = 1

    @property
    def sides(self) -> str:
        """Numbers to the right, words to the left."""
        return "".join(
            ">" if any(isinstance(cell, Number) for cell in column) else "<" for column in self.columns
        )

    @property
    def columns(self) -> list[tuple[str | Number, ...]]:
        """The cells by column."""
        return [tuple(row[i] for row in self.rows) for i in range(len(self.header))]

    def numbers(self) -> Iterator[tuple[str, Number]]:
        """Every number, called by its table, the words that name its row and its column."""
        for row in self.rows:
            for column, cell in zip(self.header, row, strict=True):
                if isinstance(cell, Number):
                    yield "/".join((self.name, *map(str, row[: self.labels]), column)), cell


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure: its name (also that of its SVG file), what it shows for those who cannot see it, a caption,
    and how it is drawn, `draw(dark=True)` for a dark page, giving matplotlib's axes or figure."""

    name: str
    alt: str
    caption: str
    draw: Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it: sentences, tables, figures."""

    heading: str
    parts: tuple[str | Table | Figure, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """A report: its title, its verdict in a sentence, sections, the facts that sentences quote, by name,
    remarks on how all this was found, and further files by name, with what makes their bytes."""

    title: str
    verdict: str
    sections: tuple[Section, ...]
    facts: Mapping[str, Number] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    sheets: Mapping[str, Callable[[], bytes]] = field(default_factory=dict)

    def parts(self, kind: type[Any]) -> list[Any]:
        """Its tables, or its figures."""
        return [part for section in self.sections for part in section.parts if isinstance(part, kind)]

    def numbers(self) -> dict[str, Number]:
        """Every number by its name; names are different."""
        pairs = [*self.facts.items(), *(pair for table in self.parts(Table) for pair in table.numbers())]
        found = dict(pairs)
        if len(found) < len(pairs):
            raise ValueError(f"two numbers of report {self.title!r} have one name")
        return found


@dataclass(frozen=True, slots=True)
class Question:
    """What a report is about: a game, and what was read from files, by the files' names without folders."""

    rules: Rules = OFFICIAL
    files: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Budget:
    """How much may be played: `part` of what a full report plays, on so many threads; `told` hears which
    part of the work is done, `run` keeps games in a file."""

    part: float = 1.0
    threads: int | None = None
    told: Callable[[float], None] | None = None
    run: Run | None = None

    def games(self, full: int, least: int = 16) -> int:
        """So many games instead of those of a full report.

        >>> Budget(0.1).games(5000), Budget(0.1).games(100)
        (500, 16)
        """
        return max(least, round(full * self.part))

    def during(self, begin: float, end: float) -> Budget:
        """The same for a step that is the work from one part to another."""
        told = self.told
        return replace(self, told=told and (lambda part: told(begin + part * (end - begin))))

    def done(self, part: float = 1.0) -> None:
        """Tell how far this step is."""
        if self.told:
            self.told(part)

    def heard(self, _: int, part: float) -> None:
        """The same for what tells how many are done, too."""
        self.done(part)
