"""The language of the window: looked up here, switched here, at run time."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QLibraryInfo, QLocale, QObject, QTranslator, Signal
from PySide6.QtWidgets import QApplication

from app.core.errors import UserError
from app.core.messages import LANGUAGES, catalogue, system_language


class Language(QObject):
    """`changed` carries the new language (``"ko"`` or ``"en"``); every widget then asks for its texts again."""

    changed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._code = system_language()
        self._stock = QTranslator(self)

    @property
    def code(self) -> str:
        return self._code

    def switch(self, code: str) -> None:
        if code not in LANGUAGES:
            raise ValueError(code)
        self._code = code
        self._install_stock_texts()
        QLocale.setDefault(QLocale(QLocale.Language.Korean if code == "ko" else QLocale.Language.English))
        self.changed.emit(code)

    def _install_stock_texts(self) -> None:
        """Qt's own words (file dialog, line edit menu) in the same language."""
        app = QApplication.instance()
        if app is None:
            return
        app.removeTranslator(self._stock)
        folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
        if self._code == "ko" and self._stock.load("qtbase_ko", folder):
            app.installTranslator(self._stock)


@cache
def language() -> Language:
    return Language()


def text(key: str, **facts: object) -> str:
    """The sentence for `key` in the window's language."""
    return catalogue(language().code).text(key, **facts)


def has_text(key: str) -> bool:
    return key in catalogue(language().code)


def error_text(error: UserError) -> str:
    return catalogue(language().code).error(error)
