"""Parser of AIX vmstat.

    System configuration: lcpu=8 mem=12287MB ent=3.40

    kthr    memory              page              faults              cpu             time
    ----- ----------- ------------------------ ------------ ----------------------- --------
     r  b   avm   fre  re  pi  po  fr   sr  cy  in   sy  cs us sy id wa    pc    ec hr mi se      shared, -t
     0  0 1771122  9342   0   0   0   0    0   0  11  852 360  0  0 99  0  0.03   0.8 11:44:31
     r  b   p   w        avm        fre    fi    fo    pi    po    fr     sr    in     sy ...       -IW, -w
     r  b   avm   fre  re  pi  po  fr   sr  cy  in   sy  cs us sy id wa  1  2  3  4               physical volumes
     r  b   avm   fre  re  pi  po  fr   sr  cy  in   sy  cs us sy id wa   alp   flp              -l
       psz       avm       fre    re    pi    po    fr     sr    cy       siz                      -p, -P

pc and ec stand there for shared processors only. The three words ``hr mi se`` head one cell. The columns
``1 2 3 4`` are transfers of the volumes named on the command line. A value since a counter ran over may have 19
digits. The first row of a run is an average since boot (IBM AIX commands reference, vmstat).
"""

from __future__ import annotations

from tunebench.families.runs import Attributes, text_of_head, time_of_day_s
from tunebench.sdk import ParseContext, TableBuilder, record

from .capture import AixParser
from .sniffing import sniff_vmstat

_GROUP_WORDS = frozenset(b"kthr kthr: memory page faults cpu time disk xfer large-page hypervisor mem procs".split())
_TIME_WORDS = ["hr", "mi", "se"]
_FIGURES = b"0123456789.,- "
_PAGE = 18  # a heading sooner after the last one begins another run; vmstat repeats its own every 20 rows


@record(frozen=False)
class _Columns:
    """One heading: `timed` where each row ends with its time, `keyed` where it begins with a page size."""

    table: TableBuilder
    count: int
    timed: bool
    keyed: bool


class VmstatParser(AixParser):
    """See the module."""

    tool = "vmstat"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._columns: _Columns | None = None
        self._rows_since_heading: int | None = None

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_vmstat(text_of_head(head))

    def begin_run(self) -> None:
        self._columns, self._rows_since_heading = None, None

    def configuration_line(self) -> None:
        """vmstat says it once at its start; the heading that follows belongs to a new run."""
        if self._rows_since_heading:
            self._rows_since_heading = 0

    @property
    def row_width(self) -> int:
        columns = self._columns
        return columns.count if columns is not None and not (columns.timed or columns.keyed) else 0

    def take_line(self, number: int, text: bytes) -> bool:
        columns = self._columns
        if columns is not None and text[-1:].isdigit() and self._take_row(number, text, columns):
            return True
        words = text.split()
        if words[0] in _GROUP_WORDS and all(word in _GROUP_WORDS for word in words):
            self.book.header()
            return True
        if len(words) > 5 and words[0] in (b"r", b"psz") and words[1] in (b"b", b"avm"):
            self._begin(text.decode("ascii", "replace").split())
            self.book.header()
            return True
        return False

    def _take_row(self, number: int, text: bytes, columns: _Columns) -> bool:
        cells = text.split()
        tod_s = None
        if columns.timed and len(cells) > 1:
            tod_s = time_of_day_s(cells[-1])
            if tod_s is None:
                return self._skip_figures(number, text, cells)
            cells.pop()
            text = text[:-8]
        key, tail = (cells.pop(0), text.split(None, 1)[1]) if columns.keyed else (b"", text)
        if tail.translate(None, _FIGURES) or (len(cells) < 4 and len(cells) != columns.count):
            return False
        if len(cells) != columns.count - columns.keyed or self.is_cut_off(number, text, columns.table.table):
            self.skip_row(number, text)
            return True
        if not columns.keyed:
            self.end_block()
            self._rows_since_heading = (self._rows_since_heading or 0) + 1
        time_ns, since_boot = self.block(tod_s)
        columns.table.row(time_ns, number, key, tail, since_boot)
        self.book.data()
        return True

    def _skip_figures(self, number: int, text: bytes, cells: list[bytes]) -> bool:
        """A row of -t whose time is cut off or lost."""
        if len(cells) < 4 or b"".join(cells).translate(None, _FIGURES + b":"):
            return False
        self.skip_row(number, text)
        return True

    def _begin(self, words: list[str]) -> None:
        rows = self._rows_since_heading
        if words[0] == "r":
            if rows is not None and rows < _PAGE:
                self.clock.new_run()  # `vmstat 1 2` in a loop
            self._rows_since_heading = 0
        else:
            self._rows_since_heading = None  # with page sizes both headings may stand above each row
        timed = words[-3:] == _TIME_WORDS
        words = words[:-3] if timed else words
        keyed = words[0] == "psz"
        natives, attributes = _name_columns(words[keyed:])
        table = self.table("pagesize" if keyed else "vmstat", natives, "group" if keyed else None, attributes)
        self._columns = _Columns(table, len(words), timed, keyed)
        self.book.variant = "-I" if "fi" in words else self.book.variant


def _name_columns(words: list[str]) -> tuple[list[str], list[Attributes]]:
    """Native names and attributes: the two ``sy`` by their group, a volume's number as ``xfer`` of that device."""
    natives: list[str] = []
    attributes: list[Attributes] = []
    for index, word in enumerate(words):
        if word == "sy":
            natives.append(word)
            attributes.append((("group", "cpu" if "us" in words[:index] else "faults"),))
        elif word.isdigit():
            natives.append("xfer")
            attributes.append((("device", word),))
        else:
            natives.append(word)
            attributes.append(())
    return natives, attributes
