"""Oracle's views, out of our own captures through SQL*Plus and of exports.

    @section v$sysstat                             our capture, all views of one moment
    name,value                                     SQL*Plus' MARKUP CSV, SQL Developer, any export with a heading
    NAME|VALUE                                     SQL*Plus with COLSEP
    SNAP_ID,SQL_ID,EXECUTIONS_DELTA,...            the workload repository: periods
    SNAP_ID,OLD_HASH_VALUE,EXECUTIONS,...          Statspack's table of statements

What the client says between the rows is no row: `sqlplus`. Counters since the instance started; periods come of two
moments. Our own statements are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tunebench.families.database_series import CounterSeries
from tunebench.families.views.dump import Dump, ViewDumpParser
from tunebench.families.views.rows import RowReader
from tunebench.sdk import ParseContext, SampleBatch, lazy_pattern
from tunebench.sdk.databases import DatabaseRecord

from .identity import read_server
from .instance import read_instance
from .repository import read_repository
from .sqlplus import (
    OracleError,
    is_around_error,
    is_command,
    is_numbered,
    is_remark,
    is_ruler,
    read_error,
    without_prompt,
)
from .statspack import read_statspack
from .views import INSTANCE, is_known, is_of_history, is_of_statspack, view_of

_OURS = lazy_pattern(rb"(?m)^(?:SQL> ?)*@section oracle\s*$")
_HEAD_LINES = 80
_CERTAIN = frozenset(
    {
        "v$system_event",
        "v$system_wait_class",
        "v$filestat",
        "v$segment_statistics",
        "v$sql",
        "v$sqlarea",
        "v$sqlstats",
        "v$sysstat",
        "v$instance",
        "v$database",
        "dba_hist_sqlstat",
        "dba_hist_snapshot",
        "dba_hist_system_event",
        "dba_hist_parameter",
        "dba_hist_statistic",
        "stats$sql_summary",
        "stats$snapshot",
        "v$sqltext",
        "v$parameter",
    }
)
_NAMES = lazy_pattern(
    rb"(?:redo size|session logical reads|DB time|DB CPU|NUM_CPUS|RSRC_MGR_CPU_WAIT_TIME|cpu_count|db_block_size)\b"
)
_MOST_ERRORS = 50
_TOLD_BY_ROWS = -1
"""What the base is told where every row says itself of which snapshot it is."""


class OracleViewsParser(ViewDumpParser):
    """Records of counters (V$, Statspack) and of periods (DBA_HIST), and series of what lies between them."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool = "oracle"
        self._counters = CounterSeries()
        self._view_names: dict[str, None] = {}
        self._errors: list[OracleError] = []
        self._was_command = False
        self._in_pages = False  # a ruler stood below the heading, and nothing said since that the rows ended

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        if b"\0" in head:
            return 0.0
        if _OURS.search(head):
            return 0.99
        lines = [without_prompt(line.rstrip(b"\r"))[0] for line in head.split(b"\n")[:_HEAD_LINES] if line.strip()]
        views = {view_of(RowReader(line).columns) for line in lines if len(line) < 4000} - {""}
        if views & _CERTAIN:
            return 0.96
        return 0.9 if views and _NAMES.search(head) else 0.0

    # -- the base asks ---------------------------------------------------------------------------

    def cleaned(self, line: bytes) -> bytes:
        """Without prompts. What was typed behind one, and its further lines, are commands."""
        rest, prompted = without_prompt(line)
        if not prompted and self._was_command and is_numbered(line):
            return line
        self._was_command = prompted and is_command(rest)
        return rest

    def takes_message(self, number: int, line: bytes) -> bool:
        if self._was_command:
            self._in_pages = False
            self.book.header()
            return True
        error = read_error(number, line)
        if error is not None:
            self._note(error, line)
        elif is_around_error(line):
            self.book.skip("oracle_error_around", number, line)
        elif is_ruler(line):
            self._in_pages = True
            self.book.header()
        elif is_remark(line):
            self._in_pages = False
            self.book.header()
        else:
            return False
        return True

    def repeats_headings(self) -> bool:
        return self._in_pages

    def _note(self, error: OracleError, line: bytes) -> None:
        self.book.skip("oracle_error", error.line, line)
        self.book.warn(error.warning)
        if len(self._errors) < _MOST_ERRORS:
            self._errors.append(error)

    def name_of(self, columns: Sequence[str]) -> str:
        return view_of(columns)

    def knows(self, name: str, columns: Sequence[str]) -> bool:
        return is_known(name, columns)

    def moment_of(self, dump: Dump) -> int | None:
        server = read_server(dump, self.context.zone)
        if server.utc_ns is not None:
            return server.utc_ns
        return _TOLD_BY_ROWS if is_of_history(dump) or is_of_statspack(dump) else None

    def read_dump(self, dump: Dump) -> Iterable[DatabaseRecord]:
        errors, self._errors = self._errors, []
        self._view_names.update(dict.fromkeys(view.name for view in dump.views if view.name != INSTANCE))
        self.book.variant = " ".join(self._view_names)
        server = read_server(dump, self.context.zone)
        self.book.tool_version = server.identity.version or self.book.tool_version
        self.book.hostname = server.identity.host or self.book.hostname
        if is_of_history(dump):
            return read_repository(dump, server)
        if is_of_statspack(dump):
            return list(read_statspack(dump, server))
        record = read_instance(dump, server, errors)
        return [record] if record.tables else []

    def batches_of(self, records: Sequence[DatabaseRecord]) -> Iterable[SampleBatch]:
        return self._counters.batches(records)
