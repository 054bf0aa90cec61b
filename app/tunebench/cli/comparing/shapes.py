"""JSON shapes of ``compare``: part of the command line's public contract."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from tunebench.analysis.comparing.comparison import Caution, ComparedSeries, Quantiles
from tunebench.analysis.comparing.equal_load import LoadPart
from tunebench.analysis.comparing.occurrence_figures import Statistic
from tunebench.analysis.statistics import Statistics
from tunebench.cli.console import JsonText
from tunebench.cli.json_text import array, member, members, object_of
from tunebench.cli.shapes import Shape, facts_shape, shape
from tunebench.domain.comparability import GateCheck

ESTIMATORS = {"p50": "type7", "p95": "type7", "hd": "harrell_davis"}
"""Of the percentiles: type 7 is what spreadsheets compute, Harrell-Davis wavers less."""


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
