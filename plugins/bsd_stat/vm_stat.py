"""Parser of vm_stat of macOS: a report since boot, or a row per interval.

    Mach Virtual Memory Statistics: (page size of 16384 bytes)
    Pages free:                               13577.
    "Translation faults":                5376563493.
    Swapouts:                               2943660.

    Mach Virtual Memory Statistics: (page size of 4096 bytes)                          with an interval
        free   active   specul inactive throttle    wired  prgable   faults     copy    0fill reactive ...
      163894   350112    12001   340011        0   120033     9011 5376563493 ...        the first row: since boot
      163812   350190    12001   340020        0   120031     9011     1201      33      510        0 ...

Pages are pages of the size that the title tells, which is a fact; what is counted (faults, pageins, swapouts ...)
is, in the rows, the count of the interval (vm_stat(1)).
"""

from __future__ import annotations

from tunebench.families.confidence import of_first
from tunebench.families.runs import RunParser, text_of_head
from tunebench.sdk import ParseContext, TableBuilder, lazy_pattern

_TITLE = lazy_pattern(rb"^Mach Virtual Memory Statistics: \(page size of (?P<size>\d{1,9}) bytes\)")
_LINE = lazy_pattern(rb'^"?(?P<name>[A-Za-z][A-Za-z -]{2,40})"?:\s+(?P<value>\d{1,20})\.?$')
_HEADING = lazy_pattern(rb"^\s*free\s+active\s+spec\w*\s+inactive\b[\w\s-]*$")
_FIGURES = b"0123456789 \t"
_SUFFIXES = {b"K": b"000", b"M": b"000000", b"G": b"000000000"}  # wide numbers are cut: 53765K
_NUMBER = lazy_pattern(rb"^(\d{1,20})([KMG]?)$")


class VmStatParser(RunParser):
    """See the module."""

    tool, os = "vm_stat", "darwin"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._builder: TableBuilder | None = None
        self._report: dict[str, bytes] = {}
        self._line = 0

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return of_first([line for line in text_of_head(head).split(b"\n") if line.strip()], _TITLE.match, 3)

    def begin_run(self) -> None:
        self._put_report()
        self._builder = None

    def end_of_text(self) -> None:
        self._put_report()

    def take(self, number: int, text: bytes) -> bool:
        title, line = _TITLE.match(text), _LINE.match(text)
        if title is not None:
            self._put_report()
            self._builder = None
            self.end_block()
            self.fact("memory", "page size", title["size"].decode())
            self.book.header()
        elif _HEADING.match(text):
            self._builder = self.table("vm_stat", text.decode().split())
            self.is_cut_off(number, text, "vm_stat")  # a whole row is as long as its heading
            self.book.header()
        elif line is not None:
            self._line = self._line or number
            self._report[line["name"].decode()] = line["value"]
            self.book.data()
        else:
            return self._builder is not None and self._take_row(number, text, self._builder)
        return True

    @property
    def row_width(self) -> int:
        return 0 if self._builder is None else len(self._builder.headings)

    def _take_row(self, number: int, text: bytes, builder: TableBuilder) -> bool:
        cells = [_NUMBER.match(cell) for cell in text.split()]
        if len(cells) != len(builder.headings) or not all(cells):
            return False
        if self.is_cut_off(number, text, "vm_stat"):
            self.skip_row(number, text)
            return True
        self.end_block()
        time_ns, since_boot = self.block()
        row = b" ".join(cell[1] + _SUFFIXES.get(cell[2], b"") for cell in cells if cell is not None)
        builder.row(time_ns, number, b"", row, since_boot)
        self.book.data()
        return True

    def _put_report(self) -> None:
        """The counts of a report are as of now: nothing in it is an average since boot."""
        report, self._report = self._report, {}
        if report:
            time_ns, _ = self.block()
            self.table("report", list(report)).row(time_ns, self._line, b"", b" ".join(report.values()))
            self.end_block()
        self._line = 0
