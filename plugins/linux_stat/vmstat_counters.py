"""vmstat -s, -D and -f: one counter per line, since boot.

         24684084 K total memory
            95979 non-nice user cpu ticks
       1795243733 boot time

procps translates the labels; a translated list is read by its order, where it is as long as one of procps'.
"""

from __future__ import annotations

from tunebench.sdk import ParseContext, TableBuilder, decode_text, lazy_pattern

from .capture import LinuxTextParser
from .stamps import UNDETERMINED
from .vmstat_headings import locale_of_text

_LINE = lazy_pattern(rb"^\s*(\d+)\s+(\D.*?)\s*$")
_SUMS = tuple(
    """K total memory|K used memory|K active memory|K inactive memory|K free memory|K buffer memory|K swap cache
K total swap|K used swap|K free swap|non-nice user cpu ticks|nice user cpu ticks|system cpu ticks|idle cpu ticks
IO-wait cpu ticks|IRQ cpu ticks|softirq cpu ticks|stolen cpu ticks|non-nice guest cpu ticks|nice guest cpu ticks
K paged in|K paged out|pages swapped in|pages swapped out|interrupts|CPU context switches|boot time|forks""".replace(
        "\n", "|"
    ).split("|")
)
_SUMS_WITHOUT_GUESTS = tuple(label for label in _SUMS if "guest" not in label)  # procps 3
_PAGES = {"K paged in": "pages paged in", "K paged out": "pages paged out"}
_SUMS_OF_PAGES = tuple(_PAGES.get(label, label) for label in _SUMS_WITHOUT_GUESTS)  # procps 3.3
_DISKS = (
    "disks",
    "partitions",
    "total reads",
    "merged reads",
    "read sectors",
    "milli reading",
    "writes",
    "merged writes",
    "written sectors",
    "milli writing",
    "inprogress IO",
    "milli spent IO",
    "milli weighted IO",
)
_LISTS = (_SUMS, _SUMS_WITHOUT_GUESTS, _SUMS_OF_PAGES, _DISKS, _DISKS[:-1])
_ENGLISH = frozenset(label for labels in _LISTS for label in labels)
_FEWEST_KNOWN = 5
_MOST_LINES = 1000  # of a list; a text that never repeats itself must not grow without bound


class VmstatCountersParser(LinuxTextParser):
    """vmstat -s, -D and -f."""

    tool = "vmstat"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._head_seen = True
        self._group: list[tuple[int, bytes, str, bytes]] = []  # line number, value, label, line
        self._labels: set[str] = set()  # of the group
        self._names: dict[str, None] = {}

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = [] if b"\0" in head else [line for line in head.split(b"\n")[:60] if line.strip()]
        matches = [match for match in map(_LINE.match, lines) if match]
        labels = [decode_text(match[2]) for match in matches]
        in_english = sum(label in _ENGLISH for label in labels)
        if in_english >= _FEWEST_KNOWN:
            return 0.9
        if len(lines) == len(matches) and (_translate(labels) is not None and _looks_translated(labels)):
            return 0.85
        return 0.8 if labels == ["forks"] and len(lines) == 1 else 0.0

    def is_heading(self, line: bytes) -> bool:
        match = _LINE.match(line)
        return match is not None and decode_text(match[2]) in _ENGLISH

    def read_line(self, number: int, line: bytes) -> None:
        match = _LINE.match(line)
        if match is not None and b"\0" not in line and not self._is_stamp(line):
            label = decode_text(match[2])
            if label in self._labels or len(self._group) >= _MOST_LINES:
                self._close_group()
            self._group.append((number, match[1], label, line))
            self._labels.add(label)
            return
        if not line or line.isspace():
            self.book.blank()
            return
        self._close_group()
        if not self.read_surroundings(number, line):
            self.skip_line(number, line)

    def _is_stamp(self, line: bytes) -> bool:
        return b":" in line and self.stamps.wrapper_moment(line) is not None

    def _close_group(self) -> None:
        """Books the lines of one run; a list that is not vmstat's stays out."""
        group, self._group = self._group, []
        self._labels.clear()
        if not group:
            return
        labels = [label for _, _, label, _ in group]
        english = _translate(labels)
        if english is None and not any(label in _ENGLISH for label in labels):
            for number, _, _, line in group:
                self.book.skip("not_a_table", number, line)
            return
        if english is not None and english != tuple(labels):
            self.book.locale = locale_of_text(" ".join(labels)) or UNDETERMINED
        names = english or tuple(labels)
        table = "disk_counters" if "milli reading" in names or "total reads" in names else "counters"
        key = "|".join(names).encode()
        builder = self.builders.get(key)
        if builder is None:
            builder = self.builders[key] = TableBuilder(table, names, None, self.book)
        builder.row(self.clock.next_block(), group[0][0], b"", b" ".join(value for _, value, _, _ in group))
        self.flags(since_boot=False)
        self._names[table] = None
        self.book.data(len(group))

    def end_of_text(self) -> None:
        self._close_group()

    def describe_variant(self) -> str:
        return " ".join({"counters": "-s", "disk_counters": "-D"}[name] for name in self._names)


def _translate(labels: list[str]) -> tuple[str, ...] | None:
    """The English labels of a whole list, by its order; None where it is no list of vmstat's."""
    for english in _LISTS:
        if len(english) == len(labels) and all(
            label == meant or label not in _ENGLISH for label, meant in zip(labels, english, strict=True)
        ):
            return english
    return None


def _looks_translated(labels: list[str]) -> bool:
    """Some of it is English in every language, or it is Korean throughout."""
    if any(label in _ENGLISH for label in labels) or sum("CPU" in label for label in labels) > 3:
        return True
    return sum("밀리초" in label or "섹터" in label for label in labels) > 3
