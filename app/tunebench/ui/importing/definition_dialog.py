"""Table definition: the sample left, the definition right, what it reads below; saved it is in use at once."""

from __future__ import annotations

import copy
import re
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QLineEdit, QWidget

from tunebench.columns.formats import format_count
from tunebench.core.errors import UserError
from tunebench.domain.bundle import Bundle
from tunebench.ui.importing.definition_form import DefinitionForm
from tunebench.ui.importing.fields import DraftController
from tunebench.ui.importing.preview_pane import PreviewPane, SampleView
from tunebench.ui.look.language import error_text, language, text
from tunebench.ui.look.theme import SPACE_L, SPACE_M
from tunebench.ui.widgets.parts import ElidedLabel, button, column, label, panel, row, set_tone, splitter
from tunebench.ui.workspace import Workspace
from tunebench.usecases.importing import table_definitions
from tunebench.usecases.importing.table_definitions import Preview, Sample

WAIT_MS = 60
"""After the last stroke; with the reading itself the preview is there within 300 ms."""
LARGEST = (1680, 980)
PREVIEW_PX = 210


class DefinitionDialog(QDialog):
    """`saved` carries (the plug-in's folder, whether the file is to be imported now)."""

    saved = Signal(object, bool)

    def __init__(self, workspace: Workspace, sample: Sample, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self.sample = sample
        self.preview = Preview(())
        self._unsaved = False
        name = proposed_name(sample.name)
        stored = table_definitions.load(name)
        self.controller = DraftController(stored or table_definitions.guess(sample, name))
        self._make_parts(table_definitions.metrics(language().code), name)
        self._lay_out()
        self._connect()
        self.view.show_lines(sample.lines)
        self.form.fields["tool"].widget.setFocus()
        self._say(text("ui.tables.loaded" if stored else "ui.tables.guessed"))
        self.try_now()

    # --- building
    def _make_parts(self, metrics: tuple[tuple[str, str, str], ...], name: str) -> None:
        self.setWindowTitle(text("ui.tables.title"))
        self._title = label(text("ui.tables.title"), "title")
        self._file = ElidedLabel(self.sample.path, "muted")
        self.sure = label(role="strong")
        self.view = SampleView()
        self.view.setAccessibleName(text("ui.tables.sample"))
        self.line_words = ElidedLabel(role="small", mode=Qt.TextElideMode.ElideRight)
        self.form = DefinitionForm(self.controller, metrics)
        self.pane = PreviewPane(self._workspace.zone)
        self.name = QLineEdit(name)
        self.name.setMaximumWidth(220)
        self.name.setAccessibleName(text("ui.tables.plugin_name"))
        self.name.setToolTip(text("ui.tables.plugin_name.tip"))
        self.message = ElidedLabel(role="muted", mode=Qt.TextElideMode.ElideRight)
        self.undo = button(text("ui.tables.undo"), "quiet", self.controller.stack.undo)
        self.redo = button(text("ui.tables.redo"), "quiet", self.controller.stack.redo)
        self.again = button(text("ui.tables.guess_again"), "quiet", self.guess_again)
        self.close_button = button(text("ui.action.close"), on_click=self.reject)
        self.save_button = button(text("ui.tables.save"), on_click=lambda: self.save(False))
        self.import_button = button(text("ui.tables.save_import"), "primary", lambda: self.save(True))
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(WAIT_MS)

    def _lay_out(self) -> None:
        head = row(self._title, (self._file, 1), self.sure, spacing=SPACE_L)
        head.addLayout(row(self.undo, self.redo, self.again))
        left = column((self.view, 1), self.line_words, spacing=4)
        sides = splitter(panel(left), self.form, shares=(10, 11))
        whole = splitter(sides, self.pane, down=True, shares=(1,))
        named = label(text("ui.tables.plugin_name"), "small")
        buttons = (self.close_button, self.save_button, self.import_button)
        foot = row(named, self.name, (self.message, 1), *buttons, spacing=SPACE_M)
        self.setLayout(column(head, (whole, 1), foot, margins=(SPACE_L, SPACE_M, SPACE_L, SPACE_M)))
        self._take_size()
        whole.setSizes([self.height() - PREVIEW_PX - 110, PREVIEW_PX])
        sides.setSizes([self.width() * 10 // 21, self.width() * 11 // 21])

    def _take_size(self) -> None:
        """Makes the dialog as large as the window below it, up to what is still easy to look over."""
        parent = self.parentWidget()
        around = parent.window().size() if parent is not None else self.screen().availableSize()
        self.resize(min(around.width() - 32, LARGEST[0]), min(around.height() - 24, LARGEST[1]))

    def _connect(self) -> None:
        self.controller.changed.connect(self._on_change)
        self.controller.stack.indexChanged.connect(self._show_undo)
        self._timer.timeout.connect(self.try_now)
        self.view.line_chosen.connect(self._show_line)
        self.pane.fault_chosen.connect(self.form.reveal)
        self.pane.line_chosen.connect(self.show_sample_line)
        self.name.textEdited.connect(self._on_name)
        QShortcut(QKeySequence.StandardKey.Undo, self, self.controller.stack.undo)
        QShortcut(QKeySequence.StandardKey.Redo, self, self.controller.stack.redo)
        self._show_undo()

    # --- the preview
    def _on_change(self) -> None:
        self._unsaved = True
        self._timer.start()

    def try_now(self) -> None:
        """Tries the draft as it stands; the newest answer is shown."""
        draft, sample, zone = copy.deepcopy(self.controller.draft), self.sample, self._workspace.zone.key
        self._workspace.jobs.run(
            "cpu",
            lambda _handle: table_definitions.preview(draft, sample, zone),
            owner=self,
            slot="preview",
            on_result=self._show,
        )

    def _show(self, preview: Preview) -> None:
        self.preview = preview
        self.pane.show_preview(preview)
        self.form.mark(preview.problems)
        if not preview.faulty:
            self.view.show_taken(preview.taken)
            self.form.show_names(preview.names)
            self.form.mark(preview.problems)
        sure = preview.confidence >= 0.3 and not preview.faulty
        words = "faulty" if preview.faulty else "known" if sure else "unknown"
        self.sure.setText(text(f"ui.tables.sure.{words}", percent=format_count(round(preview.confidence * 100))))
        set_tone(self.sure, "critical" if preview.faulty else "ok" if sure else "warning")
        for control in (self.save_button, self.import_button):
            control.setEnabled(not preview.faulty)
        self.import_button.setEnabled(sure and self._workspace.writable)
        self._show_line(self.view.textCursor().blockNumber() + 1)

    def _show_line(self, number: int) -> None:
        words = self.view.words_of(number)
        self.line_words.set_words(text("ui.tables.line", number=format_count(number), what=words) if words else "")

    def show_sample_line(self, number: int) -> None:
        block = self.view.document().findBlockByNumber(number - 1)
        if block.isValid():
            cursor = self.view.textCursor()
            cursor.setPosition(block.position())
            self.view.setTextCursor(cursor)
            self.view.centerCursor()

    def _show_undo(self) -> None:
        self.undo.setEnabled(self.controller.stack.canUndo())
        self.redo.setEnabled(self.controller.stack.canRedo())

    def guess_again(self) -> None:
        self.controller.replace(table_definitions.guess(self.sample, self.name.text().strip() or "table"))

    # --- saving
    def _on_name(self) -> None:
        self._unsaved = True
        set_tone(self.name, "", "state")

    def save(self, then_import: bool) -> None:
        try:
            folder = table_definitions.save(self.controller.draft, self.name.text().strip(), self.sample)
        except UserError as error:
            if error.key == "plugin_name":
                set_tone(self.name, "wrong", "state")
                self.name.setFocus()
            self._say(error_text(error), "critical")
            return
        self._unsaved = False
        self._say(text("ui.tables.saved", folder=str(folder)), "ok")
        self.saved.emit(folder, then_import)
        if then_import:
            self.accept()

    def _say(self, sentence: str, tone: str = "") -> None:
        self.message.set_words(sentence)
        set_tone(self.message, tone)

    def reject(self) -> None:
        """Closing with changes that are not saved asks once more: the button then says so."""
        if self._unsaved and self.controller.stack.canUndo() and self.close_button.property("asked") is None:
            self.close_button.setProperty("asked", True)
            self.close_button.setText(text("ui.tables.discard"))
            self._say(text("ui.tables.unsaved"), "warning")
            return
        super().reject()

    def done(self, result: int) -> None:
        self._timer.stop()
        super().done(result)


def proposed_name(file_name: str) -> str:
    """``Broker-Q_20261121.log`` -> ``broker_q``: a name that a plug-in may have."""
    stem = Path(file_name).name.partition(".")[0].lower()
    name = re.sub(r"[^a-z0-9]+", "_", re.sub(r"\d{4,}", "", stem)).strip("_0123456789")
    return name[:40].rstrip("_") or "my_table"


class Describing(QObject):
    """The way from a file that no parser knows to its definition, and from there to its import.

    `described` carries the path to import (a file, or the archive that holds it) and the path of what was described,
    once its definition is in use.
    """

    described = Signal(object, str)

    def __init__(self, workspace: Workspace, page: QWidget) -> None:
        super().__init__(page)
        self._workspace, self._page = workspace, page

    def file(self, path: Path) -> None:
        """Opens the dialog on a file; one that cannot be read is reported instead."""
        self._workspace.attempt(lambda: self._open(table_definitions.read_sample(path), path))

    def member(self, bundle: Bundle, name: str) -> None:
        """Opens the dialog on a member; it is read on another thread, as its archive may be large."""
        self._workspace.jobs.run(
            "cpu",
            lambda handle: table_definitions.read_member(bundle, name, handle),
            owner=self,
            slot="sample",
            on_result=lambda sample: self._open(sample, Path(bundle.path)),
            title_key="ui.job.member_sample",
        )

    def _open(self, sample: Sample, source: Path) -> None:
        dialog = DefinitionDialog(self._workspace, sample, self._page.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()
        dialog.saved.connect(
            lambda _folder, then_import: self.described.emit(source, sample.path) if then_import else None
        )
