"""ps with a heading, in a loop: the processes it lists, `ps aux` or `ps -eo pid,pcpu,rss,time,args`.

      PID USER     %CPU %MEM   RSS    VSZ     TIME COMMAND
       77 root      0.4  0.0     0      0 00:00:49 kdamond.0
    USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND
    root           1  0.3  0.0  54484 20612 ?        Ss   08:40   0:41 /sbin/init splash

A process is ``init[1]``: the program's name and its pid. Columns of words are not stored; TIME is in seconds. Of
thousands of short-lived processes only busy ones get series (`tunebench.families.processes`).
"""

from __future__ import annotations

from tunebench.families.cells import number_of
from tunebench.families.processes import BUSY_PCT, ProcessLimit, process_key
from tunebench.sdk import ParseContext, Round, StampedParser, body_lines, decode_text, lazy_pattern

_NUMBERS = frozenset(
    {
        "%CPU",
        "%MEM",
        "C",
        "CP",
        "VSZ",
        "RSS",
        "RSZ",
        "SZ",
        "SIZE",
        "VIRT",
        "RES",
        "NLWP",
        "THCNT",
        "MAJFLT",
        "MINFLT",
        "MAJFL",
        "MINFL",
        "PRI",
        "NI",
    }
)
_TIMES = frozenset({"TIME", "CPUTIME"})
_COMMANDS = frozenset({"COMMAND", "CMD", "COMM", "ARGS"})
_NAMED_ONCE = frozenset({"%CPU", "%MEM", "VSZ", "RSS", "C", "SZ", "TIME"})
_TIME = lazy_pattern(
    rb"^(?:(?:(?P<days>\d{1,5})-)?(?P<hours>\d{1,5}):)?(?P<minutes>\d{1,5}):(?P<seconds>\d\d(?:\.\d+)?)$"
)


def read_heading(line: bytes) -> tuple[str, ...]:
    """The columns of ps; empty where the line is no heading of ps (top and pidstat have PID and COMMAND as well)."""
    words = decode_text(line).split()
    if len(words) < 3 or words[-1] not in _COMMANDS or words.count("PID") != 1 or len(set(words)) != len(words):
        return ()
    if {"TIME+", "%usr", "TGID"} & set(words) or words[0] == "#":
        return ()
    return tuple(words) if _NAMED_ONCE & set(words) else ()


class PsParser(StampedParser):
    """See the module."""

    tool = "ps"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._heading: tuple[str, ...] = ()
        self._limit = ProcessLimit()

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = body_lines(head)
        for index, line in enumerate(lines[:-1]):
            heading = read_heading(line)
            if heading and len(lines[index + 1].split()) >= len(heading):
                return 0.9 if index < 3 else 0.55
        return 0.0

    def begins_round(self, line: bytes) -> bool:
        return bool(read_heading(line))

    def read_round(self, one: Round) -> None:
        for number, line in one.lines:
            heading = read_heading(line)
            if heading:
                self._heading = heading
                self.book.header()
            elif not self._heading or not self._read_row(one, number, line):
                self.skip_line(number, line)

    def _read_row(self, one: Round, number: int, line: bytes) -> bool:
        cells = line.split(None, len(self._heading) - 1)
        if len(cells) != len(self._heading):
            return False
        row = dict(zip(self._heading, cells, strict=True))
        if not row["PID"].isdigit():
            return False
        names = tuple(name for name in self._heading if name in _NUMBERS or name in _TIMES)
        values = []
        for name in names:
            value = _seconds(row[name]) if name in _TIMES else number_of(row[name])
            if value is None:
                return False
            values.append(value)
        process = process_key(cells[-1], row["PID"])
        busy_pct = dict(zip(names, values, strict=True)).get("%CPU", BUSY_PCT)
        if not self._limit.keeps(process, busy_pct):
            self.book.skip("too_many_processes", number, line)
            return True
        self.book.data()
        self.table("process", names, "process").row(one.time_ns, number, process, values)
        return True


def _seconds(cell: bytes) -> float | None:
    """``00:00:49``, ``1-02:03:04``, ``0:41``, ``3:05.12``."""
    match = _TIME.match(cell)
    if match is None:
        return None
    days, hours, minutes = (int(match[name] or 0) for name in ("days", "hours", "minutes"))
    return ((days * 24 + hours) * 60 + minutes) * 60 + float(match["seconds"])
