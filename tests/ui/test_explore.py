"""Explore as a person uses it: it opens on the windows, devices and days as cells, what else moved, room for the plots."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from tests.waiting import let_window_live
from tunebench.analysis.exploring.time_range import HOUR_NS, TimeRange
from tunebench.domain.engagement import Engagement, Phase
from tunebench.ui.charts.shown_time import Frame
from tunebench.ui.charts.words import goal_words
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.pages.timeline_page import VIEWS, TimelinePage
from tunebench.usecases import projects
from tunebench.usecases.comparing import windows
from tunebench.usecases.exploring.targets import Limit
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions

SEOUL = ZoneInfo("Asia/Seoul")
BEFORE, AFTER = range(18, 22), range(25, 29)  # August 2026, from Tuesday to Friday
SLOW = "sdh"
DISKS = [f"sd{letter}" for letter in "abcdefghijkl"]
HEADING = (
    "Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz"
    "     d/s     dkB/s   drqm/s  %drqm d_await dareq-sz     f/s f_await  aqu-sz  %util"
)


def iostat(folder: Path, day: int, random: np.random.Generator) -> Path:
    """A day from nine to eighteen, every five minutes; one disk is slow, and from 14:00 on the 20th to 14:40 another."""
    begin = datetime(2026, 8, day, 9, tzinfo=SEOUL)
    lines = [f"Linux 5.14.0-427.el9.x86_64 (db01) \t2026-08-{day:02d} \t_x86_64_\t(8 CPU)\n"]
    for step in range(108):
        at = begin + timedelta(minutes=5 * step)
        surge = day == 20 and 60 <= step < 68
        busy = 30 + 10 * np.sin(step / 20) + random.normal(0, 1)
        lines.append(
            f"{at:%m/%d/%Y %I:%M:%S %p}\navg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"
            f"         {busy:6.2f}    0.00    5.00    1.00    0.00  {94 - busy:6.2f}\n\n{HEADING}"
        )
        for disk in DISKS:
            wait = (20.0 if disk == SLOW else 4.0) * random.lognormal(0, 0.1) * (8 if surge and disk == "sdc" else 1)
            lines.append(
                f"{disk:8s}     50.00    400.00     0.00   0.00 {wait:7.2f}     8.00   20.00    160.00     0.00   0.00"
                f"    1.00     8.00    0.00      0.00     0.00   0.00    0.00     0.00    0.00    0.00    0.50  20.00"
            )
        lines.append("")
    path = folder / f"iostat_{day}.txt"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def weeks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, random = tmp_path_factory.mktemp("weeks"), np.random.default_rng(5)
    path = folder / "weeks.tune"
    project = projects.create(path, Engagement("weeks", "ACME", zone="Asia/Seoul"))
    for phase, days in ((Phase.BEFORE, BEFORE), (Phase.AFTER, AFTER)):
        files = [iostat(folder, day, random) for day in days]
        imports.import_captures(project, files, ImportOptions(run=phase.value, phase=phase))
    projects.close(project)
    return path


@pytest.fixture
def page(window: MainWindow, weeks: Path, qtbot: QtBot, idle: Callable[[], None], tmp_path: Path) -> TimelinePage:
    own = tmp_path / "own.tune"
    own.write_bytes(weeks.read_bytes())
    window.resize(1366, 768)
    window.show()
    assert window.controller.open(own)
    window.show_page("timeline")
    idle()
    shown = window.page("timeline")
    assert isinstance(shown, TimelinePage)
    qtbot.waitUntil(lambda: shown.charts.feed.settled and bool(shown.rows.arrangement.rows), timeout=60_000)
    return shown


def ns(words: str) -> int:
    return int(datetime.fromisoformat(words).replace(tzinfo=SEOUL).timestamp()) * 1_000_000_000


def settle(qtbot: QtBot, page: TimelinePage, idle: Callable[[], None]) -> None:
    idle()
    qtbot.waitUntil(lambda: not page.workspace.jobs.busy, timeout=60_000)


def test_it_opens_on_the_suggested_pair_with_the_nights_folded(page: TimelinePage) -> None:
    assert page.time.shown.frame is Frame.PAIR and page.time.shown.is_suggested
    assert "suggested" in page.time.button.text()
    scale = page.charts.axis.scale
    days = [datetime.fromtimestamp(piece.start_ns // 10**9, SEOUL).day for piece in scale.pieces]
    assert days == [*BEFORE, *AFTER]
    drawn = sum(scale.share_of(piece.end_ns) - scale.share_of(piece.start_ns) for piece in scale.pieces)
    assert drawn >= 0.8
    canvas = page.charts.stack.canvases[0]
    assert {window.side for window in canvas.windows} == {"before", "after"}


def test_it_opens_on_the_kept_pair(
    window: MainWindow, page: TimelinePage, qtbot: QtBot, idle: Callable[[], None]
) -> None:
    from tunebench.ui.comparing.window_book import WindowBook

    book = WindowBook.of(window.workspace)
    book.keep_all(windows.proposals(window.workspace.opened))
    path = window.workspace.opened.path
    window.controller.close()
    assert window.controller.open(path)
    settle(qtbot, page, idle)
    assert page.time.shown.frame is Frame.PAIR and not page.time.shown.is_suggested
    assert "kept" in page.time.button.text()


def test_the_disk_unlike_its_peers_is_drawn_first(page: TimelinePage) -> None:
    names = [entry.name for _, row in page.charts.stack.ordered_rows() for entry in row.entries]
    assert any(name.startswith(f"{SLOW} ") for name in names)


def test_a_bad_disk_is_said_by_one_click(
    qtbot: QtBot, page: TimelinePage, idle: Callable[[], None], look: Callable[..., None]
) -> None:
    page.views.setCurrentIndex(VIEWS.index("devices"))
    settle(qtbot, page, idle)
    said = page.heat.says.text()
    assert said.startswith(f"{SLOW}: ") and "5." in said and "the other 11, all the time" in said
    picture = page.heat.cells.picture
    assert picture is not None and picture.names[0] == SLOW and 0 in picture.marked
    look("ko", "dark")
    assert "나머지 11개" in page.heat.says.text()
    cells = page.heat.cells
    y = round(cells.area.top() + cells.row_px / 2)
    qtbot.mouseClick(cells, Qt.MouseButton.LeftButton, pos=QPoint(round(cells.area.center().x()), y))
    assert page.views.currentIndex() == 0, "its line is shown"
    first = next(iter(page.charts.stack.ordered_rows()))[1]
    assert first.entries[0].name.startswith(SLOW)


def test_dragging_over_hours_of_days_proposes_a_window_of_working_days(
    qtbot: QtBot, page: TimelinePage, idle: Callable[[], None]
) -> None:
    page.views.setCurrentIndex(VIEWS.index("hours"))
    settle(qtbot, page, idle)
    cells, asked = page.heat.cells, []
    page.heat.hours_dragged.disconnect()
    page.heat.hours_dragged.connect(asked.append)
    picture = cells.picture
    assert picture is not None
    assert len(picture.names) == 11, "the weekend between them too"
    assert np.isnan(picture.values[4]).all() and 4 in picture.faint
    assert {(side, row) for side, row, *_ in picture.framed} == {
        *(("before", day - BEFORE[0]) for day in BEFORE),
        *(("after", day - BEFORE[0]) for day in AFTER),
    }
    cells.dragged.emit((0, 10, 10, 11))
    (occurrences,) = asked
    assert [occurrence.start_ns for occurrence in occurrences] == [
        ns(f"2026-08-{day} 10:00") for day in (*BEFORE, *AFTER)
    ]
    assert all(one.end_ns - one.start_ns == 2 * HOUR_NS for one in occurrences)


def test_a_dragged_peak_says_what_moved_with_it_and_what_did_not(
    qtbot: QtBot, page: TimelinePage, idle: Callable[[], None]
) -> None:
    page.charts.range_picked.emit(TimeRange(ns("2026-08-20 14:00"), ns("2026-08-20 14:40")), QPoint())
    panel = page.range_panel
    assert panel.isVisible() and "Looking" in panel.heading.text(), "no count while it is reckoned"
    settle(qtbot, page, idle)
    moved = panel.list.moved
    assert moved is not None and moved.by_days
    assert [row.strand.info.label for row in moved.rows] == ["sdc r_await"]
    assert moved.rows[0].value == pytest.approx(32, rel=0.1) and moved.rows[0].usual == pytest.approx(4, rel=0.1)
    assert "CPU" in panel.says.text() and "same hours" in panel.says.text()
    panel.show_moved(replace(moved, rows=(), count=0, judged=0))
    assert panel.heading.text().startswith("No other series was measured")
    panel.show_moved(moved)
    panel.list.setFocus()
    qtbot.keyClick(panel.list, Qt.Key.Key_Return)
    assert any(entry.name == "sdc r_await" for _, row in page.charts.stack.ordered_rows() for entry in row.entries)


@pytest.mark.parametrize("width", [1024, 1366, 1920])
def test_the_plots_have_most_of_the_window_with_drawers_open_and_shut(
    window: MainWindow, page: TimelinePage, qtbot: QtBot, width: int
) -> None:
    window.resize(width, 768)
    for opened in (False, True):
        page._chooser_button.setChecked(opened)
        if opened:
            page.charts.range_picked.emit(TimeRange(ns("2026-08-20 14:00"), ns("2026-08-20 14:40")), QPoint())
        let_window_live(0.05, "the drawers are laid out")
        canvas = page.charts.stack.canvases[0]
        assert canvas.area.width() >= 0.7 * window.width(), f"drawers open: {opened}"


def test_a_range_beyond_the_windows_leaves_their_frame(page: TimelinePage) -> None:
    whole = page.time.shown.whole
    assert whole is not None
    page.workspace.selection.set_range(TimeRange(ns("2026-08-21 20:00"), ns("2026-08-22 20:00")))
    assert page.time.shown.frame is Frame.MEASURED
    page.time.show_frame(Frame.PAIR)
    assert page.view == whole
    page.time.show_whole()
    assert page.view == page.time.bounds


@pytest.mark.parametrize(("code", "target", "limit"), [("en", "target", "limit"), ("ko", "목표", "한계")])
def test_a_row_names_its_target_and_what_watches_a_price_its_limit(
    window: MainWindow,
    demo_file: Path,
    idle: Callable[[], None],
    look: Callable[..., None],
    code: str,
    target: str,
    limit: str,
) -> None:
    """At least 1,000 transactions a second are the target of the recordings' engagement."""
    look(code)
    assert window.controller.open(demo_file)
    window.show_page("timeline")
    idle()
    shown = window.page("timeline")
    assert isinstance(shown, TimelinePage)
    goals = {entry.goal for row in shown.charts.stack.rows.values() for entry in row.entries}
    assert f"{target} ≥ 1,000 /s" in goals
    assert goal_words(Limit(6e5, "redo", 600, "kB/s", True, is_guard=True)) == f"{limit} ≤ 600 kB/s"
