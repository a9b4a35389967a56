"""Where compiled kernels are kept: what goes wrong costs a compilation and at most a line on stderr."""

import hashlib
import os
import pickle
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import cherrysim
from cherrysim.kernels import cache, layout, scoring
from cherrysim.rules import Rules
from cherrysim.simulate.arrays import rules_array

PROGRAM = """
import numpy as np
from cherrysim.kernels import cache
cache.announce()
cache.load_without_blas()  # as the command line does, to load less
from cherrysim.kernels.random import next_word
print(next_word(np.array([1, 2, 3, 4], np.uint64)))
"""
ANSWER = "7\n"  # a + b + counter


def start(folder, program=PROGRAM, **settings):
    environment = os.environ | {"CHERRYSIM_CACHE_DIR": str(folder)} | settings
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", program],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(folder, program=PROGRAM, answer=ANSWER, **settings):
    """What the program says on stderr, after the right answer."""
    process = start(folder, program, **settings)
    out, said = process.communicate(timeout=120)
    assert (process.returncode, out) == (0, answer), said
    return said


def files(folder):
    return sorted(path for path in Path(folder).rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """A folder after a first run, and what that run said."""
    folder = tmp_path_factory.mktemp("first")
    return folder, run(folder)


@pytest.fixture
def kept(first, tmp_path):
    """A folder of one's own as a first run leaves it."""
    return shutil.copytree(first[0], tmp_path / "kept")


def test_the_second_run_compiles_nothing(first, kept):
    assert first[1].startswith("cherrysim: compiling, once; kept in ")
    assert {path.name.split("-")[0] for path in files(kept)} == {"random.next_word", "random.step"}
    assert run(kept) == ""


def test_a_library_import_compiles_silently(tmp_path):
    assert run(tmp_path, PROGRAM.replace("cache.announce()", "")) == ""


DAMAGES = {
    "cut short": lambda content: content[: len(content) // 2],
    "emptied": lambda content: b"",
    "one bit turned": lambda content: content[:5000] + bytes([content[5000] ^ 1]) + content[5001:],
    "rubbish with a fitting checksum": lambda content: hashlib.sha256(b"rubbish").digest() + b"rubbish",
}


@pytest.mark.parametrize(
    "damages", [("cut short", "emptied"), ("one bit turned", "rubbish with a fitting checksum")]
)
def test_damaged_files_are_replaced(kept, damages):
    """One file damaged in each way: a kernel's, and that of the kernel it then needs."""
    for path, damage in zip(files(kept), damages, strict=True):
        path.write_bytes(DAMAGES[damage](path.read_bytes()))
    assert run(kept).startswith("cherrysim: compiling, once")
    for path in files(kept):
        content = path.read_bytes()
        assert len(content) > 5000
        assert hashlib.sha256(content[32:]).digest() == content[:32]


def test_a_folder_that_cannot_be_made_is_told_once(tmp_path):
    (tmp_path / "file").touch()
    told, compiling = run(tmp_path / "file" / "cache").splitlines()
    assert told.startswith("cherrysim: compiled code is not kept: ")
    assert told.endswith("; set CHERRYSIM_CACHE_DIR to a folder that can be written")
    assert compiling == "cherrysim: compiling; not kept"


def test_a_full_disk_is_told_once(tmp_path):
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
    said = run(tmp_path, full + PROGRAM.replace("cache.announce()", ""))
    assert said == (
        "cherrysim: compiled code is not kept: File too large; free space or set CHERRYSIM_CACHE_DIR\n"
    )
    assert files(tmp_path) == []


def test_numba_imported_first_keeps_its_own_folder(tmp_path):
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    before = "import numba\nfolder = numba.config.CACHE_DIR\n"
    after = "assert numba.config.CACHE_DIR == folder\n"
    run(mine, before + PROGRAM + after, NUMBA_CACHE_DIR=str(theirs))
    assert len(files(mine)) == 2
    assert not theirs.exists()


def test_an_edited_helper_is_noticed(tmp_path):
    package = tmp_path / "copy" / "cherrysim"
    shutil.copytree(Path(cherrysim.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    program = f"import sys; sys.path.insert(0, {str(package.parent)!r})\n" + PROGRAM
    run(tmp_path / "cache", program)
    helper = package / "kernels" / "random.py"
    text = helper.read_text()
    assert "word = a + b + counter\n" in text
    helper.write_text(text.replace("word = a + b + counter\n", "word = a + b + counter + _ONE\n"))
    run(tmp_path / "cache", program, answer="8\n")


def test_two_processes_at_once(tmp_path):
    both = [start(tmp_path), start(tmp_path)]
    for process in both:
        out, said = process.communicate(timeout=120)
        assert (process.returncode, out) == (0, ANSWER), said
    assert all(path.suffix == ".kernel" for path in files(tmp_path))
    assert run(tmp_path) == ""


def test_bounds_checks_have_their_own_folder_and_no_jit_none(kept, tmp_path):
    assert run(tmp_path / "none", NUMBA_DISABLE_JIT="1") == ""
    assert files(tmp_path / "none") == []
    assert run(kept, NUMBA_BOUNDSCHECK="1") != ""
    assert len(list(kept.iterdir())) == 2


def test_old_folders_go_and_recent_ones_stay(tmp_path, monkeypatch):
    monkeypatch.setenv("CHERRYSIM_CACHE_DIR", str(tmp_path))
    for name, days in (("kernels-old", 31), ("kernels-recent", 29), ("else", 31)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").touch()
        os.utime(tmp_path / name, times=(0, time.time() - days * 86400))
    ours = cache._folder()
    assert set(tmp_path.iterdir()) == {ours, tmp_path / "kernels-recent", tmp_path / "else"}


@pytest.mark.parametrize(
    ("settings", "root"),
    [
        ({"CHERRYSIM_CACHE_DIR": "/a", "XDG_CACHE_HOME": "/b", "HOME": "/c"}, "/a"),
        ({"XDG_CACHE_HOME": "/b", "HOME": "/c"}, "/b/cherrysim"),
        ({"XDG_CACHE_HOME": "relative", "HOME": "/c"}, "/c/.cache/cherrysim"),
        ({"HOME": "/c"}, "/c/.cache/cherrysim"),
    ],
)
def test_the_folder_is_the_first_that_is_named(monkeypatch, settings, root):
    for name in ("CHERRYSIM_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert cache._root() == Path(root)


def test_without_a_home_nothing_is_kept(monkeypatch, capsys):
    monkeypatch.delenv("CHERRYSIM_CACHE_DIR")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError("no home")))
    assert cache._folder() is None
    assert "compiled code is not kept: no home; set CHERRYSIM_CACHE_DIR" in capsys.readouterr().err


def test_compiled_code_has_no_name_but_its_own():
    """Code of two functions of one name, each with parts of its own, would call each other's parts."""
    table = np.zeros((layout.ROWS, layout.COLOURS), np.int64)
    groups = np.zeros((4, scoring.GROUP_NUMBERS), np.int64)
    scoring.split_wilds(table, rules_array(Rules()), np.uint64(0), groups)
    (path,) = cache.FOLDER.glob("scoring.split_wilds-*.kernel")
    _, _, (code, _) = pickle.loads(path.read_bytes()[32:])[0]
    names = set(re.findall(rb"_ZN9cherrysim7kernels(7scoring\w+?)B", code))
    assert names == {b"7scoring11split_wilds"}
