"""The table of processes: any columns in any order, found by their headings.

      PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
      273 root      25   5   17952  15664   5016 R  43.8   0.1   0:00.07 collectl
     2225 kbrazil   20   0  158.1m   2.2m   1.6m R 12.5  0.1   0:00.02 top      1884  1000 ...     all fields
      PID  PPID USER     STAT   VSZ %VSZ %CPU COMMAND                                              busybox

Sizes are KiB, larger ones ``158.1m``; counts are ``13k`` (1024 each). Where the command stands last, blanks part
the columns. Else it may hold blanks itself or be cut, and a cell belongs to the heading under which it stands:
numbers end where their heading ends, words begin where theirs begins. Words, and numbers that only name something
(user, group, terminal), are no series.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from tunebench.families.page_reading import Cell
from tunebench.sdk import decode_text, lazy_pattern

_WORDS = frozenset(
    {"USER", "RUSER", "SUSER", "GROUP", "RGROUP", "SGROUP", "TTY", "S", "STAT", "STATE", "COMMAND", "WCHAN", "Flags",
     "CGROUPS", "CGNAME", "SUPGIDS", "SUPGRPS", "ENVIRON", "LXC", "EXE", "CLASS"}
)  # fmt: skip
_MANY_WORDS = frozenset({"COMMAND", "ENVIRON", "CGROUPS", "SUPGRPS", "EXE"})
_IDENTITIES = frozenset(
    {
        "PID",
        "PPID",
        "UID",
        "RUID",
        "SUID",
        "GID",
        "RGID",
        "SGID",
        "PGRP",
        "SID",
        "SESS",
        "TPGID",
        "TGID",
        "AGID",
        "LOGID",
        "NU",
        "DOCKER",
    }
)
_TIMES = frozenset({"TIME", "TIME+", "STARTED", "ELAPSED"})
_COUNTS = frozenset({"nMaj", "nMin", "nDRT", "vMj", "vMn", "nTH", "nFD"})
_HEADING_WORD = lazy_pattern(r"^[%#A-Za-z_+][\w%+*-]*$")
_VALUE = lazy_pattern(rb"^(?P<number>[+-]?\d{1,20}(?:[.,]\d+)?)(?P<suffix>[kmgtpeKMGTPE]?)[+%]?$")
SUFFIXES = b"kmgtpeKMGTPE"
_POWER = {b"": 0, b"k": 1, b"m": 2, b"g": 3, b"t": 4, b"p": 5, b"e": 6}
_TIME = lazy_pattern(rb"^(?:(?P<hours>\d{1,6}):)?(?P<minutes>\d{1,9}):(?P<seconds>\d\d(?:[.,]\d{1,2})?)$")
_HOURS_AND_MINUTES = lazy_pattern(rb"^(\d{1,9}),(\d\d)$")
_LONG_TIME = lazy_pattern(rb"^(\d{1,9}(?:\.\d)?)([hdw])$")
_SECONDS = {b"h": 3600.0, b"d": 86_400.0, b"w": 604_800.0}
_NAN = float("nan")
_OF_NUMBERS = b"0123456789."
_MOST_COLUMNS = 100


@dataclass(frozen=True)
class ProcessHeading:
    """`spans` are the headings' first and last+1 column; `numbers` those that become series."""

    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    numbers: tuple[str, ...]

    @cached_property
    def command_stands_last(self) -> bool:
        return self.words[-1] == "COMMAND" and not _MANY_WORDS & set(self.words[:-1])


def read_heading(text: bytes) -> ProcessHeading | None:
    """The heading of the processes, the line without the blanks at its end."""
    line = decode_text(text)
    words = tuple(line.split())
    if not 2 < len(words) <= _MOST_COLUMNS or words.count("PID") != 1 or not all(map(_HEADING_WORD.match, words)):
        return None
    if len(set(words)) != len(words) or not {"%CPU", "TIME+", "TIME", "RES", "%MEM", "%VSZ"} & set(words):
        return None
    spans = []
    at = 0
    for word in words:
        start = line.index(word, at)
        at = start + len(word)
        spans.append((start, at))
    numbers = tuple(word for word in words if word not in _WORDS | _IDENTITIES and not word.startswith("ns"))
    return ProcessHeading(words, tuple(spans), numbers)


def cells_of(heading: ProcessHeading) -> tuple[Cell, ...]:
    """What stands between pid and command; none where a number stands elsewhere, or the command not at the end."""
    pid = heading.words.index("PID")
    if not heading.command_stands_last or not heading.numbers or not {*heading.numbers}.isdisjoint(heading.words[:pid]):
        return ()
    kinds = {word: Cell.CLOCK if word in _TIMES else Cell.NUMBER for word in heading.numbers}
    return tuple(kinds.get(word, Cell.WORD) for word in heading.words[pid + 1 : -1])


def read_cells(heading: ProcessHeading, line: bytes) -> Mapping[str, bytes] | None:
    """A row's cells by heading; None where the row cannot be taken apart."""
    if heading.command_stands_last:
        cells = line.split(None, len(heading.words) - 1)
        return dict(zip(heading.words, cells, strict=True)) if len(cells) == len(heading.words) else None
    return _cells_by_place(heading, decode_text(line))


def _cells_by_place(heading: ProcessHeading, line: str) -> Mapping[str, bytes]:
    cells: dict[str, str] = {}
    spans = dict(zip(heading.words, heading.spans, strict=True))
    ends = {end: word for word, (_, end) in spans.items() if word not in _WORDS}
    starts = {start: word for word, (start, _) in spans.items() if word in _WORDS}
    current = ""
    for match in re.finditer(r"\S+", line):
        word = ends.get(match.end()) or starts.get(match.start())
        if word is not None and word not in cells:
            cells[word], current = match[0], word
        elif current in _MANY_WORDS:
            cells[current] += f" {match[0]}"
    return {word: cell.encode() for word, cell in cells.items()}


def value_of(word: str, cell: bytes | None) -> float:
    """A cell's number: sizes in KiB, times in seconds; NaN where it has none (``rt``, ``-``, cut off)."""
    if cell is None:
        return _NAN
    if word in _TIMES:
        return seconds_of(cell)
    match = _VALUE.match(cell)
    if match is None:
        return _NAN
    return float(match["number"].replace(b",", b".")) * suffix_factor(word, match["suffix"])


def suffix_factor(word: str, suffix: bytes) -> float:
    """What a suffix multiplies by below this heading."""
    return 1024.0 ** (_POWER[suffix.lower()] - (0 if word in _COUNTS or not suffix else 1))


def number_text(word: str, cell: bytes | None) -> tuple[bytes, bool]:
    """A cell's number as a table reads it, ``-`` for none; and whether it is rounded to a larger unit."""
    if cell is not None and not cell.translate(None, _OF_NUMBERS) and word not in _TIMES:
        return cell, False
    value = value_of(word, cell)
    rounded = cell is not None and cell[-1:].isalpha() and value == value and word not in _TIMES
    return (b"-" if value != value else repr(value).encode()), rounded


def seconds_of(cell: bytes) -> float:
    """``0:01.47`` and ``123:45`` are minutes and seconds, ``27,07`` hours and minutes, ``123h``, ``5d``, ``2w``."""
    match = _TIME.match(cell)
    if match is not None:
        minutes = int(match["hours"] or 0) * 60 + int(match["minutes"])
        return minutes * 60 + float(match["seconds"].replace(b",", b"."))
    hours, long_time = _HOURS_AND_MINUTES.match(cell), _LONG_TIME.match(cell)
    if hours is not None:
        return int(hours[1]) * 3600.0 + int(hours[2]) * 60.0
    return float(long_time[1]) * _SECONDS[long_time[2]] if long_time is not None else _NAN
