"""What is declared of the records' fields: read as it stands there, and consistent in itself."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields, is_dataclass
from typing import Annotated, Any, get_args

import pytest

from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.domain.cycle.book import KINDS
from tunebench.domain.cycle.evidence import Evidence, EvidenceKind, EvidenceTarget
from tunebench.domain.cycle.records import Cause, CauseDomain, Figure, Iteration, Result, Target
from tunebench.domain.cycle.worksheet import Action, Impact, Resource, Verification
from tunebench.domain.engagement import Engagement
from tunebench.domain.schema import (
    ByAct,
    Day,
    Filled,
    InForm,
    Lines,
    Names,
    OneOf,
    OnSheet,
    Outside,
    Shape,
    Within,
    named,
    owners,
    renamed,
    schema,
)
from tunebench.reporting.forms.form import FieldKind, FormField, form_of
from tunebench.reporting.forms.questionnaire import FORMS
from tunebench.reporting.forms.worksheet_sheet import ACTIONS, PARTS


def parts_of(hint: Any) -> set[type]:
    """The type, where it is a record or a part of one, and all parts below it."""
    inner = {part for each in get_args(hint) for part in parts_of(each)}
    if is_dataclass(hint):
        assert isinstance(hint, type)
        inner |= {hint, *(part for each in schema(hint).values() for part in parts_of(each.hint))}
    return inner


TYPES = sorted({part for kind in KINDS.values() for part in parts_of(kind)}, key=lambda made: made.__name__)
FIELDS = [field for made in TYPES for field in schema(made).values()]


@dataclass(frozen=True, slots=True)
class Made:
    """A record of this test."""

    id: int
    name: Annotated[str, Filled(), OnSheet(30)]
    since: Annotated[Day, InForm(1, 4)] = ""
    text: Annotated[Lines, OnSheet(50, "words")] = ""


def test_a_field_is_read_as_it_was_declared():
    found = schema(Made)
    assert list(found) == [each.name for each in fields(Made)]
    assert (found["name"].hint, found["name"].has_default, found["name"].shape) == (str, False, Shape.LINE)
    assert found["name"].mark(Filled) is not None and found["since"].mark(Filled) is None
    assert (found["since"].shape, found["since"].mark(InForm)) == (Shape.DAY, InForm(1, 4))
    assert found["since"].has_default and found["since"].place == "Made.since"
    assert found["id"].marks == {}


def test_a_sheet_has_the_declared_columns_in_their_order():
    key = FormField("action", required=True, width=10)
    assert form_of("made", Made).fields[0] == FormField("name", FieldKind.LINE, None, True, 30, "name")
    assert [each.name for each in form_of("made", Made, key).fields] == ["action", "name", "words"]
    assert form_of("made", Made, key).fields[1].kind is FieldKind.TEXT
    rollback, causes = ACTIONS.field("rollback_tested_on"), ACTIONS.field("causes")
    assert rollback is not None and (rollback.path, rollback.kind) == ("rollback.tested_on", FieldKind.DATE)
    assert causes is not None and (causes.path, causes.names) == ("cause_ids", "cause")


def test_what_a_record_names_is_found_in_its_parts():
    target = Target(3, 1, 2, Figure(1.0, run_id=7, evidence_id=5), carried_from=9)
    assert [(field, id_) for field, mark, id_ in named(target) if isinstance(mark, Names)] == [
        ("iteration_id", 1),
        ("metric_id", 2),
        ("evidence_id", 5),
        ("carried_from", 9),
    ]
    assert [id_ for _field, mark, id_ in named(target) if mark == Outside("run")] == [7]
    evidence = Evidence(4, 1, "seen", EvidenceTarget(EvidenceKind.CAPTURE, run_id=7, artefact_id=8), (3,))
    assert [id_ for _field, _mark, id_ in named(evidence)] == [7, 8, 3]


def test_a_record_hangs_on_its_owners_alone():
    assert owners(Result(3, 1, 2, Figure(1.0, evidence_id=5))) == {1, 2}
    assert owners(Action(3, 1, "a", cause_ids=(4,), verifications=(Verification(2),))) == {1}
    assert owners(Iteration(3, 1, "first", continues=2)) == frozenset()


def test_what_is_gone_is_named_no_longer():
    action = Action(
        9,
        1,
        "a",
        cause_ids=(4, 5),
        impacts=(Impact(Resource.CPU, -1, evidence_ids=(6, 7)),),
        verifications=(Verification(2), Verification(3, 5.0)),
        carried_from=8,
    )
    gone = {3, 4, 6, 8}
    left = renamed(action, lambda id_: None if id_ in gone else id_)
    assert (left.iteration_id, left.cause_ids, left.carried_from) == (1, (5,), None)
    assert left.impacts[0].evidence_ids == (7,) and left.verifications == (Verification(2),)
    result = Result(9, 1, 2, Figure(1.0, run_id=6, evidence_id=6))
    assert renamed(result, lambda id_: None if id_ == 6 else id_).after == Figure(1.0, run_id=6)


def test_an_id_of_nothing_stays_as_it_is():
    cause = Cause(3, 0, CauseDomain.SYSTEM, "c")
    assert renamed(cause, lambda id_: 100 + id_) == cause


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.place)
def test_marks_and_types_agree(field):
    """The command line goes by the endings of names: ``_on`` is a day, ``_at`` a moment, ``_id`` names something."""
    texts, ids = field.hint is str, (int, int | None, tuple[int, ...])
    assert (field.shape is Shape.DAY) == (texts and field.name.endswith("_on"))
    assert (field.shape is Shape.MOMENT) == (texts and field.name.endswith("_at"))
    names = field.mark(Names) or field.mark(Outside)
    assert field.hint in ids if names else texts or not field.name.endswith(("_id", "_ids"))
    if isinstance(names, Names):
        assert names.kind in ("", *KINDS)
    if field.mark(OneOf) or field.mark(Filled):
        assert texts
    if field.mark(Within):
        assert field.hint in (int, float, int | None, float | None)


def test_a_row_of_a_form_has_twelve_twelfths_at_most():
    for made in TYPES:
        wide = Counter[int]()
        for field in schema(made).values():
            place = field.mark(InForm)
            wide[place.row if place else 0] += place.span if place else 0
        assert max(wide.values()) <= 12, made


def test_no_form_asks_for_what_an_act_sets():
    assert not [field.place for field in FIELDS if field.mark(ByAct) and field.mark(InForm)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_people_fill_in_has_words(language):
    known = catalogue(language)
    told = [*FIELDS, *schema(Engagement).values()]
    shown = [field.name for field in told if field.mark(InForm) or field.mark(OnSheet)]
    assert [name for name in shown if f"cycle.field.{name}" not in known] == []
    columns = [form.mark(field) for form in (*FORMS, ACTIONS, *PARTS.values()) for field in form.fields]
    assert [name for name in columns if f"form.{name}" not in known] == []
