"""What was typed and is not stored yet: it is stored soon after the last key, and "saved" is said only then."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from app.ui.workspace import Workspace

STORED_AFTER_MS = 600
"""After the last key; with the writing itself it stays within a second."""


class StoredSoon(QTimer):
    """Stores what is typed into a form, once nothing more was typed for a moment.

    Args:
        store: writes what can be written; gives whether that was all.
    """

    def __init__(self, workspace: Workspace, store: Callable[[], bool], parent: QObject) -> None:
        super().__init__(parent, singleShot=True, interval=STORED_AFTER_MS)
        self._workspace, self._store = workspace, store
        self.timeout.connect(self.now)

    def typed(self) -> None:
        self._workspace.note_typing(self, unsaved=True)
        self.start()

    def now(self) -> None:
        self.stop()
        self._workspace.note_typing(self, unsaved=not self._store())
