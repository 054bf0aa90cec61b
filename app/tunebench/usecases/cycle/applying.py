"""Does edits of the cycle's records, takes them back and does them again.

Builders (`edits`, `acts`, `evidence`) turn a book into an edit, and `apply` does it. What `apply` gives back is what
`undo` and `redo` take.
"""

from __future__ import annotations

from dataclasses import replace

from tunebench.diagnosis.cycle.guards import with_guards
from tunebench.domain.cycle.book import CycleEdit, Record, RecordChange
from tunebench.domain.cycle.records import Contact
from tunebench.domain.cycle.worksheet import Action, ActionState
from tunebench.domain.translations import in_both_languages, without_translations
from tunebench.store import engagements, trusted
from tunebench.store.cycle import records as cycle_records
from tunebench.store.locking import current_user
from tunebench.store.project import Project
from tunebench.usecases.cycle.approving import refuse_lacking
from tunebench.usecases.cycle.sealing import sealed
from tunebench.usecases.cycle.text import clean_edit

_PLANNED = (ActionState.DRAFT, ActionState.PROPOSED)


def apply(project: Project, edit: CycleEdit, who: str = "", reason: str = "") -> CycleEdit:
    """Does an edit: texts cleaned, a guard metric added for every resource that an action in it makes pay, the
    approvals taken off a worksheet that is no longer what was approved, what is approved sealed, and an amendment added
    for everything sealed that changes.

    Args:
        who: the person; the one who is logged in where none is named.
        reason: why something sealed changes; needed only there.

    Raises:
        SealedRefusal: something sealed would change without a reason.
        UserError: project_read_only, cycle_text_too_long, cycle_changed_meanwhile, cycle_record_in_use,
            cycle_dangling, cycle_circular.
    """
    language = engagements.read_engagement(project).language
    with project.transaction():
        edit = without_stale_approvals(clean_edit(edit))
        book, asked = cycle_records.read_book(project), edit
        edit = in_both_languages(lambda code: with_guards(book, asked, code), language)
        return _sealed(project, edit, who, reason)


def undo(project: Project, done: CycleEdit, who: str = "", reason: str = "") -> CycleEdit:
    """Takes back what `apply` or `redo` gave. Seals and amendments stay: what is sealed is amended once more, with a
    reason as for `apply`."""
    return _sealed(project, done.inverse, who, reason)


def redo(project: Project, done: CycleEdit, who: str = "", reason: str = "") -> CycleEdit:
    """Does again what was undone, under the same ids and evidence numbers; `reason` as for `undo`."""
    return _sealed(project, done, who, reason)


def _sealed(project: Project, edit: CycleEdit, who: str, reason: str) -> CycleEdit:
    by = who or current_user()
    with project.transaction():
        edit = sealed(project, edit, by, reason)
        refuse_lacking(project, edit)
        done = cycle_records.apply(project, edit, by)
        for old, new in map(_keys_of, done.changes):
            if old != new:
                trusted.key_said(project, old, new)
    return done


def _keys_of(change: RecordChange) -> tuple[str, str]:
    """An approver's key before and after; "" for none."""
    return _key_of(change.before), _key_of(change.after)


def _key_of(record: Record | None) -> str:
    return record.approver_key if isinstance(record, Contact) else ""


# -- an approval covers the worksheet as it was approved -----------------------------------------------


def without_stale_approvals(edit: CycleEdit) -> CycleEdit:
    """The edit, with the approvals taken off every worksheet whose substance it changes; refusals stay. Who approved
    six megabytes has not approved sixty."""
    return CycleEdit(edit.name, tuple(_asked_anew(change) for change in edit.changes))


def _asked_anew(change: RecordChange) -> RecordChange:
    before, after = change.before, change.after
    if not isinstance(before, Action) or not isinstance(after, Action) or after.state not in _PLANNED:
        return change
    if before.consents != after.consents or _substance(before) == _substance(after):
        return change
    kept = tuple(consent for consent in after.consents if not consent.approves)
    return RecordChange(before, replace(after, consents=kept))


def _substance(action: Action) -> tuple[object, ...]:
    """What an approval is about; a test of the rollback and evidence may be added to it later, and what says it in
    another language is an amendment."""
    action = without_translations(action)
    return (
        action.title,
        action.changes,
        action.hypothesis,
        tuple(replace(impact, evidence_ids=()) for impact in action.impacts),
        action.no_price_reason,
        action.risks,
        replace(action.rollback, tested_on="", tested_by=""),
        action.verifications,
    )


def withdrawn(edit: CycleEdit) -> tuple[Action, ...]:
    """The actions that lost an approval by the edit."""
    pairs = ((change.before, change.after) for change in edit.changes)
    return tuple(
        after
        for before, after in pairs
        if isinstance(before, Action) and isinstance(after, Action) and len(after.consents) < len(before.consents)
    )
