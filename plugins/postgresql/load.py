"""Totals of the whole server: pg_stat_database, pg_stat_bgwriter, pg_stat_checkpointer, pg_stat_wal and pg_stat_io."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tunebench.families.views.cells import number
from tunebench.families.views.dump import Dump, View
from tunebench.sdk.databases import FigureTable, TableRows

from .cells import Row, numbers, seconds, total
from .views import Settings, measured

DEFAULT_BLOCK_BYTES = 8192.0

# name of `load`, columns of pg_stat_database that are added up, unit
_DATABASE_LOAD: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("db_time", ("active_time",), "ms"),
    ("transactions", ("xact_commit", "xact_rollback"), "1"),
    ("commits", ("xact_commit",), "1"),
    ("rollbacks", ("xact_rollback",), "1"),
    ("logical_reads", ("blks_hit", "blks_read"), "{block}"),
    ("physical_reads", ("blks_read",), "{block}"),
    ("rows_read", ("tup_returned",), "{row}"),
    ("rows_changed", ("tup_inserted", "tup_updated", "tup_deleted"), "{row}"),
    ("temp_files", ("temp_files",), "1"),
    ("temp_bytes", ("temp_bytes",), "By"),
    ("deadlocks", ("deadlocks",), "1"),
    ("logons", ("sessions",), "1"),
)
_TIMES = frozenset(
    {
        "blk_read_time",
        "blk_write_time",
        "session_time",
        "active_time",
        "idle_in_transaction_time",
        "write_time",
        "sync_time",
        "checkpoint_write_time",
        "checkpoint_sync_time",
        "wal_write_time",
        "wal_sync_time",
    }
)
_UNITS = {"temp_bytes": "By", "wal_bytes": "By"}
_NOT_COUNTED = frozenset({"datid", "datname", "numbackends", "checksum_last_failure", "stats_reset"})
_WRITTEN = (  # buffers that anybody wrote; none of them covers another
    ("pg_stat_bgwriter", ("buffers_checkpoint", "buffers_clean", "buffers_backend")),  # -16; 17- without the others
    ("pg_stat_checkpointer", ("buffers_written",)),
)


def load_table(dump: Dump) -> FigureTable:
    rows = TableRows("load")
    databases = dump.view("pg_stat_database")
    if databases is not None:
        for name, columns, unit in _DATABASE_LOAD:
            value = _sum_of(databases, columns)
            if value is not None:
                in_seconds = unit == "ms"
                texts = {"name": name, "native": " + ".join(columns), "unit": "s" if in_seconds else unit}
                rows.add(databases.lines[0], texts, {"total": value / 1000 if in_seconds else value})
    wal = dump.view("pg_stat_wal")
    if wal is not None and wal.rows:
        texts = {"name": "wal_bytes", "native": "wal_bytes", "unit": "By"}
        rows.add(wal.lines[0], texts, {"total": _sum_of(wal, ("wal_bytes",))})
    _add_writes(rows, dump)
    return rows.close()


def _sum_of(view: View, columns: Sequence[str]) -> float | None:
    """The sum over these columns; None unless every one is there, for half a sum is none."""
    sums = [total(*(number(cell) for cell in view.column(name) or ())) for name in columns]
    return None if None in sums else total(*sums)


def _add_writes(rows: TableRows, dump: Dump) -> None:
    io = dump.view("pg_stat_io")
    if io is not None and io.rows:
        written = [_io_blocks(row, "write") for row in io.records() if row.get("object") != "wal"]
        texts = {"name": "physical_writes", "native": "pg_stat_io writes", "unit": "{block}"}
        rows.add(io.lines[0], texts, {"total": total(*written)})
        return
    parts = [(view, columns) for name, columns in _WRITTEN if (view := dump.view(name)) is not None and view.rows]
    sums = [_sum_of(view, columns) for view, columns in parts]
    if sums and None not in sums:
        texts = {
            "name": "physical_writes",
            "native": " + ".join(c for _, columns in parts for c in columns),
            "unit": "{block}",
        }
        rows.add(parts[0][0].lines[0], texts, {"total": total(*sums)})


def time_model_table(dump: Dump) -> FigureTable:
    """What sessions spent in statements; PostgreSQL tells it from version 14 on."""
    rows = TableRows("time_model")
    databases = dump.view("pg_stat_database")
    active_ms = _sum_of(databases, ("active_time",)) if databases is not None else None
    if databases is not None and active_ms is not None:
        rows.add(databases.lines[0], {"name": "db_time"}, {"time_s": active_ms / 1000})
    return rows.close()


def wait_class_table(dump: Dump, settings: Settings) -> FigureTable:
    """Reading and writing of data files, where it was timed."""
    rows = TableRows("wait_class")
    databases = dump.view("pg_stat_database")
    if databases is not None:
        cells = [cell for name in ("blk_read_time", "blk_write_time") for cell in databases.column(name) or ()]
        if cells and measured(numbers(cells), settings.is_off("track_io_timing")):
            rows.add(databases.lines[0], {"wait_class": "IO"}, {"time_s": total(*map(seconds, cells))})
    return rows.close()


def activity_table(dump: Dump, settings: Settings) -> FigureTable:
    """Every counter as it is printed, by database or view."""
    rows = TableRows("activity")
    timed = settings.is_off("track_io_timing") is not True
    for line, row in _rows_of(dump.view("pg_stat_database")):
        _add_counters(rows, line, database_scope(row), row, timed)
    for name in ("pg_stat_bgwriter", "pg_stat_checkpointer", "pg_stat_wal"):
        view = dump.view(name)
        wal_timed = settings.is_off("track_wal_io_timing") is not True
        for line, row in _rows_of(view):
            _add_counters(rows, line, name, row, wal_timed)
    _add_io_counters(rows, dump.view("pg_stat_io"))
    return rows.close()


def database_scope(row: Row) -> str:
    """The scope of a database's figures, named as in the facts of resets."""
    return f"pg_stat_database {row.get('datname') or 'shared objects'}"


def _rows_of(view: View | None) -> Iterable[tuple[int, Row]]:
    return () if view is None else zip(view.lines, view.records(), strict=True)


def _add_counters(rows: TableRows, line: int, scope: str, row: Row, timed: bool) -> None:
    for name, cell in row.items():
        value = None if name in _NOT_COUNTED or not timed and _is_io_time(name) else number(cell)
        if value is not None:
            unit = "ms" if name in _TIMES else _UNITS.get(name, "1")
            rows.add(line, {"scope": scope, "name": name, "unit": unit}, {"total": value})


def _is_io_time(name: str) -> bool:
    return name in ("blk_read_time", "blk_write_time", "wal_write_time", "wal_sync_time")


def _add_io_counters(rows: TableRows, view: View | None) -> None:
    """What table `io` has no column for."""
    for line, row in _rows_of(view):
        user = f"{row['backend_type']} {row['object']} {row['context']}"
        for name in ("extends", "evictions", "reuses", "writebacks", "fsyncs"):
            value = number(row.get(name))
            if value is not None:
                rows.add(line, {"scope": "pg_stat_io", "name": f"{user} {name}", "unit": "1"}, {"total": value})


def io_rows(dump: Dump, settings: Settings) -> Iterator[tuple[int, dict[str, str], dict[str, float | None]]]:
    """Rows of table `io` out of pg_stat_io."""
    block_bytes = number(settings.values.get("block_size", "")) or DEFAULT_BLOCK_BYTES
    for line, row in _rows_of(dump.view("pg_stat_io")):
        wal = row["object"] == "wal"
        timed = settings.is_off("track_wal_io_timing" if wal else "track_io_timing") is not True
        read, hits = _io_blocks(row, "read", block_bytes), number(row.get("hits"))
        texts = {"kind": "backend", "name": row["backend_type"], "file": f"{row['object']} {row['context']}"}
        yield (
            line,
            texts,
            {
                "reads": number(row.get("reads")),
                "read_bytes": _io_bytes(row, "read"),
                "read_blocks": read,
                "read_time_s": seconds(row.get("read_time")) if timed else None,
                "writes": number(row.get("writes")),
                "write_bytes": _io_bytes(row, "write"),
                "write_blocks": _io_blocks(row, "write", block_bytes),
                "write_time_s": seconds(row.get("write_time")) if timed else None,
                "gets": None if hits is None else hits + (read or 0),
            },
        )


def _io_bytes(row: Row, direction: str) -> float | None:
    """18 counts bytes itself; before that every operation is of `op_bytes`."""
    if f"{direction}_bytes" in row:
        return number(row[f"{direction}_bytes"])
    operations, size = number(row.get(f"{direction}s")), number(row.get("op_bytes"))
    return None if operations is None or size is None else operations * size


def _io_blocks(row: Row, direction: str, block_bytes: float = DEFAULT_BLOCK_BYTES) -> float | None:
    if f"{direction}_bytes" not in row:
        return number(row.get(f"{direction}s"))
    moved = number(row[f"{direction}_bytes"])
    return None if moved is None else moved / block_bytes
