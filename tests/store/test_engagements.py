"""What consultants write: kept as written, and every change on record."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.store import cases, golden
from tunebench.core.errors import UserError
from tunebench.domain.engagement import Direction, Engagement, Host, Measurement, Narrative, Phase, Section, Statement
from tunebench.store import engagements, hosts, runs
from tunebench.store.audit import trail as audit
from tunebench.store.project import Project
from tunebench.store.reports import add_report

RESPONSE = Measurement(
    "response_time",
    "응답속도",
    "response time",
    "s",
    "total",
    Direction.LOWER,
    590.997,
    33.17,
    before_date="2007-07-19",
    after_date="2007-07-26",
    samples=None,
    decimals=2,
    source="27쪽",
)
CPU = Measurement("cpu_peak", "CPU 최고", "CPU peak", "%", "max", Direction.LOWER, 95.0, 20.0, after_bound="<")
UNKNOWN = Measurement("custom.1", "기타", "other", "", "mean", Direction.NEUTRAL, None, None)


def actions(project: Project) -> list[str]:
    return [entry.action for entry in audit.list_audit(project)]


def test_an_engagement_is_replaced_and_the_change_is_on_record(project: Project) -> None:
    changed = replace(cases.ENGAGEMENT, title="2차 튜닝", consultants=("강경구",))
    engagements.write_engagement(project, changed)
    assert engagements.read_engagement(project) == changed
    entry = audit.list_audit(project)[-1]
    assert entry.action == "engagement_changed"
    assert entry.facts["changes"] == {
        "title": [cases.ENGAGEMENT.title, "2차 튜닝"],
        "consultants": [["이영진", "강경구"], ["강경구"]],
    }
    assert entry.user
    assert entry.time.endswith("+00:00")
    engagements.write_engagement(project, changed)
    assert actions(project).count("engagement_changed") == 1


def test_a_bare_engagement(project: Project) -> None:
    engagements.write_engagement(project, Engagement("", ""))
    assert engagements.read_engagement(project) == Engagement("", "")


def test_what_nobody_sees_in_its_texts_reaches_no_document(project: Project) -> None:
    engagements.write_engagement(project, Engagement("T\x1b[31m", "A\x9bC\u202eME", consultants=("이\x00영진",)))
    found = engagements.read_engagement(project)
    assert (found.title, found.customer, found.consultants) == ("T[31m", "ACME", ("이영진",))


def test_paragraphs_come_in_the_order_of_the_sections(project: Project) -> None:
    engagements.write_narrative(project, Section.OUTLOOK, "ko", ["3년 정도는 무난히 사용"])
    engagements.write_narrative(project, Section.ISSUE, "ko", ["첫째", "둘째"])
    engagements.write_narrative(project, Section.ISSUE, "en", ["first"])
    assert engagements.read_narrative(project, "ko") == [
        Narrative(Section.ISSUE, 0, "ko", "첫째"),
        Narrative(Section.ISSUE, 1, "ko", "둘째"),
        Narrative(Section.OUTLOOK, 0, "ko", "3년 정도는 무난히 사용"),
    ]
    engagements.write_narrative(project, Section.ISSUE, "ko", [])
    assert [part.section for part in engagements.read_narrative(project, "ko")] == [Section.OUTLOOK]
    assert [part.text for part in engagements.read_narrative(project, "en")] == ["first"]
    assert audit.list_audit(project)[-1].facts["before"] == ["첫째", "둘째"]


def test_measurements_are_replaced_in_their_order(project: Project) -> None:
    engagements.write_measurements(project, [CPU, RESPONSE, UNKNOWN])
    assert engagements.read_measurements(project) == [CPU, RESPONSE, UNKNOWN]
    engagements.write_measurements(project, [replace(RESPONSE, after=30.0), CPU])
    assert engagements.read_measurements(project) == [replace(RESPONSE, after=30.0), CPU]
    assert audit.list_audit(project)[-1].facts == {
        "changes": {"response_time": {"after": [33.17, 30.0]}},
        "added": [],
        "removed": ["custom.1"],
    }


def test_statements_entered_by_hand_belong_to_a_run(project: Project) -> None:
    run_id = runs.ensure_run(project, "before", Phase.BEFORE).id
    other = runs.ensure_run(project, "after", Phase.AFTER).id
    slow = Statement(0, "oracle", "a", "SELECT /*+ 힌트 */ 1", executions=3, elapsed_s=590.997, block_gets=37_539_159)
    engagements.write_statements(project, run_id, [slow, replace(slow, statement_id="b", elapsed_s=None)])
    engagements.write_statements(project, other, [replace(slow, statement_id="c")])
    first = replace(slow, run_id=run_id)
    assert engagements.read_statements_by_hand(project, run_id) == [
        first,
        replace(first, statement_id="b", elapsed_s=None),
    ]
    engagements.write_statements(project, run_id, [])
    assert [statement.statement_id for statement in engagements.read_statements_by_hand(project)] == ["c"]


def test_notes_are_added_changed_and_removed(project: Project) -> None:
    note = engagements.add_note(project, "series", 7, 123, "여기서 인덱스를 만듦", "lee")
    assert engagements.list_notes(project) == [note]
    engagements.change_note(project, note.id, "인덱스 생성")
    assert engagements.list_notes(project) == [replace(note, text="인덱스 생성")]
    engagements.remove_note(project, note.id)
    assert engagements.list_notes(project) == []
    assert actions(project)[-3:] == ["note_added", "note_changed", "note_removed"]
    assert engagements.add_note(project, "run", None, None, "", "").id > note.id
    with pytest.raises(LookupError):
        engagements.change_note(project, note.id, "gone")


def test_hosts_are_made_once_and_completed(project: Project) -> None:
    first = hosts.ensure_host(project, "svrdb1", os="sunos")
    assert hosts.ensure_host(project, "svrdb1") == first
    full = hosts.ensure_host(project, "svrdb1", "linux", "5.10", "Asia/Seoul", "user")
    assert full == Host(first.id, "svrdb1", "sunos", "5.10", "Asia/Seoul", "user")
    assert hosts.ensure_host(project, "svrdb1", zone="UTC", zone_source="host") == full
    hosts.set_host_zone(project, first.id, "UTC", "user")
    hosts.ensure_host(project, "app1")
    assert [(host.name, host.zone) for host in hosts.list_hosts(project)] == [("app1", ""), ("svrdb1", "UTC")]
    with pytest.raises(LookupError):
        hosts.set_host_zone(project, 99, "UTC", "user")


def test_runs_are_made_once_and_changed(project: Project) -> None:
    before = runs.ensure_run(project, "07-19", Phase.BEFORE)
    assert runs.ensure_run(project, "07-19", Phase.AFTER) == before
    after = runs.ensure_run(project, "07-26", Phase.OTHER)
    runs.change_run(project, after.id, "07-26 오후", Phase.AFTER)
    assert [(run.label, run.phase) for run in runs.list_runs(project)] == [
        ("07-19", Phase.BEFORE),
        ("07-26 오후", Phase.AFTER),
    ]
    with pytest.raises(UserError, match="run_label_taken"):
        runs.change_run(project, after.id, "07-19", Phase.AFTER)
    with pytest.raises(LookupError):
        runs.change_run(project, 99, "x", Phase.AFTER)


def test_only_an_empty_run_is_removed(project: Project) -> None:
    artefact_id = cases.write_samples(project, cases.batch([[1.0]]))
    filled, empty = cases.run_of(project, artefact_id), runs.ensure_run(project, "empty", Phase.OTHER).id
    for run_id in (filled, empty):
        runs.remove_empty_run(project, run_id)
    assert [run.id for run in runs.list_runs(project)] == [filled]


def test_every_change_is_recorded_with_a_sentence_that_its_facts_fill(project: Project) -> None:
    engagements.write_engagement(project, replace(cases.ENGAGEMENT, title="2차"))
    engagements.write_narrative(project, Section.ISSUE, "ko", ["가"])
    engagements.write_measurements(project, [CPU])
    note = engagements.add_note(project, "run", 1, None, "a", "lee")
    engagements.change_note(project, note.id, "b")
    engagements.remove_note(project, note.id)
    artefact_id = cases.write_samples(project, cases.batch([[1.0]]))
    engagements.write_statements(project, cases.run_of(project, artefact_id), [])
    hosts.ensure_host(project, "db1", "linux")
    hosts.set_host_zone(project, 1, "UTC", "user")
    runs.change_run(project, 1, "x", Phase.AFTER)
    runs.remove_empty_run(project, runs.ensure_run(project, "nothing came in", Phase.OTHER).id)
    add_report(project, **golden.REPORT)
    from tunebench.store.artefacts import begin_artefact, remove_samples
    from tunebench.store.opening import discard_unfinished

    remove_samples(project, artefact_id)
    begin_artefact(project, 1, "half.txt", "/half.txt", 0)
    discard_unfinished(project)
    for entry in audit.list_audit(project):
        cases.check_audit_sentence(entry)
