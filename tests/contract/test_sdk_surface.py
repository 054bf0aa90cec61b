"""The names and signatures that plug-ins rely on. A change of `sdk_surface.txt` is a change of the interface."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator
from enum import EnumType
from pathlib import Path

import tunebench.sdk
from tunebench.sdk import databases, testkit

PINNED = Path(__file__).with_name("sdk_surface.txt")
# Classes and functions; the vocabulary of tables and figures beside them only ever grows.
DATABASE_NAMES = sorted(name for name in databases.__all__ if callable(getattr(databases, name)))
TESTKIT_NAMES = ("Finding", "check_plugin", "read_capture")


def surface() -> list[str]:
    """One line per public name, member and signature."""
    lines: list[str] = []
    for module, names in (
        (tunebench.sdk, sorted(tunebench.sdk.__all__)),
        (databases, DATABASE_NAMES),
        (testkit, TESTKIT_NAMES),
    ):
        for name in names:
            lines += _describe(f"{module.__name__}.{name}", getattr(module, name))
    return lines


def _describe(name: str, value: object) -> Iterator[str]:
    if isinstance(value, EnumType):
        members: list[str] = [str(getattr(value, member).value) for member in value.__members__]
        yield f"{name} = {' | '.join(members)}"
    elif isinstance(value, type):
        yield name + _signature(value)
        if dataclasses.is_dataclass(value):
            for field in dataclasses.fields(value):
                if not field.name.startswith("_"):
                    yield f"{name}.{field.name}: {field.type}"
        yield from _members(name, value)
    elif callable(value):
        yield name + _signature(value)
    else:
        yield f"{name} = {value!r}"


def _members(name: str, value: type) -> Iterator[str]:
    for member, found in sorted(vars(value).items()):
        if member.startswith("_"):
            continue
        function = found.__func__ if isinstance(found, staticmethod | classmethod) else found
        if inspect.isfunction(function):
            yield f"{name}.{member}{_signature(function)}"
        elif isinstance(found, property):
            yield f"{name}.{member} (property)"


def _signature(value: object) -> str:
    try:
        return str(inspect.signature(value))  # type: ignore[arg-type]
    except ValueError:
        return ""


def test_the_surface_is_the_pinned_one():
    pinned = PINNED.read_text(encoding="utf-8").splitlines()
    assert surface() == pinned


def test_every_public_name_is_there_and_documented():
    for name in tunebench.sdk.__all__:
        value = getattr(tunebench.sdk, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert inspect.getdoc(value), name
