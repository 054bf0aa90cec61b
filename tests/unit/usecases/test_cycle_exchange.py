"""A questionnaire or worksheet is taken in as a whole, undone as a whole, or refused as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from tests.store import cases, cycle_cases
from tunebench.core.errors import UserError
from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.domain.cycle.records import Contact, CustomerIssue, Metric, Severity, SystemInScope, Term
from tunebench.domain.cycle.seals import Seal
from tunebench.domain.cycle.worksheet import Action, ActionState, Resource
from tunebench.store import engagements
from tunebench.store.attachments import keep_attachment
from tunebench.store.opening import open_project
from tunebench.store.project import Project
from tunebench.usecases.cycle import applying, reading
from tunebench.usecases.cycle.exchange import export_worksheet, import_worksheet
from tunebench.usecases.cycle.form_files import FormRefused
from tunebench.usecases.cycle.questionnaire import export_questionnaire, import_questionnaire


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    opened = cases.new_project(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def full(project: Project) -> Project:
    """With a record of every kind."""
    run_id = cases.run_of(project, cases.store_artefact(project))
    sha256 = keep_attachment(project, b"memo")
    applying.apply(project, cycle_cases.adding(*cycle_cases.records(run_id, sha256)), "tester")
    return project


def _edited(path: Path, cells: dict[tuple[str, str], object], language: str = "ko") -> Path:
    book: Any = openpyxl.load_workbook(path)
    for (form, cell), value in cells.items():
        book[catalogue(language).text(f"form.{form}.sheet")][cell] = value
    book.save(path)
    return path


# --- the questionnaire


@pytest.mark.parametrize("language", LANGUAGES)
def test_sent_back_as_it_went_out_it_changes_nothing(full: Project, tmp_path: Path, language: str) -> None:
    before = (reading.read(full), engagements.read_engagement(full))
    taken = import_questionnaire(full, export_questionnaire(full, tmp_path / "q.xlsx", language))
    assert (taken.done, taken.added, taken.changed) == (None, {}, {})
    assert (reading.read(full), engagements.read_engagement(full)) == before


def test_answers_are_taken_in_and_undone_as_one(full: Project, tmp_path: Path) -> None:
    before = reading.read(full)
    path = _edited(
        export_questionnaire(full, tmp_path / "q.xlsx", "ko"),
        {
            ("engagement", "C6"): "새 고객사",
            ("engagement", "C9"): "이영진; 강경구, 홍길동",
            ("issues", "D5"): "상",
            ("issues", "B6"): "밤에 배치가 늦음",
            ("issues", "B7"): "둘째\u200b",
            ("systems", "A6"): "네트워크",
            ("systems", "B6"): "backbone",
            ("contacts", "D5"): "010-9999-0000",
            ("terms", "B6"): "cut-off",
        },
    )
    taken = import_questionnaire(full, path, "tester")
    engagement = engagements.read_engagement(full)
    assert (engagement.customer, engagement.consultants) == ("새 고객사", ("이영진", "강경구", "홍길동"))
    assert engagement.site == "본점"
    assert taken.added == {"issue": 2, "system": 1, "term": 1}
    assert taken.changed == {"engagement": 1, "issue": 1, "contact": 1}
    book = reading.read(full)
    assert [(each.number, each.title, each.severity) for each in book.all(CustomerIssue)] == [
        (1, "상담 화면이 느림", Severity.HIGH),
        (2, "밤에 배치가 늦음", Severity.MEDIUM),
        (3, "둘째", Severity.MEDIUM),
    ]
    assert [each.phone for each in book.all(Contact)] == ["010-9999-0000"]
    assert [each.name for each in book.all(SystemInScope)] == ["db1", "backbone"]
    assert [(each.korean, each.english) for each in book.all(Term)] == [("병목", "bottleneck"), ("", "cut-off")]
    assert taken.done is not None
    applying.undo(full, taken.done, "tester")
    assert reading.read(full) == before


def test_an_empty_cell_and_a_line_that_is_gone_remove_nothing(full: Project, tmp_path: Path) -> None:
    before = reading.read(full)
    cells: dict[tuple[str, str], object] = {("issues", f"{column}5"): None for column in "ABCDEF"}
    cells |= {("contacts", "D5"): None, ("engagement", "C7"): None}
    taken = import_questionnaire(full, _edited(export_questionnaire(full, tmp_path / "q.xlsx", "ko"), cells))
    assert taken.done is None and reading.read(full) == before
    assert engagements.read_engagement(full).site == "본점"


def test_one_wrong_cell_and_nothing_is_taken_in(full: Project, tmp_path: Path) -> None:
    before = (reading.read(full), engagements.read_engagement(full))
    cells: dict[tuple[str, str], object] = {
        ("engagement", "C6"): "새 고객사",
        ("issues", "B6"): "새 이슈",
        ("terms", "A5"): "=1+1",
        ("issues", "F5"): "내일",
    }
    path = _edited(export_questionnaire(full, tmp_path / "q.xlsx", "ko"), cells)
    with pytest.raises(FormRefused) as caught:
        import_questionnaire(full, path)
    assert [each.cell for each in caught.value.problems] == ["F5", "A5"]
    assert (reading.read(full), engagements.read_engagement(full)) == before
    sentence = catalogue("en").error(caught.value)
    assert "2 cells are wrong" in sentence and sentence.count("\n- Sheet ") == 2


def test_a_period_that_ends_before_what_is_known_of_its_begin_is_refused(project: Project, tmp_path: Path) -> None:
    path = export_questionnaire(project, tmp_path / "q.xlsx", "ko")
    with pytest.raises(UserError) as caught:
        import_questionnaire(project, _edited(path, {("engagement", "C10"): None, ("engagement", "C11"): "2007-07-01"}))
    assert caught.value.key == "period_backwards"


def test_files_that_cannot_be_read_or_written_are_sentences(project: Project, tmp_path: Path) -> None:
    for key, act in (
        ("form_unreadable", lambda: import_questionnaire(project, tmp_path / "none.xlsx")),
        ("path_missing", lambda: export_questionnaire(project, tmp_path / "none" / "q.xlsx", "ko")),
        ("file_unwritable", lambda: export_questionnaire(project, tmp_path, "ko")),
    ):
        with pytest.raises(UserError) as caught:
            act()
        assert caught.value.key == key
        assert all("⟨" not in catalogue(language).error(caught.value) for language in LANGUAGES)


# --- the worksheet


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_unchanged_worksheet_changes_nothing(full: Project, tmp_path: Path, language: str) -> None:
    (action,) = reading.read(full).all(Action)
    path = export_worksheet(full, tmp_path / "w.xlsx", action.iteration_id, language)
    assert import_worksheet(full, path, action.iteration_id).done is None


def test_an_edited_worksheet_brings_its_guards_along(full: Project, tmp_path: Path) -> None:
    before = reading.read(full)
    (action,) = before.all(Action)
    path = export_worksheet(full, tmp_path / "w.xlsx", action.iteration_id, "ko")
    cells: dict[tuple[str, str], object] = {
        ("actions", "B5"): "maxcontig 256",
        ("impacts", "A9"): "#" + str(action.id),
        ("impacts", "B9"): "디스크 공간",
        ("impacts", "C9"): -1,
    }
    taken = import_worksheet(full, _edited(path, cells), action.iteration_id, "tester")
    (after,) = reading.read(full).all(Action)
    assert after.title == "maxcontig 256"
    assert [impact.resource for impact in after.prices] == [Resource.CPU, Resource.SPACE]
    guards = {metric.resource for metric in reading.read(full).all(Metric) if metric.guards == action.id}
    assert {"space", "cpu"} <= guards
    assert taken.done is not None
    applying.undo(full, taken.done)  # approved again, and sealed as it stands now
    assert [each for each in reading.read(full) if each.id in before.records] == list(before)
    assert {type(each) for each in reading.read(full) if each.id not in before.records} == {Seal}


def test_a_wrong_worksheet_changes_nothing(full: Project, tmp_path: Path) -> None:
    before = reading.read(full)
    (action,) = before.all(Action)
    path = export_worksheet(full, tmp_path / "w.xlsx", action.iteration_id, "ko")
    cells: dict[tuple[str, str], object] = {("actions", "B5"): "다른 제목", ("impacts", "C5"): 7}
    with pytest.raises(FormRefused):
        import_worksheet(full, _edited(path, cells), action.iteration_id)
    assert reading.read(full) == before


def test_what_was_executed_cannot_be_rewritten_in_a_spreadsheet(full: Project, tmp_path: Path) -> None:
    (action,) = reading.read(full).all(Action)
    done = replace(action, state=ActionState.EXECUTED)
    applying.apply(full, cycle_cases.changing(action, done), "tester")
    path = export_worksheet(full, tmp_path / "w.xlsx", action.iteration_id, "ko")
    with pytest.raises(FormRefused) as caught:
        import_worksheet(full, _edited(path, {("actions", "B5"): "다른 제목"}), action.iteration_id)
    assert [each.key for each in caught.value.problems] == ["action_executed"]


def test_a_failure_in_the_middle_takes_the_engagement_back_too(
    full: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise UserError("disk_full", path="x")

    before = engagements.read_engagement(full)
    cells: dict[tuple[str, str], object] = {("engagement", "C6"): "새 고객사", ("issues", "B6"): "새 이슈"}
    path = _edited(export_questionnaire(full, tmp_path / "q.xlsx", "ko"), cells)
    monkeypatch.setattr("tunebench.usecases.cycle.exchange.applying.apply", fail)
    with pytest.raises(UserError, match="disk_full"):
        import_questionnaire(full, path)
    assert engagements.read_engagement(full) == before


def test_a_project_that_is_only_read_takes_nothing_in(full: Project, tmp_path: Path) -> None:
    path = _edited(export_questionnaire(full, tmp_path / "q.xlsx", "ko"), {("engagement", "C6"): "새 고객사"})
    full.close()
    with open_project(full.path, read_only=True) as reader:
        with pytest.raises(UserError, match="project_read_only"):
            import_questionnaire(reader, path)
        assert export_worksheet(reader, tmp_path / "w.xlsx", 2, "en").is_file()
