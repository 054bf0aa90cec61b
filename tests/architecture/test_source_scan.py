"""The scanner behind the catalogue tests sees what it is meant to see; a blind scanner would pass everything."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.architecture import source_scan as scan

SOURCE = '''
"""A sentence in a docstring is fine here."""
def act(name, facts, label, log):
    raise UserError("disk_full", path=name)
def more(self, label, text, facts):
    text("ui.one", count=1)
    text("ui.two", **facts)
    text(f"ui.column.{label}.title")
    self.book.skip("torn_line", 3, b"")
    pytest.skip("The machine has no display today.")
    table = {"a": "ui.three", "b": "report.pdf"}
    log.info("The file was read to its end.")
    raise ValueError("This cannot happen at all.")
def shown(label):
    label.setText("Import files")
    label.setText("×")
    greeting = "Choose a file to import first."
    label.setText("튜닝 전")
'''


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(scan, "ROOT", tmp_path)
    path = tmp_path / "sample.py"
    path.write_text(SOURCE, encoding="utf-8")
    return path


def test_keys_and_their_facts(source: Path) -> None:
    uses = {use.key: use.facts for use in scan.key_uses(source)}
    assert uses == {
        "error.disk_full": frozenset({"path"}),
        "ui.one": frozenset({"count"}),
        "ui.two": None,
        "ledger.skipped.torn_line": None,
    }


def test_keys_that_widgets_are_given(source: Path) -> None:
    source.write_text('translated(tabs, "ui.one", toolTip="ui.two", tabText=[f"ui.tab.{name}" for name in NAMES])')
    assert {use.key: use.facts for use in scan.key_uses(source)} == {"ui.one": frozenset(), "ui.two": frozenset()}
    [(_, pattern)] = scan.formatted_keys(source)
    assert pattern.fullmatch("ui.tab.plan")


def test_keys_in_tables(source: Path) -> None:
    assert "ui.three" in {key for _, key in scan.key_literals(source, frozenset({"ui", "report"}))}
    assert "report.pdf" not in {key for _, key in scan.key_literals(source, frozenset({"ui", "report"}))}


def test_composed_keys(source: Path) -> None:
    [(_, pattern)] = scan.formatted_keys(source)
    assert pattern.fullmatch("ui.column.before.title")
    assert not pattern.fullmatch("ui.column.before")


def test_sentences_and_shown_words(source: Path) -> None:
    assert {text for _, text in scan.sentences(source)} == {
        "The machine has no display today.",
        "Choose a file to import first.",
    }
    assert [text for _, text in scan.shown_literals(source)] == ["Import files", "튜닝 전"]
    assert [text for _, text in scan.hangul(source)] == ["튜닝 전"]


def test_place_holders() -> None:
    assert scan.place_holders("{n:,} of {total} ({share:.0%}) {{not}}") == {"n", "total", "share"}
