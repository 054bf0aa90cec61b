"""The model of the tree of all series: host, run, tool, device, heading.

A view asks for the rows that it shows, so nothing is worked out of a series before its branch is open and scrolled to:
a project may have tens of thousands.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from zoneinfo import ZoneInfo

from PySide6.QtCore import QAbstractItemModel, QMimeData, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from tunebench.analysis.exploring.time_range import to_local
from tunebench.columns.time_ticks import day_text
from tunebench.core.records import record
from tunebench.domain.series import SeriesInfo
from tunebench.ui.charts.row import SERIES_MIME
from tunebench.ui.charts.row_stack import series_data
from tunebench.ui.charts.words import figure_words
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
        below: what stands below a branch; a series until somebody asks for its leaf.
        shown: those of `below` that the filter lets through; None where there is no filter.
        names: of the leaves below, once one is asked for.
    """

    number: int
    parent: _Node | None = None
    name: str = ""
    info: SeriesInfo | None = None
    row: int = 0
    below: list[_Node | SeriesInfo] = field(default_factory=list)
    nodes: list[_Node] | None = None
    shown: list[_Node] | None = None
    names: dict[int, str] | None = None


@record(eq=False)
class Branches:
    """The branches of some series, ready to be shown.

    Attributes:
        nodes: the root first, a branch before what is below it.
        of_series: id of a series -> the branch that it is below.
    """

    nodes: list[_Node]
    of_series: dict[int, _Node]


def branches_of(series: Iterable[SeriesInfo]) -> Branches:
    """May be asked on any thread."""
    nodes, of_series = [_Node(0)], dict[int, _Node]()
    by_path: dict[tuple[str, ...], _Node] = {(): nodes[0]}
    by_thing: dict[tuple[object, ...], _Node] = {}

    def branch_at(path: tuple[str, ...]) -> _Node:
        if path not in by_path:
            parent = branch_at(path[:-1])
            by_path[path] = _added(nodes, parent, path[-1])
            parent.below.append(by_path[path])
        return by_path[path]

    for info in series:
        own = (info.host, info.run, info.tool, info.table, info.alias)
        shared = (*own, id(info.attributes))  # columns of a thing mostly do
        branch = by_thing.get(shared)
        if branch is None:
            thing = (*own, *info.attributes.items())
            branch = by_thing.get(thing) or branch_at(_branch_of(info))
            by_thing[shared] = by_thing[thing] = branch
        branch.below.append(info)
        of_series[info.id] = branch
    return Branches(nodes, of_series)


def _added(nodes: list[_Node], parent: _Node, name: str = "", info: SeriesInfo | None = None) -> _Node:
    node = _Node(len(nodes), parent, name, info)
    nodes.append(node)
    return node


class SeriesTree(QAbstractItemModel):
    """Leaves can be checked; dragging a branch drags all series below it. `toggled` carries (id, wanted)."""

    toggled = Signal(int, bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.words = ""
        self._nodes = [_Node(0)]
        self._branches: dict[int, _Node] = {}
        self._checked: set[int] = set()
        self._zone = ZoneInfo("UTC")

    # -- what is shown ---------------------------------------------------------------------------------

    def show_series(self, branches: Branches, zone: ZoneInfo) -> None:
        self.beginResetModel()
        self._nodes, self._branches, self._checked, self._zone = branches.nodes, branches.of_series, set(), zone
        self._filter()
        self.endResetModel()

    def show_words(self, words: str) -> None:
        """Leaves that hold all words, with the branches that lead to them."""
        self.beginResetModel()
        self.words = words
        self._filter()
        self.endResetModel()

    def check(self, keys: Iterable[int]) -> None:
        wanted = {key for key in keys if key in self._branches}
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
        if not self.words:
            return list(self._branches)
        shown = {node.info.id for branch in self._nodes for node in branch.shown or () if node.info is not None}
        return [key for key in self._branches if key in shown]

    def index_of(self, key: int) -> QModelIndex:
        """The index of a series; an invalid one where it is not shown."""
        branch = self._branches.get(key)
        if branch is None:
            return _NOWHERE
        return next(
            (self._index(leaf) for leaf in self._shown(branch) if leaf.info is not None and leaf.info.id == key),
            _NOWHERE,
        )

    def _below(self, branch: _Node) -> list[_Node]:
        """What stands below it, the leaves made when they are first asked for."""
        if branch.nodes is None:
            branch.nodes = [
                one if isinstance(one, _Node) else _added(self._nodes, branch, info=one) for one in branch.below
            ]
            for row, node in enumerate(branch.nodes):
                node.row = row
        return branch.nodes

    def _shown(self, branch: _Node) -> list[_Node]:
        return self._below(branch) if branch.shown is None else branch.shown

    def _filter(self) -> None:
        """Marks what is shown, from the last branch to the first: a branch comes before what is below it."""
        for branch in [node for node in reversed(self._nodes) if node.info is None]:
            branch.shown = None
            if self.words:
                branch.shown = [node for node in self._below(branch) if node.shown or self._matches(node)]
            for row, node in enumerate(branch.shown or branch.nodes or ()):
                node.row = row

    def _matches(self, leaf: _Node) -> bool:
        info = leaf.info
        if info is None:
            return False
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
        for leaf in self._below(branch):
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
        shown = self._shown(self._node(parent))
        return self._index(shown[row]) if column == 0 and 0 <= row < len(shown) else QModelIndex()

    def parent(self, index: _Index) -> QModelIndex:  # type: ignore[override]
        branch = self._node(index).parent
        return QModelIndex() if branch is None else self._index(branch)

    def rowCount(self, parent: _Index = _NOWHERE) -> int:
        branch = self._node(parent)
        return len(branch.below if branch.shown is None else branch.shown)

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


def _keys_below(one: _Node | SeriesInfo) -> list[int]:
    if isinstance(one, SeriesInfo):
        return [one.id]
    return [one.info.id] if one.info is not None else [key for below in one.below for key in _keys_below(below)]
