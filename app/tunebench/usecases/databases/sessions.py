"""Sessions at work over time: the valid periods of a database, with the host's processors and disks beside them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from tunebench.analysis.databases.profile import is_sampled, time_by_class
from tunebench.analysis.databases.profile_lines import LineKind
from tunebench.analysis.databases.record import Numbers
from tunebench.analysis.databases.sessions import (
    Correlation,
    Layer,
    SessionsOverTime,
    StatementMap,
    correlations,
    stacked,
    statement_map,
)
from tunebench.analysis.databases.statement_time import times_statements_only
from tunebench.core.records import record
from tunebench.domain.databases.records import Fault
from tunebench.domain.series import SeriesInfo
from tunebench.domain.windows import Stretch
from tunebench.store import hosts, merged_series
from tunebench.store.project import Project
from tunebench.usecases.databases.periods import TELLING, Period, periods
from tunebench.usecases.databases.sides import Side, side
from tunebench.usecases.databases.snapshots import Database
from tunebench.usecases.findings.processor_count import processors

_NOT_BUSY = ("idle", "iowait", "steal")
"""States of processors that no work of this host fills."""
_BESIDE = ("system.disk.response_time", "system.disk.utilization", "system.cpu.run_queue", "system.cpu.utilization")
"""What of the host statements are held against."""
_MOST_OF_A_METRIC = 6
_TOP_STATEMENTS = 7
"""Layers of a stack of statements."""
_NEAR_NS = 1_000_000_000
_SHARED = 0.05
"""Of the shorter of two periods that are of the same time."""


@record(eq=False)
class SessionHistory:
    """
    Attributes:
        within: of each period of `over` where it lies, so that any range of them can be looked at by itself.
        statements: the statements with most time, period by period; None until they are asked for.
        with_host: how statements go with the host's figures.
        sampled: the kind of captures whose samples the periods are; empty where they are not.
    """

    database: Database
    over: SessionsOverTime
    within: tuple[Stretch, ...]
    statements: StatementMap | None = None
    with_host: tuple[Correlation, ...] = ()
    sampled: str = ""

    @property
    def by_statement(self) -> SessionsOverTime:
        """The same periods stacked by statement; what others took is a layer."""
        statements = self.statements
        spans = list(zip(self.over.begins_ns.tolist(), self.over.ends_ns.tolist(), strict=True))
        if statements is None:
            return stacked(spans, [{} for _ in spans], self.over.busy, self.over.processors)
        layers: list[dict[Layer, float]] = []
        for whole, column in zip(self.over.totals.tolist(), statements.sessions.T[:, :_TOP_STATEMENTS], strict=True):
            own = {
                Layer(LineKind.WAIT, key.id, key, statements.texts.get(key.id, "")): amount
                for key, amount in zip(statements.statements, column.tolist(), strict=False)
                if amount == amount
            }
            rest = whole - sum(own.values())
            layers.append(own | ({Layer(LineKind.UNACCOUNTED): rest} if own and rest > 0 else {}))
        return stacked(spans, layers, self.over.busy, self.over.processors)


def session_history(project: Project, database: Database, *, statements: bool = False) -> SessionHistory | None:
    """What the sessions did over time; None where no period has its length and the time of its sessions.

    Args:
        statements: whether they are read, too: a hundred times as much.
    """
    every = [
        period
        for period in periods(project, database, (*TELLING, *_told_by_statements(database, statements)))
        if _tells(period)
    ]
    chosen = _apart(
        every, lambda period: bool(len(period.record.table("statement"))) if statements else is_sampled(period.record)
    )
    if statements:
        chosen = [period for period in chosen if len(period.record.table("statement"))] or chosen
    if not chosen:
        return None
    spans = [_span(period) for period in chosen]
    shares = [
        {Layer(kind, name): amount for (kind, name), amount in time_by_class(period.record).items()}
        for period in chosen
    ]
    host = _HostFigures(project, database)
    over = stacked(spans, shares, host.busy(spans), host.count)
    within = tuple(Stretch(*span, period.parts[0].run_id) for span, period in zip(spans, chosen, strict=True))
    if not statements:
        sampled = next((period.record.source for period in chosen if is_sampled(period.record)), "")
        return SessionHistory(database, over, within, sampled=sampled)
    kept = statement_map([period.record for period in chosen])
    return SessionHistory(database, over, within, kept, tuple(correlations(kept, host.beside(spans))))


def _told_by_statements(database: Database, wanted: bool) -> tuple[str, ...]:
    """Their tables where they are asked for, or where they alone tell the time of sessions."""
    if wanted:
        return "statement", "statement_text"
    return ("statement",) if times_statements_only(database.identity.engine) else ()


def of_range(project: Project, history: SessionHistory, first: int, last: int) -> tuple[Side, Side]:
    """The periods from `first` to `last`, both included, as one side: all that the captures tell of that time, and what
    tells of its waits. The two differ where sessions were sampled: snapshots may lie otherwise than the slices of
    samples, whose rates are of their own time."""
    within = tuple(_joined(history.within[first : last + 1]))
    database = replace(history.database, within=within)
    run_id = within[0].run_id or 0
    whole = side(project, run_id, database)
    return whole, side(project, run_id, database, source=history.sampled) if history.sampled else whole


def _joined(pieces: Sequence[Stretch]) -> Iterator[Stretch]:
    """The stretches, those of one run that follow each other as one: a snapshot pair may reach over several."""
    current = pieces[0]
    for piece in pieces[1:]:
        if piece.run_id == current.run_id and piece.start_ns <= current.end_ns + _NEAR_NS:
            current = replace(current, end_ns=piece.end_ns)
        else:
            yield current
            current = piece
    yield current


def _tells(period: Period) -> bool:
    begin_ns, end_ns = period.begin_ns, period.end_ns
    if not period.record.valid or Fault.SINCE_START in period.record.faults or begin_ns is None or end_ns is None:
        return False
    return end_ns > begin_ns and bool(time_by_class(period.record))


def _span(period: Period) -> tuple[int, int]:
    return period.begin_ns or 0, period.end_ns or 0


def _apart(every: Sequence[Period], first: Callable[[Period], bool]) -> list[Period]:
    """Periods that share no time, in its order: those that are wanted `first`, then the shorter ones."""
    chosen: list[Period] = []
    begins: list[int] = []
    for period in sorted(every, key=lambda period: (not first(period), _span(period)[1] - _span(period)[0])):
        begin, end = _span(period)
        index = bisect_left(begins, begin)
        near = chosen[max(index - 1, 0) : index + 1]
        if all(min(end, _span(other)[1]) - max(begin, _span(other)[0]) <= _SHARED * (end - begin) for other in near):
            chosen.insert(index, period)
            begins.insert(index, begin)
    return chosen


class _HostFigures:
    """What captures tell of the host that runs a database, over the same periods."""

    def __init__(self, project: Project, database: Database) -> None:
        self._project = project
        named = [host.id for host in hosts.list_hosts(project) if host.name == database.host]
        ids = [*named, *(stored.host_id for stored in database.records if stored.host_id is not None)]
        self._host = next(iter(ids), None)
        runs = {stored.run_id for stored in database.records}
        self._series = [
            series
            for series in merged_series.list_merged(project)
            if series.host_id == self._host and series.run_id in runs and series.metric in _BESIDE
        ]
        processor_count = processors(project, self._host) if self._host is not None else None
        self.count = processor_count or database.identity.cpu_count

    def busy(self, spans: Sequence[tuple[int, int]]) -> Numbers:
        """Processors that were busy; NaN where that was not measured or nobody knows how many there are."""
        if not self.count:
            return np.full(len(spans), np.nan)
        whole = [
            series
            for series in self._series
            if series.metric == "system.cpu.utilization" and "cpu" not in _names(series)
        ]
        tools: dict[tuple[str, str], list[SeriesInfo]] = {}
        for series in whole:
            if _names(series).get("state") in _NOT_BUSY:
                tools.setdefault((series.tool, series.table), []).append(series)
        busy = np.full(len(spans), np.nan)
        for own in sorted(tools.values(), key=lambda columns: -max(series.count for series in columns)):
            if any(_names(series).get("state") == "idle" for series in own):
                rest = sum((np.nan_to_num(self._mean(series, spans)) for series in own), np.zeros(len(spans)))
                idle = next(series for series in own if _names(series).get("state") == "idle")
                share = np.where(np.isnan(self._mean(idle, spans)), np.nan, 1.0 - rest)
                busy = np.where(np.isnan(busy), share * self.count, busy)
        return busy

    def beside(self, spans: Sequence[tuple[int, int]]) -> dict[Hashable, Numbers]:
        """Figures by what they are called; of many devices those with the highest values."""
        figures: dict[Hashable, Numbers] = {}
        for metric in _BESIDE:
            own = [series for series in self._series if series.metric == metric and "cpu" not in _names(series)]
            read = [(series, self._mean(series, spans)) for series in own]
            measured = [(series, values) for series, values in read if (~np.isnan(values)).any()]
            measured.sort(key=lambda pair: -float(np.nanmean(pair[1])))
            figures |= {f"{series.tool} {series.label}": values for series, values in measured[:_MOST_OF_A_METRIC]}
        return figures

    def _mean(self, info: SeriesInfo, spans: Sequence[tuple[int, int]]) -> Numbers:
        """The mean of each span in the metric's base unit; a sample stands at the end of what it measured."""
        whole = merged_series.find_merged(self._project, info.id)
        data = merged_series.read_merged(self._project, whole, spans[0][0], spans[-1][1])
        present = ~np.isnan(data.values)
        times, values = data.times_ns[present], data.values[present] * info.to_base
        sums = np.concatenate([[0.0], np.cumsum(values)])
        begins, ends = (np.searchsorted(times, [span[end] for span in spans], side="right") for end in (0, 1))
        counts = ends - begins
        return np.where(counts > 0, (sums[ends] - sums[begins]) / np.maximum(counts, 1), np.nan)


def _names(info: SeriesInfo) -> dict[str, str]:
    return {**info.attributes, **info.implied}
