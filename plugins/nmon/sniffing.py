"""Tells nmon files and njmon documents from everything else."""

from __future__ import annotations

from tunebench.sdk import lazy_pattern

_GENERAL = lazy_pattern(
    rb"^AAA,(?:progname|command|version|build|host|user|AIX|OS|runname|interval|snapshots|date|time)\b"
)
_SNAPSHOT = lazy_pattern(rb"^ZZZZ,T\d+,")
_ROW = lazy_pattern(rb"^[A-Z][A-Z0-9_]{1,30},(?:T\d{4,},|\d{3,},)")
_MOST_LINES = 400
_NJMON = (
    b'"njmon_version"',
    b'"njmon_command"',
    b'"njmon_mode"',
    b'"snapshot_maxloops"',
    b'"snapshot_loop"',
    b'"nimon_version"',
)


def sniff_nmon(head: bytes) -> float:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = head.decode("utf-16", "replace").encode()
    lines = [line for line in head.removeprefix(b"\xef\xbb\xbf").splitlines()[:_MOST_LINES] if line.strip()]
    general = sum(_GENERAL.match(line) is not None for line in lines)
    snapshots = sum(_SNAPSHOT.match(line) is not None for line in lines)
    rows = sum(_ROW.match(line) is not None for line in lines)
    if general >= 3 and general + snapshots + rows > 0.3 * len(lines):
        return 0.97
    if rows > 0.6 * len(lines) and (snapshots or rows >= 5):  # a part of a file: no AAA
        return 0.9 if snapshots else 0.7
    return 0.0


def sniff_njmon(head: bytes) -> float:
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"["):
        return 0.0
    marks = sum(mark in head for mark in _NJMON)
    if marks >= 2:
        return 0.97
    return 0.85 if marks and b'"timestamp"' in head and b'"datetime"' in head else 0.0
