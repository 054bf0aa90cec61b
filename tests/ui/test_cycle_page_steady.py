"""The cycle page while it is worked on: nothing moves away under the hands, every sentence stands at its field."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from tests.ui import made_cycle
from tests.ui.cycle_page_hand import add, begun, here, panel_of, press
from tunebench.domain.cycle.records import Figure, ManualSource, Metric, Outcome, Step, StepNumber, StepState, Target
from tunebench.domain.cycle.worksheet import Action
from tunebench.domain.engagement import Direction, Engagement
from tunebench.ui.cycle.ring import LINES, RingStep
from tunebench.ui.cycle.sentence_list import SentenceList
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.pages.cycle_page import CyclePage
from tunebench.usecases import projects
from tunebench.usecases.cycle.acts import roll_back

Idle = Callable[[], None]


@pytest.fixture
def page(qtbot: Any, window: MainWindow, tmp_path: Path, idle: Idle) -> CyclePage:
    path = tmp_path / "empty.tune"
    projects.close(projects.create(path, Engagement("Tuning", "ACME", consultants=("Kim",))))
    assert window.controller.open(path)
    made = begun(qtbot, window)
    idle()
    return made


@pytest.fixture
def filled(window: MainWindow, project_file: Path, idle: Idle) -> CyclePage:
    project = projects.open_(project_file)
    made_cycle.fill(project)
    projects.close(project)
    assert window.controller.open(project_file)
    window.show_page("cycle")
    idle()
    page = window.page("cycle")
    assert isinstance(page, CyclePage)
    return page


def top(widget: QWidget, page: CyclePage) -> int:
    return widget.mapTo(page, QPoint(0, 0)).y()


# --- sentences that have gone


def test_a_sentence_that_no_longer_holds_stays_in_its_place(qtbot: Any) -> None:
    shown = SentenceList()
    qtbot.addWidget(shown)
    shown.show_sentences(["no baseline", "no value"], 7)
    shown.show_sentences(["no value"], 7)
    assert shown.sentences() == ["no value"] and shown.settled() == ["no baseline"]
    assert [words.text() for _sign, words in shown._rows] == ["no baseline", "no value"]
    assert [words.font().strikeOut() for _sign, words in shown._rows] == [True, False]
    assert shown.accessibleName() == "no value"
    shown.show_sentences([], 7)
    assert not shown.isHidden() and shown.sentences() == []
    shown.show_sentences(["no value"], 8)
    assert shown.settled() == [] and not shown._rows[0][1].font().strikeOut()


def test_of_many_sentences_a_few_are_shown_and_the_next_ones_do_not_push(qtbot: Any) -> None:
    shown = SentenceList()
    qtbot.addWidget(shown)
    shown.show_sentences(list("abcde"), 1, 3)
    assert shown.sentences() == ["a", "b", "c"]
    shown.show_sentences(list("bcde"), 1, 3)
    assert shown.sentences() == ["b", "c"] and shown.settled() == ["a"]
    shown.show_sentences(list("de"), 1, 3)
    assert shown.sentences() == ["d", "e"] and shown.settled() == []


def test_without_an_owner_nothing_is_kept(qtbot: Any) -> None:
    shown = SentenceList()
    qtbot.addWidget(shown)
    shown.show_sentences(["refused"])
    shown.show_sentences([])
    assert shown.isHidden() and shown.settled() == []


def test_a_form_does_not_move_when_what_it_lacked_is_given(page: CyclePage, idle: Idle) -> None:
    metric = add(page, Metric(0, here(page), "Order time", ManualSource("watch"), "mean", "s", Direction.LOWER))
    add(page, Target(0, here(page), metric.id, Figure(50.0, source="watch"), None, 1))
    panel = panel_of(page, StepNumber.TARGETS)
    idle()
    value = panel.form.fields["value"].input
    assert panel.gates.sentences()
    before = top(value, page)
    value.setFocus()
    QTest.keyClicks(value, "20")
    QTest.keyClick(value, Qt.Key.Key_Return)
    idle()
    assert not panel.gates.sentences() and panel.gates.settled()
    assert top(value, page) == before


# --- refusals stand at the field


def test_a_refused_date_is_told_below_its_own_row(page: CyclePage, idle: Idle) -> None:
    panel = panel_of(page, StepNumber.PROBLEM)
    press(panel.add_button)
    fields = panel.form.fields
    day = fields["reported_on"].input
    day.setFocus()
    day.selectAll()
    QTest.keyClicks(day, "yesterday")
    QTest.keyClick(day, Qt.Key.Key_Return)
    idle()
    assert "yesterday" in panel.form.error.sentences()[0]
    assert top(day, page) < top(panel.form.error, page) < top(fields["text"].input, page)
    head = page.detail.head.form
    due = head.fields["due_on"].input
    due.setFocus()
    QTest.keyClicks(due, "soon")
    QTest.keyClick(due, Qt.Key.Key_Return)
    idle()
    assert top(due, page) < top(head.error, page) < top(panel, page)


# --- one number


def test_card_and_head_of_a_step_tell_the_same_number(page: CyclePage) -> None:
    for title in ("Read-ahead", "Cache"):
        add(page, Action(0, here(page), title))
    page.show_step(StepNumber.COUNTERMEASURES)
    standing = page.controller.standing
    assert standing is not None
    n = standing.steps[StepNumber.COUNTERMEASURES].gates
    assert n > 3
    head = page.detail.head
    assert page.cards.cards[StepNumber.COUNTERMEASURES].gates.text() == f"in the way: {n}"
    assert head._before.text().endswith(f" {n}")
    assert head._more.text().startswith(f"{n - len(head.gates.sentences())} more")


def test_what_only_bars_finishing_is_told_without_a_number(page: CyclePage) -> None:
    page.show_step(StepNumber.CAUSES)
    assert page.cards.cards[StepNumber.CAUSES].gates.text() == ""
    assert page.detail.head._before.text() == "Before this step is done"
    assert len(page.detail.head.gates.sentences()) == 1


# --- room


def test_the_preview_of_nothing_takes_no_room(page: CyclePage) -> None:
    page.begin_new()
    sheet = page.start_sheet
    assert sheet.list.currentRow() == 0 and not sheet.preview.isVisible()
    sheet.list.setCurrentRow(sheet.list.count() - 1)
    assert sheet.preview.isVisible() and sheet.preview.toPlainText()


def test_the_strip_is_hidden_where_the_cards_show_the_steps(page: CyclePage, window: MainWindow, qtbot: Any) -> None:
    strip = window.cycle_header.strip
    assert page._cards_area.isVisible() and not strip.isVisible()
    window.show_page("tradeoffs")
    assert strip.isVisible()
    window.show_page("cycle")
    window.resize(1024, 700)
    qtbot.waitUntil(lambda: strip.isVisible() and not page._cards_area.isVisible(), timeout=60_000)


def test_a_run_can_be_read_in_the_picker(filled: CyclePage, window: MainWindow, idle: Idle) -> None:
    panel = panel_of(filled, StepNumber.TARGETS)
    idle()
    box = panel.figure.run
    words = max((box.itemText(at) for at in range(box.count())), key=len)
    assert box.fontMetrics().horizontalAdvance(words) + 30 < box.width()


def test_counts_of_a_card_are_told_whole(filled: CyclePage, idle: Idle) -> None:
    card = filled.cards.cards[StepNumber.COUNTERMEASURES]
    assert "executed: 1" in card.counts.text().replace("\u00a0", " ")
    assert card.counts.wordWrap() and card.counts.height() >= card.counts.heightForWidth(card.counts.width())


def test_counts_of_the_ring_are_told_whole(filled: CyclePage, qtbot: Any) -> None:
    step = RingStep(StepNumber.COUNTERMEASURES, filled)
    step.resize(160, step.height())
    assert filled.controller.standing is not None
    step.show_standing(filled.controller.standing.steps[StepNumber.COUNTERMEASURES], False)
    lines = step._wrapped(step.lines[2])
    assert len(lines) <= LINES - 1 and " · ".join(lines) == step.lines[2]
    assert all(step.fontMetrics().horizontalAdvance(line) <= 160 for line in lines)


# --- verification, closing


def test_the_result_says_whether_each_change_did_it(filled: CyclePage, idle: Idle) -> None:
    panel = panel_of(filled, StepNumber.RESULT)
    idle()
    row, price = panel.verified.table.rows_model.rows
    words = [[cell.words for cell in each.cells] for each in (row, price)]
    assert words[0][1:3] == ["disk throughput: strong relief; at least 10 %", "Order time"]
    assert words[0][4] == "✓ confirmed"  # 50 s -> 25 s, by more than 10 % of 50
    assert words[1][1].startswith("memory: price") and words[1][4] == "○ not measured"
    assert filled.controller.attempt(
        lambda: roll_back(filled.controller.book, row.id, "Kim", "2026-07-21T09:00:00+09:00")
    )
    assert not panel.verified.isVisible()


def test_steps_that_were_never_begun_are_finished_with_the_iteration(filled: CyclePage, idle: Idle) -> None:
    panel, controller = panel_of(filled, StepNumber.DECISION), filled.controller
    idle()
    assert panel.finish_too.isVisible() and panel.finish_too.isChecked()
    assert panel.finished.text() == "3 Causes, 4 Countermeasures"
    assert panel.left.sentences()[0].startswith("2 Targets")  # one of them has no value
    for name, words in (("by", "Park"), ("reason", "The customer lives with 25 s")):
        field = panel.fields[name].input
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, words)
    press(panel.buttons["accept"])
    (iteration,) = controller.book.iterations
    assert iteration.outcome is Outcome.ACCEPTED
    states = {step.number: step.state for step in controller.book.in_iteration(Step, iteration.id)}
    assert states[StepNumber.CAUSES] is StepState.DONE
    filled.workspace.undo.undo()
    states = {step.number: step.state for step in controller.book.in_iteration(Step, iteration.id)}
    assert states[StepNumber.CAUSES] is StepState.OPEN


def test_unfinished_steps_stay_so_where_that_is_wanted(filled: CyclePage, idle: Idle) -> None:
    panel, controller = panel_of(filled, StepNumber.DECISION), filled.controller
    panel.finish_too.click()
    for name, words in (("by", "Park"), ("reason", "agreed")):
        panel.fields[name].input.write(words)
    press(panel.buttons["accept"])
    states = {step.number: step.state for step in controller.book.in_iteration(Step, controller.book.iterations[0].id)}
    assert states[StepNumber.CAUSES] is StepState.OPEN
