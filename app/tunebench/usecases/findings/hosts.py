"""Everything that a run measured of each host, ready for the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from tunebench.analysis.series import SeriesData
from tunebench.core.grouping import by_key
from tunebench.core.records import record
from tunebench.diagnosis.cycle.evidence import EvidenceFinder
from tunebench.diagnosis.signals.host_facts import HostFacts, host_facts
from tunebench.diagnosis.signals.resolving import HostSignals
from tunebench.diagnosis.signals.vocabulary import vocabulary
from tunebench.domain.assembly import overlap_of
from tunebench.domain.engagement import Host, is_unnamed
from tunebench.domain.series import SeriesInfo
from tunebench.domain.windows import Stretch, Window
from tunebench.store import hosts, merged_series, runs, sessions
from tunebench.store.project import Project
from tunebench.usecases.comparing.sides import all_samples_over
from tunebench.usecases.comparing.stretches import series_in, stretches_of, whole_of
from tunebench.usecases.findings.processor_count import counted_by_banner, counted_by_databases

_NEVER = Stretch(0, 0)


@record
class MeasuredHost:
    """A host of a run with its figures."""

    host: Host
    signals: HostSignals


def measured_hosts(project: Project, window: Window) -> Iterator[MeasuredHost]:
    """The hosts of a run, in the order of their series; samples are read when a figure is first asked for."""
    words = vocabulary()
    by_id = {host.id: host for host in hosts.list_hosts(project)}
    stretches = None if whole_of(window) else stretches_of(project, window) or (_NEVER,)
    by_host = by_key((info.host_id, info) for info in series_in(project, window))
    for host_id, series in by_host.items():
        host = by_id.get(host_id, Host(host_id, series[0].host))
        facts = _facts(project, series[0].run_id, host, series)
        reader = partial(_read, project, stretches)
        yield MeasuredHost(host, HostSignals(host.name, host.os, series, facts, reader, words))


def evidence_finder(project: Project) -> EvidenceFinder:
    parts_by_series: dict[int, tuple[merged_series.Part, ...]] = {}

    def captures(info: SeriesInfo, start_ns: int, end_ns: int) -> tuple[int, ...]:
        if len(info.artefact_ids) == 1:  # whatever is asked of it
            return info.artefact_ids
        if info.id not in parts_by_series:
            parts_by_series[info.id] = merged_series.find_merged(project, info.id).parts
        parts = parts_by_series[info.id]
        holders = [part.artefact_id for part in parts if overlap_of(part.extent, (start_ns, end_ns))]
        return tuple(dict.fromkeys(holders or [part.artefact_id for part in parts[:1]]))

    return EvidenceFinder(captures, vocabulary())


def _read(project: Project, stretches: Sequence[Stretch] | None, ids: Sequence[int]) -> Sequence[SeriesData]:
    """Columns of one table share their times."""
    wholes = merged_series.find_all_merged(project, ids)
    if stretches is None:
        return merged_series.read_all_merged(project, wholes)
    return all_samples_over(project, [(whole.info,) for whole in wholes], stretches)


# -- facts ---------------------------------------------------------------------------------------------


def _facts(project: Project, run_id: int, host: Host, series: list[SeriesInfo]) -> HostFacts:
    """Facts of the run's own inventories; of other runs' where it has none and the host is known to be the same."""
    inventory = sessions.list_facts(project, run_id, host.id)
    if not inventory and not is_unnamed(host.name):
        others = [run for run in runs.list_runs(project) if run.id != run_id]
        facts = (fact for run in others for fact in sessions.list_facts(project, run.id, host.id))
        inventory = sorted(facts, key=lambda fact: fact.moment_ns)
    counted = counted_by_banner(project, host.id, run_id, elsewhere=not is_unnamed(host.name))
    seen = counted or _processors(series) or counted_by_databases(project, host.id, run_id)
    return host_facts((stored.fact for stored in inventory), host.os, seen)


def _processors(series: list[SeriesInfo]) -> int:
    """How many the captures list one by one: no more than there are, and fewer where only some were asked for."""
    listed = {
        info.attributes["cpu"]
        for info in series
        if info.metric == "system.cpu.utilization" and info.attributes.get("cpu", "").isdigit()
    }
    return len(listed)
