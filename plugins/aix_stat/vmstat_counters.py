"""Parser of AIX `vmstat -s` and `vmstat -v`: what the kernel has counted since boot, and the state of memory.

               116707 page ins                                            -s: counters
                    0 paging space page ins
              5060 paging space I/Os blocked with no psbuf                -v: counters and
           1310720 memory pages                                           gauges, most of them in pages of 4 KB
              62.8 numperm percentage

Each line is one column under the words the command prints; a word that comes again begins the next snapshot.
What -s prints stands in the table ``counters``, what -v prints in ``memory``.
"""

from __future__ import annotations

import re

from app.families.runs import text_of_head
from app.sdk import ParseContext

from .capture import AixParser
from .sniffing import sniff_counters

_LINE = re.compile(rb"^\s*(?P<value>\d{1,20}(?:[.,]\d{1,4})?)\s+(?P<name>[A-Za-z][\w .,/'()&-]{2,80})$")
_OF_V = re.compile(rb"(?:pages|pools|percentage|scheduled|blocked with no \w+|paging space.*threshold)$")
_PAGES_OF_S = frozenset({b"pages freed by the clock"})
_MOST_NAMES = 200


class VmstatCountersParser(AixParser):
    """See the module."""

    tool = "vmstat"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._snapshot: dict[str, dict[str, tuple[int, bytes]]] = {"counters": {}, "memory": {}}
        self.book.variant = "-s"

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_counters(text_of_head(head))

    def take_line(self, number: int, text: bytes) -> bool:
        found = _LINE.match(text)
        if found is None or number == self._unended_line and b" " not in found["name"]:
            return False
        name = found["name"]
        table = "memory" if _OF_V.search(name) and name not in _PAGES_OF_S else "counters"
        column = " ".join(name.decode("ascii", "replace").split())
        if column in self._snapshot[table] or len(self._snapshot[table]) >= _MOST_NAMES:
            self.end_block()
        self._snapshot[table][column] = (number, found["value"])
        if table == "memory":
            self.book.variant = "-v"
        self.book.data()
        return True

    def begin_run(self) -> None:
        self._put()

    def end_block(self) -> None:
        self._put()
        super().end_block()

    def end_of_text(self) -> None:
        self._put()

    def _put(self) -> None:
        """A counter is as of now, no average of an interval: nothing here is flagged since boot."""
        for name, columns in self._snapshot.items():
            if not columns:
                continue
            time_ns, _ = self.block()
            first = next(iter(columns.values()))[0]
            tail = b" ".join(value for _, value in columns.values())
            self.table(name, list(columns)).row(time_ns, first, b"", tail)
            self._snapshot[name] = {}
            if name == "counters":
                self.book.warn("since_boot_only")
