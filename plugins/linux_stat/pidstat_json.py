"""pidstat -o JSON (sysstat 12.7.6 and later).

    {"timestamp": "12:53:20",
     "task-cpu-load": [{"UID": "0", "PID": "22", "usr": 0.12, ..., "cpu": 0.13, "cpu_nr": 1, "cmd": "fio"}, ...],
     "task-memory": [{"UID": "0", "TGID": "22", "TID": "", "minflt/s": 3.07, ..., "leader": "", "cmd": "fio"},   -t
                     {"UID": "0", "TGID": "22", "TID": "23", ..., "leader": "fio", "cmd": "worker"}], ...}

Tables, headings and names of processes are those of the text form (`pidstat`), so that both compare. -1.00 kB/s
means that the counter may not be read: missing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tunebench.sdk import SampleBatch, SeriesKey

from .sysstat_json import SysstatJsonParser, numbers_of, sniff_json

_TABLES = {
    "task-cpu-load": "cpu",
    "task-memory": "memory",
    "io": "io",
    "context-switch": "switches",
    "stack": "stack",
    "kernel": "kernel_tables",
    "realtime": "scheduling",
    "child-cpu-load": "child_cpu",
    "child-memory": "child_memory",
}
_HEADINGS = {
    "usr": "%usr",
    "system": "%system",
    "guest": "%guest",
    "wait": "%wait",
    "cpu": "%CPU",
    "cpu_nr": "CPU",
    "MEM": "%MEM",
}
_FORBIDDEN = "kB_"  # may not be read without rights: -1


class PidstatJsonParser(SysstatJsonParser):
    """JSON of pidstat."""

    tool = "pidstat"

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        names = ("task-cpu-load", "child-cpu-load", "task-memory", "child-memory", "context-switch", "realtime")
        return sniff_json(head, (*(f'"{name}":'.encode() for name in names), b'"StkSize"', b'"kB_rd/s"', b'"fd-nr"'))

    def read_element(self, number: int, element: dict[str, Any]) -> None:
        rows: dict[str, dict[SeriesKey, float]] = {}
        for name, processes in element.items():
            for one in processes if isinstance(processes, list) else ():
                table = _TABLES.get(name, name) + ("_threads" if "TGID" in one else "")
                rows.setdefault(table, {}).update(_figures(one, table))
        time_ns = self.element_time(element)
        for table, row in rows.items():
            self.table(table).row(time_ns, number, False, row)

    def close_tables(self) -> Iterable[SampleBatch]:
        if self.elements == 1:
            self.book.warn("maybe_since_boot")
        return super().close_tables()


def _figures(one: dict[str, Any], table: str) -> dict[SeriesKey, float]:
    readable = {name: value for name, value in one.items() if not (name.startswith(_FORBIDDEN) and value == -1)}
    return numbers_of(readable, lambda name: _HEADINGS.get(name, name), table, ("process", _process(one)))


def _process(one: dict[str, Any]) -> str:
    """``fio[22]``; a thread is ``fio[22]/worker[23]``."""
    if "TGID" not in one:
        return f"{one['cmd']}[{one['PID']}]"
    if not one["TID"]:
        return f"{one['cmd']}[{one['TGID']}]"
    return f"{one['leader']}[{one['TGID']}]/{one['cmd']}[{one['TID']}]"
