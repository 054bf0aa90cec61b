"""Parser of HP-UX sar.

    HP-UX lasv B.11.31 U ia64    03/21/18

    00:00:01    %usr    %sys    %wio   %idle
    00:05:01      19       8      29      45
    00:00:01   device   %busy   avque   r+w/s  blks/s  avwait  avserv
    00:05:01    disk1    8.35   10.17      39     578   12.74    3.96
                disk3    2.82    0.50       8     111    0.00    4.19
    14:45:24 text-sz  ov  proc-sz  ov  inod-sz  ov  file-sz  ov
    14:50:24   N/A   N/A 340/4096  0  1677/34816 0  5823/63498 0
    12:00:00     cpu    %usr    %sys    %wio   %idle                      -M
    12:00:05       0       1       1       0      98
              system       1       0       0      99                      all of them
    Average    disk1    4.15    0.97      21     357    1.10    3.98      before each device

A time may stand alone where no device did anything. Figures of the whole machine are the row ``system``, stored
as the processor ``all``. With -P the processor set stands before the processor. The date is month/day/year.
"""

from __future__ import annotations

from typing import ClassVar

from tunebench.families.runs import text_of_head
from tunebench.families.sar.system_v import SystemVSarParser
from tunebench.sdk import lazy_pattern

from .sniffing import sniff_sar

_BANNER = lazy_pattern(rb"^HP-UX (?P<host>\S+) (?P<release>B\.\d\d\.\d\d)\b.*?\s(?P<date>\d\d/\d\d/\d{2,4})$")


class SarParser(SystemVSarParser):
    """See the module."""

    banner = _BANNER
    os = "hp-ux"
    tables: ClassVar = {
        "%usr": "cpu", "%busy": "device", "runq-sz": "queue", "bread/s": "buffer", "swpin/s": "swapping",
        "scall/s": "system_calls", "iget/s": "file_access", "rawch/s": "tty", "text-sz": "kernel_tables",
        "proc-sz": "kernel_tables", "msg/s": "messages",
    }  # fmt: skip
    key_words: ClassVar = {
        "device": "device",
        "cpu": "cpu",
        "pset": "cpu",
        "lunpath": "device",
        "hba": "device",
        "tape": "device",
    }
    whole_system = frozenset({b"system"})

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_sar(text_of_head(head))
