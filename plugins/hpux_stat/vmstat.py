"""Parser of HP-UX vmstat.

             procs           memory                   page                              faults       cpu
        r     b     w      avm    free   re   at    pi   po    fr   de    sr     in     sy    cs  us sy id
        2     2     0    24895   37870    1    0     0    0     0    0     0    173   1347   145   8  2 90
                                         si   so                                                 -S

                    disk transfers                                                               -d
    dk0     dk1                                                      or: device    xfer/sec
     3       0                                                            c1t2d0          3

    VM                                                                                           -n
           memory                     page                          faults
         avm    free   re   at    pi   po    fr   de    sr     in     sy    cs
       24895   37870    1    0     0    0     0    0     0    173   1347   145
    CPU
        cpu          procs
     us sy id    r     b     w
      8  2 90    2     2     0
      4  1 95                                   each further processor

The first row of a run is an average since boot.
"""

from __future__ import annotations

from tunebench.families.runs import Attributes, RunParser, text_of_head
from tunebench.sdk import ParseContext, TableBuilder, record

from .sniffing import sniff_vmstat

_GROUP_WORDS = frozenset(b"procs memory page faults cpu VM CPU disk transfers Disk Transfers".split())
_WORDS = frozenset(
    {"r", "b", "w", "avm", "free", "re", "at", "si", "so", "pi", "po", "fr", "de", "sr", "in", "sy", "cs", "us", "id"}
)
_FIGURES = b"0123456789.- \t"
_PAGE = 18  # a heading sooner after the last one begins another run; vmstat repeats its own every 20 rows


@record(frozen=False)
class _Columns:
    table: TableBuilder
    words: list[str]

    @property
    def begins_block(self) -> bool:
        return "avm" in self.words


class VmstatParser(RunParser):
    """See the module."""

    tool, os = "vmstat", "hp-ux"
    tools = frozenset({"vmstat"})

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._columns: _Columns | None = None
        self._of_width: dict[int, _Columns] = {}  # -n heads its two tables once and prints their rows in turn
        self._rows_since_heading: int | None = None
        self._processor = 0
        self._disks: list[bytes] = []  # names above the next line of transfers
        self._in_disks = False

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_vmstat(text_of_head(head))

    def begin_run(self) -> None:
        self._columns, self._rows_since_heading, self._in_disks = None, None, False
        self._of_width.clear()

    @property
    def row_width(self) -> int:
        return len(self._columns.words) if self._columns is not None and self._columns.begins_block else 0

    def take(self, number: int, text: bytes) -> bool:
        if not text.translate(None, _FIGURES):
            if self._in_disks and self._disks:
                return self._take_transfers(number, text)
            if self._columns is not None:
                return self._take_row(number, text, self._columns)
            return False
        words = text.split()
        if all(word in _GROUP_WORDS for word in words):
            self._in_disks = words[0].lower() == b"disk"
            self.book.header()
            return True
        if self._in_disks and self._take_disk(number, words, text):
            return True
        if len(words) >= 6 and all(word.decode("ascii", "replace") in _WORDS for word in words):
            self._begin([word.decode() for word in words])
            self.book.header()
            return True
        return False

    # -- rows ------------------------------------------------------------------------------------

    def _take_row(self, number: int, text: bytes, columns: _Columns) -> bool:
        cells = text.split()
        if len(cells) == 1:
            return False  # a bare epoch stamp
        columns = self._of_width.get(len(cells), columns)
        words = columns.words
        tail = text
        if len(cells) == 3 and words[:3] == ["us", "sy", "id"] and self._processor:
            cells += [b"-"] * (len(words) - 3)
            tail = b" ".join(cells)
        if len(cells) != len(words) or (columns.begins_block and self.is_cut_off(number, text, "vmstat")):
            self.skip_row(number, text)
            return True
        if columns.begins_block:
            self.end_block()
            self._rows_since_heading = (self._rows_since_heading or 0) + 1
            self._processor = 0
        self._columns = columns
        time_ns, since_boot = self.block()
        key = b""
        if not columns.begins_block:
            key = b"%d" % self._processor
            self._processor += 1
        columns.table.row(time_ns, number, key, tail, since_boot)
        self.book.data()
        return True

    def _begin(self, words: list[str]) -> None:
        self._in_disks = False
        self._processor = 0
        if "avm" in words:
            rows = self._rows_since_heading
            if rows is not None and rows < _PAGE and words[0] == "r" and self.book.variant != "-d":
                self.clock.new_run()  # `vmstat 1 2` in a loop
            self._rows_since_heading = 0 if words[0] == "r" else None
            name, key = "vmstat", None
        else:
            name, key = "cpu", "cpu"
        if "si" in words:
            self.book.variant = "-S"
        attributes: list[Attributes] = [
            (("group", "cpu" if "us" in words[:index] else "faults"),) if word == "sy" else ()
            for index, word in enumerate(words)
        ]
        self._columns = self._of_width[len(words)] = _Columns(self.table(name, words, key, attributes), words)

    # -- disks -----------------------------------------------------------------------------------

    def _take_disk(self, number: int, words: list[bytes], text: bytes) -> bool:
        self.book.variant = "-d"
        if words[0] == b"device" and len(words) == 2:
            self._disks = []
            self.book.header()
            return True
        if len(words) == 2 and not words[1].translate(None, _FIGURES):
            if number == self._unended_line:
                self.skip_row(number, text)
                return True
            self._put_disks(number, [words[0]], [words[1]])
            self.book.data()
            return True
        if all(word[:1].isalpha() and word[-1:].isalnum() for word in words):
            self._disks = words
            self.book.header()
            return True
        return False

    def _take_transfers(self, number: int, text: bytes) -> bool:
        cells, names = text.split(), self._disks
        self._disks, self._in_disks = [], False
        if len(cells) != len(names) or number == self._unended_line:
            self.skip_row(number, text)
            return True
        self._put_disks(number, names, cells)
        self.book.data()
        return True

    def _put_disks(self, number: int, names: list[bytes], cells: list[bytes]) -> None:
        time_ns, since_boot = self.block()
        table = self.table("disk", ["xfer/sec"], "device")
        for name, cell in zip(names, cells, strict=True):
            table.row(time_ns, number, name, cell, since_boot)
