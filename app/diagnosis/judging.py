"""All rules over everything that one host measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from app.analysis.expressions import Figures
from app.analysis.expressions.moments import Moments
from app.diagnosis.cycle.evidence import EvidenceFinder, telling
from app.diagnosis.rules.evaluation import Evaluation, Outcome, Subject, evaluate
from app.diagnosis.signals.resolving import HostSignals, Thing
from app.diagnosis.signals.streams import Numbers, Stream, Times, coarsest, onto, spacing_ns
from app.diagnosis.signals.vocabulary import Vocabulary
from app.diagnosis.use_table import probes_for
from app.diagnosis.weighing import weighed
from app.domain.engagement import Run
from app.domain.finding import Caution, Fact, Finding, FindingEvidence, Missing, NotJudged, Severity
from app.sdk.rules import Rule, RuleKind

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


@dataclass(frozen=True, slots=True)
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
    """What came of the rules; `passed` are those that were judged and did not hold."""

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
    """Those that can say anything at all."""
    return [rule for rule in rules if rule.kind not in _SKIPPED and rule.levels]


def judge_host(
    signals: HostSignals, rules: Sequence[Rule], run: Run, os_version: str, evidence: EvidenceFinder
) -> Judged:
    """Every rule on every thing of the host that it is about."""
    book = _FigureBook(signals, _names_by_scope(signals, rules))
    found = Judged()
    for rule in rules:
        scope = signals.vocabulary.scope_of((*rule.metrics, *(name for each in rule.scopes for name in each.metrics)))
        found.add(_judge_rule(rule, scope, book, run, os_version, evidence))
    found.findings = weighed(found.findings, found.passed, {rule.id: rule for rule in rules})
    return found


def _names_by_scope(signals: HostSignals, rules: Sequence[Rule]) -> dict[str, tuple[str, ...]]:
    names: dict[str, dict[str, None]] = {}
    for rule in rules:
        own = (*rule.metrics, *(name for each in rule.scopes for name in each.metrics))
        names.setdefault(signals.vocabulary.scope_of(own), {}).update(dict.fromkeys(own))
    return {scope: tuple(own) for scope, own in names.items()}


def _judge_rule(
    rule: Rule, scope: str, book: _FigureBook, run: Run, os_version: str, evidence: EvidenceFinder
) -> Judged:
    found = Judged()
    refusals: list[Evaluation] = []
    signals = book.signals
    for thing in signals.things(scope):
        media = signals.fact("media", thing) if scope == "device" else None
        subject = Subject(os=signals.os, os_version=os_version, media=str(media or ""))
        figures, streams = book.figures(rule, thing)
        answer = evaluate(rule, figures, subject)
        if not answer.outcome.judged:
            refusals.append(answer)
            continue
        made = _finding(rule, answer, thing, streams, signals, run, evidence)
        (found.findings if answer.outcome is Outcome.HELD else found.passed).append(made)
    if not found.findings and not found.passed:
        found.unjudged.append(_unjudged(rule, refusals, signals))
    return found


def _unjudged(rule: Rule, refusals: Sequence[Evaluation], signals: HostSignals) -> Unjudged:
    if not refusals:  # the host has nothing of that kind: no disk, no interface was captured
        names = tuple(name for name in rule.metrics if name not in rule.optional)
        answer = Evaluation(rule, Outcome.NOT_CAPTURED, missing=names)
        if not _on_system(rule, signals.os):
            answer = Evaluation(rule, Outcome.OTHER_SYSTEM)
    else:
        answer = min(refusals, key=lambda each: _TELLING_FIRST.index(each.outcome))
    missing = tuple(Missing(name, probes_for(signals, name)) for name in answer.missing)
    return Unjudged(rule, answer.outcome, signals.host, missing)


def _on_system(rule: Rule, os: str) -> bool:
    return evaluate(rule, Figures({}), Subject(os=os)).outcome is not Outcome.OTHER_SYSTEM


# -- figures -------------------------------------------------------------------------------------------


class _FigureBook:
    """The figures of every thing of a host: one set per thing and time axis, used by all rules."""

    def __init__(self, signals: HostSignals, names: Mapping[str, tuple[str, ...]]) -> None:
        self.signals = signals
        self._names = names
        self._streams: dict[Thing, dict[str, Stream]] = {}
        self._facts: dict[Thing, dict[str, Fact]] = {}
        self._figures: dict[tuple[Thing, int], tuple[Times, Figures]] = {}
        self._moments: dict[int, Moments] = {}

    def figures(self, rule: Rule, thing: Thing) -> tuple[Figures, dict[str, Stream]]:
        """On the times of the coarsest figure that the rule uses; and the figures over time that it uses."""
        all_streams = self._of(thing)
        own = {name: all_streams[name] for name in rule.metrics if name in all_streams}
        if not own:
            return Figures(self._facts[thing]), {}
        base = coarsest(list(own.values()))
        key = (thing, id(base.times_ns))
        if key not in self._figures:
            self._figures[key] = (base.times_ns, self._made(thing, base))
        return self._figures[key][1], own

    def _of(self, thing: Thing) -> dict[str, Stream]:
        if thing not in self._streams:
            names = self._names.get(thing.scope, ())
            found = {name: self.signals.stream(name, thing) for name in names}
            self._streams[thing] = {
                name: stream for name, stream in found.items() if stream is not None and stream.measured
            }
            told = {name: self.signals.fact(name, thing) for name in names if name not in self._streams[thing]}
            self._facts[thing] = {name: value for name, value in told.items() if value is not None}
        return self._streams[thing]

    def _made(self, thing: Thing, base: Stream) -> Figures:
        spacing = spacing_ns(base)
        values: dict[str, NDArray[np.float64] | float | str | bool | None] = dict(self._facts[thing])
        for name, stream in self._streams[thing].items():
            values[name] = onto(stream, base.times_ns, spacing)
        found = Figures(values, base.times_ns)
        found.moments = self._moments.setdefault(id(found.moments.times_ns), found.moments)  # of all on that clock
        return found


# -- findings ------------------------------------------------------------------------------------------


def _finding(
    rule: Rule,
    answer: Evaluation,
    thing: Thing,
    streams: Mapping[str, Stream],
    signals: HostSignals,
    run: Run,
    evidence: EvidenceFinder,
) -> Finding:
    held = answer.outcome is Outcome.HELD
    facts = _facts(rule, answer, thing, streams, signals)
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
    found = []
    if any(stream.since_boot for stream in streams.values()):
        found.append(Caution("since_boot", {"n": answer.n}))
    for name in answer.rule.metrics:
        if name in signals.facts.derived and name not in streams:
            found.append(Caution("derived_default", {"figure": name}))
    if answer.absent:
        found.append(Caution("judged_without", {"figures": ", ".join(answer.absent)}))
    return found


def _facts(
    rule: Rule, answer: Evaluation, thing: Thing, streams: Mapping[str, Stream], signals: HostSignals
) -> dict[str, Fact]:
    """Medians where the rule held (over all samples where it did not), the most telling values, and plain facts."""
    facts: dict[str, Fact] = {}
    for name in rule.metrics:
        stream = streams.get(name)
        if stream is None:
            told = signals.fact(name, thing)
            if told is not None:
                facts[name] = told
            continue
        values = _where_held(stream, answer)
        if values.size:
            facts[name] = float(np.median(values))
            facts[f"{name}_worst"] = telling(values, signals.vocabulary.direction_of(name))
    return facts


def _where_held(stream: Stream, answer: Evaluation) -> Numbers:
    # of several processors the busiest; one that was not there at the time counts for nothing
    values = np.fmax.reduce(stream.values, axis=0) if stream.values.ndim == 2 else stream.values
    if answer.stretches:
        inside = np.zeros(len(stream), dtype=bool)
        for stretch in answer.stretches:
            inside |= (stream.times_ns >= stretch.start_ns) & (stream.times_ns <= stretch.end_ns)
        if inside.any():
            values = values[inside]
    return values[~np.isnan(values)]


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
    """By rule: those that lack something, and those that do not apply."""
    lacking: dict[tuple[str, str], list[Unjudged]] = {}
    for each in unjudged:
        lacking.setdefault((each.rule.id, each.reason), []).append(each)
    open_: list[NotJudged] = []
    other: list[NotJudged] = []
    for (rule_id, reason), own in lacking.items():
        missing: dict[str, dict[str, None]] = {}
        for each in own:
            for one in each.missing:
                missing.setdefault(one.signal, {}).update(dict.fromkeys(one.probes))
        made = NotJudged(
            rule_id,
            own[0].rule.pack,
            reason,
            tuple(dict.fromkeys(each.host for each in own)),
            tuple(Missing(name, tuple(probes)) for name, probes in missing.items()),
        )
        (other if own[0].outcome in NOT_APPLICABLE else open_).append(made)
    return open_, other
