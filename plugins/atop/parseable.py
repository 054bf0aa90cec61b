"""atop -P: a line per resource and process, fields by their place (`labels`).

    RESET                                                     what follows covers the time since boot
    CPU vm 1795287055 2026/11/21 18:50:55 2 100 2 20 370 0 5 3 0 0 0 0 5192 100 0 0
    DSK vm 1795287055 2026/11/21 18:50:55 2 vda 44 15 120 370 35616 175 28424 0 2.61
    PRC vm 1795287055 2026/11/21 18:50:55 2 22 (fio) R 100 12 8 0 120 0 0 1 0 22 y 0 (-) 0 -3 -3
    SEP

Label, host, epoch, local date and time, seconds of the interval; then the label's own fields. The figures have the
names and units of the report (atop -r): ticks are per cent, counts per second, pages bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import lru_cache

from tunebench.families.page_reading import MARK
from tunebench.families.processes import ProcessLimit, process_key
from tunebench.families.runs import text_of_head
from tunebench.sdk import (
    LineParser,
    NumberTable,
    ParseContext,
    SampleBatch,
    decode_text,
    lazy_pattern,
    read_frame,
    read_stamp,
)

from .labels import DISKS, FIELDS, KEYED, Scale, figures_of, of_disk, of_interface, of_layers
from .parseable_processes import LABELS as PROCESS_LABELS
from .parseable_processes import read_process
from .system_lines import ATTRIBUTES

_PREFIX = lazy_pattern(
    rb"^(?P<label>[A-Za-z]{3}) (?P<host>\S+) (?P<epoch>\d{9,10}) \d{4}/\d\d/\d\d \d\d:\d\d:\d\d (?P<interval>\d{1,10}) "
    rb"(?P<rest>\S.*)$"
)
_TICKED = frozenset({"CPU", "cpu"})
_PAGED = frozenset({"MEM", "SWP", "PAG"})
_OF_THE_MOMENT = frozenset({"mem", "swp", "num"})
_MOST_WAITING = 4000
_FIRST, _LAST = (
    int((datetime(year, 1, 1, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()) for year in (1980, 2200)
)
_SUMS = frozenset({"sys", "user", "nice", "idle", "wait", "irq", "softirq", "steal", "guest", "curf"})
_NAN = float("nan")


class AtopParseableParser(LineParser):
    """See the module."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool, self.book.os, self.book.variant = "atop", "linux", "-P"
        self._tables: dict[str, NumberTable] = {}
        self._finished: list[SampleBatch] = []
        self._limit = ProcessLimit()
        self._since_boot = False
        self._epoch = b""
        self._time_ns = 0
        self._waiting = 0

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = [line.strip() for line in text_of_head(head).split(b"\n")[:200]]
        matching = sum(
            match["label"].decode() in FIELDS or match["label"].decode() in PROCESS_LABELS | DISKS | {"NET"}
            for line in lines
            if (match := _PREFIX.match(line))
        )
        return 0.98 if 3 * matching > len(lines) else 0.6 if matching else 0.0

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        for number, line in enumerate(lines, first_line):
            self._read_line(number, line.strip())
        return self._give(at_once=False)

    def close_tables(self) -> Iterable[SampleBatch]:
        return self._give(at_once=True)

    def _read_line(self, number: int, line: bytes) -> None:
        if not line:
            self.book.blank()
        elif line in (b"RESET", b"SEP"):
            self._since_boot = line == b"RESET"
            self.book.header()
        elif not self._take_line(number, line):
            self._read_other(number, line)

    def _read_other(self, number: int, line: bytes) -> None:
        if read_stamp(line) is not None or (line.startswith(MARK) and read_frame(line) is not None):
            self.book.header()
        else:
            self.book.skip("nul_bytes" if b"\0" in line else "not_a_table", number, line)

    def _take_line(self, number: int, line: bytes) -> bool:
        match = _PREFIX.match(line)
        if match is None or not _FIRST <= int(match["epoch"]) < _LAST:
            return False
        label, interval_s = match["label"].decode(), float(match["interval"])
        if label in PROCESS_LABELS:
            return self._take_process(number, line, label, match, interval_s)
        rows = self._rows(label, match["rest"].split(), interval_s)
        if not rows:
            return False
        self._set_time(match)
        for table, key, figures in rows:
            self._add(number, table, key, figures)
        self.book.data()
        return True

    def _set_time(self, match: re.Match[bytes]) -> None:
        if match["epoch"] != self._epoch:
            self._epoch = match["epoch"]
            self._time_ns = self.times.at_epoch(int(self._epoch))
            self.book.hostname = self.book.hostname or decode_text(match["host"])

    def _rows(self, label: str, words: list[bytes], interval_s: float) -> list[tuple[str, str, Mapping[str, float]]]:
        if label == "NET":
            return _network(words, interval_s)
        keyed = label in KEYED
        key = decode_text(words[0]) if keyed else ""
        cells = [_number(word) for word in words[keyed:]]
        if label in DISKS:
            figures = of_disk(cells, interval_s)
            return [(label.lower(), key, figures)] if figures else []
        if label not in FIELDS or len(cells) < 3:
            return []
        page = cells[0] if label in _PAGED | {"NUM"} else _NAN
        figures = figures_of(label, cells, Scale(interval_s, cells[0], page))
        if label in _TICKED:
            key = "all" if label == "CPU" else f"{cells[1]:.0f}"
            processors = figures.pop("numcpu", 1.0)
            figures = {
                name: value / processors if processors >= 1 and name in _SUMS else value
                for name, value in figures.items()
            }
            figures["irq"] = figures.get("irq", _NAN) + figures.get("softirq", 0.0)  # as the report counts it
            figures["user"] = figures.get("user", _NAN) + figures.get("nice", 0.0)
        return [(label.lower(), key, figures)]

    def _take_process(self, number: int, line: bytes, label: str, match: re.Match[bytes], interval_s: float) -> bool:
        row = read_process(label, match["rest"], interval_s)
        if row is None:
            return False
        self._set_time(match)
        key = _key(row.command, row.pid)
        if not self._limit.keeps(key, row.busy_pct):
            self.book.skip("too_many_processes", number, line)
            return True
        table = f"{'process' if row.is_process else 'thread'}_{label.lower()}"
        self._add(number, table, key, row.figures)
        self.book.data()
        return True

    def _add(self, number: int, name: str, key: str, figures: Mapping[str, float]) -> None:
        if not figures:
            return
        attribute = "process" if name.startswith(("process_", "thread_")) else ATTRIBUTES.get(name)
        number_table = self._tables.get(name)
        if number_table is None or number_table.headings != tuple(figures):
            if number_table is not None:
                self._finished.extend(number_table.flush())
            number_table = self._tables[name] = NumberTable(name, tuple(figures), attribute)
        flagged = self._since_boot and name not in _OF_THE_MOMENT
        number_table.row(self._time_ns, number, key, tuple(figures.values()), flagged)
        self._waiting += 1

    def _give(self, at_once: bool) -> list[SampleBatch]:
        if at_once or self._waiting >= _MOST_WAITING:
            self._waiting = 0
            for table in self._tables.values():
                self._finished.extend(table.flush())
        finished, self._finished = self._finished, []
        return finished


@lru_cache(maxsize=16_384)  # counts over an interval are small, sizes of memory stay
def _number(word: bytes) -> float:
    try:
        value = float(word)
    except ValueError:
        return _NAN
    return value if abs(value) < 1e30 and b"_" not in word else _NAN


@lru_cache(maxsize=8192)
def _key(command: bytes, pid: bytes) -> str:
    return process_key(command, pid)


def _network(words: list[bytes], interval_s: float) -> list[tuple[str, str, Mapping[str, float]]]:
    name, cells = decode_text(words[0]), [_number(word) for word in words[1:]]
    if len(cells) < 4:
        return []
    if name == "upper":
        transport, network = of_layers(figures_of("upper", cells, Scale(interval_s)))
        return [("net_transport", "", transport), ("net_network", "", network)]
    return [("net", name, of_interface(figures_of("interface", cells, Scale(interval_s))))]
