"""What the kernel keeps in single files, in a loop of ``grep -H``: reclaim, receive queues, handles, connections.

    /proc/vmstat:pgscan_direct 4711                                 counts, but for nr_, which are pages now
    /proc/net/softnet_stat:000cac9e 00000000 00000003 ...           one line per processor in use, hexadecimal
    /proc/sys/fs/file-nr:1655	0	2466170                         in use, 0, most
    /proc/sys/net/netfilter/nf_conntrack_count:12
    /sys/fs/cgroup/web.slice/cpu.stat:nr_throttled 27               of groups that were ever held back

The first columns of softnet_stat are packets, dropped and squeezed; the thirteenth, where it is there, names the
processor (Linux, net/core/net-procfs.c). A group's share of throttled periods is worked out between two rounds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tunebench.families.confidence import of_share
from tunebench.sdk import CounterSteps, ParseContext, Round, StampedParser, body_lines, decode_text, lazy_pattern

_LINE = lazy_pattern(rb"^(?P<path>/(?:proc|sys)/[^:]{1,400}):(?P<text>.{1,400})$")
_COUNTER = lazy_pattern(rb"^(?P<name>[a-z][a-z0-9_]{2,60}) (?P<value>\d{1,20})\s*$")
_SOFTNET = lazy_pattern(rb"^[0-9a-f]{8}(?: [0-9a-f]{8}){8,20}\s*$")
_FILES = lazy_pattern(rb"^(\d{1,20})\s+\d{1,20}\s+(\d{1,20})\s*$")
_NUMBER = lazy_pattern(rb"^\d{1,20}\s*$")
_SOFTNET_COLUMNS = ("total", "dropd", "squeezd")
_PROCESSOR_COLUMN = 12
_TRACKED = ("nf_conntrack_count", "nf_conntrack_max")
_PERIODS = ("nr_periods", "nr_throttled")


class KernelStateParser(StampedParser):
    """See the module."""

    tool, os = "proc", "linux"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._steps = CounterSteps()
        self._first = b""

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return of_share(body_lines(head), _of_kernel, 0.9)

    def begins_round(self, line: bytes) -> bool:
        """The first file's first line again."""
        match = _of_kernel(line)
        if match is None:
            return False
        counter = _COUNTER.match(match["text"])
        name = match["path"] + (counter["name"] if counter else b"")
        self._first = self._first or name
        return name == self._first

    def read_round(self, one: Round) -> None:
        counted: dict[str, tuple[int, float]] = {}
        groups: dict[str, dict[str, tuple[int, float]]] = {}
        processors = 0
        for number, line in one.lines:
            match = _of_kernel(line)
            if match is None:
                self.skip_line(number, line)
                continue
            self.book.data()
            path, name, text = match["path"], decode_text(match["path"].rpartition(b"/")[2]), match["text"]
            counter = _COUNTER.match(text)
            if counter is not None:
                into = counted if name == "vmstat" else groups.setdefault(_group_of(path), {})
                into[decode_text(counter["name"])] = number, float(counter["value"])
            elif name == "softnet_stat":
                self._add_softnet(one, number, text, processors)
                processors += 1
            elif name == "file-nr":
                used, most = (float(cell) for cell in _FILES.match(text).groups())  # type: ignore[union-attr]
                self.table("files", ("file-nr", "file-max")).row(one.time_ns, number, "", (used, most))
            else:
                self.table(name, (name,)).row(one.time_ns, number, "", (float(text),))
        self._add_vmstat(one, counted)
        for group, numbers in groups.items():
            self._add_group(one, group, numbers)
        if self._steps.fell:
            self.book.warn("counter_fell")

    def _add_softnet(self, one: Round, number: int, text: bytes, row_number: int) -> None:
        cells = [int(cell, 16) for cell in text.split()]
        processor = cells[_PROCESSOR_COLUMN] if len(cells) > _PROCESSOR_COLUMN else row_number
        steps = self._steps.step(one, f"softnet {processor}", [float(cell) for cell in cells[: len(_SOFTNET_COLUMNS)]])
        if steps is not None:
            rates = self.table("softnet", tuple(f"{name}/s" for name in _SOFTNET_COLUMNS), "cpu")
            rates.row(one.time_ns, number, str(processor), [step / one.seconds for step in steps])

    def _add_vmstat(self, one: Round, numbers: dict[str, tuple[int, float]]) -> None:
        for name in [name for name in numbers if name.startswith("nr_")]:
            number, value = numbers.pop(name)
            self.table(f"vmstat {name}", (name,)).row(one.time_ns, number, "", (value,))
        if not numbers:
            return
        steps = self._steps.step(one, " ".join(numbers), [value for _, value in numbers.values()])
        if steps is None:
            return
        rates = {f"{name}/s": step / one.seconds for name, step in zip(numbers, steps, strict=True)}
        stalls = [rate for name, rate in rates.items() if name.startswith("allocstall")]
        rates = {name: rate for name, rate in rates.items() if not name.startswith("allocstall")}
        if stalls:
            rates["allocstall/s"] = sum(stalls)  # by zone since Linux 4.8
        number = next(iter(numbers.values()))[0]
        self.table("vmstat", tuple(rates)).row(one.time_ns, number, "", list(rates.values()))

    def _add_group(self, one: Round, group: str, numbers: dict[str, tuple[int, float]]) -> None:
        periods = [numbers[name][1] for name in _PERIODS if name in numbers]
        if len(periods) < len(_PERIODS):
            return
        steps = self._steps.step(one, group, periods)
        if steps is not None and steps[0] > 0:
            share = self.table("cgroup", ("%throttled",), "process")
            share.row(one.time_ns, numbers["nr_throttled"][0], group, (100.0 * steps[1] / steps[0],))


def _of_kernel(line: bytes) -> re.Match[bytes] | None:
    """The line, where it is of a file that is read here."""
    match = _LINE.match(line)
    return match if match is not None and any(_forms(match["path"], match["text"])) else None


def _forms(path: bytes, text: bytes) -> Iterator[bool]:
    name = path.rpartition(b"/")[2]
    yield name in (b"vmstat", b"cpu.stat") and _COUNTER.match(text) is not None
    yield name == b"softnet_stat" and _SOFTNET.match(text) is not None
    yield name == b"file-nr" and _FILES.match(text) is not None
    yield decode_text(name) in _TRACKED and _NUMBER.match(text) is not None


def _group_of(path: bytes) -> str:
    """Name of a control group: its folder below the mount, in version 1 without the controller."""
    inside = decode_text(path).removeprefix("/sys/fs/cgroup/").rpartition("/")[0]
    controller, _, rest = inside.partition("/")
    return rest if rest and set(controller.split(",")) <= {"cpu", "cpuacct"} else inside
