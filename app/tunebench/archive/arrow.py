"""Columns as a stream of Arrow, for data tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunebench.archive.base import ALONE


def stream(columns: Mapping[str, NDArray[np.generic]], requested_schema: object = None) -> Any:
    """A capsule of the Arrow PyCapsule interface (``arrow_array_stream``).

    Args:
        columns: arrays of one length; NaN, NaT and None become null.
        requested_schema: as the interface has it; the columns keep their types whatever it asks for.
    """
    import duckdb

    base = duckdb.connect(config=ALONE)
    base.register("columns", dict(columns))
    return base.view("columns").__arrow_c_stream__(requested_schema)
