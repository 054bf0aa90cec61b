"""The open project as charts see it: a thin door to the use cases, so that a chart never holds a project."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from app.analysis.series import Envelope, SeriesData
from app.analysis.statistics import Statistics
from app.domain.engagement import Note
from app.domain.series import SeriesInfo
from app.domain.windows import Stretch
from app.ui.charts.outline import PeriodSpan
from app.usecases import browse, projects
from app.usecases.projects import Project

if TYPE_CHECKING:
    from app.usecases.databases.periods import Period
    from app.usecases.databases.snapshots import Database


class Reading(Protocol):
    """The sample that covers a moment."""

    @property
    def time_ns(self) -> int: ...

    @property
    def value(self) -> float: ...


class Source(Protocol):
    """What charts ask for; every method may be called from a worker thread."""

    def list_series(self) -> list[SeriesInfo]: ...

    def envelope(self, series_id: int, start_ns: int, end_ns: int, bins: int) -> Envelope: ...

    def series_data(self, series_id: int, start_ns: int | None, end_ns: int | None) -> SeriesData: ...

    def statistics(self, series_id: int, start_ns: int | None, end_ns: int | None) -> Statistics: ...

    def value_at(self, series_id: int, time_ns: int) -> Reading | None: ...

    def events(self) -> list[Any]: ...

    def periods(self) -> list[PeriodSpan]:
        """Those of databases that have a begin and an end."""
        ...

    def notes(self) -> list[Note]: ...

    def add_note(self, time_ns: int, text: str) -> None: ...

    def meaning(self, series: SeriesInfo, language: str) -> str: ...

    def compare(self, before: Any, after: Any, progress: Any) -> Any: ...

    def occurrences(self, parts: Sequence[SeriesInfo], stretches: Sequence[Stretch]) -> list[SeriesData]:
        """What each stretch has of one thing."""
        ...


class ProjectSource:
    """A `Source` over an open project."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def list_series(self) -> list[SeriesInfo]:
        return browse.list_series(self._project)

    def envelope(self, series_id: int, start_ns: int, end_ns: int, bins: int) -> Envelope:
        return browse.envelope(self._project, series_id, start_ns, end_ns, bins)

    def series_data(self, series_id: int, start_ns: int | None, end_ns: int | None) -> SeriesData:
        return browse.series_data(self._project, series_id, start_ns, end_ns)

    def statistics(self, series_id: int, start_ns: int | None, end_ns: int | None) -> Statistics:
        return browse.statistics(self._project, series_id, start_ns, end_ns)

    def value_at(self, series_id: int, time_ns: int) -> Reading | None:
        return browse.value_at(self._project, series_id, time_ns)

    def events(self) -> list[Any]:
        return list(browse.events(self._project))

    def periods(self) -> list[PeriodSpan]:
        from app.usecases.databases import periods, snapshots

        every = snapshots.databases(self._project)
        return [
            _span(database, period)
            for run_id in sorted({record.run_id for each in every for record in each.records})
            for database in snapshots.databases(self._project, run_id)
            for period in periods.periods(self._project, database, ())
            if period.begin_ns is not None and period.end_ns is not None and period.begin_ns < period.end_ns
        ]

    def notes(self) -> list[Note]:
        return list(projects.list_notes(self._project))

    def add_note(self, time_ns: int, text: str) -> None:
        projects.add_note(self._project, "time", None, time_ns, text)

    def meaning(self, series: SeriesInfo, language: str) -> str:
        return browse.metric_meaning(series, language)

    def compare(self, before: Any, after: Any, progress: Any) -> Any:
        from app.usecases.comparing import compare, windows

        first, second = (windows.ready(self._project, window) for window in (before, after))
        return compare.compare(self._project, first, second, progress)

    def occurrences(self, parts: Sequence[SeriesInfo], stretches: Sequence[Stretch]) -> list[SeriesData]:
        from app.usecases.comparing.sides import samples_in

        return [samples_in(self._project, tuple(parts), each) for each in stretches]


def _span(database: Database, period: Period) -> PeriodSpan:
    record = period.record
    assert period.begin_ns is not None and period.end_ns is not None
    return PeriodSpan(
        record.identity.label, database.host, period.begin_ns, period.end_ns, record.faults, record.end.started_ns
    )


def open_source(project: Project | Source) -> Source:
    """The source for a project; a project that is a source already (a test's) is taken as it is."""
    return ProjectSource(project) if isinstance(project, Project) else project
