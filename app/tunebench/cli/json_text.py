"""JSON written straight from values, for rows of which there are tens of thousands: no dictionary is made of them first.

It is the text that `json` makes of what `tunebench.cli.shapes` gives.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from json.encoder import encode_basestring
from math import isfinite
from operator import attrgetter
from typing import Any

from tunebench.analysis.inference.verdict import Interval
from tunebench.cli.shapes import plain


class JsonText(str):
    """A text that is JSON already."""

    __slots__ = ()


def object_of(*parts: str) -> JsonText:
    """
    Args:
        parts: members, each as `member` and `members` give them.
    """
    return JsonText(f"{{{', '.join(parts)}}}")


def member(key: str, value: object) -> str:
    return f'"{key}": {text(value)}'


def members(of: object, names: str) -> str:
    """The named attributes of a value, in this order.

    Args:
        names: as `tunebench.cli.shapes.shape` has them, without moments.
    """
    keys, writers, values_of = _named(names)
    return ", ".join([key + write(value) for key, write, value in zip(keys, writers, values_of(of), strict=True)])


def array(values: Iterable[str]) -> JsonText:
    return JsonText(f"[{', '.join(values)}]")


def text(value: object) -> str:
    return _TEXTS.get(type(value), _plain_text)(value)


def _text_or_null(value: object) -> str:
    return text(value) if value else "null"


def _number_text(value: float) -> str:
    return repr(value) if isfinite(value) else "null"


def _interval_text(value: Interval) -> str:
    return f"[{_number_text(value.low)}, {_number_text(value.high)}]"


def _plain_text(value: object) -> str:
    return encoded(plain(value))


@lru_cache(maxsize=64)
def _named(
    names: str,
) -> tuple[Sequence[str], Sequence[Callable[[object], str]], Callable[[object], Sequence[object]]]:
    """Key as it is written, and what writes the value, of each name; what gives all their values."""
    attributes, keys, writers = [], [], []
    for word in names.split():
        key, _, name = word.removesuffix("?").partition("=")
        attributes.append(name or key)
        keys.append(f'"{key}": ')
        writers.append(_text_or_null if word.endswith("?") else text)
    values_of = attrgetter(*attributes)
    return keys, writers, values_of if len(keys) > 1 else lambda of: (values_of(of),)


encoded = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_TEXTS: dict[type, Callable[[Any], str]] = {
    float: _number_text,
    int: repr,
    bool: lambda value: "true" if value else "false",
    str: encode_basestring,
    type(None): lambda _: "null",
    Interval: _interval_text,
    JsonText: str,
}
