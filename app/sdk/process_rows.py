"""Many rows of processes at once, as far as their processes get series of their own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from app.sdk.ledger_book import LedgerBook
from app.sdk.processes import ProcessLimit
from app.sdk.tables import TableBuilder
from app.sdk.text import decode_text


class ProcessRows:
    """Asks the limit about each process only until it has series."""

    def __init__(self, limit: ProcessLimit, book: LedgerBook) -> None:
        self._limit = limit
        self._book = book
        self._kept: set[bytes] = set()

    def keeps(self, process: bytes, busy_pct: float) -> bool:
        if process in self._kept:
            return True
        if not self._limit.keeps(decode_text(process), busy_pct):
            return False
        self._kept.add(process)
        return True

    def add(
        self,
        builder: TableBuilder,
        time_ns: int,
        first_line: int,
        lines: Sequence[bytes],
        processes: Sequence[bytes],
        busy_pct: Sequence[float],
        numbers: NDArray[np.float64],
        since_boot: bool,
    ) -> NDArray[np.bool_]:
        """Adds the rows of one time and books them; gives which were taken: bool[rows].

        Args:
            lines, processes, busy_pct, numbers: of each row; lines are those from `first_line` on.
        """
        kept = np.ones(len(processes), dtype=bool)
        if not self._kept.issuperset(processes):
            asked = zip(processes, busy_pct, strict=True)
            kept[:] = [self.keeps(process, pct) for process, pct in asked]
        if kept.all():
            builder.rows(time_ns, first_line, processes, list(numbers), since_boot)
        else:
            rows = zip(lines, processes, numbers, kept.tolist(), strict=True)
            for number, (line, process, row, taken) in enumerate(rows, first_line):
                if taken:
                    builder.row(time_ns, number, process, row, since_boot)
                else:
                    self._book.skip("too_many_processes", number, line)
        self._book.data(int(np.count_nonzero(kept)))
        return kept
