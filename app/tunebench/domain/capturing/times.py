"""Where a capture lies in time: what it says itself, what was assumed, and where it would lie if something else held.

Pure: the effect of a correction is shown before anything is read again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Protocol, TypeVar
from zoneinfo import ZoneInfo

from tunebench.core.records import record
from tunebench.domain.assembly import Span
from tunebench.domain.engagement import Phase
from tunebench.domain.ledger import ONLY_BLOCK_SINCE_BOOT, Assumption, Ledger

NS_PER_S = 1_000_000_000
_DAY_NS = 86_400 * NS_PER_S
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SURE_SOURCES = frozenset({"user", "stamp"})
SUBJECTS = ("zone", "date", "date_order", "start", "interval_s")
"""What a capture may leave open, in the order in which it is settled."""


@record
class Correction:
    """A person's corrections of several captures at once; empty means not given.

    Attributes:
        host, run: what they are of; `phase` is for a run that is made by this.
        first_day: the day on which the first of those begins that print no date; the others move with it.
        start: local time at which the first of those begins that print no time; the others move with it.
        shift_ns: every capture whose date or start is a guess moves by this much (aligned by an event).
        first_measured: first blocks are of an interval, and no averages since boot.
    """

    zone: str = ""
    first_day: date | None = None
    day_first: bool | None = None
    start: datetime | None = None
    interval_s: float | None = None
    shift_ns: int = 0
    host: str = ""
    run: str = ""
    phase: Phase = Phase.OTHER
    first_measured: bool = False

    def as_text(self) -> dict[str, str]:
        texts = {
            "zone": self.zone,
            "first_day": self.first_day.isoformat() if self.first_day else "",
            "day_first": "" if self.day_first is None else str(self.day_first).lower(),
            "start": self.start.isoformat(sep=" ") if self.start else "",
            "interval_s": "" if self.interval_s is None else f"{self.interval_s:g}",
            "shift_s": f"{self.shift_ns / NS_PER_S:g}" if self.shift_ns else "",
            "first_measured": "true" if self.first_measured else "",
            "host": self.host,
            "run": self.run,
        }
        return {subject: text for subject, text in texts.items() if text}


@record
class ChangedCapture:
    """What held for one capture before and after: subject -> value, as `ArtefactInfo.given`."""

    artefact_id: int
    before: dict[str, str]
    after: dict[str, str]


@record
class Resolution:
    """One thing that was said. `said` is what was typed; `taken_back_at` is empty while it is in force."""

    id: int
    host_id: int
    said_at: str
    said_by: str
    said: dict[str, str]
    changes: tuple[ChangedCapture, ...]
    zone_before: str
    taken_back_at: str = ""
    taken_back_by: str = ""

    @property
    def in_force(self) -> bool:
        return not self.taken_back_at


@record
class CaptureTimes:
    """What one capture tells of its time. `zone` is the one that its stamps were read in."""

    artefact_id: int
    zone: str
    zone_source: str
    first_ns: int
    last_ns: int
    interval_s: float | None
    assumed: Mapping[str, Assumption]
    given: Mapping[str, str]
    needs: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    modified_ns: int = 0

    @property
    def span(self) -> Span:
        return self.first_ns, self.last_ns

    @property
    def open_subjects(self) -> tuple[str, ...]:
        """What a person could settle: the assumptions, and a zone that no stamp has."""
        return tuple(subject for subject in SUBJECTS if self._is_open(subject))

    @property
    def doubtful(self) -> tuple[str, ...]:
        """The open subjects that no one has confirmed: the capture asks for them, or a default was taken."""
        return tuple(subject for subject in self.open_subjects if self._is_doubtful(subject))

    def _is_doubtful(self, subject: str) -> bool:
        basis = self.assumed.get(subject)
        if (basis is not None and basis.source in _SURE_SOURCES) or (subject == "zone" and self.zone_source == "user"):
            return False
        return subject in self.needs or (subject == "date_order" and "date" in self.needs)

    def _is_open(self, subject: str) -> bool:
        if subject == "zone":
            return self.zone_source != "stamp" or "zone" in self.assumed
        if subject == "date":  # a date whose order is not sure is printed; it moves as a date, too
            return "date" in self.assumed or "date_order" in self.assumed
        if subject == "interval_s" and ONLY_BLOCK_SINCE_BOOT in self.warnings:
            return True  # with an interval it counts as measured
        return subject in self.assumed

    @property
    def local_first(self) -> datetime:
        return local(self.first_ns, self.zone)


def times_of(artefact_id: int, ledger: Ledger, given: Mapping[str, str], modified_ns: int = 0) -> CaptureTimes | None:
    """The times of a capture; None where it has no samples, or its stamps are in no existing zone."""
    if ledger.first_ns is None or ledger.last_ns is None:
        return None
    zone = ledger.zone or "UTC"
    return CaptureTimes(
        artefact_id,
        zone,
        ledger.zone_source,
        ledger.first_ns,
        ledger.last_ns,
        ledger.interval_s,
        {assumption.subject: assumption for assumption in ledger.assumptions},
        dict(given),
        ledger.needs,
        ledger.warnings,
        modified_ns,
    )


class HasLedger(Protocol):
    @property
    def ledger(self) -> Ledger: ...


Capture = TypeVar("Capture", bound=HasLedger)


def deciding(captures: Iterable[Capture]) -> list[Capture]:
    """The captures that decide the time of their run: those that say when they were measured, else all.

    As `Run.first_ns` and `last_ns`; captures without samples are not among them.
    """
    timed = [
        capture for capture in captures if capture.ledger.first_ns is not None and capture.ledger.last_ns is not None
    ]
    return [capture for capture in timed if not capture.ledger.dated_by_file] or timed


def local(time_ns: int, zone: str) -> datetime:
    """The moment in naive local time."""
    moment = _EPOCH + timedelta(microseconds=time_ns // 1000)
    return moment.astimezone(_zone(zone)).replace(tzinfo=None)


def to_ns(moment: datetime, zone: str) -> int:
    """UTC nanoseconds of a naive local time; an aware one keeps its own zone."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=_zone(zone))
    return (aware - _EPOCH) // timedelta(microseconds=1) * 1000


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):  # an offset as stamps print it: such a capture's zone is not asked for
        return ZoneInfo("UTC")


def truths_of(captures: Sequence[CaptureTimes], correction: Correction) -> dict[int, dict[str, str]]:
    """Capture -> what holds for it after the correction, as `ArtefactInfo.given`; only captures that it concerns."""
    days = [_day(capture) for capture in captures if _moves_by_day(capture)]
    starts = [_start(capture) for capture in captures if "start" in capture.assumed]
    by_days = correction.first_day - min(days) if correction.first_day and days else None
    by_time = _naive(correction.start) - min(starts) if correction.start and starts else None
    truths_by_id = {}
    for capture in captures:
        truths = _truths(capture, correction, by_days, by_time)
        if truths != capture.given:
            truths_by_id[capture.artefact_id] = truths
    return truths_by_id


def _truths(
    each: CaptureTimes, correction: Correction, by_days: timedelta | None, by_time: timedelta | None
) -> dict[str, str]:
    truths = dict(each.given)
    if correction.zone and "zone" in each.open_subjects:
        truths["zone"] = correction.zone
    if correction.day_first is not None and "date_order" in each.assumed:
        truths["day_first"] = str(correction.day_first).lower()
        truths.pop("date", None)
    if correction.interval_s is not None and "interval_s" in each.open_subjects:
        truths["interval_s"] = f"{correction.interval_s:g}"
    if correction.first_measured:
        truths["first_measured"] = "true"
    shift = timedelta(microseconds=correction.shift_ns // 1000)
    if "start" in each.assumed:
        move = (by_time if by_time is not None else by_days or timedelta()) + shift
        if move or by_time is not None or by_days is not None:
            truths["start"] = (_start(each) + move).isoformat()
    elif _moves_by_day(each):
        move = (by_days or timedelta()) + timedelta(days=round(shift / timedelta(days=1)))
        if move or by_days is not None:
            truths["date"] = (_day(each) + move).isoformat()
    return truths


def _moves_by_day(capture: CaptureTimes) -> bool:
    return "start" not in capture.assumed and "date" in capture.open_subjects


def _naive(moment: datetime) -> datetime:
    return moment.replace(tzinfo=None)


def _start(capture: CaptureTimes) -> datetime:
    return _naive(datetime.fromisoformat(capture.assumed["start"].value))


def _day(capture: CaptureTimes) -> date:
    assumption = capture.assumed.get("date")
    return date.fromisoformat(assumption.value) if assumption is not None else capture.local_first.date()


def placed(capture: CaptureTimes, truths: Mapping[str, str]) -> Span:
    """Where the capture would lie under these truths; exact but where a clock change lies in between."""
    zone = truths.get("zone", "" if capture.zone_source == "user" else capture.zone) or capture.zone
    first, last = local(capture.first_ns, capture.zone), local(capture.last_ns, capture.zone)
    length = last - first
    if "interval_s" in capture.assumed and "interval_s" in truths and capture.interval_s:
        length = length * (float(truths["interval_s"]) / capture.interval_s)
    if "start" in capture.assumed and "start" in truths:
        start = datetime.fromisoformat(truths["start"])
        moved = _naive(start) + (first - _start(capture))
        return _placed(moved, length, zone)
    if "date" in truths and _moves_by_day(capture):
        moved = first + (date.fromisoformat(truths["date"]) - _day(capture))
        return _placed(moved, length, zone)
    moved_by_file = _by_file(capture, zone)
    return _placed(moved_by_file or _swapped(capture, truths) or first, length, zone)


def _by_file(capture: CaptureTimes, zone: str) -> datetime | None:
    """The first moment where the file's own time decides: a moment that is the same in every zone."""
    start, day = capture.assumed.get("start"), capture.assumed.get("date")
    if start is not None and start.source == "mtime":
        return local(capture.first_ns, zone)
    if day is not None and day.source == "mtime" and capture.modified_ns:
        first = capture.local_first
        return first + (local(capture.modified_ns, zone).date() - date.fromisoformat(day.value))
    return None


def _swapped(capture: CaptureTimes, truths: Mapping[str, str]) -> datetime | None:
    """The first moment with day and month exchanged; None unless that is asked for and is a date."""
    order = capture.assumed.get("date_order")
    if order is None or "day_first" not in truths or (truths["day_first"] == "true") == (order.value == "dd/mm/yy"):
        return None
    first = capture.local_first
    try:
        return first.replace(month=first.day, day=first.month)
    except ValueError:
        return None


def _placed(first: datetime, length: timedelta, zone: str) -> Span:
    return to_ns(first, zone), to_ns(first + length, zone)


def alignable(capture: CaptureTimes, shift_ns: int) -> str:
    """How a capture can take a shift: ``start``, ``date``, ``zone``, or ``""`` where its own stamps forbid it."""
    if "start" in capture.assumed:
        return "start"
    beyond_whole_days_ns = abs((shift_ns + _DAY_NS // 2) % _DAY_NS - _DAY_NS // 2)
    if _moves_by_day(capture) and beyond_whole_days_ns <= _DAY_NS // 24:
        return "date"
    if "zone" in capture.open_subjects and zone_for_shift(capture, shift_ns):
        return "zone"
    return ""


def zone_for_shift(capture: CaptureTimes, shift_ns: int) -> str:
    """``Etc/GMT-9``: the zone in which the capture's stamps would be read so much later; whole hours only."""
    hours = shift_ns / (3600 * NS_PER_S)
    if abs(hours - round(hours)) > 1 / 60:
        return ""
    offset = _EPOCH + timedelta(microseconds=capture.first_ns // 1000)
    now = offset.astimezone(_zone(capture.zone)).utcoffset() or timedelta()
    wanted = now / timedelta(hours=1) - round(hours)
    if wanted != int(wanted) or not -12 <= wanted <= 14:
        return ""
    return "UTC" if not wanted else f"Etc/GMT{-int(wanted):+d}"
