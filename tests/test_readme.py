"""Everything the README shows is true: printed answers, Python examples, the figure, the commands, the links;
and FILES.md shows every key and every form of the files that are read."""

import dataclasses
import doctest
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import cherrysim
from cherrysim.cli import main
from cherrysim.cli.commands import COMMANDS
from cherrysim.recordfile import read_record
from cherrysim.rules import CARDS, SWITCHES, Rules
from cherrysim.table import PHASES
from cherrysim.tablefile import KEYS, SEAT_KEYS, history_of, read_table

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
FILES = (ROOT / "FILES.md").read_text()
CONSOLE = re.findall(r"```console\n\$ (.*?)\n(.*?)```", README, re.DOTALL)
PAGES = [
    *ROOT.glob("*.md"),
    *ROOT.glob("reports/**/*.md"),
    *ROOT.glob("benchmarks/*.md"),
    *ROOT.glob("notebooks/*.md"),
]
PYTHON = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize(("command", "printed"), CONSOLE, ids=[command for command, _ in CONSOLE])
def test_a_printed_answer_is_what_the_command_prints(
    command: str, printed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    program, *arguments = shlex.split(command)
    assert program == "cherrysim"
    assert main(arguments) == 0
    assert capsys.readouterr().out == printed


def test_the_python_examples_run() -> None:
    example = doctest.DocTestParser().get_doctest("\n".join(PYTHON), {}, "README.md", "README.md", 0)
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example)
    assert result.failed == 0
    assert result.attempted > 6


def test_the_first_question_is_the_one_of_make_ask() -> None:
    ask = next(line for line in (ROOT / "Makefile").read_text().splitlines() if "bin/cherrysim ask" in line)
    assert set(shlex.split(CONSOLE[0][0])[2:]) <= set(shlex.split(ask))


def test_the_figures_are_there_and_the_first_shows_the_first_question() -> None:
    name, other = re.findall(r"!\[.+\]\((.+)\)", README)
    verdict = CONSOLE[0][1].splitlines()[0]
    assert f"<dc:title>{verdict}" in (ROOT / name).read_text()
    assert (ROOT / other).exists()


def test_the_findings_are_those_of_the_reports() -> None:
    findings = README[README.index("**Three findings**") : README.index("## Commands")]
    told = re.findall(r"[\d.]+ \+- [\d.]+ %|\d\.\d{3}", findings)
    written = [(ROOT / "reports" / name / f"{name}.md").read_text() for name in ("turn", "policies", "card")]
    assert len(told) == 6
    assert all(any(number.replace("+-", "±") in text for text in written) for number in told)


def test_every_command_is_described() -> None:
    assert all(f"| `cherrysim {command}` |" in README for command in COMMANDS)


def test_the_changelog_knows_the_version() -> None:
    assert f"## {cherrysim.__version__} " in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.parametrize("name", sorted(str(path.relative_to(ROOT)) for path in PAGES))
def test_what_is_linked_is_there(name: str) -> None:
    page = ROOT / name
    for link in re.findall(r"\]\(([^)]+)\)", page.read_text()):
        if "://" in link:
            continue
        file, _, heading = link.partition("#")
        linked = page.parent / file if file else page
        assert linked.exists(), link
        if heading:
            titles = re.findall(r"^#+ (.+)$", linked.read_text(), re.MULTILINE)
            assert heading in [title.lower().replace(" ", "-") for title in titles], link


def _shown(kind: str) -> list[str]:
    """The blocks of one kind in FILES.md."""
    return re.findall(rf"```{kind}\n(.*?)```", FILES, re.DOTALL)


def test_the_rules_file_shows_every_key_with_its_official_value() -> None:
    (text,) = _shown("toml")
    assert Rules.from_toml(text) == Rules()
    assert re.findall(r"^\w+", text, re.MULTILINE) == [field.name for field in dataclasses.fields(Rules)]
    assert all(f"`{value}`" in FILES for values in SWITCHES.values() for value in values)
    assert all(name in FILES and card.title in FILES for name, card in CARDS.items())


def test_the_table_file_shows_every_key_and_phase() -> None:
    table, history = _shown("json")
    assert read_table(table).rules.players == 3
    assert set(json.loads(table)) == set(KEYS)
    assert set(json.loads(table)["seats"][0]) == set(SEAT_KEYS)
    assert all(f"`{name}`" in FILES for name in (*KEYS, *SEAT_KEYS, *PHASES))
    assert len(history_of(json.loads(history), 2)) == 3


def test_every_ruling_that_the_code_cites_is_told() -> None:
    told = re.findall(r"^\| R(\d+) \|", (ROOT / "RULINGS.md").read_text(), re.MULTILINE)
    assert list(map(int, told)) == list(range(1, 32))
    files = [path.read_text() for folder in ("cherrysim", "tests") for path in (ROOT / folder).rglob("*.py")]
    assert {number for text in files for number in re.findall(r"\bR(\d+)\b", text)} <= set(told)


def test_the_records_shown_are_games() -> None:
    blue, pink, whole = map(read_record, _shown("record"))
    assert (len(blue.turns), len(pink.turns), blue.ended) == (8, 6, False)
    assert {name for name in CARDS if f"card {name}" in f"{blue}{pink}"} == set(CARDS)
    assert whole.ended
    assert whole.score() is not None


JSON = (ROOT / "JSON.md").read_text()


def untold(document: Any) -> set[str]:
    """Keys of a document that JSON.md does not name; those of flowers and policies are names themselves."""
    if isinstance(document, list):
        return set().union(*map(untold, document))
    if not isinstance(document, dict):
        return set()
    own = {key for key in document if f"`{key}`" not in JSON and f'"{key}"' not in JSON and ":" not in key}
    return own.union(*map(untold, document.values()))


@pytest.mark.parametrize(
    "command",
    [
        "odds --plan 2,1",
        "odds --plan 2,1 --method mc --samples 9",
        "odds --hand PY",
        "ask --hand PYY",
        "explain --hand PYYB",
        "score reports/example.record",
        "ask --table reports/example.record",
        "play --players 2 --policies plan:3+2 --games 2",
        "compare --players 2 plan:3+2 cautious:0.3 --games 4",
        "compare --players 2 plan:3+2 cautious:0.3 --precision 0.5",
    ],
)
def test_every_key_of_an_answer_is_told(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command.split(), "--json"]) == 0
    assert untold(json.loads(capsys.readouterr().out)) == set()


def test_every_key_of_a_report_is_told() -> None:
    document = json.loads((ROOT / "reports" / "turn" / "numbers.json").read_text())
    assert untold({key: value for key, value in document.items() if key not in ("rules", "numbers")}) == set()
    assert untold(list(document["numbers"].values())) == set()
    assert untold({"told": 1}) == {"told"}
