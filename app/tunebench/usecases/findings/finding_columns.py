"""The columns of findings, the USE table, rules that could not be judged, resources in order. How grave something is
has a mark and a word, so that the colour is never the only sign."""

from __future__ import annotations

from operator import attrgetter

from tunebench.columns.column import Column, Locale
from tunebench.core.records import record
from tunebench.domain.finding import Finding, NotJudged, ResourceScore, Severity, UseAspect, UseRow
from tunebench.usecases.databases.profile_words import not_measured
from tunebench.usecases.findings.words import (
    RuleWords,
    aspect_text,
    below_its_cause,
    cell_text,
    figures_text,
    missing_text,
    not_judged_text,
    resource_text,
    score_text,
    severity_text,
    share_text,
    thing_text,
)

MARKS = {Severity.OK: "○", Severity.WATCH: "◇", Severity.WARNING: "△", Severity.CRITICAL: "■"}
KEY = "ui.findings.column."


def severity_words(severity: Severity, locale: Locale) -> str:
    return f"{MARKS[severity]} {severity_text(severity, locale.language)}"


TONES = {Severity.OK: "ok", Severity.WATCH: "watch", Severity.WARNING: "warning", Severity.CRITICAL: "critical"}


def finding_columns(words: RuleWords) -> tuple[Column[Finding], ...]:
    return (
        Column(
            "severity",
            f"{KEY}severity",
            text=lambda f, locale: severity_words(f.severity, locale),
            order=lambda f: -f.severity.rank,
            tone=lambda f: TONES[f.severity],
        ),
        Column("title", f"{KEY}finding", lambda f: below_its_cause(f, words.title(f.rule))),
        Column("thing", f"{KEY}thing", text=lambda f, locale: thing_text(f, locale.language)),
        Column("share", f"{KEY}share", attrgetter("share"), text=_share),
        Column("figures", f"{KEY}figures", text=lambda f, locale: figures_text(f, locale.language)),
        Column("rule", f"{KEY}rule", lambda f: f.rule),
    )


def _share(finding: Finding, locale: Locale) -> str:
    return share_text(finding, locale.language) if finding.share is None else f"{finding.held}/{finding.n}"


def _resource(row: UseRow, locale: Locale) -> str:
    name = f"{row.name} ({row.alias})" if row.alias and row.alias != row.name else row.name
    return f"{resource_text(row.resource, locale.language)} {name}".strip()


def _use_column(aspect: UseAspect) -> Column[UseRow]:
    def figure(row: UseRow) -> float | None:
        cell = row.cell(aspect)
        return cell.value if cell.severity is None or cell.value is None else cell.severity.rank * 1e12 + cell.value

    def shown(row: UseRow, locale: Locale) -> str:
        cell = row.cell(aspect)
        if not cell.measured:
            return cell_text(cell, locale.language)
        mark = MARKS[cell.severity] if cell.severity is not None else "·"
        return f"{mark} {cell_text(cell, locale.language)}"

    return Column(
        aspect.value,
        lambda locale: aspect_text(aspect, locale.language),
        text=shown,
        order=figure,
        tone=lambda row: _grade_tone(row.cell(aspect).severity),
    )


def _grade_tone(severity: Severity | None) -> str:
    """What is fine, or not graded, stays in the colour of text."""
    return "" if severity in (None, Severity.OK) else TONES[severity]


USE_COLUMNS: tuple[Column[UseRow], ...] = (
    Column("host", f"{KEY}host", lambda r: r.host),
    Column("resource", f"{KEY}resource", text=_resource),
    *(_use_column(aspect) for aspect in UseAspect),
)


def not_judged_columns(words: RuleWords) -> tuple[Column[NotJudged], ...]:
    return (
        Column("title", f"{KEY}finding", lambda one: words.title(one.rule)),
        Column("hosts", f"{KEY}hosts", lambda one: ", ".join(host for host in one.hosts if host)),
        Column("reason", f"{KEY}reason", text=lambda one, locale: not_judged_text(one, locale.language)),
        Column("missing", f"{KEY}missing", text=lambda one, locale: missing_text(one, locale.language)),
        Column("rule", f"{KEY}rule", lambda one: one.rule),
    )


@record
class RankedPair:
    """A resource in the order of both sides; None where a side has not measured it."""

    before: ResourceScore | None
    after: ResourceScore | None

    @property
    def any(self) -> ResourceScore:
        scored = self.before or self.after
        assert scored is not None
        return scored


def ranking_columns(sides: tuple[str, ...]) -> tuple[Column[RankedPair], ...]:
    """`sides`: ``("before", "after")``, or ``("",)`` for one run by itself, whose score is in `RankedPair.before`."""
    resource: Column[RankedPair]
    resource = Column("resource", f"{KEY}resource", text=lambda p, locale: score_text(p.any, locale.language))
    return (resource, *(column for side in sides for column in _score_columns(side)))


def _side_title(side: str, name: str, locale: Locale) -> str:
    title = locale.text(f"ui.findings.column.{name}")
    return f"{locale.text(f'ui.phase.{side}')}: {title}" if side else title


def _score_columns(side: str) -> list[Column[RankedPair]]:
    def score(pair: RankedPair) -> ResourceScore | None:
        return pair.after if side == "after" else pair.before

    def column(name: str, read: str, factor: float = 1.0, unit: str = "") -> Column[RankedPair]:
        def figure(pair: RankedPair) -> float | None:
            scored = score(pair)
            value = getattr(scored, read) if scored is not None else None
            return None if value is None else factor * value

        def shown(pair: RankedPair, locale: Locale) -> str:
            value = figure(pair)
            return not_measured(locale) if value is None else f"{value:.2f}" if factor == 1 else f"{value:.1f}{unit}"

        return Column(
            f"{side}-{name}",
            lambda locale: _side_title(side, name, locale),
            figure,
            text=shown,
            side=side,
            explained=lambda locale: locale.text(f"ui.findings.tip.{name}"),
        )

    return [
        column("score", "score"),
        column("utilisation", "utilisation", 100, " %"),
        column("knee", "knee", 100, " %"),
        column("queue", "queue"),
    ]
