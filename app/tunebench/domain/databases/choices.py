"""What people decide about databases: which statements are the same, and what they confirm of licences."""

from __future__ import annotations

from tunebench.core.records import record


@record
class KeptLink:
    """A statement before tuning and the one that does its work afterwards, as a person says.

    Attributes:
        id: 0 while it is not kept.
        before_id, after_id: the engine's own ids; ``id@container`` where one container alone is meant.
        made_at: ISO (UTC).
    """

    id: int
    engine: str
    before_id: str
    after_id: str
    author: str = ""
    made_at: str = ""
    note: str = ""


@record
class LicenceConfirmation:
    """A person's word that a customer is licensed for what a capture reads.

    Attributes:
        id: 0 while it is not kept.
        host, database: for which; empty means all of them.
        subject: what was confirmed, such as ``oracle.diagnostics_pack``.
        confirmed_at: ISO (UTC).
        evidence: what it rests on: the contract, and what the database itself says.
    """

    id: int
    subject: str
    host: str
    database: str
    confirmed_by: str
    evidence: str
    confirmed_at: str = ""
    note: str = ""

    def covers(self, subject: str, host: str, database: str = "") -> bool:
        """Whether it was given for this."""
        return self.subject == subject and self.host in ("", host) and self.database in ("", database)
