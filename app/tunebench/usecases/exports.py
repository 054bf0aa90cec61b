"""Samples out of the project, for other tools."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from tunebench.core.moments import NS_PER_S, iso
from tunebench.core.records import record
from tunebench.domain.series import SeriesInfo
from tunebench.domain.visible_text import harmless_json
from tunebench.store.project import Project
from tunebench.usecases import browse


@record
class ExportedSeries:
    """times_ns: int64[n]; values: float64[n], NaN where missing.

    Attributes:
        boot_ns, boot_values: likewise what was taken for averages since boot, and counts nowhere.
    """

    info: SeriesInfo
    times_ns: NDArray[np.int64]
    values: NDArray[np.float64]
    boot_ns: NDArray[np.int64]
    boot_values: NDArray[np.float64]


def read(
    project: Project,
    series_ids: Sequence[int],
    start_ns: int | None = None,
    end_ns: int | None = None,
    every_s: float | None = None,
) -> list[ExportedSeries]:
    """Samples that count, and averages since boot apart; with `every_s`, only means over bins aligned to the epoch:
    those of requests count each interval by its requests, as everywhere."""
    exported = []
    for series_id in series_ids:
        info = browse.find_series(project, series_id)
        data = browse.series_data(project, series_id, start_ns, end_ns)
        boot = data.since_boot
        times_ns, values = data.times_ns[~boot], data.values[~boot]
        if every_s:
            requests = browse.mean_of_requests(project, info, data, start_ns, end_ns)
            if requests is None or requests.weights is None:
                times_ns, values = bin_means(times_ns, values, every_s)
            else:
                times_ns, values = bin_means(requests.times_ns, requests.values, every_s, requests.weights)
            boot = np.zeros_like(boot)
        exported.append(ExportedSeries(info, times_ns, values, data.times_ns[boot], data.values[boot]))
    return exported


def bin_means(
    times_ns: NDArray[np.int64], values: NDArray[np.float64], every_s: float, weights: NDArray[np.float64] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Mean of each bin, stamped with the bin's end; bins without a value, or without any weight, are left out."""
    counts = np.ones(len(values)) if weights is None else weights
    present, bin_ns = ~np.isnan(values) & (counts > 0), round(every_s * NS_PER_S)
    bins, bin_index = np.unique((times_ns[present] - 1) // bin_ns, return_inverse=True)
    sums = np.bincount(bin_index, weights=values[present] * counts[present], minlength=len(bins))
    return (bins + 1) * bin_ns, sums / np.bincount(bin_index, weights=counts[present], minlength=len(bins))


def as_json(exported: Sequence[ExportedSeries], zone: ZoneInfo) -> dict[str, object]:
    return {
        "series": [
            {
                "id": one.info.id,
                **_listed(one.times_ns, one.values, zone),
                "likely_since_boot": _listed(one.boot_ns, one.boot_values, zone),
            }
            for one in exported
        ]
    }


def _listed(times_ns: NDArray[np.int64], values: NDArray[np.float64], zone: ZoneInfo) -> dict[str, object]:
    return {
        "times": [iso(int(t), zone) for t in times_ns],
        "values": [None if np.isnan(v) else float(v) for v in values],
    }


def write_json(exported: Sequence[ExportedSeries], zone: ZoneInfo, out: TextIO) -> None:
    out.write(harmless_json(json.dumps(as_json(exported, zone), ensure_ascii=False)) + "\n")


def write_csv(exported: Sequence[ExportedSeries], zone: ZoneInfo, out: TextIO) -> None:
    """One row per time, one column per series, and one for what it has since boot; an empty cell where that series has
    no sample."""
    writer = csv.writer(out, lineterminator="\n")
    names, times_ns, columns = _aligned(exported)
    writer.writerow(["time", *names])
    writer.writerows(_csv_rows(times_ns, columns, zone))


def _column(info: SeriesInfo) -> str:
    return f"{info.id}: {info.host} {info.tool} {info.label} [{info.unit}]"


def _csv_rows(times_ns: NDArray[np.int64], columns: NDArray[np.float64], zone: ZoneInfo) -> Iterator[list[str]]:
    for time_ns, row in zip(times_ns, columns, strict=True):
        yield [iso(int(time_ns), zone), *("" if np.isnan(v) else repr(float(v)) for v in row)]


def _aligned(exported: Sequence[ExportedSeries]) -> tuple[list[str], NDArray[np.int64], NDArray[np.float64]]:
    """The columns' names, all times, int64[n], and float64[n, columns] with NaN where a column has no sample."""
    parts = [(_column(one.info), one.times_ns, one.values) for one in exported]
    booted = [one for one in exported if len(one.boot_ns)]
    parts += [(f"{_column(one.info)} (likely since boot)", one.boot_ns, one.boot_values) for one in booted]
    times_ns = np.unique(np.concatenate([np.empty(0, np.int64), *(own_ns for _, own_ns, _ in parts)]))
    columns = np.full((len(times_ns), len(parts)), np.nan)
    for k, (_, own_ns, values) in enumerate(parts):
        columns[np.searchsorted(times_ns, own_ns), k] = values
    return [name for name, _, _ in parts], times_ns, columns


def write_parquet(exported: Sequence[ExportedSeries], out: Path) -> None:
    """As the CSV, in Parquet: a UTC ``time`` column (ns) and a float64 column per series."""
    from tunebench.archive import parquet

    names, times_ns, columns = _aligned(exported)
    parquet.write_columns(out, times_ns, {name: columns[:, k] for k, name in enumerate(names)})
