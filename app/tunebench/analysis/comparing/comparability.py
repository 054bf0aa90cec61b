"""Whether two windows may be compared at all: ten checks before any figure.

Each check is a pure function of what the captures tell; one that no capture tells anything of is unknown, not passed.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from datetime import date, timedelta
from math import inf

from tunebench.analysis.comparing.calendar_slots import QUARTER_NS, Calendar, Calendars, day_class
from tunebench.analysis.comparing.comparison import Caution, SplitOffer
from tunebench.core.records import record
from tunebench.domain.comparability import Check, CheckState, GateCheck
from tunebench.domain.windows import stretch_text

NS_PER_S = 1_000_000_000
Span = tuple[int, int]
"""UTC ns, first and last."""

OVERLAP_PASS, OVERLAP_LEAST = 0.80, 0.50
LOAD_PASS = 0.90
SIMILARITY_PASS, SIMILARITY_LEAST = 0.80, 0.50
COVERAGE_PASS, COVERAGE_LEAST = 0.90, 0.80
LENGTHS_ALIKE = 1.5
INTERVALS_PASS, INTERVALS_MOST = 2.0, 5.0
MONTH_END_MOST = 0.20
"""Of the time of a window: so much more of it may lie on the last working day of a month than of the other's."""
WARM_UP_S = 600.0
MOST_ERROR_POINTS_PCT = 1.0
SATURATED_PCT = 95.0
MOST_NAMED = 8


def _checked(check: Check, state: CheckState, reason: str, **facts: object) -> GateCheck:
    return GateCheck(check, state, reason, facts)


# -- C1 ------------------------------------------------------------------------------------------------


@record
class Configuration:
    """What differs between the configurations of the two sides.

    Attributes:
        told: whether captures of both sides tell of it at all.
        hosts: names of either side's hosts where these are different machines, else empty.
        machine: differences of processors, memory, devices, versions, as words.
        parameters: names of database parameters that differ.
        recorded: titles of the changes that were executed between the windows.
    """

    told: bool
    hosts: tuple[str, str] | None = None
    machine: Sequence[str] = ()
    parameters: Sequence[str] = ()
    recorded: Sequence[str] = ()


def configuration(setup: Configuration) -> GateCheck:
    differences = list(dict.fromkeys(setup.machine))
    if setup.hosts:
        differences.insert(0, " → ".join(setup.hosts))
    facts: dict[str, object] = {
        "differences": differences[:MOST_NAMED],
        "parameters": list(setup.parameters)[:MOST_NAMED],
        "recorded": list(setup.recorded)[:MOST_NAMED],
        "parameter_count": len(setup.parameters),
        "recorded_count": len(setup.recorded),
    }
    state, reason = CheckState.PASS, "recorded_only" if setup.recorded else "same"
    if differences and not setup.recorded:
        state, reason = CheckState.REFUSE, "hosts_differ" if setup.hosts else "unrecorded"
    elif len(setup.recorded) > 1:
        state, reason = CheckState.ADJUST, "combined"
    elif differences:
        state, reason = CheckState.ADJUST, "differences_and_record"
    elif setup.parameters and len(setup.parameters) > len(setup.recorded):
        state, reason = CheckState.ADJUST, "parameters"
    elif not setup.told and not setup.recorded:
        state, reason = CheckState.UNKNOWN, "untold"
    return GateCheck(Check.CONFIGURATION, state, reason, facts)


# -- C2 ------------------------------------------------------------------------------------------------


def calendar(
    before: Sequence[Span],
    after: Sequence[Span],
    calendars: Calendars,
    generated: bool = False,
    dated: bool = True,
    clocks: Sequence[str] = (),
    left_out: tuple[Sequence[Span], Sequence[Span]] = ((), ()),
) -> GateCheck:
    """Whether the windows are of the same hours of the same class of day, each by its own clock.

    Args:
        generated: a load generator ran in both: its work does not depend on the hour.
        clocks: hosts on whose own clocks the sides are of other hours.
        dated: whether the captures say when they were measured; the date of a copy tells nothing of the hour.
        left_out: occurrences of either window that are not compared, as they have no like on the other side.
    """
    shares = [_hour_shares(spans, own) for spans, own in zip((before, after), calendars, strict=True)]
    if not shares[0] or not shares[1]:
        return _checked(Check.CALENDAR, CheckState.UNKNOWN, "no_window")
    holidays_known = all(own.days_off is not None for own in calendars)
    free = [() if own.days_off is None else own.days_off for own in calendars]
    slots = [_by_slot(one, own) for one, own in zip(shares, free, strict=True)]
    overlap = sum(min(slots[0].get(slot, 0.0), slots[1].get(slot, 0.0)) for slot in slots[0])
    ends = [
        sum(share for hour, share in one.items() if is_month_end(hour // 24, own))
        for one, own in zip(shares, free, strict=True)
    ]
    unlike = [_hour_shares(spans, own) for spans, own in zip(left_out, calendars, strict=True)]
    days = {
        hour // 24
        for own, compared, others in zip(free, shares, unlike, strict=True)
        for hour in (*compared, *others)
        if hour // 24 in own
    }
    named = [date.fromordinal(day).isoformat() for day in sorted(days)[:MOST_NAMED]]
    facts: dict[str, object] = {"overlap_pct": 100 * overlap, "holidays": named if holidays_known else "unknown"}
    if any(left_out):
        sides = zip(left_out, calendars, strict=True)
        facts["left_out"] = [stretch_text(span, own.zone) for spans, own in sides for span in spans]
    if generated:
        lengths = [sum(last - first for first, last in side) / len(side) / (60 * NS_PER_S) for side in (before, after)]
        alike = max(lengths) <= LENGTHS_ALIKE * min(lengths)
        facts |= {"before_min": lengths[0], "after_min": lengths[1]}
        return GateCheck(Check.CALENDAR, CheckState.PASS, "generated_load" if alike else "generated_lengths", facts)
    if not dated:
        return _checked(Check.CALENDAR, CheckState.UNKNOWN, "dated_by_file")
    if abs(ends[0] - ends[1]) > MONTH_END_MOST:
        facts |= {"before_month_end_pct": 100 * ends[0], "after_month_end_pct": 100 * ends[1]}
        return GateCheck(Check.CALENDAR, CheckState.REFUSE, "month_end", facts)
    state = _state(overlap, OVERLAP_PASS, OVERLAP_LEAST)
    reason = "overlap" if not holidays_known else "overlap_holidays" if named else "overlap_no_holiday"
    if clocks and state is not CheckState.REFUSE:
        facts |= {"clocks": list(clocks), "zone": ", ".join(dict.fromkeys(own.zone.key for own in calendars))}
        return GateCheck(Check.CALENDAR, CheckState.ADJUST, "clocks_moved", facts)
    return GateCheck(Check.CALENDAR, state, reason, facts)


def _hour_shares(spans: Sequence[Span], hours: Calendar) -> dict[int, float]:
    """Hour -> share of the window's time."""
    times: dict[int, int] = {}
    for first, last in spans:
        quarter = first // QUARTER_NS
        while quarter * QUARTER_NS < last:
            inside = min(last, (quarter + 1) * QUARTER_NS) - max(first, quarter * QUARTER_NS)
            hour = hours.hour_of(quarter)
            times[hour] = times.get(hour, 0) + inside
            quarter += 1
    total = sum(times.values())
    return {hour: time / total for hour, time in times.items()} if total else {}


def _by_slot(shares: Mapping[int, float], holidays: Container[int]) -> dict[tuple[int, int], float]:
    slots: dict[tuple[int, int], float] = {}
    for hour, share in shares.items():
        slot = (day_class(hour // 24, holidays), hour % 24)
        slots[slot] = slots.get(slot, 0.0) + share
    return slots


def is_month_end(day: int, holidays: Container[int] = ()) -> bool:
    """Whether a day (ordinal) is the last working day of its month or a later one: the closing of accounts."""
    here = date.fromordinal(day)
    following = here + timedelta(days=1)
    while following.month == here.month:
        if following.weekday() < 5 and following.toordinal() not in holidays:
            return False
        following += timedelta(days=1)
    return True


def _state(value: float, enough: float, least: float) -> CheckState:
    if value >= enough:
        return CheckState.PASS
    return CheckState.ADJUST if value >= least else CheckState.REFUSE


# -- C3, C4 --------------------------------------------------------------------------------------------


@record
class Load:
    """How much work came in.

    Attributes:
        measure: what tells it: a metric, or ``clients`` of a load generator.
        demand: whether it is what was asked for; disk requests are what tuning changes, and cannot refuse.
        host: whose own it is, where that of all hosts together stayed; empty for that of all.
    """

    measure: str
    before: float
    after: float
    demand: bool = True
    host: str = ""

    @property
    def ratio(self) -> float:
        return self.after / self.before if self.before > 0 else inf

    @property
    def alike(self) -> float:
        """1 for the same on both sides, less the further it moved, whichever way."""
        return min(self.before, self.after) / max(self.before, self.after)

    @property
    def moved(self) -> bool:
        return self.alike < LOAD_PASS


def load(work: Load | None, generated: bool = False) -> GateCheck:
    """A load that moved refuses nothing: what depends on it is judged per unit of work or at the loads of both."""
    if work is None or max(work.before, work.after) <= 0:
        return _checked(Check.LOAD, CheckState.UNKNOWN, "closed_loop" if generated else "untold")
    facts: dict[str, object] = {
        "measure": work.measure,
        "before": work.before,
        "after": work.after,
        "ratio": work.ratio,
    }
    if not work.moved:
        return GateCheck(Check.LOAD, CheckState.PASS, "ratio", facts)
    if work.host:
        return GateCheck(Check.LOAD, CheckState.ADJUST, "other_hosts", {**facts, "host": work.host})
    return GateCheck(Check.LOAD, CheckState.ADJUST, "ratio" if work.demand else "work_only", facts)


def load_caution(check: GateCheck) -> Caution | None:
    """What every row has to say of the load; None where it was the same on both sides."""
    if check.state is CheckState.PASS:
        return None
    if check.state is CheckState.UNKNOWN:
        return Caution("load_unknown")
    if check.reason == "other_hosts":
        return Caution("load_shifted", {name: check.facts[name] for name in ("host", "measure", "ratio")})
    key = "load_fell" if check.facts["after"] < check.facts["before"] else "load_rose"  # type: ignore[operator]
    return Caution(key, {name: check.facts[name] for name in ("measure", "ratio")})


def similarity(share: float | None) -> GateCheck:
    """Of the statements: the sum of min(p, q) over their shares of the work at the unit costs of before."""
    if share is None:
        return _checked(Check.SIMILARITY, CheckState.UNKNOWN, "untold")
    state = _state(share, SIMILARITY_PASS, SIMILARITY_LEAST)
    return _checked(Check.SIMILARITY, state, "similarity", similarity_pct=100 * share)


# -- C5 to C8 ------------------------------------------------------------------------------------------


def coverage(
    coverages: Sequence[float],
    interval_ratios: Sequence[float],
    restarts: Sequence[tuple[str, str]],
    missing: Sequence[str] = (),
) -> GateCheck:
    """
    Args:
        coverages, interval_ratios: of the middle series: what most of the captures have.
        restarts: (side, host) of restarts inside a window.
        missing: occurrences of the windows of which there is no sample (any more).
    """
    if not coverages:
        return _checked(Check.COVERAGE, CheckState.UNKNOWN, "no_samples")
    covered, ratio = _middle(coverages), _middle(interval_ratios) if interval_ratios else 1.0
    facts: dict[str, object] = {"coverage_pct": 100 * covered, "interval_ratio": ratio}
    if restarts:
        facts["restarts"] = list(dict.fromkeys(f"{host} ({side})" for side, host in restarts))
        return GateCheck(Check.COVERAGE, CheckState.REFUSE, "restart", facts)
    states = (_state(covered, COVERAGE_PASS, COVERAGE_LEAST), _state(1 / ratio, 1 / INTERVALS_PASS, 1 / INTERVALS_MOST))
    if missing:
        facts["missing"] = list(missing)
        return GateCheck(Check.COVERAGE, _worst((*states, CheckState.ADJUST)), "occurrences_missing", facts)
    return GateCheck(Check.COVERAGE, _worst(states), "measured", facts)


def _middle(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]


def _worst(states: Iterable[CheckState]) -> CheckState:
    order = (CheckState.PASS, CheckState.UNKNOWN, CheckState.ADJUST, CheckState.REFUSE)
    return max(states, key=order.index)


def stationarity(offers: Sequence[SplitOffer], looked_at: int, drifting: int = 0) -> GateCheck:
    """
    Args:
        looked_at: series long enough for a change to be found.
        drifting: those whose trend changes them by a fifth or more over a window.
    """
    changes = [offer for offer in offers if offer.reason == "change_point"]
    if changes:
        largest = max(changes, key=lambda offer: len(offer.series))
        count = len({name for offer in changes for name in offer.series})
        return _checked(
            Check.STATIONARITY,
            CheckState.ADJUST,
            "changes",
            count=count,
            side=largest.side,
            host=largest.host,
            at_ns=largest.at_ns,
            looked_at=looked_at,
        )
    if drifting:
        return _checked(Check.STATIONARITY, CheckState.ADJUST, "drifts", count=drifting, looked_at=looked_at)
    if not looked_at:
        return _checked(Check.STATIONARITY, CheckState.UNKNOWN, "too_short")
    return _checked(Check.STATIONARITY, CheckState.PASS, "steady", looked_at=looked_at)


def warm_up(moments: Sequence[tuple[str, int]], recorded_before: bool) -> GateCheck:
    """
    Args:
        moments: (side, time) of restarts and changes less than `WARM_UP_S` before a window or inside of it.
        recorded_before: whether captures reach back so far before both windows.
    """
    if moments:
        side, at_ns = max(moments, key=lambda moment: moment[1])
        return _checked(
            Check.WARM_UP,
            CheckState.REFUSE,
            "too_early",
            side=side,
            at_ns=at_ns,
            from_ns=at_ns + round(WARM_UP_S * NS_PER_S),
        )
    if not recorded_before:
        return _checked(Check.WARM_UP, CheckState.UNKNOWN, "untold")
    return _checked(Check.WARM_UP, CheckState.PASS, "warm")


def errors(before_pct: float | None, after_pct: float | None) -> GateCheck:
    """Shares of the work that failed: what fails fast looks fast."""
    if before_pct is None or after_pct is None:
        return _checked(Check.ERRORS, CheckState.UNKNOWN, "untold")
    higher = after_pct - before_pct > MOST_ERROR_POINTS_PCT
    state = CheckState.REFUSE if higher else CheckState.PASS
    return _checked(
        Check.ERRORS, state, "more_after" if higher else "alike", before_pct=before_pct, after_pct=after_pct
    )


# -- C9, C10 -------------------------------------------------------------------------------------------


@record
class Busy:
    """p95 of how busy a resource was in the window before."""

    host: str
    device: str  # empty for the processors
    label: str
    p95_pct: float

    @property
    def saturated(self) -> bool:
        return self.p95_pct >= SATURATED_PCT


def saturation(resources: Sequence[Busy]) -> GateCheck:
    full = [one for one in resources if one.saturated]
    if full:
        names = list(dict.fromkeys(f"{one.host} {one.label}".strip() for one in full))
        facts: dict[str, object] = {"resources": names[:MOST_NAMED], "count": len(names)}
        return GateCheck(Check.SATURATION, CheckState.ADJUST, "saturated", facts)
    if not resources:
        return _checked(Check.SATURATION, CheckState.UNKNOWN, "untold")
    return _checked(Check.SATURATION, CheckState.PASS, "below", most_pct=max(one.p95_pct for one in resources))


def side_jobs(before: Sequence[str], after: Sequence[str]) -> GateCheck:
    """
    Args:
        before, after: marks and notes inside the window that speak of a back-up, a batch or a rebuild.
    """
    if not before and not after:
        return _checked(Check.SIDE_JOBS, CheckState.UNKNOWN, "untold")
    if before and after:
        return _checked(Check.SIDE_JOBS, CheckState.PASS, "both", before=list(before)[:3], after=list(after)[:3])
    side, words = ("before", before) if before else ("after", after)
    return _checked(Check.SIDE_JOBS, CheckState.REFUSE, "one_side", side=side, words=list(words)[:3])
