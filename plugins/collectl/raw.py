"""Parser of collectl's raw recordings (.raw, usually gzipped): lines of /proc as they were.

    # Collectl:   V4.3.1-1  HiRes: 1  Options: -i2 -c4 -scdmn -f /var/log/collectl
    >>> 1795285245.001 <<<
    cpu  2104039 75135 381879 4324775 21753 0 10117 521 0 0         /proc/stat
    intr 33757754
    disk  254       0 vda 1755304 135270 54647474 1706097 ...       /proc/diskstats
    load 0.85 1.12 1.65 3/107 26101                                 /proc/loadavg
    MemTotal:       24684084 kB                                     /proc/meminfo
    pgfault 34567                                                   /proc/vmstat
    Net   eth0: 3401347071   75252    0    0    0     0 ...         /proc/net/dev
    tcp-Tcp: RtoAlgorithm RtoMin ...                                /proc/net/snmp: names, then numbers
    sock TCP: inuse 1 orphan 0 tw 1 alloc 1 mem 0                   /proc/net/sockstat
    int  36:          0    7159817 PCI-MSIX ...                     /proc/interrupts
    fs-fnr 779	0	2466170

Counters become rates under the names that collectl itself gives them when it plays a file back with -P, so that a raw
file and its playback are the same series. A rate needs two intervals: the first one gives none. Disks have rates as
collectl works them out: ``Wait`` is milliseconds per finished request, ``Util`` the busy share in percent. There are
no rates across a gap, and none for a counter that fell (a restart). Lines of processes and slabs (-sZ, -sY) are left
to collectl's playback.

Source: collectl 4.3.1 and formatit.ph; kernel documentation of /proc.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tunebench.families.lines import EndingParser
from tunebench.sdk import (
    CounterSteps,
    ParseContext,
    Round,
    SampleBatch,
    StampedParser,
    SystemFact,
    decode_text,
    lazy_pattern,
)

from .recording import Recording
from .stamps import is_plausible_epoch

_STAMP = lazy_pattern(rb"^>>> (?P<epoch>\d{9,10}(?:\.\d{1,6})?) <<<\s*$")
_BEGINNING = lazy_pattern(
    rb"^(?:cpu\d*|intr|ctxt|processes|procs_running|procs_blocked|disk|load|Net|sock|int|fs-\w+|tcp-\w+|MemTotal:)\s"
)
_PROCESS = lazy_pattern(rb"^(?:proc\w*:|slab|Slab|SlabP?:?\s|SL\b|proc-|stat\b)")
_CPU = ("User%", "Nice%", "Sys%", "Idle%", "Wait%", "Irq%", "Soft%", "Steal%", "Guest%", "GuestN%")
_RATES = {b"intr": "[CPU]Intrpt/sec", b"ctxt": "[CPU]Ctx/sec", b"processes": "[CPU]Proc/sec"}
_LEVELS = {b"procs_running": "[CPU]ProcRun", b"procs_blocked": "[CPU]BlkTot"}
_DISK = (
    "[DSK]Reads",
    "[DSK]RMerge",
    "[DSK]RKBytes",
    "[DSK]WaitR",
    "[DSK]Writes",
    "[DSK]WMerge",
    "[DSK]WKBytes",
    "[DSK]WaitW",
    "[DSK]Request",
    "[DSK]QueLen",
    "[DSK]Wait",
    "[DSK]SvcTim",
    "[DSK]Util",
)
_NET = (
    "[NET]RxKB",
    "[NET]RxPkt",
    "[NET]RxErr",
    "[NET]RxDrp",
    "[NET]RxFifo",
    "[NET]RxFra",
    "[NET]RxCmp",
    "[NET]RxMlt",
    "[NET]TxKB",
    "[NET]TxPkt",
    "[NET]TxErr",
    "[NET]TxDrp",
    "[NET]TxFifo",
    "[NET]TxColl",
    "[NET]TxCar",
    "[NET]TxCmp",
)
_FILES = {
    b"fs-ds": ("dentry number", "dentry unused"),
    b"fs-is": ("inodes allocated", "inodes free"),
    b"fs-fnr": ("file handles allocated", "file handles free", "file handles limit"),
}
_SNMP_LEVELS = frozenset({"RtoAlgorithm", "RtoMin", "RtoMax", "MaxConn", "CurrEstab", "Forwarding", "DefaultTTL"})
_VM_LEVELS = ("nr_", "workingset_nodes")
_NAN = float("nan")


class RawParser(EndingParser, StampedParser):
    """One round per interval; each kind of line has a reader."""

    tool, os = "collectl", "linux"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.variant = "raw"
        self._recording = Recording(self.book)
        self._steps: dict[str, CounterSteps] = {}
        self._snmp_names: dict[bytes, list[str]] = {}
        self._begun = False

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = [line for line in head.removeprefix(b"\xef\xbb\xbf").splitlines()[:400] if line.strip()]
        stamps = sum(_STAMP.match(line) is not None for line in lines)
        beginnings = sum(_BEGINNING.match(line) is not None for line in lines)
        if stamps and (beginnings > 2 or any(line.startswith(b"# Collectl:") for line in lines)):
            return 0.97
        return 0.0

    def facts(self) -> list[SystemFact]:
        return self._recording.facts()

    # -- lines -----------------------------------------------------------------------------------

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        if self.is_ending and lines:  # only a last line without an end arrives as late as this
            self.book.skip("truncated", first_line + len(lines) - 1, lines.pop())
        return super().read_lines(first_line, lines)

    def place_line(self, number: int, line: bytes) -> None:
        if line.startswith(b"#"):
            if self._recording.read(line):
                self.book.header()
            else:
                self.book.skip("comment", number, line)
            return
        stamp = _STAMP.match(line)
        if stamp is not None and is_plausible_epoch(stamp["epoch"]):
            self._begun = True
            line = b"TS " + stamp["epoch"]  # the house's name for a stamp since 1970
        elif not self._begun and line.strip():  # the file's beginning is missing: nothing tells these lines' time
            self.book.skip("truncated", number, line)
            return
        super().place_line(number, line)

    def read_round(self, one: Round) -> None:
        cpu: dict[str, float] = {}
        memory: dict[str, float] = {}
        levels: dict[str, float] = {}
        counters: dict[str, float] = {}
        for number, line in one.lines:
            if self._read_line(one, number, line, (cpu, memory, levels, counters)):
                self.book.data()
            elif _PROCESS.match(line):
                self.book.skip("collectl_processes", number, line)
            else:
                self.skip_line(number, line)
        first = one.lines[0][0] if one.lines else 1
        self._put(one, first, "load", cpu)
        self._put(one, first, "meminfo", memory)
        self._put(one, first, "kernel", levels)
        self._put_rates(one, first, "vmstat", counters)

    def _put(self, one: Round, number: int, table: str, values: dict[str, float]) -> None:
        if values:
            self.table(table, tuple(values)).row(one.time_ns, number, "", list(values.values()))

    def _put_rates(self, one: Round, number: int, table: str, values: dict[str, float]) -> None:
        risen = self._risen(one, table, "", list(values.values())) if values else None
        if risen is not None:
            headings = tuple(f"{name}/s" for name in values)
            self.table(table, headings).row(one.time_ns, number, "", [step / one.seconds for step in risen])

    def _risen(self, one: Round, kind: str, key: str, values: Sequence[float]) -> list[float] | None:
        steps = self._steps.setdefault(kind, CounterSteps())
        risen = steps.step(one, key, values)
        if steps.fell:
            self.book.warn("counter_fell")
        return risen

    # -- kinds of lines --------------------------------------------------------------------------

    def _read_line(self, one: Round, number: int, line: bytes, collected: tuple[dict[str, float], ...]) -> bool:
        words = line.split()
        word = words[0]
        if word.startswith(b"cpu") and (word == b"cpu" or word[3:].isdigit()):
            return self._read_cpu(one, number, word[3:], words[1:])
        if word in (b"disk", b"int"):
            return (self._read_disk if word == b"disk" else self._read_interrupt)(one, number, words[1:])
        if word == b"Net":
            return self._read_interface(one, number, line)
        cpu, memory, levels, counters = collected
        if word in _RATES and len(words) > 1:
            return self._read_rate(one, word, words[1], cpu)
        if word.startswith(b"tcp-"):
            return self._read_protocol(word, words[1:], counters, levels)
        return _read_level(words, cpu, levels) or _read_single(words, memory, levels, counters)

    def _read_cpu(self, one: Round, number: int, cpu: bytes, cells: list[bytes]) -> bool:
        values = _floats(cells[: len(_CPU)])
        if values is None or len(values) < 4:
            return False
        key = cpu.decode() or "all"
        risen = self._risen(one, "cpu", key, values)
        whole = sum(risen[:8]) if risen is not None else 0.0  # guest time is part of user time
        if risen is not None and whole > 0:
            headings = tuple(f"[CPU]{name}" for name in _CPU[: len(values)])
            shares = [100.0 * step / whole for step in risen]
            self.table("CPU", headings, "cpu").row(one.time_ns, number, key, shares)
        return True

    def _read_rate(self, one: Round, word: bytes, cell: bytes, into: dict[str, float]) -> bool:
        values = _floats([cell])
        if values is None:
            return False
        risen = self._risen(one, "stat", word.decode(), values)
        into[_RATES[word]] = _NAN if risen is None else risen[0] / one.seconds
        return True

    def _read_disk(self, one: Round, number: int, words: list[bytes]) -> bool:
        if len(words) < 14:  # a partition before Linux 2.6.25 has four counters
            return len(words) == 7
        values = _floats(words[3:14])
        if values is None:
            return False
        in_progress = values[8]
        values[8] = 0.0  # no counter
        device = decode_text(words[2])
        risen = self._risen(one, "disk", device, values)
        if risen is not None:
            row = _disk_rates(risen, one.seconds, in_progress)
            self.table("DSK", _DISK, "device").row(one.time_ns, number, device, row)
        return True

    def _read_interface(self, one: Round, number: int, line: bytes) -> bool:
        name, colon, rest = line.partition(b" ")[2].partition(b":")
        values = _floats(rest.split())
        if not colon or values is None or len(values) < len(_NET):
            return False
        interface = decode_text(name).strip()
        risen = self._risen(one, "net", interface, values[: len(_NET)])
        if risen is not None:
            row = [step / one.seconds for step in risen]
            row[0], row[8] = row[0] / 1024.0, row[8] / 1024.0
            self.table("NET", _NET, "interface").row(one.time_ns, number, interface, row)
        return True

    def _read_interrupt(self, one: Round, number: int, words: list[bytes]) -> bool:
        counts = []
        for word in words[1:]:
            if not word.isdigit():
                break
            counts.append(float(word))
        if not words or not words[0].endswith(b":") or not counts:
            return False
        name = decode_text(words[0][:-1])
        risen = self._risen(one, "interrupts", name, [sum(counts)])
        if risen is not None:
            self.table("INT", ("[INT]Total/sec",), "group").row(one.time_ns, number, name, [risen[0] / one.seconds])
        return True

    def _read_protocol(
        self, word: bytes, cells: list[bytes], counters: dict[str, float], levels: dict[str, float]
    ) -> bool:
        """Two lines: the names, then the numbers."""
        values = _floats(cells)
        if values is None:
            self._snmp_names[word] = [decode_text(cell) for cell in cells]
            return bool(cells)
        names = self._snmp_names.get(word, [])
        if len(names) != len(values):
            return False
        protocol = decode_text(word[4:].rstrip(b":"))
        for name, value in zip(names, values, strict=True):
            (levels if name in _SNMP_LEVELS else counters)[f"{protocol} {name}"] = value
        return True


def _read_level(words: list[bytes], cpu: dict[str, float], levels: dict[str, float]) -> bool:
    """``procs_running 2``, ``load 0.85 1.12 1.65 3/107 26101``, ``fs-fnr 779 0 2466170``, ``sock TCP: inuse 1``."""
    word, cells = words[0], words[1:]
    if word in _LEVELS:
        return len(cells) == 1 and _take(cpu, (_LEVELS[word],), cells)
    if word == b"load":
        return _take(cpu, ("[CPU]L-Avg1", "[CPU]L-Avg5", "[CPU]L-Avg15"), cells[:3])
    if word == b"sock":
        return _take_pairs(levels, cells)
    return word in _FILES and _take(levels, _FILES[word], cells)


def _read_single(
    words: list[bytes], memory: dict[str, float], levels: dict[str, float], counters: dict[str, float]
) -> bool:
    """``MemFree: 21546640 kB``, ``HugePages_Total: 0``, ``pgfault 34567``."""
    if len(words) not in (2, 3) or (len(words) == 3 and words[2] != b"kB"):
        return False
    values = _floats(words[1:2])
    if values is None:
        return False
    name = decode_text(words[0])
    if name.endswith(":"):
        memory[name.removesuffix(":")] = values[0]
    else:
        (levels if name.startswith(_VM_LEVELS) else counters)[name] = values[0]
    return True


def _take(into: dict[str, float], names: Sequence[str], cells: Sequence[bytes]) -> bool:
    values = _floats(cells)
    if values is None or not values:
        return False
    into.update(zip(names, values, strict=False))
    return True


def _take_pairs(into: dict[str, float], words: list[bytes]) -> bool:
    """``TCP: inuse 1 orphan 0``."""
    numbers = _floats(words[2::2])
    if len(words) < 3 or len(words) % 2 == 0 or numbers is None:
        return False
    what = decode_text(words[0].rstrip(b":"))
    for name, value in zip(words[1::2], numbers, strict=True):
        into[f"{what} {decode_text(name)}"] = value
    return True


def _disk_rates(risen: Sequence[float], seconds: float, in_progress: float) -> list[float]:
    reads, read_merges, read_sectors, read_ms, writes, write_merges, write_sectors, write_ms, _, busy_ms, _ = risen
    done = reads + writes
    return [
        reads / seconds,
        read_merges / seconds,
        read_sectors / 2.0 / seconds,
        _per(read_ms, reads),
        writes / seconds,
        write_merges / seconds,
        write_sectors / 2.0 / seconds,
        _per(write_ms, writes),
        _per((read_sectors + write_sectors) / 2.0, done),
        in_progress,
        _per(read_ms + write_ms, done),
        _per(busy_ms, done),
        busy_ms / seconds / 10.0,
    ]


def _per(amount: float, count: float) -> float:
    return amount / count if count > 0 else _NAN


def _floats(cells: Sequence[bytes]) -> list[float] | None:
    """Numbers as the kernel prints them."""
    if not all(cell.replace(b".", b"", 1).removeprefix(b"-").isdigit() for cell in cells):
        return None
    return [float(cell) for cell in cells]
