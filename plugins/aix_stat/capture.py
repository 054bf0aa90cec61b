"""What the parsers of the AIX stat tools share: the configuration line, the rulers, blocks that wait for the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tunebench.families.page_reading import MOST_TABLES, Dialect, Field, Scan, ScannedRows, ScanTable, new_scanner
from tunebench.families.runs import RunParser
from tunebench.sdk import ParseContext, SystemFact, TableBuilder, lazy_pattern

from .configuration import Configuration

TOOLS = frozenset({"vmstat", "iostat", "lparstat", "mpstat", "svmon", "sar"})
FIGURES = b"0123456789.,- \t"
_RULER = lazy_pattern(rb"^[-\s]{3,}$")
_COMMENT = lazy_pattern(rb"^#+ ")


def is_ruler(text: bytes) -> bool:
    """``----- ----------- ----``"""
    return _RULER.match(text) is not None


class AixParser(RunParser):
    """Base of the line-oriented AIX parsers; a subclass reads its tables in `take_line`."""

    os = "aix"
    tools = TOOLS

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.configuration = Configuration(self.book)

    def take_line(self, number: int, text: bytes) -> bool:
        """Reads and books a line of the tool's tables; False where it is none."""
        raise NotImplementedError

    def take(self, number: int, text: bytes) -> bool:
        if self.take_line(number, text):
            return True
        if is_ruler(text):
            self.book.header()
            return True
        if self.configuration.take(number, text):
            self.configuration_line()
            return True
        if _COMMENT.match(text) and not self._is_command(text):
            self.book.skip("comment", number, text)
            return True
        return False

    def _is_command(self, text: bytes) -> bool:
        words = text.lstrip(b"# ").split()
        return bool(words) and words[0].rsplit(b"/", 1)[-1].decode("ascii", "replace") in TOOLS

    def configuration_line(self) -> None:
        """The tool was started, or the partition changed."""

    def block(self, tod_s: int | None = None) -> tuple[int, bool]:
        time_ns, since_boot = super().block(tod_s)
        if self.configuration.pending:
            self.times.events.extend(self.configuration.confirm(time_ns))
        return time_ns, since_boot

    def facts(self) -> Sequence[SystemFact]:
        return [*self.configuration.facts(), *super().facts()]


_CLOCK = (Field(0, 2, 23), Field(3, 5, 59), Field(6, 8, 59))  # of 11:44:31


class DiskParser(AixParser):
    """Reads rows of disks, in blocks: one begins with another time, or with what the block has had already.

    The scanner reads the rows of a table of which one was read.
    """

    dialect = Dialect(b".,", absent=(b"-", b"--"))
    leaders: frozenset[str] = frozenset()
    """Labels of what stands once in a block, above all else: below one a name may come twice."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.scanner = new_scanner(self.dialect)
        self._of_block: dict[str, set[bytes]] = {}  # this block's names, by label
        self._tod_s: int | None = None  # the time behind its rows
        self._known: dict[TableBuilder, ScanTable] = {}
        self._open: tuple[str, TableBuilder] | None = None
        self._waiting: list[tuple[TableBuilder, ScannedRows, int, bool]] = []  # rows of one time each

    def end_block(self) -> None:
        super().end_block()
        self._of_block.clear()

    def begins_block(self, label: str, name: bytes, tod_s: int | None) -> bool:
        """Whether a row of this name, with this time behind it, is the first of a block."""
        if tod_s is not None and self._of_block and tod_s != self._tod_s:
            return True
        led = not self.leaders.isdisjoint(self._of_block)
        return name in self._of_block.get(label, ()) and (label in self.leaders or not led)

    def put(self, number: int, label: str, builder: TableBuilder, name: bytes, tail: bytes, tod_s: int | None) -> None:
        """Stores a row, in the block that it is of."""
        if any(waiting is builder for waiting, *_ in self._waiting):
            self._release()
        if self.begins_block(label, name, tod_s):
            self.end_block()
        self._of_block.setdefault(label, set()).add(name)
        self._tod_s = tod_s
        time_ns, since_boot = self.block(tod_s)
        builder.row(time_ns, number, name, tail, since_boot)

    def know_rows(self, label: str, builder: TableBuilder, stamp: bytes) -> None:
        """A row was read: the scanner reads others, with a time behind them like this one, or none."""
        assert self.scanner is not None
        rows = self._known.get(builder)
        if rows is None or (rows.stamp is None) != (not stamp):
            if len(self.scanner.tables) >= MOST_TABLES or len(stamp) not in (0, 8):
                return
            rows = self.scanner.table(len(builder.headings), accepts=lambda name: name[:1].isalpha())
            self._known[builder] = rows
            if stamp:
                self.scanner.stamp_rows(rows, stamp, _CLOCK)
        self._open = label, builder

    def expect_rows(self, label: str, builder: TableBuilder) -> None:
        """A heading was read: rows as there were below it before may follow."""
        self._open = (label, builder) if builder in self._known else None

    # -- reading ---------------------------------------------------------------------------------

    def take(self, number: int, text: bytes) -> bool:
        self._open = None
        return super().take(number, text)

    @property
    def may_scan(self) -> bool:
        return self._open is not None  # the scanner knows nothing but rows

    def open_table(self) -> ScanTable | None:
        return None if self._open is None else self._known[self._open[1]]

    def take_scan(self, scan: Scan) -> None:
        self.book.blank(scan.blanks)
        for rows in scan.rows:
            assert self._open is not None
            label, builder = self._open
            names, begin = list(rows.table.names), 0
            times_s = (rows.fields[:, :3] @ (3600, 60, 1)).tolist() or [None] * len(rows.lines)
            of_block: set[bytes] | None = None
            for index, (key, tod_s) in enumerate(zip(rows.keys.tolist(), times_s, strict=True)):
                name = names[key]
                if of_block is None or name in of_block or tod_s != self._tod_s:
                    if self.begins_block(label, name, tod_s):
                        self._wait(rows, begin, index, builder)
                        self.end_block()
                        begin = index
                    of_block, self._tod_s = self._of_block.setdefault(label, set()), tod_s
                of_block.add(name)
            self._wait(rows, begin, len(rows.lines), builder)
            self._shortest[label] = min(self._shortest.get(label, rows.shortest), rows.shortest)
            self.book.data(len(rows.lines))

    def _wait(self, rows: ScannedRows, begin: int, end: int, builder: TableBuilder) -> None:
        """Rows of one block."""
        if begin < end:
            self._waiting.append((builder, rows.part(slice(begin, end)), *self.block(self._tod_s)))

    def _release(self) -> None:
        """Moves the waiting rows into their tables, many blocks at once."""
        waiting, self._waiting = self._waiting, []
        by_table: dict[tuple[TableBuilder, ScanTable], list[tuple[ScannedRows, int, bool]]] = {}
        for builder, rows, time_ns, since_boot in waiting:
            by_table.setdefault((builder, rows.table), []).append((rows, time_ns, since_boot))
        for (builder, _), blocks in by_table.items():
            parts, times_ns, since_boots = zip(*blocks, strict=True)
            counts = [len(rows.lines) for rows in parts]
            merged = replace(
                parts[0],
                lines=np.concatenate([rows.lines for rows in parts]),
                keys=np.concatenate([rows.keys for rows in parts]),
                values=np.concatenate([rows.values for rows in parts]),
            )
            self._finished.extend(builder.scanned(merged, np.repeat(times_ns, counts), np.repeat(since_boots, counts)))

    def _flush(self, final: bool) -> None:
        self._release()
        super()._flush(final)


class HeldParser(AixParser):
    """Holds the rows of a run's first block until it is known whether they are an average since boot.

    mpstat and lparstat print figures since boot only where no interval is asked for, and then there is one
    block alone.
    """

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._table: tuple[TableBuilder, int] | None = None
        self._held: list[tuple[TableBuilder, int, int, bytes, bytes]] = []
        self._blocks_of_run = 0

    def begin_run(self) -> None:
        self.end_of_text()
        self._blocks_of_run = 0
        self._table = None

    def end_of_text(self) -> None:
        """A block alone, where nobody asked for an interval, is since boot."""
        since_boot = self._blocks_of_run == 1 and self.clock.interval_s is None
        if since_boot and self._held:
            self.book.warn("since_boot_only")
        self._release(since_boot)

    def begin_block(self) -> None:
        self._blocks_of_run += 1
        if self._blocks_of_run > 1:
            self._release(since_boot=False)

    def put(self, builder: TableBuilder, time_ns: int, number: int, key: bytes, tail: bytes) -> None:
        if self._blocks_of_run == 1:
            self._held.append((builder, time_ns, number, key, tail))
        else:
            builder.row(time_ns, number, key, tail)

    def _release(self, since_boot: bool) -> None:
        for builder, time_ns, number, key, tail in self._held:
            builder.row(time_ns, number, key, tail, since_boot)
        self._held.clear()
