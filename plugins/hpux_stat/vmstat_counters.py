"""Parser of HP-UX `vmstat -s` and `vmstat -f`: what the kernel has counted since boot.

    0 swap ins
    46973 total address trans. faults taken
    13 intransit blocking page faults
    12345 forks, 678901 pages, average=  54.99                           -f

Each line is one column under the words the command prints; a word that comes again begins the next snapshot.
"""

from __future__ import annotations

import re

from app.families.runs import RunParser, text_of_head
from app.sdk import ParseContext

from .sniffing import sniff_counters

_LINE = re.compile(rb"^\s*(?P<value>\d{1,20})\s+(?P<name>[a-z][a-z0-9 .,/'()-]{2,60})$")
_FORKS = re.compile(rb"^\s*(?P<forks>\d{1,20}) forks, (?P<pages>\d{1,20}) pages, average=\s*[\d.]+$")
_MOST_NAMES = 200


class VmstatCountersParser(RunParser):
    """See the module."""

    tool, os = "vmstat", "hp-ux"
    tools = frozenset({"vmstat"})

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._snapshot: dict[str, bytes] = {}
        self._line = 0
        self.book.variant = "-s"

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_counters(text_of_head(head))

    def take(self, number: int, text: bytes) -> bool:
        forks = _FORKS.match(text)
        found = _LINE.match(text)
        if forks is not None:
            self._count(number, "forks", forks["forks"])
            self._count(number, "forks, pages", forks["pages"])
        elif found is None or number == self._unended_line:
            return False
        else:
            self._count(number, " ".join(found["name"].decode().split()), found["value"])
        self.book.data()
        return True

    def begin_run(self) -> None:
        self._put()

    def end_block(self) -> None:
        self._put()
        super().end_block()

    def end_of_text(self) -> None:
        self._put()

    def _count(self, number: int, name: str, value: bytes) -> None:
        if name in self._snapshot or len(self._snapshot) >= _MOST_NAMES:
            self.end_block()
        if not self._snapshot:
            self._line = number
        self._snapshot[name] = value

    def _put(self) -> None:
        """A counter is as of now, no average of an interval: nothing here is flagged since boot."""
        snapshot, self._snapshot = self._snapshot, {}
        if snapshot:
            self.book.warn("since_boot_only")
            time_ns, _ = self.block()
            self.table("counters", list(snapshot)).row(time_ns, self._line, b"", b" ".join(snapshot.values()))
