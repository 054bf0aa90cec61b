"""A stranger's table at the command line, as the guide tells it: made from the file, checked, imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract.test_table_guess import BROKER
from tests.e2e.conftest import Command
from tunebench.core.paths import resources_folder


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The unknown tool's file, with a user's folder of its own."""
    for name in ("XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    path = tmp_path / "brokerq_20261121.log"
    path.write_text(BROKER, encoding="utf-8")
    return path


def test_from_an_unknown_file_to_its_series(sample: Path, project: Path, tunebench: Command) -> None:
    refused = tunebench("import", project, sample, "--json")
    assert refused.json["files"][0]["state"] == "unrecognised"
    made = tunebench("plugin", "new", "brokerq", "--from", sample, "--table", "--json")
    assert made.code == 0, made.err
    folder = Path(made.json["folder"])
    for name in (folder, "brokerq", "local.brokerq"):
        checked = tunebench("plugin", "check", name, "--json")
        assert checked.code == 0 and checked.json["ok"]
    listed = tunebench("plugin", "list", "--json").json
    assert next(one for one in listed if one["id"] == "local.brokerq")["contributions"] == ["local.brokerq"]
    taken = tunebench("import", project, sample, "--run", "day", "--json")
    (file,) = taken.json["files"]
    assert (file["state"], file["tool"], file["host"]) == ("imported", "brokerq", "mqtest01")
    assert file["lines"] == {"total": 9, "data": 4, "header": 3, "blank": 1, "skipped": 1}
    found = tunebench("series", project, "--match", "wait_ms", "--json").json
    assert {(one["attributes"]["device"], one["unit"], one["count"]) for one in found} == {
        ("orders", "ms", 2),
        ("billing", "ms", 2),
    }


def test_a_mistake_is_named_with_its_place(sample: Path, tmp_path: Path, tunebench: Command) -> None:
    folder = tmp_path / "mine" / "brokerq"
    assert tunebench("plugin", "new", folder, "--from", sample, "--table").code == 0
    path = folder / "plugin.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("%H:%M:%S", "%H:%Q"), encoding="utf-8")
    answer = tunebench("plugin", "check", folder, "--lang", "en")
    assert answer.code != 0
    assert "tables[1].time.format" in answer.out and "%Q" in answer.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("brokerq", "--table"), "--from"),
        (("probe", "brokerq", "--from", "SAMPLE"), "probe"),
        (("brokerq", "--from", "missing.log", "--table"), "missing.log"),
        (("Bad", "--from", "SAMPLE", "--table"), "Bad"),
    ],
)
def test_what_cannot_be_made_is_said(sample: Path, words: tuple[str, ...], told: str, tunebench: Command) -> None:
    filled = [sample if word == "SAMPLE" else word for word in words]
    answer = tunebench("plugin", "new", *filled, "--lang", "en")
    assert answer.code != 0 and told in answer.err


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_guide_can_be_followed_word_for_word(
    sample: Path, project: Path, tunebench: Command, language: str
) -> None:
    """The part with code: what the chapter tells to replace, replaced; then the check and an import."""
    guide = (resources_folder() / "help" / language / "own_parser.md").read_text(encoding="utf-8").split("```")
    blocks = [text.lstrip("\n") for text in guide[1::2]]
    sample.write_text(next(text for text in blocks if text.startswith("brokerq 3.2")), encoding="utf-8")
    made = tunebench("plugin", "new", "brokerq_code", "--from", sample, "--json")
    folder = Path(made.json["folder"])
    assert tunebench("plugin", "check", "brokerq_code").code != 0
    lines, table, row = (next(text for text in blocks if mark in text) for mark in ('"#"', '"device"', "cells[1:4]"))
    code = (folder / "parser.py").read_text(encoding="utf-8").replace('TOOL = b"brokerq_code"', 'TOOL = b"brokerq"')
    code = code.replace("        elif words[0] == TOOL:", lines + "        elif words[0] == TOOL:")
    for begin, told in (("        headings = [", table), ("        moment = read_stamp(", row)):
        start = code.index(begin)
        code = code[:start] + told.rstrip() + code[code.index("\n\n", start) :]
    (folder / "parser.py").write_text(code, encoding="utf-8")
    (folder / "fixtures" / "sample.txt").unlink()
    manifest = (folder / "plugin.toml").read_text(encoding="utf-8")
    assert manifest.count('tools = ["brokerq_code"]') == 2
    manifest = manifest.replace('tools = ["brokerq_code"]', 'tools = ["brokerq"]').replace('"queue" =', '"depth" =')
    signs = 'signs = ["brokerq "]'
    assert signs in "".join(guide[::2])
    manifest = manifest.replace('signs = ["brokerq_code "]', signs)
    (folder / "plugin.toml").write_text(manifest, encoding="utf-8")
    checked = tunebench("plugin", "check", "brokerq_code", "--json").json
    assert [one["text"] for one in checked["findings"] if one["level"] != "info"] == [] and checked["ok"]
    (file,) = tunebench("import", project, sample, "--json").json["files"]
    assert (file["state"], file["host"], file["lines"]["data"]) == ("imported", "mqtest01", 6)
