"""Times as a table prints them: ``%Y-%m-%d %H:%M:%S``, ISO 8601, seconds since 1970.

The letters are those of `strptime`, as far as a capture needs them::

    %Y 2026  %y 26  %m 11  %d 21  %b Nov  %a Sat  %H 16  %I 04  %p PM  %M 10  %S 13  %f fraction  %z +0900  %Z KST

or one word for the whole stamp: ``iso``, ``epoch_s``, ``epoch_ms``, ``epoch_us``, ``epoch_ns``, or ``excel``: days
since 1899-12-30 on the host's clock, as a spreadsheet counts them (46223.375).
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from functools import cache, lru_cache

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record

NS_PER_S = 1_000_000_000
EPOCHS = {"epoch_s": 1, "epoch_ms": 1_000, "epoch_us": 1_000_000, "epoch_ns": 1_000_000_000}
EXCEL = "excel"
WHOLE_WORDS = ("iso", EXCEL, *EPOCHS)
_LAST_YEAR = 2199
_LAST_EPOCH_S = 7_258_118_400  # 2200-01-01
_LONGEST_STAMP = 80


def _ascii(expression: str) -> re.Pattern[str]:
    """Digits are 0 to 9 only, whatever else Unicode calls one."""
    return lazy_pattern(expression.replace(r"\d", "[0-9]"))


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LETTERS = {
    "Y": r"(?P<Y>\d{4})", "y": r"(?P<y>\d\d)", "m": r"(?P<m>\d{1,2})", "d": r"(?P<d>\d{1,2})",
    "b": r"(?P<b>[A-Za-z]{3})", "a": r"[A-Za-z가-힣]{1,9}\.?", "H": r"(?P<H>\d{1,2})", "I": r"(?P<I>\d{1,2})",
    "p": r"(?P<p>[AaPp]\.?[Mm]\.?|오전|오후)",
    "M": r"(?P<M>\d\d)", "S": r"(?P<S>\d\d)", "f": r"(?P<f>\d{1,9})", "z": r"(?P<z>Z|[+-]\d\d:?\d\d)",
    "Z": r"(?P<Z>[A-Z][A-Za-z]{1,5})",
}  # fmt: skip
_ISO = _ascii(
    r"(?P<Y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)[T ](?P<H>\d\d):(?P<M>\d\d)(?::(?P<S>\d\d)(?:[.,](?P<f>\d{1,9}))?)?\s?"
    r"(?P<z>Z|[+-]\d\d:?\d\d)?"
)
_EXCEL = _ascii(r"(?P<days>\d{5}(?:[.,]\d{1,17})?)")
_EXCEL_START = datetime(1899, 12, 30)
_EXCEL_YEARS = (1970, 2200)
_EPOCH = _ascii(r"(?P<e>\d{1,20})(?:[.,](?P<f>\d{1,9}))?")


class FormatFault(ValueError):
    """The format is none; the message is the letter that is wrong or missing."""


@record
class Stamp:
    """One printed time.

    Attributes:
        moment: with the date; naive where the stamp has no offset. None for a time of day.
        tod_s: the time of day, seconds.
        fraction_ns: what is beyond the whole second.
        epoch_s: whole seconds since 1970, for epoch stamps.
        zone: an abbreviation that was printed (``KST``).
    """

    moment: datetime | None = None
    tod_s: int = 0
    fraction_ns: int = 0
    epoch_s: int | None = None
    zone: str = ""


@record
class StampFormat:
    """A format made ready. `words` is how many blank-separated words a stamp has."""

    text: str
    expression: re.Pattern[str]
    words: int
    has_date: bool
    has_time: bool

    def read(self, text: str) -> Stamp | None:
        """The time that `text` spells; None where it spells none."""
        match = self.expression.fullmatch(text) if len(text) <= _LONGEST_STAMP else None
        if match is None:
            return None
        part = match.groupdict()
        if "days" in part:
            return _excel(float((part["days"] or "0").replace(",", ".")))
        if "e" in part:
            return _epoch(int(part["e"]), part["f"] or "", EPOCHS[self.text])
        try:
            return _stamp(part, self.has_date)
        except ValueError:
            return None


@cache
def stamp_format(text: str) -> StampFormat:
    """The format that `text` spells.

    Raises:
        FormatFault: an unknown or repeated letter, or neither a date nor a time in it.
    """
    if text in EPOCHS:
        return StampFormat(text, _EPOCH, 1, True, True)
    if text == "iso":
        return StampFormat(text, _ISO, 1, True, True)
    if text == EXCEL:
        return StampFormat(text, _EXCEL, 1, True, True)
    letters = _letters(text)
    has_date = bool({"Y", "y"} & letters) and bool({"m", "b"} & letters) and "d" in letters
    has_time = bool({"H", "I"} & letters) and "M" in letters
    if "I" in letters and "p" not in letters:
        raise FormatFault("%p")
    if letters & {"Y", "y", "m", "b", "d"} and not has_date:
        lacking = {"Y": {"Y", "y"}, "m": {"m", "b"}, "d": {"d"}}
        raise FormatFault(next(f"%{letter}" for letter, either in lacking.items() if not either & letters))
    if not has_time and not has_date:
        raise FormatFault(text)
    return StampFormat(text, _ascii(_expression(text)), len(text.split()), has_date, has_time)


def _letters(text: str) -> set[str]:
    seen: set[str] = set()
    for match in re.finditer(r"%(.?)", text):
        letter = match[1]
        if letter not in _LETTERS or (letter in seen and letter != "a"):
            raise FormatFault(match[0])
        seen.add(letter)
    return seen


def _expression(text: str) -> str:
    parts = re.split(r"(%.|\s+)", text.strip())
    return "".join(
        _LETTERS[part[1]] if part.startswith("%") else r"\s+" if part.isspace() else re.escape(part)
        for part in parts
        if part
    )


def _stamp(part: dict[str, str | None], has_date: bool) -> Stamp | None:
    """Raises ValueError for a date or a time that is none."""
    hour = _hour(part)
    minute, second = int(part.get("M") or 0), int(part.get("S") or 0)
    tod_s = hour * 3600 + minute * 60 + second
    if minute > 59 or second > 60 or tod_s > 86_400:
        return None
    fraction_ns = int((part.get("f") or "0").ljust(9, "0"))
    zone = part.get("Z") or ""
    if not has_date:
        return Stamp(None, tod_s, fraction_ns, None, zone)
    day = _day(part.get("Y") or "", part.get("y") or "", part.get("m") or part.get("b") or "", part["d"] or "")
    moment = day + timedelta(seconds=tod_s)
    offset = _offset(part.get("z"))
    if offset is not None:
        moment = moment.replace(tzinfo=offset)
    return Stamp(moment, tod_s, fraction_ns, None, zone)


def _hour(part: dict[str, str | None]) -> int:
    if part.get("I") is None:
        return int(part.get("H") or 0)
    hour, half = int(part["I"] or 0), (part["p"] or "").lower()
    if not 1 <= hour <= 12:
        raise ValueError(hour)
    return hour % 12 + (12 if half.startswith("p") or half == "오후" else 0)


@lru_cache(maxsize=64)
def _day(year: str, short_year: str, month: str, day: str) -> datetime:
    """Midnight of the day that is printed so; most rows of a capture are of one day."""
    number = int(year) if year else int(short_year) + (2000 if int(short_year) < 80 else 1900)
    if not 1970 < number <= _LAST_YEAR:
        raise ValueError(number)
    return datetime(number, int(month) if month.isdecimal() else _MONTHS.index(month.lower()) + 1, int(day))


def _offset(text: str | None) -> timezone | None:
    if not text:
        return None
    if text == "Z":
        return UTC
    hours, minutes = int(text[1:3]), int(text[-2:])
    if hours > 14 or minutes > 59:
        raise ValueError(text)
    return timezone((-1 if text[0] == "-" else 1) * timedelta(hours=hours, minutes=minutes))


def _excel(days: float) -> Stamp | None:
    """To the millisecond, which is what the fraction of a day can hold."""
    whole_s, milliseconds = divmod(round(days * 86_400_000), 1000)
    moment = _EXCEL_START + timedelta(seconds=whole_s)
    first, beyond = _EXCEL_YEARS
    return Stamp(moment, 0, milliseconds * 1_000_000) if first < moment.year < beyond else None


def _epoch(number: int, fraction: str, per_second: int) -> Stamp | None:
    """``1795245013.25`` and ``1795245013250`` to the nanosecond, without going through a double."""
    whole_ns = number * (NS_PER_S // per_second) + int(fraction.ljust(9, "0") or 0) // per_second
    seconds, fraction_ns = divmod(whole_ns, NS_PER_S)
    if not 86_400 <= seconds < _LAST_EPOCH_S:
        return None
    return Stamp(None, 0, fraction_ns, seconds)
