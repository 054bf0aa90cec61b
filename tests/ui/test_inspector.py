"""What the inspector says about a thing, its evidence to the very line, and notes that can be taken back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QToolButton, QWidget

from tunebench.domain.engagement import CaptureEvent, EventKind, Phase, StoredEvent
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.frame.notes_panel import NoteEditor
from tunebench.ui.inspected import InspectedCapture, InspectedEvent, InspectedSeries
from tunebench.ui.pages.captures_page import CapturesPage
from tunebench.ui.widgets.capture_lines import CaptureLines
from tunebench.usecases import browse, projects

Idle = Callable[[], None]
W = TypeVar("W", bound=QWidget)


def words(window: MainWindow) -> list[str]:
    return [label.text() for label in window.inspector.findChildren(QLabel)]


def series_called(window: MainWindow, tool: str, native: str) -> Any:
    found = browse.list_series(window.workspace.opened)
    return next(info for info in found if (info.tool, info.native) == (tool, native))


def child(parent: QObject, kind: type[W], name: str = "") -> W:
    found = parent.findChild(kind, name) if name else parent.findChild(kind)
    assert found is not None
    return found


def test_series_with_its_figures_and_line(opened: MainWindow, captures: Path, idle: Idle) -> None:
    info = series_called(opened, "vmstat", "us")
    data = browse.series_data(opened.workspace.opened, info.id)
    opened.workspace.inspect(InspectedSeries(info, time_ns=int(data.times_ns[-1])))
    idle()
    (lines,) = opened.inspector.findChildren(CaptureLines)
    original = (captures / "vmstat.ko_KR.txt").read_text(encoding="utf-8").splitlines()
    first = lines.marked - next(i for i, w in enumerate(lines.lines) if w == original[lines.marked - 1])
    assert list(lines.lines) == original[first - 1 : first - 1 + len(lines.lines)]
    assert original[lines.marked - 1].split()[12] == str(int(data.values[-1])), "us is vmstat's 13th column"
    shown = words(opened)
    assert "mean" in shown and "p95" in shown
    measured = [float(v) for v in data.measured()]
    assert any(w.startswith(f"{max(measured):g}") for w in shown)


def test_run_label_and_phase_can_be_changed_and_taken_back(opened: MainWindow, qtbot: Any, idle: Idle) -> None:
    opened.tree.choose("run", 1)
    field = child(opened.inspector, QLineEdit, "run-label")
    field.selectAll()
    qtbot.keyClicks(field, "Thursday")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: run_of(opened) == ("Thursday", Phase.BEFORE), timeout=60_000)
    box = child(opened.inspector, QComboBox, "run-phase")
    box.setCurrentIndex(list(Phase).index(Phase.AFTER))
    box.activated.emit(box.currentIndex())
    qtbot.waitUntil(lambda: run_of(opened) == ("Thursday", Phase.AFTER), timeout=60_000)
    opened.workspace.commands.action("edit.undo").trigger()
    opened.workspace.commands.action("edit.undo").trigger()
    assert run_of(opened) == ("19 July", Phase.BEFORE)
    opened.workspace.commands.action("edit.redo").trigger()
    assert run_of(opened) == ("Thursday", Phase.BEFORE)
    assert "Thursday" in [item.text(0) for item in opened.tree.items()]


def test_a_run_is_renamed_in_the_tree(opened: MainWindow, qtbot: Any, idle: Idle) -> None:
    opened.tree.choose("run", 1)
    tree = opened.tree.tree
    tree.setFocus()
    item = tree.currentItem()
    assert item is not None
    tree.editItem(item, 0)
    editor = child(tree, QLineEdit)
    editor.selectAll()
    qtbot.keyClicks(editor, "19 July, morning")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: run_of(opened)[0] == "19 July, morning", timeout=60_000)


def test_a_label_that_is_taken_is_refused(opened: MainWindow, tmp_path: Path, idle: Idle) -> None:
    run = opened.workspace.overview.runs[0].run  # type: ignore[union-attr]
    opened.tree.rename(run, "  ")
    assert run_of(opened)[0] == "19 July"


def test_notes_are_kept_edited_deleted_and_come_back(opened: MainWindow, qtbot: Any, idle: Idle) -> None:
    opened.tree.choose("artefact", 1)
    panel = opened.inspector._notes
    qtbot.keyClicks(panel.editor, "batch began at nine")
    qtbot.keyClick(panel.editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert note_texts(opened) == ["batch began at nine"]
    qtbot.mouseClick(child(panel, QToolButton, "note-edit"), Qt.MouseButton.LeftButton)
    editor = child(panel, NoteEditor, "note-editor")
    editor.selectAll()
    qtbot.keyClicks(editor, "batch began at ten")
    qtbot.keyClick(editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert note_texts(opened) == ["batch began at ten"]
    qtbot.mouseClick(child(panel, QToolButton, "note-trash"), Qt.MouseButton.LeftButton)
    assert note_texts(opened) == []
    undo = opened.workspace.commands.action("edit.undo")
    undo.trigger()
    assert note_texts(opened) == ["batch began at ten"]
    undo.trigger()
    assert note_texts(opened) == ["batch began at nine"], "the note that came back is the one that was edited"
    undo.trigger()
    assert note_texts(opened) == [] and not undo.isEnabled()
    for _ in range(3):
        opened.workspace.commands.action("edit.redo").trigger()
    assert note_texts(opened) == []


def test_notes_belong_to_their_thing(opened: MainWindow, qtbot: Any, idle: Idle) -> None:
    opened.tree.choose("artefact", 1)
    panel = opened.inspector._notes
    qtbot.keyClicks(panel.editor, "of the first")
    qtbot.mouseClick(panel._add, Qt.MouseButton.LeftButton)
    opened.tree.choose("artefact", 2)
    assert panel.notes() == []
    opened.tree.choose("artefact", 1)
    assert [n.text for n in panel.notes()] == ["of the first"]


def test_host_zone_is_the_users_word(opened: MainWindow, qtbot: Any, idle: Idle) -> None:
    from tunebench.ui.widgets.zone_box import ZoneBox

    opened.tree.choose("host", 1)
    box = child(opened.inspector, ZoneBox, "host-zone")
    box.set_zone("Asia/Tokyo")
    box.activated.emit(box.currentIndex())

    def zone() -> tuple[str, str]:
        (host,) = opened.workspace.overview.hosts  # type: ignore[union-attr]
        return host.zone, host.zone_source

    qtbot.waitUntil(lambda: zone() == ("Asia/Tokyo", "user"), timeout=60_000)


@pytest.mark.parametrize("kind", list(EventKind))
def test_every_kind_of_event_is_explained(opened: MainWindow, kind: EventKind) -> None:
    (view,) = [view for view in opened.workspace.overview.runs if view.artefacts][:1]  # type: ignore[union-attr]
    artefact = view.artefacts[0]
    event = CaptureEvent(kind, 1_184_810_400 * 10**9, None, "2 → 4")
    opened.workspace.inspect(InspectedEvent(StoredEvent(artefact.host_id, view.run.id, artefact.id, event)))
    said = words(opened)
    assert "2 → 4" in said and artefact.name in said
    assert not any(word.startswith("ui.") for word in said)


def test_the_zone_of_a_host_fits_a_narrow_inspector(opened: MainWindow) -> None:
    opened.tree.choose("host", 1)
    box = child(opened.inspector, QWidget, "host-zone")
    body = box.parentWidget()
    assert body is not None
    assert body.minimumSizeHint().width() <= 180


def test_a_long_file_name_does_not_push_the_figures_out(opened: MainWindow) -> None:
    (view,) = opened.workspace.overview.runs[:1]  # type: ignore[union-attr]
    name = "db01_mpstat_26.11.22.0300.dat" * 3
    opened.workspace.inspect(InspectedCapture(replace(view.artefacts[0], name=name)))
    title = child(opened.inspector, QLabel, "inspector-title")
    body = title.parentWidget()
    assert body is not None and body.minimumSizeHint().width() <= 230
    assert "…" in title.text() and title.toolTip() == name


def test_nothing_selected_is_said(opened: MainWindow, idle: Idle) -> None:
    opened.workspace.inspect(None)
    assert any("Choose anything" in w for w in words(opened))
    assert not opened.inspector._notes.isVisible()


def run_of(window: MainWindow) -> tuple[str, Phase]:
    run = projects.overview(window.workspace.opened).runs[0].run
    return run.label, run.phase


def note_texts(window: MainWindow) -> list[str]:
    return [note.text for note in projects.list_notes(window.workspace.opened)]


def test_tree_list_and_inspector_show_the_same_capture(opened: MainWindow, idle: Idle) -> None:
    page = opened.page("captures")
    assert isinstance(page, CapturesPage)
    for artefact_id in (2, 3, 1):
        opened.tree.choose("artefact", artefact_id)
        assert page.ledger.entry is not None and page.ledger.entry.key == artefact_id
    page.table.selectRow(2)
    item = opened.tree.tree.currentItem()
    assert item is not None and page.ledger.entry is not None
    assert item.text(0) == page.ledger.entry.name
    assert isinstance(opened.inspector.shown, InspectedCapture)
    assert opened.inspector.shown.artefact.id == page.ledger.entry.key
