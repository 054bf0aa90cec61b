"""The table twin of the charts: samples of the visible window, read when it is open: for screen readers, for copying,
for looking at exact figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from tunebench.analysis.exploring.time_range import TimeRange
from tunebench.analysis.series import SeriesData, joined
from tunebench.columns.column import Column, Locale
from tunebench.columns.formats import format_value
from tunebench.columns.time_ticks import stamp_text
from tunebench.core.records import record
from tunebench.domain.series import SeriesInfo
from tunebench.ui.jobs_bridge import JobsBridge, while_wanted
from tunebench.ui.look.formats import host_words, unit_text
from tunebench.ui.look.language import text, translated
from tunebench.ui.tables.model import TableModel
from tunebench.ui.tables.view import TableView
from tunebench.ui.widgets.parts import column, label
from tunebench.usecases import browse
from tunebench.usecases.exploring.strands import Strand, reaches, strands
from tunebench.usecases.projects import Project

MOST_ROWS = 200_000
DELAY_MS = 200


@record
class SampleColumn:
    name: str
    unit: str
    data: SeriesData


@record
class SampleGrid:
    """Samples of several series on the union of their stamps.

    Attributes:
        times_ns: int64[r].
        rows: per column int64[r], the index into the column's own samples, -1 where it has none then.
        cut: whether rows beyond `MOST_ROWS` were left out.
    """

    times_ns: NDArray[np.int64]
    columns: tuple[SampleColumn, ...]
    rows: tuple[NDArray[np.int64], ...]
    cut: bool


def sample_grid(columns: Sequence[SampleColumn], most: int = MOST_ROWS) -> SampleGrid:
    """The columns lined up by stamp. A stamp that a column repeats (a clock put back) shows its first sample."""
    stamps = [column.data.times_ns for column in columns]
    times = np.unique(np.concatenate(stamps)) if stamps else np.empty(0, dtype=np.int64)
    cut, times = times.size > most, times[:most]
    rows = []
    for own in stamps:
        order = np.argsort(own, kind="stable")
        index = np.searchsorted(own[order], times, side="left")
        samples = np.full(times.size, -1, dtype=np.int64)
        inside = index < own.size
        hits = np.zeros(times.size, dtype=np.bool_)
        hits[inside] = own[order][index[inside]] == times[inside]
        samples[hits] = order[index[hits]]
        rows.append(samples)
    return SampleGrid(times, tuple(columns), tuple(rows), cut)


def sample_columns(grid: SampleGrid, zone: ZoneInfo) -> list[Column[int]]:
    """One column per series beside the time; a row is an index into `SampleGrid.times_ns`."""
    stamps: Column[int] = Column("time", "ui.charts.table.time", lambda row: stamp_text(int(grid.times_ns[row]), zone))
    return [stamps, *map(_series_column, grid.columns, grid.rows)]


def _series_column(column: SampleColumn, samples: NDArray[np.int64]) -> Column[int]:
    def value(row: int) -> float | None:
        reading = float(column.data.values[samples[row]]) if samples[row] >= 0 else np.nan
        return None if np.isnan(reading) else reading

    def since_boot(row: int) -> bool:
        return bool(samples[row] >= 0 and column.data.since_boot[samples[row]])

    def words(row: int, _locale: Locale) -> str:
        if samples[row] < 0:
            return ""
        shown = format_value(float(column.data.values[samples[row]]))
        return text("ui.charts.since_boot.value", value=shown) if since_boot(row) else shown

    heading = f"{column.name} [{column.unit}]" if column.unit else column.name
    return Column(
        column.name,
        lambda _: heading,
        value,
        text=words,
        tip=lambda row, _: text("ui.charts.since_boot.cell") if since_boot(row) else None,
    )


class TablePane(QWidget):
    def __init__(self, jobs: JobsBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._project: Project | None = None
        self._wanted: tuple[list[SeriesInfo], TimeRange, ZoneInfo] | None = None
        self.model: TableModel[int] = TableModel(sample_columns(sample_grid([]), ZoneInfo("UTC")))
        self.view = translated(TableView(self.model), accessibleName="ui.charts.table.name")
        self._cut = False
        self.says = label(role="small")
        self._timer = QTimer(self, singleShot=True, interval=DELAY_MS)
        self._timer.timeout.connect(self._read)
        self.setLayout(column((self.view, 1), self.says))

    def use(self, project: Project | None) -> None:
        """Reads samples of this project from now on; None where it is closed, and nothing is shown."""
        self._jobs.drop(self)
        self._project, self._wanted = project, None
        self._timer.stop()
        if project is None:
            self._show(sample_grid([]), ZoneInfo("UTC"))

    def ask(self, series: Sequence[SeriesInfo], window: TimeRange, zone: ZoneInfo) -> None:
        self._wanted = ([info for info in series if reaches(info, window.ends)], window, zone)
        self._timer.start()

    def _read(self) -> None:
        if self._project is None or self._wanted is None:
            return
        project, (series, window, zone) = self._project, self._wanted
        self._jobs.run(
            "cpu",
            lambda handle: _read(project, while_wanted(handle, strands(series)), window),
            owner=self,
            slot="table",
            on_result=lambda grid: self._show(grid, zone),
        )

    def _show(self, grid: SampleGrid, zone: ZoneInfo) -> None:
        self._cut = grid.cut
        self.model.show_rows(range(grid.times_ns.size), sample_columns(grid, zone))
        self.view.setColumnWidth(0, 190)
        for index in range(1, self.model.columnCount()):
            self.view.setColumnWidth(index, 120)
        self.retranslate()

    def retranslate(self) -> None:
        key = "ui.charts.table.cut" if self._cut else "ui.charts.table.rows"
        self.says.setText(text(key, n=f"{self.model.rowCount():,}", most=f"{MOST_ROWS:,}"))


def _read(project: Project, wanted: Iterable[Strand], window: TimeRange) -> SampleGrid:
    columns = []
    for strand in wanted:
        parts = [browse.series_data(project, part.id, window.start_ns, window.end_ns) for part in strand.parts]
        info = strand.info
        columns.append(SampleColumn(f"{host_words(info.host)} {info.label}", unit_text(info.unit), joined(parts)))
    return sample_grid(columns)
