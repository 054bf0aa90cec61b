"""The table twin of the charts: samples of the visible window, read when it is open."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from zoneinfo import ZoneInfo

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from app.analysis.series import joined
from app.domain.series import SeriesInfo
from app.ui.charts.sample_table import MOST_ROWS, SampleColumn, SampleGrid, sample_columns, sample_grid
from app.ui.charts.source import Source
from app.ui.charts.strands import Strand, reaches, strands
from app.ui.charts.time_range import TimeRange
from app.ui.charts.value_ticks import unit_text
from app.ui.jobs_bridge import JobsBridge, while_wanted
from app.ui.look.formats import host_words
from app.ui.look.language import text, translated
from app.ui.tables.model import TableModel
from app.ui.tables.view import TableView
from app.ui.widgets.parts import column, label

DELAY_MS = 200


class TablePane(QWidget):
    def __init__(self, jobs: JobsBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._wanted: tuple[Source, list[SeriesInfo], TimeRange, ZoneInfo] | None = None
        self.model: TableModel[int] = TableModel(sample_columns(sample_grid([]), ZoneInfo("UTC")))
        self.view = translated(TableView(self.model), accessibleName="ui.charts.table.name")
        self._cut = False
        self.says = label(role="small")
        self._timer = QTimer(self, singleShot=True, interval=DELAY_MS)
        self._timer.timeout.connect(self._read)
        self.setLayout(column((self.view, 1), self.says))

    def ask(self, source: Source, series: Sequence[SeriesInfo], window: TimeRange, zone: ZoneInfo) -> None:
        self._wanted = (source, [info for info in series if reaches(info, window)], window, zone)
        self._timer.start()

    def forget(self) -> None:
        """The project is closed."""
        self._wanted = None
        self._timer.stop()
        self._show(sample_grid([]), ZoneInfo("UTC"))

    def _read(self) -> None:
        if self._wanted is None:
            return
        source, series, window, zone = self._wanted
        self._jobs.run(
            "cpu",
            lambda handle: _read(source, while_wanted(handle, strands(series)), window),
            owner=self,
            slot="table",
            on_result=lambda grid: self._take(source, grid, zone),
        )

    def _take(self, source: Source, grid: SampleGrid, zone: ZoneInfo) -> None:
        if self._wanted is not None and self._wanted[0] is source:
            self._show(grid, zone)

    def _show(self, grid: SampleGrid, zone: ZoneInfo) -> None:
        self._cut = grid.cut
        self.model.show_rows(range(grid.times_ns.size), sample_columns(grid, zone))
        self.view.setColumnWidth(0, 190)
        for place in range(1, self.model.columnCount()):
            self.view.setColumnWidth(place, 120)
        self.retranslate()

    def retranslate(self) -> None:
        key = "ui.charts.table.cut" if self._cut else "ui.charts.table.rows"
        self.says.setText(text(key, n=f"{self.model.rowCount():,}", most=f"{MOST_ROWS:,}"))


def _read(source: Source, wanted: Iterable[Strand], window: TimeRange) -> SampleGrid:
    columns = []
    for strand in wanted:
        parts = [source.series_data(part.id, window.start_ns, window.end_ns) for part in strand.parts]
        info = strand.info
        columns.append(SampleColumn(f"{host_words(info.host)} {info.label}", unit_text(info.unit), joined(parts)))
    return sample_grid(columns)
