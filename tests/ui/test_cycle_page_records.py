"""The cycle page: removal, templates, files, keys, what is not edited, both languages."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QWidget

from tests.ui import made_cycle
from tests.ui.cycle_page_hand import add, begun, here, panel_of, press
from tunebench.domain.cycle.records import (
    Attachment,
    Cause,
    CauseDomain,
    Figure,
    ManualSource,
    Metric,
    Outcome,
    StepNumber,
    Target,
)
from tunebench.domain.cycle.worksheet import Action, Consent, Decision
from tunebench.domain.engagement import Direction, Engagement
from tunebench.ui.cycle.places import go_to
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.look.language import language
from tunebench.ui.pages.cycle_page import CyclePage
from tunebench.ui.workspace import Change
from tunebench.usecases import projects
from tunebench.usecases.cycle import edits as cycle_edits
from tunebench.usecases.cycle import templates as cycle_templates
from tunebench.usecases.cycle.acts import abandon_iteration, approve_action, execute_action, record_result


@pytest.fixture
def page(qtbot: Any, window: MainWindow, tmp_path: Path, idle: Callable[[], None]) -> CyclePage:
    """Of an engagement without captures."""
    path = tmp_path / "empty.tune"
    projects.close(projects.create(path, Engagement("Tuning", "ACME")))
    assert window.controller.open(path)
    made = begun(qtbot, window)
    idle()
    return made


def test_a_wrong_value_is_named_as_the_form_names_it(page: CyclePage, look: Callable[..., None]) -> None:
    language().switch("ko")
    panel = panel_of(page, StepNumber.CAUSES)
    panel.add()
    field = panel.form.fields["share_pct"].input
    field.setFocus()
    QTest.keyClicks(field, "180")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert panel.form.error.sentences()[0].startswith("응답시간 비중(%)")
    (cause,) = page.controller.book.all(Cause)
    assert cause.share_pct is None


def test_causes_stand_by_their_share_of_the_response_time(page: CyclePage) -> None:
    for title, share in (("small", 10.0), ("unknown", None), ("large", 70.0)):
        add(page, Cause(0, here(page), CauseDomain.DATABASE, title, share_pct=share))
    panel = panel_of(page, StepNumber.CAUSES)
    assert [row.cells[1].words for row in panel.table.rows_model.rows] == ["large", "small", "unknown"]


def test_the_decision_names_the_prices_that_nobody_measured(page: CyclePage) -> None:
    language().switch("en")
    action = add(page, made_cycle.worksheet(here(page), *_judged(page)))
    (guard,) = [metric for metric in page.controller.book.all(Metric) if metric.guards == action.id]
    panel = panel_of(page, StepNumber.DECISION)
    assert not panel.advice.sentences()  # not carried out: nothing was paid
    consent = Consent("DBA", "Park", Decision.APPROVED, made_cycle.AT)
    assert page.controller.attempt(lambda: approve_action(page.controller.book, action.id, consent))
    assert page.controller.attempt(lambda: execute_action(page.controller.book, action.id, "Kim", made_cycle.AT))
    (sentence,) = panel.advice.sentences()
    assert sentence.endswith(f": {guard.name}") and panel.advice.isVisible()
    assert any(each.endswith("says why it stays unmeasured.") for each in panel.barred["close"].sentences())
    page.controller.ask_reason = lambda *_: ("read by hand", "Kim")
    by_hand = replace(guard, source=ManualSource("free"))
    assert page.controller.attempt(lambda: cycle_edits.change(page.controller.book, by_hand))
    after = Figure(5.0, source="free")
    assert page.controller.attempt(lambda: record_result(page.controller.book, guard.id, after))
    assert not panel.advice.sentences()


def _judged(page: CyclePage) -> tuple[int, int]:
    """A metric whose target is met, and a cause."""
    metric = add(page, Metric(0, here(page), "Time", ManualSource(), "value", "s", Direction.LOWER))
    add(page, Target(0, here(page), metric.id, Figure(50.0, source="stop watch"), 20.0, 1))
    after = Figure(10.0, source="stop watch")
    assert page.controller.attempt(lambda: record_result(page.controller.book, metric.id, after))
    return metric.id, add(page, Cause(0, here(page), CauseDomain.SYSTEM, "Small reads")).id


def test_removing_says_what_goes_too_and_asks_in_place(page: CyclePage) -> None:
    metric = add(page, Metric(0, here(page), "Time", ManualSource(), "mean", "s", Direction.LOWER))
    panel_of(page, StepNumber.TARGETS).type_in("10", "stop watch")
    panel = panel_of(page, StepNumber.METRICS)
    panel.table.setFocus()
    QTest.keyClick(panel.table, Qt.Key.Key_Delete)
    assert page.controller.book.find(Metric, metric.id) is not None
    assert panel.form._asks.sentences()
    press(panel.form._really)
    assert not page.controller.book.all(Metric)
    assert not page.controller.book.all(Target)
    page.workspace.undo.undo()
    assert len(page.controller.book.all(Target)) == 1


def test_a_template_shows_what_it_brings_and_is_begun_only_when_no_iteration_is_open(page: CyclePage) -> None:
    sheet, controller = page.start_sheet, page.controller
    page.begin_new()
    template = cycle_templates.listed("en")[0]
    places = [sheet.list.item(at).data(Qt.ItemDataRole.UserRole) for at in range(sheet.list.count())]
    sheet.list.setFocus()
    while sheet.list.currentRow() != places.index(template.id):
        QTest.keyClick(sheet.list, Qt.Key.Key_Down)
    assert not sheet.start_button.isEnabled()
    assert "First" in sheet.error.sentences()[0]
    shown = sheet.preview.toPlainText()
    press(sheet.cancel_button)
    panel = panel_of(page, StepNumber.DECISION)
    panel.fields["by"].input.setText("Kim")
    panel.fields["reason"].input.setPlainText("a trial")
    press(panel.buttons["abandon"])
    assert controller.book.iterations[0].outcome is Outcome.ABANDONED
    press(page.new_button)
    sheet.list.setCurrentRow(places.index(template.id))
    assert sheet.preview.toPlainText() == shown
    press(sheet.start_button)
    assert controller.iteration is not None
    assert controller.iteration.template == template.id
    for kind in (Metric, Cause, Action):
        for record in controller.book.in_iteration(kind, controller.iteration.id):
            assert getattr(record, "title", getattr(record, "name", "")) in shown
    page.workspace.undo.undo()
    assert len(controller.book.iterations) == 1


def test_what_has_ended_is_not_edited(page: CyclePage) -> None:
    panel_of(page, StepNumber.CAUSES).add()
    iteration = here(page)
    assert page.controller.attempt(
        lambda: abandon_iteration(page.controller.book, iteration, by="Kim", on="2026-11-21", reason="a trial")
    )
    panel = panel_of(page, StepNumber.CAUSES)
    assert not panel.add_button.isEnabled()
    assert panel.form.fields["title"].input.isReadOnly()
    assert page.detail.closed.isVisible()


def test_a_file_is_kept_and_given_back_byte_for_byte(page: CyclePage, tmp_path: Path) -> None:
    original, copy = tmp_path / "plan.bin", tmp_path / "copy.bin"
    original.write_bytes(bytes(range(256)))
    panel = page.detail.attachments
    panel.attach(original)
    (attachment,) = page.controller.book.all(Attachment)
    panel.write(attachment, copy)
    assert copy.read_bytes() == original.read_bytes()
    panel.attach(tmp_path / "missing.bin")
    assert len(page.controller.book.all(Attachment)) == 1


def test_a_gate_leads_to_its_record(page: CyclePage, idle: Callable[[], None]) -> None:
    ids = _filled(page)
    go_to(page.workspace, StepNumber.RESULT, (ids["gets"],))
    assert page.cards.number is StepNumber.RESULT
    panel: Any = page.detail.panel
    assert panel.table.chosen_id == ids["gets"]
    idle()


def test_every_text_is_there_in_both_languages(page: CyclePage, idle: Callable[[], None]) -> None:
    _filled(page)
    for number in StepNumber:
        panel_of(page, number)
    page.begin_new()
    for code in ("ko", "en"):
        language().switch(code)
        idle()
        missing = {words for widget in page.findChildren(QWidget) for words in _words(widget) if "⟨" in words}
        assert not missing
        nameless = [
            type(widget).__name__
            for widget in page.findChildren(QLineEdit)
            if not widget.accessibleName() and widget.objectName() != "qt_spinbox_lineedit"
        ]
        assert not nameless


def _words(widget: QWidget) -> list[str]:
    found = [widget.accessibleName(), widget.toolTip()]
    if isinstance(widget, QLabel | QAbstractButton):
        found.append(widget.text())
    return [*found, widget.placeholderText()] if isinstance(widget, QLineEdit) else found


def _filled(page: CyclePage) -> dict[str, int]:
    """The engagement that other tests of the cycle use, beside the empty iteration, which is given up first."""
    iteration = here(page)
    page.controller.attempt(
        lambda: abandon_iteration(page.controller.book, iteration, by="Kim", on="2026-11-21", reason="a trial")
    )
    ids = made_cycle.fill(page.workspace.project)
    page.workspace.announce(Change.RUNS)
    page.controller.choose(ids["iteration"])
    return ids


def test_a_step_called_done_too_early_says_what_it_lacks_in_place(page: CyclePage) -> None:
    page.show_step(StepNumber.METRICS)
    head, edits = page.detail.head, page.workspace.undo.count()
    press(head.finish)
    assert page.workspace.undo.count() == edits
    assert head._before.property("tone") == "critical"
    assert len(head.gates.sentences()) == 1


def test_tab_goes_through_the_form_of_a_metric_as_it_reads(page: CyclePage) -> None:
    panel = panel_of(page, StepNumber.METRICS)
    panel.add()
    seen = []
    for _ in range(4):
        seen.append(page.window().focusWidget())
        QTest.keyClick(seen[-1], Qt.Key.Key_Tab)
    form = panel.form
    assert seen == [form.fields["name"].input, form.source.kind, form.source.how, form.fields["statistic"].input]


def test_arrows_and_keys_of_their_own_go_from_step_to_step(page: CyclePage) -> None:
    page.show_step(StepNumber.PROBLEM)
    page.cards.cards[StepNumber.PROBLEM].setFocus()
    for _ in range(2):
        QTest.keyClick(page.window().focusWidget(), Qt.Key.Key_Down)
    assert int(page.cards.number) == int(StepNumber.TARGETS)
    page.workspace.commands.action("steps.next_step").trigger()
    assert int(page.cards.number) == int(StepNumber.CAUSES)
    taken = [
        keys.toString()
        for _, action in page.workspace.commands.all()
        for keys in action.shortcuts()
        if not keys.isEmpty()
    ]
    for command in ("steps.next_step", "steps.previous_step"):
        (keys,) = page.workspace.commands.action(command).shortcuts()
        assert taken.count(keys.toString()) == 1


def test_leaving_the_page_keeps_what_was_being_typed(page: CyclePage) -> None:
    panel = panel_of(page, StepNumber.CAUSES)
    panel.add()
    QTest.keyClicks(panel.form.fields["title"].input, "Missing index")
    page.workspace.show_page("captures")
    (cause,) = page.controller.book.all(Cause)
    assert cause.title == "Missing index"


def test_each_edit_is_felt_at_once(page: CyclePage) -> None:
    """50 ms is what nobody notices; the first showing of a panel, which builds it, is not meant."""
    _filled(page)
    panel = panel_of(page, StepNumber.CAUSES)
    spent = []
    for number in range(5):
        begun = time.process_time()
        panel.form.fields["title"].input.setText(f"Cause {number}")
        panel.form.fields["title"].input.finished.emit()
        spent.append(time.process_time() - begun)
    assert {each.title for each in page.controller.book.all(Cause)} == {"Cause 4"}
    assert sorted(spent)[2] < 0.05


def test_an_engagement_that_is_read_only_is_shown_and_not_edited(
    page: CyclePage, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel_of(page, StepNumber.CAUSES).add()
    monkeypatch.setattr(type(page.workspace), "writable", property(lambda _self: False))
    page.workspace.announce(Change.CYCLE)
    panel = panel_of(page, StepNumber.CAUSES)
    assert panel.form.fields["title"].input.text() == "New cause"
    assert panel.form.fields["title"].input.isReadOnly()
    for made in (panel.add_button, panel.form.remove_button, page.detail.head.finish, page.new_button):
        assert not made.isEnabled()
