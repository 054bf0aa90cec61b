"""Encrypts the open project, gives it another key, and makes it readable again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QMessageBox, QWidget

from tunebench.core.errors import UserError
from tunebench.ui.frame.project_controller import CLOSING_S, ProjectController
from tunebench.ui.look.language import text
from tunebench.ui.workspace import Workspace


class EncryptionController:
    def __init__(self, workspace: Workspace, projects: ProjectController, window: QWidget) -> None:
        self._workspace, self._projects, self._window = workspace, projects, window

    def encrypt(self) -> None:
        """Encrypts the open project, or gives an encrypted one another passphrase or key file."""
        from tunebench.core.sealing import make_key_file
        from tunebench.ui.widgets.encryption_dialog import EncryptionDialog, asked
        from tunebench.usecases import encrypting

        path, project = self._workspace.project_path, self._workspace.project
        if path is None or project is None or not self._workspace.writable:
            return
        was = encrypting.is_encrypted(project)
        title = text("ui.encrypt.rekey" if was else "ui.encrypt.encrypt")
        dialog = EncryptionDialog(title, text("ui.encrypt.loss"), new=True)

        def change() -> None:
            file, remember = dialog.key_file, dialog.remember.isChecked()
            if file is not None and not file.exists():
                make_key_file(file)
            make = encrypting.rekey if was else encrypting.encrypt
            kept = make(path, passphrase=dialog.passphrase.text(), key_file=file, remember=remember)
            messages.append(text("ui.encrypt.not_remembered" if remember and not kept else "ui.encrypt.done"))

        messages: list[str] = []
        while asked(dialog):
            error = self._changed(path, change)
            if error is None:
                self._workspace.say(messages[-1])
                return
            dialog.refuse(error)

    def decrypt(self) -> None:
        from tunebench.usecases import encrypting

        path, project = self._workspace.project_path, self._workspace.project
        if path is None or project is None or not encrypting.is_encrypted(project):
            self._workspace.say(text("ui.encrypt.not_encrypted"), "warning")
            return
        question = text("ui.encrypt.decrypt_question")
        agreed = QMessageBox.question(self._window, text("ui.command.file.decrypt"), question)
        if agreed != QMessageBox.StandardButton.Yes:
            return
        error = self._changed(path, lambda: encrypting.decrypt(path))
        if error is None:
            self._workspace.say(text("ui.encrypt.decrypted"))
        else:
            self._workspace.say_error(error)

    def _changed(self, path: Path, change: Callable[[], None]) -> UserError | None:
        """The project is closed for it and opened again, as it was where it was refused; gives the refusal."""
        if not self._projects.may_leave():
            return UserError("project_open_elsewhere", path=str(path))
        self._projects.close()
        self._workspace.jobs.wait(CLOSING_S)  # the list of recent projects looks into it at once
        refused = None
        try:
            change()
        except UserError as error:
            refused = error
        self._projects.open(path)
        return refused
