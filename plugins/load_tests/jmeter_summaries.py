"""What JMeter's summariser writes into its log: the requests of each interval.

    2026-08-18 09:01:00,013 INFO o.a.j.r.Summariser: orders +   1204 in 00:01:00 =   20.1/s Avg:    48 Min:    21 Max:   612 Err:     3 (0.25%) Active: 8 Started: 8 Finished: 0
    2026-08-18 09:02:00,009 INFO o.a.j.r.Summariser: orders +   1188 in 00:01:00 =   19.8/s Avg:    47 Min: ...
    2026-08-18 09:02:00,009 INFO o.a.j.r.Summariser: orders =   2392 in 00:02:00 =   19.9/s Avg:    47 Min: ...

A line with ``+`` is one interval (summariser.interval), one with ``=`` everything since the start. Other lines of the log
are messages; one of them names the machine: ``IP: 10.0.0.5 Name: app01 FullName: app01.example.com``.
"""  # noqa: E501  lines of a log

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from tunebench.sdk import LineParser, NumberTable, ParseContext, SampleBatch, decode_text, lazy_pattern

_STAMP = r"^(\d{4}[-/]\d\d[-/]\d\d \d\d:\d\d:\d\d)(?:[.,]\d+)? +"
_SUMMARY = lazy_pattern(
    _STAMP + r"INFO .*Summariser: (?P<name>.+?) (?P<sign>[+=]) +(?P<n>\d{1,12}) in +(?P<length>[\d:.]+)s? += +[\d.,]+/s"
    r" +Avg: +(?P<avg>\d{1,12}) +Min: +(?P<min>\d{1,12}) +Max: +(?P<max>\d{1,12}) +Err: +(?P<err>\d{1,12})\b"
    r"(?:.*\bActive: (?P<active>\d{1,9})\b)?"
)
_SIGN = b"Summariser: "
_HOST = lazy_pattern(_STAMP + r"INFO .*\bIP: \S+ Name: (?P<host>\S+) FullName: ")
_HEADINGS = ("completed", "requests", "failed", "elapsed", "elapsed min", "elapsed max", "threads")
_NAN = float("nan")


class JMeterSummaryParser(LineParser):
    """An interval without requests counts 0 of them and has no elapsed time."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool = "jmeter"
        self._table = NumberTable("summary", _HEADINGS, "group")

    @staticmethod
    def sniff(head: bytes, _file_name: str) -> float:
        lines = (line for line in head.split(b"\n") if _SIGN in line)
        return 0.95 if any(_SUMMARY.match(decode_text(line)) for line in lines) else 0.0

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        for number, line in enumerate(lines, first_line):
            self._read_line(number, decode_text(line))
        return self._table.flush()

    def _read_line(self, number: int, text: str) -> None:
        summary = _SUMMARY.match(text)
        seconds = _seconds(summary["length"]) if summary else 0.0
        if not text.strip():
            self.book.blank()
        elif summary is None or not seconds:
            self.book.skip("unreadable_numbers" if "Summariser: " in text else "message", number, text)
            host = _HOST.match(text)
            self.book.hostname = self.book.hostname or (host["host"] if host else "")
        elif summary["sign"] == "=":
            self.book.skip("average", number, text)
        else:
            count, failed, *times_ms = (float(summary[name]) for name in ("n", "err", "avg", "min", "max"))
            stamp = datetime.fromisoformat(summary[1].replace("/", "-"))
            elapsed_ms = times_ms if count else [_NAN] * 3
            threads = float(summary["active"] or _NAN)
            row = [count / seconds, count, failed, *elapsed_ms, threads]
            self._table.row(self.times.at_datetime(stamp), number, summary["name"], row)
            self.book.data()


def _seconds(length: str) -> float:
    """Of ``00:01:00``, or ``60`` and ``60.0`` as older versions print it; 0 where it is neither."""
    try:
        parts = [float(part) for part in length.split(":")]
    except ValueError:
        return 0.0
    seconds = 0.0
    for part in parts:
        seconds = seconds * 60 + part
    return seconds
