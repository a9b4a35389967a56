"""Reports: whole folders, the same bytes for the same seed, pages that need nothing else, refusals in one
line."""

import json
import os
import re
from fractions import Fraction
from functools import cache
from html.parser import HTMLParser
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from test_plots import illegible

import cherrysim.files
from cherrysim import Flowers, Refused, Rules
from cherrysim.chances import draw_odds, plan_odds, position
from cherrysim.cli import main
from cherrysim.cli.options import table
from cherrysim.files import write_folder
from cherrysim.hands import universe
from cherrysim.plots.look import drawn
from cherrysim.plots.series import curves
from cherrysim.report import REPORTS, Budget, Made, Question, make
from cherrysim.report.claims import _blacks, _splitting
from cherrysim.report.frame import Figure, Number, Report, Section, Table
from cherrysim.report.inline import Inliner
from cherrysim.report.odds import _thumb as _thumb_of_odds
from cherrysim.report.odds import _verdict as _verdict_of_odds
from cherrysim.report.pages import csv
from cherrysim.report.paired import Measure, measures
from cherrysim.report.rules import _both
from cherrysim.report.turn import _followed, _near, _thumb, _worth
from cherrysim.sheets.paper import plain
from cherrysim.stats import Estimate, Stated
from cherrysim.turn import Valuation, solve

ROOT = Path(__file__).parent.parent
TINY = Budget(0.002, 2)
QUESTIONS = {
    "odds": Question(),
    "turn": Question(),
    "table": Question(files=(("example.record", table((ROOT / "reports" / "example.record").read_text())),)),
    "policies": Question(Rules.official(2)),
    "card": Question(),
    "claims": Question(),
    "rules": Question(Rules(draws=2, ties="dense"), (("less.toml", Rules(draws=2, ties="dense")),)),
}
SEVERAL = [pytest.param(name, marks=() if name == "rules" else pytest.mark.slow) for name in QUESTIONS]


def again(name: str, threads: int = 2) -> Made:
    return make(name, QUESTIONS[name], 1, Budget(0.002, threads), f"cherrysim report {name} --seed 1")


@cache
def made(name: str) -> tuple[Made, dict[str, bytes]]:
    """A report whose figures are drawn once, and its files."""
    found = again(name)
    for figure in found.report.parts(Figure):
        object.__setattr__(figure, "draw", cache(figure.draw))
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
    named = re.findall(r'role="region" aria-label="([^"]+)"', page)
    assert len(set(named)) == len(named)
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


def report_of(name: str, out: Path, *more: str) -> list[str]:
    return ["report", name, "--out", str(out), *more]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["nothing"],
            "unknown report 'nothing'; the reports are odds, turn, table, policies, card, claims, rules",
        ),
        (["odds", "file.toml"], "1 file given; report odds takes no file"),
        (["rules"], "no file given; report rules takes 1 file with rules, or 2"),
        (["table", "none.json"], "'none.json' cannot be read: no such file or directory"),
        (["rules", "none.toml"], "'none.toml' cannot be read: no such file or directory"),
        (["rules", "broken.toml"], "in 'broken.toml': not readable as TOML: invalid value (at line 2"),
        (["rules", "wrong.toml"], "in 'wrong.toml': line 3, warm: warm is (1, 2); it is 3 whole numbers"),
        (["rules", "strange.toml"], "in 'strange.toml': line 1, colours: unknown key 'colours'"),
        (["rules", "same.toml"], "same changes nothing of official"),
        (["rules", "same.toml", "two.toml"], "same has 4 players, two 2"),
        (["rules", "-", "-"], "standard input is named twice"),
        (["rules", "two.toml", "--cards", "pink"], "report rules takes its game from its file; --cards"),
        (["odds", "--rules", "two.toml", "--players", "3"], "--rules says who plays"),
        (["rules", "li\nne.toml"], "'li\\nne.toml' cannot be printed; a report tells its files' names"),
        (["odds", "--rules", "half\udcff.toml"], "'half\\udcff.toml' cannot be printed; a report tells"),
    ],
)
def test_what_cannot_be_reported_is_refused_in_one_line(arguments, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("broken.toml").write_text("# mine\nalike = \n")
    Path("wrong.toml").write_text("players = 3\n\nwarm = [1, 2]\n")
    Path("strange.toml").write_text("colours = 3\n")
    Path("same.toml").write_text("alike = 3\n")
    for name in ("two.toml", "li\nne.toml", "half\udcff.toml"):
        Path(name).write_text("players = 2\n")
    before = sorted(tmp_path.iterdir())
    assert main(["report", *arguments, "--out", "out", "--quick"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert said in printed.err
    assert printed.err.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


@pytest.fixture
def quick(monkeypatch):
    """Reports of nothing but a fact, made at once."""

    def report(question, seed, budget):
        facts = {"seed": Number.exact(seed)}
        section = Section("All", (Table("one", "One row", ("name", "value"), (("a", facts["seed"]),)),))
        return Report("A report", "a verdict", (section,), remarks=("made by hand",))

    monkeypatch.setattr("cherrysim.report.odds.report", report)


def test_a_report_is_written_once_and_replaced_by_force(quick, tmp_path, capsys):
    out = tmp_path / "new" / "odds"
    assert main([*report_of("odds", out), "--json", "--seed", "5", "--cards", "pink", "--players", "3"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["command"] == "cherrysim report odds --players 3 --cards pink --seed 5"
    assert sorted(path.name for path in out.iterdir()) == sorted(document["files"])
    assert main(report_of("odds", out)) == 2
    assert "is not empty; nothing is overwritten; use --force" in capsys.readouterr().err
    assert json.loads((out / "numbers.json").read_text())["seed"] == 5
    (out / "one.csv").write_text("mine")
    assert main(report_of("odds", out, "--force", "--seed", "6")) == 0
    assert (out / "one.csv").read_text() == "name,value\na,6.0\n"
    assert [path.name for path in out.parent.iterdir()] == ["odds"]
    (out / "letter.txt").write_text("mine")
    capsys.readouterr()
    assert main(report_of("odds", out, "--force", "--seed", "7")) == 2
    assert "holds 'letter.txt'" in capsys.readouterr().err
    assert (out / "letter.txt").read_text() == "mine"
    assert json.loads((out / "numbers.json").read_text())["seed"] == 6


@pytest.mark.parametrize("place", ["file", "file/in", "/proc/none/of"])
def test_a_place_that_cannot_be_written_is_refused_before_the_work(
    place, quick, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("mine")
    monkeypatch.setattr("cherrysim.report.make", None)
    assert main(report_of("odds", Path(place), "--force")) == 2
    err = capsys.readouterr().err
    assert "cannot be written" in err
    assert err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("broken", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("before", [False, True])
def test_nothing_is_half_written(broken, before, quick, tmp_path, capsys, monkeypatch):
    """The disk is full, or Ctrl-C comes, at the third file."""
    out = tmp_path / "a" / "odds"
    if before:
        assert main(report_of("odds", out)) == 0
    here = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    written = []
    fill = cherrysim.files._fill

    def failing(handle, data):
        written.append(data)
        if len(written) == 3:
            os.close(handle)
            raise broken
        fill(handle, data)

    monkeypatch.setattr("cherrysim.files._fill", failing)
    code = main(report_of("odds", out, "--force", "--seed", "9"))
    assert code == (130 if isinstance(broken, KeyboardInterrupt) else 2)
    assert len(written) == 3
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == here
    assert not before or sorted(path.name for path in tmp_path.iterdir()) == ["a"]
    assert before or list(tmp_path.iterdir()) == []


def test_a_folder_comes_back_when_the_new_one_cannot_take_its_place(tmp_path, monkeypatch):
    write_folder(tmp_path / "out", {"a": b"old"})
    rename, calls = os.rename, []

    def failing(source, target):
        calls.append(target)
        if len(calls) == 2:
            raise OSError(5, "Input/output error")
        rename(source, target)

    monkeypatch.setattr(os, "rename", failing)
    with pytest.raises(Refused, match="input/output error"):
        write_folder(tmp_path / "out", {"a": b"new"}, force=True)
    assert (tmp_path / "out" / "a").read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_ctrl_c_while_games_are_played_leaves_nothing(tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("cherrysim.report.policies.compared", interrupted)
    assert main(report_of("policies", tmp_path / "out", "--quick")) == 130
    assert list(tmp_path.iterdir()) == []


def test_numbers_are_told_with_their_errors():
    estimate = Estimate(0.0, 0.002, 900)
    assert str(Number.of(estimate, "of victory")) == "0.0 +- 0.4 %"
    assert str(Number(Stated(0.123), "of victory")) == "~12.3 %"
    assert str(Number.exact(3.70996, "flowers")) == "3.710"
    assert str(Number.of(Estimate(0.0, 0.0001, 8192), "cards")) == "0.0000 +- 0.0002"
    assert str(Number.of(Estimate(0.0, 0.0, 99), "chance")) == "0.0 +- 2.0 %"
    assert str(Number.of(Estimate(0.25), "chance")) == "25.0 %"
    assert str(Number.of(Estimate(0.0, 1e-6, 9), "chance", "+")) == "+0.0000 +- 0.0002 %"
    told = Table("t", "T", ("what", "x"), (("=1+1", Number.of(estimate, "points")), ("b", "")))
    assert csv(told).splitlines() == [
        "what,x (points),x: standard error,x: from,x: to",
        f"'=1+1,0.0,0.002,{estimate.interval()[0]!r},{estimate.interval()[1]!r}",
        "b,,,,",
    ]
    twice = Report("T", "v", (Section("s", (told, told)),))
    with pytest.raises(ValueError, match="one name"):
        twice.numbers()


LONG = "a" * 90


@pytest.mark.parametrize(
    ("files", "heads"),
    [
        (["less.toml"], ["official", "less"]),
        (["official.toml"], ["official", "official (2nd)"]),
        (["difference.toml"], ["official", "difference.toml"]),
        (["_less.toml"], ["official", "less"]),
        (["_.toml"], ["official", "_.toml"]),
        ([f"{LONG}1.toml", f"{LONG}2.toml"], ["a" * 27 + "~", "a" * 27 + "~ (2nd)"]),
    ],
)
def test_games_have_names_that_fit_and_mean_nothing_else(files, heads):
    found = _both(Question(files=tuple((name, Rules(draws=n)) for n, name in enumerate(files, 1))))
    assert list(found) == heads


def test_names_in_figures_and_markdown_are_words_and_no_formulas():
    line = [(1.0, Stated.exact(0.5)), (2.0, Stated.exact(0.7))]
    for dark in (False, True):
        axes = curves({"$\\frac{x$": line, "$a_b$": line}, ("title", "detail"), ("x", "y"), dark=dark)
        assert [text.get_text() for text in axes.get_legend().get_texts()] == ["$\\frac{x$", "$a_b$"]
        assert drawn(axes).endswith(b"</svg>\n")
    assert plain("&lt;b&gt; $x$ <i>") == r"\&lt;b\&gt; \$x\$ \<i\>"
    named = Made("odds", Report("T", "v", ()), Question(), 1, "cherrysim report rules 'a`<b>.toml'")
    assert "`` cherrysim report rules 'a`<b>.toml' ``" in named.files()["odds.md"].decode()


@pytest.mark.parametrize(
    "values", [{}, {"alike": 5, "different": 6}, {"alike": 2, "different": 3}, {"different": 6}]
)
def test_the_rule_of_thumb_for_one_flower_more_is_exact_without_blacks(values):
    rules = Rules.from_mapping(values)
    (said,) = _thumb_of_odds(rules)
    alike, different = rules.alike - 1, rules.different - 1
    assert said.startswith(
        f"For one flower more: count in the bag the flowers of every colour you have {alike} time"
    )
    assert f"once you have {alike} of a colour" in said
    assert (f"or {different} colours; with {different} colours also" in said) == (rules.different < 6)
    for hand in universe(rules).hands:
        if hand[5] or not sum(hand) or not (at := position(rules, Flowers(*hand))).most or sum(hand) > 5:
            continue
        held, bag = hand[:5], at.bag.counts
        full = "colours; with" in said and sum(map(bool, held)) == different
        fails = sum(n for n, own in zip(bag, held, strict=False) if own == alike or (full and not own))
        fails += bag[5] if alike in held or full else 0
        assert draw_odds(at).rows[0] == Fraction(fails, at.bag.total)


@pytest.mark.parametrize("flowers", [1, 2, 3])
def test_the_verdict_on_odds_names_a_draw_however_few_a_turn_allows(flowers):
    start = draw_odds(position(Rules(flowers=flowers), Flowers())).rows
    assert _verdict_of_odds(start).endswith(
        ("1 flower never", "2 flowers never", "3 flowers 1 in 14 (7.0 %)")
    )


def test_close_calls_are_told():
    *_, two = _splitting(Rules())
    assert two.sentence.startswith("Yes, by a hair: it keeps 0.001 flowers a turn more than")
    assert two.sentence.endswith(", which is about equal.")
    (two,) = _splitting(Rules(draws=1))
    assert two.sentence.startswith("No: another first draw keeps ")
    assert [one.claim for one in _splitting(Rules(flowers=1))] == ["It is the choice in between that counts"]
    assert len(list(_blacks(Rules.from_mapping({"counts": "P9 Y9"})))) == 0
    kept = solve(position(Rules(), Flowers()), Valuation.kept(Rules()))
    assert _near(kept, Fraction(1, 50), "is about equal") == " (drawing 1 or 4 is about equal)"
    assert _near(kept, Fraction(1, 10**6), "is about equal") == ""


def test_a_bag_of_a_few_flowers_has_a_rule_of_thumb_too():
    rules = Rules.from_mapping({"counts": "P2 Y1"})
    kept = solve(position(rules, Flowers()), Valuation.kept(rules))
    said, facts = _thumb(kept, kept.valuation)
    assert said[0].startswith("First draw 1, then one more with at most 1 in hand")
    assert facts["rule of thumb/gives up"].value == pytest.approx(0)


def test_a_figure_that_differs_in_more_than_colours_is_not_taken():
    page = b'<svg viewBox="0 0 1 1" width="9pt"><g id="a"><path style="fill: #%s"/>%s</g></svg>'
    light, dark = page % (b"ffffff", b""), page % (b"000000", b"")
    inliner = Inliner()
    assert "var(--ink0)" in inliner.figure(light, dark, "a figure")
    assert "--ink0: #ffffff" in inliner.style
    assert "--ink0: #000000" in inliner.style
    with pytest.raises(ValueError, match="more than its colours"):
        inliner.figure(light, page % (b"000000", b"<g/>"), "a figure")


def test_paired_differences_have_the_error_of_pairs():
    one, noise = np.arange(2000) % 7, np.arange(2000) % 2
    apart = Measure("m", "turns", one + 1.0 + noise).less(Measure("m", "turns", one.astype(float)))
    assert apart.value == pytest.approx(1.5)
    assert apart.said.standard_error == pytest.approx(0.5 / sqrt(1999))
    rates = [Measure("r", "chance", one * k, 2.0 * one + 1) for k in (1.0, 0.5)]
    assert rates[0].less(rates[1]).value == pytest.approx(rates[0].number().value / 2)
    assert 0 < rates[0].less(rates[1]).said.standard_error < rates[0].number().said.standard_error


def test_the_same_rules_differ_by_nothing_and_measures_add_up():
    rules = Rules.official(3)
    found, again_ = (measures(rules, "plan:3", 400, 4, TINY) for _ in range(2))
    shares = [found[f"share of seat {seat}"].number().value for seat in range(3)]
    assert sum(shares) == pytest.approx(1)
    assert found["first seat less last"].number().value == pytest.approx(shares[0] - shares[-1])
    for name, measure in found.items():
        assert measure.less(again_[name]).value == 0
    points = found["points in front"].number().value + found["points behind"].number().value
    assert points == pytest.approx(found["score of a seat"].number().value)


def test_the_rule_of_thumb_is_valued_as_it_is_played():
    """A draw of 2, then a stop, is worth what its draws say, and no rule is better than the best play."""
    kept = solve(position(Rules(), Flowers()), Valuation.kept(Rules()))

    def after(hand, n):
        safe, failed = kept.after_draw(hand, n)
        return {larger: float(p) for larger, p in safe.items()}, list(map(float, failed))

    assert _worth(kept, _followed(kept, (2, (0, 0)), after), kept.valuation) == pytest.approx(2)
    ends = _followed(kept, (3, (0, 0)), after)
    assert sum(ends[1]) == pytest.approx(float(plan_odds(position(Rules(), Flowers()), [3]).fail))
    assert sum(ends[0].values()) + sum(ends[1]) == pytest.approx(1)
    _, files = made("turn")
    facts = json.loads(files["numbers.json"])["numbers"]
    assert 0 < facts["rule of thumb/gives up"]["value"] < 0.05


@pytest.mark.slow
@pytest.mark.parametrize(
    "values",
    [{"draws": 1}, {"flowers": 1}, {"counts": "P3 Y3 B1"}, {"counts": "B6"}, {"alike": 5, "different": 6}],
)
@pytest.mark.parametrize("name", ["odds", "turn", "rules"])
def test_strange_rules_are_reported_too(values, name):
    rules = Rules.from_mapping(values)
    found = make(name, Question(rules, (("mine.toml", rules),)), 1, TINY, "command")
    assert f"{name}.html" in found.files()


def test_the_help_says_what_every_report_is_about(capsys):
    assert main(["report", "--help"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert all(f"{name} {kind.about.capitalize()}." in said for name, kind in REPORTS.items())
