"""What runs, since when and until when; stop, extend; the phase of its run; words on moments of the test."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QListWidget, QMenu, QProgressBar, QWidget

from tunebench.columns.capturing.live_rows import Totals, totals_of
from tunebench.columns.capturing.live_states import is_storing, span_words
from tunebench.columns.formats import format_bytes, format_count, format_time, moment
from tunebench.core.patterns import lazy_pattern
from tunebench.domain.capturing.plan import CaptureMode, CapturePlan
from tunebench.domain.capturing.run import CaptureMark, SessionState
from tunebench.domain.engagement import Phase, Run
from tunebench.ui.look.fonts import font
from tunebench.ui.look.language import text, translated
from tunebench.ui.look.theme import SPACE_M, SPACE_S, SPACE_XS
from tunebench.ui.undo import ChangeRun
from tunebench.ui.widgets.parts import ElidedLabel, button, column, label, panel, row, set_tone, stacked
from tunebench.ui.workspace import Workspace

if TYPE_CHECKING:
    from tunebench.domain.capturing.views import SessionView


FIELD_PX = 38
_MOMENT = r"([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?"
_CLOCK = lazy_pattern(rf"^\s*{_MOMENT}(?=\s|$)\s*|\s+{_MOMENT}\s*$")
EXTENSIONS_MIN = (5, 15, 60)
LOW_DISK = 5_000_000_000
SESSIONS_PX = 240


def timed_words(typed: str, now_ns: int, zone: ZoneInfo) -> tuple[str, int]:
    """Words and their moment: ``14:32 index created`` and ``index created 14:32`` say it, else it is now.

    The clock is that of `zone`; the last such moment that is not later than now.
    """
    match = _CLOCK.search(typed)
    if match is None:
        return typed.strip(), now_ns
    words = (typed[: match.start()] + typed[match.end() :]).strip()
    hour, minute, second = (int(part or 0) for part in (match.groups()[:3] if match[1] else match.groups()[3:]))
    now = moment(now_ns, zone)
    then = now.replace(hour=hour, minute=minute, second=second, microsecond=0)
    if then > now:
        then = (then.replace(tzinfo=None) - timedelta(days=1)).replace(tzinfo=zone)
    return words or typed.strip(), int(then.timestamp()) * 1_000_000_000


class MarkField(QWidget):
    """`marked` carries (words, UTC nanoseconds)."""

    marked = Signal(str, object)

    def __init__(self, zone: ZoneInfo) -> None:
        super().__init__()
        self.zone = zone
        self.field = translated(QLineEdit(), placeholderText="ui.live.mark.hint", accessibleName="ui.live.mark.name")
        self.field.setFont(font(15))
        self.field.setFixedHeight(FIELD_PX)
        self.field.setMaxLength(200)
        self.button = translated(button(kind="primary", on_click=self._mark), "ui.live.mark")
        self.button.setFixedHeight(FIELD_PX)
        self.setLayout(row(self.field, self.button))
        self.field.returnPressed.connect(self._mark)
        self.field.textChanged.connect(lambda typed: self.button.setEnabled(bool(typed.strip())))
        self.button.setEnabled(False)

    def _mark(self) -> None:
        if not self.field.text().strip():
            return
        words, time_ns = timed_words(self.field.text(), time.time_ns(), self.zone)
        self.field.clear()
        self.marked.emit(words, time_ns)


class MarkList(QWidget):
    """Newest first."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[CaptureMark, ...] = ()
        self._zone: ZoneInfo | None = None
        self._title = label(role="small")
        self.list = translated(QListWidget(), accessibleName="ui.live.marks")
        self.list.setWordWrap(True)
        self._none = translated(label(role="muted", wrap=True), "ui.live.marks.none")
        self.setLayout(column(self._title, self._none, (self.list, 1), 0, margins=(SPACE_S, 0, 0, 0)))

    def show_marks(self, marks: Sequence[CaptureMark], zone: ZoneInfo) -> None:
        if tuple(marks) == self._shown and zone == self._zone:
            return
        self._shown, self._zone = tuple(marks), zone
        self.list.clear()
        for mark in sorted(marks, key=lambda mark: mark.time_ns, reverse=True):
            self.list.addItem(f"{moment(mark.time_ns, zone):%H:%M:%S}  {mark.text}")
            self.list.item(self.list.count() - 1).setToolTip(f"{mark.text}\n{mark.author}")
        self.retranslate()

    def retranslate(self) -> None:
        self._title.setText(text("ui.live.marks.count", count=len(self._shown)))
        self._none.setVisible(not self._shown)
        self.list.setVisible(bool(self._shown))


class SessionHeader(QWidget):
    """Signals:
    stop_asked: of the whole session, after it was confirmed.
    extend_asked: seconds.
    filter_changed: only what needs attention, or everything.
    """

    stop_asked = Signal()
    extend_asked = Signal(float)
    filter_changed = Signal(bool)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._view: SessionView | None = None
        self._plan: CapturePlan | None = None
        self.name = label(role="section")
        self.sessions = QComboBox()  # in place of the name where there are several; filled by the page
        self.sessions.setMinimumWidth(SESSIONS_PX)
        self.sessions.hide()
        self.phase = translated(button(kind="quiet"), toolTip="ui.live.phase.tip")
        self.phase.setMenu(QMenu(self.phase))
        self.state = label()
        self.times = ElidedLabel()
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setRange(0, 1000)
        self.summary = ElidedLabel(role="muted")
        self.attention = translated(QCheckBox(), toolTip="ui.live.attention.tip")
        self.attention.toggled.connect(self.filter_changed)
        self.extend = translated(button(), "ui.live.extend", toolTip="ui.live.extend.tip")
        self.extend.setMenu(QMenu(self.extend))
        self.extend.menu().aboutToShow.connect(self.fill_extensions)
        self.stop = button(kind="danger", on_click=self._ask_stop)
        self._sure = translated(label(), "ui.live.stop.sure")
        self.sure_stop = translated(button(kind="danger", on_click=self._stop), "ui.live.stop.yes")
        self.go_on = translated(button(on_click=self._go_on), "ui.live.stop.no")
        calm, sure = row(1, self.extend, self.stop), row(1, self._sure, self.sure_stop, self.go_on)
        self.acts = stacked(panel(calm), panel(sure))
        parts = (self.name, self.sessions, self.phase, self.state, (self.times, 1), self.acts)
        first = row(*parts, spacing=SPACE_M)
        second = row((self.summary, 1), self.attention, spacing=SPACE_M)
        self.setLayout(column(first, self.bar, second, spacing=SPACE_XS, margins=(0, 0, 0, SPACE_S)))
        self.acts.setFixedHeight(self.stop.sizeHint().height())

    # --- what is shown
    def show_view(self, view: SessionView, plan: CapturePlan | None, *, over: bool) -> None:
        another = self._view is None or self._view.session_id != view.session_id
        self._view, self._plan = view, plan
        if another:
            self._go_on()
            self.name.setText(view.label)
            self.retranslate()
        self._show_state(view, over=over)
        self._show_times(view, over=over)
        totals = totals_of(view)
        self.summary.set_words("" if over else self._summary_words(view, totals))
        self.summary.setVisible(not over)
        self.attention.setVisible(not over)
        words = text("ui.live.attention", count=totals.troubled)
        if self.attention.text() != words:
            self.attention.setText(words)
        self.acts.setVisible(not over)

    def _show_state(self, view: SessionView, *, over: bool) -> None:
        if view.message_key:
            words, tone = text(f"error.{view.message_key}", **view.message_facts), "critical"
        elif is_storing(view) and not over:
            words, tone = text("ui.live.storing"), "accent"
        else:
            shape = {SessionState.RUNNING: "●", SessionState.FINISHED: "✓"}.get(view.state, "✕")
            words = f"{shape} {text(f'session_state.{view.state}')}"
            tone = {SessionState.RUNNING: "ok", SessionState.FINISHED: "ok"}.get(view.state, "warning")
        if self.state.text() != words:
            self.state.setText(words)
        set_tone(self.state, tone)

    def _show_times(self, view: SessionView, *, over: bool) -> None:
        now_ns, span_ns = time.time_ns(), max(view.planned_end_ns - view.started_ns, 1)
        elapsed_ns = max(now_ns - view.started_ns, 0)
        self.bar.setVisible(not over)
        self.bar.setValue(min(round(1000 * elapsed_ns / span_ns), 1000))
        if over:
            self.times.set_words(format_time(view.started_ns, self._workspace.zone))
            return
        left_s = (view.planned_end_ns - now_ns) / 1e9
        key = "ui.live.times" if left_s > 0 else "ui.live.times_over"
        end = format_time(view.planned_end_ns, self._workspace.zone)[11:]
        self.times.set_words(text(key, elapsed=span_words(elapsed_ns / 1e9), left=span_words(left_s), end=end))
        self.bar.setAccessibleName(self.times.words())

    def _summary_words(self, view: SessionView, totals: Totals) -> str:
        words = text(
            "ui.live.summary",
            hosts=format_count(totals.hosts),
            running=format_count(totals.running),
            streams=format_count(totals.streams),
            gaps=format_count(totals.gaps),
            lines=format_count(totals.lines),
            bytes=format_bytes(totals.bytes),
        )
        if view.free_disk_bytes is None:
            return words
        key = "ui.live.disk_low" if view.free_disk_bytes < LOW_DISK else "ui.live.disk"
        return f"{words} · {text(key, free=format_bytes(view.free_disk_bytes))}"

    def retranslate(self) -> None:
        """A detached capture is fetched when it is stopped, and has its end in its script."""
        detached = self._plan is not None and self._plan.mode is CaptureMode.DETACHED
        self.stop.setText(text("ui.live.stop.detached" if detached else "ui.live.stop"))
        self.stop.setToolTip(text("ui.live.stop.detached.tip" if detached else "ui.live.stop.tip"))
        self.extend.setVisible(not detached)
        self.show_phase()

    def fill_extensions(self) -> None:
        """What was approved can be chosen; for more there is another plan."""
        view, plan, menu = self._view, self._plan, self.extend.menu()
        menu.clear()
        if view is None or plan is None:
            return
        allowed_s = plan.duration_s - (view.planned_end_ns - view.started_ns) / 1e9
        for minutes in EXTENSIONS_MIN:
            words = text("ui.live.extend.by", minutes=minutes)
            action = menu.addAction(words, lambda m=minutes: self.extend_asked.emit(60.0 * m))
            action.setEnabled(60 * minutes <= allowed_s + 1)
        menu.addSeparator()
        menu.addAction(text("ui.live.extend.plan"), lambda: self._workspace.show_page("collect", "plan"))

    # --- phase of the run
    def run(self) -> Run | None:
        """The run that the captures go into."""
        overview, plan = self._workspace.overview, self._plan
        runs = overview.runs if overview is not None and plan is not None else ()
        return next((view.run for view in runs if plan is not None and view.run.label == plan.run), None)

    def show_phase(self) -> None:
        """Shows the phase as it is now: the runs of the project may have changed."""
        run = self.run()
        planned = run is not None or self._plan is not None
        phase = run.phase if run is not None else Phase(self._plan.phase) if self._plan is not None else Phase.OTHER
        self.phase.setVisible(planned)
        self.phase.setText(text(f"ui.phase.{phase}"))
        self.phase.setEnabled(run is not None and self._workspace.writable)
        set_tone(self.phase, phase.value if phase in (Phase.BEFORE, Phase.AFTER) else "")
        menu = self.phase.menu()
        menu.clear()
        for choice in Phase:
            action = menu.addAction(text(f"ui.phase.{choice}"), lambda p=choice: self.set_phase(p))
            action.setCheckable(True)
            action.setChecked(choice is phase)

    def set_phase(self, phase: Phase) -> None:
        run = self.run()
        if run is not None and run.phase is not phase:
            self._workspace.undo.push(ChangeRun(self._workspace, run, run.label, phase))
            self.show_phase()

    # --- stop
    def _ask_stop(self) -> None:
        self.acts.setCurrentIndex(1)
        self.go_on.setFocus()

    def _go_on(self) -> None:
        self.acts.setCurrentIndex(0)

    def _stop(self) -> None:
        self._go_on()
        self.stop_asked.emit()
