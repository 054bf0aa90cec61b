"""Is everything in the project whole, and does it say what was measured and written?"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tunebench.core.errors import UserError
from tunebench.core.progress import Progress, SilentProgress
from tunebench.store import runs
from tunebench.store.check import CheckResult, check_project, result
from tunebench.store.cycle.check import read_anew
from tunebench.store.project import Project
from tunebench.usecases import signatures
from tunebench.usecases.cycle import reading
from tunebench.usecases.cycle.contradicted import told
from tunebench.usecases.cycle.figures import Broken, remeasured

_FIGURES, _SOURCES = "cycle_figures", "cycle_sources"


def check(project: Project, progress: Progress | None = None, keys: Iterable[Path] = ()) -> list[CheckResult]:
    """SQLite's own check, every artefact's hash recomputed, ledgers balanced, references sound, records of the cycle
    as the audit trail wrote them, every measured figure of the cycle computed again, and every signature verified.

    Args:
        keys: as `signatures.verified` takes them.
    """
    keys = tuple(keys)
    progress = progress or SilentProgress()
    results = check_project(project, progress)
    progress.raise_if_cancelled()
    progress.report(len(results), len(results) + 1, f"check.{_FIGURES}")
    return [*results, *_figures(project), _signatures(project, keys)]


def _signatures(project: Project, keys: Iterable[Path]) -> CheckResult:
    """Records that cannot be read are named by a check of their own."""
    try:
        return signatures.verified(project, keys)
    except UserError as error:
        if error.key.startswith("key_"):
            raise
        return CheckResult(signatures.CHECK, "failed", {"found": [str(error)], "count": 1})


def _figures(project: Project) -> tuple[CheckResult, ...]:
    """Figures that differ from what their captures say; apart from them those that cannot be checked: their captures
    are gone, or were read anew since."""
    try:
        book = reading.read(project)
        measured = list(remeasured(project, book, {run.id: run for run in runs.list_runs(project)}))
    except UserError as error:
        return (CheckResult(_FIGURES, "failed", {"found": [str(error)], "count": 1}),)
    differing = [figure for figure in measured if figure.differs]
    lost = [figure for figure in measured if isinstance(figure.now, Broken)]
    changed = [figure for figure in differing if read_anew(project, figure.figure)]
    wrong = [figure for figure in differing if figure not in changed]
    return (
        result(_FIGURES, [told(figure) for figure in wrong], len(measured)),
        result(_SOURCES, [told(figure) for figure in (*lost, *changed)], len(measured), bad="warning"),
    )
