"""The table of statements: figures in bands of before and after, the sums in a row that stays in sight, and a small
line per statement: what an execution cost in each period."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from tunebench.analysis.databases.record import Numbers
from tunebench.columns.formats import format_value
from tunebench.ui.databases.statement_model import PLACE_ROLE, StatementModel
from tunebench.ui.look.fonts import BODY_PX, SMALL_PX, font
from tunebench.ui.look.language import text, translated
from tunebench.ui.look.theme import ROW_HEIGHT_DENSE, SCROLL_BAR, SPACE_S, current_theme
from tunebench.ui.tables.model import TableModel
from tunebench.ui.tables.view import FrozenColumns, TableView
from tunebench.ui.widgets.parts import column, row
from tunebench.usecases.databases.statement_columns import STRONG, StatementColumn, totals_columns

MARGIN_PX, DOT_PX = 5, 1.8
HEADER_PX, FROZEN = 40, 2
FITTED_ROWS, WIDEST_PX, PADDING_PX = 60, 300, 28


class Histories:
    """float64[periods, statements] of either side; empty until they are read."""

    def __init__(self) -> None:
        self.sides: dict[str, Numbers] = {}

    def of(self, place: int) -> list[tuple[str, Numbers]]:
        return [(side, values[:, place]) for side, values in self.sides.items() if place < values.shape[1]]

    def tip(self, place: int) -> str:
        lines = []
        for side, values in self.of(place):
            measured = values[~np.isnan(values)]
            if len(measured):
                lowest, highest = format_value(float(measured.min()) * 1000), format_value(float(measured.max()) * 1000)
                facts = {"count": len(measured), "low": lowest, "high": highest}
                lines.append(text(f"ui.statements.history.{side}", **facts))
        return "\n".join(lines) or text("ui.statements.history.none")


class SparkDelegate(QStyledItemDelegate):
    """Before in its colour, solid; after in its colour, dashed; a period without a figure is a gap."""

    def __init__(self, histories: Histories) -> None:
        super().__init__()
        self._histories = histories

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        position = index.data(PLACE_ROLE)
        parts = self._histories.of(position) if position is not None else []
        measured = np.concatenate([values[~np.isnan(values)] for _, values in parts]) if parts else np.zeros(0)
        if not len(measured):
            return
        area = QRectF(option.rect).adjusted(MARGIN_PX, MARGIN_PX, -MARGIN_PX, -MARGIN_PX)  # type: ignore[attr-defined]
        count = sum(len(values) for _, values in parts)
        top = float(measured.max())
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        first = 0
        for side, values in parts:
            _draw(painter, area, values, (first, count, top), current_theme().phase_colour(side), side == "after")
            first += len(values)
        painter.restore()


def _draw(
    painter: QPainter, area: QRectF, values: Numbers, scale: tuple[int, int, float], colour: QColor, dashed: bool
) -> None:
    """From zero up, so that heights compare."""
    first, count, top = scale
    step = area.width() / max(count - 1, 1)
    style = Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
    run = QPolygonF()
    for index, value in enumerate([*values.tolist(), float("nan")]):
        if value == value:
            height = value / top if top > 0 else 0.0
            run.append(QPointF(area.left() + (first + index) * step, area.bottom() - height * area.height()))
            continue
        if run.size() > 1:
            painter.setPen(QPen(colour, 1.2, style))
            painter.drawPolyline(run)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        for dot in (run.at(0), run.at(run.size() - 1)) if run.size() else ():
            painter.drawEllipse(dot, DOT_PX, DOT_PX)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        run = QPolygonF()


class BandHeader(QHeaderView):
    """Two lines: the figure's name over its two sides, or one name over both lines."""

    def __init__(self, model: StatementModel) -> None:
        super().__init__(
            Qt.Orientation.Horizontal,
            sectionsClickable=True,
            highlightSections=False,
            showSortIndicator=True,
            sortIndicatorClearable=True,
            minimumSectionSize=40,
        )
        self._statements = model

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), HEADER_PX)

    def paintSection(self, painter: QPainter, rect: QRect, logical: int) -> None:
        columns = self._statements.columns
        if logical >= len(columns):
            return
        theme, column = current_theme(), columns[logical]
        painter.save()
        painter.setClipRect(rect)
        painter.fillRect(rect, theme.surface)
        painter.setPen(theme.border)
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        if column.band and column.side == self._first_side(column):
            painter.drawLine(rect.topLeft(), rect.bottomLeft())
        painter.setFont(font(SMALL_PX))
        if column.band:
            self._paint_band(painter, rect, logical, column)
        else:
            self._paint_words(painter, rect, text(column.name), not column.right)
        painter.restore()
        if self.sortIndicatorSection() == logical and self.isSortIndicatorShown():
            self._paint_arrow(painter, rect)

    def _first_side(self, column: StatementColumn) -> str:
        return next(other.side for other in self._statements.columns if other.band == column.band)

    def _paint_band(self, painter: QPainter, rect: QRect, logical: int, column: StatementColumn) -> None:
        half = rect.height() // 2
        painter.setPen(current_theme().muted)
        painter.drawText(self._band_area(column, half), int(Qt.AlignmentFlag.AlignCenter), text(column.name))
        side = text(f"ui.statements.side.{column.side}")
        low = QRect(rect.left(), rect.top() + half, rect.width(), rect.height() - half)
        painter.setPen(current_theme().phase_colour(column.side))
        flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(low.adjusted(SPACE_S, 0, -SPACE_S, 0), int(flags), side)

    def _band_area(self, column: StatementColumn, height: int) -> QRect:
        """The stretch above all sections of a band, wherever it is scrolled to."""
        own = [index for index, other in enumerate(self._statements.columns) if other.band == column.band]
        left = self.sectionViewportPosition(own[0])
        right = self.sectionViewportPosition(own[-1]) + self.sectionSize(own[-1])
        return QRect(left, 2, right - left, height)

    def _paint_words(self, painter: QPainter, rect: QRect, words: str, left: bool) -> None:
        side = Qt.AlignmentFlag.AlignLeft if left else Qt.AlignmentFlag.AlignRight
        painter.setPen(current_theme().muted)
        flags = int(side | Qt.AlignmentFlag.AlignBottom | Qt.TextFlag.TextWordWrap)
        painter.drawText(rect.adjusted(SPACE_S, 2, -SPACE_S, -4), flags, words)

    def _paint_arrow(self, painter: QPainter, rect: QRect) -> None:
        falling = self.sortIndicatorOrder() == Qt.SortOrder.DescendingOrder
        painter.save()
        painter.setPen(current_theme().accent)
        painter.setFont(font(SMALL_PX, True))
        painter.drawText(
            rect.adjusted(0, 2, -2, 0),
            int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop),
            "▾" if falling else "▴",
        )
        painter.restore()


class StatementTable(QWidget):
    """`view` shows the statements, `totals` their sums; both scroll sideways together."""

    def __init__(self, model: StatementModel) -> None:
        super().__init__()
        self.model = model
        self.histories = Histories()
        self.view = translated(_StatementView(), accessibleName="ui.page.statements")
        self.totals = translated(_TotalsView(), accessibleName="ui.statements.totals.name")
        self._sums: TableModel[int] = TableModel()
        self._spark = SparkDelegate(self.histories)
        self._dress_view()
        self._dress_totals()
        self.frozen, self._frozen_totals = FrozenColumns(self.view), FrozenColumns(self.totals)
        self._dress_frozen()
        below = row(self.totals, margins=(0, 0, SCROLL_BAR, 0))
        column((self.view, 1), below, spacing=0, of=self)
        model.modelReset.connect(self._on_reset)

    def _dress_view(self) -> None:
        view = self.view
        view.setHorizontalHeader(BandHeader(self.model))
        view.setModel(self.model)
        view.setFrameShape(QTableView.Shape.NoFrame)
        view.setStyleSheet("QTableView { border: none; } QAbstractScrollArea::corner { background: transparent; }")
        view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.horizontalHeader().sectionResized.connect(lambda at, _old, new: self.totals.setColumnWidth(at, new))
        view.horizontalHeader().sortIndicatorChanged.connect(self.model.sort)
        view.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)

    def _dress_frozen(self) -> None:
        """What and which a row is stays in sight; a click on its headings sorts as well."""
        header = BandHeader(self.model)
        self.frozen.setHorizontalHeader(header)
        self.frozen.follow()
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.sortIndicatorChanged.connect(self.view.horizontalHeader().setSortIndicator)
        self._frozen_totals.horizontalHeader().hide()
        self._frozen_totals.follow()

    def _dress_totals(self) -> None:
        self.totals.setModel(self._sums)
        self.totals.horizontalScrollBar().valueChanged.connect(self.view.horizontalScrollBar().setValue)
        self.view.horizontalScrollBar().valueChanged.connect(self.totals.horizontalScrollBar().setValue)

    # --- columns
    def fit_columns(self) -> None:
        """Wide enough for their headings in this language and the figures at the top."""
        metrics = self.view.horizontalHeader().fontMetrics()
        plain, strong = self.view.fontMetrics(), QFontMetrics(font(BODY_PX, True))
        shown = min(self.model.rowCount(), FITTED_ROWS)
        for index, drawn in enumerate(self.model.columns):
            if drawn.id in ("text", "history"):
                self.view.setColumnWidth(index, drawn.pixels)
                continue
            head = metrics.horizontalAdvance(text(drawn.name))
            # the name of a band has the room of its sides, other names may stand on two lines
            wanted = head // self._sides if drawn.band else min(head, drawn.pixels)
            cells = [str(self.model.index(row, index).data()) for row in range(shown)]
            if index:
                cells.append(str(self.totals.model().index(0, index).data() or ""))
            body = plain if drawn.id not in STRONG else strong
            wanted = max([wanted, *(body.horizontalAdvance(cell) for cell in cells)])
            self.view.setColumnWidth(index, min(max(wanted + PADDING_PX, 56), WIDEST_PX))
        self._widen_text(shown)

    def _widen_text(self, shown: int) -> None:
        """The text takes what room is left, and a third of it where none is; not more than it has to say."""
        columns = [drawn.id for drawn in self.model.columns]
        if "text" not in columns:
            return
        index, room = columns.index("text"), self.view.viewport().width()
        left = room - self.view.horizontalHeader().length() + self.view.columnWidth(index)
        texts = (str(self.model.index(row, index).data()) for row in range(shown))
        longest = max(map(self.view.fontMetrics().horizontalAdvance, texts), default=0) + PADDING_PX
        least = self.model.columns[index].pixels
        self.view.setColumnWidth(index, max(least, min(longest, max(left, room // 3))))

    def _on_reset(self) -> None:
        statements = self.model.statements
        self._sums.show_rows((), ()) if statements is None else self._sums.show_rows(
            (0,), totals_columns(statements, self.model.columns)
        )
        for index, drawn in enumerate(self.model.columns):
            self.view.setItemDelegateForColumn(index, self._spark if drawn.id == "history" else None)  # type: ignore[arg-type]
            self.totals.setColumnWidth(index, self.view.columnWidth(index))
        self.totals.clearSpans()
        columns = [drawn.id for drawn in self.model.columns]
        named = columns.index("text") + 1 if columns else 0
        frozen = min(FROZEN + ("container" in columns), max(named - 1, 0))
        self.view.frozen_columns = frozen
        self.frozen.freeze(frozen)
        self._frozen_totals.freeze(frozen)
        self._frozen_totals.clearSpans()
        if self.totals.model().rowCount():
            for view, count in ((self.totals, named), (self._frozen_totals, frozen)):
                if count > 1:
                    view.setSpan(0, 0, 1, count)  # what the sums are of stands under the statements' names

    @property
    def _sides(self) -> int:
        statements = self.model.statements
        return 2 if statements is not None and statements.comparison is not None else 1

    # --- rows
    @property
    def place(self) -> int | None:
        """The statement the cursor is on."""
        row = self.view.currentIndex().row()
        return self.model.rows[row] if 0 <= row < self.model.rowCount() else None

    def choose(self, place: int | None) -> None:
        """Puts the cursor on a statement; on the first one where it is not shown."""
        row = self.model.row_of(place) if place is not None else None
        if self.model.rowCount():
            self.view.selectRow(row or 0)
            self.view.setCurrentIndex(self.model.index(row or 0, 0))
            self.view.scrollTo(self.model.index(row or 0, 0))


class _StatementView(TableView):
    """Does not scroll sideways to a column that is frozen, and in sight anyway."""

    frozen_columns = 0

    def scrollTo(
        self,
        index: QModelIndex | QPersistentModelIndex,
        hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible,
    ) -> None:
        kept = self.horizontalScrollBar().value()
        super().scrollTo(index, hint)
        if index.column() < self.frozen_columns:
            self.horizontalScrollBar().setValue(kept)


class _TotalsView(TableView):
    """One row and the bar that scrolls both tables."""

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setStyleSheet(
            "QTableView { border: none; border-top: 1px solid palette(mid); border-radius: 0; }"
            " QAbstractScrollArea::corner { background: transparent; }"
        )
        self.horizontalHeader().hide()
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setFixedHeight(ROW_HEIGHT_DENSE + SCROLL_BAR + 2)
