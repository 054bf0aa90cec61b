"""The live page, driven as a person drives it, against a real sshd."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication

from tests.e2e.sshd_rig import Sshd
from tests.ui.capture_rig import ENDS_MS, Approve, host_of, is_capturing, only_view
from tests.waiting import let_time_pass, let_window_live
from tunebench.columns.capturing.live_rows import DETAIL, GAPS, LINES, STATE
from tunebench.domain.capturing.plan import CaptureMode, Schedule, ScheduleKind
from tunebench.domain.capturing.run import HostState, SessionState
from tunebench.domain.engagement import Engagement, Phase
from tunebench.ui.capturing.capture_controller import CaptureController
from tunebench.ui.capturing.live_closing import ClosingQuestion
from tunebench.ui.capturing.live_header import timed_words
from tunebench.ui.capturing.live_view import LiveView
from tunebench.ui.frame.main_window import MainWindow
from tunebench.usecases import projects
from tunebench.usecases.capturing import collecting

SEOUL = ZoneInfo("Asia/Seoul")


def moment_ns(words: str) -> int:
    return int(datetime.fromisoformat(words).replace(tzinfo=SEOUL).timestamp()) * 1_000_000_000


@pytest.mark.parametrize(
    ("typed", "words", "at"),
    [
        ("index created", "index created", "2026-11-21T15:00:00"),
        ("14:32 batch started", "batch started", "2026-11-21T14:32:00"),
        ("인덱스 생성 14:32", "인덱스 생성", "2026-11-21T14:32:00"),
        ("9:05:07 restart", "restart", "2026-11-21T09:05:07"),
        ("23:50 night batch", "night batch", "2026-11-20T23:50:00"),  # has not come yet today
        ("ratio 3:2", "ratio 3:2", "2026-11-21T15:00:00"),
        ("14:32", "14:32", "2026-11-21T14:32:00"),
    ],
)
def test_the_time_that_is_typed_is_the_marks(typed: str, words: str, at: str) -> None:
    assert timed_words(typed, moment_ns("2026-11-21T15:00:00"), SEOUL) == (words, moment_ns(at))


def live_view(window: MainWindow) -> LiveView:
    window.show_page("collect", "live")
    return window.page("collect").live  # type: ignore[attr-defined, no-any-return]


def begin(qtbot: Any, window: MainWindow, controller: CaptureController, digest: str, lines: int = 4) -> LiveView:
    live = live_view(window)
    controller.start(digest)
    qtbot.waitUntil(lambda: is_capturing(controller, lines=lines), timeout=ENDS_MS)
    return live


def cells(live: LiveView, stream: str = "") -> tuple[str, ...]:
    row = live.table.model_.row_of(("db01", stream))
    assert row is not None
    return live.table.model_.rows[row].cells


def test_a_capture_is_followed_marked_and_stopped(
    qtbot: Any, window: MainWindow, live_controller: CaptureController, approve: Approve
) -> None:
    live = begin(qtbot, window, live_controller, approve(300.0, ("linux.vmstat", "linux.mpstat")).digest)
    assert cells(live)[STATE] == "● Capturing"
    before = int(cells(live, "db01/linux.vmstat")[LINES])
    qtbot.waitUntil(lambda: int(cells(live, "db01/linux.vmstat")[LINES]) > before, timeout=60_000)
    # charts: processor states in one row, and they grow
    qtbot.waitUntil(lambda: len(live.chart.rows) > 0, timeout=60_000)
    busy = live.chart.rows[0]
    assert {line.name for line in busy.lines} == {"us", "sy", "wa"}
    qtbot.waitUntil(lambda: live.chart.feed.columns.values(busy.lines[0].key)[0].size >= 3, timeout=60_000)
    assert busy.value_words(busy.lines[0]).endswith(" %")
    assert live.chart.axis.zone == "KST"
    # a mark, typed
    live.field.field.setFocus()
    qtbot.keyClicks(live.field.field, f"{datetime.now(SEOUL):%H:%M} index created")
    qtbot.keyClick(live.field.field, Qt.Key.Key_Return)
    assert live.field.field.text() == ""
    qtbot.waitUntil(lambda: live.marks.list.count() == 1, timeout=60_000)
    assert live.marks.list.item(0).text().endswith("index created")
    qtbot.waitUntil(lambda: [mark.word for mark in busy.canvas.marks] == ["index created"], timeout=60_000)
    # status bar
    assert window.status.captures.text() == "● live: db01 3 streams ok"
    window.show_page("captures")
    window.status.captures.click()
    assert window.current_page == "collect"
    # phase of the run
    live.header.set_phase(Phase.AFTER)
    assert live.header.phase.text() == "After"
    window.workspace.undo.undo()
    # the end, which is asked for twice
    live.header.stop.click()
    assert live_controller.running
    live.header.sure_stop.click()
    qtbot.waitUntil(lambda: not live_controller.running, timeout=ENDS_MS)
    assert only_view(live_controller).state is SessionState.FINISHED
    assert live.result.isVisible()
    qtbot.waitUntil(lambda: "no process is left" in words_of(live), timeout=60_000)
    assert "2 streams" in words_of(live)
    assert window.status.captures.isHidden()
    live.result.timeline.click()
    assert window.current_page == "timeline"
    assert window.workspace.selection.range is not None
    (note,) = projects.list_notes(window.workspace.opened)
    assert note.text == "index created"
    assert note.time_ns == only_view(live_controller).marks[0].time_ns
    assert note.time_ns % 60_000_000_000 == 0  # the minute that was typed
    live_view(window).result.close_button.click()
    assert live.parts.currentWidget() is live.empty


def words_of(live: LiveView) -> str:
    from PySide6.QtWidgets import QLabel

    return "\n".join(each.text() for each in live.result.findChildren(QLabel))


def test_a_lost_connection_is_shown_and_leaves_a_gap(
    qtbot: Any, window: MainWindow, live_controller: CaptureController, approve: Approve, server: Sshd
) -> None:
    live = begin(qtbot, window, live_controller, approve(300.0).digest)
    qtbot.waitUntil(lambda: len(live.chart.rows) > 0, timeout=60_000)
    server.stop()
    qtbot.waitUntil(lambda: host_of(live_controller).state in (HostState.WAITING, HostState.SUSPECT), timeout=60_000)
    qtbot.waitUntil(lambda: cells(live)[STATE].startswith("✕"), timeout=60_000)
    assert cells(live)[DETAIL] not in ("", "0 of 2 streams capturing")
    assert window.status.captures.property("tone") == "warning"
    assert window.status.captures.text().startswith("▲ ")
    live.header.attention.setChecked(True)
    assert live.table.model_.rows[0].key == ("db01", "")
    let_time_pass(1.5, "a gap is more than 2.5 intervals")
    server.start()
    qtbot.waitUntil(lambda: host_of(live_controller).state is HostState.CAPTURING, timeout=60_000)
    live.header.attention.setChecked(False)
    qtbot.waitUntil(lambda: cells(live, "db01/linux.vmstat")[GAPS] == "1", timeout=60_000)
    line = live.chart.rows[0].lines[0]

    def resumed() -> bool:
        drawn = line.drawn
        return drawn is not None and len(line.gaps) == 1 and int(drawn.times_ns[-1]) >= line.gaps[0].end_ns

    qtbot.waitUntil(resumed, timeout=60_000)
    assert line.drawn is not None
    (gap,) = line.gaps
    inside = (line.drawn.times_ns > gap.start_ns) & (line.drawn.times_ns < gap.end_ns)
    assert np.isnan(line.drawn.values[inside]).all()  # no line across it
    assert inside.any()
    assert gap.end_ns - gap.start_ns > 2_500_000_000


def test_a_host_that_needs_a_person_is_tried_again_when_asked(
    qtbot: Any, window: MainWindow, live_controller: CaptureController, approve: Approve, server: Sshd
) -> None:
    server.authorize(server.other_key)
    live = live_view(window)
    live_controller.start(approve(300.0).digest)
    qtbot.waitUntil(lambda: bool(live_controller.views) and host_of(live_controller).needs_person, timeout=ENDS_MS)
    qtbot.waitUntil(lambda: cells(live)[DETAIL].startswith("Needs you."), timeout=60_000)
    server.authorize(server.user_key)
    menu = live.table.build_menu(live.table.model_.rows[0])
    next(action for action in menu.actions() if action.text() == "Try again now").trigger()
    qtbot.waitUntil(lambda: is_capturing(live_controller, lines=1), timeout=ENDS_MS)
    # one stream of it is stopped, the other goes on
    (house,) = (row for row in live.table.model_.rows if row.stream == "db01/house.overhead")
    live.table.build_menu(house).actions()[0].trigger()
    qtbot.waitUntil(lambda: cells(live, "db01/house.overhead")[STATE].startswith("■"), timeout=60_000)
    assert cells(live, "db01/linux.vmstat")[STATE] == "● Capturing"


def press(answer: str) -> list[str]:
    """Presses a button of the closing question as soon as it is there; gives what it asked."""
    asked: list[str] = []

    def look() -> None:
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, ClosingQuestion):
            asked.append(f"{dialog.question.text()} {dialog.explanation.text()}")
            getattr(dialog, answer).click()
        else:
            QTimer.singleShot(20, look)

    QTimer.singleShot(0, look)
    return asked


def test_closing_while_capturing_is_asked_about(
    qtbot: Any, window: MainWindow, live_controller: CaptureController, approve: Approve, tmp_path: Path
) -> None:
    begin(qtbot, window, live_controller, approve(300.0).digest)
    asked = press("stay")
    window.close()
    assert "before" in asked[0]
    assert window.isVisible()
    assert live_controller.running
    other = tmp_path / "other.tune"
    projects.close(projects.create(other, Engagement("2026", "Other")))
    press("stay")
    assert not window.controller.open(other)
    assert live_controller.running
    press("later")
    assert window.controller.open(other)
    assert not live_controller.busy
    # it waits where it was left, and can be taken up there
    assert window.controller.open(tmp_path / "acme.tune")
    live = live_view(window)
    qtbot.waitUntil(lambda: len(live.offers.cards) == 1, timeout=60_000)
    assert window.status.captures.text() == "✕ 1 captures cut off"
    (card,) = live.offers.cards
    assert card.resume.isVisible()
    card.resume.click()
    qtbot.waitUntil(lambda: is_capturing(live_controller, lines=6), timeout=ENDS_MS)
    assert live.offers.isHidden()
    press("store")
    assert window.controller.open(other)
    assert window.controller.open(tmp_path / "acme.tune")
    (session,) = collecting.list_sessions(window.workspace.opened)
    assert session.state is SessionState.FINISHED
    gaps = collecting.details(window.workspace.opened, session.id).gaps
    assert {str(gap.cause) for gap in gaps} == {"client_crash"}


def test_what_waits_is_shown_with_its_time_and_a_way_out(
    qtbot: Any, window: MainWindow, live_controller: CaptureController, approve: Approve
) -> None:
    live = live_view(window)
    assert live.parts.currentWidget() is live.empty
    far = datetime.now(UTC) + timedelta(hours=2)
    at = far.isoformat(timespec="seconds")
    live_controller.start(approve(60.0, schedule=Schedule(ScheduleKind.AT, at)).digest)
    (card,) = live.waiting.cards
    local = far.astimezone(SEOUL)
    assert f"{local:%Y-%m-%d %H:%M:%S}" in card.words.words()
    assert "scheduled: before in 1:59" in window.status.captures.text()
    asked = press("stay")
    window.close()
    assert "scheduled" in asked[0]
    card.cancel.click()
    assert live.waiting.isHidden()
    assert not live_controller.busy


def test_a_detached_capture_shows_its_state_and_is_fetched(
    qtbot: Any, window: MainWindow, live_controller: CaptureController, approve: Approve
) -> None:
    live = live_view(window)
    live_controller.start(approve(300.0, mode=CaptureMode.DETACHED).digest)
    qtbot.waitUntil(
        lambda: bool(live_controller.views) and host_of(live_controller).state is HostState.CAPTURING, timeout=ENDS_MS
    )
    qtbot.waitUntil(lambda: live.table.current_row() is not None, timeout=60_000)
    assert live.chart.parts.currentIndex() == 0
    assert live.chart.sentence.text() != ""
    let_window_live(1.2, "the host keeps something that can be fetched")
    live.header.stop.click()
    live.header.sure_stop.click()
    qtbot.waitUntil(lambda: not live_controller.running, timeout=ENDS_MS)
    assert only_view(live_controller).state is SessionState.FINISHED
    assert cells(live)[STATE] == "✓ Done"
