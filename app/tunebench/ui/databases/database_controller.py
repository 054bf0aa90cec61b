"""Which database is looked at, in which windows or runs, and what the comparison says: read once for all pages."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal

from tunebench.core.errors import UserError
from tunebench.domain.engagement import Run
from tunebench.domain.windows import Window, run_window
from tunebench.ui.comparing.window_book import SIDES, WindowBook
from tunebench.ui.workspace import Change, PerWorkspace, Workspace
from tunebench.usecases.databases.choosing import (
    Answer,
    Choice,
    ChosenSides,
    Known,
    answered,
    has_database,
    proposed_choice,
)
from tunebench.usecases.databases.comparison import DatabaseComparison
from tunebench.usecases.databases.sides import Side
from tunebench.usecases.databases.snapshots import Database

_READ_ANEW = (Change.OPENED, Change.CLOSED, Change.CAPTURES, Change.RUNS, Change.STATEMENTS, Change.ENGAGEMENT)


class DatabaseController(PerWorkspace):
    """One per workspace: `DatabaseController.of(workspace)`.

    Signals:
        changed: another choice, other figures, or they are being read (`busy`).
    """

    changed = Signal()

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._stale = True
        self._answer = Answer()
        self.busy = False
        self.book = WindowBook.of(workspace)
        workspace.project_changed.connect(self._on_project)
        self.book.changed.connect(self._on_windows)

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
        return self._answer.sides.before

    @property
    def after(self) -> Side | None:
        return self._answer.sides.after

    def side(self, which: str) -> Side | None:
        return self.before if which == "before" else self.after

    @property
    def sides(self) -> dict[str, Side]:
        """``before`` and ``after``, as far as they are looked at."""
        return {which: side for which in SIDES if (side := self.side(which)) is not None}

    @property
    def comparison(self) -> DatabaseComparison | None:
        return self._answer.sides.comparison

    @property
    def refusal(self) -> UserError | None:
        return self._answer.sides.refusal

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
        if all(side is None or has_database(self.known, side, database) for side in (kept.before, kept.after)):
            self.choose(replace(kept, database=database, after_database=""))
        else:
            self.choose(proposed_choice(self.known, self._workspace.runs, Choice(database)))

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
        self._answer = replace(self._answer, choice=choice, sides=ChosenSides())
        self.changed.emit()
        self._workspace.jobs.run(
            "cpu",
            lambda _handle: answered(project, runs, windows, choice, preferred),
            owner=self,
            slot="compare",
            on_result=self._take,
            on_error=lambda error: self._take(replace(self._answer, sides=ChosenSides(refusal=error))),
            on_cancelled=self._forget,
            title_key="ui.databases.job",
        )

    def _take(self, answer: Answer) -> None:
        self.busy = False
        self._answer = answer
        self.changed.emit()

    def _forget(self) -> None:
        self._stale = True
        self._take(replace(self._answer, sides=ChosenSides()))

    def _on_project(self, change: Change) -> None:
        if change not in _READ_ANEW:
            return
        self._stale = True
        if change in (Change.OPENED, Change.CLOSED):
            self.busy = False
            self._answer = Answer()
            self.changed.emit()

    def _on_windows(self) -> None:
        """Windows were edited, or that was undone: what is shown of one follows it, of one that is gone it does not."""
        self._stale = True
        sides = self.choice.before, self.choice.after
        now = [self.book.now(side) for side in sides]
        gone = any(was is not None and now_is is None for was, now_is in zip(sides, now, strict=True))
        choice = Choice() if gone else replace(self.choice, before=now[0], after=now[1])
        self._answer = replace(self._answer, choice=choice)
