"""Text as it is seen: what people paste or type, and what hosts and files say, carries characters that nobody sees."""

from __future__ import annotations

import unicodedata

from tunebench.core.patterns import lazy_pattern

_BREAKS = dict.fromkeys(map(ord, "\r\v\f\x85\u2028\u2029"), "\n")
_INVISIBLE = "\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060\u2066-\u2069\ufeff\u00ad"
"""Zero width, turning the direction of writing, or breaking a line: a name with them looks like another."""
_UNSEEN = lazy_pattern(f"[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\ud800-\\udfff{_INVISIBLE}]")
"""These, control characters but for the new line and the tab, and halves of characters."""
_STAND_IN = "\ufffd"


def visible(text: str) -> str:
    """Composed (NFC; Korean typed on a Mac comes decomposed), every line end as ``\\n``, without control and invisible
    characters.
    """
    text = text.replace("\r\n", "\n").translate(_BREAKS)
    return unicodedata.normalize("NFC", _UNSEEN.sub("", text))


def harmless(text: str) -> str:
    """The text for a terminal, which obeys control characters: each is replaced by a visible sign.

    New lines and tabs stay; ``\\r\\n`` is a new line.
    """
    return _UNSEEN.sub(_STAND_IN, text.replace("\r\n", "\n"))


def harmless_line(text: str) -> str:
    """The harmless text on one line, for names and cells."""
    return harmless(" ".join(text.splitlines())).replace("\t", " ")


def harmless_json(text: str) -> str:
    """A JSON text whose strings hold nothing that a terminal obeys; it says the same.

    JSON itself writes control characters as escapes, so that plain ASCII has one left.
    """
    if text.isascii() and "\x7f" not in text:
        return text
    return _UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def display_width(text: str) -> int:
    """Columns of a terminal: Hangul and Hanja take two, what is set on another letter none."""
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )
