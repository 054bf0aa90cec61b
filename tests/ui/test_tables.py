"""The table kit: what sorts where, what is copied, and what a key does."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from tunebench.columns.column import Column
from tunebench.columns.formats import COUNT
from tunebench.ui.tables.model import RowFilter, TableModel
from tunebench.ui.tables.view import FigureTable, RowView

Pair = tuple[str, float | None]
ROWS: tuple[Pair, ...] = (("beta", 1500.0), ("Alpha", None), ("gamma", 2.5))
COLUMNS: tuple[Column[Pair], ...] = (
    Column("name", lambda _: "Name", lambda row: row[0]),
    Column("size", lambda _: "Size", lambda row: row[1], COUNT),
)


@pytest.fixture
def view(qtbot: Any) -> RowView:
    model: TableModel[Pair] = TableModel(COLUMNS)
    model.show_rows(ROWS)
    made = RowView(RowFilter(model))
    made.choose_rows()
    qtbot.addWidget(made)
    return made


@pytest.mark.parametrize(
    ("column", "order", "names"),
    [
        (1, Qt.SortOrder.AscendingOrder, ["gamma", "beta", "Alpha"]),
        (1, Qt.SortOrder.DescendingOrder, ["beta", "gamma", "Alpha"]),  # what has no figure is last both ways
        (0, Qt.SortOrder.AscendingOrder, ["Alpha", "beta", "gamma"]),
        (-1, Qt.SortOrder.AscendingOrder, ["beta", "Alpha", "gamma"]),
    ],
)
def test_rows_are_sorted_by_figure_or_words(view: RowView, column: int, order: Qt.SortOrder, names: list[str]) -> None:
    view.sortByColumn(column, order)
    assert [view.model().index(row, 0).data() for row in range(3)] == names


def test_whole_figures_are_copied_with_their_headings(qtbot: Any, view: RowView) -> None:
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "Name\tSize\r\nbeta\t1500.0\r\nAlpha\t\r\ngamma\t2.5\r\n"


def test_a_tab_or_a_line_end_in_a_cell_does_not_part_the_copied_row(qtbot: Any) -> None:
    model: TableModel[Pair] = TableModel(COLUMNS)
    model.show_rows([("%m\t[%p]\nx", 1.0)])
    view = RowView(RowFilter(model))
    qtbot.addWidget(view)
    assert view.lines() == [["Name", "Size"], ["%m\t[%p]\nx", "1.0"]]


def test_what_there_is_no_figure_for_is_copied_in_its_words(qtbot: Any) -> None:
    """``not listed`` is another thing than not measured."""
    table = FigureTable()
    qtbot.addWidget(table)
    listed: Column[Pair] = Column(
        "calls", lambda _: "Calls", lambda row: row[1], text=lambda row, _: "not listed" if row[1] is None else "1,500"
    )
    table.show_rows([COLUMNS[0], listed], ROWS[:2])
    assert table.lines()[1:] == [["beta", "1500.0"], ["Alpha", "not listed"]]


def test_where_one_row_is_chosen_the_cell_under_the_keyboard_is_copied(qtbot: Any, view: RowView) -> None:
    view.choose_single_rows()
    view.setCurrentIndex(view.model().index(0, 1))
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "1,500"


def test_words_narrow_the_rows_and_enter_opens_one(qtbot: Any, view: RowView) -> None:
    found = view.model()
    assert isinstance(found, RowFilter)
    found.narrow("GAM")
    view.selectRow(0)
    with qtbot.waitSignal(view.opened) as opened:
        qtbot.keyClick(view, Qt.Key.Key_Return)
    assert opened.args == [("gamma", 2.5)] and found.rowCount() == 1
