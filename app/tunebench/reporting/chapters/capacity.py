"""The outlook on capacity: when a limit is reached, or why nobody can say, and what assumed growth would mean."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from tunebench.analysis.capacity.growth import Scenario
from tunebench.columns.formats import decimals_for
from tunebench.reporting.cases.analysis import CaseOutlook
from tunebench.reporting.chapters.context import FIXED, NUMBER, Context, evidence_text
from tunebench.reporting.document import (
    Block,
    Cell,
    ForecastFigure,
    Heading,
    KeyValueTable,
    Note,
    Table,
    TableHead,
    Tone,
)
from tunebench.reporting.wording import grouped

_DAYS_SHOWN = 5
_BAND = ("low", "centre", "high")


def capacity(context: Context) -> Iterator[Block]:
    for outlook in context.case.analysis.capacity:
        yield from _outlook(context, outlook)


def _outlook(context: Context, outlook: CaseOutlook) -> Iterator[Block]:
    title = _title(context, outlook)
    yield Heading(title, "", level=2)
    yield Note(outlook.headline, Tone.WARNING if outlook.refused else Tone.PLAIN)
    yield KeyValueTable(_facts(context, outlook))
    yield forecast_figure(context, outlook)
    if outlook.future_days:
        yield _band_table(context, outlook, title)


def forecast_figure(context: Context, outlook: CaseOutlook) -> ForecastFigure:
    text, title = context.text, _title(context, outlook)
    return ForecastFigure(
        context.words.unit(outlook.unit),
        outlook.days,
        outlook.values,
        outlook.future_days,
        outlook.centre,
        outlook.low,
        outlook.high,
        outlook.limit,
        (text("case_capacity.measured_line"), text("case_capacity.band"), text("case_capacity.limit")),
        text("case_capacity.caption", name=title),
    )


def _title(context: Context, outlook: CaseOutlook) -> str:
    return " · ".join(part for part in (context.words.host(outlook.host), outlook.name) if part)


def _facts(context: Context, outlook: CaseOutlook) -> tuple[tuple[str, str], ...]:
    text, words = context.text, context.words
    decimals = decimals_for([outlook.now, outlook.limit])

    def quantity(value: float | None) -> str:
        return words.quantity(value, outlook.unit, decimals)

    ends = " ~ ".join(day_text(context, outlook.days[index]) for index in (0, -1))
    facts = [
        (text("case_capacity.limit"), f"{quantity(outlook.limit)} ({outlook.limit_words})"),
        (text("case_capacity.now"), quantity(outlook.now)),
        (text("case_capacity.history"), f"{len(outlook.days):,} ({ends})"),
        (text("case_capacity.refused"), "\n".join(outlook.refusals)),
        (text("case_capacity.remarks"), "\n".join(outlook.remarks)),
        (text("case_capacity.scenarios"), "\n".join(_scenario(context, scenario) for scenario in outlook.scenarios)),
        (text("column.evidence"), evidence_text(outlook.evidence, 6)),
    ]
    return tuple((name, value) for name, value in facts if value)


def _scenario(context: Context, scenario: Scenario) -> str:
    rate = grouped(100 * scenario.growth, 0)
    if scenario.years is None:
        return context.text("case_capacity.scenario_never", rate=rate)
    return context.text("case_capacity.scenario", rate=rate, years=grouped(scenario.years, 1))


def _band_table(context: Context, outlook: CaseOutlook, title: str) -> Table:
    """A few days of the band, its last day among them."""
    text, words = context.text, context.words
    last = len(outlook.future_days) - 1
    indices = sorted({round(last * step / (_DAYS_SHOWN - 1)) for step in range(_DAYS_SHOWN)})
    decimals = decimals_for([outlook.limit, *outlook.centre])
    band = (TableHead(text(f"case_capacity.{name}"), NUMBER) for name in _BAND)
    columns = (TableHead(text("case_capacity.day"), FIXED), *band)
    rows = tuple(
        (
            Cell(day_text(context, outlook.future_days[index])),
            *(
                Cell(words.number(line[index], decimals), line[index])
                for line in (outlook.low, outlook.centre, outlook.high)
            ),
        )
        for index in indices
    )
    return Table(text("case_capacity.caption_band", name=title), columns, rows, dense=True)


def day_text(context: Context, number: int) -> str:
    return context.words.date((date(1970, 1, 1) + timedelta(days=number)).isoformat())
