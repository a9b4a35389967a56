"""The import picture of CONTRIBUTING.md, enforced on the syntax trees, and what ought to load late."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import cherrysim

ROOT = Path(__file__).parent.parent
HEAVIER = ("ladder", "strength", "plots", "report", "bench", "web")
FACES = ("words", "tablewords", "verdicts", "sheets", *HEAVIER, "cli")
HEAVY = ("numpy", "numba", "scipy", "pandas", "matplotlib", "rich")
PICTURE = re.search(r"```\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL)
ORDER = [name for line in PICTURE[1].splitlines() for name in re.split("  +", line)[0].split(", ")]


def _imports(file: Path) -> Iterator[tuple[str, bool]]:
    """Every module a file imports, and whether only inside a function or for the type checker."""
    tree = ast.parse(file.read_text())
    late = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) or (
            isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        ):
            late |= {id(inner) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{file.name}: imports are absolute"
            # `from cherrysim import chances` names a module, `from cherrysim.chances import odds` its content
            whole = node.module == "cherrysim"
            names = [f"cherrysim.{alias.name}" for alias in node.names] if whole else [node.module]
        yield from ((name, id(node) in late) for name in names)


def wrong_imports(file: Path, module: str) -> list[str]:
    """What a file of a module imports against the picture."""
    found = []
    above = ORDER[: ORDER.index(module)] if module in ORDER else ORDER
    for name, late in _imports(file):
        package, _, rest = name.partition(".")
        theirs = rest.partition(".")[0]
        if package in HEAVY and not late and module not in ("kernels", "arrays", *HEAVIER):
            found.append(f"{module} imports {name} before it is needed")
        if package != "cherrysim" or theirs in ("", "__version__", module):
            continue
        if module == "kernels":
            found.append(f"kernels imports {name}, which is outside kernels")
        elif theirs == "kernels":
            found += [] if late or module == "arrays" else [f"{module} imports {name} outside a function"]
        elif theirs in FACES and module not in FACES:
            found += [] if late else [f"{module} imports the face {theirs} outside a function"]
        elif module not in FACES and theirs not in above:
            found.append(f"{module} imports {theirs}, which does not stand above it")
    return found


def _modules() -> Iterator[tuple[Path, str]]:
    for file in sorted((ROOT / "cherrysim").rglob("*.py")):
        module = file.relative_to(ROOT / "cherrysim").parts[0].removesuffix(".py")
        if module not in ("__init__", "__main__", "__pycache__"):
            yield file, module


def test_every_module_stands_in_the_picture() -> None:
    missing = {module for _, module in _modules()} - {*ORDER, "kernels"}
    assert not missing, f"put {missing} into the picture of CONTRIBUTING.md"


def test_modules_import_only_what_stands_above_them() -> None:
    assert [wrong for file, module in _modules() for wrong in wrong_imports(file, module)] == []


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("hands", "from cherrysim.turn import solve"),
        ("hands", "def f():\n    from cherrysim import turn"),
        ("turn", "from cherrysim.words import percent"),
        ("turn", "import cherrysim.kernels.turn"),
        ("chances", "import numpy as np"),
        ("words", "import rich.table"),
        ("kernels", "from cherrysim.rules import Rules"),
    ],
)
def test_a_wrong_import_is_noticed(tmp_path: Path, module: str, line: str) -> None:
    (tmp_path / "wrong.py").write_text(line)
    assert len(wrong_imports(tmp_path / "wrong.py", module)) == 1


def test_public_names_are_the_same_for_type_checkers_and_at_run_time() -> None:
    assert {f"cherrysim.{module}" for module in cherrysim._HOME.values()} == {
        name for name, late in _imports(ROOT / "cherrysim" / "__init__.py") if late
    }
    for name in cherrysim.__all__:
        assert getattr(cherrysim, name).__module__ == f"cherrysim.{cherrysim._HOME[name]}"
        assert name in dir(cherrysim)
    with pytest.raises(AttributeError, match="no attribute 'flower'"):
        cherrysim.flower  # noqa: B018


@pytest.mark.parametrize(
    "command",
    [
        "import cherrysim; list(map(cherrysim.__getattr__, cherrysim.__all__))",
        "from cherrysim.cli import main; main(['odds', '--plan', '2,2,1'])",
        "from cherrysim.cli import main; main(['odds', '--json'])",
        "from cherrysim.cli import main; main(['ask', '--hand', 'PYY', '--value', 'front'])",
        "from cherrysim.cli import main; main(['explain', '--hand', 'PPYY'])",
        "from cherrysim.cli import main; main(['ask', '--help'])",
        "from cherrysim.cli import main; main(['ask', '--table', 'reports/example.record'])",
        "from cherrysim.cli import main; main(['score', 'reports/example.record'])",
    ],
)
def test_quick_questions_load_no_large_library(command: str) -> None:
    code = f"{command}\nimport sys; print(*set(sys.modules) & {set(HEAVY)}, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stderr.strip() == ""
