"""One statement: figures, texts, evidence, and links by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt

from tests.ui.made_statements import (  # noqa: F401  fixtures
    FIRST,
    ID,
    REWRITTEN,
    SECOND,
    TUNED,
    Idle,
    choose,
    column,
    english_fixture,
    ids,
    made_fixture,
    one,
    open_page,
    page_fixture,
    project_fixture,
    row_of,
    shown_words,
)
from tunebench.analysis.databases.matching import LinkMethod
from tunebench.ui.databases.link_panel import PLACE
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.look.language import text
from tunebench.ui.pages.statements_page import StatementsPage
from tunebench.usecases import projects
from tunebench.usecases.databases.choices import list_links

# -- one statement -------------------------------------------------------------------------------------


def test_the_arrow_keys_walk_and_the_detail_follows(page: StatementsPage, qtbot: Any) -> None:
    page.table.choose(page.model.rows[0])
    page.table.view.setFocus()
    qtbot.keyClick(page.table.view, Qt.Key.Key_Down)
    assert page.table.place == page.model.rows[1]
    assert page.detail._name.words().startswith("UPDATE accounts · update accounts set ")
    assert page.detail._id.text() == ids(page)[1]


def test_more_executions_or_worse_behaviour_is_answered(page: StatementsPage) -> None:
    choose(page, ID[3])
    said = page.detail.figures.decomposition.text()
    each = one(FIRST, ID[3])
    assert f"({2 * each.executions:,} → {6 * each.executions:,}, +200.0 %)" in said
    assert "not the same work" not in page.detail.figures.verdict.text()
    choose(page, ID[4])
    assert "Rows per execution differ" in page.detail.figures.verdict.text()
    choose(page, ID[9])
    assert "at most" in page.detail.figures.decomposition.text()


def cell(table: Any, row: int, column: int) -> str:
    return str(table.item(row, column).text())


def test_what_is_not_measured_is_said_in_words(page: StatementsPage) -> None:
    choose(page, ID[5])
    table = page.detail.figures.table
    rows = range(table.rowCount())
    said = {cell(table, row, 0): [cell(table, row, at) for at in range(1, 7)] for row in rows}
    elapsed = said[text("database.figure.elapsed_s")]
    assert elapsed[0] == f"{one(FIRST, ID[5]).elapsed_s + one(SECOND, ID[5]).elapsed_s:,.2f}"
    assert elapsed[2:5] == ["no execution", "no execution", "not computable"]
    choose(page, REWRITTEN)
    executions = next(cell(table, row, 1) for row in rows if cell(table, row, 0) == text("database.figure.executions"))
    assert executions == "not listed"


def test_evidence_leads_to_the_line_of_the_capture(
    page: StatementsPage, window: MainWindow, idle: Idle, qtbot: Any
) -> None:
    choose(page, ID[0])
    page.detail.show_tab("evidence")
    idle()
    evidence = page.detail.evidence
    places = [place for _side, place in evidence._origins]
    assert len({(place.artefact.id, place.line) for place in places}) >= 4
    item = evidence._column.itemAt(0)
    shown: Any = item.widget() if item is not None else None
    line = shown.lines[shown.marked - max(1, shown.marked - 2)]
    assert ID[0] in line
    asked: list[tuple[str, object]] = []
    window.workspace.page_asked.connect(lambda name, argument: asked.append((name, argument)))
    qtbot.mouseClick(evidence.open_button, Qt.MouseButton.LeftButton)
    assert asked == [("captures", places[0].artefact.id)]
    assert str(places[0].line) in window.messages.sentence()


def test_the_statement_is_pinned_in_both_runs(page: StatementsPage, window: MainWindow) -> None:
    choose(page, ID[0])
    offer = page.to_pin()
    assert offer is not None and offer.caption == ID[0]
    targets = offer.targets(window.workspace.opened, [part.key for part in offer.parts])
    assert [target.key for target in targets] == [f"oracle:{ID[0]}"] * 2
    assert [target.run_id for target in targets] == [1, 2]


def test_a_statement_is_found_again_by_its_id(page: StatementsPage, window: MainWindow, idle: Idle) -> None:
    page.tools.words.setText("nothing like this")
    window.show_page("captures")
    window.workspace.show_page("statements", ID[2])
    idle()
    assert page.model.statements is not None and page.table.place == page.model.statements.place_of(ID[2])
    window.workspace.show_page("statements", "unheard")
    assert "unheard" in window.messages.sentence()


# -- links by hand -------------------------------------------------------------------------------------


def link_by_hand(page: StatementsPage, qtbot: Any, idle: Idle) -> None:
    choose(page, ID[9])
    page.detail.show_tab("link")
    links = page.detail.links
    assert not links.link_button.isEnabled()
    partners = [links.partners.item(row).data(PLACE) for row in range(links.partners.count())]
    assert page.model.statements is not None
    assert [page.model.statements.pairs[place].after_ids for place in partners] == [(REWRITTEN,)]
    links.partners.setCurrentRow(0)
    qtbot.keyClicks(links.name, "Kim")
    qtbot.keyClicks(links.note, "hint added")
    qtbot.mouseClick(links.link_button, Qt.MouseButton.LeftButton)
    idle()
    idle()


def test_a_rewritten_statement_is_linked_undone_and_taken_back(
    page: StatementsPage, window: MainWindow, qtbot: Any, idle: Idle
) -> None:
    project, undo = window.workspace.opened, window.workspace.undo
    link_by_hand(page, qtbot, idle)
    assert page.model.statements is not None
    pair = page.model.statements.pairs[page.model.statements.place_of(ID[9]) or 0]
    assert (pair.before_ids, pair.after_ids, pair.method) == ((ID[9],), (REWRITTEN,), LinkMethod.MANUAL)
    ratio = 2 * one(FIRST, ID[9]).elapsed_s / (2 * one(TUNED, REWRITTEN).elapsed_s)
    assert float(page.model.plain(row_of(page, ID[9]), column(page, "ratio"))) == pytest.approx(ratio)
    (kept,) = list_links(project)
    assert (kept.author, kept.note, kept.engine) == ("Kim", "hint added", "oracle")
    undo.undo()
    idle()
    assert list_links(project) == []
    undo.redo()
    idle()
    idle()
    (again,) = list_links(project)
    assert (again.author, again.made_at, again.note) == (kept.author, kept.made_at, kept.note)
    choose(page, ID[9])
    page.detail.show_tab("link")
    assert "Kim" in shown_words(page.detail.links)
    qtbot.mouseClick(page.detail.links.unlink_button, Qt.MouseButton.LeftButton)
    idle()
    idle()
    assert list_links(project) == []
    undo.undo()
    assert [each.made_at for each in list_links(project)] == [kept.made_at]


def test_the_texts_of_a_rewritten_statement_stand_side_by_side(page: StatementsPage, qtbot: Any, idle: Idle) -> None:
    link_by_hand(page, qtbot, idle)
    choose(page, ID[9])
    page.detail.show_tab("text")
    sides = page.detail.texts.sides
    assert [line.sign for line in sides["before"].lines] == ["~"] == [line.sign for line in sides["after"].lines][:1]
    assert sides["before"].toPlainText() == one(FIRST, ID[9]).text
    assert "금액 is not null" in sides["after"].toPlainText()


def test_a_project_that_is_only_read_offers_no_links(window: MainWindow, project_file: Path, idle: Idle) -> None:
    holder = projects.open_(project_file)
    try:
        found = open_page(window, project_file, idle)
        assert not window.workspace.writable
        assert found.model.rowCount() == 13
        choose(found, ID[9])
        found.detail.show_tab("link")
        found.detail.links.partners.setCurrentRow(0)
        assert found.detail.links.name.isReadOnly()
        assert not found.detail.links.link_button.isEnabled()
    finally:
        projects.close(holder)
