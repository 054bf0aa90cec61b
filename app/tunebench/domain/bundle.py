"""Archives and folders that were imported as one, and what became of everything in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from tunebench.core.errors import UserError
from tunebench.core.records import record

MEMBER_CANCELLED, REST_CANCELLED = "member_cancelled", "bundle_cancelled"
"""Reasons of what is not in because the import was cancelled: of one member, of all that was not looked at."""


class MemberState(StrEnum):
    """The first five are those of any imported file, see `tunebench.domain.ledger.ImportState`."""

    IMPORTED = "imported"
    DUPLICATE = "duplicate"
    UNRECOGNISED = "unrecognised"
    FAILED = "failed"
    KEPT = "kept"
    NOT_CAPTURE = "not_capture"  # by its layout a log, a list of packages, a link ...
    REFUSED = "refused"  # not read: encrypted, too large, a name that leads out ...


@record
class BundleMember:
    """What became of one member.

    Attributes:
        name: inside the bundle, with ``!/`` behind a nested archive; empty for the bundle itself (damage).
        kind: what its layout calls it (``oswvmstat``, ``package_list``), or ``link``, ``special``, ``hidden``.
        reason: key of the sentence below ``error.`` where something is wrong with it, `facts` its place-holders.
        host: the host it was put to.
    """

    name: str
    state: MemberState
    kind: str = ""
    size_bytes: int = 0
    artefact_id: int | None = None
    host: str = ""
    reason: str = ""
    facts: Mapping[str, object] = field(default_factory=dict)

    @property
    def cancelled(self) -> bool:
        """Whether it is not in for no other reason than that the import was cancelled."""
        return self.reason in (MEMBER_CANCELLED, REST_CANCELLED)

    @property
    def unknown_sections(self) -> tuple[tuple[int, str], ...]:
        """Line and first words of each section, in a text of several tools, that no parser reads."""
        sections = self.facts.get("unknown_sections")
        return tuple((int(line), str(words)) for line, words in sections) if isinstance(sections, list) else ()

    @property
    def refusal(self) -> UserError | None:
        """Why it is not read, or what is wrong with it."""
        return UserError(self.reason, **self.facts) if self.reason else None


@record
class Bundle:
    """One archive or folder with its ledger.

    Attributes:
        form: ``folder``, ``zip``, ``tar``, ``tar.gz``, ``xz`` ...
        sha256: of the archive as a file; empty for a folder.
        size_bytes: of the archive as a file; of a folder's files together.
        layouts: ids of the layouts that members were recognised by.
    """

    id: int
    name: str
    path: str
    form: str
    size_bytes: int
    sha256: str
    modified_ns: int
    imported_at: str
    layouts: tuple[str, ...] = ()
    members: tuple[BundleMember, ...] = ()

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts that its members were put to, in order of their names."""
        return tuple(sorted({member.host for member in self.members} - {""}))

    @property
    def roles(self) -> dict[str, str]:
        """Roles of the hosts whose names say it: ``storage_server``, ``database_server``."""
        return {m.host: str(m.facts["role"]) for m in self.members if m.host and "role" in m.facts}

    @property
    def kinds(self) -> dict[str, int]:
        """Kinds of the members that are no captures, the most frequent first."""
        counts = Counter(member.kind for member in self.members if member.state is MemberState.NOT_CAPTURE)
        return dict(counts.most_common())

    @property
    def totals(self) -> dict[MemberState, int]:
        """How many members became what, every state named."""
        counts = Counter(member.state for member in self.members)
        return {state: counts[state] for state in MemberState}
