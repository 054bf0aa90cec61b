"""Run, pace, schedule and mode of a plan."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from PySide6.QtCore import QDate, QDateTime, QTime, QTimeZone, Signal
from PySide6.QtWidgets import QDateTimeEdit, QGridLayout, QLineEdit, QVBoxLayout, QWidget

from app.domain.capturing.plan import CaptureMode, Schedule, ScheduleKind
from app.domain.engagement import Phase
from app.ui.capturing.plan_fields import BOX_WIDTH, ChoiceField, NumberField, SpanField
from app.ui.look.language import text
from app.ui.look.theme import SPACE_M, SPACE_S, SPACE_XS
from app.ui.widgets.parts import label

PHASES = (Phase.BEFORE, Phase.AFTER, Phase.OTHER)
SCHEDULES = tuple(ScheduleKind)
MODES = tuple(CaptureMode)


@dataclass(frozen=True, slots=True)
class Settings:
    run: str
    phase: Phase
    interval_s: float
    duration_s: float
    schedule: Schedule
    mode: CaptureMode


class PlanSettings(QWidget):
    """`changed` whenever `settings()` may differ."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._zone = ZoneInfo("UTC")
        self.run = QLineEdit()
        self.phase = ChoiceField(len(PHASES))
        self.interval = NumberField(1, 3600, 1)
        self.duration = SpanField(10, "min")
        self.kind = ChoiceField(len(SCHEDULES))
        self.mode = ChoiceField(len(MODES))
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
            "interval": self.interval,
            "duration": self.duration,
            "schedule": self.kind,
            "at": self.at,
            "every": self.every,
            "times": self.times,
            "mode": self.mode,
        }
        self._labels = {name: label(role="small") for name in self._fields}
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(SPACE_S)
        grid.setVerticalSpacing(SPACE_XS // 2)
        places = {
            "run": (0, 0, 2), "phase": (0, 2, 1), "mode": (0, 3, 1),
            "interval": (2, 0, 1), "duration": (2, 1, 1), "schedule": (2, 2, 2),
            "at": (4, 0, 2), "every": (4, 2, 1), "times": (4, 3, 1),
        }  # fmt: skip
        for name, (down, side, width) in places.items():
            grid.addWidget(self._labels[name], down, side, 1, width)
            grid.addWidget(self._fields[name], down + 1, side, 1, width)
            self._labels[name].setBuddy(self._fields[name])
        for box in (self.phase, self.kind, self.mode):
            box.setMinimumWidth(BOX_WIDTH)
        for side, stretch in enumerate((3, 4, 4, 4)):
            grid.setColumnStretch(side, stretch)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_M // 2)
        column.addLayout(grid)
        column.addWidget(self._mode_words)

    def _connect(self) -> None:
        self.run.textChanged.connect(self._tell)
        for box in (self.phase, self.kind, self.mode):
            box.currentIndexChanged.connect(self._tell)
        self.interval.valueChanged.connect(self._tell)
        self.times.valueChanged.connect(self._tell)
        self.at.dateTimeChanged.connect(self._tell)
        for span in (self.duration, self.every):
            span.changed.connect(self._tell)
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

    def settings(self) -> Settings:
        return Settings(
            self.run.text().strip(),
            PHASES[self.phase.currentIndex()],
            float(self.interval.value()),
            float(self.duration.seconds()),
            self._schedule(),
            MODES[self.mode.currentIndex()],
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

    def _tell(self, *_: object) -> None:
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
        for name, made in self._labels.items():
            words = text(f"ui.capture.plan.{name}", zone=self._zone.key)
            made.setText(words)
            self._fields[name].setAccessibleName(words)
        for span, name in ((self.duration, "duration"), (self.every, "every")):
            span.name(self._labels[name].text())
        self.interval.setSuffix(f" {text('ui.capture.unit.s')}")
        for box, keys in (
            (self.phase, [f"ui.phase.{phase}" for phase in PHASES]),
            (self.kind, [f"ui.capture.schedule.{kind}" for kind in SCHEDULES]),
            (self.mode, [f"ui.capture.mode.{mode}" for mode in MODES]),
        ):
            box.name_choices([text(key) for key in keys])
        self._show_fields()
