"""Text as it is seen: what people paste or type carries characters that nobody sees."""

from __future__ import annotations

import unicodedata

_BREAKS = dict.fromkeys(map(ord, "\r\v\f\x85\u2028\u2029"), "\n")
_INVISIBLE = frozenset("\u200b\u200e\u200f\u2060\ufeff\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u00ad")
"""Zero width, or turning the direction of writing: a name with them looks like another."""


def visible(text: str) -> str:
    """Composed (NFC; Korean typed on a Mac comes decomposed), every line end as ``\\n``, without control and invisible
    characters.
    """
    text = text.replace("\r\n", "\n").translate(_BREAKS)
    return unicodedata.normalize("NFC", "".join(letter for letter in text if letter in "\n\t" or _is_seen(letter)))


def _is_seen(letter: str) -> bool:
    return letter not in _INVISIBLE and unicodedata.category(letter) not in ("Cc", "Cs")
