"""What a comparison says, in words: verdicts with their reasons, cautions, the checks of comparability, splits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, tzinfo
from math import isclose, isfinite, isinf

from tunebench.analysis.comparing.comparison import Caution, ComparedSeries, Method, SplitOffer, StatisticChange
from tunebench.analysis.comparing.occurrence_figures import Statistic
from tunebench.analysis.inference.occurrences import Source
from tunebench.analysis.inference.verdict import Verdict
from tunebench.columns.formats import RATIO
from tunebench.columns.series_words import host_text
from tunebench.core.messages import Catalogue, catalogue
from tunebench.domain.comparability import Check, CheckState, GateCheck

MOST_SERIES_NAMED = 5
FROM_FIGURES = frozenset({Verdict.IMPROVED, Verdict.REGRESSED, Verdict.EQUIVALENT, Verdict.INCONCLUSIVE})
_DASH = "-"
_KIB = 1024.0


def verdict_text(verdict: Verdict, language: str) -> str:
    return catalogue(language).text(f"compare.verdict.{verdict.value}")


def method_text(method: Method, language: str) -> str:
    return catalogue(language).text(f"compare.method.{method.value}")


def reason_text(row: ComparedSeries, language: str, zone: tzinfo) -> str:
    """Why the verdict is what it is; empty where the interval alone decided."""
    if not row.reason:
        return ""
    reason = "neutral_changed" if row.reason == "neutral" and row.changed else row.reason
    messages = catalogue(language)
    return messages.text(f"compare.reason.{reason}", **_written(row.facts, messages, zone))


def caution_text(caution: Caution, language: str, zone: tzinfo) -> str:
    messages = catalogue(language)
    return messages.text(f"compare.caution.{caution.key}", **_written(caution.facts, messages, zone))


def check_title(check: Check, language: str) -> str:
    return catalogue(language).text(f"compare.check.{check.value}")


def state_text(state: CheckState, language: str) -> str:
    return catalogue(language).text(f"compare.state.{state.value}")


def check_text(check: GateCheck, language: str, zone: tzinfo) -> str:
    messages, facts = catalogue(language), _written(check.facts, catalogue(language), zone)
    sentence = messages.text(f"compare.check.{check.check.value}.{check.reason}", **facts)
    return f"{sentence} {messages.text('compare.check.left_out', **facts)}" if "left_out" in facts else sentence


def split_text(offer: SplitOffer, language: str, zone: tzinfo) -> str:
    messages = catalogue(language)
    facts: dict[str, object] = {"host": offer.host, "side": offer.side, "at_ns": offer.at_ns}
    if offer.reason == "change_point":
        named = list(offer.series[:MOST_SERIES_NAMED])
        facts |= {"count": len(offer.series), "change": offer.change, "series": named}
    return messages.text(f"compare.split.{offer.reason}", **_written(facts, messages, zone))


def verdict_of(row: ComparedSeries, language: str) -> str:
    """The verdict; of a series that tells of a resource beside the one that leads, which that is."""
    if row.led_by:
        return catalogue(language).text("compare.led_by", lead=row.led_by)
    return verdict_text(row.verdict, language)


def row_text(row: ComparedSeries, language: str, zone: tzinfo) -> str:
    """The verdict, and what it rests on: the interval, or why there is none; one that another series leads rests on
    nothing of its own."""
    if row.led_by:
        return verdict_of(row, language)
    interval = ratio_text(row, language) if row.interval is not None else ""
    grounds = " ".join(part for part in (interval, reason_text(row, language, zone)) if part)
    verdict = verdict_of(row, language)
    return catalogue(language).text("compare.row", verdict=verdict, said=grounds) if grounds else verdict


def ratio_text(row: ComparedSeries, language: str) -> str:
    """The ratio with its interval; one without says so. Where the interval is of another estimate, both are given."""
    if row.headline is None:
        return _DASH
    ratio = RATIO.written(row.headline)
    if row.interval is None or row.estimate is None:
        return catalogue(language).text("compare.ratio.alone", ratio=ratio)
    figures = {"ratio": ratio, "low": RATIO.written(row.interval.low), "high": RATIO.written(row.interval.high)}
    estimate = RATIO.written(row.estimate)
    key = "compare.ratio" if estimate == ratio else f"compare.ratio.{_kind_of_estimate(row)}"
    return catalogue(language).text(key, **figures, estimate=estimate)


def _kind_of_estimate(row: ComparedSeries) -> str:
    if row.per_unit_of:
        return "per_unit"
    return "at_load" if any(caution.key == "common_load" for caution in row.cautions) else "estimated"


def statistic_ratio_text(change: StatisticChange, language: str) -> str:
    if change.ratio is None or change.interval is None:
        return _DASH
    low, high = RATIO.written(change.interval.low), RATIO.written(change.interval.high)
    return catalogue(language).text("compare.ratio", ratio=RATIO.written(change.ratio), low=low, high=high)


def further_statistics(row: ComparedSeries) -> tuple[StatisticChange, ...]:
    """Beside the mean; none where the row itself is not judged: what forbids its verdict forbids these too."""
    if row.own_verdict not in FROM_FIGURES:
        return ()
    return tuple(change for change in row.statistics if change.statistic is not Statistic.MEAN)


def variation_text(row: ComparedSeries, language: str) -> str:
    """How much its occurrences differ by themselves, and where that is known from; empty without a verdict."""
    if row.variation is None or row.occurrences is None:
        return ""
    named = ", ".join(row.variation.windows)
    facts = {"sd": variation_figure(row), "occurrences": sum(row.occurrences), "windows": named}
    return catalogue(language).text(f"compare.variation.{row.variation.source.value}", **facts)


def variation_brief(row: ComparedSeries, language: str) -> str:
    """``10 % (assumed)``."""
    if row.variation is None:
        return _DASH
    named = ", ".join(row.variation.windows)
    source = catalogue(language).text(f"compare.variation.source.{row.variation.source.value}", windows=named)
    return f"{variation_figure(row)} ({source})"


def variation_figure(row: ComparedSeries) -> str:
    """The variation in per cent, or in the series' own unit where it was computed in that."""
    if row.variation is None:
        return _DASH
    if variation_share(row) is None:
        return f"{_number('', row.variation.sd)} {row.unit}".strip()
    return f"{_number('_pct', 100 * row.variation.sd)} %"


def variation_share(row: ComparedSeries) -> float | None:
    """The variation as a fraction; None where the levels were not on logarithms: only there the interval of the
    ratio lies evenly about its estimate."""
    variation = row.variation
    if variation is None or variation.source is Source.ASSUMED:
        return variation.sd if variation else None
    if row.estimate is None or row.interval is None or not isfinite(row.interval.high):
        return None
    return variation.sd if isclose(row.estimate**2, row.interval.low * row.interval.high, rel_tol=1e-6) else None


def settling_text(row: ComparedSeries, language: str) -> str:
    """What would decide what is undecided; empty where nothing is known to."""
    if row.settling is None:
        return ""
    facts = {"occurrences": row.settling.occurrences, "change_pct": _number("_pct", 100 * row.settling.change)}
    return catalogue(language).text("compare.reason.would_settle", **facts)


def measure_text(measure: str, language: str) -> str:
    key = f"compare.measure.{measure}"
    messages = catalogue(language)
    return messages.text(key) if key in messages else measure


def load_text(gate: Iterable[GateCheck], language: str, zone: tzinfo) -> str:
    """What asked for the work, with the figures of both sides."""
    messages = catalogue(language)
    check = next((check for check in gate if check.check is Check.LOAD and "measure" in check.facts), None)
    if check is None:
        return messages.text("compare.load.untold")
    key = "compare.load.told_of_host" if check.facts.get("host") else "compare.load.told"
    return messages.text(key, **_written(check.facts, messages, zone))


def unmeasured_text(rows: Iterable[ComparedSeries], language: str) -> str:
    """How many series have no samples on a side; empty where all have."""
    count = sum(not row.measured_on_both for row in rows)
    return catalogue(language).text("compare.unmeasured", count=count) if count else ""


# -- facts ---------------------------------------------------------------------------------------------


def _written(facts: Mapping[str, object], messages: Catalogue, zone: tzinfo) -> dict[str, object]:
    return {name: _fact(name, value, messages, zone) for name, value in facts.items()}


def _fact(name: str, value: object, messages: Catalogue, zone: tzinfo) -> object:
    """The fact as it is written, by the unit that ends its name."""
    if value is None:
        return _DASH
    if name == "side":
        return messages.text(f"compare.side.{value}")
    if name == "host":
        return host_text(str(value), messages)
    if name == "measure":
        return measure_text(str(value), messages.language)
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or _DASH
    if name.endswith("_ns") and isinstance(value, int):
        return f"{datetime.fromtimestamp(value // 1_000_000_000, tz=zone):%Y-%m-%d %H:%M:%S}"
    return _number(name, value) if isinstance(value, float) else value


def _number(name: str, value: float) -> str:
    if isinf(value) or name == "ratio":
        return RATIO.written(value)
    if name.endswith("_bytes"):
        return f"{value / _KIB:,.1f} KiB"
    if name == "p_adjusted":
        return f"{value:.3f}"
    if name.endswith("_pct"):
        return f"{value:.1f}".removesuffix(".0")
    return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
