"""The three tables of the worksheet of cluster sizes, as rows of words with a share to draw as a bar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
)

from app.analysis.cluster_sizes import ClusterCost, SizeBucket, costs, suggested, totals
from app.analysis.comparing.improvement import half_up
from app.ui.look.formats import DASH, format_count
from app.ui.look.language import text
from app.ui.look.theme import ROW_HEIGHT_DENSE, current_theme
from app.usecases.reference.cluster_worksheet import CountedTree, DocumentRow

SHARE = Qt.ItemDataRole.UserRole
Index = QModelIndex | QPersistentModelIndex
LEFT = frozenset({"system", "group", "mount", "bar"})
SIZES = ("cluster", "clusters", "wasted", "wasted_pct", "bar", "range", "rate")
SYSTEMS = ("system", "files", "mean", "suggested", "wasted_pct", "waste_at_4k", "waste_at_128k", "waste_at_4m")
DOCUMENT = ("group", "mount", "size", "cluster", "here", "bar")
AT = (2**12, 2**17, 2**22)


@dataclass(frozen=True, slots=True)
class Cells:
    """`share`: 0..1, drawn in the column ``bar``; `strong`: the row that is suggested."""

    words: tuple[str, ...]
    share: float | None = None
    strong: bool = False


class BarDelegate(QStyledItemDelegate):
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        share = index.data(SHARE)
        if share is None:
            return
        theme = current_theme()
        room = option.rect.adjusted(8, 6, -8, -6)
        painter.fillRect(room, theme.pressed)
        room.setWidth(round(room.width() * min(max(share, 0.0), 1.0)))
        painter.fillRect(room, theme.accent)


class WordGrid(QTableWidget):
    """Read only; Ctrl+C copies what is chosen, or all, with headings."""

    def __init__(self, columns: Sequence[str]) -> None:
        super().__init__(0, len(columns))
        self._columns = tuple(columns)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT_DENSE + 2)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection("bar" not in columns)
        header.setHighlightSections(False)
        if "bar" in columns:
            at = self._columns.index("bar")
            header.setSectionResizeMode(at, QHeaderView.ResizeMode.Stretch)
            self.setItemDelegateForColumn(at, BarDelegate(self))

    def retranslate(self) -> None:
        for at, name in enumerate(self._columns):
            item = QTableWidgetItem(text(f"ui.clusters.column.{name}"))
            item.setTextAlignment(self._side(name))
            self.setHorizontalHeaderItem(at, item)

    def _side(self, name: str) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignLeft if name in LEFT else Qt.AlignmentFlag.AlignRight
        return side | Qt.AlignmentFlag.AlignVCenter

    def fill(self, rows: Sequence[Cells]) -> None:
        self.setRowCount(len(rows))
        for at, cells in enumerate(rows):
            for column, (name, words) in enumerate(zip(self._columns, cells.words, strict=True)):
                item = QTableWidgetItem(words)
                item.setTextAlignment(self._side(name))
                if name == "bar":
                    item.setData(SHARE, cells.share)
                    item.setText("")
                    item.setData(Qt.ItemDataRole.AccessibleTextRole, words)
                if cells.strong:
                    font = item.font()
                    font.setBold(True)
                    item.setFont(font)
                self.setItem(at, column, item)

    def tab_separated(self) -> str:
        chosen = sorted({index.row() for index in self.selectedIndexes()})
        rows = chosen if len(chosen) > 1 else range(self.rowCount())
        columns = [at for at, name in enumerate(self._columns) if name != "bar"]
        head = [text(f"ui.clusters.column.{self._columns[at]}") for at in columns]
        return "\n".join("\t".join(line) for line in [head, *([self._words(at, c) for c in columns] for at in rows)])

    def _words(self, at: int, column: int) -> str:
        item = self.item(at, column)
        return item.text() if item is not None else ""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.tab_separated())
        else:
            super().keyPressEvent(event)


# --- rows
def size_words(size_bytes: float) -> str:
    """``4K``, ``1.5M``: powers of 1,024, as cluster sizes are written."""
    for power, unit in ((30, "G"), (20, "M"), (10, "K")):
        if size_bytes >= 2**power:
            return f"{half_up(size_bytes / 2**power, 1):,f}".removesuffix(".0") + unit
    return f"{half_up(float(size_bytes), 0):,f}"


def pct_words(share_pct: float | None) -> str:
    return DASH if share_pct is None else f"{half_up(share_pct, 1):,f} %"


def size_rows(found: Sequence[ClusterCost], chosen: ClusterCost | None) -> list[Cells]:
    return [_size_row(each, each is chosen) for each in found]


def _size_row(cost: ClusterCost, strong: bool) -> Cells:
    between = text(
        "ui.clusters.between", low=size_words(cost.least_wasted_bytes), high=size_words(cost.most_wasted_bytes)
    )
    size = size_words(cost.cluster_bytes)
    words = (
        f"{text('ui.clusters.suggested')} {size}" if strong else size,
        format_count(round(cost.clusters)),
        size_words(cost.wasted_bytes),
        pct_words(cost.wasted_pct),
        pct_words(cost.wasted_pct),
        text("ui.clusters.exact") if cost.exact else between,
        _rate_words(cost),
    )
    return Cells(words, None if cost.wasted_pct is None else cost.wasted_pct / 100, strong)


def _rate_words(cost: ClusterCost) -> str:
    if cost.rate_mb_s is None:
        return text("ui.clusters.not_measured")
    value = f"{half_up(cost.rate_mb_s, 1):,f}"
    return value if cost.rate_measured else text("ui.clusters.interpolated", value=value)


def system_rows(systems: Sequence[tuple[str, Sequence[SizeBucket]]], most_waste_pct: float) -> list[Cells]:
    return [_system_row(name, buckets, most_waste_pct) for name, buckets in systems]


def _system_row(name: str, buckets: Sequence[SizeBucket], most_waste_pct: float) -> Cells:
    whole, chosen = totals(buckets), suggested(costs(buckets), most_waste_pct)
    mean = DASH if whole.mean_bytes is None else size_words(whole.mean_bytes)
    at = [pct_words(each.wasted_pct) for each in costs(buckets, AT)]
    fits = (size_words(chosen.cluster_bytes), pct_words(chosen.wasted_pct)) if chosen else (DASH, DASH)
    return Cells((name, format_count(whole.files), mean, *fits, *at))


def document_table(rows: Sequence[DocumentRow], buckets: Sequence[SizeBucket]) -> list[Cells]:
    """The document's choice, and what the distribution at hand would waste with it."""
    sizes = sorted({row.cluster_bytes for row in rows})
    wasted = {each.cluster_bytes: each.wasted_pct for each in costs(buckets, sizes)} if buckets else {}
    made = []
    for row in rows:
        share_pct = wasted.get(row.cluster_bytes)
        here = pct_words(share_pct)
        words = (row.group, row.mount, format_count(row.size_gb), size_words(row.cluster_bytes), here, here)
        made.append(Cells(words, None if share_pct is None else share_pct / 100))
    return made


def tree_words(tree: CountedTree) -> str:
    name = text("ui.clusters.tree", host=tree.host or DASH, tree=tree.tree or DASH, run=tree.run)
    return text("ui.clusters.tree.truncated", name=name) if tree.truncated else name
