"""From an empty engagement to a closed cycle, by clicks and keys on the cycle page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QWidget

from tunebench.domain.cycle.records import (
    Cause,
    CustomerIssue,
    Iteration,
    ManualSource,
    Metric,
    Outcome,
    Question,
    Result,
    ResultSummary,
    Step,
    StepNumber,
    StepState,
    Target,
)
from tunebench.domain.cycle.seals import Amendment
from tunebench.domain.engagement import Engagement
from tunebench.ui.cycle.record_fields import Choice
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.pages.cycle_page import CyclePage
from tunebench.usecases import projects
from tunebench.usecases.cycle import reading
from tunebench.usecases.cycle.acts import step_of
from tunebench.usecases.cycle.edits import change_typed


@pytest.fixture
def empty(qtbot: Any, window: MainWindow, tmp_path: Path, idle: Callable[[], None]) -> CyclePage:
    """An engagement without captures, on its cycle page."""
    path = tmp_path / "empty.tune"
    projects.close(projects.create(path, Engagement("Tuning", "ACME", consultants=("Kim",))))
    assert window.controller.open(path)
    window.show_page("cycle")
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)  # else nobody is told that the focus goes
    idle()
    page = window.page("cycle")
    assert isinstance(page, CyclePage)
    return page


def click(widget: QWidget) -> None:
    assert widget.isVisible()
    assert widget.isEnabled()
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)


def type_over(field: Any, words: str, leave: Qt.Key = Qt.Key.Key_Tab) -> None:
    """Click into a field, type over what is there, leave it with a key."""
    assert isinstance(field, QLineEdit | QPlainTextEdit)
    assert field.isVisible()
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, words)
    QTest.keyClick(field, leave)


def compose_over(field: QLineEdit, words: str) -> None:
    """As a Korean input method does: letters stand under composition before they are committed."""
    field.setFocus()
    field.selectAll()
    for at in range(len(words)):
        QApplication.sendEvent(field, QInputMethodEvent(words[at], []))
        done = QInputMethodEvent("", [])
        done.setCommitString(words[at])
        QApplication.sendEvent(field, done)
    QTest.keyClick(field, Qt.Key.Key_Return)


def choose(box: Choice, value: str) -> None:
    """With the keyboard, as the closed box takes it."""
    box.setFocus()
    wanted = box.findData(value)
    while box.currentIndex() != wanted:
        QTest.keyClick(box, Qt.Key.Key_Down if box.currentIndex() < wanted else Qt.Key.Key_Up)


def of(page: CyclePage, number: StepNumber) -> Any:
    """The panel of a step, reached by a click on its card."""
    click(page.cards.cards[number])
    return page.detail.panel


def test_an_engagement_without_a_cycle_invites_to_begin_one(empty: CyclePage) -> None:
    assert empty.stack.currentWidget() is empty.empty
    click(empty.empty._buttons[0][1])
    assert empty.stack.currentWidget() is empty.start_sheet


def test_from_an_empty_engagement_to_a_closed_cycle(empty: CyclePage, idle: Callable[[], None]) -> None:
    page, controller = empty, empty.controller
    click(page.empty._buttons[0][1])
    type_over(page.start_sheet.title, "First round", Qt.Key.Key_Return)
    assert [(it.number, it.title) for it in controller.book.iterations] == [(1, "First round")]
    iteration = controller.book.iterations[0]

    # 0: the step is not done before a problem is stated
    panel = of(page, StepNumber.PROBLEM)
    assert page.detail.head.gates.sentences()
    click(panel.add_button)
    compose_over(panel.form.fields["title"].input, "주문 조회가 느림")
    (issue,) = controller.book.all(CustomerIssue)
    assert issue.title == "주문 조회가 느림"
    assert not page.detail.head.gates.sentences()
    click(page.detail.head.finish)
    assert step_of(controller.book, iteration.id, StepNumber.PROBLEM).state is StepState.DONE

    # a question is noted with Enter and answered
    page.detail.questions.ask.setFocus()
    QTest.keyClicks(page.detail.questions.ask, "Since when?")
    QTest.keyClick(page.detail.questions.ask, Qt.Key.Key_Return)
    type_over(page.detail.questions.form.fields["answer"].input, "Since July")
    (question,) = controller.book.all(Question)
    assert (question.text, question.answer, bool(question.answered_on)) == ("Since when?", "Since July", True)

    # 1: a metric
    panel = of(page, StepNumber.METRICS)
    click(panel.add_button)
    fields = panel.form.fields
    type_over(fields["name"].input, "Order time")
    type_over(panel.form.source.how, "stop watch")
    choose(fields["statistic"].input, "p95")
    type_over(fields["unit"].input, "s")
    type_over(fields["window"].input, "09:00-12:00")
    (metric,) = controller.book.all(Metric)
    assert (metric.name, metric.statistic, metric.unit) == ("Order time", "p95", "s")
    assert metric.source == ManualSource("stop watch")
    assert metric.window is not None

    # 2: no target value without a baseline; the first target is the top priority
    panel = of(page, StepNumber.TARGETS)
    panel.figure.value.setFocus()
    QTest.keyClicks(panel.figure.value, "590.997")
    panel.figure.source.setFocus()
    QTest.keyClicks(panel.figure.source, "report p. 28")
    click(panel.figure.record)
    type_over(panel.form.fields["value"].input, "60")
    (target,) = controller.book.all(Target)
    assert target.baseline is not None
    assert (target.baseline.value, target.baseline.source) == (590.997, "report p. 28")
    assert (target.value, target.priority) == (60.0, 1)

    # 3: a cause, tied to the issue
    panel = of(page, StepNumber.CAUSES)
    click(panel.add_button)
    type_over(panel.form.fields["title"].input, "Missing index")
    choose(panel.form.fields["domain"].input, "database")
    type_over(panel.form.fields["share_pct"].input, "80")
    QTest.keyClick(panel.form._boxes[issue.id], Qt.Key.Key_Space)
    (cause,) = controller.book.all(Cause)
    assert (cause.title, cause.domain.value, cause.share_pct, cause.issue_ids) == (
        "Missing index",
        "database",
        80.0,
        (issue.id,),
    )

    # 4: skipped, with the reason that it needs
    of(page, StepNumber.COUNTERMEASURES)
    head = page.detail.head
    click(head.skip)
    click(head.skip_now)
    assert head.skip_gates.sentences()
    type_over(head.reason, "done by the vendor", Qt.Key.Key_Return)
    step = step_of(controller.book, iteration.id, StepNumber.COUNTERMEASURES)
    assert (step.state, step.skip_reason) == (StepState.SKIPPED, "done by the vendor")

    # 5: the result and where the bottleneck went
    panel = of(page, StepNumber.RESULT)
    panel.figure.value.setFocus()
    QTest.keyClicks(panel.figure.value, "33.17")
    QTest.keyClick(panel.figure.value, Qt.Key.Key_Return)
    assert panel.error.sentences()  # a typed figure says where it stands
    panel.figure.source.setFocus()
    QTest.keyClicks(panel.figure.source, "report p. 30")
    QTest.keyClick(panel.figure.source, Qt.Key.Key_Return)
    assert not panel.error.sentences()
    assert [result.after.value for result in controller.book.all(Result)] == [33.17]
    choose(panel.summary.form.fields["bottleneck_before"].input, "disk_latency")
    choose(panel.summary.form.fields["bottleneck_after"].input, "cpu")
    (summary,) = controller.book.all(ResultSummary)
    assert (summary.bottleneck_before, summary.bottleneck_after) == ("disk_latency", "cpu")
    assert of(page, StepNumber.RESULT).summary.form.gates.sentences()  # nobody has signed that the answers are the same
    choose(panel.summary.form.fields["equality"].input, "not_applicable")
    signed = {"equality_by": "Park", "equality_basis": "the statement reads only"}
    controller.edit(change_typed(controller.book, summary.id, signed))

    # 6: met, so that it can be closed
    panel = of(page, StepNumber.DECISION)
    assert not panel.barred["close"].sentences()
    click(panel.buttons["close"])
    closed = controller.book.iterations[0]
    assert (closed.outcome, closed.closed_by) == (Outcome.MET, "Kim")

    # all of it can be taken back; what the result was seen against only with a reason, and that stays
    controller.ask_reason = lambda *_: ("taken back", "Kim")
    undo = page.workspace.undo
    while undo.canUndo():
        undo.undo()
    left = reading.read(page.workspace.opened)
    assert {type(each) for each in left} == {Iteration, Step, Amendment}
    assert {each.reason for each in left.all(Amendment)} == {"taken back"}


def test_a_missed_top_target_is_accepted_by_name_and_reason_only(empty: CyclePage) -> None:
    page, controller = empty, empty.controller
    page.begin_new()
    click(page.start_sheet.start_button)
    panel = of(page, StepNumber.METRICS)
    click(panel.add_button)
    panel = of(page, StepNumber.TARGETS)
    panel.type_in("50", "stop watch")
    type_over(panel.form.fields["value"].input, "20")
    of(page, StepNumber.RESULT).type_in("30", "stop watch")
    panel = of(page, StepNumber.DECISION)
    assert not panel.buttons["close"].isEnabled()
    assert not panel.buttons["accept"].isEnabled()
    assert panel.barred["accept"].sentences() != panel.barred["close"].sentences()
    reason = panel.fields["reason"].input
    reason.setFocus()
    QTest.keyClicks(reason, "fast enough for the night run")
    click(panel.buttons["accept"])
    assert [each.outcome for each in controller.book.iterations] == [Outcome.ACCEPTED]
    assert not panel.buttons["accept"].isVisible()
    controller.ask_reason = lambda *_: ("closed too early", "Lee")
    click(panel.reopen_button)
    assert [each.field for each in controller.book.all(Amendment)] == ["outcome", "reason"]
    assert [each.outcome for each in controller.book.iterations] == [Outcome.OPEN]
    decision = step_of(controller.book, controller.book.iterations[0].id, StepNumber.DECISION)
    assert (decision.state, decision.ended_on) == (StepState.IN_WORK, "")
    click(panel.buttons["go_on"])
    assert [each.outcome for each in controller.book.iterations] == [Outcome.CONTINUED, Outcome.OPEN]
    assert controller.iteration is not None
    assert controller.iteration.continues == controller.book.iterations[0].id
    (carried,) = controller.book.in_iteration(Target, controller.iteration.id)
    assert carried.baseline is not None
    assert carried.baseline.value == 30.0
