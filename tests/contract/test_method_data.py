"""The shipped method data: quotations stand in the facts word by word, and every template starts an iteration."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from itertools import count
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tunebench.core.messages import LANGUAGES
from tunebench.core.paths import builtin_plugins_folder
from tunebench.diagnosis.cycle.gates import gates, may_execute
from tunebench.diagnosis.cycle.guards import FORMS
from tunebench.diagnosis.cycle.templates import start_from
from tunebench.diagnosis.cycle.worksheet_rules import advice
from tunebench.domain.cycle.book import CycleBook, CycleEdit, references
from tunebench.domain.cycle.records import Cause, Metric, Question, SeriesSource, Step, StepNumber, Target
from tunebench.domain.cycle.worksheet import Action, ActionState, Basis, Resource
from tunebench.domain.record_ids import book_after, numbered
from tunebench.plughost.catalogue import MetricCatalogue
from tunebench.plughost.host import PluginHost
from tunebench.plughost.listing import Origin
from tunebench.plughost.plugin_folders import SearchFolder
from tunebench.sdk.cycle_templates import CycleTemplate
from tunebench.sdk.effects import EffectImpact
from tunebench.sdk.units import factor_between

FACTS = ROOT.parent / "shared" / "facts" / "seed-facts.yaml"
HANGUL = re.compile("[가-힣]")
# Section 3.2 of the analysis design: change -> (resource, direction), read off the printed matrix by hand.
MATRIX = {
    "table_compression": "cpu -2, memory +1, disk_latency +2, disk_throughput +1, space +2",
    "read_ahead": "memory -1, disk_latency +1, disk_latency -2, disk_throughput +2",
    "write_behind": "cpu -1, memory -1, disk_latency +1, disk_throughput +2, durability -1",
    "maxphys": "memory -1, disk_latency +1, disk_throughput +1, availability -1",
    "dnlc": "cpu +1, memory -1, disk_latency +1, availability -1",
    "buffer_pool": "cpu -1, memory -2, disk_latency +2, disk_throughput +1, durability -1",
    "raid5": "disk_latency -1, disk_throughput +1, space +1, durability -1, availability -1",
    "raid10": "disk_latency +2, disk_throughput +1, space -2, durability +1, cost -1",
    "cluster_size": "disk_latency +1, disk_throughput +0, space -1",
    "ext3_writeback": "disk_latency +0, disk_throughput +0, durability -2",
    "commit_later": "disk_latency +1, durability -2",  # printed in one row with writeback, another mechanism
    "noatime": "disk_latency +1, disk_throughput +1, manageability -1",
    "new_index": "cpu +1, cpu -1, memory -1, disk_latency +1, disk_latency -1, space -1, manageability -1",
    "parallel_query": "cpu -2, memory -1, disk_latency -1, disk_throughput +1, concurrency -1",
    "redo_log": "disk_latency +1, disk_throughput +1, space -1, durability -1",
    "huge_pages": "cpu +1, memory -1",
    "disk_swap": "memory +1, space -1, durability +1, manageability -1",
}
SUBJECTS = {  # the template -> the documents it is made from
    "ufs_read_ahead": "000 ch. 4",
    "dnlc_inode": "000 ch. 5",
    "sql_index": "000 ch. 7",
    "raid_buffer_pool": "002",
    "table_compression": "002",
    "swap_memory": "003",
    "fs_cluster": "001, 004",
}


@cache
def host() -> PluginHost:
    return PluginHost([SearchFolder(builtin_plugins_folder(), Origin.BUILTIN)])


@cache
def catalogue() -> MetricCatalogue:
    return MetricCatalogue.load()


EFFECTS = {effect.id.partition(".")[2]: effect for effect in host().effects()}
TEMPLATES = {template.id.partition(".")[2]: template for template in host().templates()}
every_template = pytest.mark.parametrize("name", TEMPLATES)


@cache
def facts() -> dict[str, str]:
    """Id -> its line of the facts file; the file is one fact a line."""
    if not FACTS.is_file():
        pytest.skip("the facts of the founding documents are not beside the project")
    lines = FACTS.read_text(encoding="utf-8").splitlines()
    return {found.group(1): line for line in lines if (found := re.match(r"- \{id: (SF-\d+),", line))}


def started(template: CycleTemplate, language: str) -> tuple[CycleBook, CycleEdit]:
    ids = count(1)
    edit = numbered(start_from(template, language, CycleBook(), on="2026-11-21"), lambda: next(ids))
    return book_after(CycleBook(), edit), edit


# --- the matrix


def test_the_matrix_is_complete():
    assert set(EFFECTS) == set(MATRIX)


@pytest.mark.parametrize("name", MATRIX)
def test_a_row_of_the_matrix_says_what_the_design_says(name):
    said = Counter(f"{impact.resource} {impact.direction:+d}" for impact in EFFECTS[name].impacts)
    assert said == Counter(MATRIX[name].split(", "))


@pytest.mark.parametrize("name", EFFECTS)
def test_an_effect_speaks_both_languages_and_says_what_it_rests_on(name):
    effect = EFFECTS[name]
    for texts in (effect.change, effect.caveat, *(impact.note or {} for impact in effect.impacts)):
        assert all(texts.get(language) for language in LANGUAGES) or not any(texts.values())
        assert not HANGUL.search(texts.get("en", ""))
    assert all(_is_supported(impact) for impact in effect.impacts)
    assert effect.parameters


def _is_supported(impact: EffectImpact) -> bool:
    return impact.basis is Basis.ESTIMATE or bool(impact.source or impact.fact)


def test_figures_of_effects_are_those_of_the_documents():
    """Quotients of the printed figures of section 4.4 and 4.3 (`T-WRITEBEHIND`, `T-READAHEAD`)."""
    behind = {impact.resource: impact.expected for impact in EFFECTS["write_behind"].impacts}
    assert behind[Resource.CPU] == round((5.77 / 5.21 - 1) * 100, 1)
    assert behind[Resource.DISK_LATENCY] == round(141.0 / 38.5, 2)
    assert behind[Resource.DISK_THROUGHPUT] == round(25411.4 / 6743.3, 2)
    ahead = {impact.resource: impact.expected for impact in EFFECTS["read_ahead"].impacts}
    assert ahead[Resource.DISK_THROUGHPUT] == round(15047.4 / 10543.8, 2)
    mkfile = next(
        impact for action in TEMPLATES["ufs_read_ahead"].actions for impact in action.impacts if impact.fact == "SF-077"
    )
    assert mkfile.expected == round(86.18 / 27.59, 2)


# --- templates


def test_there_is_a_template_for_every_subject():
    assert {name: template.source for name, template in TEMPLATES.items()} == SUBJECTS


@every_template
def test_a_template_quotes_the_facts_word_by_word(name):
    for fact in TEMPLATES[name].facts:
        assert fact.id in facts(), fact.id
        document, _, place = fact.source.partition(" ")
        assert f"src: S{int(document)}{f' {place}' if place else ''}," in facts()[fact.id]
        assert f'quote: "{fact.quote}"' in facts()[fact.id].replace('\\"', '"')


@every_template
def test_a_quoted_fact_keeps_its_caveat(name):
    """Where the facts warn, the template warns too, or shows what contradicts it."""
    silent = [
        fact.id
        for fact in TEMPLATES[name].facts
        if "caveat:" in facts()[fact.id] and not fact.caveat and not fact.contradiction
    ]
    assert silent == []


@every_template
def test_every_effect_id_of_a_source_exists(name):
    sources = [impact.source for effect in EFFECTS.values() for impact in effect.impacts]
    sources += [effect.source for effect in EFFECTS.values()]
    sources += [impact.source for action in TEMPLATES[name].actions for impact in action.impacts]
    named = {fact for source in sources for fact in re.findall(r"SF-\d+", source)}
    assert named <= set(facts())


@every_template
def test_a_template_names_probes_metrics_and_effects_that_exist(name):
    template = TEMPLATES[name]
    assert template.probes
    assert set(template.probes) <= {probe.id for probe in host().probes()}
    named = {action.known_effect for action in template.actions} - {""}
    assert named <= {effect.id for effect in host().effects()}
    series = [metric.source for metric in template.metrics if isinstance(metric.source, SeriesSource)]
    assert all(catalogue().metric(source.metric) is not None for source in series)


@every_template
def test_a_named_column_carries_the_named_metric(name):
    """`iostat` of the probe's system prints the column, and the catalogue calls it that metric."""
    known = {(tool, column.native, column.metric) for column in catalogue().maps() for tool in column.tools}
    for metric in TEMPLATES[name].metrics:
        if isinstance(metric.source, SeriesSource) and metric.source.tool:
            assert (metric.source.tool, metric.source.native, metric.source.metric) in known, metric.key


def _units(metric: str) -> set[str]:
    return {column.unit for column in catalogue().maps() if column.metric == metric}


@every_template
def test_the_figures_of_a_series_come_in_the_templates_unit(name):
    for metric in TEMPLATES[name].metrics:
        if isinstance(metric.source, SeriesSource):
            factors = [factor_between(unit, metric.unit) for unit in _units(metric.source.metric)]
            assert any(factor is not None for factor in factors), metric.key


@pytest.mark.parametrize("resource", [resource for resource, form in FORMS.items() if form.metric])
def test_the_figures_of_a_guard_come_in_its_unit(resource):
    form = FORMS[resource]
    printed = form.unit.replace("MB", "MBy").replace("kB", "kBy")
    assert any(factor_between(unit, printed) is not None for unit in _units(form.metric))


@every_template
def test_every_fact_that_is_laid_out_is_used(name):
    template = TEMPLATES[name]
    used = {id_ for cause in template.causes for id_ in cause.facts}
    used |= {id_ for action in template.actions for id_ in action.facts}
    used |= {impact.fact for action in template.actions for impact in action.impacts}
    assert {fact.id for fact in template.facts} == used - {""}


@every_template
def test_a_template_speaks_both_languages(name):
    english, korean = (started(TEMPLATES[name], language)[0] for language in ("en", "ko"))
    quoted = re.compile("“.*?”")
    for said, printed in zip(english, korean, strict=True):
        assert type(said) is type(printed)
        for field in ("title", "text", "name", "definition", "hypothesis", "note", "caveat", "notes"):
            left, right = getattr(said, field, ""), getattr(printed, field, "")
            assert not HANGUL.search(quoted.sub("", left)), (field, left)
            assert bool(left) == bool(right), (field, left, right)
            plain = quoted.sub("", right)
            assert HANGUL.search(plain) or not re.search(r"[a-z]{3,} [a-z]{3,} [a-z]{3,}", plain), (field, right)
        if isinstance(said, Action) and isinstance(printed, Action):
            assert all(HANGUL.search(risk.text) for risk in printed.risks)
            assert [impact.expected for impact in said.impacts] == [impact.expected for impact in printed.impacts]


@every_template
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_template_starts_an_iteration_whose_gates_are_those_of_the_customer(name, language):
    """What only the customer's machine and people can say is open; everything else of the method is there."""
    book, edit = started(TEMPLATES[name], language)
    template = TEMPLATES[name]
    (iteration,) = book.iterations
    assert (iteration.template, iteration.title, iteration.opened_on) == (
        template.id,
        template.name[language],
        "2026-11-21",
    )
    assert [step.number for step in book.all(Step)] == list(StepNumber)
    actions = book.all(Action)
    targets = book.all(Target)
    expected = Counter({"target_without_baseline": len(targets), "target_without_value": len(targets)})
    expected["worksheet_unapproved"] = len(actions)
    expected["worksheet_no_new_value"] = sum(not change.new for action in actions for change in action.changes)
    assert Counter(gate.key for gate in gates(book, iteration)) == +expected
    assert book_after(book, edit.inverse) == CycleBook()


@every_template
def test_what_a_template_lays_out_hangs_together(name):
    book, _ = started(TEMPLATES[name], "en")
    assert all(id_ in book.records for record in book for id_ in references(record))
    assert len(book.all(Cause)) == len(TEMPLATES[name].causes) >= 2
    answered = {cause for action in book.all(Action) for cause in action.cause_ids}
    assert len(book.all(Action)) >= 2 and answered <= {cause.id for cause in book.all(Cause)}
    assert len(book.all(Question)) >= 1
    assert sum(target.priority == 1 for target in book.all(Target)) == 1
    assert all(target.baseline is None and target.value is None for target in book.all(Target))


@every_template
def test_a_templates_worksheet_is_honest(name):
    """Nothing is approved or executed, every document is named, and every price is watched."""
    book, _ = started(TEMPLATES[name], "en")
    for action in book.all(Action):
        assert action.state is ActionState.DRAFT and action.consents == ()
        assert {gate.key for gate in may_execute(book, action)} <= {"worksheet_unapproved", "worksheet_no_new_value"}
        assert {gate.key for gate in advice(action)} <= {"rollback_untested", "no_relief", "coupled"}
        assert action.prices or action.no_price_reason
        for impact in action.impacts:
            assert impact.basis in (Basis.ESTIMATE, Basis.FOUNDING)
            assert impact.basis is Basis.ESTIMATE or impact.source
        guards = [metric for metric in book.all(Metric) if metric.guards == action.id]
        assert {metric.resource for metric in guards} == {impact.resource.value for impact in action.prices}


def test_coupled_parameters_stand_in_one_row():
    for name, pair in (("ufs_read_ahead", {"maxcontig", "maxphys"}), ("dnlc_inode", {"ncsize", "ufs_ninode"})):
        action = next(iter(TEMPLATES[name].actions))
        assert {change.parameter["en"] for change in action.changes} == pair


def test_quotation_caveat_and_contradiction_are_shown():
    book, _ = started(TEMPLATES["ufs_read_ahead"], "en")
    action = next(iter(book.all(Action)))
    assert "SF-071 (000 4.3): “이옵션은 SATA 와 SAS 디스크의경우에는해당되지않는다.”" in action.caveat
    assert "Contradiction in the documents: Section 4.5 recommends maxphys" in action.caveat
    assert "not to be run unchecked" in action.caveat and "tunefs -a 128" in action.caveat
    gain = next(impact for impact in action.impacts if impact.resource is Resource.DISK_THROUGHPUT)
    assert gain.source == "SF-077 (000 4.4)" and "3 배이상의" in gain.note and "Caveat: One run each" in gain.note
    book, _ = started(TEMPLATES["sql_index"], "ko")
    (cause, *_) = book.all(Cause)
    assert "44.593배를 44.5배로 적었고" in cause.text and "문서의 모순:" in cause.text


def test_data_files_are_all_named_in_the_manifest():
    folder: Path = builtin_plugins_folder() / "founding_method"
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*.toml")} - {"plugin.toml"}
    manifest = (folder / "plugin.toml").read_text(encoding="utf-8")
    assert {file for file in files if f'"{file}"' not in manifest} == set()
