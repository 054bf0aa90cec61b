"""Hosts and streams of a running session in a table that stays quick: only cells that changed are told to the view."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu

from tunebench.columns.column import Column
from tunebench.columns.formats import DASH, format_bytes, format_value
from tunebench.core.records import record
from tunebench.domain.capturing.run import HostState, StreamState
from tunebench.ui.capturing.live_states import (
    HOST_SHAPES,
    HOST_TONES,
    STREAM_SHAPES,
    STREAM_TONES,
    host_troubled,
    lag_words,
    needs_attention,
    reason_words,
    stream_troubled,
)
from tunebench.ui.look.language import text, translated
from tunebench.ui.look.theme import ROW_HEIGHT_DENSE
from tunebench.ui.tables.model import Index, TableModel
from tunebench.ui.tables.view import TableView

if TYPE_CHECKING:
    from tunebench.domain.capturing.views import HostView, SessionView, StreamView


COLUMNS = ("name", "state", "lag", "lines", "bytes", "gaps", "overhead", "round_trip", "clock", "detail")
NAME, STATE, LAG, LINES, BYTES, GAPS, OVERHEAD, ROUND_TRIP, CLOCK, DETAIL = range(len(COLUMNS))
FIGURES = frozenset((LAG, LINES, BYTES, GAPS, OVERHEAD, ROUND_TRIP, CLOCK))
INDENT = "      "
FOLDED_FROM = 12
"""From so many hosts on, a session begins with its hosts folded."""
WIDTHS = (200, 168, 56, 72, 78, 52, 80, 84, 78)
_ROLES = [Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ForegroundRole]


@record
class Row:
    """One line of the table; `stream` is empty for a host's own line. `tone` colours its state."""

    host: str
    stream: str
    cells: tuple[str, ...]
    tone: str

    @property
    def key(self) -> tuple[str, str]:
        return self.host, self.stream


def rows_of(view: SessionView, folded: Collection[str], attention_only: bool) -> list[Row]:
    """What is shown: streams of a folded host are not, of the others those that the filter lets through."""
    rows: list[Row] = []
    for host in view.hosts:
        if attention_only and not needs_attention(host):
            continue
        is_folded = host.name in folded
        rows.append(_host_row(host, is_folded))
        if not is_folded:
            all_of_it = not attention_only or host_troubled(host)
            streams = sorted(host.streams, key=is_house)  # what is captured first
            rows.extend(_stream_row(host, one) for one in streams if all_of_it or stream_troubled(one))
    return rows


def is_house(stream: StreamView) -> bool:
    """Whether it measures us, not the host."""
    return stream.probe.startswith("house.")


def _host_row(host: HostView, folded: bool) -> Row:
    running = [one for one in host.streams if one.state is StreamState.CAPTURING]
    lags = [one.lag_s for one in running if one.lag_s is not None and not is_house(one)]
    detail = reason_words(host)
    if not detail and host.state is not HostState.DONE:
        detail = text("ui.live.streams_running", running=len(running), streams=len(host.streams))
    cells = (
        f"{'▸' if folded else '▾'} {host.name}",
        f"{HOST_SHAPES[host.state]} {text(f'host_state.{host.state}')}",
        lag_words(max(lags) if lags else None),
        f"{sum(one.lines for one in host.streams):,}",
        format_bytes(sum(one.bytes for one in host.streams)),
        _gaps(sum(one.gaps for one in host.streams)),
        DASH if host.overhead_pct is None else f"{format_value(host.overhead_pct, 2)} %",
        DASH if host.round_trip_ms is None else f"{format_value(host.round_trip_ms, 2)} ms",
        clock_words(host),
        detail,
    )
    return Row(host.name, "", cells, HOST_TONES.get(host.state, ""))


def clock_words(host: HostView) -> str:
    """Server minus here; a difference within the error of its measurement is none."""
    if host.clock is None:
        return DASH
    if abs(host.clock.offset_ns) <= host.clock.error_ns:
        return "0 s"
    seconds = host.clock.offset_ns / 1e9
    digits = 0 if abs(seconds) >= 100 else 2
    return f"{seconds:+,.{digits}f} s"


def _stream_row(host: HostView, stream: StreamView) -> Row:
    last_line = " ".join(stream.last_line.split())
    detail = text(f"error.{stream.error_key}", **stream.error_facts) if stream.error_key else last_line
    cells = (
        INDENT + (text("ui.live.house") if is_house(stream) else short_name(stream.id)),
        f"{STREAM_SHAPES[stream.state]} {text(f'stream_state.{stream.state}')}",
        lag_words(stream.lag_s),
        f"{stream.lines:,}",
        format_bytes(stream.bytes),
        _gaps(stream.gaps),
        DASH if stream.cpu_s is None else f"{format_value(stream.cpu_s, 2)} s",
        "",
        "",
        detail,
    )
    return Row(host.name, stream.id, cells, STREAM_TONES.get(stream.state, ""))


def _gaps(count: int) -> str:
    return f"{count:,}" if count else ""


def short_name(stream_id: str) -> str:
    """``linux.vmstat`` of ``db01/linux.vmstat``."""
    return stream_id.partition("/")[2] or stream_id


@record
class Totals:
    hosts: int
    streams: int
    running: int
    troubled: int
    gaps: int
    lines: int
    bytes: int


def totals_of(view: SessionView) -> Totals:
    streams = [one for host in view.hosts for one in host.streams]
    return Totals(
        hosts=len(view.hosts),
        streams=len(streams),
        running=sum(one.state is StreamState.CAPTURING for one in streams),
        troubled=sum(map(needs_attention, view.hosts)),
        gaps=sum(one.gaps for one in streams),
        lines=sum(one.lines for one in streams),
        bytes=sum(one.bytes for one in streams),
    )


class LiveModel(TableModel[Row]):
    """`rows_changed` after rows came or went; the selection is then the view's to restore."""

    rows_changed = Signal()

    def __init__(self) -> None:
        super().__init__([_column(index, id_) for index, id_ in enumerate(COLUMNS)])
        self.folded: set[str] = set()
        self.attention_only = False
        self._view: SessionView | None = None
        self._session = 0

    def show_view(self, view: SessionView | None) -> None:
        """The next picture of the same session, or another session."""
        if view is not None and view.session_id != self._session:
            self._session = view.session_id
            self.folded = {host.name for host in view.hosts} if len(view.hosts) >= FOLDED_FROM else set()
        self._view = view
        self.refresh()

    def refresh(self) -> None:
        """Takes new rows; the view hears only of cells that changed."""
        new = rows_of(self._view, self.folded, self.attention_only) if self._view is not None else []
        if [row.key for row in new] != [row.key for row in self.rows]:
            self.show_rows(new)
            self.rows_changed.emit()
            return
        old, self.rows = self.rows, new
        for first, last, left, right in changed_blocks(old, new):
            self.dataChanged.emit(self.index(first, left), self.index(last, right), _ROLES)

    def toggle(self, host: str) -> None:
        self.folded ^= {host}
        self.refresh()

    def fold_all(self, folded: bool) -> None:
        self.folded = {host.name for host in self._view.hosts} if folded and self._view is not None else set()
        self.refresh()

    def row_of(self, key: tuple[str, str]) -> int | None:
        return next((number for number, row in enumerate(self.rows) if row.key == key), None)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.AccessibleTextRole and index.isValid():
            cells = self.row_at(index).cells
            return ", ".join(cell.strip(" ▸▾") for cell in (cells[NAME], cells[STATE], cells[index.column()]))
        return super().data(index, role)


def _column(index: int, id_: str) -> Column[Row]:
    key = f"ui.live.column.{id_}"
    return Column(
        id_,
        key,
        lambda row: row.cells[index],
        right=index in FIGURES,
        tone=lambda row: _tone(row, index),
        tip=(lambda row, _: row.cells[index]) if index in (NAME, STATE, DETAIL) else None,
    )


def _tone(row: Row, column: int) -> str:
    if column == STATE and row.tone:
        return row.tone
    if column == DETAIL and row.tone not in ("", "ok"):
        return "text"
    return "text" if column in (NAME, STATE) or not row.stream else "muted"


def changed_blocks(old: Sequence[Row], new: Sequence[Row]) -> list[tuple[int, int, int, int]]:
    """Neighbouring changed rows as (first row, last row, first column, last column); both sequences are as long."""
    blocks: list[tuple[int, int, int, int]] = []
    for number, (before, after) in enumerate(zip(old, new, strict=True)):
        if before.cells == after.cells and before.tone == after.tone:
            continue
        pairs = zip(before.cells, after.cells, strict=True)
        columns = [column for column, (was, now) in enumerate(pairs) if was != now] or [STATE]
        left, right = columns[0], columns[-1]
        if blocks and blocks[-1][1] == number - 1:
            first, _, leftmost, rightmost = blocks.pop()
            blocks.append((first, number, min(leftmost, left), max(rightmost, right)))
        else:
            blocks.append((number, number, left, right))
    return blocks


class LiveTable(TableView):
    """Signals:
    row_chosen: the `Row` under the keyboard, by whatever means it came there.
    stop_asked, retry_asked: a `Row`.
    """

    row_chosen = Signal(object)
    stop_asked = Signal(object)
    retry_asked = Signal(object)

    def __init__(self) -> None:
        self.model_ = LiveModel()
        super().__init__(self.model_)
        self._current: tuple[str, str] | None = None
        self.choose_single_rows(ROW_HEIGHT_DENSE)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setStretchLastSection(True)
        for column, width in enumerate(WIDTHS):
            self.setColumnWidth(column, width)
        self.customContextMenuRequested.connect(self._open_menu)
        self.model_.rows_changed.connect(self._restore_current)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        translated(self, accessibleName="ui.live.table")

    def row_at(self, index: Index) -> Row | None:
        return self.model_.rows[index.row()] if index.isValid() else None

    def current_row(self) -> Row | None:
        return self.row_at(self.currentIndex())

    def choose(self, key: tuple[str, str]) -> None:
        number = self.model_.row_of(key)
        if number is not None:
            self.setCurrentIndex(self.model_.index(number, 0))

    def forget_choice(self) -> None:
        """Another session is shown."""
        self._current = None
        self.setCurrentIndex(QModelIndex())

    def _on_current(self, index: QModelIndex, _before: QModelIndex) -> None:
        row = self.row_at(index)
        if row is not None:
            self._current = row.key
            self.row_chosen.emit(row)

    def _restore_current(self) -> None:
        if self._current is None:
            return
        number = self.model_.row_of(self._current)
        if number is None:
            number = self.model_.row_of((self._current[0], ""))
        if number is not None:
            self.selectionModel().setCurrentIndex(
                self.model_.index(number, 0),
                self.selectionModel().SelectionFlag.ClearAndSelect | self.selectionModel().SelectionFlag.Rows,
            )

    # --- folding
    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        index = self.indexAt(event.position().toPoint())
        row = self.row_at(index)
        left = event.button() is Qt.MouseButton.LeftButton
        if left and row is not None and not row.stream and index.column() == NAME:
            self.model_.toggle(row.host)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """A second click is a click."""
        self.mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.current_row()
        if row is not None and event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Space):
            self._fold_by_key(row, event.key())
        else:
            super().keyPressEvent(event)

    def _fold_by_key(self, row: Row, key: int) -> None:
        folded = row.host in self.model_.folded
        if row.stream:
            if key == Qt.Key.Key_Left:
                self.choose((row.host, ""))
        elif key == Qt.Key.Key_Space or (key == Qt.Key.Key_Left) != folded:
            self.model_.toggle(row.host)

    # --- menu
    def _open_menu(self, position: QPoint) -> None:
        row = self.row_at(self.indexAt(position))
        if row is not None:
            self.build_menu(row).popup(self.viewport().mapToGlobal(position))

    def build_menu(self, row: Row) -> QMenu:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        key = "ui.live.menu.stop_stream" if row.stream else "ui.live.menu.stop_host"
        menu.addAction(text(key), lambda: self.stop_asked.emit(row))
        if not row.stream:
            menu.addAction(text("ui.live.menu.retry"), lambda: self.retry_asked.emit(row))
            menu.addSeparator()
        menu.addAction(text("ui.live.fold_all"), lambda: self.model_.fold_all(True))
        menu.addAction(text("ui.live.unfold_all"), lambda: self.model_.fold_all(False))
        return menu
