"""Is everything in the project whole?"""

from __future__ import annotations

from app.core.progress import Progress
from app.store.check import CheckResult, check_project
from app.store.project import Project

__all__ = ["CheckResult"]


def check(project: Project, progress: Progress | None = None) -> list[CheckResult]:
    """SQLite's own check, every artefact's hash recomputed, ledgers balanced, references sound."""
    return check_project(project, progress)
