"""Waits, files and tables of the performance schema."""

from __future__ import annotations

from collections.abc import Iterator

from tunebench.families.views.cells import number
from tunebench.families.views.dump import Dump, View
from tunebench.sdk.databases import FigureTable, TableRows

from .cells import Row, seconds, size_bytes
from .views import FILES, SYS_FILES, TABLES, WAITS

_OF_TABLES = ("wait/io/table/", "wait/lock/table/")
"""Sums over the tables that are known at the moment: a change of a table's definition (a new index) takes away what the
table had. They hold the waits for files inside of them as well. `segment_table` has them table by table."""
_DEPTH = 3  # ``wait/io/file``: how much of an instrument's name is its class
_TABLE_COUNTS = ("count_read", "count_write", "count_fetch", "count_insert", "count_update", "count_delete")
_TABLE_TIMES = {"sum_timer_wait": "wait_s", "sum_timer_read": "read_wait_s", "sum_timer_write": "write_wait_s"}


def rows_of(view: View | None) -> Iterator[tuple[int, Row]]:
    return iter(()) if view is None else zip(view.lines, view.records(), strict=True)


def wait_class_of(event: str) -> str:
    """``io/file`` of ``wait/io/file/innodb/innodb_data_file``."""
    parts = event.split("/")
    return "/".join(parts[1:_DEPTH]) if parts[0] == "wait" and len(parts) > 1 else parts[0]


def wait_event_table(dump: Dump) -> FigureTable:
    """Instruments that nobody waited for are left out: they would be thousands."""
    rows = TableRows("wait_event")
    for line, row in rows_of(dump.view(WAITS)):
        waits = number(row["count_star"])
        if waits and not row["event_name"].startswith(_OF_TABLES):
            texts = {"event": row["event_name"], "wait_class": wait_class_of(row["event_name"])}
            time_s, longest_s = _timed(row, "sum_timer_wait"), _timed(row, "max_timer_wait")
            rows.add(line, texts, {"waits": waits, "time_s": time_s, "longest_s": longest_s})
    return rows.close()


def _timed(row: Row, column: str) -> float | None:
    """Seconds; None where the instrument counts without timing: waits that all took no time."""
    return seconds(row.get(column)) or None


def wait_class_table(events: FigureTable) -> FigureTable:
    """Sums of the events of a class."""
    rows = TableRows("wait_class")
    sums: dict[str, list[float]] = {}
    lines: dict[str, int] = {}
    figures = (events.figure("waits").tolist(), events.figure("time_s").tolist())
    for index, (name, waits, time_s) in enumerate(zip(events.text("wait_class"), *figures, strict=True)):
        entry = sums.setdefault(name, [0.0, 0.0])
        lines.setdefault(name, int(events.lines[index]))
        entry[0] += waits
        entry[1] += time_s if time_s == time_s else 0.0
    for name, (waits, time_s) in sums.items():
        rows.add(lines[name], {"wait_class": name}, {"waits": waits, "time_s": time_s or None})
    return rows.close()


def io_table(dump: Dump) -> FigureTable:
    rows = TableRows("io")
    for line, row in rows_of(dump.view(FILES)):
        texts = {"kind": "file", "name": row["event_name"].removeprefix("wait/io/file/"), "file": row["file_name"]}
        rows.add(
            line,
            texts,
            {
                "reads": number(row.get("count_read")),
                "read_time_s": seconds(row.get("sum_timer_read")),
                "read_bytes": number(row.get("sum_number_of_bytes_read")),
                "writes": number(row.get("count_write")),
                "write_time_s": seconds(row.get("sum_timer_write")),
                "write_bytes": number(row.get("sum_number_of_bytes_write")),
            },
        )
    for line, row in rows_of(dump.view(SYS_FILES)) if dump.view(FILES) is None else ():
        rows.add(
            line,
            {"kind": "file", "file": row["file"]},
            {
                "reads": number(row.get("count_read")),
                "read_bytes": size_bytes(row.get("total_read")),
                "writes": number(row.get("count_write")),
                "write_bytes": size_bytes(row.get("total_written")),
            },
        )
    return rows.close()


def segment_table(dump: Dump) -> FigureTable:
    """Rows fetched and changed per table, and the time it took; tables that nobody touched are left out."""
    rows = TableRows("segment")
    for line, row in rows_of(dump.view(TABLES)):
        if not number(row.get("count_star")):
            continue
        texts = {"owner": row.get("object_schema", ""), "name": row["object_name"], "kind": row.get("object_type", "")}
        for column in _TABLE_COUNTS:
            value = number(row.get(column))
            if value is not None:
                rows.add(line, {**texts, "statistic": column}, {"value": value})
        for column, statistic in _TABLE_TIMES.items():
            value = seconds(row.get(column))
            if value is not None:
                rows.add(line, {**texts, "statistic": statistic}, {"value": value})
    return rows.close()
