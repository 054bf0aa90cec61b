"""The statements as a person uses them; every figure is compared with what was put into the reports."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox

from tests.made.awr import Workload, report
from tests.ui.made_engagement import SEOUL
from tests.ui.made_statements import (  # noqa: F401  fixtures
    AGAIN,
    FIRST,
    FIXTURES,
    HOUR,
    ID,
    LATER,
    REWRITTEN,
    SECOND,
    TUNED,
    Idle,
    both,
    cell,
    choose,
    column,
    english_fixture,
    ids,
    made_fixture,
    made_project,
    one,
    open_page,
    page_fixture,
    project_fixture,
    row_of,
    shown_words,
    write,
)
from tunebench.analysis.databases.statement_comparison import StatementClass
from tunebench.domain.engagement import Phase
from tunebench.domain.windows import Occurrence, Window, WindowRole
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.look.language import text
from tunebench.ui.pages.profile_page import ProfilePage
from tunebench.ui.pages.statements_page import StatementsPage
from tunebench.usecases import projects
from tunebench.usecases.comparing import windows
from tunebench.usecases.cycle import applying
from tunebench.usecases.databases.choices import list_links

# -- the table -----------------------------------------------------------------------------------------


def test_every_statement_has_the_class_it_was_made_with(page: StatementsPage) -> None:
    expected = {
        ID[0]: "improved",
        ID[1]: "regressed",
        ID[2]: "inconclusive",  # to 0.8, of two hours a side
        ID[3]: "inconclusive",
        ID[4]: "changed_function",
        ID[5]: "not_measured",
        ID[9]: "unknown",
        REWRITTEN: "unknown",
    }
    rows = page.model.statements
    assert rows is not None and len(rows) == 13
    found = {rows.pairs[place]: rows.outcome(place) for place in range(len(rows))}
    assert {(*pair.before_ids, *pair.after_ids)[0]: str(outcome) for pair, outcome in found.items()} == {
        **dict.fromkeys(ID, "inconclusive"),
        **expected,
    }
    assert cell(page, ID[1], "change") == "↑ regressed"
    assert page.tools.chips.chips[StatementClass.IMPROVED].text() == "↓ improved 1"
    assert page.tools.chips.everything.text() == "All 13"


def test_figures_are_those_of_the_reports(page: StatementsPage) -> None:
    before, after = one(FIRST, ID[1]), one(TUNED, ID[1])
    assert cell(page, ID[1], "executions.before") == f"{2 * before.executions:,}"
    assert cell(page, ID[1], "block_gets.after") == f"{2 * after.block_gets:,}"
    plain = {
        name: float(page.model.plain(row_of(page, ID[1]), column(page, name)))
        for name in ("elapsed.before", "elapsed_each.after", "rows_each.before", "impact", "ratio")
    }
    assert plain["elapsed.before"] == pytest.approx(2 * before.elapsed_s)
    assert plain["elapsed_each.after"] == pytest.approx(1000 * after.elapsed_s / after.executions)  # ms
    assert plain["rows_each.before"] == pytest.approx(before.rows / before.executions)
    assert plain["impact"] == pytest.approx(2 * (after.elapsed_s - before.elapsed_s), abs=1e-6)
    assert plain["ratio"] == pytest.approx(before.elapsed_s / after.elapsed_s)
    assert cell(page, ID[1], "ratio") == "2.00× worse (+100.0 %)"
    assert cell(page, ID[0], "ratio").endswith("better")


def test_what_a_list_leaves_out_has_a_bound_and_is_never_zero(page: StatementsPage) -> None:
    least = 2 * min(each.elapsed_s for each in TUNED.statements)
    assert cell(page, ID[9], "elapsed.after") == f"< {least:.4g}"
    assert cell(page, ID[9], "executions.after") == "not listed"
    assert cell(page, ID[9], "elapsed_each.after") == "not listed"
    assert cell(page, ID[9], "impact") == "not computable"
    assert cell(page, ID[5], "elapsed_each.before") == "no execution"
    assert cell(page, ID[9], "matched") == "alone"


def test_the_row_of_totals_and_the_headline_say_the_sums(page: StatementsPage) -> None:
    totals = page.table.totals.model()
    before, after = both("elapsed_s")
    assert totals.index(0, 0).data() == "Totals – 10 measured on both sides (of 13)"
    assert float(totals.index(0, column(page, "elapsed.before")).data().replace(",", "")) == pytest.approx(
        before, abs=0.01
    )
    assert float(totals.index(0, column(page, "elapsed.after")).data().replace(",", "")) == pytest.approx(
        after, abs=0.01
    )
    gets = both("block_gets")
    assert page.headline.cells["block_gets", "before"].text() == f"{gets[0]:,.0f}"
    assert page.headline.cells["block_gets", "after"].text() == f"{gets[1]:,.0f}"
    raw = before / after
    said = page.headline.cells["elapsed_s", "raw"].text()
    assert said.startswith(
        f"{raw:.1f}× lower"
        if raw >= 2
        else f"{(1 - after / before) * 100:.1f} % lower"
        if raw > 1
        else f"{1 / raw:.2f}× higher"
    )


def test_net_is_improvements_minus_regressions(page: StatementsPage) -> None:
    better = sum(
        (one(FIRST, each).elapsed_s + one(SECOND, each).elapsed_s) - 2 * one(TUNED, each).elapsed_s for each in (ID[0],)
    )
    undecided = sum(
        (one(FIRST, each).elapsed_s + one(SECOND, each).elapsed_s) - 2 * one(TUNED, each).elapsed_s
        for each in (ID[2], ID[6])
    )
    worse = 2 * (one(TUNED, ID[1]).elapsed_s - one(FIRST, ID[1]).elapsed_s)
    said = page.headline.cells["elapsed_s", "net"].text()
    amounts = [float(part.split(" s")[0].replace(",", "")) for part in re.split(" [−+=] ", said)]
    # a statement that gives other rows is not judged, but its cost did not change either
    assert amounts == pytest.approx([better, worse, undecided, better - worse + undecided], rel=1e-3)


def test_a_click_on_a_heading_sorts_by_its_figures(page: StatementsPage, qtbot: Any) -> None:
    header = page.table.view.horizontalHeader()
    at = column(page, "elapsed.before")

    def click() -> list[str]:
        page.table.view.scrollTo(page.model.index(0, at))
        spot = QPoint(header.sectionViewportPosition(at) + header.sectionSize(at) // 2, header.height() // 2)
        qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=spot)
        return ids(page)

    rising = click()
    falling = click()
    expected = sorted(ID, key=lambda each: -(one(FIRST, each).elapsed_s + one(SECOND, each).elapsed_s))
    assert falling == [*expected, REWRITTEN]  # what has no figure comes last, both ways
    assert rising == [*reversed(expected), REWRITTEN]


def test_words_classes_and_people_narrow_the_table(page: StatementsPage, qtbot: Any) -> None:
    qtbot.keyClicks(page.tools.words, "update ACCOUNTS")
    assert set(ids(page)) == {
        each.id for each in FIRST.statements if each.text_available and "update accounts" in each.text
    }
    assert page.tools.count.text() == f"{page.model.rowCount()} of 13"
    page.tools.words.clear()
    qtbot.mouseClick(page.tools.chips.chips[StatementClass.REGRESSED], Qt.MouseButton.LeftButton)
    assert ids(page) == [ID[1]]
    qtbot.mouseClick(page.tools.chips.chips[StatementClass.IMPROVED], Qt.MouseButton.LeftButton)
    assert set(ids(page)) == {ID[0], ID[1]}
    qtbot.mouseClick(page.tools.chips.everything, Qt.MouseButton.LeftButton)
    at = page.tools.owner.findText("Module 영업.exe", Qt.MatchFlag.MatchStartsWith)
    page.tools.owner.setCurrentIndex(at)
    page.tools.owner.activated.emit(at)
    assert set(ids(page)) == {each.id for each in FIRST.statements if each.module == "영업.exe"} | {
        each.id for each in TUNED.statements if each.module == "영업.exe" and each.id == REWRITTEN
    }


def test_a_regression_is_shown_whatever_its_weight_and_never_silently_hidden(page: StatementsPage, qtbot: Any) -> None:
    combo = page.tools.least
    combo.setCurrentIndex(combo.count() - 1)
    combo.activated.emit(combo.count() - 1)
    assert ID[1] in ids(page) and page.model.rowCount() < 13
    qtbot.keyClicks(page.tools.words, "nothing like this")
    assert page.model.rowCount() == 0
    assert page.tools.hidden.isVisible() and page.tools.hidden.text().startswith("1 regressed")
    qtbot.mouseClick(page.tools.hidden, Qt.MouseButton.LeftButton)
    assert ids(page) == [ID[1]]


def test_cpu_and_blocks_are_shown_per_execution_when_asked_for(page: StatementsPage) -> None:
    page.tools.basis.setCurrentIndex(1)
    page.tools.basis.activated.emit(1)
    before = one(FIRST, ID[1])
    value = float(page.model.plain(row_of(page, ID[1]), column(page, "block_gets_each.before")))
    assert value == pytest.approx(before.block_gets / before.executions)


def test_the_line_over_time_has_a_point_for_each_period(page: StatementsPage) -> None:
    assert page.model.statements is not None
    place = page.model.statements.place_of(ID[6])
    assert place is not None
    first, second, later = one(FIRST, ID[6]), one(SECOND, ID[6]), one(TUNED, ID[6])
    values = dict(page.table.histories.of(place))
    assert values["before"].tolist() == pytest.approx(
        [first.elapsed_s / first.executions, second.elapsed_s / second.executions]
    )
    assert values["after"].tolist() == pytest.approx([later.elapsed_s / later.executions] * 2)
    assert "Before: 2 periods" in page.table.histories.tip(place)


def test_the_table_is_copied_with_whole_figures(page: StatementsPage, qtbot: Any) -> None:
    choose(page, ID[1])
    page.table.view.setFocus()
    qtbot.keyClick(page.table.view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    head, line = QGuiApplication.clipboard().text().splitlines()
    cells = dict(zip(head.split("\t"), line.split("\t"), strict=True))
    assert (cells["Statement"], cells["SQL ID"]) == ("UPDATE accounts", ID[1])
    assert float(cells["Elapsed (s) · after"]) == pytest.approx(2 * one(TUNED, ID[1]).elapsed_s)


def test_what_a_row_is_stays_in_sight_while_figures_scroll_past(page: StatementsPage, qtbot: Any) -> None:
    frozen, view = page.table.frozen, page.table.view
    assert not frozen.isVisible()
    view.horizontalScrollBar().setValue(400)
    assert frozen.isVisible()
    assert [at for at in range(len(page.model.columns)) if not frozen.isColumnHidden(at)] == [0, 1]
    spot = frozen.visualRect(page.model.index(2, 1)).center()
    qtbot.mouseClick(frozen.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert page.table.place == page.model.rows[2]
    assert view.horizontalScrollBar().value() == 400
    assert page.table.totals.horizontalScrollBar().value() == 400


# -- what may be missing -------------------------------------------------------------------------------


@pytest.fixture
def without(tmp_path: Path, captures: Path) -> Path:
    return made_project(tmp_path / "without.tune", host=(Phase.BEFORE, captures))


def test_without_a_database_the_page_says_what_belongs_here(window: MainWindow, without: Path, idle: Idle) -> None:
    found = open_page(window, without, idle)
    assert "AWR" in shown_words(found) and not found.table.isVisible()


def test_one_side_alone_is_a_list_without_comparison(page: StatementsPage, idle: Idle) -> None:
    after = page.pickers.after
    after.setCurrentIndex(after.count() - 1)
    after.activated.emit(after.count() - 1)
    idle()
    idle()
    names = [each.id for each in page.model.columns]
    assert "ratio" not in names and "elapsed.before" in names and "elapsed.after" not in names
    assert not page.headline.isVisible() and not page.tools.chips.isVisible()
    expected = sorted(ID, key=lambda each: -(one(FIRST, each).elapsed_s + one(SECOND, each).elapsed_s))
    assert ids(page) == expected
    assert "Totals – 12" in page.table.totals.model().index(0, 0).data()


def test_a_kept_window_shows_its_periods_and_follows_every_edit(
    window: MainWindow, project_file: Path, idle: Idle
) -> None:
    """The second hour after alone; then an edit to the first, its undo, and the run with one click."""

    def hour(work: Workload) -> Occurrence:
        ends = (each.replace(tzinfo=SEOUL).timestamp() for each in (work.begin, work.end))
        return Occurrence(*(int(each) * 1_000_000_000 for each in ends))

    with projects.open_(project_file) as project:
        applying.apply(project, windows.add(project, Window(0, "Peak", WindowRole.AFTER, occurrences=(hour(AGAIN),))))
    found = open_page(window, project_file, idle)
    book = found.controller.book
    assert found.pickers.after.currentText() == "Peak" and found.pickers.before.currentText() == "before"
    after = found.controller.after
    assert after is not None and [each.record.elapsed_s for each in after.used] == [3600.0]
    first = after.used[0].begin_ns
    (kept,) = book.windows
    book.keep(replace(kept, occurrences=(hour(TUNED),)), kept)
    idle()
    idle()
    after = found.controller.after
    assert after is not None and first is not None and after.used[0].begin_ns == first - 3600 * 1_000_000_000
    window.workspace.undo.undo()
    idle()
    idle()
    after = found.controller.after
    assert after is not None and after.used[0].begin_ns == first
    found.pickers.after.setCurrentText("after")
    found.pickers.after.activated.emit(found.pickers.after.currentIndex())
    idle()
    idle()
    after = found.controller.after
    assert after is not None and len(after.used) == 2
    window.show_page("database")
    idle()
    page = window.page("database")
    assert isinstance(page, ProfilePage) and "Peak" in listed(page.pickers.after)
    book.remove(book.windows[0])
    idle()
    idle()
    assert page.controller.read and listed(page.pickers.after) == ["before", "after", "(none)"]


def listed(picker: QComboBox) -> list[str]:
    return [picker.itemText(place) for place in range(picker.count()) if picker.itemText(place)]


def test_swapping_turns_improvements_into_regressions(page: StatementsPage, qtbot: Any, idle: Idle) -> None:
    qtbot.mouseClick(page.pickers.swap, Qt.MouseButton.LeftButton)
    idle()
    idle()
    assert cell(page, ID[1], "change") == "↓ improved"
    assert cell(page, ID[0], "change") == "↑ regressed"


def test_a_side_with_a_restart_is_named_and_shows_no_figures(window: MainWindow, tmp_path: Path, idle: Idle) -> None:
    broken = replace(FIRST, started=FIRST.begin + timedelta(minutes=20))
    path = made_project(
        tmp_path / "broken.tune",
        before=(Phase.BEFORE, write(tmp_path / "b", broken)),
        after=(Phase.AFTER, write(tmp_path / "a", TUNED)),
    )
    found = open_page(window, path, idle)
    said = shown_words(found)
    assert "restarted" in said and "no valid period (1 left out)" in said
    assert found.model.rowCount() == 0 and not found.table.isVisible() and not found.headline.isVisible()


def test_periods_of_other_lengths_are_warned_of(window: MainWindow, tmp_path: Path, idle: Idle) -> None:
    longer = FIRST.later(375, start=LATER)
    path = made_project(
        tmp_path / "long.tune",
        before=(Phase.BEFORE, write(tmp_path / "b", replace(FIRST, end=FIRST.begin + HOUR / 2))),
        after=(Phase.AFTER, write(tmp_path / "a", longer)),
    )
    found = open_page(window, path, idle)
    assert "0:30:00" in shown_words(found.facts) and "6:15:00" in shown_words(found.facts)
    assert text("database.warning.period_lengths_differ", before="0:30:00", after="6:15:00") in shown_words(found.facts)


def test_figures_that_nobody_measured_have_no_column_and_are_named(
    window: MainWindow, tmp_path: Path, idle: Idle, qtbot: Any
) -> None:
    sides = {
        phase.value: (phase, FIXTURES / "pgbench" / phase.value / "pg_stat_statements.csv")
        for phase in (Phase.BEFORE, Phase.AFTER)
    }
    found = open_page(window, made_project(tmp_path / "pg.tune", **sides), idle)
    assert not any(each.figure == "cpu_s" for each in found.model.columns)
    qtbot.mouseClick(found.facts.more, Qt.MouseButton.LeftButton)
    idle()
    assert "Not measured on either side: CPU time." in shown_words(found.facts)
    assert found.headline.nothing["cpu_s"].text() == "not comparable: not measured on both sides"


def in_two(work: Workload, slower: str) -> Workload:
    """Every statement in two pluggable databases; in one of them four times as slow."""
    ones = [
        replace(each, container=name, elapsed_s=each.elapsed_s * 4 if name == slower else each.elapsed_s)
        for each in work.statements
        for name in ("PDB1", "PDB2")
    ]
    return replace(work, statements=tuple(ones))


def test_one_id_in_two_pluggable_databases_is_two_rows(
    window: MainWindow, tmp_path: Path, idle: Idle, qtbot: Any
) -> None:
    sides = {"before": (Phase.BEFORE, in_two(FIRST, "PDB1")), "after": (Phase.AFTER, in_two(TUNED, "PDB2"))}
    for name, (_, work) in sides.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "awr.html").write_bytes(report(workload=work, top=60, cdb=True).data)
    path = made_project(tmp_path / "cdb.tune", **{name: (phase, tmp_path / name) for name, (phase, _) in sides.items()})
    page = open_page(window, path, idle)
    same = ID[7]  # took as long after as before
    assert column(page, "container") == column(page, "name") + 1
    assert column(page, "id") == len(page.model.columns) - 1, "the id stands last"
    assert (cell(page, f"{same}@PDB1", "container"), cell(page, f"{same}@PDB2", "container")) == ("PDB1", "PDB2")
    assert (cell(page, f"{same}@PDB1", "change"), cell(page, f"{same}@PDB2", "change")) == ("↓ improved", "↑ regressed")
    assert float(page.model.plain(row_of(page, f"{same}@PDB2"), column(page, "ratio"))) == pytest.approx(0.25, rel=1e-3)
    at = page.tools.container.findText("Container PDB2", Qt.MatchFlag.MatchStartsWith)
    page.tools.container.setCurrentIndex(at)
    page.tools.container.activated.emit(at)
    assert {str(page.model.index(row, column(page, "container")).data()) for row in range(page.model.rowCount())} == {
        "PDB2"
    }
    choose(page, f"{ID[9]}@PDB2")
    offer = page.to_pin()
    assert offer is not None and [part.words.endswith(f"{ID[9]}@PDB2") for part in offer.parts] == [True]
    page.detail.show_tab("link")
    links = page.detail.links
    assert "PDB2" in shown_words(links)
    wanted = next(row for row in range(links.partners.count()) if "PDB2" in links.partners.item(row).text())
    links.partners.setCurrentRow(wanted)
    qtbot.keyClicks(links.name, "Kim")
    qtbot.mouseClick(links.link_button, Qt.MouseButton.LeftButton)
    idle()
    idle()
    (kept,) = list_links(window.workspace.opened)
    assert (kept.before_id, kept.after_id) == (f"{ID[9]}@PDB2", f"{REWRITTEN}@PDB2")
    rows = page.model.statements
    assert rows is not None
    of_first = rows.pairs[rows.place_of(f"{ID[9]}@PDB1") or 0]
    assert (of_first.after, rows.pairs[rows.place_of(f"{ID[9]}@PDB2") or 0].after_ids) == ((), (REWRITTEN,))


def test_one_container_needs_no_column(page: StatementsPage) -> None:
    assert not page.tools.container.isVisible()
    assert "container" not in [each.id for each in page.model.columns]


# -- words ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("code", "mode"), [("ko", "dark"), ("en", "light")])
def test_it_is_said_in_both_languages(
    page: StatementsPage, look: Callable[..., None], idle: Idle, code: str, mode: str
) -> None:
    look(code, mode)
    page.detail.show_tab("figures")
    idle()
    words = shown_words(page) + "".join(ids(page)) + cell(page, ID[1], "change")
    assert "ui." not in words and "database." not in words
    assert ("악화" in words) == (code == "ko")
