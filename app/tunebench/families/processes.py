"""Processes as series: how one is named, and how many of a capture get series of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from tunebench.sdk.ledger_book import LedgerBook
from tunebench.sdk.tables import TableBuilder
from tunebench.sdk.text import decode_text

FEW, MOST = 300, 2000
BUSY_PCT = 0.5
"""Beyond the first `FEW`, a process needs this share of a processor; beyond `MOST` none is added."""


def process_key(command: bytes, pid: bytes) -> str:
    """``init[1]``: the program's name and its pid.

    ``/usr/sbin/sshd -D`` is ``sshd``, ``sshd: ann@pts/0`` is ``sshd:``, ``[kworker/0:1H]`` stays.
    """
    return f"{program_of(command)}[{decode_text(pid)}]"


def program_of(command: bytes) -> str:
    word = decode_text((command.split() or [b""])[0])
    return word.rsplit("/", 1)[-1] or word if word.startswith("/") else word


class ProcessLimit:
    """Keeps the series of one capture bounded: a day of a busy host sees tens of thousands of short-lived processes."""

    def __init__(self) -> None:
        self._kept: set[str] = set()

    def keeps(self, key: str, busy_pct: float) -> bool:
        """Whether this process has, or gets, series of its own."""
        if key in self._kept:
            return True
        count = len(self._kept)
        if count >= MOST or (count >= FEW and not busy_pct >= BUSY_PCT):
            return False
        self._kept.add(key)
        return True


class ProcessRows:
    """Asks the limit about each process only until it has series."""

    def __init__(self, limit: ProcessLimit, book: LedgerBook) -> None:
        self._limit = limit
        self._book = book
        self._kept: set[bytes] = set()

    def has(self, process: bytes) -> bool:
        """Whether it has series already."""
        return process in self._kept

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
        lines: NDArray[np.int64],
        text_of: Callable[[int], bytes],
        processes: Sequence[bytes],
        busy_pct: Sequence[float],
        numbers: NDArray[np.float64],
        since_boot: bool,
    ) -> NDArray[np.bool_]:
        """Adds the rows of one time and books them; gives which were taken: bool[rows].

        Args:
            lines, processes, busy_pct, numbers: of each row; `text_of` gives a line's text.
        """
        kept = np.ones(len(processes), dtype=bool)
        if not self._kept.issuperset(processes):
            asked = zip(processes, busy_pct, strict=True)
            kept[:] = [self.keeps(process, pct) for process, pct in asked]
        refused = lines[~kept].tolist()
        if refused:
            self._book.skip("too_many_processes", refused[0], text_of(refused[0]), len(refused))
            processes = [process for process, taken in zip(processes, kept.tolist(), strict=True) if taken]
        if processes:
            builder.rows(time_ns, int(lines[kept][0]), processes, list(numbers[kept]), since_boot)
        self._book.data(len(processes))
        return kept
