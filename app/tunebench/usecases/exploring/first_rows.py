"""What is drawn first: what the cycle judges, then what a host is judged by, a row each, through all runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from tunebench.core.records import record
from tunebench.domain.assembly import Span
from tunebench.domain.engagement import Run
from tunebench.domain.series import SeriesInfo, is_period_mean
from tunebench.store.project import Project
from tunebench.usecases import browse
from tunebench.usecases.exploring.heat import unlike_disk
from tunebench.usecases.exploring.strands import companions, database_rows, default_rows, reaches, telling_host


@record
class FirstRows:
    """Ids of series, row by row: those of one run, and with the other captures of the same things."""

    own: list[list[int]]
    through_all_runs: list[list[int]]


def run_to_show(
    runs: Sequence[Run], series: Sequence[SeriesInfo], view: Span, looked_at: int | None, *, of_databases: bool = False
) -> Run | None:
    """The run that is looked at, else the newest in sight, of those with any of the series.

    Args:
        looked_at: id of a run.
        of_databases: only means over the periods of a database count.
    """
    wanted = [info for info in series if is_period_mean(info)] if of_databases else series
    having = {info.run_id for info in wanted if reaches(info, view)} or {info.run_id for info in wanted}
    with_data = [run for run in runs if run.id in having]
    shown = [run for run in with_data if run.id == looked_at]
    return max(shown or with_data, key=lambda run: (not run.dated_by_file, run.last_ns or 0), default=None)


def rows_of_run(
    project: Project, run_id: int, series: Mapping[int, SeriesInfo], pieces: Sequence[Span], judged: Collection[int]
) -> FirstRows:
    """
    Args:
        pieces: the stretches that are looked at, in the order of time.
        judged: ids of series that a target is for.
    """
    own = [info for info in series.values() if info.run_id == run_id]
    own = [info for info in own if reaches(info, (pieces[0][0], pieces[-1][1]))] or own
    first = [[info.id] for info in own if info.id in judged]
    host_id = telling_host(own)
    own = [info for info in own if host_id in (None, info.host_id)]
    rows = first + default_rows(own, lambda key: _load_of(project, key), unlike_disk(project, own, pieces))
    return FirstRows(rows, companions(rows, series))


def rows_of_database(project: Project, run_id: int, series: Mapping[int, SeriesInfo]) -> FirstRows:
    """A database's waits, and what its host did in the same hours."""
    own: Iterable[SeriesInfo] = (info for info in series.values() if info.run_id == run_id)
    rows = database_rows(list(own), lambda key: _load_of(project, key))
    return FirstRows(rows, companions(rows, series))


def _load_of(project: Project, key: int) -> float:
    return browse.statistics(project, key, None, None).mean or 0.0
