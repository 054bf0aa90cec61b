"""Middle of the plan: run and pace, which probes, and what that is expected to cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QGridLayout, QHeaderView, QLabel, QLineEdit, QProgressBar, QScrollArea, QWidget

from tunebench.columns.formats import DASH, format_bytes, format_value
from tunebench.domain.capturing.budget import BYTES_BUDGET_PER_S, CPU_BUDGET_PCT, totals, warnings
from tunebench.domain.capturing.plan import CapturePlan
from tunebench.sdk.probes import Probe
from tunebench.ui.capturing.draft_controller import DraftController
from tunebench.ui.capturing.host_book import HostBook
from tunebench.ui.capturing.plan_settings import PlanSettings
from tunebench.ui.capturing.probe_table import ProbeChoices, ProbeDetails, ProbeFilter, ProbeModel
from tunebench.ui.look.language import text, translated
from tunebench.ui.look.theme import ROW_HEIGHT_DENSE, SPACE_M, SPACE_XS
from tunebench.ui.tables.view import TableView
from tunebench.ui.typing import never_stored
from tunebench.ui.widgets.parts import EmptyState, button, column, label, panel, row, set_tone, stacked
from tunebench.ui.workspace import Workspace
from tunebench.usecases.capturing import plans as capture_plans

COLUMN_WIDTH = 104
"""Of all but the name, which has the rest; what is longer is in the tool tip."""

SHOWN_WARNINGS = 3
FULL_BAR = 1000


class CostView(QWidget):
    """The most loaded host against the budget; the sizes of all hosts together."""

    def __init__(self) -> None:
        super().__init__()
        self._plan: CapturePlan | None = None
        self.cpu, self.rate, self.volume = label(), label(), label()
        self.bars = {"cpu": _bar(), "rate": _bar()}
        self._names = {
            name: translated(label(role="small"), f"ui.capture.cost.{name}") for name in ("cpu", "rate", "size")
        }
        self.words = label(tone="warning", wrap=True)
        grid = QGridLayout()
        grid.setHorizontalSpacing(SPACE_M)
        grid.setVerticalSpacing(1)
        for side, (name, shown) in enumerate((("cpu", self.cpu), ("rate", self.rate), ("size", self.volume))):
            grid.addWidget(self._names[name], 0, side)
            grid.addWidget(shown, 1, side)
            if name in self.bars:
                grid.addWidget(self.bars[name], 2, side)
            grid.setColumnStretch(side, 1)
        self.setLayout(column(grid, self.words, spacing=SPACE_XS))

    def show_plan(self, plan: CapturePlan | None) -> None:
        self._plan = plan
        self.retranslate()

    def retranslate(self) -> None:
        plan = self._plan
        costs = {host.name: totals(plan, host.name) for host in plan.hosts} if plan is not None else {}
        self._show_budget("cpu", self.cpu, [(cost.cpu_pct, name) for name, cost in costs.items()], CPU_BUDGET_PCT)
        self._show_budget(
            "rate", self.rate, [(cost.bytes_per_s, name) for name, cost in costs.items()], BYTES_BUDGET_PER_S
        )
        sizes = [cost.total_bytes for cost in costs.values() if cost.total_bytes is not None]
        self.volume.setText(format_bytes(sum(sizes)) if sizes else DASH)
        self._show_warnings(plan)

    def _show_budget(self, name: str, shown: QLabel, figures: list[tuple[float | None, str]], budget: float) -> None:
        measured = [(figure, host) for figure, host in figures if figure is not None]
        most, host = max(measured, default=(0.0, ""))
        scale = 1 if name == "cpu" else 1024
        facts = {"value": format_value(most / scale, 3), "budget": format_value(budget / scale)}
        words = text(f"ui.capture.cost.{name}.of", **facts) if measured else DASH
        shown.setText(words)
        shown.setToolTip(text("ui.capture.cost.most", host=host) if measured else "")
        set_tone(shown, "warning" if most > budget else "")
        self.bars[name].setValue(min(round(most / budget * FULL_BAR), FULL_BAR))
        self.bars[name].setAccessibleName(f"{self._names[name].text()}: {words}")

    def _show_warnings(self, plan: CapturePlan | None) -> None:
        """Shows each warning once, with the hosts it holds for; many hosts are counted."""
        hosts: dict[str, list[str]] = {}
        for warning in warnings(plan) if plan is not None else ():
            hosts.setdefault(text(warning.key, **warning.facts), []).append(warning.host)
        many = plan is not None and len(plan.hosts) > 1
        lines = [f"▲ {', '.join(names)}: {words}" if many else f"▲ {words}" for words, names in hosts.items()]
        shown = lines[:SHOWN_WARNINGS]
        if len(lines) > SHOWN_WARNINGS:
            shown.append(text("ui.capture.cost.more", count=len(lines) - SHOWN_WARNINGS))
        self.words.setText("\n".join(shown))
        self.words.setToolTip("\n".join(lines) if len(lines) > SHOWN_WARNINGS else "")
        self.words.setVisible(bool(lines))


def _bar() -> QProgressBar:
    bar = QProgressBar()
    bar.setRange(0, FULL_BAR)
    bar.setTextVisible(False)
    bar.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return bar


class ProbeTable(TableView):
    """Space toggles the row, whichever column is current; it takes the room that is left, six rows at least."""

    def sizeHint(self) -> QSize:
        return QSize(200, 7 * ROW_HEIGHT_DENSE)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        if event.key() == Qt.Key.Key_Space and index.isValid():
            first = index.siblingAtColumn(0)
            on = first.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
            wanted = Qt.CheckState.Unchecked if on else Qt.CheckState.Checked
            self.model().setData(first, wanted, Qt.ItemDataRole.CheckStateRole)
        else:
            super().keyPressEvent(event)


class PlanEditor(QScrollArea):
    """Scrolls where a small window has no room for all of it."""

    def __init__(self, workspace: Workspace, book: HostBook, draft: DraftController) -> None:
        super().__init__()
        self._workspace, self._book, self._draft = workspace, book, draft
        self.choices = ProbeChoices()
        self._title = translated(label(role="section"), "ui.capture.plan")
        self.settings = PlanSettings()
        self.model = ProbeModel(self.choices, book)
        self.filtered = ProbeFilter(self.model)
        self.table = translated(ProbeTable(self.filtered), accessibleName="ui.capture.probes")
        self._dress_table()
        self.filter = translated(
            QLineEdit(), placeholderText="ui.capture.probes.filter", accessibleName="ui.capture.probes.filter"
        )
        self.filter.setClearButtonEnabled(True)
        never_stored(self.filter)
        self.filter.textChanged.connect(self._on_filter)
        self.default = translated(
            button(kind="link", on_click=lambda: self._choose(self.choices.choose_default)), "ui.capture.probes.default"
        )
        self.none = translated(
            button(kind="link", on_click=lambda: self._choose(self.choices.choose_none)), "ui.capture.probes.none"
        )
        self.details = ProbeDetails(self.choices, self.model)
        self.cost = CostView()
        self._empty = EmptyState("collect", "ui.capture.probes.empty")
        self._lay_out()
        self._connect()

    def _dress_table(self) -> None:
        table = self.table
        table.choose_single_rows(ROW_HEIGHT_DENSE)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        head = table.horizontalHeader()
        head.setMinimumSectionSize(40)
        head.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)

    def _lay_out(self) -> None:
        head = row((self.filter, 1), self.default, self.none)
        self._parts = stacked(self._empty, self.table)
        parts = (self._title, self.settings, head, (self._parts, 1), self.details, self.cost)
        self.inside = panel(column(*parts))
        self.setWidget(self.inside)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def _connect(self) -> None:
        self.settings.changed.connect(self._on_settings)
        self.model.chosen.connect(self._on_chosen)
        self.details.values_changed.connect(self._on_values)
        self.table.selectionModel().currentRowChanged.connect(self._show_row)
        self._book.changed.connect(self._on_hosts)
        self._book.tested.connect(self._on_tested)
        self._draft.changed.connect(self._on_draft)

    # --- project
    def begin(self) -> None:
        """Another project: its zone, and the probes that are installed."""
        self.choices.probes = capture_plans.available_probes()
        self.choices.choose_default()
        self.settings.begin(self._workspace.zone)
        self.settings.retranslate()
        self._on_hosts()

    def retranslate(self) -> None:
        self.settings.retranslate()
        self.details.retranslate()
        self.cost.retranslate()
        self._share_width()

    # --- changes
    def _tell(self) -> None:
        """Everything that is chosen, hosts included."""
        hosts = self._book.chosen
        self._draft.choose(replace(self.settings.settings(), hosts=hosts, words=self.choices.words(hosts)))

    def _on_settings(self) -> None:
        settings = self.settings.settings()
        self.model.set_pace(settings.interval_s, settings.duration_s)
        self._tell()

    def _on_hosts(self) -> None:
        hosts = self._book.chosen
        self.model.show_hosts(hosts)
        self._parts.setCurrentIndex(1 if self.model.rowCount() else 0)
        for part in (self.filter, self.default, self.none):
            part.setEnabled(self.model.rowCount() > 0)
        if self.model.rowCount() and not self.table.currentIndex().isValid():
            self.table.selectRow(0)
        self._show_row()
        self._share_width()
        self._tell()

    def _on_tested(self) -> None:
        self.model.refresh()
        self.details.refresh()

    def _on_chosen(self, probe: Probe, on: bool) -> None:
        self.details.refresh()
        if on and probe.parameters:
            self.show_probe(probe.id)
            if self.choices.lacks_value(probe) and self.details.fields:
                next(iter(self.details.fields.values())).setFocus()
        self._tell()

    def _on_values(self) -> None:
        self.model.refresh()
        self._tell()

    def _on_filter(self, words: str) -> None:
        self.filtered.narrow(words)
        if not self.table.currentIndex().isValid() and self.filtered.rowCount():
            self.table.selectRow(0)

    def _choose(self, choose: Callable[[], None]) -> None:
        choose()
        self._on_values()

    def _on_draft(self) -> None:
        self.cost.show_plan(self._draft.plan)

    # --- the table
    def show_probe(self, probe_id: str) -> None:
        position = self.model.row_of(probe_id)
        if position is not None:
            self.table.selectRow(self.filtered.mapFromSource(self.model.index(position, 0)).row())

    def _show_row(self) -> None:
        index = self.table.currentIndex()
        shown = self.model.rowCount() > 0 and index.isValid()
        self.details.show_probe(self.filtered.row_at(index) if shown else None)

    def _share_width(self) -> None:
        head = self.table.horizontalHeader()
        for at in range(1, self.model.columnCount()):
            wanted = max(self.table.sizeHintForColumn(at), head.sectionSizeHint(at))
            self.table.setColumnWidth(at, min(wanted, COLUMN_WIDTH))
