"""What a calculation is given: a JSON object whose values are checked when they are asked for.

Whatever is wrong is refused with the name of the key; nothing is guessed, left out or rounded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tunebench.core.errors import ExitCode, UserError

MOST_NUMBERS = 1_000_000
LARGEST = 1e100
"""Squares of larger numbers, and of smaller ones than its inverse, are beyond the range of floats; nothing that is
measured comes near."""
Floats = NDArray[np.float64]
T = TypeVar("T")


class CalculationRefusal(UserError):
    """The input of a calculation is not what the method needs; the sentence names the key."""

    exit_code = ExitCode.USAGE


class Inputs:
    """A JSON object. Keys inside of lists are named with their place: ``cases[2].ci``."""

    def __init__(self, document: object, path: str = "") -> None:
        if not isinstance(document, Mapping):
            raise CalculationRefusal("calc_not_an_object", name=path)
        self._values = document
        self._path = path

    def __contains__(self, key: str) -> bool:
        """Whether there is a value; null is none."""
        return self._values.get(key) is not None

    def as_asked(self, key: str, answers: Sequence[T]) -> Sequence[T] | T:
        """A list of answers where the key has a list, the one answer where it has a number."""
        return answers if isinstance(self._values.get(key), list) else answers[0]

    def named(self, key: str) -> str:
        return f"{self._path}.{key}" if self._path else key

    def require(self, fits: bool | np.bool_, refusal: str, key: str, **facts: object) -> None:
        """Refuses what stands at `key` where it does not fit."""
        if not fits:
            raise CalculationRefusal(refusal, name=self.named(key), **facts)

    def numbers(self, key: str, *, fewest: int = 1, most: int = MOST_NUMBERS, positive: bool = False) -> Floats:
        """float64[n], all finite."""
        values = np.array(self._many(key, fewest, most), dtype=np.float64)
        self.require(not positive or (values > 0).all(), "calc_not_positive", key)
        return values

    def columns(
        self, *keys: str, fewest: int = 1, most: int = MOST_NUMBERS, positive: bool = False
    ) -> tuple[Floats, ...]:
        """Several `numbers` of the same length."""
        columns = tuple(self.numbers(key, fewest=fewest, most=most, positive=positive) for key in keys)
        self.same_length(*keys)
        return columns

    def pair_or_null(self, key: str) -> tuple[float, float] | None:
        """[low, high] in this order, or null."""
        if self._required(key) is None:
            return None
        low, high = self._many(key, 2, 2)
        self.require(low <= high, "calc_wrong_order", key)
        return low, high

    def choice(self, key: str, choices: tuple[str, ...]) -> str:
        """One of the words in `choices`."""
        value = self._required(key)
        self.require(value in choices, "calc_not_known", key, known=", ".join(choices))
        return str(value)

    def number_list_or_one(self, key: str) -> list[float]:
        """A single number is a list of one."""
        value = self._required(key)
        return self._many(key, 1, MOST_NUMBERS) if isinstance(value, list) else [self._finite(value, self.named(key))]

    def number(
        self, key: str, *, low: float | None = None, high: float | None = None, default: float | None = None
    ) -> float:
        """Finite, `low` and `high` included."""
        if default is not None and key not in self:
            return default
        value = self._finite(self._required(key), self.named(key))
        fits = (low is None or low <= value) and (high is None or value <= high)
        self.require(fits, "calc_out_of_range", key, range=_range(low, high))
        return value

    def whole(self, key: str, *, low: int = 0, high: int | None = None, default: int | None = None) -> int:
        value = self.number(key, low=low, high=high, default=default)
        self.require(value == int(value), "calc_not_whole", key)
        return int(value)

    def share(self, key: str, default: float | None = None) -> float:
        """Strictly between 0 and 1: a confidence, a probability."""
        value = self.number(key, default=default)
        self.require(0 < value < 1, "calc_not_a_share", key)
        return value

    def confidence(self, key: str = "conf") -> float:
        """The confidence level; 0.95 where it is not given."""
        return self.share(key, default=0.95)

    def labels(self, key: str) -> list[str]:
        """Names of levels; numbers as they are written."""
        value = self._list(key, 1, MOST_NUMBERS)
        if not all(isinstance(item, str | int | float) and not isinstance(item, bool) for item in value):
            raise CalculationRefusal("calc_not_a_label", name=self.named(key))
        return [item if isinstance(item, str) else f"{item:g}" for item in value]

    def mapping(self, key: str) -> dict[str, float]:
        """Names and finite numbers, at least one."""
        value = self._required(key)
        if not isinstance(value, Mapping) or not value:
            raise CalculationRefusal("calc_not_an_object", name=self.named(key))
        return {str(name): self._finite(item, f"{self.named(key)}.{name}") for name, item in value.items()}

    def objects(self, key: str) -> list[Inputs]:
        items = self._list(key, 1, MOST_NUMBERS)
        return [Inputs(item, f"{self.named(key)}[{index}]") for index, item in enumerate(items)]

    def same_length(self, *keys: str) -> None:
        """Requires that all are as long as the first of them."""
        lengths = [len(self._list(key, 0, MOST_NUMBERS)) for key in keys]
        for key, length in zip(keys, lengths, strict=True):
            first, needed = self.named(keys[0]), lengths[0]
            self.require(length == needed, "calc_lengths_differ", key, found=length, other=first, needed=needed)

    def _required(self, key: str) -> object:
        self.require(key in self._values, "calc_missing_key", key)
        return self._values[key]

    def _list(self, key: str, fewest: int, most: int) -> list[object]:
        value = self._required(key)
        if not isinstance(value, list):
            raise CalculationRefusal("calc_not_a_list", name=self.named(key))
        if not fewest <= len(value) <= most:
            facts = {"name": self.named(key), "found": len(value), "fewest": fewest, "most": most}
            raise CalculationRefusal("calc_too_few" if len(value) < fewest else "calc_too_many", **facts)
        return value

    def _many(self, key: str, fewest: int, most: int) -> list[float]:
        items = self._list(key, fewest, most)
        return [self._finite(item, f"{self.named(key)}[{index}]") for index, item in enumerate(items)]

    @staticmethod
    def _finite(value: object, name: str) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise CalculationRefusal("calc_not_a_number", name=name)
        try:
            number = float(value)
        except OverflowError:
            raise CalculationRefusal("calc_not_finite", name=name) from None
        if not isfinite(number):
            raise CalculationRefusal("calc_not_finite", name=name)
        if abs(number) > LARGEST or 0 < abs(number) < 1 / LARGEST:
            raise CalculationRefusal("calc_too_far", name=name)
        return number


def _range(low: float | None, high: float | None) -> str:
    return f"{'-∞' if low is None else f'{low:g}'} … {'∞' if high is None else f'{high:g}'}"
