"""A comparison as lines for people: the checks, then the series, those that changed most first."""

from __future__ import annotations

from collections.abc import Mapping
from zoneinfo import ZoneInfo

from tunebench.analysis.comparing.comparison import Caution, ComparedSeries, Comparison
from tunebench.analysis.inference.verdict import Verdict
from tunebench.cli.console import Console
from tunebench.columns import comparing_words as words
from tunebench.columns.column import Column, Locale, chosen
from tunebench.columns.comparing import COLUMNS, LINES, host_text

MOST_SPLITS = 10
_FIRST = (
    frozenset({Verdict.IMPROVED, Verdict.REGRESSED}),
    frozenset({Verdict.INCONCLUSIVE, Verdict.EQUIVALENT}),
    frozenset({Verdict.DESCRIPTIVE_ONLY}),
)
_IN_EVERY_ROW = {"load_fell", "load_rose", "load_shifted"}
_IN_COLUMNS = {"variation_assumed"}


def show_comparison(comparison: Comparison, zone: ZoneInfo, console: Console) -> None:
    if console.json_wanted:
        return
    console.print(words.load_text(comparison.gate, console.language, zone))
    _show_gate(comparison, zone, console)
    _show_splits(comparison, zone, console)
    common = _common_cautions(comparison)
    compared = sorted((row for row in comparison.rows if row.measured_on_both), key=_rank)
    console.say("cli.compare.series")
    console.columns(_columns(common), compared, zone)
    for caution in common.values():
        console.say("cli.compare.of_all", text=words.caution_text(caution, console.language, zone))
    _show_unmeasured(comparison, console)


def _show_unmeasured(comparison: Comparison, console: Console) -> None:
    """Lists the series that one side has no samples of, with the side that has."""
    apart = [row for row in comparison.rows if not row.measured_on_both]
    if not apart:
        return
    console.print(words.unmeasured_text(comparison.rows, console.language))
    headings = [console.text("cli.column.series"), console.text("cli.compare.column.measured")]
    locale = Locale(console.language)
    console.table(headings, [[_name(row, locale), _measured(row, console)] for row in apart])


def _measured(row: ComparedSeries, console: Console) -> str:
    sides = (("before", row.before_statistics), ("after", row.after_statistics))
    return ", ".join(console.text(f"compare.side.{name}") for name, side in sides if side and side.n) or "-"


def _common_cautions(comparison: Comparison) -> dict[str, Caution]:
    """Cautions that all series with a verdict share, to be said once; not of a moved load, which every row must say."""
    cautions = [{one.key: one for one in row.cautions} for row in comparison.rows if row.occurrences]
    shared = set.intersection(*map(set, cautions)) - _IN_EVERY_ROW if cautions else set()
    return {key: caution for key, caution in cautions[0].items() if key in shared} if cautions else {}


def _show_gate(comparison: Comparison, zone: ZoneInfo, console: Console) -> None:
    console.say("cli.compare.gate")
    console.table(
        console.headings("cli.compare.column", "check state about"),
        [
            [
                f"{check.check.value} {words.check_title(check.check, console.language)}",
                words.state_text(check.state, console.language),
                words.check_text(check, console.language, zone),
            ]
            for check in comparison.gate
        ],
    )


def _show_splits(comparison: Comparison, zone: ZoneInfo, console: Console) -> None:
    if not comparison.split_offers:
        return
    console.say("cli.compare.splits")
    for offer in comparison.split_offers[:MOST_SPLITS]:
        console.print(words.split_text(offer, console.language, zone))
    left = len(comparison.split_offers) - MOST_SPLITS
    if left > 0:
        console.say("cli.compare.more_splits", count=left)


def _rank(row: ComparedSeries) -> tuple[int, float, str]:
    group = next((rank for rank, verdicts in enumerate(_FIRST) if row.own_verdict in verdicts), len(_FIRST))
    return group, -(row.effect if row.effect is not None else -1.0), row.series.label


def _name(row: ComparedSeries, locale: Locale) -> str:
    return f"{host_text(row, locale)} {row.series.tool} {row.series.label}"


def _columns(common: Mapping[str, Caution]) -> tuple[Column[ComparedSeries], ...]:
    """The columns, without what all rows have in `common`: that is said once below the table."""

    def why(row: ComparedSeries, locale: Locale) -> str:
        own = [caution for caution in row.cautions if caution.key not in {*common, *_IN_COLUMNS}]
        sentences = [
            *_other_statistics(row, locale),
            words.reason_text(row, locale.language, locale.zone),
            *(words.caution_text(caution, locale.language, locale.zone) for caution in own),
        ]
        return " ".join(filter(None, sentences))

    series: Column[ComparedSeries] = Column("series", "compare.column.name", text=_name)
    return (
        *chosen(COLUMNS, "verdict.words"),
        series,
        *chosen(COLUMNS, LINES),
        Column("why", "compare.column.why", text=why),
    )


def _other_statistics(row: ComparedSeries, locale: Locale) -> list[str]:
    """Verdicts on p95 and p99 that are not that on the mean."""
    return [
        f"{change.statistic.value}: {words.verdict_text(change.verdict, locale.language)}."
        for change in words.further_statistics(row)
        if change.verdict is not row.verdict
    ]
