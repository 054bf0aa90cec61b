"""The sentences on capacities: outcomes, refusals, remarks, limits. Sentences below ``capacity.``."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tunebench.analysis.capacity.forecast import RECENT_DAYS
from tunebench.analysis.capacity.limits import LimitSource
from tunebench.analysis.capacity.outcome import Fact, Outcome, Refusal, Said, Trend
from tunebench.analysis.capacity.what_if import NoWhatIf
from tunebench.columns.series_words import unit_text
from tunebench.core.messages import catalogue
from tunebench.reporting.wording import grouped
from tunebench.usecases.capacity.outlook import Limit, Outlook, day_of
from tunebench.usecases.capacity.series import Reading, Subject

_SHARES = frozenset({"coverage", "least"})
_COUNTS = frozenset({"days", "needed", "missing", "weeks", "origins"})
_PLAIN = frozenset({"p", "mase"})
_HOURS = "hours"
_DIFFERENCES = frozenset({"swing", "slope", "width", "ols", "robust", "peaks"})
_OF_THE_VALUE = "_share"
_PERCENT = "%"


def figure(value: float | None, digits: int = 4) -> str:
    """`digits` significant digits, thousands parted; a dash where there is none."""
    if value is None or not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    decimals = min(max(0, digits - 1 - math.floor(math.log10(abs(value)))), 9)
    shown = grouped(value, decimals)
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def quantity(value: float | None, unit: str, language: str, digits: int = 4) -> str:
    """``85 %``, ``1,234 KiB``."""
    return f"{figure(value, digits)} {unit_text(unit, catalogue(language))}".rstrip()


def difference(value: float | None, unit: str, language: str) -> str:
    """Between two figures: of percentages these are points."""
    if unit != _PERCENT:
        return quantity(value, unit, language, 3)
    return catalogue(language).text("capacity.points", value=figure(value, 3))


def a_day(trend: Trend, slope: float, unit: str, language: str) -> str:
    """``0.5 points``, or of compound growth ``1.2 %`` of the value."""
    if trend.compound:
        return quantity(100 * trend.a_day(slope), _PERCENT, language, 3)
    return difference(slope, unit, language)


def slope_interval(trend: Trend) -> tuple[str, str]:
    """Both ends as `a_day` says the slope, without a unit."""
    low, high = (100 * trend.a_day(end) if trend.compound else end for end in trend.slope_interval)
    return figure(low, 3), figure(high, 3)


def hours_text(hours: Sequence[int]) -> str:
    """``08–18``, ``00–07, 22–24``: from the beginning of the first hour to the end of the last."""
    runs: list[list[int]] = []
    for hour in hours:
        if runs and runs[-1][1] == hour:
            runs[-1][1] = hour + 1
        else:
            runs.append([hour, hour + 1])
    return ", ".join(f"{begin:02d}–{end:02d}" for begin, end in runs) or "–"


def percent(share: float | None, decimals: int = 0) -> str:
    return "–" if share is None or not math.isfinite(share) else f"{grouped(100 * share, decimals)} {_PERCENT}"


def probability(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _p_words(p: float) -> str:
    """The p-value with its sign: ``= 0.020``, ``< 0.001``."""
    words = probability(p)
    return words if words.startswith("<") else f"= {words}"


def day_text(number: int | None) -> str:
    """ISO, of days since 1970-01-01."""
    return "–" if number is None else day_of(number).isoformat()


def said_text(remark: Said, language: str, unit: str) -> str:
    """The sentence of a refusal or remark."""
    kind = "refusal" if isinstance(remark.key, Refusal) else "remark"
    facts = {
        name.removesuffix(_OF_THE_VALUE): _fact(name, value, unit, language) for name, value in remark.facts.items()
    }
    return catalogue(language).text(f"capacity.{kind}.{remark.key}", **facts)


def _fact(name: str, value: Fact, unit: str, language: str) -> str:
    if isinstance(value, str):
        return value
    if name.endswith("_day"):
        return day_text(int(value))
    if name.endswith(_OF_THE_VALUE):
        return quantity(100 * value, _PERCENT, language, 3)
    if name in _SHARES:
        return percent(value)
    if name in _COUNTS:
        return f"{value:,.0f}"
    if name == _HOURS:
        return figure(value)
    if name in _PLAIN:
        return _p_words(value) if name == "p" else f"{value:.2f}"
    return difference(value, unit, language) if name in _DIFFERENCES else quantity(value, unit, language, 3)


def headline(outlook: Outlook, language: str) -> str:
    """The answer in one sentence."""
    answer, messages = outlook.forecast, catalogue(language)
    crossing, unit = answer.crossing, outlook.subject.info.unit
    recent = answer.values[-RECENT_DAYS:]
    over = recent <= answer.limit if answer.falling else recent >= answer.limit
    facts = {
        "limit": quantity(answer.limit, unit, language),
        "now": quantity(outlook.now, unit, language),
        "over": str(int(over.sum())),
        "of": str(len(recent)),
        "earliest": day_text(crossing.earliest),
        "median": day_text(crossing.median),
        "latest": day_text(crossing.latest),
        "last": day_text(int(answer.future_days[-1])) if len(answer.future_days) else "–",
    }
    key = str(answer.outcome)
    if answer.outcome is Outcome.DATED and crossing.latest is None:
        key = "dated_open"
    if answer.outcome is Outcome.REACHED and answer.falling:
        key = "reached_falling"
    return messages.text(f"capacity.outcome.{key}", **facts)


def subject_text(subject: Subject, language: str) -> str:
    """``CPU busy (100 % − %idle − %iowait)``, ``/oradata Use%``."""
    if subject.reading is not Reading.BUSY:
        return subject.info.label
    wait = next((own for own in subject.waits if own is not None), None)
    key = "capacity.busy_and_wait" if wait is not None else "capacity.busy"
    named = subject.info.label.removesuffix(subject.info.native).strip()
    words = catalogue(language).text(key, idle=subject.info.native, wait=wait.native if wait is not None else "")
    return f"{named} {words}" if named not in ("", "all") else words


def limit_text(limit: Limit, language: str) -> str:
    """The sentence on where the limit comes from."""
    messages, proposed = catalogue(language), limit.proposed
    if proposed is None:
        return messages.text("capacity.limit.given")
    if proposed.source is LimitSource.SPACE:
        return messages.text("capacity.limit.space")
    knee = quantity(proposed.knee_pct, _PERCENT, language, 3)
    return messages.text("capacity.limit.knee", servers=proposed.servers, knee=knee)


def no_what_if_text(reason: NoWhatIf, language: str) -> str:
    return catalogue(language).text(f"capacity.no_what_if.{reason}")
