"""`remove --wipe` on the command line: what was removed is in no file beside the project, and the trail says what went."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.conftest import Command, iostat_capture
from tunebench.core import sealing


def _chunks(project: Path) -> list[bytes]:
    """Packed bytes of captures, as they lie in the file."""
    with closing(sqlite3.connect(project)) as connection:
        return [data for (data,) in connection.execute("SELECT data FROM artefact_chunk")]


@pytest.fixture
def filled(project: Path, tunebench: Command, tmp_path: Path) -> Path:
    for run, day in (("kept", "2026-11-02"), ("gone", "2026-11-03")):
        capture = tmp_path / f"iostat-{run}.txt"
        capture.write_text(iostat_capture(day, 30, 20.0, 5.0))
        assert tunebench("import", project, capture, "--run", run, "--host", "db01").code == 0
        capture.unlink()
    return project


def test_what_was_wiped_is_nowhere_beside_and_the_trail_says_so(filled: Path, tunebench: Command) -> None:
    kept_copy = filled.with_name(f"{filled.name}.v1.1.bak")
    kept_copy.write_bytes(filled.read_bytes())
    before = _chunks(filled)
    done = tunebench("remove", filled, "--run", "gone", "--yes", "--wipe", "--json")
    assert done.code == 0, done.err
    assert (done.json["wiped"], done.json["copies_removed"]) == (True, [kept_copy.name])
    gone = [chunk for chunk in before if chunk not in _chunks(filled)]
    assert len(before) == 2 and len(gone) == 1
    for file in filled.parent.rglob("*"):
        assert not file.is_file() or gone[0][8:] not in file.read_bytes(), file
    assert [run["label"] for run in tunebench("info", filled, "--json").json["runs"]] == ["kept"]
    with closing(sqlite3.connect(filled)) as connection:
        actions = [action for (action,) in connection.execute("SELECT action FROM audit ORDER BY id")]
    assert actions[-2:] == ["run_removed", "removed_wiped"]
    assert tunebench("check", filled).code == 0


def test_without_yes_nobody_is_there_to_agree_and_nothing_goes(filled: Path, tunebench: Command) -> None:
    before = filled.read_bytes()
    refused = tunebench("remove", filled, "--run", "gone", "--wipe")
    assert refused.code == 3
    assert filled.read_bytes() == before
    assert tunebench("remove", filled, "--run", "no such run", "--yes", "--wipe").code == 3
    assert filled.read_bytes() == before


def test_an_encrypted_project_is_wiped_with_its_key_alone(filled: Path, tunebench: Command, tmp_path: Path) -> None:
    words = tmp_path / "words"
    words.write_text("correct horse battery\n")
    assert tunebench("encrypt", filled, "--new-passphrase-file", words).code == 0
    sealing._held.clear()
    before = filled.read_bytes()
    assert tunebench("remove", filled, "--run", "gone", "--yes", "--wipe").code == 3
    assert filled.read_bytes() == before
    opened = ("--passphrase-file", words)
    assert tunebench("remove", filled, "--run", "gone", "--yes", "--wipe", *opened).code == 0
    assert filled.read_bytes()[:5] == b"TUNEP"
    assert not list(filled.parent.glob("*.part")) and not list(filled.parent.glob("*-wal"))
    assert tunebench("check", filled, *opened).code == 0
    sealing._held.clear()
