"""`plugin.toml`: read without importing code, every fault named with its place."""

from __future__ import annotations

import pytest

from tunebench.core.errors import UserError
from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.sdk.manifest import examine_manifest, message_keys, read_manifest

GOOD = """
id = "org.example.tool"
name = { en = "Tool", ko = "도구" }
version = "1.2"
api = ["1", "2"]
[[parsers]]
id = "tool.text"
entry = "parser:ToolParser"
tools = ["tool"]
os = []
[messages.en]
"ledger.skipped.tool_noise" = "noise"
[messages.ko]
"ledger.skipped.tool_noise" = "잡음"
[[metrics]]
id = "tool.depth"
kind = "gauge"
unit = "1"
direction = "lower"
name = { en = "Depth", ko = "깊이" }
meaning = { en = "How deep.", ko = "얼마나 깊은지." }
[[maps]]
tools = ["tool"]
source = "tool(1)"
[maps.columns]
"depth" = { metric = "tool.depth", unit = "1" }
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "parser.py").write_text("raise RuntimeError('a manifest is read without importing')", encoding="utf-8")
    return tmp_path


def write(folder, text: str) -> None:
    (folder / "plugin.toml").write_text(text, encoding="utf-8")


def test_a_good_manifest_is_read_without_importing_code(folder):
    write(folder, GOOD)
    manifest = read_manifest(folder)
    assert (manifest.id, manifest.version, manifest.api) == ("org.example.tool", "1.2", ("1",))
    assert (manifest.name_in("ko"), manifest.name_in("en")) == ("도구", "Tool")
    parser = manifest.parsers[0]
    assert (parser.module, parser.class_name, parser.tools, parser.os) == ("parser", "ToolParser", ("tool",), ())
    assert manifest.metrics[0].id == "tool.depth"
    assert manifest.maps[0].native == "depth"
    assert "ledger.skipped.tool_noise" in message_keys(manifest)
    assert examine_manifest(folder)[1] == ()


@pytest.mark.parametrize(
    ("old", "new", "key", "where"),
    [
        ('id = "org.example.tool"', "", "key_missing", "id"),
        ('id = "org.example.tool"', 'id = "Org Example"', "id_form", "id"),
        ('version = "1.2"', "version = 1.2", "not_text", "version"),
        ('api = ["1", "2"]', 'api = ["7"]', "api_unsupported", "api"),
        ('api = ["1", "2"]', "", "key_missing", "api"),
        ('name = { en = "Tool", ko = "도구" }', 'name = { en = "Tool" }', "key_missing", "name.ko"),
        ('entry = "parser:ToolParser"', 'entry = "parser.ToolParser"', "entry_form", "parsers[1].entry"),
        ('entry = "parser:ToolParser"', 'entry = "../evil:Parser"', "entry_form", "parsers[1].entry"),
        ('entry = "parser:ToolParser"', 'entry = "other:ToolParser"', "module_missing", "parsers[1].entry"),
        ('tools = ["tool"]\nos', 'tools = "tool"\nos', "not_texts", "parsers[1].tools"),
        (
            '"ledger.skipped.tool_noise" = "noise"',
            '"error.disk_full" = "x"',
            "message_foreign",
            "messages.en.error.disk_full",
        ),
        ('unit = "1"\ndirection', 'unit = "furlong"\ndirection', "unit_unknown", "metrics[1].unit"),
        ('direction = "lower"', 'direction = "left"', "not_one_of", "metrics[1].direction"),
        ("[[parsers]]", "[parsers]", "not_tables", "parsers"),
    ],
)
def test_a_fault_is_named_with_its_place(folder, old, new, key, where):
    assert old in GOOD
    write(folder, GOOD.replace(old, new, 1))
    manifest, problems = examine_manifest(folder)
    assert manifest is None
    assert (key, where) in {(problem.key, problem.facts.get("where")) for problem in problems}
    for problem in problems:
        for language in LANGUAGES:
            assert "⟨" not in problem.text(language) and "{" not in problem.text(language)
    with pytest.raises(UserError) as caught:
        read_manifest(folder)
    assert str(folder) in catalogue("ko").error(caught.value)


def test_a_misspelt_key_is_a_warning_and_an_untranslated_sentence_too(folder):
    write(folder, "licence = 'MIT'\n" + GOOD.replace('"ledger.skipped.tool_noise" = "잡음"', "", 1))
    manifest, problems = examine_manifest(folder)
    assert manifest is not None
    assert {(problem.level, problem.key) for problem in problems} == {
        ("warning", "key_unknown"),
        ("warning", "message_untranslated"),
    }


@pytest.mark.parametrize(
    ("content", "key", "told"),
    [
        (None, "manifest_missing", "plugin.toml"),
        (b"id = \n", "manifest_no_toml", "line 1"),
        (b"\xff\xfe\x00", "manifest_unreadable", "plugin.toml"),
    ],
)
def test_a_file_that_is_no_manifest(folder, content, key, told):
    if content is not None:
        (folder / "plugin.toml").write_bytes(content)
    manifest, problems = examine_manifest(folder)
    assert manifest is None
    assert [problem.key for problem in problems] == [key]
    assert told in problems[0].text("en")


def test_one_name_serves_both_languages(folder):
    write(folder, GOOD.replace('name = { en = "Tool", ko = "도구" }', 'name = "Tool"', 1))
    assert read_manifest(folder).name_in("ko") == "Tool"
