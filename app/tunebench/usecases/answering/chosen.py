"""Which two windows are answered for where nobody chose: those of the iteration, else those that are proposed."""

from __future__ import annotations

from dataclasses import replace

from tunebench.analysis.answering.answer import Answer
from tunebench.core.progress import Progress
from tunebench.diagnosis.cycle.results import windows_of
from tunebench.domain.comparability import WindowPair
from tunebench.domain.windows import Window, WindowRole, proposed_window
from tunebench.store.project import Project
from tunebench.store.runs import list_runs
from tunebench.usecases.answering.compared import compare_windows
from tunebench.usecases.answering.targets import judged_iteration, valued
from tunebench.usecases.comparing import windows
from tunebench.usecases.cycle import reading


def windows_of_iteration(project: Project) -> WindowPair | None:
    """Those over which the first of its targets was measured; None where its figures are of none."""
    book = reading.read(project)
    iteration = judged_iteration(book)
    for standing in valued(book, iteration) if iteration is not None else ():
        pair = windows_of(book, standing.metric, standing.baseline, standing.now)
        if pair is not None:
            return (replace(pair[0], role=WindowRole.BEFORE), replace(pair[1], role=WindowRole.AFTER))
    return None


def windows_to_answer(
    project: Project, before: Window | None = None, after: Window | None = None
) -> tuple[Window | None, Window | None]:
    """Both windows; a side that has none is None.

    Args:
        before, after: that somebody chose.
    """
    own = windows_of_iteration(project) if before is None and after is None else None
    if own is not None:
        return own
    kept, runs = windows.list_windows(project), list_runs(project)
    return (
        before or proposed_window(kept, runs, WindowRole.BEFORE),
        after or proposed_window(kept, runs, WindowRole.AFTER),
    )


def answer_for(project: Project, progress: Progress | None = None) -> Answer | None:
    """The answer for the windows that nobody had to choose; None where there is no pair of them.

    Raises:
        UserError: window_no_samples, window_overlap, window_all_excluded.
    """
    before, after = windows_to_answer(project)
    if before is None or after is None:
        return None
    return compare_windows(project, before, after, progress=progress).answer
