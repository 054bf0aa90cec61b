"""Parser of `netstat -in` of HP-UX in a loop; see `app.families.interface_counters`."""

from __future__ import annotations

from app.families.interface_counters import InterfaceCountersParser, sniff_interfaces


class NetstatInterfacesParser(InterfaceCountersParser):
    """An interface has one row per address, and none at link level."""

    os = "hp-ux"

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_interfaces(head, link_rows=False)
