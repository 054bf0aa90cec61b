"""Says why nothing can be changed in this project."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QLabel

from app.ui.look.formats import format_stamp
from app.ui.look.icons import pixmap
from app.ui.look.language import language, text
from app.ui.look.theme import ICON_SIZE_SMALL, SPACE_M, SPACE_S, current_theme, themes
from app.ui.widgets.parts import label, row, set_tone
from app.ui.workspace import Workspace


class ReadOnlyBanner(QFrame):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setObjectName("messages")
        set_tone(self, "warning")
        self._workspace = workspace
        self._picture = QLabel()
        self._words = label(wrap=True)
        self.setLayout(row(self._picture, (self._words, 1), margins=(SPACE_M, SPACE_S, SPACE_M, SPACE_S)))
        workspace.project_changed.connect(self.refresh)
        language().changed.connect(self.refresh)
        themes().theme_changed.connect(self.refresh)
        self.refresh()

    def words(self) -> str:
        return "" if self.isHidden() else self._words.text()

    def refresh(self, *_: object) -> None:
        overview = self._workspace.overview
        self.setVisible(overview is not None and overview.read_only)
        self._picture.setPixmap(pixmap("lock", current_theme().warning, ICON_SIZE_SMALL))
        if overview is None or not overview.read_only:
            return
        holder = overview.lock_holder
        facts = {name: getattr(holder, name, "") for name in ("user", "host", "pid")}
        facts["since"] = format_stamp(getattr(holder, "since", ""), self._workspace.zone)
        self._words.setText(text(f"ui.readonly.{overview.read_only_reason or 'asked'}", **facts))
        self.setAccessibleName(self._words.text())
