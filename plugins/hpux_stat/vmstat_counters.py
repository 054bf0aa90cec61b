"""Parser of HP-UX `vmstat -s` and `vmstat -f`: what the kernel has counted since boot.

    0 swap ins
    46973 total address trans. faults taken
    13 intransit blocking page faults
    12345 forks, 678901 pages, average=  54.99                           -f

Each line is one column under the words the command prints; a word that comes again begins the next snapshot.
"""

from __future__ import annotations

from tunebench.families.runs import CountersParser, text_of_head
from tunebench.sdk import lazy_pattern

from .sniffing import sniff_counters

_LINE = lazy_pattern(rb"^\s*(?P<value>\d{1,20})\s+(?P<name>[a-z][a-z0-9 .,/'()-]{2,60})$")
_FORKS = lazy_pattern(rb"^\s*(?P<forks>\d{1,20}) forks, (?P<pages>\d{1,20}) pages, average=\s*[\d.]+$")


class VmstatCountersParser(CountersParser):
    """See the module."""

    tool, os = "vmstat", "hp-ux"
    tools = frozenset({"vmstat"})

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_counters(text_of_head(head))

    def take(self, number: int, text: bytes) -> bool:
        forks = _FORKS.match(text)
        match = _LINE.match(text)
        if forks is not None:
            self.count(number, "forks", forks["forks"])
            self.count(number, "forks, pages", forks["pages"])
        elif match is None or number == self._unended_line:
            return False
        else:
            self.count(number, " ".join(match["name"].decode().split()), match["value"])
        self.book.data()
        return True
