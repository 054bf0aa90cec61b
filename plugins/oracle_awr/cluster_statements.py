"""Statements of a cluster's report: one row holds the totals of a statement and what they are per execution."""

from __future__ import annotations

from tunebench.families.oracle.html_reports import HtmlTable

from .reading import Columns
from .statements import Statements

_TOTALS = {
    "elapsed_s": ("Elapsed (s)", "Elapsed Time (s)"),
    "cpu_s": ("CPU (s)", "CPU Time (s)"),
    "io_wait_s": ("IOWait (s)", "IO Wait (s)", "User I/O Time (s)"),
    "block_gets": ("Gets", "Buffer Gets"),
    "block_reads": ("Reads", "Physical Reads"),
    "rows": ("Rows", "Rows Processed"),
    "cluster_wait_s": ("Cluster (s)", "Cluster Wait Time (s)"),
    "executions": ("Execs", "Executions"),
}
"""By figure; releases differ. The totals stand left of what is per execution and is called alike."""
_GROUP = "Total"
_ORDERED_BY = {
    "elapsed time": ("elapsed", "elapsed_s"),
    "cpu time": ("cpu", "cpu_s"),
    "user i/o": ("io", "io_wait_s"),
    "gets": ("gets", "block_gets"),
    "reads": ("reads", "block_reads"),
    "unoptimized": ("unoptimized", ""),
    "optimized": ("optimized", ""),
    "cluster wait": ("cluster", "cluster_wait_s"),
    "executions": ("executions", "executions"),
}


def read_global_list(statements: Statements, table: HtmlTable) -> None:
    ordered = table.key.removeprefix("sql ordered by ")
    name, figure = next((pair for start, pair in _ORDERED_BY.items() if ordered.startswith(start)), ("other", ""))
    columns = Columns(table, statements.into.numbers)
    totals = _columns_of_totals(table)
    values: list[float] = []
    for row in table.rows:
        statement_id = columns.text(row, "SQL Id")
        if len(statement_id) != 13 or not statement_id.isalnum():
            continue
        container = columns.first_text(row, "PDB Name", "Container Name")
        statement = statements.statement(row.line, statement_id, container)
        statement.seen_in[name] = None
        statement.module = statement.module or columns.first_text(row, "SQL Module", "Module")
        for target, (heading, group) in totals.items():
            value = statements.take(statement, target, columns.text(row, heading, group))
            if target == figure and value is not None:
                values.append(value)
        statements.note_text(row.line, statement_id, columns.text(row, "SQL Text"), in_list=True)
    statements.note_list(table, figure, values)


def _columns_of_totals(table: HtmlTable) -> dict[str, tuple[str, str]]:
    """Heading and the heading above it of each total that the table has."""
    return {
        figure: next((name, group) for group in (_GROUP, "") for name in names if table.column(name, group) is not None)
        for figure, names in _TOTALS.items()
        if any(table.column(name) is not None for name in names)
    }
