"""Findings become causes and worksheet rows of the cycle, with their evidence pinned; both are edits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from tunebench.core.errors import UserError
from tunebench.core.grouping import by_key
from tunebench.core.messages import catalogue
from tunebench.core.patterns import lazy_pattern
from tunebench.diagnosis.cycle.known_effects import with_effect
from tunebench.diagnosis.cycle.results import top_targets
from tunebench.domain.cycle.book import CycleBook, CycleEdit, RecordChange
from tunebench.domain.cycle.evidence import Evidence, EvidenceTarget
from tunebench.domain.cycle.records import Cause, Confidence
from tunebench.domain.cycle.worksheet import Action, ParameterChange, Verification
from tunebench.domain.engagement import Direction, Run
from tunebench.domain.finding import Finding
from tunebench.domain.record_ids import book_after
from tunebench.domain.record_labels import label
from tunebench.domain.windows import Window
from tunebench.sdk.effects import KnownEffect
from tunebench.sdk.rules import Rule
from tunebench.store import merged_series
from tunebench.store.audit import trail as audit
from tunebench.store.project import Project
from tunebench.usecases import services
from tunebench.usecases.cycle import evidence as cycle_evidence
from tunebench.usecases.cycle import from_series
from tunebench.usecases.cycle.edits import add
from tunebench.usecases.cycle.from_series import opened
from tunebench.usecases.findings.words import RuleWords, caution_text, figures_text, share_text, thing_text

TAKEN = -2
"""The id that a cause has until it is kept; that of an iteration which is opened with it is -1."""
_MOST_STRETCHES = 3
_NOT_SHOWN_TO_LAST = frozenset({"one_sample", "few_samples", "since_boot"})
_WORD = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_.]+|[^\W\d_a-zA-Z]+")
_ORDINARY = frozenset({"data"})
"""A parameter of a known effect that is a word of everyday language too: found in a text, it proves nothing."""

R = TypeVar("R", Cause, Action)


def take_as_cause(
    project: Project, book: CycleBook, finding: Finding, rule: Rule, language: str, by: str = ""
) -> CycleEdit:
    """The finding as an open cause of the current iteration, which is opened where none is, its stretches pinned as
    evidence.

    Raises:
        UserError: finding_taken where it is a cause there already.
    """
    taken = cause_of(book, finding)
    if taken is not None:
        raise UserError("finding_taken", record=label(taken))
    words = RuleWords({rule.id: rule}, language)
    title = f"{words.title(rule.id)}: {thing_text(finding, language)}"
    begun = opened(book, title)
    cause = Cause(
        TAKEN,
        begun.iteration_id,
        rule.domain,
        title,
        "\n".join(_account(finding, words)),
        _confidence(finding, rule),
        finding=finding.key,
    )
    edit, now = add(book, cause), audit.now_iso()
    pins = (
        RecordChange(None, Evidence(0, 0, title, target, (TAKEN,), by, now)) for target in _targets(project, finding)
    )
    return CycleEdit("take_finding", (*begun.changes, *edit.changes, *pins))


def make_target(project: Project, book: CycleBook, finding: Finding, over: Run | Window, language: str) -> CycleEdit:
    """A metric of the first series that the finding rests on and that is known to be better high or low, with a target.

    Raises:
        UserError: finding_without_series, and what `from_series.make_target` raises.
    """
    ids = dict.fromkeys(evidence.series_id for evidence in finding.evidence if evidence.series_id is not None)
    series = [merged_series.find_merged(project, id_).info for id_ in ids]
    info = next((info for info in series if info.direction is not Direction.NEUTRAL), None)
    if info is None:
        raise UserError("finding_without_series", rule=finding.rule)
    return from_series.make_target(project, book, info, over, language)


def propose_action(
    project: Project,
    book: CycleBook,
    finding: Finding,
    rule: Rule,
    language: str,
    by: str = "",
    over: Run | Window | None = None,
) -> CycleEdit:
    """A draft row of the worksheet that answers the finding, with what is known of such changes; the finding is taken
    as its cause, with the evidence, where it was not yet. What it is verified by is the top priority of the iteration,
    where that has none a target of what the finding is about.

    Args:
        over: the window in which it was found, which a baseline is measured over; None: no target is made.

    Raises:
        UserError: finding_proposed where a row answers it already; finding_without_action where the rule knows none.
    """
    words = RuleWords({rule.id: rule}, language)
    if not words.action(rule.id):
        raise UserError("finding_without_action", rule=rule.id)
    answered = action_of(book, finding)
    if answered is not None:
        raise UserError("finding_proposed", record=label(answered))
    changes: list[RecordChange] = []
    cause = cause_of(book, finding)
    if cause is None:
        changes += take_as_cause(project, book, finding, rule, language, by).changes
        book = book_after(book, CycleEdit("take_finding", tuple(changes)))
    if over is not None and not top_targets(book, opened(book, "").iteration_id):
        making = _target_or_none(project, book, finding, over, language)
        changes += making
        book = book_after(book, CycleEdit("make_target", making))
    effect = effect_for(rule)
    title = catalogue(language).text(
        "diagnosis.action_title", title=words.title(rule.id), thing=thing_text(finding, language)
    )
    begun = opened(book, title)
    action = Action(
        0,
        begun.iteration_id,
        title,
        _changes(rule, effect),
        words.action(rule.id),
        (cause.id if cause is not None else TAKEN,),
        finding.key,
        caveat=words.tradeoff(rule.id),
        verifications=tuple(Verification(target.metric_id) for target in top_targets(book, begun.iteration_id)[:1]),
    )
    if effect is not None:
        action = with_effect(action, effect, language)
    return CycleEdit("propose_for_finding", (*changes, *begun.changes, *add(book, action).changes))


def _target_or_none(
    project: Project, book: CycleBook, finding: Finding, over: Run | Window, language: str
) -> tuple[RecordChange, ...]:
    """A row can be proposed all the same where nothing of the finding can be a target."""
    try:
        return make_target(project, book, finding, over, language).changes
    except UserError:
        return ()


def cause_of(book: CycleBook, finding: Finding) -> Cause | None:
    """The cause that the finding was taken as, in the current iteration."""
    return _record_of(book, Cause, finding)


def action_of(book: CycleBook, finding: Finding) -> Action | None:
    """The worksheet row that answers it, in the current iteration."""
    return _record_of(book, Action, finding)


def _record_of(book: CycleBook, kind: type[R], finding: Finding) -> R | None:
    records = book.in_iteration(kind, book.current.id) if book.current else ()
    return next((record for record in records if record.finding == finding.key), None)


def effect_for(rule: Rule) -> KnownEffect | None:
    """The known effect that shares most parameters with what the rule is about and what it advises."""
    effects, named = services.current().plugins.effects(), _named(rule)
    best = max(effects, key=lambda effect: len(named & set(effect.parameters)), default=None)
    return best if best is not None and named & set(best.parameters) else None


def _named(rule: Rule) -> set[str]:
    names = (*rule.metrics, *_WORD.findall(" ".join(rule.action.values())))
    return {name.lower() for name in names} - _ORDINARY


def _changes(rule: Rule, effect: KnownEffect | None) -> tuple[ParameterChange, ...]:
    """The parameters that the rule names itself; their values are the consultant's to find."""
    if effect is None:
        return ()
    named = _named(rule)
    return tuple(ParameterChange(name, mode=effect.mode) for name in effect.parameters if name in named)


def _confidence(finding: Finding, rule: Rule) -> Confidence:
    """How far the finding may be trusted, as the rule is; a single sample does not show that anything lasts."""
    if any(caution.key in _NOT_SHOWN_TO_LAST for caution in finding.cautions):
        return Confidence.LOW
    return rule.confidence


def _account(finding: Finding, words: RuleWords) -> Iterator[str]:
    """What was seen, by which rule, and what is to be known about it."""
    language = words.language
    yield f"{figures_text(finding, language)}; {share_text(finding, language)}"
    condition = words.condition(finding.rule)
    if condition:
        yield f"{finding.rule}: {condition}"
    for caution in finding.cautions:
        yield caution_text(caution, language)
    for text in (words.caveat(finding.rule), words.source(finding.rule)):
        if text:
            yield text


def _targets(project: Project, finding: Finding) -> Iterator[EvidenceTarget]:
    """The longest stretches, each with all series that the rule looked at; else the captures it rests on."""
    by_stretch = by_key(((evidence.start_ns, evidence.end_ns), evidence) for evidence in finding.evidence)
    longest = sorted(by_stretch.items(), key=lambda pair: -max(evidence.held for evidence in pair[1]))[:_MOST_STRETCHES]
    for (start, end), own in sorted(longest, key=lambda pair: pair[0]):
        series = [evidence.series_id for evidence in own if evidence.series_id is not None]
        if series:
            yield cycle_evidence.window(project, series, start, end)
        else:
            artefacts = dict.fromkeys(id_ for evidence in own for id_ in evidence.artefact_ids)
            yield from (cycle_evidence.capture(project, id_) for id_ in artefacts)
