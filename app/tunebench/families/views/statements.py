"""Tables of statements out of a database's own view of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tunebench.families.views.cells import Numbers, added_up
from tunebench.sdk.databases import FigureTable, TableRows

_EXTREMES = {"elapsed_min_s": np.fmin, "elapsed_max_s": np.fmax, "first_seen_ns": np.fmin, "last_seen_ns": np.fmax}


def fingerprint(text: str) -> str:
    """The identity of a statement for which the database gives none."""
    return "fp:" + hashlib.sha256(" ".join(text.split()).lower().encode()).hexdigest()[:16]


def statement_table(
    names: Sequence[str], keys: Sequence[tuple[str, ...]], figures: Mapping[str, Numbers], lines: NDArray[np.int64]
) -> FigureTable:
    """Joins rows of one key: an export may leave out what distinguishes them. `names` are those of a key's parts."""
    places: dict[tuple[str, ...], int] = {}
    rows = np.array([places.setdefault(key, len(places)) for key in keys], dtype=np.intp)
    if len(places) < len(keys):
        figures = {name: added_up(values, rows, len(places), _EXTREMES.get(name)) for name, values in figures.items()}
        lines = lines[np.unique(rows, return_index=True)[1]]
    columns = dict(zip(names, zip(*places, strict=True), strict=False))
    return FigureTable(
        "statement",
        {name: column for name, column in columns.items() if any(column)},
        {name: values for name, values in figures.items() if not np.isnan(values).all()},
        lines,
    )


def text_table(texts: Iterable[tuple[str, str, int]], cut: str | None = None) -> FigureTable:
    """The first text of each identity, with its line; one that ends in `cut` is not complete."""
    rows = TableRows("statement_text")
    seen: set[str] = set()
    for identity, text, line in texts:
        if identity and text and identity not in seen:
            seen.add(identity)
            complete = 0.0 if cut and text.rstrip().endswith(cut) else 1.0
            rows.add(line, {"statement_id": identity, "text": text}, {"complete": complete})
    return rows.close()
