"""What charts read of a series: envelopes cut at gaps, the values at a moment, averages since boot."""

from __future__ import annotations

import math
from collections.abc import Iterable

from tunebench.analysis.exploring.outline import MOST_SAMPLES, split_at_gaps
from tunebench.analysis.exploring.time_range import TimeRange
from tunebench.analysis.series import Envelope, SeriesData
from tunebench.domain.series import SeriesInfo, is_period_mean
from tunebench.store.project import Project
from tunebench.usecases import browse
from tunebench.usecases.exploring.strands import reaches

Readings = dict[int, tuple[int, float]]


Samples = tuple[tuple[int, float], ...]


def read_envelope(project: Project, info: SeriesInfo, asked: TimeRange, bins: int) -> Envelope:
    """The envelope of one series, its bins cut at gaps."""

    def samples(start_ns: int, end_ns: int) -> SeriesData:
        return browse.series_data(project, info.id, start_ns, end_ns)

    if is_period_mean(info) and info.count <= MOST_SAMPLES and info.first_ns is not None and info.last_ns is not None:
        return browse.envelope(project, info.id, info.first_ns, info.last_ns + 1, max(bins, info.count))
    envelope = browse.envelope(project, info.id, asked.start_ns, asked.end_ns, bins)
    return split_at_gaps(envelope, interval_ns(info), samples)


def interval_ns(info: SeriesInfo) -> int | None:
    return None if info.interval_s is None else round(info.interval_s * 1e9)


def readings_at(project: Project, time_ns: int, series: Iterable[SeriesInfo]) -> Readings:
    moment = TimeRange(time_ns, time_ns + 1)
    readings = {info.id: browse.value_at(project, info.id, time_ns) for info in series if reaches(info, moment.ends)}
    return {key: (reading.time_ns, reading.value) for key, reading in readings.items() if reading is not None}


def since_boot_samples(project: Project, info: SeriesInfo, restarts_ns: Iterable[int]) -> Samples:
    """(time, value) of averages since boot: the block before a capture's first sample, or around a restart.

    A series' own first and last times do not count them.
    """
    reach_ns = round(2.5 * (info.interval_s or 1.0) * 1e9)
    begins = [None] if info.first_ns is None else [info.first_ns, *restarts_ns]
    by_time: dict[int, float] = {}
    for begin_ns in begins:
        around = (None, None) if begin_ns is None else (begin_ns - reach_ns, begin_ns + reach_ns)
        data = browse.series_data(project, info.id, *around)
        times, values = data.times_ns[data.since_boot].tolist(), data.values[data.since_boot].tolist()
        by_time |= {time_ns: value for time_ns, value in zip(times, values, strict=True) if not math.isnan(value)}
    return tuple(sorted(by_time.items()))
