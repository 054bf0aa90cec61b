"""The navigator rules the shared selection."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt

from tests.ui.made_engagement import BEFORE_NS, RESTART_NS, MadeEngagement
from tunebench.analysis.exploring.time_range import TimeRange
from tunebench.domain.engagement import Phase
from tunebench.domain.windows import run_window
from tunebench.ui.widgets.navigator import HANDLES_PX, Navigator
from tunebench.ui.workspace import Change, Workspace

HOUR_NS = 3_600_000_000_000


@pytest.fixture
def navigator(qtbot: Any, workspace: Workspace, idle: Callable[[], None], tmp_path: Path) -> Iterator[Navigator]:
    engagement = MadeEngagement()
    engagement.opened_in(workspace, tmp_path)
    project = workspace.opened
    made = Navigator(workspace)
    qtbot.addWidget(made)
    made.resize(1300, made.sizeHint().height())
    made.show()
    qtbot.waitExposed(made)
    idle()
    yield made
    workspace.jobs.wait(60)
    project.close()


def drag(qtbot: Any, widget: Navigator, start: QPointF, end: QPointF) -> None:
    qtbot.mousePress(widget, Qt.MouseButton.LeftButton, pos=start.toPoint())
    qtbot.mouseMove(widget, ((start + end) / 2).toPoint())
    qtbot.mouseMove(widget, end.toPoint())
    qtbot.mouseRelease(widget, Qt.MouseButton.LeftButton, pos=end.toPoint())


def spot(navigator: Navigator, time_ns: int, y: float | None = None) -> QPointF:
    return QPointF(round(navigator.x_of(time_ns)), navigator.area.center().y() if y is None else y)


def test_every_host_has_its_bar_with_its_gaps(navigator: Navigator) -> None:
    (track,) = navigator.tracks
    assert track.host == "svrdb01" and track.series == 19
    assert track.share[0] == 1 and track.share[-1] == 1
    assert track.share[track.share.size // 2] == 0  # nothing between the two runs
    navigator.grab()


@pytest.mark.parametrize("hosts", [1, 3, 13, 40, 1000])
def test_hosts_leave_the_page_its_room(navigator: Navigator, hosts: int) -> None:
    navigator._show_tracks(navigator._workspace.project, [*navigator.tracks] * hosts)
    assert len(navigator.tracks) == hosts and navigator.height() <= 140
    navigator.grab()


def test_a_drag_chooses_the_range_for_every_page(qtbot: Any, navigator: Navigator) -> None:
    drag(qtbot, navigator, spot(navigator, BEFORE_NS + HOUR_NS), spot(navigator, BEFORE_NS + 6 * HOUR_NS))
    chosen = navigator._workspace.selection
    pixel = navigator.extent.span_ns / navigator.area.width()
    assert chosen.range is not None
    assert abs(chosen.range.start_ns - BEFORE_NS - HOUR_NS) <= pixel
    assert abs(chosen.range.end_ns - BEFORE_NS - 6 * HOUR_NS) <= pixel
    assert chosen.can_go_back()


def test_the_view_is_moved_and_stretched_and_a_double_click_frees_it(qtbot: Any, navigator: Navigator) -> None:
    chosen = navigator._workspace.selection
    day = 24 * HOUR_NS
    chosen.set_range(TimeRange(BEFORE_NS + day, BEFORE_NS + 2 * day))
    drag(qtbot, navigator, spot(navigator, BEFORE_NS + day * 3 // 2), spot(navigator, BEFORE_NS + day * 5 // 2))
    assert chosen.range is not None
    assert chosen.range.end_ns - chosen.range.start_ns == day
    assert abs(chosen.range.start_ns - BEFORE_NS - 2 * day) < day / 50
    end = chosen.range.end_ns
    drag(qtbot, navigator, spot(navigator, end), spot(navigator, end + day))
    assert abs(chosen.range.end_ns - end - day) < day / 50
    qtbot.mouseDClick(navigator, Qt.MouseButton.LeftButton, pos=QPoint(400, 30))
    assert chosen.range is None


def test_a_window_is_dragged_by_its_handle_inside_its_run(qtbot: Any, navigator: Navigator) -> None:
    chosen = navigator._workspace.selection
    chosen.set_window(Phase.BEFORE, run_window(1, BEFORE_NS + HOUR_NS, BEFORE_NS + 4 * HOUR_NS))
    middle = BEFORE_NS + 5 * HOUR_NS // 2
    drag(
        qtbot, navigator, spot(navigator, middle, HANDLES_PX - 2), spot(navigator, middle + 3 * HOUR_NS, HANDLES_PX - 2)
    )
    before = chosen.before
    assert before is not None and before.run_ids == (1,)
    start_ns = before.occurrences[0].start_ns
    pixel = navigator.extent.span_ns / navigator.area.width()
    assert start_ns is not None and abs(start_ns - BEFORE_NS - 4 * HOUR_NS) <= pixel
    assert chosen.range is None  # the view was not touched


def test_arrow_keys_and_the_wheel_move_the_view(qtbot: Any, navigator: Navigator) -> None:
    navigator.setFocus()
    qtbot.keyClick(navigator, Qt.Key.Key_Plus)
    chosen = navigator._workspace.selection
    assert chosen.range is not None
    start = chosen.range.start_ns
    qtbot.keyClick(navigator, Qt.Key.Key_Right)
    assert chosen.range.start_ns > start
    qtbot.waitUntil(chosen.can_go_back, timeout=60_000)


def test_the_tip_names_time_and_what_happened_there(navigator: Navigator) -> None:
    tip = navigator.tip_at(spot(navigator, RESTART_NS))
    assert "KST" in tip and "restart" in tip
    assert "19" in navigator.tip_at(QPointF(20, navigator.area.center().y()))


def test_an_empty_project_says_so_and_a_closed_one_is_forgotten(qtbot: Any, navigator: Navigator) -> None:
    workspace = navigator._workspace
    workspace.project = None
    workspace.project_changed.emit(Change.CLOSED)
    workspace.selection.set_extent(None)
    assert list(navigator.tracks) == []
    navigator.grab()
