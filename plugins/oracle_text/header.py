"""Whose report it is and over which time: the lines before the first section."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from tunebench.families.oracle.dates import read_moment
from tunebench.families.oracle.header import GIB, Header
from tunebench.families.oracle.values import Numbers
from tunebench.sdk import lazy_pattern

from .ruler import Columns, is_ruler
from .sections import Line, Report

_SNAPSHOT = lazy_pattern(r"\s*(Begin|End) Snap:\s+([0-9]{1,18})\s+(.*)")
_TIME = lazy_pattern(r".{1,30}?[0-9]{1,2}[:.][0-9]{2}(?:[:.][0-9]{2})?(?=\s|$)")
_MINUTES = lazy_pattern(r"\s*(Elapsed|DB Time):\s+([-0-9.,\s]{1,30}?)\s*\(mins\)", re.IGNORECASE)
_HOST = lazy_pattern(
    r"Host\s+Name:\s+(\S{1,64})(?:\s+Num CPUs:\s+([0-9]{1,5}))?(?:\s+Phys Memory \(MB\):\s+([0-9.,]{1,20}))?"
)
_ANY_MOMENT = lazy_pattern(r"[0-9]{1,2}-\S{1,12}\s{0,2}-?[0-9]{2,4}\s+[0-9]{1,2}[:.][0-9]{2}")
_IDENTITY = {
    "name": ("dbname",), "db_id": ("dbid",), "unique_name": ("uniquename",), "instance": ("instance",),
    "role": ("dbrole", "role"), "edition": ("edition",), "version": ("release",), "host": ("hostname", "host"),
    "platform": ("platform",), "container": ("containername", "pdbname"),
}  # fmt: skip
_COUNTS = {
    "cpu_count": ("cpus", "numcpus"),
    "core_count": ("cores",),
    "socket_count": ("sockets",),
    "instance_number": ("instnum",),
}


def read_head(report: Report, numbers: Numbers) -> Header:
    header = Header()
    for index, (_, text) in enumerate(report.head):
        if is_ruler(text):
            heads = _above(report.head, index)
            row = report.head[index + 1][1] if index + 1 < len(report.head) else ""
            if heads and row.strip() and not _SNAPSHOT.match(row):
                _read_row(header, Columns(text, heads), row, numbers)
        _read_line(header, text, numbers)
    identity = header.identity
    if identity.db_id or header.end_snapshot is not None:
        header.identity = replace(
            identity, name=identity.name or report.db_name, instance=identity.instance or report.instance
        )
    return header


def _above(lines: Sequence[Line], index: int) -> list[str]:
    start = index
    while start and lines[start - 1][1].strip() and not is_ruler(lines[start - 1][1]):
        start -= 1
    return [text for _, text in lines[start:index]]


def _read_row(header: Header, columns: Columns, row: str, numbers: Numbers) -> None:
    cells = columns.cells(row)

    def text(*names: str) -> str:
        index = columns.place(*names)
        return "" if index is None else cells[index]

    given: dict[str, object] = {name: text(*names) for name, names in _IDENTITY.items()}
    given["host"] = given["host"] or (text("name") if columns.place("platform") is not None else "")
    given |= {name: numbers.whole(text(*names)) for name, names in _COUNTS.items()}
    memory = numbers.read(text("memory(gb)", "memory(g)"))
    given["memory_bytes"] = None if memory is None else memory * GIB
    clustered = text("rac", "cluster").upper()
    given["clustered"] = clustered == "YES" if clustered in ("YES", "NO") else None
    stated = {name: value for name, value in given.items() if value not in ("", None)}
    header.identity = replace(header.identity, **stated)  # type: ignore[arg-type]  # each of the type of its field
    started = text("startuptime")
    moment = read_moment(started) if started else None
    if moment is None and columns.place("startuptime") is not None:
        loose = _ANY_MOMENT.search(row)
        moment = read_moment(loose[0]) if loose else None
    if moment is not None:
        header.started, header.language = moment.local, moment.language or header.language


def _read_line(header: Header, text: str, numbers: Numbers) -> None:
    minutes = _MINUTES.match(text)
    if minutes is not None:
        value = numbers.read(minutes[2])
        seconds = None if value is None else value * 60
        if minutes[1].casefold() == "elapsed":
            header.elapsed_s = seconds
        else:
            header.db_time_s = seconds
    host = _HOST.search(text)
    if host is not None:
        memory = numbers.read(host[3] or "")
        header.identity = replace(
            header.identity,
            host=host[1],
            cpu_count=int(host[2]) if host[2] else None,
            memory_bytes=None if memory is None else memory * GIB / 1024,
        )
    snapshot = _SNAPSHOT.match(text)
    if snapshot is not None:
        _read_snapshot(header, snapshot, numbers)


def _read_snapshot(header: Header, match: re.Match[str], numbers: Numbers) -> None:
    """Names of months are of any width, so that it is not the ruler that says where the time ends."""
    time = _TIME.match(match[3])
    moment = read_moment(time[0]) if time else None
    words = match[3][time.end() :].split() if time else []
    sessions = numbers.whole(words[0]) if words else None
    local = moment.local if moment else None
    header.language = header.language or (moment.language if moment else "")
    if match[1] == "Begin":
        header.begin, header.begin_snapshot, header.begin_sessions = local, int(match[2]), sessions
    else:
        header.end, header.end_snapshot, header.end_sessions = local, int(match[2]), sessions
