"""Look at what was captured: series, values, events, and the line each value stands on."""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from tunebench.analysis.comparing.disk_work import is_mean_of_requests
from tunebench.analysis.comparing.regular_samples import Samples
from tunebench.analysis.series import Envelope, SeriesData
from tunebench.analysis.statistics import Statistics, describe
from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.capturing.run import CaptureGap
from tunebench.domain.engagement import StoredEvent
from tunebench.domain.series import GAP_FACTOR, SeriesInfo
from tunebench.sdk.text import decode_text
from tunebench.store import artefacts, merged_series, sessions
from tunebench.store.artefacts import ArtefactInfo
from tunebench.store.events import list_events
from tunebench.store.merged_envelopes import read_merged_envelope
from tunebench.store.merged_series import Part
from tunebench.store.project import Project
from tunebench.usecases import services
from tunebench.usecases.comparing.sides import counting, described, joined_samples, weighed
from tunebench.usecases.projects import find_run


@record
class Reading:
    """The sample that covers a moment: its stamp, value and line in the capture."""

    time_ns: int
    value: float
    line_number: int
    artefact_id: int = 0


@record
class Evidence:
    """Where a figure comes from: the capture and its lines, `line_number` the sample's first."""

    artefact: ArtefactInfo
    line_number: int
    first_line: int
    lines: tuple[str, ...]
    parser: str


def list_series(project: Project, run: str | None = None, match: str | None = None) -> list[SeriesInfo]:
    """The project's series; captures of one run that continue each other are one.

    Args:
        run: label of a run, None for all.
        match: a glob, matched without case against heading, metric, label, device names and tool.

    Raises:
        UserError: there is no such run.
    """
    every = merged_series.list_merged(project, find_run(project, run).id if run else None)
    return [info for info in every if not match or _matches(info, match.lower())]


def _matches(info: SeriesInfo, pattern: str) -> bool:
    names = (
        info.native,
        info.metric,
        info.label,
        info.tool,
        f"{info.tool}/{info.label}",
        info.alias,
        *info.devices,
        *(f"{value} {info.native}" for value in info.attributes.values()),
    )
    return any(fnmatch.fnmatchcase(name.lower(), pattern) for name in names)


def find_series(project: Project, series_id: int) -> SeriesInfo:
    """The series that goes by that number, or that a capture's column of that number is part of.

    Raises:
        UserError: there is none.
    """
    return merged_series.find_merged(project, series_id).info


def series_data(project: Project, series_id: int, start_ns: int | None = None, end_ns: int | None = None) -> SeriesData:
    return merged_series.read_merged(project, merged_series.find_merged(project, series_id), start_ns, end_ns)


def all_series_data(project: Project, series: Sequence[SeriesInfo]) -> list[SeriesData]:
    """`series_data` of each; columns of one table are read together."""
    return merged_series.read_all_merged(project, merged_series.find_all_merged(project, [info.id for info in series]))


def statistics(project: Project, series_id: int, start_ns: int | None = None, end_ns: int | None = None) -> Statistics:
    """The statistics over the window; a mean of requests counts each interval by its requests where a column counts
    them."""
    data, info = series_data(project, series_id, start_ns, end_ns), find_series(project, series_id)
    if not is_mean_of_requests(info):
        return describe(data)
    return described(info, data, _counted(project, info, start_ns, end_ns))


def mean_of_requests(
    project: Project, info: SeriesInfo, data: SeriesData, start_ns: int | None = None, end_ns: int | None = None
) -> Samples | None:
    """The samples that count of a mean of requests, with how many each is of where a column counts them; None where the
    series is no such mean.

    Args:
        data: those of the series in the window.
    """
    if not is_mean_of_requests(info):
        return None
    return weighed(info, data, _counted(project, info, start_ns, end_ns))


def _counted(
    project: Project, info: SeriesInfo, start_ns: int | None, end_ns: int | None
) -> Iterator[tuple[SeriesInfo, SeriesData]]:
    for parts in counting(merged_series.list_merged(project, info.run_id), info):
        yield parts[0], joined_samples(project, parts, start_ns, end_ns)


def envelope(project: Project, series_id: int, start_ns: int, end_ns: int, bins: int) -> Envelope:
    """What to draw of a window; a NaN row stands where the clock has a gap, so that lines break there.

    Where one capture ends and the next begins within the interval there is no gap.
    """
    whole = merged_series.find_merged(project, series_id)
    gaps = _gaps_of(project, {part.artefact_id for part in whole.parts})

    def break_part(piece: Envelope, part: Part) -> Envelope:
        return break_at_gaps(piece, part.interval_s, gaps.get(part.artefact_id, ()))

    pieces = read_merged_envelope(project, whole, start_ns, end_ns, bins, break_part)
    if len(pieces) == 1:
        return pieces[0][1]
    seams = [max((part.interval_s for part, _ in pair if part.interval_s), default=None) for pair in pairwise(pieces)]
    return joined_envelopes([part_envelope for _, part_envelope in pieces], seams)


def _gaps_of(project: Project, artefact_ids: Collection[int]) -> dict[int, list[CaptureGap]]:
    """Gaps that captures noticed themselves; only captures of ours have any."""
    with_gaps = sessions.artefacts_with_gaps(project)
    return {id_: sessions.list_gaps(project, artefact_id=id_) for id_ in artefact_ids if id_ in with_gaps}


def joined_envelopes(parts: Sequence[Envelope], seams_s: Sequence[float | None]) -> Envelope:
    """The envelopes one after the other, a NaN row between two that are more than 2.5 of `seams_s` apart.

    Bins of captures that overlap stand in the order of time.
    """
    if not parts:
        none = np.empty(0)
        return Envelope(np.empty(0, np.int64), np.empty(0, np.int64), none, none, none, 1)
    pieces = [parts[0]]
    for (earlier, later), seam_s in zip(pairwise(parts), seams_s, strict=True):
        step_ns = int(later.times_ns[0]) - int(earlier.end_ns[-1])
        if seam_s is not None and step_ns > GAP_FACTOR * seam_s * 1e9:
            pieces.append(_nothing_between(int(earlier.end_ns[-1]), int(later.times_ns[0])))
        pieces.append(later)
    order = np.argsort(np.concatenate([piece.times_ns for piece in pieces]), kind="stable")
    return Envelope(
        np.concatenate([piece.times_ns for piece in pieces])[order],
        np.concatenate([piece.end_ns for piece in pieces])[order],
        np.concatenate([piece.minimum for piece in pieces])[order],
        np.concatenate([piece.mean for piece in pieces])[order],
        np.concatenate([piece.maximum for piece in pieces])[order],
        max(piece.samples_per_bin for piece in parts),
    )


def _nothing_between(start_ns: int, end_ns: int) -> Envelope:
    nan = np.full(1, np.nan)
    return Envelope(np.array([start_ns]), np.array([end_ns]), nan, nan, nan, 1)


def break_at_gaps(envelope: Envelope, interval_s: float | None, gaps: Sequence[CaptureGap] = ()) -> Envelope:
    """Inserts a NaN row wherever the next bin begins more than 2.5 intervals after the last one's end.

    `gaps` are those that the capture itself noticed: they break the line however short they are.
    """
    if len(envelope.times_ns) < 2:
        return envelope
    broken = np.zeros(len(envelope.times_ns), dtype=bool)
    if interval_s is not None:
        broken[1:] = envelope.times_ns[1:] - envelope.end_ns[:-1] > GAP_FACTOR * interval_s * 1e9
    for gap in gaps:
        broken[np.searchsorted(envelope.times_ns, gap.start_ns, side="right") % len(broken)] = True
    broken[0] = False
    after = np.flatnonzero(broken)
    if not len(after):
        return envelope
    nan = np.full(len(after), np.nan)
    begin_ns = envelope.end_ns[after - 1]
    return replace(
        envelope,
        times_ns=np.insert(envelope.times_ns, after, begin_ns),
        end_ns=np.insert(envelope.end_ns, after, envelope.times_ns[after]),
        minimum=np.insert(envelope.minimum, after, nan),
        mean=np.insert(envelope.mean, after, nan),
        maximum=np.insert(envelope.maximum, after, nan),
    )


def value_at(project: Project, series_id: int, time_ns: int) -> Reading | None:
    """The sample whose interval covers the moment (tools stamp the end of an interval); None in a gap."""
    whole = merged_series.find_merged(project, series_id)
    interval_ns = round((whole.info.interval_s or 0) * 1e9)
    reach_ns = max(round(GAP_FACTOR * interval_ns), 1)
    data = merged_series.read_merged(project, whole, time_ns - reach_ns, time_ns + reach_ns)
    countable = np.flatnonzero(~data.since_boot & ~np.isnan(data.values))
    if not len(countable):
        return None
    times_ns = data.times_ns[countable]
    at = int(np.searchsorted(times_ns, time_ns))
    if at == len(times_ns) or times_ns[at] - time_ns >= max(interval_ns, 1) * GAP_FACTOR:
        at -= 1
        if at < 0 or time_ns - times_ns[at] > interval_ns:
            return None
    index = countable[at]
    stamp, line = int(data.times_ns[index]), int(data.line_numbers[index])
    part = merged_series.part_at(project, whole, stamp, line)
    return Reading(stamp, float(data.values[index]), line, part.artefact_id if part else whole.info.artefact_id)


def events(project: Project, start_ns: int | None = None, end_ns: int | None = None) -> list[StoredEvent]:
    return list_events(project, None, start_ns, end_ns)


def evidence(project: Project, series_id: int, time_ns: int, around: int = 2) -> Evidence:
    """The capture's own words for the sample that covers a moment.

    Raises:
        UserError: nothing was measured at that moment.
    """
    reading = value_at(project, series_id, time_ns)
    if reading is None:
        raise UserError("nothing_measured_there", series=find_series(project, series_id).label)
    artefact = artefacts.find_artefact(project, reading.artefact_id)
    first = max(1, reading.line_number - around)
    lines = capture_lines(project, artefact.id, first, reading.line_number + around)
    parser = f"{artefact.parser_id} {artefact.parser_version}"
    return Evidence(artefact, reading.line_number, first, lines, parser)


def capture_lines(project: Project, artefact_id: int, first_line: int, last_line: int) -> tuple[str, ...]:
    """Lines of a stored capture, 1-based and inclusive, as they stand there."""
    lines = artefacts.artefact_lines(project, artefact_id, first_line, last_line)
    return tuple(decode_text(line) for line in lines)


def metric_meaning(series: SeriesInfo, language: str) -> str:
    """What the figure means, in words; empty where the catalogue does not know it."""
    return services.current().catalogue.meaning(
        series.metric, series.native, language, tool=series.tool, table=series.table, attributes=series.attributes
    )
