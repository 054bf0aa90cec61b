"""Settings: language, look, what new engagements begin with, and where the program keeps its files."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QComboBox, QGridLayout, QLineEdit, QVBoxLayout, QWidget

from tunebench.core.messages import LANGUAGES
from tunebench.core.paths import user_config_folder, user_log_folder, user_plugins_folder
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_S, SPACE_XL, ThemeMode, themes
from tunebench.ui.pages.base import Page
from tunebench.ui.settings import Settings
from tunebench.ui.typing import stored_soon
from tunebench.ui.widgets.parts import ElidedLabel, FactTable, button, caption, clear_layout, column, scrolling
from tunebench.ui.workspace import Workspace

FOLDERS = {"config": user_config_folder, "log": user_log_folder, "plugins": user_plugins_folder}


class SettingsPage(Page):
    page_id = "settings"
    title_key = "ui.page.settings"
    icon = "edit"

    def __init__(self, workspace: Workspace, settings: Settings) -> None:
        super().__init__(workspace)
        self._settings = settings
        self.language_box, self.theme_box = QComboBox(), QComboBox()
        self.language_box.addItems(list(LANGUAGES))
        self.theme_box.addItems([mode.value for mode in ThemeMode])
        self.firm = QLineEdit(settings.firm)
        self.consultants = translated(QLineEdit(settings.consultants), placeholderText="ui.settings.consultants.hint")
        self._fields: dict[str, QWidget] = {
            "language": self.language_box,
            "theme": self.theme_box,
            "firm": self.firm,
            "consultants": self.consultants,
        }
        self._lay_out()
        self.language_box.activated.connect(lambda index: self._trigger(f"language.{LANGUAGES[index]}"))
        self.theme_box.activated.connect(lambda index: self._trigger(f"theme.{list(ThemeMode)[index].value}"))
        self.firm.editingFinished.connect(self._keep_names)
        self.consultants.editingFinished.connect(self._keep_names)
        for edit in (self.firm, self.consultants):
            stored_soon(edit, self._keep_names)
        for name, field in self._fields.items():
            translated(field, accessibleName=f"ui.settings.{name}")
        translated(self.language_box, itemText=[f"ui.language.{code}" for code in LANGUAGES])
        translated(self.theme_box, itemText=[f"ui.command.view.theme.{mode.value}" for mode in ThemeMode])
        self.start()

    def _lay_out(self) -> None:
        body = QWidget()
        body.setMaximumWidth(720)
        grid = QGridLayout(body)
        grid.setContentsMargins(SPACE_L, SPACE_M, SPACE_L, SPACE_M)
        grid.setHorizontalSpacing(SPACE_L)
        grid.setVerticalSpacing(SPACE_S)
        grid.setColumnMinimumWidth(0, 150)
        grid.setColumnStretch(1, 1)
        grid.addWidget(self.title(), 0, 0, 1, 3)
        line = 1
        for heading, names in (("look", ("language", "theme")), ("consultant", ("firm", "consultants"))):
            line = self._add_heading(grid, heading, line)
            for name in names:
                named = caption(f"ui.settings.{name}", "muted")
                grid.addWidget(named, line, 0)
                grid.addWidget(self._fields[name], line, 1)
                named.setBuddy(self._fields[name])
                line += 1
        line = self._add_heading(grid, "folders", line)
        for name, folder in FOLDERS.items():
            opened = translated(button(on_click=partial(_open_folder, name)), "ui.settings.open_folder")
            parts = caption(f"ui.settings.folder.{name}", "muted"), ElidedLabel(str(folder())), opened
            for index, part in enumerate(parts):
                grid.addWidget(part, line, index)
            line += 1
        line = self._add_heading(grid, "plugins", line)
        self._plugins = QVBoxLayout()
        grid.addLayout(self._plugins, line, 0, 1, 3)
        grid.setRowStretch(line + 1, 1)
        column(scrolling(body), of=self)

    def _add_heading(self, grid: QGridLayout, name: str, line: int) -> int:
        grid.setRowMinimumHeight(line, SPACE_XL)
        grid.addWidget(caption(f"ui.settings.{name}.heading", "section"), line + 1, 0, 1, 3)
        return line + 2

    def retranslate(self, code: str) -> None:
        self._show_choices()
        self._list_plugins()

    def _list_plugins(self) -> None:
        from tunebench.usecases import plugins

        clear_layout(self._plugins)
        table = FactTable(right=False)
        for listing in plugins.listings():
            name = listing.name.get(language().code) or listing.id
            words = (
                listing.version,
                text(f"ui.plugin.origin.{listing.origin}"),
                text(f"ui.plugin.state.{listing.state}"),
                ", ".join(listing.contributions),
            )
            tone = "" if str(listing.state) == "ok" else "warning"
            tip = f"{listing.folder}\nSHA-256 {listing.hash}"
            table.add(name, " · ".join(w for w in words if w), tone, tip)
        self._plugins.addWidget(table)

    def apply_theme(self, theme: object) -> None:
        self._show_choices()

    def _show_choices(self) -> None:
        self.language_box.setCurrentIndex(LANGUAGES.index(language().code))
        self.theme_box.setCurrentIndex(list(ThemeMode).index(themes().mode))

    def _trigger(self, choice: str) -> None:
        self.workspace.commands.action(f"view.{choice}").trigger()

    def _keep_names(self) -> bool:
        self._settings.firm = self.firm.text().strip()
        self._settings.consultants = self.consultants.text().strip()
        self._settings.flush()
        return True


def _open_folder(name: str) -> None:
    folder = FOLDERS[name]()
    folder.mkdir(parents=True, exist_ok=True)
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
