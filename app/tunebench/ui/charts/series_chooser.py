"""The tree of all series: host, run, tool, device, heading. Check to show, drag to overlay, type to find."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from zoneinfo import ZoneInfo

from PySide6.QtCore import QModelIndex, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from tunebench.domain.series import SeriesInfo
from tunebench.ui.charts.series_tree import KEY_ROLE, UNIT_ROLE, Branches, SeriesTree, branches_of
from tunebench.ui.look.fonts import SMALL_PX
from tunebench.ui.look.language import translated
from tunebench.ui.look.painting import RIGHT, font_of, write
from tunebench.ui.look.theme import ROW_HEIGHT_DENSE, SPACE_S, current_theme
from tunebench.ui.typing import never_stored
from tunebench.ui.widgets.parts import column, label

FILTER_MS = 120
MANY_SERIES = 5_000
"""From so many on the window would stand still while the branches of the tree are worked out."""


class _Delegate(QStyledItemDelegate):
    """The unit stands muted at the right edge, as in the rows."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:  # type: ignore[override]
        return QSize(super().sizeHint(option, index).width() + 40, ROW_HEIGHT_DENSE)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:  # type: ignore[override]
        unit = index.data(UNIT_ROLE)
        box: QRect = option.rect  # type: ignore[attr-defined]
        if unit:
            painter.save()
            painter.setFont(font_of(self.parent(), SMALL_PX))  # type: ignore[arg-type]
            width = min(painter.fontMetrics().horizontalAdvance(unit) + 10, box.width() // 2)
            write(painter, box.adjusted(0, 0, -6, 0), unit, current_theme().muted, RIGHT)
            painter.restore()
            option.rect = box.adjusted(0, 0, -width, 0)  # type: ignore[attr-defined]
        super().paint(painter, option, index)


class SeriesChooser(QWidget):
    """`toggled` carries (ids, wanted); `picked` the id of the series under the keyboard."""

    toggled = Signal(object, bool)
    picked = Signal(int)

    def __init__(self, ask_branches: Callable[[Sequence[SeriesInfo]], None] | None = None) -> None:
        """
        Args:
            ask_branches: has the branches of many series worked out on another thread, for `take`.
        """
        super().__init__()
        self._ask_branches = ask_branches
        self._meaning_of: Callable[[int], str] = lambda _key: ""
        self.search = translated(
            QLineEdit(), placeholderText="ui.timeline.chooser.search", accessibleName="ui.timeline.chooser.search"
        )
        self.search.setClearButtonEnabled(True)
        self._model = SeriesTree(self)
        self.tree = translated(QTreeView(), accessibleName="ui.timeline.chooser.name")
        self._set_up_tree()
        self.about = label(role="small", wrap=True)
        self.about.hide()
        self.about.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._waiting: tuple[list[SeriesInfo], ZoneInfo] | None = None
        self._checked: tuple[int, ...] = ()
        self._timer = QTimer(self, singleShot=True, interval=FILTER_MS)
        self._timer.timeout.connect(self._apply_filter)
        never_stored(self.search)
        self.search.textChanged.connect(lambda _words: self._timer.start())
        self.search.returnPressed.connect(self._show_found)
        self._model.toggled.connect(lambda key, wanted: self.toggled.emit([key], wanted))
        self.tree.selectionModel().currentChanged.connect(self._on_current)
        self.setLayout(column(self.search, (self.tree, 1), self.about, margins=SPACE_S))

    def _set_up_tree(self) -> None:
        self.tree.setModel(self._model)
        self.tree.setHeaderHidden(True)
        self.tree.setUniformRowHeights(True)
        self.tree.setIndentation(14)
        self.tree.setItemDelegate(_Delegate(self.tree))
        self.tree.setDragEnabled(True)
        self.tree.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.tree.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.tree.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.tree.setFrameShape(QTreeView.Shape.NoFrame)
        self.tree.setStyleSheet("QTreeView { border: none; } QTreeView::item { height: 22px; padding: 0 2px; }")

    def retranslate(self) -> None:
        self._model.retranslate()

    def show_series(self, series: Iterable[SeriesInfo], zone: ZoneInfo, meaning_of: Callable[[int], str]) -> None:
        """Fill the tree; branches of the first host and run are open."""
        self._meaning_of = meaning_of
        self._waiting, self._checked = (list(series), zone), ()
        if self._ask_branches is None or len(self._waiting[0]) < MANY_SERIES:
            self._fill()
        else:
            self._ask_branches(self._waiting[0])

    def take(self, branches: Branches) -> None:
        """The branches of the series that are to be shown, unless somebody could not wait for them."""
        if self._waiting is not None:
            (_series, zone), self._waiting = self._waiting, None
            self._model.show_series(branches, zone)
            self._open_first()
            self._model.check(self._checked)

    def _fill(self) -> None:
        """For whoever asks for a series: shows at once what waits to be shown."""
        if self._waiting is not None:
            self.take(branches_of(self._waiting[0]))

    def _open_first(self) -> None:
        index = self._model.index(0, 0)
        for _ in range(3):
            self.tree.expand(index)
            index = self._model.index(0, 0, index)
        host = self._model.index(0, 0)
        if self._model.rowCount() == 1 and self._model.rowCount(host) <= 3:
            for row in range(self._model.rowCount(host)):
                self.tree.expand(self._model.index(row, 0, host))

    def check(self, keys: Iterable[int]) -> None:
        """Show which series are drawn, without asking for a change."""
        self._checked = tuple(keys)
        if self._waiting is None:
            self._model.check(self._checked)

    def reveal(self, keys: Iterable[int]) -> None:
        """Open the branches that lead to these series."""
        self._fill()
        for key in keys:
            branch = self._model.index_of(key).parent()
            while branch.isValid():
                self.tree.expand(branch)
                branch = branch.parent()

    def visible_keys(self) -> list[int]:
        """Series that the filter lets through, in the order of the tree."""
        self._fill()
        return self._model.visible_keys()

    def _apply_filter(self) -> None:
        self._fill()
        self._model.show_words(self.search.text().strip())
        if self._model.words:
            self.tree.expandAll()
        else:
            self._open_first()

    def _show_found(self) -> None:
        """Enter in the search box shows the first series found."""
        self._timer.stop()
        self._apply_filter()
        keys = self.visible_keys()
        if self._model.words and keys:
            self.toggled.emit(keys[:1], True)

    def _on_current(self, index: QModelIndex) -> None:
        key = index.data(KEY_ROLE)
        words = self._meaning_of(key) if key is not None else ""
        self.about.setText(words)
        self.about.setVisible(bool(words))
        if key is not None:
            self.picked.emit(key)
