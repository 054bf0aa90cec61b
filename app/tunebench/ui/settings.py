"""What the program remembers between starts: an ini beside the user's other settings, never about customers
beyond the paths of recent projects."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import QByteArray, QObject, QSettings, Signal

from tunebench.core.messages import LANGUAGES, system_language
from tunebench.core.paths import user_config_folder
from tunebench.core.records import record
from tunebench.ui.look.theme import ThemeMode

RECENT_COUNT = 10


@record
class Recent:
    path: Path
    opened_at: str


class Settings(QObject):
    """Typed access to the ini. `recents_changed` when the list of recent projects did."""

    recents_changed = Signal()

    def __init__(self, folder: Path | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        path = (folder or user_config_folder()) / "workbench.ini"
        self._ini = QSettings(str(path), QSettings.Format.IniFormat)

    # --- look and language
    @property
    def language(self) -> str:
        stored = str(self._ini.value("language", ""))
        return stored if stored in LANGUAGES else system_language()

    @language.setter
    def language(self, code: str) -> None:
        self._ini.setValue("language", code)

    @property
    def theme_mode(self) -> ThemeMode:
        stored = str(self._ini.value("theme", ThemeMode.SYSTEM))
        return ThemeMode(stored) if stored in set(ThemeMode) else ThemeMode.SYSTEM

    @theme_mode.setter
    def theme_mode(self, mode: ThemeMode) -> None:
        self._ini.setValue("theme", mode.value)

    # --- layout
    def save_bytes(self, name: str, state: QByteArray) -> None:
        self._ini.setValue(f"layout/{name}", state)

    def restore_bytes(self, name: str, restore: Callable[[QByteArray], bool]) -> bool:
        state = self._ini.value(f"layout/{name}")
        return isinstance(state, QByteArray) and bool(restore(state))

    def save_flag(self, name: str, value: bool) -> None:
        self._ini.setValue(f"layout/{name}", "yes" if value else "no")

    def flag(self, name: str, default: bool) -> bool:
        return str(self._ini.value(f"layout/{name}", "yes" if default else "no")) == "yes"

    def keep_last_view(self, place_id: str, page_id: str) -> None:
        self._ini.setValue(f"views/{place_id}", page_id)

    def last_view(self, place_id: str) -> str:
        return str(self._ini.value(f"views/{place_id}", ""))

    # --- who writes, where to
    @property
    def firm(self) -> str:
        return str(self._ini.value("consultant/firm", ""))

    @firm.setter
    def firm(self, name: str) -> None:
        self._ini.setValue("consultant/firm", name)

    @property
    def consultants(self) -> str:
        return str(self._ini.value("consultant/names", ""))

    @consultants.setter
    def consultants(self, names: str) -> None:
        self._ini.setValue("consultant/names", names)

    def folder(self, purpose: str) -> str:
        return str(self._ini.value(f"folders/{purpose}", ""))

    def remember_folder(self, purpose: str, folder: Path | str) -> None:
        self._ini.setValue(f"folders/{purpose}", str(folder))

    # --- recent projects
    def recents(self) -> list[Recent]:
        count = self._ini.beginReadArray("recent")
        recents = []
        for index in range(count):
            self._ini.setArrayIndex(index)
            recents.append(Recent(Path(str(self._ini.value("path"))), str(self._ini.value("opened"))))
        self._ini.endArray()
        return recents

    def add_recent(self, path: Path) -> None:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self._write_recents([Recent(path, now), *(r for r in self.recents() if r.path != path)])

    def remove_recent(self, path: Path) -> None:
        self._write_recents([r for r in self.recents() if r.path != path])

    def _write_recents(self, recents: list[Recent]) -> None:
        self._ini.remove("recent")
        self._ini.beginWriteArray("recent")
        for index, recent in enumerate(recents[:RECENT_COUNT]):
            self._ini.setArrayIndex(index)
            self._ini.setValue("path", str(recent.path))
            self._ini.setValue("opened", recent.opened_at)
        self._ini.endArray()
        self.recents_changed.emit()

    # --- the tour
    @property
    def tour_step(self) -> int:
        """The step that was reached, from 1 on; 0 where none was, or the last one."""
        return int(str(self._ini.value("tour/step", 0)))

    @tour_step.setter
    def tour_step(self, number: int) -> None:
        self._ini.setValue("tour/step", number)

    def flush(self) -> None:
        self._ini.sync()
