"""What one capture says of a database, in columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

import numpy as np
from numpy.typing import NDArray

from tunebench.core.records import record
from tunebench.domain.databases.records import TABLES, DatabaseIdentity, Fault, Moment, Reach, StatementKey

Numbers = NDArray[np.float64]


@record(eq=False)
class FigureTable:
    """n rows of one of `tunebench.domain.databases.records.TABLES`.

    Attributes:
        name: which table.
        texts: columns of n texts each; a column of the shape that is absent is empty in every row.
        figures: columns of float64[n]; NaN is "not reported", and so is a column that is absent.
        lines: int64[n], 1-based line of the capture where each row stands; 0 where it has none of its own.
    """

    name: str
    texts: Mapping[str, Sequence[str]]
    figures: Mapping[str, Numbers]
    lines: NDArray[np.int64]

    def __post_init__(self) -> None:
        shape = TABLES.get(self.name)
        if shape is None:
            raise ValueError(f"no table is called {self.name}")
        wrong = [*self.texts.keys() - {*shape.keys, *shape.texts}, *self.figures.keys() - shape.figures.keys()]
        if wrong:
            raise ValueError(f"table {self.name} has no columns {wrong}")
        lengths = {*map(len, self.texts.values()), *map(len, self.figures.values())}
        if lengths - {len(self.lines)}:
            raise ValueError(f"table {self.name}: columns of different lengths")

    def __len__(self) -> int:
        return len(self.lines)

    def __eq__(self, other: object) -> bool:
        """Equal columns; NaN equals NaN."""
        if not isinstance(other, FigureTable) or self.name != other.name or self.figures.keys() != other.figures.keys():
            return False
        texts = {name: tuple(column) for name, column in self.texts.items()}
        numbers = [(self.lines, other.lines), *((column, other.figures[name]) for name, column in self.figures.items())]
        return texts == {name: tuple(column) for name, column in other.texts.items()} and all(
            np.array_equal(one, two, equal_nan=True) for one, two in numbers
        )

    __hash__ = None  # type: ignore[assignment]  # columns are arrays

    def text(self, column: str) -> Sequence[str]:
        """One text per row; empty where the capture has none."""
        return self.texts.get(column) or ("",) * len(self)

    def figure(self, column: str) -> Numbers:
        """One number per row, NaN where it is not reported."""
        values = self.figures.get(column)
        return np.full(len(self), np.nan) if values is None else values

    def keys(self) -> list[tuple[str, ...]]:
        """What names each row."""
        return list(zip(*(self.text(column) for column in TABLES[self.name].keys), strict=True))

    def taken(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> FigureTable:
        """The chosen rows."""
        places = np.arange(len(self))[rows]
        return FigureTable(
            self.name,
            {name: tuple(column[row] for row in places) for name, column in self.texts.items()},
            {name: column[rows] for name, column in self.figures.items()},
            self.lines[rows],
        )


@record
class DatabaseRecord:
    """A report over a period, or the counters of a database at one moment.

    Attributes:
        source: which kind of capture: ``awr_html``, ``statspack``, ``pg_stat_statements`` ...
        begin: None for counters.
        elapsed_s: length of the period as the capture states it, else from its ends.
        db_time_s: time that sessions spent in the database during it, where stated.
        absent: tables that this source has and this capture lacks (cut off, or an empty section).
        first_line: where it begins in the capture, 1-based.
    """

    source: str
    reach: Reach
    identity: DatabaseIdentity
    end: Moment
    begin: Moment | None = None
    elapsed_s: float | None = None
    db_time_s: float | None = None
    title: str = ""
    tables: Mapping[str, FigureTable] = field(default_factory=dict)
    absent: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    first_line: int = 1

    def table(self, name: str) -> FigureTable:
        """One without rows where the capture has none."""
        return self.tables.get(name) or empty_table(name)

    def statement_texts(self) -> dict[str, str]:
        """Statement -> its longest text."""
        table = self.table("statement_text")
        texts: dict[str, str] = {}
        for id_, text in zip(table.text("statement_id"), table.text("text"), strict=True):
            if len(text) > len(texts.get(id_, "")):
                texts[id_] = text
        return texts

    @property
    def valid(self) -> bool:
        return not any(fault.invalidates for fault in self.faults)

    def with_faults(self, *faults: Fault) -> DatabaseRecord:
        return replace(self, faults=tuple(dict.fromkeys((*self.faults, *faults))))


def statement_keys(table: FigureTable) -> list[StatementKey]:
    """The key of each row of a table of statements."""
    return list(map(StatementKey._make, zip(table.text("statement_id"), table.text("container"), strict=True)))


def empty_table(name: str) -> FigureTable:
    return FigureTable(name, {}, {}, np.zeros(0, dtype=np.int64))


class TableRows:
    """Collects rows of one table in any order and gives them as columns."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._rows: list[tuple[int, Mapping[str, str], Mapping[str, float | None]]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, line: int, texts: Mapping[str, str], figures: Mapping[str, float | None]) -> None:
        """`figures` may leave out, or set to None, what the row does not report."""
        self._rows.append((line, texts, figures))

    def close(self) -> FigureTable:
        shape = TABLES[self.name]
        text_names = [n for n in (*shape.keys, *shape.texts) if any(n in texts for _, texts, _ in self._rows)]
        figure_names = [n for n in shape.figures if any(figures.get(n) is not None for *_, figures in self._rows)]
        unknown = {n for _, texts, figures in self._rows for n in (*texts, *figures)} - {
            *shape.keys,
            *shape.texts,
            *shape.figures,
        }
        if unknown:
            raise ValueError(f"table {self.name} has no columns {sorted(unknown)}")
        return FigureTable(
            self.name,
            {n: tuple(texts.get(n, "") for _, texts, _ in self._rows) for n in text_names},
            {n: np.array([_number(figures.get(n)) for *_, figures in self._rows]) for n in figure_names},
            np.array([line for line, *_ in self._rows], dtype=np.int64),
        )


def _number(value: float | None) -> float:
    return np.nan if value is None else float(value)
