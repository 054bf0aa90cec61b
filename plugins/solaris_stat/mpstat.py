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

import re
from collections.abc import Iterable

from app.families.lines import EndingParser
from app.families.runs import RunClock, is_prompt
from app.sdk import ParseContext, SampleBatch, TableBuilder

from .sniffing import sniff_mpstat
from .wrappers import read_command, read_date_line

_KEYS = {"CPU": "cpu", "SET": "set", "COR": "core", "SOC": "socket"}  # the last two: -A, since Solaris 11
_KNOWN = frozenset({"minf", "xcal", "csw", "smtx"})
_WORD = re.compile(r"[a-z]{2,6}")
_FIGURES = b"0123456789- \t"


def read_heading(text: bytes) -> tuple[str, tuple[str, ...]] | None:
    """(table, columns) of a heading."""
    words = text.decode("ascii", "replace").split()
    if len(words) < 4 or words[0] not in _KEYS or not set(words) >= _KNOWN:
        return None
    return (_KEYS[words[0]], tuple(words[1:])) if all(_WORD.fullmatch(word) for word in words[1:]) else None


class MpstatParser(EndingParser):
    """See the module."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool, self.book.os = "mpstat", "sunos"
        self._clock = RunClock(context, self.times, self.book)
        self._builders: dict[tuple[str, tuple[str, ...]], TableBuilder] = {}
        self._builder: TableBuilder | None = None
        self._block: tuple[int, bool] | None = None
        self._cpus_of_block: set[bytes] = set()
        self._shortest = 0  # row so far

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_mpstat(head)

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        for number, line in enumerate(lines, first_line):
            text = line.strip()
            if not text:
                self.book.blank()
            elif self._ending and self._shortest and len(line.rstrip()) < self._shortest:
                self.book.skip("truncated", number, text)  # rows are padded: its last number lost digits
            elif not self._take_row(number, text, len(line.rstrip())):
                self._take_other(number, text)
        return self._flush(final=False)

    def close_tables(self) -> Iterable[SampleBatch]:
        self._clock.describe()
        return self._flush(final=True)

    def _take_row(self, number: int, text: bytes, length: int) -> bool:
        builder = self._builder
        if builder is None or text.translate(None, _FIGURES):
            return False
        key, _, tail = text.partition(b" ")
        if not tail or not key.isdigit():
            return False
        if len(tail.split()) != len(builder.headings):
            self.book.skip("truncated", number, text)
            return True
        if self._block is None or key in self._cpus_of_block:
            self._block = self._clock.next_block()
            self._cpus_of_block.clear()
        self._cpus_of_block.add(key)
        self._shortest = min(self._shortest or length, length)
        time_ns, since_boot = self._block
        thing = key if builder.table == "cpu" else builder.table.encode() + b" " + key
        builder.row(time_ns, number, thing, tail, since_boot)
        self.book.data()
        return True

    def _take_other(self, number: int, text: bytes) -> None:
        command, date_line, heading = read_command(text), read_date_line(text), read_heading(text)
        if command is not None:
            self._block, self._builder = None, None
            self._clock.command(command)
            self.book.skip("wrapper", number, text)
        elif date_line is not None:
            self._block = None
            self._clock.stamp(date_line)
            self.book.header()
        elif heading is not None:
            self._block = None
            self._builder = self._builder_of(*heading)
            self.book.header()
        else:
            self._builder = None
            self.book.skip("wrapper" if is_prompt(text) else "prose", number, text)

    def _builder_of(self, table: str, columns: tuple[str, ...]) -> TableBuilder:
        self.book.variant = "-a" if table == "set" else "-p" if columns[-1] == "set" else ""
        builder = self._builders.get((table, columns))
        if builder is None:
            builder = self._builders[table, columns] = TableBuilder(table, columns, "cpu", self.book)
        return builder

    def _flush(self, final: bool) -> list[SampleBatch]:
        return [batch for builder in self._builders.values() for batch in builder.flush(final)]
