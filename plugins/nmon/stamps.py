"""nmon's dates and times, and the times of snapshots.

ZZZZ,T0001,13:18:32,07-DEC-2012        the month in the language of the host: DEZ, DÉC, 12월
ZZZZ,T0001,13:18:32                    old versions: the date stands in AAA only
AAA,time,13:18.31                      hours, minutes, a point, seconds
AAA,date,10-FEB-2016
"""

from __future__ import annotations

import unicodedata
from datetime import date
from functools import lru_cache

from tunebench.sdk import decode_text, is_plausible, lazy_pattern

_TIME = lazy_pattern(rb"^\s*(\d{1,2})[:.](\d\d)[:.](\d\d)\s*$")
_DATE = lazy_pattern(
    r"^\s*(?P<day>\d{1,2})[-./ ]\s*(?P<month>[^\d\s.-]\D*?|\d{1,2}\s?[월月]?)\.?[-./ ]\s*(?P<year>\d{4}|\d\d)\s*$"
)
_MONTHS = (
    ("jan", "ene", "gen"), ("feb", "fev", "fvr"), ("mar", "mrz"), ("apr", "avr", "abr"), ("mai", "may", "mag", "maj"),
    ("jun", "juin", "giu"), ("jul", "juil", "lug"), ("aug", "aou", "ago"), ("sep", "set"), ("oct", "okt", "ott", "out"),
    ("nov",), ("dec", "dez", "dic"),
)  # fmt: skip
_LANGUAGE = {"dez": "de", "mrz": "de", "okt": "de", "fev": "fr", "avr": "fr", "juin": "fr", "juil": "fr", "aou": "fr"}


def read_time(cell: bytes) -> int | None:
    """Seconds of the day."""
    match = _TIME.match(cell)
    if match is None:
        return None
    hours, minutes, seconds = (int(part) for part in match.groups())
    return hours * 3600 + minutes * 60 + seconds if hours < 24 and minutes < 60 and seconds < 61 else None


@lru_cache(maxsize=64)  # a file has one date per day and a line of it per snapshot
def read_date(cell: bytes) -> date | None:
    """The day; None where it is no date or its month is in no language known here."""
    match = _DATE.match(decode_text(cell[:40]))
    month = month_number(match["month"]) if match is not None else None
    if match is None or month is None:
        return None
    year = int(match["year"])
    try:
        day = date(year if year > 99 else 2000 + year, month, int(match["day"]))
    except ValueError:
        return None
    return day if is_plausible(day) else None


def month_number(name: str) -> int | None:
    digits = name.strip(" 월月")
    if digits.isdecimal():
        return int(digits) if 1 <= int(digits) <= 12 else None
    plain = _without_accents(name)
    for number, names in enumerate(_MONTHS, 1):
        if any(plain.startswith(one) for one in names):
            return number
    return None


@lru_cache(maxsize=64)
def language_of(cell: bytes) -> str:
    """The language that a date's month is written in, where only one writes it so."""
    match = _DATE.match(decode_text(cell[:40]))
    if match is None:
        return ""
    if match["month"].strip()[-1:] == "월":
        return "ko"
    plain = _without_accents(match["month"])
    return next((language for name, language in _LANGUAGE.items() if plain.startswith(name)), "")


def _without_accents(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text.strip().lower())
    return "".join(part for part in parts if not unicodedata.combining(part))
