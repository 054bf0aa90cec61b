"""Tells the AIX tools' text from their namesakes' on other systems and from each other's."""

from __future__ import annotations

import re

from tunebench.families.confidence import CERTAIN, confidence
from tunebench.sdk import lazy_pattern

_VMSTAT = lazy_pattern(
    rb"^[ \t]*(?:r[ \t]+b[ \t]+(?:p[ \t]+(?:w[ \t]+)?)?avm[ \t]+fre[ \t]+(?:re|fi|csz|pi)\b"
    rb"|psz[ \t]+avm[ \t]+fre\b)",
    re.MULTILINE,
)
_COUNTERS = lazy_pattern(
    rb"^[ \t]*\d+(?:\.\d+)? (?:paging space page (?:ins|outs)|total address trans\. faults|lruable pages|"
    rb"backtracks|extend XPT waits|start I/Os|iodones|maxpin percentage|(?:num|max|min)(?:perm|client) percentage|"
    rb"pending disk I/Os blocked with no pbuf|zero filled pages faults|executable filled pages faults)[ \t]*$",
    re.MULTILINE,
)
_IOSTAT = lazy_pattern(
    rb"^[ \t]*(?:tty:[ \t]+tin[ \t]+tout"
    rb"|(?:Disks|Tapes|FS Name|Paths?(?:/Disks?)?):[ \t]+% ?tm_act[ \t]+Kbps[ \t]+tps"
    rb"|(?:Vadapter|Adapter):[ \t]+Kbps[ \t]+tps|Kbps[ \t]+tps[ \t]+Kb_read[ \t]+Kb_wrtn)",
    re.MULTILINE,
)
_EXTENDED = lazy_pattern(
    rb"^(?:\S+[ \t]+xfers?:[ \t]+(?:%tm_act[ \t]+bps|Kbps)[ \t]+tps[ \t]"
    rb"|[ \t]*(?:%tm[ \t]+bps|Kbps)[ \t]+tps[ \t]+(?:bread[ \t]+bwrtn|bkread[ \t]+bkwrtn)\b)",
    re.MULTILINE,
)
_LPARSTAT = lazy_pattern(rb"^[ \t]*(?:%user[ \t]+%sys[ \t]+%wait[ \t]+%idle|physb[ \t]+hpi[ \t]+hpit)\b", re.MULTILINE)
_LPARSTAT_I = lazy_pattern(
    rb"^[ \t]*(?:Partition Name|Entitled Capacity|Online Virtual CPUs|Partition Number|Shared Pool ID) +: ",
    re.MULTILINE,
)
_MPSTAT = lazy_pattern(
    rb"^[ \t]*cpu[ \t]+"
    rb"(?:min[ \t]+maj[ \t]+mpc|cs[ \t]+ics[ \t]+bound|mpcs[ \t]+mpcr[ \t]+dev|pc[ \t]+ilcs[ \t]+vlcs)\b"
    rb"|^[ \t]*Proc\d+(?:[ \t]+Proc\d+)*[ \t]*$",
    re.MULTILINE,
)
_SAR_BANNER = lazy_pattern(rb"^AIX \S+ \d+ \d+ [0-9A-F]{8,16}[ \t]+\d\d/\d\d/\d\d", re.MULTILINE)
_SAR_HEADING = lazy_pattern(rb"^\d\d:\d\d:\d\d[ \t]+(?:[%A-Za-z][\w%/+.-]*[ \t]*){1,40}$", re.MULTILINE)
_SAR_AIX_HEADING = lazy_pattern(
    rb"^\d\d:\d\d:\d\d[ \t]+(?:(?:cpu[ \t]+)?%usr[ \t]+%sys[ \t]+%wio[ \t]+%idle[ \t]+physc|iget/s[ \t]+lookuppn/s"
    rb"|slots[ \t]+cycle/s|ksched/s|device[ \t]+%busy[ \t]+avque[ \t]+r\+w/s[ \t]+Kbs/s)",
    re.MULTILINE,
)
_OTHER_BANNER = lazy_pattern(rb"^(?:Linux \S+ +\(|HP-UX \S+ |SunOS \S+ )", re.MULTILINE)


def _sniff(pattern: re.Pattern[bytes], head: bytes, times: int = 1) -> float:
    return confidence(pattern, head, _OTHER_BANNER, times)


def sniff_vmstat(head: bytes) -> float:
    return _sniff(_VMSTAT, head)


def sniff_counters(head: bytes) -> float:
    return _sniff(_COUNTERS, head, times=3)


def sniff_iostat(head: bytes) -> float:
    return 0.0 if _EXTENDED.search(head) else _sniff(_IOSTAT, head)


def sniff_iostat_extended(head: bytes) -> float:
    return _sniff(_EXTENDED, head)


def sniff_lparstat(head: bytes) -> float:
    return max(_sniff(_LPARSTAT, head), _sniff(_LPARSTAT_I, head, times=3))


def sniff_mpstat(head: bytes) -> float:
    return _sniff(_MPSTAT, head)


def sniff_sar(head: bytes) -> float:
    """Without the banner only headings that no other System V sar has are sure."""
    if _SAR_BANNER.search(head) and _SAR_HEADING.search(head):
        return CERTAIN
    return min(_sniff(_SAR_AIX_HEADING, head), 0.8)
