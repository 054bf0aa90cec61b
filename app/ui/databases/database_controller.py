"""Which database is looked at, in which runs, and what the comparison says: read once for all pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from app.core.errors import UserError
from app.domain.engagement import Phase, Run
from app.ui.charts.windows import only_run_of
from app.ui.workspace import Change, Workspace

if TYPE_CHECKING:
    from app.usecases.databases.facade import Database, DatabaseComparison, Side
    from app.usecases.projects import Project

_READ_ANEW = (Change.OPENED, Change.CLOSED, Change.CAPTURES, Change.RUNS, Change.STATEMENTS, Change.ENGAGEMENT)


@dataclass(frozen=True, slots=True)
class Choice:
    """What is compared.

    Attributes:
        database: id of the database; of the one before where two are compared.
        before_run, after_run: None where that side is left out.
        after_database: id of the one after where it is not the same; empty for the same.
    """

    database: str = ""
    before_run: int | None = None
    after_run: int | None = None
    after_database: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """What was read for a choice.

    Attributes:
        comparison: None where a side is left out, is not valid, or was refused.
        refusal: why there is no comparison although both sides were asked for.
    """

    before: Side | None = None
    after: Side | None = None
    comparison: DatabaseComparison | None = None
    refusal: UserError | None = None


@dataclass(frozen=True, slots=True)
class _Answer:
    known: Mapping[int, tuple[Database, ...]] = field(default_factory=dict)
    choice: Choice = field(default_factory=Choice)
    found: Found = field(default_factory=Found)


class DatabaseController(QObject):
    """One per workspace: `DatabaseDesk.of(workspace)`.

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
        workspace.project_changed.connect(self._on_project)

    @classmethod
    def of(cls, workspace: Workspace) -> DatabaseController:
        found = workspace.findChild(cls, options=Qt.FindChildOption.FindDirectChildrenOnly)
        return found if found is not None else cls(workspace)

    # --- what there is
    @property
    def known(self) -> Mapping[int, tuple[Database, ...]]:
        """Run -> its databases; runs without any are left out."""
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
        """Those that have databases, in the order of the engagement."""
        views = self._workspace.overview.runs if self._workspace.overview else ()
        return [view.run for view in views if view.run.id in self.known]

    def run_called(self, run_id: int | None) -> str:
        return next((run.label for run in self.runs if run.id == run_id), "")

    def labels(self) -> dict[str, str]:
        """Database id -> what people call it; with the id where several are called alike."""
        found = {each.id: each.label for of_run in self.known.values() for each in of_run}
        names = list(found.values())
        return {id_: name if names.count(name) == 1 else f"{name} · {id_}" for id_, name in found.items()}

    def runs_of(self, database: str) -> list[Run]:
        return [run for run in self.runs if any(each.id == database for each in self.known[run.id])]

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
        """Another database, in the runs that fit it."""
        kept = self.choice
        own = {run.id for run in self.runs_of(database)}
        if kept.before_run in own and (kept.after_run is None or kept.after_run in own):
            self.choose(replace(kept, database=database, after_database=""))
        else:
            self.choose(_proposed(self.known, self._runs(), Choice(database), None))

    def swap(self) -> None:
        """After becomes before, and before after."""
        kept = self.choice
        if kept.before_run is not None and kept.after_run is not None:
            first, second = self.before, self.after
            ids = (second.database.id, first.database.id) if first and second else (kept.database, "")
            self.choose(Choice(ids[0], kept.after_run, kept.before_run, "" if ids[0] == ids[1] else ids[1]))

    def _runs(self) -> list[Run]:
        return [view.run for view in self._workspace.overview.runs] if self._workspace.overview else []

    def _read(self, choice: Choice) -> None:
        project, runs = self._workspace.project, self._runs()
        if project is None:
            return
        windows = self._workspace.selection.before, self._workspace.selection.after
        preferred = tuple(map(only_run_of, windows))
        self.busy = True
        self._answer = replace(self._answer, choice=choice, found=Found())
        self.changed.emit()
        self._workspace.jobs.run(
            "cpu",
            lambda _handle: _answered(project, runs, choice, preferred),
            owner=self,
            slot="compare",
            on_result=self._take,
            on_error=self._refuse,
            on_cancelled=self._forget,
            title_key="ui.databases.job",
        )

    def _take(self, answer: _Answer) -> None:
        self.busy = False
        self._answer = answer
        self.changed.emit()

    def _refuse(self, error: UserError) -> None:
        """The project itself could not be read."""
        self._take(replace(self._answer, found=Found(refusal=error)))

    def _forget(self) -> None:
        self._stale = True
        self._take(replace(self._answer, found=Found()))

    def _on_project(self, change: Change) -> None:
        if change not in _READ_ANEW:
            return
        self._stale = True
        if change in (Change.OPENED, Change.CLOSED):
            self.busy = False
            self._answer = _Answer()
            self.changed.emit()


# --- in the background


def _answered(project: Project, runs: Sequence[Run], choice: Choice, preferred: tuple[int | None, ...]) -> _Answer:
    from app.usecases.databases import facade as databases

    listed = {run.id: tuple(databases.databases(project, run.id)) for run in runs}
    known = {run_id: found for run_id, found in listed.items() if found}
    choice = _proposed(known, runs, choice, preferred)
    try:
        return _Answer(known, choice, _found(project, known, choice))
    except UserError as error:
        return _Answer(known, choice, Found(refusal=error))


def _proposed(
    known: Mapping[int, tuple[Database, ...]],
    runs: Sequence[Run],
    choice: Choice,
    preferred: tuple[int | None, ...] | None,
) -> Choice:
    """The choice where it can still be made; else the runs called before and after, of several the last."""
    if _possible(known, choice):
        return choice
    having = [run for run in runs if run.id in known]
    wanted = choice.database
    own = [run for run in having if not wanted or any(each.id == wanted for each in known[run.id])]
    if not own:
        return Choice() if not wanted else _proposed(known, runs, Choice(), preferred)
    before = _of_phase(own, Phase.BEFORE, preferred[0] if preferred else None) or own[0]
    database = wanted or _with_statements(known[before.id])
    later = [run for run in having if run is not before]
    same = [run for run in later if any(each.id == database for each in known[run.id])]
    after = _of_phase(same or later, Phase.AFTER, preferred[1] if preferred else None) or (same[-1] if same else None)
    return Choice(database, before.id, after.id if after else None)


def _possible(known: Mapping[int, tuple[Database, ...]], choice: Choice) -> bool:
    sides = (
        (choice.before_run, choice.database),
        (choice.after_run, choice.after_database or ("" if choice.before_run else choice.database)),
    )
    asked = [(run_id, id_) for run_id, id_ in sides if run_id is not None]
    return bool(asked) and all(
        run_id in known and (not id_ or any(each.id == id_ for each in known[run_id])) for run_id, id_ in asked
    )


def _of_phase(runs: Sequence[Run], phase: Phase, preferred: int | None) -> Run | None:
    fitting = [run for run in runs if run.phase is phase]
    chosen = [run for run in fitting if run.id == preferred] or fitting
    return chosen[-1] if chosen else None


def _with_statements(known: Sequence[Database]) -> str:
    """The first that has statements."""
    found = [each for each in known if any("statement" in record.rows for record in each.records)]
    return (found or list(known))[0].id


def _found(project: Project, known: Mapping[int, tuple[Database, ...]], choice: Choice) -> Found:
    from app.usecases.databases import facade as databases

    if choice.before_run is None or choice.after_run is None:
        run_id = choice.before_run if choice.before_run is not None else choice.after_run
        if run_id is None:
            return Found()
        only = databases.side(project, run_id, databases.find_database(known[run_id], choice.database))
        return Found(before=only) if choice.before_run is not None else Found(after=only)
    first, second = databases.choose(
        project, choice.before_run, choice.after_run, choice.database, choice.after_database
    )
    try:
        compared = databases.compare_pair(project, choice.before_run, choice.after_run, first, second)
    except UserError as error:
        before, after = (
            databases.side(project, run_id, each)
            for run_id, each in ((choice.before_run, first), (choice.after_run, second))
        )
        return Found(before, after, None, error)
    return Found(compared.before, compared.after, compared)
