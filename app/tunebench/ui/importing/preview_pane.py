"""The sample and what the definition makes of it: its text, every line with a colour, a mark and a reason for what it
was taken as; its first rows, the account of the lines, a small picture, its faults."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent, QTextFormat
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QTableWidget,
    QTableWidgetItem,
    QTextEdit,
    QToolTip,
    QWidget,
)

from tunebench.columns.formats import DASH, format_count, format_time, format_value
from tunebench.core.patterns import lazy_pattern
from tunebench.sdk.toml_tables import Problem
from tunebench.ui.importing.ledger_view import sentence
from tunebench.ui.look.fonts import SMALL_PX, code_font, font
from tunebench.ui.look.language import language, text
from tunebench.ui.look.painting import painter_on
from tunebench.ui.look.theme import ROW_HEIGHT_DENSE, SPACE_M, SPACE_S, SPACE_XS, Theme, current_theme, themes
from tunebench.ui.widgets.capture_lines import PARTS, LineBar
from tunebench.ui.widgets.parts import ElidedLabel, column, label, panel, row, stacked
from tunebench.usecases.importing.table_definitions import Preview, Taken

MARKS = {"data": "▪", "header": "H", "blank": "", "skipped": "✕"}
_COMMENT_MARK = "#"
_LONGEST_SHOWN = 600
_CONTROL = lazy_pattern(r"[\x00-\x08\x0a-\x1f\u2028\u2029]")
_SHOWN_ROWS = 60
_SHOWN_COLUMNS = 24


class _Gutter(QWidget):
    """Line numbers and marks, beside the text."""

    def __init__(self, view: SampleView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self) -> QSize:
        return QSize(self._view.gutter_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._view.paint_gutter(event)


class SampleView(QPlainTextEdit):
    """Read only. `line_chosen` carries the 1-based number of the line that the cursor is in."""

    line_chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._taken: tuple[Taken, ...] = ()
        self._gutter = _Gutter(self)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFont(code_font())
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.updateRequest.connect(self._follow)
        self.cursorPositionChanged.connect(self._tell_line)
        themes().theme_changed.connect(self._recolour)
        self.setViewportMargins(self.gutter_width(), 0, 0, 0)

    def show_lines(self, lines: Sequence[str]) -> None:
        """Control characters as blanks, so that a line stays a line."""
        self._taken = ()
        self.setPlainText("\n".join(_CONTROL.sub("␀", line[:_LONGEST_SHOWN]) for line in lines))
        self.setViewportMargins(self.gutter_width(), 0, 0, 0)

    def show_taken(self, taken: Sequence[Taken]) -> None:
        self._taken = tuple(taken)
        self._recolour(current_theme())

    def words_of(self, line: int) -> str:
        """What line `line` was taken as, in words."""
        if not 1 <= line <= len(self._taken):
            return ""
        one = self._taken[line - 1]
        what = text(f"ui.tables.taken.{one.kind}")
        return f"{what}: {sentence('skipped', one.reason)}" if one.reason else what

    # --- painting
    def gutter_width(self) -> int:
        return self.fontMetrics().horizontalAdvance("0000 H") + 2 * SPACE_S

    def _recolour(self, theme: Theme) -> None:
        colours = _colours(theme)
        chosen = []
        block = self.document().firstBlock()
        for one in self._taken:
            colour = colours.get(_kind(one))
            if colour is not None and block.isValid():
                selection = QTextEdit.ExtraSelection()
                selection.cursor = self.textCursor()
                selection.cursor.setPosition(block.position())
                selection.format.setBackground(colour)
                selection.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
                chosen.append(selection)
            block = block.next()
        self.setExtraSelections(chosen)
        self._gutter.update()

    def _follow(self, rect: QRect, dy: int) -> None:
        if dy:
            self._gutter.scroll(0, dy)
        else:
            self._gutter.update(0, rect.y(), self._gutter.width(), rect.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        inside = self.contentsRect()
        self._gutter.setGeometry(QRect(inside.left(), inside.top(), self.gutter_width(), inside.height()))

    def paint_gutter(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self._gutter)
        painter.fillRect(event.rect(), theme.background)
        painter.setFont(font(SMALL_PX))
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        width = self._gutter.width()
        while block.isValid() and top <= event.rect().bottom():
            height = self.blockBoundingRect(block).height()
            number = block.blockNumber()
            box = QRect(0, int(top), width - SPACE_XS, int(height))
            painter.setPen(theme.muted)
            half = box.adjusted(0, 0, -2 * SPACE_S, 0)
            painter.drawText(half, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(number + 1))
            if number < len(self._taken):
                one = self._taken[number]
                painter.setPen(_mark_colour(theme, one))
                mark = _COMMENT_MARK if one.reason == "comment" else MARKS[one.kind]
                painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, mark)
            block = block.next()
            top += height

    # --- reading
    def _tell_line(self) -> None:
        self.line_chosen.emit(self.textCursor().blockNumber() + 1)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            at = self.viewport().mapFromGlobal(event.globalPos())
            number = self.cursorForPosition(QPoint(max(at.x(), 0), at.y())).blockNumber() + 1
            QToolTip.showText(event.globalPos(), self.words_of(number), self)
            return True
        return super().event(event)


def _kind(one: Taken) -> str:
    return "comment" if one.reason == "comment" else one.kind


def _colours(theme: Theme) -> dict[str, QColor]:
    return {
        "data": theme.tint(theme.ok, 0.12),
        "header": theme.tint(theme.after, 0.22),
        "skipped": theme.tint(theme.warning, 0.24),
        "comment": theme.tint(theme.muted, 0.14),
    }


def _mark_colour(theme: Theme, one: Taken) -> QColor:
    return {"data": theme.ok, "header": theme.after, "skipped": theme.warning}.get(_kind(one), theme.muted)


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
        painter = painter_on(self, smooth=True)
        inside = QRectF(self.rect()).adjusted(2, 4, -2, -4)
        painter.fillRect(self.rect(), theme.surface)
        points = [(at, value) for at, value in enumerate(self._points) if value is not None]
        if not points:
            return
        low, high = min(value for _, value in points), max(value for _, value in points)
        span, last = high - low or 1.0, max(len(self._points) - 1, 1)
        places = [
            QPointF(
                inside.left() + inside.width() * at / last,
                inside.bottom() - inside.height() * ((value - low) / span if high > low else 0.5),
            )
            for at, value in points
        ]
        painter.setPen(QPen(theme.series[0], 1.5))
        if len(points) == 1:
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
            *(f"! {sentence('warning', key, **ledger.warning_facts)}" for key in ledger.warnings),
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
            for at, sample in enumerate(rows):
                values = (DASH if value is None else format_value(value) for value in sample.values[:_SHOWN_COLUMNS])
                cells = [format_time(sample.time_ns, self._zone), *([sample.things] if things else []), *values]
                for index, words in enumerate(cells):
                    item = QTableWidgetItem(words)
                    item.setData(Qt.ItemDataRole.UserRole, sample.line)
                    if index > int(things):
                        item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                    self.table.setItem(at, index, item)
            self.table.resizeColumnsToContents()

    def _on_row(self) -> None:
        chosen = self.table.selectedItems()
        if chosen:
            self.line_chosen.emit(int(chosen[0].data(Qt.ItemDataRole.UserRole)))

    def _on_fault(self, item: QListWidgetItem) -> None:
        self.fault_chosen.emit(self._problems[self.faults.row(item)])
