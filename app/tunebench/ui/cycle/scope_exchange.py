"""The questionnaire leaves as a spreadsheet, and what comes back is taken in as one edit that can be undone."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QDate, QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from tunebench.core.errors import UserError
from tunebench.ui.look.language import text
from tunebench.ui.undo import DoneEdit
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases.cycle.questionnaire import (
    Proposal,
    export_questionnaire,
    propose_questionnaire,
    take_again,
    take_back,
    take_proposal,
)
from tunebench.usecases.projects import Project

SUFFIX = ".xlsx"


class QuestionnaireExchange(QObject):
    """Asks for files and works on them in the background.

    `on_proposal` gets what would change, `on_refused` the file and why nothing can be taken from it.
    """

    def __init__(
        self,
        workspace: Workspace,
        owner: QWidget,
        on_proposal: Callable[[Proposal], object],
        on_refused: Callable[[Path, UserError], object],
    ) -> None:
        super().__init__(owner)
        self._workspace, self._owner = workspace, owner
        self._on_proposal, self._on_refused = on_proposal, on_refused
        self._folder: Path | None = None

    # --- out
    def ask_export(self, code: str) -> None:
        """Ask where the questionnaire in language `code` goes, then write it."""
        name, _ = QFileDialog.getSaveFileName(
            self._owner,
            text("ui.scope.export_title"),
            str(self._start() / self.file_name(code)),
            text("ui.scope.filter"),
        )
        if name:
            path = Path(name)
            self.export(path if path.suffix.lower() == SUFFIX else path.with_name(path.name + SUFFIX), code)

    def file_name(self, code: str) -> str:
        """``ACME_질문지_ko.xlsx``, safe for every file system."""
        overview = self._workspace.overview
        parts = [overview.engagement.customer if overview else "", text("ui.scope.file_name"), code]
        name = re.sub(r'[\\/:*?"<>|\s]+', "_", "_".join(part for part in parts if part)).strip("._")
        return name + SUFFIX

    def export(self, path: Path, code: str) -> None:
        project = self._workspace.opened
        today = QDate.currentDate().toString("yyyy-MM-dd")
        self._workspace.jobs.run(
            "db",
            lambda _handle: export_questionnaire(project, path, code, today),
            owner=self,
            slot="export",
            on_result=self._on_written,
            on_error=self._workspace.say_error,
            title_key="ui.job.form",
        )

    def _on_written(self, path: Path) -> None:
        self._folder = path.parent
        self._workspace.say(text("ui.scope.written", path=path))

    # --- back
    def ask_import(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self._owner, text("ui.scope.import_title"), str(self._start()), text("ui.scope.filter")
        )
        if name:
            self.read(Path(name))

    def read(self, path: Path) -> None:
        """Looks at the file; nothing of it is taken in."""
        project = self._workspace.opened
        self._folder = path.parent
        self._workspace.jobs.run(
            "db",
            lambda _handle: propose_questionnaire(project, path),
            owner=self,
            slot="import",
            on_result=lambda proposal: self._of_open(project, self._on_proposal, proposal),
            on_error=lambda error: self._of_open(project, self._on_refused, path, error),
            title_key="ui.job.form",
        )

    def _of_open(self, project: Project, tell: Callable[..., object], *facts: object) -> None:
        """What was read for an engagement that has been closed since is of no interest."""
        if project is self._workspace.project:
            tell(*facts)

    def take(self, proposal: Proposal) -> bool:
        """Takes it in; whether it was done."""
        taken = self._done(take_proposal, proposal)
        if taken is not None:
            edit = DoneEdit(
                text("cycle.edit.import_questionnaire"),
                lambda: self._done(take_back, taken) is not None,
                lambda: self._done(take_again, taken) is not None,
            )
            self._workspace.undo.push(edit)
        return taken is not None

    def _done(self, act: Callable[[Project, Proposal], Proposal], proposal: Proposal) -> Proposal | None:
        """Engagement and records together; None where it was refused, which is said."""
        project = self._workspace.opened
        taken = self._workspace.answer_of(lambda: act(project, proposal), Change.ENGAGEMENT)
        for change in (Change.ENGAGEMENT, Change.CYCLE) if taken is not None else ():
            self._workspace.announce(change)
        return taken

    def _start(self) -> Path:
        return self._folder or self._workspace.folder
