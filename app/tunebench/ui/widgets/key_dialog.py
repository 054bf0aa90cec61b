"""An approver signs: with a key out of a file, with one made here, or by a signature that was made elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QFormLayout, QLineEdit, QPlainTextEdit, QWidget

from tunebench.core.errors import UserError
from tunebench.core.paths import documents_folder
from tunebench.core.signing import SigningKey, as_signature, make_key
from tunebench.ui.look.language import error_text, text
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_XL
from tunebench.ui.widgets.parts import button, column, label, row, selectable, set_tone

WIDTH_PX, TEXT_PX = 560, 112


class KeyDialog(QDialog):
    """`key` or `signature` is there once it was accepted.

    Args:
        signed: the text that is signed; "" where it is not known yet, as of a trail that goes on.
    """

    def __init__(self, signed: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModal(True)
        self.setWindowTitle(text("ui.key"))
        self.key: SigningKey | None = None
        self.signature = ""
        self.path, self.passphrase, self.pasted = QLineEdit(), QLineEdit(), QLineEdit()
        self.passphrase.setEchoMode(QLineEdit.EchoMode.Password)
        self.words = QPlainTextEdit(signed)
        self.words.setReadOnly(True)
        self.words.setFixedHeight(TEXT_PX)
        self.told = selectable(label(role="small", wrap=True))
        self.make = button(text("ui.key.make"), "link", self._make)
        self.ok = button(text("ui.key.sign"), "primary", self.sign)
        self.ok.setDefault(True)
        form = QFormLayout()
        form.setSpacing(SPACE_M)
        choose = button(text("ui.key.choose"), on_click=self._choose)
        file = row((self.path, 1), choose, self.make)
        form.addRow(text("ui.key.file"), file)
        form.addRow(text("ui.key.passphrase"), self.passphrase)
        form.addRow(text("ui.key.elsewhere"), self.pasted)
        for field, name in ((self.path, "file"), (self.passphrase, "passphrase"), (self.pasted, "elsewhere")):
            field.setAccessibleName(text(f"ui.key.{name}"))
            field.textChanged.connect(self._judge)
        self.words.setAccessibleName(text("ui.key.text"))
        about = label(text("ui.key.text" if signed else "ui.key.trail"), role="muted", wrap=True)
        buttons = row(1, button(text("ui.key.cancel"), on_click=self.reject), self.ok)
        margins = (SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        self.setLayout(column(about, self.words, form, self.told, buttons, spacing=SPACE_M, margins=margins))
        form.setRowVisible(2, bool(signed))
        self.words.setVisible(bool(signed))
        self.setFixedWidth(WIDTH_PX)
        self._judge()

    def _judge(self) -> None:
        self.ok.setEnabled(bool(self.path.text().strip()) or bool(as_signature(self.pasted.text())))

    def _choose(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, text("ui.key.file"), str(documents_folder()))
        if name:
            self.path.setText(name)
            self.passphrase.setFocus()

    def _make(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, text("ui.key.make"), str(documents_folder() / "approver.key"))
        if name:
            self.make_key(Path(name))

    def make_key(self, path: Path) -> None:
        """A new key under the passphrase that was typed; its public line is shown, to be entered with the contact."""
        try:
            line = make_key(path, self.passphrase.text())
        except UserError as error:
            self._say(error_text(error), "critical")
            return
        self.path.setText(str(path))
        self._say(text("ui.key.made", path=f"{path}.pub", line=line), "ok")

    def sign(self) -> None:
        pasted = as_signature(self.pasted.text())
        if pasted and self.words.toPlainText():
            self.signature = pasted
            self.accept()
            return
        try:
            self.key = SigningKey.read(Path(self.path.text().strip()), self.passphrase.text())
        except UserError as error:
            self._say(error_text(error), "critical")
            return
        self.signature = self.key.sign(self.words.toPlainText()) if self.words.toPlainText() else ""
        self.accept()

    def _say(self, words: str, tone: str) -> None:
        self.told.setText(words)
        set_tone(self.told, tone)


def ask_signature(signed: str) -> str | None:
    """A signature of that text; None where the dialog was cancelled."""
    dialog = KeyDialog(signed, QApplication.activeWindow())
    return dialog.signature if dialog.exec() == QDialog.DialogCode.Accepted else None


def ask_key() -> SigningKey | None:
    """The key that signs the audit trail; None where the dialog was cancelled."""
    dialog = KeyDialog("", QApplication.activeWindow())
    return dialog.key if dialog.exec() == QDialog.DialogCode.Accepted else None


def confirms_keys(keys: Sequence[tuple[str, str]]) -> bool:
    """Whether these names and fingerprints were compared with those that the approvers gave."""
    dialog = QDialog(QApplication.activeWindow())
    dialog.setModal(True)
    dialog.setWindowTitle(text("ui.command.file.trust_keys"))
    listed = selectable(label("\n".join(f"{name}  {key}" for name, key in keys), role="code"))
    buttons = row(
        1, button(text("ui.key.cancel"), on_click=dialog.reject), button(text("ui.key.trust"), "primary", dialog.accept)
    )
    margins = (SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
    about = label(text("ui.key.compare"), wrap=True)
    dialog.setLayout(column(about, listed, buttons, spacing=SPACE_M, margins=margins))
    return dialog.exec() == QDialog.DialogCode.Accepted
