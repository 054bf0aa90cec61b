"""Which failures are the user's, and that a full disk undoes only the last action."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.store import cases
from tunebench.core.errors import UserError
from tunebench.core.messages import catalogue
from tunebench.domain.engagement import Phase
from tunebench.store import runs
from tunebench.store.artefacts import ArtefactWriter, begin_artefact, list_artefacts
from tunebench.store.check import check_project
from tunebench.store.errors import SENTENCE_OF_ERRNO, SENTENCE_OF_SQLITE_CODE, DamagedData, sorted_errors
from tunebench.store.opening import backup_project, create_project
from tunebench.store.project import Project
from tunebench.store.queries import list_series, read_series


@pytest.mark.parametrize("key", sorted({*SENTENCE_OF_SQLITE_CODE.values(), *SENTENCE_OF_ERRNO.values()}))
def test_every_refusal_of_the_tables_has_a_whole_sentence(key: str) -> None:
    error = UserError(key, path="/a/b.tune", folder="/a", detail="...")
    for language in ("ko", "en"):
        sentence = catalogue(language).error(error)
        assert "⟨" not in sentence
        assert "{" not in sentence


def test_a_bug_stays_a_bug(project: Project) -> None:
    with pytest.raises(sqlite3.OperationalError), project.reading() as connection:
        connection.execute("SELECT nothing FROM nowhere")
    with pytest.raises(sqlite3.IntegrityError), project.transaction() as connection:
        connection.execute("INSERT INTO event (artefact_id, kind, start_ns, text) VALUES (99, 'gap', 0, '')")
    with pytest.raises(OSError, match="odd"), sorted_errors(Path("a.tune")):
        raise OSError(errno.EADDRINUSE, "odd")


def test_extended_result_codes_are_sorted_by_their_primary_code() -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_READ
    with pytest.raises(UserError, match="file_unreachable"), sorted_errors(Path("a.tune")):
        raise error


def test_damaged_numbers_are_damage() -> None:
    with pytest.raises(UserError, match="project_damaged"), sorted_errors(Path("a.tune")):
        raise DamagedData("checksum")


def test_another_writer_in_the_file_is_busy_not_a_bug(project: Project) -> None:
    with project.transaction() as connection:
        connection.execute("PRAGMA busy_timeout = 50")
    other = sqlite3.connect(project.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(UserError, match="project_busy"):
        runs.ensure_run(project, "before", Phase.BEFORE)
    other.execute("ROLLBACK")
    other.close()
    assert runs.ensure_run(project, "before", Phase.BEFORE).label == "before"


def test_a_full_file_undoes_the_last_action_only(project: Project) -> None:
    first = cases.write_samples(project, cases.batch(np.arange(1000.0)[:, None]))
    with project.transaction() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 40}")
    writer = begin_artefact(project, cases.run_of(project, first), "big.txt", "/big.txt", 0)
    with pytest.raises(UserError, match="disk_full"):
        write_noise(writer, 30 << 20)
    writer.abandon()
    assert [each.id for each in list_artefacts(project)] == [first]
    assert read_series(project, list_series(project)[0].id).values.tolist() == [float(i) for i in range(1000)]
    with project.transaction() as connection:
        connection.execute("PRAGMA max_page_count = 1000000")
    runs.ensure_run(project, "after", Phase.AFTER)
    assert {each.state for each in check_project(project)} == {"ok"}


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    command = [mount or "mount", "-t", "tmpfs", "-o", "size=4m", "none", str(folder)]
    if mount is None or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("a small file system cannot be mounted here (needs root)")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def write_noise(writer: ArtefactWriter, size_bytes: int) -> None:
    for _ in range(0, size_bytes, 1 << 20):
        writer.write(os.urandom(1 << 20))


def fill(folder: Path) -> None:
    with (folder / "filler").open("wb", buffering=0) as stream, contextlib.suppress(OSError):
        while True:
            stream.write(bytes(4096))


def test_a_full_disk_undoes_the_last_action_only(small_disk: Path) -> None:
    project = cases.new_project(small_disk)
    first = cases.write_samples(project, cases.batch(np.arange(1000.0)[:, None]))
    writer = begin_artefact(project, cases.run_of(project, first), "big.txt", "/big.txt", 0)
    with pytest.raises(UserError, match="disk_full"):
        write_noise(writer, 30 << 20)
    fill(small_disk)
    with pytest.raises(UserError, match="disk_full"):
        backup_project(project, small_disk / "copy.tune")
    assert not list(small_disk.glob("copy*"))
    (small_disk / "filler").unlink()
    writer.abandon()
    assert [each.id for each in list_artefacts(project)] == [first]
    assert read_series(project, list_series(project)[0].id).values.tolist() == [float(i) for i in range(1000)]
    project.close()
    assert not (small_disk / "case.tune.lock").exists()


def test_a_project_is_not_half_created_on_a_full_disk(small_disk: Path) -> None:
    fill(small_disk)
    with pytest.raises(UserError, match="disk_full"):
        create_project(small_disk / "new.tune", cases.ENGAGEMENT)
    assert cases.files_in(small_disk) == ["filler"]
