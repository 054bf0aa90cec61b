"""Tells sar's text from that of its siblings, which print the same banner."""

from __future__ import annotations

import re

from tunebench.sdk import lazy_pattern

from .headings import read_heading
from .stamps import find_stamp_form

_BANNER = lazy_pattern(rb"^[ \t]*Linux \S+\s+\(.*\)\s.*\d", re.MULTILINE)
_OTHER_SYSTEM = lazy_pattern(rb"^[ \t]*(?:SunOS|AIX|HP-UX) ", re.MULTILINE)
_NOT_AVAILABLE = b"Requested activities not available"
_SIBLINGS = frozenset({"UID", "USER", "PID", "TGID", "NODE", "Device", "Device:", "avg-cpu:"})
_MOST_LINES = 200


def sniff_sar(head: bytes) -> float:
    """1 is certain; a banner alone says nothing, the headings below it decide."""
    if b"\0" in head[:4096] and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return 0.0
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = head.decode("utf-16", "replace").encode()
    if _OTHER_SYSTEM.search(head):
        return 0.0
    headings = 0
    for line in head.removeprefix(b"\xef\xbb\xbf").splitlines()[:_MOST_LINES]:
        verdict = _verdict(line.strip())
        if verdict < 0:
            return 0.0
        headings += verdict
    banner = _BANNER.search(head) is not None
    if headings:
        return 0.95 if banner else 0.8
    if _NOT_AVAILABLE in head:
        return 0.6
    return 0.5 if banner and b"LINUX RESTART" in head else 0.0


def _verdict(line: bytes) -> int:
    """1 for a heading of sar, -1 for one of a sibling (mpstat, pidstat, iostat), 0 for anything else."""
    form = find_stamp_form(line)
    try:
        words = (line[form.width :] if form else line).decode("ascii").split()
    except UnicodeDecodeError:
        return 0
    if _SIBLINGS.intersection(words[:2]):
        return -1
    heading = read_heading(words) if form else None
    if heading is None or heading.columns < 1:
        return 0
    if _is_mpstat(words):
        return -1
    return int(heading.is_known and not (form is not None and form.epoch))


def _is_mpstat(words: list[str]) -> bool:
    """mpstat's CPU table has %irq before %steal (sar: after it), or ends in intr/s."""
    if words[0] != "CPU":
        return False
    if "intr/s" in words:
        return True
    return "%irq" in words and ("%steal" not in words or words.index("%irq") < words.index("%steal"))
