"""What holds between the records of a cycle: every name leads to a record of the right kind, and no way in a circle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from zoneinfo import ZoneInfo, available_timezones

from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.cycle.book import KINDS, CycleBook, Record
from tunebench.domain.cycle.evidence import Evidence, EvidenceKind
from tunebench.domain.cycle.records import Iteration
from tunebench.domain.schema import Names, named
from tunebench.domain.windows import Window, fault_of, stretch_text


@record
class Naming:
    """A field of `record` that names another record; `kind` None where any may be named."""

    record: Record
    field: str
    named_id: int
    kind: type[Record] | None

    def holds_in(self, book: CycleBook) -> bool:
        named = book.records.get(self.named_id)
        return named is not None and named is not self.record and (self.kind is None or isinstance(named, self.kind))


def namings(record: Record) -> Iterator[Naming]:
    for field, mark, id_ in named(record):
        if isinstance(mark, Names):
            yield Naming(record, field, id_, KINDS[mark.kind] if mark.kind else None)


def dangling(book: CycleBook, records: Iterable[Record]) -> list[Naming]:
    """Names that lead nowhere, or to a record of another kind."""
    return [naming for record in records for naming in namings(record) if not naming.holds_in(book)]


def circular(book: CycleBook, records: Iterable[Record]) -> list[Record]:
    """Records from which the way back (what an iteration continues, what a record was carried from) never ends."""
    return [record for record in records if _comes_round(book, record)]


def _comes_round(book: CycleBook, record: Record) -> bool:
    seen = {record.id}
    before = _before(book, record)
    while before is not None:
        if before.id in seen:
            return True
        seen.add(before.id)
        before = _before(book, before)
    return False


def _before(book: CycleBook, record: Record) -> Record | None:
    named = record.continues if isinstance(record, Iteration) else getattr(record, "carried_from", None)
    return book.records.get(named) if named else None


def attachments_named(record: Record) -> frozenset[str]:
    """SHA-256 of the files that a record rests on."""
    if isinstance(record, Evidence):
        return frozenset({record.target.key}) if record.target.kind is EvidenceKind.ATTACHMENT else frozenset()
    sha256 = getattr(record, "sha256", "")
    return frozenset({sha256}) if sha256 else frozenset()


def window_refusal(book: CycleBook, window: Window, zone: ZoneInfo) -> UserError | None:
    """Why the book cannot hold the window: by itself, or because another has its name; None where it can.

    Args:
        zone: the engagement's.
    """
    if window.zone and window.zone not in available_timezones():
        return UserError("zone_unknown", zone=window.zone)
    fault = fault_of(window)
    if fault is not None:
        stretches = ", ".join(stretch_text(stretch, window.clock(zone)) for stretch in fault.stretches)
        return UserError(fault.key, window=window.name, stretches=stretches)
    if not window.name.strip():
        return UserError("window_unnamed")
    if any(other.name == window.name and other.id != window.id for other in book.all(Window)):
        return UserError("window_name_taken", window=window.name)
    return None
