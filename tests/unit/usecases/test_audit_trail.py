"""The audit trail is found, paged, verified and written; what was done to it behind our back is noticed."""

from __future__ import annotations

import csv
import hashlib
import json
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store import cases
from tunebench.core.errors import Cancelled, UserError
from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.core.progress import SilentProgress
from tunebench.domain.capturing.plan import Approval
from tunebench.domain.capturing.run import SessionState, StreamRecord, StreamState
from tunebench.domain.engagement import Phase
from tunebench.store import plans, sessions
from tunebench.store.audit import trail as audit
from tunebench.store.audit.trail import ACTIONS, read_rows, record, stream_rows
from tunebench.store.opening import open_project
from tunebench.store.project import Project
from tunebench.store.runs import ensure_run
from tunebench.usecases import audit_trail
from tunebench.usecases.audit_trail import AuditEntry, TrailFilter

HEADINGS = {name: name for name in audit_trail.COLUMNS}


def sentence(entry: AuditEntry) -> str:
    return catalogue("en").text(f"audit.{entry.action}", **entry.shown_facts())


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    opened = cases.new_project(tmp_path)
    yield opened
    opened.close()


def begin(project: Project, label: str) -> int:
    plans.save_plan(project, cases.PLAN)
    run = ensure_run(project, label, Phase.BEFORE)
    return sessions.begin_session(project, cases.PLAN.digest, run.id, "", label)


def found(project: Project, **wanted: object) -> list[str]:
    """Actions of what is found, oldest first."""
    ids = audit_trail.find(project, TrailFilter(**wanted), sentence)  # type: ignore[arg-type]
    assert list(ids) == sorted(ids, reverse=True)
    return [entry.action for entry in reversed(audit_trail.read_entries(project, ids))]


# -- find ------------------------------------------------------------------------------------------------


def test_every_action_is_in_one_group() -> None:
    grouped = [action for actions in audit_trail.GROUPS.values() for action in actions]
    assert sorted(grouped) == sorted(ACTIONS)


def test_without_a_filter_all_entries_are_found_newest_first(project: Project) -> None:
    record(project, "note_added", note_id=1, target_kind="run", target_id=1, text="first")
    record(project, "note_changed", note_id=1, before="first", after="second")
    ids = audit_trail.find(project, TrailFilter(), sentence)
    assert ids == (3, 2, 1)
    assert [entry.facts.get("after") for entry in audit_trail.read_entries(project, ids[:2])] == ["second", None]


def test_words_are_looked_for_in_sentence_facts_user_and_action(project: Project) -> None:
    record(project, "capture_mark", session_id=1, time="2026-11-21T02:00:00+00:00", text="인덱스 생성", author="Lee")
    record(project, "plan_approved", digest="ab" * 32, approved_by="Kim", approved_at=None, how="spoken", note="No. 7")
    assert found(project, words="인덱스") == ["capture_mark"]
    assert found(project, words="LEE 생성") == ["capture_mark"]  # both, in any case
    assert found(project, words="lee kim") == []
    assert found(project, words="ababab no. 7") == ["plan_approved"]  # facts that the sentence does not print
    assert found(project, words="plan_approved") == ["plan_approved"]
    assert found(project, words="project created") == ["project_created"]  # only the sentence says so
    assert len(found(project, words=audit.list_audit(project)[0].user)) >= 3


def test_a_host_is_found_by_name_place_and_file(project: Project) -> None:
    plans.save_plan(project, cases.PLAN)  # db1 at 10.0.0.7, port 22
    place = {"address": "10.0.0.7", "port": 22}
    record(project, "host_key_accepted", **place, key_type="ssh-ed25519", fingerprint="SHA256:x", by="kim")
    record(
        project, "host_key_accepted", address="10.0.0.7", port=2222, key_type="rsa", fingerprint="SHA256:y", by="kim"
    )
    record(project, "ssh_refused", host="db1", **place, account="oracle", reason="auth_failed")
    record(project, "ssh_refused", host="db12", **place, account="oracle", reason="auth_failed")
    record(project, "profile_saved", name="db1", address="10.0.0.7", changes={})
    record(project, "artefact_stored", artefact_id=1, name="db1/linux.vmstat", sha256="ab" * 32)
    record(project, "artefact_stored", artefact_id=2, name="db12/linux.vmstat", sha256="cd" * 32)
    expected = ["plan_saved", "host_key_accepted", "ssh_refused", "profile_saved", "artefact_stored"]
    assert found(project, host="db1") == expected
    assert audit_trail.host_names(project) == ("db1",)


def test_a_session_has_its_plan_its_files_and_its_connections(project: Project) -> None:
    plans.save_plan(project, cases.PLAN)
    plans.approve(project, Approval(cases.PLAN.digest, "Kim", "2026-11-21T02:00:00+00:00", "signed_sheet"))
    connected = {"host": "db1", "address": "10.0.0.7", "port": 22, "account": "oracle", "reason": "refused"}
    record(project, "ssh_refused", **connected)  # a test before the session
    first = begin(project, "before")
    record(project, "capture_started", session_id=first, label="before", digest=cases.PLAN.digest)
    record(project, "ssh_refused", **connected)
    record(project, "ssh_refused", **{**connected, "host": "web1"})  # no host of this plan
    record(project, "capture_mark", session_id=first + 7, time=None, text="another", author="lee")
    record(project, "capture_stopped", session_id=first, label="before", reason="user", by="lee")
    record(project, "ssh_refused", **connected)  # after it
    artefact_id = cases.store_artefact(project)
    stream = StreamRecord("db1/solaris.iostat", None, artefact_id, StreamState.VERIFIED, leftovers="none")
    sessions.record_stream(project, first, stream)
    second = begin(project, "after")
    assert found(project, session_id=first) == [
        "plan_saved",
        "plan_approved",
        "session_added",
        "capture_started",
        "ssh_refused",
        "capture_stopped",
        "artefact_stored",
    ]
    assert found(project, session_id=first, group="connection") == ["ssh_refused"]
    assert found(project, session_id=second) == ["plan_saved", "plan_approved", "session_added"]


def test_a_session_that_is_not_there_is_refused(project: Project) -> None:
    with pytest.raises(UserError) as refused:
        found(project, session_id=7)
    assert refused.value.key == "session_missing"


class Impatient(SilentProgress):
    def raise_if_cancelled(self) -> None:
        raise Cancelled


def test_work_that_nobody_wants_any_more_ends(project: Project, tmp_path: Path) -> None:
    with pytest.raises(Cancelled):
        audit_trail.find(project, TrailFilter(words="x"), sentence, Impatient())
    with project.transaction():
        for number in range(2_000):
            record(project, "note_removed", note_id=number, before="")
    with pytest.raises(Cancelled):
        audit_trail.export_csv(project, tmp_path / "out.csv", HEADINGS, sentence, Impatient())
    assert [path.name for path in tmp_path.glob("out*")] == []


# -- verify ----------------------------------------------------------------------------------------------


def tamper(project: Project, *statements: str) -> Project:
    """Somebody who knows SQL takes the triggers away and changes the file; it is opened again."""
    project.close()
    connection = sqlite3.connect(project.path)
    names = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'audit'"
    ).fetchall()
    for statement in (*(f"DROP TRIGGER {name}" for (name,) in names), *statements):
        connection.execute(statement)
    connection.commit()
    connection.close()
    return open_project(project.path, read_only=True)


@pytest.fixture
def trail(project: Project) -> Project:
    """Six entries."""
    for number in range(2, 7):
        record(project, "capture_mark", session_id=1, time=None, text=f"mark {number}", author="lee")
    return project


def test_a_whole_chain_is_told_with_its_head(trail: Project) -> None:
    state = audit_trail.verify(trail)
    assert state.whole and (state.entries, state.last_id) == (6, 6)
    assert (state.last_id, state.head) == audit_trail.head(trail)
    assert state.head == next(iter(read_rows(trail, [6]))).digest


@pytest.mark.parametrize(
    ("statement", "broken_at"),
    [
        ("UPDATE audit SET user = 'nobody' WHERE id = 4", 4),
        ("UPDATE audit SET facts = replace(facts, 'mark 3', 'mark 9') WHERE id = 3", 3),
        ("DELETE FROM audit WHERE id = 2", 3),
        ("DELETE FROM audit WHERE id = 6", 6),
        ("UPDATE audit SET time = '2026-01-01T00:00:00+00:00' WHERE id = 1", 1),
    ],
)
def test_what_was_done_to_the_file_is_noticed(trail: Project, statement: str, broken_at: int) -> None:
    with tamper(trail, statement) as changed:
        state = audit_trail.verify(changed)
        assert (state.whole, state.broken_at) == (False, broken_at)


def test_a_spoilt_entry_is_still_shown_and_written(trail: Project, tmp_path: Path) -> None:
    with tamper(trail, "UPDATE audit SET facts = 'not json', time = 'noon' WHERE id = 4") as changed:
        (entry,) = audit_trail.read_entries(changed, [4])
        assert entry.facts == {"facts": "not json"}
        assert audit_trail.find(changed, TrailFilter(words="not json"), sentence) == (4,)
        assert audit_trail.export_csv(changed, tmp_path / "out.csv", HEADINGS, sentence) == 6


def test_an_id_that_is_gone_is_left_out_of_a_page(trail: Project) -> None:
    assert [entry.id for entry in audit_trail.read_entries(trail, [6, 99, 2])] == [6, 2]


# -- write -----------------------------------------------------------------------------------------------


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_from_the_file_anybody_can_compute_the_chain(trail: Project, tmp_path: Path) -> None:
    record(trail, "note_added", note_id=1, target_kind="run", target_id=None, text='여기 "둘",\n세 줄')
    path = tmp_path / "audit.csv"
    assert audit_trail.export_csv(trail, path, HEADINGS, sentence) == 7
    digest = "0" * 64
    for row in read_csv(path):
        columns = [int(row["id"]), row["utc"], row["user"], row["action"], row["facts"]]
        text = f"{digest}\n" + json.dumps(columns, ensure_ascii=False, separators=(",", ":"))
        assert row["previous"] == digest
        digest = hashlib.sha256(text.encode()).hexdigest()
        assert row["digest"] == digest
    assert digest == audit_trail.head(trail)[1]


def test_the_file_opens_in_a_korean_spreadsheet(trail: Project, tmp_path: Path) -> None:
    path = tmp_path / "audit.csv"
    headings = {**HEADINGS, "user": "사용자"}
    audit_trail.export_csv(trail, path, headings, sentence)
    raw = path.read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf")
    assert b"\r\n" in raw and "사용자".encode() in raw.splitlines()[0]
    assert list(tmp_path.glob("*.part")) == []
    last = read_csv(path)[-1]
    assert last["local"][:13] != last["utc"][:13].replace("T", " ")  # Asia/Seoul is never UTC


@pytest.mark.parametrize("text", ["=1+1", "+82", "-2", "@SUM(A1)", "\t=1", " =1", "＝1"])
def test_no_cell_is_a_formula(project: Project, tmp_path: Path, text: str) -> None:
    record(project, "note_added", note_id=1, target_kind="run", target_id=1, text="x")
    audit_trail.export_csv(project, tmp_path / "audit.csv", HEADINGS, lambda _entry: text)
    assert {row["sentence"] for row in read_csv(tmp_path / "audit.csv")} == {f"'{text}"}


def test_a_folder_that_cannot_be_written_is_a_refusal(trail: Project, tmp_path: Path) -> None:
    with pytest.raises(UserError) as refused:
        audit_trail.export_csv(trail, tmp_path / "none" / "audit.csv", HEADINGS, sentence)
    assert refused.value.key == "path_missing"


# -- size and words --------------------------------------------------------------------------------------


def test_a_long_trail_is_paged(project: Project) -> None:
    with project.transaction():
        for number in range(5_000):
            record(project, "capture_mark", session_id=1, time=None, text=f"mark {number}", author="lee")
    ids = audit_trail.find(project, TrailFilter(), sentence)
    began = time.process_time()
    page = audit_trail.read_entries(project, ids[2_000:2_100])
    assert time.process_time() - began < 0.25
    assert [entry.id for entry in page] == list(ids[2_000:2_100])
    assert audit_trail.find(project, TrailFilter(words="mark 4999"), sentence) == (5_001,)


def test_rows_are_those_of_the_moment_of_reading(trail: Project) -> None:
    rows = stream_rows(trail)
    first = next(rows)
    sessions_before = audit_trail.head(trail)[0]
    assert first.row.id == 1 and len(list(rows)) == sessions_before - 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fact_and_group_has_a_word(language: str) -> None:
    words = catalogue(language)
    names = {name for facts in ACTIONS.values() for name in facts}
    assert [name for name in sorted(names) if f"ui.audit.fact.{name}" not in words] == []
    assert [name for name in audit_trail.GROUPS if f"ui.audit.group.{name}" not in words] == []
    assert [name for name in audit_trail.COLUMNS if f"ui.audit.csv.{name}" not in words] == []


def test_the_end_of_a_session_is_in_its_trail(project: Project) -> None:
    session_id = begin(project, "before")
    sessions.set_session_state(project, session_id, SessionState.FINISHED)
    assert found(project, session_id=session_id, group="session") == ["session_added", "session_changed"]
