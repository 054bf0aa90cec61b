"""The sheet that asks what a set of captures is: which run, before or after, and what the files cannot say and the user
may: zone, start, date, interval, order of day and month."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QStandardPaths, Qt, Signal
from PySide6.QtWidgets import QComboBox, QFrame, QGridLayout, QLineEdit, QProgressBar, QRadioButton, QWidget

from tunebench.columns.formats import format_time
from tunebench.core.patterns import lazy_pattern
from tunebench.domain.engagement import Phase, is_unnamed
from tunebench.ui.jobs_bridge import Ticket
from tunebench.ui.look.language import has_text, language, text, translated
from tunebench.ui.look.theme import SPACE_L, SPACE_M
from tunebench.ui.widgets.layouts import NamedFields
from tunebench.ui.widgets.parts import ElidedLabel, button, column, label, row, set_tone
from tunebench.ui.widgets.zone_box import ZoneBox
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases.importing.phases import said_phase

if TYPE_CHECKING:
    from tunebench.usecases.importing.first_glance import Glance
    from tunebench.usecases.importing.results import ImportOptions


_TIME_FORMATS = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S")
DAY_ORDERS = (None, True, False)
T = TypeVar("T")
MEANINGLESS = frozenset({
    "download", "downloads", "desktop", "documents", "my documents", "tmp", "temp", "attachments", "new folder",
    "다운로드", "바탕 화면", "바탕화면", "문서", "내 문서", "임시", "첨부", "첨부파일", "새 폴더", "받은 파일",
    "카카오톡 받은 파일", "kakaotalk downloads", "telegram desktop",
})  # fmt: skip
HOMES = frozenset({"home", "users"})
ARCHIVE_SUFFIX = lazy_pattern(r"(?:\.tar)?\.(?:gz|bz2|xz|zst)$|\.(?:zip|tar|tgz|tbz2?|txz|tzst)$", re.IGNORECASE)


class WrongField(ValueError):
    """A field that cannot be read; `key` names the sentence that says how to write it."""

    def __init__(self, key: str, field: QWidget) -> None:
        super().__init__(key)
        self.key, self.field = key, field


def day_order_box() -> QComboBox:
    """Whether the day comes before the month, in the order of `DAY_ORDERS`."""
    box = QComboBox()
    box.addItems([""] * len(DAY_ORDERS))
    orders = ("unsaid", "day_first", "month_first")
    return translated(box, itemText=[f"ui.given.day_order.{order}" for order in orders])


class GivenFields(QWidget):
    """Empty means not said."""

    def __init__(self) -> None:
        super().__init__()
        self.zone = ZoneBox(may_be_empty=True)
        self.start, self.date, self.interval = QLineEdit(), QLineEdit(), QLineEdit()
        self.day_order = day_order_box()
        fields: dict[str, QWidget] = {
            "zone": self.zone,
            "start": self.start,
            "date": self.date,
            "interval": self.interval,
            "day_order": self.day_order,
        }
        grid = NamedFields("ui.given", fields, {name: (2 * (at // 3), at % 3, 1) for at, name in enumerate(fields)})
        grid.stretch(1, 1, 1)
        self.setLayout(grid)
        for name, field in fields.items():
            translated(field, toolTip=f"ui.given.{name}.tip")
        for edit, example in ((self.start, "2007-07-19 09:00:00"), (self.date, "2007-07-19"), (self.interval, "15")):
            edit.setPlaceholderText(example)

    def clear_fields(self) -> None:
        self.zone.set_zone("")
        for field in (self.start, self.date, self.interval):
            field.clear()
            set_tone(field, "", "state")
        self.day_order.setCurrentIndex(0)

    def values(self) -> dict[str, Any]:
        """The options by name, as `ImportOptions` takes them.

        Raises:
            WrongField: something cannot be read; the field is marked.
        """
        try:
            return {
                "zone": self.zone.zone(),
                "start": read_field(self.start, read_time, "ui.given.start.wrong"),
                "date": read_field(self.date, date.fromisoformat, "ui.given.date.wrong"),
                "interval_s": read_field(self.interval, read_interval, "ui.given.interval.wrong"),
                "day_first": DAY_ORDERS[self.day_order.currentIndex()],
            }
        except WrongField as wrong:
            wrong.field.setFocus()
            raise


def read_field(field: QLineEdit, convert: Callable[[str], T], wrong_key: str) -> T | None:
    """What is typed into it, None where nothing is, or may be.

    Raises:
        WrongField: it cannot be read, and is marked.
    """
    words = field.text().strip()
    set_tone(field, "", "state")
    if not words or not field.isEnabled():
        return None
    try:
        return convert(words)
    except ValueError:
        set_tone(field, "wrong", "state")
        raise WrongField(wrong_key, field) from None


def read_time(words: str, formats: Sequence[str] = _TIME_FORMATS) -> datetime:
    for pattern in formats:
        try:
            return datetime.strptime(words, pattern)
        except ValueError:
            continue
    raise ValueError(words)


def read_interval(words: str) -> float:
    seconds = float(words)
    if not 0 < seconds <= 86_400:
        raise ValueError(words)
    return seconds


def guess_phase(paths: Sequence[Path]) -> Phase:
    """Before or after, where the last two names of every path say so (``.../before/vmstat.txt``)."""
    guesses = {said_phase(path.parts[-2:])[0] for path in paths}
    return guesses.pop() if len(guesses) == 1 else Phase.OTHER


class ImportForm(QFrame):
    """Signals: `submitted` with (paths, ImportOptions); `closed` when the user gives up; `more_asked` for files."""

    submitted = Signal(object, object)
    closed = Signal()
    files_asked = Signal()
    folder_asked = Signal()

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._workspace = workspace
        self._paths: list[Path] = []
        self._ticket: Ticket | None = None
        self._make_fields()
        self._lay_out()
        language().follow(self.retranslate)

    def _make_fields(self) -> None:
        self._title = translated(label(role="section"), "ui.import.title")
        self._files = ElidedLabel()
        self._add_files = translated(button(kind="quiet", on_click=self.files_asked.emit), "ui.import.add_files")
        self._add_folder = translated(button(kind="quiet", on_click=self.folder_asked.emit), "ui.import.add_folder")
        self._run_name = translated(label(role="small"), "ui.import.run")
        self.run, self._run_edit = editable_box()
        translated(self.run, accessibleName="ui.import.run")
        translated(self._run_edit, placeholderText="ui.import.run.hint")
        self._run_name.setBuddy(self.run)
        self.run.currentTextChanged.connect(self._take_phase_of_run)
        self._phase_name = translated(label(role="small"), "ui.import.phase")
        self.phase_buttons = {phase: translated(QRadioButton(), f"ui.phase.{phase}") for phase in Phase}
        self.by_folder = translated(QRadioButton(), "ui.import.by_folder", toolTip="ui.import.by_folder.tip")
        self._host_name = translated(label(role="small"), "ui.import.host")
        self.host, self._host_edit = editable_box()
        translated(self.host, accessibleName="ui.import.host")
        translated(self._host_edit, placeholderText="ui.import.host.hint")
        self.given = GivenFields()
        self._more = button(kind="link", on_click=self._toggle_more)
        self._start = translated(button(kind="primary", on_click=self.submit), "ui.import.start")
        self._cancel = translated(button(on_click=self._give_up), "ui.action.cancel")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._doing = ElidedLabel(role="small")

    def _lay_out(self) -> None:
        self._fields = QWidget()
        grid = QGridLayout(self._fields)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(SPACE_L)
        grid.setVerticalSpacing(4)
        grid.addWidget(self._run_name, 0, 0)
        grid.addWidget(self.run, 1, 0)
        grid.addWidget(self._phase_name, 0, 1)
        grid.addLayout(row(*self.phase_buttons.values(), self.by_folder, 1, spacing=SPACE_M), 1, 1)
        grid.addWidget(self._host_name, 0, 2)
        grid.addWidget(self.host, 1, 2)
        for at, share in enumerate((3, 0, 3)):
            grid.setColumnStretch(at, share)
        files = row((self._files, 1), self._add_files, self._add_folder)
        foot = row((self._doing, 1), self._cancel, self._start)
        parts = (self._title, files, self._fields, self._more, self.given, self._bar, foot)
        body = column(*parts, spacing=SPACE_M, margins=(SPACE_L, SPACE_M, SPACE_L, SPACE_M))
        body.setAlignment(self._more, Qt.AlignmentFlag.AlignLeft)
        self.setLayout(body)
        self.given.hide()
        self._bar.hide()

    def retranslate(self) -> None:
        self._name_more()
        self._show_paths()

    # --- filling
    def offer(self, paths: Sequence[Path]) -> None:
        """Begin with `paths`, or add them to those already chosen."""
        fresh = not self._paths
        self._paths = list(dict.fromkeys([*self._paths, *paths]))
        if fresh:
            self._prefill()
        self._show_paths()
        self.show()
        self._start.setFocus()

    @property
    def paths(self) -> list[Path]:
        return list(self._paths)

    def _prefill(self) -> None:
        overview = self._workspace.overview
        runs = [view.run for view in overview.runs] if overview else []
        self.run.clear()
        self.run.addItems([run.label for run in runs])
        phase = guess_phase(self._paths)
        same = [run.label for run in runs if run.phase is phase]
        self.run.setCurrentText(same[0] if same and phase is not Phase.OTHER else folder_name(self._paths))
        if not self.run.currentText():
            self._propose_run()
        may_tell = phase is Phase.OTHER and any(path.is_dir() or archive_name([path]) for path in self._paths)
        (self.by_folder if may_tell else self.phase_buttons[phase]).setChecked(True)
        self.host.clear()
        self.host.addItems([host.name for host in overview.hosts if not is_unnamed(host.name)] if overview else [])
        self.host.setCurrentIndex(-1)
        self._host_edit.clear()
        self.given.clear_fields()

    def _propose_run(self) -> None:
        """The folder says nothing: host and day of the captures, or the archive's name."""
        from tunebench.usecases.importing import first_glance

        paths, zone = self.paths, self._workspace.zone
        self.run.setCurrentText(archive_name(paths))
        self._workspace.jobs.run(
            "cpu",
            lambda handle: first_glance.glance(paths, zone, handle),
            owner=self,
            slot="glance",
            on_result=self._take_glance,
        )

    def _take_glance(self, glance: Glance) -> None:
        day = format_time(glance.first_ns, self._workspace.zone)[:10] if glance.first_ns is not None else ""
        words = " ".join(part for part in (glance.host, day) if part)
        if words and self.run.currentText() == archive_name(self._paths):  # nothing was written meanwhile
            self.run.setCurrentText(words)

    def _take_phase_of_run(self, label: str) -> None:
        overview = self._workspace.overview
        for view in overview.runs if overview else ():
            if view.run.label == label:
                self.phase_buttons[view.run.phase].setChecked(True)

    def _show_paths(self) -> None:
        names = ", ".join(path.name or str(path) for path in self._paths)
        self._files.set_words(text("ui.import.chosen", count=len(self._paths), names=names) if names else "")
        self._start.setEnabled(bool(self._paths) and not self.busy)

    def _toggle_more(self) -> None:
        self.given.setVisible(not self.given.isVisible())
        self._name_more()

    def _name_more(self) -> None:
        self._more.setText(text("ui.import.less" if self.given.isVisible() else "ui.import.more"))

    @property
    def phase(self) -> Phase:
        return next((p for p, radio in self.phase_buttons.items() if radio.isChecked()), Phase.OTHER)

    def options(self) -> ImportOptions:
        """Raises WrongField where a date, time or number cannot be read."""
        from tunebench.usecases.importing.results import ImportOptions

        return ImportOptions(
            run=self.run.currentText().strip(),
            phase=None if self.by_folder.isChecked() else self.phase,
            host=self.host.currentText().strip(),
            **self.given.values(),
        )

    def submit(self) -> None:
        try:
            options = self.options()
        except WrongField as wrong:
            self.given.show()
            self._name_more()
            self._workspace.say(text(wrong.key), "error", Change.CAPTURES)
            return
        self.submitted.emit(self.paths, options)

    # --- while it runs
    @property
    def busy(self) -> bool:
        return self._ticket is not None

    def _enable(self, enabled: bool) -> None:
        for widget in (self._fields, self._more, self.given, self._start, self._add_files, self._add_folder):
            widget.setEnabled(enabled)

    def show_running(self, ticket: Ticket) -> None:
        self._ticket = ticket
        self._enable(False)
        self._bar.setRange(0, 0)
        self._bar.show()
        self._cancel.setFocus()

    def show_progress(self, ticket: Ticket) -> None:
        if ticket.fraction is not None:
            self._bar.setRange(0, 1000)
            self._bar.setValue(round(ticket.fraction * 1000))
        key = ticket.progress_key
        self._doing.set_words(text(key, **ticket.progress_facts) if has_text(key) else "")

    def show_stopped(self) -> None:
        """Shows that the import has stopped; what was entered stays for another try."""
        self._ticket = None
        self._enable(True)
        self._cancel.setEnabled(True)
        self._bar.hide()
        self._doing.set_words("")

    def finish(self) -> None:
        self.show_stopped()
        self._paths = []
        self.given.hide()
        self._name_more()
        self.hide()

    def _give_up(self) -> None:
        if self._ticket is not None:
            self._ticket.cancel()
            self._cancel.setEnabled(False)
            self._doing.set_words(text("ui.import.cancelling"))
            return
        self.finish()
        self.closed.emit()


def editable_box() -> tuple[QComboBox, QLineEdit]:
    """A box whose list only proposes, and what is typed into it."""
    box = QComboBox()
    box.setEditable(True)
    box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
    edit = box.lineEdit()
    assert edit is not None
    return box, edit


def folder_name(paths: Sequence[Path]) -> str:
    """The folder's own name, or that of the folder all files are in; empty where that says nothing of them."""
    folders = {paths[0]} if len(paths) == 1 and paths[0].is_dir() else {path.parent for path in paths}
    if len(folders) != 1:
        return ""
    folder = folders.pop()
    return "" if _says_nothing(folder) else folder.name


def _says_nothing(folder: Path) -> bool:
    """Whether the folder's name says nothing of what lies there: downloads, the desktop, a home directory, a drive."""
    named = folder.name.casefold() in MEANINGLESS or folder == folder.parent
    homes = folder.parent.name.casefold() in HOMES and folder.parent.parent == Path(folder.anchor)
    return named or homes or str(folder) in _places_of_the_system()


def _places_of_the_system() -> set[str]:
    """The system's usual folders, wherever its user put them."""
    kinds = QStandardPaths.StandardLocation
    wanted = (
        kinds.DownloadLocation,
        kinds.DesktopLocation,
        kinds.DocumentsLocation,
        kinds.TempLocation,
        kinds.HomeLocation,
    )
    return {str(Path(folder)) for kind in wanted for folder in QStandardPaths.standardLocations(kind)}


def archive_name(paths: Sequence[Path]) -> str:
    """``sosreport-db01`` of ``sosreport-db01.tar.xz``; empty where it is not one archive."""
    suffix = ARCHIVE_SUFFIX.search(paths[0].name) if len(paths) == 1 else None
    return paths[0].name[: suffix.start()] if suffix else ""
