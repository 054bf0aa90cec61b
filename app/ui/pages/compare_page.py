"""Compare: two windows side by side, series by series, and the chosen pair on one axis. Descriptive only."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QComboBox,
    QLineEdit,
    QSplitter,
    QStackedLayout,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from app.analysis.comparison import ComparedSeries, Comparison, Window
from app.domain.engagement import Phase, Run
from app.ui.charts.alignment import Align, Alignment, fitting_mode
from app.ui.charts.compare_table import COLUMNS, CompareFilter, CompareModel
from app.ui.charts.pair_chart import PairChart
from app.ui.charts.sample_table import CopyTable
from app.ui.charts.side_picker import SidePicker
from app.ui.charts.source import Source, open_source
from app.ui.charts.time_range import TimeRange, whole_seconds
from app.ui.charts.windows import window_at, window_range
from app.ui.commands import Command
from app.ui.cycling.evidence_menu import offer_menu, offer_pin
from app.ui.cycling.evidence_offer import Offer, of_comparison
from app.ui.language import text
from app.ui.pages.base import Page
from app.ui.selection import RunWindow
from app.ui.theme import ROW_HEIGHT, SPACE_M, SPACE_S, Theme
from app.ui.widgets.parts import EmptyState, button, card, label, row
from app.ui.workspace import Change, Inspected, Workspace

SIDE_BY_SIDE_PX = 900
FITTED_ROWS, WIDEST_PX = 100, 260
LEAST_CHANGES = (1.0, 1.1, 1.25, 1.5, 2.0, 5.0)


class ComparePage(Page):
    page_id = "compare"
    title_key = "ui.page.compare"
    icon = "compare"

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self._source: Source | None = None
        self._stale = True
        self._align_chosen = False
        self._asked: tuple[RunWindow, RunWindow] | None = None
        self.comparison: Comparison | None = None
        self.before, self.after = SidePicker("before"), SidePicker("after")
        self.align = QComboBox()
        self.filter_field = QLineEdit()
        self.filter_field.setClearButtonEnabled(True)
        self.least = QComboBox()
        self.tabs = QTabBar()
        self.model = CompareModel()
        self.filter = CompareFilter(self.model)
        self.table = CopyTable()
        self.chart = PairChart(workspace.jobs)
        self._build_table()
        self._lay_out()
        self._connect()
        self._add_commands()
        self.start()

    # --- building
    def _add_commands(self) -> None:
        for name, shortcuts, act in (("find", ("Ctrl+F",), self.filter_field.setFocus), ("copy", (), self.copy)):
            command = Command(
                f"compare.{name}", "analyse", 4, shortcuts, page_id="compare", text_key=f"ui.compare.command.{name}"
            )
            self.workspace.commands.add(command, act)

    def _build_table(self) -> None:
        self.table.setModel(self.filter)
        self.table.setFrameShape(CopyTable.Shape.NoFrame)
        self.table.setStyleSheet(
            "QTableView { border: none; } QAbstractScrollArea::corner { background: transparent; }"
        )
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self.table.setSortingEnabled(True)
        self.table.horizontalHeader().setSortIndicatorClearable(True)
        self.table.horizontalHeader().setSectionsMovable(True)
        self.table.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        offer_menu(self.table, self.workspace)
        offer_pin(self.chart, self.workspace)

    def _lay_out(self) -> None:
        self._title = label(role="title")
        self._align_word = label(role="muted")
        self._honest = label(role="small", wrap=True)
        self._count = label(role="small")
        self._copy = button(kind="quiet", on_click=self.copy)
        head = row(self._title, 1, self._align_word, self.align, spacing=SPACE_S)
        sides = self._sides = row(self.before, self.after, spacing=SPACE_S)
        sides.setStretch(0, 1)
        sides.setStretch(1, 1)
        self.filter_field.setMaximumWidth(260)
        self.filter_field.setMinimumWidth(110)
        self.tabs.setExpanding(False)
        self.tabs.setDrawBase(False)
        self.tabs.addTab("")
        self.tabs.addTab("")
        tools = row(self.tabs, 1, self._count, self.filter_field, self.least, self._copy, spacing=SPACE_S)
        holder = card()
        table_column = QVBoxLayout(holder)
        table_column.setContentsMargins(1, 2, 1, 1)
        table_column.setSpacing(0)
        table_column.addLayout(tools)
        table_column.addWidget(self.table, 1)
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._split.addWidget(holder)
        self._split.addWidget(self.chart)
        self._split.setSizes([300, 300])
        self._split.setChildrenCollapsible(False)
        self._split.setHandleWidth(SPACE_S)
        self._split.setStyleSheet("QSplitter::handle { background: transparent; }")
        self._stack_full(head, sides)

    def _stack_full(self, head: Any, sides: Any) -> None:
        self._no_windows = EmptyState(
            "compare", "ui.compare.choose",
            (
                ("ui.compare.choose.timeline", lambda: self.workspace.show_page("timeline")),
                ("ui.timeline.empty.import", lambda: self.workspace.ask_import()),
            ),
        )  # fmt: skip
        middle = QWidget()
        self._middle = QStackedLayout(middle)
        self._middle.addWidget(self._split)
        self._middle.addWidget(self._no_windows)
        full = QWidget()
        column = QVBoxLayout(full)
        column.setContentsMargins(SPACE_M, SPACE_S, SPACE_M, SPACE_S)
        column.setSpacing(SPACE_S)
        column.addLayout(head)
        column.addLayout(sides)
        column.addWidget(self._honest)
        column.addWidget(middle, 1)
        empty = EmptyState(
            "compare", "ui.compare.empty",
            (
                ("ui.timeline.empty.import", lambda: self.workspace.ask_import()),
                ("ui.timeline.empty.captures", lambda: self.workspace.show_page("captures")),
            ),
        )  # fmt: skip
        self._pages = QStackedLayout(self)
        self._pages.addWidget(full)
        self._pages.addWidget(empty)

    def _connect(self) -> None:
        self.workspace.selection.windows_changed.connect(lambda _b, _a: self._on_windows())
        for picker in (self.before, self.after):
            picker.chosen.connect(lambda side, window: self.workspace.selection.set_window(Phase(side), window))
        self.align.currentIndexChanged.connect(lambda _place: self._choose_mode())
        self.filter_field.textChanged.connect(lambda words: self._narrow(words=words))
        self.least.currentIndexChanged.connect(lambda place: self._narrow(least=LEAST_CHANGES[max(place, 0)]))
        self.tabs.currentChanged.connect(lambda place: self._narrow(paired=place == 0))
        self.table.selectionModel().currentRowChanged.connect(lambda now, _then: self._on_row(now))
        self.filter.modelReset.connect(self._on_filtered)
        self.chart.window_dragged.connect(self._on_dragged)

    # --- the page's life
    def enter(self, project: Any) -> None:
        if self._stale:
            self._stale = False
            self._source = open_source(project)
            self._asked = None
            self.chart.use(self._source, self.workspace.zone)
            self._propose_windows()
        self._on_windows()
        self.table.setFocus()

    def project_changed(self, change: Change) -> None:
        if change in (Change.OPENED, Change.CLOSED, Change.CAPTURES, Change.RUNS, Change.ENGAGEMENT):
            self._stale = True
            if change in (Change.OPENED, Change.CLOSED):
                self._show_comparison(None)
                self._source = None
                self.chart.use(None, self.workspace.zone)
            if self.isVisible() and self.workspace.project is not None:
                self.enter(self.workspace.project)

    @property
    def runs(self) -> list[Run]:
        return [view.run for view in self.workspace.overview.runs] if self.workspace.overview else []

    def _propose_windows(self) -> None:
        """The runs called before and after, where the user has not chosen."""
        chosen = self.workspace.selection
        for phase, now in ((Phase.BEFORE, chosen.before), (Phase.AFTER, chosen.after)):
            known = now is not None and window_range(now, self.runs) is not None
            run = next((r for r in self.runs if r.phase is phase and r.first_ns is not None), None)
            if not known and (run is not None or now is not None):
                chosen.set_window(phase, RunWindow(run.id) if run else None)

    def _on_windows(self) -> None:
        chosen, zone = self.workspace.selection, self.workspace.zone
        self.before.show_window(self.runs, chosen.before, zone)
        self.after.show_window(self.runs, chosen.after, zone)
        self._pages.setCurrentIndex(0 if any(run.first_ns is not None for run in self.runs) else 1)
        both = chosen.before is not None and chosen.after is not None
        self._middle.setCurrentIndex(0 if both else 1)
        if not both:
            self._asked = None
            self._show_comparison(None)
        elif self.isVisible() and (chosen.before, chosen.after) != self._asked:
            self._compare()

    # --- comparing
    def _compare(self) -> None:
        chosen, source = self.workspace.selection, self._source
        if source is None or chosen.before is None or chosen.after is None:
            return
        self._asked = (chosen.before, chosen.after)
        before, after = (Window(w.run_id, w.start_ns, w.end_ns) for w in self._asked)
        self.workspace.jobs.run(
            "cpu", lambda handle: source.compare(before, after, handle), owner=self, slot="compare",
            on_result=lambda found: self._take(source, found), on_cancelled=self._forget_question,
            title_key="ui.compare.job",
        )  # fmt: skip

    def _take(self, source: Source, found: Comparison) -> None:
        if source is self._source:
            self._show_comparison(found)

    def _forget_question(self) -> None:
        self._asked = None

    def _show_comparison(self, found: Comparison | None) -> None:
        kept = self.chart.row.series.label if self.chart.row else None
        self.comparison = found
        self.model.show_rows(found.rows if found else ())
        self._fit_columns()
        self._count_tabs()
        self._choose_row(kept)

    def _count_tabs(self) -> None:
        paired = sum(r.before is not None and r.after is not None for r in self.model.rows)
        self.tabs.setTabText(0, text("ui.compare.tab.both", n=paired))
        self.tabs.setTabText(1, text("ui.compare.tab.one", n=len(self.model.rows) - paired))

    def _choose_row(self, kept: str | None) -> None:
        """The row chosen before, else the first."""
        rows = range(self.filter.rowCount())
        place = next((r for r in rows if self.filter.row_at(self.filter.index(r, 0)).series.label == kept), 0)
        if rows:
            self.table.selectRow(place)
            self.table.setCurrentIndex(self.filter.index(place, 0))
        else:
            self._show_row(None)

    def _narrow(self, *, words: str | None = None, least: float | None = None, paired: bool | None = None) -> None:
        self.filter.narrow(words=words, least=least, paired=paired)

    def _on_filtered(self) -> None:
        shown = self.filter.rowCount()
        every = sum((r.before is not None and r.after is not None) == self.filter.paired for r in self.model.rows)
        self._count.setText(text("ui.compare.count", shown=shown, every=every) if shown != every else "")

    def _on_row(self, index: QModelIndex) -> None:
        if index.isValid():
            chosen = self.filter.row_at(index)
            self._show_row(chosen)
            self.workspace.inspect(Inspected("comparison", chosen))

    def _show_row(self, chosen: ComparedSeries | None) -> None:
        self.chart.show_pair(chosen, self._alignment())

    def _show_pair(self) -> None:
        self._show_row(self.chart.row)

    def _alignment(self) -> Alignment | None:
        chosen = self.workspace.selection
        before, after = window_range(chosen.before, self.runs), window_range(chosen.after, self.runs)
        if before is None or after is None:
            return None
        zone = self.workspace.zone
        if not self._align_chosen:
            self._show_mode(fitting_mode(before, after, zone))
        return Alignment(list(Align)[self.align.currentIndex()], before, after, zone)

    def _show_mode(self, mode: Align) -> None:
        self.align.blockSignals(True)
        self.align.setCurrentIndex(list(Align).index(mode))
        self.align.blockSignals(False)

    def _choose_mode(self) -> None:
        self._align_chosen = True
        self._show_pair()

    def _on_dragged(self, side: str, moved: TimeRange, finished: bool) -> None:
        picker = self.before if side == "before" else self.after
        moved = whole_seconds(moved, moved)
        picker.preview(moved)
        if not finished:
            return
        chosen = self.workspace.selection
        now = chosen.before if side == "before" else chosen.after
        window = window_at(moved, self.runs, prefer=now.run_id if now else None)
        if window is None:
            self.workspace.say(text("ui.timeline.range.no_run"), "warning")
        else:
            chosen.set_window(Phase(side), window)
        self._show_pair()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """On a narrow page the two sides stand below each other."""
        narrow = event.size().width() < SIDE_BY_SIDE_PX
        self._sides.setDirection(QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight)
        super().resizeEvent(event)

    def _fit_columns(self) -> None:
        """Columns wide enough for their headings in this language and the figures at the top."""
        metrics = self.table.horizontalHeader().fontMetrics()
        for place, column in enumerate(COLUMNS):
            words = [text(f"ui.compare.column.{column.id}")]
            words += [column.shown(row) for row in self.model.rows[:FITTED_ROWS]]
            wanted = max(metrics.horizontalAdvance(word) for word in words) + 26
            self.table.setColumnWidth(place, min(max(column.width, wanted), WIDEST_PX))

    def to_pin(self) -> Offer | None:
        """The chosen row, over the windows that were compared."""
        chosen = self.chart.row
        return of_comparison(chosen, *self._asked, self.workspace.zone) if chosen and self._asked else None

    def copy(self) -> None:
        """The table as it is filtered and sorted (or the rows selected) to the clipboard."""
        QGuiApplication.clipboard().setText(self.table.tab_separated())
        self.workspace.say(text("ui.compare.copied"))

    # --- words and colours
    def retranslate(self, language: str) -> None:
        self._title.setText(text("ui.page.compare"))
        self._align_word.setText(text("ui.compare.align"))
        self._honest.setText(text("ui.compare.honest"))
        self._copy.setText(text("ui.compare.copy"))
        self._copy.setToolTip(text("ui.compare.copy.tip"))
        self.filter_field.setPlaceholderText(text("ui.compare.filter"))
        self.filter_field.setAccessibleName(text("ui.compare.filter"))
        self.table.setAccessibleName(text("ui.page.compare"))
        self.align.setAccessibleName(text("ui.compare.align"))
        self.least.setAccessibleName(text("ui.compare.least.name"))
        _refill(self.align, [text(f"ui.compare.align.{mode}") for mode in Align], default=1)
        words = [text("ui.compare.least.all")]
        words += [text("ui.compare.least", factor=f"{factor:g}") for factor in LEAST_CHANGES[1:]]
        _refill(self.least, words)
        for picker in (self.before, self.after):
            picker.retranslate()
        self.model.retranslate()
        self._fit_columns()
        self._count_tabs()
        self._on_filtered()
        self.chart.refresh()

    def apply_theme(self, theme: Theme) -> None:
        self.model.retranslate()
        self.chart.refresh()


def _refill(box: QComboBox, words: list[str], default: int = 0) -> None:
    """New texts, same choice."""
    place = box.currentIndex()
    box.blockSignals(True)
    box.clear()
    box.addItems(words)
    box.setCurrentIndex(place if place >= 0 else default)
    box.blockSignals(False)
