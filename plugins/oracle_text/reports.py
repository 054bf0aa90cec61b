"""One report read into one record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tunebench.families.oracle.header import Clock
from tunebench.families.oracle.period import PeriodReport
from tunebench.families.oracle.rows import Collected
from tunebench.families.oracle.values import numbers_of
from tunebench.sdk.databases import DatabaseRecord

from .header import read_head
from .profile import Profile
from .sections import Line, Report, Section, read_sections
from .statements import LISTS, Statements
from .storage import Parameters, read_files, read_pools, read_segments, read_volumes

EXPECTED = ("statement", "statement_list", "statement_text", "load", "wait_event", "activity", "io", "parameter")
"""Tables that a whole report of any release fills."""
_ENOUGH_WORDS = 6000
_END = "end of report"


class TextReport:
    """Reads the sections of one report.

    Attributes:
        used: sections whose rows were read.
        refused: sections that are known and whose headings are not those of any release.
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        self.report: Report = read_sections(lines)
        self.into = Collected(numbers_of(_words(lines)))
        self.header = read_head(self.report, self.into.numbers)
        self._first_line = lines[0][0]
        self._title = " ".join(lines[0][1].split())
        self._whole = any(_END in text.casefold() for _, text in lines[-50:])
        self._profile = Profile(self.into)
        self._statements = Statements(self.into)
        self._parameters = Parameters(self.into)
        self._readers = self._readers_by_title()
        self.used: list[Section] = []
        self.refused: list[Section] = []
        for section in self.report.sections if self.header.known else ():
            self._read(section)

    def record(self, clock: Clock, source: str) -> DatabaseRecord | None:
        """The record; None where nothing says whose report it is, or when."""
        if not self.header.known:
            return None
        self._profile.close()
        self._statements.close()
        self._parameters.close()
        changed = self._parameters.changed_number("cpu_count")
        report = PeriodReport(
            self.header, self._profile, source, self._title, EXPECTED, self._first_line, self._whole, changed
        )
        return report.record(clock)

    # -- sections --------------------------------------------------------------------------------

    def _read(self, section: Section) -> None:
        key = section.key
        reader = next((read for title, read in self._readers.items() if key.startswith(title)), None)
        if reader is None or key.endswith(("- detail", "thread activity")):
            return
        reader(section)
        has_rows = section.tables or not key.startswith(_RULED)
        (self.used if has_rows else self.refused).append(section)

    def _readers_by_title(self) -> dict[str, Callable[[Section], None]]:
        """Beginning of a title -> reader; the first that fits counts."""
        profile, into = self._profile, self.into
        lists = {title: self._list_reader(*names) for title, names in LISTS.items()}
        return {
            **lists,
            "cache sizes": lambda section: profile.begin_and_end(section, "cache", "By"),
            "load profile": profile.load,
            "instance efficiency": lambda section: profile.pairs(section, "efficiency"),
            "shared pool statistics": lambda section: profile.begin_and_end(section, "shared_pool", "%"),
            "memory statistics": lambda section: profile.begin_and_end(section, "memory"),
            "top 5 timed": profile.top_events,
            "top 10 foreground": profile.top_events,
            "top 10 timed": profile.top_events,
            "top 5 wait events": profile.top_events,
            "host cpu": profile.host_cpu,
            "instance cpu": lambda section: profile.pairs(section, "instance_cpu"),
            "time model": profile.time_model,
            "foreground wait class": profile.wait_classes,
            "foreground wait events": lambda section: profile.wait_events(section, "foreground"),
            "background wait events": lambda section: profile.wait_events(section, "background"),
            "wait events": lambda section: profile.wait_events(section, ""),
            "service statistics": lambda section: profile.column_facts(section, "services"),
            "instance activity stats": profile.activity,
            "key instance activity stats": profile.activity,
            "os statistics": profile.host_statistics,
            "operating system statistics": profile.host_statistics,
            "io stat by function - summary": lambda section: read_volumes(into, section, "function"),
            "iostat by function summary": lambda section: read_volumes(into, section, "function"),
            "iostat by filetype summary": lambda section: read_volumes(into, section, "filetype"),
            "tablespace io stats": lambda section: read_files(into, section, "tablespace"),
            "file io stats": lambda section: read_files(into, section, "file"),
            "buffer pool statistics": lambda section: read_pools(into, section),
            "segments by": lambda section: read_segments(into, section),
            "init.ora parameters": self._parameters.read,
            "top sql with top": self._statements.read_plans,
        }

    def _list_reader(self, list_name: str, figure: str) -> Callable[[Section], None]:
        return lambda section: self._statements.read_list(section, list_name, figure)


_RULED = ("sql ordered", "time model", "foreground", "background", "wait events", "tablespace", "file io", "segments")
"""Sections that say nothing without a ruler."""


def _words(lines: Sequence[Line]) -> Iterable[str]:
    """Enough of them to tell decimal commas from points."""
    left = _ENOUGH_WORDS
    for _, text in lines:
        words = text.split()
        yield from words
        left -= len(words)
        if left < 0:
            return
