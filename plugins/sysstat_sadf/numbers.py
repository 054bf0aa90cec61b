"""The numbers of a row that is read by itself."""

from __future__ import annotations

import math
from collections.abc import Sequence

NO_NUMBERS = (b"nan", b"-nan", b"inf", b"-inf")
_PLAIN = b"0123456789.-"


def read_numbers(cells: Sequence[bytes]) -> list[float] | None:
    """NaN where a cell says that there is no number; None where one says something else."""
    try:
        if not b"".join(cells).translate(None, _PLAIN):
            return list(map(float, cells))
    except ValueError:
        pass
    numbers = [_number(cell.strip()) for cell in cells]
    readable = [number for number in numbers if number is not None]
    return readable if len(readable) == len(cells) else None


def _number(cell: bytes) -> float | None:
    if not cell or cell in NO_NUMBERS:
        return math.nan
    try:
        number = float(cell.replace(b",", b"."))
    except ValueError:
        return None
    return number if math.isfinite(number) and b"_" not in cell else None
