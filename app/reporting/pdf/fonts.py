"""The document's faces, and the guard that no character is lost because a face lacks it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, TypeVar, cast

from reportlab.graphics.shapes import STATE_DEFAULTS
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

from app.core.paths import resources_folder

REGULAR, BOLD, CODE = "NanumGothic", "NanumGothicBold", "NanumGothicCoding"

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
_OVERLONG = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")
_Held = TypeVar("_Held")


class MissingGlyphError(ValueError):
    """Strict mode: a text holds characters that no face of the document can draw."""

    def __init__(self, characters: Iterable[str]) -> None:
        self.characters = tuple(sorted(set(characters)))
        super().__init__("no glyph for " + ", ".join(f"U+{ord(character):04X}" for character in self.characters))


@cache
def register() -> tuple[frozenset[int], frozenset[int]]:
    """Registers the three faces with reportlab, once; the code points of the text faces, and of the fixed-width one."""
    covered = {}
    for name in (REGULAR, BOLD, CODE):
        font = TTFont(name, str(resources_folder() / "fonts" / f"{name}.ttf"))
        pdfmetrics.registerFont(font)
        covered[name] = frozenset(font.face.charToGlyph)
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

        A letter with a mark that the text faces lack is printed without it, and kept in `missing` too. But for code, a
        word longer than any column or line is shortened, so that a garbled name does not fill the pages.
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
            value = tuple(self.whole(each) for each in value)
        elif is_dataclass(value) and not isinstance(value, type):
            value = replace(value, **{each.name: self.whole(getattr(value, each.name)) for each in fields(value)})
        return cast("_Held", value)

    def _drawable(self, character: str, covered: frozenset[int]) -> str:
        if character == "\n" or ord(character) in covered:
            return character
        if character < " " or character == "\x7f":
            return " "
        self.missing.add(character)
        plain = unicodedata.normalize("NFD", character)[0]
        return plain if covered is self._text and plain.isascii() else SUBSTITUTE


def _shortened(found: re.Match[str]) -> str:
    """Beginning and end of an overlong word, and how long it is."""
    word = found[0]
    return f"{word[: LONGEST_WORD // 2]}…{word[-LONGEST_WORD // 4 :]} ({len(word):,})"


def width(text: str, font: str, size: float) -> float:
    """Points that the longest line of `text` takes."""
    return max((pdfmetrics.stringWidth(line, font, size) for line in text.split("\n")), default=0.0)
