"""The list of what changed, most first, one row per series: filtered by side, words, verdict and size of the change,
sorted, and copied whole."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum
from zoneinfo import ZoneInfo

from PySide6.QtCore import QModelIndex, QSignalBlocker, Signal
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QComboBox

from tunebench.analysis.comparing.comparison import ComparedSeries, Comparison
from tunebench.analysis.inference.verdict import Verdict
from tunebench.columns import comparing_words
from tunebench.columns.column import Column, chosen
from tunebench.columns.comparing import CHANGED, COLUMNS, COPIED_ONLY, VERDICT_MARKS, WINDOW, change_factor, host_text
from tunebench.core.records import record
from tunebench.domain.engagement import Direction
from tunebench.ui.charts.words import series_words
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.tables.model import RowFilter, TableModel
from tunebench.ui.tables.view import RowView
from tunebench.ui.widgets.parts import Card, button, column, label, row, search_field, tab_bar
from tunebench.usecases.exploring.strands import is_telling

FITTED_ROWS, PAD_PX = 60, 24
WIDE_PX, WIDER = 1000, 1.6
"""A table of this width has room for longer names."""
LEAST_CHANGES = (1.0, 1.1, 1.25, 1.5, 2.0, 5.0)


LARGE_PX = 15


@record
class Look:
    """
    Attributes:
        width, widest: pixels; between these a column is as wide as its text.
    """

    width: int = 76
    widest: int = 150


LOOKS = {
    "verdict": Look(92, 158),
    "name": Look(140),
    "before.mean": Look(88),
    "after.mean": Look(88),
    "unit": Look(88),
    "ratio": Look(96),
    "estimate": Look(120, 190),
    "occurrences": Look(64),
    "variation": Look(96),
    "change": Look(72),
    "why": Look(420, 420),
    "before.n": Look(66),
    "after.n": Look(66),
    "device": Look(90),
    "host": Look(110),
    "metric": Look(200),
}
WINDOW_COLUMNS = chosen(COLUMNS, WINDOW)


def large(font: QFont | None) -> QFont:
    """The font of the ratio, which is read first."""
    larger = QFont() if font is None else QFont(font)
    larger.setPixelSize(LARGE_PX)
    return larger


class Shown(StrEnum):
    """Which verdicts are listed; beside these each verdict by itself."""

    ALL = "all"
    CHANGED = "changed"
    JUDGED = "judged"


FILTERS: tuple[Shown | Verdict, ...] = (*Shown, *Verdict)


def has_changed(row: ComparedSeries) -> bool:
    """Better or worse; of what is neither, whatever differs beyond chance."""
    neutral = row.direction is Direction.NEUTRAL and row.verdict is Verdict.DESCRIPTIVE_ONLY
    return row.own_verdict in CHANGED or (neutral and row.changed)


def is_shown(row: ComparedSeries, wanted: Shown | Verdict) -> bool:
    if wanted is Shown.CHANGED:
        return has_changed(row)
    if wanted is Shown.JUDGED:
        return row.own_verdict in comparing_words.FROM_FIGURES
    return wanted is Shown.ALL or row.own_verdict is wanted


def prominence(row: ComparedSeries) -> tuple[int, bool, bool, float, bool, str]:
    """What changed first, then what was judged not to, then what differs without being better, then the rest.

    Each by its effect; endless ones (from or to zero) and what the catalogue does not know come last.
    """
    if row.own_verdict in CHANGED:
        tier = 0
    elif row.own_verdict in comparing_words.FROM_FIGURES:
        tier = 1
    else:
        tier = 2 if has_changed(row) else 3
    factor = change_factor(row)
    return (tier, math.isinf(factor), not row.metric, -factor, not is_telling(row.series), series_words(row.series))


class CompareModel(TableModel[ComparedSeries]):
    """What changed most comes first."""

    def __init__(self) -> None:
        super().__init__(WINDOW_COLUMNS)

    def show_comparison(self, rows: Sequence[ComparedSeries]) -> None:
        self.show_rows(sorted(rows, key=prominence))

    def font(self, row: ComparedSeries, column: Column[ComparedSeries]) -> QFont | None:
        font = super().font(row, column)
        return large(font) if column.id == "ratio" else font


class CompareFilter(RowFilter[ComparedSeries]):
    """Both sides or one, words, verdicts, at least so many times different."""

    def __init__(self, model: CompareModel) -> None:
        super().__init__(model)
        self.least = 1.0
        self.paired = True
        self.wanted: Shown | Verdict = Shown.ALL

    def change(self, **wanted: object) -> None:
        """Sets what is wanted, and looks once at all rows."""
        self.beginResetModel()
        for name, value in wanted.items():
            setattr(self, name, value)
        self.endResetModel()

    def searched(self, row: ComparedSeries) -> str:
        info = row.series
        return f"{info.label} {info.metric} {info.tool} {info.table} {host_text(row, self.model.locale)}"

    def accepts(self, row: ComparedSeries) -> bool:
        if row.measured_on_both != self.paired:
            return False
        if self.paired and not (is_shown(row, self.wanted) and change_factor(row) >= self.least):
            return False
        return super().accepts(row)


class ComparisonTable(RowView):
    """Copies the rows that are chosen, where several are, else all; with every figure, also those not seen."""

    def __init__(self, model: CompareModel) -> None:
        self.filter = CompareFilter(model)
        super().__init__(self.filter)

    def lines(self) -> list[list[str]]:
        chosen = sorted({index.row() for index in self.selectedIndexes()})
        rows = chosen if len(chosen) > 1 else range(self.filter.rowCount())
        lines = [[self._copied_title(column) for column in WINDOW_COLUMNS]]
        lines += [[self.filter.plain(row, index) for index in range(len(WINDOW_COLUMNS))] for row in rows]
        return lines

    def _copied_title(self, column: Column[ComparedSeries]) -> str:
        """``ratio`` alone: its interval is copied in cells of its own."""
        return text("ui.compare.copied.ratio") if column.id == "ratio" else column.title(self.filter.model.locale)


class ComparisonList(Card):
    """Signals:
    chosen: the `ComparedSeries` of the row that was chosen, or None where no row is left.
    copied: the table went to the clipboard.
    """

    chosen = Signal(object)
    copied = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._chosen: ComparedSeries | None = None
        self.model = CompareModel()
        self.table = translated(ComparisonTable(self.model), accessibleName="ui.compare.table")
        self.filter = self.table.filter
        self.tabs = tab_bar("both", "one")
        self.filter_field = search_field("ui.compare.filter", 96, 220)
        self.verdicts, self.least = _choice("ui.compare.verdicts.name"), _choice("ui.compare.least.name")
        self.count = label(role="small")
        self.copy_button = translated(
            button(kind="quiet", on_click=self.copy), "ui.compare.copy", toolTip="ui.compare.copy.tip"
        )
        self._build_table()
        self._lay_out()
        self._connect()

    # --- building
    def _build_table(self) -> None:
        table = self.table
        table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.choose_rows()
        for index, shown in enumerate(WINDOW_COLUMNS):
            table.setColumnHidden(index, shown.id in COPIED_ONLY)

    def _lay_out(self) -> None:
        tools = row(self.tabs, 1, self.count, self.filter_field, self.verdicts, self.least, self.copy_button)
        column(tools, (self.table, 1), spacing=0, margins=(1, 2, 1, 1), of=self)

    def _connect(self) -> None:
        self.filter_field.textChanged.connect(lambda words: self._narrow(words=words))
        self.least.currentIndexChanged.connect(lambda at: self._narrow(least=LEAST_CHANGES[max(at, 0)]))
        self.verdicts.currentIndexChanged.connect(lambda at: self._narrow(wanted=FILTERS[max(at, 0)]))
        self.tabs.currentChanged.connect(self._on_tab)
        self.table.selectionModel().currentRowChanged.connect(lambda now, _then: self._on_row(now))
        self.filter.modelReset.connect(self._say_count)

    # --- what is shown
    def show_comparison(self, comparison: Comparison | None, zone: ZoneInfo, keep: str | None) -> None:
        """Lists the series; the one labelled `keep` is chosen again where it is still there."""
        self.model.zone = zone
        self.model.show_comparison(comparison.rows if comparison else ())
        self._fit_columns()
        self._count_all()
        self._choose_row(keep)

    def shown_rows(self) -> list[ComparedSeries]:
        return [self.filter.row_at(self.filter.index(index, 0)) for index in range(self.filter.rowCount())]

    def show_only(self, wanted: Shown | Verdict) -> None:
        self.tabs.setCurrentIndex(0)
        self.verdicts.setCurrentIndex(FILTERS.index(wanted))

    def show_series(self, series: ComparedSeries) -> None:
        """Chooses its row among all that both sides have."""
        self.filter_field.clear()
        self.least.setCurrentIndex(0)
        self.show_only(Shown.ALL)
        rows = self.shown_rows()
        at = next((index for index, own in enumerate(rows) if own.series.id == series.series.id), None)
        if at is not None:
            self.table.selectRow(at)
            self.table.setCurrentIndex(self.filter.index(at, 0))
            self.table.scrollTo(self.filter.index(at, 0))

    def _choose_row(self, keep: str | None) -> None:
        """Chooses the row that was chosen before, else the first."""
        labels = [compared.series.label for compared in self.shown_rows()]
        if not labels:
            self._chosen = None
            self.chosen.emit(None)
            return
        index = labels.index(keep) if keep in labels else 0
        self.table.selectRow(index)
        self.table.setCurrentIndex(self.filter.index(index, 0))

    def _on_row(self, index: QModelIndex) -> None:
        if index.isValid():
            self._chosen = self.filter.row_at(index)
            self.chosen.emit(self._chosen)

    # --- filters
    def _on_tab(self, index: int) -> None:
        """What one side lacks has neither verdict nor change."""
        for box in (self.verdicts, self.least):
            box.setEnabled(index == 0)
        self._narrow(paired=index == 0)

    def _narrow(self, **wanted: object) -> None:
        """The row that was chosen stays so where it is still listed."""
        keep = self._chosen.series.label if self._chosen else None
        self.filter.change(**wanted)
        self._choose_row(keep)

    def _say_count(self) -> None:
        shown = self.filter.rowCount()
        every = sum(compared.measured_on_both == self.filter.paired for compared in self.model.rows)
        self.count.setText(text("ui.compare.count", shown=shown, every=every) if shown != every else "")

    def _count_all(self) -> None:
        paired = [compared for compared in self.model.rows if compared.measured_on_both]
        self.tabs.setTabText(0, text("ui.compare.tab.both", n=len(paired)))
        self.tabs.setTabText(1, text("ui.compare.tab.one", n=len(self.model.rows) - len(paired)))
        counts = [sum(is_shown(compared, wanted) for compared in paired) for wanted in FILTERS]
        words = [f"{_filter_words(wanted)} {n}" for wanted, n in zip(FILTERS, counts, strict=True)]
        _refill(self.verdicts, words)

    # --- figures out
    def copy(self) -> None:
        """The table as it is filtered and sorted (or the rows selected) to the clipboard."""
        self.table.exhibited.copy(("tsv",))
        self.copied.emit()

    # --- words
    def retranslate(self) -> None:
        words = [text("ui.compare.least.all")]
        _refill(self.least, words + [text("ui.compare.least", factor=f"{factor:g}") for factor in LEAST_CHANGES[1:]])
        self._fit_columns()
        self._count_all()
        self._say_count()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if (event.size().width() >= WIDE_PX) != (event.oldSize().width() >= WIDE_PX):
            self._fit_columns()

    def _fit_columns(self) -> None:
        """Columns wide enough for their headings in this language and the figures at the top."""
        bold = self.table.font()
        bold.setBold(True)
        metrics = QFontMetrics(bold)
        more = WIDER if self.width() >= WIDE_PX else 1.0
        locale = self.model.locale
        for index, shown in enumerate(WINDOW_COLUMNS):
            look = LOOKS.get(shown.id, Look())
            if look.width == look.widest:
                self.table.setColumnWidth(index, look.width)
                continue
            words = [shown.title(locale), *(shown.words(row, locale) for row in self.model.rows[:FITTED_ROWS])]
            wanted = max(metrics.horizontalAdvance(word) for word in words) + PAD_PX
            self.table.setColumnWidth(index, min(max(look.width, wanted), round(look.widest * more)))


def _filter_words(wanted: Shown | Verdict) -> str:
    if isinstance(wanted, Verdict):
        return f"{VERDICT_MARKS[wanted]} {comparing_words.verdict_text(wanted, language().code)}"
    return text(f"ui.compare.verdicts.{wanted}")


def _choice(name_key: str) -> QComboBox:
    small = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
    box = QComboBox(minimumContentsLength=8, sizeAdjustPolicy=small)
    box.view().setMinimumWidth(180)
    return translated(box, accessibleName=name_key)


def _refill(box: QComboBox, words: list[str]) -> None:
    """New texts, same choice."""
    index = box.currentIndex()
    with QSignalBlocker(box):
        box.clear()
        box.addItems(words)
        box.setCurrentIndex(max(index, 0))
