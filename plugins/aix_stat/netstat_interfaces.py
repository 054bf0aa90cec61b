"""Parser of `netstat -in` of AIX in a loop; see `app.families.interface_counters`."""

from __future__ import annotations

from app.families.interface_counters import InterfaceCountersParser, sniff_interfaces


class NetstatInterfacesParser(InterfaceCountersParser):
    """Each interface has a ``link#`` row above those of its addresses."""

    os = "aix"

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_interfaces(head, link_rows=True)
