"""What is sealed is not changed on the command line without a reason that says something, and then by amendment."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import openpyxl
import pytest
from pypdfium2 import PdfDocument

from tests.cycle_cheats import CHEATS, EMPTY_REASONS, REASON, REFUSED, DaysAgo, amended_of, fill, words_of
from tests.e2e.conftest import Command
from tests.ui import made_cycle
from tests.ui.made_cycle import AT
from tunebench.core.messages import catalogue
from tunebench.domain.engagement import Phase
from tunebench.store import runs
from tunebench.store.opening import open_project
from tunebench.usecases.cycle import reading


@pytest.fixture
def ids(project: Path) -> dict[str, int]:
    with open_project(project) as opened:
        return fill(opened)


def test_every_cheat_is_refused_or_becomes_an_amendment(project: Path, ids: dict[str, int], tunebench: Command) -> None:
    untouched = project.read_bytes()
    for name, cheat in CHEATS.items():
        act, *words = words_of(cheat, ids)
        refused = tunebench("cycle", project, act, *words)
        assert refused.code == 3 and "--reason" in refused.err, name
        for reason in EMPTY_REASONS:
            assert tunebench("cycle", project, act, *words, "--reason", reason).code == 3, (name, reason)
        done = tunebench("cycle", project, act, *words, "--reason", REASON, "--by", "Lee", "--json")
        assert done.code == 0, (name, done.err)
        (amendment,) = [each for each in done.json["records"] if each["kind"] == "amendment"]
        record, field = amended_of(cheat, ids)
        assert (amendment["number"], amendment["record"], amendment["field"]) == (1, record, field), name
        assert (amendment["reason"], amendment["amended_by"], amendment["after_result"]) == (REASON, "Lee", True), name
        assert amendment["old"] != amendment["new"], name
        assert tunebench("cycle", project, "remove", f"amendment.{amendment['id']}", "--reason", REASON).code == 3
        assert tunebench("cycle", project, "set", "amendment:1", "reason=other").code == 3
        project.write_bytes(untouched)


def test_what_no_reason_makes_right(project: Path, ids: dict[str, int], tunebench: Command) -> None:
    assert tunebench("cycle", project, "set", "engagement", "two_roles=refused").code == 0
    with open_project(project) as opened:
        before = reading.read(opened)
    for name, words in REFUSED.items():
        for language in ("en", "ko"):
            answer = tunebench("cycle", project, *(each.format_map(ids) for each in words), "--lang", language)
            assert answer.code == 3, (name, answer.out)
            assert answer.err and "⟨" not in answer.err, (name, answer.err)
    with open_project(project) as opened:
        assert reading.read(opened) == before


def test_what_is_edited_past_the_program_is_found(project: Path, ids: dict[str, int], tunebench: Command) -> None:
    words = ("set", f"target.{ids['top']}", "value=30", "--reason", REASON)
    assert tunebench("cycle", project, *words).code == 0
    untouched = project.read_bytes()
    for kind, field, value, checks in (
        ("target", "value", 99.0, {"cycle_audit"}),
        ("metric", "direction", "higher", {"cycle_audit"}),
        ("executed", "executed_at", "2020-01-01T00:00:00+09:00", {"cycle_audit"}),
        ("amendment", "reason", "another", {"cycle_audit"}),
        ("amendment", "after_result", 0, {"cycle_records", "cycle_figures", "signatures"}),
        ("seal", "content", "{}", {"cycle_audit", "cycle_records"}),
        ("seal", "digest", "00", {"cycle_audit", "cycle_records"}),
    ):
        with sqlite3.connect(project) as connection:
            id_, _ = connection.execute(
                "UPDATE cycle_record SET body = json_set(body, ?, ?) WHERE id ="
                " (SELECT min(id) FROM cycle_record WHERE kind = ?) RETURNING id, kind",
                (f"$.{field}", value, kind),
            ).fetchone()
        connection.close()
        answer = tunebench("check", project, "--json")
        wrong = {each["check"]: each["facts"]["found"] for each in answer.json if each["state"] == "failed"}
        assert set(wrong) == checks, (kind, field)
        told = str(wrong)
        assert f"{kind}.{id_}" in told and (field in told), (kind, field)
        project.write_bytes(untouched)


@pytest.mark.parametrize(("field", "value"), [("phase", "other"), ("label", "best of them")])
def test_a_run_renamed_or_moved_to_the_other_side_past_the_program_is_found(
    field: str, value: str, project: Path, ids: dict[str, int], tunebench: Command
) -> None:
    with sqlite3.connect(project) as connection:
        connection.execute(f"UPDATE run SET {field} = ? WHERE id = ?", (value, ids["after"]))
    connection.close()
    answer = tunebench("check", project, "--json")
    wrong = {each["check"]: each["facts"]["found"] for each in answer.json if each["state"] == "failed"}
    assert set(wrong) == {"cycle_audit"}
    assert wrong["cycle_audit"] == [
        {"record": f"run.{ids['after']}", "field": field, "written": "after", "stored": value}
    ]
    shown = tunebench("cycle", project, "show", "--json").json["iteration"]
    assert {each["standing"]["state"] for each in shown["targets"]} == {"contradicted"}
    for language in ("en", "ko"):
        assert "⟨" not in tunebench("check", project, "--lang", language).out


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", f"Order time, value: 20 → 30. Reason: {REASON} (Lee, "),
        ("ko", f"Order time, 값: 20 → 30. 사유: {REASON} (Lee, "),
    ],
)
def test_an_amendment_is_shown(
    language: str, told: str, project: Path, ids: dict[str, int], tunebench: Command
) -> None:
    words = ("set", f"target.{ids['top']}", "value=30", "--reason", REASON, "--by", "Lee")
    assert tunebench("cycle", project, *words).code == 0
    assert told in tunebench("cycle", project, "show", "--lang", language).out
    shown = tunebench("cycle", project, "show", "--json").json["iteration"]
    assert [(each["field"], each["old"], each["new"]) for each in shown["amendments"]] == [("value", "20.0", "30.0")]
    (seal,) = shown["seals"]
    assert sha256(seal["content"].encode()).hexdigest() == seal["digest"]
    assert json.loads(seal["content"])[f"target.{ids['top']}"]["value"] == 20.0
    closed = tunebench("cycle", project, "close", "--by", "Lee", "--lang", language)
    assert closed.code == 3 and told in closed.err  # the price of the change was never measured


def test_the_nicest_of_several_results_is_told_with_the_others(
    project: Path, ids: dict[str, int], tunebench: Command
) -> None:
    with open_project(project) as opened:
        runs.ensure_run(opened, "after-2", Phase.AFTER)
    measure = ("measure", f"metric.{ids['time']}", "--value", "19 @ stop watch", "--run", "after-2")
    assert tunebench("cycle", project, *measure).code == 3
    assert tunebench("cycle", project, *measure, "--reason", REASON, "--by", "Lee").code == 0
    shown = tunebench("cycle", project, "show", "--lang", "en").out
    assert f"25 (after, {made_cycle.SOURCE}) → 19 (after-2, stop watch). Reason: {REASON} (Lee" in shown
    assert "A result was known already" in shown
    assert "이미 확인한 결과" in tunebench("cycle", project, "show", "--lang", "ko").out
    assert tunebench("cycle", project, "remove", f"result.{ids['result']}", "--reason", REASON).code == 0
    again = ("measure", f"metric.{ids['time']}", "--value", "18 @ stop watch", "--run", "after-2")
    assert tunebench("cycle", project, *again).code == 3  # what was known once is not forgotten


def test_a_time_told_otherwise_stands_beside_that_of_its_entry(
    project: Path, ids: dict[str, int], tunebench: Command
) -> None:
    with sqlite3.connect(project) as connection:
        entries = {
            place.partition(" ")[2]: time
            for time, facts in connection.execute("SELECT time, facts FROM audit WHERE action = 'cycle_changed'")
            for place, pair in json.loads(facts)["changes"].items()
            if place in (f"action.{ids['action']} consents", f"executed.{ids['line']} executed_at") and pair[1]
        }
    connection.close()
    shown = tunebench("cycle", project, "show", "--json").json["iteration"]
    (action,) = shown["actions"]
    (line,) = shown["executed"]
    assert (action["consents"][0]["decided_at"], action["consents"][0]["recorded_at"]) == (AT, entries["consents"])
    assert (line["executed_at"], line["recorded_at"]) == (AT, entries["executed_at"])
    told = [(each["key"], each["facts"]["stated"], each["facts"]["recorded"]) for each in shown["disclosures"]]
    stated = [("approval_stated", AT, entries["consents"]), ("execution_stated", AT, entries["executed_at"])]
    assert told == stated
    out = tunebench("cycle", project, "show", "--lang", "en").out
    assert 'Execution of "Larger read-ahead" by Kim: stated 2026-07-20 22:00' in out


def test_a_result_recorded_before_its_execution_is_disclosed(
    project: Path, ids: dict[str, int], tunebench: Command
) -> None:
    """Of a countermeasure that came in after the result: what it is credited with was known before."""
    worksheet = ("changes+=parameter=ncsize; new=4000", "no_price_reason=읽기 전용", "rollback.command=restore")
    verified = f"verifications+=metric_id={ids['time']}"
    added = tunebench("cycle", project, "add", "action", "title=Larger cache", *worksheet, verified, "--json").json
    action = next(f"action.{each['id']}" for each in added["records"] if each["kind"] == "action")
    for words in (("approve", action, "--name", "Choi"), ("execute", action, "--by", "Kim")):
        answer = tunebench("cycle", project, *words)
        assert answer.code == 0, answer.err
    found = tunebench("cycle", project, "show", "--json").json["iteration"]["disclosures"]
    first = [each["facts"] for each in found if each["key"] == "result_first"]
    assert {(each["metric"], each["action"]) for each in first} == {
        ("Order time", "Larger cache"),
        ("Queue", "Larger cache"),
    }
    assert all(each["recorded"] < each["executed"] for each in first)


EDITS = {
    "the result": ("result", "$.after.value", 17.25, "after"),
    "the baseline": ("target", "$.baseline.value", 1725.5, "baseline"),
    "the target": ("target", "$.value", 172.5, "value"),
    "the direction": ("metric", "$.direction", "higher", "direction"),
    "the sign-off": ("summary", "$.equality", "same", "equality"),
    "the execution": ("executed", "$.executed_at", "2026-07-01T00:00:00+09:00", "executed_at"),
}
"""What is edited in the file -> kind of record, place in it, value, field that is named."""


@pytest.mark.parametrize("language", ["en", "ko"])
def test_nothing_is_concluded_from_what_the_check_contradicts(
    language: str, project: Path, ids: dict[str, int], tunebench: Command
) -> None:
    untouched = project.read_bytes()
    whole = _reported(project, language, tunebench)
    assert whole.code == 0 and whole.told["contradicted"] == []
    met, not_printed = (catalogue(language).text(f"cycle.target_state.{each}") for each in ("met", "contradicted"))
    for name, (kind, place, value, field) in EDITS.items():
        id_ = _edited(project, kind, place, value)
        shown = tunebench("cycle", project, "show", "--json").json["iteration"]
        state = next(each["standing"]["state"] for each in shown["targets"] if each["id"] == ids["top"])
        assert (state, len(shown["contradicted"])) == ("contradicted", 1), name
        refused = tunebench("cycle", project, "close", "--by", "Lee", "--lang", language)
        gate = catalogue(language).text("gate.top_target_contradicted", metric="Order time")
        assert refused.code == 3 and gate in refused.err, name
        found = _reported(project, language, tunebench)
        assert found.code == 4, name
        (sentence,) = found.told["contradicted"]
        assert f"{kind}.{id_}" in sentence and field in sentence and str(value) in sentence, name
        for text in (found.pdf, "".join(found.cells)):
            squeezed, told = "".join(text.split()), "".join(sentence.split())
            assert told in squeezed and "".join(not_printed.split()) in squeezed, name
            assert not isinstance(value, float) or f"{value:,g}" not in squeezed.replace(told, ""), name
        assert met not in found.cells, name
        project.write_bytes(untouched)


@pytest.mark.parametrize("kind", ["result", "amendment", "seal", "executed"])
def test_a_record_that_is_gone_from_the_file_leaves_no_verdict(
    kind: str, project: Path, ids: dict[str, int], tunebench: Command
) -> None:
    words = ("set", f"target.{ids['top']}", "value=30", "--reason", REASON)  # met since
    assert tunebench("cycle", project, *words).code == 0
    with sqlite3.connect(project) as connection:
        (id_,) = connection.execute("SELECT min(id) FROM cycle_record WHERE kind = ?", (kind,)).fetchone()
        connection.execute("DELETE FROM cycle_reference WHERE ? IN (record_id, named_id)", (id_,))
        connection.execute("DELETE FROM cycle_record WHERE id = ?", (id_,))
    connection.close()
    shown = tunebench("cycle", project, "show", "--json").json["iteration"]
    assert {each["standing"]["state"] for each in shown["targets"]} == {"contradicted"}
    assert [each["record"] for each in shown["contradicted"]] == [f"{kind}.{id_}"]


def test_a_trail_that_was_changed_vouches_for_no_verdict(
    project: Path, ids: dict[str, int], tunebench: Command
) -> None:
    """The result and the entry that wrote it are edited alike: the records agree, and the chain does not."""
    _edited(project, "result", "$.after.value", 17.25)
    with sqlite3.connect(project) as connection:
        ((name, trigger),) = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'audit' AND sql LIKE '%UPDATE%'"
        )
        connection.execute(f"DROP TRIGGER {name}")
        connection.execute(
            "UPDATE audit SET facts = replace(facts, '\"value\":25.0', '\"value\":17.25') WHERE action = 'cycle_changed'"
        )
        connection.execute(trigger)
    connection.close()
    found = _reported(project, "en", tunebench)
    (sentence,) = found.told["contradicted"]
    assert found.code == 4 and "breaks at entry" in sentence
    assert "contradicted by the check" in found.pdf and "17.25" not in found.pdf
    assert "17.25" not in " ".join(found.cells)


def test_an_entry_that_was_put_into_the_trail_proves_nothing(
    project: Path, ids: dict[str, int], tunebench: Command
) -> None:
    """The target is edited, and an entry that says so is added without a digest: only the program chains its own."""
    id_ = _edited(project, "target", "$.value", 30.0)
    facts = {"by": "Lee", "edit": "change_target", "changes": {f"target.{id_} value": [20.0, 30.0]}}
    with sqlite3.connect(project) as connection:
        connection.execute(
            "INSERT INTO audit (time, user, action, facts) VALUES (?, 'lee', 'cycle_changed', ?)",
            ("2030-01-01T00:00:00.000+00:00", json.dumps(facts)),
        )
    connection.close()
    found = tunebench("check", project, "--json").json
    (wrong,) = [each for each in found if each["check"] == "cycle_audit"]
    assert wrong["state"] == "failed" and wrong["facts"]["found"][0]["record"] == f"target.{id_}"
    assert _reported(project, "en", tunebench).code == 4


def test_a_policy_that_was_eased_and_a_consultant_who_approved_are_told(
    project: Path, ids: dict[str, int], tunebench: Command
) -> None:
    """Park approved; that he is on the list no more does not make him the customer's."""
    for value in ("two_roles=refused", "two_roles=declared", "consultants=Kim, Park", "consultants="):
        assert tunebench("cycle", project, "set", "engagement", value).code == 0
    told = tunebench("cycle", project, "show", "--json").json["iteration"]["disclosures"]
    assert [each["key"] for each in told][:2] == ["policy_eased", "approved_by_consultant"]
    with sqlite3.connect(project) as connection:
        connection.execute("UPDATE property SET value = 'refused' WHERE name = 'two_roles'")
    connection.close()
    shown = tunebench("cycle", project, "show", "--json").json["iteration"]
    assert {each["standing"]["state"] for each in shown["targets"]} == {"contradicted"}
    assert [(each["record"], each["field"]) for each in shown["contradicted"]] == [("engagement", "two_roles")]


def test_two_copies_name_what_they_have_otherwise(project: Path, ids: dict[str, int], tunebench: Command) -> None:
    """Two consultants went on with the same file, each making the target easier for himself."""
    copy = project.with_name("lee.tune")
    copy.write_bytes(project.read_bytes())
    for path, value in ((project, 30), (copy, 40)):
        words = ("set", f"target.{ids['top']}", f"value={value}", "--reason", REASON)
        assert tunebench("cycle", path, *words).code == 0
    answer = tunebench("check", project, "--against", copy, "--json")
    (copies,) = [each for each in answer.json if each["check"] == "copies"]
    found = {(each["record"], each["field"]): (each["here"], each["there"]) for each in copies["facts"]["found"]}
    assert copies["state"] == "warning" and answer.code == 0
    assert found[f"target.{ids['top']}", "value"] == (30.0, 40.0)
    assert {record.partition(".")[0] for record, _field in found} == {"target", "amendment"}
    with sqlite3.connect(project) as connection:
        (last,) = connection.execute("SELECT max(id) FROM audit").fetchone()
    connection.close()
    assert copies["facts"]["common"].startswith(f"#{last - 1} ")
    for language in ("en", "ko"):
        said = tunebench("check", project, "--against", copy, "--lang", language).out
        assert "30" in said and "40" in said and "⟨" not in said
    stranger = project.with_name("stranger.tune")
    assert tunebench("new", stranger, "--title", "Other", "--customer", "ACME").code == 0
    assert tunebench("check", project, "--against", stranger).code == 3


def test_a_miss_is_not_moved_into_another_iteration(project: Path, ids: dict[str, int], tunebench: Command) -> None:
    abandoned = ("close", "--abandon", "--by", "Lee", "--reason", "wrong metrics chosen")
    assert tunebench("cycle", project, *abandoned).code == 0
    made = tunebench("cycle", project, "start", "--title", "Second", "--json").json["records"]
    second = next(each["id"] for each in made if each["kind"] == "iteration")
    for record in (f"metric.{ids['time']}", f"result.{ids['result']}", f"action.{ids['action']}"):
        moved = tunebench("cycle", project, "set", record, f"iteration_id={second}")
        assert moved.code == 3 and "--reason" in moved.err, (record, moved.err)


@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_clock_that_was_set_back_is_told_in_the_report(
    language: str, project: Path, ids: dict[str, int], tunebench: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A better figure is entered as if it had come three days before; the trail keeps the order of its entries."""
    monkeypatch.setattr("tunebench.store.project.datetime", DaysAgo)
    words = ("set", f"result.{ids['result']}", "after=19 @ the second try", "--reason", REASON, "--by", "Lee")
    assert tunebench("cycle", project, *words).code == 0
    found = tunebench("cycle", project, "show", "--json").json["iteration"]["disclosures"]
    (told,) = [each for each in found if each["key"] == "clock_set_back"]
    assert told["facts"]["recorded"] < told["facts"]["earlier"]
    word = {"en": "set back", "ko": "되돌"}[language]
    assert word in _reported(project, language, tunebench).pdf


def test_a_result_of_what_was_rolled_back_since_is_disclosed(
    project: Path, ids: dict[str, int], tunebench: Command
) -> None:
    assert tunebench("cycle", project, "roll-back", f"action.{ids['action']}", "--by", "Kim").code == 0
    found = tunebench("cycle", project, "show", "--json").json["iteration"]["disclosures"]
    told = {each["facts"]["metric"] for each in found if each["key"] == "rolled_back_since"}
    assert told == {"Order time", "Queue"}


@dataclass(frozen=True)
class Reported:
    code: int
    told: dict[str, list[str]]
    pdf: str
    cells: tuple[str, ...]


def _edited(project: Path, kind: str, place: str, value: object) -> int:
    """The first record of the kind, past the program."""
    with sqlite3.connect(project) as connection:
        (id_,) = connection.execute(
            "UPDATE cycle_record SET body = json_set(body, ?, ?) WHERE id ="
            " (SELECT min(id) FROM cycle_record WHERE kind = ?) RETURNING id",
            (place, value, kind),
        ).fetchone()
    connection.close()
    return int(id_)


def _reported(project: Path, language: str, tunebench: Command) -> Reported:
    """Written anew, with the texts of both files."""
    pdf, xlsx = project.with_suffix(".pdf"), project.with_suffix(".xlsx")
    answer = tunebench("report", project, "--pdf", pdf, "--xlsx", xlsx, "--lang", language, "--json")
    with PdfDocument(pdf) as document:
        printed = "".join(page.get_textpage().get_text_bounded() for page in document)
    book = openpyxl.load_workbook(xlsx, data_only=True)
    cells = tuple(str(cell) for sheet in book for row in sheet.iter_rows(values_only=True) for cell in row)
    return Reported(answer.code, answer.json, printed, cells)
