"""Tells the HP-UX tools' text from their namesakes' on other systems."""

from __future__ import annotations

import re

from tunebench.families.confidence import CERTAIN, confidence
from tunebench.sdk import lazy_pattern

_VMSTAT = lazy_pattern(
    rb"^[ \t]*(?:r[ \t]+b[ \t]+w[ \t]+)?avm[ \t]+free[ \t]+(?:re[ \t]+at|si[ \t]+so)"
    rb"[ \t]+pi[ \t]+po[ \t]+fr[ \t]+de[ \t]+sr\b",
    re.MULTILINE,
)
_COUNTERS = lazy_pattern(
    rb"^[ \t]*\d+ (?:intransit blocking page faults|executable fill pages created"
    rb"|(?:swap|inode) text pages found in free list"
    rb"|zero fill pages created|pages scanned for page out|total page reclaims)[ \t]*$",
    re.MULTILINE,
)
_IOSTAT = lazy_pattern(rb"^[ \t]*(?:device|lunpath)[ \t]+bps[ \t]+sps[ \t]+msps[ \t]*$", re.MULTILINE)
_SAR_BANNER = lazy_pattern(rb"^HP-UX \S+ B\.\d\d\.\d\d .*\d\d/\d\d/\d\d", re.MULTILINE)
_SAR_HEADING = lazy_pattern(rb"^\d\d:\d\d:\d\d[ \t]+(?:[%A-Za-z][\w%/+.-]*[ \t]*){1,40}$", re.MULTILINE)
_SWAPINFO = lazy_pattern(rb"^TYPE[ \t]+AVAIL[ \t]+USED[ \t]+FREE[ \t]+USED\b", re.MULTILINE)
_OTHER_BANNER = lazy_pattern(rb"^(?:Linux \S+ +\(|AIX \S+ |SunOS \S+ |System configuration:)", re.MULTILINE)


def _sniff(pattern: re.Pattern[bytes], head: bytes, times: int = 1) -> float:
    return confidence(pattern, head, _OTHER_BANNER, times)


def sniff_vmstat(head: bytes) -> float:
    return _sniff(_VMSTAT, head)


def sniff_counters(head: bytes) -> float:
    """Surer than any other: Solaris prints some of the same lines, but none of these."""
    return 0.97 if _sniff(_COUNTERS, head, times=2) else 0.0


def sniff_iostat(head: bytes) -> float:
    return _sniff(_IOSTAT, head)


def sniff_swapinfo(head: bytes) -> float:
    return _sniff(_SWAPINFO, head)


def sniff_sar(head: bytes) -> float:
    """Its headings are those of other System V sars: only the banner is sure."""
    return CERTAIN if _SAR_BANNER.search(head) and _SAR_HEADING.search(head) else 0.0
