"""The captures of this window in the status bar: a shape, a word, and the way to the page."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QPushButton

from app.domain.capturing.run import HostState, StreamState
from app.ui.capturing.live_rows import totals_of
from app.ui.capturing.live_states import is_storing, span_words
from app.ui.look.language import language, text
from app.ui.look.theme import themes
from app.ui.widgets.parts import set_tone

if TYPE_CHECKING:
    from app.ui.capturing.capture_controller import CaptureController
    from app.ui.workspace import Workspace
    from app.usecases.capturing.collecting import SessionView


_ENDING = (HostState.DRAINING, HostState.VERIFYING, HostState.DONE)


class CaptureStatus(QPushButton):
    """Hidden where nothing runs, waits or was cut off."""

    def __init__(self, workspace: Workspace, controller: CaptureController) -> None:
        super().__init__()
        self.setObjectName("capturestatus")
        self.setFlat(True)
        self._controller = controller
        self.clicked.connect(lambda: workspace.show_page("collect", "live"))
        controller.changed.connect(self.refresh)
        controller.unfinished_changed.connect(self.refresh)
        language().changed.connect(self.refresh)
        themes().theme_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        words, tone = self._words()
        self.setVisible(bool(words))
        if self.text() != words:
            self.setText(words)
            self.setAccessibleName(words)
        self.setToolTip(text("ui.live.status.tip"))
        set_tone(self, tone)

    def _words(self) -> tuple[str, str]:
        controller = self._controller
        if controller.running_views:
            return running_words(controller.running_views)
        if controller.awaited:
            left_s = (controller.awaited[0].next_ns - time.time_ns()) / 1e9
            return f"◷ {text('ui.live.status.waiting', label=controller.awaited[0].label, left=span_words(left_s))}", ""
        if controller.unfinished:
            return f"✕ {text('ui.live.status.unfinished', count=len(controller.unfinished))}", "warning"
        return "", ""


def running_words(views: tuple[SessionView, ...]) -> tuple[str, str]:
    """Words and tone of what runs; a host's name where there is just one."""
    hosts = [host for view in views for host in view.hosts]
    totals = [totals_of(view) for view in views]
    streams = sum(each.streams for each in totals)
    where = hosts[0].name if len(hosts) == 1 else text("ui.live.status.hosts", count=len(hosts))
    if all(map(is_storing, views)):
        return f"↓ {text('ui.live.status.storing', where=where)}", ""
    if all(host.state in _ENDING for host in hosts):
        return f"↓ {text('ui.live.status.ending', where=where)}", ""
    if any(each.troubled for each in totals):
        lost = sum(one.state is not StreamState.CAPTURING for host in hosts for one in host.streams)
        return f"▲ {text('ui.live.status.troubled', where=where, troubled=lost, streams=streams)}", "warning"
    if not any(each.running for each in totals):
        return f"… {text('ui.live.status.starting', where=where)}", ""
    return f"● {text('ui.live.status.ok', where=where, streams=streams)}", "ok"
