"""Before a project is left while captures run: nothing is lost without a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QDialog, QProgressBar, QWidget

from tunebench.domain.capturing.plan import CaptureMode
from tunebench.domain.capturing.run import HostState
from tunebench.ui.look.language import text
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_XL
from tunebench.ui.widgets.parts import button, column, label, panel, row, stacked

if TYPE_CHECKING:
    from tunebench.ui.capturing.capture_controller import CaptureController

LOOK_MS = 100
WIDTH = 520
_ENDED = (HostState.DONE, HostState.REFUSED)


class ClosingQuestion(QDialog):
    """Accepted when nothing runs any more; rejected where the project is to stay open."""

    def __init__(self, controller: CaptureController, parent: QWidget | None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._leaving = False
        self.setModal(True)
        self.setWindowTitle(text("ui.live.closing"))
        self.question = label(self._question_words(), role="strong", wrap=True)
        self.explanation = label(self._explanation_words(), role="muted", wrap=True)
        self.store = button(text("ui.live.closing.store"), "primary", self._store)
        self.later = button(
            text("ui.live.closing.later" if controller.running else "ui.live.closing.drop"), on_click=self.leave
        )
        self.stay = button(text("ui.live.closing.stay"), on_click=self.reject)
        self.progress = label(wrap=True)
        self._bar = QProgressBar()
        self._bar.setRange(0, 0)
        self._bar.setTextVisible(False)
        self.later_after_all = button(text("ui.live.closing.later"), on_click=self.leave)
        answers = row(1, self.store, self.later, self.stay)
        asked = column(self.question, self.explanation, 1, answers, spacing=SPACE_M)
        waited = column(self.progress, self._bar, 1, row(1, self.later_after_all), spacing=SPACE_M)
        self.parts = stacked(panel(asked), panel(waited))
        self.setLayout(column(self.parts, margins=(SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)))
        self.setFixedWidth(WIDTH)
        self.store.setVisible(controller.running)
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self._look)
        self.stay.setFocus()

    def _question_words(self) -> str:
        running, waiting = len(self._controller.running_views), len(self._controller.awaited)
        if not running:
            return text("ui.live.closing.waiting", count=waiting)
        words = text("ui.live.closing.running", labels=", ".join(view.label for view in self._controller.running_views))
        return f"{words} {text('ui.live.closing.waiting', count=waiting)}" if waiting else words

    def _explanation_words(self) -> str:
        if not self._controller.running:
            return text("ui.live.closing.waiting.words")
        plans = [self._controller.plan_of(view.session_id) for view in self._controller.running_views]
        detached = any(plan is not None and plan.mode is CaptureMode.DETACHED for plan in plans)
        words = text("ui.live.closing.words")
        return f"{words} {text('ui.live.closing.detached')}" if detached else words

    # --- answers
    def _store(self) -> None:
        self._controller.stop_all()
        self._wait()

    def leave(self) -> None:
        """The captures are let go; they can be resumed."""
        self._leaving = True
        self.later_after_all.setEnabled(False)
        self._controller.leave_all()
        self._wait()

    def _wait(self) -> None:
        self.parts.setCurrentIndex(1)
        self._timer.start()
        self._look()

    def _look(self) -> None:
        self._controller.look()
        if self._controller.left if self._leaving else not self._controller.running:
            self._timer.stop()
            self.accept()
            return
        hosts = [host for view in self._controller.running_views for host in view.hosts]
        left = [host.name for host in hosts if host.state not in _ENDED]
        key = "ui.live.closing.leaving" if self._leaving else "ui.live.closing.ending"
        self.progress.setText(text(key, hosts=", ".join(left[:6])) if left else text("ui.live.closing.storing"))

    def reject(self) -> None:
        """Escape does not take back what is under way."""
        if not self._timer.isActive():
            super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._timer.isActive():
            event.ignore()
        else:
            super().closeEvent(event)


def settle(controller: CaptureController, window: QWidget | None) -> bool:
    """Whether the project may be left; asks where a capture runs or waits."""
    if not controller.busy:
        return True
    return ClosingQuestion(controller, window).exec() == QDialog.DialogCode.Accepted
