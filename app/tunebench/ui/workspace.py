"""What pages and docks share: the open project, the selection, jobs, commands, and ways to be heard."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar
from zoneinfo import ZoneInfo

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QUndoStack
from PySide6.QtWidgets import QWidget

from tunebench.analysis.exploring.time_range import TimeRange
from tunebench.core.errors import UserError
from tunebench.core.paths import documents_folder
from tunebench.ui.commands import Commands
from tunebench.ui.jobs_bridge import JobsBridge
from tunebench.ui.look.language import error_text
from tunebench.ui.selection import Selection

if TYPE_CHECKING:
    from tunebench.domain.engagement import Run
    from tunebench.ui.inspected import Inspected
    from tunebench.usecases.projects import Overview, Project, RunView


class Change(StrEnum):
    """What has changed in the open project."""

    OPENED = "opened"
    CLOSED = "closed"
    CAPTURES = "captures"
    RUNS = "runs"
    ENGAGEMENT = "engagement"
    MEASUREMENTS = "measurements"
    NARRATIVE = "narrative"
    NOTES = "notes"
    REPORTS = "reports"
    STATEMENTS = "statements"
    CYCLE = "cycle"
    EXPERIMENTS = "experiments"


T = TypeVar("T")
NO_TYPING = -1
Act = tuple[str, Callable[[], object]]
"""Key of a button's words, and what the button does."""
_LAST_EDIT = "last edit"
_CHANGED_MEANWHILE = {"experiment_changed_meanwhile": Change.EXPERIMENTS, "cycle_changed_meanwhile": Change.CYCLE}


class Workspace(QObject):
    """One per window.

    Signals:
        project_changed: carries a `Change`.
        said: (tone, sentence, cause, act), see `say`.
        settled: what was said of this cause is no longer so.
        inspected: an `Inspected`, or None.
        page_asked: (page id, argument or None).
        import_asked: a list of paths to import (may be empty: ask for them).
        typing_changed: something is typed and not stored yet (`unsaved`), or nothing is any more.
        pin_offered: an `Offer` to pin, or None.
        store_asked: what was typed is to be stored now.
    """

    project_changed = Signal(object)
    said = Signal(str, str, object, object)
    settled = Signal(object)
    inspected = Signal(object)
    page_asked = Signal(str, object)
    import_asked = Signal(object)
    typing_changed = Signal()
    pin_offered = Signal(object)
    store_asked = Signal()

    def __init__(self, jobs: JobsBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.jobs = jobs
        self.selection = Selection(self)
        self.commands = Commands(self)
        self.undo = QUndoStack(self)
        self.undo.indexChanged.connect(lambda _index: self.settled.emit(_LAST_EDIT))
        self.stage: QWidget | None = None  # where pages are shown: one made elsewhere is styled again when put there
        self.project: Project | None = None
        self.project_path: Path | None = None
        self.overview: Overview | None = None
        self.looked_at: Inspected | None = None
        self.typing_number = NO_TYPING
        self.archive_address: Callable[[], str] = str  # the folder or address of the firm's archive; empty for none
        self._typed_in: set[Hashable] = set()
        jobs.failed.connect(self.say_error)

    @property
    def unsaved(self) -> bool:
        """Whether anything was typed that the project does not hold yet."""
        return bool(self._typed_in)

    @property
    def is_typing(self) -> bool:
        """Whether typing goes on: nothing is asked then, nothing called wrong."""
        return self.typing_number != NO_TYPING

    @contextmanager
    def typing(self, number: int) -> Iterator[None]:
        """Within it `is_typing`; edits under the same number are taken back as one."""
        before, self.typing_number = self.typing_number, number
        try:
            yield
        finally:
            self.typing_number = before

    def store_typed(self) -> None:
        """What was typed a moment ago is stored now, where it can be: the page or the project is about to be left."""
        self.store_asked.emit()

    def note_typing(self, form: Hashable, *, unsaved: bool) -> None:
        """Whether `form` holds what was typed and is not in the project."""
        before = self.unsaved
        (self._typed_in.add if unsaved else self._typed_in.discard)(form)
        if self.unsaved != before:
            self.typing_changed.emit()

    @property
    def opened(self) -> Project:
        """The open project, for whoever is only reached while there is one.

        Raises:
            LookupError: no project is open.
        """
        if self.project is None:
            raise LookupError("no project is open")
        return self.project

    @property
    def writable(self) -> bool:
        return self.overview is not None and not self.overview.read_only

    @property
    def folder(self) -> Path:
        """Where files of the engagement go unless another folder is chosen: the project's own."""
        return self.project_path.parent if self.project_path is not None else documents_folder()

    @property
    def run_views(self) -> tuple[RunView, ...]:
        """The runs with their captures; none where no project is open."""
        return self.overview.runs if self.overview is not None else ()

    @property
    def runs(self) -> list[Run]:
        return [view.run for view in self.run_views]

    @property
    def zone(self) -> ZoneInfo:
        """The engagement's time zone: rules axes, cursor, tables and reports."""
        name = self.overview.engagement.zone if self.overview else ""
        return ZoneInfo(name or "Asia/Seoul")

    def say(self, sentence: str, tone: str = "info", cause: Hashable = None, act: Act | None = None) -> None:
        """
        Args:
            tone: ``info``, ``warning`` or ``error``.
            cause: what it speaks of: the sentence goes when that is `settled`, as a `Change` is when it is announced.
            act: what can be done about it.
        """
        if not self.is_typing:
            self.said.emit(tone, sentence, cause, act)

    def say_done(self, sentence: str) -> None:
        """Says what was done and can be taken back, with a button for it until something else is done."""
        self.say(sentence, cause=_LAST_EDIT, act=("ui.command.edit.undo", self.undo.undo))

    def say_error(self, error: UserError, cause: Hashable = None, act: Act | None = None) -> None:
        """What another process changed meanwhile is read again, so that the next try is one at what is there."""
        if error.key in _CHANGED_MEANWHILE:
            self.announce(_CHANGED_MEANWHILE[error.key])
        self.say(error_text(error), "error", cause, act)

    def tell_damage(self) -> bool:
        """Whether the project is damaged, which is then said."""
        from tunebench.usecases import projects

        damaged = projects.damage_behind(self.project.path) if self.project is not None else None
        if damaged is not None:
            self.say_error(damaged)
        return damaged is not None

    def answer_of(self, ask: Callable[[], T], cause: Hashable = None) -> T | None:
        """What a quick use case gives; None where it was refused, which is said until `cause` is settled."""
        try:
            return ask()
        except UserError as error:
            self.say_error(error, cause)
            return None

    def attempt(self, act: Callable[[], object], cause: Hashable = None) -> bool:
        """Runs a quick use case as `answer_of` does. Whether it succeeded."""
        return self.answer_of(lambda: (act(),), cause) is not None

    def inspect(self, thing: Inspected | None) -> None:
        """Shows it in the inspector; `looked_at` is what was shown last."""
        self.looked_at = thing
        self.inspected.emit(thing)

    def show_page(self, page_id: str, argument: object = None) -> None:
        self.page_asked.emit(page_id, argument)

    def ask_import(self) -> None:
        self.import_asked.emit([])

    def announce(self, change: Change) -> None:
        """Reads the overview again and publishes the change, after a use case has changed the project."""
        beside = change in (Change.CYCLE, Change.EXPERIMENTS)  # the overview holds nothing of these
        if self.project is not None and not beside:
            from tunebench.usecases import projects

            self.overview = projects.overview(self.project)
            self._measure_extent()
        if change in (Change.OPENED, Change.CLOSED):
            self.looked_at = None
        self.jobs.overtake()
        self.settled.emit(change)
        self.project_changed.emit(change)

    def _measure_extent(self) -> None:
        """Sets the extent over the dated runs; those dated by their files alone count where there are no others."""
        deciding = [run for run in self.runs if not run.dated_by_file and run.first_ns is not None] or self.runs
        firsts = [r.first_ns for r in deciding if r.first_ns is not None]
        lasts = [r.last_ns for r in deciding if r.last_ns is not None]
        dated = bool(firsts and lasts and min(firsts) < max(lasts))
        ledgers = [capture.ledger for view in self.run_views for capture in view.artefacts]
        beyond = [
            TimeRange(ledger.first_ns, max(ledger.last_ns, ledger.first_ns + 1))
            for ledger in ledgers
            if ledger.dated_by_file and ledger.first_ns is not None and ledger.last_ns is not None
        ]
        self.selection.set_extent(TimeRange(min(firsts), max(lasts)) if dated else None, beyond)


class PerWorkspace(QObject):
    """What there is one of per workspace: `of` finds it, or makes it."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._workspace = workspace

    @classmethod
    def of(cls, workspace: Workspace) -> Self:
        own = workspace.findChild(cls, options=Qt.FindChildOption.FindDirectChildrenOnly)
        return own if own is not None else cls(workspace)

    @property
    def writable(self) -> bool:
        return self._workspace.writable

    @property
    def is_typing(self) -> bool:
        return self._workspace.is_typing
