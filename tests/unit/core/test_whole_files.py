"""A file is replaced when the new one is whole, and what cannot be written says so."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tunebench.core.errors import UserError
from tunebench.core.whole_files import make_private_folder, require_place, write_whole


def test_a_file_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "case.pdf"
    path.write_bytes(b"old")
    write_whole(path, b"new")
    assert path.read_bytes() == b"new" and list(tmp_path.iterdir()) == [path]


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "case.pdf"
    path.write_bytes(b"old")

    def full(self: Path, data: bytes) -> int:
        self.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(UserError) as refused:
        write_whole(path, b"new")
    assert refused.value.key == "file_unwritable" and refused.value.facts["reason"] == "No space left on device"
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


def test_a_folder_and_a_missing_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "case.pdf").mkdir()
    for path, key in ((tmp_path / "case.pdf", "file_unwritable"), (tmp_path / "no" / "case.pdf", "path_missing")):
        with pytest.raises(UserError) as refused:
            write_whole(path, b"new")
        assert refused.value.key == key


def test_no_output_takes_the_place_of_an_engagement(tmp_path: Path) -> None:
    path = tmp_path / "acme.tune"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE a (b)")
    held = path.read_bytes()
    for ask in (lambda: write_whole(path, b"%PDF"), lambda: require_place(path)):
        with pytest.raises(UserError) as refused:
            ask()
        assert refused.value.key == "file_is_project"
    assert path.read_bytes() == held


def test_what_is_no_file_is_written_to_and_not_replaced() -> None:
    device = Path("/dev/null")
    if not device.is_char_device():
        pytest.skip("no such device here")
    write_whole(device, b"new")
    assert device.is_char_device()


def test_who_may_read_a_file_stays_as_it_was_chosen(tmp_path: Path) -> None:
    path = tmp_path / "case.pdf"
    path.write_bytes(b"old")
    path.chmod(0o640)
    write_whole(path, b"new")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", 0o640)


def test_a_private_folder_is_made_with_those_above_it(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    made = tmp_path / "case.capture" / "session-0001"
    make_private_folder(made)
    make_private_folder(made)
    assert [each.stat().st_mode & 0o777 for each in (made, made.parent, tmp_path)] == [0o700, 0o700, 0o755]
