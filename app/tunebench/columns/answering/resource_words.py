"""A resource in words: its name, its figures, what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from tunebench.analysis.answering.ranking import change_of, tier
from tunebench.analysis.answering.resources import Family, Figure
from tunebench.analysis.comparing.comparison import ComparedSeries
from tunebench.columns import comparing_words
from tunebench.columns.answering.changes import ends_of, in_per_cent, in_times
from tunebench.columns.answering.marks import as_after, as_before
from tunebench.columns.column import Locale
from tunebench.columns.formats import decimals_for
from tunebench.columns.series_words import host_text, unit_text
from tunebench.domain.engagement import Direction

_LARGE = {"KiBy": (1024.0**2, "GiBy"), "MiBy": (1024.0, "GiBy"), "kBy": (1e6, "GBy"), "By": (1024.0**3, "GiBy")}
"""From a tenth of the larger unit on, memory is told in that."""


def figure_name(figure: Figure, locale: Locale) -> str:
    """``CPU of db01``, ``Response of disk sda, db01``."""
    resource = figure.resource
    key = f"answer.subject.{resource.family}.{measure_of(figure)}"
    return locale.text(key, host=host_text(resource.host, locale.messages) or locale.missing, name=resource.name)


def measure_of(figure: Figure) -> str:
    """Which figure of its resource leads: the end of its metric."""
    metric = figure.lead.metric
    if figure.resource.family is Family.CPU:
        return "queue" if metric.endswith("run_queue_length") else "busy"
    if figure.resource.family is Family.MEMORY:
        return "left" if figure.lead.direction is Direction.HIGHER else "used"
    last = metric.rpartition(".")[2]
    return _MEASURES.get(last, last)


_MEASURES = {
    "duration": "time",
    "transactions": "rate",
    "completed": "rate",
    "active_sessions": "sessions",
    "response_time": "response",
    "service_time": "response",
    "utilization": "used",
    "errors": "errors",
    "dropped": "errors",
    "retransmissions": "retransmissions",
    "io": "bytes",
}


def figure_values(figure: Figure, locale: Locale) -> tuple[str, str, str]:
    """(before, after, unit) with as many decimals on both sides."""
    values, decimals, unit = _printed(figure.lead)
    before, after = (locale.missing if value is None else f"{value:,.{decimals}f}" for value in values)
    return before, after, unit_text(unit, locale.messages)


def _printed(row: ComparedSeries) -> tuple[list[float | None], int, str]:
    """(means of either side, decimals, unit)."""
    sides = [side.mean if side is not None else None for side in row.side_statistics]
    values, unit = _scaled(sides, row.unit)
    return values, decimals_for(values), unit


def scale_of(row: ComparedSeries) -> float:
    """What its figures are divided by where they are printed."""
    values = [side.mean for side in row.side_statistics if side and side.mean is not None]
    larger = _LARGE.get(row.unit)
    return larger[0] if larger is not None and values and max(map(abs, values)) >= larger[0] / 10 else 1.0


def _scaled(values: Sequence[float | None], unit: str) -> tuple[list[float | None], str]:
    larger = _LARGE.get(unit)
    sizes = [abs(value) for value in values if value is not None]
    if larger is None or not sizes or max(sizes) < larger[0] / 10:
        return list(values), unit
    return [None if value is None else value / larger[0] for value in values], larger[1]


def figure_sentence(figure: Figure, locale: Locale) -> str:
    """``CPU of db01 50.0 → 32.9 %, 1.52 times lower [1.46, 1.58].``, or what may be said of it without a verdict."""
    before, after, unit = figure_values(figure, locale)
    change = change_text(figure, locale)
    key = "answer.figure" if tier(figure.lead.verdict) < 2 else "answer.figure.unproven"
    return locale.text(
        key,
        name=figure_name(figure, locale),
        before=as_before(before),
        after=as_after(f"{after} {unit}".strip()),
        change=change,
        verdict=comparing_words.verdict_text(figure.lead.verdict, locale.language),
    )


def number_only_text(figure: Figure, locale: Locale) -> str:
    before, after, unit = figure_values(figure, locale)
    facts = {"name": figure_name(figure, locale), "change": change_text(figure, locale)}
    return locale.text(
        "answer.number_only", before=as_before(before), after=as_after(f"{after} {unit}".strip()), **facts
    )


def change_text(figure: Figure, locale: Locale) -> str:
    """``1.52 times lower [1.46, 1.58]`` of the values as they are printed, or on what other basis; memory in per cent;
    an interval with a verdict alone."""
    row = figure.lead
    change, basis = change_of(row), _basis(row)
    if change is None:
        return locale.text("answer.change.none")
    if not basis:
        values, decimals, _ = _printed(row)
        change = _change_as_printed(values, decimals) or change
    ends = ends_of(row.interval if tier(row.verdict) < 3 else None, row.direction)
    if figure.resource.family is Family.MEMORY:
        return in_per_cent(change, ends, basis, locale)
    return in_times(change, ends, row.unit, basis, locale)


def _change_as_printed(values: Sequence[float | None], decimals: int) -> float | None:
    """ln(after / before) of two rounded values, which a reader computes again; None where one rounds to nothing."""
    before, after = (None if value is None else round(value, decimals) for value in values)
    return log(after / before) if before and after and before * after > 0 else None


def _basis(row: ComparedSeries) -> str:
    if row.per_unit_of:
        return "per_unit"
    return "at_load" if row.curve is not None else ""
