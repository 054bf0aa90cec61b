"""Snapshots of Statspack: STATS$SQL_SUMMARY, STATS$SNAPSHOT, STATS$SQLTEXT, as counters at the moment of each.

Statspack keeps a statement once its counters have passed one of the thresholds that the snapshot names (``*_TH``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tunebench.families.oracle.rows import Collected
from tunebench.families.oracle.values import Numbers
from tunebench.families.views.dump import Dump
from tunebench.sdk.databases import DatabaseRecord, Fault, Moment, Reach

from .cells import Row, number, whole
from .identity import Server
from .statements import OWN_MARK, rows_of

SOURCE = "statspack"
_SECONDS = {
    "elapsed_s": "elapsed_time",
    "cpu_s": "cpu_time",
    "io_wait_s": "user_io_wait_time",
    "cluster_wait_s": "cluster_wait_time",
    "application_wait_s": "application_wait_time",
    "lock_wait_s": "concurrency_wait_time",
}
_COUNTS = {
    "executions": "executions",
    "block_gets": "buffer_gets",
    "block_reads": "disk_reads",
    "block_writes": "direct_writes",
    "rows": "rows_processed",
    "parse_calls": "parse_calls",
    "sorts": "sorts",
    "loads": "loads",
    "invalidations": "invalidations",
    "version_count": "version_count",
    "sharable_bytes": "sharable_mem",
}
_THRESHOLDS = {
    "executions": "executions_th",
    "parse_calls": "parse_calls_th",
    "block_reads": "disk_reads_th",
    "block_gets": "buffer_gets_th",
    "sharable_bytes": "sharable_mem_th",
    "version_count": "version_count_th",
}


def read_statspack(dump: Dump, server: Server) -> Iterator[DatabaseRecord]:
    heads = {row["snap_id"].strip(): (line, row) for line, row in rows_of(dump.view("stats$snapshot"))}
    collected: dict[str, Collected] = {}
    texts, own = _texts(dump)
    for line, row in rows_of(dump.view("stats$sql_summary")):
        into = collected.setdefault(row["snap_id"].strip(), Collected(Numbers()))
        if _hash(row) not in own and OWN_MARK not in row.get("text_subset", ""):
            _add_statement(into, line, row, texts)
    for snapshot, into in sorted(collected.items(), key=lambda item: (len(item[0]), item[0])):
        line, head = heads.get(snapshot, (dump.first_line, {}))
        _add_list(into, line, head)
        yield _record(dump, server, snapshot, head, into, line)


def _hash(row: Row) -> str:
    return row["old_hash_value"].strip()


def _add_statement(into: Collected, line: int, row: Row, texts: dict[str, tuple[int, str]]) -> None:
    identity = row.get("sql_id", "").strip() or _hash(row)
    if not identity:
        return
    figures = {name: number(row.get(column, "").strip()) for name, column in _COUNTS.items()}
    for name, column in _SECONDS.items():
        value = number(row.get(column, "").strip())
        figures[name] = None if value is None else value * 1e-6
    names = {"statement_id": identity, "module": row.get("module", "").strip()}
    signature = row.get("force_matching_signature", "").strip()
    into.add("statement", line, {**names, "signature": "" if signature == "0" else signature}, figures)
    where, text = texts.get(_hash(row), (line, row.get("text_subset", "").strip()))
    if text:
        complete = float(_hash(row) in texts)
        into.add("statement_text", where, {"statement_id": identity, "text": text}, {"complete": complete})


def _texts(dump: Dump) -> tuple[dict[str, tuple[int, str]], set[str]]:
    """Texts by old hash value; the hash values of our own."""
    pieces: dict[str, dict[int, tuple[int, str]]] = {}
    for line, row in rows_of(dump.view("stats$sqltext")):
        piece = whole(row["piece"])
        if piece is not None:
            pieces.setdefault(_hash(row), {})[piece] = line, row["sql_text"]
    whole_ones = {
        name: (parts[0][0], "".join(parts[piece][1] for piece in sorted(parts)).strip())
        for name, parts in pieces.items()
        if sorted(parts) == list(range(len(parts)))
    }
    return whole_ones, {name for name, (_, text) in whole_ones.items() if OWN_MARK in text}


def _add_list(into: Collected, line: int, head: Row) -> None:
    count = len(into.rows["statement"]) if "statement" in into.rows else 0
    for name, column in _THRESHOLDS.items():
        threshold = number(head.get(column, "").strip())
        if threshold is not None or name == "block_gets":
            figures = {"rows": float(count), "least": threshold}
            into.add("statement_list", line, {"figure": name}, figures)


def _record(dump: Dump, server: Server, snapshot: str, head: Row, into: Collected, line: int) -> DatabaseRecord:
    time_ns = server.clock.ns(head.get("snap_time"))
    moment = Moment(time_ns, whole(snapshot), server.clock.ns(head.get("startup_time")))
    identity = replace(
        server.identity,
        db_id=head.get("dbid", "").strip() or server.identity.db_id,
        instance_number=whole(head.get("instance_number")) or server.identity.instance_number,
    )
    faults = [] if dump.whole else [Fault.TRUNCATED]
    faults += [Fault.UNTIMED] if time_ns is None else []
    return DatabaseRecord(
        SOURCE, Reach.COUNTERS, identity, moment, tables=into.tables(), first_line=line, faults=tuple(faults)
    )
