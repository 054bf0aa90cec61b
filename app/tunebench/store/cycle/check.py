"""What the check of a project finds in the records of its cycle."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from tunebench.core.errors import UserError
from tunebench.domain.cycle.book import KINDS, CycleBook, Record
from tunebench.domain.cycle.evidence import Evidence
from tunebench.domain.cycle.record_json import BadRecord, from_json, plain
from tunebench.domain.cycle.records import Figure
from tunebench.domain.cycle.seals import Seal
from tunebench.domain.record_labels import label, reference_of
from tunebench.domain.series_names import name_of
from tunebench.domain.visible_text import visible
from tunebench.store import engagements
from tunebench.store.attachments import read_attachment
from tunebench.store.audit.replay import Difference, as_read, differences, recorded_changes
from tunebench.store.audit.trail import chained
from tunebench.store.cycle.records import reference_rows
from tunebench.store.cycle.rules import circular, dangling
from tunebench.store.queries import list_series

if TYPE_CHECKING:
    from tunebench.store.project import Project

Stored = tuple[int, str, str]


def unreadable(records: Iterable[Stored]) -> Iterator[str]:
    """What is wrong with each record that cannot be read, and with each seal whose digest is of other words."""
    for id_, kind, body in records:
        try:
            record = from_json(kind, id_, body)
        except BadRecord as error:
            yield f"{kind}.{id_}: {error}"
            continue
        if isinstance(record, Seal):
            digest = hashlib.sha256(record.content.encode()).hexdigest()
            if digest != record.digest:
                yield f"{kind}.{id_} digest: {record.digest} / {digest}"


def readable(records: Iterable[Stored]) -> list[Record]:
    parsed: list[Record] = []
    for id_, kind, body in records:
        try:
            parsed.append(from_json(kind, id_, body))
        except BadRecord:
            continue  # `unreadable` reports it
    return parsed


def changed_outside(project: Project, records: Iterable[Stored]) -> list[Difference]:
    """Records that are not what the audit trail says was last written of them, the engagement and the runs among
    them."""
    kept = {f"{kind}.{id_}": (id_, kind, body) for id_, kind, body in records}
    by_reference = {reference_of(record): record for record in readable(kept.values())}
    records_outside = differences(project, "cycle_changed", KINDS, by_reference, kept)
    return [*records_outside, *_engagement_outside(project), *_runs_outside(project)]


def _runs_outside(project: Project) -> Iterator[Difference]:
    """Labels and phases: of which side of the change a run is."""
    by_run: dict[object, list[object]] = {}
    for entry in chained(project, "run_added", "run_changed"):
        facts = entry.facts
        after = facts.get("after") if entry.action == "run_changed" else [facts.get("label"), facts.get("phase")]
        if isinstance(after, list) and len(after) == 2:
            by_run[facts.get("run_id")] = after
    for id_, *stored in project.rows("SELECT id, label, phase FROM run ORDER BY id"):
        for field, written, now in zip(("label", "phase"), by_run.get(id_, stored), stored, strict=True):
            if written != now:
                yield Difference(f"run.{id_}", field, written, now)


def _engagement_outside(project: Project) -> Iterator[Difference]:
    """Fields that were changed since the project was made, and are not what they were changed to."""
    engagement = engagements.read_engagement(project)
    changed = {
        name: pair[1]
        for _entry, changes in recorded_changes(project, "engagement_changed")
        for name, pair in changes.items()
        if isinstance(pair, list) and len(pair) == 2 and hasattr(engagement, name)
    }
    for name, written in changed.items():
        stored = plain(getattr(engagement, name))
        if _as_shown(written) != stored:
            yield Difference("engagement", name, written, stored)


def _as_shown(value: object) -> object:
    if isinstance(value, list):
        return [_as_shown(part) for part in value]
    return visible(value) if isinstance(value, str) else value


def read_anew(project: Project, figure: Figure) -> bool:
    """Whether what the figure's run says may have changed since it was first written: captures read again, added or
    removed, their times or devices told otherwise, measurements or statements entered."""
    wanted, written = plain(figure), None
    for entry, changes in recorded_changes(project, "cycle_changed"):
        if any(isinstance(pair, list) and as_read(Figure, pair[-1], "figure") == wanted for pair in changes.values()):
            written = entry.id
            break
    if written is None:
        return False
    there = {id_ for (id_,) in project.rows("SELECT id FROM artefact")}
    own = {id_ for (id_,) in project.rows("SELECT id FROM artefact WHERE run_id = ?", (figure.run_id,))}
    later = project.rows(
        "SELECT action, json_extract(facts, '$.artefact_id') FROM audit WHERE id > ? AND json_valid(facts)", (written,)
    )
    return any(
        action in _OF_ANY_RUN or (action in _OF_A_CAPTURE and (artefact_id in own or artefact_id not in there))
        for action, artefact_id in later
    )


_OF_A_CAPTURE = ("artefact_parsed", "artefact_removed", "samples_removed")
_OF_ANY_RUN = (
    "counting_capture_chosen",
    "device_names_changed",
    "engagement_changed",
    "host_zone_changed",
    "measurements_changed",
    "project_migrated",
    "resolution_renewed",
    "resolution_taken_back",
    "run_changed",
    "statements_written",
    "times_resolved",
)


def broken_references(project: Project, records: list[Record]) -> list[object]:
    book = CycleBook.of(records)
    nowhere = [f"{reference_of(link.record)} {link.field}: {link.named_id}" for link in dangling(book, records)]
    round_ = [f"{reference_of(record)} carried_from" for record in circular(book, records)]
    kept = _kept_rows(project)
    differing = [
        reference_of(record) for record in records if kept.get(record.id, set()) != set(reference_rows(record))
    ]
    return [*nowhere, *round_, *differing]


def _kept_rows(project: Project) -> dict[int, set[tuple[object, ...]]]:
    kept: dict[int, set[tuple[object, ...]]] = {}
    for record_id, *row in project.rows(
        "SELECT record_id, named_id, run_id, artefact_id, attachment FROM cycle_reference"
    ):
        kept.setdefault(record_id, set()).add(tuple(row))
    return kept


def lost_evidence(project: Project, records: Iterable[Record]) -> list[object]:
    """Evidence whose series are in its run no more, since a capture was read anew: kept, and to be looked at."""
    lost: list[object] = []
    for record in records:
        if isinstance(record, Evidence) and record.target.series_names:
            there = {name_of(info) for info in list_series(project, record.target.run_id)}
            if not there.issuperset(record.target.series_names):
                lost.append(label(record))
    return lost


def is_whole(project: Project, sha256: str) -> bool:
    try:
        return hashlib.sha256(read_attachment(project, sha256)).hexdigest() == sha256
    except UserError:
        return False
