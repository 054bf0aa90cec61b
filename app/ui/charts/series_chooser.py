"""The tree of all series: host, run, tool, device, heading. Check to show, drag to overlay, type to find."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from zoneinfo import ZoneInfo

from PySide6.QtCore import QMimeData, QModelIndex, QRect, QSize, QSortFilterProxyModel, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from app.domain.series import SeriesInfo
from app.ui.charts.row import SERIES_MIME
from app.ui.charts.row_stack import series_data
from app.ui.charts.ticks import day_text, figure_words, unit_words
from app.ui.charts.time_range import to_local
from app.ui.look.fonts import SMALL_PX
from app.ui.look.formats import host_words
from app.ui.look.language import language, translated
from app.ui.look.painting import RIGHT, font_of, write
from app.ui.look.theme import ROW_HEIGHT_DENSE, SPACE_S, current_theme
from app.ui.tables.model import matches_words
from app.ui.typing import never_stored
from app.ui.widgets.parts import column, label

KEY_ROLE = Qt.ItemDataRole.UserRole + 1
UNIT_ROLE = Qt.ItemDataRole.UserRole + 2
WORDS_ROLE = Qt.ItemDataRole.UserRole + 3
NAME_ROLE = Qt.ItemDataRole.UserRole + 4
FILTER_MS = 120


def series_path(info: SeriesInfo) -> tuple[str, ...]:
    """Where a series stands in the tree; the last part is its own label."""
    tool = info.tool if not info.table or info.table == info.tool else f"{info.tool} · {info.table}"
    things = [
        info.device if name == "device" else value
        for name, value in info.attributes.items()
        if name not in ("group", "state", "direction")
    ]
    middle = (" ".join(things),) if things else ()
    details = (value for name, value in info.attributes.items() if name in ("state", "direction", "group"))
    own = " ".join([figure_words(info), *details])
    return (info.host, info.run, tool, *middle, own)


class _Filter(QSortFilterProxyModel):
    """Leaves that hold all words, with the branches that lead to them."""

    def __init__(self) -> None:
        super().__init__()
        self.words = ""
        self.setRecursiveFilteringEnabled(True)

    def filterAcceptsRow(self, row: int, parent: QModelIndex) -> bool:  # type: ignore[override]
        index = self.sourceModel().index(row, 0, parent)
        if not self.words:
            return True
        words = index.data(WORDS_ROLE)
        return words is not None and matches_words(words, self.words)

    def show_words(self, words: str) -> None:
        self.beginResetModel()
        self.words = words
        self.endResetModel()


class _Model(QStandardItemModel):
    """Dragging a branch drags all series below it."""

    def mimeTypes(self) -> list[str]:
        return [SERIES_MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        keys: list[int] = []
        for index in indexes:
            keys.extend(keys_below(self.itemFromIndex(index)))
        data = QMimeData()
        data.setData(SERIES_MIME, series_data(list(dict.fromkeys(keys))))
        return data


def keys_below(item: QStandardItem) -> list[int]:
    key = item.data(KEY_ROLE)
    if key is not None:
        return [key]
    return [found for row in range(item.rowCount()) for found in keys_below(item.child(row))]


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

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: dict[int, QStandardItem] = {}
        self._quiet = False
        self._meaning_of: Callable[[int], str] = lambda _key: ""
        self.search = translated(
            QLineEdit(), placeholderText="ui.timeline.chooser.search", accessibleName="ui.timeline.chooser.search"
        )
        self.search.setClearButtonEnabled(True)
        self._model = _Model()
        self._filter = _Filter()
        self._filter.setSourceModel(self._model)
        self.tree = translated(QTreeView(), accessibleName="ui.timeline.chooser.name")
        self._set_up_tree()
        self.about = label(role="small", wrap=True)
        self.about.hide()
        self.about.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._timer = QTimer(self, singleShot=True, interval=FILTER_MS)
        self._timer.timeout.connect(self._apply_filter)
        never_stored(self.search)
        self.search.textChanged.connect(lambda _words: self._timer.start())
        self.search.returnPressed.connect(self._show_found)
        self._model.itemChanged.connect(self._on_item)
        self.tree.selectionModel().currentChanged.connect(self._on_current)
        self.setLayout(column(self.search, (self.tree, 1), self.about, margins=SPACE_S))

    def _set_up_tree(self) -> None:
        self.tree.setModel(self._filter)
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
        for row in range(self._model.rowCount()):
            host = self._model.item(row)
            host.setText(host_words(host.data(NAME_ROLE)))

    def show_series(self, series: Iterable[SeriesInfo], zone: ZoneInfo, meaning_of: Callable[[int], str]) -> None:
        """Fill the tree; branches of the first host and run are open."""
        self._quiet, self._meaning_of = True, meaning_of
        self._model.clear()
        self._items = {}
        branches: dict[tuple[str, ...], QStandardItem] = {}
        for info in series:
            path = series_path(info)
            parent = self._branch(branches, path[:-1])
            self._leaf(parent, info, path, zone)
        self._quiet = False
        self._open_first()

    def _branch(self, branches: dict[tuple[str, ...], QStandardItem], path: tuple[str, ...]) -> QStandardItem:
        if not path:
            return self._model.invisibleRootItem()
        if path not in branches:
            item = QStandardItem(host_words(path[-1]) if len(path) == 1 else path[-1])
            item.setData(path[-1], NAME_ROLE)
            item.setDragEnabled(True)
            branches[path] = item
            self._branch(branches, path[:-1]).appendRow(item)
        return branches[path]

    def _leaf(self, parent: QStandardItem, info: SeriesInfo, path: tuple[str, ...], zone: ZoneInfo) -> None:
        name = path[-1]
        twin = any(
            parent.child(row).data(KEY_ROLE) is not None and parent.child(row).text().split("  ")[0] == name
            for row in range(parent.rowCount())
        )
        if twin and info.first_ns is not None:
            name += "  " + day_text(to_local(info.first_ns, zone).date(), language().code)
        item = QStandardItem(name)
        item.setCheckable(True)
        item.setData(info.id, KEY_ROLE)
        item.setData(unit_words(info), UNIT_ROLE)
        item.setData(" ".join((*path, host_words(info.host), info.native, info.metric, info.unit)), WORDS_ROLE)
        parent.appendRow(item)
        self._items[info.id] = item

    def _open_first(self) -> None:
        index = self._filter.index(0, 0)
        for _ in range(3):
            self.tree.expand(index)
            index = self._filter.index(0, 0, index)
        if self._filter.rowCount() == 1 and self._filter.rowCount(self._filter.index(0, 0)) <= 3:
            host = self._filter.index(0, 0)
            for row in range(self._filter.rowCount(host)):
                self.tree.expand(self._filter.index(row, 0, host))

    def check(self, keys: Iterable[int]) -> None:
        """Show which series are drawn, without asking for a change."""
        wanted = set(keys)
        self._quiet = True
        for key, item in self._items.items():
            state = Qt.CheckState.Checked if key in wanted else Qt.CheckState.Unchecked
            if item.checkState() != state:
                item.setCheckState(state)
        self._quiet = False

    def reveal(self, keys: Iterable[int]) -> None:
        """Open the branches that lead to these series."""
        for key in keys:
            item = self._items.get(key)
            parent = item.parent() if item is not None else None
            while parent is not None:
                self.tree.expand(self._filter.mapFromSource(parent.index()))
                parent = parent.parent()

    def visible_keys(self) -> list[int]:
        """Series that the filter lets through, in the order of the tree."""
        words = self._filter.words
        return [key for key, item in self._items.items() if not words or matches_words(item.data(WORDS_ROLE), words)]

    def _apply_filter(self) -> None:
        self._filter.show_words(self.search.text().strip())
        if self._filter.words:
            self.tree.expandAll()
        else:
            self._open_first()

    def _show_found(self) -> None:
        """Enter in the search box shows the first series found."""
        self._timer.stop()
        self._apply_filter()
        found = self.visible_keys()
        if self._filter.words and found:
            self.toggled.emit(found[:1], True)

    def _on_item(self, item: QStandardItem) -> None:
        key = item.data(KEY_ROLE)
        if not self._quiet and key is not None:
            self.toggled.emit([key], item.checkState() == Qt.CheckState.Checked)

    def _on_current(self, index: QModelIndex) -> None:
        key = index.data(KEY_ROLE)
        words = self._meaning_of(key) if key is not None else ""
        self.about.setText(words)
        self.about.setVisible(bool(words))
        if key is not None:
            self.picked.emit(key)
