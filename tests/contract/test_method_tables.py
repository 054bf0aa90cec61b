"""``[[effects]]`` and ``[[templates]]``: read as they stand, every fault named with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tunebench.core.messages import LANGUAGES
from tunebench.domain.cycle.records import ManualSource, SeriesSource, StatementSource, StepNumber
from tunebench.domain.cycle.worksheet import Basis, ChangeMode, Level, Resource
from tunebench.domain.engagement import Direction
from tunebench.plughost.host import PluginHost
from tunebench.plughost.listing import Origin, PluginState
from tunebench.plughost.plugin_folders import SearchFolder
from tunebench.sdk.manifest import examine_manifest

HEAD = """
id = "test.method"
name = "Test"
version = "1"
api = ["1"]
"""
EFFECT = """
[[effects]]
id = "test.cache"
change = { en = "Cache up", ko = "캐시 증가" }
parameters = ["Cache_Size"]
coupled = ["cache_blocks"]
mode = "reboot"
basis = "literature"
source = "a book"
caveat = { en = "Careful.", ko = "주의." }
[[effects.impacts]]
resource = "memory"
direction = -2
low = 1
expected = 2.5
high = 4
unit = "GB"
note = { en = "Taken.", ko = "차지함." }
[[effects.impacts]]
resource = "disk_latency"
direction = 1
basis = "estimate"
source = "elsewhere"
"""
TEMPLATE = """
[[templates]]
id = "test.template"
name = { en = "Cache", ko = "캐시" }
summary = { en = "About it.", ko = "설명." }
source = "a book"
probes = ["test.probe"]
[[templates.facts]]
id = "F-1"
source = "p. 1"
quote = "said"
caveat = { en = "Old.", ko = "오래됨." }
[[templates.questions]]
step = 3
text = { en = "Why?", ko = "왜?" }
[[templates.metrics]]
key = "reads"
name = { en = "Reads", ko = "읽기" }
series = { tool = "iostat", native = "r/s", metric = "system.disk.operations", attributes = { device = "sd0" } }
statistic = "p95"
unit = "1/s"
direction = "lower"
priority = 1
[[templates.metrics]]
key = "elapsed"
name = { en = "Elapsed", ko = "수행시간" }
statement = { figure = "elapsed_s", per_execution = true }
statistic = "total"
direction = "lower"
decimals = 3
[[templates.metrics]]
key = "felt"
name = { en = "Felt", ko = "체감" }
manual = { en = "ask", ko = "문의" }
statistic = "value"
direction = "neutral"
[[templates.causes]]
key = "small"
domain = "system"
title = { en = "Small", ko = "작음" }
facts = ["F-1"]
[[templates.actions]]
title = { en = "Raise", ko = "증가" }
hypothesis = { en = "More hits.", ko = "적중 증가." }
causes = ["small"]
rollback = { en = "set it back", ko = "되돌림" }
rollback_min = 5
facts = ["F-1"]
known_effect = "test.cache"
[[templates.actions.changes]]
parameter = "cache_size"
new = { en = "twice", ko = "두 배" }
mode = "reboot"
[[templates.actions.impacts]]
resource = "memory"
direction = -1
fact = "F-1"
[[templates.actions.verifications]]
metric = "reads"
margin_pct = 10
[[templates.actions.risks]]
text = { en = "Swap.", ko = "스왑." }
severity = "high"
"""
WHOLE = HEAD + EFFECT + TEMPLATE


def examine(tmp_path: Path, text: str):
    (tmp_path / "plugin.toml").write_text(text, encoding="utf-8")
    return examine_manifest(tmp_path)


def test_every_word_of_an_effect_is_read(tmp_path):
    manifest, problems = examine(tmp_path, WHOLE)
    assert manifest is not None and problems == ()
    (effect,) = manifest.effects
    assert (effect.id, effect.change_in("ko"), effect.mode) == ("test.cache", "캐시 증가", ChangeMode.REBOOT)
    assert (effect.parameters, effect.coupled) == (("cache_size",), ("cache_blocks",))
    assert (effect.source, effect.caveat["en"]) == ("a book", "Careful.")
    memory, latency = effect.impacts
    assert (memory.resource, memory.direction, memory.unit) == (Resource.MEMORY, -2, "GB")
    assert (memory.low, memory.expected, memory.high) == (1.0, 2.5, 4.0)
    assert (memory.basis, memory.source) == (Basis.LITERATURE, "a book")
    assert memory.note is not None and memory.note["ko"] == "차지함."
    assert (latency.basis, latency.source, latency.expected) == (Basis.ESTIMATE, "elsewhere", None)


def test_every_word_of_a_template_is_read(tmp_path):
    manifest, problems = examine(tmp_path, WHOLE)
    assert manifest is not None and problems == ()
    (template,) = manifest.templates
    assert (template.id, template.name_in("ko"), template.probes) == ("test.template", "캐시", ("test.probe",))
    fact = template.fact("F-1")
    assert fact is not None and (fact.quote, fact.source, fact.caveat["en"]) == ("said", "p. 1", "Old.")
    assert template.fact("F-2") is None
    assert (template.questions[0].step, template.questions[0].text["en"]) == (StepNumber.CAUSES, "Why?")
    reads, elapsed, felt = template.metrics
    assert reads.source == SeriesSource("", "iostat", "r/s", "system.disk.operations", (("device", "sd0"),))
    assert elapsed.source == StatementSource("elapsed_s", per_execution=True) and elapsed.decimals == 3
    assert felt.source == ManualSource() and felt.how["ko"] == "문의" and felt.direction is Direction.NEUTRAL
    assert [metric.priority for metric in template.metrics] == [1, None, None]
    (action,) = template.actions
    assert (action.causes, action.verifications, action.rollback_min) == (("small",), (("reads", 10.0),), 5.0)
    assert action.changes[0].parameter == dict.fromkeys(LANGUAGES, "cache_size")
    assert action.changes[0].new["ko"] == "두 배" and action.changes[0].mode is ChangeMode.REBOOT
    assert (action.impacts[0].basis, action.impacts[0].fact) == (Basis.FOUNDING, "F-1")
    assert (action.risks[0].likelihood, action.risks[0].severity) == (Level.MEDIUM, Level.HIGH)


FAULTS = [
    ('id = "test.cache"', 'id = "Cache"', "id_form", "effects[1].id"),
    ('id = "test.cache"', "", "key_missing", "effects[1].id"),
    (', ko = "캐시 증가" }', " }", "key_missing", "effects[1].change.ko"),
    ('mode = "reboot"\nbasis', 'mode = "later"\nbasis', "not_one_of", "effects[1].mode"),
    ('basis = "literature"', 'basis = "hearsay"', "not_one_of", "effects[1].basis"),
    ('resource = "memory"', 'resource = "ram"', "not_one_of", "effects[1].impacts[1].resource"),
    ("direction = -2", "direction = -3", "direction_range", "effects[1].impacts[1].direction"),
    ("direction = -2", "direction = 0.5", "direction_range", "effects[1].impacts[1].direction"),
    ("direction = -2", "direction = nan", "not_number", "effects[1].impacts[1].direction"),
    ("direction = -2", "", "key_missing", "effects[1].impacts[1].direction"),
    ("expected = 2.5", 'expected = "2.5"', "not_number", "effects[1].impacts[1].expected"),
    ('quote = "said"', "", "key_missing", "templates[1].facts[1].quote"),
    (
        'quote = "said"',
        'quote = "said"\n[[templates.facts]]\nid = "F-1"\nsource = "x"\nquote = "y"',
        "id_twice",
        "templates[1].facts[2].id",
    ),
    ("low = 1", "low = inf", "not_number", "effects[1].impacts[1].low"),
    ("decimals = 3", "decimals = nan", "not_number", "templates[1].metrics[2].decimals"),
    ("priority = 1", "priority = 1.5", "not_number", "templates[1].metrics[1].priority"),
    ("margin_pct = 10", "margin_pct = inf", "not_number", "templates[1].actions[1].verifications[1].margin_pct"),
    ("step = 3", "step = 7", "not_one_of", "templates[1].questions[1].step"),
    ("step = 3", "", "not_one_of", "templates[1].questions[1].step"),
    ('statistic = "p95"', 'statistic = "p42"', "not_one_of", "templates[1].metrics[1].statistic"),
    (
        'direction = "lower"\npriority',
        'direction = "down"\npriority',
        "not_one_of",
        "templates[1].metrics[1].direction",
    ),
    ("priority = 1", "priority = 2", "template_priority", "templates[1].metrics"),
    ("decimals = 3", "priority = 1", "template_priority", "templates[1].metrics"),
    ('manual = { en = "ask", ko = "문의" }', "", "metric_source", "templates[1].metrics[3].series"),
    ('figure = "elapsed_s"', 'figure = "speed"', "not_one_of", "templates[1].metrics[2].statement.figure"),
    ('key = "elapsed"', 'key = "reads"', "id_twice", "templates[1].metrics[2].key"),
    ('domain = "system"', 'domain = "weather"', "not_one_of", "templates[1].causes[1].domain"),
    (
        'facts = ["F-1"]\n[[templates.actions]]',
        'facts = ["F-9"]\n[[templates.actions]]',
        "name_unknown",
        "templates[1].causes[1].facts",
    ),
    ('causes = ["small"]', 'causes = ["large"]', "name_unknown", "templates[1].actions[1].causes"),
    ('fact = "F-1"', 'fact = "F-9"', "name_unknown", "templates[1].actions[1].impacts"),
    ('metric = "reads"', 'metric = "writes"', "name_unknown", "templates[1].actions[1].verifications[1].metric"),
    ('parameter = "cache_size"', "", "key_missing", "templates[1].actions[1].changes[1].parameter"),
    ('new = { en = "twice", ko = "두 배" }', "new = 2", "not_table", "templates[1].actions[1].changes[1].new"),
    ('severity = "high"', 'severity = "deadly"', "not_one_of", "templates[1].actions[1].risks[1].severity"),
]


@pytest.mark.parametrize(("old", "new", "key", "where"), FAULTS)
def test_a_fault_is_named_with_its_place(tmp_path, old, new, key, where):
    assert old in WHOLE
    manifest, problems = examine(tmp_path, WHOLE.replace(old, new, 1))
    assert manifest is None
    assert (key, where) in {(problem.key, problem.facts.get("where")) for problem in problems}
    for problem in problems:
        for language in LANGUAGES:
            assert "⟨" not in problem.text(language) and "{" not in problem.text(language).replace("{ en", "")


def test_an_effect_without_impacts_is_none(tmp_path):
    manifest, problems = examine(tmp_path, HEAD + EFFECT.partition("[[effects.impacts]]")[0])
    assert manifest is None
    assert [(problem.key, problem.facts["where"]) for problem in problems] == [("key_missing", "effects[1].impacts")]


def test_a_misspelt_word_is_only_warned_of(tmp_path):
    manifest, problems = examine(tmp_path, WHOLE.replace("margin_pct", "margin"))
    assert manifest is not None
    assert [(problem.level, problem.key) for problem in problems] == [("warning", "key_unknown")]


# --- data files


def test_data_files_are_read_beside_the_manifest(tmp_path):
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "effects.toml").write_text(EFFECT, encoding="utf-8")
    manifest, problems = examine(tmp_path, HEAD + 'data = ["more/effects.toml"]\n' + TEMPLATE)
    assert manifest is not None and problems == ()
    assert [effect.id for effect in manifest.effects] == ["test.cache"] and len(manifest.templates) == 1


@pytest.mark.parametrize(
    ("name", "content", "key"),
    [
        ("../effects.toml", EFFECT, "data_file_name"),
        ("/etc/effects.toml", EFFECT, "data_file_name"),
        ("effects.txt", EFFECT, "data_file_name"),
        ("absent.toml", None, "data_file"),
        ("broken.toml", "[[effects]", "data_file"),
        ("twice.toml", EFFECT, "id_twice"),
    ],
)
def test_a_data_file_that_cannot_be_used_is_told(tmp_path, name, content, key):
    folder = tmp_path / "plugin"
    folder.mkdir()
    if content is not None and not name.startswith("/"):
        (folder / name).write_text(content, encoding="utf-8")
    manifest, problems = examine(folder, HEAD + f'data = ["{name}"]\n' + EFFECT)
    assert manifest is None and key in [problem.key for problem in problems]


def test_a_fault_in_a_data_file_names_the_file(tmp_path):
    (tmp_path / "effects.toml").write_text(EFFECT.replace("direction = 1\n", "direction = 9\n"), encoding="utf-8")
    manifest, problems = examine(tmp_path, HEAD + 'data = ["effects.toml"]\n')
    assert manifest is None
    assert [problem.facts["where"] for problem in problems] == ["effects.toml.effects[1].impacts[2].direction"]


# --- the host


def host_of(tmp_path: Path, *texts: str) -> PluginHost:
    for number, text in enumerate(texts):
        folder = tmp_path / f"plugin{number}"
        folder.mkdir()
        (folder / "plugin.toml").write_text(text.replace("test.method", f"test.method{number}"), encoding="utf-8")
    return PluginHost([SearchFolder(tmp_path, Origin.USER)])


def test_a_consultant_adds_rows_with_a_folder_of_data(tmp_path):
    host = host_of(tmp_path, WHOLE)
    (listing,) = host.listings()
    assert listing.state is PluginState.OK and listing.contributions == ("test.cache", "test.template")
    assert [effect.id for effect in host.effects()] == ["test.cache"]
    assert [template.id for template in host.templates()] == ["test.template"]


def test_the_first_of_an_id_stands(tmp_path):
    host = host_of(tmp_path, WHOLE, WHOLE.replace("Cache up", "Other"))
    assert [effect.change["en"] for effect in host.effects()] == ["Cache up"]
    first, second = host.listings()
    assert [problem.key for problem in second.problems] == ["effect_twice", "template_twice"]
    assert second.state is PluginState.OK
    assert dict(second.problems[0].facts) == {"plugin": "test.method0", "id": "test.cache"}
    assert [problem.key for problem in first.problems] == ["template_probe"]


def test_what_a_template_names_and_nobody_has_is_told(tmp_path):
    host = host_of(tmp_path, HEAD + TEMPLATE)
    (listing,) = host.listings()
    assert [problem.key for problem in listing.problems] == ["template_probe", "template_effect"]
    assert all("⟨" not in problem.text(language) for problem in listing.problems for language in LANGUAGES)
    assert len(host.templates()) == 1
