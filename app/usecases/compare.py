"""Before against after."""

from __future__ import annotations

from app.analysis.comparison import ComparedSeries, Comparison, Window, pair_series, ratio_of_means
from app.analysis.statistics import Statistics
from app.core.progress import Progress, SilentProgress
from app.domain.series import SeriesInfo
from app.store import queries
from app.store.project import Project
from app.usecases import browse

__all__ = ["ComparedSeries", "Comparison", "Window"]


def compare(project: Project, before: Window, after: Window, progress: Progress | None = None) -> Comparison:
    """All series of two windows side by side; descriptive."""
    progress = progress or SilentProgress()
    pairs = pair_series(
        queries.list_series(project, run_id=before.run_id), queries.list_series(project, run_id=after.run_id)
    )
    rows = []
    for index, (earlier, later) in enumerate(pairs):
        progress.raise_if_cancelled()
        progress.report(index, len(pairs), "progress.comparing")
        rows.append(_row(project, earlier, later, before, after))
    return Comparison(before, after, tuple(rows))


def _row(
    project: Project, earlier: SeriesInfo | None, later: SeriesInfo | None, before: Window, after: Window
) -> ComparedSeries:
    first = _statistics(project, earlier, before)
    second = _statistics(project, later, after)
    known = later or earlier
    assert known is not None
    ratio, reason = ratio_of_means(first, second, known.direction)
    if earlier and later and earlier.definition != later.definition:
        ratio, reason = None, "definition_differs"
    return ComparedSeries(earlier, later, first, second, ratio, reason)


def _statistics(project: Project, info: SeriesInfo | None, window: Window) -> Statistics | None:
    return browse.statistics(project, info.id, window.start_ns, window.end_ns) if info else None
