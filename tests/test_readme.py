"""Everything the README shows is true: printed answers, Python examples, the figure, the commands."""

import doctest
import re
import shlex
from pathlib import Path

import pytest

import cherrysim
from cherrysim.cli import main
from cherrysim.cli.commands import COMMANDS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
CONSOLE = re.findall(r"```console\n\$ (.*?)\n(.*?)```", README, re.DOTALL)
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
    written = [(ROOT / "reports" / name / f"{name}.md").read_text() for name in ("turn", "policies")]
    assert len(told) == 5
    assert all(any(number.replace("+-", "±") in text for text in written) for number in told)


def test_every_command_is_described() -> None:
    assert all(f"| `cherrysim {command}` |" in README for command in COMMANDS)


def test_the_changelog_knows_the_version() -> None:
    assert f"## {cherrysim.__version__} " in (ROOT / "CHANGELOG.md").read_text()
