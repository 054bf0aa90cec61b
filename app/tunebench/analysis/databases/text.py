"""SQL texts made comparable: two spellings of one statement give the same text.

No grammar of any engine is assumed beyond its quotes and comments, so that anything may be given: texts cut off in
a word, in quotes or in a comment, and texts that are no SQL. Every step looks at each character a bounded number
of times. Comments are not nested.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from enum import Enum, auto

from tunebench.core.patterns import lazy_pattern

_SPECIAL = {  # alternatives of literals are searched for fast
    "mysql": lazy_pattern("'|\"|`|--|/\\*|#"),
    "postgresql": lazy_pattern("'|\"|`|--|/\\*|\\$(?:[^\\W\\d]\\w*)?\\$"),
    "oracle": lazy_pattern("'|\"|`|--|/\\*"),
    "": lazy_pattern("'|\"|`|--|/\\*|\\$(?:[^\\W\\d]\\w*)?\\$"),
}
_FAMILY = {"mariadb": "mysql", "mysql": "mysql", "postgresql": "postgresql", "oracle": "oracle", "tibero": "oracle"}
_QUOTED = {quote: lazy_pattern(rf"(?:[^{quote}]++|{quote}{quote})*+{quote}?") for quote in "'\"`"}
_ESCAPED = {
    quote: lazy_pattern(rf"(?:[^{quote}\\]++|\\(?:.|\Z)|{quote}{quote})*+{quote}?", re.DOTALL) for quote in "'\""
}
_CLOSING = {"[": "]", "{": "}", "(": ")", "<": ">"}

_SEPARATORS = "(),=;"
_SIGNS = _SEPARATORS + ".<>!+*/|-"
_PREFIX = lazy_pattern(r"(?<![\w$#@:])(?:[nN]?[qQ]|[nNxXbBeE]|_[a-zA-Z]\w*)\Z")
_LONGEST_PREFIX = 24
_VALUE = lazy_pattern(
    r"(?=[:@$.\d])(?:"  # fails fast at what begins no value
    r"(?<![\w:@$#]):\w++"  # :1 :name, but not ::type
    r"|(?<![\w$#@])(?:\$\d++|@\w++)"
    r"|(?<![\w$#@.])(?:0x[0-9a-f]++|(?:\d++(?:\.\d*+)?|\.\d++)(?:e[-+]?\d++)?)(?![\w$#]))"
)
_WOULD_BE_VALUE = lazy_pattern(r"(?<![\w$#@])(?=[:@$.\d])")
"""Where a quoted name, such as `2023`, reads like a value."""
_SIGN = lazy_pattern(r"([(,=<>+*/|-]|\b(?:and|between|by|else|in|limit|offset|or|select|then|when)) ?[-+] ?(?=\?)")
_LIST = lazy_pattern(r"\((?:\?(?:,\?)*+(?:,?\.\.\.)?|\.\.\.)\)")
_ROWS = lazy_pattern(r"\(\?\)(?:,\(\?\))++")


class _Kind(Enum):
    CODE = auto()
    STRING = auto()
    NAME = auto()  # a quoted identifier
    HINT = auto()


def folded(text: str, engine: str = "") -> str:
    """The statement without comments and needless blanks, in lower case outside quotes; hints stay.

    Args:
        engine: one of `tunebench.domain.databases.records.Engine`; it decides what is a comment and what a quote.
    """
    parts = []
    for kind, part in _segments(_composed(text), engine):
        if kind is _Kind.CODE:
            parts.append(_tight(_single_spaced(part).lower(), _SEPARATORS))
        elif kind is _Kind.HINT:
            parts.append(_single_spaced(part).lower())
        else:
            parts.append(part)
    return "".join(parts).strip(" ;")


def literal_free(text: str, engine: str = "") -> str:
    """The statement's shape: every literal, list of literals and bind is ``?``, names lose their quotes.

    Hints are left out: to add one is a way to tune a statement. ``null``, ``true`` and ``false`` stay.
    """
    parts: list[str] = []
    for kind, part in _segments(_composed(text), engine):
        if kind is _Kind.CODE:
            parts.append(part)
        elif kind is _Kind.STRING:
            parts[-1] = _without_prefix(parts[-1])
            parts.append("?")
        else:
            parts.append(" " if kind is _Kind.HINT else _WOULD_BE_VALUE.sub("_", part.strip(part[0])))
    shape = _VALUE.sub("?", _single_spaced("".join(parts)).lower())
    if "-" in shape or "+" in shape:
        shape = _SIGN.sub(r"\1 ", shape)
    return _ROWS.sub("(?)", _LIST.sub("(?)", _tight(shape, _SIGNS))).strip(" ;")


def without_literals(text: str, engine: str = "") -> str:
    """The statement as it is written, with ``?`` for every literal and bind; comments, which may hold anything, go."""
    parts: list[str] = []
    for kind, part in _segments(text, engine):
        if kind is _Kind.CODE:
            parts.append(part)
        elif kind is _Kind.STRING:
            parts[-1] = _without_prefix(parts[-1])
            parts.append("?")
        else:
            parts.append(part)
    return _VALUE.sub("?", "".join(parts))


def string_literals(text: str, engine: str = "") -> list[str]:
    """The contents of the text's string literals."""
    return [part.strip("'\"").replace("''", "'") for kind, part in _segments(text, engine) if kind is _Kind.STRING]


def code_and_names(text: str) -> Iterator[tuple[str, bool]]:
    """The parts of the text that are code, or a quoted name (true); comments, hints and strings are left out."""
    for kind, part in _segments(text, ""):
        if kind in (_Kind.CODE, _Kind.NAME):
            yield part, kind is _Kind.NAME


def _single_spaced(code: str) -> str:
    """Every run of blanks, at the ends too, is one space."""
    single = " ".join(code.split())
    if not single:
        return " " if code else ""
    return (" " if code[0].isspace() else "") + single + (" " if code[-1].isspace() else "")


def _tight(code: str, signs: str) -> str:
    """No blank beside any of the signs; blanks stand alone already."""
    for sign in signs:
        if sign in code:
            code = code.replace(f" {sign}", sign).replace(f"{sign} ", sign)
    return code


def _without_prefix(code: str) -> str:
    """The ``N`` of ``N'text'`` and the like belong to the literal."""
    return code[: len(code) - len(_prefix_of(code, len(code)))]


def _composed(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _segments(text: str, engine: str) -> list[tuple[_Kind, str]]:
    """The text in order: code (a blank for each comment), strings, quoted names, hints."""
    family = _FAMILY.get(engine, "")
    special = _SPECIAL[family]
    if special.search(text) is None:
        return [(_Kind.CODE, text)]
    segments: list[tuple[_Kind, str]] = []
    code: list[str] = []
    position = 0
    while special_match := special.search(text, position):
        code.append(text[position : special_match.start()])
        kind, position = _read_special(text, special_match, family)
        if kind is _Kind.CODE:
            code.append(_code_of(text, special_match, position))
            continue
        segments.append((_Kind.CODE, "".join(code)))
        segments.append((kind, text[special_match.start() : position]))
        code = []
    code.append(text[position:])
    segments.append((_Kind.CODE, "".join(code)))
    return segments


def _code_of(text: str, opening: re.Match[str], end: int) -> str:
    """A comment is a blank; what turned out to be no comment stays."""
    return text[opening.start() : end] if end == opening.end() and opening.group() not in ("/*", "#") else " "


def _read_special(text: str, opening: re.Match[str], family: str) -> tuple[_Kind, int]:
    """What begins at `opening`, and where it ends."""
    start, mark = opening.start(), opening.group()
    if mark == "/*":
        return (_Kind.HINT if text[start + 2 : start + 3] in ("+", "!") else _Kind.CODE), _after(text, "*/", start + 2)
    if mark == "--" and family == "mysql" and not text[start + 2 : start + 3].isspace() and start + 2 < len(text):
        return _Kind.CODE, opening.end()
    if mark in ("--", "#"):
        return (_Kind.HINT if text.startswith("--+", start) else _Kind.CODE), _line_end(text, start)
    if mark[0] == "$":
        if start and (text[start - 1].isalnum() or text[start - 1] in "_$"):
            return _Kind.CODE, opening.end()  # a name with two signs in it
        return _Kind.STRING, _after(text, mark, opening.end())
    return _read_quotes(text, opening, family)


def _read_quotes(text: str, match: re.Match[str], family: str) -> tuple[_Kind, int]:
    quote, start = match.group(), match.end()
    prefix = _prefix_of(text, match.start()).lower() if quote == "'" else ""
    if prefix in ("q", "nq") and family in ("oracle", ""):
        opening = text[start : start + 1]
        return _Kind.STRING, _after(text, _CLOSING.get(opening, opening) + "'", start + 1)
    escaped = quote != "`" and (family == "mysql" or prefix == "e" and family in ("postgresql", ""))
    ending = (_ESCAPED if escaped else _QUOTED)[quote].match(text, start)
    string = quote == "'" or (quote == '"' and family == "mysql")
    return _Kind.STRING if string else _Kind.NAME, ending.end() if ending else len(text)


def _prefix_of(text: str, end: int) -> str:
    """The letters before a quote, as ``N`` of ``N'text'``; empty where there are none."""
    if not end or not (text[end - 1].isalnum() or text[end - 1] == "_"):
        return ""
    prefix = _PREFIX.search(text, max(end - _LONGEST_PREFIX, 0), end)
    return prefix.group() if prefix else ""


def _after(text: str, closing: str, start: int) -> int:
    """Behind the next `closing`; the end of the text where it was cut off before."""
    end = text.find(closing, start)
    return len(text) if end < 0 else end + len(closing)


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end
