"""Why something sealed is changed, and who says so."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QDialog, QFormLayout, QLineEdit, QPlainTextEdit, QWidget

from tunebench.domain.cycle.seals import has_substance
from tunebench.ui.look.language import text
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_XL
from tunebench.ui.widgets.parts import button, column, label, row

WIDTH_PX, REASON_PX = 520, 96


class AmendmentDialog(QDialog):
    def __init__(self, why_asked: str, person: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModal(True)
        self.setWindowTitle(text("ui.cycle.amendment"))
        self.reason, self.person = QPlainTextEdit(), QLineEdit(person)
        self.reason.setTabChangesFocus(True)
        self.reason.setFixedHeight(REASON_PX)
        self.ok = button(text("ui.cycle.amendment.do"), "primary", self.accept)
        form = QFormLayout()
        form.setSpacing(SPACE_M)
        form.addRow(text("cycle.field.reason"), self.reason)
        form.addRow(text("cycle.field.amended_by"), self.person)
        buttons = row(1, button(text("ui.cycle.amendment.cancel"), on_click=self.reject), self.ok)
        margins = (SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        self.setLayout(column(label(why_asked, wrap=True), form, buttons, spacing=SPACE_M, margins=margins))
        self.setFixedWidth(WIDTH_PX)
        self.reason.textChanged.connect(self._judge)
        self.person.textChanged.connect(self._judge)
        self._judge()
        self.reason.setFocus()

    def _judge(self) -> None:
        self.ok.setEnabled(has_substance(self.reason.toPlainText()) and bool(self.person.text().strip()))


def ask_reason(why_asked: str, person: str) -> tuple[str, str] | None:
    """Reason and person; None where the dialog was cancelled."""
    dialog = AmendmentDialog(why_asked, person, QApplication.activeWindow())
    if dialog.exec() != QDialog.DialogCode.Accepted:
        return None
    return dialog.reason.toPlainText(), dialog.person.text()
