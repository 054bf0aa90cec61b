"""Does edits of experiments, takes them back and does them again: `undo` and `redo` take what `apply` gives back."""

from __future__ import annotations

from tunebench.domain.experiments.book import ExperimentEdit
from tunebench.store.experiments import records as store
from tunebench.store.locking import current_user
from tunebench.store.project import Project


def apply(project: Project, edit: ExperimentEdit, who: str = "") -> ExperimentEdit:
    """
    Args:
        who: the person; the one who is logged in where none is named.

    Raises:
        UserError: project_read_only, experiment_changed_meanwhile, experiment_dangling.
    """
    return store.apply(project, edit, who or current_user())


def undo(project: Project, done: ExperimentEdit, who: str = "") -> ExperimentEdit:
    return store.apply(project, done.inverse, who or current_user())


def redo(project: Project, done: ExperimentEdit, who: str = "") -> ExperimentEdit:
    return store.apply(project, done, who or current_user())
