"""Before against after."""

from __future__ import annotations

from collections.abc import Iterable

from app.analysis.comparison import ComparedSeries, Comparison, Parts, Window, pair_series, ratio_of_means
from app.analysis.series import SeriesData, joined
from app.analysis.statistics import Statistics, describe
from app.core.progress import Progress, SilentProgress
from app.domain.series import SeriesInfo
from app.store import wholes
from app.store.project import Project

__all__ = ["ComparedSeries", "Comparison", "Window"]


def compare(project: Project, before: Window, after: Window, progress: Progress | None = None) -> Comparison:
    """All that two windows measured, side by side, a run of many captures as one; descriptive."""
    progress = progress or SilentProgress()
    pairs = pair_series(
        wholes.list_wholes(project, before.run_id), wholes.list_wholes(project, after.run_id)
    )
    rows = []
    for index, (earlier, later) in enumerate(pairs):
        progress.raise_if_cancelled()
        progress.report(index, len(pairs), "progress.comparing")
        rows.append(_row(project, earlier, later, before, after))
    return Comparison(before, after, tuple(rows))


def _row(
    project: Project, earlier: Parts, later: Parts, before: Window, after: Window
) -> ComparedSeries:
    first = _statistics(project, earlier, before)
    second = _statistics(project, later, after)
    ratio, reason = ratio_of_means(first, second, (later or earlier)[0].direction)
    if earlier and later and earlier[0].definition != later[0].definition:
        ratio, reason = None, "definition_differs"
    return ComparedSeries(earlier, later, first, second, ratio, reason)


def _statistics(project: Project, parts: Parts, window: Window) -> Statistics | None:
    return describe(joined_samples(project, parts, window.start_ns, window.end_ns)) if parts else None


def joined_samples(
    project: Project, parts: Iterable[SeriesInfo], start_ns: int | None = None, end_ns: int | None = None
) -> SeriesData:
    """The samples of all captures of one thing, as one series."""
    return joined([
        wholes.read_whole(project, wholes.find_whole(project, part.id), start_ns, end_ns) for part in parts
    ])
