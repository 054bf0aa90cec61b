"""`plugin new KIND NAME` writes a start that works at once, for parsers, probes, methods and rules."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tunebench.core.errors import UserError
from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.diagnosis.cycle.templates import start_from
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.worksheet import Action
from tunebench.plughost.catalogue import MetricCatalogue
from tunebench.plughost.host import PluginHost
from tunebench.plughost.listing import Origin, PluginState
from tunebench.plughost.plugin_folders import SearchFolder, standard_folders
from tunebench.plughost.scaffold import (
    create_method_plugin,
    create_parser_plugin,
    create_probe_plugin,
    create_rules_plugin,
)
from tunebench.sdk.testkit import check_plugin, read_capture


def test_a_new_plugin_passes_every_check_at_once(tmp_path):
    folder = create_parser_plugin(tmp_path, "queue_stat")
    assert folder == tmp_path / "queue_stat"
    findings = check_plugin(folder)
    assert [finding.text("en") for finding in findings if finding.level != "info"] == []


def test_it_reads_its_own_sample(tmp_path):
    folder = create_parser_plugin(tmp_path, "queue_stat")
    outcome = read_capture(folder, folder / "fixtures" / "sample.txt")
    assert outcome.values("queue") == [3, 5, 2, 9]
    assert outcome.values("wait_ms") == [12.5, 14.0, 8.25, 31.75]
    # 2026-11-21 16:10:13 in Seoul is 07:10:13 UTC
    assert outcome.ledger.first_ns == 1_795_245_013 * 10**9
    assert outcome.ledger.lines.data == 4


@pytest.mark.parametrize(
    ("create", "passed"),
    [
        (create_parser_plugin, "2 passed"),
        (create_probe_plugin, "1 passed"),
        (create_method_plugin, "1 passed"),
        (create_rules_plugin, "1 passed"),
    ],
)
def test_its_own_tests_pass(tmp_path, project_root, create, passed):
    folder = create(tmp_path, "queue_stat")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(project_root / "app")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert passed in done.stdout, done.stdout + done.stderr


def test_the_host_uses_it_and_its_metrics(tmp_path):
    folder = create_parser_plugin(tmp_path, "queue_stat")
    host = PluginHost([SearchFolder(tmp_path, Origin.USER)])
    assert [listing.state for listing in host.listings()] == [PluginState.OK]
    head = (folder / "fixtures" / "sample.txt").read_bytes()
    assert [one.entry.id for one in host.recognise(head, "sample.txt")] == ["local.queue_stat"]
    metrics = MetricCatalogue.load(manifests=host.manifests())
    assert metrics.problems == []
    traits = metrics.describe("queue_stat", "", "queue_stat", "wait_ms", {})
    assert (traits.metric, traits.to_base, traits.base_unit) == ("queue_stat.wait_time", 0.001, "s")
    assert set(host.messages("ko")) == {"ledger.skipped.queue_stat_no_row"}


def test_a_new_probe_passes_every_check_and_the_host_offers_it(tmp_path):
    folder = create_probe_plugin(tmp_path, "space")
    assert [finding.text("en") for finding in check_plugin(folder) if finding.level != "info"] == []
    host = PluginHost([*standard_folders()[:1], SearchFolder(tmp_path, Origin.USER)])
    probe = next(probe for probe in host.probes() if probe.id == "local.space")
    assert host.parser(probe.parser) is not None
    assert [problem for listing in host.listings() for problem in listing.problems] == []


def test_a_new_method_passes_every_check_and_starts_an_iteration(tmp_path):
    folder = create_method_plugin(tmp_path, "house")
    assert [finding.text("en") for finding in check_plugin(folder) if finding.level != "info"] == []
    host = PluginHost([*standard_folders()[:1], SearchFolder(tmp_path, Origin.USER)])
    assert [problem for listing in host.listings() for problem in listing.problems] == []
    assert "local.house.write_cache" in {effect.id for effect in host.effects()}
    template = next(template for template in host.templates() if template.id == "local.house")
    for language in LANGUAGES:
        edit = start_from(template, language, CycleBook())
        assert any(isinstance(change.after, Action) for change in edit.changes)


@pytest.mark.parametrize("create", [create_parser_plugin, create_probe_plugin, create_method_plugin])
def test_the_readme_speaks_both_languages(tmp_path, create):
    text = (create(tmp_path, "queue_stat") / "README.md").read_text(encoding="utf-8")
    assert "plugin check" in text and "플러그인" in text and "$" not in text


@pytest.mark.parametrize("name", ["", "Upper", "1st", "a-b", "../x", "a b", "a" * 41, "가"])
def test_a_name_that_cannot_be_is_refused(tmp_path, name):
    with pytest.raises(UserError) as caught:
        create_parser_plugin(tmp_path, name)
    assert caught.value.key == "plugin_name"
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(tmp_path):
    (tmp_path / "demo").mkdir()
    with pytest.raises(UserError) as caught:
        create_parser_plugin(tmp_path, "demo")
    for language in LANGUAGES:
        assert str(tmp_path / "demo") in catalogue(language).error(caught.value)


def test_a_place_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UserError) as caught:
        create_parser_plugin(tmp_path / "file", "demo")
    assert caught.value.key == "plugin_unwritable"
