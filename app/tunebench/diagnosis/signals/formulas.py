"""How one figure follows from others. All take and give arrays whose last axis is that of the times; NaN stays NaN."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from types import MappingProxyType

import numpy as np

from tunebench.diagnosis.signals.streams import Numbers, Times

Formula = Callable[[Times, list[Numbers]], Numbers]

_TEN_MINUTES_NS = 600_000_000_000
_FIFTY_MINUTES_NS = 3_000_000_000_000
_HOUR_NS = 3_600_000_000_000
_NEVER_H = 1e9


def _sum(_times: Times, given: list[Numbers]) -> Numbers:
    return reduce(np.add, given)


def _sum_of_rows(_times: Times, given: list[Numbers]) -> Numbers:
    """Sum over all members; missing where one of them is."""
    total: Numbers = np.sum(given[0], axis=-2)
    return total


def _rest_of_100(_times: Times, given: list[Numbers]) -> Numbers:
    return np.clip(100.0 - reduce(np.add, given), 0.0, 100.0)


def _ratio(_times: Times, given: list[Numbers]) -> Numbers:
    """NaN where nothing is divided by: of no request there is no size."""
    above, below = given
    return _divided(above, below)


def _divided(above: Numbers, below: Numbers) -> Numbers:
    above, below = np.broadcast_arrays(above, below)
    result = np.full(above.shape, np.nan)
    np.divide(above, below, out=result, where=below != 0)
    return result


def _percent(_times: Times, given: list[Numbers]) -> Numbers:
    return 100.0 * _divided(*given)


def _percent_of_both(_times: Times, given: list[Numbers]) -> Numbers:
    one, other = given
    return 100.0 * _divided(one, one + other)


def _weighted(_times: Times, given: list[Numbers]) -> Numbers:
    """(a x + b y) / (x + y); a time of a direction without requests counts for nothing."""
    one, one_weight, other, other_weight = given
    total = np.where(one_weight > 0, one * one_weight, 0.0) + np.where(other_weight > 0, other * other_weight, 0.0)
    return np.where(np.isnan(one_weight + other_weight), np.nan, _divided(total, one_weight + other_weight))


def _rate(times_ns: Times, given: list[Numbers]) -> Numbers:
    """Per second since the sample before; nothing where the counter went back: it wrapped or was reset."""
    (total,) = given
    rate = np.full(total.shape, np.nan)
    if len(times_ns) > 1:
        step_s = np.diff(times_ns) / 1e9
        grown = np.diff(total)
        rate[..., 1:] = np.where((grown >= 0) & (step_s > 0), grown / np.where(step_s > 0, step_s, 1.0), np.nan)
    return rate


def _sum_10m(times_ns: Times, given: list[Numbers]) -> Numbers:
    """How many in the ten minutes before each time: rate x the step it stands for, added up."""
    (rate,) = given
    if not len(times_ns):
        return rate
    step_s = np.empty(len(times_ns))
    step_s[1:] = np.minimum(np.diff(times_ns), _TEN_MINUTES_NS) / 1e9
    step_s[0] = step_s[1] if len(times_ns) > 1 else 0.0
    added = np.zeros((*rate.shape[:-1], len(times_ns) + 1))
    np.cumsum(np.nan_to_num(rate * step_s), axis=-1, out=added[..., 1:])
    first = np.searchsorted(times_ns, times_ns - _TEN_MINUTES_NS, side="right")
    counted: Numbers = added[..., 1:] - added[..., first]
    return np.where(np.isnan(rate), np.nan, counted)


def _growth_per_hour(times_ns: Times, given: list[Numbers]) -> Numbers:
    """Against what was there fifty minutes ago; NaN until so much has been seen."""
    (amount,) = given
    then = np.searchsorted(times_ns, times_ns - _FIFTY_MINUTES_NS, side="right") - 1
    growth = np.full(amount.shape, np.nan)
    seen = then >= 0
    step_h = (times_ns[seen] - times_ns[then[seen]]) / _HOUR_NS
    growth[..., seen] = (amount[..., seen] - amount[..., then[seen]]) / step_h
    return growth


def _ratio_if_growing(_times: Times, given: list[Numbers]) -> Numbers:
    """The ratio; where nothing grows, a time that never comes."""
    left, growth = given
    hours = np.where(np.isnan(growth) | np.isnan(left), np.nan, _NEVER_H)
    np.divide(left, growth, out=hours, where=growth > 0)
    return hours


def _percent_of_link(_times: Times, given: list[Numbers]) -> Numbers:
    """The busier direction of a full-duplex link of `link` Mbit/s."""
    receive, transmit, link = given
    return 100.0 * _divided(np.maximum(receive, transmit) * 1024 * 8, link * 1e6)


def _kib_to_pages(_times: Times, given: list[Numbers]) -> Numbers:
    kib, page_bytes = given
    return _divided(kib * 1024, page_bytes)


def _pages_to_kib(_times: Times, given: list[Numbers]) -> Numbers:
    pages, page_bytes = given
    return pages * page_bytes / 1024


def _sar_memory(_times: Times, given: list[Numbers]) -> Numbers:
    """The whole memory, of which sar prints only parts.

    kbmemused is all that is not free, or (newer versions) without buffers, cache and slab; %memused is it in percent of
    all, so that it tells which of the two is meant.
    """
    free, used, used_pct, buffers, cached, slab = given
    bare = free + used
    whole = bare + buffers + cached + slab
    implied = _divided(100.0 * used, used_pct)
    return np.where(np.abs(implied - bare) <= np.abs(implied - whole), bare, np.where(np.isnan(implied), np.nan, whole))


def _part_of_time(_times: Times, given: list[Numbers]) -> Numbers:
    """Over all time, of what is a mean over the busy percent of it."""
    while_busy, busy_pct = given
    return while_busy * busy_pct / 100.0


def _least_of_3(_times: Times, given: list[Numbers]) -> Numbers:
    """The least of three samples in a row; NaN for the first two."""
    (figure,) = given
    least = np.full(figure.shape, np.nan)
    if figure.shape[-1] > 2:
        least[..., 2:] = np.min([figure[..., 2:], figure[..., 1:-1], figure[..., :-2]], axis=0)
    return least


def _product_ms(_times: Times, given: list[Numbers]) -> Numbers:
    """Requests in the system x one second, in ms per second."""
    (number,) = given
    return number * 1000.0


FORMULAS: Mapping[str, Formula] = MappingProxyType(
    {
        "sum": _sum,
        "sum_of_rows": _sum_of_rows,
        "rest_of_100": _rest_of_100,
        "ratio": _ratio,
        "percent": _percent,
        "percent_of_both": _percent_of_both,
        "weighted": _weighted,
        "rate": _rate,
        "sum_10m": _sum_10m,
        "growth_per_hour": _growth_per_hour,
        "ratio_if_growing": _ratio_if_growing,
        "percent_of_link": _percent_of_link,
        "kib_to_pages": _kib_to_pages,
        "pages_to_kib": _pages_to_kib,
        "product_ms": _product_ms,
        "least_of_3": _least_of_3,
        "sar_memory": _sar_memory,
        "part_of_time": _part_of_time,
    }
)
