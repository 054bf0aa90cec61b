"""When does it run out, what would more load need, and how long do growth rates last?"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta

import numpy as np

from tunebench.analysis.capacity import what_if as load_models
from tunebench.analysis.capacity.daily import DailyLevels
from tunebench.analysis.capacity.forecast import RECENT_DAYS, Goal, forecast
from tunebench.analysis.capacity.growth import Scenario, implied_growth, years_until
from tunebench.analysis.capacity.limits import ProposedLimit, knee_limit, space_limit
from tunebench.analysis.capacity.line import Floats
from tunebench.analysis.capacity.outcome import Fact, Forecast, Refusal, Remark, Said
from tunebench.analysis.capacity.what_if import LoadModel, WhatIf
from tunebench.analysis.series import SeriesData
from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.windows import Window
from tunebench.store.project import Project
from tunebench.usecases.capacity.series import Resource, Subject, find_subject, read_days, read_samples
from tunebench.usecases.comparing.clocks import calendar_of
from tunebench.usecases.exports import bin_means
from tunebench.usecases.findings.processor_count import processors

RATES = (0.10, 0.20, 0.30, 0.50)
"""Yearly growth that is shown where nobody says one."""
_MOST_BINS = 5000
_STEPS_S = (60, 300, 600, 1800, 3600, 7200, 21_600, 86_400)


@record
class Limit:
    """In the unit of the series; `proposed` is None where somebody chose it."""

    value: float
    proposed: ProposedLimit | None = None


@record
class Outlook:
    """
    Attributes:
        now: median of the last seven measured days; None where there is none.
    """

    subject: Subject
    limit: Limit
    days: DailyLevels
    forecast: Forecast
    now: float | None


@record
class LoadOutlook:
    """`step_s`: the intervals over which load and resource were averaged; `pairs` are their means."""

    load: Subject
    resource: Subject
    limit_pct: float
    step_s: float
    loads: Floats
    busy_pct: Floats
    model: LoadModel
    factors: tuple[WhatIf, ...]


# -- limits ----------------------------------------------------------------------------------------------


def proposed_limit(project: Project, subject: Subject) -> Limit | None:
    """Knee of the processors or of a disk, 90 % for space; None where nothing speaks for a figure."""
    ceiling = subject.ceiling
    if ceiling is None or subject.falling:
        return None
    proposal: ProposedLimit | None = None
    if subject.resource is Resource.CPU:
        proposal = knee_limit(processors(project, subject.info.host_id) or 1)
    elif subject.resource is Resource.DISK:
        proposal = knee_limit(1)
    elif subject.resource in (Resource.FILESYSTEM, Resource.MEMORY, Resource.SWAP):
        proposal = space_limit()
    return None if proposal is None else Limit(proposal.limit_pct / 100 * ceiling, proposal)


def checked_limit(project: Project, subject: Subject, value: float | None) -> Limit:
    """
    Raises:
        UserError: no limit is given and none can be proposed, or it is no positive number.
    """
    if value is None:
        proposed = proposed_limit(project, subject)
        if proposed is None:
            raise UserError("capacity_limit_needed", series=subject.info.label)
        return proposed
    if not 0 < value < float("inf"):
        raise UserError("capacity_limit_not_positive", limit=value)
    return Limit(value)


# -- the questions ---------------------------------------------------------------------------------------


def outlook(
    project: Project,
    series_id: int,
    limit: float | None = None,
    hours: Collection[int] | None = None,
    window: Window | None = None,
) -> Outlook:
    """Forecast of one series over all runs of the project, or over what of it lies in a window.

    Args:
        limit: in the unit of the series; None proposes one.
        hours: of the day (0..23) that count; None finds the busy ones.

    Raises:
        UserError: no such series, or no limit.
    """
    subject = find_subject(project, series_id)
    chosen = checked_limit(project, subject, limit)
    calendar = calendar_of(project, window.zone if window else "")
    days = read_days(project, subject, calendar.zone, hours, window)
    goal = Goal(chosen.value, subject.falling, subject.ceiling)
    recent = days.values[-RECENT_DAYS:]
    now = float(np.median(recent)) if len(recent) and np.isfinite(recent).all() else None
    answer = forecast(days.days, days.values, goal, calendar.days_off or ())
    return Outlook(subject, chosen, days, _with_left_out(answer, days), now)


def _with_left_out(answer: Forecast, days: DailyLevels) -> Forecast:
    """The forecast with a remark on days that were measured too briefly to count as days of the history."""
    if not days.left_out:
        return answer
    facts: dict[str, Fact] = {
        "missing": days.left_out,
        "days": days.left_out + len(days.days),
        "hours": days.least_hours,
    }
    if any(refusal.key == Refusal.FEW_DAYS for refusal in answer.refusals):
        return replace(answer, refusals=(*answer.refusals, Said(Refusal.SHORT_DAYS, facts)))
    return replace(answer, remarks=(Said(Remark.SHORT_DAYS_LEFT_OUT, facts), *answer.remarks))


def what_if(
    project: Project,
    load_id: int,
    resource_id: int,
    factors: Sequence[float],
    limit: float | None = None,
    window: Window | None = None,
) -> LoadOutlook:
    """What the resource would need at `factors` times the load.

    Raises:
        UserError: no such series, the resource is no utilisation, no limit, or a factor that is not positive.
    """
    load, resource = find_subject(project, load_id), find_subject(project, resource_id)
    ceiling = resource.ceiling
    if ceiling is None or not resource.works:
        raise UserError("capacity_no_utilisation", series=resource.info.label)
    if any(not 0 < factor < float("inf") for factor in factors):
        raise UserError("capacity_factor_not_positive")
    limit_pct = checked_limit(project, resource, limit).value / ceiling * 100
    step_s, offered, busy = _paired(project, load, resource, window)
    busy = busy / ceiling * 100
    servers = processors(project, resource.info.host_id) if resource.resource is Resource.CPU else None
    model = load_models.load_model(offered, busy, 1 if resource.resource is Resource.DISK else servers)
    answers = (load_models.what_if(model, factor, limit_pct) for factor in factors)
    possible = tuple(answer for answer in answers if answer is not None)
    return LoadOutlook(load, resource, limit_pct, step_s, offered, busy, model, possible)


def scenarios(now: float, limit: float, rates: Iterable[float] = RATES) -> tuple[Scenario, ...]:
    """Years until `limit` at assumed rates.

    Raises:
        UserError: a figure that is not positive, or a growth of -100 % or less.
    """
    try:
        return tuple(Scenario(rate, years_until(now, limit, rate)) for rate in rates)
    except ValueError:
        raise UserError("capacity_scenario_figures") from None


def needed_growth(now: float, limit: float, years: Iterable[float]) -> tuple[Scenario, ...]:
    """The growth at which the limit is reached after that many years.

    Raises:
        UserError: a figure that is not positive.
    """
    try:
        return tuple(Scenario(implied_growth(now, limit, span), span) for span in years)
    except ValueError:
        raise UserError("capacity_scenario_figures") from None


def day_of(number: int) -> date:
    """The date of a day number, counted since 1970-01-01."""
    return date(1970, 1, 1) + timedelta(days=number)


# -- load and resource over the same intervals -------------------------------------------------------------


def _paired(project: Project, load: Subject, resource: Subject, window: Window | None) -> tuple[float, Floats, Floats]:
    """Means of both over the intervals that both were measured in."""
    one, other = (read_samples(project, subject, window) for subject in (load, resource))
    step_s = _step_s(load, resource, one, other)
    ends_one, means_one = bin_means(one.times_ns, one.values, step_s)
    ends_other, means_other = bin_means(other.times_ns, other.values, step_s)
    _, at_one, at_other = np.intersect1d(ends_one, ends_other, assume_unique=True, return_indices=True)
    return step_s, means_one[at_one], means_other[at_other]


def _step_s(load: Subject, resource: Subject, one: SeriesData, other: SeriesData) -> float:
    """The coarser interval of the two, or so many seconds that a few thousand pairs are left."""
    intervals = [part.interval_s or 0.0 for subject in (load, resource) for part in subject.parts]
    span_s = 0.0
    if len(one.times_ns) and len(other.times_ns):
        span_s = (min(one.times_ns[-1], other.times_ns[-1]) - max(one.times_ns[0], other.times_ns[0])) / 1e9
    least = max(*intervals, span_s / _MOST_BINS, 1.0)
    return next((float(step) for step in _STEPS_S if step >= least), least) if least > 1 else 1.0
