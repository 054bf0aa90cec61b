"""Looks for originals in what is about to leave: another way than the one that replaced them."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from tunebench.analysis.redaction.patterns import of_names
from tunebench.analysis.redaction.redactor import ANYWHERE
from tunebench.core.patterns import lazy_pattern
from tunebench.domain.redaction import NameKind

_LEAST_BYTES = 6
"""Of a name that is searched for in what is no text: shorter ones stand in any picture by chance."""
_STATEMENT_LETTERS = 60
_TAG = lazy_pattern(r"<[^>]*>")
_ESCAPED = lazy_pattern(r"\\u([0-9a-fA-F]{4})")
_INVISIBLE = lazy_pattern("[\u00ad\u200b-\u200f\u2060\ufeff]")
_BLANKS = lazy_pattern(r"\s+")


class Originals:
    """Everything that must not be found, compiled once."""

    def __init__(self, originals: Iterable[tuple[str, NameKind]]) -> None:
        names = {_composed(name) for name, kind in originals if kind is not NameKind.STATEMENT}
        dense = {_BLANKS.sub("", name) for name in names}
        short = sorted(name for name in names if len(name) < ANYWHERE)
        self._text = _compiled(of_names(short, sorted(name for name in names if len(name) >= ANYWHERE)))
        self._dense = _compiled(of_names([], sorted(name for name in dense if len(name) >= ANYWHERE)))
        wanted = [name for name in names if len(name.encode()) >= _LEAST_BYTES]
        coded = {name.encode(coding) for name in wanted for coding in ("utf-8", "utf-16-le", "utf-16-be")}
        long = sorted(name.decode("latin-1") for name in coded)
        self._bytes = re.compile(of_names([], long).encode("latin-1"), re.IGNORECASE) if long else None

    def found(self, part: str | bytes) -> str | None:
        """The first that stands in a part: as it is, with its escapes resolved, without tags, across line ends."""
        if isinstance(part, bytes):
            try:
                return self.found(part.decode("utf-8"))
            except UnicodeDecodeError:
                return self._in_bytes(part)
        return next(filter(None, map(self._in_text, _readings(_composed(part)))), None)

    def _in_bytes(self, part: bytes) -> str | None:
        match = self._bytes.search(part) if self._bytes else None
        return match.group().decode("latin-1") if match else None

    def _in_text(self, text: str) -> str | None:
        match = self._text.search(text) if self._text else None
        if match is None and self._dense is not None:
            match = self._dense.search(_BLANKS.sub("", text))
        return match.group() if match else None


def statement_starts(texts: Iterable[str]) -> Iterator[tuple[str, NameKind]]:
    """Beginnings of replaced statements, as long as no other text shares by chance."""
    for text in texts:
        start = _BLANKS.sub("", text)[:_STATEMENT_LETTERS]
        if len(start) == _STATEMENT_LETTERS:
            yield start, NameKind.VALUE


def _compiled(pattern: str) -> re.Pattern[str] | None:
    return re.compile(pattern, re.IGNORECASE) if pattern else None


def _composed(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _readings(text: str) -> Iterator[str]:
    yield text
    if "\0" in text:  # two bytes a letter, read as one
        yield text.replace("\0", "")
    if "&" in text or "<" in text:
        yield html.unescape(_TAG.sub("", text))
    if "%" in text:
        yield unquote(text)
    if not text.isascii():  # full width, and what is invisible
        yield _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    if "\\" in text:
        yield _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text).replace("\\", "")
