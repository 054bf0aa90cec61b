"""Whether the bottleneck moved between two runs: each side ranked, and how surely the first ones differ."""

from __future__ import annotations

from app.analysis.comparison import Window
from app.core.progress import Progress, SilentProgress
from app.diagnosis.ranking import Load, loads
from app.diagnosis.shift import compare_rankings, data_checks
from app.domain.finding import DataCheck, Shift
from app.store.project import Project
from app.usecases.diagnose_hosts import evidence_finder, measured_hosts

__all__ = ["Window", "shift"]


def shift(project: Project, before: Window, after: Window, progress: Progress | None = None) -> Shift:
    """The ranking of all measured resources on both sides, the shift, and the bound on the gain."""
    progress = progress or SilentProgress()
    checks: list[DataCheck] = []
    sides: list[list[Load]] = []
    for place, window in enumerate((before, after)):
        progress.raise_if_cancelled()
        progress.report(place, 2, "progress.ranking")
        sides.append(_loads(project, window, checks))
    return compare_rankings(sides[0], sides[1], checks)


def _loads(project: Project, window: Window, checks: list[DataCheck]) -> list[Load]:
    evidence = evidence_finder(project)
    found: list[Load] = []
    for each in measured_hosts(project, window):
        found += loads(each.signals, evidence.of_stream)
        checks += data_checks(each.signals)
    return found
