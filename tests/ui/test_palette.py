"""The search for everything: Korean by initial consonants, what was chosen lately first; and undo that names its step."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit

from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.frame.palette import score


@pytest.mark.parametrize(
    ("typed", "words", "found"),
    [
        ("ㅂㄱㅅ", "보고서", True),
        ("보ㄱㅅ", "보고서", True),  # as far as an input method has come
        ("ㄱㅅ", "보고서", True),
        ("ㅂㅅㄱ", "보고서", False),
        ("ㄲ", "가끔", True),
        ("ㄱ", "끔", False),
        ("ㅎ", "힣", True),
        ("ㅎ", "핗", False),
        ("cpu ㅂㄱ", "cpu 비교", True),
        ("ㄱ.", "가나", False),
        ("ㄱ.", "가.", True),
    ],
)
def test_initial_consonants_find_syllables(typed: str, words: str, found: bool) -> None:
    assert (score(words, typed) is not None) is found


def test_korean_commands_are_found_by_their_initials(opened: MainWindow, look: Any) -> None:
    look("ko")
    opened.palette_box.open()
    opened.palette_box.field.setText("ㅅㅈ")  # as an input method does
    assert "설정" in [opened.palette_box.list.item(at).text() for at in range(opened.palette_box.list.count())]


def test_what_was_chosen_lately_comes_first(opened: MainWindow, qtbot: Any, idle: Any) -> None:
    palette = opened.palette_box
    for typed in ("capacity", "settings"):
        palette.open()
        qtbot.keyClicks(palette.field, typed)
        qtbot.keyClick(palette.field, Qt.Key.Key_Return)
        idle()
    palette.open()
    assert [palette.list.item(at).text() for at in range(2)] == ["Settings", "Capacity planning"]


def test_undo_names_what_it_takes_back(opened: MainWindow, qtbot: Any, idle: Any) -> None:
    opened.tree.choose("run", 1)
    idle()
    (field,) = opened.inspector.findChildren(QLineEdit, "run-label")
    field.setText("20 July & after")
    field.editingFinished.emit()
    idle()
    undo, redo = (opened.workspace.commands.action(f"edit.{name}") for name in ("undo", "redo"))
    step = opened.workspace.undo.undoText()
    assert step and undo.text() == f"Undo: {step}" and redo.text() == "Redo"
    opened.commands.set_language("ko")
    assert undo.text() == f"실행 취소: {step}"
    opened.commands.set_language("en")
    undo.trigger()
    idle()
    assert undo.text() == "Undo" and redo.text() == f"Redo: {step}"
