"""What a capture from a real server leaves in the third tab of the capture page, looked at while it runs and after."""

from __future__ import annotations

from typing import Any

from tests.ui.capture_rig import ENDS_MS, Approve
from tunebench.ui.capturing.audit_view import AuditView
from tunebench.ui.capturing.capture_controller import CaptureController
from tunebench.ui.frame.main_window import MainWindow


def seen(view: AuditView) -> list[str]:
    model = view.trail.model
    return [model.index(row, 3).data() for row in range(model.rowCount())]


def test_a_capture_is_followed_by_the_audit_trail(
    qtbot: Any, live_controller: CaptureController, window: MainWindow, approve: Approve
) -> None:
    plan = approve(2.0)
    window.show_page("collect", "sessions")
    (view,) = window.findChildren(AuditView)
    ended: list[object] = []
    live_controller.finished.connect(ended.append)
    live_controller.start(plan.digest, "morning")
    qtbot.waitUntil(lambda: view.sessions.model.rowCount() == 1, timeout=60_000)  # nobody announced it
    qtbot.waitUntil(lambda: any("vmstat -n -t" in words for words in seen(view)), timeout=60_000)
    qtbot.waitUntil(lambda: bool(ended), timeout=ENDS_MS)  # on a busy machine it is over by now
    streams = view.sessions.shown.streams.model
    qtbot.waitUntil(lambda: view.chain.state is not None and streams.rowCount() > 1, timeout=60_000)
    row = next(row for row, stream in enumerate(streams.rows) if stream.command_id == "db01/linux.vmstat")
    left = streams.index(row, streams.column("leftovers")).data()
    assert left == "✓ nothing left" and streams.rows[row].artefact_id is not None
    assert "Kim" in " ".join(words for words in seen(view) if plan.digest[:12] in words)
    assert view.chain.state is not None and view.chain.state.whole
    view.sessions.shown.streams.table.selectRow(row)
    view.sessions.shown.open.click()
    assert window.current_page == "captures"
