"""Reports: whole folders, the same bytes for the same seed, pages that need nothing else, refusals in one
line."""

import json
import re
from functools import cache
from html.parser import HTMLParser

import pytest

from cherrysim.files import write_folder
from cherrysim.report import REPORTS, Budget, Made, Question, make
from cherrysim.report.frame import Figure, Table

TINY = Budget(0.002, 2)
EMPTY = {"meta", "path", "use", "line", "rect", "circle"}


@cache
def made(name: str) -> tuple[Made, dict[str, bytes]]:
    found = make(name, Question(), 1, TINY, f"cherrysim report {name} --seed 1")
    return found, found.files()


class Balanced(HTMLParser):
    """Tags that are opened and closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.used: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.ids += [value for key, value in attrs if key == "id"]
        self.used += [value[1:] for key, value in attrs if key == "href"]
        self.used += [value[5:-1] for key, value in attrs if key == "clip-path"]
        if tag == "meta":
            return
        self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", REPORTS)
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


@pytest.mark.parametrize("name", REPORTS)
def test_every_number_is_written_with_its_error(name):
    found, files = made(name)
    document = json.loads(files["numbers.json"])
    assert sorted(document["files"]) == sorted(files)
    assert document["command"] == f"cherrysim report {name} --seed 1"
    for table in found.report.parts(Table):
        for key, number in table.numbers():
            told = document["numbers"][key]
            assert told["value"] == number.value
            assert told["interval_kind"] in ("exact", "fixed", "always_valid", "unknown")
            assert (told["standard_error"] is None) == (told["interval_kind"] == "unknown")
            assert repr(number.value) in files[f"{table.name}.csv"].decode()


@pytest.mark.parametrize("name", REPORTS)
def test_the_same_seed_gives_the_same_bytes_wherever_it_is_written(name, tmp_path):
    found, files = made(name)
    write_folder(tmp_path / "a", files)
    one = found.files()
    write_folder(tmp_path / "deep" / "er" / "b", one)
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "deep" / "er" / "b" / file).read_bytes()
