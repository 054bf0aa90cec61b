"""All rules over everything that one host measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tunebench.analysis.expressions.figures import Figure, Figures
from tunebench.analysis.expressions.moments import Moments
from tunebench.core.records import record
from tunebench.diagnosis.cycle.evidence import EvidenceFinder, telling
from tunebench.diagnosis.rules.evaluation import Evaluation, Outcome, evaluate, evaluate_each
from tunebench.diagnosis.rules.guards import Subject
from tunebench.diagnosis.signals.resolving import Group, HostSignals, Thing
from tunebench.diagnosis.signals.streams import Numbers, Stream, Table, Times, coarsest, median, spacing_ns
from tunebench.diagnosis.signals.vocabulary import Vocabulary
from tunebench.diagnosis.use_table import probes_for
from tunebench.diagnosis.weighing import weighed
from tunebench.domain.engagement import Run
from tunebench.domain.finding import Caution, Fact, Finding, FindingEvidence, Missing, NotJudged, Severity
from tunebench.sdk.rules import Rule, RuleKind

NOT_APPLICABLE = frozenset({Outcome.OTHER_SYSTEM, Outcome.OTHER_MEDIA, Outcome.OUT_OF_SCOPE})
_SKIPPED = frozenset({RuleKind.SCOPE, RuleKind.NOTE})
_TELLING_FIRST = (
    Outcome.NEVER_ACTIVE,
    Outcome.TOO_SHORT,
    Outcome.NO_SAMPLES,
    Outcome.ZERO_DIVISION,
    Outcome.NOT_CAPTURED,
    Outcome.OUT_OF_SCOPE,
    Outcome.OTHER_MEDIA,
    Outcome.OTHER_SYSTEM,
)
"""Of several things that a rule could not be judged on, the reason that says most."""


@record
class Unjudged:
    """Why a rule could not be judged on a host; `instead` is said in the place of the outcome where it is not empty."""

    rule: Rule
    outcome: Outcome
    host: str
    missing: tuple[Missing, ...] = ()
    instead: str = ""

    @property
    def reason(self) -> str:
        return self.instead or str(self.outcome)


@dataclass
class Judged:
    """The outcome of the rules; `passed` are those that were judged and did not hold."""

    findings: list[Finding] = field(default_factory=list)
    passed: list[Finding] = field(default_factory=list)
    unjudged: list[Unjudged] = field(default_factory=list)

    def add(self, other: Judged) -> None:
        self.findings += other.findings
        self.passed += other.passed
        self.unjudged += other.unjudged


def is_of_database(rule: Rule) -> bool:
    return bool(rule.guard.databases)


def judged_rules(rules: Iterable[Rule]) -> list[Rule]:
    """The rules that can be judged: those with levels, of a kind that is not skipped."""
    return [rule for rule in rules if rule.kind not in _SKIPPED and rule.levels]


def judge_host(
    signals: HostSignals,
    rules: Sequence[Rule],
    run: Run,
    os_version: str,
    evidence: EvidenceFinder,
    *,
    figures_of_passed: bool = True,
) -> Judged:
    """Every rule on every thing of the host that it is about.

    Args:
        figures_of_passed: whether anybody wants to see the figures of what did not hold.
    """
    book = _FigureBook(signals, _names_by_scope(signals, rules))
    judged = Judged()
    for rule in rules:
        scope = signals.vocabulary.scope_of(
            (*rule.metrics, *(name for condition in rule.scopes for name in condition.metrics))
        )
        judged.add(_judge_rule(rule, scope, book, run, os_version, evidence, figures_of_passed))
    judged.findings = weighed(judged.findings, judged.passed, {rule.id: rule for rule in rules})
    return judged


def _names_by_scope(signals: HostSignals, rules: Sequence[Rule]) -> dict[str, tuple[str, ...]]:
    names: dict[str, dict[str, None]] = {}
    for rule in rules:
        own = (*rule.metrics, *(name for condition in rule.scopes for name in condition.metrics))
        names.setdefault(signals.vocabulary.scope_of(own), {}).update(dict.fromkeys(own))
    return {scope: tuple(own) for scope, own in names.items()}


def _judge_rule(
    rule: Rule,
    scope: str,
    book: _FigureBook,
    run: Run,
    os_version: str,
    evidence: EvidenceFinder,
    figures_of_passed: bool,
) -> Judged:
    judged = Judged()
    refusals: list[Evaluation] = []
    signals = book.signals
    answers: dict[Thing, tuple[Evaluation, Group]] = {}
    for group in book.groups(scope):
        subject = Subject(os=signals.os, os_version=os_version, media=str(group.facts.get(_MEDIA) or ""))
        evaluations = evaluate_each(rule, book.figures(rule, group), subject)
        answers.update((thing, (answer, group)) for thing, answer in zip(group.things, evaluations, strict=True))
    for thing in signals.things(scope):
        answer, group = answers[thing]
        if not answer.outcome.judged:
            refusals.append(answer)
            continue
        held = answer.outcome is Outcome.HELD
        facts = _facts(rule, answer, thing, group, signals) if held or figures_of_passed else {}
        finding = _finding(rule, answer, thing, group, signals, run, evidence, facts)
        (judged.findings if held else judged.passed).append(finding)
    if not judged.findings and not judged.passed:
        judged.unjudged.append(_unjudged(rule, refusals, signals))
    return judged


def _unjudged(rule: Rule, refusals: Sequence[Evaluation], signals: HostSignals) -> Unjudged:
    if not refusals:  # the host has nothing of that kind: no disk, no interface was captured
        names = tuple(name for name in rule.metrics if name not in rule.optional)
        answer = Evaluation(rule, Outcome.NOT_CAPTURED, missing=names)
        if not _on_system(rule, signals.os):
            answer = Evaluation(rule, Outcome.OTHER_SYSTEM)
    else:
        answer = min(refusals, key=lambda refusal: _TELLING_FIRST.index(refusal.outcome))
    missing = tuple(Missing(name, probes_for(signals, name)) for name in answer.missing)
    return Unjudged(rule, answer.outcome, signals.host, missing)


def _on_system(rule: Rule, os: str) -> bool:
    return evaluate(rule, Figures({}), Subject(os=os)).outcome is not Outcome.OTHER_SYSTEM


# -- figures -------------------------------------------------------------------------------------------


_MEDIA = "media"


class _FigureBook:
    """The figures of every thing of a host: one set per group of things and time axis, used by all rules."""

    def __init__(self, signals: HostSignals, names: Mapping[str, tuple[str, ...]]) -> None:
        self.signals = signals
        self._names = names
        self._groups: dict[str, list[Group]] = {}
        self._figures: dict[tuple[int, int, int], Figures] = {}
        self._moments: dict[int, Moments] = {}

    def groups(self, scope: str) -> list[Group]:
        """The things of a scope in groups; another medium is judged by other limits."""
        if scope not in self._groups:
            names = self._names.get(scope, ())
            self._groups[scope] = self.signals.groups(scope, (*names, _MEDIA) if scope == "device" else names)
        return self._groups[scope]

    def figures(self, rule: Rule, group: Group) -> Figures:
        """The rule's figures, at the times of the coarsest one."""
        own = [group.tables[name] for name in rule.metrics if name in group.tables]
        if not own:
            return Figures(group.facts, things=len(group.things))
        base = coarsest(own)
        key = (id(group), id(base.times_ns), spacing_ns(base))
        if key not in self._figures:
            self._figures[key] = self._figures_on(group, base)
        return self._figures[key]

    def _figures_on(self, group: Group, base: Table) -> Figures:
        values: dict[str, Figure] = dict(group.facts)
        for name in group.tables:
            values[name] = group.on(name, base)
        figures = Figures(values, base.times_ns, len(group.things))
        # figures on one clock share their moments
        figures.moments = self._moments.setdefault(id(figures.moments.times_ns), figures.moments)
        return figures


# -- findings ------------------------------------------------------------------------------------------


def _finding(
    rule: Rule,
    answer: Evaluation,
    thing: Thing,
    group: Group,
    signals: HostSignals,
    run: Run,
    evidence: EvidenceFinder,
    facts: Mapping[str, Fact],
) -> Finding:
    held = answer.outcome is Outcome.HELD
    streams = group.streams(thing, rule.metrics)
    shown: tuple[FindingEvidence, ...] = ()
    cautions = [Caution(key, {"n": answer.n}) for key in answer.cautions]
    if answer.seen_s is not None:
        cautions.append(Caution("provisional", {"seen_s": answer.seen_s, "wanted_s": rule.window_s}))
    if held:
        shown, left_out = evidence.of_stretches(answer.stretches, streams)
        if left_out:
            cautions.append(Caution("more_stretches", {"count": left_out}))
    cautions += _own_cautions(answer, streams, signals)
    severity = answer.severity if held and answer.severity is not None else Severity.OK
    return Finding(
        rule.id,
        rule.pack,
        severity,
        run.id,
        run.label,
        signals.host,
        thing.scope,
        thing.attributes,
        thing.alias,
        answer.share if streams else None,
        answer.n,
        answer.n_held,
        facts,
        shown,
        tuple(cautions),
    )


def _own_cautions(answer: Evaluation, streams: Mapping[str, Stream], signals: HostSignals) -> list[Caution]:
    cautions = []
    if any(stream.since_boot for stream in streams.values()):
        cautions.append(Caution("since_boot", {"n": answer.n}))
    for name in answer.rule.metrics:
        if name in signals.facts.derived and name not in streams:
            cautions.append(Caution("derived_default", {"figure": name}))
    if answer.absent:
        cautions.append(Caution("judged_without", {"figures": ", ".join(answer.absent)}))
    return cautions


def _facts(rule: Rule, answer: Evaluation, thing: Thing, group: Group, signals: HostSignals) -> dict[str, Fact]:
    """Medians where the rule held (over all samples where it did not), the most telling values, and plain facts."""
    facts: dict[str, Fact] = {}
    for name in rule.metrics:
        table = group.tables.get(name)
        if table is None:
            if name in group.facts:
                facts[name] = group.facts[name]
            continue
        row, direction = table.place(thing.name), signals.vocabulary.direction_of(name)
        held = _where_held(table.busiest[row], table.times_ns, answer)
        if held is None:
            facts[name], facts[f"{name}_worst"] = (
                float(table.reduced(median)[row]),
                float(table.telling(direction)[row]),
            )
        elif held.size:
            facts[name], facts[f"{name}_worst"] = float(np.median(held)), telling(held, direction)
    return facts


def _where_held(values: Numbers, times_ns: Times, answer: Evaluation) -> Numbers | None:
    """The values at which the rule held; None where no sample lies in a stretch that is shown."""
    if not answer.stretches:
        return None
    inside = np.zeros(len(times_ns), dtype=bool)
    for stretch in answer.stretches:
        inside |= (times_ns >= stretch.start_ns) & (times_ns <= stretch.end_ns)
    return values[inside & ~np.isnan(values)] if inside.any() else None


# -- what could not be judged --------------------------------------------------------------------------


def on_nothing(rules: Iterable[Rule], words: Vocabulary) -> list[Unjudged]:
    """Of a run that measured no host: everything is missing, on whatever system it is."""
    return [
        Unjudged(
            rule,
            Outcome.NOT_CAPTURED,
            "",
            tuple(Missing(name, words.probes_for(name, "")) for name in rule.metrics if name not in rule.optional),
        )
        for rule in rules
    ]


def not_judged(unjudged: Sequence[Unjudged]) -> tuple[list[NotJudged], list[NotJudged]]:
    """The unjudged by rule: those that lack something, and those that do not apply."""
    lacking: dict[tuple[str, str], list[Unjudged]] = {}
    for entry in unjudged:
        lacking.setdefault((entry.rule.id, entry.reason), []).append(entry)
    open_: list[NotJudged] = []
    other: list[NotJudged] = []
    for (rule_id, reason), own in lacking.items():
        missing: dict[str, dict[str, None]] = {}
        for entry in own:
            for one in entry.missing:
                missing.setdefault(one.signal, {}).update(dict.fromkeys(one.probes))
        summary = NotJudged(
            rule_id,
            own[0].rule.pack,
            reason,
            tuple(dict.fromkeys(entry.host for entry in own)),
            tuple(Missing(name, tuple(probes)) for name, probes in missing.items()),
        )
        (other if own[0].outcome in NOT_APPLICABLE else open_).append(summary)
    return open_, other
