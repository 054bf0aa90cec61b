"""Two copies of one project, such as two consultants keep: since when they differ, and in what."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from tunebench.core.errors import UserError
from tunebench.domain.cycle.record_json import fields_of
from tunebench.domain.record_labels import reference_of
from tunebench.store import engagements
from tunebench.store.audit import trail as audit
from tunebench.store.check import CheckResult, result
from tunebench.store.cycle import records as cycle_records
from tunebench.store.cycle.check import readable
from tunebench.store.project import Project
from tunebench.usecases import projects


def compared(project: Project, path: Path) -> CheckResult:
    """Records of the cycle, facts of the engagement and captures that the copy at `path` has otherwise, each with both
    values; `common` is the last entry of the audit trail that both have.

    Raises:
        UserError: copy_unrelated where both have not even their first entry in common; what opening it raises.
    """
    with closing(projects.open_(path, read_only=True)) as other:
        common = _last_common(project, other)
        if common is None:
            raise UserError("copy_unrelated", path=str(path))
        here, there = _state(project), _state(other)
    differences: list[object] = [
        {"record": key[0], "field": key[1], "here": here.get(key), "there": there.get(key)}
        for key in sorted({*here, *there})
        if here.get(key) != there.get(key)
    ]
    outcome = result("copies", differences, len({*here, *there}), bad="warning")
    return CheckResult(outcome.check, outcome.state, {**outcome.facts, "common": common})


def _last_common(project: Project, other: Project) -> str | None:
    pairs = zip(audit.list_audit(project), audit.list_audit(other), strict=False)
    common = [one for one, two in pairs if one.digest and one.digest == two.digest]
    return f"#{common[-1].id} {common[-1].time}" if common else None


def _state(project: Project) -> dict[tuple[str, str], object]:
    return {(record, field): value for record, field, value in _values(project)}


def _values(project: Project) -> Iterator[tuple[str, str, object]]:
    """Record, field and value; of a capture its name by its SHA-256, in which run it lies or not."""
    for name, value in fields_of(engagements.read_engagement(project)).items():
        yield "engagement", name, value
    for record in readable(cycle_records.stored_records(project)):
        for name, value in fields_of(record).items():
            yield reference_of(record), name, value
    for sha256, name, label in project.rows(
        "SELECT artefact.sha256, artefact.name, run.label FROM artefact JOIN run ON run.id = artefact.run_id"
    ):
        yield f"{name} {sha256[:12]}", "run", label
