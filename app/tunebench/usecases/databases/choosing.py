"""Which database is looked at, in which windows or runs: what was chosen, else what is proposed; and what its figures
are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.databases.records import Reach
from tunebench.domain.engagement import Phase, Run
from tunebench.domain.windows import Window, run_window
from tunebench.store.project import Project
from tunebench.usecases.answering.chosen import windows_to_answer
from tunebench.usecases.databases import comparison, periods, snapshots
from tunebench.usecases.databases import sides as database_sides
from tunebench.usecases.databases.comparison import DatabaseComparison, compare_pair
from tunebench.usecases.databases.sides import Side
from tunebench.usecases.databases.snapshots import Database, find_database

Known = Mapping[Window, tuple[Database, ...]]


@record
class Choice:
    """What is compared.

    Attributes:
        database: id of the database; of the one before where two are compared.
        before, after: a kept window or a run; None where that side is left out.
        after_database: id of the one after where it is not the same; empty for the same.
    """

    database: str = ""
    before: Window | None = None
    after: Window | None = None
    after_database: str = ""


@record
class ChosenSides:
    """The sides of a choice and their comparison.

    Attributes:
        comparison: None where a side is left out, is not valid, or was refused.
        refusal: why there is no comparison although both sides were asked for.
    """

    before: Side | None = None
    after: Side | None = None
    comparison: DatabaseComparison | None = None
    refusal: UserError | None = None


@record
class Answer:
    """What there is, what is looked at of it, and its figures."""

    known: Known = field(default_factory=dict)
    choice: Choice = field(default_factory=Choice)
    sides: ChosenSides = field(default_factory=ChosenSides)


def answered(
    project: Project,
    runs: Sequence[Run],
    windows: Sequence[Window],
    choice: Choice,
    preferred: tuple[Window | None, Window | None],
) -> Answer:
    listed = {
        window: tuple(snapshots.databases(project, window))
        for window in (*windows, *(run_window(run.id) for run in runs))
    }
    by_window = {window: databases for window, databases in listed.items() if databases}
    first, second = (
        window if window is not None and _has_figures(project, by_window[window]) else None
        for window in (_listed_as(by_window, window) for window in windows_to_answer(project, *preferred))
    )
    choice = proposed_choice(by_window, runs, choice, (first, second))
    try:
        return Answer(by_window, choice, _sides_of(project, by_window, choice))
    except UserError as error:
        return Answer(by_window, choice, ChosenSides(refusal=error))


def _listed_as(by_window: Known, window: Window | None) -> Window | None:
    """The window in the list that is of the same time; a run's has no side of its own."""
    return next((own for own in by_window if window is not None and replace(window, role=own.role) == own), None)


def _has_figures(project: Project, databases: Sequence[Database]) -> bool:
    """Whether any of these databases has a period in its window."""
    return any(periods.periods(project, database, ()) for database in databases)


def has_database(by_window: Known, window: Window, database: str) -> bool:
    return any(not database or listed.id == database for listed in by_window.get(window, ()))


def _has_period(databases: Sequence[Database]) -> bool:
    """Whether any has a span with both ends, and not only counters since its start."""
    reaches = [[record.head.reach for record in database.records] for database in databases]
    return any(Reach.PERIOD in own or own.count(Reach.COUNTERS) > 1 for own in reaches)


def proposed_choice(
    by_window: Known, runs: Sequence[Run], choice: Choice, compared: tuple[Window | None, Window | None] = (None, None)
) -> Choice:
    """The choice where it can still be made; else the windows that are compared, else the runs called before and after,
    of several the last."""
    if _possible(by_window, choice):
        return choice
    having = [run for run in runs if run_window(run.id) in by_window]
    wanted = choice.database
    own = [run for run in having if has_database(by_window, run_window(run.id), wanted)]
    own = [run for run in own if _has_period(by_window[run_window(run.id)])] or own
    if not own:
        return Choice() if not wanted else proposed_choice(by_window, runs, Choice(), compared)
    first = compared[0] if compared[0] and has_database(by_window, compared[0], wanted) else None
    first = first or run_window((_of_phase(own, Phase.BEFORE) or own[0]).id)
    database = wanted or _with_statements(by_window[first])
    if compared[1] and has_database(by_window, compared[1], database):
        return Choice(database, first, compared[1])
    later = [run for run in having if run_window(run.id) != first]
    later = [run for run in later if _has_period(by_window[run_window(run.id)])] or later
    same = [run for run in later if has_database(by_window, run_window(run.id), database)]
    after = _of_phase(same or later, Phase.AFTER) or (same[-1] if same else None)
    return Choice(database, first, run_window(after.id) if after else None)


def _possible(by_window: Known, choice: Choice) -> bool:
    sides = (
        (choice.before, choice.database),
        (choice.after, choice.after_database or ("" if choice.before else choice.database)),
    )
    asked = [(window, id_) for window, id_ in sides if window is not None]
    return bool(asked) and all(has_database(by_window, window, id_) for window, id_ in asked)


def _of_phase(runs: Sequence[Run], phase: Phase) -> Run | None:
    """The last one."""
    return next((run for run in reversed(runs) if run.phase is phase), None)


def _with_statements(databases: Sequence[Database]) -> str:
    """The id of the first database with statements, else of the first."""
    matches = [database for database in databases if any("statement" in record.rows for record in database.records)]
    return (matches or list(databases))[0].id


def _sides_of(project: Project, by_window: Known, choice: Choice) -> ChosenSides:
    if choice.before is None or choice.after is None:
        window = choice.before or choice.after
        if window is None:
            return ChosenSides()
        only = database_sides.side(project, window, find_database(by_window[window], choice.database))
        return ChosenSides(before=only) if choice.before is not None else ChosenSides(after=only)
    windows = choice.before, choice.after
    chosen = comparison.choose(project, *windows, choice.database, choice.after_database)
    try:
        compared = compare_pair(project, *windows, *chosen)
    except UserError as error:
        before, after = (
            database_sides.side(project, window, database) for window, database in zip(windows, chosen, strict=True)
        )
        return ChosenSides(before, after, None, error)
    return ChosenSides(compared.before, compared.after, compared)
