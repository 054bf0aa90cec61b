"""What a comparison says, in words: verdicts with their reasons, cautions, the checks of comparability, splits."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from math import isinf
from zoneinfo import ZoneInfo

from app.analysis.comparing.comparison import Caution, ComparedSeries, Method, SplitOffer
from app.analysis.inference.verdict import Verdict
from app.core.messages import Catalogue, catalogue
from app.domain.comparability import Check, CheckState, GateCheck

MOST_SERIES_NAMED = 5
_DASH = "-"
_ENDLESS = "∞"
_KIB = 1024.0


def verdict_text(verdict: Verdict, language: str) -> str:
    return catalogue(language).text(f"compare.verdict.{verdict.value}")


def method_text(method: Method, language: str) -> str:
    return catalogue(language).text(f"compare.method.{method.value}")


def reason_text(row: ComparedSeries, language: str, zone: ZoneInfo) -> str:
    """Why the verdict is what it is; empty where the interval alone decided."""
    if not row.reason:
        return ""
    reason = "neutral_changed" if row.reason == "neutral" and row.changed else row.reason
    messages = catalogue(language)
    return messages.text(f"compare.reason.{reason}", **_written(row.facts, messages, zone))


def caution_text(caution: Caution, language: str, zone: ZoneInfo) -> str:
    messages = catalogue(language)
    return messages.text(f"compare.caution.{caution.key}", **_written(caution.facts, messages, zone))


def check_title(check: Check, language: str) -> str:
    return catalogue(language).text(f"compare.check.{check.value}")


def state_text(state: CheckState, language: str) -> str:
    return catalogue(language).text(f"compare.state.{state.value}")


def check_text(found: GateCheck, language: str, zone: ZoneInfo) -> str:
    messages = catalogue(language)
    return messages.text(f"compare.check.{found.check.value}.{found.reason}", **_written(found.facts, messages, zone))


def split_text(offer: SplitOffer, language: str, zone: ZoneInfo) -> str:
    messages = catalogue(language)
    facts: dict[str, object] = {"host": offer.host, "side": offer.side, "at_ns": offer.at_ns}
    if offer.reason == "change_point":
        named = list(offer.series[:MOST_SERIES_NAMED])
        facts |= {"count": len(offer.series), "change": offer.change, "series": named}
    return messages.text(f"compare.split.{offer.reason}", **_written(facts, messages, zone))


def row_text(row: ComparedSeries, language: str, zone: ZoneInfo) -> str:
    """The verdict, and what it rests on: the interval, or why there is none."""
    interval = ratio_text(row, language) if row.interval is not None else ""
    said = " ".join(part for part in (interval, reason_text(row, language, zone)) if part)
    verdict = verdict_text(row.verdict, language)
    return catalogue(language).text("compare.row", verdict=verdict, said=said) if said else verdict


def ratio_text(row: ComparedSeries, language: str) -> str:
    """The ratio with its interval; one without says so."""
    if row.headline is None:
        return _DASH
    ratio = ratio_number(row.headline)
    if row.interval is None or row.estimate is None:
        return catalogue(language).text("compare.ratio.alone", ratio=ratio)
    low, high = ratio_number(row.interval.low), ratio_number(row.interval.high)
    return catalogue(language).text("compare.ratio", ratio=ratio, low=low, high=high)


def ratio_number(ratio: float) -> str:
    """Two decimals below ten, one from there on; small ones with two figures."""
    if isinf(ratio):
        return _ENDLESS
    if 0 < ratio < 0.1:
        return f"{ratio:.2g}"
    return f"{ratio:,.2f}" if ratio < 10 else f"{ratio:,.1f}"


# -- facts ---------------------------------------------------------------------------------------------


def _written(facts: Mapping[str, object], messages: Catalogue, zone: ZoneInfo) -> dict[str, object]:
    return {name: _fact(name, value, messages, zone) for name, value in facts.items()}


def _fact(name: str, value: object, messages: Catalogue, zone: ZoneInfo) -> object:
    """By the unit that ends its name."""
    if value is None:
        return _DASH
    if name == "side":
        return messages.text(f"compare.side.{value}")
    if name == "measure":
        key = f"compare.measure.{value}"
        return messages.text(key) if key in messages else value
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or _DASH
    if name.endswith("_ns") and isinstance(value, int):
        return f"{datetime.fromtimestamp(value // 1_000_000_000, tz=zone):%Y-%m-%d %H:%M:%S}"
    return _number(name, value) if isinstance(value, float) else value


def _number(name: str, value: float) -> str:
    if isinf(value) or name == "ratio":
        return ratio_number(value)
    if name.endswith("_bytes"):
        return f"{value / _KIB:,.1f} KiB"
    if name == "p_adjusted":
        return f"{value:.3f}"
    if name.endswith("_pct"):
        return f"{value:.1f}".removesuffix(".0")
    return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
