"""A consultant's story by mouse: from a finding to the page for directors, without a number or a moment being typed.

What is true is said by the recipe, `tests.made.tuned_weeks`, with a disk on which requests wait; what is typed are a person's words.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast
from zoneinfo import ZoneInfo

import pypdfium2
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QPushButton, QWidget

from tests.made import tuned_weeks as weeks
from tests.program import compose
from tunebench.cli.main import run as run_verb
from tunebench.domain.cycle.records import Cause, Metric, Outcome, Result, Target
from tunebench.domain.cycle.worksheet import Action, ActionState, ExecutedChange
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.record_decision import DecisionPanel
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.look.language import text
from tunebench.ui.pages.board_page import BoardPage
from tunebench.ui.pages.cycle_page import CyclePage
from tunebench.ui.pages.findings_page import FindingsPage
from tunebench.ui.pages.tradeoff_page import TradeoffPage
from tunebench.usecases.cycle import reading
from tunebench.usecases.cycle.worksheet_columns import FIELDS

Idle = Callable[[], None]
BEFORE, AFTER = "Mornings of August 3", "Mornings of August 17"
WAITS_MS = (60.0, 8.0)


@pytest.fixture
def engagement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Imported, with both windows; no cycle yet."""
    compose()
    monkeypatch.setitem(weeks.AWAIT_MS, "sda", WAITS_MS)
    project = tmp_path / "orders.tune"
    verbs: list[tuple[object, ...]] = [("new", project, "--customer", "ACME", "--zone", weeks.ZONE)]
    for run, files in zip(("before", "after"), weeks.write(tmp_path), strict=True):
        verbs.append(("import", project, *files, "--run", run, "--phase", run))
    for name, role, days in ((BEFORE, "before", weeks.BEFORE), (AFTER, "after", weeks.AFTER)):
        ends = (f"{days[0]:%Y-%m-%d}", f"{days[-1]:%Y-%m-%d}")
        hours = ("--days", "mon-fri", "--hours", "09:00-12:00", "--between", *ends)
        verbs.append(("window", project, "add", name, "--role", role, *hours))
    for words in verbs:
        assert run_verb([*map(str, words), "--lang", "en"]) == 0
    return project


class Hand:
    """Clicks what is in sight and enabled, and nothing else."""

    def __init__(self, window: MainWindow, qtbot: Any, idle: Idle) -> None:
        self.window, self._qtbot, self._idle = window, qtbot, idle

    def click(self, target: QAbstractButton) -> None:
        assert target.isVisible() and target.isEnabled(), target.text()
        self._qtbot.mouseClick(target, Qt.MouseButton.LeftButton)
        self._idle()

    def click_words(self, inside: QWidget, words: str) -> None:
        buttons = [one for one in inside.findChildren(QPushButton) if one.isVisible() and one.text() == words]
        self.click(buttons[0])

    def click_toast(self, words: str) -> None:
        self.click_words(self.window.messages.shown[-1], words)

    def page(self, name: str) -> Any:
        self.window.show_page(name)
        self._idle()
        return self.window.page(name)


@pytest.fixture
def hand(window: MainWindow, engagement: Path, qtbot: Any, idle: Idle) -> Hand:
    assert window.controller.open(engagement)
    idle()
    return Hand(window, qtbot, idle)


def proposed(hand: Hand) -> Action:
    page = cast("FindingsPage", hand.page("findings"))
    row = next(
        row
        for row in range(page.findings.filter.rowCount())
        if "sda" in page.findings.filter.row_at(page.findings.filter.index(row, 0)).key
    )
    page.findings.setCurrentIndex(page.findings.filter.index(row, 0))
    hand.click(page.detail.action_button)
    (action,) = reading.read(hand.window.workspace.opened).all(Action)
    return action


def test_a_finding_ends_on_the_page_for_directors(hand: Hand, tmp_path: Path) -> None:
    workspace, zone = hand.window.workspace, ZoneInfo(weeks.ZONE)
    planned = proposed(hand)
    book = reading.read(workspace.opened)
    (cause,), (metric,), (target,) = book.all(Cause), book.all(Metric), book.all(Target)
    assert planned.cause_ids == (cause.id,) and planned.verifications[0].metric_id == metric.id
    assert target.baseline is not None and target.baseline.value is not None and target.value is not None
    assert target.value == pytest.approx(0.8 * target.baseline.value, rel=0.005) and target.priority == 1

    # the worksheet: what is changed, what pays, the way back are a person's words; its limits are measured
    findings = cast("FindingsPage", hand.window.page("findings"))
    hand.click(findings.detail.action_button)
    sheet = cast("TradeoffPage", hand.window.page("tradeoffs"))
    assert sheet.isVisible() and sheet.action == planned
    effects = sheet.detail.summary.effects
    hand.click(effects.browse_button)
    effects.choice.setCurrentIndex(effects.choice.findData("founding.table_compression"))
    hand.click(effects.take_button)
    hand.click_words(sheet.detail.summary, text("ui.tradeoffs.guards.measure"))
    changes = sheet.detail.parts["changes"].model
    for column, words in (("parameter", "scheduler"), ("new", "deadline")):
        place = [shown.id for shown in changes.columns].index(column)
        assert changes.setData(changes.index(0, place), words)
    fields = sheet.detail.fields.model
    rollback = [shown.id for shown in FIELDS].index("rollback_command")
    assert fields.setData(fields.index(rollback, 0), "scheduler=none")

    # approval and execution: two names, and a click that says when
    sheet.detail.show_tab("decision")
    form = sheet.detail.decision
    form.edits["role"].setText("DBA")
    form.edits["name"].setText("Park")
    hand.click(form.moment_button)
    offered = datetime.strptime(form.edits["at"].text(), "%Y-%m-%d %H:%M")
    assert weeks.BEFORE[-1] + timedelta(hours=12) <= offered <= weeks.AFTER[0] + timedelta(hours=9)
    hand.click(form.consent_button)
    form.edits["by"].setText("Kim")
    hand.click(form.execute_button)
    book = reading.read(workspace.opened)
    (line,) = book.all(ExecutedChange)
    assert datetime.fromisoformat(line.executed_at) == offered.replace(tzinfo=zone) and line.executed_by == "Kim"
    assert not book.all(Result)

    # the results are measured, from where the execution was said
    hand.click_toast(text("ui.cycle.measure_due"))
    book = reading.read(workspace.opened)
    measured = {result.metric_id: result.after for result in book.all(Result)}
    (guard,) = [own for own in book.all(Metric) if own.guards == planned.id and own.resource == "cpu"]
    assert {metric.id, guard.id} <= measured.keys()
    assert all(figure.samples and figure.evidence_id and not figure.source for figure in measured.values())
    after = measured[metric.id].value
    assert after is not None and after == pytest.approx(target.baseline.value * WAITS_MS[1] / WAITS_MS[0], rel=0.25)
    assert not CycleController.of(workspace).due()

    # nobody compared the answers: who closes says so; what is missing bars the other way
    board = cast("BoardPage", hand.page("board"))
    hand.click(board.next.go)
    decision = cast("DecisionPanel", cast("CyclePage", hand.window.page("cycle")).detail.panel)
    assert isinstance(decision, DecisionPanel)
    assert not decision.buttons["close"].isEnabled() and decision.barred["close"].isVisible()
    for name, words in (("by", "Kim"), ("reason", "The customer compares the answers on Monday")):
        decision.fields[name].input.write(words)
    hand.click(decision.buttons["accept"])
    assert [own.outcome for own in reading.read(workspace.opened).iterations] == [Outcome.MET]
    hand.click_toast(text("ui.command.file.export_result"))
    (pdf,) = tmp_path.glob("*.pdf")
    with pypdfium2.PdfDocument(pdf) as document:
        assert len(document) == 1
        words = document[0].get_textpage().get_text_range()
    low, high = map(float, re.findall(r"Response of disk sda[^[]*\[([\d.]+), ([\d.]+)\]", words)[0])
    assert low < WAITS_MS[0] / WAITS_MS[1] < high
    assert "Price paid" in words and ": held" in words.replace("\r\n", " ")


def test_nothing_is_recorded_for_a_person(hand: Hand) -> None:
    """What is known of persons and moments is offered in fields; no click before theirs states it."""
    planned = proposed(hand)
    sheet = cast("TradeoffPage", hand.page("tradeoffs"))
    sheet.choose(planned.id)
    sheet.detail.show_tab("decision")
    form = sheet.detail.decision
    assert not form.edits["name"].text() and not form.edits["by"].text()
    now = form.edits["decided_at"].text()
    hand.click(form.moment_button)
    assert form.edits["decided_at"].text() != now
    book = reading.read(hand.window.workspace.opened)
    assert not book.all(ExecutedChange) and not book.all(Action)[0].consents
    assert book.all(Action)[0].state is ActionState.DRAFT
    controller = CycleController.of(hand.window.workspace)
    assert not [one for one in controller.due() if not one.is_baseline]  # no result before a change was carried out
