"""Tables of MySQL and MariaDB, out of our own captures and of exports.

    @section events_statements_summary_by_digest         our capture, all tables of one moment
    Variable_name<TAB>Value                              mysql -e "show global status; show global variables"
    | Variable_name | Value |                            mysqladmin extended-status, also -i (rounds), -r (differences)
    *************************** 1. row ***               \\G
    Aborted_clients<TAB>0                                mysql --skip-column-names

Counters since the server started; periods come of two moments, or of the differences that ``-r`` prints. Our own
statements are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from tunebench.families.database_series import CounterSeries, period_batches
from tunebench.families.views.dump import Dump, ViewDumpParser
from tunebench.sdk import ParseContext, SampleBatch, utc_ns
from tunebench.sdk.databases import DatabaseRecord, Fault, prepared_statements_unseen

from .identity import server_time_ns
from .innodb import innodb_time_ns
from .rounds import Round, added_up, is_relative, round_of
from .series import MomentSeries
from .snapshot import innodb_of, record_of
from .sniffing import confidence
from .views import LIST, SERVER, STATUS, VARIABLES, NamedValues, is_list, is_list_without_heading, view_of

_UNTIMED = -1
"""What the base is told where no table says when: the parser sees to the time itself."""


class MysqlViewsParser(ViewDumpParser):
    """Records of counters or of differences, and series of what lies between the rounds of one capture."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool = "mysql"
        self._moments = MomentSeries(self.book)
        self._counters = CounterSeries()
        self._view_names: dict[str, None] = {}
        self._headless: bool | None = None  # None: nothing was read yet
        self._round: Round | None = None
        self._rounds = 0
        self._unstamped = 0
        self._first_uptime_s: float | None = None
        self._status = NamedValues()  # of the last round, as counters
        self._relative = False
        self._ready: list[SampleBatch] = []

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return confidence(head)

    # -- the base asks ---------------------------------------------------------------------------

    def name_of(self, columns: Sequence[str]) -> str:
        if self._headless is not False and is_list_without_heading(columns):
            self._headless = True
            return LIST
        name = view_of(columns)
        if name:
            self._headless = False
        return name

    def knows(self, name: str, columns: Sequence[str]) -> bool:
        if name in (LIST, STATUS, VARIABLES):
            return is_list(columns) or name == LIST and is_list_without_heading(columns)
        return view_of(columns) == name

    def moment_of(self, dump: Dump) -> int | None:
        return _UNTIMED

    def read_dump(self, dump: Dump) -> Iterable[DatabaseRecord]:
        stamp = None if dump.time_ns == _UNTIMED else dump.time_ns
        dump_round = round_of(dump, stamp)
        if self._round is not None and self._round.takes(dump_round):
            self._round.add(dump_round)
            return ()
        records = self._close_round(last=False)
        self._round = dump_round
        return [*records, *(self._close_round(last=False) if dump_round.sectioned else ())]

    def batches_of(self, records: Sequence[DatabaseRecord]) -> Iterable[SampleBatch]:
        given, self._ready = self._ready, []
        return given

    def close_tables(self) -> Iterable[SampleBatch]:
        yield from super().close_tables()
        self._records += self._close_round(last=True)
        yield from self.batches_of(())

    # -- one round -------------------------------------------------------------------------------

    def _close_round(self, last: bool) -> list[DatabaseRecord]:
        closed, self._round = self._round, None
        if closed is None:
            return []
        self._rounds += 1
        if self._status and closed.status and (self._relative or is_relative(closed.status)):
            self._relative = True
            closed.status = added_up(self._status, closed.status)
        self._status = closed.status or self._status
        self._view_names.update(dict.fromkeys(sorted(closed.names - {SERVER})))
        self.book.variant = " ".join(self._view_names)
        record = record_of(closed, self._time_of(closed, last), self.context.zone, self.book)
        return self._records_of(closed, record)

    def _records_of(self, dump_round: Round, record: DatabaseRecord) -> list[DatabaseRecord]:
        self.book.tool = record.identity.engine
        self.book.tool_version = record.identity.version or self.book.tool_version
        self.book.hostname = record.identity.host or self.book.hostname
        if prepared_statements_unseen(record):
            self.book.warn("prepared_unseen")
        periods = self._periods(dump_round, record)
        if dump_round.dump.whole:
            self._ready += period_batches(periods)
        self._ready += self._moments.of(record)
        return periods if self._relative else [record]

    def _periods(self, dump_round: Round, record: DatabaseRecord) -> list[DatabaseRecord]:
        """Periods since the round before; where no times are told, uptimes give their length."""
        uptime_s = dump_round.server.uptime_s
        if record.end.time_ns is not None or uptime_s is None:
            return self._counters.periods([record])
        timed = replace(record, end=replace(record.end, time_ns=round(uptime_s * 1e9)))
        return [_untimed(period) for period in self._counters.periods([timed])]

    def _time_of(self, dump_round: Round, last: bool) -> int | None:
        """The stamp before it, else what its tables tell, the user's word, or when the file was written."""
        if dump_round.time_ns is not None:
            return dump_round.time_ns
        time_ns = server_time_ns(dump_round.dump, self.context.zone)
        innodb = innodb_of(dump_round) if time_ns is None else None
        if innodb is not None:
            time_ns = innodb_time_ns(innodb[0], self.context.zone)
        if time_ns is not None:
            return time_ns
        self._unstamped += 1
        return self._assumed_ns(dump_round, last)

    def _assumed_ns(self, dump_round: Round, last: bool) -> int | None:
        uptime_s, start = dump_round.server.uptime_s, self.context.start
        if self._unstamped == 1:
            self._first_uptime_s = uptime_s
        if start is not None:
            if self._unstamped > 1 and (uptime_s is None or self._first_uptime_s is None):
                return None
            self.book.assume("start", start.isoformat(), "user")
            since_s = (uptime_s or 0.0) - (self._first_uptime_s or 0.0)
            return utc_ns(start if start.tzinfo else start.replace(tzinfo=self.context.zone)) + round(since_s * 1e9)
        if last and self._rounds == 1 and self.context.modified_ns:
            written = datetime.fromtimestamp(self.context.modified_ns / 1e9, tz=UTC)
            self.book.assume("start", written.isoformat(), "mtime")
            return self.context.modified_ns
        self.book.need("start")
        return None


def _untimed(period: DatabaseRecord) -> DatabaseRecord:
    begin = None if period.begin is None else replace(period.begin, time_ns=None, started_ns=None)
    end = replace(period.end, time_ns=None, started_ns=None)
    return replace(period, begin=begin, end=end).with_faults(Fault.UNTIMED)
