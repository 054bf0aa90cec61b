"""A project file from creation to closing: marks, locks, refusals, recovery, copies."""

from __future__ import annotations

import json
import os
import random
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

import numpy as np
import pytest

from tests.store import cases
from tests.store.cases import refusal
from tunebench.core.errors import Cancelled, UserError
from tunebench.domain.engagement import Phase
from tunebench.store import artefacts, engagements, runs
from tunebench.store.audit.trail import list_audit
from tunebench.store.connection import connect, file_uri
from tunebench.store.format import CURRENT, Version
from tunebench.store.locking import LockHolder, process_start
from tunebench.store.opening import backup_project, create_project, open_project
from tunebench.store.project import Project
from tunebench.store.queries import list_series, read_series, storage_size
from tunebench.usecases import projects

# -- the file ------------------------------------------------------------------------------------------


def test_a_new_project_is_marked_and_holds_its_engagement(project: Project) -> None:
    assert engagements.read_engagement(project) == cases.ENGAGEMENT
    assert (project.read_only, project.read_only_reason, project.lock_holder) == (False, "", None)
    assert not project.recovered
    header = project.path.read_bytes()[:100]
    assert header[:16] == b"SQLite format 3\x00"
    assert header[68:72] == b"TUNE"
    assert int.from_bytes(header[60:64], "big") == CURRENT.major << 16 | CURRENT.minor


def test_the_file_names_its_codecs(project: Project) -> None:
    with project.reading() as connection:
        names = dict(connection.execute("SELECT name, value FROM property").fetchall())
    assert "pcodec standalone" in names["codec.numbers"]
    assert names["codec.artefacts"] == "zstd"


def test_what_is_closed_is_one_file(project: Project) -> None:
    cases.write_samples(project, cases.batch(np.random.default_rng(0).random((20_000, 5)), map(str, range(5))))
    assert "case.tune-wal" in cases.files_in(project.path.parent)
    project.close()
    assert cases.files_in(project.path.parent) == ["case.tune"]
    project.close()
    again = open_project(project.path)
    assert len(list_series(again)) == 5
    assert not again.recovered
    again.close()
    assert cases.files_in(project.path.parent) == ["case.tune"]


def test_the_size_is_that_of_the_closed_file(project: Project) -> None:
    cases.write_samples(project, cases.batch(np.random.default_rng(0).random((5000, 5)), map(str, range(5))))
    size = storage_size(project)
    project.close()
    assert project.path.stat().st_size == size


def test_a_transaction_is_all_or_nothing(project: Project) -> None:
    def begin_two_runs() -> None:
        with project.transaction():
            runs.ensure_run(project, "before", Phase.BEFORE)
            assert [run.label for run in runs.list_runs(project)] == ["before"]
            raise RuntimeError("interrupted")

    with pytest.raises(RuntimeError, match="interrupted"):
        begin_two_runs()
    assert runs.list_runs(project) == []


def test_readers_of_other_threads_see_what_is_committed(project: Project) -> None:
    seen: list[list[str]] = []

    def look() -> None:
        seen.append([run.label for run in runs.list_runs(project)])

    def look_from_elsewhere() -> None:
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()

    with project.transaction():
        runs.ensure_run(project, "before", Phase.BEFORE)
        look_from_elsewhere()
    look_from_elsewhere()
    assert seen == [[], ["before"]]


def test_writers_of_many_threads_take_turns(project: Project) -> None:
    def write(number: int) -> None:
        for count in range(25):
            runs.ensure_run(project, f"{number}-{count}", Phase.OTHER)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({run.label for run in runs.list_runs(project)}) == 100


def test_readers_of_ended_threads_are_closed(project: Project) -> None:
    for _ in range(20):
        thread = threading.Thread(target=runs.list_runs, args=(project,))
        thread.start()
        thread.join()
    assert len(project._connections._readers) <= 2


def test_a_project_closes_under_a_reader_and_cuts_it_off(project: Project) -> None:
    """SQLite ends the process where a connection is closed while another thread steps through a statement of it."""
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    reading, ends = threading.Event(), []

    def look() -> None:
        try:
            with project.reading() as connection:
                for _row in connection.execute(endless):
                    reading.set()
        except Cancelled as error:
            ends.append(error)

    thread = threading.Thread(target=look)
    thread.start()
    assert reading.wait(10)
    project.close()
    thread.join(10)
    assert not thread.is_alive()
    assert [type(each) for each in ends] == [Cancelled]


@pytest.mark.parametrize("name", ["성능 튜닝 #1 100%.tune", "a?b&c=d.tune", "쉼표,;'.tune"])
def test_any_file_name_will_do(tmp_path: Path, name: str) -> None:
    cases.new_project(tmp_path, name).close()
    with open_project(tmp_path / name) as project:
        assert engagements.read_engagement(project) == cases.ENGAGEMENT
    assert cases.files_in(tmp_path) == [name]


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        (PurePosixPath("/home/lee/a b.tune"), "file:///home/lee/a%20b.tune?mode=rw"),
        (PureWindowsPath(r"C:\work\a.tune"), "file:///C:/work/a.tune?mode=rw"),
        (PureWindowsPath(r"\\server\share\a.tune"), "file:////server/share/a.tune?mode=rw"),
    ],
)
def test_files_on_drives_and_shares_are_named_as_sqlite_wants(path: PurePath, uri: str) -> None:
    assert file_uri(path, "rw") == uri


def test_a_link_leads_to_the_same_lock(project: Project, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    try:
        (elsewhere / "link.tune").symlink_to(project.path)
    except OSError:
        pytest.skip("links cannot be made here")
    with open_project(elsewhere / "link.tune") as second:
        assert second.read_only_reason == "locked"


# -- refusals ------------------------------------------------------------------------------------------


def test_an_existing_file_is_not_overwritten(project: Project) -> None:
    refusal("project_exists", project.path, cases.ENGAGEMENT, call=create_project)
    project.close()
    before = project.path.read_bytes()
    refusal("project_exists", project.path, cases.ENGAGEMENT, call=create_project)
    assert project.path.read_bytes() == before
    assert cases.files_in(project.path.parent) == ["case.tune"]


def test_a_project_that_cannot_be_finished_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_args: object) -> None:
        raise RuntimeError("interrupted")

    monkeypatch.setattr(engagements, "write_engagement", fail)
    with pytest.raises(RuntimeError, match="interrupted"):
        cases.new_project(tmp_path)
    assert cases.files_in(tmp_path) == []


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    error = refusal("folder_missing", tmp_path / "none" / "a.tune", cases.ENGAGEMENT, call=create_project)
    assert error.facts["folder"] == str(tmp_path / "none")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    refusal("project_missing", tmp_path / "none.tune")
    assert cases.files_in(tmp_path) == []


@pytest.mark.parametrize("size", [0, 1, 15, 99, 100, 5000, 100_000])
def test_random_bytes_are_no_project(tmp_path: Path, size: int) -> None:
    path = tmp_path / "noise.tune"
    path.write_bytes(random.Random(size).randbytes(size))
    refusal("not_a_project", path)
    refusal("not_a_project", path, read_only=True)
    assert cases.files_in(tmp_path) == ["noise.tune"]


def test_a_folder_is_no_project(tmp_path: Path) -> None:
    refusal("not_a_project", tmp_path)


def test_another_programs_database_is_no_project_and_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "other.tune"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE engagement (title TEXT)")
    other.commit()
    other.close()
    before = path.read_bytes()
    refusal("not_a_project", path)
    assert path.read_bytes() == before
    assert cases.files_in(tmp_path) == ["other.tune"]


@pytest.mark.parametrize("keep", [100, 512, 8192, 20_000, 0.5, 0.9])
def test_a_truncated_project_is_refused_or_found_out(project: Project, keep: float) -> None:
    cases.write_samples(project, cases.batch(np.random.default_rng(0).random((8192, 20)), map(str, range(20))))
    project.close()
    content = project.path.read_bytes()
    project.path.write_bytes(content[: int(keep if keep > 1 else len(content) * keep)])

    def read_all() -> None:
        with open_project(project.path) as again:
            for info in list_series(again):
                read_series(again, info.id)

    with pytest.raises(UserError) as caught:
        read_all()
    assert caught.value.key in ("project_damaged", "not_a_project")


def test_a_newer_major_is_refused_a_newer_minor_is_not(project: Project) -> None:
    project.close()
    _set_version(project.path, Version(CURRENT.major + 1, 0))
    error = refusal("project_newer", project.path)
    assert (error.facts["file_version"], error.facts["program_version"]) == (f"{CURRENT.major + 1}.0", str(CURRENT))
    refusal("project_newer", project.path, read_only=True)
    assert cases.files_in(project.path.parent) == ["case.tune"]
    _set_version(project.path, Version(CURRENT.major, CURRENT.minor + 1))
    open_project(project.path).close()


def _set_version(path: Path, version: Version) -> None:
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {version.pack()}")
    connection.close()


# -- locks ---------------------------------------------------------------------------------------------


def lock_of(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


def write_lock(path: Path, **facts: object) -> None:
    holder = {"user": "kim", "host": socket.gethostname(), "pid": os.getpid(), "since": "2026-01-02T03:04:05+00:00"}
    lock_of(path).write_text(json.dumps({**holder, **facts}), encoding="utf-8")


def dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_the_second_opener_reads_and_learns_who_writes(project: Project) -> None:
    runs.ensure_run(project, "before", Phase.BEFORE)
    second = open_project(project.path)
    assert (second.read_only, second.read_only_reason) == (True, "locked")
    holder = second.lock_holder
    assert holder is not None
    assert (holder.host, holder.pid) == (socket.gethostname(), os.getpid())
    assert holder.since.startswith("20")
    assert [run.label for run in runs.list_runs(second)] == ["before"]
    runs.ensure_run(project, "after", Phase.AFTER)
    assert len(runs.list_runs(second)) == 2
    refusal("project_read_only", second, "x", Phase.AFTER, call=runs.ensure_run)
    second.close()
    assert lock_of(project.path).exists()
    runs.ensure_run(project, "third", Phase.OTHER)


def test_reading_was_asked_for(project: Project) -> None:
    project.close()
    reader = open_project(project.path, read_only=True)
    assert (reader.read_only, reader.read_only_reason) == (True, "asked")
    assert engagements.read_engagement(reader) == cases.ENGAGEMENT
    refusal("project_read_only", reader, cases.ENGAGEMENT, call=engagements.write_engagement)
    writer = open_project(project.path)
    assert not writer.read_only
    writer.close()
    reader.close()
    assert cases.files_in(project.path.parent) == ["case.tune"]


def test_the_lock_of_a_dead_process_is_taken_over(project: Project) -> None:
    project.close()
    write_lock(project.path, pid=dead_pid())
    again = open_project(project.path)
    assert (again.read_only, again.recovered) == (False, True)
    assert json.loads(lock_of(project.path).read_text())["pid"] == os.getpid()
    again.close()
    assert cases.files_in(project.path.parent) == ["case.tune"]


def test_the_lock_of_a_computer_that_is_gone_is_given_up_by_its_name(project: Project) -> None:
    project.close()
    write_lock(project.path, host="laptop-of-lee", user="lee", pid=1)
    refusal("project_in_use", project.path, "laptop-of-kim", call=projects.take_over)
    projects.take_over(project.path, "laptop-of-lee")
    with open_project(project.path) as again:
        assert not again.read_only
        last = list_audit(again)[-1]
    assert (last.action, last.facts["holder"], last.facts["host"]) == ("lock_taken_over", "lee", "laptop-of-lee")
    projects.take_over(project.path, "laptop-of-lee")  # nobody holds it: nothing to do
    with open_project(project.path) as again:
        assert list_audit(again)[-1].id == last.id


def test_the_lock_of_a_living_process_of_this_computer_is_not_given_up(project: Project) -> None:
    refusal("project_in_use", project.path, socket.gethostname(), call=projects.take_over)
    assert json.loads(lock_of(project.path).read_text())["pid"] == os.getpid()


@pytest.mark.skipif(not process_start(os.getpid()), reason="the system does not tell when a process started")
def test_the_lock_of_a_dead_process_whose_number_lives_on_is_taken_over(project: Project) -> None:
    project.close()
    write_lock(project.path, process_start="another-boot:1")
    again = open_project(project.path)
    assert not again.read_only
    again.close()


def test_a_lock_from_another_computer_is_respected(project: Project) -> None:
    project.close()
    write_lock(project.path, host="laptop-of-lee", user="lee", pid=1)
    again = open_project(project.path)
    assert (again.read_only_reason, again.lock_holder) == (
        "locked",
        LockHolder("lee", "laptop-of-lee", 1, "2026-01-02T03:04:05+00:00"),
    )
    again.close()
    assert lock_of(project.path).exists()


def test_a_writer_on_another_computer_is_not_meddled_with(project: Project) -> None:
    runs.ensure_run(project, "in the wal", Phase.BEFORE)
    lock = lock_of(project.path)
    ours = lock.read_text()
    write_lock(project.path, host="laptop-of-lee", user="lee", pid=1)
    before = {path.name: path.read_bytes() for path in project.path.parent.iterdir()}
    with open_project(project.path) as reader:
        assert reader.read_only_reason == "locked"
        assert engagements.read_engagement(reader).customer == cases.ENGAGEMENT.customer
    assert {path.name: path.read_bytes() for path in project.path.parent.iterdir()} == before
    lock.write_text(ours)
    assert [run.label for run in runs.list_runs(project)] == ["in the wal"]


NEVER = '{"user": "lee", "host": "h", "pid": 1, "since": "yesterday"}'
NOBODYS = '{"user": "lee", "host": "h", "pid": 1e30, "since": ""}'


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"user": 1}', "null", NEVER, NOBODYS, "[" * 4000, " " * 4097 + "{}"]
)
def test_an_unreadable_old_lock_is_taken_over(project: Project, content: str) -> None:
    project.close()
    lock_of(project.path).write_text(content)
    os.utime(lock_of(project.path), (1_000_000_000, 1_000_000_000))
    again = open_project(project.path)
    assert (again.read_only, again.recovered) == (False, True)
    again.close()


@pytest.mark.parametrize("made", [os.mkfifo, os.mkdir, partial(os.symlink, "/dev/zero")])
def test_what_is_no_file_in_the_place_of_a_lock_is_refused_at_once(
    project: Project, made: Callable[[Path], object]
) -> None:
    project.close()
    made(lock_of(project.path))
    assert refusal("lock_is_no_file", project.path).facts == {"path": str(lock_of(project.path))}
    open_project(project.path, read_only=True).close()


def test_of_many_openers_one_writes(project: Project) -> None:
    project.close()
    write_lock(project.path, pid=dead_pid())
    opened: list[Project] = []
    start = threading.Barrier(8)

    def open_one() -> None:
        start.wait()
        opened.append(open_project(project.path))

    threads = [threading.Thread(target=open_one) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(each.read_only_reason for each in opened) == [""] + ["locked"] * 7
    assert [each.recovered for each in opened if not each.read_only] == [True]
    for each in opened:
        each.close()
    assert cases.files_in(project.path.parent) == ["case.tune"]


# -- media that cannot be written ----------------------------------------------------------------------


@pytest.fixture
def frozen(project: Project) -> Iterator[Path]:
    """A closed project in a folder where nothing can be written, not even by root."""
    cases.write_samples(project, cases.batch(np.arange(100.0)[:, None]))
    project.close()
    folder = project.path.parent
    chattr = shutil.which("chattr")
    if chattr is None or subprocess.run([chattr, "+i", project.path, folder], capture_output=True).returncode:
        pytest.skip("this file system has no immutable files (chattr +i), or not for this user")
    try:
        yield project.path
    finally:
        subprocess.run([chattr, "-i", folder, project.path], check=True)


def test_a_project_on_a_read_only_medium_is_read(frozen: Path) -> None:
    project = open_project(frozen)
    assert (project.read_only, project.read_only_reason, project.lock_holder) == (True, "medium", None)
    assert read_series(project, list_series(project)[0].id).values.tolist() == [float(i) for i in range(100)]
    refusal("project_read_only", project, "x", Phase.AFTER, call=runs.ensure_run)
    project.close()
    assert cases.files_in(frozen.parent) == ["case.tune"]
    refusal("medium_read_only", frozen.with_name("new.tune"), cases.ENGAGEMENT, call=create_project)


def test_reading_on_a_read_only_medium_may_be_asked_for(frozen: Path) -> None:
    project = open_project(frozen, read_only=True)
    assert len(list_series(project)) == 1
    project.close()


def test_reading_a_file_that_cannot_be_written_leaves_nothing_beside_it(project: Project) -> None:
    project.close()
    chattr = shutil.which("chattr")
    if chattr is None or subprocess.run([chattr, "+i", project.path], capture_output=True).returncode:
        pytest.skip("this file system has no immutable files (chattr +i), or not for this user")
    try:
        for asked, reason in ((False, "medium"), (True, "asked")):
            with open_project(project.path, read_only=asked) as reader:
                assert reader.read_only_reason == reason
                assert engagements.read_engagement(reader) == cases.ENGAGEMENT
            assert cases.files_in(project.path.parent) == ["case.tune"]
    finally:
        subprocess.run([chattr, "-i", project.path], check=True)


def test_a_backup_to_a_read_only_medium_is_refused(frozen: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = cases.new_project(tmp_path_factory.mktemp("other"))
    refusal("medium_read_only", other, frozen.with_name("copy.tune"), call=backup_project)
    other.close()


def test_a_medium_is_read_without_making_files_beside_it(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `frozen` shows, for systems that cannot freeze a folder."""
    project.close()

    def refuse(_path: Path) -> None:
        raise PermissionError(30, "Read-only file system")

    monkeypatch.setattr("tunebench.store.opening.take_lock", refuse)
    reader = open_project(project.path)
    assert reader.read_only_reason == "medium"
    assert engagements.read_engagement(reader) == cases.ENGAGEMENT
    assert cases.files_in(project.path.parent) == ["case.tune"]
    reader.close()


def test_rows_in_the_wal_of_a_read_only_medium_are_not_dropped_silently(project: Project, tmp_path: Path) -> None:
    runs.ensure_run(project, "only in the wal", Phase.BEFORE)
    folder = tmp_path / "medium"
    folder.mkdir()
    for name in ("case.tune", "case.tune-wal"):
        shutil.copyfile(project.path.with_name(name), folder / name)
    chattr = shutil.which("chattr")
    frozen = [folder / "case.tune", folder / "case.tune-wal", folder]
    if chattr is None or subprocess.run([chattr, "+i", *frozen], capture_output=True).returncode:
        pytest.skip("this file system has no immutable files (chattr +i), or not for this user")
    try:
        refusal("project_not_closed", folder / "case.tune")
    finally:
        subprocess.run([chattr, "-i", *reversed(frozen)], check=True)
    again = open_project(folder / "case.tune")
    assert again.recovered
    assert [run.label for run in runs.list_runs(again)] == ["only in the wal"]
    again.close()


# -- unclean ends --------------------------------------------------------------------------------------

IMPORTER = """
import sys
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
import numpy as np
from tunebench.store.opening import open_project
from tests.store import cases

project = open_project(Path(sys.argv[1]))
cases.store_artefact(project, b"complete\\n" * 300_000, name="complete.txt")
whole = cases.store_artefact(project, b"parsing\\n", name="parsing.txt")
writer = cases.sample_writer(project, whole)
rng = np.random.default_rng(0)
for part in range(12):
    writer.append(cases.batch(rng.random((8192, 40)), map(str, range(40)), first_row=part * 8192))
from tunebench.store.artefacts import begin_artefact
half = begin_artefact(project, cases.run_of(project, whole), "half.txt", "/half.txt", 0)
for part in range(30):
    half.write(rng.bytes(1 << 20))
print("ready", flush=True)
sys.stdin.read()
"""


def test_a_killed_import_harms_nothing_that_was_stored(project: Project, project_root: Path) -> None:
    values = np.round(np.random.default_rng(9).random((20_000, 2)), 3)
    done = cases.write_samples(project, cases.batch(values, ("a", "b")), data=b"done\n")
    project.close()
    process = subprocess.Popen(
        [sys.executable, "-c", IMPORTER, str(project.path)],
        cwd=project_root,
        env={**os.environ, "PYTHONPATH": str(project_root / "app")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == b"ready\n"
        assert open_project(project.path).read_only_reason == "locked"
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()
    again = open_project(project.path)
    assert (again.read_only, again.recovered) == (False, True)
    assert [each.name for each in artefacts.pending_artefacts(again)] == ["complete.txt", "parsing.txt"]
    assert [each.name for each in artefacts.list_artefacts(again)] == ["iostat.txt", "complete.txt", "parsing.txt"]
    complete = artefacts.pending_artefacts(again)[0]
    assert b"".join(artefacts.read_artefact(again, complete.id)) == b"complete\n" * 300_000
    assert b"".join(artefacts.read_artefact(again, done)) == b"done\n"
    first, second = list_series(again)
    assert np.array_equal(read_series(again, first.id).values, values[:, 0])
    assert np.array_equal(read_series(again, second.id).values, values[:, 1])
    with again.reading() as connection:
        assert connection.execute("SELECT count(*) FROM sample_chunk").fetchone() == (6,)
    again.close()
    assert cases.files_in(project.path.parent) == ["case.tune"]


def test_damage_found_after_an_unclean_end_is_found_again_next_time(project: Project) -> None:
    with project.transaction() as connection:
        labels = [(f"run {number}",) for number in range(5000)]
        connection.executemany("INSERT INTO run (label, phase) VALUES (?, 'other')", labels)
        root = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'run'").fetchone()[0]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    project.close()
    with project.path.open("r+b") as stream:
        stream.seek((root - 1) * size)
        stream.write(b"\xff" * size)
    write_lock(project.path, pid=dead_pid())
    for _ in range(2):
        error = refusal("project_damaged", project.path)
        assert error.facts["detail"]


def test_a_damaged_page_met_while_reading_is_said_to_be_damage(project: Project) -> None:
    with project.reading() as connection:
        root = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'note'").fetchone()[0]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    project.close()
    with project.path.open("r+b") as stream:
        stream.seek((root - 1) * size)
        stream.write(b"\xff" * size)
    again = open_project(project.path)
    refusal("project_damaged", again, call=engagements.list_notes)
    again.close()


# -- copies --------------------------------------------------------------------------------------------


def dump(path: Path) -> list[str]:
    connection = connect(path, "ro", immutable=True)
    try:
        return list(connection.iterdump())
    finally:
        connection.close()


def test_a_backup_of_an_open_project_has_every_row(project: Project, tmp_path: Path) -> None:
    cases.write_samples(project, cases.batch(np.arange(500.0)[:, None]))
    for number in range(100):
        runs.ensure_run(project, f"run {number}", Phase.OTHER)
    assert project.path.with_name("case.tune-wal").stat().st_size > 0
    target = tmp_path / "copies" / "copy.tune"
    target.parent.mkdir()
    target.write_bytes(b"an older copy")
    backup_project(project, target)
    assert cases.files_in(target.parent) == ["copy.tune"]
    project.close()
    assert dump(target) == dump(project.path)
    copy = open_project(target)
    assert not copy.recovered
    assert len(runs.list_runs(copy)) == 101
    assert read_series(copy, list_series(copy)[0].id).values.tolist() == [float(i) for i in range(500)]
    copy.close()


def test_a_backup_onto_the_project_itself_is_refused(project: Project) -> None:
    refusal("target_is_project", project, project.path, call=backup_project)
    refusal("folder_missing", project, project.path.parent / "none" / "a.tune", call=backup_project)
    assert engagements.read_engagement(project) == cases.ENGAGEMENT


def test_a_backup_of_a_project_that_is_only_read(project: Project, tmp_path: Path) -> None:
    project.close()
    reader = open_project(project.path, read_only=True)
    backup_project(reader, tmp_path / "copy.tune")
    reader.close()
    open_project(tmp_path / "copy.tune").close()


# -- sharing -------------------------------------------------------------------------------------------


def test_who_shares_is_written_beside_and_the_last_leaves_one_file(project: Project) -> None:
    with open_project(project.path) as other:
        assert other.read_only_reason == "locked"
    project.share()
    guest = open_project(project.path)
    assert not guest.read_only and not guest.recovered
    for each, label in ((guest, "of the guest"), (project, "of the holder")):
        runs.ensure_run(each, label, Phase.BEFORE)
    assert {run.label for run in runs.list_runs(project)} == {"of the guest", "of the holder"}
    project.close()
    with open_project(project.path) as late:  # the guest holds it now, and shares as the first did
        assert not late.read_only
    guest.close()
    assert cases.files_in(project.path.parent) == ["case.tune"]
    with open_project(project.path) as again:
        assert not again.recovered and len(runs.list_runs(again)) == 2


def test_what_the_holder_has_not_finished_is_left_alone_by_a_guest(project: Project) -> None:
    writer = artefacts.begin_artefact(project, runs.ensure_run(project, "b", Phase.BEFORE).id, "vmstat", "/x", 0)
    project.share()
    with open_project(project.path) as guest:
        assert not guest.read_only
    writer.write(b"procs\n")
    assert writer.finish().duplicate_of is None


def test_a_guest_that_ended_without_a_word_has_the_project_checked(project: Project) -> None:
    project.share()
    lock = project.path.with_name("case.tune.lock")
    facts = json.loads(lock.read_text())
    lock.with_name("case.tune.lock.guest-0").write_text(json.dumps({**facts, "pid": 2**22 + 1}))
    project.close()
    with open_project(project.path) as again:
        assert again.recovered
    assert cases.files_in(project.path.parent) == ["case.tune"]
