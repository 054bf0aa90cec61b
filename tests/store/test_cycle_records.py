"""The records of the cycle: kept whole, changed by whole edits, never left pointing at nothing."""

from __future__ import annotations

import json
import sqlite3
import threading
from dataclasses import fields, replace
from typing import Any
from unittest.mock import ANY

import pytest

from tests.store import cases
from tests.store.cycle_cases import adding, changing, records, removing
from tunebench.core.errors import UserError
from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.domain.cycle.book import KINDS, CycleBook, CycleEdit, Record, RecordChange, kind_of, references
from tunebench.domain.cycle.evidence import Evidence, EvidenceKind, EvidenceTarget
from tunebench.domain.cycle.record_json import BadRecord, from_json, to_json
from tunebench.domain.cycle.records import (
    Cause,
    CauseDomain,
    Figure,
    Iteration,
    ManualSource,
    Metric,
    StatementSource,
    Target,
)
from tunebench.domain.engagement import Direction, Phase
from tunebench.domain.record_ids import renumbered
from tunebench.domain.windows import Exclusion, Occurrence, Window
from tunebench.store import removal, runs
from tunebench.store.artefacts import list_artefacts
from tunebench.store.attachments import keep_attachment, read_attachment
from tunebench.store.audit.trail import list_audit
from tunebench.store.check import check_project
from tunebench.store.cycle import records as cycle_records
from tunebench.store.cycle.records import apply, next_evidence_number, read_book
from tunebench.store.cycle.rules import namings
from tunebench.store.opening import open_project
from tunebench.store.project import Project


@pytest.fixture
def run_id(project: Project) -> int:
    cases.write_samples(project, cases.batch([[137.8], [140.0]]))
    return runs.list_runs(project)[0].id


@pytest.fixture
def full(project: Project, run_id: int) -> Project:
    """A project with one record of every kind."""
    apply(project, adding(*records(run_id, keep_attachment(project, b"memo"))), "이영진")
    return project


def one(project: Project, kind: str) -> Record:
    return next(record for record in read_book(project) if kind_of(record) == kind)


def refusal(project: Project, edit: CycleEdit) -> UserError:
    before = read_book(project)
    trail = len(list_audit(project))
    with pytest.raises(UserError) as caught:
        apply(project, edit, "lee")
    assert read_book(project) == before
    assert len(list_audit(project)) == trail
    return caught.value


# -- JSON ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("record", records(1, "ab"), ids=kind_of)
def test_every_kind_reads_back_as_it_was(record: Record) -> None:
    assert from_json(kind_of(record), record.id, to_json(record)) == record


def test_the_cases_hold_every_kind_and_every_reference() -> None:
    made = records(1, "ab")
    assert {kind_of(record) for record in made} == set(KINDS)
    for record in made:
        named = {naming.named_id for naming in namings(record)}
        assert named == references(record)
        shifted = renumbered(record, {-number: 100 + number for number in range(1, 30)})
        assert references(shifted) == {100 - each for each in named}


@pytest.mark.parametrize("source", [StatementSource("elapsed_s", "oracle", "0gx3w", True), ManualSource("time mkfile")])
def test_sources_of_other_kinds(source: StatementSource | ManualSource) -> None:
    metric = Metric(1, 2, "m", source, "total", "s", Direction.LOWER)
    assert from_json("metric", 1, to_json(metric)) == metric


@pytest.mark.parametrize(
    ("kind", "body", "says"),
    [
        ("cause", '{"iteration_id":1,"domain":"system","title":"t","colour":"red"}', "unknown field colour"),
        ("cause", '{"iteration_id":1,"domain":"system"}', "title is missing"),
        ("cause", '{"iteration_id":"1","domain":"system","title":"t"}', "cause.iteration_id: whole number wanted"),
        ("cause", '{"iteration_id":true,"domain":"system","title":"t"}', "whole number wanted"),
        ("cause", '{"iteration_id":1,"domain":"disk","title":"t"}', 'CauseDomain wanted, "disk" found'),
        ("cause", '{"iteration_id":1,"domain":"system","title":"t","share_pct":NaN}', "NaN is no number"),
        ("cause", '{"iteration_id":1,"domain":"system","title":"t","issue_ids":[1,"2"]}', "cause.issue_ids.1"),
        ("cause", '{"iteration_id":1,"domain":"system","title":"t","id":7}', "not the fields"),
        ("step", '{"iteration_id":1,"number":9}', "StepNumber wanted, 9 found"),
        (
            "metric",
            '{"iteration_id":1,"name":"m","source":{"type":"guess"},"statistic":"p95","unit":"ms","direction":"lower"}',
            "guess",
        ),
        ("wish", "{}", "unknown kind"),
        ("cause", "[]", "not the fields"),
        ("cause", "{", "Expecting"),
    ],
)
def test_what_was_not_written_by_us_is_refused(kind: str, body: str, says: str) -> None:
    with pytest.raises(BadRecord, match="^.*" + says.replace("(", r"\(")):
        from_json(kind, 1, body)


def test_a_field_that_a_later_version_adds_may_be_missing() -> None:
    cause = from_json("cause", 3, '{"iteration_id":1,"domain":"system","title":"t"}')
    assert cause == Cause(3, 1, CauseDomain.SYSTEM, "t")


def test_a_number_that_is_no_number_is_never_written() -> None:
    with pytest.raises(ValueError):
        to_json(Target(1, 1, 1, Figure(float("nan"))))


# -- edits ---------------------------------------------------------------------------------------------


def test_records_made_together_name_each_other(full: Project, run_id: int) -> None:
    book = read_book(full)
    assert {type(record) for record in book} == set(KINDS.values())
    target, metric, evidence = (one(full, kind) for kind in ("target", "metric", "evidence"))
    assert isinstance(target, Target) and isinstance(evidence, Evidence)
    assert target.metric_id == metric.id
    assert target.baseline is not None and target.baseline.evidence_id == evidence.id
    assert (evidence.number, evidence.code, evidence.attached_to) == (1, "E-1", (one(full, "cause").id,))
    assert all(record.id > 0 for record in book)
    assert {result.state for result in check_project(full)} == {"ok"}


def test_the_book_is_there_after_reopening(full: Project) -> None:
    book = read_book(full)
    full.close()
    with open_project(full.path, read_only=True) as again:
        assert read_book(again) == book


def test_undo_and_redo_give_the_same_ids_and_numbers(full: Project, run_id: int) -> None:
    before = read_book(full)
    pinned = Evidence(0, 0, "vmstat", EvidenceTarget(EvidenceKind.RUN, run_id))
    done = apply(full, adding(pinned), "lee")
    after = read_book(full)
    apply(full, done.inverse, "lee")
    assert read_book(full) == before
    apply(full, adding(replace(pinned, caption="another")), "lee")
    apply(full, done, "lee")
    assert read_book(full).records[done.changes[0].after.id] == done.changes[0].after  # type: ignore[union-attr]
    assert [each.number for each in read_book(full).all(Evidence)] == [1, 2, 3]
    assert next_evidence_number(full) == 4
    assert after.records.keys() < read_book(full).records.keys()


def test_an_edit_with_everything_can_be_undone_and_redone(project: Project, run_id: int) -> None:
    done = apply(project, adding(*records(run_id, keep_attachment(project, b"memo"))), "lee")
    book = read_book(project)
    apply(project, done.inverse, "lee")
    assert not read_book(project).records
    with project.reading() as connection:
        assert connection.execute("SELECT count(*) FROM cycle_reference").fetchone() == (0,)
    apply(project, done, "lee")
    assert read_book(project) == book


def test_ids_of_removed_records_are_not_given_again(project: Project) -> None:
    first = apply(project, adding(Iteration(0, 1, "1차")), "lee")
    apply(project, first.inverse, "lee")
    second = apply(project, adding(Iteration(0, 1, "새 1차")), "lee")
    assert second.changes[0].after.id > first.changes[0].after.id  # type: ignore[union-attr]


def test_a_record_with_an_id_that_was_never_given_is_a_bug(project: Project) -> None:
    with pytest.raises(ValueError, match="never given"):
        apply(project, adding(Iteration(77, 1, "1차")), "lee")


def test_the_trail_says_who_changed_which_field(full: Project) -> None:
    cause = one(full, "cause")
    assert isinstance(cause, Cause)
    apply(full, changing(cause, replace(cause, title="작은 쓰기 8 KB", share_pct=None)), "강경구")
    entry = list_audit(full)[-1]
    key = f"cause.{cause.id}"
    assert (entry.action, entry.facts) == (
        "cycle_changed",
        {
            "edit": "change",
            "by": "강경구",
            "changes": {f"{key} title": ["작은 쓰기", "작은 쓰기 8 KB"], f"{key} share_pct": [62.5, None]},
        },
    )
    for each in list_audit(full):
        cases.check_audit_sentence(each)


def test_an_edit_that_changes_nothing_leaves_no_trace(full: Project) -> None:
    trail = len(list_audit(full))
    cause = one(full, "cause")
    apply(full, changing(cause, cause), "lee")
    assert len(list_audit(full)) == trail


# -- refusals ------------------------------------------------------------------------------------------


def test_a_record_that_somebody_changed_meanwhile(full: Project) -> None:
    cause = one(full, "cause")
    assert isinstance(cause, Cause)
    mine, theirs = replace(cause, title="mine"), replace(cause, title="theirs")
    apply(full, changing(cause, theirs), "kang")
    assert refusal(full, changing(cause, mine)).key == "cycle_changed_meanwhile"
    assert refusal(full, removing(cause)).key == "cycle_changed_meanwhile"
    assert refusal(full, adding(cause)).key == "cycle_changed_meanwhile"


def test_a_record_never_becomes_another(full: Project) -> None:
    cause, issue = one(full, "cause"), one(full, "issue")
    assert refusal(full, changing(cause, replace(cause, id=issue.id))).key == "cycle_changed_meanwhile"
    assert refusal(full, changing(cause, replace(issue, id=cause.id))).key == "cycle_changed_meanwhile"


def test_what_is_in_use_names_its_users(full: Project) -> None:
    error = refusal(full, removing(one(full, "metric")))
    assert error.key == "cycle_record_in_use"
    assert error.facts["record"] == f"ssd2 응답시간 (metric.{one(full, 'metric').id})"
    for kind in ("target", "action", "result"):
        assert f"{kind}.{one(full, kind).id}" in str(error.facts["users"])


_HOUR = 3_600_000_000_000
_NINE = 1_783_296_000_000_000_000  # 2026-07-06 09:00 in Seoul


def _stretch(start: float, end: float, **more: Any) -> Occurrence:
    """In hours after nine."""
    return Occurrence(_NINE + round(start * _HOUR), _NINE + round(end * _HOUR), **more)


def _excluded(start: float, end: float, reason: str = "배치") -> tuple[Exclusion, ...]:
    return (Exclusion(_NINE + round(start * _HOUR), _NINE + round(end * _HOUR), reason),)


@pytest.mark.parametrize(
    ("changes", "key", "stretches"),
    [
        ({"occurrences": ()}, "window_empty", ""),
        ({"occurrences": (_stretch(3, 0),)}, "window_reversed", "2026-07-06 12:00 - 09:00"),
        ({"occurrences": (Occurrence(_NINE),)}, "window_endless", ""),
        (
            {"occurrences": (_stretch(24, 27), _stretch(2, 4), _stretch(0, 3))},
            "window_overlap",
            "2026-07-06 09:00 - 12:00, 2026-07-06 11:00 - 13:00",
        ),
        ({"occurrences": (Occurrence(run_id=1), Occurrence(None, _NINE, 1))}, "window_overlap", None),
        ({"exclusions": _excluded(1, 2, " ")}, "window_no_reason", "2026-07-06 10:00 - 11:00"),
        ({"exclusions": _excluded(4, 5)}, "window_exclusion_outside", "2026-07-06 13:00 - 14:00"),
        ({"exclusions": _excluded(-1, 3)}, "window_all_excluded", ""),
        ({"name": " "}, "window_unnamed", None),
        ({"name": "업무 집중 시간"}, "window_name_taken", None),
        ({"occurrences": (_stretch(0, 3, run_id=99),)}, "cycle_dangling", None),
    ],
)
def test_a_window_that_cannot_be(full: Project, changes: dict[str, Any], key: str, stretches: str | None) -> None:
    window = Window(0, "아침", occurrences=(_stretch(0, 3),))
    error = refusal(full, adding(replace(window, **changes)))
    assert (error.key, error.facts.get("stretches")) == (key, stretches if stretches is not None else ANY)
    assert not {"{", "}"} & set("".join(catalogue(language).error(error) for language in LANGUAGES))


def test_windows_that_can_be(full: Project) -> None:
    kept = one(full, "window")
    assert isinstance(kept, Window)
    meeting = Window(0, "하루", occurrences=(_stretch(0, 3), _stretch(3, 6)), exclusions=_excluded(-1, 3))
    done = apply(
        full, adding(meeting), "lee"
    )  # ends that meet are no overlap; one occurrence may be left out as a whole
    apply(full, changing(kept, replace(kept, name="아침")), "lee")
    apply(full, adding(Window(0, kept.name, occurrences=(Occurrence(run_id=1),))), "lee")  # the name is free again
    apply(full, done.inverse, "lee")
    assert [window.name for window in read_book(full).all(Window)] == ["아침", kept.name]
    assert {result.state for result in check_project(full)} == {"ok"}


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("target", "metric_id", "cause"),
        ("result", "metric_id", None),
        ("cause", "iteration_id", "issue"),
        ("cause", "carried_from", "metric"),
        ("action", "cause_ids", "metric"),
        ("evidence", "attached_to", None),
    ],
)
def test_a_name_must_lead_to_a_record_of_its_kind(full: Project, kind: str, field: str, value: str | None) -> None:
    named = 999 if value is None else one(full, value).id
    record = one(full, kind)
    wrong = replace(record, **{field: (named,) if field in ("cause_ids", "attached_to") else named})  # type: ignore[arg-type]
    error = refusal(full, changing(record, wrong))
    assert (error.key, error.facts["field"], error.facts["named"]) == ("cycle_dangling", field, named)


@pytest.mark.parametrize(
    ("target", "field"),
    [
        (EvidenceTarget(EvidenceKind.RUN, 99), "run"),
        (EvidenceTarget(EvidenceKind.CAPTURE, 1, 99), "artefact"),
        (EvidenceTarget(EvidenceKind.ATTACHMENT, key="ff"), "attachment"),
    ],
)
def test_evidence_must_be_there(full: Project, target: EvidenceTarget, field: str) -> None:
    error = refusal(full, adding(Evidence(0, 0, "c", target)))
    assert (error.key, error.facts["field"]) == ("cycle_dangling", field)


def test_carrying_over_in_a_circle_is_refused(project: Project) -> None:
    apply(project, adding(Iteration(-1, 1, "1차"), Iteration(-2, 2, "2차", continues=-1)), "lee")
    first = read_book(project).iterations[0]
    second = read_book(project).iterations[1]
    assert refusal(project, changing(first, replace(first, continues=second.id))).key == "cycle_circular"
    causes = [Cause(-number, first.id, CauseDomain.SYSTEM, "c", carried_from=-(number % 3 + 1)) for number in (1, 2, 3)]
    assert refusal(project, adding(*causes)).key == "cycle_circular"
    itself = refusal(project, changing(first, replace(first, continues=first.id)))
    assert itself.key == "cycle_circular"


def test_an_edit_is_done_whole_or_not_at_all(full: Project) -> None:
    cause = one(full, "cause")
    assert isinstance(cause, Cause)
    good = RecordChange(cause, replace(cause, title="new"))
    bad = RecordChange(None, Target(0, cause.iteration_id, 999))
    assert refusal(full, CycleEdit("both", (good, bad))).key == "cycle_dangling"


def test_a_project_that_is_only_read(full: Project) -> None:
    full.close()
    with open_project(full.path, read_only=True) as reader:
        assert refusal(reader, adding(Iteration(0, 2, "2차"))).key == "project_read_only"


def test_the_second_consultant_reads_only_and_sees_the_changes(full: Project) -> None:
    with open_project(full.path) as second:
        assert (second.read_only_reason, second.lock_holder is not None) == ("locked", True)
        assert refusal(second, adding(Iteration(0, 2, "2차"))).key == "project_read_only"
        apply(full, adding(Iteration(0, 2, "2차")), "lee")
        assert len(read_book(second).iterations) == 2


def test_edits_of_several_threads_follow_each_other(project: Project) -> None:
    apply(project, adding(Iteration(0, 1, "1차")), "lee")
    iteration = read_book(project).iterations[0]

    def add_causes() -> None:
        for _ in range(10):
            apply(project, adding(Cause(0, iteration.id, CauseDomain.SYSTEM, "c")), "lee")

    threads = [threading.Thread(target=add_causes) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(read_book(project).all(Cause)) == 30


# -- runs, captures and files that are evidence --------------------------------------------------------


def test_a_run_that_is_evidence_stays_and_names_its_users(full: Project, run_id: int) -> None:
    for remove in (lambda: removal.remove_run(full, run_id), lambda: removal.remove_artefact(full, 1)):
        with pytest.raises(UserError) as caught:
            remove()
        assert caught.value.key == "run_is_evidence"
        assert "E-1 튜닝 전 ssd2" in str(caught.value.facts["users"])
        assert f"target.{one(full, 'target').id}" in str(caught.value.facts["users"])
    runs.remove_empty_run(full, run_id)
    assert [run.id for run in runs.list_runs(full)] == [run_id]


def test_an_empty_run_that_is_evidence_survives_an_import_of_duplicates(project: Project) -> None:
    run = runs.ensure_run(project, "after", Phase.AFTER)
    apply(project, adding(Evidence(0, 0, "c", EvidenceTarget(EvidenceKind.RUN, run.id))), "lee")
    runs.remove_empty_run(project, run.id)
    assert [each.label for each in runs.list_runs(project)] == ["after"]


def test_sqlite_itself_refuses_to_take_evidence_away(full: Project) -> None:
    with pytest.raises(sqlite3.IntegrityError), full.transaction() as connection:
        connection.execute("DELETE FROM run")
    with pytest.raises(sqlite3.IntegrityError), full.transaction() as connection:
        connection.execute("DELETE FROM attachment")


def test_a_run_that_nothing_rests_on_goes_with_its_captures(project: Project, run_id: int) -> None:
    removal.remove_run(project, run_id)
    assert (runs.list_runs(project), list_artefacts(project)) == ([], [])
    entry = list_audit(project)[-1]
    assert (entry.action, entry.facts["label"]) == ("run_removed", "before")
    assert str(entry.facts["captures"]).startswith("['iostat.txt ")
    assert {result.state for result in check_project(project)} == {"ok"}


def test_the_id_of_a_removed_run_is_not_given_again(project: Project) -> None:
    ids = [runs.ensure_run(project, label, Phase.OTHER).id for label in ("a", "b", "c")]
    for id_ in reversed(ids):
        removal.remove_run(project, id_)
    assert runs.ensure_run(project, "d", Phase.OTHER).id == max(ids) + 1


def test_attachments_are_kept_once_and_unharmed(project: Project) -> None:
    names = {keep_attachment(project, data) for data in (b"memo", b"memo", b"", "메모".encode())}
    assert len(names) == 3
    assert {read_attachment(project, name) for name in names} == {b"memo", b"", "메모".encode()}
    with pytest.raises(UserError, match="attachment_missing"):
        read_attachment(project, "00")


def test_an_attachment_has_a_limit(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tunebench.store.attachments.LARGEST_BYTES", 3)
    with pytest.raises(UserError, match="attachment_too_large"):
        keep_attachment(project, b"memo")


# -- damage --------------------------------------------------------------------------------------------


def spoil(project: Project, statement: str) -> dict[str, tuple[str, object]]:
    with project.transaction() as connection:
        connection.execute("PRAGMA defer_foreign_keys = ON")
        connection.execute(statement)
    return {each.check: (each.state, each.facts.get("found")) for each in check_project(project) if each.state != "ok"}


def test_a_spoilt_record_is_found_and_refused(full: Project) -> None:
    cause = one(full, "cause")
    found = spoil(full, f"UPDATE cycle_record SET body = replace(body, 'system', 'magic') WHERE id = {cause.id}")
    assert found["cycle_records"][0] == "failed"
    assert f"cause.{cause.id}: cause.domain" in str(found["cycle_records"][1])
    with pytest.raises(UserError) as caught:
        read_book(full)
    assert (caught.value.key, caught.value.facts["record"]) == ("cycle_record_damaged", f"cause.{cause.id}")


def test_a_reference_that_leads_nowhere_is_found(full: Project) -> None:
    target = one(full, "target")
    assert isinstance(target, Target)
    body = json.loads(to_json(target)) | {"metric_id": 999}
    found = spoil(full, f"UPDATE cycle_record SET body = '{json.dumps(body)}' WHERE id = {target.id}")
    outside = {"record": f"target.{target.id}", "field": "metric_id", "written": target.metric_id, "stored": 999}
    assert found == {
        "cycle_references": ("failed", [f"target.{target.id} metric_id: 999", f"target.{target.id}"]),
        "cycle_audit": ("failed", [outside]),
    }


@pytest.mark.parametrize(
    ("kind", "field", "path", "value"),
    [
        ("target", "value", "value", 99.5),
        ("metric", "direction", "direction", "neutral"),
        ("result", "after", "after.value", 0.1),
        ("action", "no_price_reason", "no_price_reason", "none"),
    ],
)
def test_a_field_that_was_changed_past_the_audit_trail_is_found(
    full: Project, kind: str, field: str, path: str, value: object
) -> None:
    record = one(full, kind)
    body = json.loads(to_json(record))
    before = body[field]["value"] if path == "after.value" else body[field]
    body[field] = {**body[field], "value": value} if path == "after.value" else value
    found = spoil(full, f"UPDATE cycle_record SET body = '{json.dumps(body)}' WHERE id = {record.id}")
    said = {"record": f"{kind}.{record.id}", "field": path, "written": before, "stored": value}
    assert found == {"cycle_audit": ("failed", [said])}


def test_records_that_came_or_went_past_the_audit_trail_are_found(full: Project) -> None:
    issue = one(full, "issue")
    found = spoil(full, f"INSERT INTO cycle_record (id, kind, body) VALUES (999, 'issue', '{to_json(issue)}')")
    assert {name: state for name, (state, _) in found.items()} == {"cycle_audit": "failed"}
    said: Any = found["cycle_audit"][1]
    assert [(each["record"], each["field"], each["written"]) for each in said] == [("issue.999", "", None)]
    term = one(full, "term")
    found = spoil(full, f"DELETE FROM cycle_record WHERE id IN (999, {term.id})")
    said = found["cycle_audit"][1]
    assert [(each["record"], each["stored"]) for each in said] == [(f"term.{term.id}", None)]


def test_a_field_that_an_older_program_did_not_know_is_no_change(full: Project) -> None:
    """Neither in the entries that it wrote nor in its records; the records of the next edit have it."""
    cause = one(full, "cause")
    with full.transaction() as connection:
        connection.execute("DROP TRIGGER audit_is_not_changed")
        connection.execute("UPDATE audit SET facts = json_remove(facts, ?)", (f'$.changes."cause.{cause.id} finding"',))
        body = {name: value for name, value in json.loads(to_json(cause)).items() if name != "finding"}
        connection.execute("UPDATE cycle_record SET body = ? WHERE id = ?", (json.dumps(body), cause.id))
    assert [each.state for each in check_project(full) if each.check == "cycle_audit"] == ["ok"]
    read = one(full, "cause")
    assert isinstance(read, Cause)
    apply(full, changing(read, replace(read, title="again")), "lee")
    assert [each.state for each in check_project(full) if each.check == "cycle_audit"] == ["ok"]


def test_a_missing_row_of_the_references_is_found(full: Project) -> None:
    found = spoil(full, f"DELETE FROM cycle_reference WHERE record_id = {one(full, 'action').id}")
    assert found == {"cycle_references": ("failed", [f"action.{one(full, 'action').id}"])}


def test_a_circle_in_the_file_is_found(project: Project) -> None:
    apply(project, adding(Iteration(-1, 1, "1차"), Iteration(-2, 2, "2차", continues=-1)), "lee")
    found = spoil(
        project, "UPDATE cycle_record SET body = replace(body, '\"continues\":null', '\"continues\":2') WHERE id = 1"
    )
    assert "iteration.1 carried_from" in str(found["cycle_references"])


def test_a_damaged_attachment_is_found(full: Project) -> None:
    found = spoil(full, "UPDATE attachment SET data = zeroblob(length(data))")
    assert [*found] == ["attachments"]


def test_evidence_whose_series_vanished_is_a_warning(full: Project) -> None:
    found = spoil(full, "UPDATE series SET native = 'asvc_t'")
    assert found == {"cycle_evidence": ("warning", ["E-1 튜닝 전 ssd2"])}


def test_the_columns_repeat_what_the_body_says(full: Project) -> None:
    with full.reading() as connection:
        rows = connection.execute("SELECT id, iteration_id FROM cycle_record").fetchall()
    book: CycleBook = read_book(full)
    assert dict(rows) == {record.id: getattr(record, "iteration_id", None) for record in book}
    assert all(any(field.name == "id" for field in fields(record)) for record in book)
    assert [record.id for record in cycle_records.users_of_run(full, 1)] == sorted(
        one(full, kind).id for kind in ("target", "result", "evidence", "window")
    )
