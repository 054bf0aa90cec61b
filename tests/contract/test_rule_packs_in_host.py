"""Rule packs as contributions of plug-ins: found, quarantined one by one, listed, checked and started from a template."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tunebench.analysis.expressions.figures import Figures
from tunebench.core.messages import LANGUAGES
from tunebench.diagnosis.rules.evaluation import evaluate
from tunebench.diagnosis.rules.guards import Subject
from tunebench.domain.finding import Severity
from tunebench.plughost.host import OWN_RULES, PluginHost
from tunebench.plughost.listing import Origin, PluginState
from tunebench.plughost.plugin_folders import SearchFolder
from tunebench.plughost.scaffold import create_rules_plugin
from tunebench.plughost.trust import TrustList
from tunebench.sdk.testkit import check_plugin

MANIFEST = 'id = "test.house"\nname = "House"\nversion = "1"\napi = ["1"]\n'
PACK = """\
id: {pack}
title: t
rules:
- id: {rule}
  metrics: [util_pct]
  expr: util_pct > {mark}
  resource: disk
  domain: system
  title: t
  condition: c
  source: s
  confidence: low
"""


def pack(name: str, rule: str = "", mark: str = "90") -> str:
    return PACK.format(pack=name, rule=rule or f"{name.upper()}-1", mark=mark)


@pytest.fixture
def folder(tmp_path) -> Path:
    """A plug-in of three packs, the second of which calls something."""
    folder = tmp_path / "plugins" / "house"
    (folder / "more").mkdir(parents=True)
    names = {"one.yaml": pack("one"), "two.yaml": pack("two", mark="open(x)"), "more/three.yml": pack("three")}
    for name, text in names.items():
        (folder / name).write_text(text, encoding="utf-8")
    files = "".join(f'[[rules]]\nfile = "{name}"\n' for name in names)
    (folder / "plugin.toml").write_text(MANIFEST + files, encoding="utf-8")
    return folder


def host_of(folder: Path, origin: Origin = Origin.USER, **also: Path) -> PluginHost:
    return PluginHost([SearchFolder(folder.parent, origin)], TrustList(folder.parent / "trust.json"), also.get("rules"))


def test_one_pack_with_a_fault_costs_that_pack_alone(folder):
    host = host_of(folder)
    assert [each.id for each in host.rule_packs()] == ["one", "three"]
    assert [rule.id for rule in host.rules()] == ["ONE-1", "THREE-1"]
    (listing,) = host.listings()
    assert listing.state is PluginState.QUARANTINED
    assert listing.contributions == ("one.yaml", "two.yaml", "more/three.yml")
    (problem,) = listing.problems
    assert (problem.level, problem.key) == ("quarantine", "expression_function")
    assert host.rule_problems() == (problem,)
    for language in LANGUAGES:
        assert problem.text(language).startswith("two.yaml:6 expr") and '"open"' in problem.text(language)


def test_it_serves_again_when_it_is_mended(folder):
    host = host_of(folder)
    assert len(host.rules()) == 2
    (folder / "two.yaml").write_text(pack("two"), encoding="utf-8")
    host.search_again()
    assert [rule.id for rule in host.rules()] == ["ONE-1", "TWO-1", "THREE-1"]
    assert [listing.state for listing in host.listings()] == [PluginState.OK]


def test_a_file_that_is_not_there_costs_that_file_alone(folder):
    (folder / "one.yaml").unlink()
    host = host_of(folder)
    assert [each.id for each in host.rule_packs()] == ["three"]
    assert {problem.key for problem in host.listings()[0].problems} == {"pack_unreadable", "expression_function"}


@pytest.mark.parametrize("name", ["../x.yaml", "/etc/x.yaml", "x.toml", "a b.yaml", ""])
def test_a_file_outside_of_the_folder_is_refused(folder, name):
    (folder / "plugin.toml").write_text(f'{MANIFEST}[[rules]]\nfile = "{name}"\n', encoding="utf-8")
    host = host_of(folder)
    assert [listing.state for listing in host.listings()] == [PluginState.REFUSED]
    assert host.rules() == ()


def test_the_first_rule_of_an_id_stands(folder):
    (folder / "two.yaml").write_text(pack("two", "ONE-1", "5"), encoding="utf-8")
    host = host_of(folder)
    assert [(rule.id, rule.pack) for rule in host.rules()] == [("ONE-1", "one"), ("THREE-1", "three")]
    assert str(host.rules()[0].expression) == "Expression('util_pct > 90')"
    assert [(each.level, each.key) for each in host.listings()[0].problems] == [("warning", "rule_twice")]


def test_rules_need_no_trust_and_code_does(folder):
    (folder / "two.yaml").unlink()
    (folder / "plugin.toml").write_text(f'{MANIFEST}[[rules]]\nfile = "one.yaml"\n', encoding="utf-8")
    host = host_of(folder, Origin.ENGAGEMENT)
    assert [listing.state for listing in host.listings()] == [PluginState.OK]
    assert [rule.id for rule in host.rules()] == ["ONE-1"]
    (folder / "p.py").write_text("raise SystemExit\n", encoding="utf-8")
    parser = '[[parsers]]\nid = "local.code"\nentry = "p:P"\ntools = ["x"]\n'
    (folder / "plugin.toml").write_text(f'{MANIFEST}[[rules]]\nfile = "one.yaml"\n{parser}', encoding="utf-8")
    host.search_again()
    assert [listing.state for listing in host.listings()] == [PluginState.UNTRUSTED]
    assert host.parsers() == []
    assert [rule.id for rule in host.rules()] == ["ONE-1"]


def test_files_of_the_users_own(folder, tmp_path):
    own = tmp_path / "rules"
    assert [listing.id for listing in host_of(folder, rules=own).listings()] == ["test.house"]
    own.mkdir()
    (own / "mine.yaml").write_text(pack("mine"), encoding="utf-8")
    (own / "notes.txt").write_text("no rules", encoding="utf-8")
    host = host_of(folder, rules=own)
    assert [rule.id for rule in host.rules()] == ["ONE-1", "THREE-1", "MINE-1"]
    listing = host.listings()[-1]
    assert (listing.id, listing.state, listing.contributions) == (OWN_RULES, PluginState.OK, ("mine.yaml",))
    assert set(listing.name) == set(LANGUAGES)
    (own / "bad.yaml").write_text("rules: [", encoding="utf-8")
    host.search_again()
    listing = host.listings()[-1]
    assert listing.state is PluginState.QUARANTINED
    assert [rule.id for rule in host.rules()] == ["ONE-1", "THREE-1", "MINE-1"]


def test_the_check_names_every_fault_and_fails(folder):
    findings = check_plugin(folder)
    (error,) = [finding for finding in findings if finding.level == "error"]
    assert "two.yaml:6" in error.text("en") and "two.yaml:6" in error.text("ko")


def test_a_new_pack_passes_every_check_and_judges(tmp_path):
    folder = create_rules_plugin(tmp_path, "house")
    assert [finding.text("en") for finding in check_plugin(folder) if finding.level != "info"] == []
    latency, _ = PluginHost([SearchFolder(tmp_path, Origin.USER)]).rules()
    answer = evaluate(latency, Figures({"await_ms": 41.0, "r_s": 10.0, "w_s": 0.0}), Subject("linux"))
    assert answer.severity is Severity.CRITICAL
    text = (folder / "README.md").read_text(encoding="utf-8")
    assert "plugin check" in text and "규칙" in text and "$" not in text


def test_nobody_reads_rules_who_does_not_diagnose(project_root):
    """PyYAML and the packs cost nothing at the start."""
    code = (
        "import sys; from tunebench.plughost.host import PluginHost; host = PluginHost(); host.probes(); "
        "assert 'yaml' not in sys.modules; assert len(host.rules()) > 80; assert 'yaml' in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=project_root, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
