"""One time, one filter: what is selected, shared by all pages.

The stack of time ranges works like a browser's history: a new range cuts off what lay ahead; `back` and
`forward` walk. While something is dragged, `preview_range` moves everybody without filling the history.
"""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from tunebench.analysis.exploring.time_range import TimeRange
from tunebench.domain.engagement import Phase
from tunebench.domain.windows import Window

HISTORY_LENGTH = 200


class Selection(QObject):
    """Signals carry the new value; None as a range means the whole engagement (`extent`).

    What lies beyond the runs' time (captures that only their files' dates put there) is part of the extent from when
    a range reaches it until no range is chosen.
    """

    extent_changed = Signal(object)
    range_changed = Signal(object)
    history_changed = Signal()
    series_changed = Signal(object)
    windows_changed = Signal(object, object)
    cursor_changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._extent: TimeRange | None = None
        self._runs: TimeRange | None = None
        self._beyond: tuple[TimeRange, ...] = ()
        self._range: TimeRange | None = None
        self._history: list[TimeRange | None] = [None]
        self._position = 0
        self._series: tuple[int, ...] = ()
        self._before: Window | None = None
        self._after: Window | None = None
        self._cursor_ns: int | None = None

    # --- time range
    @property
    def extent(self) -> TimeRange | None:
        """First to last sample of the whole engagement; None while there is no data."""
        return self._extent

    @property
    def range(self) -> TimeRange | None:
        return self._range

    @property
    def shown_range(self) -> TimeRange | None:
        """The range, or the whole engagement where nothing is chosen."""
        return self._range or self._extent

    @property
    def everything(self) -> TimeRange | None:
        """The extent, with all that lies beyond it."""
        return _around(self._extent, self._beyond)

    def set_extent(self, runs: TimeRange | None, beyond: Iterable[TimeRange] = ()) -> None:
        self._runs, self._beyond = runs, tuple(beyond)
        self._measure_extent(runs)

    def _measure_extent(self, least: TimeRange | None) -> None:
        shown = self._range
        extent = _around(least, [span for span in self._beyond if shown is not None and span.clipped(shown)])
        if extent != self._extent:
            self._extent = extent
            self.extent_changed.emit(extent)

    def set_range(self, chosen: TimeRange | None) -> None:
        """Choose a range and remember it."""
        if chosen != self._history[self._position]:
            del self._history[self._position + 1 :]
            self._history.append(chosen)
            del self._history[:-HISTORY_LENGTH]
            self._position = len(self._history) - 1
            self.history_changed.emit()
        self._show_range(chosen)

    def preview_range(self, chosen: TimeRange | None) -> None:
        """Show a range while it is being dragged; `set_range` ends the drag."""
        self._show_range(chosen)

    def can_go_back(self) -> bool:
        return self._position > 0

    def can_go_forward(self) -> bool:
        return self._position < len(self._history) - 1

    def back(self) -> None:
        if self.can_go_back():
            self._walk(-1)

    def forward(self) -> None:
        if self.can_go_forward():
            self._walk(1)

    def _walk(self, step: int) -> None:
        self._position += step
        self.history_changed.emit()
        self._show_range(self._history[self._position])

    def _show_range(self, chosen: TimeRange | None) -> None:
        if chosen != self._range:
            self._range = chosen
            self._measure_extent(self._runs if chosen is None else self._extent)
            self.range_changed.emit(chosen)

    # --- series
    @property
    def series(self) -> tuple[int, ...]:
        return self._series

    def set_series(self, series_ids: Iterable[int]) -> None:
        chosen = tuple(dict.fromkeys(series_ids))
        if chosen != self._series:
            self._series = chosen
            self.series_changed.emit(chosen)

    def add_series(self, series_id: int) -> None:
        self.set_series((*self._series, series_id))

    # --- the two sides of a comparison: a kept window, a run or a stretch of one
    @property
    def before(self) -> Window | None:
        return self._before

    @property
    def after(self) -> Window | None:
        return self._after

    def set_window(self, phase: Phase, window: Window | None) -> None:
        if phase is Phase.BEFORE:
            self.set_windows(window, self._after)
        elif phase is Phase.AFTER:
            self.set_windows(self._before, window)

    def set_windows(self, before: Window | None, after: Window | None) -> None:
        if (before, after) != (self._before, self._after):
            self._before, self._after = before, after
            self.windows_changed.emit(before, after)

    # --- cursor
    @property
    def cursor_ns(self) -> int | None:
        return self._cursor_ns

    def set_cursor(self, time_ns: int | None) -> None:
        if time_ns != self._cursor_ns:
            self._cursor_ns = time_ns
            self.cursor_changed.emit(time_ns)

    def reset(self) -> None:
        """Forget everything: another project is shown."""
        self._history, self._position = [None], 0
        self.set_series(())
        self.set_windows(None, None)
        self.set_cursor(None)
        self._show_range(None)
        self.set_extent(None)
        self.history_changed.emit()


def _around(extent: TimeRange | None, others: Iterable[TimeRange]) -> TimeRange | None:
    if extent is None:
        return None
    spans = [extent, *others]
    return TimeRange(min(span.start_ns for span in spans), max(span.end_ns for span in spans))
