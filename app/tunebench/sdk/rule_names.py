"""The names of figures that rules may use, and what kind of thing each is.

Series are in `resources/signals`, single values in `resources/rules/names.toml`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from tunebench.analysis.expressions.nodes import Kind
from tunebench.core.paths import resources_folder


@cache
def known_names() -> Mapping[str, Kind]:
    """Every name with its kind; one row per processor is `Kind.MEMBERS`."""
    series = (resources_folder() / "signals").glob("*.toml")
    names = {name: kind for path in sorted(series) for name, kind in _series(path)}
    for entry in _read(resources_folder() / "rules" / "names.toml", "names"):
        names.setdefault(str(entry["name"]), Kind(str(entry["kind"])))
    return names


@cache
def units_of_single_values() -> Mapping[str, str]:
    """Name of a single value -> its unit, where it has one."""
    entries = _read(resources_folder() / "rules" / "names.toml", "names")
    return {str(entry["name"]): str(entry["unit"]) for entry in entries if entry.get("unit")}


def _series(path: Path) -> Iterator[tuple[str, Kind]]:
    for entry in _read(path, "signals"):
        kind = Kind.MEMBERS if entry.get("each") else Kind.NUMBER
        also = entry.get("also", [])
        yield str(entry["name"]), kind
        yield from ((str(name), kind) for name in (also if isinstance(also, list) else []))


def _read(path: Path, key: str) -> list[dict[str, object]]:
    tables = tomllib.loads(path.read_text(encoding="utf-8")).get(key, [])
    return [dict(table) for table in tables]
