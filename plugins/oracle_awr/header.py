"""Whose report it is and over which time: the tables at the top of a report of one instance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tunebench.families.oracle.dates import read_moment
from tunebench.families.oracle.header import GIB, Header
from tunebench.families.oracle.html_reports import HtmlTable
from tunebench.families.oracle.values import Numbers

from .reading import Columns, label_of


def read_database(header: Header, table: HtmlTable, numbers: Numbers) -> None:
    """The table of the database (10g, 11g: with its instance) or, from 12c, that of the instance."""
    columns = Columns(table, numbers)
    for row in list(table.rows)[:1]:
        given = {
            "name": columns.text(row, "DB Name"),
            "db_id": columns.text(row, "DB Id"),
            "unique_name": columns.text(row, "Unique Name"),
            "role": columns.text(row, "Role"),
            "edition": columns.text(row, "Edition"),
            "version": columns.text(row, "Release"),
            "instance": columns.text(row, "Instance"),
        }
        clustered = columns.text(row, "RAC").upper()
        number = numbers.whole(columns.text(row, "Inst Num"))
        stated = {name: value for name, value in given.items() if value}
        header.identity = replace(header.identity, **stated)  # type: ignore[arg-type]  # all of them are texts
        if clustered in ("YES", "NO"):
            header.identity = replace(header.identity, clustered=clustered == "YES")
        if number is not None:
            header.identity = replace(header.identity, instance_number=number)
        started = read_moment(columns.text(row, "Startup Time"))
        if started is not None:
            header.started, header.language = started.local, started.language or header.language


def read_container(header: Header, table: HtmlTable, numbers: Numbers) -> None:
    """The pluggable database that the report is confined to; several rows list what a root holds."""
    columns = Columns(table, numbers)
    for row in table.rows if len(table.rows) == 1 else ():
        name = columns.first_text(row, "Container Name", "PDB Name")
        header.identity = replace(header.identity, container=name or header.identity.container)


def read_host(header: Header, table: HtmlTable, numbers: Numbers) -> None:
    columns = Columns(table, numbers)
    for row in list(table.rows)[:1]:
        memory = columns.number(row, "Memory (GB)")
        header.identity = replace(
            header.identity,
            host=columns.text(row, "Host Name"),
            platform=columns.text(row, "Platform"),
            cpu_count=numbers.whole(columns.text(row, "CPUs")),
            core_count=numbers.whole(columns.text(row, "Cores")),
            socket_count=numbers.whole(columns.text(row, "Sockets")),
            memory_bytes=None if memory is None else memory * GIB,
        )


def read_snapshots(header: Header, table: HtmlTable, numbers: Numbers) -> None:
    """Begin and end; ``Elapsed:`` and ``DB Time:`` stand in the column of the times, in minutes."""
    columns = Columns(table, numbers)
    for row in table.rows:
        label = label_of(row).casefold()
        time = columns.text(row, "Snap Time")
        if label in ("elapsed", "db time"):
            minutes = numbers.read(_minutes(time, row.cells[1:]))
            seconds = None if minutes is None else minutes * 60
            if label == "elapsed":
                header.elapsed_s = seconds
            else:
                header.db_time_s = seconds
            continue
        moment = read_moment(time)
        snapshot = numbers.whole(columns.text(row, "Snap Id"))
        sessions = numbers.whole(columns.text(row, "Sessions"))
        local = moment.local if moment else None
        header.language = header.language or (moment.language if moment else "")
        if label == "begin snap":
            header.begin, header.begin_snapshot, header.begin_sessions = local, snapshot, sessions
        elif label == "end snap":
            header.end, header.end_snapshot, header.end_sessions = local, snapshot, sessions


def _minutes(time: str, cells: Iterable[str]) -> str:
    """``180.61 (mins)``: these rows may have fewer cells than the heading has columns."""
    text = time or next((cell for cell in cells if cell), "")
    return text.partition("(")[0].strip()
