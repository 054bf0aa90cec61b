"""Third tab of the capture page: what was captured, and the audit trail, over a project as a capture leaves it."""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QGuiApplication

from tests.store import cases
from tunebench.analysis.exploring.time_range import TimeRange
from tunebench.domain.capturing.plan import Approval
from tunebench.domain.capturing.run import (
    CaptureGap,
    ClockCheck,
    GapCause,
    SessionState,
    StreamRecord,
    StreamSegment,
    StreamState,
)
from tunebench.domain.engagement import Phase
from tunebench.store import plans, sessions
from tunebench.store.audit import trail as audit
from tunebench.store.audit.trail import entry_ids
from tunebench.store.runs import ensure_run
from tunebench.ui.capturing.audit_trail_view import PAGE_ROWS, PAGES_KEPT
from tunebench.ui.capturing.audit_view import AuditView
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases import projects

S = 1_000_000_000
T = cases.START_NS  # 2007-07-19 09:00:00 in Seoul
DIGEST = cases.PLAN.digest
Idle = Callable[[], None]


def stored_session(project: Any, label: str, phase: Phase) -> tuple[int, int]:
    """(session, artefact): one stream, begun twice, with a gap between."""
    run = ensure_run(project, label, phase)
    session_id = sessions.begin_session(project, DIGEST, run.id, "", label)
    artefact_id = cases.store_artefact(project, f"one\n{label}\n".encode(), run=label, name="db1/solaris.iostat")
    stream = StreamRecord(
        "db1/solaris.iostat",
        None,
        artefact_id,
        StreamState.VERIFIED,
        "iostat 5.10",
        123_456,
        789,
        143,
        "",
        0.25,
        "none",
    )
    sessions.record_stream(project, session_id, stream)
    left = StreamRecord(
        "db1/solaris.prtconf", None, None, StreamState.FAILED, stderr_tail="not found", leftovers="unknown"
    )
    sessions.record_stream(project, session_id, left)
    sessions.write_segments(
        project,
        artefact_id,
        [
            StreamSegment(0, 100, 2_100, 2, T, None, None, None, 4242),
            StreamSegment(1, 2_200, 9_200, 31, T + 100 * S, T + 400 * S, 143, 0.25, 4711),
        ],
    )
    gap = CaptureGap(
        "db1/solaris.iostat", T + 60 * S, T + 100 * S, GapCause.NETWORK_LOST, "2007-07-19T00:01:05+00:00", "no answer"
    )
    sessions.write_gaps(project, session_id, [gap], {"db1/solaris.iostat": artefact_id})
    sessions.write_clock_checks(
        project,
        session_id,
        [ClockCheck("db1", "2007-07-19T00:00:00+00:00", -2_300_000, 400_000, "Asia/Seoul", 32_400, "boot-1")],
    )
    sessions.set_session_state(project, session_id, SessionState.FINISHED)
    return session_id, artefact_id


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Any]:
    opened = cases.new_project(tmp_path)
    yield opened
    projects.close(opened)


@pytest.fixture
def captured(project: Any) -> Any:
    """Two sessions of one approved plan."""
    plans.save_plan(project, cases.PLAN)
    plans.approve(project, Approval(DIGEST, "김상훈", "2007-07-18T23:00:00+00:00", "signed_sheet", "IT-07-12"))
    stored_session(project, "before", Phase.BEFORE)
    stored_session(project, "after", Phase.AFTER)
    return project


@pytest.fixture
def view(qtbot: Any, workspace: Workspace) -> Iterator[AuditView]:
    made = AuditView(workspace)
    made.resize(1250, 640)
    yield made
    made.close()
    made.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


@pytest.fixture
def shown(view: AuditView, workspace: Workspace, captured: Any, idle: Idle) -> AuditView:
    workspace.project, workspace.project_path = captured, captured.path
    view.show()
    workspace.announce(Change.OPENED)
    idle()
    return view


def cells(section: Any, row: int) -> dict[str, str]:
    model = section.model
    return {column.id: model.index(row, place).data() for place, column in enumerate(model.columns)}


def sentences(view: AuditView) -> list[str]:
    model = view.trail.model
    return [model.index(row, 3).data() for row in range(model.rowCount())]


# -- sessions --------------------------------------------------------------------------------------------


def test_the_newest_session_is_shown_first_and_whole(shown: AuditView) -> None:
    model = shown.sessions.model
    assert [model.rows[row].session.label for row in range(model.rowCount())] == ["after", "before"]
    assert [model.rows[row].phase for row in range(model.rowCount())] == ["after", "before"]
    assert "db1" in model.second_line(model.rows[0])
    details = shown.sessions.shown
    assert details.details is not None and details.details.session.label == "after"
    iostat, prtconf = cells(details.streams, 0), cells(details.streams, 1)
    assert iostat == {
        "host": "db1",
        "command": "solaris.iostat",
        "state": "✓ Ended",
        "lines": "789",
        "bytes": "123 kB",
        "exit": "143",
        "gaps": "1",
        "cpu": "0.25 s",
        "leftovers": "✓ nothing left",
        "version": "iostat 5.10",
    }
    assert (prtconf["state"], prtconf["exit"], prtconf["leftovers"]) == ("✕ Failed", "–", "? not known")
    assert details.streams.model.index(1, 2).data(Qt.ItemDataRole.ToolTipRole) == "not found"
    assert "TERM" in details.streams.model.index(0, 5).data(Qt.ItemDataRole.ToolTipRole)


def test_gaps_clocks_and_starts_are_in_the_engagements_zone(shown: AuditView) -> None:
    details = shown.sessions.shown
    gap = cells(details.gaps, 0)
    assert (gap["from"], gap["until"]) == ("2007-07-19 09:01:00", "2007-07-19 09:01:40")
    assert (gap["length"], gap["cause"], gap["evidence"]) == ("40 s", "Network lost", "no answer")
    clock = cells(details.clocks, 0)
    assert (clock["offset"], clock["error"], clock["zone"]) == ("−2.3 ms", "± 0.4 ms", "Asia/Seoul (UTC+09:00)")
    first, second = cells(details.starts, 0), cells(details.starts, 1)
    assert (first["number"], first["ended"], first["exit"], first["pid"]) == ("1", "end not seen", "–", "4242")
    assert (second["number"], second["began"], second["bytes"]) == ("2", "2007-07-19 09:01:40", "7.0 kB")
    assert details.costs.model.rowCount() == 0


def test_what_was_measured_for_less_than_approved_is_said(shown: AuditView) -> None:
    """Of 600 s: 400 from the first start to the last end, and the interval of a second that its first row stands for."""
    from PySide6.QtWidgets import QLabel

    words = [label.text() for label in shown.sessions.shown.findChildren(QLabel)]
    assert "db1/solaris.iostat 6 min 41 s" in words


def test_who_approved_is_told_and_the_digest_is_copied(shown: AuditView) -> None:
    from PySide6.QtWidgets import QLabel

    words = [label.text() for label in shown.sessions.shown.findChildren(QLabel)]
    assert any("김상훈 · 2007-07-19 08:00:00" in each and "IT-07-12" in each for each in words)
    shown.sessions.shown.copy.click()
    assert QGuiApplication.clipboard().text() == DIGEST


def test_a_session_is_shown_on_the_time_line(shown: AuditView, workspace: Workspace) -> None:
    asked: list[tuple[str, object]] = []
    workspace.page_asked.connect(lambda page, argument: asked.append((page, argument)))
    shown.sessions.shown.show_time.click()
    assert workspace.selection.range == TimeRange(T, T + 400 * S)
    shown.sessions.shown.gaps.table.selectRow(0)
    shown.sessions.shown.gaps.table.opened.emit(shown.sessions.shown.gaps.table.current)
    assert workspace.selection.range == TimeRange(T + 20 * S, T + 140 * S)  # a gap's length on both sides
    assert asked == [("timeline", None), ("timeline", None)]


def test_the_capture_of_a_stream_is_opened(shown: AuditView, workspace: Workspace, qtbot: Any) -> None:
    asked: list[tuple[str, object]] = []
    workspace.page_asked.connect(lambda page, argument: asked.append((page, argument)))
    details = shown.sessions.shown
    assert details.details is not None
    qtbot.keyClick(details.streams.table, Qt.Key.Key_Return)
    details.open.click()
    artefact_id = details.details.streams[0].artefact_id
    assert asked == [("captures", artefact_id)] * 2
    details.streams.table.selectRow(1)  # nothing was stored of it
    assert not details.open.isEnabled()


def test_without_sessions_the_page_says_what_belongs_there(
    view: AuditView, workspace: Workspace, project: Any, idle: Idle
) -> None:
    workspace.project, workspace.project_path = project, project.path
    view.show()
    workspace.announce(Change.OPENED)
    idle()
    assert view.sessions._parts.currentIndex() == 0
    assert view.chain.words.words().startswith("✓ The chain is whole: 1 entries")


# -- audit trail -----------------------------------------------------------------------------------------


def test_the_trail_is_filtered_by_words_session_host_and_kind(shown: AuditView, idle: Idle) -> None:
    filters, everything = shown.trail.filters, shown.trail.model.rowCount()
    assert everything == len(entry_ids(shown._workspace.opened)) and not filters.reset.isVisibleTo(shown)
    filters.words.setText("김상훈")
    shown.trail.search()
    idle()
    assert len(sentences(shown)) == 1 and DIGEST[:12] in sentences(shown)[0] and DIGEST not in sentences(shown)[0]
    filters.clear()
    filters.group.setCurrentIndex(filters.group.findData("plan"))
    filters.group.activated.emit(filters.group.currentIndex())
    idle()
    assert len(sentences(shown)) == 2
    filters.host.setCurrentIndex(filters.host.findData("db1"))
    filters.host.activated.emit(filters.host.currentIndex())
    idle()
    assert len(sentences(shown)) == 1  # the approval names the plan only
    assert filters.count.text() == f"1 of {everything} entries"
    filters.reset.click()
    idle()
    assert shown.trail.model.rowCount() == everything


def test_a_session_leads_to_its_trail(shown: AuditView, idle: Idle) -> None:
    shown.sessions.shown.trail.click()
    idle()
    assert shown.parts.currentIndex() == 1
    assert "Ended at: – →" in sentences(shown)[0] and "State: Running → Finished" in sentences(shown)[0]
    assert len(sentences(shown)) < len(entry_ids(shown._workspace.opened))
    assert shown.trail.panel.entry is not None and shown.trail.panel.entry.facts["session_id"] == 2


def test_a_long_trail_is_read_in_pages(shown: AuditView, workspace: Workspace, idle: Idle) -> None:
    with workspace.opened.transaction():
        for number in range(6_000):
            audit.record(workspace.opened, "capture_mark", session_id=1, time=None, text=f"mark {number}", author="lee")
    shown.reload()
    idle()
    model = shown.trail.model
    assert model.rowCount() == len(entry_ids(workspace.opened)) and len(model._pages) <= 2
    assert "mark 5999" in model.index(0, 3).data()
    for row in range(0, 6_000, PAGE_ROWS):
        assert f"mark {5_999 - row}" in model.index(row, 3).data()
    assert len(model._pages) <= PAGES_KEPT
    assert model.row_of(1) == model.rowCount() - 1 and model.row_of(99_999) is None


def test_what_is_looked_at_stays_when_the_trail_grows(shown: AuditView, workspace: Workspace, idle: Idle) -> None:
    shown.trail.table.selectRow(3)
    chosen = shown.trail.panel.entry
    audit.record(workspace.opened, "capture_mark", session_id=2, time=None, text="new", author="lee")
    shown._look_for_more()
    idle()
    assert shown.trail.panel.entry == chosen and shown.trail.table.currentIndex().row() == 4
    assert f"{len(entry_ids(workspace.opened))} entries" in shown.chain.words.words()


def test_a_changed_file_is_a_critical_message(view: AuditView, workspace: Workspace, captured: Any, idle: Idle) -> None:
    projects.close(captured)
    connection = sqlite3.connect(captured.path)
    connection.execute("DROP TRIGGER audit_is_not_changed")
    connection.execute("UPDATE audit SET user = 'nobody' WHERE id = 3")
    connection.commit()
    connection.close()
    opened = projects.open_(captured.path)
    workspace.project = opened
    view.show()
    workspace.announce(Change.OPENED)
    idle()
    assert view.chain.state is not None and view.chain.state.broken_at == 3
    assert view.chain.words.property("tone") == "critical" and "entry 3" in view.chain.words.words()
    view.chain.broken.click()
    idle()
    assert view.parts.currentIndex() == 1
    assert view.trail.panel.entry is not None and view.trail.panel.entry.id == 3
    assert view.trail.model.index(view.trail.table.currentIndex().row(), 0).data() == "✕ 3"
    view.hide()
    projects.close(opened)


def test_the_trail_is_written(shown: AuditView, workspace: Workspace, tmp_path: Path, idle: Idle) -> None:
    said: list[str] = []
    workspace.said.connect(lambda _tone, words: said.append(words))
    shown.chain.write(tmp_path / "audit.csv")
    idle()
    with (tmp_path / "audit.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert len(rows) == 1 + len(entry_ids(workspace.opened))
    assert (rows[0][0], rows[-1][4]) == ("No.", "session_changed")
    assert str(tmp_path / "audit.csv") in said[0]


def test_language_and_theme_change_under_it(shown: AuditView, look: Callable[..., None], idle: Idle) -> None:
    look_words = shown.switch.tabText(0)
    from tunebench.ui.look.language import language

    language().switch("ko")
    idle()
    assert not shown.chain.broken.isVisibleTo(shown)
    assert (look_words, shown.switch.tabText(0)) == ("Sessions", "수집 내역")
    assert cells(shown.sessions.shown.streams, 0)["leftovers"] == "✓ 남은 것 없음"
    assert "이어져 있습니다" in shown.chain.words.words()


def test_closing_the_project_empties_it(shown: AuditView, workspace: Workspace) -> None:
    workspace.project = workspace.overview = None
    workspace.announce(Change.CLOSED)
    assert shown.trail.model.rowCount() == shown.sessions.model.rowCount() == 0
    assert shown.chain.words.words() == "" and not shown.chain.export.isEnabled()
    shown._look_for_more()
