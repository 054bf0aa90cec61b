"""Pinning what was captured under a number that stays, and what captured parameters say about executed changes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tunebench.core.errors import UserError
from tunebench.domain.cycle.book import CycleBook, CycleEdit, RecordChange
from tunebench.domain.cycle.evidence import Evidence, EvidenceKind, EvidenceTarget
from tunebench.domain.cycle.records import Attachment, StepNumber
from tunebench.domain.cycle.worksheet import ExecutedChange, InForce
from tunebench.domain.engagement import Run
from tunebench.domain.series_names import name_of
from tunebench.store import artefacts, attachments, engagements, merged_series, sessions
from tunebench.store.audit import trail as audit
from tunebench.store.project import Project
from tunebench.usecases import browse
from tunebench.usecases.cycle.edits import find
from tunebench.usecases.databases.run_statements import read_statements
from tunebench.usecases.experiments import lookup, reading

# -- where evidence lies -------------------------------------------------------------------------------


def window(
    project: Project, series_ids: Sequence[int], start_ns: int | None = None, end_ns: int | None = None
) -> EvidenceTarget:
    """Series of one run over a stretch of time; the whole of them where none is said.

    Raises:
        UserError: series_missing; evidence_of_two_runs where the series are not of one run; evidence_window_empty.
    """
    infos = [merged_series.find_merged(project, id_).info for id_ in dict.fromkeys(series_ids)]
    if not infos:
        raise UserError("evidence_without_series")
    run_ids = {info.run_id for info in infos}
    if len(run_ids) > 1:
        raise UserError("evidence_of_two_runs", runs=", ".join(sorted({info.run for info in infos})))
    starts = [info.first_ns for info in infos if info.first_ns is not None]
    ends = [info.last_ns for info in infos if info.last_ns is not None]
    start = start_ns if start_ns is not None else min(starts, default=None)
    end = end_ns if end_ns is not None else max(ends, default=None)
    if start is not None and end is not None and end < start:
        raise UserError("evidence_window_empty")
    return EvidenceTarget(
        EvidenceKind.WINDOW,
        infos[0].run_id,
        None,
        tuple(info.id for info in infos),
        tuple(name_of(info) for info in infos),
        start,
        end,
    )


def whole_run(run: Run) -> EvidenceTarget:
    return EvidenceTarget(EvidenceKind.RUN, run.id, start_ns=run.first_ns, end_ns=run.last_ns)


def capture(project: Project, artefact_id: int, first: int | None = None, last: int | None = None) -> EvidenceTarget:
    """A capture, or its lines `first` to `last` (from 1, both included).

    Raises:
        UserError: artefact_missing; evidence_lines_unknown where it has no such lines.
    """
    info = artefacts.find_artefact(project, artefact_id)
    if first is not None:
        last = first if last is None else last
        lines = artefacts.artefact_lines(project, artefact_id, last, last)
        if not 1 <= first <= last or not lines:
            raise UserError("evidence_lines_unknown", name=info.name, first=first, last=last)
    return EvidenceTarget(EvidenceKind.CAPTURE, info.run_id, artefact_id, first_line=first, last_line=last)


def source_of(project: Project, target: EvidenceTarget) -> tuple[int, int | None] | None:
    """The capture (its id) and the line of it that `target` begins with; None where it was read from none."""
    if target.artefact_id is not None:
        return target.artefact_id, target.first_line
    if not target.series:
        return None
    info = merged_series.find_merged(project, target.series[0]).info
    starts = [start for start in (target.start_ns, info.first_ns) if start is not None]
    reading = browse.value_at(project, info.id, max(starts)) if starts else None
    return None if reading is None else (reading.artefact_id, reading.line_number)


def statement(project: Project, run: Run, engine: str, reference: str) -> EvidenceTarget:
    """A statement of a run as evidence; `reference` is its id, in one container where it names one
    (`StatementKey.reference`).

    Raises:
        UserError: evidence_statement_unknown.
    """
    matches = [
        stored
        for stored in read_statements(project, run.id)
        if stored.key.answers_to(reference) and engine in ("", stored.engine)
    ]
    if not matches:
        raise UserError("evidence_statement_unknown", statement=reference, run=run.label)
    return EvidenceTarget(EvidenceKind.STATEMENT, run.id, key=f"{matches[0].engine}:{reference}")


def measurement(project: Project, key: str) -> EvidenceTarget:
    """Raises UserError evidence_measurement_unknown."""
    keys = [stored.key for stored in engagements.read_measurements(project)]
    if key not in keys:
        raise UserError("evidence_measurement_unknown", measurement=key, known=", ".join(keys) or "-")
    return EvidenceTarget(EvidenceKind.MEASUREMENT, key=key)


def experiment(project: Project, experiment_id: int) -> EvidenceTarget:
    """Raises UserError experiment_unknown."""
    return EvidenceTarget(EvidenceKind.EXPERIMENT, key=str(lookup.find(reading.read(project), experiment_id).id))


def finding(key: str, run: Run | None = None) -> EvidenceTarget:
    return EvidenceTarget(EvidenceKind.FINDING, run.id if run else None, key=key)


# -- pinning -------------------------------------------------------------------------------------------


def pin(
    book: CycleBook, target: EvidenceTarget, caption: str, attached_to: Sequence[int] = (), by: str = "", at: str = ""
) -> CycleEdit:
    """Evidence under a number that it gets when the edit is applied, and keeps for ever.

    Raises:
        UserError: cycle_value_empty without a caption; cycle_record_unknown.
    """
    if not caption.strip():
        raise UserError("cycle_value_empty", field="caption", value="")
    for id_ in attached_to:
        find(book, id_)
    evidence = Evidence(0, 0, caption, target, tuple(dict.fromkeys(attached_to)), by, at or audit.now_iso())
    return CycleEdit("pin_evidence", (RecordChange(None, evidence),))


def attach_file(
    project: Project, book: CycleBook, iteration_id: int, step: StepNumber, path: Path, caption: str = "", by: str = ""
) -> CycleEdit:
    """Keeps the file's bytes in the project; the edit lays it beside the step.

    Raises:
        UserError: attachment_unreadable, attachment_too_large, cycle_record_unknown.
    """
    find(book, iteration_id)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UserError("attachment_unreadable", path=str(path), detail=str(error.strerror or error)) from error
    return attach_bytes(project, iteration_id, step, path.name, data, caption, by)


def attach_bytes(
    project: Project, iteration_id: int, step: StepNumber, name: str, data: bytes, caption: str = "", by: str = ""
) -> CycleEdit:
    sha256 = attachments.keep_attachment(project, data)
    record = Attachment(0, iteration_id, step, name, sha256, len(data), caption, by, audit.now_iso(project))
    return CycleEdit("add_attachment", (RecordChange(None, record),))


def read_attachment(project: Project, sha256: str) -> bytes:
    """Raises UserError attachment_missing."""
    data = attachments.read_attachment(project, sha256)
    assert hashlib.sha256(data).hexdigest() == sha256
    return data


# -- still in force ------------------------------------------------------------------------------------


def check_in_force(project: Project, book: CycleBook, run: Run) -> CycleEdit:
    """Compares executed changes with the parameters that inventories of an after-run found; others stay unknown.

    A parameter is found by its name, or by the last part of it (``kernel.maxphys``); where hosts differ, one that lacks
    the new value decides.
    """
    facts = sessions.list_facts(project, run.id)
    changes = []
    for line in book.all(ExecutedChange):
        values = {stored.fact.value.strip() for stored in facts if same_parameter(stored.fact.name, line.parameter)}
        if values and not line.rolled_back_at:
            held = values == {line.new.strip()}
            basis = f"{run.label}: {line.parameter} = {', '.join(sorted(values))}"
            after = replace(line, in_force=InForce.YES if held else InForce.NO, in_force_basis=basis)
            changes.append(RecordChange(line, after))
    return CycleEdit("check_in_force", tuple(change for change in changes if change.before != change.after))


def same_parameter(fact: str, parameter: str) -> bool:
    """The same name, or one of them without what qualifies it (``md:md_maxphys``, ``/dev/rdsk/c0t0d0s0 maxcontig``)."""
    one, other = fact.strip().lower(), parameter.strip().lower()
    return one == other or _unqualified(one) == other or one == _unqualified(other)


def _unqualified(name: str) -> str:
    return re.split(r"[.:\s]", name)[-1]
