"""Parser of nmon files, AIX (topas_nmon) and Linux.

    AAA,progname,topas_nmon                              what the file and its host are
    BBBP,000,uptime                                      configuration, see `about`
    CPU_ALL,CPU Total db1,User%,Sys%,Wait%,Idle%,Busy,PhysicalCPUs
    DISKBUSY,Disk %Busy db1,hdisk0,hdisk1                headings: the second cell is a description
    ZZZZ,T0001,17:28:10,10-FEB-2016                      a snapshot's time
    CPU_ALL,T0001,32.2,29.2,0.1,38.5,,28                 its rows; an empty cell is a missing value
    TOP,+PID,Time,%CPU,...,Command,WLMclass              processes: the PID stands before the snapshot
    TOP,2555992,T0002,9.64,...,j2pg,Unclassified
    UARG,T0002,0026098,python,/usr/bin/python x.py       their command lines

Traps, each of them in a real file:

* ZZZZ comes before its rows, after them, or (a file put through ``sort``) behind all rows of the file; in such a
  file ``DISKRXFER,Transfers from ...`` stands below its rows. Rows wait for their time (`held`).
* Linux has two commas between the headings of NETPACKET and one between its numbers.
* Linux prints -1 (and -0.0, which is -1 KiB in MiB) for what its kernel does not tell: a missing value.
* A heading that comes again later (a device was added) is the heading of the rows below it.
* Rows may have more cells than their heading names: they are kept under the number of their column.
* The last line of a file that was still being written has no end: it is cut off.

Sources: "nmon for Linux" (nmon.sourceforge.io, lmon16), "nmon Recording" in the AIX 7.2 documentation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import merge

import numpy as np

from tunebench.families.delimited import scanner_of
from tunebench.families.page_reading import MOST_TABLES, Field, Key, Scan, ScannedRows, ScanTable, suffix_factors
from tunebench.families.scanned_lines import ScanningParser
from tunebench.sdk import ParseContext, SampleBatch, SystemFact, lazy_pattern

from .about import AboutHost
from .held import HeldRows
from .processes import Processes
from .rows import Integers, Part, SectionRows, without_absent
from .sections import SectionKind, kind_of, series_of
from .snapshot_times import MOST_SNAPSHOTS, SNAPSHOT, SnapshotTimes
from .sniffing import sniff_nmon

_SECTION_NAME = lazy_pattern(rb"^[A-Z][A-Za-z0-9_./:-]{0,63}$")
_MOST_ENTRIES = 10_000  # rows of one table decoded at once, where all of them wait
_LAST_OF_FOUR_DIGITS = 9999
_MOST_HEADINGS = 50  # of one section, remembered
_MOST_SECTIONS = 20_000
_LINUX_ONLY, _AIX_ONLY = frozenset({b"VM"}), frozenset({b"LPAR", b"MEMNEW", b"MEMUSE", b"SCPU_ALL", b"PCPU_ALL"})
_NONE = np.zeros(0, dtype=np.int64)
_PLAIN_ROWS = 20_000  # rows that wait for a ZZZZ that follows them; more wait deflated


class _Section:
    __slots__ = ("kind", "part", "parts", "rows", "scanned", "tells_absence")

    def __init__(self, kind: SectionKind, rows: SectionRows, tells_absence: bool) -> None:
        self.kind = kind
        self.rows = rows
        self.scanned: ScanTable | None = None  # rows as wide as the last one
        self.parts: list[Part] = []
        self.part = Part(())  # the last heading
        self.tells_absence = tells_absence


class NmonParser(ScanningParser):
    """See the module."""

    aside = (b"TOP,", b"UARG,", b"BBB")

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.scanner = scanner_of(b",")
        self._of_rows: dict[ScanTable, _Section] = {}
        self.book.tool = "nmon"
        self._about = AboutHost(self.book)
        self._times = SnapshotTimes(self.scanner, context, self.times, self.book, self._about)
        self._sections: dict[bytes, _Section] = {}
        self._tables: dict[str, SectionRows] = {}
        self._processes = Processes(self.book, self._about)
        self._waiting: dict[bytes, list[tuple[int, bytes]]] = {}  # rows by snapshot
        self._waiting_rows = 0
        self._held = HeldRows()
        self._ready: list[SampleBatch] = []
        self._rows_seen = False

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_nmon(head)

    def facts(self) -> list[SystemFact]:
        return self._about.facts()

    # -- many lines at once ----------------------------------------------------------------------

    @property
    def may_scan(self) -> bool:
        """Rows of snapshots that came before their time are released one by one."""
        return not self._waiting and not self._held and len(self._times) < MOST_SNAPSHOTS // 2

    def open_table(self) -> ScanTable | None:
        return None  # the first cell of each row tells its section

    def take_scan(self, scan: Scan) -> None:
        news = scan.fields[:, 0].tolist()
        lines = np.concatenate([rows.lines for rows in scan.rows] or [_NONE])
        numbers, places = np.unique(
            np.concatenate([rows.fields[:, 0] for rows in scan.rows] or [_NONE]), return_inverse=True
        )
        first_lines = np.full(len(numbers), np.iinfo(np.int64).max)
        np.minimum.at(first_lines, places, lines)
        since = dict(zip(self._times.names(news), scan.mark_lines.tolist(), strict=True))
        wanted = self._times.names(numbers.tolist())
        if len(since) < len(news) or not self._times.are_in_time(wanted, first_lines.tolist(), since):
            for number, line in enumerate(self.scanned_text.split(b"\n")[:-1], self.first_scanned):
                self.read_line(number, line)
            return
        self.book.blank(scan.blanks)
        self.book.header(len(news))
        self._rows_seen = True
        self._times.take(since, scan.fields)
        of_rows = np.array([self._times[snapshot] for snapshot in wanted], dtype=np.int64)[places]
        self._take_rows(scan.rows, np.split(of_rows, np.cumsum([len(rows.lines) for rows in scan.rows])[:-1]))

    def _take_rows(self, scanned: Sequence[ScannedRows], times_ns: Sequence[Integers]) -> None:
        """Several sections may make one table."""
        for table in {self._of_rows[rows.table].rows for rows in scanned}:
            table.begin_turn()
        for rows, own_ns in zip(scanned, times_ns, strict=False):
            section = self._of_rows[rows.table]
            values = without_absent(rows.values) if section.tells_absence else rows.values
            section.rows.add_rows(own_ns, rows.lines, section.part, values)

    def _know_row(self, name: bytes, snapshot: bytes, section: _Section, width: int) -> None:
        """The scanner reads rows of this section that are as wide as this one."""
        assert self.scanner is not None
        scanned = section.scanned
        if (
            scanned is not None
            and scanned.columns == width
            and scanned.stamp is not None
            and len(scanned.stamp.line) == len(snapshot)
        ):
            return
        if len(self.scanner.tables) < MOST_TABLES:
            section.scanned = self.scanner.table(width, Key.NONE, suffix_factors((1.0,) * width))
            self.scanner.stamp_rows(section.scanned, snapshot, [Field(1, len(snapshot), 10**9)], first=True)
            self.scanner.tag(name, section.scanned)
            self._of_rows[section.scanned] = section

    # -- lines -----------------------------------------------------------------------------------

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        if self.is_ending and lines:  # only a last line without an end arrives as late as this
            self.book.skip("truncated", first_line + len(lines) - 1, lines.pop())
        self.read_all(first_line, lines)
        return self._finished(final=False)

    def read_page(self, first_line: int, text: bytes) -> Iterable[SampleBatch]:
        self.read_text(first_line, text)
        return self._finished(final=False)

    def read_line(self, number: int, line: bytes) -> None:
        name, _, rest = line.partition(b",")
        section = self._sections.get(name)
        snapshot, _, tail = rest.partition(b",")
        time_ns = None if section is None else self._times.get(snapshot)
        if section is None or time_ns is None:
            self._read_other(number, line, name, rest)
            return
        cells = tail.split(b",")
        section.rows.add(time_ns, number, section.part, cells, section.tells_absence)
        if len(snapshot) - 1 == self._times.digits:
            self._know_row(name, snapshot, section, len(cells))

    def close_tables(self) -> Iterable[SampleBatch]:
        yield from self._release()  # one by one: a sorted file has kept nearly everything back
        if self._about.is_full:
            self.book.warn("nmon_facts_limited")
        if self.book.interval_s is None and self.times.interval_s is None:
            self.book.interval_s = self._about.interval_s
        yield from self._finished(final=True)

    def _finished(self, final: bool) -> list[SampleBatch]:
        for rows in (*self._tables.values(), self._processes.rows):
            self._ready.extend(rows.flush(final))
        ready, self._ready = self._ready, []
        return ready

    def _read_other(self, number: int, line: bytes, name: bytes, rest: bytes) -> None:
        """All but rows whose section and snapshot are known."""
        if not line or line.isspace():
            self.book.blank()
        elif b"\0" in line:
            self.book.skip("nul_bytes", number, line)
        elif name == b"AAA":
            self._read_general(line)
        elif name == b"ZZZZ":
            self._read_snapshot(number, line)
        elif name in (b"TOP", b"UARG"):
            self._read_process(number, line, name, rest)
        elif name.startswith(b"BBB"):
            if self._about.read_section(line):
                self.book.data()
            else:
                self.book.header()
        elif name == b"ERROR":
            self.book.skip("message", number, line)
        elif _SECTION_NAME.match(name) is None or not rest:
            self.book.skip("not_a_table", number, line)
        else:
            self._read_row_or_heading(number, line, name, rest)

    def _read_general(self, line: bytes) -> None:
        if self._rows_seen and line.startswith(b"AAA,progname"):
            self._begin_file()
        if line.count(b",") < 1:
            line += b","
        self._about.read_general(line)
        self.book.header()

    def _begin_file(self) -> None:
        """Another file follows in this one: its snapshots are counted anew."""
        self._release_all()
        self._ready.extend(self._take_tables())
        self._sections.clear()
        self.scanner = scanner_of(b",")
        self._times = SnapshotTimes(self.scanner, self.context, self.times, self.book, self._about)
        self._of_rows.clear()
        self._rows_seen = False
        self._processes.restart()

    def _take_tables(self) -> Iterator[SampleBatch]:
        for rows in (*self._tables.values(), self._processes.rows):
            yield from rows.flush(final=True)

    # -- headings --------------------------------------------------------------------------------

    def _read_row_or_heading(self, number: int, line: bytes, name: bytes, rest: bytes) -> None:
        snapshot, comma, tail = rest.partition(b",")
        if SNAPSHOT.match(snapshot) is None:
            self._read_heading(number, line, name, tail if comma else rest)
            return
        self._rows_seen = True
        if snapshot in self._times:
            self._place(number, line, name, snapshot, tail)
        else:
            self._wait(number, line, name, snapshot)

    def _read_heading(self, number: int, line: bytes, name: bytes, cells: bytes) -> None:
        section = self._sections.get(name)
        if section is None:
            if len(self._sections) >= _MOST_SECTIONS:
                self.book.skip("not_a_table", number, line)
                return
            if not self.book.os:  # a part of a file, without its AAA lines
                self.book.os = "linux" if name in _LINUX_ONLY else "aix" if name in _AIX_ONLY else ""
            kind = kind_of(name)
            rows = self._tables.get(kind.table)
            if rows is None:
                rows = self._tables[kind.table] = SectionRows(kind.table, self.book)
            tells_absence = name in (b"MEM", b"PROC", b"VM") and self.book.os == "linux"
            section = self._sections[name] = _Section(kind, rows, tells_absence)
        named = [heading for heading in cells.split(b",") if heading.strip()]
        series = series_of(section.kind, named)
        if not section.parts or section.parts[-1].series != series:
            section.part = Part(series, section.kind.continued)
            section.parts = [*section.parts[-_MOST_HEADINGS:], section.part]
        self.book.header()

    # -- snapshots -------------------------------------------------------------------------------

    def _read_snapshot(self, number: int, line: bytes) -> None:
        index = self._times.read(number, line)
        if index is not None:
            self._rows_seen = True
            self._release_until(index)

    def _release_until(self, index: int) -> None:
        """Rows of this snapshot, and of earlier ones, whose ZZZZ does not come any more, get their times."""
        while self._waiting:
            snapshot = next(iter(self._waiting))
            if int(snapshot[1:]) > index:
                break
            entries = self._waiting.pop(snapshot)
            self._waiting_rows -= len(entries)
            for number, line in entries:
                self._place_again(number, line)

    # -- rows that wait --------------------------------------------------------------------------

    def _wait(self, number: int, line: bytes, name: bytes, snapshot: bytes) -> None:
        if not self._held and self._waiting_rows < _PLAIN_ROWS:
            self._waiting.setdefault(snapshot, []).append((number, line))
            self._waiting_rows += 1
            return
        self._hold_waiting()
        self._held.add(name, number, line)
        if self._held.is_full:
            self.book.warn("nmon_too_long_sorted")
            self._release_all()

    def _hold_waiting(self) -> None:
        """Moves the rows that wait by snapshot to those that wait by section, in the order of the lines."""
        if self._waiting:
            for number, line in sorted(entry for entries in self._waiting.values() for entry in entries):
                self._held.add(line.partition(b",")[0], number, line)
            self._waiting.clear()
            self._waiting_rows = 0

    def _release_all(self) -> None:
        self._ready.extend(self._release())

    def _release(self) -> Iterator[SampleBatch]:
        """Every row that waits gets its time: the snapshot's, or start + i x interval where it has none."""
        self._hold_waiting()
        held, self._held = self._held, HeldRows()
        by_table: dict[str, list[bytes]] = {}
        for name in held.sections():
            by_table.setdefault(kind_of(name).table, []).append(name)
        for table, names in by_table.items():
            rows = self._processes.rows if table in ("TOP", "UARG") else self._tables.get(table)
            lines = (_in_order(held.lines(name), self._times.known) for name in names)
            for number, line in merge(*lines, key=_snapshot_number):
                self._place_again(number, line)
                if rows is not None and len(rows) > _MOST_ENTRIES:
                    yield from rows.flush()
            if rows is not None:
                yield from rows.flush(final=True)

    def _place_again(self, number: int, line: bytes) -> None:
        name, _, rest = line.partition(b",")
        if name in (b"TOP", b"UARG"):
            self._processes.read(number, line, self._times.__getitem__)
            return
        snapshot, _, tail = rest.partition(b",")
        self._place(number, line, name, snapshot, tail)

    def _place(self, number: int, line: bytes, name: bytes, snapshot: bytes, tail: bytes) -> None:
        section = self._sections.get(name)
        if section is None:
            self.book.skip("not_a_table", number, line)
            return
        part = section.parts[-1]
        if len(section.parts) > 1 and (width := tail.count(b",") + 1) != len(part.series):
            # all headings of a section stand above its rows in a sorted file: the one that fits is the right one
            part = next((one for one in reversed(section.parts) if len(one.series) == width), part)
        section.rows.add(self._times[snapshot], number, part, tail.split(b","), section.tells_absence)

    # -- processes -------------------------------------------------------------------------------

    def _read_process(self, number: int, line: bytes, name: bytes, rest: bytes) -> None:
        snapshot = self._processes.snapshot_of(name, rest)
        if snapshot is None:
            self._processes.read_heading(number, line)
        elif snapshot in self._times:
            self._processes.read(number, line, self._times.__getitem__)
        else:
            self._rows_seen = True
            self._wait(number, line, name, snapshot)


def _in_order(lines: Iterator[tuple[int, bytes]], dated: list[tuple[int, int]]) -> Iterable[tuple[int, bytes]]:
    """``sort`` puts T10000 before T1001."""
    return sorted(lines, key=_snapshot_number) if dated and dated[-1][0] > _LAST_OF_FOUR_DIGITS else lines


def _snapshot_number(entry: tuple[int, bytes]) -> int:
    cells = entry[1].split(b",", 3)
    cell = next((cell for cell in cells[1:3] if cell[:1] == b"T" and cell[1:].isdigit()), b"T0")
    return int(cell[1:])
