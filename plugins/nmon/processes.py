"""nmon's processes: rows of TOP, whose PID stands before the snapshot, and their command lines (UARG).

    TOP,+PID,Time,%CPU,%Usr,%Sys,Threads,Size,ResText,ResData,CharIO,%RAM,Paging,Command,WLMclass
    TOP,2555992,T0002,9.64,9.64,0.00,51,5248,0,5248,0,0,0,j2pg,Unclassified
    UARG,+Time,PID,ProgName,FullCommand
    UARG,T0002,0026098,python,/usr/bin/python x.py,with,commas

A process is ``j2pg[2555992]``. A long file sees tens of thousands of short-lived ones: the first `MOST_PROCESSES` get
series, the rows of the others are counted in the ledger.
"""

from __future__ import annotations

from collections.abc import Callable

from tunebench.sdk import LedgerBook, SeriesKey, decode_text

from .about import AboutHost
from .rows import Part, SectionRows
from .snapshot_times import SNAPSHOT

MOST_PROCESSES = 1000
_WORDS = frozenset({"Command", "WLMclass", "WLM class", "User", "Group", "ProgName"})
_MOST_COMMANDS = 500
_DEFAULT = b"+PID,Time,%CPU,%Usr,%Sys,Size,ResSet,ResText,ResData,ShdLib,MinorFault,MajorFault,Command"


class Processes:
    """Turns rows of TOP into rows of the table ``TOP``, one part per process."""

    def __init__(self, book: LedgerBook, about: AboutHost) -> None:
        self.rows = SectionRows("TOP", book)
        self._book = book
        self._about = about
        self._parts: dict[bytes, Part] = {}
        self._commands: set[bytes] = set()
        self._argument_columns: list[str] = []
        self.restart()

    def restart(self) -> None:
        """A new file: another heading may follow; nmon 9 printed none that names its columns."""
        self._set_columns(_DEFAULT)

    def snapshot_of(self, name: bytes, rest: bytes) -> bytes | None:
        """The snapshot of a row; None for a heading."""
        cells = rest.split(b",", 2)
        column = 1 if name == b"TOP" else 0
        if len(cells) <= column or SNAPSHOT.match(cells[column]) is None:
            return None
        return cells[column]

    def read_heading(self, number: int, line: bytes) -> None:
        name, _, rest = line.partition(b",")
        if rest.startswith((b"+PID", b"PID")):
            self._set_columns(rest)
        elif name == b"UARG" and b"Time" in rest:
            self._argument_columns = [decode_text(cell).strip(" +") for cell in rest.split(b",")]
        elif b",T" in rest or rest[:1].isdigit():
            self._book.skip("not_a_table", number, line)
            return
        self._book.header()

    def read(self, number: int, line: bytes, time_of: Callable[[bytes], int]) -> None:
        name, _, rest = line.partition(b",")
        if name == b"UARG":
            self._read_arguments(rest)
            return
        cells = rest.split(b",")
        surplus = len(cells) - len(self._columns)
        if surplus > 0 and self._command:  # a command with commas in its name
            cells[self._command : self._command + surplus + 1] = [
                b",".join(cells[self._command : self._command + surplus + 1])
            ]
        command = cells[self._command].strip() if 0 < self._command < len(cells) else b"?"
        part = self._part(command, cells[0])
        if part is None:
            self._book.skip("nmon_process_limit", number, line)
            return
        figures = [cells[column] if column < len(cells) else b"" for column in self._numbers]
        self.rows.add(time_of(cells[1]), number, part, figures)

    def _set_columns(self, heading: bytes) -> None:
        self._columns = [decode_text(cell).strip() for cell in heading.rstrip(b" ,").split(b",")]
        self._numbers = [column for column, name in enumerate(self._columns) if column > 1 and name not in _WORDS]
        self._command = self._columns.index("Command") if "Command" in self._columns else 0
        self._natives = [self._columns[column] for column in self._numbers]
        self._parts = {}

    def _part(self, command: bytes, pid: bytes) -> Part | None:
        label = b"%s[%s]" % (command, pid.strip().lstrip(b"0") or b"0")
        part = self._parts.get(label)
        if part is None and len(self._parts) < MOST_PROCESSES:
            attributes = (("process", decode_text(label)),)
            natives = dict.fromkeys(self._natives)
            part = self._parts[label] = Part(tuple(SeriesKey("TOP", native, attributes) for native in natives))
        return part

    def _read_arguments(self, rest: bytes) -> None:
        cells = rest.split(b",", 3)
        self._book.data()
        columns = self._argument_columns
        full = max(3, len(columns) - 1) if columns else 3
        cells = rest.split(b",", full)
        pid = cells[1].lstrip(b"0") if len(cells) > 1 else b""
        if not pid or pid in self._commands:
            return
        if len(self._commands) >= _MOST_COMMANDS:
            self._book.warn("nmon_facts_limited")
            return
        self._commands.add(pid)
        self._about.fact(
            "processes", decode_text(b"%s[%s]" % (cells[2] if len(cells) > 2 else b"?", pid)), decode_text(cells[-1])
        )
