"""The language of the window: looked up here, switched here, at run time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, tzinfo
from functools import cache
from typing import TypeVar
from weakref import WeakKeyDictionary

import shiboken6
from PySide6.QtCore import QLibraryInfo, QLocale, QObject, QTranslator, Signal
from PySide6.QtWidgets import QApplication

from tunebench.columns.column import Locale
from tunebench.core.errors import UserError
from tunebench.core.messages import LANGUAGES, catalogue, system_language

Shown = TypeVar("Shown", bound=QObject)


class Language(QObject):
    """`changed` carries the new language (``"ko"`` or ``"en"``), when what is `translated` has its new words already:
    whoever composes words from data, or measures a label, does so then."""

    changed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._code = system_language()
        self._stock = QTranslator(self)
        self._translated: WeakKeyDictionary[QObject, dict[str, str | Sequence[str]]] = WeakKeyDictionary()

    @property
    def code(self) -> str:
        return self._code

    def switch(self, code: str) -> None:
        if code not in LANGUAGES:
            raise ValueError(code)
        self._code = code
        self._install_stock_texts()
        QLocale.setDefault(QLocale(QLocale.Language.Korean if code == "ko" else QLocale.Language.English))
        for shown, keys in list(self._translated.items()):
            if shiboken6.isValid(shown):  # Qt may have deleted what Python still holds
                _set_words(shown, keys)
        self.changed.emit(code)

    def follow(self, show: Callable[[], object]) -> None:
        """Calls `show` now, and whenever the language has changed."""
        self.changed.connect(show)
        show()

    def keep_translated(self, shown: QObject, keys: Mapping[str, str | Sequence[str]]) -> None:
        """Give `shown` these words (see `translated`) in every language from now on, for as long as it lives."""
        self._translated.setdefault(shown, {}).update(keys)
        _set_words(shown, keys)

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


def translated(shown: Shown, text_key: str = "", **keys: str | Sequence[str]) -> Shown:
    """`shown`, with words that follow the language: a key per setter, ``toolTip="ui.live.extend.tip"``; several keys
    for a setter that takes a place first, ``tabText=("ui.capture.tab.plan", "ui.capture.tab.live")``."""
    language().keep_translated(shown, {"text": text_key, **keys} if text_key else keys)
    return shown


def _set_words(shown: QObject, keys: Mapping[str, str | Sequence[str]]) -> None:
    for name, key in keys.items():
        setter = getattr(shown, f"set{name[0].upper()}{name[1:]}")
        if isinstance(key, str):
            setter(text(key))
        else:
            for index, one in enumerate(key):
                setter(index, text(one))


def window_locale(zone: tzinfo = UTC) -> Locale:
    """The language of the window and the zone in which it tells moments."""
    return Locale(language().code, zone)


def has_text(key: str) -> bool:
    return key in catalogue(language().code)


def error_text(error: UserError) -> str:
    return catalogue(language().code).error(error)
