"""What captures leave open: what was found, what was assumed, and a person's word of host, run and times for many."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from tunebench.capture.truths import Truths
from tunebench.core.errors import UserError
from tunebench.core.grouping import by_key
from tunebench.core.patterns import lazy_pattern
from tunebench.core.progress import Progress, SilentProgress
from tunebench.core.records import record
from tunebench.domain.assembly import Span
from tunebench.domain.capturing.times import (
    CaptureTimes,
    ChangedCapture,
    Correction,
    Resolution,
    alignable,
    placed,
    times_of,
    truths_of,
    zone_for_shift,
)
from tunebench.domain.engagement import UNNAMED_HOST, EventKind, Host, Phase, Run
from tunebench.domain.ledger import ImportState
from tunebench.domain.visible_text import harmless_line, visible
from tunebench.sdk.text import decode_text
from tunebench.store import artefacts, events, hosts, resolutions, runs
from tunebench.store.artefacts import ArtefactInfo
from tunebench.store.project import Project
from tunebench.usecases.importing import assembly
from tunebench.usecases.importing.parsing import host_name_of, read_again
from tunebench.usecases.projects import check_zone, refuse_read_only

_HEAD_LINES = 6
_HOST, _RUN, _PHASE = "host", "run", "phase"  # in what held for a capture, beside `ArtefactInfo.given`
_Change = tuple[int, Mapping[str, str], Mapping[str, str]]
"""A capture, what is to hold for it, and what held before."""
_STAMP = lazy_pattern(  # with the Korean and Chinese signs for year, month and day
    r"(?<![\d.:])(?:\d{4}\s?[-/.\ub144\u5e74]\s?\d{1,2}\s?[-/.\uc6d4\u6708]\s?\d{1,2}[\uc77c\u65e5]?"
    r"|\d{1,2}[-/]\d{1,2}[-/]\d{2,4}|\d{1,2}\.\s?\d{1,2}\.\s?\d{4}|\d\d\.\d\d\.\d\d(?!-)"  # 6.18.44 is a kernel
    r"|\d{1,2}:\d{2}(?::\d{2})?(?:\s?[AP]M)?|(?:KST|UTC|GMT|JST)\b)(?![\d.:])"
)
_MOST_STAMPS = 3


def stamps_in(lines: Sequence[str]) -> tuple[str, ...]:
    """The first dates, times and zones that stand in these lines, as they are printed."""
    stamps = (match.group().strip() for line in lines for match in _STAMP.finditer(line))
    return tuple(dict.fromkeys(stamps))[:_MOST_STAMPS]


@record
class OpenCapture:
    """A capture whose time a person may settle. `lines`: its first lines, as it printed them."""

    artefact: ArtefactInfo
    times: CaptureTimes
    lines: tuple[str, ...]

    @property
    def stamps(self) -> tuple[str, ...]:
        """The first dates, times and zones that it prints."""
        return stamps_in(self.lines)

    @property
    def doubtful(self) -> tuple[str, ...]:
        return self.times.doubtful


@record
class OpenHost:
    """One host's captures that leave something open, and its earlier resolutions (oldest first)."""

    host: Host
    captures: tuple[OpenCapture, ...]
    said: tuple[Resolution, ...]

    @property
    def doubtful(self) -> int:
        """How many captures have something that nobody confirmed."""
        return sum(bool(capture.doubtful) for capture in self.captures)


def open_hosts(project: Project) -> list[OpenHost]:
    """Hosts with captures whose time is not certain by their own stamps, those in doubt first."""
    decisions = resolutions.list_resolutions(project)
    timed = ((capture, times_of_capture(capture)) for capture in artefacts.list_artefacts(project))
    by_host = by_key(
        (capture.host_id, OpenCapture(capture, times, _head(project, capture)))
        for capture, times in timed
        if times is not None and times.open_subjects and capture.host_id is not None
    )
    every = [
        OpenHost(
            host,
            tuple(by_host.get(host.id, ())),
            tuple(resolution for resolution in decisions if resolution.host_id == host.id),
        )
        for host in hosts.list_hosts(project)
    ]
    return sorted((host for host in every if host.captures or host.said), key=lambda host: -host.doubtful)


def is_doubtful(artefact: ArtefactInfo) -> bool:
    times = times_of_capture(artefact)
    return times is not None and bool(times.doubtful)


def times_of_capture(artefact: ArtefactInfo) -> CaptureTimes | None:
    """When it was measured, and how sure that is; None where nothing of it has a time."""
    if artefact.state != ImportState.IMPORTED:
        return None
    return times_of(artefact.id, artefact.ledger, artefact.given, artefact.modified_ns)


def _head(project: Project, artefact: ArtefactInfo) -> tuple[str, ...]:
    return tuple(decode_text(line).rstrip() for line in artefacts.first_lines(project, artefact.id, _HEAD_LINES))


# -- the effect, before anything is read again ---------------------------------------------------------


@record
class Effect:
    """Where a capture lies now and where it would lie; `changed` is False where it stays as it is."""

    capture: OpenCapture
    before: Span
    after: Span
    changed: bool


def effects(captures: Sequence[OpenCapture], correction: Correction) -> list[Effect]:
    truths = truths_of([capture.times for capture in captures], correction)
    shifts = []
    for capture in captures:
        own = truths.get(capture.artefact.id)
        after = capture.times.span if own is None else placed(capture.times, own)
        shifts.append(Effect(capture, capture.times.span, after, own is not None))
    return shifts


# -- by an event ---------------------------------------------------------------------------------------


@record
class Landmark:
    """A moment that can be recognised: an event of a capture, or a spike. `known`: its time is not in doubt."""

    artefact_id: int
    name: str
    kind: str
    time_ns: int
    text: str
    known: bool


def landmarks(project: Project, host_id: int) -> list[Landmark]:
    """Events of the host's captures and the highest peak of each, in the order of time."""
    by_id = {capture.id: capture for capture in artefacts.list_artefacts(project) if capture.host_id == host_id}
    marks = []
    for stored in events.list_events(project, host_id):
        artefact = by_id.get(stored.artefact_id)
        event = stored.event
        if artefact is not None and event.kind is not EventKind.OVERLAP:
            is_sure = not is_doubtful(artefact)
            marks.append(Landmark(artefact.id, artefact.name, str(event.kind), event.start_ns, event.text, is_sure))
    marks += [
        Landmark(capture.id, capture.name, "peak", time_ns, words, not is_doubtful(capture))
        for capture in by_id.values()
        for time_ns, words in assembly.peaks(project, capture.id)
    ]
    return sorted(marks, key=lambda mark: mark.time_ns)


def aligned(captures: Sequence[OpenCapture], seen_ns: int, really_ns: int) -> Correction:
    """What has to be said of these captures so that what they show at `seen_ns` was at `really_ns`.

    Raises:
        UserError: align_impossible where the stamps that a capture prints forbid it; align_not_days where it prints
            the time of day and the shift is no number of days.
    """
    shift_ns = really_ns - seen_ns
    ways = {capture.artefact.id: alignable(capture.times, shift_ns) for capture in captures}
    for capture in captures:
        if not ways[capture.artefact.id]:
            key = "align_not_days" if "date" in capture.times.open_subjects else "align_impossible"
            raise UserError(key, name=capture.artefact.name, shift=assembly.shift_words(shift_ns))
    zones = {zone_for_shift(capture.times, shift_ns) for capture in captures if ways[capture.artefact.id] == "zone"}
    if len(zones) == 1 and set(ways.values()) == {"zone"}:
        return Correction(zone=zones.pop())
    if zones:
        raise UserError("align_mixed")
    return Correction(shift_ns=shift_ns)


# -- saying it -----------------------------------------------------------------------------------------


def correct(
    project: Project, artefact_ids: Sequence[int], correction: Correction, progress: Progress | None = None
) -> list[int]:
    """Puts captures to the host and the run that are stated, and reads them again under what is stated of their times.

    Returns the ids of the resolutions, one per host; none where it changes nothing. All of it is done, or on a cancel
    none. Times are remembered for captures of the host that are imported later.

    Raises:
        UserError: project_read_only, zone_unknown; nothing_to_resolve where no capture is meant that it could concern.
    """
    refuse_read_only(project)
    if correction.zone:
        check_zone(correction.zone)
    correction = replace(correction, host=_one_line(correction.host), run=_one_line(correction.run))
    every = {capture.id: capture for capture in artefacts.list_artefacts(project)}
    meant = [every[id_] for id_ in _with_originals(every.values(), artefact_ids)]
    if not correction.host and not correction.run:
        meant = [capture for capture in meant if times_of_capture(capture) is not None]
    if not meant:
        raise UserError("nothing_to_resolve", count=len(artefact_ids))
    names = {host.id: host.name for host in hosts.list_hosts(project)}
    by_host = by_key((correction.host or names.get(capture.host_id or 0, UNNAMED_HOST), capture) for capture in meant)
    numbers: list[int] = []
    try:
        for name, own in by_host.items():
            numbers += _say(project, hosts.ensure_host(project, name), own, correction, progress)
    except BaseException:
        for number in reversed(numbers):
            take_back(project, number)
        raise
    return numbers


def _one_line(words: str) -> str:
    return harmless_line(visible(words)).strip()


def _with_originals(every: Iterable[ArtefactInfo], artefact_ids: Sequence[int]) -> list[int]:
    """The ids, with those of originals that are kept only because all of these came out of them."""
    wanted = set(artefact_ids)
    paths = [(capture.id, capture.source_path) for capture in every]
    for capture in (capture for capture in every if capture.state == ImportState.KEPT):
        inner = {id_ for id_, path in paths if path.startswith(f"{capture.source_path}!/")}
        if inner and inner <= wanted:
            wanted.add(capture.id)
    return [id_ for id_, _ in paths if id_ in wanted]


def _say(
    project: Project, host: Host, own: Sequence[ArtefactInfo], correction: Correction, progress: Progress | None
) -> list[int]:
    truths = truths_of([times for capture in own if (times := times_of_capture(capture)) is not None], correction)
    changes, places = [], _Places.of(project)
    for capture in own:
        after = {**truths.get(capture.id, capture.given), **_places_in(correction)}
        before = {**capture.given, **places.now(capture, after)}
        if before != after:
            changes.append(ChangedCapture(capture.id, before, after))
    if not changes:
        return []
    _read_again(project, [(change.artefact_id, change.after, change.before) for change in changes], progress)
    if correction.zone:
        hosts.set_host_zone(project, host.id, correction.zone, "user")
    return [resolutions.add_resolution(project, host.id, correction.as_text(), changes, host.zone)]


def _places_in(correction: Correction) -> dict[str, str]:
    host = {_HOST: correction.host} if correction.host else {}
    return host | ({_RUN: correction.run, _PHASE: str(correction.phase)} if correction.run else {})


@record
class _Places:
    """Hosts' names and runs, by id."""

    hosts: Mapping[int, str]
    runs: Mapping[int, Run]

    @classmethod
    def of(cls, project: Project) -> _Places:
        names = {host.id: host.name for host in hosts.list_hosts(project)}
        return cls(names, {run.id: run for run in runs.list_runs(project)})

    def now(self, artefact: ArtefactInfo, like: Mapping[str, str]) -> dict[str, str]:
        """Host, run and phase of a capture, those of them that `like` has."""
        places = {}
        if _HOST in like:
            places[_HOST] = self.hosts.get(artefact.host_id or 0, "")
        if _RUN in like:
            run = self.runs[artefact.run_id]
            places[_RUN] = run.label
            places[_PHASE] = like[_PHASE] if run.label == like[_RUN] else str(run.phase)  # a known run keeps its own
        return places


def take_back(project: Project, resolution_id: int, progress: Progress | None = None) -> None:
    """The resolution no longer holds: its captures are read again as they were before.

    A capture that was corrected again since keeps the later word.

    Raises:
        UserError: resolution_unknown, project_read_only.
    """
    resolution, host = _resolution(project, resolution_id)
    if resolution.in_force:
        _apply_again(project, resolution, host, progress, back=True)


def renew(project: Project, resolution_id: int, progress: Progress | None = None) -> None:
    """A resolution that was taken back holds again.

    Raises:
        UserError: resolution_unknown, project_read_only.
    """
    resolution, host = _resolution(project, resolution_id)
    if not resolution.in_force:
        _apply_again(project, resolution, host, progress, back=False)


def _apply_again(project: Project, resolution: Resolution, host: Host, progress: Progress | None, back: bool) -> None:
    now = {capture.id: capture for capture in artefacts.list_artefacts(project)}
    sides = [
        (change.artefact_id, *((change.after, change.before) if back else (change.before, change.after)))
        for change in resolution.changes
        if change.artefact_id in now
    ]
    places = _Places.of(project)
    meant: list[_Change] = [
        (id_, to, from_) for id_, from_, to in sides if {**now[id_].given, **places.now(now[id_], from_)} == from_
    ]
    if resolution.said.get("zone"):  # before the captures are read: those that say no zone are read in the host's
        zone = resolution.zone_before if back else resolution.said["zone"]
        hosts.set_host_zone(project, host.id, zone, "user" if zone else "")
        meant += _leaning_on_zone(now.values(), host, {id_ for id_, _, _ in meant})
    _read_again(project, meant, progress)
    resolutions.mark_taken_back(project, resolution.id, back)


def _leaning_on_zone(every: Iterable[ArtefactInfo], host: Host, others: Collection[int]) -> list[_Change]:
    """Captures that were read in the host's zone, which was stated for others: they are read again as well."""
    own = (capture for capture in every if capture.host_id == host.id and capture.ledger.zone_source == "host")
    states = ((capture.id, {**capture.given, _HOST: host.name}) for capture in own if capture.id not in others)
    return [(id_, state, state) for id_, state in states]


def _resolution(project: Project, resolution_id: int) -> tuple[Resolution, Host]:
    refuse_read_only(project)
    match = next(
        (resolution for resolution in resolutions.list_resolutions(project) if resolution.id == resolution_id), None
    )
    if match is None:
        raise UserError("resolution_unknown", number=resolution_id)
    return match, next(host for host in hosts.list_hosts(project) if host.id == match.host_id)


def _read_again(
    project: Project, meant: Sequence[tuple[int, Mapping[str, str], Mapping[str, str]]], progress: Progress | None
) -> None:
    """Puts captures to places and truths: all of them, or on a cancel none."""
    progress = progress or SilentProgress()
    done: list[tuple[int, Mapping[str, str]]] = []
    try:
        for index, (artefact_id, to, before) in enumerate(meant):
            progress.raise_if_cancelled()
            progress.report(index, len(meant), "progress.reading_again", number=index + 1, count=len(meant))
            done.append((artefact_id, before))
            _put(project, artefact_id, to)
    except BaseException:
        for artefact_id, before in done:
            _put(project, artefact_id, before)
        raise
    assembly.review(project)


def _put(project: Project, artefact_id: int, to: Mapping[str, str]) -> None:
    """A capture into its run, to its host and, where that changes what was read of it, read again."""
    artefact = artefacts.find_artefact(project, artefact_id)
    if _RUN in to:
        artefacts.put_to_run(project, artefact_id, runs.ensure_run(project, to[_RUN], Phase(to[_PHASE])).id)
        runs.remove_empty_run(project, artefact.run_id)
    truths, host = Truths.from_text(to), to.get(_HOST, "")
    if artefact.state == ImportState.IMPORTED:
        if truths.as_text() != artefact.given or host:
            read_again(project, artefact_id, truths, host or host_name_of(project, artefact.host_id))
    elif host:
        artefacts.put_to_hosts(project, [(artefact_id, hosts.ensure_host(project, host).id)])
