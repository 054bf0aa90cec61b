"""One entry of the audit trail, whole: its sentence, every fact, and where it stands in the chain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from app.ui.capturing.audit_words import entry_words, plain_facts
from app.ui.look.formats import DASH, format_stamp
from app.ui.look.language import text
from app.ui.look.theme import SPACE_M, SPACE_S
from app.ui.widgets.facts import FactTable
from app.ui.widgets.parts import label, selectable
from app.ui.workspace import Workspace

if TYPE_CHECKING:
    from app.usecases.audit_trail import AuditEntry

VERBATIM = ("verbatim", "tool_line", "evidence", "command", "spool", "folder")
"""Facts set in the typewriter face."""


class AuditEntryPanel(QFrame):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._workspace = workspace
        self._entry: AuditEntry | None = None
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.addWidget(self._scroll)
        self.retranslate()

    @property
    def entry(self) -> AuditEntry | None:
        return self._entry

    def show_entry(self, entry: AuditEntry | None) -> None:
        if entry != self._entry:
            self._entry = entry
            self.retranslate()

    def retranslate(self) -> None:
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(SPACE_M, SPACE_S, SPACE_M, SPACE_S)
        column.setSpacing(SPACE_S)
        if self._entry is None:
            column.addWidget(label(text("ui.audit.no_entry"), "muted", wrap=True))
        else:
            self._build(column, self._entry)
        column.addStretch(1)
        self._scroll.setWidget(body)

    def _build(self, column: QVBoxLayout, entry: AuditEntry) -> None:
        zone = self._workspace.zone
        column.addWidget(selectable(label(_cut(entry_words(entry, zone)), "strong", wrap=True)))
        table = FactTable(right=False)
        table.add(text("ui.audit.entry"), f"{entry.id:,} · {format_stamp(entry.time, zone)} · {entry.user}")
        for (name, value), stored in zip(plain_facts(entry, zone), entry.facts, strict=True):
            shown = table.add(name, value)
            if stored in VERBATIM:
                shown.setProperty("role", "code")
            if " " not in value and len(value) > 60:
                shown.setWordWrap(True)
                shown.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        for key, digest in (("ui.audit.digest", entry.digest), ("ui.audit.previous", entry.previous)):
            table.add(text(key), digest or DASH).setProperty("role", "code")
        column.addWidget(table)


def _cut(words: str, most: int = 400) -> str:
    return words if len(words) <= most else f"{words[: most - 1]}…"
