"""`[[tables]]` of a manifest: each mistake one problem with its place; used without any code and without trust."""

from __future__ import annotations

import re
import shutil

import pytest

from tests.conftest import ROOT
from tunebench.core.messages import LANGUAGES
from tunebench.core.paths import builtin_plugins_folder
from tunebench.plughost.catalogue import MetricCatalogue
from tunebench.plughost.host import PluginHost
from tunebench.plughost.listing import Origin, PluginState
from tunebench.plughost.plugin_folders import SearchFolder
from tunebench.plughost.trust import TrustList
from tunebench.sdk.manifest import examine_manifest, read_manifest
from tunebench.sdk.testkit import check_plugin, read_capture

GOOD = """
id = "local.queues"
name = { en = "Queues", ko = "큐" }
version = "0.1.0"
api = ["1"]
[[tables]]
id = "local.queues"
tool = "queues"
os = ["linux"]
name = { en = "Queues", ko = "큐" }
files = ["queue*.log"]
separator = "blanks"
decimal = "."
skip = ["#"]
host_line = "Host: {host}"
[tables.time]
rule = "columns"
columns = ["time"]
format = "%H:%M:%S"
date_line = "Report of {date}"
[[tables.sections]]
table = "queue"
heading = ["time", "queue", "depth"]
key = { device = "queue" }
[tables.sections.columns]
"depth" = { unit = "{request}", direction = "lower" }
"wait" = { unit = "ms", metric = "system.disk.response_time" }
"state" = { ignored = { en = "a word", ko = "단어" } }
"""
SAMPLE = "Report of 2026-11-21\ntime queue depth wait state\n16:10:13 in 3 1.5 ok\n16:10:18 in 4 2.5 ok\n"
NAMES = 'names = ["time", "queue", "depth"]'


@pytest.fixture
def folder(tmp_path):
    """A plug-in without a line of code."""
    made = tmp_path / "user" / "queues"
    (made / "fixtures").mkdir(parents=True)
    (made / "plugin.toml").write_text(GOOD, encoding="utf-8")
    (made / "fixtures" / "queue1.log").write_text(SAMPLE, encoding="utf-8")
    return made


def test_a_good_definition_passes_every_check(folder):
    assert [one.text("en") for one in check_plugin(folder) if one.level != "info"] == []
    made = read_capture(folder, folder / "fixtures" / "queue1.log")
    assert made.values("depth", device="in") == [3, 4]
    assert made.ledger.first_ns == 1_795_245_013 * 10**9


@pytest.mark.parametrize(
    ("old", "new", "key", "where"),
    [
        ('id = "local.queues"\ntool', 'id = "Local Queues"\ntool', "id_form", "tables[1].id"),
        ('tool = "queues"', "", "key_missing", "tables[1].tool"),
        (
            'name = { en = "Queues", ko = "큐" }\nfiles',
            'name = { en = "Queues" }\nfiles',
            "key_missing",
            "tables[1].name.ko",
        ),
        ('separator = "blanks"', 'separator = "5"', "separator_form", "tables[1].separator"),
        ('separator = "blanks"', 'separator = ""', "separator_form", "tables[1].separator"),
        ('decimal = "."', 'decimal = ";"', "not_one_of", "tables[1].decimal"),
        (
            'separator = "blanks"\ndecimal = "."',
            'separator = "comma"\ndecimal = ","',
            "decimal_separates",
            "tables[1].decimal",
        ),
        ('skip = ["#"]', 'skip = ["{any}"]', "pattern_form", "tables[1].skip"),
        ('skip = ["#"]', 'skip = "#"', "not_texts", "tables[1].skip"),
        ('"Host: {host}"', '"Host: {whoever}"', "pattern_form", "tables[1].host_line"),
        ('"Host: {host}"', '"Host: {word}"', "pattern_place", "tables[1].host_line"),
        ('"Report of {date}"', '"Report"', "pattern_place", "tables[1].time.date_line"),
        ('rule = "columns"', 'rule = "guess"', "not_one_of", "tables[1].time.rule"),
        ('columns = ["time"]', "", "key_missing", "tables[1].time.columns"),
        ('format = "%H:%M:%S"', "", "key_missing", "tables[1].time.format"),
        ('format = "%H:%M:%S"', 'format = "%H:%M:%X"', "stamp_format", "tables[1].time.format"),
        ('rule = "columns"\ncolumns = ["time"]', 'rule = "line"', "key_missing", "tables[1].time.line"),
        (
            'rule = "columns"\ncolumns = ["time"]',
            'rule = "start"\ninterval_s = 0',
            "interval_range",
            "tables[1].time.interval_s",
        ),
        (
            'rule = "columns"\ncolumns = ["time"]',
            'rule = "start"\ninterval_s = "5"',
            "not_number",
            "tables[1].time.interval_s",
        ),
        ("[tables.time]", "[tables.times]", "key_missing", "tables[1].time"),
        ("[[tables.sections]]", "[[tables.parts]]", "not_tables", "tables[1].sections"),
        ('table = "queue"', "", "key_missing", "tables[1].sections[1].table"),
        ('heading = ["time", "queue", "depth"]', "", "names_needed", "tables[1].sections[1].names"),
        ('heading = ["time", "queue", "depth"]', 'heading = "{any}"', "pattern_form", "tables[1].sections[1].heading"),
        ('files = ["queue*.log"]\n', "", "files_needed", "tables[1].files"),
        (
            'key = { device = "queue" }',
            'key = { queue = "queue" }',
            "attribute_unknown",
            "tables[1].sections[1].key.queue",
        ),
        ('key = { device = "queue" }', 'key = { device = "time" }', "column_twice", "tables[1].sections[1].key"),
        ('"wait" =', '"time" =', "column_twice", 'tables[1].sections[1].columns."time"'),
        (
            '"wait" = { unit = "ms"',
            '"wait" = { unit = "furlong"',
            "unit_unknown",
            'tables[1].sections[1].columns."wait".unit',
        ),
        ('"wait" = { unit = "ms", ', '"wait" = { ', "key_missing", 'tables[1].sections[1].columns."wait".unit'),
        ('{ unit = "{request}", ', "{ ", "key_missing", 'tables[1].sections[1].columns."depth".unit'),
        ('direction = "lower"', 'direction = "left"', "not_one_of", 'tables[1].sections[1].columns."depth".direction'),
        (
            '"system.disk.response_time"',
            '"system.disk.response_time", kind = "gauge"',
            "metric_known",
            'tables[1].sections[1].columns."wait".kind',
        ),
        ('"state" = { ', '"state" = { unit = "1", ', "column_ignored", 'tables[1].sections[1].columns."state".unit'),
        (
            '{ ignored = { en = "a word", ko = "단어" } }',
            '"ignored"',
            "not_table",
            'tables[1].sections[1].columns."state"',
        ),
        (
            'heading = ["time", "queue", "depth"]',
            f"{NAMES}\nheading = 'T'",
            "column_missing",
            "tables[1].sections[1].columns",
        ),
    ],
)
def test_a_mistake_is_one_problem_with_its_place(folder, old, new, key, where):
    assert old in GOOD
    text = GOOD.replace(old, new, 1)
    if key == "files_needed":
        text = re.sub(r"heading = .*\n", 'names = ["time", "queue", "depth", "wait", "state"]\n', text)
    (folder / "plugin.toml").write_text(text, encoding="utf-8")
    manifest, problems = examine_manifest(folder)
    assert manifest is None
    errors = [(one.key, one.facts.get("where")) for one in problems if one.level == "error"]
    assert (key, where) in errors
    told = [one for one in problems if (one.key, one.facts.get("where")) == (key, where)]
    for language in LANGUAGES:
        assert "⟨" not in told[0].text(language)
    if key != "column_missing":  # each column that is not named is told
        assert len(errors) == 1


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('skip = ["#"]', 'skips = ["#"]', "key_unknown"),
        ('rule = "columns"', 'rule = "columns"\ninterval_s = 5', "time_key_unfit"),
    ],
)
def test_what_has_no_effect_is_a_warning(folder, old, new, key):
    (folder / "plugin.toml").write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    manifest, problems = examine_manifest(folder)
    assert manifest is not None
    assert [(one.level, one.key) for one in problems] == [("warning", key)]


def test_a_second_headless_table_and_an_id_that_a_parser_has_are_refused(folder):
    (folder / "plugin.toml").write_text(GOOD + '[[tables.sections]]\ntable = "more"\n', encoding="utf-8")
    assert "heading_needed" in {one.key for one in examine_manifest(folder)[1]}
    (folder / "p.py").write_text("class P: pass\n", encoding="utf-8")
    parser = '[[parsers]]\nid = "local.queues"\nentry = "p:P"\ntools = ["queues"]\n'
    (folder / "plugin.toml").write_text(GOOD.replace("[[tables]]", parser + "[[tables]]", 1), encoding="utf-8")
    assert ("id_twice", "tables") in {(one.key, one.facts.get("where")) for one in examine_manifest(folder)[1]}


def test_the_host_uses_it_as_any_parser_with_its_metrics(folder):
    host = PluginHost([SearchFolder(folder.parent, Origin.USER)])
    assert [(one.state, one.contributions) for one in host.listings()] == [(PluginState.OK, ("local.queues",))]
    found = host.recognise(SAMPLE.encode(), "queue1.log")
    assert [one.entry.id for one in found] == ["local.queues"] and found[0].confidence > 0.8
    assert (found[0].entry.version, found[0].entry.tools, found[0].entry.os) == ("0.1.0", ("queues",), ("linux",))
    metrics = MetricCatalogue.load(manifests=host.manifests())
    assert metrics.problems == []
    own = metrics.describe("queues", "linux", "queue", "depth", {"device": "in"})
    assert (own.metric, own.unit, own.direction) == ("local.queues.queue.depth", "{request}", "lower")
    wait = metrics.describe("queues", "linux", "queue", "wait", {"device": "in"})
    assert (wait.metric, wait.to_base) == ("system.disk.response_time", 0.001)
    for language in LANGUAGES:
        assert "depth" in metrics.meaning(own.metric, "depth", language, tool="queues")


def test_tables_need_no_trust_and_the_rest_of_the_plugin_does(folder, tmp_path):
    host = PluginHost([SearchFolder(folder.parent, Origin.ENGAGEMENT)], TrustList(tmp_path / "trust.json"))
    assert [one.state for one in host.listings()] == [PluginState.OK]
    assert host.parser("local.queues") is not None
    (folder / "p.py").write_text("raise SystemExit\n", encoding="utf-8")
    parser = '[[parsers]]\nid = "local.code"\nentry = "p:P"\ntools = ["queues"]\n'
    (folder / "plugin.toml").write_text(GOOD.replace("[[tables]]", parser + "[[tables]]", 1), encoding="utf-8")
    host.search_again()
    assert [one.state for one in host.listings()] == [PluginState.UNTRUSTED]
    assert [entry.id for entry in host.parsers()] == ["local.queues"]
    host.trust(host.listings()[0])
    assert {entry.id for entry in host.parsers()} == {"local.queues", "local.code"}


def test_turbostat_is_read_by_a_shipped_definition(tmp_path):
    """Columns and their meaning: turbostat(8); the values are copied from the capture."""
    folder = tmp_path / "turbostat"
    shutil.copytree(builtin_plugins_folder() / "turbostat", folder)
    assert read_manifest(folder).parsers == ()
    made = read_capture(folder, ROOT / "tests" / "fixtures" / "turbostat" / "turbostat.txt")
    assert made.values("Busy%", cpu="-") == [12.51, 12.56]
    assert made.values("Bzy_MHz", cpu="4") == [3898, 3899]
    assert made.values("PkgWatt", cpu="0") == [14.21, 14.30]
    assert made.values("PkgWatt", cpu="4") == []  # printed for a package's first processor only
    assert made.values("Core", cpu="0") == []
    assert (made.ledger.tool_version, made.ledger.interval_s, made.ledger.needs) == ("17.06.23", 5.0, ("start", "zone"))
    assert made.ledger.lines.data == 10
    metrics = MetricCatalogue.load(manifests=[read_manifest(folder)])
    assert metrics.problems == []
    assert metrics.describe("turbostat", "linux", "cpu", "Bzy_MHz", {}).to_base == 1e6
