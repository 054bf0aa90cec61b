"""Names and signatures that others rely on, one line each."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator
from enum import EnumType


def described(name: str, value: object) -> Iterator[str]:
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
