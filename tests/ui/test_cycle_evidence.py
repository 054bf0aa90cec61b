"""Evidence: pinned from every page, listed, tied to records, and the way back to the window."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit

from tests.ui import made_cycle
from tunebench.analysis.exploring.time_range import TimeRange
from tunebench.analysis.exploring.time_range import TimeRange as ChartRange
from tunebench.domain.cycle.evidence import Evidence, EvidenceKind, EvidenceTarget
from tunebench.domain.cycle.records import Metric
from tunebench.domain.engagement import Direction, Measurement, Phase
from tunebench.domain.windows import run_window
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.evidence_chips import EvidenceChips
from tunebench.ui.cycle.evidence_list import EvidenceList, EvidenceTree
from tunebench.ui.cycle.evidence_sheet import EvidenceSheet
from tunebench.ui.cycle.evidence_show import show_evidence, show_figure
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.workspace import Change
from tunebench.usecases import browse, projects
from tunebench.usecases.cycle import evidence, figures
from tunebench.usecases.cycle.acts import continue_iteration
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions

Idle = Callable[[], None]
FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"


@pytest.fixture
def ids(project_file: Path) -> dict[str, int]:
    """The cycle of `made_cycle`, a run after with captures, a figure of the success case."""
    project = projects.open_(project_file)
    made = made_cycle.fill(project)
    one = Measurement("response_time", "응답시간", "Response time", "s", "total", Direction.LOWER, 590.997, 33.17)
    projects.write_measurements(project, (one,))
    later = ImportOptions(run="after", phase=Phase.AFTER, host="vm", start=datetime(2027, 7, 26, 9, tzinfo=UTC))
    imports.import_captures(project, [FIXTURES / "linux" / "vmstat.txt"], later)
    projects.close(project)
    return made


@pytest.fixture
def controller(window: MainWindow, ids: dict[str, int], project_file: Path, idle: Idle) -> CycleController:
    assert window.controller.open(project_file)
    idle()
    return CycleController.of(window.workspace)


@pytest.fixture
def sheet(window: MainWindow) -> EvidenceSheet:
    return window.cycle_header.sheet


def pinned(controller: CycleController) -> Evidence:
    return max(controller.book.all(Evidence), key=lambda each: each.number)


def runs_of(window: MainWindow) -> Any:
    overview = window.workspace.overview
    assert overview is not None
    return overview.runs


def series_called(window: MainWindow, tool: str, native: str, run: str = "") -> Any:
    found = browse.list_series(window.workspace.opened)
    return next(s for s in found if s.tool == tool and s.native == native and run in ("", s.run))


def show_whole_time_line(window: MainWindow, idle: Idle) -> Any:
    """It opens on the run whose captures print when they were measured; the vmstat of the run after prints nothing."""
    window.show_page("timeline")
    idle()
    page: Any = window.page("timeline")
    page.time.show_all()
    idle()
    return page


def evidence_list(window: MainWindow) -> EvidenceList:
    window.show_page("board", "evidence")
    page: Any = window.page("board")
    return page.evidence


# --- pinning
def test_a_window_of_the_time_line_is_pinned_and_found_again(
    qtbot: Any, window: MainWindow, controller: CycleController, sheet: EvidenceSheet, ids: dict[str, int], idle: Idle
) -> None:
    workspace = window.workspace
    info = series_called(window, "vmstat", "us", "19 July")
    workspace.selection.set_series([info.id])
    span = TimeRange(info.first_ns + 200_000_000, info.last_ns)
    workspace.selection.set_range(span)
    window.show_page("timeline")
    idle()
    qtbot.keyClick(window, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    assert sheet.isVisible() and sheet.caption.text() == info.label
    assert not sheet.parts.isVisible()
    sheet.caption.setText("CPU is busy")
    sheet.tree.tick(ids["cause"])
    qtbot.keyClick(sheet.caption, Qt.Key.Key_Return)
    made = pinned(controller)
    assert (made.code, made.caption, made.attached_to) == ("E-2", "CPU is busy", (ids["cause"],))
    assert made.target.kind is EvidenceKind.WINDOW and made.target.series == (info.id,)
    assert (made.target.start_ns, made.target.end_ns) == (span.start_ns, span.end_ns)
    assert not sheet.isVisible()
    assert window.messages.sentence() == "Pinned as E-2."

    workspace.selection.set_range(None)
    workspace.selection.set_series([])
    window.show_page("captures")
    show_evidence(workspace, made)
    idle()
    assert window.current_page == "timeline"
    assert workspace.selection.range == span.widened(0.5), "with what was before and after it"
    assert workspace.selection.series == (info.id,)

    workspace.undo.undo()
    assert pinned(controller).number == 1
    workspace.undo.redo()
    assert pinned(controller) == made


def test_series_of_two_runs_become_a_piece_each_in_one_step_of_undo(
    window: MainWindow, controller: CycleController, sheet: EvidenceSheet, idle: Idle
) -> None:
    both = [series_called(window, "vmstat", "us", run) for run in ("19 July", "after")]
    window.workspace.selection.set_series([info.id for info in both])
    show_whole_time_line(window, idle)
    window.cycle_header.pin()
    assert [sheet.parts.item(row).text().rpartition(" · ")[2] for row in range(sheet.parts.count())] == [
        "19 July",
        "after",
    ]
    sheet.pin()
    assert [each.target.run_id for each in controller.book.all(Evidence)[1:]] == [info.run_id for info in both]
    window.workspace.undo.undo()
    assert len(controller.book.all(Evidence)) == 1
    window.cycle_header.pin()
    sheet.parts.item(0).setCheckState(Qt.CheckState.Unchecked)
    sheet.pin()
    assert [each.target.run_id for each in controller.book.all(Evidence)[1:]] == [both[1].run_id]


def test_nothing_is_pinned_without_caption_or_parts(
    qtbot: Any, window: MainWindow, controller: CycleController, sheet: EvidenceSheet, idle: Idle
) -> None:
    both = [series_called(window, "vmstat", "us", run) for run in ("19 July", "after")]
    window.workspace.selection.set_series([info.id for info in both])
    show_whole_time_line(window, idle)
    window.cycle_header.pin()
    sheet.caption.setText("  ")
    assert not sheet.pin_button.isEnabled() and sheet.caption.property("state") == "wrong"
    sheet.caption.setText("새 근거")
    for row in range(2):
        sheet.parts.item(row).setCheckState(Qt.CheckState.Unchecked)
    assert not sheet.pin_button.isEnabled()
    qtbot.keyClick(sheet.caption, Qt.Key.Key_Return)
    qtbot.keyClick(sheet.caption, Qt.Key.Key_Escape)
    assert not sheet.isVisible()
    assert len(controller.book.all(Evidence)) == 1


def test_a_compared_row_is_pinned_on_both_sides(
    window: MainWindow, controller: CycleController, sheet: EvidenceSheet, idle: Idle
) -> None:
    runs = {view.run.label: view.run.id for view in runs_of(window)}
    window.workspace.selection.set_windows(run_window(runs["19 July"]), run_window(runs["after"]))
    window.show_page("compare")
    idle()
    page: Any = window.page("compare")
    assert page.chart.row is not None
    window.cycle_header.pin()
    sheet.pin()
    pieces = controller.book.all(Evidence)[1:]
    assert [each.target.run_id for each in pieces] == [runs["19 July"], runs["after"]]
    assert {each.caption for each in pieces} == {page.chart.row.series.label}


def test_a_capture_is_pinned_and_found_again(
    window: MainWindow, controller: CycleController, sheet: EvidenceSheet, idle: Idle
) -> None:
    artefact = runs_of(window)[0].artefacts[1]
    window.show_page("captures", artefact.id)
    window.cycle_header.pin()
    assert sheet.caption.text() == artefact.name
    sheet.pin()
    made = pinned(controller)
    assert (made.target.kind, made.target.artefact_id) == (EvidenceKind.CAPTURE, artefact.id)
    window.show_page("captures", runs_of(window)[0].artefacts[0].id)
    show_evidence(window.workspace, made)
    page: Any = window.page("captures")
    assert page.ledger.entry.artefact.id == artefact.id


def test_a_figure_of_the_success_case_is_pinned_and_found_again(
    window: MainWindow, controller: CycleController, sheet: EvidenceSheet
) -> None:
    window.show_page("engagement", ("measurements", "response_time"))
    window.cycle_header.pin()
    assert sheet.caption.text() == "Response time"
    sheet.pin()
    made = pinned(controller)
    assert made.target == EvidenceTarget(EvidenceKind.MEASUREMENT, key="response_time")
    page: Any = window.page("engagement")
    page.tabs.setCurrentIndex(0)
    show_evidence(window.workspace, made)
    assert page.tabs.currentWidget().isAncestorOf(page.measurements)
    assert page.measurements.chosen.key == "response_time"


def test_a_statement_is_pinned_in_both_runs_and_found_again(
    window: MainWindow, controller: CycleController, sheet: EvidenceSheet, idle: Idle
) -> None:
    for run, phase in (("before", Phase.BEFORE), ("after", Phase.AFTER)):
        path = FIXTURES / "pgbench" / phase.value / "pg_stat_statements.csv"
        imports.import_captures(window.workspace.opened, [path], ImportOptions(run=run, phase=phase))
    window.workspace.announce(Change.CAPTURES)
    window.show_page("statements")
    page: Any = window.page("statements")
    assert page.to_pin() is None
    idle()
    page.table.view.selectRow(1)
    (chosen,) = page.model.statements.pairs[page.table.place].before_ids
    window.cycle_header.pin()
    sheet.pin()
    pieces = controller.book.all(Evidence)[1:]
    runs = {view.run.label: view.run.id for view in runs_of(window)}
    assert [each.target.run_id for each in pieces] == [runs["before"], runs["after"]]
    assert {each.target.key for each in pieces} == {f"postgresql:{chosen}"}
    page.table.view.selectRow(0)
    window.show_page("captures")
    show_evidence(window.workspace, pieces[0])
    idle()
    assert window.current_page == "statements"
    assert page.model.statements.pairs[page.table.place].before_ids == (chosen,)


def test_a_range_that_was_dragged_is_pinned_without_zooming_into_it(
    window: MainWindow, controller: CycleController, sheet: EvidenceSheet, idle: Idle
) -> None:
    info = series_called(window, "vmstat", "us", "after")
    window.workspace.selection.set_series([info.id])
    page = show_whole_time_line(window, idle)
    view = page.view
    end_ns = (info.first_ns + info.last_ns) // 2
    page.range_panel.pinned.emit(ChartRange(info.first_ns, end_ns))
    sheet.pin()
    assert (pinned(controller).target.start_ns, pinned(controller).target.end_ns) == (info.first_ns, end_ns)
    assert page.view == view
    window.cycle_header.pin()
    sheet.pin()
    assert pinned(controller).target.end_ns == info.last_ns


def test_a_figure_leads_to_the_window_it_was_computed_from(
    window: MainWindow, controller: CycleController, idle: Idle
) -> None:
    from tunebench.domain.series_names import source_of

    workspace = window.workspace
    info = series_called(window, "vmstat", "us", "19 July")
    metric = Metric(0, 1, "CPU", source_of(info), "mean", "%", Direction.LOWER)
    run = next(view.run for view in runs_of(window) if view.run.label == "19 July")
    figure = figures.measured(workspace.opened, metric, run)
    show_figure(workspace, metric, figure)
    idle()
    assert window.current_page == "timeline"
    assert workspace.selection.series == (info.id,)
    assert figure.start_ns is not None and figure.end_ns is not None
    assert workspace.selection.range == TimeRange(figure.start_ns, figure.end_ns).widened(0.5)


# --- the list
def test_the_list_names_what_there_is_and_lets_the_caption_be_edited(
    qtbot: Any, window: MainWindow, controller: CycleController
) -> None:
    shown = evidence_list(window)
    assert [shown.model.index(0, column).data() for column in range(5)] == [
        "E-1",
        "The run after",
        "run",
        "after · –",
        "Small reads, Order time",
    ]
    assert shown.model.setData(shown.model.index(0, 1), "튜닝 후 측정")
    assert pinned(controller).caption == "튜닝 후 측정"
    assert window.workspace.undo.undoText() == "change evidence"
    window.workspace.undo.undo()
    assert shown.model.index(0, 1).data() == "The run after"
    assert not shown.model.setData(shown.model.index(0, 1), "   ")
    shown.table.setFocus()
    shown.table.setCurrentIndex(shown.model.index(0, 1))
    qtbot.keyClick(shown.table, Qt.Key.Key_F2)
    editor = shown.table.findChild(QLineEdit)
    qtbot.keyClicks(editor, "Typed")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: pinned(controller).caption == "Typed" and shown.table.hasFocus(), timeout=60_000)
    qtbot.keyClick(shown.table, Qt.Key.Key_Return)  # the keyboard is still there
    assert window.current_page == "timeline"


def test_a_caption_that_is_given_up_is_as_it_was(qtbot: Any, window: MainWindow, controller: CycleController) -> None:
    shown, undo = evidence_list(window), window.workspace.undo
    window.activateWindow()
    before, edits = pinned(controller), undo.count()

    def open_caption() -> QLineEdit:
        shown.table.setFocus()
        shown.table.setCurrentIndex(shown.model.index(0, 1))
        qtbot.keyClick(shown.table, Qt.Key.Key_F2)
        return next(field for field in shown.table.viewport().findChildren(QLineEdit) if field.isVisible())

    editor = open_caption()
    qtbot.keyClicks(editor, "Typed")
    qtbot.waitUntil(lambda: pinned(controller).caption == "Typed")
    qtbot.keyClick(editor, Qt.Key.Key_Escape)
    assert (pinned(controller), undo.count(), undo.canRedo()) == (before, edits, False)
    shown.model.setData(shown.model.index(0, 1), "Another")
    editor = open_caption()
    undo.undo()
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert pinned(controller) == before and undo.canRedo()


def test_ticking_ties_and_unties_at_once(
    qtbot: Any, window: MainWindow, controller: CycleController, ids: dict[str, int]
) -> None:
    shown = evidence_list(window)
    shown.tree.tick(ids["action"])
    qtbot.waitUntil(lambda: ids["action"] in pinned(controller).attached_to, timeout=60_000)
    shown.tree.tick(ids["cause"], False)
    qtbot.waitUntil(lambda: ids["cause"] not in pinned(controller).attached_to, timeout=60_000)
    assert pinned(controller).attached_to == (ids["top"], ids["action"])
    assert set(shown.tree.ticked()) == {ids["top"], ids["action"]}
    window.workspace.undo.undo()
    window.workspace.undo.undo()
    assert pinned(controller).attached_to == (ids["cause"], ids["top"])


def test_unpinning_can_be_undone_under_the_same_number(
    qtbot: Any, window: MainWindow, controller: CycleController
) -> None:
    shown, kept = evidence_list(window), pinned(controller)
    qtbot.keyClick(shown.table, Qt.Key.Key_Delete)
    assert not controller.book.all(Evidence)
    assert shown.currentIndex() == 1  # the invitation to pin
    window.workspace.undo.undo()
    assert pinned(controller) == kept and kept.code == "E-1"
    assert shown.currentIndex() == 0


def test_scopes_narrow_the_list(window: MainWindow, controller: CycleController, ids: dict[str, int]) -> None:
    shown = evidence_list(window)
    controller.attempt(lambda: continue_iteration(controller.book, ids["iteration"], "Second round"))
    shown.scope.setCurrentIndex(1)
    assert shown.model.rowCount() == 0 and shown.currentIndex() == 0
    controller.choose(ids["iteration"])
    assert shown.model.rowCount() == 1
    shown.scope.setCurrentIndex(2)
    assert shown.model.rowCount() == 0
    shown.choose(pinned(controller).id)
    assert shown.scope.currentIndex() == 0 and shown.chosen == pinned(controller)


def test_evidence_whose_series_vanished_is_kept_and_marked(
    qtbot: Any, window: MainWindow, controller: CycleController, ids: dict[str, int], idle: Idle
) -> None:
    info = series_called(window, "vmstat", "us", "19 July")
    target = EvidenceTarget(
        EvidenceKind.WINDOW,
        info.run_id,
        series=(99_999,),
        series_names=("gone|vmstat|us",),
        start_ns=info.first_ns,
        end_ns=info.last_ns,
    )
    with qtbot.waitSignal(controller.broken_changed, timeout=60_000):
        controller.edit(evidence.pin(controller.book, target, "Gone", (ids["cause"],)))
    shown = evidence_list(window)
    assert shown.model.index(1, 0).data() == "E-2 ▲"
    assert "gone|vmstat|us" in shown.model.index(1, 0).data(Qt.ItemDataRole.ToolTipRole)
    chips = EvidenceChips(window.workspace)
    qtbot.addWidget(chips)
    chips.show_for((ids["cause"],))
    assert [chip.text() for chip in chips.chips()] == ["E-1", "E-2 ▲"]
    show_evidence(window.workspace, pinned(controller))
    idle()
    assert "gone|vmstat|us" in window.messages.sentence()
    assert window.workspace.selection.range == TimeRange(info.first_ns, info.last_ns).widened(0.5)


def test_many_pieces_are_a_few_chips_and_a_link_to_the_rest(
    qtbot: Any, window: MainWindow, controller: CycleController, ids: dict[str, int]
) -> None:
    chips = EvidenceChips(window.workspace, most=2)
    qtbot.addWidget(chips)
    chips.show_for((ids["cause"],), "none")
    for number in range(3):
        target = EvidenceTarget(EvidenceKind.MEASUREMENT, key="response_time")
        controller.edit(evidence.pin(controller.book, target, f"figure {number}", (ids["cause"],)))
    assert [chip.text() for chip in chips.chips()] == ["E-1", "E-2", "+2"]
    chips.chips()[-1].click()
    page: Any = window.page("board")
    assert window.current_page == "board" and page.evidence.chosen.code == "E-3"
    chips.show_for((ids["gets"],), "none")
    assert not chips.chips()


def test_a_project_that_cannot_be_written_is_only_read(
    window: MainWindow, controller: CycleController, project_file: Path, ids: dict[str, int]
) -> None:
    window.controller.close()
    holder = projects.open_(project_file)
    assert window.controller.open(project_file)
    shown = evidence_list(window)
    assert not controller.writable
    assert not shown.remove_button.isEnabled() and shown.show_button.isEnabled()
    assert not shown.model.flags(shown.model.index(0, 1)) & Qt.ItemFlag.ItemIsEditable
    assert not window.workspace.commands.action("evidence.pin").isEnabled()
    shown.remove_chosen()
    assert controller.book.all(Evidence)
    window.controller.close()
    projects.close(holder)


def test_the_sheet_needs_something_chosen_and_goes_with_the_page(
    window: MainWindow, controller: CycleController, sheet: EvidenceSheet
) -> None:
    window.show_page("board")
    window.cycle_header.pin()
    assert not sheet.isVisible()
    assert window.messages.sentence().startswith("Choose first what it is about")
    artefact = runs_of(window)[0].artefacts[0]
    window.show_page("captures", artefact.id)
    window.cycle_header.pin()
    assert sheet.isVisible()
    window.show_page("timeline")
    assert not sheet.isVisible()
    window.show_page("captures")
    window.cycle_header.pin()
    window.workspace.announce(Change.OPENED)
    assert not sheet.isVisible()


def test_what_is_of_another_iteration_says_so(qtbot: Any, controller: CycleController, ids: dict[str, int]) -> None:
    """A cause that was carried over is called as before."""
    id_ = ids["iteration"]
    assert controller.attempt(lambda: continue_iteration(controller.book, id_, "Second", on="2026-08-01", by="Kim"))
    tree = EvidenceTree()
    qtbot.addWidget(tree)
    tree.fill(controller.book, controller.iteration, (ids["cause"],), True)
    words = [item.text(0) for item in tree.items()]
    assert "Small reads" in words and "Small reads (Iteration 1)" in words
