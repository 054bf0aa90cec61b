"""Tells the forms of `sadf` from each other, from their siblings' JSON and from other people's tables."""

from __future__ import annotations

import codecs
import re

from tunebench.sdk import lazy_pattern

_XML = lazy_pattern(rb"<sysstat\b[\s\S]{0,600}?<(?:sysdata-version|host)\b")


def _plain(head: bytes) -> bytes:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return head.decode("utf-16", "replace").encode()
    return head.removeprefix(codecs.BOM_UTF8)


def sniff_json(head: bytes) -> float:
    """iostat and mpstat print ``sysstat`` and ``hosts`` too, but their stamp is no object and no file has a date."""
    head = _plain(head)
    if b'"sysstat"' not in head[:4096] or b'"hosts"' not in head:
        return 0.0
    if b'"file-date"' not in head and b'"sysdata-version"' not in head:
        return 0.0
    return 0.97


def sniff_xml(head: bytes) -> float:
    return 0.97 if _XML.search(_plain(head)[:8192]) else 0.0


_HEADING = lazy_pattern(rb"^#\s*hostname;interval;timestamp;\S", re.MULTILINE)
_EVENT = lazy_pattern(rb"^[^;\s]+;-1;[^;\n]+;LINUX-RESTART\b", re.MULTILINE)
_VALUE = lazy_pattern(
    rb"^[^\t\n]+\t-?\d+\t(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?: [A-Z+-]\S*)?|\d{9,10})\t"
    rb"(?:[^\t\n]+\t[^\t\n]+\t[^\t\n]*|LINUX-RESTART\b.*|COM\b.*)\r?$",
    re.MULTILINE,
)
_INTERVAL_CELL = lazy_pattern(rb"\t-?\d+\t")
_RAW = lazy_pattern(rb"^\d\d:\d\d:\d\d(?: [A-Z]{2,5})?; [^;\n]+; ", re.MULTILINE)


def sniff_delimited(head: bytes) -> float:
    """The heading is sadf's own; rows alone (a piece of a file) cannot be read."""
    head = _plain(head)
    if b";" not in head:
        return 0.0
    if _HEADING.search(head):
        return 0.98
    return 0.6 if _EVENT.search(head) else 0.0


def sniff_per_value(head: bytes) -> float:
    head = _plain(head)
    if _INTERVAL_CELL.search(head) is None:  # most texts are told by this, and in a tenth of the time
        return 0.0
    rows = len(_VALUE.findall(head))
    lines = head.count(b"\n") or 1
    return 0.0 if not rows else 0.9 if rows >= 0.5 * min(lines, 100) else 0.2


def sniff_raw(head: bytes) -> float:
    head = _plain(head)
    if b"; " not in head:
        return 0.0
    rows = len(_RAW.findall(head))
    lines = head.count(b"\n") or 1
    return 0.0 if not rows else 0.9 if rows >= 0.5 * min(lines, 100) else 0.2
