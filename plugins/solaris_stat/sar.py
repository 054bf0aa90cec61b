"""Parser of Solaris sar.

    SunOS the_hostname 5.10 Generic_125100-05 sun4u    08/19/2010

    00:00:05   device        %busy   avque   r+w/s  blks/s  avwait  avserv
    00:20:03   md0               1     0.1       2       7     4.0    31.3
               sd5,a             0     0.0       0       0     0.0     0.0     rows of one time carry on without it
    00:00:05 freemem freeswap                                                  headings without any sign
    08:20:00   84/30000    0    0/129797    0  601/601     0    0/0            -v: used/size
    02:15:03  unix restarts
    Average        4       6       0      90                                  no colon

The date is always month/day/year (sar.c prints it so in every locale).
"""

from __future__ import annotations

from typing import ClassVar

from tunebench.families.sar.system_v import SystemVSarParser
from tunebench.sdk import lazy_pattern

from .sniffing import sniff_sar

_BANNER = lazy_pattern(rb"^SunOS (?P<host>\S+) (?P<release>5\.\d+) (?P<version>\S.*?)\s+(?P<date>\d\d/\d\d/\d{4})$")


class SarParser(SystemVSarParser):
    """See the module."""

    banner = _BANNER
    os = "sunos"
    tables: ClassVar = {
        "%usr": "cpu", "%busy": "device", "runq-sz": "queue", "bread/s": "buffer", "swpin/s": "swapping",
        "scall/s": "system_calls", "iget/s": "file_access", "rawch/s": "tty", "proc-sz": "kernel_tables",
        "msg/s": "messages", "atch/s": "paging", "pgout/s": "page_out", "freemem": "free_memory",
        "sml_mem": "kernel_memory",
    }  # fmt: skip
    key_words: ClassVar = {"device": "device"}
    plain_headings: ClassVar = frozenset({"freemem", "sml_mem"})

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_sar(head)
