"""/proc/diskstats in a loop: the counters as they stand, and the rates between two rounds.

     254  0 vda 222247 32029 15040026 178294 126445 158508 41622240 185586 0 34368 370748           14 fields
     ... 40959 39 13069672 5813                                                                     18: discards
     ... 23266 1053                                                                                 20: flushes
       3  1 hda1 35486 38030 38030 38030                                        7: a partition before Linux 2.6.25

Table ``counters_device`` has the counters under the names of the kernel's documentation
(admin-guide/iostats.rst). Table ``device`` has rates as `iostat -x` defines and names them (sysstat 12.6,
rd_stats.c and iostat.c): sectors are 512 bytes, ``r_await`` is time spent per finished request, ``aqu-sz``
the weighted time and ``%util`` the busy time per elapsed time. Where no request finished there is no mean
per request, and the value is missing (iostat prints 0.00). There are no rates across a gap or a new start.
"""

from __future__ import annotations

from collections.abc import Sequence

from tunebench.families.confidence import of_share
from tunebench.sdk import CounterSteps, ParseContext, Round, StampedParser, body_lines, decode_text, lazy_pattern

_LINE = lazy_pattern(rb"^\s*\d+\s+\d+\s+(?P<device>[^\s\d]\S*)\s+(?P<counters>\d{1,20}(?:\s+\d{1,20})*)\s*$")
_GROUPS = (
    ("reads completed", "reads merged", "sectors read", "ms reading"),
    ("writes completed", "writes merged", "sectors written", "ms writing"),
    ("I/Os in progress", "ms doing I/Os", "weighted ms doing I/Os"),
    ("discards completed", "discards merged", "sectors discarded", "ms discarding"),
    ("flushes completed", "ms flushing"),
)
_NAMES = tuple(name for group in _GROUPS for name in group)
_PARTITION = ("reads completed", "sectors read", "writes completed", "sectors written")
_IN_PROGRESS = _NAMES.index("I/Os in progress")
_RATES = {  # counters of a kind of request -> names of the rates
    0: ("r/s", "rkB/s", "rrqm/s", "%rrqm", "r_await", "rareq-sz"),
    4: ("w/s", "wkB/s", "wrqm/s", "%wrqm", "w_await", "wareq-sz"),
    11: ("d/s", "dkB/s", "drqm/s", "%drqm", "d_await", "dareq-sz"),
}
_FLUSHES = 15
_WIDTHS = (11, 15, 17)
_NAN = float("nan")


def rate_names(width: int) -> tuple[str, ...]:
    """The rates that `width` counters give, in iostat's order."""
    names = [name for first, group in _RATES.items() if first < width for name in group]
    return (*names, *(("f/s", "f_await") if width > _FLUSHES else ()), "aqu-sz", "%util")


def rates(steps: Sequence[float], seconds: float) -> list[float]:
    """`rate_names` of the counters' increases over `seconds`."""
    values: list[float] = []
    for first in _RATES:
        if first < len(steps):
            values += _rates_of_requests(steps[first : first + 4], seconds)
    if len(steps) > _FLUSHES:
        flushes, flush_ms = steps[_FLUSHES : _FLUSHES + 2]
        values += [flushes / seconds, _per(flush_ms, flushes)]
    busy_ms, weighted_ms = steps[_IN_PROGRESS + 1], steps[_IN_PROGRESS + 2]
    return [*values, weighted_ms / seconds / 1000.0, busy_ms / seconds / 10.0]


def _rates_of_requests(steps: Sequence[float], seconds: float) -> list[float]:
    done, merged, sectors, ms = steps
    return [
        done / seconds,
        sectors / 2.0 / seconds,
        merged / seconds,
        100.0 * _per(merged, merged + done),
        _per(ms, done),
        _per(sectors / 2.0, done),
    ]


def _per(amount: float, count: float) -> float:
    return amount / count if count > 0 else _NAN


class DiskstatsParser(StampedParser):
    """See the module."""

    tool, os = "diskstats", "linux"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._steps = CounterSteps()
        self._first_device = b""

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return of_share(body_lines(head), lambda line: _width(line) in _WIDTHS, 0.6)

    def begins_round(self, line: bytes) -> bool:
        match = _LINE.match(line)
        if match is None:
            return False
        self._first_device = self._first_device or match["device"]
        return match["device"] == self._first_device

    def read_round(self, one: Round) -> None:
        if not self._first_device:
            first = next((match for _, line in one.lines if (match := _LINE.match(line))), None)
            self._first_device = first["device"] if first else b""
        for number, line in one.lines:
            match = _LINE.match(line)
            counters = [float(cell) for cell in match["counters"].split()] if match else []
            if match is None or len(counters) not in (4, *_WIDTHS):
                self.skip_line(number, line)
                continue
            self.book.data()
            self._add(one, number, decode_text(match["device"]), counters)
        if self._steps.fell:
            self.book.warn("counter_fell")

    def _add(self, one: Round, number: int, device: str, counters: list[float]) -> None:
        if len(counters) == len(_PARTITION):
            self.table("counters_partition", _PARTITION, "device").row(one.time_ns, number, device, counters)
            return
        names = _NAMES[: len(counters)]
        self.table("counters_device", names, "device").row(one.time_ns, number, device, counters)
        steady = [*counters[:_IN_PROGRESS], 0.0, *counters[_IN_PROGRESS + 1 :]]  # the one that is no counter
        steps = self._steps.step(one, device, steady)
        if steps is not None:
            table = self.table("device", rate_names(len(counters)), "device")
            table.row(one.time_ns, number, device, rates(steps, one.seconds))


def _width(line: bytes) -> int:
    match = _LINE.match(line)
    return len(match["counters"].split()) if match else 0
