"""The founding documents' own captures give the findings that the documents draw, with what must be said beside them."""

from __future__ import annotations

from collections.abc import Iterator
from zoneinfo import ZoneInfo

import pytest

from tests.program import compose
from tests.unit.usecases.founding_runs import founding_project
from tunebench.core.messages import catalogue
from tunebench.domain.finding import Finding, Severity, UseAspect
from tunebench.domain.windows import run_window
from tunebench.store import artefacts
from tunebench.store.project import Project
from tunebench.usecases import browse, projects
from tunebench.usecases.findings import case, diagnose
from tunebench.usecases.findings.case import Wording
from tunebench.usecases.findings.diagnose import Diagnosis
from tunebench.usecases.findings.words import RuleWords, caution_text, cell_text, figures_text, ranking_text

UTC = ZoneInfo("UTC")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    compose()
    with founding_project(tmp_path_factory.mktemp("founding")) as made:
        yield made


def diagnosed(project: Project, run: str) -> Diagnosis:
    return diagnose.diagnose(project, run_window(projects.find_run(project, run).id))


def drawn(found: Diagnosis) -> set[tuple[str, str, str]]:
    """Rule, thing and severity of everything that is worse than fine."""
    return {(f.rule, f.thing, str(f.severity)) for f in found.findings if f.severity is not Severity.OK}


def the(found: Diagnosis, rule: str, thing: str = "") -> Finding:
    (one,) = [each for each in found.findings if each.rule == rule and each.thing == thing]
    return one


def captures_of(project: Project, finding: Finding) -> list[str]:
    """Names of the captures that it rests on, in the order of time."""
    ids = dict.fromkeys(id_ for each in finding.evidence for id_ in each.artefact_ids)
    return [artefacts.find_artefact(project, id_).name for id_ in ids]


# -- document 000 --------------------------------------------------------------------------------------


def test_the_read_ahead_test_has_its_bottleneck_on_the_disk_that_is_written(project: Project) -> None:
    found = diagnosed(project, "read-6")
    assert drawn(found) == {("SF-052", "ssd2", "critical")}
    finding = the(found, "SF-052", "ssd2")
    assert (finding.facts["svc_t"], finding.facts["pct_b"]) == (137.8, 100.0)
    assert (finding.n, finding.held, finding.share) == (1, 1, 1.0)


def test_after_the_change_the_same_disk_is_still_the_bottleneck(project: Project) -> None:
    found = diagnosed(project, "read-128")
    assert drawn(found) == {("SF-052", "ssd2", "critical")}
    assert the(found, "SF-052", "ssd2").facts["svc_t"] == 159.4


def test_the_write_test_queues_on_sd0(project: Project) -> None:
    found = diagnosed(project, "write-6")
    assert drawn(found) == {("SF-052", "sd0", "critical"), ("SF-054", "sd0", "warning")}
    assert the(found, "SF-054", "sd0").facts["pct_w"] == 33.0
    after = diagnosed(project, "write-128")  # 3.1 times as fast, and still 353.6 ms at 99 % busy
    assert drawn(after) == {("SF-052", "sd0", "critical")}


def test_one_sample_is_said_to_be_one_and_what_that_means(project: Project) -> None:
    finding = the(diagnosed(project, "write-6"), "SF-054", "sd0")
    cautions = {caution.key: caution_text(caution, "en") for caution in finding.cautions}
    assert {"one_sample", "since_boot"} <= cautions.keys()
    assert "single sample" in cautions["one_sample"]
    assert "since boot" in cautions["since_boot"]
    assert all("⟨" not in caution_text(caution, "ko") for caution in finding.cautions)


def test_a_finding_leads_to_the_lines_of_the_capture(project: Project) -> None:
    finding = the(diagnosed(project, "read-6"), "SF-052", "ssd2")
    evidence = next(each for each in finding.evidence if each.signal == "svc_t")
    assert evidence.series_id is not None and evidence.peak == 137.8
    data = browse.series_data(project, evidence.series_id, evidence.start_ns, evidence.end_ns)
    first = int(data.line_numbers[0])  # of the block; each device has a line of it
    (line,) = [
        each
        for each in browse.capture_lines(project, evidence.artefact_ids[0], first, first + 5)
        if each.startswith("ssd2")
    ]
    assert line.split() == ["ssd2", "13.0", "31.0", "120.5", "20650.3", "0.0", "6.0", "137.8", "2", "100"]


def test_averages_since_boot_of_an_idle_machine_draw_nothing(project: Project) -> None:
    assert drawn(diagnosed(project, "since-boot")) == set()


def test_a_name_cache_of_96_per_cent_is_fine(project: Project) -> None:
    found = diagnosed(project, "dnlc")
    assert drawn(found) == set()
    finding = the(found, "SF-100")
    assert (finding.severity, finding.facts["dnlc_hit_pct"]) == (Severity.OK, 96.0)
    words = RuleWords(found.rules, "en")
    assert "since boot" in words.caveat("SF-100")
    assert "DNLC" in figures_text(finding, "ko")


def test_littles_law_holds_for_what_the_guide_prints(project: Project) -> None:
    (check,) = [each for each in diagnosed(project, "write-6").checks if each.name == "sd0"]
    # 141.0 requests/s x 1246.4 ms = 175.74, printed are 7.5 waiting and 168.2 in service
    assert check.deviation == pytest.approx(abs(175.7424 - 175.7) / 175.7424, abs=1e-9)
    assert not check.violated


# -- document 003 --------------------------------------------------------------------------------------


def test_memory_is_scanned_from_step_3_on(project: Project) -> None:
    finding = the(diagnosed(project, "swap"), "SF-402")
    assert captures_of(project, finding) == ["vmstat_swap_4.txt", "vmstat_swap_5.txt", "vmstat_swap_7.txt"]
    assert finding.facts["sr_worst"] == 69377.0
    # a high scan rate alone was no problem that anybody felt: the document's own point
    assert finding.severity is Severity.WATCH


def test_virtual_swap_stalls_from_step_6_on(project: Project) -> None:
    finding = the(diagnosed(project, "swap"), "SF-404")
    assert finding.severity is Severity.CRITICAL
    names = captures_of(project, finding)
    assert names[0] == "vmstat_swap_7.txt"  # step 6
    assert names == ["vmstat_swap_7.txt", "vmstat_swap_8.txt", "vmstat_swap_9.txt"]
    assert finding.facts["swap_avail_kb_worst"] == 49424.0
    assert min(each.start_ns for each in finding.evidence) == min(
        each.start_ns for each in finding.evidence if each.peak == 51448.0
    )


def test_the_first_row_of_each_capture_is_left_out(project: Project) -> None:
    """Capture 4 begins with a row before scanning, capture 7 with 153,808 KB: since boot, not of the interval."""
    finding = the(diagnosed(project, "swap"), "SF-402")
    assert finding.n == 28  # 37 rows in nine captures


def test_swap_is_placed_above_scanning_and_no_processor_is_blamed(project: Project) -> None:
    found = diagnosed(project, "swap")
    assert [each.rule for each in found.findings][:2] == ["SF-404", "SF-402"]
    assert not [each for each in found.findings if each.rule.startswith("X-CPU")]


def test_the_queue_of_a_disk_that_is_the_bottleneck_is_its_symptom(project: Project) -> None:
    found = diagnosed(project, "write-6")
    cause, symptom = the(found, "SF-052", "sd0"), the(found, "SF-054", "sd0")
    assert symptom.explained_by == cause.key and not cause.explained_by
    assert found.symptoms_of(cause) == [symptom] and found.cause_of(symptom) == cause
    for language, word in (("ko", "증상"), ("en", "symptom")):
        rows = {row.found.rule: row for row in case.findings([("before", found)], Wording(language, UTC, lambda _: ""))}
        assert "SF-054" in rows["SF-052"].cautions[0]
        assert rows["SF-054"].title.startswith("└ ")
        assert word in rows["SF-054"].cautions[0] and "SF-052" in rows["SF-054"].cautions[0]


def test_scanning_that_began_before_swap_ran_out_is_no_symptom_of_it(project: Project) -> None:
    """From step 3 on; virtual swap stalls from step 6 on."""
    assert not the(diagnosed(project, "swap"), "SF-402").explained_by


def test_steps_with_virtual_swap_at_its_end_have_memory_as_their_bottleneck(project: Project) -> None:
    found = diagnosed(project, "swap")
    assert found.ranking.bottleneck is not None
    assert (found.ranking.bottleneck.label, found.ranking.bottleneck.signs) == ("memory", ("SF-404",))
    for language, word in (("ko", "메모리"), ("en", "Memory")):
        said = ranking_text(found.ranking, language)
        assert word in said and "SF-404" in said and "⟨" not in said
    window = run_window(found.run.id)
    moved = diagnose.shift(project, window, window)
    assert (moved.before.bottleneck, moved.shifted) == (found.ranking.bottleneck, False)


# -- what cannot be told -------------------------------------------------------------------------------


def test_what_was_not_captured_is_named_with_the_probe_that_would(project: Project) -> None:
    found = diagnosed(project, "read-6")
    (one,) = [each for each in found.not_judged if each.rule == "SF-402"]
    assert one.reason == "not_captured" and one.hosts == ("svrdb1",)
    assert {missing.signal: missing.probes[0] for missing in one.missing} == {"sr": "solaris.vmstat"}
    cpu = next(row for row in found.use_table if row.resource == "cpu").cell(UseAspect.UTILISATION)
    assert not cpu.measured and cpu.value is None
    assert "solaris.vmstat" in cell_text(cpu, "en")


def test_rules_of_other_systems_are_not_listed_as_lacking_something(project: Project) -> None:
    found = diagnosed(project, "read-6")
    linux = {"X-CPU-06", "X-MEM-01", "X-DSK-02"}
    assert linux <= {each.rule for each in found.not_applicable}
    assert not linux & {each.rule for each in found.not_judged}


def test_the_use_table_shows_the_finding_in_its_cell(project: Project) -> None:
    rows = {row.name: row for row in diagnosed(project, "read-6").use_table if row.resource == "disk"}
    assert rows["ssd2"].cell(UseAspect.UTILISATION).value == 100.0
    (critical,) = [cell for cell in rows["ssd2"].cells if cell.severity is Severity.CRITICAL]
    assert critical.rules == ("SF-052",)
    assert cell_text(critical, "en").endswith("· SF-052")
    assert Severity.CRITICAL not in {cell.severity for cell in rows["sd0"].cells}
    assert rows["ssd2"].cell(UseAspect.ERRORS).value is None


def test_one_sample_names_no_bottleneck(project: Project) -> None:
    ranking = diagnosed(project, "read-6").ranking
    assert (ranking.clear, ranking.reason, ranking.bottleneck) == (False, "few_samples", None)
    assert ranking.top is not None and ranking.top.name == "ssd2"
    assert ranking.top.score == pytest.approx(2.0)  # 100 % over the 50 % at which one server doubles the response


def test_every_sentence_is_there_in_both_languages(project: Project) -> None:
    for language in ("ko", "en"):
        messages = catalogue(language)
        found = diagnosed(project, "swap")
        keys = {f"diagnosis.not_judged.{each.reason}" for each in (*found.not_judged, *found.not_applicable)}
        keys |= {f"use.resource.{row.resource}" for row in found.use_table}
        assert not [key for key in keys if key not in messages]
