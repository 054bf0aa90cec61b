"""Arrays of one series, as the store reads them and charts and statistics use them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tunebench.core.records import record


@record
class SeriesData:
    """Samples of one series, n of them, in the order of time; or of k series that were captured together.

    Attributes:
        times_ns: int64[n], UTC.
        values: float64[n], in the series' own unit, NaN where missing; float64[k, n] of several.
        since_boot: bool[n], averages since boot: shown as flagged, left out of every statistic.
        line_numbers: int64[n], where in the artefact each sample stands.
    """

    times_ns: NDArray[np.int64]
    values: NDArray[np.float64]
    since_boot: NDArray[np.bool_]
    line_numbers: NDArray[np.int64]

    def taken(self, which: slice | NDArray[np.bool_] | NDArray[np.intp]) -> SeriesData:
        """The samples where bool[n] is true, or those at the given places, in their order."""
        values = self.values[..., which]
        if not isinstance(which, slice):  # which would give the rows of several in the order of their columns
            values = np.ascontiguousarray(values)
        return SeriesData(self.times_ns[which], values, self.since_boot[which], self.line_numbers[which])

    def measured(self) -> NDArray[np.float64]:
        """The values that count: neither missing nor since boot."""
        return self.values[~self.since_boot & ~np.isnan(self.values)]

    def without_boot(self) -> SeriesData:
        """The samples without rows that are averages since boot."""
        count = int(np.count_nonzero(self.since_boot))
        if not count:
            return self
        return self.taken(slice(count, None) if bool(self.since_boot[:count].all()) else ~self.since_boot)


_NEVER_NS = np.iinfo(np.int64).max


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
    kept, spans = [], np.array([_span(part) for part in parts])
    for index, part in enumerate(parts):
        first_ns, last_ns = spans[index]
        overlaps = (spans[:index, 0] <= last_ns) & (spans[:index, 1] >= first_ns)
        measured = [parts[number].times_ns[~parts[number].since_boot] for number in np.flatnonzero(overlaps).tolist()]
        kept.append(part.taken(~np.isin(part.times_ns, np.concatenate(measured))) if measured else part)
    whole = SeriesData(
        np.concatenate([part.times_ns for part in kept]),
        np.concatenate([part.values for part in kept], axis=-1),
        np.concatenate([part.since_boot for part in kept]),
        np.concatenate([part.line_numbers for part in kept]),
    )
    in_order = bool((whole.times_ns[1:] >= whole.times_ns[:-1]).all())
    return whole if in_order else whole.taken(np.argsort(whole.times_ns, kind="stable"))


def _span(part: SeriesData) -> tuple[int, int]:
    """First and last instant; of no samples none that any other part has."""
    return (int(part.times_ns.min()), int(part.times_ns.max())) if len(part.times_ns) else (_NEVER_NS, -_NEVER_NS)


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
