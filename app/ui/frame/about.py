"""About: what this is, which version, whose work it stands on."""

from __future__ import annotations

import platform

from PySide6.QtCore import Qt, qVersion
from PySide6.QtWidgets import QDialog, QLabel, QWidget

import app
from app.ui.look.icons import pixmap
from app.ui.look.language import text
from app.ui.look.theme import SPACE_L, SPACE_XL, SPACE_XS, current_theme
from app.ui.widgets.parts import FactTable, button, column, label, row


class AboutDialog(QDialog):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(text("ui.command.help.about").rstrip("…"))
        mark = QLabel()
        mark.setPixmap(pixmap("app", current_theme().accent, 48))
        version = label(text("ui.about.version", version=app.__version__), "muted")
        promise = label(text("ui.welcome.promise"), wrap=True)
        promise.setMinimumWidth(360)
        head = row(mark, (column(label("TuneBench", "title"), version, promise, spacing=SPACE_XS), 1), spacing=SPACE_L)
        head.setAlignment(mark, Qt.AlignmentFlag.AlignTop)
        table = FactTable(right=False)
        table.add("Python", platform.python_version())
        table.add("Qt", qVersion())
        table.add(text("ui.about.system"), platform.platform(terse=True))
        table.add(text("ui.about.parts"), text("ui.about.parts.value"))
        close = button(text("ui.action.close"), "primary", self.accept)
        margins = (SPACE_XL, SPACE_XL, SPACE_XL, SPACE_L)
        self.setLayout(column(head, table, row(1, close), spacing=SPACE_L, margins=margins))
        close.setFocus()
