"""`calc`: independent samples, quantiles, outliers, analysis of variance."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tunebench.analysis.calculations.inputs import CalculationRefusal, Inputs
from tunebench.analysis.calculations.ranks import ends
from tunebench.analysis.databases import resampling
from tunebench.analysis.inference import factorial as analysis_of_variance
from tunebench.analysis.inference import multiple_tests, order_statistics
from tunebench.analysis.inference import outliers as outlier_flags
from tunebench.analysis.inference import quantiles as quantile_estimates
from tunebench.analysis.inference import ratio_of_means as means

_MOST_RUNS = 100_000


def median_interval(given: Inputs) -> Mapping[str, object]:
    confidence = given.confidence()
    middle = order_statistics.median_interval(given.numbers("x", most=order_statistics.MOST), confidence)
    return {
        "median": middle.median,
        "ci": ends(middle.interval),
        "achieved_conf": middle.interval.confidence if middle.interval else None,
        "fewest_runs": order_statistics.fewest_repetitions(confidence),
    }


def quantiles(given: Inputs) -> Mapping[str, object]:
    x, probabilities = given.numbers("x"), given.numbers("probs", most=1_000).tolist()
    given.require(all(0 < p < 1 for p in probabilities), "calc_not_a_share", "probs")
    return {
        "probs": probabilities,
        "hd": quantile_estimates.harrell_davis(x, probabilities),
        "type7": quantile_estimates.type7(x, probabilities),
    }


def outliers(given: Inputs) -> Mapping[str, object]:
    limits = outlier_flags.find_outliers(given.numbers("x"))
    return {
        "median": limits.median,
        "mad_raw": limits.mad,
        "mod_z": limits.modified_z,
        "q1": limits.q1,
        "q3": limits.q3,
        "tukey_lo": limits.inner[0],
        "tukey_hi": limits.inner[1],
        "severe_lo": limits.outer[0],
        "severe_hi": limits.outer[1],
        "flagged_index": np.flatnonzero(limits.flagged),
    }


def bca(given: Inputs) -> Mapping[str, object]:
    """The replicates are given, so that everybody's interval is the same."""
    data, replicates = given.numbers("data", fewest=2, most=_MOST_RUNS), given.numbers("replicates", fewest=2)
    given.choice("statistic", ("mean",))
    theta = float(data.mean())
    leave_one_out = (data.sum() - data) / (len(data) - 1)
    levels = resampling.bca_levels(theta, replicates, leave_one_out, given.share("conf"))
    if levels is None:
        raise CalculationRefusal("calc_replicates_one_side", name=given.named("replicates"))
    return {
        "theta": theta,
        "acc": levels.acceleration,
        "z0": levels.bias,
        "alpha_adj": [levels.low, levels.high],
        "ci_type7": quantile_estimates.type7(replicates, [levels.low, levels.high]),
    }


def ratio_of_means(given: Inputs) -> Mapping[str, object]:
    before, after = (given.numbers(key, fewest=2) for key in ("before", "after"))
    given.require(after.mean() != 0, "calc_mean_of_zero", "after")
    quotient = means.ratio_of_means(before, after, given.confidence())
    return {"ratio": quotient.ratio, "ci": ends(quotient.interval), "df": quotient.df}


def factorial(given: Inputs) -> Mapping[str, object]:
    y = given.numbers("y", most=_MOST_RUNS, positive=True)
    given.same_length("y", "a", "b")
    try:
        table = analysis_of_variance.two_way(y, given.labels("a"), given.labels("b"))
    except analysis_of_variance.NotFactorial as refused:
        raise CalculationRefusal(f"calc_factorial_{refused.reason}", name=given.named("a, b")) from None
    return {
        "F_a": table.a.f,
        "F_b": table.b.f,
        "F_ab": table.interaction.f,
        "p_a": table.a.p,
        "p_b": table.b.p,
        "p_ab": table.interaction.p,
        "df": [table.a.df, table.b.df, table.interaction.df, table.residual_df],
        "gm_a": dict(zip(table.levels_a, table.means_a.tolist(), strict=True)),
        "gm_b": dict(zip(table.levels_b, table.means_b.tolist(), strict=True)),
    }


def adjust_p(given: Inputs) -> Mapping[str, object]:
    p = given.numbers("p")
    given.require(((p >= 0) & (p <= 1)).all(), "calc_out_of_range", "p", range="0 … 1")
    return {"bh": multiple_tests.benjamini_hochberg(p), "holm": multiple_tests.holm(p)}
