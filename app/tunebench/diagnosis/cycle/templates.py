"""Starts an iteration from a template: what the documents know about a subject, laid out for this engagement.

Nothing is decided by it. Targets have neither baseline nor value, countermeasures are drafts without approval, and
every figure of a document stands with its quotation, its caveat and what contradicts it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tunebench.core.messages import catalogue
from tunebench.diagnosis.cycle.guards import with_guards
from tunebench.diagnosis.cycle.known_effects import impact_of, text_in
from tunebench.domain.cycle.book import CycleBook, CycleEdit, Record, RecordChange
from tunebench.domain.cycle.records import (
    Cause,
    Iteration,
    ManualSource,
    Metric,
    MetricSource,
    Question,
    SeriesSource,
    Step,
    StepNumber,
    SystemInScope,
    SystemKind,
    Target,
)
from tunebench.domain.cycle.worksheet import Action, Impact, ParameterChange, Risk, Rollback, Verification
from tunebench.sdk.cycle_templates import (
    CycleTemplate,
    TemplateAction,
    TemplateCause,
    TemplateChange,
    TemplateFact,
    TemplateMetric,
    Texts,
)
from tunebench.sdk.effects import EffectImpact


def start_from(
    template: CycleTemplate, language: str, book: CycleBook, *, title: str = "", on: str = "", host: str = ""
) -> CycleEdit:
    """A new iteration that holds what the template knows.

    Args:
        title: of the iteration; the template's name where empty.
        on: ISO date.
        host: whose series the metrics are; the one host in scope where empty and there is one.
    """
    start = _Start(template, language, host or _only_host(book))
    number = 1 + max((iteration.number for iteration in book.iterations), default=0)
    iteration = Iteration(
        start.iteration_id, number, title or template.name_in(language), template=template.id, opened_on=on
    )
    records = [iteration, *start.records(on)]
    edit = CycleEdit("start_template", tuple(RecordChange(None, record) for record in records))
    return with_guards(book, edit, language)


def _only_host(book: CycleBook) -> str:
    hosts = {system.host for system in book.all(SystemInScope) if system.kind is SystemKind.HOST} - {""}
    return next(iter(hosts)) if len(hosts) == 1 else ""


class _Start:
    """The records of one template in one language, under negative ids (see `tunebench.domain.record_ids`)."""

    def __init__(self, template: CycleTemplate, language: str, host: str) -> None:
        self.iteration_id = -1
        self._template = template
        self._language = language
        self._host = host
        self._say = catalogue(language).text
        metrics = [("metric", metric.key) for metric in template.metrics]
        causes = [("cause", cause.key) for cause in template.causes]
        self._ids = {key: -2 - number for number, key in enumerate((*metrics, *causes))}

    def records(self, on: str) -> Iterator[Record]:
        notes = self._notes()
        for number in StepNumber:
            yield Step(0, self.iteration_id, number, notes=notes.get(number, ""))
        for question in self._template.questions:
            yield Question(0, self.iteration_id, question.step, self._text(question.text), asked_on=on)
        for metric in self._template.metrics:
            yield self._metric(metric)
        for metric in self._template.metrics:
            if metric.priority is not None:
                yield self._target(metric)
        yield from (self._cause(cause) for cause in self._template.causes)
        yield from (self._action(action) for action in self._template.actions)

    def _text(self, texts: Texts | None) -> str:
        return text_in(texts, self._language)

    def _notes(self) -> dict[StepNumber, str]:
        template = self._template
        about = (self._text(template.summary), self._say("cycle.template.source", source=template.source))
        probes = self._say("cycle.template.probes", probes=", ".join(template.probes)) if template.probes else ""
        return {StepNumber.PROBLEM: "\n".join(about), StepNumber.METRICS: probes}

    def _metric(self, metric: TemplateMetric) -> Metric:
        return Metric(
            id=self._ids["metric", metric.key],
            iteration_id=self.iteration_id,
            name=self._text(metric.name),
            source=self._source(metric),
            statistic=metric.statistic,
            unit=metric.unit,
            direction=metric.direction,
            definition=self._text(metric.definition),
            decimals=metric.decimals,
        )

    def _source(self, metric: TemplateMetric) -> MetricSource:
        if isinstance(metric.source, SeriesSource):
            return replace(metric.source, host=self._host)
        if isinstance(metric.source, ManualSource):
            return ManualSource(self._text(metric.how))
        return metric.source

    def _target(self, metric: TemplateMetric) -> Target:
        metric_id = self._ids["metric", metric.key]
        return Target(0, self.iteration_id, metric_id, priority=metric.priority or 2, note=self._text(metric.note))

    def _cause(self, cause: TemplateCause) -> Cause:
        return Cause(
            id=self._ids["cause", cause.key],
            iteration_id=self.iteration_id,
            domain=cause.domain,
            title=self._text(cause.title),
            text=_lines(self._text(cause.text), *self._quotations(cause.facts)),
            confidence=cause.confidence,
        )

    def _action(self, action: TemplateAction) -> Action:
        procedure = self._text(action.procedure)
        instruction = self._say("cycle.template.procedure", text=procedure) if procedure else ""
        return Action(
            id=0,
            iteration_id=self.iteration_id,
            title=self._text(action.title),
            changes=tuple(self._change(change) for change in action.changes),
            hypothesis=self._text(action.hypothesis),
            cause_ids=tuple(self._ids["cause", key] for key in action.causes),
            impacts=tuple(self._impact(impact) for impact in action.impacts),
            no_price_reason=self._text(action.no_price_reason),
            risks=tuple(
                Risk(self._text(risk.text), risk.likelihood, risk.severity, self._text(risk.detection))
                for risk in action.risks
            ),
            rollback=Rollback(self._text(action.rollback), action.rollback_min, self._text(action.precondition)),
            verifications=tuple(Verification(self._ids["metric", key], margin) for key, margin in action.verifications),
            known_effect=action.known_effect,
            caveat=_lines(instruction, *self._quotations(action.facts)),
        )

    def _change(self, change: TemplateChange) -> ParameterChange:
        """The value as it is stands in no template: it is read on the customer's machine."""
        parameter, new, scope = (self._text(texts) for texts in (change.parameter, change.new, change.scope))
        return ParameterChange(parameter, "", new, scope, change.mode)

    def _impact(self, effect: EffectImpact) -> Impact:
        """The impact with the fact's id and place as its source, and its words and caveat in the note."""
        impact = impact_of(effect, self._language)
        fact = self._template.fact(effect.fact)
        if fact is None:
            return impact
        source = ", ".join(part for part in (f"{fact.id} ({fact.source})", effect.source) if part)
        return replace(impact, source=source, note=_lines(impact.note, f"“{fact.quote}”", *self._doubts(fact)))

    def _quotations(self, ids: Sequence[str]) -> Iterator[str]:
        for id_ in ids:
            fact = self._template.fact(id_)
            if fact is not None:
                yield self._say("cycle.template.quotation", id=fact.id, source=fact.source, quote=fact.quote)
                yield from self._doubts(fact)

    def _doubts(self, fact: TemplateFact) -> Iterator[str]:
        for key, texts in (("caveat", fact.caveat), ("contradiction", fact.contradiction)):
            text = self._text(texts)
            if text:
                yield self._say(f"cycle.template.{key}", text=text)


def _lines(*texts: str) -> str:
    return "\n".join(text for text in texts if text)
