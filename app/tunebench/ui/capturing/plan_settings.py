"""Run, pace, schedule and mode of a plan, in fields that scroll with their form: the wheel changes a value only where
the field has the focus."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from PySide6.QtCore import QDate, QDateTime, Qt, QTime, QTimeZone, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QDateTimeEdit, QLineEdit, QSpinBox, QWidget

from tunebench.domain.capturing.plan import CaptureMode, Schedule, ScheduleKind
from tunebench.domain.engagement import Phase
from tunebench.ui.capturing.draft_controller import Choices
from tunebench.ui.look.language import text, translated
from tunebench.ui.look.theme import SPACE_M, SPACE_S, SPACE_XS
from tunebench.ui.widgets.layouts import NamedFields
from tunebench.ui.widgets.parts import column, label, row

BOX_WIDTH = 84
UNITS = (("s", 1), ("min", 60), ("h", 3600))
PHASES = (Phase.BEFORE, Phase.AFTER, Phase.OTHER)
SCHEDULES = tuple(ScheduleKind)
MODES = tuple(CaptureMode)
PLACES = {
    "run": (0, 0, 2), "phase": (0, 2, 1), "mode": (0, 3, 1),
    "interval": (2, 0, 1), "duration": (2, 1, 1), "schedule": (2, 2, 2),
    "at": (4, 0, 2), "every": (4, 2, 1), "times": (4, 3, 1),
}  # fmt: skip
"""Line, column and width of a field's name."""


class NumberField(QSpinBox):
    def __init__(self, least: int, most: int, value: int) -> None:
        super().__init__()
        self.setRange(least, most)
        self.setValue(value)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.lineEdit().setTextMargins(SPACE_S, 0, 0, 0)  # the style sheet's padding does not reach it

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class ChoiceField(QComboBox):
    """One of these choices, given by the keys of their words."""

    def __init__(self, keys: Sequence[str]) -> None:
        super().__init__()
        self.addItems([""] * len(keys))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        translated(self, itemText=keys)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class SpanField(QWidget):
    """A whole number of seconds, minutes or hours. `changed` when it says another span."""

    changed = Signal()

    def __init__(self, amount: int, unit: str) -> None:
        super().__init__()
        self.amount = NumberField(1, 100_000, amount)
        self.amount.setMinimumWidth(56)
        self.unit = ChoiceField([f"ui.capture.unit.{name}" for name, _ in UNITS])
        self.unit.setCurrentIndex([name for name, _ in UNITS].index(unit))
        self.setFocusProxy(self.amount)
        self.setLayout(row((self.amount, 1), self.unit, spacing=SPACE_XS))
        self.amount.valueChanged.connect(self._tell)
        self.unit.currentIndexChanged.connect(self._tell)

    def seconds(self) -> int:
        return self.amount.value() * UNITS[self.unit.currentIndex()][1]

    def name(self, words: str) -> None:
        self.amount.setAccessibleName(words)
        self.unit.setAccessibleName(text("ui.capture.unit", what=words))

    def _tell(self) -> None:
        self.changed.emit()


class PlanSettings(QWidget):
    """`changed` whenever `settings()` may differ."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._zone = ZoneInfo("UTC")
        self.run = QLineEdit()
        self.phase = ChoiceField([f"ui.phase.{phase}" for phase in PHASES])
        self.interval = NumberField(1, 3600, 1)
        self.duration = SpanField(10, "min")
        self.kind = ChoiceField([f"ui.capture.schedule.{kind}" for kind in SCHEDULES])
        self.mode = ChoiceField([f"ui.capture.mode.{mode}" for mode in MODES])
        self.at = QDateTimeEdit()
        self.at.setTimeZone(QTimeZone(QTimeZone.Initialization.UTC))  # plain figures: the zone is the engagement's
        self.at.setDisplayFormat("yyyy-MM-dd HH:mm")
        self.at.setCalendarPopup(True)
        self.every = SpanField(1, "h")
        self.times = NumberField(1, 1000, 2)
        self._mode_words = label(role="small", wrap=True)
        self._fields: dict[str, QWidget] = {
            "run": self.run,
            "phase": self.phase,
            "mode": self.mode,
            "interval": self.interval,
            "duration": self.duration,
            "schedule": self.kind,
            "at": self.at,
            "every": self.every,
            "times": self.times,
        }
        grid = NamedFields("ui.capture.plan", self._fields, PLACES, (SPACE_S, SPACE_XS // 2))
        grid.stretch(3, 4, 4, 4)
        self._labels = grid.labels
        for box in (self.phase, self.kind, self.mode):
            box.setMinimumWidth(BOX_WIDTH)
        self.setLayout(column(grid, self._mode_words, spacing=SPACE_M // 2))
        self._connect()

    def _connect(self) -> None:
        signals = (self.run.textChanged, self.at.dateTimeChanged, self.duration.changed, self.every.changed)
        boxes = (box.currentIndexChanged for box in (self.phase, self.kind, self.mode))
        for change in (*signals, *boxes, self.interval.valueChanged, self.times.valueChanged):
            change.connect(self._tell)
        self._show_fields()

    def begin(self, zone: ZoneInfo) -> None:
        """Another project: times are in its zone, the run is called after today until it is named."""
        self._zone = zone
        now = datetime.now(zone)
        self.run.setText(f"{now:%Y-%m-%d}")
        self.set_start(now.replace(minute=0) + timedelta(hours=1))

    def set_start(self, moment: datetime) -> None:
        """Wall clock of the engagement's zone."""
        date, time = QDate(moment.year, moment.month, moment.day), QTime(moment.hour, moment.minute)
        self.at.setDateTime(QDateTime(date, time, QTimeZone(QTimeZone.Initialization.UTC)))

    def settings(self) -> Choices:
        """The choices as the fields have them, without hosts and probes."""
        return Choices(
            run=self.run.text().strip(),
            phase=PHASES[self.phase.currentIndex()],
            interval_s=float(self.interval.value()),
            duration_s=float(self.duration.seconds()),
            schedule=self._schedule(),
            mode=MODES[self.mode.currentIndex()],
        )

    def _schedule(self) -> Schedule:
        kind = SCHEDULES[self.kind.currentIndex()]
        if kind is ScheduleKind.NOW:
            return Schedule()
        if kind is ScheduleKind.AT:
            return Schedule(kind, self._start())
        return Schedule(kind, self._start(), self.every.seconds(), self.times.value())

    def _start(self) -> str:
        """ISO with the offset that the engagement's zone has then."""
        date, time = self.at.date(), self.at.time()
        moment = datetime(date.year(), date.month(), date.day(), time.hour(), time.minute(), tzinfo=self._zone)
        return moment.isoformat(timespec="seconds")

    def _tell(self) -> None:
        self._show_fields()
        self.changed.emit()

    def _show_fields(self) -> None:
        kind = SCHEDULES[self.kind.currentIndex()]
        for name, shown in (
            ("at", kind is not ScheduleKind.NOW),
            ("every", kind is ScheduleKind.EVERY),
            ("times", kind is ScheduleKind.EVERY),
        ):
            self._fields[name].setVisible(shown)
            self._labels[name].setVisible(shown)
        self._mode_words.setText(text(f"ui.capture.mode.{MODES[self.mode.currentIndex()]}.words"))

    def retranslate(self) -> None:
        at = text("ui.capture.plan.at", zone=self._zone.key)
        self._labels["at"].setText(at)
        self.at.setAccessibleName(at)
        for span, name in ((self.duration, "duration"), (self.every, "every")):
            span.name(self._labels[name].text())
        self.interval.setSuffix(f" {text('ui.capture.unit.s')}")
        self._show_fields()
