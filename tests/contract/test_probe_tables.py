"""``[[probes]]`` of a manifest: read as it stands, every fault named with its place."""

from __future__ import annotations

import pytest

from tunebench.core.messages import LANGUAGES
from tunebench.domain.capturing.plan import CommandKind, Rights
from tunebench.sdk.manifest import examine_manifest
from tunebench.sdk.probes import ParameterKind, ProbeParameter, place_holders

PROBE = r"""
id = "test.probes"
name = "Test"
version = "1"
api = ["1"]
[[probes]]
id = "test.usage"
name = { en = "Usage", ko = "사용량" }
purpose = { en = "Shows usage.", ko = "사용량을 확인합니다." }
os = ["linux", "aix"]
kind = "loop"
command = "du -k {path} {level} | awk '{{ print $1 }}'"
tool = "du"
version = "du --version"
parser = "test.reader"
environment = { LC_ALL = "C" }
rights = "user"
cpu_pct = 0.5
bytes_per_s = 100
cost_source = "measured"
shortest_interval_s = 5
default_interval_s = 60
default = true
[[probes.parameters]]
name = "path"
kind = "path"
label = { en = "Path", ko = "경로" }
required = true
many = true
[[probes.parameters]]
name = "level"
kind = "number"
label = { en = "Level", ko = "단계" }
default = "3"
"""
STREAM = PROBE.replace('kind = "loop"', 'kind = "stream"').replace("du -k {path}", "vmstat {interval} {count} {path}")
ONCE = PROBE.replace('kind = "loop"', 'kind = "once"\nsection = "disk"')
PULL = (
    PROBE.replace('kind = "loop"', 'kind = "pull"')
    .replace("du -k {path} {level} | awk '{{ print $1 }}'", "/var/log/sa/sa{day}")
    .replace('name = "path"\nkind = "path"', 'name = "days"\nkind = "days"')
    .partition('[[probes.parameters]]\nname = "level"')[0]
)


def examine(tmp_path, text: str):
    (tmp_path / "plugin.toml").write_text(text, encoding="utf-8")
    return examine_manifest(tmp_path)


def test_every_word_of_a_probe_is_read(tmp_path):
    manifest, problems = examine(tmp_path, PROBE)
    assert manifest is not None and problems == ()
    (probe,) = manifest.probes
    assert (probe.id, probe.os, probe.kind, probe.rights) == (
        "test.usage",
        ("linux", "aix"),
        CommandKind.LOOP,
        Rights.USER,
    )
    assert (probe.name_in("ko"), probe.purpose["en"]) == ("사용량", "Shows usage.")
    assert probe.command == "du -k {path} {level} | awk '{{ print $1 }}'"
    assert (probe.tool, probe.version, probe.parser) == ("du", "du --version", "test.reader")
    assert probe.environment == {"LC_ALL": "C"}
    assert (probe.cpu_pct, probe.bytes_per_s, probe.cost_source) == (0.5, 100.0, "measured")
    assert (probe.shortest_interval_s, probe.default_interval_s, probe.default) == (5.0, 60.0, True)
    path, level = probe.parameters
    assert (path.name, path.kind, path.default) == ("path", ParameterKind.PATH, "")
    assert path.required and path.many
    assert (level.kind, level.default, level.label["ko"]) == (ParameterKind.NUMBER, "3", "단계")
    assert probe.parameter("level") is level and probe.parameter("other") is None


@pytest.mark.parametrize("text", [STREAM, ONCE, PULL], ids=["stream", "once", "pull"])
def test_the_other_kinds_are_read_too(tmp_path, text):
    manifest, problems = examine(tmp_path, text)
    assert [problem.text("en") for problem in problems] == []
    assert manifest is not None and len(manifest.probes) == 1


def test_what_is_not_said_has_a_harmless_meaning(tmp_path):
    short = PROBE.partition("tool = ")[0].replace("{path} {level}", "/")
    manifest, problems = examine(tmp_path, short)
    assert manifest is not None and problems == ()
    (probe,) = manifest.probes
    assert (probe.rights, probe.default, probe.cpu_pct, probe.bytes_per_s) == (Rights.USER, False, None, None)
    assert (probe.shortest_interval_s, probe.default_interval_s, probe.parameters) == (1.0, 0.0, ())


def test_a_probe_may_need_a_licence(tmp_path):
    manifest, problems = examine(tmp_path, PROBE.replace("default = true", 'licence = "oracle.diagnostics_pack"'))
    assert not problems
    assert manifest is not None and manifest.probes[0].licence == "oracle.diagnostics_pack"
    assert examine(tmp_path, PROBE)[0].probes[0].licence == ""


FAULTS = [
    (PROBE, 'id = "test.usage"', 'id = "Test Usage"', "id_form", "probes[1].id"),
    (PROBE, 'id = "test.usage"', "", "key_missing", "probes[1].id"),
    (PROBE, ', ko = "사용량을 확인합니다." }', " }", "key_missing", "probes[1].purpose.ko"),
    (PROBE, 'os = ["linux", "aix"]', 'os = ["plan9"]', "not_one_of", "probes[1].os"),
    (PROBE, 'kind = "loop"', 'kind = "house"', "not_one_of", "probes[1].kind"),
    (PROBE, 'kind = "loop"', "", "key_missing", "probes[1].kind"),
    (PROBE, 'rights = "user"', 'rights = "root"', "not_one_of", "probes[1].rights"),
    (PROBE, "cpu_pct = 0.5", "cpu_pct = -1", "negative", "probes[1].cpu_pct"),
    (PROBE, "cpu_pct = 0.5", "cpu_pct = nan", "negative", "probes[1].cpu_pct"),
    (PROBE, "cpu_pct = 0.5", 'cpu_pct = "0.5"', "not_number", "probes[1].cpu_pct"),
    (PROBE, 'cost_source = "measured"', "", "not_one_of", "probes[1].cost_source"),
    (PROBE, "cpu_pct = 0.5\nbytes_per_s = 100\n", "", "cost_missing", "probes[1].cost_source"),
    (PROBE, "shortest_interval_s = 5", "shortest_interval_s = 0", "negative", "probes[1].shortest_interval_s"),
    (PROBE, "default_interval_s = 60", "default_interval_s = 2", "interval_short", "probes[1].default_interval_s"),
    (PROBE, "default = true", 'default = "yes"', "not_flag", "probes[1].default"),
    (PROBE, "default = true", 'section = "disk"', "section_unfit", "probes[1].section"),
    (PROBE, "default = true", 'licence = "Diagnostics Pack"', "id_form", "probes[1].licence"),
    (PROBE, "du -k {path}", "du -k {path} {other}", "place_holder_unknown", "probes[1].command"),
    (PROBE, "du -k {path} {level}", "du -k {path}", "parameter_unused", "probes[1].parameters"),
    (PROBE, "du -k {path}", "du -k '{path}'", "place_holder_quoted", "probes[1].command"),
    (PROBE, "'{{ print $1 }}'", "'{{ print $1 }}", "quotes_open", "probes[1].command"),
    (PROBE, "'{{ print $1 }}'", "'{ print $1 }'", "template", "probes[1].command"),
    (PROBE, "{level}", "{level!r}", "template", "probes[1].command"),
    (PROBE, "{level}", "{level:>5}", "template", "probes[1].command"),
    (PROBE, "{level}", "{level.real}", "template", "probes[1].command"),
    (PROBE, "{level}", "{}", "template", "probes[1].command"),
    (PROBE, "du -k {path}", "du -k {path}\\nrm -rf /", "line_unsafe", "probes[1].command"),
    (PROBE, '{ LC_ALL = "C" }', '{ "LC ALL" = "C" }', "variable_form", "probes[1].environment.LC ALL"),
    (PROBE, '{ LC_ALL = "C" }', '{ LC_ALL = "C\\nrm" }', "line_unsafe", "probes[1].environment.LC_ALL"),
    (PROBE, 'name = "level"', 'name = "interval"', "parameter_name", "probes[1].parameters[2].name"),
    (PROBE, 'name = "level"', 'name = "path"', "id_twice", "probes[1].parameters[2].name"),
    (PROBE, 'kind = "number"', 'kind = "text"', "not_one_of", "probes[1].parameters[2].kind"),
    (PROBE, 'default = "3"', 'default = "three"', "parameter_default", "probes[1].parameters[2].default"),
    (PROBE, 'kind = "number"\n', 'kind = "command"\n', "command_default", "probes[1].parameters[2].default"),
    (PROBE, 'default = "3"', "many = true", "many_twice", "probes[1].parameters"),
    (PROBE, 'label = { en = "Level", ko = "단계" }', "", "key_missing", "probes[1].parameters[2].label"),
    (STREAM, " {count}", "", "stream_unbounded", "probes[1].command"),
    (STREAM, "{interval} ", "5 ", "stream_unbounded", "probes[1].command"),
    (ONCE, "{level}", "{level} {count}", "place_holder_unfit", "probes[1].command"),
    (ONCE, 'section = "disk"', 'section = "My Disk"', "section_unfit", "probes[1].section"),
    (PULL, "/var/log", "var/log", "pull_no_path", "probes[1].command"),
    (PULL, "{day}", "", "parameter_unused", "probes[1].parameters"),
    (PULL, 'kind = "days"', 'kind = "number"', "place_holder_unknown", "probes[1].command"),
]


@pytest.mark.parametrize(("text", "old", "new", "key", "where"), FAULTS)
def test_a_fault_is_named_with_its_place(tmp_path, text, old, new, key, where):
    assert old in text
    manifest, problems = examine(tmp_path, text.replace(old, new, 1))
    assert manifest is None
    assert (key, where) in {(problem.key, problem.facts.get("where")) for problem in problems}
    for problem in problems:
        for language in LANGUAGES:
            assert "⟨" not in problem.text(language) and "plughost." not in problem.text(language)


def test_two_probes_of_one_id_are_a_fault(tmp_path):
    _, _, tables = PROBE.partition("[[probes]]")
    manifest, problems = examine(tmp_path, PROBE + "[[probes]]" + tables)
    assert manifest is None
    assert [(problem.key, problem.facts["where"]) for problem in problems] == [("id_twice", "probes[2].id")]


def test_a_misspelt_key_is_a_warning(tmp_path):
    manifest, problems = examine(tmp_path, PROBE.replace("rights =", "right =", 1))
    assert manifest is not None
    assert [(problem.level, problem.key) for problem in problems] == [("warning", "key_unknown")]


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("vmstat {interval} {count}", ("interval", "count")),
        ("awk '{{ print }}' {path}", ("path",)),
        ("true", ()),
        ("{a} {a}", ("a", "a")),
    ],
)
def test_place_holders_of_a_template(command, names):
    assert place_holders(command) == names


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (ParameterKind.PATH, ["/", "/a b/한글", "/a'b"], ["", "a/b", "/a\nb", "/a\x1bb", "/a\u2028b"]),
        (ParameterKind.NAME, ["sda", "c0t0d0s0", "a.b-c_d:e/f", "1"], ["", "-rf", "a b", "a;b", "$x", "a'b"]),
        (ParameterKind.NUMBER, ["0", "12"], ["", "-1", "1.5", "1e3", "１"]),
        (ParameterKind.DAYS, ["1", "31", "366"], ["", "0", "-1", "1000"]),
        (ParameterKind.COMMAND, ["nm /dev/ksyms", "cp a b; rm b"], ["", "  ", "a\nb", "a\0b"]),
    ],
)
def test_a_parameter_accepts_its_kind_only(kind, good, bad):
    parameter = ProbeParameter("value", kind, {"en": "Value", "ko": "값"})
    assert [value for value in good if not parameter.accepts(value)] == []
    assert [value for value in bad if parameter.accepts(value)] == []
