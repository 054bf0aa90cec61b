"""How a line begins, in words a person writes: ``Report of {host} on {date}``.

A pattern says how a line begins; blanks before it do not count, and a blank in it stands for any number of blanks.
In braces stands what changes: ``{any}`` any text, ``{word}`` a word, ``{number}`` a number, and the places to be
read: ``{stamp}``, ``{date}``, ``{bias}`` and the names in `HEADING_PLACES`, which reach to the text that follows or to
the line's end, and the single words ``{host}`` and ``{version}``. A brace itself is written twice.

Patterns come from files of strangers, so matching must not take long whatever they say: every piece is matched once,
from left to right, and never tried again (atomic groups), and only the beginning of a line is looked at.
"""

from __future__ import annotations

import re
from dataclasses import field
from functools import cache

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.domain.series import ATTRIBUTE_NAMES

LONGEST_PATTERN = 200
MOST_LOOKED_AT = 500
"""Characters of a line that a pattern is tried on."""
HEADING_PLACES = ("object", "name", *ATTRIBUTE_NAMES)
"""What the heading of a column may tell besides the host: see `tunebench.sdk.table_definition.NamePart`."""
PLACES = ("stamp", "date", "bias", "host", "version", *HEADING_PLACES)
_ONE_WORD = ("host", "version")

_TOKEN = lazy_pattern(r"\{\{|\}\}|\{([a-z]*)\}|\s+|[^{}\s]+|[{}]")
_PIECES = {"word": r"\S++", "number": r"[-+]?+\d++(?:[.,]\d++)?+"}


class PatternFault(ValueError):
    """The pattern is none; the message is the piece that is wrong."""


@record
class LinePattern:
    """A pattern made ready; `places` are the names of what it reads."""

    text: str
    places: tuple[str, ...] = ()
    expression: re.Pattern[str] = field(default=lazy_pattern(""), repr=False, compare=False)

    def read(self, line: str) -> dict[str, str] | None:
        """What stands at the places, without blanks around it; None where the line does not begin so."""
        match = self.expression.match(line[:MOST_LOOKED_AT])
        return None if match is None else {name: text.strip() for name, text in match.groupdict("").items()}

    def fits(self, line: str) -> bool:
        return self.expression.match(line[:MOST_LOOKED_AT]) is not None

    def read_whole(self, text: str) -> dict[str, str] | None:
        """`read` of a text that is nothing beyond the pattern: the heading of a column."""
        match = self.expression.fullmatch(text[:MOST_LOOKED_AT])
        return None if match is None else {name: part.strip() for name, part in match.groupdict("").items()}

    @property
    def beginning(self) -> str:
        """The text that every line it fits has in it: what stands before the first brace, up to a blank."""
        return self.text.partition("{")[0].strip().partition(" ")[0]


@cache
def line_pattern(text: str) -> LinePattern:
    """The pattern that `text` spells.

    Raises:
        PatternFault: an open brace, an unknown or repeated place, nothing but ``{any}``, or far too long.
    """
    if len(text) > LONGEST_PATTERN:
        raise PatternFault(text[:20] + "…")
    parts = list(_parts(text.strip()))
    if not any(kind != "open" for kind, _ in parts):
        raise PatternFault(text)
    places = tuple(name for kind, name in parts if kind == "open" and name in PLACES)
    twice = next((name for name in places if places.count(name) > 1), None)
    if twice:
        raise PatternFault(f"{{{twice}}}")
    return LinePattern(text, places, lazy_pattern(r"\s*+" + _expression(parts)))


def _parts(text: str) -> list[tuple[str, str]]:
    """``("text", "zzz")``, ``("open", "stamp")``: an open piece reaches to the next text."""
    parts: list[tuple[str, str]] = []
    for match in _TOKEN.finditer(text):
        token, name = match[0], match[1]
        if name is not None:
            if name not in ("any", *_PIECES, *PLACES):
                raise PatternFault(token)
            parts.append(("text", _PIECES[name]) if name in _PIECES else ("open", name))
        elif token in ("{", "}"):
            raise PatternFault(token)
        else:
            word = token[:1] if token in ("{{", "}}") else token
            parts.append(("text", r"\s++" if word.isspace() else re.escape(word)))
    return parts


def _expression(parts: list[tuple[str, str]]) -> str:
    """Each open piece is closed by the text up to the next open piece; the last one reaches to the end."""
    whole, index = "", 0
    while index < len(parts):
        kind, value = parts[index]
        index += 1
        if kind == "text":
            whole += value
            continue
        closing = ""
        while index < len(parts) and parts[index][0] == "text":
            closing += parts[index][1]
            index += 1
        lazy, greedy = (r"\S+?", r"\S++") if value in _ONE_WORD else (".*?", ".*+")
        body = lazy if closing else greedy
        named = body if value == "any" else f"(?P<{value}>{body})"
        whole += f"(?>{named}{closing})"
    return whole
