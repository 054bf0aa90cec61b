"""Hosts and verdicts are counted alike in window, command line and report, whatever a project held before."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.program import compose
from tests.unit.usecases import daily_captures as made
from tunebench.cli.main import run
from tunebench.domain.capturing.times import Correction
from tunebench.domain.engagement import Engagement, Phase
from tunebench.domain.windows import Occurrence, Window, WindowRole
from tunebench.reporting.cases.case import SuccessCase
from tunebench.reporting.chapters.context import Context, context_of
from tunebench.reporting.chapters.front import of_what
from tunebench.reporting.chapters.verdicts import counts_text
from tunebench.store import hosts
from tunebench.store.project import Project
from tunebench.usecases import browse, projects
from tunebench.usecases.comparing import compare, windows
from tunebench.usecases.cycle import applying
from tunebench.usecases.importing import import_review, imports, resolution
from tunebench.usecases.importing.results import ImportOptions
from tunebench.usecases.reports import success_case as reports

SEOUL = ZoneInfo("Asia/Seoul")
DAYS = {Phase.BEFORE: datetime(2026, 7, 13), Phase.AFTER: datetime(2026, 7, 20)}
SAR_SERIES = 6
"""``%user %nice %system %iowait %steal %idle`` of all processors."""


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """web01 in both windows; night01 on both sides, but before its window; two captures that were web01's after all."""
    compose()
    with projects.create(tmp_path / "case.tune", Engagement("Tuning", "ACME", zone="Asia/Seoul")) as opened:
        for phase, day in DAYS.items():
            folder = tmp_path / phase.value
            folder.mkdir()
            made.sar_day(folder, day, host="web01", name="day.txt")
            made.sar_day(folder, day, 500, rows=12, host="night01", start=timedelta(minutes=20), name="night.txt")
            made.vmstat(folder, "vmstat.txt", 24, 700 + day.day)
            imports.import_captures(opened, [folder], ImportOptions(run=phase.value, phase=phase))
            start = int(day.replace(hour=9, tzinfo=SEOUL).timestamp()) * 10**9
            hours = (Occurrence(start, start + 4 * 3600 * 10**9),)
            window = Window(0, f"Peak {phase.value}", WindowRole(phase.value), occurrences=hours)
            applying.apply(opened, windows.add(opened, window))
        unnamed = [each.artefact for each in import_review.reviewed(opened) if each.name == "vmstat.txt"]
        resolution.correct(opened, [each.id for each in unnamed if each], Correction(host="web01"))
        yield opened


@pytest.fixture
def case(project: Project) -> SuccessCase:
    return reports.build_case(project, "en")


def said(case: SuccessCase) -> Context:
    return context_of(case, "en")


def test_a_host_whose_captures_went_to_another_one_is_counted_nowhere(project: Project, case: SuccessCase) -> None:
    emptied = {host.name for host in hosts.list_hosts(project)} - {"web01", "night01"}
    assert emptied, "it stays in the file"
    assert [host.name for host in case.hosts] == ["night01", "web01"]
    assert [host.name for host in projects.overview(project).hosts] == ["night01", "web01"]
    assert "unknown" not in of_what(said(case)).lower()


def test_verdicts_are_counted_of_what_was_measured_on_both_sides(
    project: Project, case: SuccessCase, capsys: pytest.CaptureFixture[str]
) -> None:
    """night01 has the same series in both runs and no sample in either window."""
    before, after = (windows.kept_window(project, f"Peak {phase.value}") for phase in DAYS)
    rows = compare.compare(project, before, after).rows
    assert sum(row.before is not None and row.after is not None for row in rows if row.series.host == "night01") == 6
    assert len([row for row in rows if row.measured_on_both]) == SAR_SERIES
    assert f"series {SAR_SERIES} " in counts_text(said(case))
    projects.close(project)
    assert (
        run(["compare", str(project.path), "--rows", "--before", before.name, "--after", after.name, "--lang", "en"])
        == 0
    )
    assert re.search(rf"series {SAR_SERIES}\b", capsys.readouterr().out)


def test_a_series_that_other_captures_go_on_with_does_not_go_with_one_of_them(tmp_path: Path) -> None:
    """Two days of one run are one series of each column; a day of another host has columns of its own."""
    compose()
    with projects.create(tmp_path / "days.tune", Engagement("Tuning", "ACME", zone="Asia/Seoul")) as opened:
        folder = tmp_path / "days"
        folder.mkdir()
        first = DAYS[Phase.BEFORE]
        for number in range(2):
            made.sar_day(folder, first + timedelta(days=number), 200 * number, host="web01", name=f"day{number}.txt")
        made.sar_day(folder, first, 500, host="db01", name="db.txt")
        imports.import_captures(opened, [folder], ImportOptions(run="july"))
        assert projects.overview(opened).series == len(browse.list_series(opened)) == 2 * SAR_SERIES
        captures = {each.name: each for view in projects.overview(opened).runs for each in view.artefacts}
        for name, lost in (("day0.txt", 0), ("db.txt", SAR_SERIES)):
            before = projects.overview(opened).series
            going = projects.going_with_artefact(opened, captures[name].id)
            assert going.series == lost, name
            projects.remove_artefact(opened, captures[name].id)
            assert before - projects.overview(opened).series == lost, "what was said went"
