"""What became of the whole work, in words: ratios at equal executions with their intervals, and what is left of the
improvements."""

from __future__ import annotations

from tunebench.analysis.comparing.improvement import improvement
from tunebench.analysis.databases.workload import NetEffect, WorkloadTotals
from tunebench.analysis.inference.verdict import Interval
from tunebench.columns.column import Locale
from tunebench.columns.formats import rate_text
from tunebench.domain.engagement import Direction
from tunebench.reporting.statement_words import class_text, reason_text, variation_text
from tunebench.reporting.wording import Wording, ratio_figure
from tunebench.usecases.databases.statement_words import amount_with_unit, percent, ratio_of


def interval_words(ratio: float | None, interval: Interval | None, locale: Locale) -> str:
    """``[95 %: 1.06–1.14]`` behind ``1.10× worse``: the interval is of the factor that the words say."""
    if interval is None or ratio is None:
        return ""
    shown = interval if ratio >= 1 else interval.inverted
    return locale.text("ui.statements.headline.interval", low=ratio_figure(shown.low), high=ratio_figure(shown.high))


def fisher_words(totals: WorkloadTotals, locale: Locale) -> str:
    """The ratio and what may be said of it; below it its interval."""
    words = f"{ratio_of(totals.fisher, locale, totals.verdict)} · {class_text(totals.verdict, locale.messages)}"
    return "\n".join(filter(None, (words, interval_words(totals.fisher, totals.interval, locale))))


def fisher_lines(totals: WorkloadTotals, locale: Locale) -> list[str]:
    """The two ratios that it is made of, the mean of all ratios, and what speaks against a verdict."""
    facts = {"laspeyres": ratio_of(totals.laspeyres, locale), "paasche": ratio_of(totals.paasche, locale)}
    lines = [locale.text("ui.statements.headline.parts", **facts)] if totals.fisher is not None else []
    lines += [
        locale.text(
            "ui.statements.headline.geometric", ratio=ratio_of(totals.geometric_mean, locale), count=totals.ratios
        )
    ]
    if totals.reason:
        lines.append(reason_text(totals.reason, locale.messages))
    if totals.change is not None:
        lines.append(variation_text(totals.change, locale.messages))
    return lines


def volume_words(effect: float | None, locale: Locale) -> str:
    """What the executions alone did to the sum: neither good nor bad."""
    if effect is None:
        return locale.text("ui.databases.not_computable")
    if 0.5 < effect < 2:
        return f"{rate_text((1 / effect - 1) * 100)} %"
    return Wording(locale.language, "").ratio(improvement(effect, 1.0, Direction.NEUTRAL))


def net_words(figure: str, net: NetEffect | None, locale: Locale) -> str:
    """``improvements - regressions + the rest = net``."""
    if net is None:
        return locale.text("ui.databases.not_computable")
    return locale.text(
        "ui.statements.headline.net.words",
        improvements=amount_with_unit(figure, net.improvements, locale),
        regressions=amount_with_unit(figure, net.regressions, locale),
        others=f"{'−' if net.others > 0 else '+'} {amount_with_unit(figure, abs(net.others), locale)}",
        net=amount_with_unit(figure, net.net, locale),
        pct=percent(net.pct(net.net), locale),
    )
