"""Parser of `netstat -in` of HP-UX in a loop; see `tunebench.families.interface_counters`."""

from __future__ import annotations

from tunebench.families.interface_counters import InterfaceCountersParser


class NetstatInterfacesParser(InterfaceCountersParser):
    """An interface has one row per address, and none at link level."""

    os = "hp-ux"
