"""A right click offers to pin what is under it: rows of tables, charts."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QMenu, QTableView

from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.pages.captures_page import CapturesPage
from tunebench.ui.pages.compare_page import ComparePage
from tunebench.ui.pages.engagement_page import EngagementPage
from tunebench.ui.pages.statements_page import StatementsPage
from tunebench.ui.pages.timeline_page import TimelinePage

Idle = Callable[[], None]
PIN = "Add as evidence…"
COPIES = ["Copy as a picture (PNG)", "Copy as vectors (SVG)", "Copy as a table (TSV)", "Save as a file …"]


def menu_at(table: QTableView, row: int) -> list[str]:
    """Texts of the menu that a right click on the row opens."""
    place = table.visualRect(table.model().index(row, 0)).center()
    table.customContextMenuRequested.emit(place)
    return texts()


def texts() -> list[str]:
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    found = [action.text() for action in menu.actions() if not action.isSeparator()]
    menu.close()
    return found


def test_a_capture_is_offered_and_the_row_chosen(opened: MainWindow, idle: Idle) -> None:
    page = opened.page("captures")
    assert isinstance(page, CapturesPage)
    assert menu_at(page.table, 2) == [PIN, "Remove capture…", *COPIES]
    assert page.table.currentIndex().row() == 2
    offer = page.to_pin()
    assert offer is not None and page.model.rows[2].name in offer.words


def test_a_click_beside_the_rows_offers_nothing(opened: MainWindow) -> None:
    page = opened.page("captures")
    assert isinstance(page, CapturesPage)
    page.table.customContextMenuRequested.emit(QPoint(5, page.table.viewport().height() + 400))
    assert QApplication.activePopupWidget() is None


def test_tables_of_figures_statements_and_comparisons_offer_it(opened: MainWindow) -> None:
    engagement, compare = opened.page("engagement"), opened.page("compare")
    assert isinstance(engagement, EngagementPage) and isinstance(compare, ComparePage)
    opened.show_page("engagement", "measurements")
    engagement.measurements.add()
    assert engagement.measurements.table.build_menu().actions()[0].text() == PIN
    statements = opened.page("statements")
    assert isinstance(statements, StatementsPage)
    for table in (statements.table.view, compare.table):
        assert table.receivers("2customContextMenuRequested(QPoint)") == 1
    compare.chart.customContextMenuRequested.emit(QPoint(20, 20))
    assert texts() == [PIN, *COPIES]


def test_a_chart_of_the_time_line_offers_it(opened: MainWindow, idle: Idle) -> None:
    opened.show_page("timeline")
    idle()
    page = opened.page("timeline")
    assert isinstance(page, TimelinePage)
    row = next(iter(page.charts.stack.rows.values()))
    words = [action.text() for action in row.build_menu().actions()]
    assert PIN in words
