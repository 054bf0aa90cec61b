"""The experiments of the open engagement: read once, edited in one place, undone in one place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from tunebench.domain.experiments.book import ExperimentBook, ExperimentEdit
from tunebench.domain.experiments.records import Experiment, Trial
from tunebench.ui.look.language import language
from tunebench.ui.undo import DoneEdit
from tunebench.ui.workspace import Change, PerWorkspace, Workspace
from tunebench.usecases.experiments import applying, reading
from tunebench.usecases.experiments.words import edit_text

if TYPE_CHECKING:
    from tunebench.usecases.projects import Project


class ExperimentController(PerWorkspace):
    """One per workspace: `ExperimentController.of(workspace)`.

    Signals:
        changed: another book, or another experiment looked at.
    """

    changed = Signal()

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._chosen: int | None = None
        self.book = ExperimentBook()
        workspace.project_changed.connect(self._on_project)
        self._read()

    # --- what there is
    def hold(self, part: str, *, held: bool) -> None:
        """Whether that part of the plan says something that the experiment does not."""
        self._workspace.note_typing((self, part), unsaved=held)

    @property
    def experiment(self) -> Experiment | None:
        """The one looked at: the chosen one, else the first."""
        chosen = self.book.experiments.get(self._chosen) if self._chosen is not None else None
        return chosen or next(iter(self.book.experiments.values()), None)

    @property
    def trials(self) -> tuple[Trial, ...]:
        return self.book.trials_of(self.experiment.id) if self.experiment else ()

    def choose(self, experiment_id: int | None) -> None:
        if experiment_id != self._chosen:
            self._chosen = experiment_id
            self.changed.emit()

    # --- edits
    def attempt(self, build: Callable[[], ExperimentEdit]) -> bool:
        """Does the edit that `build` makes; a refusal is said. Whether it was done."""
        return self._workspace.attempt(lambda: self.do(build))

    def do(self, build: Callable[[], ExperimentEdit]) -> None:
        """`attempt` for a form that says a refusal at the field itself. An edit without changes leaves nothing to undo.

        Raises:
            UserError: what `build` and the store refuse.
        """
        edit = build()
        if not edit.changes:
            return
        done = applying.apply(self._workspace.opened, edit)
        self._workspace.undo.push(
            DoneEdit(
                edit_text(done.name, language().code),
                lambda: self.repeat(applying.undo, done),
                lambda: self.repeat(applying.redo, done),
                self._workspace.typing_number,
            )
        )
        self._take(done)

    def repeat(self, act: Callable[[Project, ExperimentEdit], ExperimentEdit], done: ExperimentEdit) -> bool:
        """Undo or redo, for the undo stack; whether it was done."""
        return self._workspace.attempt(lambda: self._take(act(self._workspace.opened, done)))

    def _take(self, done: ExperimentEdit) -> None:
        """Publishes the change; a new experiment is then the one to look at."""
        added = [
            change.after for change in done.changes if change.before is None and isinstance(change.after, Experiment)
        ]
        if added:
            self._chosen = added[-1].id
        self._workspace.announce(Change.EXPERIMENTS)

    # --- reading
    def _on_project(self, change: Change) -> None:
        if change in (Change.OPENED, Change.CLOSED):
            self._chosen = None
        if change in (Change.OPENED, Change.CLOSED, Change.EXPERIMENTS, Change.RUNS, Change.CAPTURES):
            self._read()
            self.changed.emit()

    def _read(self) -> None:
        project = self._workspace.project
        ask = (lambda: reading.read(project)) if project is not None else ExperimentBook
        self.book = self._workspace.answer_of(ask, Change.EXPERIMENTS) or ExperimentBook()
