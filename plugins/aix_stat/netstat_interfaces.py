"""Parser of `netstat -in` of AIX in a loop; see `tunebench.families.interface_counters`."""

from __future__ import annotations

from tunebench.families.interface_counters import InterfaceCountersParser


class NetstatInterfacesParser(InterfaceCountersParser):
    """Each interface has a ``link#`` row above those of its addresses."""

    os = "aix"
    link_rows = True
