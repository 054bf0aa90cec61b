"""JSON shapes of ``compare``: part of the command line's public contract."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from tunebench.analysis.comparing.comparison import Caution, ComparedSeries, Quantiles
from tunebench.analysis.comparing.equal_load import LoadPart
from tunebench.analysis.comparing.occurrence_figures import Statistic
from tunebench.analysis.statistics import Statistics
from tunebench.cli.shapes import Shape, facts_shape, shape
from tunebench.domain.comparability import GateCheck

ESTIMATORS = {"p50": "type7", "p95": "type7", "hd": "harrell_davis"}
"""Of the percentiles: type 7 is what spreadsheets compute, Harrell-Davis wavers less."""


def compared_series(row: ComparedSeries, zone: ZoneInfo) -> Shape:
    return {
        **shape(row, "metric? native"),
        "attributes": {**row.series.implied, **row.attributes},
        **shape(row.series, "host tool unit direction"),
        "before": _side(row.before_statistics, row.before_quantiles),
        "after": _side(row.after_statistics, row.after_quantiles),
        **shape(row, "ratio=headline ratio_of_means=ratio estimate ci95=interval"),
        "n_eff": None if row.n_eff_before is None else [row.n_eff_before, row.n_eff_after],
        **shape(row, "verdict led_by? reason?"),
        "facts": facts_shape(row.facts, zone),
        "occurrences": None if row.occurrences is None else list(row.occurrences),
        "natural_variation": None if row.variation is None else shape(row.variation, "sd df source windows"),
        "per_unit_of": row.per_unit_of or None,
        "at_load": None if row.curve is None else [_load_part(part) for part in row.curve.parts],
        "would_settle": None if row.settling is None else shape(row.settling, "occurrences change"),
        "statistic": Statistic.MEAN.value,
        "statistics": [
            shape(change, "statistic before after ratio ci95=interval verdict p") for change in row.statistics
        ],
        **shape(row, "method difference difference_ci95=difference_interval p p_adjusted margin changed"),
        "cautions": [_caution(one, zone) for one in row.cautions],
    }


def _side(figures: Statistics | None, quantiles: Quantiles | None) -> Shape | None:
    if figures is None:
        return None
    return {
        **shape(figures, "n mean p50 p95 max=maximum"),
        "hd": None if quantiles is None else shape(quantiles, "p50 p90 p95 p99"),
    }


def _caution(one: Caution, zone: ZoneInfo) -> Shape:
    return {"key": one.key, "facts": facts_shape(one.facts, zone)}


def _load_part(part: LoadPart) -> Shape:
    """Mean of either side in this part of the common load, work per second; null where it hardly ever was."""
    sides = {"before": part.before, "after": part.after}
    means = {name: None if level is None else level.mean for name, level in sides.items()}
    return {**shape(part, "from=low to=high"), **means}


def gate_check(check: GateCheck, zone: ZoneInfo) -> Shape:
    return {**shape(check, "check state reason"), "facts": facts_shape(check.facts, zone)}
