"""From the stamps a tool prints to UTC nanoseconds, and what happened to the clock on the way."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from tunebench.core.records import record
from tunebench.domain.engagement import CaptureEvent, EventKind
from tunebench.domain.series import GAP_FACTOR
from tunebench.sdk.dates import is_plausible, read_printed_date, start_from_path
from tunebench.sdk.ledger_book import LedgerBook
from tunebench.sdk.parsing import ParseContext
from tunebench.sdk.stamp_formats import Stamp

NS_PER_S = 1_000_000_000
DAY_S = 86_400
_MIDNIGHT_DROP_S = 6 * 3600  # a clock that falls back by more than this within one table passed midnight
_MOST_PLACES = 1000  # remembered places per length of step
_LONGEST_INTERVAL_S = 7 * 86_400
_END_NS = 9_000_000_000 * NS_PER_S  # 2255: before the last moment that fits in 64 bits
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

ZONE_OF_ABBREVIATION = {
    "UTC": "UTC",
    "GMT": "UTC",
    "KST": "Asia/Seoul",
    "JST": "Asia/Tokyo",
    "CET": "Europe/Paris",
    "CEST": "Europe/Paris",
    "HKT": "Asia/Hong_Kong",
    "SGT": "Asia/Singapore",
}
"""Abbreviations that mean one zone only. EST, CST, IST and their like do not and are asked for."""


def utc_ns(moment: datetime) -> int:
    """UTC nanoseconds of an aware datetime, exact."""
    return (moment - _EPOCH) // timedelta(microseconds=1) * 1000


def at_stamp(times: TimeKeeper, stamp: Stamp) -> int:
    """UTC ns of a stamp that a format read."""
    if stamp.zone:
        times.set_zone_abbreviation(stamp.zone)
    if stamp.epoch_s is not None:
        whole_ns = times.at_epoch(stamp.epoch_s)
    elif stamp.moment is not None:
        whole_ns = times.at_datetime(stamp.moment)
    else:
        whole_ns = times.at_time_of_day(stamp.tod_s)
    return whole_ns + stamp.fraction_ns


@record(frozen=False)
class _TableClock:
    """Where one table of the capture has come to."""

    day: date | None
    tod_s: int = -1  # last time of day seen, in a heading or a row
    row_tod_s: int = -1  # of the last row
    last_ns: int | None = None  # last row's time
    heading_ns: int | None = None  # the heading's time, on a day with a clock change


class TimeKeeper:
    """Keeps the time of one capture.

    A parser tells it the date it read and then asks for the time of each stamp; the keeper passes
    midnights, picks the right side of a DST fold, and records restarts, gaps and jumps as events.
    Stamps without a zone are in the host's zone (`ParseContext.zone`).

    A capture may print several tables, one after the other (sar -A of a file) or in turns (sar -A live).
    `begin_table` gives each its own clock, so that neither is taken for midnight, and midnight is seen
    in each.
    """

    def __init__(self, context: ParseContext, book: LedgerBook) -> None:
        self.context = context
        self.events: list[CaptureEvent] = []
        self._known_events: set[CaptureEvent] = set()
        self._book = book
        self._zone: ZoneInfo = context.zone
        self._zone_source = context.zone_source
        self._zone_used = False
        self._offset_seen = ""
        self._first_day: date | None = context.date
        self._first_tod_s = -1
        self._first_banner: date | None = None
        self._clock = _TableClock(context.date)
        self._clocks: dict[str, _TableClock] = {}
        self._midnight_ns: dict[date, int | None] = {}
        self.line_stamp: Stamp | None = None  # what a script put before the line that is being read
        self._unstamped_next_ns: int | None = None
        self._unstamped_step_ns: int | None = None  # None: nobody had to say how long it is
        self._steps: dict[int, int] = {}  # length of step -> how often
        self._places: dict[int, dict[tuple[int, int], None]] = {}  # length of step -> {(from, to)}
        if context.date is not None:
            book.assume("date", context.date.isoformat(), "user")

    # -- what the capture says of itself ---------------------------------------------------------

    @property
    def day(self) -> date | None:
        return self._clock.day

    @property
    def last_ns(self) -> int | None:
        """UTC ns of the last stamp of the table that is being read; None above its first."""
        return self._clock.last_ns

    @property
    def interval_s(self) -> float | None:
        """The typical step between stamps, seconds: the weighted median of all steps."""
        typical = self._typical_step()
        return None if typical is None else typical / NS_PER_S

    def set_day(self, day: date) -> None:
        """The date printed in a banner; all tables start over. A day that cannot be (damage) is asked for.

        The user's own word (`ParseContext.date`) on the first day wins; later banners then count from it.
        """
        if not is_plausible(day):
            if self.context.date is None:
                self._book.need("date")
            return
        if self._first_banner is None:
            self._first_banner = day
        if self.context.date is not None:
            day = self.context.date + (day - self._first_banner)
        self._first_day = day
        self._first_tod_s = -1
        self._clocks.clear()
        self.restart_table()

    def set_printed_day(self, text: str, hint_day_first: bool | None = None) -> bool:
        """`set_day` with the date that `text` spells; an order of parts that had to be guessed is booked."""
        modified = None
        if self.context.modified_ns:
            modified = datetime.fromtimestamp(self.context.modified_ns // NS_PER_S, tz=self._zone).date()
        path = self.context.path or self.context.file_name
        reading = read_printed_date(text, self.context.day_first, hint_day_first, path, modified)
        if reading is None:
            return False
        if not reading.certain and self.context.date is None:
            self._book.assume("date_order", reading.order, "default")
            self._book.need("date")
        elif self.context.day_first is not None and "/" in text:
            self._book.assume("date_order", reading.order, "user")
        self.set_day(reading.day)
        return True

    def set_zone(self, zone: ZoneInfo, source: str) -> None:
        """A zone the capture names itself (``KST`` in vmstat -t's heading); the user's word wins."""
        if self.context.zone_source != "user":
            self._zone, self._zone_source = zone, source
            self._midnight_ns.clear()

    def set_zone_abbreviation(self, name: str) -> None:
        """``KST``, ``UTC`` ...: used where it means one zone only, or fits the zone known so far."""
        zone = ZONE_OF_ABBREVIATION.get(name)
        if zone is not None:
            self.set_zone(ZoneInfo(zone), "stamp")
        elif self.context.zone_source != "user" and self._zone_source != "stamp":
            year = (self._clock.day or date(2000, 1, 1)).year
            names = {datetime(year, month, 1, tzinfo=self._zone).tzname() for month in (1, 7)}
            if name not in names:
                self._book.warn("zone_ambiguous")
                self._book.need("zone")

    def begin_table(self, name: str, heading_tod_s: int | None = None) -> None:
        """The next stamps belong to the table `name`; each table keeps its own midnight.

        Args:
            heading_tod_s: the time of day of the heading, where it has a stamp of its own: the table's
                first row follows it, so that 23:50 above 00:00 is the next day.
        """
        clock = self._clocks.get(name)
        if clock is None:
            clock = self._clocks[name] = _TableClock(self._first_day, self._first_tod_s)
        self._clock = clock
        if heading_tod_s is not None:
            self._pass_heading(heading_tod_s)

    def _pass_heading(self, seconds: int) -> None:
        clock = self._clock
        if clock.day is None:
            self._assume_day()
        self._advance(seconds)
        assert clock.day is not None
        if self._midnight_of(clock.day) is None:
            clock.heading_ns = self._resolve_fold(_local(clock.day, seconds))

    def restart_table(self) -> None:
        """The next stamps start over (a table without a name is read again from the first time)."""
        self._clock = _TableClock(self._first_day, self._first_tod_s)

    def continue_here(self) -> None:
        """Tables that follow start at the last stamp, not at the capture's first (after a restart mark)."""
        self._first_day, self._first_tod_s = self._clock.day, self._clock.tod_s
        self._clocks.clear()
        self.restart_table()

    # -- stamps ----------------------------------------------------------------------------------

    def at_time_of_day(self, seconds: int) -> int:
        """UTC ns of a stamp without a date (``00:10:01`` = 601), passing midnight where it falls back."""
        clock = self._clock
        if clock.day is None:
            self._assume_day()
        if seconds == clock.row_tod_s and clock.last_ns is not None:
            return clock.last_ns
        clock.row_tod_s = seconds
        self._advance(seconds)
        assert clock.day is not None
        midnight_ns = self._midnight_of(clock.day)
        if midnight_ns is not None:
            return self._keep(midnight_ns + seconds * NS_PER_S)
        return self._keep(self._resolve_fold(_local(clock.day, seconds)))

    def at_times_of_day(
        self, seconds: NDArray[np.int64], is_heading: NDArray[np.bool_] | None = None
    ) -> NDArray[np.int64]:
        """`at_time_of_day` of many stamps of one table: int64[n] seconds -> int64[n] UTC ns.

        Args:
            is_heading: bool[n], stamps of headings (`begin_table`), which are left out of the result.
        """
        clock = self._clock
        if not len(seconds):
            return np.zeros(0, dtype=np.int64)
        if is_heading is None:
            is_heading = np.zeros(len(seconds), dtype=bool)
        if clock.day is None:
            self._assume_day()
        assert clock.day is not None
        midnight_ns = self._midnight_of(clock.day)
        rising = seconds[0] >= clock.tod_s >= clock.row_tod_s and bool((seconds[1:] >= seconds[:-1]).all())
        if midnight_ns is None or not rising:
            return self._one_by_one(seconds, is_heading)
        clock.tod_s = int(seconds[-1])
        rows_s = seconds[~is_heading]
        times_ns = midnight_ns + rows_s * NS_PER_S
        if len(times_ns):
            self._keep_rising(times_ns)
            clock.row_tod_s, clock.last_ns = int(rows_s[-1]), int(times_ns[-1])
        return times_ns

    def _one_by_one(self, seconds: NDArray[np.int64], is_heading: NDArray[np.bool_]) -> NDArray[np.int64]:
        times_ns = []
        for stamp_s, of_heading in zip(seconds.tolist(), is_heading.tolist(), strict=True):
            if of_heading:
                self._pass_heading(stamp_s)
            else:
                times_ns.append(self.at_time_of_day(stamp_s))
        return np.asarray(times_ns, dtype=np.int64)

    def at_rising(self, times_ns: NDArray[np.int64]) -> NDArray[np.int64]:
        """Stamps of one table that were resolved beside one of the same offset: int64[n] UTC ns, as a rule rising."""
        if not len(times_ns):
            return times_ns
        clock = self._clock
        if bool((times_ns[1:] >= times_ns[:-1]).all()) and (clock.last_ns is None or times_ns[0] >= clock.last_ns):
            self._keep_rising(times_ns)
            clock.last_ns = int(times_ns[-1])
        else:
            for time_ns in times_ns.tolist():
                self._keep(time_ns)
        return times_ns

    def nearest_time_of_day(self, seconds: int) -> int:
        """UTC ns of a stamp that stands beside the rows (a comment): on the day that brings it nearest."""
        clock = self._clock
        if clock.day is None:
            self._assume_day()
        assert clock.day is not None
        days = [clock.day + timedelta(days=shift) for shift in (-1, 0, 1)]
        if clock.last_ns is None:
            days = days[1:2]
        times_ns = [utc_ns(_local(day, seconds).replace(tzinfo=self._zone)) for day in days]
        return min(times_ns, key=lambda time_ns: abs(time_ns - (clock.last_ns or 0)))

    def at_datetime(self, moment: datetime) -> int:
        """UTC ns of a full stamp; a naive one is local to the host."""
        if moment.tzinfo is not None:
            self._offset_seen = moment.strftime("%z")
            return self._keep(utc_ns(moment))
        clock = self._clock
        tod_s = moment.hour * 3600 + moment.minute * 60 + moment.second
        if clock.last_ns is not None and (clock.day, clock.tod_s) == (moment.date(), tod_s) and not moment.microsecond:
            return clock.last_ns
        clock.day, clock.tod_s = moment.date(), tod_s
        return self._keep(self._resolve_fold(moment))

    def moment_of(self, moment: datetime) -> int:
        """UTC ns of a stamp that is no sample's, such as the start of a request: they come in any order, and nothing is
        concluded from it; a naive one is local to the host."""
        return utc_ns(moment) if moment.tzinfo is not None else self._resolve_fold(moment)

    def at_datetimes(self, seconds: NDArray[np.int64]) -> NDArray[np.int64]:
        """`at_datetime` of many naive stamps: int64[n] seconds since 1970 on the host's clock -> int64[n] UTC ns."""
        days, tod_s = np.divmod(seconds, DAY_S)
        seams = [0, *(np.flatnonzero(np.diff(days)) + 1).tolist(), len(seconds)]
        parts = [self._on_day(int(days[low]), tod_s[low:high]) for low, high in pairwise(seams) if high > low]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)

    def _on_day(self, day: int, tod_s: NDArray[np.int64]) -> NDArray[np.int64]:
        """Stamps of one day, counted from 1970; the first settles where the clock stands."""
        start = datetime(1970, 1, 1) + timedelta(days=day)
        first_ns = self.at_datetime(start + timedelta(seconds=int(tod_s[0])))
        midnight_ns = self._midnight_of(start.date())
        times_ns = (midnight_ns or 0) + tod_s * NS_PER_S
        if midnight_ns is None or first_ns != times_ns[0] or bool((tod_s[1:] < tod_s[:-1]).any()):
            rest = [self.at_datetime(start + timedelta(seconds=one)) for one in tod_s[1:].tolist()]
            return np.asarray([first_ns, *rest], dtype=np.int64)
        self._clock.tod_s = int(tod_s[-1])
        return self.at_rising(times_ns)

    def at_epoch(self, seconds: float) -> int:
        """UTC ns of an epoch stamp."""
        self._offset_seen = "+0000"
        whole = int(seconds // 1)
        return self._keep(whole * NS_PER_S + round((seconds - whole) * NS_PER_S))

    def at_epochs(self, seconds: NDArray[np.int64]) -> NDArray[np.int64]:
        """`at_epoch` of many stamps of one table: int64[n] whole seconds -> int64[n] UTC ns."""
        if len(seconds):
            self._offset_seen = "+0000"
        return self.at_rising(seconds * NS_PER_S)

    def next_unstamped(self, interval_s: float | None = None) -> int:
        """UTC ns of the next block of a capture that prints no times: start + i x interval.

        Start: the user's word, else a stamp in the path, else the banner's date at 00:00, else the
        file's modification time. Interval: the user's word, else `interval_s` (read from the capture; it
        may change on the way), else 1 s. Whatever was not said is booked as an assumption and asked for;
        the interval only where there is a second block. Where a script put a stamp before each line, that is the time.
        """
        if self.line_stamp is not None:
            return at_stamp(self, self.line_stamp)
        if interval_s is not None and not 0 < interval_s <= _LONGEST_INTERVAL_S:
            interval_s = None  # damage
        told_s = self.context.interval_s or interval_s
        if self._unstamped_next_ns is None:
            self._unstamped_next_ns = self._assume_start()
            if told_s is not None:
                self._unstamped_step_ns = round(self._assume_interval(interval_s) * NS_PER_S)
        else:
            if self._unstamped_step_ns is None:
                self._unstamped_step_ns = round(self._assume_interval(interval_s) * NS_PER_S)
            elif told_s is not None:
                self._unstamped_step_ns = round(told_s * NS_PER_S)
            self._unstamped_next_ns = min(self._unstamped_next_ns + self._unstamped_step_ns, _END_NS)
        self._clock.last_ns = self._unstamped_next_ns
        return self._unstamped_next_ns

    def comment(self, time_ns: int, text: str) -> None:
        """A remark of the person who captured; a tool repeats it in every section, it is kept once."""
        self._record(CaptureEvent(EventKind.COMMENT, time_ns, None, text))

    def restart(self, time_ns: int | None, text: str = "") -> None:
        """The machine was restarted: the next step is no gap, and the table's rhythm starts anew."""
        is_recorded = any(event.kind is EventKind.RESTART and event.start_ns == time_ns for event in self.events)
        if time_ns is not None and not is_recorded:
            self._record(CaptureEvent(EventKind.RESTART, time_ns, None, text))
            self._book.restarts += 1
        self._clock.last_ns = None

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

    def _advance(self, seconds: int) -> None:
        """Moves the table's clock to a time of day, over midnight where it falls far back.

        A smaller fall is a repeated hour or a clock set back; `_resolve_fold` and `_keep` see to those.
        """
        clock = self._clock
        assert clock.day is not None
        if clock.tod_s - seconds > _MIDNIGHT_DROP_S:
            clock.day += timedelta(days=1)
        clock.tod_s = seconds

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
        clock = self._clock
        last_ns = clock.heading_ns if clock.last_ns is None else clock.last_ns
        if last_ns is not None and first <= last_ns < second:
            self._note(EventKind.REPEATED_TIME, second, None)
            return second
        return first

    def _keep(self, now_ns: int) -> int:
        last_ns = self._clock.last_ns
        self._clock.last_ns = now_ns
        if last_ns is None or now_ns == last_ns:
            return now_ns
        if now_ns < last_ns:
            self._note(EventKind.CLOCK_JUMP, now_ns, last_ns)
            self._book.warn("clock_went_back")
            return now_ns
        places = self._count_steps(now_ns - last_ns, 1)
        if len(places) < _MOST_PLACES:
            places[last_ns, now_ns] = None
        return now_ns

    def _keep_rising(self, times_ns: NDArray[np.int64]) -> None:
        last_ns = self._clock.last_ns
        if last_ns is not None:
            times_ns = np.append(np.int64(last_ns), times_ns)
        steps = np.diff(times_ns)
        rising = steps[steps > 0]
        if len(rising) and (rising == rising[0]).all():  # as a rule: nothing is to be sorted
            lengths, counts = rising[:1], np.array([len(rising)])
        else:
            lengths, counts = np.unique(rising, return_counts=True)
        for step, times in zip(lengths, counts, strict=True):
            places = self._count_steps(int(step), int(times))
            if len(places) < _MOST_PLACES:
                for index in np.flatnonzero(steps == step)[: _MOST_PLACES - len(places)].tolist():
                    places[int(times_ns[index]), int(times_ns[index + 1])] = None

    def _count_steps(self, step: int, times: int) -> dict[tuple[int, int], None]:
        """Counts steps of one length; gives the places where such steps were, to be added to."""
        self._steps[step] = self._steps.get(step, 0) + times
        return self._places.setdefault(step, {})

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
        long_steps = [places for step, places in self._places.items() if step > GAP_FACTOR * typical]
        for start_ns, end_ns in sorted(step for places in long_steps for step in places):
            if self._note(EventKind.GAP, start_ns, end_ns):
                self._book.gaps += 1
        self._places.clear()

    def _note(self, kind: EventKind, start_ns: int, end_ns: int | None) -> bool:
        """Records an event once, however many tables pass it; a repeated hour only where it begins."""
        if kind is EventKind.REPEATED_TIME and any(
            event.kind is kind and abs(event.start_ns - start_ns) < 2 * 3600 * NS_PER_S for event in self.events
        ):
            return False
        return self._record(CaptureEvent(kind, start_ns, end_ns))

    def _record(self, event: CaptureEvent) -> bool:
        if event in self._known_events:
            return False
        self._known_events.add(event)
        self.events.append(event)
        return True

    def _assume_day(self) -> None:
        moment = start_from_path(self.context.path or self.context.file_name)
        if moment is not None:
            day, source = moment.date(), "path"
        else:
            modified = datetime.fromtimestamp(self.context.modified_ns / NS_PER_S, tz=self._zone)
            day, source = modified.date(), "mtime"
        self._first_day = self._clock.day = day
        self._book.assume("date", day.isoformat(), source)
        self._book.need("date")

    def _assume_start(self) -> int:
        self._zone_used = True
        if self.context.start is not None:
            start = self.context.start
            self._book.assume("start", start.isoformat(sep=" "), "user")
            return utc_ns(start if start.tzinfo else start.replace(tzinfo=self._zone))
        stated = start_from_path(self.context.path or self.context.file_name)
        if stated is not None:
            start, source = stated.replace(tzinfo=self._zone), "path"
        elif self._clock.day is not None:
            day = self._clock.day
            start, source = datetime(day.year, day.month, day.day, tzinfo=self._zone), "banner"
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
            interval_s = self._book.guess_interval()
        self._book.interval_s = interval_s
        return interval_s


def _local(day: date, seconds: int) -> datetime:
    """Local wall-clock time; 24:00:00 is the next midnight."""
    return datetime(day.year, day.month, day.day) + timedelta(seconds=seconds)
