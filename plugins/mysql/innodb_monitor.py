"""SHOW ENGINE INNODB STATUS where its text stands in lines of its own.

    *************************** 1. row ***************************
      Type: InnoDB                                                      mysql -e "show engine innodb status\\G"
    Status:
    =====================================
    2026-11-21 16:12:38 0x7f04a01806c0 INNODB MONITOR OUTPUT            innodb_monitor, the server's error log

One record of counters for each output. Lines are kept until an output ends; what is between outputs is skipped.
"""

from __future__ import annotations

from collections.abc import Iterable

from tunebench.families.lines import RecordParser
from tunebench.sdk import ParseContext, SampleBatch, decode_text, lazy_pattern, read_frame, read_stamp
from tunebench.sdk.databases import DatabaseIdentity, DatabaseRecord, Engine, Fault, Moment, Reach, TableRows

from .innodb import BEGIN, END, Innodb, add_innodb, innodb_time_ns, read_innodb
from .lock_waits import add_lock_waits

SOURCE = "innodb_status"
MOST_LINES = 100_000
"""An output of more lines is damage; one with ten thousand transactions is not."""
_HEAD = lazy_pattern(rb"^(?:\d{4}-\d\d-\d\d|\d{6}) +\d\d?:\d\d:\d\d\b.*" + BEGIN.encode())
_AROUND = lazy_pattern(
    rb"^\*{5,} \d+\. row \*{5,}\s*$|^ *(?:Type|Name|Status): ?\S{0,20}\s*$|^=+\s*$|^\d+ rows? in set"
)


class InnodbMonitorParser(RecordParser):
    """Every output becomes a record."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool = Engine.MYSQL
        self._held: list[bytes] = []
        self._first_line = 0

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        if b"\0" in head:
            return 0.0
        return 0.96 if any(_HEAD.match(line) for line in head.split(b"\n")) else 0.0

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        for number, line in enumerate(lines, first_line):
            if _HEAD.match(line):
                self._close(whole=False)
                self._first_line = number
                self._held.append(line)
            elif self._held:
                self._held.append(line)
                if line.startswith(END.encode()) or len(self._held) >= MOST_LINES:
                    self._close(whole=line.startswith(END.encode()))
            else:
                self._between(number, line)
        return ()

    def close_tables(self) -> Iterable[SampleBatch]:
        self._close(whole=False)
        return ()

    def _between(self, number: int, line: bytes) -> None:
        if not line.strip():
            self.book.blank()
        elif _AROUND.match(line) or read_stamp(line) is not None or read_frame(line) is not None:
            self.book.header()
        else:
            self.book.skip("message", number, line)

    def _close(self, whole: bool) -> None:
        held, self._held = self._held, []
        if not held:
            return
        innodb = read_innodb("\n".join(map(decode_text, held)))
        if innodb is None:
            self.book.skip("unreadable_numbers", self._first_line, held[0], len(held))
            return
        blank = sum(not line.strip() for line in held)
        self.book.blank(blank)
        self.book.data(len(held) - blank)
        if not whole:
            self.book.warn("snapshot_cut_off")
        self._records.append(self._record_of(innodb, whole))

    def _record_of(self, innodb: Innodb, whole: bool) -> DatabaseRecord:
        engine = Engine.MARIADB if innodb.is_mariadb else Engine.MYSQL
        self.book.tool = engine
        activity, state, fact, locks = map(TableRows, ("activity", "state", "fact", "lock_wait"))
        add_innodb(innodb, self._first_line.__add__, activity, state, fact)
        add_lock_waits(locks, innodb.transactions, self._first_line.__add__)
        tables = {rows.name: rows.close() for rows in (activity, state, fact, locks) if len(rows)}
        time_ns = innodb_time_ns(innodb, self.context.zone)
        if time_ns is not None:
            self.cover(time_ns)
        return DatabaseRecord(
            SOURCE,
            Reach.COUNTERS,
            DatabaseIdentity(engine),
            Moment(time_ns),
            tables=tables,
            first_line=self._first_line,
            faults=() if whole else (Fault.TRUNCATED,),
        )
