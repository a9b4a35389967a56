import os

import pytest

from cherrysim.files import MOST_BYTES, read_text, write_atomic
from cherrysim.flowers import Refused


def test_text_is_read_whatever_its_line_ends_and_byte_order_mark(tmp_path):
    file = tmp_path / "table"
    for data in (b"a\nb\n", b"a\r\nb\r\n", b"a\rb\r", b"\xef\xbb\xbfa\r\nb\n"):
        file.write_bytes(data)
        assert read_text(file) == "a\nb\n"
    file.write_text("Zoë 🌸", encoding="utf-8")
    assert read_text(str(file)) == "Zoë 🌸"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\x89PNG\r\n\x1a\n", "is not UTF-8 at byte 1"),
        ("ä".encode("latin-1"), "is not UTF-8 at byte 1"),
        (b"a\0b", "holds a zero byte"),
        ("a".encode("utf-16-le"), "holds a zero byte"),
        (b"x" * (MOST_BYTES + 1), "longer than 1048576 bytes"),
    ],
)
def test_what_is_no_text_is_refused_in_one_line(tmp_path, data, reason):
    file = tmp_path / "table"
    file.write_bytes(data)
    with pytest.raises(Refused, match=reason) as caught:
        read_text(file)
    assert "\n" not in str(caught.value)


def test_the_limit_itself_is_read(tmp_path):
    (tmp_path / "table").write_bytes(b"x" * MOST_BYTES)
    assert len(read_text(tmp_path / "table")) == MOST_BYTES


@pytest.mark.parametrize("name", ["", "missing", "nul\0byte", "x" * 5000, "a\nb", "."])
def test_what_cannot_be_opened_is_refused_in_one_line(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Refused, match="cannot be read") as caught:
        read_text(name)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_an_endless_file_is_not_read_to_its_end():
    with pytest.raises(Refused, match="longer than"):
        read_text("/dev/zero")


def test_a_file_is_written_and_kept_unless_forced(tmp_path):
    file = tmp_path / "out.json"
    write_atomic(file, "one\n")
    assert file.read_bytes() == b"one\n"
    with pytest.raises(Refused, match="exists; nothing is overwritten; use --force"):
        write_atomic(file, "two\n")
    assert file.read_bytes() == b"one\n"
    file.chmod(0o640)
    write_atomic(file, b"two\n", force=True)
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"two\n", 0o640)
    assert os.listdir(tmp_path) == ["out.json"]


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path):
    (tmp_path / "other").write_text("")
    write_atomic(tmp_path / "out", "")
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_link_is_followed_when_forced_and_kept_otherwise(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "file")
    with pytest.raises(Refused, match="exists"):
        write_atomic(tmp_path / "link", "one")
    write_atomic(tmp_path / "link", "one", force=True)
    assert (tmp_path / "file").read_text() == "one"
    assert (tmp_path / "link").is_symlink()


@pytest.mark.parametrize(
    ("name", "force"), [("no/folder/file", False), (".", True), (".", False), ("a\0b", True), ("", False)]
)
def test_places_that_cannot_be_written_are_refused(tmp_path, monkeypatch, name, force):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Refused, match="cannot be written"):
        write_atomic(name, "text", force)
    assert os.listdir(tmp_path) == []


def test_a_device_is_never_replaced():
    with pytest.raises(Refused, match="no ordinary file"):
        write_atomic("/dev/null", "text", force=True)


def test_nothing_is_left_when_writing_fails(tmp_path, monkeypatch):
    (tmp_path / "out").write_text("old")

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Refused, match="no space left on device"):
        write_atomic(tmp_path / "out", "new", force=True)
    assert os.listdir(tmp_path) == ["out"]
    assert (tmp_path / "out").read_text() == "old"
