"""iostat -o JSON (sysstat 11.5 and later).

    {"timestamp": "11/21/26 16:10:13", "avg-cpu": {"user": 37.46, ...},
     "disk": [{"disk_device": "vda", "r/s": 169.79, ..., "rrqm": 12.83, "util": 2.66}]}

Columns get the headings of the text form (``%util``, ``%rrqm``, ``%user``), so that both compare. The first
element of a document is an average since boot (the JSON does not show -y).
"""

from __future__ import annotations

from typing import Any

from .sysstat_json import SysstatJsonParser, numbers_of, sniff_json

_PERCENT = frozenset({"rrqm", "wrqm", "drqm", "util"})


class IostatJsonParser(SysstatJsonParser):
    """JSON of iostat."""

    tool = "iostat"

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_json(head, (b'"avg-cpu"', b'"disk_device"'))

    def read_element(self, number: int, element: dict[str, Any]) -> None:
        since_boot = self.elements == 0
        cpu = numbers_of(element.get("avg-cpu", {}), lambda name: f"%{name}", "cpu")
        disks = {
            key: value
            for disk in element.get("disk", [])
            for key, value in numbers_of(disk, _heading, "device", ("device", str(disk["disk_device"]).strip())).items()
        }
        time_ns = self.element_time(element)
        if cpu:
            self.table("cpu").row(time_ns, number, since_boot, cpu)
        if disks:
            self.table("device").row(time_ns, number, since_boot, disks)
        self.book.variant = "-x JSON" if any(key.native == "%util" for key in disks) else "JSON"


def _heading(name: str) -> str:
    return f"%{name}" if name in _PERCENT else name
