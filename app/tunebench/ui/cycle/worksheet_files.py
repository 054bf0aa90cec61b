"""The worksheet of the iteration that is looked at leaves as a spreadsheet, and what comes back is one edit."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from tunebench.core.errors import UserError
from tunebench.domain.cycle.book import CycleEdit
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.look.language import language, text
from tunebench.ui.tables.problem_card import ProblemCard
from tunebench.ui.workspace import Workspace


class WorksheetFiles(QObject):
    """Asks for files and works on them in the background; `problems` shows why nothing can be taken from one."""

    def __init__(
        self, workspace: Workspace, controller: CycleController, problems: ProblemCard, owner: QWidget
    ) -> None:
        super().__init__(owner)
        self._workspace = workspace
        self._controller = controller
        self._owner = owner
        self._problems = problems

    # --- out
    def ask_export(self) -> None:
        iteration = self._controller.iteration
        name = text("ui.tradeoffs.file_name", number=iteration.number if iteration else 1)
        start = self._workspace.folder / f"{name}.xlsx"
        path, _ = QFileDialog.getSaveFileName(self._owner, text("ui.tradeoffs.export"), str(start), "XLSX (*.xlsx)")
        if path:
            self.export(Path(path) if path.lower().endswith(".xlsx") else Path(f"{path}.xlsx"))

    def export(self, path: Path) -> None:
        from tunebench.usecases.cycle import exchange as cycle_exchange

        project, iteration, code = self._workspace.opened, self._controller.iteration, language().code
        if iteration is None:
            return
        self._workspace.jobs.run(
            "db",
            lambda _handle: cycle_exchange.export_worksheet(project, path, iteration.id, code),
            owner=self,
            slot="export",
            on_result=lambda written: self._workspace.say(text("ui.tradeoffs.exported", path=written)),
            on_error=self._workspace.say_error,
            title_key="ui.tradeoffs.job.export",
        )

    # --- back
    def ask_import(self) -> None:
        path, _ = QFileDialog.getOpenFileName(
            self._owner, text("ui.tradeoffs.import"), str(self._workspace.folder), "XLSX (*.xlsx)"
        )
        if path:
            self.take(Path(path))

    def take(self, path: Path) -> None:
        """Reads beside the window, applies as one step of undo: all of the file or nothing."""
        from tunebench.usecases.cycle import exchange as cycle_exchange

        book, iteration = self._controller.book, self._controller.iteration
        if iteration is None:
            return
        self._workspace.jobs.run(
            "cpu",
            lambda _handle: cycle_exchange.worksheet_edit(book, path, iteration.id),
            owner=self,
            slot="import",
            on_result=self._on_read,
            on_error=self._on_refused,
            title_key="ui.tradeoffs.job.import",
        )

    def _on_read(self, read: tuple[CycleEdit, object]) -> None:
        edit, _remarks = read
        self._problems.dismiss()
        if self._controller.edit(edit):
            added = sum(change.before is None for change in edit.changes)
            facts = {"added": added, "changed": len(edit.changes) - added}
            words = text("ui.tradeoffs.imported" if edit.changes else "ui.tradeoffs.imported_same", **facts)
            self._workspace.say(words)

    def _on_refused(self, error: UserError) -> None:
        from tunebench.reporting.forms.reading import problem_text
        from tunebench.usecases.cycle.form_files import FormRefused

        if isinstance(error, FormRefused):
            sentences = [problem_text(problem, language().code) for problem in error.problems]
            name = Path(str(error.facts["path"])).name
            self._problems.show_sentences(text("ui.tradeoffs.problems.file", n=len(sentences), name=name), sentences)
        else:
            self._workspace.say_error(error)
