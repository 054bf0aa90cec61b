"""Which finding is the symptom of which, and what is only busy."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tunebench.analysis.expressions.parsing import parse_expression
from tunebench.diagnosis.weighing import by_cause, weighed
from tunebench.domain.cycle.records import CauseDomain, Confidence
from tunebench.domain.finding import Finding, FindingEvidence, Severity
from tunebench.sdk.rules import Level, Rule, RuleKind, Verified

WARNING, WATCH, CRITICAL, OK = Severity.WARNING, Severity.WATCH, Severity.CRITICAL, Severity.OK


def rule(id_: str, *explains: str, waiting: tuple[str, ...] = ()) -> Rule:
    when = parse_expression("cpu_busy_pct > 1")
    return Rule(
        id_, "made", RuleKind.JUDGEMENT, ("cpu_busy_pct",), when, (Level(WARNING, when),), {}, {}, {},
        CauseDomain.SYSTEM, "cpu", {"en": "made"}, Confidence.LOW, Verified.READ, explains=explains, waiting=waiting,
    )  # fmt: skip


def finding(
    rule_id: str, severity: Severity = WARNING, device: str = "", at: tuple[int, int] = (0, 100), host: str = "db1"
) -> Finding:
    evidence = (FindingEvidence(1, "series", (1,), *at),)
    return Finding(
        rule_id, "made", severity, 1, "before", host,
        attributes={"device": device} if device else {}, evidence=evidence,
    )  # fmt: skip


def book(*rules: Rule) -> Mapping[str, Rule]:
    return {each.id: each for each in rules}


RULES = book(rule("SWAP", "DISK", "LOAD"), rule("DISK", "UTIL", "LOAD"), rule("UTIL"), rule("LOAD"))


def told(*findings: Finding, rules: Mapping[str, Rule] = RULES) -> list[tuple[str, str]]:
    return [(each.rule, each.explained_by.partition("/")[0]) for each in by_cause(findings, rules)]


def test_symptoms_of_a_symptom_stand_below_the_cause_of_both() -> None:
    found = told(finding("DISK", CRITICAL, "sda"), finding("UTIL", device="sda"), finding("SWAP"), finding("LOAD"))
    assert found == [("SWAP", ""), ("DISK", "SWAP"), ("UTIL", "SWAP"), ("LOAD", "SWAP")]


@pytest.mark.parametrize(
    "symptom",
    [
        finding("UTIL", device="sdb"),
        finding("UTIL", device="sda", at=(101, 200)),
        finding("UTIL", device="sda", at=(0, 1000)),
        finding("UTIL", OK, "sda"),
        finding("UTIL", device="sda", host="db2"),
    ],
)
def test_another_disk_another_time_what_is_fine_and_another_host_are_not_explained(symptom: Finding) -> None:
    assert told(finding("DISK", device="sda"), symptom) == [("DISK", ""), ("UTIL", "")]


def test_what_is_only_worth_a_look_explains_nothing() -> None:
    assert told(finding("UTIL", device="sda"), finding("DISK", WATCH, "sda")) == [("UTIL", ""), ("DISK", "")]


def test_rules_that_name_each_other_lose_no_finding() -> None:
    circle = book(rule("A", "B"), rule("B", "C"), rule("C", "A"))
    found = told(finding("A"), finding("B"), finding("C"), rules=circle)
    assert {name for name, _ in found} == {"A", "B", "C"}
    assert len([cause for _, cause in found if not cause]) == 1


def test_the_worst_symptom_decides_where_its_cause_stands() -> None:
    found = told(
        finding("DISK", CRITICAL, "sda"), finding("OTHER"), finding("SWAP"), rules={**RULES, "OTHER": rule("OTHER")}
    )
    assert found == [("SWAP", ""), ("DISK", "SWAP"), ("OTHER", "")]


def test_busy_is_worth_a_look_where_what_waits_was_judged_on_the_same_thing() -> None:
    rules = book(rule("BUSY", waiting=("QUEUE",)), rule("QUEUE"))
    busy, queue = finding("BUSY", device="sda"), finding("QUEUE", OK, "sda")
    assert [each.severity for each in weighed([busy], [queue], rules)] == [WATCH]
    assert [each.severity for each in weighed([busy], [finding("QUEUE", OK, "sdb")], rules)] == [WARNING]
    assert [each.severity for each in weighed([busy, finding("QUEUE", device="sda")], [], rules)] == [WARNING, WARNING]
