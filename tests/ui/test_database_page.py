"""The database page as a person uses it; expected figures are those that were put into the reports."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QGuiApplication, QTextDocument
from PySide6.QtWidgets import QComboBox

from tests.made.awr import Workload
from tests.ui.made_databases import EVENTS, IO_EVENT, ZONE, make_engagement
from tests.waiting import let_window_live
from tunebench.analysis.databases.profile_lines import Portion
from tunebench.analysis.exploring.time_range import TimeRange
from tunebench.columns.column import Locale
from tunebench.domain.engagement import Phase
from tunebench.domain.windows import Exclusion, Occurrence, Window, WindowRole, run_window
from tunebench.sdk.html_tables import HtmlDocument
from tunebench.store import artefacts
from tunebench.ui.comparing.window_book import WindowBook
from tunebench.ui.databases.original_browser import OriginalBrowser
from tunebench.ui.databases.profile_bar import MOST_LINES
from tunebench.ui.databases.profile_view import TABS
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.inspected import InspectedRun
from tunebench.ui.look.language import text
from tunebench.ui.pages.profile_page import ProfilePage
from tunebench.ui.pages.timeline_page import TimelinePage
from tunebench.usecases import browse
from tunebench.usecases.databases import snapshots
from tunebench.usecases.databases.profile_columns import profile_columns
from tunebench.usecases.databases.profile_words import not_measured
from tunebench.usecases.importing.originals import Place
from tunebench.usecases.importing.report_pages import ReportPages

HOURS, RESTART, SHORT = 8, 2, 5
NS = 1_000_000_000
Truth = tuple[list[Workload], list[Workload]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Truth]:
    """Eight hours before, the third with a restart inside and the sixth half as long, and eight after."""
    folder = tmp_path_factory.mktemp("databases")
    truth = make_engagement(folder / "bank.tune", folder / "captures", HOURS, RESTART, SHORT)
    return folder / "bank.tune", truth


@pytest.fixture
def truth(made: tuple[Path, Truth]) -> Truth:
    return made[1]


@pytest.fixture
def page(
    qtbot: Any, window: MainWindow, made: tuple[Path, Truth], tmp_path: Path, idle: Callable[[], None]
) -> Iterator[ProfilePage]:
    path = tmp_path / "bank.tune"
    shutil.copy(made[0], path)
    assert window.controller.open(path)
    window.show_page("database")
    settle(idle)
    (found,) = window.findChildren(ProfilePage)
    yield found


def settle(idle: Callable[[], None]) -> None:
    for _ in range(3):
        idle()
        let_window_live(0.03, "what was answered has the charts ask, 16 ms later")


def shown(page: ProfilePage, column: str) -> list[str]:
    model = page.view.table.model()
    place = [each.id for each in page.view.table.figures.columns].index(column)
    return [model.index(row, place).data() for row in range(model.rowCount())]


def plain(page: ProfilePage, name: str, column: str) -> float:
    """A figure as it is copied."""
    place = [each.id for each in page.view.table.figures.columns].index(column)
    return float(page.view.table.filter.plain(shown(page, "name").index(name), place))


def tab(qtbot: Any, page: ProfilePage, name: str) -> None:
    bar = page.view.tabs
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(TABS.index(name)).center())
    assert page.view.tab == name


def pick(qtbot: Any, combo: QComboBox, place: int) -> None:
    """With the keyboard, as the list would be walked."""
    combo.setFocus()
    key = Qt.Key.Key_Down if place > combo.currentIndex() else Qt.Key.Key_Up
    for _ in range(abs(place - combo.currentIndex())):
        qtbot.keyClick(combo, key)


def valid(works: Sequence[Workload]) -> list[Workload]:
    """Those in which the instance did not start."""
    return [work for work in works if not work.begin < work.started < work.end]


def seconds(works: Sequence[Workload]) -> float:
    return sum(work.elapsed_s for work in valid(works))


def waited(works: Sequence[Workload], name: str) -> float:
    return sum(event.time_s for work in valid(works) for event in work.events if event.name == name)


def utc(at: datetime) -> int:
    return int(at.replace(tzinfo=ZoneInfo(ZONE)).timestamp()) * NS


# -- where the time went -----------------------------------------------------------------------------


def test_waits_are_those_of_all_valid_reports_per_second(page: ProfilePage, truth: Truth) -> None:
    before, after = truth
    for name in (IO_EVENT, "log file sync"):
        assert plain(page, name, "before.amount") == pytest.approx(waited(before, name) / seconds(before))
        assert plain(page, name, "after.amount") == pytest.approx(waited(after, name) / seconds(after))
    cpu = sum(work.db_cpu_s for work in valid(before)) / seconds(before)
    assert plain(page, "DB CPU", "before.amount") == pytest.approx(cpu, rel=1e-4)


def test_the_contribution_is_the_share_of_the_change_of_db_time(page: ProfilePage, truth: Truth) -> None:
    before, after = ([work.db_time_s for work in valid(works)] for works in truth)
    whole = sum(after) / seconds(truth[1]) - sum(before) / seconds(truth[0])
    own = waited(truth[1], IO_EVENT) / seconds(truth[1]) - waited(truth[0], IO_EVENT) / seconds(truth[0])
    assert plain(page, IO_EVENT, "contribution") == pytest.approx(own / whole * 100, rel=1e-3)
    figures = [plain(page, name, "contribution") for name in shown(page, "name")]
    assert sum(figures) == pytest.approx(100)
    assert shown(page, "name")[0] == IO_EVENT


def test_what_no_line_explains_is_a_line(page: ProfilePage, truth: Truth) -> None:
    """The reports hold 60 seconds of DB time that no wait and no processor accounts for."""
    rest = 60 * len(valid(truth[1])) / seconds(truth[1])
    assert plain(page, text("ui.profile.unaccounted"), "after.amount") == pytest.approx(rest, rel=1e-3)


def test_total_seconds_when_the_basis_is_the_total(
    qtbot: Any, page: ProfilePage, truth: Truth, idle: Callable[[], None]
) -> None:
    pick(qtbot, page.view.basis, 0)
    settle(idle)
    assert plain(page, IO_EVENT, "before.amount") == pytest.approx(waited(truth[0], IO_EVENT))
    assert text("ui.profile.amount.total") in page.view.table.model().headerData(1, Qt.Orientation.Horizontal)


def test_a_class_holds_the_waits_of_its_events(qtbot: Any, page: ProfilePage, truth: Truth) -> None:
    pick(qtbot, page.view.kind, 1)
    names = [name for name, wait_class, *_ in EVENTS if wait_class == "User I/O"]
    wanted = sum(waited(truth[0], name) for name in names) / seconds(truth[0])
    assert plain(page, "User I/O", "before.amount") == pytest.approx(wanted, rel=1e-3)


def test_the_bar_tells_each_part_in_words(page: ProfilePage, truth: Truth) -> None:
    page.view.bar.grab()
    names = [part.name for part in page.view.bar.parts]
    assert names[:2] == ["DB CPU", IO_EVENT] and len(names) == MOST_LINES + 3
    first = page.view.bar.words_at(QPointF(100.0, 8.0))
    assert first.startswith("DB CPU: ") and text("ui.phase.before") in first


def test_a_filter_leaves_what_holds_its_words_and_copying_takes_that(qtbot: Any, page: ProfilePage) -> None:
    qtbot.keyClicks(page.view.filter_field, "sequential read")
    assert set(shown(page, "name")) == {IO_EVENT, "control file sequential read"}
    page.view.copy()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == 3 and lines[1].startswith(IO_EVENT + "\t")


def test_a_click_on_a_heading_sorts_by_figure(qtbot: Any, page: ProfilePage) -> None:
    header = page.view.table.horizontalHeader()
    place = [each.id for each in page.view.table.figures.columns].index("after.amount")
    centre = header.sectionViewportPosition(place) + header.sectionSize(place) // 2
    for _ in range(2):
        qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(centre, header.height() // 2))
    figures = [plain(page, name, "after.amount") for name in shown(page, "name")]
    assert figures in (sorted(figures), sorted(figures, reverse=True)) and figures[0] != figures[-1]


# -- the other tables --------------------------------------------------------------------------------


def test_the_parameter_that_changed_with_both_values(qtbot: Any, page: ProfilePage) -> None:
    tab(qtbot, page, "parameters")
    row = shown(page, "name").index("optimizer_index_cost_adj")
    assert (shown(page, "before.value")[row], shown(page, "after.value")[row]) == ("100", "20")
    assert "cpu_count" not in shown(page, "name")


def test_the_load_profile_and_the_time_model(qtbot: Any, page: ProfilePage, truth: Truth) -> None:
    tab(qtbot, page, "load")
    reads = sum(work.activity["session logical reads"] for work in valid(truth[0])) / seconds(truth[0])
    assert plain(page, "logical reads", "before.per_second") == pytest.approx(reads, rel=1e-3)
    tab(qtbot, page, "time_model")
    wanted = sum(work.db_time_s for work in valid(truth[1])) / seconds(truth[1])
    assert plain(page, "DB time", "after.amount") == pytest.approx(wanted, rel=1e-4)


def test_statistics_of_the_instance_are_compared_per_second(qtbot: Any, page: ProfilePage, truth: Truth) -> None:
    tab(qtbot, page, "statistics")
    names, values = (shown(page, column) for column in ("statistic", "before.value"))
    place = [each.id for each in page.view.table.figures.columns].index("before.value")
    found = float(page.view.table.filter.plain(names.index("session logical reads"), place))
    reads = sum(work.activity["session logical reads"] for work in valid(truth[0])) / seconds(truth[0])
    assert found == pytest.approx(reads, rel=1e-3) and len(values) > 10
    tab(qtbot, page, "segments")
    assert page.view.table.model().rowCount() or text("ui.profile.none.segments") in page.view._nothing.text()


def test_who_and_when(qtbot: Any, page: ProfilePage) -> None:
    tab(qtbot, page, "identity")
    facts = dict(zip(shown(page, "name"), shown(page, "before.fact"), strict=True))
    assert facts["Version"] == "19.0.0.0.0" and facts["Host"] == "dbsrv01" and facts["Instance"] == "orcl1"
    assert facts["Length measured"] == "6:30:00" and facts["Periods left out"] == "1"
    assert facts["Snapshots"] == "1000 – 1008"


def test_what_a_capture_does_not_say_is_called_not_measured(page: ProfilePage) -> None:
    lines = page.view.profile.lines if page.view.profile else ()
    column = next(each for each in profile_columns("per_second", "s", ("before",), False) if each.id == "before.calls")  # type: ignore[arg-type]
    waits = [line for line in lines if line.name == IO_EVENT]
    timed = replace(waits[0], before=Portion(time_s=1.0))
    assert column.words(timed, Locale("en")) == not_measured(Locale("en")) == "not measured"
    assert column.sort_key(timed, Locale("en")) is None
    # its part of the change is worked out of nothing there, which is no lack of a measurement
    assert column.words(replace(waits[0], before=Portion()), Locale("en")) == "not listed"


def test_a_period_that_is_not_valid_is_named_above_the_figures(page: ProfilePage) -> None:
    (sentence,) = [words for words in page.cautions.sentences if "restarted" in words]
    assert "2026-11-02 02:00:00" in sentence and page.cautions.isVisible()


def test_one_side_alone_has_no_columns_of_the_other(
    qtbot: Any, page: ProfilePage, truth: Truth, idle: Callable[[], None]
) -> None:
    pick(qtbot, page.pickers.after, page.pickers.after.count() - 1)
    settle(idle)
    columns = [each.id for each in page.view.table.figures.columns]
    assert "before.amount" in columns and not [id_ for id_ in columns if id_.startswith(("after", "change"))]
    assert plain(page, IO_EVENT, "before.amount") == pytest.approx(waited(truth[0], IO_EVENT) / seconds(truth[0]))


# -- calendar ----------------------------------------------------------------------------------------


def click_period(qtbot: Any, page: ProfilePage, number: int) -> None:
    calendar = page.periods.calendar
    box = calendar.place_of(number)
    assert box is not None
    qtbot.mouseClick(calendar.viewport(), Qt.MouseButton.LeftButton, pos=box.center().toPoint())


def test_a_box_per_period_with_its_load(qtbot: Any, page: ProfilePage, truth: Truth) -> None:
    tab(qtbot, page, "periods")
    calendar = page.periods.calendar
    assert [str(day.day) for day in calendar.days] == ["2026-11-02", "2026-11-16"]
    works = [*truth[0], *truth[1]]
    for cell, work in zip(calendar.cells, works, strict=True):
        if work in valid(works):
            assert cell.sessions == pytest.approx(work.db_time_s / work.elapsed_s, rel=1e-3)
    assert calendar.cells[RESTART].sessions is None
    assert [cell.unequal for cell in calendar.cells] == [number == SHORT for number in range(2 * HOURS)]


def test_a_click_tells_the_period_and_its_fault(qtbot: Any, page: ProfilePage) -> None:
    tab(qtbot, page, "periods")
    click_period(qtbot, page, RESTART)
    words = page.periods._words.text()
    assert "2026-11-02 02:00:00" in words and text("database.fault.restart") in words and "▲" in words
    assert text("ui.profile.not_valid") in words


def test_a_period_becomes_the_window_of_the_time_line(qtbot: Any, page: ProfilePage, truth: Truth) -> None:
    tab(qtbot, page, "periods")
    click_period(qtbot, page, 4)
    qtbot.mouseClick(page.periods.show_on_time_line, Qt.MouseButton.LeftButton)
    work = truth[0][4]
    assert page.workspace.selection.range == TimeRange(utc(work.begin), utc(work.end))


def test_a_period_becomes_a_side_of_the_comparison_by_keyboard(qtbot: Any, page: ProfilePage, truth: Truth) -> None:
    tab(qtbot, page, "periods")
    calendar = page.periods.calendar
    calendar.setFocus()
    qtbot.keyClick(calendar, Qt.Key.Key_Home)
    qtbot.keyClick(calendar, Qt.Key.Key_Right)
    qtbot.keyClick(calendar, Qt.Key.Key_Down)
    qtbot.mouseClick(page.periods.as_after, Qt.MouseButton.LeftButton)
    work = truth[1][1]
    assert page.workspace.selection.after == run_window(2, utc(work.begin), utc(work.end))


# -- the original form -------------------------------------------------------------------------------


def test_a_row_leads_to_its_row_in_the_imported_report(
    qtbot: Any, page: ProfilePage, truth: Truth, idle: Callable[[], None]
) -> None:
    qtbot.mouseClick(page._original_button, Qt.MouseButton.LeftButton)
    table = page.view.table
    row = shown(page, "name").index("log file sync")
    qtbot.mouseClick(
        table.viewport(), Qt.MouseButton.LeftButton, pos=table.visualRect(table.model().index(row, 0)).center()
    )
    settle(idle)
    original = page.original
    event = next(event for event in truth[0][0].events if event.name == "log file sync")
    assert original.original is not None and original.original.artefact.name == "awr_1102_0000.html"
    assert original.browser.marked_cells[:2] == ("log file sync", f"{event.waits:,}")
    assert "Foreground" in original.sections.currentText()


def test_a_row_can_be_pinned_as_the_lines_it_was_read_from(
    qtbot: Any, page: ProfilePage, idle: Callable[[], None]
) -> None:
    assert page.to_pin() is None
    table = page.view.table
    row = shown(page, "name").index("log file sync")
    qtbot.mouseClick(
        table.viewport(), Qt.MouseButton.LeftButton, pos=table.visualRect(table.model().index(row, 0)).center()
    )
    settle(idle)
    offer = page.to_pin()
    assert offer is not None and len(offer.parts) == 2 and "log file sync" in offer.words
    project = page.workspace.opened
    targets = offer.targets(project, [part.key for part in offer.parts])
    for target in targets:
        assert target.artefact_id is not None and target.first_line is not None and target.last_line is not None
        (line,) = artefacts.artefact_lines(project, target.artefact_id, target.first_line, target.last_line)
        assert b"log file sync" in line
    assert len({target.artefact_id for target in targets}) == 2


def test_enter_on_a_row_opens_the_original_at_its_line(qtbot: Any, page: ProfilePage, idle: Callable[[], None]) -> None:
    table = page.view.table
    table.setFocus()
    table.selectRow(shown(page, "name").index(IO_EVENT))
    qtbot.keyClick(table, Qt.Key.Key_Return)
    settle(idle)
    original = page.original
    assert original.isVisible() and original.browser.marked_cells[0] == IO_EVENT and original.original is not None
    line = original._place.line if original._place else 0
    raw = (Path(original.original.artefact.source_path)).read_bytes().split(b"\n")[line - 1]
    assert IO_EVENT.encode() in raw and f"line {line}" in original._one_of.text()


def test_a_section_is_chosen_from_the_list(qtbot: Any, page: ProfilePage, idle: Callable[[], None]) -> None:
    qtbot.mouseClick(page._original_button, Qt.MouseButton.LeftButton)
    settle(idle)
    sections = page.original.sections
    names = [sections.itemText(place) for place in range(sections.count())]
    pick(qtbot, sections, names.index("init.ora Parameters"))
    assert "db_block_size" in page.original.browser.toPlainText()


def test_any_other_capture_is_shown_as_its_lines(qtbot: Any, page: ProfilePage, idle: Callable[[], None]) -> None:
    views = page.workspace.overview.runs if page.workspace.overview else []
    vmstat = next(each for view in views for each in view.artefacts if each.name == "vmstat.txt")
    page.show_argument(Place((vmstat.id,), 4))
    settle(idle)
    lines = page.original.lines
    assert lines.isVisible() and lines.marked == 4
    lines.setFocus()
    qtbot.keyClick(lines, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().endswith("2026-11-02 00:20:00")


def test_nothing_is_fetched_and_nothing_runs(qtbot: Any) -> None:
    data = (
        b'<html><head><link rel="stylesheet" href="http://127.0.0.1:9/a.css"><style>@import url(http://127.0.0.1:9/b.css);'
        b'.x{color:red}</style><script>document.title="x"</script></head><body><img src="file:///etc/hostname">'
        b'<table background="http://127.0.0.1:9/c.png"><tr><td>a</td></tr></table><script src="http://127.0.0.1:9/d.js"></script>'
        b"</body></html>"
    )
    html = ReportPages(HtmlDocument(data)).html(0)
    assert "<script" not in html and "<img" not in html and "document.title" not in html and "<td>a</td>" in html
    browser = OriginalBrowser()
    qtbot.addWidget(browser)
    browser.show_page(f'<img src="file://{__file__}"><img src="http://127.0.0.1:9/c.png">')
    browser.show()
    browser.grab()
    for place in (f"file://{__file__}", "http://127.0.0.1:9/c.png"):
        picture = browser.document().resource(QTextDocument.ResourceType.ImageResource, QUrl(place))
        assert (picture.width(), picture.height()) == (1, 1) and place in browser.asked
    for sheet in (Path(__file__).with_name("conftest.py").as_uri(), "http://127.0.0.1:9/a.css"):
        found = browser.document().resource(QTextDocument.ResourceType.StyleSheetResource, QUrl(sheet))
        assert bytes(found) == b" "


def test_a_link_out_of_the_report_is_not_followed(qtbot: Any) -> None:
    browser = OriginalBrowser()
    qtbot.addWidget(browser)
    refused: list[str] = []
    followed: list[str] = []
    browser.refused.connect(refused.append)
    browser.followed.connect(followed.append)
    browser.anchorClicked.emit(QUrl("http://example.com/x"))
    browser.anchorClicked.emit(QUrl("#22"))
    assert refused == ["http://example.com/x"] and followed == ["22"]


def test_database_and_host_stand_on_one_axis(
    qtbot: Any, window: MainWindow, page: ProfilePage, truth: Truth, idle: Callable[[], None]
) -> None:
    window.show_page("timeline")
    settle(idle)
    (timeline,) = window.findChildren(TimelinePage)
    window.workspace.commands.action("timeline.database").trigger()
    settle(idle)
    series = {info.id: info for info in timeline.charts.infos()}
    rows = [
        [series[key] for key in row.keys if series[key].run_id == 1] for row in timeline.charts.stack.arrangement.rows
    ]
    assert rows[0][0].native == "db_cpu" and {info.table for info in rows[0][1:]} == {"wait_class"}
    metrics = {info.metric for row in rows[1:] for info in row}
    assert {"db.server.blocks.accessed", "system.cpu.utilization", "system.disk.utilization"} <= metrics
    names = [entry.name for entry in next(iter(timeline.charts.stack.ordered_rows()))[1].entries]
    assert names[:2] == ["DB CPU", "User I/O"]


def look_at_the_first_run(page: ProfilePage) -> None:
    """The time line opens on the run that is looked at."""
    overview = page.workspace.overview
    assert overview is not None
    page.workspace.inspect(InspectedRun(min(overview.runs, key=lambda view: view.run.first_ns or 0)))


def test_a_figure_is_drawn_over_its_whole_period(
    qtbot: Any, window: MainWindow, page: ProfilePage, truth: Truth, idle: Callable[[], None]
) -> None:
    look_at_the_first_run(page)
    window.show_page("timeline")
    settle(idle)
    (timeline,) = window.findChildren(TimelinePage)
    timeline.rows.show_database()
    settle(idle)
    row = next(iter(timeline.charts.stack.ordered_rows()))[1]
    line = next(each for each in row.canvas.lines if each.name == "DB CPU" and each.spans is not None)
    works = valid(truth[0])
    assert line.spans is not None
    assert line.spans.times_ns.tolist() == [utc(work.begin) for work in works]
    assert line.spans.end_ns.tolist() == [utc(work.end) for work in works]
    assert line.spans.maximum.tolist() == pytest.approx([work.db_cpu_s / work.elapsed_s for work in works], rel=1e-4)
    holes = [(gap.start_ns, gap.end_ns) for gap in line.gaps]
    restart, short = truth[0][RESTART], truth[0][SHORT]
    assert holes == [(utc(restart.begin), utc(restart.end)), (utc(short.end), utc(truth[0][SHORT + 1].begin))]


def test_a_click_in_the_middle_of_an_hour_leads_to_the_report_of_that_hour(
    qtbot: Any, window: MainWindow, page: ProfilePage, truth: Truth, idle: Callable[[], None]
) -> None:
    look_at_the_first_run(page)
    window.show_page("timeline")
    settle(idle)
    (timeline,) = window.findChildren(TimelinePage)
    timeline.rows.show_database()
    settle(idle)
    shown_things: list[Any] = []
    page.workspace.inspected.connect(shown_things.append)
    canvas = next(iter(timeline.charts.stack.ordered_rows()))[1].canvas
    work = truth[0][4]
    place = QPoint(round(canvas.x_of((utc(work.begin) + utc(work.end)) // 2)), canvas.height() // 2)
    qtbot.mouseMove(canvas, place)
    qtbot.waitUntil(lambda: bool(timeline.charts.readings), timeout=60_000)
    qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=place)
    settle(idle)
    chosen = shown_things[-1]
    assert chosen.time_ns == utc(work.end)
    found = browse.evidence(page.workspace.opened, chosen.series.id, chosen.time_ns)
    assert found.artefact.name == "awr_1102_0400.html"


def test_a_restart_inside_a_period_is_an_event(
    qtbot: Any, window: MainWindow, page: ProfilePage, truth: Truth, idle: Callable[[], None]
) -> None:
    window.show_page("timeline")
    settle(idle)
    (timeline,) = window.findChildren(TimelinePage)
    restarts = [mark for mark in timeline.charts.strip.marks if mark.kind == "restart"]
    assert [mark.time_ns for mark in restarts] == [utc(truth[0][RESTART].started)]


def test_every_database_has_its_periods_once(page: ProfilePage) -> None:
    known = snapshots.databases(page.workspace.opened)
    assert [each.id for each in known] == [page.controller.choice.database]


def test_a_kept_window_is_looked_at_and_its_edits_and_their_undo_are_followed(
    page: ProfilePage, truth: Truth, window: MainWindow, qtbot: Any, idle: Callable[[], None]
) -> None:
    """Of the morning's whole hours after the change, then without the last of them."""
    controller, book = page.controller, WindowBook.of(window.workspace)
    ends = [int(each.replace(tzinfo=ZoneInfo(ZONE)).timestamp()) * NS for each in (truth[1][0].begin, truth[1][3].end)]
    after = next(run for run in controller.runs if run.phase is Phase.AFTER)
    made = Window(0, "Morning", WindowRole.AFTER, occurrences=(Occurrence(ends[0], ends[1], after.id),))
    made = book.keep(made)
    settle(idle)
    assert made in controller.windows
    controller.choose(replace(controller.choice, after=made))
    settle(idle)

    def hours() -> int:
        assert controller.comparison is not None
        return len(controller.comparison.after.used)

    assert hours() == 4
    last = Exclusion(ends[1] - 3600 * NS, ends[1], "batch")
    book.keep(replace(made, exclusions=(last,)), made)
    settle(idle)
    assert hours() == 3
    window.workspace.undo.undo()
    settle(idle)
    assert hours() == 4


# --- sessions over time


def sessions_shown(page: ProfilePage, column: str) -> list[str]:
    model = page.sessions.table.model()
    place = [each.id for each in page.sessions.table.figures.columns].index(column)
    return [model.index(row, place).data() for row in range(model.rowCount())]


def test_sessions_over_time_are_those_of_the_reports(qtbot: Any, page: ProfilePage, truth: Truth) -> None:
    tab(qtbot, page, "sessions")
    for panel, works in zip(page.sessions.chart.panels, truth, strict=True):
        told = valid(works)
        assert panel.over.totals.tolist() == pytest.approx([work.db_time_s / work.elapsed_s for work in told], rel=0.01)
        io = [
            sum(event.time_s for event in work.events if event.wait_class == "User I/O") / work.elapsed_s
            for work in told
        ]
        places = [place for place, layer in enumerate(panel.over.layers) if layer.name == "User I/O"]
        assert panel.over.amounts[places[0]].tolist() == pytest.approx(io, rel=0.02)


def test_what_is_dragged_over_is_told_below(
    qtbot: Any, page: ProfilePage, truth: Truth, idle: Callable[[], None]
) -> None:
    """The first two hours before: by the mouse, then by the keyboard one hour on; Escape is all again."""
    tab(qtbot, page, "sessions")
    chart, told = page.sessions.chart, valid(truth[0])
    chart.grab()
    panel = chart.panels[0]
    ends = panel.across()
    places = [
        QPointF(float(ends[0, 0]) + 3, panel.box.center().y()),
        QPointF(float(ends[1, 1]) - 3, panel.box.center().y()),
    ]
    qtbot.mousePress(chart, Qt.MouseButton.LeftButton, pos=places[0].toPoint())
    qtbot.mouseMove(chart, places[1].toPoint())
    qtbot.mouseRelease(chart, Qt.MouseButton.LeftButton, pos=places[1].toPoint())
    settle(idle)
    assert panel.chosen == (0, 1)

    def reads(works: Sequence[Workload]) -> float:
        spent = sum(event.time_s for work in works for event in work.events if event.name == IO_EVENT)
        return spent / sum(work.elapsed_s for work in works)

    def below() -> float:
        return float(sessions_shown(page, "before.amount")[sessions_shown(page, "name").index(IO_EVENT)])

    assert below() == pytest.approx(reads(told[:2]), rel=0.02)
    qtbot.keyClick(chart, Qt.Key.Key_Right)
    settle(idle)
    assert panel.chosen == (1, 2) and below() == pytest.approx(reads(told[1:3]), rel=0.02)
    qtbot.keyClick(chart, Qt.Key.Key_Escape)
    settle(idle)
    assert panel.chosen is None and below() == pytest.approx(reads(told), rel=0.02)


@pytest.mark.parametrize("place", range(5))
def test_every_look_says_what_lies_below_the_pointer(
    qtbot: Any, page: ProfilePage, idle: Callable[[], None], place: int
) -> None:
    tab(qtbot, page, "sessions")
    pick(qtbot, page.sessions.look, place)
    settle(idle)
    chart = page.sessions.chart
    chart.grab()
    places = [chart.panels[0].box.center()] if chart.brushable else [each.center() for each, _ in chart._boxes]
    assert places and all(chart.tip_at(each) for each in places)
    page.sessions.tabs.setCurrentIndex(1)
    assert sessions_shown(page, "id")
