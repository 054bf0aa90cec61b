"""The trade-off page: one row in full, known effects, decisions, the change log, files, languages, ways in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QWidget

from tests.ui.made_worksheet import NONE, PLACE, action, at, go, put_on_clipboard, select, worksheet
from tunebench.domain.cycle.evidence import Evidence
from tunebench.domain.cycle.records import Metric, StepNumber
from tunebench.domain.cycle.worksheet import ActionState, Decision, ExecutedChange, InForce, Resource
from tunebench.domain.engagement import Engagement
from tunebench.ui.cycle.places import Place
from tunebench.ui.look.language import language
from tunebench.ui.pages.tradeoff_page import TradeoffPage
from tunebench.ui.tables.grid_model import FieldModel
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases import projects
from tunebench.usecases.cycle import edits
from tunebench.usecases.cycle.acts import abandon_iteration
from tunebench.usecases.cycle.worksheet_columns import FIELDS, LOG


@pytest.fixture
def page(qtbot: Any, workspace: Workspace, tmp_path: Path) -> Iterator[TradeoffPage]:
    yield from worksheet(qtbot, workspace, tmp_path)


# --- one row in full


def test_a_price_brings_its_guard_and_both_are_one_step(page: TradeoffPage) -> None:
    go(page, 1, "title")
    table = page.detail.parts["impacts"]
    page.detail.show_tab("impacts")

    def guards() -> list[Metric]:
        return [each for each in page.controller.book.all(Metric) if each.guards == action(page, 1).id]

    table.table.setCurrentIndex(table.model.index(0, 0))
    put_on_clipboard("memory\t▼\t\t32\t\tMB\tliterature\tmanual\tcache entries\r\n")
    table.table.paste()
    (impact,) = action(page, 1).impacts
    assert (impact.resource, impact.direction, impact.expected) == (Resource.MEMORY, -1, 32.0)
    assert impact.note == "cache entries"
    assert [metric.resource for metric in guards()] == ["memory"]
    assert any("memory" in each for each in page.detail.summary.sentences())
    page.workspace.undo.undo()
    assert not action(page, 1).impacts and not guards()


def test_lines_of_a_part_are_removed(page: TradeoffPage) -> None:
    go(page, 1, "title")
    part = page.detail.parts["changes"]
    part.model.setData(part.model.index(1, 0), "ufs_ninode")
    assert [change.parameter for change in action(page, 1).changes] == ["ncsize", "ufs_ninode"]
    part.table.setCurrentIndex(part.model.index(0, 1))
    part.remove()
    assert [change.parameter for change in action(page, 1).changes] == ["ufs_ninode"]


def test_headings_follow_the_language_across_and_upright(page: TradeoffPage) -> None:
    go(page, 1, "title")
    upright = next(table.cells for table in page.detail.tables() if isinstance(table.cells, FieldModel))
    heard: list[object] = []
    upright.headerDataChanged.connect(lambda *_: heard.append(upright.headerData(0, Qt.Orientation.Vertical)))
    page.model.headerDataChanged.connect(lambda *_: heard.append(page.model.headerData(1, Qt.Orientation.Horizontal)))
    language().switch("ko")
    assert heard[-1] in ("가설", "상태") and {"가설", "상태"} <= set(heard), "asked again when the words are Korean"
    assert page.model.headerData(1, Qt.Orientation.Horizontal) == "상태"


def test_fields_of_the_row_are_typed_below_each_other(page: TradeoffPage) -> None:
    go(page, 1, "title")
    page.detail.show_tab("fields")
    fields = page.detail.fields
    at_field = [column.id for column in FIELDS].index("rollback_command")
    fields.table.setCurrentIndex(fields.model.index(at_field, 0))
    put_on_clipboard("  set ncsize=1000\r\n15\r\nreboot window\r\n2026.8.1\r\n")
    fields.table.paste()
    back = action(page, 1).rollback
    assert (back.command, back.duration_min, back.precondition) == ("  set ncsize=1000", 15.0, "reboot window")
    assert back.tested_on == "2026-08-01"
    assert not fields.model.setData(fields.model.index(at_field + 1, 0), "long")
    assert page.problems.sentences()[0].startswith("row 1 · Rollback (min)")


def test_a_trade_off_point_is_marked(page: TradeoffPage) -> None:
    name = page.model.index(1, 0)
    assert page.model.remark(name)[0] == ""
    page.model.setData(page.model.index(1, PLACE["cpu"]), "▲")
    assert page.model.remark(name)[0] == "◇ sensitivity point"
    page.model.setData(page.model.index(1, PLACE["memory"]), "▼")
    assert page.model.remark(name)[0] == "◆ trade-off point"


def test_a_known_effect_is_proposed_with_source_and_caveat_and_taken_over(page: TradeoffPage) -> None:
    go(page, 2, "title")
    effects = page.detail.summary.effects
    assert "maxcontig" in action(page, 2).changes[0].parameter and "● " in effects.choice.currentText()
    effects.choice.setCurrentIndex(effects.choice.findData("founding.write_behind"))
    assert "000" in effects._source.text() and "mkfile" in effects._caveat.text()
    effects.take()
    made = action(page, 2)
    assert made.known_effect == "founding.write_behind" and made.prices
    assert [change.parameter for change in made.changes] == ["maxcontig", "maxphys"]
    assert all(impact.source for impact in made.impacts)
    page.workspace.undo.undo()
    assert not action(page, 2).impacts
    go(page, 1, "title")
    assert "DNLC" in effects.choice.currentText()


def test_nothing_is_offered_where_nothing_is_known_of_the_change(page: TradeoffPage) -> None:
    go(page, 1, "title")
    assert page.model.setData(page.model.index(1, PLACE["changes"]), "my_own_parameter: 1 -> 2")
    effects = page.detail.summary.effects
    page.detail.show_tab("summary")
    assert effects.choice.count() == 0 and not effects.choice.isVisible() and not effects.take_button.isVisible()
    effects.take()
    assert not action(page, 1).impacts
    effects.browse_button.click()
    assert effects.choice.count() > 10 and effects.take_button.isVisible()
    assert not any("●" in effects.choice.itemText(at) for at in range(effects.choice.count()))
    go(page, 2, "title")
    assert all("●" in effects.choice.itemText(at) for at in range(effects.choice.count()))


def focused() -> QWidget:
    found = QApplication.focusWidget()
    assert found is not None
    return found


def test_what_was_refused_goes_with_escape_and_with_undo(qtbot: Any, page: TradeoffPage) -> None:
    def refuse() -> None:
        go(page, 1, "cpu")
        QTest.keyClicks(page.grid, "much better")
        QTest.keyClick(focused(), Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: bool(page.problems.sentences()), timeout=60_000)
        qtbot.waitUntil(lambda: isinstance(QApplication.focusWidget(), QPlainTextEdit), timeout=60_000)

    assert page.model.setData(page.model.index(1, PLACE["hypothesis"]), "fewer reads")
    refuse()
    QTest.keyClick(focused(), Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not page.problems.sentences(), timeout=60_000)
    put_on_clipboard("nonsense\tnonsense\r\n")
    page.grid.paste()
    assert page.problems.sentences()
    QTest.keyClick(page.grid, Qt.Key.Key_Escape)
    assert not page.problems.sentences()
    page.grid.paste()
    assert page.problems.sentences()
    page.workspace.undo.undo()
    assert not page.problems.sentences() and not action(page, 1).hypothesis


# --- decisions and the log


def complete(page: TradeoffPage, row: int) -> None:
    go(page, row, "title")
    for key, words in (
        ("disk_latency", "▲"),
        ("memory", "▼"),
        ("rollback_command", "undo it"),
        ("verifications", "Order time (10 %)"),
    ):
        assert page.model.setData(page.model.index(row, PLACE[key]), words)


def test_execution_waits_for_the_worksheet_and_its_approval(page: TradeoffPage) -> None:
    form = page.detail.decision
    go(page, 1, "title")
    form.edits["by"].setText("Kim")
    form.edits["name"].setText("Park")
    form.edits["role"].setText("DBA")
    assert not form.execute_button.isEnabled() and "rollback" in form._why.text().lower()
    heard: list[object] = []
    page.workspace.said.connect(lambda tone, sentence: heard.append(tone))
    form.record_decision()
    assert heard == ["error"] and not action(page, 1).consents  # nobody approves what does not say its price
    complete(page, 1)
    assert not form.execute_button.isEnabled()
    form.record_decision()
    (consent,) = action(page, 1).consents
    assert (consent.role, consent.name, consent.decision) == ("DBA", "Park", Decision.APPROVED)
    assert form.execute_button.isEnabled() and form._why.text() == ""


def kept(page: TradeoffPage, line: ExecutedChange) -> ExecutedChange:
    found = page.controller.book.find(ExecutedChange, line.id)
    assert found is not None
    return found


def test_what_is_done_is_in_the_log_and_taken_back(page: TradeoffPage) -> None:
    form = page.detail.decision
    complete(page, 1)
    form.edits["name"].setText("Park")
    form.record_decision()
    form.edits["by"].setText("Kim")
    form.edits["at"].setText("2001-07-21 01:30")
    form.execute()
    assert action(page, 1).state is ActionState.PROPOSED  # it was approved just now, and cannot have been done before
    form.edits["decided_at"].setText("2001-07-20 18:00")
    form.record_decision()
    form.edits["at"].setText("2026-07-21 01:30")
    form.edits["commands"].setText("echo ncsize/W 4000 | adb -kw")
    form.execute()
    assert action(page, 1).state is ActionState.EXECUTED
    log = page.detail.log.model
    line = next(item for item in log.rows if item.action_id == action(page, 1).id)
    assert (line.executed_at, line.executed_by) == ("2026-07-21T01:30:00+09:00", "Kim")
    row, column = log.rows.index(line), [column.id for column in log.columns].index("in_force")
    assert log.setData(log.index(row, column), "no")
    assert kept(page, line).in_force is InForce.NO
    form.edits["at"].setText("soon")
    form.roll_back()
    assert action(page, 1).state is ActionState.EXECUTED
    form.edits["at"].setText("2026-07-22T10:00:00+09:00")
    form.roll_back()
    assert action(page, 1).state is ActionState.ROLLED_BACK
    assert kept(page, line).rolled_back_at == "2026-07-22T10:00:00+09:00"
    page.workspace.undo.undo()
    assert action(page, 1).state is ActionState.EXECUTED


def test_the_moment_of_a_change_is_mended_in_the_log(page: TradeoffPage) -> None:
    complete(page, 1)
    form = page.detail.decision
    said = {"name": "Park", "decided_at": "2001-07-20 18:00", "by": "Kim", "at": "2026-07-20 22:00"}
    for name, words in said.items():
        form.edits[name].setText(words)
    form.record_decision()
    form.execute()
    log, columns = page.detail.log.model, [column.id for column in LOG]
    (id_,) = (line.id for line in log.rows if line.action_id == action(page, 1).id)

    def place(name: str = "executed_at") -> Any:
        """The lines stand in the order of their time."""
        return log.index([line.id for line in log.rows].index(id_), columns.index(name))

    def stored() -> str:
        return next(line.executed_at for line in page.controller.book.all(ExecutedChange) if line.id == id_)

    assert log.data(place()) == "2026-07-20 22:00" and log.read(place()) == "2026-07-20 22:00"
    assert log.setData(place(), "2026-07-21 01:30")
    assert stored() == "2026-07-21T01:30:00+09:00"
    assert log.setData(place(), "2026-07-20T16:00:00+00:00")
    assert log.data(place()) == "2026-07-21 01:00"
    assert not log.setData(place(), "last night")
    assert "last night" in page.problems.sentences()[0]
    assert not log.setData(place(), "")
    assert not log.takes(place("rolled_back_at"))  # what was not taken back has no time of it
    page.workspace.undo.undo()
    assert stored() == "2026-07-21T01:30:00+09:00"


def test_the_report_opens_at_the_chapter_of_what_is_shown(page: TradeoffPage) -> None:
    asked: list[Any] = []
    page.workspace.page_asked.connect(lambda name, argument: asked.append((name, argument)))
    page.report_button.click()
    page.detail.show_tab("log")
    page.report_button.click()
    chapters = ("change_log", "worksheet", "countermeasures")
    assert asked == [("report", chapters[1:]), ("report", chapters)]


def test_a_moment_that_was_only_offered_is_the_moment_of_the_act(
    page: TradeoffPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row may stay open over the approval and over the weekend before its rollback."""
    form, zone = page.detail.decision, page.workspace.zone
    moments = iter(range(8, 24))
    monkeypatch.setattr(form, "_now", lambda: datetime(2026, 7, 21, next(moments), 30, tzinfo=zone))
    go(page, 2, "title")
    complete(page, 1)
    form.edits["name"].setText("Park")
    form.record_decision()
    form.edits["by"].setText("Kim")
    form.execute()
    form.roll_back()
    (consent,) = action(page, 1).consents
    (line,) = [each for each in page.controller.book.all(ExecutedChange) if each.action_id == action(page, 1).id]
    assert consent.decided_at < line.executed_at < line.rolled_back_at


def test_a_removed_row_comes_back_with_its_guards(page: TradeoffPage) -> None:
    page.model.setData(page.model.index(1, PLACE["cpu"]), "▼")
    page.model.setData(page.model.index(2, PLACE["cpu"]), "▼")
    before = page.controller.book
    select(page, (1, "title"), (2, "title"))
    page.remove()
    assert [each.title for each in page.model.rows] == ["Larger read-ahead"]
    page.workspace.undo.undo()
    assert page.controller.book == before
    select(page, (0, "title"), (0, "title"))
    page.remove()  # what was carried out stays on record
    assert len(page.model.rows) == 3


# --- files, languages, ways


def test_the_worksheet_goes_through_a_workbook(page: TradeoffPage, idle: Callable[[], None], tmp_path: Path) -> None:
    path, before = tmp_path / "worksheet.xlsx", page.controller.book
    page.files.export(path)
    idle()
    page.files.take(path)
    idle()
    assert page.controller.book == before
    book = openpyxl.load_workbook(path)
    sheet = next(sheet for sheet in book if sheet.cell(3, 2).value == "actions.title")
    rows = {sheet.cell(row, 1).value: row for row in range(5, sheet.max_row + 1)}
    sheet.cell(rows[f"#{action(page, 1).id}"], 2).value = "Renamed in Excel"
    book.save(path)
    page.files.take(path)
    idle()
    assert action(page, 1).title == "Renamed in Excel"
    page.workspace.undo.undo()
    assert page.controller.book == before
    sheet.cell(rows[f"#{action(page, 0).id}"], 2).value = "Another"
    sheet.cell(rows[f"#{action(page, 1).id}"], 2).value = "=1+1"
    book.save(path)
    page.files.take(path)
    idle()
    assert page.controller.book == before and len(page.problems.sentences()) == 2


def test_a_closed_iteration_and_a_project_of_another_are_only_read(page: TradeoffPage) -> None:
    iteration, overview = page.controller.iteration, page.workspace.overview
    assert iteration is not None and overview is not None
    edit = abandon_iteration(page.controller.book, iteration.id, by="Kim", on="2026-08-01", reason="no budget")
    assert page.controller.edit(edit)
    assert not page.add_button.isEnabled() and page.model.rowCount() == 3
    assert not page.model.setData(page.model.index(1, 0), "x")
    page.workspace.undo.undo()
    assert page.add_button.isEnabled()
    page.workspace.overview = replace(overview, read_only=True)
    page.fill()
    assert not page.add_button.isEnabled() and not page.detail.parts["risks"].remove_button.isEnabled()


def test_evidence_of_the_row_is_shown(qtbot: Any, page: TradeoffPage) -> None:
    go(page, 1, "title")
    assert page.detail.summary.evidence.chips() == []
    pinned = page.controller.book.all(Evidence)[0]
    assert page.controller.attempt(lambda: edits.attach(page.controller.book, pinned.id, action(page, 1).id))
    qtbot.waitUntil(lambda: bool(page.detail.summary.evidence.chips()), timeout=60_000)
    assert [chip.text() for chip in page.detail.summary.evidence.chips()] == [f"{pinned.code} {pinned.caption}"]


def test_places_lead_to_rows_and_to_the_log(page: TradeoffPage) -> None:
    page.show_argument(Place(StepNumber.COUNTERMEASURES, action(page, 2).id))
    assert page.action == action(page, 2)
    page.show_argument(page.controller.book.all(ExecutedChange)[0].id)
    assert page.detail.currentWidget() is page.detail.log


def test_both_languages_and_looks(page: TradeoffPage, look: Callable[[str, str], None]) -> None:
    language().switch("ko")
    assert page.model.headerData(0, Qt.Orientation.Horizontal) == "개선 방안"
    assert page.model.index(0, PLACE["state"]).data() == "실행됨"
    assert page.detail.tabText(page.detail.indexOf(page.detail.log)) == "변경 내역 1"
    page.grab()


def test_names_stay_in_sight_and_cover_no_cell_that_is_gone_to(page: TradeoffPage) -> None:
    assert not page.grid.names.isVisible()
    page.grid.horizontalScrollBar().setValue(page.grid.horizontalScrollBar().maximum())
    assert page.grid.names.isVisible()
    go(page, 1, "hypothesis")
    go(page, 1, "memory")
    assert page.grid.visualRect(page.grid.currentIndex()).left() >= page.grid.columnWidth(0)
    QTest.mouseClick(
        page.grid.names.viewport(),
        Qt.MouseButton.LeftButton,
        NONE,
        page.grid.names.visualRect(page.model.index(2, 0)).center(),
    )
    assert at(page.grid) == (2, PLACE["memory"])


def test_without_an_iteration_the_page_invites(qtbot: Any, workspace: Workspace, tmp_path: Path) -> None:
    workspace.project = projects.create(tmp_path / "empty.tune", Engagement("Tuning", "ACME"))
    workspace.announce(Change.OPENED)
    made = TradeoffPage(workspace)
    qtbot.addWidget(made)
    made.show()
    assert made._empty.isVisible() and not made.add_button.isEnabled()
    project, workspace.project, workspace.overview = workspace.project, None, None
    projects.close(project)
