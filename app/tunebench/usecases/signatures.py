"""Keys of approvers at work: plans and the audit trail signed, and everything that was signed verified again.

key = signatures.read_key(Path("kim"), passphrase)
capture_plans.approve(project, plan, "Kim", "signed_sheet", key=key)
signatures.sign_trail(project, "Kim", key)
signatures.verified(project).state
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from tunebench.core import records
from tunebench.core.errors import UserError
from tunebench.core.signing import SigningKey, fingerprint, read_public
from tunebench.core.signing import time_stamp_request as _request
from tunebench.core.whole_files import write_whole
from tunebench.domain.approving import ApprovalLacking, Approvers, Lack, head_text, plan_text
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.records import Outcome
from tunebench.domain.cycle.worksheet import Action
from tunebench.domain.engagement import Approvals
from tunebench.domain.record_labels import label
from tunebench.store import plans, trusted
from tunebench.store.audit import trail as audit
from tunebench.store.audit.replay import recorded_changes
from tunebench.store.check import CheckResult, result
from tunebench.store.cycle import records as cycle_records
from tunebench.store.project import Project
from tunebench.usecases.cycle.approving import lack_of
from tunebench.usecases.cycle.text import clean_text

CHECK = "signatures"
LARGEST_SIGNATURE = 64 << 10
_ENDED = (Outcome.MET, Outcome.ACCEPTED)


def read_key(path: Path, passphrase: str = "") -> SigningKey:
    """Raises UserError key_file_unreadable, key_passphrase_wrong, key_not_ed25519."""
    return SigningKey.read(path, passphrase)


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def plan_to_sign(digest: str, name: str, at: str) -> str:
    return plan_text(digest, clean_text(name), at)


def trust(project: Project) -> tuple[tuple[str, str], ...]:
    """This machine takes the project's policy and keys for right from now on; gives names and fingerprints."""
    trusted.trust(project)
    return listed(project)


def listed(project: Project) -> tuple[tuple[str, str], ...]:
    """Name and fingerprint of every contact with a key."""
    contacts = trusted.told_approvers(project).contacts
    return tuple((contact.name, fingerprint(contact.approver_key)) for contact in contacts if contact.approver_key)


def holder(project: Project, key: SigningKey) -> str:
    """Name of the contact whose key it is.

    Raises:
        ApprovalLacking: nobody's.
    """
    contact = trusted.told_approvers(project).of_key(key.public)
    if contact is None:
        raise ApprovalLacking(Lack.FOREIGN, name="–")
    return contact.name


def wants_signatures(project: Project) -> bool:
    return trusted.read_approvers(project).want_signatures


# -- the audit trail -----------------------------------------------------------------------------------


def sign_trail(project: Project, name: str, key: SigningKey) -> int:
    """Signs the audit trail up to its last entry; gives that entry's id.

    Raises:
        ApprovalLacking: it is not the key of that contact.
    """
    name = clean_text(name)
    with project.transaction():
        entry, digest = audit.chain_head(project)
        text = head_text(entry, digest, name)
        signature = key.sign(text)
        lack = _head_lack(trusted.read_approvers(project), name, signature, text)
        if lack is not None:
            raise ApprovalLacking(lack, name=name)
        audit.record(project, "trail_signed", entry=entry, digest=digest, by=name, signature=signature)
    return entry


def _head_lack(approvers: Approvers, name: str, signature: str, text: str) -> Lack | None:
    """Four eyes are for approvals: any contact with a key may sign the trail."""
    return replace(approvers, policy=Approvals.SIGNED).lacking(name, signature, text)


def write_time_stamp_request(project: Project, path: Path) -> tuple[int, str]:
    """What a time-stamp service is asked (RFC 3161, ``.tsq``): entry and digest of the trail's end.

    Raises:
        UserError: as `write_whole`.
    """
    entry, digest = audit.chain_head(project)
    write_whole(path, _request(digest))
    return entry, digest


# -- verified again ------------------------------------------------------------------------------------


@records.record
class Unverified:
    """`what`: a plan's digest, the title of a countermeasure, a place of the trail; `lack` a `Lack` or another key of
    ``signature.lack.``."""

    what: str
    name: str
    lack: str

    def as_found(self) -> dict[str, object]:
        return {"signature": self.what, "name": self.name, "lack": self.lack}


def verified(project: Project, keys: Iterable[Path] = ()) -> CheckResult:
    """Every signature of the project: of plans, countermeasures and the trail.

    Args:
        keys: files of public keys that were had from the approvers. With them nothing that the project says of its
            policy and its keys counts: every approval is to be signed by one of them.

    Raises:
        UserError: key_file_unreadable, key_line_unreadable.
    """
    given = frozenset(read_public(path) for path in keys)
    signed = _signatures(project, _strict(project, given) if given else trusted.read_approvers(project))
    return result(CHECK, [signature.as_found() for signature in signed if signature.lack], len(signed))


def forged(project: Project) -> list[object]:
    """As `verified` names them: signatures of other words, or by other keys. One that is missing proves nothing."""
    signed = _signatures(project, trusted.read_approvers(project))
    return [signature.as_found() for signature in signed if signature.lack in (Lack.WRONG, Lack.FOREIGN, Lack.SHARED)]


def _signatures(project: Project, approvers: Approvers) -> list[Unverified]:
    """Everything that is to be signed, what lacks nothing as well."""
    book = cycle_records.read_book(project)
    return [*_plans(project, approvers), *_actions(book, approvers), *_heads(project, approvers, book)]


def _strict(project: Project, keys: frozenset[str]) -> Approvers:
    approvers = trusted.told_approvers(project)
    policy = approvers.policy if approvers.want_signatures else Approvals.SIGNED
    return replace(approvers, policy=policy, trusted=keys)


def _plans(project: Project, approvers: Approvers) -> Iterator[Unverified]:
    """A plan needs one consent that is enough; a signature that is wrong is named beside others that are right."""
    for record in plans.list_plans(project):
        lacks = [(approval, plans.lack_of(project, approval, approvers)) for approval in record.approvals]
        enough = any(lack is None for _each, lack in lacks)
        for approval, lack in lacks:
            if not enough or lack in (Lack.WRONG, Lack.FOREIGN) or lack is None:
                yield Unverified(record.digest[:12], approval.approved_by, lack or "")


def _actions(book: CycleBook, approvers: Approvers) -> Iterator[Unverified]:
    for action in book.all(Action):
        for consent in action.consents:
            if consent.approves:
                yield Unverified(label(action), consent.name, lack_of(book, approvers, action, consent) or "")


def _heads(project: Project, approvers: Approvers, book: CycleBook) -> Iterator[Unverified]:
    """Every signature of the trail, and whether there is one since the last iteration was closed."""
    digests = {row.row.id: row.digest for row in audit.stream_rows(project)}
    last = 0
    for entry in audit.chained(project, "trail_signed"):
        facts = entry.facts
        at, name = int(str(facts.get("entry", 0))), str(facts.get("by", ""))
        text = head_text(at, digests.get(at, ""), name)
        lack = _head_lack(approvers, name, str(facts.get("signature", "")), text)
        last = max(last, at) if lack is None else last
        yield Unverified(f"#{at}", name, lack or "")
    if approvers.want_signatures:
        ends, newest = _ends(project), audit.last_entry(project)  # of what the trail does not tell
        for iteration in book.iterations:
            if iteration.outcome in _ENDED and ends.get(f"iteration.{iteration.id} outcome", newest) > last:
                yield Unverified(label(iteration), iteration.closed_by, "trail_unsigned")


def _ends(project: Project) -> dict[str, int]:
    """Place of an iteration's outcome in the trail -> the last entry that changed it."""
    changed = recorded_changes(project, "cycle_changed")
    return {key: entry.id for entry, changes in changed for key in changes if key.endswith(" outcome")}


def refuse_unsigned(project: Project, name: str, key: SigningKey | None) -> None:
    """Asked before an iteration is closed, so that nothing is closed that cannot be signed.

    Raises:
        UserError: close_unsigned without a key where the policy wants one; ApprovalLacking where it is not that of
            the contact `name`.
    """
    approvers = trusted.read_approvers(project)
    if key is None and approvers.want_signatures:
        raise UserError("close_unsigned")
    if key is not None:
        text = head_text(0, "", clean_text(name))
        lack = _head_lack(approvers, name, key.sign(text), text)
        if lack is not None:
            raise ApprovalLacking(lack, name=name)
