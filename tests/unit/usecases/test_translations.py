"""The second language of records: typed, kept beside the text, sealed with it, and read by whoever reads it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.store import cases
from tests.unit.usecases.cycle_bench import AT, YES, Bench, refused
from tunebench.domain.cycle.book import KINDS
from tunebench.domain.cycle.record_json import from_json, to_json
from tunebench.domain.cycle.records import Contact, CustomerIssue, Figure, Metric, Step
from tunebench.domain.cycle.seals import Amendment, Seal
from tunebench.domain.cycle.worksheet import Action, Impact, Resource, Risk
from tunebench.domain.engagement import Engagement
from tunebench.domain.schema import schema
from tunebench.domain.translations import (
    Reading,
    Translated,
    Translation,
    Untranslated,
    is_translatable,
    is_wanted,
    with_translation,
)
from tunebench.store.audit.replay import recorded_changes
from tunebench.store.check import check_project
from tunebench.store.engagements import write_engagement
from tunebench.store.project import Project
from tunebench.usecases.cycle import applying, edits
from tunebench.usecases.cycle.acts import approve_action, execute_action
from tunebench.usecases.cycle.case import cycle_case
from tunebench.usecases.cycle.edits import add_typed, change_typed
from tunebench.usecases.cycle.engagement import set_engagement
from tunebench.usecases.cycle.sealing import SealedRefusal, unamended
from tunebench.usecases.translated import reader_of


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    opened = cases.new_project(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def bench(project: Project) -> Bench:
    write_engagement(project, Engagement("주문 튜닝", "은행", consultants=("이영진",), language="ko"))
    return Bench(project)


def english(record: Translated, name: str) -> str:
    translation = record.translation(name, "en")
    assert translation is not None
    return translation.text


def read_in(bench: Bench, language: str, untranslated: Untranslated = Untranslated.KEEP) -> tuple[Reading, Any]:
    reader = reader_of(bench.project, language, untranslated)
    case = cycle_case(bench.project, language, reader=reader)
    assert case is not None
    return reader, case


# -- typed and kept ------------------------------------------------------------------------------------


def test_a_text_is_typed_in_both_languages_and_taken_back(bench: Bench) -> None:
    bench.do(add_typed(bench.book, "issue", [("title@en", "Orders are slow"), ("title", "주문이 느림")]))
    issue = bench.one(CustomerIssue)
    assert issue.translations == (Translation("title", "en", "Orders are slow", "주문이 느림"),)
    done = bench.do(change_typed(bench.book, issue.id, {"text@en": "Since\nMonday", "title@en": ""}))
    assert bench.one(CustomerIssue).translations == (Translation("text", "en", "Since\nMonday", ""),)
    applying.undo(bench.project, done)
    assert bench.one(CustomerIssue) == issue
    assert {check.state for check in check_project(bench.project)} == {"ok"}


def test_the_trail_names_a_translation_that_comes_and_goes(bench: Bench) -> None:
    bench.do(add_typed(bench.book, "issue", {"title": "느림"}))
    issue = bench.one(CustomerIssue)
    bench.do(change_typed(bench.book, issue.id, {"title@en": "Slow"}))
    bench.do(change_typed(bench.book, issue.id, {"title@en": ""}))
    text = {"field": "title", "language": "en", "text": "Slow", "original": "느림"}
    changed = recorded_changes(bench.project, "cycle_changed")
    pairs = [changes.get(f"issue.{issue.id} translations") for _entry, changes in changed]
    assert pairs == [None, [[], [text]], [[text], []]]


def test_a_line_stays_one_line_in_every_language(bench: Bench) -> None:
    bench.do(add_typed(bench.book, "issue", {"title": "느림", "title@en": "Orders \n are\u200b slow "}))
    assert english(bench.one(CustomerIssue), "title") == "Orders are slow"


def test_parts_have_their_own(bench: Bench) -> None:
    bench.start()
    risk, price = Risk("잠금"), Impact(Resource.CPU, 1, note="적게 읽음")
    action = bench.action(bench.metric(), risks=(risk,), impacts=(price,))
    bench.do(change_typed(bench.book, action.id, {"risks.1.text@en": "Locks", "impacts.1.note@en": "Reads less"}))
    action = bench.one(Action)
    assert (english(action.risks[0], "text"), english(action.impacts[0], "note")) == ("Locks", "Reads less")
    bench.do(change_typed(bench.book, action.id, {"impacts-": "1"}))
    assert english(bench.one(Action).risks[0], "text") == "Locks"


@pytest.mark.parametrize("path", ["state@en", "number@en", "title@fr", "title@"])
def test_what_is_no_text_of_a_reader_is_refused(bench: Bench, path: str) -> None:
    bench.do(add_typed(bench.book, "issue", {"title": "느림"}))
    issue = bench.one(CustomerIssue)
    assert refused(lambda: change_typed(bench.book, issue.id, {path: "x"})).key == "cycle_field_untranslated"


def test_json_of_a_field_that_there_is_not_is_refused(bench: Bench) -> None:
    bench.do(add_typed(bench.book, "issue", {"title": "느림"}))
    wrong = replace(bench.one(CustomerIssue), translations=(Translation("severity", "en", "x"),))
    assert refused(lambda: bench.do(edits.change(bench.book, wrong))).key == "cycle_field_untranslated"


def test_every_kind_that_people_write_has_a_second_language() -> None:
    """Seals and amendments are of the program; all others hold words of people."""
    without = {name for name, kind in KINDS.items() if not issubclass(kind, Translated)}
    assert without == {"seal", "amendment", "window"}  # a window's name is what commands call it
    told = {kind: [name for name, field in schema(kind).items() if is_translatable(field)] for kind in KINDS.values()}
    assert not {"unit", "host", "source", "file_name", "sha256", "finding"} & {
        n for names in told.values() for n in names
    }


def test_a_record_without_translations_is_stored_as_before() -> None:
    issue = CustomerIssue(7, 1, "느림")
    assert "translations" not in to_json(issue)
    both = with_translation(issue, "title", "en", "Slow")
    assert json.loads(to_json(both))["translations"] == [
        {"field": "title", "language": "en", "text": "Slow", "original": "느림"}
    ]
    assert from_json("issue", 7, to_json(both)) == both


# -- sealed --------------------------------------------------------------------------------------------


def test_what_was_carried_out_is_said_otherwise_by_amendment_alone(bench: Bench) -> None:
    action = bench.executed()
    edit = change_typed(bench.book, action.id, {"title@en": "Twice as fast"})
    with pytest.raises(SealedRefusal) as caught:
        applying.apply(bench.project, edit, "이영진")
    assert caught.value.facts["fields"] == "title@en"
    bench.do(edit)
    (amendment,) = bench.book.all(Amendment)
    assert (amendment.field, json.loads(amendment.old), json.loads(amendment.new)) == (
        "title@en",
        None,
        "Twice as fast",
    )
    assert amendment.reason == "고객 요청"


def test_an_approval_stays_and_the_new_words_are_disclosed(bench: Bench) -> None:
    bench.start()
    metric = bench.metric()
    bench.baseline(metric)
    bench.target()
    action = bench.action(metric, translations=(Translation("title", "en", "maxcontig to 128", "maxcontig"),))
    bench.do(approve_action(bench.book, action.id, YES))
    (seal,) = bench.book.all(Seal)
    assert json.loads(seal.content)[f"action.{action.id}"]["title@en"] == "maxcontig to 128"
    bench.do(change_typed(bench.book, action.id, {"title@en": "maxcontig to 6000"}))
    assert [consent.approves for consent in bench.one(Action).consents] == [True]
    assert [amendment.field for amendment in bench.book.all(Amendment)] == ["title@en"]
    assert not list(unamended(bench.book, seal))


def test_words_that_nobody_agreed_to_need_no_reason(bench: Bench) -> None:
    bench.start()
    metric = bench.metric()
    applying.apply(bench.project, change_typed(bench.book, metric.id, {"name@en": "Response"}), "이영진")
    assert english(bench.one(Metric), "name") == "Response" and not bench.book.all(Amendment)


def test_a_decision_was_entered_when_it_was_whatever_says_it_in_english_later(bench: Bench) -> None:
    action = bench.executed()
    before = {key: entry for key, entry in bench.book.recorded.items() if key[0] == action.id}
    bench.do(change_typed(bench.book, action.id, {"consents.1.role@en": "database administrator"}))
    assert {key: entry for key, entry in bench.book.recorded.items() if key[0] == action.id} == before
    _reader, case = read_in(bench, "en")
    (told,) = case.actions
    (consent,) = told.action.consents
    assert consent.role == "database administrator"
    assert case.recorded[action.id, consent] == next(iter(before.values()))


# -- read ----------------------------------------------------------------------------------------------


def test_a_text_of_other_words_is_not_printed(bench: Bench) -> None:
    bench.do(add_typed(bench.book, "issue", {"title": "주문이 느림", "title@en": "Orders are slow"}))
    reader, case = read_in(bench, "en")
    assert (case.issues[0].issue.title, list(reader.untranslated)) == ("Orders are slow", [])
    bench.do(change_typed(bench.book, bench.one(CustomerIssue).id, {"title": "결제가 느림"}))
    reader, case = read_in(bench, "en")
    assert (case.issues[0].issue.title, list(reader.untranslated)) == ("결제가 느림", ["결제가 느림"])
    assert english(bench.one(CustomerIssue), "title") == "Orders are slow"  # still there to be confirmed


def test_texts_of_one_language_are_kept_and_counted_or_left_out(bench: Bench) -> None:
    bench.do(add_typed(bench.book, "issue", {"title": "주문이 느림", "text": "아침마다"}))
    bench.do(add_typed(bench.book, "issue", {"title": "CPU 95 %"}))
    reader, case = read_in(bench, "en")
    assert [told.issue.title for told in case.issues] == ["주문이 느림", "CPU 95 %"]
    assert list(reader.untranslated) == ["주문이 느림", "아침마다"]
    reader, case = read_in(bench, "en", Untranslated.LEAVE_OUT)
    assert [(told.issue.title, told.issue.text) for told in case.issues] == [
        ("[not written in English]", ""),
        ("CPU 95 %", ""),
    ]
    assert list(reader.untranslated) == ["주문이 느림", "아침마다"]
    reader, case = read_in(bench, "ko", Untranslated.LEAVE_OUT)
    assert case.issues[0].issue.title == "주문이 느림" and not reader.untranslated


def test_people_are_spelled_as_the_language_writes_them_and_stay_the_same_people(bench: Bench) -> None:
    set_engagement(bench.project, {"consultants@en": "Lee Young-jin"})
    bench.do(add_typed(bench.book, "contact", {"name": "박과장", "name@en": "Park"}))
    bench.executed()
    step = bench.book.all(Step)[0]
    bench.do(change_typed(bench.book, step.id, {"owner": "이영진, 박과장"}))
    _reader, case = read_in(bench, "en")
    (iteration,) = case.iterations
    assert iteration.steps[0].step.owner == "Lee Young-jin, Park"
    assert [line.executed_by for _number, line in iteration.log] == ["Lee Young-jin"]
    assert [consent.name for consent in iteration.actions[0].action.consents] == ["Park"]


def test_two_people_whom_english_spells_alike_stay_two(bench: Bench) -> None:
    for name in ("박과장", "박대리"):
        bench.do(add_typed(bench.book, "contact", {"name": name, "name@en": "Park"}))
    assert reader_of(bench.project, "en").person("박과장, 박대리") == "박과장, 박대리"
    assert {contact.name for contact in bench.book.all(Contact)} == {"박과장", "박대리"}


def test_what_is_found_out_does_not_hang_on_the_language(bench: Bench) -> None:
    """Approver and executor are one person, typed with a blank once; English spells the name as one of the two."""
    bench.start()
    metric = bench.metric()
    bench.baseline(metric)
    bench.target()
    action = bench.action(metric, translations=(Translation("title", "en", "Larger clusters", "maxcontig"),))
    bench.do(approve_action(bench.book, action.id, YES))
    bench.do(execute_action(bench.book, action.id, "박 과장", AT, "tunefs -a 128"))
    bench.do(add_typed(bench.book, "contact", {"name": "박과장", "name@en": "Park"}))
    (korean,), (english_case,) = (read_in(bench, language)[1].iterations for language in ("ko", "en"))
    assert len(korean.exceptions) == len(english_case.exceptions) == 1
    assert "박 과장" in korean.exceptions[0] and "maxcontig" in korean.exceptions[0]
    assert "Park" in english_case.exceptions[0] and "Larger clusters" in english_case.exceptions[0]


@pytest.mark.parametrize(
    ("text", "in_korean", "in_english"),
    [
        ("주문이 느림", False, True),
        ("Orders are slow.", True, False),
        ("shared_buffers = 128 MB", False, False),
        ("/data/order.dbf", False, False),
        ("ALTER TABLE", False, False),
        ("590.997", False, False),
        ("", False, False),
        ("SQL 응답시간 total", False, True),
    ],
)
def test_which_texts_a_reader_cannot_read(text: str, in_korean: bool, in_english: bool) -> None:
    assert (is_wanted(text, "ko"), is_wanted(text, "en")) == (in_korean, in_english)


def test_a_guard_is_named_in_both_languages(bench: Bench) -> None:
    bench.start()
    price = Impact(Resource.SPACE, -1)
    bench.action(
        bench.metric(),
        title="인덱스 추가",
        impacts=(price,),
        translations=(Translation("title", "en", "Add an index", "인덱스 추가"),),
    )
    guard = next(metric for metric in bench.book.all(Metric) if metric.guards is not None)
    assert guard.name == "감시: 디스크 공간 (인덱스 추가)"
    assert english(guard, "name") == "Guard: disk space (Add an index)"


def test_figures_are_the_same_figures(bench: Bench) -> None:
    spoken = with_translation(Figure(3.0, source="문서"), "source", "en", "document")
    assert Reading("en", "ko").of(spoken) == Figure(3.0, source="document")
    assert Reading("ko", "ko").of(spoken) == Figure(3.0, source="문서")
