"""JSON shapes of ``compare``: part of the command line's public contract."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from tunebench.analysis.comparing.comparison import Caution, ComparedSeries, Quantiles
from tunebench.analysis.comparing.equal_load import LoadPart
from tunebench.analysis.comparing.occurrence_figures import Statistic
from tunebench.analysis.statistics import Statistics
from tunebench.columns.column import Locale
from tunebench.contract import databases
from tunebench.contract.answering import answer_shape
from tunebench.contract.document import JsonText
from tunebench.contract.findings import shift_shape
from tunebench.contract.json_text import array, member, members, object_of
from tunebench.contract.shapes import Shape, facts_shape, shape, time
from tunebench.core.messages import catalogue
from tunebench.domain.comparability import GateCheck
from tunebench.domain.engagement import Run
from tunebench.domain.windows import Stretch, Window
from tunebench.usecases.answering.compared import Compared

ESTIMATORS = {"p50": "type7", "p95": "type7", "hd": "harrell_davis"}
"""Of the percentiles: type 7 is what spreadsheets compute, Harrell-Davis wavers less."""


def comparison_document(compared: Compared, locale: Locale) -> Shape:
    """All that ``compare`` says, the answer at its end; ``series`` is given as it is asked for, once."""
    comparison, zone = compared.comparison, compared.zone
    before, after = compared.runs
    return {
        "before": _window(comparison.before, before, comparison.occurrences_before, comparison.left_out[0], zone),
        "after": _window(comparison.after, after, comparison.occurrences_after, comparison.left_out[1], zone),
        "comparability": [gate_check(check, zone) for check in comparison.gate],
        "split_offers": [
            shape(offer, "side host at=at_ns reason series change", zone) for offer in comparison.split_offers
        ],
        "estimators": ESTIMATORS,
        "series": (compared_series(row, zone) for row in comparison.rows),
        "statements": databases.compared_statements(compared.statements, zone, catalogue(locale.language)),
        "databases": [{"before": one, "after": other} for one, other in compared.statements.pairs],
        "shift": shift_shape(compared.shift),
        "answer": answer_shape(compared.answer, locale),
    }


def _window(
    window: Window, runs: Sequence[Run], stretches: Sequence[Stretch], left_out: Sequence[Stretch], zone: ZoneInfo
) -> Shape:
    """A side: of a run as a whole its first and last sample, of a window its occurrences, on its own clock."""
    zone = window.clock(zone)
    spans: Sequence[tuple[int | None, int | None]] = [stretch.span for stretch in stretches]
    if not window.name:
        spans = [(run.first_ns, run.last_ns) for run in runs if run.first_ns is not None]
    return {
        "window": window.name or None,
        "run": runs[0].label if len(runs) == 1 else None,
        "zone": zone.key,
        "windows": [{"from": time(first, zone), "to": time(last, zone)} for first, last in spans],
        "left_out": [shape(stretch, "from=start_ns to=end_ns", zone) for stretch in left_out],
    }


def compared_series(row: ComparedSeries, zone: ZoneInfo) -> JsonText:
    info = row.series
    return object_of(
        members(row, "metric? native"),
        member("attributes", {**info.implied, **info.attributes}),
        members(info, "host tool unit direction"),
        member("before", _side(row.before_statistics, row.before_quantiles)),
        member("after", _side(row.after_statistics, row.after_quantiles)),
        members(row, "ratio=headline ratio_of_means=ratio estimate ci95=interval"),
        member("n_eff", None if row.n_eff_before is None else [row.n_eff_before, row.n_eff_after]),
        members(row, "verdict led_by? reason?"),
        member("facts", facts_shape(row.facts, zone)),
        member("occurrences", row.occurrences),
        member("natural_variation", row.variation and object_of(members(row.variation, "sd df source windows"))),
        members(row, "per_unit_of?"),
        member("at_load", row.curve and array(map(_load_part, row.curve.parts))),
        member("would_settle", row.settling and object_of(members(row.settling, "occurrences change"))),
        _STATISTIC,
        member("statistics", array(object_of(members(change, _CHANGE)) for change in row.statistics)),
        members(row, "method difference difference_ci95=difference_interval p p_adjusted margin changed"),
        member("cautions", array(_caution(one, zone) for one in row.cautions)),
    )


_STATISTIC = member("statistic", Statistic.MEAN.value)
_CHANGE = "statistic before after ratio ci95=interval verdict p"


def _side(figures: Statistics | None, quantiles: Quantiles | None) -> JsonText | None:
    if figures is None:
        return None
    hd = quantiles and object_of(members(quantiles, "p50 p90 p95 p99"))
    return object_of(members(figures, "n mean p50 p95 max=maximum"), member("hd", hd))


def _caution(one: Caution, zone: ZoneInfo) -> JsonText:
    return object_of(member("key", one.key), member("facts", facts_shape(one.facts, zone)))


def _load_part(part: LoadPart) -> JsonText:
    """Mean of either side in this part of the common load, work per second; null where it hardly ever was."""
    sides = {"before": part.before, "after": part.after}
    means = [member(name, None if level is None else level.mean) for name, level in sides.items()]
    return object_of(members(part, "from=low to=high"), *means)


def gate_check(check: GateCheck, zone: ZoneInfo) -> Shape:
    return {**shape(check, "check state reason"), "facts": facts_shape(check.facts, zone)}
