"""What is said of rankings, shifts, drop-offs and missing figures, in both languages."""

from __future__ import annotations

from dataclasses import replace
from zoneinfo import ZoneInfo

import pytest

from tests.program import compose
from tunebench.domain.finding import (
    Caution,
    DataCheck,
    DropOff,
    Finding,
    FindingEvidence,
    Missing,
    NotJudged,
    Ranking,
    ResourceScore,
    Severity,
    Shift,
    UseAspect,
    UseCell,
)
from tunebench.sdk.rules import Rule
from tunebench.sdk.toml_tables import Problem
from tunebench.usecases.findings import words
from tunebench.usecases.services import current

LANGUAGES = pytest.mark.parametrize("language", ["ko", "en"])
CPU = ResourceScore("db1", "cpu", "", 1.14, 0.95, 0.8349, 4, signs=("X-CPU-02", "queue"))
DISK = ResourceScore("db1", "disk", "ssd2", 1.9, 0.95, 0.5, 1, alias="/ARCH1")
CLEAR = Ranking((CPU, DISK), True, "", 0.987, 24)
AFTER = Ranking((DISK, CPU), True, "", 1.0, 24)


@pytest.fixture(scope="module", autouse=True)
def services() -> None:
    compose()


def whole(text: str) -> str:
    """The text, if no key and no place-holder was left in it."""
    assert text and "⟨" not in text and "{" not in text, text
    return text


@LANGUAGES
def test_rankings(language: str) -> None:
    said = whole(words.ranking_text(CLEAR, language))
    assert "CPU [db1]" in said and "1.14" in said and "99 %" in said and "X-CPU-02, " in said
    for reason in ("nothing_measured", "few_samples", "below_threshold", "not_steady", "parallel_device", "no_sign"):
        scores = () if reason == "nothing_measured" else (DISK,)
        whole(words.ranking_text(Ranking(scores, False, reason, 0.4), language))


@LANGUAGES
def test_shifts(language: str) -> None:
    moved = whole(words.shift_text(Shift(CLEAR, AFTER, True, "", 0.987), language))
    assert "ssd2 (/ARCH1)" in moved and "99 %" in moved
    assert whole(words.shift_text(Shift(CLEAR, CLEAR, False, "", 1.0), language)) != moved
    unclear = Ranking((DISK,), False, "below_threshold", 1.0)
    assert "0.8" in whole(words.shift_text(Shift(CLEAR, unclear, None, "after_below_threshold"), language))
    for reason in ("other_hosts", "not_steady", "nothing_measured"):
        whole(words.shift_text(Shift(CLEAR, AFTER, None, reason), language))


@LANGUAGES
def test_the_bound_on_the_gain_has_three_figures(language: str) -> None:
    said = whole(words.gain_text(Shift(CLEAR, AFTER, True, "", 1.0, 224.79, DISK), language))
    assert "225" in said and "224.79" not in said
    assert words.gain_text(Shift(CLEAR, AFTER, True), language) == ""


@LANGUAGES
def test_a_drop_off(language: str) -> None:
    one = DropOff("db1", "disk", "ssd2", "aqu_sz", "iops", 15.65, 812.0, 40.0, 12, 0.25)
    said = whole(words.drop_off_text(one, language))
    assert "15.7" in said and "812" in said and "12" in said
    measured = whole(words.drop_off_text(replace(one, is_fitted=False), language))
    assert measured != said and "25 %" in measured and "40.0" in measured


@LANGUAGES
def test_of_many_drop_offs_ten_are_told_and_the_rest_counted(language: str) -> None:
    many = [DropOff("db1", "disk", f"dm-{n}", "aqu_sz", "iops", 15.65, 812.0, 40.0, 12, 0.25) for n in range(1000)]
    sentences = words.drop_off_texts(many, language)
    assert len(sentences) == 11 and "990" in sentences[-1]
    assert words.drop_off_texts(many[:10], language) == sentences[:10]


@LANGUAGES
def test_of_many_broken_laws_the_ten_worst_are_told_and_the_rest_counted(language: str) -> None:
    checks = [DataCheck("little", "db1", "disk", f"dm-{n}", n / 1000, 240, violated=n > 100) for n in range(1000)]
    sentences = words.broken_laws(checks, lambda check: check.name, language)
    assert sentences[:10] == [f"dm-{n}" for n in range(999, 989, -1)]
    assert len(sentences) == 11 and "889" in sentences[-1]


@LANGUAGES
def test_figures_of_the_same_probes_are_named_together(language: str) -> None:
    missing = (Missing("svc_t", ("solaris.iostat",)), Missing("media"), Missing("pct_b", ("solaris.iostat",)))
    said = whole(words.missing_text(NotJudged("R", "p", "not_captured", ("db1",), missing), language))
    assert "svc_t, %b" in said and said.count("solaris.iostat") == 1


@LANGUAGES
def test_a_finding_of_totals_and_one_without_a_host(language: str) -> None:
    finding = Finding(
        "R",
        "p",
        Severity.WATCH,
        1,
        "before",
        "",
        "database",
        {"database": "oracle:1"},
        facts={"db_time": 6312.44, "fs_type": "ufs", "cpu_busy": 92.75, "cpu_busy_worst": 100.0},
    )
    assert whole(words.thing_text(finding, language)).endswith("oracle:1")
    whole(words.share_text(finding, language))
    said = whole(words.figures_text(finding, language))
    assert "6,312" in said and "ufs" in said and "92.75 %" in said and "100 %" in said
    assert "unknown" not in words.host_text("unknown", language)
    assert words.host_text("unknown (web01)", language).startswith("web01 (")


@LANGUAGES
def test_cautions_name_figures_in_words(language: str) -> None:
    said = whole(words.caution_text(Caution("judged_without", {"figures": "swap_total_kb, r_s"}), language))
    assert "swap_total_kb" not in said and "r_s" not in said
    whole(words.caution_text(Caution("derived_default", {"figure": "lotsfree"}), language))
    whole(words.caution_text(Caution("few_samples", {"n": 3}), language))
    whole(words.caution_text(Caution("more_stretches", {"count": 8}), language))


@LANGUAGES
def test_cells_that_were_not_measured(language: str) -> None:
    cell = UseCell(UseAspect.ERRORS, "if_errors_s", probes=("linux.ip_link", "linux.netstat_i", "linux.sar_all"))
    said = whole(words.cell_text(cell, language))
    assert "linux.ip_link, linux.netstat_i" in said
    whole(words.cell_text(UseCell(UseAspect.ERRORS, ""), language))


def test_evidence_of_one_moment_and_of_a_stretch() -> None:
    seoul = ZoneInfo("Asia/Seoul")
    at_ns = 1_201_827_600_000_000_000
    moment = FindingEvidence(1, "db1|iostat|svc_t|device=ssd2", (1,), at_ns, at_ns)
    assert words.evidence_text(moment, seoul) == "db1 iostat svc_t ssd2, 2008-02-01 10:00:00"
    stretch = FindingEvidence(1, "db1|sar|%idle", (1,), at_ns, at_ns + 10_000_000_000)
    assert words.evidence_text(stretch, seoul).endswith("10:00:00 – 2008-02-01 10:00:10")


def shipped() -> dict[str, Rule]:
    return {rule.id: rule for rule in current().plugins.rules()}


def judged(rule: str, severity: Severity) -> Finding:
    return Finding(rule, "founding_rules", severity, 1, "before", "db1", "host", {}, "", 1.0, 1, 1, {}, (), ())


@LANGUAGES
def test_a_bound_beyond_tenfold_says_that_the_next_resource_was_idle(language: str) -> None:
    told = [
        whole(words.gain_text(Shift(CLEAR, AFTER, True, "", 1.0, bound, DISK), language)) for bound in (9.96, 12345.6)
    ]
    meaningless = {"ko": "의미가 없습니다", "en": "says nothing"}[language]
    assert "9.96" in told[0] and meaningless not in told[0]
    assert "12,300" in told[1] and meaningless in told[1]


def test_the_source_tells_what_its_short_name_stands_for() -> None:
    assert "netdata/netdata" in words.RuleWords(shipped(), "en").source("X-CPU-01")


def test_what_the_guide_calls_fine_gets_no_advice() -> None:
    """96 % of the DNLC is fine: nobody is told to raise ncsize; advice of its own kind stays."""
    told = words.RuleWords(shipped(), "ko")
    fine, short = (judged("SF-100", each) for each in (Severity.OK, Severity.WARNING))
    assert told.advice(fine) == ("", "") and all(told.advice(short))
    assert told.advice(judged("SF-039", Severity.OK))[0]


@LANGUAGES
def test_every_figure_of_the_rules_has_a_name_or_is_a_column_heading(language: str) -> None:
    headings = {
        "asvc_t",
        "wsvc_t",
        "svc_t",
        "lotsfree",
        "maxcontig",
        "maxphys",
        "ncsize",
        "npskill",
        "pi",
        "po",
        "ufs_ninode",
    }
    names = {name for rule in shipped().values() for name in rule.metrics}
    assert {name for name in names if words.signal_name(name, language) == name} <= headings


def test_units_of_single_values_are_printed() -> None:
    assert words.unit_of("tmp_disk_pct", "ko") == "%" and words.unit_of("temp_bytes_s", "en") == "B/s"


@LANGUAGES
def test_of_a_file_that_was_left_out_the_first_fault_is_told(language: str) -> None:
    problems = [Problem("quarantine", "key_missing", {"where": f"disk.yaml:{line} expr"}) for line in (3, 9, 12)]
    problems.append(Problem("quarantine", "key_missing", {"where": "net.yaml:7 source"}))
    told = words.left_out_texts(problems, language)
    assert len(told) == 2
    assert "disk.yaml:3" in told[0] and "2" in told[0].partition("(")[2] and "net.yaml:7" in told[1]
