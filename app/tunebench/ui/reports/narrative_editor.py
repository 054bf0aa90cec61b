"""The texts of the success case: one numbered list per section, typed like in any word processor."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFocusEvent, QTextBlockFormat, QTextCursor, QTextListFormat, QTextOption
from PySide6.QtWidgets import QButtonGroup, QScrollArea, QSizePolicy, QTextEdit, QToolButton, QWidget

from tunebench.core.messages import LANGUAGES
from tunebench.domain.engagement import Narrative, Section
from tunebench.ui.look.language import text, translated
from tunebench.ui.look.theme import SPACE_M, SPACE_XS
from tunebench.ui.reports.edits import edit_narrative
from tunebench.ui.typing import mark_stored, stored_soon
from tunebench.ui.widgets.parts import column, label, lock, row
from tunebench.ui.workspace import Workspace
from tunebench.usecases import projects

LINE_SEPARATOR = "\u2028"
LEAST_HEIGHT = 64
LINE_HEIGHT_PCT = 125.0


class NumberedEdit(QTextEdit):
    """Every paragraph is one numbered item; Enter begins the next, Shift+Enter a new line within the item."""

    finished = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAcceptRichText(False)
        self.setTabChangesFocus(True)
        self.setWordWrapMode(QTextOption.WrapMode.WordWrap)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().setIndentWidth(24)
        self.textChanged.connect(self._on_change)
        self.document().documentLayout().documentSizeChanged.connect(lambda _size: self._fit())
        self._numbering = False

    def items(self) -> tuple[str, ...]:
        """The paragraphs that hold anything."""
        lines = self.toPlainText().split("\n")
        document = self.document()
        blocks = [document.findBlockByNumber(number).text() for number in range(len(lines))]
        cleaned = (words.replace(LINE_SEPARATOR, "\n").strip() for words in blocks)
        return tuple(words for words in cleaned if words)

    def show_items(self, items: tuple[str, ...]) -> None:
        if items == self.items() and self.toPlainText().strip():
            return
        with QSignalBlocker(self):
            self.setPlainText("")
            cursor = self.textCursor()
            for index, words in enumerate(items):
                if index:
                    cursor.insertBlock()
                cursor.insertText(words.replace("\n", LINE_SEPARATOR))
        self._number()
        self.document().clearUndoRedoStacks()
        mark_stored(self)
        self._fit()

    def _on_change(self) -> None:
        self._number()
        self._fit()

    def _number(self) -> None:
        """Paragraphs that are in no list yet (the first one typed, pasted ones) join it."""
        if self._numbering or not self.toPlainText().strip():
            return
        blocks = map(self.document().findBlockByNumber, range(self.document().blockCount()))
        if all(block.textList() is not None for block in blocks):
            return
        self._numbering = True
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        spaced = QTextBlockFormat()
        spaced.setLineHeight(LINE_HEIGHT_PCT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        cursor.mergeBlockFormat(spaced)
        cursor.createList(QTextListFormat.Style.ListDecimal)
        self._numbering = False

    def _fit(self) -> None:
        """Makes the field as high as its text: the page scrolls, not the field."""
        self.setFixedHeight(max(LEAST_HEIGHT, round(self.document().size().height()) + 14))

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.finished.emit()


class NarrativeEditor(QScrollArea):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._stored: dict[Section, tuple[str, ...]] = {}
        self._language = ""
        self.setWidgetResizable(True)
        self.edits = {section: NumberedEdit() for section in Section}
        self._titles = {section: label(role="strong") for section in Section}
        self._hint = translated(label(role="muted"), "ui.narrative.hint")
        self._languages = {code: translated(QToolButton(), f"ui.language.{code}") for code in LANGUAGES}
        self._group = QButtonGroup(self)
        self._lay_out()
        for section, edit in self.edits.items():
            stored_soon(edit, partial(self.save, section))
            edit.finished.connect(lambda section=section: self.save(section))
        for section, edit in self.edits.items():
            translated(self._titles[section], f"ui.narrative.{section.value}")
            translated(
                edit,
                accessibleName=f"ui.narrative.{section.value}",
                placeholderText=f"ui.narrative.{section.value}.hint",
            )

    def _lay_out(self) -> None:
        inner = QWidget()
        for code, button in self._languages.items():
            button.setCheckable(True)
            self._group.addButton(button)
            button.clicked.connect(lambda _on=False, code=code: self.show_language(code))
        inside = column(row((self._hint, 1), *self._languages.values()), spacing=SPACE_XS, margins=(0, 0, SPACE_M, 0))
        inner.setLayout(inside)
        for section, edit in self.edits.items():
            inside.addSpacing(SPACE_M)
            inside.addWidget(self._titles[section])
            inside.addWidget(edit)
        inside.addStretch(1)
        self.setWidget(inner)

    @property
    def language(self) -> str:
        return self._language

    def show_language(self, code: str) -> None:
        """Switch to the texts of another language; what is typed is saved first."""
        self.save_all()
        self._language = code
        self._languages[code].setChecked(True)
        self.reload()

    def reload(self) -> None:
        """Show what the project holds."""
        if self._workspace.project is None or not self._language:
            return
        stored = projects.read_narrative(self._workspace.project, self._language)
        self._stored = {section: _texts(stored, section) for section in Section}
        for section, edit in self.edits.items():
            edit.show_items(self._stored[section])
            edit.setReadOnly(not self._workspace.writable)
            edit.setPlaceholderText(text(f"ui.narrative.{section.value}.hint") if self._workspace.writable else "")
            lock(edit, not self._workspace.writable)
        self._hint.setText(text("ui.narrative.hint" if self._workspace.writable else "ui.locked.table"))

    def save_all(self) -> None:
        for section in self.edits:
            self.save(section)

    def save(self, section: Section) -> bool:
        """Writes the section if it has changed; gives whether the project holds it."""
        if self._workspace.project is None or not self._workspace.writable or not self._language:
            return False
        new, old = self.edits[section].items(), self._stored.get(section, ())
        if new != old:
            self._stored[section] = new
            edit_narrative(self._workspace, (section, self._language), old, new, self.reload)
        return self._stored[section] == self.edits[section].items()


def _texts(stored: list[Narrative], section: Section) -> tuple[str, ...]:
    paragraphs = sorted((item for item in stored if item.section is section), key=lambda item: item.position)
    return tuple(item.text for item in paragraphs)
