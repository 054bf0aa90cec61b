"""What goes with a run or a capture, what keeps it, and that the same bytes may come again."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.store import cases
from tests.store.cycle_cases import adding
from tunebench.core import sealing
from tunebench.core.errors import UserError
from tunebench.core.sealing import Key, OpenedBy
from tunebench.domain.cycle.evidence import Evidence, EvidenceKind, EvidenceTarget
from tunebench.domain.engagement import Phase
from tunebench.store import artefacts, engagements, plans, queries, reencrypting, removal, runs, sessions
from tunebench.store.audit.trail import list_audit
from tunebench.store.check import check_project
from tunebench.store.cycle import records as cycle_records
from tunebench.store.opening import open_project
from tunebench.store.project import Project


@pytest.fixture
def capture(project: Project) -> int:
    """One capture of two series of three samples, with notes on all of it."""
    artefact_id = cases.write_samples(project, cases.batch([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], ("svc_t", "%b")))
    run_id = artefacts.find_artefact(project, artefact_id).run_id
    series = queries.list_series(project)[0]
    for kind, target in (("artefact", artefact_id), ("series", series.id), ("run", run_id), ("time", None)):
        engagements.add_note(project, kind, target, None, f"on the {kind}", "lee")
    return artefact_id


def words(project: Project) -> list[str]:
    return [note.text for note in engagements.list_notes(project)]


def test_a_capture_goes_with_its_series_and_their_notes(project: Project, capture: int) -> None:
    going = removal.going_with_artefact(project, capture)
    assert (going.series, going.samples, going.statements, len(going.notes)) == (2, 6, 0, 2)
    assert (going.users, going.refusal) == ((), None)
    assert words(project) == ["on the artefact", "on the series", "on the run", "on the time"]
    assert removal.remove_artefact(project, capture) == going
    assert (artefacts.list_artefacts(project), queries.list_series(project)) == ([], [])
    assert words(project) == ["on the run", "on the time"]
    assert [run.label for run in runs.list_runs(project)] == ["before"]
    told = [entry for entry in list_audit(project) if entry.action == "artefact_removed"][-1]
    assert told.facts["sha256"] == going.captures[0].sha256
    assert {result.state for result in check_project(project)} == {"ok"}


def test_a_run_goes_with_everything(project: Project, capture: int) -> None:
    run_id = artefacts.find_artefact(project, capture).run_id
    going = removal.remove_run(project, run_id)
    assert (len(going.captures), going.series, going.samples, len(going.notes)) == (1, 2, 6, 3)
    assert going.bytes == going.captures[0].size_bytes
    assert (runs.list_runs(project), words(project)) == ([], ["on the time"])
    assert {result.state for result in check_project(project)} == {"ok"}


def test_the_same_bytes_come_again_as_another_capture(project: Project, capture: int) -> None:
    (info,) = artefacts.list_artefacts(project)
    data = b"".join(artefacts.read_artefact(project, info.id))
    assert cases.store_artefact(project, data) == info.id
    removal.remove_artefact(project, info.id)
    again = cases.store_artefact(project, data)
    assert again > info.id
    assert b"".join(artefacts.read_artefact(project, again)) == data


def test_what_is_not_there_is_said(project: Project) -> None:
    with pytest.raises(UserError, match="artefact_missing"):
        removal.going_with_artefact(project, 99)


def test_a_run_that_a_session_went_into_stays(project: Project) -> None:
    plans.save_plan(project, cases.PLAN)
    run = runs.ensure_run(project, "captured", Phase.BEFORE)
    sessions.begin_session(project, cases.PLAN.digest, run.id, "", "captured")
    going = removal.going_with_run(project, run.id)
    assert going.has_session and going.refusal is not None and going.refusal.key == "run_has_session"
    with pytest.raises(UserError, match="run_has_session"):
        removal.remove_run(project, run.id)


@pytest.mark.parametrize(
    ("target", "kept"),
    [
        (EvidenceTarget(EvidenceKind.RUN, run_id=1), {"run 1", "capture 1", "capture 2"}),
        (EvidenceTarget(EvidenceKind.CAPTURE, artefact_id=1), {"run 1", "capture 1"}),
        (EvidenceTarget(EvidenceKind.CAPTURE, artefact_id=3), {"run 2", "capture 3"}),
        (EvidenceTarget(EvidenceKind.RUN, run_id=2), {"run 2", "capture 3"}),
    ],
)
def test_evidence_keeps_its_capture_its_run_and_what_is_in_a_run_that_is_evidence(
    project: Project, target: EvidenceTarget, kept: set[str]
) -> None:
    """Two captures of a run, a third of another."""
    for text, run in ((b"first", "before"), (b"second", "before"), (b"third", "after")):
        cases.store_artefact(project, text, run)
    cycle_records.apply(project, adding(Evidence(0, 0, "proof", target)), "lee")
    goings = {f"run {run.id}": removal.going_with_run(project, run.id) for run in runs.list_runs(project)}
    goings |= {
        f"capture {one.id}": removal.going_with_artefact(project, one.id) for one in artefacts.list_artefacts(project)
    }
    assert {name for name, going in goings.items() if going.refusal} == kept
    for name in kept:
        remove = removal.remove_run if name.startswith("run") else removal.remove_artefact
        with pytest.raises(UserError, match="run_is_evidence") as refused:
            remove(project, int(name.split()[1]))
        assert "E-1 proof" in str(refused.value.facts["users"])


@pytest.mark.parametrize("encrypted", [False, True])
def test_what_was_wiped_is_in_no_file_beside(tmp_path: Path, encrypted: bool) -> None:
    """Random bytes, which no packing changes; of an encrypted project nothing can be searched but its free pages."""
    secret = random.Random(4).randbytes(20_000)
    with cases.new_project(tmp_path) as project:
        cases.store_artefact(project, b"kept\n", run="other")
        cases.store_artefact(project, secret)
    path = project.path
    pieces = [secret[at : at + 16] for at in range(0, len(secret) - 16, 16)]
    assert any(piece in path.read_bytes() for piece in pieces)
    key = Key(sealing.new_salt(OpenedBy.PASSPHRASE), b"3" * 32)
    if encrypted:
        reencrypting.change_key(path, None, key)
        sealing.hold(key)
    kept = path.with_name(f"{path.name}.v1.1.bak")
    kept.write_bytes(path.read_bytes())
    with open_project(path) as project:
        (run,) = [each for each in runs.list_runs(project) if each.label == "before"]
        removal.remove_run(project, run.id)
        assert removal.wipe(project) == (kept.name,)
        assert project.row("SELECT count(*) FROM artefact")[0] == 1
        assert project.row("PRAGMA freelist_count")[0] == 0
        beside = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert not kept.exists()
    assert not any(piece in beside for piece in pieces)
    with open_project(path) as project:
        assert not [each.check for each in check_project(project) if each.state == "failed"]
        assert list_audit(project, "removed_wiped")[0].facts == {"copies": [kept.name]}
