"""What a report is made with, in words that can be read back: the document carries them."""

from __future__ import annotations

import json
from collections.abc import Collection

from tunebench.core.errors import UserError
from tunebench.domain.windows import Occurrence, Window
from tunebench.reporting.cases.case import SuccessCase
from tunebench.reporting.delivered import Recipe
from tunebench.reporting.shapes import Shape
from tunebench.reporting.success_case import SECTION_IDS
from tunebench.store.project import Project
from tunebench.store.runs import list_runs
from tunebench.usecases.comparing import windows


def recipe_of(
    project: Project,
    case: SuccessCase,
    language: str,
    sections: Collection[str] | None,
    shape: Shape,
    before: Window | None,
    after: Window | None,
) -> Recipe:
    """
    Args:
        sections: parts that are in it; None for all.
    """
    trail = case.live.audit.last_id if case.live is not None and case.live.audit is not None else None
    without = tuple(name for name in SECTION_IDS if sections is not None and name not in sections)
    return Recipe(language, case.issued, shape, without, _words(project, before), _words(project, after), trail)


def _words(project: Project, window: Window | None) -> str:
    """The name of a kept window; of another the run and both ends of each stretch."""
    if window is None or window.name or not window.occurrences:
        return window.name if window else ""
    label_of = {run.id: run.label for run in list_runs(project)}
    stretches = [
        [label_of.get(occurrence.run_id or 0, ""), occurrence.start_ns, occurrence.end_ns]
        for occurrence in window.occurrences
    ]
    return json.dumps(stretches, ensure_ascii=False, separators=(",", ":"))


def window_in(project: Project, words: str) -> Window | None:
    """The window that a recipe names; None where it left the choice to the project.

    Raises:
        UserError: report_window_lost, window_or_run_unknown, window_no_samples, window_overlap.
    """
    if not words:
        return None
    try:
        stretches = json.loads(words) if words.startswith("[[") else None
    except ValueError:
        stretches = None
    if stretches is None:
        return windows.chosen(project, words)
    run_of = {run.label: run.id for run in list_runs(project)}
    try:
        occurrences = tuple(
            Occurrence(start_ns, end_ns, run_of[label] if label else None) for label, start_ns, end_ns in stretches
        )
    except (KeyError, TypeError, ValueError) as error:
        raise UserError("report_window_lost", window=words) from error
    return Window(0, "", occurrences=occurrences)
