"""JSON written straight from values, for tens of thousands of rows: no dictionary is made of them first.

It is the text that `json` makes of what `tunebench.contract.shapes` gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from json.encoder import encode_basestring
from math import isfinite
from operator import attrgetter
from typing import Any

from tunebench.analysis.inference.verdict import Interval
from tunebench.contract.document import JsonText, encoded
from tunebench.contract.shapes import plain


def object_of(*parts: str) -> JsonText:
    """
    Args:
        parts: members, each as `member` and `members` give them.
    """
    return JsonText(f"{{{', '.join(parts)}}}")


def member(key: str, value: object) -> str:
    return f'"{key}": {_WRITERS[type(value)](value)}'


def members(of: object, names: str) -> str:
    """The named attributes of a value, in this order.

    Args:
        names: as `tunebench.contract.shapes.shape` has them, without moments.
    """
    form, values_of, may_be_empty = _named(names)
    values = values_of(of)
    if may_be_empty:
        values = [None if empty and not value else value for value, empty in zip(values, may_be_empty, strict=True)]
    return form % tuple([_WRITERS[type(value)](value) for value in values])


def array(texts: Iterable[str]) -> JsonText:
    return JsonText(f"[{', '.join(texts)}]")


@lru_cache(maxsize=64)
def _named(names: str) -> tuple[str, Callable[[object], Sequence[object]], Sequence[bool]]:
    """The text with its values left out; what gives all the values; which are null where they are empty, if any are."""
    words = [word.removesuffix("?").partition("=") for word in names.split()]
    empty = [word.endswith("?") for word in names.split()]
    form = ", ".join(f'"{key}": %s' for key, _, _ in words)
    values_of = attrgetter(*(name or key for key, _, name in words))
    return form, values_of if len(words) > 1 else lambda of: (values_of(of),), empty if any(empty) else ()


def _number(value: float) -> str:
    return float.__repr__(value) if isfinite(value) else "null"


def _interval(value: Interval) -> str:
    return f"[{_number(value.low)}, {_number(value.high)}]"


def _list(values: Iterable[object]) -> str:
    return f"[{', '.join([_WRITERS[type(value)](value) for value in values])}]"


def _dict(values: Mapping[object, object]) -> str:
    pairs = [f"{encode_basestring(str(key))}: {_WRITERS[type(value)](value)}" for key, value in values.items()]
    return f"{{{', '.join(pairs)}}}"


class _Writers(dict[type, Callable[[Any], str]]):
    """What writes a value, by its type."""

    def __missing__(self, kind: type) -> Callable[[Any], str]:
        if issubclass(kind, float):
            self[kind] = _number
        elif issubclass(kind, str):
            self[kind] = encode_basestring
        else:
            self[kind] = lambda value: encoded(plain(value))
        return self[kind]


_WRITERS = _Writers(
    {
        float: _number,
        int: repr,
        bool: lambda value: "true" if value else "false",
        type(None): lambda _: "null",
        Interval: _interval,
        list: _list,
        tuple: _list,
        dict: _dict,
        JsonText: str,
    }
)
