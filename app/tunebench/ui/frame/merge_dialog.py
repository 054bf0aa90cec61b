"""What two copies say differently, put to a person: both sides, who and when, and what shall hold."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QComboBox, QDialog, QWidget

from tunebench.ui.look.language import language, text
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_S, SPACE_XL
from tunebench.ui.widgets.parts import button, card, column, label, row, scrolling, selectable
from tunebench.usecases.merging.conflicts import Choice, Conflict
from tunebench.usecases.merging.words import choice_word, side_texts, subject_text

WIDTH_PX, HEIGHT_PX, CHOICE_PX = 760, 560, 150


class MergeDialog(QDialog):
    """`choices` holds what was decided; what stays at its usual outcome is left to it.

    Args:
        other: name of the copy that is merged in.
    """

    def __init__(self, conflicts: Sequence[Conflict], other: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModal(True)
        self.setWindowTitle(text("ui.merge"))
        self._boxes: dict[str, QComboBox] = {}
        about = "ui.merge.about" if conflicts else "ui.merge.none"
        words = label(text(about, name=other, count=len(conflicts)), wrap=True)
        cards = QWidget()
        column(*(self._card(conflict) for conflict in conflicts), 1, spacing=SPACE_S, of=cards)
        area = scrolling(cards, sideways=False, framed=False)
        area.setVisible(bool(conflicts))
        self.ok = button(text("ui.merge.write"), "primary", self.accept)
        self.ok.setDefault(True)
        buttons = row(1, button(text("ui.key.cancel"), on_click=self.reject), self.ok)
        margins = (SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        self.setLayout(column(words, (area, 1), buttons, spacing=SPACE_M, margins=margins))
        self.resize(WIDTH_PX, HEIGHT_PX if conflicts else self.sizeHint().height())

    @property
    def choices(self) -> dict[str, Choice]:
        return {key: Choice(box.currentData()) for key, box in self._boxes.items() if box.currentData()}

    def _card(self, conflict: Conflict) -> QWidget:
        code = language().code
        box = QComboBox()
        box.setFixedWidth(CHOICE_PX)
        box.setAccessibleName(subject_text(conflict, code))
        box.addItem(text("ui.merge.undecided", choice=choice_word(conflict.usual, code)), "")
        for choice in conflict.choices:
            box.addItem(choice_word(choice, code), str(choice))
        self._boxes[conflict.key] = box
        sides = [
            selectable(label(text(f"ui.merge.{side}", side=stated), "small", wrap=True))
            for side, stated in zip(("mine", "theirs"), side_texts(conflict, code), strict=True)
        ]
        return card(column(row((label(subject_text(conflict, code), wrap=True), 1), box), *sides, margins=SPACE_M))
