"""Parser of AIX lparstat: the partition's use of the processors, and with -i what the partition is.

    System configuration: type=Shared mode=Uncapped smt=4 lcpu=4 mem=47104MB psize=60 ent=0.50

    %user  %sys  %wait  %idle physc %entc  lbusy   app  vcsw phint  %nsp  %utcyc
    ----- ----- ------ ------ ----- ----- ------   --- ----- ----- -----  ------
     11.3  15.0    0.0   73.7  0.22  44.5    6.1 45.26   919     0   101   1.39
      5.3  10.5    0.0   84.2  0.17  24.3    6.0 6133902387 210796057              figures wider than their columns
    physb   hpi  hpit  pmem  iomin   iomu   iomf  iohwm iomaf %entc  vcsw          -m
    Node Name                                  : db1                               -i: facts

A dedicated partition has %user to %idle alone, a donating one physc and vcsw as well; app is there where the
partition may see the pool. Without an interval there is one row, of figures since boot.
"""

from __future__ import annotations

from tunebench.families.runs import Attributes, text_of_head, time_of_day_s
from tunebench.sdk import ParseContext, TableBuilder, lazy_pattern

from .capture import HeldParser, is_ruler
from .sniffing import sniff_lparstat

_FACT = lazy_pattern(r"^\s*(?P<name>[A-Za-z][\w /()-]{2,60}?)\s+: ?(?P<value>.*)$")
_KNOWN = frozenset({"%user", "%entc", "physc", "physb", "%xcpu", "user", "lbusy"})
_HEADING_WORD = lazy_pattern(r"%?[A-Za-z][\w%/]*")
_FIGURES = b"0123456789.,- "
_FREQUENCY = lazy_pattern(rb"^[\d.]+[MG]Hz\[ ?[\d.]+%\]$")
_GROUPS = lazy_pattern(r"-*(?P<one>Actual|Normalised)-*")
_OF_THE_POOL = "Unallocated "  # what other partitions leave over changes by itself


class LparstatParser(HeldParser):
    """See the module."""

    tool = "lparstat"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._candidate: list[str] = []
        self._groups: list[str] = []

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_lparstat(text_of_head(head))

    def begin_run(self) -> None:
        super().begin_run()
        self._candidate = []

    def take_line(self, number: int, text: bytes) -> bool:
        if self._table is not None and self._take_row(number, text, *self._table):
            return True
        if is_ruler(text):
            if self._candidate:
                self._begin(self._candidate)
            self.book.header()
            return True
        return self._take_heading(text) or self._take_fact(text)

    # -- rows ------------------------------------------------------------------------------------

    def _take_row(self, number: int, text: bytes, table: TableBuilder, count: int) -> bool:
        cells = text.split()
        tod_s = time_of_day_s(cells[-1]) if len(cells) == count + 1 else None
        if tod_s is not None:
            cells.pop()
            text = text[:-8]
        tail = text
        if b"Hz[" in text:
            tail = b" ".join([b"-" if _FREQUENCY.match(cell) else cell for cell in cells])
            self.book.warn("word_columns")
        if tail.translate(None, _FIGURES) or (is_ruler(text) and len(cells) > 1):
            return False
        if len(cells) == 1 and count > 1:
            return False  # a bare epoch stamp
        if len(cells) != count or self.is_cut_off(number, text, table.table):
            self.skip_row(number, text)
            return True
        self.end_block()
        time_ns, _ = self.block(tod_s)
        self.begin_block()
        self.put(table, time_ns, number, b"", tail)
        self.book.data()
        return True

    # -- headings and facts ----------------------------------------------------------------------

    def _take_heading(self, text: bytes) -> bool:
        words = text.decode("ascii", "replace").split()
        groups = [match["one"] for word in words if (match := _GROUPS.fullmatch(word))]
        if groups:
            self._groups = groups
            self.book.header()
            return True
        if len(words) < 3 or not all(_HEADING_WORD.fullmatch(word) for word in words) or not _KNOWN & set(words):
            return False
        self._candidate = words
        self._begin(words)
        self.book.header()
        return True

    def _begin(self, words: list[str]) -> None:
        attributes: list[Attributes] = []
        for index, word in enumerate(words):
            nth = words[:index].count(word)
            repeated = words.count(word) > 1 and nth < len(self._groups)
            attributes.append((("group", self._groups[nth]),) if repeated else ())
        name = "memory" if "physb" in words else "lpar"
        self._table = (self.table(name, words, None, attributes), len(words))
        self._candidate = []

    def _take_fact(self, text: bytes) -> bool:
        match = _FACT.match(text.decode("utf-8", "replace"))
        if match is None:
            return False
        name, value = " ".join(match["name"].split()), " ".join(match["value"].split())
        if name == "Node Name":
            self.book.hostname = self.book.hostname or value
        if value and not name.startswith(_OF_THE_POOL):
            self.fact("cpu", name, value)
        self.book.variant = "-i"
        self.book.data()
        return True

    def configuration_line(self) -> None:
        """lparstat says it once at its start: what follows is a new run."""
        self.begin_run()
