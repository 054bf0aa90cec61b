"""Whether the bottleneck moved between two runs: each side ranked, and how surely the first ones differ."""

from __future__ import annotations

from app.core.progress import Progress
from app.diagnosis.shift import compare_rankings
from app.domain.finding import Shift
from app.domain.windows import Window
from app.store.project import Project
from app.usecases.findings.diagnose import Diagnosis, diagnose

__all__ = ["Window", "shift", "shift_between"]


def shift(project: Project, before: Window, after: Window, progress: Progress | None = None) -> Shift:
    """The ranking of all measured resources on both sides, the shift, and the bound on the gain."""
    return shift_between(diagnose(project, before, progress), diagnose(project, after, progress))


def shift_between(before: Diagnosis, after: Diagnosis) -> Shift:
    return compare_rankings(before.loads, after.loads, (*before.checks, *after.checks))
