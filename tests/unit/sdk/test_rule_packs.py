"""A file of rules with a fault is left out as a whole, and each fault is told with its line, in both languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunebench.core.messages import LANGUAGES
from tunebench.domain.finding import Severity
from tunebench.sdk.rule_packs import read_rule_pack
from tunebench.sdk.rules import RuleKind, RulePack, Verified, VersionRange
from tunebench.sdk.toml_tables import QUARANTINE, Problem

GOOD = """\
id: our_disks
title: {ko: "우리 규칙", en: "Our rules"}
sources: {ORA: "Oracle guide", OR: "another"}
rules:
- id: OUR-1
  title: {ko: "지연", en: "Latency"}
  condition: "await > 20"
  metrics: [await_ms, media, r_s]
  expr: "await_ms > warn[media]"
  severity: warning
  clear: "await_ms < 5"
  levels:
  - {severity: critical, expr: "await_ms > crit[media]"}
  - {severity: ok, expr: "await_ms < 1"}
  tables: {warn: {hdd: 20, ssd: 2.5}, crit: {hdd: 50, ssd: 5}}
  only_where: "r_s >= 10"
  sustain: 0.5
  window: 10m
  os: [solaris, linux]
  versions: {solaris: {lowest: "5.8", highest: "5.10"}}
  media: [hdd, ssd]
  threshold: 20
  thresholds: {hdd: [20, 50]}
  unit: ms
  domain: system
  resource: disk
  aspect: saturation
  caveat: {ko: "우리 값", en: "ours"}
  source: "ORA 3"
  quote: "디스크가 병목"
  confidence: medium
  verified: recalled
  contradiction: 3
"""


def read(text: str | bytes) -> tuple[RulePack | None, tuple[Problem, ...]]:
    return read_rule_pack(text.encode() if isinstance(text, str) else text, "our.yaml")


def test_everything_that_a_rule_can_say():
    pack, problems = read(GOOD)
    assert problems == ()
    assert pack is not None
    (rule,) = pack.rules
    assert (pack.id, pack.title["ko"], pack.sources["OR"]["en"]) == ("our_disks", "우리 규칙", "another")
    assert (rule.id, rule.pack, rule.kind, rule.line) == ("OUR-1", "our_disks", RuleKind.JUDGEMENT, 5)
    assert [level.severity for level in rule.levels] == [Severity.CRITICAL, Severity.WARNING, Severity.OK]
    assert rule.expression is rule.levels[1].when
    assert rule.levels[1].clear is not None
    assert rule.tables == {"warn": {"hdd": 20, "ssd": 2.5}, "crit": {"hdd": 50, "ssd": 5}}
    assert (rule.sustain, rule.window_s, rule.unit) == (0.5, 600, "ms")
    assert rule.thresholds == {"threshold": 20, "hdd": [20, 50]}
    assert rule.guard.os == ("sunos", "linux")
    assert rule.guard.versions == {"sunos": VersionRange("5.8", "5.10")}
    assert rule.verified is Verified.RECALLED
    assert rule.source_names == {"ORA": dict.fromkeys(("ko", "en"), "Oracle guide")}
    assert rule.condition == {"ko": "await > 20", "en": "await > 20"}


FAULTS = [  # what is changed, by what, the line that is told, the fault
    ('"await_ms > warn[media]"', '"await_ms > open(media)"', 9, "expression_function"),
    ('"await_ms > warn[media]"', "\"__import__('os')\"", 9, "expression_function"),
    ('"await_ms > warn[media]"', '"await_ms / 0 > 1"', 9, "expression_zero_division"),
    ('"await_ms > warn[media]"', '"await_ms > limit[media]"', 9, "expression_table"),
    ('"await_ms > warn[media]"', '"await_ms > 5 and other > 3"', 9, "rule_name_unlisted"),
    ('"await_ms > warn[media]"', "\"await_ms == 'slow'\"", 9, "rule_name_kind"),
    ('"await_ms > warn[media]"', '""', 9, "not_text"),
    ('  expr: "await_ms > warn[media]"\n', "", 5, "key_missing"),
    ("[await_ms, media, r_s]", "[await_ms, media, r_s, no_such_figure]", 8, "rule_name_unknown"),
    ("severity: warning", "severity: bad", 10, "not_one_of"),
    ("{severity: critical,", "{severity: awful,", 13, "not_one_of"),
    ("sustain: 0.5", "sustain: 30", 17, "rule_share"),
    ("sustain: 0.5", "sustain: .nan", 17, "not_number"),
    ("window: 10m", "window: ten minutes", 18, "rule_span"),
    ("[solaris, linux]", "[solaris, plan9]", 19, "not_one_of"),
    ("media: [hdd, ssd]", "media: [tape]", 21, "not_one_of"),
    ("resource: disk", "resource: coffee", 26, "not_one_of"),
    ("confidence: medium", "confidence: sure", 31, "not_one_of"),
    ("contradiction: 3", "contradiction: 18", 33, "rule_count"),
    ("contradiction: 3", "scopes: [SF-070]", 33, "rule_scope"),
    ("id: OUR-1", "id: OUR 1", 5, "rule_id_form"),
    ("id: our_disks", "id: Our disks", 1, "id_form"),
    ("  os: [solaris, linux]", "  os: &here [solaris]\n  scopes: *here", 20, "pack_alias"),
    ("  unit: ms", "  unit: ms\n  unit: s", 25, "pack_twice"),
    ("  unit: ms", "  unit: !!python/object/apply:os.system [ls]", 24, "pack_tag"),
    ("  unit: ms", "  unit: [ms", 25, "pack_syntax"),
    ("  unit: ms", "  unit: \tms\n\tbad: x", 25, "pack_syntax"),
    ("rules:", "rules: 5\nold:", 4, "pack_no_rows"),
]


@pytest.mark.parametrize(("old", "new", "line", "key"), FAULTS, ids=range(len(FAULTS)))
def test_a_fault_is_told_with_its_line(old, new, line, key):
    assert old in GOOD
    pack, problems = read(GOOD.replace(old, new, 1))
    assert pack is None
    told = [problem for problem in problems if problem.level == QUARANTINE]
    assert key in [problem.key for problem in told]
    fault = next(problem for problem in told if problem.key == key)
    for language in LANGUAGES:
        sentence = fault.text(language)
        assert f"our.yaml:{line}" in sentence
        assert "⟨" not in sentence and "{" not in sentence
        assert "\n" not in sentence


def test_all_faults_of_a_file_are_told_at_once():
    _, problems = read(GOOD.replace("severity: warning", "severity: bad").replace("sustain: 0.5", "sustain: 30"))
    assert sorted(problem.key for problem in problems) == ["not_one_of", "rule_share"]


def test_an_unknown_key_is_told_and_costs_nothing():
    pack, problems = read(GOOD.replace("  unit: ms", "  unit: ms\n  units: s"))
    assert pack is not None
    assert [(problem.level, problem.key) for problem in problems] == [("warning", "key_unknown")]


def test_an_id_stands_once():
    again = GOOD[GOOD.index("- id: OUR-1") :]
    pack, problems = read(GOOD + again)
    assert pack is None
    assert [problem.key for problem in problems] == ["id_twice"]


def test_what_only_yaml_takes_for_something_else_stays_what_was_written():
    pack, _ = read(GOOD.replace("unit: ms", 'unit: "1:30"').replace("20, ssd: 2.5", "2_0, ssd: 2.5"))
    assert pack is not None
    assert pack.rules[0].unit == "1:30"
    assert pack.rules[0].tables["warn"]["hdd"] == 20


@pytest.mark.parametrize(
    ("data", "key"),
    [
        (b"", "pack_no_table"),
        (b"- 1\n- 2\n", "pack_no_table"),
        (b"just text", "pack_no_table"),
        (b"id: \xff\xfe", "pack_encoding"),
        (b"\x00\x01\x02", "pack_syntax"),
        (b"a: " + b"[" * 50 + b"]" * 50, "pack_deep"),
        (b"[" * 100_000, "pack_"),
        (b"x: 1\n" * 500_000, "pack_large"),
        (b"a: &a [x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n", "pack_alias"),
        (b"%YAML 9.9\n--- !!binary x", "pack_"),
        (b"? [1, 2]\n: x\n", "pack_tag"),
        (b"---\nid: a\n---\nid: b\n", "pack_syntax"),
    ],
    ids=range(12),
)
def test_what_is_no_pack_at_all(data, key):
    pack, problems = read(data)
    assert pack is None
    assert problems[0].key.startswith(key)
    assert problems[0].level == QUARANTINE
    for language in LANGUAGES:
        assert "our.yaml:" in problems[0].text(language)


@given(st.binary(max_size=300))
def test_no_bytes_break_it(data):
    pack, problems = read(data)
    assert pack is not None or problems


@given(st.integers(0, len(GOOD) - 1), st.text(max_size=8))
def test_no_damage_does(place, text):
    pack, problems = read(GOOD[:place] + text + GOOD[place + 1 :])
    assert pack is not None or any(problem.level == QUARANTINE for problem in problems)
    assert all("⟨" not in problem.text(language) for problem in problems for language in LANGUAGES)
