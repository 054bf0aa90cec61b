"""Which database is looked at, in which windows or runs, and what the comparison says: read once for all pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from PySide6.QtCore import QObject, Qt, Signal

from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.databases.records import Reach
from tunebench.domain.engagement import Phase, Run
from tunebench.domain.windows import Window, run_window
from tunebench.ui.comparing.window_book import SIDES, WindowBook
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases.answering.chosen import windows_to_answer
from tunebench.usecases.databases import comparison, periods, snapshots
from tunebench.usecases.databases import sides as database_sides
from tunebench.usecases.databases.comparison import DatabaseComparison, compare_pair
from tunebench.usecases.databases.sides import Side
from tunebench.usecases.databases.snapshots import Database, find_database
from tunebench.usecases.projects import Project

_READ_ANEW = (Change.OPENED, Change.CLOSED, Change.CAPTURES, Change.RUNS, Change.STATEMENTS, Change.ENGAGEMENT)


Known = Mapping[Window, tuple["Database", ...]]


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
class _Answer:
    known: Known = field(default_factory=dict)
    choice: Choice = field(default_factory=Choice)
    found: ChosenSides = field(default_factory=ChosenSides)


class DatabaseController(QObject):
    """One per workspace: `DatabaseController.of(workspace)`.

    Signals:
        changed: another choice, other figures, or they are being read (`busy`).
    """

    changed = Signal()

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self._stale = True
        self._answer = _Answer()
        self.busy = False
        self.book = WindowBook.of(workspace)
        workspace.project_changed.connect(self._on_project)
        self.book.changed.connect(self._on_windows)

    @classmethod
    def of(cls, workspace: Workspace) -> DatabaseController:
        controller = workspace.findChild(cls, options=Qt.FindChildOption.FindDirectChildrenOnly)
        return controller if controller is not None else cls(workspace)

    # --- what there is
    @property
    def known(self) -> Known:
        """Run, as a whole, or kept window -> its databases; those without any are left out."""
        return self._answer.known

    @property
    def choice(self) -> Choice:
        return self._answer.choice

    @property
    def before(self) -> Side | None:
        return self._answer.found.before

    @property
    def after(self) -> Side | None:
        return self._answer.found.after

    def side(self, which: str) -> Side | None:
        return self.before if which == "before" else self.after

    @property
    def sides(self) -> dict[str, Side]:
        """``before`` and ``after``, as far as they are looked at."""
        return {which: side for which in SIDES if (side := self.side(which)) is not None}

    @property
    def comparison(self) -> DatabaseComparison | None:
        return self._answer.found.comparison

    @property
    def refusal(self) -> UserError | None:
        return self._answer.found.refusal

    @property
    def read(self) -> bool:
        """Whether what is here is what the project says now."""
        return not self._stale and not self.busy

    @property
    def runs(self) -> list[Run]:
        """The runs that have databases, in the order of the engagement."""
        return [run for run in self._workspace.runs if run_window(run.id) in self.known]

    @property
    def windows(self) -> list[Window]:
        """The kept ones that have databases."""
        return [window for window in self.book.windows if window in self.known]

    def of_runs(self) -> dict[int, tuple[Database, ...]]:
        return {run.id: self.known[run_window(run.id)] for run in self.runs}

    def labels(self) -> dict[str, str]:
        """Database id -> its label; with the id where several have the same."""
        labels = {database.id: database.label for own in self.known.values() for database in own}
        names = list(labels.values())
        return {id_: name if names.count(name) == 1 else f"{name} · {id_}" for id_, name in labels.items()}

    # --- asking
    def ask(self) -> None:
        """Reads what has not been read yet; pages call it when they are shown."""
        if self._stale:
            self._stale = False
            self._read(self.choice)

    def choose(self, choice: Choice) -> None:
        if choice != self.choice:
            self._read(choice)

    def choose_database(self, database: str) -> None:
        """Another database, in the windows and runs that fit it."""
        kept = self.choice
        if all(side is None or _has(self.known, side, database) for side in (kept.before, kept.after)):
            self.choose(replace(kept, database=database, after_database=""))
        else:
            self.choose(_proposed(self.known, self._workspace.runs, Choice(database)))

    def swap(self) -> None:
        """After becomes before, and before after."""
        kept = self.choice
        if kept.before is not None and kept.after is not None:
            first, second = self.before, self.after
            ids = (second.database.id, first.database.id) if first and second else (kept.database, "")
            self.choose(Choice(ids[0], kept.after, kept.before, "" if ids[0] == ids[1] else ids[1]))

    def _read(self, choice: Choice) -> None:
        project, runs = self._workspace.project, self._workspace.runs
        if project is None:
            return
        preferred = self._workspace.selection.before, self._workspace.selection.after
        windows = self.book.windows
        self.busy = True
        self._answer = replace(self._answer, choice=choice, found=ChosenSides())
        self.changed.emit()
        self._workspace.jobs.run(
            "cpu",
            lambda _handle: _answered(project, runs, windows, choice, preferred),
            owner=self,
            slot="compare",
            on_result=self._take,
            on_error=lambda error: self._take(replace(self._answer, found=ChosenSides(refusal=error))),
            on_cancelled=self._forget,
            title_key="ui.databases.job",
        )

    def _take(self, answer: _Answer) -> None:
        self.busy = False
        self._answer = answer
        self.changed.emit()

    def _forget(self) -> None:
        self._stale = True
        self._take(replace(self._answer, found=ChosenSides()))

    def _on_project(self, change: Change) -> None:
        if change not in _READ_ANEW:
            return
        self._stale = True
        if change in (Change.OPENED, Change.CLOSED):
            self.busy = False
            self._answer = _Answer()
            self.changed.emit()

    def _on_windows(self) -> None:
        """Windows were edited, or that was undone: what is shown of one follows it, of one that is gone it does not."""
        self._stale = True
        sides = self.choice.before, self.choice.after
        now = [self.book.now(side) for side in sides]
        gone = any(was is not None and now_is is None for was, now_is in zip(sides, now, strict=True))
        choice = Choice() if gone else replace(self.choice, before=now[0], after=now[1])
        self._answer = replace(self._answer, choice=choice)


# --- in the background


def _answered(
    project: Project,
    runs: Sequence[Run],
    windows: Sequence[Window],
    choice: Choice,
    preferred: tuple[Window | None, Window | None],
) -> _Answer:
    listed = {
        window: tuple(snapshots.databases(project, window))
        for window in (*windows, *(run_window(run.id) for run in runs))
    }
    by_window = {window: databases for window, databases in listed.items() if databases}
    first, second = (
        window if window is not None and _has_figures(project, by_window[window]) else None
        for window in (_listed_as(by_window, window) for window in windows_to_answer(project, *preferred))
    )
    choice = _proposed(by_window, runs, choice, (first, second))
    try:
        return _Answer(by_window, choice, _sides_of(project, by_window, choice))
    except UserError as error:
        return _Answer(by_window, choice, ChosenSides(refusal=error))


def _listed_as(by_window: Known, window: Window | None) -> Window | None:
    """The window in the list that is of the same time; a run's has no side of its own."""
    return next((own for own in by_window if window is not None and replace(window, role=own.role) == own), None)


def _has_figures(project: Project, databases: Sequence[Database]) -> bool:
    """Whether any of these databases has a period in its window."""
    return any(periods.periods(project, database, ()) for database in databases)


def _has(by_window: Known, window: Window, database: str) -> bool:
    return any(not database or listed.id == database for listed in by_window.get(window, ()))


def _has_period(databases: Sequence[Database]) -> bool:
    """Whether any has a span with both ends, and not only counters since its start."""
    reaches = [[record.head.reach for record in database.records] for database in databases]
    return any(Reach.PERIOD in own or own.count(Reach.COUNTERS) > 1 for own in reaches)


def _proposed(
    by_window: Known, runs: Sequence[Run], choice: Choice, compared: tuple[Window | None, Window | None] = (None, None)
) -> Choice:
    """The choice where it can still be made; else the windows that are compared, else the runs called before and after,
    of several the last."""
    if _possible(by_window, choice):
        return choice
    having = [run for run in runs if run_window(run.id) in by_window]
    wanted = choice.database
    own = [run for run in having if _has(by_window, run_window(run.id), wanted)]
    own = [run for run in own if _has_period(by_window[run_window(run.id)])] or own
    if not own:
        return Choice() if not wanted else _proposed(by_window, runs, Choice(), compared)
    first = compared[0] if compared[0] and _has(by_window, compared[0], wanted) else None
    first = first or run_window((_of_phase(own, Phase.BEFORE) or own[0]).id)
    database = wanted or _with_statements(by_window[first])
    if compared[1] and _has(by_window, compared[1], database):
        return Choice(database, first, compared[1])
    later = [run for run in having if run_window(run.id) != first]
    later = [run for run in later if _has_period(by_window[run_window(run.id)])] or later
    same = [run for run in later if _has(by_window, run_window(run.id), database)]
    after = _of_phase(same or later, Phase.AFTER) or (same[-1] if same else None)
    return Choice(database, first, run_window(after.id) if after else None)


def _possible(by_window: Known, choice: Choice) -> bool:
    sides = (
        (choice.before, choice.database),
        (choice.after, choice.after_database or ("" if choice.before else choice.database)),
    )
    asked = [(window, id_) for window, id_ in sides if window is not None]
    return bool(asked) and all(_has(by_window, window, id_) for window, id_ in asked)


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
