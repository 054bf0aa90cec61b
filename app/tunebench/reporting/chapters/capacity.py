"""The outlook on capacity: when a limit is reached, or why nobody can say, and what assumed growth would mean."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from tunebench.analysis.capacity.growth import Scenario
from tunebench.columns.formats import decimals_for
from tunebench.reporting.cases.analysis import CaseOutlook
from tunebench.reporting.chapters.context import FIXED, NUMBER, Context, evidence_text
from tunebench.reporting.document import Block, Cell, Column, ForecastFigure, Heading, KeyValueTable, Note, Table, Tone
from tunebench.reporting.wording import grouped

_DAYS_SHOWN = 5
_BAND = ("low", "centre", "high")


def capacity(context: Context) -> Iterator[Block]:
    for each in context.case.analysis.capacity:
        yield from _outlook(context, each)


def _outlook(context: Context, found: CaseOutlook) -> Iterator[Block]:
    title = _title(context, found)
    yield Heading(title, "", level=2)
    yield Note(found.headline, Tone.WARNING if found.refused else Tone.PLAIN)
    yield KeyValueTable(_facts(context, found))
    yield forecast_figure(context, found)
    if found.future_days:
        yield _band_table(context, found, title)


def forecast_figure(context: Context, found: CaseOutlook) -> ForecastFigure:
    text, title = context.text, _title(context, found)
    return ForecastFigure(
        context.words.unit(found.unit),
        found.days,
        found.values,
        found.future_days,
        found.centre,
        found.low,
        found.high,
        found.limit,
        (text("case_capacity.measured_line"), text("case_capacity.band"), text("case_capacity.limit")),
        text("case_capacity.caption", name=title),
    )


def _title(context: Context, found: CaseOutlook) -> str:
    return " · ".join(part for part in (context.words.host(found.host), found.name) if part)


def _facts(context: Context, found: CaseOutlook) -> tuple[tuple[str, str], ...]:
    text, words = context.text, context.words
    decimals = decimals_for([found.now, found.limit])

    def quantity(value: float | None) -> str:
        return words.quantity(value, found.unit, decimals)

    ends = " ~ ".join(day_text(context, found.days[place]) for place in (0, -1))
    facts = [
        (text("case_capacity.limit"), f"{quantity(found.limit)} ({found.limit_words})"),
        (text("case_capacity.now"), quantity(found.now)),
        (text("case_capacity.history"), f"{len(found.days):,} ({ends})"),
        (text("case_capacity.refused"), "\n".join(found.refusals)),
        (text("case_capacity.remarks"), "\n".join(found.remarks)),
        (text("case_capacity.scenarios"), "\n".join(_scenario(context, each) for each in found.scenarios)),
        (text("column.evidence"), evidence_text(found.evidence, 6)),
    ]
    return tuple((name, told) for name, told in facts if told)


def _scenario(context: Context, found: Scenario) -> str:
    rate = grouped(100 * found.growth, 0)
    if found.years is None:
        return context.text("case_capacity.scenario_never", rate=rate)
    return context.text("case_capacity.scenario", rate=rate, years=grouped(found.years, 1))


def _band_table(context: Context, found: CaseOutlook, title: str) -> Table:
    """A few days of the band, the last of them with it."""
    text, words = context.text, context.words
    last = len(found.future_days) - 1
    places = sorted({round(last * step / (_DAYS_SHOWN - 1)) for step in range(_DAYS_SHOWN)})
    decimals = decimals_for([found.limit, *found.centre])
    band = (Column(text(f"case_capacity.{name}"), NUMBER) for name in _BAND)
    columns = (Column(text("case_capacity.day"), FIXED), *band)
    rows = tuple(
        (
            Cell(day_text(context, found.future_days[place])),
            *(Cell(words.number(line[place], decimals), line[place]) for line in (found.low, found.centre, found.high)),
        )
        for place in places
    )
    return Table(text("case_capacity.caption_band", name=title), columns, rows, dense=True)


def day_text(context: Context, number: int) -> str:
    return context.words.date((date(1970, 1, 1) + timedelta(days=number)).isoformat())
