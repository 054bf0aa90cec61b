"""Captures of one host taken together: what two of them hold, what changed between them, what devices are called."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from tunebench.analysis.comparing.same_measurements import LEAST_AGREEING, Match, Measured, find_matches
from tunebench.core.errors import UserError
from tunebench.core.grouping import by_key
from tunebench.core.progress import Progress, SilentProgress
from tunebench.core.records import record
from tunebench.domain.assembly import CaptureOverlap, DeviceAlias, Relation, Span, overlap_of
from tunebench.domain.engagement import CaptureEvent, EventKind, Host, is_unnamed
from tunebench.domain.ledger import Ledger
from tunebench.sdk.text import decode_text
from tunebench.store import aliases, artefacts, captured_columns, hosts, overlaps, queries
from tunebench.store.artefacts import ArtefactInfo
from tunebench.store.captured_columns import CapturedColumn
from tunebench.store.device_names import names_of_devices
from tunebench.store.project import Project
from tunebench.usecases.importing import configuration_changes, host_names
from tunebench.usecases.projects import refuse_read_only

_COLUMNS_COMPARED = 8
_FEWEST_COMPARED = 3
_MOST_SAMPLES = 4_000_000  # of all captures of a host, held while they are compared
_MOST_KEPT_SAMPLES = 1_000_000  # of columns that are compared with several others
_BANNER_LINES = 6
_STATE = "compared_captures_"  # name of a property: + host id
_FIRST_FAMILY = {"sadf": "sar"}
NS_PER_S = 1_000_000_000
DAY_NS = 86_400 * NS_PER_S
LONGEST_ZONE_SHIFT_NS = 26 * 3600 * NS_PER_S  # between the clocks of -12:00 and +14:00
_LEAST_FOR_A_PEAK = 8
_TELLING_METRICS = frozenset({"system.cpu.utilization", "system.disk.utilization", "system.disk.operations"})


# -- comparing captures --------------------------------------------------------------------------------


def review(project: Project, progress: Progress | None = None) -> None:
    """Compares the captures of every host that has new ones; what was found is kept until they change again."""
    if project.read_only:
        return
    progress = progress or SilentProgress()
    moved = False
    for host, state in _changed_hosts(project):
        progress.raise_if_cancelled()
        progress.report(0, 0, "progress.comparing_captures", host=host.name)
        _review_host(project, host)
        captured_columns.write_state(project, f"{_STATE}{host.id}", state)
        moved |= is_unnamed(host.name) and host_names.keep_apart(project, host)
    if moved:
        review(project, progress)


def needs_review(project: Project) -> bool:
    """Whether there are captures that were not compared yet: an import that was cut off did not."""
    return not project.read_only and any(True for _ in _changed_hosts(project))


def _changed_hosts(project: Project) -> Iterator[tuple[Host, str]]:
    for host in hosts.list_hosts(project):
        state = hashlib.sha256(captured_columns.captures_state(project, host.id).encode()).hexdigest()
        if captured_columns.read_state(project, f"{_STATE}{host.id}") != state:
            yield host, state


def _review_host(project: Project, host: Host) -> None:
    own = [capture for capture in artefacts.list_artefacts(project) if capture.host_id == host.id]
    # there may be thousands of them, and a capture without another differs from none
    columns = captured_columns.columns_of_host(project, host.id) if len(own) > 1 else []
    findings = find_overlaps(project, own, columns, named=not is_unnamed(host.name))
    restarts = captured_columns.restart_words(project, host.id)
    changed = configuration_changes.changes(
        own, columns, [*_banners(project, own), *restarts], captured_columns.size_facts(project, host.id)
    )
    names = {capture.id: capture.name for capture in own}
    events = configuration_changes.merged(changed, _overlap_events(findings, names))
    overlaps.replace_findings(project, [capture.id for capture in own], findings, events)


def _banners(project: Project, own: Iterable[ArtefactInfo]) -> Iterator[tuple[int, int, str]]:
    """What the first lines say of the machine (``(2 CPU)``, ``lcpu=8``), from the capture's first sample on."""
    for capture in own:
        if capture.ledger.first_ns is not None:
            lines = artefacts.first_lines(project, capture.id, _BANNER_LINES)
            yield capture.ledger.first_ns, capture.id, decode_text(b" ".join(lines))


def find_overlaps(
    project: Project, own: Sequence[ArtefactInfo], columns: Sequence[CapturedColumn], named: bool
) -> list[CaptureOverlap]:
    """Pairs of one host's captures that cover the same stretch.

    Args:
        named: whether the captures are known to be of one machine; else two that idle alike are not the same.
    """
    guessed = frozenset(capture.id for capture in own if "start" in capture.ledger.needs)
    by_id = {capture.id: capture for capture in own}

    def plausible(first: int, second: int, shift_ns: int) -> bool:
        return may_be_apart(by_id[first].ledger, by_id[second].ledger, shift_ns)

    same = [_of_match(match) for match in find_matches(_compared(project, columns), guessed, plausible)]
    same += _through_others(same, columns)
    pairs = {(overlap.artefact_id, overlap.other_id) for overlap in same}
    # a capture that another one holds at a different time lies in the wrong place: what it meets there says nothing
    shifted = {id_ for overlap in same if overlap.shift_ns for id_ in (overlap.artefact_id, overlap.other_id)}
    others = [
        overlap
        for overlap in _differing(columns)
        if (overlap.artefact_id, overlap.other_id) not in pairs
        and shifted.isdisjoint((overlap.artefact_id, overlap.other_id))
    ]
    compared_at_once = _ComparedAtOnce(project, columns)
    return [*same, *(compared_at_once.judged(overlap) if named else overlap for overlap in others)]


def _through_others(same: Sequence[CaptureOverlap], columns: Sequence[CapturedColumn]) -> list[CaptureOverlap]:
    """Pairs that are the same because both are the same as a third, and have a column in common.

    Each capture's distance from the first of its group is known; so is that of any two.
    """
    if not same:
        return []
    keys: dict[int, set[tuple[object, ...]]] = {}
    extents: dict[int, Span] = {}
    for column in columns:
        first, last = extents.get(column.artefact_id, (column.first_ns, column.last_ns))
        keys.setdefault(column.artefact_id, set()).add(_meaning(column))
        extents[column.artefact_id] = (min(first, column.first_ns), max(last, column.last_ns))
    pairs = {(overlap.artefact_id, overlap.other_id) for overlap in same}
    indirect = []
    for group in _distances(same):
        for one in group:
            for two in group:
                if one <= two or (one, two) in pairs or keys[one].isdisjoint(keys[two]):
                    continue
                shift = group[one] - group[two]
                there = (extents[two][0] - shift, extents[two][1] - shift)
                shared = overlap_of(extents[one], there)
                if shared is not None:
                    indirect.append(CaptureOverlap(one, two, Relation.SAME, shift, *shared, 0))
    return indirect


def _distances(same: Iterable[CaptureOverlap]) -> list[dict[int, int]]:
    """Groups of captures that are the same: capture -> what is to be added to its time to have the group's."""
    pairs = ((overlap.artefact_id, overlap.other_id, overlap.shift_ns) for overlap in same)
    near = by_key(pair for one, two, shift in pairs for pair in ((one, (two, shift)), (two, (one, -shift))))
    groups: list[dict[int, int]] = []
    for start in near:
        if any(start in group for group in groups):
            continue
        group, waiting = {start: 0}, [start]
        while waiting:
            one = waiting.pop()
            for other, shift in near[one]:  # one's time + shift is other's time
                if other not in group:
                    group[other] = group[one] - shift
                    waiting.append(other)
        groups.append(group)
    return groups


class _ComparedAtOnce:
    """Captures of one host, two of them at a time. A capture of many that overlap is compared with each of them."""

    def __init__(self, project: Project, columns: Iterable[CapturedColumn]) -> None:
        self._project = project
        self._columns: dict[int, dict[tuple[object, ...], CapturedColumn]] = {}
        for column in columns:
            self._columns.setdefault(column.artefact_id, {})[column.native, column.attributes] = column
        self._kept: dict[int, Measured] = {}
        self._kept_samples = 0

    def judged(self, overlap: CaptureOverlap) -> CaptureOverlap:
        """The overlap as it is where it holds the same after all: an idle host's columns tell of no shift."""
        ours, theirs = self._columns[overlap.artefact_id], self._columns[overlap.other_id]
        agreeing = compared = 0
        keys = sorted(ours.keys() & theirs.keys())[:_COLUMNS_COMPARED]
        left = sum(_most_compared(ours[key], theirs[key]) for key in keys)
        for key in keys:
            left -= _most_compared(ours[key], theirs[key])
            mine, other = self._samples(ours[key]), self._samples(theirs[key])
            _, here, there = np.intersect1d(mine.times_ns, other.times_ns, assume_unique=True, return_indices=True)
            compared += len(here)
            agreeing += int(np.isclose(mine.values[here], other.values[there], rtol=1e-6, atol=0).sum())
            if agreeing + left < LEAST_AGREEING * (compared + left):
                return overlap  # whatever the other columns hold
        if not compared or agreeing < LEAST_AGREEING * compared:
            return overlap
        return replace(overlap, relation=Relation.SAME)

    def _samples(self, column: CapturedColumn) -> Measured:
        if column.series_id not in self._kept:
            if self._kept_samples > _MOST_KEPT_SAMPLES:
                self._kept.clear()
                self._kept_samples = 0
            self._kept[column.series_id] = _samples(self._project, column)
            self._kept_samples += column.count
        return self._kept[column.series_id]


def _most_compared(one: CapturedColumn, other: CapturedColumn) -> int:
    """No fewer than the instants at which both have a value."""
    return min(one.count + one.missing, other.count + other.missing)


def may_be_apart(one: Ledger, other: Ledger, shift_ns: int) -> bool:
    """Whether two captures of the same measurements can lie so far apart.

    By any time where a start was supplied, by whole days where a day was, by the difference of two zones where those
    are not known to be the same. Load that repeats itself after some days is no twin.
    """
    supplied = {assumption.subject for ledger in (one, other) for assumption in ledger.assumptions}
    if shift_ns == 0 or "start" in supplied:
        return True
    if supplied & {"date", "date_order"} and shift_ns % DAY_NS == 0:
        return True
    one_zone = one.zone == other.zone and one.zone_source == other.zone_source == "stamp"
    return not one_zone and abs(shift_ns) <= LONGEST_ZONE_SHIFT_NS


def _of_match(match: Match) -> CaptureOverlap:
    return CaptureOverlap(
        match.first, match.second, Relation.SAME, match.shift_ns, match.start_ns, match.end_ns, match.columns
    )


def _meaning(column: CapturedColumn) -> tuple[object, ...]:
    if column.metric:
        return (column.metric, column.meaning)
    return (_FIRST_FAMILY.get(column.tool, column.tool), column.native, column.attributes)


def _compared(project: Project, columns: Iterable[CapturedColumn]) -> dict[int, dict[object, Measured]]:
    """A few telling columns of each capture: of captures with the same columns the same few."""
    by_capture: dict[int, dict[tuple[object, ...], CapturedColumn]] = {}
    for column in columns:
        if column.varies and column.count >= 4:
            by_capture.setdefault(column.artefact_id, {}).setdefault(_meaning(column), column)
    if len(by_capture) < 2:
        return {}  # nothing to be compared with, and it may be long
    rows = sum(max(column.count for column in own.values()) for own in by_capture.values())
    most = max(_FEWEST_COMPARED, min(_COLUMNS_COMPARED, _MOST_SAMPLES // rows))
    return {
        artefact_id: {key: _samples(project, own[key]) for key in sorted(own, key=_known_first)[:most]}
        for artefact_id, own in by_capture.items()
    }


def _known_first(key: tuple[object, ...]) -> tuple[bool, int]:
    """Columns whose meaning is known first; then in an order that is the same for every capture."""
    return len(key) != 2, zlib.crc32(repr(key).encode())


def _samples(project: Project, column: CapturedColumn) -> Measured:
    data = queries.read_series(project, column.series_id)
    counts = ~data.since_boot & ~np.isnan(data.values)
    times, first = np.unique(data.times_ns[counts], return_index=True)
    return Measured(times, data.values[counts][first] * column.to_base)


def _differing(columns: Sequence[CapturedColumn]) -> list[CaptureOverlap]:
    """Pairs that have a column in common over the same stretch; whether the values differ is asked elsewhere."""
    groups = by_key(
        ((_FIRST_FAMILY.get(column.tool, column.tool), column.table, column.native, column.attributes), column)
        for column in columns
    )
    shared_by_pair: dict[tuple[int, int], tuple[Span, int]] = {}
    for group in groups.values():
        ordered = sorted(group, key=lambda column: column.first_ns)
        for index, earlier in enumerate(ordered):
            for later in ordered[index + 1 :]:
                if later.first_ns > earlier.last_ns:
                    break
                shared = overlap_of((earlier.first_ns, earlier.last_ns), (later.first_ns, later.last_ns))
                if shared is None or shared[1] - shared[0] <= 2e9 * (later.interval_s or 1.0):
                    continue
                pair = (max(earlier.artefact_id, later.artefact_id), min(earlier.artefact_id, later.artefact_id))
                if pair[0] != pair[1]:
                    before, count = shared_by_pair.get(pair, (shared, 0))
                    shared_by_pair[pair] = ((min(before[0], shared[0]), max(before[1], shared[1])), count + 1)
    return [
        CaptureOverlap(later, earlier, Relation.DIFFERS, 0, *span, count)
        for (later, earlier), (span, count) in sorted(shared_by_pair.items())
    ]


def _overlap_events(findings: Iterable[CaptureOverlap], names: dict[int, str]) -> dict[int, list[CaptureEvent]]:
    events: dict[int, list[CaptureEvent]] = {}
    for overlap in findings:
        words = f"{names[overlap.artefact_id]} = {names[overlap.other_id]}"
        if overlap.relation is Relation.DIFFERS:
            words = f"{names[overlap.artefact_id]} ≠ {names[overlap.other_id]}"
        elif overlap.shift_ns:
            words += f" {shift_words(overlap.shift_ns)}"
        event = CaptureEvent(EventKind.OVERLAP, overlap.start_ns, overlap.end_ns, words)
        events.setdefault(overlap.artefact_id, []).append(event)
    return events


def shift_words(shift_ns: int) -> str:
    """``+9:00``, ``-0:15``, ``+1d 2:00``, ``+0:00:07``: hours and minutes, days and seconds where there are any."""
    sign = "-" if shift_ns < 0 else "+"
    seconds = abs(shift_ns) // NS_PER_S
    days, rest = divmod(seconds, 86_400)
    clock = f"{rest // 3600}:{rest % 3600 // 60:02d}" + (f":{rest % 60:02d}" if rest % 60 else "")
    return f"{sign}{days}d {clock}" if days and rest else f"{sign}{days}d" if days else f"{sign}{clock}"


# -- what counts ---------------------------------------------------------------------------------------


@record
class OverlapView:
    """An overlap as one of its two captures sees it.

    Attributes:
        other: the other capture.
        shift_ns: this capture's time + shift = the other's.
        start_ns, end_ns: in this capture's times.
        counts: whether this capture counts in the stretch; None where both do.
    """

    relation: Relation
    other: ArtefactInfo
    shift_ns: int
    start_ns: int
    end_ns: int
    columns: int
    counts: bool | None


def overlaps_of(project: Project) -> dict[int, tuple[OverlapView, ...]]:
    """Capture -> its overlaps with others."""
    every = {capture.id: capture for capture in artefacts.list_artefacts(project)}
    aside = overlaps.set_aside(project)
    views: dict[int, list[OverlapView]] = {}
    for overlap in overlaps.list_overlaps(project):
        ours, theirs = every.get(overlap.artefact_id), every.get(overlap.other_id)
        if ours is None or theirs is None:
            continue
        both = overlap.relation is Relation.DIFFERS or ours.run_id != theirs.run_id
        lost = any(other == theirs.id for other, _ in aside.get(ours.id, ()))
        counts = None if both else not lost
        views.setdefault(ours.id, []).append(
            OverlapView(
                overlap.relation, theirs, overlap.shift_ns, overlap.start_ns, overlap.end_ns, overlap.columns, counts
            )
        )
        start, end = overlap.start_ns + overlap.shift_ns, overlap.end_ns + overlap.shift_ns
        turned = None if counts is None else not counts
        views.setdefault(theirs.id, []).append(
            OverlapView(overlap.relation, ours, -overlap.shift_ns, start, end, overlap.columns, turned)
        )
    return {artefact_id: tuple(own) for artefact_id, own in views.items()}


def choices(project: Project) -> tuple[int, ...]:
    """Captures that a person chose to count, the last chosen first: what `set_choices` takes to undo a choice."""
    return tuple(overlaps.list_choices(project))


def choose(project: Project, artefact_id: int) -> None:
    """Where others hold the same measurements, this capture counts from now on.

    Raises:
        UserError: artefact_missing, project_read_only.
    """
    artefacts.find_artefact(project, artefact_id)
    set_choices(project, [artefact_id, *(id_ for id_ in choices(project) if id_ != artefact_id)])


def set_choices(project: Project, artefact_ids: Sequence[int]) -> None:
    refuse_read_only(project)
    overlaps.replace_choices(project, artefact_ids)


def peaks(project: Project, artefact_id: int) -> list[tuple[int, str]]:
    """(time, ``%busy 97.3``) of the highest value of the capture's most telling column; none where none stands out."""
    own = queries.list_series(project, artefact_id=artefact_id)
    wanted = [info for info in own if info.count >= _LEAST_FOR_A_PEAK]
    wanted.sort(key=lambda info: (info.metric not in _TELLING_METRICS, not info.metric, info.id))
    for info in wanted[:4]:
        data = queries.read_series(project, info.id)
        counts = np.flatnonzero(~data.since_boot & ~np.isnan(data.values))
        values = data.values[counts]
        at = int(np.argmax(values))
        if values[at] > np.median(values) + 2 * float(np.std(values)):
            return [(int(data.times_ns[counts[at]]), f"{info.label} {values[at]:g}")]
    return []


# -- names of devices ----------------------------------------------------------------------------------


def find_host(project: Project, name: str) -> Host:
    """The host of that name. Raises UserError host_not_captured."""
    captured = hosts.list_hosts(project)
    match = next((host for host in captured if host.name == name), None)
    if match is None:
        raise UserError("host_not_captured", host=name, known=", ".join(host.name for host in captured) or "-")
    return match


def device_names(project: Project, host_id: int) -> tuple[DeviceAlias, ...]:
    """A person's names of the host's devices, then those that its inventories tell."""
    return names_of_devices(project).get(host_id, ())


def devices_of(project: Project, host_id: int) -> tuple[str, ...]:
    """Devices that the host's captures measured, as the tools print them."""
    columns = captured_columns.columns_of_host(project, host_id)
    devices = {value for column in columns for name, value in column.attributes if name == "device"}
    return tuple(sorted(devices))


def set_device_names(project: Project, host_id: int, names: Sequence[DeviceAlias]) -> None:
    """A person's names of the host's devices from now on; those of inventories stay behind them.

    Raises:
        UserError: a name or device is empty, a period ends before it starts, one device has two names at once.
    """
    refuse_read_only(project)
    own = [alias for alias in names if alias.source == "user"]
    for alias in own:
        if not alias.device.strip() or not alias.name.strip():
            raise UserError("device_name_empty", device=alias.device or "-")
        if alias.span[0] > alias.span[1]:
            raise UserError("device_period_reversed", device=alias.device)
    for one, two in combinations(own, 2):
        if one.device == two.device and overlap_of(one.span, two.span):
            raise UserError("device_named_twice", device=one.device, first=one.name, second=two.name)
    aliases.replace_aliases(project, host_id, own)
