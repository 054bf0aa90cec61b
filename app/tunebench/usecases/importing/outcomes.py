"""What became of each member on its way in, and the account of a bundle that comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from tunebench.capture.layouts import Sighting, shipped_layouts
from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.bundle import MEMBER_CANCELLED, Bundle, BundleMember, MemberState
from tunebench.domain.ledger import ImportState, Ledger
from tunebench.plughost.parser_entry import ParserEntry
from tunebench.transport.local import HEAD_BYTES
from tunebench.usecases.importing.date_orders import ProvenOrder
from tunebench.usecases.importing.results import ImportedFile


@record(frozen=False)
class Taken:
    """A capture that was stored and waits for its parser.

    Attributes:
        order: what its dates prove of the order of day and month.
        is_one_of_several: a part of a text of several hosts: what somebody says of the host of the whole is not of it.
    """

    artefact_id: int
    entry: ParserEntry
    known: Ledger
    size_bytes: int
    warnings: tuple[str, ...] = ()
    order: ProvenOrder | None = None
    is_one_of_several: bool = False

    @property
    def has_intervals(self) -> bool:
        """Whether it may hold more than one block."""
        return self.size_bytes > HEAD_BYTES or self.known.first_ns != self.known.last_ns


@record(frozen=False)
class Outcome:
    """One member.

    Attributes:
        name: inside its bundle; `path` is the whole of it, `place` what layouts see (see `Member.place`).
        reason: why it is not read, or what is wrong with what was read.
        taken: set until it is parsed.
        facts: what else its line in the bundle's account says.
        original: the binary file that this is the text of; `without_data` is the error where it gives no series.
        file: None for what is no capture.
    """

    name: str
    path: str
    state: MemberState
    seen: Sighting = field(default_factory=Sighting)
    kind: str = ""
    size_bytes: int = 0
    reason: UserError | None = None
    taken: Taken | None = None
    file: ImportedFile | None = None
    place: str = ""
    facts: dict[str, object] = field(default_factory=dict)
    original: Outcome | None = None
    without_data: UserError | None = None

    def finish(self, file: ImportedFile) -> None:
        self.file, self.taken = file, None
        self.state = MemberState(file.state.value)
        self.reason = file.error

    def give_up(self) -> None:
        """It was taken in and is not read any more."""
        self.finish(ImportedFile(self.path, ImportState.FAILED, error=UserError(MEMBER_CANCELLED, path=self.path)))
        self.state = MemberState.REFUSED

    def member(self) -> BundleMember:
        """Its line in the account of the bundle."""
        file = self.file
        role = shipped_layouts().role(file.host) if file else ""
        facts = {**self.facts, **(self.reason.facts if self.reason else {}), **({"role": role} if role else {})}
        return BundleMember(
            self.name,
            self.state,
            self.kind,
            self.size_bytes,
            file.artefact_id if file else None,
            file.host if file else "",
            self.reason.key if self.reason else "",
            facts,
        )


@record(frozen=False)
class Delivery:
    """One path that the user gave, and all that was found there.

    Attributes:
        form: see `Bundle.form`; empty for a plain file.
        told_hosts: host names that files of the delivery tell, by root (see `Sighting.root`).
    """

    path: str
    name: str
    form: str = ""
    size_bytes: int = 0
    sha256: str = ""
    modified_ns: int = 0
    outcomes: list[Outcome] = field(default_factory=list)
    told_hosts: dict[str, str] = field(default_factory=dict)

    def account(self) -> Bundle | None:
        """None for a plain file."""
        if not self.form:
            return None
        layouts = sorted({outcome.seen.layout for outcome in self.outcomes} - {""})
        return Bundle(
            0,
            self.name,
            self.path,
            self.form,
            self.size_bytes,
            self.sha256,
            self.modified_ns,
            "",
            tuple(layouts),
            tuple(outcome.member() for outcome in self.outcomes),
        )


def refused(name: str, path: str, error: UserError, size_bytes: int = 0) -> Outcome:
    """A member whose bytes are not read."""
    file = ImportedFile(path, ImportState.FAILED, error=error)
    return Outcome(name, path, MemberState.REFUSED, reason=error, file=file, size_bytes=size_bytes)


def no_capture(name: str, path: str, seen: Sighting, kind: str, size_bytes: int, reason: UserError | None) -> Outcome:
    return Outcome(name, path, MemberState.NOT_CAPTURE, seen, kind, size_bytes, reason)


def files_of(deliveries: Sequence[Delivery]) -> tuple[ImportedFile, ...]:
    return tuple(outcome.file for delivery in deliveries for outcome in delivery.outcomes if outcome.file is not None)
