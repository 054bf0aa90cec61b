"""Which series are one line to the reader, capture after capture, and which a run shows first. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from tunebench.analysis.comparing.comparison import in_time_order, thing_key
from tunebench.analysis.comparing.disk_work import is_mean_of_requests
from tunebench.analysis.series import SeriesData
from tunebench.analysis.statistics import Statistics, describe
from tunebench.core.records import record
from tunebench.domain.assembly import Span
from tunebench.domain.capturing.times import NS_PER_S
from tunebench.domain.series import SeriesInfo, is_period_mean
from tunebench.domain.windows import Stretch
from tunebench.store.merged_series import list_merged
from tunebench.usecases.comparing.sides import counting, described, samples_over
from tunebench.usecases.projects import Project

StrandKey = tuple[object, ...]
BUSY_STATES = ("user", "system", "iowait")
_DISK_UTILISATION = "system.disk.utilization"
_DISK_TIMES = ("system.disk.response_time", "system.disk.service_time", "system.disk.wait_time")
_SINGLE_METRICS = (
    ("db.client.transactions", ""),
    ("db.client.operation.duration", ""),
    ("system.cpu.run_queue_length", ""),
    ("system.memory.scan_rate", ""),
    ("system.memory.utilization", ""),
    ("system.memory.usage", "used"),
    ("system.memory.usage", "free"),
)
_STATE_OF_NATIVE = {
    "us": "user", "usr": "user", "%user": "user", "%usr": "user", "sy": "system", "sys": "system",
    "%system": "system", "%sys": "system", "wa": "iowait", "wt": "iowait", "%iowait": "iowait",
    "kbmemused": "used", "kbmemfree": "free", "free": "free",
}  # fmt: skip
MOST_PROBED_DEVICES = 64
MOST_WAITS = 6
REACH_NS = 24 * 3600 * NS_PER_S
"""No period is longer before its stamp than this, as far as looking for it goes."""

_TELLING = {"system.cpu.utilization", _DISK_UTILISATION, *_DISK_TIMES, *(metric for metric, _ in _SINGLE_METRICS)}


@record
class Strand:
    """The captures of one thing, in the order of time. `id` is the first series' id."""

    key: StrandKey
    parts: tuple[SeriesInfo, ...]

    @property
    def id(self) -> int:
        return self.parts[0].id

    @property
    def info(self) -> SeriesInfo:
        return self.parts[0]

    @property
    def ids(self) -> tuple[int, ...]:
        return tuple(part.id for part in self.parts)


def strands(series: Iterable[SeriesInfo]) -> list[Strand]:
    """Groups series by what they measure; the order of first appearance stays."""
    groups: dict[StrandKey, list[SeriesInfo]] = {}
    for info in series:
        groups.setdefault(thing_key(info), []).append(info)
    return [Strand(key, in_time_order(parts)) for key, parts in groups.items()]


def reaches(info: SeriesInfo, span: Span) -> bool:
    """Whether there may be samples in the span, or the line comes out of it."""
    if info.first_ns is None or info.last_ns is None:
        return False
    lead_ns = max(round((info.interval_s or 0) * NS_PER_S), REACH_NS if is_period_mean(info) else 0)
    return info.first_ns - lead_ns <= span[1] and span[0] <= info.last_ns + lead_ns


def strand_samples(project: Project, strand: Strand, span: Span) -> SeriesData:
    return samples_over(project, strand.parts, (Stretch(*span),))


def strand_statistics(project: Project, strand: Strand, stretches: Sequence[Stretch]) -> Statistics:
    """Statistics of the strand over the stretches, its captures taken together; a mean of requests counts each interval
    by its requests where a column counts them."""
    data = samples_over(project, strand.parts, stretches)
    if not is_mean_of_requests(strand.info):
        return describe(data)
    listed = [info for run_id in {part.run_id for part in strand.parts} for info in list_merged(project, run_id)]
    counted = ((own[0], samples_over(project, own, stretches)) for own in counting(listed, strand.info))
    return described(strand.info, data, counted)


def companions(wanted: Sequence[Sequence[int]], series: Mapping[int, SeriesInfo]) -> list[list[int]]:
    """The same rows, each with the other captures of the same things, so that a row runs through all runs."""
    by_key: dict[StrandKey, list[int]] = {}
    headings = {series[key].native for row in wanted for key in row}  # of tens of thousands a few can be meant
    for info in series.values():
        if info.native in headings:
            by_key.setdefault(thing_key(info), []).append(info.id)
    return [[twin for key in row for twin in by_key[thing_key(series[key])]] for row in wanted]


def is_telling(info: SeriesInfo) -> bool:
    """Whether the series speaks of a whole resource that a customer asks about."""
    return info.metric in _TELLING and whole_host(info)


def state_of(info: SeriesInfo) -> str:
    """The state a column counts: from its attributes, else from its heading."""
    return info.attributes.get("state") or _STATE_OF_NATIVE.get(info.native, "")


def whole_host(info: SeriesInfo) -> bool:
    """Whether it is of a whole host."""
    return info.attributes.get("cpu", "all") in ("all", "ALL", "-1") and "process" not in info.attributes


def telling_host(series: Iterable[SeriesInfo]) -> int | None:
    """The host of which most is told that a customer asks about; of several the one with the most samples."""
    kinds: dict[int, set[str]] = {}
    samples: Counter[int] = Counter()
    for info in series:
        if is_telling(info):
            kinds.setdefault(info.host_id, set()).add(info.metric)
            samples[info.host_id] += info.count
    return max(kinds, key=lambda host_id: (len(kinds[host_id]), samples[host_id]), default=None)


def default_rows(series: Sequence[SeriesInfo], load_of: Callable[[int], float], disk: str = "") -> list[list[int]]:
    """Rows for one run of one host: processors stacked together, then queue, memory, a disk.

    Args:
        series: all series of one host and run.
        load_of: mean of a series, asked only to find the busiest disk.
        disk: the one to show; the busiest where none is named.
    """
    rows = [[info.id for info in _processor_states(series)]]
    for metric, state in _SINGLE_METRICS[:3]:
        rows.append(_first(series, metric, state))
    named = [info for info in series if disk and info.device == disk]
    rows.extend(_busiest_disk(named or series, load_of))
    memory = [_first(series, metric, state) for metric, state in _SINGLE_METRICS[3:]]
    rows.extend([row for row in memory if row][:2])
    filled = [row for row in rows if row]
    return filled or [[info.id] for info in series[:4]]


def database_rows(series: Sequence[SeriesInfo], load_of: Callable[[int], float]) -> list[list[int]]:
    """A database above its host: its processor time and wait classes in one row, then processors and busiest disk.

    Args:
        series: all series of one run; the host is the one of the database, else the first that tells of processors.
        load_of: mean of a series, asked to find the largest waits and the busiest disk.
    """
    own = [info for info in series if is_period_mean(info)]
    if not own:
        return []
    database = [info for info in own if info.attributes["database"] == own[0].attributes["database"]]
    waits = _of_table(database, "wait_class") or _of_table(database, "wait_event")
    waits = sorted(waits, key=lambda info: (-load_of(info.id), info.id))[:MOST_WAITS]
    host = [info for info in series if info.host_id == own[0].host_id]
    if not _processor_states(host):
        host = [info for info in series if info.host_id == _first_host(series)]
    rows = [
        [info.id for info in (*_first_named(database, "db_cpu"), *waits)],
        [info.id for info in _first_named(database, "logical_reads")],
        [info.id for info in _processor_states(host)],
        *_busiest_disk(host, load_of),
    ]
    return [row for row in rows if row]


def _of_table(database: Sequence[SeriesInfo], table: str) -> list[SeriesInfo]:
    return [info for info in database if info.table == table]


def _first_named(database: Sequence[SeriesInfo], native: str) -> list[SeriesInfo]:
    """One series of this heading; that of the time model before that of the load profile."""
    matches = [info for info in database if info.native == native]
    return sorted(matches, key=lambda info: info.table != "time_model")[:1]


def _first_host(series: Sequence[SeriesInfo]) -> int | None:
    return next((info.host_id for info in series if info.metric == "system.cpu.utilization"), None)


def _processor_states(series: Sequence[SeriesInfo]) -> list[SeriesInfo]:
    """User, system and waiting share of one tool's one artefact."""
    candidates = [s for s in series if s.metric == "system.cpu.utilization" and whole_host(s)]
    by_capture: dict[tuple[int, str], dict[str, SeriesInfo]] = {}
    for info in candidates:
        by_capture.setdefault((info.artefact_id, info.table), {}).setdefault(state_of(info), info)
    best = max(by_capture.values(), key=lambda states: _rank(states.values(), BUSY_STATES, states), default={})
    return [best[state] for state in BUSY_STATES if state in best]


def _rank(infos: Iterable[SeriesInfo], wanted: Sequence[str], states: dict[str, SeriesInfo]) -> tuple[int, int]:
    return sum(state in states for state in wanted), max((info.count for info in infos), default=0)


def _first(series: Sequence[SeriesInfo], metric: str, state: str) -> list[int]:
    matches = [s for s in series if s.metric == metric and whole_host(s) and (not state or state_of(s) == state)]
    return [max(matches, key=lambda info: info.count).id] if matches else []


def _busiest_disk(series: Sequence[SeriesInfo], load_of: Callable[[int], float]) -> list[list[int]]:
    candidates = [s for s in series if s.metric == _DISK_UTILISATION and s.attributes.get("device")]
    if not candidates:
        return []
    busiest = max(candidates[:MOST_PROBED_DEVICES], key=lambda info: (load_of(info.id), -info.id))
    rows = [[busiest.id]]
    for metric in _DISK_TIMES:
        times = [
            s.id
            for s in series
            if s.metric == metric
            and s.artefact_id == busiest.artefact_id
            and s.attributes.get("device") == busiest.attributes["device"]
            and s.attributes.get("direction", "") in ("", "read", "write")
        ]
        if times:
            return [*rows, times]
    return rows
