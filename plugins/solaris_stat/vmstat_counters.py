"""Parser of Solaris `vmstat -s`: what the kernel has counted since boot.

        0 swap ins
    46973 total address trans. faults taken
    46973 minor (as) faults
   126424 total name lookups (cache hits 96%)

One snapshot gives one row of the table ``counters``, each line one column under the words the command
prints; ``cache hits`` is the percentage in the line of name lookups (the DNLC).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from app.families.runs import RunClock, is_prompt
from app.sdk import LineParser, ParseContext, SampleBatch, TableBuilder

from .sniffing import sniff_vmstat_counters
from .wrappers import read_command, read_date_line

_COUNTER = re.compile(
    rb"^(?P<value>\d+)\s+(?P<name>[a-z][a-z0-9 .,/'()-]*?)(?:\s+\((?P<aside>[a-z ]+?)\s+(?P<percent>\d+)%\))?$"
)


class VmstatCountersParser(LineParser):
    """See the module."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool, self.book.os, self.book.variant = "vmstat", "sunos", "-s"
        self._clock = RunClock(context, self.times, self.book)
        self._snapshot: dict[str, bytes] = {}
        self._line = 0

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_vmstat_counters(head)

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        batches: list[SampleBatch] = []
        for number, line in enumerate(lines, first_line):
            batches.extend(self._take_line(number, line.strip()))
        return batches

    def close_tables(self) -> Iterable[SampleBatch]:
        return list(self._end_snapshot())

    def _take_line(self, number: int, text: bytes) -> Iterator[SampleBatch]:
        counter = _COUNTER.match(text)
        if not text:
            self.book.blank()
        elif counter:
            yield from self._take_counter(number, counter)
        elif (command := read_command(text)) is not None:
            yield from self._end_snapshot()
            self._clock.command(command)
            self.book.skip("wrapper", number, text)
        elif (date_line := read_date_line(text)) is not None:
            yield from self._end_snapshot()
            self._clock.stamp(date_line)
            self.book.header()
        else:
            self.book.skip("wrapper" if is_prompt(text) else "prose", number, text)

    def _take_counter(self, number: int, counter: re.Match[bytes]) -> Iterator[SampleBatch]:
        name = counter["name"].decode()
        if name in self._snapshot:
            yield from self._end_snapshot()
        if not self._snapshot:
            self._line = number
        self._snapshot[name] = counter["value"]
        if counter["aside"]:
            self._snapshot[counter["aside"].decode()] = counter["percent"]
        self.book.data()

    def _end_snapshot(self) -> Iterator[SampleBatch]:
        """A counter is as of now, no average of an interval: nothing here is flagged since boot."""
        snapshot, self._snapshot = self._snapshot, {}
        if not snapshot:
            return
        self.book.warn("since_boot_only")
        builder = TableBuilder("counters", list(snapshot), None, self.book)
        time_ns, _ = self._clock.next_block()
        builder.row(time_ns, self._line, b"", b" ".join(snapshot.values()))
        yield from builder.flush(final=True)
