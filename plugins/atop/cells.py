"""What stands in a cell of atop's report, in one unit each: bytes, seconds, ms for avio, %, bits per second, MHz.

    sys    6m59s    user  60.10s    tot    23.5G    avio 69.5 µs    si 4144 Kbps    curf 2.60GHz    csw 120651e3

A number too long for its cell is ``4265e4``; sizes are powers of 1024, bit rates of 1000.
"""

from __future__ import annotations

from functools import lru_cache

from tunebench.sdk import lazy_pattern, record

COUNTED, SHARE, SIZE, TIME, OTHER = "counted", "share", "size", "time", "other"

_NUMBER = r"-?\d{1,20}(?:[.,]\d{1,6})?(?:e\d{1,2})?"
_PLAIN = lazy_pattern(rf"^{_NUMBER}$")
_PER_SECOND = lazy_pattern(rf"^(?P<number>{_NUMBER})/s$")
_SHARE = lazy_pattern(rf"^(?P<number>{_NUMBER})%$")
_SIZE = lazy_pattern(rf"^(?P<number>{_NUMBER})(?P<suffix>[BKMGTPE])B?$")
_SECONDS = lazy_pattern(
    rf"^(?:(?P<days>\d{{1,7}})d)?(?:(?P<hours>\d{{1,7}})h)?(?:(?P<minutes>\d{{1,9}})m)?(?:(?P<seconds>{_NUMBER})s)?$"
)
_UNITS = lazy_pattern(rf"^(?P<number>{_NUMBER})\s?(?P<unit>ns|us|µs|ms|[KMGT]?bps|[KMGT]?[Hh]z)$")
_FACTORS = {
    "ns": 1e-6,
    "us": 1e-3,
    "µs": 1e-3,
    "ms": 1.0,
    "bps": 1.0,
    "kbps": 1e3,
    "mbps": 1e6,
    "gbps": 1e9,
    "tbps": 1e12,
    "hz": 1e-6,
    "khz": 1e-3,
    "mhz": 1.0,
    "ghz": 1e3,
    "thz": 1e6,
}
_POWER = {suffix: power for power, suffix in enumerate("BKMGTPE")}  # a size may end in B: 0B
_AVERAGES = lazy_pattern(r"^(\d{1,3})/(\d{1,3})/(\d{1,3})$")
_LARGEST = 1e30


@record
class Figure:
    value: float
    kind: str
    per_second: bool = False


@lru_cache(maxsize=8192)  # most cells of a process list are 0.00s, 0B or 0%
def read_figure(text: str) -> Figure | None:
    """The figure of a cell; None where it holds none."""
    figure = _read(text)
    return figure if figure is None or abs(figure.value) < _LARGEST else None


def _read(text: str) -> Figure | None:
    last = text[-1:]
    if last.isdigit():
        return Figure(_float(text), COUNTED) if _PLAIN.match(text) else None
    if last == "%":
        share = _SHARE.match(text)
        return None if share is None else Figure(_float(share["number"]), SHARE)
    if last in _POWER:
        size = _SIZE.match(text)
        return None if size is None else Figure(_float(size["number"]) * 1024.0 ** _POWER[size["suffix"]], SIZE)
    if text.endswith("/s"):
        rate = _PER_SECOND.match(text)
        return None if rate is None else Figure(_float(rate["number"]), COUNTED, per_second=True)
    other = _UNITS.match(text)
    if other is not None:
        return Figure(_float(other["number"]) * _FACTORS[other["unit"].lower()], OTHER)
    seconds = read_seconds(text)
    return None if seconds is None else Figure(seconds, TIME)


def read_seconds(text: str) -> float | None:
    """``21m28s``, ``10h9m46s``, ``3d11h``, ``0.43s``."""
    match = _SECONDS.match(text) if text else None
    if match is None:
        return None
    days, hours, minutes = (int(match[name] or 0) for name in ("days", "hours", "minutes"))
    return ((days * 24 + hours) * 60 + minutes) * 60 + _float(match["seconds"] or "0")


def read_averages(text: str) -> tuple[float, float, float] | None:
    """``22/21/22``: pressure over 10, 60 and 300 seconds."""
    match = _AVERAGES.match(text)
    return None if match is None else (float(match[1]), float(match[2]), float(match[3]))


def _float(text: str) -> float:
    return float(text.replace(",", "."))
