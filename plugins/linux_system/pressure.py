"""Pressure stall information of Linux 4.20 and later, /proc/pressure/{cpu,io,memory}, in a loop.

    some avg10=0.00 avg60=0.19 avg300=0.25 total=1448227464
    /proc/pressure/io:full avg10=0.00 avg60=2.09 avg300=1.90 total=51842811             grep . /proc/pressure/*
    ==> /proc/pressure/memory <==                                                       head /proc/pressure/*

``avg10`` to ``avg300`` are the kernel's damped means in percent; ``total`` counts microseconds of stall. The
share of the interval itself, ``cpu some``, is worked out from ``total`` and shows short stalls that a damped
mean hides. Lines without a file's name are taken in the order in which cat gives them: cpu, io, memory.
"""

from __future__ import annotations

import re

from tunebench.families.confidence import of_share
from tunebench.sdk import CounterSteps, ParseContext, Round, StampedParser, body_lines, lazy_pattern

_LINE = lazy_pattern(
    rb"^(?:\S*?(?P<resource>cpu|io|memory|irq):)?(?P<kind>some|full) avg10=(?P<avg10>\d{1,3}\.\d\d) "
    rb"avg60=(?P<avg60>\d{1,3}\.\d\d) avg300=(?P<avg300>\d{1,3}\.\d\d) total=(?P<total>\d{1,20})\s*$"
)
_TITLE = lazy_pattern(rb"^(?:==> )?\S*?(?P<resource>cpu|io|memory|irq):?(?: <==)?\s*$")
_MEANS = ("avg10", "avg60", "avg300")
_ORDER = ("cpu", "io", "memory")


class PressureParser(StampedParser):
    """See the module."""

    tool, os = "pressure", "linux"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._steps = CounterSteps()
        named = [name for name in _ORDER if name in (context.file_name or context.path).lower()]
        self._of_file = named[0] if len(named) == 1 else ""
        self._first: tuple[bytes, bytes] | None = None

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return of_share(body_lines(head), _LINE.match, 0.4)

    def begins_round(self, line: bytes) -> bool:
        """The first line's file and kind again; files without names cannot be told apart and stay one round."""
        match = _LINE.match(line)
        if match is None or match["resource"] is None:
            return False
        name = match["resource"], match["kind"]
        self._first = self._first or name
        return name == self._first

    def read_round(self, one: Round) -> None:
        title = ""
        unnamed = 0
        for number, line in one.lines:
            match, heading = _LINE.match(line), _TITLE.match(line)
            if match is None and heading is not None:
                title = heading["resource"].decode()
                self.book.header()
                continue
            if match is None:
                self.skip_line(number, line)
                continue
            if match["resource"] is not None:
                resource = match["resource"].decode()
            else:
                resource = title or self._of_file or (_ORDER[unnamed // 2] if unnamed < 6 else "")
                unnamed += 1
            self._add(one, number, resource, match, line)

    def _add(self, one: Round, number: int, resource: str, match: re.Match[bytes], line: bytes) -> None:
        if not resource:
            self.skip_line(number, line)
            return
        self.book.data()
        name = f"{resource} {match['kind'].decode()}"
        values = [float(match[mean]) for mean in _MEANS]
        total = float(match["total"])
        headings = (*(f"{name} {mean}" for mean in _MEANS), f"{name} total")
        self.table(f"{name} averages", headings).row(one.time_ns, number, "", (*values, total))
        steps = self._steps.step(one, name, (total,))
        if steps is not None:
            self.table(name, (name,)).row(one.time_ns, number, "", (steps[0] / one.seconds / 10_000.0,))
