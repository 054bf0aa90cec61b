"""What opens an encrypted project, asked for in the window; and what shall open one from now on."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication, QCheckBox, QDialog, QFileDialog, QFormLayout, QLineEdit

from tunebench.core.errors import UserError
from tunebench.core.paths import documents_folder
from tunebench.ui.look.language import error_text, text
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_XL
from tunebench.ui.widgets.parts import button, column, label, row, set_tone

WIDTH_PX = 560


class EncryptionDialog(QDialog):
    """A passphrase or a key file; `refuse` says why it was not the right one, before it is asked again.

    Args:
        title: of the window and of its button.
        new: it is for the future: a passphrase is typed twice, and a key file may be made.
        by_file: only a key file, or only a passphrase, opens it; None where either may be chosen.
    """

    def __init__(self, title: str, about: str, *, new: bool, by_file: bool | None = None) -> None:
        super().__init__(QApplication.activeWindow())
        self.setModal(True)
        self.setWindowTitle(title)
        self._new = new
        self.passphrase, self.again, self.path = QLineEdit(), QLineEdit(), QLineEdit()
        self.remember = QCheckBox(text("ui.encrypt.remember"))
        self.told = label(role="small", wrap=True)
        self.ok = button(title, "primary", self.accept)
        self.ok.setDefault(True)
        words = text("ui.encrypt.new" if new else "ui.encrypt.passphrase")
        form = QFormLayout()
        form.setSpacing(SPACE_M)
        form.addRow(words, self.passphrase)
        form.addRow(text("ui.encrypt.again"), self.again)
        form.addRow(
            text("ui.encrypt.file"), row((self.path, 1), button(text("ui.encrypt.choose"), on_click=self._choose))
        )
        self.path.setToolTip(text("ui.encrypt.file_made") if new else "")
        for field, name in ((self.passphrase, words), (self.again, text("ui.encrypt.again"))):
            field.setEchoMode(QLineEdit.EchoMode.Password)
            field.setAccessibleName(name)
        self.path.setAccessibleName(text("ui.encrypt.file"))
        for field in (self.passphrase, self.again, self.path):
            field.textChanged.connect(self._judge)
        buttons = row(1, button(text("ui.key.cancel"), on_click=self.reject), self.ok)
        margins = (SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        self.setLayout(
            column(label(about, wrap=True), form, self.remember, self.told, buttons, spacing=SPACE_M, margins=margins)
        )
        for index, wanted in enumerate((by_file is not True, new, by_file is not False)):
            form.setRowVisible(index, wanted)
        self.setFixedWidth(WIDTH_PX)
        self._judge()

    @property
    def key_file(self) -> Path | None:
        return Path(self.path.text().strip()) if self.path.text().strip() else None

    def _judge(self) -> None:
        typed = self.passphrase.text()
        self.ok.setEnabled(self.key_file is not None or bool(typed and (not self._new or typed == self.again.text())))

    def _choose(self) -> None:
        title, folder = text("ui.encrypt.file"), str(documents_folder())
        if self._new:
            asks_nothing = QFileDialog.Option.DontConfirmOverwrite  # a file that is there is taken, not written
            name, _ = QFileDialog.getSaveFileName(self, title, folder, options=asks_nothing)
        else:
            name, _ = QFileDialog.getOpenFileName(self, title, folder)
        if name:
            self.path.setText(name)

    def refuse(self, error: UserError) -> None:
        """Shown with the reason when it is asked again."""
        self.told.setText(error_text(error))
        set_tone(self.told, "critical")
        self.passphrase.clear()
        self.again.clear()


def asked(dialog: EncryptionDialog) -> bool:
    return dialog.exec() == QDialog.DialogCode.Accepted
