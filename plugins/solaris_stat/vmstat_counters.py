"""Parser of Solaris `vmstat -s`: what the kernel has counted since boot.

        0 swap ins
    46973 total address trans. faults taken
    46973 minor (as) faults
   126424 total name lookups (cache hits 96%)

One snapshot gives one row of the table ``counters``, each line one column under the words the command
prints; ``cache hits`` is the percentage in the line of name lookups (the DNLC).
"""

from __future__ import annotations

from collections.abc import Iterable

from tunebench.sdk import ParseContext, SampleBatch, TableBuilder, lazy_pattern

from .capture import SolarisParser
from .sniffing import sniff_vmstat_counters

_COUNTER = lazy_pattern(
    rb"^(?P<value>\d+)\s+(?P<name>[a-z][a-z0-9 .,/'()-]*?)(?:\s+\((?P<aside>[a-z ]+?)\s+(?P<percent>\d+)%\))?$"
)


class VmstatCountersParser(SolarisParser[None]):
    """See the module."""

    tool = "vmstat"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.variant = "-s"
        self._snapshot: dict[str, bytes] = {}
        self._line = 0
        self._finished: list[SampleBatch] = []

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_vmstat_counters(head)

    def close_tables(self) -> Iterable[SampleBatch]:
        self._end_block()
        return self._flush(final=True)

    def _take_row(self, number: int, text: bytes) -> bool:
        counter = _COUNTER.match(text)
        if counter is None:
            return False
        name = counter["name"].decode()
        if name in self._snapshot:
            self._end_block()
        if not self._snapshot:
            self._line = number
        self._snapshot[name] = counter["value"]
        if counter["aside"]:
            self._snapshot[counter["aside"].decode()] = counter["percent"]
        self.book.data()
        return True

    def _end_block(self) -> None:
        """A counter is as of now, no average of an interval: nothing here is flagged since boot."""
        snapshot, self._snapshot = self._snapshot, {}
        if snapshot:
            self.book.warn("since_boot_only")
            builder = TableBuilder("counters", list(snapshot), None, self.book)
            time_ns, _ = self._now()
            builder.row(time_ns, self._line, b"", b" ".join(snapshot.values()))
            self._finished.extend(builder.flush(final=True))
        super()._end_block()

    def _flush(self, final: bool) -> list[SampleBatch]:
        finished, self._finished = self._finished, []
        return finished
