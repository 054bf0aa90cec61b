"""The numbers a statistician asks for, with what was done to them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from app.ui.capacity.number_rows import number_rows
from app.ui.look.language import language, text, translated
from app.ui.look.theme import SPACE_M, SPACE_S, SPACE_XS
from app.ui.widgets.facts import FactTable
from app.ui.widgets.parts import IconButton, column, label, panel, row, selectable
from app.usecases.capacity.outlook import Outlook
from app.usecases.capacity.words import said_text


class NumberCard(QFrame):
    def __init__(self, copy: Callable[[], object]) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._title = translated(label(role="strong"), "ui.capacity.numbers")
        self.copy_button = IconButton("copy", copy, key="ui.capacity.copy")
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        head = row(self._title, 1, self.copy_button)
        column(head, (self._scroll, 1), margins=(SPACE_M, SPACE_S, SPACE_XS, SPACE_S), of=self)
        self._outlook: Outlook | None = None
        language().changed.connect(self.retranslate)
        self.retranslate()

    def show_outlook(self, outlook: Outlook | None) -> None:
        self._outlook = outlook
        parts: list[QWidget] = []
        if outlook is not None:
            facts = FactTable()
            for one in number_rows(outlook):
                key = f"ui.capacity.number.{one.key}"
                facts.add(text(key), one.value, tip=text(f"{key}.tip"))
            parts.append(facts)
            for said in outlook.forecast.remarks:
                words = said_text(said, language().code, outlook.subject.info.unit)
                parts.append(selectable(label(f"· {words}", "small", wrap=True)))
            parts.append(selectable(label(text("ui.capacity.method.words"), "small", wrap=True)))
        self._scroll.setWidget(panel(column(*parts, 1, margins=(0, 0, SPACE_S, 0))))
        self.copy_button.setEnabled(outlook is not None)

    def retranslate(self) -> None:
        self.show_outlook(self._outlook)
