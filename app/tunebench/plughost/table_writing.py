"""Writes a definition of a simple table as a manifest that a person can go on with, a comment at each line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence

from tunebench.core.paths import resources_folder
from tunebench.core.patterns import lazy_pattern
from tunebench.sdk import API_VERSION

_BARE = lazy_pattern(r"[A-Za-z0-9_-]+")
_ORDER = (
    "id",
    "tool",
    "os",
    "name",
    "files",
    "separator",
    "decimal",
    "skip",
    "since_boot",
    "short_rows",
    "host_line",
    "version_line",
)
_COMMENT_AT = 37


def manifest_text(plugin_id: str, name: Mapping[str, str], version: str, tables: Sequence[Mapping[str, object]]) -> str:
    """The whole `plugin.toml` of a plug-in that has nothing but tables."""
    comments = _comments()
    lines = [
        *_pairs({"id": plugin_id, "name": dict(name), "version": version, "api": [API_VERSION]}, "plugin", comments)
    ]
    for table in tables:
        lines += _table(table, comments)
    return "\n".join(lines) + "\n"


def _comments() -> Mapping[str, Mapping[str, str]]:
    text = (resources_folder() / "plugin_template" / "table_comments.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _table(table: Mapping[str, object], comments: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    yield from ("", "[[tables]]")
    stated = {key: table[key] for key in _ORDER if key in table and table[key] not in ([], "")}
    yield from _pairs(stated, "table", comments)
    yield from ("", "[tables.time]")
    yield from _pairs(_mapping(table.get("time")), "time", comments)
    sections = table.get("sections", [])
    for section in sections if isinstance(sections, list) else []:
        yield from ("", "[[tables.sections]]")
        yield from _pairs({key: value for key, value in section.items() if key != "columns"}, "section", comments)
        columns = _mapping(section.get("columns"))
        yield from ("", "[tables.sections.columns]            # " + comments["section"]["columns"])
        for native, column in columns.items():
            yield f"{_quoted(native)} = {toml_value(column)}"


def _pairs(pairs: Mapping[str, object], place: str, comments: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    for key, value in pairs.items():
        line = f"{key} = {toml_value(value)}"
        comment = comments.get(place, {}).get(key, "")
        yield f"{line.ljust(_COMMENT_AT - 1)} # {comment}" if comment else line


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def toml_value(value: object) -> str:
    """The value as TOML spells it; of numbers, flags, texts, lists and tables of them."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(key)} = {toml_value(item)}" for key, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    return _quoted(str(value))


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _quoted(key)


def _quoted(text: str) -> str:
    """A basic string: control characters as TOML wants them."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + re.sub(r"[\x00-\x1f\x7f]", lambda match: f"\\u{ord(match[0]):04x}", escaped) + '"'
