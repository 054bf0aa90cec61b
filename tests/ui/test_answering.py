"""What a part of a page shows before, after and beside its answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Event

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QLabel, QPushButton

from tunebench.core.errors import UserError
from tunebench.ui.look.language import language
from tunebench.ui.widgets import answering
from tunebench.ui.widgets.answering import Answering, ViewKind
from tunebench.ui.workspace import Workspace
from tunebench.usecases.jobs import JobHandle

WINDOWS = ("Monday", "Tuesday")


class Page(QObject):
    """Asks for the same windows again and again."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.workspace, self.answers, self.stopped, self.asked = workspace, list[int](), 0, 0
        self.gate, self.refusal = Event(), list[UserError]()
        self.gate.set()
        self.shown = QLabel("-")
        self.part = Answering(self.shown, "compare", self.ask)
        self.part.resize(600, 300)
        self.part.show()

    def ask(self, question: object = WINDOWS) -> None:
        self.asked += 1
        answer = self.asked

        def work(handle: JobHandle) -> int:
            while not self.gate.wait(0.01):
                handle.raise_if_cancelled()
            if self.refusal:
                raise self.refusal[0]
            return answer

        self.part.run(
            self.workspace.jobs,
            "cpu",
            work,
            owner=self,
            slot="asked",
            on_result=self.answers.append,
            on_stopped=self.count_stop,
            question=question,
        )

    def kind(self) -> ViewKind:
        return self.part.state.kind

    def count_stop(self) -> None:
        self.stopped += 1

    def again_button(self) -> QPushButton:
        return next(own for own in self.part.findChildren(QPushButton) if own.isVisible())


@pytest.fixture
def page(workspace: Workspace) -> Iterator[Page]:
    own = Page(workspace)
    yield own
    own.gate.set()
    own.part.close()


def test_what_took_a_moment_is_computed_again_by_itself(page: Page, idle: Callable[[], None]) -> None:
    page.ask()
    idle()
    assert page.answers == [1]
    assert not page.part.outlives(WINDOWS, "captures")
    assert page.kind() is ViewKind.DONE


def test_a_long_answer_stays_dimmed_with_what_has_changed(
    page: Page, idle: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answering, "LONG_S", 0.0)
    page.ask()
    idle()
    assert page.part.outlives(WINDOWS, "captures")
    assert page.kind() is ViewKind.STALE and page.shown.isVisible()
    lines = [line.text() for line in page.part.findChildren(QLabel) if line.isVisible()]
    assert "Captures have changed since this was computed." in lines
    language().switch("ko")
    lines = [line.text() for line in page.part.findChildren(QLabel) if line.isVisible()]
    assert "계산한 뒤에 수집 자료가 바뀌었습니다." in lines
    page.again_button().click()
    idle()
    assert page.answers == [1, 2] and page.kind() is ViewKind.DONE


def test_nothing_of_other_windows_or_another_project_stays(
    page: Page, idle: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answering, "LONG_S", 0.0)
    page.ask()
    idle()
    assert not page.part.outlives(("Monday", "Friday"), "captures")
    page.part.forget()
    assert not page.part.outlives(WINDOWS, "captures")


def test_stopping_brings_back_what_was_and_never_the_answer_to_something_else(
    page: Page, idle: Callable[[], None]
) -> None:
    page.ask()
    idle()
    for question, state in ((WINDOWS, ViewKind.STALE), (("Monday", "Friday"), ViewKind.FAILED)):
        page.gate.clear()
        page.ask(question)
        assert page.kind() is ViewKind.READING and page.part.state.ticket is not None
        page.part.state.ticket.cancel()
        idle()
        assert page.kind() is state
        page.gate.set()
    assert page.stopped == 2 and page.answers == [1]


def test_a_refusal_is_said_and_nothing_of_before_stays(page: Page, idle: Callable[[], None]) -> None:
    page.ask()
    idle()
    page.refusal.append(UserError("file_not_found", path="disk.txt"))
    page.ask()
    idle()
    assert page.kind() is ViewKind.FAILED and page.part.state.cause is page.refusal[0]
    assert not page.shown.isVisible()
