"""The three tables of the worksheet of cluster sizes, as rows of words with a share to draw as a bar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyledItemDelegate, QStyleOptionViewItem

from app.analysis.cluster_sizes import ClusterCost, SizeBucket, costs, suggested, totals
from app.analysis.comparing.improvement import half_up
from app.ui.look.formats import DASH, format_count
from app.ui.look.language import text
from app.ui.look.theme import ROW_HEIGHT_DENSE, current_theme
from app.ui.tables.column import Column
from app.ui.tables.model import Index, TableModel
from app.ui.tables.view import TableView
from app.usecases.reference.cluster_worksheet import CountedTree, DocumentRow

SHARE = Qt.ItemDataRole.UserRole
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


class GridModel(TableModel[Cells]):
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self.columns[index.column()].id == "bar":
            if role == SHARE:
                return self.row_at(index).share
            if role == Qt.ItemDataRole.AccessibleTextRole:
                return self.row_at(index).words[index.column()]
        return super().data(index, role)


def _column(place: int, name: str) -> Column[Cells]:
    def font(cells: Cells) -> QFont | None:
        made = QFont()
        made.setBold(True)
        return made if cells.strong else None

    return Column(
        name,
        f"ui.clusters.column.{name}",
        lambda cells: "" if name == "bar" else cells.words[place],
        right=name not in LEFT,
        font=font,
    )


class WordGrid(TableView):
    """Read only; Ctrl+C copies what is chosen, or all, with headings."""

    def __init__(self, columns: Sequence[str]) -> None:
        self.cells = GridModel([_column(place, name) for place, name in enumerate(columns)])
        super().__init__(self.cells)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT_DENSE + 2)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection("bar" not in columns)
        if "bar" in columns:
            at = columns.index("bar")
            header.setSectionResizeMode(at, QHeaderView.ResizeMode.Stretch)
            self.setItemDelegateForColumn(at, BarDelegate(self))

    def tab_separated(self) -> str:
        chosen = sorted({index.row() for index in self.selectedIndexes()})
        rows = chosen if len(chosen) > 1 else range(self.cells.rowCount())
        columns = [at for at, column in enumerate(self.cells.columns) if column.id != "bar"]
        head = [self.cells.columns[at].title for at in columns]
        return "\n".join("\t".join(line) for line in [head, *([self.cells.plain(r, c) for c in columns] for r in rows)])


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
