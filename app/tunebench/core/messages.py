"""Sentences in Korean and English, looked up by key with an explicit language.

Code and data hold keys; catalogues hold sentences (`resources/locale/<language>/*.po`, one file per
subject, keys prefixed by that subject: ``error.``, ``ledger.``, ``report.``, ``cli.``, ``ui.`` ...).
The language is always an argument, because a Korean report may be written from an English window.
"""

from __future__ import annotations

import locale
import os
import re
import threading
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TypeGuard

from tunebench.core.errors import UserError
from tunebench.core.paths import resources_folder
from tunebench.core.patterns import lazy_pattern

LANGUAGES = ("ko", "en")
DAMAGE = "damage."
"""Facts that are keys below this are what is wrong with some bytes: kept as keys, said in the sentence's language."""


Others = Callable[[str], Mapping[str, str]]
"""Language -> sentences of somebody else's (plug-ins)."""

_others: dict[str, Others] = {}


def look_also(prefix: str, others: Others) -> None:
    """Keys below `prefix` that are not in the program's own files are looked for in `others`, asked once per language
    when the first such key is missed; until then nothing of them is read. The last `others` of a prefix counts."""
    _others[prefix] = others


class Catalogue:
    """All sentences of one language. May be used from several threads."""

    def __init__(self, language: str, entries: dict[str, str]) -> None:
        self.language = language
        self._entries = entries
        self._asked: dict[str, Others] = {}
        self._asking = threading.RLock()

    def __contains__(self, key: str) -> bool:
        return self._find(key) is not None

    def keys(self) -> frozenset[str]:
        for prefix in _others:
            self._ask(prefix)
        return frozenset(self._entries)

    def _find(self, key: str) -> str | None:
        for prefix in _others if key not in self._entries else ():
            if key.startswith(prefix):
                self._ask(prefix)
        return self._entries.get(key)

    def _ask(self, prefix: str) -> None:
        """Takes sentences for new keys in; a key that is there keeps its sentence."""
        with self._asking:
            others = _others[prefix]
            if self._asked.get(prefix) is not others:
                self._asked[prefix] = others  # first: they may look keys up themselves
                self._entries = {**others(self.language), **self._entries}

    def text(self, key: str, **facts: object) -> str:
        """The sentence for `key` with its place-holders filled; a missing key shows itself in ⟨ ⟩."""
        template = self._find(key)
        if template is None:
            return f"⟨{key}⟩"
        if not facts:
            return template
        return template.format_map(_Facts(facts))

    def error(self, error: UserError) -> str:
        """The one sentence of a refusal; a fact that is a kind of damage is said in words."""
        facts = error.facts_in(self.language)
        sentences = {name: self.text(value, **facts) for name, value in facts.items() if self._is_damage(value)}
        return self.text(f"{error.subject}.{error.key}", **{**facts, **sentences})

    def _is_damage(self, value: object) -> TypeGuard[str]:
        return isinstance(value, str) and value.startswith(DAMAGE) and value in self


class _Facts(dict[str, object]):
    """A fact that a sentence names but the code did not give is shown, not raised."""

    def __missing__(self, key: str) -> str:
        return f"{{{key}}}"


_ENTRY = lazy_pattern(r'^msgid (".*"(?:\n".*")*)\nmsgstr (".*"(?:\n".*")*)\n', re.MULTILINE)
_COMMENT_OR_BLANK = lazy_pattern(r"(?:#[ ,.:].*|#)?\n")
_ESCAPED = lazy_pattern(r"\\(.)")
_MEANT = {"n": "\n", "t": "\t", "r": "\r"}


def read_catalogue_file(path: Path) -> dict[str, str]:
    """Key -> sentence of one ``.po`` file; empty translations are left out."""
    text = path.read_text(encoding="utf-8")
    parts = _ENTRY.split(text)  # what stands between entries, a key, a sentence, and so on
    if _COMMENT_OR_BLANK.sub("", "".join(parts[::3])).strip():  # contexts, plurals, what is obsolete
        return _read_any_form(path)
    entries = {_joined(key): _joined(sentence) for key, sentence in zip(parts[1::3], parts[2::3], strict=True)}
    return {key: sentence for key, sentence in entries.items() if key and sentence}


def _joined(lines: str) -> str:
    if "\n" not in lines and "\\" not in lines:
        return lines[1:-1]
    text = "".join(line[1:-1] for line in lines.split("\n"))
    return _ESCAPED.sub(lambda match: _MEANT.get(match[1], match[1]), text) if "\\" in text else text


def _read_any_form(path: Path) -> dict[str, str]:
    import polib  # a tenth of a second for all files, which every start would wait for

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
