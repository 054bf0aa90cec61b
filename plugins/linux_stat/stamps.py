"""Stamps: what the tools print above a block, and what wrapper scripts print around them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone

from tunebench.families.page_reading import DAY_FIRST, MONTH_FIRST, YEAR_FIRST, read_printed_date
from tunebench.sdk import LedgerBook, ParseContext, TimeKeeper, decode_text, is_plausible, lazy_pattern

UNDETERMINED = "und"
NS_PER_S = 1_000_000_000

_TIME = lazy_pattern(
    r"(?P<early>오전|오후|午前|午後|上午|下午)?\s*"
    r"(?<![\d:])(?P<hour>\d{1,2})\s?[:시時时]\s?(?P<minute>\d{2})\s?[:분分]\s?(?P<second>\d{2})"
    r"(?P<fraction>[.,]\d{1,9})?(?![\d:])\s?[초秒]?\s*(?P<late>[AaPp]\.?\s?[Mm]\b\.?|오전|오후|午前|午後)?"
)
_OFFSET = lazy_pattern(r"^\s*(?P<zone>Z|[+-]\d{2}:?\d{2})(?!\d)")
_ABBREVIATION = lazy_pattern(r"\b(?P<zone>[A-Z]{3,5})\b")
_DATE_TEXT = lazy_pattern(
    r"\d{4}\s?[-/.]\s?\d{1,2}\s?[-/.]\s?\d{1,2}"
    r"|(?:\d{4}|\d{2})\s?[년年]\s?\d{1,2}\s?[월月]\s?\d{1,2}\s?[일日]"
    r"|(?<!\d)\d{1,2}\.\s?\d{1,2}\.\s?(?:\d{4}|\d{2})(?!\d)"
    r"|(?<!\d)\d{1,2}[/-]\d{1,2}[/-](?:\d{4}|\d{2})(?!\d)"
)
_COMPACT = lazy_pattern(r"(?<!\d)(20\d\d)(0[1-9]|1[0-2])([0-3]\d)[-_T ]?([0-2]\d):?([0-5]\d):?([0-5]\d)(?!\d)")
_EPOCH = lazy_pattern(r"^[^\w-]*(1[0-9]{9})(?:\.(\d{1,9}))?\W*$")
_WORD = lazy_pattern(r"[^\W\d_]{3,9}", re.UNICODE)
_DAY_BEHIND = lazy_pattern(r"(?<![\d:])(\d{1,2})\.?[ -]*$")
_DAY_AHEAD = lazy_pattern(r"^\.?[ -]+(\d{1,2})(?![\d:])")
_YEAR = lazy_pattern(r"(?<![\d:.])((?:19|20)\d\d)(?![\d:])")
_KOREAN_MONTH = lazy_pattern(r"(?<!\d)(\d{1,2})월\s*(\d{1,2})(?!\d)")
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan",
            "feb fév fev",
            "mar mär mrz",
            "apr avr",
            "may mai",
            "jun juin",
            "jul juil",
            "aug aoû",
            "sep",
            "oct okt",
            "nov",
            "dec dez déc",
        ),
        1,
    )
    for name in names.split()
}
_NUMBER_CELL = lazy_pattern(r"(?<!\S)\d+(?:[.,]\d+)?(?!\S)")
_OTHER_WORDS = lazy_pattern(r"[^\W\d_]+", re.UNICODE)
_WORDS_IN_A_STAMP = 9
_NUMBERS_IN_A_STAMP = 4  # ``zzz ***Wed Feb 29 11:01:52 EST 2012 Sample interval: 5 seconds``; a row of a table has more
_OF_ANOTHER_TIME = lazy_pattern(
    r"(?:\blogin|connexion|Anmeldung|로그인|ログイン|登录)\s?[:：]"
    r"|\b(?:passwords?|authentication|log(?:ged|s)? ?(?:in|on)|(?:re)?boot(?:ed)?|expires?)\b",
    re.IGNORECASE,
)
_ISO_FIRST = lazy_pattern(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")

LOCALE_OF_SCRIPT = (("년", "ko"), ("시", "ko"), ("年", "ja"), ("時", "ja"))


def time_of_day_s(text: str) -> int | None:
    """Seconds since midnight of a printed time; None where `text` has none.

    ``16:10:13``, ``03:49:57 PM``, ``16시 10분 13초``, ``16時10分13秒``, ``오후 04:10:13``.
    """
    match = _TIME.search(text)
    return None if match is None else _seconds(match)


def _seconds(match: re.Match[str]) -> int | None:
    hour, minute, second = int(match["hour"]), int(match["minute"]), int(match["second"])
    half = (match["late"] or match["early"] or "").lower().replace(" ", "").replace(".", "")
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half in ("pm", "오후", "午後", "下午") else 0)
    if hour > 24 or minute > 59 or second > 60:
        return None
    return hour * 3600 + minute * 60 + second


def iso_moment(text: bytes) -> datetime | None:
    """``2026-11-21T16:10:13+0900``, ``2026-11-21 16:10:13``; None where it is none, or damaged."""
    try:
        moment = datetime.fromisoformat(text.decode("ascii").strip())
    except ValueError:
        return None
    return moment if is_plausible(moment) else None


def is_of_another_time(text: str) -> bool:
    """``Last login: Fri Jul 17 18:22:41 2026 from 10.0.0.5``, a boot, a password that expires: not the capture's."""
    return _OF_ANOTHER_TIME.search(text) is not None


class Hints:
    """What the first lines of a capture show of the locale it was taken in."""

    def __init__(self) -> None:
        self.twelve_hour = False
        self.comma_decimals = False
        self.locale = ""

    def look(self, line: bytes) -> None:
        if not self.comma_decimals and re.search(rb"\s\d+,\d\d(?:\s|$)", line):
            self.comma_decimals = True
        if not self.twelve_hour and re.search(rb"\d\d:\d\d:\d\d [AP]M\b", line):
            self.twelve_hour = True
        if not self.locale and not line.isascii():
            text = decode_text(line)
            self.locale = next((name for sign, name in LOCALE_OF_SCRIPT if sign in text), "")

    @property
    def day_first(self) -> bool | None:
        """The order of a slashed date this locale prints; None where nothing tells."""
        if self.twelve_hour:
            return False
        return True if self.comma_decimals else None

    def name(self, dates: str) -> str:
        """The locale, as far as the capture shows it: ``C``, ``ko``, ``en_US``, ``de`` ..."""
        if self.locale:
            return self.locale
        if self.twelve_hour:
            return "en_US"
        if "." in dates:
            return "de"
        if self.comma_decimals:
            return "fr" if "/" in dates else UNDETERMINED
        return "C"


class StampReader:
    """Reads stamps; the order of day and month is decided once and kept for the whole capture."""

    def __init__(self, context: ParseContext, times: TimeKeeper, book: LedgerBook, hints: Hints) -> None:
        self._context = context
        self._times = times
        self._book = book
        self._hints = hints
        self._days: dict[str, date | None] = {}
        self._day_first: bool | None = context.day_first
        self._zones: dict[str, timezone] = {}
        self.dates_seen = ""

    # -- dates -----------------------------------------------------------------------------------

    def set_banner_day(self, text: str) -> None:
        """Takes the date of a banner as the day of the stamps that follow."""
        day = self.day_of(text)
        if day is not None and is_plausible(day):
            self._times.set_day(day)

    def day_of(self, text: str) -> date | None:
        """The date that `text` spells, by the capture's order of parts."""
        if text not in self._days:
            self._days[text] = self._read_day(text)
        return self._days[text]

    def _read_day(self, text: str) -> date | None:
        modified = None
        if self._context.modified_ns:
            modified = datetime.fromtimestamp(self._context.modified_ns // NS_PER_S, tz=self._context.zone).date()
        path = self._context.path or self._context.file_name
        reading = read_printed_date(text, self._order_said(text), self._hints.day_first, path, modified)
        if reading is None:
            return None
        self.dates_seen = self.dates_seen or text
        if self._day_first is None and reading.order in (MONTH_FIRST, DAY_FIRST):
            self._day_first = reading.order == DAY_FIRST
            if not reading.certain and self._hints.day_first is None:
                self._book.assume("date_order", reading.order, "default")
                self._book.need("date")
        elif self._context.day_first is not None and reading.order != YEAR_FIRST:
            self._book.assume("date_order", reading.order, "user")
        return reading.day

    def _order_said(self, text: str) -> bool | None:
        """The order of parts that is known: said by the user, seen before, or the one that gives the user's date."""
        if self._day_first is not None or self._context.date is None:
            return self._day_first
        for day_first in (False, True):
            reading = read_printed_date(text, day_first)
            if reading is not None and reading.day == self._context.date:
                return day_first
        return None

    # -- stamps with a date ----------------------------------------------------------------------

    def moment(self, text: str) -> datetime | None:
        """The date and time `text` spells, aware where it names an offset; None where it spells none.

        ``2026-11-21T16:10:13+0900``, ``11/21/26 16:10:13``, ``2026년 11월 21일 16시 10분 13초``,
        ``Sat Nov 21 16:15:32 KST 2026``, ``zzz ***Wed Feb 29 11:01:52 EST 2012``, ``1795250734``.
        """
        if _ISO_FIRST.match(text):
            moment = iso_moment(text.encode())
            if moment is not None:
                return moment
        compact = _COMPACT.search(text)
        if compact:
            return _datetime_or_none(*(int(part) for part in compact.groups()))
        epoch = _EPOCH.match(text)
        if epoch:
            return datetime.fromtimestamp(int(epoch[1]), tz=UTC)
        match = _TIME.search(text)
        seconds = None if match is None else _seconds(match)
        if match is None or seconds is None:
            return None
        before, after = text[: match.start()], text[match.end() :]
        day = self._find_day(before, after)
        if day is None or not is_plausible(day):
            return None
        moment = datetime(day.year, day.month, day.day) + timedelta(seconds=seconds)
        if match["fraction"]:
            moment += timedelta(seconds=float("0." + match["fraction"][1:]))
        return self._with_zone(moment, after)

    def _find_day(self, before: str, after: str) -> date | None:
        for part in (before, after):
            spelled = _DATE_TEXT.search(part)
            if spelled:
                return self.day_of(spelled[0])
        return self._named_day(before, after)

    def _named_day(self, before: str, after: str) -> date | None:
        """``Sat Nov 21 ... 2026``, ``21 Nov 2026``, ``11월 21``; the year may be missing."""
        korean = _KOREAN_MONTH.search(before)
        if korean:
            return self._with_year(int(korean[1]), int(korean[2]), f"{before} {after}")
        for word in _WORD.finditer(before):
            month = _MONTHS.get(word[0].lower()[:4]) or _MONTHS.get(word[0].lower()[:3])
            day = _DAY_BEHIND.search(before[: word.start()]) or _DAY_AHEAD.match(before[word.end() :])
            if month is not None and day is not None:
                return self._with_year(month, int(day[1]), f"{before} {after}")
        return None

    def _with_year(self, month: int, day: int, rest: str) -> date | None:
        year = _YEAR.search(rest)
        return _date_or_none(int(year[1]) if year else self._year_of_capture(), month, day)

    def _year_of_capture(self) -> int:
        """The year of a stamp that has none: of the user's or the banner's date, else of the file's."""
        day = self._context.date or self._times.day
        if day is not None:
            return day.year
        modified = datetime.fromtimestamp(self._context.modified_ns // NS_PER_S, tz=self._context.zone)
        self._book.assume("date", str(modified.year), "mtime")
        self._book.need("date")
        return modified.year

    def _with_zone(self, moment: datetime, after: str) -> datetime:
        offset = _OFFSET.match(after)
        if offset:
            return moment.replace(tzinfo=self._offset(offset["zone"]))
        named = _ABBREVIATION.search(after)
        if named:
            self._times.set_zone_abbreviation(named["zone"])
        return moment

    def _offset(self, text: str) -> timezone:
        if text not in self._zones:
            if text == "Z":
                self._zones[text] = UTC
            else:
                minutes = int(text[1:3]) * 60 + int(text[-2:])
                self._zones[text] = timezone(timedelta(minutes=-minutes if text[0] == "-" else minutes))
        return self._zones[text]

    def wrapper_moment(self, line: bytes) -> datetime | None:
        """The moment of a line that a wrapper script printed (``date``, ``zzz ***...``, ``### 2026-...``)."""
        if len(line) > 120:
            return None
        text = decode_text(line)
        if is_of_another_time(text) or len(_NUMBER_CELL.findall(text)) > _NUMBERS_IN_A_STAMP:
            return None
        moment = self.moment(text)
        if moment is None or len(_OTHER_WORDS.findall(text)) > _WORDS_IN_A_STAMP:
            return None
        return moment


def _datetime_or_none(year: int, month: int, day: int, hour: int, minute: int, second: int) -> datetime | None:
    try:
        return datetime(year, month, day, hour, minute, second)
    except ValueError:
        return None


def _date_or_none(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
