"""By which profile names are replaced, and the passphrase of the file that knows who stands behind the stand-ins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication, QComboBox, QDialog, QFileDialog, QFormLayout, QLineEdit, QWidget

from tunebench.core.errors import UserError
from tunebench.core.paths import documents_folder
from tunebench.core.sealing import LEAST_PASSPHRASE
from tunebench.ui.look.language import error_text, text
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_XL
from tunebench.ui.widgets.parts import button, column, label, row, set_tone
from tunebench.usecases.projects import Project
from tunebench.usecases.redaction import names_file
from tunebench.usecases.redaction.profiles import SHIPPED, profile_named

if TYPE_CHECKING:
    from tunebench.usecases.redaction.clean import Redaction

WIDTH_PX = 520


class RedactionDialog(QDialog):
    """`redaction` is there once it was accepted.

    Args:
        profile: the one that was chosen already; "" where it is to be chosen here.
    """

    def __init__(self, project: Project, profile: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModal(True)
        self.setWindowTitle(text("ui.redaction"))
        self.redaction: Redaction | None = None
        self._names = names_file.names_path(project)
        self._is_new = not self._names.exists()
        self.profile, self.passphrase, self.again = QComboBox(), QLineEdit(), QLineEdit()
        fill_profiles(self.profile)
        if profile:
            choose_profile(self.profile, profile)
        form = QFormLayout()
        form.setSpacing(SPACE_M)
        for name, field in (("profile", self.profile), ("passphrase", self.passphrase), ("again", self.again)):
            form.addRow(text(f"ui.redaction.{name}"), field)
            field.setAccessibleName(text(f"ui.redaction.{name}"))
        for line in (self.passphrase, self.again):
            line.setEchoMode(QLineEdit.EchoMode.Password)
            line.textChanged.connect(self._judge)
        self.profile.activated.connect(lambda _place: ask_own(self.profile, self))
        self.told = label(role="small", wrap=True)
        key = "ui.redaction.new_names" if self._is_new else "ui.redaction.known_names"
        about = label(text(key, path=self._names.name, least=LEAST_PASSPHRASE), role="muted", wrap=True)
        self.ok = button(text("ui.redaction.go"), "primary", self.take)
        self.ok.setDefault(True)
        buttons = row(1, button(text("ui.key.cancel"), on_click=self.reject), self.ok)
        margins = (SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        self.setLayout(column(about, form, self.told, buttons, spacing=SPACE_M, margins=margins))
        form.setRowVisible(2, self._is_new)
        self.setFixedWidth(WIDTH_PX)
        self.passphrase.setFocus()
        self._judge()

    def _judge(self) -> None:
        typed = self.passphrase.text()
        long_enough = len(typed) >= LEAST_PASSPHRASE
        self.ok.setEnabled(long_enough and (not self._is_new or typed == self.again.text()))

    def take(self) -> None:
        """Takes the choices; a wrong passphrase is refused here, before anything is written."""
        from tunebench.usecases.redaction.clean import Redaction

        try:
            profile = profile_named(str(self.profile.currentData()))
            names_file.read_names(self._names, self.passphrase.text())
        except UserError as error:
            self.told.setText(error_text(error))
            set_tone(self.told, "critical")
            return
        self.redaction = Redaction(profile, self.passphrase.text(), self._names)
        self.accept()


def fill_profiles(box: QComboBox) -> None:
    """The shipped ones, and the way to one of a firm's own."""
    for name in SHIPPED:
        box.addItem(text(f"ui.redaction.profile.{name}"), name)
    box.addItem(text("ui.redaction.own"), "")


def choose_profile(box: QComboBox, profile: str) -> None:
    """Chooses a profile; one that is not listed yet is a firm's own file, and is added."""
    index = box.findData(profile)
    if index < 0:
        index = box.count()
        box.addItem(profile.rpartition("/")[2], profile)
    box.setCurrentIndex(index)


def ask_own(box: QComboBox, parent: QWidget) -> None:
    """Asks for the file where the last entry was picked; the first profile is chosen where none is named."""
    if box.currentData() != "":
        return
    name, _ = QFileDialog.getOpenFileName(
        parent, text("ui.redaction.own"), str(documents_folder()), text("ui.redaction.filter")
    )
    choose_profile(box, name or SHIPPED[0])


def ask_redaction(project: Project, profile: str = "") -> Redaction | None:
    """The redaction; None where the dialog was cancelled."""
    dialog = RedactionDialog(project, profile, QApplication.activeWindow())
    return dialog.redaction if dialog.exec() == QDialog.DialogCode.Accepted else None
