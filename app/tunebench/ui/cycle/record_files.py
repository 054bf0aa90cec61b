"""Files laid beside a step, and the evidence that it and its records rest on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QFileDialog

from tunebench.columns.formats import format_bytes
from tunebench.core.errors import UserError
from tunebench.core.whole_files import write_whole
from tunebench.domain.cycle.evidence import Evidence
from tunebench.domain.cycle.records import Attachment
from tunebench.ui.cycle.evidence_show import show_evidence
from tunebench.ui.cycle.places import step_of
from tunebench.ui.cycle.record_fields import form_of
from tunebench.ui.cycle.record_panel import RecordPanel, TablePanel
from tunebench.ui.cycle.record_table import Cell, Row
from tunebench.ui.look.language import error_text, text, translated
from tunebench.ui.widgets.parts import button
from tunebench.ui.workspace import Workspace
from tunebench.usecases.cycle import evidence as cycle_evidence


class AttachmentPanel(RecordPanel[Attachment]):
    name = "attachments"
    columns = ("file", "size")
    evidenced = False
    specs = form_of(Attachment)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.save_button = translated(button(kind="link", on_click=self._save), "ui.cycle.attachment.save")
        self.form.tools.insertWidget(0, self.save_button)
        self._folder = str(Path.home())

    def records(self) -> Sequence[Attachment]:
        return [
            attachment
            for attachment in self.controller.book.in_iteration(Attachment, self.iteration.id)
            if attachment.step is self.step
        ]

    def row(self, record: Attachment) -> Row:
        return Row(record.id, (Cell(record.file_name), Cell(format_bytes(record.size_bytes), "muted", right=True)))

    def add(self) -> None:
        """Asks for files; each is an edit of its own."""
        names, _ = QFileDialog.getOpenFileNames(self, text("ui.cycle.panel.attachments.add"), self._folder)
        self.attach_all([Path(name) for name in names])

    def attach_all(self, paths: Sequence[Path]) -> None:
        for path in paths:
            self.attach(path)

    def attach(self, path: Path) -> None:
        self._folder = str(path.parent)
        project, id_ = self.workspace.opened, self.iteration.id
        self.controller.attempt(lambda: cycle_evidence.attach_file(project, self.controller.book, id_, self.step, path))

    def _save(self) -> None:
        record = self.form.record
        if not isinstance(record, Attachment):
            return
        start = str(Path(self._folder) / record.file_name)
        name, _ = QFileDialog.getSaveFileName(self, text("ui.cycle.attachment.save"), start)
        if name:
            self.write(record, Path(name))

    def write(self, record: Attachment, path: Path) -> None:
        try:
            write_whole(path, cycle_evidence.read_attachment(self.workspace.opened, record.sha256))
        except UserError as error:
            self.form.refuse(error_text(error))


class EvidencePanel(TablePanel):
    """What the step and its records rest on; opened where it lies."""

    name = "evidence"
    columns = ("code", "caption")
    wide = (1,)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.show_button = translated(button(kind="link", on_click=self._show), "ui.cycle.evidence.show")
        self.lay(self.table, self.show_button)
        self.table.opened.connect(lambda _id: self._show())

    def evidence(self) -> Sequence[Evidence]:
        book, id_ = self.controller.book, self.iteration.id
        here = {
            record.id for record in book if getattr(record, "iteration_id", id_) == id_ and step_of(record) is self.step
        }
        return [evidence for evidence in book.all(Evidence) if here & set(evidence.attached_to)]

    def refresh(self, editable: bool) -> None:
        pieces, broken = self.evidence(), self.controller.broken
        rows = [
            Row(
                evidence.id,
                (
                    Cell(evidence.code, "critical" if evidence.id in broken else "accent", strong=True),
                    Cell((text("ui.cycle.evidence.broken") + " " if evidence.id in broken else "") + evidence.caption),
                ),
            )
            for evidence in pieces
        ]
        self.show_rows(rows)
        self.show_button.setVisible(bool(pieces))

    def _show(self) -> None:
        evidence = self.controller.book.find(Evidence, self.table.chosen_id)
        if evidence is not None:
            show_evidence(self.workspace, evidence)
