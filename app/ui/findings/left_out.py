"""Files of rules that could not be used: a pack that was not read must not look like one that found nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from app.ui.look.language import language, text

if TYPE_CHECKING:
    from app.sdk.toml_tables import Problem


class LeftOutNotice(QLabel):
    """One line with the first fault; all of them, one a file, under the pointer."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("tone", "watch")
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)

    def show_problems(self, problems: Sequence[Problem]) -> None:
        from app.usecases.findings.words import left_out_texts

        faults = left_out_texts(problems, language().code)
        self.setVisible(bool(faults))
        self.setText(text("ui.findings.left_out", n=len(faults), first=faults[0]) if faults else "")
        self.setToolTip("\n".join(faults))
