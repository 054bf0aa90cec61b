"""Looks at every sign of an expression before Python's own parser sees it.

What is left after this has no attribute, no format string, no line break and no keyword but ``and or not in``; the
words ``last 10`` and ``last 10m`` have become ``last(10)`` and ``last(10, 'm')``.
"""

from __future__ import annotations

import keyword
import re

from tunebench.analysis.expressions.faults import ExpressionFault
from tunebench.core.patterns import lazy_pattern

LONGEST = 400
_TOKEN = lazy_pattern(
    r"""(?P<space>[ \t\r\n]+)
      | (?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?)
      | (?P<name>[A-Za-z_][A-Za-z0-9_]{0,63})
      | (?P<word>'[^'"\\\r\n]*'|"[^'"\\\r\n]*")
      | (?P<sign>\*\*|//|==|!=|<=|>=|[-+*/<>(),\[\]])""",
    re.VERBOSE,
)
_ALLOWED_KEYWORDS = frozenset({"and", "or", "not", "in"})
_LONGEST_NUMBER = 24
LAST = "last"
SPAN_UNITS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def plain_text(text: str) -> str:
    """The expression in Python's own spelling, with one blank between the tokens.

    Raises:
        ExpressionFault: ``empty``, ``too_long``, ``character``, ``construct`` or ``number``.
    """
    if not text.strip():
        raise ExpressionFault("empty")
    if len(text) > LONGEST:
        raise ExpressionFault("too_long", value=len(text), most=LONGEST)
    return " ".join(_spelt(_tokens(text)))


def _tokens(text: str) -> list[tuple[str, str]]:
    tokens: list[tuple[str, str]] = []
    position, touching = 0, ""
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            raise ExpressionFault("character", value=text[position], place=position + 1)
        kind, piece = match.lastgroup, match.group()
        if kind == "word" and tokens and tokens[-1][0] == "word":
            raise ExpressionFault("syntax", value=piece)  # Python would join them
        if kind != "space":
            _check_piece(kind, piece, touching, after_last=len(tokens) > 1 and tokens[-2][1] == LAST)
            tokens.append((kind, piece))
        touching = kind
        position = match.end()
    return tokens


def _check_piece(kind: str, piece: str, touching: str, after_last: bool) -> None:
    """`touching` is what stands before it without a blank: ``f'x'`` and ``10if`` are no two tokens."""
    if kind == "number" and len(piece) > _LONGEST_NUMBER:
        raise ExpressionFault("number", value=piece)
    if kind == "name" and keyword.iskeyword(piece) and piece not in _ALLOWED_KEYWORDS:
        raise ExpressionFault("construct", value=piece)
    glued = (kind in ("name", "number") and touching in ("number", "word")) or (kind == "word" and touching == "name")
    if glued and not (after_last and touching == "number" and piece in SPAN_UNITS):
        raise ExpressionFault("syntax", value=piece)


def _spelt(tokens: list[tuple[str, str]]) -> list[str]:
    pieces: list[str] = []
    index = 0
    while index < len(tokens):
        following = [kind for kind, _ in tokens[index + 1 : index + 3]]
        if tokens[index][1] == LAST and following[:1] == ["number"]:
            unit = following[1:] == ["name"] and tokens[index + 2][1] in SPAN_UNITS
            pieces.append(f"{LAST}({tokens[index + 1][1]}" + (f", '{tokens[index + 2][1]}')" if unit else ")"))
            index += 3 if unit else 2
            continue
        pieces.append(_number(tokens[index][1]) if tokens[index][0] == "number" else tokens[index][1])
        index += 1
    return pieces


def _number(piece: str) -> str:
    """The number without leading zeros, which Python refuses."""
    return piece.lstrip("0") or "0" if piece.isdigit() else piece
