"""What holds between the records of a cycle: every name leads to a record of the right kind, and no way in a circle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass

from app.domain.cycle.book import CycleBook, Record
from app.domain.cycle.evidence import Evidence, EvidenceKind
from app.domain.cycle.records import Cause, CustomerIssue, Iteration, Metric
from app.domain.cycle.worksheet import Action

_KIND_NAMED: Mapping[str, type[Record]] = {
    "iteration_id": Iteration,
    "continues": Iteration,
    "metric_id": Metric,
    "action_id": Action,
    "guards": Action,
    "evidence_id": Evidence,
    "evidence_ids": Evidence,
    "issue_ids": CustomerIssue,
    "cause_ids": Cause,
}
_SAME_KIND = "carried_from"
_ANY_KIND = "attached_to"


@dataclass(frozen=True, slots=True)
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
    for field, named_id in _ids_in(record):
        kind = type(record) if field == _SAME_KIND else _KIND_NAMED.get(field)
        yield Naming(record, field, named_id, kind)


def _ids_in(value: object) -> Iterator[tuple[str, int]]:
    if isinstance(value, tuple):
        for each in value:
            yield from _ids_in(each)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _ids_of(field.name, getattr(value, field.name))


def _ids_of(name: str, value: object) -> Iterator[tuple[str, int]]:
    if name in _KIND_NAMED or name in (_SAME_KIND, _ANY_KIND):
        ids = value if isinstance(value, tuple) else (value,)
        yield from ((name, each) for each in ids if isinstance(each, int) and each)
    else:
        yield from _ids_in(value)


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
    named = record.continues if isinstance(record, Iteration) else getattr(record, _SAME_KIND, None)
    return book.records.get(named) if named else None


def attachments_named(record: Record) -> frozenset[str]:
    """SHA-256 of the files that a record rests on."""
    if isinstance(record, Evidence):
        return frozenset({record.target.key}) if record.target.kind is EvidenceKind.ATTACHMENT else frozenset()
    sha256 = getattr(record, "sha256", "")
    return frozenset({sha256}) if sha256 else frozenset()
