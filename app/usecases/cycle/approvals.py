"""An approval covers the worksheet as it was approved: who approved six megabytes has not approved sixty."""

from __future__ import annotations

from dataclasses import replace

from app.domain.cycle.book import CycleEdit, RecordChange
from app.domain.cycle.worksheet import Action, ActionState, Decision

_PLANNED = (ActionState.DRAFT, ActionState.PROPOSED)


def without_stale_approvals(edit: CycleEdit) -> CycleEdit:
    """The edit, with the approvals taken off every worksheet whose substance it changes; refusals stay."""
    return CycleEdit(edit.name, tuple(_asked_anew(change) for change in edit.changes))


def _asked_anew(change: RecordChange) -> RecordChange:
    before, after = change.before, change.after
    if not isinstance(before, Action) or not isinstance(after, Action) or after.state not in _PLANNED:
        return change
    if before.consents != after.consents or substance(before) == substance(after):
        return change
    kept = tuple(consent for consent in after.consents if consent.decision is not Decision.APPROVED)
    return RecordChange(before, replace(after, consents=kept))


def substance(action: Action) -> tuple[object, ...]:
    """What an approval is about; a test of the rollback and evidence may be added to it later."""
    return (
        action.changes,
        tuple(replace(impact, evidence_ids=()) for impact in action.impacts),
        action.no_price_reason,
        action.risks,
        replace(action.rollback, tested_on="", tested_by=""),
        action.verifications,
    )


def withdrawn(edit: CycleEdit) -> tuple[Action, ...]:
    """The actions that lost an approval by the edit."""
    pairs = ((each.before, each.after) for each in edit.changes)
    return tuple(
        after
        for before, after in pairs
        if isinstance(before, Action) and isinstance(after, Action) and len(after.consents) < len(before.consents)
    )
