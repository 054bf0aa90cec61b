"""The slow query log of MySQL, MariaDB and Percona Server, added up by statement.

One record of a period for each hour of the clock (UTC) that has events: a log of weeks stays comparable hour by hour,
and hours may be taken together. A hole between events is not told from an idle server; times are those of `SET
timestamp`, which need no zone, else of `# Time:`.

Lines of a start of the server stand between events:

    /usr/sbin/mysqld, Version: 8.0.36 (MySQL Community Server - GPL). started with:
    Tcp port: 3306  Unix socket: /var/run/mysqld/mysqld.sock
    Time                 Id Command    Argument
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tunebench.families.database_series import period_batches
from tunebench.families.lines import RecordParser
from tunebench.sdk import ParseContext, SampleBatch, decode_text, lazy_pattern, read_frame
from tunebench.sdk.databases import DatabaseIdentity, DatabaseRecord

from .identity import engine_of, plain_version
from .slow_event import ADMIN, MARKS, Statement, figures_of, statement_of, time_of
from .slow_sums import LONGEST_TEXT, HourSums, Shapes, is_own

LONGEST_BODY = 1 << 20
"""Bytes of a statement that are kept; the rest of a larger one is counted and left."""
HOUR_NS = 3_600_000_000_000
_BACK_NS = 24 * HOUR_NS
"""Times wander back by the length of a statement; by more, another part of the log begins."""
_LONGEST_S = 86_400.0
_BANNER = lazy_pattern(rb"^\S.{0,300}, Version: (?P<version>\S+) \((?P<comment>[^)]*)\).{0,20} started with:")
_BANNER_MORE = lazy_pattern(rb"^(?:Tcp port: \d+ .*|TCP Port: \d+, .*|Time\s+Id\s+Command\s+Argument)\s*$")
_OURS = lazy_pattern(rb"^@slow_log (?P<facts>.*)$")
_HEADER = lazy_pattern(rb"(?m)^# Query_time: \d")


class SlowLogParser(RecordParser):
    """Reads event by event, in bounded memory."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool = "mysql"
        self._identity = DatabaseIdentity(engine_of("", ""))
        self._header: list[bytes] = []
        self._body: list[bytes] = []
        self._body_bytes = 0
        self._lines = 0
        self._first_line = 0
        self._shapes = Shapes()
        self._schema = ""
        self._time_ns: int | None = None
        self._time_is_local = False
        self._hour: HourSums | None = None
        self._last_ns_of_event: int | None = None

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        if b"\0" in head[:1000]:
            return 0.0
        if _HEADER.search(head) or head.startswith(b"@slow_log "):
            return 0.97
        return 0.9 if _BANNER.match(head) and b"Command" in head[:1000] else 0.0

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        done = len(self._records)
        number = first_line - 1
        for line in lines:
            number += 1
            if line[:2] == b"# " and self._take_mark(number, line):
                continue
            if self._first_line:
                self._take_line(number, line)
            else:
                self._between(number, line)
        return _batches_of(self._records[done:])

    def close_tables(self) -> Iterable[SampleBatch]:
        done = len(self._records)
        self._close_event(last=True)
        self._close_hour()
        return _batches_of(self._records[done:])

    # -- lines -----------------------------------------------------------------------------------

    def _take_mark(self, number: int, line: bytes) -> bool:
        """A line with which an event begins; the second one of its header belongs to it."""
        if not line.startswith(MARKS):
            return False
        if (
            not self._first_line
            or self._body
            or line.startswith(MARKS[0])
            or any(before.startswith(MARKS[1]) for before in self._header)
        ):
            self._close_event()
            self._first_line = number
        self._header.append(line)
        self._lines += 1
        return True

    def _take_line(self, number: int, line: bytes) -> None:
        if not self._body and line[:1] == b"#" and not line.startswith(ADMIN):
            self._header.append(line)
            self._lines += 1
        elif self._is_start(line):
            self._close_event()
            self._between(number, line)
        else:
            self._lines += 1
            self._body_bytes += len(line)
            if self._body_bytes <= LONGEST_BODY or not self._body:
                self._body.append(line)

    def _is_start(self, line: bytes) -> bool:
        return (
            b" started with:" in line
            and _BANNER.match(line) is not None
            or line[:1] in b"@"
            and bool(_OURS.match(line) or read_frame(line))
        )

    def _between(self, number: int, line: bytes) -> None:
        """Lines that belong to no event."""
        banner = _BANNER.match(line)
        if not line.strip():
            self.book.blank()
        elif banner is not None:
            self.book.header()
            self._take_banner(banner)
        elif line[:1] == b"@" and (_OURS.match(line) or read_frame(line)):
            self.book.header()
            self._take_facts(line)
        elif _BANNER_MORE.match(line):
            self.book.header()
        else:
            self.book.skip("truncated", number, line)

    def _take_banner(self, banner: re.Match[bytes]) -> None:
        version = banner["version"].decode("ascii", "replace")
        self._know(version, banner["comment"].decode("utf-8", "replace"), "")
        if self._last_ns_of_event is not None:  # else the log begins with it
            self.times.restart(self._last_ns_of_event)
            self._close_hour()

    def _take_facts(self, line: bytes) -> None:
        match = _OURS.match(line)
        facts = dict(re.findall(r"(\w+)=(\S*)", match["facts"].decode("utf-8", "replace"))) if match else {}
        if "version" in facts:
            self._know(facts["version"], facts.get("comment", ""), facts.get("host", ""), facts.get("port", ""))

    def _know(self, version: str, comment: str, host: str, port: str = "") -> None:
        self._identity = DatabaseIdentity(
            engine_of(version, comment),
            name=f"{host}:{port}" if host and port.strip("0") else host,
            version=plain_version(version),
            edition=comment,
            host=host,
        )
        self.book.tool, self.book.tool_version = self._identity.engine, self._identity.version

    # -- events ----------------------------------------------------------------------------------

    def _close_event(self, last: bool = False) -> None:
        header, body, lines, first = self._header, self._body, self._lines, self._first_line
        cut, self._body_bytes = self._body_bytes > LONGEST_BODY, 0
        self._header, self._body, self._lines, self._first_line = [], [], 0, 0
        if not first:
            return
        self._take_stamp(header[0])
        read = figures_of(b"\n".join(header))
        while body and not body[-1].strip():
            body.pop()
        statement = statement_of(body)
        torn = not statement.text or last and not cut and not body[-1].rstrip().endswith(b";")
        if read is None or torn:
            self.book.skip("truncated" if torn else "unreadable_numbers", first, header[0], lines)
            return
        self.book.data(lines)
        self._take_event(first, read, statement, whole=not cut)

    def _take_stamp(self, line: bytes) -> None:
        stamp = time_of(line, self.context.zone) if line.startswith(MARKS[0]) else None
        if stamp is not None:
            self._time_ns, self._time_is_local = stamp

    def _take_event(self, line: int, read: tuple[list[float | None], bytes], statement: Statement, whole: bool) -> None:
        values, schema = read
        if schema or statement.schema is not None:
            self._schema = decode_text(schema or statement.schema or b"")
        time_ns = self._time_ns if statement.epoch_s is None else statement.epoch_s * 1_000_000_000
        if statement.epoch_s is None and time_ns is not None and self._time_is_local:
            self._assume_zone()
        hour = self._hour_at(line, time_ns, values[0] or 0.0)
        if is_own(statement.text):
            hour.own += 1
        else:
            whole = whole and len(statement.text) <= LONGEST_TEXT
            hour.add(line, self._shapes.of(statement.text), self._schema, values, whole)

    def _assume_zone(self) -> None:
        if self.context.zone_source == "engagement":
            self.book.assume("zone", str(self.context.zone), "engagement")
            self.book.need("zone")

    def _hour_at(self, line: int, time_ns: int | None, elapsed_s: float) -> HourSums:
        last_ns = self._last_ns_of_event
        if time_ns is None or last_ns is not None and last_ns - _BACK_NS < time_ns < last_ns:
            time_ns = last_ns
        if self._hour is None or _hour_of(time_ns) != _hour_of(last_ns):
            self._open_hour(line, time_ns)
        assert self._hour is not None
        self._last_ns_of_event = time_ns
        if time_ns is not None:
            self._hour.end_ns = max(self._hour.end_ns or 0, time_ns + round(min(elapsed_s, _LONGEST_S) * 1e9))
        return self._hour

    def _open_hour(self, line: int, time_ns: int | None) -> None:
        """The first record begins with its first event; one that follows, with its hour."""
        last_ns = self._last_ns_of_event
        goes_on = self._hour is not None and time_ns is not None and last_ns is not None and time_ns > last_ns
        self._close_hour(whole=goes_on)
        self._hour = HourSums(line, time_ns - time_ns % HOUR_NS if goes_on and time_ns is not None else time_ns)

    def _close_hour(self, whole: bool = False) -> None:
        """`whole`: events of a later hour follow."""
        hour, self._hour = self._hour, None
        last_ns = self._last_ns_of_event
        if hour is None:
            return
        if last_ns is not None and hour.end_ns is not None:
            full_ns = last_ns - last_ns % HOUR_NS + HOUR_NS
            hour.end_ns = full_ns if whole else min(hour.end_ns, full_ns)
        self._records.append(hour.record(self._identity))


def _batches_of(records: Sequence[DatabaseRecord]) -> list[SampleBatch]:
    """One by one: two records that end at one moment (parts of a log in any order) stay two."""
    return [batch for record in records for batch in period_batches([record])]


def _hour_of(time_ns: int | None) -> int | None:
    return None if time_ns is None else time_ns // HOUR_NS
