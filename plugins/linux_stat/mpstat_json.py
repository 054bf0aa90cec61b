"""mpstat -o JSON (sysstat 11.5 and later).

    {"timestamp": "16:10:23", "cpu-load": [{"cpu": "all", "usr": 10.91, ...}], "node-load": [...],
     "sum-interrupts": [{"cpu": "all", "intr": 2416.0}],
     "individual-interrupts": [{"cpu": "0", "intr": [{"name": "NMI", "value": 0.03}, ...]}], "soft-interrupts": [...]}

Columns get the headings of the text form. Whether a single element is an average since boot cannot be told.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tunebench.sdk import SampleBatch, SeriesKey

from .sysstat_json import SysstatJsonParser, numbers_of, sniff_json

_TOPOLOGY = {"core": "CORE", "socket": "SOCK", "node": "NODE"}
_INTERRUPTS = {"individual-interrupts": "irq", "soft-interrupts": "softirq"}


class MpstatJsonParser(SysstatJsonParser):
    """JSON of mpstat."""

    tool = "mpstat"

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_json(head, (b'"cpu-load"', b'"sum-interrupts"', b'"node-load"', b'-interrupts"'))

    def read_element(self, number: int, element: dict[str, Any]) -> None:
        rows: dict[str, dict[SeriesKey, float]] = {}
        for cpu in element.get("cpu-load", []):
            rows.setdefault("cpu", {}).update(_load(cpu, "cpu", _cpu(cpu)))
        for node in element.get("node-load", []):
            rows.setdefault("node", {}).update(_load(node, "node", f"node {node['node']}"))
        for cpu in element.get("sum-interrupts", []):
            key = SeriesKey("interrupts", "intr/s", (("cpu", _cpu(cpu)),))
            rows.setdefault("interrupts", {})[key] = float(cpu["intr"])
        for kind, table in _INTERRUPTS.items():
            for cpu in element.get(kind, []):
                for line in cpu["intr"]:
                    key = SeriesKey(table, f"{line['name']}/s", (("cpu", _cpu(cpu)),))
                    rows.setdefault(table, {})[key] = float(line["value"])
        time_ns = self.element_time(element)
        for table, values in rows.items():
            self.table(table).row(time_ns, number, False, values)

    def close_tables(self) -> Iterable[SampleBatch]:
        if self.elements == 1:
            self.book.warn("maybe_since_boot")
        return super().close_tables()


def _cpu(values: dict[str, Any]) -> str:
    return "all" if str(values["cpu"]) == "-1" else str(values["cpu"])


def _load(values: dict[str, Any], table: str, key: str) -> dict[SeriesKey, float]:
    """The percentages of one CPU or node, and with -T where it sits."""
    load = numbers_of(values, lambda name: f"%{name}", table, ("cpu", key))
    for name, heading in _TOPOLOGY.items():
        number = values.get(name)
        if table == "cpu" and isinstance(number, str) and number.isdecimal():
            load[SeriesKey(table, heading, (("cpu", key),))] = float(number)
    return load
