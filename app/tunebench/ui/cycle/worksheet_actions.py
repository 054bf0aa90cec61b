"""The worksheet itself: a row per countermeasure, its resources at a glance, its name always in sight."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QStyle, QStyleOptionViewItem, QTableView

from tunebench.columns.column import Locale
from tunebench.diagnosis.words import gate_text
from tunebench.domain.cycle.worksheet import Action, Impact, Resource
from tunebench.reporting.cycle_words import word
from tunebench.ui.look.fonts import SMALL_PX, font
from tunebench.ui.look.language import text
from tunebench.ui.look.theme import SPACE_S, SPACE_XS, current_theme
from tunebench.ui.tables.grid import CellDelegate, GridView
from tunebench.ui.tables.grid_model import CellModel, Store
from tunebench.ui.tables.model import Index
from tunebench.usecases.cycle import worksheet as cycle_worksheet
from tunebench.usecases.cycle.worksheet import RowStanding
from tunebench.usecases.cycle.worksheet_cells import sheet_of
from tunebench.usecases.cycle.worksheet_columns import DONE, GRID, RESOURCES, STATE, TITLE
from tunebench.usecases.cycle.worksheet_text import ARROWS, impact_text

ROW = 42
TRADE_OFF, SENSITIVE = "◆", "◇"


class ActionModel(CellModel):
    """Rows are `Action`s; of those in sight it is known what they lack and what kind of point they are."""

    def __init__(self, store: Store) -> None:
        super().__init__(
            GRID, store, lambda: Action(0, sheet_of(self.sheet).iteration_id, ""), lambda item: item.state in DONE
        )
        self._standings: dict[int, RowStanding] = {}

    def show(self, items: Sequence[Action], sheet: Locale, writable: bool) -> None:
        self._standings = {}
        super().show(items, sheet, writable)

    def row_name(self, at: int, items: Sequence[Action]) -> str:
        title = items[at].title if at < len(items) else ""
        return title or super().row_name(at, items)

    def row_of(self, action_id: int | None) -> int | None:
        return next((at for at, item in enumerate(self.rows) if item.id == action_id), None)

    def standing_at(self, row: int) -> RowStanding | None:
        if row >= len(self.rows):
            return None
        if row not in self._standings:
            self._standings[row] = cycle_worksheet.row_standing(sheet_of(self.sheet).book, self.rows[row])
        return self._standings[row]

    # --- what a cell says beside its text
    def remark(self, index: Index) -> tuple[str, str]:
        """(second line, tone) of the name and of the state."""
        action, standing = self.item_at(index), self.standing_at(index.row())
        if action is None or standing is None:
            return "", ""
        if self.column_at(index).id == TITLE:
            point = point_of(standing)
            return (f"{point} {text(_POINTS[point])}", "accent") if point else ("", "")
        if action.state in DONE:
            return "", ""
        if standing.lacks:
            return text("ui.tradeoffs.lacks", n=len(standing.lacks)), "warning"
        return (text("ui.tradeoffs.unapproved"), "watch") if standing.approval else (text("ui.tradeoffs.ready"), "ok")

    def tip(self, index: Index) -> str:
        action, column, standing = self.item_at(index), self.column_at(index), self.standing_at(index.row())
        if action is None or standing is None:
            return ""
        code = self.sheet.language
        if column.id in RESOURCES:
            about = [impact for impact in action.impacts if impact.resource.value == column.id]
            return "\n".join([word(Resource(column.id), code), *(effect_sentence(impact, code) for impact in about)])
        if column.id == STATE:
            return "\n".join(gate_text(gate, code) for gate in (*standing.lacks, *standing.approval))
        if column.id == TITLE and (point := point_of(standing)):
            return f"{action.title}\n{text(_POINTS[point] + '.tip')}"
        return self.read(index)


def point_of(standing: RowStanding) -> str:
    """The mark of an action that moves several resources against each other, or a single one."""
    return TRADE_OFF if standing.trade_off else SENSITIVE if standing.sensitive else ""


_POINTS = {TRADE_OFF: "ui.tradeoffs.point.trade_off", SENSITIVE: "ui.tradeoffs.point.sensitive"}


def effect_sentence(impact: Impact, language: str) -> str:
    """``▼ 10.7 % · founding document (000 4.4): sys time``"""
    basis = word(impact.basis, language) + (f" ({impact.source})" if impact.source else "")
    return f"{impact_text(impact)} · {basis}" + (f": {impact.note}" if impact.note else "")


# --- drawing


class ActionDelegate(CellDelegate):
    """Two lines where a cell has a remark; effects as coloured arrows with their value below."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        assert isinstance(model, ActionModel)
        key = model.column_at(index).id
        if key in RESOURCES and model.item_at(index) is not None:
            self._ground(painter, option, index, _fill_of(model.item_at(index), key))
            _draw_effects(painter, option, [i for i in model.item_at(index).impacts if i.resource.value == key])
        elif key in (TITLE, STATE):
            self._ground(painter, option, index, None)
            words = str(index.data(Qt.ItemDataRole.DisplayRole))
            named = key == TITLE and model.item_at(index) is not None
            _draw_two_lines(painter, option, words, *model.remark(index), bold=named)
        else:
            super().paint(painter, option, index)
            return
        self.draw_cursor(painter, option, index)

    def _ground(self, painter: QPainter, option: QStyleOptionViewItem, index: Index, fill: QColor | None) -> None:
        """What every cell has below its words: selection, hover, the frame of the cursor."""
        bare = QStyleOptionViewItem(option)
        self.initStyleOption(bare, index)
        bare.text = ""
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if fill is not None and not selected:
            painter.fillRect(option.rect, fill)
        bare.widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, bare, painter, bare.widget)


def _fill_of(action: Action, key: str) -> QColor | None:
    theme = current_theme()
    directions = [impact.direction for impact in action.impacts if impact.resource.value == key]
    if any(direction < 0 for direction in directions):
        return theme.tint(theme.warning, 0.10)
    return theme.tint(theme.ok, 0.10) if any(directions) else None


def _draw_effects(painter: QPainter, option: QStyleOptionViewItem, effects: Sequence[Impact]) -> None:
    theme, rect = current_theme(), option.rect.adjusted(SPACE_XS, SPACE_XS, -SPACE_XS, -SPACE_XS)
    sizes = " / ".join(size for effect in effects if (size := impact_text(effect).partition(" ")[2]))
    upper = QRect(rect.left(), rect.top(), rect.width(), rect.height() // 2 if sizes else rect.height())
    widths = [QFontMetrics(font(bold=True)).horizontalAdvance(ARROWS[effect.direction]) for effect in effects]
    left = upper.center().x() - (sum(widths) + SPACE_S * (len(widths) - 1)) // 2
    painter.save()
    painter.setFont(font(bold=True))
    for effect, width in zip(effects, widths, strict=True):
        painter.setPen(theme.muted if not effect.direction else theme.ok if effect.direction > 0 else theme.warning)
        painter.drawText(QRect(left, upper.top(), width + 2, upper.height()), _MIDDLE, ARROWS[effect.direction])
        left += width + SPACE_S
    if sizes:
        lower = QRect(rect.left(), upper.bottom() + 1, rect.width(), rect.height() - upper.height())
        painter.setPen(theme.text)
        _draw_elided(painter, lower, sizes, font(SMALL_PX), Qt.AlignmentFlag.AlignCenter)
    painter.restore()


_MIDDLE = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)


def _draw_two_lines(
    painter: QPainter, option: QStyleOptionViewItem, words: str, remark: str, tone: str, bold: bool
) -> None:
    theme = current_theme()
    rect = option.rect.adjusted(SPACE_S, SPACE_XS, -SPACE_S, -SPACE_XS)
    half = rect.height() // 2 if remark else rect.height()
    painter.save()
    painter.setPen(theme.text if bold or remark else theme.muted)
    left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    _draw_elided(painter, QRect(rect.left(), rect.top(), rect.width(), half), words, font(bold=bold), left)
    if remark:
        painter.setPen(getattr(theme, tone))
        lower = QRect(rect.left(), rect.top() + half, rect.width(), rect.height() - half)
        _draw_elided(painter, lower, remark, font(SMALL_PX), left)
    painter.restore()


def _draw_elided(painter: QPainter, rect: QRect, words: str, how: QFont, alignment: Qt.AlignmentFlag) -> None:
    shown = QFontMetrics(how).elidedText(words, Qt.TextElideMode.ElideRight, rect.width())
    painter.setFont(how)
    painter.drawText(rect, int(alignment), shown)


# --- the view


class ActionGrid(GridView):
    """The names of the rows stay at the left when the columns are scrolled."""

    def __init__(self, model: ActionModel) -> None:
        super().__init__(model, ROW)
        self.setItemDelegate(ActionDelegate(self))
        self.names = _Names(self, model)
        self.horizontalScrollBar().valueChanged.connect(self.names.follow)
        self.verticalScrollBar().valueChanged.connect(self.names.verticalScrollBar().setValue)
        self.horizontalHeader().sectionResized.connect(self.names.follow)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.names.follow()

    def updateGeometries(self) -> None:
        super().updateGeometries()
        if hasattr(self, "names"):
            self.names.follow()

    def scrollTo(
        self, index: Index, hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible
    ) -> None:
        """A cell is never left behind the names."""
        super().scrollTo(index, hint)
        covered = self.columnWidth(0) - self.visualRect(index).left()
        bar = self.horizontalScrollBar()
        if index.column() > 0 and covered > 0 and bar.value() > 0:
            bar.setValue(bar.value() - covered)


class _Names(QTableView):
    """The first column once more, over the table, while it is scrolled out of sight."""

    def __init__(self, grid: ActionGrid, model: ActionModel) -> None:
        super().__init__(grid)
        self._grid = grid
        self.setModel(model)
        self.setItemDelegate(ActionDelegate(grid))  # its own: an editor belongs to one view
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setStyleSheet("QTableView { border: none; border-radius: 0; }")  # it lies within the other's frame
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW)
        self.verticalHeader().setMinimumSectionSize(ROW)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        for index in range(1, model.columnCount()):
            self.setColumnHidden(index, True)
        self.setSelectionModel(grid.selectionModel())

    def follow(self, *_: object) -> None:
        grid = self._grid
        header = grid.horizontalHeader().height()
        self.horizontalHeader().setFixedHeight(header)
        self.setColumnWidth(0, grid.columnWidth(0))
        frame = grid.frameWidth()
        self.setGeometry(frame, frame, grid.columnWidth(0), grid.viewport().height() + header)
        self.verticalScrollBar().setValue(grid.verticalScrollBar().value())
        self.setVisible(grid.horizontalScrollBar().value() > 0)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """The row is chosen, and the columns stay where they are."""
        index, grid = self.indexAt(event.position().toPoint()), self._grid
        if index.isValid():
            grid.setCurrentIndex(index.siblingAtColumn(max(grid.currentIndex().column(), 1)))
        grid.setFocus()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if index.isValid():
            self._grid.setCurrentIndex(index)
            self._grid.edit(index)
