"""What a house puts its stamp on: colours, logo, sign-off boxes and the version table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPixmap
from PySide6.QtWidgets import QColorDialog, QDialog, QFileDialog, QFormLayout, QHBoxLayout, QLineEdit, QWidget

from tunebench.core.errors import UserError
from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.core.paths import documents_folder
from tunebench.reporting.look import MOST_SIGNERS, MOST_VERSIONS, ROLES, Look, look_in
from tunebench.ui.look.language import error_text, text
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_XL
from tunebench.ui.reports.chart_list import ChartList
from tunebench.ui.reports.row_table import RowTable
from tunebench.ui.widgets.parts import button, caption, column, label, row, set_tone
from tunebench.usecases.reports.designs import read_logo

WIDTH_PX = 640
LOGO_PX = (150, 44)


class LookDialog(QDialog):
    """`look` is another one once it was accepted.

    Args:
        charts: id -> title of the series that may be drawn.
    """

    def __init__(self, look: Look, charts: Mapping[str, str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModal(True)
        self.setWindowTitle(text("ui.report.look"))
        self.look, self._logo = look, look.logo
        self.accent, self.second = QLineEdit(look.accent), QLineEdit(look.second)
        self.logo = label(role="muted")
        self.signers = RowTable("ui.report.look.signers", ("role", "name"), MOST_SIGNERS)
        self.signers.show_rows([[_role_words(signer.role), signer.name] for signer in look.signers])
        self.versions = RowTable("ui.report.look.versions", ("number", "date", "author", "change"), MOST_VERSIONS)
        self.versions.show_rows([[line.number, line.date, line.author, line.change] for line in look.versions])
        self.charts = ChartList(charts, look)
        self.message = label(role="small", wrap=True)
        self.ok = button(text("ui.report.look.take"), "primary", self.take)
        self.ok.setDefault(True)
        self._lay_out()
        self._show_logo()

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setSpacing(SPACE_M)
        for name, field in (("accent", self.accent), ("second", self.second)):
            field.setPlaceholderText("#0F6B66" if name == "accent" else "#1B1F24")
            field.setAccessibleName(text(f"ui.report.look.{name}"))
            form.addRow(text(f"ui.report.look.{name}"), self._with_picker(field))
        choose = button(text("ui.report.look.choose"), on_click=self.ask_logo)
        without = button(text("ui.report.look.no_logo"), "quiet", lambda: self._take_logo(b""))
        form.addRow(text("ui.report.look.logo"), row(self.logo, 1, choose, without))
        tables: tuple[QWidget, ...] = (
            caption("ui.report.look.signers"),
            self.signers,
            caption("ui.report.look.versions"),
            self.versions,
        )
        tables += (caption("ui.report.look.charts"), self.charts) if self.charts.rowCount() else ()
        buttons = row(1, button(text("ui.key.cancel"), on_click=self.reject), self.ok)
        margins = (SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        self.setLayout(column(form, *tables, self.message, buttons, spacing=SPACE_M, margins=margins))
        self.setFixedWidth(WIDTH_PX)

    def _with_picker(self, field: QLineEdit) -> QHBoxLayout:
        def pick() -> None:
            colour = QColorDialog.getColor(QColor(field.text() or field.placeholderText()), self)
            if colour.isValid():
                field.setText(colour.name().upper())

        return row((field, 1), button(text("ui.report.look.pick"), "quiet", pick))

    def ask_logo(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self, text("ui.report.look.logo"), str(documents_folder()), text("ui.report.look.filter")
        )
        if name:
            self.read_logo(Path(name))

    def read_logo(self, path: Path) -> None:
        """A picture that cannot be printed changes nothing."""
        try:
            self._take_logo(read_logo(path))
        except UserError as error:
            self._refuse(error_text(error))

    def _take_logo(self, data: bytes) -> None:
        self._logo = data
        self.message.clear()
        self._show_logo()

    def _show_logo(self) -> None:
        picture = QPixmap()
        if self._logo and picture.loadFromData(self._logo):
            keep, smooth = Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
            self.logo.setPixmap(picture.scaled(*LOGO_PX, keep, smooth))
        else:
            self.logo.setText(text("ui.report.look.none"))

    def take(self) -> None:
        """Takes what is typed, by the rules that a template goes by."""
        facts: dict[str, object] = {
            "accent": self.accent.text().strip(),
            "second": self.second.text().strip(),
            "signers": [[_role_of(role), name] for role, name in self.signers.rows()],
            "versions": self.versions.rows(),
            "both": self.look.both,
            "charts": self.charts.chosen(),
            "logo": Look(logo=self._logo).logo_digest,
        }
        try:
            self.look = look_in(facts, lambda _digest: self._logo)
        except UserError as error:
            self._refuse(error_text(error))
        except ValueError:
            self._refuse(text("ui.report.look.rows"))
        else:
            self.accept()

    def _refuse(self, sentence: str) -> None:
        self.message.setText(sentence)
        set_tone(self.message, "critical")


def _role_words(role: str) -> str:
    return text(f"report.cover.sign.{role}") if role in ROLES else role


def _role_of(words: str) -> str:
    """The role that these words name in any language; else they are those of the house."""
    names = {catalogue(code).text(f"report.cover.sign.{role}"): role for code in LANGUAGES for role in ROLES}
    return names.get(words, words)
