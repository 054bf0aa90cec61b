"""How much was captured when, per host: what the navigator draws. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.exploring.time_range import TimeRange
from tunebench.analysis.series import Envelope
from tunebench.core.records import record
from tunebench.domain.series import SeriesInfo
from tunebench.usecases.exploring.strands import state_of, whole_host

ReadEnvelope = Callable[[SeriesInfo, TimeRange, int], Envelope]
_PROFILE_METRICS = ("system.cpu.utilization", "system.disk.utilization", "db.client.transactions")


@record
class HostTrack:
    """One host over the whole engagement, in `bins` cells.

    Attributes:
        share: float64[bins], the part of the host's captures that have samples there; 0 is a gap.
        profile: float64[bins] in 0..1, how loaded the host was; NaN where unknown.
    """

    host: str
    series: int
    share: NDArray[np.float64]
    profile: NDArray[np.float64]


def host_tracks(
    series: Sequence[SeriesInfo], extent: TimeRange, bins: int, envelope_of: ReadEnvelope
) -> list[HostTrack]:
    """A track per host; `envelope_of(series, extent, bins)` reads one series, its bins cut at gaps."""
    hosts: dict[str, list[SeriesInfo]] = {}
    for info in series:
        hosts.setdefault(info.host, []).append(info)
    return [_track(host, own, extent, bins, envelope_of) for host, own in hosts.items()]


def _track(host: str, own: Sequence[SeriesInfo], extent: TimeRange, bins: int, envelope_of: ReadEnvelope) -> HostTrack:
    clocks: dict[tuple[int, int], SeriesInfo] = {}
    for info in own:
        longest = clocks.get((info.artefact_id, info.clock_id))
        if longest is None or info.count > longest.count:
            clocks[info.artefact_id, info.clock_id] = info
    tools: dict[str, NDArray[np.bool_]] = {}
    for info in clocks.values():
        cells = covered_cells(envelope_of(info, extent, bins), extent, bins, info.interval_s)
        name = f"{info.tool} {info.table}"
        tools[name] = tools.get(name, np.zeros(bins, dtype=np.bool_)) | cells
    share = np.add.reduce([np.zeros(bins), *tools.values()]) / max(len(tools), 1)
    return HostTrack(host, len(own), share, _profile(own, extent, bins, envelope_of))


def covered_cells(envelope: Envelope, extent: TimeRange, bins: int, interval_s: float | None) -> NDArray[np.bool_]:
    """Which of `bins` cells of `extent` hold data; a sample stands for the interval before its stamp."""
    present = ~np.isnan(envelope.maximum)
    lead_ns = round((interval_s or 0) * 1e9)
    first = _cell(envelope.times_ns[present] - lead_ns, extent, bins)
    last = _cell(envelope.end_ns[present], extent, bins)
    steps = np.zeros(bins + 1)
    np.add.at(steps, np.clip(first, 0, bins), 1)
    np.add.at(steps, np.clip(last + 1, 0, bins), -1)
    cells: NDArray[np.bool_] = np.cumsum(steps[:bins]) > 0
    return cells


def _cell(times_ns: NDArray[np.int64], extent: TimeRange, bins: int) -> NDArray[np.int64]:
    share = (times_ns - extent.start_ns) / extent.span_ns
    return np.minimum(np.floor(share * bins), bins - 1).astype(np.int64)


def _profile(own: Sequence[SeriesInfo], extent: TimeRange, bins: int, envelope_of: ReadEnvelope) -> NDArray[np.float64]:
    chosen = _profile_series(own)
    total, count = np.zeros(bins), np.zeros(bins)
    for info in chosen:
        envelope = envelope_of(info, extent, bins)
        present = ~np.isnan(envelope.mean)
        cell = _cell((envelope.times_ns[present] + envelope.end_ns[present]) // 2, extent, bins)
        inside = (cell >= 0) & (cell < bins)
        np.add.at(total, cell[inside], envelope.mean[present][inside])
        np.add.at(count, cell[inside], 1)
    means: NDArray[np.float64] = np.divide(total, count, out=np.full(bins, np.nan), where=count > 0)
    if not count.any():
        return means
    top = 100.0 if chosen and chosen[0].unit == "%" else float(np.nanmax(means))
    profile: NDArray[np.float64] = np.clip(means / top, 0, 1) if top > 0 else means * 0
    return profile


def _profile_series(own: Sequence[SeriesInfo]) -> list[SeriesInfo]:
    """The series of one metric that stand for the host's load."""
    for metric in _PROFILE_METRICS:
        matches = [s for s in own if s.metric == metric and whole_host(s) and state_of(s) in ("", "user")]
        if matches:
            first = matches[0]
            return [
                s for s in matches if (s.tool, s.native, s.attributes) == (first.tool, first.native, first.attributes)
            ]
    return []
