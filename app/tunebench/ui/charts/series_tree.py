"""The model of the tree of all series: host, run, tool, device, heading.

A view asks for the rows that it shows, so nothing is worked out of a series before its branch is open and scrolled to:
a project may have tens of thousands.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from zoneinfo import ZoneInfo

from PySide6.QtCore import QAbstractItemModel, QMimeData, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from tunebench.core.records import record
from tunebench.domain.series import SeriesInfo
from tunebench.ui.charts.row import SERIES_MIME
from tunebench.ui.charts.row_stack import series_data
from tunebench.ui.charts.ticks import day_text, figure_words
from tunebench.ui.charts.time_range import to_local
from tunebench.ui.look.formats import host_words, unit_text
from tunebench.ui.look.language import language
from tunebench.ui.tables.model import matches_words

KEY_ROLE = Qt.ItemDataRole.UserRole + 1
UNIT_ROLE = Qt.ItemDataRole.UserRole + 2
_Index = QModelIndex | QPersistentModelIndex
_CHECK = Qt.ItemDataRole.CheckStateRole
_NOWHERE = QModelIndex()


def series_path(info: SeriesInfo) -> tuple[str, ...]:
    """Where a series stands in the tree; the last part is its own label."""
    details = (value for name, value in info.attributes.items() if name in ("state", "direction", "group"))
    return (*_branch_of(info), " ".join([figure_words(info), *details]))


def _branch_of(info: SeriesInfo) -> tuple[str, ...]:
    tool = info.tool if not info.table or info.table == info.tool else f"{info.tool} · {info.table}"
    things = [
        info.device if name == "device" else value
        for name, value in info.attributes.items()
        if name not in ("group", "state", "direction")
    ]
    return (info.host, info.run, tool, *((" ".join(things),) if things else ()))


@record(frozen=False, eq=False)
class _Node:
    """A branch, or the leaf of a series.

    Attributes:
        number: by which Qt's indexes know it.
        row: among the shown ones of its parent.
        names: of the leaves among `nodes`, once one is asked for.
    """

    number: int
    parent: _Node | None = None
    name: str = ""
    info: SeriesInfo | None = None
    row: int = 0
    nodes: list[_Node] = field(default_factory=list)
    shown: list[_Node] = field(default_factory=list)
    names: dict[int, str] | None = None


class SeriesTree(QAbstractItemModel):
    """Leaves can be checked; dragging a branch drags all series below it. `toggled` carries (id, wanted)."""

    toggled = Signal(int, bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.words = ""
        self._nodes = [_Node(0)]
        self._leaves: dict[int, _Node] = {}
        self._checked: set[int] = set()
        self._zone = ZoneInfo("UTC")

    # -- what is shown ---------------------------------------------------------------------------------

    def show_series(self, series: Iterable[SeriesInfo], zone: ZoneInfo) -> None:
        self.beginResetModel()
        self._nodes, self._leaves, self._checked, self._zone = [_Node(0)], {}, set(), zone
        branches: dict[tuple[str, ...], _Node] = {(): self._nodes[0]}
        for info in series:
            leaf = self._added(self._branch(branches, _branch_of(info)), info=info)
            self._leaves[info.id] = leaf
        self._filter()
        self.endResetModel()

    def show_words(self, words: str) -> None:
        """Leaves that hold all words, with the branches that lead to them."""
        self.beginResetModel()
        self.words = words
        self._filter()
        self.endResetModel()

    def check(self, keys: Iterable[int]) -> None:
        wanted = {key for key in keys if key in self._leaves}
        changed = wanted ^ self._checked
        self._checked = wanted
        for key in changed:
            index = self.index_of(key)
            self.dataChanged.emit(index, index, [_CHECK])

    def retranslate(self) -> None:
        self.layoutAboutToBeChanged.emit()
        for node in self._nodes:
            node.names = None
        self.layoutChanged.emit()

    def visible_keys(self) -> list[int]:
        """Series that the filter lets through, as they were given."""
        return [key for key, leaf in self._leaves.items() if self._matches(leaf)]

    def index_of(self, key: int) -> QModelIndex:
        """The index of a series; an invalid one where it is not shown."""
        leaf = self._leaves.get(key)
        if leaf is None or not self._matches(leaf):
            return _NOWHERE
        return self._index(leaf)

    def _branch(self, branches: dict[tuple[str, ...], _Node], path: tuple[str, ...]) -> _Node:
        if path not in branches:
            branches[path] = self._added(self._branch(branches, path[:-1]), path[-1])
        return branches[path]

    def _added(self, parent: _Node, name: str = "", info: SeriesInfo | None = None) -> _Node:
        node = _Node(len(self._nodes), parent, name, info)
        self._nodes.append(node)
        parent.nodes.append(node)
        return node

    def _filter(self) -> None:
        """Marks what is shown, from the last node to the first: a branch comes before what is below it."""
        for node in self._nodes:
            node.shown = []
        for node in reversed(self._nodes):
            node.shown.reverse()
            for row, below in enumerate(node.shown):
                below.row = row
            if node.parent is not None and (node.shown or (node.info is not None and self._matches(node))):
                node.parent.shown.append(node)

    def _matches(self, leaf: _Node) -> bool:
        info = leaf.info
        if not self.words or info is None:
            return not self.words
        words = (*series_path(info), host_words(info.host), info.native, info.metric, info.unit)
        return matches_words(" ".join(words), self.words)

    def _name(self, node: _Node) -> str:
        if node.info is None or node.parent is None:
            is_host = node.parent is self._nodes[0]
            return host_words(node.name) if is_host else node.name
        if node.parent.names is None:
            node.parent.names = self._names_below(node.parent)
        return node.parent.names[node.number]

    def _names_below(self, branch: _Node) -> dict[int, str]:
        """Names the leaves; of those with one name all but the first have their day behind it."""
        taken: set[str] = set()
        names = {}
        for leaf in branch.nodes:
            if leaf.info is None:
                continue
            name = series_path(leaf.info)[-1]
            is_twin = name in taken
            taken.add(name)
            if is_twin and leaf.info.first_ns is not None:
                name += "  " + day_text(to_local(leaf.info.first_ns, self._zone).date(), language().code)
            names[leaf.number] = name
        return names

    # -- what Qt asks ----------------------------------------------------------------------------------

    def _node(self, index: _Index) -> _Node:
        return self._nodes[index.internalId()] if index.isValid() else self._nodes[0]

    def _index(self, node: _Node) -> QModelIndex:
        return _NOWHERE if node.parent is None else self.createIndex(node.row, 0, node.number)

    def index(self, row: int, column: int, parent: _Index = _NOWHERE) -> QModelIndex:
        shown = self._node(parent).shown
        return self._index(shown[row]) if column == 0 and 0 <= row < len(shown) else QModelIndex()

    def parent(self, index: _Index) -> QModelIndex:  # type: ignore[override]
        branch = self._node(index).parent
        return QModelIndex() if branch is None else self._index(branch)

    def rowCount(self, parent: _Index = _NOWHERE) -> int:
        return len(self._node(parent).shown)

    def columnCount(self, _parent: _Index = _NOWHERE) -> int:
        return 1

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        node = self._node(index)
        if role == Qt.ItemDataRole.DisplayRole:
            return self._name(node)
        if node.info is None:
            return None
        if role == _CHECK:
            return Qt.CheckState.Checked if node.info.id in self._checked else Qt.CheckState.Unchecked
        if role == KEY_ROLE:
            return node.info.id
        return unit_text(node.info.unit) if role == UNIT_ROLE else None

    def setData(self, index: _Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        info = self._node(index).info
        if role != _CHECK or info is None:
            return False
        wanted = Qt.CheckState(value) == Qt.CheckState.Checked
        if wanted != (info.id in self._checked):
            self._checked ^= {info.id}
            self.dataChanged.emit(index, index, [_CHECK])
            self.toggled.emit(info.id, wanted)
        return True

    def flags(self, index: _Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsDragEnabled
        is_leaf = self._node(index).info is not None
        return flags | Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemNeverHasChildren if is_leaf else flags

    def mimeTypes(self) -> list[str]:
        return [SERIES_MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        keys = dict.fromkeys(key for index in indexes for key in _keys_below(self._node(index)))
        data = QMimeData()
        data.setData(SERIES_MIME, series_data(list(keys)))
        return data


def _keys_below(node: _Node) -> list[int]:
    return [node.info.id] if node.info is not None else [key for below in node.nodes for key in _keys_below(below)]
