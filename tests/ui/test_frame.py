"""The frame as a person uses it: begin an engagement, walk the pages, find things, switch language, close."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit, QMessageBox, QWidget

from tunebench.core.messages import catalogue
from tunebench.core.paths import file_name_for
from tunebench.ui.commands import MENUS, Command
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.frame.rail import PAGES, PLACE_OF
from tunebench.ui.look.language import language
from tunebench.ui.pages.help_page import TOPICS, HelpPage, topic_path
from tunebench.ui.settings import Settings
from tunebench.ui.workspace import Workspace
from tunebench.usecases import projects

Idle = Callable[[], None]


def button_called(window: QWidget, words: str) -> QAbstractButton:
    found = [b for b in window.findChildren(QAbstractButton) if b.text() == words and b.isVisible()]
    assert len(found) == 1, f"{words}: {len(found)} buttons"
    return found[0]


def words_shown(window: QWidget) -> list[str]:
    labels = [w.text() for w in window.findChildren(QLabel)]
    buttons = [w.text() for w in window.findChildren(QAbstractButton)]
    hints = [w.placeholderText() for w in window.findChildren(QLineEdit)]
    tips = [w.toolTip() for w in window.findChildren(QWidget)]
    names = [w.accessibleName() for w in window.findChildren(QWidget)]
    return [*labels, *buttons, *hints, *tips, *names, window.windowTitle()]


# --- begin
def test_begin_an_engagement_by_typing(window: MainWindow, qtbot: Any, tmp_path: Path, idle: Idle) -> None:
    window.settings.remember_folder("projects", tmp_path)
    qtbot.mouseClick(button_called(window, "New engagement…"), Qt.MouseButton.LeftButton)
    form = window.welcome.form
    qtbot.keyClicks(form.customer, "Hanbit Bank")
    form.title.selectAll()
    qtbot.keyClicks(form.title, "Batch window")
    qtbot.keyClicks(form.consultants, "Kim, Lee")
    qtbot.mouseClick(button_called(window, "Create engagement"), Qt.MouseButton.LeftButton)
    idle()
    path = tmp_path / "Hanbit Bank Batch window.tune"
    assert path.is_file()
    assert window.current_page == "captures"
    assert window.windowTitle() == "Hanbit Bank · Batch window – TuneBench"
    engagement = projects.read_engagement(window.workspace.opened)
    assert (engagement.customer, engagement.title, engagement.zone) == ("Hanbit Bank", "Batch window", "Asia/Seoul")
    assert engagement.consultants == ("Kim", "Lee")


def test_a_customer_is_needed(window: MainWindow, qtbot: Any) -> None:
    window.workspace.commands.action("file.new").trigger()
    qtbot.keyClick(window.welcome.form.customer, Qt.Key.Key_Return)
    assert window.workspace.project is None
    assert window.welcome.form.customer.property("state") == "wrong"


@pytest.mark.parametrize(
    ("customer", "title", "name"),
    [
        ("ACME은행", "2007 튜닝", "ACME은행 2007 튜닝"),
        ('a/b:c*d?"e', "", "a b c d e"),
        ("...", "", ""),
        ("x" * 300, "", "x" * 80),
    ],
)
def test_file_names_every_system_takes(customer: str, title: str, name: str) -> None:
    assert file_name_for(customer, title) == name


# --- open, close, recents
def test_recents_are_read_from_the_projects_themselves(
    window: MainWindow, project_file: Path, idle: Idle, tmp_path: Path
) -> None:
    assert window.controller.open(project_file)
    window.controller.close()
    idle()
    assert window.current_page == "welcome"
    shown = [w for w in words_shown(window.welcome) if w]
    assert "ACME · 2007 tuning" in shown
    window.settings.flush()
    stored = (tmp_path / "settings" / "workbench.ini").read_text()
    assert "acme.tune" in stored and "2007 tuning" not in stored


def test_a_recent_project_that_is_gone_says_so(window: MainWindow, project_file: Path, idle: Idle) -> None:
    window.settings.add_recent(project_file)
    project_file.unlink()
    window.welcome.refresh_recents()
    idle()
    said = catalogue("en").text("error.project_missing", path=project_file)
    assert said in [label.words() for label in window.welcome.findChildren(QLabel) if hasattr(label, "words")]
    assert not window.controller.open(project_file)
    assert window.messages.sentence() == said


def test_what_is_no_project_is_refused_in_one_sentence(window: MainWindow, tmp_path: Path) -> None:
    wrong = tmp_path / "x.tune"
    wrong.write_text("no project")
    assert not window.controller.open(wrong)
    assert window.messages.sentence() == catalogue("en").text("error.not_a_project", path=wrong)
    assert "Traceback" not in window.messages.sentence()


def test_a_project_that_is_too_old_is_refused_in_one_sentence_and_left_as_it_is(
    window: MainWindow, project_file: Path
) -> None:
    with closing(sqlite3.connect(project_file)) as connection:
        connection.execute(f"PRAGMA user_version = {1 << 16 | 6}")
    before = project_file.read_bytes()
    assert not window.controller.open(project_file)
    words = catalogue("en").text("error.project_too_old", path=project_file, file_version="1.6", oldest_version="1.7")
    assert window.messages.sentence() == words
    assert project_file.read_bytes() == before


@pytest.mark.parametrize("agrees", [True, False])
def test_a_project_that_a_lost_computer_holds_is_taken_over_where_a_person_says_so(
    window: MainWindow, project_file: Path, idle: Idle, monkeypatch: pytest.MonkeyPatch, agrees: bool
) -> None:
    lock = project_file.with_name(f"{project_file.name}.lock")
    held = '{"user": "lee", "host": "laptop-of-lee", "pid": 1, "since": "2026-01-02T03:04:05+00:00"}'
    lock.write_text(held)
    answer = QMessageBox.StandardButton.Yes if agrees else QMessageBox.StandardButton.No
    asked: list[str] = []

    def question(_parent: object, _title: str, words: str) -> QMessageBox.StandardButton:
        asked.append(words)
        return answer

    monkeypatch.setattr(QMessageBox, "question", question)
    assert window.controller.open(project_file)
    idle()
    assert not window.banner.take_over.isHidden()
    window.banner.take_over.click()
    idle()
    assert "laptop-of-lee" in asked[0] and "lee" in asked[0]
    assert window.workspace.writable is agrees
    assert (lock.read_text() == held) is not agrees


def test_read_only_says_why_and_allows_no_change(window: MainWindow, project_file: Path, idle: Idle) -> None:
    other = projects.open_(project_file)
    try:
        assert window.controller.open(project_file)
        idle()
        assert window.workspace.overview.read_only_reason == "locked"  # type: ignore[union-attr]
        holder = window.workspace.overview.lock_holder  # type: ignore[union-attr]
        assert holder is not None and holder.user in window.banner.words() and holder.host in window.banner.words()
        assert "{" not in window.banner.words() and "+00:00" not in window.banner.words()
        assert window.banner.take_over.isHidden(), "whether a process of this computer lives is asked, not said"
        assert not window.workspace.commands.action("capture.import").isEnabled()
        window.show_page("captures")
        window.tree.choose("run", 1)
        idle()
        assert [w.isEnabled() for w in window.inspector.findChildren(QLineEdit, "run-label")] == [False]
        assert not window.inspector._notes.editor.isVisible()
    finally:
        projects.close(other)


def test_layout_is_remembered(qtbot: Any, workspace: Workspace, settings: Settings, project_file: Path) -> None:
    first = MainWindow(workspace, settings)
    first.show()
    assert first.controller.open(project_file)
    first.show_page("captures")
    workspace.commands.action("view.inspector").trigger()
    assert not first.inspector.isVisible() and first.tree.isVisible()
    first.close()
    second = MainWindow(Workspace(workspace.jobs), settings)
    assert second.controller.open(project_file)
    second.show_page("captures")
    assert not second.workspace.commands.action("view.inspector").isChecked()
    second.show_page("engagement")
    assert second.workspace.commands.action("view.inspector").isChecked(), "each view has its own panels"
    second.close()
    for window in (first, second):
        window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


# --- commands and pages
def test_every_command_has_a_name_and_no_key_twice(window: MainWindow) -> None:
    keys: dict[str, str] = {}
    for command, action in window.workspace.commands.all():
        assert action.text() and "⟨" not in action.text(), command.id
        for sequence in action.shortcuts():
            shown = sequence.toString()
            rival = keys.setdefault(shown, command.id)
            other = window.workspace.commands.command(rival)
            apart = command.page_id and other.page_id and command.page_id != other.page_id
            assert rival == command.id or apart, f"{shown}: {rival}, {command.id}"


def test_all_menus_are_there_from_the_start(window: MainWindow) -> None:
    names = [action.text() for action in window.menuBar().actions()]
    assert names == [catalogue("en").text(f"ui.menu.{name}") for name in MENUS]


def test_a_page_command_is_off_elsewhere(opened: MainWindow) -> None:
    ran: list[bool] = []
    action = opened.workspace.commands.add(
        Command("test.here", page_id="captures", text_key="ui.action.close"), lambda: ran.append(True)
    )
    assert action.isEnabled()
    opened.show_page("help")
    assert not action.isEnabled()


def test_keys_walk_the_pages(opened: MainWindow, qtbot: Any) -> None:
    opened.activateWindow()
    qtbot.keyClick(opened, Qt.Key.Key_F1)
    assert opened.current_page == "help"
    qtbot.keyClick(opened, Qt.Key.Key_Escape)
    assert opened.current_page == "captures"
    qtbot.keyClick(opened, Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
    assert opened.current_page == "settings"
    qtbot.keyClick(opened, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert opened.current_page == "captures"


def test_without_a_project_pages_lead_to_the_welcome_page(window: MainWindow) -> None:
    window.show_page("captures")
    assert window.current_page == "welcome"
    assert not window.rail.isVisible()
    assert not window.workspace.commands.action("go.captures").isEnabled()


def test_search_finds_commands_and_captures(opened: MainWindow, qtbot: Any) -> None:
    palette = opened.palette_box
    qtbot.keyClick(opened, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    assert palette.isVisible() and palette.field.hasFocus()
    qtbot.keyClicks(palette.field, "mpstat.fr")
    assert palette.shown()[0].words == "mpstat.fr_FR.txt"
    qtbot.keyClicks(palette.field, " zzzz")
    assert palette.list.count() == 0
    palette.field.clear()
    qtbot.keyClicks(palette.field, "settings")
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert not palette.isVisible()
    assert opened.current_page == "settings"
    qtbot.keyClick(opened, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(palette.field, Qt.Key.Key_Escape)
    assert not palette.isVisible()


def test_search_finds_series(opened: MainWindow, qtbot: Any, idle: Idle) -> None:
    from tunebench.usecases import browse

    opened.palette_box.open()
    qtbot.keyClicks(opened.palette_box.field, "vmstat us")
    qtbot.keyClick(opened.palette_box.field, Qt.Key.Key_Return)
    idle()
    assert opened.current_page == "timeline"
    (chosen,) = [
        s for s in browse.list_series(opened.workspace.opened) if s.id == opened.workspace.selection.series[-1]
    ]
    assert (chosen.tool, chosen.native) == ("vmstat", "us")


def test_search_finds_recent_engagements(window: MainWindow, qtbot: Any, project_file: Path, idle: Idle) -> None:
    window.settings.add_recent(project_file)
    window.palette_box.open()
    qtbot.keyClicks(window.palette_box.field, "acme")
    qtbot.keyClick(window.palette_box.field, Qt.Key.Key_Return)
    idle()
    assert window.workspace.project_path == project_file


def test_every_page_of_the_rail_opens(opened: MainWindow, idle: Idle) -> None:
    for entry in PAGES:
        opened.rail.buttons[PLACE_OF[entry.page_id].place_id].click()
        opened.views.setCurrentIndex(PLACE_OF[entry.page_id].views.index(entry.page_id))
        idle()
        assert opened.current_page == entry.page_id
        assert opened.inspector.isVisible() == (entry.inspector and not entry.wide), entry.page_id
    assert opened.messages.sentence() == ""


# --- language
@pytest.mark.parametrize("code", ["ko", "en"])
def test_no_key_is_left_untranslated(opened: MainWindow, look: Any, idle: Idle, code: str) -> None:
    for page in ("captures", "settings", "help"):
        opened.show_page(page)
    opened.tree.choose("artefact", 1)
    look(code)
    idle()
    missing = [w for w in words_shown(opened) if "⟨" in w]
    assert missing == []


def test_switching_language_reaches_every_part(opened: MainWindow, qtbot: Any, idle: Idle) -> None:
    opened.workspace.commands.action("view.language.ko").trigger()
    idle()
    assert language().code == "ko" and opened.settings.language == "ko"
    assert opened.rail.buttons["captures"].text() == "수집 자료"
    assert opened.menuBar().actions()[0].text() == "파일(&F)"
    assert "서버" in [item.text(0) for item in opened.tree.items()]
    assert any(w.startswith("서버 1 · 측정 1") for w in words_shown(opened))
    assert QApplication.translate("QPlatformTheme", "Cancel") == "취소"
    opened.workspace.commands.action("view.language.en").trigger()
    assert opened.rail.buttons["captures"].text() == "Captures"
    assert QApplication.translate("QPlatformTheme", "Cancel") == "Cancel"


def test_both_catalogues_hold_the_same_keys_and_facts() -> None:
    import string

    def facts(sentence: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}

    korean, english = catalogue("ko"), catalogue("en")
    keys = {key for key in korean.keys() | english.keys() if key.startswith("ui.")}
    for key in keys:
        assert key in korean and key in english, key
        assert facts(korean.text(key)) == facts(english.text(key)), key


@pytest.mark.parametrize("code", ["ko", "en"])
@pytest.mark.parametrize("topic", TOPICS)
def test_help_is_written_in_both_languages(code: str, topic: str) -> None:
    words = topic_path(code, topic).read_text(encoding="utf-8")
    assert words.startswith("# ")
    hangul = sum("가" <= c <= "힣" for c in words)
    assert hangul > 80 if code == "ko" else hangul == 0


def test_help_links_lead_on(opened: MainWindow) -> None:
    opened.show_page("help", "first_steps")
    page = opened.page("help")
    assert isinstance(page, HelpPage)
    page.browser.anchorClicked.emit("topic:compare")
    assert TOPICS[page.topics.currentRow()] == "compare"


# --- accessibility
def test_everything_that_takes_the_focus_has_a_name(opened: MainWindow, idle: Idle) -> None:
    opened.show_page("captures")
    opened.tree.choose("run", 1)
    idle()
    nameless = [
        f"{type(w).__name__} {w.objectName()}"
        for w in opened.findChildren(QWidget)
        if w.isVisible()
        and w.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not w.objectName().startswith(("qt_", "page-"))
        and not w.accessibleName()
        and not (isinstance(w, QAbstractButton) and w.text())
        and type(w).__name__ not in ("QScrollArea", "LedgerView", "QSplitter", "QComboBoxPrivateContainer")
        and not (isinstance(w, QLineEdit) and (w.parentWidget() or w).accessibleName())
    ]
    assert nameless == []


# --- starting up
def test_start_is_light() -> None:
    """Charts, documents and SSH are loaded when they are wanted, not at the start."""
    code = (
        "import sys\n"
        "from tunebench.ui.application import make_application, dress, make_window\n"
        "from tunebench.ui.settings import Settings\n"
        "from tunebench.ui.workspace import Workspace\n"
        "from tunebench.ui.jobs_bridge import JobsBridge\n"
        "from tunebench.usecases.jobs import JobLanes\n"
        "a = make_application(); s = Settings(); dress(s); l = JobLanes()\n"
        "w = make_window(Workspace(JobsBridge(l)), s); w.show(); a.processEvents(); w.close(); l.close()\n"
        "print([m for m in ('pyqtgraph', 'reportlab', 'openpyxl', 'paramiko', 'scipy') if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.strip() == "[]", done.stderr
    assert done.stderr == ""


def test_closing_the_window_closes_the_project(opened: MainWindow, project_file: Path) -> None:
    opened.close()
    again = projects.open_(project_file)
    try:
        assert projects.overview(again).read_only is False
    finally:
        projects.close(again)


def test_rail_follows_the_page(opened: MainWindow, qtbot: Any) -> None:
    opened.show_page("help")
    assert not any(b.isChecked() for b in opened.rail.buttons.values())
    qtbot.mouseClick(opened.rail.buttons["captures"], Qt.MouseButton.LeftButton)
    assert opened.current_page == "captures" and opened.rail.buttons["captures"].isChecked()
