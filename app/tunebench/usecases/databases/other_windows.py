"""Days of a database that are not compared, and tell how much its days differ, as those of host series do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tunebench.analysis.comparing.calendar_slots import Calendar
from tunebench.analysis.comparing.judging import LEAST_COVERAGE, MANY
from tunebench.analysis.databases.record import DatabaseRecord
from tunebench.core.errors import UserError
from tunebench.domain.assembly import Span
from tunebench.domain.windows import Occurrence, Stretch, Window, WindowLoad
from tunebench.store.project import Project
from tunebench.usecases.comparing.captured import Captured
from tunebench.usecases.comparing.other_windows import windows_elsewhere
from tunebench.usecases.comparing.stretches import load_of, series_in, stretches_of
from tunebench.usecases.comparing.windows import ready
from tunebench.usecases.databases.occurrences import occurrences
from tunebench.usecases.databases.sides import side
from tunebench.usecases.databases.snapshots import Database, databases, pair_databases


def other_days(
    project: Project, database: Database, compared: Sequence[Span], load: WindowLoad, calendar: Calendar, least_s: float
) -> list[tuple[str, list[DatabaseRecord]]]:
    """Names of windows and runs, and what the database did in them at the hours that are compared.

    Args:
        compared: one day of either side.
        calendar: of the side before.
        least_s: a day with less of it tells nothing.
    """
    captured = Captured(project)
    length_s = min((end - start) / 1e9 for start, end in compared)

    def stretches(window: Window) -> Iterable[Stretch]:
        """The stretches of a window, of a run the days on which anything was captured: databases have no samples."""
        if window.name:
            return _kept(project, window)
        return [
            Stretch(*day, occurrence.run_id)
            for occurrence in window.occurrences
            if occurrence.run_id is not None
            for day in captured.days(occurrence.run_id, calendar.zone)
        ]

    def tells(window: Window, chosen: Sequence[Stretch]) -> list[DatabaseRecord] | None:
        if load_of([window], [series_in(project, window)]) is not load:
            return None
        days = tuple(Occurrence(stretch.start_ns, stretch.end_ns, stretch.run_id) for stretch in chosen)
        inside = Window(0, window.name, hosts=window.hosts, occurrences=days, exclusions=window.exclusions)
        for _, other in pair_databases([database], databases(project, inside)):
            records = occurrences(project, side(project, inside, other), calendar.zone, least_s)
            telling = [
                record for record in records if (record.elapsed_s or 0.0) >= max(least_s, LEAST_COVERAGE * length_s)
            ]
            return telling if len(telling) >= MANY else None
        return None

    spans = [Stretch(*span) for span in compared]
    return [(name, records) for name, _, records in windows_elsewhere(project, spans, load, calendar, stretches, tells)]


def _kept(project: Project, window: Window) -> Iterable[Stretch]:
    try:
        return stretches_of(project, ready(project, window))
    except UserError:  # nothing of it is left, or nothing that counts
        return ()
