"""A consultant in front of the plan tab, and what such a person does there."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

from tests.ui.conftest import bury
from tests.waiting import let_window_live
from tunebench.domain.connection import HostProfile
from tunebench.ui.capturing.capture_controller import CaptureController
from tunebench.ui.capturing.host_book import LastTest, Reach
from tunebench.ui.capturing.plan_tab import PlanTab
from tunebench.ui.capturing.question_controller import QuestionController, QuestionDialog
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases import projects


class Controller:
    """The plan tab with the controller that asks its questions."""

    def __init__(self, qtbot: Any, workspace: Workspace) -> None:
        self._qtbot = qtbot
        self.workspace = workspace
        self.capture = CaptureController.of(workspace)
        self.tab = PlanTab(workspace, self.capture)
        self.questions = QuestionController(self.capture.board, self.tab)
        self.started: list[Any] = []
        self.said: list[str] = []
        self.tab.start_asked.connect(self.started.append)
        self.tab.key_refused.connect(self.questions.refuse_key)
        workspace.said.connect(lambda _tone, words: self.said.append(words))
        self.tab.retranslate()
        self.tab.resize(1258, 640)
        self.tab.show()
        qtbot.waitExposed(self.tab)

    @property
    def project(self) -> Any:
        return self.workspace.project

    def open(self, project: Any) -> None:
        self.workspace.project = project
        self.workspace.announce(Change.OPENED)
        self.tab.begin()
        self.settle()

    def close(self) -> None:
        project = self.project
        self.capture.close()
        self.workspace.jobs.drop_all()
        assert self.workspace.jobs.wait(20)
        bury(self.tab)
        self.workspace.project = None
        projects.close(project)

    def settle(self) -> None:
        """The plan is drafted, every answer delivered."""
        let_window_live(0.005, "what was clicked is drafted in the next turn")
        self._qtbot.waitUntil(lambda: not self.tab.draft.drafting and not self.workspace.jobs.busy, timeout=60_000)
        let_window_live(0.005, "what an answer has made is shown a moment later")

    def save(self, *profiles: HostProfile) -> None:
        for profile in profiles:
            assert self.tab.book.save(profile, "") is None
        self.settle()

    def dialog(self, kind: type[QuestionDialog]) -> Any:
        self._qtbot.waitUntil(lambda: isinstance(self.questions.dialog, kind), timeout=20_000)
        return self.questions.dialog

    def tested(self, name: str) -> LastTest:
        """How a running connection test ended."""
        book = self.tab.book
        ended = (Reach.REACHED, Reach.FAILED)
        self._qtbot.waitUntil(lambda: book.last_test(name).reach in ended, timeout=20_000)
        self.settle()
        return book.last_test(name)


def press(button: QAbstractButton) -> None:
    assert button.isEnabled(), button.text()
    assert button.isVisible(), button.text()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def type_into(field: QWidget, words: str) -> None:
    field.setFocus()
    field.selectAll()  # type: ignore[attr-defined]
    QTest.keyClicks(field, words)


def facts(widget: QWidget) -> str:
    """Everything a person can read in `widget`."""
    return "\n".join(label.text() for label in widget.findChildren(QLabel) if label.isVisibleTo(widget))
