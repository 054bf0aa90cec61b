"""Patterns of modules: a start loads a thousand of them and searches with two hundred."""

from __future__ import annotations

import re
from typing import AnyStr, Generic, cast

_ANSWERS = tuple(name for name in dir(re.Pattern) if not name.startswith("_"))


def lazy_pattern(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` gives, compiled when it is first used; `match.re` is equal to it, and not it."""
    return cast("re.Pattern[AnyStr]", _LazyPattern(pattern, flags))


class _UsedPattern(Generic[AnyStr]):
    """Has the methods of a compiled pattern as attributes of its own: to call one costs no more than there."""

    compiled: re.Pattern[AnyStr]

    def __init__(self, pattern: AnyStr, flags: int) -> None:
        self._written: tuple[AnyStr, int] = pattern, flags

    def __repr__(self) -> str:
        return repr(self.compiled)

    def __eq__(self, other: object) -> bool:
        return self.compiled == (other.compiled if isinstance(other, _UsedPattern) else other)

    def __hash__(self) -> int:
        return hash(self.compiled)

    def __reduce__(self) -> tuple[object, ...]:
        return lazy_pattern, self._written


class _LazyPattern(_UsedPattern[AnyStr]):
    def __getattr__(self, name: str) -> object:
        if name != "compiled" and name not in _ANSWERS:
            raise AttributeError(name)
        compiled = re.compile(*self._written)
        vars(self).update({answer: getattr(compiled, answer) for answer in _ANSWERS}, compiled=compiled)
        self.__class__ = _UsedPattern  # type: ignore[assignment]  # whose attributes are looked up without this detour
        return vars(self)[name]
