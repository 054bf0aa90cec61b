"""What the definition makes of the sample: its first rows, the account of the lines, a small picture, its faults."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QAbstractItemView, QListWidget, QListWidgetItem, QTableWidget, QTableWidgetItem, QWidget

from app.ui.importing.ledger_view import sentence
from app.ui.look.formats import DASH, format_count, format_time, format_value
from app.ui.look.language import language, text
from app.ui.look.theme import ROW_HEIGHT_DENSE, SPACE_M, current_theme
from app.ui.widgets.line_bar import PARTS, LineBar
from app.ui.widgets.parts import ElidedLabel, column, label, panel, row, stacked
from app.usecases.importing.table_definitions import Preview, Problem

_SHOWN_ROWS = 60
_SHOWN_COLUMNS = 24


class Sketch(QWidget):
    """The first series as a line, without axes: whether it looks like a measurement."""

    def __init__(self) -> None:
        super().__init__()
        self._points: tuple[float | None, ...] = ()
        self.setMinimumSize(120, 48)

    def show_points(self, points: tuple[float | None, ...]) -> None:
        self._points = points
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inside = QRectF(self.rect()).adjusted(2, 4, -2, -4)
        painter.fillRect(self.rect(), theme.surface)
        known = [(at, value) for at, value in enumerate(self._points) if value is not None]
        if not known:
            return
        low, high = min(value for _, value in known), max(value for _, value in known)
        span, last = high - low or 1.0, max(len(self._points) - 1, 1)
        places = [
            QPointF(
                inside.left() + inside.width() * at / last,
                inside.bottom() - inside.height() * ((value - low) / span if high > low else 0.5),
            )
            for at, value in known
        ]
        painter.setPen(QPen(theme.series[0], 1.5))
        if len(known) == 1:
            painter.drawEllipse(places[0], 2, 2)
        else:
            painter.drawPolyline(QPolygonF(places))


class PreviewPane(QWidget):
    """`fault_chosen` carries the problem that was clicked, `line_chosen` the line of the row that was clicked."""

    fault_chosen = Signal(object)
    line_chosen = Signal(int)

    def __init__(self, zone: ZoneInfo) -> None:
        super().__init__()
        self._zone = zone
        self._problems: tuple[Problem, ...] = ()
        self._make_parts()
        self._lay_out()

    def _make_parts(self) -> None:
        self.table = QTableWidget()
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(ROW_HEIGHT_DENSE)
        self.table.setShowGrid(False)
        self.table.setAccessibleName(text("ui.tables.preview"))
        self.table.itemSelectionChanged.connect(self._on_row)
        self.faults = QListWidget()
        self.faults.setWordWrap(True)
        self.faults.setAccessibleName(text("ui.tables.faults"))
        self.faults.itemClicked.connect(self._on_fault)
        self.stack = stacked(self.table, self.faults)
        self.bar = LineBar()
        self.counts = ElidedLabel(role="muted", mode=Qt.TextElideMode.ElideRight)
        self.account = label(role="small", wrap=True)
        self.sketch = Sketch()
        self.series = ElidedLabel(role="small")

    def _lay_out(self) -> None:
        side = panel(column(self.bar, self.counts, self.account, self.series, (self.sketch, 1)))
        side.setFixedWidth(330)
        self.setLayout(row((self.stack, 1), side, spacing=SPACE_M))

    def show_preview(self, preview: Preview) -> None:
        self._problems = preview.problems
        errors = [problem for problem in preview.problems if problem.level == "error"]
        self._show_faults()
        self.stack.setCurrentWidget(self.faults if errors else self.table)
        self._show_account(preview)
        if not errors:
            self._show_rows(preview)

    def _show_faults(self) -> None:
        self.faults.clear()
        for problem in self._problems:
            mark = "✕" if problem.level == "error" else "!"
            item = QListWidgetItem(f"{mark} {problem.text(language().code)}")
            item.setForeground(current_theme().critical if problem.level == "error" else current_theme().warning)
            self.faults.addItem(item)

    def _show_account(self, preview: Preview) -> None:
        ledger = preview.ledger
        self.bar.show_counts(ledger.lines)
        parts = ", ".join(f"{text(f'ui.ledger.lines.{p}')} {format_count(getattr(ledger.lines, p))}" for p in PARTS)
        self.counts.set_words(parts if ledger.lines.total else "")
        words = [
            *(f"✕ {format_count(one.count)} {sentence('skipped', one.reason)}" for one in ledger.skipped),
            *(f"! {sentence('warning', key)}" for key in ledger.warnings),
            *(f"? {sentence('need', key)}" for key in ledger.needs),
        ]
        self.account.setText("\n".join(words[:5]))
        self.series.set_words(preview.series)
        self.sketch.show_points(preview.points)

    def _show_rows(self, preview: Preview) -> None:
        columns = preview.columns[:_SHOWN_COLUMNS]
        rows = preview.rows[:_SHOWN_ROWS]
        things = any(row.things for row in rows)
        heads = [text("ui.tables.time"), *([text("ui.tables.thing")] if things else []), *columns]
        with QSignalBlocker(self.table):
            self.table.setColumnCount(len(heads))
            self.table.setHorizontalHeaderLabels(heads)
            self.table.setRowCount(len(rows))
            for at, each in enumerate(rows):
                values = (DASH if value is None else format_value(value) for value in each.values[:_SHOWN_COLUMNS])
                cells = [format_time(each.time_ns, self._zone), *([each.things] if things else []), *values]
                for place, words in enumerate(cells):
                    item = QTableWidgetItem(words)
                    item.setData(Qt.ItemDataRole.UserRole, each.line)
                    if place > int(things):
                        item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                    self.table.setItem(at, place, item)
            self.table.resizeColumnsToContents()

    def _on_row(self) -> None:
        chosen = self.table.selectedItems()
        if chosen:
            self.line_chosen.emit(int(chosen[0].data(Qt.ItemDataRole.UserRole)))

    def _on_fault(self, item: QListWidgetItem) -> None:
        self.fault_chosen.emit(self._problems[self.faults.row(item)])
