"""Parser of AIX mpstat.

    System configuration: lcpu=8 ent=1.0 mode=Uncapped

    cpu  min  maj  mpc  int   cs  ics   rq  mig lpa sysc us sy wa id   pc  %ec  lcs
      0    8    0    0  182  336  102    0    0 100 1434 38 51  0 12 0.02  1.8  185
      1    0    0    0   11    5    5    0    0   -    0  0 19  0 81 0.00  0.1   12
      U    -    -    -    -    -    -    -    -   -    -  -  -  0 99 0.99 99.0    -     what nobody used
    ALL    8    0    0  251  346  112    0    0 100 1434  0  0  0 99 0.02  2.0  251
    cpu    cs   ics bound  rq push S3pull S3grd S0rd S1rd ...                            -d
    cpu  mpcs mpcr dev soft dec ph                                                       -i
               Proc0           Proc1                                                     -s
              49.63%           0.27%
          cpu0    cpu2    cpu1    cpu3
          0.17%   0.10%   3.14%  46.49%

Counts are those of the interval, not per second (IBM AIX commands reference, mpstat). Without an interval there
is one block, of counts since boot. The row ALL is stored as the processor ``all``.
"""

from __future__ import annotations

from tunebench.families.runs import text_of_head
from tunebench.sdk import ParseContext, TableBuilder, lazy_pattern

from .capture import HeldParser
from .sniffing import sniff_mpstat

_HEADING_WORD = lazy_pattern(r"%?[A-Za-z][\w%]*")
_KEY = lazy_pattern(rb"\*?\d{1,4}|U|ALL|RST")
_THREADS = lazy_pattern(r"^(?:Proc\d+(?: Proc\d+)*|\*?cpu\d+(?: \*?cpu\d+)*)$")
_FIGURES = b"0123456789.,- "
_MOST_NAMES = 4096


class MpstatParser(HeldParser):
    """See the module."""

    tool = "mpstat"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._threads: list[str] = []  # names whose percentages come in the next line
        self._of_block: set[bytes] = set()  # processors of this block

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_mpstat(text_of_head(head))

    def begin_run(self) -> None:
        super().begin_run()
        self._threads = []

    def configuration_line(self) -> None:
        """mpstat says it once at its start: what follows is a new run."""
        self.end_block()
        self.begin_run()

    def end_block(self) -> None:
        super().end_block()
        self._of_block.clear()

    def take_line(self, number: int, text: bytes) -> bool:
        if self._threads and self._take_threads(number, text):
            return True
        if self._table is not None and self._take_row(number, text, *self._table):
            return True
        return self._take_heading(text)

    def _take_row(self, number: int, text: bytes, table: TableBuilder, count: int) -> bool:
        key, _, tail = text.lstrip().partition(b" ")
        width = len(tail.split())
        if not _KEY.fullmatch(key) or tail.translate(None, _FIGURES) or width < 2:
            return False
        if width != count or self.is_cut_off(number, text, "cpu"):
            self.skip_row(number, text)
            return True
        self._put(number, table, b"all" if key == b"ALL" else key.lstrip(b"*"), tail)
        self.book.data()
        return True

    def _put(self, number: int, table: TableBuilder, key: bytes, tail: bytes) -> None:
        if key in self._of_block:
            self.end_block()
        if not self._of_block:
            self.begin_block()
        self._of_block.add(key)
        time_ns, _ = self.block()
        self.put(table, time_ns, number, key, tail)

    def _take_heading(self, text: bytes) -> bool:
        words = text.decode("ascii", "replace").split()
        if words[0] == "cpu" and len(words) > 2 and all(_HEADING_WORD.fullmatch(word) for word in words):
            self._table = (self.table("cpu", words[1:], "cpu"), len(words) - 1)
            self.book.header()
            return True
        if _THREADS.match(" ".join(words)) and len(words) <= _MOST_NAMES:
            self._threads = words
            self.book.variant = "-s"
            self.book.header()
            return True
        return False

    def _take_threads(self, number: int, text: bytes) -> bool:
        names, self._threads = self._threads, []
        cells = text.replace(b"%", b"").split()
        if b"%" not in text or b" ".join(cells).translate(None, _FIGURES):
            return False
        if len(cells) != len(names) or number == self._unended_line:
            self.skip_row(number, text)
            return True
        table = self.table("smt", ["%"], "cpu")
        for name, cell in zip(names, cells, strict=True):
            self._put(number, table, name.lstrip("*").encode(), cell)
        self.book.data()
        return True
