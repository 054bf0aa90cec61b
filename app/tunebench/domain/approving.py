"""Approvals that bind: who may give one, what is signed for it, and whether what was given is enough."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.core.signing import as_signature, signer_of
from tunebench.domain.cycle.records import Contact
from tunebench.domain.cycle.worksheet import person
from tunebench.domain.engagement import Approvals

_SIGNED = (Approvals.SIGNED, Approvals.FOUR_EYES)


class Lack(StrEnum):
    """What an approval lacks."""

    UNKNOWN = "unknown"  # named, and no contact of the engagement
    KEYLESS = "keyless"  # a contact whose key nobody has entered
    UNSIGNED = "unsigned"
    WRONG = "wrong"  # not of these words: they, or the signature, were changed
    FOREIGN = "foreign"  # by another key than the approver's
    SHARED = "shared"  # one key of two persons
    UNTRUSTED = "untrusted"  # a key that this machine does not know for the engagement's
    SAME = "same"  # who approves carries it out


class ApprovalLacking(UserError):
    """An approval that the engagement's policy does not take: keys ``approval_lacking_...``."""

    def __init__(self, lack: Lack, **facts: object) -> None:
        super().__init__(f"approval_lacking_{lack}", **facts)


@record
class Approvers:
    """By whom, and how, something is approved in an engagement.

    Attributes:
        trusted: keys that count whatever the project says; None where its contacts' keys do.
        engagement: digest of the first entry of its trail, by which no other one's approvals count here.
    """

    policy: Approvals = Approvals.NONE
    contacts: tuple[Contact, ...] = ()
    trusted: frozenset[str] | None = None
    engagement: str = ""

    @property
    def want_signatures(self) -> bool:
        return self.policy in _SIGNED

    def lacking(self, name: str, signature: str, text: str, others: Iterable[str] = ()) -> Lack | None:
        """What an approval by `name` lacks.

        A signature that is there is verified whatever the policy; words that are none (the number of a document) are
        none.

        Args:
            text: what was to be signed.
            others: who carries it out.
        """
        if self.policy is Approvals.FOUR_EYES and person(name) in {person(other) for other in others}:
            return Lack.SAME
        contacts = [contact for contact in self.contacts if person(contact.name) == person(name)]
        if not contacts and self.policy is not Approvals.NONE:
            return Lack.UNKNOWN
        keys = {contact.approver_key for contact in contacts if contact.approver_key}
        if not as_signature(signature):
            return (Lack.UNSIGNED if keys else Lack.KEYLESS) if self.want_signatures else None
        signer = signer_of(signature, text)
        if not signer:
            return Lack.WRONG
        return self._of_key(signer, name, keys)

    def _of_key(self, signer: str, name: str, keys: set[str]) -> Lack | None:
        if not keys:
            return Lack.KEYLESS if self.want_signatures else None
        if signer not in keys:
            return Lack.FOREIGN
        if any(contact.approver_key == signer and person(contact.name) != person(name) for contact in self.contacts):
            return Lack.SHARED
        return None if self.trusted is None or signer in self.trusted else Lack.UNTRUSTED

    def of_key(self, public: str) -> Contact | None:
        """The contact whose key it is."""
        return next((contact for contact in self.contacts if contact.approver_key == public), None)


# -- what is signed: a text that the approver can read -------------------------------------------------


def plan_text(digest: str, name: str, at: str) -> str:
    return _text("capture plan", ("plan", digest), ("name", name), ("at", at))


def action_text(engagement: str, digest: str, name: str, at: str) -> str:
    """`digest`: of the text that is sealed, which may be the same in two engagements."""
    return _text("countermeasure", ("engagement", engagement), ("seal", digest), ("name", name), ("at", at))


def head_text(entry: int, digest: str, name: str) -> str:
    """The audit trail up to an entry, whose digest is over all before it."""
    return _text("audit trail", ("entry", str(entry)), ("digest", digest), ("name", name))


def _text(what: str, *lines: tuple[str, str]) -> str:
    stated = (f"{name}: {' '.join(value.split())}" for name, value in lines)
    return "\n".join((f"TuneBench approval 1: {what}", *stated, ""))
