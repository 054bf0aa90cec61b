"""The search for everything: Korean by initial consonants, what was chosen lately first; and undo that names its step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pypdfium2 import PdfDocument
from PySide6.QtCore import Qt
from PySide6.QtGui import QUndoCommand
from PySide6.QtWidgets import QLineEdit

from tunebench.ui.comparing.window_book import WindowBook
from tunebench.ui.frame.main_window import MainWindow
from tunebench.usecases.importing import import_review
from tunebench.usecases.searching import score


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
    assert (score([words], "", typed) is not None) is found


def test_korean_commands_are_found_by_their_initials(opened: MainWindow, look: Any) -> None:
    look("ko")
    opened.palette_box.open()
    opened.palette_box.field.setText("ㅅㅈ")  # as an input method does
    assert "설정" in [entry.words for entry in opened.palette_box.shown()]


def test_what_was_chosen_lately_comes_first(opened: MainWindow, qtbot: Any, idle: Any) -> None:
    palette = opened.palette_box
    for typed in ("capacity", "settings"):
        palette.open()
        qtbot.keyClicks(palette.field, typed)
        qtbot.keyClick(palette.field, Qt.Key.Key_Return)
        idle()
    palette.open()
    assert [entry.words for entry in palette.shown()[:2]] == ["Settings", "Go to capacity"]
    assert palette.list.item(0).text() == "Recent" and palette.list.currentRow() == 1


@pytest.mark.parametrize(
    ("code", "typed", "first"),
    [
        ("en", "export pdf", "Export the result as PDF"),
        ("en", "pdf", "Export the result as PDF"),
        ("en", "compare", "Go to comparison"),
        ("en", "compare cpu", "Compare cpu"),
        ("en", "co cpu dbdemo01", "Compare cpu dbdemo01"),
        ("en", "report", "Go to report"),
        ("en", "보고서", "Go to report"),
        ("en", "accept hosts", "Accept the proposed hosts"),
        ("en", "window mon-fri 09-12", "Window mon-fri 09-12"),
        ("en", "undo", "Undo: x"),
        ("ko", "보고서", "보고서로"),
        ("ko", "ㅂㄱㅅ", "보고서로"),
        ("ko", "ㅈㅎ ㅂㄱ", "튜닝 전후 비교로"),
        ("ko", "ㅈㅎ ㅂㄱ cpu", "비교 cpu"),
        ("ko", "비교 cpu", "비교 cpu"),
        ("ko", "pdf", "한 쪽 결과를 PDF로 내보내기"),
        ("ko", "export pdf", "한 쪽 결과를 PDF로 내보내기"),
        ("ko", "서버 받기", "제안된 서버 받기"),
        ("ko", "구간 월-금 09-12", "구간 월-금 09-12"),
    ],
)
def test_the_right_thing_comes_first_and_a_verb_says_what_it_will_do(
    window: MainWindow, demo_file: Path, idle: Any, look: Any, code: str, typed: str, first: str
) -> None:
    look(code)
    assert window.controller.open(demo_file)
    idle()
    if typed == "undo":
        window.workspace.undo.push(QUndoCommand("x"))
    window.palette_box.open()
    window.palette_box.field.setText(typed)
    top = window.palette_box.shown()[0]
    assert top.words == first
    assert top.aside or top.words.startswith("Go to") or top.words.endswith("로")


def test_a_verb_shows_a_series_or_pins_it(window: MainWindow, demo_file: Path, idle: Any, qtbot: Any) -> None:
    assert window.controller.open(demo_file)
    idle()
    palette = window.palette_box
    for verb in ("show", "pin"):
        palette.open()
        qtbot.keyClicks(palette.field, f"{verb} vda r_await")
        assert palette.shown()[0].words == f"{verb.capitalize()} vda r_await"
        qtbot.keyClick(palette.field, Qt.Key.Key_Return)
        idle()
        assert window.current_page == "timeline"
    assert window.cycle_header.sheet.isVisible() and window.cycle_header.sheet.caption.text() == "vda r_await"
    palette.open()
    assert [entry.words for entry in palette.shown()[:2]] == ["Pin vda r_await", "Show vda r_await"]


def test_compare_with_words_lists_what_is_called_so(window: MainWindow, demo_file: Path, idle: Any, qtbot: Any) -> None:
    assert window.controller.open(demo_file)
    idle()
    window.palette_box.open()
    qtbot.keyClicks(window.palette_box.field, "compare iowait")
    qtbot.keyClick(window.palette_box.field, Qt.Key.Key_Return)
    idle()
    page: Any = window.page("compare")
    shown = page.list.shown_rows()
    assert window.current_page == "compare" and shown
    assert all("iowait" in f"{row.series.label} {row.metric}".lower() for row in shown)


def test_a_window_is_kept_from_words_and_undone(window: MainWindow, demo_file: Path, idle: Any, qtbot: Any) -> None:
    assert window.controller.open(demo_file)
    idle()
    before = WindowBook.of(window.workspace).windows
    for typed in ("window sun-mon 22-23", "window someday 9-12"):
        window.palette_box.open()
        qtbot.keyClicks(window.palette_box.field, typed)
        qtbot.keyClick(window.palette_box.field, Qt.Key.Key_Return)
        idle()
    (made,) = [one for one in WindowBook.of(window.workspace).windows if one not in before]
    assert made.name == "sun-mon 22:00-23:00" and made.occurrences
    assert window.messages.sentence().startswith("'someday' is no list of weekdays")
    window.workspace.undo.undo()
    assert WindowBook.of(window.workspace).windows == before


def test_the_result_goes_as_pdf_into_the_projects_folder_and_overwrites_nothing(
    window: MainWindow, demo_file: Path, idle: Any, qtbot: Any
) -> None:
    assert window.controller.open(demo_file)
    idle()
    for _ in range(2):
        window.palette_box.open()
        qtbot.keyClicks(window.palette_box.field, "export pdf")
        qtbot.keyClick(window.palette_box.field, Qt.Key.Key_Return)
        idle()
    written = sorted(demo_file.parent.glob("*.pdf"))
    assert len(written) == 2 and all(len(PdfDocument(path)) == 1 for path in written)
    toast = window.messages.shown[-1]
    assert toast.message.sentence.removeprefix("Written: ") in [path.name for path in written]
    assert toast.message.act is not None and toast.message.act[0] == "ui.report.open_folder"


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


def test_accept_hosts_takes_what_is_proposed_for_all_files(opened: MainWindow, qtbot: Any, idle: Any) -> None:
    opened.palette_box.open()
    qtbot.keyClicks(opened.palette_box.field, "accept hosts")
    qtbot.keyClick(opened.palette_box.field, Qt.Key.Key_Return)
    idle()
    assert opened.current_page == "review"
    page: Any = opened.page("review")
    assert import_review.proposed(page.table.figures.rows) == {}, "nothing is left to be accepted"
    assert opened.messages.sentence()


def test_a_link_that_is_pasted_leads_where_it_says(opened: MainWindow, qtbot: Any, idle: Any) -> None:
    from tunebench.ui.links import timeline_link
    from tunebench.usecases import browse

    info = browse.list_series(opened.workspace.opened)[0]
    assert info.first_ns is not None and info.last_ns is not None
    opened.palette_box.open()
    opened.palette_box.field.setText(timeline_link([info.id], (info.first_ns, info.last_ns)))
    qtbot.keyClick(opened.palette_box.field, Qt.Key.Key_Return)
    idle()
    assert opened.current_page == "timeline" and opened.workspace.selection.series == (info.id,)
    opened.palette_box.open()
    opened.palette_box.field.setText("tunebench:E-999")
    qtbot.keyClick(opened.palette_box.field, Qt.Key.Key_Return)
    assert "not in the open engagement" in opened.messages.sentence()
