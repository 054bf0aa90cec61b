"""Projects that earlier releases wrote are read for ever."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from tests.store import cases, cycle_cases, experiment_cases, golden
from tunebench.domain.assembly import CaptureOverlap
from tunebench.domain.capturing.times import ChangedCapture
from tunebench.domain.cycle.book import Record
from tunebench.domain.cycle.evidence import Evidence
from tunebench.domain.cycle.records import Contact, Question, ResultSummary
from tunebench.domain.cycle.worksheet import Action
from tunebench.domain.ledger import ImportState
from tunebench.domain.record_ids import renumbered
from tunebench.domain.translations import without_translations
from tunebench.domain.windows import Window
from tunebench.store import engagements, plans, profiles, sessions
from tunebench.store.aliases import list_aliases
from tunebench.store.artefacts import artefact_lines, find_artefact, read_artefact
from tunebench.store.attachments import read_attachment
from tunebench.store.audit import trail as audit
from tunebench.store.audit.branches import list_branches
from tunebench.store.bundles import list_bundles
from tunebench.store.check import check_project
from tunebench.store.cycle.records import next_evidence_number, read_book
from tunebench.store.databases.licences import list_confirmations
from tunebench.store.databases.records import list_records, read_record
from tunebench.store.databases.statement_links import list_links
from tunebench.store.events import list_events
from tunebench.store.experiments.records import read_book as read_experiments
from tunebench.store.format import CURRENT
from tunebench.store.merged_series import list_merged
from tunebench.store.opening import open_project
from tunebench.store.overlaps import list_choices, list_overlaps
from tunebench.store.queries import list_series, read_envelope, read_series
from tunebench.store.reports import list_reports
from tunebench.store.resolutions import list_resolutions

HEADS = {
    "v1.7.tune.gz": "9545a93a3c4f20bd98ab6f71549c0a3f1f73b009d158a56cbc0cd3ef788521de",
    "v1.8.tune.gz": "3ee0d62ccc2a4dae7f1397ab253903f26cd43a52a61c92bab93018e3569144b3",
    "v1.9.tune.gz": "e5a47547bf2ff91464553d72dbd69285f053ff7c334f2e212a86330e3a5642e6",
    "v1.10.tune.gz": "0fa162c5ace10490ef9ad27771e8cf980502023e2a1eb00999323adc8e8ea30c",
    "v1.11.tune.gz": "45f75e2981c72a615751f5c295defe28dacca6d4a2b1b15deda06e0665bb3358",
    "v2.0.tune.gz": "2e9a3aede93886c8e419948f8e5c3d01e65f0f7c38b93577cace842ee5b4dc45",
    "v2.1.tune.gz": "045eda4844333a5c552824a8c645550844bca7d911c4a051a908499ff0bc7831",
}
"""Digest of the last entry of the audit trail as it was when the file was written."""


def since(path: Path) -> tuple[int, ...]:
    """The version that wrote it: ``v1.10.tune.gz`` is later than ``v1.9.tune.gz``."""
    return tuple(map(int, path.name.removeprefix("v").removesuffix(".tune.gz").split(".")))


OF_EXPERIMENTS = (-20, -21)
"""Records of `cycle_cases` that say what only 1.10 can."""
GOLDEN = sorted(golden.FOLDER.glob("*.tune.gz"), key=since)


def test_this_version_has_its_golden_project() -> None:
    assert f"v{CURRENT}.tune.gz" in [path.name for path in GOLDEN]


@pytest.mark.parametrize("packed", GOLDEN, ids=lambda path: path.name)
def test_a_golden_project_says_what_was_written(packed: Path, tmp_path: Path) -> None:
    path = tmp_path / packed.name.removesuffix(".gz")
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    with open_project(path) as project:
        assert {result.state for result in check_project(project)} == {"ok"}
        assert engagements.read_engagement(project) == cases.ENGAGEMENT
        assert [each.text for each in engagements.read_narrative(project, "ko")] == ["Index 전략부재"]
        assert engagements.read_measurements(project) == [
            golden.MEASUREMENT if since(packed) >= (1, 11) else without_translations(golden.MEASUREMENT)
        ]
        assert [note.text for note in engagements.list_notes(project)] == ["여기서 인덱스를 만듦"]
        (report,) = list_reports(project)
        assert {name: getattr(report, name) for name in golden.REPORT} == golden.REPORT
        info = find_artefact(project, 1)
        assert (info.ledger, info.state, info.given) == (golden.LEDGER, ImportState.IMPORTED, {"zone": "Asia/Seoul"})
        assert b"".join(read_artefact(project, 1)) == golden.CAPTURE
        assert artefact_lines(project, 1, 4322, 4322) == [b"ssd2 321.5"]
        assert golden.EVENT in [stored.event for stored in list_events(project)]
        svc_t, busy = list_series(project)
        assert (svc_t.count, svc_t.missing, svc_t.native, busy.native) == (golden.ROWS - 2, 1, "svc_t", "%b")
        data = read_series(project, svc_t.id)
        assert np.array_equal(data.values, golden.values()[:, 0], equal_nan=True)
        assert np.flatnonzero(data.since_boot).tolist() == [0]
        assert data.line_numbers[-1] == (golden.ROWS - 1) * 10 + 1
        envelope = read_envelope(project, svc_t.id, int(data.times_ns[0]), int(data.times_ns[-1]), 20)
        assert (np.nanmin(envelope.minimum), np.nanmax(envelope.maximum)) == (0.5, 999.5)
        assert envelope.samples_per_bin > 16


@pytest.mark.parametrize("packed", GOLDEN, ids=lambda path: path.name)
def test_a_golden_project_holds_its_capture(packed: Path, tmp_path: Path) -> None:
    path = tmp_path / packed.name.removesuffix(".gz")
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    with open_project(path) as project:
        assert profiles.list_profiles(project) == [golden.PROFILE]
        old, new = profiles.key_history(project)
        assert (old.accepted.key, old.accepted.accepted_by, old.ended_by) == (golden.OLD_KEY, "lee", "kang")
        assert (new.accepted.key, new.ended_at) == (golden.KEY, None)
        (plan,) = plans.list_plans(project)
        approval = golden.APPROVAL if since(packed) >= (1, 10) else replace(golden.APPROVAL, signature="")
        assert (plan.plan, plan.approvals) == (cases.PLAN, (approval,))
        (session,) = sessions.list_sessions(project)
        assert (session.digest, session.run_id, session.spool, session.label) == (plan.digest, 1, "/spool/s1", "before")
        assert (session.state, session.note, session.user, session.machine) == (
            "finished",
            "끝",
            "lee",
            "consultant-pc",
        )
        assert session.ended_at is not None
        assert find_artefact(project, 2).state is ImportState.KEPT
        assert sessions.list_streams(project, session.id) == [golden.STREAM]
        (segment,) = sessions.read_segments(project, 2)
        assert segment == golden.SEGMENT
        assert b"".join(read_artefact(project, 2))[segment.first_byte : segment.end_byte] == b"Memory size: 16384\n"
        assert sessions.list_gaps(project, artefact_id=2) == sessions.list_gaps(project, session.id) == [golden.GAP]
        assert sessions.list_clock_checks(project, session.id) == [golden.CLOCK]
        assert [stored.fact for stored in sessions.list_facts(project, 1, 1)] == golden.FACTS
        written = [(branch.last_id, branch.entries) for branch in list_branches(project)]
        assert written == ([(2, 1)] if since(packed) >= (2, 1) else [])
        assert HEADS[packed.name] in [entry.digest for entry in audit.list_audit(project)]
        assert audit.verify_chain(project) is None


@pytest.mark.parametrize("packed", GOLDEN, ids=lambda path: path.name)
def test_a_golden_project_holds_its_cycle(packed: Path, tmp_path: Path) -> None:
    path = tmp_path / packed.name.removesuffix(".gz")
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    with open_project(path) as project:
        sha256 = hashlib.sha256(golden.ATTACHED).hexdigest()
        assert read_attachment(project, sha256) == golden.ATTACHED
        written = cycle_cases.records(1, sha256)
        if since(packed) < (1, 11):
            written = tuple(map(without_translations, written))
        if since(packed) < (1, 10):
            written = tuple(each for each in written if each.id not in OF_EXPERIMENTS)
            written = tuple(replace(each, approver_key="") if isinstance(each, Contact) else each for each in written)
        if since(packed) < (1, 9):
            written = tuple(replace(each, zone="") if isinstance(each, Window) else each for each in written)
        if since(packed) < (1, 8):
            written = tuple(map(_without_sign_off, written))
        ids = {record.id: number for number, record in enumerate(written, start=1)}
        expected = [renumbered(record, ids) for record in written]
        expected = [replace(record, number=1) if isinstance(record, Evidence) else record for record in expected]
        assert list(read_book(project)) == expected
        assert next_evidence_number(project) == 2


def _without_sign_off(record: Record) -> Record:
    """Signatures, equal results and who owes an answer came with 1.8."""
    match record:
        case Action():
            return replace(record, consents=tuple(replace(each, signature="") for each in record.consents))
        case ResultSummary():
            return ResultSummary(*(getattr(record, each.name) for each in fields(record)[1:8]))
        case Question():
            return replace(record, owner="", due_on="")
    return record


@pytest.mark.parametrize("packed", GOLDEN, ids=lambda path: path.name)
def test_a_golden_project_knows_what_goes_together(packed: Path, tmp_path: Path) -> None:
    path = tmp_path / packed.name.removesuffix(".gz")
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    with open_project(path) as project:
        assert list_aliases(project) == {1: tuple(golden.ALIASES)}
        (bundle,) = list_bundles(project)
        assert replace(bundle, id=0) == golden.BUNDLE
        (overlap,) = list_overlaps(project)
        assert overlap == CaptureOverlap(overlap.artefact_id, **golden.OVERLAP)
        assert list_choices(project) == [overlap.artefact_id]
        assert [stored.event for stored in list_events(project)] == [golden.EVENT, golden.CPU_EVENT]
        first, second = list_resolutions(project, 1)
        assert (first.said, first.in_force, first.taken_back_by) == (golden.SAID, False, "lee")
        assert (second.said, second.in_force, second.said_by) == (golden.SAID, True, "lee")
        assert second.changes == (ChangedCapture(1, {}, {"zone": "Asia/Seoul"}),)
        assert {info.label for info in list_merged(project)} == {"ssd2 (/oradata) svc_t", "ssd2 (/oradata) %b"} | {
            "ssd2 svc_t",
            "ssd2 %b",
        }


@pytest.mark.parametrize("packed", GOLDEN, ids=lambda path: path.name)
def test_a_golden_project_knows_its_databases(packed: Path, tmp_path: Path) -> None:
    path = tmp_path / packed.name.removesuffix(".gz")
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    with open_project(path) as project:
        assert engagements.read_statements_by_hand(project) == [golden.STATEMENT]
        stored = list_records(project, artefact_id=1)
        assert [read_record(project, each.id) for each in stored] == list(golden.SNAPSHOTS)
        assert list_links(project) == [golden.LINK]
        assert list_confirmations(project) == [golden.LICENCE]


@pytest.mark.parametrize("packed", GOLDEN, ids=lambda path: path.name)
def test_a_golden_project_holds_its_experiments(packed: Path, tmp_path: Path) -> None:
    path = tmp_path / packed.name.removesuffix(".gz")
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    with open_project(path) as project:
        book = read_experiments(project)
        assert list(book.experiments.values()) == [replace(experiment_cases.EXPERIMENT, id=1)]
        written = experiment_cases.trials(artefact_id=2, load_run_id=1)
        assert list(book.trials_of(1)) == [replace(t, id=n, experiment_id=1) for n, t in enumerate(written, start=1)]
