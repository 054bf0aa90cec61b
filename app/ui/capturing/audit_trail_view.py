"""The audit trail of the engagement: filters, the entries newest first, and the chosen one whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QFrame, QLineEdit, QScrollArea, QSizePolicy, QWidget

from app.ui.capturing.audit_table import AuditModel, AuditTable, entry_words, plain_facts, sentences
from app.ui.capturing.session_columns import session_title
from app.ui.look.formats import DASH, format_stamp
from app.ui.look.language import text, translated
from app.ui.look.theme import SPACE_M, SPACE_S
from app.ui.widgets.parts import (
    EmptyState,
    FactTable,
    button,
    column,
    fact_table,
    label,
    panel,
    row,
    selectable,
    splitter,
    stacked,
)
from app.ui.workspace import Workspace
from app.usecases import audit_trail
from app.usecases.audit_trail import AuditEntry, TrailFilter

if TYPE_CHECKING:
    from app.usecases.capturing.collecting import SessionRecord

TYPING_MS = 250
GROUP_NAMES = ("session", "command", "connection", "plan", "evidence", "engagement")
PARTS = (330, 150)
VERBATIM = ("verbatim", "tool_line", "evidence", "command", "spool", "folder")
"""Facts set in the typewriter face."""


class AuditEntryPanel(QFrame):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._workspace = workspace
        self.entry: AuditEntry | None = None
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self.setLayout(column(self._scroll, margins=(1, 1, 1, 1)))
        self.retranslate()

    def show_entry(self, entry: AuditEntry | None) -> None:
        if entry != self.entry:
            self.entry = entry
            self.retranslate()

    def retranslate(self) -> None:
        parts: list[QWidget] = [label(text("ui.audit.no_entry"), "muted", wrap=True)]
        if self.entry is not None:
            words = _cut(entry_words(self.entry, self._workspace.zone))
            parts = [selectable(label(words, "strong", wrap=True)), self._facts(self.entry)]
        self._scroll.setWidget(panel(column(*parts, 1, margins=(SPACE_M, SPACE_S, SPACE_M, SPACE_S))))

    def _facts(self, entry: AuditEntry) -> FactTable:
        zone = self._workspace.zone
        table = fact_table((text("ui.audit.entry"), f"{entry.id:,} · {format_stamp(entry.time, zone)} · {entry.user}"))
        for (name, value), stored in zip(plain_facts(entry, zone), entry.facts, strict=True):
            shown = table.add(name, value)
            if stored in VERBATIM:
                shown.setProperty("role", "code")
            if " " not in value and len(value) > 60:
                shown.setWordWrap(True)
                shown.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        for key, digest in (("ui.audit.digest", entry.digest), ("ui.audit.previous", entry.previous)):
            table.add(text(key), digest or DASH).setProperty("role", "code")
        return table


def _cut(words: str, most: int = 400) -> str:
    return words if len(words) <= most else f"{words[: most - 1]}…"


class AuditFilters(QWidget):
    """`changed` when another selection of entries is wanted."""

    changed = Signal()

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self.words = translated(
            QLineEdit(), placeholderText="ui.audit.search", accessibleName="ui.audit.search", toolTip="ui.audit.search"
        )
        self.words.setClearButtonEnabled(True)
        self.group = translated(QComboBox(), accessibleName="ui.audit.group", toolTip="ui.audit.group")
        self.host = translated(QComboBox(), accessibleName="ui.audit.host", toolTip="ui.audit.host")
        self.session = translated(QComboBox(), accessibleName="ui.audit.session", toolTip="ui.audit.session")
        for name in ("", *GROUP_NAMES):
            self.group.addItem("", name)
        translated(self.group, itemText=[f"ui.audit.group.{name}" for name in ("every", *GROUP_NAMES)])
        for box in (self.host, self.session):
            box.addItem("", None)
        translated(self.host, itemText=("ui.audit.every_host",))
        translated(self.session, itemText=("ui.audit.every_session",))
        self.count = label(role="small")
        self.reset = translated(button(kind="link", on_click=self.clear), "ui.audit.clear")
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(TYPING_MS)
        self._pause.timeout.connect(self.changed)
        self.words.textEdited.connect(lambda: self._pause.start())
        self.words.textChanged.connect(self._on_cleared)
        for box in (self.group, self.host, self.session):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            box.setMaximumWidth(250)
            box.activated.connect(self._ask)
        self.setLayout(row((self.words, 1), self.session, self.host, self.group, self.count, self.reset))
        self.words.setMinimumWidth(180)

    # --- what is wanted
    def wanted(self) -> TrailFilter:
        return TrailFilter(
            words=self.words.text().strip(),
            group=self.group.currentData() or "",
            host=self.host.currentData() or "",
            session_id=self.session.currentData(),
        )

    def clear(self) -> None:
        self.words.clear()
        for box in (self.group, self.host, self.session):
            box.setCurrentIndex(0)
        self._ask()

    def show_session(self, session_id: int) -> None:
        """Only what concerns this session."""
        self.words.clear()
        self.group.setCurrentIndex(0)
        self.host.setCurrentIndex(0)
        self.session.setCurrentIndex(max(0, self.session.findData(session_id)))
        self._ask()

    def _ask(self) -> None:
        self._pause.stop()
        self.changed.emit()

    def _on_cleared(self, words: str) -> None:
        if not words:
            self._pause.start()

    # --- what there is to choose
    def fill(self, sessions: Sequence[SessionRecord], hosts: Sequence[str]) -> None:
        zone = self._workspace.zone
        titled = [(session_title(each, zone), each.id) for each in reversed(sessions)]
        _refill(self.host, [(text("ui.audit.every_host"), None), *((name, name) for name in hosts)])
        _refill(self.session, [(text("ui.audit.every_session"), None), *titled])

    def show_count(self, shown: int, total: int) -> None:
        key = "ui.audit.count_of" if shown != total else "ui.audit.count"
        self.count.setText(text(key, shown=f"{shown:,}", total=f"{total:,}"))


def _refill(box: QComboBox, choices: Sequence[tuple[str, object]]) -> None:
    """What was chosen stays chosen where it is still there."""
    chosen = box.currentData()
    box.clear()
    for words, value in choices:
        box.addItem(words, value)
    box.setCurrentIndex(max(0, box.findData(chosen)) if chosen is not None else 0)


class AuditTrailView(QWidget):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._total = 0
        self._wanted_id: int | None = None
        self.filters = AuditFilters(workspace)
        self.model = AuditModel(workspace)
        self.table = translated(AuditTable(self.model), accessibleName="ui.audit.trail")
        self.panel = translated(AuditEntryPanel(workspace), accessibleName="ui.audit.entry")
        nothing = EmptyState("search", "ui.audit.nothing", (("ui.audit.clear", self.filters.clear),))
        self._parts = stacked(self.table, nothing)
        split = splitter(self._parts, self.panel, down=True, shares=(2, 1), sizes=PARTS)
        self.setLayout(column(self.filters, (split, 1)))
        self.filters.changed.connect(self.search)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)

    def begin(self) -> None:
        """Another project, or none: nothing of the one before stays."""
        self.filters.fill((), ())
        self.filters.words.clear()
        self.filters.group.setCurrentIndex(0)
        self._total, self._wanted_id = 0, None
        self.model.show_broken(None)
        self._show_found(())

    def fill(self, sessions: Sequence[SessionRecord], hosts: Sequence[str], total: int) -> None:
        self._total = total
        self.filters.fill(sessions, hosts)
        self.search()

    def search(self) -> None:
        project = self._workspace.project
        if project is None:
            return
        wanted, sentence = self.filters.wanted(), sentences(self._workspace.zone)
        self.filters.reset.setVisible(wanted != audit_trail.TrailFilter())
        self._workspace.jobs.run(
            "cpu",
            lambda handle: audit_trail.find(project, wanted, sentence, handle),
            owner=self,
            slot="find",
            on_result=self._show_found,
        )

    def show_entry(self, entry_id: int) -> None:
        """That entry among all of them; the newest where it is gone."""
        self._wanted_id = entry_id
        self.filters.clear()

    def _show_found(self, ids: Sequence[int]) -> None:
        """The chosen entry stays chosen; where the newest was looked at, the newest is shown again."""
        before = self.panel.entry
        on_top = self.table.currentIndex().row() <= 0
        self.model.show_ids(ids)
        self._total = max(self._total, len(ids))
        self.filters.show_count(len(ids), self._total)
        self._parts.setCurrentIndex(0 if ids or not self._total else 1)
        kept = self.model.row_of(before.id) if before is not None and not on_top else None
        if self._wanted_id is not None:
            kept, self._wanted_id = self.model.row_of(self._wanted_id), None
        if ids:
            self.table.selectRow(kept or 0)
            self.table.scrollTo(self.model.index(kept or 0, 0))
        else:
            self.panel.show_entry(None)

    def _on_row(self, current: QModelIndex, _old: QModelIndex) -> None:
        self.panel.show_entry(self.model.entry(self.model.row_at(current)) if current.isValid() else None)

    def retranslate(self) -> None:
        self.filters.show_count(self.model.rowCount(), self._total)
        self.panel.retranslate()
