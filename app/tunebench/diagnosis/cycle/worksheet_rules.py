"""When a row of the trade-off worksheet is complete (section 2.1 of the guide), and what a good one has besides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tunebench.diagnosis.cycle.gate import Fact, Gate
from tunebench.diagnosis.cycle.guards import missing_guards
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.records import Metric, StepNumber
from tunebench.domain.cycle.seals import has_substance
from tunebench.domain.cycle.worksheet import Action, Basis, Consent, Decision

COUPLED = (("maxcontig", "maxphys"), ("ncsize", "ufs_ninode"))
"""Parameters of which one has no effect, or a bad one, without the other (sections 4.5 and 5.3 of the guide)."""


def worksheet_gates(book: CycleBook, action: Action) -> tuple[Gate, ...]:
    """What the worksheet of an action lacks before it may be carried out; all but the approval."""
    return tuple(_lacks(book, action))


def approval_gates(action: Action) -> tuple[Gate, ...]:
    """Somebody has approved, and nobody's last word is another."""
    standing = last_words(action)
    against = [consent for consent in standing if consent.decision is not Decision.APPROVED]
    if against:
        first = against[0]
        return (gate_of("worksheet_not_agreed", action, name=first.name, role=first.role, decision=first.decision),)
    return () if standing else (gate_of("worksheet_unapproved", action),)


def is_approved(action: Action) -> bool:
    return not approval_gates(action)


def is_trade_off_point(action: Action) -> bool:
    """Whether it relieves one resource and makes another pay: the rows to talk about with the customer."""
    relieved = {impact.resource for impact in action.impacts if impact.direction > 0}
    return any(impact.resource not in relieved or len(relieved) > 1 for impact in action.prices) and bool(relieved)


def last_words(action: Action) -> tuple[Consent, ...]:
    """The last decision of each person; one without a name is nobody's."""
    latest: dict[str, Consent] = {}
    for consent in action.consents:
        name = consent.name.strip()
        if name:
            latest.pop(name, None)
            latest[name] = consent
    return tuple(latest.values())


def _lacks(book: CycleBook, action: Action) -> Iterator[Gate]:
    if not action.changes or any(not change.parameter.strip() for change in action.changes):
        yield gate_of("worksheet_no_change", action)
    for change in action.changes:
        if change.parameter.strip() and not change.new.strip():
            yield gate_of("worksheet_no_new_value", action, parameter=change.parameter)
    if not action.prices and not has_substance(action.no_price_reason):
        yield gate_of("worksheet_no_price", action)
    if not has_substance(action.rollback.command):
        yield gate_of("worksheet_no_rollback", action)
    if not any(_is_measurable(book, action, verification.metric_id) for verification in action.verifications):
        yield gate_of("worksheet_no_verification", action)
    for resource in missing_guards(book, action):
        yield gate_of("worksheet_no_guard", action, resource=resource)


def _is_measurable(book: CycleBook, action: Action, metric_id: int) -> bool:
    """A guard says what it costs, not whether it worked."""
    metric = book.find(Metric, metric_id)
    return metric is not None and metric.iteration_id == action.iteration_id and metric.guards is None


def gate_of(key: str, action: Action, **facts: Fact) -> Gate:
    return Gate(key, {"action": action.title, **facts}, (action.id,), StepNumber.COUNTERMEASURES)


# --- advice


def advice(action: Action) -> tuple[Gate, ...]:
    """What deserves a word and stops nothing; keys below ``advice.``."""
    return tuple(_remarks(action))


def _remarks(action: Action) -> Iterator[Gate]:
    if not action.hypothesis.strip():
        yield gate_of("no_hypothesis", action)
    if not action.cause_ids and not action.finding:
        yield gate_of("no_cause", action)
    if action.impacts and not any(impact.direction > 0 for impact in action.impacts):
        yield gate_of("no_relief", action)
    if action.rollback.command.strip() and not action.rollback.tested_on:
        yield gate_of("rollback_untested", action)
    yield from _uncoupled(action)
    yield from _shrinking(action)
    yield from _unsupported(action)


def _uncoupled(action: Action) -> Iterator[Gate]:
    names = {change.parameter.strip().rpartition(":")[2].lower() for change in action.changes}
    for pair in COUPLED:
        missing = [name for name in pair if name not in names]
        if len(missing) == 1:
            given = next(name for name in pair if name != missing[0])
            yield gate_of("coupled", action, given=given, missing=missing[0])


def _shrinking(action: Action) -> Iterator[Gate]:
    """An example value of a book may be smaller than what the machine already has (ncsize = 4000)."""
    for change in action.changes:
        old, new = _number(change.old), _number(change.new)
        if old is not None and new is not None and new < old:
            yield gate_of("shrinks", action, parameter=change.parameter, old=change.old, new=change.new)


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", "").strip())
    except ValueError:
        return None


def _unsupported(action: Action) -> Iterator[Gate]:
    lacks: Mapping[Basis, str] = {
        Basis.MEASURED: "unmeasured",
        Basis.FOUNDING: "unsourced",
        Basis.LITERATURE: "unsourced",
    }
    for impact in action.impacts:
        key = lacks.get(impact.basis, "")
        supported = impact.evidence_ids if impact.basis is Basis.MEASURED else impact.source.strip()
        if key and not supported:
            yield gate_of(key, action, resource=impact.resource, basis=impact.basis)
