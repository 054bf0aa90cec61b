"""The outlook of a success case: resources measured over enough days, each with its forecast or the refusal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tunebench.analysis.capacity.growth import Scenario
from tunebench.analysis.capacity.outcome import Forecast, Outcome, Refusal
from tunebench.core.errors import UserError
from tunebench.core.messages import catalogue
from tunebench.domain.windows import Occurrence, Window
from tunebench.reporting.cases.analysis import CaseOutlook
from tunebench.store import merged_series
from tunebench.store.project import Project
from tunebench.usecases.capacity import outlook as capacity
from tunebench.usecases.capacity import words as capacity_words
from tunebench.usecases.capacity.outlook import Limit, Outlook
from tunebench.usecases.capacity.series import Resource, Subject, list_subjects
from tunebench.usecases.findings.case import Wording

LEAST_DAYS = 14
MOST_READ, MOST_SHOWN = 8, 4
_DAY_NS = 86_400_000_000_000
_ORDER = (Outcome.REACHED, Outcome.DATED, Outcome.POSSIBLE, Outcome.NOT_WITHIN, Outcome.REFUSED)
_WHOLE = ("all", "total", "")


def outlooks(project: Project, wording: Wording, windows: Sequence[Window] = ()) -> tuple[CaseOutlook, ...]:
    """The nearest limits first; empty where nothing was measured for long enough.

    Args:
        windows: those that the case is about, the one after last. Each resource is read over that, as on the page
            Capacity, where it holds enough days, else over all runs without what the windows exclude; whole runs are
            no such windows.
    """
    kept = [window for window in windows if window.name]
    after = [window for window in windows[-1:] if window.name]
    over = (*after, _all_but_excluded(kept)) if kept else (None,)
    nearest = sorted(_decided_outlooks(project, over), key=lambda pair: _ORDER.index(pair[0].forecast.outcome))
    return tuple(_outlook(outlook, wording, window) for outlook, window in nearest[:MOST_SHOWN])


def _all_but_excluded(kept: Sequence[Window]) -> Window:
    hosts = () if any(not window.hosts for window in kept) else {host for window in kept for host in window.hosts}
    excluded = dict.fromkeys(exclusion for window in kept for exclusion in window.exclusions)
    everything = (Occurrence(),)
    return Window(0, "", hosts=tuple(sorted(hosts)), occurrences=everything, exclusions=tuple(excluded))


def _decided_outlooks(project: Project, over: Sequence[Window | None]) -> Iterator[tuple[Outlook, Window | None]]:
    spans = {(info.first_ns, info.last_ns) for info in merged_series.list_merged(project)}
    if len(_days(spans)) < LEAST_DAYS:
        return
    long_enough = [subject for subject in list_subjects(project, over[-1]) if _tells(subject)]
    for subject in long_enough[:MOST_READ]:
        try:
            answers = ((capacity.outlook(project, subject.id, window=window), window) for window in over)
            answer = next((pair for pair in answers if not _has_few_days(pair[0])), None)
        except UserError:  # no figure can be proposed as its limit: there is nothing to reach
            continue
        if answer is not None:
            yield answer


def _has_few_days(outlook: Outlook) -> bool:
    return any(refusal.key is Refusal.FEW_DAYS for refusal in outlook.forecast.refusals)


def _tells(subject: Subject) -> bool:
    """Whether the subject was measured on enough days; of processors only all together."""
    if len(_days((part.first_ns, part.last_ns) for part in subject.parts)) < LEAST_DAYS:
        return False
    return subject.resource is not Resource.CPU or subject.info.attributes.get("cpu", "") in _WHOLE


def _days(spans: Iterable[tuple[int | None, int | None]]) -> set[int]:
    """Days that captures touch, enough of them to decide whether it is worth reading."""
    touched: set[int] = set()
    for first, last in spans:
        if first is not None and last is not None:
            touched |= set(range(first // _DAY_NS, min(last // _DAY_NS, first // _DAY_NS + LEAST_DAYS) + 1))
    return touched


def _outlook(outlook: Outlook, wording: Wording, over: Window | None) -> CaseOutlook:
    forecast, language, info = outlook.forecast, wording.language, outlook.subject.info
    ids = dict.fromkeys(id_ for part in outlook.subject.parts for id_ in part.artefact_ids or (part.artefact_id,))
    shown = len(forecast.centre) and not forecast.refusals
    band = [tuple(map(float, line)) if shown else () for line in (forecast.centre, forecast.low, forecast.high)]
    return CaseOutlook(
        name=capacity_words.subject_text(outlook.subject, language),
        host=info.host,
        unit=info.unit,
        headline=capacity_words.headline(outlook, language),
        limit=forecast.limit,
        limit_words=capacity_words.limit_text(outlook.limit, language),
        now=outlook.now,
        refused=forecast.outcome is Outcome.REFUSED,
        days=tuple(map(int, forecast.days)),
        values=tuple(map(float, forecast.values)),
        future_days=tuple(map(int, forecast.future_days)) if shown else (),
        centre=band[0],
        low=band[1],
        high=band[2],
        refusals=tuple(capacity_words.said_text(refusal, language, info.unit) for refusal in forecast.refusals),
        remarks=(
            *_read_over(over, language),
            *(capacity_words.said_text(remark, language, info.unit) for remark in forecast.remarks),
        ),
        scenarios=_scenarios(outlook.now, outlook.limit, forecast.falling),
        rate=_rate(forecast, info.unit, language),
        evidence=tuple(dict.fromkeys(key for key in map(wording.file_key, ids) if key)),
    )


def _rate(forecast: Forecast, unit: str, language: str) -> str:
    """``0.5 points a day [0.31, 0.68]``."""
    if forecast.trend is None:
        return ""
    low, high = capacity_words.slope_interval(forecast.trend)
    slope = capacity_words.a_day(forecast.trend, forecast.trend.band.line.slope, unit, language)
    return catalogue(language).text("report.case_capacity.a_day", slope=slope, low=low, high=high)


def _read_over(window: Window | None, language: str) -> Iterator[str]:
    """Which samples the line is of, where the case is about windows; else empty."""
    if window is not None:
        key = "over_window" if window.name else "over_all"
        yield catalogue(language).text(f"report.case_capacity.{key}", window=window.name)


def _scenarios(now: float | None, limit: Limit, falling: bool) -> tuple[Scenario, ...]:
    """What assumed growth would mean; nothing where it is past the limit already."""
    if now is None or falling or not 0 < now < limit.value:
        return ()
    return capacity.scenarios(now, limit.value)
