"""Tells the Solaris tools' text from their namesakes' on other systems and from each other's."""

from __future__ import annotations

import re

from tunebench.families.confidence import of_match
from tunebench.families.runs import text_of_head
from tunebench.sdk import lazy_pattern

_OTHER_BANNER = lazy_pattern(rb"^[ \t]*(?:Linux \S+ +\(|AIX \S+ |HP-UX \S+ |System configuration:)", re.MULTILINE)
_EXTENDED = lazy_pattern(
    rb"^[ \t]*(?:(?:device|disk)[ \t,]+r/[si][ \t,].*\bactv\b.*\bsvc_t\b"
    rb"|r/[si][ \t,].*\bactv\b.*\basvc_t\b.*\bdevice\b)",
    re.MULTILINE,
)
_PLAIN = lazy_pattern(
    rb"^[ \t]*(?:tin[ \t]+tout[ \t]+)?(?:[kr]ps[ \t]+[tw]ps[ \t]+(?:serv|util)\b|us[ \t]+sy[ \t]+wt[ \t]+id\b)",
    re.MULTILINE,
)
_VMSTAT = lazy_pattern(
    rb"^[ \t]*(?:r[ \t]+b[ \t]+w[ \t]+swap[ \t]+free[ \t]+(?:re[ \t]+mf|si[ \t]+so)[ \t]+pi"
    rb"|swap[ \t]+free[ \t]+re[ \t]+mf[ \t]+fr[ \t]+de[ \t]+sr[ \t]+epi)\b",
    re.MULTILINE,
)
_COUNTERS = lazy_pattern(
    rb"^[ \t]*\d+ (?:swap ins|pages swapped in|total address trans\. faults taken|total name lookups \(cache hits)",
    re.MULTILINE,
)
_MPSTAT = lazy_pattern(rb"^[ \t]*(?:CPU|SET|COR|SOC)[ \t]+minf[ \t]+mjf[ \t]+xcal\b", re.MULTILINE)
_PRSTAT = lazy_pattern(
    rb"^[ \t]*(?:PID[ \t]+USERNAME[ \t]+(?:SIZE[ \t]+RSS[ \t]+STATE[ \t]+PRI|USR[ \t]+SYS[ \t]+TRP)\b.*PROCESS/"
    rb"|(?:NPROC|NLWP)[ \t]+USERNAME[ \t]+(?:SWAP|SIZE)[ \t]+RSS[ \t]+MEMORY|ZONEID[ \t]+N(?:PROC|LWP)[ \t]+S)",
    re.MULTILINE,
)
_KSTAT = lazy_pattern(rb"^[A-Za-z_][\w.-]*:\d+:[^:\t\n]{1,63}:[^\t\n]{1,63}\t", re.MULTILINE)
_KSTAT_LONG = lazy_pattern(
    rb"^module:[ \t]+\S+[ \t]+instance:[ \t]+\d+[ \t]*\r?\nname:[ \t]+\S.*[ \t]class:[ \t]", re.MULTILINE
)
_SAR_BANNER = lazy_pattern(rb"^SunOS \S+ 5\.\d+ .*\d\d/\d\d/\d{4}[ \t\r]*$", re.MULTILINE)
_SAR_HEADING = lazy_pattern(
    rb"^\d\d:\d\d:\d\d[ \t]+(?:%usr[ \t]+%sys|device[ \t]+%busy|runq-sz[ \t]+%runocc|bread/s[ \t]+lread/s"
    rb"|swpin/s[ \t]+bswin/s|scall/s[ \t]+sread/s|iget/s[ \t]+namei/s|rawch/s[ \t]+canch/s|proc-sz[ \t]+ov"
    rb"|msg/s[ \t]+sema/s|atch/s[ \t]+pgin/s|pgout/s[ \t]+ppgout/s|freemem[ \t]+freeswap|sml_mem[ \t]+alloc)",
    re.MULTILINE,
)
_HEAD_OF_TEXT = 4096


def _sniff(pattern: re.Pattern[bytes], head: bytes) -> float:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = head.decode("utf-16", "replace").encode()
    if b"\0" in head[:_HEAD_OF_TEXT] or _OTHER_BANNER.search(head):
        return 0.0
    match = pattern.search(head)
    return of_match(match, 6) if match else 0.0


def sniff_iostat(head: bytes) -> float:
    return max(_sniff(_EXTENDED, head), _sniff(_PLAIN, head))


def sniff_vmstat(head: bytes) -> float:
    return _sniff(_VMSTAT, head)


def sniff_vmstat_counters(head: bytes) -> float:
    return _sniff(_COUNTERS, head) if len(_COUNTERS.findall(head)) > 1 else 0.0


def sniff_sar(head: bytes) -> float:
    """HP-UX and AIX print the same headings below their own banners."""
    certain = _sniff(_SAR_HEADING, head)
    return certain if _SAR_BANNER.search(head) else min(certain, 0.3)


def sniff_mpstat(head: bytes) -> float:
    return _sniff(_MPSTAT, head)


def sniff_prstat(head: bytes) -> float:
    return _sniff(_PRSTAT, head)


def sniff_kstat(head: bytes) -> float:
    short = _sniff(_KSTAT, head) if len(_KSTAT.findall(text_of_head(head)[:_HEAD_OF_TEXT])) > 2 else 0.0
    return max(short, _sniff(_KSTAT_LONG, head))
