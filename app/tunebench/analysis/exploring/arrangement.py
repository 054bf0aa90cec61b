"""Which series stand in which row of charts, in which order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field

from tunebench.core.records import record

MOST_LINES = 24
"""Above this many lines a row shows their median, a band and the few least like the others: nobody reads 100 lines."""
TOP_LINES = 5


@record(frozen=False)
class Row:
    """Series drawn over each other; `id` stays when the row moves."""

    id: int
    keys: list[int]

    @property
    def crowded(self) -> bool:
        return len(self.keys) > MOST_LINES


@record(frozen=False)
class Arrangement:
    rows: list[Row] = field(default_factory=list)
    _next_id: int = 1

    @property
    def keys(self) -> list[int]:
        return [key for row in self.rows for key in row.keys]

    def row(self, row_id: int) -> Row | None:
        return next((row for row in self.rows if row.id == row_id), None)

    def row_of(self, key: int) -> Row | None:
        return next((row for row in self.rows if key in row.keys), None)

    def add(self, keys: Iterable[int], at: int | None = None) -> Row | None:
        """A new row of the series not shown yet; None where all of them are."""
        new = [key for key in dict.fromkeys(keys) if self.row_of(key) is None]
        if not new:
            return None
        row = Row(self._next_id, new)
        self._next_id += 1
        self.rows.insert(len(self.rows) if at is None else at, row)
        return row

    def overlay(self, keys: Iterable[int], row_id: int) -> None:
        """Bring the series into that row, out of wherever they are."""
        target = self.row(row_id)
        if target is None:
            return
        for key in dict.fromkeys(keys):
            if key not in target.keys:
                self._take(key)
                target.keys.append(key)
        self._drop_empty()

    def separate(self, row_id: int) -> None:
        """Each series of that row gets a row of its own, in place."""
        row = self.row(row_id)
        if row is None:
            return
        at, keys = self.rows.index(row), list(row.keys)
        self.rows.remove(row)
        for offset, key in enumerate(keys):
            self.add([key], at + offset)

    def move(self, row_id: int, to: int) -> None:
        """Put the row before the row that is now at index `to`."""
        row = self.row(row_id)
        if row is None:
            return
        now = self.rows.index(row)
        self.rows.pop(now)
        self.rows.insert(to - 1 if to > now else to, row)

    def remove(self, keys: Iterable[int]) -> None:
        for key in list(keys):
            self._take(key)
        self._drop_empty()

    def show_only(self, keys: Sequence[int]) -> None:
        """Rows of series not named go, the rest stays in place, new ones come at the end."""
        wanted = set(keys)
        self.remove([key for key in self.keys if key not in wanted])
        for key in keys:
            self.add([key])

    def _take(self, key: int) -> None:
        row = self.row_of(key)
        if row is not None:
            row.keys.remove(key)

    def _drop_empty(self) -> None:
        self.rows = [row for row in self.rows if row.keys]
