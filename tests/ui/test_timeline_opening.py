"""Where the time line opens when captures lie far apart, and how what is not in sight is said."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import Qt

from tests.unit.usecases import daily_captures
from tunebench.analysis.exploring.time_range import SECOND_NS, TimeRange
from tunebench.columns.formats import moment
from tunebench.core.errors import Cancelled, UserError
from tunebench.domain.engagement import Engagement
from tunebench.domain.series import SeriesInfo
from tunebench.domain.windows import run_window
from tunebench.store import merged_series
from tunebench.store.project import Project
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.inspected import InspectedCapture, InspectedRun
from tunebench.ui.pages.timeline_page import TimelinePage
from tunebench.ui.workspace import Change
from tunebench.usecases import projects
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions

SEOUL = ZoneInfo("Asia/Seoul")
COPIED_S = 1_804_000_000  # 2027-03-03
HEADING = """\
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 KST
"""


def vmstat(folder: Path, name: str, begin: str) -> Path:
    row = " 1  0      0 900000  10000 500000    0    0     0     8  200  300  5  4 {idle}  1  0 {day} 10:{minute:02d}:00\n"
    rows = "".join(row.format(idle=80 + minute % 9, day=begin, minute=minute) for minute in range(30))
    path = folder / name
    path.write_text(HEADING + rows)
    return path


@pytest.fixture
def page(window: MainWindow, tmp_path: Path, idle: Callable[[], None]) -> TimelinePage:
    """One run with a capture of 2007 and one of 2026, an older run of 2006."""
    path = tmp_path / "far.tune"
    project = projects.create(path, Engagement("apart", "ACME", zone="Asia/Seoul"))
    far = [vmstat(tmp_path, "old.txt", "2007-07-19"), vmstat(tmp_path, "new.txt", "2026-11-20")]
    imports.import_captures(project, far, ImportOptions(run="both", host="db01"))
    older = [vmstat(tmp_path, "oldest.txt", "2006-07-19")]
    imports.import_captures(project, older, ImportOptions(run="older", host="db01"))
    projects.close(project)
    assert window.controller.open(path)
    idle()
    shown = window.page("timeline")
    assert isinstance(shown, TimelinePage)
    return shown


def open_page(window: MainWindow, page: TimelinePage, qtbot: Any, idle: Callable[[], None]) -> None:
    window.show_page("timeline")
    idle()
    qtbot.waitUntil(lambda: page.charts.feed.settled, timeout=60_000)


def day(time_ns: int) -> str:
    return moment(time_ns, SEOUL).date().isoformat()


def test_it_opens_on_all_that_was_measured_with_nothing_but_that(
    window: MainWindow, page: TimelinePage, qtbot: Any, idle: Callable[[], None]
) -> None:
    open_page(window, page, qtbot, idle)
    assert (day(page.view.start_ns), day(page.view.end_ns)) == ("2006-07-19", "2026-11-20")
    scale = page.charts.axis.scale
    assert [day(piece.start_ns) for piece in scale.pieces] == ["2006-07-19", "2007-07-19", "2026-11-20"]
    drawn = sum(scale.share_of(piece.end_ns) - scale.share_of(piece.start_ns) for piece in scale.pieces)
    assert drawn >= 0.8, "three half hours in twenty years have most of the width"
    lines = [line for _, row in page.charts.stack.ordered_rows() for line in row.canvas.lines]
    assert any(line.envelope is not None and line.envelope.times_ns.size > 10 for line in lines), "data fills the view"
    assert not page._outside.isVisible()


def test_what_is_clicked_beside_it_is_shown_with_what_was_around(
    window: MainWindow, page: TimelinePage, qtbot: Any, idle: Callable[[], None]
) -> None:
    overview = window.workspace.overview
    assert overview is not None
    open_page(window, page, qtbot, idle)
    (older,) = [view for view in overview.runs if view.run.label == "older"]
    window.workspace.inspect(InspectedRun(older))
    assert day(page.view.start_ns) == day(page.view.end_ns) == "2006-07-19"
    assert page._outside.isVisible() and page._outside.text().startswith("2 captures outside")
    assert "0 before it, 2 after it" in page._outside.toolTip()
    (newer,) = [view for view in overview.runs if view.run.label == "both"]
    old = next(capture for capture in newer.artefacts if capture.name == "old.txt")
    window.workspace.inspect(InspectedCapture(old))
    first_ns, last_ns = old.ledger.first_ns, old.ledger.last_ns
    assert first_ns is not None and last_ns is not None
    assert (first_ns - page.view.start_ns, page.view.end_ns - last_ns) == ((last_ns - first_ns) // 2,) * 2, (
        "it fills the middle half"
    )
    qtbot.mouseClick(page._outside, Qt.MouseButton.LeftButton)
    assert page.view == page.time.bounds and day(page.view.start_ns) == "2006-07-19"


def test_the_date_of_a_copy_opens_no_time_line(
    window: MainWindow, page: TimelinePage, qtbot: Any, idle: Callable[[], None], tmp_path: Path
) -> None:
    """A vmstat without stamps is told of and one click away; until then the navigator ends where the captures end."""
    path = daily_captures.vmstat(tmp_path, "copied.txt")
    os.utime(path, (COPIED_S, COPIED_S))
    imports.import_captures(window.workspace.opened, [path], ImportOptions(run="both", host="db01"))
    only = daily_captures.vmstat(tmp_path, "only.txt", first_row=50)
    os.utime(only, (COPIED_S - 30 * 86_400, COPIED_S - 30 * 86_400))
    imports.import_captures(window.workspace.opened, [only], ImportOptions(run="undated", host="db01"))
    window.workspace.announce(Change.CAPTURES)
    open_page(window, page, qtbot, idle)
    page.charts.stack.arrangement.show_only([])
    page.rows.show_first()
    open_page(window, page, qtbot, idle)
    window.workspace.inspect(
        InspectedCapture(next(c for c in runs_called(window, "both").artefacts if c.name == "new.txt"))
    )
    assert (day(page.view.start_ns), day(page.view.end_ns)) == ("2026-11-20", "2026-11-20")
    lines = [line for _, row in page.charts.stack.ordered_rows() for line in row.canvas.lines]
    assert any(line.envelope is not None and line.envelope.times_ns.size > 10 for line in lines), "data fills the view"
    assert page._outside.text().startswith("4 captures outside this view · ")
    assert "2 of them have no date but their file's" in page._outside.toolTip()
    page.time.show_all()
    assert (day(page.time.bounds.start_ns), day(page.time.bounds.end_ns)) == ("2006-07-19", "2026-11-20"), (
        "a guess widens nothing"
    )
    assert page._outside.text() == "2 outside, dated only by file · show"
    qtbot.mouseClick(page._outside, Qt.MouseButton.LeftButton)
    assert day(page.view.end_ns) == day(page.time.bounds.end_ns) == "2027-03-03" and not page._outside.isVisible()
    page.range_panel.side_set.emit("before", TimeRange(COPIED_S * SECOND_NS, (COPIED_S + 2) * SECOND_NS))
    chosen = window.workspace.selection.before
    assert chosen == run_window(runs_called(window, "both").run.id, COPIED_S * SECOND_NS, (COPIED_S + 2) * SECOND_NS)
    page.time.request(page.view.zoomed(0.5, page.view.end_ns), True)
    assert day(page.time.bounds.end_ns) == "2027-03-03", "it stays while somebody looks round"
    page.time.show_all()
    assert day(page.time.bounds.end_ns) == "2026-11-20"
    copied = next(each for each in runs_called(window, "both").artefacts if each.name == "copied.txt")
    window.workspace.inspect(InspectedCapture(copied))
    page.rows.show_first()
    idle()
    assert day(page.view.start_ns) == day(page.view.end_ns) == "2027-03-03", "what is looked at is in sight"


def runs_called(window: MainWindow, label: str) -> Any:
    assert window.workspace.overview is not None
    return next(view for view in window.workspace.overview.runs if view.run.label == label)


def test_what_lies_outside_is_said_in_the_window_s_language(
    window: MainWindow, page: TimelinePage, qtbot: Any, idle: Callable[[], None], look: Any
) -> None:
    open_page(window, page, qtbot, idle)
    window.workspace.inspect(InspectedRun(runs_called(window, "older")))
    look("ko", "dark")
    assert page._outside.text() == "이 구간 밖에 수집 파일 2개 · 전체 보기"
    assert datetime.fromisoformat(day(page.view.start_ns)).year == 2006, "a language moves nothing"


@pytest.mark.parametrize("error", [Cancelled(), UserError("project_damaged", path="x")])
def test_an_engagement_is_shown_also_where_listing_it_beside_the_window_came_to_nothing(
    window: MainWindow, qtbot: Any, demo_file: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fails(_project: Project) -> None:
        raise error

    monkeypatch.setattr(projects, "MANY_SERIES", 1)
    monkeypatch.setattr(projects, "list_ahead", fails)
    assert window.controller.open(demo_file)
    qtbot.waitUntil(lambda: window._current == "timeline")
    assert window.workspace.overview is not None


def test_an_engagement_of_many_series_is_listed_beside_the_window(
    window: MainWindow, qtbot: Any, idle: Callable[[], None], demo_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listing: list[threading.Thread] = []
    list_merged = merged_series.list_merged

    def told(project: Project, run_id: int | None = None) -> list[SeriesInfo]:
        listing.append(threading.current_thread())
        return list_merged(project, run_id)

    monkeypatch.setattr(merged_series, "list_merged", told)
    monkeypatch.setattr(projects, "MANY_SERIES", 1)
    assert window.controller.open(demo_file)
    assert window.workspace.overview is None and window._current == "welcome"
    qtbot.waitUntil(lambda: window._current == "timeline")
    assert listing[0] is not threading.main_thread()
    assert window.workspace.overview is not None
    window.controller.open(demo_file)
    window.controller.close()  # before it is listed
    idle()
    assert window.workspace.project is None and window._current == "welcome"
