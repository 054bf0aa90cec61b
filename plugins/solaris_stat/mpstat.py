"""Parser of Solaris mpstat.

    CPU minf mjf xcal  intr ithr  csw icsw migr smtx  srw syscl  usr sys  wt idl
      0    4   0   63   411  310  226    1    8    2    0   108    1   1   0  98
     16    3   0   88    97   12  227    1    8    2    0   110    0   1   0  99        ids have holes
    CPU minf mjf xcal ... usr sys  wt idl set                                           -p: the processor set
    SET minf mjf xcal ... usr sys  wt idl sze                                           -a: a row per set
    Tue Apr 19 21:16:01 2011                                                            -T d above each block

Columns are taken by their heading (Solaris 11.4 has ``st``). The heading is repeated above each block where
there are several processors, once a page where there is one: a row whose processor was seen begins a block.
The first block of a run is an average since boot (mpstat(1M)).
"""

from __future__ import annotations

from tunebench.sdk import ParseContext, TableBuilder, lazy_pattern

from .capture import SolarisParser
from .sniffing import sniff_mpstat

_KEYS = {"CPU": "cpu", "SET": "set", "COR": "core", "SOC": "socket"}  # the last two: -A, since Solaris 11
_KNOWN = frozenset({"minf", "xcal", "csw", "smtx"})
_WORD = lazy_pattern(r"[a-z]{2,6}")
_FIGURES = b"0123456789- \t"


def read_heading(text: bytes) -> tuple[str, tuple[str, ...]] | None:
    """(table, columns) of a heading."""
    words = text.decode("ascii", "replace").split()
    if len(words) < 4 or words[0] not in _KEYS or not set(words) >= _KNOWN:
        return None
    return (_KEYS[words[0]], tuple(words[1:])) if all(_WORD.fullmatch(word) for word in words[1:]) else None


class MpstatParser(SolarisParser[TableBuilder]):
    """See the module."""

    tool = "mpstat"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._cpus_of_block: set[bytes] = set()
        self._shortest = 0  # row so far

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_mpstat(head)

    def _take_row(self, number: int, text: bytes) -> bool:
        if self.is_ending and self._length < self._shortest:
            self.book.skip("truncated", number, text)  # rows are padded: its last number lost digits
            return True
        builder = self._layout
        if builder is None or text.translate(None, _FIGURES):
            return False
        key, _, tail = text.partition(b" ")
        if not tail or not key.isdigit():
            return False
        self._note_key(key)
        if len(tail.split()) != len(builder.headings):
            self._now()
            self.book.skip("truncated", number, text)
            return True
        self._shortest = min(self._shortest or self._length, self._length)
        time_ns, since_boot = self._now()
        thing = key if builder.table == "cpu" else builder.table.encode() + b" " + key
        builder.row(time_ns, number, thing, tail, since_boot)
        self.book.data()
        return True

    def _note_key(self, key: bytes) -> None:
        if key in self._cpus_of_block:
            self._end_block()
        self._cpus_of_block.add(key)

    def _lose_row(self, number: int, text: bytes) -> None:
        self._note_key(text.split(None, 1)[0])
        super()._lose_row(number, text)

    def _end_block(self) -> None:
        super()._end_block()
        self._cpus_of_block.clear()

    def _take_heading(self, number: int, text: bytes) -> bool:
        heading = read_heading(text)
        if heading is None:
            return False
        self._end_block()
        self.book.variant = "-a" if heading[0] == "set" else "-p" if heading[1][-1] == "set" else ""
        self._layout = self._builder(*heading, "cpu")
        self.book.header()
        return True
