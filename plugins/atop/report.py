"""The report of atop, of a live run or of a raw file (atop -r): `system_lines`, then `process_rows`.

    ATOP - dbtest01    2026/11/21  16:10:21    ----a------------      21m28s elapsed
    ATOP - db1 2013/05/02 15:19:09 ------ 10s elapsed                                    1.x
    PRC | sys    0.43s | user   0.33s | ...
    *** System and Process Activity since Boot ***    Unrestricted view (privileged)
        PID SYSCPU USRCPU BDELAY  VGROW  RGROW  RDDSK  WRDSK  CPU CMD

The first sample of a run covers the time since boot, and says so only below its figures. The figures of the line CPU
are those of all processors together (two processors: 200 %); they are divided by their number, which the line CPL
tells, so that they mean what other tools mean; without that line they are in a table of their own, ``cpu_sum``.
Resources that were not used are not printed: missing, not 0.
"""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache

from tunebench.families.processes import ProcessLimit, process_key
from tunebench.sdk import (
    ParseContext,
    Round,
    RoundStamp,
    StampedParser,
    body_lines,
    decode_text,
    is_plausible,
    lazy_pattern,
)

from .cells import read_seconds
from .process_rows import ListHeading, ListRow, read_heading, read_row
from .system_lines import ATTRIBUTES, SystemLine, read_line

_TITLE = lazy_pattern(
    rb"^ATOP - (?P<host>\S+?)\s*(?P<date>\d{4}/\d\d/\d\d)\s+(?P<time>[012]\d:[0-5]\d:[0-6]\d)\s*.*?"
    rb"(?P<elapsed>(?:\d+[dhms])+|\d+ sec\w*)\s+elapsed\s*$"
)
_SINCE_BOOT = lazy_pattern(rb"activity since boot", re.IGNORECASE)
_MOST_ELAPSED_S = 4e9
_LONGEST_TITLE, _LONGEST_LINE = 1000, 4000
_OF_THE_MOMENT = frozenset({"mem", "swp", "num"})
_SHARES = frozenset({"sys", "user", "irq", "idle", "wait", "steal", "guest"})
_Row = dict[str, float]


class AtopParser(StampedParser):
    """See the module."""

    tool, os = "atop", "linux"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._limit = ProcessLimit()

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = body_lines(head)
        titles = [index for index, line in enumerate(lines) if _read_title(line) is not None]
        return 0.0 if not titles else 0.97 if titles[0] < 10 else 0.6

    def other_stamp(self, line: bytes) -> RoundStamp | None:
        match = _read_title(line)
        if match is None:
            return None
        try:
            moment = datetime.strptime(f"{match['date'].decode()} {match['time'].decode()}", "%Y/%m/%d %H:%M:%S")
        except ValueError:
            return None
        if not is_plausible(moment):
            return None
        self.book.hostname = self.book.hostname or decode_text(match["host"])
        text = match["elapsed"].decode()
        seconds = read_seconds(text) if " " not in text else float(text.split()[0])
        return RoundStamp(moment, interval_s=seconds if seconds and seconds < _MOST_ELAPSED_S else None)

    def read_round(self, one: Round) -> None:
        stamp = self.round_clock.stamp
        elapsed_s = stamp.interval_s if stamp is not None else None
        since_boot = _SINCE_BOOT.search(b"\n".join([line for _, line in one.lines])) is not None
        system: dict[tuple[str, str], tuple[int, _Row]] = {}
        heading: ListHeading | None = None
        for number, line in one.lines:
            is_resource = line[3:5] == b" |" and len(line) < _LONGEST_LINE
            resource = read_line(decode_text(line), elapsed_s) if is_resource else None
            if resource is not None:
                self._take_resource(number, resource, system)
                self.book.data()
                continue
            row = read_row(heading, line, elapsed_s) if heading is not None else None
            if row is not None and heading is not None:
                self._take_process(one.time_ns, number, line, heading, row, since_boot)
                continue
            begun = read_heading(decode_text(line))
            heading = begun or heading
            if begun is not None or _SINCE_BOOT.search(line):
                self.book.header()
            else:
                self.skip_line(number, line)
        self._store(one.time_ns, system, since_boot)

    @staticmethod
    def _take_resource(number: int, resource: SystemLine, into: dict[tuple[str, str], tuple[int, _Row]]) -> None:
        _, figures = into.setdefault((resource.table, resource.key), (number, {}))
        for name, value in resource.figures.items():
            figures.setdefault(name, value)

    def _store(self, time_ns: int, system: dict[tuple[str, str], tuple[int, _Row]], since_boot: bool) -> None:
        processors = system.get(("cpl", ""), (0, {}))[1].get("numcpu")
        for (name, key), (number, printed) in sorted(system.items()):  # rows of a table follow each other
            figures = printed
            if name == "cpu" and key == "all":
                if not processors:
                    self.table("cpu_sum", tuple(figures)).row(time_ns, number, "", tuple(figures.values()), since_boot)
                    continue
                figures = {heading: _of_all(heading, value, processors) for heading, value in printed.items()}
            if not figures:
                continue
            table = self.table(name, tuple(figures), ATTRIBUTES.get(name))
            table.row(time_ns, number, key, tuple(figures.values()), since_boot and name not in _OF_THE_MOMENT)

    def _take_process(
        self, time_ns: int, number: int, line: bytes, heading: ListHeading, row: ListRow, since_boot: bool
    ) -> None:
        key = _key(row.command, row.pid)
        cpu = heading.places[2]
        if not self._limit.keeps(key, 0.0 if cpu is None else row.values[cpu]):
            self.book.skip("too_many_processes", number, line)
            return
        self.table(row.table, heading.series, "process").row(time_ns, number, key, row.values, since_boot)
        self.book.data()


@lru_cache(maxsize=8192)
def _key(command: bytes, pid: bytes) -> str:
    return process_key(command, pid) if pid else decode_text(command)


def _of_all(name: str, value: float, processors: float) -> float:
    return value / processors if name in _SHARES else value


def _read_title(line: bytes) -> re.Match[bytes] | None:
    return _TITLE.match(line.rstrip()) if line.startswith(b"ATOP - ") and len(line) < _LONGEST_TITLE else None
