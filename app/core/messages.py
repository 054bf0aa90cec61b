"""Sentences in Korean and English, looked up by key with an explicit language.

Code and data hold keys; catalogues hold sentences (`resources/locale/<language>/*.po`, one file per
subject, keys prefixed by that subject: ``error.``, ``ledger.``, ``report.``, ``cli.``, ``ui.`` ...).
The language is always an argument, because a Korean report may be written from an English window.
"""

from __future__ import annotations

import locale
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import polib

from app.core.errors import UserError
from app.core.paths import resources_folder

LANGUAGES = ("ko", "en")


class Catalogue:
    """All sentences of one language."""

    def __init__(self, language: str, entries: dict[str, str]) -> None:
        self.language = language
        self._entries = entries

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def keys(self) -> frozenset[str]:
        return frozenset(self._entries)

    def take_in(self, entries: Mapping[str, str]) -> None:
        """Adds sentences for new keys (a plug-in's own); a key that is there keeps its sentence."""
        self._entries = {**entries, **self._entries}

    def text(self, key: str, **facts: object) -> str:
        """The sentence for `key` with its place-holders filled; a missing key shows itself in ⟨ ⟩."""
        template = self._entries.get(key)
        if template is None:
            return f"⟨{key}⟩"
        if not facts:
            return template
        return template.format_map(_Facts(facts))

    def error(self, error: UserError) -> str:
        """The one sentence of a refusal."""
        return self.text(f"{error.subject}.{error.key}", **error.facts_in(self.language))


class _Facts(dict[str, object]):
    """A fact that a sentence names but the code did not give is shown, not raised."""

    def __missing__(self, key: str) -> str:
        return f"{{{key}}}"


def read_catalogue_file(path: Path) -> dict[str, str]:
    """Key -> sentence of one ``.po`` file; empty translations are left out."""
    entries = polib.pofile(str(path), encoding="utf-8")
    return {entry.msgid: entry.msgstr for entry in entries if entry.msgstr and not entry.obsolete}


@cache
def catalogue(language: str) -> Catalogue:
    """The catalogue of ``"ko"`` or ``"en"``; read once."""
    entries: dict[str, str] = {}
    for path in sorted((resources_folder() / "locale" / language).glob("*.po")):
        entries.update(read_catalogue_file(path))
    return Catalogue(language, entries)


def system_language() -> str:
    """``"ko"`` where the system speaks Korean, else ``"en"``."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANGUAGE", "LANG"):
        value = os.environ.get(name)
        if value:
            return "ko" if value.lower().startswith("ko") else "en"
    code = locale.getlocale()[0] or ""
    return "ko" if code.lower().startswith(("ko", "korean")) else "en"
