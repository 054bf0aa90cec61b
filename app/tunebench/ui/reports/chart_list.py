"""The series of the chapters on resources: which are shown, and which of their windows are drawn."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHeaderView, QTableWidget, QTableWidgetItem

from tunebench.reporting.look import WINDOWS, Look
from tunebench.ui.look.language import text

_HEIGHT = 98


class ChartList(QTableWidget):
    """
    Args:
        charts: id -> title of each series; one that `look` names and that is not here keeps what it was told.
    """

    def __init__(self, charts: Mapping[str, str], look: Look) -> None:
        super().__init__(len(charts), 1 + len(WINDOWS))
        self._look, self._ids = look, list(charts)
        self.setAccessibleName(text("ui.report.look.charts"))
        titles = (text("ui.report.look.charts.series"), *(text(f"ui.compare.side.{name}") for name in WINDOWS))
        self.setHorizontalHeaderLabels(titles)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.verticalHeader().hide()
        self.setFixedHeight(_HEIGHT)
        for line, (series, title) in enumerate(charts.items()):
            item = QTableWidgetItem(title)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled)
            item.setToolTip(series)
            self.setItem(line, 0, item)
            for index, name in enumerate(WINDOWS, 1):
                self.setItem(line, index, _check(name in look.windows_of(series)))

    def chosen(self) -> dict[str, list[str]]:
        """The windows that are drawn of each series."""
        kept = {chart.series: list(chart.windows) for chart in self._look.charts}
        for line, series in enumerate(self._ids):
            kept[series] = [name for index, name in enumerate(WINDOWS, 1) if self._is_checked(line, index)]
        return kept

    def _is_checked(self, line: int, index: int) -> bool:
        item = self.item(line, index)
        return item is not None and item.checkState() is Qt.CheckState.Checked


def _check(on: bool) -> QTableWidgetItem:
    item = QTableWidgetItem()
    item.setFlags(Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsEnabled)
    item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)
    return item
