"""Which resource is nearest to its limit, and how surely it is the first of all.

score = max(U / rho2(m), waiting / response): U the 95th percentile of the utilisation, rho2(m) the utilisation at which
a station of m servers takes twice the service time. The confidence comes from drawing the window's time slots again.

Being busy is no limit by itself: only a resource with a sign that something waits for it - a finding, a queue, a long
response time - can be the bottleneck. Memory has no law of utilisation; while it is critically short, the disks that it
pages to and the processors that look for pages work for it, so that it comes before them whatever their score. The same
goes for sessions of a database that wait for each other during most of its time: what is faster only waits longer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.inference.quantiles import harrell_davis, type7_at
from tunebench.analysis.queueing.stations import knee
from tunebench.core.grouping import by_key
from tunebench.diagnosis.signals.resolving import Group, HostSignals, Thing
from tunebench.diagnosis.signals.streams import Numbers, Stream, Table, Times, of_present, onto, spacing_ns
from tunebench.domain.finding import Finding, FindingEvidence, LockQueue, Ranking, ResourceScore, Severity, UseAspect
from tunebench.domain.operating_systems import os_word

CLEAR_SCORE = 0.8
STEADY_SHARE = 0.95
FEWEST_SLOTS = 6
_MOST_SLOTS = 24
_RESAMPLES = 2000
_SEED = 20080219
_LEAST_RATE = 10.0
"""Requests per second below which the waiting of a disk says nothing (the activity minimum of the rules)."""

_QUEUE_SHARE = 0.5
"""Of a response: waiting takes as long as the service, the very point that the knee stands for."""
_SLOW_ON_ANY_DISK_MS = 30.0
"""The founding guide's end of normal (SF-050), and above every medium's warning in X-DSK-05, which knows the medium."""
_SHORT = Severity.WARNING.rank
_LASTING = 0.3
"""Share of samples, as of the rules."""
_TOLD_BY_P95 = 0.05
"""Share of samples that a 95th percentile speaks of."""
_MEMORY_FULL = 0.9
_OF_MEMORY = ("mem_used_pct", "memory_pressure_pct", "swap_out_pages_s", "swap_avail_kb", "sr")

Evidence = Callable[[Stream, str, Thing], tuple[FindingEvidence, ...]]
Concerning = tuple[Finding, str, UseAspect | None]
"""A finding with its rule's resource and aspect."""
_COUNT_WAITING_ONLY = ("sunos",)


@dataclass(frozen=True, eq=False)
class Load:
    """A resource over time, from which its score is computed, and drawn again.

    Attributes:
        utilisation: float64[n], 0 to 1; NaN where not measured.
        wait_share: float64[n], 0 to 1; NaN where not measured or where too little was asked of it.
        queue: float64[n], number waiting.
        signs: why something waits for it: ids of rules, ``queue``, ``latency``; without one it is no bottleneck.
        short: of memory, the share of samples at which a rule calls it critically short; of sessions, the share of
            their time in which they wait for each other.
        scarce: of memory, the share of samples at which a rule says at all that something waits for it.
    """

    host: str
    resource: str
    thing: Thing
    times_ns: Times
    utilisation: Numbers
    wait_share: Numbers
    queue: Numbers
    servers: int
    assumed: bool
    upper_bound: bool = False
    evidence: tuple[FindingEvidence, ...] = ()
    signs: tuple[str, ...] = ()
    short: float = 0.0
    scarce: float = 0.0
    lock_queue: LockQueue | None = None

    @cached_property
    def measured(self) -> int:
        """Samples with its use or its waiting."""
        return int((~np.isnan(self.utilisation) | ~np.isnan(self.wait_share)).sum())

    @cached_property
    def score(self) -> ResourceScore:
        return _score(self)


# -- what loads a resource -----------------------------------------------------------------------------


def loads(signals: HostSignals, evidence: Evidence, concerning: Sequence[Concerning] = ()) -> list[Load]:
    """Processors, disks and network interfaces of one host that were measured, and memory where it is short.

    Args:
        concerning: what the rules found.
    """
    candidates = [_hot_processor(signals, evidence) if _by_processor(concerning) else _cpu(signals, evidence)]
    candidates += _disks(signals, evidence)
    candidates += [_interface(signals, thing, evidence) for thing in signals.things("interface")]
    candidates += [_held_back(signals, thing, evidence) for thing in signals.things("process")]
    measured = [load for load in candidates if load is not None and load.measured]
    signed = [replace(load, signs=(*_signs_of(load, concerning), *load.signs, *_queue(load))) for load in measured]
    memory = _memory(signals, evidence, concerning)
    return [*signed, *([memory] if memory else [])]


_OF_LOAD = (UseAspect.UTILISATION, UseAspect.SATURATION)


def _about(load: Load, concerning: Sequence[Concerning], aspects: Sequence[UseAspect] = _OF_LOAD) -> list[Finding]:
    """Findings that it is short of what is asked of it, over so much of the window that its score speaks of them."""
    return [
        finding
        for finding, resource, aspect in concerning
        if (finding.host, resource, finding.attributes) == (load.host, load.resource, load.thing.attributes)
        and aspect in aspects
        and finding.severity.rank >= Severity.WARNING.rank
        and (finding.share or 0.0) >= _TOLD_BY_P95
        and "since_boot" not in {caution.key for caution in finding.cautions}
    ]


def _signs_of(load: Load, concerning: Sequence[Concerning], aspects: Sequence[UseAspect] = _OF_LOAD) -> tuple[str, ...]:
    return tuple(dict.fromkeys(finding.rule for finding in _about(load, concerning, aspects)))


def _queue(load: Load) -> tuple[str, ...]:
    waits = load.wait_share[~np.isnan(load.wait_share)]
    return ("queue",) if len(waits) and waits.mean() >= _QUEUE_SHARE else ()


def _memory(signals: HostSignals, evidence: Evidence, concerning: Sequence[Concerning]) -> Load | None:
    """The load of memory; None where nothing says that it is short: what is in use is no load."""
    host = Thing("host")
    measured = ((name, signals.stream(name, host)) for name in _OF_MEMORY)
    name, base = next(((name, stream) for name, stream in measured if stream is not None), ("", None))
    if base is None:
        return None
    used, pressure = (_on(signals.stream(figure, host), base) / 100.0 for figure in _OF_MEMORY[:2])
    load = Load(
        signals.host,
        "memory",
        host,
        base.times_ns,
        used,
        pressure,
        np.full(len(base), np.nan),
        1,
        False,
        evidence=evidence(base, name, host),
    )
    critical = [finding.share or 0.0 for finding in _about(load, concerning) if finding.severity is Severity.CRITICAL]
    waited = [finding.share or 0.0 for finding in _about(load, concerning, (UseAspect.SATURATION,))]
    # how much is in use is no queue: it is short when something waits for pages
    signs = (*_signs_of(load, concerning, (UseAspect.SATURATION,)), *_queue(load))
    short, scarce = (max(shares, default=0.0) for shares in (critical, waited))
    return replace(load, signs=signs, short=short, scarce=scarce) if signs else None


_OF_LOCKS = ("row_lock_pct", "contention_pct")
"""Percent of a database's time; no part of it is in both."""


def waiting_sessions(concerning: Sequence[Concerning]) -> list[Load]:
    """The load of each database whose sessions wait for each other during half of its time and more."""
    by_database: dict[tuple[str, str], list[Finding]] = {}
    for finding, resource, _ in concerning:
        if resource == "sessions" and finding.facts.keys() & set(_OF_LOCKS) and finding.severity.rank >= _SHORT:
            by_database.setdefault((finding.host, finding.thing), []).append(finding)
    waiting = (_sessions(host, database, own) for (host, database), own in by_database.items())
    return [load for load in waiting if load.short >= _QUEUE_SHARE]


def _sessions(host: str, database: str, findings: Sequence[Finding]) -> Load:
    percents = [finding.facts[name] for finding in findings for name in _OF_LOCKS if name in finding.facts]
    share = min(sum(percent for percent in percents if isinstance(percent, (int, float))) / 100.0, 1.0)
    evidence = tuple(piece for finding in findings for piece in finding.evidence)
    times = np.array([max((piece.end_ns for piece in evidence), default=0)], dtype=np.int64)
    unknown = np.full(1, np.nan)
    signs = tuple(dict.fromkeys(finding.rule for finding in findings))
    thing = Thing("database", database)
    waits = np.array([share])
    lock_queue = next((finding.lock_queue for finding in findings if finding.lock_queue is not None), None)
    return Load(
        host,
        "sessions",
        thing,
        times,
        unknown,
        waits,
        unknown,
        1,
        False,
        evidence=evidence,
        signs=signs,
        short=share,
        lock_queue=lock_queue,
    )


def _cpu(signals: HostSignals, evidence: Evidence) -> Load | None:
    host = Thing("host")
    busy = signals.stream("cpu_busy_pct", host)
    if busy is None:
        return None
    count = signals.facts.values.get("ncpu")
    servers = int(count) if isinstance(count, (int, float)) and count >= 1 else 1
    queue = _on(signals.stream("run_queue", host), busy)
    stolen = _on(signals.stream("cpu_steal_pct", host), busy)  # nobody here used it, and nobody here can have it
    utilisation = (busy.values + np.nan_to_num(stolen)) / 100.0
    # Solaris counts those that wait, others those that run as well
    waiting = queue if os_word(signals.os) in _COUNT_WAITING_ONLY else np.maximum(queue - servers, 0.0)
    counted = count is not None
    share = _share(waiting, waiting + utilisation * servers) if counted else np.full(len(busy), np.nan)
    return Load(
        signals.host,
        "cpu",
        host,
        busy.times_ns,
        utilisation,
        share,
        waiting,
        servers,
        not counted,
        evidence=evidence(busy, "cpu_busy_pct", host),
    )


_OF_ONE_PROCESSOR = ("percpu_busy", "percpu_softirq")


def _by_processor(concerning: Sequence[Concerning]) -> bool:
    """Whether a rule found one processor at its limit, and none the processors together."""
    of_cpu = [finding for finding, resource, _ in concerning if resource == "cpu" and finding.severity.rank >= _SHORT]
    return bool(of_cpu) and all(finding.facts.keys() & set(_OF_ONE_PROCESSOR) for finding in of_cpu)


def _hot_processor(signals: HostSignals, evidence: Evidence) -> Load | None:
    """The busiest processor at each moment, a station of one server: others do not take its work."""
    host = Thing("host")
    processors = signals.stream("percpu_busy", host)
    if processors is None:
        return _cpu(signals, evidence)
    busiest = np.fmax.reduce(np.atleast_2d(processors.values), axis=0) / 100.0
    return _only_used(signals, "cpu", host, processors, busiest, evidence(processors, "percpu_busy", host))


def _only_used(
    signals: HostSignals,
    resource: str,
    thing: Thing,
    stream: Stream,
    utilisation: Numbers,
    evidence: tuple[FindingEvidence, ...],
) -> Load:
    """A station of one server of which nothing but its use was measured."""
    nothing = np.full(len(stream), np.nan)
    return Load(
        signals.host, resource, thing, stream.times_ns, utilisation, nothing, nothing, 1, False, evidence=evidence
    )


_OF_DISK = ("util_pct", "wait", "actv", "iops", "wsvc_t", "await_ms", "is_parallel_device", "media")


def _disks(signals: HostSignals, evidence: Evidence) -> list[Load]:
    by_thing: dict[Thing, Load] = {}
    for group in signals.groups("device", _OF_DISK):
        busy = group.tables.get("util_pct")
        if busy is not None:
            by_thing.update(zip(group.things, _alike_disks(signals, group, busy, evidence), strict=True))
    return [by_thing[thing] for thing in signals.things("device") if thing in by_thing]


def _alike_disks(signals: HostSignals, group: Group, busy: Table, evidence: Evidence) -> Iterator[Load]:
    waiting, active, rate, waited_ms, response_ms = (
        np.broadcast_to(group.on(name, busy), busy.values.shape) for name in _OF_DISK[1:6]
    )
    share = _share(waited_ms, response_ms)
    share = np.where(np.isnan(share), _share(waiting, waiting + active), share)
    share = np.where(rate >= _LEAST_RATE, share, np.where(np.isnan(rate), share, 0.0))
    slow = _slow(response_ms, rate)
    for row, thing in enumerate(group.things):
        yield Load(
            signals.host,
            "disk",
            thing,
            busy.times_ns,
            busy.values[row] / 100.0,
            share[row],
            waiting[row],
            1,
            group.facts.get("media") is None,
            group.facts.get("is_parallel_device") is True,
            evidence(busy.of(thing.name), "util_pct", thing),
            ("latency",) if slow[row] else (),
        )


def _slow(response_ms: Numbers, rate: Numbers) -> NDArray[np.bool_]:
    judged = ~np.isnan(response_ms) & ~(rate < _LEAST_RATE)
    above = np.count_nonzero(judged & (response_ms > _SLOW_ON_ANY_DISK_MS), axis=-1)
    count = np.count_nonzero(judged, axis=-1)
    return np.asarray((count > 0) & (above / np.maximum(count, 1) >= _LASTING))


def _interface(signals: HostSignals, thing: Thing, evidence: Evidence) -> Load | None:
    busy = signals.stream("if_util_pct", thing)
    if busy is None:
        return None
    return _only_used(signals, "network", thing, busy, busy.values / 100.0, evidence(busy, "if_util_pct", thing))


def _held_back(signals: HostSignals, group: Thing, evidence: Evidence) -> Load | None:
    """A group of processes under a CPU limit, which waits in the periods in which it had used it up."""
    throttled = signals.stream("throttled_pct", group)
    if throttled is None:
        return None
    nothing = np.full(len(throttled), np.nan)
    waits = throttled.values / 100.0
    shown = evidence(throttled, "throttled_pct", group)
    return Load(signals.host, "cpu", group, throttled.times_ns, nothing, waits, nothing, 1, False, evidence=shown)


def _on(stream: Stream | None, base: Stream) -> Numbers:
    return np.full(len(base), np.nan) if stream is None else onto(stream, base.times_ns, spacing_ns(base))


def _share(part: Numbers, whole: Numbers) -> Numbers:
    """0 where nothing waits and nothing is served."""
    share = np.where(np.isnan(part) | np.isnan(whole), np.nan, 0.0)
    np.divide(part, whole, out=share, where=whole > 0)
    return np.clip(share, 0.0, 1.0)


# -- scores --------------------------------------------------------------------------------------------


def rank(measured: Sequence[Load], drawn: NDArray[np.intp] | None = None) -> Ranking:
    """The tightest resource first; what may be a bottleneck comes before what may not.

    Args:
        drawn: its `resampled_tops`, where somebody has them already.
    """
    if not measured:
        return Ranking((), reason="nothing_measured")
    short = first_by_itself(measured)
    may = [load is short or (short is None and _may_limit(load)) for load in measured]
    ordered = sorted(zip(may, measured, strict=True), key=lambda entry: (not entry[0], -entry[1].score.score))
    scores = tuple(load.score for _, load in ordered)
    if short is not None:
        return Ranking(scores, True, "", None, slot_count(measured))
    drawn = resampled_tops(measured) if drawn is None else drawn
    held = None if drawn is None else _share_of_first(drawn, measured, scores[0])
    reason = _reason(scores[0], any(may), held)
    return Ranking(scores, not reason, reason, held, slot_count(measured))


def _reason(first: ResourceScore, may_limit: bool, held: float | None) -> str:
    if held is None:
        return "few_samples"
    if first.score < CLEAR_SCORE:
        return "below_threshold"
    if not may_limit:
        return "parallel_device" if first.upper_bound else "no_sign"
    return "not_steady" if held < STEADY_SHARE else ""


def _may_limit(load: Load) -> bool:
    return bool(load.signs) and load.score.score >= CLEAR_SCORE


def first_by_itself(measured: Sequence[Load]) -> Load | None:
    """Memory that was critically short for a good part of the window, or short while nothing else was so at all; or
    sessions that wait for each other.
    """
    shortest = max(measured, key=lambda load: (load.short, load.scarce), default=None)
    if shortest is None or (not shortest.short and shortest.scarce < _LASTING):
        return None
    # a queue that no rule tells of by itself is of those who wait for memory
    rest = (load for load in measured if load.resource != shortest.resource)
    others = any(_may_limit(load) and {*load.signs} != {"queue"} for load in rest)
    return shortest if shortest.short >= _LASTING or not others else None


def _score(load: Load) -> ResourceScore:
    used = load.utilisation[~np.isnan(load.utilisation)]
    waits = load.wait_share[~np.isnan(load.wait_share)]
    queue = load.queue[~np.isnan(load.queue)]
    limit = _limit(load)
    utilisation = high(used) if len(used) else None
    wait_share = float(waits.mean()) if len(waits) else None
    past_it = 1.0 if load.short else 0.0
    score = max(utilisation / limit if utilisation is not None else 0.0, wait_share or 0.0, past_it)
    return ResourceScore(
        load.host,
        load.resource,
        load.thing.name,
        score,
        utilisation,
        limit,
        load.servers,
        load.assumed,
        load.upper_bound,
        wait_share,
        float(queue.mean()) if len(queue) else None,
        max(len(used), len(waits)),
        load.thing.alias,
        load.evidence,
        load.signs,
        load.lock_queue,
    )


def _limit(load: Load) -> float:
    return _MEMORY_FULL if load.resource == "memory" else knee(load.servers)


def high(values: Numbers) -> float:
    """The 95th percentile after Harrell and Davis; the largest of so few values that they have none."""
    if len(values) < 3 or values.min() == values.max():
        return float(values.max())
    return harrell_davis(values, (0.95,))[0]


# -- how surely ----------------------------------------------------------------------------------------


def slot_count(measured: Sequence[Load]) -> int:
    """Into how many slots the window is cut: so many that each has several samples."""
    samples = min((load.measured for load in measured if load.measured), default=0)
    most = max((len(load.times_ns) for load in measured), default=0)
    return min(_MOST_SLOTS, max(samples, most // 2) // 5)


def resampled_tops(measured: Sequence[Load], seed: int = _SEED) -> NDArray[np.intp] | None:
    """int[r]: which load comes first when the slots are drawn again with replacement; None with too few slots.

    Among those that may be a bottleneck, where any may.
    """
    short = first_by_itself(measured)
    if short is not None:
        return np.full(_RESAMPLES, next(index for index, load in enumerate(measured) if load is short))
    slots = slot_count(measured)
    if slots < FEWEST_SLOTS:
        return None
    start = min(int(load.times_ns[0]) for load in measured)
    end = max(int(load.times_ns[-1]) for load in measured) + 1
    may = np.array([_may_limit(load) for load in measured])
    asked: NDArray[np.intp] = np.flatnonzero(may | ~may.any())
    own = [measured[index] for index in asked.tolist()]
    used, waits = _by_slot(own, np.linspace(start, end, slots + 1)[1:-1])
    draws = np.random.default_rng(seed).multinomial(slots, np.full(slots, 1 / slots), size=_RESAMPLES)
    limits = np.array([_limit(load) for load in own])
    scores = _means(draws, used)
    scores /= limits
    np.fmax(scores, _means(draws, waits), out=scores)
    np.nan_to_num(scores, copy=False, nan=0.0)
    tops: NDArray[np.intp] = asked[np.argmax(scores, axis=1)]
    return tops


def _by_slot(measured: Sequence[Load], inner: Numbers) -> tuple[Numbers, Numbers]:
    """float64[loads, slots]: 95th percentile of the utilisation and mean share of waiting; NaN where nothing was
    measured.

    Args:
        inner: where one slot ends and the next begins.
    """
    used, waits = np.full((2, len(measured), len(inner) + 1), np.nan)
    for places in by_key((id(load.times_ns), index) for index, load in enumerate(measured)).values():
        times_ns = measured[places[0]].times_ns
        ends = (0, *np.searchsorted(times_ns, inner).tolist(), len(times_ns))
        utilisation = np.stack([measured[index].utilisation for index in places])
        wait_share = np.stack([measured[index].wait_share for index in places])
        for slot, (first, last) in enumerate(pairwise(ends)):
            used[places, slot] = of_present(utilisation[:, first:last], _p95)
            waits[places, slot] = of_present(wait_share[:, first:last], lambda values: values.mean(axis=-1))
    return used, waits


def _p95(values: Numbers) -> Numbers:
    return type7_at(np.sort(values, axis=-1), np.full(len(values), 0.95))


def _means(draws: NDArray[np.int64], by_slot: Numbers) -> Numbers:
    """float64[r, loads]: means over the drawn slots, each as often as it was drawn."""
    there = ~np.isnan(by_slot)
    means: Numbers = np.asarray(draws @ np.where(there, by_slot, 0.0).T, dtype=np.float64)
    # of every draw as many slots where all were measured; NaN where nothing was drawn: 0 of 0
    weight = draws.sum(axis=1, keepdims=True) if there.all() else draws @ there.T.astype(float)
    with np.errstate(invalid="ignore"):
        means /= weight
    return means


def _share_of_first(tops: NDArray[np.intp], measured: Sequence[Load], first: ResourceScore) -> float:
    return float((tops == place_of(measured, first)).mean())


def place_of(measured: Sequence[Load], score: ResourceScore) -> int:
    return next(
        index
        for index, load in enumerate(measured)
        if (load.host, load.resource, load.thing.name) == (score.host, score.resource, score.name)
    )
