"""Workbooks, series in JSON and tables of several hosts on their way in: kept as they are, a capture for each table and host."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from pathlib import Path

import openpyxl
import pytest

from tests.program import compose
from tunebench.core.paths import builtin_plugins_folder
from tunebench.core.progress import SilentProgress
from tunebench.domain.engagement import Engagement
from tunebench.domain.ledger import ImportState
from tunebench.store import artefacts, hosts, queries
from tunebench.store.project import Project
from tunebench.transport import tables
from tunebench.transport.containers.limits import OverLimit
from tunebench.transport.tables import TextTable
from tunebench.usecases import browse, plugins, projects
from tunebench.usecases.importing import imports, table_definitions
from tunebench.usecases.importing.results import ImportOptions, ImportReport

FIXTURES = builtin_plugins_folder()
TWO_HOSTS = FIXTURES / "windows_counters/fixtures/made_two_hosts_decimal_comma.tsv"
ZABBIX = FIXTURES / "monitoring_exports/fixtures/made_zabbix_hosts.csv"
START = dt.datetime(2026, 7, 20, 9)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    compose()
    made = projects.create(tmp_path / "acme.tune", Engagement(title="Tuning", customer="ACME", zone="Asia/Seoul"))
    yield made
    projects.close(made)


def take(project: Project, *paths: Path) -> ImportReport:
    return imports.import_captures(project, list(paths), ImportOptions())


def workbook(path: Path) -> Path:
    """A title, a heading of two lines with merged cells, rows with midnight among them; and a sheet of words."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "성능"
    for row in (["2026년 7월 성능"], [], ["시각", "CPU", None, "디스크"], [None, "사용(%)", "대기(%)", "ms"]):
        sheet.append(row)
    for at in range(20):
        sheet.append([START.replace(hour=0) + dt.timedelta(minutes=5 * at), 20 + at, 1 + at / 4, 3.5])
    for merged in ("A1:D1", "A3:A4", "B3:C3"):
        sheet.merge_cells(merged)
    words = book.create_sheet("메모")
    words.append(["점검 결과", "양호"])
    book.save(path)
    return path


def means(project: Project, native: str) -> dict[str, list[float]]:
    """By host."""
    names = {host.id: host.name for host in hosts.list_hosts(project)}
    held = {each.id: names.get(each.host_id or 0, "") for each in artefacts.list_artefacts(project)}
    return {
        held[info.artefact_id]: [value for value in browse.series_data(project, info.id).values if value == value]
        for info in queries.list_series(project)
        if info.native == native
    }


def test_a_table_of_two_hosts_becomes_a_capture_for_each(project: Project) -> None:
    whole, one, other = take(project, TWO_HOSTS).files
    assert whole.state is ImportState.KEPT
    assert [(file.host, file.state, file.ledger.samples) for file in (one, other)] == [
        ("WEB01", ImportState.IMPORTED, 5),
        ("WEB02", ImportState.IMPORTED, 2),
    ]
    assert all("one_host_of_several" in file.ledger.warnings for file in (one, other))
    assert means(project, r"Processor\% Idle Time") == {"WEB01": [91.5, 92.25], "WEB02": [55.25, 56.25]}
    assert [file.state for file in take(project, TWO_HOSTS).files] == [ImportState.DUPLICATE] * 3


def test_rows_of_two_hosts_keep_the_lines_of_the_file(project: Project) -> None:
    _, one, other = take(project, ZABBIX).files
    assert means(project, "system.cpu.util") == {"web01": [91.0, 93.0], "web02": [72.0, 74.5]}
    (info,) = [each for each in queries.list_series(project) if each.artefact_id == other.artefact_id]
    assert browse.evidence(project, info.id, info.first_ns or 0).line_number == 3
    assert (one.ledger.lines.data, one.ledger.lines.blank) == (2, 3)


def test_a_workbook_that_nobody_describes_is_kept_and_says_what_to_do(project: Project, tmp_path: Path) -> None:
    kept, sheet = take(project, workbook(tmp_path / "july.xlsx")).files
    assert (kept.state, sheet.state) == (ImportState.KEPT, ImportState.UNRECOGNISED)
    assert sheet.error is not None and sheet.error.key == "table_unknown"
    assert b"".join(artefacts.read_artefact(project, kept.artefact_id or 0)) == (tmp_path / "july.xlsx").read_bytes()


def test_a_sheet_is_described_by_example_and_read(project: Project, tmp_path: Path) -> None:
    """The heading's two lines are one, what is merged stands over each column, and midnight is a time."""
    path = workbook(tmp_path / "july.xlsx")
    sample = table_definitions.read_sample(path)
    assert sample.path.endswith("july.xlsx!/성능.tsv")
    draft = table_definitions.guess(sample, "july")
    seen = table_definitions.preview(draft, sample, "Asia/Seoul")
    assert (seen.problems, len(seen.rows)) == ((), 20)
    table_definitions.save(draft, "july", sample, None)
    report = take(project, path)
    read = report.files[1]
    assert (read.state, read.ledger.tool, read.ledger.samples) == (ImportState.IMPORTED, "july", 60)
    assert read.ledger.first_ns == 1784473200 * 10**9  # 2026-07-20 00:00 +09:00
    (busy,) = means(project, "CPU 사용(%)").values()
    (waiting,) = means(project, "CPU 대기(%)").values()
    assert busy == [20 + at for at in range(20)]
    assert waiting == [1 + at / 4 for at in range(20)]
    [info] = [each for each in queries.list_series(project) if each.native == "CPU 사용(%)"]
    assert (info.unit, info.first_ns) == ("%", 1784473200 * 10**9)


def test_the_sheet_is_found_where_its_bundle_says_it_is(project: Project, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    workbook(folder / "july.xlsx")
    (bundle,) = take(project, folder).bundles
    [member] = [each for each in bundle.members if each.name.endswith(".tsv")]
    sample = table_definitions.read_member(bundle, member.name, SilentProgress())
    assert sample.lines[0].startswith("2026년 7월 성능")


def test_a_plugin_is_made_from_a_workbook(project: Project, tmp_path: Path) -> None:
    made = plugins.create_from_sample("july", workbook(tmp_path / "july.xlsx"), table=True, folder=tmp_path / "plugins")
    assert [one.level for one in plugins.check(str(made)) if one.level != "info"] == []


def spread(path: Path, *titles: str) -> Path:
    """Sheets with figures beside each other, of which the last has one figure in the last place a sheet has as well."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title in titles:
        sheet = book.create_sheet(title)
        for at in range(20):
            sheet.append([START + dt.timedelta(minutes=5 * at), 20 + at, 1 + at / 4])
    sheet.cell(1_048_576, 16_384, 1.0)
    book.save(path)
    return path


def test_a_workbook_that_is_too_much_is_kept_said_and_costs_nobody_else(project: Project, tmp_path: Path) -> None:
    report = take(project, spread(tmp_path / "far.xlsx", "s"), TWO_HOSTS)
    far, *others = report.files
    assert far.error is not None and far.error.key == "sheet_too_large"
    assert (far.state, far.complete, report.complete, report.nothing_done) == (ImportState.KEPT, False, False, False)
    assert b"".join(artefacts.read_artefact(project, far.artefact_id or 0)) == (tmp_path / "far.xlsx").read_bytes()
    assert [each.ledger.samples for each in others] == [0, 5, 2]


def test_the_sheets_before_one_that_is_too_much_stay(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the reader's memory or time is at its end in the middle of a workbook."""
    whole = tables.tables_of

    def ending(form: str, data: Iterable[bytes], name: str, path: str) -> Iterator[TextTable]:
        for table in whole(form, data, name, path):
            yield table
            break
        raise OverLimit("workbook_needs_time", path=path, most="30 s")

    path = workbook(tmp_path / "july.xlsx")
    sample = table_definitions.read_sample(path)
    table_definitions.save(table_definitions.guess(sample, "july"), "july", sample, None)
    monkeypatch.setattr(tables, "tables_of", ending)
    kept, sheet = take(project, path).files
    assert (kept.state, kept.error and kept.error.key) == (ImportState.KEPT, "workbook_needs_time")
    assert (sheet.state, sheet.ledger.samples) == (ImportState.IMPORTED, 60)
