"""YAML with its line numbers. The only door to PyYAML: its parser's events, and plain values made of them.

No tag makes an object here, an anchor cannot be used again (a few lines of aliases would unfold into gigabytes), a key
stands once, and nesting ends early (the library's own composer recurses until the stack is gone). Only ``true`` and
``false`` are flags, and dates stay text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record

LARGEST_BYTES = 2 << 20
_DEEPEST = 16
_NUMBER = lazy_pattern(r"[-+]?(\d[\d_]*(\.\d*)?|\.\d+)([eE][-+]?\d{1,3})?")
_WORDS: dict[str, object] = {"": None, "~": None, "null": None, "true": True, "false": False}
_NON_SPECIFIC = ("!", None)


class YamlFault(ValueError):
    """What is wrong and in which line, counted from 1; `reason` is ``syntax``, ``deep``, ``large``, ``tag``, ``alias``,
    ``twice`` or ``encoding``."""

    def __init__(self, reason: str, line: int, **facts: object) -> None:
        super().__init__(f"line {line}: {reason} {facts}")
        self.reason = reason
        self.line = line
        self.facts = facts


@dataclass(eq=False)
class LinedTable(dict[str, object]):
    """A mapping that knows the line of itself and of each of its keys."""

    line: int = 1
    lines: dict[str, int] = field(default_factory=dict)


@record(frozen=False)
class _Open:
    """A list or table whose end has not come; `key` waits for its value."""

    holder: LinedTable | list[object]
    key: str | None = None


def read_yaml(data: bytes) -> object:
    """Text, numbers, flags, None, lists and `LinedTable`s.

    Raises:
        YamlFault: it is no YAML, or none that is accepted here.
    """
    import yaml  # here: only who reads rules pays for it

    if len(data) > LARGEST_BYTES:
        raise YamlFault("large", 1, most=LARGEST_BYTES >> 20)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise YamlFault("encoding", data.count(b"\n", 0, error.start) + 1) from error
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _built(yaml.parse(text, Loader=loader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = str(getattr(error, "problem", None) or error).splitlines()[0]
        raise YamlFault("syntax", mark.line + 1 if mark else 1, problem=problem) from error


def _built(events: Iterator[Any]) -> object:
    """The one document of the file; None where there is none."""
    documents: list[object] = []
    stack = [_Open(documents)]
    for event in events:
        line = int(event.start_mark.line) + 1
        match type(event).__name__:
            case "DocumentStartEvent" if documents:
                raise YamlFault("syntax", line, problem="a second document")
            case "AliasEvent":
                raise YamlFault("alias", line)
            case "MappingStartEvent":
                _open(stack, LinedTable(line=line), event, line)
            case "SequenceStartEvent":
                _open(stack, [], event, line)
            case "MappingEndEvent" | "SequenceEndEvent":
                stack.pop()
            case "ScalarEvent":
                _put(stack[-1], _scalar(event, line), line)
    return documents[0] if documents else None


def _open(stack: list[_Open], holder: LinedTable | list[object], event: Any, line: int) -> None:
    if event.tag not in _NON_SPECIFIC:
        raise YamlFault("tag", line, value=str(event.tag))
    if len(stack) > _DEEPEST:
        raise YamlFault("deep", line, most=_DEEPEST)
    _put(stack[-1], holder, line)
    stack.append(_Open(holder))


def _put(into: _Open, value: object, line: int) -> None:
    if isinstance(into.holder, list):
        into.holder.append(value)
    elif into.key is not None:
        into.holder[into.key] = value
        into.key = None
    else:
        into.key = _key(into.holder, value, line)


def _key(table: LinedTable, value: object, line: int) -> str:
    if isinstance(value, list | dict):
        raise YamlFault("tag", line, value="?")
    key = value if isinstance(value, str) else _as_written(value)
    if key in table.lines:
        raise YamlFault("twice", line, value=key)
    table.lines[key] = line
    return key


def _as_written(value: object) -> str:
    """A key is text, whatever it looks like."""
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)


def _scalar(event: Any, line: int) -> object:
    """Only what stands without quotation marks may be something else than text."""
    if event.tag not in _NON_SPECIFIC:
        raise YamlFault("tag", line, value=str(event.tag))
    text = str(event.value)
    if event.style or not event.implicit[0]:
        return text
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if not _NUMBER.fullmatch(text):
        return text
    plain = text.replace("_", "")
    return int(plain) if plain.lstrip("+-").isdigit() else float(plain)
