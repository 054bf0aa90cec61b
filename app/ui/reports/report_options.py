"""What an issue of the document is: shape, language, date, and the windows that it is about."""

from __future__ import annotations

from datetime import date

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFrame, QLineEdit

from app.core.messages import LANGUAGES
from app.reporting.shapes import PRINTED, Shape
from app.ui.look.language import text, translated
from app.ui.look.theme import SPACE_M, SPACE_XS
from app.ui.reports.details_form import is_date
from app.ui.widgets.parts import button, column, label, row, set_tone
from app.ui.widgets.window_picker import WindowPicker


class ReportOptions(QFrame):
    """Signals:
    changed: shape, language or date are others now.
    window_picked: (side, `Window`).
    export_asked: ``pdf``, ``xlsx``, ``html`` or ``pptx``.
    """

    changed = Signal()
    window_picked = Signal(str, object)
    export_asked = Signal(str)
    folder_asked = Signal()
    verify_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self.shape = translated(QComboBox(), accessibleName="ui.report.shape")
        self.shape.addItems(list(PRINTED))
        self.language = translated(QComboBox(), accessibleName="ui.report.language")
        self.language.addItems(list(LANGUAGES))
        self.issued = translated(QLineEdit(), accessibleName="ui.report.issued", placeholderText="ui.report.draft")
        self.today = translated(button(kind="quiet", on_click=self._take_today), "ui.report.today")
        self.windows = {side: WindowPicker() for side in ("before", "after")}
        for side, picker in self.windows.items():
            picker.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            picker.picked.connect(lambda window, of=side: self.window_picked.emit(of, window))
            translated(picker, accessibleName=f"ui.compare.side.{side}.run")
        self.export_pdf = translated(
            button(kind="primary", on_click=lambda: self.export_asked.emit("pdf")), "ui.report.export_pdf"
        )
        self.export_xlsx = translated(button(on_click=lambda: self.export_asked.emit("xlsx")), "ui.report.export_xlsx")
        self.export_html = translated(button(on_click=lambda: self.export_asked.emit("html")), "ui.report.export_html")
        self.export_pptx = translated(button(on_click=lambda: self.export_asked.emit("pptx")), "ui.report.export_pptx")
        self.exports = (self.export_pdf, self.export_pptx, self.export_xlsx, self.export_html)
        self.verify = translated(button(kind="quiet", on_click=self.verify_asked.emit), "ui.report.verify")
        self.result = label(role="muted", wrap=True)
        self.open_folder = translated(button(kind="link", on_click=self.folder_asked.emit), "ui.report.open_folder")
        self._titles = {
            name: translated(label(role="small"), f"ui.report.{name}")
            for name in ("shape", "language", "issued", "facts")
        }
        self._sides = {
            side: translated(label(role="small", tone=side), f"ui.compare.side.{side}") for side in self.windows
        }
        self._facts = label(role="muted", wrap=True)
        self._glyphs = label(role="small", tone="warning", wrap=True)
        self.open_folder.hide()
        self._glyphs.hide()
        self._lay_out()
        for box in (self.shape, self.language):
            box.activated.connect(lambda _place: self.changed.emit())
        self.issued.editingFinished.connect(self._on_date)
        self._last_date = ""
        translated(self.shape, itemText=[f"ui.report.shape.{each}" for each in PRINTED])
        translated(self.language, itemText=[f"ui.language.{code}" for code in LANGUAGES])

    def _lay_out(self) -> None:
        dated = row((self.issued, 1), self.today, spacing=SPACE_XS)
        sides = (part for side, picker in self.windows.items() for part in (self._sides[side], picker))
        facts = (self._titles["facts"], self._facts, self._glyphs, 1, self.result, row(self.open_folder, 1))
        groups = (
            column(self._titles["shape"], self.shape, spacing=SPACE_XS),
            column(self._titles["language"], self.language, spacing=SPACE_XS),
            column(self._titles["issued"], dated, spacing=SPACE_XS),
            column(*sides, spacing=SPACE_XS),
            (column(*facts, spacing=SPACE_XS), 1),
            column(*self.exports, self.verify, spacing=SPACE_XS),
        )
        self.setLayout(column(*groups, spacing=SPACE_M, margins=SPACE_M))
        self._titles["shape"].setBuddy(self.shape)
        self._titles["language"].setBuddy(self.language)
        self._titles["issued"].setBuddy(self.issued)

    @property
    def wanted_shape(self) -> Shape:
        return PRINTED[max(self.shape.currentIndex(), 0)]

    @property
    def code(self) -> str:
        return LANGUAGES[max(self.language.currentIndex(), 0)]

    def choose_language(self, code: str) -> None:
        if code in LANGUAGES:
            self.language.setCurrentIndex(LANGUAGES.index(code))

    @property
    def date(self) -> str:
        """ISO, or empty for a draft."""
        words = self.issued.text().strip()
        return words if is_date(words) else ""

    def show_facts(self, pages: int, tables: int, figures: int) -> None:
        self._facts.setText(text("ui.report.counts", pages=pages, tables=tables, figures=figures))

    def warn_of_glyphs(self, characters: tuple[str, ...]) -> None:
        points = ", ".join(f"U+{ord(character):04X}" for character in characters[:8])
        self._glyphs.setText(text("ui.report.glyphs", points=points))
        self._glyphs.setVisible(bool(characters))

    def show_result(self, sentence: str, *, written: bool) -> None:
        self.result.setText(sentence)
        self.open_folder.setVisible(written)

    def set_busy(self, busy: bool) -> None:
        for each in (*self.exports, self.verify):
            each.setEnabled(not busy)

    def _take_today(self) -> None:
        self.issued.setText(date.today().isoformat())
        self._on_date()

    def _on_date(self) -> None:
        words = self.issued.text().strip()
        set_tone(self.issued, "" if is_date(words) else "wrong", "state")
        if is_date(words) and words != self._last_date:
            self._last_date = words
            self.changed.emit()
