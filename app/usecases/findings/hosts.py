"""Everything that a run measured of each host, ready for the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from app.analysis.series import SeriesData
from app.core.grouping import by_key
from app.diagnosis.cycle.evidence import EvidenceFinder
from app.diagnosis.signals.host_facts import HostFacts, host_facts
from app.diagnosis.signals.resolving import HostSignals
from app.diagnosis.signals.vocabulary import vocabulary
from app.domain.assembly import overlap_of
from app.domain.engagement import Host, is_unnamed
from app.domain.series import SeriesInfo
from app.domain.windows import Stretch, Window
from app.store import hosts, merged_series, runs, sessions
from app.store.project import Project
from app.usecases.comparing.sides import MOST_TOGETHER, samples_over
from app.usecases.comparing.stretches import series_in, stretches_of, whole_of
from app.usecases.findings.processor_count import counted_by_banner, counted_by_databases

_NEVER = Stretch(0, 0)
_LONG = 10_000
"""Samples of a column, from which on reading them takes longer than asking for them."""


@dataclass(frozen=True, slots=True)
class MeasuredHost:
    """A host of a run with its figures."""

    host: Host
    signals: HostSignals


def measured_hosts(project: Project, window: Window) -> Iterator[MeasuredHost]:
    """The hosts of a run, in the order of their series; samples are read when a figure is first asked for."""
    words = vocabulary()
    known = {host.id: host for host in hosts.list_hosts(project)}
    stretches = None if whole_of(window) else stretches_of(project, window) or (_NEVER,)
    by_host = by_key((info.host_id, info) for info in series_in(project, window))
    for host_id, series in by_host.items():
        host = known.get(host_id, Host(host_id, series[0].host))
        facts = _facts(project, series[0].run_id, host, series)
        reader = _reader(project, [each for each in series if each.metric in words.metrics], stretches)
        yield MeasuredHost(host, HostSignals(host.name, host.os, series, facts, reader, words))


def evidence_finder(project: Project) -> EvidenceFinder:
    return EvidenceFinder(lambda id_, start, end: _captures(project, id_, start, end), vocabulary())


def _reader(
    project: Project, series: Iterable[SeriesInfo], stretches: Sequence[Stretch] | None
) -> Callable[[int], SeriesData]:
    """Whoever asks for one column of a table asks for the others too: they are read together, and share their times.

    Args:
        series: those that may be asked for.
    """
    together = {info.id: block for block in _blocks(series) for info in block}
    known: dict[int, SeriesData] = {}

    def read(series_id: int) -> SeriesData:
        if series_id not in known:
            ids = [each.id for each in together.get(series_id, ()) if each.id not in known] or [series_id]
            wholes = merged_series.find_all_merged(project, ids)
            if stretches is None:
                found = merged_series.read_all_merged(project, wholes)
            else:
                found = [samples_over(project, (each.info,), stretches) for each in wholes]
            known.update(zip(ids, found, strict=True))
        return known.pop(series_id)

    return read


def _blocks(series: Iterable[SeriesInfo]) -> Iterator[list[SeriesInfo]]:
    """The columns of each table, in the order they come, as many at once as are few numbers; long ones by themselves,
    since nobody may ask for them."""
    for columns in by_key((each.clock_id, each) for each in series if each.count <= _LONG).values():
        ends = accumulate(each.count for each in columns)
        yield from by_key((end // MOST_TOGETHER, each) for end, each in zip(ends, columns, strict=True)).values()


def _captures(project: Project, series_id: int, start_ns: int, end_ns: int) -> tuple[int, ...]:
    parts = merged_series.find_merged(project, series_id).parts
    found = [part.artefact_id for part in parts if overlap_of(part.extent, (start_ns, end_ns))]
    return tuple(dict.fromkeys(found or [part.artefact_id for part in parts[:1]]))


# -- facts ---------------------------------------------------------------------------------------------


def _facts(project: Project, run_id: int, host: Host, series: list[SeriesInfo]) -> HostFacts:
    """Of the run's own inventories; of those of other runs where it has none and the host is known to be the same."""
    told = sessions.list_facts(project, run_id, host.id)
    if not told and not is_unnamed(host.name):
        others = [run for run in runs.list_runs(project) if run.id != run_id]
        facts = (fact for run in others for fact in sessions.list_facts(project, run.id, host.id))
        told = sorted(facts, key=lambda each: each.moment_ns)
    counted = counted_by_banner(project, host.id, run_id, elsewhere=not is_unnamed(host.name))
    seen = counted or _processors(series) or counted_by_databases(project, host.id, run_id)
    return host_facts((stored.fact for stored in told), host.os, seen)


def _processors(series: list[SeriesInfo]) -> int:
    """How many the captures list one by one: no more than there are, and fewer where only some were asked for."""
    listed = {
        info.attributes["cpu"]
        for info in series
        if info.metric == "system.cpu.utilization" and info.attributes.get("cpu", "").isdigit()
    }
    return len(listed)
