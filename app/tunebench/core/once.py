"""What is computed when it is first asked for, and kept: `functools.cached_property` without its lock, which takes
longer than most of what hundreds of thousands of values have computed for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

R = TypeVar("R")


class Once(Generic[R]):
    """A property of a class without slots; two threads that ask at the same time may both compute it."""

    def __init__(self, compute: Callable[[Any], R]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, of: object, owner: type | None = None) -> R:
        value = vars(of)[self._name] = self._compute(of)
        return value
