"""A project that is open in this process stays safe from other programs, whatever else of it is looked at."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tunebench.core.errors import UserError
from tunebench.domain.engagement import Engagement, Phase
from tunebench.store import runs
from tunebench.store.opening import create_project, open_project
from tunebench.store.project import Project

ROOT = Path(__file__).resolve().parents[2]
OTHER_PROGRAM = """
import sys
from pathlib import Path
from tunebench.store import runs
from tunebench.store.opening import open_project
with open_project(Path(sys.argv[1]), read_only=True) as project:
    print(",".join(run.label for run in runs.list_runs(project)))
"""

needs_proc = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs /proc to see what was taken away")


def seen_by_another_program(path: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", OTHER_PROGRAM, str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout.strip()


def taken_away() -> list[str]:
    """Files that this process still has open and that no longer have a name."""
    found = []
    for entry in Path("/proc/self/fd").iterdir():
        try:
            target = str(entry.readlink())
        except OSError:
            continue
        if target.endswith(("-wal (deleted)", "-shm (deleted)")):
            found.append(target)
    return found


@pytest.fixture
def written(tmp_path: Path):
    with create_project(tmp_path / "acme.tune", Engagement("ACME", "ACME")) as project:
        runs.ensure_run(project, "before", Phase.BEFORE)
        yield project


def assert_safe(project: Project) -> None:
    """Another program comes and goes, and what is written afterwards is seen by the next."""
    assert seen_by_another_program(project.path) == "before"
    runs.ensure_run(project, "after", Phase.AFTER)
    assert taken_away() == []
    assert seen_by_another_program(project.path) == "before,after"


@needs_proc
def test_reading_it_once_more_does_not_give_the_locks_away(written: Project) -> None:
    open_project(written.path, read_only=True).close()
    assert_safe(written)


@needs_proc
def test_nor_does_reading_it_right_after_its_wal_was_emptied(written: Project) -> None:
    with written.reading() as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    open_project(written.path, read_only=True).close()
    assert_safe(written)


@needs_proc
def test_nor_does_trying_to_open_it_to_write(written: Project) -> None:
    with open_project(written.path) as second:
        assert second.read_only_reason == "locked"
    assert_safe(written)


@needs_proc
def test_nor_does_another_name_of_it(written: Project, tmp_path: Path) -> None:
    link = tmp_path / "the same.tune"
    link.symlink_to(written.path)
    open_project(link, read_only=True).close()
    with pytest.raises(UserError):
        create_project(written.path, Engagement("ACME", "ACME"))
    assert_safe(written)


def test_a_closed_one_is_checked_again(tmp_path: Path) -> None:
    path = tmp_path / "acme.tune"
    create_project(path, Engagement("ACME", "ACME")).close()
    path.write_bytes(b"no project any more")
    with pytest.raises(UserError, match="not_a_project"):
        open_project(path)
