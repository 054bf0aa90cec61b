"""Parser of HP-UX iostat.

      device    bps     sps    msps

      c1t2d0     36     7.4     1.0
      c2t2d0     32     5.6     1.0

                      tty             cpu                     -t: above the disks
                   tin tout     us  ni  sy  id
                     1   58      3   0   2  95

bps are kilobytes per second in spite of their name, and msps is always 1.0: the mean seek time cannot be told any
more (iostat(1)). With -L the devices are lunpaths. The first block of a run is an average since boot.
"""

from __future__ import annotations

from tunebench.families.runs import RunParser, text_of_head
from tunebench.sdk import ParseContext, TableBuilder, record

from .sniffing import sniff_iostat

_SYSTEM_WORDS = frozenset({"tin", "tout", "us", "ni", "sy", "id"})
_GROUP_WORDS = frozenset({b"tty", b"cpu"})
_FIGURES = b"0123456789.,- \t"


@record(frozen=False)
class _Heading:
    part: str
    table: TableBuilder
    count: int
    keyed: bool


class IostatParser(RunParser):
    """See the module."""

    tool, os = "iostat", "hp-ux"
    tools = frozenset({"iostat"})

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._heading: _Heading | None = None
        self._of_block: set[tuple[str, bytes]] = set()  # what this block has had

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_iostat(text_of_head(head))

    def begin_run(self) -> None:
        self._heading = None

    def end_block(self) -> None:
        super().end_block()
        self._of_block.clear()

    def take(self, number: int, text: bytes) -> bool:
        if self._heading is not None and self._take_row(number, text, self._heading):
            return True
        words = text.split()
        if all(word in _GROUP_WORDS for word in words):
            self.book.header()
            return True
        return self._take_heading([word.decode("ascii", "replace") for word in words])

    def _take_row(self, number: int, text: bytes, heading: _Heading) -> bool:
        name, tail = b"", text
        if heading.keyed:
            name, _, tail = text.lstrip().partition(b" ")
        cells = tail.split()
        if not cells or tail.translate(None, _FIGURES) or (heading.keyed and not name.translate(None, _FIGURES)):
            return False
        if len(cells) != heading.count or self.is_cut_off(number, text, heading.part):
            if len(cells) == 1:
                return False  # a bare epoch stamp, or a sentence of two words
            self.skip_row(number, text)
            return True
        if (heading.part, name) in self._of_block:
            self.end_block()
        self._of_block.add((heading.part, name))
        time_ns, since_boot = self.block()
        heading.table.row(time_ns, number, name, tail, since_boot)
        self.book.data()
        return True

    def _take_heading(self, words: list[str]) -> bool:
        if words[0] in ("device", "lunpath") and "bps" in words:
            part = words[0]
            table = self.table(part, words[1:], "device")
            self._heading = _Heading(part, table, len(words) - 1, keyed=True)
        elif len(words) > 2 and set(words) <= _SYSTEM_WORDS:
            if ("system", b"") in self._of_block:
                self.end_block()
            self._heading = _Heading("system", self.table("system", words), len(words), keyed=False)
            self.book.variant = "-t"
        else:
            return False
        self.book.header()
        return True
