"""The USE table: per resource how busy it is, how much waits for it, what goes wrong (B. Gregg's method).

What was not captured is a cell of its own, with the probes that would fill it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from tunebench.analysis.queueing.stations import knee
from tunebench.core.records import record
from tunebench.diagnosis.signals.host_facts import fact_probes
from tunebench.diagnosis.signals.resolving import HostSignals, Thing
from tunebench.diagnosis.signals.streams import Numbers, Reducing, Stream, Table, highest
from tunebench.domain.finding import Finding, FindingEvidence, Severity, UseAspect, UseCell, UseRow
from tunebench.domain.operating_systems import os_word

Evidence = Callable[[Stream, str, Thing], tuple[FindingEvidence, ...]]
Threshold = Callable[[HostSignals], float | None]

_KNEE_WITHOUT_COUNT = 85.0
"""Percent; where the number of processors is not known, netdata's warning level (X-CPU-01)."""


@record
class _Candidate:
    signal: str
    statistic: str = "p95"
    threshold: Threshold = lambda _signals: None
    only_on: tuple[str, ...] = ()
    not_on: tuple[str, ...] = ()

    def fits(self, os: str) -> bool:
        return (not self.only_on or os in self.only_on) and os not in self.not_on


@record
class _Resource:
    name: str
    scope: str
    cells: Mapping[UseAspect, tuple[_Candidate, ...]]


def _fixed(value: float) -> Threshold:
    return lambda _signals: value


def _cpu_knee(signals: HostSignals) -> float:
    count = signals.facts.values.get("ncpu")
    return 100.0 * knee(int(count)) if isinstance(count, (int, float)) and count >= 1 else _KNEE_WITHOUT_COUNT


def _cpu_count(signals: HostSignals) -> float | None:
    count = signals.facts.values.get("ncpu")
    return float(count) if isinstance(count, (int, float)) else None


_UTILISATION, _SATURATION, _ERRORS = UseAspect.UTILISATION, UseAspect.SATURATION, UseAspect.ERRORS

_SCAN_FOR_CACHES = ("linux", "aix")
_RESOURCES = (
    _Resource(
        "cpu",
        "host",
        {
            _UTILISATION: (_Candidate("cpu_busy_pct", threshold=_cpu_knee),),
            _SATURATION: (_Candidate("run_queue", threshold=_cpu_count), _Candidate("load1", threshold=_cpu_count)),
            _ERRORS: (),
        },
    ),
    _Resource(
        "memory",
        "host",
        {
            # what is free says nothing on systems that fill it with caches: no threshold for it
            _UTILISATION: (
                _Candidate("mem_used_pct", threshold=_fixed(90.0)),
                _Candidate("comp_pct", threshold=_fixed(90.0)),
                _Candidate("mem_taken_pct"),
                _Candidate("swap_used_pct"),
            ),
            # Linux and AIX scan for the sake of their caches as well: there only paging tells
            _SATURATION: (
                _Candidate("sr", "max", _fixed(0.0), not_on=_SCAN_FOR_CACHES),
                _Candidate("swap_out_pages_s", "max", _fixed(5.0)),
                _Candidate("memory_pressure_pct", threshold=_fixed(10.0)),
                _Candidate("sr", "max", only_on=_SCAN_FOR_CACHES),
            ),
            _ERRORS: (_Candidate("oom_kills", "total", _fixed(0.0)),),
        },
    ),
    _Resource(
        "disk",
        "device",
        {
            _UTILISATION: (_Candidate("util_pct", threshold=_fixed(100.0 * knee(1))),),
            _SATURATION: (
                _Candidate("wait", threshold=_fixed(1.0)),
                _Candidate("pct_w", threshold=_fixed(5.0)),
                _Candidate("aqu_sz", threshold=_fixed(1.0)),
                _Candidate("sqfull_s", threshold=_fixed(0.0)),
            ),
            _ERRORS: (_Candidate("disk_errors_s", "total", _fixed(0.0)),),
        },
    ),
    _Resource(
        "network",
        "interface",
        {
            _UTILISATION: (_Candidate("if_util_pct", threshold=_fixed(90.0)),),
            _SATURATION: (_Candidate("if_drop_ratio", threshold=_fixed(2.0)),),
            _ERRORS: (_Candidate("if_errors_s", "total", _fixed(0.0)),),
        },
    ),
    _Resource(
        "filesystem",
        "filesystem",
        {
            _UTILISATION: (_Candidate("fs_used_pct", "max", _fixed(90.0)),),
            _SATURATION: (_Candidate("fs_inode_pct", "max", _fixed(90.0)),),
            _ERRORS: (),
        },
    ),
    _Resource(
        "sessions",
        "host",
        {
            _UTILISATION: (_Candidate("sessions_active", threshold=_cpu_count),),
            _SATURATION: (_Candidate("sessions_waiting", threshold=_fixed(1.0)),),
            _ERRORS: (),
        },
    ),
    _Resource(
        "sessions",
        "database",
        {_UTILISATION: (_Candidate("db_sessions_active", threshold=_cpu_count),), _SATURATION: (), _ERRORS: ()},
    ),
)
_ONLY_WHERE_MEASURED = frozenset({"sessions"})


def use_table(signals: HostSignals, evidence: Evidence) -> tuple[UseRow, ...]:
    """The rows of one host; see `with_findings` for what the rules add."""
    return tuple(_rows(signals, evidence))


def _rows(signals: HostSignals, evidence: Evidence) -> Iterator[UseRow]:
    for resource in _RESOURCES:
        for thing in signals.things(resource.scope) or ([] if resource.scope == "host" else [Thing(resource.scope)]):
            cells = [_cell(signals, thing, aspect, resource.cells[aspect], evidence) for aspect in UseAspect]
            if resource.name in _ONLY_WHERE_MEASURED and not any(cell.measured for cell in cells):
                continue
            yield UseRow(signals.host, resource.name, thing.name, (cells[0], cells[1], cells[2]), thing.alias)


def _cell(
    signals: HostSignals, thing: Thing, aspect: UseAspect, candidates: Sequence[_Candidate], evidence: Evidence
) -> UseCell:
    fitting = [candidate for candidate in candidates if candidate.fits(os_word(signals.os))]
    for candidate in fitting:
        table = signals.table(candidate.signal, thing)
        if table is not None:
            return _measured(signals, thing, aspect, candidate, table, evidence)
    probes = dict.fromkeys(probe for candidate in fitting for probe in probes_for(signals, candidate.signal))
    return UseCell(aspect, fitting[0].signal if fitting else "", probes=tuple(probes))


def probes_for(signals: HostSignals, name: str) -> tuple[str, ...]:
    """The probes that capture a figure or a fact on this host."""
    return signals.vocabulary.probes_for(name, signals.os) or fact_probes(name, signals.os)


def _measured(
    signals: HostSignals, thing: Thing, aspect: UseAspect, candidate: _Candidate, table: Table, evidence: Evidence
) -> UseCell:
    threshold = candidate.threshold(signals)
    signal = signals.vocabulary.find(candidate.signal)

    def figure_of(figure: Reducing) -> float:
        return float(table.reduced(figure)[table.place(thing.name)])

    value = figure_of(_STATISTICS[candidate.statistic])
    if candidate.statistic == "total":  # of a rate: rate x interval, added up
        value *= table.interval_s or 1.0
    return UseCell(
        aspect,
        candidate.signal,
        value,
        signal.unit if signal else "",
        candidate.statistic,
        figure_of(_mean),
        figure_of(highest),
        int(figure_of(_count)),
        threshold,
        None if threshold is None else figure_of(_share_above(threshold)),
        _severity(value, threshold),
        evidence(table.of(thing.name), candidate.signal, thing),
    )


def _mean(values: Numbers) -> Numbers:
    return np.asarray(values.mean(axis=-1))


def _count(values: Numbers) -> Numbers:
    return np.full(len(values), float(values.shape[-1]))


@lru_cache(maxsize=64)
def _share_above(threshold: float) -> Reducing:
    return lambda values: np.asarray((values > threshold).mean(axis=-1))


_STATISTICS: Mapping[str, Reducing] = {
    "max": highest,
    "total": lambda values: np.asarray(values.sum(axis=-1)),
    "p95": lambda values: np.asarray(np.percentile(values, 95, axis=-1)),
}


def _severity(value: float, threshold: float | None) -> Severity | None:
    """The table itself says no more than "watch": judging is the rules' part."""
    if threshold is None:
        return None
    return Severity.WATCH if value > threshold else Severity.OK


_Place = tuple[str, str, str, UseAspect]


def with_findings(
    rows: Sequence[UseRow], findings: Sequence[tuple[Finding, str, UseAspect | None]]
) -> tuple[UseRow, ...]:
    """The table in which a cell is as severe as the worst finding about it, and names the rules that say so.

    Args:
        findings: each with its rule's resource and aspect.
    """
    about: dict[_Place, list[Finding]] = {}
    for finding, resource, aspect in findings:
        if aspect is not None and finding.severity is not Severity.OK:
            cell = (finding.host, resource, next(iter(finding.attributes.values()), ""), aspect)
            about.setdefault(cell, []).append(finding)
    return tuple(_row_with(row, about) for row in rows)


def _row_with(row: UseRow, about: Mapping[_Place, Sequence[Finding]]) -> UseRow:
    cells = [_cell_with(cell, about.get((row.host, row.resource, row.name, cell.aspect), ())) for cell in row.cells]
    return replace(row, cells=(cells[0], cells[1], cells[2]))


def _cell_with(cell: UseCell, findings: Sequence[Finding]) -> UseCell:
    worst = max((finding.severity for finding in findings), key=lambda severity: severity.rank, default=None)
    if worst is None or (cell.severity is not None and worst.rank < cell.severity.rank):
        return cell
    rules = tuple(dict.fromkeys(finding.rule for finding in findings if finding.severity is worst))
    return replace(cell, severity=worst, rules=rules)
