"""Times that captures leave open: what was found, what was assumed, and a person's word for all files of a host."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.capture.ingest import Truths
from app.core.errors import UserError
from app.core.grouping import by_key
from app.core.progress import Progress, SilentProgress
from app.domain.assembly import Span
from app.domain.capturing.times import CaptureTimes, Correction, alignable, placed, times_of, truths_of, zone_for_shift
from app.domain.engagement import EventKind, Host
from app.domain.ledger import ImportState
from app.sdk.text import decode_text
from app.store import artefacts, events, hosts, resolutions
from app.store.artefacts import ArtefactInfo
from app.store.project import Project
from app.store.resolutions import ChangedCapture, Resolution
from app.usecases.importing import assembly, imports
from app.usecases.projects import check_zone, refuse_read_only

__all__ = ["Correction", "Resolution"]

_HEAD_LINES = 6
_STAMP = re.compile(  # with the Korean and Chinese signs for year, month and day
    r"(?<![\d.:])(?:\d{4}\s?[-/.\ub144\u5e74]\s?\d{1,2}\s?[-/.\uc6d4\u6708]\s?\d{1,2}[\uc77c\u65e5]?"
    r"|\d{1,2}[-/]\d{1,2}[-/]\d{2,4}|\d{1,2}\.\s?\d{1,2}\.\s?\d{4}|\d\d\.\d\d\.\d\d(?!-)"  # 6.18.44 is a kernel
    r"|\d{1,2}:\d{2}(?::\d{2})?(?:\s?[AP]M)?|(?:KST|UTC|GMT|JST)\b)(?![\d.:])"
)
_MOST_STAMPS = 3


def stamps_in(lines: Sequence[str]) -> tuple[str, ...]:
    """The first dates, times and zones that stand in these lines, as they are printed."""
    found = (match.group().strip() for line in lines for match in _STAMP.finditer(line))
    return tuple(dict.fromkeys(found))[:_MOST_STAMPS]


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class OpenHost:
    """One host's captures that leave something open, and what was said of them before (oldest first)."""

    host: Host
    captures: tuple[OpenCapture, ...]
    said: tuple[Resolution, ...]

    @property
    def doubtful(self) -> int:
        """How many captures have something that nobody confirmed."""
        return sum(bool(each.doubtful) for each in self.captures)


def open_hosts(project: Project) -> list[OpenHost]:
    """Hosts with captures whose time is not certain by their own stamps, those in doubt first."""
    said = resolutions.list_resolutions(project)
    timed = ((each, _times(each)) for each in artefacts.list_artefacts(project))
    by_host = by_key(
        (each.host_id, OpenCapture(each, times, _head(project, each)))
        for each, times in timed
        if times is not None and times.open_subjects and each.host_id is not None
    )
    found = [
        OpenHost(host, tuple(by_host.get(host.id, ())), tuple(each for each in said if each.host_id == host.id))
        for host in hosts.list_hosts(project)
    ]
    return sorted((each for each in found if each.captures or each.said), key=lambda each: -each.doubtful)


def doubtful_captures(project: Project) -> int:
    """How many captures have a time that nobody confirmed: what a badge shows."""
    found = (_times(artefact) for artefact in artefacts.list_artefacts(project))
    return sum(bool(times.doubtful) for times in found if times is not None)


def is_doubtful(artefact: ArtefactInfo) -> bool:
    times = _times(artefact)
    return times is not None and bool(times.doubtful)


def _times(artefact: ArtefactInfo) -> CaptureTimes | None:
    if artefact.state != ImportState.IMPORTED:
        return None
    return times_of(artefact.id, artefact.ledger, artefact.given, artefact.modified_ns)


def _head(project: Project, artefact: ArtefactInfo) -> tuple[str, ...]:
    return tuple(decode_text(line).rstrip() for line in artefacts.first_lines(project, artefact.id, _HEAD_LINES))


# -- the effect, before anything is read again ---------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Effect:
    """Where a capture lies now and where it would lie; `changed` is False where it stays as it is."""

    capture: OpenCapture
    before: Span
    after: Span
    changed: bool


def effects(captures: Sequence[OpenCapture], correction: Correction) -> list[Effect]:
    truths = truths_of([each.times for each in captures], correction)
    found = []
    for each in captures:
        own = truths.get(each.artefact.id)
        after = each.times.span if own is None else placed(each.times, own)
        found.append(Effect(each, each.times.span, after, own is not None))
    return found


# -- by an event ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
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
    by_id = {each.id: each for each in artefacts.list_artefacts(project) if each.host_id == host_id}
    found = []
    for stored in events.list_events(project, host_id):
        artefact = by_id.get(stored.artefact_id)
        event = stored.event
        if artefact is not None and event.kind is not EventKind.OVERLAP:
            known = not is_doubtful(artefact)
            found.append(Landmark(artefact.id, artefact.name, str(event.kind), event.start_ns, event.text, known))
    found += [
        Landmark(each.id, each.name, "peak", time_ns, words, not is_doubtful(each))
        for each in by_id.values()
        for time_ns, words in assembly.peaks(project, each.id)
    ]
    return sorted(found, key=lambda each: each.time_ns)


def aligned(captures: Sequence[OpenCapture], seen_ns: int, really_ns: int) -> Correction:
    """What has to be said of these captures so that what they show at `seen_ns` was at `really_ns`.

    Raises:
        UserError: align_impossible where the stamps that a capture prints forbid it; align_not_days where it prints
            the time of day and the shift is no number of days.
    """
    shift_ns = really_ns - seen_ns
    ways = {each.artefact.id: alignable(each.times, shift_ns) for each in captures}
    for each in captures:
        if not ways[each.artefact.id]:
            key = "align_not_days" if "date" in each.times.open_subjects else "align_impossible"
            raise UserError(key, name=each.artefact.name, shift=assembly.shift_words(shift_ns))
    zones = {zone_for_shift(each.times, shift_ns) for each in captures if ways[each.artefact.id] == "zone"}
    if len(zones) == 1 and set(ways.values()) == {"zone"}:
        return Correction(zone=zones.pop())
    if zones:
        raise UserError("align_mixed")
    return Correction(shift_ns=shift_ns)


# -- saying it -----------------------------------------------------------------------------------------


def resolve(
    project: Project,
    host_id: int,
    artefact_ids: Sequence[int],
    correction: Correction,
    progress: Progress | None = None,
) -> int | None:
    """Reads these captures of the host again under what is said; gives the number of what was said.

    None where it changes nothing. Remembered for captures of the host that are imported later.

    Raises:
        UserError: project_read_only, zone_unknown, host_not_captured; nothing_to_resolve where no capture is meant.
    """
    refuse_read_only(project)
    if correction.zone:
        check_zone(correction.zone)
    host = next((each for each in hosts.list_hosts(project) if each.id == host_id), None)
    if host is None:
        raise UserError("host_not_captured", host=str(host_id), known="-")
    own = {each.id: each for each in artefacts.list_artefacts(project) if each.host_id == host_id}
    times = [known for id_ in artefact_ids if id_ in own and (known := _times(own[id_])) is not None]
    if not times:
        raise UserError("nothing_to_resolve", host=host.name)
    truths = truths_of(times, correction)
    if not truths:
        return None
    changes = [ChangedCapture(id_, dict(own[id_].given), after) for id_, after in truths.items()]
    _read_again(project, [(change.artefact_id, change.after, change.before) for change in changes], host, progress)
    if correction.zone:
        hosts.set_host_zone(project, host.id, correction.zone, "user")
    return resolutions.add_resolution(project, host.id, correction.as_text(), changes, host.zone)


def take_back(project: Project, resolution_id: int, progress: Progress | None = None) -> None:
    """What was said no longer holds: its captures are read again as they were before.

    A capture that was corrected again since keeps the later word.

    Raises:
        UserError: resolution_unknown, project_read_only.
    """
    found, host = _resolution(project, resolution_id)
    if found.in_force:
        _apply_again(project, found, host, progress, back=True)


def renew(project: Project, resolution_id: int, progress: Progress | None = None) -> None:
    """What was taken back holds again.

    Raises:
        UserError: resolution_unknown, project_read_only.
    """
    found, host = _resolution(project, resolution_id)
    if not found.in_force:
        _apply_again(project, found, host, progress, back=False)


def _apply_again(project: Project, found: Resolution, host: Host, progress: Progress | None, back: bool) -> None:
    now = {each.id: each.given for each in artefacts.list_artefacts(project)}
    sides = [
        (change.artefact_id, *((change.after, change.before) if back else (change.before, change.after)))
        for change in found.changes
    ]
    meant = [(id_, to, from_) for id_, from_, to in sides if now.get(id_) == from_]
    if found.said.get("zone"):  # before the captures are read: those that say no zone are read in the host's
        zone = found.zone_before if back else found.said["zone"]
        hosts.set_host_zone(project, host.id, zone, "user" if zone else "")
    _read_again(project, meant, host, progress)
    resolutions.mark_taken_back(project, found.id, back)


def _resolution(project: Project, resolution_id: int) -> tuple[Resolution, Host]:
    refuse_read_only(project)
    found = next((each for each in resolutions.list_resolutions(project) if each.id == resolution_id), None)
    if found is None:
        raise UserError("resolution_unknown", number=resolution_id)
    return found, next(host for host in hosts.list_hosts(project) if host.id == found.host_id)


def _read_again(
    project: Project,
    meant: Sequence[tuple[int, Mapping[str, str], Mapping[str, str]]],
    host: Host,
    progress: Progress | None,
) -> None:
    """Reads captures again, (id, truths, truths before): all of them, or on a cancel none."""
    progress = progress or SilentProgress()
    done: list[tuple[int, Mapping[str, str]]] = []
    try:
        for place, (artefact_id, truths, before) in enumerate(meant):
            progress.raise_if_cancelled()
            progress.report(place, len(meant), "progress.reading_again", number=place + 1, count=len(meant))
            done.append((artefact_id, before))
            imports.read_again(project, artefact_id, Truths.from_text(truths), host.name)
    except BaseException:
        for artefact_id, before in done:
            imports.read_again(project, artefact_id, Truths.from_text(before), host.name)
        raise
    assembly.review(project)
