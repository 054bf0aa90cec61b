"""Comparing a calculation's result with a stored reference: every key that the reference has."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from math import isclose
from pathlib import Path
from typing import Any


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def differences(expected: Any, found: Any, rel_tol: float, abs_tol: float = 0.0, path: str = "") -> Iterator[str]:
    """A line for each value that is missing or too far off."""
    if isinstance(expected, Mapping):
        for key, value in expected.items():
            if not isinstance(found, Mapping) or key not in found:
                yield f"{path}.{key} is missing"
            else:
                yield from differences(value, found[key], rel_tol, abs_tol, f"{path}.{key}")
    elif isinstance(expected, list):
        if not isinstance(found, list) or len(found) != len(expected):
            yield f"{path}: {expected} expected, {found} found"
            return
        for place, (one, other) in enumerate(zip(expected, found, strict=True)):
            yield from differences(one, other, rel_tol, abs_tol, f"{path}[{place}]")
    elif isinstance(expected, int | float) and not isinstance(expected, bool):
        number = isinstance(found, int | float) and not isinstance(found, bool)
        if not number or not isclose(expected, found, rel_tol=rel_tol, abs_tol=abs_tol):
            yield f"{path}: {expected} expected, {found} found"
    elif expected != found:
        yield f"{path}: {expected} expected, {found} found"
