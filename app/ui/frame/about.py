"""About: what this is, which version, whose work it stands on."""

from __future__ import annotations

import platform

from PySide6.QtCore import Qt, qVersion
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QVBoxLayout, QWidget

import app
from app.ui.look.icons import pixmap
from app.ui.look.language import text
from app.ui.look.theme import SPACE_L, SPACE_M, SPACE_XL, SPACE_XS, current_theme
from app.ui.widgets.facts import FactTable
from app.ui.widgets.parts import button, label, row


class AboutDialog(QDialog):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(text("ui.command.help.about").rstrip("…"))
        mark = QLabel()
        mark.setPixmap(pixmap("app", current_theme().accent, 48))
        words = QVBoxLayout()
        words.setSpacing(SPACE_XS)
        words.addWidget(label("TuneBench", "title"))
        words.addWidget(label(text("ui.about.version", version=app.__version__), "muted"))
        promise = label(text("ui.welcome.promise"), wrap=True)
        promise.setMinimumWidth(360)
        words.addWidget(promise)
        head = QHBoxLayout()
        head.setSpacing(SPACE_L)
        head.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(words, 1)
        table = FactTable(right=False)
        table.add("Python", platform.python_version())
        table.add("Qt", qVersion())
        table.add(text("ui.about.system"), platform.platform(terse=True))
        table.add(text("ui.about.parts"), text("ui.about.parts.value"))
        close = button(text("ui.action.close"), "primary", self.accept)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_XL, SPACE_XL, SPACE_XL, SPACE_L)
        column.setSpacing(SPACE_L)
        column.addLayout(head)
        column.addWidget(table)
        column.addLayout(row(1, close, spacing=SPACE_M))
        close.setFocus()
