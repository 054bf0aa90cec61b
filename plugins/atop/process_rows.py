"""The list below the system's lines: processes, threads, or sums of several processes.

      PID SYSCPU USRCPU BDELAY  VGROW  RGROW  RDDSK  WRDSK  CPU CMD            1/3     the page, on a terminal
       22  0.26s  0.13s  0.00s 433.1M   6.7M  45.4M  22.7M   0% fio
      288  0.00s  0.00s      -     0K     0K      -      -   0% <lsb_release>          it has ended
    NPROCS SYSCPU USRCPU  VSIZE  RSIZE ... CPU CMD                                     -p: by program, -u: by user

Sizes are bytes; RDDSK, WRDSK, WCANCL and the faults are of the interval and become rates (``RDDSK/s``).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import isnan
from typing import NamedTuple

from tunebench.sdk import lazy_pattern

from .cells import read_figure

_WORDS = frozenset(
    {"PID", "PPID", "TID", "VPID", "RUID", "EUID", "SUID", "FSUID", "RGID", "EGID", "SGID", "FSGID", "STDATE", "STTIME",
     "ENDATE", "ENTIME", "ST", "EXC", "S", "CID", "CTID", "CID/POD", "POD", "CGROUP", "POLI", "WCHAN", "GPUNUMS", "CMD",
     "COMMAND-LINE", "USER", "CONTAINER", "ENVID"}
)  # fmt: skip
_FIGURES = frozenset(
    {
        "SYSCPU",
        "USRCPU",
        "VGROW",
        "RGROW",
        "VSIZE",
        "RSIZE",
        "RDDSK",
        "WRDSK",
        "MINFLT",
        "MAJFLT",
        "CPU",
        "MEM",
        "DSK",
        "NET",
        "THR",
        "NPROCS",
    }
)
_OF_THE_INTERVAL = frozenset(
    {"RDDSK", "WRDSK", "WCANCL", "MINFLT", "MAJFLT", "TCPRCV", "TCPSND", "UDPRCV", "UDPSND", "NVCSW", "NIVCSW"}
)
_HEADING_WORD = lazy_pattern(r"^[A-Z][A-Z0-9/-]*$")
_PAGE = lazy_pattern(r"^\d{1,5}/\d{1,5}$")
_NAN = float("nan")


@dataclass(frozen=True)
class ListHeading:
    words: tuple[str, ...]

    @cached_property
    def sums(self) -> bool:
        return "PID" not in self.words

    @cached_property
    def series(self) -> tuple[str, ...]:
        """The names of the figures, in their order."""
        return tuple(f"{word}/s" if word in _OF_THE_INTERVAL else word for word in self.words if word not in _WORDS)

    @cached_property
    def figures(self) -> tuple[tuple[int, bool], ...]:
        """Where each figure stands, and whether it is of the interval."""
        places = enumerate(self.words)
        return tuple((column, word in _OF_THE_INTERVAL) for column, word in places if word not in _WORDS)

    @cached_property
    def places(self) -> tuple[int | None, int | None, int | None]:
        """Where PID and TID stand among the words, and CPU among the figures."""
        words, numbers = self.words, [word for word in self.words if word not in _WORDS]
        return (
            words.index("PID") if "PID" in words else None,
            words.index("TID") if "TID" in words else None,
            numbers.index("CPU") if "CPU" in numbers else None,
        )


class ListRow(NamedTuple):
    """`command` is the program, the user or the container; `pid` of a thread its own."""

    table: str
    command: bytes
    pid: bytes
    values: tuple[float, ...]


@lru_cache(maxsize=64)  # the same in every report
def read_heading(text: str) -> ListHeading | None:
    words = text.split()
    if words and _PAGE.match(words[-1]):
        words.pop()
    if len(words) < 3 or words[0] not in ("PID", "NPROCS", "TID") or len(set(words)) != len(words):
        return None
    return ListHeading(tuple(words)) if all(map(_HEADING_WORD.match, words)) and _FIGURES & set(words) else None


def read_row(heading: ListHeading, line: bytes, elapsed_s: float | None) -> ListRow | None:
    cells = line.split(None, len(heading.words) - 1)
    if len(cells) != len(heading.words):
        return None
    pid_place, thread_place, _ = heading.places
    pid = b"" if pid_place is None else cells[pid_place]
    thread = b"-" if thread_place is None else cells[thread_place]
    if not heading.sums and not pid.isdigit():
        return None
    values = tuple(
        [_value(cells[column], elapsed_s if of_interval else 1.0) for column, of_interval in heading.figures]
    )
    if all(map(isnan, values)):
        return None
    command = cells[-1].strip().removeprefix(b"<").removesuffix(b">")
    if heading.sums:
        return ListRow("process_sum", command, b"", values)
    if thread.isdigit() and thread != pid:
        return ListRow("thread", command, thread, values)
    return ListRow("process", command, pid, values)


@lru_cache(maxsize=32_768)  # most cells are 0.00s, 0B or 0%, and sizes are rounded
def _value(cell: bytes, over_s: float | None) -> float:
    """A cell's figure over so many seconds, unless it is one per second already; NaN where it has none."""
    figure = read_figure(cell.decode("utf-8", "replace"))
    if figure is None:
        return _NAN
    if figure.per_second:
        return figure.value
    return figure.value / over_s if over_s else _NAN
