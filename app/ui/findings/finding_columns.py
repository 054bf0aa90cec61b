"""The columns of the page's tables: findings, the USE table, rules that could not be judged, resources in order."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QColor

from app.domain.finding import Finding, NotJudged, ResourceScore, Severity, UseAspect, UseRow
from app.ui.databases.figure_table import Column
from app.ui.databases.figure_words import not_measured
from app.ui.findings.severity_marks import MARKS, severity_colour, severity_words
from app.ui.look.language import language, text
from app.usecases.findings.words import (
    RuleWords,
    aspect_text,
    cell_text,
    figures_text,
    missing_text,
    not_judged_text,
    resource_text,
    score_text,
    share_text,
    thing_text,
)


def finding_columns(words: RuleWords) -> tuple[Column, ...]:
    def title(found: Finding) -> str:
        return words.title(found.rule)

    def thing(found: Finding) -> str:
        return thing_text(found, language().code)

    def figures(found: Finding) -> str:
        return figures_text(found, language().code)

    return (
        Column(
            "severity",
            lambda: text("ui.findings.column.severity"),
            lambda f: -f.severity.rank,
            lambda f: severity_words(f.severity),
            words=True,
            tone=_finding_colour,
        ),
        Column("title", lambda: text("ui.findings.column.finding"), title, title, words=True),
        Column("thing", lambda: text("ui.findings.column.thing"), thing, thing, words=True),
        Column("share", lambda: text("ui.findings.column.share"), lambda f: f.share, _share),
        Column("figures", lambda: text("ui.findings.column.figures"), figures, figures, words=True),
        Column("rule", lambda: text("ui.findings.column.rule"), lambda f: f.rule, lambda f: f.rule, words=True),
    )


def _finding_colour(found: Finding) -> QColor | None:
    return severity_colour(found.severity)


def _share(found: Finding) -> str:
    return share_text(found, language().code) if found.share is None else f"{found.held}/{found.n}"


def use_columns() -> tuple[Column, ...]:
    def resource(row: UseRow) -> str:
        name = f"{row.name} ({row.alias})" if row.alias and row.alias != row.name else row.name
        return f"{resource_text(row.resource, language().code)} {name}".strip()

    return (
        Column("host", lambda: text("ui.findings.column.host"), lambda r: r.host, lambda r: r.host, words=True),
        Column("resource", lambda: text("ui.findings.column.resource"), resource, resource, words=True),
        *(_use_column(aspect) for aspect in UseAspect),
    )


def _use_column(aspect: UseAspect) -> Column:
    def figure(row: UseRow) -> float | None:
        cell = row.cell(aspect)
        return cell.value if cell.severity is None or cell.value is None else cell.severity.rank * 1e12 + cell.value

    def shown(row: UseRow) -> str:
        cell = row.cell(aspect)
        if not cell.measured:
            return cell_text(cell, language().code)
        mark = MARKS[cell.severity] if cell.severity is not None else "·"
        return f"{mark} {cell_text(cell, language().code)}"

    return Column(
        aspect.value,
        lambda: aspect_text(aspect, language().code),
        figure,
        shown,
        words=True,
        tone=lambda row: _graded(row.cell(aspect).severity),
    )


def _graded(severity: Severity | None) -> QColor | None:
    """What is fine stays in the colour of text."""
    return None if severity is Severity.OK else severity_colour(severity)


def not_judged_columns(words: RuleWords) -> tuple[Column, ...]:
    def title(one: NotJudged) -> str:
        return words.title(one.rule)

    def reason(one: NotJudged) -> str:
        return not_judged_text(one, language().code)

    def missing(one: NotJudged) -> str:
        return missing_text(one, language().code)

    def hosts(one: NotJudged) -> str:
        return ", ".join(host for host in one.hosts if host)

    return (
        Column("title", lambda: text("ui.findings.column.finding"), title, title, words=True),
        Column("hosts", lambda: text("ui.findings.column.hosts"), hosts, hosts, words=True),
        Column("reason", lambda: text("ui.findings.column.reason"), reason, reason, words=True),
        Column("missing", lambda: text("ui.findings.column.missing"), missing, missing, words=True),
        Column("rule", lambda: text("ui.findings.column.rule"), lambda o: o.rule, lambda o: o.rule, words=True),
    )


@dataclass(frozen=True, slots=True)
class RankedPair:
    """A resource in the order of both sides; None where a side has not measured it."""

    before: ResourceScore | None
    after: ResourceScore | None

    @property
    def any(self) -> ResourceScore:
        found = self.before or self.after
        assert found is not None
        return found


def ranking_columns(sides: tuple[str, ...]) -> tuple[Column, ...]:
    """`sides`: ``("before", "after")``, or ``("",)`` for one run by itself, whose score is in `RankedPair.before`."""
    columns = [Column("resource", lambda: text("ui.findings.column.resource"), _resource, _resource, words=True)]
    for side in sides:
        columns += _score_columns(side)
    return tuple(columns)


def _resource(pair: RankedPair) -> str:
    return score_text(pair.any, language().code)


def _side_title(side: str, name: str) -> str:
    title = text(f"ui.findings.column.{name}")
    return f"{text(f'ui.phase.{side}')}: {title}" if side else title


def _score_columns(side: str) -> list[Column]:
    def score(pair: RankedPair) -> ResourceScore | None:
        return pair.after if side == "after" else pair.before

    def column(name: str, read: str, factor: float = 1.0, unit: str = "") -> Column:
        def figure(pair: RankedPair) -> float | None:
            found = score(pair)
            value = getattr(found, read) if found is not None else None
            return None if value is None else factor * value

        def shown(pair: RankedPair) -> str:
            value = figure(pair)
            return not_measured() if value is None else f"{value:.2f}" if factor == 1 else f"{value:.1f}{unit}"

        return Column(
            f"{side}-{name}",
            lambda: _side_title(side, name),
            figure,
            shown,
            side=side,
            tip=lambda: text(f"ui.findings.tip.{name}"),
        )

    return [
        column("score", "score"),
        column("utilisation", "utilisation", 100, " %"),
        column("knee", "knee", 100, " %"),
        column("queue", "queue"),
    ]
