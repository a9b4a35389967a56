"""Reports: whole folders, the same bytes for the same seed, pages that need nothing else, refusals in one
line."""

import json
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from test_plots import illegible

import cherrysim.files
from cherrysim import Rules
from cherrysim.cli.options import table
from cherrysim.files import write_folder
from cherrysim.report import REPORTS, Budget, Made, Question, make
from cherrysim.report.frame import Figure, Table

ROOT = Path(__file__).parent.parent
TINY = Budget(0.002, 2)
QUESTIONS = {
    "odds": Question(),
    "turn": Question(),
    "table": Question(files=(("example.record", table((ROOT / "reports" / "example.record").read_text())),)),
    "policies": Question(Rules.official(2)),
    "rules": Question(Rules(draws=2, ties="dense"), (("less.toml", Rules(draws=2, ties="dense")),)),
}
SEVERAL = [
    pytest.param(name, marks=() if name in ("odds", "rules") else pytest.mark.slow) for name in QUESTIONS
]


def again(name: str, threads: int = 2) -> Made:
    return make(name, QUESTIONS[name], 1, Budget(0.002, threads), f"cherrysim report {name} --seed 1")


@cache
def made(name: str) -> tuple[Made, dict[str, bytes]]:
    found = again(name)
    return found, found.files()


class Balanced(HTMLParser):
    """Tags that are opened and closed in order, names and what refers to them."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.used: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.ids += [value for key, value in attrs if key == "id"]
        self.used += [value[1:] for key, value in attrs if key == "href"]
        self.used += [value[5:-1] for key, value in attrs if key == "clip-path"]
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_all_reports_are_tried() -> None:
    assert {*QUESTIONS} <= {*REPORTS}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_page_is_whole_and_needs_nothing_else(name):
    found, files = made(name)
    page = files[f"{name}.html"].decode()
    read = Balanced()
    read.feed(page)
    assert read.open == []
    assert len(read.ids) == len(set(read.ids))
    assert set(read.used) <= set(read.ids)
    assert not re.search(r"https?:|//|<script|<link|@import|src=|url\((?!#)", page)
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page
    figures = found.report.parts(Figure)
    said = re.findall(r'<svg class="figure" role="img" aria-label="([^"]+)"', page)
    assert len(said) == len(figures) == page.count("<svg") - 1
    assert min(map(len, said)) > 40
    for figure in figures:
        assert f"]({figure.name}.svg)" in files[f"{name}.md"].decode()


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_number_is_written_with_its_error(name):
    found, files = made(name)
    document = json.loads(files["numbers.json"])
    assert sorted(document["files"]) == sorted(files)
    assert document["command"] == f"cherrysim report {name} --seed 1"
    assert (document["seed"], document["version"]) == (1, cherrysim.__version__)
    for told in document["numbers"].values():
        assert (told["standard_error"] is None) == (told["interval_kind"] == "unknown")
        assert (told["standard_error"] == 0) == (told["interval_kind"] == "exact")
    for one in found.report.parts(Table):
        for key, number in one.numbers():
            assert document["numbers"][key]["value"] == number.value
            assert repr(number.value) in files[f"{one.name}.csv"].decode()
            assert str(number).replace("+-", "±") in files[f"{name}.md"].decode()


@pytest.mark.parametrize("name", QUESTIONS)
def test_figures_are_legible(name):
    found, _ = made(name)
    for figure in found.report.parts(Figure):
        shown = figure.draw(dark=False)
        shown = shown[0] if isinstance(shown, tuple) else shown
        assert illegible(shown.figure) == ([], []), figure.name


@pytest.mark.parametrize("name", SEVERAL)
def test_the_same_seed_gives_the_same_bytes_wherever_it_is_written(name, tmp_path):
    _, files = made(name)
    write_folder(tmp_path / "a", files)
    write_folder(tmp_path / "deep" / "er" / "b", again(name, threads=1).files())
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "deep" / "er" / "b" / file).read_bytes()
