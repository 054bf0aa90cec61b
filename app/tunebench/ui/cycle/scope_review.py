"""A questionnaire that came back: what it would change, or the cells that are wrong, before anything is taken in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from tunebench.core.errors import UserError
from tunebench.domain.tabbed_text import to_tabbed
from tunebench.reporting.forms.reading import CellProblem, problem_text, problem_words
from tunebench.ui.look.language import error_text, language, text, translated
from tunebench.ui.look.theme import ROW_HEIGHT, SPACE_M, current_theme
from tunebench.ui.widgets.parts import ElidedLabel, button, column, label, row, set_tone
from tunebench.usecases.cycle import questionnaire
from tunebench.usecases.cycle.questionnaire import Difference, Proposal

_PROBLEM_COLUMNS = ("sheet", "cell", "problem")
_CHANGE_COLUMNS = ("sheet", "record", "field", "before", "after")
LINE_GAP_PX = 6
_WIDE = ("record", "before", "after", "problem")


class QuestionnaireReview(QWidget):
    """Stands in the place of the tables until it is decided on.

    `take` gets the proposal, `again` reads the file anew, `close` goes back to the tables.
    """

    def __init__(
        self, take: Callable[[Proposal], object], again: Callable[[Path], object], close: Callable[[], object]
    ) -> None:
        super().__init__()
        self._path = Path()
        self._proposal: Proposal | None = None
        self._refused: UserError | None = None
        self._title = translated(label(role="section"), "ui.scope.review")
        self._file = ElidedLabel(role="muted")
        self._verdict = label(wrap=True)
        self._remarks = label(role="small", wrap=True)
        self.table = translated(QTableWidget(), accessibleName="ui.scope.review")
        self.take_button = translated(
            button(kind="primary", on_click=lambda: self._proposal and take(self._proposal)), "ui.scope.take"
        )
        self.again_button = translated(button(on_click=lambda: again(self._path)), "ui.scope.read_again")
        self.copy_button = translated(button(on_click=self.copy), "ui.scope.copy_problems")
        self.close_button = button(on_click=close)
        self._lay_out()
        language().changed.connect(self.retranslate)

    def _lay_out(self) -> None:
        self.setLayout(
            column(
                row(self._title, (self._file, 1), spacing=SPACE_M),
                self._verdict,
                (self.table, 1),
                self._remarks,
                row(1, self.copy_button, self.again_button, self.close_button, self.take_button),
            )
        )
        table = self.table
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setShowGrid(False)
        table.setTabKeyNavigation(False)
        table.verticalHeader().hide()
        table.verticalHeader().setMinimumSectionSize(ROW_HEIGHT - LINE_GAP_PX)
        table.horizontalHeader().setHighlightSections(False)
        table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)

    # --- what came
    def show_proposal(self, proposal: Proposal) -> None:
        self._path, self._proposal, self._refused = proposal.path, proposal, None
        self.retranslate()
        (self.close_button if proposal.is_empty else self.take_button).setFocus()

    def show_refusal(self, path: Path, refused: UserError) -> None:
        """Cells are wrong, or the file is none of ours."""
        self._path, self._proposal, self._refused = path, None, refused
        self.retranslate()
        self.again_button.setFocus()

    def retranslate(self) -> None:
        self._file.set_words(str(self._path))
        self.close_button.setText(text("ui.scope.close" if self._refused else "ui.scope.cancel"))
        if self._proposal is not None:
            self._show_changes(self._proposal)
        elif self._refused is not None:
            self._show_problems(self._refused)

    def _show_changes(self, proposal: Proposal) -> None:
        of_record = attrgetter("form", "record", "added")
        by_record = [
            list(differences)
            for _, differences in groupby(questionnaire.differences(proposal, language().code), of_record)
        ]
        added = sum(differences[0].added for differences in by_record)
        changed = sum(len(differences) for differences in by_record if not differences[0].added)
        key = "ui.scope.nothing_new" if proposal.is_empty else "ui.scope.would_change"
        self._say(text(key, added=added, changed=changed), "")
        self._fill(_CHANGE_COLUMNS, [line for differences in by_record for line in _lines(differences)])
        down = 0
        for differences in by_record:
            self._dress(down, differences)
            down += 1 if differences[0].added else len(differences)
        self._show_remarks(proposal.remarks)
        self._offer(take=not proposal.is_empty, again=False, copy=False)

    def _dress(self, down: int, of_record: Sequence[Difference]) -> None:
        """What is new is named in colour, its answers over two columns; what stood there is quiet."""
        if of_record[0].added:
            _coloured(self.table.item(down, 2), current_theme().accent)
            self.table.setSpan(down, 3, 1, 2)
            return
        for line in range(down, down + len(of_record)):
            _coloured(self.table.item(line, 3), current_theme().muted)

    def _show_problems(self, refused: UserError) -> None:
        problems = _problem_rows(refused)
        words = text("ui.scope.cells_wrong", count=len(problems)) if problems else error_text(refused)
        self._say(words, "critical")
        self._fill(_PROBLEM_COLUMNS, problems)
        self._show_remarks(())
        self._offer(take=False, again=True, copy=bool(problems))

    def _say(self, words: str, tone: str) -> None:
        self._verdict.setText(words)
        set_tone(self._verdict, tone)

    def _show_remarks(self, remarks: Sequence[CellProblem]) -> None:
        code = language().code
        self._remarks.setText("\n".join(problem_text(remark, code) for remark in remarks))
        self._remarks.setVisible(bool(remarks))

    def _offer(self, *, take: bool, again: bool, copy: bool) -> None:
        self.take_button.setVisible(take)
        self.again_button.setVisible(again)
        self.copy_button.setVisible(copy)

    def _fill(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        table = self.table
        table.setVisible(bool(rows))
        table.clearSpans()
        table.setColumnCount(len(columns))
        table.setRowCount(len(rows))
        table.setHorizontalHeaderLabels([text(f"ui.scope.column.{name}") for name in columns])
        for at, name in enumerate(columns):
            how = QHeaderView.ResizeMode.Stretch if name in _WIDE else QHeaderView.ResizeMode.ResizeToContents
            table.horizontalHeader().setSectionResizeMode(at, how)
        for down, cells in enumerate(rows):
            for across, words in enumerate(cells):
                item = QTableWidgetItem(words)
                item.setToolTip(words)
                table.setItem(down, across, item)
        table.resizeRowsToContents()
        for down in range(table.rowCount()):
            table.setRowHeight(down, table.rowHeight(down) + LINE_GAP_PX)

    def copy(self) -> None:
        """The list as it can be mailed to whoever filled the questionnaire in."""
        if self._refused is not None:
            QGuiApplication.clipboard().setText(to_tabbed(_problem_rows(self._refused)))


def _lines(of_record: Sequence[Difference]) -> Iterator[tuple[str, ...]]:
    """A new record on one line, a known one field by field."""
    first = of_record[0]
    sheet = text(f"form.{first.form}.sheet")
    if first.added:
        answers = " · ".join(f"{_field(difference)}: {difference.after}" for difference in of_record)
        yield sheet, first.record, text("ui.scope.is_new"), answers, ""
        return
    for difference in of_record:
        yield sheet, difference.record, _field(difference), difference.before or "–", difference.after


def _field(difference: Difference) -> str:
    return text(f"form.{difference.form}.{difference.field}")


def _coloured(item: QTableWidgetItem | None, colour: QColor) -> None:
    if item is not None:
        item.setForeground(colour)


def _problem_rows(refused: UserError) -> list[tuple[str, str, str]]:
    problems: Sequence[CellProblem] = getattr(refused, "problems", ())
    return [(problem.sheet, problem.cell, problem_words(problem, language().code)) for problem in problems]
