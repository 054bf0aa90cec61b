"""When something was measured: named windows made of occurrences, which everything that compares speaks of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from enum import StrEnum
from itertools import pairwise
from typing import Annotated
from zoneinfo import ZoneInfo

from tunebench.core.records import record
from tunebench.domain.assembly import EVER_NS, Span, overlap_of, without
from tunebench.domain.engagement import Run
from tunebench.domain.schema import Filled, Outside, Prose
from tunebench.domain.translations import Translated


class WindowRole(StrEnum):
    BEFORE = "before"
    AFTER = "after"
    OTHER = "other"


class WindowLoad(StrEnum):
    """What asked for the work: how much days differ from each other depends on it."""

    PRODUCTION = "production"
    CONTROLLED = "controlled"  # a load generator, or one job that is run again


@record
class Occurrence:
    """One contiguous stretch of time, UTC nanoseconds, both ends included.

    Attributes:
        start_ns, end_ns: None leaves that end where the samples of the run end.
        run_id: None for the captures of all runs.
    """

    start_ns: int | None = None
    end_ns: int | None = None
    run_id: Annotated[int | None, Outside("run")] = None

    @property
    def span(self) -> Span:
        return (-EVER_NS if self.start_ns is None else self.start_ns, EVER_NS if self.end_ns is None else self.end_ns)

    @property
    def is_open(self) -> bool:
        return self.start_ns is None or self.end_ns is None


@record
class Exclusion(Translated):
    """A stretch inside a window that does not count: a batch job, a restart. UTC nanoseconds, both ends included."""

    start_ns: int
    end_ns: int
    reason: Annotated[Prose, Filled()]

    @property
    def span(self) -> Span:
        return self.start_ns, self.end_ns


@record
class Window:
    """
    Attributes:
        id, name: 0 and empty for one that is not kept, as that of a whole run.
        hosts: names of the hosts it speaks of, none for all.
        occurrences: in the order of time; the unit that repeats: a day, a test run, the period of two snapshots.
        zone: name of the zone by whose clock its hours and days go; empty for the engagement's.
    """

    id: int
    name: Annotated[str, Filled()]
    role: WindowRole = WindowRole.OTHER
    load: WindowLoad = WindowLoad.PRODUCTION
    hosts: tuple[str, ...] = ()
    occurrences: tuple[Occurrence, ...] = ()
    exclusions: tuple[Exclusion, ...] = ()
    zone: str = ""

    @property
    def run_ids(self) -> tuple[int, ...]:
        """Ids of the runs that are named, each once."""
        return tuple(
            dict.fromkeys(occurrence.run_id for occurrence in self.occurrences if occurrence.run_id is not None)
        )

    def clock(self, usual: ZoneInfo) -> ZoneInfo:
        """The window's own zone, else the engagement's, which is the `usual` one."""
        return ZoneInfo(self.zone) if self.zone else usual


@record
class Stretch:
    """An occurrence as it is read: with both ends.

    Attributes:
        run_id: None for the captures of all runs.
        asked: the ends were asked for by a person: what was not captured of it is missing.
        dated: the captures say when they were measured, not their files' dates alone.
        captured: what there is of it, where that is known to be less.
        holes: what is excluded of it.
    """

    start_ns: int
    end_ns: int
    run_id: int | None = None
    asked: bool = False
    dated: bool = True
    captured: Span | None = None
    holes: tuple[Span, ...] = ()

    @property
    def span(self) -> Span:
        return self.start_ns, self.end_ns


def run_window(run_id: int, start_ns: int | None = None, end_ns: int | None = None) -> Window:
    """A run, or a stretch of it, as the window that one click means."""
    return Window(0, "", occurrences=(Occurrence(start_ns, end_ns, run_id),))


def last_kept(windows: Sequence[Window], role: WindowRole) -> Window | None:
    return next((window for window in reversed(windows) if window.role is role), None)


def proposed_window(windows: Sequence[Window], runs: Sequence[Run], role: WindowRole) -> Window | None:
    """What is compared on a side where nobody chose: the last kept window of that role, else the last run of
    that phase, for of several attempts the last is the one that was kept.
    """
    last = next((run for run in reversed(runs) if run.phase.value == role.value), None)
    return last_kept(windows, role) or (run_window(last.id) if last is not None else None)


def ends_of(occurrences: Sequence[Occurrence]) -> tuple[int | None, int | None]:
    """First start and last end; None where one is open."""
    starts, ends = [own.start_ns for own in occurrences], [own.end_ns for own in occurrences]
    return (
        None if None in starts or not starts else min(start for start in starts if start is not None),
        None if None in ends or not ends else max(end for end in ends if end is not None),
    )


# -- what cannot be ------------------------------------------------------------------------------------


@record
class WindowFault:
    """Why a window cannot be kept: `key` of a refusal, and the stretches that its sentence names."""

    key: str
    stretches: tuple[Span, ...] = ()


def fault_of(window: Window) -> WindowFault | None:
    """The first thing that is wrong with a window by itself; None where nothing is."""
    return next(_faults(window), None)


def _faults(window: Window) -> Iterator[WindowFault]:
    if not window.occurrences:
        yield WindowFault("window_empty")
    spans = [*(part.span for part in window.occurrences), *(part.span for part in window.exclusions)]
    for span in spans:
        if span[1] < span[0]:
            yield WindowFault("window_reversed", (span,))
    if any(occurrence.is_open and occurrence.run_id is None for occurrence in window.occurrences):
        yield WindowFault("window_endless")
    for first, second in pairwise(sorted(window.occurrences, key=lambda occurrence: occurrence.span)):
        # where runs of other times are meant as wholes, what they captured tells whether they overlap
        if second.span[0] < first.span[1] and (not (first.is_open or second.is_open) or first.run_id == second.run_id):
            yield WindowFault("window_overlap", (first.span, second.span))
    for one in window.exclusions:
        if not one.reason.strip():
            yield WindowFault("window_no_reason", (one.span,))
        if all(overlap_of(one.span, occurrence.span) is None for occurrence in window.occurrences):
            yield WindowFault("window_exclusion_outside", (one.span,))
    excluded = [one.span for one in window.exclusions]
    if not any(without(occurrence.span, excluded) for occurrence in window.occurrences):
        yield WindowFault("window_all_excluded")


def stretch_text(span: Span, zone: ZoneInfo) -> str:
    """``2026-07-06 09:00 - 12:00`` on the clock of the zone; an end that is open is left out."""
    start, end = (_moment(end_ns, zone) for end_ns in span)
    if start and end and start[:10] == end[:10]:
        end = end[11:]
    return f"{start} - {end}".strip()


def _moment(time_ns: int, zone: ZoneInfo) -> str:
    if abs(time_ns) >= EVER_NS:
        return ""
    moment = datetime.fromtimestamp(time_ns // 1_000_000_000, tz=zone)
    return f"{moment:%Y-%m-%d %H:%M:%S}".removesuffix(":00")
