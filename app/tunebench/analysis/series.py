"""Arrays of one series, as the store reads them and charts and statistics use them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tunebench.core.records import record


@record
class SeriesData:
    """Samples of one series, n of them, in the order of time.

    Attributes:
        times_ns: int64[n], UTC.
        values: float64[n], in the series' own unit; NaN where missing.
        since_boot: bool[n], averages since boot: shown as flagged, left out of every statistic.
        line_numbers: int64[n], where in the artefact each sample stands.
    """

    times_ns: NDArray[np.int64]
    values: NDArray[np.float64]
    since_boot: NDArray[np.bool_]
    line_numbers: NDArray[np.int64]

    def taken(self, which: NDArray[np.bool_] | NDArray[np.intp]) -> SeriesData:
        """The samples where bool[n] is true, or those at the given places, in their order."""
        return SeriesData(self.times_ns[which], self.values[which], self.since_boot[which], self.line_numbers[which])

    def measured(self) -> NDArray[np.float64]:
        """The values that count: neither missing nor since boot."""
        return self.values[~self.since_boot & ~np.isnan(self.values)]


def without_boot(columns: Sequence[SeriesData]) -> list[SeriesData]:
    """The columns without rows that are averages since boot; those of one table still share their times."""
    parts: dict[int, tuple[slice | NDArray[np.bool_], NDArray[np.int64], NDArray[np.bool_], NDArray[np.int64]]] = {}
    series = []
    for data in columns:
        if id(data.since_boot) not in parts:
            count = int(np.count_nonzero(data.since_boot))
            kept = slice(count, None) if bool(data.since_boot[:count].all()) else ~data.since_boot
            parts[id(data.since_boot)] = (kept, data.times_ns[kept], data.since_boot[kept], data.line_numbers[kept])
        kept, times_ns, since_boot, lines = parts[id(data.since_boot)]
        series.append(SeriesData(times_ns, data.values[kept], since_boot, lines))
    return series


def joined(parts: Sequence[SeriesData]) -> SeriesData:
    """The samples of several captures of one thing as one, in the order of time.

    Where captures overlap, an instant that an earlier part has measured is taken from there alone, so that
    it does not count twice; a since-boot average is no measurement of its instant.

    Args:
        parts: the earlier capture first; of none there are no samples.
    """
    if len(parts) == 1:
        return parts[0]
    if not parts:
        none = np.empty(0, dtype=np.int64)
        return SeriesData(none, np.empty(0), np.empty(0, dtype=bool), none)
    kept = []
    for index, part in enumerate(parts):
        measured = [one.times_ns[~one.since_boot] for one in parts[:index] if _overlap(one, part)]
        kept.append(part.taken(~np.isin(part.times_ns, np.concatenate(measured))) if measured else part)
    whole = SeriesData(
        np.concatenate([part.times_ns for part in kept]),
        np.concatenate([part.values for part in kept]),
        np.concatenate([part.since_boot for part in kept]),
        np.concatenate([part.line_numbers for part in kept]),
    )
    in_order = bool((whole.times_ns[1:] >= whole.times_ns[:-1]).all())
    return whole if in_order else whole.taken(np.argsort(whole.times_ns, kind="stable"))


def _overlap(first: SeriesData, second: SeriesData) -> bool:
    if not len(first.times_ns) or not len(second.times_ns):
        return False
    return bool(first.times_ns.min() <= second.times_ns.max() and second.times_ns.min() <= first.times_ns.max())


@record
class Envelope:
    """What a chart draws of a series: k bins of `samples_per_bin` samples.

    `minimum` and `maximum` hold every spike; a bin without samples, and a row standing for a gap, is NaN.
    Since-boot samples are not in it.
    """

    times_ns: NDArray[np.int64]
    end_ns: NDArray[np.int64]
    minimum: NDArray[np.float64]
    mean: NDArray[np.float64]
    maximum: NDArray[np.float64]
    samples_per_bin: int
