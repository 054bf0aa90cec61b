"""Many captures are read in processes of their own, and what comes of it is what one process makes of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.e2e.processes import read_process
from tests.program import compose
from tests.project_rows import rows
from tests.waiting import PATIENCE_S, let_time_pass, wait_until
from tunebench.core import processes
from tunebench.core.errors import Cancelled
from tunebench.core.paths import builtin_plugins_folder
from tunebench.core.progress import SilentProgress
from tunebench.domain.engagement import Engagement
from tunebench.domain.ledger import ImportState
from tunebench.plughost.host import PluginHost
from tunebench.plughost.listing import Origin
from tunebench.plughost.plugin_folders import SearchFolder
from tunebench.store import artefacts, check, queries
from tunebench.store.databases import records as database_records
from tunebench.store.opening import open_project
from tunebench.store.project import Project
from tunebench.usecases import projects, services, workers
from tunebench.usecases.importing import imports, together
from tunebench.usecases.importing.results import ImportedFile, ImportOptions, ImportReport

ROOT = Path(__file__).resolve().parents[3]
MANIFEST = """\
id = "test.fateful"
name = { en = "Fateful", ko = "운명" }
version = "1.0.0"
api = ["1"]

[[parsers]]
id = "test.fateful"
entry = "parser:Fateful"
tools = ["fateful"]
os = ["linux"]
"""
PARSER = """\
import os
import time

from tunebench.sdk.databases import DatabaseIdentity, DatabaseRecord, Moment, Reach
from tunebench.sdk.lines import LineParser


class Fateful(LineParser):
    records = ()

    def take_records(self):
        taken, self.records = self.records, ()
        return taken

    @staticmethod
    def sniff(head, file_name):
        return 0.99 if head.startswith(b"fateful") else 0.0

    def read_lines(self, first_line, lines):
        print("words on the standard output")
        for line in lines:
            self.book.header()
            if line == b"die":
                os.kill(os.getpid(), 9)
            if line == b"record":
                record = DatabaseRecord("fateful", Reach.COUNTERS, DatabaseIdentity("oracle", "X"), Moment(first_line))
                self.records = (*self.records, record)
            if line == b"raise":
                raise ValueError("it was to be")
            if line == b"sleep":
                time.sleep(60)
        return ()
"""


@pytest.fixture
def folders(tmp_path: Path) -> tuple[SearchFolder, ...]:
    plugin = tmp_path / "plugins" / "fateful"
    plugin.mkdir(parents=True)
    (plugin / "plugin.toml").write_text(MANIFEST, encoding="utf-8")
    (plugin / "parser.py").write_text(PARSER, encoding="utf-8")
    return (SearchFolder(builtin_plugins_folder(), Origin.BUILTIN), SearchFolder(tmp_path / "plugins", Origin.USER))


@pytest.fixture(autouse=True)
def composed(folders: tuple[SearchFolder, ...], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    compose()
    made = replace(services.current(), plugins=PluginHost(folders))
    services.install(lambda: made)
    monkeypatch.setattr(together, "LEAST_BYTES", 0)
    monkeypatch.setattr(together, "cores", lambda: 2)
    yield
    compose()


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    made = projects.create(tmp_path / "acme.tune", Engagement(title="Tuning", customer="ACME", zone="Asia/Seoul"))
    yield made
    projects.close(made)


def vmstat(folder: Path, name: str, rows: int, idle: int = 90) -> Path:
    lines = [
        "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----",
        " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 UTC",
    ]
    for row in range(rows):
        lines.append(
            f" 1  0      0 {900000 + row:6d}  10000 500000    0    0     0     8  200  300  5  4 {idle:2d}  1  0"
            f" 2026-11-20 {row // 3600:02d}:{row // 60 % 60:02d}:{row % 60:02d}"
        )
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def several(folder: Path) -> list[Path]:
    folder.mkdir()
    made = [vmstat(folder, f"vmstat{number}.txt", 3_000 + 4_000 * number, 80 + number) for number in range(4)]
    wrapped = ROOT / "tests" / "fixtures" / "impossible" / "sysbench-wrapped-rate.txt"
    return [*made, wrapped, *sorted((ROOT / "tests" / "fixtures" / "pgbench").glob("*/pg_stat_statements.csv"))]


def take(project: Project, *paths: Path) -> ImportReport:
    return imports.import_captures(project, paths, ImportOptions())


def workers_now() -> list[int]:
    """Processes that this one started and that still run."""
    mine = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            facts = dict(line.split(":\t", 1) for line in status.read_text().splitlines() if ":\t" in line)
            words = (status.parent / "cmdline").read_bytes()
        except OSError:
            continue
        if facts["PPid"].strip() == str(os.getpid()) and b"read-captures" in words:
            mine.append(int(status.parent.name))
    return mine


def test_the_project_is_the_same_row_by_row(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = several(tmp_path / "captures")
    alone = projects.create(tmp_path / "alone.tune", Engagement(title="Tuning", customer="ACME", zone="Asia/Seoul"))
    with monkeypatch.context() as one, alone:
        one.setattr(together, "LEAST_BYTES", 1 << 60)
        one.setattr(imports, "parse_together", lambda *_: pytest.fail("in processes"))
        in_turn = take(alone, *paths)
        expected = rows(alone)
    monkeypatch.setattr(imports, "parse_stored", lambda *_: pytest.fail("one after the other"))
    at_once = take(project, *paths)
    assert [(file.path, file.state, file.ledger, file.host) for file in at_once.files] == [
        (file.path, file.state, file.ledger, file.host) for file in in_turn.files
    ]
    assert [file.ledger.impossible.count for file in at_once.files if file.ledger.impossible.count] == [3]
    found = rows(project)
    assert found.keys() == expected.keys()
    assert {name for name in found if found[name] != expected[name]} == set()
    assert len(found["sample_chunk"]) > 50 and found["series_tile"] and found["clock_tile"]
    assert len(found["database_record"]) == 2 and found["database_table"] and found["shared_text"]
    assert not workers_now()


def test_who_asks_for_processes_gets_them(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = several(tmp_path / "captures")
    monkeypatch.setattr(together, "LEAST_BYTES", 1 << 60)
    alone = projects.create(tmp_path / "alone.tune", Engagement(title="Tuning", customer="ACME", zone="Asia/Seoul"))
    with alone:
        take(alone, *paths)
        expected = rows(alone)
    monkeypatch.setattr(imports, "parse_stored", lambda *_: pytest.fail("one after the other"))
    imports.import_captures(project, paths, ImportOptions(), at=workers.where("local:2", None))
    assert rows(project) == expected


def fate(folder: Path, name: str, word: str) -> Path:
    """A capture whose parser does as it says; not at its beginning, which is looked at in this process."""
    path = folder / name
    path.write_text(f"fateful {name}\n" + "nothing yet\n" * 10_000 + f"{word}\n", encoding="utf-8")
    return path


def of(report: ImportReport, name: str) -> ImportedFile:
    (found,) = [file for file in report.files if file.path.endswith(name)]
    return found


def test_a_process_that_dies_costs_its_own_capture(project: Project, tmp_path: Path) -> None:
    paths = [
        vmstat(tmp_path, "a.txt", 400),
        fate(tmp_path, "b.txt", "die"),
        vmstat(tmp_path, "c.txt", 500),
        fate(tmp_path, "d.txt", "die"),
        vmstat(tmp_path, "e.txt", 600),
    ]
    report = take(project, *paths)
    assert [of(report, name).state for name in ("a.txt", "c.txt", "e.txt")] == [ImportState.IMPORTED] * 3
    dead = of(report, "b.txt")
    assert dead.state is ImportState.FAILED and dead.error is not None
    assert (dead.error.key, dead.error.facts["path"]) == ("parser_died", "b.txt")
    assert of(report, "d.txt").state is ImportState.FAILED
    assert dead.artefact_id is not None
    assert artefacts.find_artefact(project, dead.artefact_id).state == ImportState.FAILED
    counts = {series.count for series in queries.list_series(project)}
    assert counts >= {399, 499, 599}, "the first row of each is an average since boot"
    assert not workers_now()


def test_a_parser_that_raises_is_quarantined_as_it_is_in_one_process(project: Project, tmp_path: Path) -> None:
    report = take(project, vmstat(tmp_path, "a.txt", 400), fate(tmp_path, "b.txt", "raise"))
    error = of(report, "b.txt").error
    assert error is not None and (error.key, error.facts["reason"]) == ("parser_failed", "it was to be")
    (record,) = services.current().plugins.quarantined()
    assert (record.plugin_id, record.reason) == ("test.fateful", "ValueError: it was to be")
    assert "in read_lines" in record.traceback
    assert of(report, "a.txt").complete


def test_records_of_a_capture_that_fails_later_do_not_stay(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("fateful\n" + ("nothing yet\n" * 100_000 + "record\n") * 3 + "raise\n", encoding="utf-8")
    good = fate(tmp_path, "good.txt", "record")
    report = take(project, path, good)
    failed, read = (of(report, name).artefact_id for name in ("long.txt", "good.txt"))
    assert failed is not None and read is not None
    assert database_records.count_records(project, failed) == 0
    (stored,) = database_records.list_records(project)
    assert (stored.artefact_id, stored.position, stored.head.source) == (read, 0, "fateful")
    services.current().plugins.readmit("test.fateful", "test.fateful")
    imports.reparse(project, read, ImportOptions())
    (again,) = database_records.list_records(project)
    assert (again.artefact_id, again.head) == (read, stored.head)


def test_processes_that_cannot_start_leave_the_work_to_this_one(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "program_words", lambda word: [sys.executable, "-c", f"raise SystemExit('{word}')"])
    report = take(project, *(vmstat(tmp_path, f"{name}.txt", 300 + number) for number, name in enumerate("abcd")))
    assert all(file.complete for file in report.files) and len(report.files) == 4


needs_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="processes are looked up in /proc")


class GivesUp(SilentProgress):
    """The user cancels when a process is under way."""

    def raise_if_cancelled(self) -> None:
        if len(workers_now()) == 2:
            raise Cancelled


@needs_proc
def test_a_cancelled_import_leaves_no_process_and_nothing_half_done(project: Project, tmp_path: Path) -> None:
    paths = [fate(tmp_path, f"{name}.txt", "sleep") for name in "abc"]
    began = time.monotonic()
    with pytest.raises(Cancelled):
        imports.import_captures(project, paths, ImportOptions(), GivesUp())
    assert time.monotonic() - began < 50, "each parser sleeps for a minute"
    assert not workers_now()
    assert artefacts.list_artefacts(project) == [] and queries.list_series(project) == []
    assert {result.state for result in check.check_project(project)} == {"ok"}


PARENT = """\
import sys
from dataclasses import replace
from pathlib import Path
from tests.program import compose
from tests.project_rows import rows
from tunebench.domain.engagement import Engagement
from tunebench.plughost.host import PluginHost
from tunebench.plughost.listing import Origin
from tunebench.plughost.plugin_folders import SearchFolder
from tunebench.usecases import projects, services, workers
from tunebench.usecases.importing.results import ImportOptions
from tunebench.usecases.importing import imports, together

compose()
folders = (SearchFolder(Path(sys.argv[1]), Origin.USER),)
made = replace(services.current(), plugins=PluginHost(folders))
services.install(lambda: made)
together.LEAST_BYTES = 0
together.cores = lambda: 2
project = projects.create(Path(sys.argv[2]), Engagement(title="t", customer="c", zone="UTC"))
imports.import_captures(project, [Path(word) for word in sys.argv[3:]], ImportOptions())
"""


@needs_proc
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_no_process_outlives_the_program(tmp_path: Path, how: signal.Signals) -> None:
    paths = [fate(tmp_path, f"{name}.txt", "sleep") for name in "ab"]
    target = tmp_path / "killed.tune"
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, tmp_path / "plugins", target, *paths], cwd=ROOT, stderr=subprocess.DEVNULL
    )
    try:
        assert wait_until(lambda: children_of(parent.pid))
        children = children_of(parent.pid)
        let_time_pass(0.5, "the readers are within their captures")
        parent.send_signal(how)
        parent.wait(PATIENCE_S)
        assert wait_until(lambda: not any(map(read_process, children)))
    finally:
        parent.kill()
        parent.wait()
    with open_project(target) as again:
        assert [one.name for one in artefacts.list_artefacts(again)] == ["a.txt", "b.txt"]


def test_a_process_whom_nobody_speaks_to_ends() -> None:
    done = subprocess.run(
        [sys.executable, "main.py", "read-captures"],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_process_that_reads_captures_has_no_window_in_it() -> None:
    script = (
        "import sys, tunebench.capture.reading_worker\n"
        "print([name for name in sys.modules if name.partition('.')[0] in ('PySide6', 'pyqtgraph', 'paramiko')])"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]", done.stderr


def test_small_imports_stay_in_this_process() -> None:
    megabyte = 1 << 20
    together.LEAST_BYTES = 24 * megabyte  # restored with the fixture's other changes
    assert together.workers_for([23 * megabyte]) == 0
    assert together.workers_for([10 * megabyte, 10 * megabyte]) == 0
    assert together.workers_for([100 * megabyte]) == 0, "one capture is read by one process"
    assert together.workers_for([30 * megabyte, 1]) == 2


def children_of(parent: int) -> list[int]:
    """Both workers, once they run."""
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            text = status.read_text()
        except OSError:
            continue
        if f"\nPPid:\t{parent}\n" in text:
            found.append(int(status.parent.name))
    return found if len(found) == 2 else []
