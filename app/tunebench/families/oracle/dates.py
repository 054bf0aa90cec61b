"""Moments as AWR prints them: ``DD-Mon-YY HH24:MI:SS``, the month's name by NLS_DATE_LANGUAGE.

17-Jan-23 10:00:12   08-Ноя-17 16:11   17-1월 -23 10:00   17-1月 -23 14:00:31   01-MRZ-24 08:00   17-févr.-23 09:00
"""

from __future__ import annotations

import unicodedata
from datetime import datetime

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record

_MOMENT = lazy_pattern(
    r"([0-9]{1,2})[-. ]\s{0,3}(.{1,20}?)\s{0,3}[-. ]\s{0,3}([0-9]{4}|[0-9]{2})"
    r"\s{1,5}([0-9]{1,2})[:.]([0-9]{2})(?:[:.]([0-9]{2}))?"
)
_NUMBERED = lazy_pattern(r"([0-9]{1,2})\D{0,3}")

_MONTHS = {
    "en": "jan feb mar apr may jun jul aug sep oct nov dec",
    "de": "jan feb mrz apr mai jun jul aug sep okt nov dez",
    "fr": "janv fevr mars avr mai juin juil aout sept oct nov dec",
    "es": "ene feb mar abr may jun jul ago sep oct nov dic",
    "it": "gen feb mar apr mag giu lug ago set ott nov dic",
    "pt": "jan fev mar abr mai jun jul ago set out nov dez",
    "nl": "jan feb mrt apr mei jun jul aug sep okt nov dec",
    "sv": "jan feb mar apr maj jun jul aug sep okt nov dec",
    "pl": "sty lut mar kwi maj cze lip sie wrz paz lis gru",
    "tr": "oca sub mar nis may haz tem agu eyl eki kas ara",
    "ru": "янв фев мар апр май июн июл авг сен окт ноя дек",
}  # without their accents
"""Names of months by language, as Oracle abbreviates them; a longer form begins with the same letters."""


@record
class PrintedMoment:
    """A wall-clock time of the host; `language` of the month's name, empty where it may be English or anybody's."""

    local: datetime
    language: str


def _folded(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.replace("ł", "l").replace("ı", "i").casefold())
    return "".join(letter for letter in decomposed if letter.isalnum())


_BY_NAME: dict[str, tuple[int, str]] = {}
for _language, _names in _MONTHS.items():
    for _number, _name in enumerate(_names.split(), 1):
        _BY_NAME.setdefault(_folded(_name), (_number, _language.replace("en", "")))
_BY_NAME["мая"] = 5, "ru"


def read_month(text: str) -> tuple[int, str] | None:
    """Number and language of a month's name; ``1월`` and ``1月`` speak for themselves."""
    numbered = _NUMBERED.fullmatch(text.strip())
    if numbered is not None:
        language = "ko" if "월" in text else "ja" if "月" in text else ""
        return (int(numbered[1]), language) if 1 <= int(numbered[1]) <= 12 else None
    name = _folded(text)
    for length in (len(name), 4, 3):
        month = _BY_NAME.get(name[:length])
        if month is not None:
            return month
    return None


def read_moment(text: str) -> PrintedMoment | None:
    match = _MOMENT.match(text.strip())
    month = read_month(match[2]) if match else None
    if match is None or month is None:
        return None
    year = int(match[3]) + (2000 if len(match[3]) == 2 else 0)
    try:
        local = datetime(year, month[0], int(match[1]), int(match[4]), int(match[5]), int(match[6] or 0))
    except ValueError:
        return None
    return PrintedMoment(local, month[1]) if 1980 <= year < 2200 else None
