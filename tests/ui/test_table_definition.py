"""Describing an unknown table as a person does it: open, look, change, take back, save, import."""

from __future__ import annotations

import shutil
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from tests.contract.test_table_guess import BROKER, GERMAN
from tests.ui.conftest import FIXTURES
from tunebench.core import paths
from tunebench.plughost import scaffold
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.importing.definition_dialog import DefinitionDialog, proposed_name
from tunebench.ui.pages.captures_page import CapturesPage
from tunebench.usecases import browse, services
from tunebench.usecases.importing import table_definitions

Idle = Callable[[], None]


@pytest.fixture
def unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file that no parser knows, and a plug-in folder of this test's own."""
    own = tmp_path / "own plug-ins"
    for module in (paths, scaffold, table_definitions):
        monkeypatch.setattr(module, "user_plugins_folder", lambda: own)
    host = services.current().plugins
    before = services.current()
    folders = host.folders
    host.folders = tuple(type(each)(own, each.origin) if each.origin == "user" else each for each in folders)
    path = tmp_path / "brokerq_20261121.log"
    path.write_text(BROKER, encoding="utf-8")
    yield path
    host.folders = folders
    shutil.rmtree(own, ignore_errors=True)
    host.search_again()
    services.install(lambda: before)


@pytest.fixture
def dialog(opened: MainWindow, unknown: Path, qtbot: Any, idle: Idle) -> DefinitionDialog:
    """Opened from the captures page, where the file was refused."""
    page = page_of(opened)
    page.offer([unknown])
    qtbot.mouseClick(page.form._start, Qt.MouseButton.LeftButton)
    idle()
    asked = page.ledger.findChild(QPushButton, "describe")
    assert asked is not None
    qtbot.mouseClick(asked, Qt.MouseButton.LeftButton)
    idle()
    made = opened.findChild(DefinitionDialog)
    assert made is not None and made.isVisible()
    return made


def page_of(window: MainWindow) -> CapturesPage:
    page = window.page("captures")
    assert isinstance(page, CapturesPage)
    return page


def settle(dialog: DefinitionDialog, qtbot: Any, idle: Idle) -> None:
    qtbot.waitUntil(lambda: not dialog._timer.isActive(), timeout=60_000)
    idle()


def type_into(dialog: DefinitionDialog, field: str, words: str, qtbot: Any, idle: Idle) -> None:
    widget: Any = dialog.form.fields[field].widget
    edit = widget.lineEdit() if hasattr(widget, "lineEdit") else widget
    edit.setFocus()
    edit.selectAll()
    qtbot.keyClicks(edit, words)
    settle(dialog, qtbot, idle)


def test_every_line_of_the_sample_says_what_it_was_taken_as(dialog: DefinitionDialog) -> None:
    assert [one.kind for one in dialog.preview.taken] == [
        "header",
        "header",
        "skipped",
        "blank",
        "header",
        "data",
        "data",
        "data",
        "data",
    ]
    assert dialog.view.words_of(3) == "left out: comment lines"
    assert dialog.view.words_of(6) == "data"
    assert len(dialog.view.extraSelections()) == 8  # a blank line has no colour
    assert dialog.sure.text().startswith("✓")


def test_the_first_rows_stand_below_with_times_and_values(dialog: DefinitionDialog, qtbot: Any) -> None:
    table = dialog.pane.table
    model = table.model()
    assert [model.headerData(at, Qt.Orientation.Horizontal) for at in range(table.columnCount())] == [
        "Time",
        "Thing",
        "depth",
        "in/s",
        "wait_ms",
    ]
    assert [model.index(1, at).data() for at in range(5)] == ["2026-11-21 16:10:13", "billing", "17", "0.5", "40.25"]
    assert "data 4" in dialog.pane.counts.words()
    table.selectRow(3)
    assert dialog.view.textCursor().blockNumber() == 7  # the line where that time begins


def test_a_change_is_seen_within_a_moment_and_can_be_taken_back(
    dialog: DefinitionDialog, qtbot: Any, idle: Idle
) -> None:
    started = time.monotonic()
    type_into(dialog, "skip", "#, 2026", qtbot, idle)
    assert time.monotonic() - started < 15  # the machine of the tests may be busy; the wait itself is 60 ms
    assert dialog.preview.ledger.lines.data == 0
    edit: Any = dialog.form.fields["skip"].widget
    qtbot.keyClick(edit, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    settle(dialog, qtbot, idle)
    assert edit.text() == "#" and dialog.preview.ledger.lines.data == 4
    qtbot.keyClick(edit, Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
    settle(dialog, qtbot, idle)
    assert edit.text().startswith("#, 2026") and dialog.preview.ledger.lines.data == 0


def test_a_mistake_is_shown_at_its_field_and_bars_saving(dialog: DefinitionDialog, qtbot: Any, idle: Idle) -> None:
    type_into(dialog, "time.format", "%Y-%m", qtbot, idle)
    field: Any = dialog.form.fields["time.format"].widget
    assert field.property("state") == "wrong" and "%d" in field.toolTip()
    assert not dialog.save_button.isEnabled() and not dialog.import_button.isEnabled()
    assert dialog.pane.stack.currentWidget() is dialog.pane.faults
    dialog.form.fields["tool"].widget.setFocus()
    dialog.pane.fault_chosen.emit(dialog.preview.problems[0])
    assert field.hasFocus() or field.lineEdit().hasFocus()
    dialog.controller.stack.undo()
    settle(dialog, qtbot, idle)
    assert field.property("state") == "" and dialog.save_button.isEnabled()


def test_a_column_is_one_thing_only(dialog: DefinitionDialog, qtbot: Any, idle: Idle) -> None:
    grid = dialog.form.grid
    assert {name: grid.use_of(name) for name in grid.rows} == {
        "time": "time",
        "queue": "device",
        "depth": "number",
        "in/s": "number",
        "wait_ms": "number",
        "state": "ignored",
    }
    grid.set_use("queue", "process")
    settle(dialog, qtbot, idle)
    assert dialog.controller.value("sections", 0, "key") == {"process": "queue"}
    grid.set_use("depth", "ignored")
    settle(dialog, qtbot, idle)
    assert dialog.preview.columns == ("in/s", "wait_ms")
    dialog.controller.stack.undo()
    settle(dialog, qtbot, idle)
    assert grid.use_of("depth") == "number" and not dialog.preview.faulty


def test_a_metric_of_the_program_brings_its_unit(dialog: DefinitionDialog, qtbot: Any, idle: Idle) -> None:
    grid = dialog.form.grid
    grid.set_metric("depth", "system.cpu.run_queue_length")
    settle(dialog, qtbot, idle)
    assert dialog.controller.value("sections", 0, "columns", "depth") == {
        "metric": "system.cpu.run_queue_length",
        "unit": "{thread}",
    }
    grid.set_metric("depth", "no.such.metric")
    settle(dialog, qtbot, idle)
    assert grid.rows["depth"].metric.property("state") == "wrong"


def test_another_table_of_the_file_can_be_added_and_removed(dialog: DefinitionDialog, qtbot: Any, idle: Idle) -> None:
    dialog.form.add_section()
    settle(dialog, qtbot, idle)
    assert dialog.form.section == 1 and not dialog.preview.faulty
    dialog.form.remove_section()
    settle(dialog, qtbot, idle)
    assert dialog.form.section == 0 and dialog.controller.value("sections", 1) is None


def test_from_the_refused_file_to_its_series(
    opened: MainWindow, dialog: DefinitionDialog, unknown: Path, qtbot: Any, idle: Idle
) -> None:
    type_into(dialog, "tool", "broker", qtbot, idle)
    qtbot.mouseClick(dialog.import_button, Qt.MouseButton.LeftButton)
    page = page_of(opened)
    assert page.form.isVisible() and page.form.paths == [unknown]
    qtbot.mouseClick(page.form._start, Qt.MouseButton.LeftButton)
    idle()
    found = [one for one in browse.list_series(opened.workspace.opened) if one.tool == "broker"]
    assert {(one.attributes["device"], one.native) for one in found} == {
        (queue, native) for queue in ("orders", "billing") for native in ("depth", "in/s", "wait_ms")
    }
    assert all(entry.path != str(unknown) or entry.artefact for entry in page.entries())
    for one in found:  # what the inspector and the charts say of it
        assert browse.metric_meaning(one, "ko") and browse.metric_meaning(one, "en")


def test_saving_again_raises_the_version_and_a_bad_name_is_marked(
    dialog: DefinitionDialog, qtbot: Any, idle: Idle
) -> None:
    dialog.name.setText("Not A Name")
    dialog.save(False)
    assert dialog.name.property("state") == "wrong" and "Not A Name" in dialog.message.words()
    dialog.name.setText("brokerq")
    dialog.save(False)
    type_into(dialog, "tool", "broker", qtbot, idle)
    dialog.save(False)
    host = services.current().plugins
    entry = host.parser("local.brokerq")
    assert entry is not None and (entry.version, entry.tools) == ("0.1.1", ("broker",))
    assert (table_definitions.load("brokerq") or {})["tool"] == "broker"


def test_closing_with_unsaved_changes_asks_once(dialog: DefinitionDialog, qtbot: Any, idle: Idle) -> None:
    type_into(dialog, "tool", "x", qtbot, idle)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.isVisible() and "not saved" in dialog.message.words()
    qtbot.mouseClick(dialog.close_button, Qt.MouseButton.LeftButton)
    assert not dialog.isVisible()


@pytest.mark.parametrize(("code", "mode"), [("ko", "light"), ("en", "dark")])
def test_it_fits_the_smallest_screen_in_both_languages(
    opened: MainWindow, unknown: Path, look: Any, idle: Idle, code: str, mode: str
) -> None:
    look(code, mode)
    page_of(opened).describe(str(unknown))
    idle()
    made = opened.findChild(DefinitionDialog)
    assert made is not None
    assert made.width() <= 1366 and made.height() <= 768
    assert made.minimumSizeHint().width() <= 1366 and made.minimumSizeHint().height() <= 768
    made._unsaved = False
    made.reject()


def test_a_file_that_is_no_text_is_refused_with_a_sentence(opened: MainWindow, unknown: Path, tmp_path: Path) -> None:
    path = tmp_path / "binary.dat"
    path.write_bytes(b"\0\1\2" * 50)
    page_of(opened).describe(str(path))
    assert opened.findChild(DefinitionDialog) is None
    assert "binary.dat" in opened.messages.sentence()


def test_a_preview_is_quick_also_for_a_long_sample(services: None, tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text(
        GERMAN + "".join(f"16:{m:02}:{s:02};{c};1,5;2\n" for m in range(60) for s in range(60) for c in (0, 1))
    )
    sample = table_definitions.read_sample(path)
    draft = table_definitions.guess(sample, "long")
    best = min(_seconds(lambda: table_definitions.preview(draft, sample)) for _ in range(3))
    assert len(sample.lines) == table_definitions.MOST_LINES
    assert best < 0.3


def _seconds(act: Callable[[], Any]) -> float:
    started = time.process_time()
    act()
    return time.process_time() - started


@pytest.mark.parametrize(
    ("name", "proposed"),
    [
        ("Broker-Q_20261121.log", "broker_q"),
        ("2026.txt", "my_table"),
        ("/x/한글.txt", "my_table"),
        ("a" * 80, "a" * 40),
    ],
)
def test_the_name_of_the_plugin_comes_from_the_file(name: str, proposed: str) -> None:
    assert proposed_name(name) == proposed


def test_a_member_of_an_archive_is_described_where_it_lies(
    opened: MainWindow, unknown: Path, tmp_path: Path, qtbot: Any, idle: Idle
) -> None:
    """Not unpacked by hand: described in its archive, and read when the archive comes in again, into the same run."""
    path = tmp_path / "site.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.write(FIXTURES / "linux" / "vmstat.txt", "db01/vmstat.txt")
        packed.write(unknown, f"db01/{unknown.name}")
    page = page_of(opened)
    page.offer([path])
    page.form.run.setCurrentText("night")
    page.form.submit()
    idle()
    asked = page.ledger.findChild(QPushButton, "describe-member")
    assert asked is not None and unknown.name in asked.accessibleName()
    qtbot.mouseClick(asked, Qt.MouseButton.LeftButton)
    idle()
    made = opened.findChild(DefinitionDialog)
    assert made is not None and made.sample.path == f"{path}!/db01/{unknown.name}"
    assert made.name.text() == proposed_name(unknown.name)
    settle(made, qtbot, idle)
    qtbot.mouseClick(made.import_button, Qt.MouseButton.LeftButton)
    assert page.form.paths == [path] and page.form.run.currentText() == "night"
    page.form.submit()
    idle()
    found = {entry.name: (entry.state, entry.run) for entry in page.entries() if entry.inside}
    assert found == {"vmstat.txt": ("imported", "night"), unknown.name: ("imported", "night")}
    assert page.ledger.findChild(QPushButton, "describe-member") is None
