"""What holds for the chosen captures, typed once for all of them; correcting them is one act that can be undone, and
they are read again in the background."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import date
from typing import TypeVar

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QUndoCommand
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QWidget

from tunebench.core.errors import UserError
from tunebench.core.progress import Progress
from tunebench.domain.capturing.times import CaptureTimes, Correction
from tunebench.domain.engagement import Phase, Run
from tunebench.ui.importing.import_form import (
    DAY_ORDERS,
    WrongField,
    day_order_box,
    editable_box,
    read_field,
    read_interval,
    read_time,
)
from tunebench.ui.look.language import text, translated
from tunebench.ui.look.theme import SPACE_XS
from tunebench.ui.widgets.layouts import NamedFields
from tunebench.ui.widgets.parts import column, set_tone
from tunebench.ui.widgets.zone_box import ZoneBox, zone_names
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases.importing import resolution
from tunebench.usecases.projects import Project

T = TypeVar("T")
Act = Callable[[Project, int, Progress], None]

NAMES = ("zone", "first_day", "order", "start", "interval")
_SUBJECT = {"zone": "zone", "first_day": "date", "order": "date_order", "start": "start", "interval": "interval_s"}


class CorrectCaptures(QUndoCommand):
    """Makes corrections, takes them back, and makes them again. `say` makes them and gives their numbers."""

    def __init__(self, workspace: Workspace, say: Callable[[Project, Progress], list[int]], done: str) -> None:
        super().__init__(text("ui.undo.resolve_times"))
        self._workspace, self._say, self._done = workspace, say, done
        self._numbers: list[int] | None = None

    def redo(self) -> None:
        if self._numbers is None:
            project = self._workspace.opened
            _run(self._workspace, lambda handle: self._say(project, handle), self._remember)
        else:
            self._again(resolution.renew, self._numbers)

    def _remember(self, numbers: list[int]) -> None:
        self._numbers = numbers
        if numbers:
            self._workspace.say_done(self._done)
        else:
            self._workspace.say(text("ui.resolution.no_change"))

    def undo(self) -> None:
        self._again(resolution.take_back, reversed(self._numbers or ()))

    def _again(self, act: Act, numbers: Iterable[int]) -> None:
        project, every = self._workspace.opened, list(numbers)
        if every:
            _run(self._workspace, lambda handle: _one_by_one(act, project, every, handle))


def _one_by_one(act: Act, project: Project, numbers: list[int], handle: Progress) -> None:
    for number in numbers:
        act(project, number, handle)


class TakeBack(QUndoCommand):
    """Takes an earlier correction back, or makes it again; undoing is the other of the two."""

    def __init__(self, workspace: Workspace, number: int, back: bool) -> None:
        super().__init__(text("ui.undo.resolve_times"))
        self._workspace, self._number, self._back = workspace, number, back

    def redo(self) -> None:
        self._act(self._back)

    def undo(self) -> None:
        self._act(not self._back)

    def _act(self, back: bool) -> None:
        project, number = self._workspace.opened, self._number
        act = resolution.take_back if back else resolution.renew
        _run(self._workspace, lambda handle: act(project, number, handle))


def _run(workspace: Workspace, work: Callable[[Progress], T], then: Callable[[T], None] | None = None) -> None:
    def done(result: T) -> None:
        workspace.announce(Change.CAPTURES)
        if then is not None:
            then(result)

    def stopped(*_: object) -> None:
        workspace.announce(Change.CAPTURES)

    def refused(error: UserError) -> None:
        workspace.announce(Change.CAPTURES)
        workspace.say_error(error, Change.CAPTURES)

    workspace.jobs.run(
        "db",
        work,
        owner=workspace,
        slot="resolve",
        on_result=done,
        on_error=refused,
        on_cancelled=stopped,
        title_key="ui.job.resolve",
    )


class PlaceFields(QWidget):
    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.host, host = editable_box()
        self.run, run = editable_box()
        self.phase = QComboBox()
        self.phase.addItems([""] * len(Phase))
        translated(self.phase, itemText=[f"ui.phase.{phase}" for phase in Phase])
        self._runs: dict[str, Phase] = {}
        grid = NamedFields("ui.review", {"host": self.host, "run": self.run, "phase": self.phase})
        grid.stretch(3, 3, 1)
        self.setLayout(grid)
        for edit in (host, run):
            translated(edit, placeholderText="ui.resolution.zone.keep")
        self.host.currentTextChanged.connect(lambda _words: self.changed.emit())
        self.run.currentTextChanged.connect(self._on_run)
        self.phase.activated.connect(lambda _place: self.changed.emit())
        self.offer((), ())

    def offer(self, hosts: Sequence[str], runs: Sequence[Run]) -> None:
        """What may be chosen; anything else may be typed. What was said is forgotten."""
        self._runs = {run.label: run.phase for run in runs}
        with QSignalBlocker(self.host), QSignalBlocker(self.run):
            for box, words in ((self.host, hosts), (self.run, list(self._runs))):
                box.clear()
                box.addItems(words)
                box.setCurrentIndex(-1)
                box.clearEditText()
        self._on_run("")

    def _on_run(self, label: str) -> None:
        """A known run has its phase; that of a new one is chosen."""
        phase = self._runs.get(label.strip())
        self.phase.setEnabled(bool(label.strip()) and phase is None)
        if phase is not None:
            self.phase.setCurrentIndex(list(Phase).index(phase))
        self.changed.emit()

    def added_to(self, correction: Correction) -> Correction:
        run = self.run.currentText().strip()
        phase = list(Phase)[self.phase.currentIndex()] if run else Phase.OTHER
        return replace(correction, host=self.host.currentText().strip(), run=run, phase=phase)


class CorrectionForm(QWidget):
    """`changed` with every stroke; fields that none of the captures leaves open are not enabled.

    Attributes:
        shift_ns: what aligning by an event came to, until something else is typed.
        wrong: the key of what is wrong with the field that `correction` could not read; empty where nothing is.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.zone = ZoneBox(may_be_empty=True)
        self.first_day = translated(QLineEdit(), toolTip="ui.resolution.first_day.tip")
        self.start = translated(QLineEdit(), toolTip="ui.resolution.start.tip")
        self.interval = translated(QLineEdit(), toolTip="ui.given.interval.tip")
        self.order = day_order_box()
        fields = (self.zone, self.first_day, self.order, self.start, self.interval)
        self._fields: dict[str, QWidget] = dict(zip(NAMES, fields, strict=True))
        self.shift_ns = 0
        self.wrong = ""
        self.first_measured = translated(
            QCheckBox(), "ui.resolution.first_measured", toolTip="ui.resolution.first_measured.tip"
        )
        self.first_measured.toggled.connect(lambda _on: self.changed.emit())
        grid = NamedFields("ui.resolution", self._fields)
        grid.stretch(3, 2, 2, 3, 2)
        self.setLayout(column(grid, self.first_measured, spacing=SPACE_XS))
        for field, example in (
            (self.first_day, "2026-11-21"),
            (self.start, "2026-11-21 09:00:00"),
            (self.interval, "15"),
        ):
            field.setPlaceholderText(example)
            field.textEdited.connect(self._on_typed)
        self.zone.currentTextChanged.connect(self._on_typed)
        self.order.activated.connect(self._on_typed)
        edit = self.zone.lineEdit()
        if edit is not None:
            translated(edit, placeholderText="ui.resolution.zone.keep")

    def _on_typed(self) -> None:
        self.shift_ns = 0
        self.changed.emit()

    def offer(self, captures: Sequence[CaptureTimes]) -> None:
        """Enables the fields of what one of these captures leaves open."""
        open_ = {subject for capture in captures for subject in capture.open_subjects}
        only_starts = captures and all("start" in capture.open_subjects for capture in captures)
        for name in NAMES:
            self._fields[name].setEnabled(_SUBJECT[name] in open_ and not (name == "first_day" and only_starts))
        self.first_measured.setEnabled(bool(captures))

    def clear_fields(self) -> None:
        with QSignalBlocker(self):
            self.zone.set_zone("")
            for field in (self.first_day, self.start, self.interval):
                field.clear()
            self.order.setCurrentIndex(0)
            self.first_measured.setChecked(False)
            self.shift_ns = 0
        self.changed.emit()

    def take(self, correction: Correction) -> None:
        """What aligning by an event came to; what was typed stays beside it."""
        if correction.zone:
            self.zone.set_zone(correction.zone)
        self.shift_ns = correction.shift_ns
        self.changed.emit()

    def correction(self) -> Correction | None:
        """The correction; None while a field cannot be read, which is marked."""
        self.wrong = ""
        try:
            return Correction(
                zone=self._zone(),
                first_day=read_field(self.first_day, date.fromisoformat, "ui.given.date.wrong"),
                day_first=DAY_ORDERS[self.order.currentIndex()],
                start=read_field(self.start, read_time, "ui.given.start.wrong"),
                interval_s=read_field(self.interval, read_interval, "ui.given.interval.wrong"),
                shift_ns=self.shift_ns,
                first_measured=self.first_measured.isChecked(),
            )
        except WrongField as wrong:
            self.wrong = wrong.key
            return None

    def _zone(self) -> str:
        """The name of the zone; raises WrongField for half a name, which is no zone yet."""
        words = self.zone.zone()
        valid = not words or words in zone_names() or words.startswith("Etc/")
        set_tone(self.zone, "" if valid else "wrong", "state")
        if not valid:
            raise WrongField("ui.resolution.zone.wrong", self.zone)
        return words
