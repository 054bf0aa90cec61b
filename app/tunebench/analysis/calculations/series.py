"""`calc`: time series."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, nan, sqrt

import numpy as np

from tunebench.analysis.calculations.inputs import CalculationRefusal, Floats, Inputs
from tunebench.analysis.calculations.ranks import ends
from tunebench.analysis.inference import block_bootstrap, change_points, series_comparison
from tunebench.analysis.inference.autocovariance import Autocorrelation
from tunebench.analysis.inference.effective_size import autoregressive_size
from tunebench.analysis.inference.occurrences import ASSUMED_DF, Confidence, Level, Prior, Source, change_between
from tunebench.analysis.inference.student import t_quantile

_MOST_FOR_SPLITS = 5_000


def compare_series(given: Inputs) -> Mapping[str, object]:
    """Compares a figure where lower is better; `naive_welch_ci` would hold if the samples were independent."""
    before, after = given.numbers("before"), given.numbers("after")
    conf = given.confidence()
    comparison = series_comparison.compare_series(before, after, confidence=conf)
    logs = comparison.scale is series_comparison.Scale.LOG
    return {
        "neff_ar1_before": comparison.before.n_ar1,
        "neff_geyer_before": comparison.before.n_geyer,
        "neff_before": comparison.before.n_eff,
        "neff_after": comparison.after.n_eff,
        "df": comparison.df,
        "ratio": comparison.ratio,
        "ci": ends(comparison.interval),
        "p": comparison.p,
        "diff": comparison.difference,
        "diff_ci": ends(comparison.difference_interval),
        "naive_welch_ci": _naive_ci(before, after, conf) if logs else None,
        "scale": comparison.scale.value,
        "slowly_decaying": [comparison.before.slowly_decaying, comparison.after.slowly_decaying],
    }


def compare_occurrences(given: Inputs) -> Mapping[str, object]:
    """Compares figures of days or runs where lower is better, on logarithms.

    `before_variances` and `after_variances` are those of the figures from inside their occurrences, relative to the
    square of the figure; `sd` is the variation that is assumed, worth `sd_df` degrees of freedom, fewer beside days
    that repeat; where `of_kind` is 1 it was measured of other series, where it is 2 in other windows, what varies
    inside included. `paired`, 1: each with its partner, in this order.
    """
    sides = [_levels(given, name) for name in ("before", "after")]
    source = (Source.ASSUMED, Source.KIND, Source.PROJECT)[given.whole("of_kind", high=2, default=0)]
    prior = Prior(given.number("sd", low=0.0, default=0.10), given.number("sd_df", low=0.0, default=ASSUMED_DF), source)
    paired = bool(given.whole("paired", high=1, default=0))
    if paired:
        given.same_length("after", "before")
    change = change_between(
        sides[1], sides[0], prior, paired=paired, confidence=Confidence(given.confidence(), given.confidence())
    )
    ratio = change.interval and [exp(end) for end in (change.interval.low, change.interval.high)]
    return {
        "ratio": exp(change.difference),
        "ci": ratio,
        "p": change.p,
        "sd": change.sd,
        "df": change.df,
        "source": change.source.value,
    }


def _levels(given: Inputs, name: str) -> list[Level]:
    figures = given.numbers(name, positive=True)
    key = f"{name}_variances"
    inside = given.numbers(key, fewest=len(figures), most=len(figures)) if key in given else np.zeros(len(figures))
    return [Level(float(np.log(figure)), float(variance)) for figure, variance in zip(figures, inside, strict=True)]


def _naive_ci(before: Floats, after: Floats, confidence: float) -> list[float] | None:
    if min(len(before), len(after)) < 2 or min(before.min(), after.min()) <= 0:
        return None
    logs = [np.log(before), np.log(after)]
    variances = [float(values.var(ddof=1)) / len(values) for values in logs]
    total = sum(variances)
    if total == 0:
        return None
    df = 1 / sum((v / total) ** 2 / (len(values) - 1) for v, values in zip(variances, logs, strict=True))
    middle, reach = float(logs[0].mean() - logs[1].mean()), t_quantile((1 + confidence) / 2, df) * sqrt(total)
    return [float(end) for end in np.exp([middle - reach, middle + reach])]


def autocorrelation(given: Inputs) -> Mapping[str, object]:
    """`se_hac`: of the mean, with Bartlett's weights up to `lag`; `n_eff_ar1` from lag 1 as it is."""
    series = given.numbers("series", fewest=3)
    lag = given.whole("lag", low=0, high=len(series) - 1)
    correlation = Autocorrelation(series[np.newaxis])
    n, mean, squares = len(series), float(correlation.mean[0]), float(correlation.sum_of_squares[0])
    if not correlation.usable[0]:
        return {"mean": mean, "lag1": nan, "n_eff_ar1": nan, "n_eff_ar1_corrected": nan, "se_hac": 0.0, "se_iid": 0.0}
    lag1 = float(correlation.at(1)[0])
    weighted = ((1 - k / (lag + 1)) * float(correlation.at(k)[0]) for k in range(1, lag + 1))
    spread = squares / n * (1 + 2 * sum(weighted))
    return {
        "mean": mean,
        "lag1": lag1,
        "n_eff_ar1": n * (1 - lag1) / (1 + lag1),
        "n_eff_ar1_corrected": autoregressive_size(n, lag1),
        "se_hac": sqrt(max(spread, 0.0) / n),
        "se_iid": sqrt(squares / (n - 1) / n),
    }


def change_point(given: Inputs) -> Mapping[str, object]:
    """`p` for independent values only, up to 120 of them; `best_k`: so many values lie before the change."""
    series = given.numbers("series", fewest=4, most=_MOST_FOR_SPLITS)
    min_size = given.whole("min_size", low=1, high=len(series) // 2)
    splits, statistics = change_points.energy_statistics(series, min_size)
    few = len(series) <= change_points.MOST_PERMUTED
    return {
        "k_candidates": splits,
        "Q": statistics,
        "best_k": int(splits[np.argmax(statistics)]),
        "pettitt_K": change_points.pettitt_statistic(series),
        "p_independent": change_points.split_p(series, min_size) if few else None,
        "seed": change_points.SEED,
    }


def percentile_ratio(given: Inputs) -> Mapping[str, object]:
    """Approximate: circular block bootstrap."""
    before, after = (given.numbers(key, fewest=3, most=100_000, positive=True) for key in ("before", "after"))
    percentile = block_bootstrap.percentile(given.share("prob"))
    quotient = block_bootstrap.bootstrap_ratio(before, after, percentile, confidence=given.confidence())
    if quotient is None:
        facts = {"fewest": block_bootstrap.FEWEST, "blocks": block_bootstrap.BLOCKS}
        raise CalculationRefusal("calc_not_resampled", name=given.named("before, after"), **facts)
    return {
        "ratio": quotient.ratio,
        "ci": ends(quotient.interval),
        "block_lengths": list(quotient.blocks),
        "replicates": block_bootstrap.REPLICATES,
        "seed": block_bootstrap.SEED,
        "approximate": True,
    }
