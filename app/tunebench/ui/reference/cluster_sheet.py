"""The worksheet of cluster sizes: a distribution of file sizes in, waste and allocations per cluster size out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFileDialog,
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTabWidget,
    QWidget,
)

from tunebench.analysis.calculators.calculator import read_number
from tunebench.analysis.cluster_sizes import MOST_WASTE_PCT, ClusterCost, SizeBucket, costs, suggested, totals
from tunebench.analysis.comparing.improvement import half_up
from tunebench.analysis.file_size_lists import read_list
from tunebench.columns.column import Column
from tunebench.columns.formats import DASH, format_count
from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.ui.look.language import error_text, text, translated
from tunebench.ui.look.theme import ROW_HEIGHT_DENSE, SPACE_L, SPACE_M, SPACE_S, current_theme
from tunebench.ui.tables.model import Index, TableModel
from tunebench.ui.tables.view import TableView
from tunebench.ui.typing import never_stored
from tunebench.ui.widgets.parts import button, column, label, row, selectable, set_tone
from tunebench.usecases.reference import cluster_worksheet as sheet
from tunebench.usecases.reference.cluster_worksheet import CountedTree, DocumentRow

SHARE = Qt.ItemDataRole.UserRole
LEFT = frozenset({"system", "group", "mount", "bar"})
SIZES = ("cluster", "clusters", "wasted", "wasted_pct", "bar", "range", "rate")
SYSTEMS = ("system", "files", "mean", "suggested", "wasted_pct", "waste_at_4k", "waste_at_128k", "waste_at_4m")
DOCUMENT = ("group", "mount", "size", "cluster", "here", "bar")
AT = (2**12, 2**17, 2**22)
TABS = ("sizes", "systems", "document")
TYPED_HEIGHT = 92


@record
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
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if self.columns[index.column()].id == "bar":
            if role == SHARE:
                return self.row_at(index).share
            if role == Qt.ItemDataRole.AccessibleTextRole:
                return self.row_at(index).words[index.column()]
        return super().data(index, role)


def _column(index: int, name: str) -> Column[Cells]:
    return Column(
        name,
        f"ui.clusters.column.{name}",
        lambda cells: "" if name == "bar" else cells.words[index],
        right=name not in LEFT,
        strong=lambda cells: cells.strong,
    )


class WordGrid(TableView):
    """Read only; Ctrl+C copies what is chosen, or all, with headings."""

    def __init__(self, columns: Sequence[str]) -> None:
        self.cells = GridModel([_column(index, name) for index, name in enumerate(columns)])
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

    def lines(self) -> list[list[str]]:
        chosen = sorted({index.row() for index in self.selectedIndexes()})
        rows = chosen if len(chosen) > 1 else range(self.cells.rowCount())
        columns = [at for at, column in enumerate(self.cells.columns) if column.id != "bar"]
        head = [self.cells.columns[at].title(self.cells.locale) for at in columns]
        return [head, *([self.cells.plain(row, at) for at in columns] for row in rows)]


# --- rows
def size_words(size_bytes: float) -> str:
    """``4K``, ``1.5M``: powers of 1,024, as cluster sizes are written."""
    for power, unit in ((30, "G"), (20, "M"), (10, "K")):
        if size_bytes >= 2**power:
            return f"{half_up(size_bytes / 2**power, 1):,f}".removesuffix(".0") + unit
    return f"{half_up(float(size_bytes), 0):,f}"


def pct_words(share_pct: float | None) -> str:
    return DASH if share_pct is None else f"{half_up(share_pct, 1):,f} %"


def size_rows(sizes: Sequence[ClusterCost], chosen: ClusterCost | None) -> list[Cells]:
    return [_size_row(cost, cost is chosen) for cost in sizes]


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
    at = [pct_words(cost.wasted_pct) for cost in costs(buckets, AT)]
    fits = (size_words(chosen.cluster_bytes), pct_words(chosen.wasted_pct)) if chosen else (DASH, DASH)
    return Cells((name, format_count(whole.files), mean, *fits, *at))


def document_table(rows: Sequence[DocumentRow], buckets: Sequence[SizeBucket]) -> list[Cells]:
    """The document's choice, and what the distribution at hand would waste with it."""
    sizes = sorted({row.cluster_bytes for row in rows})
    wasted = {cost.cluster_bytes: cost.wasted_pct for cost in costs(buckets, sizes)} if buckets else {}
    lines = []
    for entry in rows:
        share_pct = wasted.get(entry.cluster_bytes)
        here = pct_words(share_pct)
        words = (entry.group, entry.mount, format_count(entry.size_gb), size_words(entry.cluster_bytes), here, here)
        lines.append(Cells(words, None if share_pct is None else share_pct / 100))
    return lines


def tree_words(tree: CountedTree) -> str:
    name = text("ui.clusters.tree", host=tree.host or DASH, tree=tree.tree or DASH, run=tree.run)
    return text("ui.clusters.tree.truncated", name=name) if tree.truncated else name


class ClusterSheet(QWidget):
    """`said` carries a sentence."""

    said = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._trees: tuple[CountedTree, ...] = ()
        self.buckets: tuple[SizeBucket, ...] = ()
        self._heading = translated(label(role="title"), "ui.clusters.title")
        self._about = translated(label(role="muted", wrap=True), "ui.clusters.about")
        never_stored(self)
        self.source = translated(QComboBox(), accessibleName="ui.clusters.source")
        self.open_button = translated(
            button(on_click=self._ask_file), "ui.clusters.open", toolTip="ui.clusters.open.tip"
        )
        self.typed = translated(
            QPlainTextEdit(),
            accessibleName="ui.clusters.typed",
            placeholderText="ui.clusters.typed.hint",
            toolTip="ui.clusters.typed.hint",
        )
        self.typed.setFixedHeight(TYPED_HEIGHT)
        self.typed.setTabChangesFocus(True)
        self.most_waste = translated(
            QLineEdit(f"{MOST_WASTE_PCT:g}"),
            accessibleName="ui.clusters.most_waste",
            toolTip="ui.clusters.most_waste.tip",
        )
        self.most_waste.setFixedWidth(56)
        self.most_waste.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.rates = translated(
            QLineEdit(), accessibleName="ui.clusters.rates", placeholderText="ui.clusters.rates.hint"
        )
        self.rates.setMinimumWidth(150)
        self._names = {name: translated(label(), f"ui.clusters.{name}") for name in ("source", "most_waste", "rates")}
        self.error, self.suggestion = label(wrap=True), selectable(label(role="strong", wrap=True))
        set_tone(self.error, "critical")
        columns = (SIZES, SYSTEMS, DOCUMENT)
        self.grids = dict(zip(TABS, map(WordGrid, columns), strict=True))
        self._foot = {name: selectable(label(role="muted", wrap=True)) for name in TABS}
        self.total = selectable(label(wrap=True))
        set_tone(self.total, "warning")
        self.tabs = QTabWidget()
        self.copy_button = translated(button(kind="quiet", on_click=self.copy), "ui.clusters.copy")
        self._timer = QTimer(self, singleShot=True, interval=80)
        self._lay_out()
        self._connect()
        translated(self.tabs, tabText=[f"ui.clusters.tab.{name}" for name in TABS])
        for name, grid in self.grids.items():
            translated(grid, accessibleName=f"ui.clusters.tab.{name}")
        translated(self._foot["sizes"], "ui.clusters.claim")
        translated(self._foot["systems"], "ui.clusters.most_waste.tip")
        translated(self._foot["document"], "ui.clusters.document_rule")

    def _lay_out(self) -> None:
        choice = row(
            self._names["source"],
            (self.source, 3),
            self.open_button,
            self._names["most_waste"],
            self.most_waste,
            self._names["rates"],
            (self.rates, 2),
        )
        for name in TABS:
            self.tabs.addTab(self._tab(name), name)
        shown, margins = (self.error, self.suggestion), (SPACE_L, SPACE_M, SPACE_L, SPACE_M)
        head = row(self._heading, 1, self.copy_button)
        self.setLayout(column(head, self._about, choice, self.typed, *shown, (self.tabs, 1), margins=margins))

    def _tab(self, name: str) -> QWidget:
        tab = QWidget()
        below = [self.total] if name == "document" else []
        tab.setLayout(column((self.grids[name], 1), *below, self._foot[name], margins=(0, SPACE_S, 0, 0)))
        return tab

    def _connect(self) -> None:
        for field in (self.most_waste, self.rates):
            field.textChanged.connect(lambda _words: self._timer.start())
        self.typed.textChanged.connect(self._timer.start)
        self.source.currentIndexChanged.connect(lambda _at: self.compute())
        self._timer.timeout.connect(self.compute)

    # --- where the distribution comes from
    def use_trees(self, trees: Sequence[CountedTree]) -> None:
        """What captures of the project counted; the choice stays where it can."""
        chosen = self.source.currentText() if self.source.currentData() is not None else ""
        self._trees = tuple(trees)
        with QSignalBlocker(self.source):
            self.source.clear()
            self.source.addItem(text("ui.clusters.source.typed"), None)
            for tree in self._trees:
                self.source.addItem(tree_words(tree), tree)
            nothing_typed = bool(self._trees) and not self.typed.toPlainText().strip()
            self.source.setCurrentIndex(max(self.source.findText(chosen), 1 if nothing_typed else 0))
        self.compute()

    def _ask_file(self) -> None:
        path, _filter = QFileDialog.getOpenFileName(self, text("ui.clusters.open"), "", text("ui.clusters.csv_files"))
        if path:
            self.open_file(Path(path))

    def open_file(self, path: Path) -> None:
        """Puts the file's text into the field, where it can be mended; the field stays if the file cannot be read."""
        try:
            words = sheet.read_list_file(path)
        except UserError as refusal:
            self._refuse(refusal)
            return
        self.source.setCurrentIndex(0)
        self.typed.setPlainText(words)

    # --- computing
    def compute(self) -> None:
        self._timer.stop()
        tree = self.source.currentData()
        self.typed.setVisible(tree is None)
        try:
            self.buckets = tree.buckets if tree is not None else self._typed_buckets()
            most_waste_pct = _most_waste(self.most_waste.text())
            measured = sheet.measured_rates(self.rates.text())
        except UserError as refusal:
            self._refuse(refusal)
            return
        self.error.hide()
        sizes = costs(self.buckets, measured_mb_s=measured) if self.buckets else ()
        chosen = suggested(sizes, most_waste_pct)
        self._say_suggestion(chosen, most_waste_pct)
        self.grids["sizes"].cells.show_rows(size_rows(sizes, chosen))
        self.grids["systems"].cells.show_rows(system_rows(self._systems(), most_waste_pct))
        self.grids["document"].cells.show_rows(document_table(sheet.document_rows(), self.buckets))

    def _typed_buckets(self) -> tuple[SizeBucket, ...]:
        """The typed buckets; none where the field is empty."""
        words = self.typed.toPlainText()
        return read_list(words) if words.strip() else ()

    def _systems(self) -> list[tuple[str, Sequence[SizeBucket]]]:
        is_typed = self.source.currentData() is None and self.buckets
        typed = [(text("ui.clusters.source.typed"), self.buckets)] if is_typed else []
        return [*typed, *((tree_words(tree), tree.buckets) for tree in self._trees)]

    def _refuse(self, refusal: UserError) -> None:
        self.error.setText(f"⚠ {error_text(refusal)}")
        self.error.show()
        self.suggestion.hide()
        self.buckets = ()
        for grid in self.grids.values():
            grid.cells.show_rows([])

    def _say_suggestion(self, chosen: ClusterCost | None, most_pct: float) -> None:
        whole = totals(self.buckets)
        if not self.buckets:
            words = text("ui.clusters.waiting")
        elif chosen is None or whole.mean_bytes is None:
            words = text("ui.clusters.none_fits", most=f"{most_pct:g}")
        else:
            words = text(
                "ui.clusters.suggestion",
                cluster=size_words(chosen.cluster_bytes),
                most=f"{most_pct:g}",
                waste=pct_words(chosen.wasted_pct).removesuffix(" %"),
                files=format_count(whole.files),
                mean=size_words(whole.mean_bytes),
            )
        if whole.estimated:
            words = f"{words} {text('ui.clusters.estimated')}"
        self.suggestion.setText(words)
        self.suggestion.show()

    # --- words
    def copy(self) -> None:
        self.grids[TABS[self.tabs.currentIndex()]].exhibited.copy(("tsv",))
        self.said.emit(text("ui.reference.copied"))

    def retranslate(self) -> None:
        computed, printed = sheet.document_total_gb(), sheet.PRINTED_TOTAL_GB
        figures = {"printed": format_count(printed), "computed": format_count(computed)}
        self.total.setText(f"⚠ {text('ui.clusters.total', **figures, difference=format_count(computed - printed))}")
        self.use_trees(self._trees)


def _most_waste(words: str) -> float:
    value = read_number(words)
    if value is None or not 0 < value < 100:
        raise UserError("most_waste_unclear")
    return value
