"""The lines of atop -P that are about a process.

    PRG host ... 22 (fio) R 0 0 22 1 0 1795287000 (fio job.fio) 1 1 0 0 ...
    PRC host ... 22 (fio) R 100 12 8 0 120 0 0 1 0 22 y 0 (-) 0 -3 -3
    PRM host ... 22 (fio) S 4096 443540 6904 1024 0 0 12 0 ...
    PRD host ... 22 (fio) S n y 0 1024 0 2048 0 22 n y
    PRN host ... 22 (fio) S n 0 0 ...

A name may hold blanks and brackets; with -Z it stands without brackets and its blanks are underscores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from tunebench.sdk import lazy_pattern

LABELS = frozenset({"PRG", "PRC", "PRM", "PRD", "PRN", "PRE"})
_HEAD = lazy_pattern(rb"^(?P<pid>\d{1,10}) (?:\((?P<name>.*?)\)|(?P<word>\S+)) (?P<state>[A-Za-z?])(?: (?P<rest>.*))?$")
_NAN = float("nan")
_SECTOR_BYTES = 512.0


class ProcessLine(NamedTuple):
    command: bytes
    pid: bytes
    is_process: bool
    figures: Mapping[str, float]
    busy_pct: float


def read_process(label: str, text: bytes, interval_s: float) -> ProcessLine | None:
    match = _HEAD.match(text)
    if match is None:
        return None
    words = (match["rest"] or b"").split()
    read = {"PRG": _general, "PRC": _cpu, "PRM": _memory, "PRD": _disk, "PRN": _network}.get(label)
    if read is None or interval_s <= 0:
        figures: dict[str, float] = {}
        is_process, busy_pct = True, 0.0
    else:
        figures, is_process, busy_pct = read(words, interval_s)
    name = match["name"] if match["name"] is not None else match["word"]
    return ProcessLine(name, match["pid"], is_process, figures, busy_pct)


_Read = tuple[dict[str, float], bool, float]


def _general(words: Sequence[bytes], interval_s: float) -> _Read:  # noqa: ARG001  every reader is asked alike
    """Real uid and gid, thread group, threads, exit code, start, command line ...; the line may hold anything."""
    return {"THR": _at(words, 3)}, True, 0.0


def _cpu(words: Sequence[bytes], interval_s: float) -> _Read:
    """Ticks per second; user, system; nice, priorities, policy, processor, sleep; group, process?, run delay (ns)."""
    ticks = _at(words, 0)
    user, system = (_at(words, index) / ticks if ticks > 0 else _NAN for index in (1, 2))
    busy_pct = 100.0 * (user + system) / interval_s
    figures = {"SYSCPU": system, "USRCPU": user, "RDELAY": _at(words, 11) / 1e9}
    return figures, _is_process(words, 10), busy_pct if busy_pct == busy_pct else 0.0


def _memory(words: Sequence[bytes], interval_s: float) -> _Read:
    """Page size; KiB: virtual, resident, text, growths; faults; KiB: library, data, stack, swap; group, process?"""
    kib = {
        "VSIZE": 1,
        "RSIZE": 2,
        "VSTEXT": 3,
        "VGROW": 4,
        "RGROW": 5,
        "VSLIBS": 8,
        "VDATA": 9,
        "VSTACK": 10,
        "SWAPSZ": 11,
    }
    figures = {name: _at(words, index) * 1024.0 for name, index in kib.items()}
    figures |= {"MINFLT/s": _at(words, 6) / interval_s, "MAJFLT/s": _at(words, 7) / interval_s}
    return figures, _is_process(words, 13), 0.0


def _disk(words: Sequence[bytes], interval_s: float) -> _Read:
    """Patched?, accounted?, reads, sectors read, writes, sectors written, sectors cancelled, group, -, process?"""
    if words[1:2] != [b"y"]:
        return {}, _is_process(words, 9), 0.0
    names = {"RDDSK/s": 3, "WRDSK/s": 5, "WCANCL/s": 6}
    figures = {name: _at(words, index) * _SECTOR_BYTES / interval_s for name, index in names.items()}
    return figures, _is_process(words, 9), 0.0


def _network(words: Sequence[bytes], interval_s: float) -> _Read:
    """Counted?, TCP packets sent, bytes, received, bytes; the same of UDP; raw packets; group, process?"""
    if words[:1] != [b"y"]:
        return {}, _is_process(words, 12), 0.0
    names = {"TCPSND/s": 1, "TCPRCV/s": 3, "UDPSND/s": 5, "UDPRCV/s": 7}
    return {name: _at(words, index) / interval_s for name, index in names.items()}, _is_process(words, 12), 0.0


def _is_process(words: Sequence[bytes], index: int) -> bool:
    return len(words) <= index or words[index] != b"n"


def _at(words: Sequence[bytes], index: int) -> float:
    return _number(words[index]) if index < len(words) else _NAN


@lru_cache(maxsize=16_384)
def _number(cell: bytes) -> float:
    if not cell.removeprefix(b"-").isdigit() or len(cell) > 20:
        return _NAN
    return float(cell)
