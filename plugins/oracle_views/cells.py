"""Cells of Oracle's views: numbers and moments."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from tunebench.families.oracle.dates import read_moment
from tunebench.families.views import cells as view_cells
from tunebench.sdk import lazy_pattern, record, utc_ns

Numbers = NDArray[np.float64]
Row = Mapping[str, str]

WRAPPED = 2.0**63
"""From here on a counter of 64 bits has gone below zero: Oracle prints -1 as 18446744073709551615."""
_ISO = lazy_pattern(r"(\d{4}-\d\d-\d\d)[ T/](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?")
_KOREAN = lazy_pattern(r"(\d\d|\d{4})/(\d\d)/(\d\d)(?:\s+(?:(오전|오후)\s*)?(\d\d):(\d\d):(\d\d)(?:[.,]\d{1,9})?)?")
_HALF_DAY = lazy_pattern(r"\s(AM|PM|오전|오후)\b")
_DIGITS = lazy_pattern(r"[0-9]{1,30}")


def number(cell: str | None) -> float | None:
    """The number (``.5``, ``1,5``, ``1.2E+10``); None where nothing is reported."""
    value = view_cells.number(cell)
    return value if value is not None and value < WRAPPED else None


def numbers(cells: Sequence[str]) -> Numbers:
    """`number` of many cells; NaN for None."""
    try:
        values = np.array([float(cell) if cell.strip() else math.nan for cell in cells], dtype=np.float64)
    except ValueError:
        return np.array([number(cell.strip()) for cell in cells], dtype=np.float64)
    if "_" in "".join(cells):  # digits that only Python would read
        return np.array([number(cell.strip()) for cell in cells], dtype=np.float64)
    values[np.abs(values) >= WRAPPED] = np.nan  # infinity as well
    return values


def whole(cell: str | None) -> int | None:
    """A number that names or counts something."""
    text = (cell or "").strip()
    return int(text) if _DIGITS.fullmatch(text) else None


def read_local(cell: str | None) -> datetime | None:
    """A moment by the wall clock of the database's host, in whatever form its session printed it.

    ``2026-11-21 02:48:00``, ``2026-11-21/02:48:00`` (FIRST_LOAD_TIME), ``21-NOV-26 02.48.00.123 PM``,
    ``26/11/21 14:48:00.123`` (Korean).
    """
    text = (cell or "").strip()
    try:
        moment = _iso(text) or _korean(text) or _printed(text)
    except ValueError:
        return None
    return moment if moment is not None and moment.year in view_cells.YEARS else None


def _iso(text: str) -> datetime | None:
    match = _ISO.match(text)
    if match is None:
        return None
    return datetime.fromisoformat(f"{match[1]} {match[2]}.{(match[3] or '0')[:6]:<06}")


def _korean(text: str) -> datetime | None:
    match = _KOREAN.match(text)
    if match is None:
        return None
    year = int(match[1]) + (2000 if len(match[1]) == 2 else 0)
    hour = int(match[5] or 0)
    if match[4]:
        hour = hour % 12 + (12 if match[4] == "오후" else 0)
    return datetime(year, int(match[2]), int(match[3]), hour, int(match[6] or 0), int(match[7] or 0))


def _printed(text: str) -> datetime | None:
    printed = read_moment(text)
    if printed is None:
        return None
    half = _HALF_DAY.search(text)
    if half is None or printed.local.hour > 12:
        return printed.local
    return printed.local.replace(hour=printed.local.hour % 12 + (12 if half[1] in ("PM", "오후") else 0))


@record
class HostClock:
    """Converts the wall clock of the database's host to UTC.

    Attributes:
        ahead: of UTC, as the capture itself says; None where the host's zone has to do.
    """

    zone: ZoneInfo
    ahead: timedelta | None = None

    def ns(self, cell: str | None) -> int | None:
        moment = read_local(cell)
        if moment is None:
            return None
        if self.ahead is not None:
            return utc_ns((moment - self.ahead).replace(tzinfo=UTC))
        return utc_ns(moment.replace(tzinfo=self.zone))


def ahead_of_utc(local: str | None, utc: str | None) -> timedelta | None:
    """The difference of two readings of one moment, to the quarter of an hour."""
    here, there = read_local(local), read_local(utc)
    if here is None or there is None:
        return None
    quarters = round((here - there) / timedelta(minutes=15))
    return timedelta(minutes=15 * quarters) if abs(quarters) <= 14 * 4 else None
