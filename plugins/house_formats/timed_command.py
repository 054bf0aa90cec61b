"""A command timed again and again, in the words of every shell's time.

    real 0.80                           POSIX time -p; also Solaris /usr/bin/time, hours as 1:02:03.4
    real    0m0.803s                    bash, ksh93, ksh88 (real    1m26.18s)
    real 0m0.803s user 0m0.732s sys 0m0.166s           a TIMEFORMAT of bash, or lines that a script joined
    0m0.80s real     0m0.73s user     0m0.17s system                                   mksh, pdksh
    0.73u 0.17s 0:00.80 112%            csh; tcsh adds 0+0k 0+0io 0pf+0w
    nm  0.73s user 0.17s system 112% cpu 0.803 total                                   zsh
    0.16user 0.00system 0:00.18elapsed 86%CPU (0avgtext+0avgdata 1700maxresident)k     GNU time
    0inputs+0outputs (0major+213minor)pagefaults 0swaps
            Elapsed (wall clock) time (h:mm:ss or m:ss): 0:00.18                       GNU time -v
            0.80 real         0.73 user         0.17 sys                               BSD
    @exit 1                             the command's exit status, where the probe writes it

Series ``real_s``, ``user_s``, ``sys_s`` in seconds, ``exit_status``, and what GNU time tells beside. Comma and
point are both decimal signs. What the command itself printed is left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from tunebench.families.time_dialects import is_remark, read_time_line
from tunebench.families.timed_commands import TABLE, TIMES
from tunebench.sdk import ParseContext, Round, StampedParser, body_lines, lazy_pattern

_RESOURCES = (
    "max_resident_kb",
    "major_faults",
    "minor_faults",
    "voluntary_switches",
    "involuntary_switches",
    "block_inputs",
    "block_outputs",
    "swaps",
)
_COLUMNS = (*TIMES, "exit_status")
_USER = lazy_pattern(rb"[Uu]ser|\du ")  # in every shell's words for the time of the user's own code


class TimedCommandParser(StampedParser):
    """See the module."""

    tool = "time"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._open: set[str] = set()  # figures seen of the measurement that is being read

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        """Sure where little else stands around the times; a capture of another tool may hold some too."""
        lines = body_lines(head)
        if not any("user_s" in read_time_line(line) for line in lines if _USER.search(line)):
            return 0.0
        figures = [figures for line in lines if (figures := read_time_line(line))]
        if not {name for named in figures for name in named} >= set(TIMES):
            return 0.0
        return 0.9 if 3 * len(figures) >= len(lines) or len(lines) < 12 else 0.55

    def begins_round(self, line: bytes) -> bool:
        """A second ``real`` belongs to the next run of the command."""
        names = read_time_line(line).keys()
        begins = bool(names & self._open)
        self._open = set(names) if begins else self._open | names
        return begins

    def read_round(self, one: Round) -> None:
        for first_line, figures in self._measurements(one):
            values = [figures.get(name, float("nan")) for name in _COLUMNS]
            self.table(TABLE, _COLUMNS).row(one.time_ns, first_line, "", values)
            if any(name in figures for name in _RESOURCES):
                resources = [figures.get(name, float("nan")) for name in _RESOURCES]
                self.table("timed_resources", _RESOURCES).row(one.time_ns, first_line, "", resources)

    def _book_other(self, number: int, line: bytes) -> None:
        if is_remark(line):
            self.book.header()
        else:
            self.skip_line(number, line, "command_output")

    def _measurements(self, one: Round) -> Iterator[tuple[int, dict[str, float]]]:
        figures: dict[str, float] = {}
        first_line = 0
        for number, line in one.lines:
            measured = read_time_line(line)
            if not measured:
                self._book_other(number, line)
                continue
            self.book.data()
            if figures.keys() & measured.keys():
                yield first_line, figures
                figures = {}
            first_line = first_line if figures else number
            figures |= measured
        if figures:
            yield first_line, figures
