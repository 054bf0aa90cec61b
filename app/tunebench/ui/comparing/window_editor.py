"""A window in full: its name, what it is for, when it was, and what of it does not count. Times are lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from zoneinfo import ZoneInfo, available_timezones

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFormLayout,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from tunebench.core.errors import UserError
from tunebench.core.patterns import lazy_pattern
from tunebench.domain.assembly import Span
from tunebench.domain.capturing.times import NS_PER_S
from tunebench.domain.cycle.records import DailyWindow
from tunebench.domain.windows import Exclusion, Occurrence, Window, WindowLoad, WindowRole, stretch_text
from tunebench.ui.charts.side_picker import typed_time
from tunebench.ui.comparing.window_book import WindowBook
from tunebench.ui.look.formats import host_words
from tunebench.ui.look.language import error_text, text
from tunebench.ui.look.theme import SPACE_L, SPACE_S, SPACE_XL, SPACE_XS
from tunebench.ui.widgets.parts import button, column, label, row
from tunebench.ui.widgets.zone_box import ZoneBox, zone_names
from tunebench.ui.workspace import Workspace

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
WIDTH, LINES_PX, DATE_PX, CLOCK_PX, HOSTS_PX, CLOCK_CHARS = 620, 112, 96, 58, 400, 28
_LINE = lazy_pattern(
    r"(\d{4}-\d\d-\d\d \d\d?:\d\d(?::\d\d)?) *[-–~] *((?:\d{4}-\d\d-\d\d )?\d\d?:\d\d(?::\d\d)?)(?:\s+(.*))?"
)


class UnclearLine(ValueError):
    """A line that is no stretch of time."""


def read_stretch(line: str, zone: ZoneInfo) -> tuple[Span, str]:
    """The stretch and the words behind it. Raises UnclearLine."""
    match = _LINE.fullmatch(line.strip())
    start = typed_time(match[1], zone, 0) if match else None
    end = typed_time(match[2], zone, start) if match and start is not None else None
    if match is None or start is None or end is None:
        raise UnclearLine(line)
    return (start, end), (match[3] or "").strip()


class WindowEditor(QDialog):
    """`kept` carries the `Window` as it is in the project.

    Args:
        window: a kept one to be changed, else one to be kept, its name proposed.
        other: what is compared with it: its weekdays and hours can be taken over.
        excluded: a stretch that is not to count; its reason is asked for.
    """

    kept = Signal(object)

    def __init__(
        self,
        workspace: Workspace,
        window: Window,
        other: Window | None = None,
        excluded: Span | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._workspace, self._zone = workspace, window.clock(workspace.zone)
        self._book = WindowBook.of(workspace)
        self._window, self._other = window, other
        self._by_line = {self._line(occurrence.span): occurrence for occurrence in window.occurrences}
        self.setModal(True)
        self.setWindowTitle(text("ui.window.change" if window.id else "ui.window.keep"))
        self.name = QLineEdit(window.name)
        self.role, self.load = (
            _choice(WindowRole, "window.role", window.role),
            _choice(WindowLoad, "window.load", window.load),
        )
        self.clock = self._clock_choice()
        self.hosts = self._host_choice()
        self.occurrences, self.exclusions = QPlainTextEdit(), QPlainTextEdit()
        self.days = [QCheckBox(text(f"ui.weekday.{day}")) for day in WEEKDAYS]
        self.hours = _field(CLOCK_PX, "09:00"), _field(CLOCK_PX, "12:00")
        self.dates = _field(DATE_PX), _field(DATE_PX)
        self.wrong = label(tone="critical", wrap=True)
        self.ok = button(text("ui.window.keep.do"), "primary", self.accept)
        self.ok.setDefault(True)
        self._lay_out()
        self._fill(excluded)

    def _lay_out(self) -> None:
        self.same_hours = button(text("ui.window.days.other"), "quiet", self.take_from_other)
        fill = button(text("ui.window.days.fill"), on_click=self.fill_days)
        form = QFormLayout()
        form.setSpacing(SPACE_S)
        form.addRow(text("ui.window.name"), self.name)
        form.addRow(text("ui.window.role"), row(self.role, self.load, 1))
        if len(self._host_names()) > 1:
            form.addRow(text("ui.window.hosts"), row(self.hosts, 1))
        form.addRow(text("ui.window.clock"), row(self.clock, 1))
        form.addRow(text("ui.window.days"), row(*self.days, 1))
        (start, end), (first, last) = self.hours, self.dates
        dashes = label("–", "muted"), label("–", "muted")
        form.addRow("", row(start, dashes[0], end, 1, first, dashes[1], last, 1, fill, spacing=SPACE_XS))
        form.addRow("", row(self.same_hours, 1))
        whole = column(form, margins=(SPACE_XL, SPACE_L), of=self)
        self._captions = {}
        for key, field in (("ui.window.when", self.occurrences), ("ui.window.excluded", self.exclusions)):
            self._captions[key] = label(text(key, zone=self._zone.key), "small", wrap=True)
            whole.addWidget(self._captions[key])
            field.setFixedHeight(LINES_PX if field is self.occurrences else LINES_PX // 2)
            field.setTabChangesFocus(True)
            field.setAccessibleName(text(key, zone=self._zone.key))
            whole.addWidget(field)
        whole.addWidget(self.wrong)
        remove = button(text("ui.window.remove"), "quiet", self._remove)
        whole.addLayout(row(remove, 1, button(text("ui.window.cancel"), on_click=self.reject), self.ok))
        remove.setVisible(bool(self._window.id))
        self.setFixedWidth(WIDTH)

    # --- the clock
    def _clock_choice(self) -> ZoneBox:
        """A list of clocks, those of the hosts first; empty for the engagement's."""
        box, usual = ZoneBox(may_be_empty=True), self._workspace.zone.key
        overview = self._workspace.overview
        zones = dict.fromkeys(host.zone for host in (overview.hosts if overview else ()) if host.zone)
        box.setMinimumContentsLength(CLOCK_CHARS)
        box.insertItems(1, [zone for zone in zones if zone != usual])
        box.setAccessibleName(text("ui.window.clock"))
        line = box.lineEdit()
        assert line is not None
        line.setPlaceholderText(text("ui.window.clock.usual", zone=usual))
        box.set_zone(self._window.zone)
        box.currentTextChanged.connect(self._change_clock)
        return box

    def _change_clock(self) -> None:
        """Rewrites the stretches on the other clock; their moments stay."""
        named = self.clock.zone()
        if named and named not in zone_names() and named not in available_timezones():
            return  # not typed to its end
        old, self._zone = self._zone, ZoneInfo(named) if named else self._workspace.zone
        self._by_line = {self._line(occurrence.span): occurrence for occurrence in self._by_line.values()}
        for field in (self.occurrences, self.exclusions):
            field.setPlainText("\n".join(self._on_clock(line, old) for line in _lines(field)))
        for key, caption in self._captions.items():
            caption.setText(text(key, zone=self._zone.key))

    def _on_clock(self, line: str, old: ZoneInfo) -> str:
        try:
            span, reason = read_stretch(line, old)
        except UnclearLine:
            return line
        return f"{self._line(span)}  {reason}".rstrip()

    # --- hosts
    def _host_names(self) -> tuple[str, ...]:
        """The hosts of the project, and those of the window that the project has no more."""
        overview = self._workspace.overview
        names = (host.name for host in overview.hosts) if overview else ()
        return tuple(dict.fromkeys((*names, *self._window.hosts)))

    def _host_choice(self) -> QPushButton:
        control = button()
        menu = QMenu(control)
        menu.addAction(text("ui.window.hosts.all"), self._choose_all_hosts)
        menu.addSeparator()
        for name in self._host_names():
            action = menu.addAction(host_words(name), self._say_hosts)
            action.setCheckable(True)
            action.setChecked(name in self._window.hosts)
            action.setData(name)
        control.setMenu(menu)
        self._host_actions = [action for action in menu.actions() if action.isCheckable()]
        self.hosts = control
        self._say_hosts()
        return control

    def _choose_all_hosts(self) -> None:
        for action in self._host_actions:
            action.setChecked(False)
        self._say_hosts()

    def chosen_hosts(self) -> tuple[str, ...]:
        """The chosen hosts; None for all."""
        return tuple(action.data() for action in self._host_actions if action.isChecked())

    def _say_hosts(self) -> None:
        words = ", ".join(map(host_words, self.chosen_hosts()))
        self.hosts.setToolTip(words)
        room = self.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, HOSTS_PX)
        self.hosts.setText(room or text("ui.window.hosts.all"))

    def _fill(self, excluded: Span | None) -> None:
        self.occurrences.setPlainText("\n".join(self._by_line))
        lines = [
            f"{self._line(exclusion.span)}  {' '.join(exclusion.reason.split())}"
            for exclusion in self._window.exclusions
        ]
        self.exclusions.setPlainText("\n".join(lines + ([f"{self._line(excluded)}  "] if excluded else [])))
        self.exclusions.moveCursor(QTextCursor.MoveOperation.End)
        self.same_hours.setEnabled(bool(self._other and self._other.occurrences))
        for fields, key in ((self.hours, "ui.window.hours"), (self.dates, "ui.window.dates")):
            for field in fields:
                field.setAccessibleName(text(key))
                field.setToolTip(text(key))
        self._propose_days(self._window)
        self.wrong.hide()
        (self.exclusions if excluded else self.name).setFocus()

    def _line(self, span: Span) -> str:
        return stretch_text(span, self._zone)

    # --- the same hours on these weekdays
    def take_from_other(self) -> None:
        """The weekdays and hours of the other side, on the days of this one."""
        if self._other is None:
            return
        dates = [field.text() for field in self.dates]
        self.clock.set_zone(self._other.zone)
        self._propose_days(self._concrete(self._other))
        for field, words in zip(self.dates, dates, strict=True):
            field.setText(words)
        self.fill_days()

    def _concrete(self, window: Window) -> Window:
        from tunebench.usecases.comparing import windows

        try:
            return windows.resolved(self._workspace.opened, window)
        except UserError as error:
            self._refuse(error_text(error))
            return window

    def _propose_days(self, window: Window) -> None:
        spans = [
            [self._at(end) for end in occurrence.span] for occurrence in window.occurrences if not occurrence.is_open
        ]
        for weekday, box in enumerate(self.days):
            box.setChecked(any(start.weekday() == weekday for start, _end in spans) or (not spans and weekday < 5))
        if not spans:
            return
        longest = max(spans, key=lambda span: span[1] - span[0])
        for field, moment in zip(self.hours, longest, strict=True):
            field.setText(f"{moment:%H:%M}")
        for field, moment in zip(self.dates, (spans[0][0], spans[-1][0]), strict=True):
            field.setText(f"{moment:%Y-%m-%d}")

    def _at(self, time_ns: int) -> datetime:
        return datetime.fromtimestamp(time_ns // NS_PER_S, self._zone)

    def fill_days(self) -> None:
        """Writes the occurrences anew: these hours on these weekdays, of what was captured."""
        from tunebench.usecases.comparing import windows

        days = frozenset(weekday for weekday, box in enumerate(self.days) if box.isChecked())
        try:
            first, last = (date.fromisoformat(field.text().strip()) for field in self.dates)
            clocks = [f"{datetime.strptime(field.text().strip(), '%H:%M'):%H:%M}" for field in self.hours]
        except ValueError:
            self._refuse(text("ui.window.days.unclear"))
            return
        try:
            hours = DailyWindow(*clocks)
            proposal = windows.of_days(
                self._workspace.opened, days, hours, first, last, self.chosen_hosts(), self.clock.zone()
            )
        except UserError as error:
            self._refuse(error_text(error))
            return
        self._by_line |= {self._line(occurrence.span): occurrence for occurrence in proposal.occurrences}
        self.occurrences.setPlainText("\n".join(self._line(occurrence.span) for occurrence in proposal.occurrences))
        self._refuse("\n".join(text(key, **facts) for key, facts in proposal.remarks))

    # --- keeping
    def made(self) -> Window:
        """What the fields say. Raises UnclearLine."""
        return replace(
            self._window,
            name=self.name.text().strip(),
            role=list(WindowRole)[self.role.currentIndex()],
            load=list(WindowLoad)[self.load.currentIndex()],
            hosts=self.chosen_hosts(),
            occurrences=tuple(self._occurrence(line) for line in _lines(self.occurrences)),
            exclusions=tuple(self._exclusion(line) for line in _lines(self.exclusions)),
            zone=self.clock.zone(),
        )

    def _occurrence(self, line: str) -> Occurrence:
        """The occurrence of a line; one that was not typed over keeps its run, and its ends to the nanosecond."""
        return self._by_line[line] if line in self._by_line else Occurrence(*read_stretch(line, self._zone)[0])

    def _exclusion(self, line: str) -> Exclusion:
        span, reason = read_stretch(line, self._zone)
        kept = next(
            (exclusion for exclusion in self._window.exclusions if self._line(exclusion.span) == self._line(span)), None
        )
        return replace(kept, reason=reason) if kept else Exclusion(*span, reason)

    def accept(self) -> None:
        try:
            window = self._book.keep(self.made(), self._window if self._window.id else None)
        except UnclearLine as unclear:
            self._refuse(text("ui.window.line.unclear", line=str(unclear)))
        except UserError as error:
            self._refuse(error_text(error))
        else:
            super().accept()
            self.kept.emit(window)

    def _remove(self) -> None:
        if self._book.remove(self._window):
            self.reject()

    def _refuse(self, sentence: str) -> None:
        self.wrong.setText(sentence)
        self.wrong.setVisible(bool(sentence))


def _lines(field: QPlainTextEdit) -> Sequence[str]:
    return [line.strip() for line in field.toPlainText().splitlines() if line.strip()]


def _choice(kinds: type[WindowRole | WindowLoad], key: str, now: WindowRole | WindowLoad) -> QComboBox:
    box = QComboBox()
    box.addItems([text(f"{key}.{kind.value}") for kind in kinds])
    box.setCurrentIndex([kind.value for kind in kinds].index(now.value))
    return box


def _field(width: int, words: str = "") -> QLineEdit:
    field = QLineEdit(words)
    field.setFixedWidth(width)
    return field
