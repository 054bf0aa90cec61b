"""/proc/stat, /proc/vmstat and /proc/net/dev in a loop, alone or together: counters, and rates between rounds.

    cpu  100 0 50 800 20 0 5 0 0 0                       ticks: user nice system idle iowait irq softirq steal guest ...
    intr 12345 7 0 0                                     since boot; all interrupts first
    procs_running 2                                      now
    nr_free_pages 3905270                                /proc/vmstat: nr_ are pages now, the others count
    Inter-|   Receive                                    |  Transmit
     face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets ...
      eth0: 4711    59417    0    0    0     0          0         0  815 37761    0    0    0     0       0          0
    ==> /proc/stat <==                                   head /proc/stat /proc/vmstat

A processor's shares are those of the ticks that it counted itself between two rounds, as mpstat works them out: guests
are part of user and nice in the file and told apart in the shares.
"""

from __future__ import annotations

import re

from tunebench.families.confidence import of_share
from tunebench.sdk import CounterSteps, ParseContext, Round, StampedParser, body_lines, decode_text, lazy_pattern

_CPU = lazy_pattern(rb"^cpu(?P<number>\d{0,5})\s+(?P<ticks>\d{1,20}(?: \d{1,20}){3,9})\s*$")
_STAT = lazy_pattern(
    rb"^(?P<name>intr|softirq|ctxt|btime|processes|procs_running|procs_blocked) (?P<value>\d{1,20})(?: \d+)*\s*$"
)
_VMSTAT = lazy_pattern(rb"^(?P<name>[a-z][a-z0-9_]{2,60}) (?P<value>\d{1,20})\s*$")
_INTERFACE = lazy_pattern(rb"^\s*(?P<name>[^\s:]{1,64}(?::\d+)?):\s*(?P<counters>\d{1,20}(?:\s+\d{1,20}){15})\s*$")
_HEADING = lazy_pattern(rb"^(?:Inter-\|\s*Receive|\s*face \|bytes )|^==> \S+ <==\s*$|^/proc/\S+:?\s*$")
_FIRST = lazy_pattern(rb"^(?:cpu |nr_free_pages |Inter-\||==> \S+ <==)")

_TICKS = ("%usr", "%nice", "%sys", "%idle", "%iowait", "%irq", "%soft", "%steal", "%guest", "%gnice")
_COUNTED_TICKS = tuple(name.replace("%", "ticks ") for name in _TICKS)
_GUESTS = {8: 0, 9: 1}  # the column that its time is part of
_NOW = frozenset({"procs_running", "procs_blocked", "workingset_nodes"})
_COUNTED_PAGES = ("nr_dirtied", "nr_written", "nr_vmscan_", "nr_foll_pin_", "nr_throttled_written")
"""Names in nr_ that count and never fall (Linux, include/linux/mmzone.h)."""
_NETWORK = tuple(
    [f"RX {name}" for name in ("bytes", "packets", "errors", "dropped", "fifo", "frame", "compressed", "mcast")]
    + [f"TX {name}" for name in ("bytes", "packets", "errors", "dropped", "fifo", "colls", "carrier", "compressed")]
)


class ProcCountersParser(StampedParser):
    """See the module."""

    tool, os = "proc", "linux"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._steps = CounterSteps()
        self._first = b""

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = body_lines(head)
        if not any(_CPU.match(line) or line.startswith((b"nr_free_pages ", b"Inter-|")) for line in lines):
            return 0.0
        return of_share(lines, lambda line: _kind_of(line) or _HEADING.match(line), 0.7)

    def begins_round(self, line: bytes) -> bool:
        match = _FIRST.match(line)
        if match is None:
            return False
        self._first = self._first or match[0]
        return match[0] == self._first

    def read_round(self, one: Round) -> None:
        numbers: dict[str, tuple[int, float]] = {}
        for number, line in one.lines:
            match = _kind_of(line)
            if match is None:
                self.book.header() if _HEADING.match(line) else self.skip_line(number, line)
            elif match.re == _CPU:
                self.book.data()
                self._add_processor(one, number, match)
            elif match.re == _INTERFACE:
                self.book.data()
                counters = [float(cell) for cell in match["counters"].split()]
                name = decode_text(match["name"])
                self.add_counters(one, number, "interface", _NETWORK, "interface", name, counters)
            elif match["name"] == b"btime":
                self.book.header()
            elif decode_text(match["name"]) in numbers:
                self.skip_line(number, line)
            else:
                self.book.data()
                numbers[decode_text(match["name"])] = number, float(match["value"])
        self._add_numbers(one, "kernel", {name: entry for name, entry in numbers.items() if name in _STAT_NAMES})
        self._add_numbers(one, "vmstat", {name: entry for name, entry in numbers.items() if name not in _STAT_NAMES})
        if self._steps.fell:
            self.book.warn("counter_fell")

    def _add_processor(self, one: Round, number: int, match: re.Match[bytes]) -> None:
        ticks = [float(cell) for cell in match["ticks"].split()]
        name = decode_text(match["number"]) or "all"
        self.table("counters_cpu", _COUNTED_TICKS[: len(ticks)], "cpu").row(one.time_ns, number, name, ticks)
        steps = self._steps.step(one, f"cpu{name}", ticks)
        if steps is None:
            return
        for guest, host in _GUESTS.items():
            if guest < len(steps):
                steps[host] = max(steps[host] - steps[guest], 0.0)
        total = sum(steps)  # NaN where one fell
        shares = [100.0 * step / total if total else float("nan") for step in steps]
        self.table("cpu", _TICKS[: len(shares)], "cpu").row(one.time_ns, number, name, shares)

    def _add_numbers(self, one: Round, table: str, numbers: dict[str, tuple[int, float]]) -> None:
        now = {name: entry for name, entry in numbers.items() if _is_gauge(name)}
        counted = {name: entry for name, entry in numbers.items() if name not in now}
        if now:
            first = next(iter(now.values()))[0]
            self.table(f"{table}_now", tuple(now)).row(one.time_ns, first, "", [value for _, value in now.values()])
        if counted:
            first = next(iter(counted.values()))[0]
            values = [value for _, value in counted.values()]
            self.table(f"counters_{table}", tuple(counted)).row(one.time_ns, first, "", values)
            steps = self._steps.step(one, " ".join(counted), values)
            if steps is not None:
                rates = self.table(table, tuple(f"{name}/s" for name in counted))
                rates.row(one.time_ns, first, "", [step / one.seconds for step in steps])


_STAT_NAMES = frozenset({"intr", "softirq", "ctxt", "processes", "procs_running", "procs_blocked"})


def _is_gauge(name: str) -> bool:
    return name in _NOW or (name.startswith("nr_") and not name.startswith(_COUNTED_PAGES))


def _kind_of(line: bytes) -> re.Match[bytes] | None:
    return _CPU.match(line) or _STAT.match(line) or _VMSTAT.match(line) or _INTERFACE.match(line)
