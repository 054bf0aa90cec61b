"""Whether a countermeasure is approved as the engagement's policy wants it, by signatures of what was sealed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256

from tunebench.core.signing import SigningKey
from tunebench.domain.approving import ApprovalLacking, Approvers, Lack, action_text
from tunebench.domain.cycle.book import CycleBook, CycleEdit
from tunebench.domain.cycle.seals import Seal
from tunebench.domain.cycle.worksheet import Action, ActionState, Consent
from tunebench.domain.record_ids import book_after
from tunebench.domain.record_labels import reference_of
from tunebench.store.cycle import records as cycle_records
from tunebench.store.project import Project
from tunebench.store.trusted import first_entry, read_approvers
from tunebench.usecases.cycle.sealing import content_of, unamended
from tunebench.usecases.cycle.text import clean_text

_CARRIED_OUT = (ActionState.EXECUTED, ActionState.ROLLED_BACK)


def text_to_sign(project: Project, book: CycleBook, action: Action, name: str, at: str) -> str:
    """What an approver signs: the digest of all that the approval is about, who approves, and the moment."""
    return action_text(first_entry(project), _digest(content_of(book, action)), clean_text(name), at)


def signed(project: Project, book: CycleBook, action: Action, consent: Consent, key: SigningKey) -> Consent:
    return replace(consent, signature=key.sign(text_to_sign(project, book, action, consent.name, consent.decided_at)))


def lack_of(book: CycleBook, approvers: Approvers, action: Action, consent: Consent) -> Lack | None:
    """What a consent lacks. It is to what is there now, or to what was sealed, where amendments tell all that is
    different since."""
    digests = [_digest(content_of(book, action))]
    digests += [seal.digest for seal in _seals(book, action) if not any(unamended(book, seal))]
    texts = (action_text(approvers.engagement, digest, consent.name, consent.decided_at) for digest in digests)
    lacks = [approvers.lacking(consent.name, consent.signature, text) for text in texts]
    return None if None in lacks else lacks[0]


def _seals(book: CycleBook, action: Action) -> Iterator[Seal]:
    return (
        seal for seal in book.all(Seal) if seal.record == reference_of(action) and seal.digest == _digest(seal.content)
    )


def _digest(content: str) -> str:
    return sha256(content.encode()).hexdigest()


def refuse_lacking(project: Project, edit: CycleEdit) -> None:
    """No approval that the engagement's policy does not take, and nothing carried out without one that it takes.

    Raises:
        ApprovalLacking.
    """
    pairs = [(change.before, change.after) for change in edit.changes]
    acts = [(old, new) for old, new in pairs if isinstance(new, Action) and (_given(old, new) or _is_begun(old, new))]
    if not acts:
        return
    book, approvers = book_after(cycle_records.read_book(project), edit), read_approvers(project)
    for old, new in acts:
        lacks = {consent: lack_of(book, approvers, new, consent) for consent in new.consents if consent.approves}
        if _is_begun(old, new) and None in lacks.values():
            continue
        for consent in lacks if _is_begun(old, new) else _given(old, new):
            lack = lacks[consent]
            if lack is not None:
                raise ApprovalLacking(lack, name=consent.name)


def _given(old: object, new: Action) -> list[Consent]:
    earlier = old.consents if isinstance(old, Action) else ()
    return [consent for consent in new.consents if consent.approves and consent not in earlier]


def _is_begun(old: object, new: Action) -> bool:
    """Whether the change says that it was carried out."""
    return new.state is ActionState.EXECUTED and not (isinstance(old, Action) and old.state in _CARRIED_OUT)
