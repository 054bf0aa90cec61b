"""The document's faces, and the guard that no character is lost because a face lacks it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from functools import cache
from itertools import groupby
from typing import Any, TypeVar, cast

from reportlab.graphics.shapes import STATE_DEFAULTS
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

from tunebench.core.paths import resources_folder
from tunebench.core.patterns import lazy_pattern

REGULAR, BOLD, CODE = "NanumGothic", "NanumGothicBold", "NanumGothicCoding"
_WESTERN, _WESTERN_BOLD = "Vera", "VeraBd"
_HELPED_BY = {REGULAR: (_WESTERN,), BOLD: (_WESTERN_BOLD,), CODE: (REGULAR, _WESTERN)}
"""Faces that draw what a face lacks, in this order."""

REPLACEMENTS = {
    "\u2212": "-",
    "\u2010": "-",
    "\u2011": "-",
    "\u00ad": "",
    "\ufeff": "",
    "\u200b": "",
    "\u00b5": "μ",
    "\u2009": " ",
    "\u200a": " ",
    "\u202f": " ",
    "\u2007": " ",
    "\u2003": " ",
    "\u2002": " ",
    "\u2713": "○",
    "\u2714": "○",
    "\u2717": "×",
    "\u2718": "×",
    "\u2028": "\n",
    "\u2029": "\n",
    "\t": "    ",
    "\r\n": "\n",
    "\r": "\n",
}
"""Characters the faces lack (or that mean layout), and what is printed instead."""
SUBSTITUTE = "□"
LONGEST_WORD = 400
_OVERLONG = lazy_pattern(rf"\S{{{LONGEST_WORD + 1},}}")
_Held = TypeVar("_Held")


class MissingGlyphError(ValueError):
    """Strict mode: a text holds characters that no face of the document can draw."""

    def __init__(self, characters: Iterable[str]) -> None:
        self.characters = tuple(sorted(set(characters)))
        super().__init__("no glyph for " + ", ".join(f"U+{ord(character):04X}" for character in self.characters))


class HelpedFace(TTFont):  # type: ignore[misc]  # reportlab has no types
    """A face that has each character it lacks drawn, and measured, by the first of its helpers that has it.

    A subset of a helper is named by the helper's number and its own.
    """

    def __init__(self, name: str, path: str, helpers: tuple[TTFont, ...]) -> None:
        super().__init__(name, path)
        self._helpers = helpers
        self._own = frozenset(self.face.charToGlyph)

    @property
    def covered(self) -> frozenset[int]:
        return frozenset().union(*(font.face.charToGlyph for font in (self, *self._helpers)))

    def _needs_none(self, text: str) -> bool:
        return text.isascii() or self._own.issuperset(map(ord, text))

    def _helper(self, character: str) -> int | None:
        point = ord(character)
        if point < 0x80 or point in self._own:
            return None
        return next((n for n, font in enumerate(self._helpers) if point in font.face.charToGlyph), None)

    def stringWidth(self, text: str, size: float, encoding: str = "utf8") -> float:
        if self._needs_none(text):
            return float(super().stringWidth(text, size, encoding))
        total = 0.0
        for helper, run in groupby(text, self._helper):
            drawn = "".join(run)
            if helper is None:
                total += super().stringWidth(drawn, size, encoding)
            else:
                total += self._helpers[helper].stringWidth(drawn, size, encoding)
        return total

    def splitString(self, text: str, doc: Any, encoding: str = "utf-8") -> list[tuple[Any, bytes]]:
        if self._needs_none(text):
            return list(super().splitString(text, doc, encoding))
        pieces: list[tuple[Any, bytes]] = []
        for helper, run in groupby(text, self._helper):
            if helper is None:
                pieces += super().splitString("".join(run), doc, encoding)
            else:
                split = self._helpers[helper].splitString("".join(run), doc, encoding)
                pieces += [((helper, subset), drawn) for subset, drawn in split]
        return pieces

    def getSubsetInternalName(self, subset: Any, doc: Any) -> str:
        if isinstance(subset, tuple):
            helper, own = subset
            return str(self._helpers[helper].getSubsetInternalName(own, doc))
        return str(super().getSubsetInternalName(subset, doc))


@cache
def register() -> tuple[frozenset[int], frozenset[int]]:
    """Registers the faces with reportlab, once; the code points that text can hold, and those that code can."""
    folder = resources_folder() / "fonts"
    fonts: dict[str, TTFont] = {name: TTFont(name, str(folder / f"{name}.ttf")) for name in (_WESTERN, _WESTERN_BOLD)}
    for name, helpers in _HELPED_BY.items():
        fonts[name] = HelpedFace(name, str(folder / f"{name}.ttf"), tuple(fonts[helper] for helper in helpers))
        pdfmetrics.registerFont(fonts[name])
    covered = {name: fonts[name].covered for name in _HELPED_BY}
    pdfmetrics.registerFontFamily(REGULAR, normal=REGULAR, bold=BOLD, italic=REGULAR, boldItalic=BOLD)
    # Every drawing starts by naming this face; left alone it puts an un-embedded Helvetica into the file.
    STATE_DEFAULTS["fontName"] = REGULAR
    return covered[REGULAR] & covered[BOLD], covered[CODE]


class GlyphGuard:
    """Replaces what the faces lack and remembers what could not be replaced."""

    def __init__(self) -> None:
        self._text, self._code = register()
        self.missing: set[str] = set()

    def text(self, text: str, *, code: bool = False) -> str:
        """`text` with every character drawable; unknown ones become □ and are kept in `missing`.

        A letter with a mark that no face has is printed without it, and kept in `missing` too. But for code, a word
        longer than any column or line is shortened, so that a garbled name does not fill the pages.
        """
        if not text.isascii():
            text = unicodedata.normalize("NFC", text)
        if len(text) > LONGEST_WORD and not code:
            text = _OVERLONG.sub(_shortened, text)
        for old, new in REPLACEMENTS.items():
            if old in text:
                text = text.replace(old, new)
        covered = self._code if code else self._text
        if all(ord(character) in covered or character == "\n" for character in text):
            return text
        return "".join(self._drawable(character, covered) for character in text)

    def whole(self, held: _Held) -> _Held:
        """A block, or a part of one, with every text that it holds as `text` gives it."""
        value: Any = held
        if type(value) is str:
            value = self.text(value)
        elif isinstance(value, tuple):
            value = tuple(self.whole(part) for part in value)
        elif is_dataclass(value) and not isinstance(value, type):
            value = replace(value, **{part.name: self.whole(getattr(value, part.name)) for part in fields(value)})
        return cast("_Held", value)

    def _drawable(self, character: str, covered: frozenset[int]) -> str:
        if character == "\n" or ord(character) in covered:
            return character
        if character < " " or character == "\x7f":
            return " "
        self.missing.add(character)
        plain = unicodedata.normalize("NFD", character)[0]
        return plain if covered is self._text and plain.isascii() else SUBSTITUTE


def _shortened(match: re.Match[str]) -> str:
    """Beginning and end of an overlong word, and how long it is."""
    word = match[0]
    return f"{word[: LONGEST_WORD // 2]}…{word[-LONGEST_WORD // 4 :]} ({len(word):,})"


def fitted(label: str, room: float, size: float) -> str:
    """A label cut to `room` points."""
    while len(label) > 4 and width(label, REGULAR, size) > room:
        label = label[:-2] + "…"
    return label


def width(text: str, font: str, size: float) -> float:
    """Points that the longest line of `text` takes."""
    return max((pdfmetrics.stringWidth(line, font, size) for line in text.split("\n")), default=0.0)
