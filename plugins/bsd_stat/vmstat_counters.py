"""Parser of vmstat -s of the BSDs: what the kernel has counted since boot, and how many pages are what.

    5842393706 cpu context switches
      33412179 device interrupts
             0 swap pager pageins
        123456 pages free
      99120231 total name lookups
               cache hits (81% pos + 5% neg) system 0% per-directory

One snapshot is one row of the table ``counters``, each line one column under the words that the command prints;
``cache hits`` is the per cent of lookups that found a name, or found that there is none.
"""

from __future__ import annotations

from tunebench.families.runs import text_of_head
from tunebench.sdk import Round, StampedParser, body_lines, lazy_pattern

_COUNTER = lazy_pattern(rb"^\s*(?P<value>\d{1,20}) {1,2}(?P<name>[A-Za-z][\w .,/'()*-]{2,70}?)\s*$")
_HITS = lazy_pattern(rb"^\s*cache hits \((?P<positive>\d+)% pos \+ (?P<negative>\d+)% neg\)")
_OF_BSD = lazy_pattern(
    rb"^\s*\d+ (?:cpu context switches|swap pager pageins|bytes per page|pages managed|software interrupts)$"
)
_FEWEST = 2


class VmstatCountersParser(StampedParser):
    """See the module."""

    tool, os = "vmstat", "freebsd"

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = body_lines(text_of_head(head))
        of_bsd = sum(_OF_BSD.match(line.rstrip()) is not None for line in lines)
        system_v = any(b"address trans. faults" in line for line in lines)  # Solaris, AIX
        counters = sum(_COUNTER.match(line) is not None for line in lines)
        return 0.9 if of_bsd >= _FEWEST and not system_v and counters > 0.6 * len(lines) else 0.0

    def begins_round(self, line: bytes) -> bool:
        match = _COUNTER.match(line)
        return match is not None and match["name"] in (b"cpu context switches", b"bytes per page")

    def read_round(self, one: Round) -> None:
        self.book.variant = "-s"
        values: dict[str, float] = {}
        first = 0
        for number, line in one.lines:
            match, hits = _COUNTER.match(line), _HITS.match(line)
            if hits is not None:
                values["cache hits"] = float(hits["positive"]) + float(hits["negative"])
            elif match is not None:
                values[match["name"].decode()] = float(match["value"])
            else:
                self.skip_line(number, line, "message" if b"falsehits" in line else "not_a_table")
                continue
            first = first or number
            self.book.data()
        if values:
            self.table("counters", tuple(values)).row(one.time_ns, first, "", list(values.values()))
