"""The shipped rule packs say what the facts files say, in both languages, and what they rest on."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from tests.conftest import ROOT
from tunebench.analysis.expressions.figures import Figures
from tunebench.core.messages import LANGUAGES
from tunebench.core.paths import builtin_plugins_folder
from tunebench.diagnosis.rules.evaluation import Evaluation, Outcome, evaluate
from tunebench.diagnosis.rules.guards import Subject
from tunebench.domain.cycle.records import Confidence
from tunebench.domain.finding import Severity
from tunebench.plughost.host import PluginHost
from tunebench.plughost.listing import Origin
from tunebench.plughost.plugin_folders import SearchFolder
from tunebench.sdk.rules import Rule, RuleKind, Verified
from tunebench.usecases.findings.words import RuleWords

FACTS = ROOT.parent / "shared" / "facts"
BANDS = FACTS / "reference-cases" / "g31_iostat_seed.json"
HANGUL = re.compile("[가-힣]")
SOLARIS = Subject("sunos", "5.9", "hdd")
# Where the facts' own expression is the state that is wanted, a flag without figures, or a number of one machine.
OTHER_CONDITION = {
    "SF-103": "ncsize != ufs_ninode",  # the fact states what should be
    "SF-090": "maxcontig * 8192 > maxphys",  # the fact's formula has no truth; its condition has
    "SF-402": "sr >= 100",  # only a threshold is given
    "SF-305": "cpu_idle <= 1",  # "use the shape, never the 4000"
    # of one request alone none waits; and of a steady queue every other sample is longer than the one before
    "X-DSK-02": "util_pct > 95 and aqu_sz >= 2 and trend(aqu_sz) > 0",
    "X-NET-05": "total(retrans)/total(outsegs) > 0.01",  # of one second's few segments a ratio says nothing
    "SF-307": "cpu_iowait_pct > 40 and cpu_busy_pct < 20",  # "high" and "low" in the fact
}
WRITTEN_OUT = {"X-DSK-09"}
"""The fact is a formula with what to compare it with in words."""
PRINCIPLES = {
    "SF-020",
    "SF-055",
    "SF-060",
    "SF-062",
    "SF-072",
    "SF-093",
    "SF-094",
    "SF-096",
    "SF-101",
    "SF-105",
    "SF-400",
    "SF-403",
    "SF-500",
    "SF-507",
}
"""Formulas, definitions, examples: in the reference, not judged on captures."""
NO_FACT = {
    "X-DB-01", "X-DB-02", "X-CPU-12", "X-CPU-13", "X-CPU-14", "X-CPU-15", "X-SYS-01", "X-MEM-09", "X-MEM-10", "X-MEM-11",
    "X-MEM-12", "X-DSK-10", "X-DSK-11", "X-DSK-12", "X-NET-06", "X-NET-07", "X-NET-08", "X-PG-08", "X-MY-09", "X-MY-10",
    *(f"X-ORA-{number:02}" for number in range(7, 14)),
}  # fmt: skip
"""Rules that came after the facts files; each says its source itself."""


@cache
def shipped() -> PluginHost:
    return PluginHost([SearchFolder(builtin_plugins_folder(), Origin.BUILTIN)])


def rules() -> dict[str, Rule]:
    return {rule.id: rule for rule in shipped().rules()}


@cache
def facts(name: str) -> dict[str, dict[str, Any]]:
    if not (FACTS / name).is_file():
        pytest.skip("the facts are not beside the project")
    return {fact["id"]: fact for fact in yaml.safe_load((FACTS / name).read_text(encoding="utf-8"))["rules"]}


every_rule = pytest.mark.parametrize("rule", rules().values(), ids=rules())
FACT_RULES = {id_: rule for id_, rule in rules().items() if id_ not in NO_FACT}
every_rule_of_a_fact = pytest.mark.parametrize("rule", FACT_RULES.values(), ids=FACT_RULES)


def plain(text: str) -> str:
    return re.sub(r"\s+", "", text)


# --- against the facts


def test_every_modern_rule_is_there():
    assert set(facts("rules-extra.yaml")) == {id_ for id_ in FACT_RULES if id_.startswith("X-")}


def test_every_fact_with_a_condition_is_a_rule_or_in_the_reference():
    with_condition = {id_ for id_, fact in facts("seed-facts.yaml").items() if fact.get("expr")}
    ours = {id_ for id_ in FACT_RULES if id_.startswith("SF-")}
    assert with_condition - ours == PRINCIPLES
    assert ours - with_condition == {"SF-402"}  # judged by its threshold


@every_rule_of_a_fact
def test_a_rule_is_what_its_fact_says(rule):
    fact = facts("seed-facts.yaml" if rule.id.startswith("SF-") else "rules-extra.yaml")[rule.id]
    expected = OTHER_CONDITION.get(rule.id) or str(fact.get("expr", ""))
    if rule.expression is not None and rule.id not in WRITTEN_OUT:
        assert plain(rule.expression.text) == plain(expected)
    assert rule.quote == fact.get("quote", "")
    assert rule.thresholds.get("threshold") == fact.get("threshold")
    assert {key: value for key, value in rule.thresholds.items() if key != "threshold"} == fact.get("thresholds", {})
    assert rule.unit == fact.get("unit", "")
    assert rule.verified == fact.get("verified", "read")
    if "sustain" in fact:
        assert rule.sustain == fact["sustain"]
    if "severity" in fact and rule.expression is not None:
        level = next(level for level in rule.levels if level.when is rule.expression)
        assert level.severity == fact["severity"]


def test_numbers_of_further_levels_are_the_facts_numbers():
    extra = facts("rules-extra.yaml")
    cpu = extra["X-CPU-01"]["thresholds"]
    critical, warning = rules()["X-CPU-01"].levels
    assert (critical.when.text, critical.clear and critical.clear.text) == (
        f"cpu_busy_pct > {cpu['crit']}",
        f"cpu_busy_pct < {cpu['crit_clear']}",
    )
    assert warning.clear is not None
    assert warning.clear.text == f"cpu_busy_pct < {cpu['warn_clear']}"
    latency = extra["X-DSK-05"]["thresholds"]
    assert rules()["X-DSK-05"].tables == {
        "warn": {media: low for media, (low, _) in latency.items()},
        "crit": {media: high for media, (_, high) in latency.items()},
    }


@every_rule_of_a_fact
def test_every_number_of_a_condition_is_printed_somewhere_in_its_fact(rule):
    """Marks for clearing and further levels come from the fact's condition, thresholds or notes; ours are named."""
    ours = {
        "SF-404": {"262144", "0.01", "0.02"},
        "SF-307": {"40", "20"},
        "SF-090": {"8192"},
        "X-NET-04": {"5"},
        "X-MY-02": {"90"},
        "X-ORA-03": {"2"},
        "X-MY-08": {"50"},
        "X-DSK-02": {"2"},
    }
    fact = facts("seed-facts.yaml" if rule.id.startswith("SF-") else "rules-extra.yaml")[rule.id]
    printed = set(re.findall(r"\d+(?:\.\d+)?", json.dumps(fact, ensure_ascii=False)))
    printed |= {str(float(number) / 100) for number in printed} | ours.get(rule.id, set())
    for level in rule.levels:
        for text in (level.when.text, level.clear.text if level.clear else ""):
            numbers = set(re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])", text)) - {"0", "1"}
            assert numbers <= printed


# --- what people read


@every_rule
def test_a_rule_speaks_both_languages(rule):
    for texts in (rule.title, rule.condition, rule.action, rule.tradeoff, rule.caveat):
        assert all(texts.get(language) for language in LANGUAGES) or not any(texts.values())
        assert not HANGUL.search(texts.get("en", ""))
    assert HANGUL.search(rule.condition["ko"]) or rule.condition["ko"].isascii()
    assert rule.action or rule.severity is Severity.OK or rule.id in ("SF-050", "SF-051")


def test_what_was_recalled_says_so_and_is_not_of_high_confidence():
    recalled = [rule for rule in rules().values() if rule.verified is Verified.RECALLED]
    assert recalled
    for rule in recalled:
        assert rule.confidence is not Confidence.HIGH, rule.id
        assert re.search("다시 확인하지 않았습니다", rule.caveat["ko"]), rule.id
        assert re.search("[Rr]ecalled|not read again", rule.caveat["en"]), rule.id


def test_rules_on_a_contradiction_name_it():
    """Of the 17, those that a rule rests on; `1` to `17` as the design counts them."""
    named = {rule.id: rule.contradiction for rule in rules().values() if rule.contradiction}
    assert named == {
        "SF-050": 3,
        "SF-051": 3,
        "SF-052": 3,
        "SF-053": 3,
        "SF-054": 4,
        "SF-063": 2,
        "SF-040": 8,
        "SF-071": 16,
        "SF-076": 16,
        "SF-081": 16,
        "SF-082": 16,
        "SF-090": 9,
        "SF-100": 6,
        "SF-103": 5,
        "SF-104": 5,
        "SF-300": 14,
        "SF-304": 15,
        "SF-401": 13,
        "SF-402": 13,
        "SF-404": 13,
        "SF-406": 13,
        "SF-407": 13,
        "X-SOL-01": 6,
        "X-ORA-06": 1,
    }
    assert all(all(rules()[id_].caveat.values()) for id_ in named)


# --- what explains what


def test_a_cause_names_rules_and_probes_that_there_are_and_no_rule_explains_itself():
    probes = {probe.id for probe in shipped().probes()}
    for rule in rules().values():
        assert set(rule.explains) <= rules().keys() - {rule.id}, rule.id
        assert set(rule.confirm_probes) <= probes, rule.id
        assert rule.confirm or not rule.confirm_probes
        assert all(rule.confirm.values()) and not HANGUL.search(rule.confirm.get("en", ""))
        assert not [name for name in rule.explains if rule.id in rules()[name].explains], rule.id


# --- the iostat bands of the guide


def of_disk(rule: str, subject: Subject = SOLARIS, /, **figures: float) -> Evaluation:
    values = {name: np.array([value]) for name, value in figures.items()}
    return evaluate(rules()[rule], Figures(values, np.array([0], dtype=np.int64)), subject)


def band(svc_t: float, pct_b: float, operations: float = 100.0) -> Severity | None:
    """What the four rules say of one sample; never two things."""
    figures = {"svc_t": svc_t, "pct_b": pct_b, "r_s": operations, "w_s": 0.0}
    answers = [of_disk(id_, **figures) for id_ in ("SF-050", "SF-051", "SF-052", "SF-053")]
    held = [answer.severity for answer in answers if answer.outcome is Outcome.HELD]
    assert len(held) <= 1
    return held[0] if held else None


@pytest.mark.parametrize(
    ("svc_t", "pct_b", "severity"),
    [
        (0.1, 100, "ok"),
        (30, 100, "ok"),
        (30.01, 5, "ok"),
        (30.01, 5.01, "watch"),
        (49.99, 5, "ok"),
        (49.99, 100, "watch"),
        (50, 19.99, "watch"),
        (50, 20, "critical"),
        (50, 5, "watch"),
        (1246.4, 100, "critical"),
    ],
)
def test_the_bands_with_their_borders(svc_t, pct_b, severity):
    assert band(svc_t, pct_b) == severity


def test_the_bands_leave_nothing_open_and_do_not_overlap():
    for svc_t in (0, 15, 30, 30.5, 40, 49.9, 50, 80):
        for pct_b in (0, 5, 5.5, 19, 20, 60, 100):
            assert band(svc_t, pct_b) is not None


def test_the_printed_iostat_rows():
    if not BANDS.is_file():
        pytest.skip("the reference cases are not beside the project")
    case = json.loads(BANDS.read_text(encoding="utf-8"))
    names = {"normal": Severity.OK, "watch": Severity.WATCH, "bottleneck": Severity.CRITICAL}
    for name, row in case["input"].items():
        expected = case["expected"][name]
        active = row["r_s"] + row["w_s"] >= 10  # one operation a second says nothing of a disk
        assert band(row["svc_t"], row["pct_b"], row["r_s"] + row["w_s"]) == (
            names[expected["band"]] if active else None
        )
        assert (of_disk("SF-054", pct_w=row["pct_w"]).outcome is Outcome.HELD) is expected["w_overload"]


def test_the_bands_of_rotating_disks_are_not_asked_of_flash_or_linux():
    figures = {"svc_t": 80.0, "pct_b": 90.0, "r_s": 100.0, "w_s": 0.0}
    assert of_disk("SF-052", Subject("sunos", "5.10", "ssd"), **figures).outcome is Outcome.OTHER_MEDIA
    assert of_disk("SF-052", Subject("linux"), **figures).outcome is Outcome.OTHER_SYSTEM


# --- the other documents' own examples


@pytest.mark.parametrize(
    ("hits", "severity"), [(96.0, "ok"), (90.01, "ok"), (90.0, "watch"), (89.99, "warning"), (50.0, "warning")]
)
def test_the_name_cache_and_its_undecided_border(hits, severity):
    assert of_disk("SF-100", dnlc_hit_pct=hits).severity == severity


@pytest.mark.parametrize(
    ("available_kb", "severity"),
    [(2_404_112, None), (153_880, "warning"), (51_448, "critical"), (102_400, "warning"), (102_399, "critical")],
)
def test_virtual_swap_of_the_demonstration(available_kb, severity):
    assert of_disk("SF-404", swap_avail_kb=float(available_kb)).severity == severity


def test_a_stalled_machine_without_scanning():
    """Step 7: sr 0, 627,064 KB free, 51,568 KB of virtual swap; lotsfree are 32,064 pages of 8 KB."""
    stalled = {"sr": 0.0, "free": 627_064.0, "swap_avail_kb": 51_568.0, "lotsfree": 32_064 * 8.0}
    assert of_disk("SF-407", **stalled).severity is Severity.CRITICAL
    assert of_disk("SF-401", **stalled).outcome is Outcome.NOT_HELD
    assert of_disk("SF-401", free=208_992.0, lotsfree=32_064 * 8.0).severity is Severity.WARNING  # step 3


def test_swap_of_a_quarter_of_memory_is_outside_of_the_documents_own_rule():
    figures = Figures({"disk_swap_total": 4.0, "physmem": 16.0})
    assert evaluate(rules()["SF-406"], figures, SOLARIS).outcome is Outcome.HELD
    inside = [evaluate(rules()["SF-406"], Figures({"disk_swap_total": each, "physmem": 16.0})) for each in (8.0, 24.0)]
    assert [one.outcome for one in inside] == [Outcome.NOT_HELD] * 2


def test_scope_rules_are_no_findings_of_their_own():
    assert {rule.id for rule in rules().values() if rule.kind is RuleKind.SCOPE} == {"SF-070", "SF-071"}
    assert {rule.id for rule in rules().values() if rule.expression is None} == {"X-PG-07"}


def test_short_names_of_sources_are_told():
    assert rules()["X-CPU-02"].source_names == {
        "USE-S": dict.fromkeys(LANGUAGES, "brendangregg.com/USEmethod/use-solaris.html"),
        "USE-L": dict.fromkeys(LANGUAGES, "brendangregg.com/USEmethod/use-linux.html"),
    }
    assert list(rules()["X-CPU-03"].source_names) == ["PCP"]
    assert list(rules()["SF-052"].source_names) == ["000"]
    for rule in rules().values():
        assert rule.source_names or not re.fullmatch("[A-Z-]+|practice", rule.source["en"].split()[0])


def test_every_rule_says_in_both_languages_what_it_rests_on():
    for rule in rules().values():
        for texts in (rule.source, *rule.source_names.values()):
            assert all(texts[language] for language in LANGUAGES), rule.id


def test_an_english_document_has_hangul_in_quotations_alone_and_says_what_they_mean():
    for rule in rules().values():
        own = (rule.title, rule.condition, rule.action, rule.tradeoff, rule.caveat, rule.confirm, rule.source)
        english = [texts.get("en", "") for texts in (*own, *rule.source_names.values(), rule.quote_meaning)]
        assert not [text for text in english if HANGUL.search(text)], rule.id
        assert not HANGUL.search(rule.quote) or rule.quote_meaning["en"], rule.id


def test_a_quote_is_followed_by_what_it_means_where_it_is_in_another_language():
    shown = {language: RuleWords(rules(), language).source("SF-305") for language in LANGUAGES}
    assert HANGUL.search(shown["en"].partition("“")[2].partition("”")[0])
    assert shown["en"].endswith("the investment in CPU decides the result.)")
    assert shown["ko"].endswith("”")


def test_a_source_in_prose_is_told_in_the_language_of_the_document():
    shown = {language: RuleWords(rules(), language).source("X-CPU-02") for language in LANGUAGES}
    assert "USEmethod" in shown["en"] and shown["ko"] == shown["en"]
    prose = [rule.id for rule in rules().values() if rule.source["en"].startswith("practice")]
    assert prose and all(HANGUL.search(RuleWords(rules(), "ko").source(id_)) for id_ in prose)


def test_the_packs_stand_beside_their_manifests():
    for name in ("founding_rules", "practice_rules"):
        assert (Path(builtin_plugins_folder()) / name / f"{name}.yaml").is_file()


# --- what would be a finding of nothing


def held(rule_id, figures, subject):
    return answer(rule_id, figures, subject).outcome


def answer(rule_id, figures, subject, interval_s=10):
    count = max(np.size(values) for values in figures.values())
    times = np.arange(count, dtype=np.int64) * interval_s * 1_000_000_000
    return evaluate(rules()[rule_id], Figures(figures, times if count > 1 else None), subject)


def test_a_disk_that_serves_one_reader_has_no_queue_that_grows():
    """A single sequential reader keeps a disk 98 % busy with one request in it, now a little more, now less."""
    busy, wave = np.full(40, 98.0), np.where(np.arange(40) % 2, 1.05, 0.95)
    linux = Subject(os="linux")
    assert held("X-DSK-02", {"util_pct": busy, "aqu_sz": wave}, linux) is Outcome.NOT_HELD
    assert held("X-DSK-02", {"util_pct": busy, "aqu_sz": np.arange(40) / 2 + 2}, linux) is Outcome.HELD


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9, 0.97])
def test_of_steady_queues_hardly_any_is_said_to_grow(correlation):
    """A backup stream: 99 % busy, 2 to 10 requests in the queue, as many at the end as at the beginning."""
    said = 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        level = random.standard_normal(240)
        for place in range(1, len(level)):
            level[place] = correlation * level[place - 1] + np.sqrt(1 - correlation**2) * level[place]
        figures = {"util_pct": np.full(240, 99.0), "aqu_sz": 4 * np.exp(0.4 * level)}
        said += held("X-DSK-02", figures, Subject(os="linux")) is Outcome.HELD
    assert said <= 3


GROWING = {
    "evenly": lambda t: 3 + 27 * t,
    "ever faster": lambda t: 2 * np.exp(3 * t),
    "at the end": lambda t: 3 + 60 * np.fmax(t - 0.6, 0),
}


@pytest.mark.parametrize("noise", [0.05, 0.3])
@pytest.mark.parametrize("shape", GROWING.values(), ids=GROWING)
def test_a_queue_that_grows_is_said_to(shape, noise):
    """From 3 to 30 requests in forty minutes, each sample off by so much."""
    queue = shape(np.linspace(0, 1, 240)) * np.exp(noise * np.random.default_rng(7).standard_normal(240))
    assert held("X-DSK-02", {"util_pct": np.full(240, 99.0), "aqu_sz": queue}, Subject(os="linux")) is Outcome.HELD
    falling = {"util_pct": np.full(240, 99.0), "aqu_sz": queue[::-1]}
    assert held("X-DSK-02", falling, Subject(os="linux")) is Outcome.NOT_HELD


def test_retransmissions_are_graded_by_the_totals_of_the_window():
    """45 of 3,932 segments in two minutes are 1.14 %; in the fifteen seconds that had any it was 9 % of them."""
    retrans, outsegs = np.zeros(120), np.full(120, 3932 / 120)
    retrans[::8] = 3
    assert retrans.sum() == 45
    linux = Subject(os="linux")
    found = answer("X-NET-05", {"retrans": retrans, "outsegs": outsegs}, linux, 1)
    assert (found.outcome, found.severity) == (Outcome.HELD, Severity.WARNING)
    of_more = answer("X-NET-05", {"retrans": retrans, "outsegs": 1.2 * outsegs}, linux, 1)
    assert of_more.outcome is Outcome.NOT_HELD
    many = answer("X-NET-05", {"retrans": 3 * retrans, "outsegs": outsegs}, linux, 1)
    assert many.severity is Severity.CRITICAL
    of_few = answer("X-NET-05", {"retrans": retrans, "outsegs": outsegs / 2}, linux, 1)
    assert of_few.outcome is Outcome.NEVER_ACTIVE  # 1 % of 1,966 are 20: too few to tell 1 % from 2 %


@pytest.mark.parametrize(("requested", "outcome"), [(1.0, Outcome.NEVER_ACTIVE), (3.0, Outcome.HELD)])
def test_one_checkpoint_on_request_is_a_backup(requested, outcome):
    figures = {"checkpoints_req": requested, "checkpoints_timed": 6.0}
    assert held("X-PG-05", figures, Subject(database="postgresql")) is outcome
