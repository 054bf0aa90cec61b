"""Tables and indexes: pg_stat_user_tables, pg_stat_user_indexes, pg_statio_user_tables, pg_statio_user_indexes."""

from __future__ import annotations

from tunebench.families.views.cells import number
from tunebench.families.views.dump import Dump, View
from tunebench.sdk.databases import FigureTable, TableRows

from .cells import Row, total
from .load import io_rows
from .views import Settings

_TABLE_STATISTICS = (
    "seq_scan",
    "seq_tup_read",
    "idx_scan",
    "idx_tup_fetch",
    "n_tup_ins",
    "n_tup_upd",
    "n_tup_del",
    "n_tup_hot_upd",
    "n_tup_newpage_upd",
    "vacuum_count",
    "autovacuum_count",
    "analyze_count",
    "autoanalyze_count",
    "total_vacuum_time",
    "total_autovacuum_time",
    "total_analyze_time",
    "total_autoanalyze_time",
)
_INDEX_STATISTICS = ("idx_scan", "idx_tup_read", "idx_tup_fetch")
_TABLE_STATES = ("n_live_tup", "n_dead_tup", "n_mod_since_analyze", "n_ins_since_vacuum")
_PARTS = (
    ("heap", ("heap_blks_read",), ("heap_blks_hit",)),
    ("index", ("idx_blks_read",), ("idx_blks_hit",)),
    ("toast", ("toast_blks_read", "tidx_blks_read"), ("toast_blks_hit", "tidx_blks_hit")),
)


def segment_table(dump: Dump, database: str) -> FigureTable:
    """`database`: the one that the capture was connected to, the only one whose objects it sees."""
    rows = TableRows("segment")
    _add_statistics(rows, dump.view("pg_stat_user_tables"), "TABLE", _TABLE_STATISTICS, database)
    _add_statistics(rows, dump.view("pg_stat_user_indexes"), "INDEX", _INDEX_STATISTICS, database)
    return rows.close()


def _add_statistics(rows: TableRows, view: View | None, kind: str, names: tuple[str, ...], database: str) -> None:
    if view is None:
        return
    for line, row in zip(view.lines, view.records(), strict=True):
        values = {name: number(row.get(name)) for name in names}
        if not any(values.values()):
            continue  # nobody has touched it
        texts = {"owner": row.get("schemaname", ""), "kind": kind, "container": database, **_names(row, kind)}
        for name, value in values.items():
            if value is not None:
                rows.add(line, {**texts, "statistic": name}, {"value": value})


def _names(row: Row, kind: str) -> dict[str, str]:
    if kind == "INDEX":
        return {"name": row["indexrelname"], "subname": row.get("relname", "")}
    return {"name": row["relname"], "subname": ""}


def add_table_states(rows: TableRows, dump: Dump) -> None:
    """Rows and dead rows of each table."""
    view = dump.view("pg_stat_user_tables")
    if view is None:
        return
    for line, row in zip(view.lines, view.records(), strict=True):
        for name in _TABLE_STATES:
            value = number(row.get(name))
            if value:
                rows.add(line, {"scope": qualified(row, "relname"), "name": name, "unit": "{row}"}, {"end": value})


def io_table(dump: Dump, settings: Settings) -> FigureTable:
    rows = TableRows("io")
    for line, texts, figures in io_rows(dump, settings):
        rows.add(line, texts, figures)
    _add_table_blocks(rows, dump.view("pg_statio_user_tables"))
    _add_index_blocks(rows, dump.view("pg_statio_user_indexes"))
    return rows.close()


def _add_table_blocks(rows: TableRows, view: View | None) -> None:
    if view is None:
        return
    for line, row in zip(view.lines, view.records(), strict=True):
        for part, reads, hits in _PARTS:
            read = total(*(number(row.get(name)) for name in reads))
            hit = total(*(number(row.get(name)) for name in hits))
            if read or hit:
                texts = {"kind": "table", "name": qualified(row, "relname"), "file": part}
                rows.add(line, texts, {"read_blocks": read, "gets": total(read, hit)})


def _add_index_blocks(rows: TableRows, view: View | None) -> None:
    if view is None:
        return
    for line, row in zip(view.lines, view.records(), strict=True):
        read, hit = number(row.get("idx_blks_read")), number(row.get("idx_blks_hit"))
        if read or hit:
            texts = {"kind": "index", "name": qualified(row, "indexrelname"), "file": row.get("relname", "")}
            rows.add(line, texts, {"read_blocks": read, "gets": total(read, hit)})


def qualified(row: Row, column: str) -> str:
    schema = row.get("schemaname", "")
    return f"{schema}.{row[column]}" if schema else row[column]
