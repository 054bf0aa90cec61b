"""By whose clock the hours and days of a window go: its own, else the engagement's; and hosts that keep other hours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

from tunebench.analysis.comparing.calendar_slots import Calendar, Calendars
from tunebench.domain.assembly import Span, overlap_of
from tunebench.domain.capturing.times import NS_PER_S
from tunebench.domain.windows import Window
from tunebench.store import engagements, hosts
from tunebench.store.artefacts import ArtefactInfo, list_artefacts
from tunebench.store.project import Project
from tunebench.usecases.days_off import days_off


def clock_of(project: Project, zone: str = "") -> ZoneInfo:
    """
    Args:
        zone: that of a window; empty for the engagement's, by which runs go too.
    """
    return ZoneInfo(zone or engagements.read_engagement(project).zone)


def calendar_of(project: Project, zone: str = "") -> Calendar:
    """The clock with the days off of its people."""
    clock = clock_of(project, zone)
    return Calendar(clock, days_off(project, clock.key))


def calendars_of(project: Project, before: Window | None, after: Window | None) -> Calendars:
    """The calendars of both windows; a window that is None has the engagement's."""
    first, second = (calendar_of(project, window.zone if window else "") for window in (before, after))
    return first, first if second.zone == first.zone else second


def other_clocks(project: Project, spans: Sequence[Span], host_names: Sequence[str], zone: ZoneInfo) -> tuple[str, ...]:
    """``db02 (+0200)``: hosts whose captures of that time show other hours than the zone does."""
    names = {host.id: host.name for host in hosts.list_hosts(project)}
    apart = set()
    for capture, moment in _inside(list_artefacts(project), spans, zone):
        name, offset = names.get(capture.host_id or 0, ""), _offset(capture.ledger.zone, moment)
        if (not host_names or name in host_names) and offset not in (None, moment.utcoffset()):
            apart.add(f"{name} ({capture.ledger.zone})")
    return tuple(sorted(apart))


def common_clock(project: Project) -> str:
    """Name of the zone that every host with captures is in, where that is not the engagement's; else empty. One that is
    on UTC tells nothing of the hours that its people keep."""
    captured = {capture.host_id for capture in list_artefacts(project) if capture.ledger.series}
    zones = {host.zone for host in hosts.list_hosts(project) if host.id in captured}
    name = next(iter(zones), "") if len(zones) == 1 else ""
    is_other = name in available_timezones() and name != clock_of(project).key
    return name if is_other and datetime(2000, 1, 1, tzinfo=ZoneInfo(name)).tzname() != "UTC" else ""


def moved_clocks(
    project: Project,
    captures: Sequence[Sequence[ArtefactInfo]],
    sides: Sequence[Sequence[Span]],
    zones: Sequence[ZoneInfo],
) -> tuple[str, ...]:
    """``db02 (-0400, -0500)``: hosts whose clocks moved against the sides' from one to the other, so that the same
    hours of the one are not those of the other. One that is on UTC tells nothing of the hours that its people keep."""
    names = {host.id: host.name for host in hosts.list_hosts(project)}
    apart: dict[str, list[set[timedelta]]] = {}
    shown: dict[str, dict[timedelta, str]] = {}
    for side, (listed, spans, zone) in enumerate(zip(captures, sides, zones, strict=True)):
        for capture, moment in _inside(listed, spans, zone):
            offset, beside = _offset(capture.ledger.zone, moment), moment.utcoffset()
            if offset is not None and beside is not None:
                name = names.get(capture.host_id or 0, "")
                apart.setdefault(name, [set() for _ in sides])[side].add(offset - beside)
                shown.setdefault(name, {})[offset] = capture.ledger.zone
    return tuple(
        f"{name} ({', '.join(dict.fromkeys(shown[name].values()))})"
        for name, (before, after) in sorted(apart.items())
        if before and after and before != after and set(shown[name]) != {timedelta()}
    )


def _inside(
    captures: Iterable[ArtefactInfo], spans: Sequence[Span], zone: ZoneInfo
) -> Iterator[tuple[ArtefactInfo, datetime]]:
    """The captures that measured anything in the spans, and when each did first."""
    for capture in captures:
        first, last = capture.ledger.first_ns, capture.ledger.last_ns
        if first is not None and last is not None:
            shared = next(filter(None, (overlap_of((first, last), span) for span in spans)), None)
            if shared is not None:
                yield capture, datetime.fromtimestamp(shared[0] // NS_PER_S, zone)


def _offset(stamped: str, moment: datetime) -> timedelta | None:
    """The offset of a clock, given by an offset or a zone's name; None of a zone that nobody knows."""
    try:
        if stamped[:1] in "+-":
            return datetime.strptime(stamped, "%z").utcoffset()
        return moment.astimezone(ZoneInfo(stamped)).utcoffset()
    except (ValueError, OSError, KeyError):
        return None
