"""What the numbers of a column have in common, so that they are packed without trying it out."""

from __future__ import annotations

import ctypes
import os
from functools import cache

import numpy as np
from numpy.typing import NDArray

from app.sdk.scanning import compiled
from app.sdk.scanning.choice import PLAIN

CONSTANT = -2
"""All numbers are one, bit for bit."""
MOST_DECIMALS = 3
_LARGEST = 2.0**51
_MORE = -1


def column_decimals(values: NDArray[np.float64]) -> int | None:
    """How many decimals the numbers were printed with, up to `MOST_DECIMALS`, or `CONSTANT`; None where they have more.

    Args:
        values: contiguous, without NaN where decimals are to be found.
    """
    library = _library()
    if library is None:
        return column_decimals_plainly(values)
    found: int = library.column_decimals(values.ctypes.data, len(values), MOST_DECIMALS)
    return None if found == _MORE else found


def column_decimals_plainly(values: NDArray[np.float64]) -> int | None:
    bits = values.view(np.int64)
    if len(bits) and bits[0] == bits[-1] and bool((bits == bits[0]).all()):
        return CONSTANT
    with np.errstate(over="ignore", invalid="ignore"):
        for decimals in range(MOST_DECIMALS + 1):
            scaled = values * 10.0**decimals
            if bool((np.abs(scaled) < _LARGEST).all()) and bool((np.rint(scaled) / 10.0**decimals == values).all()):
                return decimals
    return None


@cache
def _library() -> ctypes.CDLL | None:
    library = None if os.environ.get(PLAIN) else compiled.load(compiled.library_path())
    if library is not None:
        library.column_decimals.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64]
        library.column_decimals.restype = ctypes.c_int64
    return library
