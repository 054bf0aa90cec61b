"""From the stamps a tool prints to UTC nanoseconds, and what happened to the clock on the way."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from app.domain.engagement import CaptureEvent, EventKind
from app.sdk.ledger_book import LedgerBook
from app.sdk.parsing import ParseContext

NS_PER_S = 1_000_000_000
DAY_S = 86_400
_MIDNIGHT_DROP_S = 6 * 3600  # a clock that falls back by more than this within one table passed midnight
_GAP_FACTOR = 2.5  # a step longer than this many typical steps is a gap
_MOST_PLACES = 1000  # remembered places per length of step
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

ZONE_OF_ABBREVIATION = {"UTC": "UTC", "GMT": "UTC", "KST": "Asia/Seoul", "JST": "Asia/Tokyo", "CET": "Europe/Paris",
                        "CEST": "Europe/Paris", "HKT": "Asia/Hong_Kong", "SGT": "Asia/Singapore"}
"""Abbreviations that mean one zone only. EST, CST, IST and their like do not and are asked for."""


def utc_ns(moment: datetime) -> int:
    """UTC nanoseconds of an aware datetime, exact."""
    return (moment - _EPOCH) // timedelta(microseconds=1) * 1000


class TimeKeeper:
    """Keeps the time of one capture.

    A parser tells it the date it read and then asks for the time of each stamp; the keeper passes
    midnights, picks the right side of a DST fold, and records restarts, gaps and jumps as events.
    Stamps without a zone are in the host's zone (`ParseContext.zone`).
    """

    def __init__(self, context: ParseContext, book: LedgerBook) -> None:
        self.context = context
        self.events: list[CaptureEvent] = []
        self._book = book
        self._zone: ZoneInfo = context.zone
        self._zone_source = context.zone_source
        self._zone_used = False
        self._offset_seen = ""
        self._first_day: date | None = context.date
        self._day: date | None = context.date
        self._last_tod_s = -1
        self._last_ns: int | None = None
        self._midnight_ns: dict[date, int | None] = {}
        self._unstamped_next_ns: int | None = None
        self._unstamped_step_ns = NS_PER_S
        self._steps: dict[int, int] = {}  # length of step -> how often
        self._places: dict[int, list[tuple[int, int]]] = {}  # length of step -> (from, to)
        if context.date is not None:
            book.assume("date", context.date.isoformat(), "user")

    # -- what the capture says of itself ---------------------------------------------------------

    @property
    def day(self) -> date | None:
        return self._day

    @property
    def interval_s(self) -> float | None:
        """The typical step between stamps, seconds: the weighted median of all steps."""
        typical = self._typical_step()
        return None if typical is None else typical / NS_PER_S

    def set_day(self, day: date) -> None:
        """The date printed in a banner; the user's own word (`ParseContext.date`) wins over it."""
        if self.context.date is None:
            self._first_day = self._day = day
        self.restart_table()

    def set_zone(self, zone: ZoneInfo, source: str) -> None:
        """A zone the capture names itself (``KST`` in vmstat -t's heading); the user's word wins."""
        if self.context.zone_source != "user":
            self._zone, self._zone_source = zone, source
            self._midnight_ns.clear()

    def set_zone_abbreviation(self, name: str) -> None:
        """``KST``, ``UTC`` ...: used where it means one zone only."""
        known = ZONE_OF_ABBREVIATION.get(name)
        if known is not None:
            self.set_zone(ZoneInfo(known), "stamp")

    def restart_table(self) -> None:
        """The next stamps start over (sar prints section after section, each from the first time)."""
        self._day = self._first_day
        self._last_tod_s = -1
        self._last_ns = None

    # -- stamps ----------------------------------------------------------------------------------

    def at_time_of_day(self, seconds: int) -> int:
        """UTC ns of a stamp without a date (``00:10:01`` = 601), passing midnight where it falls back."""
        if self._day is None:
            self._assume_day()
        if seconds < self._last_tod_s:
            if self._last_tod_s - seconds > _MIDNIGHT_DROP_S:
                assert self._day is not None
                self._day += timedelta(days=1)
            # a smaller fall is a repeated hour or a clock set back: the fold is resolved below
        self._last_tod_s = seconds
        assert self._day is not None
        midnight_ns = self._midnight_of(self._day)
        if midnight_ns is not None:
            return self._keep(midnight_ns + seconds * NS_PER_S)
        hours, rest = divmod(seconds, 3600)
        local = datetime(self._day.year, self._day.month, self._day.day, hours % 24, rest // 60, rest % 60)
        return self._keep(self._resolve_fold(local))

    def at_datetime(self, moment: datetime) -> int:
        """UTC ns of a full stamp; a naive one is local to the host."""
        if moment.tzinfo is not None:
            self._offset_seen = moment.strftime("%z")
            return self._keep(utc_ns(moment))
        self._day = moment.date()
        return self._keep(self._resolve_fold(moment))

    def at_epoch(self, seconds: float) -> int:
        """UTC ns of an epoch stamp."""
        self._offset_seen = "+0000"
        return self._keep(round(seconds * NS_PER_S))

    def next_unstamped(self, interval_s: float | None = None) -> int:
        """UTC ns of the next block of a capture that prints no times: start + i x interval.

        Start: the user's word, else a stamp in the path, else the banner's date at 00:00, else the
        file's modification time. Interval: the user's word, else `interval_s` (read from the capture),
        else 1 s. Whatever was not said is booked as an assumption and asked for.
        """
        if self._unstamped_next_ns is None:
            self._unstamped_next_ns = self._assume_start()
            self._unstamped_step_ns = round(self._assume_interval(interval_s) * NS_PER_S)
            now = self._unstamped_next_ns
        else:
            now = self._unstamped_next_ns + self._unstamped_step_ns
        self._unstamped_next_ns = now
        self._last_ns = now
        return now

    def comment(self, time_ns: int, text: str) -> None:
        self.events.append(CaptureEvent(EventKind.COMMENT, time_ns, None, text))

    def restart(self, time_ns: int | None, text: str = "") -> None:
        """The machine was restarted: the next step is no gap, and the table's rhythm starts anew."""
        if time_ns is not None and not any(
            event.kind is EventKind.RESTART and event.start_ns == time_ns for event in self.events
        ):
            self.events.append(CaptureEvent(EventKind.RESTART, time_ns, None, text))
            self._book.restarts += 1
        self._last_ns = None

    # -- closing ---------------------------------------------------------------------------------

    def describe(self) -> None:
        """Finds the gaps; writes zone and interval into the ledger."""
        self._find_gaps()
        if self._offset_seen and not self._zone_used:
            self._book.zone = "UTC" if self._offset_seen == "+0000" else self._offset_seen
            self._book.zone_source = "stamp"
        else:
            self._book.zone = str(self._zone)
            self._book.zone_source = self._zone_source
            if self._zone_used and self._zone_source == "engagement":
                self._book.assume("zone", str(self._zone), "engagement")
                self._book.need("zone")
        if self._book.interval_s is None:
            self._book.interval_s = self.interval_s

    # -- inner works -----------------------------------------------------------------------------

    def _midnight_of(self, day: date) -> int | None:
        """UTC ns of local midnight on a day without a clock change, else None; cached."""
        if day not in self._midnight_ns:
            start = datetime(day.year, day.month, day.day, tzinfo=self._zone)
            follow = day + timedelta(days=1)
            end = datetime(follow.year, follow.month, follow.day, tzinfo=self._zone)
            plain = start.utcoffset() == end.utcoffset()
            self._midnight_ns[day] = utc_ns(start) if plain else None
        self._zone_used = True
        return self._midnight_ns[day]

    def _resolve_fold(self, local: datetime) -> int:
        """The first reading of a repeated local time, unless that would go backwards."""
        self._zone_used = True
        first = utc_ns(local.replace(tzinfo=self._zone, fold=0))
        second = utc_ns(local.replace(tzinfo=self._zone, fold=1))
        if self._last_ns is not None and first <= self._last_ns < second:
            self._note(EventKind.REPEATED_TIME, second, None)
            return second
        return first

    def _keep(self, now_ns: int) -> int:
        last_ns = self._last_ns
        self._last_ns = now_ns
        if last_ns is None or now_ns == last_ns:
            return now_ns
        step = now_ns - last_ns
        if step < 0:
            self._note(EventKind.CLOCK_JUMP, now_ns, last_ns)
            self._book.warn("clock_went_back")
            return now_ns
        self._steps[step] = self._steps.get(step, 0) + 1
        places = self._places.setdefault(step, [])
        if len(places) < _MOST_PLACES:
            places.append((last_ns, now_ns))
        return now_ns

    def _typical_step(self) -> int | None:
        half = sum(self._steps.values()) / 2
        seen = 0
        for step in sorted(self._steps):
            seen += self._steps[step]
            if seen >= half:
                return step
        return None

    def _find_gaps(self) -> None:
        typical = self._typical_step()
        if typical is None:
            return
        for step, places in self._places.items():
            if step > _GAP_FACTOR * typical:
                for start_ns, end_ns in sorted(set(places)):
                    if self._note(EventKind.GAP, start_ns, end_ns):
                        self._book.gaps += 1
        self._places.clear()

    def _note(self, kind: EventKind, start_ns: int, end_ns: int | None) -> bool:
        """Records an event once, however many tables pass it."""
        event = CaptureEvent(kind, start_ns, end_ns)
        if kind is EventKind.REPEATED_TIME and self.events and self.events[-1].kind is kind:
            return False
        if event in self.events:
            return False
        self.events.append(event)
        return True

    def _assume_day(self) -> None:
        moment = start_from_path(self.context.path or self.context.file_name)
        if moment is not None:
            day, source = moment.date(), "path"
        else:
            modified = datetime.fromtimestamp(self.context.modified_ns / NS_PER_S, tz=self._zone)
            day, source = modified.date(), "mtime"
        self._first_day = self._day = day
        self._book.assume("date", day.isoformat(), source)
        self._book.need("date")

    def _assume_start(self) -> int:
        self._zone_used = True
        if self.context.start is not None:
            start = self.context.start
            self._book.assume("start", start.isoformat(sep=" "), "user")
            return utc_ns(start if start.tzinfo else start.replace(tzinfo=self._zone))
        found = start_from_path(self.context.path or self.context.file_name)
        if found is not None:
            start, source = found.replace(tzinfo=self._zone), "path"
        elif self._day is not None:
            start, source = datetime(self._day.year, self._day.month, self._day.day, tzinfo=self._zone), "banner"
        else:
            start = datetime.fromtimestamp(self.context.modified_ns // NS_PER_S, tz=self._zone)
            source = "mtime"
        self._book.assume("start", start.strftime("%Y-%m-%d %H:%M:%S"), source)
        self._book.need("start")
        return utc_ns(start)

    def _assume_interval(self, read_s: float | None) -> float:
        if self.context.interval_s is not None:
            self._book.assume("interval_s", f"{self.context.interval_s:g}", "user")
            interval_s = self.context.interval_s
        elif read_s is not None:
            self._book.assume("interval_s", f"{read_s:g}", "wrapper")
            interval_s = read_s
        else:
            self._book.assume("interval_s", "1", "default")
            self._book.need("interval_s")
            interval_s = 1.0
        self._book.interval_s = interval_s
        return interval_s


_PATH_STAMP = re.compile(
    r"(?<!\d)(?P<year>20\d\d|19[89]\d)[-_.]?(?P<month>0[1-9]|1[0-2])[-_.]?(?P<day>0[1-9]|[12]\d|3[01])"
    r"(?:[-_./T ]?(?P<hour>[01]\d|2[0-3])[-_.:h]?(?P<minute>[0-5]\d)(?:[-_.:]?(?P<second>[0-5]\d))?)?(?!\d)"
)


def start_from_path(path: str) -> datetime | None:
    """The last date (and time) that a path spells, naive: ``.../20150509/050500/iostat.txt``."""
    found: datetime | None = None
    for match in _PATH_STAMP.finditer(path.replace("\\", "/")):
        part = match.groupdict(default="0")
        try:
            found = datetime(*(int(part[name]) for name in ("year", "month", "day", "hour", "minute", "second")))
        except ValueError:
            continue
    return found
