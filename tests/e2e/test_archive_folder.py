"""A folder of captures of many hosts goes straight into an archive: with the rows that a project of each host has."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.conftest import Command, iostat_capture
from tunebench.archive.archive import Archive
from tunebench.archive.layout import TABLES
from tunebench.cluster.local import LocalEngine
from tunebench.cluster.work import Unit
from tunebench.core.errors import Cancelled, UserError
from tunebench.core.progress import SilentProgress
from tunebench.usecases.archiving import from_folder
from tunebench.usecases.archiving.from_folder import Said, Taken

SAID = Said("Year", "ACME", "Asia/Seoul", "Kim, customer, 2026-11-20")
VMSTAT = """\
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 UTC
"""


def iostat(host: str, day: str, user: float, minutes: int = 20) -> str:
    return iostat_capture(day, minutes, user, 100).replace("(db01)", f"({host})")


def vmstat(idle: int, minutes: int = 20) -> str:
    rows = (
        f" 1  0      0 {900000 + row:6d}  10000 500000    0    0     0     8  200  300  5  4 {idle:2d}  1  0"
        f" 2026-11-16 09:{row:02d}:00\n"
        for row in range(minutes)
    )
    return VMSTAT + "".join(rows)


def write(folder: Path, files: dict[str, str]) -> Path:
    for number, (name, text) in enumerate(files.items()):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        os.utime(path, (1_932_000_000 + 86_400 * number,) * 2)
    return folder


@pytest.fixture
def captures(tmp_path: Path) -> Path:
    files = {
        f"before/{host}/iostat-{day}.txt": iostat(host, f"2026-11-{day}", 10 + index + day % 10)
        for index, host in enumerate(("db01", "db02", "web01"))
        for day in (16, 17)
    }
    files |= {
        name.replace("before", "after").replace("-1", "-2"): text.replace("2026-11-1", "2026-11-2")
        for name, text in files.items()
    }
    files |= {"before/rack1/vmstat.txt": vmstat(90), "before/rack2/vmstat.txt": vmstat(60), "README.md": "# captures\n"}
    return write(tmp_path / "captures", files)


def taken(archive: Archive, folder: Path, engine: LocalEngine | None = None, said: Said = SAID) -> Taken:
    with engine or LocalEngine(2) as running:
        return from_folder.take_folder(archive, folder, said, running, SilentProgress())


def rows(archive: Archive) -> dict[str, list[str]]:
    """Of every table, but for when it was written and of which bytes."""
    tables = {}
    for table in TABLES:
        answer = archive.ask(f"SELECT * FROM {table}").as_records()
        tables[table] = sorted(repr({**row, "added_ns": 0, "content": ""}) for row in answer)
    return tables


def test_every_host_has_the_rows_of_a_project_of_its_own(captures: Path, tmp_path: Path, tunebench: Command) -> None:
    place, project = tmp_path / "archive", tmp_path / "db01.tune"
    words = ("--title", "Year", "--customer", "ACME", "--consent", "Kim, customer", "--tz", "Asia/Seoul")
    answer = tunebench("archive", place, "import", captures, *words, "--on", "local:2", "--json")
    assert answer.code == 4, "README.md is no capture"
    assert (answer.json["hosts"], answer.json["came"], answer.json["files"]) == (
        ["db01", "db02", "web01", "unknown (before/rack1)", "unknown (before/rack2)"],
        14,
        15,
    )
    assert [refused["file"] for refused in answer.json["refused"]] == ["README.md"]
    assert "README.md" in answer.err and str(tmp_path) not in answer.err
    assert tunebench("new", project, "--title", "Own", "--customer", "ACME", "--zone", "Asia/Seoul").code == 0
    for phase in ("before", "after"):
        assert tunebench("import", project, captures / phase / "db01", "--run", phase, "--phase", phase).code == 0
    assert tunebench("archive", place, "add", project, "--consent", "Kim, customer").code == 0
    columns = {
        "days": "day, native, attributes, run, samples, mean, minimum, median, p95, maximum",
        "series": "native, attributes, run, samples, begin_ns, end_ns",
        "verdicts": "native, attributes, verdict, ratio, low, high, p_adjusted, before_mean, after_mean",
        "evidence": "sha256, run, samples, parser, begin_ns, end_ns",
        "findings": "rule, severity, phase, run, title, figures, share",
        "hosts": "host, os, os_version",
    }
    archive = Archive.existing(place)
    for table, named in columns.items():
        of_one = "engagement = (SELECT engagement FROM engagements AS e WHERE e.title = $1)"
        query = f"SELECT {named} FROM {table} WHERE host = 'db01' AND {of_one}"
        of_folder, of_project = (sorted(map(repr, archive.ask(query, [title]).rows)) for title in ("Year", "Own"))
        assert of_folder == of_project, table
        assert of_folder or table == "findings", table
    again = tunebench("archive", place, "import", captures, *words)
    assert again.code == 0 and "is in the archive as it is now" in again.out


def test_as_many_processes_as_there_are_give_the_same(captures: Path, tmp_path: Path) -> None:
    one, two = (Archive.begun(tmp_path / name) for name in ("one", "two"))
    assert repr(taken(one, captures, LocalEngine(1))) == repr(taken(two, captures, LocalEngine(2)))
    assert rows(one) == rows(two)
    assert len(rows(one)["days"]) > 30 and len(rows(one)["verdicts"]) > 10


class SeesNothing(LocalEngine):
    """As workers on machines that see the archive and not the captures."""

    def agree(self, unit: Unit, asked: object) -> bool:
        return str(asked).endswith("archive.json")


def test_captures_are_sent_to_who_does_not_see_them(
    captures: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, sent = (Archive.begun(tmp_path / name) for name in ("seen", "sent"))
    assert repr(taken(seen, captures)) == repr(taken(sent, captures, SeesNothing(2)))
    assert rows(seen) == rows(sent)
    monkeypatch.setattr(from_folder, "MOST_SENT_BYTES", 10_000)
    with pytest.raises(UserError) as refused:
        taken(Archive.begun(tmp_path / "large"), captures, SeesNothing(2))
    assert refused.value.key == "cluster_folder_unseen"


def test_an_archive_that_workers_do_not_see_is_refused(
    captures: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LocalEngine, "agree", lambda *_: False)
    archive = Archive.begun(tmp_path / "archive")
    with pytest.raises(UserError) as refused:
        taken(archive, captures)
    assert (refused.value.key, archive.log.state().number) == ("cluster_archive_unseen", 0)


def test_a_host_in_files_that_do_not_say_so_at_once_is_read_as_one(tmp_path: Path) -> None:
    """A text of several tools names its hosts in prompts, which no beginning tells."""
    session = f"[root@db01 ~]# vmstat 60 20\n{vmstat(70)}[root@db01 ~]# df -k\nFilesystem 1K-blocks Used Available Use% Mounted on\n/dev/sda1 100 50 50 50% /\n"
    folder = write(tmp_path / "captures", {"a/iostat.txt": iostat("db01", "2026-11-16", 10), "b/session.txt": session})
    archive = Archive.begun(tmp_path / "archive")
    assert taken(archive, folder).hosts == ("db01",)
    (count,) = archive.ask("SELECT count(*) FROM hosts").rows
    assert count == (1,)
    tools = archive.ask("SELECT DISTINCT host, tool FROM series ORDER BY tool").rows
    assert {("db01", "iostat"), ("db01", "vmstat")} <= set(tools)


class GivesUp(SilentProgress):
    """The user cancels when a host was read."""

    def __init__(self) -> None:
        self._read = 0

    def report(self, done: int, total: int, key: str = "", **facts: object) -> None:
        self._read += key == "archive.progress.hosts"

    def raise_if_cancelled(self) -> None:
        if self._read > 1:  # the first is no capture
            raise Cancelled


def test_a_cancel_leaves_parts_that_nothing_names(captures: Path, tmp_path: Path) -> None:
    archive = Archive.begun(tmp_path / "archive")
    with LocalEngine(1) as engine, pytest.raises(Cancelled):
        from_folder.take_folder(archive, captures, SAID, engine, GivesUp())
    assert list((tmp_path / "archive" / "days").glob("part-*.parquet"))
    assert (archive.log.state().number, rows(archive)["days"]) == (0, [])


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (lambda said, folder: (Said(said.title, said.customer, said.zone, " "), folder), "archive_consent_missing"),
        (lambda said, folder: (Said(said.title, said.customer, "Mars/Base", said.consent), folder), "zone_unknown"),
        (lambda said, folder: (said, folder / "nothing"), "nothing_to_import"),
    ],
)
def test_what_cannot_begin(
    change: Callable[[Said, Path], tuple[Said, Path]], key: str, captures: Path, tmp_path: Path
) -> None:
    said, folder = change(SAID, captures)
    with pytest.raises(UserError) as refused:
        taken(Archive.begun(tmp_path / "archive"), folder, said=said)
    assert refused.value.key == key


def test_a_folder_without_any_capture_changes_nothing(tmp_path: Path, tunebench: Command) -> None:
    folder = write(tmp_path / "captures", {"notes.txt": "nothing measured\n"})
    words = ("--title", "T", "--customer", "C", "--consent", "Kim", "--json")
    answer = tunebench("archive", tmp_path / "archive", "import", folder, *words)
    assert (answer.code, answer.json["hosts"], answer.json["rows"]) == (3, [], 0)
    assert Archive.existing(tmp_path / "archive").contents() == {}
