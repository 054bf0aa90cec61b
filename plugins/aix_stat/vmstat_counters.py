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

from tunebench.families.runs import CountersParser, text_of_head
from tunebench.sdk import lazy_pattern

from .capture import AixParser
from .sniffing import sniff_counters

_LINE = lazy_pattern(rb"^\s*(?P<value>\d{1,20}(?:[.,]\d{1,4})?)\s+(?P<name>[A-Za-z][\w .,/'()&-]{2,80})$")
_OF_V = lazy_pattern(rb"(?:pages|pools|percentage|scheduled|blocked with no \w+|paging space.*threshold)$")
_PAGES_OF_S = frozenset({b"pages freed by the clock"})


class VmstatCountersParser(CountersParser, AixParser):
    """See the module."""

    tool = "vmstat"
    snapshots = ("counters", "memory")

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_counters(text_of_head(head))

    def take_line(self, number: int, text: bytes) -> bool:
        match = _LINE.match(text)
        if match is None or number == self._unended_line and b" " not in match["name"]:
            return False
        name = match["name"]
        table = "memory" if _OF_V.search(name) and name not in _PAGES_OF_S else "counters"
        self.count(number, " ".join(name.decode("ascii", "replace").split()), match["value"], table)
        if table == "memory":
            self.book.variant = "-v"
        self.book.data()
        return True
