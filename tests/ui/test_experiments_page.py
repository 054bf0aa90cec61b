"""The page of experiments: planned, typed, pasted, excluded, undone and read, by mouse and keyboard."""

from __future__ import annotations

import csv
import math
import shutil
from collections.abc import Callable
from pathlib import Path
from statistics import fmean, variance
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLineEdit, QTableView, QWidget
from scipy import stats

from tunebench.domain.connection import HostProfile
from tunebench.domain.cycle.evidence import Evidence, EvidenceKind
from tunebench.domain.engagement import Direction, Engagement, Phase
from tunebench.domain.experiments.records import (
    CacheState,
    Experiment,
    Factor,
    Inserted,
    Level,
    Response,
    RunOrder,
    Statistic,
    TrialState,
)
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.experiments.dialogs import MatrixDialog, TakeDialog
from tunebench.ui.experiments.plan_draft import experiment_with_responses, inserts_of, inserts_words, response_rows
from tunebench.ui.experiments.runs_view import ReasonDialog
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.pages.capture_page import CapturePage
from tunebench.ui.pages.experiments_page import TABS, ExperimentsPage
from tunebench.ui.tables.grid_editor import CellText
from tunebench.usecases import projects
from tunebench.usecases.experiments import applying, planning, recording
from tunebench.usecases.experiments import examples as experiment_examples
from tunebench.usecases.experiments.matrices import find_matrix, matrices
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
# sixteen runs: b needs half the time of a, and no run of b is as slow as any of a
SLOW = (10.0, 10.2, 10.4, 10.1, 10.3, 10.6, 10.5, 10.7)
FAST = (5.0, 5.1, 5.2, 5.05, 5.15, 5.3, 5.25, 5.35)


@pytest.fixture(scope="module")
def lab(services: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `path` is a copy of: nobody writes into it."""
    file = tmp_path_factory.mktemp("lab") / "lab.tune"
    project = projects.create(file, Engagement("Lab", "ACME", language="en", consultants=("Kim",)))
    applying.apply(project, experiment_examples.example_edit("fs-copy", "en"))
    mount = Factor("mount", (Level("default"), Level("noatime")))
    planned = Experiment(
        0,
        "Mount options",
        (mount,),
        (Response("real_s", "s"), Response("tps", "1/s", Direction.HIGHER)),
        repetitions=8,
        order=RunOrder.ABAB,
        caches=(CacheState.COLD,),
    )
    applying.apply(project, planning.add(planned))
    imports.import_captures(
        project,
        [FIXTURES / "benchmarks" / "sysbench-oltp_read_write.txt"],
        ImportOptions(run="bench", phase=Phase.BEFORE),
    )
    projects.close(project)
    return file


@pytest.fixture
def path(lab: Path, tmp_path: Path) -> Path:
    """The file-system example of the literature, one run each; and an experiment of two mount options, planned."""
    return Path(shutil.copy(lab, tmp_path / "lab.tune"))


@pytest.fixture
def page(window: MainWindow, path: Path, idle: Callable[[], None]) -> ExperimentsPage:
    assert window.controller.open(path)
    window.show_page("experiments")
    idle()
    found = window.page("experiments")
    assert isinstance(found, ExperimentsPage)
    return found


def click(qtbot: Any, widget: QWidget) -> None:
    assert widget.isVisible() and widget.isEnabled()
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)


def choose_tab(qtbot: Any, page: ExperimentsPage, name: str) -> None:
    qtbot.mouseClick(page.tabs, Qt.MouseButton.LeftButton, pos=page.tabs.tabRect(TABS.index(name)).center())


def choose_experiment(qtbot: Any, page: ExperimentsPage, title: str) -> None:
    row = next(r for r in range(page.list.list.count()) if page.list.list.item(r).text().startswith(title))
    place = page.list.list.visualItemRect(page.list.list.item(row)).center()
    qtbot.mouseClick(page.list.list.viewport(), Qt.MouseButton.LeftButton, pos=place)


def type_into(qtbot: Any, table: QTableView, row: int, column: int, words: str) -> None:
    place = table.model().index(row, column)
    table.scrollTo(place)
    table.setCurrentIndex(place)
    table.setFocus()
    table.edit(place)
    editor = QApplication.focusWidget()
    assert isinstance(editor, QLineEdit | CellText)
    editor.selectAll()
    qtbot.keyClicks(editor, words)
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: table.state() != QTableView.State.EditingState, timeout=60_000)


def plan_of(page: ExperimentsPage) -> Experiment:
    assert page.controller.experiment is not None
    return page.controller.experiment


def title_is(page: ExperimentsPage) -> str:
    return plan_of(page).title


def states(page: ExperimentsPage) -> list[str]:
    return [trial.state.value for trial in page.controller.trials]


def at(page: ExperimentsPage, row: int, response: int = 0) -> Any:
    return page.runs.table.trials.index(row, page.runs.table.trials.first_response + response)


def test_published_single_runs_are_described_and_not_judged(page: ExperimentsPage, qtbot: Any) -> None:
    """Real times of the KLDP article: ext3 16m50.876s before xfs 20m54.124s; 1010.876 / 1254.124 = 0.81."""
    choose_tab(qtbot, page, "results")
    said = page.results.verdict.text()
    assert "descriptive only" in said and said[0] == "◇" and "0.81 times against" in said
    table = page.results.ranking.table.filter
    rows = [[str(table.index(r, c).data()) for c in range(table.columnCount())] for r in range(table.rowCount())]
    assert [row[1].split(" ")[0] for row in rows] == ["ext3", "xfs", "reiserfs", "ext3", "ext3"]
    assert {row[0] for row in rows} == {"–"} and {row[4] for row in rows} == {"–"}  # no place, no interval at n = 1
    assert any("noatime was added together" in each for each in page.results.cautions.sentences)
    page.results.show_view("waiting")
    first = page.results.waiting.table.filter
    # 1010.876 - 3.810 - 84.550 = 922.516 s
    assert first.index(0, 5).data() == "922.5"


def test_two_factors_show_what_was_not_measured_and_warn_of_mixed_means(page: ExperimentsPage, qtbot: Any) -> None:
    choose_tab(qtbot, page, "results")
    page.results.show_view("factors")
    view = page.results.factors
    assert view.mixed.isVisible()
    box = view.held[2]
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Down)  # mount = default
    box.activated.emit(box.currentIndex())
    assert not view.mixed.isVisible()
    assert "ext3 4K: 1,011" in view.heat.accessibleName() and "xfs 512: –" in view.heat.accessibleName()


def test_values_typed_into_cells_are_kept_and_undone(page: ExperimentsPage, qtbot: Any, window: MainWindow) -> None:
    choose_experiment(qtbot, page, "Mount options")
    choose_tab(qtbot, page, "runs")
    table = page.runs.table
    type_into(qtbot, table, 0, table.trials.first_response, "1m2.5s")
    assert page.controller.trials[0].value("real_s") == 62.5
    note = next(place for place, each in enumerate(table.trials.columns) if each.id == "note")
    assert table.trials.index(0, note).data() == "Not measured: tps" and not table.trials.index(1, note).data()
    assert table.currentIndex().row() == 1  # Enter leads to the next trial
    type_into(qtbot, table, 0, table.trials.first_response + 1, "1,250")
    assert page.controller.trials[0].value("tps") == 1250 and states(page)[0] == "done"
    assert not table.trials.index(0, note).data()
    qtbot.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert states(page)[0] == "planned"
    window.workspace.undo.redo()
    assert page.controller.trials[0].value("real_s") == 62.5


def test_a_word_that_is_no_number_is_refused_in_a_sentence(
    page: ExperimentsPage, qtbot: Any, window: MainWindow
) -> None:
    said: list[str] = []
    window.workspace.said.connect(lambda _tone, words: said.append(words))
    choose_experiment(qtbot, page, "Mount options")
    choose_tab(qtbot, page, "runs")
    type_into(qtbot, page.runs.table, 0, page.runs.table.trials.first_response, "fast")
    assert "fast" in said[-1] and "real_s" in said[-1]
    assert page.controller.trials[0].state is TrialState.PLANNED


def test_a_refused_word_does_not_take_the_keys_of_a_page_that_was_gone_to(
    page: ExperimentsPage, qtbot: Any, window: MainWindow, idle: Callable[[], None]
) -> None:
    window.activateWindow()
    choose_experiment(qtbot, page, "Mount options")
    choose_tab(qtbot, page, "runs")
    table = page.runs.table
    table.setCurrentIndex(at(page, 0))
    table.setFocus()
    qtbot.keyClicks(table, "f")
    window.show_page("cycle")
    idle()
    assert not isinstance(QApplication.focusWidget(), CellText)
    assert table.state() == QTableView.State.NoState and not window.workspace.unsaved


def test_keys_leave_the_table_at_the_last_column_that_is_shown(
    page: ExperimentsPage, qtbot: Any, window: MainWindow
) -> None:
    """Reason and note have columns only where a trial has one."""
    window.activateWindow()
    choose_experiment(qtbot, page, "Mount options")
    choose_tab(qtbot, page, "runs")
    table = page.runs.table
    shown = [index for index in range(table.trials.columnCount()) if not table.isColumnHidden(index)]
    assert shown[-1] < table.trials.columnCount() - 1
    table.setFocus()
    table.setCurrentIndex(table.trials.index(table.trials.rowCount() - 1, shown[-1]))
    qtbot.keyClick(table, Qt.Key.Key_Tab)
    assert not table.hasFocus()


def test_the_cursor_leaves_a_column_that_undo_takes_away(page: ExperimentsPage, qtbot: Any, window: MainWindow) -> None:
    choose_experiment(qtbot, page, "Mount options")
    choose_tab(qtbot, page, "runs")
    table, controller = page.runs.table, page.controller
    reason = next(index for index, column in enumerate(table.trials.columns) if column.id == "reason")
    controller.attempt(lambda: recording.fail(controller.book, controller.trials[0].id, "disk full", "Kim"))
    table.setFocus()
    table.setCurrentIndex(table.trials.index(0, reason))
    window.workspace.undo.undo()
    assert table.isColumnHidden(reason) and table.currentIndex().column() == table.trials.first_response
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert table.currentIndex().row() == 1


def test_what_was_copied_goes_back_over_columns_that_are_not_shown(
    page: ExperimentsPage, qtbot: Any, window: MainWindow
) -> None:
    said: list[str] = []
    window.workspace.said.connect(lambda _tone, words: said.append(words))
    choose_experiment(qtbot, page, "Mount options")
    choose_tab(qtbot, page, "runs")
    table = page.runs.table
    type_into(qtbot, table, 0, table.trials.first_response, "62.5")
    before = page.controller.trials
    table.selectAll()
    table.copy()
    table.setCurrentIndex(table.trials.index(0, 0))
    table.paste()
    assert (said, page.runs.problems.sentences(), page.controller.trials) == ([], (), before)


def test_a_failure_stands_where_a_value_was_typed_and_given_up(
    page: ExperimentsPage, qtbot: Any, window: MainWindow
) -> None:
    window.activateWindow()
    choose_experiment(qtbot, page, "Mount options")
    choose_tab(qtbot, page, "runs")
    table, controller = page.runs.table, page.controller
    controller.attempt(lambda: recording.fail(controller.book, controller.trials[0].id, "disk full", "Kim"))
    failed, edits = controller.trials[0], window.workspace.undo.count()
    table.setCurrentIndex(at(page, 0))
    table.setFocus()
    qtbot.keyClicks(table, "5")
    qtbot.waitUntil(lambda: controller.trials[0].state is TrialState.DONE)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert controller.trials[0] == failed and window.workspace.undo.count() == edits


def paste(qtbot: Any, page: ExperimentsPage, row: int, words: str) -> None:
    QGuiApplication.clipboard().setText(words)
    page.runs.table.setCurrentIndex(at(page, row))
    page.runs.table.setFocus()
    qtbot.keyClick(page.runs.table, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)


def paste_both(qtbot: Any, page: ExperimentsPage) -> None:
    lines = [f"{value}\t{1000 / value}" for pair in zip(SLOW, FAST, strict=True) for value in pair]
    paste(qtbot, page, 0, "\n".join(lines) + "\n")


def test_a_pasted_block_is_one_edit_and_gives_a_verdict(
    page: ExperimentsPage, qtbot: Any, idle: Callable[[], None], window: MainWindow
) -> None:
    """Of one other combination the adjusted p is that of its t, with 14 degrees of freedom and 1 that is assumed."""
    choose_experiment(qtbot, page, "Mount options")
    choose_tab(qtbot, page, "runs")
    before = window.workspace.undo.count()
    paste_both(qtbot, page)
    idle()
    assert window.workspace.undo.count() == before + 1
    assert sum(trial.stands for trial in page.controller.trials) == 16
    choose_tab(qtbot, page, "results")
    assert page.results.verdict.text().startswith("▲ better than the reference")
    assert "noatime" in page.results.verdict.text()
    shown = page.results.ranking.table.filter
    assert [shown.index(r, 0).data() for r in range(2)] == ["1", "2"]
    slow, fast = ([math.log(value) for value in side] for side in (SLOW, FAST))
    sd = math.sqrt((7 * variance(slow) + 7 * variance(fast) + 0.05**2) / 15)
    p = 2 * stats.t.sf((fmean(slow) - fmean(fast)) / (sd / 2), 15)
    assert [shown.index(0, c).data() for c in (7, 9)] == [f"{100 * sd:.1f} % (measured)", f"{p:.2g}"]
    window.workspace.undo.undo()
    assert not any(trial.stands for trial in page.controller.trials)


def test_a_block_that_is_too_large_is_refused_whole(page: ExperimentsPage, qtbot: Any, window: MainWindow) -> None:
    said: list[str] = []
    window.workspace.said.connect(lambda _tone, words: said.append(words))
    choose_experiment(qtbot, page, "Mount options")
    choose_tab(qtbot, page, "runs")
    paste(qtbot, page, 10, "1\n" * 7)
    assert said[-1].startswith("row 17 · real_s [s]: The table has no cell for '1'")
    assert not any(trial.is_recorded for trial in page.controller.trials)


def test_a_result_is_excluded_with_reason_and_name(page: ExperimentsPage, qtbot: Any, idle: Callable[[], None]) -> None:
    choose_experiment(qtbot, page, "Mount options")
    choose_tab(qtbot, page, "runs")
    paste_both(qtbot, page)
    page.runs.table.setCurrentIndex(at(page, 1))

    def answer() -> None:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, ReasonDialog)
        assert not dialog.ok.isEnabled() and dialog.person.text() == "Kim"
        qtbot.keyClicks(dialog.reason, "backup ran meanwhile")
        click(qtbot, dialog.ok)

    QTimer.singleShot(50, answer)
    click(qtbot, page.runs.buttons["exclude"])
    idle()
    left_out = page.controller.trials[1]
    assert (left_out.state, left_out.reason, left_out.decided_by) == (
        TrialState.EXCLUDED,
        "backup ran meanwhile",
        "Kim",
    )
    assert left_out.value("real_s") == FAST[0]
    part = page.results.part
    assert part is not None
    figures = next(each for each in part.cells if each.cell == ("noatime",))
    assert figures.n == 7 and figures.excluded == 1
    page.runs.table.setCurrentIndex(at(page, 1))
    click(qtbot, page.runs.buttons["restore"])
    assert page.controller.trials[1].stands


def test_a_capture_gives_its_result_with_the_line(page: ExperimentsPage, qtbot: Any) -> None:
    """transactions: 10876  (724.08 per sec.) of sysbench; its summary begins in line 24 of the capture."""
    choose_experiment(qtbot, page, "Mount options")
    choose_tab(qtbot, page, "runs")

    def answer() -> None:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, TakeDialog) and dialog.chosen_window is None
        dialog.window_box.setCurrentIndex(0)
        dialog.window_box.activated.emit(0)
        assert dialog.chosen_window is not None and dialog.captures.count() == 1
        dialog.captures.item(0).setCheckState(Qt.CheckState.Checked)
        dialog.levels[0].setCurrentText("noatime")
        click(qtbot, dialog.ok)

    QTimer.singleShot(50, answer)
    click(qtbot, page.runs.buttons["take"])
    taken = [trial for trial in page.controller.trials if trial.is_recorded]
    assert [(trial.cell, trial.value("tps"), trial.line) for trial in taken] == [(("noatime",), 724.08, 24)]


def test_a_new_experiment_is_planned_in_the_form(page: ExperimentsPage, qtbot: Any, window: MainWindow) -> None:
    click(qtbot, page.list.new_button)
    assert title_is(page) == "New experiment" and len(page.controller.trials) == 20
    field = page.plan.fields["title"]
    field.selectAll()
    qtbot.keyClicks(field, "Buffer pool")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    type_into(qtbot, page.plan.factors, 0, 0, "pool")
    assert [factor.name for factor in plan_of(page).factors] == ["pool"]
    type_into(qtbot, page.plan.levels, 0, 0, "4")
    type_into(qtbot, page.plan.levels, 1, 0, "8")
    type_into(qtbot, page.plan.levels, 2, 0, "12")
    assert [level.value for level in plan_of(page).factors[0].levels] == [4, 8, 12]
    assert len(page.controller.trials) == 30 and title_is(page) == "Buffer pool"
    window.workspace.undo.undo()
    assert len(plan_of(page).factors[0].levels) == 2


def test_what_is_wrong_is_said_at_the_field(page: ExperimentsPage, qtbot: Any) -> None:
    choose_experiment(qtbot, page, "Mount options")
    field = page.plan.fields["repetitions"]
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "many")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert page.plan.problems["repetitions"].isVisible() and field.words() == "many"
    assert plan_of(page).repetitions == 8
    type_into(qtbot, page.plan.factors, 1, 0, "block")
    assert "block" in page.plan.problems["factors"].text()  # a factor without a level
    type_into(qtbot, page.plan.levels, 0, 0, "4K")
    assert not page.plan.problems["factors"].isVisible()
    assert [factor.name for factor in plan_of(page).factors] == ["mount", "block"]


def test_what_is_wrong_in_one_part_of_the_plan_outlasts_edits_of_another(page: ExperimentsPage, qtbot: Any) -> None:
    choose_experiment(qtbot, page, "Mount options")
    before = plan_of(page).factors
    type_into(qtbot, page.plan.levels, 0, 1, "abc")
    wrong = page.plan.problems["factors"].text()
    assert "default" in wrong and plan_of(page).factors == before
    type_into(qtbot, page.plan.responses, 0, 4, "Elapsed")
    assert plan_of(page).responses[0].title == "Elapsed"
    assert page.plan.levels.rows[0][1] == "abc" and page.plan.problems["factors"].text() == wrong
    type_into(qtbot, page.plan.levels, 0, 1, "5")
    assert plan_of(page).factors[0].levels[0].value == 5 and not page.plan.problems["factors"].isVisible()


def test_a_level_that_is_typed_goes_with_its_factor(page: ExperimentsPage, qtbot: Any, window: MainWindow) -> None:
    choose_experiment(qtbot, page, "Mount options")
    type_into(qtbot, page.plan.factors, 1, 0, "block")
    type_into(qtbot, page.plan.levels, 0, 0, "4K")
    page.plan.factors.setCurrentIndex(page.plan.factors.cells.index(1, 0))
    levels = page.plan.levels
    levels.setFocus()
    levels.setCurrentIndex(levels.cells.index(1, 0))
    qtbot.keyClicks(levels, "q")
    window.workspace.undo.undo()
    assert [factor.name for factor in plan_of(page).factors] == ["mount"]
    assert not any(part.isVisible() for part in levels.viewport().findChildren(CellText))
    assert [level.name for level in plan_of(page).factors[0].levels] == ["default", "noatime"]


def paste_into(qtbot: Any, table: QTableView, row: int, column: int, words: str) -> None:
    QGuiApplication.clipboard().setText(words)
    table.setCurrentIndex(table.model().index(row, column))
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)


def test_levels_come_from_a_spreadsheet_as_they_stand_there(page: ExperimentsPage, qtbot: Any) -> None:
    """With their headings, and a formula that a spreadsheet shows with an apostrophe."""
    choose_experiment(qtbot, page, "Mount options")
    block = "Level\tAs a number\tIn the command\n4\t\t-o commit=5\n8\t8192\t'=8*1024\n"
    headings = [str(page.plan.levels.cells.headerData(at, Qt.Orientation.Horizontal)) for at in range(3)]
    block = block.replace("Level\tAs a number\tIn the command", "\t".join(headings))
    paste_into(qtbot, page.plan.levels, 0, 0, block)
    levels = plan_of(page).factors[0].levels
    assert [(level.name, level.value, level.insert) for level in levels] == [
        ("4", 4.0, "-o commit=5"),
        ("8", 8192.0, "=8*1024"),
    ]


def test_rows_go_when_they_are_emptied_or_taken_out(page: ExperimentsPage, qtbot: Any) -> None:
    choose_experiment(qtbot, page, "Mount options")
    table = page.plan.levels
    paste_into(qtbot, table, 2, 0, "relatime\nstrictatime\nlazytime\n")
    assert [row[0] for row in table.rows] == ["default", "noatime", "relatime", "strictatime", "lazytime"]
    place = table.cells.index(3, 0)
    table.setCurrentIndex(place)
    table.edit(place)
    editor = QApplication.focusWidget()
    assert isinstance(editor, CellText)
    editor.selectAll()
    qtbot.keyClick(editor, Qt.Key.Key_Delete)
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert [level.name for level in plan_of(page).factors[0].levels] == ["default", "noatime", "relatime", "lazytime"]
    table.setCurrentIndex(table.cells.index(2, 0))
    qtbot.keyClick(table, Qt.Key.Key_Delete, Qt.KeyboardModifier.ControlModifier)
    assert [level.name for level in plan_of(page).factors[0].levels] == ["default", "noatime", "lazytime"]


def test_a_direction_that_there_is_not_is_refused_with_all_that_came_with_it(page: ExperimentsPage, qtbot: Any) -> None:
    choose_experiment(qtbot, page, "Mount options")
    before = plan_of(page).responses
    paste_into(qtbot, page.plan.responses, 0, 0, "elapsed\ts\tsideways\n")
    assert plan_of(page).responses == before and page.plan.responses.rows[0][0] == "real_s"
    assert page.plan.problems["responses"].isVisible() and "sideways" in page.plan.problems["responses"].text()
    paste_into(qtbot, page.plan.responses, 0, 0, "elapsed\ts\thigher\n")
    assert plan_of(page).responses[0].name == "elapsed" and not page.plan.problems["responses"].isVisible()
    assert plan_of(page).responses[0].direction is Direction.HIGHER


def test_the_same_seed_gives_the_same_order_and_results_stay(page: ExperimentsPage, qtbot: Any) -> None:
    choose_experiment(qtbot, page, "Mount options")
    choose_tab(qtbot, page, "runs")
    type_into(qtbot, page.runs.table, 0, page.runs.table.trials.first_response, "10")
    choose_tab(qtbot, page, "plan")
    box = page.plan.order
    box.setCurrentIndex(box.findData("random"))
    box.activated.emit(box.currentIndex())
    first = [trial.cell for trial in page.controller.trials]
    assert page.controller.trials[0].value("real_s") == 10 and len(first) == 16
    field = page.plan.fields["seed"]
    for seed in ("2", "1"):
        field.setFocus()
        field.selectAll()
        qtbot.keyClicks(field, seed)
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert [trial.cell for trial in page.controller.trials] == first


def test_an_example_is_added_from_the_menu_and_removed_by_undo(
    page: ExperimentsPage, qtbot: Any, idle: Callable[[], None], window: MainWindow
) -> None:
    page.list.fill_examples()
    actions = page.list.examples.actions()
    examples = len(experiment_examples.examples("en"))
    assert len(actions) == examples + len(matrices("en")) + 2  # the headings of both
    next(each for each in actions[-examples:] if "nm" in each.text()).trigger()
    idle()
    assert page.list.list.count() == 3 and "nm" in title_is(page)
    assert page.tabs.currentIndex() == TABS.index("results")
    window.workspace.undo.undo()
    assert page.list.list.count() == 2


def test_runs_and_figures_are_written_as_csv(page: ExperimentsPage, tmp_path: Path) -> None:
    page.export("trials", tmp_path / "trials.csv")
    page.export("figures", tmp_path / "figures.csv")
    with (tmp_path / "trials.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["real_s"] for row in rows] == ["1010.876", "1254.124", "1264.183", "1613.852", "2444.897"]
    with (tmp_path / "figures.csv").open(encoding="utf-8-sig", newline="") as file:
        assert {row["verdict"] for row in csv.DictReader(file)} >= {"descriptive_only"}


def test_a_project_that_is_only_read_is_locked(window: MainWindow, path: Path, idle: Callable[[], None]) -> None:
    held = projects.open_(path)
    try:
        assert window.controller.open(path)
        window.show_page("experiments")
        idle()
        page = window.page("experiments")
        assert isinstance(page, ExperimentsPage)
        assert not page.list.new_button.isEnabled() and not page.plan.remove_button.isEnabled()
        assert page.plan.fields["title"].isReadOnly()
        assert not page.runs.table.trials.flags(at(page, 0)) & Qt.ItemFlag.ItemIsEditable
        assert page.plan.factors.entries.rowCount() == 3  # no row to add one
        assert "descriptive only" in page.results.verdict.text()
    finally:
        projects.close(held)


@pytest.mark.parametrize(("code", "mode"), [("ko", "light"), ("en", "dark")])
def test_everything_is_drawn_in_both_languages_and_themes(
    page: ExperimentsPage, look: Any, qtbot: Any, idle: Callable[[], None], code: str, mode: str
) -> None:
    from tunebench.ui.look.language import language
    from tunebench.ui.look.theme import ThemeMode, themes

    language().switch(code)
    themes().set_mode(ThemeMode(mode))
    choose_tab(qtbot, page, "results")
    for view in ("ranking", "factors", "waiting"):
        page.results.show_view(view)
        assert not page.results.grab().isNull()
    words = page.results.verdict.text() + page.results.tabs.tabText(0) + page.runs.standing.text()
    assert "(ui." not in words and "⟨" not in words
    assert ("판정" in words) == (code == "ko")
    assert page.mapTo(page.window(), QPoint(page.width(), 0)).x() <= page.window().width()


# -- ready experiments, and runs on a host -------------------------------------------------------------------


def test_a_ready_experiment_is_set_added_and_planned_for_a_host(
    page: ExperimentsPage, window: MainWindow, idle: Callable[[], None]
) -> None:
    dialog = MatrixDialog(find_matrix("fio-depth-block", "en"), window)
    assert dialog.only == {} and dialog.values["work"] == "randread"
    dialog.settings["file"].setText("/data/x")
    dialog.levels["block"].setText("4k | 1m")
    page.add_matrix("fio-depth-block", dialog.values, dialog.only)
    dialog.deleteLater()
    idle()
    experiment = page.controller.experiment
    assert experiment is not None and "--filename=/data/x" in experiment.command
    assert [level.name for level in experiment.factors[0].levels] == ["4k", "1m"]
    assert page.plan.fields["expected"].words() == '"bs" : "{block}"\n"iodepth" : "{depth}"'
    assert page.plan.fields["beside"].words() == "linux.vmstat\nlinux.iostat"
    page.runs.run_on(HostProfile("db1", "127.0.0.1", 1, "oracle", os="linux"), 3, 30.0)
    idle()
    collect = window.findChild(CapturePage)
    assert collect is not None
    plan = collect.plan.draft.plan
    assert plan is not None and plan.run == experiment.title
    lines = [each for each in plan.commands if each.limit_s is not None]
    assert len(lines) == 3 and all(each.limit_s == 30.0 and "--filename=/data/x" in each.tool_line for each in lines)
    assert lines[0].tool_line in collect.plan.approval.text.commands_text()


def test_files_statements_and_sources_of_figures_are_typed(page: ExperimentsPage, idle: Callable[[], None]) -> None:
    field = page.plan.fields["inserts"]
    field.setPlainText("/etc/my.cnf\n    [mysqld]\n      x={mount}\n|mysql -N\n    SET GLOBAL y = 1;")  # type: ignore[union-attr]
    page.plan._on_field("inserts")
    page.plan.fields["limit_s"].setText("90")  # type: ignore[union-attr]
    page.plan._on_field("limit_s")
    idle()
    experiment = page.controller.experiment
    assert experiment is not None
    assert experiment.inserts == (
        Inserted("/etc/my.cnf", "[mysqld]\n  x={mount}"),
        Inserted("|mysql -N", "SET GLOBAL y = 1;"),
    )
    assert experiment.limit_s == 90.0 and inserts_of(inserts_words(experiment.inserts)) == experiment.inserts
    rows = [list(row) for row in response_rows(experiment)]
    rows[-1][3] = "vmstat us@mean"
    changed = experiment_with_responses(experiment, rows)
    assert (changed.responses[-1].figure, changed.responses[-1].statistic) == ("vmstat us", Statistic.MEAN)
    assert response_rows(changed)[-1][3] == "vmstat us@mean"


def test_the_analysis_is_pinned_by_its_button(page: ExperimentsPage, window: MainWindow, qtbot: Any) -> None:
    chosen = page.controller.experiment
    assert chosen is not None
    click(qtbot, page.pin_button)
    window.cycle_header.sheet.pin()
    (evidence,) = CycleController.of(window.workspace).book.all(Evidence)
    assert (evidence.caption, evidence.target.kind, evidence.target.key) == (
        chosen.title,
        EvidenceKind.EXPERIMENT,
        str(chosen.id),
    )
