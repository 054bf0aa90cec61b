"""What sysbench prints: its closing summary and the lines of --report-interval; versions 0.4, 0.5, 1.0 and 1.1.

    transactions:                        10876  (724.08 per sec.)             -> tps
    queries:                             217520 (14481.54 per sec.)           -> qps (0.4, 0.5: read/write requests)
    events per second:   811.60   |   events/s (eps):  7268.3045              -> events_per_s
    reads/s:  20948.67   |   read, MiB/s:  327.32                             -> reads_per_s, read_bytes_per_s
    Total operations: 2097152 (2252730.24 per second)                         -> operations_per_s
    2048.00 MiB transferred (2199.93 MiB/sec)                                 -> transferred_bytes_per_s
    Read 9.375Mb  Written 6.25Mb  Total transferred 15.625Mb  (53.316Kb/sec)  (0.4, 0.5: Kb, Mb, Gb are powers of 1024)
    95th percentile:  16.41   |   approx.  95 percentile:   1.69ms            -> latency_p95_s
    [ 3s ] thds: 4 tps: 827.75 qps: 16575.43 (r/w/o: ...) lat (ms,99%): 15.27 err/s: 0.00 reconn/s: 0.00
    [  10s] threads: 16, tps: 1234.50, reads/s: 17283.00, writes/s: 4938.00, response time: 20.11ms (95%)   (0.5)
    [ 2s ] reads: 272.48 MiB/s writes: 181.65 MiB/s fsyncs: 2321.68/s latency (ms,95%): 0.490

The summary of a run is one row of the table ``sysbench``; interval lines are samples of ``sysbench_interval`` under
names of their own, that no result is mistaken for a run. Latencies in seconds. Shapes from sysbench 1.0.20 itself and,
for 0.4.12 and 0.5, from its test-suite and published outputs.
"""

from __future__ import annotations

import re

from tunebench.sdk import ParseContext, body_lines, lazy_pattern

from .run_lines import KIB, NS_PER_S, RunLines

_N = rb"(\d+(?:\.\d+)?)"
_SIZES = {
    b"b": 1.0,
    b"kb": KIB,
    b"mb": KIB**2,
    b"gb": KIB**3,
    b"tb": KIB**4,
    b"kib": KIB,
    b"mib": KIB**2,
    b"gib": KIB**3,
    b"tib": KIB**4,
}
_BEGIN = lazy_pattern(rb"^\s*sysbench (\d+\.\d+\S*?):?\s")
_RUN = b"Running the test with following options"
_PER_SECOND = (
    (lazy_pattern(rb"^\s*transactions:\s+\d+\s+\(" + _N + rb" per sec"), "tps"),
    (lazy_pattern(rb"^\s*(?:queries|read/write requests):\s+\d+\s+\(" + _N + rb" per sec"), "qps"),
    (lazy_pattern(rb"^\s*(?:events per second|events/s \(eps\)):\s+" + _N), "events_per_s"),
    (lazy_pattern(rb"^\s*reads/s:\s+" + _N), "reads_per_s"),
    (lazy_pattern(rb"^\s*writes/s:\s+" + _N), "writes_per_s"),
    (lazy_pattern(rb"^\s*fsyncs/s:\s+" + _N), "fsyncs_per_s"),
    (lazy_pattern(rb"^\s*Total operations:\s+\d+\s+\(" + _N + rb" per second"), "operations_per_s"),
    (lazy_pattern(rb"^\s*Operations performed:\s+\d+\s+\(\s*" + _N + rb" ops/sec"), "operations_per_s"),
    (lazy_pattern(rb"^\s*" + _N + rb" Requests/sec executed"), "requests_per_s"),
    (lazy_pattern(rb"^\s*ignored errors:\s+\d+\s+\(" + _N + rb" per sec"), "errors_per_s"),
    (lazy_pattern(rb"^\s*total number of events:\s+" + _N), "events"),
    (lazy_pattern(rb"^\s*(?:total time|time elapsed):\s+" + _N + rb"s"), "total_time_s"),
)
_RATE = lazy_pattern(rb"transferred\s+(?:[\d.]+\w+\s+)?\(" + _N + rb"\s*([KMGT]?i?b)/sec\)", re.IGNORECASE)
_MIB = lazy_pattern(rb"^\s*(read|written), (?:MiB|MB)/s:\s+" + _N)
_LATENCY = lazy_pattern(rb"^\s*(min|avg|max):\s+" + _N + rb"(ms)?\s*$")
_PERCENTILE = lazy_pattern(rb"^\s*(?:approx\.\s+)?(\d+)(?:th|st|nd|rd)? percentile:\s+" + _N + rb"(ms)?\s*$")
_INTERVAL = lazy_pattern(rb"^\[\s*(\d+)s\s*\]\s+(.*)$")
_PAIRS = (
    (lazy_pattern(rb"\btps: " + _N), "interval_tps", 1.0),
    (lazy_pattern(rb"\bqps: " + _N), "interval_qps", 1.0),
    (lazy_pattern(rb"\beps: " + _N), "interval_events_per_s", 1.0),
    (lazy_pattern(rb"\breads: " + _N + rb" MiB/s"), "interval_read_bytes_per_s", KIB**2),
    (lazy_pattern(rb"\bwrites: " + _N + rb" MiB/s"), "interval_written_bytes_per_s", KIB**2),
    (lazy_pattern(rb"\bfsyncs: " + _N + rb"/s"), "interval_fsyncs_per_s", 1.0),
    (lazy_pattern(rb"\breads(?:/s)?: " + _N + rb","), "interval_reads_per_s", 1.0),
    (lazy_pattern(rb"\bwrites(?:/s)?: " + _N + rb","), "interval_writes_per_s", 1.0),
    (lazy_pattern(rb"\berr(?:ors)?(?:/s)?:? " + _N), "interval_errors_per_s", 1.0),
)
_INTERVAL_LATENCY = lazy_pattern(rb"\b(?:lat|latency) \(ms, ?(\d+)%\): " + _N)
_RESPONSE_TIME = lazy_pattern(rb"\bresponse time: " + _N + rb"ms \((\d+)%\)")
_HEADER = lazy_pattern(
    rb"^\s*(?:Running the test|Number of threads|Report intermediate|Initializing|Threads? |Random number"
    rb"|Running mixed|SQL statistics|OLTP test statistics|General statistics|Test execution summary|Latency"
    rb"|response time:|per-request statistics:"
    rb"|Throughput|CPU speed|File operations|queries performed|read:|write:|other:|total:|sum:|reconnects:|deadlocks:"
    rb"|other operations:|total time taken|events \(avg|execution time \(avg|Prime numbers|Maximum prime|Operations"
    rb"|Running memory|block size|total size|operation:|scope:|Extra file|\d+ files,|.*total file size|Block size"
    rb"|Number of|Read/Write ratio|Periodic FSYNC|Calling fsync|Using |Doing |Done|Time limit|No DB drivers|WARNING)"
)
_HISTOGRAM = lazy_pattern(rb"^\s+(?:value\s+-+ distribution|[\d.]+ \|[* ]*\s+\d+\s*$)")


class SysbenchParser(RunLines):
    """See the module."""

    tool = "sysbench"
    result_table = "sysbench"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._seen_end = False

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = body_lines(head)
        if any(_BEGIN.match(line) for line in lines[:20]) and any(_RUN in line for line in lines):
            return 0.95  # its prepare and cleanup measure nothing
        if sum(bool(_INTERVAL.match(line)) and b"tps: " in line for line in lines) > 1:
            return 0.9
        wanted = (b"total number of events:", b"Threads fairness:", b"events (avg/stddev):", b"transactions:")
        return 0.9 if sum(any(word in line for line in lines) for word in wanted) >= 3 else 0.0

    def begins_round(self, line: bytes) -> bool:
        """The name of the next run, or its first line of figures where nothing but summaries was kept."""
        begins = bool(_BEGIN.match(line)) or (self._seen_end and line.strip() in (b"SQL statistics:", b"CPU speed:"))
        if begins:
            self._seen_end = False
        elif b"execution time (avg/stddev):" in line:
            self._seen_end = True
        return begins

    def read_line(self, number: int, line: bytes) -> str:
        begin = _BEGIN.match(line)
        if begin:
            self.end_run()
            self.book.tool_version = begin[1].decode("ascii", "replace")
            return "header"
        interval = _INTERVAL.match(line)
        if interval:
            return self._read_interval(number, int(interval[1]), interval[2])
        if self._read_figure(number, line):
            return "data"
        if _HISTOGRAM.match(line):
            return "summary"
        return "header" if _HEADER.match(line) else ""

    def _read_figure(self, number: int, line: bytes) -> bool:
        for pattern, name in _PER_SECOND:
            match = pattern.match(line)
            if match:
                self.note(number, name, float(match[1]))
                return True
        mib = _MIB.match(line)
        if mib:
            self.note(number, f"{mib[1].decode()}_bytes_per_s", float(mib[2]) * KIB**2)
            return True
        rate = _RATE.search(line)
        if rate:
            self.note(number, "transferred_bytes_per_s", float(rate[1]) * _SIZES[rate[2].lower()])
            return True
        return self._read_latency(number, line)

    def _read_latency(self, number: int, line: bytes) -> bool:
        latency, percentile = _LATENCY.match(line), _PERCENTILE.match(line)
        if latency:
            self.note(number, f"latency_{latency[1].decode()}_s", float(latency[2]) / 1000)
        elif percentile:
            self.note(number, f"latency_p{percentile[1].decode()}_s", float(percentile[2]) / 1000)
        return bool(latency or percentile)

    def _read_interval(self, number: int, seconds: int, figures: bytes) -> str:
        values = {name: float(hit[1]) * scale for pattern, name, scale in _PAIRS if (hit := pattern.search(figures))}
        latency, response = _INTERVAL_LATENCY.search(figures), _RESPONSE_TIME.search(figures)
        if latency:
            values[f"interval_latency_p{int(latency[1])}_s"] = float(latency[2]) / 1000
        if response:
            values[f"interval_latency_p{int(response[2])}_s"] = float(response[1]) / 1000
        if not values:
            return ""
        names = tuple(sorted(values))
        time_ns = self.now.time_ns + seconds * NS_PER_S
        self.table("sysbench_interval", names).row(time_ns, number, "", [values[name] for name in names])
        return "data"
