"""A ready experiment before it is made: its places and sizes, and which levels of each factor are wanted."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QFormLayout, QLineEdit, QWidget

from app.ui.look import fonts
from app.ui.look.language import text
from app.ui.look.theme import SPACE_L, SPACE_M, SPACE_XL
from app.ui.widgets.parts import button, column, label, row
from app.usecases.experiments.matrices import Matrix

WIDTH = 620


class MatrixDialog(QDialog):
    """`values` and `only`, as `matrices.matrix_edit` takes them."""

    def __init__(self, matrix: Matrix, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModal(True)
        self.setWindowTitle(matrix.title)
        self._matrix = matrix
        self.settings = {each.name: QLineEdit(each.default) for each in matrix.settings}
        self.levels = {
            each.name: QLineEdit(" | ".join(level.name for level in each.levels)) for each in matrix.made.factors
        }
        form = QFormLayout()
        form.setSpacing(SPACE_M)
        for setting in matrix.settings:
            form.addRow(setting.label, self.settings[setting.name])
        for name, field in self.levels.items():
            form.addRow(text("ui.experiments.matrix.levels", factor=name), field)
        for line in (*self.settings.values(), *self.levels.values()):
            line.setFont(fonts.code_font())
            line.setCursorPosition(0)
        ok = button(text("ui.experiments.matrix.do"), "primary", self.accept)
        ok.setDefault(True)
        buttons = row(1, button(text("ui.experiments.cancel"), on_click=self.reject), ok)
        said = label(f"{matrix.summary}\n{matrix.source}", role="muted", wrap=True)
        self.setLayout(column(said, form, buttons, spacing=SPACE_M, margins=(SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)))
        self.setFixedWidth(WIDTH)

    @property
    def values(self) -> dict[str, str]:
        return {name: field.text() for name, field in self.settings.items()}

    @property
    def only(self) -> dict[str, list[str]]:
        """A factor whose levels hold what was set (`{raid}`) keeps them."""
        told = {each.name: [level.name for level in each.levels] for each in self._matrix.made.factors}
        chosen = {
            name: [level.strip() for level in field.text().split("|") if level.strip()]
            for name, field in self.levels.items()
        }
        return {name: levels for name, levels in chosen.items() if levels != told[name]}
