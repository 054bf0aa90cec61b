"""Middle of the plan: run and pace, which probes, and what that is expected to cost."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHeaderView, QLineEdit, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from app.sdk.probes import Probe
from app.ui.capturing.cost_view import CostView
from app.ui.capturing.draft_controller import Choices, DraftController
from app.ui.capturing.host_book import HostBook
from app.ui.capturing.plan_settings import PlanSettings
from app.ui.capturing.probe_choice import ProbeChoices
from app.ui.capturing.probe_details import ProbeDetails
from app.ui.capturing.probe_table import ProbeFilter, ProbeModel
from app.ui.look.language import translated
from app.ui.look.theme import ROW_HEIGHT_DENSE, SPACE_S
from app.ui.tables.view import TableView
from app.ui.widgets.parts import EmptyState, button, label, row
from app.ui.workspace import Workspace

COLUMN_WIDTH = 104
"""Of all but the name, which has the rest; what is longer is in the tool tip."""


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
            return
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
        self.filter.textChanged.connect(self._on_filter)
        self.default = translated(button(kind="link", on_click=self._choose_default), "ui.capture.probes.default")
        self.none = translated(button(kind="link", on_click=self._choose_none), "ui.capture.probes.none")
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
        self.inside = QWidget()
        self.setWidget(self.inside)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        column = QVBoxLayout(self.inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_S)
        column.addWidget(self._title)
        column.addWidget(self.settings)
        head = row(self.filter, self.default, self.none, spacing=SPACE_S)
        head.setStretch(0, 1)
        column.addLayout(head)
        self._parts = QStackedWidget()
        self._parts.addWidget(self._empty)
        self._parts.addWidget(self.table)
        column.addWidget(self._parts, 1)
        column.addWidget(self.details)
        column.addWidget(self.cost)

    def _connect(self) -> None:
        self.settings.changed.connect(self._on_settings)
        self.model.chosen.connect(self._on_chosen)
        self.details.values_changed.connect(self._on_values)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        self._book.changed.connect(self._on_hosts)
        self._book.tested.connect(self._on_tested)
        self._draft.changed.connect(self._on_draft)

    # --- project
    def begin(self) -> None:
        """Another project: its zone, and the probes that are installed."""
        from app.usecases.capturing import plans as capture_plans

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

    def wanted(self) -> Choices:
        """Everything that is chosen, hosts included."""
        settings, hosts = self.settings.settings(), self._book.chosen
        return Choices(
            hosts,
            self.choices.words(hosts),
            settings.run,
            settings.phase,
            settings.interval_s,
            settings.duration_s,
            settings.schedule,
            settings.mode,
        )

    # --- changes
    def _tell(self) -> None:
        self._draft.choose(self.wanted())

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

    def _on_tested(self, _name: str) -> None:
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

    def _choose_default(self) -> None:
        self.choices.choose_default()
        self._on_values()

    def _choose_none(self) -> None:
        self.choices.choose_none()
        self._on_values()

    def _on_draft(self) -> None:
        self.cost.show_plan(self._draft.plan)

    # --- the table
    def show_probe(self, probe_id: str) -> None:
        found = self.model.row_of(probe_id)
        if found is not None:
            self.table.selectRow(self.filtered.mapFromSource(self.model.index(found, 0)).row())

    def _on_row(self, *_: QModelIndex) -> None:
        self._show_row()

    def _show_row(self) -> None:
        index = self.table.currentIndex()
        shown = self.model.rowCount() > 0 and index.isValid()
        self.details.show_probe(self.filtered.row_at(index) if shown else None)

    def _share_width(self) -> None:
        head = self.table.horizontalHeader()
        for at in range(1, self.model.columnCount()):
            wanted = max(self.table.sizeHintForColumn(at), head.sectionSizeHint(at))
            self.table.setColumnWidth(at, min(wanted, COLUMN_WIDTH))
