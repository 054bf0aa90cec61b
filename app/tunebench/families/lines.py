"""Bases of line parsers that know their last line, and of those that give records of databases."""

from __future__ import annotations

from collections.abc import Sequence

from tunebench.sdk import LineParser, ParseContext
from tunebench.sdk.databases import DatabaseRecord


class EndingParser(LineParser):
    """Knows which line is the capture's last and has no end: it was cut off, its last number may have lost digits."""

    _unended_line = 0

    def _note_unended(self, first_line: int, lines: Sequence[bytes]) -> None:
        """Remembers which line has no end; `lines` are those that `read_lines` is given."""
        if self.is_ending:
            self._unended_line = first_line + len(lines) - 1


class RecordParser(LineParser):
    """Gives the records that a subclass puts into `_records`."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._records: list[DatabaseRecord] = []

    def take_records(self) -> Sequence[DatabaseRecord]:
        taken, self._records = self._records, []
        return taken

    def _keep_records(self, records: Sequence[DatabaseRecord]) -> None:
        """Takes these records; the capture covers their moments."""
        self._records += records
        for moment in (moment for record in records for moment in (record.begin, record.end)):
            if moment is not None and moment.time_ns is not None:
                self.cover(moment.time_ns)
