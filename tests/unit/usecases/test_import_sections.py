"""A file of several tools: the file is kept, each tool is a capture of its own, and nothing of it is lost unsaid."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.bootstrap import compose
from app.domain.bundle import MemberState
from app.domain.engagement import Engagement
from app.domain.ledger import ImportState
from app.store import artefacts, hosts, queries
from app.store.project import Project
from app.usecases import browse, projects
from app.usecases.findings.processor_count import counted_by_banner
from app.usecases.importing import imports
from app.usecases.importing.imports import ImportOptions, ImportReport

SCRIPT = Path(__file__).resolve().parents[2] / "fixtures/sections/collect_script.txt"
PARTS = ["vmstat", "iostat", "df", "free"]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    compose()
    made = projects.create(tmp_path / "acme.tune", Engagement(title="Tuning", customer="ACME", zone="Asia/Seoul"))
    yield made
    projects.close(made)


def take(project: Project, path: Path) -> ImportReport:
    return imports.import_captures(project, [path], ImportOptions())


def test_each_tool_is_a_capture_and_the_file_is_kept(project: Project) -> None:
    whole, *parts = take(project, SCRIPT).files
    assert (whole.state, whole.ledger.tool) == (ImportState.KEPT, "vmstat + iostat + df + free")
    assert [part.path.rpartition("!/")[2] for part in parts] == PARTS
    assert [part.state for part in parts] == [ImportState.IMPORTED] * 4
    assert b"".join(artefacts.read_artefact(project, whole.artefact_id or 0)) == SCRIPT.read_bytes()
    # rows times columns of the text: 3 x 17; 2 x 6 and 3 x 15; 1 x 4; 6 and 3
    assert [part.ledger.samples for part in parts] == [51, 57, 4, 9]
    assert {part.host for part in parts} == {"ol8mysql01"}, "iostat alone names the host of all"


def test_every_line_of_the_file_is_accounted_for_and_what_nobody_knows_is_named(project: Project) -> None:
    whole = take(project, SCRIPT).files[0].ledger
    assert whole.lines.balanced
    assert whole.lines.total == len(SCRIPT.read_bytes().splitlines()) == 33
    assert [(each.first_line, each.count, each.example) for each in whole.skipped] == [(30, 4, "### netstat -s")]


def test_a_figure_leads_back_to_its_line_of_the_file_and_has_the_date_above_it(project: Project) -> None:
    take(project, SCRIPT)
    (info,) = [each for each in queries.list_series(project) if (each.tool, each.native) == ("df", "1K-blocks")]
    found = browse.evidence(project, info.id, info.first_ns or 0)
    assert found.line_number == 25
    assert found.lines[2] == SCRIPT.read_text().splitlines()[24]
    # 2026-07-20 09:00:00 +09:00
    assert info.first_ns == 1784505600 * 10**9


def test_it_is_there_once_and_a_part_is_read_again_by_its_own_reader(project: Project) -> None:
    first = take(project, SCRIPT)
    again = take(project, SCRIPT)
    assert [file.state for file in again.files] == [ImportState.DUPLICATE] * 5
    for file in first.files[1:]:
        read = imports.reparse(project, file.artefact_id or 0, ImportOptions(interval_s=10.0))
        assert (read.parser, read.ledger.samples) == (file.parser, file.ledger.samples)
        assert "one_tool_of_several" in read.ledger.warnings


def test_a_part_far_below_the_beginning_is_read_again(project: Project, tmp_path: Path) -> None:
    text = SCRIPT.read_text()
    row = text.splitlines(keepends=True)[4]
    path = tmp_path / "collect.txt"
    path.write_text(text.replace(row, row * 70_000))
    found = {file.parser: file for file in take(project, path).files}
    assert found["linux.df"].ledger.samples == 4
    read = imports.reparse(project, found["linux.df"].artefact_id or 0, ImportOptions())
    assert (read.parser, read.ledger.samples) == ("linux.df", 4)


def test_a_member_of_an_archive_is_cut_as_well(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "mail.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(SCRIPT, "db01/collect.txt")
        archive.writestr("db01/notes.txt", "see the other file\n")
    (account,) = take(project, path).bundles
    states = {member.name: member.state for member in account.members}
    assert states.pop("db01/collect.txt") is MemberState.KEPT
    assert states.pop("db01/notes.txt") is MemberState.UNRECOGNISED
    assert states == {f"db01/collect.txt!/{part}": MemberState.IMPORTED for part in PARTS}


def test_stamps_before_each_line_are_read_also_far_below_the_beginning(project: Project, tmp_path: Path) -> None:
    lines = SCRIPT.read_text().splitlines()
    stamped = [f"2026-07-20 09:00:0{second}\t{line}" for second, line in enumerate(lines[2:7])]
    path = tmp_path / "collect.txt"
    path.write_text("\n".join([*lines[7:22] * 10, "### vmstat", *stamped, ""]))
    found = {file.parser: file for file in take(project, path).files}["linux.vmstat"]
    # the first and the last row: 2026-07-20 09:00:02 and 09:00:04 +09:00
    assert (found.ledger.first_ns, found.ledger.last_ns) == (1784505602 * 10**9, 1784505604 * 10**9)


def test_the_processors_that_a_banner_far_below_tells_are_known(project: Project) -> None:
    take(project, SCRIPT)
    (host,) = hosts.list_hosts(project)
    assert counted_by_banner(project, host.id) == 1


def test_captures_that_name_no_host_are_of_one_host_for_each_file(project: Project, tmp_path: Path) -> None:
    lines = SCRIPT.read_text().splitlines(keepends=True)
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(
            "".join(lines[:7] + lines[22:29]).replace("453392", f"4533{len(name)}{ord(name[0])}")
        )
    report = imports.import_captures(project, [tmp_path / "a.txt", tmp_path / "b.txt"], ImportOptions())
    hosts = [{f.host for f in report.files if f"{name}.txt" in f.path} for name in "ab"]
    assert [len(each) for each in hosts] == [1, 1]
    assert hosts[0] != hosts[1]
