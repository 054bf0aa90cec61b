"""Windows as a person keeps them: picked, named, changed, excluded from, taken back; whatever shows a figure follows."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt

from tests.ui.cycle_page_hand import add, begun, here, panel_of, press
from tests.ui.made_engagement import SEOUL
from tests.unit.usecases import daily_captures
from tunebench.analysis.comparing.equal_load import LoadCurve, LoadPart, PartLevel
from tunebench.analysis.exploring.time_range import TimeRange
from tunebench.core.messages import catalogue
from tunebench.domain.comparability import Check, CheckState
from tunebench.domain.cycle.records import DailyWindow, Figure, Metric, StepNumber, Target
from tunebench.domain.engagement import Direction, Engagement, Phase
from tunebench.domain.series_names import source_of
from tunebench.domain.windows import Exclusion, Window, WindowLoad, WindowRole, run_window
from tunebench.ui.comparing.window_book import WindowBook, free_name
from tunebench.ui.comparing.window_editor import UnclearLine, WindowEditor, read_stretch
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.look.language import language, text
from tunebench.ui.pages.capacity_page import CapacityPage
from tunebench.ui.pages.captures_page import CapturesPage
from tunebench.ui.pages.compare_page import ComparePage
from tunebench.ui.pages.findings_page import FindingsPage
from tunebench.ui.pages.timeline_page import TimelinePage
from tunebench.ui.undo import AddNote, NoteNumbers, NoteTarget
from tunebench.ui.widgets.navigator import Navigator
from tunebench.ui.workspace import Change
from tunebench.usecases import browse, projects
from tunebench.usecases.comparing import windows
from tunebench.usecases.cycle import applying
from tunebench.usecases.cycle.figures import Broken, figure_of
from tunebench.usecases.findings.diagnose import diagnose
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions

PEAK, PEAK_AFTER = "Peak before", "Peak after"


def ns(words: str) -> int:
    return int(datetime.fromisoformat(words).replace(tzinfo=SEOUL).timestamp()) * 1_000_000_000


@pytest.fixture(scope="module")
def imported(services: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `made` is a copy of: nobody writes into it."""
    home = tmp_path_factory.mktemp("kept")
    path = home / "acme.tune"
    project = projects.create(path, Engagement("2026 tuning", "ACME", zone="Asia/Seoul"))
    for label, phase, first in (("July 6", Phase.BEFORE, 6), ("July 13", Phase.AFTER, 13)):
        folder = home / label
        folder.mkdir()
        for day in range(first, first + 3):
            daily_captures.sar_day(folder, datetime(2026, 7, day), first_row=day * 144, rows=140)
        imports.import_captures(project, [folder], ImportOptions(run=label, phase=phase))
    projects.close(project)
    return path


@pytest.fixture
def made(imported: Path, tmp_path: Path) -> Path:
    """Three days before and the same weekdays a week later, of sar; no window is kept yet."""
    return Path(shutil.copy(imported, tmp_path / "acme.tune"))


@pytest.fixture
def kept(made: Path) -> Path:
    """With a window on either side: 09:00 to 12:00 of these days."""
    project = projects.open_(made)
    for name, role, first in ((PEAK, WindowRole.BEFORE, 6), (PEAK_AFTER, WindowRole.AFTER, 13)):
        days = windows.of_days(
            project,
            frozenset(range(5)),
            DailyWindow("09:00", "12:00"),
            datetime(2026, 7, first).date(),
            datetime(2026, 7, first + 2).date(),
        )
        applying.apply(project, windows.add(project, Window(0, name, role, occurrences=days.occurrences)))
    projects.close(project)
    return made


def open_compare(window: MainWindow, path: Path, idle: Callable[[], None]) -> ComparePage:
    assert window.controller.open(path)
    window.show_page("compare")
    idle()
    page = window.page("compare")
    assert isinstance(page, ComparePage)
    return page


def listed(picker: Any) -> list[str]:
    return [picker.itemText(place) for place in range(picker.count()) if picker.itemText(place)]


def counts(page: ComparePage) -> set[tuple[int, int] | None]:
    assert page.comparison is not None
    return {row.occurrences for row in page.comparison.rows}


def editor_of(window: MainWindow) -> WindowEditor:
    (found,) = [each for each in window.findChildren(WindowEditor) if each.isVisible()]
    return found


def test_the_last_kept_windows_are_the_sides_of_a_project_just_opened(
    window: MainWindow, kept: Path, idle: Callable[[], None]
) -> None:
    page = open_compare(window, kept, idle)
    chosen = window.workspace.selection
    assert (chosen.before.name, chosen.after.name) == (PEAK, PEAK_AFTER)  # type: ignore[union-attr]
    assert listed(page.head.before.run) == [PEAK, PEAK_AFTER, "July 6", "July 13"]
    assert page.head.before.run.currentText() == PEAK
    assert page.comparison is not None and len(page.comparison.occurrences_before) == 3
    assert (3, 3) in counts(page)


def test_a_run_is_still_one_click(window: MainWindow, kept: Path, idle: Callable[[], None], qtbot: Any) -> None:
    page = open_compare(window, kept, idle)
    picker = page.head.before.run
    picker.activated.emit(picker.findText("July 6"))
    run = next(view.run for view in window.workspace.overview.runs if view.run.label == "July 6")  # type: ignore[union-attr]
    assert window.workspace.selection.before == run_window(run.id)
    idle()
    assert page.comparison is not None and page.comparison.before == run_window(run.id)


def test_what_is_looked_at_is_kept_under_a_proposed_name_and_taken_back(
    window: MainWindow, made: Path, idle: Callable[[], None], qtbot: Any
) -> None:
    page = open_compare(window, made, idle)
    page.head.before.start.setText("2026-07-07 09:00")
    page.head.before.end.setText("2026-07-07 12:00")
    qtbot.keyClick(page.head.before.end, Qt.Key.Key_Return)
    qtbot.mouseClick(page.head.before.keep, Qt.MouseButton.LeftButton)
    editor = editor_of(window)
    assert editor.name.text() == "July 6 2026-07-07 09:00 - 12:00"
    assert editor.occurrences.toPlainText() == "2026-07-07 09:00 - 12:00"
    editor.name.setText("Tuesday peak")
    editor.load.setCurrentIndex(list(WindowLoad).index(WindowLoad.CONTROLLED))
    qtbot.mouseClick(editor.ok, Qt.MouseButton.LeftButton)
    idle()
    (found,) = windows.list_windows(window.workspace.opened)
    assert (found.name, found.role, found.load) == ("Tuesday peak", WindowRole.BEFORE, WindowLoad.CONTROLLED)
    assert window.workspace.selection.before == found
    assert page.head.before.run.currentText() == "Tuesday peak"
    window.workspace.undo.undo()
    idle()
    assert windows.list_windows(window.workspace.opened) == ()
    assert window.workspace.selection.before != found and "Tuesday peak" not in listed(page.head.before.run)


def test_an_exclusion_and_its_undo_are_compared_at_once(
    window: MainWindow, kept: Path, idle: Callable[[], None], qtbot: Any
) -> None:
    page = open_compare(window, kept, idle)
    was = page.comparison
    qtbot.mouseClick(page.head.after.change, Qt.MouseButton.LeftButton)
    editor = editor_of(window)
    editor.exclusions.setPlainText("2026-07-14 10:00 - 10:30  backup")
    editor.accept()
    idle()
    found = windows.kept_window(window.workspace.opened, PEAK_AFTER)
    (hole,) = found.exclusions
    assert hole == Exclusion(ns("2026-07-14 10:00"), ns("2026-07-14 10:30"), "backup")
    assert page.comparison is not was and page.comparison is not None
    assert page.comparison.after.exclusions == found.exclusions
    samples = {row.after_statistics.n for row in page.comparison.rows if row.after_statistics}
    window.workspace.undo.undo()
    idle()
    assert page.comparison.after.exclusions == ()
    assert max(row.after_statistics.n for row in page.comparison.rows if row.after_statistics) > max(samples)


def test_every_occurrence_stands_on_the_navigator_and_follows_an_edit_and_its_undo(
    window: MainWindow, kept: Path, idle: Callable[[], None]
) -> None:
    page = open_compare(window, kept, idle)
    (navigator,) = window.findChildren(Navigator)
    first = ns("2026-07-06 09:00"), ns("2026-07-06 12:00")
    shown = [(each.start_ns, each.end_ns) for each in navigator.occurrences("before")]
    assert len(shown) == 3 and shown[0] == first
    made = page.book.side("before")
    assert made is not None
    page.book.keep(replace(made, occurrences=made.occurrences[1:]), made)
    idle()
    assert [(each.start_ns, each.end_ns) for each in navigator.occurrences("before")] == shown[1:]
    window.workspace.undo.undo()
    idle()
    assert [(each.start_ns, each.end_ns) for each in navigator.occurrences("before")] == shown


def test_findings_judge_a_kept_window_and_follow_its_edits(
    window: MainWindow, kept: Path, idle: Callable[[], None]
) -> None:
    assert window.controller.open(kept)
    window.show_page("findings")
    idle()
    page = window.page("findings")
    assert isinstance(page, FindingsPage) and page.diagnosis is not None
    assert page.run_box.currentText() == PEAK
    assert page.diagnosis.window.name == PEAK
    book = WindowBook.of(window.workspace)
    now = book.windows[0]
    book.keep(replace(now, occurrences=now.occurrences[:2]), now)
    idle()
    assert len(page.diagnosis.window.occurrences) == 2
    window.workspace.undo.undo()
    idle()
    assert len(page.diagnosis.window.occurrences) == 3


def open_capacity(window: MainWindow, kept: Path, idle: Callable[[], None]) -> CapacityPage:
    assert window.controller.open(kept)
    window.show_page("capacity")
    idle()
    idle()
    page = window.page("capacity")
    assert isinstance(page, CapacityPage)
    return page


def test_capacity_is_of_a_kept_window_and_follows_its_edits(
    window: MainWindow, kept: Path, idle: Callable[[], None]
) -> None:
    page = open_capacity(window, kept, idle)
    assert page.outlook is not None
    assert listed(page.window_box)[-1] == page.window_box.currentText() and len(page.outlook.days.days) == 6
    page.window_box.setCurrentText(PEAK_AFTER)
    page.window_box.activated.emit(page.window_box.currentIndex())
    idle()
    idle()
    assert page.outlook.days.days.tolist() == [20647, 20648, 20649]  # 13 to 15 July 2026
    book = page.book
    (chosen,) = [each for each in book.windows if each.name == PEAK_AFTER]
    book.keep(replace(chosen, occurrences=chosen.occurrences[:2]), chosen)
    idle()
    idle()
    assert page.outlook.days.days.tolist() == [20647, 20648]
    window.workspace.undo.undo()
    idle()
    idle()
    assert page.outlook.days.days.tolist() == [20647, 20648, 20649]
    book.remove(book.windows[-1])
    idle()
    idle()
    assert len(page.outlook.days.days) == 6


def test_of_a_window_in_which_nothing_was_measured_capacity_says_so_and_lets_another_be_chosen(
    window: MainWindow, kept: Path, idle: Callable[[], None]
) -> None:
    page = open_capacity(window, kept, idle)
    assert page.outlook is not None
    page.window_box.picked.emit(replace(page.book.windows[0], id=0, name="Peak of web9", hosts=("web9",)))
    idle()
    idle()
    assert page.window_box.isVisible() and page.window_box.currentText() == "Peak of web9"
    assert page.outlook is None and page.answer.sentence.text().startswith("Nothing was measured in this window.")
    language().switch("ko")
    assert page.answer.sentence.text().startswith("이 구간에는 측정된 값이 없습니다.")
    page.window_box.setCurrentIndex(page.window_box.count() - 1)
    page.window_box.activated.emit(page.window_box.currentIndex())
    idle()
    idle()
    assert page.outlook is not None and len(page.outlook.days.days) == 6


def test_the_same_hours_of_the_other_side_are_filled_in(
    window: MainWindow, kept: Path, idle: Callable[[], None], qtbot: Any
) -> None:
    open_compare(window, kept, idle)
    book = WindowBook.of(window.workspace)
    other = next(each for each in book.windows if each.name == PEAK)
    run = next(view.run for view in window.workspace.overview.runs if view.run.label == "July 13")  # type: ignore[union-attr]
    made = windows.resolved(window.workspace.opened, run_window(run.id))
    editor = WindowEditor(window.workspace, book.proposed(made, "after"), other)
    qtbot.addWidget(editor)
    editor.take_from_other()
    assert editor.occurrences.toPlainText().splitlines() == [
        "2026-07-13 09:00 - 12:00",
        "2026-07-14 09:00 - 12:00",
        "2026-07-15 09:00 - 12:00",
    ]
    editor.hours[0].setText("9 o'clock")
    editor.fill_days()
    assert not editor.wrong.isHidden() and "09:00" in editor.wrong.text()


def test_the_hours_of_a_window_go_by_the_clock_that_is_chosen(
    window: MainWindow, kept: Path, idle: Callable[[], None], qtbot: Any
) -> None:
    """What is written there stays at its moments; what is filled in is nine to twelve of Berlin."""
    open_compare(window, kept, idle)
    book = WindowBook.of(window.workspace)
    (peak,) = (each for each in book.windows if each.name == PEAK)
    editor = WindowEditor(window.workspace, peak)
    qtbot.addWidget(editor)
    editor.clock.set_zone("Europe/Berl")
    assert editor.occurrences.toPlainText().startswith("2026-07-06 09:00 - 12:00"), "not typed to its end"
    editor.clock.set_zone("Europe/Berlin")
    assert editor.occurrences.toPlainText().splitlines()[0] == "2026-07-06 02:00 - 05:00"
    assert editor.made().occurrences == peak.occurrences and editor.made().zone == "Europe/Berlin"
    for field, words in zip(
        (*editor.hours, *editor.dates), ("09:00", "12:00", "2026-07-06", "2026-07-08"), strict=True
    ):
        field.setText(words)
    editor.fill_days()
    assert editor.occurrences.toPlainText().splitlines()[0] == "2026-07-06 09:00 - 12:00"
    editor.accept()
    (peak,) = (each for each in book.windows if each.name == PEAK)
    assert (peak.zone, peak.occurrences[0].start_ns) == ("Europe/Berlin", ns("2026-07-06 16:00"))
    page = window.page("compare")
    assert isinstance(page, ComparePage) and page.head.before._clock.text() == "Europe/Berlin"
    assert page.head.before._clock.isVisibleTo(page) and not page.head.after._clock.isVisibleTo(page)
    again = WindowEditor(window.workspace, peak)
    qtbot.addWidget(again)
    again.clock.set_zone("Europe/Berlim")
    again.accept()
    assert not again.wrong.isHidden() and "Europe/Berlim" in again.wrong.text()


def test_the_hosts_that_are_chosen_in_the_editor_are_those_that_every_verdict_speaks_of(
    window: MainWindow, kept: Path, tmp_path: Path, idle: Callable[[], None], qtbot: Any
) -> None:
    with projects.open_(kept) as project:
        for label, phase, first in (("July 6", Phase.BEFORE, 6), ("July 13", Phase.AFTER, 13)):
            folder = tmp_path / f"web {label}"
            folder.mkdir()
            for day in range(first, first + 3):
                daily_captures.sar_day(folder, datetime(2026, 7, day), first_row=day * 288, rows=140, host="web1")
            imports.import_captures(project, [folder], ImportOptions(run=label, phase=phase))
    page = open_compare(window, kept, idle)
    assert page.comparison is not None and hosts_of(page) == {"db1", "web1"}
    info = next(
        each for each in browse.list_series(window.workspace.opened) if (each.native, each.host) == ("%user", "db1")
    )
    metric = Metric(1, 1, "CPU", source_of(info), "mean", info.unit, Direction.LOWER)
    for window_kept in windows.list_windows(window.workspace.opened):
        assert isinstance(figure_of(window.workspace.opened, metric, window_kept), Figure)
        editor = WindowEditor(window.workspace, window_kept)
        qtbot.addWidget(editor)
        assert editor.chosen_hosts() == () and editor.hosts.text() == text("ui.window.hosts.all")
        next(each for each in editor.hosts.menu().actions() if each.data() == "web1").trigger()
        assert editor.hosts.text() == "web1"
        editor.fill_days()  # of what was captured of these hosts
        editor.accept()
        assert not editor.wrong.text()
    idle()
    idle()
    assert hosts_of(page) == {"web1"} and (3, 3) in counts(page)
    before = windows.kept_window(window.workspace.opened, PEAK)
    assert before.hosts == ("web1",)
    assert isinstance(figure_of(window.workspace.opened, metric, before), Broken)
    judged = diagnose(window.workspace.opened, windows.ready(window.workspace.opened, before))
    assert {row.host for row in judged.use_table} == {"web1"}
    window.workspace.undo.undo()
    window.workspace.undo.undo()
    idle()
    idle()
    assert hosts_of(page) == {"db1", "web1"}


def hosts_of(page: ComparePage) -> set[str]:
    assert page.comparison is not None
    sides = [side for row in page.comparison.rows for side in (row.before, row.after) if side is not None]
    return {side.host for side in sides}


def test_what_cannot_be_kept_is_said_in_the_editor_and_nothing_is_lost(
    window: MainWindow, kept: Path, idle: Callable[[], None], qtbot: Any
) -> None:
    open_compare(window, kept, idle)
    before = windows.list_windows(window.workspace.opened)
    editor = WindowEditor(window.workspace, before[0])
    qtbot.addWidget(editor)
    editor.name.setText(PEAK_AFTER)
    editor.accept()
    assert PEAK_AFTER in editor.wrong.text()
    editor.name.setText(PEAK)
    editor.occurrences.setPlainText("tomorrow")
    editor.accept()
    assert "tomorrow" in editor.wrong.text()
    assert windows.list_windows(window.workspace.opened) == before


def test_a_range_of_the_time_line_becomes_a_window_or_is_excluded_from_one(
    window: MainWindow, kept: Path, idle: Callable[[], None], qtbot: Any
) -> None:
    assert window.controller.open(kept)
    window.show_page("timeline")
    idle()
    page = window.page("timeline")
    assert isinstance(page, TimelinePage)
    picked = TimeRange(ns("2026-07-07 10:00"), ns("2026-07-07 10:20"))
    page.range_panel.open_with(picked, "", writable=True)
    page.range_panel.keep.click()
    editor = editor_of(window)
    editor.name.setText("Batch")
    editor.accept()
    assert [each.name for each in windows.list_windows(window.workspace.opened)] == [PEAK, PEAK_AFTER, "Batch"]
    window.workspace.undo.undo()
    page.range_panel.open_with(picked, "", writable=True)
    page.range_panel.exclude.click()
    editor = editor_of(window)
    assert editor.name.text() == PEAK
    editor.accept()
    assert editor.isVisible() and editor.wrong.text(), "a reason is asked for"
    editor.exclusions.setPlainText(editor.exclusions.toPlainText() + "batch")
    editor.accept()
    assert [e.reason for e in windows.kept_window(window.workspace.opened, PEAK).exclusions] == ["batch"]


def test_the_tree_lists_windows_to_be_renamed_and_removed(
    window: MainWindow, kept: Path, idle: Callable[[], None], qtbot: Any
) -> None:
    assert window.controller.open(kept)
    tree = window.tree
    items = {item.text(0): item for item in tree.items() if item.data(0, Qt.ItemDataRole.UserRole + 2) == "window"}
    assert list(items) == [PEAK, PEAK_AFTER]
    items[PEAK].setText(0, "Morning")
    qtbot.waitUntil(lambda: tree.book.windows[0].name == "Morning")
    assert [each.name for each in windows.list_windows(window.workspace.opened)] == ["Morning", PEAK_AFTER]
    assert window.workspace.selection.before.name == "Morning"  # type: ignore[union-attr]
    assert tree.book.remove(tree.book.windows[1])
    assert [item.text(0) for item in tree.items() if item.text(0) == PEAK_AFTER] == []
    window.workspace.undo.undo()
    assert len(tree.book.windows) == 2


def test_a_line_is_a_stretch_of_time_with_what_is_said_behind_it() -> None:
    span, reason = read_stretch("2026-07-06 22:00 - 2026-07-07 01:30  night batch", SEOUL)
    assert span == (ns("2026-07-06 22:00"), ns("2026-07-07 01:30")) and reason == "night batch"
    with pytest.raises(UnclearLine):
        read_stretch("from nine to twelve", SEOUL)


def test_a_name_that_is_taken_is_numbered() -> None:
    assert free_name("Peak", ("Peak", "Peak 2")) == "Peak 3" and free_name("Peak", ()) == "Peak"


def test_what_the_captures_suggest_is_kept_with_one_click_and_taken_back_with_one(
    window: MainWindow, made: Path, idle: Callable[[], None], qtbot: Any
) -> None:
    page = open_compare(window, made, idle)
    assert page.offer.isVisible() and "July 6, July 13, 튜닝 전 월, 화, 수 00:10-23:20" in page.offer.words.words()
    qtbot.mouseClick(page.offer.keep, Qt.MouseButton.LeftButton)
    idle()
    assert len(windows.list_windows(window.workspace.opened)) == 4 and not page.offer.isVisible()
    sides = [picker.run.currentText() for picker in (page.head.before, page.head.after)]
    assert sides == ["튜닝 전 월, 화, 수 00:10-23:20", "튜닝 후 월, 화, 수 00:10-23:20"]
    window.workspace.undo.undo()
    idle()
    assert windows.list_windows(window.workspace.opened) == () and page.offer.isVisible()


def test_what_an_import_brought_is_kept_from_its_result_with_one_click(
    window: MainWindow, made: Path, tmp_path: Path, idle: Callable[[], None], qtbot: Any
) -> None:
    assert window.controller.open(made)
    window.show_page("captures")
    idle()
    page = window.page("captures")
    assert isinstance(page, CapturesPage) and not page.proposals.isVisible()
    folder = tmp_path / "more"
    folder.mkdir()
    daily_captures.sar_day(folder, datetime(2026, 7, 16), first_row=16 * 144, rows=140)
    page.offer([folder])
    idle()
    page.form.run.setCurrentText("July 13")
    page.form.submit()
    idle()
    idle()
    assert page.proposals.isVisible() and "July 6, July 13" in page.proposals.words.words()
    qtbot.mouseClick(page.proposals.keep, Qt.MouseButton.LeftButton)
    idle()
    assert len(windows.list_windows(window.workspace.opened)) == 4 and not page.proposals.isVisible()
    window.workspace.undo.undo()
    idle()
    assert windows.list_windows(window.workspace.opened) == () and page.proposals.isVisible()
    language().switch("ko")
    idle()
    assert page.proposals.words.words().startswith(catalogue("ko").text("ui.window.proposed.both").split("{")[0])
    overview = window.workspace.overview
    assert overview is not None
    gone = next(view.run for view in overview.runs if view.run.label == "July 13")
    projects.remove_run(window.workspace.opened, gone.id)
    window.workspace.announce(Change.RUNS)
    idle()
    assert not page.proposals.isVisible()


def test_what_is_proposed_on_two_pages_comes_back_on_both(
    window: MainWindow, made: Path, idle: Callable[[], None]
) -> None:
    compare = open_compare(window, made, idle)
    window.show_page("captures")
    captures = window.page("captures")
    assert isinstance(captures, CapturesPage)
    captures.proposals.wanted = True
    captures.proposals.look()
    idle()
    captures.proposals.keep.click()
    idle()
    assert captures.proposals.isHidden() and compare.offer.isHidden()
    window.workspace.undo.undo()
    idle()
    assert not captures.proposals.isHidden() and not compare.offer.isHidden()


def test_the_report_is_about_the_windows_that_are_compared(
    window: MainWindow, kept: Path, idle: Callable[[], None]
) -> None:
    assert window.controller.open(kept)
    window.show_page("report")
    idle()
    page: Any = window.page("report")
    assert [page.options.windows[side].currentText() for side in ("before", "after")] == [PEAK, PEAK_AFTER]
    picker = page.options.windows["before"]
    picker.activated.emit(picker.findText("July 6"))
    idle()
    assert window.workspace.selection.before.run_ids and not window.workspace.selection.before.id  # type: ignore[union-attr]
    assert not page.outdated and page._page_of


def test_a_baseline_is_taken_from_a_kept_window(
    window: MainWindow, kept: Path, idle: Callable[[], None], qtbot: Any
) -> None:
    assert window.controller.open(kept)
    page = begun(qtbot, window)
    info = next(each for each in browse.list_series(window.workspace.opened) if each.native == "%user")
    metric = add(page, Metric(0, here(page), "CPU", source_of(info), "mean", info.unit, Direction.LOWER))
    panel = panel_of(page, StepNumber.TARGETS)
    words = [panel.figure.run.itemText(at) for at in range(panel.figure.run.count())]
    assert [each.split("  ")[0] for each in words] == [PEAK, PEAK_AFTER, "July 6", "July 13"]
    panel.figure.run.setCurrentIndex(0)
    press(panel.figure.take)
    idle()
    book = page.controller.book
    (target,) = book.all(Target)
    found = windows.kept_window(window.workspace.opened, PEAK)
    assert target.metric_id == metric.id and target.baseline is not None
    assert target.baseline.window_id == found.id
    samples = [
        browse.series_data(window.workspace.opened, one.id, *each.span).values
        for one in browse.list_series(window.workspace.opened)
        for each in windows.resolved(window.workspace.opened, found).occurrences
        if one.native == "%user" and one.run == "July 6"
    ]
    assert target.baseline.value is not None
    assert target.baseline.value == pytest.approx(float(np.mean(np.concatenate(samples))), abs=0.01)


def side_jobs(window: MainWindow) -> CheckState:
    page = window.page("compare")
    assert isinstance(page, ComparePage) and page.comparison is not None
    return next(each.state for each in page.comparison.gate if each.check is Check.SIDE_JOBS)


def test_a_note_judges_anew_and_so_does_taking_it_back(window: MainWindow, tmp_path: Path, idle: Any) -> None:
    path = tmp_path / "acme.tune"
    with projects.create(path, Engagement("tuning", "ACME", zone="Asia/Seoul")) as project:
        for day, phase in ((19, Phase.BEFORE), (26, Phase.AFTER)):
            file = daily_captures.sar_day(tmp_path, datetime(2026, 7, day), name=f"{phase}.txt")
            imports.import_captures(project, [file], ImportOptions(run=str(phase), phase=phase))
    assert window.controller.open(path)
    window.show_page("compare")
    idle()
    before = side_jobs(window)
    assert before is not CheckState.REFUSE
    overview = window.workspace.overview
    assert overview is not None and overview.runs[0].run.first_ns is not None
    moment = NoteTarget("time", None, overview.runs[0].run.first_ns + 3_600_000_000_000)
    undo = window.workspace.undo
    undo.push(AddNote(window.workspace, NoteNumbers(), moment, "batch job start", "kim"))
    idle()
    assert side_jobs(window) is CheckState.REFUSE, "at once, on the page that shows it"
    undo.undo()
    idle()
    assert side_jobs(window) is before
    window.show_page("captures")
    undo.redo()
    window.show_page("compare")
    idle()
    assert side_jobs(window) is CheckState.REFUSE, "also when the page was hidden meanwhile"


def test_the_days_of_a_window_lie_over_each_other_by_time_of_day(
    window: MainWindow, kept: Path, idle: Callable[[], None]
) -> None:
    page = open_compare(window, kept, idle)
    page.views.setCurrentIndex(1)
    page.list.table.selectRow(0)
    idle()
    charts, row = page.charts, page.chart.row
    assert row is not None and charts.views == ("time", "days") and charts.view == "time"
    assert charts.tabs.tabRect(1).width() > 0, "its tab has a place from the start"
    charts.tabs.setCurrentIndex(1)
    idle()
    picture = charts.card.plot.picture
    assert picture is not None and picture.clock and picture.ends == (9 * 3600, 12.25 * 3600)
    assert charts.card.isVisible() and not page.chart.isVisible()
    project = window.workspace.project
    assert project is not None
    ten = [
        [
            browse.series_data(project, part.id, ns(f"2026-07-{day:02}T10:00:00"), ns(f"2026-07-{day:02}T10:14:59"))
            for part in row.before_parts
        ]
        for day in (6, 7, 8)
    ]
    means = [float(np.concatenate([each.values for each in own]).mean()) for own in ten]
    point = next(each for each in picture.points["before"] if each.x == 10 * 3600 + 450)
    assert [point.lowest, point.value, point.highest] == pytest.approx(sorted(means))
    page.list.table.selectRow(1)
    assert charts.view == "days", "what is looked at stays"


def test_response_against_load_has_a_tab_where_the_verdict_is_at_equal_load(
    window: MainWindow, kept: Path, idle: Callable[[], None]
) -> None:
    page = open_compare(window, kept, idle)
    page.list.table.selectRow(0)
    idle()
    row = page.chart.row
    assert row is not None and page.comparison is not None
    parts = (
        LoadPart(100, 120, PartLevel(6, 5, 7, 3), PartLevel(4, 3, 5, 3)),
        LoadPart(120, 160, PartLevel(8, 7, 9, 3), None),
    )
    curve = LoadCurve((80, 160), (100, 200), parts, "system.disk.operations")
    page.charts.show_row(replace(row, curve=curve), page.comparison)
    assert page.charts.views == ("time", "days", "load")
    page.charts.tabs.setCurrentIndex(2)
    picture = page.charts.card.plot.picture
    assert picture is not None and picture.common == (100, 160) and picture.across == "disk requests per second"
    assert {side: [(each.x, each.value) for each in own] for side, own in picture.points.items()} == {
        "before": [(110, 6), (140, 8)],
        "after": [(110, 4)],
    }
    page.charts.card.plot.grab()
