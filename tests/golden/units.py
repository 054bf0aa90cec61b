"""One unit of what is seen: a name, and the lines that its digest is of."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence

Units = dict[str, list[str]]
"""Name -> lines."""
_LARGE = (4_000, 4_000, 20_000)
"""So many characters of JSON are told apart by their keys: of a document, of what is below it, and below that."""

_FINE = re.compile(r"(?P<head>.+\.(?:json|xlsx)\.[^.]+|window\.\w+\.\w+\.t\d+)\.(?P<rest>.+)")


def digest(lines: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]


def digests(units: Mapping[str, Sequence[str]]) -> dict[str, str]:
    return {name: digest(lines) for name, lines in units.items()}


def under(prefix: str, units: Mapping[str, list[str]]) -> Units:
    return {f"{prefix}.{name}": lines for name, lines in units.items()}


def coarse(units: Mapping[str, list[str]]) -> Units:
    """With one unit for each sheet, table and key of a document; what is below it is named in its lines."""
    merged: Units = {}
    for name, lines in units.items():
        if match := _FINE.fullmatch(name):
            merged.setdefault(match["head"], []).extend(f"{match['rest']}: {line}" for line in lines)
        else:
            merged.setdefault(name, []).extend(lines)
    return merged


def of_json(document: object) -> Units:
    """One unit where it is short, else one for each key; for each field in a list of records, and so on where there is much."""
    return {name or "whole": lines for name, lines in _parts(document, "", 0)}


def _parts(value: object, name: str, depth: int) -> Iterator[tuple[str, list[str]]]:
    is_large = depth < len(_LARGE) and len(_text(value)) > _LARGE[depth]
    if isinstance(value, dict) and is_large:
        for key, part in value.items():
            yield from _parts(part, _joined(name, key), depth + 1)
        yield _joined(name, "keys"), list(map(str, value))
    elif isinstance(value, list) and is_large and all(isinstance(row, dict) for row in value):
        fields = dict.fromkeys(field for row in value for field in row)
        for field in fields:
            yield _joined(name, field), [_text(row[field]) if field in row else "absent" for row in value]
        yield _joined(name, "keys"), list(fields)
    elif isinstance(value, dict):
        yield name, [f"{key}: {_text(part)}" for key, part in value.items()]
    else:
        yield name, [_text(row) for row in value] if isinstance(value, list) else [_text(value)]


def _joined(*names: str) -> str:
    return ".".join(name for name in names if name)


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
