"""Base of the parsers of Solaris' stat tools: blocks of rows below headings, and what stands around them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from tunebench.families.lines import EndingParser
from tunebench.families.lost_rows import is_lost_row
from tunebench.families.runs import RunClock, is_prompt
from tunebench.families.timed_commands import TimedCommands
from tunebench.sdk import ParseContext, SampleBatch, TableBuilder

from .wrappers import read_command, read_date_line

Layout = TypeVar("Layout")


class SolarisParser(EndingParser, Generic[Layout]):
    """A subclass reads rows in `_take_row` and headings in `_take_heading`; both book what they take."""

    tool = ""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool, self.book.os = self.tool, "sunos"
        self._clock = RunClock(context, self.times, self.book)
        self._timed = TimedCommands(self.book)
        self._builders: dict[tuple[str, tuple[str, ...]], TableBuilder] = {}
        self._layout: Layout | None = None  # of the heading that holds
        self._block: tuple[int, bool] | None = None
        self._length = 0  # of the line, with the blanks before its text

    def _take_row(self, number: int, text: bytes) -> bool:
        raise NotImplementedError

    def _take_heading(self, number: int, text: bytes) -> bool:
        """A heading, or any other line of the tool that is no row."""
        return False

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        for number, line in enumerate(lines, first_line):
            text = line.strip()
            self._length = len(line.rstrip())
            if not text:
                self.book.blank()
            elif not self._take_row(number, text):
                self._take_other(number, text)
        return [*self._flush(final=False), *self._timed.flush()]

    def close_tables(self) -> Iterable[SampleBatch]:
        self._clock.describe()
        self._timed.end()
        return [*self._flush(final=True), *self._timed.flush()]

    def _now(self) -> tuple[int, bool]:
        if self._block is None:
            self._block = self._clock.next_block()
        return self._block

    def _end_block(self) -> None:
        self._block = None

    def _begin_run(self) -> None:
        self._end_block()
        self._layout = None

    def _take_other(self, number: int, text: bytes) -> None:
        command, date_line = read_command(text), read_date_line(text)
        if command is not None:
            self._begin_run()
            self._clock.command(command)
            self.book.skip("wrapper", number, text)
        elif date_line is not None:
            self._end_block()
            self._clock.stamp(date_line)
            self.book.header()
        elif self._timed.take(number, text, self._clock.last_ns):
            self._end_block()
        elif self._take_heading(number, text):
            pass
        elif self._layout is not None and is_lost_row(text):
            self._lose_row(number, text)
        else:
            self._layout = None
            self.book.skip("wrapper" if is_prompt(text) else "prose", number, text)

    def _lose_row(self, number: int, text: bytes) -> None:
        """Books a damaged row below a heading; it keeps the time it took."""
        self._now()
        self.book.skip("unreadable_numbers", number, text)

    def _builder(self, table: str, headings: Sequence[str], key_attribute: str | None) -> TableBuilder:
        key = (table, tuple(headings))
        if key not in self._builders:
            self._builders[key] = TableBuilder(table, headings, key_attribute, self.book)
        return self._builders[key]

    def _flush(self, final: bool) -> list[SampleBatch]:
        return [batch for builder in self._builders.values() for batch in builder.flush(final)]
