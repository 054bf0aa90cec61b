"""What fio prints as JSON (--output-format=json, json+) and in terse lines (--minimal, versions 3 to 5).

    { "fio version" : "fio-3.33", "timestamp_ms" : 1795245075125, "jobs" : [ { "jobname" : "oltp",
        "read" : { "bw_bytes" : 165222852, "iops" : 20168.805199, "lat_ns" : { "mean" : 160513.6 }, ...
    3;fio-3.33;a;0;0;261028;43497;10874;6001;...

Terse fields, counted from 1 (fio's HOWTO): 3 job, 5 error, 6 to 46 reads (7 KiB/s, 8 IOPS, 16 mean completion latency
in us, 18 to 37 percentiles, 40 mean latency in us), 47 to 87 writes likewise. fio before 3.0 gives ``clat`` and ``lat``
in microseconds. Table ``fio`` with the job as the attribute process; latencies in seconds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tunebench.sdk import Round, StampedParser, body_lines, lazy_pattern

KIB = 1024.0
NS_PER_MS = 1_000_000
_TERSE = lazy_pattern(rb"^[345];fio-")
_PERCENTILES = {"50.000000": "p50", "95.000000": "p95", "99.000000": "p99", "99.900000": "p999"}
_DIRECTIONS = ("read", "write", "trim")
_TERSE_FIELDS, _TERSE_STEP = 46, 41
_TIMESTAMP = lazy_pattern(rb'^\s*"timestamp(?:_ms)?" : \d')
_MESSAGE = lazy_pattern(rb"^(?:\S+: \(g=\d+\): rw=|fio-\d|Starting \d+|\.\.\.$|fio: |Jobs: )")
_YEAR_2200_MS = 7_258_118_400_000


class FioParser(StampedParser):
    """See the module."""

    tool = "fio"

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = body_lines(head)
        if any(_TERSE.match(line) for line in lines):
            return 0.95
        return 0.95 if any(line.strip().startswith(b'"fio version"') for line in lines[:40]) else 0.0

    def begins_round(self, line: bytes) -> bool:
        return line.rstrip() == b"{"

    def place_line(self, number: int, line: bytes) -> None:
        """A document that tells its own time needs no other."""
        if _TIMESTAMP.match(line):
            self.timeless = True
        super().place_line(number, line)

    def read_round(self, one: Round) -> None:
        document: list[tuple[int, bytes]] = []
        for number, line in one.lines:
            if document or line.rstrip() == b"{":
                document.append((number, line))
                if line.rstrip() == b"}":
                    self._read_document(one, document)
                    document = []
            elif _TERSE.match(line) and self._read_terse(one, number, line):
                self.book.data()
            elif _MESSAGE.match(line):
                self.book.header()
            else:
                self.skip_line(number, line, "message")
        for number, line in document:
            self.skip_line(number, line, "truncated")

    # --- JSON
    def _read_document(self, one: Round, lines: list[tuple[int, bytes]]) -> None:
        document = _document(b"\n".join(line for _number, line in lines))
        if document is None:
            for number, line in lines:
                self.skip_line(number, line, "unreadable_numbers")
            return
        self.book.tool_version = str(document.get("fio version", ""))[:40].removeprefix("fio-")
        starts = [number for number, line in lines if line.lstrip().startswith(b'"jobname"')]
        time_ns = _time_of(document) or one.time_ns
        for index, job in enumerate(document["jobs"]):
            number = starts[index] if index < len(starts) else lines[0][0]
            self._add(time_ns, number, str(job.get("jobname", ""))[:120], dict(_job_figures(job)))
        for _line in lines:
            self.book.data()

    def _add(self, time_ns: int, number: int, job: str, figures: dict[str, float]) -> None:
        names = tuple(sorted(figures))
        if names:
            self.table("fio", names, "process").row(time_ns, number, job, [figures[name] for name in names])

    # --- terse lines
    def _read_terse(self, one: Round, number: int, line: bytes) -> bool:
        cells = line.decode("utf-8", "replace").split(";")
        if len(cells) < _TERSE_FIELDS + _TERSE_STEP:
            return False
        try:
            figures = {"exit_status": float(cells[4])}
            for direction, first in (("read", 5), ("write", 5 + _TERSE_STEP)):
                if float(cells[first]) > 0:
                    figures |= dict(_terse_figures(direction, cells[first : first + _TERSE_STEP]))
        except ValueError:
            return False
        self.book.tool_version = cells[1].removeprefix("fio-")
        self._add(one.time_ns, number, cells[2][:120], figures)
        return True


def _document(text: bytes) -> dict[str, Any] | None:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    jobs = document.get("jobs") if isinstance(document, dict) else None
    return document if isinstance(jobs, list) and all(isinstance(job, dict) for job in jobs) else None


def _time_of(document: Mapping[str, Any]) -> int:
    """UTC ns; 0 where the document has none."""
    moment = document.get("timestamp_ms")
    if not isinstance(moment, int) and isinstance(document.get("timestamp"), int):
        moment = document["timestamp"] * 1000
    return moment * NS_PER_MS if isinstance(moment, int) and 0 < moment < _YEAR_2200_MS else 0


def _job_figures(job: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    if _is_number(job.get("error")):
        yield "exit_status", float(job["error"])
    for direction in _DIRECTIONS:
        part = job.get(direction)
        if isinstance(part, dict) and _is_number(part.get("iops")) and part["iops"] > 0:
            yield from _part_figures(direction, part)


def _part_figures(direction: str, part: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    yield f"{direction}_iops", float(part["iops"])
    if _is_number(part.get("bw_bytes")):
        yield f"{direction}_bytes_per_s", float(part["bw_bytes"])
    elif _is_number(part.get("bw")):
        yield f"{direction}_bytes_per_s", float(part["bw"]) * KIB
    for name, wanted in (("lat", "latency_mean_s"), ("clat", "clat_mean_s")):
        latency, scale = _spans(part, name)
        if _is_number(latency.get("mean")):
            yield f"{direction}_{wanted}", float(latency["mean"]) * scale
        percentiles = latency.get("percentile")
        if name == "clat" and isinstance(percentiles, dict):
            for key, short in _PERCENTILES.items():
                if _is_number(percentiles.get(key)):
                    yield f"{direction}_clat_{short}_s", float(percentiles[key]) * scale


def _spans(part: Mapping[str, Any], name: str) -> tuple[Mapping[str, Any], float]:
    """The figures of a latency, and seconds per unit."""
    for key, scale in ((f"{name}_ns", 1e-9), (name, 1e-6)):
        latency = part.get(key)
        if isinstance(latency, dict):
            return latency, scale
    return {}, 1.0


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e18


def _terse_figures(direction: str, cells: list[str]) -> Iterator[tuple[str, float]]:
    """`cells`: total KiB, KiB/s, IOPS, ms, 4 submission, 4 completion, 20 percentiles, 4 total, 5 bandwidth."""
    yield f"{direction}_bytes_per_s", float(cells[1]) * KIB
    yield f"{direction}_iops", float(cells[2])
    yield f"{direction}_clat_mean_s", float(cells[10]) * 1e-6
    yield f"{direction}_latency_mean_s", float(cells[34]) * 1e-6
    for cell in cells[12:32]:
        share, _, value = cell.partition("%=")
        if share in _PERCENTILES and value:
            yield f"{direction}_clat_{_PERCENTILES[share]}_s", float(value) * 1e-6
