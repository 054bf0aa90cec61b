"""Typed values: what is understood, and the one sentence for what is not."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunebench.core.errors import UserError
from tunebench.core.messages import catalogue
from tunebench.domain.cycle.records import (
    Cause,
    CauseDomain,
    Confidence,
    CustomerIssue,
    DailyWindow,
    Figure,
    ManualSource,
    MeasurementSource,
    Metric,
    MetricSource,
    Question,
    SeriesSource,
    StatementSource,
    Step,
    StepNumber,
    StepState,
    Target,
)
from tunebench.domain.cycle.worksheet import Action, ActionState, ChangeMode, Impact, Resource, Risk
from tunebench.domain.engagement import Direction
from tunebench.domain.schema import schema
from tunebench.usecases.cycle.fields import new_record, set_field
from tunebench.usecases.cycle.text import LONGEST_LINE, clean, clean_text
from tunebench.usecases.cycle.values import parse, source_text

ACTION = Action(9, 1, "maxcontig")
METRIC = Metric(5, 1, "m", ManualSource(), "value", "s", Direction.LOWER)
TARGET = Target(7, 1, 5)
CAUSE = Cause(3, 1, CauseDomain.SYSTEM, "c", issue_ids=(1,))
STEP = Step(2, 1, StepNumber.CAUSES)


@pytest.mark.parametrize(
    ("record", "path", "text", "value"),
    [
        (CAUSE, "title", " 작은 쓰기 ", " 작은 쓰기 "),  # texts are cleaned when the edit is applied
        (CAUSE, "confidence", "HIGH", Confidence.HIGH),
        (CAUSE, "share_pct", "62.5", 62.5),
        (CAUSE, "share_pct", "-", None),
        (CAUSE, "share_pct", "", None),
        (CAUSE, "issues", "1, issue.4 1", (1, 4)),
        (CAUSE, "issue_ids+", "issue.7", (1, 7)),
        (CAUSE, "issue_ids-", "1", ()),
        (STEP, "state", "in_work", StepState.IN_WORK),
        (STEP, "due_on", "2026-07-31", "2026-07-31"),
        (STEP, "due_on", "-", ""),
        (TARGET, "metric", "metric.5", 5),
        (TARGET, "value", "1,234.5", 1234.5),
        (TARGET, "priority", "1", 1),
        (TARGET, "baseline", "590.997 @ 000 p. 28", Figure(590.997, source="000 p. 28")),
        (TARGET, "baseline", "<20", Figure(20.0, "<")),
        (TARGET, "baseline", "> 800,000", Figure(800_000.0, ">")),
        (TARGET, "baseline", "-", None),
        (TARGET, "baseline.source", "보고서", Figure(None, source="보고서")),
        (METRIC, "window", "09:00-12:00", DailyWindow("09:00", "12:00")),
        (METRIC, "window", "22:00~02:00", DailyWindow("22:00", "02:00")),
        (METRIC, "window", "", None),
        (METRIC, "unit", "", ""),
        (METRIC, "direction", "higher", Direction.HIGHER),
        (METRIC, "source", "manual:time mkfile 500m", ManualSource("time mkfile 500m")),
        (METRIC, "source", "measurement:response_time", MeasurementSource("response_time")),
        (METRIC, "source", "statement:elapsed_s", StatementSource("elapsed_s")),
        (
            METRIC,
            "source",
            "statement:block_gets|oracle|0gx3w|per_execution",
            StatementSource("block_gets", "oracle", "0gx3w", True),
        ),
        (
            METRIC,
            "source",
            "series:db1|iostat|svc_t|device=ssd2",
            SeriesSource("db1", "iostat", "svc_t", "", (("device", "ssd2"),)),
        ),
        (
            METRIC,
            "source",
            "series:db1|||metric=system.cpu.utilization",
            SeriesSource("db1", "", "", "system.cpu.utilization"),
        ),
        (ACTION, "rollback.duration_min", "5", 5.0),
        (ACTION, "impacts+", "resource=cpu; direction=-1; note=a\\;b=c", (Impact(Resource.CPU, -1, note="a;b=c"),)),
        (ACTION, "impacts+", '{"resource": "cpu", "direction": -1}', (Impact(Resource.CPU, -1),)),
        (ACTION, "impacts", '[{"resource": "cpu", "direction": 2}]', (Impact(Resource.CPU, 2),)),
        (ACTION, "state", "proposed", ActionState.PROPOSED),
    ],
)
def test_what_is_understood(record: Any, path: str, text: str, value: object) -> None:
    changed = set_field(record, path, text)
    field = {"issues": "issue_ids", "metric": "metric_id"}.get(path, path.partition(".")[0].rstrip("+-"))
    found = getattr(changed, field)
    assert (found.duration_min if path == "rollback.duration_min" else found) == value
    assert replace(changed, **{field: getattr(record, field)}) == record


def test_items_of_a_list_are_counted_from_one() -> None:
    action = ACTION
    for text in ("text=하나", "text=둘; likelihood=high"):
        action = set_field(action, "risks+", text)
    action = set_field(action, "risks.2.severity", "low")
    assert [(risk.text, risk.severity.value) for risk in action.risks] == [("하나", "medium"), ("둘", "low")]
    assert set_field(action, "risks.1", "text=새것").risks[0] == Risk("새것")
    assert [risk.text for risk in set_field(action, "risks-", "1").risks] == ["둘"]
    changed = set_field(ACTION, "changes+", "parameter=maxcontig; old=6; new=128; mode=rebuild")
    assert changed.changes[0].mode is ChangeMode.REBUILD


@pytest.mark.parametrize(
    ("record", "path", "text", "key"),
    [
        (CAUSE, "colour", "red", "cycle_field_unknown"),
        (CAUSE, "id", "7", "cycle_field_unknown"),
        (CAUSE, "confidence", "sure", "cycle_value_choice"),
        (CAUSE, "share_pct", "101", "cycle_value_range"),
        (CAUSE, "share_pct", "inf", "cycle_value_number"),
        (CAUSE, "share_pct", "nan", "cycle_value_number"),
        (CAUSE, "title", "  ", "cycle_value_empty"),
        (CAUSE, "issues", "one", "cycle_value_reference"),
        (CAUSE, "issues", "0", "cycle_value_reference"),
        (CAUSE, "title.x", "y", "cycle_field_unknown"),
        (CAUSE, "title+", "y", "cycle_field_no_list"),
        (STEP, "due_on", "31.7.2026", "cycle_value_date"),
        (STEP, "due_on", "2026-02-30", "cycle_value_date"),
        (STEP, "number", "3", "cycle_field_by_act"),
        (TARGET, "priority", "0", "cycle_value_range"),
        (TARGET, "priority", "1.5", "cycle_value_number"),
        (TARGET, "baseline", "fast", "cycle_value_figure"),
        (TARGET, "baseline", "~20", "cycle_value_figure"),
        (TARGET, "baseline.bound", "=", "cycle_value_choice"),
        (METRIC, "window", "9-12", "cycle_value_window"),
        (METRIC, "window", "25:00-26:00", "cycle_value_window"),
        (METRIC, "window", "09:00-09:00", "cycle_value_window"),
        (METRIC, "source", "series:db1", "cycle_value_source"),
        (METRIC, "source", "statement:speed", "cycle_value_source"),
        (METRIC, "source", "", "cycle_value_source"),
        (METRIC, "statistic", "p42", "cycle_value_choice"),
        (METRIC, "window.start", "1", "cycle_field_unknown"),
        (METRIC, "resource", "gpu", "cycle_value_choice"),
        (ACTION, "impacts+", "resource=cpu", "cycle_field_missing"),
        (ACTION, "impacts+", "cpu", "cycle_field_unknown"),
        (ACTION, "impacts+", "resource=cpu; direction=3", "cycle_value_range"),
        (ACTION, "impacts+", "resource=cpu; direction", "cycle_value_pairs"),
        (ACTION, "impacts+", '{"resource": "gpu"}', "cycle_value_list"),
        (ACTION, "impacts", "cpu -1", "cycle_value_list"),
        (ACTION, "impacts.1.note", "x", "cycle_item_unknown"),
        (ACTION, "impacts-", "1", "cycle_item_unknown"),
        (ACTION, "rollback.speed", "x", "cycle_field_unknown"),
        (ACTION, "consents+", "name=x", "cycle_field_by_act"),
        (ACTION, "state", "executed", "cycle_field_by_act"),
        (ACTION, "state", "rolled_back", "cycle_field_by_act"),
        (replace(ACTION, state=ActionState.EXECUTED), "state", "draft", "cycle_field_by_act"),
    ],
)
def test_what_is_not_understood_is_said(record: Any, path: str, text: str, key: str) -> None:
    with pytest.raises(UserError) as caught:
        set_field(record, path, text)
    assert caught.value.key == key
    for language in ("ko", "en"):
        sentence = catalogue(language).error(caught.value)
        assert "⟨" not in sentence and "{" not in sentence.replace(text, ""), sentence


@given(st.sampled_from([CAUSE, STEP, TARGET, METRIC, ACTION]), st.text(max_size=20), st.text(max_size=30))
def test_any_text_is_a_value_or_a_refusal(record: Any, path: str, text: str) -> None:
    for name in (path, *type(record).__dataclass_fields__):
        with contextlib.suppress(UserError):
            changed = set_field(record, name, text)
            assert type(changed) is type(record) and changed.id == record.id


@given(
    st.builds(
        SeriesSource,
        *[st.text("ab 가/", max_size=5)] * 3,
        metric=st.text("ab.", max_size=5),
        attributes=st.dictionaries(st.sampled_from(["device", "cpu"]), st.text("a1", max_size=3)).map(
            lambda found: tuple(sorted(found.items()))
        ),
    )
    | st.builds(
        StatementSource,
        st.sampled_from(["elapsed_s", "rows"]),
        st.text("a", max_size=3),
        st.text("b1", max_size=3),
        st.booleans(),
    )
    | st.builds(MeasurementSource, st.text("ab", min_size=1, max_size=5))
)
def test_a_source_written_out_reads_back(source: Any) -> None:
    stripped = replace(
        source, **{name: getattr(source, name).strip() for name in ("host", "tool", "native") if hasattr(source, name)}
    )
    assert parse(MetricSource, schema(Metric)["source"], source_text(stripped)) == stripped


def test_new_records() -> None:
    made = new_record("cause", {"domain": "network", "title": "지연", "issues": "1,2"}, iteration_id=4)
    assert made == Cause(0, 4, CauseDomain.NETWORK, "지연", issue_ids=(1, 2))
    assert new_record("question", {"step": "causes", "text": "왜?"}, iteration_id=4) == Question(
        0, 4, StepNumber.CAUSES, "왜?"
    )
    assert new_record("issue", {"title": "느림"}, number=3, iteration_id=4) == CustomerIssue(0, 3, "느림")
    begun = new_record(
        "action", {"title": "x", "impacts+": "resource=cpu;direction=-1", "rollback.command": "r"}, iteration_id=1
    )
    assert isinstance(begun, Action) and (len(begun.prices), begun.rollback.command) == (1, "r")
    for kind, values, key in (
        ("wish", {}, "cycle_kind_unknown"),
        ("cause", {"title": "x"}, "cycle_field_missing"),
        ("cause", {"title": "x", "domain": "system", "hue": "1"}, "cycle_field_unknown"),
        ("action", {"title": "x", "consents": "[]"}, "cycle_field_by_act"),
    ):
        with pytest.raises(UserError, match=key):
            new_record(kind, values, iteration_id=1)


# -- texts ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pasted", "line", "lines"),
    [
        ("  a\tb\r\nc ", "a b c", "a\tb\nc"),
        ("a\x00b\x1b[31mc\x7f\x9b", "ab[31mc", "ab[31mc"),
        ("a\x0bb\x0cc\u2028d\u2029e\x85f", "a b c d e f", "a\nb\nc\nd\ne\nf"),
        ("\ufeffa\u200b\u202eb\u2066c\u00ad", "abc", "abc"),
        ("\u1112\u1161\u11ab", "한", "한"),
        ("a\ud800b", "ab", "ab"),
        ("a\u200b\u0301", "á", "á"),
        ("가👍🏽é", "가👍🏽é", "가👍🏽é"),
        ("=SUM(A1)", "=SUM(A1)", "=SUM(A1)"),
    ],
)
def test_pasted_text_is_cleaned(pasted: str, line: str, lines: str) -> None:
    assert clean_text(pasted) == line
    assert clean_text(pasted, lines=True) == lines


@given(st.text())
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    for lines in (False, True):
        once = clean_text(text, lines)
        assert clean_text(once, lines) == once
        assert "\x00" not in once


def test_every_text_of_a_record_is_cleaned_and_nothing_else() -> None:
    action = set_field(ACTION, "risks+", "text=a\x00b\nc; detection=d\x00")
    action = replace(action, rollback=replace(action.rollback, command="  tunefs\x00 -a 6\n"))
    cleaned = clean(action)
    assert cleaned.risks[0] == Risk("ab\nc", detection="d")
    assert cleaned.rollback.command == "  tunefs -a 6"
    assert (cleaned.state, cleaned.id) == (ActionState.DRAFT, 9)


def test_texts_are_bounded() -> None:
    with pytest.raises(UserError) as caught:
        clean(replace(CAUSE, title="가" * (LONGEST_LINE + 1)))
    assert (caught.value.key, caught.value.facts["field"]) == ("cycle_text_too_long", "title")
    assert clean(replace(CAUSE, text="가" * (LONGEST_LINE + 1))).text
