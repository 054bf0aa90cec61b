"""Named windows: looked up, built, changed, and resolved to stretches of time for whoever reads samples.

What is built here is a `CycleEdit`, done by `tunebench.usecases.cycle.applying.apply` like every edit of records.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from tunebench.core.errors import UserError
from tunebench.core.messages import catalogue
from tunebench.core.records import record
from tunebench.domain.assembly import Span, overlap_of
from tunebench.domain.capturing.times import NS_PER_S
from tunebench.domain.cycle.book import CycleBook, CycleEdit, RecordChange
from tunebench.domain.cycle.records import DailyWindow
from tunebench.domain.engagement import Phase, Run, presumed_parts
from tunebench.domain.windows import Exclusion, Occurrence, Window, WindowRole, run_window, stretch_text
from tunebench.store import engagements, hosts
from tunebench.store.cycle.records import read_book
from tunebench.store.cycle.rules import window_refusal
from tunebench.store.project import Project
from tunebench.store.runs import list_runs
from tunebench.usecases import projects
from tunebench.usecases.comparing.captured import Captured, day_of, hours_of, joined, local_ns
from tunebench.usecases.comparing.clocks import calendar_of, clock_of, common_clock, other_clocks

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_HOURS = r"([01]?\d|2[0-4])(?::([0-5]\d))?\s*[-~]\s*([01]?\d|2[0-4])(?::([0-5]\d))?"
_LEAST_SHARED_S = 1800
_ROUND_S = 300
_DAY_S = 86_400


# -- finding -------------------------------------------------------------------------------------------


def list_windows(project: Project) -> tuple[Window, ...]:
    """The kept windows, in the order they were added."""
    return read_book(project).all(Window)


def find_window(project: Project, name: str) -> Window:
    """The window of that name, else that of the whole run which is called so.

    Raises:
        UserError: window_or_run_unknown, naming what there is.
    """
    windows = list_windows(project)
    named = next((window for window in windows if window.name == name), None)
    if named is not None:
        return named
    try:
        run = projects.find_run(project, name)
    except UserError:
        labels = ", ".join(run.label for run in list_runs(project)) or "-"
        raise UserError("window_or_run_unknown", window=name, windows=_names(windows), runs=labels) from None
    return replace(run_window(run.id), role=WindowRole(run.phase.value))


def chosen(project: Project, name: str) -> Window:
    """The window that `find_window` finds, a kept one `resolved`: ready to be compared or judged.

    Raises:
        UserError: window_or_run_unknown, window_no_samples, window_overlap.
    """
    return ready(project, find_window(project, name))


def ready(project: Project, window: Window) -> Window:
    """A named window `resolved`; a run, or a stretch of it, as it is.

    Raises:
        UserError: window_no_samples, window_overlap, window_all_excluded.
    """
    return resolved(project, window) if window.name else window


def whole_runs(project: Project, window: Window) -> tuple[Run, ...]:
    """The runs whose captures lie in the window, in the order they were made: of all that were captured in a stretch
    where it names no run."""
    captured = Captured(project, window.hosts)
    return tuple(
        run
        for run in list_runs(project)
        if any(
            occurrence.run_id == run.id or (occurrence.run_id is None and _has_samples(captured, [run], occurrence))
            for occurrence in window.occurrences
        )
    )


def kept_window(project: Project, name: str) -> Window:
    """Raises UserError window_unknown, naming what there is."""
    windows = list_windows(project)
    for window in windows:
        if window.name == name:
            return window
    raise UserError("window_unknown", window=name, windows=_names(windows))


def _names(windows: Iterable[Window]) -> str:
    return ", ".join(window.name for window in windows) or "-"


def title_of(project: Project, window: Window) -> str:
    """Its name; of one that is not kept the labels of its runs."""
    labels = {run.id: run.label for run in list_runs(project)}
    return window.name or ", ".join(labels[id_] for id_ in window.run_ids if id_ in labels)


# -- edits ---------------------------------------------------------------------------------------------


def add(project: Project, window: Window) -> CycleEdit:
    """
    Raises:
        UserError: window_host_unknown, window_no_samples with the occurrences in which nothing was captured, and why
            the store would not keep it (`rules.window_refusal`).
    """
    window = replace(window, id=0)
    _check(project, window)
    return CycleEdit("add_window", (RecordChange(None, window),))


def add_all(project: Project, windows: Iterable[Window]) -> CycleEdit:
    """Several as one edit. Raises as `add`."""
    return CycleEdit("add_window", tuple(added for window in windows for added in add(project, window).changes))


def change(project: Project, before: Window, after: Window) -> CycleEdit:
    """Renamed, excluded from, or with other occurrences. Raises as `add`."""
    _check(project, after, before)
    return CycleEdit("change_window", (RecordChange(before, after),))


def rename(project: Project, window: Window, name: str) -> CycleEdit:
    """Raises UserError window_name_taken, window_unnamed."""
    return change(project, window, replace(window, name=name))


def exclude(project: Project, window: Window, exclusion: Exclusion) -> CycleEdit:
    """Excludes one more stretch of the window.

    Raises:
        UserError: window_reversed, window_exclusion_outside, window_no_reason, window_all_excluded.
    """
    exclusions = sorted((*window.exclusions, exclusion), key=lambda own: own.span)
    return change(project, window, replace(window, exclusions=tuple(exclusions)))


def remove(window: Window) -> CycleEdit:
    """Removes the window; `apply` refuses one that a figure was measured over (cycle_record_in_use)."""
    return CycleEdit("remove_window", (RecordChange(window, None),))


def _check(project: Project, window: Window, before: Window | None = None) -> None:
    """Refuses a window that cannot be kept; what it had before is not checked again: its captures may be gone."""
    refusal = window_refusal(read_book(project), window, clock_of(project))
    if refusal is not None:
        raise refusal
    zone = clock_of(project, window.zone)
    _check_hosts(project, [name for name in window.hosts if before is None or name not in before.hosts])
    captured, runs = Captured(project, window.hosts), list_runs(project)
    stays = before.occurrences if before and before.hosts == window.hosts else ()
    new = [occurrence for occurrence in window.occurrences if occurrence not in stays]
    empty = [occurrence.span for occurrence in new if not _has_samples(captured, runs, occurrence)]
    if empty:
        stretches = ", ".join(stretch_text(span, zone) for span in empty)
        raise UserError("window_no_samples", window=window.name, stretches=stretches)


def _check_hosts(project: Project, names: Iterable[str]) -> None:
    known_hosts = [host.name for host in hosts.hosts_of_captures(project)]
    for name in names:
        if name not in known_hosts:
            raise UserError("window_host_unknown", host=name, known=", ".join(known_hosts) or "-")


def _has_samples(captured: Captured, runs: Iterable[Run], occurrence: Occurrence) -> bool:
    return any(
        overlap_of(span, occurrence.span) is not None
        for run in runs
        if occurrence.run_id in (None, run.id)
        for span, _host in captured.pieces(run.id)
    )


# -- building ------------------------------------------------------------------------------------------


@record
class DailyOccurrences:
    """The same hours of several days.

    Attributes:
        empty: days that were asked for and in whose hours nothing was captured.
        skipped: those on which the clocks go forward over these hours.
        holidays: those that are Sundays, as they are holidays, and were asked for by another weekday alone.
        zone, clocks: whose hours these are, and the hosts whose captures are stamped on another clock.
    """

    occurrences: tuple[Occurrence, ...]
    empty: tuple[date, ...]
    skipped: tuple[date, ...]
    holidays: tuple[date, ...]
    zone: str
    clocks: tuple[str, ...]

    @property
    def remarks(self) -> list[tuple[str, dict[str, object]]]:
        """(key of the message, its facts) of what the person who asked has to know."""
        days = (("empty", self.empty), ("skipped", self.skipped), ("holidays", self.holidays))
        remarks: list[tuple[str, dict[str, object]]] = [
            (f"window.days.{key}", {"days": ", ".join(map(str, some))}) for key, some in days if some
        ]
        if self.clocks:
            remarks.append(("window.days.clocks", {"zone": self.zone, "hosts": ", ".join(self.clocks)}))
        return remarks


def zone_named(project: Project, words: str) -> str:
    """The zone that is called so, or that of the host that is.

    Raises:
        UserError: zone_unknown; window_host_zone_unknown where nobody knows by which clock the host goes.
    """
    host = next((host for host in hosts.list_hosts(project) if host.name == words), None)
    if host is not None and not host.zone:
        raise UserError("window_host_zone_unknown", host=words)
    return projects.check_zone(words if host is None else host.zone).key


def of_run(project: Project, run: Run, host_names: Sequence[str] = (), zone: str = "") -> tuple[Occurrence, ...]:
    """The stretches that the run's captures cover, up to their last samples; one of more than a day, day by day.

    Raises:
        UserError: window_run_empty, window_host_unknown.
    """
    _check_hosts(project, host_names)
    spans = Captured(project, host_names).days(run.id, clock_of(project, zone))
    if not spans:
        raise UserError("window_run_empty", run=run.label)
    return tuple(Occurrence(start, end, run.id) for start, end in spans)


def of_days(
    project: Project,
    days: frozenset[int],
    hours: DailyWindow,
    first: date,
    last: date,
    host_names: Sequence[str] = (),
    zone: str = "",
) -> DailyOccurrences:
    """The same hours of every day of these weekdays from first to last.

    Args:
        days: Monday is 0; a holiday is a Sunday.
        zone: name of the zone by whose clock they go, which is in the window then; empty for the engagement's.
        hours: over midnight where the end is the earlier; they belong to the day they begin on.

    Raises:
        UserError: window_dates_reversed, window_host_unknown; window_days_empty where nothing was captured on any,
            window_days_skipped where there are no such hours, window_days_free where all are holidays.
    """
    _check_hosts(project, host_names)
    if last < first:
        raise UserError("window_dates_reversed", first=first.isoformat(), last=last.isoformat())
    calendar = calendar_of(project, zone)
    clock, free = calendar.zone, calendar.days_off or ()
    captured, runs = Captured(project, host_names), list_runs(project)
    asked = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    occurrences: list[Occurrence] = []
    empty, skipped = [], []
    for day in asked:
        if _weekday(day, free) in days:
            occurrence = Occurrence(*hours_of(day, hours, clock))
            if occurrence.span[0] >= occurrence.span[1]:
                skipped.append(day)
            elif _has_samples(captured, runs, occurrence):
                occurrences.append(occurrence)
            else:
                empty.append(day)
    facts = {"hours": f"{hours.start}-{hours.end}", "first": first.isoformat(), "last": last.isoformat()}
    holidays = tuple(day for day in asked if day.weekday() in days and _weekday(day, free) not in days)
    if holidays and not (occurrences or empty or skipped):
        raise UserError("window_days_free", days=", ".join(map(str, holidays)))
    if not occurrences and skipped and not empty:
        raise UserError("window_days_skipped", zone=clock.key, days=", ".join(map(str, skipped)), hours=facts["hours"])
    if not occurrences:
        raise UserError("window_days_empty", **facts)
    clocks = other_clocks(project, [occurrence.span for occurrence in occurrences], host_names, clock)
    return DailyOccurrences(tuple(occurrences), tuple(empty), tuple(skipped), holidays, clock.key, clocks)


def _weekday(day: date, free: Container[int]) -> int:
    return 6 if day.toordinal() in free else day.weekday()


def weekdays(words: str) -> frozenset[int]:
    """``mon-fri``, ``sat,sun``, ``fri-mon``. Raises UserError window_days_unclear."""
    days: set[int] = set()
    for part in words.lower().replace(" ", "").split(","):
        first, dash, last = part.partition("-")
        if first not in WEEKDAYS or (dash and last not in WEEKDAYS):
            raise UserError("window_days_unclear", words=words)
        start = WEEKDAYS.index(first)
        length = (WEEKDAYS.index(last) - start) % 7 if dash else 0
        days |= {(start + step) % 7 for step in range(length + 1)}
    return frozenset(days)


def of_words(project: Project, words: str) -> Window:
    """``mon-fri 9-12``, ``월-금 09:30-18``: those hours of all such days that were captured, named as they were typed.

    Raises:
        UserError: window_words_unclear, and what `weekdays` and `of_days` raise.
    """
    days, _, hours = " ".join(words.split()).partition(" ")
    match = re.fullmatch(_HOURS, hours)
    runs = [run for run in list_runs(project) if run.first_ns is not None and run.last_ns is not None]
    if match is None or not runs:
        raise UserError("window_words_unclear", words=words)
    start, start_minute, end, end_minute = match.groups()
    daily = DailyWindow(f"{int(start):02}:{start_minute or '00'}", f"{int(end):02}:{end_minute or '00'}")
    zone = projects.engagement_zone(project)
    first, last = min(run.first_ns or 0 for run in runs), max(run.last_ns or 0 for run in runs)
    english = {ord(catalogue("ko").text(f"ui.weekday.{day}")): day for day in WEEKDAYS} | {ord("~"): "-"}
    wanted = weekdays(days.translate(english))
    of_week = of_days(project, wanted, daily, day_of(first, zone), day_of(last, zone))
    return Window(0, f"{days} {daily.start}-{daily.end}", occurrences=of_week.occurrences)


# -- resolving -----------------------------------------------------------------------------------------


def resolved(project: Project, window: Window) -> Window:
    """The window with both ends of every occurrence, in their order.

    A run, or the open stretch of one, becomes the stretches that were captured of it; so does any stretch of a window
    that is not kept, which means a part of a run. An occurrence of no run in particular gets the one that covers most
    of it, and stays without one where runs of different hosts do. What has no samples (any more) is left out. The whole
    of a run without any sample (statements entered by hand) stays as it is.

    Raises:
        UserError: window_no_samples where nothing is left; window_overlap; window_all_excluded.
    """
    window = replace(window, hosts=tuple(dict.fromkeys(_as_called_now(project, window.hosts))))
    zone, captured, runs = clock_of(project, window.zone), Captured(project, window.hosts), list_runs(project)
    occurrences: list[Occurrence] = []
    for occurrence in window.occurrences:
        if occurrence.run_id is not None and (occurrence.is_open or not window.id):
            spans = [overlap_of(span, occurrence.span) for span in captured.days(occurrence.run_id, zone)]
            occurrences += [Occurrence(*span, occurrence.run_id) for span in spans if span is not None]
        elif _has_samples(captured, runs, occurrence):
            occurrences.append(
                replace(occurrence, run_id=occurrence.run_id or _run_of(captured, runs, occurrence.span))
            )
    occurrences.sort(key=lambda occurrence: occurrence.span)
    if not occurrences:
        return _without_samples(project, window)
    concrete = replace(window, occurrences=tuple(occurrences), exclusions=_inside(window.exclusions, occurrences))
    refusal = window_refusal(CycleBook(), replace(concrete, name=title_of(project, concrete)), zone)
    if refusal is not None:
        raise refusal
    return concrete


def _as_called_now(project: Project, names: Sequence[str]) -> Iterator[str]:
    """A host that only names told is the one that they name, once somebody has put all its captures to that."""
    held = {host.name for host in hosts.hosts_of_captures(project)} if names else set()
    for name in names:
        parts = presumed_parts(name)
        yield parts[0] if parts is not None and name not in held and parts[0] in held else name


def _without_samples(project: Project, window: Window) -> Window:
    if not window.id and all(occurrence == Occurrence(run_id=occurrence.run_id) for occurrence in window.occurrences):
        return window
    zone = clock_of(project, window.zone)
    stretches = ", ".join(stretch_text(occurrence.span, zone) for occurrence in window.occurrences)
    raise UserError("window_no_samples", window=title_of(project, window), stretches=stretches)


def _inside(exclusions: Iterable[Exclusion], occurrences: Sequence[Occurrence]) -> tuple[Exclusion, ...]:
    return tuple(
        exclusion for exclusion in exclusions if any(overlap_of(exclusion.span, own.span) for own in occurrences)
    )


def _run_of(captured: Captured, runs: Iterable[Run], span: Span) -> int | None:
    """The id of the run that covers most of the stretch; None where another covers it for another host."""
    covering: dict[int, tuple[int, frozenset[int | None]]] = {}
    for run in runs:
        inside = [(cut, host) for piece, host in captured.pieces(run.id) if (cut := overlap_of(piece, span))]
        if inside:
            length = sum(end - start for start, end in joined((cut for cut, _host in inside), 0))
            covering[run.id] = (length, frozenset(host for _cut, host in inside))
    if not covering:
        return None
    best = max(covering, key=lambda run_id: covering[run_id][0])
    return best if all(host_ids <= covering[best][1] for _length, host_ids in covering.values()) else None


# -- proposals -----------------------------------------------------------------------------------------


def proposals(project: Project, host_names: Sequence[str] = ()) -> tuple[Window, ...]:
    """Windows that the captures suggest and that are not kept yet: one for each run, and the hours that were captured
    on the same weekdays before and after. They go by the clock that all hosts agree on.

    Args:
        host_names: of the hosts whose captures are asked; none for all.
    """
    captured, name, runs = Captured(project, host_names), common_clock(project), list_runs(project)
    zone = clock_of(project, name)
    suggested = [
        Window(0, run.label, WindowRole(run.phase.value), occurrences=tuple(days), zone=name)
        for run in runs
        if (days := [Occurrence(start, end, run.id) for start, end in captured.days(run.id, zone)])
    ]
    suggested += _same_hours(project, captured, runs, name)
    kept = list_windows(project)
    names, stretches = {window.name for window in kept}, {_spans(window) for window in kept}
    return tuple(
        replace(window, hosts=tuple(host_names))
        for window in suggested
        if window.name not in names and _spans(window) not in stretches
    )


def _spans(window: Window) -> tuple[Span, ...]:
    return tuple(occurrence.span for occurrence in window.occurrences)


def _same_hours(project: Project, captured: Captured, runs: Sequence[Run], zone_name: str) -> Iterator[Window]:
    zone = clock_of(project, zone_name)
    sides = {
        role: _longest_by_day((span for run in runs if run.phase is phase for span in captured.spans(run.id)), zone)
        for role, phase in ((WindowRole.BEFORE, Phase.BEFORE), (WindowRole.AFTER, Phase.AFTER))
    }
    free = calendar_of(project, zone_name).days_off or ()
    shared = frozenset.intersection(*(frozenset(_weekday(day, free) for day in side) for side in sides.values()))
    stretches = [hours for side in sides.values() for day, hours in side.items() if _weekday(day, free) in shared]
    if not stretches:
        return
    start = -(-max(first for first, _last in stretches) // _ROUND_S) * _ROUND_S
    end = min(last for _first, last in stretches) // _ROUND_S * _ROUND_S
    differ = any(abs(first - start) > _ROUND_S or abs(last - end) > _ROUND_S for first, last in stretches)
    several = any(_weekday(day, free) not in shared for side in sides.values() for day in side)
    if end - start < _LEAST_SHARED_S or not (differ or several):
        return
    messages = catalogue(engagements.read_engagement(project).language)
    days = ", ".join(messages.text(f"ui.weekday.{WEEKDAYS[weekday]}") for weekday in sorted(shared))
    hours = DailyWindow(_clock(start), _clock(end))
    for role, side in sides.items():
        spans = [hours_of(day, hours, zone) for day in sorted(side) if _weekday(day, free) in shared]
        name = messages.text(f"window.proposal.{role.value}", days=days, hours=f"{hours.start}-{hours.end}")
        yield Window(0, name, role, occurrences=tuple(Occurrence(*span) for span in spans), zone=zone_name)


def _longest_by_day(spans: Iterable[Span], zone: ZoneInfo) -> dict[date, Span]:
    """Day -> the longest stretch that was captured on it, seconds of its clock; days of a few minutes left out."""
    longest: dict[date, Span] = {}
    for start, end in joined(spans):
        day = day_of(start, zone)
        while (midnight := local_ns(day, 0, zone)) <= end:
            inside = overlap_of((start, end), (midnight, local_ns(day + timedelta(days=1), 0, zone)))
            if inside is not None and inside[1] - inside[0] >= _LEAST_SHARED_S * NS_PER_S:
                clock = (_clock_s(inside[0], day, zone), _clock_s(inside[1], day, zone))
                longest[day] = max(longest.get(day, clock), clock, key=lambda hours: hours[1] - hours[0])
            day += timedelta(days=1)
    return longest


def _clock_s(time_ns: int, day: date, zone: ZoneInfo) -> int:
    shown = datetime.fromtimestamp(time_ns // NS_PER_S, tz=zone)
    return _DAY_S if shown.date() > day else shown.hour * 3600 + shown.minute * 60 + shown.second


def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}"
