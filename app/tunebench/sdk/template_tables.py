"""Reads ``[[templates]]``; what is wrong is told with its place, and names that nothing bears are faults."""

from __future__ import annotations

from collections.abc import Iterator

from tunebench.domain.cycle.records import (
    FIGURES,
    STATISTICS,
    CauseDomain,
    Confidence,
    ManualSource,
    MetricSource,
    SeriesSource,
    StatementSource,
    StepNumber,
)
from tunebench.domain.cycle.worksheet import Basis, ChangeMode, Level
from tunebench.domain.engagement import Direction
from tunebench.sdk.cycle_templates import (
    CycleTemplate,
    TemplateAction,
    TemplateCause,
    TemplateChange,
    TemplateFact,
    TemplateMetric,
    TemplateQuestion,
    TemplateRisk,
)
from tunebench.sdk.effects import read_impacts
from tunebench.sdk.toml_tables import TableReader

_TEMPLATE_KEYS = frozenset(
    {"id", "name", "summary", "source", "probes", "facts", "questions", "metrics", "causes", "actions"}
)
_FACT_KEYS = frozenset({"id", "source", "quote", "caveat", "contradiction"})
_QUESTION_KEYS = frozenset({"step", "text"})
_METRIC_KEYS = frozenset(
    {
        "key",
        "name",
        "series",
        "statement",
        "manual",
        "statistic",
        "unit",
        "direction",
        "definition",
        "decimals",
        "priority",
        "note",
    }
)
_SERIES_KEYS = frozenset({"tool", "native", "metric", "attributes"})
_STATEMENT_KEYS = frozenset({"figure", "per_execution"})
_CAUSE_KEYS = frozenset({"key", "domain", "title", "text", "confidence", "facts"})
_ACTION_KEYS = frozenset(
    {
        "title",
        "changes",
        "hypothesis",
        "causes",
        "impacts",
        "no_price_reason",
        "risks",
        "rollback",
        "rollback_min",
        "precondition",
        "verifications",
        "procedure",
        "facts",
        "known_effect",
    }
)
_CHANGE_KEYS = frozenset({"parameter", "new", "scope", "mode"})
_RISK_KEYS = frozenset({"text", "likelihood", "severity", "detection"})
_VERIFICATION_KEYS = frozenset({"metric", "margin_pct"})


def read_template_tables(reader: TableReader, key: str) -> tuple[CycleTemplate, ...]:
    """The templates of one file; faults are in `reader.problems`."""
    seen: set[str] = set()
    return tuple(_read_template(table, seen) for table in reader.tables(key))


def _read_template(reader: TableReader, seen: set[str]) -> CycleTemplate:
    reader.refuse_unknown(_TEMPLATE_KEYS)
    names = _Names()
    template = CycleTemplate(
        id=reader.text("id"),
        name=reader.texts_by_language("name", required=True),
        summary=reader.texts_by_language("summary", required=True),
        source=reader.text("source"),
        probes=reader.texts("probes", False),
        facts=tuple(_read_facts(reader, names)),
        questions=tuple(_read_questions(reader)),
        metrics=tuple(_read_metrics(reader, names)),
        causes=tuple(_read_causes(reader, names)),
        actions=tuple(_read_actions(reader, names)),
    )
    reader.check_id("id", template.id)
    reader.check_once("id", template.id, seen)
    top = sum(metric.priority == 1 for metric in template.metrics)
    if top != 1:
        reader.problem("template_priority", "metrics", n=top)
    return template


class _Names:
    """What the later tables of a template may name."""

    def __init__(self) -> None:
        self.facts: set[str] = set()
        self.metrics: set[str] = set()
        self.causes: set[str] = set()


def _named(reader: TableReader, key: str, names: tuple[str, ...], known: set[str]) -> tuple[str, ...]:
    for name in names:
        if name and name not in known:
            reader.problem("name_unknown", key, value=name, known=", ".join(sorted(known)))
    return names


def _read_facts(reader: TableReader, names: _Names) -> Iterator[TemplateFact]:
    for table in reader.tables("facts"):
        table.refuse_unknown(_FACT_KEYS)
        fact = TemplateFact(
            id=table.text("id"),
            source=table.text("source"),
            quote=table.text("quote"),
            caveat=table.texts_by_language("caveat", required=False),
            contradiction=table.texts_by_language("contradiction", required=False),
        )
        table.check_once("id", fact.id, names.facts)
        yield fact


def _read_questions(reader: TableReader) -> Iterator[TemplateQuestion]:
    for table in reader.tables("questions"):
        table.refuse_unknown(_QUESTION_KEYS)
        step = table.whole("step")
        if step not in tuple(StepNumber):
            table.problem("not_one_of", "step", value=step, known="0 - 6")
            step = 0
        yield TemplateQuestion(StepNumber(step or 0), table.texts_by_language("text", required=True))


def _read_metrics(reader: TableReader, names: _Names) -> Iterator[TemplateMetric]:
    for table in reader.tables("metrics"):
        table.refuse_unknown(_METRIC_KEYS)
        decimals = table.whole("decimals")
        metric = TemplateMetric(
            key=table.text("key"),
            name=table.texts_by_language("name", required=True),
            source=_read_source(table),
            how=table.texts_by_language("manual", required=False),
            statistic=table.one_of("statistic", STATISTICS),
            unit=table.text("unit", False),
            direction=table.word("direction", tuple(Direction), None) or Direction.NEUTRAL,
            definition=table.texts_by_language("definition", required=False),
            decimals=1 if decimals is None else decimals,
            priority=table.whole("priority"),
            note=table.texts_by_language("note", required=False),
        )
        table.check_once("key", metric.key, names.metrics)
        yield metric


def _read_source(reader: TableReader) -> MetricSource:
    """Exactly one of ``series``, ``statement`` and ``manual``."""
    given = [key for key in ("series", "statement", "manual") if key in reader.table]
    if len(given) != 1:
        reader.problem("metric_source", "series")
    if given == ["series"] and (series := reader.subtable("series")) is not None:
        series.refuse_unknown(_SERIES_KEYS)
        texts = (series.text("tool", False), series.text("native", False), series.text("metric"))
        return SeriesSource("", *texts, attributes=series.attributes("attributes"))
    if given == ["statement"] and (statement := reader.subtable("statement")) is not None:
        statement.refuse_unknown(_STATEMENT_KEYS)
        return StatementSource(statement.one_of("figure", FIGURES), per_execution=statement.flag("per_execution"))
    return ManualSource()


def _read_causes(reader: TableReader, names: _Names) -> Iterator[TemplateCause]:
    for table in reader.tables("causes"):
        table.refuse_unknown(_CAUSE_KEYS)
        cause = TemplateCause(
            key=table.text("key"),
            domain=table.word("domain", tuple(CauseDomain), None) or CauseDomain.SYSTEM,
            title=table.texts_by_language("title", required=True),
            text=table.texts_by_language("text", required=False),
            confidence=table.word("confidence", tuple(Confidence), Confidence.LOW) or Confidence.LOW,
            facts=_named(table, "facts", table.texts("facts", False), names.facts),
        )
        table.check_once("key", cause.key, names.causes)
        yield cause


def _read_actions(reader: TableReader, names: _Names) -> Iterator[TemplateAction]:
    for table in reader.tables("actions"):
        table.refuse_unknown(_ACTION_KEYS)
        impacts = tuple(read_impacts(table, Basis.FOUNDING, ""))
        _named(table, "impacts", tuple(impact.fact for impact in impacts), names.facts)
        yield TemplateAction(
            title=table.texts_by_language("title", required=True),
            changes=tuple(_read_changes(table)),
            hypothesis=table.texts_by_language("hypothesis", required=True),
            causes=_named(table, "causes", table.texts("causes"), names.causes),
            impacts=impacts,
            no_price_reason=table.texts_by_language("no_price_reason", required=False),
            risks=tuple(_read_risks(table)),
            rollback=table.texts_by_language("rollback", required=True),
            rollback_min=table.finite("rollback_min"),
            precondition=table.texts_by_language("precondition", required=False),
            verifications=tuple(_read_verifications(table, names)),
            procedure=table.texts_by_language("procedure", required=False),
            facts=_named(table, "facts", table.texts("facts", False), names.facts),
            known_effect=table.text("known_effect", False),
        )


def _read_changes(reader: TableReader) -> Iterator[TemplateChange]:
    for table in reader.tables("changes"):
        table.refuse_unknown(_CHANGE_KEYS)
        yield TemplateChange(
            parameter=table.one_or_texts("parameter", required=True),
            new=table.one_or_texts("new", required=False),
            scope=table.texts_by_language("scope", required=False),
            mode=table.word("mode", tuple(ChangeMode), ChangeMode.ONLINE) or ChangeMode.ONLINE,
        )


def _read_risks(reader: TableReader) -> Iterator[TemplateRisk]:
    for table in reader.tables("risks"):
        table.refuse_unknown(_RISK_KEYS)
        yield TemplateRisk(
            text=table.texts_by_language("text", required=True),
            likelihood=table.word("likelihood", tuple(Level), Level.MEDIUM) or Level.MEDIUM,
            severity=table.word("severity", tuple(Level), Level.MEDIUM) or Level.MEDIUM,
            detection=table.texts_by_language("detection", required=False),
        )


def _read_verifications(reader: TableReader, names: _Names) -> Iterator[tuple[str, float | None]]:
    for table in reader.tables("verifications"):
        table.refuse_unknown(_VERIFICATION_KEYS)
        metric = table.text("metric")
        _named(table, "metric", (metric,), names.metrics)
        yield metric, table.finite("margin_pct")
