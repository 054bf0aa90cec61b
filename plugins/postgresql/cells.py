"""Cells of PostgreSQL's views: numbers, times, intervals, places in the WAL."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from tunebench.families.views.cells import Numbers, number
from tunebench.sdk import lazy_pattern

Row = Mapping[str, str]

_INTERVAL = lazy_pattern(
    r"(?:(?P<days>-?\d{1,7}) days? ?)?(?:(?P<sign>-?)(?P<h>\d{1,9}):(?P<m>\d\d):(?P<s>\d\d(?:\.\d+)?))?"
)
_LSN = lazy_pattern(r"(?P<high>[0-9A-Fa-f]{1,8})/(?P<low>[0-9A-Fa-f]{1,8})")


def numbers(cells: Sequence[str]) -> Numbers:
    """`number` of many cells; NaN for None."""
    try:
        values = np.array([float(cell) if cell else math.nan for cell in cells], dtype=np.float64)
    except ValueError:
        return np.array([number(cell) for cell in cells], dtype=np.float64)
    if "_" in "".join(cells):  # digits that only Python would read
        return np.array([number(cell) for cell in cells], dtype=np.float64)
    values[np.isinf(values)] = np.nan
    return values


def seconds(cell: str | None) -> float | None:
    """PostgreSQL's statistics count in milliseconds."""
    value = number(cell)
    return None if value is None else value / 1000


def total(*values: float | None) -> float | None:
    """The sum of what is reported; None where nothing is."""
    reported = [value for value in values if value is not None]
    return sum(reported) if reported else None


def interval_s(cell: str | None) -> float | None:
    """``00:00:01.5``, ``1 day 02:03:04``."""
    match = _INTERVAL.fullmatch((cell or "").strip())
    if not cell or match is None or match.end() == 0:
        return None
    clock = 0.0
    if match["h"]:
        clock = int(match["h"]) * 3600 + int(match["m"]) * 60 + float(match["s"])
    return int(match["days"] or 0) * 86_400 + (-clock if match["sign"] else clock)


def wal_place(cell: str | None) -> int | None:
    """``16/B374D848`` as bytes from the beginning."""
    match = _LSN.fullmatch((cell or "").strip())
    return None if match is None else (int(match["high"], 16) << 32) + int(match["low"], 16)


def is_true(cell: str | None) -> bool | None:
    """``t``/``f`` and their words; None where neither stands."""
    return {"t": True, "true": True, "on": True, "f": False, "false": False, "off": False}.get((cell or "").lower())
