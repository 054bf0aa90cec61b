"""Statements in the library cache: V$SQLSTATS, V$SQLAREA, V$SQL.

    10.2-  one row per SQL_ID (V$SQLSTATS, V$SQLAREA), child cursor (V$SQL) or SQL_ID and plan (V$SQLSTATS_PLAN_HASH)
    12.1-  CON_ID, which a root sees of all its containers

A cursor that ages out takes its counters along. V$SQLSTATS keeps them longer than V$SQLAREA keeps the cursor: since
when they count is known only where both have counted the same executions. PLAN_HASH_VALUE is that of the last plan
where a row stands for all plans of a statement; there it does not tell rows apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tunebench.families.views.cells import added_up
from tunebench.families.views.dump import Dump, View
from tunebench.sdk import record
from tunebench.sdk.databases import FigureTable, TableRows

from .cells import HostClock, Numbers, number, numbers
from .views import SQL_AREA

OWN_MARK = "/* tunebench */"
CUT_TEXT_BYTES = 999
"""SQL_TEXT holds the first 1000 bytes, its end included."""
LONGEST_PIECED = 7_900
"""Our capture takes 16 pieces of 500 characters; a text of nearly as many may have been cut (blanks at its end go)."""
_SECONDS = {
    "elapsed_s": ("elapsed_time",),
    "cpu_s": ("cpu_time",),
    "io_wait_s": ("user_io_wait_time",),
    "cluster_wait_s": ("cluster_wait_time",),
    "application_wait_s": ("application_wait_time",),
    "lock_wait_s": ("concurrency_wait_time",),
}
_COUNTS = {
    "executions": ("executions",),
    "block_gets": ("buffer_gets",),
    "block_reads": ("disk_reads",),
    "block_writes": ("direct_writes",),
    "rows": ("rows_processed",),
    "parse_calls": ("parse_calls",),
    "sorts": ("sorts",),
    "loads": ("loads",),
    "invalidations": ("invalidations",),
    "version_count": ("version_count",),
    "sharable_bytes": ("sharable_mem",),
}
_EXTREMES = {"first_seen_ns": np.fmin, "last_seen_ns": np.fmax, "version_count": np.fmax}
_KEYS = ("statement_id", "plan", "container", "user", "module")
Key = tuple[str, str, str, str, str]


@record(frozen=False)
class Statements:
    """What one view of statements says. `own`: rows of our own capturing, which are left out."""

    statement: FigureTable
    text: FigureTable
    own: int


def read_statements(dump: Dump, clock: HostClock) -> Statements | None:
    view = dump.view(*SQL_AREA)
    if view is None:
        return None
    texts = [text.strip() for text in view.column("sql_fulltext", "sql_text") or [""] * len(view.rows)]
    names = _Names.of(dump, clock)
    ids = [cell.strip() for cell in view.column("sql_id") or ()]
    own_ids = {identity for identity, text in zip(ids, texts, strict=True) if OWN_MARK in text} | names.own
    kept = np.array([index for index, identity in enumerate(ids) if identity not in own_ids], dtype=np.intp)
    figures = {name: values[kept] for name, values in _figures(view, ids, names, clock).items()}
    keys = _keys(view, ids, names)
    signatures = _signatures(view, ids, names)
    lines = np.array(view.lines, dtype=np.int64)[kept]
    table = _table([keys[index] for index in kept], [signatures[index] for index in kept], figures, lines)
    return Statements(table, _texts(dump, view, ids, texts, own_ids), len(ids) - len(kept))


@record
class _Names:
    """What V$SQLAREA adds to rows of V$SQLSTATS, by SQL_ID."""

    rows: Mapping[str, Mapping[str, str]]
    clock: HostClock
    containers: Mapping[str, str]
    own: frozenset[str]

    @classmethod
    def of(cls, dump: Dump, clock: HostClock) -> _Names:
        view = dump.view("v$sqlarea_names")
        rows = {row["sql_id"].strip(): row for row in view.records()} if view is not None else {}
        own = frozenset(name for name, row in rows.items() if row.get("module", "").strip() == "tunebench")
        return cls(rows, clock, container_names(dump), own)

    def text(self, identity: str, column: str) -> str:
        return self.rows.get(identity, {}).get(column, "").strip()

    def loaded_ns(self, identity: str, executions: Sequence[float]) -> float:
        """Since when the counters count; NaN where the cursor was loaded anew and they go on from before.

        Args:
            executions: of each plan; a further one may have come later than its cursor.
        """
        counted = number(self.text(identity, "executions"))
        if counted is None or len(executions) > 1 or not counted >= executions[0]:
            return np.nan
        loaded = self.clock.ns(self.text(identity, "first_load_time"))
        return np.nan if loaded is None else float(loaded)


def _column(view: View, names: Sequence[str], count: int) -> Numbers:
    cells = view.column(*names)
    return np.full(count, np.nan) if cells is None else numbers(cells)


def _figures(view: View, ids: Sequence[str], names: _Names, clock: HostClock) -> dict[str, Numbers]:
    count = len(view.rows)
    figures = {name: _column(view, columns, count) * 1e-6 for name, columns in _SECONDS.items()}
    figures |= {name: _column(view, columns, count) for name, columns in _COUNTS.items()}
    first = view.column("first_load_time")
    if first is not None:
        figures["first_seen_ns"] = _moments(first, clock)
    elif names.rows:
        executions: dict[str, list[float]] = {}
        for identity, ran in zip(ids, figures["executions"].tolist(), strict=True):
            executions.setdefault(identity, []).append(ran)
        loaded = [names.loaded_ns(identity, executions[identity]) for identity in ids]
        figures["first_seen_ns"] = np.array(loaded, dtype=np.float64)
    figures["last_seen_ns"] = _moments(view.column("last_active_time") or [""] * count, clock)
    return figures


def _moments(cells: Sequence[str], clock: HostClock) -> Numbers:
    moments = [clock.ns(cell) for cell in cells]
    return np.array([np.nan if moment is None else moment for moment in moments], dtype=np.float64)


def _keys(view: View, ids: Sequence[str], names: _Names) -> list[Key]:
    count = len(ids)
    by_plan = view.name in ("v$sql", "v$sqlstats_plan_hash") or len(set(ids)) < count
    plans = [_plan(cell) for cell in (view.column("plan_hash_value") if by_plan else None) or [""] * count]
    containers = [container_of(cell.strip(), names.containers) for cell in view.column("con_id") or [""] * count]
    users = view.column("parsing_schema_name") or [names.text(identity, "parsing_schema_name") for identity in ids]
    modules = view.column("module") or [names.text(identity, "module") for identity in ids]
    stripped = [[cell.strip() for cell in column] for column in (users, modules)]
    return list(zip(ids, plans, containers, *stripped, strict=True))


def _plan(cell: str) -> str:
    """0 is the plan of a cursor that has none, PL/SQL for one."""
    return "" if cell.strip() in ("", "0") else cell.strip()


def container_names(dump: Dump) -> dict[str, str]:
    """Names of the containers by CON_ID, and by DBID where the export has it."""
    view = dump.view("v$containers")
    rows = list(view.records()) if view is not None else []
    return {row[column].strip(): row["name"].strip() for column in ("dbid", "con_id") for row in rows if column in row}


def container_of(con_id: str, names: Mapping[str, str]) -> str:
    """Empty for the root, and for what is not a container's."""
    return "" if con_id in ("", "0", "1") else names.get(con_id, con_id)


def _signatures(view: View, ids: Sequence[str], names: _Names) -> list[str]:
    cells = view.column("force_matching_signature")
    printed = cells if cells is not None else [names.text(identity, "force_matching_signature") for identity in ids]
    return ["" if cell.strip() in ("", "0") else cell.strip() for cell in printed]


def _table(
    keys: Sequence[Key], signatures: Sequence[str], figures: Mapping[str, Numbers], lines: NDArray[np.int64]
) -> FigureTable:
    """Rows of one key are one: child cursors, and a list without the columns that tell them apart."""
    places: dict[Key, int] = {}
    rows = np.array([places.setdefault(key, len(places)) for key in keys], dtype=np.intp)
    first = np.unique(rows, return_index=True)[1] if len(rows) else rows
    if len(places) < len(keys):
        figures = {name: added_up(values, rows, len(places), _EXTREMES.get(name)) for name, values in figures.items()}
    columns = dict(zip(_KEYS, zip(*places, strict=True), strict=False))
    columns["signature"] = tuple(signatures[index] for index in first)
    return FigureTable(
        "statement",
        {name: column for name, column in columns.items() if any(column)},
        {name: values for name, values in figures.items() if len(values) and not np.isnan(values).all()},
        lines[first],
    )


def _texts(dump: Dump, view: View, ids: Sequence[str], texts: Sequence[str], own: set[str]) -> FigureTable:
    """The first 1000 bytes, or all of it where its pieces are there as well."""
    whole = pieced_texts(dump.view("v$sqltext"))
    rows = TableRows("statement_text")
    written: set[str] = set()
    full = "sql_fulltext" in view.columns
    for line, identity, text in zip(view.lines, ids, texts, strict=True):
        if identity in written or identity in own or not identity:
            continue
        written.add(identity)
        given = whole.get(identity) or text
        if given:
            pieced = identity in whole and len(given) < LONGEST_PIECED
            complete = full or pieced or identity not in whole and len(text.encode()) < CUT_TEXT_BYTES - 10
            rows.add(line, {"statement_id": identity, "text": given}, {"complete": float(complete)})
    return rows.close()


def pieced_texts(view: View | None) -> dict[str, str]:
    """Texts out of V$SQLTEXT's pieces by SQL_ID; one with a gap is none."""
    pieces: dict[str, dict[int, str]] = {}
    for row in view.records() if view is not None else ():
        piece = number(row["piece"].strip())
        if piece is not None:
            pieces.setdefault(row["sql_id"].strip(), {})[int(piece)] = row["sql_text"]
    return {
        identity: "".join(parts[piece] for piece in sorted(parts)).rstrip()
        for identity, parts in pieces.items()
        if sorted(parts) == list(range(len(parts)))
    }


def rows_of(view: View | None) -> Iterable[tuple[int, Mapping[str, str]]]:
    return () if view is None else zip(view.lines, view.records(), strict=True)
