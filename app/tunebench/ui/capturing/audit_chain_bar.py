"""Whether the chain of the audit trail is whole, and the trail as a file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from tunebench.core.errors import UserError
from tunebench.core.paths import documents_folder
from tunebench.ui.capturing.audit_trail_view import SHORT_DIGEST, sentences
from tunebench.ui.look.language import text, translated
from tunebench.ui.look.theme import SPACE_M
from tunebench.ui.widgets.key_dialog import ask_key
from tunebench.ui.widgets.parts import ElidedLabel, button, row, set_tone
from tunebench.ui.workspace import Workspace
from tunebench.usecases import audit_trail, signatures
from tunebench.usecases.audit_trail import ChainState


class AuditChainBar(QWidget):
    """`verified` carries the new `ChainState`; `broken_asked` the entry that somebody wants to see."""

    verified = Signal(object)
    broken_asked = Signal(int)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._folder = documents_folder()
        self.state: ChainState | None = None
        self._checking = False
        self.words = ElidedLabel()
        self.broken = translated(button(kind="link", on_click=self._ask_broken), "ui.audit.show_broken")
        self.check = translated(
            button(kind="link", on_click=self.verify), "ui.audit.check", toolTip="ui.audit.check.tip"
        )
        self.export = translated(button(on_click=self.ask_export), "ui.audit.export", toolTip="ui.audit.export.tip")
        self.sign = translated(button(on_click=self.ask_sign), "ui.audit.sign", toolTip="ui.audit.sign.tip")
        self.ask_key = ask_key
        self.setLayout(row((self.words, 1), self.broken, self.check, self.sign, self.export, spacing=SPACE_M))

    # --- verify
    def begin(self) -> None:
        self.state, self._checking = None, False
        self.retranslate()

    def verify(self) -> None:
        project = self._workspace.project
        if project is None:
            return
        self._checking = self.state is None
        self._workspace.jobs.run(
            "cpu",
            lambda _handle: audit_trail.verify(project),
            owner=self,
            slot="verify",
            on_result=self._show_state,
            on_error=self._on_refused,
        )
        self.retranslate()

    def _show_state(self, state: ChainState) -> None:
        self.state, self._checking = state, False
        self.retranslate()
        self.verified.emit(state)

    def _ask_broken(self) -> None:
        if self.state is not None and self.state.broken_at is not None:
            self.broken_asked.emit(self.state.broken_at)

    def _on_refused(self, error: UserError) -> None:
        self._checking = False
        self.retranslate()
        self._workspace.say_error(error)

    # --- sign
    def ask_sign(self) -> None:
        """Asks for a key and signs the trail, by the contact whose key it is."""
        key, project = self.ask_key(), self._workspace.opened
        if key is None:
            return
        holding = key
        entry = self._workspace.answer_of(
            lambda: signatures.sign_trail(project, signatures.holder(project, holding), holding)
        )
        if entry is None:
            return
        self._workspace.say(text("ui.audit.signed", entry=entry))
        self.verify()

    # --- write
    def ask_export(self) -> None:
        path = self._workspace.project_path
        stem = path.stem if path is not None else "audit"
        proposed = self._folder / f"{stem}-{text('ui.audit.file_name')}.csv"
        name, _ = QFileDialog.getSaveFileName(self, text("ui.audit.export"), str(proposed), "*.csv")
        if name:
            chosen = Path(name)
            self.write(chosen if chosen.suffix else chosen.with_suffix(".csv"))

    def write(self, path: Path) -> None:
        self._folder = path.parent
        project = self._workspace.opened
        headings = {name: text(f"ui.audit.csv.{name}") for name in audit_trail.COLUMNS}
        sentence = sentences(self._workspace.zone, brief=False)
        self._workspace.jobs.run(
            "cpu",
            lambda handle: audit_trail.export_csv(project, path, headings, sentence, handle),
            owner=self,
            slot="export",
            on_result=lambda count: self._workspace.say(text("ui.audit.exported", count=f"{count:,}", path=str(path))),
            title_key="ui.job.audit_export",
        )

    # --- words
    def retranslate(self) -> None:
        words, tone = self._sentence()
        self.words.set_words(words)
        set_tone(self.words, tone)
        self.broken.setVisible(self.state is not None and not self.state.whole)
        for control in (self.check, self.export):
            control.setEnabled(self._workspace.project is not None)
        self.sign.setEnabled(self._workspace.writable)

    def _sentence(self) -> tuple[str, str]:
        """(sentence, tone)."""
        state = self.state
        if state is None:
            return (text("ui.audit.checking") if self._checking else ""), ""
        if state.broken_at is not None:
            return "✕ " + text("ui.audit.broken", entry=f"{state.broken_at:,}"), "critical"
        head = state.head[:SHORT_DIGEST]
        return "✓ " + text("ui.audit.whole", count=f"{state.entries:,}", head=head), "ok"
