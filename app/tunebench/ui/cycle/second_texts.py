"""Every text of the records beside what it is in the second language: one table to translate in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from PySide6.QtWidgets import QWidget

from tunebench.columns.column import Column, Edit
from tunebench.core import records
from tunebench.core.grouping import by_key
from tunebench.domain.cycle.book import CycleBook, CycleEdit, Record
from tunebench.domain.record_labels import label as record_label
from tunebench.domain.translations import is_current, is_wanted, text_of, texts_to_read
from tunebench.reporting.cycle_words import field_word
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.look.language import language, text, translated, window_locale
from tunebench.ui.tables.grid import GridView
from tunebench.ui.tables.grid_model import CellModel
from tunebench.ui.tables.problem_card import ProblemCard
from tunebench.ui.widgets.parts import column, label
from tunebench.ui.workspace import Workspace
from tunebench.usecases.cycle import edits

WIDTHS = {"record": 136, "field": 72, "text": 226, "second": 226, "state": 104}


@records.record
class TextRow:
    """A text of a record; `state` is ``missing`` where a reader needs another text, ``outdated`` where the text was
    changed since, or empty."""

    record: Record
    path: str
    text: str
    second: str = ""
    state: str = ""


def rows_of(book: CycleBook, code: str) -> Iterator[TextRow]:
    for record in book:
        for path, holder in texts_to_read(record):
            name = path.rpartition(".")[2]
            translation, words = holder.translation(name, code), text_of(holder, name)
            if translation is None:
                yield TextRow(record, path, words, state="missing" if is_wanted(words, code) else "")
            else:
                state = "" if is_current(holder, translation) else "outdated"
                yield TextRow(record, path, words, translation.text, state)


def _columns() -> list[Column[TextRow]]:
    def write(row: TextRow, words: str, _locale: object) -> TextRow:
        return replace(row, second=words)

    return [
        Column("record", "ui.second.record", text=lambda row, _: record_label(row.record)),
        Column("field", "ui.second.field", text=lambda row, _: field_word(row.path, language().code)),
        Column("text", "ui.second.text", text=lambda row, _: row.text),
        Column("second", "ui.second.second", text=lambda row, _: row.second, edit=Edit(write)),
        Column("state", "ui.second.state", text=lambda row, _: text(f"ui.second.{row.state}") if row.state else ""),
    ]


class SecondTexts(QWidget):
    """Of an engagement that is kept in two languages; empty in any other."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._controller = CycleController.of(workspace)
        self.model = CellModel(_columns(), self._store)
        self.table = translated(GridView(self.model), accessibleName="ui.engagement.tab.translations")
        self.problems = ProblemCard()
        self.problems.follow(self.table, workspace.say)
        self._hint = label(role="muted", wrap=True)
        self.setLayout(column(self._hint, (self.table, 1), self.problems))
        for index, width in enumerate(WIDTHS.values()):
            self.table.setColumnWidth(index, width)
        self._controller.changed.connect(self.reload)
        language().follow(self.reload)

    def reload(self) -> None:
        code = self._controller.second_language
        rows = tuple(rows_of(self._controller.book, code)) if code else ()
        self.model.show(rows, window_locale(), self._controller.writable)
        lacking = sum(1 for row in rows if row.state)
        words = text(f"ui.language.{code}") if code else ""
        self._hint.setText(text("ui.second.hint", language=words, count=lacking, of=len(rows)))

    def _store(self, rows: Sequence[TextRow]) -> bool:
        pairs = zip(self.model.rows, rows, strict=True)
        typed = by_key((new.record.id, new) for old, new in pairs if new != old)
        return not typed or self._controller.attempt(lambda: self._edit(typed))

    def _edit(self, typed: dict[int, list[TextRow]]) -> CycleEdit:
        """One step of undo, however many were pasted."""
        book, code = self._controller.book, self._controller.second_language
        changes = (
            edits.change_typed(book, id_, {f"{row.path}@{code}": row.second for row in rows})
            for id_, rows in typed.items()
        )
        return edits.together("change_texts", *changes)
