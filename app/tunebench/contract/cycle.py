"""JSON of the cycle: a public contract. A record has its ``id``, ``kind`` and fields under their own names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from enum import Enum
from typing import Any
from zoneinfo import ZoneInfo

from tunebench.analysis.comparing.improvement import Improvement
from tunebench.contract.comparing import gate_check
from tunebench.contract.shapes import Shape
from tunebench.diagnosis.cycle.board import Standing, StepStanding
from tunebench.diagnosis.cycle.gate import Gate
from tunebench.diagnosis.cycle.next_step import NextAction
from tunebench.diagnosis.cycle.results import GuardStanding, TargetStanding, outcome_of
from tunebench.domain.comparability import FigureInterval
from tunebench.domain.cycle.book import CycleBook, CycleEdit, Record, kind_of
from tunebench.domain.cycle.evidence import Evidence
from tunebench.domain.cycle.record_json import fields_of
from tunebench.domain.cycle.recorded import Told, decision_on
from tunebench.domain.cycle.records import (
    Attachment,
    Cause,
    Contact,
    CustomerIssue,
    Iteration,
    Metric,
    Question,
    Result,
    ResultSummary,
    SystemInScope,
    Target,
    Term,
)
from tunebench.domain.cycle.seals import Amendment, Seal
from tunebench.domain.cycle.worksheet import Action, ExecutedChange
from tunebench.domain.engagement import Engagement
from tunebench.sdk.effects import KnownEffect
from tunebench.usecases.cycle.figures import BrokenRecord
from tunebench.usecases.cycle.words import qualifications

_OF_ITERATION: Mapping[str, type[Record]] = {
    "questions": Question,
    "attachments": Attachment,
    "metrics": Metric,
    "causes": Cause,
    "seals": Seal,
    "amendments": Amendment,
}
_OF_ENGAGEMENT: Mapping[str, type[Record]] = {
    "issues": CustomerIssue,
    "systems": SystemInScope,
    "contacts": Contact,
    "terms": Term,
    "evidence": Evidence,
}


def record(one: Record) -> Shape:
    """As it is kept: what an iteration came to is said by `iteration`."""
    code = {"code": one.code} if isinstance(one, Evidence) else {}
    return {"id": one.id, "kind": kind_of(one), **code, **fields_of(one)}


def done(edit: CycleEdit) -> Shape:
    """What an edit came to: records added or changed as they are now, and the ids of those that are gone."""
    after = {change.after.id: change.after for change in edit.changes if change.after is not None}
    gone = [change.before.id for change in edit.changes if change.before is not None and change.after is None]
    return {"edit": edit.name, "records": [record(one) for one in after.values()], "removed": gone}


def effect(one: KnownEffect) -> Shape:
    return {
        "id": one.id,
        "change": dict(one.change),
        "parameters": list(one.parameters),
        "coupled": list(one.coupled),
        "mode": one.mode.value,
        "source": one.source,
        "caveat": dict(one.caveat),
        "impacts": [{"resource": impact.resource.value, "direction": impact.direction} for impact in one.impacts],
    }


def gate(one: Gate | NextAction) -> Shape:
    facts = {name: _plain(value) for name, value in one.facts.items()}
    return {"key": one.key, "step": int(one.step), "facts": facts, "records": list(one.record_ids)}


def _plain(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    return [_plain(part) for part in value] if isinstance(value, tuple) else value


def whole(engagement: Engagement, book: CycleBook, standing: Standing, broken: Sequence[BrokenRecord]) -> Shape:
    zone = ZoneInfo(engagement.zone)
    of_engagement = {name: [record(one) for one in book.all(kind)] for name, kind in _OF_ENGAGEMENT.items()}
    return {
        "engagement": asdict(engagement),
        **of_engagement,
        "iterations": [iteration(book, one) for one in book.iterations],
        "iteration": None if standing.iteration is None else _iteration(book, standing.iteration, standing, zone),
        "next": gate(standing.next_action),
        "broken": [{"record": one.record.id, "key": one.why.key, "facts": dict(one.why.facts)} for one in broken],
    }


def iteration(book: CycleBook, one: Iteration) -> Shape:
    """An iteration; its outcome is what its target came to, so that one without a target is not called missed."""
    return {**record(one), "outcome": outcome_of(book, one).value}


def stand(standing: Standing, iterations: int) -> Shape | None:
    """What ``info`` says of the cycle; None before the first iteration."""
    if standing.iteration is None:
        return None
    return {
        "iterations": iterations,
        "number": standing.iteration.number,
        "title": standing.iteration.title,
        "outcome": standing.outcome.value,
        "steps": [step.state.value for step in standing.steps],
        "gates": len(standing.gates),
        "next": standing.next_action.key,
    }


def _iteration(book: CycleBook, here: Iteration, board: Standing, zone: ZoneInfo) -> Shape:
    lists = {name: [record(one) for one in book.in_iteration(kind, here.id)] for name, kind in _OF_ITERATION.items()}
    actions = {action.id for action in book.in_iteration(Action, here.id)}
    summaries = book.in_iteration(ResultSummary, here.id)
    standings = {standing.target.id: standing for standing in board.targets}
    return {
        **iteration(book, here),
        "steps": [_step(one) for one in board.steps],
        **lists,
        "actions": [{**record(one), "consents": _consents(book, one)} for one in book.in_iteration(Action, here.id)],
        "results": [
            {**record(one), "recorded_at": _recorded(book, (one.id, "after"))}
            for one in book.in_iteration(Result, here.id)
        ],
        "targets": [
            {**record(one), "standing": _target(standings[one.id], board, zone) if one.id in standings else None}
            for one in book.in_iteration(Target, here.id)
        ],
        "guards": [_guard(one) for one in board.guards],
        "executed": [
            {
                **record(one),
                "recorded_at": _recorded(book, (one.id, "executed_at")),
                "rollback_recorded_at": _recorded(book, (one.id, "rolled_back_at")),
            }
            for one in book.all(ExecutedChange)
            if one.action_id in actions
        ],
        "disclosures": [gate(one) for one in board.disclosures],
        "contradicted": list(board.contradicted),
        "summary": record(summaries[-1]) if summaries else None,
        "shift": {"state": board.shift.state.value, "measured": board.shift.measured},
        "gates": [gate(one) for one in board.gates],
    }


def _consents(book: CycleBook, one: Action) -> list[Shape]:
    return [
        {
            **asdict(consent),
            "decision": consent.decision.value,
            "recorded_at": _recorded(book, decision_on(one.id, consent)),
        }
        for consent in one.consents
    ]


def _recorded(book: CycleBook, key: Told) -> str | None:
    """When a value was recorded, by the program's own clock; null where the audit trail does not say it."""
    entry = book.recorded.get(key)
    return entry.at if entry is not None else None


def _step(one: StepStanding) -> Shape:
    return {
        "number": int(one.number),
        "name": one.number.name.lower(),
        "state": one.state.value,
        "id": one.record.id if one.record else None,
        "owner": one.record.owner if one.record else "",
        "notes": one.record.notes if one.record else "",
        "counts": dict(one.counts),
        "gates": one.gates,
        "open_questions": one.open_questions,
        "attachments": one.attachments,
        "evidence": one.evidence,
    }


def _target(one: TargetStanding, board: Standing, zone: ZoneInfo) -> Shape:
    subject = qualifications(one, board.amendments, board.disclosures)
    return {
        "state": one.state.value,
        "subject_to": [{"key": key, **facts} for key, facts in subject],
        "way": one.way,
        "descriptive_only": one.descriptive_only,
        **_basis(one.interval),
        "now": one.now.value if one.now else None,
        **_change(one.improvement),
        "refused_by": [gate_check(check, zone) for check in one.refusals],
    }


def _guard(one: GuardStanding) -> Shape:
    return {
        "metric": one.metric.id,
        "action": one.action.id,
        "limit": one.limit,
        "state": one.state.value,
        **_basis(one.interval),
        "before": one.before.value if one.before else None,
        "now": one.now.value if one.now else None,
        **_change(one.improvement),
    }


def _basis(one: FigureInterval | None) -> dict[str, Any]:
    """What the state rests on: null where the figure is taken as it stands."""
    if one is None:
        return {"interval": None, "basis": None}
    variation = {"sd": one.sd, "df": one.df, "source": one.source}
    return {
        "interval": [one.low, one.high],
        "basis": {
            "mean_of_occurrences": one.value,
            "occurrences": one.occurrences,
            "natural_variation": variation,
            "short": one.short,
            "confidence": one.confidence,
            "judged_together": one.together,
            "difference": None if one.change is None or one.change.difference is None else list(one.change.difference),
        },
    }


def _change(one: Improvement) -> dict[str, Any]:
    return {
        "change": one.change.value,
        "ratio": None if one.ratio is None else float(one.ratio),
        "ratio_estimate": one.estimate,
        "ratio_ci95": None if one.interval is None else list(one.interval),
        "rate_pct": None if one.rate_pct is None else float(one.rate_pct),
        "at_least": one.at_least,
        "reason": one.reason or None,
    }
