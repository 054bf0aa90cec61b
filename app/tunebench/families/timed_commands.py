"""What ``time`` printed among the rows of another tool: the response time that was measured beside it.

    root@db1:/ # iostat -xn 5 > /tmp/io & time mkfile 1g /data/f; kill %1
    real    0m48.465s
    user    0m0.738s
    sys     0m0.176s

The command had ended where its figures stand: they are of the last row's time.
"""

from __future__ import annotations

from collections.abc import Iterator

from tunebench.families.time_dialects import read_time_line
from tunebench.sdk import LedgerBook, SampleBatch
from tunebench.sdk.batches import TIMED_TABLE
from tunebench.sdk.number_table import NumberTable

TABLE = TIMED_TABLE
TIMES = ("real_s", "user_s", "sys_s")


class TimedCommands:
    """The commands of one capture; a command is whole with its three times."""

    def __init__(self, book: LedgerBook) -> None:
        self._book = book
        self._table = NumberTable(TABLE, TIMES)
        self._waiting: list[tuple[int, bytes]] = []  # lines of a command whose other times are still to come
        self._figures: dict[str, float] = {}

    def take(self, number: int, line: bytes, time_ns: int | None) -> bool:
        """Reads a line; False where it is none of ``time``, or stands above the first row and so has no time."""
        figures = {name: value for name, value in read_time_line(line).items() if name in TIMES}
        if not figures or time_ns is None:
            return False
        if self._figures.keys() & figures.keys():
            self.end()
        self._waiting.append((number, line))
        self._figures |= figures
        if len(self._figures) == len(TIMES):
            self._book.data(len(self._waiting))
            self._table.row(time_ns, self._waiting[0][0], "", [self._figures[name] for name in TIMES])
            self._waiting, self._figures = [], {}
        return True

    def end(self) -> None:
        """No more lines of the command come: what it lacks was cut off."""
        for number, line in self._waiting:
            self._book.skip("truncated", number, line)
        self._waiting, self._figures = [], {}

    def flush(self) -> Iterator[SampleBatch]:
        return self._table.flush()
